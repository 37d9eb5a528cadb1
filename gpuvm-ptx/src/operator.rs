//! Operators, on each component of vectors.

use naga::{BinaryOperator, Expression, Handle, Literal, Scalar, TypeInner, UnaryOperator};

use crate::Result;
use crate::error::invalid;
use crate::layout::{components, refused};
use crate::operand::{Operand, Ty, Width};
use crate::translator::{Translator, Value};

impl Translator<'_> {
    /// An operator of one operand.
    pub fn unary(&mut self, op: UnaryOperator, of: Handle<Expression>) -> Result<Value> {
        let (scalar, _) = components(self.inner(of))?;
        let ty = Ty::of(scalar)?;
        let value = self.value(of)?;
        let each = value.into_iter().map(|x| match op {
            UnaryOperator::Negate if ty.is_float() => self.text.op("neg", ty, &[x]),
            UnaryOperator::Negate => self.text.op("sub", ty, &[Operand::zero(ty), x]),
            UnaryOperator::LogicalNot => self.text.not(x),
            UnaryOperator::BitwiseNot => self.text.op("not", ty.bits(), &[x]),
        });
        Ok(each.collect())
    }

    /// An operator of two operands. Where one is a scalar and the other a vector, the scalar goes with each component.
    pub fn binary(&mut self, op: BinaryOperator, left: Handle<Expression>, right: Handle<Expression>) -> Result<Value> {
        for side in [left, right] {
            if matches!(self.inner(side), TypeInner::Matrix { .. }) {
                return Err(refused(self.inner(side)));
            }
        }
        let (scalar, left_count) = components(self.inner(left))?;
        let (_, right_count) = components(self.inner(right))?;
        let ty = Ty::of(scalar)?;
        if let (BinaryOperator::InclusiveOr, Some((word, by))) = (op, self.rotation(left, right)) {
            let (word, by) = (self.scalar(word)?, self.scalar(by)?);
            let target = self.text.register(Width::Word);
            self.text
                .line(format_args!("shf.l.wrap.b32 {target}, {word}, {word}, {by}"));
            return Ok(vec![target]);
        }
        let (x, y) = (self.value(left)?, self.value(right)?);
        let masked = match op {
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => self.unmasked(right, ty)?,
            _ => None,
        };
        let y = masked.unwrap_or(y);
        let pairs = x.iter().cycle().zip(y.iter().cycle()).take(left_count.max(right_count));
        pairs.map(|(&x, &y)| self.operator(op, ty, x, y)).collect()
    }

    /// What is rotated to the left, and by how much, where the sides are `x << n` and `(x >> 1) >> (31 - n)`: WGSL has no rotation, and
    /// this is how one is written that is right for all distances.
    fn rotation(
        &self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Option<(Handle<Expression>, Handle<Expression>)> {
        let binary = |of: Handle<Expression>, wanted: BinaryOperator| match self.frame.function.expressions[of] {
            Expression::Binary { op, left, right } if op == wanted => Some((left, right)),
            _ => None,
        };
        let is = |of: Handle<Expression>, wanted: u32| match self.frame.function.expressions[of] {
            Expression::Literal(Literal::U32(literal)) => literal == wanted,
            _ => false,
        };
        let (word, by) = binary(left, BinaryOperator::ShiftLeft)?;
        let (half, rest) = binary(right, BinaryOperator::ShiftRight)?;
        let (halved, one) = binary(half, BinaryOperator::ShiftRight)?;
        let (most, less) = binary(rest, BinaryOperator::Subtract)?;
        let is_word = *self.inner(word) == TypeInner::Scalar(Scalar::U32);
        let fits = is_word && halved == word && less == by && is(one, 1) && is(most, 31);
        // Without the mask the second shift would be another one for distances of 32 and more.
        let (distance, mask) = binary(by, BinaryOperator::And)?;
        (fits && is(mask, 31)).then_some((word, distance))
    }

    /// Shifts wrap by themselves: what a distance is masked with may be left out.
    fn unmasked(&mut self, distance: Handle<Expression>, ty: Ty) -> Result<Option<Value>> {
        let Expression::Binary {
            op: BinaryOperator::And,
            left,
            right,
        } = self.frame.function.expressions[distance]
        else {
            return Ok(None);
        };
        if ty.width() == Width::Word && self.literal(right) == Some(31) {
            return Ok(Some(self.value(left)?));
        }
        Ok(None)
    }

    fn operator(&mut self, op: BinaryOperator, ty: Ty, x: Operand, y: Operand) -> Result<Operand> {
        if let Some(known) = folded(op, ty, x, y) {
            return Ok(known);
        }
        Ok(match op {
            BinaryOperator::Add | BinaryOperator::Subtract => self.sum(op, ty, x, y),
            BinaryOperator::Multiply => self.product(ty, x, y),
            BinaryOperator::Divide if ty.is_float() => self.quotient(ty, x, y),
            BinaryOperator::Modulo if ty.is_float() => {
                let quotient = self.quotient(ty, x, y);
                let whole = self.text.convert("cvt.rzi", ty, ty, quotient);
                let less = self.text.op("neg", ty, &[whole]);
                self.text.op("fma.rn", ty, &[less, y, x])
            }
            BinaryOperator::Divide => match self.quotient_by(ty, x, y) {
                Some(quotient) => quotient,
                None => self.divided("div", ty, x, y),
            },
            BinaryOperator::Modulo => match self.remainder_by(ty, x, y) {
                Some(remainder) => remainder,
                None => self.divided("rem", ty, x, y),
            },
            BinaryOperator::And | BinaryOperator::LogicalAnd if ty == Ty::Pred => self.text.both(x, y),
            BinaryOperator::InclusiveOr | BinaryOperator::LogicalOr if ty == Ty::Pred => self.text.either(x, y),
            BinaryOperator::ExclusiveOr | BinaryOperator::NotEqual if ty == Ty::Pred => self.differs(x, y),
            BinaryOperator::Equal if ty == Ty::Pred => {
                let differs = self.differs(x, y);
                self.text.not(differs)
            }
            BinaryOperator::And => {
                let target = self.text.op("and", ty.bits(), &[x, y]);
                let masks = [x, y].into_iter().filter_map(|side| side.constant());
                if let Some(Ok(most)) = masks.min().map(u32::try_from) {
                    self.bounds.insert(target, most);
                }
                target
            }
            BinaryOperator::InclusiveOr => self.text.op("or", ty.bits(), &[x, y]),
            BinaryOperator::ExclusiveOr => self.text.op("xor", ty.bits(), &[x, y]),
            BinaryOperator::Equal => self.text.compare("eq", ty, x, y),
            // NaN differs from all.
            BinaryOperator::NotEqual if ty.is_float() => self.text.compare("neu", ty, x, y),
            BinaryOperator::NotEqual => self.text.compare("ne", ty, x, y),
            BinaryOperator::Less => self.text.compare("lt", ty, x, y),
            BinaryOperator::LessEqual => self.text.compare("le", ty, x, y),
            BinaryOperator::Greater => self.text.compare("gt", ty, x, y),
            BinaryOperator::GreaterEqual => self.text.compare("ge", ty, x, y),
            BinaryOperator::ShiftLeft => self.shifted(true, ty, x, y),
            BinaryOperator::ShiftRight => self.shifted(false, ty, x, y),
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => return Err(invalid("logic of numbers")),
        })
    }

    /// A sum or difference.
    pub fn sum(&mut self, op: BinaryOperator, ty: Ty, x: Operand, y: Operand) -> Operand {
        let name = match op {
            BinaryOperator::Subtract => "sub",
            _ => "add",
        };
        let name = if ty.is_float() { self.rounded(name) } else { name };
        self.text.op(name, ty, &[x, y])
    }

    /// A product.
    pub fn product(&mut self, ty: Ty, x: Operand, y: Operand) -> Operand {
        if ty.is_float() {
            let name = self.rounded("mul");
            return self.text.op(name, ty, &[x, y]);
        }
        // The whole product of two words is one instruction.
        if let (Some(x), Some(y)) = (self.narrow(x), self.narrow(y))
            && ty.width() == Width::Long
        {
            let target = self.text.register(Width::Long);
            self.text.line(format_args!("mul.wide.u32 {target}, {x}, {y}"));
            return target;
        }
        self.text.op("mul.lo", ty, &[x, y])
    }

    /// The word that 64 bits were made of by putting zeros in front.
    fn narrow(&self, long: Operand) -> Option<Operand> {
        match long {
            Operand::ConstLong(bits) => u32::try_from(bits).ok().map(Operand::ConstWord),
            _ => self.widened.get(&long).copied(),
        }
    }

    /// A quotient of floats.
    pub fn quotient(&mut self, ty: Ty, x: Operand, y: Operand) -> Operand {
        let name = match ty {
            Ty::F32 if !self.is_exact() => "div.approx",
            _ => "div.rn",
        };
        self.text.op(name, ty, &[x, y])
    }

    /// A quotient or remainder of integers. WGSL has `x / 0` and `i32::MIN / -1` be `x`, and their remainders 0: as if the divisor were 1.
    fn divided(&mut self, name: &str, ty: Ty, x: Operand, y: Operand) -> Operand {
        let (zero, one) = (Operand::zero(ty), ty.integer(1));
        let bits = ty.width().bits();
        let minus_one = ty.integer(u64::MAX);
        let least = ty.integer(1 << (bits - 1));
        let mut divisor = y;
        if self.options.checked && (y == zero || y.constant().is_none()) {
            let is_zero = match y.constant() {
                Some(known) => Operand::ConstTruth(known == 0),
                None => self.text.compare("eq", ty, y, zero),
            };
            divisor = self.text.select(is_zero, one, divisor);
        }
        if self.options.checked
            && ty.is_signed()
            && (y == minus_one || y.constant().is_none())
            && x.constant().is_none_or(|_| x == least)
        {
            let is_least = match x.constant() {
                Some(_) => Operand::ConstTruth(true),
                None => self.text.compare("eq", ty, x, least),
            };
            let is_minus_one = match y.constant() {
                Some(_) => Operand::ConstTruth(true),
                None => self.text.compare("eq", ty, y, minus_one),
            };
            let overflows = self.text.both(is_least, is_minus_one);
            divisor = self.text.select(overflows, one, divisor);
        }
        self.text.op(name, ty, &[x, divisor])
    }

    fn differs(&mut self, x: Operand, y: Operand) -> Operand {
        match (x, y) {
            (Operand::ConstTruth(false), other) | (other, Operand::ConstTruth(false)) => other,
            (Operand::ConstTruth(true), other) | (other, Operand::ConstTruth(true)) => self.text.not(other),
            _ => self.text.op("xor", Ty::Pred, &[x, y]),
        }
    }

    /// A shift. Distances wrap in WGSL; PTX's shifts clamp them, but for those of two words.
    pub fn shifted(&mut self, left: bool, ty: Ty, x: Operand, by: Operand) -> Operand {
        let target = self.text.register(ty.width());
        let mask = ty.width().bits() - 1;
        let (name, ty) = match (left, ty.is_signed()) {
            (true, _) => ("shl", ty.bits()),
            (false, true) => ("shr", ty),
            (false, false) => ("shr", ty),
        };
        if let Operand::ConstWord(by) = by {
            let by = by & mask;
            if (left, ty) == (false, Ty::U32) {
                self.bounds.insert(target, u32::MAX >> by);
            }
            self.text.line(format_args!("{name}.{ty} {target}, {}, {by}", x.of(ty)));
            return target;
        }
        match (left, ty) {
            (true, Ty::B32) => self.text.line(format_args!("shf.l.wrap.b32 {target}, 0, {x}, {by}")),
            (false, Ty::U32) => self.text.line(format_args!("shf.r.wrap.b32 {target}, {x}, 0, {by}")),
            _ => {
                let by = self.text.op("and", Ty::B32, &[by, Operand::ConstWord(mask)]);
                self.text.line(format_args!("{name}.{ty} {target}, {}, {by}", x.of(ty)));
            }
        }
        target
    }
}

