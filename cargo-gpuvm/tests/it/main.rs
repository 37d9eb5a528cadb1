//! Whole sessions with a program, as scripts lead them.

mod top;

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// How long a session may take.
const LIMIT: Duration = Duration::from_secs(60);

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// The example's binary, which cargo builds with the tests.
fn walk() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().unwrap().parent().unwrap().join("examples").join("walk");
    example.with_extension(std::env::consts::EXE_EXTENSION)
}

/// The folder that paths are told from.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The line of the example that has this text.
fn line(text: &str) -> usize {
    let found = include_str!("../../examples/walk.rs")
        .lines()
        .position(|line| line.contains(text));
    found.unwrap_or_else(|| panic!("no line has `{text}`")) + 1
}

/// What a process has said when it has ended. Kills it and fails if that takes too long.
fn output(mut child: Child, script: &str) -> Output {
    let mut input = child.stdin.take().unwrap();
    // What ends before it has read all is looked at below.
    let _ = input.write_all(script.as_bytes());
    drop(input);
    let id = child.id();
    let (sender, ended) = channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    match ended.recv_timeout(LIMIT) {
        Ok(output) => output.unwrap(),
        Err(_) => {
            let _ = Command::new("kill").arg(id.to_string()).status();
            panic!("it hangs at: {script}");
        }
    }
}

fn debugger(arguments: &[&str], script: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-gpuvm"));
    command.args(["gpuvm", "debug"]).args(arguments).current_dir(top());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    output(command.spawn().unwrap(), script)
}

/// What the debugger and the program say, led by a script.
fn session(script: &str) -> (String, String) {
    let port = free_port();
    let mut program = Command::new(walk());
    program.env("GPUVM_DEBUG", port.to_string()).env("GPUVM_BACKEND", "cpu");
    program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut program = Running(program.spawn().expect("cargo has built the example"));
    // It listens when the port is taken.
    let begin = Instant::now();
    while TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
        assert!(
            begin.elapsed() < LIMIT && program.0.try_wait().unwrap().is_none(),
            "it does not listen"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    let said = debugger(&["--attach", &port.to_string()], script);
    assert!(said.status.success(), "{said:?}");
    assert_eq!(String::from_utf8_lossy(&said.stderr), "");
    let transcript = String::from_utf8(said.stdout).unwrap().replace('\\', "/");
    let begin = Instant::now();
    while program.0.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < LIMIT, "the program does not end: {transcript}");
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut printed = String::new();
    let mut out = program.0.stdout.take().unwrap();
    std::io::Read::read_to_string(&mut out, &mut printed).unwrap();
    (transcript.replace("cargo-gpuvm/examples/", ""), printed)
}

#[test]
fn a_script_debugs_a_program() {
    let script = include_str!("session.txt");
    let (transcript, printed) = session(script);
    let expected = include_str!("transcript.txt");
    if std::env::var_os("GPUVM_TEXTS").is_some_and(|how| how == "overwrite") {
        let path = top().join("cargo-gpuvm/tests/it/transcript.txt");
        std::fs::write(path, &transcript).unwrap();
        return;
    }
    assert_eq!(transcript, expected.replace("\r\n", "\n"), "{transcript}");
    assert_eq!(printed, "VM 26 walks 78 steps, all of them 1033\n");
}

#[test]
fn the_program_goes_on_when_a_script_ends() {
    let whole = "VM 26 walks 111 steps, all of them 1066\n";
    for script in [
        "",
        "# nothing\n",
        "b examples/walk.rs:16\n",
        "b examples/walk.rs:16\nrun\n",
        "run",
        "next\nprint n\nquit\nprint n\n",
    ] {
        let (transcript, printed) = session(script);
        assert_eq!(printed, whole, "{script}: {transcript}");
    }
}

#[test]
fn calls_are_looked_at_from_inside_and_outside() {
    let inner = line("third + 1");
    let (transcript, _) = session(&format!(
        "b examples/walk.rs:{inner} if n == 27\nrun\nbt\nup\np n\ndown\np n\nup\nup\nvm 2\nvm 99\n"
    ));
    assert!(
        transcript
            .contains(">  0  climb(n = 27) at walk.rs:8\n   1  walk(start = 27) at walk.rs:19\nframe 1: VM 26 in walk"),
        "{transcript}"
    );
    assert!(
        transcript.contains("the outermost frame is 1\nselected: VM 2 in "),
        "{transcript}"
    );
}

