//! `# squall: ignore[check-name] reason`: what such comments silence, and which of them silence nothing.
//!
//! A comment behind code speaks for its line, a comment on a line of its own for the next line that is no
//! such comment. A finding is silenced on the first or last line of its place, since formatters move comments
//! behind closing brackets.

use crate::chains::Confidence;
use crate::checks::{Finding, Severity};
use crate::config::{Selection, names_any};
use crate::ir::Ignore;
use crate::nearest::nearest;
use crate::source::{FileId, Place, Sources};
use rustc_hash::FxHashMap;

/// The check that reports ignores without effect.
pub const RULE: &str = "unused-ignore";
/// Its code.
pub const CODE: &str = "SQ001";

/// What ignores need to know about a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckName {
    /// Its name.
    pub name: &'static str,
    /// Its code.
    pub code: &'static str,
    /// Whether it runs only on demand.
    pub pedantic: bool,
}

/// Findings after ignores.
#[derive(Debug, Default)]
pub struct Applied {
    /// The ones that stay, with `unused-ignore` findings; not ordered.
    pub findings: Vec<Finding>,
    /// How many were silenced.
    pub ignored: usize,
}

/// One comment, with what it has silenced so far.
struct Comment<'a> {
    file: FileId,
    ignore: &'a Ignore,
    /// The line it speaks for.
    line: u32,
    /// For each word in the brackets whether it silenced something; one flag for an empty list.
    used: Vec<bool>,
}

/// Applies the ignore comments of all files.
pub fn apply<'a>(
    sources: &Sources,
    ignores: impl IntoIterator<Item = (FileId, &'a [Ignore])>,
    findings: Vec<Finding>,
    selection: &Selection,
    checks: &[CheckName],
) -> Applied {
    let mut comments: Vec<Comment> = ignores.into_iter().flat_map(|(file, list)| comments(file, list)).collect();
    let mut by_line: FxHashMap<(FileId, u32), Vec<usize>> = FxHashMap::default();
    for (at, comment) in comments.iter().enumerate() {
        by_line.entry((comment.file, comment.line)).or_default().push(at);
    }
    let mut applied = Applied::default();
    for finding in findings {
        match silence(sources, &finding, &by_line, &mut comments) {
            true => applied.ignored += 1,
            false => applied.findings.push(finding),
        }
    }
    if selection.runs(RULE, CODE, false) {
        let unused: Vec<Finding> = comments.iter().flat_map(|c| unused(sources, c, selection, checks)).collect();
        for finding in unused {
            match silence(sources, &finding, &by_line, &mut comments) {
                true => applied.ignored += 1,
                false => applied.findings.push(finding),
            }
        }
    }
    applied
}

fn comments(file: FileId, list: &[Ignore]) -> impl Iterator<Item = Comment<'_>> {
    let alone = |line: u32| list.iter().any(|i| i.line == line && !i.trailing);
    list.iter().map(move |ignore| {
        let mut line = ignore.line;
        while alone(line) {
            line += 1;
        }
        Comment { file, ignore, line, used: vec![false; ignore.rules.len().max(1)] }
    })
}

/// Whether a comment silences a finding; marks every word that does.
fn silence(
    sources: &Sources,
    finding: &Finding,
    by_line: &FxHashMap<(FileId, u32), Vec<usize>>,
    comments: &mut [Comment],
) -> bool {
    let mut silenced = false;
    let (first, last) = (sources.start(finding.place).line, sources.end(finding.place).line);
    let lines = if first == last { vec![first] } else { vec![first, last] };
    for &at in lines.iter().filter_map(|&line| by_line.get(&(finding.place.file, line))).flatten() {
        let comment = &mut comments[at];
        // A blanket ignore must not hide that it does nothing.
        if comment.ignore.rules.is_empty() && finding.rule != RULE {
            comment.used[0] = true;
            silenced = true;
        }
        for (word, used) in comment.ignore.rules.iter().zip(&mut comment.used) {
            if names_any(word, [(finding.rule, finding.code)]) {
                *used = true;
                silenced = true;
            }
        }
    }
    silenced
}

/// The findings about a comment's words that silenced nothing. A word for a check that did not run cannot
/// be judged.
fn unused(sources: &Sources, comment: &Comment, selection: &Selection, checks: &[CheckName]) -> Vec<Finding> {
    let ran = |check: &CheckName| selection.runs(check.name, check.code, check.pedantic);
    if comment.ignore.rules.is_empty() {
        let all = selection.select.is_empty() && selection.ignore.is_empty();
        let silent = all && !comment.used[0];
        return silent
            .then(|| finding(sources, comment, "this ignore silences nothing".into(), REMOVE))
            .into_iter()
            .collect();
    }
    let words = comment
        .ignore
        .rules
        .iter()
        .zip(&comment.used)
        .filter(|(word, used)| !**used && !names_any(word, [(RULE, CODE)]));
    let judge = |word: &String| {
        let named: Vec<_> = checks.iter().filter(|c| names_any(word, [(c.name, c.code)])).collect();
        if named.is_empty() {
            let help = nearest(word, checks.iter().map(|c| c.name)).map(|name| format!("did you mean `{name}`?"));
            let help = help.unwrap_or_else(|| "`squall rules` lists the checks".into());
            return Some(finding(sources, comment, format!("this ignore names no check: `{word}`"), &help));
        }
        let message = || format!("this ignore silences nothing: no `{word}` here");
        named.into_iter().all(ran).then(|| finding(sources, comment, message(), REMOVE))
    };
    words.filter_map(|(word, _)| judge(word)).collect()
}

