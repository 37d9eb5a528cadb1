//! Ring kernels: on every engine the handler gives the bits that the native function gives, nothing is lost or handled twice, and order
//! is kept, whatever is sent, trapped, paused and terminated meanwhile.

mod ahead;
mod bank;
mod bounded;
mod events;
mod exits;
mod last;
mod life;
mod link;
mod load;
mod model;
mod parcel;
mod parcel_life;
mod printing;
mod reply;
mod resident;
mod snapshots;
mod table;
mod talk;
mod told;

use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm::ring::{DeadReason, KernelHandle, Life, RingError, TrySendError};
use gpuvm::{Error, RuntimeConfig};
use gpuvm_tests::runtime;
use pollster::block_on;

/// What actors run on.
const ENGINES: [Engine; 5] = [
    Engine::Native,
    Engine::Reference,
    Engine::Interpreter,
    Engine::Epoch,
    Engine::Specialized,
];

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
    active_in(runtime(), id, engine, options)
}

/// The same where a test has several threads, each of which would get a runtime of its own.
fn active_in(runtime: &Runtime, id: &str, engine: Engine, options: RingOptions) -> KernelHandle {
    let options = RingOptions { engine, ..options };
    let kernel = runtime.blocking_launch_ring(id, options).unwrap();
    kernel.blocking_activate().unwrap();
    kernel
}

fn actors(actors: u32) -> RingOptions {
    RingOptions { actors, ..default() }
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
    kernel.blocking_settle().unwrap();
    assert_eq!(kernel.blocking_metrics().unwrap().dropped, 1);
    kernel.blocking_terminate().unwrap();
    let metrics = kernel.blocking_metrics().unwrap();
    assert_eq!((metrics.accepted, metrics.processed, metrics.dropped), (1, 1, 1));
    let letter = kernel.dead_letter().unwrap();
    assert_eq!(letter.reason(), &DeadReason::Undeliverable);
    assert!(letter.message::<Balance>().is_some());
}

/// A kernel whose actor rests until somebody receives its answer.
fn resting() -> KernelHandle {
    let options = RingOptions {
        queue_capacity: 1,
        ..actors(1)
    };
    let kernel = active("ledger", Engine::Native, options);
    kernel.blocking_send(0, Deposit { cents: 1 }).unwrap();
    kernel.blocking_settle().unwrap();
    kernel
}

#[test]
fn a_call_waits_no_longer_than_it_should() {
    let kernel = resting();
    let call = kernel.blocking_call_within::<Deposit, Balance>(0, Deposit { cents: 1 }, SHORT);
    let error = ring_error(call.unwrap_err());
    assert_eq!(
        error.to_string(),
        "a call of ring kernel `ledger` took longer than 20ms"
    );
    // The actor answers all the same in the end, and finds nobody.
    kernel.blocking_terminate().unwrap();
    assert_eq!(kernel.dead_letter().unwrap().reason(), &DeadReason::Undeliverable);
    assert!(kernel.dead_letter().is_none());
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
