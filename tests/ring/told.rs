//! Who waits for what cannot come is told why: a sender whom nobody makes room for, a receiver of actors that never began, who waits for a
//! kernel whose actors send more than they may, and who drops one that does not end.

use std::thread;
use std::time::{Duration, Instant};

use gpuvm::prelude::*;
use gpuvm::ring::{Full, Life, RingError};

use super::events::{listen, told_by};
use super::{Deposit, ENGINES, LONG, SHORT, active, actors, launch, ring_error};

#[ring_kernel]
fn unread(_: &mut u32, deposit: Deposit) -> Deposit {
    deposit
}

#[ring_kernel]
fn unbegun(_: &mut u32, deposit: Deposit) -> Deposit {
    deposit
}

/// Sends itself so many messages.
#[ring_kernel]
fn chatter(_: &mut u32, deposit: Deposit, ctx: &mut Ring) {
    let mut sent = 0;
    while sent < deposit.cents {
        ctx.send(ctx.actor(), Deposit { cents: 0 });
        sent += 1;
    }
}

/// Does not end for many seconds, however it is compiled.
#[ring_kernel]
fn stubborn(seed: &mut u32, _: Deposit) {
    let mut turns = u32::MAX;
    while turns > 0 {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        turns -= 1;
    }
}

/// Sends messages until one waits, and gives what was told of it.
fn told_of_waiting(kernel: &KernelHandle, make_room: impl FnOnce()) -> Vec<String> {
    thread::scope(|scope| {
        let sending = scope.spawn(|| (0..8).try_for_each(|n| kernel.blocking_send(0, Deposit { cents: n })));
        let warnings = || {
            let told = told_by(kernel.id()).into_iter();
            told.filter(|line| line.starts_with("WARN")).collect::<Vec<_>>()
        };
        let begin = Instant::now();
        while warnings().is_empty() && begin.elapsed() < LONG {
            thread::sleep(SHORT);
        }
        assert!(begin.elapsed() >= Duration::from_secs(1) && !sending.is_finished());
        // It is told once, however long it goes on.
        thread::sleep(Duration::from_millis(1500));
        let told = warnings();
        make_room();
        sending.join().unwrap().unwrap();
        told
    })
}

fn four() -> RingOptions {
    RingOptions {
        queue_capacity: 4,
        ..actors(2)
    }
}

#[test]
fn a_sender_is_told_that_nobody_receives() {
    listen();
    let kernel = active("unread", Engine::Native, four());
    kernel.blocking_send_all([(1, Deposit { cents: 9 }); 4]).unwrap();
    kernel.blocking_settle().unwrap();
    let told = told_of_waiting(&kernel, || {
        let status = kernel.blocking_status().unwrap();
        assert_eq!(status.full, Some(Full::Answers { unreceived: 4 }));
        assert_eq!(
            status.to_string(),
            "ring kernel `unread` is active on the native engine, 2 actors, 4 of 4 messages queued, 4 answers unreceived; 4 answers that \
             nobody has received fill it, so its actors rest: call `receive`, or launch it with `Answers::Discard`"
        );
        for _ in 0..12 {
            kernel.blocking_receive::<Deposit>(LONG).unwrap();
        }
    });
    assert_eq!(
        told,
        [
            "WARN, who sends ring kernel `unread` a message has waited for 1s: 4 answers that nobody has received fill it, so its actors \
          rest: call `receive`, or launch it with `Answers::Discard`, unread"
        ]
    );
    kernel.blocking_settle().unwrap();
    assert_eq!(kernel.blocking_status().unwrap().full, None);
}

#[test]
fn a_sender_is_told_that_the_actors_never_began() {
    listen();
    let kernel = launch("unbegun", Engine::Native, four());
    let told = told_of_waiting(&kernel, || {
        let full = kernel.blocking_status().unwrap().full;
        let life = Life::Launched;
        assert_eq!(full, Some(Full::Resting { life, queued: 4 }));
        kernel.blocking_activate().unwrap();
        for _ in 0..8 {
            kernel.blocking_receive::<Deposit>(LONG).unwrap();
        }
    });
    assert_eq!(
        told,
        [
            "WARN, who sends ring kernel `unbegun` a message has waited for 1s: its queue is full with 4 messages, and it was never \
          activated: call `activate`, unbegun"
        ]
    );
}

#[test]
fn a_receiver_is_told_that_the_actors_rest() {
    let kernel = launch("unread", Engine::Native, four());
    let receive = || kernel.blocking_receive::<Deposit>(SHORT).unwrap_err().to_string();
    let took = "receiving of ring kernel `unread` took longer than 20ms";
    assert_eq!(receive(), format!("{took}; it was never activated: call `activate`"));
    kernel.blocking_send(0, Deposit { cents: 1 }).unwrap();
    assert_eq!(
        receive(),
        format!("{took}; it was never activated, and 1 message waits: call `activate`")
    );
    kernel.blocking_activate().unwrap();
    kernel.blocking_receive::<Deposit>(LONG).unwrap();
    assert_eq!(receive(), took);
    kernel.blocking_deactivate().unwrap();
    kernel.blocking_send_all([(0, Deposit { cents: 1 }); 2]).unwrap();
    assert_eq!(
        receive(),
        format!("{took}; it is deactivated, and 2 messages wait: call `activate`")
    );
}

#[test]
fn who_waits_is_told_that_actors_send_too_much() {
    for engine in ENGINES {
        let kernel = active("chatter", engine, actors(4));
        kernel.blocking_send(0, Deposit { cents: 4 }).unwrap();
        kernel.blocking_settle().unwrap();
        let too_much = [(1, Deposit { cents: 5 }), (3, Deposit { cents: 1000 })];
        kernel.blocking_send_all(too_much).unwrap();
        let error = ring_error(kernel.blocking_settle().unwrap_err());
        assert!(
            matches!(error, RingError::Exceeded { times: 2, .. }),
            "{engine}: {error}"
        );
        let text = error.to_string();
        let begin = "actor 1 of ring kernel `chatter` trapped at tests/ring/told.rs:";
        let end = "an actor sent more messages for one than its ring kernel says; raise `#[ring_kernel(sends = …)]` (and the like 1 time \
                   more); `dead_letter()` gives what was lost";
        assert!(
            text.contains(begin.trim_start_matches("tests/")) && text.ends_with(end),
            "{engine}: {text}"
        );
        // Once is enough for who goes on, and who ends it has to know in any case.
        kernel.blocking_send(0, Deposit { cents: 1 }).unwrap();
        kernel.blocking_settle().unwrap();
        assert_eq!(ring_error(kernel.blocking_terminate().unwrap_err()), error, "{engine}");
        assert_eq!(kernel.blocking_status().unwrap().life, Life::Terminated);
    }
}

#[test]
fn who_drops_a_kernel_that_does_not_end_is_told() {
    listen();
    let kernel = active("stubborn", Engine::Native, actors(1));
    kernel.blocking_send(0, Deposit { cents: 1 }).unwrap();
    while kernel.blocking_metrics().unwrap().in_flight == 0 {
        thread::yield_now();
    }
    let begin = Instant::now();
    drop(kernel);
    let took = begin.elapsed();
    assert!(
        took >= Duration::from_secs(2) && took < Duration::from_secs(4),
        "{took:?}"
    );
    let told = told_by("stubborn");
    let expected = "WARN, ring kernel `stubborn` was dropped and its handler does not end, so it is left alone and what waits is lost, \
                    stubborn";
    assert_eq!(told.iter().filter(|line| *line == expected).count(), 1, "{told:#?}");
}
