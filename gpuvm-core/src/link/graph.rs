//! Who calls whom: an order with callees first, circles, and how deep calls nest.

use crate::ir::Function;
use crate::isa::Op;

/// The calls between functions.
pub(crate) struct CallGraph {
    /// The functions each one calls, each once.
    pub calls: Vec<Vec<usize>>,
    /// All functions, callees before their callers but for circles.
    pub order: Vec<usize>,
    /// Whether each function can come to call itself.
    pub recursive: Vec<bool>,
    /// The circle that each function belongs to, counted in the order of `order`.
    component: Vec<usize>,
}

impl CallGraph {
    /// The graph of the calls that are in the functions now.
    pub fn of<'f>(functions: impl Iterator<Item = &'f Function>) -> CallGraph {
        let calls: Vec<Vec<usize>> = functions
            .map(|function| {
                let code = function.blocks.iter().flat_map(|block| &block.code);
                let mut called: Vec<usize> = code
                    .filter(|inst| inst.op == Op::Call)
                    .map(|inst| inst.imm as usize)
                    .collect();
                called.sort_unstable();
                called.dedup();
                called
            })
            .collect();
        let (order, component) = components(&calls);
        let mut size = vec![0; calls.len()];
        for &c in &component {
            size[c] += 1;
        }
        let recursive = (0..calls.len())
            .map(|f| size[component[f]] > 1 || calls[f].contains(&f))
            .collect();
        CallGraph {
            calls,
            order,
            recursive,
            component,
        }
    }

    /// Whether each function is called, directly or not, from `start`, which counts itself.
    pub fn reachable(&self, start: usize) -> Vec<bool> {
        let mut reached = vec![false; self.calls.len()];
        let mut work = vec![start];
        while let Some(f) = work.pop() {
            if !std::mem::replace(&mut reached[f], true) {
                work.extend(&self.calls[f]);
            }
        }
        reached
    }

    /// The largest sum of weights along a chain of calls from `start` on, `start` included. A function that can call itself
    /// counts as often as a circle of calls may go round.
    pub fn deepest(&self, start: usize, weight: impl Fn(usize) -> u64, rounds: u64) -> u64 {
        let mut below = vec![0u64; self.calls.len()];
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.calls.len()];
        for &f in &self.order {
            members[self.component[f]].push(f);
        }
        // Components are numbered callees first, so whatever a component calls is known already.
        for circle in members.iter().filter(|circle| !circle.is_empty()) {
            let outside = circle
                .iter()
                .flat_map(|&f| &self.calls[f])
                .filter(|&&callee| self.component[callee] != self.component[circle[0]])
                .map(|&callee| below[callee])
                .max()
                .unwrap_or(0);
            let own = circle.iter().map(|&f| weight(f)).max().unwrap_or(0);
            let times = if self.recursive[circle[0]] { rounds } else { 1 };
            for &f in circle {
                below[f] = own.saturating_mul(times).saturating_add(outside);
            }
        }
        below[start]
    }
}

/// Strongly connected components after Tarjan, without recursion: an order with callees first, and each function's component.
fn components(calls: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    const UNSEEN: usize = usize::MAX;
    let count = calls.len();
    let (mut index, mut low) = (vec![UNSEEN; count], vec![0; count]);
    let mut component = vec![UNSEEN; count];
    let (mut open, mut order) = (Vec::new(), Vec::new());
    let (mut next_index, mut next_component) = (0, 0);
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some(&mut (f, ref mut edge)) = work.last_mut() {
            if *edge == 0 {
                (index[f], low[f]) = (next_index, next_index);
                next_index += 1;
                open.push(f);
            }
            if let Some(&callee) = calls[f].get(*edge) {
                *edge += 1;
                if index[callee] == UNSEEN {
                    work.push((callee, 0));
                } else if component[callee] == UNSEEN {
                    low[f] = low[f].min(index[callee]);
                }
                continue;
            }
            work.pop();
            if let Some(&(caller, _)) = work.last() {
                low[caller] = low[caller].min(low[f]);
            }
            if low[f] == index[f] {
                while let Some(member) = open.pop() {
                    component[member] = next_component;
                    order.push(member);
                    if member == f {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    (order, component)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    fn graph(calls: &[&[u32]]) -> CallGraph {
        let functions: Vec<Function> = calls
            .iter()
            .map(|callees| {
                let mut function = blocks(vec![End::Return(vec![])]);
                for &callee in *callees {
                    let mut call = assemble("call 0 0 0").remove(0);
                    (call.imm, call.extra) = (callee, 0);
                    function.blocks[0].code.push(call);
                }
                function
            })
            .collect();
        CallGraph::of(functions.iter())
    }

    #[test]
    fn callees_come_first() {
        let graph = graph(&[&[1, 2], &[2], &[]]);
        assert_eq!(graph.order, [2, 1, 0]);
        assert_eq!(graph.reachable(1), [false, true, true]);
        assert!(graph.recursive.iter().all(|&recursive| !recursive));
        assert_eq!(graph.deepest(0, |_| 1, 100), 3);
        assert_eq!(graph.deepest(0, |f| [10, 5, 1][f], 100), 16);
    }

    #[test]
    fn circles_are_found() {
        let graph = graph(&[&[1], &[2, 3], &[1], &[], &[4]]);
        assert_eq!(graph.recursive, [false, true, true, false, true]);
        assert_eq!(graph.deepest(0, |_| 1, 100), 1 + 100 + 1);
    }
}
