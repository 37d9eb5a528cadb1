//! Store-to-load forwarding: what a word still holds of memory is not loaded again, whether it was loaded or stored there. Forward data flow
//! over the facts that memory at a place has the value of a word ("available loads", as in Muchnick, Advanced Compiler Design and
//! Implementation, 1997, section 12.2.1 on memory references).
//!
//! Two places are apart if their spaces are, if one is as many words from a word as the other is not, or if they are in launch parameters of
//! different numbers: what is read through one, nothing writes through another before it is read again (as [`kernel`](crate::kernel) says).

use std::collections::BTreeMap;

use crate::ir::definitions::{Definitions, constants};
use crate::ir::flow::{predecessors, reverse_postorder};
use crate::ir::names::retain;
use crate::ir::{Function, Inst, NONE, OUTGOING, Word};
use crate::isa::{Op, space};

/// Facts that are kept at a time. Code that has more of them does not fit the machine's words either.
const MOST_FACTS: usize = 64;
/// Steps back from an address to the launch parameter that it is in.
const MOST_STEPS: usize = 8;

/// Turns loads of what a word holds into copies; whether there were any.
pub(crate) fn forward(function: &mut Function) -> bool {
    let loads = |inst: &Inst| inst.op == Op::Load;
    if !function.blocks.iter().flat_map(|block| &block.code).any(loads) {
        return false;
    }
    let about = About::of(function);
    let before = predecessors(function);
    let order = reverse_postorder(function);
    let mut ends: Vec<Option<Facts>> = vec![None; function.blocks.len()];
    // Blocks that others lead to of which more is known than when they were looked at.
    let mut open = vec![true; function.blocks.len()];
    loop {
        let mut changed = false;
        for &b in &order {
            if !std::mem::take(&mut open[b]) {
                continue;
            }
            let mut facts = Facts::at_start(b, &before, &ends);
            for inst in &function.blocks[b].code {
                facts.pass(&about, inst);
            }
            // Facts only ever go, so that this comes to an end.
            if let Some(end) = &ends[b] {
                facts.keep_those_of(end);
            }
            if ends[b].as_ref() != Some(&facts) {
                ends[b] = Some(facts);
                changed = true;
                function.blocks[b].end.successors().for_each(|next| open[next] = true);
            }
        }
        if !changed {
            break;
        }
    }
    let mut changed = false;
    for &b in &order {
        let mut facts = Facts::at_start(b, &before, &ends);
        retain(&mut function.blocks[b], |inst| {
            let held = about.place(inst).and_then(|place| facts.held.get(&place)).copied();
            facts.pass(&about, inst);
            let Some(word) = held.filter(|_| inst.op == Op::Load) else {
                return true;
            };
            changed = true;
            if word == inst.defs[0] {
                return false;
            }
            inst.make_copy(word);
            true
        });
    }
    changed
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    space: Space,
    /// The word that says where in it.
    address: Word,
    offset: u32,
}

/// A space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    Known(u32),
    /// The one that a word says.
    Word(Word),
}

/// What is known of the function's words wherever they are read.
struct About {
    spaces: Vec<Option<u32>>,
    /// The launch parameters that addresses are in.
    params: Vec<Option<u32>>,
    has_slots: bool,
}

impl About {
    fn of(function: &Function) -> About {
        let definitions = Definitions::of(function);
        let mut params = Params {
            function,
            definitions: &definitions,
            known: vec![None; function.words as usize],
        };
        let params: Vec<_> = (0..function.words).map(|word| params.of(word, MOST_STEPS)).collect();
        About {
            spaces: constants(function),
            params,
            has_slots: !function.slots.is_empty(),
        }
    }

    /// Where a load or store goes.
    fn place(&self, inst: &Inst) -> Option<Place> {
        let [space, address] = match inst.op {
            Op::Load => [inst.uses[0], inst.uses[1]],
            Op::Store => [inst.uses[1], inst.uses[2]],
            _ => return None,
        };
        Some(Place {
            space: self.spaces[space as usize].map_or(Space::Word(space), Space::Known),
            address,
            offset: inst.imm,
        })
    }

    /// Whether what is stored at one place surely leaves the other alone.
    fn are_apart(&self, one: Place, other: Place) -> bool {
        if let (Space::Known(space), Space::Known(others)) = (one.space, other.space)
            && space != others
        {
            return true;
        }
        if one.address == other.address {
            return one.offset != other.offset;
        }
        let params = [one, other].map(|place| self.params[place.address as usize]);
        [one.space, other.space] == [Space::Known(space::ARENA); 2]
            && matches!(params, [Some(one), Some(other)] if one != other)
    }
}

