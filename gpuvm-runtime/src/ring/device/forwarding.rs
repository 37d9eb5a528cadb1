//! How what actors forward gets to those of another kernel without the host: what takes the place of [`delivery`](super::delivery)'s first
//! routine for messages that lie in rooms. The other kernel's mail is laid out and brought to it by `address` and `receive`.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_macros::routine;

use super::delivery::{ACTORS, APART, CONCERN, GROUP};
use crate::native::vm;

/// Pushes each message that the VM's actor has forwarded to the list of its receiver among the other kernel's actors. A room has `room` words
/// and takes `most` letters of `size`.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn forward(
    mail: &[(u32, u32, u32)],
    rooms: &[u32],
    lists: &[AtomicU32],
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
                let before = lists[to as usize].swap(letter + 1, Ordering::Relaxed);
                links[letter as usize] = (before, vm);
                lists[(actors + to / GROUP * APART) as usize].fetch_add(1, Ordering::Relaxed);
            } else {
                cells[CONCERN] = 1;
            }
        }
    }
}
