//! Actors that send each other more than there is room for: on every engine what plain Rust does, message by message, with the same dead
//! letters; and whatever they are at, their kernel can be called, saved and terminated.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use gpuvm::RingSnapshot;
use gpuvm::prelude::*;
use gpuvm::ring::{DeadReason, KernelHandle, RingError, Terminate};
use proptest::prelude::*;

use super::{Deposit, ENGINES, LONG, SHORT, active, actors, launch, ring_error, runtime};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Rabbit {
    name: u32,
    /// How many generations come of it; `ASK` if it asks what the burrow has seen.
    after: u32,
    /// How many young it has, as those after it; more than 4 if that differs.
    litter: u32,
}

#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq)]
struct Burrow {
    rabbits: u32,
    hash: u32,
}

const ASK: u32 = u32::MAX;
/// Generations without end.
const EVER: u32 = u32::MAX - 1;
/// What no litter has more of.
const SENDS: usize = 4;

#[ring_kernel(sends = 4)]
fn warren(burrow: &mut Burrow, rabbit: Rabbit, ctx: &mut Ring) -> Option<Burrow> {
    if rabbit.after == ASK {
        return Some(*burrow);
    }
    burrow.rabbits += 1;
    // The order of rabbits matters, and to those after them too.
    burrow.hash = burrow.hash.rotate_left(5).wrapping_mul(0x9e37_79b9) ^ rabbit.name;
    if rabbit.after > 0 {
        let mut litter = rabbit.litter;
        if litter > 4 {
            litter = (burrow.hash >> 9) % 5;
        }
        for number in 0..litter {
            let name = burrow.hash.wrapping_add(number.wrapping_mul(0x85eb_ca6b));
            let to = (ctx.actor() * 7 + (name >> 11)) % ctx.actors();
            let mut after = rabbit.after;
            if after != EVER {
                after -= 1;
            }
            ctx.send(to, Rabbit { name, after, ..rabbit });
        }
    }
    if rabbit.litter > 5 && burrow.hash & 0xff0 == 0x120 {
        ctx.stop();
    }
    None
}

/// Each of its actors answers each message, so the host sees to all that they send.
#[ring_kernel(sends = 4)]
fn talkative_warren(burrow: &mut Burrow, rabbit: Rabbit, ctx: &mut Ring) -> Burrow {
    burrow.rabbits += 1;
    burrow.hash = burrow.hash.rotate_left(5).wrapping_mul(0x9e37_79b9) ^ rabbit.name;
    let mut litter = 0;
    if rabbit.after > 0 {
        litter = rabbit.litter % 5;
    }
    for number in 0..litter {
        let name = burrow.hash.wrapping_add(number.wrapping_mul(0x85eb_ca6b));
        let after = rabbit.after - 1;
        ctx.send(name % ctx.actors(), Rabbit { name, after, ..rabbit });
    }
    *burrow
}

/// What actors do that have so many messages under way at most, in plain Rust.
struct Model {
    burrows: Vec<Burrow>,
    stopped: Vec<bool>,
    most: usize,
    processed: u64,
    /// Those that there was no room for, and those to actors that had stopped.
    lost: Vec<(u32, Rabbit)>,
    late: u64,
}

impl Model {
    fn new(actors: u32, most: usize) -> Model {
        Model {
            burrows: vec![Burrow::default(); actors as usize],
            stopped: vec![false; actors as usize],
            most,
            processed: 0,
            lost: Vec::new(),
            late: 0,
        }
    }

