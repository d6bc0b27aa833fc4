//! The catalogue as shipped, its index, and what is said about wrong files.

use super::{Catalogue, FILES};
use crate::ir::Language;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[test]
fn shipped_files_are_right() {
    let problems = Catalogue::embedded().problems();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_file_is_about_one_library_of_one_version() {
    let catalogue = Catalogue::embedded();
    let mut wrong = Vec::new();
    for book in catalogue.shelves.iter().filter_map(|shelf| shelf.book().map(|book| (shelf, book))) {
        let (shelf, library) = (book.0, &book.1.file.library);
        let plain = library.version.is_empty()
            || (library.version.starts_with(|c: char| c.is_ascii_digit()) && !library.version.contains([' ', ',']));
        if library.name.contains(',') || !plain {
            wrong.push(format!("{}: {} {}", shelf.name, library.name, library.version));
        }
    }
    // Its name stands in reports, and its version is compared with the tree's.
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_path_stands_in_two_files() {
    let catalogue = Catalogue::embedded();
    let mut taken = std::collections::HashMap::new();
    for shelf in &catalogue.shelves {
        let Some(book) = shelf.book() else { continue };
        for path in super::check::paths(book) {
            if let Some(other) = taken.insert((shelf.name.split('/').nth(1), path), &shelf.name) {
                panic!("`{path}` is described in {other} and {}", shelf.name);
            }
        }
    }
}

#[test]
fn every_path_is_found_by_its_file_s_imports() {
    let catalogue = Catalogue::embedded();
    let mut lost = Vec::new();
    for shelf in &catalogue.shelves {
        let Some(book) = shelf.book() else { continue };
        for path in super::check::paths(book) {
            let found = catalogue.class(path).is_some()
                || catalogue.function(path).is_some()
                || catalogue.value(path).is_some();
            if !found && !path.contains('*') {
                lost.push(format!("{}: no import root leads to `{path}`", shelf.name));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn opening_reads_little() {
    let start = Instant::now();
    let catalogue = Catalogue::embedded();
    let opened = start.elapsed();
    assert!(catalogue.function("tenacity.retry").is_some());
    assert!(catalogue.method("anthropic.Anthropic", "messages.create").is_some());
    // Unoptimised, on a busy machine: the limit in the release build is a tenth of this.
    assert!(opened < Duration::from_millis(50), "{opened:?} for {} files", FILES.len());
}

#[test]
fn index() {
    let catalogue = Catalogue::embedded();
    assert!(catalogue.is_known_root("tenacity"));
    assert!(catalogue.is_known_root("google.api_core.retry"));
    assert!(!catalogue.is_known_root("google.nowhere"));
    assert!(catalogue.knows(Language::Python, "requests"));
    assert!(!catalogue.knows(Language::Rust, "requests"));
    let method = |class: &str, name: &str| {
        let found = catalogue.method(class, name);
        found.map(|f| (f.1.path[0].clone(), f.2.name[0].clone()))
    };
    let (class, name) = method("openai.AsyncOpenAI", "chat.completions.create").unwrap();
    assert_eq!((class.as_str(), name.as_str()), ("openai.OpenAI", "chat.completions.create"));
    assert!(method("openai.OpenAI", "close").is_none());
    let (class, _) = method("langchain_openai.ChatOpenAI", "with_retry").unwrap();
    assert_eq!(class, "langchain_core.runnables.Runnable");
    assert!(catalogue.libraries().is_sorted_by_key(|l| &l.name));
}

#[test]
fn error_classes() {
    let catalogue = Catalogue::embedded();
    let is = |a: &str, b: &str| catalogue.is_subclass(a, b);
    assert!(is("anthropic.OverloadedError", "anthropic.APIStatusError"));
    assert!(is("anthropic.OverloadedError", "builtins.Exception"));
    assert!(!is("anthropic.OverloadedError", "anthropic.APIConnectionError"));
    assert!(is("requests.exceptions.HTTPError", "requests.RequestException"));
    assert!(is("requests.ConnectionError", "builtins.OSError"));
    assert!(!is("requests.ConnectionError", "builtins.ConnectionError"));
    assert!(is("asyncio.TimeoutError", "builtins.OSError"));
    assert!(is("builtins.ConnectionResetError", "builtins.ConnectionError"));
    assert!(is("unknown.Thing", "unknown.Thing"));
    assert!(!is("unknown.Thing", "builtins.Exception"));
}

/// Writes a user's file and says what is wrong with it.
fn refusal(name: &str, text: &str) -> String {
    let folder = std::env::temp_dir().join(format!("squall-rules-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file: PathBuf = folder.join(format!("{name}.toml"));
    fs::write(&file, text).unwrap();
    let result = Catalogue::with_user_rules(std::slice::from_ref(&file));
    fs::remove_file(&file).unwrap();
    let prefix = file.display().to_string();
    match result {
        Ok(_) => String::new(),
        Err(problem) => problem.replace(&prefix, "FILE"),
    }
}

const HEAD: &str = "[library]\nname = \"x\"\nimports = [\"xlib\"]\narea = \"retry\"\n";

#[test]
fn wrong_files_are_refused_where_they_are_wrong() {
    let cases = [
        ("unknown-key", "[[function]]\npath = [\"xlib.f\"]\ncolour = 1\n", "FILE:7:1: unknown field `colour`"),
        (
            "formula",
            "[[function]]\npath = [\"xlib.f\"]\nparams = [\"a\"]\nsleep = \"a +\"\n",
            "FILE:8:9: column 4: expected a value",
        ),
        (
            "name",
            "[[function]]\npath = [\"xlib.f\"]\nparams = [\"a\"]\nsleep = \"a + bb\"\n",
            "FILE:8:14: `bb` in a formula is no parameter",
        ),
        (
            "class",
            "[[class]]\npath = [\"xlib.E\"]\nbases = [\"builtins.Nope\"]\n",
            "FILE:7:11: there is no class `builtins.Nope`",
        ),
        (
            "word",
            "[[class]]\npath = [\"xlib.C\"]\n[[class.method]]\nname = [\"m\"]\neffect = \"lunch\"\n",
            "FILE:9:10: `lunch` is not one of: mail",
        ),
        (
            "failure",
            "[[class]]\npath = [\"xlib.C\"]\n[[class.method]]\nname = [\"m\"]\noutbound = { kind = \"sdk\", retries = [\"429\"] }\n",
            "FILE:9:38: `429` is not one of: connect",
        ),
        (
            "twice",
            "[[function]]\npath = [\"xlib.f\"]\n[[function]]\npath = [\"xlib.f\"]\n",
            "FILE:8:9: `xlib.f` is described twice",
        ),
        ("no-path", "[[function]]\nparams = [\"a\"]\n", "FILE:5:1: `path` is missing"),
        ("like", "[[function]]\npath = [\"xlib.f\"]\noutbound = { like = \"api\" }\n", "FILE:7:1: `kind` is missing"),
        ("toml", "[[function]\n", "FILE:5:"),
    ];
    for (name, text, expected) in cases {
        let problem = refusal(name, &format!("{HEAD}{text}"));
        assert!(problem.starts_with(expected), "{name}: {problem}");
    }
    assert_eq!(refusal("fine", HEAD), "");
}

#[test]
fn users_files_come_first() {
    let folder = std::env::temp_dir().join(format!("squall-own-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let text = "[library]\nname = \"ours\"\nimports = [\"tenacity\"]\narea = \"retry\"\n\
        [[function]]\npath = [\"tenacity.stop_after_attempt\"]\nparams = [\"n_max\"]\n";
    fs::write(folder.join("own.toml"), text).unwrap();
    let catalogue = Catalogue::with_user_rules(std::slice::from_ref(&folder));
    fs::remove_dir_all(&folder).unwrap();
    let catalogue = catalogue.unwrap();
    let (library, function) = catalogue.function("tenacity.stop_after_attempt").unwrap();
    assert_eq!(library.name, "ours");
    assert_eq!(function.callable.params, ["n_max"]);
    assert_eq!(catalogue.function("tenacity.retry").unwrap().0.name, "tenacity");
}
