//! Characters as LaTeX that KaTeX, MathJax and pandoc read.
//!
//! Letters and signs stay Unicode, so that a formula has the words of its page. Scripts of digits and small letters do
//! too where Unicode has them.

use pagewise_text::MathFont;

/// The LaTeX of a character; `None` if it is none of formulas.
pub(super) fn push_character(out: &mut String, sign: char, font: MathFont, is_bold: bool) -> Option<()> {
    match sign {
        '{' | '}' | '%' | '#' | '&' | '_' => out.extend(['\\', sign]),
        '\\' | '⧵' => out.push('∖'),
        '∶' => out.push(':'),
        '$' | '^' | '`' | '"' | '\'' | '@' => return None,
        '<' => out.push_str("< "),
        '−' | '\u{2010}' | '\u{2013}' => out.push('-'),
        '*' => out.push('∗'),
        '~' | '\u{2dc}' => out.push('∼'),
        '·' => out.push('⋅'),
        '′' => out.push('\''),
        'µ' => out.push('μ'),
        '\u{2126}' => out.push('Ω'),
        '\u{2329}' | '\u{3008}' => out.push('⟨'),
        '\u{232a}' | '\u{3009}' => out.push('⟩'),
        '∆' => out.push('Δ'),
        '‖' => out.push('∥'),
        '≉' => out.push_str("\\not≈"),
        '≢' => out.push_str("\\not≡"),
        '⊄' => out.push_str("\\not⊂"),
        '⊅' => out.push_str("\\not⊃"),
        '∌' => out.push_str("\\not∋"),
        '≄' => out.push_str("\\not≃"),
        '◦' => out.push('∘'),
        '•' => out.push('∙'),
        '◁' => out.push('◃'),
        '▷' => out.push('▹'),
        'ı' => out.push_str("\\imath"),
        'ȷ' => out.push_str("\\jmath"),
        '\u{1d434}'..='\u{1d467}' | 'ℎ' => out.push(upright(sign)),
        letter if font == MathFont::Script && letter.is_ascii_uppercase() => push_script_capital(out, letter),
        letter if letter.is_ascii_alphabetic() => out.push(alphabet(letter, font, is_bold)),
        letter if SCRIPT_CAPITALS.contains(letter) => {
            let place = SCRIPT_CAPITALS.chars().position(|capital| capital == letter)?;
            push_script_capital(out, ('A'..='Z').nth(place)?);
        }
        sign if sign.is_ascii_graphic() || is_known(sign) => out.push(sign),
        _ => return None,
    }
    Some(())
}

/// Renderers draw the script capitals of Unicode in another hand than calligraphic ones.
const SCRIPT_CAPITALS: &str = "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵";

fn push_script_capital(out: &mut String, capital: char) {
    out.push_str(&format!("\\mathcal{{{capital}}}"));
}

/// Whether LaTeX has a character of formulas for a sign beyond ASCII.
fn is_known(sign: char) -> bool {
    super::names::is_math_letter(sign)
        || super::names::joins_terms(sign)
        || OTHER_SIGNS.contains(sign)
        || matches!(sign, '⌈'..='⌋')
}

/// Signs of formulas that are neither letters nor operators.
const OTHER_SIGNS: &str = "…†‡•∞ℏℜℑℵ℘°‖⟨⟩√ıȷ□◦★△▽◇♯♭";

/// A text with its letters in the alphabet of a font of calligraphic, double-struck or Fraktur letters; `None` if it has no
/// letter that changes.
pub(super) fn in_alphabet(text: &str, font: MathFont) -> Option<String> {
    let of = |letter: char| match font {
        MathFont::Script if letter.is_ascii_uppercase() => {
            let place = ('A'..='Z').position(|capital| capital == letter)?;
            SCRIPT_CAPITALS.chars().nth(place)
        }
        MathFont::DoubleStruck | MathFont::Fraktur if letter.is_ascii_alphabetic() => {
            Some(alphabet(letter, font, false))
        }
        _ => None,
    };
    let changes = text.chars().any(|letter| of(letter).is_some());
    changes.then(|| text.chars().map(|letter| of(letter).unwrap_or(letter)).collect())
}

/// The letter of a mathematical italic one, which formulas have without saying so.
fn upright(sign: char) -> char {
    let place = u32::from(sign).wrapping_sub(0x1d434);
    match place {
        0..26 => char::from_u32(u32::from('A') + place).unwrap_or(sign),
        26..52 => char::from_u32(u32::from('a') + place - 26).unwrap_or(sign),
        _ => 'h',
    }
}

