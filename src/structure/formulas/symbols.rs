//! Symbols: what a formula is made of.

use super::latex::push_character;
use super::names::{self, is_integral, is_operator, large_form};
use super::zones::Zone;
use pagewise_text::{Bounds, MathFont, PageLayout, Script, Word};

/// The axis of formulas stands so far above their baseline, in ems.
pub(super) const AXIS_EM: f32 = 0.25;
/// Brackets that are higher, in ems, surround something high.
const TALL_EM: f32 = 1.15;
/// A binary operator is no higher than this, in ems; its large form is higher.
const LARGE_EM: f32 = 0.8;
/// The boxes of words are one em high but for rounding.
const ROUNDING_EM: f32 = 0.02;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Term,
    /// An operator with limits above and below it.
    Operator,
    Integral,
    /// The name of a function, and whether its limits stand below it.
    Function(bool),
    Words,
    Radical,
    /// A high bracket.
    Open(char),
    Close(char),
    /// A high bar, which opens or closes.
    Bar(char),
    /// An accent with its command.
    Accent(&'static str),
    Rule,
    /// A fraction, a matrix or an expression in high brackets.
    Stack,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Symbol {
    pub(super) kind: Kind,
    pub(super) bounds: Bounds,
    pub(super) baseline: f32,
    pub(super) size: f32,
    pub(super) latex: String,
    pub(super) is_spaced: bool,
    /// Its place in the order of the page's text.
    pub(super) order: usize,
}

impl Symbol {
    pub(super) fn middle(&self) -> (f32, f32) {
        self.bounds.center()
    }

    /// Whether it is centred on the axis, whatever its baseline.
    pub(super) fn is_tall(&self) -> bool {
        !matches!(self.kind, Kind::Term | Kind::Function(_) | Kind::Words | Kind::Accent(_))
    }

    /// The height of the axis of the line on which it stands, where a line has letters of a size.
    pub(super) fn axis(&self) -> f32 {
        if self.is_tall() { self.middle().1 } else { self.baseline - AXIS_EM * self.size }
    }
}

/// The symbols of a zone. A character that LaTeX does not have becomes a symbol without LaTeX.
pub(super) fn of_words(page: &PageLayout, zone: &Zone, rules: impl Iterator<Item = Bounds>) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for index in &zone.words {
        let Some(word) = page.words.get(*index) else { continue };
        let text = zone.text(*index, word);
        // The bar and the arrow of ↦ and ⟼ are signs of their own in fonts of TeX.
        let text = if word.math == MathFont::None {
            text.to_owned()
        } else {
            text.replace("7→", "↦").replace("7−→", "⟼")
        };
        push_word(&mut symbols, word, &text, *index, zone.is_prose(*index));
    }
    symbols.extend(rules.map(|bounds| Symbol {
        kind: Kind::Rule,
        bounds,
        baseline: bounds.y1,
        size: 0.0,
        latex: String::new(),
        is_spaced: false,
        order: usize::MAX,
    }));
    let mut symbols = with_pairs(merge_pieces(symbols));
    for symbol in &mut symbols {
        // A bar of one piece is no higher than letters.
        if matches!(symbol.kind, Kind::Bar(_)) && symbol.bounds.height() <= TALL_EM * symbol.size {
            symbol.kind = Kind::Term;
        }
    }
    symbols
}

/// The baseline on which a word itself stands, raised or not.
pub(super) fn own_baseline(word: &Word) -> f32 {
    if has_ink(word) && word.script == Script::Baseline {
        return word.baseline;
    }
    word.bounds.baseline(word.size)
}

/// Whether the box of a word is that of its ink.
pub(super) fn has_ink(word: &Word) -> bool {
    (word.bounds.height() - word.size).abs() > ROUNDING_EM * word.size
}

/// Whether a word is the large form of a binary operator. Signs of fonts of formulas that have one have the box of their ink.
pub(super) fn is_large_form(word: &Word) -> bool {
    let has_large_form = word.text.chars().all(|sign| large_form(sign).is_some());
    has_large_form && word.math != MathFont::None && word.bounds.height() > LARGE_EM * word.size
}

