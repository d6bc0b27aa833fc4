//! Sizes and shapes nobody writes by hand: link has to come to an end, without a panic, in time that grows with the program.
//!
//! `cargo test --release --test link_scale -- --ignored --nocapture` prints times and the exponents of growth.

use squall::{catalogue::Catalogue, ir::File, ir::Language, link, lower};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

fn lowered(sources: &[(String, String)]) -> Vec<File> {
    sources.iter().map(|(path, text)| lower::lower(path, Language::Python, text)).collect()
}

/// Links and times it; the graph.
fn linked(files: &[File]) -> (link::graph::CallGraph, Duration) {
    let catalogue = Catalogue::embedded();
    let start = Instant::now();
    let graph = link::link_for_graph(files, &catalogue, &[]);
    (graph, start.elapsed())
}

fn one(text: String) -> Vec<File> {
    lowered(&[("main.py".to_string(), text)])
}

/// A program of one shape in a given size, with the number of edges that it must have at least.
type Shape = (&'static str, fn(usize) -> (Vec<File>, usize));

const SHAPES: &[Shape] = &[
    ("mutual recursion", |n| {
        let mut text = String::new();
        for i in 0..n {
            let _ = writeln!(text, "def f{i}(x):\n    return f{}(x - 1)\n", (i + 1) % n);
        }
        text.push_str("f0(3)\n");
        (one(text), n)
    }),
    ("call chain", |n| {
        let mut text = String::new();
        for i in 0..n {
            let _ = writeln!(text, "def f{i}(x):\n    return f{}(x)\n", i + 1);
        }
        let _ = writeln!(text, "def f{n}(x):\n    return x\n\nf0(3)");
        (one(text), n)
    }),
    ("deep hierarchy", |n| {
        let n = n.min(4000);
        let mut text = String::from(
            "class C0:\n    def run(self):\n        return self.step()\n    def step(self):\n        pass\n",
        );
        for i in 1..n {
            let _ = writeln!(text, "class C{i}(C{}):\n    def step(self):\n        return super().step()\n", i - 1);
        }
        let _ = writeln!(text, "C{}().run()", n - 1);
        (one(text), n)
    }),
    ("wide hierarchy", |n| {
        let mut text = String::from("class Base:\n    def run(self):\n        return self.step()\n");
        for i in 0..n {
            let _ = writeln!(text, "class C{i}(Base):\n    def step(self):\n        return {i}\nC{i}().run()\n");
        }
        (one(text), n)
    }),
    ("dictionary of functions", |n| {
        let mut text = String::new();
        for i in 0..n {
            let _ = writeln!(text, "def f{i}():\n    pass\n");
        }
        text.push_str("T = {\n");
        for i in 0..n {
            let _ = writeln!(text, "    'k{i}': f{i},");
        }
        text.push_str("}\ndef call(k):\n    return T[k]()\nT['k7']()\nfor f in T.values():\n    f()\ncall('k1')\n");
        (one(text), 2)
    }),
    ("one name assigned again and again", |n| {
        let mut text = String::from("def a(): pass\ndef b(): pass\n");
        for i in 0..n {
            let _ = writeln!(text, "x = {}", if i % 2 == 0 { "a" } else { "b" });
        }
        text.push_str("x()\n");
        (one(text), 1)
    }),
    ("branches in a large module", |n| {
        let mut text = String::from("import sys\ndef a(): pass\n");
        for i in 0..n {
            let _ = writeln!(text, "v{i} = a\nif sys.argv[{i}]:\n    w{i} = v{i}\nelse:\n    w{i} = None\nw{i}()");
        }
        (one(text), 1)
    }),
    ("calls in a large function", |n| {
        let mut text = String::from("def a(x): return x\ndef big(x):\n");
        for i in 0..n {
            let _ = writeln!(text, "    y{} = a(x)", i % 50);
        }
        text.push_str("big(1)\n");
        (one(text), 2)
    }),
    ("statements under an elif chain", |n| {
        let mut text = String::from("def a(): pass\ndef big(x):\n    if x == 0:\n        a()\n");
        for i in 1..n {
            let _ = writeln!(text, "    elif x == {i}:\n        y = a()");
        }
        text.push_str("import sys\nbig(sys.argv)\n");
        (one(text), 2)
    }),
    ("a chain of methods", |n| {
        let mut text = String::from("class Q:\n    def f(self):\n        return self\nx = Q()");
        for _ in 0..n {
            text.push_str(".f()");
        }
        (one(text + "\n"), 1)
    }),
    ("a sum of calls", |n| {
        let mut text = String::from("def f(): return 1\nx = f()");
        for _ in 0..n {
            text.push_str(" + f()");
        }
        text.push_str("\ny = f()");
        for _ in 0..n {
            text.push_str(" and f()");
        }
        (one(text + "\n"), 1)
    }),
    ("an import cycle", |n| {
        let sources: Vec<_> = (0..n)
            .map(|i| {
                let next = (i + 1) % n;
                let text = format!(
                    "from m{next} import f{next}\nimport m{}\nclass C{i}:\n    def go(self):\n        return f{next}()\ndef f{i}():\n    return m{}.f{}()\n",
                    (i + 7) % n, (i + 7) % n, (i + 7) % n
                );
                (format!("m{i}.py"), text)
            })
            .collect();
        (lowered(&sources), n)
    }),
    ("a chain of re-exports", |n| {
        let mut sources: Vec<_> = (0..n).map(|i| (format!("m{i}.py"), format!("from m{} import *\n", i + 1))).collect();
        sources.push((format!("m{n}.py"), "def f():\n    pass\n".to_string()));
        sources.push(("main.py".to_string(), "from m0 import f\nfrom n0 import g\ng()\n".to_string()));
        for i in 0..n {
            sources.push((format!("n{i}.py"), format!("from n{} import g\n", i + 1)));
        }
        sources.push((format!("n{n}.py"), "def g():\n    pass\n".to_string()));
        (lowered(&sources), 1)
    }),
    ("stacked decorators", |n| {
        let mut text = String::from(
            "import functools\ndef retry(times):\n    def deco(fn):\n        @functools.wraps(fn)\n        def inner(*a, **k):\n            return fn(*a, **k)\n        return inner\n    return deco\n",
        );
        for _ in 0..n {
            text.push_str("@retry(3)\n");
        }
        text.push_str("def f():\n    pass\nf()\n");
        (one(text), 3)
    }),
    ("a decorator on many functions", |n| {
        let mut text =
            String::from("def retry(fn):\n    def inner(*a, **k):\n        return fn(*a, **k)\n    return inner\n");
        for i in 0..n {
            let _ = writeln!(text, "@retry\ndef f{i}():\n    return f{}()\n", i / 2);
        }
        (one(text), 3)
    }),
    ("a decorator that decorates itself", |n| {
        let mut text = String::from("def d(f):\n    return d(d)(f)\n@d\ndef e(f):\n    return e\n");
        for i in 0..n {
            let _ = writeln!(text, "@d(e)(d)\n@e(d)\ndef g{i}(x=d(e), *a, **k):\n    return g{i}(g{i}, *a, **k)(d)");
        }
        (one(text), 1)
    }),
    ("objects that make objects", |n| {
        let mut text = String::from("class L0:\n    def __init__(self, x):\n        self.x = x\n");
        for i in 1..n.min(60) {
            let _ = writeln!(
                text,
                "class L{i}:\n    def __init__(self, x):\n        self.a = L{0}(self)\n        self.b = L{0}(x)\n        self.c = L{0}(1)\n    def go(self):\n        return self.a, self.b.x",
                i - 1
            );
        }
        let _ = writeln!(text, "L{}(L0(1)).go()", n.min(60) - 1);
        (one(text), 3)
    }),
    ("a container in itself", |n| {
        let mut text = String::from("x = []\nx.append(x)\nd = {}\nd['d'] = d\n");
        for i in 0..n {
            let _ = writeln!(text, "d = {{'a{i}': d, **d}}\nx = [x, *x]\nx[0](d['d'])");
        }
        (one(text), 0)
    }),
    ("callbacks handed round", |n| {
        let mut text = String::from("def call(f, *a):\n    return f(*a)\n");
        for i in 0..n {
            let _ = writeln!(
                text,
                "def f{i}(g=None):\n    return call(f{}, f{i}) if g else call(call, f{i})\n",
                (i * 7 + 1) % n
            );
        }
        text.push_str("f0(f0)\n");
        (one(text), 3)
    }),
    ("fields set everywhere", |n| {
        let mut text = String::from("class S:\n    pass\ns = S()\n");
        for i in 0..n {
            let _ = writeln!(text, "def set{i}():\n    s.x = set{i}\n    return s.x()\n");
        }
        text.push_str("set0()\n");
        (one(text), 1)
    }),
    ("a protocol with many implementers", |n| {
        let mut text = String::from(
            "from typing import Protocol\nclass P(Protocol):\n    def send(self): ...\n    def close(self): ...\n",
        );
        for i in 0..n {
            let _ = writeln!(
                text,
                "class C{i}:\n    def send(self): pass\n    def close(self): pass\nC{i}()\ndef use{i}(p: P):\n    p.send()\n"
            );
        }
        (one(text), 0)
    }),
];

fn exponents(points: &[(usize, Duration)]) -> Vec<f64> {
    points
        .windows(2)
        .map(|w| (w[1].1.as_secs_f64() / w[0].1.as_secs_f64()).ln() / (w[1].0 as f64 / w[0].0 as f64).ln())
        .collect()
}

#[test]
fn every_shape_comes_to_an_end() {
    for (name, shape) in SHAPES {
        let (files, edges) = shape(300);
        let (graph, time) = linked(&files);
        assert!(graph.calls.len() >= edges, "{name}: {} of {edges} edges", graph.calls.len());
        assert!(time < Duration::from_secs(60), "{name}: {time:?}");
    }
}

#[test]
#[ignore = "a measurement; run it in release"]
fn shapes_grow_with_the_program() {
    let only = std::env::var("SHAPE").unwrap_or_default();
    let top: usize = std::env::var("TOP").ok().and_then(|t| t.parse().ok()).unwrap_or(10_000);
    let mut slow = Vec::new();
    for (name, shape) in SHAPES.iter().filter(|(name, _)| name.contains(&only)) {
        let mut points = Vec::new();
        for n in [top / 8, top / 4, top / 2, top] {
            let (files, edges) = shape(n);
            let (graph, time) = linked(&files);
            points.push((n, time));
            assert!(graph.calls.len() >= edges, "{name}: {} of {edges} edges", graph.calls.len());
            if time > Duration::from_secs(20) {
                break;
            }
        }
        let times: Vec<String> = points.iter().map(|(n, t)| format!("{n}: {t:.2?}")).collect();
        let last = exponents(&points).last().copied().unwrap_or(0.0);
        #[allow(clippy::print_stdout)]
        println!("{name:40} {:60} ^{last:.2}", times.join("  "));
        if last > 1.25 && points.last().is_some_and(|p| p.1 > Duration::from_millis(200)) {
            slow.push(*name);
        }
    }
    assert!(slow.is_empty(), "grow too fast: {slow:?}");
}
