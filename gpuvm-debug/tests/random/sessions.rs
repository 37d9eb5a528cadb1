//! Sessions over routines that nobody wrote: breakpoints with and without conditions tell the same of the same VMs on every engine, and the results stay right.
//! `cargo xtask fuzz --sessions` makes the routines, and borrows the suite's harness.

use std::sync::{Arc, Mutex, OnceLock};

use gpuvm::prelude::*;
use gpuvm::{Debugger, Execution, Settings};
use gpuvm_core::program::Home;
use gpuvm_debug::{Expression, Session, Stop, Wanted};

/// The engines that pause, the one that defines what programs mean first.
const ENGINES: [Engine; 4] = [
    Engine::Reference,
    Engine::Interpreter,
    Engine::Epoch,
    Engine::Specialized,
];

/// Breakpoints of a launch.
const BREAKPOINTS: usize = 4;

/// In place of the suite's: the case of a routine is a session.
macro_rules! random_cases {
    ($name:ident) => {
        mod cases {
            #[test]
            fn $name() {
                let run = |runtime: &gpuvm::Runtime, engine| {
                    crate::harness::agree_on_anything(runtime, &[engine], stringify!($name), super::$name)
                };
                crate::sessions::agree(stringify!($name), &run);
            }
        }
    };
}

/// A debugger that sets breakpoints by the routine's name, and remembers what they say.
#[derive(Default)]
struct Recorder {
    /// One a launch.
    said: Mutex<Vec<Vec<String>>>,
}

impl Debugger for Recorder {
    fn take(&self, execution: &mut Execution<'_>) -> gpuvm::Result<()> {
        let wanted = wanted(execution);
        let mut session = Session::new(execution);
        session.stop_on_traps(false);
        for (file, wanted) in wanted {
            session.set_breakpoints(&file, wanted);
        }
        let stop = session.resume(&mut || false);
        let mut said = session.said();
        said.sort();
        match stop {
            Ok(Stop::End) => {}
            other => said.push(format!("{other:?}")),
        }
        self.said.lock().unwrap().push(said);
        session.end().unwrap();
        Ok(())
    }
}

/// Breakpoints on some lines that have variables, which are told, every other one with a condition on one of them.
fn wanted(execution: &Execution<'_>) -> Vec<(String, Vec<Wanted>)> {
    let program = execution.program().clone();
    let map = program.variable_map();
    let mut lines = Vec::new();
    for (file, name) in program.files.iter().enumerate() {
        // Those of the machine's own library are not the routine's.
        if name.contains("gpuvm-") {
            continue;
        }
        for line in program.lines(file as u32) {
            let at = program.entries(file as u32, line);
            let Some(activation) = at.first().and_then(|at| map.innermost(*at)) else {
                continue;
            };
            // A condition on what is not kept at some instruction has no value there, and ends the session.
            let is_kept = |name: &str| {
                at.iter().all(|at| {
                    let activation = map.innermost(*at);
                    let location = activation.as_ref().and_then(|activation| activation.variable(name));
                    location.is_some_and(|location| !location.homes.contains(&Home::Nowhere))
                })
            };
            let names: Vec<(String, String, bool)> = activation
                .variables
                .iter()
                .map(|location| {
                    let name = location.variable.name;
                    (name.to_string(), location.variable.ty.to_string(), is_kept(name))
                })
                .collect();
            if !names.is_empty() {
                lines.push((name.clone(), line, names));
            }
        }
    }
    let step = lines.len().div_ceil(BREAKPOINTS).max(1);
    let mut wanted: Vec<(String, Vec<Wanted>)> = Vec::new();
    for (number, (file, line, names)) in lines.into_iter().step_by(step).enumerate() {
        let told: Vec<String> = names.iter().map(|(name, ..)| format!("{{{name}}}")).collect();
        let numbers = names.iter().filter(|(_, ty, is_kept)| {
            *is_kept && ["u32", "i32", "u8", "i8", "u16", "i64", "u64", "f32"].contains(&ty.as_str())
        });
        let conditions: Vec<String> = numbers
            .map(|(name, ty, _)| match ty.as_str() {
                "f32" => format!("{name} <= 0.5"),
                "u64" | "i64" => format!("{name} > 4294967295 || {name} == 7"),
                "u32" => format!("{name} > 99 && {name} % 3 != 1"),
                _ => format!("{name} < 3 || vm::id() % 5 == 2"),
            })
            .collect();
        let condition = conditions
            .get(line as usize % conditions.len().max(1))
            .filter(|_| number % 2 == 1);
        let breakpoint = Wanted {
            log: Some(format!("{line} {}", told.join(" "))),
            condition: condition.map(|text| Expression::parse(text).unwrap()),
            ..Wanted::at(line)
        };
        match wanted.iter_mut().find(|(known, _)| *known == file) {
            Some((_, own)) => own.push(breakpoint),
            None => wanted.push((file, vec![breakpoint])),
        }
    }
    wanted
}

/// Runtimes whose launches are recorded: linked for a debugger, and as usual.
fn runtimes() -> &'static [(&'static str, Runtime, Arc<Recorder>)] {
    static RUNTIMES: OnceLock<Vec<(&'static str, Runtime, Arc<Recorder>)>> = OnceLock::new();
    RUNTIMES.get_or_init(|| {
        [("debug", Settings::debug()), ("optimised", Settings::default())]
            .map(|(name, settings)| {
                let recorder = Arc::new(Recorder::default());
                let builder = Runtime::builder().backend(Backend::Wgpu).settings(settings);
                let runtime = builder.debugger(recorder.clone()).build();
                (name, runtime.expect("there is a Vulkan device"), recorder)
            })
            .into()
    })
}

/// Runs the launches of a routine on each engine, and compares what their breakpoints say.
pub fn agree(id: &str, run: &dyn Fn(&Runtime, Engine)) {
    // A recorder has the launches of one case at a time.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(|failed| failed.into_inner());
    for (linked, runtime, recorder) in runtimes() {
        let mut first: Option<Vec<String>> = None;
        for engine in ENGINES {
            recorder.said.lock().unwrap().clear();
            run(runtime, engine);
            let said = recorder.said.lock().unwrap().first().cloned().unwrap_or_default();
            match &first {
                None => {
                    assert!(said.len() < 2_000_000, "`{id}` says too much");
                    first = Some(said);
                }
                Some(expected) if *expected == said => {}
                Some(expected) => {
                    let differs = expected.iter().zip(&said).find(|(a, b)| a != b);
                    panic!(
                        "{engine}, {linked}: breakpoints of `{id}` say {} and not {} times; first {differs:?}",
                        said.len(),
                        expected.len()
                    );
                }
            }
        }
    }
}
