//! The places of symbols, read: what is above, below, raised, lowered, within.

use super::latex::{is_joint, push, push_script, with_long_signs};
use super::names::negated;
use super::symbols::{AXIS_EM, Kind, NEGATION, Symbol, is_accent_command};
use crate::measures::SCRIPT_SIZE;
use pagewise_text::Bounds;

/// Maximum symbols of a formula.
pub(super) const MAX_SYMBOLS: usize = 400;
/// Maximum depth of formulas within formulas.
const MAX_DEPTH: usize = 10;

/// Symbols on one baseline differ by less, in ems. TeX raises scripts by .29 at least, and lowers them by .15.
const LEVEL_EM: f32 = 0.12;
const LOWERED_EM: f32 = 0.05;
/// The accents of capitals are raised by less, in ems.
const ACCENT_EM: f32 = 0.4;
/// Brackets, fractions and operators are centred on the axis within so many ems.
const AXIS_TOLERANCE_EM: f32 = 0.3;
/// What stands above and below a rule reaches over its ends by at most this, in ems.
const OVERHANG_EM: f32 = 0.05;
/// The rule of a root begins so near to the root's sign, in ems.
const ROOT_EM: f32 = 0.3;
/// A rule over letters stands at most so far above them, in ems.
const OVERLINE_EM: f32 = 0.5;
/// A longer rule, in ems, belongs to the page.
const MAX_OVERLINE_EM: f32 = 4.0;
/// The rows of a matrix are further apart than this, in ems, and its columns.
const ROW_EM: f32 = 0.7;
const COLUMN_EM: f32 = 0.55;
/// The rows of a binomial coefficient are further apart than those of a matrix.
const BINOMIAL_EM: f32 = 1.28;
/// Characters that have a meaning within text of LaTeX.
const NOT_IN_TEXT: [char; 10] = ['$', '\\', '{', '}', '#', '%', '&', '_', '^', '~'];
/// Fonts of formulas set the letter after a slanted capital apart by less, in ems: TeX by .22 after a V.
const SLANT_EM: f32 = 0.25;
/// The symbols of a limit are no further apart, in ems.
const LIMIT_GAP_EM: f32 = 0.5;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Read {
    pub(super) latex: String,
    /// The baseline and the size of its letters.
    pub(super) baseline: f32,
    pub(super) size: f32,
}

/// Reads the symbols of a formula; `None` if their places do not decide it.
pub(super) fn read(symbols: Vec<Symbol>) -> Option<Read> {
    let read = (symbols.len() <= MAX_SYMBOLS).then(|| expression(symbols, 0)).flatten()?;
    Some(Read { latex: with_long_signs(read.latex), ..read })
}

fn expression(symbols: Vec<Symbol>, depth: usize) -> Option<Read> {
    if depth > MAX_DEPTH || symbols.is_empty() {
        return None;
    }
    let symbols = with_rules(symbols, depth)?;
    let symbols = with_brackets(symbols, depth)?;
    let symbols = with_stacked_relations(with_accents(symbols)?);
    row(symbols, depth)
}

/// Parts those of `symbols` that satisfy a condition.
fn take(symbols: &mut Vec<Symbol>, condition: impl Fn(&Symbol) -> bool) -> Vec<Symbol> {
    let (taken, rest) = std::mem::take(symbols).into_iter().partition(condition);
    *symbols = rest;
    taken
}

fn extent(symbols: &[Symbol]) -> pagewise_text::Bounds {
    Bounds::around(symbols.iter().map(|symbol| symbol.bounds))
}

fn largest(symbols: &[Symbol]) -> f32 {
    symbols.iter().map(|symbol| symbol.size).fold(0.0, f32::max)
}

/// The size of the largest letters. Operators and brackets may be drawn in larger sizes.
fn letter_size(symbols: &[Symbol]) -> f32 {
    let is_letter = |symbol: &&Symbol| !symbol.is_tall() || symbol.kind == Kind::Stack;
    let letters = symbols.iter().filter(is_letter).map(|symbol| symbol.size).fold(0.0, f32::max);
    if letters > 0.0 { letters } else { largest(symbols) }
}

