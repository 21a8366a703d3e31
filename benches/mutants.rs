//! A long run over changed files: whether anything panics, ends the process or hangs, and what the worst cost.
//!
//! ```text
//! PAGEWISE_MUTANTS_OF=folder PAGEWISE_MUTANTS=50 cargo bench --bench mutants
//! ```
//!
//! Every PDF below the folder is changed so many times, and everything is asked of every mutant, without a worker: what it
//! is, its first and last page cut, read and drawn. Each file has a process of its own, so that one that ends or hangs
//! is counted and named, and the run goes on with the next mutant. Of each question the processor time is taken, of all
//! threads, which is the same on a busy machine, and the largest resident memory.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "it prints what it measured, and may stop where it stands"
)]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

#[path = "../tests/support/every_question.rs"]
mod every_question;
#[path = "../tests/support/mutate.rs"]
mod mutate;

/// Silence after which a process counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// A question that took more processor time is named.
const LONG: Duration = Duration::from_secs(1);

/// Resident memory, the program's own included, past which a question is named.
const LARGE_BYTES: u64 = 256 << 20;

/// Processes for one file: one more for each mutant that ends or hangs, up to so many.
const MAX_PROCESSES: u64 = 10;

fn main() {
    let (folder, count) = (std::env::var_os("PAGEWISE_MUTANTS_OF"), std::env::var("PAGEWISE_MUTANTS").ok());
    let Some((folder, count)) = folder.zip(count.and_then(|count| count.parse::<u64>().ok())) else {
        println!("mutants: not asked for; see benches/mutants.rs");
        return;
    };
    let from = std::env::var("PAGEWISE_MUTANTS_FROM").ok().and_then(|from| from.parse().ok()).unwrap_or(0);
    match std::env::var_os("PAGEWISE_MUTANTS_FILE") {
        Some(file) => of_one_file(Path::new(&file), from..count),
        None => of_folder(Path::new(&folder), count),
    }
}

/// In a process of its own: one line for each mutant and each event.
fn of_one_file(path: &Path, numbers: Range<u64>) {
    let file = std::fs::read(path).unwrap();
    std::panic::set_hook(Box::new(|_| {}));
    let out = std::io::stdout();
    let say = |line: String| writeln!(&out, "{line}").unwrap();
    let name = path.display().to_string();
    let seeds = name.bytes().fold(0_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into())) << 20;
    for seed in numbers.map(|at| seeds.wrapping_add(at)) {
        say(format!("mutant {seed}"));
        let mutant = mutate::mutant(&file, seed);
        let mut question = Question::new("");
        let mut asked = Vec::new();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            every_question::ask_everything(&mutant, true, |step| {
                asked.push(std::mem::replace(&mut question, Question::new(step)).cost())
            });
        }));
        if outcome.is_err() {
            say(format!("panic {seed} in {}", question.step));
        }
        asked.push(question.cost());
        // Before the first question there is none.
        for (step, micros, bytes) in asked.into_iter().filter(|(step, ..)| !step.is_empty()) {
            say(format!("took {micros} {step} {seed}"));
            say(format!("peak {bytes} {step} {seed}"));
        }
    }
    say("done".to_owned());
}

/// One thing asked, and what there was before it.
struct Question {
    step: &'static str,
    micros: u64,
}

impl Question {
    fn new(step: &'static str) -> Self {
        // From here on the largest memory is that of this question.
        std::fs::write("/proc/self/clear_refs", "5").unwrap_or_default();
        Self { step, micros: processor_micros() }
    }

    /// Its name, microseconds and bytes.
    fn cost(self) -> (&'static str, u64, u64) {
        (self.step, processor_micros().saturating_sub(self.micros), peak_bytes())
    }
}

/// What all threads of this process have used, also those that have ended; to a hundredth of a second.
fn processor_micros() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = after_name.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
    ticks.sum::<u64>() * 10_000
}

fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

/// What a run came to.
#[derive(Default)]
struct Tally {
    mutants: u64,
    questions: u64,
    panics: Vec<String>,
    ends: Vec<String>,
    hangs: Vec<String>,
    slow: BTreeMap<(u64, String), ()>,
    fat: BTreeMap<(u64, String), ()>,
    longest: BTreeMap<String, (u64, String)>,
    largest: BTreeMap<String, (u64, String)>,
}

