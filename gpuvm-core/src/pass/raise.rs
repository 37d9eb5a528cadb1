//! Powers: a loop whose body is one exact linear map A, run n times, is Aⁿ. If n is known when linking, the loop becomes one
//! matrix. If not, Aⁿ is made of at most 32 matrices A, A², A⁴, …, one for each bit of n. Works on allocated code.

use super::fuse::{Maps, affine, map_of};
use crate::ir::flow::predecessors;
use crate::ir::liveness::Liveness;
use crate::ir::{Block, End, Function, Inst, Word};
use crate::isa::{Class, Op, WORDS};
use crate::matrix::{AffineMap, CONSTANT, Ring, Term};

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
        counter.condition = counter
            .condition
            .filter(|&(word, _)| after >> word & 1 != 0);
        let needed = counter.needed_after(after);
        let busy = set(live.at_start(b)) | set(live.at_end(b)) | counter.touched;
        let entering: Vec<usize> = predecessors(function)[b]
            .iter()
            .copied()
            .filter(|&p| p != b)
            .collect();
        if let Some(turns) = counter.known_turns(function, &entering) {
            one_matrix(function, b, &entering, &counter, turns, after, maps);
        } else if counted < MOST_LOOPS
            && one_for_each_bit(function, b, &entering, &counter, needed, busy, maps).is_some()
        {
            counted += 1;
        }
    }
}

/// A loop of one block that turns until a word has been counted to a limit.
struct Counter {
    /// What one turn does to the words, the condition's own word left out.
    map: AffineMap,
    /// What the loop goes on under, as `op(first, second)`: `ltu`, `lts` or `ne`. One of the two is the counter, which comes
    /// nearer to the other by 1 with each turn.
    op: Op,
    first: Limit,
    second: Limit,
    /// The counter, also one of the two.
    word: Word,
    /// Whether the counter goes up.
    up: bool,
    /// The word the condition is computed in, and its value when the loop is over, if anybody reads it then.
    condition: Option<(Word, u32)>,
    /// Where the loop leads.
    exit: usize,
    /// Every word that the block names.
    touched: u32,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq)]
enum Limit {
    Word(Word),
    Value(u32),
}

impl Counter {
    fn of(block: &Block, b: usize, maps: &Maps) -> Option<Counter> {
        let End::Branch {
            word,
            then,
            otherwise,
        } = block.end
        else {
            return None;
        };
        let (exit, goes_on_if) = match (then == b, otherwise == b) {
            (true, false) => (otherwise, true),
            (false, true) => (then, false),
            _ => return None,
        };
        let mut map = AffineMap::identity();
        let mut compared = None;
        for inst in &block.code {
            if inst.op.class() == Class::Linear {
                // Once compared, the condition has to stay; before, its word may serve for something else.
                if compared.is_some() && inst.uses().chain(inst.defs()).any(|used| used == word) {
                    return None;
                }
                map = map.then(&map_of(inst, maps)?)?;
            } else if compared.is_none() && inst.defs[0] == word && is_comparison(inst.op) {
                compared = Some((inst, map.clone()));
            } else {
                return None;
            }
        }
        let touched = 1 << word
            | set(block
                .code
                .iter()
                .flat_map(|inst| inst.uses().chain(inst.defs())));
        let Some((inst, before)) = compared else {
            // The branch asks the counter itself: the loop goes on while it is not 0.
            let up = step(&map, word)?;
            let (first, second) = (Limit::Word(word), Limit::Value(0));
            return goes_on_if.then_some(Counter {
                map,
                op: Op::Ne,
                first,
                second,
                word,
                up,
                condition: None,
                exit,
                touched,
            });
        };
        let [a, b, ..] = inst.uses;
        map = map.keep_rows(!(1 << word));
        // The comparison must see the words as the turn leaves them, and nothing else may see the comparison.
        let settled = [a, b]
            .iter()
            .all(|&w| before.row(w as u16) == map.row(w as u16));
        let own = map
            .terms()
            .iter()
            .all(|term| u32::from(term.column) != word);
        if !settled || !own || a == b {
            return None;
        }
        let limit = |w: Word| match map.row(w as u16) {
            None => Some(Limit::Word(w)),
            Some(
                &[
                    Term {
                        column: CONSTANT,
                        ring: Ring::Integer,
                        coefficient,
                        ..
                    },
                ],
            ) => Some(Limit::Value(coefficient)),
            Some(_) => None,
        };
        let (word_of, up, mut first, mut second) = match (step(&map, a), step(&map, b)) {
            (Some(up), None) => (a, up, Limit::Word(a), limit(b)?),
            (None, Some(up)) => (b, up, limit(a)?, Limit::Word(b)),
            _ => return None,
        };
        let op = goes_on(inst.op, goes_on_if, &mut first, &mut second)?;
        let nears = op == Op::Ne || up == (first == Limit::Word(word_of));
        let over = u32::from(!goes_on_if);
        nears.then_some(Counter {
            map,
            op,
            first,
            second,
            word: word_of,
            up,
            condition: Some((word, over)),
            exit,
            touched,
        })
    }

