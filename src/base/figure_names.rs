//! The words that name figures and tables.

const NAMES: [&str; 14] = [
    "figure",
    "fig",
    "table",
    "tab",
    "chart",
    "graph",
    "abbildung",
    "abb",
    "tabelle",
    "tableau",
    "figura",
    "tabla",
    "tabela",
    "tabella",
];

/// Whether a word is what figures or tables are called in their labels, such as `Table` in `Table 5`, `Fig.` or `Tabelle:`. A line
/// that begins with such a word and a number is no heading.
#[must_use]
pub fn names_figure(word: &str) -> bool {
    let name = word.trim_end_matches(['.', ':']);
    NAMES.iter().any(|own| name.eq_ignore_ascii_case(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_labels_name_figures_with_a_sign_or_without() {
        assert!(["Table", "FIG.", "Tabelle:", "abb."].iter().all(|word| names_figure(word)));
        assert!(!["Chapter", "Tables", "5", ""].iter().any(|word| names_figure(word)));
    }
}
