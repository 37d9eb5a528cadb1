//! What the interpreter costs: instructions of PTX for one of the VM's, copies apart, as counted by the reference executor. The device runs about
//! as many of its own, and where invocations go the same way it is these that bound the interpreter.

use gpuvm_core::isa::{NO_WORD, Op, Role, pair};
use gpuvm_core::matrix::{AffineMap, CONSTANT, Format, Ring, Term};

use super::executed::{Kernels, check, exact_interpreter, interpreter};
use super::{Batch, job, op, program, stored};

/// How often an operation is run to see what one costs.
const MANY: u32 = 64;

/// Operations with their operands, and what they cost. Whoever makes one cheaper writes that down here, and whoever makes one dearer says why.
const COSTS: [(Op, [u32; 4], u64); 18] = [
    // Moves, sums, shifts and products of constants are one, with two constants: an instruction for many ways less.
    (Op::Mov, [1, 0, 0, 0], 32),
    (Op::AddImm, [1, 1, 5, 0], 32),
    (Op::Add, [1, 1, 0, 0], 32),
    (Op::FAdd, [1, 1, 0, 0], 31),
    (Op::Mul, [1, 1, 0, 0], 31),
    (Op::LtU, [1, 1, 0, 0], 33),
    (Op::Select, [1, 1, 0, 0], 35),
    (Op::FMul, [1, 1, 0, 0], 31),
    (Op::Add64, [pair(2, 1), pair(2, 1), pair(2, 1), 0], 55),
    // All jumps are one, with constants that tell which: three instructions for one way less.
    (Op::Jump, [0, 0, 0, 0], 40),
    (Op::JumpIf, [0, 0, 0, 0], 40),
    (Op::JumpUnless, [0, 0, 0, 0], 40),
    (Op::TrapIf, [0, 9, NO_WORD, NO_WORD], 34),
    (Op::VmId, [1, 0, 0, 0], 72),
    (Op::Param, [1, 0, 0, 0], 81),
    // One of them asks where frames stand, which only programs with calls have elsewhere.
    (Op::LoadFrame, [1, 0, 0, 0], 65),
    (Op::StoreFrame, [1, 0, 0, 0], 67),
    // A step of a generator: one row of two terms.
    (Op::Affine, [0, 0, 0, 0], 123),
];

/// An operation with its operands.
type Operation = (Op, [u32; 4]);

/// Pairs that are superinstructions, and what one costs.
const PAIRS: [([Operation; 2], u64); 2] = [
    ([(Op::MulImm, [1, 1, 5, 0]), (Op::AddImm, [1, 1, 3, 0])], 34),
    // The second jumps to what follows.
    ([(Op::LtU, [1, 1, 2, 0]), (Op::JumpIf, [0, 1, 0, 0])], 45),
];

#[test]
fn what_the_interpreter_costs_is_known() {
    let mut wrong = Vec::new();
    for (operation, operands, known) in COSTS {
        let cost = cost(&[(operation, operands)], exact_interpreter);
        if cost != known {
            wrong.push(format!("{operation:?} costs {cost} and not {known}"));
        }
    }
    for (pair, known) in PAIRS {
        let cost = cost(&pair, interpreter);
        if cost != known {
            wrong.push(format!(
                "{:?} with {:?} costs {cost} and not {known}",
                pair[0].0, pair[1].0
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Instructions of PTX that operations add to a program.
fn cost(operations: &[Operation], kernels: fn(&Batch) -> Kernels) -> u64 {
    (steps(operations, MANY, kernels) - steps(operations, 0, kernels)) / u64::from(MANY)
}

/// Instructions of PTX for a program that has operations so many times.
fn steps(operations: &[Operation], times: u32, kernels: fn(&Batch) -> Kernels) -> u64 {
    let term = |column, coefficient| Term {
        row: 1,
        column,
        ring: Ring::Integer,
        rotation: 0,
        coefficient,
    };
    let generator = AffineMap::from_terms(&[term(1, 1_664_525), term(CONSTANT, 1_013_904_223)]).unwrap();
    let mut code = vec![op(Op::Imm, [0, 3, 0, 0])];
    for &(operation, operands) in operations.repeat(times as usize).iter() {
        let mut operands = operands;
        if operation.roles()[0] == Role::Label {
            // To what follows.
            operands[0] = code.len() as u32 + 1;
        }
        code.push(op(operation, operands));
    }
    code.push(op(Op::Halt, [0; 4]));
    let job = job(program(code, stored(&generator, Format::Sparse)), &[1], 1, 1, 1);
    check(&job, &kernels(&job), 10_000)
}
