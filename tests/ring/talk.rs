//! Actors that go on talking among themselves, round after round: on every engine as plain Rust has it, whoever sends, traps, stops, answers
//! or is sent too much.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gpuvm::prelude::*;
use gpuvm::ring::{Metrics, Restart, Terminate};
use proptest::prelude::*;

use super::{ENGINES, LONG, active, actors, launch};

/// What actors tell each other.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Rumour {
    /// Tell it on so many times.
    Tell { times: u32, word: u32 },
    /// Tell so many others, who tell it on as often.
    Spread { times: u32, others: u32 },
    /// Tell the next one, who does the same, and so on.
    Pass,
    /// What was heard?
    Ask,
}

#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq)]
struct Heard {
    rumours: u32,
    hash: u32,
}

/// Bits of which none is set in a word that makes an actor trap, stop or answer. The lowest three say whether a rumour is one for that.
const TRAPS: u32 = 0x3f << 8;
const STOPS: u32 = 0xff << 14;
const ANSWERS: u32 = 0x7f << 20;

#[ring_kernel(sends = 4)]
fn gossip(ear: &mut Heard, rumour: Rumour, ctx: &mut Ring) -> Option<Heard> {
    match rumour {
        Rumour::Tell { times, word } => {
            // The order of rumours matters to what is heard and told on.
            ear.rumours += 1;
            ear.hash = ear.hash.rotate_left(5).wrapping_mul(0x9e37_79b9) ^ word;
            let hash = ear.hash & !7 | word & 7;
            let to = (ctx.actor() * 31 + (word >> 7)) % ctx.actors();
            if times > 0 {
                ctx.send(
                    to,
                    Rumour::Tell {
                        times: times - 1,
                        word: hash,
                    },
                );
            }
            assert!(word & 1 == 0 || word & TRAPS != 0, "heard enough at {word}");
            if times > 0 && word & 0x30 == 0 {
                let word = hash ^ 0x50;
                ctx.send((to + 1) % ctx.actors(), Rumour::Tell { times: times - 1, word });
            }
            if word & 2 != 0 && word & STOPS == 0 {
                ctx.stop();
            }
            if word & 4 != 0 && word & ANSWERS == 0 {
                return Some(*ear);
            }
            None
        }
        Rumour::Spread { times, others } => {
            ear.rumours += 1;
            ear.hash = ear.hash.rotate_left(7) ^ times;
            if times > 0 {
                let mut other = 0;
                while other < others {
                    let to = (ctx.actor() * 5 + other * 7) % ctx.actors();
                    ctx.send(
                        to,
                        Rumour::Spread {
                            times: times - 1,
                            others,
                        },
                    );
                    other += 1;
                }
            }
            None
        }
        Rumour::Pass => {
            ear.rumours += 1;
            ctx.send((ctx.actor() + 1) % ctx.actors(), Rumour::Pass);
            None
        }
        Rumour::Ask => Some(*ear),
    }
}

/// What the actors do, one message after the other in plain Rust.
struct Model {
    ears: Vec<Heard>,
    stopped: Vec<bool>,
    restart: Restart,
    /// What each actor has answered.
    answers: BTreeMap<u32, Vec<Heard>>,
    processed: u64,
    dead: u64,
}

impl Model {
    fn new(actors: u32, restart: Restart) -> Model {
        Model {
            ears: vec![Heard::default(); actors as usize],
            stopped: vec![false; actors as usize],
            restart,
            answers: BTreeMap::new(),
            processed: 0,
            dead: 0,
        }
    }

    /// Rounds until nobody has mail.
    fn talk(&mut self, mut mail: Vec<(u32, Rumour)>) {
        while !mail.is_empty() {
            mail.sort_by_key(|(actor, _)| *actor);
            let mut sent = Vec::new();
            // Actors that start afresh go on when all others are done.
            while !mail.is_empty() {
                let mut later = Vec::new();
                for own in mail.chunk_by(|(a, _), (b, _)| a == b) {
                    later.extend_from_slice(self.handle(own, &mut sent));
                }
                mail = later;
            }
            mail = sent;
        }
    }

