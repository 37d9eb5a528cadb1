//! If-conversion: small branches and switches become arithmetic. What each arm would leave in registers is computed whether it is meant or
//! not, and selects decide. That spares a jump where `&&` and `||` are, which naga writes as branches, and where invocations of a warp
//! go different ways they need not take turns. ptxas does it for the smallest of branches, and for switches not at all.

use std::collections::HashMap;

use naga::{BinaryOperator, Block, Expression, Handle, MathFunction, Statement, SwitchCase, SwitchValue, TypeInner};

use crate::Result;
use crate::layout::components;
use crate::operand::{Operand, Ty};
use crate::place::{Place, Space};
use crate::translator::Translator;

/// What registers hold at the end of an arm, by register.
pub type Overlay = HashMap<Operand, Operand>;

/// What the arms of a branch may cost together, in instructions.
const MOST_OF_BRANCH: u32 = 8;
/// What the arms of a switch may cost together, what each may, and how many there may be: where invocations go the same way, all but one
/// are in vain.
const MOST_OF_SWITCH: u32 = 128;
const MOST_OF_ARM: u32 = 16;
const MOST_ARMS: usize = 16;

impl<'a> Translator<'a> {
    /// Writes a branch without a jump, if it is small and does nothing but compute; tells whether it has.
    pub fn flat_branch(&mut self, condition: Operand, accept: &'a Block, reject: &'a Block) -> Result<bool> {
        let cost = self.cost(accept).zip(self.cost(reject));
        if cost.is_none_or(|(accept, reject)| accept + reject > MOST_OF_BRANCH) {
            return Ok(false);
        }
        let merged = self.merged(condition, accept, reject)?;
        self.settle(merged);
        Ok(true)
    }

    /// Writes a switch without a jump, if it is small and does nothing but compute; tells whether it has.
    pub fn flat_switch(&mut self, selector: Operand, cases: &'a [SwitchCase]) -> Result<bool> {
        let mut total = 0;
        for case in cases {
            if case.fall_through && !case.body.is_empty() {
                return Ok(false);
            }
            let cost = self.cost(&case.body).filter(|&cost| cost <= MOST_OF_ARM);
            let Some(cost) = cost else {
                return Ok(false);
            };
            total += cost;
        }
        let places = cases.iter().filter_map(|case| match case.value {
            SwitchValue::I32(value) => Some(value as u32),
            SwitchValue::U32(value) => Some(value),
            SwitchValue::Default => None,
        });
        let (Some(first), Some(last)) = (places.clone().min(), places.max()) else {
            return Ok(false);
        };
        let span = u64::from(last - first) + 1;
        if total > MOST_OF_SWITCH || span > MOST_ARMS as u64 {
            return Ok(false);
        }
        let mut arms = vec![None; span as usize];
        let mut default = Overlay::new();
        // A case without a body of its own is the next one that has one.
        let mut waiting = Vec::new();
        for case in cases {
            waiting.push(case.value);
            if case.fall_through {
                continue;
            }
            let arm = self.arm(&case.body)?;
            for value in waiting.drain(..) {
                match value {
                    SwitchValue::Default => default.clone_from(&arm),
                    SwitchValue::I32(value) => arms[(value as u32 - first) as usize] = Some(arm.clone()),
                    SwitchValue::U32(value) => arms[(value - first) as usize] = Some(arm.clone()),
                }
            }
        }
        let merged = self.selected(selector, first, &arms, &default);
        self.settle(merged);
        Ok(true)
    }

    /// What an arm leaves, computed on top of what is there.
    fn arm(&mut self, block: &'a Block) -> Result<Overlay> {
        let outer = self.overlay.clone();
        self.overlay.get_or_insert_default();
        let speculated = self.speculate(block);
        let arm = std::mem::replace(&mut self.overlay, outer);
        speculated?;
        Ok(arm.unwrap_or_default())
    }

