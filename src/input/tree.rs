//! YAML as a small tree: every node and key with its place, comments with
//! theirs, and limits against texts that are made to exhaust a reader.

use std::collections::BTreeMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle};

use crate::diag::{Finding, Level, SYNTAX};
use crate::source::{FileId, Span, Spanned};

/// Largest text that is read.
const MAX_BYTES: usize = 64 << 20;
/// Deepest nesting. It also bounds every recursion over the tree.
const MAX_DEPTH: usize = 64;
/// Most nodes of a text.
const MAX_NODES: usize = 5_000_000;
/// Most nodes that aliases repeat, so that a short text can't become a large tree.
const MAX_REPEATED: usize = 100_000;

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// From its first to its last byte; a block collection ends with its last child.
    pub(super) span: Span,
    /// The value.
    pub(super) kind: Kind,
}

/// What a [`Node`] is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A single value.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and values, in the order of the file; no key twice.
    Mapping(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The key's text.
    pub(super) key: Spanned<String>,
    /// The value.
    pub(super) value: Node,
}

/// A single value as text; what it means is the reader's business.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scalar {
    /// Its text, escapes and folding undone.
    pub(super) text: String,
    /// Written without quotes and not as a block.
    pub(super) plain: bool,
    /// The bytes between the quotes, or below a block's header.
    pub(super) content: Span,
    /// How the text stands in the file.
    pub(super) fidelity: Fidelity,
}

/// How the text of a [`Scalar`] relates to the bytes of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fidelity {
    /// Byte for byte the same.
    Exact,
    /// The same but for white space: lines folded, or indentation taken off.
    Spaced,
    /// Escapes were undone.
    Decoded,
}

impl Node {
    /// The entries of a mapping; none for anything else.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Mapping(entries) => entries,
            Kind::Scalar(_) | Kind::Sequence(_) => &[],
        }
    }

    /// The scalar, unless it is an empty value (`key:`, `~`, `null`).
    pub(super) fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(it) if !it.is_null() => Some(it),
            _ => None,
        }
    }

    /// Whether it is an empty value.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(it) if it.is_null())
    }

    /// What it is, in words.
    pub(super) fn describe(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar(it) if it.is_null() => "empty",
            Kind::Scalar(_) => "a single value",
            Kind::Sequence(_) => "a list",
            Kind::Mapping(_) => "a mapping",
        }
    }

    /// Nodes in it, itself among them. The depth of a tree is bounded.
    fn size(&self) -> usize {
        match &self.kind {
            Kind::Scalar(_) => 1,
            Kind::Sequence(items) => 1 + items.iter().map(Self::size).sum::<usize>(),
            Kind::Mapping(entries) => 1 + entries.iter().map(|it| 1 + it.value.size()).sum::<usize>(),
        }
    }

    /// Levels below it.
    fn height(&self) -> usize {
        match &self.kind {
            Kind::Scalar(_) => 0,
            Kind::Sequence(items) => 1 + items.iter().map(Self::height).max().unwrap_or(0),
            Kind::Mapping(entries) => 1 + entries.iter().map(|it| it.value.height()).max().unwrap_or(0),
        }
    }
}

impl Scalar {
    fn is_null(&self) -> bool {
        self.plain && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }
}

/// A comment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comment {
    /// Text behind the mark.
    pub(super) text: String,
    /// The mark and the text.
    pub(super) span: Span,
    /// Whether nothing stands before it on its line.
    pub(super) own_line: bool,
}

/// A whole document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tree {
    /// The document's value; `None` for an empty one.
    pub(super) root: Option<Node>,
    /// Its comments in order.
    pub(super) comments: Vec<Comment>,
}

/// Reads a document. `None`: the text is not YAML, or passes a limit; the
/// finding says which.
pub(super) fn read(text: &str, file: FileId, findings: &mut Vec<Finding>) -> Option<Tree> {
    read_at(text, file, 0, findings)
}

