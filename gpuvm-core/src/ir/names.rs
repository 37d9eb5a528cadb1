//! Which words stand for which variables of the source, so that a debugger finds them in the linked program.
//!
//! A variable of several words is followed word by word: a [`Part`]. [`Names`] tells which words of a function, and which places of its
//! frame, are a variable's own: whatever is written to them is the variable's new value. Where a pass takes away the writing
//! instruction, it leaves a [`Mark`] on a neighbour: after this instruction the part is there instead, or nowhere. Marks never keep
//! a word alive.

use super::{Block, Inst, OUTGOING, Word};
use crate::isa::Op;
use crate::program::{Home, Scope};

/// One word of a variable of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Part {
    /// The number of the activation of its routine: the function itself, or one that was inlined.
    pub scope: u32,
    /// The number of the variable in the program.
    pub variable: u32,
    /// Which of its words.
    pub word: u32,
}

/// After the instruction that carries it, a part of a variable is there and nowhere else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark {
    pub part: Part,
    /// [`Home::Word`] is a word of the function, of the machine once it is allocated.
    pub home: Home,
}

impl Mark {
    /// The mark that the same is nowhere.
    pub fn nowhere(&self) -> Mark {
        Mark {
            home: Home::Nowhere,
            ..*self
        }
    }
}

/// The words and places of the frame that are parts of variables, and the activations that the variables belong to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Ascending by word.
    words: Vec<(Word, Part)>,
    /// Ascending by offset.
    frame: Vec<(u32, Part)>,
    /// The activations; a [`Part::scope`] and, until the program is written, a [`SourceLoc::routine`](crate::program::SourceLoc) is a place in
    /// here. The first is the function's own.
    pub scopes: Vec<Scope>,
}

impl Names {
    /// The names in a function that is an activation of a routine, of parts in words and in the frame.
    pub fn new(routine: u32, mut words: Vec<(Word, Part)>, mut frame: Vec<(u32, Part)>) -> Names {
        words.sort_by_key(|&(word, _)| word);
        frame.sort_by_key(|&(offset, _)| offset);
        let own = Scope {
            routine,
            caller: None,
            line: 0,
        };
        Names {
            words,
            frame,
            scopes: vec![own],
        }
    }

