//! Loops that turn a number of times known only at run time: a way round them that looks at each bit of that number.

use super::counter::{Counter, Limit, set};
use super::{MOST_TERMS, counted, has_loops, lead, lose, said, turned};
use crate::ir::{Block, End, Function, Inst, NONE, Word};
use crate::isa::{Op, WORDS};
use crate::matrix::AffineMap;
use crate::pass::fuse::Maps;
use crate::pass::lost::{Lost, forget};

/// Turns below which going round the loop is quicker than looking at every bit of their count.
const FEWEST_TURNS: u32 = 64;

/// Loops of one function that get matrices for each bit of their count.
const MOST_LOOPS: usize = 4;

/// Bytes of such matrices in one function.
const MOST_BYTES: usize = 256 << 10;

/// Bytes of the matrices of one loop above which there are fewer of them, each applied more than once.
const MANY_BYTES: usize = 64 << 10;

/// Raises loops whose number of turns is not known.
pub(super) fn raise_unknown(function: &mut Function, maps: &mut Maps) {
    if !has_loops(function) {
        return;
    }
    let (loops, constants, live) = counted(function, maps);
    let (mut raised, mut room) = (0, MOST_BYTES);
    for (b, entering, counter) in loops {
        let known = counter.known_turns(&constants.at_ends(&entering)).is_some();
        if known || raised == MOST_LOOPS {
            continue;
        }
        let busy = set(live.at_start(b)) | set(live.at_end(b)) | counter.touched;
        let Some((step, powers)) = powers(&counter, room) else {
            continue;
        };
        room -= powers.iter().map(bytes).sum::<usize>();
        let mut free = (0..WORDS as Word).filter(|&word| busy >> word & 1 == 0);
        let mut second = || if counter.is_long() { free.next() } else { Some(NONE) };
        let (high, low, bit) = (second(), free.next(), free.next());
        if let (Some(low), Some(high), Some(bit)) = (low, high, bit) {
            let mut way = Way {
                function,
                counter: &counter,
                b,
                turns: [low, high],
                bit,
            };
            let start = way.build(step, powers, maps);
            lead(function, &entering, b, start);
            lose(function, b, function.blocks.len() - 1, &counter, maps);
            take(function, start, &[low, high, bit], maps);
            raised += 1;
        }
    }
}

/// Hides variables that marks name in words which the blocks from `start` on take for the count: nobody read these any more, but what they
/// held was still there.
fn take(function: &mut Function, start: usize, words: &[Word], maps: &Maps) {
    let words = set(words.iter().copied().filter(|&word| word != NONE));
    let blocks = function.blocks.iter().enumerate().skip(start);
    let lost: Vec<Lost> = blocks
        .map(|(block, made)| Lost {
            block,
            at: made.code.len(),
            words,
        })
        .collect();
    forget(function, &lost, maps);
}

/// Matrices for the digits of a count, and how many bits a digit has: A, A², A⁴, … for digits of one bit, A, A¹⁶, A²⁵⁶, … for
/// digits of four.
fn powers(counter: &Counter, room: usize) -> Option<(usize, Vec<AffineMap>)> {
    let bits = if counter.is_long() { 64 } else { 32 };
    let mut squares = vec![counter.map.clone()];
    while let Some(last) = squares.last().filter(|_| squares.len() < bits) {
        let next = last.then(last)?;
        if next.terms().len() > MOST_TERMS {
            return None;
        }
        squares.push(next);
    }
    let each = |step: usize| squares.iter().step_by(step);
    let fits = |&step: &usize| {
        let most = if step < 4 { MANY_BYTES } else { MOST_BYTES };
        each(step).map(bytes).sum::<usize>() <= most.min(room)
    };
    let step = [1, 2, 4].into_iter().find(fits)?;
    Some((step, each(step).cloned().collect()))
}

/// The bytes that a matrix takes.
fn bytes(map: &AffineMap) -> usize {
    size_of_val(map.terms())
}

/// A way round a loop under construction.
struct Way<'f> {
    function: &'f mut Function,
    counter: &'f Counter,
    /// The loop.
    b: usize,
    /// The words for the number of turns, low half first; a short count leaves the second alone.
    turns: [Word; 2],
    /// The word for what is asked.
    bit: Word,
}

