//! Dominators and loops of a [`Flow`].

use super::flow::Flow;

/// What the order of a flow's blocks says about them. Blocks that cannot be reached belong to nothing.
#[derive(Debug)]
pub struct Shape {
    /// The blocks in reverse postorder.
    pub order: Vec<usize>,
    /// Each block's place in the order.
    pub places: Vec<usize>,
    /// Each block's immediate dominator; the entry's is itself.
    pub dominators: Vec<usize>,
    /// The loops, outer ones before those inside of them.
    pub loops: Vec<Loop>,
    /// Edges that reach each block but for those that close a loop.
    pub forward: Vec<usize>,
}

/// A natural loop.
#[derive(Debug)]
pub struct Loop {
    /// The block through which it is entered.
    pub header: usize,
    /// Which blocks are inside.
    pub inside: Vec<bool>,
}

impl Loop {
    /// The blocks inside, in order.
    pub fn blocks(&self) -> impl Iterator<Item = usize> {
        (0..self.inside.len()).filter(|&block| self.inside[block])
    }

    /// The blocks that close the loop.
    pub fn latches(&self, flow: &Flow) -> impl Iterator<Item = usize> {
        self.blocks()
            .filter(|&block| flow.blocks[block].exit.targets().any(|to| to == self.header))
    }
}

impl Shape {
    /// Finds dominators and loops. `None` if some loop has a second entry.
    pub fn new(flow: &Flow) -> Option<Shape> {
        let (order, places) = flow.order();
        let mut before = vec![Vec::new(); flow.blocks.len()];
        for &block in &order {
            for to in flow.blocks[block].exit.targets() {
                before[to].push(block);
            }
        }
        let dominators = dominators(&order, &places, &before);
        let mut shape = Shape {
            forward: vec![0; order.len().max(flow.blocks.len())],
            order,
            places,
            dominators,
            loops: Vec::new(),
        };
        for place in 0..shape.order.len() {
            let block = shape.order[place];
            let (closing, forward): (Vec<usize>, Vec<usize>) =
                before[block].iter().partition(|&&from| shape.places[from] >= place);
            shape.forward[block] = forward.len();
            if closing.iter().any(|&from| !shape.dominates(block, from)) {
                return None;
            }
            if !closing.is_empty() {
                let inside = natural(block, closing, &before);
                shape.loops.push(Loop { header: block, inside });
            }
        }
        Some(shape)
    }

    /// Whether every way to `block` leads through `by`.
    pub fn dominates(&self, by: usize, mut block: usize) -> bool {
        while self.places[block] > self.places[by] {
            block = self.dominators[block];
        }
        block == by
    }

    /// Whether the edge closes a loop.
    pub fn closes(&self, from: usize, to: usize) -> bool {
        self.places[to] <= self.places[from]
    }

    /// Whether the block is a loop's header.
    pub fn is_header(&self, block: usize) -> bool {
        self.loops.iter().any(|one| one.header == block)
    }
}

/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
fn dominators(order: &[usize], places: &[usize], before: &[Vec<usize>]) -> Vec<usize> {
    let mut found = vec![usize::MAX; places.len()];
    found[order[0]] = order[0];
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order[1..] {
            let known = before[block].iter().filter(|&&from| found[from] != usize::MAX);
            let meet = known.copied().reduce(|mut a, mut b| {
                while a != b {
                    if places[a] > places[b] {
                        a = found[a];
                    } else {
                        b = found[b];
                    }
                }
                a
            });
            if let Some(meet) = meet {
                changed |= found[block] != meet;
                found[block] = meet;
            }
        }
    }
    found
}

/// The blocks from which a loop is closed without passing its header, and the header.
fn natural(header: usize, closing: Vec<usize>, before: &[Vec<usize>]) -> Vec<bool> {
    let mut inside = vec![false; before.len()];
    inside[header] = true;
    let mut left = closing;
    while let Some(block) = left.pop() {
        if !inside[block] {
            inside[block] = true;
            left.extend(&before[block]);
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::assemble;

    fn flow(text: &str) -> Flow {
        Flow::new(&assemble(text).unwrap())
    }

    #[test]
    fn loops_nest() {
        let flow = flow("code\nouter:\naddi w1, w1, 1\ninner:\naddi w2, w2, 1\njnz @inner, w2\njnz @outer, w1\nhalt");
        let shape = Shape::new(&flow).unwrap();
        let loops: Vec<_> = shape
            .loops
            .iter()
            .map(|l| (l.header, l.inside.iter().filter(|&&x| x).count()))
            .collect();
        assert_eq!(loops, [(0, 3), (1, 1)]);
    }

    #[test]
    fn a_loop_with_two_entries_has_no_shape() {
        let text = "code\nvmid w1\njnz @b, w1\na:\naddi w1, w1, 1\nb:\naddi w1, w1, 2\njnz @a, w1\nhalt";
        assert!(Shape::new(&flow(text)).is_none());
    }
}
