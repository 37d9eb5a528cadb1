//! Launches a routine on every engine and demands what the function gives, bit for bit: results, and what it wrote to its chunks.

use std::fmt::Debug;

use gpuvm::prelude::*;
use gpuvm::{Arg, Done, IntoArg, LeftToInterpreter};
use gpuvm_tests::runtime;

/// All of them; a software rasteriser such as lavapipe will do for the last three.
const ENGINES: [Engine; 5] = [
    Engine::Native,
    Engine::Reference,
    Engine::Interpreter,
    Engine::Epoch,
    Engine::Specialized,
];

/// `agree!(crc32(slice(b"abc")))` checks the routine `crc32` in scope, which has that id, with these arguments.
macro_rules! agree {
    ($routine:ident($($argument:expr),* $(,)?)) => {
        $crate::harness::check(stringify!($routine), $routine, ($($argument,)*))
    };
}

/// What an argument is to a launch and to a plain call.
pub trait Argument: Clone {
    /// What one VM's call is given.
    type Given<'a>
    where
        Self: 'a;

    /// How many VMs there are by it; `None` where it says nothing of that.
    fn vms(&self) -> Option<usize>;

    /// What it gives the function for a VM.
    fn of_vm(&mut self, vm: usize) -> Self::Given<'_>;

    /// What it gives the launch.
    fn of_launch(&mut self) -> Arg<'_>;

    /// What is in it. `{:?}` tells every two values apart but for NaN, whose bits nobody can observe.
    fn text(&self) -> String;
}

/// A value for each VM, or one for all: a parameter `x: T`.
pub fn each<T, const N: usize>(values: [T; N]) -> Each<T> {
    Each(values.into())
}

/// The same entries for all VMs: a parameter `all: &[T]`.
pub fn slice<T: Clone>(entries: &[T]) -> Slice<T> {
    Slice(entries.into())
}

/// What is in the chunks of the VMs before they run: a parameter `out: &mut [T]`.
pub fn chunks<T: Clone, const LEN: usize, const N: usize>(chunks: [[T; LEN]; N]) -> Chunks<T> {
    Chunks {
        entries: chunks.concat(),
        len: LEN,
    }
}

#[derive(Clone)]
pub struct Each<T>(Vec<T>);

impl<T: VmType + Debug + for<'a> IntoArg<'a>> Argument for Each<T>
where
    for<'a> &'a [T]: IntoArg<'a>,
{
    type Given<'a> = T;

    fn vms(&self) -> Option<usize> {
        (self.0.len() > 1).then_some(self.0.len())
    }

    fn of_vm(&mut self, vm: usize) -> T {
        self.0[if self.0.len() == 1 { 0 } else { vm }]
    }

    fn of_launch(&mut self) -> Arg<'_> {
        match self.0[..] {
            [one] => one.into_arg(),
            _ => self.0.as_slice().into_arg(),
        }
    }

    fn text(&self) -> String {
        format!("{:?}", self.0)
    }
}

#[derive(Clone)]
pub struct Slice<T>(Vec<T>);

impl<T: VmType + Debug> Argument for Slice<T>
where
    for<'a> &'a [T]: IntoArg<'a>,
{
    type Given<'a> = &'a [T];

    fn vms(&self) -> Option<usize> {
        None
    }

    fn of_vm(&mut self, _: usize) -> &[T] {
        &self.0
    }

    fn of_launch(&mut self) -> Arg<'_> {
        self.0.as_slice().into_arg()
    }

    fn text(&self) -> String {
        format!("{:?}", self.0)
    }
}

#[derive(Clone)]
pub struct Chunks<T> {
    entries: Vec<T>,
    len: usize,
}

impl<T: VmType + Debug> Argument for Chunks<T>
where
    for<'a> &'a mut [T]: IntoArg<'a>,
{
    type Given<'a> = &'a mut [T];

    fn vms(&self) -> Option<usize> {
        Some(self.entries.len() / self.len)
    }

    fn of_vm(&mut self, vm: usize) -> &mut [T] {
        &mut self.entries[vm * self.len..][..self.len]
    }

    fn of_launch(&mut self) -> Arg<'_> {
        self.entries.as_mut_slice().into_arg()
    }

    fn text(&self) -> String {
        format!("{:?}", self.entries)
    }
}

