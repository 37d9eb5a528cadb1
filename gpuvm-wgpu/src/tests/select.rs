//! Selections of the device's memory against plain Rust.

use gpuvm_engine::{Rule, Select, Tiles};
use proptest::prelude::*;

use super::sort::{memory, region, scrambled};

/// Keeps entries that tell their numbers, of so many words.
fn check(by: &[u32], rule: Rule, entry_words: u32) {
    let each = match rule {
        Rule::Flagged | Rule::Marked => 1,
        Rule::First { key_words } | Rule::Last { key_words } => key_words as usize,
    };
    let keys: Vec<&[u32]> = by.chunks(each).collect();
    let count = keys.len();
    let is_kept = |entry: &usize| match rule {
        Rule::Flagged | Rule::Marked => keys[*entry] != [0],
        Rule::First { .. } => *entry == 0 || keys[*entry] != keys[*entry - 1],
        Rule::Last { .. } => *entry + 1 == count || keys[*entry] != keys[*entry + 1],
    };
    let entry = |number: usize| (0..entry_words).map(move |word| number as u32 * 7 + word);
    let kept: Vec<usize> = (0..count).filter(is_kept).collect();
    let memory = memory();
    let entries: Vec<u32> = (0..count).flat_map(entry).collect();
    let select = Select {
        count: count as u32,
        rule,
        by: match rule {
            Rule::Marked => region(&*memory, &marks(by)),
            _ => region(&*memory, by),
        },
        entries: region(&*memory, &entries),
        entry_words,
        kept: region(&*memory, &vec![u32::MAX; entries.len()]),
    };
    let found = memory.clone().select(&select).unwrap().wait().unwrap();
    assert_eq!(found.count as usize, kept.len(), "{rule:?} of {count}");
    let mut expected: Vec<u32> = kept.into_iter().flat_map(entry).collect();
    expected.resize(entries.len(), u32::MAX);
    assert!(
        memory.read(&select.kept).unwrap()[..expected.len()] == expected,
        "{rule:?} of {count} entries of {entry_words} words"
    );
}

/// The marks of the entries whose words are not 0, as `Tiles::is_marked` has them.
fn marks(by: &[u32]) -> Vec<u32> {
    let mut marks = vec![0; Tiles::Marks.room(by.len() as u32) as usize];
    for (entry, _) in by.iter().enumerate().filter(|(_, word)| **word != 0) {
        let (tile, within) = (entry / Tiles::TILE as usize, entry % Tiles::TILE as usize);
        let words = Tiles::MARKS as usize;
        marks[tile * words + within % words] |= 1 << (within / words);
    }
    let kept = by
        .chunks(Tiles::TILE as usize)
        .map(|tile| tile.iter().filter(|word| **word != 0).count() as u32);
    let counts_at = marks.len() - by.len().div_ceil(Tiles::TILE as usize);
    marks[counts_at..]
        .iter_mut()
        .zip(kept)
        .for_each(|(to, kept)| *to = kept);
    assert!((0..by.len()).all(|entry| Tiles::is_marked(&marks, entry) == (by[entry] != 0)));
    marks
}

const RULES: [Rule; 6] = [
    Rule::Flagged,
    Rule::Marked,
    Rule::First { key_words: 1 },
    Rule::Last { key_words: 1 },
    Rule::First { key_words: 2 },
    Rule::Last { key_words: 2 },
];

#[test]
fn entries_are_kept_in_their_order() {
    for count in [1, 2, 255, 256, 2047, 2048, 2049, 70_001] {
        for rule in RULES {
            let words = count
                * if matches!(rule, Rule::Flagged | Rule::Marked) {
                    1
                } else {
                    2
                };
            let by: Vec<u32> = (0..words).map(|number| (scrambled(number) >> 40) as u32 % 3).collect();
            for entry_words in [1, 3] {
                check(&by, rule, entry_words);
            }
        }
    }
}

#[test]
fn all_and_none_are_kept() {
    for rule in RULES {
        check(&[0; 5000], rule, 1);
        check(&[u32::MAX; 5000], rule, 2);
        check(&(0..5000).collect::<Vec<u32>>(), rule, 1);
    }
    // More tiles than one of them counts.
    let by: Vec<u32> = (0..2048 * 2048 + 5000)
        .map(|number| u32::from(number % 1000 == 7))
        .collect();
    check(&by, Rule::Flagged, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_entries_are_kept(
        by in prop::collection::vec(prop_oneof![any::<u32>(), 0..2_u32], 1..3000),
        rule in 0..RULES.len(),
        entry_words in 1..5_u32,
    ) {
        let even = by.len() & !1;
        let words = match RULES[rule] {
            Rule::First { key_words: 2 } | Rule::Last { key_words: 2 } if even > 0 => &by[..even],
            Rule::First { key_words: 2 } | Rule::Last { key_words: 2 } => return Ok(()),
            _ => &by[..],
        };
        check(words, RULES[rule], entry_words);
    }
}
