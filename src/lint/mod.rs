//! Stand-in until the rules are merged.
use crate::analysis::assessment::{Assessment, Routing};
use crate::analysis::setting::Setting;
use crate::diag::{Code, Finding, Level};
use crate::model::Plan;

/// What a rule sees.
pub struct Context<'a> {
    /// The setting.
    pub setting: &'a Setting<'a>,
    /// The plan.
    pub plan: Option<&'a Plan>,
    /// What it is worth.
    pub assessment: Option<&'a Assessment>,
}

/// A rule.
pub struct Rule {
    /// Code and name.
    pub code: Code,
    /// Level.
    pub level: Level,
    /// Long text.
    pub explain: &'static str,
}

static SCATTER: Rule = Rule {
    code: Code { code: "SW201", name: "scatter-read" },
    level: Level::Warning,
    explain: "A read that names no shard key asks every shard.\n",
};

/// All rules.
pub static RULES: &[&Rule] = &[&SCATTER];

/// Runs all rules.
#[must_use]
pub fn run(cx: &Context<'_>) -> Vec<Finding> {
    let Some(assessment) = cx.assessment else { return Vec::new() };
    let scatters = assessment.patterns.iter().filter(|it| it.routing == Routing::Scatter);
    scatters
        .map(|it| {
            let pattern = cx.setting.design.pattern(it.pattern);
            let message = format!("this read asks all {} shards", cx.setting.shards);
            Finding::new(SCATTER.code, Level::Warning, pattern.span, message)
                .on_pattern(&pattern.name)
                .with_help("add a predicate on the shard key, or a global index")
        })
        .collect()
}
