//! Constant folding, strength reduction and algebraic identities. Only what is exact in every bit: f32 sums and products are
//! never regrouped, and `x + 0.0` stays, because it turns −0.0 into 0.0.

mod known;
mod range;
mod rewrite;

use crate::interp::arithmetic;
use crate::ir::flow::chains;
use crate::ir::{End, Function, Inst, NONE};
use crate::isa::{Op, Role, space};
use known::Known;
pub(crate) use known::is_comparison;
use rewrite::Rewrite;

/// Folds; whether anything changed. `data` is the program's.
pub(crate) fn fold(function: &mut Function, data: &[u32]) -> bool {
    let mut known = Known::new(function);
    let mut changed = false;
    let mut before = None;
    for (b, chain) in chains(function) {
        if std::mem::replace(&mut known.chain, chain) == chain {
            known.took(before.as_ref(), b);
        }
        let code = std::mem::take(&mut function.blocks[b].code);
        let mut out: Vec<Inst> = Vec::with_capacity(code.len() + 4);
        let mut trap = None;
        for mut inst in code {
            if inst.op == Op::TrapIf && known.constant(inst.uses[0]).is_some_and(|value| value != 0) {
                let words = [inst.uses[1], inst.uses[2], NONE, NONE];
                trap = Some((End::Trap { site: inst.imm, words }, inst.place));
                break;
            }
            if known.cannot_overflow(&inst) {
                inst.become_inst(Inst::constant(inst.defs[0], 0, inst.place));
                changed = true;
            }
            if let Some(added) = known.added_constant(&inst) {
                let (limit, mut test) = overflow_of_constant(function.new_word(), &inst, added);
                test.marks = std::mem::take(&mut inst.marks);
                known.grow();
                known.record(&limit);
                known.record(&test);
                out.extend([limit, test]);
                changed = true;
                continue;
            }
            match simplify(&inst, &known, data) {
                Some(Simpler::Nothing) => {
                    changed = true;
                    match out.last_mut() {
                        Some(last) => last.mark(inst.marks),
                        None => function.blocks[b].marks.extend(inst.marks),
                    }
                }
                Some(Simpler::One(mut new)) => {
                    changed = true;
                    new.marks = std::mem::take(&mut inst.marks);
                    known.record(&new);
                    out.push(new);
                }
                Some(Simpler::Two(first, mut second)) => {
                    changed = true;
                    second.marks = std::mem::take(&mut inst.marks);
                    known.record(&first);
                    known.record(&second);
                    out.extend([first, second]);
                }
                None => {
                    known.record(&inst);
                    if inst.op == Op::TrapIf {
                        known.passed_trap(inst.uses[0]);
                    }
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
        before = Some(block.end.clone());
    }
    changed
}

/// `t < a` for `t = a + constant` as `t < constant`: both ask whether the sum wrapped, and the second does not need `a` any more.
fn overflow_of_constant(word: u32, test: &Inst, added: u32) -> (Inst, Inst) {
    let limit = Inst::constant(word, added, test.place);
    (
        limit,
        Inst::new(Op::LtU, test.defs[0], &[test.uses[0], word], 0, test.place),
    )
}

/// What replaces an instruction.
enum Simpler {
    Nothing,
    One(Inst),
    Two(Inst, Inst),
}

fn simpler_end(end: &End, known: &Known) -> Option<End> {
    let End::Branch { word, then, otherwise } = *end else {
        return None;
    };
    if let Some(value) = known.constant(word) {
        return Some(End::Jump(if value != 0 { then } else { otherwise }));
    }
    let (word, inverted) = known.condition(word)?;
    let (then, otherwise) = if inverted { (otherwise, then) } else { (then, otherwise) };
    Some(End::Branch { word, then, otherwise })
}

fn simplify(inst: &Inst, known: &Known, data: &[u32]) -> Option<Simpler> {
    if inst.op == Op::TrapIf {
        if known.constant(inst.uses[0]) == Some(0) {
            return Some(Simpler::Nothing);
        }
        let (word, inverted) = known.condition(inst.uses[0])?;
        let mut new = inst.clone();
        new.uses[0] = word;
        return (!inverted).then_some(Simpler::One(new));
    }
    if inst.op == Op::Load {
        let value = datum(inst, known, data)?;
        return Some(Simpler::One(Inst::constant(inst.defs[0], value, inst.place)));
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
    if let Some(holds) = known.decided(inst) {
        return Some(Simpler::One(Inst::constant(inst.defs[0], holds.into(), inst.place)));
    }
    let rewrite = Rewrite { inst, known };
    rewrite.one_word().map(Simpler::One)
}

/// What a load reads whose place in the program's data is known.
fn datum(load: &Inst, known: &Known, data: &[u32]) -> Option<u32> {
    if known.constant(load.uses[0]) != Some(space::DATA) {
        return None;
    }
    let at = known.constant(load.uses[1])?.wrapping_add(load.imm);
    data.get(at as usize).copied()
}

/// The values of an instruction all of whose inputs are known.
fn evaluate(inst: &Inst, known: &Known) -> Option<Simpler> {
    let mut inputs = [0; 5];
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
    let [a, a_high, b, b_high, _] = inst.uses;
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
    let (a_zero, b_zero) = (zero(a) && zero(a_high), zero(b) && zero(b_high));
    let copy = |low_from, high_from| (Inst::copy(low, low_from, place), Inst::copy(high, high_from, place));
    let (first, second) = match inst.op {
        Op::Mul64 if a_zero || b_zero => (constant(low, 0), constant(high, 0)),
        Op::Add64 | Op::Sub64 if b_zero => copy(a, a_high),
        Op::Add64 if a_zero => copy(b, b_high),
        Op::Mul64 if both_short() => (
            Inst::new(Op::MulHighU, high, &[a, b], 0, place),
            Inst::new(Op::Mul, low, &[a, b], 0, place),
        ),
        Op::DivU64 if both_short() => (Inst::new(Op::DivU, low, &[a, b], 0, place), constant(high, 0)),
        Op::RemU64 if both_short() => (Inst::new(Op::RemU, low, &[a, b], 0, place), constant(high, 0)),
        Op::Shl64 | Op::Shr64 | Op::Sar64 => match (inst.op, known.constant(b)? % 64) {
            (_, 0) => copy(a, a_high),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};

    fn folded(code: &str) -> Vec<Inst> {
        let mut function = blocks(vec![End::Halt]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble(code);
        fold(&mut function, &[]);
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
    fn data_at_a_known_place_is_a_constant() {
        let mut function = blocks(vec![End::Halt]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble("imm 2 3; imm 3 1; load 4 2 3 1; load 5 2 3 2; load 6 2 0 0");
        fold(&mut function, &[7, 8, 9]);
        let after = "imm 2 3; imm 3 1; imm 4 9; load 5 2 3 2; load 6 2 0 0";
        assert_eq!(function.blocks[0].code, assemble(after));
    }

    #[test]
    fn a_constant_operand_makes_an_instruction_linear() {
        check("imm 2 5; mul 3 0 2; mul 4 2 0", "imm 2 5; muli 3 0 5; muli 4 0 5");
        check(
            "imm 2 8; mul 3 0 2; divu 4 0 2; remu 5 0 2",
            "imm 2 8; shli 3 0 3; shri 4 0 3; andi 5 0 7",
        );
        check("imm 2 3; sub 3 0 2; shl 4 0 2", "imm 2 3; addi 3 0 -3; shli 4 0 3");
        check("addi 2 0 3; addi 3 2 4", "addi 2 0 3; addi 3 0 7");
    }

    #[test]
    fn what_was_compared_cannot_overflow() {
        let after = |asked: &str, code: &str| {
            let branch = End::Branch {
                word: 9,
                then: 1,
                otherwise: 2,
            };
            let mut function = blocks(vec![branch, End::Halt, End::Halt]);
            function.params = vec![0, 1, 2, 3];
            // Words that are written twice are not known everywhere.
            function.blocks[0].code = assemble(&format!("imm 5 1; imm 6 0; mov 0 1; {asked}"));
            function.blocks[1].code = assemble(code);
            fold(&mut function, &[]);
            function.blocks[1].code.last().map(|inst| (inst.op, inst.imm))
        };
        let no = Some((Op::Imm, 0));
        assert_eq!(after("ltu 9 6 0", "ltu 8 0 5"), no);
        assert_eq!(after("mov 9 0", "ltu 8 9 5"), no);
        assert_eq!(after("ltu 9 0 2", "addi 7 0 1; ltu 8 7 0"), no);
        assert_eq!(after("lts 9 0 2", "addos 8 0 5"), no);
        assert_eq!(after("lts 9 2 0", "subos 8 0 5"), no);
        assert_eq!(after("ltu64 9 6:6 0:3", "ltu64 8 0:3 5:6"), no);
        assert_eq!(after("ltu64 9 0:3 2:2", "add64 7:10 0:3 5:6; ltu64 8 7:10 0:3"), no);
        assert_eq!(after("ltu 9 6 0", "mov 0 2; ltu 8 0 5"), Some((Op::LtU, 0)));
        assert_eq!(after("ltu 9 2 0", "addi 7 0 1; ltu 8 7 0"), Some((Op::LtU, 0)));
        assert_eq!(after("lts 9 0 2", "subos 8 0 5"), Some((Op::SubOverS, 0)));
        assert_eq!(after("ltu 9 0 2", "addi 7 0 2; ltu 8 7 0"), Some((Op::LtU, 0)));
        let more = |code| after("ltu64 9 0:3 2:2", code);
        assert_eq!(more("add64 7:10 0:3 5:5; ltu64 8 7:10 0:3"), Some((Op::LtU64, 0)));
        assert_eq!(more("add64 10:7 0:3 5:6; ltu64 8 7:10 0:3"), Some((Op::LtU64, 0)));
        assert_eq!(
            more("add64 7:10 0:3 5:6; mov 10 1; ltu64 8 7:10 0:3"),
            Some((Op::LtU64, 0))
        );
    }

    #[test]
    fn floats_keep_their_zeros_and_their_order() {
        let (zero, minus_zero, one) = (0.0_f32.to_bits(), (-0.0_f32).to_bits(), 1.0_f32.to_bits());
        check(&format!("faddi 2 0 {zero}"), &format!("faddi 2 0 {zero}"));
        check(&format!("faddi 2 0 {minus_zero}; fmuli 3 0 {one}"), "mov 2 0; mov 3 0");
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
        check("imm 2 0; eq 3 0 1; eq 4 3 2", "imm 2 0; eq 3 0 1; xori 4 3 1");
    }

    #[test]
    fn a_trap_not_taken_tells_the_condition() {
        check("trapnz 0 0 - -; trapnz 1 0 - -; addi 2 0 7", "trapnz 0 0 - -; imm 2 7");
        check(
            "trapnz 0 0 - -; vmid 0; trapnz 1 0 - -",
            "trapnz 0 0 - -; vmid 0; trapnz 1 0 - -",
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
    fn a_wrapped_sum_is_seen_without_the_summand() {
        // Word 0 is written again, so that the test had to keep what it was.
        check(
            "addi 2 0 5; ltu 3 2 0; mov 0 2",
            "addi 2 0 5; imm 64 5; ltu 3 2 64; mov 0 2",
        );
        check("add 2 0 1; ltu 3 2 0; mov 0 2", "add 2 0 1; ltu 3 2 1; mov 0 2");
        check("addi 2 1 5; ltu 3 2 1", "addi 2 1 5; ltu 3 2 1");
    }

    #[test]
    fn long_operations_on_short_values_become_short() {
        check("imm 2 0; mul64 3:4 0:2 1:2", "imm 2 0; mulhu 4 0 1; mul 3 0 1");
        check("imm 2 40; shr64 3:4 0:1 2", "imm 2 40; shri 3 1 8; imm 4 0");
        check("imm 2 0; ltu64 3 0:2 1:2", "imm 2 0; ltu 3 0 1");
        check("imm 2 0; mul64 3:4 0:1 2:2", "imm 2 0; imm 3 0; imm 4 0");
        check("imm 2 0; mulou64 3 2:2 0:1", "imm 2 0; imm 3 0");
        check("imm 2 0; add64 3:4 2:2 0:1", "imm 2 0; mov 3 0; mov 4 1");
        check("imm 2 0; sub64 3:4 0:1 2:2", "imm 2 0; mov 3 0; mov 4 1");
        check("imm 2 0; ltu64 3 0:1 2:2", "imm 2 0; imm 3 0");
        check("eq64 3 0:1 0:1; lts64 4 1:0 1:0", "imm 3 1; imm 4 0");
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
        assert!(fold(&mut function, &[]));
        assert_eq!(function.blocks[0].code, assemble("imm 2 0"));
        assert_eq!(function.blocks[0].end, End::Jump(2));
        function.blocks[0].code = assemble("imm 2 1; trapnz 3 2 0 -; vmid 5");
        assert!(fold(&mut function, &[]));
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
