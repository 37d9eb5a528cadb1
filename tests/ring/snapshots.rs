//! Kernels that are saved, and go on elsewhere.

use gpuvm::prelude::*;
use gpuvm::ring::{Life, Restart, RingError};
use gpuvm::{Error, RingSnapshot, Settings};

use super::{Account, Balance, Count, Counter, Deposit, ENGINES, Total, active, actors, launch, ring_error, runtime};

/// A kernel of counters of which one has trapped, with answers that nobody has received and messages that wait.
fn counters(engine: Engine) -> KernelHandle {
    let options = RingOptions {
        actors: 5,
        queue_capacity: 99,
        restart: Restart::Stop,
        ..default()
    };
    let kernel = active("counter", engine, options);
    let before = (0..40).map(|i| (i % 5, Count::Add(i as i32)));
    kernel.blocking_send_all(before.chain([(3, Count::Divide(0))])).unwrap();
    kernel.blocking_settle().unwrap();
    kernel.blocking_deactivate().unwrap();
    let by = |i: u32| Count::Scale { by: i as f32 / 7.0 };
    let waiting = (0..20).map(|i| (i % 3, by(i)));
    kernel.blocking_send_all(waiting).unwrap();
    kernel
}

/// What a kernel of counters still answers.
fn rest(kernel: &KernelHandle) -> Vec<(u32, Total)> {
    kernel.blocking_activate().unwrap();
    kernel.blocking_settle().unwrap();
    let mut all = Vec::new();
    while kernel.blocking_metrics().unwrap().unreceived > 0 {
        kernel.blocking_receive_many(&mut all, super::LONG).unwrap();
    }
    all
}

/// The snapshot as another process would read it.
fn read_again(snapshot: &RingSnapshot) -> RingSnapshot {
    let again = RingSnapshot::from_bytes(&snapshot.to_bytes()).unwrap();
    assert_eq!(&again, snapshot);
    again
}

#[test]
fn a_kernel_goes_on_on_any_other_engine() {
    let wanted = rest(&counters(Engine::Native));
    assert_eq!(wanted.len(), 40 + 20);
    for (from, to) in ENGINES.into_iter().zip(ENGINES.into_iter().cycle().skip(1)) {
        let kernel = counters(from);
        let snapshot = read_again(&kernel.blocking_snapshot().unwrap());
        assert_eq!(
            (
                snapshot.kernel(),
                snapshot.actors(),
                snapshot.waiting(),
                snapshot.unreceived()
            ),
            ("counter", 5, 20, 40)
        );
        let options = snapshot.options();
        assert_eq!((options.queue_capacity, options.restart), (99, Restart::Stop));
        let restored = RingOptions { engine: to, ..options };
        let restored = runtime().blocking_restore_ring(&snapshot, restored).unwrap();
        let status = restored.blocking_status().unwrap();
        assert_eq!(
            (status.life, status.stopped_actors, status.engine),
            (Life::Deactivated, 1, to)
        );
        let metrics = restored.blocking_metrics().unwrap();
        assert_eq!((metrics.accepted, metrics.queued, metrics.unreceived), (20, 20, 40));
        // What is restored can be saved again, and is the same.
        assert_eq!(restored.blocking_snapshot().unwrap().waiting(), 20);
        let refused = ring_error(restored.blocking_send(3, Count::Nothing).unwrap_err());
        assert!(matches!(refused, RingError::ActorStopped { actor: 3, .. }), "{refused}");
        assert_eq!(rest(&restored), wanted, "{from} to {to}");
        assert_eq!(rest(&kernel), wanted, "{from} goes on too");
    }
}

#[test]
fn an_actors_state_can_be_read_while_it_rests() {
    for engine in ENGINES {
        let kernel = launch("counter", engine, actors(3));
        assert_eq!(kernel.blocking_state::<Counter>(2).unwrap(), Counter::default());
        kernel
            .blocking_send_all([(1, Count::Add(5)), (1, Count::Scale { by: 2.0 })])
            .unwrap();
        kernel.blocking_activate().unwrap();
        kernel.blocking_settle().unwrap();
        let active = ring_error(kernel.blocking_state::<Counter>(1).unwrap_err());
        assert_eq!(
            active.to_string(),
            "`state` needs ring kernel `counter` to be launched or deactivated, and it is active"
        );
        kernel.blocking_deactivate().unwrap();
        let expected = Counter {
            handled: 2,
            sum: 12,
            mean: (0.5f32 * 2.0 + 12.0 / 3.0) * 2.0 + 12.0 / 3.0,
        };
        assert_eq!(kernel.blocking_state::<Counter>(1).unwrap(), expected, "{engine}");
        let error = |error: Error| ring_error(error).to_string();
        assert_eq!(
            error(kernel.blocking_state::<Account>(1).unwrap_err()),
            "actors of ring kernel `counter` have the state `Counter`, and `Account` was asked for"
        );
        assert!(error(kernel.blocking_state::<Counter>(3).unwrap_err()).ends_with("actor 3 was named"));
    }
}

