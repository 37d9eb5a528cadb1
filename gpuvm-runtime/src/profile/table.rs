//! A profile for a terminal.

use std::fmt;

use super::Profile;
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
            "{} of {} sampled: {}, warps to {:.1} % occupied, {}",
            self.vms().len(),
            counted(self.stats.vms as usize, "VM"),
            counted(self.instructions() as usize, "instruction"),
            100.0 * self.occupancy(),
            counted(self.sectors() as usize, "sector"),
        )?;
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
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
                write!(f, "{comma} VM {} ({})", cost.vm, cost.instructions)?;
            }
        }
        Ok(())
    }
}

/// Says how many rows there are beyond those that are shown.
fn rest(f: &mut fmt::Formatter<'_>, rows: usize) -> fmt::Result {
    match rows.saturating_sub(ROWS) {
        0 => Ok(()),
        more => writeln!(f, "{:>12}  and {more} more", ""),
    }
}
