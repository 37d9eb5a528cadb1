//! Which jumps between blocks go straight, and which by way of the dispatch.
//!
//! Engines make loops and branches of a program whose loops have one entry each. The dispatch may go to any entry, so a loop with one inside of it has two, unless
//! it is closed by way of the dispatch: then it is no loop but a part of the dispatch's.

use std::collections::BTreeSet;

/// A graph of blocks: which follow each.
pub(super) type Graph = Vec<Vec<usize>>;

/// Takes edges out of a graph until each loop has one entry, and gives them. Whatever they lead to is an entry then, and so is each block that begins a loop
/// that is in no other.
pub(super) fn route(graph: &Graph, entries: &mut BTreeSet<usize>) -> BTreeSet<(usize, usize)> {
    let mut routed = BTreeSet::new();
    for headers in [true, false] {
        loop {
            let before = (routed.len(), entries.len());
            let all: Vec<usize> = (0..graph.len()).collect();
            settle(graph, &all, entries, &mut routed, headers, &BTreeSet::new());
            if before == (routed.len(), entries.len()) {
                break;
            }
        }
    }
    routed
}

/// Looks at the loops among some blocks, without the edges to `closed`.
fn settle(
    graph: &Graph,
    among: &[usize],
    entries: &mut BTreeSet<usize>,
    routed: &mut BTreeSet<(usize, usize)>,
    outermost: bool,
    closed: &BTreeSet<usize>,
) {
    for part in components(graph, among, routed, closed) {
        let inside: BTreeSet<usize> = part.iter().copied().collect();
        let mut heads: BTreeSet<usize> = part.iter().copied().filter(|block| entries.contains(block)).collect();
        for from in (0..graph.len()).filter(|from| !inside.contains(from)) {
            let into = graph[from]
                .iter()
                .filter(|&&to| inside.contains(&to) && !routed.contains(&(from, to)));
            heads.extend(into);
        }
        let Some(&head) = heads.first() else { continue };
        if heads.len() > 1 {
            for &from in &part {
                if graph[from].contains(&head) {
                    routed.insert((from, head));
                }
            }
            entries.insert(head);
        } else if outermost {
            entries.insert(head);
            continue;
        }
        let mut closed = closed.clone();
        closed.insert(head);
        settle(graph, &part, entries, routed, false, &closed);
    }
}

/// How many instructions at most a guest may retire from a block to the next one that asks for its budget.
const FAR: u32 = 512;

/// Which blocks ask whether the budget lasts, and for how many instructions: as many as there are at most on a way to the next that asks. Entries do, and what closes a
/// loop leads to one. `costs` are the instructions of each block.
pub(super) fn checks(
    graph: &Graph,
    costs: &[u32],
    entries: &BTreeSet<usize>,
    routed: &BTreeSet<(usize, usize)>,
) -> Vec<Option<u32>> {
    let mut asks = vec![false; graph.len()];
    entries.iter().for_each(|&entry| asks[entry] = true);
    // Blocks behind all that they lead to, but for what closes loops.
    let mut order = Vec::with_capacity(graph.len());
    let (mut seen, mut open) = (vec![false; graph.len()], vec![false; graph.len()]);
    for root in 0..graph.len() {
        if seen[root] {
            continue;
        }
        asks[root] = true;
        let mut path = vec![(root, 0)];
        (seen[root], open[root]) = (true, true);
        while let Some((block, at)) = path.pop() {
            match graph[block].get(at) {
                Some(&to) => {
                    path.push((block, at + 1));
                    if routed.contains(&(block, to)) {
                        continue;
                    }
                    if open[to] {
                        asks[to] = true;
                    } else if !seen[to] {
                        (seen[to], open[to]) = (true, true);
                        path.push((to, 0));
                    }
                }
                None => {
                    open[block] = false;
                    order.push(block);
                }
            }
        }
    }
    let mut far = vec![0; graph.len()];
    for &block in &order {
        let mut most = 0;
        for &to in graph[block].iter().filter(|&&to| !routed.contains(&(block, to))) {
            if costs[block] + far[to] > FAR {
                asks[to] = true;
            }
            if !asks[to] {
                most = most.max(far[to]);
            }
        }
        far[block] = costs[block] + most;
    }
    let asked = asks.into_iter().zip(far);
    asked.map(|(asks, far)| asks.then_some(far)).collect()
}

