//! Sessions beside a native debugger: they stop at the lines at which gdb stops in the same functions, compiled by rustc with debug information, and the
//! variables have the same values. What gdb does is recorded by `cargo xtask native-stops`.

#[allow(
    clippy::manual_is_multiple_of,
    clippy::manual_unwrap_or,
    reason = "programs as people write them"
)]
mod constructs;

use std::collections::BTreeSet;

use gpuvm::prelude::*;
use gpuvm_debug::{Expression, Session, Step, Stop, Value};

use crate::programs::{ENGINES, runtime};

const SOURCE: &str = include_str!("constructs.rs");
const RECORD: &str = include_str!("stops.txt");

/// Variables that rustc makes of loops and of `?`.
const MADE: [&str; 4] = ["iter", "val", "residual", "err"];

/// Where a step has stopped.
#[derive(Clone, Debug, PartialEq)]
struct Stood {
    depth: usize,
    function: String,
    line: u32,
    /// The variables that have a value, and what.
    variables: Vec<(String, String)>,
}

impl Stood {
    fn of(row: &str) -> Stood {
        let mut words = row.split_whitespace();
        let mut next = || words.next().unwrap_or_default();
        let (depth, function, line) = (next(), next(), next());
        let variables = words.filter_map(|word| word.split_once('='));
        // What has no words, such as a closure, is no variable of a VM.
        let variables = variables.filter(|(name, value)| !MADE.contains(name) && *value != "()");
        Stood {
            depth: depth.parse().unwrap(),
            function: function.to_string(),
            line: line.parse().unwrap(),
            variables: variables
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
        }
    }

    fn is_at(&self, other: &Stood) -> bool {
        (self.depth, &self.function, self.line) == (other.depth, &other.function, other.line)
    }
}

/// What gdb has done in each program, with each seed.
fn recorded() -> Vec<(&'static str, u32, Vec<Stood>)> {
    let mut runs = Vec::new();
    for row in RECORD.lines().skip(1) {
        match row.strip_prefix("  ") {
            Some(row) => {
                let (_, _, stops): &mut (_, _, Vec<Stood>) = runs.last_mut().unwrap();
                stops.push(Stood::of(row));
            }
            None => {
                let (name, seed) = row.split_once(' ').unwrap();
                runs.push((name, seed.parse().unwrap(), Vec::new()));
            }
        }
    }
    runs
}

fn source_line(line: u32) -> &'static str {
    SOURCE.lines().nth(line as usize - 1).unwrap_or_default()
}

/// The last line of the construct that begins in this one.
fn end_of(line: u32) -> u32 {
    let indent = |text: &str| text.len() - text.trim_start().len();
    let own = indent(source_line(line));
    let closes = |text: &str| indent(text) == own && text.trim_start().starts_with('}') && !text.contains("else");
    let mut below = line + 1;
    while !closes(source_line(below)) {
        below += 1;
    }
    below
}

/// The stops that are a source line's: no closing braces, no line twice in a row, and no way back to the head of an `if` or a `match` to store what its arms have
/// given, which rustc makes and a reader does not expect. Nor does rustc make code of `continue` and `break`, at which VMs stop. A closure has an activation of its
/// own natively, and in a VM that of the routine it is in.
fn lines_of(stops: Vec<Stood>) -> Vec<Stood> {
    let mut kept: Vec<Stood> = Vec::new();
    for mut stop in stops {
        if stop.function.starts_with('{') {
            stop.depth -= 1;
            // Its parameters come to be on the line that it has.
            stop.variables.clear();
            let around = kept.iter().rev().find(|kept| kept.depth == stop.depth);
            stop.function = around.map_or_else(String::new, |around| around.function.clone());
        }
        let text = source_line(stop.line).trim();
        if matches!(text, "}" | "};" | "continue;" | "break;" | "break 'outer;")
            || kept.last().is_some_and(|last| last.is_at(&stop))
        {
            continue;
        }
        let is_loop = ["for ", "while ", "loop ", "'outer"]
            .iter()
            .any(|word| text.contains(word));
        let goes_back = kept.last().is_some_and(|last| {
            text.ends_with('{')
                && !is_loop
                && last.depth == stop.depth
                && stop.line < last.line
                && last.line <= end_of(stop.line)
        });
        if !goes_back {
            kept.push(stop);
        }
    }
    kept
}

