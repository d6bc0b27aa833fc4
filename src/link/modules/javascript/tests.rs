//! What specifiers mean in small trees.

use super::super::{Modules, Resolved};
use crate::discover::Manifest;
use crate::ir::{File, Language};
use crate::lower::lower;

/// A tree of empty files and of manifests with their text.
struct Tree {
    files: Vec<File>,
    modules: Modules,
}

fn tree(files: &[&str], manifests: &[(&str, &str)]) -> Tree {
    let files: Vec<File> = files.iter().map(|path| lower(path, Language::JavaScript, "")).collect();
    let manifests: Vec<Manifest> =
        manifests.iter().map(|(path, text)| Manifest { path: path.to_string(), text: (*text).into() }).collect();
    let modules = Modules::new(&files, &manifests, &[]);
    Tree { files, modules }
}

impl Tree {
    /// The path of the file that a specifier means, or what it is called outside.
    fn resolve(&self, from: &str, specifier: &str) -> String {
        let from = self.files.iter().find(|f| f.path == from).unwrap();
        match self.modules.resolve_text(from, specifier) {
            Resolved::File(file) => self.files[file as usize].path.clone(),
            Resolved::Folder(folder) => folder,
            Resolved::External(path) => format!("<{path}>"),
        }
    }

    #[track_caller]
    fn check(&self, from: &str, cases: &[(&str, &str)]) {
        for (specifier, expected) in cases {
            assert_eq!(self.resolve(from, specifier), *expected, "{specifier} in {from}");
        }
    }
}

#[test]
fn relative_paths() {
    let tree = tree(
        &[
            "src/main.ts",
            "src/plain.js",
            "src/a.ts",
            "src/b.tsx",
            "src/c.mts",
            "src/d.cts",
            "src/e.jsx",
            "src/f.js",
            "src/f.ts",
            "src/g/index.tsx",
            "src/h.service.ts",
            "src/i.d.ts",
            "src/j.js",
            "src/j.d.ts",
            "src/k/index.ts",
            "src/k.d.ts",
            "up.ts",
        ],
        &[],
    );
    tree.check(
        "src/main.ts",
        &[
            ("./a", "src/a.ts"),
            ("./a.js", "src/a.ts"),
            ("./a.ts", "src/a.ts"),
            ("./b.js", "src/b.tsx"),
            ("./b.jsx", "src/b.tsx"),
            ("./c.mjs", "src/c.mts"),
            ("./d.cjs", "src/d.cts"),
            ("./e", "src/e.jsx"),
            ("./f.js", "src/f.ts"),
            ("./g", "src/g/index.tsx"),
            ("./g/", "src/g/index.tsx"),
            ("./g/index.js", "src/g/index.tsx"),
            ("./h.service", "src/h.service.ts"),
            ("./i", "src/i.d.ts"),
            ("./i.js", "src/i.d.ts"),
            ("./j", "src/j.js"),
            ("./k", "src/k/index.ts"),
            ("../up", "up.ts"),
            ("./a?raw", "src/a.ts"),
            ("../../out", "<../../out:>"),
            ("./missing", "<./missing:>"),
            ("/src/a", "src/a.ts"),
        ],
    );
    tree.check("src/plain.js", &[("./f.js", "src/f.js"), ("./f", "src/f.js"), ("./a.js", "src/a.ts")]);
    tree.check("src/g/index.tsx", &[(".", "src/g/index.tsx"), ("..", "<..:>"), ("../a", "src/a.ts")]);
}

#[test]
fn what_is_outside() {
    let tree = tree(&["main.ts"], &[("package.json", "{}"), ("broken/package.json", "{"), ("tsconfig.json", "[")]);
    tree.check(
        "main.ts",
        &[
            ("p-retry", "<p-retry:>"),
            ("@aws-sdk/client-s3", "<@aws-sdk/client-s3:>"),
            ("@aws-sdk/client-s3/dist", "<@aws-sdk/client-s3/dist:>"),
            ("node:fs", "<node:fs:>"),
            ("node:timers/promises", "<node:timers/promises:>"),
            ("#nothing", "<#nothing:>"),
            ("@", "<@:>"),
            ("", "<:>"),
            ("/", "</:>"),
        ],
    );
}

