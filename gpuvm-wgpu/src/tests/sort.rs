//! Sorts of the device's memory against those of std.

use std::sync::Arc;

use gpuvm_engine::{DeviceMemory, Region, Sort};
use proptest::prelude::*;

use super::engines;

pub(super) fn memory() -> Arc<dyn DeviceMemory> {
    engines()[0].memory().unwrap()
}

pub(super) fn region(memory: &dyn DeviceMemory, words: &[u32]) -> Region {
    let region = memory.allocate(words.len().max(1) as u64).unwrap();
    memory.write(&region, &words).unwrap();
    region
}

/// Sorts entries that tell their numbers, of so many words, by keys of so many.
fn check(keys: &[u64], bits: u32, key_words: u32, entry_words: u32) {
    let memory = memory();
    let words: Vec<u32> = keys
        .iter()
        .flat_map(|&key| [key as u32, (key >> 32) as u32].into_iter().take(key_words as usize))
        .collect();
    let entry = |number: usize| (0..entry_words).map(move |word| number as u32 * 7 + word);
    let entries: Vec<u32> = (0..keys.len()).flat_map(entry).collect();
    let sort = Sort {
        count: keys.len() as u32,
        keys: region(&*memory, &words),
        key_words,
        bits,
        entries: region(&*memory, &entries),
        entry_words,
        sorted: region(&*memory, &vec![u32::MAX; entries.len()]),
    };
    memory.sort(&sort).unwrap();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&number| keys[number]);
    let expected: Vec<u32> = order.into_iter().flat_map(entry).collect();
    assert!(
        memory.read(&sort.sorted).unwrap()[..expected.len()] == expected,
        "{} keys of {key_words} words, entries of {entry_words}",
        keys.len()
    );
}

/// Words without a pattern.
pub(super) fn scrambled(number: u64) -> u64 {
    let word = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (word ^ word >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[test]
fn entries_come_in_the_order_of_their_keys() {
    for count in [0, 1, 2, 255, 256, 2047, 2048, 2049, 70_001] {
        let keys: Vec<u64> = (0..count).map(scrambled).collect();
        let narrow: Vec<u64> = keys.iter().map(|key| key >> 32).collect();
        for entry_words in [1, 3] {
            check(&narrow, 32, 1, entry_words);
            check(&keys, 64, 2, entry_words);
        }
    }
}

#[test]
fn entries_of_equal_keys_stay_in_their_order() {
    for (bits, count) in [(1, 5000), (3, 2048), (8, 9000), (11, 6000)] {
        let keys: Vec<u64> = (0..count).map(|number| scrambled(number) & ((1 << bits) - 1)).collect();
        for entry_words in [1, 2] {
            check(&keys, bits, 1, entry_words);
        }
    }
    check(&vec![u32::MAX.into(); 5000], 32, 1, 1);
    check(&vec![u64::MAX; 3000], 64, 2, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_keys_are_sorted(
        keys in prop::collection::vec(prop_oneof![any::<u64>(), any::<u8>().prop_map(u64::from), Just(u64::MAX)], 0..6000),
        wide in any::<bool>(),
        entry_words in 1..5_u32,
    ) {
        match wide {
            true => check(&keys, 64, 2, entry_words),
            false => {
                let keys: Vec<u64> = keys.iter().map(|key| key & 0xffff_ffff).collect();
                check(&keys, 32, 1, entry_words);
            }
        }
    }
}
