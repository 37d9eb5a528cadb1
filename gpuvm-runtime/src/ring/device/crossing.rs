//! How actors' messages get to actors on other devices: three routines beside those of [`delivery`](super::delivery). Each device has the lists of its own actors. What is for another
//! device's is counted by `push`, for each device and [`GROUP`] of senders; room is laid out by these counts; and each sender puts its letters there, in their order. The host has them copied to
//! the device that they are for, behind the letters of its own actors, and they are pushed to its actors' lists. What `receive` sees of a sender is in the order of its letters wherever that is.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_macros::routine;

use super::delivery::{ACTORS, APART, CONCERN, GROUP, total};
use crate::native::vm;

/// The device's own actors: the first, and one past the last.
pub const FIRST: usize = 11;
pub const END: usize = 12;
/// Letters of the device's own actors that there is room for, behind which those from other devices lie.
pub const ARRIVED: usize = 13;
/// Letters that there is room for to each device.
pub const ROOM: usize = 14;
/// How many devices there are; 0 if there is one.
pub const DEVICES: usize = 15;
/// One past the last actor of each device.
pub const ENDS: usize = 16;
/// The most devices.
pub const MOST_DEVICES: usize = total(1) - ENDS;
/// Letters to each device, after all that is in columns on one. Those to itself are the ones that stay.
pub const LEAVING: usize = total(2);

/// Which device has an actor.
#[routine(library)]
pub fn device_of(cells: &[u32], actor: u32) -> u32 {
    let mut device = 0;
    while actor >= cells[ENDS + device] {
        device += 1;
    }
    device as u32
}

/// Where in the lists letters to a device are counted that a group of senders has.
#[routine(library)]
pub fn counted(actors: u32, device: u32, sender: u32) -> u32 {
    let groups = actors.div_ceil(GROUP);
    actors + (groups + device * groups + sender / GROUP) * APART
}

/// Lays out the letters of a [`GROUP`] of senders to a device, one VM for each device and group. Of those that stay it counts what a group of receivers gets.
#[routine(library)]
pub fn seal(cells: &[u32], leaving: &[AtomicU32], lists: &mut [u32], places: &mut [u32]) {
    let (vm, actors) = (vm::id(), cells[ACTORS]);
    let groups = actors.div_ceil(GROUP);
    let (device, group) = (vm / groups, vm % groups);
    let stay = device == device_of(cells, cells[FIRST]);
    let counted = actors + if stay { group } else { groups + vm } * APART;
    let count = lists[counted as usize];
    let at = leaving[device as usize].fetch_add(count, Ordering::Relaxed);
    let mut fits = true;
    if !stay {
        let room = cells[ROOM];
        fits = at <= room && count <= room - at;
        places[(vm * APART) as usize] = at;
        lists[counted as usize] = 0;
    }
    assert!(fits && cells[CONCERN] == 0, "the host delivers these");
}

/// Puts the letters of the VM's actor to those of other devices among those that leave.
#[routine(library)]
#[allow(clippy::too_many_arguments, reason = "columns of a launch")]
pub fn pack(
    mail: &[(u32, u32, u32)],
    sent: &u32,
    letters: &[u32],
    places: &[AtomicU32],
    cells: &[u32],
    leaving: &mut [u32],
    senders: &mut [u32],
    sends: u32,
    size: u32,
) {
    let vm = vm::id();
    let (_, first, end) = mail[vm as usize];
    if first < end {
        let groups = cells[ACTORS].div_ceil(GROUP);
        for letter in first * sends..*sent {
            let to = letters[(letter * size) as usize];
            if to < cells[FIRST] || to >= cells[END] {
                let device = device_of(cells, to);
                let place = &places[((device * groups + vm / GROUP) * APART) as usize];
                let at = device * cells[ROOM] + place.fetch_add(1, Ordering::Relaxed);
                for word in 0..size {
                    leaving[(at * size + word) as usize] = letters[(letter * size + word) as usize];
                }
                senders[at as usize] = vm;
            }
        }
    }
}

/// Pushes a letter that has come from another device to its receiver's list.
#[routine(library)]
pub fn unpack(
    letters: &[u32],
    senders: &[u32],
    lists: &[AtomicU32],
    links: &mut [(u32, u32)],
    cells: &[u32],
    size: u32,
) {
    let (vm, actors) = (vm::id(), cells[ACTORS]);
    let letter = cells[ARRIVED] + vm;
    let to = letters[(letter * size) as usize];
    let before = lists[to as usize].swap(letter + 1, Ordering::Relaxed);
    links[letter as usize] = (before, senders[vm as usize]);
    lists[(actors + to / GROUP * APART) as usize].fetch_add(1, Ordering::Relaxed);
}
