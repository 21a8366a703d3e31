//! Prints the settings as a file, as JSON or as a list, without secrets.

use serde_json::{Value as Json, json};
use toml::Value;

use super::Config;
use super::load::{Layer, LoadedSettings};
use super::table::{GROUPS, Setting};
use crate::cli::terminal::layout::wrapped;
use crate::cli::terminal::screen::{Part, Screen};

/// A setting in force.
struct Row {
    group: &'static str,
    setting: &'static Setting,
    /// The default in words; empty if there is none.
    default: String,
    /// `None` if it is not set.
    value: Option<Value>,
    is_secret: bool,
    layer: Layer,
}

fn rows(loaded: &LoadedSettings) -> Vec<Row> {
    let (mut config, mut defaults) = (loaded.config.clone(), Config::default());
    let settings = GROUPS.iter().flat_map(|group| group.settings.iter().map(|setting| (group.title, setting)));
    let row = |((group, setting), layer): ((&'static str, &'static Setting), &Layer)| {
        let default = setting.default.map_or_else(|| words((setting.target)(&mut defaults).to_toml()), str::to_owned);
        let target = (setting.target)(&mut config);
        Row { group, setting, default, value: target.to_toml(), is_secret: target.is_secret(), layer: *layer }
    };
    settings.zip(&loaded.layers).map(row).collect()
}

/// A value without quotes; empty for an empty list or table.
fn words(value: Option<Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::Array(items)) if items.is_empty() => String::new(),
        Some(Value::Table(entries)) if entries.is_empty() => String::new(),
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
    }
}

/// The settings in force as a file of settings, with comments.
pub(in crate::cli) fn as_toml(loaded: &LoadedSettings) -> String {
    let read = match &loaded.file {
        Some(file) => format!("# Settings, also those of {}\n", file.display()),
        None => "# Settings; there is no settings file\n".to_owned(),
    };
    let entries = rows(loaded).into_iter().map(|row| {
        let Setting { name, meaning, .. } = row.setting;
        let line = match &row.value {
            // A secret could not be read back.
            Some(value) if row.is_secret => format!("# {name} = {value}"),
            Some(value) => format!("{name} = {value}"),
            None => format!("# {name} ="),
        };
        format!("\n# {meaning} ({})\n{line}\n", row.origin())
    });
    let warnings = loaded.warnings.iter().map(|warning| format!("\n# {warning}\n"));
    std::iter::once(read).chain(entries).chain(warnings).collect()
}

/// The settings that contain `word`, as JSON.
pub(in crate::cli) fn as_json(loaded: &LoadedSettings, word: Option<&str>) -> Json {
    let rows = rows(loaded).into_iter().filter(|row| row.contains(word)).map(|row| {
        json!({
            "name": row.setting.name,
            "group": row.group,
            "variable": row.setting.variable(),
            "flag": row.setting.flag.map(|(_, typed)| typed),
            "default": row.default,
            "unit": row.setting.unit,
            "meaning": row.setting.meaning,
            "value": row.value,
            "source": row.layer.name(),
        })
    });
    json!({ "file": loaded.file, "settings": rows.collect::<Vec<_>>(), "warnings": loaded.warnings })
}

/// The settings that contain `word`, as a list for people: in the columns of a terminal, or one line each.
pub(in crate::cli) fn as_list(loaded: &LoadedSettings, word: Option<&str>, screen: Screen) -> String {
    let rows = rows(loaded).into_iter().filter(|row| row.contains(word)).collect::<Vec<_>>();
    let longest = |of: fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or_default();
    let columns = Columns {
        name: longest(|row| row.setting.name.len()),
        default: longest(|row| row.default_with_unit().len()),
        screen,
    };
    let mut list = String::new();
    let mut group = "";
    for row in &rows {
        if row.group != group {
            list.push_str(if group.is_empty() { "" } else { "\n" });
            list.push_str(&screen.paint(Part::Heading, row.group));
            list.push('\n');
            group = row.group;
        }
        columns.write(row, &mut list);
    }
    list
}

