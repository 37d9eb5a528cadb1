//! Random calls: of helpers that were written before, and of a recursive routine by itself.

use crate::types::Ty;
use crate::writer::{Helper, Mode, Writer};

impl Writer<'_> {
    /// A call of a helper that gives the type and takes no `&mut`.
    pub fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        if self.repeated > 1 {
            return None;
        }
        let fits =
            |helper: &&Helper| helper.result == *ty && helper.params.iter().all(|(_, mode)| *mode != Mode::Mutable);
        let helpers: Vec<Helper> = self.helpers.iter().filter(fits).cloned().collect();
        let recursive: Vec<Helper> = self.recursive.iter().filter(fits).cloned().collect();
        if self.may_recur() && !recursive.is_empty() && self.rng.chance(50) {
            let helper = self.rng.pick(&recursive);
            return Some(self.call_itself(&helper, depth));
        }
        if helpers.is_empty() {
            return None;
        }
        let helper = self.rng.pick(&helpers);
        Some(self.call_of(&helper, "fuel & 3", depth))
    }

    /// Each call is one of a few, and none is in a loop, so that the recursion ends soon.
    fn may_recur(&self) -> bool {
        self.recursions > 0 && self.repeated == 0
    }

    fn call_itself(&mut self, helper: &Helper, depth: usize) -> String {
        self.recursions -= 1;
        // Whatever calls one may not be called more often by being an argument twice.
        let left = std::mem::take(&mut self.recursions);
        let call = self.call_of(helper, "fuel - 1", depth);
        self.recursions = left;
        call
    }

    /// Calls itself where that is still allowed, and keeps the result.
    pub fn recursive_call(&mut self) {
        if !self.may_recur() {
            return self.assign();
        }
        let helper = self.rng.pick(&self.recursive.clone());
        let call = self.call_itself(&helper, 1);
        let result = self.declare(&helper.result, true);
        self.line(&format!("let mut {result}: {} = {call};", helper.result.name()));
    }

    /// The name of a helper or a method, and arguments for it.
    pub fn call_of(&mut self, helper: &Helper, fuel: &str, depth: usize) -> String {
        let borrows = helper.params.iter().any(|(_, mode)| *mode == Mode::Slice);
        let write = |writer: &mut Self| {
            let mut arguments: Vec<String> = helper
                .params
                .iter()
                .map(|(ty, mode)| match mode {
                    Mode::Slice => format!("&{}", writer.expression(ty, depth.min(1))),
                    Mode::Fuel if fuel == "fuel - 1" => fuel.to_string(),
                    Mode::Fuel => format!("({} & 3)", writer.expression(ty, 0)),
                    _ => writer.expression(ty, depth.min(2)),
                })
                .collect();
            if let Some((signature, form)) = &helper.closure {
                arguments.push(writer.holding(|writer| writer.closure_argument(signature, *form, depth.min(1))));
            }
            format!("{}({})", helper.name, arguments.join(", "))
        };
        if borrows { self.borrowing(write) } else { write(self) }
    }

    /// Calls a helper that takes `&mut`, with everything else computed before.
    pub fn call_with_mutable(&mut self) {
        let takes_mutable =
            |helper: &&Helper| helper.params.iter().filter(|(_, mode)| *mode == Mode::Mutable).count() == 1;
        let helpers: Vec<Helper> = self.helpers.iter().filter(takes_mutable).cloned().collect();
        if helpers.is_empty() || self.repeated > 1 {
            return self.assign();
        }
        let helper = self.rng.pick(&helpers);
        let mut arguments = Vec::new();
        let mut lent = None;
        for (ty, mode) in &helper.params {
            if *mode == Mode::Mutable
                && let Some((name, place)) = self.place_in(ty, true)
            {
                arguments.push(format!("&mut {place}"));
                lent = Some(name);
                continue;
            }
            let value = match mode {
                Mode::Fuel => format!("({} & 3)", self.expression(ty, 1)),
                _ => self.expression(ty, 2),
            };
            let name = self.fresh("argument");
            let borrow = match mode {
                Mode::Value | Mode::Fuel => "",
                Mode::Mutable => "&mut ",
                Mode::Slice => "&",
            };
            self.line(&format!("let mut {name}: {} = {value};", ty.name()));
            arguments.push(format!("{borrow}{name}"));
        }
        if let Some((signature, form)) = &helper.closure {
            arguments.push(self.holding(|writer| {
                if let Some(name) = lent {
                    writer.lend(&name, true);
                }
                writer.closure_argument(signature, *form, 1)
            }));
        }
        let result = self.declare(&helper.result, false);
        self.line(&format!(
            "let {result}: {} = {}({});",
            helper.result.name(),
            helper.name,
            arguments.join(", ")
        ));
    }
}
