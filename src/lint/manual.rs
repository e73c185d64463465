//! The manual of the rules as Markdown: a table of all, and a page for each.

use std::fmt::Write as _;

use crate::lint::{RULES, Rule};

/// Documentation of all rules: a table, then every rule's page.
#[must_use]
pub fn rules_markdown() -> String {
    let mut out = String::from("# Rules\n\n| code | name | level |\n|---|---|---|\n");
    for rule in RULES {
        let code = rule.code;
        // Writing to a string does not fail.
        let _ =
            writeln!(out, "| [{}](#{}) | {} | {} |", code.code, anchor(rule), code.name, rule.level.as_str());
    }
    for rule in RULES {
        out.push('\n');
        out.push_str(&rule_page(rule));
    }
    out
}

/// The page of one rule.
#[must_use]
pub fn rule_page(rule: &Rule) -> String {
    let examples = rule
        .explain
        .replace("```yaml bad", "Fires:\n\n```yaml")
        .replace("```yaml good", "Does not fire:\n\n```yaml");
    format!("## {} {}\n\nLevel: {}.\n\n{}", rule.code.code, rule.code.name, rule.level.as_str(), examples)
}

/// What GitHub makes of a heading.
fn anchor(rule: &Rule) -> String {
    format!("{}-{}", rule.code.code.to_lowercase(), rule.code.name)
}
