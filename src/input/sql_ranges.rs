//! Bounds of columns: both bounds of one column are one range, whose width is
//! read where it is written; and what the branches of an OR have in common.

use sqlparser::ast::{BinaryOperator, DateTimeField, Expr, Interval, Value as Literal};

use crate::input::sql_facts::{Fact, distinct, one_of, range, subject};
use crate::input::sql_query::Reader;
use crate::input::sql_scope::Value;
use crate::input::sql_values::{arguments, function_name};
use crate::model::{ColumnRef, Operand, ParamId, Predicate, RangeWidth};
use crate::source::Span;
use crate::units::{DAY, Seconds, YEAR};

/// Which end of a range is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// `>`
    Lower,
    /// `<`
    Upper,
}

/// A point in time as far as it is written: so many seconds behind something.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment {
    behind: Behind,
    seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Behind {
    /// Now.
    Now,
    /// The start of this day.
    Today,
    /// The value of a parameter.
    Param(ParamId),
    /// 1970-01-01.
    Epoch,
}

/// One bound of a column.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    column: ColumnRef,
    side: Side,
    moment: Option<Moment>,
    span: Span,
}

/// Bounds of one column become one range.
pub(super) fn ranges(bounds: &[Bound]) -> Vec<Fact> {
    let mut columns: Vec<ColumnRef> = Vec::new();
    for it in bounds {
        if !columns.contains(&it.column) {
            columns.push(it.column);
        }
    }
    let fact = |column: ColumnRef| {
        let own: Vec<&Bound> = bounds.iter().filter(|it| it.column == column).collect();
        let find = |side| own.iter().find(|it| it.side == side);
        let (lower, upper) = (find(Side::Lower), find(Side::Upper));
        let mut span = own[0].span;
        for it in &own {
            span.start = span.start.min(it.span.start);
            span.end = span.end.max(it.span.end);
        }
        let (width, side) = match (lower, upper) {
            (Some(lower), Some(upper)) => (between(lower.moment, upper.moment), None),
            (Some(lower), None) => (until_now(lower.moment), Some(Side::Lower)),
            _ => (RangeWidth::Open, Some(Side::Upper)),
        };
        Fact { predicate: range(column, width, span), side }
    };
    columns.into_iter().map(fact).collect()
}

fn between(lower: Option<Moment>, upper: Option<Moment>) -> RangeWidth {
    let (Some(lower), Some(upper)) = (lower, upper) else { return RangeWidth::Unstated };
    let same = match (lower.behind, upper.behind) {
        (Behind::Now | Behind::Today, Behind::Now | Behind::Today) => true,
        (a, b) => a == b,
    };
    let width = upper.seconds - lower.seconds;
    match Seconds::new(width) {
        Some(width) if same && 0.0 < width.get() => RangeWidth::Duration(width),
        _ => RangeWidth::Unstated,
    }
}

/// Width of what lies between a moment and now: most rows carry past times.
fn until_now(lower: Option<Moment>) -> RangeWidth {
    let seconds = match lower {
        Some(Moment { behind: Behind::Now, seconds }) if seconds < 0.0 => -seconds,
        // Today counts as a whole day.
        Some(Moment { behind: Behind::Today, seconds }) if seconds <= 0.0 => (-seconds).max(DAY),
        _ => return RangeWidth::Open,
    };
    Seconds::new(seconds).map_or(RangeWidth::Open, RangeWidth::Duration)
}

