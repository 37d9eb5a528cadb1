//! The activity in the text format that Prometheus collects: <https://prometheus.io/docs/instrumenting/exposition_formats/>.

use std::fmt::{Display, Write};

use gpuvm_runtime::activity::{Activity, KernelActivity};

/// The metrics in Prometheus' text format.
pub(crate) fn of(activity: &Activity) -> String {
    let mut page = Page(String::new());
    let totals = &activity.totals;
    page.metric("launches_total", "counter", "Launches that are over.");
    page.value("launches_total", &[], totals.launches);
    page.metric("plans_total", "counter", "Runs of plans that are over.");
    page.value("plans_total", &[], totals.plans);
    page.metric("vms_stopped_total", "counter", "VMs that have halted or trapped.");
    page.value("vms_stopped_total", &[], totals.vms);
    page.metric("vms_trapped_total", "counter", "VMs that have trapped.");
    page.value("vms_trapped_total", &[], totals.traps);
    page.metric(
        "instructions_total",
        "counter",
        "Instructions retired, where engines count them.",
    );
    page.value("instructions_total", &[], totals.instructions);
    page.metric(
        "device_seconds_total",
        "counter",
        "Time that devices have spent on launches and plans.",
    );
    page.value("device_seconds_total", &[], totals.device_time.as_secs_f64());
    page.metric("launches_under_way", "gauge", "Launches and plans under way.");
    page.value("launches_under_way", &[], activity.under_way.len());
    page.metric(
        "device_memory_bytes",
        "gauge",
        "What runtimes have of their devices' memory.",
    );
    for (number, runtime) in activity.runtimes.iter().enumerate() {
        let (number, memory) = (number.to_string(), runtime.memory);
        for (of, bytes) in [("data", memory.data), ("work", memory.work), ("idle", memory.idle)] {
            let labels = [("runtime", &*number), ("device", &runtime.device.name), ("of", of)];
            page.value("device_memory_bytes", &labels, bytes);
        }
    }
    page.kernels(&activity.kernels);
    page.0
}

struct Page(String);

impl Page {
    /// Says what a metric is, before its values.
    fn metric(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a `String` cannot fail.
        let _ = write!(self.0, "# HELP gpuvm_{name} {help}\n# TYPE gpuvm_{name} {kind}\n");
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let label = |(name, value): &(&str, &str)| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            format!("{name}=\"{value}\"")
        };
        let labels: Vec<String> = labels.iter().map(label).collect();
        let _ = match labels.is_empty() {
            true => writeln!(self.0, "gpuvm_{name} {value}"),
            false => writeln!(self.0, "gpuvm_{name}{{{}}} {value}", labels.join(",")),
        };
    }

    fn kernels(&mut self, kernels: &[KernelActivity]) {
        type Of = fn(&KernelActivity) -> f64;
        let metrics: [(&str, &str, &str, Of); 8] = [
            (
                "ring_accepted_total",
                "counter",
                "Messages that were accepted.",
                |kernel| kernel.metrics.accepted as f64,
            ),
            (
                "ring_processed_total",
                "counter",
                "Messages that actors have handled.",
                |kernel| kernel.metrics.processed as f64,
            ),
            (
                "ring_dropped_total",
                "counter",
                "Messages and answers that became dead letters.",
                |kernel| kernel.metrics.dropped as f64,
            ),
            (
                "ring_queued",
                "gauge",
                "Messages that wait or are being handled.",
                |kernel| kernel.status.queued as f64,
            ),
            ("ring_capacity", "gauge", "Messages that there is room for.", |kernel| {
                kernel.status.capacity as f64
            }),
            (
                "ring_unreceived",
                "gauge",
                "Answers that wait to be received.",
                |kernel| kernel.status.unreceived as f64,
            ),
            ("ring_actors", "gauge", "Actors.", |kernel| kernel.status.actors.into()),
            ("ring_stopped_actors", "gauge", "Actors that have stopped.", |kernel| {
                kernel.status.stopped_actors.into()
            }),
        ];
        for (name, kind, help, of) in metrics {
            self.metric(name, kind, help);
            for kernel in kernels {
                let number = kernel.number.to_string();
                let labels = [("kernel", &*kernel.status.kernel), ("number", &number)];
                self.value(name, &labels, of(kernel));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn labels_are_escaped() {
        let mut page = Page(String::new());
        page.metric("x", "gauge", "What it is.");
        page.value("x", &[], 3);
        page.value("x", &[("a", "b\"c\\d\ne"), ("f", "g")], 1.5);
        assert_eq!(
            page.0,
            "# HELP gpuvm_x What it is.\n# TYPE gpuvm_x gauge\ngpuvm_x 3\ngpuvm_x{a=\"b\\\"c\\\\d\\ne\",f=\"g\"} 1.5\n"
        );
    }
}
