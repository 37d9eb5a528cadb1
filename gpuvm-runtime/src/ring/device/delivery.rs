//! How actors' messages get to their actors without the host: what the handler's VMs do before their messages and after them, and two
//! routines that run then. They are written as a user writes routines.
//!
//! Who sends pushes its letters to its receivers' lists, and counts them for the [`GROUP`] of actors that each is for. Then places for what
//! comes of the groups' messages are laid out by these counts. In the next round each actor takes its list, puts it into the order of who
//! has sent the letters and when, takes a place among its group's, and handles the letters where they lie. So what an actor gets does
//! not depend on the device, though where it lies does.
//!
//! A routine that finds something that the host has to see to traps. Then nothing after it in the sequence of jobs starts, and what the actors
//! had, handled and sent is still there.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_core::types::{Context, Value};
use gpuvm_macros::routine;

use crate::native::vm;

/// Messages of the round under way and of the one after it, in turns.
pub const TOTAL: usize = 0;
/// Whether an actor has answered or stopped, or has sent a message to one that does not exist.
pub const CONCERN: usize = 2;
/// Messages that were handled since the beginning, as two words, the low one first.
pub const HANDLED: usize = 3;
/// How many messages there is room for, or may be in a round if that is less.
pub const CAPACITY: usize = 5;
/// Whether any actor has stopped before.
pub const ANY_STOPPED: usize = 6;
/// The time stamp of the round, as two words, the low one first.
pub const NOW: usize = 7;
/// How many actors there are, wherever that is not how many VMs there are. It is no constant of a routine, because engines compile a
/// routine again for other constants.
pub const ACTORS: usize = 9;
/// The least number of messages that the host delivers because they are too few, and the least that are enough.
pub const FEW: usize = 10;
pub const ENOUGH: usize = 11;
/// Whether a group has so many messages that one of its actors may well have more than [`MOST_TO_ONE`].
pub const CROWDED: usize = 12;
/// Messages whose letters are those of the round under way and of the one after it, in turns.
pub const SENDERS: usize = 13;
/// How many cells there are.
pub const CELLS: usize = 15;

/// Actors whose mail is laid out together. So many atomics on one word follow each other, and as many groups do on the one of the total.
pub const GROUP: u32 = 1 << 10;
/// Words from what is counted for a group to the next group's: devices see to atomics of a line one after the other.
pub const APART: u32 = 32;
/// The most messages that an actor gets on the device in a round if its group has more than these and one for each actor. It sorts them by
/// insertion.
pub const MOST_TO_ONE: u32 = 256;

/// Words of a [`Context`].
const CONTEXT: u32 = Context::TYPE.words;
/// Where it has the end of what was sent, and whether the actor stops.
const SENT: u32 = Context::SENT;
const STOPPED: u32 = Context::STOPPED;

/// A letter's place in a list: the one after it, or 0, and who has sent it.
type Link = (u32, u32);

/// Takes the list of the VM's actor, whose head stays where it is, and empties the one that was taken in the round before. Gives the first of
/// its messages and one past the last, as what comes of them is laid out, and the first letter. `links` has of each letter the one pushed
/// before it, and afterwards the one after it.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn take(
    heads: &mut [u32],
    spent: &mut [u32],
    places: &[AtomicU32],
    links: &mut [Link],
    mail: &mut [(u32, u32, u32)],
    contexts: &mut [u32],
    handled: &mut [u32],
    cells: &mut [u32],
) -> (u32, u32, u32) {
    let vm = vm::id();
    if vm == 0 {
        cells[CROWDED] = 0;
    }
    spent[vm as usize] = 0;
    let last = heads[vm as usize];
    let (mut first, mut end, mut letter) = (0, 0, 0);
    if last > 0 {
        let (head, count) = sorted(links, last);
        if head != last {
            heads[vm as usize] = head;
        }
        letter = head;
        first = places[(vm / GROUP * APART + 1) as usize].fetch_add(count, Ordering::Relaxed);
        end = first + count;
        let context = (vm * CONTEXT) as usize;
        contexts[context] = cells[NOW];
        contexts[context + 1] = cells[NOW + 1];
        handled[vm as usize] = 0;
    }
    mail[vm as usize] = (vm, first, end);
    (first, end, letter)
}

