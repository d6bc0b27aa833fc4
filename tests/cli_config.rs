//! Configuration files, through the real binary: where they are found, and how they are refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod support;

use support::Tree;

/// What is said about a configuration of this name and text.
#[track_caller]
fn refuse(name: &str, text: &str, wanted: &str) {
    let tree = Tree::new(&[("sub/a.py", ""), (name, text)]);
    let run = tree.run(&["check", "sub"]).status(2);
    let said = run.err.replace(&format!("{}/", tree.root.display()), "");
    assert_eq!(said, format!("error: {wanted}\n"));
    tree.run(&["check", "--no-config", "sub"]).status(0);
}

#[test]
fn unknown_keys_are_refused_with_the_nearest() {
    refuse(
        "squall.toml",
        "budget = 5\nfail_on = \"error\"\n",
        "squall.toml:2:1: unknown key `fail_on`\n  help: did you mean `fail-on`?",
    );
    refuse(
        "pyproject.toml",
        "[tool.squall]\nbudgett = 5\n",
        "pyproject.toml:2:1: unknown key `budgett`\n  help: did you mean `budget`?",
    );
    refuse(
        "package.json",
        "{\n  \"squall\": {\n    \"excludes\": []\n  }\n}",
        "package.json:3:5: unknown key `excludes`\n  help: did you mean `exclude`?",
    );
    refuse(
        "Cargo.toml",
        "[workspace.metadata.squall]\nignores = []\n",
        "Cargo.toml:2:1: unknown key `ignores`\n  help: did you mean `ignore`?",
    );
    refuse(
        "squall.toml",
        "[[layer]]\nat = \"a.py:f\"\nattempt = 3\n",
        "squall.toml:3:1: unknown key `attempt` of a layer\n  help: did you mean `attempts`?",
    );
}

#[test]
fn wrong_values_are_refused_where_they_stand() {
    refuse("squall.toml", "budget = 0", "squall.toml:1:10: `budget` must be 1 or more, not 0");
    refuse("squall.toml", "budget = \"ten\"", "squall.toml:1:10: `budget` must be a whole number, not a string");
    refuse("squall.toml", "window = -1", "squall.toml:1:10: `window` must be more than 0 seconds");
    refuse("squall.toml", "pedantic = 1", "squall.toml:1:12: `pedantic` must be true or false, not a whole number");
    refuse("squall.toml", "select = [\n  1,\n]", "squall.toml:2:3: `select` must be a string, not a whole number");
    refuse(
        "squall.toml",
        "fail-on = \"warn\"",
        "squall.toml:1:11: `fail-on`: unknown value `warn`\n  help: known: error, warning, note, never",
    );
    refuse(
        "squall.toml",
        "exclude = [\"[z-a]\"]",
        "squall.toml:1:12: `exclude`: error parsing glob '[z-a]': invalid range; 'z' > 'a'",
    );
    refuse("squall.toml", "rules = [\"none\"]", "squall.toml:1:10: `rules`: no such file or folder: none");
    refuse(
        "squall.toml",
        "[[layer]]\nat = \"a.py:f\"",
        "squall.toml:1:1: a layer needs `attempts`\n  help: for example: attempts = 3",
    );
    refuse(
        "squall.toml",
        "[[layer]]\nat = \"a.py\"\nattempts = 2",
        "squall.toml:2:6: `at` must be \"path:function\", not \"a.py\"",
    );
    refuse(
        "squall.toml",
        "[[layer]]\nat = \"a.py:f\"\nattempts = 2\nretries = [\"429\"]",
        "squall.toml:4:12: unknown class of failure `429`\n  help: known: connect, disconnect, timeout, rate-limit, overloaded, server, conflict, permanent, answer",
    );
    refuse("package.json", "{\"squall\": 1}", "package.json:1:2: squall's part must be a table, not a whole number");
}

#[test]
fn the_nearest_configuration_counts() {
    let files = [
        ("squall.toml", "nonsense = 1"),
        ("repo/.git/HEAD", ""),
        ("repo/pyproject.toml", "[tool.other]\nx = 1\n"),
        ("repo/package.json", "{broken"),
        ("repo/app/a.py", ""),
        ("repo/lib/squall.toml", "exclude = [\"b.py\", \"gen/\"]"),
        ("repo/lib/b.py", ""),
        ("repo/lib/c.py", ""),
        ("repo/lib/gen/d.py", ""),
    ];
    let tree = Tree::new(&files);
    // The search ends at the repository, and manifests that say nothing about squall are none of its business.
    assert_eq!(tree.run(&["check", "--format", "json", "repo/app"]).status(0).files(), 1);
    assert_eq!(tree.run(&["check", "--format", "json", "repo/lib"]).status(0).files(), 1);
    assert_eq!(tree.run(&["check", "--format", "json", "--no-config", "repo/lib"]).status(0).files(), 3);
    let given = ["check", "--format", "json", "--config", "repo/lib/squall.toml", "repo"];
    assert_eq!(tree.run(&given).status(0).files(), 2);
    assert!(tree.run(&["check", "--config", "none.toml", "repo"]).status(2).err.contains("none.toml: cannot be read"));
    let other = ["check", "--config", "repo/pyproject.toml", "repo"];
    assert!(tree.run(&other).status(2).err.contains("no [tool.squall] in this file"));
    assert!(tree.run(&["check", "."]).status(2).err.contains("unknown key `nonsense`"));
}

#[test]
fn every_form_of_configuration_is_read() {
    for (name, text) in [
        ("squall.toml", "exclude = ['b.py']"),
        ("pyproject.toml", "[tool.squall]\nexclude = ['b.py']"),
        ("package.json", "{\"name\": \"x\", \"squall\": {\"exclude\": [\"b.py\"]}}"),
        ("Cargo.toml", "[package.metadata.squall]\nexclude = ['b.py']"),
        ("Cargo.toml", "[workspace.metadata.squall]\nexclude = ['b.py']"),
    ] {
        let tree = Tree::new(&[("a.py", ""), ("b.py", ""), (name, text)]);
        assert_eq!(tree.run(&["check", "--format", "json"]).status(0).files(), 1, "{name}");
    }
}