/// Finds the launch parameters that addresses are in.
struct Params<'f> {
    function: &'f Function,
    definitions: &'f Definitions,
    known: Vec<Option<u32>>,
}

impl Params<'_> {
    /// The one that a word is an address in, as far as so many steps back tell: the sum of its start and of what is none.
    fn of(&mut self, word: Word, steps: usize) -> Option<u32> {
        if self.known[word as usize].is_some() {
            return self.known[word as usize];
        }
        let inst = self.definitions.only(self.function, word)?;
        let steps = steps.checked_sub(1)?;
        let found = match inst.op {
            Op::Param => Some(inst.imm),
            Op::Mov | Op::AddImm => self.of(inst.uses[0], steps),
            Op::Add => match [inst.uses[0], inst.uses[1]].map(|word| self.of(word, steps)) {
                [Some(param), None] | [None, Some(param)] => Some(param),
                _ => None,
            },
            _ => None,
        };
        self.known[word as usize] = found;
        found
    }
}

/// The words that hold what is at places.
#[derive(Clone, Debug, Default)]
struct Facts {
    held: BTreeMap<Place, Word>,
    /// All words that facts are about, and perhaps others: most instructions write none of them.
    about: Vec<Word>,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Facts) -> bool {
        self.held == other.held
    }
}

impl Facts {
    /// What holds whichever way control comes to a block. Ends that are not known yet say nothing against anything.
    fn at_start(block: usize, before: &[Vec<usize>], ends: &[Option<Facts>]) -> Facts {
        if block == 0 {
            return Facts::default();
        }
        let mut known = before[block].iter().filter_map(|&from| ends[from].as_ref());
        let Some(first) = known.next() else {
            return Facts::default();
        };
        let mut facts = first.clone();
        for other in known {
            facts.keep_those_of(other);
        }
        facts
    }

    fn keep_those_of(&mut self, other: &Facts) {
        let mut others = other.held.iter().peekable();
        self.held.retain(|place, word| {
            while others.next_if(|(other, _)| *other < place).is_some() {}
            others.peek() == Some(&(place, &*word))
        });
    }

    /// Passes an instruction.
    fn pass(&mut self, about: &About, inst: &Inst) {
        match (inst.op, about.place(inst)) {
            (Op::Store, Some(to)) => {
                self.held.retain(|&place, _| about.are_apart(place, to));
                self.learn(to, inst.uses[0]);
            }
            (Op::Load, Some(from)) => {
                let to = inst.defs[0];
                self.forget_word(to);
                if to != from.address && from.space != Space::Word(to) && !self.held.contains_key(&from) {
                    self.learn(from, to);
                }
            }
            (Op::StoreFrame, _) if !about.has_slots && inst.extra != OUTGOING => {}
            (Op::StoreFrame, _) => self
                .held
                .retain(|place, _| matches!(place.space, Space::Known(space) if space != space::FRAME)),
            (Op::Call | Op::Yield | Op::Block | Op::Log | Op::Ask, _) => *self = Facts::default(),
            _ => {}
        }
        if inst.op != Op::Load {
            for word in inst.defs() {
                self.forget_word(word);
            }
        }
    }

    fn learn(&mut self, place: Place, word: Word) {
        if word != NONE && (self.held.len() < MOST_FACTS || self.held.contains_key(&place)) {
            self.held.insert(place, word);
            self.about.extend(words_of(&place, word));
            if self.about.len() > 4 * MOST_WORDS {
                self.look_again();
            }
        }
    }

    /// Forgets what depends on a word that gets another value.
    fn forget_word(&mut self, word: Word) {
        if self.about.contains(&word) {
            self.held
                .retain(|place, held| words_of(place, *held).all(|about| about != word));
            self.look_again();
        }
    }

    /// Finds out which words facts are about.
    fn look_again(&mut self) {
        self.about.clear();
        self.about
            .extend(self.held.iter().flat_map(|(place, held)| words_of(place, *held)));
    }
}

/// Words that a fact is about, at most.
const MOST_WORDS: usize = 3 * MOST_FACTS;

