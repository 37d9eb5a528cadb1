//! Colours an interference graph with the machine's words: coalesce copies as long as that cannot make the graph harder
//! (Briggs' test), take out words with few neighbours, then put all back with colours.

use super::interference::Graph;
use crate::ir::Word;
use crate::isa::WORDS;

/// What colouring came to.
pub(crate) enum Outcome {
    /// A word of the machine for every word.
    Coloured(Vec<u8>),
    /// For each word that has to live in the frame, a number; words with the same number share a place.
    Spill(Vec<Option<u32>>),
}

/// Colours a graph.
pub(crate) fn colour(graph: Graph) -> Outcome {
    if graph.across_call.contains(&true) {
        return spill_across_calls(&graph);
    }
    let mut colouring = Colouring::new(graph);
    colouring.coalesce();
    let stack = colouring.simplify();
    colouring.select(stack)
}

/// Marks a word without a colour.
const NO_COLOUR: u8 = u8::MAX;

struct Colouring {
    graph: Graph,
    /// The word that a word was merged into; itself if it was not.
    merged: Vec<Word>,
    /// Neighbours that were not taken out yet.
    degree: Vec<usize>,
    /// Marks of the walk over neighbours that is going on.
    seen: Vec<u32>,
    walk: u32,
}

impl Colouring {
    fn new(graph: Graph) -> Colouring {
        let words = graph.weight.len();
        let degree = graph.neighbours.iter().map(Vec::len).collect();
        Colouring {
            graph,
            merged: (0..words as Word).collect(),
            degree,
            seen: vec![0; words],
            walk: 0,
        }
    }

    fn find(&self, mut word: Word) -> Word {
        while self.merged[word as usize] != word {
            word = self.merged[word as usize];
        }
        word
    }

    /// The neighbours of a word, merged ones once.
    fn neighbours(&mut self, words: &[Word]) -> Vec<Word> {
        self.walk += 1;
        let mut found = Vec::new();
        for &word in words {
            for i in 0..self.graph.neighbours[word as usize].len() {
                let next = self.find(self.graph.neighbours[word as usize][i]);
                if std::mem::replace(&mut self.seen[next as usize], self.walk) != self.walk {
                    found.push(next);
                }
            }
        }
        found
    }

    fn coalesce(&mut self) {
        for (to, from) in std::mem::take(&mut self.graph.copies) {
            let (a, b) = (self.find(to), self.find(from));
            let temporary = self.graph.weight[a as usize].is_infinite() || self.graph.weight[b as usize].is_infinite();
            if a != b && !temporary && !self.graph.interferes(a, b) && self.is_safe(a, b) {
                self.merge(a, b);
            }
            self.graph.copies.push((to, from));
        }
    }

    /// Whether the merged word has fewer neighbours of high degree than there are colours, so that it can always be taken out.
    fn is_safe(&mut self, a: Word, b: Word) -> bool {
        if self.degree[a as usize] + self.degree[b as usize] < WORDS {
            return true;
        }
        let of_a = self.neighbours(&[a]);
        let first = self.walk;
        let mut high = of_a.iter().filter(|&&next| self.degree[next as usize] >= WORDS).count();
        self.walk += 1;
        for i in 0..self.graph.neighbours[b as usize].len() {
            let next = self.find(self.graph.neighbours[b as usize][i]);
            match std::mem::replace(&mut self.seen[next as usize], self.walk) {
                seen if seen == self.walk => {}
                // A neighbour of both counts one less once they are one.
                seen if seen == first => high -= usize::from(self.degree[next as usize] == WORDS),
                _ => high += usize::from(self.degree[next as usize] >= WORDS),
            }
        }
        high < WORDS
    }

    fn merge(&mut self, a: Word, b: Word) {
        for next in self.neighbours(&[b]) {
            if self.graph.add_edge(a, next) {
                self.degree[a as usize] += 1;
            } else {
                self.degree[next as usize] -= 1;
            }
        }
        self.merged[b as usize] = a;
        self.graph.weight[a as usize] += self.graph.weight[b as usize];
    }

