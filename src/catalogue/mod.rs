//! What squall knows about libraries: data files under `rules/`, no code.
//!
//! The files are part of the binary. Only those whose import roots are asked for are read.

mod allowed;
mod book;
mod check;
pub mod figures;
mod formula;
mod formulas;
mod lex;
mod like;
mod named;
mod parse;
pub mod schema;
mod shelf;
#[cfg(test)]
mod tests;
mod user;
mod words;

pub use allowed::FAILURES;
pub use formula::{Formula, Operator};
pub use parse::parse_formula;

use crate::ir::Language;
use book::Book;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use schema::{Callable, Class, Constant, Function, Handler, Library, Method};
use shelf::{Shelf, language_of};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::OnceLock;

/// The files under `rules/`: name and text.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// Stands between a family's name and the path of an unlisted client.
pub const FAMILY: char = '~';

/// A class, where it stands in its file, and the file.
type Located<'a> = (&'a Book, usize, &'a Class);

/// Operator to property to how two values of it become one (`min`, `max`, `sum`, `any`, `all`).
pub type Operators = BTreeMap<String, BTreeMap<String, String>>;

/// One file of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Described<'c> {
    /// The language whose code uses the library.
    pub language: Language,
    /// The file's name.
    pub source: &'c str,
    /// What it says.
    pub file: &'c schema::LibraryFile,
}

/// What is known about libraries.
#[derive(Debug)]
pub struct Catalogue {
    /// Users' files first: their entries come before ours.
    shelves: Vec<Shelf>,
    /// The language of each.
    languages: Vec<Language>,
    /// Import root to files, in the order of `shelves`.
    roots: FxHashMap<Language, FxHashMap<String, Vec<usize>>>,
    /// Roots that end in `*` (`aws_sdk_*`), without it.
    wild: Vec<(Language, String, usize)>,
    /// What libraries add to the types of Rust, by the method of the language that does the same.
    same: OnceLock<FxHashMap<String, String>>,
}

impl Default for Catalogue {
    fn default() -> Self {
        Catalogue::embedded()
    }
}

impl Catalogue {
    /// Our own catalogue.
    pub fn embedded() -> Self {
        Catalogue::from_shelves(Vec::new())
    }

    /// Our own catalogue behind these files.
    fn from_shelves(mut shelves: Vec<(Language, Shelf)>) -> Self {
        for (name, text) in FILES {
            let language = match name.split('/').nth(1) {
                Some("python") => Language::Python,
                Some("javascript") => Language::JavaScript,
                _ => Language::Rust,
            };
            shelves.push((language, Shelf::new((*name).to_string(), Cow::Borrowed(text))));
        }
        let mut roots: FxHashMap<Language, FxHashMap<String, Vec<usize>>> = FxHashMap::default();
        let mut wild = Vec::new();
        for (i, (language, shelf)) in shelves.iter().enumerate() {
            for root in shelf.imports() {
                if let Some(start) = root.strip_suffix('*') {
                    wild.push((*language, start.to_string(), i));
                    continue;
                }
                let of_language = roots.entry(*language).or_default();
                of_language.entry(root.to_string()).or_default().push(i);
            }
        }
        let (languages, shelves) = shelves.into_iter().unzip();
        Catalogue { shelves, languages, roots, wild, same: OnceLock::new() }
    }

    /// Whether a module, package or crate of any language is described (`google.api_core.retry`, `openai/resources`).
    pub fn is_known_root(&self, module: &str) -> bool {
        [Language::Python, Language::JavaScript, Language::Rust]
            .into_iter()
            .any(|language| self.knows(language, module))
    }

    /// Whether a module, package or crate of this language is described.
    pub fn knows(&self, language: Language, module: &str) -> bool {
        self.files(language, module).next().is_some()
    }

    /// All import roots of a language, sorted; for those that end in a star, what stands before it.
    pub fn roots(&self, language: Language) -> Vec<&str> {
        let of_language = self.roots.get(&language).into_iter().flat_map(|roots| roots.keys());
        let wild = self.wild.iter().filter(|w| w.0 == language).map(|w| &w.1);
        let mut roots: Vec<&str> = of_language.chain(wild).map(String::as_str).collect();
        roots.sort_unstable();
        roots
    }

    /// Families of clients that are made alike, each with what begins its paths (`stainless~`): an unlisted client's
    /// path behind it is that client as the family makes them.
    pub fn families(&self, language: Language) -> impl Iterator<Item = (&str, &Library)> {
        let of_language = self.wild.iter().filter(move |w| w.0 == language && w.1.ends_with(FAMILY));
        of_language.filter_map(|w| Some((w.1.as_str(), &self.shelves.get(w.2)?.book()?.file.library)))
    }

