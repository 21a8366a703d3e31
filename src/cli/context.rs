//! `pagewise context`.

use serde_json::{Map, Value, json};

use super::config::Config;
use super::context_arguments::{ContextCommand, Forget, Fork, Status, Watch};
use super::open;
use super::print::{Report, line, warning};
use crate::tool::{
    self, Caller, ContextManager, DataAnswer, DeliverError, Dispatch, FileUpdate, ForgetArguments, ForkArguments,
    StatusArguments, ToolError, WatchArguments, deliver,
};

/// Answers `context …`.
pub(super) fn run(typed: &ContextCommand, config: &Config) -> Result<Report, ToolError> {
    match typed {
        ContextCommand::Status(typed) => status(typed, config),
        ContextCommand::Updates(typed) => updates(typed, config),
        ContextCommand::Forget(typed) => forget(typed, config),
        ContextCommand::Fork(typed) => fork(typed, config),
        ContextCommand::Watch(typed) => watch(typed, config),
    }
}

fn status(typed: &Status, config: &Config) -> Result<Report, ToolError> {
    let arguments = StatusArguments::parse("context_status", &named(typed))?;
    let caller = nobody(&arguments.conversation)?;
    remembered(config, |context| tool::context_status(context, &arguments, &caller))
}

fn updates(typed: &Status, config: &Config) -> Result<Report, ToolError> {
    let arguments = StatusArguments::parse("context_updates", &named(typed))?;
    let caller = nobody(&arguments.conversation)?;
    let context = open::context(true, config)?;
    let updates = tool::context_updates(&context, &arguments, &caller)?;
    open::warn_about(&context);
    let report = Report::new(updates.answer.text, updates.answer.structure);
    Ok(Report { delivery: Some(updates.delivery), ..report })
}

fn forget(typed: &Forget, config: &Config) -> Result<Report, ToolError> {
    let arguments = ForgetArguments::parse(&arguments([
        ("filePath", typed.path.as_ref().map(|path| json!(path))),
        ("pages", typed.pages.as_ref().map(|pages| json!(pages))),
        ("keepFiles", Some(json!(typed.keep_files))),
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
        ("generation", typed.generation.as_ref().map(|number| json!(number))),
    ]))?;
    let caller = nobody(&arguments.conversation)?;
    remembered(config, |context| tool::context_forget(context, &arguments, &caller))
}

fn fork(typed: &Fork, config: &Config) -> Result<Report, ToolError> {
    let arguments = ForkArguments::parse(&arguments([
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
        ("asOf", typed.as_of.as_ref().map(|point| json!(point))),
    ]))?;
    let caller = nobody(&arguments.conversation)?;
    remembered(config, |context| tool::context_fork(context, &arguments, &caller))
}

/// An answer out of what is remembered.
fn remembered(
    config: &Config,
    answer: impl FnOnce(&ContextManager) -> Result<DataAnswer, ToolError>,
) -> Result<Report, ToolError> {
    let context = open::memory(config)?;
    let answer = answer(&context)?;
    open::warn_about(&context);
    Ok(Report::new(answer.text, answer.structure))
}

/// Follows until the process is ended, or nobody reads any more.
fn watch(typed: &Watch, config: &Config) -> Result<Report, ToolError> {
    let arguments = WatchArguments::parse(&arguments([
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
        ("intervalMs", typed.interval_ms.as_ref().map(|number| json!(number))),
    ]))?;
    let context = open::context(true, config)?;
    let mut watch = context.watch(arguments.conversation);
    let mut said = Vec::new();
    loop {
        let updates = watch.poll().map_err(ToolError::from)?;
        open::warn_about(&context);
        // What cannot be known is the same at each look.
        if updates.notes != said {
            updates.notes.iter().for_each(|note| warning(note));
            said.clone_from(&updates.notes);
        }
        let print = || updates.files.iter().try_for_each(|update| line(&update_line(update, typed.json.json)));
        match deliver(Dispatch::of(Some(updates.delivery).filter(|_| typed.record)), print) {
            Err(DeliverError::Write(_)) => return Ok(Report::new(String::new(), Value::Null)),
            Err(error @ DeliverError::Store(_)) => warning(&error.to_string()),
            Ok(_) => {}
        }
        std::thread::sleep(arguments.interval);
    }
}

/// One update, for programs or for people.
fn update_line(update: &FileUpdate, is_json: bool) -> String {
    if is_json { tool::update_json(update).to_string() } else { tool::update_text(update) }
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
