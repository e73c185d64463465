//! Tables, patterns and statements as rules look at them: with their figures
//! under the plan that is judged.

use crate::analysis::assessment::{PatternFigures, TableFigures};
use crate::analysis::classes::Class;
use crate::analysis::facts::TableFacts;
use crate::analysis::placed::{Placed, PlacedPart};
use crate::analysis::routing::{At, InstanceRoute, StatementRoute};
use crate::diag::Finding;
use crate::lint::context::Judged;
use crate::model::{
    AccessPattern, Choice, ColumnId, InstanceId, Operation, PatternId, Salt, Statement, Strategy, Table,
    TableId, TablePlan, TypeFamily,
};
use crate::source::Span;

/// A table under the plan that is judged.
#[derive(Clone, Copy)]
pub struct TableView<'a> {
    pub(super) cx: &'a Judged<'a>,
    /// Its id.
    pub id: TableId,
    /// The table.
    pub table: &'a Table,
    /// Where its rows live.
    pub placed: &'a Placed,
    /// What the plan says of it; `None` where the plan leaves it out.
    pub plan: Option<&'a TablePlan>,
    /// Its figures.
    pub figures: &'a TableFigures,
    /// Its statistics.
    pub facts: &'a TableFacts,
}

/// A pattern under the plan that is judged.
#[derive(Clone, Copy)]
pub struct PatternView<'a> {
    /// Its id.
    pub id: PatternId,
    /// The pattern.
    pub pattern: &'a AccessPattern,
    /// Its figures.
    pub figures: &'a PatternFigures,
    /// Positions of its first statement and of the one behind its last.
    pub(super) statements: (usize, usize),
}

/// A statement of a pattern with its route.
#[derive(Clone, Copy)]
pub struct StatementView<'a> {
    /// The pattern it stands in.
    pub of: PatternView<'a>,
    /// The statement.
    pub statement: &'a Statement,
    /// Where it goes.
    pub route: &'a StatementRoute,
    /// For questions of routing.
    pub at: At<'a>,
}

impl<'a> TableView<'a> {
    /// Where a finding about its key stands: the key, else the table's name.
    #[must_use]
    pub fn key_span(&self) -> Span {
        self.plan.map(|it| it.key_span).filter(|it| 0 < it.end).unwrap_or(self.table.span)
    }

    /// Names of the key's parts.
    #[must_use]
    pub fn key_names(&self) -> Vec<String> {
        self.placed.key_names(self.cx.design, &self.cx.setting.copied)
    }

    /// The key as reports print it: `customer_id`, or `(tenant_id, user_id)`.
    #[must_use]
    pub fn key_text(&self) -> String {
        tuple(&self.key_names())
    }

    /// Marks a finding as one about this table's key.
    #[must_use]
    pub fn about(&self, finding: Finding) -> Finding {
        finding.on_table(&self.table.name).on_key(self.key_names().join(","))
    }

    /// Columns of the table itself that the key rests on.
    #[must_use]
    pub fn own_key_columns(&self) -> Vec<ColumnId> {
        match &self.placed.choice {
            Choice::Sharded(key) => key.own_columns().collect(),
            Choice::Replicated | Choice::Unsharded => Vec::new(),
        }
    }

