//! Every operation that only computes, on edge values in all combinations and on random ones.

use gpuvm_core::isa::{Class, Role, pair};

use super::*;

/// Values at which integers, shifts, floats and conversions change their ways.
const EDGES: [u32; 40] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    0xff,
    0xffff,
    0x1_0000,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x0080_0000,
    0x007f_ffff,
    0x3f00_0000,
    0xbf00_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3fc0_0000,
    0xbfc0_0000,
    0x4020_0000,
    0x4b00_0001,
    0x4b7f_ffff,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x5f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7fc0_0001,
];

/// Words for `n` inputs: combinations of edges as far as they go, then random ones, also of nearby exponents.
pub(crate) fn inputs(n: u32, vms: u32) -> Vec<u32> {
    let mut random = Random(0x1234_5678 + n);
    let mut words = Vec::new();
    let edges = EDGES.len() as u32;
    for vm in 0..vms {
        let combinations = if n <= 2 { edges.pow(n) } else { vms / 2 };
        let mut choice = vm;
        for i in 0..n {
            let word = if vm < combinations && n <= 2 {
                let edge = EDGES[(choice % edges) as usize];
                choice /= edges;
                edge
            } else if vm < combinations || random.below(4) == 0 {
                EDGES[random.below(edges) as usize] ^ (random.below(8) == 0) as u32
            } else if i > 0 && random.below(2) == 0 {
                // Near to the first input, for cancellation and quotients near 1.
                words[words.len() - i as usize] ^ random.next() >> (8 + random.below(24))
            } else {
                random.next()
            };
            words.push(word);
        }
    }
    words
}

/// Inputs of an operation as words, its constants left out.
pub(crate) fn arity(op: Op) -> u32 {
    op.roles()
        .iter()
        .map(|role| match role {
            Role::Use => 1,
            Role::UsePair => 2,
            _ => 0,
        })
        .sum()
}

/// Operands whose inputs are in w2 and on, and whose results go to w10 and w11.
pub(crate) fn operands(operation: Op, constant: u32) -> [u32; 4] {
    let mut next = 2;
    operation.roles().map(|role| match role {
        Role::Def => 10,
        Role::DefPair => pair(10, 11),
        Role::Use => {
            next += 1;
            next - 1
        }
        Role::UsePair => {
            next += 2;
            pair(next - 2, next - 1)
        }
        Role::Imm => constant,
        _ => 0,
    })
}

/// Loads the inputs to w2 and on, and with each of the constants computes into w10 and w11 and stores both.
fn compute(operation: Op, constants: &[u32]) -> Program {
    let mut code = vec![op(Op::Imm, [0, 1, 0, 0]), op(Op::Param, [1, 0, 0, 0])];
    for i in 0..arity(operation) {
        code.push(op(Op::Load, [2 + i, 0, 1, i]));
    }
    code.push(op(Op::Param, [1, 1, 0, 0]));
    for (&constant, i) in constants.iter().zip(0..) {
        code.extend([
            op(operation, operands(operation, constant)),
            op(Op::Store, [10, 0, 1, 2 * i]),
            op(Op::Store, [11, 0, 1, 2 * i + 1]),
        ]);
    }
    code.push(op(Op::Halt, [0; 4]));
    program(code, Store::default())
}

/// Whether the operation's result is an f32 that may be a NaN of any payload.
pub(crate) fn gives_float(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        FAdd | FSub
            | FAddImm
            | FMulImm
            | FMul
            | FDiv
            | FRem
            | FMulAdd
            | FSqrt
            | FFloor
            | FCeil
            | FTrunc
            | FRound
            | FRoundEven
            | FMin
            | FMax
    )
}

#[test]
fn every_operation_gives_the_reference_bits() {
    for engine in engines() {
        let mut failures = Vec::new();
        for &operation in Op::ALL {
            // Relaxed functions have a test of their own, with a tolerance.
            let other = matches!(operation, Op::Affine | Op::FMath);
            if !matches!(operation.class(), Class::Linear | Class::Oracle) || other {
                continue;
            }
            let constants: &[u32] = if operation.roles().contains(&Role::Imm) {
                &EDGES
            } else {
                &[0]
            };
            let n = arity(operation);
            let vms = if n >= 2 { 6000 } else { 2000 };
            let outputs = 2 * constants.len() as u32;
            let job = job(compute(operation, constants), &inputs(n, vms), n, outputs, vms);
            let [(expected, wanted), (found, outcome)] = both(engine, job);
            assert_eq!(outcome, wanted);
            let start = (n * vms) as usize;
            for i in start..found.arena.len() {
                let (a, b) = (found.arena[i], expected.arena[i]);
                if a == b || gives_float(operation) && is_nan(a) && is_nan(b) {
                    continue;
                }
                let (vm, output) = ((i - start) as u32 / outputs, (i - start) as u32 % outputs);
                let input = &expected.arena[(vm * n) as usize..((vm + 1) * n) as usize];
                failures.push(format!(
                    "{} of {input:x?} and {:#x} is {a:#x} and not {b:#x}",
                    operation.mnemonic(),
                    constants[output as usize / 2],
                ));
                break;
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
