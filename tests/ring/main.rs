//! Ring kernels: on every engine the handler gives the bits that the native function gives, nothing is lost or handled twice, and order
//! is kept, whatever is sent, trapped, paused and terminated meanwhile.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm::ring::{Answers, DeadReason, KernelHandle, Life, Restart, RingError, Terminate, TrySendError};
use gpuvm::{Error, RuntimeConfig};
use pollster::block_on;
use proptest::prelude::*;

/// What actors run on.
const ENGINES: [Engine; 5] = [
    Engine::Native,
    Engine::Reference,
    Engine::Interpreter,
    Engine::Epoch,
    Engine::Specialized,
];

/// The runtime that all tests share. They need a device that wgpu can open: passing without one would say of its engines what nobody has
/// checked.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::builder().backend(Backend::Wgpu).build().unwrap())
}

/// Long enough for any machine.
const LONG: Duration = Duration::from_secs(60);
/// Not long.
const SHORT: Duration = Duration::from_millis(20);

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Deposit {
    cents: u64,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Balance {
    cents: u64,
}

#[derive(VmType, Clone, Copy, Default, Debug)]
struct Account {
    cents: u64,
}

#[ring_kernel(id = "ledger")]
fn ledger(account: &mut Account, deposit: Deposit) -> Balance {
    account.cents += deposit.cents;
    Balance { cents: account.cents }
}

/// What a counter understands.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Count {
    Add(i32),
    Scale { by: f32 },
    Divide(u32),
    Nothing,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Total {
    handled: u32,
    sum: i32,
    mean: f32,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Counter {
    handled: u32,
    sum: i32,
    mean: f32,
}

impl Default for Counter {
    fn default() -> Counter {
        Counter {
            handled: 0,
            sum: 7,
            mean: 0.5,
        }
    }
}

/// Answers all but some, and traps at what it cannot divide by.
#[ring_kernel]
fn counter(state: &mut Counter, message: Count) -> Option<Total> {
    state.handled += 1;
    match message {
        Count::Add(n) => state.sum = state.sum.wrapping_add(n),
        Count::Scale { by } => {
            let mut turns = 0;
            while turns < state.handled % 5 {
                state.mean = state.mean * by + state.sum as f32 / 3.0;
                turns += 1;
            }
        }
        Count::Divide(n) => state.sum /= n as i32,
        Count::Nothing => return None,
    }
    Some(Total {
        handled: state.handled,
        sum: state.sum,
        mean: state.mean,
    })
}

/// Says nothing.
#[ring_kernel]
fn silent(state: &mut u32, message: Deposit) {
    *state += message.cents as u32;
}

/// Answers with the actor's number and how many there are.
#[ring_kernel]
fn whoami(state: &mut u32, message: Deposit) -> Deposit {
    *state += 1;
    Deposit {
        cents: vm::id() as u64 * 1000 + vm::count() as u64 + message.cents * *state as u64,
    }
}

fn launch(id: &str, engine: Engine, options: RingOptions) -> KernelHandle {
    let options = RingOptions { engine, ..options };
    runtime().blocking_launch_ring(id, options).unwrap()
}

fn active(id: &str, engine: Engine, options: RingOptions) -> KernelHandle {
    let kernel = launch(id, engine, options);
    kernel.blocking_activate().unwrap();
    kernel
}

fn actors(actors: u32) -> RingOptions {
    RingOptions { actors, ..default() }
}

/// Waits until everything that was accepted is handled or dead.
fn settle(kernel: &KernelHandle) {
    loop {
        let metrics = kernel.blocking_metrics().unwrap();
        if metrics.processed + metrics.dropped >= metrics.accepted {
            return;
        }
        std::thread::yield_now();
    }
}

fn ring_error(error: Error) -> RingError {
    match error {
        Error::Ring(error) => error,
        other => panic!("{other}"),
    }
}

async fn documented(engine: Engine) -> gpuvm::Result<()> {
    let options = RingOptions {
        actors: 1024,
        queue_capacity: 4096,
        engine,
        ..default()
    };
    let ledger = runtime().launch_ring("ledger", options).await?;
    ledger.activate().await?;
    ledger.send(17, Deposit { cents: 500 }).await?;
    let b: Balance = ledger.receive(LONG).await?;
    assert_eq!(b.cents, 500);
    let b: Balance = ledger.call(17, Deposit { cents: 1 }).await?;
    assert_eq!(b.cents, 501);
    ledger.deactivate().await?;
    let metrics = ledger.metrics().await?;
    assert_eq!(
        (metrics.processed, metrics.queued, metrics.in_flight, metrics.dropped),
        (2, 0, 0, 0)
    );
    assert!(metrics.latency.is_some() && metrics.to_string().contains("2 messages processed"));
    ledger.terminate().await?;
    assert_eq!(ledger.status().await?.life, Life::Terminated);
    Ok(())
}

#[test]
fn the_documented_example_runs_under_any_executor() {
    for engine in ENGINES {
        block_on(documented(engine)).unwrap();
    }
    let tokio = tokio::runtime::Builder::new_current_thread().build().unwrap();
    tokio.block_on(documented(Engine::Native)).unwrap();
}

#[test]
fn a_handler_is_a_function() {
    let mut account = Account { cents: 1 };
    assert_eq!(ledger(&mut account, Deposit { cents: 2 }), Balance { cents: 3 });
}

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

#[test]
fn actors_know_their_number() {
    for engine in ENGINES {
        let kernel = active("whoami", engine, actors(300));
        let sent = (0..300).flat_map(|actor| [(actor, Deposit { cents: 1 << 20 }); 2]);
        kernel.blocking_send_all(sent).unwrap();
        let mut found = Vec::new();
        while found.len() < 600 {
            kernel.blocking_receive_many::<Deposit>(&mut found, LONG).unwrap();
        }
        let answer = |actor: u32, turn: u64| {
            (
                actor,
                Deposit {
                    cents: u64::from(actor) * 1000 + 300 + (turn << 20),
                },
            )
        };
        let expected: Vec<_> = (0..300)
            .flat_map(|actor| [answer(actor, 1), answer(actor, 2)])
            .collect();
        found.sort_by_key(|(actor, _)| *actor);
        assert_eq!(found, expected, "{engine}");
    }
}

#[test]
fn a_trap_is_told_and_the_policy_followed() {
    for engine in ENGINES {
        for restart in [Restart::Stop, Restart::Fresh, Restart::FailKernel] {
            let kernel = launch(
                "counter",
                engine,
                RingOptions {
                    actors: 4,
                    restart,
                    ..default()
                },
            );
            let messages = [Count::Add(1), Count::Divide(0), Count::Add(5)];
            kernel
                .blocking_send_all((0..3).flat_map(|actor| messages.map(|message| (actor, message))))
                .unwrap();
            kernel.blocking_send(3, Count::Add(100)).unwrap();
            kernel.blocking_activate().unwrap();
            settle(&kernel);
            let survivors: Vec<(u32, i32)> =
                std::iter::from_fn(|| kernel.blocking_receive_from::<Total>(Duration::ZERO).ok())
                    .map(|(actor, total)| (actor, total.sum))
                    .collect();
            let stays = [(0, 8), (1, 8), (2, 8), (3, 107)];
            let afresh = [(0, 8), (0, 12), (1, 8), (1, 12), (2, 8), (2, 12), (3, 107)];
            let expected = if restart == Restart::Fresh {
                &afresh[..]
            } else {
                &stays[..]
            };
            assert_eq!(survivors, expected, "{engine} {restart:?}");
            let dead: Vec<_> = std::iter::from_fn(|| kernel.dead_letter()).collect();
            assert_eq!(
                dead.len(),
                if restart == Restart::Fresh { 3 } else { 6 },
                "{engine} {restart:?}"
            );
            assert_eq!(dead[0].message::<Count>(), Some(Count::Divide(0)));
            assert_eq!(dead[0].message::<Deposit>(), None);
            let told = dead[0].to_string();
            assert!(
                told.starts_with("Divide(0) to actor 0: actor 0 of ring kernel `counter` trapped at "),
                "{told}"
            );
            assert!(matches!(
                dead[0].reason(),
                DeadReason::NotHandled(RingError::Trapped { .. })
            ));
            let status = kernel.blocking_status().unwrap();
            let after = kernel.blocking_send(1, Count::Nothing).map_err(ring_error);
            match restart {
                Restart::Stop => {
                    assert_eq!((status.life, status.stopped_actors), (Life::Active, 3));
                    assert!(
                        matches!(after, Err(RingError::ActorStopped { actor: 1, .. })),
                        "{after:?}"
                    );
                }
                Restart::Fresh => assert_eq!((status.life, status.stopped_actors, after), (Life::Active, 0, Ok(()))),
                Restart::FailKernel => {
                    assert_eq!(status.life, Life::Failed);
                    assert!(status.reason.unwrap().contains("divide by zero"));
                    assert!(matches!(after, Err(RingError::Failed { .. })), "{after:?}");
                    kernel.blocking_terminate().unwrap();
                }
            }
        }
    }
}

#[test]
fn each_state_allows_what_it_should() {
    let kernel = launch("ledger", Engine::Native, actors(2));
    let message = Deposit { cents: 1 };
    let forbidden = |result: gpuvm::Result<()>, call: &str, found: Life| match result.map_err(ring_error) {
        Err(RingError::State {
            call: told, found: is, ..
        }) => assert_eq!((told, is), (call, found)),
        other => panic!("{call} in {found}: {other:?}"),
    };
    let call = || kernel.blocking_call::<Balance>(0, message).map(|_| ());
    // Launched: messages wait.
    forbidden(kernel.blocking_deactivate(), "deactivate", Life::Launched);
    forbidden(call(), "call", Life::Launched);
    kernel.blocking_send(0, message).unwrap();
    assert!(kernel.try_receive::<Balance>().unwrap().is_none());
    assert_eq!(kernel.blocking_metrics().unwrap().queued, 1);
    kernel.blocking_activate().unwrap();
    forbidden(kernel.blocking_activate(), "activate", Life::Active);
    assert_eq!(kernel.blocking_receive::<Balance>(LONG).unwrap().cents, 1);
    call().unwrap();
    kernel.blocking_deactivate().unwrap();
    forbidden(kernel.blocking_deactivate(), "deactivate", Life::Deactivated);
    forbidden(call(), "call", Life::Deactivated);
    kernel.blocking_send(0, message).unwrap();
    let timeout = kernel.blocking_receive::<Balance>(SHORT).map_err(ring_error);
    assert!(
        matches!(timeout, Err(RingError::Timeout { after: SHORT, .. })),
        "{timeout:?}"
    );
    // Terminating drains what waits, also of a kernel that rests.
    kernel.blocking_terminate().unwrap();
    assert_eq!(kernel.blocking_receive::<Balance>(LONG).unwrap().cents, 3);
    for (result, call) in [
        (kernel.blocking_receive::<Balance>(LONG).map(|_| ()), "receive"),
        (kernel.blocking_send(0, message), "send"),
        (call(), "call"),
        (kernel.blocking_activate(), "activate"),
        (kernel.blocking_deactivate(), "deactivate"),
        (kernel.blocking_terminate(), "terminate"),
    ] {
        forbidden(result, call, Life::Terminated);
    }
    let refused = kernel.try_send(0, message).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`try_send` needs ring kernel `ledger` to be launched, active or deactivated, and it is terminated"
    );
    assert_eq!(refused.into_message(), message);
}

#[test]
fn what_does_not_fit_is_refused() {
    let kernel = active("ledger", Engine::Native, actors(2));
    let deposit = Deposit { cents: 5 };
    let bytes: Vec<u8> = 5u64.to_le_bytes().to_vec();
    let send = |actor: u32, id: u64, bytes: &[u8]| kernel.blocking_send_bytes(actor, id, bytes).map_err(ring_error);
    let told = |result: Result<(), RingError>| result.unwrap_err().to_string();
    assert_eq!(
        told(send(2, Deposit::ID, &bytes)),
        "ring kernel `ledger` has 2 actors, numbered from 0, and actor 2 was named"
    );
    assert!(told(send(0, 7, &bytes)).ends_with("understand `Deposit`, and were sent `type 0x0000000000000007`"));
    assert_eq!(
        told(send(0, Deposit::ID, &bytes[1..])),
        "these bytes are no `Deposit`: 7 bytes are no whole number of words"
    );
    assert_eq!(
        told(send(0, Deposit::ID, &bytes[4..])),
        "these bytes are no `Deposit`: `Deposit` has 2 words, and 1 came"
    );
    assert!(told(send(0, Deposit::ID, &vec![0; 1 << 20])).contains("262144 came"));
    let wrong = kernel.blocking_send(0, Count::Nothing).map_err(ring_error);
    assert!(told(wrong).ends_with("understand `Deposit`, and were sent `Count`"));
    let wrong = kernel.blocking_receive::<Deposit>(LONG).map(|_| ()).map_err(ring_error);
    assert!(told(wrong).ends_with("answer with `Balance`, and `Deposit` was asked for"));
    // What was refused has disturbed nobody.
    send(1, Deposit::ID, &bytes).unwrap();
    assert_eq!(
        kernel.blocking_receive_from::<Balance>(LONG).unwrap(),
        (1, Balance { cents: 5 })
    );
    assert_eq!(kernel.blocking_metrics().unwrap().accepted, 1);
    // Of many, those before the one that is refused are taken.
    let many = [(0, deposit), (1, deposit), (9, deposit), (0, deposit)];
    let error = ring_error(kernel.blocking_send_all(many).unwrap_err());
    assert!(matches!(error, RingError::Interrupted { sent: 2, .. }), "{error}");
    let quiet = active("silent", Engine::Native, actors(1));
    let wrong = quiet.try_receive::<Balance>().map(|_| ()).map_err(ring_error);
    assert!(told(wrong).ends_with("answer with nothing, and `Balance` was asked for"));
    let counts = active("counter", Engine::Native, actors(1));
    let tag = [9u32, 0].map(u32::to_le_bytes).concat();
    let bad = counts.blocking_send_bytes(0, Count::ID, &tag).map_err(ring_error);
    assert!(told(bad).ends_with("word 0 is 0x9, which is no `Count`"));
    for (id, options, expected) in [
        (
            "ledgre",
            actors(1),
            "no ring kernel has the id `ledgre`; did you mean `ledger`?",
        ),
        (
            "ledger",
            actors(0),
            "ring kernel `ledger` cannot be launched with no actors; give it 1 or more",
        ),
    ] {
        let error = runtime().blocking_launch_ring(id, options).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn full_queues_hold_up_who_sends() {
    for engine in [Engine::Native, Engine::Interpreter] {
        let options = RingOptions {
            actors: 3,
            queue_capacity: 8,
            ..default()
        };
        let kernel = launch("ledger", engine, options);
        let one = Deposit { cents: 1 };
        (0..8).for_each(|_| kernel.try_send(0, one).unwrap());
        assert!(matches!(kernel.try_send(0, one), Err(TrySendError::Full(_))));
        let sender = kernel.clone();
        let sending = std::thread::spawn(move || sender.blocking_send_all((0..100).map(|_| (0, one))).unwrap());
        kernel.blocking_activate().unwrap();
        // Nobody receives, so there come to be as many answers as there is room for, and no more than another batch.
        std::thread::sleep(SHORT);
        let metrics = kernel.blocking_metrics().unwrap();
        assert!(
            metrics.unreceived <= 16 && metrics.queued <= 8 && metrics.most_queued <= 8,
            "{metrics:?}"
        );
        for cents in 1..=108 {
            assert_eq!(
                kernel.blocking_receive::<Balance>(LONG).unwrap(),
                Balance { cents },
                "{engine}"
            );
        }
        assert_eq!(sending.join().unwrap(), 100);
        // Where answers are not wanted, they hold up nobody.
        let discarding = RingOptions {
            actors: 3,
            queue_capacity: 8,
            answers: Answers::Discard,
            ..default()
        };
        let kernel = active("ledger", engine, discarding);
        kernel.blocking_send_all((0..200).map(|_| (1, one))).unwrap();
        assert_eq!(kernel.blocking_call::<Balance>(1, one).unwrap().cents, 201);
        assert_eq!(kernel.blocking_metrics().unwrap().unreceived, 0);
    }
}

#[test]
fn a_thousand_calls_get_their_own_answers() {
    for engine in [Engine::Native, Engine::Specialized] {
        let kernel = active("whoami", engine, actors(1000));
        let tokio = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(4)
            .build()
            .unwrap();
        tokio.block_on(async {
            let call = |actor: u32| {
                let kernel = kernel.clone();
                tokio::spawn(async move {
                    for turn in 1..=3u64 {
                        let cents = u64::from(actor) << 32;
                        let answer: Deposit = kernel.call(actor, Deposit { cents }).await.unwrap();
                        assert_eq!(answer.cents, u64::from(actor) * 1000 + 1000 + cents * turn);
                    }
                })
            };
            for caller in (0..1000).map(call).collect::<Vec<_>>() {
                caller.await.unwrap();
            }
        });
        assert_eq!(kernel.blocking_metrics().unwrap().processed, 3000);
    }
}

#[test]
fn a_million_messages_are_each_accounted_for() {
    const THREADS: u64 = 8;
    const EACH: u64 = 125_000;
    let options = RingOptions {
        actors: 10_000,
        queue_capacity: 1 << 16,
        ..default()
    };
    let kernel = active("ledger", Engine::Native, options);
    let send = |thread: u64| {
        let kernel = kernel.clone();
        // Each thread sends its number in a digit of its own.
        let deposit = Deposit {
            cents: 1 << (8 * thread),
        };
        move || {
            let to = (0..EACH).map(|i| ((i * 7 % 10_000) as u32, deposit));
            match thread % 2 {
                0 => assert_eq!(kernel.blocking_send_all(to).unwrap(), EACH as usize),
                _ => to.for_each(|(actor, deposit)| kernel.blocking_send(actor, deposit).unwrap()),
            }
        }
    };
    let threads: Vec<_> = (0..THREADS).map(|thread| std::thread::spawn(send(thread))).collect();
    let (mut last, mut count) = (vec![0; 10_000], 0);
    let mut found = Vec::new();
    while count < THREADS * EACH {
        found.clear();
        count += kernel.blocking_receive_many::<Balance>(&mut found, LONG).unwrap() as u64;
        for (actor, balance) in &found {
            let before = std::mem::replace(&mut last[*actor as usize], balance.cents);
            // One more of one thread, and in order.
            assert!((balance.cents - before).is_power_of_two());
        }
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(
        last.iter()
            .all(|cents| *cents == 0x0d0d_0d0d_0d0d_0d0d || *cents == 0x0c0c_0c0c_0c0c_0c0c)
    );
    let metrics = kernel.blocking_metrics().unwrap();
    assert_eq!((metrics.processed, metrics.dropped), (THREADS * EACH, 0));
}

#[test]
fn ending_a_kernel_under_load_drains_or_reports() {
    for engine in [Engine::Native, Engine::Interpreter] {
        for how in [Terminate::Drain, Terminate::Now] {
            let options = RingOptions {
                actors: 100,
                queue_capacity: 1 << 14,
                answers: Answers::Discard,
                ..default()
            };
            let kernel = active("ledger", engine, options);
            let sender = kernel.clone();
            let sending = std::thread::spawn(move || {
                let all = (0..1_000_000u32).map(|i| (i % 100, Deposit { cents: 1 }));
                match ring_error(sender.blocking_send_all(all).unwrap_err()) {
                    RingError::Interrupted { sent, error } => {
                        assert!(matches!(*error, RingError::State { .. }), "{error}");
                        sent as u64
                    }
                    other => panic!("{other}"),
                }
            });
            while kernel.blocking_metrics().unwrap().processed == 0 {
                std::thread::yield_now();
            }
            kernel.blocking_terminate_with(how).unwrap();
            let sent = sending.join().unwrap();
            let metrics = kernel.blocking_metrics().unwrap();
            assert_eq!(
                (metrics.accepted, metrics.processed + metrics.dropped),
                (sent, sent),
                "{engine} {how:?}"
            );
            if how == Terminate::Drain {
                assert_eq!(metrics.dropped, 0, "{engine}");
            }
            let dead = std::iter::from_fn(|| kernel.dead_letter()).count() as u64;
            assert_eq!(dead, metrics.dropped);
        }
    }
}

#[test]
fn a_stream_ends_with_its_kernel() {
    let kernel = active("ledger", Engine::Native, actors(1));
    let mut stream = kernel.stream::<Balance>();
    kernel
        .blocking_send_all((0..5).map(|_| (0, Deposit { cents: 2 })))
        .unwrap();
    let mut found = Vec::new();
    block_on(async {
        while let Some(balance) = futures_lite::StreamExt::next(&mut stream).await {
            found.push(balance.unwrap().cents);
            if found.len() == 5 {
                kernel.terminate().await.unwrap();
            }
        }
    });
    assert_eq!(found, [2, 4, 6, 8, 10]);
}

#[test]
fn a_call_that_nobody_waits_for_is_a_dead_letter() {
    let kernel = active("slow", Engine::Native, actors(1));
    {
        let mut call = std::pin::pin!(kernel.call::<Balance>(0, Deposit { cents: 10_000_000 }));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(call.as_mut().poll(&mut context).is_pending());
    }
    kernel.blocking_terminate().unwrap();
    let metrics = kernel.blocking_metrics().unwrap();
    assert_eq!((metrics.accepted, metrics.processed, metrics.dropped), (1, 1, 1));
    let letter = kernel.dead_letter().unwrap();
    assert_eq!(letter.reason(), &DeadReason::Undeliverable);
    assert!(letter.message::<Balance>().is_some());
}

#[test]
fn a_call_waits_no_longer_than_it_should() {
    let kernel = active("slow", Engine::Native, actors(1));
    // It is at work when the call comes.
    kernel.blocking_send(0, Deposit { cents: 100_000_000 }).unwrap();
    let call = kernel.blocking_call_within::<Deposit, Balance>(0, Deposit { cents: 1 }, SHORT);
    let error = ring_error(call.unwrap_err());
    assert_eq!(error.to_string(), "a call of ring kernel `slow` took longer than 20ms");
}

/// Takes its time.
#[ring_kernel]
fn slow(state: &mut u64, message: Deposit) -> Balance {
    let mut i = 0;
    while i < message.cents {
        *state = (*state ^ i).wrapping_mul(3);
        i += 1;
    }
    Balance { cents: *state }
}

#[test]
fn kernels_come_and_go() {
    for (engine, turns) in [(Engine::Native, 1000), (Engine::Interpreter, 50)] {
        for turn in 0..turns {
            let kernel = active("ledger", engine, actors(1000));
            let cents = turn % 7;
            assert_eq!(
                kernel.blocking_call::<Balance>(999, Deposit { cents }).unwrap().cents,
                cents
            );
            // Dropping the last handle ends it as well.
            if turn % 2 == 0 {
                kernel.blocking_terminate().unwrap();
            }
        }
    }
}

#[test]
fn a_runtime_says_what_kernels_have_in_common() {
    let config = RuntimeConfig {
        queue_capacity: 2,
        telemetry: false,
        ..default()
    };
    let runtime = Runtime::builder().backend(Backend::Cpu).config(config).build().unwrap();
    let kernel = runtime.blocking_launch_ring("ledger", actors(1)).unwrap();
    assert_eq!(kernel.blocking_status().unwrap().engine, Engine::Native);
    (0..2).for_each(|_| kernel.try_send(0, Deposit { cents: 1 }).unwrap());
    assert!(matches!(
        kernel.try_send(0, Deposit { cents: 1 }),
        Err(TrySendError::Full(_))
    ));
    kernel.blocking_activate().unwrap();
    kernel.blocking_receive::<Balance>(LONG).unwrap();
    assert_eq!(kernel.blocking_metrics().unwrap().latency, None);
}

/// What an account of the bank understands.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Order {
    /// Give another account so much.
    Transfer {
        to: u32,
        cents: u32,
    },
    /// Take so much.
    Take {
        cents: u32,
        at: u64,
    },
    /// Tell how much there is.
    Tell,
    /// Split everything among so many of the next accounts.
    Split {
        among: u32,
    },
    Close,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Purse {
    cents: u32,
    taken: u32,
    last: u64,
}

impl Default for Purse {
    fn default() -> Purse {
        Purse {
            cents: 1000,
            taken: 0,
            last: 0,
        }
    }
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Told {
    actor: u32,
    cents: u32,
    taken: u32,
}

#[ring_kernel(id = "bank", sends = 5)]
fn bank(purse: &mut Purse, order: Order, ctx: &mut Ring) -> Option<Told> {
    let now = ctx.now();
    match order {
        Order::Transfer { to, cents } => {
            if cents <= purse.cents {
                purse.cents -= cents;
                ctx.send(to, Order::Take { cents, at: now });
            }
            None
        }
        Order::Take { cents, at } => {
            assert!(now > at, "a message is handled after it was sent");
            purse.last = now;
            purse.cents += cents;
            purse.taken += 1;
            None
        }
        Order::Split { among } => {
            let share = purse.cents / (among + 1);
            for i in 0..among {
                ctx.send(
                    (ctx.actor() + 1 + i) % ctx.actors(),
                    Order::Take { cents: share, at: now },
                );
                purse.cents -= share;
            }
            None
        }
        Order::Tell => Some(Told {
            actor: ctx.actor(),
            cents: purse.cents,
            taken: purse.taken,
        }),
        Order::Close => {
            ctx.stop();
            Some(Told {
                actor: ctx.actor(),
                cents: purse.cents,
                taken: purse.taken,
            })
        }
    }
}

#[test]
fn actors_send_each_other_messages() {
    const ACTORS: u32 = 70;
    let transfer = |i: u32| {
        (
            i * 31 % ACTORS,
            Order::Transfer {
                to: i * 17 % ACTORS,
                cents: i * 7 % 90,
            },
        )
    };
    let split = |i: u32| (i * 3 % ACTORS, Order::Split { among: i % 6 });
    let orders: Vec<_> = (0..700).map(transfer).chain((0..40).map(split)).collect();
    let tells = (0..ACTORS).map(|actor| (actor, Order::Tell));
    // The orders are one batch, and what they send the next.
    let mut purses = vec![Purse::default(); ACTORS as usize];
    let mut sent = Vec::new();
    for actor in 0..ACTORS {
        for (_, order) in orders.iter().filter(|(to, _)| *to == actor) {
            let mut ctx = Ring::new(actor, ACTORS);
            assert_eq!(bank(&mut purses[actor as usize], *order, &mut ctx), None);
            sent.extend(ctx.sent::<Order>());
        }
    }
    for (to, order) in &sent {
        let Order::Take { cents, .. } = order else {
            panic!("{order:?} was sent");
        };
        purses[*to as usize].cents += cents;
        purses[*to as usize].taken += 1;
    }
    let told = |(actor, purse): (u32, &Purse)| Told {
        actor,
        cents: purse.cents,
        taken: purse.taken,
    };
    let expected: Vec<Told> = (0..).zip(&purses).map(told).collect();
    for engine in ENGINES {
        let kernel = launch("bank", engine, actors(ACTORS));
        kernel.blocking_send_all(orders.iter().copied()).unwrap();
        kernel.blocking_activate().unwrap();
        settle(&kernel);
        let metrics = kernel.blocking_metrics().unwrap();
        assert_eq!(metrics.accepted, (orders.len() + sent.len()) as u64, "{engine}");
        assert_eq!(metrics.dropped, 0, "{engine}: {:?}", kernel.dead_letter());
        kernel.blocking_send_all(tells.clone()).unwrap();
        settle(&kernel);
        let mut told: Vec<Told> = std::iter::from_fn(|| kernel.try_receive().unwrap()).collect();
        told.sort_by_key(|told| told.actor);
        assert_eq!(
            told.iter().map(|told| told.cents).sum::<u32>(),
            1000 * ACTORS,
            "{engine}"
        );
        assert_eq!(told, expected, "{engine}");
    }
}

#[test]
fn an_actor_that_sends_too_much_or_nowhere_is_told() {
    for engine in ENGINES {
        let kernel = launch("bank", engine, actors(10));
        let split = |actor: u32, among: u32| (actor, Order::Split { among });
        let nowhere = (2, Order::Transfer { to: 99, cents: 3 });
        kernel
            .blocking_send_all([split(0, 5), split(1, 6), nowhere, split(1, 1)])
            .unwrap();
        kernel.blocking_activate().unwrap();
        settle(&kernel);
        let dead: Vec<String> = std::iter::from_fn(|| kernel.dead_letter())
            .map(|letter| letter.to_string())
            .collect();
        assert_eq!(dead.len(), 4, "{engine}: {dead:?}");
        let told = |text: &str| dead.iter().filter(|dead| dead.contains(text)).count();
        assert_eq!(
            told("an actor sent more messages for one than its ring kernel says"),
            1,
            "{dead:?}"
        );
        assert_eq!(told("main.rs:"), 1, "{dead:?}");
        // Its own next message, and what actor 0 has sent it.
        assert_eq!(told("actor 1 of ring kernel `bank` has stopped"), 2, "{dead:?}");
        assert_eq!(
            told("10 actors, numbered from 0, and actor 99 was named"),
            1,
            "{dead:?}"
        );
        // What was sent before the trap was sent: five of each.
        assert_eq!(kernel.blocking_metrics().unwrap().accepted, 4 + 5 + 5 + 1, "{engine}");
    }
}

#[test]
fn an_actor_can_stop_itself() {
    for engine in ENGINES {
        let kernel = launch("bank", engine, actors(3));
        kernel
            .blocking_send_all([(0, Order::Tell), (0, Order::Close), (0, Order::Tell), (1, Order::Tell)])
            .unwrap();
        kernel.blocking_activate().unwrap();
        settle(&kernel);
        let told: Vec<Told> = std::iter::from_fn(|| kernel.try_receive().unwrap()).collect();
        assert_eq!(
            told.iter().map(|told| told.actor).collect::<Vec<_>>(),
            [0, 0, 1],
            "{engine}"
        );
        assert_eq!(kernel.dead_letter().unwrap().message(), Some(Order::Tell));
        let refused = ring_error(kernel.blocking_send(0, Order::Tell).unwrap_err());
        assert!(matches!(refused, RingError::ActorStopped { actor: 0, .. }), "{engine}");
        assert_eq!(kernel.blocking_status().unwrap().stopped_actors, 1);
    }
}
