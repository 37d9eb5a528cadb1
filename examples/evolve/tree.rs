//! Expressions as trees: made at random, crossed, printed, and built as routines.

use std::fmt;

use gpuvm::build::{Body, Value};
use gpuvm::{Routine, build};

/// Random numbers (Marsaglia, "Xorshift RNGs", 2003).
#[derive(Clone)]
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    /// Between 0 and 1.
    pub fn share(&mut self) -> f32 {
        (self.next() >> 8) as f32 / 16_777_216.0
    }
}

/// What stands at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// A variable, by its place among [`NAMES`].
    Variable(usize),
    Constant(f32),
    Sqrt,
    Add,
    Sub,
    Mul,
    Div,
}

/// The variables: half the major axis of an orbit, and the mass of the star.
pub const NAMES: [&str; 2] = ["a", "m"];

/// Nodes of a tree at most.
pub const MOST_NODES: usize = 31;

impl Node {
    /// How many branches it has.
    pub fn branches(self) -> usize {
        match self {
            Node::Variable(_) | Node::Constant(_) => 0,
            Node::Sqrt => 1,
            Node::Add | Node::Sub | Node::Mul | Node::Div => 2,
        }
    }

    fn leaf(rng: &mut Rng) -> Node {
        match rng.below(5) {
            0 => Node::Constant((rng.share() * 40.0).round() / 10.0),
            n => Node::Variable(n % NAMES.len()),
        }
    }

    fn inner(rng: &mut Rng) -> Node {
        [
            Node::Sqrt,
            Node::Add,
            Node::Sub,
            Node::Mul,
            Node::Mul,
            Node::Div,
            Node::Div,
        ][rng.below(7)]
    }

    /// What is drawn for it.
    pub fn label(self) -> String {
        match self {
            Node::Variable(variable) => NAMES[variable].to_string(),
            Node::Constant(value) => format!("{value:.1}"),
            Node::Sqrt => "√".to_string(),
            Node::Add => "+".to_string(),
            Node::Sub => "-".to_string(),
            Node::Mul => "*".to_string(),
            Node::Div => "/".to_string(),
        }
    }
}

/// An expression: its nodes, each before its branches.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree(pub Vec<Node>);

impl Tree {
    /// One of so many levels at most.
    pub fn random(rng: &mut Rng, levels: usize) -> Tree {
        fn grow(nodes: &mut Vec<Node>, rng: &mut Rng, levels: usize) {
            let node = match levels > 1 && rng.below(10) < 8 {
                true => Node::inner(rng),
                false => Node::leaf(rng),
            };
            nodes.push(node);
            for _ in 0..node.branches() {
                grow(nodes, rng, levels - 1);
            }
        }
        let mut nodes = Vec::new();
        grow(&mut nodes, rng, levels);
        Tree(nodes)
    }

    /// One past the last node of the branch that begins at a node.
    pub fn end(&self, start: usize) -> usize {
        let (mut open, mut at) = (1, start);
        while open > 0 {
            open += self.0[at].branches();
            open -= 1;
            at += 1;
        }
        at
    }

    /// This tree with one of its branches in place of which another tree's stands, unless that becomes too large.
    pub fn crossed(&self, other: &Tree, rng: &mut Rng) -> Tree {
        let (start, from) = (rng.below(self.0.len()), rng.below(other.0.len()));
        let branch = &other.0[from..other.end(from)];
        let mut nodes = self.0[..start].to_vec();
        nodes.extend(branch);
        nodes.extend(&self.0[self.end(start)..]);
        match nodes.len() <= MOST_NODES {
            true => Tree(nodes),
            false => self.clone(),
        }
    }

    /// This tree with one node changed into another of as many branches.
    pub fn mutated(&self, rng: &mut Rng) -> Tree {
        let mut tree = self.clone();
        let at = rng.below(tree.0.len());
        tree.0[at] = match tree.0[at] {
            Node::Constant(value) if rng.below(2) == 0 => Node::Constant(value * (0.9 + 0.2 * rng.share())),
            node if node.branches() == 0 => Node::leaf(rng),
            Node::Sqrt => Node::Sqrt,
            _ => [Node::Add, Node::Sub, Node::Mul, Node::Div][rng.below(4)],
        };
        tree
    }

    /// What it comes to.
    pub fn value(&self, variables: [f32; 2]) -> f32 {
        fn go(nodes: &mut std::slice::Iter<'_, Node>, variables: &[f32; 2]) -> f32 {
            let node = *nodes.next().expect("a tree is whole");
            let mut branch = || go(nodes, variables);
            match node {
                Node::Variable(variable) => variables[variable],
                Node::Constant(value) => value,
                Node::Sqrt => branch().sqrt(),
                Node::Add => branch() + branch(),
                Node::Sub => branch() - branch(),
                Node::Mul => branch() * branch(),
                Node::Div => branch() / branch(),
            }
        }
        go(&mut self.0.iter(), &variables)
    }

    /// The routine of its error at a case: the square of how far it is off, as a share of what was measured, 1 at most.
    pub fn routine(&self) -> gpuvm::Result<Routine> {
        build("error", |f| {
            let variables = NAMES.map(|name| f.param::<f32>(name));
            let measured = f.param::<f32>("measured");
            let off = self.built(f, &mut self.0.iter(), &variables) / measured - 1.0;
            let error = off * off;
            // What is no number is not less either.
            f.ret(f.select(error.lt(1.0), error, 1.0));
        })
    }

    fn built<'b>(
        &self,
        f: &'b Body,
        nodes: &mut std::slice::Iter<'_, Node>,
        variables: &[Value<'b, f32>; 2],
    ) -> Value<'b, f32> {
        let node = *nodes.next().expect("a tree is whole");
        let mut branch = || self.built(f, nodes, variables);
        match node {
            Node::Variable(variable) => variables[variable],
            Node::Constant(value) => f.constant(value),
            Node::Sqrt => branch().sqrt(),
            Node::Add => branch() + branch(),
            Node::Sub => branch() - branch(),
            Node::Mul => branch() * branch(),
            Node::Div => branch() / branch(),
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn go(nodes: &mut std::slice::Iter<'_, Node>) -> String {
            let node = *nodes.next().expect("a tree is whole");
            let mut branch = || go(nodes);
            match node {
                Node::Sqrt => format!("sqrt({})", branch()),
                node if node.branches() == 2 => {
                    let (left, right) = (branch(), branch());
                    format!("({left} {} {right})", node.label())
                }
                node => node.label(),
            }
        }
        f.write_str(&go(&mut self.0.iter()))
    }
}
