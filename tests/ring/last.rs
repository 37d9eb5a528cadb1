//! What dropping the last handle does: nothing of the kernel is at work any more, wherever the handle is dropped and whatever the actors are at.

use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake};
use std::time::{Duration, Instant};

use gpuvm::RuntimeConfig;
use gpuvm::prelude::*;

use super::{Balance, Deposit, LONG, SHORT, active, actors};

fn patient_for(termination_timeout: Duration) -> Runtime {
    let config = RuntimeConfig {
        termination_timeout,
        ..default()
    };
    Runtime::builder()
        .backend(Backend::Wgpu)
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

/// A call that was not answered yet.
type Call = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Drops the call, and the handle that is in it, as soon as its answer has come; then says so.
struct DropCall(Mutex<Option<Call>>, Sender<()>);

impl Wake for DropCall {
    fn wake(self: Arc<DropCall>) {
        drop(self.0.lock().unwrap().take());
        self.1.send(()).unwrap();
    }
}

#[test]
fn the_pump_itself_may_drop_it() {
    let kernel = active("slow", Engine::Native, actors(1));
    // It is at work when the call comes, so nobody looks for the answer before it wakes somebody.
    kernel.blocking_send(0, Deposit { cents: 1_000_000 }).unwrap();
    let mut call: Call = Box::pin(async move {
        let answer = kernel.call::<Balance>(0, Deposit { cents: 1 }).await;
        unreachable!("nobody looked for {answer:?}");
    });
    let (dropped, told) = channel();
    let waker = Arc::new(DropCall(Mutex::new(None), dropped));
    let mut own = waker.0.lock().unwrap();
    assert!(
        call.as_mut()
            .poll(&mut Context::from_waker(&Arc::clone(&waker).into()))
            .is_pending()
    );
    *own = Some(call);
    drop(own);
    // It does not wait there for the thread that it is on.
    told.recv_timeout(Duration::from_secs(5)).unwrap();
}
