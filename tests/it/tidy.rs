//! What the compiler does not know: the layers, where outside crates and the
//! world outside may be named, the size of files, and that what lies in a
//! registry's folder is registered.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::rust_text::{
    TEST_MARK, before_tests, code_of, declares, has_word, list_of, named_after, names_crate, statics_of,
};

/// Which modules each module may name, lowest layer first. A module may always
/// name itself. `lib.rs` only lists the modules, so it has no row.
const LAYERS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("source", &[]),
    ("diag", &["source"]),
    ("model", &["units", "source"]),
    ("placement", &["units", "model"]),
    ("target", &["units", "model", "placement"]),
    ("input", &["units", "source", "diag", "model"]),
    ("analysis", &["units", "model", "placement", "target"]),
    ("search", &["units", "model", "target", "analysis"]),
    ("lint", &["units", "source", "diag", "model", "target", "analysis"]),
    (
        "report",
        &["units", "source", "diag", "model", "placement", "target", "input", "analysis", "search", "lint"],
    ),
    (
        "session",
        &[
            "units",
            "source",
            "diag",
            "model",
            "placement",
            "target",
            "input",
            "analysis",
            "search",
            "lint",
            "report",
        ],
    ),
    ("render", &["source", "diag", "report"]),
    (
        "cli",
        &[
            "units",
            "source",
            "diag",
            "model",
            "placement",
            "target",
            "input",
            "analysis",
            "search",
            "lint",
            "report",
            "session",
            "render",
        ],
    ),
    ("main", &["cli"]),
];

/// Where each outside crate may be named: modules, or single files.
const CRATES: &[(&str, &[&str])] = &[
    ("anstream", &["cli"]),
    ("anyhow", &["cli"]),
    ("clap", &["cli"]),
    ("granit_parser", &["input"]),
    ("libm", ANYWHERE),
    ("schemars", &["input", "report/wire.rs", "cli"]),
    ("serde", &["input", "report/wire.rs"]),
    ("serde_json", &["input", "report/wire.rs", "cli"]),
    ("serde_yaml", &["input"]),
    ("sqlparser", &["input"]),
    ("thiserror", ANYWHERE),
    ("unicode_width", &["render", "cli"]),
];

/// Marks a crate that does nothing but compute.
const ANYWHERE: &[&str] = &["*"];

/// Parts of `std` that reach out of the program, and where they may be named.
const OUTSIDE_WORLD: &[(&str, &[&str])] = &[
    ("env", &["cli"]),
    ("fs", &["cli"]),
    ("net", &["cli"]),
    ("process", &["cli", "main"]),
    ("thread", &["cli"]),
    ("time", &["cli"]),
];

/// What prints, or holds a stream that prints, and is therefore only the command line's.
const PRINTING: &[&str] =
    &["print!", "println!", "eprint!", "eprintln!", "dbg!", "stdout()", "stderr()", "stdin()"];

/// Folders whose files each hold statics that a list must name: folder, type of the statics, list.
const REGISTRIES: &[(&str, &str, &str)] = &[("target", "Engine", "ENGINES"), ("lint/rules", "Rule", "RULES")];

/// Longest file before its tests.
const MAX_LINES: usize = 500;

