//! An ensemble: how strongly the spins of a square lattice align (the Ising model, by Metropolis' algorithm), over temperatures and seeds, each simulation a VM. Those near the critical temperature take longest, so VMs are handed out to whichever rank is
//! free.
//!
//! `cargo run --release --example ensemble`, or `mpirun -n 4 target/release/examples/ensemble`.

use std::process::ExitCode;

use gpuvm::prelude::*;

/// A side of the lattice, whose rows are words.
const SIDE: usize = 32;

/// Which part of a lattice's spins points the same way in the end.
#[routine]
fn magnetisation(temperature: f32, seed: u32) -> f32 {
    let mut rows = [u32::MAX; SIDE];
    let mut state = seed.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let mut sweeps = 0;
    let (mut before, mut unchanged) = (0, 0);
    while sweeps < 200 && unchanged < 8 {
        for y in 0..SIDE {
            for x in 0..SIDE as u32 {
                let spin = |row: u32, x: u32| (row >> (x % 32) & 1) as i32 * 2 - 1;
                let here = rows[y];
                let around = spin(here, x + 1)
                    + spin(here, x + 31)
                    + spin(rows[(y + 1) % SIDE], x)
                    + spin(rows[(y + SIDE - 1) % SIDE], x);
                let cost = 2 * spin(here, x) * around;
                state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                let random = (state >> 8) as f32 / 16_777_216.0;
                if cost <= 0 || random < (-(cost as f32) / temperature).exp() {
                    rows[y] ^= 1 << x;
                }
            }
        }
        let mut up = 0;
        for row in rows {
            up += row.count_ones();
        }
        unchanged = if up == before { unchanged + 1 } else { 0 };
        before = up;
        sweeps += 1;
    }
    let cells = (SIDE * SIDE) as f32;
    (2.0 * before as f32 / cells - 1.0).abs()
}

fn main() -> ExitCode {
    gpuvm_mpi::run(|runtime| {
        let temperatures: Vec<f32> = (0..13).map(|step| 1.5 + step as f32 * 0.125).collect();
        let seeds: Vec<u32> = (1..=64).collect();
        let (column, others) = gpuvm_mpi::sweep((&temperatures, &seeds));
        let done = runtime.ensemble("magnetisation")?.args((&column, &others)).run()?;
        let found: Vec<f32> = done.output()?;
        if runtime.is_first() {
            for (temperature, found) in temperatures.iter().zip(found.chunks(seeds.len())) {
                let mean = found.iter().sum::<f32>() / found.len() as f32;
                println!("{temperature:.3} {mean:.3} {}", "*".repeat((mean * 60.0) as usize));
            }
            for share in &done.stats().shares {
                println!("{share}");
            }
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    })
}
