//! Structured control flow from blocks and jumps, after Norman Ramsey, "Beyond Relooper" (2022): a block's code stands where the
//! dominator tree has it. Two things differ. What a shader cannot do, leave several constructs at once, is done step by step with
//! a number that tells where to; and where a loop leads is put behind it and not inside, as a person would write it.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::{Exit, Flow};
use super::loops::Shape;

/// A step of structured code. Numbers are those of a [`Flow`]'s blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The instructions of a block, without its exit.
    Straight(usize),
    /// One of two, by the condition at the end of the block.
    Branch {
        /// The block that ends with the condition.
        block: usize,
        /// What follows if it is met.
        accept: Vec<Step>,
        /// What follows if it is not.
        reject: Vec<Step>,
    },
    /// One of several, by a word at the end of the block. [`Step::Break`] in it leaves it.
    Switch {
        /// The block that ends with the switch.
        block: usize,
        /// The values that lead to some steps, and these.
        cases: Vec<(Vec<u32>, Vec<Step>)>,
        /// What follows if it is none of them.
        default: Vec<Step>,
    },
    /// The VM yields at the end of the block; when it goes on, what follows.
    Yield {
        /// The block.
        block: usize,
        /// What follows.
        next: Vec<Step>,
    },
    /// Steps again and again.
    Loop {
        /// The block through which the loop is entered.
        header: usize,
        /// The steps.
        body: Vec<Step>,
    },
    /// Steps that [`Step::Break`] can leave.
    Once(Vec<Step>),
    /// Leaves the innermost [`Step::Loop`], [`Step::Switch`] or [`Step::Once`].
    Break,
    /// Goes on with the next turn of the innermost [`Step::Loop`].
    Continue,
    /// Notes the number of a place further out before a [`Step::Break`].
    Leave(u32),
    /// Steps for a VM that is on its way to the numbered place, which it no longer is afterwards.
    OnLeave {
        /// The number.
        id: u32,
        /// The steps.
        steps: Vec<Step>,
    },
    /// The VM stops at the end of the block.
    Stop(usize),
}

/// Where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    /// To the code of a block.
    Block(usize),
    /// To the next turn of the loop with this header.
    Again(usize),
    /// Nowhere: the code does not end there.
    Nowhere,
}

/// A construct around the code at hand that [`Step::Break`] leaves.
struct Around {
    /// The header of a loop, `None` for [`Step::Switch`] and [`Step::Once`].
    header: Option<usize>,
    /// Where control is after it.
    after: Label,
    /// Where code inside of it goes past that.
    past: BTreeSet<Label>,
}

/// What stands in front of the blocks that follow it.
enum Inner {
    Loop(usize),
    Plain(usize),
}

struct Builder<'a> {
    flow: &'a Flow,
    shape: &'a Shape,
    /// Blocks whose code stands where their one predecessor branches to them.
    inline: Vec<bool>,
    /// For each block, those that follow its code and everything that it dominates inline.
    merges: Vec<Vec<usize>>,
    /// For each header, the blocks that follow its loop.
    exits: Vec<Vec<usize>>,
    /// Blocks that have to be reached by leaving a construct in front of them.
    wrapped: BTreeSet<usize>,
    /// Blocks that turned out to be such.
    wanted: BTreeSet<usize>,
    around: Vec<Around>,
    numbers: BTreeMap<Label, u32>,
    /// Whether some place could not be reached.
    lost: bool,
}

/// The flow as structured code. `None` if a loop has a second entry or calls remain.
pub fn structure(flow: &Flow) -> Option<Vec<Step>> {
    if flow.calls {
        return None;
    }
    let shape = Shape::new(flow)?;
    let mut builder = Builder {
        flow,
        shape: &shape,
        inline: vec![false; flow.blocks.len()],
        merges: vec![Vec::new(); flow.blocks.len()],
        exits: vec![Vec::new(); flow.blocks.len()],
        wrapped: BTreeSet::new(),
        wanted: BTreeSet::new(),
        around: Vec::new(),
        numbers: BTreeMap::new(),
        lost: false,
    };
    builder.place();
    loop {
        let steps = builder.node(0, Label::Nowhere);
        if builder.lost {
            return None;
        }
        if builder.wanted.is_empty() {
            return Some(steps);
        }
        builder.wrapped.append(&mut builder.wanted);
    }
}

/// Instructions that may stand inside of a loop without being part of it.
const SMALL: u32 = 64;