#[test]
fn every_source_file_is_tidy() {
    let sources = sources();
    let tests = test_files(&sources);
    let found: Vec<String> = sources
        .iter()
        .flat_map(|(name, text)| {
            let code = (!tests.contains(name)).then(|| violations(name, text));
            without_comment(name, text).into_iter().chain(code.into_iter().flatten())
        })
        .collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_file_of_a_module_has_its_mod_line() {
    let found = without_mod_line(&sources());
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_engine_and_rule_is_in_its_list() {
    let sources = sources();
    let found: Vec<String> = REGISTRIES
        .iter()
        .flat_map(|(folder, kind, list)| unregistered(&sources, folder, kind, list))
        .collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_dependency_has_a_row_that_says_where_it_may_be_named() {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("Cargo.toml is TOML");
    let dependencies = manifest["dependencies"].as_table().expect("a table");
    let declared: Vec<String> = dependencies.keys().map(|it| it.replace('-', "_")).collect();
    for name in &declared {
        assert!(CRATES.iter().any(|(it, _)| it == name), "`{name}` has no row in CRATES");
    }
    for (name, _) in CRATES {
        assert!(declared.iter().any(|it| it == name), "`{name}` of CRATES is not a dependency");
    }
}

#[test]
fn the_layers_have_a_direction() {
    for (idx, (module, allowed)) in LAYERS.iter().enumerate() {
        for name in *allowed {
            let below = LAYERS[..idx].iter().any(|(it, _)| it == name);
            assert!(below, "`{module}` may name `{name}`, which does not stand above it in the table");
        }
    }
}

/// Every file under `src`: path from there with `/`, and text.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut found = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of src") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let name = path.strip_prefix(&root).expect("below src").to_string_lossy().replace('\\', "/");
                found.insert(name, fs::read_to_string(&path).expect("UTF-8"));
            }
        }
    }
    assert!(found.contains_key("lib.rs"), "no sources found under {}", root.display());
    found
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|it| panic!("{}: {it}", path.display()))
}

fn without_comment(name: &str, text: &str) -> Option<String> {
    (!text.starts_with("//!")).then(|| format!("src/{name} does not start with a `//!` comment"))
}

/// Everything that a file's code does and should not, as sentences.
fn violations(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let text = before_tests(text);
    let n_lines = text.lines().count();
    if n_lines > MAX_LINES {
        found.push(format!("has {n_lines} lines before its tests, more than {MAX_LINES}"));
    }
    let code = code_of(text);
    found.extend(layer_violations(name, &code));
    found.extend(crate_violations(name, &code));
    found.extend(world_violations(name, &code));
    if code.contains(".unwrap()") {
        found.push("calls `unwrap()` outside its tests".to_owned());
    }
    found.into_iter().map(|it| format!("src/{name} {it}")).collect()
}

/// The module a file belongs to: `units` for `units/text.rs` and `units.rs`.
fn module_of(name: &str) -> &str {
    name.split(['/', '.']).next().unwrap_or_default()
}

/// Files that hold nothing but tests: those that another one declares under `#[cfg(test)]`.
fn test_files(sources: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, text) in sources {
        let folder = name.rsplit_once('/').map_or("", |(it, _)| it);
        let is_root =
            ["mod.rs", "lib.rs", "main.rs"].iter().any(|it| name == it || name.ends_with(&format!("/{it}")));
        let below = if is_root { folder } else { name.strip_suffix(".rs").unwrap_or(name) };
        for (at, mark) in text.match_indices(TEST_MARK) {
            let mut lines = text[at + mark.len()..].trim_start().lines();
            let first = lines.next().unwrap_or_default();
            if let Some(path) = first.strip_prefix("#[path = \"").and_then(|it| it.strip_suffix("\"]")) {
                found.insert(joined(folder, path));
            } else if let Some(module) = first.strip_suffix(';').and_then(|it| it.rsplit_once("mod ")) {
                found.insert(joined(below, &format!("{}.rs", module.1)));
                found.insert(joined(below, &format!("{}/mod.rs", module.1)));
            }
        }
    }
    found
}