/// A symbol that stands for others.
fn composite(kind: Kind, latex: String, parts: &[Symbol], read: &Read) -> Symbol {
    let order = parts.iter().map(|part| part.order).min().unwrap_or(usize::MAX);
    let first = parts.iter().min_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
    Symbol {
        kind,
        bounds: extent(parts),
        baseline: read.baseline,
        size: read.size,
        latex,
        is_spaced: first.is_some_and(|first| first.is_spaced),
        order,
    }
}

/// Makes fractions, roots and overlines of rules, the longest first.
fn with_rules(mut symbols: Vec<Symbol>, depth: usize) -> Option<Vec<Symbol>> {
    let mut rules = take(&mut symbols, |symbol| symbol.kind == Kind::Rule);
    rules.sort_by(|a, b| b.bounds.width().total_cmp(&a.bounds.width()));
    while !rules.is_empty() {
        let rule = rules.remove(0);
        let em = largest(&symbols);
        let within = |symbol: &Symbol| {
            let x = symbol.middle().0;
            rule.bounds.x0 - OVERHANG_EM * em < x && x < rule.bounds.x1 + OVERHANG_EM * em
        };
        let is_above = |symbol: &Symbol| symbol.middle().1 < rule.bounds.y0;
        let is_root = |symbol: &Symbol| {
            symbol.kind == Kind::Radical
                && (symbol.bounds.x1 - rule.bounds.x0).abs() < ROOT_EM * symbol.size
                && (symbol.bounds.y0 - rule.bounds.y0).abs() < ROOT_EM * symbol.size
        };
        if let Some(at) = symbols.iter().position(is_root) {
            let root = symbols.remove(at);
            let mut content = take(&mut symbols, |symbol| within(symbol) && !is_above(symbol));
            content.extend(take(&mut rules, |other| {
                within(other) && !is_above(other) && other.middle().1 < root.bounds.y1
            }));
            let made = radical(root, rule, content, &mut symbols, depth)?;
            symbols.push(made);
            continue;
        }
        let mut above = take(&mut symbols, |symbol| within(symbol) && is_above(symbol));
        let mut below = take(&mut symbols, |symbol| within(symbol) && !is_above(symbol));
        if above.is_empty() && below.is_empty() {
            return None;
        }
        above.extend(take(&mut rules, |other| within(other) && is_above(other)));
        below.extend(take(&mut rules, |other| within(other) && !is_above(other)));
        symbols.push(match (above.is_empty(), below.is_empty()) {
            (false, false) => fraction(&rule, above, below, depth)?,
            (true, _) => {
                let gap = extent(&below).y0 - rule.bounds.y1;
                line_over(&rule, below, depth).filter(|_| gap < OVERLINE_EM * em)?
            }
            (false, true) => return None,
        });
    }
    Some(symbols)
}

fn fraction(rule: &Symbol, above: Vec<Symbol>, below: Vec<Symbol>, depth: usize) -> Option<Symbol> {
    let parts: Vec<Symbol> = above.iter().chain(&below).chain([rule]).cloned().collect();
    let (top, bottom) = (expression(above, depth + 1)?, expression(below, depth + 1)?);
    let size = top.size.max(bottom.size);
    let middle = rule.middle().1;
    let read = Read { latex: String::new(), baseline: middle + AXIS_EM * size, size };
    let mut symbol = composite(Kind::Stack, format!("\\frac{{{}}}{{{}}}", top.latex, bottom.latex), &parts, &read);
    // A fraction is centred on its rule.
    let half = (middle - symbol.bounds.y0).max(symbol.bounds.y1 - middle);
    (symbol.bounds.y0, symbol.bounds.y1) = (middle - half, middle + half);
    Some(symbol)
}

fn line_over(rule: &Symbol, content: Vec<Symbol>, depth: usize) -> Option<Symbol> {
    let parts: Vec<Symbol> = content.iter().chain([rule]).cloned().collect();
    let is_wide = rule.bounds.width() > MAX_OVERLINE_EM * letter_size(&content);
    // A rule over a number without letters is no overline: it may be an axis, or belong to a fraction.
    let has_letter = |read: &Read| read.latex.contains(char::is_alphabetic);
    let read = expression(content, depth + 1).filter(|read| !is_wide && has_letter(read))?;
    Some(composite(Kind::Term, format!("\\overline{{{}}}", read.latex), &parts, &read))
}

