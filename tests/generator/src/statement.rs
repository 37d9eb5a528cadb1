//! Random statements: declarations, assignments, branches, loops that end, and every way to leave them.

use crate::types::Ty;
use crate::writer::{Label, Writer};

impl Writer<'_> {
    /// Writes about `count` statements, nested at most `depth` deep.
    pub fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        let features = self.types.features;
        match self.rng.below(if depth > 0 { 28 } else { 9 }) {
            0..=2 => self.let_value(),
            3..=6 => self.assign(),
            7 => self.leave_early(),
            8 => self.swap_or_destructure(),
            9..=11 => self.if_else(depth - 1),
            12 | 13 => self.match_statement(depth - 1),
            14 | 15 if self.repeated < 2 => self.for_loop(depth - 1),
            16 if self.repeated < 2 => self.while_loop(depth - 1),
            17 if self.repeated < 2 => self.loop_with_value(depth - 1),
            18 => self.call_with_mutable(),
            19 | 20 if features.closures && self.repeated < 2 => self.closure_statement(depth - 1),
            21 | 22 if features.chains && self.repeated < 2 => self.loop_over_chain(depth - 1),
            23 | 24 if features.fallible => self.let_else(),
            25 if features.recursion => self.recursive_call(),
            26 | 27 if features.methods => self.method_statement(),
            _ => self.let_value(),
        }
    }

    fn let_value(&mut self) {
        let ty = self.random_type();
        let value = self.expression(&ty, 2);
        let mutable = self.rng.chance(70);
        let name = self.declare(&ty, mutable);
        let mutability = if mutable { "mut " } else { "" };
        self.line(&format!("let {mutability}{name}: {} = {value};", ty.name()));
    }

    pub fn assign(&mut self) {
        let ty = if self.rng.chance(80) {
            self.scalar()
        } else {
            self.random_type()
        };
        let Some(place) = self.mutable_variable(&ty) else {
            return self.let_value();
        };
        let op = match &ty {
            Ty::Scalar("f32" | "f64") => self.rng.pick(&["=", "+=", "*=", "-="]),
            Ty::Scalar("bool") => self.rng.pick(&["=", "^=", "|=", "&="]),
            Ty::Scalar(_) => self.rng.pick(&["=", "=", "^=", "|=", "&=", "%=", ">>="]),
            _ => "=",
        };
        let value = match op {
            "%=" => format!("({} | 1).max(1)", self.expression(&ty, 1)),
            ">>=" => self.rng.below(8).to_string(),
            _ => self.expression(&ty, 3),
        };
        self.line(&format!("{place} {op} {value};"));
    }

    /// `return`, `break` or `continue` under a condition.
    fn leave_early(&mut self) {
        let condition = format!("{} && {}", self.condition(2), self.condition(1));
        let exit = self.exit();
        self.line(&format!("if {condition} {{ {exit}; }}"));
    }

    /// A way out of the routine, the closure or a loop.
    pub fn exit(&mut self) -> String {
        match self.labels.len() {
            0 => self.return_value(),
            n => {
                let label = self.labels[self.rng.below(n)].clone();
                match (self.rng.below(5), &label.value) {
                    (0, _) => self.return_value(),
                    (1 | 2, _) => format!("continue {}", label.name),
                    (_, Some(ty)) => format!("break {} ({})", label.name, self.expression(ty, 2)),
                    (_, None) => format!("break {}", label.name),
                }
            }
        }
    }

    fn return_value(&mut self) -> String {
        let result = self.result.clone();
        format!("return {}", self.expression(&result, 2))
    }

    fn swap_or_destructure(&mut self) {
        let ty = self.scalar();
        if let (true, Some(a), Some(b)) = (
            self.rng.chance(50),
            self.mutable_variable(&ty),
            self.mutable_variable(&ty),
        ) {
            let (x, y) = (self.expression(&ty, 1), self.expression(&ty, 1));
            return self.line(&format!("({a}, {b}) = ({x}, {y});"));
        }
        let (first, second) = (self.scalar(), self.scalar());
        let (x, y) = (self.expression(&first, 2), self.expression(&second, 2));
        let (a, b) = (self.declare(&first, true), self.declare(&second, false));
        self.line(&format!(
            "let (mut {a}, {b}): ({}, {}) = ({x}, {y});",
            first.name(),
            second.name()
        ));
    }

    fn if_else(&mut self, depth: usize) {
        let condition = self.condition(2);
        self.line(&format!("if {condition} {{"));
        self.scoped(2, depth);
        if self.rng.chance(60) {
            self.line("} else {");
            self.scoped(2, depth);
        }
        self.line("}");
    }

    fn match_statement(&mut self, depth: usize) {
        if self.rng.chance(50) {
            let e = self.rng.below(self.types.enums.len());
            let scrutinee = self.expression(&Ty::Enum(e), 2);
            let arms = self.enum_arms(e, |writer| match writer.mutable_variable(&Ty::Scalar("u32")) {
                Some(place) => format!("{{ {place} = {}; }}", writer.expression(&Ty::Scalar("u32"), 2)),
                None => "{}".to_string(),
            });
            return self.line(&format!("match {scrutinee} {{ {arms} }}"));
        }
        let from = self.rng.pick(&["u32", "i32", "u8", "i64"]);
        let scrutinee = self.expression(&Ty::Scalar(from), 2);
        self.line(&format!("match {scrutinee} % 9 {{"));
        for pattern in ["0 | 4", "1..=3", "5.."] {
            self.line(&format!("{pattern} => {{"));
            self.scoped(1, depth);
            self.line("}");
        }
        let condition = self.condition(1);
        self.enter();
        let rest = self.declare(&Ty::Scalar(from), false);
        let value = self
            .mutable_variable(&Ty::Scalar(from))
            .map(|place| format!("{place} = {rest};"))
            .unwrap_or_default();
        self.leave();
        self.line(&format!("{rest} if {condition} => {{ {value} }}"));
        self.line("_ => {}");
        self.line("}");
    }

    fn for_loop(&mut self, depth: usize) {
        let label = self.fresh("'l");
        let arrays = Ty::Array(self.rng.pick(&["u32", "f32", "i32"]), 4);
        let (range, item) = match self.rng.below(6) {
            0 => ("0..=3u32".to_string(), Ty::Scalar("u32")),
            1 => (
                format!("(0..({} & 7)).rev()", self.expression(&Ty::Scalar("u32"), 1)),
                Ty::Scalar("u32"),
            ),
            2 => (
                format!("(0..{}u32).step_by({})", 3 + self.rng.below(9), 1 + self.rng.below(4)),
                Ty::Scalar("u32"),
            ),
            3 => (
                format!("-2..({} & 3)", self.expression(&Ty::Scalar("i32"), 1)),
                Ty::Scalar("i32"),
            ),
            4 => {
                let Ty::Array(element, _) = arrays else {
                    return;
                };
                (self.expression(&arrays, 1), Ty::Scalar(element))
            }
            _ => (
                format!("0..({} % 6)", self.expression(&Ty::Scalar("u32"), 1)),
                Ty::Scalar("u32"),
            ),
        };
        let variable = self.fresh("v");
        self.line(&format!("{label}: for {variable} in {range} {{"));
        self.enter();
        self.bring_into_scope(&variable, &item, false);
        self.loop_body(label, None, depth);
        self.leave();
        self.line("}");
    }

    fn while_loop(&mut self, depth: usize) {
        let (label, fuel) = (self.fresh("'l"), self.fresh("fuel"));
        let bound = 1 + self.rng.below(6);
        self.line(&format!("let mut {fuel} = {bound}u32;"));
        let condition = self.condition(2);
        self.line(&format!("{label}: while {fuel} > 0 && {condition} {{"));
        self.line(&format!("    {fuel} -= 1;"));
        self.loop_body(label, None, depth);
        self.line("}");
    }

    fn loop_with_value(&mut self, depth: usize) {
        let (label, fuel) = (self.fresh("'l"), self.fresh("fuel"));
        let ty = self.random_type();
        let name = self.fresh("v");
        let (bound, last) = (1 + self.rng.below(5), self.expression(&ty, 1));
        self.line(&format!("let mut {fuel} = {bound}u32;"));
        self.line(&format!("let mut {name}: {} = {label}: loop {{", ty.name()));
        self.line(&format!("    if {fuel} == 0 {{ break {label} ({last}); }}"));
        self.line(&format!("    {fuel} -= 1;"));
        self.loop_body(label, Some(ty.clone()), depth);
        let (condition, value) = (self.condition(1), self.expression(&ty, 1));
        self.line(&format!("    if {condition} {{ break ({value}); }}"));
        self.line("};");
        self.bring_into_scope(&name, &ty, true);
    }

    /// A few statements in a scope of their own.
    fn scoped(&mut self, count: usize, depth: usize) {
        self.enter();
        let count = 1 + self.rng.below(count);
        self.statements(count, depth);
        self.leave();
    }

    /// The same as the body of a loop, which statements in it may leave.
    pub fn loop_body(&mut self, name: String, value: Option<Ty>, depth: usize) {
        self.labels.push(Label { name, value });
        self.repeated += 1;
        self.scoped(2, depth);
        self.repeated -= 1;
        self.labels.pop();
    }
}
