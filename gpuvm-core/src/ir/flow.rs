//! What the shape of a function's graph tells: predecessors, an order of blocks, dominators, loop depth.

use super::{End, Function};

/// The blocks reachable from the entry, each after its predecessors but for back edges.
pub(crate) fn reverse_postorder(function: &Function) -> Vec<usize> {
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::with_capacity(function.blocks.len());
    let mut stack = vec![(0, function.blocks[0].end.successors())];
    seen[0] = true;
    while let Some((block, successors)) = stack.last_mut() {
        match successors.next() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, function.blocks[next].end.successors()));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The blocks reachable from the entry in chains: within a chain each block is the only way into the next, so that what is known
/// at the end of one holds at the start of the next. Gives each block with its chain's number, from 1 on; a block comes after
/// those that dominate it.
pub(crate) fn chains(function: &Function) -> Vec<(usize, u32)> {
    let before = predecessors(function);
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::with_capacity(function.blocks.len());
    let mut chain = 0;
    for first in reverse_postorder(function) {
        if seen[first] {
            continue;
        }
        chain += 1;
        let mut next = Some(first);
        while let Some(b) = next {
            seen[b] = true;
            order.push((b, chain));
            let mut successors = function.blocks[b].end.successors();
            next = successors.find(|&to| to != 0 && !seen[to] && before[to].len() == 1);
        }
    }
    order
}

/// An order for writing blocks down: as [`reverse_postorder`], but a loop's blocks stay together, with what comes after the
/// loop after them, and a loop that ends in a jump to its start is turned so that a way out of it comes last: each turn then
/// takes one jump and not two.
pub(crate) fn layout(function: &Function) -> Vec<usize> {
    let shape = Shape::of(function);
    let mut order = Vec::with_capacity(shape.order.len());
    let mut seen = vec![false; function.blocks.len()];
    // What is visited first is written last: the way out of a loop before the way that stays, the jump before falling through.
    let visits = |block: usize| {
        let mut next: Vec<usize> = function.blocks[block].end.successors().collect();
        next.sort_by_key(|&to| std::cmp::Reverse(shape.depth[to]));
        next
    };
    let mut stack = vec![(0, visits(0))];
    seen[0] = true;
    while let Some((block, next)) = stack.last_mut() {
        match next.pop() {
            Some(to) if !std::mem::replace(&mut seen[to], true) => stack.push((to, visits(to))),
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    for each in &shape.loops {
        turn(function, each, &mut order);
    }
    order
}

/// Turns a loop's blocks if that saves a jump: `H … X Y … L`, where `L` jumps to `H` and `X` may leave, becomes `Y … L H … X`.
fn turn(function: &Function, each: &Loop, order: &mut [usize]) {
    let Some(start) = order.iter().position(|&b| b == each.header) else {
        return;
    };
    let Some(segment) = order.get_mut(start..start + each.body.len()) else {
        return;
    };
    let inside = |b: usize| each.body.contains(&b);
    if !segment.iter().all(|&b| inside(b)) {
        return;
    }
    let returns = segment
        .last()
        .is_some_and(|&b| function.blocks[b].end == End::Jump(each.header));
    let leaves = segment.windows(2).position(|pair| {
        let mut next = function.blocks[pair[0]].end.successors();
        let falls = function.blocks[pair[0]].end.successors().any(|to| to == pair[1]);
        falls && next.any(|to| !inside(to))
    });
    if let (true, Some(at)) = (returns, leaves) {
        segment.rotate_left(at + 1);
    }
}

/// For each block, the blocks that may come before it.
pub(crate) fn predecessors(function: &Function) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); function.blocks.len()];
    for (i, block) in function.blocks.iter().enumerate() {
        for next in block.end.successors() {
            before[next].push(i);
        }
    }
    before
}

/// Who dominates whom, and how deep in loops each block lies.
pub(crate) struct Shape {
    /// Reachable blocks in reverse postorder.
    pub order: Vec<usize>,
    /// Each block's place in `order`; `usize::MAX` for a block never reached.
    pub rank: Vec<usize>,
    /// Each block's immediate dominator; the entry's is itself.
    pub dominator: Vec<usize>,
    /// How many loops each block lies in.
    pub depth: Vec<u32>,
    /// The loops, inner ones after the outer ones that hold them.
    pub loops: Vec<Loop>,
    /// For each block the place in `loops` of the loop that it is the header of.
    pub loop_of: Vec<Option<usize>>,
}

/// What a shortcut past blocks does to loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortcut {
    /// Nothing, or there is less to the loops.
    Plain,
    /// It makes a loop that starts where it leads to.
    Turns,
    /// It enters a loop in its midst, which must not be: a loop has one entry.
    Enters,
}

/// A natural loop.
#[derive(Debug)]
pub(crate) struct Loop {
    /// The block that dominates all of it.
    pub header: usize,
    /// Its blocks, the header among them.
    pub body: Vec<usize>,
}

impl Shape {
    /// Looks at a function. Dominators by Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm" (2001).
    pub fn of(function: &Function) -> Shape {
        let count = function.blocks.len();
        let before = predecessors(function);
        let order = reverse_postorder(function);
        let mut rank = vec![usize::MAX; count];
        for (i, &block) in order.iter().enumerate() {
            rank[block] = i;
        }
        let mut dominator = vec![usize::MAX; count];
        dominator[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &order[1..] {
                let mut new = usize::MAX;
                for &p in &before[block] {
                    if dominator[p] != usize::MAX {
                        new = if new == usize::MAX {
                            p
                        } else {
                            meet(&dominator, &rank, new, p)
                        };
                    }
                }
                changed |= dominator[block] != new;
                dominator[block] = new;
            }
        }
        let mut shape = Shape {
            order,
            rank,
            dominator,
            depth: vec![0; count],
            loops: Vec::new(),
            loop_of: vec![None; count],
        };
        shape.find_loops(&before);
        shape
    }

