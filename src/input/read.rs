//! From files to a design: which reader a file needs, what it includes, and
//! one design made of all of them.

use crate::diag::{Finding, settle};
use crate::input::fields::{Name, syntax};
use crate::input::raw::RawDesign;
use crate::input::{decode, lower, lower_plan, sql_file, sql_lower, suppress, tree};
use crate::model::{Design, Ignore, Plan};
use crate::source::{FileId, Files, Span};

/// How deep files may include one another.
const MAX_DEPTH: usize = 8;
/// How many files one design may be made of.
const MAX_FILES: usize = 1000;

/// Finds and reads included files; the caller's, because the library reads no files itself.
pub trait Loader {
    /// Adds the file that `from` calls `path` to `files`, or gives the id of
    /// the one that is there already.
    ///
    /// # Errors
    ///
    /// In words, when there is no such file or it can't be read.
    fn load(&mut self, from: FileId, path: &str, files: &mut Files) -> Result<FileId, String>;
}

/// What was read.
#[derive(Debug)]
pub struct ReadDesign {
    /// The design, without what could not be read.
    pub design: Design,
    /// What there is to say about the text, by place.
    pub findings: Vec<Finding>,
    /// Whether each of the root files holds a tree that can be read at all.
    pub readable: bool,
}

/// Reads root files, and what they include, as one design. A file is SQL or
/// YAML by its name, else by its content. What an earlier file says of a
/// thing that can be said once (an engine, a name) holds.
pub fn read(roots: &[FileId], files: &mut Files, loader: &mut dyn Loader) -> ReadDesign {
    let mut reading = Reading { files, loader, findings: Vec::new(), seen: Vec::new() };
    let mut raw = RawDesign::default();
    let mut readable = !roots.is_empty();
    for root in roots {
        if reading.is_seen(*root) {
            continue;
        }
        match reading.file(*root, &mut Vec::new()) {
            Some(it) => raw.absorb(it, &mut reading.findings),
            None => readable = false,
        }
    }
    let mut findings = reading.findings;
    let design = lower::design(raw, &mut findings);
    settle(&mut findings);
    ReadDesign { design, findings, readable }
}

/// Reads the plan of a file and resolves its names in a design. The last value
/// tells whether there is a tree that can be read at all.
#[must_use]
pub fn read_plan(root: FileId, files: &Files, onto: &Design) -> (Option<Plan>, Vec<Finding>, bool) {
    let mut findings = Vec::new();
    let text = files.text(root);
    let (raw, readable) = if is_sql(files.name(root), text) {
        let items = sql_file::read_items(text, root, &mut findings);
        let plan = sql_lower::design(items, text, &mut findings).plan;
        if plan.is_none() {
            findings.push(syntax(Span::new(root, 0, 0), "no statement here places a table"));
        }
        (plan, true)
    } else {
        match tree::read(text, root, &mut findings) {
            Some(tree) => (decode::plan_only(&tree, text, root, &mut findings), is_mapping(&tree)),
            None => (None, false),
        }
    };
    let plan = raw.map(|it| lower_plan::plan(it, onto, &mut findings));
    settle(&mut findings);
    (plan, findings, readable)
}

/// The suppression comments of a file that [`read_plan`] reads, which says what is wrong with them.
#[must_use]
pub fn read_suppressions(file: FileId, files: &Files) -> Vec<Ignore> {
    let mut findings = Vec::new();
    let text = files.text(file);
    if is_sql(files.name(file), text) {
        let items = sql_file::read_items(text, file, &mut findings);
        return sql_lower::design(items, text, &mut findings).lint.ignore;
    }
    match tree::read(text, file, &mut findings) {
        Some(tree) => suppress::in_tree(&tree, text, &mut findings),
        None => Vec::new(),
    }
}

fn is_mapping(tree: &tree::Tree) -> bool {
    tree.root.as_ref().is_some_and(|it| matches!(it.kind, tree::Kind::Mapping(_)))
}

