//! What linking found out about a program.

use crate::isa::{Class, Instruction, Op};
use crate::matrix::Statistics;

/// What linking found out about a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Instructions by class: linear, oracle, branch, io.
    pub by_class: [u32; 4],
    /// Routines that went into the program.
    pub routines: u32,
    /// Instructions before any optimisation.
    pub encoded_instructions: u32,
    /// Numbers about the matrices.
    pub matrices: Statistics,
}

impl Report {
    /// The report on code with matrices of these numbers, `routines` that went into it, and `encoded_instructions` before any
    /// optimisation.
    pub(crate) fn of(code: &[Instruction], matrices: Statistics, routines: u32, encoded_instructions: u32) -> Report {
        let mut by_class = [0; 4];
        let mut fused = 0;
        for op in code.iter().filter_map(|instruction| Op::from_code(instruction.opcode)) {
            by_class[op.class() as usize] += 1;
            fused += u32::from(op == Op::Affine);
        }
        let linear = by_class[Class::Linear as usize] as f32;
        Report {
            by_class,
            routines,
            encoded_instructions,
            matrices: Statistics {
                linear_share: linear / code.len().max(1) as f32,
                fused,
                ..matrices
            },
        }
    }
}