/// Appends the symbols of a word: each sign that may be high alone, each name, and each letter of a font of formulas.
fn push_word(symbols: &mut Vec<Symbol>, word: &Word, text: &str, order: usize, is_prose: bool) {
    let length = word.text.chars().filter(|sign| !is_combining(*sign)).map(|_| 1.0_f32).sum::<f32>().max(1.0);
    let pitch = word.bounds.width() / length;
    let before = word.text.find(text).and_then(|at| word.text.get(..at)).unwrap_or_default();
    let mut x = word.bounds.x0 + pitch * before.chars().map(|_| 1.0).sum::<f32>();
    let mut is_spaced = word.is_spaced;
    let has_letter = text.chars().nth(1).is_some();
    for part in parts_of(text, word, is_prose) {
        // A combining mark stands over the letter beside it.
        let is_mark = has_letter && part.starts_with(is_combining);
        let width = if is_mark {
            0.0
        } else if !has_letter {
            word.bounds.width()
        } else {
            pitch * part.chars().filter(|sign| !is_combining(*sign)).map(|_| 1.0).sum::<f32>()
        };
        let bounds = Bounds { x0: x, x1: x + if is_mark { pitch } else { width }, ..word.bounds };
        let (kind, latex) = kind_of(part, word, bounds, is_prose);
        symbols.push(Symbol { kind, bounds, baseline: own_baseline(word), size: word.size, latex, is_spaced, order });
        (x, is_spaced) = (x + width, false);
    }
}

pub(super) fn is_combining(sign: char) -> bool {
    matches!(sign, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}')
}

fn parts_of<'t>(text: &'t str, word: &Word, is_prose: bool) -> Vec<&'t str> {
    if is_prose || accent(text).is_some() {
        return vec![text];
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let letters = rest.find(|sign: char| !sign.is_alphabetic()).unwrap_or(rest.len());
        let digits = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(rest.len());
        let is_upright = !word.is_italic;
        let is_function = names::is_function(rest.get(..letters).unwrap_or_default());
        let is_name = letters > 1
            && if word.math == MathFont::None { is_function || is_upright } else { is_function && is_upright };
        let end = if is_name {
            letters
        } else if first.is_ascii_digit() {
            digits
        } else {
            first.len_utf8()
        };
        let (part, tail) = rest.split_at(end);
        parts.push(part);
        rest = tail;
    }
    parts
}

fn kind_of(part: &str, word: &Word, bounds: Bounds, is_prose: bool) -> (Kind, String) {
    if is_prose {
        return (Kind::Words, part.to_owned());
    }
    if part == "/" && word.math != MathFont::None {
        return (Kind::Accent(NEGATION), part.to_owned());
    }
    if let Some(command) = accent(part) {
        // The wide accents are signs of fonts of formulas.
        let command = match command {
            "\\hat" if word.math != MathFont::None => "\\widehat",
            "\\tilde" if word.math != MathFont::None => "\\widetilde",
            _ => command,
        };
        return (Kind::Accent(command), command.to_owned());
    }
    let first = part.chars().next().unwrap_or_default();
    let is_high = bounds.height() > TALL_EM * word.size;
    let mut latex = String::new();
    let is_written =
        part.chars().try_for_each(|sign| push_character(&mut latex, sign, word.math, word.is_bold)).is_some();
    if !is_written {
        latex = accented(part).unwrap_or_default();
    }
    let kind = match first {
        '√' => Kind::Radical,
        sign if is_operator(sign) => Kind::Operator,
        sign if is_integral(sign) => Kind::Integral,
        '(' | '[' | '{' | '⟨' | '⌊' | '⌈' if is_high => Kind::Open(first),
        ')' | ']' | '}' | '⟩' | '⌋' | '⌉' if is_high => Kind::Close(first),
        '|' | '‖' | '∥' | '∣' if has_ink(word) => Kind::Bar(first),
        sign if is_large_form(word) => {
            latex = large_form(sign).map(String::from).unwrap_or_default();
            Kind::Operator
        }
        '\u{239b}'..='\u{23ae}' => {
            let (kind, written) = piece(first);
            latex = written.to_owned();
            kind
        }
        _ if part.chars().nth(1).is_some() && first.is_alphabetic() => {
            let is_function = names::is_function(part);
            latex = if is_function { names::command(part) } else { format!("\\mathrm{{{part}}}") };
            Kind::Function(is_function && names::has_limits(part))
        }
        _ => Kind::Term,
    };
    (kind, latex)
}

