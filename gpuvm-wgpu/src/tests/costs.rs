//! What the interpreter costs: instructions of PTX for one of the VM's, copies apart, as counted by the reference executor. The device runs about
//! as many of its own, and where invocations go the same way it is these that bound the interpreter.

use gpuvm_core::isa::{NO_WORD, Op, Role, pair};
use gpuvm_core::matrix::{AffineMap, CONSTANT, Format, Ring, Term};

use super::executed::{check, interpreter};
use super::{job, op, program, stored};

/// How often an operation is run to see what one costs.
const MANY: u32 = 64;

/// Operations with their operands, and what they cost. Whoever makes one cheaper writes that down here, and whoever makes one dearer says why.
const COSTS: [(Op, [u32; 4], u64); 18] = [
    (Op::Mov, [1, 0, 0, 0], 30),
    (Op::AddImm, [1, 1, 5, 0], 31),
    (Op::Add, [1, 1, 0, 0], 31),
    (Op::FAdd, [1, 1, 0, 0], 31),
    (Op::Mul, [1, 1, 0, 0], 31),
    (Op::LtU, [1, 1, 0, 0], 32),
    (Op::Select, [1, 1, 0, 0], 35),
    (Op::FMul, [1, 1, 0, 0], 31),
    (Op::Add64, [pair(2, 1), pair(2, 1), pair(2, 1), 0], 55),
    (Op::Jump, [0, 0, 0, 0], 31),
    (Op::JumpIf, [0, 0, 0, 0], 37),
    (Op::JumpUnless, [0, 0, 0, 0], 37),
    (Op::TrapIf, [0, 9, NO_WORD, NO_WORD], 34),
    (Op::VmId, [1, 0, 0, 0], 69),
    (Op::Param, [1, 0, 0, 0], 78),
    // One of them asks where frames stand, which only programs with calls have elsewhere.
    (Op::LoadFrame, [1, 0, 0, 0], 63),
    (Op::StoreFrame, [1, 0, 0, 0], 65),
    // A step of a generator: one row of two terms.
    (Op::Affine, [0, 0, 0, 0], 123),
];

#[test]
fn what_the_interpreter_costs_is_known() {
    let mut wrong = Vec::new();
    for (operation, operands, known) in COSTS {
        let cost = (steps(operation, operands, MANY) - steps(operation, operands, 0)) / u64::from(MANY);
        if cost != known {
            wrong.push(format!("{operation:?} costs {cost} and not {known}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Instructions of PTX for a program that has an operation so many times.
fn steps(operation: Op, operands: [u32; 4], times: u32) -> u64 {
    let term = |column, coefficient| Term {
        row: 1,
        column,
        ring: Ring::Integer,
        rotation: 0,
        coefficient,
    };
    let generator = AffineMap::from_terms(&[term(1, 1_664_525), term(CONSTANT, 1_013_904_223)]).unwrap();
    let mut code = vec![op(Op::Imm, [0, 3, 0, 0])];
    for at in 1..=times {
        let mut operands = operands;
        if operation.roles()[0] == Role::Label {
            // To what follows.
            operands[0] = at + 1;
        }
        code.push(op(operation, operands));
    }
    code.push(op(Op::Halt, [0; 4]));
    let job = job(program(code, stored(&generator, Format::Sparse)), &[1], 1, 1, 1);
    check(&job, &interpreter(&job), 10_000)
}