    /// Whether every path from the entry to `b` leads through `a`.
    pub fn dominates(&self, a: usize, mut b: usize) -> bool {
        while self.rank[b] > self.rank[a] {
            b = self.dominator[b];
        }
        a == b
    }

    /// Whether every loop has one entry.
    pub fn is_reducible(&self, function: &Function) -> bool {
        self.order.iter().all(|&from| {
            let mut next = function.blocks[from].end.successors();
            next.all(|to| self.rank[to] > self.rank[from] || self.dominates(to, from))
        })
    }

    /// What it would do if control went from one block straight to another to which these blocks lead it now. Past the start of a
    /// loop into the midst of it only those may go that come from behind that place: the loop starts there for them.
    pub fn shortcut(&self, from: usize, past: &[usize], to: usize) -> Shortcut {
        let loops = past.iter().filter_map(|&block| self.loop_of[block]);
        if !loops.clone().any(|each| self.loops[each].body.contains(&to)) {
            Shortcut::Plain
        } else if self.dominates(to, from) {
            Shortcut::Turns
        } else {
            Shortcut::Enters
        }
    }

    fn find_loops(&mut self, before: &[Vec<usize>]) {
        let mut mark = vec![usize::MAX; before.len()];
        for i in 0..self.order.len() {
            let header = self.order[i];
            let mut work: Vec<usize> = before[header]
                .iter()
                .copied()
                .filter(|&p| self.rank[p] != usize::MAX && self.dominates(header, p))
                .collect();
            if work.is_empty() {
                continue;
            }
            let mut body = vec![header];
            mark[header] = header;
            while let Some(block) = work.pop() {
                if mark[block] == header {
                    continue;
                }
                mark[block] = header;
                body.push(block);
                work.extend(before[block].iter().copied().filter(|&p| self.rank[p] != usize::MAX));
            }
            for &block in &body {
                self.depth[block] += 1;
            }
            self.loop_of[header] = Some(self.loops.len());
            self.loops.push(Loop { header, body });
        }
    }
}

/// The nearest block that dominates both.
fn meet(dominator: &[usize], rank: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while rank[a] > rank[b] {
            a = dominator[a];
        }
        while rank[b] > rank[a] {
            b = dominator[b];
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::blocks;

    #[test]
    fn a_loop_in_a_loop_is_found() {
        // 0 → 1 → 2 ⇄ 2, 2 → 3, 3 → 1 or 4.
        let function = blocks(vec![
            End::Jump(1),
            End::Jump(2),
            End::Branch {
                word: 0,
                then: 2,
                otherwise: 3,
            },
            End::Branch {
                word: 0,
                then: 1,
                otherwise: 4,
            },
            End::Halt,
        ]);
        let shape = Shape::of(&function);
        assert_eq!(shape.depth, [0, 1, 2, 1, 0]);
        assert_eq!(shape.dominator, [0, 0, 1, 2, 3]);
        assert!(shape.dominates(1, 3) && !shape.dominates(3, 2));
        assert_eq!(shape.loops.iter().map(|l| l.header).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_shortcut_past_a_header_may_be_a_second_entry() {
        // 0 → 1: leave to 4, or 2, which goes back or to 3, which goes back.
        let branch = |then, otherwise| End::Branch {
            word: 0,
            then,
            otherwise,
        };
        let function = blocks(vec![End::Jump(1), branch(2, 4), branch(1, 3), End::Jump(1), End::Halt]);
        let shape = Shape::of(&function);
        assert_eq!(shape.shortcut(0, &[1], 2), Shortcut::Enters);
        assert_eq!(shape.shortcut(0, &[1], 4), Shortcut::Plain);
        assert_eq!(shape.shortcut(3, &[1], 2), Shortcut::Turns);
        assert_eq!(shape.shortcut(3, &[1], 4), Shortcut::Plain);
        assert_eq!(shape.shortcut(2, &[1], 3), Shortcut::Enters);
    }

    #[test]
    fn a_loop_is_written_with_its_way_out_last() {
        // 0 → 1: leave to 3, or 2 → 1.
        let function = blocks(vec![
            End::Jump(1),
            End::Branch {
                word: 0,
                then: 2,
                otherwise: 3,
            },
            End::Jump(1),
            End::Halt,
        ]);
        assert_eq!(layout(&function), [0, 2, 1, 3]);
    }

    #[test]
    fn a_chain_follows_blocks_with_one_way_in() {
        // 0 → 1 → 2 ⇄ 2, 2 → 3.
        let function = blocks(vec![
            End::Branch {
                word: 0,
                then: 3,
                otherwise: 1,
            },
            End::Jump(2),
            End::Branch {
                word: 0,
                then: 2,
                otherwise: 3,
            },
            End::Halt,
        ]);
        assert_eq!(chains(&function), [(0, 1), (1, 1), (2, 2), (3, 3)]);
    }

    #[test]
    fn blocks_never_reached_do_no_harm() {
        let function = blocks(vec![End::Jump(2), End::Jump(2), End::Halt]);
        let shape = Shape::of(&function);
        assert_eq!(shape.order, [0, 2]);
        assert_eq!(shape.dominator[2], 0);
    }
}
