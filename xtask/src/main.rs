//! What is more than one cargo line. `cargo xtask test` makes sure that a device is there and runs every test;
//! `cargo xtask fuzz` compares random routines on all engines; `cargo xtask soak` keeps ring kernels busy for minutes; `cargo xtask package`
//! builds the crates as they are published.

mod adapter;
mod apt;
mod assembler;
mod browser;
mod compile_time;
mod copies;
mod first_instruction;
mod fuzz;
#[cfg(test)]
mod modules;
mod mpi;
mod native_stops;
mod package;

use std::borrow::BorrowMut;
use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};

/// Development tasks of gpuvm.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Options {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs every test; what calculates of the conformance suite also where integer overflow wraps.
    Test,
    /// Makes random routines, compiles them with rustc and with gpuvm, and compares all engines.
    Fuzz(fuzz::Options),
    /// Keeps ring kernels busy on every engine, checks what they do, and fails if memory grows or throughput falls.
    Soak(Soak),
    /// Writes `docs/instructions.md` from the opcode table.
    Instructions,
    /// Writes the copies of the licences and of the front page that published crates need.
    Copies,
    /// Records where gdb stops in native code, and with which values, for the debugger's tests.
    NativeStops,
    /// Draws the monitor's page of a busy program in a browser, and checks what is drawn.
    Browser(browser::Options),
    /// Packs all crates that are published, builds them from what was packed, and runs the README's programs with them.
    Package,
    /// Measures how long a launch takes to its first instruction, for each routine of `tests/programs` on each engine.
    FirstInstruction(first_instruction::Options),
    /// Measures what `#[routine]` adds to `cargo check` and `cargo build`.
    CompileTime(compile_time::Options),
}

/// A program of its own does it, so that nothing else has to be built to run a task.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
struct Soak {
    /// What it is told; `--help` says what there is.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

fn main() -> ExitCode {
    let result = match Options::parse().task {
        Task::Test => test(),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Soak(options) => soak(&options),
        Task::Instructions => instructions(),
        Task::Copies => copies::write(),
        Task::NativeStops => native_stops::record(),
        Task::Browser(options) => browser::run(&options),
        Task::Package => package::run(),
        Task::FirstInstruction(options) => first_instruction::run(&options),
        Task::CompileTime(options) => compile_time::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn test() -> Result<(), String> {
    let ptxas = assembler::ensure();
    let run = |arguments: &[&str], devices: Option<&str>| {
        let mut command = cargo_command(arguments);
        adapter::ensure_for(&mut command)?;
        // In a dev build wgpu takes a backtrace whenever it locks anything, if it may, and the suite takes five times as long.
        command.env("RUST_BACKTRACE", "0");
        if let Some(ptxas) = &ptxas {
            command.env("PTXAS", ptxas);
        }
        let on = match devices {
            Some(devices) => {
                command.env("GPUVM_TEST_DEVICES", devices);
                format!("GPUVM_TEST_DEVICES={devices} ")
            }
            None => String::new(),
        };
        eprintln!("$ {on}cargo {}", arguments.join(" "));
        finish(command)
    };
    // One that fails hides nothing of the others.
    let all = run(&["test", "--workspace", "--no-fail-fast"], None);
    // The same binaries once more, of which these are on several devices.
    let on_several = |(binary, tests): (&'static str, &[&'static str])| {
        let mut arguments = vec!["test", "--workspace", "--test", binary, "--"];
        arguments.extend(tests);
        run(&arguments, Some("several"))
    };
    let several = ON_SEVERAL.map(on_several);
    several.into_iter().fold(all, Result::and).and(mpi::test())
}

/// The tests of plans and of ring kernels but those that take long or count launches, by their binaries.
const ON_SEVERAL: [(&str, &[&str]); 2] = [
    (
        "it",
        &[
            "plans::random",
            "plans::folds",
            "plans::groups",
            "plans::sorts",
            "plans::dedups",
            "plans::buffers",
            "plans::traps",
        ],
    ),
    (
        "ring",
        &[
            "bank::",
            "bounded::the_same_messages",
            "link::",
            "model::",
            "parcel::",
            "reply::",
            "resident::",
            "table::",
            "talk::",
        ],
    ),
];

fn soak(options: &Soak) -> Result<(), String> {
    let mut command = cargo_command(&["run", "--release", "--quiet", "--package", "gpuvm-soak", "--"]);
    adapter::ensure_for(&mut command)?;
    command.args(&options.arguments);
    finish(command)
}

/// The test that compares the page writes it, so that no other task waits for the compiler of routines to be built.
fn instructions() -> Result<(), String> {
    let mut command = cargo_command(&["test", "--quiet", "--package", "gpuvm-core", "--lib", "isa::page"]);
    command.env("GPUVM_PAGE", "overwrite");
    finish(command)
}

/// The cargo that runs this, with arguments.
fn cargo_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(arguments);
    command
}

/// Runs a command to its end.
fn finish(mut command: impl BorrowMut<Command>) -> Result<(), String> {
    let command = command.borrow_mut();
    let status = command
        .status()
        .map_err(|error| format!("{command:?} does not start: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?} failed"))
    }
}
