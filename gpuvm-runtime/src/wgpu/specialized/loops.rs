//! Dominators and loops of a [`Flow`].

use super::flow::{Exit, Flow};

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

/// Instructions of an unrolled loop's body at most.
const UNROLLED: u32 = 64;
/// Copies of a loop's body at most.
const MOST_COPIES: u32 = 8;

/// Repeats the bodies of small innermost loops, so that what is done once an iteration, such as looking at the budget, is done
/// less often.
pub fn unroll(flow: &mut Flow) {
    let Some(shape) = Shape::new(flow) else {
        return;
    };
    for one in &shape.loops {
        let blocks: Vec<usize> = (0..one.inside.len()).filter(|&block| one.inside[block]).collect();
        let innermost = !blocks
            .iter()
            .any(|&block| block != one.header && shape.is_header(block));
        let yields = blocks
            .iter()
            .any(|&block| matches!(flow.blocks[block].exit, Exit::Yield(_) | Exit::Pause));
        let size: u32 = blocks
            .iter()
            .map(|&block| flow.blocks[block].end - flow.blocks[block].start)
            .sum();
        let copies = (UNROLLED / size.max(1)).min(MOST_COPIES);
        if innermost && !yields && copies > 1 {
            repeat(flow, &blocks, one.header, copies as usize);
        }
    }
}

fn repeat(flow: &mut Flow, blocks: &[usize], header: usize, copies: usize) {
    let first = flow.blocks.len();
    // The number of a block's copy; copy 0 is the block itself.
    let number = |copy: usize, block: usize| match (copy, blocks.binary_search(&block)) {
        (0, _) | (_, Err(_)) => block,
        (_, Ok(place)) => first + (copy - 1) * blocks.len() + place,
    };
    for copy in 1..copies {
        for &block in blocks {
            let mut copied = flow.blocks[block].clone();
            copied.exit.map(|to| match to == header {
                true => number((copy + 1) % copies, header),
                false => number(copy, to),
            });
            flow.blocks.push(copied);
        }
    }
    for &block in blocks {
        flow.blocks[block]
            .exit
            .map(|to| if to == header { number(1, header) } else { to });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpuvm_core::assembly::assemble;

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

    #[test]
    fn small_loops_are_repeated_and_keep_their_exits() {
        let mut flow = flow("code\nvmid w1\nagain:\naddi w1, w1, -1\njnz @again, w1\nhalt");
        unroll(&mut flow);
        let shape = Shape::new(&flow).unwrap();
        assert_eq!(shape.loops.len(), 1);
        assert_eq!(shape.loops[0].inside.iter().filter(|&&x| x).count(), 8);
        assert_eq!(shape.order.len(), 1 + 8 + 1);
    }
}