/// What a piece of a bracket is one of.
fn piece(sign: char) -> (Kind, &'static str) {
    match sign {
        '\u{239b}'..='\u{239d}' => (Kind::Open('('), "("),
        '\u{239e}'..='\u{23a0}' => (Kind::Close(')'), ")"),
        '\u{23a1}'..='\u{23a3}' => (Kind::Open('['), "["),
        '\u{23a4}'..='\u{23a6}' => (Kind::Close(']'), "]"),
        '\u{23a7}'..='\u{23a9}' => (Kind::Open('{'), "\\{"),
        '\u{23ab}'..='\u{23ad}' => (Kind::Close('}'), "\\}"),
        '\u{23ae}' => (Kind::Integral, "∫"),
        _ => (Kind::Bar(BRACE_PIECE), ""),
    }
}

/// The piece that braces of both sides have.
const BRACE_PIECE: char = '⎪';

/// Pieces of a bracket that stand above each other become one bracket. Those of braces stand for both sides.
fn merge_pieces(symbols: Vec<Symbol>) -> Vec<Symbol> {
    let is_piece =
        |symbol: &Symbol| matches!(symbol.kind, Kind::Open(_) | Kind::Close(_) | Kind::Bar(_) | Kind::Radical);
    let (mut pieces, mut symbols): (Vec<Symbol>, Vec<Symbol>) = symbols.into_iter().partition(is_piece);
    pieces.sort_by(|a, b| a.bounds.y0.total_cmp(&b.bounds.y0));
    let mut brackets: Vec<Symbol> = Vec::new();
    for piece in pieces {
        match brackets.iter_mut().rev().take(MAX_PIECES).find(|bracket| is_piece_of(&piece, bracket)) {
            Some(bracket) => {
                bracket.bounds = bracket.bounds.union(piece.bounds);
                if bracket.kind == Kind::Bar(BRACE_PIECE) {
                    (bracket.kind, bracket.latex) = (piece.kind, piece.latex);
                }
            }
            None => brackets.push(piece),
        }
    }
    symbols.extend(brackets);
    symbols
}

fn is_piece_of(piece: &Symbol, bracket: &Symbol) -> bool {
    let em = bracket.size;
    let is_brace = |kind: &Kind| matches!(kind, Kind::Open('{') | Kind::Close('}'));
    let is_middle = |kind: &Kind| *kind == Kind::Bar(BRACE_PIECE);
    let is_kind = bracket.kind == piece.kind
        || is_middle(&bracket.kind) && is_brace(&piece.kind)
        || is_middle(&piece.kind) && is_brace(&bracket.kind);
    // What stands beside a bracket is another one.
    let is_below = bracket.bounds.y1 - piece.bounds.y0 < 0.5 * piece.bounds.height();
    let is_near = is_below && piece.bounds.y0 < bracket.bounds.y1 + 0.3 * em;
    is_kind && is_near && (bracket.middle().0 - piece.middle().0).abs() < 0.3 * em
}

/// A piece of a bracket is compared with so many others.
const MAX_PIECES: usize = 16;

/// Names of two words become one operator.
fn with_pairs(symbols: Vec<Symbol>) -> Vec<Symbol> {
    let mut paired: Vec<Symbol> = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        let is_beside = |first: &&mut Symbol| {
            let gap = symbol.bounds.x0 - first.bounds.x1;
            let is_near = (-0.1..PAIR_GAP_EM).contains(&(gap / symbol.size));
            matches!((&first.kind, &symbol.kind), (Kind::Function(_), Kind::Function(_)))
                && is_near
                && (first.baseline - symbol.baseline).abs() < 0.1 * symbol.size
        };
        let first = paired.last_mut().filter(is_beside);
        let name =
            |symbol: &Symbol| symbol.latex.trim_matches(|sign: char| !sign.is_alphabetic()).replace("mathrm{", "");
        match first.and_then(|first| Some((names::pair(&name(first), &name(&symbol))?, first))) {
            Some((latex, first)) => {
                first.bounds = first.bounds.union(symbol.bounds);
                (first.latex, first.kind) = (latex, Kind::Function(true));
            }
            None => paired.push(symbol),
        }
    }
    paired
}

