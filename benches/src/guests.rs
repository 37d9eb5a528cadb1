//! Guests: eight programs in C that gcc compiled for AArch64 with -O2 (`gpuvm-guest/tests/c`), many of each side by side. They begin anew in each run, and a run ends
//! when all have exited. What counts is the number of instructions that they retire a second, all of them together.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use gpuvm::{Engine, Runtime};
use gpuvm_guest::{Guests, Linux, Program, Settings, Start, Stop};
use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::stage::Stage;
use crate::timing::once;

/// Bytes of private memory of each guest.
const MEMORY: u32 = 16 << 10;
/// Guests whose output and instructions are compared with those of guests that are emulated on the CPU.
const JUDGED: usize = 64;
/// Guests that are copies of a running one.
const COPIES: usize = 10_000;

/// A program, and whether it reads JSON text.
struct Source {
    name: &'static str,
    file: &'static [u8],
    reads: bool,
}

macro_rules! sources {
    ($($name:literal $reads:literal),*) => {
        [$(Source {
            name: $name,
            file: include_bytes!(concat!("../../gpuvm-guest/tests/data/c/", $name, ".aarch64")),
            reads: $reads,
        }),*]
    };
}
const SOURCES: [Source; 8] = sources!(
    "sort" false, "crc" true, "collatz" false, "json" true, "sha256" true, "machine" false, "callbacks" false, "matrix" false
);

/// How guests are run.
struct Way {
    name: &'static str,
    engine: Engine,
    translated: bool,
}

const WAYS: [Way; 6] = [
    way("translated specialized", Engine::Specialized, true),
    way("translated auto", Engine::Auto, true),
    way("translated interpreter", Engine::Interpreter, true),
    way("emulated auto", Engine::Auto, false),
    way("emulated interpreter", Engine::Interpreter, false),
    way("emulated native", Engine::Native, false),
];

const fn way(name: &'static str, engine: Engine, translated: bool) -> Way {
    Way {
        name,
        engine,
        translated,
    }
}

impl Way {
    fn is_native(&self) -> bool {
        self.engine == Engine::Native
    }
}

/// The guests of a program, run in one way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Crowd {
    /// The program.
    pub program: String,
    /// Whether each has an input of its own; else all have the same.
    pub apart: bool,
    /// How they are run.
    pub contestant: String,
    /// How many.
    pub guests: usize,
    /// Instructions that all of them retire.
    pub instructions: f64,
    /// Seconds of a run until all have exited, and of them the engine's: medians.
    pub seconds: Option<(f64, f64)>,
    /// Seconds of the very first run, with all that is translated and compiled on the way.
    pub first: Option<f64>,
    /// Why there is no figure.
    pub problem: Option<Problem>,
}

/// What guests take beside running.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Beside {
    /// What, and of how many guests.
    pub what: String,
    /// Seconds.
    pub seconds: Option<f64>,
    /// Why there is no figure.
    pub problem: Option<Problem>,
}

/// What guests do, and what they take beside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// By program, input and way.
    pub crowds: Vec<Crowd>,
    /// The rest.
    pub beside: Vec<Beside>,
}

/// Runs guests of all programs, or of those that are named; `beside` is what they take besides.
///
/// # Errors
///
/// When the programs cannot be read, or the figures cannot be written to their file.
pub fn run(stage: &Stage, only: &[String]) -> Result<Figures> {
    let mut figures = Figures {
        crowds: Vec::new(),
        beside: Vec::new(),
    };
    let asked = |name: &str| only.is_empty() || only.iter().any(|asked| asked == name);
    for source in SOURCES.iter().filter(|source| asked(source.name)) {
        let program = Program::from_elf(source.file)?;
        // On a device that a CPU plays, an interpreted emulator takes minutes for what the suite tests.
        let is_asked = |way: &&Way| stage.has(way.name) && stage.pick(way.translated || way.is_native(), true);
        for way in WAYS.iter().filter(is_asked) {
            for crowd in crowds_of(stage, source, &program, way) {
                eprintln!("guests: {crowd:?}");
                figures.crowds.push(crowd);
            }
            stage.keep(|report| report.guests = Some(figures.clone()))?;
        }
    }
    if asked("beside") {
        for engine in [Engine::Interpreter, Engine::Specialized] {
            for (end, budget) in [("its first instruction", 1), ("the end", u64::MAX)] {
                let what = format!("json, from the file to {end}, {engine}");
                figures.beside.push(told(what, from_nothing(stage, engine, budget)));
            }
        }
        let copies = stage.pick(100, COPIES);
        figures
            .beside
            .push(told(format!("{copies} copies of a running guest"), fork(stage, copies)));
    }
    Ok(figures)
}

