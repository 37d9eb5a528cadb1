//! Repeats the bodies of small innermost loops, so that what is done once an iteration, such as looking at the budget, is done less
//! often.
//!
//! A loop that runs a known small number of times becomes that many copies and no loop. One that [counts](super::counted) asks at its
//! header whether so many iterations are sure to come, and runs that many copies of its body with one test, at the end. Any other
//! keeps its tests in each copy.

use crate::isa::Op;
use crate::matrix::{AffineMap, CONSTANT, Ring, read_record};
use crate::program::Program;

use super::counted::{Counted, entered};
use super::flow::{Block, Exit, Flow};
use super::known::KnownParams;
use super::loops::{Loop, Shape};
use super::propagation::facts;

/// Instructions of an unrolled loop's body at most.
const UNROLLED: u32 = 64;
/// Copies of a loop's body at most.
const MOST_COPIES: u32 = 8;
/// The same for copies that look ahead, of bodies that are not larger than [`UNROLLED`].
const AHEAD: u32 = 512;
const MOST_AHEAD: u32 = 32;
/// The same of bodies that [compose](composes), of all loops together: so many are as long as one, but have to be written.
const MOST_COMPOSED: u32 = 128;
/// Words that the copies load before the first of them, at most: each keeps a register. On an H200 a loop over bodies of four words is
/// twice as fast with 16 copies as with 12 or 24.
pub const MOST_EARLY: u32 = 64;
/// Instructions of copies that load early at most.
const AHEAD_EARLY: u32 = 1024;
/// Instructions of the copies that a loop becomes at most.
const STRAIGHTENED: u32 = 256;
/// As how many instructions counts one whose exact form is a function.
const LONG: u32 = 16;

/// Repeats the bodies of small innermost loops. `plainly`: without copies that look ahead, for a device that gains nothing by them.
pub fn unroll(flow: &mut Flow, program: &Program, launch: &KnownParams, plainly: bool) {
    while straighten(flow, program, launch) {}
    let Some(shape) = Shape::new(flow) else {
        return;
    };
    let innermost = shape.loops.iter().filter(|one| is_innermost(flow, &shape, one));
    let innermost: Vec<&Loop> = innermost.collect();
    let most_composed = (MOST_COMPOSED / innermost.len().max(1) as u32).max(MOST_AHEAD);
    for one in innermost {
        let (size, body) = (size(flow, program, one), Body::new(one));
        let copies = (UNROLLED / size).min(MOST_COPIES);
        let turns = match plainly {
            true => copies,
            false if size > UNROLLED => 1,
            false => ahead(flow, program, one, size, most_composed),
        };
        match Counted::of(flow, program, &shape, one) {
            // The first block has to stay the entry.
            Some(counted) if turns > 1 && one.header != 0 => body.look_ahead(flow, counted, turns),
            _ if copies > 1 => body.repeat(flow, copies as usize),
            _ => {}
        }
    }
}

/// Copies of a loop's body that look ahead.
fn ahead(flow: &Flow, program: &Program, one: &Loop, size: u32, most_composed: u32) -> u32 {
    let loads = match one.blocks().count() {
        1 => flow.early_loads(one.header, program),
        _ => None,
    };
    let most = match loads {
        Some(loads) if loads > 0 => (MOST_EARLY / loads).min(AHEAD_EARLY / size),
        _ => AHEAD / size,
    };
    match composes(flow, program, one) {
        true => most.min(most_composed),
        false => most.min(MOST_AHEAD),
    }
}

/// Whether a loop's body multiplies words by constants and adds constants to them, and does nothing else but ask whether to go on: of however many copies
/// engines compute one multiplication and addition for each word.
fn composes(flow: &Flow, program: &Program, one: &Loop) -> bool {
    let is_scaled = |map: AffineMap| {
        map.rows().all(|row| {
            let words = row.iter().filter(|entry| entry.column != CONSTANT);
            row[0].ring == Ring::Integer && words.count() <= 1
        })
    };
    let mut code = one.blocks().flat_map(|block| flow.straight(block, program));
    code.all(|(_, op, instruction)| match op {
        Op::Mov | Op::Imm | Op::AddImm | Op::MulImm | Op::Eq | Op::Ne | Op::LtU | Op::LeU | Op::LtS | Op::LeS => true,
        Op::Affine => {
            let record = program.matrices.get(instruction.operands[3] as usize);
            let map = record.and_then(|record| read_record(record, &program.pools));
            map.is_some_and(is_scaled)
        }
        _ => false,
    })
}

