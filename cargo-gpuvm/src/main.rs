//! `cargo gpuvm`: programs that use gpuvm are debugged and watched in a terminal, and asked what they are made of.

mod client;
mod debug;
mod program;
mod top;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tools for programs that use gpuvm.
#[derive(Parser)]
#[command(name = "cargo", bin_name = "cargo")]
enum Cargo {
    // Cargo hands on the name of its subcommand.
    #[command(subcommand, version, about)]
    Gpuvm(Task),
}

#[derive(Subcommand)]
enum Task {
    /// Debugs the VMs of a program in this terminal: breakpoints, steps forwards and backwards, variables, watchpoints.
    Debug(Options),
    /// Shows what a program does that was started with `GPUVM_MONITOR=PORT`: launches under way, ring kernels, memory, logs.
    Top(Watched),
    /// Lists the routines and ring kernels of a program: what they take, and where they are.
    List(Run),
    /// Says what linking makes of a routine: instructions by class and by source line, matrices, what it needs.
    Explain(Shown),
    /// Prints what a routine is linked to, with the source's lines.
    Disasm(Shown),
    /// Takes a launch up where a snapshot has it, runs it to its end, and says what became of its VMs.
    Replay(Replayed),
}

/// A program that runs.
#[derive(clap::Args)]
struct Watched {
    /// The port of this machine that its monitor is served on.
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// Prints one picture and ends, as it does where its output is no terminal.
    #[arg(long)]
    once: bool,
}

/// A program that is asked of itself.
#[derive(clap::Args)]
struct Run {
    /// What `cargo run` is told, such as `--release --example walk`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// A routine of a program.
#[derive(clap::Args)]
struct Shown {
    /// The routine's id.
    id: String,
    #[command(flatten)]
    run: Run,
}

/// A snapshot, and the program that has left it.
#[derive(clap::Args)]
struct Replayed {
    /// The snapshot, such as `crash.gpuvm`.
    file: PathBuf,
    #[command(flatten)]
    run: Run,
}

/// What `cargo gpuvm debug` is told.
#[derive(clap::Args)]
#[command(
    override_usage = "cargo gpuvm debug [OPTIONS] [CARGO RUN'S ARGUMENTS] [-- PROGRAM'S ARGUMENTS]\n       \
                            cargo gpuvm debug [OPTIONS] <SNAPSHOT.gpuvm> [CARGO RUN'S ARGUMENTS]\n       \
                            cargo gpuvm debug --attach <PORT>"
)]
pub(crate) struct Options {
    /// The port of this machine that the program listens on, in place of any that is free.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Debugs the program as it is run otherwise. Some variables are not kept then.
    #[arg(long, visible_alias = "optimized")]
    pub optimised: bool,
    /// Attaches to a program that runs, and was started with `GPUVM_DEBUG=<PORT>` in its environment.
    #[arg(long, value_name = "PORT", conflicts_with_all = ["port", "optimised", "arguments"], value_parser = clap::value_parser!(u16).range(1..))]
    pub attach: Option<u16>,
    /// What `cargo run` is told, such as `--release --example walk`, and behind `--` the program. A snapshot before all that is opened in place of what the
    /// program does.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<String>,
}

impl Options {
    /// The snapshot that is to be opened, and what cargo is told.
    fn snapshot(&self) -> (Option<&Path>, &[String]) {
        match self.arguments.split_first() {
            Some((first, rest)) if first.ends_with(".gpuvm") => (Some(Path::new(first)), rest),
            _ => (None, &self.arguments),
        }
    }

    /// An option of this command that stands among cargo's arguments.
    fn misplaced(&self) -> Option<&str> {
        let own = ["--port", "--optimised", "--optimized", "--attach"];
        let cargo = self.arguments.iter().take_while(|argument| *argument != "--");
        let name = |argument: &'_ String| own.into_iter().find(|own| argument.split('=').next() == Some(own));
        cargo.filter_map(name).next()
    }
}

fn main() -> ExitCode {
    let Cargo::Gpuvm(task) = Cargo::parse();
    let result = match task {
        Task::Debug(options) => match options.misplaced() {
            Some(name) => Err(format!(
                "`{name}` stands before cargo's arguments: cargo gpuvm debug {name} … --example NAME"
            )),
            None => debug::run(&options),
        },
        Task::Top(Watched { port, once }) => top::run(port, once),
        Task::List(run) => program::show("list", &run.arguments),
        Task::Explain(shown) => program::show(&format!("explain {}", shown.id), &shown.run.arguments),
        Task::Disasm(shown) => program::show(&format!("disasm {}", shown.id), &shown.run.arguments),
        Task::Replay(Replayed { file, run }) => program::snapshot_at(&file)
            .and_then(|path| program::show(&format!("replay {}", path.display()), &run.arguments)),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        let arguments = ["cargo-gpuvm", "gpuvm", "debug"]
            .into_iter()
            .chain(line.split_whitespace());
        match Cargo::try_parse_from(arguments).map_err(|error| error.to_string())? {
            Cargo::Gpuvm(Task::Debug(options)) => Ok(options),
            Cargo::Gpuvm(_) => Err("another task".to_string()),
        }
    }

    #[test]
    fn arguments_are_those_of_cargo_run() {
        let options = parsed("--port 5 --optimised --release --example walk -- 3 --fast").unwrap();
        assert_eq!((options.port, options.optimised), (Some(5), true));
        assert_eq!(
            options.arguments,
            ["--release", "--example", "walk", "--", "3", "--fast"]
        );
        assert_eq!(parsed("-- -p mine -- 3").unwrap().arguments, ["-p", "mine", "--", "3"]);
        assert_eq!(parsed("").unwrap().arguments.len(), 0);
        assert_eq!(parsed("--attach 4711").unwrap().attach, Some(4711));
        assert!(parsed("--attach 4711 --example walk").is_err());
        assert!(parsed("--attach 0").is_err());
        let crashed = parsed("--port 5 out/crash.gpuvm --example walk").unwrap();
        let (snapshot, arguments) = crashed.snapshot();
        assert_eq!(snapshot, Some(Path::new("out/crash.gpuvm")));
        assert_eq!(arguments, ["--example", "walk"]);
        assert_eq!(parsed("--example walk.gpuvm").unwrap().snapshot().0, None);
        assert_eq!(parsed("--example walk --port=5").unwrap().misplaced(), Some("--port"));
        assert_eq!(parsed("--example walk -- --port 5").unwrap().misplaced(), None);
    }
}
