//! What actors forward to a kernel in the same memory: on every engine as plain Rust has it, in pairs, chains and circles, whoever answers,
//! traps, stops, rests or is terminated meanwhile; and without the host where nothing concerns that.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gpuvm::prelude::*;
use gpuvm::ring::{KernelHandle, Metrics};
use proptest::prelude::*;

use super::talk::goes_round;
use super::{LONG, actors, launch};

/// What is thrown on so many times.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Ball {
    word: u32,
    hops: u32,
    /// When it was thrown, by the thrower's clock.
    at: u64,
}

#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq)]
struct Caught {
    balls: u32,
    hash: u32,
    /// Balls that came before they were thrown.
    early: u32,
}

/// The bits of a word that stay as it is thrown on: whether two are thrown, one is kept among the first kernel's own, it goes anywhere, and
/// may make an actor trap, stop or answer.
const TWO: u32 = 1;
const KEEP: u32 = 2;
const ANYWHERE: u32 = 4;
const TRAPS: u32 = 8;
const STOPS: u32 = 16;
const ANSWERS: u32 = 32;
const KINDS: u32 = 63;
/// How long it may take until everything is caught.
const PATIENCE: Duration = Duration::from_secs(10);
/// The hops of a ball that asks what was caught.
const ASK: u32 = u32::MAX;

#[ring_kernel(sends = 1, forwards = 2)]
fn thrower(caught: &mut Caught, ball: Ball, ctx: &mut Ring<Ball>) -> Option<Caught> {
    if ball.hops == ASK {
        return Some(*caught);
    }
    assert!(ball.word & TRAPS == 0 || (ball.word >> 8) & 63 != 0, "dropped it");
    caught.balls += 1;
    caught.hash = caught.hash.rotate_left(5).wrapping_mul(0x9e37_79b9) ^ ball.word;
    caught.early += (ctx.now() <= ball.at) as u32;
    if ball.hops > 0 {
        let kept = Ball {
            word: caught.hash & !KINDS | ball.word & KINDS,
            hops: ball.hops - 1,
            at: ctx.now(),
        };
        let next = Ball {
            word: kept.word & !KEEP,
            ..kept
        };
        let mut to = ctx.actor() + 1;
        if next.word & ANYWHERE != 0 {
            to = ctx.actor() * 31 + (next.word >> 7);
        }
        ctx.forward(to % ctx.actors(), next);
        if next.word & TWO != 0 {
            ctx.forward(to % ctx.actors(), Ball { hops: 0, ..next });
        }
        if kept.word & KEEP != 0 {
            ctx.send((to >> 3) % ctx.actors(), kept);
        }
    }
    if ball.word & STOPS != 0 && (ball.word >> 8) & 63 == 1 {
        ctx.stop();
    }
    if ball.word & ANSWERS != 0 && (ball.word >> 8) & 15 == 2 {
        return Some(*caught);
    }
    None
}

/// What one kernel does, in plain Rust.
struct Team {
    caught: Vec<Caught>,
    stopped: Vec<bool>,
    answers: BTreeMap<u32, Vec<Caught>>,
    processed: u64,
    dead: u64,
}

impl Team {
    fn new(actors: u32) -> Team {
        Team {
            caught: vec![Caught::default(); actors as usize],
            stopped: vec![false; actors as usize],
            answers: BTreeMap::new(),
            processed: 0,
            dead: 0,
        }
    }

    /// One message. Gives what is sent and what is forwarded.
    fn handle(&mut self, actor: u32, ball: Ball) -> [Vec<(u32, Ball)>; 2] {
        let number = actor as usize;
        let traps = ball.word & TRAPS != 0 && (ball.word >> 8) & 63 == 0;
        if number >= self.caught.len() || self.stopped[number] || traps {
            self.dead += 1;
            if traps && let Some(stopped) = self.stopped.get_mut(number) {
                *stopped = true;
            }
            return Default::default();
        }
        let mut ctx = Ring::linked(actor, self.caught.len() as u32);
        let answer = thrower(&mut self.caught[number], ball, &mut ctx);
        // A context of a test has no clock.
        self.caught[number].early = 0;
        self.stopped[number] = ctx.is_stopped();
        self.processed += 1;
        if let Some(answer) = answer {
            self.answers
                .entry(actor)
                .or_default()
                .push(Caught { early: 0, ..answer });
        }
        [ctx.sent().collect(), ctx.forwarded().collect()]
    }
}