impl Reader<'_> {
    /// The bound that a condition sets to a column, if its end is known when
    /// the statement is sent.
    pub(super) fn bound(
        &self,
        condition: &Expr,
        column: &Value,
        (end, value): (&Expr, &Value),
        side: Side,
    ) -> Option<Bound> {
        let (Value::Column(column), Value::Known(_)) = (column, value) else { return None };
        let span = self.span(self.extent(condition));
        Some(Bound { column: *column, side, moment: self.moment(end, 0), span })
    }

    fn moment(&self, expr: &Expr, depth: u32) -> Option<Moment> {
        if 100 < depth {
            return None;
        }
        match expr {
            Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => self.moment(inner, depth + 1),
            Expr::Value(it) => self.written_moment(&it.value),
            Expr::TypedString(it) => self.written_moment(&it.value.value),
            Expr::BinaryOp { left, op, right } => {
                let sign = match op {
                    BinaryOperator::Plus => 1.0,
                    BinaryOperator::Minus => -1.0,
                    _ => return None,
                };
                let base = self.moment(left, depth + 1)?;
                let days = || match (base.behind, &**right) {
                    (Behind::Today, Expr::Value(it)) => number(&it.value).map(|it| it * DAY),
                    _ => None,
                };
                let shift = stretch(right).or_else(days)?;
                Some(Moment { seconds: base.seconds + sign * shift, ..base })
            }
            Expr::Function(function) => {
                let name = function_name(function);
                let arguments = arguments(function);
                match name.as_str() {
                    "now"
                    | "current_timestamp"
                    | "sysdate"
                    | "getdate"
                    | "clock_timestamp"
                    | "localtimestamp"
                    | "statement_timestamp"
                    | "transaction_timestamp"
                    | "utc_timestamp"
                    | "systimestamp" => Some(Moment { behind: Behind::Now, seconds: 0.0 }),
                    "current_date" | "curdate" | "utc_date" => {
                        Some(Moment { behind: Behind::Today, seconds: 0.0 })
                    }
                    "date_trunc" => {
                        let base = self.moment(arguments.get(1)?, depth + 1)?;
                        let Expr::Value(unit) = arguments.first()? else { return None };
                        // At most one unit before.
                        let unit = seconds_of_unit(text_of(&unit.value)?)?;
                        Some(Moment { seconds: base.seconds - unit, ..base })
                    }
                    "date_sub" | "timestamp_sub" | "date_add" | "timestamp_add" => {
                        let sign = if name.ends_with("sub") { -1.0 } else { 1.0 };
                        let base = self.moment(arguments.first()?, depth + 1)?;
                        let shift = stretch(arguments.get(1)?)?;
                        Some(Moment { seconds: base.seconds + sign * shift, ..base })
                    }
                    _ => None,
                }
            }
            Expr::Identifier(name) => match name.value.to_ascii_lowercase().as_str() {
                "current_timestamp" | "localtimestamp" | "sysdate" | "systimestamp" => {
                    Some(Moment { behind: Behind::Now, seconds: 0.0 })
                }
                "current_date" => Some(Moment { behind: Behind::Today, seconds: 0.0 }),
                _ => None,
            },
            _ => None,
        }
    }

    fn written_moment(&self, literal: &Literal) -> Option<Moment> {
        match literal {
            Literal::Placeholder(text) => {
                Some(Moment { behind: Behind::Param(self.placeholder(text)?), seconds: 0.0 })
            }
            Literal::SingleQuotedString(text) => {
                Some(Moment { behind: Behind::Epoch, seconds: date_seconds(text)? })
            }
            _ => None,
        }
    }
}

/// Seconds of an INTERVAL, if they are written.
fn stretch(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Nested(inner) => stretch_inside(inner),
        other => stretch_inside(other),
    }
}

fn stretch_inside(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Interval(Interval { value, leading_field, last_field: None, .. }) => {
            let Expr::Value(it) = &**value else { return None };
            match (leading_field, number(&it.value)) {
                (Some(field), Some(n)) => Some(n * seconds_of_field(field)?),
                (None, _) => words_seconds(text_of(&it.value)?),
                (Some(_), None) => None,
            }
        }
        // `'7 days'::interval`
        Expr::Cast { expr, data_type, .. } => {
            let Expr::Value(it) = &**expr else { return None };
            let interval = data_type.to_string().to_ascii_lowercase().starts_with("interval");
            if interval { words_seconds(text_of(&it.value)?) } else { None }
        }
        _ => None,
    }
}

fn text_of(literal: &Literal) -> Option<&str> {
    match literal {
        Literal::SingleQuotedString(text) | Literal::DoubleQuotedString(text) => Some(text),
        _ => None,
    }
}

fn number(literal: &Literal) -> Option<f64> {
    let text = match literal {
        Literal::Number(text, _) => text.as_str(),
        other => text_of(other)?,
    };
    text.trim().parse().ok().filter(|it: &f64| it.is_finite())
}

fn seconds_of_field(field: &DateTimeField) -> Option<f64> {
    seconds_of_unit(&field.to_string())
}

/// Seconds of a unit, singular or plural.
fn seconds_of_unit(unit: &str) -> Option<f64> {
    let unit = unit.to_ascii_lowercase();
    let unit = unit.strip_suffix('s').filter(|it| !it.is_empty()).unwrap_or(&unit);
    Some(match unit {
        "microsecond" => 1e-6,
        "millisecond" => 1e-3,
        "second" | "sec" | "s" => 1.0,
        "minute" | "min" | "m" => 60.0,
        "hour" | "h" | "hr" => 3600.0,
        "day" | "d" => DAY,
        "week" | "w" => 7.0 * DAY,
        "month" | "mon" => 30.44 * DAY,
        "quarter" => 91.32 * DAY,
        "year" | "y" => YEAR,
        _ => return None,
    })
}

