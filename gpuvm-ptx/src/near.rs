//! Words that lie beside each other by one address: what is added to an index is part of the instruction, which takes a constant number of bytes.

use naga::{BinaryOperator, Expression, Handle, TypeInner};

use crate::Result;
use crate::operand::{Operand, Ty};
use crate::place::{Address, Place, Space};
use crate::translator::Translator;

/// An index: a register and a constant.
struct Sum {
    register: Operand,
    constant: u32,
}

impl Sum {
    /// Whether there is nothing but the constant.
    fn is_constant(&self) -> bool {
        self.register == Operand::ConstWord(0)
    }
}

/// The most that a constant part of an index may be: an instruction has 24 bits for bytes.
const MOST_BEHIND: u32 = 1 << 16;
/// Expressions of an index that are looked at.
pub const MOST_PARTS: u32 = 40;

impl Translator<'_> {
    /// An element of what a pointer points to, by an index that is computed by an expression.
    pub fn place_at(&mut self, place: &Place, pointee: &TypeInner, index: Handle<Expression>) -> Result<Place> {
        if let (Place::Memory(address), &TypeInner::Array { stride, .. }) = (place, pointee)
            && self.is_near(address, stride)
        {
            let Sum { register, constant } = self.split(index, &mut { MOST_PARTS })?;
            if register.constant().is_none()
                && let Some(behind) = constant.checked_mul(stride)
            {
                let element = self.element_at(address, "s32", register, stride);
                return Ok(Place::Memory(element.plus(behind)?));
            }
        }
        let index = self.scalar(index)?;
        self.place_element(place, pointee, index)
    }

    /// Whether an array's indices are such that one with a sign reaches all, and are not checked.
    pub fn is_near(&self, address: &Address, stride: u32) -> bool {
        match address.space {
            Space::Global | Space::Constant => !self.options.checked && !self.options.far && stride >= 4,
            Space::Local | Space::Shared => true,
            Space::Param => false,
        }
    }

    /// An index as the sum of a register, taken as a number with a sign, and a small constant.
    ///
    /// What the shader computes is their sum modulo 2³², and that is below 2³¹ because the buffer ends there. So the register is below 2³¹, or
    /// within the constant of 2³², which with a sign is as far below 0: in both cases no sum of the two is another number than the index.
    fn split(&mut self, index: Handle<Expression>, parts: &mut u32) -> Result<Sum> {
        let sum = match self.frame.function.expressions[index] {
            Expression::Binary {
                op: BinaryOperator::Add,
                left,
                right,
            } => {
                let [left, right] = [self.part(left, parts)?, self.part(right, parts)?];
                let constant = left.constant.checked_add(right.constant);
                match (left.register.constant(), right.register.constant()) {
                    _ if constant == Some(0) => None,
                    (Some(0), _) => Some((right.register, constant)),
                    (_, Some(0)) => Some((left.register, constant)),
                    _ => {
                        let register = self.text.op("add", Ty::U32, &[left.register, right.register]);
                        Some((register, constant))
                    }
                }
            }
            Expression::Binary {
                op: BinaryOperator::Multiply,
                left,
                right,
            } => {
                let [left, right] = [self.part(left, parts)?, self.part(right, parts)?];
                let (sum, factor) = if right.is_constant() {
                    (left, right)
                } else {
                    (right, left)
                };
                match factor.is_constant() && !sum.is_constant() && sum.constant > 0 {
                    true => {
                        let factor = factor.constant;
                        let constant = sum.constant.checked_mul(factor);
                        let register = self
                            .text
                            .op("mul.lo", Ty::U32, &[sum.register, Operand::ConstWord(factor)]);
                        Some((register, constant))
                    }
                    false => None,
                }
            }
            _ => None,
        };
        match sum {
            Some((register, Some(constant))) if constant <= MOST_BEHIND => Ok(Sum { register, constant }),
            _ => self.undivided(index),
        }
    }

    /// An index as a register alone.
    fn undivided(&mut self, index: Handle<Expression>) -> Result<Sum> {
        Ok(Sum {
            register: self.scalar(index)?,
            constant: 0,
        })
    }

    /// As [`split`](Self::split), of a part of an index, which may be a constant alone.
    fn part(&mut self, part: Handle<Expression>, parts: &mut u32) -> Result<Sum> {
        match self.scalar(part)?.constant() {
            Some(constant) if constant <= MOST_BEHIND.into() => Ok(Sum {
                register: Operand::ConstWord(0),
                constant: constant as u32,
            }),
            _ => match parts.checked_sub(1) {
                Some(left) => {
                    *parts = left;
                    self.split(part, parts)
                }
                None => self.undivided(part),
            },
        }
    }
}
