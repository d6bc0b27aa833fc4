//! Call graphs of the programs under `fixtures/callgraph/python`, whose true edges were measured by running them
//! (`fixtures/callgraph/measure.py`). Every case is held to exactly its edges; the few known gaps are listed here one by one, so
//! that a case that gets better fails as well until its gap is taken off the list.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use serde_json::Value;
use squall::{catalogue::Catalogue, ir::File, link, lower};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

type Edges = BTreeSet<(String, String)>;

/// Case, then edges that are missing (`-`) or false (`+`).
const GAPS: &[(&str, &[(char, &str, &str)])] = &[
    ("decorators/class_wrapping_class", &[('-', "main.py::job", "main.py::send")]),
    ("imports/plugin_loader", &[('-', "main.py::run", "plug_a.py::setup"), ('-', "main.py::run", "plug_b.py::setup")]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/callgraph/python")
}

fn lower_folder(folder: &Path) -> Vec<File> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.unwrap();
        let path = entry.path().strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
        if let (true, Some(language)) = (entry.file_type().is_file(), lower::language_of(&path)) {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            files.push(lower::lower(&path, language, &text));
        }
    }
    files
}

/// Calls between functions of the program; that a module runs is no call.
fn found(files: &[File], catalogue: &Catalogue) -> Edges {
    let graph = link::link_for_graph(files, catalogue, &[]);
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
    assert!(cases.len() > 160, "only {} cases found", cases.len());
    let mut wrong = Vec::new();
    for (name, path) in &cases {
        let (found, expected) = (found(&lower_folder(path), &catalogue), expected(path));
        let missing = expected.difference(&found).map(|(a, b)| ('-', a.as_str(), b.as_str()));
        let false_ = found.difference(&expected).map(|(a, b)| ('+', a.as_str(), b.as_str()));
        let differs: BTreeSet<_> = missing.chain(false_).collect();
        let gaps = GAPS.iter().find(|(case, _)| case == name).map_or(&[][..], |(_, gaps)| gaps);
        let gaps: BTreeSet<_> = gaps.iter().copied().collect();
        for (sign, from, to) in differs.difference(&gaps) {
            wrong.push(format!("{name}: {sign} {from} -> {to}"));
        }
        for (sign, from, to) in gaps.difference(&differs) {
            wrong.push(format!("{name}: no longer a gap, take it off the list: {sign} {from} -> {to}"));
        }
    }
    assert!(wrong.is_empty(), "{} edges differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// All cases as one program: folders side by side must not leak into each other.
#[test]
fn cases_side_by_side_stay_apart() {
    let catalogue = Catalogue::embedded();
    let graph = link::link_for_graph(&lower_folder(&root()), &catalogue, &[]);
    let case = |id: &str| id.split('/').take(2).collect::<Vec<_>>().join("/");
    let crossing: Vec<_> = graph
        .calls
        .iter()
        .map(|&(from, to, _, _)| (&graph.functions[from].id, &graph.functions[to].id))
        // A protocol is fulfilled by whatever class fits, wherever it stands.
        .filter(|(from, to)| case(from) != case(to) && case(from) != "annotations/protocol_two")
        .collect();
    assert!(crossing.is_empty(), "{crossing:?}");
}
