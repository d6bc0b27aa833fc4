//! What the types of a catalogue file cannot say: that names mean something and paths stand once.

use super::book::Book;
use super::schema::{Callable, Layer, Outbound};
use super::shelf::Shelf;
use super::{Catalogue, FAMILY, Formula, words};
use rustc_hash::FxHashSet;

/// Problems of a file that can be read, each as `file:line:column: reason`.
pub(super) fn check(catalogue: &Catalogue, shelf: &Shelf) -> Vec<String> {
    let Some(book) = shelf.book() else {
        return Vec::new();
    };
    let mut checker = Checker { catalogue, shelf, at: 0, problems: Vec::new() };
    checker.library(book);
    let mut seen = FxHashSet::default();
    for path in paths(book) {
        if !seen.insert(path) {
            checker.at = shelf.text.rfind(&format!("\"{path}\"")).unwrap_or(0);
            checker.problem("", &format!("`{path}` is described twice"));
        }
    }
    for function in &book.file.functions {
        checker.go_to(function.path.first());
        checker.callable(&function.callable);
    }
    for value in &book.file.values {
        checker.go_to(value.path.first());
        value.class.iter().for_each(|c| checker.class(c));
        let formulas = value.props.values().chain(&value.value).chain(&value.predicate);
        formulas.for_each(|f| checker.formula(f, &[]));
    }
    for class in &book.file.classes {
        checker.go_to(class.path.first());
        class.bases.iter().for_each(|base| checker.class(base));
        class.fields.values().for_each(|c| checker.class(c));
        checker.callable(&class.new);
        let mut methods = FxHashSet::default();
        for method in &class.methods {
            checker.go_to_next(method.name.first());
            for name in &method.name {
                if !methods.insert(name) {
                    checker.problem(name, &format!("method `{name}` is described twice"));
                }
            }
            checker.callable(&method.callable);
        }
    }
    checker.problems
}

/// All paths that a file describes.
pub(super) fn paths(book: &Book) -> impl Iterator<Item = &str> {
    let functions = book.file.functions.iter().flat_map(|f| &f.path);
    let classes = book.file.classes.iter().flat_map(|c| &c.path);
    let values = book.file.values.iter().flat_map(|v| &v.path);
    functions.chain(classes).chain(values).map(String::as_str)
}

struct Checker<'a> {
    catalogue: &'a Catalogue,
    shelf: &'a Shelf,
    /// Where the entry that is being looked at begins: problems are looked for from there on.
    at: usize,
    problems: Vec<String>,
}

