//! "Did you mean": the nearest of some known words.

/// The known word nearest to a mistyped one, if one is near enough to be meant.
#[must_use]
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Quadratic in the word's length, so very long "words" of hostile files are not compared.
    if typed.len() > 64 {
        return None;
    }
    let typed_lower = typed.to_lowercase();
    let length = typed.chars().count();
    // A word of one letter is not a slip of any other.
    let allowed = (length / 3).max(1).min(length.saturating_sub(1));
    known
        .into_iter()
        .filter(|it| it.len() <= 64)
        .map(|it| (distance(&typed_lower, &it.to_lowercase()), it))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1)))
        .map(|(_, it)| it)
}

/// Edits between two words: insert, delete, replace, swap of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if 1 < i && 1 < j && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_understood_and_another_word_is_not() {
        let known = ["patterns", "tables", "target"];
        assert_eq!(did_you_mean("pattersn", known), Some("patterns"));
        assert_eq!(did_you_mean("Table", known), Some("tables"));
        assert_eq!(did_you_mean("horizon", known), None);
        assert_eq!(did_you_mean("c", ["a"]), None);
    }
}