fn radical(root: Symbol, rule: Symbol, content: Vec<Symbol>, others: &mut Vec<Symbol>, depth: usize) -> Option<Symbol> {
    let is_degree = |symbol: &Symbol| {
        let (x, y) = symbol.middle();
        symbol.size < 0.75 * root.size
            && (root.bounds.x0 - 0.6 * root.size..root.bounds.x0 + 0.6 * root.size).contains(&x)
            && y < root.middle().1
            && y > root.bounds.y0 - 0.5 * root.size
    };
    let degree = take(others, is_degree);
    let mut parts: Vec<Symbol> = content.iter().chain(&degree).cloned().collect();
    parts.extend([root, rule]);
    let read = expression(content, depth + 1)?;
    let degree = match degree.is_empty() {
        true => String::new(),
        false => format!("[{}]", expression(degree, depth + 1)?.latex),
    };
    Some(composite(Kind::Term, format!("\\sqrt{degree}{{{}}}", read.latex), &parts, &read))
}

/// Makes matrices, cases and expressions of what stands in high brackets, the outermost first.
fn with_brackets(mut symbols: Vec<Symbol>, depth: usize) -> Option<Vec<Symbol>> {
    symbols.sort_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
    let mut out: Vec<Symbol> = Vec::with_capacity(symbols.len());
    let mut rest: std::collections::VecDeque<Symbol> = symbols.into();
    while let Some(symbol) = rest.pop_front() {
        let close = match symbol.kind {
            Kind::Open(_) | Kind::Bar(_) => closing(&symbol, &rest),
            _ => None,
        };
        match (close, &symbol.kind) {
            (Some(at), _) => {
                let mut inner: Vec<Symbol> = rest.drain(..=at).collect();
                let end = inner.pop()?;
                // What begins left of the bracket may belong above or below it.
                out.push(bracketed(symbol, inner, Some(end), depth)?);
            }
            (None, Kind::Open('{')) => {
                let inner: Vec<Symbol> = rest.drain(..).collect();
                out.push(bracketed(symbol, inner, None, depth)?);
            }
            (None, Kind::Bar(_)) if out.last().is_some_and(|last| last.kind == Kind::Stack) => {
                let stack = out.last_mut()?;
                stack.latex = format!("\\left.{}\\right{}", stack.latex, delimiter(&symbol));
                stack.bounds = stack.bounds.union(symbol.bounds);
            }
            _ => out.push(symbol),
        }
    }
    Some(out)
}

/// The bracket that closes another one.
fn closing(open: &Symbol, rest: &std::collections::VecDeque<Symbol>) -> Option<usize> {
    let mut level = 0_usize;
    for (at, symbol) in rest.iter().enumerate() {
        match (&open.kind, &symbol.kind) {
            (Kind::Bar(own), Kind::Bar(other)) if own == other => return Some(at),
            (Kind::Open(_), Kind::Open(_)) => level += 1,
            (Kind::Open(_), Kind::Close(_)) if level == 0 => return Some(at),
            (Kind::Open(_), Kind::Close(_)) => level -= 1,
            _ => {}
        }
    }
    None
}

fn bracketed(open: Symbol, inner: Vec<Symbol>, close: Option<Symbol>, depth: usize) -> Option<Symbol> {
    let parts: Vec<Symbol> = [&open].into_iter().chain(&inner).chain(&close).cloned().collect();
    let size = letter_size(&inner);
    let mut rows = rows_of(with_rules(inner, depth)?);
    let baseline = open.middle().1 + AXIS_EM * size;
    let latex = if rows.len() > 1 {
        matrix(&open, rows, close.as_ref(), depth)?
    } else {
        let inner =
            rows.pop().map_or_else(|| Some(String::new()), |(_, row)| Some(expression(row, depth + 1)?.latex))?;
        let mut latex = String::new();
        match &close {
            Some(close) => {
                latex.push_str(&format!("\\left{}", delimiter(&open)));
                push(&mut latex, &inner, false);
                latex.push_str(&format!("\\right{}", delimiter(close)));
            }
            None => {
                latex.push_str(&open.latex);
                push(&mut latex, &inner, false);
            }
        }
        latex
    };
    let read = Read { latex: String::new(), baseline, size: if size > 0.0 { size } else { open.size } };
    let mut symbol = composite(Kind::Stack, latex, &parts, &read);
    (symbol.bounds.y0, symbol.bounds.y1) = (open.bounds.y0, open.bounds.y1);
    symbol.is_spaced = open.is_spaced;
    Some(symbol)
}

