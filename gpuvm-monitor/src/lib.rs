//! A monitor for programs that use gpuvm: a page, served to browsers on the same machine, with launches and plans under way, how their VMs stand, ring kernels with their
//! queues and messages a second, dead letters, the device's memory, and what VMs print.
//!
//! A program that is linked with this crate, as by gpuvm's feature `monitor`, serves it when the environment variable `GPUVM_MONITOR` names a port, or when it calls
//! [`Runtime::monitor`](gpuvm_runtime::Runtime::monitor):
//!
//! ```
//! use gpuvm::prelude::*;
//! use gpuvm_monitor as _; // what the feature does
//!
//! #[routine]
//! fn triple(x: u32) -> u32 {
//!     x * 3
//! }
//!
//! fn main() -> gpuvm::Result<()> {
//!     let runtime = Runtime::new()?;
//!     let address = runtime.monitor("127.0.0.1:0")?;
//!     runtime.launch("triple")?.args((&[1u32, 2],)).run()?;
//!     let mut page = ureq::get(format!("http://{address}/metrics")).call().expect("it answers");
//!     let metrics = page.body_mut().read_to_string().expect("text");
//!     assert!(metrics.contains("gpuvm_launches_total 1"));
//!     Ok(())
//! }
//! ```
//!
//! Beside the page it answers `/activity.json`, which the page is drawn from, and `/metrics` in the text format that [Prometheus](https://prometheus.io/docs/instrumenting/exposition_formats/)
//! collects. It has no password and changes nothing, and it answers only what is asked from this machine by its own name, so that no page of another's reads it through a
//! browser.

mod history;
mod json;
mod layer;
mod metrics;
mod server;

pub use layer::Layer;

use gpuvm_runtime::inventory;
use gpuvm_runtime::monitor::MonitorKind;

inventory::submit! {
    MonitorKind { serve: server::serve }
}
