//! The activations on a VM's stack: those of calls that have not returned, and in each function those that were inlined into it.

use super::locate::At;
use super::{Location, Program, VariableMap};
use crate::interp::Vm;
use crate::isa::CALL_FRAME_WORDS;

/// One activation of a routine on a VM's stack.
#[derive(Clone, Debug)]
pub struct Activation<'p> {
    /// The routine.
    pub routine: &'p str,
    /// The source file that it is in.
    pub file: &'p str,
    /// The line that it is at: of the next instruction, or of the call that has not returned.
    pub line: u32,
    /// Whether it was inlined, so that it shares its frame with the activation that has called it.
    pub is_inlined: bool,
    /// The instruction that it is at.
    pub at: u32,
    /// What tells it from the other activations of the same function: a place in [`Variables::scopes`](super::Variables::scopes).
    pub scope: u32,
    /// Calls that have not returned below its function; that of the entry has none.
    pub calls: u32,
    /// Where in the VM's frame memory its frame starts.
    pub frame_base: u32,
    /// Its variables, in the order of their declarations.
    pub variables: Vec<Location<'p>>,
}

impl Activation<'_> {
    /// The words of one of its variables, `None` for what is not kept.
    pub fn read(&self, variable: &Location<'_>, vm: &Vm) -> Vec<Option<u32>> {
        variable.read(vm.words(), vm.frame.get(self.frame_base as usize..).unwrap_or_default())
    }

    /// Its variable of this name.
    pub fn variable(&self, name: &str) -> Option<&Location<'_>> {
        self.variables.iter().find(|location| location.variable.name == name)
    }
}

impl<'p> VariableMap<'p> {
    /// The innermost activation of a VM whose next instruction is this one, but for where its frame is.
    pub fn innermost(&self, ip: u32) -> Option<Activation<'p>> {
        let mut vm = Vm::new(self.program(), 0);
        vm.state[crate::interp::header::IP] = ip;
        self.stack(&vm).into_iter().next()
    }

    /// The activations on the VM's stack, the innermost first. Empty for a program that was never Rust.
    pub fn stack(&self, vm: &Vm) -> Vec<Activation<'p>> {
        let program = self.program();
        let mut found = Vec::new();
        let (mut at, mut frame_base) = (vm.ip(), vm.frame_base);
        for calls in (0..=vm.calls).rev() {
            let activations = match calls == vm.calls {
                true => self.activations_at(at),
                false => self.activations_in_call(at),
            };
            let own = activations.into_iter().map(|(place, variables)| {
                let activation = Activation {
                    routine: "",
                    file: "",
                    line: place.line,
                    is_inlined: false,
                    at,
                    scope: place.scope,
                    calls,
                    frame_base,
                    variables,
                };
                activation.named(program, place)
            });
            found.extend(own);
            let Some(below) = calls.checked_sub(1) else {
                break;
            };
            // The call is the instruction before the one that it returns to.
            let record = below as usize * CALL_FRAME_WORDS;
            let Some(&[returns_to, caller_base]) = vm.frame.get(record..record + 2) else {
                break;
            };
            (at, frame_base) = (returns_to.wrapping_sub(1), caller_base);
        }
        // The code that fetches a launch's parameters and calls the routine is none of the source's.
        if let [.., entry, fetching] = &found[..]
            && (entry.calls, fetching.calls) == (1, 0)
            && entry.routine == fetching.routine
            && fetching.variables.is_empty()
        {
            found.pop();
        }
        found
    }
}

impl<'p> Activation<'p> {
    /// With the names of what it is an activation of.
    fn named(mut self, program: &'p Program, place: At) -> Activation<'p> {
        let Some(scope) = program.variables.scopes.get(place.scope as usize) else {
            return self;
        };
        self.is_inlined = scope.caller.is_some();
        self.routine = program.routines.get(scope.routine as usize).map_or("", String::as_str);
        self.file = program.file_of(scope.routine).unwrap_or_default();
        self.variables.sort_by_key(|location| location.variable.first_line);
        self
    }
}

impl Program {
    /// The source file that a routine's code comes from: of one that has none left, of its sites.
    pub fn file_of(&self, routine: u32) -> Option<&str> {
        let sites = self.sites.iter().map(|site| &site.place);
        let place = self.places.iter().chain(sites).find(|place| place.routine == routine)?;
        self.files.get(place.file as usize).map(String::as_str)
    }
}
