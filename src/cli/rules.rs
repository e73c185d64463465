//! `rules` and `explain`.

use anyhow::{Result, bail};

use crate::cli::Status;
use crate::cli::args::Global;
use crate::cli::output::{is_json, print};
use crate::diag::did_you_mean;
use crate::lint::RULES;
use crate::report::wire;

/// Every rule in a line.
pub(super) fn list(global: &Global) -> Result<Status> {
    let text = if is_json(global) {
        let rules: Vec<_> = RULES.iter().map(|it| (it.code.code, it.code.name, it.level)).collect();
        wire::rules_json(&rules)
    } else {
        RULES.iter().fold(String::new(), |text, it| {
            text + &format!("{:<7} {:<8} {}\n", it.code.code, it.level.as_str(), it.code.name)
        })
    };
    print(global, text.as_bytes())?;
    Ok(Status::Fine)
}

/// One rule in full.
pub(super) fn explain(global: &Global, name: &str) -> Result<Status> {
    let found = RULES.iter().find(|it| it.code.code.eq_ignore_ascii_case(name) || it.code.name == name);
    let Some(rule) = found else {
        let names = RULES.iter().flat_map(|it| [it.code.code, it.code.name]);
        let hint = did_you_mean(name, names).map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
        bail!("no rule is `{name}`{hint}");
    };
    let text = if is_json(global) {
        wire::rule_json(rule.code.code, rule.code.name, rule.level, rule.explain)
    } else {
        format!(
            "{} {} ({})\n\n{}\n",
            rule.code.code,
            rule.code.name,
            rule.level.as_str(),
            rule.explain.trim_end()
        )
    };
    print(global, text.as_bytes())?;
    Ok(Status::Fine)
}