/// A high bracket as renderers stretch it.
fn delimiter(bracket: &Symbol) -> &str {
    match bracket.kind {
        Kind::Bar('|' | '∣') => "|",
        Kind::Bar(_) => "\\|",
        _ => &bracket.latex,
    }
}

/// The rows of symbols by their baselines.
fn rows_of(symbols: Vec<Symbol>) -> Vec<(f32, Vec<Symbol>)> {
    let em = letter_size(&symbols);
    let level = |symbol: &Symbol| symbol.axis() + AXIS_EM * em;
    let mut levels: Vec<f32> = symbols
        .iter()
        .filter(|symbol| symbol.size >= SCRIPT_SIZE * em && !matches!(symbol.kind, Kind::Accent(_)))
        .map(level)
        .collect();
    levels.sort_by(f32::total_cmp);
    levels.dedup_by(|next, last| *next - *last < ROW_EM * em);
    let mut rows: Vec<(f32, Vec<Symbol>)> = levels.into_iter().map(|level| (level, Vec::new())).collect();
    for symbol in symbols {
        let own = symbol.baseline.min(level(&symbol));
        let distance = |row: &(f32, Vec<Symbol>)| (row.0 - own).abs();
        if let Some(row) = rows.iter_mut().min_by(|a, b| distance(a).total_cmp(&distance(b))) {
            row.1.push(symbol);
        }
    }
    rows
}

/// A matrix, a binomial coefficient or cases.
fn matrix(open: &Symbol, rows: Vec<(f32, Vec<Symbol>)>, close: Option<&Symbol>, depth: usize) -> Option<String> {
    let em = rows.iter().map(|(_, row)| letter_size(row)).fold(0.0, f32::max);
    let columns = columns_of(rows.iter().flat_map(|(_, row)| row), em);
    let step = rows.last()?.0 - rows.first()?.0;
    let is_pair = rows.len() == 2 && columns.len() == 1;
    let mut written: Vec<String> = Vec::with_capacity(rows.len());
    for (_, row) in rows {
        let mut cells: Vec<Vec<Symbol>> = columns.iter().map(|_| Vec::new()).collect();
        for symbol in row {
            let at = columns.iter().rposition(|left| *left <= symbol.middle().0).unwrap_or(0);
            cells.get_mut(at)?.push(symbol);
        }
        let cell = |cell: Vec<Symbol>| match cell.is_empty() {
            true => Some(String::new()),
            false => expression(cell, depth + 1).map(|read| read.latex),
        };
        written.push(cells.into_iter().map(cell).collect::<Option<Vec<String>>>()?.join("&"));
    }
    let name = match (&open.kind, close.map(|close| &close.kind)) {
        (Kind::Open('('), Some(Kind::Close(')'))) if is_pair && step > BINOMIAL_EM * em => {
            return Some(format!("\\binom{{{}}}", written.join("}{")));
        }
        (Kind::Open('('), Some(Kind::Close(')'))) => "pmatrix",
        (Kind::Open('['), Some(Kind::Close(']'))) => "bmatrix",
        (Kind::Open('{'), Some(Kind::Close('}'))) => "Bmatrix",
        (Kind::Open('{'), None) => "cases",
        (Kind::Bar('|' | '∣'), _) => "vmatrix",
        (Kind::Bar(_), _) => "Vmatrix",
        _ => return None,
    };
    Some(format!("\\begin{{{name}}}{}\\end{{{name}}}", written.join("\\cr ")))
}

