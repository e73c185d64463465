//! Texts by [`FileId`], and byte offsets as lines and columns.

use crate::source::{FileId, Span};

/// A line and a column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

#[derive(Clone, Debug)]
struct File {
    name: String,
    text: String,
    /// Byte offset at which each line starts.
    lines: Vec<usize>,
}

/// The texts of one run.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: Vec<File>,
}

impl Files {
    /// Adds a text under a name as the user wrote it.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.files.push(File { name: name.into(), text, lines });
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// The name of a file; empty for an id of another collection.
    #[must_use]
    pub fn name(&self, id: FileId) -> &str {
        self.files.get(id.0 as usize).map_or("", |it| &it.name)
    }

    /// The text of a file; empty for an id of another collection.
    #[must_use]
    pub fn text(&self, id: FileId) -> &str {
        self.files.get(id.0 as usize).map_or("", |it| &it.text)
    }

    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Line and column of a byte offset.
    #[must_use]
    pub fn place(&self, file: FileId, offset: u32) -> Place {
        let Some(it) = self.files.get(file.0 as usize) else { return Place { line: 1, column: 1 } };
        let offset = (offset as usize).min(it.text.len());
        let line = it.lines.partition_point(|start| *start <= offset).max(1) - 1;
        let start = it.lines[line];
        let before = it.text.get(start..offset).unwrap_or("");
        Place { line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }

    /// First and last place of a span.
    #[must_use]
    pub fn places(&self, span: Span) -> (Place, Place) {
        (self.place(span.file, span.start), self.place(span.file, span.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let mut files = Files::default();
        let id = files.add("a", "x: ก\ny: é z\n");
        let at = |offset| {
            let it = files.place(id, offset);
            (it.line, it.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(3), (1, 4));
        assert_eq!(at(6), (1, 5)); // behind the Thai letter of three bytes
        assert_eq!(at(7), (2, 1));
        assert_eq!(at(13), (2, 6)); // behind é of two bytes and a space
        assert_eq!(at(999).0, 3);
    }
}
