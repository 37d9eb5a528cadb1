//! The program that is debugged: how it is started, and how it ends.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::Options;
use crate::client::{Client, interrupted};

/// How often a program that does not listen yet is tried again.
const AGAIN: Duration = Duration::from_millis(30);
/// How long a program to attach to may take until it listens.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long a program that is to end may take before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// The feature of gpuvm that a debugger comes with.
const DEBUG: &str = "gpuvm/debug";

/// A program that was started here.
pub(crate) struct Program {
    child: Child,
}

/// Connects to a program that runs.
///
/// # Errors
///
/// If none listens on this port of this machine.
pub(crate) fn attach(port: u16) -> Result<Client, String> {
    let begin = Instant::now();
    loop {
        match Client::connect(port) {
            Ok(client) => return Ok(client),
            Err(_) if begin.elapsed() < PATIENCE && !interrupted() => std::thread::sleep(AGAIN),
            Err(error) => {
                return Err(format!(
                    "no program listens on port {port} of this machine ({error}); is one started with `GPUVM_DEBUG={port}`?"
                ));
            }
        }
    }
}

/// Starts a program by `cargo run` and connects to it.
///
/// # Errors
///
/// If it cannot be built, or ends before it listens.
pub(crate) fn start(options: &Options) -> Result<(Program, Client), String> {
    let port = match options.port {
        Some(port) => port,
        None => free_port().map_err(|error| format!("this machine has no free port: {error}"))?,
    };
    if options.port.is_some() && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err() {
        return Err(format!("port {port} of this machine is in use"));
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let how = if options.optimised { ",optimised" } else { "" };
    let (snapshot, arguments) = options.snapshot();
    let snapshot = snapshot.map(snapshot_at).transpose()?;
    let mut command = Command::new(cargo);
    command
        .arg("run")
        .args(["--features", DEBUG])
        .args(arguments)
        .env("GPUVM_DEBUG", format!("{port}{how}"))
        .envs(snapshot.map(|path| ("GPUVM_SNAPSHOT", path)))
        // What is typed is for the debugger.
        .stdin(Stdio::null());
    apart(&mut command);
    let child = command
        .spawn()
        .map_err(|error| format!("`cargo run` cannot be started: {error}"))?;
    let mut program = Program { child };
    loop {
        if let Ok(client) = Client::connect(port) {
            return Ok((program, client));
        }
        if let Some(code) = program.ended() {
            return Err(format!(
                "`cargo run --features {DEBUG}` has ended with exit code {code}, and no launch could be debugged; if the program was built, it \
                 makes no `Runtime`"
            ));
        }
        if interrupted() {
            program.kill();
            return Err("interrupted before the program has begun".to_string());
        }
        std::thread::sleep(AGAIN);
    }
}

/// Where a snapshot is, from wherever a program is run.
///
/// # Errors
///
/// If there is none.
pub(crate) fn snapshot_at(path: &Path) -> Result<PathBuf, String> {
    let found = path.is_file().then(|| std::path::absolute(path));
    match found {
        Some(absolute) => absolute.map_err(|error| format!("{}: {error}", path.display())),
        None => Err(format!(
            "there is no snapshot {}; a trap leaves one with `GPUVM_CRASH=folder` or `Launch::snapshot_on_trap`",
            path.display()
        )),
    }
}

/// Runs a program that tells of itself when it opens its runtime, and ends. Gives its exit code.
///
/// # Errors
///
/// If cargo cannot be started.
pub(crate) fn show(asked: &str, arguments: &[String]) -> Result<u8, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = Command::new(cargo)
        .args(["run", "--quiet"])
        .args(arguments)
        .env("GPUVM_SHOW", asked)
        .status();
    run.map(code)
        .map_err(|error| format!("`cargo run` cannot be started: {error}"))
}

/// Lets Ctrl-C go to the debugger alone.
fn apart(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(windows)]
    {
        const NEW_PROCESS_GROUP: u32 = 0x200;
        std::os::windows::process::CommandExt::creation_flags(command, NEW_PROCESS_GROUP);
    }
    #[cfg(not(any(unix, windows)))]
    let _ = command;
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

impl Program {
    /// Its exit code, if it has ended.
    pub fn ended(&mut self) -> Option<u8> {
        match self.child.try_wait() {
            Ok(status) => status.map(code),
            // Nobody knows any more how it has ended.
            Err(_) => Some(1),
        }
    }

    /// Waits for its end, which Ctrl-C hastens.
    pub fn wait(&mut self) -> u8 {
        loop {
            if let Some(code) = self.ended() {
                return code;
            }
            if interrupted() {
                self.kill();
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// Waits a while for its end, and kills it then.
    pub fn end(&mut self) -> u8 {
        let begin = Instant::now();
        while begin.elapsed() < GRACE && !interrupted() {
            if let Some(code) = self.ended() {
                return code;
            }
            std::thread::sleep(AGAIN);
        }
        self.kill();
        self.wait()
    }

    /// Kills it.
    pub fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
    }
}

/// The exit code as a shell has it.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(1);
    }
    status.code().map_or(1, |code| u8::try_from(code).unwrap_or(1))
}