/// The left edges of columns: white space that no row has symbols in divides them.
fn columns_of<'s>(symbols: impl Iterator<Item = &'s Symbol>, em: f32) -> Vec<f32> {
    let mut extents: Vec<(f32, f32)> = symbols.map(|symbol| (symbol.bounds.x0, symbol.bounds.x1)).collect();
    extents.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut columns, mut right) = (Vec::new(), f32::NEG_INFINITY);
    for (x0, x1) in extents {
        if x0 - right > COLUMN_EM * em {
            columns.push(x0);
        }
        right = right.max(x1);
    }
    columns
}

/// Puts accents over the symbols below them.
fn with_accents(mut symbols: Vec<Symbol>) -> Option<Vec<Symbol>> {
    let accents = take(&mut symbols, |symbol| matches!(symbol.kind, Kind::Accent(_)));
    for accent in accents {
        let Kind::Accent(command) = accent.kind else { continue };
        let x = accent.middle().0;
        if command == NEGATION {
            let is_under = |symbol: &Symbol| (symbol.middle().0 - x).abs() < 0.35 * symbol.size;
            let under = symbols.iter_mut().filter(|symbol| is_under(symbol)).find_map(|symbol| {
                let latex = negated(&symbol.latex, accent.latex == "/")?;
                Some((symbol, latex))
            });
            if let Some((symbol, latex)) = under {
                symbol.latex = latex;
            } else {
                symbols.push(Symbol { kind: Kind::Term, latex: "/".to_owned(), ..accent });
            }
            continue;
        }
        if command.starts_with("\\wide") && cover(&accent, command, &mut symbols).is_some() {
            continue;
        }
        let is_under = |symbol: &&mut Symbol| {
            let slack = 0.15 * symbol.size;
            symbol.kind == Kind::Term && (symbol.bounds.x0 - slack..=symbol.bounds.x1 + slack).contains(&x)
        };
        let distance = |symbol: &Symbol| (symbol.middle().0 - x).abs() + (symbol.baseline - accent.baseline).abs();
        let base = symbols.iter_mut().filter(is_under).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        base.latex = format!("{command}{{{}}}", base.latex);
        base.order = base.order.min(accent.order);
        base.is_spaced |= accent.is_spaced;
    }
    Some(symbols)
}

/// Puts a wide accent over the symbols that it covers.
fn cover(accent: &Symbol, command: &str, symbols: &mut Vec<Symbol>) -> Option<()> {
    let is_full = |symbol: &Symbol| symbol.kind == Kind::Term && symbol.size >= SCRIPT_SIZE * accent.size;
    let is_under = |symbol: &Symbol| (accent.bounds.x0..=accent.bounds.x1).contains(&symbol.middle().0);
    let mut under = take(symbols, |symbol| is_full(symbol) && is_under(symbol));
    under.sort_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
    let first = under.first()?.clone();
    let latex: String = under.iter().map(|symbol| symbol.latex.as_str()).collect();
    let order = under.iter().map(|symbol| symbol.order).chain([accent.order]).min()?;
    let is_spaced = first.is_spaced || accent.is_spaced;
    symbols.push(Symbol { latex: format!("{command}{{{latex}}}"), bounds: extent(&under), order, is_spaced, ..first });
    symbols.sort_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
    Some(())
}

/// Joins two signs of which one is right above the other: TeX makes ≅ of ∼ and =, and ≐ of a dot and =.
fn with_stacked_relations(mut symbols: Vec<Symbol>) -> Vec<Symbol> {
    let is_upper = |symbol: &Symbol| matches!(symbol.latex.as_str(), "∼" | "⋅" | ".");
    let Some(em) = symbols.iter().map(|symbol| symbol.size).reduce(f32::max) else { return symbols };
    if !symbols.iter().any(is_upper) {
        return symbols;
    }
    let places: Vec<(f32, f32, String)> = symbols
        .iter()
        .filter(|symbol| is_upper(symbol))
        .map(|upper| (upper.middle().0, upper.baseline, upper.latex.clone()))
        .collect();
    let mut used = Vec::new();
    for lower in symbols.iter_mut().filter(|symbol| symbol.latex == "=") {
        let is_above = |(x, baseline, _): &&(f32, f32, String)| {
            (x - lower.middle().0).abs() < 0.1 * em && (0.1..0.6).contains(&((lower.baseline - baseline) / em))
        };
        if let Some((x, _, sign)) = places.iter().find(is_above) {
            lower.latex = if sign == "∼" { "≅" } else { "≐" }.to_owned();
            used.push((*x, sign.clone()));
        }
    }
    symbols.retain(|symbol| !used.iter().any(|(x, sign)| symbol.latex == *sign && symbol.middle().0 == *x));
    symbols
}

