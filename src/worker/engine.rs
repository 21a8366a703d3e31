//! The engine that recognises text: its parts, which become an engine when a page first needs it.
//!
//! A worker cannot open files, so its parent opens the models and passes their descriptors. They come from one folder that
//! a setting names; nothing in a document becomes part of a path.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::fonts::read_whole;
use super::settings::WorkerSettings;
#[cfg(all(unix, not(pagewise_portable)))]
use super::tesseract::Tesseract;
use pagewise_document::run_contained;
use pagewise_ocr::{ModelFiles, OcrError, Recogniser, load_models};

/// The largest file of a model. The largest of PP-OCR has 180 MB.
const MAX_MODEL_BYTES: u64 = 256 << 20;

/// The most files of the folder that are looked at.
const MAX_FILES: usize = 1_000;

/// The most models of a part: one that is fast, and others for what it is not sure of.
const MAX_MODELS: usize = 3;

/// The parts of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ModelPart {
    /// Finds text in a picture.
    Detection,
    /// Reads a line.
    Recognition,
    /// Lists the characters of the model that reads.
    Characters,
}

impl ModelPart {
    const ALL: [Self; 3] = [Self::Detection, Self::Recognition, Self::Characters];

    /// Whether a file of this name is the part: `det` or `rec` and `.onnx`, `dict` and `.txt`.
    fn is_named(self, name: &str) -> bool {
        let (part, extension) = match self {
            Self::Detection => ("det", ".onnx"),
            Self::Recognition => ("rec", ".onnx"),
            Self::Characters => ("dict", ".txt"),
        };
        name.contains(part) && name.ends_with(extension)
    }
}

/// An open model file.
#[derive(Debug)]
pub(crate) struct OpenModel {
    pub(crate) part: ModelPart,
    pub(crate) file: File,
    /// Its length in bytes.
    pub(crate) length: u64,
}

impl OpenModel {
    fn open(part: ModelPart, path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let length = file.metadata().ok().filter(fs::Metadata::is_file)?.len();
        Some(Self { part, file, length })
    }

    fn read(&self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.length).ok().filter(|_| self.length <= MAX_MODEL_BYTES)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).ok()?;
        bytes.resize(length, 0);
        read_whole(&self.file, &mut bytes).ok()?;
        Some(bytes)
    }
}

/// The models in a folder, the smallest of each part first. Without both parts there are none.
pub(crate) fn open_models(folder: &Path) -> Vec<OpenModel> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().take(MAX_FILES).flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let open = |part: ModelPart| {
        let is_named = |path: &&PathBuf| path.file_name().is_some_and(|name| part.is_named(&name.to_string_lossy()));
        let mut models: Vec<OpenModel> =
            paths.iter().filter(is_named).filter_map(|path| OpenModel::open(part, path)).collect();
        // Small models are fast.
        models.sort_by_key(|model| model.length);
        models.truncate(MAX_MODELS);
        models
    };
    let found: Vec<OpenModel> = ModelPart::ALL.into_iter().flat_map(open).collect();
    let has = |part: ModelPart| found.iter().any(|model| model.part == part);
    if has(ModelPart::Detection) && has(ModelPart::Recognition) { found } else { Vec::new() }
}

/// What recognises text here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OcrEngine {
    /// The models in a folder, and why they cannot be used, if they cannot.
    Models(PathBuf, Option<String>),
    /// The program `tesseract`, with these languages, and why it cannot read, if it cannot.
    Tesseract(Vec<String>, Option<String>),
    /// Nothing. Models would be looked for in this folder.
    None {
        folder: Option<PathBuf>,
        /// Why the program is not used, if it may not be.
        off: Option<&'static str>,
        /// How to get an engine here.
        remedy: &'static str,
    },
}

impl OcrEngine {
    /// The models in a folder, or else the program of the system if workers may use it. `problem` tries the models.
    #[must_use]
    pub fn find(
        folder: Option<&Path>,
        workers: Option<&WorkerSettings>,
        problem: impl FnOnce(&Path) -> Option<String>,
    ) -> Self {
        if let Some(folder) = folder.filter(|folder| cfg!(feature = "ocr") && !open_models(folder).is_empty()) {
            return Self::Models(folder.to_owned(), problem(folder));
        }
        match program_of(workers) {
            Ok(languages) => {
                let chosen = workers.and_then(|workers| workers.ocr_language.as_deref());
                Self::of_program(languages, chosen)
            }
            Err((off, remedy)) => Self::None { folder: folder.map(Path::to_path_buf), off, remedy },
        }
    }

    /// The program with these languages, one of which may be `chosen`.
    fn of_program(languages: Vec<String>, chosen: Option<&str>) -> Self {
        let unknown = chosen.and_then(|chosen| unknown_language(chosen, &languages));
        let problem = unknown.map(|unknown| format!("tesseract does not have the language {unknown} of ocr_language"));
        Self::Tesseract(languages, problem)
    }

    /// Loads the models in a folder, in this process. Returns why they cannot be used; `None` if they can.
    #[must_use]
    pub fn problem_of(folder: &Path) -> Option<String> {
        Engine::in_folder(folder).problem()
    }
}

/// The first of the languages `chosen` (`eng+fra`) that is not among those known.
pub(crate) fn unknown_language<'c>(chosen: &'c str, known: &[String]) -> Option<&'c str> {
    chosen.split('+').find(|language| !known.iter().any(|known| known == language))
}

