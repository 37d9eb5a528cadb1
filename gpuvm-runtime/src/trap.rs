//! Traps as data: what the first VM that trapped did wrong, the same on every engine.

use gpuvm_core::interp::trap_site;
use gpuvm_core::program::{Program, TrapRecord};

use crate::done::Done;

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
    /// How many VMs trapped.
    pub count: u64,
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
        match self.count {
            0 | 1 => Ok(()),
            2 => f.write_str(" (and 1 more VM trapped)"),
            count => write!(f, " (and {} more VMs trapped)", count - 1),
        }
    }
}

/// Where and why a VM trapped, whatever engine ran it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trap {
    pub vm: u32,
    pub file: String,
    pub line: u32,
    pub message: String,
}

impl Trap {
    /// What a program's trap record means.
    pub(crate) fn of(program: &Program, record: &TrapRecord) -> Trap {
        let site = trap_site(program, record);
        Trap {
            vm: record.vm,
            file: program.files.get(site.place.file as usize).cloned().unwrap_or_default(),
            line: site.place.line,
            message: site.cause.message(record.words),
        }
    }
}
