//! System calls: what a handler is asked, and what it answers.

use std::collections::VecDeque;

use crate::routines::layout::{EXECUTE, READ, WRITE};

/// A guest's input and output, and what the host knows of it beside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Streams {
    /// What it has yet to read.
    pub input: VecDeque<u8>,
    /// What it has written to its standard output.
    pub output: Vec<u8>,
    /// What it has written to its standard error.
    pub errors: Vec<u8>,
}

/// What a handler changes in a guest's memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    Write {
        address: u64,
        bytes: Vec<u8>,
    },
    Protect {
        address: u64,
        bytes: u64,
        flags: u32,
        fresh: bool,
    },
}

/// What a guest may do with a part of its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Load from it.
    pub read: bool,
    /// Store to it.
    pub write: bool,
    /// Execute it.
    pub execute: bool,
}

/// Where a guest has its heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// Where it begins.
    pub start: u64,
    /// Where it ends now.
    pub end: u64,
    /// Where it can grow to.
    pub limit: u64,
}

/// A system call of one guest, which stands still behind it.
#[derive(Debug)]
pub struct Call<'a> {
    /// Which guest.
    pub guest: usize,
    /// The call's number.
    pub number: u64,
    /// Its arguments; those that the call has not are whatever was in the registers.
    pub arguments: [u64; 6],
    /// Bytes of a word on the guest's machine, 4 or 8.
    pub word: usize,
    /// Instructions that the guest has retired.
    pub retired: u64,
    /// The guest's input and output.
    pub streams: &'a mut Streams,
    /// Where its heap is.
    pub heap: &'a mut Heap,
    pub(crate) edits: Vec<Edit>,
}

impl Call<'_> {
    /// Writes into the guest's memory, when all calls of this round are answered. If the guest may not write there itself, its answer is `-EFAULT`.
    pub fn write(&mut self, address: u64, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        if !bytes.is_empty() {
            self.edits.push(Edit::Write { address, bytes });
        }
    }

    /// Changes what the guest may do with whole pages, from `address` for so many bytes; as `fresh` ones they hold zeros then.
    pub fn protect(&mut self, address: u64, bytes: u64, access: Access, fresh: bool) {
        let may = |may, flag| if may { flag } else { 0 };
        let flags = may(access.read, READ) | may(access.write, WRITE) | may(access.execute, EXECUTE);
        self.edits.push(Edit::Protect {
            address,
            bytes,
            flags,
            fresh,
        });
    }
}

/// What becomes of a guest that has made a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It goes on with this value.
    Value(u64),
    /// It goes on with this error's number, negative.
    Error(i32),
    /// It ends.
    Exit(i32),
    /// It waits at its call, [`Stop::Syscall`](crate::Stop::Syscall), until somebody [answers](crate::Guests::answer).
    Wait,
    /// The same, and all others stop as soon as they come to a system call as well.
    Halt,
}

/// Who answers system calls. [`Linux`](crate::Linux) is one; another answers its own calls and hands the others on to that.
///
/// Guests' memory may be on a device, so what is read of it is fetched for all guests at once: a handler says what it wants to see of a call before it answers it.
pub trait System {
    /// What of the guest's memory the call's answer depends on: addresses and counts of bytes. It is asked again with what came, shorter where the guest has no
    /// memory, until it wants no more.
    fn wants(&mut self, call: &Call<'_>, seen: &[Vec<u8>]) -> Vec<(u64, u64)> {
        let _ = (call, seen);
        Vec::new()
    }

    /// Answers a call. `seen` is what was asked for, in that order.
    fn answer(&mut self, call: &mut Call<'_>, seen: &[Vec<u8>]) -> Answer;
}