    /// How many turns there are, if the counter and its limit are constants where the loop is entered.
    fn known_turns(&self, function: &Function, entering: &[usize]) -> Option<u32> {
        let &[entering] = entering else { return None };
        let value = |limit| match limit {
            Limit::Value(value) => Some(value),
            Limit::Word(word) => constant_at_end(function, entering, word),
        };
        let (first, second) = (value(self.first)?, value(self.second)?);
        let starts = match self.op {
            Op::LtU => first < second,
            Op::LtS => (first as i32) < second as i32,
            _ => first != second,
        };
        let (from, to) = self.ends(first, second);
        starts.then(|| to.wrapping_sub(from))
    }

    /// The words whose rows count when those in `after` are read after the loop.
    fn needed_after(&self, after: u32) -> u32 {
        let mut needed = after;
        // Each round adds a word or is the last.
        for _ in 0..WORDS {
            let rows = self
                .map
                .rows()
                .filter(|row| needed >> row[0].row & 1 != 0)
                .flatten();
            let read = set(rows
                .map(|term| term.column)
                .filter(|&column| column != CONSTANT)
                .map(Word::from));
            if read & !needed == 0 {
                break;
            }
            needed |= read;
        }
        needed
    }

    /// The two that are compared so that the second less the first is the number of turns.
    fn ends<T>(&self, first: T, second: T) -> (T, T) {
        let counter_first = self.first == Limit::Word(self.word);
        if self.op == Op::Ne && self.up != counter_first {
            (second, first)
        } else {
            (first, second)
        }
    }
}

/// A set of the machine's words.
fn set(words: impl Iterator<Item = Word>) -> u32 {
    words.fold(0, |set, word| set | 1 << word)
}

fn is_comparison(op: Op) -> bool {
    matches!(op, Op::LtU | Op::LtS | Op::LeU | Op::LeS | Op::Eq | Op::Ne)
}

/// Whether a map adds 1 to a word (true) or takes 1 from it (false).
fn step(map: &AffineMap, word: Word) -> Option<bool> {
    let [own, by] = map.row(word as u16)? else {
        return None;
    };
    let counts = own.ring == Ring::Integer
        && u32::from(own.column) == word
        && own.coefficient == 1
        && by.column == CONSTANT;
    match by.coefficient {
        1 if counts => Some(true),
        u32::MAX if counts => Some(false),
        _ => None,
    }
}

/// The condition under which a loop goes on, as one of the operations that [`Counter`] knows.
fn goes_on(op: Op, if_set: bool, first: &mut Limit, second: &mut Limit) -> Option<Op> {
    let op = match (op, if_set) {
        (Op::LtU | Op::LtS | Op::LeU | Op::LeS | Op::Ne, true) => op,
        (Op::Eq, false) => Op::Ne,
        // Not a < b is b ≤ a, and the other way round.
        (Op::LtU | Op::LtS | Op::LeU | Op::LeS, false) => {
            std::mem::swap(first, second);
            match op {
                Op::LtU => Op::LeU,
                Op::LtS => Op::LeS,
                Op::LeU => Op::LtU,
                _ => Op::LtS,
            }
        }
        _ => return None,
    };
    let (strict, lowest, highest) = match op {
        Op::LeU => (Op::LtU, 0, u32::MAX),
        Op::LeS => (Op::LtS, i32::MIN as u32, i32::MAX as u32),
        _ => return Some(op),
    };
    // a ≤ v is a < v + 1 unless v is the largest number, when the loop never ends.
    match (&mut *first, &mut *second) {
        (_, Limit::Value(value)) if *value != highest => *value = value.wrapping_add(1),
        (Limit::Value(value), _) if *value != lowest => *value = value.wrapping_sub(1),
        _ => return None,
    }
    Some(strict)
}

/// The constant that a word holds at the end of a block, looked for there and a few blocks before.
fn constant_at_end(function: &Function, mut block: usize, word: Word) -> Option<u32> {
    let before = predecessors(function);
    for _ in 0..4 {
        if let Some(inst) = function.blocks[block]
            .code
            .iter()
            .rev()
            .find(|inst| inst.defs().any(|def| def == word))
        {
            return (inst.op == Op::Imm).then_some(inst.imm);
        }
        let &[only] = &before[block][..] else {
            return None;
        };
        block = only;
    }
    None
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
    let Some(power) = counter
        .map
        .power(turns.into())
        .map(|power| power.keep_rows(after))
    else {
        return;
    };
    if power.terms().len() as u64 > turn_work.min(MOST_TERMS as u64) {
        return;
    }
    let mut code = Vec::new();
    if !power.is_identity() {
        code.push(affine(power, maps, place));
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
        });
        let code = if power.is_identity() {
            Vec::new()
        } else {
            vec![affine(power, maps, place)]
        };
        function.blocks.push(Block {
            code,
            end: End::Jump(at + 2),
            place,
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
    });
    lead(function, entering, b, ask);
    Some(())
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
        function.blocks[1].code = assemble(
            "shli 4 0 13; xor 0 0 4; shri 4 0 17; xor 0 0 4; shli 3 0 5; xor 0 0 3; addi 1 1 1; lts 3 1 2",
        );
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
