//! How what actors forward gets to those of another kernel without the host: what takes the place of [`delivery`](super::delivery)'s first
//! routines for messages that lie in rooms, and what has the other kernel's actors begin with them. Its mail is laid out and brought to
//! it by `address` and `receive`.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_core::types::{Context, Value};
use gpuvm_macros::routine;

use super::delivery::{ACTORS, CONCERN, NOW, TOTAL};
use super::rounds::ACTORS_PER_MESSAGE;
use crate::native::vm;

/// Words of a [`Context`].
const CONTEXT: u32 = Context::TYPE.words;

/// Gives each message that the VM's actor has forwarded a rank among those to the same actor of the other kernel. A room has `room` words
/// and takes `most` letters of `size`.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn rank(
    mail: &[(u32, u32, u32)],
    rooms: &[u32],
    counts: &[AtomicU32],
    ranks: &mut [u32],
    cells: &mut [u32],
    room: u32,
    most: u32,
    size: u32,
) {
    let actors = cells[ACTORS];
    let (_, first, end) = mail[vm::id() as usize];
    for message in first..end {
        let begin = message * room;
        for letter in 0..rooms[begin as usize] {
            let to = rooms[(begin + 1 + letter * size) as usize];
            if to < actors {
                ranks[(message * most + letter) as usize] = counts[to as usize].fetch_add(1, Ordering::Relaxed);
            } else {
                cells[CONCERN] = 1;
            }
        }
    }
}

/// Puts what the VM's actor has forwarded among the messages of those it was forwarded to. If there are messages, but for few of the actors, the
/// host delivers them.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn sort(
    mail: &[(u32, u32, u32)],
    rooms: &[u32],
    ranks: &[u32],
    cells: &[u32],
    next: &[(u32, u32, u32)],
    order: &mut [(u32, u32)],
    room: u32,
    most: u32,
    size: u32,
) {
    let vm = vm::id();
    let (total, actors) = (cells[TOTAL], cells[ACTORS]);
    assert!(
        total == 0 || total >= actors.div_ceil(ACTORS_PER_MESSAGE),
        "the host delivers so few"
    );
    let (_, first, end) = mail[vm as usize];
    for message in first..end {
        let begin = message * room;
        for letter in 0..rooms[begin as usize] {
            let at = begin + 1 + letter * size;
            let (_, own, _) = next[rooms[at as usize] as usize];
            order[(own + ranks[(message * most + letter) as usize]) as usize] = (vm, at);
        }
    }
}

/// Tells the VM's actor, if it has mail, the time at which it begins with that.
#[routine(library)]
pub fn tell_time(mail: &[(u32, u32, u32)], contexts: &mut [u32], cells: &[u32]) {
    let vm = vm::id();
    let (_, first, end) = mail[vm as usize];
    if first < end {
        let context = (vm * CONTEXT) as usize;
        contexts[context] = cells[NOW];
        contexts[context + 1] = cells[NOW + 1];
    }
}
