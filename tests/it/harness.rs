//! Runs a routine on every engine over the same columns and demands what the annotated function itself gives, bit for bit:
//! every result, the first trap with its place and message, and the number of traps.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::OnceLock;

use gpuvm::prelude::*;

use crate::oracle::{self, Native, Panic};
use crate::sample::{Rng, Row};

/// The engines that every case runs on. A software rasteriser such as lavapipe will do for the last.
pub const ENGINES: [Engine; 3] = [Engine::Native, Engine::Reference, Engine::Interpreter];

/// How many kinds of traps of one case are looked at one by one.
const TRAPS_ALONE: usize = 4;

/// A routine to check, and how.
pub struct Case {
    /// Its id.
    pub name: &'static str,
    /// Checks it on one runtime's engines.
    pub check: fn(&Runtime, &[Engine]),
}

/// Makes a `#[test]` of each of the routines in scope, and lists them as `cases::ALL` for the tests of settings.
#[macro_export]
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        pub mod cases {
            use $crate::harness::{Case, ENGINES, agree, runtime};

            /// The cases of this file.
            pub const ALL: &[Case] =
                &[$(Case { name: stringify!($name), check: |runtime, engines| agree(runtime, engines, stringify!($name), super::$name) }),*];

            $(
                #[test]
                fn $name() {
                    agree(runtime(), &ENGINES, stringify!($name), super::$name);
                }
            )*
        }
    };
}

/// The runtime that all tests share.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| runtime_with(Settings::default()))
}

/// A runtime whose linker has the given settings.
///
/// The tests need a GPU or a software rasteriser. Passing without one would say of the GPU engines what nobody has checked.
pub fn runtime_with(settings: Settings) -> Runtime {
    match Runtime::builder().backend(Backend::Wgpu).settings(settings).build() {
        Ok(runtime) => runtime,
        Err(error) => panic!("the tests need a device that wgpu can open; a software one such as Mesa's lavapipe will do: {error}"),
    }
}

/// Runs the routine `id`, whose function is `native`, over sampled columns on the engines and compares.
pub fn agree<I, R, F>(runtime: &Runtime, engines: &[Engine], id: &str, native: F)
where
    I: Row,
    R: VmType + Debug,
    F: Native<I, R>,
{
    let rows = I::rows(&mut Rng::named(id));
    let expected = Expected::of(&rows, &native);
    expected.assert_worth_running(id);
    for &engine in engines {
        check(runtime, engine, id, &rows, &expected);
        for (_, vm) in expected.kinds_of_traps().into_iter().take(TRAPS_ALONE) {
            let row = &rows[vm..=vm];
            check(runtime, engine, id, row, &Expected::of(row, &native));
        }
    }
}

/// What the function gives for each VM.
struct Expected<R> {
    vms: Vec<Result<R, Panic>>,
}

impl<R: Debug> Expected<R> {
    fn of<I: Copy>(rows: &[I], native: &impl Native<I, R>) -> Self {
        Expected { vms: rows.iter().map(|row| oracle::call(|| native.call(*row))).collect() }
    }

    /// A case in which nearly every VM traps would show little.
    fn assert_worth_running(&self, id: &str) {
        let finished = self.vms.iter().filter(|vm| vm.is_ok()).count();
        assert!(finished >= self.vms.len() / 16, "only {finished} VMs of `{id}` end without a trap: choose other inputs");
    }

    /// The first VM of each kind of trap.
    fn kinds_of_traps(&self) -> BTreeMap<(u32, &str), usize> {
        let mut kinds = BTreeMap::new();
        for (vm, result) in self.vms.iter().enumerate() {
            if let Err(panic) = result {
                kinds.entry((panic.line, panic.message.as_str())).or_insert(vm);
            }
        }
        kinds
    }
}

fn check<I: Row, R: VmType + Debug>(runtime: &Runtime, engine: Engine, id: &str, rows: &[I], expected: &Expected<R>) {
    let traps = expected.vms.iter().filter(|vm| vm.is_err()).count();
    let done = match I::launch(rows, runtime, id, engine) {
        Ok(done) => {
            if let Some((vm, Err(panic))) = expected.vms.iter().enumerate().find(|(_, vm)| vm.is_err()) {
                panic!("{engine}: `{id}` does not trap at all, and VM {vm} with {:?} should: {panic:?}", rows[vm]);
            }
            done
        }
        Err(gpuvm::Error::Trap(report)) => {
            let vm = report.vm as usize;
            match &expected.vms[vm] {
                Ok(result) => panic!("{engine}: `{id}` traps in VM {vm} with {:?}, which should give {result:?}: {report}", rows[vm]),
                Err(panic) => assert_trap(engine, id, panic, &report),
            }
            let first = expected.vms.iter().position(Result::is_err);
            assert_eq!(Some(vm), first, "{engine}: the first trap of `{id}` by VM id");
            assert_eq!(report.count, traps as u64, "{engine}: how many VMs of `{id}` trap");
            report.into_done()
        }
        Err(error) => panic!("{engine}: `{id}` cannot be run: {error}"),
    };
    let results = done.output::<Vec<R>>().unwrap_or_else(|error| panic!("{engine}: results of `{id}`: {error}"));
    assert_eq!(results.len(), rows.len(), "{engine}: number of results of `{id}`");
    for (vm, (result, expected)) in results.iter().zip(&expected.vms).enumerate() {
        // `{:?}` tells every two values apart, −0.0 from 0.0 too, but for the sign and payload of NaN, which nobody can observe.
        if let Ok(expected) = expected
            && format!("{result:?}") != format!("{expected:?}")
        {
            panic!("{engine}: VM {vm} of `{id}` with {:?} gives {result:?} and should give {expected:?}", rows[vm]);
        }
    }
}

/// Demands the native panic's message, and its place where that lies in the user's own code: a panic inside of std's
/// source is reported at the call instead.
fn assert_trap(engine: Engine, id: &str, panic: &Panic, report: &gpuvm::TrapReport) {
    assert_eq!(report.message, panic.message, "{engine}: message of the first trap of `{id}`, VM {}", report.vm);
    let in_std = panic.file.starts_with("/rustc/") || panic.file.contains("/library/core/");
    let by_depth = panic.message.starts_with("stack overflow");
    if !in_std && !by_depth {
        assert_eq!((report.file.as_str(), report.line), (panic.file.as_str(), panic.line), "{engine}: place of the first trap of `{id}`");
    }
}
