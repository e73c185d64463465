//! Clauses that only one product knows and that change nothing about where a
//! statement goes: they are taken out before parsing.

use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Words of clauses that are left out; `#` stands for a number, a string or a
/// placeholder, `~` for any name.
const CLAUSES: &[&[&str]] = &[
    &["allow", "filtering"],
    &["apply", "batch"],
    &["begin", "batch"],
    &["begin", "unlogged", "batch"],
    &["begin", "counter", "batch"],
    &["per", "partition", "limit", "#"],
    &["using", "ttl", "#", "and", "timestamp", "#"],
    &["using", "timestamp", "#", "and", "ttl", "#"],
    &["using", "ttl", "#"],
    &["using", "timestamp", "#"],
    &["if", "not", "exists"],
    &["if", "exists"],
    &["as", "of", "system", "time", "#"],
    &["as", "of", "system", "time", "~", "(", ")"],
    &["lock", "in", "share", "mode"],
    &["then", "return", "*"],
];

/// The tokens without vendor clauses.
pub(super) fn without_vendor_clauses(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let solid: Vec<usize> =
        (0..tokens.len()).filter(|it| !matches!(tokens[*it].token, Token::Whitespace(_))).collect();
    let mut dropped = vec![false; tokens.len()];
    let mut n = 0;
    while n < solid.len() {
        let length = clause_at(&tokens, &solid[n..]).or_else(|| hint_at(&tokens, &solid[n..])).unwrap_or(0);
        for at in &solid[n..(n + length).min(solid.len())] {
            dropped[*at] = true;
        }
        n += length.max(1);
    }
    let kept = tokens.into_iter().zip(dropped).filter(|(_, dropped)| !dropped);
    kept.map(|(token, _)| token).collect()
}

/// Number of tokens of the clause that starts here.
fn clause_at(tokens: &[TokenWithSpan], solid: &[usize]) -> Option<usize> {
    let fits = |clause: &&&[&str]| {
        clause.iter().enumerate().all(|(n, wanted)| {
            let token = solid.get(n).map(|at| &tokens[*at].token);
            match (*wanted, token) {
                ("#", Some(Token::Number(..) | Token::SingleQuotedString(_) | Token::Placeholder(_)))
                | ("*", Some(Token::Mul))
                | ("(", Some(Token::LParen))
                | (")", Some(Token::RParen))
                | ("~", Some(Token::Word(_))) => true,
                (word, Some(Token::Word(it))) => {
                    it.quote_style.is_none() && it.value.eq_ignore_ascii_case(word)
                }
                _ => false,
            }
        })
    };
    CLAUSES.iter().find(fits).map(|it| it.len())
}

/// Number of tokens of an index hint `@{…}` or `@index` that starts here.
fn hint_at(tokens: &[TokenWithSpan], solid: &[usize]) -> Option<usize> {
    let token = |n: usize| solid.get(n).map(|at| &tokens[*at].token);
    if token(0) != Some(&Token::AtSign) {
        return None;
    }
    match token(1)? {
        Token::LBrace => (2..solid.len()).find(|n| token(*n) == Some(&Token::RBrace)).map(|n| n + 1),
        Token::Word(_) => Some(2),
        _ => None,
    }
}
