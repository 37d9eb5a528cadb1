//! What each state allows, what is refused, and what becomes of actors that trap.

use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm::ring::{DeadReason, Life, Restart, RingError};

use super::{Balance, Count, Deposit, ENGINES, LONG, SHORT, Total, active, actors, launch, ring_error, runtime};

#[test]
fn a_trap_is_told_and_the_policy_followed() {
    for engine in ENGINES {
        for restart in [Restart::Stop, Restart::Fresh, Restart::FailKernel] {
            let kernel = launch(
                "counter",
                engine,
                RingOptions {
                    actors: 4,
                    restart,
                    ..default()
                },
            );
            let messages = [Count::Add(1), Count::Divide(0), Count::Add(5)];
            kernel
                .blocking_send_all((0..3).flat_map(|actor| messages.map(|message| (actor, message))))
                .unwrap();
            kernel.blocking_send(3, Count::Add(100)).unwrap();
            kernel.blocking_activate().unwrap();
            kernel.blocking_settle().unwrap();
            let survivors: Vec<(u32, i32)> =
                std::iter::from_fn(|| kernel.blocking_receive_from::<Total>(Duration::ZERO).ok())
                    .map(|(actor, total)| (actor, total.sum))
                    .collect();
            let stays = [(0, 8), (1, 8), (2, 8), (3, 107)];
            let afresh = [(0, 8), (0, 12), (1, 8), (1, 12), (2, 8), (2, 12), (3, 107)];
            let expected = if restart == Restart::Fresh {
                &afresh[..]
            } else {
                &stays[..]
            };
            assert_eq!(survivors, expected, "{engine} {restart:?}");
            let dead: Vec<_> = std::iter::from_fn(|| kernel.dead_letter()).collect();
            assert_eq!(
                dead.len(),
                if restart == Restart::Fresh { 3 } else { 6 },
                "{engine} {restart:?}"
            );
            assert_eq!(dead[0].message::<Count>(), Some(Count::Divide(0)));
            assert_eq!(dead[0].message::<Deposit>(), None);
            let told = dead[0].to_string();
            assert!(
                told.starts_with("Divide(0) to actor 0: actor 0 of ring kernel `counter` trapped at "),
                "{told}"
            );
            assert!(matches!(
                dead[0].reason(),
                DeadReason::NotHandled(RingError::Trapped { .. })
            ));
            let waiting = kernel.blocking_receive::<Total>(Duration::ZERO).map_err(ring_error);
            if let Err(RingError::Timeout { stopped_actors, .. }) = &waiting {
                let stopped = if restart == Restart::Stop { 3 } else { 0 };
                assert_eq!(*stopped_actors, stopped, "{engine} {restart:?}");
            }
            let status = kernel.blocking_status().unwrap();
            let after = kernel.blocking_send(1, Count::Nothing).map_err(ring_error);
            match restart {
                Restart::Stop => {
                    assert_eq!((status.life, status.stopped_actors), (Life::Active, 3));
                    assert!(
                        matches!(after, Err(RingError::ActorStopped { actor: 1, .. })),
                        "{after:?}"
                    );
                }
                Restart::Fresh => assert_eq!((status.life, status.stopped_actors, after), (Life::Active, 0, Ok(()))),
                Restart::FailKernel => {
                    assert_eq!(status.life, Life::Failed);
                    assert!(status.reason.unwrap().contains("divide by zero"));
                    assert!(matches!(after, Err(RingError::Failed { .. })), "{after:?}");
                    kernel.blocking_terminate().unwrap();
                }
            }
        }
    }
}

