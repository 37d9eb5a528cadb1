//! VMs that depend on each other or on the host: what is counted of them, and what their profile says of that.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use gpuvm::prelude::*;
use gpuvm::{Error, Launch};

use crate::{ENGINES, counted, done, profile, runtime};

#[routine]
fn tickets(counter: &[AtomicU32], totals: &[AtomicU64]) -> u32 {
    let own = counter[0].fetch_add(3, Ordering::Relaxed);
    totals[0].fetch_add(u64::from(own), Ordering::Relaxed);
    // How often it turns depends on who came before.
    let mut sum = 0u32;
    for i in 0..counter[0].load(Ordering::Relaxed) + totals[0].load(Ordering::Relaxed) as u32 {
        sum = sum.rotate_left(1) ^ i;
    }
    sum
}

#[test]
fn of_shared_atomics_each_vm_is_counted_alone() {
    let engines = ENGINES.into_iter().filter(|engine| has_atomic_pairs(*engine));
    let mut expected = None;
    for engine in engines {
        let (counter, totals) = ([AtomicU32::new(4)], [AtomicU64::new(0)]);
        let launch = |vms| {
            let launch = runtime().launch("tickets").unwrap().args((&counter, &totals));
            profile(launch.vms(vms).engine(engine))
        };
        let first = launch(40);
        assert_eq!(counter[0].load(Ordering::Relaxed), 4 + 40 * 3);
        let note = "VMs share `counter` and `totals`: counts are those of each VM alone";
        assert_eq!(first.notes(), [note]);
        let costs = first.vms().iter().map(|cost| cost.instructions);
        assert!(
            costs.clone().all(|cost| cost == first.vms()[0].instructions),
            "{engine}"
        );
        assert_eq!(
            *expected.get_or_insert_with(|| counted(&first)),
            counted(&first),
            "{engine}"
        );
        // One has nobody to share with.
        assert_eq!(launch(1).notes(), [""; 0]);
    }
}

fn has_atomic_pairs(engine: Engine) -> bool {
    matches!(engine, Engine::Native | Engine::Reference) || runtime().device().atomics_64
}

#[routine]
fn telling(x: u32) -> u32 {
    if x % 3 == 1 {
        println!("{x}");
    }
    x
}

#[test]
fn what_is_printed_is_counted() {
    let x: Vec<u32> = (0..40).collect();
    let launch = || runtime().launch("telling").unwrap().args((&x,));
    let expected = profile(launch().engine(Engine::Reference));
    let note = "VMs share the log of what they print: counts are those of each VM alone";
    assert_eq!(expected.notes(), [note]);
    assert_eq!(expected.cut(), 0);
    for engine in ENGINES {
        let done = done(launch().engine(engine));
        assert_eq!(done.logs().len(), 13, "{engine}");
        assert_eq!(counted(done.profile().unwrap()), counted(&expected), "{engine}");
    }
}

#[routine]
fn curious(x: u32) -> u32 {
    let answer: u32 = vm::ask(x);
    answer.wrapping_mul(3)
}

#[test]
fn who_asks_is_counted_until_then() {
    let x: Vec<u32> = (0..40).collect();
    let mut texts = Vec::new();
    for engine in ENGINES {
        let launch = runtime().launch("curious").unwrap().args((&x,)).engine(engine);
        let done = done(launch.answer(|_, question: u32| question + 1));
        let profile = done.profile().unwrap();
        assert_eq!(profile.cut(), 40, "{engine}");
        assert_eq!(
            profile.notes()[0],
            "VMs ask the host: counts end with each VM's first question"
        );
        assert!(profile.instructions() > 40);
        texts.push(counted(profile));
    }
    assert!(texts.iter().all(|text| *text == texts[0]));
}

#[routine]
fn growing(me: &mut u32) {
    for i in 0..*me {
        *me += i % 2;
    }
}

#[test]
fn of_several_steps_the_first_is_counted() {
    let launch = |steps, engine| {
        let mut me: Vec<u32> = (0..40).collect();
        let launch = runtime().launch("growing").unwrap().args((&mut me,));
        profile(launch.steps(steps).engine(engine))
    };
    let once = launch(1, Engine::Reference);
    for engine in ENGINES {
        let thrice = launch(3, engine);
        assert_eq!(thrice.notes(), ["counts are those of the first of 3 steps"]);
        assert_eq!((thrice.lines(), thrice.vms()), (once.lines(), once.vms()), "{engine}");
    }
}

#[routine]
fn neighbours(me: &mut u32, all: &[u32]) {
    let before = all[(vm::id() as usize + 1) % all.len()];
    for i in 0..before {
        *me = me.rotate_left(1) ^ i;
    }
}

#[test]
fn a_buffer_that_is_written_and_read_is_counted_as_it_was() {
    let mut expected = None;
    for engine in ENGINES {
        let buffer = runtime().buffer(&(0..40).collect::<Vec<u32>>()).unwrap();
        let launch = runtime().launch("neighbours").unwrap().args((&buffer, &buffer));
        let profile = profile(launch.engine(engine));
        let costs: Vec<u64> = profile.vms().iter().map(|cost| cost.instructions).collect();
        assert!(
            costs.windows(2).take(38).all(|pair| pair[0] < pair[1]),
            "{engine}: {costs:?}"
        );
        assert_eq!(
            *expected.get_or_insert_with(|| counted(&profile)),
            counted(&profile),
            "{engine}"
        );
    }
}

#[routine]
fn pausing(n: u32) -> u32 {
    let mut sum = 0u32;
    for i in 0..n {
        sum = sum.rotate_left(1) ^ i;
        vm::yield_now();
    }
    sum
}

#[test]
fn who_yields_goes_on() {
    let n: Vec<u32> = (0..40).collect();
    for engine in [Engine::Reference, Engine::Interpreter] {
        let done = done(runtime().launch("pausing").unwrap().args((&n,)).engine(engine));
        let profile = done.profile().unwrap();
        assert_eq!((profile.cut(), profile.notes().len()), (0, 0));
        assert_eq!(Some(profile.instructions()), done.stats().instructions(), "{engine}");
    }
}

#[test]
fn a_launch_that_ends_early_says_so() {
    let n = [1000u32; 40];
    let launch = || -> Launch<'_> { runtime().launch("pausing").unwrap().args((&n,)) };
    let budgeted = launch().profile(true).budget(Budget::cycles(10)).run();
    let Err(Error::Budget(report)) = budgeted else {
        panic!("it takes longer")
    };
    let profile = report.done().profile().unwrap();
    let note = "the launch was ended before its VMs were done: counts are of VMs that run on";
    assert_eq!(profile.notes(), [note]);
    assert_eq!(profile.cut(), 0);
}

#[test]
fn asynchronously_it_is_the_same() {
    let n: Vec<u32> = (0..40).collect();
    let launch = || runtime().launch("pausing").unwrap().args((&n,)).profile(true);
    let done = futures_lite::future::block_on(launch().run_async()).unwrap();
    let expected = launch().run().unwrap();
    assert_eq!(counted(done.profile().unwrap()), counted(expected.profile().unwrap()));
}