/// Brings a list into the order of who has sent its letters and when, by insertion; gives its head and how many there are. Lists that are in
/// that order or the other way round take no more than a step for each letter.
#[routine(library)]
fn sorted(links: &mut [Link], last: u32) -> (u32, u32) {
    let (mut head, mut tail, mut count) = (0, 0, 0);
    let mut rest = last;
    while rest > 0 {
        let letter = rest;
        let own = (links[(letter - 1) as usize].1, letter);
        rest = links[(letter - 1) as usize].0;
        let is_last = tail > 0 && is_later(own, key(links, tail));
        let (mut before, mut after) = if is_last { (tail, 0) } else { (0, head) };
        while after > 0 && is_later(own, key(links, after)) {
            before = after;
            after = links[(after - 1) as usize].0;
        }
        links[(letter - 1) as usize].0 = after;
        if before > 0 {
            links[(before - 1) as usize].0 = letter;
        } else {
            head = letter;
        }
        if after == 0 {
            tail = letter;
        }
        count += 1;
    }
    (head, count)
}

/// What a letter is put in order by: who has sent it, and its number among the letters.
#[routine(library)]
fn key(links: &[Link], letter: u32) -> (u32, u32) {
    (links[(letter - 1) as usize].1, letter)
}

/// Whether a letter by its key comes after another one.
#[routine(library)]
pub fn is_later(one: (u32, u32), other: (u32, u32)) -> bool {
    one.0 > other.0 || one.0 == other.0 && one.1 > other.1
}

/// Pushes each message that the VM's actor has sent while it handled those from `first` to `end` to its receiver's list. `heads` has each
/// actor's last letter, counted from 1, and `counts` how many there are for each group; `links` has of each letter the one before it and
/// who has sent it. A letter has `size` words, an answer `answer`, and the rooms for replies and forwarded messages `room` and `other`; 0
/// if there are none or nobody wants them.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn push(
    contexts: &[u32],
    letters: &[u32],
    answers: &[u32],
    replies: &[u32],
    forwards: &[u32],
    heads: &[AtomicU32],
    counts: &[AtomicU32],
    links: &mut [Link],
    cells: &mut [u32],
    sends: u32,
    size: u32,
    answer: u32,
    room: u32,
    other: u32,
    first: u32,
    end: u32,
) {
    let (vm, actors) = (vm::id(), vm::count());
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
    let any_stopped = cells[ANY_STOPPED] != 0;
    for letter in first * sends..contexts[(context + SENT) as usize] {
        let to = letters[(letter * size) as usize];
        // Who stops in this round is a concern already.
        if to >= actors || any_stopped && contexts[(to * CONTEXT + STOPPED) as usize] != 0 {
            concern = true;
        } else {
            let before = heads[to as usize].swap(letter + 1, Ordering::Relaxed);
            links[letter as usize] = (before, vm);
            counts[(to / GROUP * APART) as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
    if concern {
        cells[CONCERN] = 1;
    }
}

/// Lays out the next mail of a [`GROUP`] of actors: where what is brought to its actors goes, and where what comes of their messages does.
/// The first VM counts the round. `done` and `total` are the messages of the round under way and of the next one.
#[routine(library)]
pub fn address(
    cells: &mut [u32],
    done: &[AtomicU32],
    total: &[AtomicU32],
    senders: &mut [u32],
    counts: &mut [u32],
    places: &mut [(u32, u32)],
) {
    let group = vm::id() * APART;
    if group == 0 {
        let messages = done[0].swap(0, Ordering::Relaxed);
        senders[0] = messages;
        let low = cells[HANDLED].wrapping_add(messages);
        if low < messages {
            cells[HANDLED + 1] += 1;
        }
        cells[HANDLED] = low;
        let now = cells[NOW].wrapping_add(1);
        if now == 0 {
            cells[NOW + 1] += 1;
        }
        cells[NOW] = now;
    }
    let capacity = cells[CAPACITY];
    let count = counts[group as usize];
    counts[group as usize] = 0;
    if count > MOST_TO_ONE + cells[ACTORS].min(GROUP) {
        cells[CROWDED] = 1;
    }
    let at = total[0].fetch_add(count, Ordering::Relaxed);
    places[(group / 2) as usize] = (at, at);
    let fits = at <= capacity && count <= capacity - at;
    assert!(fits && cells[CONCERN] == 0, "the host delivers these");
}

/// Looks at the VM's actor's next mail. Traps if nobody has any, or if it is more than one actor gets on the device.
#[routine(library)]
pub fn look(heads: &[u32], links: &[Link], total: &[u32], cells: &[u32]) {
    assert!(total[0] > 0, "nobody has mail");
    if cells[CROWDED] != 0 {
        let mut count = 0;
        let mut letter = heads[vm::id() as usize];
        while letter > 0 {
            count += 1;
            assert!(count <= MOST_TO_ONE, "the host delivers so many");
            letter = links[(letter - 1) as usize].0;
        }
    }
}
