//! Loops that count: each iteration changes one word by the same constant, and goes on by comparing it with a word that stays as it is.

use crate::isa::Op;
use crate::matrix::{CONSTANT, Ring, read_record};
use crate::program::Program;

use super::flow::{Exit, Flow, op_at, words_of};
use super::known::KnownParams;
use super::loops::{Loop, Shape};
use super::propagation::{Fact, Facts, step};

/// How a loop counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The word that counts.
    pub index: u32,
    /// What an iteration adds to it.
    pub step: i32,
    /// The word that it is compared with, `None` for 0.
    pub limit: Option<u32>,
    /// What is asked at the end of an iteration, after the step, to go on with another.
    pub test: Test,
}

/// How the index of a loop that goes on compares with the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// It differs.
    Differs,
    /// It is below the limit if the loop counts up, above it if it counts down.
    Within {
        /// Whether they are signed.
        signed: bool,
        /// Whether they may be equal.
        equal: bool,
    },
}

/// The largest step of an index.
const LARGEST_STEP: u32 = 1 << 16;

impl Counted {
    /// How a loop counts, if it does.
    pub fn of(flow: &Flow, program: &Program, shape: &Shape, one: &Loop) -> Option<Counted> {
        let mut latches = one.latches(flow).map(|latch| tested(flow, program, one, latch));
        let first = latches.next()??;
        latches
            .all(|other| other == Some(first))
            .then_some(())
            .and_then(|()| first.counted(flow, program, shape, one))
    }

    /// How often the loop's body runs, given what is known when the loop is entered; `None` if that is not known or too often.
    pub fn turns(&self, entered: &Facts, most: u32) -> Option<u32> {
        let known = |word: u32| match entered.get(word as usize) {
            Some(Fact::Constant(value)) => Some(*value),
            _ => None,
        };
        let (mut index, limit) = (known(self.index)?, self.limit.map_or(Some(0), known)?);
        for turns in 1..=most {
            index = index.wrapping_add_signed(self.step);
            if !self.goes_on(index, limit) {
                return Some(turns);
            }
        }
        None
    }

    fn goes_on(&self, index: u32, limit: u32) -> bool {
        match self.test {
            Test::Differs => index != limit,
            Test::Within { signed, equal } => {
                // Signed numbers are in order once their signs are turned around.
                let sign = u32::from(signed) << 31;
                let (low, high) = if self.step > 0 { (index, limit) } else { (limit, index) };
                (low ^ sign) < (high ^ sign) || equal && low == high
            }
        }
    }
}

/// What is known when a loop is entered.
pub fn entered(flow: &Flow, program: &Program, launch: &KnownParams, known: &[Facts], one: &Loop) -> Option<Facts> {
    let outside = (0..one.inside.len())
        .filter(|&block| !one.inside[block] && flow.blocks[block].exit.targets().any(|to| to == one.header));
    let after = outside.map(|block| {
        let mut facts = known[block];
        for (ip, ..) in flow.straight(block, program) {
            step(&mut facts, program, launch, ip);
        }
        facts
    });
    after.reduce(|a, b| std::array::from_fn(|i| a[i].or(b[i])))
}

/// A comparison at the end of an iteration: it goes on if the first operand is below the second, or differs from it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Asked {
    test: Test,
    operands: [Option<u32>; 2],
}

/// What a block that closes a loop asks to do so.
fn tested(flow: &Flow, program: &Program, one: &Loop, latch: usize) -> Option<Asked> {
    let Exit::Branch { word, accept, reject } = flow.blocks[latch].exit else {
        return None;
    };
    let again = accept == one.header;
    if one.inside[if again { reject } else { accept }] {
        return None;
    }
    let plain = Asked {
        test: Test::Differs,
        operands: [Some(word), None],
    };
    let made = (flow.straight(latch, program)).filter(|&(ip, ..)| words_of(program, ip).1 >> word & 1 == 1);
    let Some((ip, op, instruction)) = made.last() else {
        return again.then_some(plain);
    };
    let [_, a, b, _] = instruction.operands;
    let within = |signed, equal| Test::Within { signed, equal };
    let test = match op {
        Op::Ne if again => Test::Differs,
        Op::Eq if !again => Test::Differs,
        Op::LtU => within(false, !again),
        Op::LeU => within(false, again),
        Op::LtS => within(true, !again),
        Op::LeS => within(true, again),
        _ => return again.then_some(plain),
    };
    let turned = !again && test != Test::Differs;
    let (first, second) = if turned { (b, a) } else { (a, b) };
    // The step has to come first.
    let late = (flow.straight(latch, program))
        .any(|(other, ..)| other > ip && words_of(program, other).1 & (1 << a | 1 << b) != 0);
    (!late).then_some(Asked {
        test,
        operands: [Some(first), Some(second)],
    })
}

impl Asked {
    fn counted(self, flow: &Flow, program: &Program, shape: &Shape, one: &Loop) -> Option<Counted> {
        let [first, second] = self.operands;
        let stays = |word: Option<u32>| word.is_none_or(|word| defs(flow, program, one, word).next().is_none());
        for (index, limit, up) in [(first, second, true), (second, first, false)] {
            let Some(step) = index.and_then(|index| step_of(flow, program, shape, one, index)) else {
                continue;
            };
            let fits = match self.test {
                Test::Differs => step.unsigned_abs() == 1,
                Test::Within { .. } => (step > 0) == up,
            };
            if stays(limit) && fits && step.unsigned_abs() <= LARGEST_STEP {
                return Some(Counted {
                    index: index?,
                    step,
                    limit,
                    test: self.test,
                });
            }
        }
        None
    }
}

/// The instructions of a loop that write a word, each with its block.
fn defs<'a>(flow: &'a Flow, program: &'a Program, one: &'a Loop, word: u32) -> impl Iterator<Item = (usize, u32)> + 'a {
    one.blocks().flat_map(move |block| {
        let code = flow.straight(block, program).map(move |(ip, ..)| (block, ip));
        code.filter(move |&(_, ip)| words_of(program, ip).1 >> word & 1 == 1)
    })
}

/// What every iteration adds to a word, if it is a constant and nothing else happens to the word.
fn step_of(flow: &Flow, program: &Program, shape: &Shape, one: &Loop, word: u32) -> Option<i32> {
    let mut defs = defs(flow, program, one, word);
    let (Some((block, ip)), None) = (defs.next(), defs.next()) else {
        return None;
    };
    if !one.latches(flow).all(|latch| shape.dominates(block, latch)) {
        return None;
    }
    let [d, a, b, record] = program.code.get(ip as usize)?.operands;
    let step = match op_at(program, ip)? {
        Op::AddImm if d == a => b,
        Op::Affine => {
            let map = read_record(program.matrices.get(record as usize)?, &program.pools)?;
            let row = map.rows().find(|row| u32::from(row[0].row) == word)?;
            let own = |column: u16| u32::from(column) == word;
            match row {
                [x, one] if own(x.column) && x.coefficient == 1 && one.column == CONSTANT => {
                    (x.ring == Ring::Integer).then_some(one.coefficient)?
                }
                _ => return None,
            }
        }
        _ => return None,
    };
    (step != 0).then_some(step.cast_signed())
}
