//! Programs that squall once got wrong, with what happens when every request fails to reach the server.

use super::compare;

/// Requests for one failing call; none: no end.
fn requests(body: &str) -> Option<u64> {
    let text = format!("import time\nimport requests\nURL = 'http://localhost/things'\n\n{body}");
    match &compare::said(&[text])[0] {
        Ok(counts) => counts[0],
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn a_recursion_that_ends_after_one_more_call() {
    let body = "def work(left=1):\n    try:\n        requests.get(URL)\n    except Exception:\n        if left == 0:\n            return\n        work(left - 1)\n";
    assert_eq!(requests(body), Some(2));
}

#[test]
fn a_counter_that_runs_away_from_its_test() {
    let body = "def work():\n    n = 0\n    while True:\n        n += 1\n        try:\n            return requests.get(URL)\n        except Exception:\n            if n < 0:\n                raise\n";
    assert_eq!(requests(body), None);
}

#[test]
fn a_counter_that_meets_its_test_late() {
    let body = "def work():\n    n = 0\n    while True:\n        n += 1\n        try:\n            return requests.get(URL)\n        except Exception:\n            if n == 150:\n                raise\n";
    assert_eq!(requests(body), Some(150));
}

#[test]
fn turns_that_differ_are_added() {
    let body = "def work():\n    m = 2\n    for i in range(2):\n        for j in range(m):\n            try:\n                return requests.get(URL)\n            except Exception:\n                pass\n        m += 3\n";
    assert_eq!(requests(body), Some(7));
}

#[test]
fn hanging_without_a_call_is_no_retry() {
    let body = "def work():\n    m = 1\n    while True:\n        while m > 0:\n            try:\n                return requests.get(URL)\n            except Exception:\n                m -= 1\n";
    assert_eq!(requests(body), Some(1));
}
