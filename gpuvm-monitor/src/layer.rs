//! What a program tells through `tracing`, among the lines of the monitor.

use std::fmt::{Debug, Write};

use gpuvm_runtime::Level;
use gpuvm_runtime::activity::Activity;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::Context;

/// A layer of a `tracing` subscriber that shows the program's own events beside what VMs print. What gpuvm tells is shown without it.
///
/// ```
/// use gpuvm::activity::Activity;
/// use tracing_subscriber::prelude::*;
///
/// Activity::watch(); // what a monitor does when it is served
/// tracing_subscriber::registry().with(gpuvm_monitor::Layer).init();
/// tracing::info!(day = 3, "the market opens");
/// let activity = Activity::now();
/// let last = activity.lines.last().expect("a line");
/// assert_eq!(last.text, "the market opens day=3");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Layer;

impl<S: Subscriber> tracing_subscriber::Layer<S> for Layer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let target = event.metadata().target();
        // gpuvm's crates, and what VMs print.
        if target == "gpuvm" || target.starts_with("gpuvm::") || target.starts_with("gpuvm_") {
            return;
        }
        let level = match *event.metadata().level() {
            tracing::Level::ERROR => Level::Error,
            tracing::Level::WARN => Level::Warn,
            tracing::Level::INFO => Level::Info,
            tracing::Level::DEBUG => Level::Debug,
            tracing::Level::TRACE => Level::Trace,
        };
        let mut text = Text::default();
        event.record(&mut text);
        let text = format!("{}{}", text.message, text.fields);
        Activity::say(level, target, text.trim_start());
    }
}

/// An event as a text: the message, then its fields.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a `String` cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
