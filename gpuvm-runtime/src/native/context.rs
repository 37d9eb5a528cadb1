//! What a thread knows about the VM it runs: its number, its depth of recursion, and, when the function panics, where and
//! why. A panic hook collects the latter and keeps such panics, which are traps and no news, off the terminal.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use gpuvm_core::routine::Cause;
use gpuvm_core::settings::Settings;

use super::print::{self, Printed};
use super::{Ran, ask, pool};
use crate::logs::{LogLimit, Logs};
use crate::questions::Answering;
use crate::trap::Trap;
use crate::vector::Vector;

thread_local! {
    static VM: Vm = const {
        Vm { running: Cell::new(false), id: Cell::new(0), count: Cell::new(1), depth: Cell::new(0), limit: Cell::new(None), top: Cell::new(0), floor: Cell::new(0) }
    };
    static CAUGHT: RefCell<Option<Caught>> = const { RefCell::new(None) };
}

/// The VM that a thread runs.
struct Vm {
    running: Cell<bool>,
    id: Cell<u32>,
    count: Cell<u32>,
    depth: Cell<u32>,
    limit: Cell<Option<u32>>,
    /// The highest address of the thread's stack that was seen.
    top: Cell<usize>,
    /// The address that no frame of its calls may reach: there is not much stack left below it.
    floor: Cell<usize>,
}

/// Where and why a native VM panicked.
struct Caught {
    file: String,
    line: u32,
    message: String,
}

/// The payload that unwinds a VM that has halted.
struct Halted;

/// The payload that unwinds a VM that has trapped without a panic.
struct Trapped;

pub(super) fn vm_id() -> u32 {
    VM.with(|vm| vm.id.get())
}

pub(super) fn vm_count() -> u32 {
    VM.with(|vm| vm.count.get())
}

/// Whether the thread runs a VM.
pub(super) fn is_running() -> bool {
    VM.with(|vm| vm.running.get())
}

/// Calls what is none of the VM's own: its panics are told as any, and what it runs itself leaves no trace.
pub(super) fn aside<T>(call: impl FnOnce() -> T) -> T {
    /// Also if `call` panics.
    struct Back(bool, u32, u32, u32, Option<u32>);
    impl Drop for Back {
        fn drop(&mut self) {
            let Back(running, id, count, depth, limit) = *self;
            VM.with(|vm| {
                vm.running.set(running);
                vm.id.set(id);
                vm.count.set(count);
                vm.depth.set(depth);
                vm.limit.set(limit);
            });
        }
    }
    let _back = VM.with(|vm| {
        Back(
            vm.running.replace(false),
            vm.id.get(),
            vm.count.get(),
            vm.depth.get(),
            vm.limit.get(),
        )
    });
    call()
}

pub(super) fn halt() -> ! {
    if VM.with(|vm| vm.running.get()) {
        resume_unwind(Box::new(Halted));
    }
    panic!("vm::halt() was called outside of a launch, where there is no VM to end");
}

/// Counts one level of recursion until it is dropped.
#[derive(Debug)]
#[must_use = "the level of recursion ends when the guard is dropped"]
pub struct DepthGuard(());

/// Enters a routine that calls others. Past the settings' recursion limit the VM traps at `file:line`, where the VM on any
/// other engine does; outside of a launch that is a panic, and the limit is that of the default settings. A VM whose frames fill the
/// thread's stack before that traps as well, while any other end of a stack is the end of the process.
#[track_caller]
#[inline]
pub fn enter(file: &'static str, line: u32) -> DepthGuard {
    let here = on_stack();
    let (depth, limit, floor) = VM.with(|vm| {
        vm.depth.set(vm.depth.get() + 1);
        (vm.depth.get(), vm.limit.get(), vm.floor.get())
    });
    // The guard is there before the check, so that the level is counted down again however this ends.
    let guard = DepthGuard(());
    let most = limit.unwrap_or_else(|| Settings::default().recursion_limit);
    if depth > most {
        overflow(file, line, Cause::StackOverflow.message([most, 0, 0, 0], &[]));
    }
    if here < floor {
        overflow(file, line, full(depth, limit.unwrap_or_default()));
    }
    guard
}

/// Where the stack's end is, more or less.
#[inline]
fn on_stack() -> usize {
    let marker = 0u8;
    std::ptr::from_ref(std::hint::black_box(&marker)).addr()
}