/// The blocks that reach each other, in groups: Tarjan's strongly connected components that have an edge inside.
fn components(
    graph: &Graph,
    among: &[usize],
    routed: &BTreeSet<(usize, usize)>,
    closed: &BTreeSet<usize>,
) -> Vec<Vec<usize>> {
    let mut member = vec![false; graph.len()];
    for &block in among {
        member[block] = !closed.contains(&block);
    }
    let next = |from: usize, at: usize| -> Option<Option<usize>> {
        let to = *graph[from].get(at)?;
        Some((member[to] && !routed.contains(&(from, to))).then_some(to))
    };
    let (mut number, mut low) = (vec![usize::MAX; graph.len()], vec![0; graph.len()]);
    let (mut stack, mut on_stack) = (Vec::new(), vec![false; graph.len()]);
    let (mut count, mut parts) = (0, Vec::new());
    for &root in among {
        if !member[root] || number[root] != usize::MAX {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((block, at)) = path.pop() {
            if at == 0 {
                (number[block], low[block]) = (count, count);
                count += 1;
                stack.push(block);
                on_stack[block] = true;
            }
            match next(block, at) {
                Some(to) => {
                    path.push((block, at + 1));
                    match to {
                        Some(to) if number[to] == usize::MAX => path.push((to, 0)),
                        Some(to) if on_stack[to] => low[block] = low[block].min(number[to]),
                        _ => {}
                    }
                }
                None => {
                    if let Some(&(before, _)) = path.last() {
                        low[before] = low[before].min(low[block]);
                    }
                    if low[block] == number[block] {
                        let mut part = Vec::new();
                        while let Some(top) = stack.pop() {
                            on_stack[top] = false;
                            part.push(top);
                            if top == block {
                                break;
                            }
                        }
                        let itself = graph[block].contains(&block) && !routed.contains(&(block, block));
                        if part.len() > 1 || itself {
                            parts.push(part);
                        }
                    }
                }
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed(graph: &Graph, entries: &[usize]) -> (Vec<(usize, usize)>, Vec<usize>) {
        let mut entries = entries.iter().copied().collect();
        let routed = route(graph, &mut entries);
        (routed.into_iter().collect(), entries.into_iter().collect())
    }

    #[test]
    fn a_loop_with_one_entry_stays() {
        assert_eq!(routed(&vec![vec![1], vec![1, 2], vec![]], &[0]), (vec![], vec![0, 1]));
    }

    #[test]
    fn a_loop_that_is_entered_in_its_middle_goes_by_the_dispatch() {
        // 1 → 2 → 3 → 1, entered at 1, and at 3 from a call's return.
        let graph = vec![vec![1], vec![2, 4], vec![3], vec![1], vec![]];
        assert_eq!(routed(&graph, &[0, 3]), (vec![(3, 1)], vec![0, 1, 3]));
    }

    #[test]
    fn loops_and_entries_ask_for_the_budget() {
        // 0 → 1 → 2 or 3 → 4 → 1, or the end.
        let graph = vec![vec![1], vec![2, 3], vec![4], vec![4], vec![1, 5], vec![]];
        let asked = checks(&graph, &[1, 2, 3, 4, 5, 6], &BTreeSet::from([0]), &BTreeSet::new());
        assert_eq!(asked, [Some(1), Some(17), None, None, None, None]);
        let long = checks(
            &vec![vec![1], vec![2], vec![]],
            &[300, 300, 300],
            &BTreeSet::from([0]),
            &BTreeSet::new(),
        );
        assert_eq!(long, [Some(300), Some(300), Some(300)]);
    }

    #[test]
    fn an_inner_loop_stays_where_the_outer_one_goes_by_the_dispatch() {
        // The outer loop is 1 to 4, the inner one is 2; 4 is an entry.
        let graph = vec![vec![1], vec![2], vec![2, 3, 4], vec![1], vec![3]];
        let (routed, entries) = routed(&graph, &[0, 4]);
        assert_eq!(routed, [(3, 1)]);
        // Both the inner loop and the outer one's first block begin what the dispatch goes to.
        assert_eq!(entries, [0, 1, 2, 4]);
    }
}
