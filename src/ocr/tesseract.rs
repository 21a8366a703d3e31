//! The engine of the program `tesseract`: what it is asked, and what its answers say.
//!
//! Tesseract has to be told a language. If no setting names one, it reads a strip of the page in the language that the
//! document names, or else in English. The language of the text that it finds decides for the page. If it finds little,
//! it is asked for the script and the direction of the page.

use super::error::OcrError;
use super::geometry::Direction;
use super::gray::GrayImage;
use super::recogniser::{LineSample, RecognisedCharacter, RecognisedLine, Recogniser, readable};
use crate::limits::Deadline;

/// Runs the program.
pub trait TesseractRunner: Send + Sync {
    /// What the program prints for a picture.
    ///
    /// # Errors
    /// [`OcrError::Program`], [`OcrError::Stopped`].
    fn run(&self, image: &GrayImage, job: &TesseractJob) -> Result<String, OcrError>;
}

/// What the program is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TesseractJob {
    /// What it looks for.
    pub mode: TesseractMode,
    /// The language, by the program's name for it.
    pub language: String,
}

/// What the program looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TesseractMode {
    /// The direction and the script of a page.
    Orientation,
    /// The words of a page.
    Page,
    /// The words of one line.
    Line,
}

/// Words that are less certain are left out, from 0 to 1.
const MIN_WORD_CONFIDENCE: f32 = 0.3;

/// Lines with a lower mean confidence are left out.
const MIN_LINE_CONFIDENCE: f32 = 0.5;

/// A page that is read with less confidence may be turned, or in another script.
const CERTAIN: f32 = 0.7;

/// The strip of a page that decides about its language: the part above it, and its height, as shares of the page.
const STRIP: [f32; 2] = [0.3, 0.25];

/// The least letters that a language is guessed from.
const MIN_LETTERS: usize = 60;

/// The most rows of an answer, one for each line and word. A page of a newspaper has 10,000.
const MAX_ROWS: usize = 20_000;

/// The most bytes of words of an answer.
const MAX_WORD_BYTES: usize = 200_000;

/// Recognises text with the program.
pub struct TesseractRecogniser<R> {
    runner: R,
    /// The languages that it knows.
    languages: Vec<String>,
    /// The language that a setting names.
    chosen: Option<String>,
    /// Guesses the language of a text, by its ISO 639-3 code.
    guess: fn(&str) -> Option<&'static str>,
}

impl<R: TesseractRunner> TesseractRecogniser<R> {
    /// An engine with these languages, of which `chosen` is used if it is given.
    pub fn new(
        runner: R,
        languages: Vec<String>,
        chosen: Option<String>,
        guess: fn(&str) -> Option<&'static str>,
    ) -> Self {
        Self { runner, languages, chosen, guess }
    }

    fn read(&self, image: &GrayImage, language: &str) -> Result<Vec<RecognisedLine>, OcrError> {
        let job = TesseractJob { mode: TesseractMode::Page, language: language.to_owned() };
        parse_words(&self.runner.run(image, &job)?)
    }

    /// The language for a text that is not yet read.
    fn first_language<'a>(&'a self, said: Option<&'a str>) -> Result<&'a str, OcrError> {
        let chosen = self.chosen.as_deref().or(said);
        let english = self.languages.iter().find(|language| *language == "eng").or(self.languages.first());
        let missing = OcrError::NoEngine { reason: "tesseract has no language" };
        chosen.or(english.map(String::as_str)).ok_or(missing)
    }

    /// The language of a text, if the program has it.
    fn language_of(&self, text: &str) -> Option<&str> {
        if text.chars().filter(|character| character.is_alphabetic()).count() < MIN_LETTERS {
            return None;
        }
        self.installed(match (self.guess)(text)? {
            "cmn" => "chi_sim",
            "nob" => "nor",
            code => code,
        })
    }

    /// The language that a document says, if the program has it.
    fn said_language(&self, tag: Option<&str>) -> Option<&str> {
        tag.and_then(language_of_tag).and_then(|language| self.installed(language))
    }

