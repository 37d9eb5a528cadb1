//! The stacks of a sample as a tree of activations, those of inlined calls among them, and where a program's instructions belong in it.

use std::collections::HashMap;

use gpuvm_core::isa::{Instruction, Op};
use gpuvm_core::program::{Program, SourceLoc};

use super::warp::Warp;

/// All stacks. Node 0 is what the outermost activations are in.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
}

/// An activation at a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The activation that it is in, an earlier node.
    pub parent: u32,
    pub at: SourceLoc,
    /// Instructions of VMs here, not in what it calls.
    pub own: u64,
}

impl Tree {
    /// From a node to the outermost one.
    pub fn path(&self, node: usize) -> impl Iterator<Item = &Node> {
        let next = |node: &&Node| Some(&self.nodes[node.parent as usize]).filter(|_| node.parent != 0);
        std::iter::successors(self.nodes.get(node).filter(|_| node != 0), next)
    }
}

/// A tree that grows, from node 0.
#[derive(Clone)]
pub(super) struct Branches {
    pub tree: Tree,
    known: HashMap<(u32, SourceLoc), u32>,
}

impl Default for Branches {
    fn default() -> Branches {
        let root = Node {
            parent: 0,
            at: SourceLoc {
                file: 0,
                line: 0,
                routine: 0,
            },
            own: 0,
        };
        Branches {
            tree: Tree { nodes: vec![root] },
            known: HashMap::new(),
        }
    }
}

impl Branches {
    /// The node of an activation in that of another one.
    pub fn child(&mut self, parent: u32, at: SourceLoc) -> u32 {
        let new = self.tree.nodes.len() as u32;
        let child = *self.known.entry((parent, at)).or_insert(new);
        if child == new {
            self.tree.nodes.push(Node { parent, at, own: 0 });
        }
        child
    }
}

/// Where instructions come from, with the calls that were inlined.
pub(super) struct Origins<'p> {
    program: &'p Program,
    /// The file of each routine.
    files: Vec<Option<u32>>,
}

impl<'p> Origins<'p> {
    pub fn of(program: &'p Program) -> Origins<'p> {
        let mut files = vec![None; program.routines.len()];
        let sites = program.sites.iter().map(|site| &site.place);
        for place in program.places.iter().chain(sites) {
            if let Some(file) = files.get_mut(place.routine as usize) {
                file.get_or_insert(place.file);
            }
        }
        Origins { program, files }
    }

    /// The activations that an instruction belongs to, the innermost first.
    pub fn at(&self, ip: u32) -> Vec<SourceLoc> {
        let Some(place) = self.program.places.get(ip as usize) else {
            return Vec::new();
        };
        let variables = &self.program.variables;
        let mut found = Vec::new();
        let (mut scope, mut line) = (variables.scope_of.get(ip as usize).copied(), place.line);
        while let Some(activation) = scope.and_then(|scope| variables.scopes.get(scope as usize)) {
            let routine = activation.routine;
            let file = self.files.get(routine as usize).copied().flatten();
            found.push(SourceLoc {
                file: file.unwrap_or(place.file),
                line,
                routine,
            });
            (scope, line) = (activation.caller, activation.line);
        }
        match found.first_mut() {
            Some(innermost) => innermost.file = place.file,
            // It was never Rust.
            None => found.push(*place),
        }
        found
    }

    /// Whether a call is that of the routine by the code that fetches a launch's parameters, which is none of the source's.
    fn fetches(&self, call: &[SourceLoc], code: Option<&Instruction>) -> bool {
        let called = code.filter(|code| code.opcode == Op::Call.code());
        let callee = called.and_then(|code| self.at(code.operands[0]).pop());
        matches!((call, callee), ([call], Some(callee)) if call.routine == callee.routine)
    }
}

/// The tree of a sample that grows.
pub(super) struct Growing<'p> {
    origins: Origins<'p>,
    branches: Branches,
}

impl<'p> Growing<'p> {
    pub fn new(program: &'p Program) -> Growing<'p> {
        Growing {
            origins: Origins::of(program),
            branches: Branches::default(),
        }
    }

    /// Adds what the VMs of a warp ran.
    pub fn add(&mut self, warp: &Warp) {
        let mut node_of = vec![0];
        for (below, ip) in warp.calls.places() {
            let call = self.origins.at(ip);
            let fetches = below == 0 && self.origins.fetches(&call, self.origins.program.code.get(ip as usize));
            let node = match fetches {
                true => 0,
                false => self.enter(node_of[below as usize], &call),
            };
            node_of.push(node);
        }
        let mut stacks: Vec<_> = warp.stacks.iter().collect();
        stacks.sort_unstable();
        for ((place, ip), retired) in stacks {
            let at = self.origins.at(*ip);
            let node = self.enter(node_of[*place as usize], &at);
            self.branches.tree.nodes[node as usize].own += retired;
        }
    }

    /// The node of activations in that of another one.
    fn enter(&mut self, node: u32, activations: &[SourceLoc]) -> u32 {
        let outermost_first = activations.iter().rev();
        outermost_first.fold(node, |node, at| self.branches.child(node, *at))
    }

    pub fn finish(self) -> Tree {
        self.branches.tree
    }
}