fn joined(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

/// Whether a file may do what a row of a table allows.
fn may(name: &str, allowed: &[&str]) -> bool {
    allowed.iter().any(|it| *it == "*" || *it == name || *it == module_of(name))
}

fn layer_violations(name: &str, code: &str) -> Vec<String> {
    let module = module_of(name);
    if module == "lib" {
        return Vec::new();
    }
    let Some((_, allowed)) = LAYERS.iter().find(|(it, _)| *it == module) else {
        return vec![format!("is in `{module}`, which has no row in LAYERS")];
    };
    let root = if module == "main" { "shardwright" } else { "crate" };
    let mut found: Vec<String> = named_after(code, root)
        .into_iter()
        .filter(|it| it != module && !allowed.contains(&it.as_str()))
        .filter(|it| LAYERS.iter().any(|(known, _)| known == it))
        .map(|it| format!("must not name `{it}`"))
        .collect();
    // From a module's own `mod.rs`, `super` is the crate: a way around the table.
    let is_root = name == format!("{module}.rs") || name == format!("{module}/mod.rs");
    if code.contains("super::super") || (is_root && !named_after(code, "super").is_empty()) {
        found.push("leaves its module by `super`; write `crate::…`".to_owned());
    }
    found
}

fn crate_violations(name: &str, code: &str) -> Vec<String> {
    let wrong = CRATES.iter().filter(|(it, allowed)| !may(name, allowed) && names_crate(code, it));
    wrong
        .map(|(it, allowed)| format!("must not name the crate `{it}`, which is for {}", allowed.join(", ")))
        .collect()
}

fn world_violations(name: &str, code: &str) -> Vec<String> {
    let std = named_after(code, "std");
    let reached = OUTSIDE_WORLD
        .iter()
        .filter(|(it, allowed)| !may(name, allowed) && std.iter().any(|named| named == it));
    let mut found: Vec<String> = reached.map(|(it, _)| format!("must not name `std::{it}`")).collect();
    if module_of(name) != "cli" {
        found
            .extend(PRINTING.iter().filter(|it| has_word(code, it)).map(|it| format!("must not use `{it}`")));
    }
    found
}

/// Files beside a `mod.rs` that it does not declare.
fn without_mod_line(sources: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    let tests = test_files(sources);
    for name in sources.keys().filter(|it| !tests.contains(*it)) {
        let path = name.strip_suffix("/mod.rs").or_else(|| name.strip_suffix(".rs")).unwrap_or(name);
        let Some((folder, module)) = path.rsplit_once('/') else { continue };
        let parents = [format!("{folder}/mod.rs"), format!("{folder}.rs")];
        let declared =
            parents.iter().filter_map(|it| sources.get(it)).any(|text| declares(&code_of(text), module));
        if !declared {
            found.push(format!("src/{name} is not declared in src/{folder}/mod.rs"));
        }
    }
    found
}

/// Statics of a registry's folder that its list does not name.
fn unregistered(sources: &BTreeMap<String, String>, folder: &str, kind: &str, list: &str) -> Vec<String> {
    let parent = folder.rsplit_once('/').map_or("", |(it, _)| it);
    let lists: String = [format!("{folder}/mod.rs"), format!("{parent}/mod.rs")]
        .iter()
        .filter_map(|it| sources.get(it))
        .filter_map(|text| list_of(&code_of(text), list))
        .collect();
    let mut found = Vec::new();
    for (name, text) in sources {
        let Some(file) = name.strip_prefix(&format!("{folder}/")) else { continue };
        let module = file.split(['/', '.']).next().unwrap_or_default();
        if file == "mod.rs" {
            continue;
        }
        for item in statics_of(&code_of(before_tests(text)), kind) {
            if !has_word(&lists, &format!("{module}::{item}")) {
                found.push(format!("src/{name}: `{module}::{item}` is not in {list}"));
            }
        }
    }
    found
}

/// Violations of a text that is fine but for one part.
fn planted(name: &str, code: &str) -> Vec<String> {
    violations(name, &format!("//! Planted.\n\n{code}\n"))
}

#[test]
fn a_tidy_file_has_no_violations() {
    let code = "use std::collections::BTreeMap;\nuse crate::source::Span;\n\nfn a<'a>(it: &'a str) -> char {\n    '\"'\n}\n";
    assert_eq!(planted("diag/mod.rs", code), Vec::<String>::new());
}

#[test]
fn a_name_from_a_higher_layer_is_caught_in_every_form() {
    for code in [
        "use crate::analysis::Assessment;",
        "use crate::{units::Rate, analysis::Assessment};",
        "use crate::{\n    source::{Span, Spanned},\n    analysis,\n};",
        "fn a() -> crate::analysis::Assessment { b }",
    ] {
        assert_eq!(
            planted("model/table.rs", code),
            ["src/model/table.rs must not name `analysis`"],
            "{code}"
        );
    }
    assert_eq!(
        planted("units/rate.rs", "use crate::source::Span;"),
        ["src/units/rate.rs must not name `source`"]
    );
    assert_eq!(
        planted("render/json.rs", "use crate::model::Plan;"),
        ["src/render/json.rs must not name `model`"]
    );
    assert_eq!(
        planted("main.rs", "use shardwright::report::Report;"),
        ["src/main.rs must not name `report`"]
    );
    assert_eq!(planted("main.rs", "use shardwright::cli::run;"), Vec::<String>::new());
}

#[test]
fn a_member_of_a_group_below_an_allowed_module_is_not_a_module() {
    // `input` here is `model::input`, not the layer.
    assert_eq!(planted("analysis/mod.rs", "use crate::{model::{input, Plan}, units};"), Vec::<String>::new());
}

#[test]
fn super_is_no_way_around_the_table() {
    let wrong = |name: &str| vec![format!("src/{name} leaves its module by `super`; write `crate::…`")];
    assert_eq!(planted("units/mod.rs", "use super::model::Plan;"), wrong("units/mod.rs"));
    assert_eq!(planted("units/text.rs", "use super::super::model::Plan;"), wrong("units/text.rs"));
    assert_eq!(planted("units/text.rs", "use super::Bytes;"), Vec::<String>::new());
}

#[test]
fn a_module_without_a_row_is_caught() {
    assert_eq!(
        planted("helpers/mod.rs", ""),
        ["src/helpers/mod.rs is in `helpers`, which has no row in LAYERS"]
    );
}

#[test]
fn a_crate_outside_its_place_is_caught() {
    let of = |name: &str, code: &str| planted(name, code).len();
    assert_eq!(of("analysis/mod.rs", "use serde::Serialize;"), 1);
    assert_eq!(of("report/mod.rs", "use serde::Serialize;"), 1);
    assert_eq!(of("report/wire.rs", "use serde::Serialize;"), 0);
    assert_eq!(of("lint/mod.rs", "fn a() -> anyhow::Result<()> {}"), 1);
    assert_eq!(of("cli/mod.rs", "use anyhow::Context;"), 0);
    assert_eq!(of("model/mod.rs", "use sqlparser;"), 1);
    assert_eq!(of("analysis/mod.rs", "let a = libm::exp(1.0);"), 0);
    // Neither a longer name nor a module of the same name is the crate.
    assert_eq!(of("analysis/mod.rs", "use crate::analysis::serde::a; let b = my_serde::c;"), 0);
}

#[test]
fn the_world_outside_is_only_the_command_lines() {
    let of = |name: &str, code: &str| planted(name, code).len();
    for code in [
        "use std::fs;",
        "use std::{io::Write, fs};",
        "let now = std::time::Instant::now();",
        "std::thread::spawn(a);",
        "let home = std::env::var(\"HOME\");",
        "println!(\"a\");",
        "eprintln!(\"a\");",
        "print!(\"a\");",
        "let out = std::io::stdout();",
    ] {
        assert_eq!(of("search/mod.rs", code), 1, "{code}");
        assert_eq!(of("cli/files.rs", code), 0, "{code}");
    }
    assert_eq!(of("main.rs", "fn main() -> std::process::ExitCode { a }"), 0);
    assert_eq!(of("render/mod.rs", "use std::io::Write;\nwriteln!(out, \"a\");"), 0);
}

#[test]
fn unwrap_is_for_tests() {
    assert_eq!(
        planted("units/text.rs", "let a = b.unwrap();"),
        ["src/units/text.rs calls `unwrap()` outside its tests"]
    );
    let tested = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() { c.unwrap(); }\n}";
    assert_eq!(planted("units/text.rs", tested), Vec::<String>::new());
    let shared = "fn a() {}\n\n#[cfg(test)]\npub(super) mod tests {\n    fn b() { c.unwrap(); }\n}";
    assert_eq!(planted("units/text.rs", shared), Vec::<String>::new());
    // A test module in its own file does not hide what stands below its line.
    let hidden = "#[cfg(test)]\nmod tests;\n\nfn a() { b.unwrap(); }";
    assert_eq!(planted("units/mod.rs", hidden).len(), 1);
}

