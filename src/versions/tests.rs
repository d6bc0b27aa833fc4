//! What each kind of file says, which file wins, and what is said about files that cannot be read.

use super::*;

fn read(files: &[(&str, &str)]) -> Versions {
    let manifests: Vec<Manifest> =
        files.iter().map(|(path, text)| Manifest { path: path.to_string(), text: (*text).into() }).collect();
    Versions::read(&manifests)
}

/// `version origin file:line`, as a file of the tree sees the package.
#[track_caller]
fn sees(versions: &Versions, language: Language, package: &str, file: &str) -> String {
    assert_eq!(versions.problems, []);
    match versions.of(language, [package], file) {
        None => "nothing".into(),
        Some(a) => {
            let (path, line) = a.place.clone().unwrap_or_default();
            format!("{} {} {path}:{line}", a.text, a.origin.name())
        }
    }
}

fn python(file: &str, text: &str, package: &str) -> String {
    sees(&read(&[(file, text)]), Language::Python, package, "app/main.py")
}

fn javascript(file: &str, text: &str, package: &str) -> String {
    sees(&read(&[(file, text)]), Language::JavaScript, package, "src/main.ts")
}

fn rust(file: &str, text: &str, package: &str) -> String {
    sees(&read(&[(file, text)]), Language::Rust, package, "src/main.rs")
}

#[test]
fn lock_files_of_python() {
    let lock = "version = 1\n\n[[package]]\nname = \"slack-sdk\"\nversion = \"3.48.0\"\n[package.metadata]\nx = 1\n";
    for file in ["uv.lock", "poetry.lock", "pdm.lock"] {
        assert_eq!(python(file, lock, "slack_sdk"), format!("3.48.0 locked {file}:5"));
    }
    let lock = "{\n \"default\": {\n  \"boto3\": {\"version\": \"==1.43.0\"}\n },\n \"develop\": {}\n}";
    assert_eq!(python("Pipfile.lock", lock, "boto3"), "1.43.0 locked Pipfile.lock:3");
}

#[test]
fn manifests_of_python() {
    let text = "# a\nBoto3[crt] == 1.43.2 ; python_version > '3'  # why\nopenai>=1,<2\n-r x.txt\nstripe==5.* \\\n  --hash=sha256:0\n";
    assert_eq!(python("requirements.txt", text, "boto3"), "1.43.2 pinned requirements.txt:2");
    assert_eq!(python("requirements/prod.txt", text, "boto3"), "1.43.2 pinned requirements/prod.txt:2");
    assert_eq!(python("requirements.txt", text, "openai"), ">=1,<2 declared requirements.txt:3");
    assert_eq!(python("requirements.txt", text, "stripe"), "==5.* declared requirements.txt:5");
    let text = "[project]\ndependencies = [\n \"boto3~=1.43.0\",\n]\n[dependency-groups]\ndev = [\"stripe==5.0.0\", {include-group = \"x\"}]\n";
    assert_eq!(python("pyproject.toml", text, "boto3"), "~=1.43.0 declared pyproject.toml:3");
    assert_eq!(python("pyproject.toml", text, "stripe"), "5.0.0 pinned pyproject.toml:6");
    let text = "[tool.poetry.dependencies]\nboto3 = \"^1.43\"\nstripe = {version = \"5.0.0\", extras = [\"x\"]}\n";
    assert_eq!(python("pyproject.toml", text, "boto3"), "^1.43 declared pyproject.toml:2");
    assert_eq!(python("pyproject.toml", text, "stripe"), "5.0.0 pinned pyproject.toml:3");
    let text = "[metadata]\nname = x\n[options]\ninstall_requires =\n    boto3==1.43.0\n    openai\n[options.extras_require]\nx =\n    stripe<6\n";
    assert_eq!(python("setup.cfg", text, "boto3"), "1.43.0 pinned setup.cfg:5");
    assert_eq!(python("setup.cfg", text, "stripe"), "<6 declared setup.cfg:9");
    assert_eq!(python("Pipfile", "[packages]\nboto3 = \"==1.43.0\"\n", "boto3"), "1.43.0 pinned Pipfile:2");
}