/// What a VM says whose frames fill the thread's stack.
#[cold]
fn full(depth: u32, limit: u32) -> String {
    format!(
        "stack overflow: {depth} nested calls fill the {} MiB of native stack that a thread has for recursion {limit} deep; a larger \
         `.depth(n)` gives it {} KiB for each of n",
        pool::stack(limit) >> 20,
        pool::STACK_PER_LEVEL >> 10
    )
}

impl Drop for DepthGuard {
    #[inline]
    fn drop(&mut self) {
        VM.with(|vm| vm.depth.set(vm.depth.get() - 1));
    }
}

#[track_caller]
#[cold]
fn overflow(file: &'static str, line: u32, message: String) -> ! {
    if VM.with(|vm| vm.running.get()) {
        CAUGHT.set(Some(Caught {
            file: file.to_string(),
            line,
            message,
        }));
        resume_unwind(Box::new(Trapped));
    }
    panic!("{message}");
}

/// How long nobody looks whether a launch was cancelled, but for a VM that takes longer.
const SOON: Duration = Duration::from_millis(1);

/// What the host does while VMs run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Host<'h> {
    /// How much it keeps of what they print.
    pub log: LogLimit,
    /// Whether it wants them no more. Then no further VM begins, and what they give is not complete.
    pub cancelled: Option<&'h AtomicBool>,
    /// Who answers them.
    pub answering: Option<&'h dyn Answering>,
    /// Where it counts those that are over.
    pub over: Option<&'h AtomicU64>,
}

impl Host<'_> {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled
            .is_some_and(|cancelled| cancelled.load(Ordering::Relaxed))
    }

    /// So many more VMs are over.
    pub(crate) fn count_over(&self, vms: usize) {
        if let Some(over) = self.over {
            over.fetch_add(vms as u64, Ordering::Relaxed);
        }
    }
}

/// What the threads of one launch share.
pub(super) struct Launch<'c> {
    vms: Vms,
    host: Host<'c>,
    first_trap: Mutex<Option<Trap>>,
    printed: Mutex<Printed>,
}

impl<'c> Launch<'c> {
    pub(super) fn new(vms: Vms, host: Host<'c>) -> Launch<'c> {
        Launch {
            vms,
            host,
            first_trap: Mutex::new(None),
            printed: Mutex::new(Printed::default()),
        }
    }

    /// Calls `run` for a range of VMs, on this thread; it goes through them and says each one's number to `vm::id` by the cell. After a VM that traps or
    /// halts, `run` is called for the rest. Not generic, so that it is compiled once.
    pub(super) fn run_range(&self, range: Range<usize>, run: &mut dyn FnMut(&Cell<u32>, Range<usize>)) {
        ask::with(self.host.answering, || self.run_vms(range, run));
    }

    fn run_vms(&self, range: Range<usize>, run: &mut dyn FnMut(&Cell<u32>, Range<usize>)) {
        let running = Running::start(self.vms);
        let mut next = range.start;
        // A launch that may be cancelled takes as many VMs at a time as are over soon.
        let cancelled = self.host.cancelled;
        let mut at_a_time = if cancelled.is_some() { 1 } else { usize::MAX };
        while next < range.end && !self.host.is_cancelled() {
            let end = next.saturating_add(at_a_time).min(range.end);
            let begin = cancelled.map(|_| Instant::now());
            let first = next;
            match running.catch(&mut || VM.with(|vm| run(&vm.id, next..end))) {
                Ended::Done => next = end,
                Ended::Halted => next = vm_id() as usize + 1,
                Ended::Trapped(trap) => {
                    self.trap(trap);
                    next = vm_id() as usize + 1;
                }
            }
            self.host.count_over(next - first);
            if begin.is_some_and(|begin| begin.elapsed() < SOON) {
                at_a_time = at_a_time.saturating_mul(4);
            }
        }
        let printed = print::take();
        if !printed.is_empty() {
            let mut all = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
            all.append(printed);
        }
    }

    /// What came of the VMs, which have returned these results.
    pub(super) fn finish(self, results: Box<dyn Vector>) -> Ran {
        let printed = self.printed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut first_trap = self.first_trap.into_inner().unwrap_or_else(PoisonError::into_inner);
        first_trap.iter_mut().for_each(|trap| trap.vms.sort_unstable());
        Ran {
            results,
            first_trap,
            texts: printed.texts,
            dropped_texts: printed.dropped,
        }
    }

    fn trap(&self, trap: Trap) {
        let mut first = self.first_trap.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *first {
            Some(first) if first.vm < trap.vm => first.vms.push(trap.vm),
            first => {
                let others = first.take().map(|later| later.vms);
                let vms = others.into_iter().flatten().chain([trap.vm]).collect();
                *first = Some(trap.among(vms));
            }
        }
    }
}

/// The VMs that a thread is about to run.
#[derive(Clone, Copy)]
pub(crate) struct Vms {
    /// How many there are, for `vm::count`.
    pub count: u32,
    /// How deep they may recurse.
    pub recursion_limit: u32,
    /// How much of what they print is kept.
    pub log: LogLimit,
    /// File and line of the function that they run.
    pub place: (&'static str, u32),
}

/// How a function ended that VMs ran.
pub(crate) enum Ended {
    Done,
    Halted,
    Trapped(Trap),
}

/// Marks the thread as running VMs until it is dropped.
pub(crate) struct Running {
    vms: Vms,
    outer_depth: u32,
}

impl Running {
    /// Marks the thread.
    pub(crate) fn start(vms: Vms) -> Running {
        install_hook();
        print::keep(vms.log);
        VM.with(|vm| {
            vm.running.set(true);
            vm.count.set(vms.count);
            vm.limit.set(Some(vms.recursion_limit));
            vm.top.set(vm.top.get().max(on_stack()));
            vm.floor
                .set(vm.top.get().saturating_sub(pool::depth_of_frames(vms.recursion_limit)));
            Running {
                vms,
                outer_depth: vm.depth.replace(0),
            }
        })
    }

