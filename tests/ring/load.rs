//! Many messages, many callers, full queues, and ends in the middle of all that.

use std::time::{Duration, Instant};

use gpuvm::prelude::*;
use gpuvm::ring::{Answers, DeadReason, RingError, Terminate, TrySendError};

use super::{Balance, Deposit, LONG, SHORT, active, actors, launch, ring_error};

#[test]
fn full_queues_hold_up_who_sends() {
    for engine in [Engine::Native, Engine::Interpreter] {
        let options = RingOptions {
            actors: 3,
            queue_capacity: 8,
            ..default()
        };
        let kernel = launch("ledger", engine, options);
        let one = Deposit { cents: 1 };
        (0..8).for_each(|_| kernel.try_send(0, one).unwrap());
        assert!(matches!(kernel.try_send(0, one), Err(TrySendError::Full(_))));
        let sender = kernel.clone();
        let sending = std::thread::spawn(move || sender.blocking_send_all((0..100).map(|_| (0, one))).unwrap());
        kernel.blocking_activate().unwrap();
        // Nobody receives, so there come to be as many answers as there is room for, and no more than another batch.
        std::thread::sleep(SHORT);
        let metrics = kernel.blocking_metrics().unwrap();
        assert!(
            metrics.unreceived <= 16 && metrics.queued <= 8 && metrics.most_queued <= 8,
            "{metrics:?}"
        );
        for cents in 1..=108 {
            assert_eq!(
                kernel.blocking_receive::<Balance>(LONG).unwrap(),
                Balance { cents },
                "{engine}"
            );
        }
        assert_eq!(sending.join().unwrap(), 100);
        // Where answers are not wanted, they hold up nobody.
        let discarding = RingOptions {
            actors: 3,
            queue_capacity: 8,
            answers: Answers::Discard,
            ..default()
        };
        let kernel = active("ledger", engine, discarding);
        kernel.blocking_send_all((0..200).map(|_| (1, one))).unwrap();
        assert_eq!(kernel.blocking_call::<Balance>(1, one).unwrap().cents, 201);
        assert_eq!(kernel.blocking_metrics().unwrap().unreceived, 0);
    }
}

#[test]
fn a_thousand_calls_get_their_own_answers() {
    for engine in [Engine::Native, Engine::Specialized] {
        let kernel = active("whoami", engine, actors(1000));
        let tokio = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(4)
            .build()
            .unwrap();
        tokio.block_on(async {
            let call = |actor: u32| {
                let kernel = kernel.clone();
                tokio::spawn(async move {
                    for turn in 1..=3u64 {
                        let cents = u64::from(actor) << 32;
                        let answer: Deposit = kernel.call(actor, Deposit { cents }).await.unwrap();
                        assert_eq!(answer.cents, u64::from(actor) * 1000 + 1000 + cents * turn);
                    }
                })
            };
            for caller in (0..1000).map(call).collect::<Vec<_>>() {
                caller.await.unwrap();
            }
        });
        assert_eq!(kernel.blocking_metrics().unwrap().processed, 3000);
    }
}