#[test]
fn each_state_allows_what_it_should() {
    let kernel = launch("ledger", Engine::Native, actors(2));
    let message = Deposit { cents: 1 };
    let forbidden = |result: gpuvm::Result<()>, call: &str, found: Life| match result.map_err(ring_error) {
        Err(RingError::State {
            call: told, found: is, ..
        }) => assert_eq!((told, is), (call, found)),
        other => panic!("{call} in {found}: {other:?}"),
    };
    let call = || kernel.blocking_call::<Balance>(0, message).map(|_| ());
    // Launched: messages wait.
    forbidden(kernel.blocking_deactivate(), "deactivate", Life::Launched);
    forbidden(call(), "call", Life::Launched);
    kernel.blocking_settle().unwrap();
    kernel.blocking_send(0, message).unwrap();
    forbidden(kernel.blocking_settle(), "settle", Life::Launched);
    assert!(kernel.try_receive::<Balance>().unwrap().is_none());
    assert_eq!(kernel.blocking_metrics().unwrap().queued, 1);
    kernel.blocking_activate().unwrap();
    forbidden(kernel.blocking_activate(), "activate", Life::Active);
    assert_eq!(kernel.blocking_receive::<Balance>(LONG).unwrap().cents, 1);
    call().unwrap();
    kernel.blocking_deactivate().unwrap();
    forbidden(kernel.blocking_deactivate(), "deactivate", Life::Deactivated);
    forbidden(call(), "call", Life::Deactivated);
    kernel.blocking_send(0, message).unwrap();
    let timeout = kernel.blocking_receive::<Balance>(SHORT).map_err(ring_error);
    assert!(
        matches!(timeout, Err(RingError::Timeout { after: SHORT, .. })),
        "{timeout:?}"
    );
    // Terminating drains what waits, also of a kernel that rests.
    kernel.blocking_terminate().unwrap();
    assert_eq!(kernel.blocking_receive::<Balance>(LONG).unwrap().cents, 3);
    for (result, call) in [
        (kernel.blocking_receive::<Balance>(LONG).map(|_| ()), "receive"),
        (kernel.blocking_send(0, message), "send"),
        (call(), "call"),
        (kernel.blocking_activate(), "activate"),
        (kernel.blocking_deactivate(), "deactivate"),
        (kernel.blocking_terminate(), "terminate"),
    ] {
        forbidden(result, call, Life::Terminated);
    }
    let refused = kernel.try_send(0, message).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`try_send` needs ring kernel `ledger` to be launched, active or deactivated, and it is terminated"
    );
    assert_eq!(refused.into_message(), message);
}

#[test]
fn what_does_not_fit_is_refused() {
    let kernel = active("ledger", Engine::Native, actors(2));
    let deposit = Deposit { cents: 5 };
    let bytes: Vec<u8> = 5u64.to_le_bytes().to_vec();
    let send = |actor: u32, id: u64, bytes: &[u8]| kernel.blocking_send_bytes(actor, id, bytes).map_err(ring_error);
    let told = |result: Result<(), RingError>| result.unwrap_err().to_string();
    assert_eq!(
        told(send(2, Deposit::ID, &bytes)),
        "ring kernel `ledger` has 2 actors, numbered from 0, and actor 2 was named"
    );
    assert!(told(send(0, 7, &bytes)).ends_with("understand `Deposit`, and were sent `type 0x0000000000000007`"));
    assert_eq!(
        told(send(0, Deposit::ID, &bytes[1..])),
        "these bytes are no `Deposit`: 7 bytes are no whole number of words"
    );
    assert_eq!(
        told(send(0, Deposit::ID, &bytes[4..])),
        "these bytes are no `Deposit`: `Deposit` has 2 words, and 1 came"
    );
    assert!(told(send(0, Deposit::ID, &vec![0; 1 << 20])).contains("262144 came"));
    let wrong = kernel.blocking_send(0, Count::Nothing).map_err(ring_error);
    assert!(told(wrong).ends_with("understand `Deposit`, and were sent `Count`"));
    let wrong = kernel.blocking_receive::<Deposit>(LONG).map(|_| ()).map_err(ring_error);
    assert!(told(wrong).ends_with("answer with `Balance`, and `Deposit` was asked for"));
    // What was refused has disturbed nobody.
    send(1, Deposit::ID, &bytes).unwrap();
    assert_eq!(
        kernel.blocking_receive_from::<Balance>(LONG).unwrap(),
        (1, Balance { cents: 5 })
    );
    assert_eq!(kernel.blocking_metrics().unwrap().accepted, 1);
    // Of many, those before the one that is refused are taken.
    let many = [(0, deposit), (1, deposit), (9, deposit), (0, deposit)];
    let error = ring_error(kernel.blocking_send_all(many).unwrap_err());
    assert!(matches!(error, RingError::Interrupted { sent: 2, .. }), "{error}");
    let quiet = active("silent", Engine::Native, actors(1));
    let wrong = quiet.try_receive::<Balance>().map(|_| ()).map_err(ring_error);
    assert!(told(wrong).ends_with("answer with nothing, and `Balance` was asked for"));
    let counts = active("counter", Engine::Native, actors(1));
    let tag = [9u32, 0].map(u32::to_le_bytes).concat();
    let bad = counts.blocking_send_bytes(0, Count::ID, &tag).map_err(ring_error);
    assert!(told(bad).ends_with("word 0 is 0x9, which is no `Count`"));
    for (id, options, expected) in [
        (
            "ledgre",
            actors(1),
            "no ring kernel has the id `ledgre`; did you mean `ledger`?",
        ),
        (
            "ledger",
            actors(0),
            "ring kernel `ledger` cannot be launched with no actors; give it 1 or more",
        ),
    ] {
        let error = runtime().blocking_launch_ring(id, options).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
