//! Runs a routine on every engine over the same columns and demands what the annotated function itself gives, bit for bit:
//! every result, the first trap with its place and message, and the number of traps.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Range;

use gpuvm::prelude::*;
use gpuvm::{Dispatch, Done, TrapReport};
pub use gpuvm_tests::runtime;

use crate::oracle::{self, Native, Panic};
use crate::sample::{Rng, Row, VMS, Way};

/// The engines that every case runs on. A software rasteriser such as lavapipe will do for the last.
#[cfg(not(wrapping))]
pub const ENGINES: [Engine; 5] = [
    Engine::Native,
    Engine::Reference,
    Engine::Interpreter,
    Engine::Epoch,
    Engine::Specialized,
];

/// Where integer overflow wraps, routines are encoded otherwise, and nothing else is otherwise: the engines that compile nothing will do.
#[cfg(wrapping)]
pub const ENGINES: [Engine; 3] = [Engine::Native, Engine::Reference, Engine::Interpreter];

/// The engines that can pause.
pub fn pausing() -> Vec<Engine> {
    ENGINES.into_iter().filter(|engine| *engine != Engine::Native).collect()
}

/// How many kinds of traps of one case are looked at one by one.
const TRAPS_ALONE: usize = 4;

/// VMs of cases that take long.
const FEW: usize = 192;
/// How many VMs are run in the dispatch modes that are not the default. Programs of several submissions take long on a software rasteriser.
const DISPATCHED: usize = 128;

/// A routine to check, and how.
pub struct Case {
    /// Its id.
    pub name: &'static str,
    /// Checks it on one runtime's engines.
    pub check: fn(&Runtime, &[Engine]),
}

/// Makes a `#[test]` of each of the routines in scope, and lists them as `cases::ALL` for the tests of settings.
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        cases! { @by agree: $($name)* }
    };
    // Fewer VMs of each, of routines that take long on a software rasteriser.
    (few: $($name:ident),* $(,)?) => {
        cases! { @by agree_on_few: $($name)* }
    };
    (@by $agree:ident: $($name:ident)*) => {
        pub mod cases {
            use $crate::harness::{Case, ENGINES, $agree, runtime};

            /// The cases of this module.
            pub const ALL: &[Case] =
                &[$(Case { name: stringify!($name), check: |runtime, engines| $agree(runtime, engines, stringify!($name), super::$name) }),*];

            $(
                #[test]
                fn $name() {
                    $agree(runtime(), &ENGINES, stringify!($name), super::$name);
                }
            )*
        }
    };
}

/// The same for routines that were made up: nobody promises that most of their VMs end without a trap.
#[allow(unused_macros, reason = "one half of the suite has them")]
macro_rules! random_cases {
    ($name:ident) => {
        cases! { @by agree_on_anything: $name }
    };
}

/// Runs the routine `id`, whose function is `native`, over sampled columns on the engines and compares. Refuses a case in
/// which nearly every VM traps: it would show little.
pub fn agree<I: Row, R: VmType + Debug, F: Native<I, R>>(runtime: &Runtime, engines: &[Engine], id: &str, native: F) {
    sampled::<I, R>(id, &native, VMS)
        .assert_worth_running()
        .compare(runtime, engines);
}

/// The same for [`FEW`] VMs.
#[allow(dead_code, reason = "one half of the suite has cases of so many")]
pub fn agree_on_few<I: Row, R: VmType + Debug, F: Native<I, R>>(
    runtime: &Runtime,
    engines: &[Engine],
    id: &str,
    native: F,
) {
    sampled::<I, R>(id, &native, FEW)
        .assert_worth_running()
        .compare(runtime, engines);
}

/// The same, whatever share of the VMs traps.
pub fn agree_on_anything<I: Row, R: VmType + Debug, F: Native<I, R>>(
    runtime: &Runtime,
    engines: &[Engine],
    id: &str,
    native: F,
) {
    sampled::<I, R>(id, &native, VMS).compare(runtime, engines);
}

/// What a case has to do with types ends here: hundreds of routines share the rest of the harness, compiled once. For the same reason there are loops
/// here in place of iterators, of which rustc makes ten functions for each type.
fn sampled<'c, I: Row + 'c, R: VmType + Debug>(id: &'c str, native: &dyn Native<I, R>, vms: usize) -> Sampled<'c> {
    let rows = I::rows(&mut Rng::named(id));
    // Edge values are in the first half, and random ones in the second.
    let rows: Vec<I> = rows.into_iter().step_by(VMS.div_ceil(vms)).collect();
    let (mut inputs, mut expected) = (Vec::new(), Vec::new());
    for row in &rows {
        inputs.push(text(row));
        expected.push(oracle::call(&|| text(&native.call(*row))));
    }
    Sampled {
        id,
        inputs,
        expected,
        launch: Box::new(move |runtime, way, vms| I::launch(&rows[vms], runtime, id, way)),
        results: |done| {
            let mut results = Vec::new();
            for result in &done.output::<Vec<R>>()? {
                results.push(text(result));
            }
            Ok(results)
        },
    }
}

fn text(value: &dyn Debug) -> String {
    format!("{value:?}")
}

/// A case with its inputs and what the function gives for them, as text: `{:?}` tells every two values apart, −0.0 from 0.0
/// too, but for the sign and payload of NaN, which nobody can observe.
struct Sampled<'c> {
    id: &'c str,
    inputs: Vec<String>,
    expected: Vec<Result<String, Panic>>,
    launch: Box<dyn Fn(&Runtime, Way, Range<usize>) -> gpuvm::Result<Done> + 'c>,
    results: fn(&Done) -> gpuvm::Result<Vec<String>>,
}

