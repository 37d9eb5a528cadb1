//! Instructions of the machine to and from the compiler's own form.

use super::{Inst, NONE, Word};
use crate::isa::{Instruction, NO_WORD, Op, Role, pair, unpair};
use crate::program::SourceLoc;

/// The compiler's form of an instruction that neither jumps nor calls. Matrix numbers are dropped: a linear instruction
/// says its matrix by itself.
pub(crate) fn decode(op: Op, operands: [u32; 4], place: SourceLoc) -> Inst {
    let mut inst = Inst::new(op, NONE, &[], 0, place);
    let (mut used, mut constants) = (0, 0);
    let mut read = |inst: &mut Inst, word: Word| {
        inst.uses[used] = if word == NO_WORD { NONE } else { word };
        used += 1;
    };
    for (role, operand) in op.roles().into_iter().zip(operands) {
        match role {
            Role::Def => inst.defs[0] = operand,
            Role::DefPair => {
                let (low, high) = unpair(operand);
                inst.defs = [low, high];
            }
            Role::Use => read(&mut inst, operand),
            Role::UsePair => {
                let (low, high) = unpair(operand);
                read(&mut inst, low);
                read(&mut inst, high);
            }
            Role::Imm | Role::Site | Role::Label | Role::Callee | Role::Base => {
                *(if constants == 0 { &mut inst.imm } else { &mut inst.extra }) = operand;
                constants += 1;
            }
            Role::None | Role::Matrix => {}
        }
    }
    inst
}

/// The machine's form of an instruction whose words are all general words of the machine.
pub(crate) fn encode(inst: &Inst, matrix: u32) -> Instruction {
    let mut used = inst
        .uses
        .into_iter()
        .map(|word| if word == NONE { NO_WORD } else { word });
    let mut constants = [inst.imm, inst.extra].into_iter();
    let mut read = || used.next().unwrap_or(NO_WORD);
    let operands = inst.op.roles().map(|role| match role {
        Role::Def => inst.defs[0],
        Role::DefPair => pair(inst.defs[0], inst.defs[1]),
        Role::Use => read(),
        Role::UsePair => {
            let low = read();
            pair(low, read())
        }
        Role::Imm | Role::Site | Role::Label | Role::Callee | Role::Base => constants.next().unwrap_or(0),
        Role::Matrix => matrix,
        Role::None => 0,
    });
    Instruction::new(inst.op, operands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::PLACE;

    #[test]
    fn every_operation_survives_the_way_there_and_back() {
        for &op in Op::ALL
            .iter()
            .filter(|&&op| !matches!(op, Op::Call | Op::Log | Op::Ask))
        {
            let operands = op.roles().map(|role| match role {
                Role::None => 0,
                Role::Matrix => 9,
                Role::DefPair | Role::UsePair => pair(3, 27),
                _ => 5,
            });
            let inst = decode(op, operands, PLACE);
            assert_eq!(encode(&inst, 9), Instruction::new(op, operands), "{}", op.mnemonic());
        }
    }
}