    /// Everything that comes of these messages, by a handler.
    fn breed(&mut self, begin: &[(u32, Rabbit)], handler: impl Fn(&mut Burrow, Rabbit, &mut Ring)) {
        let share = (self.most / SENDS).max(1);
        let (mut sent, mut others) = (VecDeque::new(), VecDeque::from(begin.to_vec()));
        // How many of those that were sent are left of a round that is too large.
        let mut round = None;
        while sent.len() + others.len() > 0 {
            let mut mail: Vec<(u32, Rabbit)> = if sent.len() <= share {
                round = None;
                let joining = others.len().min(share - sent.len());
                sent.drain(..).chain(others.drain(..joining)).collect()
            } else if round == Some(0) && !others.is_empty() {
                round = Some(sent.len());
                let joining = (self.most.saturating_sub(sent.len()) / SENDS).clamp(1, share);
                others.drain(..joining.min(others.len())).collect()
            } else {
                let left = round.filter(|left| *left > 0).unwrap_or(sent.len());
                round = Some(left.saturating_sub(share));
                sent.drain(..share).collect()
            };
            mail.sort_by_key(|(actor, _)| *actor);
            for (actor, rabbit) in mail {
                if self.stopped[actor as usize] {
                    self.late += 1;
                    continue;
                }
                let mut ctx = Ring::new(actor, self.burrows.len() as u32);
                handler(&mut self.burrows[actor as usize], rabbit, &mut ctx);
                self.stopped[actor as usize] = ctx.is_stopped();
                self.processed += 1;
                sent.extend(ctx.sent::<Rabbit>());
            }
            let room = self.most.min(sent.len());
            self.lost.extend(sent.drain(room..));
        }
    }
}

/// Options of a kernel whose actors may have so many messages under way, and whose queue has room for these.
fn bound(count: u32, sent_capacity: usize, begin: &[(u32, Rabbit)]) -> RingOptions {
    RingOptions {
        sent_capacity,
        queue_capacity: begin.len().max(1),
        ..actors(count)
    }
}

/// Dead letters that there was no room for, with how many others there are.
fn lost(kernel: &KernelHandle, most: usize) -> (Vec<(u32, Rabbit)>, u64) {
    let (mut lost, mut others) = (Vec::new(), 0);
    for letter in std::iter::from_fn(|| kernel.dead_letter()) {
        match letter.reason() {
            DeadReason::NotHandled(RingError::Overflow {
                sent_capacity,
                kernel: id,
            }) => {
                assert_eq!((*sent_capacity, &id[..]), (most, kernel.id()));
                lost.push((letter.actor(), letter.message().unwrap()));
            }
            _ => others += 1,
        }
    }
    (lost, others)
}

/// What actors have seen.
fn burrows(kernel: &KernelHandle) -> Vec<Burrow> {
    kernel.blocking_deactivate().unwrap();
    (0..kernel.actors())
        .map(|actor| kernel.blocking_state(actor).unwrap())
        .collect()
}

/// Has actors do all this on an engine, and compares.
fn breed(id: &str, engine: Engine, begin: &[(u32, Rabbit)], model: &Model) {
    let options = bound(model.burrows.len() as u32, model.most, begin);
    let options = RingOptions {
        queue_capacity: options.queue_capacity.max(1 << 14),
        ..options
    };
    let kernel = launch(id, engine, options);
    kernel.blocking_send_all(begin.iter().copied()).unwrap();
    kernel.blocking_activate().unwrap();
    let settled = kernel.blocking_settle().map_err(ring_error);
    let metrics = kernel.blocking_metrics().unwrap();
    assert_eq!(
        (metrics.processed, metrics.dropped),
        (model.processed, model.lost.len() as u64 + model.late),
        "{engine}"
    );
    assert_eq!(metrics.accepted, metrics.processed + metrics.dropped, "{engine}");
    assert!(metrics.most_sent <= model.most as u64, "{engine}: {metrics:?}");
    assert_eq!((metrics.sent, metrics.queued), (0, 0), "{engine}");
    match settled {
        Ok(()) => assert_eq!(model.lost.len(), 0, "{engine}"),
        Err(RingError::Exceeded { times, first }) => {
            assert!(matches!(*first, RingError::Overflow { .. }), "{engine}: {first}");
            assert_eq!(times, model.lost.len() as u64, "{engine}");
        }
        Err(other) => panic!("{engine}: {other}"),
    }
    assert!(
        lost(&kernel, model.most) == (model.lost.clone(), model.late),
        "{engine}"
    );
    assert!(burrows(&kernel) == model.burrows, "{engine}");
}

