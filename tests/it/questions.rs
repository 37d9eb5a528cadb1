//! `vm::ask`: what VMs ask is answered the same on every engine, whoever answers and however many at a time.

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gpuvm::prelude::*;
use gpuvm::program::Status;
use gpuvm::{Error, Question, Signal, Snapshot};
use proptest::prelude::*;

use crate::harness::{ENGINES, pausing, runtime};

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Guess {
    game: u32,
    number: i64,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Hint {
    Lower,
    Higher(u32),
    Right { after: [u32; 3] },
}

/// Bisects what only the host knows, and says how many guesses it took.
#[routine]
fn guesses(game: u32) -> (i64, u32) {
    let (mut low, mut high) = (-1000i64, 1000i64);
    for turn in 1.. {
        let number = low + (high - low) / 2;
        match vm::ask(Guess { game, number }) {
            Hint::Lower => high = number,
            Hint::Higher(by) => low = number + i64::from(by),
            Hint::Right { after: [a, b, c] } => return (number, turn + a + b + c),
        }
    }
    unreachable!()
}

fn secret(game: u32) -> i64 {
    i64::from(game.wrapping_mul(2_654_435_761) % 2000) - 1000
}

fn hint(guess: Guess) -> Hint {
    match secret(guess.game).cmp(&guess.number) {
        Ordering::Less => Hint::Lower,
        Ordering::Greater => Hint::Higher(1),
        Ordering::Equal => Hint::Right {
            after: [1, 2, guess.game],
        },
    }
}

const GAMES: u32 = 300;

fn games() -> Vec<u32> {
    (0..GAMES).collect()
}

fn expected() -> Vec<(i64, u32)> {
    let one = |game: u32| vm::answering(|_, guess| hint(guess), || guesses(game));
    games().into_iter().map(one).collect()
}

#[test]
fn each_question_is_answered() {
    let games = games();
    for engine in ENGINES {
        let mut asked = vec![0u32; GAMES as usize];
        let launch = runtime().launch("guesses").unwrap().args((&games,)).engine(engine);
        let launch = launch.answer(|vm, guess: Guess| {
            asked[vm as usize] += 1;
            assert_eq!(guess.game, vm);
            hint(guess)
        });
        let results: Vec<(i64, u32)> = launch.run().unwrap().output().unwrap();
        assert_eq!(results, expected(), "{engine}");
        let told = results.iter().map(|(_, turns)| turns - 3);
        assert!(
            asked.iter().zip(0..).map(|(asked, game)| asked + game).eq(told),
            "{engine}"
        );
    }
}

#[test]
fn all_that_wait_are_answered_at_once() {
    let games = games();
    for engine in pausing() {
        let mut batches = Vec::new();
        let launch = runtime().launch("guesses").unwrap().args((&games,)).engine(engine);
        let launch = launch.answer_all(|questions: &[Question<Guess>]| {
            assert!(questions.is_sorted_by_key(|asked| asked.vm));
            batches.push(questions.len());
            questions.iter().map(|asked| hint(asked.question)).collect()
        });
        let results: Vec<(i64, u32)> = launch.run().unwrap().output().unwrap();
        assert_eq!(results, expected(), "{engine}");
        assert!(batches.len() <= 40, "{engine}: {batches:?}");
    }
}

/// Questions of several kinds, at several depths, between prints, in the arms of a branch; some VMs trap, some end before they ask.
#[routine]
fn mixed_questions(x: u32) -> f32 {
    if x % 7 == 3 {
        return -1.0;
    }
    let first: u32 = vm::ask(x);
    println!("{x} got {first}");
    let price = if first % 2 == 0 {
        quoted((first, x as u8)) * 2.0
    } else {
        let wide: u64 = vm::ask((x, true));
        wide as f32
    };
    assert!(x % 11 != 5, "the price is {price}");
    let unit: () = vm::ask(());
    vm::yield_now();
    price + vm::ask::<[u16; 3], f32>([x as u16, 1, 2])
}

#[routine]
fn quoted(of: (u32, u8)) -> f32 {
    let mut sum = 0.0;
    for i in 0..of.0 % 3 {
        sum += quoted_once((i, of.1));
    }
    sum
}

#[routine]
fn quoted_once(of: (u32, u8)) -> f32 {
    vm::ask::<_, f32>(of)
}

fn answered<'a>(launch: gpuvm::Launch<'a>) -> gpuvm::Launch<'a> {
    launch
        .answer(|vm, x: u32| vm ^ x.wrapping_mul(7))
        .answer(|vm, (a, b): (u32, u8)| (vm + a) as f32 + f32::from(b))
        .answer(|vm, (x, _): (u32, bool)| u64::from(vm) << 33 | u64::from(x))
        .answer(|_, (): ()| ())
        .answer(|vm, list: [u16; 3]| list.iter().map(|x| f32::from(*x)).sum::<f32>() + vm as f32)
}