/// Whether no other loop and no yield is inside.
fn is_innermost(flow: &Flow, shape: &Shape, one: &Loop) -> bool {
    one.blocks().all(|block| {
        let yields = matches!(flow.blocks[block].exit, Exit::Yield(_) | Exit::Pause);
        !yields && (block == one.header || !shape.is_header(block))
    })
}

/// Instructions of a loop, at least 1.
fn size(flow: &Flow, program: &Program, one: &Loop) -> u32 {
    one.blocks()
        .map(|block| block_size(flow, program, block))
        .sum::<u32>()
        .max(1)
}

/// Instructions of a block, those whose exact form is a function as many as that has.
pub fn block_size(flow: &Flow, program: &Program, block: usize) -> u32 {
    let own = flow.blocks[block].end - flow.blocks[block].start;
    let code = flow.straight(block, program);
    let long =
        code.filter(|(_, op, _)| matches!(op, Op::FDiv | Op::FSqrt | Op::FRem | Op::FMulAdd) && !program.relaxed);
    own + long.count() as u32 * (LONG - 1)
}

/// Turns an innermost loop that runs a known number of times into that many copies; whether there was one.
fn straighten(flow: &mut Flow, program: &Program, launch: &KnownParams) -> bool {
    let Some(shape) = Shape::new(flow) else {
        return false;
    };
    let known = facts(flow, program, launch);
    let found = shape.loops.iter().find_map(|one| {
        let most = STRAIGHTENED / size(flow, program, one);
        let counted = is_innermost(flow, &shape, one).then(|| Counted::of(flow, program, &shape, one))??;
        let entered = entered(flow, program, launch, &known, one)?;
        Some((one, counted.turns(&entered, most)?))
    });
    if let Some((one, turns)) = found {
        Body::new(one).straighten(flow, turns as usize);
    }
    found.is_some()
}

/// A loop's blocks, to be copied.
struct Body {
    header: usize,
    blocks: Vec<usize>,
}

impl Body {
    fn new(one: &Loop) -> Body {
        Body {
            header: one.header,
            blocks: one.blocks().collect(),
        }
    }

    /// Adds copies, numbered from 1. What closes the loop leads to the header of the original from all of them.
    fn copy(&self, flow: &mut Flow, copies: usize) -> Copies {
        let copies = Copies {
            first: flow.blocks.len(),
            count: copies,
        };
        for copy in 1..=copies.count {
            for &block in &self.blocks {
                let mut copied = flow.blocks[block].clone();
                copied.exit.map(|to| {
                    if to == self.header {
                        to
                    } else {
                        self.number(&copies, copy, to)
                    }
                });
                flow.blocks.push(copied);
            }
        }
        copies
    }

    /// The number of a block's copy; copy 0 is the block itself, and blocks outside have no others.
    fn number(&self, copies: &Copies, copy: usize, block: usize) -> usize {
        match (copy, self.blocks.binary_search(&block)) {
            (0, _) | (_, Err(_)) => block,
            (_, Ok(place)) => copies.first + (copy - 1) * self.blocks.len() + place,
        }
    }

    /// Changes what leads from a copy back to the header of the original.
    fn close(&self, flow: &mut Flow, copies: &Copies, copy: usize, mut close: impl FnMut(&mut Exit)) {
        for &block in &self.blocks {
            let exit = &mut flow.blocks[self.number(copies, copy, block)].exit;
            if exit.targets().any(|to| to == self.header) {
                close(exit);
            }
        }
    }

