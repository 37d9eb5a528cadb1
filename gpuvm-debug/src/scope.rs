//! What names of an expression mean for one VM at a stop: the variables of one of its activations.

use gpuvm_core::interp::{Vm, header};
use gpuvm_core::isa::space;
use gpuvm_core::program::Activation;
use gpuvm_runtime::{DetachedVm, Frozen};

use crate::expression::Scope;
use crate::value::{Memory, Value};

/// The memory around a VM.
#[derive(Clone, Copy)]
pub(crate) enum Around<'m> {
    /// Of the one that is looked at.
    Detached(&'m DetachedVm),
    /// Of one among all.
    Frozen(&'m Frozen),
}

/// The names of an activation of a VM.
pub(crate) struct Names<'m, 'p> {
    pub vm: &'m Vm,
    pub vms: u32,
    pub around: Around<'m>,
    pub activation: Option<&'m Activation<'p>>,
    /// Where its frame starts in the VM's memory; an activation may be that of several VMs.
    pub frame_base: u32,
    /// The names of the launch's parameters; they stand for the columns where no variable has the name.
    pub parameters: &'m [String],
}

impl Memory for Names<'_, '_> {
    fn word(&self, of: u32, offset: u32) -> Option<u32> {
        if of == space::FRAME {
            return self.vm.frame.get(offset as usize).copied();
        }
        match self.around {
            Around::Detached(detached) => detached.word(of, offset),
            Around::Frozen(frozen) => frozen.word(self.vm.state[header::VM_ID], of, offset),
        }
    }
}

impl Scope for Names<'_, '_> {
    fn variable(&self, name: &str) -> Option<Value> {
        let own = self.activation.and_then(|activation| {
            let location = activation.variable(name)?;
            Some(Value {
                ty: location.variable.ty,
                words: location.read(
                    self.vm.words(),
                    self.vm.frame.get(self.frame_base as usize..).unwrap_or_default(),
                ),
                is_untyped: false,
            })
        });
        own.or_else(|| self.column(name))
    }

    fn names(&self) -> Vec<String> {
        let variables = self.activation.iter().flat_map(|activation| &activation.variables);
        variables.map(|location| location.variable.name.to_string()).collect()
    }

    fn vm(&self) -> Option<(u32, u32)> {
        Some((self.vm.state[header::VM_ID], self.vms))
    }
}

impl<'m, 'p> Names<'m, 'p> {
    /// The names of an activation of a VM that is by itself.
    pub fn of(
        detached: &'m DetachedVm,
        vms: u32,
        activation: Option<&'m Activation<'p>>,
        parameters: &'m [String],
    ) -> Names<'m, 'p> {
        Names {
            vm: detached.vm(),
            vms,
            around: Around::Detached(detached),
            activation,
            frame_base: activation.map_or(0, |activation| activation.frame_base),
            parameters,
        }
    }

    /// Those of the innermost activation of one VM among all.
    pub fn among(
        frozen: &'m Frozen,
        vm: &'m Vm,
        activation: Option<&'m Activation<'p>>,
        parameters: &'m [String],
    ) -> Names<'m, 'p> {
        Names {
            vm,
            vms: frozen.vms(),
            around: Around::Frozen(frozen),
            activation,
            frame_base: vm.frame_base,
            parameters,
        }
    }

    /// What the VM sees of the launch's parameter of this name.
    fn column(&self, name: &str) -> Option<Value> {
        let Around::Detached(detached) = self.around else {
            return None;
        };
        let index = self.parameters.iter().position(|parameter| parameter == name)?;
        column(detached, index)
    }
}

/// What a VM sees of a parameter of its launch: the slice, or the one entry that is its own.
pub(crate) fn column(detached: &DetachedVm, index: usize) -> Option<Value> {
    let ty = detached.program().params.get(index)?;
    let (of, first, len) = detached.param(index)?;
    if ty.refs > 0 && ty.ty.element.is_some() && ty.ty.length == 0 {
        return Some(crate::value::slice(ty.ty, (of, first), len));
    }
    let by_value = gpuvm_core::types::TypeRef::value(ty.ty);
    Some(crate::value::read(&Plain(detached), by_value, of, first))
}

/// A VM's memory alone.
pub(crate) struct Plain<'m>(pub &'m DetachedVm);

impl Memory for Plain<'_> {
    fn word(&self, of: u32, offset: u32) -> Option<u32> {
        self.0.word(of, offset)
    }
}
