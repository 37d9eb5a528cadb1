//! `cargo gpuvm top`, of the process that runs this test.

use std::process::{Command, Output};

use gpuvm::prelude::*;
use gpuvm_monitor as _;

#[routine]
fn quarter(x: u32) -> u32 {
    println!("{x} in four");
    x / 4
}

fn top(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-gpuvm"));
    command.args(["gpuvm", "top"]).args(arguments).output().unwrap()
}

#[test]
fn a_process_is_drawn() {
    let runtime = Runtime::builder().backend(Backend::Cpu).build().unwrap();
    let port = runtime.monitor("localhost:0").unwrap().port().to_string();
    runtime.launch("quarter").unwrap().args((&[4u32, 8],)).run().unwrap();
    let launch = runtime.launch("quarter").unwrap().args((&[1u32; 7],));
    let execution = launch.start().unwrap();
    let output = top(&[&port]);
    let drawn = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    let row = |begin: &str| {
        let found = drawn.lines().find(|line| line.starts_with(begin));
        let found = found.unwrap_or_else(|| panic!("no line begins with `{begin}`:\n{drawn}"));
        found.split_whitespace().map(str::to_string).collect::<Vec<_>>()
    };
    let own = std::process::id().to_string();
    assert!(
        drawn.lines().next().unwrap().contains(&format!("process {own}, ")),
        "{drawn}"
    );
    assert_eq!(row("1 launches,")[..4], ["1", "launches,", "0", "plans,"]);
    // The first row is of what is under way, behind the head of that.
    let expected = ["quarter", "7", "[", "]", "7", "0", "0", "0"];
    assert_eq!(row("quarter")[..8], expected);
    assert!(
        drawn.contains("  done\n") && drawn.contains("info  quarter VM 1: 8 in four\n"),
        "{drawn}"
    );
    drop(execution);
    assert!(
        !String::from_utf8(top(&["--once", &port]).stdout)
            .unwrap()
            .contains("UNDER WAY")
    );
}

#[test]
fn a_port_without_a_monitor_is_told() {
    let output = top(&[&super::free_port().to_string()]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.starts_with("error: no monitor answers on port ") && text.contains("--features gpuvm/monitor"),
        "{text}"
    );
    assert_eq!(top(&["0"]).status.code(), Some(2));
}
