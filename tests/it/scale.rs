//! Large launches and long loops: what must hold where a device's limits are near.

use gpuvm::prelude::*;

use crate::harness::{ENGINES, runtime};

#[routine]
fn small_step(x: u32) -> u32 {
    (x.wrapping_mul(747_796_405) >> 3) ^ vm::id()
}

#[test]
fn a_million_vms_run() {
    let x: Vec<u32> = (0..1_000_000).map(|i| i * 977).collect();
    let wanted: Vec<u32> = (0..1_000_000u32)
        .zip(&x)
        .map(|(id, x)| (x.wrapping_mul(747_796_405) >> 3) ^ id)
        .collect();
    for engine in ENGINES {
        let done = runtime()
            .launch("small_step")
            .unwrap()
            .args((&x,))
            .engine(engine)
            .run()
            .unwrap();
        assert!(done.output::<Vec<u32>>().unwrap() == wanted, "{engine}");
    }
}

/// Squares, so that no matrix takes the loop away.
#[routine]
fn long_loop(start: u32, turns: u32) -> u32 {
    let mut x = start;
    for i in 0..turns {
        x = x.wrapping_mul(x).wrapping_add(i);
    }
    x
}

#[test]
fn loops_of_more_than_65535_turns_are_right() {
    let start: Vec<u32> = (0..16).collect();
    // From just below 2^16 to above twice that.
    let turns: Vec<u32> = (0..16).map(|i| 65_530 + i * 4_501).collect();
    let wanted: Vec<u32> = start.iter().zip(&turns).map(|(x, n)| long_loop(*x, *n)).collect();
    for engine in ENGINES {
        let done = runtime()
            .launch("long_loop")
            .unwrap()
            .args((&start, &turns))
            .engine(engine)
            .run()
            .unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), wanted, "{engine}");
    }
}

#[routine]
fn touch_own_chunk(out: &mut [u32]) {
    let place = vm::id() as usize % out.len();
    out[place] = vm::id() + 1;
}

#[test]
fn more_than_one_binding_holds_is_split_into_batches() {
    // 154 MB of chunks; lavapipe binds 128 MiB at once. A device that binds more takes one batch.
    let vms = 600_000;
    let mut out = vec![0u32; vms * 64];
    let launch = runtime().launch("touch_own_chunk").unwrap().args((&mut out,)).vms(vms);
    let done = launch.engine(Engine::Interpreter).run().unwrap();
    assert_eq!(done.stats().vms, vms as u64);
    for (vm, chunk) in out.chunks(64).enumerate() {
        assert_eq!(chunk[vm % 64], vm as u32 + 1);
        assert_eq!(chunk.iter().filter(|word| **word != 0).count(), 1);
    }
}