/// A value as the record has it: of floats the bits.
fn words(session: &mut Session<'_, '_>, value: &Value) -> Option<String> {
    let ty = value.ty.to_string();
    if ty == "f32" || ty == "f64" {
        let bytes = value.words.iter().map(|word| word.unwrap_or_default().swap_bytes());
        return Some(bytes.fold("#".to_string(), |text, word| text + &format!("{word:08x}")));
    }
    if ty.starts_with('&') || ty.contains("Option") || ty.contains("Shape") {
        return None;
    }
    let count = session.count(value).unwrap();
    if count == 0 {
        return Some(value.show());
    }
    let parts = session.parts(value, 0..count).unwrap();
    let parts: Option<Vec<String>> = parts.iter().map(|(_, part)| words(session, part)).collect();
    let (open, close) = if ty.starts_with('[') { ('[', ']') } else { ('(', ')') };
    Some(format!("{open}{}{close}", parts?.join(",")))
}

/// What a session does with a program.
fn stepped(name: &str, seed: u32, engine: Engine, record: &[Stood]) -> Vec<Stood> {
    let seeds = [seed];
    let launch = runtime().launch(name).unwrap().args((&seeds,)).engine(engine);
    let mut execution = launch.start().unwrap();
    let mut session = Session::new(&mut execution);
    let mut stops = Vec::new();
    // A native debugger begins behind the head, too.
    while session.step(Step::In, &mut || false).unwrap() == Stop::Step {
        let frames = session.stack().unwrap();
        let frame = &frames[0];
        let natively = record.iter().filter(|stop| stop.line == frame.line);
        let names: BTreeSet<&String> = natively
            .flat_map(|stop| &stop.variables)
            .map(|(name, _)| name)
            .collect();
        let mut variables = Vec::new();
        for name in names {
            let value = session.evaluate(0, &Expression::parse(name).unwrap());
            let shown = match value {
                Ok(value) => words(&mut session, &value),
                Err(error) => Some(error.to_string()),
            };
            variables.extend(shown.map(|shown| (name.clone(), shown)));
        }
        stops.push(Stood {
            depth: frames.len(),
            function: frame.routine.clone(),
            line: frame.line,
            variables,
        });
    }
    stops
}

#[test]
fn the_record_is_of_these_programs() {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let bytes = SOURCE.bytes().filter(|byte| *byte != b'\r');
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, step);
    assert!(
        RECORD.starts_with(&format!("# {hash:x},")),
        "`constructs.rs` has changed: `cargo xtask native-stops` records anew where gdb stops"
    );
    assert!(recorded().len() >= 60);
}

#[test]
fn steps_stop_where_a_native_debugger_stops() {
    let mut wrong = Vec::new();
    for (name, seed, record) in recorded() {
        let native = lines_of(record);
        for engine in ENGINES {
            let stops = lines_of(stepped(name, seed, engine, &native));
            let same = native.len() == stops.len() && native.iter().zip(&stops).all(|(a, b)| a.is_at(b));
            if !same {
                let rows = |stops: &[Stood]| -> Vec<String> {
                    stops
                        .iter()
                        .map(|stop| format!("{}:{}:{}", stop.depth, stop.function, stop.line))
                        .collect()
                };
                wrong.push(format!(
                    "{name} {seed} {engine}:\n native {}\n vm     {}",
                    rows(&native).join(" "),
                    rows(&stops).join(" ")
                ));
                break;
            }
            for (native, stop) in native.iter().zip(&stops) {
                for (variable, value) in &native.variables {
                    let own = stop.variables.iter().find(|(name, _)| name == variable);
                    if let Some((_, own)) = own
                        && own != value
                    {
                        wrong.push(format!(
                            "{name} {seed} {engine}, line {}: {variable} is {own}, natively {value}",
                            stop.line
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