/// Kernels with so many actors each, one linked to the next, and the last to the first if they are in a circle.
#[derive(Clone, Debug)]
struct Game {
    actors: Vec<u32>,
    is_circle: bool,
    balls: Vec<(u32, Ball)>,
}

impl Game {
    fn next(&self, kernel: usize) -> Option<usize> {
        match kernel + 1 < self.actors.len() {
            true => Some(kernel + 1),
            false => self.is_circle.then_some(0),
        }
    }

    /// What the kernels do in rounds of all of them.
    fn model(&self) -> Vec<Team> {
        let mut teams: Vec<Team> = self.actors.iter().map(|&actors| Team::new(actors)).collect();
        let mut mail: Vec<_> = self.balls.iter().map(|&(actor, ball)| (0, actor, ball)).collect();
        while !mail.is_empty() {
            mail.sort_by_key(|&(kernel, actor, _)| (kernel, actor));
            let mut later = Vec::new();
            for (kernel, actor, ball) in mail {
                let [sent, forwarded] = teams[kernel].handle(actor, ball);
                later.extend(sent.into_iter().map(|(to, ball)| (kernel, to, ball)));
                match self.next(kernel) {
                    Some(next) => later.extend(forwarded.into_iter().map(|(to, ball)| (next, to, ball))),
                    None => teams[kernel].dead += forwarded.len() as u64,
                }
            }
            mail = later;
        }
        teams
    }

    fn launch(&self, engines: &[Engine]) -> Vec<KernelHandle> {
        let options = |&count: &u32| RingOptions {
            queue_capacity: 1 << 20,
            ..actors(count)
        };
        let launch = |(actors, engine): (&u32, &Engine)| launch("thrower", *engine, options(actors));
        let kernels: Vec<_> = self.actors.iter().zip(engines.iter().cycle()).map(launch).collect();
        for (number, kernel) in kernels.iter().enumerate() {
            if let Some(next) = self.next(number) {
                kernel.link(&kernels[next]).unwrap();
            }
        }
        kernels[0].blocking_send_all(self.balls.iter().copied()).unwrap();
        kernels
    }

    /// Plays on engines, one kernel after the other, and compares with plain Rust.
    fn play(&self, engines: &[Engine], teams: &[Team]) -> Vec<Metrics> {
        let kernels = self.launch(engines);
        kernels
            .iter()
            .rev()
            .for_each(|kernel| kernel.blocking_activate().unwrap());
        let mut all = Vec::new();
        for (kernel, team) in kernels.iter().zip(teams) {
            let begin = Instant::now();
            let metrics = loop {
                let metrics = kernel.blocking_metrics().unwrap();
                let is_over = metrics.processed + metrics.dropped >= team.processed + team.dead;
                if is_over || begin.elapsed() > PATIENCE {
                    break metrics;
                }
                std::thread::yield_now();
            };
            kernel.blocking_settle().unwrap();
            assert_eq!(
                (metrics.processed, metrics.dropped),
                (team.processed, team.dead),
                "{engines:?}"
            );
            let answers = answers(kernel);
            assert_eq!(answers, team.answers, "{engines:?}");
            all.push(metrics);
        }
        for (kernel, team) in kernels.iter().zip(teams) {
            assert!(caught(kernel, &team.stopped) == team.going_on(), "{engines:?}");
        }
        all
    }
}

impl Team {
    /// What those have caught that have not stopped.
    fn going_on(&self) -> Vec<(u32, Caught)> {
        let all = (0..).zip(self.caught.iter().copied());
        all.filter(|(actor, _)| !self.stopped[*actor as usize]).collect()
    }
}

