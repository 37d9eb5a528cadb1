//! Random expressions of a wanted type. Integer arithmetic mostly wraps or stays small, so that most VMs get to the end; now and
//! then it may overflow, divide by zero, or index past the end.

use crate::routine::Writer;
use crate::types::{INTEGERS, Ty, constructor, scalar};

/// Out of a hundred, how many operations may trap.
const TRAPPING: usize = 2;

impl Writer<'_> {
    /// An expression of the type, nested at most `depth` deep.
    pub fn expression(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.rng.chance(15) {
            return self.leaf(ty);
        }
        match self.rng.below(16) {
            0 | 1 => self.leaf(ty),
            2 => {
                let (c, a, b) = (
                    self.condition(depth - 1),
                    self.expression(ty, depth - 1),
                    self.expression(ty, depth - 1),
                );
                format!("(if {c} {{ {a} }} else {{ {b} }})")
            }
            3 => self.match_value(ty, depth - 1),
            4 => self.block(ty, depth - 1),
            5 => self.call(ty, depth - 1).unwrap_or_else(|| self.leaf(ty)),
            _ => match ty {
                Ty::Scalar("bool") => self.condition(depth),
                Ty::Scalar("f32") => self.float(depth - 1),
                Ty::Scalar(name) => self.integer(name, depth - 1),
                _ => self.composite(ty, depth - 1),
            },
        }
    }

    /// A `bool`.
    pub fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(&Ty::Scalar("bool"));
        }
        match self.rng.below(8) {
            0 => format!("!{}", self.condition(depth - 1)),
            1 => format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1)),
            2 => format!("({} || {})", self.condition(depth - 1), self.condition(depth - 1)),
            3 => format!("({} ^ {})", self.condition(depth - 1), self.condition(depth - 1)),
            4 => self.leaf(&Ty::Scalar("bool")),
            _ => {
                let ty = match scalar(self.rng) {
                    Ty::Scalar("bool") => Ty::Scalar("i32"),
                    other => other,
                };
                let op = self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!(
                    "({} {op} {})",
                    self.expression(&ty, depth - 1),
                    self.expression(&ty, depth - 1)
                )
            }
        }
    }

    fn float(&mut self, depth: usize) -> String {
        let ty = Ty::Scalar("f32");
        let a = self.expression(&ty, depth);
        match self.rng.below(14) {
            0 => format!("(-{a})"),
            1 => format!("{a}.abs().sqrt()"),
            2 => format!(
                "{a}.{}()",
                self.rng.pick(&["floor", "ceil", "round", "trunc", "abs", "fract"])
            ),
            3 => format!(
                "{a}.{}({})",
                self.rng.pick(&["min", "max", "copysign"]),
                self.expression(&ty, depth)
            ),
            4 => format!(
                "{a}.mul_add({}, {})",
                self.expression(&ty, depth),
                self.expression(&ty, depth)
            ),
            5 => {
                let from = Ty::Scalar(self.rng.pick(&INTEGERS));
                format!("({} as f32)", self.expression(&from, depth))
            }
            6 => format!("f32::from_bits({})", self.expression(&Ty::Scalar("u32"), depth)),
            7 => format!("{a}.clamp(-8.0, 8.0)"),
            _ => format!(
                "({a} {} {})",
                self.rng.pick(&["+", "-", "*", "/", "+", "*"]),
                self.expression(&ty, depth)
            ),
        }
    }

    fn integer(&mut self, name: &'static str, depth: usize) -> String {
        let ty = Ty::Scalar(name);
        let (a, b) = (self.expression(&ty, depth), self.expression(&ty, depth));
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
                let from = match scalar(self.rng) {
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
            _ => format!("{a}.wrapping_{}({b})", self.rng.pick(&["add", "sub", "mul"])),
        }
    }

    fn composite(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Scalar(_) => self.leaf(ty),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.expression(part, depth)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Array(element, length) => {
                let element = Ty::Scalar(element);
                if self.rng.chance(40) {
                    return format!("[{}; {length}]", self.expression(&element, depth));
                }
                let elements: Vec<String> = (0..*length).map(|_| self.expression(&element, depth.min(1))).collect();
                format!("[{}]", elements.join(", "))
            }
            Ty::Struct(s) => {
                let fields = self.types.structs[*s].clone();
                let base = if fields.len() > 1 && self.rng.chance(30) {
                    self.variable(ty)
                } else {
                    None
                };
                let mut parts: Vec<String> = Vec::new();
                for (f, field) in fields.iter().enumerate() {
                    if base.is_none() || self.rng.chance(50) {
                        parts.push(format!("f{f}: {}", self.expression(field, depth)));
                    }
                }
                if let Some(base) = base {
                    parts.push(format!("..{base}"));
                }
                // In parentheses, because a struct literal may not stand in a condition bare.
                format!("(S{s} {{ {} }})", parts.join(", "))
            }
            Ty::Enum(e) => {
                let v = self.rng.below(self.types.enums[*e].len());
                let payload = self.types.enums[*e][v].clone();
                let parts: Vec<String> = payload.iter().map(|part| self.expression(part, depth)).collect();
                format!("({})", constructor(&format!("E{e}::V{v}"), v, &parts, ": "))
            }
        }
    }

    /// A variable, a part of one, or a literal.
    pub fn leaf(&mut self, ty: &Ty) -> String {
        if self.rng.chance(75)
            && let Some(place) = self.variable(ty)
        {
            return place;
        }
        if let Ty::Scalar(name) = ty
            && self.rng.chance(70)
            && let Some(converted) = self.converted(name)
        {
            return converted;
        }
        match ty {
            Ty::Scalar("bool") => self.rng.pick(&["true", "false"]).to_string(),
            Ty::Scalar("f32") => {
                let value = self.rng.pick(&[
                    "0.0", "1.0", "-1.5", "0.1", "3.25", "1.0e-39", "65536.0", "-0.0", "1.0e20", "7.0",
                ]);
                format!("({value}f32)")
            }
            Ty::Scalar(name) => {
                let value = self
                    .rng
                    .pick(&["0", "1", "2", "3", "5", "7", "64", "100", "MAX", "MIN"]);
                if value.starts_with('M') {
                    format!("{name}::{value}")
                } else {
                    format!("{value}{name}")
                }
            }
            composite => self.composite(composite, 0),
        }
    }

    /// A variable of another type, converted: literals alone would leave nothing to compute.
    fn converted(&mut self, to: &str) -> Option<String> {
        let from = self.rng.pick(&["u32", "i32", "u8", "i64"]);
        let place = self.variable(&Ty::Scalar(from))?;
        Some(match to {
            "bool" => format!(
                "({place} {} {})",
                self.rng.pick(&["<", ">=", "!="]),
                self.rng.pick(&["1", "5", "100"])
            ),
            _ => format!("({place} as {to})"),
        })
    }

    /// A `match` on an integer or an enum that gives the type.
    fn match_value(&mut self, ty: &Ty, depth: usize) -> String {
        if self.rng.chance(50) {
            let scrutinee = self.expression(&Ty::Scalar("u32"), depth);
            let (a, b, c) = (
                self.expression(ty, depth),
                self.expression(ty, depth),
                self.expression(ty, depth),
            );
            let guard = if self.rng.chance(40) {
                format!(" if {}", self.condition(1))
            } else {
                String::new()
            };
            return format!("(match {scrutinee} % 6 {{ 0 | 3 => {a}, 1..=2{guard} => {b}, _ => {c} }})");
        }
        let e = self.rng.below(self.types.enums.len());
        let scrutinee = self.expression(&Ty::Enum(e), depth);
        let arms = self.enum_arms(e, |writer| writer.expression(ty, depth));
        format!("(match {scrutinee} {{ {arms} }})")
    }

    /// One arm for each variant of an enum, each with its payload bound and what `body` writes.
    pub fn enum_arms(&mut self, e: usize, mut body: impl FnMut(&mut Self) -> String) -> String {
        let variants = self.types.enums[e].clone();
        let mut arms = Vec::new();
        for (v, payload) in variants.iter().enumerate() {
            self.enter();
            let names: Vec<String> = payload.iter().map(|part| self.declare(part, false)).collect();
            let pattern = constructor(&format!("E{e}::V{v}"), v, &names, ": ");
            let body = body(self);
            self.leave();
            arms.push(format!("{pattern} => {body}"));
        }
        arms.join(", ")
    }

    /// A block with locals of its own, or one that changes a variable on its way.
    fn block(&mut self, ty: &Ty, depth: usize) -> String {
        let changed = scalar(self.rng);
        if !self.borrowing
            && self.rng.chance(40)
            && let Some(place) = self.mutable_variable(&changed)
        {
            let value = self.expression(&changed, depth);
            return format!("{{ {place} = {value}; {} }}", self.expression(ty, depth));
        }
        self.enter();
        let inner = self.types.random_type(self.rng);
        let value = self.expression(&inner, depth);
        let name = self.declare(&inner, false);
        let result = self.expression(ty, depth);
        self.leave();
        format!("{{ let {name}: {} = {value}; {result} }}", inner.name())
    }
}
