//! Documents that the code writes are what stands in the tree; `SHARDWRIGHT_WRITE=1` writes them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn targets_document_is_what_the_engines_say() {
    is_current("docs/targets.md", &shardwright::target::targets_markdown());
}

#[test]
fn outputs_in_the_readme_are_what_the_program_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(path).expect("README.md").replace("\r\n", "\n");
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(command) = line.strip_prefix("<!-- output: ").and_then(|it| it.strip_suffix(" -->")) else {
            continue;
        };
        assert_eq!(lines.next(), Some("```text"), "a block follows `{line}`");
        assert!(lines.any(|it| it == "```"), "the block of `{line}` ends");
        out.push_str(&format!("```text\n$ shardwright {command}\n{}```\n", printed(command)));
    }
    assert!(out.contains("$ shardwright advise"), "the readme shows advice");
    is_current("README.md", &out);
}

#[test]
fn every_engine_stands_in_the_readme() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("README.md");
    for engine in shardwright::target::ENGINES {
        assert!(text.contains(&format!("`{}`", engine.id)), "{}", engine.id);
    }
}

#[test]
fn the_design_in_the_readme_can_be_read() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("README.md");
    let design = text.split_once("```yaml\n").and_then(|(_, it)| it.split_once("```")).expect("a design").0;
    let mut child = Command::new(env!("CARGO_BIN_EXE_shardwright"))
        .args(["lint", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(design.as_bytes()).expect("it reads");
    let done = child.wait_with_output().expect("it ends");
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(report["model"]["engine"], "citus");
    let wrong: Vec<_> =
        report["findings"].as_array().expect("findings").iter().filter(|it| it["level"] == "error").collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// What the program prints for a command; with `| head -N` its first lines.
fn printed(command: &str) -> String {
    let (command, lines) = match command.split_once(" | head -") {
        Some((command, lines)) => (command, lines.parse().expect("a number of lines")),
        None => (command, usize::MAX),
    };
    let done = Command::new(env!("CARGO_BIN_EXE_shardwright"))
        .args(command.split_whitespace())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts");
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    assert!(!text.is_empty(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
    text.lines().take(lines).map(|it| format!("{it}\n")).collect()
}

fn is_current(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var("SHARDWRIGHT_WRITE").is_ok_and(|it| it == "1") {
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        std::fs::write(&path, text).expect("the document can be written");
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(stands == text, "{name} is out of date: run the tests with SHARDWRIGHT_WRITE=1");
}