/// The words that it depends on that a word holds what is at a place.
fn words_of(place: &Place, held: Word) -> impl Iterator<Item = Word> {
    let space = match place.space {
        Space::Known(_) => None,
        Space::Word(word) => Some(word),
    };
    [held, place.address].into_iter().chain(space)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    /// Whether the arena is at word 1, and parameters 0 and 1 begin at words 2 and 3.
    const START: &str = "imm 1 1; param 2 0; param 3 1; ";

    fn forwarded(code: &str, expected: &str) {
        let mut function = blocks(vec![End::Halt]);
        function.params = vec![0, 9];
        function.blocks[0].code = assemble(&format!("{START}{code}"));
        forward(&mut function);
        assert_eq!(
            function.blocks[0].code,
            assemble(&format!("{START}{expected}")),
            "{code}"
        );
    }

    #[test]
    fn what_a_word_holds_is_copied() {
        forwarded("load 4 1 2 5; load 5 1 2 5", "load 4 1 2 5; mov 5 4");
        forwarded("load 4 1 2 5; imm 6 1; load 5 6 2 5", "load 4 1 2 5; imm 6 1; mov 5 4");
        forwarded("store 0 1 2 5; load 5 1 2 5", "store 0 1 2 5; mov 5 0");
        forwarded(
            "store 0 1 2 5; store 9 1 2 5; load 5 1 2 5",
            "store 0 1 2 5; store 9 1 2 5; mov 5 9",
        );
    }

    #[test]
    fn what_is_in_its_word_already_is_not_loaded() {
        forwarded("load 4 1 2 5; load 4 1 2 5; addi 5 4 1", "load 4 1 2 5; addi 5 4 1");
        forwarded("addi 0 0 1; store 0 1 2 5; load 0 1 2 5", "addi 0 0 1; store 0 1 2 5");
    }

    #[test]
    fn stores_elsewhere_leave_it_alone() {
        for elsewhere in [
            "store 0 1 2 6",
            "store 0 1 3 5",
            "add 6 3 9; store 0 1 6 5",
            "imm 6 0; store 0 6 2 5",
            "astore 0 2",
        ] {
            forwarded(
                &format!("load 4 1 2 5; {elsewhere}; load 5 1 2 5"),
                &format!("load 4 1 2 5; {elsewhere}; mov 5 4"),
            );
        }
    }

    #[test]
    fn what_may_have_changed_is_loaded() {
        for change in [
            "add 6 2 9; store 0 1 6 5",
            "store 0 1 9 5",
            "add 6 2 3; store 0 1 6 5",
            "imm 4 0",
            "addi 2 2 1",
            "yield",
            "store 0 9 2 5",
        ] {
            let code = format!("load 4 1 2 5; {change}; load 5 1 2 5");
            forwarded(&code, &code);
        }
    }

    /// 0 to 1 or 2, both to 3.
    fn diamond(ways: [&str; 2]) -> Vec<Inst> {
        let fork = End::Branch {
            word: 0,
            then: 1,
            otherwise: 2,
        };
        let mut function = blocks(vec![fork, End::Jump(3), End::Jump(3), End::Halt]);
        function.params = vec![0, 9];
        function.blocks[0].code = assemble(&format!("{START}load 4 1 2 5"));
        function.blocks[1].code = assemble(ways[0]);
        function.blocks[2].code = assemble(ways[1]);
        function.blocks[3].code = assemble("load 5 1 2 5");
        forward(&mut function);
        function.blocks.remove(3).code
    }

    #[test]
    fn where_ways_meet_all_have_to_agree() {
        assert_eq!(diamond(["store 0 1 3 5", "imm 7 0"]), assemble("mov 5 4"));
        assert_eq!(diamond(["store 0 1 2 5", "imm 7 0"]), assemble("load 5 1 2 5"));
    }

    #[test]
    fn a_turn_of_a_loop_may_change_what_the_next_one_loads() {
        for (turn, expected) in [
            ("load 5 1 2 5; store 0 1 3 5", "mov 5 4; store 0 1 3 5"),
            ("load 5 1 2 5; store 0 1 2 5", "load 5 1 2 5; store 0 1 2 5"),
        ] {
            let back = End::Branch {
                word: 0,
                then: 1,
                otherwise: 2,
            };
            let mut function = blocks(vec![End::Jump(1), back, End::Halt]);
            function.params = vec![0, 9];
            function.blocks[0].code = assemble(&format!("{START}load 4 1 2 5"));
            function.blocks[1].code = assemble(turn);
            forward(&mut function);
            assert_eq!(function.blocks[1].code, assemble(expected));
        }
    }
}
