//! The engine as the runtime drives it: snapshots that come from elsewhere, budgets, the cache.

use gpuvm_engine::{Engine, Execute};

use super::*;

fn countdown() -> Batch {
    let code = "vmid w2\nmuli w2, w2, 700\nagain:\njz @finish, w2\nadd w10, w10, w2\naddi w2, w2, -1\njump @again";
    job(assembled("", code), &[], 0, 1, 40)
}

/// Runs to the end, and gives the memory and the engine that ran last.
fn finish(mut running: Box<dyn Running>) -> (Vec<u32>, Engine) {
    let tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
    assert_eq!(tally.halted, 40);
    let image = running.image().unwrap();
    let halted = gpuvm_core::program::Status::Halted as u32;
    assert!(
        image
            .records
            .chunks(32)
            .zip(0..)
            .all(|(record, id)| record[1] == halted && record[2] == id)
    );
    (running.finish().unwrap().changed.into_vec(), tally.engine)
}

#[test]
fn a_vm_goes_on_wherever_it_was_stopped() {
    let mut expected = countdown();
    reference(&mut expected);
    let soon = Limit {
        time: Some(std::time::Duration::ZERO),
        ..Limit::default()
    };
    let options = engine().options(&expected.program, KnownParams::default());
    let mut first = begin(&countdown(), &options, 3);
    assert!(first.advance(&soon, &mut |_| {}).unwrap().running > 0);
    let image = first.image().unwrap();

    // At a place where the kernel takes VMs up.
    let mut second = countdown().start(&engine()).unwrap();
    second.restore(&image).unwrap();
    assert_eq!(finish(second), (expected.arena.clone(), Engine::Specialized));

    // An exact number of instructions is the interpreter's affair, and leaves VMs anywhere; it brings them back, too.
    let mut third = countdown().start(&engine()).unwrap();
    third.restore(&image).unwrap();
    let budget = Limit {
        cycles: Some(5),
        ..Limit::default()
    };
    assert_eq!(third.advance(&budget, &mut |_| {}).unwrap().engine, Engine::Interpreter);
    let image = third.image().unwrap();
    assert_eq!(finish(third), (expected.arena.clone(), Engine::Specialized));
    let mut fourth = countdown().start(&engine()).unwrap();
    fourth.restore(&image).unwrap();
    assert_eq!(finish(fourth), (expected.arena, Engine::Specialized));
}

#[test]
fn a_program_is_compiled_once() {
    let engine = engine();
    let (first, second) = (countdown().job.program, countdown().job.program);
    let options = engine.options(&first, KnownParams::default());
    assert!(
        engine.request(&first, &options).unwrap().is_none(),
        "another thread is at it"
    );
    let waited = engine.kernel(&second, &options).unwrap();
    let asked = engine.request(&first, &options).unwrap().unwrap();
    assert!(Arc::ptr_eq(&waited, &asked), "equal programs have one kernel");
    let folded = Options {
        known: KnownParams(vec![KnownParam::default()]),
        ..options
    };
    assert!(!Arc::ptr_eq(&waited, &engine.kernel(&first, &folded).unwrap()));
}

#[test]
fn a_habit_gets_a_kernel_of_its_own() {
    let code = "imm w0, 1\nparam w1, 0\nload w10, w0, w1, 0\nvmid w2\nadd w10, w10, w2";
    let batch = || job(assembled("", code), &[1000], 0, 1, 40);
    let mut expected = batch();
    reference(&mut expected);
    let (engine, batch) = (engine(), batch());
    let launch = || {
        let mut running = batch.clone().start(&engine).unwrap();
        running.advance(&Limit::default(), &mut |_| {}).unwrap();
        assert_eq!(*running.finish().unwrap().changed, expected.arena[1..]);
    };
    while engine.habitual(&batch, &batch.arena.as_slice()).is_none() {
        launch();
    }
    launch();
}

#[test]
fn a_program_that_takes_the_compiler_too_long_is_the_interpreters() {
    let mut code = String::from("vmid w2\n");
    for i in 0..400 {
        code += &format!("andi w4, w2, {i}\njz @after{i}, w4\nmuli w10, w10, 3\naddi w10, w10, {i}\nafter{i}:\n");
    }
    let large = job(assembled("", &code), &[], 0, 1, 40);
    let mut expected = large.clone();
    reference(&mut expected);
    let (engine, program) = (engine(), large.job.program.clone());
    assert!(engine.left_to_interpreter(&program).is_some());
    assert_eq!(engine.stepper(&large).unwrap().engine(), Engine::Interpreter);
    let found = finish(large.start(&engine).unwrap());
    assert_eq!(found, (expected.arena, Engine::Interpreter));
    assert_eq!(engine.left_to_interpreter(&countdown().job.program), None);
}