fn of_folder(folder: &Path, count: u64) {
    let mut paths = Vec::new();
    collect(folder, &mut paths);
    paths.sort();
    let start = Instant::now();
    let mut tally = Tally::default();
    for path in &paths {
        tally.add(path, count);
    }
    println!(
        "{} files, {} mutants, {} questions, {:.0?}",
        paths.len(),
        tally.mutants,
        tally.questions,
        start.elapsed()
    );
    for (what, named) in [("panics", &tally.panics), ("ends of a process", &tally.ends), ("hangs", &tally.hangs)] {
        println!("{what}: {}", named.len());
        named.iter().take(20).for_each(|line| println!("  {line}"));
    }
    println!("longer than {LONG:?} of processor time: {}", tally.slow.len());
    tally.slow.keys().rev().take(20).for_each(|(micros, what)| println!("  {:>8} ms {what}", micros / 1_000));
    println!("larger than {} MB: {}", LARGE_BYTES >> 20, tally.fat.len());
    tally.fat.keys().rev().take(20).for_each(|(bytes, what)| println!("  {:>8} MB {what}", bytes >> 20));
    println!("the longest of each question:");
    tally.longest.iter().for_each(|(step, (micros, what))| println!("  {step:12} {:>8} ms {what}", micros / 1_000));
    println!("the largest of each question:");
    tally.largest.iter().for_each(|(step, (bytes, what))| println!("  {step:12} {:>8} MB {what}", bytes >> 20));
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "pdf") {
            paths.push(path);
        }
    }
}

impl Tally {
    /// All mutants of one file: a process that ended or hung is followed by one for the mutants after it.
    fn add(&mut self, path: &Path, count: u64) {
        let mut from = 0;
        for _ in 0..MAX_PROCESSES {
            let before = self.mutants;
            if self.has_ended(path, from..count) || self.mutants == before {
                return;
            }
            from += self.mutants - before;
        }
    }

    /// Whether a process got to the last of the mutants.
    fn has_ended(&mut self, path: &Path, numbers: Range<u64>) -> bool {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .env("PAGEWISE_MUTANTS_FILE", path)
            .env("PAGEWISE_MUTANTS_FROM", numbers.start.to_string())
            .env("PAGEWISE_MUTANTS", numbers.end.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let reading = std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).for_each(|line| sender.send(line).unwrap_or_default());
        });
        let mut last = String::new();
        let cut_short = loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) if line == "done" => break None,
                Ok(line) => self.line(path, line, &mut last),
                Err(mpsc::RecvTimeoutError::Timeout) => break Some(&mut self.hangs),
                Err(mpsc::RecvTimeoutError::Disconnected) => break Some(&mut self.ends),
            }
        };
        child.kill().unwrap_or_default();
        let status = child.wait().unwrap();
        let has_ended = cut_short.is_none();
        if let Some(list) = cut_short {
            list.push(format!("{} {last} ({status})", path.display()));
        }
        reading.join().unwrap();
        has_ended
    }

    fn line(&mut self, path: &Path, line: String, last: &mut String) {
        let mut words = line.split_whitespace();
        let (kind, number) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let value = number.parse().unwrap_or(0);
        let rest = words.collect::<Vec<_>>().join(" ");
        let what = format!("{rest} {}", path.display());
        match kind {
            "mutant" => self.mutants += 1,
            "panic" => self.panics.push(format!("{line} {}", path.display())),
            "peak" => {
                more(&mut self.largest, &rest, value, &what);
                if value > LARGE_BYTES {
                    self.fat.insert((value, what), ());
                }
            }
            "took" => {
                self.questions += 1;
                more(&mut self.longest, &rest, value, &what);
                if u128::from(value) > LONG.as_micros() {
                    self.slow.insert((value, what), ());
                }
            }
            _ => {}
        }
        *last = line;
    }
}

/// Keeps what was most for a question; `rest` begins with its name.
fn more(most: &mut BTreeMap<String, (u64, String)>, rest: &str, value: u64, what: &str) {
    let step = rest.split_whitespace().next().unwrap_or_default().to_owned();
    let entry = most.entry(step).or_default();
    if value > entry.0 {
        *entry = (value, what.to_owned());
    }
}