#[test]
fn words_in_comments_and_texts_do_not_count() {
    let code = "// std::fs and println!(), see [`crate::cli`]\n/* a /* std::time */ .unwrap() */\n\
                const A: &str = \"crate::cli \\\" std::fs\";\nconst B: &str = r#\"println!(\"a\")\"#;\nconst C: char = '\"';";
    assert_eq!(planted("units/mod.rs", code), Vec::<String>::new());
    // The scan is back in code behind each of them.
    assert_eq!(planted("units/mod.rs", &format!("{code}\nuse std::fs;")).len(), 1);
}

#[test]
fn a_long_file_and_a_missing_comment_are_caught() {
    // The planted comment and its empty line make two.
    assert_eq!(planted("units/mod.rs", &"\n".repeat(MAX_LINES - 3)), Vec::<String>::new());
    assert_eq!(planted("units/mod.rs", &"\n".repeat(MAX_LINES)).len(), 1);
    assert!(without_comment("units/mod.rs", "mod a;\n").is_some());
    assert!(without_comment("units/mod.rs", "//! Quantities.\n").is_none());
}

#[test]
fn files_that_are_declared_for_tests_are_tests() {
    let sources = [
        ("lib.rs", "#[cfg(test)]\nmod shared;"),
        ("input/mod.rs", "#[cfg(test)]\npub(crate) mod testing;\nmod sql;"),
        ("input/sql.rs", "#[cfg(test)]\n#[path = \"sql_tests.rs\"]\nmod tests;"),
        ("input/yaml.rs", "#[cfg(test)]\nmod tests;\n#[cfg(test)]\nmod inside {\n}"),
    ];
    let found = test_files(&sources.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    for name in ["shared.rs", "input/testing.rs", "input/sql_tests.rs", "input/yaml/tests.rs"] {
        assert!(found.contains(name), "{name}");
    }
    for name in ["input/sql.rs", "input/tests.rs", "input/yaml/inside.rs"] {
        assert!(!found.contains(name), "{name}");
    }
}

#[test]
fn an_engine_that_is_in_no_list_is_caught() {
    let with = |list: &str, engine: &str| {
        let sources =
            [("target/mod.rs", list), ("target/citus.rs", engine), ("target/limit.rs", "pub struct Limit;")];
        let sources = sources.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        unregistered(&sources, "target", "Engine", "ENGINES")
    };
    let list = "mod citus;\npub static ENGINES: &[&Engine] = &[&citus::ENGINE];";
    let engine = "pub(super) static ENGINE: Engine = Engine {};";
    assert_eq!(with(list, engine), Vec::<String>::new());
    let empty =
        "mod citus;\npub static ENGINES: &[&Engine] = &[]; // citus::ENGINE\nfn a() { citus::ENGINE }";
    assert_eq!(with(empty, engine), ["src/target/citus.rs: `citus::ENGINE` is not in ENGINES"]);
    assert_eq!(with(list, "static ENGINE: Engine = a;\nstatic AZURE: crate::target::Engine = b;").len(), 1);
    assert_eq!(
        with(list, "#[cfg(test)]\nmod tests {\n    static OTHER: Engine = a;\n}"),
        Vec::<String>::new()
    );
}

#[test]
fn a_rule_may_be_listed_in_the_folder_above() {
    let sources = [
        ("lint/mod.rs", "mod rules;\npub static RULES: &[&Rule] = &[&rules::key::CONSTANT];"),
        ("lint/rules/mod.rs", "pub(super) mod key;"),
        ("lint/rules/key.rs", "pub(crate) static CONSTANT: Rule = a;\npub(crate) static HOT: Rule = b;"),
    ];
    let sources = sources.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    assert_eq!(
        unregistered(&sources, "lint/rules", "Rule", "RULES"),
        ["src/lint/rules/key.rs: `key::HOT` is not in RULES"]
    );
}

#[test]
fn a_file_without_its_mod_line_is_caught() {
    let with = |text: &str| {
        let sources = [("target/mod.rs", text), ("target/citus.rs", ""), ("target/redis/mod.rs", "")];
        without_mod_line(&sources.map(|(name, text)| (name.to_owned(), text.to_owned())).into())
    };
    assert_eq!(with("mod citus;\npub(crate) mod redis;"), Vec::<String>::new());
    assert_eq!(
        with("mod redis;\n// mod citus;"),
        ["src/target/citus.rs is not declared in src/target/mod.rs"]
    );
    assert_eq!(with("mod citus;\nmod my_redis;").len(), 1);
}
