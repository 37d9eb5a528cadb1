//! Computes words where they are to end up: `t = …; x = t` becomes `x = …`, by giving `t` the name `x` or by computing it later. And
//! counts up a loop's variable after the last use of what it was before, so that nothing has to keep that.

use crate::ir::definitions::Definitions;
use crate::ir::names::{Mark, Names, Part, retain};
use crate::ir::{Block, Function, Inst, NONE, Word};
use crate::program::Home;

/// Instructions looked at for one copy at most.
const REACH: usize = 64;

/// Removes copies; whether there were any to remove.
pub(crate) fn compute_in_place(function: &mut Function) -> bool {
    let definitions = Definitions::of(function);
    let mut touched = vec![Touched::default(); function.words as usize];
    let mut changed = false;
    for (b, block) in function.blocks.iter_mut().enumerate() {
        let mut sink = InPlace {
            definitions: &definitions,
            names: &function.names,
            touched: &mut touched,
            block: b as u32 + 1,
        };
        changed |= sink.block(block);
        changed |= delay_updates(block, &definitions, &function.names);
    }
    changed
}

/// Where in a block a word was last read and written, counted from 1; 0 before the block.
#[derive(Clone, Copy, Default)]
struct Touched {
    block: u32,
    used: usize,
    defined: usize,
    /// How many times it was read since the block began.
    uses: u32,
    /// Whether it has got another word's uses, which are not among those that were counted.
    renamed: bool,
}

struct InPlace<'f> {
    definitions: &'f Definitions,
    names: &'f Names,
    touched: &'f mut [Touched],
    block: u32,
}

impl InPlace<'_> {
    fn at(&mut self, word: Word) -> &mut Touched {
        let found = &mut self.touched[word as usize];
        if found.block != self.block {
            *found = Touched {
                block: self.block,
                ..Touched::default()
            };
        }
        found
    }

    fn block(&mut self, block: &mut Block) -> bool {
        let mut gone = vec![false; block.code.len()];
        for i in 0..block.code.len() {
            if let Some((to, from)) = block.code[i].as_copy()
                && to != from
                && self.definitions.is_single(from)
                && !self.at(from).renamed
            {
                if self.rename(&mut block.code, i, to, from) {
                    gone[i] = true;
                    continue;
                }
                if let Some(at) = self.later(&block.code, from) {
                    self.delay(&mut block.code, at, i);
                    gone[at] = true;
                }
            }
            self.note(&block.code[i], i);
        }
        let mut each = gone.iter();
        retain(block, |_| each.next() != Some(&true));
        gone.contains(&true)
    }

    fn note(&mut self, inst: &Inst, i: usize) {
        for word in inst.uses() {
            let touched = self.at(word);
            touched.used = i + 1;
            touched.uses += 1;
        }
        for word in inst.defs() {
            self.at(word).defined = i + 1;
        }
    }

    /// Gives `from` the name `to` from its definition to the copy at `i`, if all its uses lie between and nothing there touches
    /// `to`.
    fn rename(&mut self, code: &mut [Inst], i: usize, to: Word, from: Word) -> bool {
        let (source, target) = (*self.at(from), *self.at(to));
        let all_seen = source.uses + 1 == self.definitions.uses(from);
        let apart = source.defined > target.defined && source.defined >= target.used;
        if source.defined == 0 || !all_seen || !apart || i - source.defined > REACH {
            return false;
        }
        for word in code[source.defined - 1].defs_mut().filter(|word| **word == from) {
            *word = to;
        }
        let users = code[source.defined..i].iter_mut().flat_map(Inst::uses_mut);
        for word in users.filter(|word| **word == from) {
            *word = to;
        }
        for mark in code[source.defined - 1..i].iter_mut().flat_map(|inst| &mut inst.marks) {
            mark.home = match mark.home {
                Home::Word(word) if word == from => Home::Word(to),
                Home::Word(word) if word == to => Home::Nowhere,
                home => home,
            };
        }
        // What comes to be elsewhere between is not in `to` before the copy.
        let between = &code[source.defined..i];
        let later: Vec<Part> = (self.names.word(to))
            .filter(|&part| self.names.home_after(part, between).is_some())
            .collect();
        let place = |home| later.iter().map(move |&part| Mark { part, home });
        let own: Vec<Mark> = place(Home::Nowhere)
            .chain(self.names.marks(from, Home::Word(to)))
            .collect();
        code[source.defined - 1].mark_first(own);
        code[i].mark_first(place(Home::Word(to)));
        let used = if source.uses > 0 { source.used } else { target.used };
        *self.at(to) = Touched {
            used,
            uses: target.uses + source.uses,
            defined: source.defined,
            renamed: true,
            ..target
        };
        true
    }

    /// The definition of `from`, if it may as well stand at the copy that is its only use.
    fn later(&mut self, code: &[Inst], from: Word) -> Option<usize> {
        let at = self.at(from).defined.checked_sub(1)?;
        let maker = &code[at];
        let movable = maker.is_pure() && maker.defs[1] == NONE && self.definitions.uses(from) == 1;
        (movable && maker.uses().all(|word| self.at(word).defined <= at)).then_some(at)
    }

    /// Moves the definition at `at` to the copy at `i`.
    fn delay(&self, code: &mut [Inst], at: usize, i: usize) {
        let (to, from) = (code[i].defs[0], code[i].uses[0]);
        let maker = code[at].clone();
        code[at].mark_first(self.names.marks(from, Home::Nowhere));
        let between = &code[at + 1..i];
        let still: Vec<Mark> = (self.names.marks(from, Home::Word(to)))
            .filter(|mark| self.names.home_after(mark.part, between).is_none())
            .collect();
        for mark in code[at..=i].iter_mut().flat_map(|inst| &mut inst.marks) {
            if mark.home == Home::Word(from) {
                mark.home = Home::Nowhere;
            }
        }
        code[i].become_inst(Inst {
            defs: [to, NONE],
            ..maker
        });
        code[i].mark_first(still);
    }
}

