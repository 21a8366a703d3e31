//! The engine of the program `tesseract`: what it is asked, and what its answers say.
//!
//! It gets the page evenly lit and level: without that, it reads half of a photograph, and little of a table that is tilted.
//!
//! Tesseract has to be told a language. A setting may name it. Otherwise the engine reads a strip of the page, in the
//! language that the document names or in English. If that gives nonsense, it tries Japanese or Chinese. The words that it
//! finds tell the language of the page. If no words are found, the program is asked for the script and the direction of the
//! page, which takes as long as reading half of it.

mod language;
mod table;

use serde::{Deserialize, Serialize};

use self::language::{east_asian_language, is_latin, language_of_script, language_of_tag};
use self::table::parse_words;
use super::error::OcrError;
use super::geometry::share_of;
use super::gray::GrayImage;
use super::light::evenly_lit;
use super::recogniser::{LineReading, LineSample, RecognisedLine, Recogniser, readable};
use super::upright::UprightPage;
use pagewise_base::limits::Deadline;

/// Runs the program.
pub trait TesseractRunner: Send + Sync {
    /// What the program prints for a picture.
    ///
    /// # Errors
    /// [`OcrError::Program`], [`OcrError::Stopped`].
    fn run(&self, image: &GrayImage, job: &TesseractJob) -> Result<String, OcrError>;
}

/// What the program is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TesseractJob {
    /// What it looks for.
    pub mode: TesseractMode,
    /// The language, by the program's name for it.
    pub language: String,
}

/// What the program looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TesseractMode {
    /// The direction and the script of a page.
    Orientation,
    /// The words of a page.
    Page,
    /// The words of one line.
    Line,
}

/// A page with as many letters that are so certain, and more of them than of others, is read well.
const SURE_LETTERS: usize = 60;
const SURE: f32 = 0.8;

/// On other pages, words and lines that are less certain are left out: they may be parts of pictures.
const MIN_WORD_CONFIDENCE: f32 = 0.3;
const MIN_LINE_CONFIDENCE: f32 = 0.5;

/// On a page that is read with less, such as one of handwriting, lines that are not sure or have fewer characters are left out.
const MIN_PAGE_CONFIDENCE: f32 = 0.5;
const MIN_LINE: usize = 4;

/// A line of ink is darker than its paper by this share at least. What shines through a leaf is fainter.
const MIN_CONTRAST: f32 = 0.3;

/// The darkest pixels of a line that are its ink, and the share of its pixels that are darker than its paper.
const INK: f32 = 0.03;
const PAPER: f32 = 0.8;

/// A strip that is read with less confidence may be Chinese or Japanese: between digits and words in English, such
/// characters are read with up to 0.7. With still less, the page may be turned, or in another script.
const CERTAIN: f32 = 0.75;
const LIKELY: f32 = 0.6;

/// The same for strips that are read as Japanese or Chinese. Chinese is read as Japanese with 0.45 and more, and Japanese
/// upside down with 0.3.
const LIKELY_EAST_ASIAN: f32 = 0.4;

/// The strip of a page that decides about its language has this share of its height.
const STRIP: f32 = 0.12;

/// The least letters that a language is guessed from.
const MIN_LETTERS: usize = 60;

/// The least characters of an unknown page that tell Chinese and Japanese.
const MIN_CHARACTERS: usize = 20;

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

    /// What a strip of a page tells of it.
    fn sample<'a>(
        &'a self,
        page: &GrayImage,
        first: &'a str,
        said: Option<&'a str>,
    ) -> Result<PageSample<'a>, OcrError> {
        let strip = page.busiest_strip(STRIP);
        let lines = self.read(&strip, first)?;
        let confidence = confidence(&lines);
        let lines = certain(lines);
        let guess = self.chosen.as_deref().or_else(|| self.language_of(&text_of(&lines))).or(said);
        if guess.is_some() && confidence >= CERTAIN {
            return Ok(PageSample { language: guess, nearest: None, confidence, lines });
        }
        let mut nearest = None;
        if let Some(language) = self.tried_east_asian() {
            let lines = self.read(&strip, language)?;
            let other = self::confidence(&lines);
            let lines = certain(lines);
            let is_likely = other >= LIKELY_EAST_ASIAN;
            if let Some(language) = self.east_asian_language(&lines).filter(|_| is_likely) {
                return Ok(PageSample { language: Some(language), nearest, confidence: other, lines });
            }
            let has_any = east_asian_language(&text_of(&lines), 1).is_some();
            nearest = Some(language).filter(|_| is_likely && other > confidence && has_any);
        }
        Ok(PageSample { language: guess.filter(|_| confidence >= LIKELY), nearest, confidence, lines })
    }

    /// The language in which Chinese and Japanese are looked for, if no setting names one.
    fn tried_east_asian(&self) -> Option<&str> {
        let installed = ["jpn", "chi_sim"].into_iter().find_map(|language| self.installed(language));
        installed.filter(|_| self.chosen.is_none())
    }

    /// Whether lines are Chinese or Japanese, if the program has that language.
    fn east_asian_language(&self, lines: &[RecognisedLine]) -> Option<&str> {
        east_asian_language(&text_of(lines), MIN_CHARACTERS).and_then(|language| self.installed(language))
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

/// What a strip of a page tells of it.
struct PageSample<'a> {
    /// The language of the page; `None` if it is not known: the page may be upside down, or in another script.
    language: Option<&'a str>,
    /// A language that reads the strip better than the first one, although too little of it to be sure.
    nearest: Option<&'a str>,
    confidence: f32,
    /// The lines of the strip that are certain.
    lines: Vec<RecognisedLine>,
}

