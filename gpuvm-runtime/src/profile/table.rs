//! A profile for a terminal.

use std::fmt;

use super::{Profile, VmCost};
use crate::counted::counted;
use crate::sources::Sources;

/// Rows of each part.
const ROWS: usize = 20;
/// VMs that are named.
const VMS: usize = 5;

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "profile of `{}`: {}", self.routine, self.stats)?;
        if let Some(reason) = &self.reason {
            return write!(f, "nothing was counted: {reason}");
        }
        writeln!(
            f,
            "{} of {} sampled{}: {}, warps to {:.1} % occupied, {}",
            self.vms().len(),
            counted(self.stats.vms as usize, "VM"),
            self.others(),
            counted(self.instructions() as usize, "instruction"),
            100.0 * self.occupancy(),
            counted(self.sectors() as usize, "sector"),
        )?;
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        if !self.steps.is_empty() {
            writeln!(f, "\ninstructions   share          VMs  sampled  step")?;
        }
        let mut dearest: Vec<_> = self.steps.iter().collect();
        dearest.sort_by_key(|step| std::cmp::Reverse(step.instructions));
        for step in dearest.into_iter().take(ROWS) {
            let (instructions, share, name) = (step.instructions, 100.0 * step.share, &step.name);
            writeln!(
                f,
                "{instructions:>12} {share:>5.1} % {:>12} {:>8}  {name}",
                step.vms, step.sampled
            )?;
        }
        rest(f, self.steps.len())?;
        writeln!(f, "\ninstructions   share  occupied      sectors  line")?;
        let mut sources = Sources::default();
        for line in self.lines.iter().take(ROWS) {
            let source = sources.line(&line.file, line.line).unwrap_or_default();
            writeln!(
                f,
                "{:>12} {:>5.1} % {:>7.1} % {:>12}  {}:{}  {}",
                line.instructions,
                100.0 * line.share,
                100.0 * line.occupancy(),
                line.sectors,
                line.file,
                line.line,
                source.trim(),
            )?;
        }
        rest(f, self.lines.len())?;
        writeln!(f, "\ninstructions   share  with calls  routine")?;
        for cost in self.routines.iter().take(ROWS) {
            let (own, share) = (cost.instructions, 100.0 * cost.share);
            writeln!(f, "{own:>12} {share:>5.1} % {:>11}  {}", cost.total, cost.routine)?;
        }
        rest(f, self.routines.len())?;
        if let Some((least, middle, most)) = self.spread() {
            write!(
                f,
                "\ninstructions of a VM: {least} to {most}, in the middle {middle}; the most:"
            )?;
            for (index, cost) in self.vms_by_cost().iter().take(VMS).enumerate() {
                let comma = if index > 0 { "," } else { "" };
                write!(f, "{comma} VM {} ({})", self.name_of(cost), cost.instructions)?;
            }
        }
        Ok(())
    }
}

impl Profile {
    /// What is said of VMs that were not sampled.
    pub(super) fn others(&self) -> &'static str {
        match self.steps.is_empty() {
            true => "",
            false => " and the others taken to be like them",
        }
    }

    /// A VM's number, and the step that it is of.
    pub(super) fn name_of(&self, cost: &VmCost) -> String {
        match cost.step.and_then(|step| self.steps.get(step)) {
            Some(step) => format!("{} of {}", cost.vm, step.name),
            None => cost.vm.to_string(),
        }
    }
}

/// Says how many rows there are beyond those that are shown.
fn rest(f: &mut fmt::Formatter<'_>, rows: usize) -> fmt::Result {
    match rows.saturating_sub(ROWS) {
        0 => Ok(()),
        more => writeln!(f, "{:>12}  and {more} more", ""),
    }
}