    /// Name of a key part.
    #[must_use]
    pub fn part_name(&self, part: &PlacedPart) -> &'a str {
        match part {
            PlacedPart::Column(it) | PlacedPart::Bucket(it, _) | PlacedPart::Expression(_, it) => {
                &self.table.column(*it).name
            }
            PlacedPart::Copied(it) => {
                self.cx.setting.copied[self.id.0 as usize].get(*it).map_or("", |it| &it.name)
            }
        }
    }

    /// Type of a key part, where it is declared; a time bucket has none.
    #[must_use]
    pub fn part_type(&self, part: &PlacedPart) -> Option<&'a crate::model::ColumnType> {
        match part {
            PlacedPart::Column(it) => self.table.column(*it).ty.as_ref(),
            PlacedPart::Copied(it) => {
                let copied = self.cx.setting.copied[self.id.0 as usize].get(*it)?;
                self.cx.design.table(copied.source).column(copied.column).ty.as_ref()
            }
            PlacedPart::Bucket(..) | PlacedPart::Expression(..) => None,
        }
    }

    /// Kind of value of a key part.
    #[must_use]
    pub fn part_family(&self, part: &PlacedPart) -> Option<TypeFamily> {
        self.part_type(part).map(|it| it.family)
    }

    /// Whether its partitions are chosen by hand, value by value.
    #[must_use]
    pub fn by_hand(&self) -> bool {
        matches!(self.placed.strategy, Strategy::List | Strategy::Geo)
    }

    /// Its salt.
    #[must_use]
    pub fn salt(&self) -> Option<Salt> {
        self.placed.salt
    }

    /// Rows inserted a second by patterns, mean and at their peaks; where no
    /// pattern inserts, the growth.
    #[must_use]
    pub fn inserts(&self) -> (f64, f64) {
        let mut sum = (0.0, 0.0);
        for it in self.cx.statements_on(self.id) {
            if it.statement.written_table() == Some(self.id) && it.inserts() {
                let rows = it.of.figures.rate * it.at.times * f64::from(it.statement.inserted_rows.max(1));
                sum.0 += rows;
                sum.1 += rows * it.of.peak();
            }
        }
        if sum.0 > 0.0 { sum } else { (self.facts.growth, self.facts.growth) }
    }

    /// Rows written a second, inserts included.
    #[must_use]
    pub fn writes(&self) -> f64 {
        let written =
            self.cx.statements_on(self.id).filter(|it| it.statement.written_table() == Some(self.id));
        let by_patterns: f64 =
            written.map(|it| it.of.figures.rate * it.at.times * it.route.rows.max(1.0)).sum();
        if by_patterns > 0.0 { by_patterns } else { self.facts.growth }
    }
}

impl PatternView<'_> {
    /// Peak rate over mean rate.
    #[must_use]
    pub fn peak(&self) -> f64 {
        if self.pattern.peak >= 1.0 { self.pattern.peak } else { 1.0 }
    }

    /// Share of all requests.
    #[must_use]
    pub fn share(&self, cx: &Judged<'_>) -> f64 {
        let total = cx.total_rate();
        if total > 0.0 { self.figures.rate / total } else { 0.0 }
    }

    /// Marks a finding as one about this pattern; where it has several
    /// statements, the one it is about is shown beside it.
    #[must_use]
    pub fn about(&self, finding: Finding, statement: &Statement) -> Finding {
        let several = self.pattern.statements().count() > 1;
        let finding = finding.on_pattern(&self.pattern.name);
        if several && 0 < statement.span.end && statement.span != finding.span {
            return finding.with_related(statement.span, "in this statement");
        }
        finding
    }
}

impl<'a> StatementView<'a> {
    /// Whether it puts rows in.
    #[must_use]
    pub fn inserts(&self) -> bool {
        matches!(self.statement.op, Operation::Insert | Operation::Upsert)
    }

    /// Whether it only reads.
    #[must_use]
    pub fn reads(&self) -> bool {
        self.statement.op == Operation::Read
    }

    /// What is known of a column of an instance.
    #[must_use]
    pub fn class(&self, instance: InstanceId, column: ColumnId) -> Option<&'a Class> {
        let classes = self.at.classes;
        classes.column(self.at.idx, instance, column).map(|it| classes.class(it))
    }

    /// Executions a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.of.figures.rate * self.at.times
    }

    /// Executions a second at the pattern's peak.
    #[must_use]
    pub fn peak_rate(&self) -> f64 {
        self.rate() * self.of.peak()
    }

    /// The route of one of its instances.
    #[must_use]
    pub fn route_of(&self, instance: InstanceId) -> Option<&'a InstanceRoute> {
        self.route.instances.iter().find(|it| it.instance == instance)
    }

    /// Columns of an instance that the statement binds to one value each.
    #[must_use]
    pub fn bound_columns(&self, route: &InstanceRoute) -> Vec<ColumnId> {
        let table = self.at.setting.design.table(route.table);
        table
            .column_ids()
            .filter(|it| self.class(route.instance, *it).is_some_and(|it| it.bound() && !it.null))
            .collect()
    }
}

/// A rate, or `no` where there is none: `5/s`, `no`.
#[must_use]
pub(crate) fn rate_or_no(per_second: f64) -> String {
    if per_second > 0.0 { crate::units::text::rate(per_second) } else { "no".to_owned() }
}

/// A share of all requests, told from none however small it is.
#[must_use]
pub(crate) fn share_of_requests(share: f64) -> String {
    if 0.0 < share && share < 1e-6 {
        return "under 0.0001% of all requests".to_owned();
    }
    format!("{} of all requests", crate::units::text::share(share))
}

/// `a`, or `(a, b)`.
#[must_use]
pub(crate) fn tuple(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    }
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}
