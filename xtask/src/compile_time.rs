//! What `#[routine]` costs a build: a crate of dense routines is checked and built with and without the attribute, and the difference is shown; and
//! what iterators cost, by the same routines with chains of them and with loops. All crates link gpuvm and have machine code of every function.
//! Each figure is the best of several runs, without incremental compilation.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

/// What to measure.
#[derive(clap::Args)]
pub struct Options {
    /// How many dense routines of nine lines and eight calls.
    #[arg(long, default_value_t = 50)]
    routines: u32,
    /// Lines of one long routine to measure besides.
    #[arg(long, default_value_t = 300)]
    lines: u32,
    /// How often each measurement is repeated.
    #[arg(long, default_value_t = 3)]
    repeat: u32,
}

/// Measures and prints two tables.
pub fn run(options: &Options) -> Result<(), String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/compile-time");
    let (routines, lines) = (options.routines, options.lines);
    let compare = |name: &str, task: &str, first: &str, second: &str| -> Result<(f64, f64), String> {
        let first = measure(&folder, first, task, options.repeat)?;
        let second = measure(&folder, second, task, options.repeat)?;
        print!("{:<36} {first:>9.2} {second:>9.2}", format!("{name}, {task}"));
        Ok((first, second))
    };
    println!("{:<36} {:>9} {:>9} {:>9}", "seconds", "plain", "#[routine]", "added");
    for (name, plain, routine) in [
        (
            format!("{routines} dense routines"),
            dense_crate(routines, ""),
            dense_crate(routines, "#[routine]"),
        ),
        (
            format!("one routine of {lines} lines"),
            long_crate(lines, ""),
            long_crate(lines, "#[routine]"),
        ),
    ] {
        for task in ["check", "build"] {
            let (plain, routine) = compare(&name, task, &plain, &routine)?;
            println!(" {:>9.2}", routine - plain);
        }
    }
    println!("\n{:<36} {:>9} {:>9} {:>9}", "seconds", "loops", "iterators", "times");
    let (loops, chains) = (walks_crate(routines, LOOPS), walks_crate(routines, CHAINS));
    for task in ["check", "build"] {
        let (loops, chains) = compare(&format!("{routines} routines of three walks"), task, &loops, &chains)?;
        println!(" {:>9.2}", chains / loops);
    }
    println!();
    write(&folder, &dense_crate(routines, "#[routine]"))?;
    cargo(&folder, &["run", "--release", "--quiet"], Stdio::inherit())
}

/// The best time of a cargo task over the crate with that source.
fn measure(folder: &Path, source: &str, task: &str, repeat: u32) -> Result<f64, String> {
    write(folder, source)?;
    cargo(folder, &[task, "--quiet"], Stdio::null())?;
    let mut best = f64::INFINITY;
    for _ in 0..repeat {
        write(folder, source)?;
        let start = Instant::now();
        cargo(folder, &[task, "--quiet"], Stdio::null())?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn write(folder: &Path, source: &str) -> Result<(), String> {
    let manifest = "[package]\nname = \"compile-time\"\nedition = \"2024\"\n\n[dependencies]\ngpuvm = { path = \"../../gpuvm\" }\ngpuvm-core = { path = \"../../gpuvm-core\" }\n\n[workspace]\n";
    let put = |path: PathBuf, text: &str| std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()));
    std::fs::create_dir_all(folder.join("src")).map_err(|error| error.to_string())?;
    put(folder.join("Cargo.toml"), manifest)?;
    put(folder.join("src/main.rs"), source)
}

fn cargo(folder: &Path, arguments: &[&str], output: Stdio) -> Result<(), String> {
    let mut command = crate::cargo_command(arguments);
    command.current_dir(folder).env("CARGO_INCREMENTAL", "0").stdout(output);
    crate::finish(command)
}

/// What the routines call.
const AIDS: &str = "
ATTRIBUTE
fn blend(a: f32, b: f32) -> f32 {
    a * 0.75 + b * 0.25
}

ATTRIBUTE
fn bend(a: f32) -> f32 {
    a * a - a
}

ATTRIBUTE
fn mix(a: u32, b: u32) -> u32 {
    (a ^ b.rotate_left(7)).wrapping_mul(0x9e37_79b9)
}
";

/// Nine lines, eight calls.
const DENSE: &str = "
ATTRIBUTE
fn dense_NUMBER(a: f32, b: f32, n: u32) -> f32 {
    let x = blend(a, b) * 0.5 + b;
    let y = bend(x) - x * a;
    let k = mix(n ^ NUMBER, 3).wrapping_add(n >> 5);
    let z = blend(y, x) + bend(a) * y;
    let j = (mix(k, n) & 0xff) + (k >> 3);
    let mut s = z * z + x / (y * y + 1.0);
    if s > 10.0 { s = blend(s, z) - 3.0; }
    s += (j as f32) * bend(s);
    s * 0.25 + (k % 17) as f32
}
";

