//! Constant folding, strength reduction and algebraic identities. Only what is exact in every bit: f32 sums and products are
//! never regrouped, and `x + 0.0` stays, because it turns −0.0 into 0.0.

use crate::interp::arithmetic;
use crate::ir::definitions::Definitions;
use crate::ir::flow::reverse_postorder;
use crate::ir::{End, Function, Inst, NONE, Word};
use crate::isa::{Effect, Op, Role};

/// Folds; whether anything changed.
pub(crate) fn fold(function: &mut Function) -> bool {
    let mut known = Known::new(function);
    let mut changed = false;
    for b in reverse_postorder(function) {
        known.block = b as u32 + 1;
        let code = std::mem::take(&mut function.blocks[b].code);
        let mut out = Vec::with_capacity(code.len() + 4);
        let mut trap = None;
        for inst in code {
            if inst.op == Op::TrapIf && known.constant(inst.uses[0]).is_some_and(|value| value != 0)
            {
                let words = [inst.uses[1], inst.uses[2], NONE, NONE];
                trap = Some((
                    End::Trap {
                        site: inst.imm,
                        words,
                    },
                    inst.place,
                ));
                break;
            }
            match simplify(&inst, &known) {
                Some(Simpler::Nothing) => changed = true,
                Some(Simpler::One(new)) => {
                    changed = true;
                    known.record(&new);
                    out.push(new);
                }
                Some(Simpler::Two(first, second)) => {
                    changed = true;
                    known.record(&first);
                    known.record(&second);
                    out.extend([first, second]);
                }
                None => {
                    known.record(&inst);
                    out.push(inst);
                }
            }
        }
        let block = &mut function.blocks[b];
        block.code = out;
        if let Some((end, place)) = trap {
            (block.end, block.place) = (end, place);
            changed = true;
        } else if let Some(end) = simpler_end(&block.end, &known) {
            block.end = end;
            changed = true;
        }
    }
    changed
}

/// What replaces an instruction.
enum Simpler {
    Nothing,
    One(Inst),
    Two(Inst, Inst),
}

/// What is known about words at a point of the code.
struct Known {
    single: Vec<bool>,
    /// Constants of words written once, which hold everywhere.
    constants: Vec<Option<u32>>,
    /// How words written once are made of other such words.
    facts: Vec<Option<Fact>>,
    /// Constants of other words, each with the block it holds in.
    local: Vec<(u32, u32)>,
    block: u32,
}

/// The only definition of a word.
#[derive(Clone, Copy)]
struct Fact {
    op: Op,
    uses: [Word; 2],
    imm: u32,
}

impl Known {
    fn new(function: &Function) -> Known {
        let definitions = Definitions::of(function);
        let words = function.words as usize;
        Known {
            single: (0..function.words)
                .map(|word| definitions.is_single(word))
                .collect(),
            constants: vec![None; words],
            facts: vec![None; words],
            local: vec![(0, 0); words],
            block: 0,
        }
    }

    fn constant(&self, word: Word) -> Option<u32> {
        if word == NONE {
            return None;
        }
        if let Some(value) = self.constants[word as usize] {
            return Some(value);
        }
        let (block, value) = self.local[word as usize];
        (block == self.block).then_some(value)
    }

    fn fact(&self, word: Word) -> Option<Fact> {
        if word == NONE {
            None
        } else {
            self.facts[word as usize]
        }
    }

    /// Whether a word is known to hold 0 or 1.
    fn is_bool(&self, word: Word) -> bool {
        self.fact(word).is_some_and(|fact| {
            is_comparison(fact.op)
                || fact.op == Op::AndImm && fact.imm <= 1
                || matches!(fact.op, Op::And | Op::Or | Op::Xor)
                    && fact
                        .uses
                        .iter()
                        .all(|&part| self.fact(part).is_some_and(|f| is_comparison(f.op)))
                || fact.op == Op::XorImm
                    && fact.imm == 1
                    && self.fact(fact.uses[0]).is_some_and(|f| is_comparison(f.op))
        })
    }