#[test]
fn config_paths() {
    let tree = tree(
        &[
            "app/src/main.ts",
            "app/src/lib/net.ts",
            "app/src/lib/x/index.ts",
            "app/gen/api.ts",
            "shared/log.ts",
            "tool/run.ts",
        ],
        &[
            (
                "app/tsconfig.json",
                "{ // comment\n \"extends\": [\"../tsconfig.base.json\"], \"compilerOptions\": { \"baseUrl\": \"./src\", \"paths\": { \"@/*\": [\"*\"], \"@/gen/*\": [\"../gen/*\"], \"exact\": [\"lib/net\"], }, } }",
            ),
            ("tsconfig.base.json", r#"{ "compilerOptions": { "paths": { "~shared/*": ["./shared/*"] } } }"#),
            ("tool/tsconfig.json", r#"{ "extends": "../tsconfig.base" }"#),
            ("loop/tsconfig.json", r#"{ "extends": "./tsconfig.json" }"#),
        ],
    );
    tree.check(
        "app/src/main.ts",
        &[
            ("@/lib/net", "app/src/lib/net.ts"),
            ("@/lib/net.js", "app/src/lib/net.ts"),
            ("@/lib/x", "app/src/lib/x/index.ts"),
            ("@/gen/api", "app/gen/api.ts"),
            ("exact", "app/src/lib/net.ts"),
            ("lib/net", "app/src/lib/net.ts"),
            ("@/none", "<@/none:>"),
            ("~shared/log", "shared/log.ts"),
        ],
    );
    tree.check("tool/run.ts", &[("~shared/log", "shared/log.ts"), ("@/lib/net", "<@/lib/net:>")]);
}

#[test]
fn workspace_packages() {
    let tree = tree(
        &[
            "packages/core/src/index.ts",
            "packages/core/src/retry/index.ts",
            "packages/core/src/deep/one.ts",
            "packages/core/src/internal/only.ts",
            "packages/old/src/main.ts",
            "packages/old/lib/extra.js",
            "packages/bare/index.js",
            "packages/bare/util.js",
            "packages/src-main/source/entry.ts",
            "app/main.ts",
            "packages/sugar/src/index.tsx",
            "packages/root-files/src/agents/index.ts",
        ],
        &[
            (
                "packages/core/package.json",
                r##"{ "name": "@acme/core", "exports": {
                    ".": { "types": "./dist/index.d.ts", "import": "./dist/esm/index.js", "require": "./dist/cjs/index.cjs" },
                    "./retry": { "import": { "types": "./dist/retry/index.d.mts", "default": "./dist/retry/index.mjs" } },
                    "./deep/*": "./dist/deep/*.js", "./internal/*": null, "./package.json": "./package.json" },
                  "imports": { "#deep/*": "./dist/deep/*.js", "#log": { "node": "@acme/bare", "default": "./x.js" } } }"##,
            ),
            (
                "packages/old/package.json",
                r#"{ "name": "old", "main": "./build/main.js", "types": "build/main.d.ts" }"#,
            ),
            ("packages/bare/package.json", r#"{ "name": "@acme/bare" }"#),
            (
                "packages/src-main/package.json",
                r#"{ "name": "src-main", "source": "source/entry.ts", "main": "dist/entry.js" }"#,
            ),
            ("packages/sugar/package.json", r#"{ "name": "sugar", "exports": "./dist/index.js" }"#),
            (
                "packages/root-files/package.json",
                r#"{ "name": "root-files", "exports": { "./agents": "./agents.js" } }"#,
            ),
        ],
    );
    tree.check(
        "app/main.ts",
        &[
            ("@acme/core", "packages/core/src/index.ts"),
            ("@acme/core/retry", "packages/core/src/retry/index.ts"),
            ("@acme/core/deep/one", "packages/core/src/deep/one.ts"),
            ("old", "packages/old/src/main.ts"),
            ("old/lib/extra", "packages/old/lib/extra.js"),
            ("@acme/bare", "packages/bare/index.js"),
            ("@acme/bare/util", "packages/bare/util.js"),
            ("src-main", "packages/src-main/source/entry.ts"),
            ("sugar", "packages/sugar/src/index.tsx"),
            ("root-files/agents", "packages/root-files/src/agents/index.ts"),
            ("#deep/one", "<#deep/one:>"),
            ("@acme/none", "<@acme/none:>"),
        ],
    );
    tree.check(
        "packages/core/src/index.ts",
        &[
            ("#deep/one", "packages/core/src/deep/one.ts"),
            ("#log", "packages/bare/index.js"),
            ("@acme/core/retry", "packages/core/src/retry/index.ts"),
        ],
    );
}

#[test]
fn folders_with_manifests() {
    let tree = tree(
        &["main.js", "lib/net/source.js", "lib/net/index.js", "lib/two/index.js"],
        &[("lib/net/package.json", r#"{ "main": "source" }"#), ("lib/two/package.json", r#"{ "main": "./gone.js" }"#)],
    );
    tree.check("main.js", &[("./lib/net", "lib/net/source.js"), ("./lib/two", "lib/two/index.js")]);
}