/// Moves `x = x + …` behind the last use of a copy `i = x` made before it, so that `i` need not be kept.
fn delay_updates(block: &mut Block, definitions: &Definitions, names: &Names) -> bool {
    let mut changed = false;
    let mut at = 0;
    while at < block.code.len() {
        match delay_to(block, at, definitions) {
            Some(to) => {
                leave_marks(block, at);
                let word = block.code[at].defs[0];
                let parts = names
                    .word(word)
                    .chain(block.code[at].marks.iter().map(|mark| mark.part));
                // What comes to be elsewhere before the update's new place stays there.
                let elsewhere: Vec<Mark> = parts
                    .filter_map(|part| {
                        let home = names.home_after(part, &block.code[at + 1..to])?;
                        Some(Mark { part, home })
                    })
                    .collect();
                for mark in block.code[at..to].iter_mut().flat_map(|inst| &mut inst.marks) {
                    if mark.home == Home::Word(word) {
                        mark.home = Home::Nowhere;
                    }
                }
                block.code[at].mark(elsewhere);
                block.code[at..to].rotate_left(1);
                changed = true;
            }
            None => at += 1,
        }
    }
    changed
}

/// Leaves an instruction's marks with the one before it, but for those on what it writes itself.
fn leave_marks(block: &mut Block, at: usize) {
    let (before, rest) = block.code.split_at_mut(at);
    let Some(inst) = rest.first_mut() else { return };
    let marks = std::mem::take(&mut inst.marks);
    let (own, others): (Vec<Mark>, Vec<Mark>) = marks
        .iter()
        .partition(|mark| inst.defs().any(|word| mark.home == Home::Word(word)));
    inst.mark(own);
    match before.last_mut() {
        Some(before) => before.mark(others),
        None => block.marks.extend(others),
    }
}

