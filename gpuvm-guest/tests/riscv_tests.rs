//! RISC-V's own tests of instructions, each a program that exits with 0, or with the number of its first test that failed.

use gpuvm::Engine;
use gpuvm_guest::{Program, Settings, Start, Stop};

use crate::support::{ended, on, program, translated_on};

/// The names of all programs for a machine.
fn names(machine: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/riscv-tests");
    let entries = std::fs::read_dir(folder).expect("the tests' data");
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(machine)).collect();
    names.sort();
    names
}

/// Runs all programs for a machine side by side, a guest each, and wants each to exit with 0.
fn pass(machine: &str, count: usize, settings: Settings) {
    let names = names(machine);
    assert_eq!(names.len(), count);
    together(&names, settings);
}

/// The same in groups, so that of each program much is translated.
fn pass_translated(machine: &str, count: usize, engine: Engine) {
    let names = names(machine);
    assert_eq!(names.len(), count);
    for group in names.chunks(8) {
        together(group, translated_on(engine));
    }
}

fn together(names: &[String], settings: Settings) {
    let programs: Vec<Program> = names
        .iter()
        .map(|name| program(&format!("riscv-tests/{name}")))
        .collect();
    let starts = (0..names.len()).map(|program| Start {
        program,
        ..Start::default()
    });
    let settings = Settings {
        memory: 16 << 10,
        heap: 0,
        stack: 4096,
        budget: 100_000,
        ..settings
    };
    let guests = ended(&programs, starts.collect(), settings);
    let failed: Vec<String> = names
        .iter()
        .enumerate()
        .filter_map(|(guest, name)| match guests.stop(guest) {
            Some(Stop::Exited(0)) => None,
            stop => Some(format!("{name}: {stop:x?}")),
        })
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn narrow_machine_natively() {
    pass("rv32", 72, on(Engine::Native));
}

#[test]
fn wide_machine_natively() {
    pass("rv64", 98, on(Engine::Native));
}

#[test]
fn narrow_machine_on_the_reference() {
    pass("rv32", 72, on(Engine::Reference));
}

#[test]
fn wide_machine_on_the_reference() {
    pass("rv64", 98, on(Engine::Reference));
}

#[test]
fn narrow_machine_on_the_interpreter() {
    pass("rv32", 72, on(Engine::Interpreter));
}

#[test]
fn wide_machine_on_the_interpreter() {
    pass("rv64", 98, on(Engine::Interpreter));
}

#[test]
fn narrow_machine_by_epochs() {
    pass("rv32", 72, on(Engine::Epoch));
}

#[test]
fn wide_machine_by_epochs() {
    pass("rv64", 98, on(Engine::Epoch));
}

#[test]
fn narrow_machine_specialised() {
    pass("rv32", 72, on(Engine::Specialized));
}

#[test]
fn wide_machine_specialised() {
    pass("rv64", 98, on(Engine::Specialized));
}

#[test]
fn narrow_machine_translated_on_the_reference() {
    pass_translated("rv32", 72, Engine::Reference);
}

#[test]
fn wide_machine_translated_on_the_reference() {
    pass_translated("rv64", 98, Engine::Reference);
}

#[test]
fn narrow_machine_translated_on_the_interpreter() {
    pass_translated("rv32", 72, Engine::Interpreter);
}

#[test]
fn wide_machine_translated_on_the_interpreter() {
    pass_translated("rv64", 98, Engine::Interpreter);
}

#[test]
fn narrow_machine_translated_by_epochs() {
    pass("rv32", 72, translated_on(Engine::Epoch));
}

#[test]
fn wide_machine_translated_specialised() {
    pass("rv64", 98, translated_on(Engine::Specialized));
}

#[test]
fn wide_machine_translated_by_epochs() {
    pass("rv64", 98, translated_on(Engine::Epoch));
}

#[test]
fn narrow_machine_translated_specialised() {
    pass("rv32", 72, translated_on(Engine::Specialized));
}
