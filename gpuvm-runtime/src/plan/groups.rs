//! The groups of a column's entries by keys: what a plan's user makes of them, and how each is folded. In an engine a VM of each entry finds
//! out which part of its group it is to fold; what VMs come to lies at their group's first places, and is folded in the next turn.

use gpuvm_core::types::Type;

use super::Plan;
use super::add::uses;
use super::data::{Data, empty, words};
use super::fuse::Step;
use super::kernel::{Column, NEIGHBOURS, Sketch, lanes, respan};
use super::library::{GROUP_COUNT, GROUP_OF, GROUP_START, span_of};
use super::node::{Kind, Node, Use};
use super::operators::{check_operator, own};
use super::program::{At, Columns, blank};
use super::run::Run;
use super::verbs::whole;
use crate::entry::Launchable;
use crate::error::Result;
use crate::handle::Handle;
use crate::registry::Registration;

/// The groups of a column's entries, which [`Plan::group_by`] gives. What is asked of them are columns with an entry for each group, in
/// ascending order of the keys.
pub struct Groups<'p, 'a> {
    plan: &'p mut Plan<'a>,
    keys: Handle,
    /// One past the last entry of each.
    ends: Handle,
    entries: Handle,
}

impl<'p, 'a> Groups<'p, 'a> {
    pub(super) fn new(plan: &'p mut Plan<'a>, keys: Handle, ends: Handle, entries: Handle) -> Groups<'p, 'a> {
        Groups {
            plan,
            keys,
            ends,
            entries,
        }
    }

    /// The key of each group.
    pub fn keys(&self) -> Handle {
        self.keys
    }

    /// All entries, group after group, in a group in their order. After [`map`](Groups::map), what came of them.
    pub fn entries(&self) -> Handle {
        self.entries
    }

    /// How many entries each group has: a column of `u32`.
    ///
    /// # Errors
    ///
    /// Never, as columns of a plan fit.
    pub fn counts(&mut self) -> Result<Handle> {
        self.bounds(&GROUP_COUNT)
    }

    /// Where each group begins among the [`entries`](Groups::entries): a column of `u32`. It ends [`counts`](Groups::counts) further.
    ///
    /// # Errors
    ///
    /// As [`Groups::counts`].
    pub fn starts(&mut self) -> Result<Handle> {
        self.bounds(&GROUP_START)
    }

    fn bounds(&mut self, entry: &'static Registration) -> Result<Handle> {
        let (of, length) = (uses(entry)?, self.plan.nodes[self.keys.node].length);
        let node = self.plan.push_map(of, vec![whole(self.ends.node)], length);
        Ok(self.plan.handle(node))
    }

    /// The same groups of what a routine `fn(T) -> U` makes of each entry.
    ///
    /// # Errors
    ///
    /// As [`Plan::map`].
    pub fn map(&mut self, id: impl Launchable) -> Result<Groups<'_, 'a>> {
        let entries = self.plan.map(id, (self.entries,))?;
        Ok(Groups {
            plan: self.plan,
            entries,
            ..*self
        })
    }

    /// What all entries of each group come to, folded by a routine `fn(T, T) -> T` in the order of [`Plan::reduce`]: it depends on nothing
    /// but how many entries the group has.
    ///
    /// # Errors
    ///
    /// As [`Plan::reduce`].
    pub fn reduce(&mut self, id: impl Launchable) -> Result<Handle> {
        let of = uses(id.entry()?)?;
        let (from, ends) = (self.entries.node, self.ends.node);
        let Node { element, length, .. } = self.plan.nodes[from];
        // The groups of the entries come first.
        let label = Kind::ReduceGroups(of.clone()).label(self.plan.nodes.len() + 1);
        check_operator(&label, &of, element)?;
        let groups = self.plan.push_map(uses(&GROUP_OF)?, vec![whole(ends)], length);
        let mut operands = own(&[from]);
        operands.extend([whole(ends), whole(groups)]);
        let length = self.plan.nodes[ends].length;
        Ok(self.plan.push(Kind::ReduceGroups(of), operands, element, length))
    }
}

