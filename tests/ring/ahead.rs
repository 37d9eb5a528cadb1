//! Batches that are begun before it is known what became of those before: each actor still handles its messages in order, whichever of
//! them traps, stops or takes its time.

use gpuvm::ring::{Restart, Terminate};
use proptest::prelude::*;

use super::*;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Task {
    Add(u32),
    /// Takes so many turns, which are more than a batch begins with.
    Turn(u32),
    /// Traps.
    Fail,
    /// Is answered, and the last that its actor handles.
    Last,
}

#[derive(RingMessage, Clone, Copy, Default, Debug, PartialEq)]
struct Done {
    tasks: u32,
    hash: u32,
    /// The number of the last task that another actor has told of, and how many came out of order.
    told: u32,
    disorder: u32,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Work {
    Task(Task),
    Told(u32),
}

/// Does tasks, and tells the actor that has as many after it as before.
#[ring_kernel(sends = 1)]
fn worker(done: &mut Done, work: Work, ctx: &mut Ring) -> Done {
    done.tasks += 1;
    match work {
        Work::Task(Task::Add(n)) => {
            done.hash = done.hash.wrapping_mul(31).wrapping_add(n);
            let half = ctx.actors() / 2;
            if ctx.actor() < half {
                ctx.send(ctx.actor() + half, Work::Told(done.tasks));
            }
        }
        Work::Task(Task::Turn(turns)) => {
            let mut turn = 0;
            while turn < turns {
                done.hash = done.hash.rotate_left(5) ^ turn;
                turn += 1;
            }
        }
        Work::Task(Task::Fail) => assert!(done.tasks == 0, "it fails"),
        Work::Task(Task::Last) => ctx.stop(),
        Work::Told(number) => {
            if number <= done.told {
                done.disorder += 1;
            }
            done.told = number;
        }
    }
    *done
}

/// Messages that fill several batches.
const MANY: usize = 14_000;
const WORKERS: u32 = 40;

/// What an actor answers to its tasks one after the other. The others it does not do.
fn alone(tasks: &[Task], restart: Restart) -> Vec<Done> {
    let (mut done, mut answers) = (Done::default(), Vec::new());
    for task in tasks {
        match task {
            Task::Fail if restart == Restart::Fresh => {
                done = Done::default();
                continue;
            }
            Task::Fail => break,
            _ => {}
        }
        answers.push(worker(
            &mut done,
            Work::Task(*task),
            &mut Ring::new(WORKERS - 1, WORKERS),
        ));
        if *task == Task::Last {
            break;
        }
    }
    answers
}

/// All answers of each actor.
fn answers(kernel: &KernelHandle) -> Vec<Vec<Done>> {
    let mut answers = vec![Vec::new(); WORKERS as usize];
    while let Ok((actor, done)) = kernel.blocking_receive_from(Duration::ZERO) {
        answers[actor as usize].push(done);
    }
    answers
}

fn task() -> impl Strategy<Value = Task> {
    prop_oneof![
        800 => any::<u32>().prop_map(Task::Add),
        8 => (0..300u32).prop_map(Task::Turn),
        2 => Just(Task::Fail),
        1 => Just(Task::Last),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, max_shrink_iters: 4, ..ProptestConfig::default() })]

    #[test]
    fn each_actor_keeps_to_its_order(
        // To the upper half, who tell nobody.
        tasks in prop::collection::vec((WORKERS / 2..WORKERS, task()), MANY),
        fresh in any::<bool>(),
    ) {
        let restart = if fresh { Restart::Fresh } else { Restart::Stop };
        // The epoch engine has one batch at a time, and takes longer for these than all others together.
        for engine in ENGINES.into_iter().filter(|engine| *engine != Engine::Epoch) {
            let options = RingOptions { actors: WORKERS, restart, queue_capacity: MANY, ..default() };
            let kernel = launch("worker", engine, options);
            let messages = tasks.iter().map(|&(actor, task)| (actor, Work::Task(task)));
            kernel.blocking_send_all(messages).unwrap();
            kernel.blocking_activate().unwrap();
            kernel.blocking_settle().unwrap();
            let answers = answers(&kernel);
            let mut lost = 0;
            for actor in 0..WORKERS {
                let own: Vec<Task> = tasks.iter().filter(|task| task.0 == actor).map(|task| task.1).collect();
                let expected = alone(&own, restart);
                lost += own.len() - expected.len();
                prop_assert!(answers[actor as usize] == expected, "{}: actor {}", engine, actor);
            }
            let metrics = kernel.blocking_metrics().unwrap();
            prop_assert_eq!((metrics.accepted, metrics.dropped), (MANY as u64, lost as u64), "{}", engine);
            prop_assert_eq!(metrics.processed, (MANY - lost) as u64);
        }
    }
}