    /// Calls `run`, whose panics are traps of the VM that `vm::id` tells.
    pub(crate) fn catch(&self, run: &mut dyn FnMut()) -> Ended {
        let Err(payload) = catch_unwind(AssertUnwindSafe(run)) else {
            return Ended::Done;
        };
        VM.with(|vm| vm.depth.set(0));
        if payload.is::<Halted>() {
            return Ended::Halted;
        }
        let Caught { file, line, message } = CAUGHT.take().unwrap_or_else(|| self.without_hook(&*payload));
        Ended::Trapped(Trap {
            vm: vm_id(),
            file,
            line,
            message,
            stack: Vec::new(),
            vms: vec![vm_id()],
        })
    }

    /// What VMs have printed on this thread.
    pub(crate) fn logs(&self) -> Logs {
        let printed = print::take();
        Logs::within(printed.texts, printed.dropped, self.vms.log)
    }

    /// As [`Running::catch`], for one VM.
    pub(crate) fn catch_vm(&self, id: u32, run: &mut dyn FnMut()) -> Ended {
        VM.with(|vm| vm.id.set(id));
        self.catch(run)
    }

    /// What is known of a panic when the program has put its own hook in place of ours.
    fn without_hook(&self, payload: &(dyn std::any::Any + Send)) -> Caught {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_string());
        let message = text
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let (file, line) = self.vms.place;
        Caught {
            file: file.to_string(),
            line,
            message,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        VM.with(|vm| {
            vm.running.set(false);
            vm.id.set(0);
            vm.count.set(1);
            vm.limit.set(None);
            vm.depth.set(self.outer_depth);
        });
    }
}

/// Puts a hook before the process's own that records the panics of VMs and leaves all others to it.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    // A hook cannot be set while the thread unwinds; the launch then reports its traps without their places.
    if std::thread::panicking() {
        return;
    }
    INSTALLED.call_once(|| {
        let outer = take_hook();
        set_hook(Box::new(move |info| match VM.try_with(|vm| vm.running.get()) {
            Ok(true) => record(info),
            _ => outer(info),
        }));
    });
}

fn record(info: &PanicHookInfo<'_>) {
    let (file, line) = info
        .location()
        .map_or((String::new(), 0), |place| (place.file().to_string(), place.line()));
    let message = info.payload_as_str().unwrap_or_default().to_string();
    CAUGHT.set(Some(Caught { file, line, message }));
}
