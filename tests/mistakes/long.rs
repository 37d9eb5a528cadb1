//! A launch that does not end on the native engine, which nothing stops there: it is told how to bound it.

use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use gpuvm::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber, subscriber};

use super::runtime;

/// Warnings about `patient`: other tests' launches may take as long where the machine is slow.
static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Listener;

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("gpuvm_runtime::native") && *metadata.level() == Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        struct Message;
        impl Visit for Message {
            fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
                let message = format!("{value:?}");
                if field.name() == "message" && message.contains("`patient`") {
                    TOLD.lock().unwrap().push(message);
                }
            }
        }
        event.record(&mut Message);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Goes on until somebody else says that it is enough.
#[routine]
fn patient(enough: &[AtomicU32]) -> u32 {
    let mut turns = 0u32;
    while enough[0].load(Ordering::Relaxed) == 0 {
        turns = turns.wrapping_add(1);
    }
    turns
}

#[test]
fn a_launch_that_does_not_end_is_told_how_to_be_bounded() {
    subscriber::set_global_default(Listener).unwrap();
    let enough = [AtomicU32::new(0)];
    std::thread::scope(|scope| {
        let launch = runtime().launch("patient").unwrap().args((&enough,)).vms(1);
        let running = scope.spawn(|| launch.engine(Engine::Native).run());
        while TOLD.lock().unwrap().is_empty() && !running.is_finished() {
            std::thread::sleep(Duration::from_millis(50));
        }
        enough[0].store(1, Ordering::Relaxed);
        running.join().unwrap().unwrap();
    });
    assert_eq!(
        *TOLD.lock().unwrap(),
        [
            "`patient` has run for 10s on the native engine, which cannot stop it; if it may never end, bound it with \
          `.budget(Budget::time(…))`, and an engine that can stop runs it"
        ]
    );
}