/// Where to move the update at `at`: before the first instruction that the update must not pass.
fn delay_to(block: &Block, at: usize, definitions: &Definitions) -> Option<usize> {
    let update = &block.code[at];
    let word = update.defs[0];
    if !update.is_pure() || update.defs[1] != NONE || !update.uses().any(|used| used == word) {
        return None;
    }
    let earlier = block.code[..at].iter().rev().take(REACH);
    let copy = earlier
        .take_while(|inst| inst.defs().all(|def| def != word))
        .find_map(|inst| {
            inst.as_copy()
                .filter(|&(to, from)| from == word && definitions.is_single(to))
        })?
        .0;
    let after = &block.code[at + 1..];
    let passes = |inst: &Inst| {
        inst.uses().all(|used| used != word)
            && inst
                .defs()
                .all(|def| def != word && update.uses().all(|used| used != def))
    };
    let count = after.iter().take(REACH).take_while(|inst| passes(inst)).count();
    let used = |code: &[Inst]| code.iter().flat_map(Inst::uses).filter(|&used| used == copy).count() as u32;
    let between = used(&after[..count]);
    let all = between > 0 && used(&block.code[..at]) + between == definitions.uses(copy);
    all.then_some(at + 1 + count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[track_caller]
    fn check(before: &str, after: &str) {
        let mut function = blocks(vec![End::Jump(0)]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble(before);
        assert_eq!(compute_in_place(&mut function), before != after);
        assert_eq!(function.blocks[0].code, assemble(after));
    }

    #[test]
    fn a_result_is_computed_where_it_goes() {
        check("addi 5 0 1; xori 6 2 3; mov 0 5", "addi 0 0 1; xori 6 2 3");
    }

    #[test]
    fn who_reads_the_result_before_reads_it_there() {
        check(
            "addi 5 0 1; ltu 6 5 1; trapnz 0 6 - -; mov 0 5",
            "addi 0 0 1; ltu 6 0 1; trapnz 0 6 - -",
        );
    }

    #[test]
    fn a_result_whose_target_is_read_between_is_computed_later() {
        check("addi 5 0 1; xori 6 0 3; mov 0 5", "xori 6 0 3; addi 0 0 1");
        check(
            "add 5 0 1; xori 6 0 3; addi 1 1 1; mov 0 5",
            "add 5 0 1; xori 6 0 3; addi 1 1 1; mov 0 5",
        );
    }

    /// Word 3 has two uses as they were counted, and gets a third.
    #[test]
    fn a_copy_of_what_has_just_been_renamed_stays() {
        let mut function = blocks(vec![End::Jump(1), End::Return(vec![3, 4])]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble("addi 2 0 1; stf 2 0; mov 3 2; mov 4 3");
        assert!(compute_in_place(&mut function));
        assert_eq!(function.blocks[0].code, assemble("addi 3 0 1; stf 3 0; mov 4 3"));
    }

    #[test]
    fn a_result_that_is_needed_later_stays() {
        check(
            "addi 5 0 1; mov 0 5; addi 0 0 1; stf 5 0",
            "addi 5 0 1; mov 0 5; addi 0 0 1; stf 5 0",
        );
    }

    const VARIABLE: Part = Part {
        scope: 0,
        variable: 0,
        word: 0,
    };

    fn at(home: Home) -> Mark {
        Mark { part: VARIABLE, home }
    }

    /// The marks that passing the block leaves on each instruction, where these words are the variable's.
    fn marks(code: &str, words: &[Word]) -> Vec<Vec<Mark>> {
        let mut function = blocks(vec![End::Jump(0)]);
        function.params = vec![0, 1];
        function.names = Names::new(0, words.iter().map(|&word| (word, VARIABLE)).collect(), Vec::new());
        function.blocks[0].code = assemble(code);
        assert!(compute_in_place(&mut function));
        let code = std::mem::take(&mut function.blocks[0].code);
        code.into_iter().map(|inst| inst.marks).collect()
    }

    #[test]
    fn a_variable_that_is_elsewhere_between_is_not_there_before_the_copy() {
        let (nowhere, after) = (at(Home::Nowhere), at(Home::Word(0)));
        assert_eq!(
            marks("addi 5 0 1; imm 6 3; mov 0 5", &[0, 6]),
            [vec![nowhere], vec![after]]
        );
        assert_eq!(marks("addi 5 0 1; imm 6 3; mov 0 5", &[0]), [vec![], vec![]]);
    }

    #[test]
    fn what_is_computed_where_a_copy_was_is_the_variable_too() {
        assert_eq!(marks("addi 5 0 1; mov 0 5", &[5]), [vec![at(Home::Word(0))]]);
    }

    #[test]
    fn a_variable_that_got_another_value_stays_there_when_it_is_counted_up_later() {
        let marks = marks("mov 5 0; addi 0 0 1; add 6 5 1; stf 6 0; ltu 7 0 1", &[0, 6]);
        assert_eq!(marks[3], [at(Home::Word(6))]);
    }

    #[test]
    fn a_variable_is_counted_up_after_its_last_use() {
        check(
            "mov 5 0; addi 0 0 1; add 6 5 1; stf 6 0; ltu 7 0 1",
            "mov 5 0; add 6 5 1; stf 6 0; addi 0 0 1; ltu 7 0 1",
        );
    }
}
