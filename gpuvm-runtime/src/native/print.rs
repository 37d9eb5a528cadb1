//! `println!` and its kin in a function that runs natively. In a launch the texts are kept for its end; outside of one they are printed as
//! in any function.

use std::cell::RefCell;
use std::fmt::Arguments;

use gpuvm_core::program::LogLine;
use gpuvm_core::routine::Level;

use super::context;
use crate::logs::{LogLimit, Logs};

thread_local! {
    static PRINTED: RefCell<Printed> = RefCell::new(Printed::default());
}

/// What VMs of a thread have printed since it was taken last.
#[derive(Default)]
pub(super) struct Printed {
    pub texts: Vec<LogLine>,
    /// Texts beside these.
    pub dropped: u64,
    limit: LogLimit,
    /// The VM that printed last, and how many texts that VM has printed.
    last: (u32, u32),
}

impl Printed {
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.dropped == 0
    }

    pub(super) fn append(&mut self, other: Printed) {
        self.texts.extend(other.texts);
        self.dropped += other.dropped;
    }

    fn print(&mut self, text: LogLine) {
        let (vm, count) = self.last;
        self.last = (text.vm, if vm == text.vm { count + 1 } else { 1 });
        if self.last.1 > self.limit.of_a_vm || self.texts.len() >= self.limit.in_all as usize {
            self.dropped += 1;
        } else {
            self.texts.push(text);
        }
    }
}

/// The thread begins with VMs.
pub(super) fn keep(limit: LogLimit) {
    PRINTED.with_borrow_mut(|printed| {
        printed.limit = limit;
        printed.last = (0, 0);
    });
}

/// What the thread's VMs have printed.
pub(super) fn take() -> Printed {
    PRINTED.take()
}

/// Where a text goes outside of a launch.
#[derive(Clone, Copy, Debug)]
pub enum Sink {
    /// To `stdout`, as `println!`.
    Out,
    /// To `stderr`, as `eprintln!` and `dbg!`.
    Err,
    /// To wherever lines of launches go.
    Log,
}

/// Prints a text, which ends its line if it says so.
pub fn print(sink: Sink, level: Level, ends: bool, file: &str, line: u32, text: Arguments<'_>) {
    let end = if ends { "\n" } else { "" };
    let kept = || LogLine {
        vm: context::vm_id(),
        level,
        file: file.to_string(),
        line,
        text: format!("{text}{end}"),
    };
    match sink {
        _ if context::is_running() => PRINTED.with_borrow_mut(|printed| printed.print(kept())),
        Sink::Out => print!("{text}{end}"),
        Sink::Err => eprint!("{text}{end}"),
        Sink::Log => Logs::of(vec![kept()], 0).tell(""),
    }
}