/// What an operator gives for constants of integers and truth values, where that decides what is written: conditions, sums that are
/// addresses, and pairs of words that are divisors.
fn folded(op: BinaryOperator, ty: Ty, x: Operand, y: Operand) -> Option<Operand> {
    if ty.is_float() {
        return None;
    }
    let (a, b) = (x.constant()?, y.constant()?);
    if ty.width() == Width::Long {
        return match op {
            BinaryOperator::InclusiveOr => Some(Operand::ConstLong(a | b)),
            BinaryOperator::ShiftLeft => Some(Operand::ConstLong(a.wrapping_shl(b as u32))),
            _ => None,
        };
    }
    let (a, b) = (a as u32, b as u32);
    let truth = |truth| Some(Operand::ConstTruth(truth));
    let (signed_a, signed_b) = (a as i32, b as i32);
    match op {
        BinaryOperator::Equal => return truth(a == b),
        BinaryOperator::NotEqual => return truth(a != b),
        _ if ty == Ty::Pred => return None,
        BinaryOperator::Less if ty.is_signed() => return truth(signed_a < signed_b),
        BinaryOperator::LessEqual if ty.is_signed() => return truth(signed_a <= signed_b),
        BinaryOperator::Greater if ty.is_signed() => return truth(signed_a > signed_b),
        BinaryOperator::GreaterEqual if ty.is_signed() => return truth(signed_a >= signed_b),
        BinaryOperator::Less => return truth(a < b),
        BinaryOperator::LessEqual => return truth(a <= b),
        BinaryOperator::Greater => return truth(a > b),
        BinaryOperator::GreaterEqual => return truth(a >= b),
        _ => {}
    }
    let bits = match op {
        BinaryOperator::Add => a.wrapping_add(b),
        BinaryOperator::Subtract => a.wrapping_sub(b),
        BinaryOperator::Multiply => a.wrapping_mul(b),
        BinaryOperator::And => a & b,
        BinaryOperator::InclusiveOr => a | b,
        BinaryOperator::ExclusiveOr => a ^ b,
        BinaryOperator::ShiftLeft => a.wrapping_shl(b),
        BinaryOperator::ShiftRight if ty.is_signed() => signed_a.wrapping_shr(b) as u32,
        BinaryOperator::ShiftRight => a.wrapping_shr(b),
        _ => return None,
    };
    Some(Operand::ConstWord(bits))
}
