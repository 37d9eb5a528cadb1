//! The interference graph: which words are alive at the same time, which would like to be the same, and how much it costs to
//! spill each.

use rustc_hash::FxHashSet;

use crate::ir::flow::Shape;
use crate::ir::liveness::Liveness;
use crate::ir::{Function, Word};
use crate::isa::Op;

/// What colouring needs to know of a function.
pub(crate) struct Graph {
    /// For each word the words it must not share a place with; may name one twice after coalescing.
    pub neighbours: Vec<Vec<Word>>,
    /// Copies `(to, from)`, those run most often first.
    pub copies: Vec<(Word, Word)>,
    /// Runs of definitions and uses that spilling the word would make accesses of the frame; infinite for words that only
    /// carry a spilled value to or from an instruction.
    pub weight: Vec<f32>,
    /// Words alive across a call, which every word of the machine is lost in.
    pub across_call: Vec<bool>,
    edges: Edges,
}

/// Loops deeper than this weigh no more.
const DEEPEST: u32 = 6;

impl Graph {
    /// Builds the graph. Words from `temporaries` on are not to be spilled again.
    pub fn of(function: &Function, temporaries: Word) -> Graph {
        let words = function.words as usize;
        let live = Liveness::of(function);
        let shape = Shape::of(function);
        let mut graph = Graph {
            neighbours: vec![Vec::new(); words],
            copies: Vec::new(),
            weight: weights(function, &shape),
            across_call: vec![false; words],
            edges: Edges::new(words),
        };
        let mut copies = Vec::new();
        let mut alive = Alive {
            list: Vec::new(),
            at: vec![u32::MAX; words],
        };
        for (b, block) in function.blocks.iter().enumerate() {
            let depth = shape.depth[b].min(DEEPEST);
            alive.clear();
            for word in live.at_end(b).chain(block.end.uses()) {
                alive.insert(word);
            }
            for inst in block.code.iter().rev() {
                if inst.op == Op::Call {
                    for &word in &alive.list {
                        graph.across_call[word as usize] = true;
                    }
                }
                let source = inst.as_copy().map(|(to, from)| {
                    copies.push((depth, to, from));
                    from
                });
                for def in inst.defs() {
                    for &word in alive.list.iter().filter(|&&word| Some(word) != source) {
                        graph.add_edge(def, word);
                    }
                }
                if let [low, high] = inst.defs
                    && high != crate::ir::NONE
                {
                    graph.add_edge(low, high);
                }
                for def in inst.defs() {
                    alive.remove(def);
                }
                for word in inst.uses() {
                    alive.insert(word);
                }
            }
        }
        copies.sort_by_key(|&(depth, ..)| std::cmp::Reverse(depth));
        graph.copies = copies.into_iter().map(|(_, to, from)| (to, from)).collect();
        if let Some(temporaries) = graph.weight.get_mut(temporaries as usize..) {
            temporaries.fill(f32::INFINITY);
        }
        graph
    }

    /// What spilling each word costs, as [`Graph::weight`] has it.
    pub fn weights(function: &Function) -> Vec<f32> {
        weights(function, &Shape::of(function))
    }

    /// Whether two words must not share a place.
    pub fn interferes(&self, a: Word, b: Word) -> bool {
        self.edges.contains(a, b)
    }

    /// Keeps two words apart; whether they were not already.
    pub fn add_edge(&mut self, a: Word, b: Word) -> bool {
        let new = a != b && self.edges.insert(a, b);
        if new {
            self.neighbours[a as usize].push(b);
            self.neighbours[b as usize].push(a);
        }
        new
    }
}

fn weights(function: &Function, shape: &Shape) -> Vec<f32> {
    let mut weight = vec![0.0; function.words as usize];
    for (block, depth) in function.blocks.iter().zip(&shape.depth) {
        let cost = 10f32.powi((*depth).min(DEEPEST) as i32);
        let in_code = block.code.iter().flat_map(|inst| inst.defs().chain(inst.uses()));
        for word in in_code.chain(block.end.uses()) {
            weight[word as usize] += cost;
        }
    }
    weight
}

/// The words alive at a point: a list, and each word's place in it.
struct Alive {
    list: Vec<Word>,
    at: Vec<u32>,
}

impl Alive {
    fn clear(&mut self) {
        for word in self.list.drain(..) {
            self.at[word as usize] = u32::MAX;
        }
    }

    fn insert(&mut self, word: Word) {
        if self.at[word as usize] == u32::MAX {
            self.at[word as usize] = self.list.len() as u32;
            self.list.push(word);
        }
    }

    fn remove(&mut self, word: Word) {
        let at = std::mem::replace(&mut self.at[word as usize], u32::MAX);
        if at != u32::MAX {
            self.list.swap_remove(at as usize);
            if let Some(&moved) = self.list.get(at as usize) {
                self.at[moved as usize] = at;
            }
        }
    }
}

/// A symmetric set of pairs: half a matrix of bits while that is small, a hash set beyond.
enum Edges {
    Matrix(Vec<u64>),
    Set(FxHashSet<(Word, Word)>),
}

/// Up to as many words the matrix takes 8 MiB at most.
const MATRIX_WORDS: usize = 11_500;

impl Edges {
    fn new(words: usize) -> Edges {
        if words <= MATRIX_WORDS {
            Edges::Matrix(vec![0; (words * words.saturating_sub(1) / 2).div_ceil(64)])
        } else {
            Edges::Set(FxHashSet::default())
        }
    }

    fn contains(&self, a: Word, b: Word) -> bool {
        match self {
            Edges::Matrix(bits) => a != b && bits[bit(a, b) / 64] >> (bit(a, b) % 64) & 1 != 0,
            Edges::Set(set) => set.contains(&(a.min(b), a.max(b))),
        }
    }

    fn insert(&mut self, a: Word, b: Word) -> bool {
        match self {
            Edges::Matrix(bits) => {
                let (at, mask) = (bit(a, b) / 64, 1 << (bit(a, b) % 64));
                let new = bits[at] & mask == 0;
                bits[at] |= mask;
                new
            }
            Edges::Set(set) => set.insert((a.min(b), a.max(b))),
        }
    }
}

/// The place of a pair of different words in the lower half of the matrix.
fn bit(a: Word, b: Word) -> usize {
    let (low, high) = (a.min(b) as usize, a.max(b) as usize);
    high * (high - 1) / 2 + low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn only_words_alive_together_interfere() {
        let mut function = blocks(vec![End::Return(vec![3])]);
        function.blocks[0].code = assemble("imm 0 1; imm 1 2; add 2 0 1; mov 3 2");
        let graph = Graph::of(&function, 64);
        assert!(graph.interferes(0, 1));
        assert!(!graph.interferes(0, 2) && !graph.interferes(2, 3));
        assert_eq!(graph.copies, [(3, 2)]);
    }

    #[test]
    fn both_forms_of_the_set_agree() {
        let mut matrix = Edges::new(10);
        let mut set = Edges::Set(FxHashSet::default());
        for (a, b) in [(0, 1), (9, 3), (1, 0), (8, 9)] {
            assert_eq!(matrix.insert(a, b), set.insert(a, b));
        }
        for (a, b) in (0..10).flat_map(|a| (0..10).map(move |b| (a, b))) {
            assert_eq!(matrix.contains(a, b), set.contains(a, b));
        }
    }
}