impl Checker<'_> {
    /// Notes a problem at the next place that mentions the text.
    fn problem(&mut self, text: &str, reason: &str) {
        let rest = self.shelf.text.get(self.at..).unwrap_or_default();
        // What an entry takes over with `like` stands before it.
        let after = place_of(rest, text).map(|i| self.at + i);
        let place = after.or_else(|| place_of(&self.shelf.text, text)).unwrap_or(self.at);
        self.problems.push(self.shelf.problem_at(place, reason));
    }

    /// Goes to the table of the entry with this first path.
    fn go_to(&mut self, path: Option<&String>) {
        self.at = 0;
        self.go_to_next(path);
    }

    fn go_to_next(&mut self, name: Option<&String>) {
        let quoted = format!("\"{}\"", name.map_or("", String::as_str));
        let rest = self.shelf.text.get(self.at..).unwrap_or_default();
        let lists = rest.match_indices(&quoted).map(|m| m.0);
        // The list that names the entry, not a mention of it elsewhere.
        let own = lists.clone().find(|i| {
            let line = rest[..*i].rsplit('\n').next().unwrap_or_default();
            line.starts_with("path = [") || line.starts_with("name = [")
        });
        self.at += own.or_else(|| lists.clone().next()).unwrap_or(0);
    }

    fn library(&mut self, book: &Book) {
        let library = &book.file.library;
        if library.imports.is_empty() {
            self.problem("imports", "`imports` is empty: nothing would ever ask for this file");
        }
        let of_family = library.imports.iter().any(|root| root.ends_with(&format!("{FAMILY}*")));
        if of_family == library.shapes.is_empty() {
            let reason = "a family has the import root `family~*` and says by `[[library.shape]]` how it is recognised";
            self.problem("imports", reason);
        }
        if self.shelf.imports() != library.imports {
            let reason = "`imports = [` must begin a line of its own, in the first table";
            self.problem("imports", reason);
        }
    }

    fn class(&mut self, name: &str) {
        let bare = name.strip_prefix("argument ").unwrap_or(name);
        if name == "self" || bare != name {
            return;
        }
        let known = self.catalogue.class(name).is_some()
            || self.catalogue.function(name).is_some()
            || self.catalogue.value(name).is_some();
        if !known {
            let own = self.shelf.book().is_some_and(|book| paths(book).any(|path| path == name));
            let reason = match own {
                true => {
                    format!("no import root leads to `{name}`: `imports` of this file names none that it begins with")
                }
                false => format!("there is no class `{name}`"),
            };
            self.problem(name, &reason);
        }
    }

    fn callable(&mut self, callable: &Callable) {
        let mut names: Vec<&str> = callable.params.iter().map(|p| p.trim_start_matches('*')).collect();
        names.extend(callable.locals.keys().map(String::as_str));
        names.extend(callable.named.iter().map(String::as_str));
        names.extend(callable.defaults.keys().map(String::as_str));
        let classes = [&callable.returns, &callable.raises, &callable.raises_for_status];
        classes.into_iter().flatten().for_each(|c| self.class(c));
        callable.may_raise.iter().for_each(|c| self.class(c));
        callable.own_formulas().for_each(|f| self.formula(f, &names));
        let outbounds = callable.outbound.iter().chain(&callable.transport);
        outbounds.for_each(|o| self.outbound(o, &names));
        callable.layer.iter().for_each(|l| self.layer(l, &names));
        callable.entry_layer.iter().for_each(|l| self.layer(l, &names));
        callable.returns_also.iter().for_each(|c| self.class(c));
        let arguments = [&callable.derives_from, &callable.records_on, &callable.options];
        for name in arguments.into_iter().flatten() {
            self.argument(name, &names);
        }
        for call in &callable.calls {
            let head = call.callable.split(['.', '[']).next().unwrap_or_default();
            call.gives.iter().for_each(|c| self.class(c));
            if !matches!(head, "self" | "result" | "declared") {
                self.argument(head, &names);
            }
            for name in &call.with {
                let head = name.trim_start_matches('*').split(['.', '[']).next();
                self.argument(head.unwrap_or_default(), &names);
            }
        }
    }

    fn argument(&mut self, name: &str, names: &[&str]) {
        if name != "self" && !names.contains(&name) {
            self.problem(name, &format!("there is no parameter `{name}`"));
        }
    }

    fn outbound(&mut self, outbound: &Outbound, names: &[&str]) {
        if outbound.kind.is_empty() {
            self.problem("outbound", "`kind` is missing, or `like` names no `[outbounds.…]`");
        }
        let classes = outbound.raises.values().chain(&outbound.answers).chain(&outbound.exhausted);
        classes.for_each(|c| self.class(c));
        outbound.formulas().for_each(|f| self.formula(f, names));
        // Layers below are written by hand, a few deep; the reader's own guard bounds them.
        outbound.below.iter().for_each(|o| self.outbound(o, names));
    }

    fn layer(&mut self, layer: &Layer, names: &[&str]) {
        if layer.kind.is_empty() || layer.attempts == Formula::Null {
            self.problem("layer", "`kind` or `attempts` is missing, or `like` names no `[layers.…]`");
        }
        layer.formulas().for_each(|f| self.formula(f, names));
    }

    /// Names that mean nothing, classes that are not there. Formulas nest no deeper than their parser lets them.
    fn formula(&mut self, formula: &Formula, names: &[&str]) {
        match formula {
            Formula::Name(name) => {
                if !names.contains(&name.as_str()) && !words::NAMES.contains(&name.as_str()) {
                    self.problem(name, &format!("`{name}` in a formula is no parameter of this entry"));
                }
            }
            Formula::Field(of, _) => self.formula(of, names),
            Formula::Index(of, index) => {
                self.formula(of, names);
                self.formula(index, names);
            }
            Formula::Call(function, arguments) => {
                if matches!(
                    function.as_str(),
                    "around" | "error_by_status" | "instance" | "is" | "object" | "raise" | "until"
                ) {
                    arguments.iter().for_each(|a| self.class_text(a));
                }
                arguments.iter().for_each(|a| self.formula(a, names));
            }
            Formula::Binary(_, a, b) => {
                self.formula(a, names);
                self.formula(b, names);
            }
            Formula::Not(a) | Formula::Neg(a) => self.formula(a, names),
            Formula::List(items) => items.iter().for_each(|a| self.formula(a, names)),
            Formula::Number(_) | Formula::Text(_) | Formula::Bool(_) | Formula::Null => {}
        }
    }

    fn class_text(&mut self, formula: &Formula) {
        match formula {
            Formula::Text(name) => self.class(name),
            Formula::List(items) => items.iter().for_each(|item| self.class_text(item)),
            Formula::Call(_, items) => items.iter().for_each(|item| self.class_text(item)),
            _ => {}
        }
    }
}

/// Where a text stands as a whole word.
fn place_of(text: &str, word: &str) -> Option<usize> {
    if word.is_empty() {
        return None;
    }
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|m| m.0).find(|i| {
        let before = text[..*i].chars().next_back();
        let after = text[i + word.len()..].chars().next();
        !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
    })
}