fn told(what: String, seconds: Result<f64>) -> Beside {
    eprintln!("guests: {what}: {seconds:?}");
    Beside {
        what,
        problem: seconds.as_ref().err().map(Problem::of),
        seconds: seconds.ok(),
    }
}

/// With the same input and with one each.
fn crowds_of(stage: &Stage, source: &Source, program: &Program, way: &Way) -> [Crowd; 2] {
    // A CPU takes seconds over what a device does in milliseconds.
    let guests = stage.pick(8, if way.is_native() { 10_000 } else { 100_000 });
    let mut kept = None;
    [false, true].map(|apart| {
        let crowd = Crowd {
            program: source.name.to_string(),
            apart,
            contestant: way.name.to_string(),
            guests,
            instructions: 0.0,
            seconds: None,
            first: None,
            problem: None,
        };
        match measured(stage, source, program, way, apart, guests, &mut kept) {
            Ok((instructions, seconds, first)) => Crowd {
                instructions,
                seconds: Some(seconds),
                first: (!apart).then_some(first),
                ..crowd
            },
            Err(error) => Crowd {
                problem: Some(Problem::of(&error)),
                ..crowd
            },
        }
    })
}

/// Instructions of a run, its seconds and the engine's, and those of the very first run.
fn measured(
    stage: &Stage,
    source: &Source,
    program: &Program,
    way: &Way,
    apart: bool,
    count: usize,
    kept: &mut Option<Guests>,
) -> Result<(f64, (f64, f64), f64)> {
    let starts = || (0..count).map(|guest| source.start(if apart { guest as u32 } else { 7 }));
    let settings = Settings {
        memory: MEMORY,
        heap: MEMORY,
        engine: way.engine,
        translated: way.translated,
        ..Settings::default()
    };
    let is_first = kept.is_none();
    let (made, guests) = match kept {
        Some(guests) => (0.0, guests),
        None => {
            let (seconds, made) = once(|| {
                Ok(Guests::new(
                    &stage.runtime,
                    std::slice::from_ref(program),
                    starts(),
                    settings,
                )?)
            })?;
            (seconds, kept.insert(made))
        }
    };
    let mut engine_times = Vec::new();
    let mut begun = is_first;
    let mut again = || -> Result<(f64, ())> {
        if !std::mem::take(&mut begun) {
            guests.restart(starts())?;
        }
        let before = guests.time();
        let (seconds, ()) = once(|| Ok(guests.run(&mut Linux::default())?))?;
        engine_times.push((guests.time() - before).as_secs_f64());
        Ok((seconds, ()))
    };
    let (first_run, ()) = again()?;
    let first = made + first_run;
    // An interpreted emulator needs no warming up, and takes long.
    let seconds = match way.translated || way.engine == Engine::Auto {
        _ if stage.timing.repeats == 0 => first_run,
        true => stage.timing.warm_by(&mut again)?.0,
        false => again()?.0,
    };
    // Those behind the median are of the same runs.
    let recent = engine_times.len().saturating_sub(stage.timing.repeats.max(1));
    let engine = crate::timing::median(&mut engine_times[recent..]);
    let instructions = (0..count).map(|guest| guests.retired(guest) as f64).sum();
    let judged: Vec<u32> = (0..count.min(JUDGED))
        .map(|guest| if apart { guest as u32 } else { 7 })
        .collect();
    source.judge(&stage.runtime, program, &judged, guests)?;
    Ok((instructions, (seconds, engine), first))
}

