//! What is measured of a program before its shader is sent to the device's compiler is what the compiler gets, and what is not measured is small.

use super::random::random_program;
use super::*;
use crate::specialized::size::{Compiler, Size};

/// For a device that is one and for a CPU that plays it.
fn both_kinds() -> [Options; 2] {
    [false, true].map(|software| Options {
        software,
        ..Options::default()
    })
}

/// Who compiles for such a device.
fn compilers(options: &Options) -> &'static [Compiler] {
    match options.software {
        true => &[Compiler::Software],
        false => &[Compiler::Driver, Compiler::Ptxas],
    }
}

/// Statements of a program's code in the module that is sent.
fn sent(program: &Program, options: &Options, start: Start) -> u64 {
    let shader = Shader::new(program, options, start).unwrap();
    let mut functions = shader.module.functions.iter();
    let (_, run) = functions
        .find(|(_, function)| function.name.as_deref() == Some("run"))
        .unwrap();
    let mut size = Size::default();
    size.count(&run.body);
    size.statements
}

#[test]
fn what_is_measured_is_what_is_sent() {
    for seed in 1..=60 {
        let program = random_program(seed);
        for options in both_kinds() {
            let measured = Size::measured(&program, &options).unwrap().statements;
            let [fresh, resumed] = [Start::Fresh, Start::Resumed].map(|start| sent(&program, &options, start));
            assert!(measured >= fresh, "seed {seed}: {measured} measured, {fresh} sent");
            assert!(
                resumed < 2 * measured,
                "seed {seed}: {measured} measured, {resumed} sent"
            );
        }
    }
}

#[test]
fn what_is_behind_a_yield_is_measured() {
    let mut code = String::from("vmid w2\nyield\n");
    for i in 0..400 {
        code += &format!("andi w4, w2, {i}\njz @after{i}, w4\nmuli w10, w10, 3\naddi w10, w10, {i}\nafter{i}:\n");
    }
    let program = assembled("", &code);
    for options in both_kinds() {
        assert!(sent(&program, &options, Start::Fresh) < 100);
        let size = Size::of(&program, &options).unwrap();
        assert!(size.statements > 2000, "{size:?}");
    }
}

#[test]
fn what_is_not_measured_is_small() {
    // With what `assembled` adds, as many instructions as are not measured.
    let repeated = |length: usize, code: fn(usize) -> String| (0..28 / length).map(code).collect::<String>();
    let codes = [
        repeated(2, |i| format!("again{i}:\naddi w2, w2, -1\njnz @again{i}, w2\n")),
        repeated(4, |i| {
            format!("imm w2, 60\nagain{i}:\naddi w2, w2, -1\nmuli w10, w10, {i}\njnz @again{i}, w2\n")
        }),
        repeated(2, |i| format!("jz @after{i}, w3\nyield\nafter{i}:\n")),
        repeated(1, |_| "trapnz s0, w3, w4, w5\n".to_string()),
        repeated(1, |_| "fdiv w3, w4, w3\n".to_string()),
        repeated(1, |_| "store w3, w4, w5, 0\n".to_string()),
        repeated(1, |_| "aadd w4, w3, w26\n".to_string()),
    ];
    for code in codes {
        let program = assembled("frame_words 6\nsite 0:7:0 bounds", &code);
        for options in both_kinds() {
            assert_eq!(Size::of(&program, &options).unwrap(), Size::default(), "{code}");
            let size = Size::measured(&program, &options).unwrap();
            assert!(size.statements > 0);
            for compiler in compilers(&options) {
                let excess = size.excess(*compiler, false);
                assert_eq!(excess, None, "{compiler:?}, {size:?} of\n{code}");
            }
        }
    }
}
