//! How identifiers are made.

use crate::model::{ColumnId, TableId};
use crate::source::Span;
use crate::units::{Rate, Seconds};

/// The generator of one column's identifiers.
#[derive(Clone, Debug, PartialEq)]
pub struct IdScheme {
    /// The table.
    pub table: TableId,
    /// The column.
    pub column: ColumnId,
    /// What kind of generator.
    pub kind: IdKind,
    /// Ids a second, all workers together.
    pub rate: Option<Rate>,
    /// Ids that one worker may be asked for at once.
    pub burst: Option<u64>,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of generators.
#[derive(Clone, Debug, PartialEq)]
pub enum IdKind {
    /// A counter of the database.
    AutoIncrement,
    /// Random.
    Uuid4,
    /// Time first.
    Uuid7,
    /// Time first.
    Ulid,
    /// Time, worker and sequence in one number.
    Snowflake {
        /// Days from 1970-01-01 to the day that time counts from.
        epoch_days: i64,
        /// Bits of time.
        time_bits: u32,
        /// Bits of the worker's number.
        worker_bits: u32,
        /// Bits of the sequence.
        sequence_bits: u32,
        /// Bits of a shard's number.
        shard_bits: u32,
        /// Length of a tick.
        tick: Seconds,
        /// Number of workers.
        workers: Option<u64>,
        /// Where a worker's number comes from.
        workers_from: Option<WorkersFrom>,
        /// Whether the column is a signed 64-bit number.
        signed: Option<bool>,
        /// How long ids must be made.
        life: Option<Seconds>,
    },
    /// Blocks of a counter.
    Ticket {
        /// Ids in a block.
        block: Option<u64>,
        /// Servers that hand out blocks.
        servers: Option<u32>,
    },
}

/// Where a worker's number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkersFrom {
    /// Given by hand or configuration.
    Assigned,
    /// Leased from a coordinator.
    Lease,
    /// A hash of a name.
    Hash,
    /// Random.
    Random,
    /// The network card's address.
    Mac,
}