/// A symbol of a row with what belongs to it.
struct Host {
    symbol: Symbol,
    raised: Vec<Symbol>,
    lowered: Vec<Symbol>,
}

impl Host {
    /// Whether it is text that stays text. A word with scripts is a name.
    fn is_words(&self) -> bool {
        self.symbol.kind == Kind::Words && self.raised.is_empty() && self.lowered.is_empty()
    }

    /// Whether it is one letter of a kind without scripts.
    fn is_single(&self, kind: impl Fn(char) -> bool) -> bool {
        let mut signs = self.symbol.latex.chars();
        let is_bare = self.raised.is_empty() && self.lowered.is_empty();
        is_bare && signs.next().is_some_and(kind) && signs.next().is_none()
    }

    /// The script of which a smaller symbol is part, as a script of it.
    fn script_around(&mut self, symbol: &Symbol) -> Option<&mut Vec<Symbol>> {
        let distance = |script: &[Symbol]| (extent(script).center().1 - symbol.middle().1).abs();
        let is_around = |script: &&mut Vec<Symbol>| symbol.size < SCRIPT_SIZE * letter_size(script);
        let around = [&mut self.raised, &mut self.lowered].into_iter().filter(is_around);
        around.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}

/// Whether a small letter stands no further from a capital than the slant of italics makes it.
fn is_kerned(capital: Bounds, next: &Symbol) -> bool {
    next.latex.starts_with(char::is_lowercase) && next.bounds.x0 - capital.x1 < SLANT_EM * next.size
}

/// Reads symbols on one baseline with their scripts and limits.
fn row(mut symbols: Vec<Symbol>, depth: usize) -> Option<Read> {
    let size = letter_size(&symbols);
    let baseline = main_baseline(&symbols, size)?;
    symbols.sort_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
    let limits = take_limits(&mut symbols, size, baseline);
    let mut hosts: Vec<Host> = Vec::new();
    for symbol in symbols {
        if symbol.latex.is_empty() || symbol.kind == Kind::Radical {
            return None;
        }
        if let Some(script) = hosts.last_mut().and_then(|host| host.script_around(&symbol)) {
            script.push(symbol);
            continue;
        }
        match place(&symbol, hosts.last().map(|host| &host.symbol), size, baseline)? {
            Place::Level => hosts.push(Host { symbol, raised: Vec::new(), lowered: Vec::new() }),
            Place::Raised => hosts.last_mut()?.raised.push(symbol),
            Place::Lowered => hosts.last_mut()?.lowered.push(symbol),
        }
    }
    for (order, above, below) in limits {
        let host = hosts.iter_mut().find(|host| host.symbol.order == order.0 && host.symbol.bounds.x0 == order.1)?;
        host.raised.extend(above);
        host.lowered.extend(below);
    }
    let mut latex = String::new();
    let mut hosts = hosts.into_iter().peekable();
    let mut capital: Option<Bounds> = None;
    while let Some(host) = hosts.next() {
        let is_spaced = host.symbol.is_spaced && !capital.is_some_and(|capital| is_kerned(capital, &host.symbol));
        capital = Some(host.symbol.bounds).filter(|_| host.is_single(char::is_uppercase));
        if host.is_words() {
            let mut text = host.symbol.latex;
            while let Some(next) = hosts.next_if(Host::is_words) {
                text.push_str(if next.symbol.is_spaced { " " } else { "" });
                text.push_str(&next.symbol.latex);
            }
            if text.contains(NOT_IN_TEXT) {
                return None;
            }
            let space = if latex.is_empty() { "" } else { " " };
            latex.push_str(&format!("\\text{{{space}{text}{}}}", if hosts.peek().is_some() { " " } else { "" }));
            continue;
        }
        let next = with_scripts(host, depth)?;
        if depth == 0 && is_spaced && is_joint(&latex, &next) {
            latex.push(' ');
        }
        push(&mut latex, &next, is_spaced);
    }
    Some(Read { latex, baseline, size })
}

/// The baseline of most letters of the largest size; of what is centred on the axis where there are none.
fn main_baseline(symbols: &[Symbol], size: f32) -> Option<f32> {
    let level = symbols.iter().filter(|symbol| !symbol.is_tall() && symbol.size >= SCRIPT_SIZE * size);
    let mut counts: Vec<(f32, usize)> = Vec::new();
    for symbol in level {
        match counts
            .iter_mut()
            .take(MAX_BASELINES)
            .find(|(other, _)| (*other - symbol.baseline).abs() < LEVEL_EM * size)
        {
            Some((_, count)) => *count += 1,
            None => counts.push((symbol.baseline, 1)),
        }
    }
    let most = counts.iter().max_by_key(|(_, count)| *count).map(|(baseline, _)| *baseline);
    most.or_else(|| Some(symbols.iter().find(|symbol| symbol.is_tall())?.middle().1 + AXIS_EM * size))
}

/// So many baselines are counted.
const MAX_BASELINES: usize = 8;

enum Place {
    Level,
    Raised,
    Lowered,
}

/// Where a symbol stands; `None` if that is not decided.
fn place(symbol: &Symbol, host: Option<&Symbol>, size: f32, baseline: f32) -> Option<Place> {
    let axis = baseline - AXIS_EM * size;
    let is_centred = (symbol.middle().1 - axis).abs() < AXIS_TOLERANCE_EM * size;
    if symbol.is_tall() {
        // The middle of an integral, or of brackets around a single row, is not exactly on the axis.
        if is_full(symbol, size, baseline) {
            return is_centred.then_some(Place::Level);
        }
    }
    let fall = (symbol.baseline - baseline) / size;
    if symbol.size >= SCRIPT_SIZE * size {
        // A letter that text has with its accent stands where the accent does.
        let is_level = fall.abs() < LEVEL_EM || is_accented(symbol) && (-ACCENT_EM..0.0).contains(&fall);
        return is_level.then_some(Place::Level);
    }
    let Some(host) = host else { return (fall.abs() < LEVEL_EM).then_some(Place::Level) };
    if host.is_tall() {
        let is_above = symbol.middle().1 < host.middle().1;
        return Some(if is_above { Place::Raised } else { Place::Lowered });
    }
    match () {
        () if fall < -LEVEL_EM => Some(Place::Raised),
        () if fall > LOWERED_EM => Some(Place::Lowered),
        () => Some(Place::Level),
    }
}

/// Whether a high symbol belongs to the letters of a row and not to their scripts. Large signs have one size beside letters of
/// all, and a fraction has small letters; off the axis it is an exponent.
fn is_full(symbol: &Symbol, size: f32, baseline: f32) -> bool {
    let axis = baseline - AXIS_EM * size;
    symbol.size >= SCRIPT_SIZE * size || (symbol.middle().1 - axis).abs() < LEVEL_EM * size
}

/// Whether a symbol is a letter with an accent.
fn is_accented(symbol: &Symbol) -> bool {
    symbol.kind == Kind::Term && is_accent_command(&symbol.latex)
}

/// An operator by its order and left edge, with what stands above and below it.
type Limits = ((usize, f32), Vec<Symbol>, Vec<Symbol>);

/// Takes the limits of operators out of a row.
fn take_limits(symbols: &mut Vec<Symbol>, size: f32, baseline: f32) -> Vec<Limits> {
    let is_function = |symbol: &Symbol| matches!(symbol.kind, Kind::Function(true));
    let takes = |symbol: &Symbol| {
        let is_level = || (symbol.baseline - baseline).abs() < LEVEL_EM * size;
        symbol.kind == Kind::Operator && is_full(symbol, size, baseline)
            || is_function(symbol) && symbol.size >= SCRIPT_SIZE * size && is_level()
    };
    let hosts: Vec<Symbol> = symbols.iter().filter(|symbol| takes(symbol)).cloned().collect();
    let mut limits = Vec::new();
    for host in hosts {
        let (top, bottom) = match is_function(&host) {
            true => (host.bounds.y0, host.baseline + 0.1 * size),
            false => (host.bounds.y0, host.bounds.y1),
        };
        let is_small = |symbol: &Symbol| symbol.size < SCRIPT_SIZE * size && !takes(symbol);
        let mut side = |is_above: bool| {
            let is_there = |symbol: &Symbol| {
                let middle = symbol.middle().1;
                is_small(symbol) && if is_above { middle < top } else { middle > bottom }
            };
            let chosen = limit_group(symbols, &host, size, is_there);
            take(symbols, |symbol| chosen.contains(&(symbol.order, symbol.bounds.x0.to_bits())))
        };
        let (above, below) = (side(true), side(false));
        if !above.is_empty() || !below.is_empty() {
            limits.push(((host.order, host.bounds.x0), above, below));
        }
    }
    limits
}

/// The symbols of a limit: those in a row without gaps of which one is above or below the operator.
fn limit_group(symbols: &[Symbol], host: &Symbol, size: f32, is_there: impl Fn(&Symbol) -> bool) -> Vec<(usize, u32)> {
    let mut group: Vec<&Symbol> = Vec::new();
    let mut right = f32::NEG_INFINITY;
    let mut has_centre = false;
    for symbol in symbols.iter().filter(|symbol| is_there(symbol)) {
        if symbol.bounds.x0 - right > LIMIT_GAP_EM * size {
            if has_centre {
                break;
            }
            group.clear();
        }
        right = right.max(symbol.bounds.x1);
        has_centre |= symbol.bounds.shared_width(host.bounds) > 0.0;
        group.push(symbol);
    }
    let (left, right) = group.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(left, right), symbol| {
        (left.min(symbol.bounds.x0), right.max(symbol.bounds.x1))
    });
    let is_centred = (f32::midpoint(left, right) - host.middle().0).abs() < 0.6 * size;
    match has_centre && is_centred {
        true => group.iter().map(|symbol| (symbol.order, symbol.bounds.x0.to_bits())).collect(),
        false => Vec::new(),
    }
}

