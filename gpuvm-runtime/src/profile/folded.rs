//! Folded stacks, a line each, as Brendan Gregg's flame graph tools read them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Profile;

impl Profile {
    /// The stacks as text, a line each: the routines, the outermost first, with `;` between them, and behind a blank how many instructions VMs ran.
    /// `flamegraph.pl`, `inferno-flamegraph` and speedscope read it.
    pub fn folded(&self) -> String {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for stack in self.stacks() {
            // What separates names is in none of them.
            let names = stack.frames.iter().map(|frame| frame.routine.replace(';', ":"));
            *sums.entry(names.collect::<Vec<_>>().join(";")).or_default() += stack.instructions;
        }
        let mut text = String::new();
        for (stack, instructions) in sums {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{stack} {instructions}");
        }
        text
    }
}