    /// The order in which words are taken out: first those that have a colour left whatever their neighbours get, and where
    /// there are none, the one that is cheapest to spill for the neighbours it frees.
    fn simplify(&mut self) -> Vec<Word> {
        let roots: Vec<Word> = (0..self.merged.len() as Word)
            .filter(|&word| self.merged[word as usize] == word)
            .collect();
        let mut by_cost = roots.clone();
        let cost = |word: Word| self.graph.weight[word as usize] / self.degree[word as usize].max(1) as f32;
        by_cost.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(a.cmp(&b)));
        let mut candidates = by_cost.into_iter();
        let mut low: Vec<Word> = roots
            .iter()
            .copied()
            .filter(|&word| self.degree[word as usize] < WORDS)
            .collect();
        let mut out = vec![false; self.merged.len()];
        let mut stack = Vec::with_capacity(roots.len());
        while let Some(word) = low.pop().or_else(|| candidates.find(|&word| !out[word as usize])) {
            if std::mem::replace(&mut out[word as usize], true) {
                continue;
            }
            stack.push(word);
            for next in self.neighbours(&[word]) {
                let degree = &mut self.degree[next as usize];
                if !out[next as usize] {
                    *degree -= 1;
                    if *degree == WORDS - 1 {
                        low.push(next);
                    }
                }
            }
        }
        stack
    }

    fn select(mut self, mut stack: Vec<Word>) -> Outcome {
        let words = self.merged.len();
        let mut wishes = vec![Vec::new(); words];
        for &(to, from) in &self.graph.copies {
            let (a, b) = (self.find(to), self.find(from));
            wishes[a as usize].push(b);
            wishes[b as usize].push(a);
        }
        let mut colours = vec![NO_COLOUR; words];
        let mut failed = Vec::new();
        while let Some(word) = stack.pop() {
            let mut free = (1u32 << WORDS) - 1;
            for next in self.neighbours(&[word]) {
                if colours[next as usize] != NO_COLOUR {
                    free &= !(1 << colours[next as usize]);
                }
            }
            let wish = wishes[word as usize]
                .iter()
                .map(|&other| colours[other as usize])
                .find(|&colour| colour != NO_COLOUR && free >> colour & 1 != 0);
            match wish {
                Some(colour) => colours[word as usize] = colour,
                None if free != 0 => colours[word as usize] = free.trailing_zeros() as u8,
                None => failed.push(word),
            }
        }
        if failed.is_empty() {
            return Outcome::Coloured(
                (0..words as Word)
                    .map(|word| colours[self.find(word) as usize])
                    .collect(),
            );
        }
        let places = share_places(&failed, |word| self.neighbours(&[word]), words);
        Outcome::Spill(
            (0..words as Word)
                .map(|word| places[self.find(word) as usize])
                .collect(),
        )
    }
}

/// All words that live across a call go to the frame before anything is coloured.
fn spill_across_calls(graph: &Graph) -> Outcome {
    let words: Vec<Word> = (0..graph.across_call.len() as Word)
        .filter(|&word| graph.across_call[word as usize])
        .collect();
    let neighbours = |word: Word| graph.neighbours[word as usize].clone();
    Outcome::Spill(share_places(&words, neighbours, graph.across_call.len()))
}

/// Numbers places for the words so that words that interfere get different ones.
fn share_places(spilled: &[Word], mut neighbours: impl FnMut(Word) -> Vec<Word>, words: usize) -> Vec<Option<u32>> {
    let mut places = vec![None; words];
    for &word in spilled {
        let mut taken: Vec<u32> = neighbours(word)
            .iter()
            .filter_map(|&next| places[next as usize])
            .collect();
        taken.sort_unstable();
        taken.dedup();
        let free = taken.iter().zip(0..).find(|(taken, i)| **taken != *i).map(|(_, i)| i);
        places[word as usize] = Some(free.unwrap_or(taken.len() as u32));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};
    use crate::ir::{End, Inst};

    fn colours(code: Vec<Inst>, result: Vec<Word>) -> Outcome {
        let mut function = blocks(vec![End::Return(result)]);
        function.blocks[0].code = code;
        colour(Graph::of(&function, function.words))
    }

    #[test]
    fn copies_come_to_share_a_word() {
        let outcome = colours(assemble("imm 0 1; imm 1 2; mov 2 0; add 3 2 1; mov 4 3"), vec![4]);
        let Outcome::Coloured(colours) = outcome else {
            panic!("everything fits")
        };
        assert_eq!(colours[0], colours[2]);
        assert_eq!(colours[3], colours[4]);
        assert_ne!(colours[2], colours[1]);
    }

    #[test]
    fn what_is_used_least_is_spilled() {
        let mut code = assemble(&(0..30).map(|word| format!("vmid {word};")).collect::<String>());
        code.extend(assemble(
            &(2..30)
                .map(|word| format!("stf {word} 0; stf {word} 0;"))
                .collect::<String>(),
        ));
        let Outcome::Spill(places) = colours(code, (0..30).collect()) else {
            panic!("too much to fit")
        };
        assert!(places[..2].iter().all(Option::is_some), "{places:?}");
        assert!(places[2..].iter().all(Option::is_none));
        assert_ne!(places[0], places[1]);
    }
}