/// A limit, which may have several rows.
fn limit(symbols: Vec<Symbol>, depth: usize) -> Option<String> {
    let is_simple = |symbol: &Symbol| matches!(symbol.kind, Kind::Term | Kind::Function(_));
    if !symbols.iter().all(is_simple) || rows_of(symbols.clone()).len() < 2 {
        return Some(expression(symbols, depth + 1)?.latex);
    }
    let rows = rows_of(symbols).into_iter().map(|(_, row)| Some(expression(row, depth + 1)?.latex));
    Some(format!("\\substack{{{}}}", rows.collect::<Option<Vec<String>>>()?.join("\\\\")))
}

fn with_scripts(host: Host, depth: usize) -> Option<String> {
    let Host { symbol, mut raised, lowered } = host;
    let has_scripts = !raised.is_empty() || !lowered.is_empty();
    if has_scripts && symbol.latex == "=" {
        return None;
    }
    let mut latex = match symbol.kind {
        Kind::Words if symbol.latex.contains(NOT_IN_TEXT) => return None,
        Kind::Words => format!("\\mathrm{{{}}}", symbol.latex),
        _ => symbol.latex,
    };
    let is_limit = matches!(symbol.kind, Kind::Operator | Kind::Integral | Kind::Function(_));
    let primes = take(&mut raised, |symbol| symbol.latex.chars().all(|sign| sign == '\''));
    if raised.is_empty() {
        primes.iter().for_each(|prime| latex.push_str(&prime.latex));
    } else {
        // A prime beside another superscript is part of it.
        raised.extend(primes.into_iter().map(|prime| Symbol { latex: "\\prime".to_owned(), ..prime }));
    }
    let first = |symbols: &[Symbol]| symbols.iter().map(|symbol| symbol.order).min();
    let is_raised_first = first(&raised) < first(&lowered);
    let mut scripts = [('_', lowered), ('^', raised)];
    if is_raised_first && symbol.kind == Kind::Term {
        scripts.reverse();
    }
    for (mark, symbols) in scripts {
        if !symbols.is_empty() {
            let script = if is_limit { limit(symbols, depth)? } else { expression(symbols, depth + 1)?.latex };
            push_script(&mut latex, mark, &script, is_limit);
        }
    }
    Some(latex)
}
