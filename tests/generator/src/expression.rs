//! Random expressions of a wanted type.

use crate::types::{Ty, constructor};
use crate::writer::Writer;

impl Writer<'_> {
    /// An expression of the type, nested at most `depth` deep.
    pub fn expression(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.rng.chance(15) {
            return self.leaf(ty);
        }
        if matches!(ty, Ty::Option(_) | Ty::Result(..)) && self.rng.chance(60) {
            return self.composite(ty, depth);
        }
        let features = self.types.features;
        match self.rng.below(20) {
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
            6 | 7 if features.closures => self.closure_call(ty, depth - 1).unwrap_or_else(|| self.leaf(ty)),
            8 | 9 if features.chains && self.repeated < 2 => self.consumed(ty, depth - 1),
            10..=12 if features.fallible => self.unwrapped(ty, depth - 1),
            13..=15 if features.methods => self.method_call(ty, depth - 1).unwrap_or_else(|| self.leaf(ty)),
            _ => match ty {
                Ty::Scalar("bool") => self.condition(depth),
                Ty::Scalar(name @ ("f32" | "f64")) => self.float(name, depth - 1),
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
            0 => format!("(!{})", self.condition(depth - 1)),
            1 => format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1)),
            2 => format!("({} || {})", self.condition(depth - 1), self.condition(depth - 1)),
            3 => format!("({} ^ {})", self.condition(depth - 1), self.condition(depth - 1)),
            4 if depth > 1 && self.types.features.chains && self.repeated < 2 && self.rng.chance(50) => {
                self.consumed(&Ty::Scalar("bool"), depth - 1)
            }
            4 => self.leaf(&Ty::Scalar("bool")),
            _ => {
                let ty = match self.scalar() {
                    Ty::Scalar("bool") => Ty::Scalar("i32"),
                    other => other,
                };
                let op = self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = self.operands(&ty, depth - 1);
                format!("({a} {op} {b})")
            }
        }
    }

    pub fn composite(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Scalar(_) | Ty::Slice(..) => self.leaf(ty),
            Ty::Option(inner) => self.option(inner, depth),
            Ty::Result(inner, error) => self.result(inner, *error, depth),
            Ty::Tuple(parts) => {
                if let [first, second] = &parts[..]
                    && let Some((read, changes)) = self.entangled([first, second], depth)
                {
                    return format!("({read}, {changes})");
                }
                let parts: Vec<String> = parts.iter().map(|part| self.expression(part, depth)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Array(element, length) => {
                let element = Ty::Scalar(element);
                if depth > 0 && self.types.features.chains && self.repeated < 2 && self.rng.chance(40) {
                    return self.array_of_closure(&element, *length, depth.min(1));
                }
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
            Ty::Scalar(name @ ("f32" | "f64")) => {
                let value = self.rng.pick(&[
                    "0.0", "1.0", "-1.5", "0.1", "3.25", "1.0e-39", "65536.0", "-0.0", "1.0e20", "7.0",
                ]);
                format!("({value}{name})")
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
        let from = self.rng.pick(&["u32", "i32", "u8", "i64", "usize"]);
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
        let changed = self.scalar();
        if self.rng.chance(40)
            && let Some(place) = self.mutable_variable(&changed)
        {
            let value = self.expression(&changed, depth);
            return format!("{{ {place} = {value}; {} }}", self.expression(ty, depth));
        }
        self.enter();
        let inner = self.random_type();
        let value = self.expression(&inner, depth);
        let name = self.declare(&inner, false);
        let result = self.expression(ty, depth);
        self.leave();
        format!("{{ let {name}: {} = {value}; {result} }}", inner.name())
    }
}
