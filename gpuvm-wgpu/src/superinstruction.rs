//! Superinstructions (Ertl and Gregg, "The structure and performance of efficient interpreters", 2003): two instructions that the interpreter fetches,
//! decodes and goes to as one. Each stands in the first one's place; the second stays where it is, for who jumps to it. VMs can stop in front of the
//! first and behind the second, but not in between, so this is not for whoever has to stop after an exact number of instructions.

use gpuvm_core::isa::{Class, Instruction, Op};
use gpuvm_core::program::Program;

use gpuvm_shaders::layout::packed;

use super::canonical::canonical;

/// A program's packed code with superinstructions.
pub fn with_superinstructions(code: &[u32], program: &Program) -> Vec<u32> {
    let mut code = code.to_vec();
    let words = code.chunks_exact_mut(4);
    for (pair, words) in program.code.windows(2).zip(words) {
        if let Some(joined) = joined(&pair[0], &pair[1]) {
            words.copy_from_slice(&joined);
        }
    }
    code
}

/// Two instructions as one, if there is one for them.
fn joined(first: &Instruction, second: &Instruction) -> Option<[u32; 4]> {
    let ops = [Op::from_code(first.opcode)?, Op::from_code(second.opcode)?];
    let [target, others @ ..] = first.operands;
    let uses = second.operands[1] == target;
    let forms = [
        canonical(ops[0], others),
        canonical(ops[1], [second.operands[1], second.operands[2], second.operands[3]]),
    ];
    let [(done_by, [x, y, c]), (then, [_, addend, factor])] = forms;
    let (code, [x, y, last]) = match (done_by, then) {
        (Op::AddImm, Op::AddImm) if uses && second.operands[0] == target => {
            let addend = y.wrapping_mul(factor).wrapping_add(addend);
            (packed::ADD_TWICE, [x, addend, c.wrapping_mul(factor)])
        }
        (Op::Eq | Op::LtU | Op::LtS, Op::JumpIf) if uses && ops[1] != Op::Jump => {
            let code = match done_by {
                Op::Eq => packed::EQ_JUMP,
                Op::LtU => packed::LT_U_JUMP,
                _ => packed::LT_S_JUMP,
            };
            let opposite = if c == 0 { 0 } else { packed::OPPOSITE };
            let jumps_if = if (ops[1] == Op::JumpIf) == (c == 0) {
                packed::JUMPS_IF
            } else {
                0
            };
            (code, [x, y, second.operands[0] | opposite | jumps_if])
        }
        _ => return None,
    };
    let classes = ops.map(|op| op.class() as u32);
    let first = code | target << packed::FIRST_SHIFT | (classes[0] + classes[1]) << packed::CLASS_SHIFT;
    Some([first, x, y, last])
}

// The interpreter adds classes up, two at a time too.
const _: () = assert!((Class::Oracle as u32 + Class::Branch as u32) < 1 << (32 - packed::CLASS_SHIFT));

#[cfg(test)]
mod tests {
    use super::*;

    fn of(first: (Op, [u32; 4]), second: (Op, [u32; 4])) -> Option<[u32; 4]> {
        let [first, second] = [first, second].map(|(op, operands)| Instruction::new(op, operands));
        joined(&first, &second)
    }

    fn opcode(words: [u32; 4]) -> u32 {
        words[0] & ((1 << packed::FIRST_SHIFT) - 1)
    }

    #[test]
    fn affine_steps_of_one_word_are_one_step() {
        let both = of((Op::MulImm, [4, 3, 5, 0]), (Op::AddImm, [4, 4, 7, 0])).unwrap();
        assert_eq!((opcode(both), &both[1..]), (packed::ADD_TWICE, &[3, 7, 5][..]));
        let both = of((Op::AddImm, [4, 3, 5, 0]), (Op::ShlImm, [4, 4, 2, 0])).unwrap();
        assert_eq!(&both[1..], [3, 20, 4]);
        let both = of((Op::Imm, [4, 9, 0, 0]), (Op::Neg, [4, 4, 0, 0])).unwrap();
        assert_eq!(&both[1..], [0, 9_u32.wrapping_neg(), 0]);
        // The first one's word has to be there as well.
        assert_eq!(of((Op::MulImm, [4, 3, 5, 0]), (Op::AddImm, [5, 4, 7, 0])), None);
        assert_eq!(of((Op::MulImm, [4, 3, 5, 0]), (Op::AddImm, [4, 3, 7, 0])), None);
    }

    #[test]
    fn comparisons_are_one_with_the_jump_behind_them() {
        let jump = |op, label| (op, [label, 6, 0, 0]);
        let both = of((Op::LtU, [6, 1, 2, 0]), jump(Op::JumpIf, 40)).unwrap();
        assert_eq!(
            (opcode(both), &both[1..]),
            (packed::LT_U_JUMP, &[1, 2, 40 | packed::JUMPS_IF][..])
        );
        // Not less or equal is greater.
        let both = of((Op::LeU, [6, 1, 2, 0]), jump(Op::JumpUnless, 40)).unwrap();
        assert_eq!(&both[1..], [2, 1, 40 | packed::OPPOSITE | packed::JUMPS_IF]);
        let both = of((Op::Ne, [6, 1, 2, 0]), jump(Op::JumpIf, 40)).unwrap();
        assert_eq!(
            (opcode(both), &both[1..]),
            (packed::EQ_JUMP, &[1, 2, 40 | packed::OPPOSITE][..])
        );
        // The class of both.
        assert_eq!(
            both[0] >> packed::CLASS_SHIFT,
            Class::Oracle as u32 + Class::Branch as u32
        );
        assert_eq!(of((Op::LtS, [5, 1, 2, 0]), jump(Op::JumpIf, 40)), None);
        assert_eq!(of((Op::LtS, [6, 1, 2, 0]), (Op::Jump, [40, 0, 0, 0])), None);
    }
}