#[test]
fn questions_of_several_kinds() {
    let xs: Vec<u32> = (0..200).map(|i| i * 31 % 89).collect();
    let mut first: Option<(Vec<(u32, String)>, String, u64)> = None;
    for engine in ENGINES {
        let launch = runtime().launch("mixed_questions").unwrap().args((&xs,)).engine(engine);
        let Err(Error::Trap(report)) = answered(launch).run() else {
            panic!("VMs with x % 11 == 5 trap");
        };
        let done = report.done();
        let lines = done.logs().iter().map(|line| (line.vm, line.text.clone())).collect();
        let results: Vec<f32> = done.output().unwrap();
        let bits: Vec<u32> = results.iter().map(|x| x.to_bits()).collect();
        let found = (
            lines,
            format!("{} {} {:?}", report.vm, report.message, bits),
            report.count,
        );
        match &first {
            None => first = Some(found),
            Some(first) => assert_eq!(*first, found, "{engine}"),
        }
    }
}

#[test]
fn an_execution_is_answered_as_far_as_one_likes() {
    let games = games();
    for engine in pausing() {
        let launch = runtime().launch("guesses").unwrap().args((&games,)).engine(engine);
        let mut execution = launch.start().unwrap();
        assert!(execution.questions::<Guess>().unwrap().is_empty());
        let mut rounds = 0;
        while execution.advance(Budget::unlimited()).unwrap() == Signal::Blocked {
            rounds += 1;
            let questions = execution.questions::<Guess>().unwrap();
            assert!(execution.questions::<u32>().unwrap().is_empty());
            assert_eq!(execution.vm(questions[0].vm).unwrap().status, Status::Blocked);
            // One alone, and every third of the others.
            let alone = questions[0];
            execution.answer(alone.vm, hint(alone.question)).unwrap();
            let some = questions[1..]
                .iter()
                .step_by(3)
                .map(|asked| (asked.vm, hint(asked.question)));
            execution.answer_all(&some.collect::<Vec<_>>()).unwrap();
        }
        assert!(rounds > 20, "{engine}");
        assert_eq!(
            execution.finish().unwrap().output::<Vec<(i64, u32)>>().unwrap(),
            expected(),
            "{engine}"
        );
    }
}

/// A question is seen before who asks is blocked, and may be answered then.
#[test]
fn an_answer_may_come_before_its_vm_is_blocked() {
    for engine in pausing() {
        for later in 0..6 {
            let launch = runtime().launch("guesses").unwrap().args((&[1u32],)).engine(engine);
            let mut execution = launch.start().unwrap();
            while execution.questions::<Guess>().unwrap().is_empty() {
                execution.advance(Budget::cycles(1)).unwrap();
            }
            for _ in 0..later {
                execution.advance(Budget::cycles(1)).unwrap();
            }
            loop {
                let questions = execution.questions::<Guess>().unwrap();
                let asked = questions.first().expect("who is blocked has asked");
                execution.answer(asked.vm, hint(asked.question)).unwrap();
                match execution.run_to_end().unwrap() {
                    Signal::Blocked => {}
                    signal => break assert_eq!(signal, Signal::Halt),
                }
            }
            let results: Vec<(i64, u32)> = execution.finish().unwrap().output().unwrap();
            assert_eq!(results, expected()[1..2], "{engine}, {later}");
        }
    }
}

