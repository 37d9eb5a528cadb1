//! Ring kernels whose actors are on several devices: what they do is what they do on one, also where a device is lost with its actors.

use gpuvm::prelude::*;
use gpuvm::ring::{KernelHandle, Restart, RingSnapshot};
use proptest::prelude::*;

use super::{LASTS, alone, cpu, fuse, on, three, two_gpus};
use gpuvm_tests::gpu;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Gossip {
    Pass { hops: u32, mark: u32 },
    Tell,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Heard {
    times: u32,
    sum: u32,
}

#[derive(VmType, Clone, Copy, Default, Debug)]
struct Gossiper {
    times: u32,
    sum: u32,
}

/// Some marks go on to two actors, some to none, and some trap. Who has heard much stops.
#[ring_kernel(id = "gossip", sends = 2)]
fn gossip(own: &mut Gossiper, message: Gossip, ctx: &mut Ring) -> Option<Heard> {
    match message {
        Gossip::Tell => Some(Heard {
            times: own.times,
            sum: own.sum,
        }),
        Gossip::Pass { hops, mark } => {
            own.times += 1;
            // What comes first counts more.
            own.sum = own
                .sum
                .wrapping_mul(31)
                .wrapping_add(mark ^ (ctx.actor() + ctx.actors()));
            let next = mark.wrapping_mul(1_664_525).wrapping_add(own.sum);
            let at = 1000 / (mark % 61) + next % ctx.actors();
            if hops > 0 {
                ctx.send(
                    at % ctx.actors(),
                    Gossip::Pass {
                        hops: hops - 1,
                        mark: next,
                    },
                );
                if next % 5 < 2 {
                    ctx.send(next / 7 % ctx.actors(), Gossip::Pass { hops: hops / 2, mark });
                }
            }
            if own.times > 400 {
                ctx.stop();
            }
            (mark % 97 == 3).then_some(Heard { times: hops, sum: mark })
        }
    }
}

const ACTORS: u32 = 100;
/// Long enough for any machine.
const LONG: std::time::Duration = std::time::Duration::from_secs(60);

/// What comes of some marks: what the actors know in the end, all answers meanwhile, and how many messages were lost.
#[derive(Debug, PartialEq)]
struct Outcome {
    known: Vec<Option<Heard>>,
    answers: Vec<(u32, Heard)>,
    dropped: u64,
    /// Why the kernel has failed, if it has.
    reason: Option<String>,
}

fn options(engine: Engine, restart: Restart) -> RingOptions {
    RingOptions {
        actors: ACTORS,
        engine,
        restart,
        ..default()
    }
}

fn launched(runtime: &Runtime, engine: Engine, restart: Restart) -> KernelHandle {
    runtime
        .blocking_launch_ring("gossip", options(engine, restart))
        .unwrap()
}

fn told(kernel: &KernelHandle, marks: &[u32]) {
    for (at, &mark) in marks.iter().enumerate() {
        let actor = (at as u32 * 37 + mark) % ACTORS;
        // Who has stopped is not told anything.
        let _ = kernel.blocking_send(actor, Gossip::Pass { hops: 6, mark });
    }
}

fn ended(kernel: &KernelHandle) -> Outcome {
    kernel.blocking_settle().unwrap();
    let mut answers = Vec::new();
    while let Ok(answer) = kernel.blocking_receive_from::<Heard>(std::time::Duration::ZERO) {
        answers.push(answer);
    }
    // Each actor's are in order; in rounds other actors' come before or after them.
    answers.sort_by_key(|(actor, _)| *actor);
    let ask = |actor| kernel.blocking_call::<Heard>(actor, Gossip::Tell).ok();
    let known = (0..ACTORS).map(ask).collect();
    Outcome {
        known,
        answers,
        dropped: kernel.blocking_metrics().unwrap().dropped,
        reason: kernel.blocking_status().unwrap().reason,
    }
}

/// What goes on among actors, who answer nothing but questions: rounds that the host need not see to.
#[ring_kernel(id = "rumour", sends = 3)]
fn rumour(own: &mut Gossiper, message: Gossip, ctx: &mut Ring) -> Option<Heard> {
    match message {
        Gossip::Tell => Some(Heard {
            times: own.times,
            sum: own.sum,
        }),
        Gossip::Pass { hops, mark } => {
            own.times += 1;
            own.sum = own.sum.wrapping_mul(31).wrapping_add(mark ^ ctx.actor());
            let next = mark.wrapping_mul(747_796_405).wrapping_add(own.sum);
            // Now and then several trap in a round.
            let odd = 1000 / (mark % 701);
            for number in 0..(next >> 9) % 4 % 3 {
                if hops > 0 {
                    let to = (next >> number).wrapping_add(number * 1201 + odd) % ctx.actors();
                    ctx.send(
                        to,
                        Gossip::Pass {
                            hops: hops - 1,
                            mark: next ^ number,
                        },
                    );
                }
            }
            None
        }
    }
}

/// Actors of several groups, the last of which has few.
const MANY: u32 = 2100;

/// What actors know after rumours that go round among them, and how many rounds there were and devices were lost.
fn rumours(runtime: &Runtime, engine: Engine, hops: u32) -> (Vec<Heard>, u64, u64) {
    let options = RingOptions {
        actors: MANY,
        ..options(engine, Restart::Fresh)
    };
    let kernel = runtime.blocking_launch_ring("rumour", options).unwrap();
    for turn in 0..3 {
        let rumour = |actor: u32| {
            let mark = (actor + turn).wrapping_mul(2_654_435_761);
            (actor * 37 % MANY, Gossip::Pass { hops, mark })
        };
        kernel.blocking_send_all((0..MANY).map(rumour)).unwrap();
        if turn == 0 {
            kernel.blocking_activate().unwrap();
        }
        kernel.blocking_settle().unwrap();
    }
    kernel
        .blocking_send_all((0..MANY).map(|actor| (actor, Gossip::Tell)))
        .unwrap();
    let mut known: Vec<(u32, Heard)> = Vec::new();
    while known.len() < MANY as usize {
        kernel.blocking_receive_many(&mut known, LONG).unwrap();
    }
    known.sort_by_key(|(actor, _)| *actor);
    let known = known.into_iter().map(|(_, heard)| heard).collect();
    let metrics = kernel.blocking_metrics().unwrap();
    (known, metrics.rounds, metrics.devices_lost)
}

#[test]
fn rounds_go_over_several_devices() {
    let (one, two) = (alone(), on(vec![gpu(), gpu(), gpu()]));
    for hops in [1, 9] {
        let (expected, ..) = rumours(&one, Engine::Native, hops);
        for engine in [Engine::Interpreter, Engine::Specialized] {
            let (found, rounds, _) = rumours(&two, engine, hops);
            assert_eq!(found, expected, "{engine}, {hops}");
            assert!(rounds > 2 * u64::from(hops), "{engine}: {rounds}");
        }
    }
}

/// These GPUs take only jobs of few VMs in a row, so each of a round is cut.
#[test]
fn rounds_go_on_after_a_loss() {
    let (expected, ..) = rumours(&alone(), Engine::Native, 6);
    let mut losses = 0;
    for advances in [0, 1, 6, 15, LASTS] {
        let runtime = two_gpus(&fuse(advances), &fuse(LASTS));
        let (found, rounds, lost) = rumours(&runtime, Engine::Interpreter, 6);
        assert_eq!(found, expected, "{advances}");
        assert!(rounds > 2 || lost > 0, "{rounds}");
        losses += lost;
    }
    assert!(losses >= 3, "{losses}");
}

/// All marks at once, so that what actors do does not depend on when the host sends.
fn outcome(runtime: &Runtime, engine: Engine, restart: Restart, marks: &[u32]) -> Outcome {
    let kernel = launched(runtime, engine, restart);
    told(&kernel, marks);
    kernel.blocking_activate().unwrap();
    ended(&kernel)
}

fn marks(count: u32) -> Vec<u32> {
    (1..=count).map(|at| at.wrapping_mul(2_654_435_761) >> 7).collect()
}

#[test]
fn actors_do_the_same_wherever_they_are() {
    let (several, one) = (three(), alone());
    for restart in [Restart::Fresh, Restart::Stop] {
        for count in [1, 20, 300] {
            let marks = marks(count);
            let expected = outcome(&one, Engine::Native, restart, &marks);
            for engine in [Engine::Auto, Engine::Native, Engine::Reference, Engine::Interpreter] {
                let found = outcome(&several, engine, restart, &marks);
                assert_eq!(found, expected, "{engine}, {restart:?}, {count} marks");
            }
        }
    }
}

#[test]
fn actors_of_lost_devices_go_on_elsewhere() {
    let (one, marks) = (alone(), marks(200));
    let expected = outcome(&one, Engine::Native, Restart::Fresh, &marks);
    let mut losses = 0;
    for advances in [0, 1, 3, 8, 21] {
        let runtime = two_gpus(&fuse(LASTS), &fuse(advances));
        let kernel = launched(&runtime, Engine::Interpreter, Restart::Fresh);
        told(&kernel, &marks);
        kernel.blocking_activate().unwrap();
        assert_eq!(ended(&kernel), expected, "{advances}");
        losses += kernel.blocking_metrics().unwrap().devices_lost;
    }
    assert!(losses >= 4, "{losses}");
}

#[test]
fn the_last_device_fails_the_kernel() {
    let runtime = two_gpus(&fuse(3), &fuse(2));
    let kernel = launched(&runtime, Engine::Interpreter, Restart::Fresh);
    told(&kernel, &marks(200));
    kernel.blocking_activate().unwrap();
    let _ = kernel.blocking_settle();
    let status = kernel.blocking_status().unwrap();
    let reason = status.reason.expect("a reason");
    assert!(reason.contains("its fuse has burnt"), "{reason}");
}

#[test]
fn snapshots_go_on_with_another_number_of_devices() {
    let (several, one, four) = (three(), alone(), on(vec![gpu(), cpu(1), gpu(), cpu(2)]));
    let (first, then) = (marks(80), marks(200));
    let taken = |runtime: &Runtime| -> RingSnapshot {
        let kernel = launched(runtime, Engine::Auto, Restart::Fresh);
        told(&kernel, &first);
        kernel.blocking_activate().unwrap();
        kernel.blocking_settle().unwrap();
        kernel.blocking_deactivate().unwrap();
        told(&kernel, &then);
        kernel.blocking_snapshot().unwrap()
    };
    let ends = |runtime: &Runtime, snapshot: &RingSnapshot| {
        let options = options(Engine::Auto, Restart::Fresh);
        let kernel = runtime.blocking_restore_ring(snapshot, options).unwrap();
        kernel.blocking_activate().unwrap();
        ended(&kernel)
    };
    let expected = ends(&one, &taken(&one));
    let snapshot = taken(&several);
    for runtime in [&one, &several, &four] {
        assert_eq!(ends(runtime, &snapshot), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_sent_does_the_same(marks in prop::collection::vec(any::<u32>(), 1..120), advances in 0i64..30) {
        let expected = outcome(&alone(), Engine::Native, Restart::Fresh, &marks);
        prop_assert_eq!(&outcome(&three(), Engine::Auto, Restart::Fresh, &marks), &expected);
        let runtime = two_gpus(&fuse(advances), &fuse(LASTS));
        prop_assert_eq!(&outcome(&runtime, Engine::Auto, Restart::Fresh, &marks), &expected);
    }
}
