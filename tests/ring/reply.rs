//! Actors that answer a message more than once: on every engine with the replies that plain Rust makes, in order, also of actors that trap,
//! stop, send each other messages, or are called.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gpuvm::prelude::*;
use gpuvm::ring::{Answers, Restart, RingError};
use proptest::prelude::*;

use super::talk::goes_round;
use super::{ENGINES, LONG, actors, launch, ring_error};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Ask {
    /// Reply so many times, and answer unless the number is even.
    Count { replies: u32, answer: u32 },
    /// Reply so many times, and trap.
    Trap { replies: u32 },
    /// Reply once, and stop.
    Stop,
    /// Ask the next actor so many times over, and reply when nothing is left.
    Pass { times: u32, replies: u32 },
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Told {
    actor: u32,
    message: u32,
    part: u64,
}

#[ring_kernel(replies = 4)]
fn teller(asked: &mut u32, ask: Ask, ctx: &mut Ring) -> Option<Told> {
    *asked += 1;
    let told = Told {
        actor: ctx.actor(),
        message: *asked,
        part: 1 << 40,
    };
    let (replies, answers) = match ask {
        Ask::Count { replies, answer } => (replies, answer % 2 == 1),
        Ask::Trap { replies } => (replies, false),
        Ask::Stop => (1, false),
        Ask::Pass { times, replies } => {
            if times > 0 {
                let times = times - 1;
                ctx.send((ctx.actor() + 1) % ctx.actors(), Ask::Pass { times, replies });
            }
            (if times == 0 { replies } else { 0 }, false)
        }
    };
    for part in 0..replies {
        ctx.reply(Told {
            part: part as u64,
            ..told
        });
    }
    match ask {
        Ask::Trap { replies } => panic!("after {} replies", replies),
        Ask::Stop => ctx.stop(),
        _ => {}
    }
    if answers { Some(told) } else { None }
}

/// Answers each message, beside what it replies.
#[ring_kernel(replies = 2, sends = 1)]
fn echo(asked: &mut u32, told: Told, ctx: &mut Ring) -> Told {
    *asked += 1;
    if told.part > 0 {
        ctx.reply(told);
        ctx.reply(Told { part: 0, ..told });
    }
    Told {
        message: *asked,
        ..told
    }
}

/// What one actor tells when it is asked all this, in plain Rust, and how many messages are lost.
fn expected(actor: u32, actors: u32, asks: &[Ask], fresh: bool) -> (Vec<Told>, usize) {
    let (mut asked, mut told, mut lost) = (0, Vec::new(), 0);
    for (at, &ask) in asks.iter().enumerate() {
        let mut ctx = Ring::new(actor, actors);
        let handled = catch_unwind(AssertUnwindSafe(|| teller(&mut asked, ask, &mut ctx)));
        // A unit test's context has no limit.
        told.extend(ctx.replied::<Told>().take(4));
        match handled {
            Ok(answer) if ctx.replied::<Told>().count() <= 4 => told.extend(answer),
            _ if fresh => (asked, lost) = (0, lost + 1),
            _ => return (told, lost + asks.len() - at),
        }
        if ctx.is_stopped() {
            return (told, lost + asks.len() - at - 1);
        }
    }
    (told, lost)
}

fn asks() -> impl Strategy<Value = Ask> {
    prop_oneof![
        6 => (0..5u32, any::<u32>()).prop_map(|(replies, answer)| Ask::Count { replies, answer }),
        1 => (0..6u32).prop_map(|replies| Ask::Trap { replies }),
        1 => Just(Ask::Count { replies: 5, answer: 1 }),
        1 => Just(Ask::Stop),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn replies_are_alike_on_every_engine(
        count in 1..20u32,
        asks in prop::collection::vec((any::<u32>(), asks()), 1..80),
        fresh in any::<bool>(),
    ) {
        let asks: Vec<_> = asks.into_iter().map(|(actor, ask)| (actor % count, ask)).collect();
        let restart = if fresh { Restart::Fresh } else { Restart::Stop };
        let (mut lost, mut told) = (0, Vec::new());
        for actor in 0..count {
            let own: Vec<Ask> = asks.iter().filter(|(to, _)| *to == actor).map(|(_, ask)| *ask).collect();
            let of_actor = expected(actor, count, &own, fresh);
            told.extend(of_actor.0);
            lost += of_actor.1;
        }
        let mut too_often = None;
        for engine in ENGINES {
            let kernel = launch("teller", engine, RingOptions { restart, ..actors(count) });
            kernel.blocking_send_all(asks.iter().copied()).unwrap();
            kernel.blocking_activate().unwrap();
            let times = match kernel.blocking_settle().map_err(ring_error) {
                Ok(()) => 0,
                Err(RingError::Exceeded { times, .. }) => times,
                Err(other) => panic!("{engine}: {other}"),
            };
            prop_assert_eq!(*too_often.get_or_insert(times), times, "{}", engine);
            let mut found: Vec<Told> = std::iter::from_fn(|| kernel.try_receive().unwrap()).collect();
            found.sort_by_key(|told| told.actor);
            prop_assert_eq!(&found, &told, "{}", engine);
            prop_assert_eq!(kernel.blocking_metrics().unwrap().dropped, lost as u64, "{}", engine);
        }
    }
}

#[test]
fn answers_come_in_the_order_of_their_messages() {
    let told = |i: u32| Told {
        actor: i % 7,
        message: 0,
        part: u64::from(i % 3),
    };
    let messages: Vec<_> = (0..100).map(|i| (i % 7, told(i))).collect();
    let mut asked = [0; 7];
    let mut expected = Vec::new();
    for (actor, told) in &messages {
        let mut ctx = Ring::new(*actor, 7);
        let answer = echo(&mut asked[*actor as usize], *told, &mut ctx);
        expected.extend(ctx.replied::<Told>().chain([answer]));
    }
    for engine in ENGINES {
        let kernel = launch("echo", engine, actors(7));
        kernel.blocking_send_all(messages.iter().copied()).unwrap();
        kernel.blocking_activate().unwrap();
        kernel.blocking_settle().unwrap();
        let found: Vec<Told> = std::iter::from_fn(|| kernel.try_receive().unwrap()).collect();
        assert_eq!(found, expected, "{engine}");
    }
}

#[test]
fn a_call_gets_the_first_and_the_others_are_received() {
    for engine in ENGINES {
        let kernel = launch("teller", engine, actors(3));
        kernel.blocking_activate().unwrap();
        let first: Told = kernel.blocking_call(2, Ask::Count { replies: 3, answer: 1 }).unwrap();
        let rest: Vec<u64> = std::iter::from_fn(|| kernel.try_receive::<Told>().unwrap())
            .map(|told| told.part)
            .collect();
        assert_eq!((first.part, &rest[..]), (0, &[1, 2, 1 << 40][..]), "{engine}");
        let only: Told = kernel.blocking_call(2, Ask::Count { replies: 0, answer: 1 }).unwrap();
        assert_eq!(only.part, 1 << 40, "{engine}");
        // Who was answered before the trap has his answer; the message is a dead letter.
        let before: Told = kernel.blocking_call(2, Ask::Trap { replies: 1 }).unwrap();
        assert_eq!((before.message, before.part), (3, 0), "{engine}");
        assert_eq!(kernel.dead_letter().unwrap().message(), Some(Ask::Trap { replies: 1 }));
        let none = kernel.blocking_call::<Told>(1, Ask::Trap { replies: 0 });
        assert!(none.unwrap_err().to_string().contains("after 0 replies"), "{engine}");
    }
}

#[test]
fn replies_in_rounds_reach_the_host() {
    const ACTORS: u32 = 64;
    for engine in ENGINES {
        let kernel = launch("teller", engine, actors(ACTORS));
        // Those that reply last find room where others have replied before.
        let pass = |actor: u32| Ask::Pass {
            times: actor % 3 + 2,
            replies: actor % 5,
        };
        kernel
            .blocking_send_all((0..ACTORS).map(|actor| (actor, pass(actor))))
            .unwrap();
        kernel.blocking_activate().unwrap();
        kernel.blocking_settle().unwrap();
        let rounds = kernel.blocking_metrics().unwrap().rounds;
        assert_eq!(rounds > 0, goes_round(engine), "{engine}: {rounds}");
        let mut found = Vec::new();
        while let Ok((_, Told { actor, part, .. })) = kernel.blocking_receive_from(std::time::Duration::ZERO) {
            found.push((actor, part));
        }
        found.sort_unstable();
        let mut expected: Vec<_> = (0..ACTORS)
            .flat_map(|actor| (0..u64::from(actor % 5)).map(move |part| ((actor + actor % 3 + 2) % ACTORS, part)))
            .collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{engine}");
    }
}

#[test]
fn replies_that_nobody_wants_are_dropped() {
    for engine in ENGINES {
        let options = RingOptions {
            answers: Answers::Discard,
            ..actors(2)
        };
        let kernel = launch("teller", engine, options);
        kernel.blocking_activate().unwrap();
        kernel
            .blocking_send_all((0..10).map(|i| (i % 2, Ask::Count { replies: 2, answer: i })))
            .unwrap();
        let told: Told = kernel
            .blocking_call_within(1, Ask::Count { replies: 2, answer: 0 }, LONG)
            .unwrap();
        assert_eq!((told.message, told.part), (6, 0), "{engine}");
        assert_eq!(kernel.try_receive::<Told>().unwrap(), None, "{engine}");
    }
}

/// More room than a device binds, if it gets all its mail at once.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Wide([u32; 64]);

/// Counts, with much room that it does not use, and ends at some counts.
#[ring_kernel(replies = 200)]
fn roomy(count: &mut u32, step: Wide, ctx: &mut Ring) -> Option<Wide> {
    *count += step.0[0];
    if *count == 2900 {
        ctx.reply(Wide([*count; 64]));
    }
    assert!(*count != 4000, "enough");
    if *count == 3000 { Some(Wide([7; 64])) } else { None }
}

#[test]
fn one_actor_may_have_more_mail_than_a_job() {
    for engine in [Engine::Native, Engine::Specialized] {
        let options = RingOptions {
            queue_capacity: 1 << 14,
            ..actors(2)
        };
        let kernel = launch("roomy", engine, options);
        // 51 KiB of room each.
        kernel.blocking_send_all((0..6000).map(|_| (1, Wide([1; 64])))).unwrap();
        kernel.blocking_activate().unwrap();
        kernel.blocking_settle().unwrap();
        let mut found: Vec<(u32, Wide)> = Vec::new();
        kernel.blocking_receive_many(&mut found, LONG).unwrap();
        assert_eq!(found, [(1, Wide([2900; 64])), (1, Wide([7; 64]))], "{engine}");
        let metrics = kernel.blocking_metrics().unwrap();
        assert_eq!((metrics.processed, metrics.dropped), (3999, 2001), "{engine}");
    }
}
