//! The native engine: the annotated function itself, compiled by rustc, called for every VM over a thread pool.
//!
//! # The contract with generated code
//!
//! For each launchable routine `f` with the id `"step"`, `#[routine]` emits
//!
//! ```text
//! ::gpuvm::__private::inventory::submit! {
//!     ::gpuvm::__private::Registration {
//!         id: "step",
//!         file: ::core::file!(),
//!         line: ::core::line!(),                    // of the function's name
//!         params: &["x", "me", "all", "out", "bins"],
//!         routine: <the routine's `fn() -> &'static Routine`>,
//!         native: |cx| {
//!             let x = cx.column::<f32>(0)?;            // x: f32 (or x: &f32)
//!             let me = cx.records::<Boid>(1)?;         // me: &mut Boid
//!             let all = cx.slice::<Boid>(2)?;          // all: &[Boid]
//!             let out = cx.chunks::<u32>(3)?;          // out: &mut [u32]
//!             let bins = cx.atomics::<AtomicU32>(4)?;  // bins: &[AtomicU32]
//!             cx.run((me, out), |vm, (me, out)| f(*x.get(vm), me, all, out, bins))
//!         },
//!     }
//! }
//! ```
//!
//! - `column` gives a [`Column<T>`], whose `get(vm)` refers to the VM's value; pass a reference to a copy for `x: &f32`.
//! - `slice` and `atomics` give `&[T]` and `&[AtomicU32]`, to be passed on as they are.
//! - `records` and `chunks` go into the tuple that `run` takes, in order, at most 8 of them: `()` for none, `(me,)` for one. The
//!   closure gets a tuple of the same shape with this VM's `&mut T` and `&mut [T]`.
//! - The closure's result is `f`'s own: a `VmType`, `()` included. For `f: … -> !` write `{ f(…); }`.
//! - The `file` and `line` are shown when two routines have one id.
//!
//! A routine that calls other routines (not those of the standard library) begins, in the native copy, with
//! `let __depth = ::gpuvm::__private::enter(::core::file!(), LINE);`, where `LINE` is the line of the function's name, as in the
//! routine's `StackOverflow` site. The guard counts until it is dropped.
//!
//! `gpuvm::vm` is [`vm`]: `id`, `count`, `yield_now`, `halt` act for the VM that the thread is running; outside of a launch
//! they act for a launch of one.
//!
//! `name::launch` is emitted as
//!
//! ```text
//! pub fn launch<'a>(runtime: &Runtime, x: impl ColumnArg<'a, f32>, me: impl RecordArg<'a, Boid>, all: impl SliceArg<'a, Boid>,
//!     out: impl ChunkArg<'a, u32>, bins: impl AtomicArg<'a, AtomicU32>) -> Result<Done> {
//!     launch(runtime, "step", (x, me, all, out, bins))
//! }
//! ```
//!
//! and `#[derive(VmType)]` adds `impl Element for TheType {}`.
//!
//! # Traps
//!
//! A panic in the function is the VM's trap. It is caught, and the thread goes on with the next VM, so a program built with
//! `panic = "abort"` ends at the first trap. The result of a VM that trapped or halted is made of words that are 0.

mod ask;
pub(crate) mod context;
mod parts;
pub(crate) mod pool;
pub mod print;
#[cfg(test)]
mod tests;
pub mod vm;
pub(crate) mod watch;

use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::sync::OnceLock;

use gpuvm_core::program::{LogLine, Mode};
use gpuvm_core::types::VmType;
use gpuvm_engine::room;

use crate::atomics::{Atomics, OwnAtomics};
use crate::error::{Error, Result};
use crate::registry::Registration;
use crate::trap::Trap;
use crate::vector::{Vector, entries, entries_mut, read_all};
use crate::view::{Seen, View};
use crate::words::WordColumn;

pub use crate::atomics::Atomic;
pub(crate) use context::Host;
pub use context::{DepthGuard, enter};
pub use parts::{Chunks, Parts, Records};

