//! Kernels that stay on the device: what they answer is what launches would, whether they are asked for little or much, trap, take long, have
//! left meanwhile, or rest.

use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm::ring::{Resident, Restart, RingError};
use proptest::prelude::*;

use super::{Balance, Count, Deposit, ENGINES, LONG, Total, active, active_in, actors, launch, ring_error, runtime};

/// The engines on which kernels stay here.
fn stays() -> Vec<Engine> {
    let mut engines = vec![Engine::Reference];
    if runtime().device().backend == Backend::Cuda {
        engines.extend([Engine::Specialized, Engine::Auto]);
    }
    engines
}

/// The options for an engine of these. Tests that run at the same time may have all the places on a device.
fn staying(engine: Engine, options: RingOptions) -> RingOptions {
    RingOptions {
        resident: match engine {
            Engine::Reference => Resident::Always,
            _ => Resident::Auto,
        },
        ..options
    }
}

/// What a kernel answers to messages that are sent so many at a time, each lot settled before the next, and what it loses.
fn answers(kernel: &KernelHandle, sent: &[(u32, Count)], at_a_time: usize) -> (Vec<(u32, Total)>, Vec<String>) {
    let mut all = Vec::new();
    for lot in sent.chunks(at_a_time) {
        kernel.blocking_send_all(lot.iter().copied()).unwrap();
        kernel.blocking_settle().unwrap();
        while kernel.blocking_metrics().unwrap().unreceived > 0 {
            kernel.blocking_receive_many(&mut all, LONG).unwrap();
        }
    }
    let dead = std::iter::from_fn(|| kernel.dead_letter()).map(|letter| letter.to_string());
    (all, dead.collect())
}

