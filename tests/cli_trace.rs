//! `squall trace FILE:LINE`, through the real binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use support::Tree;

const JOBS: &str = "\
from rq import Queue, Retry
from worker import score

queue = Queue('reports')


def enqueue(text):
    queue.enqueue(score, text, retry=Retry(max=2))
";

const WORKER: &str = "\
import anthropic
from tenacity import retry, stop_after_attempt

client = anthropic.Anthropic()


def score(text):
    return ask(text)


@retry(stop=stop_after_attempt(4))
def ask(text):
    return client.messages.create(model='m', max_tokens=9, messages=[{'role': 'user', 'content': text}])


def unrelated():
    return 1
";

fn tree() -> Tree {
    Tree::new(&[("jobs.py", JOBS), ("worker.py", WORKER)])
}

fn trace(tree: &Tree, place: &str) -> serde_json::Value {
    tree.run(&["trace", place, "--format", "json"]).status(0).json()
}

/// Layers above and below a line, and how often it is executed.
fn around(json: &serde_json::Value) -> (u64, u64, u64) {
    let chain = &json["chains"][0];
    let number = |name: &str| chain[name].as_u64().unwrap_or(0);
    (number("above"), number("below"), number("executions"))
}

#[test]
fn each_line_of_a_chain_knows_what_is_around_it() {
    let tree = tree();
    // The call, the decorator, the call of the decorated function, the enqueue.
    assert_eq!(around(&trace(&tree, "worker.py:13")), (2, 1, 12));
    assert_eq!(around(&trace(&tree, "worker.py:11")), (1, 2, 3));
    assert_eq!(around(&trace(&tree, "worker.py:8")), (1, 2, 3));
    assert_eq!(around(&trace(&tree, "jobs.py:8")), (0, 3, 1));
    let json = trace(&tree, "worker.py:13");
    assert_eq!(json["chains"][0]["chain"]["attempts"]["worst"], 36);
    assert_eq!(json["chains"][0]["here"][0]["is"], "call");
    assert_eq!((&json["file"], &json["line"]), (&"worker.py".into(), &13.into()));
}

#[test]
fn people_read_the_ladder_and_the_path() {
    let run = tree().run(&["trace", "worker.py:13:3"]).status(0);
    for part in [
        "worker.py:13",
        "up to 36 requests, 3 x 4 x 3",
        "= layers, outermost first:",
        "= path:",
        "jobs.py:8",
        "2 above, 1 below; executed",
    ] {
        assert!(run.out.contains(part), "{part} is not in\n{}", run.out);
    }
}

#[test]
fn a_line_without_chain_names_those_that_have_one() {
    let tree = tree();
    let run = tree.run(&["trace", "worker.py:16"]).status(0);
    assert!(run.out.contains("No chain of retried calls passes through this line"), "{}", run.out);
    assert!(run.out.contains("13"), "{}", run.out);
    assert_eq!(trace(&tree, "worker.py:16")["chains"].as_array().unwrap().len(), 0);
}

#[test]
fn what_is_no_place_is_refused() {
    let tree = tree();
    tree.write("notes.txt", b"a\n");
    for (place, word) in [
        ("worker.py", "FILE:LINE"),
        ("worker.py:0", "FILE:LINE"),
        ("worker.py:99", "the file has 17 lines"),
        ("missing.py:1", "missing.py"),
        ("notes.txt:1", "not analysed"),
        (".:1", "a folder has no lines"),
    ] {
        let run = tree.run(&["trace", place]).status(2);
        assert!(run.err.contains(word) && run.out.is_empty(), "{place}: {}", run.err);
    }
}
