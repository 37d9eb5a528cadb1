//! Registers and constants, the types that instructions take them as, and how both are spelled. Registers have a width and no type:
//! one of 32 bits serves for integers and floats alike, so that a bitcast is no instruction.

use std::fmt;

use naga::{Scalar, ScalarKind};

use crate::Result;
use crate::error::unsupported;

/// What an instruction takes or gives: a register by number, or a constant by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operand {
    /// A register of 32 bits.
    Word(u32),
    /// A register of 64 bits.
    Long(u32),
    /// A predicate.
    Truth(u32),
    /// 32 bits.
    ConstWord(u32),
    /// 64 bits.
    ConstLong(u64),
    /// A truth value.
    ConstTruth(bool),
}

impl Operand {
    /// A scalar's zero.
    pub fn zero(ty: Ty) -> Operand {
        match ty.width() {
            Width::Word => Operand::ConstWord(0),
            Width::Long => Operand::ConstLong(0),
            Width::Truth => Operand::ConstTruth(false),
        }
    }

    /// Which registers it is among, or could be loaded into.
    pub fn width(self) -> Width {
        match self {
            Operand::Word(_) | Operand::ConstWord(_) => Width::Word,
            Operand::Long(_) | Operand::ConstLong(_) => Width::Long,
            Operand::Truth(_) | Operand::ConstTruth(_) => Width::Truth,
        }
    }

    /// Its bits, if it is a constant.
    pub fn constant(self) -> Option<u64> {
        match self {
            Operand::ConstWord(bits) => Some(bits.into()),
            Operand::ConstLong(bits) => Some(bits),
            Operand::ConstTruth(truth) => Some(truth.into()),
            Operand::Word(_) | Operand::Long(_) | Operand::Truth(_) => None,
        }
    }

    /// How it is spelled in an instruction of a type.
    pub fn of(self, ty: Ty) -> Spelled {
        Spelled(self, ty)
    }
}

/// The kinds of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 32 bits.
    Word,
    /// 64 bits.
    Long,
    /// Predicates.
    Truth,
}

impl Width {
    /// Bits of a register of numbers.
    pub fn bits(self) -> u32 {
        match self {
            Width::Long => 64,
            Width::Word | Width::Truth => 32,
        }
    }
}

/// The types of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// 32 bits of any meaning.
    B32,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    S32,
    /// Float, 32 bits.
    F32,
    /// 64 bits of any meaning.
    B64,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 64 bits.
    S64,
    /// Float, 64 bits.
    F64,
    /// A predicate.
    Pred,
}

impl Ty {
    /// The type for values of a scalar type.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`](crate::Error::Unsupported) if there are no registers for it.
    pub fn of(scalar: Scalar) -> Result<Ty> {
        Ok(match (scalar.kind, scalar.width) {
            (ScalarKind::Uint, 4) => Ty::U32,
            (ScalarKind::Sint, 4) => Ty::S32,
            (ScalarKind::Float, 4) => Ty::F32,
            (ScalarKind::Uint, 8) => Ty::U64,
            (ScalarKind::Sint, 8) => Ty::S64,
            (ScalarKind::Float, 8) => Ty::F64,
            (ScalarKind::Bool, _) => Ty::Pred,
            (kind, width) => return Err(unsupported(format!("the type {kind:?} of {width} bytes"))),
        })
    }

    /// The registers that it takes.
    pub fn width(self) -> Width {
        match self {
            Ty::B32 | Ty::U32 | Ty::S32 | Ty::F32 => Width::Word,
            Ty::B64 | Ty::U64 | Ty::S64 | Ty::F64 => Width::Long,
            Ty::Pred => Width::Truth,
        }
    }

    /// The type of the same width that says nothing about the meaning.
    pub fn bits(self) -> Ty {
        match self.width() {
            Width::Word => Ty::B32,
            Width::Long => Ty::B64,
            Width::Truth => Ty::Pred,
        }
    }

    /// Whether it is a float's.
    pub fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }

    /// Whether it is a signed integer's.
    pub fn is_signed(self) -> bool {
        matches!(self, Ty::S32 | Ty::S64)
    }

    /// A constant of this type, from the nearest `f64`.
    pub fn float(self, value: f64) -> Operand {
        match self {
            Ty::F64 => Operand::ConstLong(value.to_bits()),
            _ => Operand::ConstWord((value as f32).to_bits()),
        }
    }

    /// A constant of this type.
    pub fn integer(self, value: u64) -> Operand {
        match self.width() {
            Width::Long => Operand::ConstLong(value),
            Width::Word => Operand::ConstWord(value as u32),
            Width::Truth => Operand::ConstTruth(value != 0),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ty::B32 => "b32",
            Ty::U32 => "u32",
            Ty::S32 => "s32",
            Ty::F32 => "f32",
            Ty::B64 => "b64",
            Ty::U64 => "u64",
            Ty::S64 => "s64",
            Ty::F64 => "f64",
            Ty::Pred => "pred",
        })
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Word(number) => write!(f, "%r{number}"),
            Operand::Long(number) => write!(f, "%d{number}"),
            Operand::Truth(number) => write!(f, "%p{number}"),
            Operand::ConstWord(bits) => write!(f, "{bits}"),
            Operand::ConstLong(bits) => write!(f, "{bits}"),
            Operand::ConstTruth(truth) => write!(f, "{}", u32::from(*truth)),
        }
    }
}

/// An operand as it is spelled in an instruction of a type.
pub struct Spelled(Operand, Ty);

impl fmt::Display for Spelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (Operand::ConstWord(bits), Ty::F32) => write!(f, "0f{bits:08X}"),
            (Operand::ConstLong(bits), Ty::F64) => write!(f, "0d{bits:016X}"),
            (Operand::ConstWord(bits), Ty::S32) => write!(f, "{}", bits as i32),
            (Operand::ConstLong(bits), Ty::S64) => write!(f, "{}", bits as i64),
            (Operand::ConstLong(bits), _) if bits > i64::MAX as u64 => write!(f, "0x{bits:016X}U"),
            (operand, _) => write!(f, "{operand}"),
        }
    }
}
