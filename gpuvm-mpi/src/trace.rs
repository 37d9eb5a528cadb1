//! One trace of what all ranks did in a run of a plan.

use gpuvm::PlanDone;
use gpuvm_engine::gathered;
use serde_json::{Value, json};

use crate::error::Result;
use crate::runtime::Runtime;
use crate::world::machine;

/// Numbers of processes that one rank's trace has, of which it uses two: the host and the device.
const PROCESSES: u64 = 10;

impl Runtime {
    /// What all ranks did in a run of a [traced](gpuvm::Plan::trace) plan, in one trace as [`PlanDone::trace_json`] has it, with the processes of each rank; on all ranks, which have to ask. Times are from
    /// the beginning of each rank's run. `None` if the plan was not traced.
    ///
    /// # Errors
    ///
    /// When another rank cannot be reached.
    pub fn trace_json(&self, done: &PlanDone) -> Result<Option<String>> {
        let Some(own) = done.trace_json() else {
            return Ok(None);
        };
        let told = gathered(&**self.world(), &(own, machine())).map_err(gpuvm::Error::from)?;
        let ranks = told.iter().enumerate();
        let all: Vec<Value> = ranks
            .flat_map(|(rank, (trace, machine))| events_of(rank, trace, machine))
            .collect();
        Ok(Some(json!({ "traceEvents": all }).to_string()))
    }
}

/// A rank's events, as those of processes of its own.
fn events_of(rank: usize, trace: &str, machine: &str) -> Vec<Value> {
    let trace: Value = serde_json::from_str(trace).unwrap_or_default();
    let mut events = trace["traceEvents"].as_array().cloned().unwrap_or_default();
    for event in &mut events {
        let process = event["pid"].as_u64().unwrap_or_default();
        event["pid"] = json!(rank as u64 * PROCESSES + process);
        if event["name"] == "process_name" {
            let name = event["args"]["name"].as_str().unwrap_or_default();
            event["args"]["name"] = json!(format!("rank {rank} on {machine}, {name}"));
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_processes_of_its_own() {
        let trace = r#"{"traceEvents": [
            {"name": "process_name", "ph": "M", "pid": 2, "tid": 1, "args": {"name": "device: GPU"}},
            {"name": "map", "ph": "X", "pid": 2, "tid": 3, "ts": 1.5, "dur": 2, "args": {}}
        ]}"#;
        let events = events_of(3, trace, "node7");
        assert_eq!(events[0]["args"]["name"], "rank 3 on node7, device: GPU");
        assert_eq!(events[1]["pid"], 32);
        assert_eq!(events[1]["ts"], 1.5);
    }
}
