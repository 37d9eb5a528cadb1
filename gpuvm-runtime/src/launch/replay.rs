//! What native code does not tell of a trap: the VM's stack, by running it once more where something else knows it.

use gpuvm_core::program::Mode;
use gpuvm_core::settings::Settings;

use super::Bounded;
use crate::leg::{REPLAYED, at_entry};
use crate::marshal::Layout;
use crate::trap::Trap;
use crate::view::Seen;

impl Bounded<'_> {
    /// A native VM's trap with its stack, which the reference interpreter tells where the VM has changed nothing of what it began with and comes to the
    /// trap soon.
    pub(super) fn replayed(&self, params: &[Seen<'_>], trap: Trap, settings: &Settings) -> Trap {
        let Ok(program) = self.runtime.link_with(&self.entry, settings) else {
            return trap;
        };
        let reads = |seen: &Seen<'_>| matches!(seen.mode, Mode::Value | Mode::Slice);
        // What it prints and asks goes through parameters of its own.
        if !params.iter().all(reads) || params.len() != program.params.len() {
            return trap;
        }
        let layout = Layout::new(params, program.result_words(), self.vms, false);
        let mut alone = at_entry((&program, self.vms), &layout, params, trap.vm..trap.vm + 1, trap.vm);
        alone.go_to(REPLAYED);
        let replayed = alone
            .vm()
            .trap
            .map(|record| Trap::at(&program, &record, Some(alone.vm())));
        let is_same =
            |other: &Trap| (&other.file, other.line, &other.message) == (&trap.file, trap.line, &trap.message);
        match replayed.filter(is_same) {
            Some(replayed) => replayed.among(trap.vms),
            None => trap,
        }
    }
}
