//! Text in, findings out: the whole way that a test of a rule takes.

use crate::analysis::assessment::{evaluate, placed_of};
use crate::analysis::classes::Reading;
use crate::analysis::setting::{Setting, copied_by};
use crate::diag::Finding;
use crate::input::{Loader, read};
use crate::lint::{Context, run, settle};
use crate::model::{Design, Plan};
use crate::source::{FileId, Files};

struct Nothing;

impl Loader for Nothing {
    fn load(&mut self, _: FileId, path: &str, _: &mut Files) -> Result<FileId, String> {
        Err(format!("an example includes {path}"))
    }
}

/// Everything that is said of a text.
pub(super) fn findings(text: &str) -> Vec<Finding> {
    let mut files = Files::default();
    let id = files.add("example.yaml", text);
    let it = read(&[id], &mut files, &mut Nothing);
    let mut findings = judged(&it.design);
    findings.extend(it.findings);
    settle(findings, &it.design, &files)
}

/// What the rules say of a design and its plan.
fn judged(design: &Design) -> Vec<Finding> {
    let name = design.target.engine.as_ref().map_or("generic", |(name, _)| name);
    let plan = design.plan.as_ref();
    let nodes = plan.and_then(|it| it.nodes).or(design.target.nodes);
    let engine = crate::target::engine(name).expect("examples name engines that there are").on_nodes(nodes);
    let plans: Vec<&Plan> = plan.into_iter().collect();
    let setting =
        Setting::new(design, engine, plan.and_then(|it| it.shards), nodes, copied_by(design, &plans));
    let assessment = plan.map(|it| evaluate(&setting, placed_of(&setting, it), Reading::Written));
    run(&Context {
        design,
        setting: &setting,
        plan,
        assessment: assessment.as_ref(),
        by_advisor: false,
        advice: None,
        under_check: false,
    })
}

/// What one rule says of a text.
pub(super) fn of_rule(name: &str, text: &str) -> Vec<Finding> {
    findings(text).into_iter().filter(|it| it.code.name == name).collect()
}
