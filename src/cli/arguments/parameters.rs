//! The parameters of the tools at the command line.

use crate::cli::terminal::wording::quoted;
use crate::tool::{TOOLS, expected};

/// Positional parameters, and their names in the usage.
const POSITIONAL: &[(&str, &str)] = &[
    ("filePath", "PATH"),
    ("path", "PATH"),
    ("pdf", "PATH"),
    ("pdfs", "PATH"),
    ("page", "PAGES"),
    ("query", "QUERY"),
    ("urls", "URL"),
    ("responseId", "ID"),
];

/// The command line's name for the parameter `name` of a tool. Other words stay as they are.
pub(crate) fn typed_name(name: &str) -> String {
    let place = POSITIONAL.iter().find(|(parameter, _)| *parameter == name);
    let is_parameter = name.starts_with(|first: char| first.is_ascii_lowercase());
    match place {
        Some((_, place)) => (*place).to_owned(),
        None if is_parameter => flag(name),
        None => name.to_owned(),
    }
}

/// `--pdf-page` of `pdfPage`, `--max-chars` of `max_chars`.
fn flag(name: &str) -> String {
    name.chars().fold("--".to_owned(), |mut flag, character| match character {
        '_' => flag + "-",
        upper if upper.is_ascii_uppercase() => {
            flag.push('-');
            flag.push(upper.to_ascii_lowercase());
            flag
        }
        other => {
            flag.push(other);
            flag
        }
    })
}

/// A sentence for clients of the tools in the words of the command line: `--pages 2` for `pages: "2"`.
pub(crate) fn as_typed(sentence: &str) -> String {
    let (mut typed, mut rest) = (String::new(), sentence);
    while let Some((before, after)) = rest.split_once(": ") {
        let own = before.trim_end_matches(|character: char| character.is_alphanumeric() || character == '_');
        let name = before.strip_prefix(own).unwrap_or_default();
        let value = after.strip_prefix('"').and_then(|value| value.split_once('"'));
        let value = value.or_else(|| Some(("", after.strip_prefix("true")?)));
        match value.filter(|_| typed_name(name).starts_with("--") && is_parameter(name)) {
            Some((value, after)) => {
                let value = if value.is_empty() { String::new() } else { format!(" {}", quoted(value)) };
                typed.push_str(&format!("{own}{}{value}", typed_name(name)));
                rest = after;
            }
            None => {
                typed.push_str(&format!("{before}: "));
                rest = after;
            }
        }
    }
    typed + rest
}

fn is_parameter(name: &str) -> bool {
    TOOLS.iter().flat_map(|tool| tool.parameters()).any(|(parameter, _)| parameter == name)
}

/// The parameter that is typed as `typed`, and what it must be, if it has another type than text.
pub(crate) fn expected_value(typed: &str) -> Option<(&'static str, String)> {
    let mut parameters = TOOLS.iter().flat_map(|tool| tool.parameters());
    let (name, property) = parameters.find(|(name, _)| typed_name(name) == typed)?;
    (property.get("type")? != "string").then(|| (name.as_str(), expected(name, property)))
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::*;
    use crate::cli::arguments::CommandLine;

    /// The flags and positional arguments of a command and its subcommands.
    fn typed(command: &Command, names: &mut Vec<String>) {
        for argument in command.get_arguments() {
            names.extend(argument.get_long().map(|long| format!("--{long}")));
            let values = argument.get_value_names().unwrap_or_default();
            names.extend(values.iter().filter(|_| argument.is_positional()).map(ToString::to_string));
        }
        command.get_subcommands().for_each(|inner| typed(inner, names));
    }

    /// Parameters without a command. A command searches one file or folder, to its end, and writes with `--out`.
    const MISSING: &[&str] = &["url", "paths", "save", "start_document", "startFile"];

    #[test]
    fn every_parameter_of_a_tool_is_typed_somewhere() {
        let mut command = CommandLine::command();
        command.build();
        let mut names = Vec::new();
        typed(&command, &mut names);
        for tool in &TOOLS {
            assert!(tool.parameters().count() > 0, "{}", tool.name);
            for (parameter, _) in tool.parameters().filter(|(name, _)| !MISSING.contains(&name.as_str())) {
                let typed = typed_name(parameter);
                assert!(names.contains(&typed), "{} has '{parameter}', and no command has {typed}", tool.name);
            }
        }
    }

    #[test]
    fn a_sentence_for_clients_is_one_for_the_command_line() {
        let sentences = [
            ("Next call with pages: \"2,4-\".", "Next call with --pages 2,4-."),
            ("Ask with as: \"text\" or as: \"path\"; or not", "Ask with --as text or --as path; or not"),
            ("ask again with force: true, or", "ask again with --force, or"),
            ("Call it with pages: \"section:A B\"", "Call it with --pages 'section:A B'"),
            ("page 3: title: \"2\", pages: 4, é: true", "page 3: title: \"2\", pages: 4, é: true"),
        ];
        for (sentence, expected) in sentences {
            assert_eq!(as_typed(sentence), expected);
        }
    }

    #[test]
    fn what_is_typed_already_stays() {
        assert_eq!(["pdfPage", "max_chars", "filePath"].map(typed_name), ["--pdf-page", "--max-chars", "PATH"]);
        assert_eq!(["--out", "COMMAND", "NUMBER"].map(typed_name), ["--out", "COMMAND", "NUMBER"]);
    }
}
