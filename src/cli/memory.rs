//! `pagewise context`.

use serde_json::{Map, Value, json};

use super::arguments::Sandbox;
use super::context_arguments::{ContextCommand, Forget, Fork, Status, Watch};
use super::print::{Report, line, warning};
use super::settings;
use crate::tool::{self, Caller, ForgetArguments, ForkArguments, StatusArguments, ToolError, WatchArguments};

/// Answers `context …`.
pub(super) fn run(typed: &ContextCommand, sandbox: Sandbox) -> Result<Report, ToolError> {
    match typed {
        ContextCommand::Status(typed) => status(typed),
        ContextCommand::Updates(typed) => updates(typed, sandbox),
        ContextCommand::Forget(typed) => forget(typed),
        ContextCommand::Fork(typed) => fork(typed),
        ContextCommand::Watch(typed) => watch(typed, sandbox),
    }
}

fn status(typed: &Status) -> Result<Report, ToolError> {
    let arguments = StatusArguments::parse("context_status", &named(typed))?;
    let answer = tool::context_status(&settings::memory()?, &arguments, &nobody(&arguments.conversation)?)?;
    Ok(Report::new(answer.text, answer.structure))
}

fn updates(typed: &Status, sandbox: Sandbox) -> Result<Report, ToolError> {
    let arguments = StatusArguments::parse("context_updates", &named(typed))?;
    let caller = nobody(&arguments.conversation)?;
    let updates = tool::context_updates(&settings::context(true, None, sandbox)?, &arguments, &caller)?;
    let report = Report::new(updates.answer.text, updates.answer.structure);
    Ok(Report { delivery: Some(updates.delivery), ..report })
}

fn forget(typed: &Forget) -> Result<Report, ToolError> {
    let arguments = ForgetArguments::parse(&arguments([
        ("filePath", typed.path.as_ref().map(|path| json!(path))),
        ("pages", typed.pages.as_ref().map(|pages| json!(pages))),
        ("keepFiles", Some(json!(typed.keep_files))),
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
        ("generation", typed.generation.as_ref().map(|number| json!(number))),
    ]))?;
    let answer = tool::context_forget(&settings::memory()?, &arguments, &nobody(&arguments.conversation)?)?;
    Ok(Report::new(answer.text, answer.structure))
}

fn fork(typed: &Fork) -> Result<Report, ToolError> {
    let arguments = ForkArguments::parse(&arguments([
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
        ("asOf", typed.as_of.as_ref().map(|point| json!(point))),
    ]))?;
    let answer = tool::context_fork(&settings::memory()?, &arguments, &nobody(&arguments.conversation)?)?;
    Ok(Report::new(answer.text, answer.structure))
}

/// Follows until the process is ended, or nobody reads any more.
fn watch(typed: &Watch, sandbox: Sandbox) -> Result<Report, ToolError> {
    let arguments = WatchArguments::parse(&arguments([
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
        ("intervalMs", typed.interval_ms.as_ref().map(|number| json!(number))),
    ]))?;
    let context = settings::context(true, None, sandbox)?;
    let mut watch = context.watch(arguments.conversation);
    loop {
        let updates = watch.poll().map_err(ToolError::from)?;
        for note in &updates.notes {
            warning(note);
        }
        for update in &updates.files {
            let printed =
                if typed.json.json { tool::update_json(update).to_string() } else { tool::update_text(update) };
            if line(&printed).is_err() {
                return Ok(Report::new(String::new(), Value::Null));
            }
        }
        if typed.record
            && let Err(error) = updates.delivery.commit()
        {
            warning(&format!("what was told could not be recorded: {error}"));
        }
        std::thread::sleep(arguments.interval);
    }
}

fn named(typed: &Status) -> Map<String, Value> {
    arguments([
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
        ("generation", typed.generation.as_ref().map(|number| json!(number))),
    ])
}

/// The tool's own arguments, so that both doors check and refuse alike.
fn arguments<const N: usize>(typed: [(&str, Option<Value>); N]) -> Map<String, Value> {
    typed.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// A command line has no conversation of its own.
fn nobody(conversation: &Option<String>) -> Result<Caller, ToolError> {
    let hint = "Name it with --conversation, as in the calls before.";
    let named = conversation.as_ref().map(|_| Caller::direct());
    named.ok_or_else(|| ToolError::required("conversation").hint(hint))
}
