//! Random closures that are called by name or given to a helper: capturing by reference, by unique borrow and by value.

use crate::items::Item;
use crate::types::{Signature, Ty};
use crate::writer::{Callable, Capture, Form, Helper, Writer};

/// What a helper calls its closure.
pub const PARAMETER: &str = "f";

impl Writer<'_> {
    /// Declares a closure, calls it, and does something else while it lives.
    pub fn closure_statement(&mut self, depth: usize) {
        let signature = self.signature();
        let capture = Capture {
            moves: self.rng.chance(25),
            changes: signature.mutable,
        };
        let name = self.fresh("f");
        self.enter();
        let closure = self.closure(&signature.result, capture, |writer| writer.annotated(&signature, depth));
        let mutability = if signature.mutable { "mut " } else { "" };
        self.line(&format!("let {mutability}{name} = {closure};"));
        self.bring_closure_into_scope(&name, &signature);
        let callable = Callable {
            name,
            signature: signature.clone(),
        };
        let mut results = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let (result, call) = (self.fresh("v"), self.invoke(&callable, 2));
            self.line(&format!("let mut {result}: {} = {call};", signature.result.name()));
            self.bring_into_scope(&result, &signature.result, true);
            results.push(result);
            let others = self.rng.below(2);
            self.statements(others, depth);
        }
        // Whatever the closure borrowed is free again after its last call.
        self.leave();
        for result in results {
            self.bring_into_scope(&result, &signature.result, true);
        }
    }

    /// What most closures of the module take and give, or something else.
    fn signature(&mut self) -> Signature {
        if self.types.signatures.is_empty() || self.rng.chance(30) {
            self.types.random_signature(self.rng)
        } else {
            self.rng.pick(&self.types.signatures)
        }
    }

    /// `|a: A, b: B| -> C { … }`, or without the result's type where an expression gives it.
    fn annotated(&mut self, signature: &Signature, depth: usize) -> String {
        let mut params = Vec::new();
        for ty in &signature.params {
            let pattern = match ty {
                Ty::Tuple(_) => self.pattern(&Item::Value(ty.clone())),
                _ if self.rng.chance(30) => {
                    format!("mut {}", self.declare(ty, true))
                }
                _ => self.declare(ty, false),
            };
            params.push(format!("{pattern}: {}", ty.name()));
        }
        let params = params.join(", ");
        if self.rng.chance(50) {
            return format!("|{params}| {}", self.expression(&signature.result, depth + 1));
        }
        let before = std::mem::take(&mut self.out);
        let count = 1 + self.rng.below(2);
        self.statements(count, depth.min(1));
        let result = self.expression(&signature.result, depth);
        self.line(&result);
        let body = std::mem::replace(&mut self.out, before);
        format!("|{params}| -> {} {{\n{body}    }}", signature.result.name())
    }

    /// A call of a closure in scope that gives the type.
    pub fn closure_call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let mut closures = self.closures();
        closures.retain(|closure| closure.signature.result == *ty);
        if closures.is_empty() {
            return None;
        }
        let closure = self.rng.pick(&closures);
        Some(self.invoke(&closure, depth))
    }

    /// A call of a closure.
    fn invoke(&mut self, closure: &Callable, depth: usize) -> String {
        let Signature { params, mutable, .. } = &closure.signature;
        let arguments: Vec<String> = self.holding(|writer| {
            writer.lend(&closure.name, *mutable);
            params.iter().map(|ty| writer.expression(ty, depth.min(1))).collect()
        });
        self.note(&closure.name, *mutable);
        format!("{}({})", closure.name, arguments.join(", "))
    }

    /// Something to give where a closure is asked for: one written there, one in scope, or the path of a helper. What it borrows stays
    /// lent.
    pub fn closure_argument(&mut self, signature: &Signature, form: Form, depth: usize) -> String {
        let borrow = match (form, signature.mutable) {
            (Form::Reference, true) => "&mut ",
            (Form::Reference, false) => "&",
            _ => "",
        };
        let mut closures = self.closures();
        closures.retain(|closure| {
            closure.signature.params == signature.params
                && closure.signature.result == signature.result
                && (signature.mutable == closure.signature.mutable || signature.mutable && form != Form::Reference)
        });
        if !closures.is_empty() && self.rng.chance(60) {
            let Callable { name, signature } = self.rng.pick(&closures);
            self.note(&name, signature.mutable);
            self.lend(&name, signature.mutable);
            // By reference it is there after the call, too.
            return match (borrow, signature.mutable) {
                ("", true) => format!("&mut {name}"),
                // A parameter that is a closure need not be `Copy`.
                ("", false) if name != PARAMETER && self.rng.chance(50) => name,
                ("", false) => format!("&{name}"),
                _ => format!("{borrow}{name}"),
            };
        }
        let fits = |helper: &&Helper| {
            helper.is_plain()
                && helper.result == signature.result
                && helper.params.iter().map(|(ty, _)| ty).eq(&signature.params)
        };
        let helpers: Vec<Helper> = self.helpers.iter().filter(fits).cloned().collect();
        if !helpers.is_empty() && self.rng.chance(70) {
            return format!("{borrow}{}", self.rng.pick(&helpers).name);
        }
        let capture = Capture {
            moves: self.rng.chance(15),
            changes: signature.mutable,
        };
        let items: Vec<Item> = signature.params.iter().cloned().map(Item::Value).collect();
        let body = |writer: &mut Self| writer.expression(&signature.result, depth);
        format!("{borrow}{}", self.lambda_with(&items, &signature.result, capture, body))
    }
}
