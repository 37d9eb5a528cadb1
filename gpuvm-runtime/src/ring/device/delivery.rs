//! How actors' messages get to their actors without the host: what the handler's VMs do after their messages, and two routines that run then,
//! one VM a group of actors and one an actor. They are written as a user writes routines.
//!
//! Who has sent something pushes its letters to its receivers' lists, and counts them for the [`GROUP`] of actors that each is for; the groups'
//! mail is laid out by these counts; and each actor takes a place among its group's, walks its list, and puts its messages in the order of
//! who sent them and when. So what an actor gets does not depend on the device, though where it lies does.
//!
//! A routine that finds something that the host has to see to traps. Then nothing after it in the sequence of jobs starts, and what the actors
//! had, handled and sent is still there.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_macros::routine;

use super::crossing::{DEVICES, END, FIRST, LEAVING, counted, device_of};
use crate::native::vm;

/// Messages of the round under way until it is counted, and of the one after it, in [`turns`](total).
const TOTAL: usize = 0;
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
/// The least number of messages that the host delivers because they are too few, and the least that are enough.
pub const FEW: usize = 9;
pub const ENOUGH: usize = 10;
/// How many cells there are.
pub const CELLS: usize = total(1) + 1;

/// The cell of a turn's messages. Each is bound by itself, so they are as far apart as a device may ask for: 256 bytes.
pub const fn total(turn: usize) -> usize {
    TOTAL + turn * 64
}

/// Actors whose mail is laid out together. So many atomics on one word follow each other, and as many groups do on the one of the total.
pub const GROUP: u32 = 1 << 10;
/// Words from what is counted for a group to the next group's: devices see to atomics of a line one after the other.
pub const APART: u32 = 32;
/// The most messages that an actor gets on the device in a round. It sorts them by insertion.
pub const MOST_TO_ONE: u32 = 256;

