//! What a linked program says of variables is what they hold: compared with the evaluator over random routines, under every
//! setting.

use proptest::prelude::*;

use super::random::{PARAMS, random};
use super::testing::*;
use super::tests::{FUEL, all_settings, linked};
use crate::interp::{Memory, Vm};
use crate::program::{Program, Status};
use crate::routine::Routine;

/// Steps through the program, and at each instruction finds each variable's shown value among those that it held, not before
/// the ones that were shown already if its routine runs only once. Gives how many were shown.
pub(super) fn follow(entry: &'static Routine, program: &Program, args: &[u32], history: &History) -> usize {
    let (params, words) = slots(entry);
    let mut arena = vec![0; words as usize];
    arena[..args.len()].copy_from_slice(args);
    let mut memory = Memory {
        arena: &mut arena,
        atomics: &mut [],
        params: &params,
        vm_count: 1,
        first_vm: 0,
    };
    let map = program.variable_map();
    let mut vm = Vm::new(program, 0);
    let mut next = History::new();
    let mut shown = 0;
    for _ in 0..600 {
        for location in map.at(vm.ip()) {
            let routine = program.routines[location.variable.routine as usize].clone();
            let first: u32 = location.variable.name.parse().unwrap();
            let values = location.read(vm.words(), &vm.frame[vm.frame_base as usize..]);
            for (word, value) in (first..).zip(values) {
                let Some(value) = value else { continue };
                let key = (routine.clone(), word);
                let held = &history[&key];
                let from = match next.get(&key) {
                    Some(seen) if routine == entry.name => seen[0] as usize,
                    _ => 0,
                };
                let found = held[from..].iter().position(|&held| same(held, value));
                let found = found.unwrap_or_else(|| {
                    panic!(
                        "at {} {routine}::{word} = {value:#x} is not in {:x?}\n{}",
                        vm.ip(),
                        &held[from..],
                        program.disassemble()
                    )
                });
                next.insert(key, vec![(from + found) as u32]);
                shown += 1;
            }
        }
        if vm.step(program, &mut memory) != Status::Running {
            break;
        }
    }
    shown
}

/// Whether a variable that holds one word may be shown with the other. Which NaN an operation gives is the machine's own business until it
/// is made the canonical one, and between the two a variable may be seen.
fn same(held: u32, shown: u32) -> bool {
    held == shown || f32::from_bits(held).is_nan() && f32::from_bits(shown).is_nan()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 30,
        max_shrink_iters: 100,
        ..ProptestConfig::default()
    })]

    #[test]
    fn variables_hold_what_is_shown(
        tape in prop::collection::vec(any::<u32>(), 0..300),
        helper in prop::collection::vec(any::<u32>(), 0..100),
        args: [u32; PARAMS],
    ) {
        let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Callees::set(0, random("inner", 2, result::<u32>(), &helper[..helper.len() / 2], 0));
        Callees::set(1, random("outer", 2, result::<u32>(), &helper, 1));
        let entry = random("random", PARAMS, result::<[u32; 12]>(), &tape, 2);
        let (seen, history) = evaluate_noting(entry, &args, FUEL);
        if !seen.unfinished {
            for settings in all_settings() {
                let program = linked(entry, &settings);
                prop_assert!(follow(entry, &program, &args, &history) > 0);
            }
        }
    }
}
