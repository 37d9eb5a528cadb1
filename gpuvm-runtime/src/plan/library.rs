//! The routines of plans' own, for verbs that are made of others. They are written as a user writes routines, and have no id.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm_core::facts::RoutineType;
use gpuvm_macros::routine;

use super::kernel::{MOST_LANES, NEIGHBOURS};
use crate::native::vm;
use crate::registry::Registration;

/// The entry of a routine, with what its native function is called with.
macro_rules! entry {
    ($entry:ident = $name:ident($($param:ident: $get:expr),*), |$cx:ident, $vm:ident| $call:expr) => {
        pub(super) static $entry: Registration = Registration {
            id: stringify!($name),
            file: file!(),
            line: line!(),
            params: &[$(stringify!($param)),*],
            routine: <$name as RoutineType>::routine,
            native: |$cx| {
                $(let $param = $get;)*
                $cx.run((), |$vm, ()| $call)
            },
        };
    };
}

/// Counts an entry in its bin. There are several copies of the bins, one after the other, among which VMs are shared out: so fewer of them
/// are at one word at a time.
#[routine(library)]
fn histogram(bin: u32, counts: &[AtomicU32], bins: u32, copies: u32) {
    assert!(
        bin < bins,
        "index out of bounds: the len is {bins} but the index is {bin}"
    );
    counts[(vm::id() % copies * bins + bin) as usize].fetch_add(1, Ordering::Relaxed);
}

entry!(HISTOGRAM = histogram(
    bin: cx.column::<u32>(0)?,
    counts: cx.atomics::<AtomicU32>(1)?,
    bins: cx.column::<u32>(2)?,
    copies: cx.column::<u32>(3)?
), |cx, vm| histogram(*bin.get(vm), counts, *bins.get(vm), *copies.get(vm)));

/// What all copies of a bin have counted.
#[routine(library)]
fn histogram_sum(counts: &[u32], copies: u32) -> u32 {
    let (bin, bins) = (vm::id(), vm::count());
    let mut sum = 0;
    for copy in 0..copies {
        sum += counts[(copy * bins + bin) as usize];
    }
    sum
}

entry!(HISTOGRAM_SUM = histogram_sum(
    counts: cx.slice::<u32>(0)?,
    copies: cx.column::<u32>(1)?
), |cx, vm| histogram_sum(counts, *copies.get(vm)));

/// The number of the next entry.
#[routine(library)]
fn next_number() -> u32 {
    vm::id() + 1
}

entry!(NEXT_NUMBER = next_number(), |cx, _vm| next_number());

/// The first entry of a group, whose groups end before these.
#[routine(library)]
fn group_start(ends: &[u32]) -> u32 {
    let group = vm::id() as usize;
    if group == 0 { 0 } else { ends[group - 1] }
}

entry!(GROUP_START = group_start(ends: cx.slice::<u32>(0)?), |cx, _vm| group_start(ends));

/// How many entries a group has.
#[routine(library)]
fn group_count(ends: &[u32]) -> u32 {
    ends[vm::id() as usize] - group_start(ends)
}

entry!(GROUP_COUNT = group_count(ends: cx.slice::<u32>(0)?), |cx, _vm| group_count(ends));

/// The group of an entry: the first that ends behind it.
#[routine(library)]
fn group_of(ends: &[u32]) -> u32 {
    let entry = vm::id();
    let (mut low, mut high) = (0, ends.len() as u32);
    while low < high {
        let middle = low + (high - low) / 2;
        if ends[middle as usize] <= entry {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

entry!(GROUP_OF = group_of(ends: cx.slice::<u32>(0)?), |cx, _vm| group_of(ends));

/// The lanes that so many entries are folded by: a power of [`NEIGHBOURS`], as few as have no more than [`NEIGHBOURS`] entries each, but
/// [`MOST_LANES`] at most.
#[routine(library)]
pub(super) fn lanes_of(entries: u32) -> u32 {
    let mut lanes = 1;
    while lanes < MOST_LANES && lanes * NEIGHBOURS < entries {
        lanes = if lanes * NEIGHBOURS < MOST_LANES {
            lanes * NEIGHBOURS
        } else {
            MOST_LANES
        };
    }
    lanes
}

/// Which entries of a group a VM folds: the first, how far the next one is, and where they end. `number` says which of the group's VMs it is,
/// `stage` in which turn: in even ones lanes fold, in odd ones what neighbouring lanes have come to is folded. What VMs come to lies from the
/// group's first place on. A VM too many has none.
#[routine(library)]
pub(super) fn span_of(start: u32, end: u32, number: u32, stage: u32) -> (u32, u32, u32) {
    let mut entries = end - start;
    let mut lanes = lanes_of(entries);
    for _ in 0..stage / 2 {
        entries = if lanes > NEIGHBOURS { lanes / NEIGHBOURS } else { 1 };
        lanes = lanes_of(entries);
    }
    if stage & 1 == 0 {
        if number < lanes {
            (start + number, lanes, start + entries)
        } else {
            (0, 1, 0)
        }
    } else {
        let each = if lanes > NEIGHBOURS { NEIGHBOURS } else { lanes };
        if number * each < lanes {
            (start + number * each, 1, start + (number + 1) * each)
        } else {
            (0, 1, 0)
        }
    }
}

/// The span of a VM for each entry.
#[routine(library)]
#[allow(dead_code, reason = "it runs in VMs alone")]
pub(super) fn span_of_entry(groups: &[u32], ends: &[u32], stage: u32) -> (u32, u32, u32) {
    let entry = vm::id();
    let group = groups[entry as usize] as usize;
    let start = if group == 0 { 0 } else { ends[group - 1] };
    span_of(start, ends[group], entry - start, stage)
}

/// The span of the only VM of each group.
#[routine(library)]
#[allow(dead_code, reason = "it runs in VMs alone")]
pub(super) fn span_of_group(ends: &[u32], stage: u32) -> (u32, u32, u32) {
    span_of(group_start(ends), ends[vm::id() as usize], 0, stage)
}
