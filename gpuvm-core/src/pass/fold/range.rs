//! What words can be: the least and the most, as how they were computed says. So a mask or a shift by a constant proves the checks of an
//! index and of a shift's distance, and they go.

use super::known::{Fact, Known, is_comparison, opposite};
use crate::ir::{Function, Inst, NONE, Word};
use crate::isa::Op;

/// A word's least and greatest value, taken as unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub least: u32,
    pub most: u32,
}

/// How many definitions behind each other are looked at.
const DEPTH: u32 = 5;

impl Range {
    const ANY: Range = Range::to(u32::MAX);

    const fn to(most: u32) -> Range {
        Range { least: 0, most }
    }

    /// What is in both.
    fn and(self, other: Range) -> Range {
        Range {
            least: self.least.max(other.least),
            most: self.most.min(other.most),
        }
    }

    /// What is in either, and between them.
    fn or(self, other: Range) -> Range {
        Range {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// What an operation that grows with both its inputs makes of them, unless it can leave the numbers.
    fn rising(self, other: Range, by: impl Fn(u32, u32) -> Option<u32>) -> Range {
        match (by(self.least, other.least), by(self.most, other.most)) {
            (Some(least), Some(most)) => Range { least, most },
            _ => Range::ANY,
        }
    }

    /// What a multiple is, unless it can leave the numbers.
    fn times(self, factor: u32) -> Range {
        self.rising(Range::to(0), |value, _| value.checked_mul(factor))
    }

    /// Whether it means the same taken as signed.
    fn is_positive(self) -> bool {
        self.most <= i32::MAX as u32
    }
}

impl Known {
    /// The range that a word is in.
    pub fn range(&self, word: Word) -> Range {
        self.range_within(word, DEPTH)
    }

    fn range_within(&self, word: Word, depth: u32) -> Range {
        if let Some(value) = self.constant(word) {
            return Range {
                least: value,
                most: value,
            };
        }
        let by_itself = self
            .definition(word)
            .map_or(Range::ANY, |fact| by_operation(fact.op, fact.imm))
            .and(Range::to(self.most(word)));
        let computed = match depth {
            0 => None,
            _ => self.fact(word).map(|fact| self.computed(&fact, depth - 1)),
        };
        let found = by_itself.and(computed.unwrap_or(Range::ANY));
        match depth {
            0 => found,
            _ => self
                .taken()
                .filter_map(|fact| self.compared(word, fact, depth - 1))
                .fold(found, Range::and),
        }
    }

    /// The range that a word is in because a comparison of it holds.
    fn compared(&self, word: Word, fact: &Fact, depth: u32) -> Option<Range> {
        let [a, b, ..] = fact.uses;
        let other = |word: Word| match word {
            NONE => Range::to(0),
            _ => self.range_within(word, depth),
        };
        let most = |range: Range, less: u32| Some(Range::to(range.most.saturating_sub(less)));
        let least = |range: Range, more: u32| {
            let least = range.least.saturating_add(more);
            Some(Range { least, ..Range::ANY })
        };
        match fact.op {
            Op::LtU if a == word => most(other(b), 1),
            Op::LeU if a == word => most(other(b), 0),
            Op::LtU if b == word => least(other(a), 1),
            Op::LeU if b == word => least(other(a), 0),
            Op::Eq if a == word => Some(other(b)),
            Op::Eq if b == word => Some(other(a)),
            _ => None,
        }
    }

    /// What an operation makes of the ranges of what it read.
    fn computed(&self, fact: &Fact, depth: u32) -> Range {
        let [a, b, c, ..] = fact.uses;
        let of = |word| self.range_within(word, depth);
        let imm = fact.imm;
        match fact.op {
            Op::Mov => of(a),
            Op::AddImm => of(a).rising(Range::to(0), |value, _| value.checked_add(imm)),
            Op::Add => of(a).rising(of(b), u32::checked_add),
            Op::MulImm => of(a).times(imm),
            Op::Mul => of(a).rising(of(b), u32::checked_mul),
            Op::ShlImm => of(a).times(1 << (imm % 32)),
            Op::Shl => of(a).rising(of(b), |value, by| value.checked_mul(1u32.checked_shl(by)?)),
            Op::ShrImm => {
                let from = of(a);
                Range {
                    least: from.least >> (imm % 32),
                    most: from.most >> (imm % 32),
                }
            }
            Op::Shr if of(b).most < 32 => Range {
                least: of(a).least >> of(b).most,
                most: of(a).most >> of(b).least,
            },
            Op::Sub => {
                let (from, less) = (of(a), of(b));
                match from.least.checked_sub(less.most) {
                    Some(least) => Range {
                        least,
                        most: from.most.saturating_sub(less.least),
                    },
                    None => Range::ANY,
                }
            }
            Op::AndImm => Range::to(of(a).most),
            Op::And => Range::to(of(a).most.min(of(b).most)),
            Op::OrImm => Range {
                least: of(a).least.max(imm),
                most: all_ones(of(a).most | imm),
            },
            Op::Or => Range {
                least: of(a).least.max(of(b).least),
                most: all_ones(of(a).most | of(b).most),
            },
            Op::XorImm => Range::to(all_ones(of(a).most | imm)),
            Op::Xor => Range::to(all_ones(of(a).most | of(b).most)),
            Op::MinU => of(a).rising(of(b), |a, b| Some(a.min(b))),
            Op::MaxU => of(a).rising(of(b), |a, b| Some(a.max(b))),
            Op::Select => of(b).or(of(c)),
            Op::DivU => match of(b).least {
                0 => Range::to(of(a).most),
                least => Range::to(of(a).most / least),
            },
            Op::RemU => match of(b).most.checked_sub(1) {
                // By 0 it gives 0.
                None => Range::to(0),
                Some(most) => Range::to(most.min(of(a).most)),
            },
            _ => Range::ANY,
        }
    }

    /// The value of a comparison or a test for overflow that the ranges of its inputs decide.
    pub fn decided(&self, inst: &Inst) -> Option<bool> {
        let [a, b, ..] = inst.uses;
        if !is_comparison(inst.op) {
            return None;
        }
        let holds = |op, [x, y]: [Word; 2]| self.taken().any(|fact| fact.op == op && fact.uses[..2] == [x, y]);
        if let Some(opposite) = opposite(inst.op) {
            if holds(inst.op, [a, b]) {
                return Some(true);
            }
            if holds(opposite, [b, a]) {
                return Some(false);
            }
        }
        let compared = || (self.range(a), self.range(b));
        let signed = || Some(compared()).filter(|(a, b)| a.is_positive() && b.is_positive());
        let below = |(a, b): (Range, Range)| match (a.most < b.least, a.least >= b.most) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        let turned = |(a, b): (Range, Range)| below((b, a)).map(|below| !below);
        match inst.op {
            Op::LtU => below(compared()).or_else(|| self.adds_without_wrap(a, b).then_some(false)),
            Op::LeU => turned(compared()),
            Op::LtS => below(signed()?),
            Op::LeS => turned(signed()?),
            Op::Eq | Op::Ne => {
                let (a, b) = compared();
                (a.most < b.least || b.most < a.least).then_some(inst.op == Op::Ne)
            }
            Op::AddOverS => {
                let (a, b) = signed()?;
                let sum = a.most.checked_add(b.most)?;
                (sum <= i32::MAX as u32).then_some(false)
            }
            Op::SubOverS => signed().map(|_| false),
            Op::MulOverU => {
                let (a, b) = compared();
                a.most.checked_mul(b.most).map(|_| false)
            }
            Op::MulOverS => {
                let (a, b) = signed()?;
                let product = a.most.checked_mul(b.most)?;
                (product <= i32::MAX as u32).then_some(false)
            }
            _ => None,
        }
    }

    /// Whether a word is a sum of another and something, and stays among the numbers.
    fn adds_without_wrap(&self, sum: Word, part: Word) -> bool {
        let Some(fact) = self.fact(sum) else {
            return false;
        };
        let [a, b, ..] = fact.uses;
        let other = match fact.op {
            Op::AddImm if a == part => fact.imm,
            Op::Add if a == part => self.range(b).most,
            Op::Add if b == part => self.range(a).most,
            _ => return false,
        };
        self.range(part).most.checked_add(other).is_some()
    }
}

/// What an operation gives, whatever it read.
fn by_operation(op: Op, imm: u32) -> Range {
    match op {
        _ if is_comparison(op) => Range::to(1),
        Op::AndImm => Range::to(imm),
        Op::ShrImm => Range::to(u32::MAX >> (imm % 32)),
        Op::OrImm => Range {
            least: imm,
            most: u32::MAX,
        },
        Op::Clz | Op::Ctz | Op::Popcount => Range::to(32),
        _ => Range::ANY,
    }
}

/// Rounds after which words that still grow may be anything.
const ROUNDS: usize = 8;

/// What each word is at most, whichever of its definitions was the last: constants, what is masked, and copies of such words.
pub(super) fn most_of_all(function: &Function) -> Vec<u32> {
    let mut most = vec![0; function.words as usize];
    for &param in &function.params {
        most[param as usize] = u32::MAX;
    }
    for _ in 0..ROUNDS {
        let mut grows = false;
        for inst in function.blocks.iter().flat_map(|block| &block.code) {
            let of = |word: Word| most.get(word as usize).copied().unwrap_or(u32::MAX);
            let [_, then, otherwise, ..] = inst.uses;
            let given = match inst.op {
                _ if inst.defs[1] != NONE => u32::MAX,
                Op::Imm => inst.imm,
                Op::Mov => of(inst.uses[0]),
                Op::Select => of(then).max(of(otherwise)),
                op => by_operation(op, inst.imm).most,
            };
            for word in inst.defs() {
                let before = std::mem::replace(&mut most[word as usize], given);
                most[word as usize] = before.max(given);
                grows |= given > before;
            }
        }
        if !grows {
            return most;
        }
    }
    vec![u32::MAX; most.len()]
}

/// The number of as many ones as a number has digits.
fn all_ones(value: u32) -> u32 {
    u32::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::fold;
    use crate::ir::testing::{assemble, blocks};
    use crate::ir::{End, Inst};
    use crate::isa::Op;

    /// The operation and the constant of the last instruction after folding, words 0 and 1 being parameters.
    fn last(code: &str) -> (Op, u32) {
        let mut function = blocks(vec![End::Halt]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble(code);
        fold(&mut function, &[]);
        let last: &Inst = function.blocks[0].code.last().expect("code");
        (last.op, last.imm)
    }

    #[test]
    fn ranges_decide_comparisons() {
        for (code, value) in [
            ("andi 2 0 31; imm 3 31; ltu 4 3 2", 0),
            ("andi 2 0 31; imm 3 32; leu 4 3 2", 0),
            ("shri 2 0 27; imm 3 32; ltu 4 2 3", 1),
            ("andi 2 0 31; addi 3 2 5; imm 4 36; leu 5 3 4", 1),
            ("andi 2 0 7; muli 3 2 4; imm 4 28; ltu 5 4 3", 0),
            ("andi 2 0 3; imm 3 8; shl 4 3 2; imm 5 64; ltu 6 5 4", 0),
            (
                "andi 2 0 3; imm 3 8; shl 4 3 2; imm 5 64; sub 6 5 4; imm 7 56; ltu 8 7 6",
                0,
            ),
            ("imm 2 7; remu 3 0 2; ltu 4 3 2", 1),
            ("imm 2 9; minu 3 0 2; ltu 4 2 3", 0),
            ("ori 2 0 8; imm 3 0; eq 4 2 3", 0),
            ("ori 2 0 8; imm 3 7; ne 4 3 2", 1),
            ("ltu 2 0 1; imm 3 2; ltu 4 2 3", 1),
            ("clz 2 0; imm 3 33; ltu 4 2 3", 1),
            ("andi 2 0 12; andi 3 1 3; or 4 2 3; imm 5 16; ltu 6 4 5", 1),
            ("andi 2 0 12; xori 3 2 19; imm 4 31; ltu 5 4 3", 0),
            ("andi 2 0 5; imm 3 9; select 4 1 2 3; imm 5 10; ltu 6 4 5", 1),
            ("andi 2 0 255; addi 3 2 1; ltu 4 3 2", 0),
            ("andi 2 0 255; andi 3 1 255; add 4 2 3; ltu 5 4 3", 0),
            ("andi 2 0 255; shri 3 2 4; imm 4 15; ltu 5 4 3", 0),
            ("andi 2 0 255; imm 3 16; divu 4 2 3; imm 5 15; ltu 6 5 4", 0),
            ("andi 2 0 255; imm 3 256; lts 4 2 3", 1),
            ("andi 2 0 255; addos 3 2 2", 0),
            ("andi 2 0 255; andi 3 1 255; subos 4 2 3", 0),
            ("andi 2 0 65535; mulou 3 2 2", 0),
        ] {
            assert_eq!(last(code), (Op::Imm, value), "{code}");
        }
    }

    #[test]
    fn what_may_be_outside_stays_a_question() {
        for (code, op) in [
            ("andi 2 0 31; imm 3 31; ltu 4 2 3", Op::LtU),
            ("andi 2 0 32; imm 3 31; ltu 4 3 2", Op::LtU),
            ("addi 2 0 5; imm 3 5; ltu 4 2 3", Op::LtU),
            ("andi 2 0 63; imm 3 8; shl 4 3 2; imm 5 64; ltu 6 5 4", Op::LtU),
            ("andi 2 0 65535; muli 3 2 65538; imm 4 9; ltu 5 4 3", Op::LtU),
            ("andi 2 0 131071; mulou 3 2 2", Op::MulOverU),
            ("andi 2 0 31; imm 3 31; sub 4 3 2; imm 5 30; ltu 6 5 4", Op::LtU),
            ("andi 2 0 31; imm 3 30; sub 4 3 2; imm 5 31; ltu 6 5 4", Op::LtU),
            ("imm 2 -1; shr 3 2 0; imm 4 -1; ltu 5 3 4", Op::LtU),
            ("ori 2 0 8; imm 3 9; eq 4 2 3", Op::Eq),
            ("andi 2 0 -1; imm 3 2; lts 4 2 3", Op::LtS),
            ("andi 2 0 31; vmid 2; imm 3 32; ltu 4 2 3", Op::LtU),
            ("andi 2 0 2147483647; addos 3 2 2", Op::AddOverS),
        ] {
            assert_eq!(last(code).0, op, "{code}");
        }
    }

    /// The instruction at the end of a block that a branch leads to if its condition holds, or if it does not.
    fn last_behind(holds: bool, condition: &str, code: &str) -> (Op, u32) {
        let (then, otherwise) = if holds { (1, 0) } else { (0, 1) };
        let branch = End::Branch {
            word: 9,
            then,
            otherwise,
        };
        let mut function = blocks(vec![branch, End::Halt]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble(condition);
        function.blocks[1].code = assemble(code);
        fold(&mut function, &[]);
        let last = function.blocks[1].code.last().expect("code");
        (last.op, last.imm)
    }

    #[test]
    fn what_a_branch_has_found_is_known() {
        let loop_of_ten = "imm 5 10; ltu 9 0 5";
        assert_eq!(last_behind(true, loop_of_ten, "imm 6 10; leu 7 6 0"), (Op::Imm, 0));
        assert_eq!(
            last_behind(true, loop_of_ten, "addi 6 0 1; imm 8 11; ltu 7 6 8"),
            (Op::Imm, 1)
        );
        assert_eq!(last_behind(true, loop_of_ten, "imm 6 9; leu 7 6 0").0, Op::LeU);
        assert_eq!(last_behind(false, loop_of_ten, "imm 6 10; ltu 7 0 6"), (Op::Imm, 0));
        assert_eq!(last_behind(false, loop_of_ten, "imm 6 0; eq 7 0 6"), (Op::Imm, 0));
        assert_eq!(last_behind(false, loop_of_ten, "imm 6 10; eq 7 0 6").0, Op::Eq);
        assert_eq!(last_behind(true, loop_of_ten, "vmid 0; imm 6 10; leu 7 6 0").0, Op::LeU);
        // Lengths that nobody knows.
        assert_eq!(last_behind(true, "ltu 9 0 1", "leu 7 1 0"), (Op::Imm, 0));
        assert_eq!(last_behind(false, "ltu 9 0 1", "leu 7 1 0"), (Op::Imm, 1));
        assert_eq!(last_behind(false, "lts 9 0 1", "lts 7 0 1"), (Op::Imm, 0));
        assert_eq!(last_behind(true, "ltu 9 0 1", "ltu 7 1 0").0, Op::LtU);
    }

    #[test]
    fn a_word_is_no_more_than_any_of_its_definitions_gives() {
        let set = |first: &str, second: &str| {
            last_behind(
                true,
                &format!("{first}; vmid 9"),
                &format!("{second}; imm 7 64; leu 8 7 4"),
            )
        };
        // Word 4 comes from both blocks: the first is before a way back to it.
        assert_eq!(set("andi 4 0 63", "mov 5 4"), (Op::Imm, 0));
        assert_eq!(set("imm 4 31; mov 6 4; andi 4 0 63", "andi 4 1 7"), (Op::Imm, 0));
        assert_eq!(
            set("imm 4 64; mov 6 4; andi 4 0 63; vmid 3; mov 4 3", "mov 5 4").0,
            Op::LeU
        );
        let both = "vmid 9; andi 3 0 15; imm 4 31; mov 5 4; select 6 9 3 4; mov 4 6; imm 7 32; leu 8 7 4";
        assert_eq!(last(both), (Op::Imm, 0));
        assert_eq!(last("andi 4 0 15; mov 4 0; imm 7 32; leu 8 7 4").0, Op::LeU);
    }

    #[test]
    fn what_a_trap_has_not_found_is_known() {
        let checked = "imm 5 32; leu 6 5 0; trapnz 0 6 - -; ";
        assert_eq!(last(&format!("{checked}imm 7 31; ltu 8 7 0")), (Op::Imm, 0));
        assert_eq!(last(&format!("{checked}imm 7 30; ltu 8 7 0")).0, Op::LtU);
        assert_eq!(last("leu 6 1 0; trapnz 0 6 - -; ltu 8 0 1"), (Op::Imm, 1));
        assert_eq!(last("leu 6 1 0; trapnz 0 6 - -; vmid 1; ltu 8 0 1").0, Op::LtU);
    }

    #[test]
    fn a_mask_that_changes_nothing_goes() {
        assert_eq!(last("shri 2 0 24; andi 3 2 255").0, Op::Mov);
        assert_eq!(last("shri 2 0 23; andi 3 2 255").0, Op::AndImm);
        assert_eq!(last("shri 2 0 25; andi 3 2 96").0, Op::AndImm);
        assert_eq!(last("shri 2 0 29; imm 3 9; remu 4 2 3").0, Op::Mov);
        assert_eq!(last("shri 2 0 28; imm 3 9; remu 4 2 3").0, Op::RemU);
    }
}