fn rabbits(count: u32, names: &[u32], after: u32, litter: u32) -> Vec<(u32, Rabbit)> {
    let rabbit = |&name: &u32| (name % count, Rabbit { name, after, litter });
    names.iter().map(rabbit).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_same_messages_find_no_room_on_every_engine(
        count in 1..40u32,
        names in prop::collection::vec(any::<u32>(), 1..80),
        after in 0..6u32,
        litter in 0..8u32,
        most in 1..300usize,
    ) {
        let begin = rabbits(count, &names, after, litter);
        let mut model = Model::new(count, most);
        model.breed(&begin, |burrow, rabbit, ctx| _ = warren(burrow, rabbit, ctx));
        for engine in ENGINES {
            breed("warren", engine, &begin, &model);
        }
        let mut model = Model::new(count, most);
        model.breed(&begin, |burrow, rabbit, ctx| _ = talkative_warren(burrow, rabbit, ctx));
        for engine in ENGINES {
            breed("talkative_warren", engine, &begin, &model);
        }
    }

    #[test]
    fn a_kernel_that_is_saved_between_loses_the_same(
        names in prop::collection::vec(any::<u32>(), 1..60),
        most in 1..200usize,
        part in 0..9u64,
    ) {
        let begin = rabbits(20, &names, 5, 7);
        let mut model = Model::new(20, most);
        model.breed(&begin, |burrow, rabbit, ctx| _ = warren(burrow, rabbit, ctx));
        for (from, to) in ENGINES.into_iter().zip(ENGINES.into_iter().cycle().skip(1)) {
            let kernel = launch("warren", from, bound(20, most, &begin));
            kernel.blocking_send_all(begin.iter().copied()).unwrap();
            kernel.blocking_activate().unwrap();
            // Somewhere in between.
            let done = || kernel.blocking_metrics().unwrap().processed;
            while done() < model.processed * part / 10 {
                std::thread::yield_now();
            }
            kernel.blocking_deactivate().unwrap();
            let bytes = kernel.blocking_snapshot().unwrap().to_bytes();
            let snapshot = RingSnapshot::from_bytes(&bytes).unwrap();
            let options = RingOptions { engine: to, ..snapshot.options() };
            prop_assert_eq!(options.sent_capacity, most);
            let restored = runtime().blocking_restore_ring(&snapshot, options).unwrap();
            restored.blocking_activate().unwrap();
            let _ = restored.blocking_settle();
            let [before, after] = [&kernel, &restored].map(|kernel| kernel.blocking_metrics().unwrap().processed);
            prop_assert_eq!(before + after, model.processed, "{} to {}", from, to);
            let (mut all, late) = lost(&kernel, most);
            let (rest, later) = lost(&restored, most);
            all.extend(rest);
            prop_assert!(all == model.lost && late + later == model.late, "{} to {}", from, to);
            prop_assert!(burrows(&restored) == model.burrows, "{} to {}", from, to);
        }
    }
}

#[test]
fn what_there_is_just_room_for_is_not_lost() {
    // How many messages there are at a time, the bound, and how many are lost.
    for (litter, after, most, expected) in [
        // A chain needs room for one, however long it is.
        (1, 100, 1, 0),
        (2, 1, 2, 0),
        (2, 1, 1, 1),
        (4, 1, 4, 0),
        (4, 1, 3, 1),
        (4, 2, 16, 0),
        // Share by share it takes less room than at once.
        (4, 2, 15, 0),
        (0, 9, 1, 0),
    ] {
        let begin = [(0, Rabbit { name: 5, after, litter })];
        let mut model = Model::new(3, most);
        model.breed(&begin, |burrow, rabbit, ctx| _ = warren(burrow, rabbit, ctx));
        assert_eq!(model.lost.len(), expected, "{litter} {after} {most}");
        for engine in ENGINES {
            breed("warren", engine, &begin, &model);
        }
    }
}

