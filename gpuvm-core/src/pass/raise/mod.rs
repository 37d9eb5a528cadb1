//! Powers: a loop whose body is one exact linear map A, run n times, is Aⁿ. If n is known when linking, the loop becomes one
//! matrix. If not, Aⁿ is made of matrices A, A², A⁴, …, one for each bit of n. Works on allocated code.

mod constants;
mod counter;
mod powers;
mod turn;

use super::blocks;
use super::fuse::{Maps, affine};
use super::lost::{self, Lost, forget};
use crate::ir::flow::predecessors;
use crate::ir::liveness::Liveness;
use crate::ir::names::{Mark, after_run};
use crate::ir::{Block, End, Function, Inst};
use crate::matrix::AffineMap;
use constants::Constants;
use counter::Counter;

/// Matrices with more terms than this are not worth their memory.
const MOST_TERMS: usize = 1024;

/// Loops in loops that are raised, and loops one after the other that only then are one block with what comes between.
const DEEPEST: usize = 8;

/// Raises loops that consist of one block: those that turn a known number of times first, because that makes outer loops one block.
pub(crate) fn raise(function: &mut Function, maps: &mut Maps) {
    for _ in 0..DEEPEST {
        ask_last(function, maps);
        if !raise_known(function, maps) {
            break;
        }
        blocks::drop_unreachable(function);
        blocks::simplify(function);
    }
    powers::raise_unknown(function, maps);
}

/// A loop of one block: the block, the ways in, and how it counts.
type Counted = (usize, Vec<usize>, Counter);

/// The loops of one block whose turns are linear and counted.
fn counted(function: &Function, maps: &Maps) -> (Vec<Counted>, Constants, Liveness) {
    let (constants, live) = (Constants::of(function, maps), Liveness::of(function));
    let before = predecessors(function);
    let found = |b: usize| {
        let counter = Counter::of(&function.blocks[b], b, maps, &constants.at_start(b), &live)?;
        let entering = before[b].iter().copied().filter(|&p| p != b).collect();
        Some((b, entering, counter))
    };
    let loops = (0..function.blocks.len()).filter_map(found).collect();
    (loops, constants, live)
}

/// Whether some block leads to itself.
fn has_loops(function: &Function) -> bool {
    let mut blocks = function.blocks.iter().enumerate();
    blocks.any(|(b, block)| block.end.successors().any(|to| to == b))
}

/// Raises loops whose number of turns is known; whether there were any.
fn raise_known(function: &mut Function, maps: &mut Maps) -> bool {
    if !has_loops(function) {
        return false;
    }
    let (loops, constants, _) = counted(function, maps);
    let mut changed = false;
    for (b, entering, counter) in loops {
        if let Some(turns) = counter.known_turns(&constants.at_ends(&entering)) {
            changed |= one_matrix(function, b, &entering, &counter, turns, maps).is_some();
        }
    }
    changed
}

/// Makes loops that ask first and consist of the question and one more block ask at the end of each turn, if they only count.
fn ask_last(function: &mut Function, maps: &Maps) {
    let before = predecessors(function);
    let asks = |b: usize| {
        let End::Jump(first) = function.blocks[b].end else {
            return None;
        };
        let mut next = function.blocks[first].end.successors();
        (first != b && before[b] == [first] && next.any(|to| to == b)).then_some((b, first))
    };
    let found: Vec<(usize, usize)> = (0..function.blocks.len()).filter_map(asks).collect();
    if found.is_empty() {
        return;
    }
    let (constants, live) = (Constants::of(function, maps), Liveness::of(function));
    for (b, first) in found {
        let asked = function.blocks[first].clone();
        let mut block = function.blocks[b].clone();
        block.mark_end(asked.marks);
        block.code.extend(asked.code);
        (block.end, block.place) = (asked.end, asked.place);
        if Counter::of(&block, b, maps, &constants.at_start(b), &live).is_some() {
            function.blocks[b] = block;
        }
    }
}

/// Replaces the loop by the power of its matrix.
fn one_matrix(
    function: &mut Function,
    b: usize,
    entering: &[usize],
    counter: &Counter,
    turns: u64,
    maps: &mut Maps,
) -> Option<()> {
    let place = function.blocks[b].place;
    let turn_work = (function.blocks[b].code.len() as u64).saturating_mul(turns);
    let power = counter.map.power(turns)?.keep_rows(counter.after);
    if power.terms().len() as u64 > turn_work.min(MOST_TERMS as u64) {
        return None;
    }
    let (mut code, mut marks) = (Vec::new(), Vec::new());
    if power.is_identity() {
        marks = said(&function.blocks[b], &power);
    } else {
        code.push(turned(&function.blocks[b], power, maps));
    }
    code.extend(counter.finish(place));
    let block = function.blocks.len();
    function.blocks.push(Block {
        code,
        end: End::Jump(counter.exit),
        place,
        marks,
    });
    lead(function, entering, b, block);
    lose(function, b, block, counter, maps);
    Some(())
}

/// The instruction that does what some turns of the loop do, with what the last one says of variables.
fn turned(turn: &Block, power: AffineMap, maps: &mut Maps) -> Inst {
    let marks = said(turn, &power);
    let mut inst = affine(power, maps, turn.place);
    inst.mark(marks);
    inst
}

/// What some turns of the loop say of variables, when a power takes their place.
fn said(turn: &Block, power: &AffineMap) -> Vec<Mark> {
    let last = after_run(&turn.code, |word| power.row(word as u16).is_some());
    // What is said where a turn starts does not hold after several.
    turn.marks.iter().map(Mark::nowhere).chain(last).collect()
}

