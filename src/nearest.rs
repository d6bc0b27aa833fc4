//! "Did you mean": the known name nearest to one that is not known.

/// The nearest of `known`, if it is near enough to be meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.into_iter().map(|k| (distance(word, k), k)).min()?;
    (near.0 <= 1 + word.chars().count() / 3).then_some(near.1)
}

/// Edits (insert, delete, replace) from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(nearest("budgett", ["budget", "window"]), Some("budget"));
        assert_eq!(nearest("fail_on", ["fail-on", "ignore"]), Some("fail-on"));
        assert_eq!(nearest("zzz", ["budget", "window"]), None);
    }
}