#[test]
fn what_does_not_fit_is_no_snapshot_of_it() {
    let kernel = active("ledger", Engine::Native, actors(4));
    let error = ring_error(kernel.blocking_snapshot().unwrap_err()).to_string();
    assert!(
        error.starts_with("`snapshot` needs ring kernel `ledger` to be launched or deactivated"),
        "{error}"
    );
    kernel.blocking_deactivate().unwrap();
    let snapshot = kernel.blocking_snapshot().unwrap();
    let error = runtime().blocking_restore_ring(&snapshot, actors(5)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ring kernel `ledger` cannot be launched with 5 actors; the snapshot has 4"
    );
    kernel.blocking_terminate().unwrap();
    let error = ring_error(kernel.blocking_snapshot().unwrap_err());
    assert!(
        matches!(
            error,
            RingError::State {
                found: Life::Terminated,
                ..
            }
        ),
        "{error}"
    );
    // Settings have nothing to do with it.
    let settings = Settings {
        fuse: false,
        ..Settings::default()
    };
    let other = Runtime::builder()
        .backend(Backend::Cpu)
        .settings(settings)
        .build()
        .unwrap();
    let restored = other.blocking_restore_ring(&snapshot, snapshot.options()).unwrap();
    restored.blocking_activate().unwrap();
    assert_eq!(
        restored
            .blocking_call::<Balance>(3, Deposit { cents: 4 })
            .unwrap()
            .cents,
        4
    );
}

#[test]
fn a_call_that_waits_stays_with_its_caller() {
    let kernel = active("slow", Engine::Native, actors(2));
    // It is at work until all others are there.
    kernel.blocking_send(0, Deposit { cents: 100_000_000 }).unwrap();
    while kernel.blocking_metrics().unwrap().in_flight == 0 {
        std::thread::yield_now();
    }
    let mut call = std::pin::pin!(kernel.call::<Balance>(1, Deposit { cents: 1 }));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(call.as_mut().poll(&mut context).is_pending());
    kernel.blocking_send(1, Deposit { cents: 2 }).unwrap();
    kernel.blocking_deactivate().unwrap();
    let snapshot = pollster::block_on(kernel.snapshot()).unwrap();
    assert_eq!((snapshot.waiting(), snapshot.unreceived()), (1, 1));
    let restored = pollster::block_on(runtime().restore_ring(&snapshot, snapshot.options())).unwrap();
    assert_eq!(restored.blocking_metrics().unwrap().queued, 1);
    kernel.blocking_activate().unwrap();
    pollster::block_on(call).unwrap();
}

/// A token that actors hand round.
#[derive(RingMessage, Clone, Copy, Debug)]
struct Token {
    /// How many more are to have it.
    left: u32,
    /// When it was sent.
    at: u64,
}

/// Counts the tokens that have come by.
#[ring_kernel(sends = 1)]
fn relay(passed: &mut u32, token: Token, ctx: &mut Ring) {
    let at = ctx.now();
    assert!(at > token.at, "time goes on, wherever");
    *passed += 1;
    if token.left > 0 {
        let left = token.left - 1;
        ctx.send((ctx.actor() + 1) % ctx.actors(), Token { left, at });
    }
}

#[test]
fn messages_between_actors_go_on_from_engine_to_engine() {
    const ACTORS: u32 = 16;
    const TOKENS: u32 = 8;
    // Each token comes by each actor this often.
    const TURNS: u32 = 1000;
    let left = TURNS * ACTORS - 1;
    let mut kernel = launch("relay", Engine::Interpreter, actors(ACTORS));
    kernel
        .blocking_send_all((0..TOKENS).map(|i| (i * 2, Token { left, at: 0 })))
        .unwrap();
    let mut seen = Vec::new();
    // From a slow one on, and to the quickest in the end.
    for engine in ENGINES.into_iter().cycle().skip(3).take(2 * ENGINES.len() - 2) {
        kernel.blocking_activate().unwrap();
        // Something happens on each of them, and most likely not everything on one.
        while kernel.blocking_metrics().unwrap().processed == 0 && !seen.ends_with(&[0]) {
            std::thread::yield_now();
        }
        kernel.blocking_deactivate().unwrap();
        let snapshot = read_again(&kernel.blocking_snapshot().unwrap());
        seen.push(snapshot.waiting());
        let options = RingOptions {
            engine,
            ..snapshot.options()
        };
        kernel = runtime().blocking_restore_ring(&snapshot, options).unwrap();
    }
    // No token was lost or doubled on the way.
    assert!(
        seen.iter().all(|waiting| *waiting == TOKENS as usize || *waiting == 0),
        "{seen:?}"
    );
    kernel.blocking_activate().unwrap();
    kernel.blocking_settle().unwrap();
    kernel.blocking_deactivate().unwrap();
    let passed = (0..ACTORS).map(|actor| kernel.blocking_state::<u32>(actor).unwrap());
    assert_eq!(
        passed.collect::<Vec<_>>(),
        [TOKENS * TURNS; ACTORS as usize],
        "{seen:?}"
    );
    assert!(kernel.dead_letter().is_none());
}
