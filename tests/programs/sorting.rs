//! Sorting by hand, generic over the item and the comparison: insertion, quick, heap and merge sort, and selection.

use core::cmp::{Ordering, Reverse};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    pub key: u16,
    /// Where the record was before.
    pub place: u16,
}

#[routine]
fn insertion_sort<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && compare(&items[at - 1], &items[at]).is_gt() {
            items.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Lomuto's partition with the median of three; what is before the returned place is less.
#[routine]
fn partition<T, F: Fn(&T, &T) -> bool>(items: &mut [T], less: &F) -> usize {
    let last = items.len() - 1;
    let middle = last / 2;
    if less(&items[middle], &items[0]) {
        items.swap(middle, 0);
    }
    if less(&items[last], &items[0]) {
        items.swap(last, 0);
    }
    if less(&items[middle], &items[last]) {
        items.swap(middle, last);
    }
    let mut store = 0;
    for i in 0..last {
        if less(&items[i], &items[last]) {
            items.swap(i, store);
            store += 1;
        }
    }
    items.swap(store, last);
    store
}

#[routine]
fn quick_sort<T, F: Fn(&T, &T) -> bool>(items: &mut [T], less: &F) {
    if items.len() <= 8 {
        insertion_sort(
            items,
            |a, b| if less(b, a) { Ordering::Greater } else { Ordering::Equal },
        );
        return;
    }
    let pivot = partition(items, less);
    let (left, right) = items.split_at_mut(pivot);
    quick_sort(left, less);
    quick_sort(&mut right[1..], less);
}

/// What would be at `place` were the items sorted.
#[routine]
fn quick_select<T: Copy, F: Fn(&T, &T) -> bool>(mut items: &mut [T], mut place: usize, less: &F) -> T {
    loop {
        let pivot = partition(items, less);
        match place.cmp(&pivot) {
            Ordering::Equal => return items[pivot],
            Ordering::Less => items = &mut items[..pivot],
            Ordering::Greater => {
                items = &mut items[pivot + 1..];
                place -= pivot + 1;
            }
        }
    }
}

#[routine]
fn heap_sort<T: Ord>(items: &mut [T]) {
    #[routine]
    fn sift_down<T: Ord>(heap: &mut [T], mut at: usize) {
        loop {
            let mut child = 2 * at + 1;
            if child >= heap.len() {
                return;
            }
            if child + 1 < heap.len() && heap[child] < heap[child + 1] {
                child += 1;
            }
            if heap[at] >= heap[child] {
                return;
            }
            heap.swap(at, child);
            at = child;
        }
    }

    for start in (0..items.len() / 2).rev() {
        sift_down(items, start);
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sift_down(&mut items[..end], 0);
    }
}

/// Bottom-up and stable; `scratch` must be as long at least.
#[routine]
fn merge_sort<T: Copy, K: Ord>(items: &mut [T], scratch: &mut [T], key: impl Fn(&T) -> K) {
    let len = items.len();
    let scratch = &mut scratch[..len];
    let mut width = 1;
    while width < len {
        for (run, out) in items.chunks(2 * width).zip(scratch.chunks_mut(2 * width)) {
            let (left, right) = run.split_at(width.min(run.len()));
            let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
            for slot in out {
                let next = match (left.peek(), right.peek()) {
                    (Some(a), Some(b)) if key(b) < key(a) => right.next(),
                    (Some(_), _) => left.next(),
                    (None, _) => right.next(),
                };
                *slot = *next.expect("as many as slots");
            }
        }
        items.copy_from_slice(scratch);
        width *= 2;
    }
}

/// Sorts `values` in place in the way that `method` says; whether that is known.
#[routine]
pub fn sort_in_place(values: &mut [i32], method: u8) -> bool {
    match method {
        0 => insertion_sort(values, i32::cmp),
        1 => quick_sort(values, &|a, b| a < b),
        2 => heap_sort(values),
        3 => quick_sort(values, &|a: &i32, b: &i32| a.unsigned_abs() < b.unsigned_abs()),
        4 => values.sort_unstable_by_key(|&v| Reverse(v)),
        _ => return false,
    }
    true
}

/// A stable order of the first 32 keys by their last digit, then falling: the places they were at.
#[routine]
pub fn sort_stably(keys: &[u16]) -> [u16; 32] {
    let mut records = [Record {
        key: 0,
        place: u16::MAX,
    }; 32];
    let mut count = 0;
    for (place, (record, &key)) in records.iter_mut().zip(keys).enumerate() {
        *record = Record {
            key,
            place: place as u16,
        };
        count += 1;
    }
    let mut scratch = [Record::default(); 32];
    merge_sort(&mut records[..count], &mut scratch, |record| Reverse(record.key));
    merge_sort(&mut records[..count], &mut scratch, |record| record.key % 10);
    records.map(|record| record.place)
}

/// The median of five rows of five, and the median of their medians.
#[routine]
pub fn medians(mut rows: [[i16; 5]; 5]) -> [i16; 2] {
    let mut middles = [0; 5];
    for (middle, row) in middles.iter_mut().zip(rows.iter()) {
        let mut row = *row;
        row.sort_unstable();
        *middle = row[2];
    }
    let less = |a: &i16, b: &i16| a < b;
    [
        quick_select(rows.as_flattened_mut(), 12, &less),
        quick_select(&mut middles, 2, &less),
    ]
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn sorts() {
        let values: [i32; 40] = core::array::from_fn(|i| (i as i32 * 7919) % 41 - 20);
        for method in 0..3 {
            let mut sorted = values;
            assert!(sort_in_place(&mut sorted, method));
            assert!(sorted.is_sorted());
            assert_eq!(sorted.iter().sum::<i32>(), values.iter().sum());
        }
        let mut sorted = values;
        assert!(sort_in_place(&mut sorted, 3) && sorted.is_sorted_by_key(|v| v.abs()));
        assert!(sort_in_place(&mut sorted, 4) && sorted.iter().rev().is_sorted());
        assert!(!sort_in_place(&mut sorted, 9));
    }

    #[test]
    fn stable() {
        assert_eq!(sort_stably(&[31, 12, 21, 2, 11, 30])[..7], [5, 0, 2, 4, 1, 3, u16::MAX]);
        let rows = core::array::from_fn(|r| core::array::from_fn(|c| ((r * 5 + c) * 7 % 25) as i16));
        assert_eq!(medians(rows), [12, 13]);
    }
}