fn count() -> impl Strategy<Value = Count> {
    prop_oneof![
        8 => any::<i32>().prop_map(Count::Add),
        4 => (-4_f32..4.0).prop_map(|by| Count::Scale { by }),
        1 => (0_u32..4).prop_map(Count::Divide),
        1 => Just(Count::Nothing),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn it_answers_what_launches_would(
        sent in prop::collection::vec((0_u32..200, count()), 1..300),
        at_a_time in prop_oneof![Just(1_usize), 2..20_usize, Just(300)],
        restart in prop_oneof![Just(Restart::Stop), Just(Restart::Fresh)],
    ) {
        let sent = if at_a_time == 1 { &sent[..sent.len().min(40)] } else { &sent[..] };
        let options = RingOptions { restart, ..actors(200) };
        // Where its actor has stopped by then, a message is refused and not lost.
        let sent = match restart {
            Restart::Stop => sent.iter().copied().filter(|(_, message)| !matches!(message, Count::Divide(_))).collect(),
            _ => sent.to_vec(),
        };
        let wanted = answers(&active("counter", Engine::Native, options.clone()), &sent, at_a_time);
        for engine in stays() {
            let kernel = active("counter", engine, staying(engine, options.clone()));
            prop_assert_eq!(&answers(&kernel, &sent, at_a_time), &wanted, "{}", engine);
        }
    }
}

#[test]
fn little_and_much_follow_each_other() {
    for engine in stays() {
        let options = RingOptions {
            queue_capacity: 10_000,
            ..staying(engine, actors(5_000))
        };
        let kernel = active("ledger", engine, options);
        let mut balance = 0;
        for lot in [1_u32, 64, 65, 1_024, 1_025, 5_000, 3, 5_000, 1] {
            kernel
                .blocking_send_all((0..lot).map(|actor| (actor, Deposit { cents: 3 })))
                .unwrap();
            balance += 3;
            kernel.blocking_settle().unwrap();
            let mut found = Vec::new();
            while found.len() < lot as usize {
                kernel.blocking_receive_many::<Balance>(&mut found, LONG).unwrap();
            }
            assert_eq!(found[0], (0, Balance { cents: balance }), "{engine}, {lot}");
            let call = kernel.blocking_call::<Balance>(0, Deposit { cents: 1 }).unwrap();
            balance += 1;
            assert_eq!(call, Balance { cents: balance }, "{engine}, {lot}");
        }
    }
}

/// The state after so many turns of `slow`.
fn slowly(turns: u64) -> u64 {
    (0..turns).fold(0, |state: u64, i| (state ^ i).wrapping_mul(3))
}

#[test]
fn a_handler_that_takes_long_goes_on_and_the_next_message_waits() {
    for engine in stays() {
        let kernel = active("slow", engine, staying(engine, actors(3)));
        let turns = if engine == Engine::Reference {
            100_000
        } else {
            30_000_000
        };
        let answer: Balance = kernel.blocking_call_within(1, Deposit { cents: turns }, LONG).unwrap();
        assert_eq!(answer.cents, slowly(turns), "{engine}");
        let next: Balance = kernel.blocking_call(1, Deposit { cents: 0 }).unwrap();
        assert_eq!(next, answer, "{engine}");
    }
}

#[test]
fn it_rests_is_saved_goes_on_and_is_back_after_a_while() {
    for engine in stays() {
        let kernel = active("ledger", engine, staying(engine, actors(4)));
        let call = |kernel: &KernelHandle| kernel.blocking_call::<Balance>(2, Deposit { cents: 5 }).unwrap().cents;
        assert_eq!(call(&kernel), 5);
        // Longer than it stays without messages, and than it stays at all.
        for wait in [70, 300] {
            std::thread::sleep(Duration::from_millis(wait));
            call(&kernel);
        }
        kernel.blocking_deactivate().unwrap();
        let snapshot = kernel.blocking_snapshot().unwrap();
        kernel.blocking_terminate().unwrap();
        assert_eq!(snapshot.options().resident, Resident::Auto);
        let again = runtime()
            .blocking_restore_ring(
                &snapshot,
                RingOptions {
                    engine,
                    ..staying(engine, snapshot.options())
                },
            )
            .unwrap();
        again.blocking_activate().unwrap();
        assert_eq!(call(&again), 20, "{engine}");
        drop(again);
    }
}

#[test]
fn other_launches_go_on_beside_it() {
    for engine in stays() {
        let runtime = runtime();
        let kernel = active("ledger", engine, staying(engine, actors(2)));
        let calls: Vec<u64> = std::thread::scope(|scope| {
            let others = scope.spawn(|| {
                for _ in 0..20 {
                    let other = active_in(
                        runtime,
                        "counter",
                        Engine::Specialized,
                        RingOptions {
                            resident: Resident::Never,
                            ..actors(9)
                        },
                    );
                    let total: Total = other.blocking_call(3, Count::Add(1)).unwrap();
                    assert_eq!(total.sum, 8);
                }
            });
            let calls = (0..200).map(|_| kernel.blocking_call::<Balance>(0, Deposit { cents: 1 }).unwrap().cents);
            let calls = calls.collect();
            others.join().unwrap();
            calls
        });
        assert_eq!(calls, (1..=200).collect::<Vec<u64>>(), "{engine}");
    }
}

#[test]
fn more_kernels_than_may_stay_do_without() {
    let engine = if stays().len() > 1 {
        Engine::Specialized
    } else {
        Engine::Reference
    };
    let kernels: Vec<_> = (0..7).map(|_| active("ledger", engine, actors(2))).collect();
    for turn in 1..=3 {
        for kernel in &kernels {
            let balance: Balance = kernel.blocking_call(1, Deposit { cents: 1 }).unwrap();
            assert_eq!(balance.cents, turn);
        }
    }
    // Whoever was first may stay.
    let launched: Vec<_> = (0..7).map(|_| launch_always(engine)).collect();
    if engine == Engine::Specialized {
        let refused = launched.into_iter().find_map(Result::err).map(ring_error);
        assert_eq!(
            refused.unwrap().to_string(),
            "ring kernel `ledger` cannot be launched with `Resident::Always`: as many kernels stay on this GPU as others do not have to \
             wait for; `Resident::Auto` does without"
        );
    }
}

fn launch_always(engine: Engine) -> gpuvm::Result<KernelHandle> {
    let options = RingOptions {
        engine,
        resident: Resident::Always,
        ..actors(2)
    };
    runtime().blocking_launch_ring("ledger", options)
}

#[test]
fn where_it_cannot_stay_that_is_said_or_done_without() {
    let stays = stays();
    for engine in ENGINES.into_iter().filter(|engine| !stays.contains(engine)) {
        for resident in [Resident::Auto, Resident::Never] {
            let kernel = launch("ledger", engine, RingOptions { resident, ..actors(2) });
            kernel.blocking_activate().unwrap();
            let balance: Balance = kernel.blocking_call(1, Deposit { cents: 9 }).unwrap();
            assert_eq!(balance.cents, 9);
        }
        let error = ring_error(launch_always(engine).unwrap_err());
        assert!(matches!(error, RingError::Options { .. }));
        let reason = match engine {
            Engine::Native => "the native engine runs its actors on the CPU",
            Engine::Specialized => "only devices of CUDA's have such kernels",
            _ => "only the automatic and the specialised engine on a device of CUDA's have such kernels",
        };
        let wanted = format!(
            "ring kernel `ledger` cannot be launched with `Resident::Always`: {reason}; `Resident::Auto` does without"
        );
        assert_eq!(error.to_string(), wanted, "{engine}");
    }
}