#[test]
fn lock_files_of_javascript() {
    let npm = "{\"packages\": {\"\": {},\n \"node_modules/stripe\": {\"version\": \"13.1.0\"},\n \"node_modules/y/node_modules/stripe\": {\"version\": \"1.0.0\"}}}";
    assert_eq!(javascript("package-lock.json", npm, "stripe"), "13.1.0 locked package-lock.json:2");
    let old = "{\"dependencies\": {\n \"stripe\": {\"version\": \"12.0.0\"}}}";
    assert_eq!(javascript("package-lock.json", old, "stripe"), "12.0.0 locked package-lock.json:2");
    let yarn = "# yarn lockfile v1\n\n\"@slack/web-api@^6.0.0\", \"@slack/web-api@^6.1.0\":\n  version \"6.13.0\"\n\nstripe@^13.0.0:\n  version \"13.1.0\"\n  dependencies:\n    version \"^1\"\n";
    assert_eq!(javascript("yarn.lock", yarn, "@slack/web-api"), "6.13.0 locked yarn.lock:4");
    assert_eq!(javascript("yarn.lock", yarn, "stripe"), "13.1.0 locked yarn.lock:7");
    let berry = "__metadata:\n  version: 8\n\n\"mine@workspace:.\":\n  version: 0.0.0-use.local\n\n\"pay@npm:stripe@^13.0.0\":\n  version: 13.1.0\n  resolution: \"stripe@npm:13.1.0\"\n";
    assert_eq!(javascript("yarn.lock", berry, "stripe"), "13.1.0 locked yarn.lock:8");
    let pnpm = "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      '@slack/web-api':\n        specifier: ^6.0.0\n        version: 6.13.0(x@1)\n      lib:\n        specifier: workspace:*\n        version: link:../lib\n\npackages:\n\n  stripe@1.0.0:\n    resolution: {integrity: x}\n";
    assert_eq!(javascript("pnpm-lock.yaml", pnpm, "@slack/web-api"), "6.13.0 locked pnpm-lock.yaml:9");
    assert_eq!(javascript("pnpm-lock.yaml", pnpm, "lib"), "nothing");
    let old = "lockfileVersion: 5.4\nspecifiers:\n  stripe: ^13.0.0\ndependencies:\n  stripe: 13.1.0_x@1\n";
    assert_eq!(javascript("pnpm-lock.yaml", old, "stripe"), "13.1.0 locked pnpm-lock.yaml:5");
    let bun = "{\n \"workspaces\": {\"\": {\"name\": \"mine\"}},\n \"packages\": {\n  \"stripe\": [\"stripe@13.1.0\", \"\", {}],\n  \"y/stripe\": [\"stripe@1.0.0\"],\n },\n}\n";
    assert_eq!(javascript("bun.lock", bun, "stripe"), "13.1.0 locked bun.lock:4");
}

#[test]
fn manifests_of_javascript_and_rust() {
    let text = "{\n \"dependencies\": {\n  \"stripe\": \"13.1.0\",\n  \"pay\": \"npm:@slack/web-api@^6.0.0\"},\n \"devDependencies\": {\n  \"got\": \"^11.0.0\", \"ky\": \"workspace:*\"}}";
    assert_eq!(javascript("package.json", text, "stripe"), "13.1.0 pinned package.json:3");
    assert_eq!(javascript("package.json", text, "@slack/web-api"), "^6.0.0 declared package.json:4");
    assert_eq!(javascript("package.json", text, "got"), "^11.0.0 declared package.json:6");
    assert_eq!(javascript("package.json", text, "ky"), "nothing");
    let lock = "version = 4\n\n[[package]]\nname = \"async-openai\"\nversion = \"0.36.1\"\n\n[[package]]\nname = \"async-openai\"\nversion = \"0.43.0\"\n";
    assert_eq!(rust("Cargo.lock", lock, "async_openai"), "0.43.0 locked Cargo.lock:9");
    let toml = "[dependencies]\nai = { package = \"async-openai\", version = \"0.36\" }\nretry = \"=1.3.1\"\nx = { workspace = true }\n";
    assert_eq!(rust("Cargo.toml", toml, "async-openai"), "0.36 declared Cargo.toml:2");
    assert_eq!(rust("Cargo.toml", toml, "retry"), "1.3.1 pinned Cargo.toml:3");
    // The manifest's range chooses among the lock file's.
    let both = read(&[("Cargo.lock", lock), ("Cargo.toml", toml)]);
    assert_eq!(sees(&both, Language::Rust, "async-openai", "src/main.rs"), "0.36.1 locked Cargo.lock:5");
}

