//! Schemas of the tools, from the structs of their arguments.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The key of a property's schema under which a struct says what the parameter must be, for its error. Not listed.
pub(super) const EXPECTED: &str = "x-expected";

/// The key that marks a parameter whose value only the program that drives a model knows. Not listed.
pub(super) const DRIVER: &str = "x-driver";

/// The schema of `T`. Some clients refuse formats, references, null types and `additionalProperties`: it has none.
pub(super) fn schema_of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let Value::Object(mut schema) = schema else { return Map::new() };
    simplify(&mut schema);
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().filter_map(Value::as_object_mut).for_each(simplify);
    }
    schema
}

fn simplify(schema: &mut Map<String, Value>) {
    // `Option<T>` is `T` or null, and an enumeration a list of constants with a description each.
    if let Some(Value::Array(choices)) = schema.remove("anyOf") {
        let given = choices.into_iter().find(|choice| choice.get("type") != Some(&json!("null")));
        let given =
            given.into_iter().filter_map(|given| if let Value::Object(given) = given { Some(given) } else { None });
        for (name, value) in given.flatten() {
            schema.entry(name).or_insert(value);
        }
    }
    if let Some(Value::Array(choices)) = schema.remove("oneOf") {
        let values = choices.iter().filter_map(|choice| choice.get("const").cloned());
        schema.insert("enum".to_owned(), values.collect());
        schema.insert("type".to_owned(), json!("string"));
    }
    for without_null in ["type", "enum"] {
        if let Some(Value::Array(kinds)) = schema.get_mut(without_null) {
            kinds.retain(|kind| !kind.is_null() && kind != "null");
        }
    }
    if let Some([one]) = schema.get("type").and_then(Value::as_array).map(Vec::as_slice) {
        let one = one.clone();
        schema.insert("type".to_owned(), one);
    }
    // A model needs the first paragraph; the command line shows all.
    if let Some(Value::String(text)) = schema.get_mut("description") {
        let first = text.split("\n\n").next().unwrap_or_default();
        *text = first.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    ["title", "default", "format", "additionalProperties"].iter().for_each(|name| drop(schema.remove(*name)));
    if let Some(Value::Object(item)) = schema.get_mut("items") {
        simplify(item);
    }
}

/// The schema as it is listed: without the parameters of drivers, unless they are wanted.
pub(super) fn listed(schema: &Map<String, Value>, with_drivers: bool) -> Map<String, Value> {
    let mut schema = schema.clone();
    schema.remove("description");
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|_, property| with_drivers || property.get(DRIVER).is_none());
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            [EXPECTED, DRIVER].iter().for_each(|name| drop(property.remove(*name)));
        }
    }
    schema
}

/// The members of a structured result by their type. Some have one of two, by what was asked: `object|string`.
pub(super) type Members = &'static [(&'static str, &'static [&'static str])];

/// The schema of a structured result.
pub(super) fn result_schema(members: Members) -> Map<String, Value> {
    let typed = |(kind, names): &(&str, &[&str])| {
        let kinds = kind.split('|').collect::<Vec<_>>();
        let kind = if let [one] = *kinds { json!(one) } else { json!(kinds) };
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": kind }))).collect::<Vec<_>>()
    };
    let properties = members.iter().flat_map(typed).collect::<Map<_, _>>();
    Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), Value::Object(properties))])
}
