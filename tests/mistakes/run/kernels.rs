//! Ring kernels.

use std::time::Duration;

use gpuvm::RingSnapshot;
use gpuvm::prelude::*;

use super::answers;
use super::routines::{Other, Sum};
use crate::runtime;

fn options(engine: Engine) -> RingOptions {
    RingOptions {
        actors: 4,
        engine,
        ..default()
    }
}

/// Engines that kernels run on.
const ENGINES: [Engine; 2] = [Engine::Reference, Engine::Interpreter];

#[test]
fn launching() {
    answers! {
        runtime().blocking_launch_ring("sumer", options(Engine::Reference)) => "no ring kernel has the id `sumer`; did you mean `summer`?";
        runtime().blocking_launch_ring("summer", RingOptions { actors: 0, ..default() }) => "ring kernel `summer` cannot be launched with no actors; give it 1 or more";
        runtime().blocking_launch_ring("summer", RingOptions::default()) => "no error";
        runtime().blocking_launch_ring("summer", RingOptions { actors: 4_000_000_000, ..default() }) => "ring kernel `summer` cannot be launched with 4000000000 actors of 4 bytes each; all states together have less than 4 GiB";
    }
}

#[test]
fn types_and_a_life() {
    for engine in ENGINES {
        let kernel = runtime().blocking_launch_ring("summer", options(engine)).unwrap();
        answers! {
            kernel.blocking_call::<Sum>(1, Sum(1)) => "`call` needs ring kernel `summer` to be active, and it is launched";
        }
        kernel.blocking_activate().unwrap();
        answers! {
            kernel.blocking_send(1, Other(1.0)) => "actors of ring kernel `summer` understand `Sum`, and were sent `Other`";
            kernel.blocking_send(9, Sum(1)) => "ring kernel `summer` has 4 actors, numbered from 0, and actor 9 was named";
            kernel.blocking_call::<Other>(1, Sum(1)) => "actors of ring kernel `summer` answer with `Sum`, and `Other` was asked for";
            kernel.blocking_state::<f32>(1) => "actors of ring kernel `summer` have the state `u32`, and `f32` was asked for";
            kernel.blocking_send(1, Sum(5)) => "no error";
            kernel.blocking_receive::<Other>(Duration::from_secs(1)) => "actors of ring kernel `summer` answer with `Sum`, and `Other` was asked for";
            kernel.blocking_snapshot() => "`snapshot` needs ring kernel `summer` to be launched or deactivated, and it is active";
        }
        kernel.blocking_terminate().unwrap();
        answers! {
            kernel.blocking_send(1, Sum(1)) => "`send` needs ring kernel `summer` to be launched, active or deactivated, and it is terminated";
            kernel.blocking_call::<Sum>(1, Sum(1)) => "`call` needs ring kernel `summer` to be active, and it is terminated";
            kernel.blocking_activate() => "`activate` needs ring kernel `summer` to be launched or deactivated, and it is terminated";
            kernel.blocking_terminate() => "`terminate` needs ring kernel `summer` to be launched, active or deactivated, and it is terminated";
            kernel.try_send(1, Sum(2)) => "`try_send` needs ring kernel `summer` to be launched, active or deactivated, and it is terminated";
        }
    }
}

#[test]
fn a_full_queue() {
    let options = RingOptions {
        queue_capacity: 4,
        ..options(Engine::Reference)
    };
    let kernel = runtime().blocking_launch_ring("summer", options).unwrap();
    for _ in 0..4 {
        kernel.try_send(1, Sum(1)).unwrap();
    }
    answers! {
        kernel.try_send(1, Sum(1)) => "the queue is full";
        kernel.blocking_receive::<Sum>(Duration::from_millis(10)) => "receiving of ring kernel `summer` took longer than 10ms; it was never activated, and 4 messages wait: call `activate`";
    }
}

#[test]
fn no_answer() {
    let kernel = runtime()
        .blocking_launch_ring("silent", options(Engine::Reference))
        .unwrap();
    kernel.blocking_activate().unwrap();
    answers! {
        kernel.blocking_call::<Sum>(1, Sum(1)) => "actor 1 of ring kernel `silent` gave no answer to this message";
        kernel.blocking_send(1, Sum(1)) => "no error";
        kernel.blocking_receive::<Sum>(Duration::from_millis(50)) => "receiving of ring kernel `silent` took longer than 50ms";
    }
}

#[test]
fn a_trap() {
    let kernel = runtime()
        .blocking_launch_ring("summer", options(Engine::Reference))
        .unwrap();
    kernel.blocking_activate().unwrap();
    kernel.blocking_send(1, Sum(u32::MAX)).unwrap();
    answers! {
        kernel.blocking_call::<Sum>(1, Sum(5)) => "actor 1 of ring kernel `summer` trapped at tests/mistakes/run/routines.rs:164: attempt to add with overflow";
        kernel.blocking_call::<Sum>(1, Sum(5)) => "actor 1 of ring kernel `summer` has stopped";
        Err::<(), _>(kernel.dead_letter().unwrap()) => "Sum(5) to actor 1: actor 1 of ring kernel `summer` trapped at tests/mistakes/run/routines.rs:164: attempt to add with overflow";
    }
}

#[test]
fn too_many_messages_of_one() {
    let kernel = runtime()
        .blocking_launch_ring("talker", options(Engine::Reference))
        .unwrap();
    kernel.blocking_activate().unwrap();
    kernel.blocking_send(1, Sum(2)).unwrap();
    answers! {
        kernel.blocking_settle() => "actor 1 of ring kernel `talker` trapped at tests/mistakes/run/routines.rs:178: an actor sent more messages for one than its ring kernel says; raise `#[ring_kernel(sends = …)]` (and the like 1 time more); `dead_letter()` gives what was lost";
        kernel.blocking_terminate() => "actor 1 of ring kernel `talker` trapped at tests/mistakes/run/routines.rs:178: an actor sent more messages for one than its ring kernel says; raise `#[ring_kernel(sends = …)]` (and the like 1 time more); `dead_letter()` gives what was lost";
    }
}

#[test]
fn snapshots() {
    let kernel = runtime()
        .blocking_launch_ring("summer", options(Engine::Reference))
        .unwrap();
    kernel.blocking_activate().unwrap();
    kernel.blocking_deactivate().unwrap();
    let saved = kernel.blocking_snapshot().unwrap().to_bytes();
    let whole = RingSnapshot::from_bytes(&saved).unwrap();
    answers! {
        RingSnapshot::from_bytes(&saved[..20]) => "this is no snapshot that can be read: it is too short";
        runtime().blocking_restore_ring(&whole, RingOptions { actors: 99, ..whole.options() }) => "ring kernel `summer` cannot be launched with 99 actors; the snapshot has 4";
    }
}

#[test]
fn what_is_no_mistake() {
    // Two kernels of one routine, one after the other, and one whose answers nobody took.
    for _ in 0..2 {
        let kernel = runtime()
            .blocking_launch_ring("summer", options(Engine::Reference))
            .unwrap();
        kernel.blocking_activate().unwrap();
        for i in 0..100 {
            kernel.blocking_send(i % 4, Sum(1)).unwrap();
        }
    }
    // Waiting for a kernel within an executor of one thread.
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    executor.block_on(async {
        let kernel = runtime()
            .blocking_launch_ring("summer", options(Engine::Reference))
            .unwrap();
        kernel.blocking_activate().unwrap();
        assert_eq!(kernel.blocking_call::<Sum>(1, Sum(5)).unwrap(), Sum(5));
        kernel.blocking_terminate().unwrap();
    });
}
