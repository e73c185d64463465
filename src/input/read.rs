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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{Folder, clean, lines, read_text};

    /// Reads files by name; the first `roots` of them are the roots.
    fn read_files(roots: usize, texts: &[(&str, &str)]) -> (ReadDesign, Vec<String>) {
        let mut folder = Folder::default();
        let mut files = Files::default();
        let mut ids = Vec::new();
        for (at, (name, text)) in texts.iter().enumerate() {
            folder.0.insert((*name).to_owned(), (*text).to_owned());
            if at < roots {
                ids.push(files.add(*name, *text));
            }
        }
        let read = read(&ids, &mut files, &mut folder);
        let said = lines(&read.findings, &files);
        (read, said)
    }

    #[test]
    fn several_files_are_one_design_and_names_are_found_in_all_of_them() {
        let (read, said) = read_files(
            2,
            &[
                (
                    "a.yaml",
                    "shardwright: 1\nname: first\ninclude: [c.yaml]\npatterns:\n  - {name: p, read: t, with: [u], rate: \
                     1/s}\nplan: {tables: {t: {key: [x]}}}\n",
                ),
                (
                    "b.yaml",
                    "shardwright: 1\nname: second\nhorizon: 3y\ntables: {t: {primary_key: [x], columns: {x: int}}}\n",
                ),
                (
                    "c.yaml",
                    "shardwright: 1\ntarget: {nodes: 4}\ntables: {u: {columns: {y: {type: int, references: t.x}}}}\n",
                ),
            ],
        );
        assert_eq!(said, Vec::<String>::new());
        let design = read.design;
        assert_eq!((design.name.as_str(), design.target.nodes), ("first", Some(4)));
        assert!((design.horizon().days() - 3.0 * 365.25).abs() < 1e-6);
        let tables: Vec<&str> = design.tables.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(tables, ["u", "t"]);
        assert_eq!(design.patterns[0].steps[0].statements[0].predicates.len(), 1);
        assert_eq!(design.plan.unwrap().tables.len(), 1);
    }

    #[test]
    fn files_that_include_one_another_in_a_circle_are_said() {
        let (read, said) = read_files(
            1,
            &[
                ("a.yaml", "shardwright: 1\ninclude: [b.yaml]\nname: kept\n"),
                ("b.yaml", "shardwright: 1\ninclude: [a.yaml]\n"),
            ],
        );
        assert_eq!(
            said,
            ["2:11 `a.yaml` the files include one another in a circle: a.yaml → b.yaml → a.yaml"]
        );
        assert_eq!(read.design.name, "kept");
        assert!(read.readable);
    }

    #[test]
    fn files_include_one_another_eight_deep_and_no_deeper() {
        let texts: Vec<(String, String)> = (0..12)
            .map(|at| (format!("{at}.yaml"), format!("shardwright: 1\ninclude: [{}.yaml]\n", at + 1)))
            .collect();
        let mut borrowed: Vec<(&str, &str)> =
            texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let (_, said) = read_files(1, &borrowed);
        assert_eq!(said, ["2:11 `9.yaml` files include one another more than 8 deep"]);
        borrowed[8].1 = "shardwright: 1\n";
        assert_eq!(read_files(1, &borrowed).1, Vec::<String>::new());
    }

    #[test]
    fn a_file_reached_twice_is_read_once_and_a_missing_one_is_said() {
        let (read, said) = read_files(
            2,
            &[
                ("a.yaml", "shardwright: 1\ninclude: [b.yaml, c.yaml, no.yaml]\n"),
                ("b.yaml", "shardwright: 1\ninclude: [c.yaml]\n"),
                ("c.yaml", "shardwright: 1\ntables: {t: {}}\n"),
            ],
        );
        assert_eq!(said, ["2:27 `no.yaml` `no.yaml` can't be included: no such file"]);
        assert_eq!(read.design.tables.len(), 1);
    }

    #[test]
    fn doubles_across_files_are_said_with_both_places() {
        let (read, _) = read_files(
            2,
            &[
                ("a.yaml", "shardwright: 1\ntables: {t: {}}\ncache: {items: 1}\n"),
                ("b.yaml", "shardwright: 1\ntables: {t: {}}\ncache: {items: 2}\n"),
            ],
        );
        let said: Vec<(&str, u32)> =
            read.findings.iter().map(|it| (it.message.as_str(), it.related[0].0.file.0)).collect();
        let table = "a second table `t`; the first one is read";
        let cache = "a second `cache:` section; the first one is read";
        assert_eq!(said, [(table, 0), (cache, 0)]);
        assert_eq!(read.design.cache.unwrap().items, Some(1));
    }

    #[test]
    fn one_broken_root_makes_the_whole_unreadable_and_loses_nothing_of_the_other() {
        let (read, said) = read_files(2, &[("a.yaml", "a: ]\n"), ("b.yaml", "shardwright: 1\nname: x\n")]);
        assert!(!read.readable);
        assert_eq!(read.design.name, "x");
        assert_eq!(said, ["1:4 `]` misplaced bracket"]);
    }

    #[test]
    fn a_plan_file_is_resolved_in_another_files_tables() {
        let onto = clean("shardwright: 1\ntables: {t: {columns: {a: int, b: int}}}\n");
        let mut files = Files::default();
        let text = "shardwright: 1\ntables: {ignored: {rows: nonsense}}\nplan:\n  by: me\n  tables: {t: {key: [b]}, u: \
                    {key: [c]}}\n# shardwright: ignore[x] why\n";
        let id = files.add("plan.yaml", text);
        let (plan, findings, readable) = read_plan(id, &files, &onto);
        assert!(readable);
        assert_eq!(lines(&findings, &files), ["5:27 `u` there is no table `u` (tables: `t`)"]);
        let plan = plan.unwrap();
        assert_eq!((plan.by.as_deref(), plan.tables.len()), (Some("me"), 1));
        assert_eq!(read_suppressions(id, &files)[0].rule, "x");
    }

    #[test]
    fn a_plan_file_without_a_plan_is_said() {
        let mut files = Files::default();
        for (text, said, readable) in [
            ("shardwright: 1\n", "there is no `plan:` here", true),
            ("shardwright: 9\n", "format version 9 is read by a later shardwright", true),
            ("x", "the file is a single value, not a design", false),
            ("[", "unclosed bracket '['", false),
        ] {
            let id = files.add("plan.yaml", text);
            let (plan, findings, tree) = read_plan(id, &files, &Design::default());
            assert!(plan.is_none());
            assert!(findings[0].message.starts_with(said), "{findings:?}");
            assert_eq!((findings.len(), tree), (1, readable));
        }
    }

    #[test]
    fn sql_is_known_by_name_and_else_by_its_start() {
        for (name, text, sql) in [
            ("schema.sql", "shardwright: 1", true),
            ("dir.sql/design.yaml", "-- x", false),
            ("a.CQL", "", true),
            ("-", "-- @target engine=citus", true),
            ("-", "\u{feff}\n/* x */ CREATE", true),
            ("-", "create table t (a int)", true),
            ("-", "created: x", false),
            ("-", "set: [a]", false),
            ("-", "--- \nshardwright: 1", false),
            ("-", "# create table\nshardwright: 1", false),
            ("-", "", false),
        ] {
            assert_eq!(is_sql(name, text), sql, "{name} {text}");
        }
    }

    const SAMPLE: &str = "\u{feff}shardwright: 1
