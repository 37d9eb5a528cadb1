//! What VMs print is told where a user looks for it: through `tracing`, with fields, or on `stderr`; and so is how much of it is not kept.

use std::fmt::Debug;
use std::process::Command;
use std::sync::{Arc, Mutex};

use gpuvm::prelude::*;
use gpuvm::{LogLimit, log};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, subscriber};

use super::{ENGINES, runtime};

#[routine]
fn aloud(x: u32) -> u32 {
    println!("{x} of {}", vm::count());
    if x > 3 {
        log!(Level::Warn, "{x} is a lot");
    }
    x
}

const LIMIT: LogLimit = LogLimit { of_a_vm: 1, in_all: 10 };

fn launch() -> gpuvm::Launch<'static> {
    runtime().launch("aloud").unwrap().args((&[3u32, 4],)).log_limit(LIMIT)
}

/// The fields of each event, as text.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<String>>>);

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "gpuvm::log"
    }

    fn event(&self, event: &Event<'_>) {
        struct Fields(String);
        impl Visit for Fields {
            fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
                let value = format!("{value:?}").replace(file!(), "FILE");
                self.0 += &format!(" {}={value}", field.name());
            }
        }
        let mut fields = Fields(event.metadata().level().to_string());
        event.record(&mut fields);
        self.0.lock().unwrap().push(fields.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn tracing_has_the_place_as_fields() {
    for engine in ENGINES {
        let listener = Listener::default();
        let done = subscriber::with_default(listener.clone(), || launch().engine(engine).run().unwrap());
        assert_eq!(done.logs().dropped(), 1, "{engine}");
        assert_eq!(
            *listener.0.lock().unwrap(),
            [
                "INFO message=3 of 2 routine=\"aloud\" vm=0 file=\"FILE\" line=17",
                "INFO message=4 of 2 routine=\"aloud\" vm=1 file=\"FILE\" line=17",
                "WARN message=1 more texts that VMs of `aloud` printed are not kept: `.log_limit(…)` of the launch says how many are \
                 routine=\"aloud\" dropped=1",
            ],
            "{engine}"
        );
    }
}

/// What a process without a subscriber prints: this test in one of its own, in which no other has set any.
#[test]
fn stderr_has_it_where_nobody_listens() {
    const CHILD: &str = "GPUVM_PRINTED_CHILD";
    if std::env::var_os(CHILD).is_some() {
        for engine in ENGINES {
            launch().engine(engine).run().unwrap();
        }
        return;
    }
    let own = std::env::current_exe().unwrap();
    let child = Command::new(own)
        .args(["--exact", "printed::stderr_has_it_where_nobody_listens", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let told = String::from_utf8(child.stderr).unwrap();
    assert!(child.status.success(), "{told}");
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("VM")).collect();
    let of_one = [
        format!("[VM 0 {}:17] 3 of 2", file!()),
        format!("[VM 1 {}:17] 4 of 2", file!()),
        "gpuvm: 1 more texts that VMs of `aloud` printed are not kept: `.log_limit(…)` of the launch says how many are"
            .to_string(),
    ];
    let expected: Vec<&str> = of_one.iter().map(String::as_str).cycle().take(lines.len()).collect();
    assert_eq!(lines, expected);
    assert_eq!(lines.len(), 3 * ENGINES.len());
}
