//! Steps by source lines: where a VM stands in the source, and which instruction ends a step.

use gpuvm_core::interp::Vm;
use gpuvm_core::program::Program;

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next line, into calls.
    In,
    /// To the next line of this activation, past calls.
    Over,
    /// Until this activation has returned.
    Out,
    /// One instruction.
    Instruction,
}

/// Where a VM stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Calls that have not returned.
    pub calls: u32,
    /// The activation that its instruction belongs to.
    pub scope: u32,
    pub file: u32,
    pub line: u32,
}

impl Place {
    pub fn of(program: &Program, vm: &Vm) -> Place {
        let ip = vm.ip() as usize;
        let place = program.places.get(ip);
        Place {
            calls: vm.calls,
            scope: program.variables.scope_of.get(ip).copied().unwrap_or_default(),
            file: place.map_or(0, |place| place.file),
            line: place.map_or(0, |place| place.line),
        }
    }

    /// Whether it is in something that the activation of the other place has called, inlined or not.
    pub fn is_below(&self, program: &Program, other: &Place) -> bool {
        match self.calls.cmp(&other.calls) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => {
                self.scope != other.scope && callers(program, self.scope).any(|scope| scope == other.scope)
            }
        }
    }

    /// Whether the other place's activation has returned, for a VM that was there and is here now.
    pub fn is_out_of(&self, program: &Program, other: &Place) -> bool {
        match self.calls.cmp(&other.calls) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal => !callers(program, self.scope).any(|scope| scope == other.scope),
        }
    }
}

/// An activation and those that it was inlined into.
fn callers(program: &Program, scope: u32) -> impl Iterator<Item = u32> + '_ {
    let caller = |scope: &u32| program.variables.scopes.get(*scope as usize)?.caller;
    std::iter::successors(Some(scope), caller)
}

impl Step {
    /// Whether a step from one place ends at another.
    pub(crate) fn ends(self, program: &Program, from: &Place, at: &Place) -> bool {
        match self {
            Step::Instruction => true,
            Step::In => at != from,
            Step::Over => !at.is_below(program, from) && at != from,
            Step::Out => at.is_out_of(program, from),
        }
    }
}
