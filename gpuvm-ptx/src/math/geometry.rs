//! Functions of whole vectors.

use naga::MathFunction;

use crate::Result;
use crate::operand::{Operand, Ty};
use crate::translator::{Translator, Value};

impl Translator<'_> {
    /// A function whose result's components each depend on all of the arguments'; `None` if it is another.
    pub(super) fn geometry(&mut self, fun: MathFunction, ty: Ty, arguments: &[Value]) -> Result<Option<Value>> {
        use MathFunction as F;
        Ok(Some(match (fun, arguments) {
            (F::Dot, [x, y]) => vec![self.dot(ty, x, y)],
            (F::Length, [x]) => vec![self.magnitude(ty, x)],
            (F::Distance, [x, y]) => {
                let difference = self.difference(ty, x, y);
                vec![self.magnitude(ty, &difference)]
            }
            (F::Normalize, [x]) => {
                let length = self.magnitude(ty, x);
                x.iter().map(|&x| self.quotient(ty, x, length)).collect()
            }
            (F::Cross, [x, y]) if x.len() == 3 && y.len() == 3 => {
                let mut component = |i: usize, j: usize| {
                    let (left, right) = (self.product(ty, x[i], y[j]), self.product(ty, x[j], y[i]));
                    self.minus(ty, left, right)
                };
                vec![component(1, 2), component(2, 0), component(0, 1)]
            }
            (F::FaceForward, [towards, incident, reference]) => {
                let dot = self.dot(ty, incident, reference);
                let before = self.text.compare("lt", ty, dot, ty.float(0.0));
                let each = towards.iter().map(|&x| {
                    let away = self.text.op("neg", ty, &[x]);
                    self.text.select(before, x, away)
                });
                each.collect()
            }
            (F::Reflect, [incident, normal]) => {
                let dot = self.dot(ty, normal, incident);
                let twice = self.product(ty, ty.float(2.0), dot);
                let pairs = incident.iter().zip(normal);
                let each = pairs.map(|(&x, &n)| {
                    let part = self.product(ty, twice, n);
                    self.minus(ty, x, part)
                });
                each.collect()
            }
            (
                F::Outer
                | F::Inverse
                | F::Transpose
                | F::Determinant
                | F::Refract
                | F::Modf
                | F::Frexp
                | F::Ldexp
                | F::Dot4I8Packed
                | F::Dot4U8Packed
                | F::QuantizeToF16
                | F::Pack4x8snorm
                | F::Pack4x8unorm
                | F::Pack2x16snorm
                | F::Pack2x16unorm
                | F::Pack2x16float
                | F::Pack4xI8
                | F::Pack4xU8
                | F::Pack4xI8Clamp
                | F::Pack4xU8Clamp
                | F::Unpack4x8snorm
                | F::Unpack4x8unorm
                | F::Unpack2x16snorm
                | F::Unpack2x16unorm
                | F::Unpack2x16float
                | F::Unpack4xI8
                | F::Unpack4xU8,
                _,
            ) => return Err(Self::refused_function(fun, ty)),
            _ => return Ok(None),
        }))
    }

    fn dot(&mut self, ty: Ty, x: &[Operand], y: &[Operand]) -> Operand {
        let mut sum = None;
        for (&x, &y) in x.iter().zip(y) {
            let product = self.product(ty, x, y);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.sum(naga::BinaryOperator::Add, ty, sum, product),
            });
        }
        sum.unwrap_or(Operand::zero(ty))
    }

    fn difference(&mut self, ty: Ty, x: &[Operand], y: &[Operand]) -> Value {
        x.iter().zip(y).map(|(&x, &y)| self.minus(ty, x, y)).collect()
    }

    fn magnitude(&mut self, ty: Ty, x: &[Operand]) -> Operand {
        if let [x] = *x {
            return self.text.op("abs", ty, &[x]);
        }
        let square = self.dot(ty, x, x);
        self.root(ty, square)
    }
}