    fn installed(&self, language: &str) -> Option<&str> {
        self.languages.iter().find(|known| *known == language).map(String::as_str)
    }

    /// The page turned upright, by quarter turns, and its language, if the program sees them.
    fn orientation(&self, image: &GrayImage) -> Result<(usize, Option<&str>), OcrError> {
        if self.installed("osd").is_none() {
            return Ok((0, None));
        }
        let job = TesseractJob { mode: TesseractMode::Orientation, language: "osd".to_owned() };
        // It fails on pages with few letters.
        let answer = match self.runner.run(image, &job) {
            Err(OcrError::Program { .. }) => return Ok((0, None)),
            answer => answer?,
        };
        let value = |name: &str| answer.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let degrees = value("Rotate:").and_then(|degrees| degrees.parse::<usize>().ok()).unwrap_or(0);
        let language = value("Script:").and_then(language_of_script).and_then(|language| self.installed(language));
        Ok((degrees / 90 % 4, language))
    }
}

/// The bytes of a language tag that are read; real tags are shorter (RFC 5646, 4.4.1).
const MAX_TAG_BYTES: usize = 35;

/// The language of a tag such as `de-DE` (RFC 5646), by the program's names.
fn language_of_tag(tag: &str) -> Option<&'static str> {
    let tag = tag.get(..tag.len().min(MAX_TAG_BYTES))?.to_ascii_lowercase();
    let mut parts = tag.split(['-', '_']);
    let language = parts.next()?;
    if language == "zh" {
        let is_traditional = parts.any(|part| ["hant", "tw", "hk", "mo"].contains(&part));
        return Some(if is_traditional { "chi_tra" } else { "chi_sim" });
    }
    LANGUAGES.iter().find(|(code, name)| language == *code || language == *name).map(|(_, name)| *name)
}

/// Languages by ISO 639-1, and by the program's names.
#[rustfmt::skip]
const LANGUAGES: &[(&str, &str)] = &[
    ("ar", "ara"), ("bg", "bul"), ("ca", "cat"), ("cs", "ces"), ("da", "dan"), ("de", "deu"), ("el", "ell"),
    ("en", "eng"), ("es", "spa"), ("et", "est"), ("eu", "eus"), ("fa", "fas"), ("fi", "fin"), ("fr", "fra"),
    ("ga", "gle"), ("gl", "glg"), ("he", "heb"), ("hi", "hin"), ("hr", "hrv"), ("hu", "hun"), ("id", "ind"),
    ("is", "isl"), ("it", "ita"), ("ja", "jpn"), ("ko", "kor"), ("lt", "lit"), ("lv", "lav"), ("nb", "nor"),
    ("nl", "nld"), ("nn", "nor"), ("no", "nor"), ("pl", "pol"), ("pt", "por"), ("ro", "ron"), ("ru", "rus"),
    ("sk", "slk"), ("sl", "slv"), ("sq", "sqi"), ("sr", "srp"), ("sv", "swe"), ("th", "tha"), ("tr", "tur"),
    ("uk", "ukr"), ("vi", "vie"),
];

/// The usual language of a script, by the program's names.
fn language_of_script(script: &str) -> Option<&'static str> {
    Some(match script {
        "Han" => "chi_sim",
        "Japanese" | "Katakana" | "Hiragana" => "jpn",
        "Hangul" | "Korean" => "kor",
        "Cyrillic" => "rus",
        "Greek" => "ell",
        "Arabic" => "ara",
        "Hebrew" => "heb",
        "Devanagari" => "hin",
        "Thai" => "tha",
        _ => return None,
    })
}

