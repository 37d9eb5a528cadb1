//! What a traced run says: when what happened, and what each step has cost beside what was estimated.

use std::ops::Range;

use gpuvm::prelude::*;
use gpuvm::{Handle, Plan, PlanDone};
use serde_json::Value;

/// The numbers of tracks: their process, the host or the device, and their thread.
const PHASES: (u64, u64) = (1, 1);
const STEPS: (u64, u64) = (1, 2);
const LAUNCHES: (u64, u64) = (1, 3);
const TRANSFERS: (u64, u64) = (1, 4);
const SUBMISSIONS: (u64, u64) = (2, 5);

const ENTRIES: usize = 300;

/// A plan with kernels in a row, a filter that the host looks at, zeros, and a scan of several kernels.
fn plan<'a>(runtime: &Runtime, words: &'a [u32], engine: Engine) -> gpuvm::Result<(Plan<'a>, [Handle; 3])> {
    let mut plan = runtime.plan();
    plan.engine(engine);
    let words = plan.input(words);
    let stepped = plan.map("step", (words,))?;
    let odd = plan.filter("odd", stepped)?;
    let counts = plan.zeros::<u32>(ENTRIES);
    plan.map("count", (counts, stepped))?;
    let sums = plan.scan("sum", odd)?;
    let total = plan.reduce("sum", counts)?;
    plan.output(odd).output(sums).output(total);
    Ok((plan, [odd, sums, total]))
}

fn columns(done: &PlanDone, handles: [Handle; 3]) -> gpuvm::Result<Vec<Vec<u32>>> {
    handles.into_iter().map(|handle| done.get(handle)).collect()
}

/// The bars of a track: names, times in nanoseconds, and what else they say.
fn bars(trace: &Value, (pid, tid): (u64, u64)) -> Vec<(&str, Range<u64>, &Value)> {
    let nanos = |value: &Value| (value.as_f64().expect("a number") * 1000.0).round() as u64;
    let events = trace["traceEvents"].as_array().expect("events");
    let bars = events
        .iter()
        .filter(|event| event["ph"] == "X" && event["pid"] == pid && event["tid"] == tid);
    bars.map(|bar| {
        let begin = nanos(&bar["ts"]);
        (
            bar["name"].as_str().expect("a name"),
            begin..begin + nanos(&bar["dur"]),
            &bar["args"],
        )
    })
    .collect()
}