    /// The parts that a word stands for.
    pub fn word(&self, word: Word) -> impl Iterator<Item = Part> + '_ {
        of(&self.words, word)
    }

    /// The parts that a place of the frame stands for.
    pub fn frame(&self, offset: u32) -> impl Iterator<Item = Part> + '_ {
        of(&self.frame, offset)
    }

    /// Marks that say that what a word stands for is now somewhere else.
    pub fn marks(&self, word: Word, home: Home) -> impl Iterator<Item = Mark> + '_ {
        self.word(word).map(move |part| Mark { part, home })
    }

    /// Where a part is after some instructions; `None` if they neither write it nor say anything of it.
    pub fn home_after(&self, part: Part, run: &[Inst]) -> Option<Home> {
        let mut home = None;
        for inst in run {
            for word in inst.defs() {
                if self.word(word).any(|own| own == part) {
                    home = Some(Home::Word(word));
                } else if home == Some(Home::Word(word)) {
                    home = Some(Home::Nowhere);
                }
            }
            // The frame is given to variables once the passes are through.
            if inst.op == Op::StoreFrame && inst.extra != OUTGOING && self.frame(inst.imm).any(|own| own == part) {
                home = Some(Home::Nowhere);
            }
            home = last_said(part, &inst.marks).or(home);
        }
        home
    }

    /// Lets a new word, higher than all before, stand for what another one stands for.
    pub fn share(&mut self, new: Word, old: Word) {
        for i in range(&self.words, old) {
            let (_, part) = self.words[i];
            self.words.push((new, part));
        }
    }

    /// Lets a word stand for nothing: only marks say what is in it.
    pub fn disown(&mut self, word: Word) {
        let own = range(&self.words, word);
        self.words.drain(own);
    }

    /// Makes the word, higher than all before, of a place of the frame.
    pub fn promote(&mut self, offset: u32, word: Word) {
        for i in range(&self.frame, offset) {
            let (_, part) = self.frame[i];
            self.words.push((word, part));
        }
    }

    /// Makes a place of the frame, behind all others, one of a part.
    pub fn place(&mut self, offset: u32, part: Part) {
        self.frame.push((offset, part));
    }

    /// Moves places of the frame, keeping their order; those without a new offset go.
    pub fn move_frame(&mut self, to: impl Fn(u32) -> Option<u32>) {
        self.frame.retain_mut(|(offset, _)| match to(*offset) {
            Some(new) => {
                *offset = new;
                true
            }
            None => false,
        });
    }

    /// Gives words new numbers; those without one go.
    pub fn renumber(&mut self, to: impl Fn(Word) -> Option<Word>) {
        let named = std::mem::take(&mut self.words).into_iter();
        self.words = named.filter_map(|(word, part)| Some((to(word)?, part))).collect();
        self.words.sort_by_key(|&(word, _)| word);
    }

    /// Adds the names of an inlined function, whose words and frame are numbered from `first_word` and `first_offset` on. It was
    /// called from that activation of the caller's, on that line. Gives the numbers of its activations in the caller.
    pub fn inline(&mut self, callee: &Names, first_word: Word, first_offset: u32, scope: u32, line: u32) -> Scopes {
        let first = self.scopes.len() as u32;
        let own = callee.scopes.first();
        let calling = self.scopes.get(scope as usize);
        // No routine is inlined into itself, but the entry into the code that starts it.
        let merged = own
            .zip(calling)
            .is_some_and(|(own, calling)| own.routine == calling.routine);
        let scopes = if merged {
            Scopes { own: scope, first }
        } else {
            self.scopes.extend(own.map(|own| Scope {
                caller: Some(scope),
                line,
                ..*own
            }));
            Scopes {
                own: first,
                first: first + 1,
            }
        };
        self.scopes.extend(callee.scopes.iter().skip(1).map(|inner| Scope {
            caller: inner.caller.map(|caller| scopes.number(caller)),
            ..*inner
        }));
        let words = callee.words.iter();
        self.words
            .extend(words.map(|&(word, part)| (word + first_word, scopes.part(part))));
        let frame = callee.frame.iter();
        self.frame
            .extend(frame.map(|&(offset, part)| (offset + first_offset, scopes.part(part))));
        scopes
    }
}

/// Where an inlined function's activations are among the caller's.
#[derive(Clone, Copy)]
pub(crate) struct Scopes {
    own: u32,
    first: u32,
}

impl Scopes {
    /// The number that the callee's number became.
    pub fn number(self, scope: u32) -> u32 {
        match scope.checked_sub(1) {
            None => self.own,
            Some(inner) => self.first + inner,
        }
    }

    /// The part with the number that its activation has in the caller.
    pub fn part(self, part: Part) -> Part {
        Part {
            scope: self.number(part.scope),
            ..part
        }
    }
}

/// Where marks say that a part is.
pub(crate) fn last_said(part: Part, marks: &[Mark]) -> Option<Home> {
    marks.iter().rev().find(|mark| mark.part == part).map(|mark| mark.home)
}

fn range(named: &[(u32, Part)], key: u32) -> std::ops::Range<usize> {
    let start = named.partition_point(|&(other, _)| other < key);
    start..start + named[start..].partition_point(|&(other, _)| other == key)
}

fn of(named: &[(u32, Part)], key: u32) -> impl Iterator<Item = Part> + '_ {
    named[range(named, key)].iter().map(|&(_, part)| part)
}

impl Inst {
    /// Adds marks behind those that it has.
    pub fn mark(&mut self, marks: impl IntoIterator<Item = Mark>) {
        self.marks.extend(marks);
    }

    /// Adds marks before those that it has.
    pub fn mark_first(&mut self, marks: impl IntoIterator<Item = Mark>) {
        self.marks.splice(0..0, marks);
    }