    /// Functions that a platform runs, each entry of the catalogue with how they look.
    pub fn handlers(&self, language: Language) -> impl Iterator<Item = (&Library, &Callable, &Handler)> {
        // Nothing of the program names them, so their files are those that every program reads.
        let root = match language {
            Language::Python => "builtins",
            Language::JavaScript => "globals",
            Language::Rust => "std",
        };
        let books = self.files(language, root).filter_map(|i| self.shelves.get(i)?.book());
        books.flat_map(|book| {
            let shaped = book.file.functions.iter().filter_map(|f| Some((&f.callable, f.callable.shape.as_ref()?)));
            shaped.map(|(callable, shape)| (&book.file.library, callable, shape))
        })
    }

    /// The function with this path.
    pub fn function(&self, path: &str) -> Option<(&Library, &Function)> {
        self.books(path).find_map(|book| Some((&book.file.library, book.function(path)?)))
    }

    /// The class with this path.
    pub fn class(&self, path: &str) -> Option<(&Library, &Class)> {
        self.books(path).find_map(|book| Some((&book.file.library, book.class(path)?.1)))
    }

    /// The ready-made object or constant with this path.
    pub fn value(&self, path: &str) -> Option<(&Library, &Constant)> {
        self.books(path).find_map(|book| Some((&book.file.library, book.value(path)?)))
    }

    /// Whether there is an entry with this path.
    pub fn describes(&self, path: &str) -> bool {
        self.function(path).is_some() || self.class(path).is_some() || self.value(path).is_some()
    }

    /// The method that a name or dotted path (`messages.create`) means on an object of the class: its own first, then
    /// those of its bases from left to right.
    pub fn method(&self, class: &str, name: &str) -> Option<(&Library, &Class, &Method)> {
        self.line(class).find_map(|(book, index, class)| {
            let method = book.method(index, name)?;
            Some((&book.file.library, class, method))
        })
    }

    /// Whether a class is the other one or derives from it. Names may be any of a class's paths.
    pub fn is_subclass(&self, class: &str, base: &str) -> bool {
        if class == base {
            return true;
        }
        let wanted = self.name(base);
        self.line(class).any(|(_, _, class)| class.path.first().is_some_and(|name| name == wanted))
    }

    /// The error class below a base, in the file that describes the base, that stands for a status.
    pub fn class_for_status(&self, base: &str, status: u16) -> Option<&str> {
        let (book, _, _) = self.locate(base)?;
        let names = book.file.classes.iter().filter(|class| class.statuses.contains(&status));
        names.filter_map(|class| class.path.first()).map(String::as_str).find(|name| self.is_subclass(name, base))
    }

    /// The first of a class's paths, by which it is known; the path itself if there is no such class.
    pub fn name<'a>(&'a self, path: &'a str) -> &'a str {
        let class = self.class(path).and_then(|c| c.1.path.first());
        class.map_or(path, String::as_str)
    }

