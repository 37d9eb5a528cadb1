//! Which kernels are the same.

use std::fmt::Write;

use super::{Fold, Kernel, Then};
use crate::routine::Routine;

impl Kernel {
    /// What kernels have in common that link to the same program, in this process.
    pub fn key(&self) -> String {
        let address = |routine: &Routine| std::ptr::from_ref(routine).addr();
        let mut key = format!("{} {:?} {:?}", self.name, self.count, self.stores);
        for call in &self.calls {
            // Writing to a string cannot fail.
            let _ = write!(key, " {:x}{:?}", address(call.routine), call.args);
        }
        for param in &self.params {
            let _ = write!(key, " {param}{:x}", std::ptr::from_ref(param.ty).addr());
        }
        let operator = |op: &Fold| match op {
            Fold::Routine(routine) => address(routine),
            Fold::Add => 0,
        };
        let _ = match &self.then {
            None => Ok(()),
            Some(Then::Reduce { op, partial }) => write!(key, " reduce {:x}{partial:?}", operator(op)),
            Some(Then::ReduceChunks { op, partial, chunk }) => {
                write!(key, " chunks {:x}{partial:?}{chunk}", operator(op))
            }
            Some(Then::ReduceSpans { op, partial, span }) => {
                let (routine, args) = (address(span.routine), &span.args);
                write!(key, " spans {:x}{partial:?}{routine:x}{args:?}", operator(op))
            }
            Some(Then::ReduceOwn { op, partial, chunk }) => {
                write!(key, " own {:x}{partial:?}{chunk}", operator(op))
            }
            Some(Then::Scan {
                op,
                prefix,
                chunks,
                chunk,
            }) => write!(key, " scan {:x}{prefix:?}{chunks:?}{chunk}", operator(op)),
            Some(Then::Handle {
                states,
                mail,
                handled,
                busy,
                around,
            }) => write!(key, " handle {states} {mail} {handled} {busy} {around:?}"),
        };
        key
    }
}
