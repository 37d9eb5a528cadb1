//! Kernels whose VMs go through many elements each.

use super::build::{At, Builder, Columns};
use super::{Fold, Input, Output, Then};
use crate::ir::{End, Inst, Word};
use crate::isa::Op;

/// The elements of one VM.
#[derive(Clone, Copy)]
struct Range {
    /// The VM's number.
    vm: Word,
    /// The first element.
    start: Word,
    /// One past the last.
    end: Word,
    /// How many there are for all VMs.
    count: Word,
}

impl Range {
    fn at(self, index: Word) -> At {
        At {
            index,
            count: self.count,
        }
    }
}

/// How far it is from one element of a VM to the next.
#[derive(Clone, Copy)]
enum Step {
    One,
    By(Word),
}

/// Elements that are loaded together.
const TOGETHER: u32 = 4;
/// Words of such an element at most.
const MOST_WORDS: u32 = 3;
/// Instructions of the routines that are called for it at most.
const MOST_CODE: usize = 100;
/// Elements of one word that are loaded together where less is done with them.
const MANY_TOGETHER: u32 = 8;
/// Instructions of the routines that are called for one of them at most.
const LITTLE_CODE: usize = 32;

/// What of a VM's elements is folded, and what is not.
struct Rest {
    /// What they come to so far.
    folded: Vec<Word>,
    /// The last element that was folded.
    index: Word,
    /// How many are left.
    left: Word,
    /// How far the next one is.
    step: Step,
    /// The last element of all.
    last: Word,
}

