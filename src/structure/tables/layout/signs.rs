//! Signs that stand apart from their values: currencies at the left of a column, and percent signs and brackets at the right.

/// Whether a text is the sign of a currency.
pub(crate) fn is_currency(text: &str) -> bool {
    matches!(text, "$" | "US$" | "C$" | "A$" | "€" | "£" | "¥" | "₹" | "₩" | "₽" | "₺" | "₪" | "₫" | "₦")
}

/// Whether a text is the currency of the amount after it.
pub(crate) fn is_currency_of(text: &str, amount: &str) -> bool {
    let begins = |c: char| c.is_numeric() || matches!(c, '(' | '-' | '–' | '—' | '−' | '.' | '*');
    is_currency(text) && amount.starts_with(begins)
}

/// Whether two texts that follow each other are a sign and its value.
pub(crate) fn are_bound(text: &str, next: &str) -> bool {
    is_currency_of(text, next) || is_rest_of(next, text)
}

/// Whether a text ends the value before it.
pub(crate) fn is_rest_of(text: &str, value: &str) -> bool {
    matches!(text, "%" | ")" | "%)" | ")%") && ends_value(value)
}

/// Whether a text ends as a value does.
pub(crate) fn ends_value(text: &str) -> bool {
    text.ends_with(|c: char| c.is_numeric() || matches!(c, ')' | '-' | '–' | '—' | '−' | '%' | '*'))
}