/// A letter in the alphabet of its font.
fn alphabet(letter: char, font: MathFont, is_bold: bool) -> char {
    let place = u32::from(letter) - u32::from(if letter.is_ascii_uppercase() { 'A' } else { 'a' });
    let of = |capitals: u32, small: u32| {
        let first = if letter.is_ascii_uppercase() { capitals } else { small };
        char::from_u32(first + place).unwrap_or(letter)
    };
    match font {
        MathFont::DoubleStruck => match letter {
            'C' => 'ℂ',
            'H' => 'ℍ',
            'N' => 'ℕ',
            'P' => 'ℙ',
            'Q' => 'ℚ',
            'R' => 'ℝ',
            'Z' => 'ℤ',
            _ => of(0x1d538, 0x1d552),
        },
        MathFont::Fraktur => match letter {
            'C' => 'ℭ',
            'H' => 'ℌ',
            'I' => 'ℑ',
            'R' => 'ℜ',
            'Z' => 'ℨ',
            _ => of(0x1d504, 0x1d51e),
        },
        _ if is_bold => of(0x1d400, 0x1d41a),
        _ => letter,
    }
}

/// Appends LaTeX after other LaTeX. A command ends before a letter, and words stay apart.
pub(super) fn push(out: &mut String, next: &str, is_spaced: bool) {
    let begins_letter = next.starts_with(|first: char| first.is_alphanumeric());
    let ends_command = || {
        let letters = out.chars().rev().take_while(char::is_ascii_alphabetic).count();
        letters > 0 && out.chars().rev().nth(letters) == Some('\\')
    };
    let is_word = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    let are_words = is_spaced && is_word(out.chars().last()) && begins_letter;
    if (are_words || begins_letter && ends_command()) && !out.ends_with(' ') {
        out.push(' ');
    }
    out.push_str(next);
}

/// Whether one of the signs at which two formulas meet joins terms. The spaces beside such signs are those of the page.
pub(super) fn is_joint(before: &str, next: &str) -> bool {
    let joins = |sign: Option<char>| sign.is_some_and(|sign| sign == ',' || super::names::joins_terms(sign));
    !before.is_empty() && !before.ends_with(' ') && (joins(before.chars().last()) || joins(next.chars().next()))
}

/// Appends a superscript (`^`) or a subscript (`_`). Renderers place only those that are written out as limits. After a script on
/// the other side it is written out: `x²_1` is no number 21.
pub(super) fn push_script(out: &mut String, mark: char, script: &str, is_limit: bool) {
    let (forms, others) = if mark == '^' { (SUPERSCRIPTS, SUBSCRIPTS) } else { (SUBSCRIPTS, SUPERSCRIPTS) };
    let form = |sign: char| forms.chars().zip(forms.chars().skip(1)).step_by(2).find(|(plain, _)| *plain == sign);
    let written = script.chars().map(|sign| form(sign).map(|(_, form)| form)).collect::<Option<String>>();
    let is_second = out.chars().last().is_some_and(|last| others.chars().skip(1).step_by(2).any(|form| form == last));
    if let Some(written) = written.filter(|_| !is_limit && !is_second) {
        return out.push_str(&written);
    }
    out.push(mark);
    let mut signs = script.chars();
    let is_single = signs.next().is_some_and(|first| first != '\\') && signs.next().is_none();
    out.push_str(&if is_single { script.to_owned() } else { format!("{{{script}}}") });
}

/// Each character, and its raised form.
const SUPERSCRIPTS: &str = "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹";
const SUBSCRIPTS: &str = "0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋=₌(₍)₎aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓ";

/// Long arrows and dots, which TeX draws as several signs each.
const LONG_SIGNS: [(&str, &str); 11] = [
    ("...", "…"),
    ("⋅⋅⋅", "⋯"),
    ("⋅ ⋅ ⋅", "⋯"),
    ("⇐⇒", "⟺"),
    ("=⇒", "⟹"),
    ("⇐=", "⟸"),
    ("←→", "⟷"),
    ("↦-→", "⟼"),
    ("↦→", "↦"),
    ("-→", "⟶"),
    ("←-", "⟵"),
];

pub(super) fn with_long_signs(latex: String) -> String {
    LONG_SIGNS.into_iter().fold(
        latex,
        |latex, (drawn, arrow)| {
            if latex.contains(drawn) { latex.replace(drawn, arrow) } else { latex }
        },
    )
}
