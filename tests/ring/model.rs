//! Whatever is done to a kernel, it does what one message after the other does.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm::ring::{Restart, RingError, TrySendError};
use proptest::prelude::*;

use super::{Count, Counter, ENGINES, SHORT, Total, active, counter, ring_error};

/// A message to an actor.
fn message() -> impl Strategy<Value = Count> {
    prop_oneof![
        4 => any::<i32>().prop_map(Count::Add),
        4 => any::<f32>().prop_map(|by| Count::Scale { by }),
        1 => (0..4u32).prop_map(Count::Divide),
        1 => Just(Count::Nothing),
    ]
}

/// What is done to a kernel.
#[derive(Clone, Debug)]
enum Action {
    Send(u32, Count),
    Call(u32, Count),
    Pause,
    Resume,
    Receive,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        12 => (0..6u32, message()).prop_map(|(actor, message)| Action::Send(actor, message)),
        3 => (0..6u32, message()).prop_map(|(actor, message)| Action::Call(actor, message)),
        1 => Just(Action::Pause),
        2 => Just(Action::Resume),
        4 => Just(Action::Receive),
    ]
}

/// What a kernel does, one message after the other.
struct Model {
    states: Vec<Option<Counter>>,
    restart: Restart,
    /// What each actor has answered, and nobody has called for.
    answers: BTreeMap<u32, Vec<Total>>,
    dead: usize,
}

impl Model {
    /// What the handler returns; `Err` if the message is lost.
    fn handle(&mut self, actor: u32, message: Count) -> Result<Option<Total>, ()> {
        let slot = &mut self.states[actor as usize];
        let Some(state) = slot else {
            self.dead += 1;
            return Err(());
        };
        let handled = catch_unwind(AssertUnwindSafe(|| counter(state, message)));
        handled.map_err(|_| {
            self.dead += 1;
            *slot = match self.restart {
                Restart::Fresh => Some(Counter::default()),
                _ => None,
            };
        })
    }
}

/// A float is compared by its bits, but for NaNs.
fn same(a: &Total, b: &Total) -> bool {
    let mean = a.mean.to_bits() == b.mean.to_bits() || a.mean.is_nan() && b.mean.is_nan();
    (a.handled, a.sum) == (b.handled, b.sum) && mean
}

/// Does all of it to a kernel and to the model, and compares.
fn follow(engine: Engine, restart: Restart, actions: &[Action]) {
    let kernel = active(
        "counter",
        engine,
        RingOptions {
            actors: 6,
            queue_capacity: 64,
            restart,
            ..default()
        },
    );
    let mut model = Model {
        states: vec![Some(Counter::default()); 6],
        restart,
        answers: BTreeMap::new(),
        dead: 0,
    };
    let mut answers: BTreeMap<u32, Vec<Total>> = BTreeMap::new();
    let mut running = true;
    // Messages to actors that have stopped are refused or become dead letters, which depends on how far the kernel is.
    let (mut refused, mut unclear) = (0, 0);
    for action in actions {
        match action {
            Action::Send(actor, message) => match kernel.try_send(*actor, *message) {
                Ok(()) => {
                    if let Ok(Some(total)) = model.handle(*actor, *message) {
                        model.answers.entry(*actor).or_default().push(total);
                    }
                }
                Err(TrySendError::Refused { error, .. }) => {
                    assert!(matches!(error, RingError::ActorStopped { .. }), "{engine}: {error}");
                    assert!(model.handle(*actor, *message).is_err());
                    refused += 1;
                }
                Err(TrySendError::Full(_)) => {
                    assert!(!running, "{engine}: 64 messages fill no running kernel for long")
                }
            },
            Action::Call(actor, message) if running => {
                let found = kernel.blocking_call::<Total>(*actor, *message).map_err(ring_error);
                match (model.handle(*actor, *message), found) {
                    (Ok(Some(total)), Ok(found)) => assert!(same(&total, &found), "{engine}: {total:?} {found:?}"),
                    (Ok(None), Err(RingError::NoAnswer { .. })) => {}
                    (Err(()), Err(RingError::Trapped { message, file, .. })) => {
                        assert!(
                            message.contains("divide by zero") && file.ends_with("main.rs"),
                            "{file} {message}"
                        );
                    }
                    (Err(()), Err(RingError::ActorStopped { .. })) => unclear += 1,
                    (wanted, found) => panic!("{engine}: {message:?} gives {wanted:?} and not {found:?}"),
                }
            }
            Action::Pause if running => {
                kernel.blocking_deactivate().unwrap();
                running = false;
            }
            Action::Resume if !running => {
                kernel.blocking_activate().unwrap();
                running = true;
            }
            Action::Receive => {
                if let Ok((actor, total)) = kernel.blocking_receive_from::<Total>(Duration::ZERO) {
                    answers.entry(actor).or_default().push(total);
                }
            }
            _ => {}
        }
    }
    kernel.blocking_terminate().unwrap();
    while let Ok((actor, total)) = kernel.blocking_receive_from::<Total>(SHORT) {
        answers.entry(actor).or_default().push(total);
    }
    assert_eq!(answers.len(), model.answers.len(), "{engine}");
    for (actor, wanted) in &model.answers {
        let found = &answers[actor];
        assert_eq!(found.len(), wanted.len(), "{engine}: answers of actor {actor}");
        assert!(
            found.iter().zip(wanted).all(|(a, b)| same(a, b)),
            "{engine}: {found:?} {wanted:?}"
        );
    }
    let dead = std::iter::from_fn(|| kernel.dead_letter()).count();
    let metrics = kernel.blocking_metrics().unwrap();
    assert_eq!(metrics.processed + dead as u64, metrics.accepted, "{engine}");
    assert_eq!(
        (metrics.queued, metrics.in_flight, metrics.dropped),
        (0, 0, dead as u64)
    );
    let lost = dead + refused;
    assert!(
        lost <= model.dead && model.dead <= lost + unclear,
        "{engine}: {dead} dead of {}",
        model.dead
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_kernel_does_what_one_message_after_the_other_does(
        actions in prop::collection::vec(action(), 1..50),
        fresh in any::<bool>(),
    ) {
        let restart = if fresh { Restart::Fresh } else { Restart::Stop };
        for engine in ENGINES {
            follow(engine, restart, &actions);
        }
    }
}