#[test]
fn a_catalogue_of_the_workspace_says_what_a_package_refers_to() {
    let workspace = "packages:\n  - apps/*\ncatalog:\n  stripe: ^13.0.0 # later\n  '@slack/web-api': 6.13.0\ncatalogs:\n  next:\n    stripe: ^17.0.0\n";
    let package =
        |range: &str| format!("{{\"dependencies\": {{\"stripe\": \"{range}\", \"@slack/web-api\": \"catalog:\"}}}}");
    let (one, two) = (package("catalog:"), package("catalog:next"));
    let versions =
        read(&[("apps/one/package.json", &one), ("apps/two/package.json", &two), ("pnpm-workspace.yaml", workspace)]);
    let see = |package, file| sees(&versions, Language::JavaScript, package, file);
    assert_eq!(see("stripe", "apps/one/a.ts"), "^13.0.0 declared pnpm-workspace.yaml:4");
    assert_eq!(see("stripe", "apps/two/a.ts"), "^17.0.0 declared pnpm-workspace.yaml:8");
    assert_eq!(see("@slack/web-api", "apps/two/a.ts"), "6.13.0 pinned pnpm-workspace.yaml:5");
    // Bun keeps them in the root's own `package.json`.
    let root = "{\"workspaces\": {\"packages\": [\"apps/*\"],\n\"catalog\": {\"stripe\": \"15.0.0\"}}}";
    let versions = read(&[("apps/one/package.json", &one), ("package.json", root)]);
    assert_eq!(sees(&versions, Language::JavaScript, "stripe", "apps/one/a.ts"), "15.0.0 pinned package.json:2");
}

#[test]
fn the_nearest_wins() {
    let lock = "{\"packages\": {\n\"node_modules/stripe\": {\"version\": \"17.0.0\"},\n\"packages/old/node_modules/stripe\": {\"version\": \"12.1.0\"}}}";
    let versions = read(&[
        ("package-lock.json", lock),
        ("packages/new/package.json", "{\"dependencies\": {\"stripe\": \"^17.0.0\"}}"),
        ("packages/old/package.json", "{\"dependencies\": {\"stripe\": \"^12.0.0\"}}"),
        ("packages/own/package.json", "{\"dependencies\": {\"stripe\": \"8.1.0\"}}"),
        ("packages/stale/package.json", "{\"dependencies\": {\"stripe\": \"^9.0.0\"}}"),
    ]);
    let sees = |file: &str| sees(&versions, Language::JavaScript, "stripe", file);
    assert_eq!(sees("packages/new/src/a.ts"), "17.0.0 locked package-lock.json:2");
    assert_eq!(sees("packages/old/src/a.ts"), "12.1.0 locked package-lock.json:3");
    assert_eq!(sees("packages/own/a.ts"), "8.1.0 pinned packages/own/package.json:1");
    // The lock file further up is about another range: an installer would take the newest 9.
    assert_eq!(sees("packages/stale/a.ts"), "^9.0.0 declared packages/stale/package.json:1");
    assert_eq!(sees("tools/a.ts"), "17.0.0 locked package-lock.json:2");
}

#[test]
fn a_tree_that_keeps_its_requirements_aside() {
    let versions = read(&[("deploy/requirements.txt", "boto3==1.43.0\n")]);
    assert_eq!(sees(&versions, Language::Python, "boto3", "app/a.py"), "1.43.0 pinned deploy/requirements.txt:1");
    assert_eq!(sees(&versions, Language::JavaScript, "boto3", "app/a.ts"), "nothing");
}

