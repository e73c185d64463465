//! What the tests of this module share: a text read, and what was said of it.

use std::collections::BTreeMap;

use crate::diag::Finding;
use crate::input::{Loader, ReadDesign, read};
use crate::model::Design;
use crate::source::{FileId, Files};

/// Files by name.
#[derive(Default)]
pub(super) struct Folder(pub(super) BTreeMap<String, String>);

impl Loader for Folder {
    fn load(&mut self, _from: FileId, path: &str, files: &mut Files) -> Result<FileId, String> {
        match self.0.get(path) {
            Some(text) => Ok(files.add(path, text.clone())),
            None => Err("no such file".to_owned()),
        }
    }
}

/// Reads one file, `design.yaml`.
pub(super) fn read_text(text: &str) -> (ReadDesign, Files) {
    let mut files = Files::default();
    let root = files.add("design.yaml", text);
    let read = read(&[root], &mut files, &mut Folder::default());
    (read, files)
}

/// The design of a text of which nothing is to be said.
pub(super) fn clean(text: &str) -> Design {
    let (read, files) = read_text(text);
    assert_eq!(lines(&read.findings, &files), Vec::<String>::new());
    assert!(read.readable);
    read.design
}

/// What is said of a text: `line:column `marked text` message (help)`.
pub(super) fn said(text: &str) -> Vec<String> {
    let (read, files) = read_text(text);
    lines(&read.findings, &files)
}

/// Findings as lines.
pub(super) fn lines(findings: &[Finding], files: &Files) -> Vec<String> {
    let line = |it: &Finding| {
        let (place, text) = (files.places(it.span).0, files.text(it.span.file));
        let marked = &text[it.span.start as usize..it.span.end as usize];
        let marked = marked.lines().next().unwrap_or("");
        let help = it.help.as_ref().map_or(String::new(), |it| format!(" ({it})"));
        format!("{}:{} `{marked}` {}{help}", place.line, place.column, it.message)
    };
    findings.iter().map(line).collect()
}

/// A value's debug text without places, so that two readings can be compared.
pub(super) fn without_places(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:#?}");
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        match line.split_once("Span {") {
            Some((before, _)) => {
                let indent = before.len() - before.trim_start().len();
                let end = format!("{}}}", " ".repeat(indent));
                lines.by_ref().find(|it| it.starts_with(&end) && it.trim_start().starts_with('}'));
                out.push_str(&format!("{before}Span\n"));
            }
            None => out.push_str(&format!("{line}\n")),
        }
    }
    out
}