/// Reads a document that stands `base` bytes into its file.
pub(super) fn read_at(text: &str, file: FileId, base: usize, findings: &mut Vec<Finding>) -> Option<Tree> {
    if MAX_BYTES < text.len() {
        let span = Span::new(file, base, base);
        let message =
            format!("the text has {} MiB; at most {} MiB are read", text.len() >> 20, MAX_BYTES >> 20);
        findings.push(Finding::new(SYNTAX, Level::Error, span, message));
        return None;
    }
    let mut builder = Builder { text, file, base, ..Builder::default() };
    match builder.run() {
        Ok(()) => {
            findings.append(&mut builder.findings);
            Some(builder.tree)
        }
        Err(stop) => {
            findings.append(&mut builder.findings);
            findings.push(*stop);
            None
        }
    }
}

/// A collection that is still open.
enum Frame {
    Sequence { items: Vec<Node>, open: Open },
    Mapping { entries: Vec<Entry>, seen: BTreeMap<String, Span>, key: Key, open: Open },
}

#[derive(Clone, Copy)]
struct Open {
    start: usize,
    flow: bool,
    anchor: usize,
}

/// What a mapping waits for.
enum Key {
    /// A key.
    Wanted,
    /// The value of this key.
    Read(Spanned<String>),
    /// A value that is left out, because its key is bad.
    Bad,
}

#[derive(Default)]
struct Builder<'t> {
    text: &'t str,
    file: FileId,
    base: usize,
    tree: Tree,
    stack: Vec<Frame>,
    anchors: BTreeMap<usize, Node>,
    nodes: usize,
    repeated: usize,
    documents: usize,
    findings: Vec<Finding>,
}

type Stop = Box<Finding>;