/// Calls a routine's function for the VMs of a launch.
pub type NativeFn = fn(&mut NativeCx<'_>) -> Result<()>;

/// What a [`NativeFn`] works on: the arguments by place, and the VMs to run.
pub struct NativeCx<'b> {
    entry: &'static Registration,
    args: Vec<Option<NativeArg<'b>>>,
    vms: Vms,
    recursion_limit: u32,
    host: Host<'b>,
    ran: Option<Ran>,
}

/// The data of one argument.
enum NativeArg<'b> {
    Shared {
        vector: &'b dyn Vector,
        uniform: bool,
        /// The vector that the function wants, once it was made of one of words.
        typed: &'b OnceLock<Box<dyn Vector>>,
    },
    Exclusive(&'b mut dyn Vector),
    Atomics(Atomics<'b>),
}

/// What a native run gives.
#[derive(Debug)]
pub(crate) struct Ran {
    pub results: Box<dyn Vector>,
    /// The first trap, among all.
    pub first_trap: Option<Trap>,
    /// What VMs have printed, in any order of the VMs.
    pub texts: Vec<LogLine>,
    /// How many texts there were beside these.
    pub dropped_texts: u64,
}

/// Which VMs of a launch run, and on how many threads. What each VM sees its own of has as many entries.
#[derive(Clone, Debug)]
pub(crate) struct Vms {
    /// Their numbers.
    pub range: Range<u32>,
    /// How many VMs the launch has.
    pub count: u32,
    /// How many threads; as many as the CPU has if `None`.
    pub threads: Option<usize>,
}

impl Vms {
    /// All of a launch, on all threads.
    pub(crate) fn all(count: u32) -> Vms {
        Vms {
            range: 0..count,
            count,
            threads: None,
        }
    }
}

/// Calls a routine's function for VMs of a launch.
pub(crate) fn run(
    entry: &'static Registration,
    params: Vec<Seen<'_>>,
    vms: Vms,
    recursion_limit: u32,
    host: Host<'_>,
) -> Result<Ran> {
    let mut lent: Vec<Lent<'_>> = params.into_iter().map(Lent::new).collect();
    let args = lent.iter_mut().map(|lent| Some(lent.arg())).collect();
    let mut cx = NativeCx {
        entry,
        args,
        vms,
        recursion_limit,
        host,
        ran: None,
    };
    let called = (entry.native)(&mut cx);
    let ran = cx.ran;
    lent.into_iter().for_each(Lent::give_back);
    called?;
    ran.ok_or_else(|| Error::EngineUnavailable {
        engine: gpuvm_engine::Engine::Native,
        reason: format!("the native function of `{}` runs no VM", entry.id),
    })
}

/// A view, and a copy of its data in the form that the function needs where the view has another.
struct Lent<'v> {
    view: View<'v>,
    copy: Option<Box<dyn Vector>>,
    /// Atomics with the values of a buffer.
    atomics: Option<OwnAtomics>,
    typed: OnceLock<Box<dyn Vector>>,
}

impl<'v> Lent<'v> {
    fn new(Seen { mode, view, .. }: Seen<'v>) -> Lent<'v> {
        let (mut copy, mut atomics) = (None, None);
        match &view {
            View::Write(column) if mode == Mode::Atomic => {
                atomics = Some(OwnAtomics::of_words(column.element(), &view.words()));
            }
            View::Write(column) if column.as_vector().is_none() => copy = Some(column.to_vector()),
            View::Read { column, .. } if column.as_vector().is_none() => copy = Some(column.to_vector()),
            _ => {}
        }
        Lent {
            view,
            copy,
            atomics,
            typed: OnceLock::new(),
        }
    }

    fn arg(&mut self) -> NativeArg<'_> {
        static NOTHING: Vec<()> = Vec::new();
        let typed = &self.typed;
        match (&mut self.view, &mut self.copy, &self.atomics) {
            (_, _, Some(own)) => NativeArg::Atomics(own.view()),
            (View::Atomics(atomics), ..) => NativeArg::Atomics(*atomics),
            (View::Read { uniform, .. }, Some(copy), _) => NativeArg::Shared {
                vector: &**copy,
                uniform: *uniform,
                typed,
            },
            (View::Read { column, uniform }, None, _) => NativeArg::Shared {
                vector: column.as_vector().unwrap_or(&NOTHING),
                uniform: *uniform,
                typed,
            },
            // What runs natively was brought to the host.
            (View::Device { .. }, ..) => NativeArg::Shared {
                vector: &NOTHING,
                uniform: false,
                typed,
            },
            (View::Write(_), Some(copy), _) => NativeArg::Exclusive(&mut **copy),
            (View::Write(column), None, _) => match column.as_vector_mut() {
                Some(vector) => NativeArg::Exclusive(vector),
                None => NativeArg::Shared {
                    vector: &NOTHING,
                    uniform: false,
                    typed,
                },
            },
        }
    }

