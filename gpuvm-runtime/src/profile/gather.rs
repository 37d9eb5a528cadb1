//! Samples that are put together: of many launches or batches, each of a program of its own.

use std::collections::{BTreeMap, HashMap};

use gpuvm_core::program::SourceLoc;

use super::sample::{Counted, VmCost};
use super::tree::Branches;

/// What samples came to together.
#[derive(Clone, Default)]
pub(super) struct Gathered {
    files: Names,
    routines: Names,
    branches: Branches,
    places: BTreeMap<Place, [u64; 3]>,
}

/// A file, a line and a routine.
type Place = (u32, u32, u32);

/// What samples came to that are still to be added, in terms of the names and the nodes of what they are added to.
#[derive(Default)]
pub(super) struct Sums {
    places: BTreeMap<Place, [u64; 3]>,
    nodes: BTreeMap<u32, u64>,
}

/// Names, each once.
#[derive(Clone, Default)]
struct Names(Vec<String>, HashMap<String, u32>);

impl Names {
    fn of(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.1.get(name) {
            return known;
        }
        let new = self.0.len() as u32;
        self.0.push(name.to_string());
        self.1.insert(name.to_string(), new);
        new
    }
}

impl Gathered {
    /// The number of a file.
    pub fn file(&mut self, name: &str) -> u32 {
        self.files.of(name)
    }

    /// The node of an activation in that of another one.
    pub fn child(&mut self, parent: u32, (file, line): (u32, u32), routine: &str) -> u32 {
        let routine = self.routines.of(routine);
        self.branches.child(parent, SourceLoc { file, line, routine })
    }

    /// Takes what a sample came to into sums, as what ran in a node.
    pub fn sum(&mut self, counted: &Counted, within: u32, sums: &mut Sums) {
        let Gathered {
            files,
            routines,
            branches,
            ..
        } = self;
        let mut at = |at: SourceLoc| SourceLoc {
            file: files.of(super::name(&counted.files, at.file)),
            line: at.line,
            routine: routines.of(super::name(&counted.routines, at.routine)),
        };
        for (place, more) in &counted.places {
            let place = at(*place);
            let sums = sums.places.entry((place.file, place.line, place.routine)).or_default();
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        let mut node_of: Vec<u32> = Vec::with_capacity(counted.tree.nodes.len());
        for (index, node) in counted.tree.nodes.iter().enumerate() {
            // The first is what the outermost ones are in.
            let there = match index {
                0 => within,
                _ => branches.child(node_of[node.parent as usize], at(node.at)),
            };
            node_of.push(there);
            *sums.nodes.entry(there).or_default() += node.own;
        }
    }

    /// Adds sums, each as what `scaled` makes of it. Gives the instructions.
    pub fn add(&mut self, sums: Sums, scaled: impl Fn(u64) -> u64) -> u64 {
        for (place, sums) in sums.places {
            let to = self.places.entry(place).or_default();
            to.iter_mut().zip(sums).for_each(|(to, sum)| *to += scaled(sum));
        }
        let mut instructions = 0;
        for (node, sum) in sums.nodes {
            let sum = scaled(sum);
            self.branches.tree.nodes[node as usize].own += sum;
            instructions += sum;
        }
        instructions
    }

    /// All of it, given the VMs, and the file of a plan's steps if it is a plan's.
    pub fn finish(self, vms: Vec<VmCost>, plan: Option<u32>) -> Counted {
        let at = |(file, line, routine)| SourceLoc { file, line, routine };
        Counted {
            files: self.files.0,
            routines: self.routines.0,
            places: self.places.into_iter().map(|(place, sums)| (at(place), sums)).collect(),
            tree: self.branches.tree,
            vms,
            plan,
        }
    }
}