impl<'t> Builder<'t> {
    fn run(&mut self) -> Result<(), Stop> {
        // Comments in a row are buffered by the parser; a long header of comments is not an attack here,
        // because the whole text is in memory already. Its own depth limits stay above ours.
        let options = granit_parser::options! { max_buffered_comment_events: usize::MAX };
        for next in Parser::new_from_str_with_options(self.text, options) {
            match next {
                Ok((event, span)) => {
                    let range = span.byte_range().unwrap_or(0..0);
                    self.take(event, range)?;
                    if 1 < self.documents {
                        return Ok(());
                    }
                }
                Err(error) => {
                    let at = error.marker().byte_offset().unwrap_or(self.text.len());
                    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
                        return Err(self.too_deep(at));
                    }
                    return Err(self.stop(at, error.info()));
                }
            }
        }
        Ok(())
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.base + start, self.base + end)
    }

    fn stop(&self, at: usize, message: impl Into<String>) -> Stop {
        let at = at.min(self.text.len());
        let width = self.text.get(at..).and_then(|it| it.chars().next()).map_or(0, char::len_utf8);
        Box::new(Finding::new(SYNTAX, Level::Error, self.span(at, at + width), message))
    }

    fn take(&mut self, event: Event<'t>, range: std::ops::Range<usize>) -> Result<(), Stop> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if 1 < self.documents {
                    let finding =
                        self.stop(range.start, "a second document starts here; a file is one document");
                    self.findings.push(finding.with_help("put it in a file of its own and `include` it"));
                }
            }
            Event::Comment(text, _) => {
                let line = self.text[..range.start].rfind('\n').map_or(0, |it| it + 1);
                let own_line = self.text[line..range.start].trim().is_empty();
                let span = self.span(range.start, range.end);
                self.tree.comments.push(Comment { text: text.into_owned(), span, own_line });
            }
            Event::Scalar(text, style, anchor, _) => {
                self.count(range.start)?;
                let node = self.scalar(&text, style, range.start, range.end);
                self.place(node, anchor)?;
            }
            Event::Alias(id) => {
                let Some(node) = self.anchors.get(&id) else {
                    return Err(self.stop(range.start, "an alias inside the value that it names"));
                };
                let (size, height) = (node.size(), node.height());
                self.repeat(size, range.start)?;
                self.deepen(height, range.start)?;
                let node = self.anchors.get(&id).cloned();
                if let Some(node) = node {
                    self.place(node, 0)?;
                }
            }
            Event::SequenceStart(style, anchor, _) => {
                let open = self.open(style, anchor, range.start)?;
                self.stack.push(Frame::Sequence { items: Vec::new(), open });
            }
            Event::MappingStart(style, anchor, _) => {
                let open = self.open(style, anchor, range.start)?;
                let (entries, seen) = (Vec::new(), BTreeMap::new());
                self.stack.push(Frame::Mapping { entries, seen, key: Key::Wanted, open });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(range.end)?,
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, at: usize) -> Result<(), Stop> {
        self.nodes += 1;
        if MAX_NODES < self.nodes {
            return Err(self.stop(at, format!("more than {MAX_NODES} values")));
        }
        Ok(())
    }

    fn repeat(&mut self, nodes: usize, at: usize) -> Result<(), Stop> {
        self.repeated += nodes;
        if MAX_REPEATED < self.repeated {
            return Err(self.stop(at, format!("aliases repeat more than {MAX_REPEATED} values")));
        }
        Ok(())
    }

    fn deepen(&self, levels: usize, at: usize) -> Result<(), Stop> {
        if MAX_DEPTH < self.stack.len() + levels {
            return Err(self.too_deep(at));
        }
        Ok(())
    }

    fn too_deep(&self, at: usize) -> Stop {
        self.stop(at, format!("nested deeper than {MAX_DEPTH} levels"))
    }

    fn open(
        &mut self,
        style: granit_parser::StructureStyle,
        anchor: usize,
        start: usize,
    ) -> Result<Open, Stop> {
        self.count(start)?;
        self.deepen(1, start)?;
        Ok(Open { start, flow: style == granit_parser::StructureStyle::Flow, anchor })
    }

    fn close(&mut self, end: usize) -> Result<(), Stop> {
        let (kind, open, last) = match self.stack.pop() {
            Some(Frame::Sequence { items, open }) => {
                let last = items.last().map(|it| it.span.end);
                (Kind::Sequence(items), open, last)
            }
            Some(Frame::Mapping { entries, open, .. }) => {
                let last = entries.last().map(|it| it.value.span.end.max(it.key.span.end));
                (Kind::Mapping(entries), open, last)
            }
            None => return Ok(()),
        };
        let mut span = self.span(open.start, end);
        if !open.flow {
            // A block's end is only seen at the next token, behind blank lines and comments. An alias at
            // the end stands elsewhere in the file, so the end never moves before the start.
            span.end = last.filter(|it| span.start <= *it && *it <= span.end).unwrap_or(span.start);
        }
        self.place(Node { span, kind }, open.anchor)
    }

    fn place(&mut self, node: Node, anchor: usize) -> Result<(), Stop> {
        if anchor != 0 {
            // The copy that waits for aliases counts as well.
            self.repeat(node.size(), (node.span.start as usize).saturating_sub(self.base))?;
            self.anchors.insert(anchor, node.clone());
        }
        match self.stack.last_mut() {
            None => self.tree.root = Some(node),
            Some(Frame::Sequence { items, .. }) => items.push(node),
            Some(Frame::Mapping { entries, seen, key, .. }) => match std::mem::replace(key, Key::Wanted) {
                Key::Wanted => match key_of(node, seen) {
                    Ok(name) => *key = Key::Read(name),
                    Err(finding) => {
                        *key = Key::Bad;
                        self.findings.push(*finding);
                    }
                },
                Key::Read(key) => entries.push(Entry { key, value: node }),
                Key::Bad => {}
            },
        }
        Ok(())
    }

    fn scalar(&self, text: &str, style: ScalarStyle, start: usize, end: usize) -> Node {
        let slice = self.text.get(start..end).unwrap_or("");
        // A block's range starts at its first character and ends at the next token.
        let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let end = if block { start + slice.trim_end().len() } else { end };
        let (from, to) = match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                (start + 1, end.saturating_sub(1).max(start + 1))
            }
            // A block without text is its header.
            ScalarStyle::Literal | ScalarStyle::Folded if text.trim().is_empty() => (start, start),
            ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => (start, end),
        };
        let content = self.text.get(from..to).unwrap_or("");
        let implicit_null = style == ScalarStyle::Plain && slice.is_empty();
        let fidelity = match style {
            _ if content == text => Fidelity::Exact,
            ScalarStyle::SingleQuoted if content.contains('\'') => Fidelity::Decoded,
            ScalarStyle::DoubleQuoted if content.contains('\\') => Fidelity::Decoded,
            _ => Fidelity::Spaced,
        };
        let text = if implicit_null { String::new() } else { text.to_owned() };
        let scalar =
            Scalar { text, plain: style == ScalarStyle::Plain, content: self.span(from, to), fidelity };
        Node { span: self.span(start, end), kind: Kind::Scalar(scalar) }
    }
}

