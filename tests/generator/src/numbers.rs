//! Random arithmetic. That of integers mostly wraps or stays small, so that most VMs get to the end; now and then it may overflow or
//! divide by zero.

use crate::types::Ty;
use crate::writer::Writer;

/// Out of a hundred, how many operations may trap.
const TRAPPING: usize = 2;

impl Writer<'_> {
    /// An `f32` or `f64`.
    pub fn float(&mut self, name: &'static str, depth: usize) -> String {
        let ty = Ty::Scalar(name);
        let (a, b) = self.operands(&ty, depth);
        match self.rng.below(17) {
            0 => format!("(-{a})"),
            1 => format!("{a}.abs().sqrt()"),
            2 => format!(
                "{a}.{}()",
                self.rng.pick(&[
                    "floor",
                    "ceil",
                    "round",
                    "trunc",
                    "abs",
                    "fract",
                    "round_ties_even",
                    "signum",
                    "recip"
                ])
            ),
            3 => format!("{a}.{}({})", self.rng.pick(&["min", "max", "copysign"]), b),
            4 => format!("{a}.mul_add({b}, {})", self.expression(&ty, depth)),
            5 => {
                let from = Ty::Scalar(self.types.integer(self.rng));
                format!("({} as {name})", self.expression(&from, depth))
            }
            6 => {
                let bits = if name == "f64" { "u64" } else { "u32" };
                format!("{name}::from_bits({})", self.expression(&Ty::Scalar(bits), depth))
            }
            7 => format!("{a}.clamp(-8.0, 8.0)"),
            8 => {
                let from = if name == "f64" || !self.types.scalars.contains(&"f64") {
                    "f32"
                } else {
                    "f64"
                };
                format!("({} as {name})", self.expression(&Ty::Scalar(from), depth))
            }
            9 => format!("({a} % {b})"),
            // The functions are large, and other tests are about what they give.
            10 if self.rng.chance(15) => {
                let function = self
                    .rng
                    .pick(&["sin", "cos", "exp", "ln", "tanh", "cbrt", "log2", "exp2", "atan"]);
                format!("{a}.{function}()")
            }
            _ => format!("({a} {} {})", self.rng.pick(&["+", "-", "*", "/", "+", "*"]), b),
        }
    }

    /// An integer.
    pub fn integer(&mut self, name: &'static str, depth: usize) -> String {
        let ty = Ty::Scalar(name);
        let (a, b) = self.operands(&ty, depth);
        if self.rng.chance(TRAPPING) {
            return format!("({a} {} {b})", self.rng.pick(&["+", "-", "*", "/", "%"]));
        }
        let narrow = if matches!(name, "u8" | "i16") { 3 } else { 31 };
        match self.rng.below(14) {
            0 => format!("({a} {} {b})", self.rng.pick(&["&", "|", "^"])),
            1 => format!("(!{a})"),
            2 => format!("({a} {} {})", self.rng.pick(&["<<", ">>"]), self.rng.below(8)),
            3 => format!(
                "({a} {} ({} & 7))",
                self.rng.pick(&["<<", ">>"]),
                self.expression(&Ty::Scalar("u32"), depth)
            ),
            4 => format!("({a} {} ({b} | 1).max(1))", self.rng.pick(&["/", "%"])),
            5 => format!(
                "{a}.{}({b})",
                self.rng.pick(&["min", "max", "saturating_add", "saturating_sub"])
            ),
            6 => format!(
                "{a}.rotate_left({} & {narrow})",
                self.expression(&Ty::Scalar("u32"), depth)
            ),
            // Small operands of the plain operators stay within the type.
            7 => format!("(({a} & 7) {} ({b} & 7))", self.rng.pick(&["+", "*"])),
            8 => {
                let from = match self.scalar() {
                    Ty::Scalar(from) if from == name => Ty::Scalar("bool"),
                    from => from,
                };
                format!("({} as {name})", self.expression(&from, depth))
            }
            9 => format!(
                "{a}.checked_{}({b}).unwrap_or({})",
                self.rng.pick(&["add", "sub", "mul"]),
                self.leaf(&ty)
            ),
            10 => format!(
                "({a}.{}() as {name})",
                self.rng.pick(&["count_ones", "leading_zeros", "trailing_zeros"])
            ),
            11 if name == "u32" => {
                format!("{}.to_bits()", self.expression(&Ty::Scalar("f32"), depth))
            }
            11 if name == "u64" && self.types.scalars.contains(&"f64") => {
                format!("{}.to_bits()", self.expression(&Ty::Scalar("f64"), depth))
            }
            _ => format!("{a}.wrapping_{}({b})", self.rng.pick(&["add", "sub", "mul"])),
        }
    }
}