#[test]
fn ranges_stand_for_the_newest_in_them() {
    let least = |text: &str, grammar: Grammar, version: &str| {
        let most = Range::read(text, grammar).and_then(|r| r.most());
        most.map(|most| Assumed { text: text.into(), origin: Origin::Declared, place: None, most }.is_at_least(version))
    };
    let npm = |text: &str, version: &str| least(text, Grammar::Npm, version);
    assert_eq!(npm("^13.0.0", "13.9.0"), Some(true));
    assert_eq!(npm("^13.0.0", "14.0.0"), Some(false));
    assert_eq!(npm("~1.2.3", "1.3.0"), Some(false));
    assert_eq!(npm("^0.2.3", "0.3.0"), Some(false));
    assert_eq!(npm("1.x", "1.9.0"), Some(true));
    assert_eq!(npm("1", "2.0.0"), Some(false));
    assert_eq!(npm("^12 || ^13", "13.1.0"), Some(true));
    assert_eq!(npm("1.0.0 - 2.1.0", "2.1.0"), Some(true));
    assert_eq!(npm(">= 1.2 < 3", "3.0.0"), Some(false));
    assert_eq!(npm(">=1.2", "9"), None);
    assert_eq!(npm("latest", "9"), None);
    let python = |text: &str, version: &str| least(text, Grammar::Python, version);
    assert_eq!(python("~=1.43.2", "1.44"), Some(false));
    assert_eq!(python("~=1.43", "1.44"), Some(true));
    assert_eq!(python(">=1.0, <=1.43.0", "1.44"), Some(false));
    assert_eq!(python("==1.43.*", "1.44"), Some(false));
    assert_eq!(python("^1.43", "1.44"), Some(true));
    let cargo = |text: &str, version: &str| least(text, Grammar::Cargo, version);
    assert_eq!(cargo("0.36", "0.37.0"), Some(false));
    assert_eq!(cargo("1", "1.5"), Some(true));
    assert_eq!(cargo(">=0.3, <0.5", "0.5.0"), Some(false));
}

#[test]
fn numbers() {
    let less = |a: &str, b: &str| Number::read(a) < Number::read(b);
    assert!(less("1.9.0", "1.10.0") && less("2.0.0-beta.1", "2.0.0") && less("2.0rc1", "2.0"));
    assert!(!less("2.0.post1", "2.0") && !less("v1.2", "1.2.0") && !less("1.2.0", "1.2"));
}

#[test]
fn broken_files_are_told_and_passed_over() {
    let versions = read(&[
        ("Cargo.lock", "[[package"),
        ("Pipfile.lock", "{\"default\": "),
        ("bun.lock", "{\"packages\": [}"),
        ("package-lock.json", "[1,"),
        ("package.json", "{}"),
        ("pnpm-lock.yaml", "a:\n\tb: 1\n"),
        ("pyproject.toml", "[project]\ndependencies = 1 2\n"),
        ("requirements.txt", "stripe==5.0.0\n"),
        ("setup.cfg", "[options\n"),
        ("uv.lock", "= 1"),
        ("yarn.lock", "<<<<<<< HEAD\n"),
    ]);
    let told: Vec<String> = versions.problems.iter().map(|p| format!("{}: {}", p.file, p.reason)).collect();
    assert_eq!(told.len(), 9, "{told:#?}");
    assert!(told.iter().all(|t| t.contains(": line ")), "{told:#?}");
    assert_eq!(versions.of(Language::Python, ["stripe"], "a.py").map(|a| a.text), Some("5.0.0".into()));
}

#[test]
fn odd_values_are_no_versions() {
    let odd = [
        (
            "package.json",
            "{\"dependencies\": {\"stripe\": 7, \"got\": \"\", \"ky\": \"file:../ky\", \"a\": \"é^@^@\"}}",
        ),
        ("package-lock.json", "{\"packages\": {\"node_modules/stripe\": {\"link\": true}}, \"dependencies\": []}"),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\"\", \"é\", \"x @ git+https://e\", \"y[\"]\n[tool]\npoetry = 1\n",
        ),
        ("Cargo.toml", "[dependencies]\nx = 1\ny = { path = \"é\" }\n[target.a]\ndependencies = 3\n"),
        ("yarn.lock", "\"@\":\n  version\né@:\n  version: é\n"),
        ("pnpm-lock.yaml", "'é\n'é': 1\ndependencies:\n  é: ''\n"),
    ];
    let versions = read(&odd);
    assert_eq!(versions.of(Language::JavaScript, ["stripe"], "a.ts"), None);
    assert_eq!(versions.of(Language::JavaScript, ["ky"], "a.ts"), None);
}
