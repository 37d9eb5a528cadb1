//! The variables of annotated functions, from the source through the linker to a stopped VM.

// Generated code names `::gpuvm`, which below the facade is the core.
extern crate gpuvm_core as gpuvm;

use std::collections::BTreeMap;

use gpuvm_core::compile::link;
use gpuvm_core::facts::RoutineType;
use gpuvm_core::interp::{Memory, Vm};
use gpuvm_core::program::{ParamSlot, Program, Status};
use gpuvm_core::settings::Settings;
use gpuvm_macros::routine;

#[routine(library)]
fn square(number: i32) -> i32 {
    let twice = number * 2;
    number * number + twice - twice
}

const LINE: u32 = line!();
#[routine(library)]
fn walk(start: i32, step: (u32, i32), maybe: Option<f32>) -> i32 {
    let mut sum = start;
    for i in 0..step.0 {
        let part = square(i as i32 + step.1);
        sum += part;
        if sum > 1000 {
            let sum = true;
            return sum as i32;
        }
    }
    if let Some(half) = maybe {
        let pair = (half, sum);
        sum += (pair.0 * 2.0) as i32;
    }
    sum
}

/// What a person who stops whenever a line is reached sees: line, and each variable's text.
fn stops(program: &Program, args: &[u32]) -> Vec<(u32, BTreeMap<String, String>)> {
    let mut arena = args.to_vec();
    arena.push(0);
    // The parameters lie one after the other, and the result behind them.
    let mut base = 0;
    let mut params = Vec::new();
    for words in program.params.iter().map(|param| param.words()).chain([1]) {
        params.push(ParamSlot {
            base,
            ..ParamSlot::default()
        });
        base += words;
    }
    let mut memory = Memory {
        arena: &mut arena,
        atomics: &mut [],
        params: &params,
        vm_count: 1,
        first_vm: 0,
    };
    let map = program.variable_map();
    let mut vm = Vm::new(program, 0);
    let mut stops = Vec::new();
    let mut last = 0;
    while vm.status() == Status::Running {
        let line = program.places[vm.ip() as usize].line;
        if line != last {
            let frame = &vm.frame[vm.frame_base as usize..];
            let shown = map.at(vm.ip()).into_iter();
            let shown = shown.map(|location| (location.name.clone(), location.show(vm.words(), frame)));
            stops.push((line, shown.collect()));
            last = line;
        }
        vm.step(program, &mut memory);
    }
    stops
}

/// What is shown at each stop on a line, variables as `name = value` in order of their names.
fn at(stops: &[(u32, BTreeMap<String, String>)], line: u32) -> Vec<String> {
    let own = stops.iter().filter(|(at, _)| *at == line);
    own.map(|(_, shown)| {
        let each: Vec<String> = shown.iter().map(|(name, text)| format!("{name} = {text}")).collect();
        each.join(", ")
    })
    .collect()
}

fn walked(settings: &Settings) -> Vec<(u32, BTreeMap<String, String>)> {
    let program = link(<walk as RoutineType>::routine(), &[], settings).unwrap();
    let program = Program::from_bytes(&program.to_bytes()).unwrap();
    stops(&program, &[7, 2, 5, 1, 1.5_f32.to_bits()])
}

#[test]
fn the_functions_compute() {
    assert_eq!(walk(7, (2, 5), Some(1.5)), 7 + 25 + 36 + 3);
}

#[test]
fn optimised_code_shows_what_it_keeps() {
    let stops = walked(&Settings::default());
    // Once `sum` has its value, nobody needs `start`; nor `i` once the call has its argument.
    let params = |y| format!("maybe = Some(1.5), {y}start = ?, step = (2, 5)");
    assert_eq!(
        at(&stops, LINE + 5),
        [
            format!("i = 0, {}, sum = 7", params("")),
            format!("i = 1, {}, sum = 32", params(""))
        ]
    );
    assert_eq!(
        at(&stops, LINE + 6),
        [
            format!("i = ?, {}, sum = 7", params("part = 25, ")),
            format!("i = ?, {}, sum = 32", params("part = 36, "))
        ]
    );
    // Two of the pair's words are those of other variables.
    assert_eq!(
        at(&stops, LINE + 14),
        ["half = 1.5, maybe = Some(1.5), pair = (1.5, 68), start = ?, step = (2, ?), sum = 68"]
    );
    // The routine that was inlined has variables of its own, and below them its caller's.
    let inside = at(&stops, LINE - 3);
    assert!(
        inside[1].contains("square::number = 6, square::twice = 12"),
        "{inside:?}"
    );
    assert!(inside[1].contains("sum = 32"), "{inside:?}");
}

#[test]
fn a_called_routine_has_its_own_variables() {
    let settings = Settings {
        inline: None,
        ..Settings::default()
    };
    let stops = walked(&settings);
    assert_eq!(
        at(&stops, LINE - 3),
        [
            // The argument is fetched from the frame, on the line where it is needed first.
            "number = 5, twice = ?",
            "number = 5, twice = 10",
            "number = 6, twice = ?",
            "number = 6, twice = 12"
        ]
    );
}

#[test]
fn linked_for_a_debugger_every_variable_is_there_to_the_end_of_its_scope() {
    let stops = walked(&Settings::debug());
    for (line, shown) in &stops {
        // On its own line a variable comes to be.
        let known = |(name, text): (&String, &String)| !text.contains('?') || ["sum", "i"].contains(&name.as_str());
        assert!(shown.iter().all(known), "line {line}: {shown:?}");
    }
    let all = |rest| format!("maybe = Some(1.5), {rest}");
    assert_eq!(
        at(&stops, LINE + 6),
        [
            format!("i = 0, {}", all("part = 25, start = 7, step = (2, 5), sum = 7")),
            format!("i = 1, {}", all("part = 36, start = 7, step = (2, 5), sum = 32"))
        ]
    );
}
