//! What the order of a program's instructions tells of its epochs: how many there are at most, and which classes its loops have.

use gpuvm_core::isa::{Class, Instruction, Op, Repeats};
use gpuvm_core::program::Program;

use super::super::interpreter::REMAINDER_STEPS;

/// The classes in the order of their turns in an epoch. Branches are last: most loops end with one, and what goes on at a loop's
/// start is then back at the first class at once.
pub const TURNS: [Class; 4] = [Class::Io, Class::Linear, Class::Oracle, Class::Branch];

/// How far a program's epochs can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// The most epochs until a VM ends, if every VM surely ends.
    pub most: Option<u32>,
    /// The classes that there are, in the order of their turns.
    pub all: Vec<Class>,
    /// Those that there are in loops; all of them if there are no loops.
    pub looping: Vec<Class>,
}

impl Outlook {
    /// Looks at a program, none of whose VMs runs more than `run` instructions or `inner` iterations inside of instructions in
    /// one turn.
    pub fn of(program: &Program, run: u32, inner: u32) -> Outlook {
        let ops: Vec<_> = program
            .code
            .iter()
            .filter_map(|instruction| Op::from_code(instruction.opcode))
            .collect();
        let mut present = [false; TURNS.len()];
        ops.iter().for_each(|op| present[rank(*op)] = true);
        let looping = looping(program, &ops);
        let all = listed(present);
        let bounded = program.code.len() <= run as usize && inner_iterations(program, &ops) < u64::from(inner);
        Outlook {
            most: if bounded { most_epochs(program, &ops) } else { None },
            looping: if looping.contains(&true) {
                listed(looping)
            } else {
                all.clone()
            },
            all,
        }
    }
}

fn listed(present: [bool; TURNS.len()]) -> Vec<Class> {
    TURNS.into_iter().filter(|&class| present[turn_of(class)]).collect()
}

fn turn_of(class: Class) -> usize {
    TURNS.iter().position(|&turn| turn == class).unwrap_or_default()
}

fn rank(op: Op) -> usize {
    turn_of(op.class())
}

/// Iterations of the loops inside of all the program's instructions, at most: a matrix has no more than one for each of its words
/// and rows.
fn inner_iterations(program: &Program, ops: &[Op]) -> u64 {
    let of_op = |(op, instruction): (&Op, &Instruction)| match op.repeats() {
        Repeats::Terms => {
            let matrix = program.matrices.get(instruction.operands[3] as usize);
            matrix.map_or(0, |record| 2 * u64::from(record.size))
        }
        Repeats::Steps => REMAINDER_STEPS.into(),
        Repeats::Once | Repeats::Retries => 0,
    };
    ops.iter().zip(&program.code).map(of_op).sum()
}

/// The most epochs on any way through code without loops, calls, and operations that may have to be tried again.
fn most_epochs(program: &Program, ops: &[Op]) -> Option<u32> {
    // The epochs after the one in which each instruction runs.
    let mut after = vec![0; ops.len()];
    for (at, (op, instruction)) in ops.iter().zip(&program.code).enumerate().rev() {
        let label = instruction.operands[0] as usize;
        let (jumps, falls) = match op {
            Op::Jump => (true, false),
            Op::JumpIf | Op::JumpUnless => (true, true),
            Op::Return | Op::Halt | Op::Trap => (false, false),
            Op::Call | Op::Switch | Op::Yield | Op::Block => return None,
            op if op.repeats() == Repeats::Retries => return None,
            _ => (false, true),
        };
        for next in [(jumps, label), (falls, at + 1)]
            .iter()
            .filter(|next| next.0)
            .map(|next| next.1)
        {
            if next <= at || next >= ops.len() {
                return None;
            }
            after[at] = after[at].max(after[next] + u32::from(rank(ops[next]) < rank(*op)));
        }
    }
    Some(1 + after.first()?)
}

/// Which turns there are between a jump back and where it goes to. Code that may run again lies between such two, or is called.
fn looping(program: &Program, ops: &[Op]) -> [bool; TURNS.len()] {
    let mut found = [false; TURNS.len()];
    for (at, (op, instruction)) in ops.iter().zip(&program.code).enumerate() {
        let label = instruction.operands[0] as usize;
        let again = match op {
            Op::Jump | Op::JumpIf | Op::JumpUnless if label <= at => &ops[label..=at],
            Op::Call | Op::Switch => ops,
            _ => &[],
        };
        again.iter().for_each(|op| found[rank(*op)] = true);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlook(code: &[(Op, u32)]) -> Outlook {
        let code = code.iter().map(|&(op, first)| Instruction::new(op, [first, 0, 0, 0]));
        let program = Program {
            code: code.collect(),
            ..crate::tests::program(Vec::new(), Default::default())
        };
        Outlook::of(&program, 100, 100)
    }

    #[test]
    fn epochs_of_straight_code_are_counted_by_turns() {
        let code = [
            (Op::VmId, 0),
            (Op::Mov, 0),
            (Op::Mul, 0),
            (Op::Store, 0),
            (Op::Mov, 0),
            (Op::Halt, 0),
        ];
        assert_eq!(outlook(&code).most, Some(3));
        assert_eq!(outlook(&code).looping, [Class::Io, Class::Linear, Class::Oracle]);
    }

    #[test]
    fn the_longest_way_counts() {
        let code = [(Op::JumpIf, 3), (Op::Mul, 0), (Op::Mov, 0), (Op::Halt, 0)];
        // Branch; oracle; linear; io. The jump alone would need the branch and the io.
        assert_eq!(outlook(&code).most, Some(4));
    }

    #[test]
    fn loops_have_no_end_and_classes_of_their_own() {
        let code = [
            (Op::VmId, 0),
            (Op::Mov, 0),
            (Op::JumpIf, 1),
            (Op::Mul, 0),
            (Op::Halt, 0),
        ];
        let found = outlook(&code);
        assert_eq!(found.most, None);
        assert_eq!(found.looping, [Class::Linear, Class::Branch]);
        assert_eq!(found.all, TURNS);
    }

    #[test]
    fn what_may_be_tried_again_has_no_bound() {
        assert_eq!(outlook(&[(Op::AtomicCas, 0), (Op::Halt, 0)]).most, None);
        assert_eq!(outlook(&[(Op::Call, 1), (Op::Return, 0)]).most, None);
    }

    #[test]
    fn what_may_not_fit_in_a_turn_has_no_bound() {
        let remainders = |count| [vec![(Op::FRem, 0); count], vec![(Op::Halt, 0)]].concat();
        assert_eq!(outlook(&remainders(3)).most, Some(2));
        assert_eq!(outlook(&remainders(4)).most, None);
        assert_eq!(
            outlook(&[vec![(Op::Mov, 0); 100], vec![(Op::Halt, 0)]].concat()).most,
            None
        );
    }
}