    /// One actor's mail. Gives what is left of it for a fresh start.
    fn handle<'m>(&mut self, own: &'m [(u32, Rumour)], sent: &mut Vec<(u32, Rumour)>) -> &'m [(u32, Rumour)] {
        for (at, &(actor, rumour)) in own.iter().enumerate() {
            let number = actor as usize;
            if self.stopped[number] {
                self.dead += (own.len() - at) as u64;
                return &[];
            }
            let mut ctx = Ring::new(actor, self.ears.len() as u32);
            let ear = &mut self.ears[number];
            let handled = catch_unwind(AssertUnwindSafe(|| gossip(ear, rumour, &mut ctx)));
            sent.extend(ctx.sent::<Rumour>());
            self.stopped[number] = ctx.is_stopped();
            match handled {
                Ok(answer) => {
                    self.processed += 1;
                    self.answers.entry(actor).or_default().extend(answer);
                }
                Err(_) => {
                    self.dead += 1;
                    self.ears[number] = Heard::default();
                    if let Restart::Fresh = self.restart {
                        return &own[at + 1..];
                    }
                    self.stopped[number] = true;
                }
            }
        }
        &[]
    }
}

/// Lets actors talk on an engine, and asks all of them in the end what they have heard.
fn talk(engine: Engine, restart: Restart, begin: &[(u32, Rumour)], model: &Model) -> Metrics {
    let count = model.ears.len() as u32;
    let options = RingOptions {
        restart,
        queue_capacity: 1 << 20,
        ..actors(count)
    };
    let kernel = launch("gossip", engine, options);
    kernel.blocking_send_all(begin.iter().copied()).unwrap();
    kernel.blocking_activate().unwrap();
    kernel.blocking_settle().unwrap();
    let metrics = kernel.blocking_metrics().unwrap();
    assert_eq!(
        (metrics.processed, metrics.dropped, metrics.accepted),
        (model.processed, model.dead, model.processed + model.dead),
        "{engine}"
    );
    let mut answers: BTreeMap<u32, Vec<Heard>> = (0..count).map(|actor| (actor, Vec::new())).collect();
    while let Ok((actor, heard)) = kernel.blocking_receive_from::<Heard>(std::time::Duration::ZERO) {
        answers.entry(actor).or_default().push(heard);
    }
    answers.retain(|_, heard| !heard.is_empty());
    let expected: BTreeMap<_, _> = model.answers.iter().filter(|(_, heard)| !heard.is_empty()).collect();
    assert_eq!(answers.iter().collect::<BTreeMap<_, _>>(), expected, "{engine}");
    let going_on = || (0..count).filter(|actor| !model.stopped[*actor as usize]);
    kernel
        .blocking_send_all(going_on().map(|actor| (actor, Rumour::Ask)))
        .unwrap();
    let mut heard: Vec<(u32, Heard)> = Vec::new();
    while heard.len() < going_on().count() {
        kernel.blocking_receive_many(&mut heard, LONG).unwrap();
    }
    heard.sort_by_key(|(actor, _)| *actor);
    let expected: Vec<_> = going_on().map(|actor| (actor, model.ears[actor as usize])).collect();
    assert!(heard == expected, "{engine}");
    metrics
}

/// The engines on which rounds need no host.
pub(super) fn goes_round(engine: Engine) -> bool {
    matches!(engine, Engine::Interpreter | Engine::Specialized)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn actors_talk_alike_on_every_engine(
        count in 1..60u32,
        words in prop::collection::vec(any::<u32>(), 1..80),
        times in 0..9u32,
        // Which of traps, stops and answers there are.
        kinds in 0..8u32,
        fresh in any::<bool>(),
    ) {
        let restart = if fresh { Restart::Fresh } else { Restart::Stop };
        let tell = |word: &u32| Rumour::Tell { times, word: word & !7 | kinds };
        let begin: Vec<_> = words.iter().map(|word| ((word >> 3) % count, tell(word))).collect();
        let mut model = Model::new(count, restart);
        model.talk(begin.clone());
        for engine in ENGINES {
            talk(engine, restart, &begin, &model);
        }
    }
}

