//! Built-in functions: which there are, and those that are one or a few instructions.

mod bits;
mod geometry;
mod transcendental;

use naga::{Expression, Handle, MathFunction};

use crate::Result;
use crate::error::{invalid, unsupported};
use crate::layout::components;
use crate::operand::{Operand, Ty, Width};
use crate::translator::{Translator, Value};

impl Translator<'_> {
    /// A built-in function.
    pub fn math(
        &mut self,
        fun: MathFunction,
        first: Handle<Expression>,
        others: [Option<Handle<Expression>>; 3],
    ) -> Result<Value> {
        let (scalar, count) = components(self.inner(first))?;
        let ty = Ty::of(scalar)?;
        let mut arguments = vec![self.value(first)?];
        for other in others.into_iter().flatten() {
            arguments.push(self.value(other)?);
        }
        if let Some(value) = self.geometry(fun, ty, &arguments)? {
            return Ok(value);
        }
        let each = (0..count).map(|at| {
            // A scalar goes with each component.
            let one = arguments.iter().map(|value| value.get(at).or(value.first()).copied());
            let one: Option<Value> = one.collect();
            self.component(fun, ty, &one.ok_or_else(|| invalid("a missing argument"))?)
        });
        each.collect()
    }

    fn component(&mut self, fun: MathFunction, ty: Ty, arguments: &[Operand]) -> Result<Operand> {
        use MathFunction as F;
        let text = &mut self.text;
        let float = ty.is_float();
        Ok(match (fun, arguments) {
            (F::Abs, &[x]) if float || ty.is_signed() => text.op("abs", ty, &[x]),
            (F::Abs, &[x]) => x,
            (F::Min, &[x, y]) => text.op("min", ty, &[x, y]),
            (F::Max, &[x, y]) => text.op("max", ty, &[x, y]),
            (F::Clamp, &[x, low, high]) => {
                let above = text.op("max", ty, &[x, low]);
                text.op("min", ty, &[above, high])
            }
            (F::Saturate, &[x]) if float => {
                let above = text.op("max", ty, &[x, ty.float(0.0)]);
                text.op("min", ty, &[above, ty.float(1.0)])
            }
            (F::Ceil, &[x]) if float => text.convert("cvt.rpi", ty, ty, x),
            (F::Floor, &[x]) if float => text.convert("cvt.rmi", ty, ty, x),
            (F::Round, &[x]) if float => text.convert("cvt.rni", ty, ty, x),
            (F::Trunc, &[x]) if float => text.convert("cvt.rzi", ty, ty, x),
            (F::Fract, &[x]) if float => {
                let floor = text.convert("cvt.rmi", ty, ty, x);
                self.minus(ty, x, floor)
            }
            (F::Fma, &[x, y, z]) if float => self.fused(ty, x, y, z),
            (F::Sqrt, &[x]) if float => self.root(ty, x),
            // An approximation in any case, of which that with denormal numbers takes five instructions.
            (F::InverseSqrt, &[x]) if ty == Ty::F32 => text.op("rsqrt.approx.ftz", ty, &[x]),
            (F::InverseSqrt, &[x]) if float => {
                let root = self.root(ty, x);
                self.quotient(ty, ty.float(1.0), root)
            }
            (F::Sign, &[x]) => self.sign(ty, x),
            (F::Mix, &[x, y, part]) if float => {
                let rest = self.minus(ty, ty.float(1.0), part);
                let (low, high) = (self.product(ty, x, rest), self.product(ty, y, part));
                self.plus(ty, low, high)
            }
            (F::Step, &[edge, x]) if float => {
                let beyond = text.compare("le", ty, edge, x);
                text.select(beyond, ty.float(1.0), ty.float(0.0))
            }
            (F::SmoothStep, &[low, high, x]) if float => self.smooth_step(ty, low, high, x),
            (F::Radians, &[x]) if float => self.product(ty, x, ty.float(std::f64::consts::PI / 180.0)),
            (F::Degrees, &[x]) if float => self.product(ty, x, ty.float(180.0 / std::f64::consts::PI)),
            _ if float => self.transcendental(fun, ty, arguments)?,
            _ => self.bits(fun, ty, arguments)?,
        })
    }

    /// `x + y` of floats.
    fn plus(&mut self, ty: Ty, x: Operand, y: Operand) -> Operand {
        let name = self.rounded("add");
        self.text.op(name, ty, &[x, y])
    }

    /// `x - y` of floats.
    fn minus(&mut self, ty: Ty, x: Operand, y: Operand) -> Operand {
        let name = self.rounded("sub");
        self.text.op(name, ty, &[x, y])
    }

    /// `x * y + z`, rounded once.
    fn fused(&mut self, ty: Ty, x: Operand, y: Operand, z: Operand) -> Operand {
        self.text.op("fma.rn", ty, &[x, y, z])
    }

    /// A square root.
    fn root(&mut self, ty: Ty, x: Operand) -> Operand {
        let name = match ty {
            Ty::F32 if !self.is_exact() => "sqrt.approx",
            _ => "sqrt.rn",
        };
        self.text.op(name, ty, &[x])
    }

    fn sign(&mut self, ty: Ty, x: Operand) -> Operand {
        if ty.is_float() {
            // Of a zero or NaN itself, so that comparisons decide and not the sign's bit.
            let (above, below) = (
                self.text.compare("gt", ty, x, ty.float(0.0)),
                self.text.compare("lt", ty, x, ty.float(0.0)),
            );
            let negative = self.text.select(below, ty.float(-1.0), x);
            return self.text.select(above, ty.float(1.0), negative);
        }
        let above = self.text.op("min", ty, &[x, ty.integer(1)]);
        match ty.is_signed() {
            true => self.text.op("max", ty, &[above, ty.integer(u64::MAX)]),
            false => above,
        }
    }

    fn smooth_step(&mut self, ty: Ty, low: Operand, high: Operand, x: Operand) -> Operand {
        let (part, whole) = (self.minus(ty, x, low), self.minus(ty, high, low));
        let quotient = self.quotient(ty, part, whole);
        let above = self.text.op("max", ty, &[quotient, ty.float(0.0)]);
        let t = self.text.op("min", ty, &[above, ty.float(1.0)]);
        let square = self.product(ty, t, t);
        let minus_two = ty.float(-2.0);
        let slope = self.fused(ty, minus_two, t, ty.float(3.0));
        self.product(ty, square, slope)
    }

    /// The bit of the sign alone.
    fn sign_bit(&mut self, x: Operand) -> Operand {
        let mask = Operand::ConstWord(0x8000_0000);
        self.text.op("and", Ty::B32, &[x, mask])
    }

    /// A polynomial with these coefficients, that of the highest power last.
    fn polynomial(&mut self, x: Operand, coefficients: &[f32]) -> Operand {
        let Some((&highest, rest)) = coefficients.split_last() else {
            return Ty::F32.float(0.0);
        };
        let mut sum = Operand::ConstWord(highest.to_bits());
        for coefficient in rest.iter().rev() {
            sum = self.fused(Ty::F32, sum, x, Operand::ConstWord(coefficient.to_bits()));
        }
        sum
    }

    /// As [`unsupported`], for a function.
    fn refused_function(fun: MathFunction, ty: Ty) -> crate::Error {
        let bits = if ty.width() == Width::Long { 64 } else { 32 };
        unsupported(format!("the function {fun:?} of {bits} bits"))
    }
}