impl Source {
    fn start(&self, number: u32) -> Start {
        Start {
            input: if self.reads {
                text(number).into_bytes().into()
            } else {
                Vec::new().into()
            },
            ..Start::with([self.name.to_string(), number.to_string()])
        }
    }

    /// Compares guests with such as are emulated on the CPU.
    fn judge(&self, runtime: &Runtime, program: &Program, numbers: &[u32], guests: &Guests) -> Result<()> {
        let settings = Settings {
            memory: MEMORY,
            heap: MEMORY,
            engine: Engine::Native,
            ..Settings::default()
        };
        let starts = numbers.iter().map(|number| self.start(*number));
        let mut judges = Guests::new(runtime, std::slice::from_ref(program), starts, settings)?;
        judges.run(&mut Linux::default())?;
        for (guest, number) in numbers.iter().enumerate() {
            ensure!(
                matches!(judges.stop(guest), Some(Stop::Exited(_)))
                    && judges.stop(guest) == guests.stop(guest)
                    && judges.output(guest) == guests.output(guest)
                    && judges.retired(guest) == guests.retired(guest),
                "guest {guest} with {number}: {:?} after {} instructions, and not {:?} after {}",
                guests.stop(guest),
                guests.retired(guest),
                judges.stop(guest),
                judges.retired(guest)
            );
        }
        Ok(())
    }
}

/// A text of JSON, some hundred bytes, by number.
fn text(number: u32) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9) | 1;
    let mut draw = |below: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    };
    let mut text = String::from("[");
    for item in 0..12 + draw(12) {
        let comma = if item == 0 { "" } else { ", " };
        let (a, b, c) = (draw(30_000), draw(1000), draw(10));
        // Writing to a string does not fail.
        let _ = match draw(4) {
            0 => write!(text, "{comma}{a}"),
            1 => write!(text, "{comma}\"{b}\""),
            2 => write!(text, "{comma}[true, {a}, [{b}, null]]"),
            _ => write!(text, "{comma}{{\"k{c}\": {a}, \"n\": [-{b}]}}"),
        };
    }
    text + "]"
}

/// Seconds from a program's file until one guest has retired so many instructions, on a device that has run another program to its end.
fn from_nothing(stage: &Stage, engine: Engine, budget: u64) -> Result<f64> {
    let runtime = stage.runtime(gpuvm::Settings::default())?;
    let run = |source: &Source, budget| -> Result<()> {
        let settings = Settings {
            engine,
            budget,
            ..Settings::default()
        };
        let program = Program::from_elf(source.file)?;
        let mut guests = Guests::new(&runtime, &[program], [source.start(7)], settings)?;
        guests.run(&mut Linux::default())?;
        ensure!(guests.retired(0) > 0, "the guest has done nothing");
        Ok(())
    };
    run(&SOURCES[0], u64::MAX)?;
    Ok(once(|| run(&SOURCES[3], budget))?.0)
}

/// Seconds until a running guest has so many copies, once it has been copied before.
fn fork(stage: &Stage, copies: usize) -> Result<f64> {
    let program = Program::from_elf(SOURCES[0].file)?;
    let settings = Settings {
        budget: 20_000,
        engine: Engine::Specialized,
        ..Settings::default()
    };
    let starts = (0..=copies).map(|_| SOURCES[0].start(7));
    let mut guests = Guests::new(&stage.runtime, &[program], starts, settings)?;
    guests.run(&mut Linux::default())?;
    let (seconds, ()) = stage.timing.warm_by(|| once(|| Ok(guests.fork(0, 1..copies + 1)?)))?;
    let all: Result<Vec<Vec<u64>>> = [0, copies]
        .into_iter()
        .map(|guest| Ok(guests.registers(guest)?))
        .collect();
    let all = all?;
    ensure!(all[0] == all[1], "a copy has other registers");
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_json() {
        for number in 0..50 {
            serde_json::from_str::<serde_json::Value>(&text(number)).unwrap();
        }
    }
}
