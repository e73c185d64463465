//! Tables, columns and foreign keys.

use crate::model::{Distribution, TableId};
use crate::source::Span;
use crate::units::{Bytes, Rate, Rows, Seconds, Share};

/// A column of one [`Table`], by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnId(pub u32);

/// A table, a collection, an entity or a key family.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Name as written.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// Rows today; unknown when not given.
    pub rows: Option<Rows>,
    /// Net growth; `None` when not given.
    pub growth: Option<Rate>,
    /// Size of a row; summed from the columns when not given.
    pub row_size: Option<Bytes>,
    /// Age at which rows are gone.
    pub retention: Option<Seconds>,
    /// Columns of the primary key, in order; empty when there is none.
    pub primary_key: Vec<ColumnId>,
    /// Where the primary key is declared.
    pub primary_key_span: Option<Span>,
    /// Further unique column sets.
    pub unique: Vec<(Vec<ColumnId>, Span)>,
    /// Columns in order.
    pub columns: Vec<Column>,
    /// References to other tables.
    pub foreign_keys: Vec<ForeignKey>,
    /// The column that says in which region a row must stay.
    pub residency: Option<ColumnId>,
    /// The text of a key in Redis or Memcached, placeholders in angle brackets.
    pub key_pattern: Option<(String, Span)>,
    /// A note.
    pub describes: Option<String>,
}

impl Table {
    /// The column of an id made for this table.
    ///
    /// # Panics
    ///
    /// For an id of another table.
    #[must_use]
    pub fn column(&self, id: ColumnId) -> &Column {
        &self.columns[id.0 as usize]
    }

    /// The column of a name, without regard to case.
    #[must_use]
    pub fn column_named(&self, name: &str) -> Option<ColumnId> {
        let exact = self.columns.iter().position(|it| it.name == name);
        let at = exact.or_else(|| self.columns.iter().position(|it| it.name.eq_ignore_ascii_case(name)))?;
        Some(ColumnId(at as u32))
    }

    /// Ids of all columns, in order.
    pub fn column_ids(&self) -> impl Iterator<Item = ColumnId> + use<> {
        (0..self.columns.len() as u32).map(ColumnId)
    }

    /// Size of a row: as given, else summed from the columns.
    #[must_use]
    pub fn row_bytes(&self) -> Bytes {
        self.row_size.unwrap_or_else(|| Bytes(self.columns.iter().map(|it| it.bytes().0).sum::<u64>().max(1)))
    }

    /// Primary key first, then the declared unique sets.
    pub fn unique_sets(&self) -> impl Iterator<Item = &[ColumnId]> {
        let primary = (!self.primary_key.is_empty()).then_some(self.primary_key.as_slice());
        primary.into_iter().chain(self.unique.iter().map(|(it, _)| it.as_slice()))
    }

    /// Whether a set of columns contains a unique set, so that it names one row at most.
    #[must_use]
    pub fn is_unique(&self, columns: &[ColumnId]) -> bool {
        self.unique_sets().any(|set| set.iter().all(|it| columns.contains(it)))
    }

    /// Names of some columns, joined by a comma.
    #[must_use]
    pub fn names(&self, columns: &[ColumnId]) -> String {
        columns.iter().map(|it| self.column(*it).name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// A column with its statistics.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Name as written.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// Declared type.
    pub ty: Option<ColumnType>,
    /// Distinct values; `values: [..]` and `constant` set it too.
    pub distinct: Option<u64>,
    /// New values a second.
    pub distinct_growth: Option<Rate>,
    /// How rows spread over the values.
    pub skew: Option<Distribution>,
    /// Share of rows without a value.
    pub nulls: Option<Share>,
    /// Declared NOT NULL (a primary key column counts).
    pub not_null: bool,
    /// The value only grows from row to row.
    pub monotonic: bool,
    /// Whether the value is changed; inferred from the patterns when not given.
    pub mutable: Option<bool>,
    /// How values are made.
    pub generated: Option<Generated>,
    /// Size of a value.
    pub size: Option<Bytes>,
    /// One value for all rows.
    pub constant: bool,
    /// Columns whose value follows from this one.
    pub determines: Vec<ColumnId>,
    /// A list kept inside the row.
    pub list: Option<ListBound>,
    /// The values, where they are listed.
    pub values: Vec<String>,
}

impl Column {
    /// Whether values only grow: declared, or made in order.
    #[must_use]
    pub fn grows(&self) -> bool {
        self.monotonic || self.generated.is_some_and(Generated::grows)
    }

    /// Size of a value: as given, else typical of the type.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        if let Some(list) = &self.list {
            return Bytes(list.items.unwrap_or(1).saturating_mul(list.item_size.0));
        }
        self.size.unwrap_or_else(|| self.ty.as_ref().map_or(Bytes(16), ColumnType::typical_bytes))
    }
}

