//! The parameters of the tools at the command line.

use serde_json::{Map, Value};

/// The arguments of a tool, so that every door checks them alike. Null stands for what was not typed.
pub(crate) fn tool_arguments<const N: usize>(typed: [(&str, Value); N]) -> Map<String, Value> {
    typed.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)).collect()
}

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

    /// Parameters without a command. A command searches one file or folder, to its end.
    const MISSING: &[&str] = &["url", "paths", "start_document", "startFile"];

    #[test]
    fn every_parameter_of_a_tool_is_typed_somewhere() {
        let mut command = CommandLine::command();
        command.build();
        let mut names = Vec::new();
        typed(&command, &mut names);
        for spec in crate::tool::tool_specs() {
            let properties =
                spec.input_schema.get("properties").and_then(|all| all.as_object()).cloned().unwrap_or_default();
            assert!(!properties.is_empty(), "{}", spec.name);
            for parameter in properties.keys().filter(|name| !MISSING.contains(&name.as_str())) {
                let typed = typed_name(parameter);
                assert!(names.contains(&typed), "{} has '{parameter}', and no command has {typed}", spec.name);
            }
        }
    }

    #[test]
    fn what_is_typed_already_stays() {
        assert_eq!(["pdfPage", "max_chars", "filePath"].map(typed_name), ["--pdf-page", "--max-chars", "PATH"]);
        assert_eq!(["--out", "COMMAND", "NUMBER"].map(typed_name), ["--out", "COMMAND", "NUMBER"]);
    }
}
