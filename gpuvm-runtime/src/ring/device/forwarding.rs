//! How what actors forward gets to those of another kernel without the host: three routines, of which [`address`](super::delivery::address) is
//! the second. What is forwarded lies in rooms that the next round needs, so it is copied to columns of the other kernel.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_macros::routine;

use super::delivery::{ACTORS, APART, CONCERN, ENOUGH, FEW, GROUP, MOST_TO_ONE, is_later};
use crate::native::vm;

/// Pushes each message that the VM's actor has forwarded to the list of its receiver among the other kernel's actors, and counts it for its
/// group. A room has `room` words and takes `most` letters of `size`.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn forward(
    mail: &[(u32, u32, u32)],
    rooms: &[u32],
    heads: &[AtomicU32],
    counts: &[AtomicU32],
    links: &mut [(u32, u32)],
    cells: &mut [u32],
    size: u32,
    most: u32,
    room: u32,
) {
    let (vm, actors) = (vm::id(), cells[ACTORS]);
    let (_, first, end) = mail[vm as usize];
    for message in first..end {
        let begin = message * room;
        for number in 0..rooms[begin as usize] {
            let to = rooms[(begin + 1 + number * size) as usize];
            if to < actors {
                let letter = message * most + number;
                let before = heads[to as usize].swap(letter + 1, Ordering::Relaxed);
                links[letter as usize] = (before, vm);
                counts[(to / GROUP * APART) as usize].fetch_add(1, Ordering::Relaxed);
            } else {
                cells[CONCERN] = 1;
            }
        }
    }
}

/// Brings the VM's actor, of the other kernel, the messages of its list as a list that is in the order of who sent them and when, with the
/// letters next to each other. Letters have `size` words, and lie one after the other from the second word on in rooms of `room` words,
/// `most` in each.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn receive(
    pushed: &mut [u32],
    links: &[(u32, u32)],
    rooms: &[u32],
    places: &[AtomicU32],
    order: &mut [(u32, u32)],
    heads: &mut [u32],
    next: &mut [(u32, u32)],
    letters: &mut [u32],
    total: &[u32],
    cells: &[u32],
    size: u32,
    most: u32,
    room: u32,
) {
    assert!(
        total[0] < cells[FEW] || total[0] >= cells[ENOUGH],
        "the host sees to so few"
    );
    let vm = vm::id();
    let last = pushed[vm as usize];
    let mut head = 0;
    if last > 0 {
        pushed[vm as usize] = 0;
        let mut count = 0;
        let mut letter = last;
        while letter > 0 {
            count += 1;
            letter = links[(letter - 1) as usize].0;
        }
        assert!(count <= MOST_TO_ONE, "the host delivers so many");
        let first = places[(vm / GROUP * APART) as usize].fetch_add(count, Ordering::Relaxed);
        let end = first + count;
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
        for message in first..end {
            let (sender, letter) = order[message as usize];
            let from = letter / most * room + 1 + letter % most * size;
            for word in 0..size {
                letters[(message * size + word) as usize] = rooms[(from + word) as usize];
            }
            let after = if message + 1 < end { message + 2 } else { 0 };
            next[message as usize] = (after, sender);
        }
        head = first + 1;
    }
    heads[vm as usize] = head;
}