/// The beginning of each crate.
const HEAD: &str = "#![allow(dead_code, unused_imports)]\nuse gpuvm::prelude::*;\n";

fn dense_crate(routines: u32, attribute: &str) -> String {
    let mut source = HEAD.to_string() + &AIDS.replace("ATTRIBUTE", attribute);
    source += &numbered(DENSE, routines, attribute);
    if attribute.is_empty() {
        return source
            + &plain_main(
                (0..routines).map(|number| format!("dense_{number}")),
                "fn(f32, f32, u32) -> f32",
            );
    }
    source += "\nfn main() {\n    let routines = [\n";
    for number in 0..routines {
        let _ = writeln!(
            source,
            "        <dense_{number} as gpuvm::__private::RoutineType>::routine(),"
        );
    }
    source += "    ];
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = std::time::Instant::now();
        for routine in routines {
            gpuvm_core::compile::link(routine, gpuvm::__private::math::LIBRARY, &Default::default()).unwrap();
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(\"linking {} routines: {:.2} ms\", routines.len(), best * 1e3);
}
";
    source
}

/// The same function with many numbers.
fn numbered(function: &str, count: u32, attribute: &str) -> String {
    let function = function.replace("ATTRIBUTE", attribute);
    (0..count)
        .map(|number| function.replace("NUMBER", &number.to_string()))
        .collect()
}

/// A `main` that needs all functions, so that rustc makes code of them, and gpuvm, so that it is linked.
fn plain_main(functions: impl Iterator<Item = String>, ty: &str) -> String {
    let functions: Vec<String> = functions.map(|function| format!("{function} as {ty}")).collect();
    format!(
        "\nfn main() {{\n    std::hint::black_box([{}]);\n    std::hint::black_box(Runtime::new().is_ok());\n}}\n",
        functions.join(", ")
    )
}

/// Three walks over a slice, by iterators.
const CHAINS: &str = "
#[routine]
fn walk_NUMBER(a: &[u32], n: u32) -> u32 {
    let odd = a.iter().map(|x| x.wrapping_mul(*x)).filter(|x| x % 3 != NUMBER % 3).fold(n, |s, x| s ^ x);
    let pairs = (0..n).zip(a.iter()).map(|(i, x)| i.wrapping_mul(*x)).fold(0u32, |s, x| s.wrapping_add(x));
    let last = a.iter().rev().skip(2).take_while(|x| **x != NUMBER).count() as u32;
    odd.wrapping_add(pairs) ^ last
}
";

/// The same by loops.
const LOOPS: &str = "
#[routine]
fn walk_NUMBER(a: &[u32], n: u32) -> u32 {
    let mut odd = n;
    let mut i = 0;
    while i < a.len() {
        let x = a[i].wrapping_mul(a[i]);
        if x % 3 != NUMBER % 3 {
            odd ^= x;
        }
        i += 1;
    }
    let mut pairs = 0u32;
    let mut i = 0;
    while i < n && (i as usize) < a.len() {
        pairs = pairs.wrapping_add(i.wrapping_mul(a[i as usize]));
        i += 1;
    }
    let mut last = 0;
    let mut i = a.len();
    while i > 2 && a[i - 3] != NUMBER {
        last += 1;
        i -= 1;
    }
    odd.wrapping_add(pairs) ^ last
}
";

fn walks_crate(routines: u32, walk: &str) -> String {
    let functions = (0..routines).map(|number| format!("walk_{number}"));
    HEAD.to_string() + &numbered(walk, routines, "#[routine]") + &plain_main(functions, "fn(&[u32], u32) -> u32")
}

fn long_crate(lines: u32, attribute: &str) -> String {
    let mut source = HEAD.to_string() + &AIDS.replace("ATTRIBUTE", attribute);
    let _ = write!(
        source,
        "{attribute}\nfn long(a: f32, b: f32, n: u32) -> f32 {{\n    let mut s = a;\n    let mut k = n;\n"
    );
    for line in 0..lines {
        source += match line % 5 {
            0 => "    s = blend(s, b) * 0.5 + a;\n",
            1 => "    k = k.wrapping_mul(5) ^ (k >> 3);\n",
            2 => "    let t = s * s - b;\n    s = t / (a * a + 1.0);\n",
            3 => "    if k & 1 == 0 { s += 1.0; }\n",
            _ => "    k += (s as u32) & 0xff;\n",
        };
    }
    source += "    s + k as f32\n}\n";
    source + &plain_main(["long".to_string()].into_iter(), "fn(f32, f32, u32) -> f32")
}
