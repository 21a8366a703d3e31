//! `--print-config`: every setting with its value and where that came from. Secrets are not shown.

use serde_json::{Value as Json, json};
use toml::Value;

use super::Config;
use super::load::{Layer, Loaded};
use super::table::{SETTINGS, Setting};

/// As a file of settings that says the same, with comments.
pub(in crate::cli) fn as_toml(loaded: &Loaded) -> String {
    let read = match &loaded.file {
        Some(file) => format!("# Settings, also those of {}\n", file.display()),
        None => "# Settings; there is no file of them\n".to_owned(),
    };
    let mut config = loaded.config.clone();
    let rows = SETTINGS.iter().zip(&loaded.layers).map(|(setting, layer)| {
        let slot = (setting.slot)(&mut config);
        // A line that cannot be read back as it was is a comment.
        let (name, sign) = (setting.name, if slot.is_secret() { "# " } else { "" });
        let line = match slot.shown() {
            Some(value) => format!("{sign}{name} = {value}"),
            None => format!("# {name} ="),
        };
        format!("\n# {} ({})\n{line}\n", setting.meaning, source(setting, *layer))
    });
    let warnings = loaded.warnings.iter().map(|warning| format!("\n# {warning}\n"));
    std::iter::once(read).chain(rows).chain(warnings).collect()
}

/// As one object, for programs.
pub(in crate::cli) fn as_json(loaded: &Loaded) -> Json {
    let mut config = loaded.config.clone();
    let rows = SETTINGS.iter().zip(&loaded.layers).map(|(setting, layer)| {
        json!({
            "name": setting.name,
            "variable": setting.variable(),
            "flag": setting.flag.map(|(_, typed)| typed),
            "default": default(setting),
            "meaning": setting.meaning,
            "value": (setting.slot)(&mut config).shown(),
            "source": layer_name(*layer),
        })
    });
    json!({ "file": loaded.file, "settings": rows.collect::<Vec<_>>(), "warnings": loaded.warnings })
}

/// The default as documentation has it; empty where there is none.
fn default(setting: &Setting) -> String {
    if let Some(words) = setting.default {
        return words.to_owned();
    }
    match (setting.slot)(&mut Config::default()).shown() {
        None => String::new(),
        Some(Value::Array(items)) if items.is_empty() => String::new(),
        Some(Value::Table(entries)) if entries.is_empty() => String::new(),
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
    }
}

fn source(setting: &Setting, layer: Layer) -> String {
    match layer {
        Layer::Default => format!("default; {}", setting.variable()),
        Layer::Environment => format!("from {}", setting.variable()),
        Layer::File | Layer::Flag => format!("from the {}", layer_name(layer)),
    }
}

fn layer_name(layer: Layer) -> &'static str {
    match layer {
        Layer::Default => "default",
        Layer::File => "file",
        Layer::Environment => "environment",
        Layer::Flag => "flag",
    }
}
