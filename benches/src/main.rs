//! gpuvm's benchmarks: its engines against each other, and against hand-written WGSL, CubeCL, rayon and kameo, on equal results.

mod agreement;
mod algebra;
mod backends;
mod breakpoints;
mod budget;
mod contest;
mod devices;
mod document;
mod flock;
mod genetic;
mod guests;
mod host;
mod ladder;
mod latency;
mod peers;
mod plans;
mod plot;
mod problem;
mod profiles;
mod report;
mod ring;
mod soup;
mod stage;
mod table;
mod talk;
mod timing;
mod workloads;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use clap::{Parser, ValueEnum};
use gpuvm::Backend;
use gpuvm_workloads::Size;

use report::Report;
use stage::Stage;

/// Measures gpuvm against its peers. Every result is compared with the native Rust function's before its time counts.
#[derive(Parser)]
struct Arguments {
    /// What to measure.
    #[arg(value_enum, default_value = "all")]
    what: What,
    /// How large the workloads are: `small` or `full`.
    #[arg(long, default_value_t = Size::Full)]
    size: Size,
    /// What gpuvm reaches its device through; the peers' WGSL and CubeCL go through wgpu, on the same device.
    #[arg(long, value_enum, default_value = "wgpu")]
    backend: Through,
    /// Repeats of each figure; the median counts.
    #[arg(long, default_value_t = 9)]
    repeats: usize,
    /// Runs everything once in its small size, to see that all results are right. There are no figures.
    #[arg(long, conflicts_with_all = ["size", "repeats", "json", "plot", "into", "from"])]
    check: bool,
    /// Only the workloads of `peers`, or the programs of `guests`, of these names.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only the contestants of `peers`, `guests` and `ring` whose names contain one of these.
    #[arg(long, value_delimiter = ',')]
    by: Vec<String>,
    /// A file for all figures. It is written anew after each part.
    #[arg(long, conflicts_with = "from")]
    json: Option<PathBuf>,
    /// Files that `--json` has written: their figures are taken, and nothing is measured.
    #[arg(long, value_delimiter = ',')]
    from: Vec<PathBuf>,
    /// A Markdown file whose tables of these figures are written anew.
    #[arg(long)]
    into: Option<PathBuf>,
    /// An SVG file for the plot of ladder and peers.
    #[arg(long)]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Through {
    /// Vulkan, Metal or DirectX 12.
    Wgpu,
    /// CUDA's driver.
    Cuda,
}

impl From<Through> for Backend {
    fn from(through: Through) -> Backend {
        match through {
            Through::Wgpu => Backend::Wgpu,
            Through::Cuda => Backend::Cuda,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Every engine on the same programs, from few VMs to many.
    Ladder,
    /// The workloads against WGSL, CubeCL and rayon.
    Peers,
    /// A thousand different routines, compilation counted.
    Soup,
    /// Populations of programs that did not exist before, as genetic programming makes them.
    Genetic,
    /// Programs that gcc compiled for AArch64, many of each side by side.
    Guests,
    /// From a launch to its first result.
    Latency,
    /// What being able to stop costs.
    Budget,
    /// What a breakpoint costs that no VM meets.
    Breakpoints,
    /// What a profile costs.
    Profiles,
    /// Phases, chains of maps, and folds.
    Plans,
    /// Loops over linear code, as powers of matrices and stepped.
    Algebra,
    /// Steps of a flock as a plan, against rayon.
    Flock,
    /// Messages to the actors of ring kernels, and calls, against kameo.
    Ring,
    /// The same launches through wgpu and through CUDA.
    Backends,
    /// The same work on one GPU and on all.
    Devices,
    /// All of these.
    All,
}

/// What tells drivers and gpuvm to keep no compiled code on disk, so that what is called a first launch is one.
const COLD: [(&str, &str); 4] = [
    ("MESA_SHADER_CACHE_DISABLE", "true"),
    ("__GL_SHADER_DISK_CACHE", "0"),
    ("CUDA_CACHE_DISABLE", "1"),
    ("GPUVM_CACHE_DIR", ""),
];

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    // Drivers read their environment when they are loaded, and a running program must not change its own.
    if COLD.iter().any(|(name, value)| env::var_os(name) != Some(value.into())) {
        let mut cold = Command::new(env::current_exe()?);
        let status = cold.args(env::args_os().skip(1)).envs(COLD).status()?;
        return Ok(if status.success() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    run(&arguments)?;
    Ok(ExitCode::SUCCESS)
}

fn run(arguments: &Arguments) -> Result<()> {
    let reports = match &arguments.from[..] {
        [] => vec![measure(arguments)?],
        files => files.iter().map(|file| read(file)).collect::<Result<_>>()?,
    };
    for report in &reports {
        if !arguments.check {
            table::print(report);
        }
        if let Some(path) = &arguments.into {
            document::write(path, report)?;
        }
        if let Some(path) = &arguments.plot {
            plot::draw(report, path)?;
        }
    }
    let failures: Vec<String> = reports.iter().flat_map(Report::failures).collect();
    ensure!(failures.is_empty(), "what went wrong:\n{}", failures.join("\n"));
    if arguments.check {
        println!("all results are right");
    }
    Ok(())
}

/// The figures of a run before.
fn read(path: &Path) -> Result<Report> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

fn measure(arguments: &Arguments) -> Result<Report> {
    let (size, repeats) = match arguments.check {
        true => (Size::Small, 0),
        false => (arguments.size, arguments.repeats.max(1)),
    };
    let asked = |what| arguments.what == what || arguments.what == What::All;
    let has_cuda = [What::Peers, What::Plans, What::Flock, What::Ring]
        .into_iter()
        .any(asked);
    let wants_cuda = arguments.by.is_empty() || arguments.by.iter().any(|part| part.contains("CUDA"));
    let mut stage = Stage::open(size, repeats, arguments.backend.into(), has_cuda && wants_cuda)?;
    stage.by.clone_from(&arguments.by);
    stage.json.clone_from(&arguments.json);
    eprintln!("{}", stage.host);
    macro_rules! measured {
        ($($what:ident => $figures:ident by $run:expr;)*) => {
            $(if asked(What::$what) {
                let figures = $run?;
                stage.keep(|report| report.$figures = Some(figures))?;
            })*
        };
    }
    measured! {
        Ladder => ladder by ladder::run(&stage);
        Peers => peers by workloads::run(&stage, &arguments.only);
        Soup => soup by soup::run(&stage);
        Genetic => genetic by genetic::run(&stage);
        Guests => guests by guests::run(&stage, &arguments.only);
        Latency => latency by latency::run(&stage);
        Budget => budget by budget::run(&stage);
        Breakpoints => breakpoints by breakpoints::run(&stage);
        Profiles => profiles by profiles::run(&stage);
        Plans => plans by plans::run(&stage);
        Algebra => algebra by algebra::run(&stage);
        Ring => ring by ring::run(&stage);
        Backends => backends by backends::run(&stage);
        Devices => devices by devices::run(&stage);
        Flock => flock by flock::run(&stage);
    }
    Ok(stage.into_report())
}
