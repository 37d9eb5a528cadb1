//! Traps as data: what the first VM that trapped did wrong, the same on every engine.

use std::path::PathBuf;

use gpuvm_core::interp::{STACK_SITE, Vm, trap_site};
use gpuvm_core::program::{Mode, Program, TrapRecord};
use gpuvm_core::routine::Cause;

use crate::bind::Bound;
use crate::counted::counted;
use crate::done::Done;
use crate::entry::Entry;
use crate::frames::FrameView;

/// At least one VM of a launch trapped. The other VMs ran to their end, and [`done`](TrapReport::done) has their results.
#[derive(Debug)]
pub struct TrapReport {
    /// The lowest id among the VMs that trapped.
    pub vm: u32,
    /// The id of the routine that was launched.
    pub routine: String,
    /// The source file of the place where that VM trapped, as `file!()` gives it.
    pub file: String,
    /// The line in that file.
    pub line: u32,
    /// What a native panic at that place says.
    pub message: String,
    /// What is often the reason of such a trap, if it may be the reason of this one.
    pub hint: Option<String>,
    /// The activations on that VM's stack with their variables, the innermost first. The native and the specialised engine keep none, so the VM is run once more for them.
    /// Empty where that cannot be: natively where the routine writes to its arguments, prints or asks; on the device where VMs share atomics, or the arguments are buffers; or
    /// where the VM runs long.
    pub stack: Vec<FrameView>,
    /// Where the [snapshot](crate::Launch::snapshot_on_trap) is that was asked for, or why it could not be written.
    pub snapshot: Option<Result<PathBuf, String>>,
    /// How many VMs trapped.
    pub count: u64,
    /// The ids of the VMs that trapped, ascending: of all of them if the launch was to tell [all](crate::Launch::all_traps) or was restored, else of the first alone.
    pub vms: Vec<u32>,
    pub(crate) done: Done,
}

impl TrapReport {
    /// The results. Those of VMs that trapped are made of words that are all 0.
    pub fn done(&self) -> &Done {
        &self.done
    }

    /// The results, by value.
    pub fn into_done(self) -> Done {
        self.done
    }
}

/// One line; with `{:#}`, and in the `Debug` of [`Error::Trap`](crate::Error::Trap), the [stack](TrapReport::stack) too.
impl std::fmt::Display for TrapReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let TrapReport {
            vm,
            routine,
            file,
            line,
            message,
            ..
        } = self;
        write!(f, "VM {vm} of `{routine}` trapped at {file}:{line}: {message}")?;
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        match self.count {
            0 | 1 => {}
            2 => f.write_str(" (and 1 more VM trapped)")?,
            count => write!(f, " (and {} more VMs trapped)", count - 1)?,
        }
        match &self.snapshot {
            None => {}
            Some(Ok(path)) => write!(f, "; its snapshot is {}", path.display())?,
            Some(Err(reason)) => write!(f, "; its snapshot could not be written: {reason}")?,
        }
        match f.alternate() {
            true => self.stack.iter().try_for_each(|frame| write!(f, "\n  in {frame}")),
            false => Ok(()),
        }
    }
}

/// Says that a VM sees a chunk of its own, if an index is out of bounds of what is as long as a chunk but would be in bounds of all chunks.
pub(crate) fn hint_of_chunk(trap: &Trap, entry: &Entry, params: &[Bound<'_>], vms: u32) -> Option<String> {
    let rest = trap.message.strip_prefix("index out of bounds: the len is ")?;
    let (len, index) = rest.split_once(" but the index is ")?;
    let (len, index): (usize, usize) = (len.parse().ok()?, index.parse().ok()?);
    let found = params.iter().position(|bound| {
        let all = bound.argument.len();
        bound.mode == Mode::Chunk && all / vms as usize == len && index < all
    });
    let name = entry.name(found?);
    let entries = counted(len, "entry");
    Some(format!(
        "`{name}` is cut to chunks of {entries} a VM, and each VM sees its own, which starts at index 0"
    ))
}

/// Where and why a VM trapped, whatever engine ran it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trap {
    pub vm: u32,
    pub file: String,
    pub line: u32,
    pub message: String,
    /// What is known of its stack.
    pub stack: Vec<FrameView>,
    /// The ids of all VMs that trapped, ascending, as far as somebody asked; at least this one's.
    pub vms: Vec<u32>,
}