impl Builder<'_> {
    /// Decides where each block's code stands.
    fn place(&mut self) {
        let mut exits: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &block in &self.shape.order[1..] {
            let parent = self.shape.dominators[block];
            // Outer loops come first.
            let left = self
                .shape
                .loops
                .iter()
                .find(|one| one.inside[parent] && !one.inside[block]);
            match left {
                Some(left) => exits.entry(left.header).or_default().push(block),
                None if self.shape.forward[block] == 1 => self.inline[block] = true,
                None => self.merges[parent].push(block),
            }
        }
        for (header, mut blocks) in exits {
            // A short way out that is taken from one place stays in the loop, if there is a main one.
            let (mut small, mut large): (Vec<usize>, Vec<usize>) = blocks
                .drain(..)
                .partition(|&block| self.shape.forward[block] == 1 && self.is_small(block));
            if large.is_empty() {
                let main = (0..small.len()).max_by_key(|&i| (self.size(small[i]), usize::MAX - i));
                large.extend(main.map(|main| small.remove(main)));
            }
            small.into_iter().for_each(|block| self.inline[block] = true);
            self.exits[header] = large;
        }
    }

    /// The blocks that a block dominates, and itself.
    fn subtree(&self, block: usize) -> impl Iterator<Item = usize> {
        let order = self.shape.order[self.shape.places[block]..].iter().copied();
        order.filter(move |&below| self.shape.dominates(block, below))
    }

    fn size(&self, block: usize) -> u32 {
        let size = |block: usize| self.flow.blocks[block].end - self.flow.blocks[block].start;
        self.subtree(block).map(size).sum()
    }

    fn is_small(&self, block: usize) -> bool {
        self.size(block) <= SMALL && !self.subtree(block).any(|below| self.shape.is_header(below))
    }

    /// The code of a block and of what follows it.
    fn node(&mut self, block: usize, fall: Label) -> Vec<Step> {
        if self.shape.is_header(block) {
            let exits = self.exits[block].clone();
            self.sequence(Inner::Loop(block), &exits, fall)
        } else {
            let merges = self.merges[block].clone();
            self.sequence(Inner::Plain(block), &merges, fall)
        }
    }

    /// Code, and behind it the blocks that it leads to, of which each may lead to the later ones.
    fn sequence(&mut self, inner: Inner, followers: &[usize], fall: Label) -> Vec<Step> {
        let Some((&last, others)) = followers.split_last() else {
            return match inner {
                Inner::Loop(header) => self.turn(header, fall),
                Inner::Plain(block) => self.plain(block, fall),
            };
        };
        let target = Label::Block(last);
        let mut steps = if self.wrapped.contains(&last) {
            self.enter(None, target);
            let body = self.sequence(inner, others, target);
            self.leave(Step::Once(body))
        } else {
            self.sequence(inner, others, target)
        };
        steps.extend(self.node(last, fall));
        steps
    }

    fn turn(&mut self, header: usize, fall: Label) -> Vec<Step> {
        self.enter(Some(header), fall);
        let merges = self.merges[header].clone();
        let body = self.sequence(Inner::Plain(header), &merges, Label::Again(header));
        self.leave(Step::Loop { header, body })
    }

    fn enter(&mut self, header: Option<usize>, after: Label) {
        self.around.push(Around {
            header,
            after,
            past: BTreeSet::new(),
        });
    }

    /// The construct, and behind it the ways to places further out.
    fn leave(&mut self, construct: Step) -> Vec<Step> {
        let past = self.around.pop().map(|around| around.past).unwrap_or_default();
        let mut steps = vec![construct];
        for label in past {
            let id = self.number(label);
            let jump = self.jump(label, Label::Nowhere);
            steps.push(Step::OnLeave { id, steps: jump });
        }
        steps
    }

    fn plain(&mut self, block: usize, fall: Label) -> Vec<Step> {
        let mut steps = vec![Step::Straight(block)];
        match self.flow.blocks[block].exit {
            Exit::Goto(to) => steps.extend(self.edge(block, to, fall)),
            Exit::Switch { ref cases, default, .. } => {
                let mut arms: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
                for &(value, to) in cases.iter().filter(|(_, to)| *to != default) {
                    arms.entry(to).or_default().push(value);
                }
                self.enter(None, fall);
                let arms = arms.into_iter();
                let cases = arms.map(|(to, values)| (values, self.edge(block, to, fall))).collect();
                let default = self.edge(block, default, fall);
                steps.extend(self.leave(Step::Switch { block, cases, default }));
            }
            Exit::Branch { accept, reject, .. } | Exit::Ahead { accept, reject, .. } => {
                let accept = self.edge(block, accept, fall);
                let reject = self.edge(block, reject, fall);
                steps.push(Step::Branch { block, accept, reject });
            }
            Exit::Yield(to) => {
                let next = self.edge(block, to, fall);
                steps.push(Step::Yield { block, next });
            }
            _ => steps.push(Step::Stop(block)),
        }
        steps
    }

    fn edge(&mut self, from: usize, to: usize, fall: Label) -> Vec<Step> {
        if self.shape.closes(from, to) {
            self.jump(Label::Again(to), fall)
        } else if self.inline[to] {
            self.node(to, fall)
        } else {
            self.jump(Label::Block(to), fall)
        }
    }

    fn jump(&mut self, label: Label, fall: Label) -> Vec<Step> {
        if label == fall {
            return Vec::new();
        }
        let mut in_loop = true;
        for (depth, around) in self.around.iter().rev().enumerate() {
            let again = around.header.is_some_and(|header| label == Label::Again(header));
            if again && in_loop {
                return vec![Step::Continue];
            }
            if around.after == label && depth == 0 {
                return vec![Step::Break];
            }
            if again || around.after == label {
                let id = self.number(label);
                if let Some(innermost) = self.around.last_mut() {
                    innermost.past.insert(label);
                }
                return vec![Step::Leave(id), Step::Break];
            }
            in_loop &= around.header.is_none();
        }
        match label {
            Label::Block(block) if !self.wrapped.contains(&block) => {
                self.wanted.insert(block);
            }
            _ => self.lost = true,
        }
        Vec::new()
    }

    /// The number of a place for [`Step::Leave`], from 1 on.
    fn number(&mut self, label: Label) -> u32 {
        let next = self.numbers.len() as u32 + 1;
        *self.numbers.entry(label).or_insert(next)
    }
}
