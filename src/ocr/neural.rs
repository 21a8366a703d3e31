//! The models: one finds lines, another reads them.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rten::{Dimension, Model, ModelOptions, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::decoding::Alphabet;
use super::doubt::doubtful_parts;
use super::error::OcrError;
use super::geometry::{Direction, whole};
use super::gray::{GrayImage, Pyramid};
use super::light::is_unevenly_lit;
use super::recogniser::{
    LineReading, LineSample, ModelFiles, RecognisedCharacter, RecognisedLine, Recogniser, readable,
};
use super::regions::{TextRegion, find_regions, usual_thickness};
use pagewise_base::limits::Deadline;

/// The longer side of the picture in which lines are looked for, in pixels. A page of body text needs no more.
const DETECTION_SIDE: f32 = 960.0;

/// The same for small print.
const FINE_DETECTION_SIDE: f32 = 1_536.0;

/// The same for photographs, whose pages do not fill the picture.
const PHOTOGRAPH_SIDE: f32 = 1_280.0;

/// Lines thinner than this in the first picture are small print.
const SMALL_PRINT: f32 = 13.0;

/// The sides of pictures are multiples of this: the model halves them five times.
const DETECTION_STEP: usize = 32;

/// The height of a line's picture, as the model was trained.
const LINE_HEIGHT: usize = 48;

/// The widest picture of a line. Longer lines are squeezed.
const MAX_LINE_WIDTH: usize = 3_200;

/// The widths of lines' pictures are multiples of this, the model's step.
const WIDTH_STEP: usize = 8;

/// Lines with a lower mean confidence are left out: they are dirt, or letters that nobody can read.
const MIN_CONFIDENCE: f32 = 0.6;

/// The longest lines of a page tell which way is up.
const WITNESSES: usize = 3;

/// The part of a witness that is read, in heights of the line.
const WITNESS_LENGTH: f32 = 10.0;

/// A model that reads the witnesses with this confidence knows their script, and they stand upright.
const CERTAIN: f32 = 0.9;

/// Characters of a mean width of so many heights of the line are wide.
const WIDE: f32 = 0.4;

/// The pictures of lines with wide characters are narrowed by this for slower models.
const NARROWING: f32 = 0.75;

/// Recognises text with models in the format ONNX.
pub struct NeuralRecogniser {
    detection: Model,
    readers: Vec<LineReader>,
    options: RunOptions,
}

/// How the lines of a page are read.
#[derive(Clone, Copy)]
struct ReadingPlan {
    /// The direction of most lines.
    direction: Direction,
    /// The first model that knows the script.
    reader: usize,
    /// The factor of the width of lines' pictures.
    narrowing: f32,
}

impl ReadingPlan {
    fn new(direction: Direction) -> Self {
        Self { direction, reader: 0, narrowing: 1.0 }
    }
}

/// A model that reads lines, and its characters. It is loaded when it is first needed.
struct LineReader {
    file: Mutex<Vec<u8>>,
    loaded: OnceLock<Result<LoadedReader, OcrError>>,
    /// Lists of characters, of which one may be that of the model.
    lists: Arc<Vec<String>>,
}

struct LoadedReader {
    model: Model,
    alphabet: Alphabet,
}

impl LineReader {
    fn loaded(&self) -> Result<&LoadedReader, OcrError> {
        self.loaded.get_or_init(|| self.load()).as_ref().map_err(OcrError::clone)
    }

    fn load(&self) -> Result<LoadedReader, OcrError> {
        let file = std::mem::take(&mut *self.file.lock().unwrap_or_else(PoisonError::into_inner));
        let model = load_model(RECOGNITION, file)?;
        let own = model.metadata().get("character").map(Alphabet::parse);
        let classes = class_count(&model);
        let mut listed = self.lists.iter().map(|list| Alphabet::parse(list));
        let alphabet = own.or_else(|| listed.find(|alphabet| Some(alphabet.class_count()) == classes));
        let alphabet = alphabet.ok_or_else(|| unfit(RECOGNITION, "nothing lists its characters"))?;
        Ok(LoadedReader { model, alphabet })
    }
}

/// The classes of a model that reads lines: the last dimension of its answer.
fn class_count(model: &Model) -> Option<usize> {
    let shape = model.node_info(*model.output_ids().first()?)?.shape()?;
    match shape.last()? {
        Dimension::Fixed(count) => Some(*count),
        Dimension::Symbolic(_) => None,
    }
}

