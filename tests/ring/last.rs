//! What dropping the last handle does: nothing of the kernel is at work any more, wherever the handle is dropped and whatever the actors are at.

use std::future::{pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake};
use std::time::{Duration, Instant};

use gpuvm::RuntimeConfig;
use gpuvm::prelude::*;

use super::{Balance, Deposit, LONG, SHORT, actors, resting};

fn patient_for(termination_timeout: Duration) -> Runtime {
    let config = RuntimeConfig {
        termination_timeout,
        ..default()
    };
    Runtime::builder()
        .backend(gpuvm_tests::gpu_backend())
        .config(config)
        .build()
        .unwrap()
}

fn active_on(runtime: &Runtime, id: &str) -> KernelHandle {
    let options = RingOptions {
        engine: Engine::Interpreter,
        ..actors(1000)
    };
    let kernel = runtime.blocking_launch_ring(id, options).unwrap();
    kernel.blocking_activate().unwrap();
    assert!(runtime.memory().data > 0);
    kernel
}

#[test]
fn the_device_has_nothing_of_it_afterwards() {
    let runtime = patient_for(LONG);
    for _ in 0..10 {
        let kernel = active_on(&runtime, "ledger");
        let messages = (0..4000).map(|i| (i % 1000, Deposit { cents: 1 }));
        kernel.blocking_send_all(messages).unwrap();
        drop(kernel);
        let left = runtime.memory();
        assert_eq!((left.data, left.work), (0, 0));
    }
}

#[test]
fn a_handler_that_never_ends_is_given_up() {
    let runtime = patient_for(SHORT);
    // Nothing is given up while the device's driver compiles what it has not seen yet.
    let first = active_on(&runtime, "ledger");
    let answer = first.blocking_call_within::<Deposit, Balance>(0, Deposit { cents: 1 }, LONG);
    assert_eq!(answer.unwrap(), Balance { cents: 1 });
    drop(first);
    let kernel = active_on(&runtime, "endless");
    kernel.blocking_send(1, Deposit { cents: 10 }).unwrap();
    while kernel.blocking_metrics().unwrap().in_flight == 0 {
        std::thread::yield_now();
    }
    let begin = Instant::now();
    drop(kernel);
    assert!(begin.elapsed() >= SHORT);
    let left = runtime.memory();
    assert_eq!((left.data, left.work), (0, 0));
}

/// A task with a handle in it.
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Drops the task on whatever thread wakes it, and says so.
struct DropTask(Mutex<Option<Task>>, Sender<()>);

impl Wake for DropTask {
    fn wake(self: Arc<DropTask>) {
        drop(self.0.lock().unwrap().take());
        self.1.send(()).unwrap();
    }
}

#[test]
fn the_pump_itself_may_drop_it() {
    let kernel = resting();
    let mut task: Task = Box::pin(async move {
        let mut call = pin!(kernel.call::<Balance>(0, Deposit { cents: 1 }));
        let is_pending = poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_pending()));
        assert!(is_pending.await);
        assert!(kernel.try_receive::<Balance>().unwrap().is_some());
        pending().await
    });
    let (dropped, told) = channel();
    let waker = Arc::new(DropTask(Mutex::new(None), dropped));
    let mut place = waker.0.lock().unwrap();
    let polled = task.as_mut().poll(&mut Context::from_waker(&Arc::clone(&waker).into()));
    assert!(polled.is_pending());
    *place = Some(task);
    drop(place);
    // The pump does not wait there for the thread that it is on.
    told.recv_timeout(Duration::from_secs(5)).unwrap();
}
