//! SW503, SW504, SW506 and SW507: whether the bits of a Snowflake id suffice.

use crate::analysis::id_space::{date_after, ids_a_second, lifetime, power_of_two};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::model::{Design, IdKind, IdScheme, TypeFamily};
use crate::units::{Rate, Seconds, text};

/// SW503.
pub(super) static OVERFLOW: Rule = Rule {
    code: Code { code: "SW503", name: "id-overflow" },
    level: Level::Warning,
    explain: "\
The time bits of an id count ticks from its epoch: b bits of ticks of length t last
2^b · t. 41 bits of milliseconds are 69.7 years, 42 bits 139.4. After that day the
time starts over, and with it the ids.

A warning when that is less than the stated `life`, which counts from the epoch; the
day is given.

What helps: a later epoch, more time bits, a longer tick.

```yaml bad
shardwright: 1
name: 41 bits for a century
target: {engine: generic, shards: 16}
tables:
  messages:
    rows: 1B
    primary_key: [message_id]
    columns:
      message_id: {type: bigint, generated: snowflake}
ids:
  messages.message_id: {kind: snowflake, epoch: 2010-11-04, time_bits: 41, worker_bits: 10, sequence_bits: 12, tick: 1ms, life: 100y}
```

```yaml good
shardwright: 1
name: 41 bits for forty years
target: {engine: generic, shards: 16}
tables:
  messages:
    rows: 1B
    primary_key: [message_id]
    columns:
      message_id: {type: bigint, generated: snowflake}
ids:
  messages.message_id: {kind: snowflake, epoch: 2010-11-04, time_bits: 41, worker_bits: 10, sequence_bits: 12, tick: 1ms, life: 40y}
```
",
    check: overflow,
};

/// SW504.
pub(super) static SIGN_BIT: Rule = Rule {
    code: Code { code: "SW504", name: "sign-bit" },
    level: Level::Warning,
    explain: "\
A bigint has 63 bits and a sign. A layout of 64 bits puts the highest time bit there:
from half of its life on, ids are negative, sort before all older ones, and break
whatever takes a negative id for none.

A warning for time, worker, sequence and shard bits that add up to 64 in a signed
column, with the day; an error for more than 64.

What helps: one time bit less, an unsigned column where there is one, or an epoch that
moves the day beyond the life of the system.

```yaml bad
shardwright: 1
name: 41 + 13 + 10 bits in a bigint
target: {engine: generic, shards: 16}
tables:
  photos:
    rows: 2B
    primary_key: [photo_id]
    columns:
      photo_id: {type: bigint, generated: snowflake}
ids:
  photos.photo_id: {kind: snowflake, epoch: 2011-08-24, time_bits: 41, shard_bits: 13, sequence_bits: 10, tick: 1ms, signed: true}
```

```yaml good
shardwright: 1
name: 41 + 10 + 12 bits in a bigint
target: {engine: generic, shards: 16}
tables:
  photos:
    rows: 2B
    primary_key: [photo_id]
    columns:
      photo_id: {type: bigint, generated: snowflake}
ids:
  photos.photo_id: {kind: snowflake, epoch: 2011-08-24, time_bits: 41, worker_bits: 10, sequence_bits: 12, tick: 1ms, signed: true}
```
",
    check: sign_bit,
};

/// SW506.
pub(super) static EXHAUSTED: Rule = Rule {
    code: Code { code: "SW506", name: "sequence-exhausted" },
    level: Level::Warning,
    explain: "\
A generator has 2^s ids for each tick. When more are asked for, it waits for the next
tick, and the rate of ids is a ceiling for the rate of inserts: 8 bits and a tick of
10 ms are 25,600 ids a second and worker.

A warning when the stated rate (else the peak rate of the inserts) is above what all
workers together make, or a stated `burst` is above what one makes in a tick.

What helps: more sequence bits, more workers, a shorter tick.

```yaml bad
shardwright: 1
name: eight bits for 40,000 readings a second
target: {engine: generic, shards: 16}
tables:
  readings:
    rows: 5B
    primary_key: [reading_id]
    columns:
      reading_id: {type: bigint, generated: snowflake}
ids:
  readings.reading_id: {kind: snowflake, epoch: 2024-01-01, time_bits: 39, worker_bits: 16, sequence_bits: 8, tick: 10ms, workers: 1, rate: 40k/s}
```

```yaml good
shardwright: 1
name: eight bits for 20,000 readings a second
target: {engine: generic, shards: 16}
tables:
  readings:
    rows: 5B
    primary_key: [reading_id]
    columns:
      reading_id: {type: bigint, generated: snowflake}
ids:
  readings.reading_id: {kind: snowflake, epoch: 2024-01-01, time_bits: 39, worker_bits: 16, sequence_bits: 8, tick: 10ms, workers: 1, rate: 20k/s}
```
",
    check: exhausted,
};

