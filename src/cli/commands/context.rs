//! `pagewise context`.

use std::time::Duration;

use serde_json::Value;

use crate::cli::answers;
use crate::cli::arguments::context::{ContextCommand, Watch};
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::{Report, line, warning};
use crate::cli::terminal::screen::Screen;
use crate::context::{ContextManager, FileUpdate};
use crate::serve::is_output_closed;
use crate::tool::{
    self, Caller, DataAnswer, DeliverError, Dispatch, ForgetArguments, ForkArguments, StatusArguments,
    ToolArguments as _, ToolError, UpdatesArguments, deliver,
};

/// Answers `context …`.
pub(crate) fn run(typed: &ContextCommand, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    match typed {
        ContextCommand::Status(typed) => status(typed, config, screen),
        ContextCommand::Updates(typed) => updates(typed, config, screen),
        ContextCommand::Forget(typed) => forget(typed, config),
        ContextCommand::Fork(typed) => fork(typed, config),
        ContextCommand::Watch(typed) => watch(typed, config, screen),
    }
}

fn status(typed: &StatusArguments, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    let arguments = typed.typed()?;
    let caller = caller(&arguments.held.conversation)?;
    let context = open::library_context(true, config)?;
    let result = tool::context_status(&context, &arguments, &caller)?;
    open::warn_about(&context);
    Ok(Report::new(answers::status::text(&result, screen), result.structure()))
}

fn updates(typed: &UpdatesArguments, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    let arguments = typed.typed()?;
    let caller = caller(&arguments.held.conversation)?;
    let context = open::context(true, config)?;
    let result = tool::context_updates(&context, &arguments, &caller)?;
    open::warn_about(&context);
    let text = answers::updates::text(&result.updates, result.conversation.as_str(), screen);
    let report = Report::new(text, result.structure()).with_notes(answers::updates::notes(&result.updates));
    Ok(Report { delivery: Some(result.updates.delivery), ..report })
}

fn forget(typed: &ForgetArguments, config: &Config) -> Result<Report, ToolError> {
    let arguments = typed.typed()?;
    let caller = caller(&arguments.held.conversation)?;
    // `label:` and `section:` are looked up in the document, which a worker reads.
    let needs_document = arguments.pages.as_ref().is_some_and(|pages| pages.contains(':'));
    let context = if needs_document { open::context(true, config)? } else { open::memory(config)? };
    answer_from(&context, |context| tool::context_forget(context, &arguments, &caller))
}

fn fork(typed: &ForkArguments, config: &Config) -> Result<Report, ToolError> {
    let arguments = typed.typed()?;
    let caller = caller(&arguments.conversation)?;
    answer_from_memory(config, |context| tool::context_fork(context, &arguments, &caller))
}

/// An answer that needs the memory of conversations alone.
fn answer_from_memory(
    config: &Config,
    answer: impl FnOnce(&ContextManager) -> Result<DataAnswer, ToolError>,
) -> Result<Report, ToolError> {
    answer_from(&open::memory(config)?, answer)
}

fn answer_from(
    context: &ContextManager,
    answer: impl FnOnce(&ContextManager) -> Result<DataAnswer, ToolError>,
) -> Result<Report, ToolError> {
    let answer = answer(context)?;
    open::warn_about(context);
    Ok(Report::new(answer.text, answer.structure))
}

/// Follows the files until the process ends, or its output is closed.
fn watch(typed: &Watch, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    let conversation = Caller::direct().conversation(Some(&typed.conversation))?;
    let conversation = conversation.ok_or_else(unnamed)?;
    let context = open::context(true, config)?;
    let name = conversation.to_string();
    let mut watch = context.watch(conversation);
    let mut printed_notes = Vec::new();
    loop {
        let updates = watch.poll().map_err(ToolError::from)?;
        open::warn_about(&context);
        // The same notes come with every poll.
        if updates.notes != printed_notes {
            updates.notes.iter().for_each(|note| warning(note));
            printed_notes.clone_from(&updates.notes);
        }
        let print =
            || updates.files.iter().try_for_each(|update| line(&update_line(update, config.is_json, &name, screen)));
        match deliver(Dispatch::of(Some(updates.delivery).filter(|_| typed.record)), print) {
            Err(DeliverError::Write(_)) => return Ok(Report::new(String::new(), Value::Null)),
            Err(error @ DeliverError::Store(_)) => warning(&error.to_string()),
            Ok(_) => {}
        }
        if is_output_closed() {
            return Ok(Report::new(String::new(), Value::Null));
        }
        std::thread::sleep(Duration::from_millis(typed.interval_ms.get()));
    }
}

/// One update, for programs or for people.
fn update_line(update: &FileUpdate, is_json: bool, conversation: &str, screen: Screen) -> String {
    match is_json {
        true => tool::update_json(update).to_string(),
        false => answers::updates::file(update, conversation, screen),
    }
}

/// The caller of a command, which has to name its conversation.
fn caller(conversation: &Option<String>) -> Result<Caller, ToolError> {
    conversation.as_ref().map(|_| Caller::direct()).ok_or_else(unnamed)
}

fn unnamed() -> ToolError {
    ToolError::required("conversation").hint("Name it with --conversation, as in earlier calls.")
}