impl NeuralRecogniser {
    /// Loads models.
    ///
    /// # Errors
    /// [`OcrError::Model`]
    pub fn load(files: ModelFiles) -> Result<Self, OcrError> {
        let detection = load_model(DETECTION, files.detection)?;
        let lists = Arc::new(files.characters);
        let reader = |file| LineReader { file: Mutex::new(file), loaded: OnceLock::new(), lists: Arc::clone(&lists) };
        let threads = Arc::new(ThreadPool::with_num_threads(1));
        let options = RunOptions::default().with_thread_pool(Some(threads));
        Ok(Self { detection, readers: files.recognition.into_iter().map(reader).collect(), options })
    }

    /// The regions of text in a picture.
    fn find_text(&self, image: &GrayImage) -> Result<Vec<TextRegion>, OcrError> {
        let picture = detection_picture(image, DETECTION_SIDE);
        let is_photograph = is_unevenly_lit(&picture);
        let picture = if is_photograph { detection_picture(image, PHOTOGRAPH_SIDE) } else { picture };
        let shades = if is_photograph { Shades::PHOTOGRAPH } else { Shades::SCAN };
        let (regions, thickness) = self.find_text_in(&picture, image, shades)?;
        let is_small = thickness.is_some_and(|thickness| thickness < SMALL_PRINT);
        let longer_side = image.width().max(image.height()) as f32;
        if is_small && longer_side > DETECTION_SIDE {
            return Ok(self.find_text_in(&detection_picture(image, FINE_DETECTION_SIDE), image, shades)?.0);
        }
        Ok(regions)
    }

    /// The regions of text in `image`, of which `picture` is a reduced copy, and the usual thickness of lines in the copy.
    fn find_text_in(
        &self,
        picture: &GrayImage,
        image: &GrayImage,
        shades: Shades,
    ) -> Result<(Vec<TextRegion>, Option<f32>), OcrError> {
        let [columns, rows] = [picture.width(), picture.height()];
        let channels = shades.means.into_iter().zip(shades.deviations);
        let shades = channels.flat_map(|(mean, deviation)| {
            picture.pixels().iter().map(move |pixel| (f32::from(*pixel) / 255.0 - mean) / deviation)
        });
        let input = NdTensor::from_data([1, 3, rows, columns], shades.collect::<Vec<f32>>());
        let map = self.run::<4>(DETECTION, &self.detection, &input)?;
        if map.shape() != [1, 1, rows, columns] {
            return Err(unfit(DETECTION, "it gives no map of the picture"));
        }
        let regions = find_regions(&map.to_vec(), columns);
        let thickness = usual_thickness(&regions);
        let factors = [image.width() as f32 / columns as f32, image.height() as f32 / rows as f32];
        Ok((regions.into_iter().map(|region| region.scaled(factors)).collect(), thickness))
    }

    /// The first model and direction that read the longest lines with confidence; otherwise those that read them best.
    fn plan(&self, pyramid: &Pyramid<'_>, regions: &[TextRegion]) -> Result<ReadingPlan, OcrError> {
        let (upright, witnesses) = witnesses(regions);
        let mut best = (0.0, ReadingPlan::new(upright));
        if witnesses.is_empty() {
            return Ok(best.1);
        }
        for reader in 0..self.readers.len() {
            for direction in [upright, upright.reverse()] {
                let mut plan = ReadingPlan { reader, ..ReadingPlan::new(direction) };
                let beginning = |region: &TextRegion| place_of(&beginning(region.along(direction)));
                let read = |region| self.read_first(pyramid, beginning(region), plan);
                let lines = witnesses.iter().map(read).collect::<Result<Vec<_>, _>>()?;
                let confidence = lines.iter().map(RecognisedLine::confidence).sum::<f32>() / lines.len() as f32;
                if reader > 0 && are_wide(&lines) {
                    plan.narrowing = NARROWING;
                }
                if confidence >= CERTAIN {
                    return Ok(plan);
                }
                if confidence > best.0 {
                    best = (confidence, plan);
                }
            }
        }
        Ok(best.1)
    }