/// The least lines of a strip that tell how high lines are.
const MIN_LINES: usize = 3;

impl PageSample<'_> {
    /// Whether its lines are level. The program reads lines that run up or down too, and says nothing of it.
    fn is_level(&self) -> bool {
        let wide = self.lines.iter().filter(|line| line.place.length > line.place.thickness).count();
        2 * wide >= self.lines.len()
    }

    /// The height of its lower lines, in pixels; `None` if there are few lines.
    fn line_height(&self) -> Option<f32> {
        let mut heights: Vec<f32> = self.lines.iter().map(|line| line.place.thickness).collect();
        heights.sort_by(f32::total_cmp);
        heights.get(heights.len() / 4).copied().filter(|_| heights.len() >= MIN_LINES)
    }
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
        let evenly_lit = evenly_lit(image);
        let image = evenly_lit.as_ref().unwrap_or(image);
        let page = UprightPage::of(image, 0);
        if !page.picture.has_strokes() {
            // A blank page has no language, and no way up.
            return found_on(&page, self.read(&page.picture, first)?);
        }
        let sample = self.sample(&page.picture, first, said)?;
        deadline.check_now()?;
        if let Some(language) = sample.language.filter(|_| sample.is_level()) {
            let page = page.with_lines_of(sample.line_height());
            return found_on(&page, self.read(&page.picture, language)?);
        }
        let (quarters, script) = self.orientation(&page.picture)?;
        deadline.check_now()?;
        let turned = if quarters == 0 { None } else { Some(UprightPage::of(image, quarters)) };
        let turned =
            turned.map(|page| self.sample(&page.picture, first, said).map(|sample| (page, sample))).transpose()?;
        deadline.check_now()?;
        // What the program says of a page that is hard to read may be wrong: then it is read worse than before.
        let is_better = |other: &PageSample<'_>| other.language.is_some() || other.confidence >= sample.confidence;
        let (page, sample, script) = match turned {
            Some((page, sample)) if is_better(&sample) => {
                if let Some(language) = sample.language {
                    let page = page.with_lines_of(sample.line_height());
                    return found_on(&page, self.read(&page.picture, language)?);
                }
                (page, sample, script)
            }
            Some(_) => (page, sample, None),
            None => (page, sample, script),
        };
        let other = script.filter(|_| self.chosen.is_none()).or(sample.nearest);
        let tried = other.or(sample.language).unwrap_or(first);
        let lines = self.read(&page.picture, tried)?;
        let certain = certain(lines.clone());
        let language = match (other, &self.chosen) {
            (Some(_), _) => self.east_asian_language(&certain),
            (None, None) => self.language_of(&text_of(&certain)),
            (None, Some(_)) => None,
        };
        let is_unknown = other.is_none() && language.is_none() && confidence(&lines) < CERTAIN;
        let (tried, lines, language) = match self.tried_east_asian().filter(|_| is_unknown) {
            Some(east_asian) => {
                deadline.check_now()?;
                let read = self.read(&page.picture, east_asian)?;
                let found = self.east_asian_language(&self::certain(read.clone()));
                match found.filter(|_| confidence(&read) > confidence(&lines).max(LIKELY_EAST_ASIAN)) {
                    Some(found) => (east_asian, read, Some(found)),
                    None => (tried, lines, None),
                }
            }
            None => (tried, lines, language),
        };
        match language.filter(|language| *language != tried) {
            Some(language) => found_on(&page, self.read(&page.picture, language)?),
            None => found_on(&page, lines),
        }
    }

    fn read_line(
        &self,
        image: &GrayImage,
        sample: LineSample,
        expected: &str,
        text: &str,
    ) -> Result<Option<LineReading>, OcrError> {
        let language = match east_asian_language(expected, 1) {
            Some(language) => self.installed(language),
            // A line of Latin letters on a Chinese or Japanese page.
            None if east_asian_language(text, 1).is_some() => Some(self.first_language(None)?),
            None => self.language_of(text).or(if is_latin(text) { Some(self.first_language(None)?) } else { None }),
        };
        let Some(language) = language else { return Ok(None) };
        let job = TesseractJob { mode: TesseractMode::Line, language: language.to_owned() };
        let picture = image.cut_line(sample.origin, sample.length, sample.thickness);
        let lines = certain(parse_words(&self.runner.run(&picture, &job)?)?);
        Ok(Some(LineReading { text: text_of(&lines), confidence: confidence(&lines) }))
    }
}