impl Trap {
    /// The same of a VM that stands where it has trapped, if its state is known.
    pub(crate) fn at(program: &Program, record: &TrapRecord, vm: Option<&Vm>) -> Trap {
        Trap {
            stack: vm.map_or_else(Vec::new, |vm| FrameView::stack(program, vm, u32::MAX)),
            ..Trap::of(program, record)
        }
    }

    /// What a program's trap record means.
    pub(crate) fn of(program: &Program, record: &TrapRecord) -> Trap {
        let site = trap_site(program, record);
        let words = match (site.cause, record.site) {
            (Cause::StackOverflow, STACK_SITE) => [program.call_depth, 0, 0, 0],
            (Cause::StackOverflow, _) => [program.depth_limit, 0, 0, 0],
            _ => record.words,
        };
        Trap {
            vm: record.vm,
            file: program.files.get(site.place.file as usize).cloned().unwrap_or_default(),
            line: site.place.line,
            message: site.cause.message(words, &program.data),
            stack: Vec::new(),
            vms: vec![record.vm],
        }
    }

    /// The same of a launch in which these VMs trapped, if that is known.
    pub(crate) fn among(self, vms: Vec<u32>) -> Trap {
        match vms.is_empty() {
            true => self,
            false => Trap { vms, ..self },
        }
    }

    /// The VMs that trapped, as far as somebody asked, if any did.
    pub(crate) fn vms_of(first: &Option<Trap>) -> &[u32] {
        first.as_ref().map_or(&[], |trap| &trap.vms)
    }

    /// The first of the traps of some parts of a launch, which are in the order of their VMs.
    pub(crate) fn first_of(parts: impl IntoIterator<Item = Trap>) -> Option<Trap> {
        parts.into_iter().reduce(|mut first, mut later| {
            first.vms.append(&mut later.vms);
            first
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arg::IntoArg;
    use crate::registry::Registration;

    #[test]
    fn a_chunk_starts_at_0() {
        let registration = &Registration {
            id: "fill",
            file: "src/lib.rs",
            line: 1,
            params: &["n", "out"],
            routine: || unreachable!("nobody runs it"),
            native: |_| Ok(()),
        };
        let entry = Entry::from(registration);
        let mut out = [0u32; 8];
        let bound = |mode, argument: crate::arg::Arg<'static>| Bound {
            mode,
            argument: argument.0,
        };
        let params = [
            bound(Mode::Value, 5u32.into_arg()),
            Bound {
                mode: Mode::Chunk,
                argument: (&mut out).into_arg().0,
            },
        ];
        let hint = |message: &str, vms| {
            let trap = Trap {
                vm: 1,
                file: "src/lib.rs".to_string(),
                line: 2,
                message: message.to_string(),
                stack: Vec::new(),
                vms: vec![1],
            };
            hint_of_chunk(&trap, &entry, &params, vms)
        };
        let index = |len, index| format!("index out of bounds: the len is {len} but the index is {index}");
        assert_eq!(
            hint(&index(1, 1), 8).as_deref(),
            Some("`out` is cut to chunks of 1 entry a VM, and each VM sees its own, which starts at index 0")
        );
        assert!(hint(&index(2, 7), 4).is_some());
        // Not in all chunks together either, of something of another length, of something else.
        assert_eq!(hint(&index(2, 8), 4), None);
        assert_eq!(hint(&index(3, 4), 4), None);
        assert_eq!(hint("attempt to divide by zero", 4), None);
    }
}