impl<R: TesseractRunner> Recogniser for TesseractRecogniser<R> {
    fn recognise(
        &self,
        image: &GrayImage,
        language: Option<&str>,
        deadline: &Deadline,
    ) -> Result<Vec<RecognisedLine>, OcrError> {
        let said = self.said_language(language);
        let first = self.first_language(said)?;
        let strip = image.strip(STRIP);
        let sample = self.read(&strip, first)?;
        deadline.check_now()?;
        let guess = match &self.chosen {
            Some(chosen) => Some(chosen.as_str()),
            None => self.language_of(&text_of(&sample)).or(said),
        };
        if let Some(language) = guess.filter(|_| confidence(&sample) >= CERTAIN) {
            return readable(self.read(image, language)?, MIN_LINE_CONFIDENCE);
        }
        let (quarters, script) = self.orientation(image)?;
        deadline.check_now()?;
        let upright = image.turned(quarters);
        let lines = self.read(&upright, script.filter(|_| self.chosen.is_none()).unwrap_or(first))?;
        let lines = match self.language_of(&text_of(&lines)) {
            Some(language) if self.chosen.is_none() && script.is_none() && language != first => {
                self.read(&upright, language)?
            }
            _ => lines,
        };
        let lines = readable(lines, MIN_LINE_CONFIDENCE)?.into_iter();
        Ok(lines.map(|line| turn_back(line, image, quarters)).collect())
    }

    fn read_line(&self, image: &GrayImage, sample: LineSample, expected: &str) -> Result<String, OcrError> {
        let language = self.language_of(expected).map_or_else(|| self.first_language(None), Ok)?;
        let job = TesseractJob { mode: TesseractMode::Line, language: language.to_owned() };
        let picture = image.cut_line(sample.origin, sample.length, sample.thickness);
        Ok(text_of(&parse_words(&self.runner.run(&picture, &job)?)?))
    }
}

fn text_of(lines: &[RecognisedLine]) -> String {
    let mut text = String::new();
    for line in readable_of(lines) {
        line.characters.iter().for_each(|character| text.push_str(&character.text));
        text.push('\n');
    }
    text
}

fn confidence(lines: &[RecognisedLine]) -> f32 {
    readable_of(lines).map(RecognisedLine::confidence).sum::<f32>() / readable_of(lines).count().max(1) as f32
}

fn readable_of(lines: &[RecognisedLine]) -> impl Iterator<Item = &RecognisedLine> {
    lines.iter().filter(|line| line.confidence() >= MIN_LINE_CONFIDENCE)
}

/// A line of a picture that was turned by quarters, on the picture itself.
fn turn_back(line: RecognisedLine, image: &GrayImage, quarters: usize) -> RecognisedLine {
    let [x, y] = line.place.origin;
    let (width, height) = (image.width() as f32, image.height() as f32);
    let right = Direction::RIGHT;
    let (origin, direction) = match quarters {
        0 => ([x, y], right),
        1 => ([y, height - x], right.quarter_turn().reverse()),
        2 => ([width - x, height - y], right.reverse()),
        _ => ([width - y, x], right.quarter_turn()),
    };
    RecognisedLine { place: LineSample { origin, direction, ..line.place }, ..line }
}

/// The lines of an answer in the program's format `tsv`.
fn parse_words(table: &str) -> Result<Vec<RecognisedLine>, OcrError> {
    let mut rows = table.lines();
    if !rows.next().is_some_and(|head| head.starts_with("level\t")) {
        return Err(OcrError::Program { reason: "its answer is no table".to_owned() });
    }
    let words = rows.clone().filter_map(|row| row.rsplit_once('\t')).map(|(_, word)| word.len()).sum::<usize>();
    if rows.clone().nth(MAX_ROWS).is_some() || words > MAX_WORD_BYTES {
        return Err(OcrError::Program { reason: "its answer is too long".to_owned() });
    }
    let mut lines: Vec<RecognisedLine> = Vec::new();
    for row in rows.filter_map(TableRow::parse) {
        match (row.level, lines.last_mut()) {
            (LINE, _) => lines.push(RecognisedLine { place: row.place(), characters: Vec::new() }),
            (WORD, Some(line)) if row.confidence >= MIN_WORD_CONFIDENCE => row.add_to(line),
            _ => {}
        }
    }
    Ok(lines)
}

/// The level of a line in the table, and that of a word.
const LINE: &str = "4";
const WORD: &str = "5";

/// A row of the table: a line or a word.
struct TableRow<'t> {
    level: &'t str,
    left: f32,
    top: f32,
    width: f32,
    height: f32,
    confidence: f32,
    text: &'t str,
}

