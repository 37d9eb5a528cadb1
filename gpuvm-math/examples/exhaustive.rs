//! The largest error of every function of one argument over all 2^32 arguments, and of those of two arguments over
//! random ones: `cargo run --release --example exhaustive [name…]`. Two threads; about a minute a function.

#[path = "../tests/ulp/mod.rs"]
mod ulp;

use std::thread;
use ulp::{BINARY, Random, UNARY, ulp_error};

const THREADS: u32 = 2;
const PAIRS: u32 = 200_000_000;

/// The worse of two results; NaN cannot occur.
fn worse<A>(a: (f64, A), b: (f64, A)) -> (f64, A) {
    if b.0 > a.0 { b } else { a }
}

/// Runs `part` for each thread's number and gives the worst result.
fn in_threads<A: Send + 'static>(part: impl Fn(u32) -> (f64, A) + Copy + Send + 'static) -> (f64, A) {
    let threads: Vec<_> = (0..THREADS).map(|number| thread::spawn(move || part(number))).collect();
    threads
        .into_iter()
        .map(|t| t.join().expect("a thread failed"))
        .reduce(worse)
        .expect("there are threads")
}

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    for unary in UNARY.iter().filter(|u| wanted(u.name)) {
        let (error, x) = in_threads(move |number| {
            let mut worst = (0.0, 0.0);
            for bits in (number..=u32::MAX - (THREADS - 1 - number)).step_by(THREADS as usize) {
                let x = f32::from_bits(bits);
                worst = worse(worst, (ulp_error((unary.function)(x), (unary.reference)(x as f64)), x));
            }
            worst
        });
        println!("{:7} {error:.4} ulp at {x:e} ({:#010x})", unary.name, x.to_bits());
    }
    for binary in BINARY.iter().filter(|b| wanted(b.name)) {
        let (error, (x, y)) = in_threads(move |number| {
            let mut random = Random(number as u64);
            let mut worst = (0.0, (0.0, 0.0));
            for _ in 0..PAIRS / THREADS {
                let (x, y) = random.pair();
                worst = worse(
                    worst,
                    (
                        ulp_error((binary.function)(x, y), (binary.reference)(x as f64, y as f64)),
                        (x, y),
                    ),
                );
            }
            worst
        });
        println!("{:7} {error:.4} ulp at {x:e}, {y:e}", binary.name);
    }
}