#[test]
fn a_blocked_vm_waits() {
    for engine in pausing() {
        let launch = runtime().launch("guesses").unwrap().args((&[1u32, 2],)).engine(engine);
        let mut execution = launch.start().unwrap();
        for _ in 0..3 {
            assert_eq!(
                execution.advance(Budget::unlimited()).unwrap(),
                Signal::Blocked,
                "{engine}"
            );
            assert_eq!(execution.questions::<Guess>().unwrap().len(), 2);
        }
        assert_eq!(execution.run_to_end().unwrap(), Signal::Blocked);
        let told = execution.answer(1, 5u32).unwrap_err().to_string();
        assert_eq!(told, "VM 1 was given an answer of type `u32`, and waits for a `Hint`");
        let told = execution.answer(2, Hint::Lower).unwrap_err().to_string();
        assert_eq!(told, "`guesses` runs on 2 VMs, numbered from 0, and VM 2 was asked for");
        execution.answer(0, Hint::Lower).unwrap();
        let told = execution.answer(0, Hint::Lower).unwrap_err().to_string();
        assert_eq!(told, "VM 0 was given an answer of type `Hint`, and waits for none");
        let Err(Error::Budget(report)) = execution.finish() else {
            panic!("two VMs are not done");
        };
        assert_eq!((report.blocked, report.running), (2, 0), "{engine}");
    }
}

#[test]
fn questions_are_in_snapshots() {
    let games = games();
    let engines = pausing();
    for (engine, next) in engines.iter().zip(engines.iter().cycle().skip(1)) {
        let launch = runtime().launch("guesses").unwrap().args((&games,)).engine(*engine);
        let mut execution = launch.start().unwrap();
        for _ in 0..3 {
            assert_eq!(execution.advance(Budget::unlimited()).unwrap(), Signal::Blocked);
            let asked = execution.questions::<Guess>().unwrap();
            let half = asked[..asked.len() / 2]
                .iter()
                .map(|asked| (asked.vm, hint(asked.question)));
            execution.answer_all(&half.collect::<Vec<_>>()).unwrap();
        }
        let bytes = execution.snapshot().unwrap().to_bytes();
        drop(execution);
        let snapshot = Snapshot::from_bytes(&bytes).unwrap();
        let mut restored = runtime().restore_on(&snapshot, *next).unwrap();
        // What waits can be asked for before anything has run.
        let mut asked = restored.questions::<Guess>().unwrap();
        assert_eq!(asked.len(), GAMES as usize / 2);
        loop {
            let all = asked.iter().map(|asked| (asked.vm, hint(asked.question)));
            restored.answer_all(&all.collect::<Vec<_>>()).unwrap();
            if restored.advance(Budget::unlimited()).unwrap() != Signal::Blocked {
                break;
            }
            asked = restored.questions::<Guess>().unwrap();
        }
        assert_eq!(
            restored.finish().unwrap().output::<Vec<(i64, u32)>>().unwrap(),
            expected(),
            "{engine} {next}"
        );
    }
}

#[test]
fn a_budget_of_cycles_bounds_who_asks() {
    let games = games();
    for engine in pausing() {
        let launch = runtime().launch("guesses").unwrap().args((&games,)).engine(engine);
        let mut execution = launch.answer(|_, guess: Guess| hint(guess)).start().unwrap();
        let mut advances = 0;
        while execution.advance(Budget::cycles(50)).unwrap() != Signal::Halt {
            advances += 1;
        }
        assert!(advances > 5, "{engine}");
        assert_eq!(
            execution.finish().unwrap().output::<Vec<(i64, u32)>>().unwrap(),
            expected(),
            "{engine}"
        );
        let launch = runtime().launch("guesses").unwrap().args((&games,)).engine(engine);
        let launch = launch
            .answer(|_, _: Guess| Hint::Higher(0))
            .budget(Budget::cycles(2000));
        assert!(matches!(launch.run(), Err(Error::Budget(_))), "{engine}");
    }
}

