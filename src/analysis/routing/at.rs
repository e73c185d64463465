//! A statement with everything that routing asks of it: its equality classes,
//! and how its load spreads over the tokens of a key.

use crate::analysis::classes::{Class, ClassId, Classes, Reading};
use crate::analysis::facts::copied_facts;
use crate::analysis::placed::{Placed, PlacedPart, salted};
use crate::analysis::routing::bind::salts_read;
use crate::analysis::setting::Setting;
use crate::analysis::spread::Spread;
use crate::model::{ColumnId, InstanceId, Operation, ParamId, PatternId, Statement, Strategy};

/// One statement of a pattern with everything routing asks for.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// The setting.
    pub setting: &'a Setting<'a>,
    /// The pattern.
    pub pattern: PatternId,
    /// The classes of the pattern.
    pub classes: &'a Classes,
    /// Position of the statement in the pattern.
    pub idx: u32,
    /// The statement.
    pub statement: &'a Statement,
    /// Position of its step.
    pub step: u32,
    /// Runs of its step.
    pub times: f64,
    /// Whether the classes count what foreign keys imply.
    pub implied: bool,
}

impl<'a> At<'a> {
    /// All statements of a pattern.
    #[must_use]
    pub fn all(setting: &'a Setting<'a>, pattern: PatternId, reading: Reading) -> Vec<Self> {
        let classes = setting.classes(pattern, reading);
        let steps = &setting.design.pattern(pattern).steps;
        let mut all = Vec::new();
        for (step, it) in steps.iter().enumerate() {
            for statement in &it.statements {
                let (idx, times) = (all.len() as u32, f64::from(it.times.max(1)));
                all.push(Self {
                    setting,
                    pattern,
                    classes,
                    idx,
                    statement,
                    step: step as u32,
                    times,
                    implied: reading == Reading::Implied,
                });
            }
        }
        all
    }

    /// Class of a column of an instance.
    pub(super) fn column(&self, instance: InstanceId, column: ColumnId) -> Option<ClassId> {
        self.classes.column(self.idx, instance, column)
    }

    /// Class of a key part of an instance.
    pub(super) fn part(&self, instance: InstanceId, part: &PlacedPart) -> Option<ClassId> {
        match part {
            PlacedPart::Column(column) | PlacedPart::Bucket(column, _) => self.column(instance, *column),
            PlacedPart::Copied(at) => self.classes.copied(self.idx, instance, *at),
            PlacedPart::Expression(text, _) => self.classes.expression(self.idx, instance, text),
        }
    }

    /// Share of the executions that ask the most requested key value of an
    /// instance whose key is bound. A salt divides the share of a write and of a
    /// read that knows the salt; other reads ask every salt and divide nothing.
    #[must_use]
    pub fn hottest(&self, instance: InstanceId, placed: &Placed) -> f64 {
        let asks_all = salts_read(self, instance, placed, self.inserts(instance)) > 1.0;
        if asks_all {
            return self.load_spread(instance, &Placed { salt: None, ..placed.clone() }).top();
        }
        self.load_spread(instance, placed).top()
    }

    pub(super) fn inserts(&self, instance: InstanceId) -> bool {
        self.statement.target == Some(instance)
            && matches!(self.statement.op, Operation::Insert | Operation::Upsert)
    }

    /// Independent values that a class takes over the runs of the step.
    pub(super) fn draws(&self, class: &Class) -> f64 {
        let differs = class.params.iter().any(|(_, step)| *step == Some(self.step));
        if differs { self.times } else { 1.0 }
    }

    /// How requests spread over the values of a column as the class binds it.
    pub(super) fn spread_of(
        &self,
        class: Option<&Class>,
        facts: &crate::analysis::facts::ColumnFacts,
        inserting: bool,
    ) -> Spread {
        if let Some(class) = class {
            if class.null || !class.constants.is_empty() {
                return Spread::constant();
            }
            let given = class.params.iter().find_map(|(id, _)| self.popularity(*id));
            if let Some(popularity) = given {
                return Spread::of(popularity, facts.distinct);
            }
        }
        match inserting {
            true if facts.current_value_takes_inserts => Spread::constant(),
            true => facts.rows.clone(),
            false => facts.values.clone(),
        }
    }

