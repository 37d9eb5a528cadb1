//! Which kernels are the same.

use std::fmt::Write;

use super::{Fold, Kernel, Then};
use crate::routine::{RoutineKey, RoutineRef};

impl Kernel {
    /// What kernels have in common that link to the same program, in this process.
    pub fn key(&self) -> String {
        let identity = |routine: &RoutineRef| match routine.key() {
            RoutineKey::Address(address) => format!("{address:x}"),
            RoutineKey::Content(id) => format!("made {id}"),
        };
        let mut key = format!("{} {:?} {:?}", self.name, self.count, self.stores);
        for call in &self.calls {
            // Writing to a string cannot fail.
            let _ = write!(key, " {} {:?}", identity(&call.routine), call.args);
        }
        for param in &self.params {
            let _ = write!(key, " {param}{:x}", std::ptr::from_ref(param.ty).addr());
        }
        let operator = |op: &Fold| match op {
            Fold::Routine(routine) => identity(routine),
            Fold::Add => "+".to_string(),
        };
        let _ = match &self.then {
            None => Ok(()),
            Some(Then::Reduce { op, partial }) => write!(key, " reduce {} {partial:?}", operator(op)),
            Some(Then::ReduceChunks { op, partial, chunk }) => {
                write!(key, " chunks {} {partial:?}{chunk}", operator(op))
            }
            Some(Then::ReduceSpans {
                op,
                partial,
                span,
                rolled,
            }) => {
                let (routine, args) = (identity(&span.routine), &span.args);
                write!(key, " spans {} {partial:?}{routine} {args:?}{rolled}", operator(op))
            }
            Some(Then::ReduceOwn { op, partial, chunk }) => {
                write!(key, " own {} {partial:?}{chunk}", operator(op))
            }
            Some(Then::Scan {
                op,
                prefix,
                chunks,
                chunk,
            }) => write!(key, " scan {} {prefix:?}{chunks:?}{chunk}", operator(op)),
            Some(Then::Handle {
                states,
                mail,
                handled,
                busy,
                around,
                after,
            }) => {
                let after = after.as_ref().map(|after| (identity(&after.routine), &after.args));
                write!(key, " handle {states} {mail} {handled} {busy} {around:?}{after:?}")
            }
        };
        key
    }
}
