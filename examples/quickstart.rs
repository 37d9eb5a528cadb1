//! The shortest whole program: a hundred thousand damped oscillators, one VM each.

use gpuvm::prelude::*;

/// One step of a damped oscillator.
#[routine]
fn oscillate(x: f32, v: f32, dt: f32) -> (f32, f32) {
    let a = -x - 0.1 * v;
    (x + v * dt, v + a * dt)
}

fn main() -> gpuvm::Result<()> {
    let runtime = Runtime::new()?; // the best GPU, or this CPU
    let (x, v) = (vec![1.0f32; 100_000], vec![0.0f32; 100_000]);
    let done = runtime.launch("oscillate")?.args((&x, &v, 0.01f32)).run()?;
    let (x, v): (Vec<f32>, Vec<f32>) = done.output()?;
    println!("{} {}", x[0], v[0]);
    println!("{}", done.stats());
    Ok(())
}
