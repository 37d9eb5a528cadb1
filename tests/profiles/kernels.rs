//! Profiles of ring kernels: what is counted of which batch, and that nothing else is another than without.

use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm::{KernelHandle, Profile};

use crate::{ENGINES, at, counted, left_in, name_of, runtime};

const FILE: &str = include_str!("kernels.rs");
const TURN: &str = "sum = sum.rotate_left(3) ^ turn";

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Work {
    turns: u32,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Sum {
    sum: u32,
}

#[derive(VmType, Clone, Copy, Default, Debug)]
struct Worker {
    handled: u32,
    sum: u32,
}

#[ring_kernel]
fn profiled_worker(worker: &mut Worker, work: Work) -> Sum {
    let mut sum = worker.sum;
    // How often it turns depends on what it has done before.
    for turn in 0..work.turns + worker.handled {
        sum = sum.rotate_left(3) ^ turn;
    }
    worker.sum = sum;
    worker.handled += 1;
    Sum { sum }
}

fn launched(id: &str, actors: u32, engine: Engine, profile: bool) -> KernelHandle {
    let options = RingOptions {
        actors,
        engine,
        profile,
        ..default()
    };
    runtime().blocking_launch_ring(id, options).unwrap()
}

/// Sends messages, has them handled, and gives all answers in the order of actors.
fn answers(kernel: &KernelHandle, messages: impl IntoIterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let messages: Vec<_> = messages
        .into_iter()
        .map(|(actor, turns)| (actor, Work { turns }))
        .collect();
    let sent = kernel.blocking_send_all(messages).unwrap();
    // What is sent while actors rest is one batch.
    kernel.blocking_activate().unwrap();
    kernel.blocking_settle().unwrap();
    let mut answers = Vec::new();
    while answers.len() < sent {
        kernel
            .blocking_receive_many::<Sum>(&mut answers, Duration::from_secs(60))
            .unwrap();
    }
    kernel.blocking_deactivate().unwrap();
    answers.sort_by_key(|(actor, _)| *actor);
    answers.into_iter().map(|(actor, sum)| (actor, sum.sum)).collect()
}

fn profile_of(kernel: &KernelHandle) -> Profile {
    let profile = kernel.blocking_profile().unwrap().expect("a profile");
    assert_eq!(profile.reason(), None);
    profile
}

/// Instructions that a turn takes, from a kernel of which that is known.
fn of_a_turn() -> u64 {
    let kernel = launched("profiled_worker", 1, Engine::Native, true);
    answers(&kernel, [(0, 10)]);
    let (instructions, ..) = at(&profile_of(&kernel), FILE, TURN);
    assert_eq!(instructions % 10, 0);
    instructions / 10
}

#[test]
fn each_message_counts_with_the_state_that_it_meets() {
    let each = of_a_turn();
    let messages = || (0..120u32).map(|number| (number % 40, number % 7));
    let mut told = Vec::new();
    for engine in ENGINES {
        let kernel = launched("profiled_worker", 50, engine, true);
        let plain = launched("profiled_worker", 50, engine, false);
        let first = answers(&kernel, messages());
        let turns: u64 = messages().map(|(_, turns)| u64::from(turns)).sum();
        // The first message of an actor meets 0, the second 1, the third 2.
        let turns = turns + 40 * 3;
        let once = profile_of(&kernel);
        assert_eq!(at(&once, FILE, TURN).0, each * turns, "{engine}");
        assert_eq!(
            (once.vms().len(), once.cut(), once.stats().vms),
            (40, 0, 40),
            "{engine}"
        );
        assert!(
            once.vms()
                .iter()
                .zip(0..)
                .all(|(cost, actor)| cost.vm == actor && cost.step.is_none())
        );
        // The next batch is sampled when it is time, and meets what the first has left.
        std::thread::sleep(Duration::from_millis(150));
        let second = answers(&kernel, messages());
        let twice = profile_of(&kernel);
        assert_eq!(at(&twice, FILE, TURN).0, each * (turns + turns + 120 * 3), "{engine}");
        assert_eq!(twice.stats().batches, 2, "{engine}");
        let note = "2 of 2 batches were sampled, of each actor's messages in one at most the first 64";
        assert_eq!(twice.notes(), [note]);
        assert_eq!(
            [answers(&plain, messages()), answers(&plain, messages())],
            [first, second]
        );
        assert!(plain.blocking_profile().unwrap().is_none());
        told.push(counted(&twice));
    }
    assert!(told.iter().all(|text| *text == told[0]));
}

#[test]
fn of_many_actors_and_messages_some_are_sampled() {
    let each = of_a_turn();
    for engine in [Engine::Native, Engine::Reference, Engine::Interpreter] {
        let kernel = launched("profiled_worker", 4000, engine, true);
        answers(&kernel, (0..4000).map(|actor| (actor, 3)));
        let profile = profile_of(&kernel);
        let vms: Vec<u32> = profile.vms().iter().map(|cost| cost.vm).collect();
        // Whole warps, evenly over all.
        for (number, warp) in vms.chunks(32).enumerate() {
            assert_eq!(warp[0] as usize, 32 * (number * 125 / 32));
            assert!(warp.iter().zip(warp[0]..).all(|(vm, expected)| *vm == expected));
        }
        assert_eq!((vms.len(), profile.stats().vms), (1024, 4000), "{engine}");
        assert_eq!(at(&profile, FILE, TURN).0, each * 1024 * 3, "{engine}");
        let kernel = launched("profiled_worker", 4000, engine, true);
        answers(&kernel, (0..100).map(|_| (3711, 0)));
        let profile = profile_of(&kernel);
        assert_eq!(profile.vms().len(), 1);
        assert_eq!(profile.vms()[0].vm, 3711);
        let turns: u64 = (0..64).sum();
        assert_eq!(at(&profile, FILE, TURN).0, each * turns, "{engine}");
    }
}

#[ring_kernel(sends = 2, replies = 3)]
fn profiled_talker(worker: &mut Worker, work: Work, ctx: &mut Ring) -> Sum {
    worker.handled += 1;
    for number in 0..work.turns.min(3) {
        ctx.reply(Sum { sum: number });
    }
    if work.turns > 0 {
        let other = (ctx.actor() + 1) % ctx.actors();
        ctx.send(other, Work { turns: work.turns - 1 });
    }
    Sum { sum: worker.handled }
}

#[test]
fn what_they_send_and_reply_is_counted() {
    let mut told = Vec::new();
    for engine in ENGINES {
        let kernel = launched("profiled_talker", 40, engine, true);
        let messages = (0..40).map(|actor| (actor, Work { turns: actor % 5 }));
        kernel.blocking_send_all(messages).unwrap();
        kernel.blocking_activate().unwrap();
        kernel.blocking_settle().unwrap();
        let profile = profile_of(&kernel);
        assert_eq!(profile.cut(), 0);
        let costs = profile.vms().iter().map(|cost| (cost.vm, cost.instructions));
        // Those of the first batch. Where that took long others may have been sampled as well.
        let costs: Vec<(u32, u64)> = costs.take(40).collect();
        assert!(costs.iter().zip(0..).all(|((vm, _), actor)| *vm == actor), "{engine}");
        // Who sends and replies takes longer, up to three replies.
        let cost = |actor: usize| costs[actor].1;
        assert!(cost(0) < cost(1) && cost(1) < cost(2) && cost(2) < cost(3) && cost(3) == cost(4));
        assert_eq!((cost(2) - cost(1), cost(5)), (cost(3) - cost(2), cost(0)));
        let (sends, ..) = at(&profile, FILE, "ctx.send(other");
        assert!(sends > 0, "{engine}");
        assert!(profile.folded().contains("profiled_talker"));
        told.push(costs);
    }
    assert!(told.iter().all(|costs| *costs == told[0]));
}

#[ring_kernel]
fn profiled_speaker(worker: &mut Worker, work: Work) -> Sum {
    println!("{}", work.turns);
    worker.handled += 1;
    Sum { sum: worker.handled }
}

#[test]
fn what_actors_print_is_counted() {
    let mut told = Vec::new();
    for engine in ENGINES {
        let kernel = launched("profiled_speaker", 40, engine, true);
        answers(&kernel, (0..40).map(|actor| (actor, actor)));
        let profile = profile_of(&kernel);
        let note = "VMs share the log of what they print: counts are those of each VM alone";
        assert_eq!((profile.notes()[0].as_str(), profile.cut()), (note, 0));
        assert_eq!(kernel.take_logs().len(), 40);
        told.push(counted(&profile));
    }
    assert!(told.iter().all(|text| *text == told[0]));
}

#[test]
fn a_page_has_batches_and_waits() {
    let kernel = launched("profiled_worker", 40, Engine::Native, true);
    let nothing = kernel.blocking_profile().unwrap().unwrap();
    assert_eq!(nothing.reason(), Some("no messages were handled"));
    answers(&kernel, (0..40).map(|actor| (actor, 5)));
    std::thread::sleep(Duration::from_millis(20));
    answers(&kernel, (0..40).map(|actor| (actor, 5)));
    let page = profile_of(&kernel).html();
    for row in ["batches", "waits"] {
        assert!(page.contains(&format!("<h3>{row}</h3>")), "{row}");
    }
    assert_eq!(page.matches("title=\"40 messages to 40 actors: ").count(), 2);
    assert!(page.contains("<title>profiled_worker</title>") && !page.contains("http"));
    assert_eq!(page.matches("<div").count(), page.matches("</div>").count());
}

#[test]
fn the_environment_asks_for_all_kernels() {
    let is_asked = std::env::var_os("GPUVM_PROFILE").is_some();
    let kernel = launched("profiled_worker", 3, Engine::Native, false);
    answers(&kernel, [(0, 5), (2, 5)]);
    assert_eq!(kernel.blocking_profile().unwrap().is_some(), is_asked);
    kernel.blocking_terminate().unwrap();
    drop(kernel);
    if is_asked {
        return;
    }
    let folder = std::env::temp_dir().join(format!("gpuvm-profiles-of-kernels-{}", std::process::id()));
    let [folded, page] = left_in(&folder, "kernels::the_environment_asks_for_all_kernels");
    for (path, extension) in [(folded, "folded"), (page, "html")] {
        let name = name_of(&path);
        assert!(
            name.starts_with("profiled_worker-") && name.ends_with(&format!("-1.{extension}")),
            "{name}"
        );
    }
    std::fs::remove_dir_all(folder).unwrap();
}
