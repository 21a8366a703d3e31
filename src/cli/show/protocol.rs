//! How a terminal takes pictures, from its environment and its answers.

use clap::ValueEnum;

/// A way to draw in a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// The graphics protocol of kitty
    Kitty,
    /// The inline images of iTerm2
    Iterm,
    /// Sixels
    Sixel,
    /// Half blocks in colours, which every terminal shows
    Blocks,
}

/// What a terminal answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TerminalAnswer {
    pub(super) has_kitty: bool,
    pub(super) has_sixel: bool,
    /// Width and height of a cell in pixels.
    pub(super) cell: Option<(u16, u16)>,
}

/// The variables that tell terminals apart.
#[derive(Debug, Default)]
pub(super) struct Environment {
    /// `TERM`.
    pub(super) term: String,
    /// `TERM_PROGRAM`, or `LC_TERMINAL`, which goes through ssh.
    pub(super) program: String,
    /// `COLORTERM`.
    pub(super) colors: String,
    /// Whether a program such as tmux stands between.
    pub(super) is_multiplexed: bool,
    /// `KITTY_WINDOW_ID` is set.
    pub(super) is_kitty: bool,
}

impl Environment {
    /// That of this process.
    pub(super) fn of_process() -> Self {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let program = Some(variable("TERM_PROGRAM")).filter(|program| !program.is_empty());
        Self {
            term: variable("TERM"),
            program: program.unwrap_or_else(|| variable("LC_TERMINAL")),
            colors: variable("COLORTERM"),
            is_multiplexed: is_set("TMUX") || is_set("STY") || is_set("ZELLIJ"),
            is_kitty: is_set("KITTY_WINDOW_ID"),
        }
    }

    /// The protocol of a terminal that is known by name.
    pub(super) fn protocol(&self) -> Option<Protocol> {
        if self.is_multiplexed {
            return None;
        }
        let is_kitty = self.is_kitty || ["xterm-kitty", "xterm-ghostty"].contains(&self.term.as_str());
        match self.program.as_str() {
            _ if is_kitty => Some(Protocol::Kitty),
            "ghostty" => Some(Protocol::Kitty),
            "iTerm.app" | "iTerm2" | "WezTerm" | "mintty" => Some(Protocol::Iterm),
            _ => None,
        }
    }

    /// Whether the terminal can be asked: some print what they do not understand.
    pub(super) fn can_be_asked(&self) -> bool {
        !matches!(self.term.as_str(), "" | "dumb" | "linux" | "cons25") && self.program != "Apple_Terminal"
    }

    /// Whether the terminal has all colours, not 256.
    pub(super) fn has_true_colors(&self) -> bool {
        matches!(self.colors.as_str(), "truecolor" | "24bit") || self.term.ends_with("-direct")
    }
}

impl TerminalAnswer {
    /// Reads the answers: kitty's to its query, the size of a cell, the attributes of the device.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut answer = Self { has_kitty: text.contains("_Gi=31;OK"), ..Self::default() };
        for control in text.split("\u{1b}[").skip(1) {
            let end = control.find(|character: char| character.is_ascii_alphabetic());
            let Some((numbers, rest)) = end.and_then(|end| control.split_at_checked(end)) else { continue };
            match (rest.chars().next(), numbers.strip_prefix('?')) {
                (Some('c'), Some(attributes)) => answer.has_sixel = attributes.split(';').any(|number| number == "4"),
                (Some('t'), None) => answer.cell = cell_size(numbers).or(answer.cell),
                _ => {}
            }
        }
        answer
    }

    /// The best protocol of the terminal.
    pub(super) fn protocol(self) -> Protocol {
        match self {
            Self { has_kitty: true, .. } => Protocol::Kitty,
            Self { has_sixel: true, .. } => Protocol::Sixel,
            _ => Protocol::Blocks,
        }
    }
}

/// Whether the attributes of the device, which every terminal answers last, are among `bytes`.
pub(super) fn is_complete(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.split("\u{1b}[?").skip(1).any(|control| {
        control.trim_start_matches(|character: char| character.is_ascii_digit() || character == ';').starts_with('c')
    })
}

/// `6;height;width`.
fn cell_size(numbers: &str) -> Option<(u16, u16)> {
    let mut numbers = numbers.strip_prefix("6;")?.split(';').map(|number| number.parse().ok());
    let (height, width) = (numbers.next()??, numbers.next()??);
    (width > 0 && height > 0).then_some((width, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let kitty = b"\x1b_Gi=31;OK\x1b\\\x1b[6;20;9t\x1b[?62;c";
        let expected = TerminalAnswer { has_kitty: true, has_sixel: false, cell: Some((9, 20)) };
        assert_eq!(TerminalAnswer::parse(kitty), expected);
        let sixel = TerminalAnswer::parse(b"\x1b[?63;1;4;22c");
        assert_eq!((sixel.has_sixel, sixel.protocol()), (true, Protocol::Sixel));
        assert_eq!(TerminalAnswer::parse(b"\x1b[?64;14;42c").protocol(), Protocol::Blocks);
        for odd in [&b""[..], b"\x1b[", b"\x1b[?", b"\x1b[6;t\xff", b"\x1b[6;0;0t", b"\x1b[6;99999999;1t"] {
            assert_eq!(TerminalAnswer::parse(odd), TerminalAnswer::default(), "{odd:?}");
        }
    }

    #[test]
    fn an_answer_is_complete_with_the_attributes() {
        assert!(is_complete(b"\x1b[6;20;9t\x1b[?62;c"));
        assert!(!is_complete(b"\x1b[6;20;9t\x1b[?62;"));
        assert!(!is_complete(b"\x1b[?25h"));
    }

    #[test]
    fn terminals_are_known_by_name_unless_another_program_stands_between() {
        let named = |program: &str| Environment { program: program.to_owned(), ..Environment::default() };
        assert_eq!(named("iTerm.app").protocol(), Some(Protocol::Iterm));
        assert_eq!(named("ghostty").protocol(), Some(Protocol::Kitty));
        assert_eq!(named("vscode").protocol(), None);
        assert_eq!(Environment { is_multiplexed: true, ..named("iTerm.app") }.protocol(), None);
        let kitty = Environment { term: "xterm-kitty".to_owned(), ..Environment::default() };
        assert_eq!(kitty.protocol(), Some(Protocol::Kitty));
        assert!(!named("").can_be_asked() && kitty.can_be_asked());
    }
}
