//! Rust source read as text, as far as the tidy tests need it: what is code and
//! what is a comment or a literal, which paths it names, what it declares.

/// What stands above everything that only tests see.
pub(crate) const TEST_MARK: &str = "#[cfg(test)]";

/// The text of a list `NAME: … = &[…];`.
pub(crate) fn list_of(code: &str, list: &str) -> Option<String> {
    let at = code.find(&format!("{list}:"))?;
    let from = at + code[at..].find('=')?;
    let to = from + code[from..].find(';')?;
    Some(code[from..to].to_owned())
}

/// Names of statics of a type, with or without a path before it.
pub(crate) fn statics_of(code: &str, kind: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("static ") {
        let rest = &code[at + "static ".len()..];
        let Some((name, rest)) = rest.split_once(':') else { continue };
        let ty = rest.split('=').next().unwrap_or_default().trim();
        if ty == kind || ty.ends_with(&format!("::{kind}")) {
            found.push(name.trim().to_owned());
        }
    }
    found
}

/// Whether a module is declared, with any visibility.
pub(crate) fn declares(code: &str, module: &str) -> bool {
    code.lines().any(|line| {
        let line = line.trim();
        line.strip_suffix(&format!("mod {module};")).is_some_and(|it| it.is_empty() || it.starts_with("pub"))
    })
}

fn is_ident(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a text contains a word that is not the end of a longer one.
pub(crate) fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let ends = !word.ends_with(is_ident) || !code[at + word.len()..].starts_with(is_ident);
        ends && !code[..at].ends_with(is_ident)
    })
}

/// Whether a crate is named: at the start of a path, or alone in a `use`.
pub(crate) fn names_crate(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = &code[..at];
        let after = &code[at + name.len()..];
        let starts = !before.ends_with(is_ident) && !before.ends_with("::");
        starts && (after.starts_with("::") || (before.ends_with("use ") && !after.starts_with(is_ident)))
    })
}

/// What stands directly behind `root::` in a text: `a` of `root::a::B`, `a` and
/// `c` of `root::{a::{B, D}, c}`.
pub(crate) fn named_after(code: &str, root: &str) -> Vec<String> {
    let path = format!("{root}::");
    let mut found = Vec::new();
    for (at, _) in code.match_indices(&path) {
        if code[..at].ends_with(is_ident) {
            continue;
        }
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(heads_of_group(group)),
            None => found.extend(head_of(rest)),
        }
    }
    found
}

fn head_of(text: &str) -> Option<String> {
    let head: String = text.trim_start().chars().take_while(|it| is_ident(*it)).collect();
    (!head.is_empty()).then_some(head)
}

/// The first names of the members of `{…}`, whose opening brace is already gone.
fn heads_of_group(group: &str) -> Vec<String> {
    let mut found: Vec<String> = head_of(group).into_iter().collect();
    let mut depth = 1;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => found.extend(head_of(&group[at + 1..])),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// The text before its test module.
pub(crate) fn before_tests(text: &str) -> &str {
    let module = text.match_indices(TEST_MARK).find(|(at, _)| {
        // A test module in a file of its own is one line here, and the code goes on below it.
        let next = text[at + TEST_MARK.len()..].trim_start();
        let line = next.lines().next().unwrap_or_default();
        let is_module = line.starts_with("mod ") || (line.starts_with("pub") && line.contains(" mod "));
        is_module && line.trim_end().ends_with('{')
    });
    module.map_or(text, |(at, _)| &text[..at])
}

/// The text with comments and the insides of literals blanked, line by line as it was.
pub(crate) fn code_of(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = end_of_blank(&chars, at);
        if end == at {
            code.push(chars[at]);
            at += 1;
        } else {
            code.extend(chars[at..end].iter().map(|it| if *it == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    code
}

/// Where the comment or literal ends that starts at `at`; `at` if none does.
fn end_of_blank(chars: &[char], at: usize) -> usize {
    let next = |n: usize| chars.get(at + n).copied();
    let in_word = at > 0 && is_ident(chars[at - 1]);
    match chars[at] {
        '/' if next(1) == Some('/') => end_where(chars, at, |it| chars[it] == '\n'),
        '/' if next(1) == Some('*') => end_of_block(chars, at),
        '"' => end_of_quoted(chars, at, '"'),
        'r' if !in_word || chars[at - 1] == 'b' => end_of_raw(chars, at),
        '\'' if next(1) == Some('\\') || next(2) == Some('\'') => end_of_quoted(chars, at, '\''),
        _ => at,
    }
}

fn end_where(chars: &[char], from: usize, stops: impl Fn(usize) -> bool) -> usize {
    (from..chars.len()).find(|it| stops(*it)).unwrap_or(chars.len())
}

fn end_of_quoted(chars: &[char], at: usize, quote: char) -> usize {
    let mut end = at + 1;
    while end < chars.len() && chars[end] != quote {
        end += if chars[end] == '\\' { 2 } else { 1 };
    }
    (end + 1).min(chars.len())
}

fn end_of_block(chars: &[char], at: usize) -> usize {
    let mut depth = 0;
    let mut end = at;
    while end < chars.len() {
        match (chars[end], chars.get(end + 1)) {
            ('/', Some('*')) => (depth, end) = (depth + 1, end + 2),
            ('*', Some('/')) => (depth, end) = (depth - 1, end + 2),
            _ => end += 1,
        }
        if depth == 0 {
            break;
        }
    }
    end.min(chars.len())
}

/// `r"…"` and `r#"…"#`; `at` for anything else that starts with an `r`.
fn end_of_raw(chars: &[char], at: usize) -> usize {
    let n_hashes = chars[at + 1..].iter().take_while(|it| **it == '#').count();
    let open = at + 1 + n_hashes;
    if chars.get(open) != Some(&'"') {
        return at;
    }
    let closes = |it: usize| {
        chars[it] == '"' && chars[it + 1..].iter().take(n_hashes).filter(|c| **c == '#').count() == n_hashes
    };
    (end_where(chars, open + 1, closes) + 1 + n_hashes).min(chars.len())
}
