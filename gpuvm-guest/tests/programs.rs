//! Programs in C, compiled by gcc with -O2, against what they give under qemu (`tests/c/build.sh` makes both).

use gpuvm::Engine;
use gpuvm_guest::{Program, Settings, Start, Stop};

use crate::support::{data, ended, on, program, translated_on};

/// One run under qemu.
struct Expected {
    program: String,
    machine: String,
    number: u32,
    code: i32,
    output: String,
}

fn expected() -> Vec<Expected> {
    let text = String::from_utf8(data("c/expected.txt")).expect("text");
    let line = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        Expected {
            program: fields[0].to_string(),
            machine: fields[1].to_string(),
            number: fields[2].parse().expect("a number"),
            code: fields[3].parse().expect("a code"),
            output: fields[4].replace('|', "\n"),
        }
    };
    text.lines().map(line).collect()
}

/// The input number `n` of programs that read, as `tests/c/expected.py` makes it: JSON, with a mistake in every third.
fn input(n: u32) -> Vec<u8> {
    struct Text {
        state: u32,
        text: String,
    }

    impl Text {
        fn draw(&mut self, below: u32) -> u32 {
            self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.state >> 16) % below
        }

        fn value(&mut self, depth: u32) {
            match self.draw(if depth < 4 { 8 } else { 5 }) {
                0 => self.text += "true",
                1 => self.text += "null",
                2 => {
                    let length = self.draw(3) as usize;
                    self.text += &format!("\"{}\"", &"ab"[..length]);
                }
                3 | 4 => {
                    let number = self.draw(30_000) as i32 - 10_000;
                    self.text += &number.to_string();
                }
                5 | 6 => {
                    self.text += "[";
                    for i in 0..self.draw(5) {
                        self.text += if i == 0 { "" } else { ", " };
                        self.value(depth + 1);
                    }
                    self.text += "]";
                }
                _ => {
                    self.text += "{";
                    for i in 0..self.draw(4) {
                        self.text += if i == 0 { "" } else { "," };
                        let key = self.draw(10);
                        self.text += &format!("\"k{key}\": ");
                        self.value(depth + 1);
                    }
                    self.text += "}";
                }
            }
        }
    }

    let mut text = Text {
        state: n.wrapping_mul(2_654_435_761).wrapping_add(12_345),
        text: "[".to_string(),
    };
    text.value(0);
    text.text += ",";
    text.value(0);
    text.text += "]";
    let mut bytes = text.text.clone().into_bytes();
    if n % 3 == 2 {
        let place = text.draw(bytes.len() as u32);
        bytes[place as usize] = b'}';
    }
    bytes
}

/// All programs.
const ALL: [&str; 8] = [
    "sort",
    "crc",
    "collatz",
    "json",
    "sha256",
    "machine",
    "callbacks",
    "matrix",
];
/// Those that are short, for devices that a CPU plays.
const SHORT: [&str; 2] = ["collatz", "json"];

/// Runs programs for a machine with the numbers below `count`, side by side, and wants what qemu gives.
fn agree(machine: &str, names: &[&str], count: u32, settings: Settings) {
    let all = expected();
    let runs: Vec<&Expected> = all
        .iter()
        .filter(|run| run.machine == machine && run.number < count && names.contains(&run.program.as_str()))
        .collect();
    assert_eq!(runs.len(), names.len() * count as usize);
    let programs: Vec<Program> = names
        .iter()
        .map(|name| program(&format!("c/{name}.{machine}")))
        .collect();
    let starts = runs.iter().map(|run| {
        let index = names.iter().position(|name| *name == run.program);
        let reads = ["crc", "json", "sha256"].contains(&run.program.as_str());
        Start {
            program: index.expect("a program"),
            input: if reads {
                input(run.number).into()
            } else {
                Vec::new().into()
            },
            ..Start::with([run.program.clone(), run.number.to_string()])
        }
    });
    let guests = ended(&programs, starts.collect(), settings);
    for (guest, run) in runs.iter().enumerate() {
        let what = format!("{} {} {}", run.program, run.machine, run.number);
        assert_eq!(guests.stop(guest), Some(Stop::Exited(run.code)), "{what}");
        assert_eq!(
            String::from_utf8_lossy(guests.output(guest)).trim_end(),
            run.output,
            "{what}"
        );
    }
}

#[test]
fn narrow_programs_natively() {
    agree("riscv32", &ALL, 12, on(Engine::Native));
}

#[test]
fn wide_programs_natively() {
    agree("riscv64", &ALL, 12, on(Engine::Native));
}

#[test]
fn arm_programs_natively() {
    agree("aarch64", &ALL, 12, on(Engine::Native));
}

#[test]
fn narrow_programs_on_the_reference() {
    agree("riscv32", &ALL, 1, on(Engine::Reference));
}

#[test]
fn wide_programs_on_the_reference() {
    agree("riscv64", &ALL, 1, on(Engine::Reference));
}

#[test]
fn arm_programs_on_the_reference() {
    agree("aarch64", &ALL, 1, on(Engine::Reference));
}

#[test]
fn wide_programs_on_the_interpreter() {
    agree("riscv64", &SHORT, 3, on(Engine::Interpreter));
}

#[test]
fn arm_programs_on_the_interpreter() {
    agree("aarch64", &SHORT, 3, on(Engine::Interpreter));
}

#[test]
fn arm_programs_specialised() {
    agree("aarch64", &SHORT, 3, on(Engine::Specialized));
}

#[test]
fn arm_programs_by_epochs() {
    agree("aarch64", &["json"], 1, on(Engine::Epoch));
}

#[test]
fn programs_translated_on_the_reference() {
    for machine in ["riscv32", "riscv64", "aarch64"] {
        agree(machine, &ALL, 3, translated_on(Engine::Reference));
    }
}

#[test]
fn programs_translated_on_the_interpreter() {
    for machine in ["riscv32", "riscv64", "aarch64"] {
        agree(machine, &SHORT, 3, translated_on(Engine::Interpreter));
    }
}

#[test]
fn arm_programs_translated_specialised() {
    agree("aarch64", &["collatz"], 3, translated_on(Engine::Specialized));
}

#[test]
fn arm_programs_translated_by_epochs() {
    agree("aarch64", &["json"], 1, translated_on(Engine::Epoch));
}
