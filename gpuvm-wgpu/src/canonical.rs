//! The canonical form of instructions: operations that one formula computes, with other constants, are one operation to the device's engines that
//! take instructions as data. The formula takes a device no more instructions than each of them, and where the invocations of a subgroup go different
//! ways, what they take turns for are fewer ways.

use gpuvm_core::isa::Op;

/// All bits.
const ONES: u32 = u32::MAX;

/// An instruction's operation and its last three operands as the shaders have them. The first of these names a word, `x`; the second another one, `y`,
/// or is a constant; the third, `c`, is a constant. `linear.wgsl`, `oracle.wgsl` and `branch.wgsl` say what they come to.
pub fn canonical(op: Op, [x, y, c]: [u32; 3]) -> (Op, [u32; 3]) {
    match op {
        // x * c + y
        Op::Mov => (Op::AddImm, [x, 0, 1]),
        // Its operand that is no word is its first.
        Op::Imm => (Op::AddImm, [0, x, 0]),
        Op::Neg => (Op::AddImm, [x, 0, ONES]),
        Op::AddImm => (Op::AddImm, [x, y, 1]),
        Op::MulImm => (Op::AddImm, [x, 0, y]),
        Op::ShlImm => (Op::AddImm, [x, 0, 1 << (y & 31)]),
        // (x & y) ^ c
        Op::AndImm => (Op::XorImm, [x, y, 0]),
        Op::OrImm => (Op::XorImm, [x, !y, y]),
        Op::XorImm => (Op::XorImm, [x, ONES, y]),
        // x + y * c
        Op::Add => (Op::Add, [x, y, 1]),
        Op::Sub => (Op::Add, [x, y, ONES]),
        // The bits that most of x, y and c have.
        Op::And => (Op::And, [x, y, 0]),
        Op::Or => (Op::And, [x, y, ONES]),
        // Whether x and y compare, and the other way round where c is 1.
        Op::Eq => (Op::Eq, [x, y, 0]),
        Op::Ne => (Op::Eq, [x, y, 1]),
        Op::LtU => (Op::LtU, [x, y, 0]),
        Op::LeU => (Op::LtU, [y, x, 1]),
        Op::LtS => (Op::LtS, [x, y, 0]),
        Op::LeS => (Op::LtS, [y, x, 1]),
        // To the label if it is as c says whether x has any of the bits of y.
        Op::Jump => (Op::JumpIf, [0, 0, 0]),
        Op::JumpIf => (Op::JumpIf, [x, ONES, 1]),
        Op::JumpUnless => (Op::JumpIf, [x, ONES, 0]),
        _ => (op, [x, y, c]),
    }
}