    /// The characters in a box. Words that one model is not sure of, the next reads again.
    fn read(&self, pyramid: &Pyramid<'_>, place: LineSample, plan: ReadingPlan) -> Result<RecognisedLine, OcrError> {
        let mut line = self.read_first(pyramid, place, plan)?;
        for reader in self.readers.iter().skip(plan.reader + 1) {
            // From the end, so that the indices of earlier parts stay as they are.
            for part in doubtful_parts(&line.characters).into_iter().rev() {
                let known = line.part(part.clone());
                let reading = self.read_with(reader.loaded()?, pyramid, known.place, 1.0)?;
                if reading.confidence() > known.confidence() {
                    line.replace(part, &reading);
                }
            }
        }
        Ok(line)
    }

    /// The characters in a box, by the first model of a plan.
    fn read_first(
        &self,
        pyramid: &Pyramid<'_>,
        place: LineSample,
        plan: ReadingPlan,
    ) -> Result<RecognisedLine, OcrError> {
        let reader = self.readers.get(plan.reader).ok_or(OcrError::NoEngine { reason: "no model reads lines" })?;
        self.read_with(reader.loaded()?, pyramid, place, plan.narrowing)
    }

    fn read_with(
        &self,
        reader: &LoadedReader,
        pyramid: &Pyramid<'_>,
        place: LineSample,
        narrowing: f32,
    ) -> Result<RecognisedLine, OcrError> {
        let LineSample { length, thickness, .. } = place;
        let width = whole((LINE_HEIGHT as f32 * narrowing * length / thickness.max(1.0)).ceil());
        let width = width.clamp(WIDTH_STEP, MAX_LINE_WIDTH).next_multiple_of(WIDTH_STEP);
        let input = tensor(line_picture(pyramid, place, width), LINE_HEIGHT, width);
        let scores = self.run::<3>(RECOGNITION, &reader.model, &input)?;
        let [lines, _, classes] = scores.shape();
        if lines != 1 || classes != reader.alphabet.class_count() {
            return Err(unfit(RECOGNITION, "its characters are not those that are listed"));
        }
        let characters = reader.alphabet.decode(&scores.into_data()).into_iter();
        let characters = characters.map(|found| RecognisedCharacter {
            text: found.character,
            along: found.position * length,
            confidence: found.confidence,
        });
        Ok(RecognisedLine { place, characters: characters.collect() })
    }

    fn run<const N: usize>(
        &self,
        part: &'static str,
        model: &Model,
        input: &NdTensor<f32, 4>,
    ) -> Result<NdTensor<f32, N>, OcrError> {
        let output = model.run_one(ValueOrView::from(input), Some(self.options.clone()));
        let output = output.map_err(|error| unfit(part, &error.to_string()))?;
        output.try_into().map_err(|_| unfit(part, "its answer has another shape"))
    }
}

impl Recogniser for NeuralRecogniser {
    fn recognise(
        &self,
        image: &GrayImage,
        _language: Option<&str>,
        deadline: &Deadline,
    ) -> Result<Vec<RecognisedLine>, OcrError> {
        let regions = self.find_text(image)?;
        deadline.check_now()?;
        let pyramid = Pyramid::new(image);
        let plan = self.plan(&pyramid, &regions)?;
        let mut lines = Vec::with_capacity(regions.len());
        for region in regions {
            deadline.check_now()?;
            lines.push(self.read(&pyramid, place_of(&region.along(plan.direction)), plan)?);
        }
        readable(lines, MIN_CONFIDENCE)
    }

    fn check(&self) -> Result<(), OcrError> {
        self.readers.iter().try_for_each(|reader| reader.loaded().map(|_| ()))
    }

    fn read_line(
        &self,
        image: &GrayImage,
        sample: LineSample,
        _: &str,
        _: &str,
    ) -> Result<Option<LineReading>, OcrError> {
        let line = self.read(&Pyramid::new(image), sample, ReadingPlan::new(sample.direction))?;
        let text = line.characters.iter().map(|character| &*character.text).collect();
        Ok(Some(LineReading { text, confidence: line.confidence() }))
    }
}

const DETECTION: &str = "finding text";

const RECOGNITION: &str = "reading lines";

fn load_model(part: &'static str, file: Vec<u8>) -> Result<Model, OcrError> {
    ModelOptions::with_all_ops().load(file).map_err(|error| unfit(part, &error.to_string()))
}

fn unfit(part: &'static str, reason: &str) -> OcrError {
    OcrError::Model { part, reason: reason.to_owned() }
}