/// The words of an operator's name stand so near to each other, in ems.
const PAIR_GAP_EM: f32 = 0.6;

/// A slash through the sign that shares its place.
pub(super) const NEGATION: &str = "\\not";

/// Whether a text is an accent, or a letter with one that formulas have and few languages as a word.
pub(super) fn is_accented(text: &str) -> bool {
    let mut signs = text.chars();
    let only = signs.next().filter(|_| signs.next().is_none());
    // A vowel with an accent is a letter of languages.
    let is_vowel = |latex: &str| {
        latex.trim_end_matches('}').ends_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U', 'n', 'N'])
    };
    let is_letter = || accented(text).is_some_and(|latex| !is_vowel(&latex));
    only.is_some_and(|sign| !sign.is_ascii() && (accent_command(sign).is_some() || is_letter()))
}

/// Whether LaTeX is that of a letter with an accent.
pub(super) fn is_accent_command(latex: &str) -> bool {
    ACCENTED.iter().any(|(command, _)| latex.strip_prefix(command).is_some_and(|rest| rest.starts_with('{')))
}

/// Whether a word is an accent beyond ASCII that stands alone.
pub(super) fn is_accent(word: &Word) -> bool {
    !word.text.is_ascii() && accent(&word.text).is_some()
}

/// The command of an accent that stands alone.
fn accent(text: &str) -> Option<&'static str> {
    let mut signs = text.chars();
    let (Some(sign), None) = (signs.next(), signs.next()) else { return None };
    accent_command(sign)
}

fn accent_command(sign: char) -> Option<&'static str> {
    Some(match sign {
        '^' | '\u{2c6}' | '\u{302}' => "\\hat",
        '~' | '\u{2dc}' | '\u{303}' => "\\tilde",
        '\u{af}' | '\u{2c9}' | '\u{304}' | '\u{305}' => "\\bar",
        '\u{2d9}' | '\u{307}' => "\\dot",
        '\u{a8}' | '\u{308}' => "\\ddot",
        '\u{20d7}' => "\\vec",
        '\u{2c7}' | '\u{30c}' => "\\check",
        '\u{2d8}' | '\u{306}' => "\\breve",
        '\u{338}' => NEGATION,
        _ => return None,
    })
}

/// The LaTeX of a letter that Unicode has with its accent.
fn accented(part: &str) -> Option<String> {
    let mut signs = part.chars();
    let (Some(sign), None) = (signs.next(), signs.next()) else { return None };
    let (command, letters) = ACCENTED.into_iter().find(|(_, letters)| letters.contains(sign))?;
    let at = letters.chars().position(|letter| letter == sign)?;
    let base = letters.chars().nth(at.checked_sub(at % 2)?)?;
    Some(format!("{command}{{{base}}}"))
}

/// Letters, each followed by its accented form.
const ACCENTED: [(&str, &str); 5] = [
    ("\\hat", "aâcĉeêgĝhĥiîjĵoôsŝuûwŵyŷzẑAÂCĈEÊGĜHĤIÎJĴOÔSŜUÛWŴYŶZẐ"),
    ("\\tilde", "aãeẽiĩnñoõuũvṽyỹAÃEẼIĨNÑOÕUŨVṼYỸ"),
    ("\\bar", "aāeēgḡiīoōuūyȳAĀEĒGḠIĪOŌUŪYȲ"),
    ("\\dot", "aȧbḃcċdḋeėfḟgġhḣmṁnṅoȯpṗrṙsṡtṫwẇxẋyẏzżAȦBḂCĊDḊEĖFḞGĠHḢMṀNṄOȮPṖRṘSṠTṪWẆXẊYẎZŻ"),
    ("\\ddot", "aäeëhḧoötẗuüwẅxẍyÿHḦWẄXẌ"),
];