impl<'t> TableRow<'t> {
    fn parse(row: &'t str) -> Option<Self> {
        let mut cells = row.splitn(12, '\t');
        let level = cells.next()?;
        // Page, block, paragraph, line and word.
        let mut cells = cells.skip(5);
        let mut number = || cells.next()?.parse::<f32>().ok().filter(|number| number.is_finite());
        let (left, top, width, height, confidence) = (number()?, number()?, number()?, number()?, number()?);
        let text = cells.next().unwrap_or_default().trim();
        Some(Self { level, left, top, width, height, confidence: confidence / 100.0, text })
    }

    fn place(&self) -> LineSample {
        let origin = [self.left, self.top + self.height / 2.0];
        LineSample { origin, direction: Direction::RIGHT, length: self.width, thickness: self.height }
    }

    /// Adds the letters of a word to its line, after a space. They share the width of the word.
    fn add_to(&self, line: &mut RecognisedLine) {
        let [start, _] = line.place.origin;
        let count = self.text.chars().count();
        let step = self.width / count.max(1) as f32;
        let mut characters: Vec<RecognisedCharacter> = Vec::with_capacity(count + 1);
        let character =
            |text: &str, along: f32| RecognisedCharacter { text: text.into(), along, confidence: self.confidence };
        if let Some(last) = line.characters.last() {
            characters.push(character(" ", f32::midpoint(last.along, self.left - start)));
        }
        let middles = (0..count).map(|at| self.left - start + (at as f32 + 0.5) * step);
        let mut buffer = [0; 4];
        let letters = self.text.chars().zip(middles);
        characters.extend(letters.map(|(letter, along)| character(letter.encode_utf8(&mut buffer), along)));
        line.characters.extend(characters);
    }
}

/// The arguments of the program for a job, to read a picture from its standard input.
#[must_use]
pub fn tesseract_arguments(job: &TesseractJob) -> Vec<String> {
    let mode = match job.mode {
        TesseractMode::Orientation => "0",
        TesseractMode::Page => "3",
        TesseractMode::Line => "7",
    };
    let mut arguments = vec!["stdin", "stdout", "-l", &job.language, "--psm", mode, "--dpi", "200"];
    if job.mode != TesseractMode::Orientation {
        arguments.extend(["-c", "tessedit_create_tsv=1"]);
    }
    arguments.into_iter().map(str::to_owned).collect()
}