impl Row {
    /// Whether `word` occurs in the row. The whole name of a setting selects only that one.
    fn contains(&self, word: Option<&str>) -> bool {
        let Some(word) = word.map(str::to_lowercase) else { return true };
        if super::table::settings().any(|setting| setting.name == word) {
            return self.setting.name == word;
        }
        let flag = self.setting.flag.map(|(_, typed)| typed).unwrap_or_default();
        let texts =
            [self.setting.name, self.group, self.setting.meaning, &self.default, flag, &self.setting.variable()];
        texts.iter().any(|text| text.to_lowercase().contains(&word))
    }

    fn default_with_unit(&self) -> String {
        match (self.default.as_str(), self.setting.default, self.setting.unit) {
            ("", ..) => "not set".to_owned(),
            (default, None, unit) if !unit.is_empty() => format!("{default} {unit}"),
            (default, ..) => default.to_owned(),
        }
    }

    /// The meaning, the flag, and the value if it is not the default.
    fn explanation(&self) -> String {
        let mut text = self.setting.meaning.to_owned();
        if let Some((_, typed)) = self.setting.flag {
            text.push_str(&format!(" [{typed}]"));
        }
        if self.layer != Layer::Default {
            let value = Some(words(self.value.clone())).filter(|value| !value.is_empty());
            text.push_str(&format!(" (now {}, {})", value.as_deref().unwrap_or("not set"), self.origin()));
        }
        text
    }

    /// The origin of the value.
    fn origin(&self) -> String {
        match self.layer {
            Layer::Default => format!("default; {}", self.setting.variable()),
            Layer::Environment => format!("from {}", self.setting.variable()),
            Layer::File | Layer::Flag => format!("from the {}", self.layer.name()),
        }
    }
}

impl Layer {
    fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// The widths of the columns, in characters.
struct Columns {
    name: usize,
    default: usize,
    screen: Screen,
}

impl Columns {
    /// The narrowest column of meanings. In a narrower terminal they go on lines of their own.
    const MIN_MEANING: usize = 36;

    fn write(&self, row: &Row, list: &mut String) {
        let (name, default) = (self.name, self.default);
        let start = format!("  {:name$}  {:default$}", row.setting.name, row.default_with_unit());
        let painted = start.replacen(row.setting.name, &self.screen.paint(Part::Page, row.setting.name), 1);
        let text = row.explanation();
        let Some(columns) = self.screen.columns else {
            list.push_str(&format!("{painted}  {text}\n"));
            return;
        };
        let indent = start.chars().count() + 2;
        if columns >= indent + Self::MIN_MEANING {
            let text = wrapped(&text, columns - indent, indent);
            list.push_str(&format!("{painted}  {text}\n"));
        } else {
            let text = wrapped(&text, columns.saturating_sub(6), 6);
            list.push_str(&format!("{}\n      {text}\n", painted.trim_end()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::config::table::settings;

    fn written(width: usize) -> String {
        let Some(setting) = settings().find(|setting| setting.name == "require_sandbox") else { return String::new() };
        let row = Row {
            group: "",
            setting,
            default: "false".to_owned(),
            value: Some(Value::Boolean(true)),
            is_secret: false,
            layer: Layer::File,
        };
        let mut list = String::new();
        Columns { name: 15, default: 5, screen: Screen { columns: Some(width), has_colors: false } }
            .write(&row, &mut list);
        list
    }

    #[test]
    fn meanings_are_wrapped_to_the_terminal() {
        insta::assert_snapshot!(written(80), @"
          require_sandbox  false  Refuse to read PDFs if a layer of the sandbox is
                                  missing, and refuse every URL [--require-sandbox] (now
                                  true, from the file)
        ");
        insta::assert_snapshot!(written(50), @"
          require_sandbox  false
              Refuse to read PDFs if a layer of the
              sandbox is missing, and refuse every URL
              [--require-sandbox] (now true, from the
              file)
        ");
    }
}