/// A copy of a picture in which text is looked for, with a longer side of at most `side` pixels.
fn detection_picture(image: &GrayImage, side: f32) -> GrayImage {
    let lengths = [image.width() as f32, image.height() as f32];
    let scale = lengths.into_iter().fold(1.0, |scale: f32, length| scale.min(side / length));
    let [columns, rows] = lengths.map(|length| {
        let steps = whole((length * scale / DETECTION_STEP as f32).round());
        steps.max(1) * DETECTION_STEP
    });
    image.resized(columns, rows)
}

/// How a model takes the brightness of each channel, from 0 to 1: as its difference to a mean, in deviations.
#[derive(Clone, Copy)]
struct Shades {
    means: [f32; 3],
    deviations: [f32; 3],
}

impl Shades {
    /// From -1 to 1, so that noise counts little.
    const SCAN: Self = Self { means: [0.5; 3], deviations: [0.5; 3] };

    /// Those of ImageNet, with which the model was trained. A picture has more contrast with them.
    const PHOTOGRAPH: Self = Self { means: [0.485, 0.456, 0.406], deviations: [0.229, 0.224, 0.225] };
}

/// The direction of most lines or its opposite, and the longest of these lines.
fn witnesses(regions: &[TextRegion]) -> (Direction, Vec<TextRegion>) {
    let is_flat = |region: &TextRegion| region.direction.x.abs() >= region.direction.y.abs();
    let length = |flat: bool| {
        let lines = regions.iter().filter(|region| region.is_elongated() && is_flat(region) == flat);
        lines.map(|region| region.length).sum::<f32>()
    };
    let lines_are_flat = length(true) >= length(false);
    let direction = if lines_are_flat { Direction::RIGHT } else { Direction::RIGHT.quarter_turn() };
    let mut witnesses: Vec<_> = regions.iter().copied().filter(|region| is_flat(region) == lines_are_flat).collect();
    witnesses.sort_by(|one, other| other.length.total_cmp(&one.length));
    witnesses.truncate(WITNESSES);
    (direction, witnesses)
}

/// Whether the characters of lines are wide, as those of Chinese and Japanese are.
fn are_wide(lines: &[RecognisedLine]) -> bool {
    let heights: f32 = lines.iter().map(|line| line.place.length / line.place.thickness.max(1.0)).sum();
    let count: usize = lines.iter().map(|line| line.characters.len()).sum();
    count > 0 && heights >= WIDE * count as f32
}

/// The beginning of a line: enough to tell which way is up.
fn beginning(region: TextRegion) -> TextRegion {
    let length = region.length.min(WITNESS_LENGTH * region.thickness);
    let center = region.direction.point(region.center, (length - region.length) / 2.0, 0.0);
    TextRegion { center, length, ..region }
}

fn place_of(region: &TextRegion) -> LineSample {
    let TextRegion { center, direction, length, thickness } = *region;
    LineSample { origin: direction.point(center, -length / 2.0, 0.0), direction, length, thickness }
}

/// The picture of a line, upright, with `width` columns.
fn line_picture(pyramid: &Pyramid<'_>, place: LineSample, width: usize) -> Vec<f32> {
    let [along, across] = [place.length / width as f32, place.thickness / LINE_HEIGHT as f32];
    let (image, factor) = pyramid.at_step(across.min(along));
    let mut shades = Vec::with_capacity(width * LINE_HEIGHT);
    for row in 0..LINE_HEIGHT {
        let across = (row as f32 + 0.5) * across - place.thickness / 2.0;
        shades.extend((0..width).map(|column| {
            let [x, y] = place.direction.point(place.origin, (column as f32 + 0.5) * along, across);
            normal_shade(image.sample(x / factor - 0.5, y / factor - 0.5))
        }));
    }
    shades
}

/// A brightness as the models were trained: from -1 to 1.
fn normal_shade(brightness: f32) -> f32 {
    brightness / 127.5 - 1.0
}

/// A picture in the shape that models take: three channels, which are equal here.
fn tensor(mut shades: Vec<f32>, rows: usize, columns: usize) -> NdTensor<f32, 4> {
    let length = shades.len();
    shades.reserve_exact(2 * length);
    shades.extend_from_within(..);
    shades.extend_from_within(..length);
    NdTensor::from_data([1, 3, rows, columns], shades)
}
