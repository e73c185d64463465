//! Bounds on what is given to the parser: its trees are walked and dropped by
//! recursion, so a text that would nest too deeply is refused before.

use crate::input::sql_lex::{LexKind, Lexeme, is_one_of};
use crate::input::sql_parse::Problem;

/// Nesting of parentheses and the like that is followed; the parser's frames
/// then fit a stack of 2 MiB without optimisation.
pub(super) const DEEPEST_NESTING: usize = 30;
/// Parentheses around tables, and joins whose ON is still to come; each costs three times the stack.
const DEEPEST_FROM: usize = 8;
/// AND and OR in one chain. The trees of such chains are as deep as they are long.
const LONGEST_CONDITION: usize = 1000;
/// Other operators in one chain.
const LONGEST_CHAIN: usize = 100;

/// First words of statements that are read or known to change nothing.
const STATEMENTS: &str = "\
    apply begin commit delete end insert merge release replace rollback savepoint select set start table \
    update upsert use values with";

/// Refuses statements of other kinds, some of which nest without parentheses.
pub(super) fn check_kinds(text: &str, lexemes: &[Lexeme]) -> Result<(), Problem> {
    let mut starts = true;
    for it in lexemes.iter().filter(|it| !it.is_comment()) {
        if it.is_mark(text, ";") {
            starts = true;
        } else if starts && !it.is_mark(text, "(") {
            starts = false;
            if !is_one_of(STATEMENTS, &it.text(text).to_ascii_lowercase()) {
                let reason = "not a SELECT, INSERT, UPDATE, DELETE or MERGE".to_owned();
                return Err(Problem { at: it.range.clone(), reason });
            }
        }
    }
    Ok(())
}

/// Lengths of the operator chains at one depth of nesting.
#[derive(Default)]
struct Chain {
    conditions: usize,
    operators: usize,
    sets: usize,
    /// BETWEENs whose AND is still to come.
    betweens: usize,
    /// Joins whose ON is still to come.
    joins: usize,
    /// Whether it stands where a table could.
    table: bool,
    /// Inside a FROM clause, in which a comma is followed by a table.
    from: bool,
}

/// Refuses texts whose trees would be too deep to walk or even to drop:
/// chains of operators nest as deep as they are long.
pub(super) fn check_depth(text: &str, lexemes: &[Lexeme]) -> Result<(), Problem> {
    let mut levels = vec![Chain::default()];
    let mut table_follows = false;
    let mut word_before = String::new();
    for it in lexemes.iter().filter(|it| !it.is_comment()) {
        let after_table_word = std::mem::replace(&mut table_follows, false);
        let nested = 1 < levels.len();
        let Some(level) = levels.last_mut() else { break };
        match it.kind {
            LexKind::Punct => match it.text(text) {
                "(" | "[" | "{" => {
                    levels.push(Chain {
                        table: after_table_word,
                        from: after_table_word,
                        ..Chain::default()
                    });
                    table_follows = after_table_word;
                }
                ")" | "]" | "}" if nested => drop(levels.pop()),
                "," => {
                    (level.operators, level.conditions) = (0, 0);
                    table_follows = level.from;
                }
                ";" => levels = vec![Chain::default()],
                "." => {}
                _ => level.operators += 1,
            },
            LexKind::Word => match it.text(text).to_ascii_lowercase().as_str() {
                _ if 64 < it.range.len() => {}
                "case" => levels.push(Chain::default()),
                "end" if nested => drop(levels.pop()),
                "between" => {
                    level.betweens += 1;
                    level.operators += 1;
                }
                "and" if 0 < level.betweens => level.betweens -= 1,
                "and" | "or" => {
                    level.conditions += 1;
                    level.operators = 0;
                }
                "union" | "except" | "intersect" | "minus" => level.sets += 1,
                word @ ("where" | "on" | "select" | "from" | "set" | "having" | "by" | "values" | "limit"
                | "join" | "using" | "lateral" | "apply") => {
                    (level.operators, level.conditions) = (0, 0);
                    table_follows = matches!(word, "from" | "join" | "using" | "lateral" | "apply");
                    level.from = table_follows || (level.from && word == "on");
                    match word {
                        "join" if !matches!(word_before.as_str(), "cross" | "natural") => level.joins += 1,
                        "on" | "using" => level.joins = level.joins.saturating_sub(1),
                        "where" | "select" => level.joins = 0,
                        _ => {}
                    }
                }
                "is" | "in" | "like" | "ilike" | "similar" | "rlike" | "regexp" | "isnull" | "notnull"
                | "collate" | "at" | "xor" | "div" | "mod" | "overlaps" | "operator" | "member" => {
                    level.operators += 1;
                }
                _ => {}
            },
            _ => {}
        }
        let sum = |part: fn(&Chain) -> usize| levels.iter().map(part).sum::<usize>();
        word_before =
            if it.kind == LexKind::Word { it.text(text).to_ascii_lowercase() } else { String::new() };
        let tables = sum(|it| usize::from(it.table) + it.joins.saturating_sub(1));
        let fits = levels.len() + 2 * tables <= DEEPEST_NESTING + 1
            && tables <= DEEPEST_FROM
            && sum(|it| it.conditions) <= LONGEST_CONDITION
            && sum(|it| it.operators) <= LONGEST_CHAIN
            && sum(|it| it.sets) <= LONGEST_CHAIN;
        if !fits {
            return Err(Problem { at: it.range.clone(), reason: "nested too deeply".to_owned() });
        }
    }
    Ok(())
}