    /// Brings what the VMs changed in a copy back to where the copy is from.
    fn give_back(self) {
        if let View::Write(column) = self.view {
            if let Some(copy) = self.copy {
                column.copy_from(&*copy);
            }
            if let Some(own) = self.atomics {
                column.read_words(0..column.len(), &own.view().words());
            }
        }
    }
}

impl<'b> NativeCx<'b> {
    /// The values of parameter `index`, one a VM or one for all.
    ///
    /// # Errors
    ///
    /// [`Error::ArgumentType`] if the argument's entries are of another Rust type, however alike.
    pub fn column<T: VmType>(&mut self, index: usize) -> Result<Column<'b, T>> {
        match self.take(index) {
            Some(NativeArg::Shared { vector, uniform, typed }) => match typed_entries(vector, typed) {
                Some(entries) => Ok(Column {
                    entries,
                    stride: usize::from(!uniform && entries.len() > 1),
                }),
                None => Err(self.mismatch(index, Mode::Value, T::TYPE)),
            },
            _ => Err(self.mismatch(index, Mode::Value, T::TYPE)),
        }
    }

    /// The entries of parameter `index`, which all VMs see.
    ///
    /// # Errors
    ///
    /// As [`NativeCx::column`].
    pub fn slice<T: VmType>(&mut self, index: usize) -> Result<&'b [T]> {
        match self.take(index) {
            Some(NativeArg::Shared {
                vector,
                uniform: false,
                typed,
            }) => typed_entries(vector, typed).ok_or_else(|| self.mismatch(index, Mode::Slice, T::TYPE)),
            _ => Err(self.mismatch(index, Mode::Slice, T::TYPE)),
        }
    }

    /// The records of parameter `index`, one a VM.
    ///
    /// # Errors
    ///
    /// As [`NativeCx::column`].
    pub fn records<T: VmType>(&mut self, index: usize) -> Result<Records<'b, T>> {
        self.exclusive(index, Mode::Record).map(Records::new)
    }

    /// The chunks of parameter `index`, one a VM.
    ///
    /// # Errors
    ///
    /// As [`NativeCx::column`].
    pub fn chunks<T: VmType>(&mut self, index: usize) -> Result<Chunks<'b, T>> {
        let vms = self.vms.range.len();
        self.exclusive(index, Mode::Chunk)
            .map(|entries| Chunks::new(entries, vms))
    }

    /// The atomics of parameter `index`, which all VMs see. `A` is `AtomicU32`, `AtomicI32`, `AtomicU64` or `AtomicI64`.
    ///
    /// # Errors
    ///
    /// As [`NativeCx::column`].
    pub fn atomics<A: Atomic>(&mut self, index: usize) -> Result<&'b [A]> {
        let atomics = match self.take(index) {
            Some(NativeArg::Atomics(atomics)) => A::slice(atomics),
            _ => None,
        };
        atomics.ok_or_else(|| self.mismatch(index, Mode::Atomic, A::TYPE))
    }

    /// Calls `body` for each VM, with its number and its parts of what VMs write, and keeps the results. VMs that panic have
    /// trapped; the others go on.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if there is no room for the results, [`Error::Threads`] if the thread pool cannot be started.
    pub fn run<P: Parts, R: VmType>(&mut self, parts: P, body: impl Fn(usize, P::Item) -> R + Sync) -> Result<()> {
        self.run_pieces(parts, &Body(body))
    }

    /// Calls `work` for pieces of the launch over the thread pool. Generic over types alone and not over the function, so
    /// that routines of one signature share it: this is compiled in the user's crate.
    fn run_pieces<P: Parts, R: VmType>(&mut self, parts: P, work: &dyn Work<P, R>) -> Result<()> {
        let Vms { range, count, threads } = self.vms.clone();
        let (first, vms) = (range.start as usize, range.len());
        room::for_results(vms, size_of::<R>(), self.entry.id)?;
        let zeros = vec![0; R::TYPE.words as usize];
        let mut results = vec![R::read_words(&zeros); vms];
        let about = context::Vms {
            count,
            recursion_limit: self.recursion_limit,
            log: self.host.log,
            place: (self.entry.file, self.entry.line),
        };
        let launch = context::Launch::new(about, self.host);
        let parts = (Records::new(&mut results), parts);
        let pool = pool::get(self.recursion_limit, threads)?;
        let grain = pool::grain(vms, pool.current_num_threads());
        let pieces = pool::pieces(vms, parts, grain);
        pool::each(&pool, pieces.len(), &|piece| {
            if let Some((places, mut parts)) = pool::take(&pieces[piece]) {
                let numbers = first + places.start..first + places.end;
                launch.run_range(numbers, &mut |vm, rest| work.run(vm, rest, first, &mut parts));
            }
        });
        drop(pieces);
        self.ran = Some(launch.finish(Box::new(results)));
        Ok(())
    }

    fn take(&mut self, index: usize) -> Option<NativeArg<'b>> {
        self.args.get_mut(index).and_then(Option::take)
    }

    fn exclusive<T: VmType>(&mut self, index: usize, mode: Mode) -> Result<&'b mut [T]> {
        match self.take(index) {
            Some(NativeArg::Exclusive(vector)) => {
                entries_mut(vector).ok_or_else(|| self.mismatch(index, mode, T::TYPE))
            }
            _ => Err(self.mismatch(index, mode, T::TYPE)),
        }
    }

    /// Binding has compared the types by structure and names, so this is about two types of one name.
    fn mismatch(&self, index: usize, mode: Mode, element: &gpuvm_core::types::Type) -> Error {
        Error::ArgumentType {
            routine: self.entry.id.to_string(),
            parameter: self.entry.params.get(index).map_or("_", |name| name).to_string(),
            expected: crate::arg::accepted(mode, element),
            found: "of a different Rust type of the same name and form".to_string(),
        }
    }
}

