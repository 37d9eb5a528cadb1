//! What each linear instruction is as a matrix. A `const fn`, because the encoder runs it while the user's crate is built; the
//! linker calls the same function, so that both agree.

use super::{CONSTANT, Ring, Term};
use crate::isa::{Instruction, Op};

/// The one row that a linear instruction changes, as at most 33 terms in order of evaluation.
#[derive(Clone, Copy, Debug)]
pub struct InstructionTerms {
    /// The terms; only the first [`InstructionTerms::count`] count.
    pub terms: [Term; 33],
    /// How many there are: 0 for [`Op::Affine`], whose rows only its matrix knows, and for what is not linear.
    pub count: usize,
}

/// The terms of a linear instruction's row. Word numbers may be as large as `0xfffd`. A row that is zero everywhere is one
/// constant term of 0; a term may repeat a column (`add d, a, a`).
pub const fn instruction_terms(instruction: Instruction) -> InstructionTerms {
    let [d, a, b, _] = instruction.operands;
    let builder = Builder {
        row: d as u16,
        result: InstructionTerms { terms: [PADDING; 33], count: 0 },
    };
    let op = match Op::from_code(instruction.opcode) {
        Some(op) => op,
        None => return builder.result,
    };
    let shift = b % 32;
    let built = match op {
        Op::Mov => builder.integer(a, 1),
        Op::Imm => builder.constant(Ring::Integer, a),
        Op::Add => builder.integer(a, 1).integer(b, 1),
        Op::Sub => builder.integer(a, 1).integer(b, u32::MAX),
        Op::Neg => builder.integer(a, u32::MAX),
        Op::AddImm => builder.integer(a, 1).constant_unless_0(Ring::Integer, b),
        Op::MulImm => builder.integer(a, b),
        Op::Xor => builder.bits(a, 0, u32::MAX).bits(b, 0, u32::MAX),
        Op::XorImm => builder
            .bits(a, 0, u32::MAX)
            .constant_unless_0(Ring::Bits, b),
        Op::AndImm => builder.bits(a, 0, b),
        Op::OrImm => builder.bits(a, 0, !b).constant_unless_0(Ring::Bits, b),
        Op::ShlImm => builder.integer(a, 1 << shift),
        Op::ShrImm => builder.bits(a, (32 - shift) % 32, u32::MAX >> shift),
        Op::SarImm => builder.shift_right_signed(a, shift),
        Op::RotlImm => builder.bits(a, shift, u32::MAX),
        Op::ByteSwap => builder.bits(a, 8, 0x00ff_00ff).bits(a, 24, 0xff00_ff00),
        Op::BitReverse => builder.reverse_bits(a),
        Op::FAdd => builder.float(a, ONE).float(b, ONE),
        Op::FSub => builder.float(a, ONE).float(b, MINUS_ONE),
        Op::FAddImm => builder.float(a, ONE).constant(Ring::Float, b),
        Op::FMulImm => builder.float(a, b),
        _ => return builder.result,
    };
    if built.result.count == 0 {
        // The row maps everything to 0, which must not look like an absent row: that would be the identity.
        return built.constant(Ring::Integer, 0).result;
    }
    built.result
}

const ONE: u32 = 1.0_f32.to_bits();
const MINUS_ONE: u32 = (-1.0_f32).to_bits();

const PADDING: Term = Term {
    row: 0,
    column: CONSTANT,
    ring: Ring::Integer,
    rotation: 0,
    coefficient: 0,
};

/// A row under construction, by value because `const fn`s compose so.
struct Builder {
    row: u16,
    result: InstructionTerms,
}

impl Builder {
    const fn term(mut self, column: u16, ring: Ring, rotation: u32, coefficient: u32) -> Builder {
        self.result.terms[self.result.count] = Term {
            row: self.row,
            column,
            ring,
            rotation: rotation as u8,
            coefficient,
        };
        self.result.count += 1;
        self
    }

    const fn integer(self, word: u32, coefficient: u32) -> Builder {
        if coefficient == 0 {
            return self;
        }
        self.term(word as u16, Ring::Integer, 0, coefficient)
    }

    const fn bits(self, word: u32, rotation: u32, mask: u32) -> Builder {
        if mask == 0 {
            return self;
        }
        self.term(word as u16, Ring::Bits, rotation, mask)
    }

    /// A float's product counts even if the coefficient is 0: 0 × ∞ is NaN, and 0 × −1 is −0.
    const fn float(self, word: u32, coefficient: u32) -> Builder {
        self.term(word as u16, Ring::Float, 0, coefficient)
    }

    const fn constant(self, ring: Ring, value: u32) -> Builder {
        self.term(CONSTANT, ring, 0, value)
    }

    const fn constant_unless_0(self, ring: Ring, value: u32) -> Builder {
        if value == 0 {
            return self;
        }
        self.constant(ring, value)
    }

    /// The bits that stay, and for each bit that enters the sign bit brought to its place.
    const fn shift_right_signed(self, word: u32, shift: u32) -> Builder {
        let mut built = self.bits(word, (32 - shift) % 32, u32::MAX >> shift);
        let mut bit = 32 - shift;
        while bit < 32 {
            built = built.bits(word, (bit + 1) % 32, 1 << bit);
            bit += 1;
        }
        built
    }

    /// Bit `i` goes to `31 - i`, a rotation by `31 - 2i`, which bits `i` and `i + 16` share.
    const fn reverse_bits(self, word: u32) -> Builder {
        let mut built = self;
        let mut bit = 0;
        while bit < 16 {
            built = built.bits(word, 31 - 2 * bit, 1 << (31 - bit) | 1 << (15 - bit));
            bit += 1;
        }
        built
    }
}