/// Why the program of this system is not used, if it may not be, and how to get it.
type MissingProgram = (Option<&'static str>, &'static str);

/// The languages of the program of this system.
#[cfg(all(unix, not(pagewise_portable)))]
fn program_of(workers: Option<&WorkerSettings>) -> Result<Vec<String>, MissingProgram> {
    let workers = workers.ok_or((Some("tesseract is not used with --no-sandbox"), "run without --no-sandbox"))?;
    if !workers.uses_tesseract {
        return Err((Some("ocr_tesseract is false"), "set ocr_tesseract=true"));
    }
    let languages = Tesseract::find(workers).map(|found| found.languages().to_vec());
    languages.ok_or_else(|| (None, Tesseract::installation()))
}

#[cfg(any(not(unix), pagewise_portable))]
fn program_of(_: Option<&WorkerSettings>) -> Result<Vec<String>, MissingProgram> {
    let remedy = "build it with the feature ocr, and put models into the folder";
    Err((Some("tesseract is not used on this system"), remedy))
}

/// A part of an engine, or a whole one.
pub(crate) enum EnginePart {
    Model(OpenModel),
    #[cfg_attr(any(not(unix), pagewise_portable), allow(dead_code, reason = "there are only models"))]
    Whole(Arc<dyn Recogniser>),
}

/// Gives the parts of an engine by their number, until there are no more.
type PartSource = dyn Fn(usize) -> Option<EnginePart> + Send + Sync;

/// An engine that is loaded when it is first used.
#[derive(Default)]
pub(crate) struct Engine {
    source: Option<Box<PartSource>>,
    loaded: Mutex<LoadedEngine>,
}

#[derive(Default)]
struct LoadedEngine {
    parts: usize,
    engine: Option<Result<Arc<dyn Recogniser>, OcrError>>,
}

impl Engine {
    /// The engine of the models in a folder.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self::of(move |number| open_models(&folder).into_iter().nth(number).map(EnginePart::Model))
    }

    /// An engine of these parts. They are asked for each time that it is used, beginning with the first that is not known.
    pub(crate) fn of(parts: impl Fn(usize) -> Option<EnginePart> + Send + Sync + 'static) -> Self {
        Self { source: Some(Box::new(parts)), loaded: Mutex::default() }
    }

    /// The engine.
    ///
    /// # Errors
    /// [`OcrError::NoEngine`], [`OcrError::Model`].
    pub(crate) fn recogniser(&self) -> Result<Arc<dyn Recogniser>, OcrError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let known = loaded.parts;
        let parts: Vec<EnginePart> = self.source.iter().flat_map(|source| (known..).map_while(source)).collect();
        loaded.parts = known.saturating_add(parts.len());
        loaded.engine.get_or_insert_with(|| load(parts)).clone()
    }

    /// Loads every model. Returns why they cannot be used; `None` if they can.
    pub(crate) fn problem(&self) -> Option<String> {
        match run_contained(|| self.recogniser()?.check()) {
            Ok(checked) => checked.err().map(|error| error.to_string()),
            Err(failure) => Some(failure.to_string()),
        }
    }
}

fn load(parts: Vec<EnginePart>) -> Result<Arc<dyn Recogniser>, OcrError> {
    let mut models = Vec::new();
    for part in parts {
        match part {
            EnginePart::Model(model) => models.push(model),
            EnginePart::Whole(engine) => return Ok(engine),
        }
    }
    let read = |part: ModelPart| models.iter().filter(move |model| model.part == part).filter_map(OpenModel::read);
    let detection = read(ModelPart::Detection).next();
    let detection = detection.ok_or(OcrError::NoEngine { reason: "its models are missing or cannot be read" })?;
    let characters = read(ModelPart::Characters).filter_map(|list| String::from_utf8(list).ok()).collect();
    load_models(ModelFiles { detection, recognition: read(ModelPart::Recognition).collect(), characters })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn a_chosen_language_that_the_program_does_not_have_is_a_problem() {
        let problem = |chosen| match OcrEngine::of_program(vec!["deu".to_owned(), "eng".to_owned()], chosen) {
            OcrEngine::Tesseract(_, problem) => problem,
            _ => None,
        };
        assert_eq!([problem(None), problem(Some("eng+deu"))], [None, None]);
        let unknown = problem(Some("eng+xyz"));
        assert_eq!(unknown.as_deref(), Some("tesseract does not have the language xyz of ocr_language"));
    }

    #[test]
    fn models_are_found_by_their_names_and_only_together() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| fs::write(folder.path().join(name), name).unwrap();
        write("PP-OCRv6_det_tiny.onnx");
        write("readme.txt");
        assert!(open_models(folder.path()).is_empty());
        write("PP-OCRv6_rec_tiny.onnx");
        write("tiny_dict.txt");
        let parts = open_models(folder.path()).into_iter().map(|model| model.part).collect::<Vec<_>>();
        assert_eq!(parts, ModelPart::ALL);
        assert!(open_models(Path::new("/nowhere")).is_empty());
    }

    #[test]
    fn files_that_are_no_models_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("det.onnx"), "no model").unwrap();
        fs::write(folder.path().join("rec.onnx"), [0xff; 64]).unwrap();
        assert!(Engine::in_folder(folder.path()).recogniser().is_err());
        let none = Engine::default().recogniser().err();
        assert!(matches!(none, Some(OcrError::NoEngine { .. })), "{none:?}");
    }
}