/// Seconds of `7 days`, `1 day 2 hours`, `7d`, `02:30:00`.
fn words_seconds(text: &str) -> Option<f64> {
    if let Some((hours, rest)) = text.trim().split_once(':') {
        let (minutes, seconds) = rest.split_once(':').unwrap_or((rest, "0"));
        let part = |it: &str| it.parse::<f64>().ok();
        return Some(part(hours)? * 3600.0 + part(minutes)? * 60.0 + part(seconds)?);
    }
    let mut total = 0.0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let n: f64 = rest[..end].parse().ok()?;
        rest = rest[end..].trim_start();
        let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        total += n * seconds_of_unit(&rest[..end])?;
        rest = rest[end..].trim_start();
    }
    Some(total)
}

/// Seconds of `2024-01-31` or `2024-01-31 12:30:00` behind 1970-01-01; zones are ignored.
fn date_seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let date = text.get(..10)?;
    let mut parts = date.split('-').map(|it| it.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days of the proleptic Gregorian calendar, the year starting in March.
    let year = if month <= 2 { year - 1 } else { year };
    let era_year = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = era_year * 365 + era_year / 4 - era_year / 100 + day_of_year;
    let days = (year.div_euclid(400) * 146_097 + day_of_era - 719_468) as f64;
    let clock = text.get(11..19).map_or(Some(0.0), words_seconds)?;
    Some(days * DAY + clock)
}

/// What every branch of an OR says of one column.
pub(super) fn common(branches: &[Vec<Fact>], span: Span) -> Vec<Fact> {
    let Some(first) = branches.first() else { return Vec::new() };
    let mut found: Vec<Fact> = Vec::new();
    for column in first.iter().filter_map(|it| subject(&it.predicate)) {
        let known = found.iter().any(|it| subject(&it.predicate) == Some(column));
        if !known {
            found.extend(
                common_values(branches, column, span).or_else(|| common_range(branches, column, span)),
            );
        }
    }
    for fact in first {
        if let Predicate::Equal { column, to: Operand::Column(to), span } = &fact.predicate {
            let says = |it: &Fact| matches!(&it.predicate, Predicate::Equal { column: c, to: Operand::Column(t), .. } if c == column && t == to);
            if branches.iter().all(|it| it.iter().any(says)) {
                let predicate = Predicate::Equal { column: *column, to: Operand::Column(*to), span: *span };
                found.push(Fact { predicate, side: None });
            }
        }
    }
    found
}

/// Each branch gives the column values that are known: it is one of them all.
fn common_values(branches: &[Vec<Fact>], column: ColumnRef, span: Span) -> Option<Fact> {
    let (mut values, mut unlisted) = (Vec::new(), 0_u32);
    for branch in branches {
        let given = branch.iter().find_map(|it| match &it.predicate {
            Predicate::Equal { column: c, to, .. } if *c == column && !matches!(to, Operand::Column(_)) => {
                Some((vec![to.clone()], 1))
            }
            Predicate::In { column: c, values, count, .. } if *c == column => Some((values.clone(), *count)),
            Predicate::IsNull { column: c, .. } if *c == column => {
                Some((vec![Operand::Constant("NULL".to_owned())], 1))
            }
            _ => None,
        });
        let (given, count) = given?;
        unlisted = unlisted.saturating_add(count.saturating_sub(given.len() as u32));
        values.extend(given);
    }
    let values = distinct(values);
    let count = unlisted.saturating_add(values.len() as u32);
    Some(Fact { predicate: one_of(column, values, count, span), side: None })
}

/// Each branch bounds the column on the same side, or gives it one value that
/// lies on that side: `t < :t OR (t = :t AND id < :i)`.
fn common_range(branches: &[Vec<Fact>], column: ColumnRef, span: Span) -> Option<Fact> {
    let mut common: Option<(RangeWidth, Option<Side>)> = None;
    for branch in branches {
        let bound = branch.iter().find_map(|it| match &it.predicate {
            Predicate::Range { column: c, width, .. } if *c == column => Some(Some((*width, it.side))),
            Predicate::Equal { column: c, .. } | Predicate::In { column: c, .. } if *c == column => {
                Some(None)
            }
            _ => None,
        })?;
        if let Some((width, side)) = bound {
            common = match common {
                None => Some((width, side)),
                Some((_, had)) if had != side => return None,
                Some((had, _)) if had == width => Some((width, side)),
                Some(_) if side.is_some() => Some((RangeWidth::Open, side)),
                Some(_) => Some((RangeWidth::Unstated, side)),
            };
        }
    }
    let (width, side) = common?;
    Some(Fact { predicate: range(column, width, span), side })
}