#[test]
fn a_future_answers_where_it_is_polled() {
    let games = games();
    for engine in ENGINES {
        let mut asked = 0;
        let launch = runtime().launch("guesses").unwrap().args((&games,)).engine(engine);
        let launch = launch.answer(|_, guess: Guess| {
            asked += 1;
            hint(guess)
        });
        let results: Vec<(i64, u32)> = pollster::block_on(launch.run_async()).unwrap().output().unwrap();
        assert_eq!(results, expected(), "{engine}");
        assert!(asked > GAMES, "{engine}");
    }
}

#[test]
fn a_future_that_is_dropped_waits_for_no_answer() {
    let launch = runtime()
        .launch("guesses")
        .unwrap()
        .args((&[1u32],))
        .engine(Engine::Native);
    let mut future = Box::pin(launch.answer(|_, guess: Guess| hint(guess)).run_async());
    let waker = std::task::Waker::noop();
    let _ = future.as_mut().poll(&mut std::task::Context::from_waker(waker));
    drop(future);
}

#[routine]
fn asks_in_a_plan(x: u32) -> u32 {
    vm::ask::<u32, u32>(x) + 1
}

#[routine]
fn sum_of_answers(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[test]
fn nodes_of_plans_ask() {
    let xs: Vec<u32> = (0..500).collect();
    for engine in ENGINES {
        let mut plan = runtime().plan();
        let input = plan.input(&xs);
        let asked = plan.map("asks_in_a_plan", (input,)).unwrap();
        let sum = plan.reduce("sum_of_answers", asked).unwrap();
        plan.engine(engine).output(asked).output(sum);
        plan.answer(|vm, x: u32| {
            assert_eq!(vm, x);
            x * 3
        });
        let done = plan.run().unwrap();
        let expected: Vec<u32> = xs.iter().map(|x| x * 3 + 1).collect();
        assert_eq!(done.get::<u32>(asked).unwrap(), expected, "{engine}");
        assert_eq!(
            done.get::<u32>(sum).unwrap(),
            [expected.iter().sum::<u32>()],
            "{engine}"
        );
    }
    let mut plan = runtime().plan();
    let input = plan.input(&xs);
    let asked = plan.map("asks_in_a_plan", (input,)).unwrap();
    plan.output(asked);
    assert!(matches!(plan.run(), Err(Error::NobodyAnswers { .. })));
}

#[test]
fn steps_ask_again() {
    for engine in ENGINES {
        let mut turn = 0;
        let launch = runtime()
            .launch("asks_in_a_plan")
            .unwrap()
            .args((&[5u32, 6],))
            .engine(engine);
        let launch = launch.steps(3).answer(|_, x: u32| {
            turn += 1;
            x * 10
        });
        assert_eq!(
            launch.run().unwrap().output::<Vec<u32>>().unwrap(),
            [51, 61],
            "{engine}"
        );
        assert_eq!(turn, 6, "{engine}");
    }
}

#[test]
fn nobody_answers() {
    let line = include_str!("questions.rs")
        .lines()
        .position(|line| line.contains("match vm::ask(Guess"));
    for engine in ENGINES {
        let launch = || runtime().launch("guesses").unwrap().args((&[1u32],)).engine(engine);
        let Err(error) = launch().run() else {
            panic!("nobody answers");
        };
        let expected = format!(
            "`guesses` asks the host at {}:{}, and nobody answers: say `.answer(|vm, question: Guess| -> Hint {{ … }})`, or `.start()` it and \
             answer what `Execution::questions` gives",
            file!(),
            line.unwrap() + 1
        );
        assert_eq!(error.to_string(), expected, "{engine}");
        // An answer to something else is none.
        let other = launch().answer(|_, guess: Guess| guess.game).run();
        assert!(matches!(other, Err(Error::NobodyAnswers { .. })));
        let fewer = launch().answer_all(|_: &[Question<Guess>]| Vec::<Hint>::new()).run();
        let told = fewer.err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(
            told,
            "`.answer_all` was given 1 question and gave 0 answers; each question has one answer, in the order of the questions"
        );
    }
}

#[test]
fn a_panic_of_who_answers_is_the_caller_s() {
    for engine in ENGINES {
        let launch = runtime()
            .launch("guesses")
            .unwrap()
            .args((&[1u32, 2, 3],))
            .engine(engine);
        let launch = launch.answer(|_, _: Guess| -> Hint { std::panic::panic_any("the host gave up") });
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let ended = catch_unwind(AssertUnwindSafe(|| launch.run()));
        std::panic::set_hook(hook);
        let panic = ended.err().expect("the panic goes on");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"the host gave up"), "{engine}");
    }
}