/// SW507.
pub(super) static ROLLBACK: Rule = Rule {
    code: Code { code: "SW507", name: "clock-rollback" },
    level: Level::Info,
    explain: "\
An id that is made of time, worker and sequence is unique only as long as the clock of
its worker does not go back. Clocks do: a correction, a restored machine, a leap
second smeared elsewhere. A generator that remembers its last time waits or refuses;
one that restarts does not remember.

An info for ids of that kind, because nothing in a design file says what happens then.
Ids with many random bits (UUIDv7, ULID) lose only their order.

What helps: the last time kept on disk or in the coordinator, a refusal to start with a
clock that is behind it.

```yaml bad
shardwright: 1
name: snowflake ids
target: {engine: generic, shards: 16}
tables:
  messages:
    rows: 1B
    primary_key: [message_id]
    columns:
      message_id: {type: bigint, generated: snowflake}
ids:
  messages.message_id: {kind: snowflake, epoch: 2024-01-01, time_bits: 41, worker_bits: 10, sequence_bits: 12, tick: 1ms}
```

```yaml good
shardwright: 1
name: UUIDv7
target: {engine: generic, shards: 16}
tables:
  messages:
    rows: 1B
    primary_key: [message_id]
    columns:
      message_id: {type: uuid, generated: uuid7}
ids:
  messages.message_id: {kind: uuid7}
```
",
    check: rollback,
};

/// The bits of a Snowflake id.
#[derive(Clone, Copy)]
pub(super) struct Bits<'a> {
    pub(super) scheme: &'a IdScheme,
    pub(super) table: &'a crate::model::Table,
    epoch_days: i64,
    time: u32,
    pub(super) worker: u32,
    sequence: u32,
    shard: u32,
    tick: Seconds,
    pub(super) workers: Option<u64>,
    signed: Option<bool>,
    life: Option<Seconds>,
}

impl Bits<'_> {
    /// Name of the column.
    pub(super) fn name(&self) -> &str {
        &self.table.column(self.scheme.column).name
    }

    fn all(&self) -> u32 {
        self.time.saturating_add(self.worker).saturating_add(self.sequence).saturating_add(self.shard)
    }

    /// A finding about the column.
    pub(super) fn found(&self, rule: &Rule, message: String, help: String) -> Finding {
        rule.finding(self.scheme.span, message).on_table(&self.table.name).with_help(help)
    }
}

/// All Snowflake ids of a design.
pub(super) fn snowflakes(design: &Design) -> Vec<Bits<'_>> {
    design
        .ids
        .iter()
        .filter_map(|scheme| match &scheme.kind {
            IdKind::Snowflake {
                epoch_days,
                time_bits,
                worker_bits,
                sequence_bits,
                shard_bits,
                tick,
                workers,
                workers_from: _,
                signed,
                life,
            } => Some(Bits {
                scheme,
                table: design.table(scheme.table),
                epoch_days: *epoch_days,
                time: *time_bits,
                worker: *worker_bits,
                sequence: *sequence_bits,
                shard: *shard_bits,
                tick: *tick,
                workers: *workers,
                signed: *signed,
                life: *life,
            }),
            _ => None,
        })
        .collect()
}

fn overflow(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in snowflakes(cx.design) {
        let lasts = lifetime(it.time, it.tick);
        let Some(life) = it.life.map(Seconds::get).filter(|life| lasts < *life) else { continue };
        let message = format!(
            "{} time bits of {} last {}: the ids of `{}` start over on {}, before the {} asked for",
            it.time,
            text::duration(it.tick.get()),
            text::duration(lasts),
            it.name(),
            date_after(it.epoch_days, lasts),
            text::duration(life)
        );
        let needed = libm::ceil(libm::log2(life / it.tick.get().max(1e-9)));
        let help = format!("take {needed:.0} time bits, a longer tick, or a later epoch");
        findings.push(it.found(&OVERFLOW, message, help));
    }
}