    /// The word that is 0 exactly when `word` is not, or not 0 exactly when `word` is not 0: the flag tells whether inverted.
    fn condition(&self, word: Word) -> Option<(Word, bool)> {
        let fact = self.fact(word)?;
        let [a, b] = fact.uses;
        match fact.op {
            Op::XorImm if fact.imm == 1 && self.is_bool(a) => Some((a, true)),
            Op::Eq if self.constant(b) == Some(0) => Some((a, true)),
            Op::Eq if self.constant(a) == Some(0) => Some((b, true)),
            Op::Ne if self.constant(b) == Some(0) => Some((a, false)),
            Op::Ne if self.constant(a) == Some(0) => Some((b, false)),
            _ => None,
        }
    }

    fn record(&mut self, inst: &Inst) {
        for word in inst.defs() {
            self.local[word as usize] = (0, 0);
        }
        let word = inst.defs[0];
        if word == NONE || inst.op.effect() != Effect::Pure {
            return;
        }
        let single = self.single[word as usize];
        if inst.op == Op::Imm {
            if single {
                self.constants[word as usize] = Some(inst.imm);
            } else {
                self.local[word as usize] = (self.block, inst.imm);
            }
        } else if single
            && inst.defs[1] == NONE
            && inst.uses().all(|word| self.single[word as usize])
        {
            let uses = [inst.uses[0], inst.uses[1]];
            self.facts[word as usize] = Some(Fact {
                op: inst.op,
                uses,
                imm: inst.imm,
            });
        }
    }
}

fn is_comparison(op: Op) -> bool {
    matches!(
        op,
        Op::Eq
            | Op::Ne
            | Op::LtU
            | Op::LtS
            | Op::LeU
            | Op::LeS
            | Op::Eq64
            | Op::LtU64
            | Op::LtS64
            | Op::FEq
            | Op::FLt
            | Op::FLe
            | Op::AddOverS
            | Op::SubOverS
            | Op::MulOverU
            | Op::MulOverS
            | Op::MulOverU64
            | Op::MulOverS64
    )
}

fn simpler_end(end: &End, known: &Known) -> Option<End> {
    let End::Branch {
        word,
        then,
        otherwise,
    } = *end
    else {
        return None;
    };
    if let Some(value) = known.constant(word) {
        return Some(End::Jump(if value != 0 { then } else { otherwise }));
    }
    let (word, inverted) = known.condition(word)?;
    let (then, otherwise) = if inverted {
        (otherwise, then)
    } else {
        (then, otherwise)
    };
    Some(End::Branch {
        word,
        then,
        otherwise,
    })
}

fn simplify(inst: &Inst, known: &Known) -> Option<Simpler> {
    if inst.op == Op::TrapIf {
        if known.constant(inst.uses[0]) == Some(0) {
            return Some(Simpler::Nothing);
        }
        let (word, inverted) = known.condition(inst.uses[0])?;
        let mut new = inst.clone();
        new.uses[0] = word;
        return (!inverted).then_some(Simpler::One(new));
    }
    if !inst.is_pure() || inst.op == Op::Imm {
        return None;
    }
    if let Some(constant) = evaluate(inst, known) {
        return Some(constant);
    }
    if inst.defs[1] != NONE {
        return split_long(inst, known);
    }
    let rewrite = Rewrite { inst, known };
    rewrite.one_word().map(Simpler::One)
}

/// The values of an instruction all of whose inputs are known.
fn evaluate(inst: &Inst, known: &Known) -> Option<Simpler> {
    let mut inputs = [0; 4];
    let mut count = 0;
    let mut used = inst.uses.iter();
    for role in inst.op.roles() {
        let words = match role {
            Role::Use => 1,
            Role::UsePair => 2,
            Role::Imm => {
                inputs[count] = inst.imm;
                count += 1;
                0
            }
            _ => 0,
        };
        for &word in used.by_ref().take(words) {
            inputs[count] = known.constant(word)?;
            count += 1;
        }
    }
    let outputs = arithmetic::fold(inst.op, &inputs[..count])?;
    let low = Inst::constant(inst.defs[0], outputs.low, inst.place);
    Some(match inst.defs[1] {
        NONE => Simpler::One(low),
        high => Simpler::Two(low, Inst::constant(high, outputs.high, inst.place)),
    })
}

