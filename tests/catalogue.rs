//! The catalogue as its users meet it: versions of the analysed tree, `squall libraries` and `explain`, entries of their
//! own, and the schema that editors use.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use serde_json::Value;
use std::path::Path;
use support::Tree;

const PAY: &str = "import Stripe from 'stripe';\nconst client = new Stripe('k');\nexport const pay = () => client.customers.list();\n";

/// Attempts and assumed version of each file's call.
fn figures(tree: &Tree) -> Vec<(String, u64, Value)> {
    let report = tree.run(&["check", "--format", "json", "--no-config", "--fail-on", "never"]).status(0).json();
    let chains = report["chains"].as_array().unwrap();
    let of = |c: &Value| {
        let layer = &c["layers"][0];
        (
            c["call"]["file"].as_str().unwrap().to_string(),
            c["attempts"]["worst"].as_u64().unwrap(),
            layer["version"].clone(),
        )
    };
    let mut found: Vec<_> = chains.iter().map(of).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn each_package_of_a_monorepo_has_its_own_versions() {
    let lock = "{\n \"packages\": {\n  \"node_modules/stripe\": {\"version\": \"17.1.0\"},\n  \"packages/old/node_modules/stripe\": {\"version\": \"13.1.0\"}\n }\n}";
    let tree = Tree::new(&[
        ("package-lock.json", lock),
        ("packages/new/package.json", "{\"dependencies\": {\"stripe\": \"^17.0.0\"}}"),
        ("packages/new/pay.ts", PAY),
        ("packages/old/package.json", "{\"dependencies\": {\"stripe\": \"^13.0.0\"}}"),
        ("packages/old/pay.ts", PAY),
        ("services/queue/main.py", "import boto3\nboto3.client('sqs').list_queues()\n"),
        ("services/queue/uv.lock", "[[package]]\nname = \"boto3\"\nversion = \"1.43.117\"\n"),
        ("services/store/main.py", "import boto3\nboto3.client('sqs').list_queues()\n"),
        ("services/store/requirements.txt", "boto3~=1.44.0\n"),
    ]);
    let found = figures(&tree);
    let counts: Vec<(&str, u64)> = found.iter().map(|(file, n, _)| (file.as_str(), *n)).collect();
    let wanted = [
        ("packages/new/pay.ts", 3),
        ("packages/old/pay.ts", 2),
        ("services/queue/main.py", 5),
        ("services/store/main.py", 3),
    ];
    assert_eq!(counts, wanted);
    let said = |i: usize, key: &str| found[i].2[key].to_string();
    assert_eq!(
        (said(1, "version"), said(1, "file"), said(1, "line")),
        ("\"13.1.0\"".into(), "\"package-lock.json\"".into(), "4".into())
    );
    assert_eq!(
        (said(2, "origin"), said(2, "file"), said(2, "line")),
        ("\"locked\"".into(), "\"services/queue/uv.lock\"".into(), "3".into())
    );
    assert_eq!((said(3, "version"), said(3, "origin")), ("\"~=1.44.0\"".into(), "\"declared\"".into()));
    // People see it in the ladder of layers.
    let stacked = "import boto3\nfrom tenacity import retry, stop_after_attempt\n\n\n@retry(stop=stop_after_attempt(4))\n\
        def work():\n    boto3.client('sqs').list_queues()\n";
    tree.write("services/queue/main.py", stacked.as_bytes());
    let text = tree.run(&["check", "--no-config", "--fail-on", "never"]).status(0).out;
    let flat = text.split_whitespace().filter(|w| *w != "|").collect::<Vec<_>>().join(" ");
    assert!(flat.contains("1.43.117 by services/queue/uv.lock:3"), "{text}");
}

#[test]
fn a_broken_lock_file_is_told_and_costs_nothing_else() {
    let tree =
        Tree::new(&[("pay.ts", PAY), ("package-lock.json", "{\n \"packages\": [,]\n}"), ("uv.lock", "[[package")]);
    let run = tree.run(&["check", "--format", "json", "--no-config", "--fail-on", "never"]).status(0);
    let skipped = run.skipped();
    assert_eq!(skipped.len(), 2, "{skipped:?}");
    assert!(skipped[0].0 == "package-lock.json" && skipped[0].1.starts_with("line 2: "), "{skipped:?}");
    assert_eq!(figures(&tree)[0].2["origin"], "catalogue");
}

#[test]
fn libraries_are_listed_and_filtered() {
    let tree = Tree::new(&[("a.py", "")]);
    let all = tree.run(&["libraries"]).status(0).out;
    assert!(all.lines().count() > 200, "{}", all.lines().count());
    assert!(all.starts_with("library "), "{all}");
    let row = tree.run(&["libraries", "anthropic", "python"]).status(0).out;
    let row = row.lines().find(|l| l.starts_with("anthropic ")).unwrap().to_string();
    for cell in ["python", "  3  ", "yes", "honoured", "max_retries=0"] {
        assert!(row.contains(cell), "{cell}: {row}");
    }
    let json = tree.run(&["libraries", "--format", "json", "p-retry"]).status(0).json();
    let row = json.as_array().unwrap().iter().find(|r| r["name"] == "p-retry").unwrap().clone();
    assert_eq!((&row["language"], &row["retries"][0]["attempts"]), (&"javascript".into(), &11.into()));
    let run = tree.run(&["libraries", "nosuchthing"]).status(2);
    assert_eq!(run.err, "error: no library fits `nosuchthing`\n  help: `squall libraries` lists all\n");
}

#[test]
fn a_library_is_explained() {
    let tree = Tree::new(&[("a.py", "")]);
    let page = tree.run(&["explain", "anthropic"]).status(0).out;
    for text in [
        "anthropic (python, sdk)",
        "seen in",
        "attempts",
        "max_retries=0",
        "Own the retries in one place",
        "@anthropic-ai/sdk",
    ] {
        assert!(page.contains(text), "{text}:\n{page}");
    }
    assert!(page.lines().all(|l| l.chars().count() <= 200), "{page}");
}

const OWN: &str = "[library]\nname = \"ledger\"\npackage = \"ledger-sdk\"\nimports = [\"ledger\"]\narea = \"sdk\"\nversion = \"1\"\n\
    [[class]]\npath = [\"ledger.Client\"]\nnew = { named = [\"tries\"] }\n[[class.method]]\nname = [\"post\"]\n\
    outbound = { kind = \"sdk\", attempts = \"default(self.tries, 6)\", retries = [\"server\"] }\n";

#[test]
fn users_describe_their_own_libraries_and_override_ours() {
    let files = [
        ("squall.toml", "rules = [\"retry-rules/\"]\nfail-on = \"never\"\n"),
        ("retry-rules/ledger.toml", OWN),
        ("a.py", "import ledger\nledger.Client().post()\n"),
    ];
    let tree = Tree::new(&files);
    let report = tree.run(&["check", "--format", "json"]).status(0).json();
    assert_eq!(report["summary"]["worst"], 6);
    assert!(tree.run(&["explain", "ledger"]).status(0).out.contains("ledger (python, sdk)"));
    // The same path as ours: theirs counts.
    let theirs = "[library]\nname = \"anthropic (gateway)\"\nimports = [\"anthropic\"]\narea = \"sdk\"\n\
        [[class]]\npath = [\"anthropic.Anthropic\"]\n[[class.method]]\nname = [\"messages.create\"]\n\
        outbound = { kind = \"sdk\", attempts = 7, retries = [\"server\"] }\n";
    tree.write("retry-rules/anthropic.toml", theirs.as_bytes());
    tree.write("a.py", b"import anthropic\nanthropic.Anthropic().messages.create()\n");
    let report = tree.run(&["check", "--format", "json"]).status(0).json();
    assert_eq!(report["summary"]["worst"], 7);
    // A slip is refused where it stands.
    tree.write("retry-rules/ledger.toml", OWN.replace("retries = [\"server\"]", "retry = [\"server\"]").as_bytes());
    let run = tree.run(&["check"]).status(2);
    assert!(run.err.contains("ledger.toml:12:") && run.err.contains("unknown field `retry`"), "{}", run.err);
}

fn schema() -> jsonschema::Validator {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/rules-1.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

fn as_json(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn shipped_rules_fit_the_schema() {
    let schema = schema();
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut count = 0;
    for language in ["javascript", "python", "rust"] {
        for entry in std::fs::read_dir(rules.join(language)).unwrap() {
            let file = entry.unwrap().path();
            let json = as_json(&std::fs::read_to_string(&file).unwrap());
            let wrong: Vec<String> =
                schema.iter_errors(&json).map(|e| format!("{}: {}: {e}", file.display(), e.instance_path)).collect();
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

#[test]
fn the_schema_refuses_what_the_loader_refuses() {
    let schema = schema();
    assert!(schema.is_valid(&as_json(OWN)));
    for (good, bad) in [
        ("area = \"sdk\"", "area = \"lunch\""),
        ("kind = \"sdk\"", "kind = \"sdk\", colour = 1"),
        ("retries = [\"server\"]", "retries = [\"503\"]"),
        ("name = [\"post\"]", "params = []"),
        ("imports = [\"ledger\"]\n", ""),
    ] {
        assert!(!schema.is_valid(&as_json(&OWN.replace(good, bad))), "{bad}");
    }
}

#[test]
fn a_client_that_nobody_lists_is_seen_by_its_family_and_said_to_be_a_guess() {
    let tree = Tree::new(&[(
        "main.py",
        "import tenacity\nfrom acme import Acme\n\nclient = Acme(max_retries=5)\n\n\n\
         @tenacity.retry(stop=tenacity.stop_after_attempt(3))\ndef create():\n    client.things.create()\n\n\ncreate()\n",
    )]);
    let check = ["check", "--format", "json", "--no-config", "--fail-on", "never"];
    let report = tree.run(&check).status(0).json();
    let chain = &report["chains"][0];
    assert_eq!(chain["attempts"]["worst"], 18, "{chain}");
    assert_eq!(chain["confidence"], "medium");
    assert_eq!(chain["call"]["target"], "acme.things.create");
    let layer = &chain["layers"][1];
    assert_eq!((&layer["library"], &layer["family"]), (&"acme".into(), &"Stainless".into()), "{layer}");
    let findings = report["findings"].as_array().unwrap();
    assert!(!findings.is_empty() && findings.iter().all(|f| f["confidence"] != "high"), "{findings:?}");
    let sure = tree.run(&[&check[..], &["--min-confidence", "high"]].concat()).status(0).json();
    assert_eq!(sure["findings"].as_array().unwrap().len(), 0, "{}", sure["findings"]);
    let text = tree.run(&["check", "--no-config", "--fail-on", "never"]).status(0).out;
    let flat = text.split_whitespace().filter(|w| *w != "|").collect::<Vec<_>>().join(" ");
    assert!(flat.contains("taken for a Stainless client"), "{text}");
}

#[test]
fn how_a_long_retry_after_is_taken_depends_on_the_version() {
    let catalogue = squall::catalogue::Catalogue::embedded();
    let page = |version: &str| {
        let (_, _, method) = catalogue.method("anthropic.Anthropic", "messages.create").unwrap();
        let formula = method.callable.outbound.as_ref().unwrap().retry_after.as_ref().unwrap().to_string();
        assert!(formula.contains("version_at_least"), "{formula}");
        squall::versions::Assumed::of_catalogue(version).is_at_least("1.8.0")
    };
    assert!(page("1.8.0") && page("anthropic 2.14.0, x 1") && !page("1.4.0"));
}