#[routine]
fn asks_for_a_size(x: u32) -> u32 {
    vm::ask::<u32, usize>(x) as u32
}

#[test]
fn an_answer_has_to_fit() {
    for engine in ENGINES {
        let launch = || {
            runtime()
                .launch("asks_for_a_size")
                .unwrap()
                .args((&[1u32],))
                .engine(engine)
        };
        let small = launch().answer(|_, x: u32| x as usize + 1).run().unwrap();
        assert_eq!(small.output::<Vec<u32>>().unwrap(), [2]);
        let told = launch()
            .answer(|_, _: u32| usize::MAX)
            .run()
            .err()
            .map(|error| error.to_string());
        let told = told.unwrap_or_default();
        assert!(
            told.starts_with("the answer to VM 0 is or has a `usize`"),
            "{engine}: {told}"
        );
    }
}

/// Asks as often as its numbers say, and mixes what it hears.
#[routine]
fn conversation(topic: u32, turns: u32) -> u32 {
    let mut heard = topic;
    for turn in 0..turns % 6 {
        if heard & 1 == 0 {
            heard ^= vm::ask::<(u32, u32), u32>((heard, turn));
        } else if heard % 3 == 0 {
            let [a, b]: [u32; 2] = vm::ask::<u32, [u32; 2]>(heard);
            heard = a.rotate_left(b % 32);
        } else {
            heard = heard.wrapping_mul(3) ^ 1;
        }
    }
    heard
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn conversations_are_the_same_everywhere(rows in proptest::collection::vec((any::<u32>(), 0u32..20), 1..90)) {
        let (topics, turns): (Vec<u32>, Vec<u32>) = rows.iter().copied().unzip();
        let mut first: Option<Vec<u32>> = None;
        for engine in ENGINES {
            let launch = runtime().launch("conversation").unwrap().args((&topics, &turns)).engine(engine);
            let launch = launch
                .answer(|vm, (heard, turn): (u32, u32)| heard.wrapping_add(vm << turn))
                .answer_all(|questions: &[Question<u32>]| {
                    questions.iter().map(|asked| [asked.question ^ asked.vm, asked.question >> 3]).collect::<Vec<[u32; 2]>>()
                });
            let results: Vec<u32> = launch.run().unwrap().output().unwrap();
            match &first {
                None => first = Some(results),
                Some(first) => prop_assert_eq!(first, &results),
            }
        }
    }
}

#[test]
fn a_routine_that_was_built_asks() {
    let built = gpuvm::build("built_question", |f| {
        let x = f.param::<u32>("x");
        let y = f.ask::<u32, u32>(x);
        f.ret(y + x);
    });
    let built = built.unwrap();
    for engine in ENGINES {
        let launch = runtime().launch(&built).unwrap().args((&[1u32, 20],)).engine(engine);
        let results: Vec<u32> = launch.answer(|vm, x: u32| x * 2 + vm).run().unwrap().output().unwrap();
        assert_eq!(results, [3, 61], "{engine}");
    }
}
