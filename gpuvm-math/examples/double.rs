//! Arguments and results of the functions of `f64`, as the hexadecimal bits, for `double_errors.py` to measure:
//! `cargo run --release --example double COUNT [name…] | python3 gpuvm-math/examples/double_errors.py`.

#[path = "../tests/double_functions/mod.rs"]
mod double_functions;
#[path = "../tests/ulp/mod.rs"]
mod ulp;

use std::io::{self, BufWriter, Write};

use double_functions::{BINARY, UNARY, pair, single};
use ulp::Random;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let count: u32 = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let names: Vec<String> = arguments.collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    let mut out = BufWriter::new(io::stdout().lock());
    for (name, function) in UNARY.iter().filter(|(name, _)| wanted(name)) {
        let mut random = Random(1);
        for _ in 0..count {
            let x = single(&mut random);
            writeln!(out, "{name} {:x} {:x}", x.to_bits(), function(x).to_bits())?;
        }
    }
    for (name, function) in BINARY.iter().filter(|(name, _)| wanted(name)) {
        let mut random = Random(2);
        for _ in 0..count {
            let (x, y) = pair(&mut random);
            let y = if *name == "powi" { f64::from(y as i32) } else { y };
            writeln!(
                out,
                "{name} {:x} {:x} {:x}",
                x.to_bits(),
                y.to_bits(),
                function(x, y).to_bits()
            )?;
        }
    }
    out.flush()
}
