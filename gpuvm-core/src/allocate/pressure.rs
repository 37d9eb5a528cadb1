//! Takes so many words to the frame beforehand that few enough are alive anywhere for a graph of what interferes: of n words that are alive
//! together it has n² / 2 edges. Who has to go is who is used least, and places are shared by ranges of code, not word by word.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::ir::liveness::Liveness;
use crate::ir::{Function, Word};

/// So many words may be alive at one place. Most of them will be spilled by colouring, which chooses better.
const MOST: usize = 512;

/// For each word that is to live in the frame a number; words with the same number share a place. `None` if no place has too many words
/// alive. `weight` is what spilling each word costs.
pub(crate) fn excess(function: &Function, weight: impl FnOnce() -> Vec<f32>) -> Option<Vec<Option<u32>>> {
    let live = Liveness::of(function);
    let mut count = Count {
        alive: 0,
        is_alive: vec![false; function.words as usize],
    };
    if !exceeds(function, &live, &mut count) {
        return None;
    }
    let weight = weight();
    let gone = evict(function, &live, &weight);
    Some(share(function, &live, &gone))
}

/// How many words are alive, and which.
struct Count {
    alive: usize,
    is_alive: Vec<bool>,
}

impl Count {
    fn set(&mut self, word: Word, alive: bool) {
        match (std::mem::replace(&mut self.is_alive[word as usize], alive), alive) {
            (false, true) => self.alive += 1,
            (true, false) => self.alive -= 1,
            _ => {}
        }
    }
}

fn exceeds(function: &Function, live: &Liveness, count: &mut Count) -> bool {
    for (b, block) in function.blocks.iter().enumerate() {
        live.at_end(b)
            .chain(block.end.uses())
            .for_each(|word| count.set(word, true));
        for inst in block.code.iter().rev() {
            if count.alive > MOST {
                return true;
            }
            inst.defs().for_each(|word| count.set(word, false));
            inst.uses().for_each(|word| count.set(word, true));
        }
        if count.alive > MOST {
            return true;
        }
        live.at_start(b).for_each(|word| count.set(word, false));
    }
    false
}

/// Which words go, so that nowhere more than [`MOST`] of the others are alive.
fn evict(function: &Function, live: &Liveness, weight: &[f32]) -> Vec<bool> {
    let mut gone = vec![false; weight.len()];
    let mut count = Count {
        alive: 0,
        is_alive: vec![false; weight.len()],
    };
    for (b, block) in function.blocks.iter().enumerate() {
        // The alive words, and some that were: those used least come first, and of equals those that were last met, which are read last.
        let mut candidates = BinaryHeap::new();
        let mut met = 0u32;
        let mut enter = |count: &mut Count, gone: &mut [bool], word: Word| {
            if gone[word as usize] || count.is_alive[word as usize] {
                return;
            }
            count.set(word, true);
            met += 1;
            candidates.push((Reverse(weight[word as usize].to_bits()), Reverse(met), word));
            while count.alive > MOST {
                let Some((.., word)) = candidates.pop() else {
                    return;
                };
                if count.is_alive[word as usize] {
                    count.set(word, false);
                    gone[word as usize] = true;
                }
            }
        };
        for word in live.at_end(b).chain(block.end.uses()) {
            enter(&mut count, &mut gone, word);
        }
        for inst in block.code.iter().rev() {
            for word in inst.defs() {
                count.set(word, false);
            }
            for word in inst.uses() {
                enter(&mut count, &mut gone, word);
            }
        }
        for word in live.at_start(b) {
            count.set(word, false);
        }
    }
    gone
}

/// Numbers places for the words that go, each for the range of code from where it is first alive to where it is last.
fn share(function: &Function, live: &Liveness, gone: &[bool]) -> Vec<Option<u32>> {
    let mut ranges = vec![(u32::MAX, 0u32); gone.len()];
    let mut now = 0;
    let mut see = |word: Word, now: u32| {
        let (first, last) = &mut ranges[word as usize];
        (*first, *last) = ((*first).min(now), (*last).max(now));
    };
    for (b, block) in function.blocks.iter().enumerate() {
        live.at_start(b).for_each(|word| see(word, now));
        for inst in &block.code {
            now += 1;
            inst.uses().chain(inst.defs()).for_each(|word| see(word, now));
        }
        now += 1;
        live.at_end(b).chain(block.end.uses()).for_each(|word| see(word, now));
        now += 1;
    }
    let mut by_start: Vec<Word> = (0..gone.len() as Word).filter(|&word| gone[word as usize]).collect();
    by_start.sort_by_key(|&word| ranges[word as usize]);
    let mut places = vec![None; gone.len()];
    // Places in use, by where their words are last alive.
    let mut used: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    let mut count = 0;
    for word in by_start {
        let (first, last) = ranges[word as usize];
        let place = match used.peek() {
            Some(&Reverse((end, place))) if end < first => {
                used.pop();
                place
            }
            _ => {
                count += 1;
                count - 1
            }
        };
        used.push(Reverse((last, place)));
        places[word as usize] = Some(place);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocate::interference::Graph;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    fn function(words: u32) -> Function {
        let mut function = blocks(vec![End::Halt]);
        function.words = words;
        let made: String = (0..words).map(|word| format!("vmid {word};")).collect();
        // Word 0 is used most, and the last two at no place where all others are alive.
        let used: String = (0..words).map(|word| format!("stf {word} {word}; stf 0 0;")).collect();
        function.blocks[0].code = assemble(&(made + &used));
        function
    }

    #[test]
    fn few_words_are_left_to_colouring() {
        assert!(excess(&function(MOST as u32), || unreachable!("nobody goes")).is_none());
    }

    #[test]
    fn who_is_used_most_stays_and_places_are_not_shared_by_what_is_alive_together() {
        let mut function = function(MOST as u32 + 40);
        let (weight, graph) = (Graph::weights(&function), Graph::of(&function, function.words));
        let places = excess(&function, || weight).expect("too many");
        assert_eq!(places[0], None);
        assert!(places.iter().flatten().count() >= 40);
        for a in 0..function.words {
            for b in (0..a).filter(|&b| graph.interferes(a, b)) {
                let (a, b) = (places[a as usize], places[b as usize]);
                assert!(a.is_none() || a != b);
            }
        }
        crate::allocate::spill::spill(&mut function, &places);
        assert!(excess(&function, || unreachable!("enough have gone")).is_none());
    }
}
