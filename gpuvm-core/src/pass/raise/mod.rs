//! Powers: a loop whose body is one exact linear map A, run n times, is Aⁿ. If n is known when linking, the loop becomes one
//! matrix. If not, Aⁿ is made of at most 32 matrices A, A², A⁴, …, one for each bit of n. Works on allocated code.

mod counter;

use super::fuse::{Maps, affine};
use crate::ir::flow::predecessors;
use crate::ir::liveness::Liveness;
use crate::ir::names::{Mark, after_run};
use crate::ir::{Block, End, Function, Inst, Word};
use crate::isa::{Op, WORDS};
use crate::matrix::AffineMap;
use crate::program::Home;
use counter::{Counter, Limit, set};

/// Turns below which going round the loop is quicker than looking at every bit of their count.
const FEWEST_TURNS: u32 = 64;

/// Matrices with more terms than this are not worth their memory.
const MOST_TERMS: usize = 1024;

/// Loops of one function that get matrices for each bit of their count.
const MOST_LOOPS: usize = 4;

/// Raises loops that consist of one block.
pub(crate) fn raise(function: &mut Function, maps: &mut Maps) {
    let live = Liveness::of(function);
    let mut counted = 0;
    for b in 0..function.blocks.len() {
        let Some(mut counter) = Counter::of(&function.blocks[b], b, maps) else {
            continue;
        };
        let after = set(live.at_start(counter.exit));
        counter.condition = counter.condition.filter(|&(word, _)| after >> word & 1 != 0);
        let needed = counter.needed_after(after);
        let busy = set(live.at_start(b)) | set(live.at_end(b)) | counter.touched;
        let entering: Vec<usize> = predecessors(function)[b].iter().copied().filter(|&p| p != b).collect();
        if let Some(turns) = counter.known_turns(function, &entering) {
            one_matrix(function, b, &entering, &counter, turns, after, maps);
        } else if counted < MOST_LOOPS
            && one_for_each_bit(function, b, &entering, &counter, needed, busy, maps).is_some()
        {
            counted += 1;
        }
    }
}

/// Replaces the loop by the power of its matrix.
fn one_matrix(
    function: &mut Function,
    b: usize,
    entering: &[usize],
    counter: &Counter,
    turns: u32,
    after: u32,
    maps: &mut Maps,
) {
    let place = function.blocks[b].place;
    let turn_work = (function.blocks[b].code.len() as u64).saturating_mul(turns.into());
    let Some(power) = counter.map.power(turns.into()).map(|power| power.keep_rows(after)) else {
        return;
    };
    if power.terms().len() as u64 > turn_work.min(MOST_TERMS as u64) {
        return;
    }
    let mut code = Vec::new();
    if !power.is_identity() {
        code.push(turned(&function.blocks[b], power, maps));
    }
    code.extend(
        counter
            .condition
            .map(|(word, value)| Inst::constant(word, value, place)),
    );
    let block = function.blocks.len();
    function.blocks.push(Block {
        code,
        end: End::Jump(counter.exit),
        place,
        marks: Vec::new(),
    });
    lead(function, entering, b, block);
}

/// Puts a way round the loop before it, for when it would turn often. The loop stays for when it does not.
fn one_for_each_bit(
    function: &mut Function,
    b: usize,
    entering: &[usize],
    counter: &Counter,
    needed: u32,
    busy: u32,
    maps: &mut Maps,
) -> Option<()> {
    let mut powers = Vec::with_capacity(32);
    let mut power = counter.map.clone();
    for _ in 0..31 {
        let next = power.then(&power)?;
        powers.push(std::mem::replace(&mut power, next).keep_rows(needed));
        if power.terms().len() > MOST_TERMS {
            return None;
        }
    }
    powers.push(power.keep_rows(needed));

    let mut free = (0..WORDS as Word).filter(|&word| busy >> word & 1 == 0);
    let (turns, bit) = (free.next()?, free.next()?);
    let place = function.blocks[b].place;
    let mut code = Vec::new();
    let mut word_of = |limit| match limit {
        Limit::Word(word) => word,
        Limit::Value(value) => {
            code.push(Inst::constant(turns, value, place));
            turns
        }
    };
    let (first, second) = (word_of(counter.first), word_of(counter.second));
    let (from, to) = counter.ends(first, second);
    code.push(Inst::new(counter.op, bit, &[first, second], 0, place));
    code.push(Inst::new(Op::Sub, turns, &[to, from], 0, place));
    let ask = function.blocks.len();
    let often = ask + 1;
    function.blocks.push(Block {
        code,
        end: End::Branch {
            word: bit,
            then: often,
            otherwise: b,
        },
        place,
        marks: Vec::new(),
    });
    let code = vec![
        Inst::constant(bit, FEWEST_TURNS - 1, place),
        Inst::new(Op::LtU, bit, &[bit, turns], 0, place),
    ];
    function.blocks.push(Block {
        code,
        end: End::Branch {
            word: bit,
            then: often + 1,
            otherwise: b,
        },
        place,
        marks: Vec::new(),
    });
    for (i, power) in powers.into_iter().enumerate() {
        let at = function.blocks.len();
        let code = vec![Inst::new(Op::AndImm, bit, &[turns], 1 << i, place)];
        function.blocks.push(Block {
            code,
            end: End::Branch {
                word: bit,
                then: at + 1,
                otherwise: at + 2,
            },
            place,
            marks: Vec::new(),
        });
        let code = if power.is_identity() {
            Vec::new()
        } else {
            vec![turned(&function.blocks[b], power, maps)]
        };
        function.blocks.push(Block {
            code,
            end: End::Jump(at + 2),
            place,
            marks: Vec::new(),
        });
    }
    let code = counter
        .condition
        .map(|(word, value)| Inst::constant(word, value, place))
        .into_iter()
        .collect();
    function.blocks.push(Block {
        code,
        end: End::Jump(counter.exit),
        place,
        marks: Vec::new(),
    });
    lead(function, entering, b, ask);
    Some(())
}

/// The instruction that does what some turns of the loop do, with what the last one says of variables.
fn turned(turn: &Block, power: AffineMap, maps: &mut Maps) -> Inst {
    let marks = after_run(&turn.code, |word| power.row(word as u16).is_some());
    let mut inst = affine(power, maps, turn.place);
    // What is said where a turn starts does not hold after several.
    let lost = |mark: &Mark| Mark {
        home: Home::Nowhere,
        ..*mark
    };
    inst.mark(turn.marks.iter().map(lost));
    inst.mark(marks);
    inst
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
        assert_eq!(function.blocks[0].end, End::Jump(3));
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
    fn a_loop_that_stores_stays() {
        let mut function = generator("imm 1 0; imm 2 9");
        function.blocks[1].code.extend(assemble("stf 0 0"));
        raise(&mut function, &mut Maps::new());
        assert_eq!(function.blocks.len(), 3);
    }
}
