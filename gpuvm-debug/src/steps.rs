//! Steps by source lines: where a VM stands in the source, and which instruction ends a step.
//!
//! They end where a native debugger's do: at the first line of a routine's body and not at its head, behind a call at the next line and not in the midst of the
//! one that has called, and nowhere in gpuvm's own routines, such as those that compute `f64`.

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
    /// The line of the instruction before, which has called something if that has just returned.
    line_before: u32,
}

impl Place {
    pub fn of(program: &Program, vm: &Vm) -> Place {
        let ip = vm.ip() as usize;
        let place = program.places.get(ip);
        let before = ip.checked_sub(1).and_then(|before| program.places.get(before));
        Place {
            calls: vm.calls,
            scope: program.variables.scope_of.get(ip).copied().unwrap_or_default(),
            file: place.map_or(0, |place| place.file),
            line: place.map_or(0, |place| place.line),
            line_before: before.map_or(0, |place| place.line),
        }
    }

    /// Whether it is the same line of the same activation.
    pub fn is_same(&self, other: &Place) -> bool {
        let of = |place: &Place| (place.calls, place.scope, place.file, place.line);
        of(self) == of(other)
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

    /// Whether the activation of the other place, where the VM was just before, was called from the midst of the line at hand.
    fn is_behind_call(&self, program: &Program, before: &Place) -> bool {
        if before.calls > self.calls {
            return self.line == self.line_before;
        }
        let mut callees =
            callers(program, before.scope).filter_map(|scope| program.variables.scopes.get(scope as usize));
        let called = callees.find(|callee| callee.caller == Some(self.scope));
        before.calls == self.calls && called.is_some_and(|callee| callee.line == self.line)
    }
}

/// An activation and those that it was inlined into.
fn callers(program: &Program, scope: u32) -> impl Iterator<Item = u32> + '_ {
    let caller = |scope: &u32| program.variables.scopes.get(*scope as usize)?.caller;
    std::iter::successors(Some(scope), caller)
}

/// Where steps through a program end.
pub(crate) struct Steps<'p> {
    pub program: &'p Program,
    /// The line of each routine's head, if it has others too.
    heads: Vec<Option<u32>>,
    /// Which files are gpuvm's own.
    library: Vec<bool>,
}

impl<'p> Steps<'p> {
    pub fn of(program: &'p Program) -> Steps<'p> {
        let mut lines = vec![(u32::MAX, 0); program.routines.len()];
        for place in &program.places {
            if let Some((first, last)) = lines.get_mut(place.routine as usize) {
                (*first, *last) = ((*first).min(place.line), (*last).max(place.line));
            }
        }
        let head = |(first, last): (u32, u32)| (first < last).then_some(first);
        Steps {
            heads: lines.into_iter().map(head).collect(),
            library: program.files.iter().map(|file| is_own(file)).collect(),
            program,
        }
    }

    /// Whether a VM that was at a place, if it is known where, has come to where a step may end.
    pub fn begins(&self, before: Option<&Place>, at: &Place) -> bool {
        let own = self.library.get(at.file as usize).copied().unwrap_or(false);
        let scope = self.program.variables.scopes.get(at.scope as usize);
        let head = scope.and_then(|scope| self.heads.get(scope.routine as usize).copied().flatten());
        if own || head == Some(at.line) {
            return false;
        }
        before.is_none_or(|before| !at.is_same(before) && !at.is_behind_call(self.program, before))
    }
}

/// Whether a source file is one of gpuvm's crates that have routines for what the machine has no instructions for.
fn is_own(file: &str) -> bool {
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    parts.windows(2).any(|pair| {
        let rest = ["gpuvm-core", "gpuvm-math"]
            .iter()
            .find_map(|name| pair[0].strip_prefix(name));
        let version = |rest: &str| {
            rest.is_empty() || rest.starts_with('-') && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        };
        pair[1] == "src" && rest.is_some_and(version)
    })
}

#[cfg(test)]
mod tests {
    use super::is_own;

    #[test]
    fn only_what_gpuvm_computes_by_is_its_own() {
        assert!(is_own("gpuvm-math/src/soft_double/product.rs"));
        assert!(is_own(
            "/home/me/.cargo/registry/src/a/gpuvm-core-0.1.0/src/stdlib/duration.rs"
        ));
        assert!(is_own("C:\\registry\\gpuvm-math-0.2.0\\src\\lib.rs"));
        assert!(!is_own("gpuvm-math/tests/it.rs"));
        assert!(!is_own("gpuvm-core-tools/src/main.rs"));
        assert!(!is_own("src/main.rs"));
    }
}