#[test]
fn a_batch_that_fails_loses_none_of_those_after_it() {
    // As many as make a batch here.
    const BATCH: usize = 4096;
    for engine in ENGINES.into_iter().filter(|engine| *engine != Engine::Epoch) {
        let options = RingOptions {
            actors: WORKERS,
            restart: Restart::FailKernel,
            queue_capacity: 3 * BATCH,
            ..default()
        };
        let kernel = launch("worker", engine, options);
        let send = |actor, task, count| {
            let tasks = std::iter::repeat_n((actor, Work::Task(task)), count);
            kernel.blocking_send_all(tasks).unwrap();
        };
        // One stops in the first batch, another one traps in the second, and all of the third are for the first one.
        send(20, Task::Last, 1);
        send(21, Task::Add(1), BATCH - 1);
        send(22, Task::Add(2), BATCH - 1);
        send(23, Task::Fail, 1);
        send(20, Task::Add(3), BATCH);
        kernel.blocking_activate().unwrap();
        kernel.blocking_settle().unwrap();
        assert_eq!(kernel.blocking_status().unwrap().life, Life::Failed, "{engine}");
        let metrics = kernel.blocking_metrics().unwrap();
        assert_eq!(metrics.accepted, 3 * BATCH as u64, "{engine}");
        assert_eq!(metrics.processed + metrics.dropped, metrics.accepted, "{engine}");
        assert!(metrics.dropped > BATCH as u64, "{engine}: {metrics}");
    }
}

#[test]
fn what_an_endless_batch_holds_up_is_given_up_too() {
    const COUNT: u64 = 7000;
    for engine in [Engine::Interpreter, Engine::Specialized] {
        let options = RingOptions {
            queue_capacity: COUNT as usize,
            ..actors(4)
        };
        let kernel = launch("endless", engine, options);
        // The first message of actor 0 never comes to an end.
        let deposits = (0..COUNT).map(|n| {
            (
                n as u32 % 4,
                Deposit {
                    cents: if n == 0 { 10 } else { 1 },
                },
            )
        });
        kernel.blocking_send_all(deposits).unwrap();
        kernel.blocking_activate().unwrap();
        while kernel.blocking_metrics().unwrap().in_flight < COUNT {
            std::thread::yield_now();
        }
        kernel.blocking_terminate_with(Terminate::Now).unwrap();
        let metrics = kernel.blocking_metrics().unwrap();
        assert_eq!(metrics.processed + metrics.dropped, COUNT, "{engine}");
        let letters = std::iter::from_fn(|| kernel.dead_letter());
        let closed = |letter: &gpuvm::ring::DeadLetter| {
            matches!(letter.reason(), DeadReason::NotHandled(RingError::Closed { .. }))
        };
        assert_eq!(letters.filter(closed).count() as u64, metrics.dropped, "{engine}");
    }
}

#[test]
fn what_an_actor_sends_keeps_its_order_too() {
    for engine in ENGINES {
        let options = RingOptions {
            actors: WORKERS,
            queue_capacity: MANY,
            ..default()
        };
        let kernel = launch("worker", engine, options);
        let half = WORKERS / 2;
        let tasks = (0..MANY as u32 / 3).map(|n| (n % half, Work::Task(Task::Add(n))));
        let sent = kernel.blocking_send_all(tasks).unwrap();
        kernel.blocking_activate().unwrap();
        kernel.blocking_settle().unwrap();
        let answers = answers(&kernel);
        let (teller, told) = answers.split_at(half as usize);
        for (teller, told) in teller.iter().zip(told) {
            let all = (teller.len() as u32, told.len() as u32);
            let last = told.last().unwrap();
            assert_eq!((last.tasks, last.told, last.disorder), (all.0, all.1, 0), "{engine}");
        }
        assert_eq!(
            kernel.blocking_metrics().unwrap().processed,
            2 * sent as u64,
            "{engine}"
        );
    }
}
