//! What a kernel tells `tracing` of its life.

use std::fmt::{Debug, Write};
use std::sync::{Mutex, Once};

use gpuvm::prelude::*;
use gpuvm::ring::Restart;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, subscriber};

use super::active;

/// What was told, a line each, by all kernels of the process.
static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Listener;

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("gpuvm_runtime::ring")
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        TOLD.lock().unwrap().push(line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// An event as text: its level, and its fields without their names.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
        write!(self.0, ", {value:?}").unwrap();
    }

    fn record_str(&mut self, _: &Field, value: &str) {
        write!(self.0, ", {value}").unwrap();
    }
}

/// What an actor is to do.
#[derive(RingMessage, Clone, Copy, Debug)]
enum Step {
    Stop,
    Trap,
}

#[ring_kernel]
fn told(_: &mut u32, step: Step, ctx: &mut Ring) {
    match step {
        Step::Stop => ctx.stop(),
        Step::Trap => panic!("it was to trap"),
    }
}

#[ring_kernel]
fn told_of_failure(_: &mut u32, _: Step) {
    panic!("it was to trap")
}

/// Listens to all kernels of the process from now on.
pub fn listen() {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| subscriber::set_global_default(Listener).unwrap());
}

/// What a kernel of this id has told, in order.
pub fn told_by(id: &str) -> Vec<String> {
    let told = TOLD.lock().unwrap();
    told.iter()
        .filter(|line| line.split(", ").any(|part| part == id))
        .cloned()
        .collect()
}

#[test]
fn each_step_of_a_life_is_told() {
    listen();
    let options = RingOptions { actors: 3, ..default() };
    let kernel = active("told", Engine::Native, options.clone());
    kernel.blocking_send_all([(0, Step::Stop), (1, Step::Trap)]).unwrap();
    kernel.blocking_settle().unwrap();
    kernel.blocking_deactivate().unwrap();
    kernel.blocking_terminate().unwrap();
    let expected = [
        "INFO, ring kernel launched, told",
        "INFO, ring kernel activated, told",
        "WARN, actor trapped, told, 1, actor 1 of ring kernel `told` trapped at ",
        "DEBUG, actor stopped, told, 0",
        "DEBUG, actor stopped, told, 1",
        "DEBUG, dead letter, told, 1, Trap to actor 1: ",
        "INFO, ring kernel deactivated, told",
        "INFO, ring kernel terminating, told",
        "INFO, ring kernel terminated, told",
    ];
    assert_told("told", &expected);
    let failing = RingOptions {
        restart: Restart::FailKernel,
        ..options
    };
    let kernel = active("told_of_failure", Engine::Native, failing);
    kernel.blocking_send(2, Step::Trap).unwrap();
    kernel.blocking_settle().unwrap();
    kernel.blocking_terminate().unwrap();
    let expected = [
        "INFO, ring kernel launched, told_of_failure",
        "INFO, ring kernel activated, told_of_failure",
        "WARN, actor trapped, told_of_failure, 2",
        "DEBUG, dead letter, told_of_failure, 2, Trap to actor 2: ",
        "ERROR, ring kernel failed, told_of_failure, actor 2 of ring kernel `told_of_failure` trapped at ",
        "INFO, ring kernel terminated, told_of_failure",
    ];
    assert_told("told_of_failure", &expected);
}

fn assert_told(id: &str, expected: &[&str]) {
    let told = told_by(id);
    let agree = told.len() == expected.len() && told.iter().zip(expected).all(|(told, start)| told.starts_with(start));
    assert!(agree, "{told:#?}");
}