/// 64-bit operations that two 32-bit ones can do.
fn split_long(inst: &Inst, known: &Known) -> Option<Simpler> {
    let [low, high] = inst.defs;
    let [a, a_high, b, b_high] = inst.uses;
    let place = inst.place;
    let zero = |word| known.constant(word) == Some(0);
    let constant = |to, value| Inst::constant(to, value, place);
    let shift = |op, to, from, by| {
        if by == 0 {
            Inst::copy(to, from, place)
        } else {
            Inst::new(op, to, &[from], by, place)
        }
    };
    let both_short = || zero(a_high) && zero(b_high);
    let (first, second) = match inst.op {
        Op::Mul64 if both_short() => (
            Inst::new(Op::MulHighU, high, &[a, b], 0, place),
            Inst::new(Op::Mul, low, &[a, b], 0, place),
        ),
        Op::DivU64 if both_short() => (
            Inst::new(Op::DivU, low, &[a, b], 0, place),
            constant(high, 0),
        ),
        Op::RemU64 if both_short() => (
            Inst::new(Op::RemU, low, &[a, b], 0, place),
            constant(high, 0),
        ),
        Op::Shl64 | Op::Shr64 | Op::Sar64 => match (inst.op, known.constant(b)? % 64) {
            (_, 0) => (Inst::copy(low, a, place), Inst::copy(high, a_high, place)),
            (Op::Shl64, by @ 32..) => (shift(Op::ShlImm, high, a, by - 32), constant(low, 0)),
            (Op::Shr64, by @ 32..) => (shift(Op::ShrImm, low, a_high, by - 32), constant(high, 0)),
            (Op::Sar64, by @ 32..) => (
                shift(Op::SarImm, low, a_high, by - 32),
                shift(Op::SarImm, high, a_high, 31),
            ),
            _ => return None,
        },
        _ => return None,
    };
    // The pair reads everything before it writes; two instructions may not if the first overwrites the second's inputs.
    let clash = second.uses().any(|word| first.defs[0] == word);
    (!clash).then_some(Simpler::Two(first, second))
}

/// One instruction with one result, and what is known of its inputs.
struct Rewrite<'a> {
    inst: &'a Inst,
    known: &'a Known,
}

