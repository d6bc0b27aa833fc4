//! The command line's contract, through the real binary: options, configuration, streams, exit status.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod support;

use support::Tree;

fn small() -> Tree {
    Tree::new(&[("a.py", "x = 1\n")])
}

#[test]
fn check_is_the_default_command() {
    let tree = small();
    let named = tree.run(&["check", "--format", "json", "."]).status(0);
    for args in [
        &["--format", "json", "."][..],
        &["--format=json"],
        &["--quiet", "--format", "json", "."],
        &["--color", "never", "check", "--format", "json"],
    ] {
        assert_eq!(tree.run(args).status(0).out, named.out, "{args:?}");
    }
    tree.run(&[]).status(0);
}

#[test]
fn every_option_is_accepted() {
    let tree = small();
    tree.write("conf.toml", b"budget = 3\n");
    let options = "--output out.txt --select all --ignore SQ001 --pedantic --fail-on error --min-confidence low --budget 5 \
                   --config conf.toml --exhaustive --no-cache --jobs 2 --statistics --timings --quiet --color always --allow-empty";
    let args: Vec<&str> = ["check"].into_iter().chain(options.split_whitespace()).collect();
    let run = tree.run(&args).status(0);
    assert!(run.out.is_empty() && run.err.is_empty(), "{}{}", run.out, run.err);
    assert!(tree.root.join("out.txt").is_file());
    for format in ["human", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"] {
        tree.run(&["check", "--format", format]).status(0);
    }
}

#[test]
fn what_is_not_built_says_so() {
    let tree = small();
    let lines = [
        "report .",
        "graph .",
        "graph --calls --format dot .",
        "check --since HEAD",
        "check --baseline b.json",
        "check --write-baseline",
    ];
    for line in lines {
        let run = tree.run(&line.split(' ').collect::<Vec<_>>()).status(2);
        assert!(run.err.contains("not built yet") && run.out.is_empty(), "{line}: {}", run.err);
    }
}

#[test]
fn wrong_usage() {
    let tree = small();
    for line in [
        "check --nonsense",
        "check --format yaml",
        "check --budget 0",
        "check --jobs many",
        "check --config a --no-config",
        "explain",
        "trace",
    ] {
        let run = tree.run(&line.split(' ').collect::<Vec<_>>()).status(2);
        assert!(run.out.is_empty() && run.err.starts_with("error:"), "{line}: {}", run.err);
    }
    let run = tree.run(&["check", "--select", "unused-ignor"]).status(2);
    assert_eq!(run.err, "error: --select: no check is called `unused-ignor`\n  help: did you mean `unused-ignore`?\n");
    let run = tree.run(&["explain", "unused-ignor"]).status(2);
    assert!(run.err.contains("did you mean `unused-ignore`?"), "{}", run.err);
    let run = tree.run(&["check", "--output", "no/such/folder.txt"]).status(2);
    assert!(run.err.starts_with("error: cannot write: no/such/folder.txt: "), "{}", run.err);
}

#[test]
fn help_and_version_succeed() {
    let tree = small();
    assert_eq!(tree.run(&["--version"]).status(0).out, format!("squall {}\n", env!("CARGO_PKG_VERSION")));
    assert!(tree.run(&["--help"]).status(0).out.contains("Exit status"));
    for option in ["--budget", "--min-confidence", "--fail-on", "--no-config", "--baseline"] {
        assert!(tree.run(&["check", "--help"]).status(0).out.contains(option), "{option}");
    }
}

#[test]
fn lists_and_scripts() {
    let tree = small();
    assert!(tree.run(&["rules"]).status(0).out.contains("SQ001  unused-ignore"));
    for name in ["unused-ignore", "SQ001"] {
        assert!(tree.run(&["explain", name]).status(0).out.contains("silences nothing"));
    }
    assert!(tree.run(&["libraries"]).status(0).out.contains("tenacity"));
    assert!(tree.run(&["explain", "tenacity"]).status(0).out.contains("A bare @retry has no stop"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(tree.run(&["completions", shell]).status(0).out.contains("min-confidence"), "{shell}");
    }
}

#[test]
fn unresolved_calls_say_why() {
    let text =
        "def run(step, jobs):\n    step()\n    jobs[0]()\n    jobs.start()\n    known()\n\n\ndef known():\n    pass\n";
    let tree = Tree::new(&[("a.py", text)]);
    let graph = tree.run(&["graph", "--calls", "--format", "json", "."]).status(0).json();
    let said: Vec<(u64, &str)> = graph["unresolved"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| (call["line"].as_u64().unwrap(), call["reason"].as_str().unwrap()))
        .collect();
    let wanted = [
        (2, "the callee is a parameter that is given nothing known"),
        (3, "the callee is an element of an unknown container"),
        (4, "the callee is a member of something unknown"),
    ];
    assert_eq!(said, wanted);
    let counted = tree.run(&["check", "--statistics", "."]).status(0).err;
    for (_, why) in wanted {
        assert!(counted.contains(&format!("1  unresolved calls: {why}")), "{counted}");
    }
}

#[test]
fn what_is_not_followed_to_the_end_is_said() {
    let mut text = "import requests\n".to_string();
    for i in 0..300 {
        let (next, far) = ((i + 1) % 300, (i * 7 + 3) % 300);
        text += &format!(
            "def f{i}():\n    for _ in range(2):\n        try:\n            return requests.get('u')\n        \
             except Exception:\n            f{next}()\n            f{far}()\n"
        );
    }
    let tree = Tree::new(&[("a.py", &text)]);
    let run = tree.run(&["check", "--format", "json", "."]).status(1);
    let cut = run.json()["cut"].as_array().unwrap().len();
    assert!(cut > 0 && run.err.contains("not followed to the end: "), "{}", run.err);
    let whole = small().run(&["check", "--format", "json", "."]).status(0);
    assert!(whole.json().get("cut").is_none() && !whole.err.contains("not followed"));
}

#[test]
fn the_call_graph_is_json() {
    let graph = small().run(&["graph", "--calls", "--format", "json", "."]).status(0).json();
    assert!(graph["functions"].is_array() && graph["calls"].is_array());
}

#[test]
fn init_writes_a_configuration_that_works() {
    let tree = small();
    assert!(tree.run(&["init"]).status(0).out.contains("pre-commit"));
    tree.run(&["check"]).status(0);
    let file = tree.root.join("squall.toml");
    // Every commented key is one that squall knows, with a value of the right form.
    let text = std::fs::read_to_string(&file).unwrap();
    let keys =
        text.lines().map(|l| l.strip_prefix("# ").filter(|l| l.contains(" = ") || l.starts_with("[[")).unwrap_or(""));
    std::fs::write(&file, keys.collect::<Vec<_>>().join("\n")).unwrap();
    tree.run(&["check"]).status(0);
    assert!(tree.run(&["init"]).status(2).err.contains("is there already"));
}

#[test]
fn findings_go_out_and_the_rest_to_standard_error() {
    let tree = small();
    let run = tree.run(&["check"]).status(0);
    assert_eq!(run.out, "");
    assert!(run.err.contains("1 file, ") && run.err.ends_with("no findings\n"), "{}", run.err);
    assert_eq!(tree.run(&["check", "-q"]).status(0).err, "");
    assert!(tree.run(&["check", "--timings"]).status(0).err.contains("discover"));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command, Stdio};
    let tree = small();
    let mut child = Command::new(env!("CARGO_BIN_EXE_squall"))
        .args(["completions", "bash"])
        .current_dir(&tree.root)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    assert_eq!(done.status.code(), Some(0));
}
