//! The text style of a form field: default appearance string and quadding (ISO 32000-2, 12.7.4.3).

use super::form_font::FormFont;
use std::rc::Rc;

/// The text style of a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextStyle {
    /// The font's name.
    pub(super) font: Vec<u8>,
    /// The form's font with this name, if it can be used.
    pub(super) form_font: Option<Rc<FormFont>>,
    /// The size in points; 0 fits the text to the field.
    pub(super) size: f64,
    /// The operator, with operands, that sets the colour.
    pub(super) color: String,
    pub(super) quadding: Quadding,
}

/// `/Q`: the alignment of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Quadding {
    #[default]
    Left,
    Centered,
    Right,
}

impl Quadding {
    pub(super) fn of_number(number: i64) -> Self {
        match number {
            1 => Self::Centered,
            2 => Self::Right,
            _ => Self::Left,
        }
    }
}

impl TextStyle {
    /// Parses a default appearance string (ISO 32000-2, 12.7.4.3).
    pub(super) fn parse(described: &[u8], quadding: Quadding) -> Self {
        let described = String::from_utf8_lossy(described);
        let tokens = described.split_whitespace().collect::<Vec<_>>();
        let mut style = Self { font: b"Helv".to_vec(), form_font: None, size: 0.0, color: "0 g".to_owned(), quadding };
        for (at, operator) in tokens.iter().enumerate() {
            let operands = |count: usize| at.checked_sub(count).and_then(|start| tokens.get(start..at));
            let color = match *operator {
                "g" => operands(1),
                "rg" => operands(3),
                "k" => operands(4),
                _ => None,
            };
            if let Some(parts) = color.filter(|parts| parts.iter().all(|part| number(part).is_some())) {
                style.color = format!("{} {operator}", parts.join(" "));
            }
            if let ("Tf", Some([font, size])) = (*operator, operands(2)) {
                style.font = font.trim_start_matches('/').as_bytes().to_vec();
                style.size = number(size).map_or(0.0, f64::abs).min(1_000.0);
            }
        }
        style
    }
}

fn number(token: &str) -> Option<f64> {
    token.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_appearance_gives_font_size_and_color() {
        let style = TextStyle::parse(b"1 0 0 rg /TiRo 9.5 Tf", Quadding::Left);
        assert_eq!((style.font.as_slice(), style.size, style.color.as_str()), (b"TiRo".as_slice(), 9.5, "1 0 0 rg"));
        assert_eq!(TextStyle::parse(b"x y rg Tf /F g", Quadding::Left).color, "0 g");
    }
}
