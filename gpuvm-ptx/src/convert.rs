//! Conversions. Those of floats to integers saturate, and give 0 for NaN, as Rust's do: WGSL asks for the former only, and naga's own
//! back ends stop short of the ends of the range, which no `f32` can say.

use naga::{Expression, Handle, ScalarKind};

use crate::Result;
use crate::layout::components;
use crate::operand::{Operand, Ty, Width};
use crate::translator::{Translator, Value};

impl Translator<'_> {
    /// A conversion to a kind of so many bytes, or a bitcast where these are not said.
    pub fn cast(&mut self, of: Handle<Expression>, kind: ScalarKind, convert: Option<u8>) -> Result<Value> {
        let (scalar, _) = components(self.inner(of))?;
        let value = self.value(of)?;
        let from = Ty::of(scalar)?;
        let Some(width) = convert else {
            // Registers have no type.
            return Ok(value);
        };
        let to = Ty::of(naga::Scalar { kind, width })?;
        Ok(value.into_iter().map(|value| self.converted(from, to, value)).collect())
    }

    fn converted(&mut self, from: Ty, to: Ty, value: Operand) -> Operand {
        if let (Some(known), false, false) = (value.constant(), from.is_float(), to.is_float()) {
            return match (from, to) {
                (_, Ty::Pred) => Operand::ConstTruth(known != 0),
                (Ty::S32, _) => to.integer(i64::from(known as i32) as u64),
                _ => to.integer(known),
            };
        }
        match (from, to) {
            _ if from == to => value,
            (Ty::Pred, _) => {
                let (one, zero) = match to.is_float() {
                    true => (to.float(1.0), to.float(0.0)),
                    false => (to.integer(1), to.integer(0)),
                };
                self.text.select(value, one, zero)
            }
            (_, Ty::Pred) if from.is_float() => self.text.compare("neu", from, value, from.float(0.0)),
            (_, Ty::Pred) => self.text.compare("ne", from, value, Operand::zero(from)),
            (Ty::F32, Ty::F64) => self.text.convert("cvt", to, from, value),
            (Ty::F64, Ty::F32) => self.text.convert("cvt.rn", to, from, value),
            _ if from.is_float() => self.truncated(from, to, value),
            _ if to.is_float() => self.text.convert("cvt.rn", to, from, value),
            _ if from.width() == to.width() => value,
            _ => {
                let target = self.text.convert("cvt", to, from, value);
                if from == Ty::U32 && to.width() == Width::Long {
                    self.widened.insert(target, value);
                }
                target
            }
        }
    }

    fn truncated(&mut self, from: Ty, to: Ty, value: Operand) -> Operand {
        let integer = self.text.convert("cvt.rzi", to, from, value);
        if from == Ty::F32 && to.width() == Width::Word {
            return integer;
        }
        // Where 64 bits take part, the instruction makes another number of NaN.
        let is_nan = self.text.compare("nan", from, value, value);
        self.text.select(is_nan, Operand::zero(to), integer)
    }
}
