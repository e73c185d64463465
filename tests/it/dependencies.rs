//! What the program is built from: licences that may be passed on, and no crate
//! in two incompatible versions without a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Licences under which a dependency may come.
const LICENCES: &[&str] = &[
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that may be there in several incompatible versions, and why.
const DOUBLES: &[(&str, &str)] = &[
    ("getrandom", "0.3 by ahash, 0.4 by rand; tests only"),
    ("hashbrown", "0.16 by referencing of jsonschema (tests only), 0.17 by indexmap"),
    ("r-efi", "5 and 6 by the two getrandom; on UEFI targets only"),
    ("syn", "2 by two derive macros that have not moved, 3 by all others; never in the program itself"),
    ("winnow", "0.7 by toml, 1 by its own parser crate; tests only"),
];

#[test]
fn every_dependency_has_a_licence_that_may_be_passed_on() {
    // Of the platform that the test runs on: its crates are there, so no network is needed.
    let version = output(Command::new("rustc").arg("-vV"));
    let host =
        version.lines().find_map(|it| it.strip_prefix("host: ")).expect("rustc names its host").to_owned();
    let metadata = output(
        Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &host])
            .current_dir(env!("CARGO_MANIFEST_DIR")),
    );
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let wrong: Vec<String> = packages
        .iter()
        .filter(|it| !it["license"].as_str().is_some_and(is_allowed))
        .map(|it| format!("{} {}: {}", it["name"], it["version"], it["license"]))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(packages.iter().any(|it| it["name"] == "serde"), "the list of packages looks empty");
}

#[test]
fn no_crate_is_there_twice_without_a_reason() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
    let lock: Value = toml::from_str(&fs::read_to_string(path).expect("Cargo.lock")).expect("TOML");
    let packages = lock["package"].as_array().expect("a list");
    let versions = packages.iter().filter_map(|it| Some((it["name"].as_str()?, it["version"].as_str()?)));
    let twice = in_several_versions(versions);
    for (name, versions) in &twice {
        let known = DOUBLES.iter().any(|(it, _)| it == name);
        assert!(known, "`{name}` is there as {versions:?}: bring them together, or add a reason to DOUBLES");
    }
    for (name, _) in DOUBLES {
        assert!(twice.contains_key(*name), "`{name}` is there once: its row in DOUBLES can go");
    }
}

/// What a command that has to succeed prints.
fn output(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|it| panic!("{command:?}: {it}"));
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("UTF-8")
}

/// Crates with more than one version that a build may not mix.
fn in_several_versions<'a>(
    packages: impl Iterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<&'a str, BTreeSet<String>> {
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, version) in packages {
        // Below 1.0 the second number is what breaks.
        let n_parts = if version.starts_with("0.") { 2 } else { 1 };
        let breaking: Vec<&str> = version.split('.').take(n_parts).collect();
        found.entry(name).or_default().insert(breaking.join("."));
    }
    found.retain(|_, versions| versions.len() > 1);
    found
}

/// Whether a licence expression can be satisfied by the list: `OR` is a choice,
/// `AND` is both, and a slash is an old way to write `OR`.
fn is_allowed(expression: &str) -> bool {
    let text = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut at = 0;
    let allowed = choice(&words, &mut at);
    allowed && at == words.len()
}

fn choice(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = both(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        allowed |= both(words, at);
    }
    allowed
}

fn both(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = one(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        allowed &= one(words, at);
    }
    allowed
}

fn one(words: &[&str], at: &mut usize) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let allowed = choice(words, at);
        let closed = words.get(*at) == Some(&")");
        *at += 1;
        return allowed && closed;
    }
    if words.get(*at) == Some(&"WITH") {
        let exception = words.get(*at + 1).copied().unwrap_or_default();
        *at += 2;
        return LICENCES.contains(&format!("{word} WITH {exception}").as_str());
    }
    LICENCES.contains(word)
}

#[test]
fn a_choice_of_licences_needs_one_and_a_pair_needs_both() {
    for fine in [
        "MIT",
        "MIT OR GPL-3.0",
        "Unlicense/MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        "GPL-3.0 AND MIT OR MIT",
    ] {
        assert!(is_allowed(fine), "{fine}");
    }
    for wrong in [
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR Apache-2.0) AND GPL-3.0",
        "GPL-2.0 WITH Classpath",
        "",
        "(MIT",
    ] {
        assert!(!is_allowed(wrong), "{wrong}");
    }
}

#[test]
fn versions_that_a_build_may_not_mix_are_doubles() {
    let of = |packages: &[(&'static str, &'static str)]| {
        in_several_versions(packages.iter().copied()).into_keys().collect::<Vec<_>>()
    };
    assert_eq!(of(&[("a", "1.2.3"), ("a", "2.0.0")]), ["a"]);
    assert_eq!(of(&[("a", "0.2.3"), ("a", "0.3.0")]), ["a"]);
    assert!(of(&[("a", "1.2.3"), ("a", "1.9.0"), ("b", "2.0.0")]).is_empty());
}
