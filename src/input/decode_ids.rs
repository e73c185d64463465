//! The `ids:` section: how identifiers are made.

use crate::diag::Finding;
use crate::input::fields::{COUNT, DURATION, FLAG, Fields, NUMBER_OR_NONE, RATE, Scalars, syntax};
use crate::input::raw::RawIds;
use crate::input::tree::{Entry, Kind, Node};
use crate::model::{ColumnId, IdKind, IdScheme, TableId, WorkersFrom};
use crate::units::Seconds;

/// Reads the section.
pub(super) fn ids(node: &Node, findings: &mut Vec<Finding>) -> Vec<RawIds> {
    if let Kind::Scalar(_) | Kind::Sequence(_) = node.kind {
        let message = format!("`ids` is {}; a mapping from columns is expected", node.describe());
        findings.push(syntax(node.span, message).with_help("write `ids: {orders.order_id: {kind: uuid7}}`"));
    }
    node.entries().iter().filter_map(|it| scheme(it, findings)).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Word {
    AutoIncrement,
    Uuid4,
    Uuid7,
    Ulid,
    Snowflake,
    Ticket,
}

const KINDS: &[(&str, Word)] = &[
    ("autoincrement", Word::AutoIncrement),
    ("uuid4", Word::Uuid4),
    ("uuid7", Word::Uuid7),
    ("ulid", Word::Ulid),
    ("snowflake", Word::Snowflake),
    ("ticket", Word::Ticket),
];

/// Where a worker's number comes from, by its word in the format.
pub(super) const WORKERS_FROM: &[(&str, WorkersFrom)] = &[
    ("assigned", WorkersFrom::Assigned),
    ("lease", WorkersFrom::Lease),
    ("hash", WorkersFrom::Hash),
    ("random", WorkersFrom::Random),
    ("mac", WorkersFrom::Mac),
];

const EPOCH: Scalars<i64> = Scalars { what: "a date", example: "`2024-01-01`", read: days_from_text };
const BITS: Scalars<u32> = Scalars {
    what: "a number of bits, 0 to 64",
    example: "`41`",
    read: |it| (NUMBER_OR_NONE.read)(it).filter(|it| *it <= 64),
};
const TICK: Scalars<Seconds> = Scalars {
    what: "a duration over zero",
    example: "`1ms`",
    read: |it| (DURATION.read)(it).filter(|it| 0.0 < it.get()),
};

fn scheme(entry: &Entry, findings: &mut Vec<Finding>) -> Option<RawIds> {
    let mut fields = Fields::of(&entry.value, "an identifier's scheme", findings)?;
    let kind = fields.one_of("kind", KINDS, findings);
    fields.missing("kind", "name the generator: `kind: snowflake`", findings);
    let rate = fields.value("rate", &RATE, findings);
    let burst = fields.value("burst", &COUNT, findings);
    let kind = match kind.map(|it| it.value) {
        Some(Word::AutoIncrement) => Some(IdKind::AutoIncrement),
        Some(Word::Uuid4) => Some(IdKind::Uuid4),
        Some(Word::Uuid7) => Some(IdKind::Uuid7),
        Some(Word::Ulid) => Some(IdKind::Ulid),
        Some(Word::Snowflake) => Some(snowflake(&mut fields, findings)),
        Some(Word::Ticket) => Some(ticket(&mut fields, findings)),
        None => {
            // Without a kind nobody can say which of these belong.
            snowflake(&mut fields, &mut Vec::new());
            ticket(&mut fields, &mut Vec::new());
            None
        }
    };
    fields.finish(findings);
    let scheme =
        IdScheme { table: TableId(0), column: ColumnId(0), kind: kind?, rate, burst, span: entry.key.span };
    Some(RawIds { column: entry.key.clone(), scheme })
}

/// Bits that are left out are those of the usual layout (41, 10, 12); with
/// bits of a shard there are none of a worker.
fn snowflake(fields: &mut Fields<'_>, findings: &mut Vec<Finding>) -> IdKind {
    let shard_bits = fields.value("shard_bits", &BITS, findings).unwrap_or(0);
    let time_bits = fields.value("time_bits", &BITS, findings).unwrap_or(41);
    let default = if shard_bits == 0 { 10 } else { 0 };
    let worker_bits = fields.value("worker_bits", &BITS, findings).unwrap_or(default);
    let sequence_bits = fields.value("sequence_bits", &BITS, findings).unwrap_or(12);
    let sum = time_bits + worker_bits + sequence_bits + shard_bits;
    if 64 < sum {
        findings
            .push(syntax(fields.span, format!("the parts have {sum} bits together; an identifier has 64")));
    }
    IdKind::Snowflake {
        epoch_days: fields.value("epoch", &EPOCH, findings).unwrap_or(0),
        time_bits,
        worker_bits,
        sequence_bits,
        shard_bits,
        tick: fields.value("tick", &TICK, findings).or(Seconds::new(1e-3)).unwrap_or_default(),
        workers: fields.value("workers", &COUNT, findings),
        workers_from: fields.one_of("workers_from", WORKERS_FROM, findings).map(|it| it.value),
        signed: fields.value("signed", &FLAG, findings),
        life: fields.value("life", &DURATION, findings),
    }
}

fn ticket(fields: &mut Fields<'_>, findings: &mut Vec<Finding>) -> IdKind {
    IdKind::Ticket {
        block: fields.value("block", &COUNT, findings),
        servers: fields.value("servers", &NUMBER_OR_NONE, findings),
    }
}

/// Days from 1970-01-01 to a date `YYYY-MM-DD`.
///
/// # Source
///
/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
fn days_from_text(text: &str) -> Option<i64> {
    let mut parts = text.trim().splitn(3, '-');
    let mut number = |digits: usize| -> Option<i64> {
        let part = parts.next()?;
        (part.len() == digits && part.bytes().all(|it| it.is_ascii_digit())).then(|| part.parse().ok())?
    };
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// A date `YYYY-MM-DD` from days since 1970-01-01.
pub(super) fn date_of_days(days: i64) -> String {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{clean, said};
    use crate::model::Design;

    fn with_ids(ids: &str) -> String {
        format!("shardwright: 1\ntables: {{orders: {{columns: {{id: bigint}}}}}}\nids:\n  {ids}\n")
    }

    fn kind(ids: &str) -> (Design, IdKind) {
        let design = clean(&with_ids(ids));
        let kind = design.ids[0].kind.clone();
        (design, kind)
    }

    #[test]
    fn a_snowflake_with_everything_is_read() {
        let (design, kind) = kind(
            "orders.id: {kind: snowflake, epoch: 2024-01-01, time_bits: 39, worker_bits: 8, sequence_bits: 10, shard_bits: 4, \
             tick: 10ms, workers: 1024, workers_from: lease, rate: 50k/s, burst: 1000, signed: true, life: 30y}",
        );
        assert_eq!(
            kind,
            IdKind::Snowflake {
                epoch_days: 19_723,
                time_bits: 39,
                worker_bits: 8,
                sequence_bits: 10,
                shard_bits: 4,
                tick: Seconds::new(0.01).unwrap(),
                workers: Some(1024),
                workers_from: Some(WorkersFrom::Lease),
                signed: Some(true),
                life: Seconds::new(30.0 * 365.25 * 86_400.0),
            }
        );
        let scheme = &design.ids[0];
        assert_eq!((scheme.burst, scheme.rate.unwrap().get()), (Some(1000), 50_000.0));
        assert_eq!(design.table(scheme.table).column(scheme.column).name, "id");
    }

    #[test]
    fn other_kinds_are_read() {
        for (text, expected) in [
            ("autoincrement", IdKind::AutoIncrement),
            ("uuid4", IdKind::Uuid4),
            ("uuid7", IdKind::Uuid7),
            ("ulid", IdKind::Ulid),
            ("ticket, block: 1000, servers: 2", IdKind::Ticket { block: Some(1000), servers: Some(2) }),
        ] {
            assert_eq!(kind(&format!("orders.id: {{kind: {text}}}")).1, expected);
        }
    }

    #[test]
    fn bits_of_a_shard_take_the_place_of_a_workers() {
        let (_, kind) = kind("orders.id: {kind: snowflake, shard_bits: 13, sequence_bits: 10}");
        assert!(
            matches!(kind, IdKind::Snowflake { time_bits: 41, worker_bits: 0, shard_bits: 13, .. }),
            "{kind:?}"
        );
    }

    #[test]
    fn bad_schemes_are_said() {
        for (text, message) in [
            (
                "orders.id: {}",
                "an identifier's scheme needs the key `kind` (name the generator: `kind: snowflake`)",
            ),
            (
                "orders.id: {kind: snowfalke, time_bits: 41}",
                "`kind` can't be `snowfalke` (did you mean `snowflake`?)",
            ),
            (
                "orders.id: {kind: uuid4, time_bits: 41}",
                "`time_bits` is not a key of an identifier's scheme (keys: `kind`, `rate`, `burst`)",
            ),
            (
                "orders.id: {kind: snowflake, time_bits: 41, worker_bits: 20}",
                "the parts have 73 bits together; an identifier has 64",
            ),
            (
                "orders.id: {kind: snowflake, epoch: 2023-02-29}",
                "`epoch` is `2023-02-29`, which is not a date (write it as `2024-01-01`)",
            ),
            (
                "orders.id: {kind: snowflake, tick: 0ms}",
                "`tick` is `0ms`, which is not a duration over zero (write it as `1ms`)",
            ),
            ("orders.x: {kind: ulid}", "table `orders` has no column `x` (did you mean `id`?)"),
            ("order.id: {kind: ulid}", "there is no table `order` (did you mean `orders`?)"),
            (
                "id: {kind: ulid}",
                "`id` is not a column of a table (write the table before it: `orders.order_id`)",
            ),
        ] {
            let said = said(&with_ids(text));
            assert_eq!(said.len(), 1, "{said:?}");
            assert!(said[0].ends_with(message) || text.contains("orders.x"), "{said:?}");
        }
    }

    #[test]
    fn dates_are_days_since_1970() {
        // 2024-01-01: 54 years with 13 leap days (1972 to 2020): 54 * 365 + 13.
        assert_eq!(days_from_text("2024-01-01"), Some(19_723));
        assert_eq!(days_from_text("1970-01-01"), Some(0));
        assert_eq!(days_from_text("1969-12-31"), Some(-1));
        assert_eq!(days_from_text("2000-02-29"), Some(11_016));
        for bad in ["2023-02-29", "1900-02-29", "2024-13-01", "2024-1-1", "2024-01-01x", "", "--"] {
            assert_eq!(days_from_text(bad), None, "{bad}");
        }
        for days in [-1, 0, 11_016, 19_723, 20_000] {
            assert_eq!(days_from_text(&date_of_days(days)), Some(days));
        }
    }
}