    /// Becomes another instruction in the same place.
    pub fn become_inst(&mut self, new: Inst) {
        let marks = std::mem::take(&mut self.marks);
        *self = Inst { marks, ..new };
    }
}

impl Block {
    /// All marks, those before its first instruction first.
    pub fn marks_mut(&mut self) -> impl Iterator<Item = &mut Mark> {
        let code = self.code.iter_mut().flat_map(|inst| &mut inst.marks);
        self.marks.iter_mut().chain(code)
    }

    /// Says where variables are at its end.
    pub fn mark_end(&mut self, marks: Vec<Mark>) {
        match self.code.last_mut() {
            Some(last) => last.mark(marks),
            None => self.marks.extend(marks),
        }
    }

    /// Puts instructions before its own. What was said of its start is so only after these.
    pub fn prepend(&mut self, mut code: Vec<Inst>) {
        if let Some(last) = code.last_mut() {
            last.mark(std::mem::take(&mut self.marks));
        }
        self.code.splice(0..0, code);
    }

    /// Puts another block, to which this one jumps, in the place of its end.
    pub fn append(&mut self, next: Block) {
        self.mark_end(next.marks);
        self.code.extend(next.code);
        self.end = next.end;
        self.place = next.place;
    }

    /// All marks.
    pub fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.marks.iter().chain(self.code.iter().flat_map(|inst| &inst.marks))
    }
}

/// Keeps those instructions of a block that `keep` wants; marks of the others go to the one before, or to the block's start.
pub(crate) fn retain(block: &mut Block, mut keep: impl FnMut(&mut Inst) -> bool) {
    let mut kept = 0;
    for i in 0..block.code.len() {
        if keep(&mut block.code[i]) {
            block.code.swap(kept, i);
            kept += 1;
        } else {
            let marks = std::mem::take(&mut block.code[i].marks);
            match kept.checked_sub(1) {
                Some(last) => block.code[last].mark(marks),
                None => block.marks.extend(marks),
            }
        }
    }
    block.code.truncate(kept);
}

/// What the marks of a run of instructions say after it, when one instruction that writes the words of `written` takes its place.
pub(crate) fn after_run(run: &[Inst], written: impl Fn(Word) -> bool) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for inst in run {
        for word in inst.defs() {
            for mark in marks.iter_mut().filter(|mark| mark.home == Home::Word(word)) {
                mark.home = Home::Nowhere;
            }
        }
        for mark in &inst.marks {
            marks.retain(|other| other.part != mark.part);
            marks.push(*mark);
        }
    }
    for mark in &mut marks {
        if let Home::Word(word) = mark.home
            && !written(word)
            && run.iter().flat_map(Inst::defs).any(|def| def == word)
        {
            mark.home = Home::Nowhere;
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    const MARK: Mark = Mark {
        part: Part {
            scope: 0,
            variable: 0,
            word: 0,
        },
        home: Home::Word(1),
    };

    #[test]
    fn what_the_first_instructions_said_is_said_at_the_start_once_they_are_gone() {
        let mut function = blocks(vec![End::Halt]);
        let block = &mut function.blocks[0];
        block.code = assemble("mov 2 1; imm 3 4");
        block.code[0].mark([MARK]);
        retain(block, |inst| inst.as_copy().is_none());
        assert_eq!(block.marks, [MARK]);
        assert_eq!(block.code, assemble("imm 3 4"));
    }

    #[test]
    fn what_is_said_at_the_start_is_said_after_what_comes_to_be_before_it() {
        let mut function = blocks(vec![End::Halt]);
        let block = &mut function.blocks[0];
        block.code = assemble("imm 3 4");
        block.marks = vec![MARK];
        block.prepend(assemble("imm 1 5; imm 2 6"));
        let marks: Vec<&[Mark]> = block.code.iter().map(|inst| &inst.marks[..]).collect();
        assert_eq!(marks, [&[][..], &[MARK], &[]]);
        assert!(block.marks.is_empty());
    }
}