/// The answers of each actor.
fn answers(kernel: &KernelHandle) -> BTreeMap<u32, Vec<Caught>> {
    let mut answers: BTreeMap<u32, Vec<Caught>> = BTreeMap::new();
    while let Ok((actor, answer)) = kernel.blocking_receive_from(Duration::ZERO) {
        answers.entry(actor).or_default().push(answer);
    }
    answers
}

/// What actors say that they have caught, those that have stopped not asked.
fn caught(kernel: &KernelHandle, stopped: &[bool]) -> Vec<(u32, Caught)> {
    let ask = Ball {
        word: 0,
        hops: ASK,
        at: 0,
    };
    let asked: Vec<u32> = (0..)
        .zip(stopped)
        .filter(|(_, stopped)| !**stopped)
        .map(|(actor, _)| actor)
        .collect();
    kernel
        .blocking_send_all(asked.iter().map(|&actor| (actor, ask)))
        .unwrap();
    let mut caught = Vec::new();
    while caught.len() < asked.len() {
        kernel.blocking_receive_many(&mut caught, LONG).unwrap();
    }
    caught.sort_by_key(|(actor, _)| *actor);
    caught
}

/// Engines that kernels are on, in turns.
const TURNS: [&[Engine]; 7] = [
    &[Engine::Native],
    &[Engine::Reference],
    &[Engine::Interpreter],
    &[Engine::Epoch],
    &[Engine::Specialized],
    &[Engine::Auto],
    &[Engine::Interpreter, Engine::Specialized, Engine::Native],
];

fn balls(count: u32, hops: u32, words: impl IntoIterator<Item = u32>) -> Vec<(u32, Ball)> {
    let ball = |word: u32| (word.rotate_left(9) % count, Ball { word, hops, at: 0 });
    words.into_iter().map(ball).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn what_anybody_forwards_comes_to_anybody_alike(
        counts in (1..60u32, 1..60u32),
        words in prop::collection::vec(any::<u32>(), 1..80),
        hops in 0..4u32,
        kinds in 0..KINDS,
    ) {
        let words = words.iter().map(|word| word & !KINDS | kinds);
        let game = Game {
            actors: vec![counts.0, counts.1],
            is_circle: false,
            balls: balls(counts.0, hops, words),
        };
        // What the second kernel forwards finds nobody.
        let teams = game.model();
        for engines in TURNS {
            game.play(engines, &teams);
        }
    }

    #[test]
    fn chains_and_circles_are_alike_on_every_engine(
        count in 1..60u32,
        kernels in 1..4usize,
        is_circle in any::<bool>(),
        words in prop::collection::vec(any::<u32>(), 1..80),
        hops in 0..8u32,
        kinds in 0..KINDS,
    ) {
        // Where each actor gets balls of one other actor only, it does not matter who is faster.
        let words = words.iter().map(|word| word & !KINDS | kinds & !KEEP & !ANYWHERE);
        let game = Game {
            actors: vec![count; kernels],
            is_circle,
            balls: balls(count, hops, words),
        };
        let teams = game.model();
        for engines in TURNS {
            game.play(engines, &teams);
        }
    }
}

#[test]
fn what_is_forwarded_in_one_memory_does_not_leave_it() {
    let words = (0..300).map(|actor: u32| (actor * 7 % 300).rotate_right(9) & !KINDS);
    for (is_circle, hops) in [(false, 2), (true, 12)] {
        let game = Game {
            actors: vec![300; 3],
            is_circle,
            balls: balls(300, hops, words.clone()),
        };
        let teams = game.model();
        for engines in TURNS {
            let metrics = game.play(engines, &teams);
            // Kernels whose actors are on several devices have no memory in common.
            let is_on_one = std::env::var_os(gpuvm_tests::DEVICES).is_none();
            let stays = is_on_one && matches!(engines, [engine] if goes_round(*engine));
            for (number, metrics) in metrics.iter().enumerate() {
                let forwarded = metrics.processed - if number == 0 { 300 } else { 0 };
                let expected = if stays { forwarded } else { 0 };
                let is_known = engines != [Engine::Auto] && engines.len() == 1;
                assert!(!is_known || metrics.from_linked == expected, "{engines:?}: {metrics:?}");
            }
        }
    }
}
