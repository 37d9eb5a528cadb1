//! Which kernels are the same.

use std::fmt::Write;

use super::{Fold, Kernel, Mail, Then};
use crate::routine::Routine;

impl Kernel {
    /// What kernels have in common that link to the same program, in this process.
    pub fn key(&self) -> String {
        let address = |routine: &Routine| std::ptr::from_ref(routine).addr();
        let mut key = format!("{} {:?} {:?}", self.name, self.count, self.stores);
        for call in self.calls.iter().chain(self.beside()) {
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
            Some(Then::ReduceOwn { op, partial, chunk }) => {
                write!(key, " own {:x}{partial:?}{chunk}", operator(op))
            }
            Some(Then::Scan {
                op,
                prefix,
                chunks,
                chunk,
            }) => write!(key, " scan {:x}{prefix:?}{chunks:?}{chunk}", operator(op)),
            Some(Then::Compact {
                keep,
                outputs,
                chunks,
                total,
                chunk,
            }) => write!(key, " compact {keep:?}{outputs:?}{chunks:?}{total}{chunk}"),
            Some(Then::Handle {
                states,
                mail,
                handled,
                around,
            }) => {
                let _ = match mail {
                    Mail::Range { mail, busy } => write!(key, " mail {mail} {busy}"),
                    Mail::List { links, .. } => write!(key, " lists {links}"),
                };
                write!(key, " handle {states} {handled} {around:?}")
            }
        };
        key
    }
}