impl Sampled<'_> {
    fn assert_worth_running(self) -> Self {
        let finished = self.expected.iter().filter(|vm| vm.is_ok()).count();
        assert!(
            finished >= self.expected.len() / 16,
            "only {finished} VMs of `{}` end without a trap: choose other inputs",
            self.id
        );
        self
    }

    /// Compares all VMs at once, then some in the other dispatch modes, and the first few that trap each in its own way one by one.
    fn compare(&self, runtime: &Runtime, engines: &[Engine]) {
        for &engine in engines {
            let way = Way {
                engine,
                dispatch: Dispatch::default(),
                all_traps: false,
            };
            // Engines do otherwise where all traps are told, so half of the cases have each.
            let all_traps = self.id.len().is_multiple_of(2);
            let submissions = self.check(runtime, Way { all_traps, ..way }, 0..self.inputs.len());
            // How submissions follow each other makes a difference only where there are several.
            for dispatch in [Dispatch::Standard, Dispatch::Mega] {
                if submissions > 1 {
                    self.check(runtime, Way { dispatch, ..way }, 0..self.inputs.len().min(DISPATCHED));
                }
            }
            for vm in self.kinds_of_traps().into_values().take(TRAPS_ALONE) {
                self.check(runtime, way, vm..vm + 1);
            }
        }
    }

    /// The first VM of each kind of trap.
    fn kinds_of_traps(&self) -> BTreeMap<(u32, &str), usize> {
        let mut kinds = BTreeMap::new();
        for (vm, result) in self.expected.iter().enumerate() {
            if let Err(panic) = result {
                kinds.entry((panic.line, panic.message.as_str())).or_insert(vm);
            }
        }
        kinds
    }

    /// Gives how many submissions it took.
    fn check(&self, runtime: &Runtime, way: Way, vms: Range<usize>) -> u64 {
        let engine = way.engine;
        let (id, inputs, expected) = (self.id, &self.inputs[vms.clone()], &self.expected[vms.clone()]);
        let first = expected.iter().position(Result::is_err);
        let done = match (self.launch)(runtime, way, vms) {
            Ok(done) => {
                if let Some(vm) = first {
                    panic!(
                        "{engine}: `{id}` traps nowhere; VM {vm} with {} should: {:?}",
                        inputs[vm], expected[vm]
                    );
                }
                done
            }
            Err(gpuvm::Error::Trap(report)) => {
                let vm = report.vm as usize;
                match &expected[vm] {
                    Ok(result) => panic!("{engine}: `{id}` with {} should give {result}: {report}", inputs[vm]),
                    Err(panic) => assert_trap(engine, id, &inputs[vm], panic, &report),
                }
                assert_eq!(Some(vm), first, "{engine}: the first VM of `{id}` that traps");
                let mut traps: Vec<u32> = (0..)
                    .zip(expected)
                    .filter(|(_, vm)| vm.is_err())
                    .map(|(vm, _)| vm)
                    .collect();
                assert_eq!(
                    report.count,
                    traps.len() as u64,
                    "{engine}: how many VMs of `{id}` trap"
                );
                if !way.all_traps {
                    traps.truncate(1);
                }
                assert_eq!(report.vms, traps, "{engine}: which VMs of `{id}` trap");
                report.into_done()
            }
            Err(error) => panic!("{engine}: `{id}` cannot be run: {error}"),
        };
        let results = (self.results)(&done).unwrap_or_else(|error| panic!("{engine}: results of `{id}`: {error}"));
        assert_eq!(results.len(), inputs.len(), "{engine}: number of results of `{id}`");
        for ((vm, result), expected) in results.iter().enumerate().zip(expected) {
            if let Ok(expected) = expected
                && result != expected
            {
                panic!(
                    "{engine}: VM {vm} of `{id}` with {} gives {result} and should give {expected}",
                    inputs[vm]
                );
            }
        }
        done.stats().submissions
    }
}

/// Demands the native panic's message, and its place where that lies in the user's own code: a panic inside of std's
/// source is reported at the call instead.
fn assert_trap(engine: Engine, id: &str, input: &str, panic: &Panic, report: &TrapReport) {
    assert_eq!(
        report.message, panic.message,
        "{engine}: message of the first trap of `{id}`, with {input}"
    );
    let in_std = panic.file.starts_with("/rustc/") || panic.file.contains("/library/core/");
    let by_depth = panic.message.starts_with("stack overflow");
    if !in_std && !by_depth {
        assert_eq!(
            (report.file.as_str(), report.line),
            (panic.file.as_str(), panic.line),
            "{engine}: place of the first trap of `{id}`"
        );
    }
}