#[test]
fn who_waits_outside_makes_nobody_lose_a_message() {
    // Each has four young, for which there is room only if those before it are gone.
    let names: Vec<u32> = (0..100).collect();
    let begin = rabbits(10, &names, 1, 4);
    let mut model = Model::new(10, 8);
    model.breed(&begin, |burrow, rabbit, ctx| _ = warren(burrow, rabbit, ctx));
    assert_eq!((model.lost.len(), model.processed), (0, 500));
    for engine in ENGINES {
        breed("warren", engine, &begin, &model);
    }
}

/// A kernel whose actors have been sending each other ever more, until there was no room.
fn overrun(engine: Engine, options: RingOptions) -> KernelHandle {
    let kernel = active("warren", engine, options);
    let first = rabbits(kernel.actors(), &[1, 2, 3], EVER, 2);
    kernel.blocking_send_all(first).unwrap();
    let begin = Instant::now();
    while kernel.blocking_metrics().unwrap().dropped == 0 && begin.elapsed() < LONG {
        std::thread::yield_now();
    }
    kernel
}

#[test]
fn actors_without_end_stay_within_bounds() {
    for engine in ENGINES {
        let options = RingOptions {
            queue_capacity: 1000,
            sent_capacity: 64,
            ..actors(8)
        };
        let kernel = overrun(engine, options);
        for _ in 0..3 {
            // Whoever calls has his turn.
            let ask = Rabbit {
                name: 0,
                after: ASK,
                litter: 0,
            };
            let burrow: Burrow = kernel.blocking_call_within(3, ask, LONG).unwrap();
            assert!(burrow.rabbits > 0, "{engine}");
        }
        kernel.blocking_deactivate().unwrap();
        let rests = kernel.blocking_metrics().unwrap();
        assert!(
            rests.sent > 0 && rests.sent <= 64 && rests.queued == rests.sent,
            "{engine}: {rests:?}"
        );
        assert_eq!(
            rests.accepted,
            rests.processed + rests.dropped + rests.queued,
            "{engine}"
        );
        kernel.blocking_activate().unwrap();
        let begin = Instant::now();
        let error = ring_error(kernel.blocking_terminate_with(Terminate::Now).unwrap_err());
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "{engine}: {:?}",
            begin.elapsed()
        );
        let text = error.to_string();
        let told = "actors of ring kernel `warren` had 64 messages under way when this one was sent, which is as many as they may; \
                    `RingOptions::sent_capacity` makes room for more (and the like ";
        assert!(text.starts_with(told), "{engine}: {text}");
        let ended = kernel.blocking_metrics().unwrap();
        assert!(
            ended.most_sent <= 64 && ended.most_queued <= 64 + 4,
            "{engine}: {ended:?}"
        );
        assert_eq!(
            (ended.accepted, ended.queued),
            (ended.processed + ended.dropped, 0),
            "{engine}"
        );
    }
}

#[test]
fn nobody_need_say_how_many_there_may_be() {
    for engine in ENGINES {
        let kernel = active("warren", engine, actors(1024));
        let most = 1 << 22;
        kernel.blocking_send_all(rabbits(1024, &[1, 2, 3], EVER, 2)).unwrap();
        // Slow engines do not come as far in this time.
        let begin = Instant::now();
        while kernel.blocking_metrics().unwrap().dropped == 0 && begin.elapsed() < Duration::from_secs(4) {
            std::thread::sleep(SHORT);
        }
        let begin = Instant::now();
        let ended = kernel.blocking_terminate_with(Terminate::Now).map_err(ring_error);
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "{engine}: {:?}",
            begin.elapsed()
        );
        match ended {
            Ok(()) => {}
            Err(RingError::Exceeded { first, .. }) => {
                let kernel = kernel.id().to_string();
                assert_eq!(
                    *first,
                    RingError::Overflow {
                        kernel,
                        sent_capacity: most
                    },
                    "{engine}"
                );
            }
            Err(other) => panic!("{engine}: {other}"),
        }
        let metrics = kernel.blocking_metrics().unwrap();
        assert!(metrics.most_sent <= most as u64, "{engine}: {metrics:?}");
        assert_eq!(metrics.accepted, metrics.processed + metrics.dropped, "{engine}");
        if engine == Engine::Native {
            assert_eq!(metrics.most_sent, most as u64);
        }
    }
}