/// A list inside a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListBound {
    /// The largest number of items; `None` if nothing stops it.
    pub items: Option<u64>,
    /// Size of one item.
    pub item_size: Bytes,
}

/// How identifiers come to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generated {
    /// A counter of the database.
    AutoIncrement,
    /// Random.
    Uuid4,
    /// Time first, then random.
    Uuid7,
    /// Time first, then random.
    Ulid,
    /// Seconds first (MongoDB).
    ObjectId,
    /// Time, worker, sequence.
    Snowflake,
    /// Blocks of a counter.
    Ticket,
    /// The current time.
    Time,
}

impl Generated {
    /// Every kind by its name in the format.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("autoincrement", Self::AutoIncrement),
        ("uuid4", Self::Uuid4),
        ("uuid7", Self::Uuid7),
        ("ulid", Self::Ulid),
        ("objectid", Self::ObjectId),
        ("snowflake", Self::Snowflake),
        ("ticket", Self::Ticket),
        ("time", Self::Time),
    ];

    /// Whether values grow with time.
    #[must_use]
    pub fn grows(self) -> bool {
        self != Self::Uuid4
    }
}

/// A declared type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnType {
    /// As written.
    pub text: String,
    /// What kind of value it is.
    pub family: TypeFamily,
}

/// Kinds of values that sharding tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeFamily {
    /// Whole numbers of up to 32 bits.
    SmallInteger,
    /// Whole numbers of 64 bits.
    BigInteger,
    /// Exact decimal numbers.
    Decimal,
    /// Binary floating point.
    Float,
    /// Text of any length.
    Text,
    /// UUID.
    Uuid,
    /// Bytes.
    Binary,
    /// Dates without a time.
    Date,
    /// Points in time.
    Timestamp,
    /// True or false.
    Boolean,
    /// Documents, arrays, lists, sets, maps.
    Document,
    /// Anything else.
    Other,
}

impl ColumnType {
    /// Reads a type as SQL, CQL or a document database writes it.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let lower = text.trim().to_lowercase();
        let word = lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
        let family = match word {
            "int" | "integer" | "int4" | "int2" | "smallint" | "serial" | "smallserial" | "serial4"
            | "int32" | "tinyint" | "mediumint" | "varint" => TypeFamily::SmallInteger,
            "bigint" | "int8" | "bigserial" | "serial8" | "int64" | "long" | "counter" | "number" => {
                TypeFamily::BigInteger
            }
            "numeric" | "decimal" | "money" | "dec" | "bignumeric" => TypeFamily::Decimal,
            "real" | "float" | "double" | "float4" | "float8" | "float32" | "float64" => TypeFamily::Float,
            "text" | "varchar" | "char" | "character" | "string" | "citext" | "nvarchar" | "ascii"
            | "bpchar" | "longtext" | "mediumtext" | "tinytext" | "enum" | "inet" | "clob" => {
                TypeFamily::Text
            }
            "uuid" | "guid" | "timeuuid" | "uniqueidentifier" => TypeFamily::Uuid,
            "bytea" | "blob" | "binary" | "varbinary" | "bytes" | "longblob" | "objectid" => {
                TypeFamily::Binary
            }
            "date" => TypeFamily::Date,
            "timestamp" | "timestamptz" | "datetime" | "datetime2" | "time" => TypeFamily::Timestamp,
            "bool" | "boolean" | "bit" => TypeFamily::Boolean,
            "json" | "jsonb" | "list" | "set" | "map" | "array" | "object" | "document" | "hstore" => {
                TypeFamily::Document
            }
            _ => TypeFamily::Other,
        };
        Self { text: text.trim().to_owned(), family }
    }

    /// A typical size of a value, where none is given.
    #[must_use]
    pub fn typical_bytes(&self) -> Bytes {
        Bytes(match self.family {
            TypeFamily::Boolean => 1,
            TypeFamily::SmallInteger | TypeFamily::Date => 4,
            TypeFamily::BigInteger | TypeFamily::Float | TypeFamily::Timestamp => 8,
            TypeFamily::Uuid => 16,
            TypeFamily::Decimal | TypeFamily::Other => 12,
            TypeFamily::Text => 32,
            TypeFamily::Binary => 64,
            TypeFamily::Document => 200,
        })
    }
}

/// A reference to another table.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignKey {
    /// Columns here.
    pub columns: Vec<ColumnId>,
    /// The table referred to.
    pub parent: TableId,
    /// Columns there, in the same order.
    pub parent_columns: Vec<ColumnId>,
    /// Where it is declared.
    pub span: Span,
}
