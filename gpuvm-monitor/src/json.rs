//! The activity as JSON, for the page and for `cargo gpuvm top`. Times are seconds, moments milliseconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gpuvm_runtime::activity::{
    Activity, Ended, Ending, Headway, KernelActivity, Line, RuntimeActivity, UnderWay, Work, WorkKind,
};
use gpuvm_runtime::{Level, Standing};
use serde_json::{Value as Json, json};

use crate::history::{History, Sample};

/// Everything.
pub(crate) fn of(activity: &Activity, history: &History, uptime: Duration) -> Json {
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(|path| path.file_stem());
    let totals = &activity.totals;
    json!({
        "program": program.map(|name| name.to_string_lossy()),
        "process": std::process::id(),
        "uptime": uptime.as_secs_f64(),
        "runtimes": activity.runtimes.iter().map(runtime).collect::<Vec<_>>(),
        "under_way": activity.under_way.iter().map(under_way).collect::<Vec<_>>(),
        "ended": activity.ended.iter().map(ended).collect::<Vec<_>>(),
        "kernels": activity.kernels.iter().map(|of| kernel(of, history.last())).collect::<Vec<_>>(),
        "lines": activity.lines.iter().map(line).collect::<Vec<_>>(),
        "totals": {
            "launches": totals.launches,
            "plans": totals.plans,
            "vms": totals.vms,
            "traps": totals.traps,
            "instructions": totals.instructions,
            "device_time": totals.device_time.as_secs_f64(),
        },
        "history": {
            "at": column(history, |sample| millis(sample.at).into()),
            "launches": column(history, |sample| sample.launches.into()),
            "vms": column(history, |sample| sample.vms.into()),
            "instructions": column(history, |sample| sample.instructions.into()),
            "messages": column(history, |sample| sample.messages.into()),
            "memory": column(history, |sample| sample.memory.into()),
        },
    })
}

fn column(history: &History, of: impl Fn(&Sample) -> Json) -> Vec<Json> {
    history.samples().map(of).collect()
}

fn millis(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn runtime(RuntimeActivity { device, memory, .. }: &RuntimeActivity) -> Json {
    json!({
        "device": device.name,
        "backend": format!("{:?}", device.backend).to_lowercase(),
        "data": memory.data,
        "work": memory.work,
        "idle": memory.idle,
    })
}

/// The fields of some work and how far it has come.
fn work(work: &Work, headway: &Headway) -> Json {
    let Standing {
        running,
        yielded,
        blocked,
        halted,
        trapped,
        at_breakpoint,
    } = headway.standing;
    json!({
        "number": work.number,
        "kind": match work.kind {
            WorkKind::Plan => "plan",
            _ => "launch",
        },
        "name": work.name,
        "engine": headway.engine.to_string(),
        "device": work.device,
        "vms": work.vms,
        "steps": work.steps,
        "steps_done": headway.steps,
        "stage": headway.stage,
        "launches": headway.launches,
        "standing": {
            "running": running,
            "yielded": yielded,
            "blocked": blocked,
            "halted": halted,
            "trapped": trapped,
            "at_breakpoint": at_breakpoint,
        },
        "instructions": headway.instructions,
        "device_time": headway.device_time.map(|time| time.as_secs_f64()),
        "advances": headway.advances,
    })
}

fn under_way(launch: &UnderWay) -> Json {
    let mut json = work(&launch.work, &launch.headway);
    json["time"] = launch.elapsed.as_secs_f64().into();
    json
}

fn ended(ended: &Ended) -> Json {
    let mut json = work(&ended.work, &ended.headway);
    json["time"] = ended.time.as_secs_f64().into();
    json["at"] = millis(ended.at).into();
    json["ending"] = match &ended.ending {
        Ending::Done => "done".to_string(),
        Ending::Trapped(1) => "1 VM trapped".to_string(),
        Ending::Trapped(vms) => format!("{vms} VMs trapped"),
        Ending::Failed(reason) => reason.clone(),
        _ => "dropped".to_string(),
    }
    .into();
    json["well"] = (ended.ending == Ending::Done).into();
    json
}

fn kernel(kernel: &KernelActivity, last: Option<&Sample>) -> Json {
    let (status, metrics) = (&kernel.status, &kernel.metrics);
    let letters = kernel.last_dead_letters.iter();
    json!({
        "number": kernel.number,
        "name": status.kernel,
        "device": kernel.device,
        "engine": status.engine.to_string(),
        "life": status.life.to_string(),
        "reason": status.reason,
        "actors": status.actors,
        "stopped_actors": status.stopped_actors,
        "queued": status.queued,
        "capacity": status.capacity,
        "unreceived": status.unreceived,
        "full": status.full.as_ref().map(ToString::to_string),
        "accepted": metrics.accepted,
        "processed": metrics.processed,
        "dropped": metrics.dropped,
        "in_flight": metrics.in_flight,
        "most_queued": metrics.most_queued,
        "batches": metrics.batches,
        "rounds": metrics.rounds,
        "messages_per_second": last.and_then(|sample| sample.kernels.get(&kernel.number)),
        "latency": metrics.latency.map(|latency| json!({
            "p50": latency.p50.as_secs_f64(),
            "p99": latency.p99.as_secs_f64(),
            "max": latency.max.as_secs_f64(),
        })),
        "dead_letters": kernel.dead_letters,
        "last_dead_letters": letters.map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn line(line: &Line) -> Json {
    json!({
        "number": line.number,
        "at": millis(line.at),
        "level": match line.level {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Trace => "trace",
        },
        "source": line.source,
        "vm": line.vm,
        "place": line.place.as_ref().map(|(file, line)| format!("{file}:{line}")),
        "text": line.text,
    })
}