    pub(super) fn popularity(&self, id: ParamId) -> Option<&crate::model::Distribution> {
        let params = &self.setting.design.pattern(self.pattern).params;
        let param = params.get(id.0 as usize)?;
        param.popularity.as_ref().or_else(|| {
            // A parameter that usually equals another is asked for as the other is.
            let (base, _) = param.same_as?;
            params.get(base.0 as usize)?.popularity.as_ref()
        })
    }

    /// How the load of an instance spreads over the tokens of its key.
    pub(super) fn load_spread(&self, instance: InstanceId, placed: &Placed) -> Spread {
        let setting = self.setting;
        let facts = setting.table(placed.table);
        let table = setting.design.table(placed.table);
        let inserting = self.inserts(instance);
        let mut spread = Spread::constant();
        for (idx, part) in placed.parts.iter().take(placed.deciding).enumerate() {
            let class = self.part(instance, part).map(|it| self.classes.class(it));
            let it = match part {
                // The load falls on the current bucket.
                PlacedPart::Bucket(..) => continue,
                PlacedPart::Column(column) | PlacedPart::Expression(_, column) => {
                    let determined = placed.parts.iter().enumerate().any(|(other, it)| {
                        matches!(it, PlacedPart::Column(by)
                            if other != idx && table.column(*by).determines.contains(column))
                    });
                    if determined {
                        continue;
                    }
                    self.spread_of(class, &facts.columns[column.0 as usize], inserting)
                }
                PlacedPart::Copied(at) => match setting.copied[placed.table.0 as usize].get(*at) {
                    Some(it) => self.spread_of(class, &copied_facts(&setting.facts, it), inserting),
                    None => continue,
                },
            };
            spread = spread.times(&it, facts.rows);
        }
        salted(spread, placed.salt, setting.shards)
    }

    /// Load of the busiest shard over the mean for an instance whose key is bound,
    /// and the share of the hottest value.
    pub(super) fn sigma(&self, instance: InstanceId, placed: &Placed) -> (f64, f64) {
        let shards = f64::from(self.setting.shards);
        if self.inserts(instance)
            && placed.strategy == Strategy::Range
            && grows_at_front(self.setting, placed)
        {
            let ways = placed.salt.map_or(1.0, |it| f64::from(it.ways));
            return ((shards / ways).max(1.0), (1.0 / ways).min(1.0));
        }
        let salt = placed.salt.map_or((0, false), |it| (it.ways, it.only_hot));
        let inserting = self.inserts(instance);
        let sources =
            placed.parts.iter().take(placed.deciding).map(|it| self.source_of(instance, it, inserting));
        let question = (placed.table, placed.strategy, salt.0, salt.1, sources.collect());
        self.setting.load_once(question, &|| {
            let spread = self.load_spread(instance, placed);
            (self.setting.busiest_over_mean(&spread, placed.strategy), spread.top())
        })
    }

    /// Where the spread of a key part's values comes from, as numbers that are
    /// equal exactly where [`Self::spread_of`] answers the same.
    pub(super) fn source_of(&self, instance: InstanceId, part: &PlacedPart, inserting: bool) -> (u64, u64) {
        let name = match part {
            PlacedPart::Column(column) => u64::from(column.0) << 2,
            PlacedPart::Copied(at) => (*at as u64) << 2 | 1,
            PlacedPart::Bucket(column, _) => u64::from(column.0) << 2 | 2,
            PlacedPart::Expression(_, column) => u64::from(column.0) << 2 | 3,
        };
        let Some(class) = self.part(instance, part).map(|it| self.classes.class(it)) else {
            return (name, u64::from(inserting));
        };
        if class.null || !class.constants.is_empty() {
            return (name, 2);
        }
        match class.params.iter().find(|(id, _)| self.popularity(*id).is_some()) {
            Some((id, _)) => (name, 8 + (u64::from(self.pattern.0) << 32 | u64::from(id.0))),
            None => (name, u64::from(inserting)),
        }
    }
}

/// Whether the first part of a key in order only grows.
#[must_use]
pub fn grows_at_front(setting: &Setting<'_>, placed: &Placed) -> bool {
    match placed.parts.first() {
        Some(PlacedPart::Column(column) | PlacedPart::Bucket(column, _)) => {
            setting.design.table(placed.table).column(*column).grows()
        }
        Some(PlacedPart::Copied(at)) => setting.copied[placed.table.0 as usize]
            .get(*at)
            .is_some_and(|it| setting.design.table(it.source).column(it.column).grows()),
        _ => false,
    }
}