#[test]
fn what_concerns_nobody_else_needs_no_host() {
    let begin: Vec<_> = (0..300)
        .map(|actor| (actor, Rumour::Spread { times: 12, others: 1 }))
        .collect();
    let mut model = Model::new(300, Restart::Stop);
    model.talk(begin.clone());
    for engine in ENGINES {
        let metrics = talk(engine, Restart::Stop, &begin, &model);
        let rounds = if goes_round(engine) { (1, 13) } else { (13, 0) };
        assert_eq!((metrics.batches, metrics.rounds), rounds, "{engine}");
    }
}

#[test]
fn rumours_that_spread_find_room() {
    // Each round has four times the messages of the one before, to few actors at last, who get more than the device delivers.
    let begin: Vec<_> = (0..64)
        .map(|i| (i * 3 % 512, Rumour::Spread { times: 4, others: 4 }))
        .collect();
    let mut model = Model::new(512, Restart::Stop);
    model.talk(begin.clone());
    assert_eq!(model.processed, 64 * 341);
    for engine in ENGINES {
        talk(engine, Restart::Stop, &begin, &model);
    }
    let to_one: Vec<_> = (0..200)
        .map(|actor| (actor, Rumour::Spread { times: 1, others: 1 }))
        .collect();
    let mut model = Model::new(40, Restart::Stop);
    let to_one: Vec<_> = to_one
        .iter()
        .map(|&(actor, rumour)| (actor % 40, rumour))
        .chain((0..290).map(|_| (8, to_one[0].1)))
        .collect();
    model.talk(to_one.clone());
    for engine in ENGINES {
        talk(engine, Restart::Stop, &to_one, &model);
    }
}

#[test]
fn many_letters_to_one_actor_come_in_their_order() {
    // The last are more than a device brings to one.
    for each in [20, 200, 600] {
        let words = (0..4 * each).map(|number: u32| number.wrapping_mul(0x9e37_79b9) & !7);
        let begin: Vec<_> = words
            .map(|word| (word >> 9 & 3, Rumour::Tell { times: 2, word }))
            .collect();
        let mut model = Model::new(4, Restart::Stop);
        model.talk(begin.clone());
        for engine in ENGINES {
            let metrics = talk(engine, Restart::Stop, &begin, &model);
            assert_eq!(metrics.rounds > 0, goes_round(engine), "{engine}, {each}");
        }
    }
}

#[test]
fn a_device_takes_its_time() {
    // What one actor gets and sends is more than a GPU does in one submission.
    let begin: Vec<_> = (0..60).map(|_| (8, Rumour::Spread { times: 2, others: 4 })).collect();
    let mut model = Model::new(40, Restart::Stop);
    model.talk(begin.clone());
    for engine in ENGINES {
        talk(engine, Restart::Stop, &begin, &model);
    }
}

#[test]
fn endless_talk_lets_others_have_their_say() {
    for engine in ENGINES {
        let kernel = active("gossip", engine, actors(100));
        kernel
            .blocking_send_all((0..50).map(|i| (i * 2, Rumour::Pass)))
            .unwrap();
        let mut before = 0;
        for _ in 0..5 {
            // Who calls is answered, though there is always mail.
            let heard: Heard = kernel.blocking_call(3, Rumour::Ask).unwrap();
            assert!(heard.rumours >= before, "{engine}");
            before = heard.rumours;
        }
        kernel.blocking_deactivate().unwrap();
        let rests = kernel.blocking_metrics().unwrap();
        assert_eq!(rests.queued, 50, "{engine}: nothing is lost when talk is interrupted");
        assert_eq!(rests.accepted, rests.processed + 50, "{engine}");
        assert_eq!(
            kernel.blocking_metrics().unwrap().processed,
            rests.processed,
            "{engine}"
        );
        kernel.blocking_activate().unwrap();
        let heard: Heard = kernel.blocking_call_within(3, Rumour::Ask, LONG).unwrap();
        assert!(heard.rumours >= before, "{engine}");
        kernel.blocking_terminate_with(Terminate::Now).unwrap();
        let ended = kernel.blocking_metrics().unwrap();
        assert_eq!((ended.dropped, ended.queued), (50, 0), "{engine}");
    }
}