/// What was read of a page, on its own picture.
fn found_on(page: &UprightPage<'_>, lines: Vec<RecognisedLine>) -> Result<Vec<RecognisedLine>, OcrError> {
    let lines = match is_well_read(&lines) {
        true => lines,
        false => {
            let is_ink = |line: &RecognisedLine| line.confidence() >= SURE || !is_faint(&page.picture, line.place);
            let (least, length) = match confidence(&lines) < MIN_PAGE_CONFIDENCE {
                true => (SURE, MIN_LINE),
                false => (MIN_LINE_CONFIDENCE, 0),
            };
            let lines = without_uncertain_words(lines).into_iter().filter(is_ink).collect();
            let lines = readable(lines, least)?;
            lines.into_iter().filter(|line| line.characters.len() >= length).collect()
        }
    };
    Ok(lines.into_iter().filter(|line| !line.characters.is_empty()).map(|line| page.on_page(line)).collect())
}

/// Whether a line is hardly darker than its paper, as that of the other side of a leaf that shines through.
fn is_faint(picture: &GrayImage, place: LineSample) -> bool {
    let line = picture.cut_line(place.origin, place.length, place.thickness);
    let [ink, paper] = [INK, PAPER].map(|share| f32::from(share_of(line.pixels().to_vec(), share)));
    ink > (1.0 - MIN_CONTRAST) * paper
}

fn is_well_read(lines: &[RecognisedLine]) -> bool {
    let letters = || lines.iter().flat_map(|line| &line.characters);
    let sure = letters().filter(|letter| letter.confidence >= SURE).count();
    sure >= SURE_LETTERS && 2 * sure > letters().count()
}

fn without_uncertain_words(mut lines: Vec<RecognisedLine>) -> Vec<RecognisedLine> {
    for line in &mut lines {
        // A space is as certain as the word after it.
        line.characters.retain(|character| character.confidence >= MIN_WORD_CONFIDENCE);
        if line.characters.first().is_some_and(|first| &*first.text == " ") {
            line.characters.remove(0);
        }
    }
    lines
}

/// The lines that are certain enough to tell something about the page.
fn certain(lines: Vec<RecognisedLine>) -> Vec<RecognisedLine> {
    let lines = without_uncertain_words(lines).into_iter();
    lines.filter(|line| line.confidence() >= MIN_LINE_CONFIDENCE).collect()
}

fn text_of(lines: &[RecognisedLine]) -> String {
    let mut text = String::new();
    for line in lines {
        line.characters.iter().for_each(|character| text.push_str(&character.text));
        text.push('\n');
    }
    text
}