    fn speculate(&mut self, block: &'a Block) -> Result<()> {
        for statement in block {
            match statement {
                Statement::Emit(range) => {
                    for expression in range.clone() {
                        self.emit(expression)?;
                    }
                }
                Statement::Store { pointer, value } => {
                    let inner = self.layout.pointee(self.inner(*pointer))?;
                    let (place, value) = (self.place(*pointer)?, self.value(*value)?);
                    self.store(&place, &inner, &value)?;
                }
                Statement::Block(block) => self.speculate(block)?,
                Statement::If {
                    condition,
                    accept,
                    reject,
                } => {
                    let condition = self.scalar(*condition)?;
                    let merged = self.merged(condition, accept, reject)?;
                    self.settle(merged);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What registers hold after a branch.
    fn merged(&mut self, condition: Operand, accept: &'a Block, reject: &'a Block) -> Result<Overlay> {
        let (accepted, rejected) = (self.arm(accept)?, self.arm(reject)?);
        let mut merged = Overlay::new();
        for register in in_order(accepted.keys().chain(rejected.keys())) {
            let [met, unmet] = [&accepted, &rejected].map(|arm| arm.get(&register).copied());
            let (met, unmet) = (
                met.unwrap_or_else(|| self.current(register)),
                unmet.unwrap_or_else(|| self.current(register)),
            );
            merged.insert(register, self.text.select(condition, met, unmet));
        }
        Ok(merged)
    }

    /// What registers hold after a switch: its arms are selected by the bits of the selector.
    fn selected(&mut self, selector: Operand, first: u32, arms: &[Option<Overlay>], default: &Overlay) -> Overlay {
        let index = match first {
            0 => selector,
            _ => self.text.op("sub", Ty::U32, &[selector, Operand::ConstWord(first)]),
        };
        let last = Operand::ConstWord(arms.len() as u32 - 1);
        let inside = self.text.compare("le", Ty::U32, index, last);
        let levels = arms.len().next_power_of_two().trailing_zeros();
        let bits: Vec<Operand> = (0..levels)
            .map(|level| {
                let mask = Operand::ConstWord(1 << level);
                let bit = self.text.op("and", Ty::B32, &[index, mask]);
                self.text.compare("ne", Ty::U32, bit, Operand::ConstWord(0))
            })
            .collect();
        let mut merged = Overlay::new();
        let written = arms.iter().flatten().chain([default]).flat_map(|arm| arm.keys());
        for register in in_order(written) {
            let old = self.current(register);
            let otherwise = default.get(&register).copied().unwrap_or(old);
            let of = |arm: &Option<Overlay>| match arm {
                Some(arm) => arm.get(&register).copied().unwrap_or(old),
                None => otherwise,
            };
            let mut values: Vec<Operand> = arms.iter().map(of).collect();
            for &bit in &bits {
                values = values
                    .chunks(2)
                    .map(|pair| match *pair {
                        [unset, set] => self.text.select(bit, set, unset),
                        _ => pair[0],
                    })
                    .collect();
            }
            merged.insert(register, self.text.select(inside, values[0], otherwise));
        }
        merged
    }

    /// What a register holds, as far as it is known in the arm at hand.
    pub fn current(&self, register: Operand) -> Operand {
        let known = self.overlay.as_ref().and_then(|overlay| overlay.get(&register));
        known.copied().unwrap_or(register)
    }

    /// Puts values into registers, or into what the arm at hand will leave in them.
    fn settle(&mut self, values: Overlay) {
        for register in in_order(values.keys()) {
            self.put(register, values[&register]);
        }
    }

    /// Puts a value into a register, or into what the arm at hand will leave in it.
    pub fn put(&mut self, register: Operand, value: Operand) {
        match &mut self.overlay {
            Some(overlay) => {
                overlay.insert(register, value);
            }
            None if register == value => {}
            None => {
                self.text.copy_into(register, value);
                self.known.insert(register, (value, self.text.stretch()));
            }
        }
    }

    /// What it costs to compute an arm whether it is meant or not, in instructions; `None` if that cannot be.
    fn cost(&self, block: &Block) -> Option<u32> {
        let mut cost = 0;
        for statement in block {
            cost += match statement {
                Statement::Emit(range) => range
                    .clone()
                    .map(|expression| self.cost_of(expression))
                    .sum::<Option<u32>>()?,
                Statement::Store { pointer, .. } => match self.root_of(*pointer)? {
                    Place::Registers { .. } => 1,
                    Place::Memory(_) => return None,
                },
                Statement::Block(block) => self.cost(block)?,
                Statement::If { accept, reject, .. } => 1 + self.cost(accept)? + self.cost(reject)?,
                _ => return None,
            };
        }
        Some(cost)
    }

    fn cost_of(&self, expression: Handle<Expression>) -> Option<u32> {
        let count = match self.inner(expression) {
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => {
                // Registers and parameters have addresses for nothing.
                return self.root_of(expression).map(|_| 0);
            }
            TypeInner::Vector { size, .. } => *size as u32,
            TypeInner::Scalar(_) => 1,
            // A struct of a few words may be put together and taken apart.
            TypeInner::Struct { .. } => 0,
            _ => return None,
        };
        let each = match self.frame.function.expressions[expression] {
            Expression::Compose { .. }
            | Expression::Splat { .. }
            | Expression::Swizzle { .. }
            | Expression::AccessIndex { .. } => 0,
            Expression::Load { pointer } => match self.root_of(pointer)? {
                Place::Registers { .. } => 0,
                Place::Memory(_) => 1,
            },
            Expression::Unary { .. } | Expression::Select { .. } | Expression::Relational { .. } => 1,
            Expression::As { expr, convert, .. } => match (convert, self.inner(expr).scalar_width()) {
                (None, _) => 0,
                (Some(4), Some(4)) | (Some(1), _) | (Some(4), Some(1)) => 1,
                _ => 3,
            },
            Expression::Binary { op, left, right } => self.cost_of_operator(op, left, right)?,
            Expression::Math { fun, arg, .. } => cost_of_function(fun, self.inner(arg))?,
            _ => return None,
        };
        Some(each * count)
    }

    fn cost_of_operator(&self, op: BinaryOperator, left: Handle<Expression>, right: Handle<Expression>) -> Option<u32> {
        let (scalar, _) = components(self.inner(left)).ok()?;
        let ty = Ty::of(scalar).ok()?;
        let long = if scalar.width == 8 { 2 } else { 1 };
        Some(match op {
            BinaryOperator::Divide | BinaryOperator::Modulo => {
                let known = matches!(self.frame.function.expressions[right], Expression::Literal(_));
                match ty {
                    Ty::U32 | Ty::S32 if known => 5,
                    _ => return None,
                }
            }
            BinaryOperator::Multiply => long * long,
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => 2 * long - 1,
            _ => long,
        })
    }

    /// What a pointer leads to, if that is registers or a parameter.
    fn root_of(&self, mut pointer: Handle<Expression>) -> Option<Place> {
        let function = self.frame.function;
        let place = loop {
            match function.expressions[pointer] {
                Expression::AccessIndex { base, .. } => pointer = base,
                // A computed index costs comparisons.
                Expression::LocalVariable(handle) => break self.frame.locals.get(handle.index())?,
                Expression::GlobalVariable(handle) => break self.globals.get(&handle)?,
                _ => return None,
            }
        };
        match place {
            Place::Memory(address) if address.space != Space::Param => None,
            place => Some(place.clone()),
        }
    }
}

fn cost_of_function(fun: MathFunction, inner: &TypeInner) -> Option<u32> {
    if inner.scalar_width() != Some(4) {
        return None;
    }
    Some(match fun {
        MathFunction::Abs | MathFunction::Min | MathFunction::Max | MathFunction::Fma => 1,
        MathFunction::Clamp | MathFunction::Saturate | MathFunction::Ceil | MathFunction::Floor => 2,
        MathFunction::Round | MathFunction::Trunc | MathFunction::CountOneBits | MathFunction::ReverseBits => 2,
        MathFunction::CountLeadingZeros | MathFunction::CountTrailingZeros => 2,
        _ => return None,
    })
}

/// Registers, each once, in the order of their numbers: the text must not depend on that of a hash table.
fn in_order<'a>(registers: impl Iterator<Item = &'a Operand>) -> Vec<Operand> {
    let mut registers: Vec<Operand> = registers.copied().collect();
    registers.sort();
    registers.dedup();
    registers
}
