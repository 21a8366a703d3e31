//! The text of `pagewise doctor`.

use std::path::PathBuf;

use crate::cli::terminal::layout::{padded, width};
use crate::cli::terminal::screen::{Part, Screen};
use crate::cli::terminal::wording::{counted, path};
use crate::context::grouped;
use crate::tool::{DatabaseServerState, DoctorResult, LayerState, OcrState, StoreState};

/// What works here, a line each.
pub(crate) fn text(result: &DoctorResult, screen: Screen) -> String {
    let mut rows = vec![reading(result)];
    rows.extend(result.layers.iter().map(|layer| layer_row(layer, result.landlock_abi)));
    rows.push(Row::neutral("Data folder", folder(result.data_directory.as_ref())));
    rows.push(memory(result));
    rows.extend(result.store.iter().flat_map(store));
    rows.push(recognition(&result.ocr));
    rows.extend(result.ocr.remedy.map(|remedy| Row::neutral("  to enable it", remedy.to_owned())));
    let names = rows.iter().map(|row| width(&row.name)).max().unwrap_or_default();
    let head = format!("pagewise {} on {}", result.version, result.system);
    let lines = rows.iter().map(|row| row.line(names, screen));
    std::iter::once(screen.paint(Part::Heading, &head)).chain(lines).collect::<Vec<_>>().join("\n")
}

/// A name, its value, and what the value means.
struct Row {
    name: String,
    value: String,
    part: Option<Part>,
}

impl Row {
    fn neutral(name: &str, value: String) -> Self {
        Self { name: name.to_owned(), value, part: None }
    }

    fn judged(name: &str, value: &str, is_good: bool) -> Self {
        let part = if is_good { Part::Good } else { Part::Bad };
        Self { name: name.to_owned(), value: value.to_owned(), part: Some(part) }
    }

    fn line(&self, names: usize, screen: Screen) -> String {
        let value = self.part.map_or_else(|| self.value.clone(), |part| screen.paint(part, &self.value));
        format!("{}  {value}", padded(&self.name, names))
    }
}

fn reading(result: &DoctorResult) -> Row {
    let name = "PDFs are read";
    match (&result.worker_problem, result.workers) {
        (Some(problem), _) => Row::judged(name, problem, false),
        (None, true) => Row::judged(name, "in separate processes", true),
        (None, false) => Row::judged(name, "in this process, without a sandbox", false),
    }
}

fn layer_row(layer: &LayerState, landlock_abi: Option<u32>) -> Row {
    let name = format!("  {}", layer.name);
    match (layer.name, layer.active, landlock_abi) {
        ("landlock", true, Some(version)) => Row::judged(&name, &format!("active (version {version})"), true),
        (_, true, _) => Row::judged(&name, "active", true),
        (_, false, _) => Row::judged(&name, "missing on this system", false),
    }
}

fn folder(directory: Option<&PathBuf>) -> String {
    directory.map_or_else(|| "none".to_owned(), |folder| path(folder))
}

fn memory(result: &DoctorResult) -> Row {
    let problem = result.store_problem.as_deref();
    Row::judged("Store of conversations", problem.unwrap_or("works"), problem.is_none())
}

fn recognition(state: &OcrState) -> Row {
    let name = "OCR of scans";
    let folder = folder(state.folder.as_ref());
    match (&state.problem, state.engine) {
        (Some(problem), "models") => Row::judged(name, &format!("no: {problem} ({folder})"), false),
        (Some(problem), _) => Row::judged(name, &format!("no: {problem} ({})", state.languages.join(", ")), false),
        (None, "models") => Row::judged(name, &format!("by the models in {folder}"), true),
        (None, "tesseract") => Row::judged(name, &format!("by tesseract ({})", state.languages.join(", ")), true),
        (None, _) => {
            let missing = || format!("no: neither tesseract, nor models in {folder}");
            Row::neutral(name, state.off.map_or_else(missing, |cause| format!("off: {cause}")))
        }
    }
}

fn store(state: &StoreState) -> Vec<Row> {
    let StoreState { engine, place, schema, read_us, record_us, conversations, holdings, server } = state;
    let held = format!("{}, {}", counted_u64(*conversations, "conversation"), counted_u64(*holdings, "page"));
    let mut rows = vec![
        Row::neutral("  database", format!("{engine}, schema {schema}")),
        Row::neutral("  place", place.clone()),
        Row::neutral("  holds", held),
        Row::neutral("  a read", format!("{} µs (median)", grouped(*read_us))),
        Row::neutral("  a record", format!("{} µs (median)", grouped(*record_us))),
    ];
    rows.extend(server.iter().flat_map(server_rows));
    rows
}

fn counted_u64(count: u64, noun: &str) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), noun)
}

fn server_rows(server: &DatabaseServerState) -> [Row; 5] {
    let clock = match server.clock_ahead_seconds {
        0 => "agrees with this machine's".to_owned(),
        ahead => format!("{ahead} s ahead of this machine's"),
    };
    let connections = format!("at most {} from this program, {} in all", server.max_pool, server.max_connections);
    [
        Row::neutral("  encryption", server.tls.clone().unwrap_or_else(|| "none".to_owned())),
        Row::neutral("  user", format!("{}, who may read and write every table", server.user)),
        Row::neutral("  connections", connections),
        Row::neutral("  clock", clock),
        Row::neutral("  commits wait for", server.synchronous_commit.clone()),
    ]
}