name: 'ร้านค้า'   # shardwright: ignore[a, b] เหตุผล
target: {engine: citus, shards: 32, node: {storage: 2TB}}
tables:
  orders: &orders
    rows: 200M
    primary_key: [w, o]
    columns:
      w: {type: bigint, skew: {top: {acme: 12%}, rest: zipf(1.1)}}
      o: {type: uuid, generated: uuid7}
      l: {type: list, items: 10, item_size: 1KB}
  items: {columns: {w: {type: bigint, references: orders.w}, o: {type: uuid, references: orders.o}}}
patterns:
  - {name: \"a\\tb\", read: orders, where: {w: eq, o: in(3)}, with: [items], rate: 1/s, peak: 2x}
  - name: s
    sql: >-
      SELECT * FROM orders
      WHERE w = :w
    rate: 2/min
plan:
  tables: {orders: {key: [w, {bucket: o, every: 1d}], salt: 4}, items: {key: [w]}}
  indexes: [{name: i, table: orders, key: [o], include: all}]
  claims: [{pattern: s, shards: 1}, {data_size: <= 8TB}]
layout: {table: app, entities: {orders: {pk: \"O#{o}\"}}, serve: {s: {get: table, pk: x}}}
ids: {orders.o: {kind: snowflake, epoch: 2024-01-01}}
cache: {items: 1M, tiers: [{name: L1, ttl: 2s}]}
copy: *orders
";

    #[test]
    fn a_file_cut_at_any_byte_is_read_without_a_panic_and_places_lie_inside() {
        for end in (0..=SAMPLE.len()).filter(|it| SAMPLE.is_char_boundary(*it)) {
            let text = &SAMPLE[..end];
            let (read, files) = read_text(text);
            for finding in &read.findings {
                let marked = text.get(finding.span.start as usize..finding.span.end as usize);
                assert!(marked.is_some(), "{end}: {finding:?}");
                assert!(files.text(finding.span.file).len() == text.len());
            }
        }
    }

    #[test]
    fn a_file_with_letters_changed_is_read_without_a_panic() {
        for (at, _) in SAMPLE.char_indices().skip(1).step_by(11) {
            for other in ["", ":", "[", "}", "\n", "\"", "*a", "ก"] {
                let next = at + SAMPLE[at..].chars().next().map_or(0, char::len_utf8);
                let text = format!("{}{other}{}", &SAMPLE[..at], &SAMPLE[next..]);
                let (read, _) = read_text(&text);
                for finding in &read.findings {
                    assert!(text.get(finding.span.start as usize..finding.span.end as usize).is_some());
                }
            }
        }
    }
}
