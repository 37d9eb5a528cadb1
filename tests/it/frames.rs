//! Recursion whose frames are large: memory is taken for the depth that VMs reach, and VMs of one launch reach different ones.

use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm::{Budget, Error};

use crate::harness::{ENGINES, pausing, runtime};

cases! {
    few:
    perft, unequal_frames, deep_arrays, handed_on_at_the_limit, arrays_of_callers,
}

/// A move as a chess program has it.
#[derive(Clone, Copy, Default, VmType)]
struct Move {
    from: u32,
    to: u32,
    promotes: bool,
}

#[derive(Clone, Copy, VmType)]
struct Moves {
    list: [Move; 64],
    count: usize,
}

#[routine]
fn generate(position: u32, moves: &mut Moves) {
    for i in 0..2 + position % 3 {
        moves.list[moves.count] = Move {
            from: i,
            to: position >> 8,
            promotes: (position >> i) % 2 == 1,
        };
        moves.count += 1;
    }
}

#[routine]
fn count(position: u32, depth: u32) -> u32 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Moves {
        list: [Move::default(); 64],
        count: 0,
    };
    generate(position, &mut moves);
    let mut nodes = 0;
    for i in 0..moves.count {
        let Move { from, to, promotes } = moves.list[i];
        let next = position
            .wrapping_mul(1_664_525)
            .wrapping_add(from ^ to)
            .wrapping_add(u32::from(promotes));
        nodes += count(next, depth - 1);
    }
    nodes
}

#[routine]
fn perft(position: u32) -> u32 {
    count(position, position % 4)
}

#[routine]
fn large(n: u32, x: u32) -> u32 {
    let mut kept = [x; 100];
    kept[(n % 100) as usize] = n;
    if n == 0 {
        return x;
    }
    let below = small(n - 1, x.rotate_left(3));
    below.wrapping_add(kept[(x % 100) as usize])
}

#[routine]
fn small(n: u32, x: u32) -> u32 {
    if n % 7 == 3 {
        large(n, x ^ n)
    } else if n == 0 {
        x
    } else {
        small(n - 1, x.wrapping_mul(3)).wrapping_add(n)
    }
}

#[routine]
fn unequal_frames(n: u32, x: u32) -> u32 {
    small(n % 120, x)
}

#[routine]
fn fill(n: u32, x: u32) -> u32 {
    let mut kept = [0u32; 8];
    for i in 0..8 {
        kept[i as usize] = x.wrapping_mul(i).wrapping_add(n);
    }
    let below = if n == 0 { x } else { fill(n - 1, x) };
    kept.iter().fold(below, |hash, k| hash.wrapping_mul(31) ^ k)
}

#[routine]
fn deep_arrays(n: u32, x: u32) -> u32 {
    // The limit is 256 calls, so some trap.
    fill(n % 280, x)
}

#[routine]
fn swallow(n: u32, words: [u32; 12]) -> [u32; 12] {
    let mut words = words;
    words[(n % 12) as usize] ^= n;
    if n == 0 { words } else { swallow(n - 1, words) }
}

#[routine]
fn handed_on_at_the_limit(n: u32, x: u32) -> u32 {
    let words = swallow(if n % 2 == 0 { 250 + n % 10 } else { n % 300 }, [x; 12]);
    words[3] ^ words[7]
}

#[routine]
fn note(n: u32, seen: &mut [u32; 60], above: &[u32; 60]) -> u32 {
    let mut own = [n; 60];
    own[(n % 60) as usize] = above[((n + 1) % 60) as usize];
    seen[(n % 60) as usize] += own[(n * 7 % 60) as usize];
    if n == 0 { above[0] } else { note(n - 1, seen, &own) }
}

#[routine]
fn arrays_of_callers(n: u32) -> u32 {
    let mut seen = [0u32; 60];
    let last = note(n % 50, &mut seen, &[9; 60]);
    seen.iter()
        .fold(last, |hash, word| hash.wrapping_mul(31).wrapping_add(*word))
}

#[test]
fn a_launch_may_go_as_deep_as_it_says() {
    let runtime = runtime();
    let positions = vec![7u32; 70];
    for engine in ENGINES {
        let launch = |depth| {
            runtime
                .launch("perft")
                .unwrap()
                .args((&positions,))
                .engine(engine)
                .depth(depth)
                .run()
        };
        let nodes: Vec<u32> = launch(5).unwrap().output().unwrap();
        assert_eq!(nodes, vec![perft(7); 70], "{engine}");
        let Err(Error::Trap(report)) = launch(2) else {
            panic!("{engine}: it is no deeper than 2 calls");
        };
        assert!(report.message.contains("deeper than 2 calls"), "{engine}: {report}");
    }
}

#[test]
fn vms_go_on_elsewhere_after_they_have_gone_deep() {
    let runtime = runtime();
    let inputs: Vec<u32> = (0..50).map(|vm| 5 * vm).collect();
    let expected: Vec<u32> = inputs.iter().map(|&n| deep_arrays(n, 7)).collect();
    let engines = pausing();
    // Budgets of instructions are exact and those of time are not: VMs may stand in front of calls for which they have no room.
    let budgets = [Budget::cycles(3000), Budget::time(Duration::from_micros(1))];
    let ways = engines.iter().flat_map(|from| budgets.map(|budget| (*from, budget)));
    for ((from, budget), to) in ways.zip(engines.iter().rev().cycle()) {
        let launch = runtime.launch("deep_arrays").unwrap().args((&inputs, 7u32));
        let mut execution = launch.engine(from).start().unwrap();
        execution.advance(budget).unwrap();
        let snapshot = execution.snapshot().unwrap();
        execution.run_to_end().unwrap();
        let mut elsewhere = runtime.restore_on(&snapshot, *to).unwrap();
        elsewhere.run_to_end().unwrap();
        for execution in [execution, elsewhere] {
            let ended = execution.finish().unwrap().output::<Vec<u32>>().unwrap();
            assert_eq!(ended, expected, "{from} to {to} after {budget:?}");
        }
    }
}
