//! The parts of the interpreter's shaders that programs use, and what a shader is told of them.

use std::fmt::Write;

use gpuvm_core::isa::{Op, Unit};
use gpuvm_core::matrix::Format;
use gpuvm_core::program::Program;

/// The parts of the interpreter that a shader may do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What some operations need.
    Unit(Unit),
    /// Sparse matrices.
    Sparse,
    /// Dense matrices.
    Dense,
    /// Breakpoints, which no program has of itself.
    Breaks,
    /// Guards of some of them.
    Guards,
}

/// The parts with the names of their constants.
const PARTS: [(Part, &str); 14] = [
    (Part::Unit(Unit::Division), "USES_DIVISION"),
    (Part::Unit(Unit::Long), "USES_LONG"),
    (Part::Unit(Unit::LongDivision), "USES_LONG_DIVISION"),
    (Part::Unit(Unit::RareFloat), "USES_RARE_FLOAT"),
    (Part::Unit(Unit::Conversion), "USES_CONVERSION"),
    (Part::Unit(Unit::Math), "USES_MATH"),
    (Part::Sparse, "USES_SPARSE"),
    (Part::Dense, "USES_DENSE"),
    (Part::Unit(Unit::Atomic), "USES_ATOMIC"),
    (Part::Unit(Unit::AtomicPair), "USES_ATOMIC_PAIR"),
    (Part::Unit(Unit::Calls), "USES_CALLS"),
    (Part::Unit(Unit::Switch), "USES_SWITCH"),
    (Part::Breaks, "USES_BREAKS"),
    (Part::Guards, "USES_GUARDS"),
];

impl Part {
    /// The bit that stands for it among others; none for what every program uses.
    fn bit(self) -> u16 {
        PARTS
            .iter()
            .position(|(part, _)| *part == self)
            .map_or(0, |place| 1 << place)
    }
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
                (Some(Op::Affine), Some(record)) if record.format == Format::Dense => Part::Dense,
                (Some(Op::Affine), _) => Part::Sparse,
                (Some(op), _) => Part::Unit(op.unit()),
                (None, _) => continue,
            };
            uses.parts |= part.bit();
        }
        uses
    }

    /// These parts and breakpoints.
    pub fn with_breaks(self) -> Uses {
        Uses {
            parts: self.parts | Part::Breaks.bit(),
            ..self
        }
    }

    /// These parts and guards.
    pub fn with_guards(self) -> Uses {
        Uses {
            parts: self.parts | Part::Guards.bit(),
            ..self
        }
    }

    /// How many parts it has.
    pub fn count(self) -> u32 {
        self.parts.count_ones()
    }

    /// Whether an interpreter with these parts runs programs that use the others, from the same buffers.
    pub fn serves(self, others: Uses) -> bool {
        self.is_alike(others) && others.parts & !self.parts == 0
    }

    /// Whether interpreters with these parts and with the others compute floats alike, from the same buffers.
    fn is_alike(self, others: Uses) -> bool {
        let pairs = Part::Unit(Unit::AtomicPair).bit();
        self.relaxed == others.relaxed && (self.parts ^ others.parts) & pairs == 0
    }

    /// The fewest parts of those that are there which serve a program with these.
    pub fn served_by(self, compiled: impl Iterator<Item = Uses>) -> Option<Uses> {
        compiled
            .filter(|there| there.serves(self))
            .min_by_key(|there| there.count())
    }

    /// What to compile for these parts on a device whose compiler takes longer than most programs run: one of those that are there, if one serves, and otherwise
    /// these with the parts of all that read the same buffers, so that every part is new only once.
    pub fn among_few(self, compiled: impl Iterator<Item = Uses> + Clone) -> Uses {
        self.served_by(compiled.clone()).unwrap_or_else(|| {
            let alike = compiled.filter(|there| there.is_alike(self));
            Uses {
                parts: alike.fold(self.parts, |parts, there| parts | there.parts),
                ..self
            }
        })
    }

    /// Those of the parts that are among the given ones.
    pub fn among(self, parts: &[Part]) -> Uses {
        Uses {
            parts: parts.iter().fold(0, |uses, part| uses | self.parts & part.bit()),
            ..self
        }
    }

    /// Whether it has the part.
    pub fn has(self, part: Part) -> bool {
        self.parts & part.bit() != 0
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_parts_serve_fewer_but_for_other_buffers_and_floats() {
        let of = |parts: &[Part]| Uses {
            parts: parts.iter().fold(0, |all, part| all | part.bit()),
            relaxed: false,
        };
        let (long, division) = (Part::Unit(Unit::Long), Part::Unit(Unit::Division));
        let (few, more) = (of(&[long]), of(&[long, division]));
        assert!(more.serves(few) && more.serves(more) && !few.serves(more));
        assert!(!of(&[division]).serves(few));
        assert!(!of(&[long, Part::Unit(Unit::AtomicPair)]).serves(few));
        assert!(!more.serves(Uses { relaxed: true, ..few }));
        assert!(few.count() < more.count());
    }

    #[test]
    fn where_few_are_compiled_each_has_what_those_before_it_had() {
        let of = |parts: &[Part]| Uses {
            parts: parts.iter().fold(0, |all, part| all | part.bit()),
            relaxed: false,
        };
        let (long, calls, pairs) = (
            Part::Unit(Unit::Long),
            Part::Unit(Unit::Calls),
            Part::Unit(Unit::AtomicPair),
        );
        let none: [Uses; 0] = [];
        assert_eq!(of(&[long]).among_few(none.into_iter()), of(&[long]));
        let relaxed = Uses {
            relaxed: true,
            ..of(&[Part::Dense])
        };
        let compiled = [of(&[long]), of(&[pairs]), relaxed];
        let both = of(&[calls]).among_few(compiled.into_iter());
        assert_eq!(both, of(&[long, calls]));
        let compiled = compiled.into_iter().chain([both]);
        // The smallest that serves.
        assert_eq!(of(&[long]).among_few(compiled.clone()), of(&[long]));
        assert_eq!(of(&[]).among_few(compiled.clone()), of(&[long]));
        assert_eq!(of(&[calls]).among_few(compiled.clone()), both);
        assert_eq!(of(&[calls, pairs]).among_few(compiled), of(&[calls, pairs]));
    }
}
