//! Every operation that only computes, many of them in one program.

use gpuvm_core::isa::{Class, Instruction, Op, Role};
use gpuvm_core::matrix::pool::Store;

use super::*;
use crate::tests::op;
use crate::tests::operations::{arity, inputs, operands};

const CONSTANTS: [u32; 11] = [
    0,
    1,
    31,
    33,
    0x8000_0000,
    0xffff_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x4049_0fdb,
    // The smallest and, but for the sign, the largest power of two whose inverse is a normal number.
    0x0080_0000,
    0xfe80_0000,
];

/// All the operations with so many inputs, each with its results stored.
pub(super) fn all(n: u32, before: &[Instruction]) -> (Program, u32) {
    let mut code = vec![op(Op::Imm, [0, 1, 0, 0]), op(Op::Param, [1, 0, 0, 0])];
    code.extend((0..n).map(|i| op(Op::Load, [2 + i, 0, 1, i])));
    code.extend(before);
    code.push(op(Op::Param, [1, 1, 0, 0]));
    let mut outputs = 0;
    for &operation in Op::ALL {
        let computes =
            matches!(operation.class(), Class::Linear | Class::Oracle) && !matches!(operation, Op::Affine | Op::FMath);
        if !computes || arity(operation) != n {
            continue;
        }
        let constants = if operation.roles().contains(&Role::Imm) {
            &CONSTANTS[..]
        } else {
            &[0]
        };
        for &constant in constants {
            code.extend([
                op(Op::Imm, [11, 0, 0, 0]),
                op(operation, operands(operation, constant)),
                op(Op::Store, [10, 0, 1, outputs]),
                op(Op::Store, [11, 0, 1, outputs + 1]),
            ]);
            outputs += 2;
        }
    }
    code.push(op(Op::Halt, [0; 4]));
    (crate::tests::program(code, Store::default()), outputs)
}

#[test]
fn operations_give_the_reference_bits() {
    for n in 0..=4 {
        let (program, outputs) = all(n, &[]);
        let vms = 2000;
        check(&job(program, &inputs(n, vms), n, outputs, vms));
    }
}

#[test]
fn operations_with_a_known_operand_give_the_reference_bits() {
    // One of two operands is a constant that the compiler sees.
    for (word, constant) in [2, 3]
        .into_iter()
        .flat_map(|word| CONSTANTS.map(|constant| (word, constant)))
    {
        let (program, outputs) = all(2, &[op(Op::Imm, [word, constant, 0, 0])]);
        let vms = 500;
        check(&job(program, &inputs(2, vms), 2, outputs, vms));
    }
}

#[test]
fn the_inverse_of_a_root_gives_the_reference_bits() {
    let code = vec![
        op(Op::Imm, [0, 1, 0, 0]),
        op(Op::Param, [1, 0, 0, 0]),
        op(Op::Load, [2, 0, 1, 0]),
        op(Op::Imm, [4, 1.0_f32.to_bits(), 0, 0]),
        op(Op::FSqrt, [3, 2, 0, 0]),
        op(Op::FDiv, [10, 4, 3, 0]),
        op(Op::Param, [1, 1, 0, 0]),
        op(Op::Store, [10, 0, 1, 0]),
        op(Op::Store, [3, 0, 1, 1]),
        op(Op::Halt, [0; 4]),
    ];
    let program = crate::tests::program(code, Store::default());
    let vms = 20_000;
    check(&job(program, &inputs(1, vms), 1, 2, vms));
}