impl Rewrite<'_> {
    fn constant(&self, value: u32) -> Option<Inst> {
        Some(Inst::constant(self.inst.defs[0], value, self.inst.place))
    }

    fn copy(&self, word: Word) -> Option<Inst> {
        Some(Inst::copy(self.inst.defs[0], word, self.inst.place))
    }

    fn immediate(&self, op: Op, word: Word, imm: u32) -> Option<Inst> {
        Some(Inst::new(
            op,
            self.inst.defs[0],
            &[word],
            imm,
            self.inst.place,
        ))
    }

    fn with(&self, op: Op, uses: &[Word]) -> Option<Inst> {
        Some(Inst::new(op, self.inst.defs[0], uses, 0, self.inst.place))
    }

    fn one_word(&self) -> Option<Inst> {
        let [a, b, ..] = self.inst.uses;
        if a != NONE && b == NONE {
            return self.unary(a, self.inst.imm);
        }
        if b == NONE {
            return None;
        }
        let (left, right) = (self.known.constant(a), self.known.constant(b));
        match self.inst.op {
            Op::Select => self.select(left),
            Op::Eq64 | Op::LtU64 => self.short_comparison(),
            _ => match (left, right) {
                (_, Some(value)) => self.right(a, value),
                (Some(value), None) => self.left(value, b),
                _ if a == b => self.same(a),
                _ => None,
            },
        }
    }

    /// One word and a constant.
    fn unary(&self, a: Word, imm: u32) -> Option<Inst> {
        const ONE: u32 = 1.0_f32.to_bits();
        const MINUS_ZERO: u32 = (-0.0_f32).to_bits();
        match (self.inst.op, imm) {
            (Op::AddImm | Op::XorImm | Op::OrImm, 0) | (Op::MulImm, 1) | (Op::AndImm, u32::MAX) => {
                self.copy(a)
            }
            (Op::ShlImm | Op::ShrImm | Op::SarImm | Op::RotlImm, by) if by % 32 == 0 => {
                self.copy(a)
            }
            (Op::FAddImm, MINUS_ZERO) | (Op::FMulImm, ONE) => self.copy(a),
            (Op::MulImm | Op::AndImm, 0) => self.constant(0),
            (Op::OrImm, u32::MAX) => self.constant(u32::MAX),
            (Op::MulImm, u32::MAX) => self.with(Op::Neg, &[a]),
            _ => self.chain(a, imm),
        }
    }

    /// A constant operation on the result of another one.
    fn chain(&self, a: Word, imm: u32) -> Option<Inst> {
        let inner = self.known.fact(a)?;
        let [from, other] = inner.uses;
        match (self.inst.op, inner.op) {
            (Op::AddImm, Op::AddImm) => {
                self.immediate(Op::AddImm, from, inner.imm.wrapping_add(imm))
            }
            (Op::MulImm, Op::MulImm) => {
                self.immediate(Op::MulImm, from, inner.imm.wrapping_mul(imm))
            }
            (Op::XorImm, Op::XorImm) => self.immediate(Op::XorImm, from, inner.imm ^ imm),
            (Op::AndImm, Op::AndImm) => self.immediate(Op::AndImm, from, inner.imm & imm),
            (Op::OrImm, Op::OrImm) => self.immediate(Op::OrImm, from, inner.imm | imm),
            (Op::RotlImm, Op::RotlImm) => {
                self.immediate(Op::RotlImm, from, inner.imm.wrapping_add(imm) % 32)
            }
            (Op::Neg, Op::Neg)
            | (Op::ByteSwap, Op::ByteSwap)
            | (Op::BitReverse, Op::BitReverse) => self.copy(from),
            (Op::AndImm, _) if imm & 1 != 0 && self.known.is_bool(a) => self.copy(a),
            (Op::XorImm, Op::Eq) if imm == 1 => self.with(Op::Ne, &[from, other]),
            (Op::XorImm, Op::Ne) if imm == 1 => self.with(Op::Eq, &[from, other]),
            (Op::XorImm, Op::LtU) if imm == 1 => self.with(Op::LeU, &[other, from]),
            (Op::XorImm, Op::LtS) if imm == 1 => self.with(Op::LeS, &[other, from]),
            (Op::XorImm, Op::LeU) if imm == 1 => self.with(Op::LtU, &[other, from]),
            (Op::XorImm, Op::LeS) if imm == 1 => self.with(Op::LtS, &[other, from]),
            _ => None,
        }
    }

    /// A constant on the right.
    fn right(&self, a: Word, value: u32) -> Option<Inst> {
        match (self.inst.op, value) {
            (Op::Sub, _) => self.immediate(Op::AddImm, a, value.wrapping_neg()),
            (Op::FSub, _) => self.immediate(Op::FAddImm, a, value ^ 0x8000_0000),
            (Op::Shl, _) => self.immediate(Op::ShlImm, a, value % 32),
            (Op::Shr, _) => self.immediate(Op::ShrImm, a, value % 32),
            (Op::Sar, _) => self.immediate(Op::SarImm, a, value % 32),
            (Op::Rotl, _) => self.immediate(Op::RotlImm, a, value % 32),
            (Op::DivU | Op::DivS, 1) => self.copy(a),
            (Op::DivU | Op::DivS | Op::RemU | Op::RemS, 0) | (Op::RemU | Op::RemS, 1) => {
                self.constant(0)
            }
            (Op::DivU, _) if value.is_power_of_two() => {
                self.immediate(Op::ShrImm, a, value.trailing_zeros())
            }
            (Op::RemU, _) if value.is_power_of_two() => self.immediate(Op::AndImm, a, value - 1),
            (Op::LtU, 0) => self.constant(0),
            (Op::LeU, u32::MAX) => self.constant(1),
            (Op::SubOverS, 0) => self.constant(0),
            _ => self.commutative(a, value),
        }
    }

    /// A constant on the left.
    fn left(&self, value: u32, b: Word) -> Option<Inst> {
        match (self.inst.op, value) {
            (Op::Sub, 0) => self.with(Op::Neg, &[b]),
            (Op::LeU, 0) => self.constant(1),
            (Op::LtU, u32::MAX) => self.constant(0),
            (
                Op::Shl | Op::Shr | Op::Sar | Op::Rotl | Op::DivU | Op::DivS | Op::RemU | Op::RemS,
                0,
            ) => self.constant(0),
            _ => self.commutative(b, value),
        }
    }

    /// Operations that do not mind on which side the constant stands.
    fn commutative(&self, word: Word, value: u32) -> Option<Inst> {
        match (self.inst.op, value) {
            (Op::Add, _) => self.immediate(Op::AddImm, word, value),
            (Op::Mul, _) if value.is_power_of_two() => {
                self.immediate(Op::ShlImm, word, value.trailing_zeros())
            }
            (Op::Mul, _) => self.immediate(Op::MulImm, word, value),
            (Op::Xor, _) => self.immediate(Op::XorImm, word, value),
            (Op::And, _) => self.immediate(Op::AndImm, word, value),
            (Op::Or, _) => self.immediate(Op::OrImm, word, value),
            (Op::FAdd, _) => self.immediate(Op::FAddImm, word, value),
            (Op::FMul, _) => self.immediate(Op::FMulImm, word, value),
            (Op::MulHighU, 0 | 1) | (Op::MulHighS, 0) => self.constant(0),
            (Op::MulOverU | Op::MulOverS, 0 | 1) | (Op::AddOverS, 0) => self.constant(0),
            (Op::MinU, 0) => self.constant(0),
            (Op::MaxU, 0) | (Op::MinU, u32::MAX) => self.copy(word),
            (Op::MaxU, u32::MAX) => self.constant(u32::MAX),
            (Op::Eq, 0) | (Op::Ne, 1) if self.known.is_bool(word) => {
                self.immediate(Op::XorImm, word, 1)
            }
            (Op::Eq, 1) | (Op::Ne, 0) if self.known.is_bool(word) => self.copy(word),
            _ => None,
        }
    }

    /// The same word on both sides.
    fn same(&self, word: Word) -> Option<Inst> {
        match self.inst.op {
            Op::Sub | Op::Xor | Op::Ne | Op::LtU | Op::LtS | Op::SubOverS => self.constant(0),
            Op::Eq | Op::LeU | Op::LeS => self.constant(1),
            Op::And | Op::Or | Op::MinU | Op::MaxU | Op::MinS | Op::MaxS | Op::FMin | Op::FMax => {
                self.copy(word)
            }
            Op::Add => self.immediate(Op::ShlImm, word, 1),
            _ => None,
        }
    }

    fn select(&self, condition: Option<u32>) -> Option<Inst> {
        let [word, then, otherwise, _] = self.inst.uses;
        if let Some(value) = condition {
            return self.copy(if value != 0 { then } else { otherwise });
        }
        if then == otherwise {
            return self.copy(then);
        }
        match (self.known.constant(then), self.known.constant(otherwise)) {
            (Some(1), Some(0)) if self.known.is_bool(word) => return self.copy(word),
            (Some(0), Some(1)) if self.known.is_bool(word) => {
                return self.immediate(Op::XorImm, word, 1);
            }
            _ => {}
        }
        let (word, inverted) = self.known.condition(word)?;
        let (then, otherwise) = if inverted {
            (otherwise, then)
        } else {
            (then, otherwise)
        };
        self.with(Op::Select, &[word, then, otherwise])
    }

    /// 64-bit comparisons of words whose high halves are 0.
    fn short_comparison(&self) -> Option<Inst> {
        let [a, a_high, b, b_high] = self.inst.uses;
        if self.known.constant(a_high) != Some(0) || self.known.constant(b_high) != Some(0) {
            return None;
        }
        self.with(
            if self.inst.op == Op::Eq64 {
                Op::Eq
            } else {
                Op::LtU
            },
            &[a, b],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};

    fn folded(code: &str) -> Vec<Inst> {
        let mut function = blocks(vec![End::Halt]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble(code);
        fold(&mut function);
        std::mem::take(&mut function.blocks[0].code)
    }

    #[track_caller]
    fn check(before: &str, after: &str) {
        assert_eq!(folded(before), assemble(after));
    }

    #[test]
    fn constants_are_computed() {
        check(
            "imm 2 6; imm 3 7; mul 4 2 3; clz 5 4",
            "imm 2 6; imm 3 7; imm 4 42; imm 5 26",
        );
        check(
            "imm 2 -1; imm 3 1; add64 4:5 2:2 3:0",
            "imm 2 -1; imm 3 1; add64 4:5 2:2 3:0",
        );
        check(
            "imm 2 -1; imm 3 1; imm 6 0; add64 4:5 2:6 3:6",
            "imm 2 -1; imm 3 1; imm 6 0; imm 4 0; imm 5 1",
        );
    }

    #[test]
    fn a_constant_operand_makes_an_instruction_linear() {
        check(
            "imm 2 5; mul 3 0 2; mul 4 2 0",
            "imm 2 5; muli 3 0 5; muli 4 0 5",
        );
        check(
            "imm 2 8; mul 3 0 2; divu 4 0 2; remu 5 0 2",
            "imm 2 8; shli 3 0 3; shri 4 0 3; andi 5 0 7",
        );
        check(
            "imm 2 3; sub 3 0 2; shl 4 0 2",
            "imm 2 3; addi 3 0 -3; shli 4 0 3",
        );
        check("addi 2 0 3; addi 3 2 4", "addi 2 0 3; addi 3 0 7");
    }

    #[test]
    fn floats_keep_their_zeros_and_their_order() {
        let (zero, minus_zero, one) = (0.0_f32.to_bits(), (-0.0_f32).to_bits(), 1.0_f32.to_bits());
        check(&format!("faddi 2 0 {zero}"), &format!("faddi 2 0 {zero}"));
        check(
            &format!("faddi 2 0 {minus_zero}; fmuli 3 0 {one}"),
            "mov 2 0; mov 3 0",
        );
        check(&format!("fmuli 2 0 {zero}"), &format!("fmuli 2 0 {zero}"));
        check(
            &format!("faddi 2 0 {one}; faddi 3 2 {one}"),
            &format!("faddi 2 0 {one}; faddi 3 2 {one}"),
        );
        check(
            &format!("imm 2 {one}; fsub 3 0 2"),
            &format!("imm 2 {one}; faddi 3 0 {}", (-1.0_f32).to_bits()),
        );
    }

    #[test]
    fn a_negated_comparison_is_the_opposite_one() {
        check("ltu 2 0 1; xori 3 2 1", "ltu 2 0 1; leu 3 1 0");
        check("flt 2 0 1; xori 3 2 1", "flt 2 0 1; xori 3 2 1");
        check(
            "imm 2 0; eq 3 0 1; eq 4 3 2",
            "imm 2 0; eq 3 0 1; xori 4 3 1",
        );
    }

    #[test]
    fn words_written_twice_are_known_only_until_then() {
        check(
            "imm 2 1; addi 3 2 1; vmid 2; addi 3 2 1",
            "imm 2 1; imm 3 2; vmid 2; addi 3 2 1",
        );
    }

    #[test]
    fn long_operations_on_short_values_become_short() {
        check(
            "imm 2 0; mul64 3:4 0:2 1:2",
            "imm 2 0; mulhu 4 0 1; mul 3 0 1",
        );
        check("imm 2 40; shr64 3:4 0:1 2", "imm 2 40; shri 3 1 8; imm 4 0");
        check("imm 2 0; ltu64 3 0:2 1:2", "imm 2 0; ltu 3 0 1");
    }

    #[test]
    fn branches_and_traps_on_constants_are_decided() {
        let mut function = blocks(vec![
            End::Branch {
                word: 2,
                then: 1,
                otherwise: 2,
            },
            End::Halt,
            End::Halt,
        ]);
        function.blocks[0].code = assemble("imm 2 0; trapnz 3 2 - -");
        assert!(fold(&mut function));
        assert_eq!(function.blocks[0].code, assemble("imm 2 0"));
        assert_eq!(function.blocks[0].end, End::Jump(2));
        function.blocks[0].code = assemble("imm 2 1; trapnz 3 2 0 -; vmid 5");
        assert!(fold(&mut function));
        assert_eq!(function.blocks[0].code, assemble("imm 2 1"));
        assert_eq!(
            function.blocks[0].end,
            End::Trap {
                site: 3,
                words: [0, NONE, NONE, NONE]
            }
        );
    }
}
