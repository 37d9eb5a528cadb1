//! The parts of the interpreter's shaders that programs use, and what a shader is told of them.

use std::fmt::Write;

use gpuvm_core::isa::Op;
use gpuvm_core::matrix::Format;
use gpuvm_core::program::Program;

/// Costly parts of the interpreter. A driver for a CPU runs through every part for every instruction, and on a GPU each costs
/// registers, so a shader has only those that its programs use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Part {
    /// Quotients and remainders of words.
    Division,
    /// Pairs of words, all but their quotients.
    Long,
    /// Quotients and remainders of pairs of words.
    LongDivision,
    /// Float remainder, fused multiply-add, square root.
    RareFloat,
    /// Rounding, and conversion between floats and integers.
    Conversion,
    /// The device's own functions, of relaxed programs.
    Math,
    /// Sparse matrices.
    Sparse,
    /// Dense matrices.
    Dense,
    /// Operations on atomic words.
    Atomic,
    /// Operations on atomic pairs.
    AtomicPair,
    /// Calls that the linker has not inlined.
    Calls,
    /// Breakpoints, which no program has of itself.
    Breaks,
}

/// The parts with the names of their constants.
const PARTS: [(Part, &str); 12] = [
    (Part::Division, "USES_DIVISION"),
    (Part::Long, "USES_LONG"),
    (Part::LongDivision, "USES_LONG_DIVISION"),
    (Part::RareFloat, "USES_RARE_FLOAT"),
    (Part::Conversion, "USES_CONVERSION"),
    (Part::Math, "USES_MATH"),
    (Part::Sparse, "USES_SPARSE"),
    (Part::Dense, "USES_DENSE"),
    (Part::Atomic, "USES_ATOMIC"),
    (Part::AtomicPair, "USES_ATOMIC_PAIR"),
    (Part::Calls, "USES_CALLS"),
    (Part::Breaks, "USES_BREAKS"),
];

impl Part {
    /// The part that an operation needs. A matrix needs that of its format.
    pub fn of(op: Op) -> Option<Part> {
        use Op::*;
        Some(match op {
            DivU | DivS | RemU | RemS => Part::Division,
            DivU64 | DivS64 | RemU64 | RemS64 => Part::LongDivision,
            Add64 | Sub64 | Mul64 | Shl64 | Shr64 | Sar64 | Eq64 | LtU64 | LtS64 | MulOverU64 | MulOverS64 => {
                Part::Long
            }
            FRem | FMulAdd | FSqrt => Part::RareFloat,
            FFloor | FCeil | FTrunc | FRound | FRoundEven | FToI | FToU | IToF | UToF | FToI64 | FToU64 | I64ToF
            | U64ToF => Part::Conversion,
            FMath => Part::Math,
            AtomicLoad | AtomicStore | AtomicAdd | AtomicSub | AtomicAnd | AtomicOr | AtomicXor | AtomicMinU
            | AtomicMaxU | AtomicMinS | AtomicMaxS | AtomicSwap | AtomicCas => Part::Atomic,
            op if op.is_on_atomic_pair() => Part::AtomicPair,
            Call => Part::Calls,
            _ => return None,
        })
    }
}

/// Whether an operation may get nothing done for a moment, or takes as many turns of a loop as others are in its way: an exchange that may fail.
pub fn may_lose(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        AtomicMinS | AtomicMaxS | AtomicCas | AtomicMinS64 | AtomicMaxS64 | AtomicCas64
    )
}

/// The parts of the interpreter that a program uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Uses {
    parts: u16,
    /// Whether it is for programs whose floats may be inexact.
    pub relaxed: bool,
}

impl Uses {
    /// What the program needs.
    pub fn of(program: &Program) -> Uses {
        let mut uses = Uses {
            relaxed: program.relaxed,
            ..Uses::default()
        };
        for instruction in &program.code {
            let op = Op::from_code(instruction.opcode);
            let matrix = program.matrices.get(instruction.operands[3] as usize);
            let part = match (op, matrix) {
                (Some(Op::Affine), Some(record)) if record.format == Format::Dense => Some(Part::Dense),
                (Some(Op::Affine), _) => Some(Part::Sparse),
                (Some(op), _) => Part::of(op),
                (None, _) => None,
            };
            uses.parts |= part.map_or(0, |part| 1 << part as u8);
        }
        uses
    }

    /// These parts and breakpoints.
    pub fn with_breaks(self) -> Uses {
        Uses {
            parts: self.parts | 1 << Part::Breaks as u8,
            ..self
        }
    }

    /// Those of the parts that are among the given ones.
    pub fn among(self, parts: &[Part]) -> Uses {
        Uses {
            parts: parts.iter().fold(0, |uses, &part| uses | self.parts & 1 << part as u8),
            ..self
        }
    }

    /// Whether it has the part.
    pub fn has(self, part: Part) -> bool {
        self.parts >> part as u8 & 1 == 1
    }

    /// Every part.
    #[cfg(test)]
    pub fn all() -> Uses {
        Uses {
            parts: u16::MAX,
            relaxed: false,
        }
    }

    /// Writes the constants that tell shaders which parts there are.
    pub fn declare(self, text: &mut String) {
        for (part, name) in PARTS {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "const {name}: bool = {};", self.has(part));
        }
    }
}
