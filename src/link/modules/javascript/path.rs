//! Paths with `/`, relative to the analysed root, as text.

/// Folder and name.
pub fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// `path` seen from `folder`, without `.` and `..`; none if it leaves the root.
pub fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A folder and all around it, innermost first; the root is the empty path.
pub fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |at| if at.is_empty() { None } else { Some(split(at).0) })
}

/// What `*` stands for if `text` fits `pattern` (`@/*`); a pattern without a star fits itself.
pub fn star<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
    match pattern.split_once('*') {
        None => (pattern == text).then_some(""),
        Some((before, after)) => {
            let middle = text.strip_prefix(before)?.strip_suffix(after)?;
            (text.len() >= before.len() + after.len()).then_some(middle)
        }
    }
}
