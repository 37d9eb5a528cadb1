//! What crosses between a guest and the host, and why a guest stops.

use gpuvm::prelude::*;

/// The guest has not been run: it waits, or it has ended.
pub const IDLE: u32 = 0;
/// The budget is spent.
pub const BUDGET: u32 = 1;
/// The guest asks for a system call.
pub const CALL: u32 = 2;
/// The guest has come to a breakpoint.
pub const BREAKPOINT: u32 = 3;
/// The program has floats after all, and goes on by the routine that has them.
pub const NEEDS_FLOATS: u32 = 4;
/// Translated code does not go on from here.
pub const LEFT: u32 = 5;
/// Translated code goes on from here.
pub const ENTERED: u32 = 6;
/// The guest has changed its code, so what was translated is not what it runs.
pub const CHANGED: u32 = 7;
/// The core of the emulator does not do what comes next, which is for the whole one.
pub const NEEDS_WHOLE: u32 = 8;
/// The kinds of fault begin here.
pub const FAULT: u32 = 9;
/// An undefined instruction; the address is the instruction's.
pub const UNDEFINED: u32 = FAULT;
/// A load from where nothing may be read.
pub const LOAD: u32 = FAULT + 1;
/// A store to where nothing may be written.
pub const STORE: u32 = FAULT + 2;
/// An instruction from where nothing may be executed.
pub const FETCH: u32 = FAULT + 3;
/// An access that the machine wants aligned.
pub const MISALIGNED: u32 = FAULT + 4;
/// A store for which there is no private page left.
pub const NO_PAGE: u32 = FAULT + 5;
/// What the host tells a guest before it goes on.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub struct Resume {
    /// Whether it goes on at all.
    pub go: bool,
    /// Whether it has an answer to its system call.
    pub answered: bool,
    /// The answer.
    pub answer: u64,
    /// How many instructions it may retire.
    pub budget: u32,
    /// How many it retires before it stops where translated code begins.
    pub patience: u32,
}

/// How a guest has stopped.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub struct Event {
    /// Why: one of this module's constants.
    pub kind: u32,
    /// Instructions that it has retired since it was resumed.
    pub retired: u32,
    /// Where it stands: at the instruction that did not go through, or behind its system call.
    pub pc: u64,
    /// The address of a fault, or the number of a system call.
    pub detail: u64,
    /// A system call's arguments.
    pub arguments: [u64; 6],
}

#[routine]
impl Event {
    /// Of a guest that was not run.
    pub(crate) fn none() -> Event {
        Event {
            kind: IDLE,
            retired: 0,
            pc: 0,
            detail: 0,
            arguments: [0; 6],
        }
    }
}
