//! One catalogue file in memory, with its names hashed.

use super::Formula;
use super::like::fill_in;
use super::schema::{Class, Constant, Function, LibraryFile, Method, Numbers};
use rustc_hash::FxHashMap;

/// A parsed file.
#[derive(Debug)]
pub(super) struct Book {
    pub file: LibraryFile,
    functions: Names,
    classes: Names,
    values: FxHashMap<String, usize>,
    /// Methods of each class, in the order of `file.classes`.
    methods: Vec<Names>,
}

/// Names to indices; patterns are asked in the order of the file after exact names.
#[derive(Debug, Default)]
struct Names {
    exact: FxHashMap<String, usize>,
    patterns: Vec<(String, usize)>,
}

impl Names {
    fn add(&mut self, name: &str, index: usize) {
        if name.contains('*') {
            self.patterns.push((name.to_string(), index));
        } else {
            // The first entry of a file counts; doubles are refused by the checks.
            self.exact.entry(name.to_string()).or_insert(index);
        }
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.exact.get(name).copied().or_else(|| {
            let pattern = self.patterns.iter().find(|p| matches_pattern(&p.0, name));
            pattern.map(|p| p.1)
        })
    }
}

impl Book {
    pub fn new(mut file: LibraryFile) -> Self {
        fill_in(&mut file);
        let numbers = std::mem::take(&mut file.numbers);
        file.values.extend(numbers.iter().flat_map(constants));
        let mut functions = Names::default();
        for (i, function) in file.functions.iter().enumerate() {
            function.path.iter().for_each(|path| functions.add(path, i));
        }
        let mut classes = Names::default();
        let mut methods = Vec::with_capacity(file.classes.len());
        for (i, class) in file.classes.iter().enumerate() {
            class.path.iter().for_each(|path| classes.add(path, i));
            let mut names = Names::default();
            for (j, method) in class.methods.iter().enumerate() {
                method.name.iter().for_each(|name| names.add(name, j));
            }
            methods.push(names);
        }
        let mut values = FxHashMap::default();
        for (i, value) in file.values.iter().enumerate() {
            for path in &value.path {
                values.entry(path.clone()).or_insert(i);
            }
        }
        Book { file, functions, classes, values, methods }
    }

    pub fn function(&self, path: &str) -> Option<&Function> {
        self.functions.find(path).and_then(|i| self.file.functions.get(i))
    }

    pub fn class(&self, path: &str) -> Option<(usize, &Class)> {
        let index = self.classes.find(path)?;
        self.file.classes.get(index).map(|class| (index, class))
    }

    pub fn value(&self, path: &str) -> Option<&Constant> {
        self.values.get(path).and_then(|i| self.file.values.get(*i))
    }

    /// The class's own method, not those of its bases.
    pub fn method(&self, class: usize, name: &str) -> Option<&Method> {
        let index = self.methods.get(class)?.find(name)?;
        self.file.classes.get(class)?.methods.get(index)
    }
}

/// The constants of a list of numbers.
fn constants(list: &Numbers) -> impl Iterator<Item = Constant> {
    list.names.iter().map(|(name, number)| Constant {
        path: list.below.iter().map(|below| format!("{below}{name}")).collect(),
        class: list.class.clone(),
        props: Default::default(),
        value: Some(Formula::Number(*number)),
        predicate: None,
    })
}

/// Whether a name fits a pattern: `*` is one segment (or a part of one: `*_message`), `**` any number, none included.
pub(super) fn matches_pattern(pattern: &str, name: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('.').collect();
    let name: Vec<&str> = name.split('.').collect();
    let (mut p, mut n) = (0, 0);
    // Where to go on if the last `**` has to take one more segment.
    let mut retry = None;
    loop {
        match pattern.get(p) {
            Some(&"**") => {
                p += 1;
                retry = Some((p, n));
                continue;
            }
            Some(segment) if name.get(n).is_some_and(|s| matches_segment(segment, s)) => {
                p += 1;
                n += 1;
                continue;
            }
            None if n == name.len() => return true,
            _ => {}
        }
        match retry {
            Some((at, taken)) if taken < name.len() => {
                retry = Some((at, taken + 1));
                p = at;
                n = taken + 1;
            }
            _ => return false,
        }
    }
}

/// `*` within a segment is any text. What a language calls by itself (`then` when something is awaited, `__enter__` …)
/// has to be named: "every method" means those that a program calls.
fn matches_segment(pattern: &str, segment: &str) -> bool {
    if pattern == "*" && (segment == "then" || (segment.starts_with("__") && segment.ends_with("__"))) {
        return false;
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = segment.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches_pattern as fits;

    #[test]
    fn patterns() {
        assert!(fits("messages.*", "messages.create"));
        assert!(!fits("messages.*", "messages.batches.create"));
        assert!(fits("messages.**", "messages.batches.create"));
        assert!(fits("**.create", "a.b.c.create"));
        assert!(fits("**.create", "create"));
        assert!(!fits("**.create", "a.create.b"));
        assert!(fits("a.**.z", "a.z"));
        assert!(fits("a.**.b.**.z", "a.b.x.b.z"));
        assert!(fits("list_*", "list_queues"));
        assert!(!fits("list_*", "get_queue"));
        assert!(fits("@aws-sdk/client-*:*Client", "@aws-sdk/client-s3:S3Client"));
        assert!(!fits("@aws-sdk/client-*:*Client", "@aws-sdk/client-s3:S3"));
        assert!(fits("*.with_raw_response.*", "messages.with_raw_response.create"));
        assert!(fits("**", "x"));
    }
}