/// All arguments of a launch.
pub trait Arguments: Clone {
    fn vms(&self) -> usize;

    fn launch(&mut self, id: &str, engine: Engine) -> gpuvm::Result<Done>;

    fn texts(&self) -> Vec<String>;
}

/// The function that was annotated.
pub trait Function<A, R> {
    fn call(&self, arguments: &mut A, vm: usize) -> R;
}

macro_rules! arguments {
    ($($($name:ident $place:tt),*;)*) => {$(
        impl<$($name: Argument),*> Arguments for ($($name,)*) {
            fn vms(&self) -> usize {
                [$(self.$place.vms()),*].into_iter().flatten().max().unwrap_or(1)
            }

            fn launch(&mut self, id: &str, engine: Engine) -> gpuvm::Result<Done> {
                let vms = self.vms();
                runtime().launch(id)?.args(($(self.$place.of_launch(),)*)).vms(vms).engine(engine).run()
            }

            fn texts(&self) -> Vec<String> {
                vec![$(self.$place.text()),*]
            }
        }

        impl<F: for<'a> Fn($($name::Given<'a>),*) -> R, R, $($name: Argument + 'static),*> Function<($($name,)*), R> for F {
            fn call(&self, arguments: &mut ($($name,)*), vm: usize) -> R {
                self($(arguments.$place.of_vm(vm)),*)
            }
        }
    )*};
}
arguments! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
}

/// `cargo xtask first-instruction` sets it to be told how long launches take.
const TIMED: &str = "GPUVM_FIRST_INSTRUCTION";

/// Tells how long a launch took and how long the same took again, when nothing had to be compiled any more. xtask reads it.
fn tell(id: &str, engine: Engine, first: &Done, again: &Done) {
    let (first, again) = (first.stats(), again.stats());
    let [first_time, again_time] = [first, again].map(|stats| stats.host_time.as_secs_f64());
    let estimate = match first.left_to_interpreter {
        Some(LeftToInterpreter::Compiling(time)) => format!("{:.1}", time.as_secs_f64()),
        _ => "-".to_string(),
    };
    let device = &first.device;
    println!(
        "launched\t{id}\t{engine}\t{first_time:.3}\t{again_time:.3}\t{estimate}\t{:?}\t{}",
        device.kind, device.name
    );
}

/// Runs the routine `id`, whose function is `function`, on every engine.
pub fn check<A: Arguments, R: VmType + Debug, F: Function<A, R>>(id: &str, function: F, arguments: A) {
    let mut after = arguments.clone();
    let results: Vec<R> = (0..arguments.vms()).map(|vm| function.call(&mut after, vm)).collect();
    let expected = (format!("{results:?}"), after.texts());
    let timed = std::env::var_os(TIMED).is_some();
    for engine in ENGINES {
        let mut after = arguments.clone();
        let done = after.launch(id, engine);
        if let (true, Ok(done)) = (timed, &done) {
            let again = arguments.clone().launch(id, engine);
            tell(id, engine, done, &again.expect("what ran once"));
        }
        if let (Engine::Specialized, Ok(done)) = (engine, &done) {
            // What its compiler would take too long over does not get there, and whoever asks is told.
            let stats = done.stats();
            let left = matches!(stats.left_to_interpreter, Some(LeftToInterpreter::Compiling(_)));
            assert_eq!(stats.engine == Engine::Interpreter, left, "`{id}`: {stats}");
        }
        let results = done.and_then(|done| done.output::<Vec<R>>());
        let results = results.unwrap_or_else(|error| panic!("{engine}: `{id}` of {:?}: {error}", arguments.texts()));
        assert_eq!(
            (format!("{results:?}"), after.texts()),
            expected,
            "{engine}: `{id}` of {:?}",
            arguments.texts()
        );
    }
}