/// Pushes each message that the VM's actor has sent, while it handled those from `first` to `end`, to its receiver's list. `lists` has each
/// actor's last letter, counted from 1, and then how many there are for each group; `links` has of each letter the one before it and who has
/// sent it. A letter has `size` words, an answer `answer`, and the rooms for replies and forwarded messages `room` and `other`; 0 if
/// there are none or nobody wants them. Of letters to actors on others of several `devices` it is counted how many there are, see [`crossing`](super::crossing).
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn push(
    sent: &u32,
    stops: &bool,
    stopped: &[u32],
    letters: &[u32],
    answers: &[u32],
    replies: &[u32],
    forwards: &[u32],
    lists: &[AtomicU32],
    links: &mut [(u32, u32)],
    cells: &mut [u32],
    sends: u32,
    size: u32,
    answer: u32,
    room: u32,
    other: u32,
    devices: u32,
    first: u32,
    end: u32,
) {
    let (vm, actors) = (vm::id(), vm::count());
    let mut concern = *stops;
    if answer > 0 || room > 0 || other > 0 {
        for message in first..end {
            if answer > 0 {
                concern |= answers[(message * answer) as usize] != 0;
            }
            if room > 0 {
                concern |= replies[(message * room) as usize] != 0;
            }
            if other > 0 {
                concern |= forwards[(message * other) as usize] != 0;
            }
        }
    }
    let any_stopped = cells[ANY_STOPPED] != 0;
    for letter in first * sends..*sent {
        let to = letters[(letter * size) as usize];
        // Who stops in this round is a concern already.
        if to >= actors || any_stopped && stopped[to as usize] != 0 {
            concern = true;
        } else if devices > 1 && (to < cells[FIRST] || to >= cells[END]) {
            lists[counted(actors, device_of(cells, to), vm) as usize].fetch_add(1, Ordering::Relaxed);
        } else {
            let before = lists[to as usize].swap(letter + 1, Ordering::Relaxed);
            links[letter as usize] = (before, vm);
            lists[(actors + to / GROUP * APART) as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
    if concern {
        cells[CONCERN] = 1;
    }
}

/// Lays out the next mail of a [`GROUP`] of actors. The first VM counts the round, of which `done` messages were handled; `total` are those of
/// the next one.
#[routine(library)]
pub fn address(cells: &mut [u32], done: &mut [u32], total: &[AtomicU32], lists: &mut [u32], places: &mut [u32]) {
    let group = vm::id() * APART;
    if group == 0 {
        let messages = done[0];
        let low = cells[HANDLED].wrapping_add(messages);
        if low < messages {
            cells[HANDLED + 1] += 1;
        }
        cells[HANDLED] = low;
        done[0] = 0;
        let now = cells[NOW].wrapping_add(1);
        if now == 0 {
            cells[NOW + 1] += 1;
        }
        cells[NOW] = now;
        for device in 0..cells[DEVICES] as usize {
            cells[LEAVING + device] = 0;
        }
    }
    let capacity = cells[CAPACITY];
    let count = &mut lists[(cells[ACTORS] + group) as usize];
    let at = total[0].fetch_add(*count, Ordering::Relaxed);
    let fits = at <= capacity && *count <= capacity - at;
    places[group as usize] = at;
    *count = 0;
    assert!(fits && cells[CONCERN] == 0, "the host delivers these");
}

/// Brings the VM's actor its messages, in the order of who sent them and when, and gets it ready for the next round. Letters have `size`
/// words, and lie one after the other from the second word on in rooms of `room` words, `most` in each; or wherever there are no rooms, by
/// themselves: 0.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn receive(
    lists: &mut [u32],
    links: &[(u32, u32)],
    letters: &[u32],
    places: &[AtomicU32],
    next: &mut [(u32, u32, u32)],
    order: &mut [(u32, u32)],
    messages: &mut [u32],
    handled: &mut [u32],
    total: &[u32],
    cells: &[u32],
    size: u32,
    most: u32,
    room: u32,
) {
    let total = total[0];
    assert!(total < cells[FEW] || total >= cells[ENOUGH], "the host sees to so few");
    let vm = vm::id();
    let last = lists[vm as usize];
    let (mut first, mut end) = (0, 0);
    if last > 0 {
        lists[vm as usize] = 0;
        let mut count = 0;
        let mut letter = last;
        while letter > 0 {
            count += 1;
            letter = links[(letter - 1) as usize].0;
        }
        assert!(count <= MOST_TO_ONE, "the host delivers so many");
        first = places[(vm / GROUP * APART) as usize].fetch_add(count, Ordering::Relaxed);
        end = first + count;
        let mut sorted = first;
        letter = last;
        while letter > 0 {
            let (before, sender) = links[(letter - 1) as usize];
            let own = (sender, letter - 1);
            let mut at = sorted;
            while at > first && is_later(order[(at - 1) as usize], own) {
                order[at as usize] = order[(at - 1) as usize];
                at -= 1;
            }
            order[at as usize] = own;
            sorted += 1;
            letter = before;
        }
        handled[vm as usize] = 0;
        for message in first..end {
            let (_, letter) = order[message as usize];
            let at = match letter.checked_div(most) {
                Some(message) => message * room + 1 + letter % most * size,
                None => letter * size,
            };
            // Two words are on their way at a time: letters lie anywhere.
            for word in (1..size).step_by(2) {
                let to = message * (size - 1) + word - 1;
                let has_next = word + 1 < size;
                let one = letters[(at + word) as usize];
                let next = if has_next { letters[(at + word + 1) as usize] } else { 0 };
                messages[to as usize] = one;
                if has_next {
                    messages[(to + 1) as usize] = next;
                }
            }
        }
    }
    next[vm as usize] = (vm, first, end);
}

/// Whether a message, given who sent it and its number among the letters, comes after another one.
#[routine(library)]
fn is_later(one: (u32, u32), other: (u32, u32)) -> bool {
    one.0 > other.0 || one.0 == other.0 && one.1 > other.1
}
