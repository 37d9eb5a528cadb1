//! What can be seen where VMs stand: the stack, values of expressions, and those of all VMs.

use std::collections::{BTreeMap, BTreeSet};

use gpuvm_core::program::Activation;
use rayon::prelude::*;

use super::resume::innermost;
use super::{DebugError, Frame, Result, Session, Shown};
use crate::expression::{Expression, ExpressionError};
use crate::scope::{Names, Plain, column};
use crate::value::Value;

impl Session<'_, '_> {
    /// The stack of the VM that is looked at, the innermost frame first.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn stack(&mut self) -> Result<Vec<Frame>> {
        let program = self.program.clone();
        let map = program.variable_map();
        let detached = self.detached()?;
        let vm = detached.vm();
        let frame = |activation: Activation<'_>| {
            let of = |parameters: bool| {
                let own = activation.variables.iter();
                let own = own.filter(|location| location.variable.is_parameter == parameters);
                own.map(|location| Shown {
                    name: location.variable.name.to_string(),
                    value: Value {
                        ty: location.variable.ty,
                        words: activation.read(location, vm),
                        is_untyped: false,
                    },
                })
                .collect()
            };
            Frame {
                routine: activation.routine.to_string(),
                file: activation.file.to_string(),
                line: activation.line,
                instruction: activation.at,
                arguments: of(true),
                variables: of(false),
            }
        };
        Ok(map.stack(vm).into_iter().map(frame).collect())
    }

    /// What the VM that is looked at sees of the launch's parameters.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn columns(&mut self) -> Result<Vec<Shown>> {
        let names = self.parameters.clone();
        let detached = self.detached()?;
        let shown = names.into_iter().enumerate().filter_map(|(index, name)| {
            let value = column(detached, index)?;
            Some(Shown { name, value })
        });
        Ok(shown.collect())
    }

    /// The value of an expression in a frame, 0 being the innermost, of the VM that is looked at.
    ///
    /// # Errors
    ///
    /// If it has none, or when the device fails.
    pub fn evaluate(&mut self, frame: usize, expression: &Expression) -> Result<Value> {
        self.with_frame(frame, |names| Ok(expression.evaluate(names)?))
    }

    /// Parts of a value of the VM that is looked at, each with what is written behind the whole to name it: `.x`, `[3]`.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn parts(&mut self, value: &Value, range: std::ops::Range<u32>) -> Result<Vec<(String, Value)>> {
        Ok(value.parts(&Plain(self.detached()?), range))
    }

    /// How many [parts](Session::parts) a value has.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn count(&mut self, value: &Value) -> Result<u32> {
        Ok(value.count(&Plain(self.detached()?)))
    }

    pub(super) fn with_frame<T>(
        &mut self,
        frame: usize,
        use_names: impl FnOnce(&Names<'_, '_>) -> Result<T>,
    ) -> Result<T> {
        let program = self.program.clone();
        let (vms, parameters, number) = (self.execution.vms(), self.parameters.clone(), self.vm);
        let detached = self.detached()?;
        let stack = program.variable_map().stack(detached.vm());
        if frame > 0 && frame >= stack.len() {
            return Err(DebugError::NoFrame {
                vm: number,
                frame,
                count: stack.len(),
            });
        }
        use_names(&Names::of(detached, vms, stack.get(frame), &parameters))
    }

    /// The VMs of which a condition holds in their innermost frames, as they stand. VMs for which it has no value are left out.
    ///
    /// # Errors
    ///
    /// If it has a value for no VM, or when the device fails.
    pub fn find(&mut self, condition: &Expression) -> Result<Vec<u32>> {
        let found = self.of_all(|names| condition.holds(names))?;
        Ok(found
            .into_iter()
            .filter(|(_, holds)| *holds)
            .map(|(vm, _)| vm)
            .collect())
    }

    /// The value of an expression in the innermost frame of every VM, and how many have it, the most frequent first.
    ///
    /// # Errors
    ///
    /// As [`Session::find`].
    pub fn histogram(&mut self, expression: &Expression) -> Result<Vec<(String, u32)>> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for (_, value) in self.of_all(|names| Ok(expression.evaluate(names)?.show()))? {
            *counts.entry(value).or_default() += 1;
        }
        let mut counts: Vec<(String, u32)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(counts)
    }

    /// What something is of every VM that it can be told of.
    pub(super) fn of_all<T: Send>(
        &mut self,
        of: impl Fn(&Names<'_, '_>) -> Result<T, ExpressionError> + Sync,
    ) -> Result<Vec<(u32, T)>> {
        if self.moved {
            let detached = self.detached()?.clone();
            self.execution.attach(&detached)?;
        }
        let program = self.program.clone();
        let map = program.variable_map();
        let frozen = self.execution.freeze(true)?;
        let parameters = &self.parameters;
        let places: BTreeSet<u32> = (0..frozen.vms()).filter_map(|vm| Some(frozen.stands(vm)?.1)).collect();
        let innermost = innermost(&map, places);
        let each = |vm: u32| {
            let state = frozen.vm(vm)?;
            let activation = innermost.get(&state.ip());
            Some((vm, of(&Names::among(&frozen, &state, activation, parameters))))
        };
        let all: Vec<(u32, Result<T, ExpressionError>)> = (0..frozen.vms())
            .into_par_iter()
            .with_min_len(1 << 10)
            .filter_map(each)
            .collect();
        let (mut known, mut error) = (Vec::new(), None);
        for (vm, value) in all {
            match value {
                Ok(value) => known.push((vm, value)),
                Err(reason) => error = error.or(Some(reason)),
            }
        }
        match error {
            Some(error) if known.is_empty() => Err(error.into()),
            _ => Ok(known),
        }
    }
}