struct Reading<'f> {
    files: &'f mut Files,
    loader: &'f mut dyn Loader,
    findings: Vec<Finding>,
    /// Every file that was read, so that one reached in two ways is read once.
    seen: Vec<FileId>,
}

impl Reading<'_> {
    fn same(&self, a: FileId, b: FileId) -> bool {
        a == b || self.files.name(a) == self.files.name(b)
    }

    fn is_seen(&self, file: FileId) -> bool {
        self.seen.iter().any(|it| self.same(*it, file))
    }

    /// Reads a file and what it includes; `chain` holds the files on the way to
    /// it and bounds the recursion. `None`: there is no tree that can be read.
    fn file(&mut self, file: FileId, chain: &mut Vec<FileId>) -> Option<RawDesign> {
        self.seen.push(file);
        let text = self.files.text(file).to_owned();
        if is_sql(self.files.name(file), &text) {
            let items = sql_file::read_items(&text, file, &mut self.findings);
            return Some(sql_lower::design(items, &text, &mut self.findings));
        }
        let tree = tree::read(&text, file, &mut self.findings)?;
        let Some(mut raw) = decode::design(&tree, &text, file, &mut self.findings) else {
            return is_mapping(&tree).then(RawDesign::default);
        };
        chain.push(file);
        for path in std::mem::take(&mut raw.include) {
            if let Some(other) = self.include(&path, file, chain) {
                raw.absorb(other, &mut self.findings);
            }
        }
        chain.pop();
        Some(raw)
    }

    fn include(&mut self, path: &Name, from: FileId, chain: &mut Vec<FileId>) -> Option<RawDesign> {
        if MAX_DEPTH < chain.len() {
            self.say(path, format!("files include one another more than {MAX_DEPTH} deep"));
            return None;
        }
        if MAX_FILES <= self.seen.len() {
            self.say(path, format!("the design has more than {MAX_FILES} files"));
            return None;
        }
        let file = match self.loader.load(from, &path.value, self.files) {
            Ok(file) => file,
            Err(reason) => {
                self.say(path, format!("`{}` can't be included: {reason}", path.value));
                return None;
            }
        };
        if let Some(at) = chain.iter().position(|it| self.same(*it, file)) {
            let mut names: Vec<&str> = chain[at..].iter().map(|it| self.files.name(*it)).collect();
            names.push(self.files.name(file));
            let message = format!("the files include one another in a circle: {}", names.join(" → "));
            self.say(path, message);
            return None;
        }
        if self.is_seen(file) {
            return None;
        }
        self.file(file, chain)
    }

    fn say(&mut self, path: &Name, message: String) {
        self.findings.push(syntax(path.span, message));
    }
}

/// Whether a file is SQL: by the end of its name, else by how it starts.
fn is_sql(name: &str, text: &str) -> bool {
    let end =
        name.rsplit(['/', '\\']).next().and_then(|it| it.rsplit_once('.')).map(|(_, end)| end.to_lowercase());
    match end.as_deref() {
        Some("sql" | "ddl" | "cql") => true,
        Some("yaml" | "yml" | "json") => false,
        _ => starts_like_sql(text),
    }
}

fn starts_like_sql(text: &str) -> bool {
    const WORDS: [&str; 10] =
        ["create", "select", "insert", "update", "delete", "begin", "alter", "with", "set", "use"];
    let text = text.trim_start_matches('\u{feff}');
    let Some(line) = text.lines().map(str::trim_start).find(|it| !it.is_empty() && !it.starts_with('#'))
    else {
        return false;
    };
    if line.starts_with("/*") || (line.starts_with("--") && !line.starts_with("---")) {
        return true;
    }
    let word: String = line.chars().take_while(char::is_ascii_alphabetic).collect();
    let behind = line[word.len()..].chars().next();
    WORDS.contains(&word.to_lowercase().as_str()) && behind.is_some_and(char::is_whitespace)
}
