//! Linking of loops that are linear or nearly so, whose powers must be what their turns are.

use proptest::prelude::*;

use super::random::variable;
use super::testing::*;
use super::tests::{FUEL, agree, all_settings, i, linked};
use super::variables::follow;
use crate::isa::{Instruction, Op, Role, pair};
use crate::settings::Settings;
use crate::types::TypeRef;

/// First those of the integers, then those of bits.
const LINEAR: [Op; 10] = [
    Op::Mov,
    Op::Add,
    Op::Sub,
    Op::AddImm,
    Op::MulImm,
    Op::Xor,
    Op::XorImm,
    Op::ShlImm,
    Op::ShrImm,
    Op::RotlImm,
];
const COMPARISONS: [Op; 6] = [Op::LtU, Op::LtS, Op::LeU, Op::LeS, Op::Eq, Op::Ne];

/// An instruction that reads two words, or one and a constant, or only one.
fn one(op: Op, d: u32, a: u32, b: u32, imm: u32) -> Instruction {
    match op.roles()[2] {
        Role::Imm => i(op, d, a, imm, 0),
        Role::Use => i(op, d, a, b, 0),
        _ => i(op, d, a, 0, 0),
    }
}

/// A few instructions on words 0 to 2, most of which only flip bits.
fn arm() -> impl Strategy<Value = Vec<Instruction>> {
    let one = (0..6usize, 0..3u32, 0..3u32, any::<u32>()).prop_map(|(op, d, a, imm)| match op {
        0 => i(Op::ShlImm, d, a, imm % 32, 0),
        1 => i(Op::ShrImm, d, d, imm % 32, 0),
        2 => i(Op::MulImm, d, a, imm, 0),
        _ => i(Op::XorImm, d, d, imm, 0),
    });
    prop::collection::vec(one, 0..3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn linear_loops_turn_as_often_as_they_say(
        body in prop::collection::vec((0..LINEAR.len(), 0..3u32, 0..3u32, 0..3u32, 0..40u32), 1..6),
        comparison in 0..COMPARISONS.len(),
        swap: bool,
        leave_if_set: bool,
        down: bool,
        known in (any::<bool>(), any::<bool>()),
        from in prop_oneof![0..5u32, any::<u32>()],
        turns in prop_oneof![0..4u32, 0..300u32],
    ) {
        let to = if down { from.wrapping_sub(turns) } else { from.wrapping_add(turns) };
        // x, y and z are words 0 to 2, the counter and its limit words 3 and 4.
        let mut code = Vec::new();
        if known.0 {
            code.push(i(Op::Imm, 3, from, 0, 0));
        }
        if known.1 {
            code.push(i(Op::Imm, 4, to, 0, 0));
        }
        let head = code.len() as u32;
        code.extend(body.iter().map(|&(op, d, a, b, imm)| one(LINEAR[op], d, a, b, imm)));
        code.push(i(Op::AddImm, 3, 3, if down { u32::MAX } else { 1 }, 0));
        let (a, b) = if swap { (4, 3) } else { (3, 4) };
        code.push(i(COMPARISONS[comparison], 5, a, b, 0));
        code.push(i(if leave_if_set { Op::JumpUnless } else { Op::JumpIf }, head, 5, 0, 0));
        code.push(i(Op::Return, 0, 0, 0, 0));
        let entry = leak(routine("loop", u32s(5), result::<[u32; 6]>(), 6, code, vec![]));
        agree(entry, &[3, 5, 7, from, to]);
    }

    #[test]
    fn long_counts_turn_as_often_as_they_say(
        body in prop::collection::vec((0..LINEAR.len() + 1, 0..4u32, 0..5u32, 0..5u32, 0..40u32), 1..7),
        comparison in 0..3usize,
        swap: bool,
        leave_if_set: bool,
        step in 0..4usize,
        asks_first: bool,
        known in (any::<bool>(), any::<bool>()),
        from in prop_oneof![0..5u64, any::<u64>(), Just(u64::from(u32::MAX) - 70), Just(u64::MAX - 3)],
        turns in prop_oneof![0..4u64, 0..200u64],
    ) {
        let to = if step & 1 == 1 { from.wrapping_sub(turns) } else { from.wrapping_add(turns) };
        let halves = |number: u64| [number as u32, (number >> 32) as u32];
        let ([from, from_high], [to, to_high]) = (halves(from), halves(to));
        // x, y and z are words 0 to 2, the counter words 3 and 4, its limit words 5 and 6, and 8 and 9 hold what is added.
        let mut code = vec![];
        for (word, value) in [(3, from), (4, from_high), (5, to), (6, to_high)] {
            if if word < 5 { known.0 } else { known.1 } {
                code.push(i(Op::Imm, word, value, 0, 0));
            }
        }
        let by = if matches!(step, 1 | 2) { u32::MAX } else { 1 };
        // -1 is taken away, 1 is added, or the other way round.
        let (op, high) = match step {
            0 => (Op::Add64, 0),
            1 => (Op::Add64, u32::MAX),
            2 => (Op::Sub64, u32::MAX),
            _ => (Op::Sub64, 0),
        };
        code.extend([i(Op::Imm, 8, by, 0, 0), i(Op::Imm, 9, high, 0, 0)]);
        let (a, b) = if swap { (pair(5, 6), pair(3, 4)) } else { (pair(3, 4), pair(5, 6)) };
        let compare = i([Op::LtU64, Op::LtS64, Op::Eq64][comparison], 7, a, b, 0);
        let (leave, stay) = if leave_if_set { (Op::JumpIf, Op::JumpUnless) } else { (Op::JumpUnless, Op::JumpIf) };
        let head = code.len() as u32;
        let rest = body.len() as u32 + 3;
        if asks_first {
            code.extend([compare, i(leave, head + 2 + rest - 1, 7, 0, 0)]);
        }
        // Sometimes the high half of the counter is read, which is not linear.
        code.extend(body.iter().map(|&(op, d, a, b, imm)| {
            one(LINEAR.get(op).copied().unwrap_or(Op::Or), d % 3, a, b, imm)
        }));
        code.push(i(op, pair(3, 4), pair(3, 4), pair(8, 9), 0));
        if asks_first {
            code.push(i(Op::Jump, head, 0, 0, 0));
        } else {
            code.extend([compare, i(stay, head, 7, 0, 0)]);
        }
        code.push(i(Op::Return, 0, 0, 0, 0));
        let entry = leak(routine("loop", u32s(7), result::<[u32; 8]>(), 10, code, vec![]));
        agree(entry, &[3, 5, 7, from, from_high, to, to_high]);
    }

    #[test]
    fn large_counts_are_the_sum_of_their_parts(
        bits: bool,
        body in prop::collection::vec((0..5usize, 0..3u32, 0..3u32, 0..3u32, 0..40u32), 1..6),
        from in prop_oneof![Just(0), any::<u64>()],
        turns in prop_oneof![Just(u64::from(u32::MAX)), any::<u32>().prop_map(u64::from), Just(u64::MAX), any::<u64>()],
        first: u64,
        long: bool,
    ) {
        let ring = if bits { &LINEAR[5..] } else { &LINEAR[..5] };
        // x, y and z are words 0 to 2, the counter words 3 and 4, its limit words 5 and 6, and words 8 and 9 hold 1.
        let mut code = vec![i(Op::Imm, 8, 1, 0, 0), i(Op::Imm, 9, 0, 0, 0)];
        code.extend(body.iter().map(|&(op, d, a, b, imm)| one(ring[op], d, a, b, imm)));
        if long {
            code.extend([i(Op::Add64, pair(3, 4), pair(3, 4), pair(8, 9), 0), i(Op::Eq64, 7, pair(3, 4), pair(5, 6), 0)]);
        } else {
            code.extend([i(Op::AddImm, 3, 3, 1, 0), i(Op::Eq, 7, 3, 5, 0)]);
        }
        code.extend([i(Op::JumpUnless, 2, 7, 0, 0), i(Op::Return, 0, 0, 0, 0)]);
        let entry = leak(routine("far", u32s(7), result::<[u32; 7]>(), 10, code, vec![]));
        let program = linked(entry, &Settings::default());
        let turned = |state: [u32; 3], from: u64, to: u64| {
            let [x, y, z] = state;
            let args = [x, y, z, from as u32, (from >> 32) as u32, to as u32, (to >> 32) as u32];
            let seen = run(entry, &program, &args, FUEL);
            assert!(!seen.unfinished, "{}", program.disassemble());
            [7, 8, 9].map(|at| seen.arena[at])
        };
        let mask = if long { u64::MAX } else { u64::from(u32::MAX) };
        let turns = turns & mask;
        let first = first.checked_rem(turns).unwrap_or(0);
        prop_assume!(first != 0);
        let between = turned([3, 5, 7], from, from.wrapping_add(first));
        let rest = turned(between, from.wrapping_add(first), from.wrapping_add(turns));
        prop_assert_eq!(turned([3, 5, 7], from, from.wrapping_add(turns)), rest, "{}", program.disassemble());
    }

    #[test]
    fn conditions_on_bits_may_be_flattened(
        steps in prop::collection::vec(((0..3u32, 0..5usize, 0..32u32), arm(), arm(), 0..3u32, any::<bool>()), 1..4),
        args in prop::array::uniform3(any::<u32>()),
        turns in 0..100u32,
    ) {
        // x, y and z are words 0 to 2, the counter word 3, and words 4 to 6 hold 0, the limit and what is asked.
        let mut code = vec![i(Op::Imm, 3, 0, 0, 0), i(Op::Imm, 4, 0, 0, 0), i(Op::Imm, 5, turns, 0, 0)];
        for ((asked, ask, place), common, arm, shared, swap) in steps {
            code.push(match ask {
                0 => i(Op::AndImm, 6, asked, 1 << place, 0),
                1 => i(Op::ShrImm, 6, asked, 31, 0),
                2 => i(Op::LtS, 6, asked, 4, 0),
                3 => i(Op::AndImm, 6, asked, 1, 0),
                _ => i(Op::LtU, 6, asked, 5, 0),
            });
            let ways = [common.clone(), common.into_iter().chain(arm).collect::<Vec<_>>()];
            let [first, second] = if swap { [&ways[0], &ways[1]] } else { [&ways[1], &ways[0]] };
            // What both ways do is sometimes left out of one.
            let second = &second[(shared as usize / 2).min(second.len())..];
            let start = code.len() as u32;
            code.push(i(Op::JumpUnless, start + first.len() as u32 + 2, 6, 0, 0));
            code.extend(first);
            code.push(i(Op::Jump, start + (first.len() + second.len()) as u32 + 2, 0, 0, 0));
            code.extend(second);
        }
        code.extend([i(Op::AddImm, 3, 3, 1, 0), i(Op::LtU, 7, 3, 5, 0), i(Op::JumpIf, 3, 7, 0, 0)]);
        code.push(i(Op::Return, 0, 0, 0, 0));
        let mut routine = routine("bits", u32s(3), result::<[u32; 3]>(), 8, code, vec![]);
        routine.variables = (0..3).map(|word| variable(word, TypeRef::of::<u32>())).collect();
        let entry = leak(routine);
        let (seen, history) = evaluate_noting(entry, &args, FUEL);
        agree(entry, &args);
        for settings in all_settings().into_iter().filter(|_| !seen.unfinished) {
            follow(entry, &linked(entry, &settings), &args, &history);
        }
    }
}