    /// Copies that keep the loop's tests.
    fn repeat(&self, flow: &mut Flow, times: usize) {
        let copies = self.copy(flow, times - 1);
        for copy in 0..times - 1 {
            let next = self.number(&copies, copy + 1, self.header);
            self.close(flow, &copies, copy, |exit| {
                exit.map(|to| if to == self.header { next } else { to })
            });
        }
    }

    /// Copies instead of a loop.
    fn straighten(&self, flow: &mut Flow, times: usize) {
        let copies = self.copy(flow, times - 1);
        for copy in 0..times {
            let next = (copy + 1 < times).then(|| self.number(&copies, copy + 1, self.header));
            self.close(flow, &copies, copy, |exit| {
                let out = exit.targets().find(|&to| to != self.header);
                if let Some(to) = next.or(out) {
                    *exit = Exit::Goto(to);
                }
            });
        }
    }

    /// Copies of which only the last has a test, for when so many iterations are sure to come.
    fn look_ahead(&self, flow: &mut Flow, counted: Counted, turns: u32) {
        let times = turns as usize;
        let copies = self.copy(flow, times);
        for copy in 1..times {
            let next = self.number(&copies, copy + 1, self.header);
            self.close(flow, &copies, copy, |exit| *exit = Exit::Goto(next));
        }
        let guard = flow.blocks.len();
        for block in &mut flow.blocks {
            block.exit.map(|to| if to == self.header { guard } else { to });
        }
        let start = flow.blocks[self.header].start;
        flow.blocks.push(Block {
            start,
            end: start,
            exit: Exit::Ahead {
                counted,
                turns,
                accept: self.number(&copies, 1, self.header),
                reject: self.header,
            },
        });
    }
}

/// Where the copies of a loop are.
struct Copies {
    first: usize,
    count: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::assemble;

    /// The blocks in the loops of a program whose loops were unrolled, and all of its blocks.
    fn unrolled(text: &str) -> (Vec<usize>, usize) {
        let program = assemble(text).unwrap();
        let mut flow = Flow::new(&program);
        unroll(&mut flow, &program, &KnownParams::default(), false);
        let shape = Shape::new(&flow).unwrap();
        let loops = shape.loops.iter().map(|one| one.blocks().count());
        (loops.collect(), shape.order.len())
    }

    #[test]
    fn small_loops_are_repeated_and_keep_their_exits() {
        let text = "code\nvmid w1\nagain:\nshri w1, w1, 1\njnz @again, w1\nhalt";
        assert_eq!(unrolled(text), (vec![8], 1 + 8 + 1));
    }

    #[test]
    fn loops_that_count_look_ahead() {
        let text = |body: &str| format!("code\nvmid w1\nagain:\n{body}\naddi w1, w1, -1\njnz @again, w1\nhalt");
        for (body, copies) in [
            ("xor w2, w2, w1", MOST_AHEAD),
            ("muli w2, w2, 5\naddi w2, w2, 1", MOST_COMPOSED),
        ] {
            let (loops, blocks) = unrolled(&text(body));
            // The guard, the copies and the original.
            assert_eq!((loops.len(), blocks), (1, 1 + loops[0] + 1));
            assert_eq!(loops[0], 1 + copies as usize + 1);
        }
        // Several loops share what may be written.
        let many: String = (0..14)
            .map(|i| format!("again{i}:\naddi w1, w1, -1\njnz @again{i}, w1\n"))
            .collect();
        let (loops, _) = unrolled(&format!("code\nvmid w1\n{many}halt"));
        assert_eq!(loops, vec![1 + MOST_AHEAD as usize + 1; 14]);
    }

    #[test]
    fn loops_that_run_a_known_number_of_times_are_none() {
        let text =
            "code\nimm w1, 9\nimm w3, 3\nouter:\nimm w2, 5\ninner:\naddi w2, w2, 2\nlts w4, w2, w1\njnz @inner, w4
            addi w3, w3, -1\njnz @outer, w3\nhalt";
        assert_eq!(unrolled(text), (vec![], 1 + 3 * (1 + 2 + 1) + 1));
    }
}