    /// A class and all it derives from, nearest first.
    pub fn bases<'s>(&'s self, class: &str) -> impl Iterator<Item = (&'s Library, &'s Class)> + use<'s> {
        self.line(class).map(|(book, _, class)| (&book.file.library, class))
    }

    /// What `+`, `|` and `&` do to the properties of a library's values.
    pub fn operators<'s, 'p>(&'s self, path: &'p str) -> impl Iterator<Item = &'s Operators> + use<'s, 'p> {
        self.books(path).map(|book| &book.file.operators)
    }

    /// The library of this name, if the code base mentions it (its file was read already).
    pub fn library(&self, language: Language, name: &str) -> Option<&Library> {
        let shelves = self.shelves.iter().zip(&self.languages).filter(|(_, l)| **l == language);
        shelves.filter_map(|(shelf, _)| shelf.opened()).map(|book| &book.file.library).find(|l| l.name == name)
    }

    /// Every file, sorted by the library's name. Reads all.
    pub fn files_of_all(&self) -> Vec<Described<'_>> {
        self.read_all();
        let all = self.shelves.iter().zip(&self.languages).filter_map(|(shelf, language)| {
            Some(Described { language: *language, source: &shelf.name, file: &shelf.book()?.file })
        });
        let mut all: Vec<Described> = all.collect();
        let key = |d: &Described| (d.file.library.name.to_lowercase(), d.language as u8);
        all.sort_by_key(key);
        all
    }

    /// All libraries, sorted by name. Reads every file.
    pub fn libraries(&self) -> Vec<&Library> {
        self.read_all();
        let books = self.shelves.iter().filter_map(Shelf::book);
        let mut libraries: Vec<&Library> = books.map(|book| &book.file.library).collect();
        libraries.sort_by(|a, b| (&a.name, &a.package).cmp(&(&b.name, &b.package)));
        libraries
    }

    /// What is wrong with the catalogue's own files: nothing, as a test makes sure. Reads every file.
    pub fn problems(&self) -> Vec<String> {
        self.read_all();
        let mut problems: Vec<String> = Vec::new();
        for shelf in &self.shelves {
            problems.extend(shelf.problem().map(String::from));
        }
        for shelf in &self.shelves {
            problems.extend(check::check(self, shelf));
        }
        problems
    }

    /// Reads every file, in parallel: what they say does not depend on the order.
    fn read_all(&self) {
        self.shelves.par_iter().for_each(|shelf| {
            shelf.book();
        });
    }

    /// The method or constructor of Rust itself that does what a library's of this name does; else the name.
    pub fn same_as<'n>(&'n self, name: &'n str) -> &'n str {
        let same = self.same.get_or_init(|| {
            let of_rust = self.shelves.iter().zip(&self.languages).filter(|(_, l)| **l == Language::Rust);
            // Few files have any: the others need not be read for it. Users' files come first.
            let with = of_rust.filter(|(shelf, _)| shelf.text.contains("\n[same-as]"));
            let books: Vec<&Book> = with.filter_map(|(shelf, _)| shelf.book()).collect();
            let all = books.into_iter().rev().flat_map(|book| &book.file.same_as);
            all.map(|(name, own)| (name.clone(), own.clone())).collect()
        });
        same.get(name).map_or(name, String::as_str)
    }

    /// The classes of a module whose methods can be called on other values.
    pub fn extensions<'s, 'p>(&'s self, module: &'p str) -> impl Iterator<Item = &'s Class> + use<'s, 'p> {
        self.books(module).flat_map(|book| &book.file.classes).filter(|class| class.extends.is_some())
    }

    /// The books that may describe a path.
    fn books<'s, 'p>(&'s self, path: &'p str) -> impl Iterator<Item = &'s Book> + use<'s, 'p> {
        let module = match language_of(path) {
            Language::JavaScript => path.rsplit_once(':').map_or(path, |p| p.0),
            _ => path,
        };
        self.files(language_of(path), module).filter_map(|i| self.shelves.get(i)?.book())
    }

    /// The files whose import roots are the module or above it; the longest root first.
    fn files<'s, 'p>(&'s self, language: Language, module: &'p str) -> impl Iterator<Item = usize> + use<'s, 'p> {
        let separator = match language {
            Language::Python => ".",
            Language::JavaScript => "/",
            Language::Rust => "::",
        };
        let mut rest = Some(module);
        let prefixes = std::iter::from_fn(move || {
            let prefix = rest?;
            rest = prefix.rfind(separator).map(|i| &prefix[..i]);
            Some(prefix)
        });
        let roots = self.roots.get(&language);
        let exact = prefixes.filter_map(move |prefix| roots?.get(prefix));
        let wild = self.wild.iter().filter(move |w| w.0 == language && module.starts_with(&w.1));
        exact.flatten().copied().chain(wild.map(|w| w.2))
    }

    /// A class and its bases, nearest first, each once.
    fn line<'s>(&'s self, class: &str) -> impl Iterator<Item = Located<'s>> + use<'s> {
        let mut seen: FxHashSet<*const Class> = FxHashSet::default();
        let mut waiting: VecDeque<Located<'s>> = self.locate(class).into_iter().collect();
        std::iter::from_fn(move || {
            while let Some(found) = waiting.pop_front() {
                if seen.insert(std::ptr::from_ref(found.2)) {
                    let bases = found.2.bases.iter();
                    waiting.extend(bases.filter_map(|base| self.locate(base)));
                    return Some(found);
                }
            }
            None
        })
    }

    fn locate(&self, class: &str) -> Option<Located<'_>> {
        self.books(class).find_map(|book| {
            let (index, class) = book.class(class)?;
            Some((book, index, class))
        })
    }
}

/// Whether a name, or a dotted path of names, fits a pattern: `*` is one name or a part of one, `**` any number.
pub fn fits(pattern: &str, name: &str) -> bool {
    book::matches_pattern(pattern, name)
}