/// Hides variables from the end of a block on that are in words which the loop would have written and nobody reads after it.
fn lose(function: &mut Function, b: usize, block: usize, counter: &Counter, maps: &Maps) {
    let code = &function.blocks[b].code;
    let written = code.iter().fold(0, |words, inst| words | lost::written(inst, maps));
    let lost = Lost {
        block,
        at: function.blocks[block].code.len(),
        words: written & !counter.after,
    };
    forget(function, &[lost], maps);
}

/// Leads all ways into the loop to another block.
fn lead(function: &mut Function, entering: &[usize], b: usize, to: usize) {
    for &p in entering {
        function.blocks[p]
            .end
            .retarget(|target| if target == b { to } else { target });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};
    use crate::isa::WORDS;

    /// `loop { x = x * 5 + 3; k += 1; if !(k < n) { break } }` with x, k and n in words 0, 1 and 2.
    fn generator(before: &str) -> Function {
        let mut function = blocks(vec![
            End::Jump(1),
            End::Branch {
                word: 3,
                then: 1,
                otherwise: 2,
            },
            End::Return(vec![0]),
        ]);
        function.words = 28;
        function.blocks[0].code = assemble(before);
        function.blocks[1].code = assemble("muli 0 0 5; addi 0 0 3; addi 1 1 1; ltu 3 1 2");
        function
    }

    #[test]
    fn a_known_count_makes_one_matrix() {
        let mut function = generator("imm 1 0; imm 2 1000000000");
        let mut maps = Maps::new();
        raise(&mut function, &mut maps);
        assert_eq!(function.blocks.len(), 1);
        assert_eq!(maps.len(), 1);
        let mut words = [0; WORDS];
        maps[0].apply(&mut words);
        let (mut x, mut a, mut c, mut n) = (0u32, 5u32, 3u32, 1_000_000_000);
        while n > 0 {
            if n % 2 == 1 {
                x = x.wrapping_mul(a).wrapping_add(c);
            }
            c = c.wrapping_mul(a.wrapping_add(1));
            a = a.wrapping_mul(a);
            n /= 2;
        }
        assert_eq!(words[0], x);
    }

    #[test]
    fn an_unknown_count_makes_one_matrix_a_bit() {
        let mut function = generator("imm 1 0");
        let mut maps = Maps::new();
        raise(&mut function, &mut maps);
        assert_eq!(maps.len(), 32);
        assert_eq!(function.blocks[0].end, End::Jump(3));
    }

    #[test]
    fn bits_are_raised_too() {
        let mut function = generator("imm 1 0; imm 2 1000");
        function.blocks[1].code =
            assemble("shli 4 0 13; xor 0 0 4; shri 4 0 17; xor 0 0 4; shli 3 0 5; xor 0 0 3; addi 1 1 1; lts 3 1 2");
        let mut maps = Maps::new();
        raise(&mut function, &mut maps);
        assert_eq!(maps.len(), 1);
        let mut words = [0; WORDS];
        words[0] = 1;
        maps[0].apply(&mut words);
        let mut x = 1u32;
        for _ in 0..1000 {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        assert_eq!(words[0], x);
    }

    #[test]
    fn loops_around_a_loop_of_known_length_are_raised_too() {
        // for _ in 0..n { for _ in 0..8 { x = x * 5 + 3 } }, with the outer question asked first.
        let mut function = blocks(vec![
            End::Jump(1),
            End::Branch {
                word: 3,
                then: 2,
                otherwise: 4,
            },
            End::Jump(3),
            End::Branch {
                word: 3,
                then: 3,
                otherwise: 1,
            },
            End::Return(vec![0]),
        ]);
        function.words = 28;
        function.blocks[0].code = assemble("imm 1 0; imm 6 8");
        function.blocks[1].code = assemble("ltu 3 1 2");
        function.blocks[2].code = assemble("addi 1 1 1; imm 5 0");
        function.blocks[3].code = assemble("muli 0 0 5; addi 0 0 3; addi 5 5 1; lts 3 5 6");
        let mut maps = Maps::new();
        raise(&mut function, &mut maps);
        // One for the loop inside, and 29 that are not the identity: the order of 5⁸ is 2²⁷, and that of its sums 2²⁹.
        assert_eq!(maps.len(), 30);
    }

    #[test]
    fn a_long_count_has_a_matrix_for_each_bit_that_matters() {
        // for _ in 0..n with n in words 5 and 6, k in words 1 and 2, and 1 and 0 in words 7 and 8.
        let mut function = generator("imm 1 0; imm 2 0; imm 7 1; imm 8 0");
        function.blocks[1].code = assemble("muli 0 0 5; addi 0 0 3; add64 1:2 1:2 7:8; ltu64 3 1:2 5:6");
        let mut maps = Maps::new();
        raise(&mut function, &mut maps);
        // The generator's period is 2³².
        assert_eq!(maps.len(), 32);
        assert_eq!(function.blocks[0].end, End::Jump(3));
        function = generator("imm 1 0; imm 2 0; imm 7 1; imm 8 0; imm 5 0; imm 6 1");
        function.blocks[1].code = assemble("muli 0 0 5; addi 0 0 3; add64 1:2 1:2 7:8; ltu64 3 1:2 5:6");
        raise(&mut function, &mut Maps::new());
        assert_eq!(function.blocks[0].code.len(), 6);
    }

    #[test]
    fn a_loop_that_stores_stays() {
        let mut function = generator("imm 1 0; imm 2 9");
        function.blocks[1].code.extend(assemble("stf 0 0"));
        raise(&mut function, &mut Maps::new());
        assert_eq!(function.blocks.len(), 3);
    }
}
