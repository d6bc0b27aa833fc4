//! Call graphs of the programs under `fixtures/callgraph/javascript`, whose true edges were measured by running
//! them (`fixtures/callgraph/measure.mjs`). Every case is held to exactly its edges.

use serde_json::Value;
use squall::{catalogue::Catalogue, discover::Manifest, ir::File, link, lower};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

type Edges = BTreeSet<(String, String)>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/callgraph/javascript")
}

/// The source files and manifests below a folder.
fn read(folder: &Path) -> (Vec<File>, Vec<Manifest>) {
    let (mut files, mut manifests) = (Vec::new(), Vec::new());
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.unwrap();
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path().strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(entry.path()).unwrap();
        match lower::language_of(&path) {
            Some(language) => files.push(lower::lower(&path, language, &text)),
            None if path.ends_with(".json") => manifests.push(Manifest { path, text: text.into() }),
            None => {}
        }
    }
    (files, manifests)
}

/// Calls between functions of the program; that a module runs is no call.
fn found(folder: &Path, catalogue: &Catalogue) -> Edges {
    let (files, manifests) = read(folder);
    let graph = link::link_for_graph(&files, catalogue, &manifests);
    let name = |i: usize| graph.functions[i].id.clone();
    let calls = graph.calls.iter().map(|&(from, to, _, _)| (name(from), name(to)));
    calls.filter(|(_, to)| !to.ends_with("::<module>")).collect()
}

fn expected(case: &Path) -> Edges {
    let spec: Value = serde_json::from_str(&std::fs::read_to_string(case.join("edges.json")).unwrap()).unwrap();
    let list = spec["edges"].as_array().unwrap().iter();
    list.map(|e| (e[0].as_str().unwrap().to_string(), e[1].as_str().unwrap().to_string())).collect()
}

fn cases() -> Vec<(String, PathBuf)> {
    let mut cases = Vec::new();
    for entry in walkdir::WalkDir::new(root()).min_depth(2).max_depth(2).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        if path.join("edges.json").is_file() {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
            cases.push((name, path));
        }
    }
    cases
}

#[test]
fn every_program_has_exactly_its_edges() {
    let catalogue = Catalogue::embedded();
    let cases = cases();
    assert!(cases.len() >= 140, "only {} cases found", cases.len());
    let mut wrong = Vec::new();
    for (name, path) in &cases {
        let (found, expected) = (found(path, &catalogue), expected(path));
        assert!(!expected.is_empty(), "{name} expects nothing");
        wrong.extend(expected.difference(&found).map(|(a, b)| format!("{name}: missing {a} -> {b}")));
        wrong.extend(found.difference(&expected).map(|(a, b)| format!("{name}: false {a} -> {b}")));
    }
    assert!(wrong.is_empty(), "{} edges differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// All cases as one program: folders side by side must not leak into each other.
#[test]
fn cases_side_by_side_stay_apart() {
    let catalogue = Catalogue::embedded();
    let (files, manifests) = read(&root());
    let graph = link::link_for_graph(&files, &catalogue, &manifests);
    let case = |id: &str| id.split('/').take(2).collect::<Vec<_>>().join("/");
    let crossing: Vec<_> = graph
        .calls
        .iter()
        .map(|&(from, to, _, _)| (&graph.functions[from].id, &graph.functions[to].id))
        .filter(|(from, to)| case(from) != case(to))
        .collect();
    assert!(crossing.is_empty(), "{crossing:?}");
}