const REMOVE: &str = "remove it, so that it does not hide the next finding on this line";

fn finding(sources: &Sources, comment: &Comment, message: String, help: &str) -> Finding {
    let place = Place { file: comment.file, span: comment.ignore.span };
    Finding {
        rule: RULE,
        code: CODE,
        severity: Severity::Warning,
        confidence: Confidence::High,
        message,
        help: help.into(),
        place,
        related: Vec::new(),
        chain: None,
        figures: Vec::new(),
        fingerprint: format!("{RULE}|{}||{}", sources.path(place), sources.text(place)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Span;
    use crate::source::Source;

    const CHECKS: [CheckName; 2] = [
        CheckName { name: "fixed-wait", code: "SQ201", pedantic: false },
        CheckName { name: "silent-retries", code: "SQ601", pedantic: true },
    ];

    /// Findings of `fixed-wait` on these lines of a ten-line file, under these comments
    /// (line, behind code, words): lines that stay, and messages of unused ignores.
    fn check(lines: &[u32], comments: &[(u32, bool, &[&str])]) -> (Vec<u32>, Vec<String>) {
        let sources = Sources { files: vec![Source::new("a.py".into(), &"x\n".repeat(10), false)] };
        let on = |line: u32| Span { start: 2 * (line - 1), end: 2 * (line - 1) + 1 };
        let found = |&line: &u32| Finding {
            rule: "fixed-wait",
            code: "SQ201",
            message: String::new(),
            place: Place { file: FileId(0), span: on(line) },
            ..finding(&sources, &comments_of(&[(1, true, &[])], on)[0].as_comment(), String::new(), "")
        };
        let list: Vec<Ignore> = comments_of(comments, on).into_iter().map(|c| c.0).collect();
        let found = lines.iter().map(found).collect();
        let applied = apply(&sources, [(FileId(0), &list[..])], found, &Selection::default(), &CHECKS);
        let (unused, stay): (Vec<_>, Vec<_>) = applied.findings.into_iter().partition(|f| f.rule == RULE);
        assert!(applied.ignored + stay.len() >= lines.len());
        (stay.iter().map(|f| sources.start(f.place).line).collect(), unused.into_iter().map(|f| f.message).collect())
    }

    struct Owned(Ignore);
    impl Owned {
        fn as_comment(&self) -> Comment<'_> {
            Comment { file: FileId(0), ignore: &self.0, line: 1, used: vec![] }
        }
    }

    fn comments_of(list: &[(u32, bool, &[&str])], on: impl Fn(u32) -> Span) -> Vec<Owned> {
        let one = |&(line, trailing, rules): &(u32, bool, &[&str])| {
            Owned(Ignore { line, trailing, rules: rules.iter().map(|r| r.to_string()).collect(), span: on(line) })
        };
        list.iter().map(one).collect()
    }

    #[test]
    fn silences_its_line_or_the_next() {
        assert_eq!(check(&[2, 3], &[(2, true, &["fixed-wait"])]).0, [3]);
        assert_eq!(check(&[2, 3], &[(2, false, &["fixed-wait"])]).0, [2]);
        assert_eq!(check(&[2], &[(2, true, &["SQ2"])]).0, [0; 0]);
        assert_eq!(check(&[2], &[(2, true, &[])]).0, [0; 0]);
        // Two comments above one line both speak for it.
        assert_eq!(check(&[4], &[(2, false, &["fixed-wait"]), (3, false, &["other"])]).0, [0; 0]);
    }

    #[test]
    fn reports_what_silences_nothing() {
        assert_eq!(check(&[], &[(2, true, &[])]).1, ["this ignore silences nothing"]);
        assert_eq!(
            check(&[2], &[(5, true, &["fixed-wait"])]).1,
            ["this ignore silences nothing: no `fixed-wait` here"]
        );
        assert_eq!(check(&[2], &[(2, true, &["fixed-wai"])]).1, ["this ignore names no check: `fixed-wai`"]);
        // A pedantic check did not run: nobody knows whether the comment is needed.
        assert_eq!(check(&[], &[(2, true, &["silent-retries"])]).1, [""; 0]);
        assert_eq!(check(&[], &[(2, true, &["fixed-wait", "unused-ignore"])]).1, [""; 0]);
    }
}
