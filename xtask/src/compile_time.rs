//! What `#[routine]` costs a build: a crate of dense routines is checked and built with and without the attribute, and the difference is shown.
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

/// Measures and prints a table.
pub fn run(options: &Options) -> Result<(), String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/compile-time");
    let dense = |routine: &str| dense_crate(options.routines, routine);
    let long = |routine: &str| long_crate(options.lines, routine);
    println!(
        "{:<28} {:>9} {:>9} {:>9}",
        "added by #[routine], seconds", "plain", "routine", "added"
    );
    for (name, crate_of) in [
        (
            format!("{} dense routines", options.routines),
            &dense as &dyn Fn(&str) -> String,
        ),
        (format!("one routine of {} lines", options.lines), &long),
    ] {
        for task in ["check", "build"] {
            let plain = measure(&folder, &crate_of(""), task, options.repeat)?;
            let with = measure(&folder, &crate_of("#[routine]"), task, options.repeat)?;
            println!(
                "{:<28} {plain:>9.2} {with:>9.2} {:>9.2}",
                format!("{name}, {task}"),
                with - plain
            );
        }
    }
    write(&folder, &dense("#[routine]"))?;
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

fn dense_crate(routines: u32, attribute: &str) -> String {
    let mut source = String::from("#![allow(dead_code, unused_imports)]\nuse gpuvm::prelude::*;\n");
    source += &AIDS.replace("ATTRIBUTE", attribute);
    for number in 0..routines {
        source += &DENSE
            .replace("ATTRIBUTE", attribute)
            .replace("NUMBER", &number.to_string());
    }
    if attribute.is_empty() {
        source += "\nfn main() {}\n";
        return source;
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

fn long_crate(lines: u32, attribute: &str) -> String {
    let mut source = String::from("#![allow(dead_code, unused_imports)]\nuse gpuvm::prelude::*;\n");
    source += &AIDS.replace("ATTRIBUTE", attribute);
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
    source += "    s + k as f32\n}\n\nfn main() {}\n";
    source
}