fn sign_bit(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in snowflakes(cx.design) {
        let (all, name) = (it.all(), it.name());
        let layout = format!(
            "{} time, {} worker, {} shard and {} sequence bits",
            it.time, it.worker, it.shard, it.sequence
        );
        if 64 < all {
            let message = format!("{layout} of `{name}` are {all}, and an id has 64");
            let mut finding = it.found(&SIGN_BIT, message, format!("take {} bits less", all - 63));
            finding.level = Level::Error;
            findings.push(finding);
        }
        if all != 64 || !is_signed(&it) || it.time == 0 {
            continue;
        }
        let half = lifetime(it.time - 1, it.tick);
        let message = format!(
            "{layout} of `{name}` are 64, so the highest time bit is the sign of a signed column: ids turn negative on {}, after {}",
            date_after(it.epoch_days, half),
            text::duration(half)
        );
        findings.push(it.found(
            &SIGN_BIT,
            message,
            "take one time bit less, or an unsigned column".to_owned(),
        ));
    }
}

/// Whether the column is a signed number: as the file says, else by its type.
fn is_signed(it: &Bits<'_>) -> bool {
    it.signed.unwrap_or_else(|| {
        let ty = it.table.column(it.scheme.column).ty.as_ref();
        ty.is_some_and(|ty| {
            ty.family == TypeFamily::BigInteger && !ty.text.to_lowercase().contains("unsigned")
        })
    })
}

fn exhausted(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in snowflakes(cx.design) {
        let each = ids_a_second(it.sequence, it.tick);
        let workers = it.workers.unwrap_or(1).max(1) as f64;
        let rate = it.scheme.rate.map_or_else(|| peak_inserts(cx, it.scheme), Rate::get);
        if each * workers < rate {
            let message = format!(
                "{} sequence bits and a tick of {} are {} ids/s from {} worker{}, and `{}` needs {}",
                it.sequence,
                text::duration(it.tick.get()),
                text::grouped(libm::round(each * workers) as u64),
                text::count(workers),
                if workers > 1.0 { "s together" } else { "" },
                it.name(),
                text::rate(rate)
            );
            let needed = libm::ceil(rate / each);
            let help = format!("take {} workers, more sequence bits, or a shorter tick", text::count(needed));
            findings.push(it.found(&EXHAUSTED, message, help));
            continue;
        }
        let a_tick = power_of_two(it.sequence);
        if let Some(burst) = it.scheme.burst.map(|it| it as f64).filter(|burst| a_tick < *burst) {
            let ticks = libm::ceil(burst / a_tick) - 1.0;
            let message = format!(
                "one worker of `{}` is asked for {} ids at once and has {} in a tick: the last comes {} later",
                it.name(),
                text::count(burst),
                text::count(a_tick),
                text::duration(ticks * it.tick.get())
            );
            findings.push(it.found(
                &EXHAUSTED,
                message,
                "take more sequence bits, or ask several workers".to_owned(),
            ));
        }
    }
}

/// Rows a second that patterns insert at their peaks.
fn peak_inserts(cx: &Judged<'_>, scheme: &IdScheme) -> f64 {
    let mut sum = 0.0;
    for pattern in &cx.design.patterns {
        for (step, statement) in pattern.statements() {
            let inserts =
                matches!(statement.op, crate::model::Operation::Insert | crate::model::Operation::Upsert);
            if inserts && statement.written_table() == Some(scheme.table) {
                let rows = f64::from(step.times.max(1)) * f64::from(statement.inserted_rows.max(1));
                sum += cx.setting.served_rate(pattern) * pattern.peak.max(1.0) * rows;
            }
        }
    }
    sum
}

fn rollback(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in snowflakes(cx.design) {
        let message = format!(
            "ids of `{}` are unique only while no worker's clock steps back, and nothing says what happens then",
            it.name()
        );
        let help = "keep the last time that was used outside the process, and refuse to make ids with a clock behind it";
        findings.push(it.found(&ROLLBACK, message, help.to_owned()));
    }
}
