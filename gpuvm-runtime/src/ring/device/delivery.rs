//! How actors' messages get to their actors without the host: four routines that run after the handler, one VM an actor but for [`address`].
//! They are written as a user writes routines.
//!
//! A counting sort with its order mended: atomics give each message a rank among those to its actor, in whatever order the device comes by;
//! the actors' mail is laid out by these counts; and each actor puts its own messages in the order of who sent them and when. So what an
//! actor gets does not depend on the device, though where it lies does.
//!
//! A routine that finds something that the host has to see to traps. Then nothing after it in the sequence of jobs starts, and what the actors
//! had, handled and sent is still there.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_core::types::{Context, Value};
use gpuvm_macros::routine;

use crate::native::vm;

/// Messages that are waiting.
pub const TOTAL: usize = 0;
/// Whether an actor has answered or stopped, or has sent a message to one that does not exist.
pub const CONCERN: usize = 1;
/// Messages that were handled since the beginning, as two words, the low one first.
pub const HANDLED: usize = 2;
/// How many messages there is room for, or may be in a round if that is less.
pub const CAPACITY: usize = 4;
/// Whether any actor has stopped before.
pub const ANY_STOPPED: usize = 5;
/// The time stamp of the round, as two words, the low one first.
pub const NOW: usize = 6;
/// How many actors there are, wherever that is not how many VMs there are. It is no constant of a routine, because engines compile a
/// routine again for other constants.
pub const ACTORS: usize = 8;
/// How many cells there are.
pub const CELLS: usize = 9;

/// Actors whose mail one VM lays out.
pub const GROUP: u32 = 16;
/// The most messages that an actor gets on the device in a round. It sorts them by insertion.
pub const MOST_TO_ONE: u32 = 256;

/// Words of a [`Context`].
const CONTEXT: u32 = Context::TYPE.words;
/// Where it has the end of what was sent, and whether the actor stops.
const SENT: u32 = Context::SENT;
const STOPPED: u32 = Context::STOPPED;

/// Gives each message that the VM's actor has sent a rank among those to the same actor. A letter has `size` words, an answer `answer`,
/// and the rooms for replies and forwarded messages `room` and `other`; 0 if there are none or nobody wants them.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn tally(
    mail: &[(u32, u32, u32)],
    contexts: &[u32],
    letters: &[u32],
    answers: &[u32],
    replies: &[u32],
    forwards: &[u32],
    counts: &[AtomicU32],
    ranks: &mut [u32],
    cells: &mut [u32],
    sends: u32,
    size: u32,
    answer: u32,
    room: u32,
    other: u32,
) {
    let vm = vm::id();
    if vm == 0 {
        let low = cells[HANDLED].wrapping_add(cells[TOTAL]);
        if low < cells[HANDLED] {
            cells[HANDLED + 1] += 1;
        }
        cells[HANDLED] = low;
        cells[TOTAL] = 0;
        let now = cells[NOW].wrapping_add(1);
        if now == 0 {
            cells[NOW + 1] += 1;
        }
        cells[NOW] = now;
    }
    let (_, first, end) = mail[vm as usize];
    if first < end {
        let context = vm * CONTEXT;
        let mut concern = contexts[(context + STOPPED) as usize] != 0;
        if answer > 0 {
            for message in first..end {
                concern |= answers[(message * answer) as usize] != 0;
            }
        }
        if room > 0 {
            for message in first..end {
                concern |= replies[(message * room) as usize] != 0;
            }
        }
        if other > 0 {
            for message in first..end {
                concern |= forwards[(message * other) as usize] != 0;
            }
        }
        for letter in first * sends..contexts[(context + SENT) as usize] {
            let to = letters[(letter * size) as usize];
            if to < vm::count() {
                ranks[letter as usize] = counts[to as usize].fetch_add(1, Ordering::Relaxed);
            } else {
                concern = true;
            }
        }
        if concern {
            cells[CONCERN] = 1;
        }
    }
}

/// Lays out the next mail of [`GROUP`] actors. These are next to each other, so that their messages are too: with actors as far apart
/// as there are VMs this is twice as fast, and all that reads and writes the messages slower by more than that.
#[routine(library)]
pub fn address(contexts: &[u32], cells: &[u32], total: &[AtomicU32], counts: &mut [u32], next: &mut [(u32, u32, u32)]) {
    let (capacity, actors) = (cells[CAPACITY], cells[ACTORS]);
    let group = vm::id() * GROUP;
    let last = if group + GROUP < actors { group + GROUP } else { actors };
    let mut sum = 0;
    let mut fits = cells[CONCERN] == 0;
    for actor in group..last {
        let count = counts[actor as usize];
        sum += count;
        fits &= count <= MOST_TO_ONE;
        if cells[ANY_STOPPED] != 0 && count > 0 {
            fits &= contexts[(actor * CONTEXT + STOPPED) as usize] == 0;
        }
    }
    let mut at = 0;
    if sum > 0 {
        at = total[0].fetch_add(sum, Ordering::Relaxed);
        fits &= at <= capacity && sum <= capacity - at;
    }
    assert!(fits, "the host delivers these");
    for actor in group..last {
        let count = counts[actor as usize];
        next[actor as usize] = (actor, at, at + count);
        at += count;
        counts[actor as usize] = 0;
    }
}

/// Puts what the VM's actor has sent among the messages of those it was sent to.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn place(
    mail: &[(u32, u32, u32)],
    contexts: &[u32],
    letters: &[u32],
    ranks: &[u32],
    cells: &[u32],
    next: &[(u32, u32, u32)],
    order: &mut [(u32, u32)],
    sends: u32,
    size: u32,
) {
    let vm = vm::id();
    assert!(cells[TOTAL] > 0, "no actor has mail");
    let (_, first, end) = mail[vm as usize];
    if first < end {
        for letter in first * sends..contexts[(vm * CONTEXT + SENT) as usize] {
            let (_, begin, _) = next[letters[(letter * size) as usize] as usize];
            order[(begin + ranks[letter as usize]) as usize] = (vm, letter * size);
        }
    }
}

/// Brings the VM's actor its messages, in the order of who sent them and when, and gets it ready for the next round.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn receive(
    next: &[(u32, u32, u32)],
    letters: &[u32],
    order: &mut [(u32, u32)],
    messages: &mut [u32],
    contexts: &mut [u32],
    handled: &mut [u32],
    cells: &[u32],
    size: u32,
) {
    let vm = vm::id();
    let (_, first, end) = next[vm as usize];
    if first < end {
        let context = (vm * CONTEXT) as usize;
        contexts[context] = cells[NOW];
        contexts[context + 1] = cells[NOW + 1];
        handled[vm as usize] = 0;
        for sorted in first + 1..end {
            let own = order[sorted as usize];
            let mut at = sorted;
            while at > first && is_later(order[(at - 1) as usize], own) {
                order[at as usize] = order[(at - 1) as usize];
                at -= 1;
            }
            order[at as usize] = own;
        }
        for message in first..end {
            let (_, letter) = order[message as usize];
            for word in 1..size {
                messages[(message * (size - 1) + word - 1) as usize] = letters[(letter + word) as usize];
            }
        }
    }
}

/// Whether a message, given who sent it and where it lies, comes after another one.
#[routine(library)]
fn is_later(one: (u32, u32), other: (u32, u32)) -> bool {
    one.0 > other.0 || one.0 == other.0 && one.1 > other.1
}
