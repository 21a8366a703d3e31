//! The names of functions and operators, and the signs that are evidence of formulas.

use pagewise_text::is_bracket_piece;

/// Functions that LaTeX knows by name.
const FUNCTIONS: [&str; 33] = [
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd", "hom",
    "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "sec", "sin", "sinh", "sup", "tan",
    "tanh", "Pr", "mod",
];
/// Those below which their limits stand. `argmax` and `argmin` are often set as one.
const WITH_LIMITS: [&str; 10] = ["lim", "liminf", "limsup", "max", "min", "sup", "inf", "argmax", "argmin", "det"];

pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name) || WITH_LIMITS.contains(&name)
}

pub(super) fn has_limits(name: &str) -> bool {
    WITH_LIMITS.contains(&name)
}

/// The command of a function.
pub(super) fn command(name: &str) -> String {
    match name {
        "argmax" | "argmin" => format!("\\operatorname*{{{name}}}"),
        "mod" => "\\bmod".to_owned(),
        _ => format!("\\{name}"),
    }
}

/// Whether a sign relates or joins terms, so that spaces on both sides of it are within one formula.
pub(super) fn joins_terms(sign: char) -> bool {
    matches!(sign, '=' | '<' | '>' | '+' | '-' | '±' | '×' | '÷' | '·' | '|' | '∗' | '/' | '\\' | '⧵' | ':' | '¬' | '◦')
        || matches!(sign, '\u{2190}'..='\u{21ff}' | '\u{2200}'..='\u{22ff}' | '\u{27c0}'..='\u{27ff}')
        || matches!(sign, '\u{2a00}'..='\u{2aff}')
}

/// Whether a sign relates two sides.
pub(super) fn relates(sign: char) -> bool {
    matches!(sign, '=' | '<' | '>' | '\u{2190}'..='\u{21ff}' | '\u{2208}'..='\u{220d}' | '\u{223c}'..='\u{228b}')
        || matches!(sign, ':' | '\u{221d}' | '\u{2223}'..='\u{2226}' | '\u{22a2}'..='\u{22a5}' | '\u{27f5}'..='\u{27fc}')
}

/// Whether a letter is used in formulas alone, or nearly so.
pub(super) fn is_math_letter(sign: char) -> bool {
    matches!(
        sign,
        'α'..='ω'
            | 'Γ'
            | 'Δ'
            | 'Θ'
            | 'Λ'
            | 'Ξ'
            | 'Π'
            | 'Σ'
            | 'Φ'
            | 'Ψ'
            | 'Ω'
            | '\u{2126}'
            | 'ϑ'
            | 'ϕ'
            | 'ϖ'
            | 'ϱ'
            | 'ϵ'
            | 'ℓ'
    ) || matches!(
        sign,
        '\u{1d400}'..='\u{1d7ff}' | 'ℂ' | 'ℍ' | 'ℕ' | 'ℙ' | 'ℚ' | 'ℝ' | 'ℤ' | 'ℒ' | 'ℋ' | 'ℰ' | 'ℱ' | 'ℬ'
    )
}

/// Whether an operator is large, with limits above and below it in displayed formulas.
pub(super) fn is_operator(sign: char) -> bool {
    matches!(sign, '∏' | '∐' | '∑' | '⋀'..='⋃' | '⨀'..='⨆')
}

pub(super) fn is_integral(sign: char) -> bool {
    matches!(sign, '∫'..='∳')
}

/// Whether a sign is an integral or a large operator.
pub(super) fn takes_limits(sign: char) -> bool {
    is_operator(sign) || is_integral(sign)
}

/// Whether high brackets and roots are made of a sign.
pub(super) fn is_piece(sign: char) -> bool {
    is_bracket_piece(sign) || matches!(sign, '√' | '|' | '‖' | '∥' | '∣' | '[' | ']' | '(' | ')' | '{' | '}')
}

/// Relations through which a slash may be drawn.
const RELATIONS: &str = "=∈∋≡⊂⊆⊃⊇∼≃≅≈∃∣∥≤≥<>≺≻⊢⊨→⇒⇔";

/// A relation with a sign drawn through it: a slash, or the sign that TeX has for negations.
pub(super) fn negated(latex: &str, is_slash: bool) -> Option<String> {
    let sign = latex.trim().chars().next().filter(|_| latex.trim().chars().count() == 1)?;
    match sign {
        '=' => Some("≠".to_owned()),
        '∈' if is_slash => Some("∉".to_owned()),
        _ => RELATIONS.contains(sign).then(|| format!("\\not{sign}")),
    }
}

/// The operator that two names make, which are often set apart.
pub(super) fn pair(first: &str, second: &str) -> Option<String> {
    match (first, second) {
        ("lim", "inf" | "sup") => Some(format!("\\lim{second}")),
        ("arg", "max" | "min") | ("ess", "sup" | "inf") => Some(format!("\\operatorname*{{{first}\\,{second}}}")),
        _ => None,
    }
}

/// Binary operators, each followed by its large form.
const LARGE_FORMS: &str = "⊕⨁⊗⨂⊙⨀∪⋃∩⋂∨⋁∧⋀⊎⨄⊔⨆";

pub(super) fn large_form(sign: char) -> Option<char> {
    let mut pairs = LARGE_FORMS.chars().zip(LARGE_FORMS.chars().skip(1)).step_by(2);
    pairs.find(|(small, _)| *small == sign).map(|(_, large)| large)
}