#[test]
fn a_million_messages_are_each_accounted_for() {
    const THREADS: u64 = 8;
    const EACH: u64 = 125_000;
    let options = RingOptions {
        actors: 10_000,
        queue_capacity: 1 << 16,
        ..default()
    };
    let kernel = active("ledger", Engine::Native, options);
    let send = |thread: u64| {
        let kernel = kernel.clone();
        // Each thread sends its number in a digit of its own.
        let deposit = Deposit {
            cents: 1 << (8 * thread),
        };
        move || {
            let to = (0..EACH).map(|i| ((i * 7 % 10_000) as u32, deposit));
            match thread % 2 {
                0 => assert_eq!(kernel.blocking_send_all(to).unwrap(), EACH as usize),
                _ => to.for_each(|(actor, deposit)| kernel.blocking_send(actor, deposit).unwrap()),
            }
        }
    };
    let threads: Vec<_> = (0..THREADS).map(|thread| std::thread::spawn(send(thread))).collect();
    let (mut last, mut count) = (vec![0; 10_000], 0);
    let mut found = Vec::new();
    while count < THREADS * EACH {
        found.clear();
        count += kernel.blocking_receive_many::<Balance>(&mut found, LONG).unwrap() as u64;
        for (actor, balance) in &found {
            let before = std::mem::replace(&mut last[*actor as usize], balance.cents);
            // One more of one thread, and in order.
            assert!((balance.cents - before).is_power_of_two());
        }
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(
        last.iter()
            .all(|cents| *cents == 0x0d0d_0d0d_0d0d_0d0d || *cents == 0x0c0c_0c0c_0c0c_0c0c)
    );
    let metrics = kernel.blocking_metrics().unwrap();
    assert_eq!((metrics.processed, metrics.dropped), (THREADS * EACH, 0));
}

#[test]
fn ending_a_kernel_under_load_drains_or_reports() {
    for engine in [Engine::Native, Engine::Interpreter] {
        for how in [Terminate::Drain, Terminate::Now] {
            let options = RingOptions {
                actors: 100,
                queue_capacity: 1 << 14,
                answers: Answers::Discard,
                ..default()
            };
            let kernel = active("ledger", engine, options);
            let sender = kernel.clone();
            let sending = std::thread::spawn(move || {
                let all = (0..1_000_000u32).map(|i| (i % 100, Deposit { cents: 1 }));
                match ring_error(sender.blocking_send_all(all).unwrap_err()) {
                    RingError::Interrupted { sent, error } => {
                        assert!(matches!(*error, RingError::State { .. }), "{error}");
                        sent as u64
                    }
                    other => panic!("{other}"),
                }
            });
            while kernel.blocking_metrics().unwrap().processed == 0 {
                std::thread::yield_now();
            }
            kernel.blocking_terminate_with(how).unwrap();
            let sent = sending.join().unwrap();
            let metrics = kernel.blocking_metrics().unwrap();
            assert_eq!(
                (metrics.accepted, metrics.processed + metrics.dropped),
                (sent, sent),
                "{engine} {how:?}"
            );
            if how == Terminate::Drain {
                assert_eq!(metrics.dropped, 0, "{engine}");
            }
            let dead = std::iter::from_fn(|| kernel.dead_letter()).count() as u64;
            assert_eq!(dead, metrics.dropped);
        }
    }
}

/// Never comes to an end with some messages.
#[ring_kernel]
fn endless(state: &mut u32, message: Deposit) -> Balance {
    let mut left = message.cents;
    while left > 9 {
        *state = (*state ^ 5).wrapping_mul(3);
        left |= 16;
    }
    Balance { cents: 1 }
}

#[test]
fn calls_wait_no_longer_than_each_should() {
    const CALLS: u64 = 1000;
    let kernel = active("endless", Engine::Interpreter, actors(2));
    // Nothing else is handled any more.
    kernel.blocking_send(1, Deposit { cents: 10 }).unwrap();
    while kernel.blocking_metrics().unwrap().in_flight == 0 {
        std::thread::yield_now();
    }
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    tokio.block_on(async {
        let call = |number: u64| {
            let kernel = kernel.clone();
            // Not in the order in which they call.
            let timeout = Duration::from_micros(number * 7919 % CALLS * 100);
            tokio::spawn(async move {
                let begin = Instant::now();
                let call = kernel.call_within::<Deposit, Balance>(0, Deposit { cents: 1 }, timeout);
                let error = ring_error(call.await.unwrap_err());
                assert!(begin.elapsed() >= timeout);
                assert!(
                    matches!(error, RingError::Timeout { after, .. } if after == timeout),
                    "{error}"
                );
            })
        };
        for caller in (0..CALLS).map(call).collect::<Vec<_>>() {
            caller.await.unwrap();
        }
    });
    // They were accepted, and nobody waits for them any more.
    kernel.blocking_terminate_with(Terminate::Now).unwrap();
    let metrics = kernel.blocking_metrics().unwrap();
    assert_eq!((metrics.accepted, metrics.dropped), (CALLS + 1, CALLS + 1));
}

#[test]
fn a_handler_that_never_ends_is_given_up() {
    for engine in [
        Engine::Reference,
        Engine::Interpreter,
        Engine::Epoch,
        Engine::Specialized,
    ] {
        let kernel = active("endless", engine, actors(2));
        kernel.blocking_send(1, Deposit { cents: 10 }).unwrap();
        while kernel.blocking_metrics().unwrap().in_flight == 0 {
            std::thread::yield_now();
        }
        kernel.blocking_terminate_with(Terminate::Now).unwrap();
        let letter = kernel.dead_letter().unwrap();
        assert!(
            matches!(letter.reason(), DeadReason::NotHandled(RingError::Closed { .. })),
            "{engine}: {letter}"
        );
    }
}

#[test]
fn who_does_not_look_keeps_answers_from_nobody() {
    let kernel = active("ledger", Engine::Native, actors(1));
    // Told of the first answer, and never polled again.
    let mut first = std::pin::pin!(kernel.receive::<Balance>(LONG));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(first.as_mut().poll(&mut context).is_pending());
    let other = kernel.clone();
    let second = std::thread::spawn(move || other.blocking_receive::<Balance>(LONG / 4));
    std::thread::sleep(SHORT);
    for cents in [1, 2] {
        kernel.blocking_send(0, Deposit { cents }).unwrap();
        kernel.blocking_settle().unwrap();
    }
    assert_eq!(second.join().unwrap().unwrap(), Balance { cents: 1 });
}