/// What runs the VMs of a range over their parts. A trait of its own: to the methods of [`Fn`] as an object rustc would add four functions for each
/// routine.
trait Work<P, R>: Sync {
    /// Runs them. `vm` tells `vm::id` their numbers, and columns begin with the entry of the VM `first`.
    fn run(&self, vm: &Cell<u32>, range: Range<usize>, first: usize, parts: &mut (Records<'_, R>, P));
}

/// A routine's function, called with a VM's number and its parts of what VMs write.
struct Body<F>(F);

impl<P: Parts, R: VmType, F: Fn(usize, P::Item) -> R + Sync> Work<P, R> for Body<F> {
    fn run(&self, vm: &Cell<u32>, range: Range<usize>, first: usize, parts: &mut (Records<'_, R>, P)) {
        for number in range {
            vm.set(number as u32);
            if let Some((result, item)) = parts.next() {
                *result = (self.0)(number - first, item);
            }
        }
    }
}

/// The entries of a vector, or what its words mean where it is one of words of the same type.
fn typed_entries<'b, T: VmType>(vector: &'b dyn Vector, typed: &'b OnceLock<Box<dyn Vector>>) -> Option<&'b [T]> {
    let any: &dyn Any = vector;
    match any.downcast_ref::<WordColumn>() {
        Some(words) if words.element.same(T::TYPE) => {
            let make = || -> Box<dyn Vector> { Box::new(read_all::<T>(words.entries, &words.words)) };
            entries(&**typed.get_or_init(make))
        }
        _ => entries(vector),
    }
}

/// One value a VM, or one for all.
#[derive(Clone, Copy, Debug)]
pub struct Column<'b, T> {
    entries: &'b [T],
    stride: usize,
}

impl<'b, T> Column<'b, T> {
    /// The value of a VM.
    #[inline]
    pub fn get(&self, vm: usize) -> &'b T {
        &self.entries[vm * self.stride]
    }
}
