//! What an SQL file says, before names are resolved: the border between the
//! SQL reader (which makes these) and lowering (which turns them into a design).

use crate::source::{Span, Spanned};

/// `key=value` of an annotation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    /// Left of the equals sign.
    pub(super) key: Spanned<String>,
    /// Right of it, without quotes.
    pub(super) value: Spanned<String>,
}

/// An annotation comment: `-- @word bare bare key=value …`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Annotation {
    /// `target`, `table`, `column`, `pattern`, `times`, `param`.
    pub(super) word: Spanned<String>,
    /// Words without an equals sign, in order (`3` of `@times 3 each=n`, `supply` of `@param supply …`).
    pub(super) bare: Vec<Spanned<String>>,
    /// The fields.
    pub(super) fields: Vec<Field>,
}

/// One thing that an SQL file says, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SqlItem {
    /// `-- @target …`
    Target(Annotation),
    /// CREATE TABLE
    Table(SqlTable),
    /// CREATE INDEX
    Index(SqlIndex),
    /// A statement by which an engine places a table: read as the plan.
    Placing(SqlPlacing),
    /// A statement or transaction under `-- @pattern`.
    Pattern(SqlPattern),
    /// `-- shardwright: ignore[rule, rule] reason`
    Ignore(SqlIgnore),
}

/// A suppression comment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SqlIgnore {
    /// Rules by code or name.
    pub(super) rules: Vec<Spanned<String>>,
    /// Text behind the bracket; empty if there is none.
    pub(super) reason: String,
    /// Where it stands.
    pub(super) span: Span,
}

/// CREATE TABLE with its annotations.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SqlTable {
    /// Name without schema and quotes.
    pub(super) name: Spanned<String>,
    /// `-- @table …` above it.
    pub(super) annotation: Option<Annotation>,
    /// Columns in order.
    pub(super) columns: Vec<SqlColumn>,
    /// Columns of the primary key, and where it is declared.
    pub(super) primary_key: Option<(Vec<Spanned<String>>, Span)>,
    /// UNIQUE constraints.
    pub(super) unique: Vec<(Vec<Spanned<String>>, Span)>,
    /// REFERENCES and FOREIGN KEY.
    pub(super) references: Vec<SqlReference>,
}

/// A column of CREATE TABLE.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SqlColumn {
    /// Name without quotes.
    pub(super) name: Spanned<String>,
    /// Type as written.
    pub(super) ty: String,
    /// NOT NULL, or part of an inline PRIMARY KEY.
    pub(super) not_null: bool,
    /// A name of the format's `generated` kinds, where the DDL says so (serial, IDENTITY,
    /// `AUTO_INCREMENT` → `autoincrement`; `gen_random_uuid()` and the like → `uuid4`).
    pub(super) generated: Option<&'static str>,
    /// Values of `CHECK (c IN (…))` or an ENUM type.
    pub(super) values: Vec<String>,
    /// `-- @column …` behind it on its line (or on the lines directly above it).
    pub(super) annotation: Option<Annotation>,
}

/// REFERENCES or FOREIGN KEY.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SqlReference {
    /// Columns here.
    pub(super) columns: Vec<Spanned<String>>,
    /// Table referred to.
    pub(super) parent: Spanned<String>,
    /// Columns there; empty means its primary key.
    pub(super) parent_columns: Vec<Spanned<String>>,
    /// Where it is declared.
    pub(super) span: Span,
}

/// CREATE INDEX.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SqlIndex {
    /// Name.
    pub(super) name: Option<Spanned<String>>,
    /// Table.
    pub(super) table: Spanned<String>,
    /// Columns in order, with `desc`.
    pub(super) columns: Vec<(Spanned<String>, bool)>,
    /// UNIQUE.
    pub(super) unique: bool,
    /// INCLUDE, STORING.
    pub(super) include: Vec<Spanned<String>>,
    /// Where it stands.
    pub(super) span: Span,
}

/// A statement that places a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SqlPlacing {
    /// The table.
    pub(super) table: Spanned<String>,
    /// What it says.
    pub(super) kind: SqlPlacingKind,
    /// Where it stands.
    pub(super) span: Span,
}

/// How a statement places a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SqlPlacingKind {
    /// Spread by columns.
    Key {
        /// The columns.
        columns: Vec<Spanned<String>>,
        /// A name of the format's strategies, where the statement says so.
        strategy: Option<&'static str>,
        /// Clustering columns with `desc` (CQL).
        cluster: Vec<(Spanned<String>, bool)>,
        /// Number of shards, where the statement says so.
        shards: Option<u32>,
    },
    /// A full copy everywhere.
    Replicated,
    /// On one shard.
    Unsharded,
}

/// A statement or transaction with its annotations.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SqlPattern {
    /// `-- @pattern name="…" rate=…`
    pub(super) annotation: Annotation,
    /// BEGIN … COMMIT.
    pub(super) transaction: bool,
    /// The statements.
    pub(super) statements: Vec<SqlStatement>,
    /// `-- @param …`
    pub(super) params: Vec<Annotation>,
}

/// A statement of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SqlStatement {
    /// Its text, exactly as in the file (without the semicolon).
    pub(super) text: String,
    /// Where the text stands; byte offsets inside `text` add to its start.
    pub(super) span: Span,
    /// `-- @times N each=a,b` above it.
    pub(super) times: Option<Annotation>,
}