/// The mean confidence of all characters, also of those that are hardly read.
fn confidence(lines: &[RecognisedLine]) -> f32 {
    let all = || lines.iter().flat_map(|line| &line.characters).map(|character| character.confidence);
    all().sum::<f32>() / all().count().max(1) as f32
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

/// The languages in the list that the program prints. Names that could not be names of files are left out.
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
    use super::table::HEAD;
    use super::*;
    use std::sync::Mutex;

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
        let image = GrayImage::new(40, 80, (0..3_200).map(|at| if at % 8 < 4 { 0 } else { 255 }).collect()).unwrap();
        engine.recognise(&image, said, &Deadline::default()).unwrap();
        drop(engine);
        runner.asked.into_inner().unwrap()
    }

    fn table(text: &str, confidence: u8) -> String {
        format!("{HEAD}4\t1\t1\t1\t1\t0\t0\t0\t90\t9\t-1\t\n5\t1\t1\t1\t1\t1\t0\t0\t90\t9\t{confidence}\t{text}\n")
    }

    #[test]
    fn the_language_of_a_strip_decides_and_a_page_that_is_hardly_read_is_looked_at_again() {
        let german = table(&"wohl".repeat(20), 90);
        assert_eq!(languages_asked(None, &[german.clone(), german.clone()]), ["eng", "deu"]);
        let blurred = table(&"wohl".repeat(20), 65);
        assert_eq!(languages_asked(None, &[blurred.clone(), german.clone(), german.clone()]), ["eng", "jpn", "deu"]);
        let japanese = table(&"\u{6771}\u{3042}".repeat(20), 90);
        assert_eq!(languages_asked(None, &[blurred, japanese.clone(), japanese]), ["eng", "jpn", "jpn"]);

        let (numbers, vague) = (table("3,141,592", 96), table("?!", 55));
        let osd = |degrees: u16| format!("Rotate: {degrees}\nScript: Japanese\n");
        let asked = ["eng", "jpn", "osd", "jpn"];
        assert_eq!(languages_asked(None, &[numbers.clone(), numbers.clone(), osd(0), numbers.clone()]), asked);
        let strips = [vague.clone(), vague.clone()];
        let turned = [&strips[..], &[osd(90)], &strips, &[vague]].concat();
        assert_eq!(languages_asked(None, &turned), ["eng", "jpn", "osd", "eng", "jpn", "jpn"]);
        let upwards = german.replace("\t90\t9\t", "\t9\t90\t");
        let turned = [upwards, osd(90), german.clone(), german.clone()];
        assert_eq!(languages_asked(None, &turned), ["eng", "osd", "eng", "deu"], "lines that run upwards");
        assert_eq!(languages_asked(Some("de-AT"), &[numbers.clone(), numbers.clone()]), ["deu", "deu"], "said");
        let unknown = [numbers.clone(), numbers.clone(), String::new(), numbers.clone()];
        assert_eq!(languages_asked(Some("fr"), &unknown), ["eng", "jpn", "osd", "eng"]);
    }

    #[test]
    fn what_is_hardly_read_of_handwriting_is_no_text() {
        let page = |sure: &str| {
            let line = |text: &str, confidence: u8| table(text, confidence).replace(HEAD, "");
            let rest = (0..9).map(|_| line("scrawled", 40)).collect::<String>();
            format!("{HEAD}{}{}{rest}", line("blotted words", 55), line(sure, 90))
        };
        let read = |sure: &str| {
            let picture = GrayImage::new(100, 100, (0..10_000).map(|at| if at % 8 < 4 { 0 } else { 255 }).collect());
            let picture = picture.unwrap();
            let lines = parse_words(&page(sure)).unwrap();
            found_on(&UprightPage::of(&picture, 0), lines).map(|lines| text_of(&lines))
        };
        assert_eq!(read("Arch").unwrap(), "Arch\n");
        assert_eq!(read("い").unwrap(), "");
    }

    #[test]
    fn a_page_that_english_hardly_reads_is_read_as_japanese_and_no_page_is_turned_to_be_read_worse() {
        let (numbers, vague, worse) = (table("3,141,592", 96), table("?!", 55), table("?!", 30));
        let japanese = table(&"\u{6771}\u{3042}".repeat(20), 90);
        let strips = [numbers.clone(), numbers];
        let read = [&strips[..], &[String::new(), vague.clone(), japanese.clone()]].concat();
        assert_eq!(languages_asked(None, &read), ["eng", "jpn", "osd", "eng", "jpn"]);
        let few = [vague.clone(), table("\u{6771}\u{3042}", 70), String::new(), japanese.clone()];
        assert_eq!(languages_asked(None, &few), ["eng", "jpn", "osd", "jpn"]);
        let turned = [&strips[..], &["Rotate: 180\nScript: Han\n".to_owned()], &[worse.clone(), worse]].concat();
        let turned = [&turned[..], &[vague, japanese]].concat();
        assert_eq!(languages_asked(None, &turned), ["eng", "jpn", "osd", "eng", "jpn", "eng", "jpn"]);
    }
}
