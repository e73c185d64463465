//! Rows to their serialised copies.

use crate::report::wire::{
    BestV1, BucketV1, CandidateV1, CheckV1, ChoiceV1, ClaimV1, CurveV1, FindingV1, IndexV1, ModelV1, Num,
    PatternV1, ReportV1, RewriteV1, RunnerUpV1, ScoresV1, SearchV1, TableV1, ThreeV1, ToolV1, TotalsV1,
    TouchedV1, VERSION, VerdictV1,
};
use crate::report::{
    CandidateRow, CheckRow, ChoiceRow, ClaimRow, CurveRow, FindingRow, IndexRow, ModelRow, PatternRow,
    PlanRows, Report, RewriteRow, ScoresRow, SearchRow, TableRow, ThreeRow, TotalsRow, VerdictRow,
};
use crate::units::Seconds;

fn strs(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

impl<'a> ReportV1<'a> {
    pub(super) fn of(it: &'a Report) -> Self {
        Self {
            report: VERSION,
            tool: ToolV1 { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            model: it.model.as_ref().map(ModelV1::of),
            verdict: it.verdict.as_ref().map(VerdictV1::of),
            tables: it.plan.tables.iter().map(TableV1::of).collect(),
            patterns: it.plan.patterns.iter().map(PatternV1::of).collect(),
            totals: it.plan.totals.as_ref().map(TotalsV1::of),
            curve: it.curve.iter().map(CurveV1::of).collect(),
            indexes: it.plan.indexes.iter().map(IndexV1::of).collect(),
            rewrites: it.plan.rewrites.iter().map(RewriteV1::of).collect(),
            best: it.best.as_ref().map(BestV1::of),
            layout: None,
            claims: it.claims.iter().map(ClaimV1::of).collect(),
            checklist: it.checklist.iter().map(CheckV1::of).collect(),
            findings: it.findings.iter().map(FindingV1::of).collect(),
            search: it.search.as_ref().map(SearchV1::of),
        }
    }
}

impl<'a> ModelV1<'a> {
    fn of(it: &'a ModelRow) -> Self {
        let days = Seconds::new(it.horizon).map_or(0.0, Seconds::days);
        // Two years of 365.25 days are 730 whole ones.
        let horizon_days = (days + 1e-9).floor() as u64;
        Self { name: &it.name, engine: &it.engine, shards: it.shards, nodes: it.nodes, horizon_days }
    }
}

impl<'a> VerdictV1<'a> {
    fn of(it: &'a VerdictRow) -> Self {
        Self {
            shard: it.shard,
            summary: &it.summary,
            reasons: it.reasons.iter().chain(&it.steps).map(String::as_str).collect(),
            recommended_shards: it.recommended_shards,
            not_needed_until: it.not_needed_days.map(Num),
        }
    }
}

impl<'a> TableV1<'a> {
    fn of(it: &'a TableRow) -> Self {
        Self {
            table: &it.table,
            choice: ChoiceV1::of(&it.choice),
            candidates: it.candidates.iter().map(CandidateV1::of).collect(),
        }
    }
}

impl<'a> ChoiceV1<'a> {
    fn of(it: &'a ChoiceRow) -> Self {
        Self {
            kind: it.kind,
            key: strs(&it.key),
            strategy: it.strategy,
            group: it.group.as_deref(),
            add_column: it.add_column.as_deref(),
            salt: it.salt,
            bucket: bucket(it),
        }
    }
}

fn bucket(it: &ChoiceRow) -> Option<BucketV1<'_>> {
    it.bucket.as_ref().map(|(column, every)| BucketV1 { column, every_s: Num(*every) })
}

impl<'a> CandidateV1<'a> {
    fn of(it: &'a CandidateRow) -> Self {
        let said = it.veto.iter().map(|(_, message)| message.as_str());
        Self {
            kind: it.choice.kind,
            key: strs(&it.choice.key),
            strategy: it.choice.strategy,
            rank: it.rank,
            efficiency: it.efficiency.map(Num),
            veto: it.veto.as_ref().map(|(rule, _)| rule.as_str()),
            scores: ScoresV1::of(&it.scores),
            distinct: Num(it.distinct),
            effective: Num(it.effective),
            busiest_over_mean: ThreeV1::of(&it.busiest),
            hottest_share: ThreeV1::of(&it.hottest),
            empty_shards: Num(it.empty),
            reasons: said.chain(it.reasons.iter().map(String::as_str)).collect(),
            add_column: it.choice.add_column.as_deref(),
            salt: it.choice.salt,
            bucket: bucket(&it.choice),
        }
    }
}

impl ScoresV1 {
    fn of(it: &ScoresRow) -> Self {
        Self {
            cardinality: Num(it.cardinality),
            skew: Num(it.skew),
            fan_out: Num(it.fan_out),
            co_location: Num(it.co_location),
            stability: Num(it.stability),
        }
    }
}

impl ThreeV1 {
    fn of(it: &ThreeRow) -> Self {
        Self { rows: Num(it.rows), reads: Num(it.reads), writes: Num(it.writes) }
    }
}

impl<'a> PatternV1<'a> {
    fn of(it: &'a PatternRow) -> Self {
        Self {
            pattern: &it.pattern,
            rate: Num(it.rate),
            routing: it.routing,
            shards_touched: TouchedV1 { mean: Num(it.mean), max: Num(it.max) },
            multi_shard_probability: Num(it.multi),
            cross_shard_transaction: it.cross_shard_transaction,
            served_by: &it.served_by,
            work: Num(it.work),
            slow_probability: Num(it.slow),
            advice: it.advice.as_deref(),
        }
    }
}

impl TotalsV1 {
    fn of(it: &TotalsRow) -> Self {
        Self {
            efficiency: Num(it.efficiency),
            single_shard_share: Num(it.single_shard_share),
            scatter_share: Num(it.scatter_share),
            cross_shard_transaction_share: Num(it.cross_shard_transaction_share),
            busiest_over_mean: Num(it.busiest_over_mean),
            requests: Num(it.requests),
            shard_requests: Num(it.shard_requests),
            bytes: Num(it.bytes),
            rate_analysed: Num(it.rate_analysed),
        }
    }
}

impl CurveV1 {
    fn of(it: &CurveRow) -> Self {
        Self { shards: it.shards, speedup: Num(it.speedup) }
    }
}

impl<'a> IndexV1<'a> {
    fn of(it: &'a IndexRow) -> Self {
        Self {
            name: &it.name,
            table: &it.table,
            key: strs(&it.key),
            scope: it.scope,
            salt: it.salt,
            r#for: strs(&it.patterns),
            saves: Num(it.saves),
            costs: Num(it.costs),
        }
    }
}

impl<'a> RewriteV1<'a> {
    fn of(it: &'a RewriteRow) -> Self {
        Self { pattern: &it.pattern, add: &it.add }
    }
}

impl<'a> BestV1<'a> {
    fn of(it: &'a PlanRows) -> Self {
        Self {
            tables: it.tables.iter().map(TableV1::of).collect(),
            patterns: it.patterns.iter().map(PatternV1::of).collect(),
            totals: it.totals.as_ref().map(TotalsV1::of),
            indexes: it.indexes.iter().map(IndexV1::of).collect(),
            rewrites: it.rewrites.iter().map(RewriteV1::of).collect(),
            findings: it.findings.iter().map(FindingV1::of).collect(),
        }
    }
}

impl<'a> ClaimV1<'a> {
    fn of(it: &'a ClaimRow) -> Self {
        Self {
            claim: it.claim,
            about: it.about.as_deref(),
            stated: Num(it.stated),
            computed: it.computed.map(Num),
            verdict: it.verdict.as_str(),
            why: &it.why,
        }
    }
}

impl<'a> CheckV1<'a> {
    fn of(it: &'a CheckRow) -> Self {
        Self { question: it.question, answer: &it.answer, state: it.state.as_str() }
    }
}

impl<'a> FindingV1<'a> {
    fn of(it: &'a FindingRow) -> Self {
        Self {
            code: it.code,
            rule: it.rule,
            level: it.level.as_str(),
            confidence: it.confidence.as_str(),
            table: it.table.as_deref(),
            pattern: it.pattern.as_deref(),
            index: it.index.as_deref(),
            key: it.key.as_deref(),
            message: &it.message,
            help: it.help.as_deref(),
            fix: it.fix.as_deref(),
            file: &it.place.file,
            line: it.place.line,
            column: it.place.column,
            end_line: it.place.end_line,
            end_column: it.place.end_column,
        }
    }
}

impl<'a> SearchV1<'a> {
    fn of(it: &'a SearchRow) -> Self {
        let runner_up = it.runner_up.as_ref();
        Self {
            optimal: it.optimal,
            gap: Num(it.gap),
            plans_considered: it.plans_considered,
            runner_up: runner_up.map(|(efficiency, differs)| RunnerUpV1 {
                efficiency: Num(*efficiency),
                differs: strs(differs),
            }),
            stopped: it.stopped,
        }
    }
}