fn is_inside(inner: &Range<u64>, outer: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[test]
fn a_trace_changes_no_bit_and_has_bars_in_bars() -> gpuvm::Result<()> {
    let runtime = Runtime::builder().backend(gpuvm_tests::gpu_backend()).build()?;
    let words: Vec<u32> = (0..ENTRIES as u32).collect();
    for engine in [
        Engine::Native,
        Engine::Reference,
        Engine::Interpreter,
        Engine::Specialized,
    ] {
        let (mut plan, handles) = plan(&runtime, &words, engine)?;
        let plain = plan.run()?;
        let traced = plan.trace(true).run()?;
        assert_eq!(columns(&traced, handles)?, columns(&plain, handles)?, "{engine}");
        assert_eq!(traced.stats().launches, plain.stats().launches, "{engine}");
        assert!(
            plain.trace_json().is_none() && plain.stats().steps.is_empty(),
            "{engine}"
        );

        let trace = traced.trace_json().expect("a trace");
        let trace: Value = serde_json::from_str(&trace).expect("JSON");
        let [phases, steps, launches] = [PHASES, STEPS, LAUNCHES].map(|track| bars(&trace, track));
        assert_eq!(steps.len(), plan.report()?.steps.len(), "{engine}");
        assert_eq!(launches.len() as u64, traced.stats().launches, "{engine}");
        for (name, time, _) in &steps {
            assert!(
                phases.iter().any(|(_, phase, _)| is_inside(time, phase)),
                "{engine}: {name}"
            );
        }
        for (name, time, args) in &launches {
            let step = args["step"].as_u64().expect("a step") as usize;
            assert!(is_inside(time, &steps[step].1), "{engine}: {name}");
        }
        for track in [
            &phases,
            &steps,
            &launches,
            &bars(&trace, TRANSFERS),
            &bars(&trace, SUBMISSIONS),
        ] {
            assert!(
                track.is_sorted_by(|(_, a, _), (_, b, _)| a.end <= b.start),
                "{engine}: {track:?}"
            );
        }
        let starts = trace["traceEvents"].as_array().expect("events").iter();
        assert!(starts.filter_map(|event| event["ts"].as_f64()).is_sorted(), "{engine}");
    }
    Ok(())
}

#[test]
fn a_trace_names_what_it_shows() -> gpuvm::Result<()> {
    let runtime = Runtime::builder().backend(gpuvm_tests::gpu_backend()).build()?;
    let words: Vec<u32> = (0..ENTRIES as u32).collect();
    let (mut plan, _) = plan(&runtime, &words, Engine::Interpreter)?;
    let done = plan.trace(true).run()?;
    let trace: Value = serde_json::from_str(&done.trace_json().expect("a trace")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let names: Vec<&str> = events
        .iter()
        .filter(|event| event["ph"] == "M")
        .filter_map(|event| event["args"]["name"].as_str())
        .collect();
    let device = format!("device: {}", done.stats().device.name);
    let tracks = ["phases", "steps", "launches", "transfers", "submissions"];
    assert_eq!(names, [&["host", &device], &tracks[..]].concat());
    let moved: Vec<(&str, u64)> = bars(&trace, TRANSFERS)
        .into_iter()
        .map(|(name, _, args)| (name, args["bytes"].as_u64().expect("bytes")))
        .collect();
    assert!(moved.contains(&("input 0", 1200)), "{moved:?}");
    assert!(moved.contains(&("zeros 3", 1200)), "{moved:?}");
    // How many entries are kept.
    assert!(moved.contains(&("to the host", 4)), "{moved:?}");
    let submissions = bars(&trace, SUBMISSIONS);
    let launches = |(_, _, args): &(&str, Range<u64>, &Value)| args["launches"].as_u64().expect("launches");
    let all: u64 = submissions.iter().map(launches).sum();
    assert_eq!(all, done.stats().launches);
    Ok(())
}

#[test]
fn steps_are_measured_against_estimates() -> gpuvm::Result<()> {
    let runtime = super::runtime()?;
    let words = [1u32; 256];
    let mut plan = runtime.plan();
    let mapped = plan.engine(Engine::Reference).map("step", (&words,))?;
    let mixed = plan.fuse(false).map("mix", (mapped, 3u32))?;
    plan.output(mixed);
    let done = plan.trace(true).run()?;
    let stats = done.stats();
    let measured: Vec<(&[usize], u64, u64)> = stats
        .steps
        .iter()
        .map(|step| (&step.members[..], step.launches, step.least_bytes))
        .collect();
    assert_eq!(measured, [(&[1][..], 1, 2048), (&[2][..], 1, 2048)]);
    let sum = |retired: Option<[u64; 4]>| retired.map(|classes| classes.iter().sum::<u64>());
    for (step, report) in stats.steps.iter().zip(plan.report()?.steps) {
        let epochs = report.kernels[0].estimated_epochs.expect("code without loops");
        assert_eq!(step.estimated_instructions, Some(256 * epochs));
        // There is one way through each of them.
        assert_eq!(sum(step.retired), Some(256 * epochs), "{step}");
        assert!(step.host_time <= stats.host_time, "{step}");
    }
    let total: Option<u64> = stats.steps.iter().map(|step| step.estimated_instructions).sum();
    assert_eq!((stats.estimated_instructions, sum(stats.retired)), (total, total));
    let text = stats.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[1].starts_with("step 0: map `step` (node 1); 1 launch, "),
        "{text}"
    );
    let most = stats.steps[0].estimated_instructions.unwrap_or_default();
    let told = format!(", {most} instructions of at most {most}, 2.0 KiB of columns");
    assert!(lines[1].ends_with(&told), "{text}");
    Ok(())
}
