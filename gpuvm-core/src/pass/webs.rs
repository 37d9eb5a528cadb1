//! Webs: definitions of one word that no use has in common get words of their own (Muchnick, "Advanced Compiler Design and
//! Implementation", 16.3.3; Chaitin's "right number of names"). More words then have one definition, of which other passes know
//! more. Copies of blocks make most of what there is to split.

use crate::ir::definitions::Definitions;
use crate::ir::liveness::Liveness;
use crate::ir::names::Mark;
use crate::ir::word_map::WordMap;
use crate::ir::{Function, NONE, Word};
use crate::program::Home;

/// Splits words into their webs; whether there were any to split.
pub(crate) fn split(function: &mut Function) -> bool {
    let definitions = Definitions::of(function);
    let many: Vec<bool> = (0..function.words)
        .map(|word| definitions.is_written_often(word))
        .collect();
    if !many.contains(&true) {
        return false;
    }
    let live = Liveness::of(function);
    let webs = Webs::of(function, &many, &live);
    let Some(words) = webs.words(function, &many) else {
        return false;
    };
    webs.rename(function, &many, &words);
    true
}

/// The values that words written often hold: those at the start of a block, and those that an instruction writes.
struct Webs {
    /// The words that are read later at the start of each block, each with its value there.
    at_start: Vec<Vec<(Word, usize)>>,
    /// The first value of each block that an instruction writes; the others follow in the order of the code.
    first: Vec<usize>,
    /// For each value another one of its web, or itself.
    parent: Vec<usize>,
    /// For each value the word that holds it.
    word: Vec<Word>,
}

impl Webs {
    fn of(function: &Function, many: &[bool], live: &Liveness) -> Webs {
        let mut webs = Webs {
            at_start: Vec::with_capacity(function.blocks.len()),
            first: Vec::with_capacity(function.blocks.len()),
            parent: Vec::new(),
            word: Vec::new(),
        };
        for b in 0..function.blocks.len() {
            let words = live.at_start(b).filter(|&word| many[word as usize]);
            let at_start = words.map(|word| (word, webs.value(word))).collect();
            webs.at_start.push(at_start);
        }
        let mut last = WordMap::new(function.words);
        for (b, block) in function.blocks.iter().enumerate() {
            webs.first.push(webs.parent.len());
            last.clear();
            for &(word, value) in &webs.at_start[b] {
                last.insert(word, value);
            }
            for word in block.code.iter().flat_map(|inst| inst.defs()) {
                if many[word as usize] {
                    last.insert(word, webs.value(word));
                }
            }
            for next in block.end.successors() {
                for at in 0..webs.at_start[next].len() {
                    let (word, value) = webs.at_start[next][at];
                    if let Some(last) = last.get(word) {
                        webs.join(value, last);
                    }
                }
            }
        }
        webs
    }

    fn value(&mut self, word: Word) -> usize {
        self.word.push(word);
        self.parent.push(self.parent.len());
        self.parent.len() - 1
    }

    fn find(&self, mut value: usize) -> usize {
        while self.parent[value] != value {
            value = self.parent[value];
        }
        value
    }

    /// Makes one web of those of two values.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.shorten(a), self.shorten(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// As `find`, after which the way is half as long.
    fn shorten(&mut self, mut value: usize) -> usize {
        while self.parent[value] != value {
            self.parent[value] = self.parent[self.parent[value]];
            value = self.parent[value];
        }
        value
    }

    /// The word of each value from now on; `None` if each stays where it is. What a word holds at entry stays in it.
    fn words(&self, function: &mut Function, many: &[bool]) -> Option<Vec<Word>> {
        let mut taken = vec![false; many.len()];
        let mut words = vec![NONE; self.parent.len()];
        for &(word, value) in &self.at_start[0] {
            taken[word as usize] = true;
            words[self.find(value)] = word;
        }
        for &word in function.params.iter().filter(|&&word| many[word as usize]) {
            taken[word as usize] = true;
        }
        let mut changed = false;
        for value in 0..words.len() {
            let web = self.find(value);
            if words[web] == NONE {
                let old = self.word[value];
                words[web] = old;
                if std::mem::replace(&mut taken[old as usize], true) {
                    words[web] = function.new_word();
                    function.names.share(words[web], old);
                    changed = true;
                }
            }
            words[value] = words[web];
        }
        changed.then_some(words)
    }

    fn rename(&self, function: &mut Function, many: &[bool], words: &[Word]) {
        let mut now = WordMap::new(function.words);
        for (b, block) in function.blocks.iter_mut().enumerate() {
            now.clear();
            for &(word, value) in &self.at_start[b] {
                now.insert(word, words[value]);
            }
            let mut next = self.first[b];
            follow(&mut block.marks, many, &now);
            for inst in &mut block.code {
                for word in inst.uses_mut() {
                    *word = now.get(*word).unwrap_or(*word);
                }
                for word in inst.defs_mut().filter(|word| many[**word as usize]) {
                    now.insert(*word, words[next]);
                    *word = words[next];
                    next += 1;
                }
                follow(&mut inst.marks, many, &now);
            }
            for word in block.end.uses_mut() {
                *word = now.get(*word).unwrap_or(*word);
            }
        }
    }
}

/// Lets marks name the words that hold now what they mean. Of a word that nobody reads any more it is not known what it holds.
fn follow(marks: &mut [Mark], many: &[bool], now: &WordMap<Word>) {
    for mark in marks {
        if let Home::Word(word) = mark.home
            && many[word as usize]
        {
            mark.home = now.get(word).map_or(Home::Nowhere, Home::Word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    fn branch(then: usize, otherwise: usize) -> End {
        End::Branch {
            word: 0,
            then,
            otherwise,
        }
    }

    #[test]
    fn uses_that_share_no_definition_share_no_word() {
        let mut function = blocks(vec![branch(1, 2), End::Jump(3), End::Jump(3), End::Return(vec![2])]);
        function.params = vec![0];
        function.blocks[0].code = assemble("imm 1 5; addi 1 1 2; mov 2 1");
        function.blocks[1].code = assemble("imm 1 6; add 2 1 1");
        function.blocks[2].code = assemble("imm 1 7; add 3 1 2");
        assert!(split(&mut function));
        assert_eq!(function.blocks[0].code, assemble("imm 1 5; addi 64 1 2; mov 2 64"));
        assert_eq!(function.blocks[1].code, assemble("imm 65 6; add 2 65 65"));
        assert_eq!(function.blocks[2].code, assemble("imm 66 7; add 3 66 2"));
        assert!(!split(&mut function));
    }

    #[test]
    fn what_a_loop_carries_is_one_web() {
        let mut function = blocks(vec![End::Jump(1), branch(1, 2), End::Return(vec![1])]);
        function.params = vec![0, 1];
        function.blocks[1].code = assemble("addi 1 1 3; addi 0 0 -1");
        assert!(!split(&mut function));
    }

    #[test]
    fn a_parameter_stays_where_it_is_handed_over() {
        let mut function = blocks(vec![End::Return(vec![0])]);
        function.params = vec![0];
        function.blocks[0].code = assemble("imm 0 3; addi 1 0 1; imm 0 5");
        assert!(split(&mut function));
        assert_eq!(function.blocks[0].code, assemble("imm 64 3; addi 1 64 1; imm 65 5"));
        assert_eq!(function.blocks[0].end, End::Return(vec![65]));
    }
}