/// The key that a node is, or what is wrong with it.
fn key_of(node: Node, seen: &mut BTreeMap<String, Span>) -> Result<Spanned<String>, Stop> {
    let span = node.span;
    let Kind::Scalar(scalar) = node.kind else {
        let message = "a key is a single value, not a list or a mapping";
        return Err(Box::new(Finding::new(SYNTAX, Level::Error, span, message)));
    };
    if let Some(first) = seen.get(&scalar.text) {
        let finding =
            Finding::new(SYNTAX, Level::Error, span, format!("the key `{}` stands here twice", scalar.text))
                .with_help("rename or remove one of them; the first one is read")
                .with_related(*first, "the first one");
        return Err(Box::new(finding));
    }
    seen.insert(scalar.text.clone(), span);
    Ok(Spanned { value: scalar.text, span })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        let mut findings = Vec::new();
        let tree = read(text, FileId(0), &mut findings);
        assert_eq!(findings, Vec::new());
        tree.unwrap()
    }

    fn refused(text: &str) -> String {
        let mut findings = Vec::new();
        assert_eq!(read(text, FileId(0), &mut findings), None);
        assert_eq!(findings.len(), 1);
        findings.remove(0).message
    }

    fn slice(text: &str, span: Span) -> &str {
        &text[span.start as usize..span.end as usize]
    }

    #[test]
    fn every_node_and_key_knows_its_bytes() {
        let text = "\u{feff}ตาราง: {x: 'it''s', y: [1, b]}\r\nblock:\r\n  - k: v\r\n    z:\r\n\r\n# end\r\nlast: 1\r\n";
        let root = tree(text).root.unwrap();
        let entries = root.entries();
        assert_eq!(slice(text, entries[0].key.span), "ตาราง");
        assert_eq!(slice(text, entries[0].value.span), "{x: 'it''s', y: [1, b]}");
        let inner = entries[0].value.entries();
        assert_eq!(slice(text, inner[0].value.span), "'it''s'");
        assert_eq!(inner[0].value.scalar().unwrap().text, "it's");
        assert_eq!(inner[0].value.scalar().unwrap().fidelity, Fidelity::Decoded);
        assert_eq!(slice(text, inner[1].value.span), "[1, b]");
        // A block ends with its last child (here an empty value), not at the next key.
        assert_eq!(slice(text, entries[1].value.span), "- k: v\r\n    z");
        assert_eq!(entries[2].key.value, "last");
    }

    #[test]
    fn texts_tell_how_they_stand_in_the_file() {
        let text = "\
plain: SELECT 1
quoted: \"SELECT é\"
escaped: \"a\\tb\"
folded: SELECT 1
  FROM t
literal: |  # header
  SELECT 1
    FROM t
end: x
";
        let root = tree(text).root.unwrap();
        let scalar = |at: usize| root.entries()[at].value.scalar().unwrap();
        let look = |at: usize| (scalar(at).fidelity, slice(text, scalar(at).content));
        assert_eq!(look(0), (Fidelity::Exact, "SELECT 1"));
        assert_eq!(look(1), (Fidelity::Exact, "SELECT é"));
        assert_eq!(look(2), (Fidelity::Decoded, "a\\tb"));
        assert_eq!(look(3), (Fidelity::Spaced, "SELECT 1\n  FROM t"));
        assert_eq!(look(4).0, Fidelity::Spaced);
        assert_eq!(look(4).1, "SELECT 1\n    FROM t");
        assert_eq!(scalar(4).text, "SELECT 1\n  FROM t\n");
    }

    #[test]
    fn comments_are_found_by_the_parser_and_not_inside_texts() {
        let text = "# one\na: 'x # no'   # two\nb: |\n  # no\n# three\nc: 1#no\n";
        let found = tree(text).comments;
        let texts: Vec<(&str, bool)> = found.iter().map(|it| (it.text.as_str(), it.own_line)).collect();
        assert_eq!(texts, [(" one", true), (" two", false), (" three", true)]);
        assert_eq!(slice(text, found[1].span), "# two");
    }

    #[test]
    fn a_key_twice_is_said_at_the_second_with_the_place_of_the_first() {
        let text = "a: 1\nb: 2\na: 3\n[x]: 4\n";
        let mut findings = Vec::new();
        let root = read(text, FileId(0), &mut findings).unwrap().root.unwrap();
        assert_eq!(findings[0].message, "the key `a` stands here twice");
        assert_eq!((findings[0].span.start, findings[0].related[0].0.start), (10, 0));
        assert_eq!(findings[1].message, "a key is a single value, not a list or a mapping");
        let keys: Vec<&str> = root.entries().iter().map(|it| it.key.value.as_str()).collect();
        assert_eq!(keys, ["a", "b"]);
        assert_eq!(root.entries()[0].value.scalar().unwrap().text, "1");
    }

    #[test]
    fn depth_is_bounded_also_through_aliases() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(tree(&deep(64)).root.is_some());
        assert_eq!(refused(&deep(65)), "nested deeper than 64 levels");
        assert_eq!(refused(&"[".repeat(100_000)), "nested deeper than 64 levels");
        let block = (0..100).map(|it| " ".repeat(it)).collect::<Vec<_>>().join("- \n");
        assert_eq!(refused(&block), "nested deeper than 64 levels");
        // 41 levels, then the same 41 levels inside 40 others.
        let chained = format!("a: &a {}\nb: {}*a{}\n", deep(40), "[".repeat(40), "]".repeat(40));
        assert_eq!(refused(&chained), "nested deeper than 64 levels");
    }

    #[test]
    fn aliases_that_multiply_are_stopped_by_the_number_of_values() {
        let level = |it: usize| {
            let below = vec![if it == 0 { "x".to_owned() } else { format!("*a{}", it - 1) }; 10].join(", ");
            format!("a{it}: &a{it} [{below}]")
        };
        let text = (0..12).map(level).collect::<Vec<_>>().join("\n");
        assert_eq!(refused(&text), "aliases repeat more than 100000 values");
        assert_eq!(refused("a: &a [*a]\n"), "an alias inside the value that it names");
    }

    #[test]
    fn an_alias_is_its_anchors_value() {
        let root = tree("a: &x {k: [1]}\nb: *x\n").root.unwrap();
        assert_eq!(root.entries()[0].value, root.entries()[1].value);
    }

    #[test]
    fn a_second_document_is_said_and_the_first_one_read() {
        let mut findings = Vec::new();
        let root = read("a: 1\n---\nb: 2\n", FileId(0), &mut findings).unwrap().root.unwrap();
        assert_eq!(root.entries().len(), 1);
        assert_eq!(findings[0].message, "a second document starts here; a file is one document");
        assert_eq!(findings[0].span.start, 5);
    }

    #[test]
    fn broken_yaml_is_said_where_the_parser_stopped() {
        let mut findings = Vec::new();
        assert_eq!(read("a: 1\nb: ]\n", FileId(0), &mut findings), None);
        assert_eq!(findings[0].span, Span::new(FileId(0), 8, 9));
    }

    #[test]
    fn long_headers_of_comments_are_read() {
        let text = format!("{}a: 1\n", "# a line\n".repeat(1000));
        assert_eq!(tree(&text).comments.len(), 1000);
    }
}