#[test]
fn a_launch_is_ended() {
    for script in ["kill\n", "b examples/walk.rs:16\nrun\nkill\nprint n\n"] {
        let (transcript, printed) = session(script);
        assert!(transcript.ends_with("the launch is ended\n"), "{transcript}");
        assert_eq!(printed, "");
    }
}

/// A snapshot of [`walk`] in which VM 0 has trapped, in a folder that goes with it.
fn crash(folder: &Path) -> PathBuf {
    let mut program = Command::new(walk());
    program.arg("3000000007").env("GPUVM_CRASH", folder);
    let said = program.env("GPUVM_BACKEND", "cpu").output().unwrap();
    assert!(!said.status.success(), "{said:?}");
    let found = std::fs::read_dir(folder).unwrap().next().unwrap();
    found.unwrap().path()
}

#[test]
fn a_trap_is_looked_at_later() {
    let folder = std::env::temp_dir().join(format!("gpuvm-crash-{}", std::process::id()));
    let snapshot = crash(&folder);
    let name = snapshot.display().to_string();
    let mut replayed = Command::new(walk());
    replayed.env("GPUVM_SHOW", format!("replay {name}"));
    let said = replayed.env("GPUVM_BACKEND", "cpu").output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert_eq!(
        text.lines().next().unwrap_or_default(),
        format!("`walk`, {name} of 50 VMs: 49 halted, 1 trapped"),
        "{said:?}"
    );
    assert!(
        text.contains("attempt to multiply with overflow") && text.contains("in climb(n = "),
        "{text}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
    let said = debugger(&[&name, "--example", "walk"], "");
    let error = String::from_utf8_lossy(&said.stderr).into_owned();
    assert_eq!(
        error,
        format!(
            "error: there is no snapshot {name}; a trap leaves one with `GPUVM_CRASH=folder` or `Launch::snapshot_on_trap`\n"
        )
    );
}

#[test]
fn who_does_not_listen_is_not_debugged() {
    let port = free_port().to_string();
    let said = debugger(&["--attach", &port], "");
    let error = String::from_utf8_lossy(&said.stderr).into_owned();
    assert_eq!(said.status.code(), Some(1));
    assert!(
        error.starts_with(&format!("error: no program listens on port {port} of this machine")),
        "{error}"
    );
    assert!(
        error
            .trim_end()
            .ends_with(&format!("is one started with `GPUVM_DEBUG={port}`?")),
        "{error}"
    );
}

#[test]
fn a_program_that_cannot_be_built_is_told() {
    let said = debugger(&["--manifest-path", "nowhere/Cargo.toml"], "run\n");
    let error = String::from_utf8_lossy(&said.stderr).into_owned();
    assert_eq!(said.status.code(), Some(1));
    assert!(
        error.contains("error: `cargo run --features gpuvm/debug` has ended with exit code "),
        "{error}"
    );
}

#[test]
fn a_program_tells_of_itself() {
    let shown = |asked: &str| {
        let mut command = Command::new(walk());
        command.env("GPUVM_SHOW", asked).env("GPUVM_BACKEND", "cpu");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let Output { stdout, stderr, .. } = output(command.spawn().unwrap(), "");
        String::from_utf8([stdout, stderr].concat()).unwrap()
    };
    let list = shown("list");
    assert!(list.contains("routine      walk(start: u32) -> u32"), "{list}");
    let place = format!("examples/walk.rs:{}", line("fn walk("));
    assert!(list.replace('\\', "/").contains(&place), "{list}");
    let explained = shown("explain walk");
    assert!(explained.contains("instructions by source line:"));
    let remarks = explained.split("\nremarks:\n").nth(1).unwrap_or_default();
    assert!(
        remarks.contains("a loop of ")
            && remarks.contains("no power of a matrix: not linear are `mulou`, `trapnz` in line "),
        "{remarks}"
    );
    assert!(remarks.contains("; the specialised engine "), "{remarks}");
    assert!(shown("disasm walk").contains(";             n /= 2;"));
    assert!(shown("explain walks").contains("did you mean `walk`?"));
    assert!(shown("explode walk").contains("may be `list`, `explain ID`, `disasm ID` or `replay FILE`"));
}