impl Way<'_> {
    /// Builds all blocks and gives the first. The loop stays for when it does not turn often.
    fn build(&mut self, step: usize, powers: Vec<AffineMap>, maps: &mut Maps) -> usize {
        let start = self.function.blocks.len();
        let unchanged = powers.iter().all(AffineMap::is_identity);
        self.ask_how_often();
        for (i, power) in powers.into_iter().enumerate() {
            self.apply(power, i * step, step, maps);
        }
        let code = self.counter.finish(self.function.blocks[self.b].place);
        let marks = said(&self.function.blocks[self.b], &AffineMap::identity());
        self.push(code, End::Jump(self.counter.exit));
        if unchanged && let Some(last) = self.function.blocks.last_mut() {
            last.marks = marks;
        }
        start
    }

    /// Applies a matrix as often as the digit of the count says that starts at a bit and has so many.
    fn apply(&mut self, power: AffineMap, start: usize, bits: usize, maps: &mut Maps) {
        if power.is_identity() {
            return;
        }
        let (word, place, digit) = (self.turns[start / 32], start as u32 % 32, self.bit);
        let at = self.function.blocks.len();
        let mut turns = vec![turned(&self.function.blocks[self.b], power, maps)];
        if bits == 1 {
            let code = vec![self.inst(Op::AndImm, digit, &[word], 1 << place)];
            self.push(code, self.branch(digit, at + 1, at + 2));
            self.push(turns, End::Jump(at + 2));
            return;
        }
        let code = vec![
            self.inst(Op::ShrImm, digit, &[word], place),
            self.inst(Op::AndImm, digit, &[digit], (1 << bits) - 1),
        ];
        self.push(code, self.branch(digit, at + 1, at + 2));
        turns.push(self.inst(Op::AddImm, digit, &[digit], u32::MAX));
        self.push(turns, self.branch(digit, at + 1, at + 2));
    }

    /// Goes on to the next block if the loop turns often, and to the loop if not.
    fn ask_how_often(&mut self) {
        let mut code = Vec::new();
        let (first, second) = (
            self.words(self.counter.first, &mut code),
            self.words(self.counter.second, &mut code),
        );
        let (from, to) = self.counter.ends(first, second);
        let join = |a: [Word; 2], b: [Word; 2]| [a[0], a[1], b[0], b[1]];
        let next = self.function.blocks.len() + 1;
        if self.counter.is_long() {
            let (op, then, otherwise) = match self.counter.op {
                Op::Ne => (Op::Eq64, self.b, next),
                op => (op, next, self.b),
            };
            code.push(self.inst(op, self.bit, &join(first, second), 0));
            let mut count = self.inst(Op::Sub64, self.turns[0], &join(to, from), 0);
            count.defs[1] = self.turns[1];
            code.push(count);
            self.push(code, self.branch(self.bit, then, otherwise));
            self.push(Vec::new(), self.branch(self.turns[1], next + 2, next + 1));
        } else {
            code.push(self.inst(self.counter.op, self.bit, &[first[0], second[0]], 0));
            code.push(self.inst(Op::Sub, self.turns[0], &[to[0], from[0]], 0));
            self.push(code, self.branch(self.bit, next, self.b));
        }
        let after = self.function.blocks.len() + 1;
        let code = vec![
            self.inst(Op::Imm, self.bit, &[], FEWEST_TURNS - 1),
            self.inst(Op::LtU, self.bit, &[self.bit, self.turns[0]], 0),
        ];
        self.push(code, self.branch(self.bit, after, self.b));
    }

    /// The words of what is compared; a constant is put into the word for the count first.
    fn words(&self, limit: Limit, code: &mut Vec<Inst>) -> [Word; 2] {
        match limit {
            Limit::Words(words) => words,
            Limit::Value(value) => {
                code.push(self.inst(Op::Imm, self.turns[0], &[], value));
                [self.turns[0], NONE]
            }
        }
    }

    fn inst(&self, op: Op, def: Word, uses: &[Word], imm: u32) -> Inst {
        Inst::new(op, def, uses, imm, self.function.blocks[self.b].place)
    }

    fn branch(&self, word: Word, then: usize, otherwise: usize) -> End {
        End::Branch { word, then, otherwise }
    }

    fn push(&mut self, code: Vec<Inst>, end: End) {
        let place = self.function.blocks[self.b].place;
        self.function.blocks.push(Block {
            code,
            end,
            place,
            marks: Vec::new(),
        });
    }
}