impl Builder<'_> {
    /// All that is to be done where a VM has several elements.
    pub(super) fn go_through(&mut self, then: &Then) {
        self.fetch_all();
        let kernel = self.kernel;
        let vm = self.make(Op::VmId, 0);
        match then {
            Then::Reduce { op, partial } => {
                let count = self.count(&kernel.count);
                let vms = self.make(Op::VmCount, 0);
                self.halt_unless_below(vm, count);
                let range = Range {
                    vm,
                    start: vm,
                    end: count,
                    count,
                };
                self.reduce(op, partial, range, Step::By(vms));
            }
            Then::ReduceChunks { op, partial, chunk } => {
                let range = self.own_chunk(vm, *chunk);
                self.halt_unless_below(range.start, range.count);
                self.reduce(op, partial, range, Step::One);
            }
            Then::ReduceSpans {
                op,
                partial,
                span,
                rolled,
            } => {
                let count = self.count(&kernel.count);
                let at = At { index: vm, count };
                let own = self.call_beside(span, &[], at);
                let (start, step, end) = (own[0], own[1], own[2]);
                // So engines see that all of them are there.
                let end = self.compute(Op::MinU, &[end, count], 0);
                self.halt_unless_below(start, end);
                let range = Range { vm, start, end, count };
                match rolled {
                    true => self.reduce_rolled(op, partial, range, step),
                    false => self.reduce(op, partial, range, Step::By(step)),
                }
            }
            Then::ReduceOwn { op, partial, chunk } => {
                let count = self.count(&kernel.count);
                let last = self.make(Op::Imm, chunk - 1);
                // All of them are there if the last one is, which an engine that proves accesses learns from this one comparison.
                self.halt_unless_below(last, count);
                self.reduce_own(op, partial, *chunk, count);
            }
            Then::Scan {
                op,
                prefix,
                chunks,
                chunk,
            } => {
                let range = self.own_chunk(vm, *chunk);
                self.halt_unless_below(range.start, range.count);
                self.scan(op, prefix, *chunks, range);
            }
            Then::Handle {
                states,
                mail,
                handled,
                busy,
                around,
                after,
            } => self.handle(vm, [*states, *mail, *handled, *busy], *around, after.as_ref()),
        }
    }

    /// The VM's chunk, which is empty past the last element.
    fn own_chunk(&mut self, vm: Word, chunk: u32) -> Range {
        let count = self.count(&self.kernel.count);
        let start = self.compute(Op::MulImm, &[vm], chunk);
        let full = self.compute(Op::AddImm, &[start], chunk);
        let end = self.compute(Op::MinU, &[full, count], 0);
        Range { vm, start, end, count }
    }

    fn reduce(&mut self, op: &Fold, partial: &Output, range: Range, step: Step) {
        let first = self.element(Some(range.at(range.start)));
        let value = self.value(&partial.value, &first);
        let rest = Rest {
            folded: self.variable(&value),
            index: self.variable(&[range.start])[0],
            left: self.after_first(range, step),
            step,
            last: self.compute(Op::AddImm, &[range.count], 1u32.wrapping_neg()),
        };
        let together = self.together();
        self.fold_rest(op, &partial.value, range, &rest, together);
        if together > 1 {
            self.fold_last(op, &partial.value, range, &rest, together - 1);
        }
        self.store_record(partial.to, &rest.folded);
        self.end(End::Halt);
    }

    /// The same by code that computes an element in one place only.
    fn reduce_rolled(&mut self, op: &Fold, partial: &Output, range: Range, step: Word) {
        let folded: Vec<Word> = (0..self.folded_words(op)).map(|_| self.make(Op::Imm, 0)).collect();
        let index = self.variable(&[range.start])[0];
        let (next, body, first, other, on, done) = (
            self.block(),
            self.block(),
            self.block(),
            self.block(),
            self.block(),
            self.block(),
        );
        self.end(End::Jump(next));
        self.begin(next);
        let goes_on = self.compute(Op::LtU, &[index, range.end], 0);
        self.end(branch(goes_on, body, done));
        self.begin(body);
        let at = range.at(index);
        let columns = self.columns(index);
        let value = self.value_of(&partial.value, at, columns);
        let is_first = self.compute(Op::Eq, &[index, range.start], 0);
        self.end(branch(is_first, first, other));
        self.begin(first);
        self.set_all(&folded, &value);
        self.end(End::Jump(on));
        self.begin(other);
        self.fold(op, &folded, &value, at);
        self.end(End::Jump(on));
        self.begin(on);
        self.push(Inst::new(Op::Add, index, &[index, step], 0, self.place));
        self.end(End::Jump(next));
        self.begin(done);
        self.store_record(partial.to, &folded);
        self.end(End::Halt);
    }

    /// Folds so many elements without a loop. A few are loaded before the first of them is computed.
    fn reduce_own(&mut self, op: &Fold, partial: &Output, chunk: u32, count: Word) {
        let together = self.together() as usize;
        let indices: Vec<Word> = (0..chunk).map(|index| self.make(Op::Imm, index)).collect();
        let mut folded: Option<Vec<Word>> = None;
        for indices in indices.chunks(together) {
            let loaded: Vec<_> = indices.iter().map(|&index| (index, self.columns(index))).collect();
            for (index, columns) in loaded {
                let at = At { index, count };
                let value = self.value_of(&partial.value, at, columns);
                match &folded {
                    Some(folded) => self.fold(op, folded, &value, at),
                    None => folded = Some(self.variable(&value)),
                }
            }
        }
        self.store_record(partial.to, &folded.unwrap_or_default());
        self.end(End::Halt);
    }

    /// Folds elements, so many in a turn as long as there are as many. What they have in columns is loaded before the first of
    /// them is computed.
    fn fold_rest(&mut self, op: &Fold, value: &Input, range: Range, rest: &Rest, together: u32) {
        let (next, body, done) = (self.block(), self.block(), self.block());
        self.end(End::Jump(next));
        self.begin(next);
        let fewer = self.make(Op::Imm, together - 1);
        let word = self.compute(Op::LtU, &[fewer, rest.left], 0);
        self.end(branch(word, body, done));
        self.begin(body);
        for (index, columns) in self.next(rest, together) {
            self.fold_loaded(op, value, &rest.folded, range.at(index), columns);
        }
        self.add_to(rest.left, together.wrapping_neg());
        self.end(End::Jump(next));
        self.begin(done);
    }

    /// Folds what is left, so many elements at most. All of them are loaded before the first of them is computed.
    fn fold_last(&mut self, op: &Fold, value: &Input, range: Range, rest: &Rest, most: u32) {
        let done = self.block();
        let some = self.block();
        self.end(branch(rest.left, some, done));
        self.begin(some);
        for (number, (index, columns)) in (1..).zip(self.next(rest, most)) {
            self.fold_loaded(op, value, &rest.folded, range.at(index), columns);
            if number < most {
                let (more, number) = (self.block(), self.make(Op::Imm, number));
                let word = self.compute(Op::LtU, &[number, rest.left], 0);
                self.end(branch(word, more, done));
                self.begin(more);
            }
        }
        self.end(End::Jump(done));
        self.begin(done);
    }

    /// Computes an element whose columns were loaded, and folds its value.
    fn fold_loaded(&mut self, op: &Fold, value: &Input, folded: &[Word], at: At, columns: Columns) {
        let value = self.value_of(value, at, columns);
        self.fold(op, folded, &value, at);
    }

    /// Computes an element whose columns were loaded. Gives the words of its value.
    fn value_of(&mut self, value: &Input, at: At, columns: Columns) -> Vec<Word> {
        let element = self.compute_element(Some(at), at.index, columns);
        self.value(value, &element)
    }

    /// Loads what so many elements have in columns. In place of an element that is not there it is the last of all; and as no index is
    /// larger than that one's, engines can see that all loads are from inside of a column.
    fn next(&mut self, rest: &Rest, count: u32) -> Vec<(Word, Columns)> {
        let mut load = || {
            self.step(rest.index, rest.step);
            let index = self.compute(Op::MinU, &[rest.index, rest.last], 0);
            (index, self.columns(index))
        };
        (0..count).map(|_| load()).collect()
    }

    /// How many elements a VM has after its first.
    fn after_first(&mut self, range: Range, step: Step) -> Word {
        let beyond = self.compute(Op::Sub, &[range.end, range.start], 0);
        let left = self.compute(Op::AddImm, &[beyond], 1u32.wrapping_neg());
        match step {
            Step::One => self.variable(&[left])[0],
            Step::By(vms) => self.compute(Op::DivU, &[left, vms], 0),
        }
    }

    /// How many elements are loaded together: several where they and what is done with them are small, so that a GPU waits for
    /// memory less often.
    fn together(&self) -> u32 {
        let columns = self.kernel.elements_read();
        let words = columns.iter().filter_map(|&param| self.kernel.column(param));
        let words: u32 = words.map(|element| element.words).sum();
        let code: usize = self.kernel.routines().map(|routine| routine.code.len()).sum();
        match words {
            1 if code <= LITTLE_CODE => MANY_TOGETHER,
            1..=MOST_WORDS if code <= MOST_CODE => TOGETHER,
            _ => 1,
        }
    }

    fn scan(&mut self, op: &Fold, prefix: &Output, chunks: Option<usize>, range: Range) {
        let index = self.variable(&[range.start])[0];
        let folded: Vec<Word> = (0..self.folded_words(op)).map(|_| self.word()).collect();
        let (next, body, done) = (self.block(), self.block(), self.block());
        if let Some(chunks) = chunks {
            self.unless_first(range.vm, |builder| {
                let before = builder.before(chunks, range.vm);
                builder.set_all(&folded, &before);
                builder.end(End::Jump(next));
            });
        }
        let first = self.element(Some(range.at(range.start)));
        let value = self.value(&prefix.value, &first);
        self.set_all(&folded, &value);
        self.store_element(prefix.to, range.start, &folded);
        self.add_to(index, 1);
        self.end(End::Jump(next));
        self.begin(next);
        self.turn(index, range.end, body, done);
        let element = self.element(Some(range.at(index)));
        let value = self.value(&prefix.value, &element);
        self.fold(op, &folded, &value, range.at(index));
        self.store_element(prefix.to, index, &folded);
        self.add_to(index, 1);
        self.end(End::Jump(next));
        self.begin(done);
        self.end(End::Halt);
    }

    /// Lets all VMs but the first do something that ends the block; the first goes on behind it.
    fn unless_first(&mut self, vm: Word, otherwise: impl FnOnce(&mut Self)) {
        let (later, first) = (self.block(), self.block());
        self.end(branch(vm, later, first));
        self.begin(later);
        otherwise(self);
        self.begin(first);
    }

    /// What all chunks before the VM's own come to.
    fn before(&mut self, chunks: usize, vm: Word) -> Vec<Word> {
        let before = self.compute(Op::AddImm, &[vm], 1u32.wrapping_neg());
        self.load_element(chunks, before)
    }

    /// Asks whether there is an element for another turn, which begins.
    pub(super) fn turn(&mut self, index: Word, end: Word, body: usize, done: usize) {
        let word = self.compute(Op::LtU, &[index, end], 0);
        self.end(branch(word, body, done));
        self.begin(body);
    }

    fn step(&mut self, index: Word, step: Step) {
        match step {
            Step::One => self.add_to(index, 1),
            Step::By(vms) => self.push(Inst::new(Op::Add, index, &[index, vms], 0, self.place)),
        }
    }

    pub(super) fn add_to(&mut self, word: Word, constant: u32) {
        self.push(Inst::new(Op::AddImm, word, &[word], constant, self.place));
    }

    fn folded_words(&self, op: &Fold) -> u32 {
        match op {
            Fold::Routine(routine) => routine.result.words(),
            Fold::Add => 1,
        }
    }

    /// New words that start with these values.
    pub(super) fn variable(&mut self, value: &[Word]) -> Vec<Word> {
        let words: Vec<Word> = value.iter().map(|_| self.word()).collect();
        self.set_all(&words, value);
        words
    }

    fn set_all(&mut self, words: &[Word], value: &[Word]) {
        for (&word, &value) in words.iter().zip(value) {
            self.set(word, value);
        }
    }

    fn set(&mut self, word: Word, value: Word) {
        self.push(Inst::copy(word, value, self.place));
    }
}

pub(super) fn branch(word: Word, then: usize, otherwise: usize) -> End {
    End::Branch { word, then, otherwise }
}