impl std::fmt::Debug for Groups<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Groups")
            .field("keys", &self.keys)
            .field("entries", &self.entries)
            .finish_non_exhaustive()
    }
}

/// The last turn in which groups of so many entries at most are folded. As in `library::span_of`, lanes fold in even turns.
fn last_stage(most: usize) -> u32 {
    let (mut lanes, mut stage) = (lanes(most), 0);
    while lanes > NEIGHBOURS as usize {
        lanes = self::lanes(lanes / NEIGHBOURS as usize);
        stage += 2;
    }
    stage + u32::from(lanes > 1)
}

impl Run<'_, '_> {
    /// The kernel of a turn of a step that folds groups.
    pub fn groups_sketch(&self, step: &Step, op: &Use, length: usize, stage: u32) -> Sketch {
        let is_last = stage == last_stage(length);
        match stage {
            0 => {
                let (root, writer) = (step.root, self.writer(step, true));
                writer.fold_spans((root, self.operand(root, 0)), length, &op.routine, (stage, is_last))
            }
            _ => respan(op.entry.id(), &op.routine, (stage, is_last)),
        }
    }

    /// Runs a step that folds groups.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`](crate::Error::Trap).
    pub fn reduce_groups(&mut self, step: &Step, at: At<'_>, op: &Use) -> Result<()> {
        let [of, ends, groups] = [0, 1, 2].map(|index| self.operand(step.root, index).node);
        let (length, element) = (self.length(of), self.nodes[step.root].element);
        let mut columns = Columns::from([(Column::Ends, self.data(ends)), (Column::Groups, self.data(groups))]);
        let last = last_stage(length);
        for stage in 0..=last {
            let vms = if stage == last { self.length(ends) } else { length };
            let to = blank(element, vms);
            columns.put(Column::To, to.clone());
            let kernel = self.kernel(|runner| runner.groups_sketch(step, op, length, stage))?;
            self.launch(at, &kernel, vms, &columns)?;
            columns.put(Column::From, to);
        }
        self.columns[step.root] = columns.get(Column::From).cloned();
        Ok(())
    }

    /// Folds groups natively, in the same turns; `None` if a VM trapped.
    pub fn native_groups(&mut self, node: usize, op: &Use) -> Result<Option<Data>> {
        let [of, ends] = [0, 1].map(|index| self.operand(node, index).node);
        let (element, length): (&'static Type, usize) = (self.nodes[node].element, self.length(of));
        let (mut all, ends) = (self.words(&self.data(of))?, self.words(&self.data(ends))?);
        if ends.is_empty() {
            return Ok(Some(empty(element)));
        }
        let size = element.words as usize;
        let last = last_stage(length);
        for stage in 0..last {
            let (mut spans, mut places) = (Vec::new(), Vec::new());
            for (&end, start) in ends.iter().zip(starts(&ends)) {
                let own = (0..).map(|number| span_of(start, end, number, stage));
                for (span, place) in own.take_while(|(first, _, end)| first < end).zip(start..) {
                    spans.push(span);
                    places.push(place as usize);
                }
            }
            let Some(folded) = self.by_spans(op, &all, &spans)? else {
                return Ok(None);
            };
            for (words, place) in folded.chunks_exact(size.max(1)).zip(places) {
                all[place * size..][..size].copy_from_slice(words);
            }
        }
        let spans = ends.iter().zip(starts(&ends));
        let spans: Vec<_> = spans.map(|(&end, start)| span_of(start, end, 0, last)).collect();
        let folded = self.by_spans(op, &all, &spans)?;
        Ok(folded.map(|folded| words(element, ends.len(), folded)))
    }
}

/// Where groups begin that end there.
fn starts(ends: &[u32]) -> impl Iterator<Item = u32> {
    std::iter::once(0).chain(ends.iter().copied())
}