/// The languages in the program's list of them. Names that are no file names are left out.
#[must_use]
pub fn parse_languages(list: &str) -> Vec<String> {
    let is_name = |line: &&str| {
        !line.is_empty() && line.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-/".contains(letter))
    };
    list.lines().skip(1).map(str::trim).filter(is_name).take(500).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use std::sync::Mutex;

    const HEAD: &str =
        "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n";

    #[test]
    fn a_table_becomes_lines_with_letters_in_their_places() {
        let table = format!(
            "{HEAD}4\t1\t1\t1\t1\t0\t100\t50\t200\t20\t-1\t\n5\t1\t1\t1\t1\t1\t100\t50\t40\t20\t96\tto\n\
             5\t1\t1\t1\t1\t2\t160\t50\t40\t20\t91\tbe\n5\t1\t1\t1\t1\t3\t250\t50\t40\t20\t12\t~;\n"
        );
        let lines = parse_words(&table).unwrap();
        let line = lines.first().unwrap();
        assert_eq!((lines.len(), line.place.origin, line.place.thickness), (1, [100.0, 60.0], 20.0));
        let letters = line.characters.iter().map(|found| (&*found.text, found.along)).collect::<Vec<_>>();
        assert_eq!(letters, [("t", 10.0), ("o", 30.0), (" ", 45.0), ("b", 70.0), ("e", 90.0)]);
    }

    #[test]
    fn another_answer_is_an_error_and_odd_rows_are_left_out() {
        assert!(matches!(parse_words("usage: something else"), Err(OcrError::Program { .. })));
        assert_eq!(parse_words(&format!("{HEAD}5\t1\n4\t1\t1\t1\t1\t0\tNaN\t1\t1\t1\t1\t\n5")).unwrap(), []);
    }

    #[test]
    fn an_answer_has_so_many_rows_and_letters_at_most() {
        let row = "4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t\n5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t96\t";
        let of_rows = |rows: usize| parse_words(&format!("{HEAD}{}", "1\n".repeat(rows)));
        assert_eq!(of_rows(MAX_ROWS), Ok(Vec::new()));
        assert!(matches!(of_rows(MAX_ROWS + 1), Err(OcrError::Program { .. })));
        let of_letters = |letters: usize| parse_words(&format!("{HEAD}{row}{}", "a".repeat(letters)));
        assert_eq!(of_letters(MAX_WORD_BYTES).map(|lines| lines.len()), Ok(1));
        assert!(matches!(of_letters(MAX_WORD_BYTES + 1), Err(OcrError::Program { .. })));
    }

    #[test]
    fn languages_are_names() {
        let list = "List of available languages in \"/usr\" (3):\nchi_sim\neng\nscript/Latin\n-l; rm\n";
        assert_eq!(parse_languages(list), ["chi_sim", "eng", "script/Latin"]);
    }

    /// Answers each job with the next of some answers, and notes the languages.
    struct Scripted {
        answers: Mutex<Vec<String>>,
        asked: Mutex<Vec<String>>,
    }

    impl TesseractRunner for &Scripted {
        fn run(&self, _: &GrayImage, job: &TesseractJob) -> Result<String, OcrError> {
            self.asked.lock().unwrap().push(job.language.clone());
            Ok(self.answers.lock().unwrap().remove(0))
        }
    }

    fn languages_asked(said: Option<&str>, answers: &[String]) -> Vec<String> {
        let runner = Scripted { answers: Mutex::new(answers.to_vec()), asked: Mutex::default() };
        let languages = ["deu", "eng", "jpn", "osd"].map(str::to_owned).to_vec();
        let guess = |text: &str| if text.contains("wohl") { Some("deu") } else { None };
        let engine = TesseractRecogniser::new(&runner, languages, None, guess);
        let image = GrayImage::new(4, 8, vec![255; 32]).unwrap();
        engine.recognise(&image, said, &Deadline::default()).unwrap();
        drop(engine);
        runner.asked.into_inner().unwrap()
    }

    fn table(text: &str, confidence: u8) -> String {
        format!("{HEAD}4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t\n5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t{confidence}\t{text}\n")
    }

    #[test]
    fn tags_of_languages_are_the_names_of_the_program() {
        for (tag, name) in [
            ("de-DE", Some("deu")),
            ("EN_us", Some("eng")),
            ("deu", Some("deu")),
            ("zh-Hant-HK", Some("chi_tra")),
            ("zh", Some("chi_sim")),
            ("", None),
            ("../eng", None),
            ("\u{e9}", None),
        ] {
            assert_eq!(language_of_tag(tag), name, "{tag}");
        }
    }

    #[test]
    fn the_language_of_a_strip_decides_and_a_page_that_is_hardly_read_is_looked_at_again() {
        let german = table(&"wohl".repeat(20), 90);
        let numbers = table("3,141,592", 96);
        let japanese = "Rotate: 0\nScript: Japanese\n".to_owned();
        assert_eq!(languages_asked(None, &[numbers.clone(), japanese, numbers.clone()]), ["eng", "osd", "jpn"]);

        assert_eq!(languages_asked(None, &[german.clone(), german]), ["eng", "deu"]);
        let vague = table("?!", 55);
        let osd = "Rotate: 90\nScript: Japanese\n".to_owned();
        assert_eq!(languages_asked(None, &[vague.clone(), osd, vague]), ["eng", "osd", "jpn"]);
        assert_eq!(languages_asked(Some("de-AT"), &[numbers.clone(), numbers.clone()]), ["deu", "deu"], "said");
        assert_eq!(languages_asked(Some("fr"), &[numbers.clone(), String::new(), numbers]), ["eng", "osd", "eng"]);
    }
}