#[test]
fn what_a_native_actor_has_not_begun_with_is_given_up() {
    const COUNT: u64 = 20_000;
    let options = RingOptions {
        queue_capacity: COUNT as usize,
        ..actors(4)
    };
    let kernel = launch("slow", Engine::Native, options);
    // All of it is one batch, which takes minutes.
    let deposits = (0..COUNT).map(|n| (n as u32 % 4, Deposit { cents: 20_000_000 }));
    kernel.blocking_send_all(deposits).unwrap();
    kernel.blocking_activate().unwrap();
    while kernel.blocking_metrics().unwrap().in_flight == 0 {
        std::thread::yield_now();
    }
    std::thread::sleep(SHORT);
    let begin = Instant::now();
    kernel.blocking_terminate_with(Terminate::Now).unwrap();
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    let metrics = kernel.blocking_metrics().unwrap();
    assert_eq!((metrics.accepted, metrics.processed + metrics.dropped), (COUNT, COUNT));
    let letters = std::iter::from_fn(|| kernel.dead_letter());
    let closed = letters.filter(|letter| matches!(letter.reason(), DeadReason::NotHandled(RingError::Closed { .. })));
    assert_eq!(closed.count() as u64, metrics.dropped);
    assert!(metrics.dropped > COUNT / 2, "{metrics:?}");
}

/// Throws two balls for each one.
#[ring_kernel(forwards = 2)]
fn juggler(thrown: &mut u32, ball: Deposit, ctx: &mut Ring<Deposit>) {
    *thrown += 1;
    for other in 0..2 {
        ctx.forward((ctx.actor() + other) % ctx.actors(), ball);
    }
}

#[test]
fn kernels_in_a_circle_stay_within_bounds() {
    for engine in ENGINES {
        let options = RingOptions {
            queue_capacity: 40,
            sent_capacity: 200,
            ..actors(10)
        };
        let kernels = [0, 1].map(|_| launch("juggler", engine, options.clone()));
        for (from, to) in [(0, 1), (1, 0)] {
            kernels[from].link(&kernels[to]).unwrap();
        }
        kernels.iter().for_each(|kernel| kernel.blocking_activate().unwrap());
        kernels[0].blocking_send(0, Deposit { cents: 1 }).unwrap();
        let dropped = || {
            kernels
                .iter()
                .map(|kernel| kernel.blocking_metrics().unwrap().dropped)
                .sum::<u64>()
        };
        let begin = Instant::now();
        while dropped() < 100 && begin.elapsed() < LONG {
            std::thread::yield_now();
        }
        for kernel in &kernels {
            assert!(kernel.blocking_metrics().unwrap().most_queued <= 240, "{engine}");
        }
        let letter = kernels.iter().find_map(KernelHandle::dead_letter).unwrap();
        let reason = RingError::Overflow {
            kernel: "juggler".to_string(),
            sent_capacity: 200,
        };
        assert_eq!(letter.reason(), &DeadReason::NotHandled(reason), "{engine}");
        for kernel in kernels {
            let begin = Instant::now();
            let _ = kernel.blocking_terminate_with(Terminate::Now);
            assert!(
                begin.elapsed() < Duration::from_secs(10),
                "{engine}: {:?}",
                begin.elapsed()
            );
            let ended = kernel.blocking_metrics().unwrap();
            assert_eq!((ended.queued, ended.in_flight), (0, 0), "{engine}");
        }
    }
}

#[test]
fn a_bound_that_is_not_possible_is_refused() {
    let options = RingOptions {
        sent_capacity: (1 << 28) + 1,
        ..actors(1)
    };
    let error = runtime().blocking_launch_ring("warren", options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ring kernel `warren` cannot be launched with room for 268435457 messages among actors; at most 268435456 are possible"
    );
    let kernel = launch("warren", Engine::Native, actors(1));
    assert_eq!(kernel.blocking_snapshot().unwrap().options().sent_capacity, 1 << 22);
}
