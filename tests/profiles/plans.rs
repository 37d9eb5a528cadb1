//! Profiles of plans: what is counted of which step, and what their pages have beside.

use gpuvm::prelude::*;
use gpuvm::{Error, Plan, PlanDone, Profile};

use crate::{ENGINES, at, counted, left_in, name_of, profile, runtime};

const FILE: &str = include_str!("plans.rs");

#[routine]
fn hashed(x: u32) -> u32 {
    let mut sum = x;
    for i in 0..x % 7 {
        sum = sum.rotate_left(3) ^ i;
    }
    sum
}

#[routine]
fn added(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[routine]
fn odd(x: u32) -> bool {
    x % 2 == 1
}

#[routine]
fn mixed(x: u32) -> u32 {
    x.wrapping_mul(0x9e37_79b1).rotate_left(7)
}

/// Engines that run programs.
fn programs() -> impl Iterator<Item = Engine> {
    ENGINES.into_iter().filter(|engine| *engine != Engine::Native)
}

/// A run's profile.
fn profile_of(done: &PlanDone) -> &Profile {
    let profile = done.profile().expect("a profile");
    assert_eq!(profile.reason(), None);
    profile
}

/// What a step whose name has a text came to: instructions, VMs, sampled VMs.
fn step(profile: &Profile, text: &str) -> (u64, u64, u64) {
    let found = profile.steps().iter().find(|step| step.name.contains(text));
    let step = found.unwrap_or_else(|| panic!("no step has {text}: {:?}", profile.steps()));
    (step.instructions, step.vms, step.sampled)
}

/// A plan of two maps, a fold and a scan, each a step of its own, with the results of the latter two.
fn several(engine: Engine, x: &[u32], is_profiled: bool) -> (PlanDone, [Vec<u32>; 2]) {
    let mut plan = runtime().plan();
    let x = plan.input(x);
    let hashed = plan.map("hashed", (x,)).unwrap();
    let mixed = plan.map("mixed", (hashed,)).unwrap();
    let sum = plan.reduce("added", mixed).unwrap();
    let sums = plan.scan("added", mixed).unwrap();
    plan.fuse(false).engine(engine).profile(is_profiled);
    let done = plan.run().unwrap();
    let results = [sum, sums].map(|node| done.get::<u32>(node).unwrap());
    (done, results)
}

#[test]
fn all_instructions_of_all_launches_are_counted() {
    let x: Vec<u32> = (0..1000).collect();
    let (reference, expected) = several(Engine::Reference, &x, true);
    let profile = profile_of(&reference);
    // All VMs of all launches are sampled, so it is what the reference interpreter has retired.
    let retired: u64 = reference.stats().retired.unwrap().iter().sum();
    assert_eq!((profile.instructions(), profile.cut()), (retired, 0));
    assert_eq!(profile.vms().len() as u64, profile.stats().vms);
    let lines: u64 = profile.lines().iter().map(|line| line.instructions).sum();
    let stacks: u64 = profile.stacks().map(|stack| stack.instructions).sum();
    let steps: u64 = profile.steps().iter().map(|step| step.instructions).sum();
    assert_eq!((lines, stacks, steps), (retired, retired, retired));
    let names: Vec<_> = profile.steps().iter().map(|step| &*step.name).collect();
    let labels = [
        "map `hashed` (node 1)",
        "map `mixed` (node 2)",
        "reduce `added` (node 3)",
        "scan `added` (node 4)",
    ];
    assert_eq!(names, labels);
    assert_eq!(step(profile, "hashed").1, 1000);
    for engine in programs() {
        let (done, results) = several(engine, &x, true);
        assert_eq!(results, expected, "{engine}");
        let there = profile_of(&done);
        let scans = |profile: &Profile| profile.notes().iter().any(|note| note.contains("tiles"));
        match scans(there) {
            // The operator of a scan by tiles is none of its VMs' work.
            true => {
                let three = ["hashed", "mixed", "reduce"];
                let of = |profile| three.map(|name| step(profile, name));
                assert_eq!(of(there), of(profile), "{engine}");
            }
            false => assert_eq!(counted(there), counted(profile), "{engine}"),
        }
    }
    let results = ENGINES.map(|engine| several(engine, &x, false));
    assert!(
        results
            .iter()
            .all(|(done, results)| done.profile().is_none() && *results == expected)
    );
}

#[test]
fn natively_nodes_are_counted_as_launches_are() {
    let x: Vec<u32> = (0..1000).collect();
    let (done, results) = several(Engine::Native, &x, true);
    assert_eq!(results, several(Engine::Reference, &x, false).1);
    let of_plan = profile_of(&done);
    let launched = profile(runtime().launch("hashed").unwrap().args((&x,)));
    assert_eq!(step(of_plan, "hashed"), (launched.instructions(), 1000, 1000));
    let text = "sum = sum.rotate_left(3) ^ i";
    assert_eq!(at(of_plan, FILE, text), at(&launched, FILE, text));
    let vms: Vec<_> = of_plan.vms().iter().filter(|cost| cost.step == Some(0)).collect();
    assert!(
        vms.iter()
            .zip(launched.vms())
            .all(|(a, b)| (a.vm, a.instructions) == (b.vm, b.instructions))
    );
    assert_eq!(vms.len(), 1000);
    // Each entry but the first is folded once; of the calls for that some are sampled, which are all alike.
    let program = runtime().program("added").unwrap().code.len() as u64;
    let (instructions, folds, sampled) = step(of_plan, "reduce");
    assert_eq!((instructions, folds), (999 * program, 999));
    assert!(sampled > 0 && sampled < 999);
}

#[test]
fn of_many_vms_a_sample_stands_for_all() {
    let x: Vec<u32> = (0..100_000).collect();
    for engine in ENGINES {
        let mut plan = runtime().plan();
        let mixed = plan.map("mixed", (&x,)).unwrap();
        plan.output(mixed).engine(engine).profile(true);
        let done = plan.run().unwrap();
        let profile = profile_of(&done);
        let (instructions, vms, sampled) = step(profile, "mixed");
        assert_eq!((vms, sampled), (100_000, 1024), "{engine}");
        assert_eq!((profile.vms().len(), profile.cut()), (1024, 0));
        // All of them are alike.
        assert_eq!(instructions, 100_000 * profile.vms()[0].instructions);
        if let Some(retired) = done.stats().retired {
            assert_eq!(instructions, retired.iter().sum(), "{engine}");
        }
        let text = format!("1024 of 100000 VMs sampled and the others taken to be like them: {instructions} ");
        assert!(profile.to_string().contains(&text), "{profile}");
    }
}

#[routine]
fn counting(x: u32) -> u32 {
    x + 1
}

#[routine]
fn is_over(x: u32) -> bool {
    x >= 1010
}

#[routine]
fn both(a: bool, b: bool) -> bool {
    a & b
}

fn looped(engine: Engine, x: &[u32]) -> (PlanDone, Vec<u32>) {
    let mut plan = runtime().plan();
    let first = plan.input(x);
    let body = |plan: &mut Plan<'_>, [x]: [gpuvm::Handle; 1]| {
        let next = plan.map("counting", (x,))?;
        let over = plan.map("is_over", (next,))?;
        Ok(([next], plan.reduce("both", over)?))
    };
    let ([last], _) = plan.iterate_until(100, [first], body).unwrap();
    plan.output(last).engine(engine).fuse(false).profile(true);
    let done = plan.run().unwrap();
    let last = done.get(last).unwrap();
    (done, last)
}

#[test]
fn turns_that_are_sampled_stand_for_all() {
    let x = [1000; 40];
    for engine in ENGINES {
        let (done, last) = looped(engine, &x);
        assert_eq!(last, [1010; 40], "{engine}");
        let profile = profile_of(&done);
        // Ten turns, of which the first, second, third, fifth and ninth are sampled.
        let (instructions, vms, sampled) = step(profile, ": map `counting`");
        assert_eq!((vms, sampled), (400, 200), "{engine}");
        assert_eq!(instructions, 400 * profile.vms()[0].instructions);
        assert!(profile.steps().iter().all(|step| step.name.starts_with("loop ")));
        let folded = profile.folded();
        let stack = folded.lines().find(|line| line.contains("counting")).unwrap();
        let names: Vec<&str> = stack.split(';').collect();
        assert!(
            names[0].starts_with("loop ") && names[1].starts_with("map `counting`"),
            "{stack}"
        );
        if engine == Engine::Reference {
            let retired = done.stats().retired.unwrap().iter().sum();
            assert_eq!(profile.instructions(), retired);
        }
    }
}

#[test]
fn behind_a_filter_there_are_fewer_vms() {
    let x: Vec<u32> = (0..1000).collect();
    let mut expected = None;
    for engine in programs() {
        let mut plan = runtime().plan();
        let x = plan.input(&x);
        let odd = plan.filter("odd", x).unwrap();
        let hashed = plan.map("hashed", (odd,)).unwrap();
        plan.output(hashed).engine(engine).profile(true);
        let done = plan.run().unwrap();
        let profile = profile_of(&done);
        assert_eq!(step(profile, "filter `odd`").1, 1000, "{engine}");
        assert_eq!(step(profile, "map `hashed`").1, 500, "{engine}");
        // What comes after the filter's routine is another kernel where its marks go through tiles.
        let lines = profile.lines().iter().filter(|line| line.routine == "hashed");
        let lines: Vec<_> = lines.map(|line| (line.line, line.instructions)).collect();
        assert_eq!(*expected.get_or_insert_with(|| lines.clone()), lines, "{engine}");
    }
}

#[routine]
fn long(x: u32) -> u32 {
    let mut sum = x;
    for i in 0..100_000u32 {
        sum = sum.rotate_left(3) ^ i;
    }
    sum
}

#[test]
fn each_step_has_its_share_of_the_budget() {
    let x: Vec<u32> = (0..1024).collect();
    let mut plan = runtime().plan();
    let long = plan.map("long", (&x,)).unwrap();
    let again = plan.map("long", (long,)).unwrap();
    let mixed = plan.map("mixed", (again,)).unwrap();
    plan.output(mixed).engine(Engine::Native).fuse(false).profile(true);
    let done = plan.run().unwrap();
    let profile = profile_of(&done);
    assert_eq!(profile.steps().len(), 3);
    let cut = |number| {
        let vms = profile.vms().iter().filter(move |cost| cost.step == Some(number));
        vms.filter(|cost| cost.is_cut).count()
    };
    assert_eq!((cut(0), cut(1), cut(2)), (1024, 1024, 0));
    let [first, second, _] = profile.steps() else {
        unreachable!()
    };
    // Half of a third of 2²⁴, and half of what that has left for two, as far as it can be shared out evenly.
    let near = |found: u64, expected: u64| found <= expected && found > expected - expected / 100;
    assert!(near(first.instructions, (1 << 24) / 6), "{first:?}");
    assert!(near(second.instructions, (1 << 24) * 5 / 24), "{second:?}");
    let note = "2048 of 3072 sampled VMs were cut off before their end, and count as far as they came";
    assert_eq!(profile.notes(), [note]);
}

#[routine]
fn divided(x: u32) -> u32 {
    100 / x
}

#[test]
fn a_plan_that_traps_has_a_profile_so_far() {
    let x: Vec<u32> = (0..40).rev().collect();
    for engine in ENGINES {
        let mut plan = runtime().plan();
        let mixed = plan.map("mixed", (&x,)).unwrap();
        let divided = plan.map("divided", (&x,)).unwrap();
        let never = plan.map("hashed", (divided,)).unwrap();
        plan.output(mixed)
            .output(never)
            .engine(engine)
            .fuse(false)
            .profile(true);
        let Err(Error::Trap(report)) = plan.run() else {
            panic!("it divides by 0")
        };
        assert_eq!(report.vm, 39);
        let profile = report.done().profile().unwrap();
        let names: Vec<_> = profile.steps().iter().map(|step| &*step.name).collect();
        assert_eq!(names, ["map `mixed` (node 1)", "map `divided` (node 3)"], "{engine}");
        let note = "the plan was ended before its VMs were done: counts are of VMs that run on";
        assert_eq!(profile.notes(), [note]);
    }
}

#[routine]
fn tallied(x: u32, bins: &[std::sync::atomic::AtomicU32]) {
    bins[(x % 4) as usize].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
}

#[test]
fn what_there_is_to_know_is_said_of_its_step() {
    let x: Vec<u32> = (0..40).collect();
    for engine in ENGINES {
        let mut plan = runtime().plan();
        let x = plan.input(&x);
        let bins = plan.zeros::<u32>(4);
        plan.map("tallied", (x, bins)).unwrap();
        plan.output(bins).engine(engine).profile(true);
        let done = plan.run().unwrap();
        assert_eq!(done.get::<u32>(bins).unwrap(), [10; 4]);
        let note = "map `tallied` (node 2): VMs share `bins`: counts are those of each VM alone";
        assert_eq!(profile_of(&done).notes(), [note], "{engine}");
    }
}

#[test]
fn a_page_has_the_graph_the_steps_and_when_they_ran() {
    let x: Vec<u32> = (0..1000).collect();
    for engine in [Engine::Native, Engine::Reference, Engine::Interpreter] {
        let (done, _) = several(engine, &x, true);
        let profile = profile_of(&done);
        let page = profile.html();
        assert!(!page.contains("http") && !page.contains("src=") && !page.contains("@import"));
        for text in ["Steps", "Stacks", "Routines", "Source", "VMs", "Graph", "Time"] {
            assert!(page.contains(&format!("<h2>{text}</h2>")), "{text}");
        }
        assert!(page.contains("<title>plan</title>") && page.contains("<svg width=") && page.ends_with("</html>\n"));
        let mut rows = vec!["phases", "steps", "launches", "submissions"];
        // Inputs go to the memory of a device.
        rows.extend(Some("transfers").filter(|_| engine == Engine::Interpreter));
        for row in rows {
            assert!(page.contains(&format!("<h3>{row}</h3>")), "{engine}: {row}");
        }
        assert!(page.contains("title=\"map `mixed` (node 2): "));
        assert_eq!(page.matches("<div").count(), page.matches("</div>").count());
        assert_eq!(page.matches("<table").count(), page.matches("</table>").count());
        // It is traced as well.
        assert_eq!(done.stats().steps.len(), 4);
        assert!(done.trace_json().unwrap().contains("\"reduce `added` (node 3)\""));
        let told = profile.to_string();
        assert!(
            told.starts_with("profile of `plan`: ") && told.contains("  sampled  step\n"),
            "{told}"
        );
        let dearest = profile.vms_by_cost()[0];
        let name = &profile.steps()[dearest.step.unwrap()].name;
        assert!(told.contains(&format!("VM {} of {name} ({})", dearest.vm, dearest.instructions)));
    }
}

#[test]
fn routines_are_those_of_the_source() {
    let x: Vec<u32> = (0..100).collect();
    let (done, _) = several(Engine::Reference, &x, true);
    let profile = profile_of(&done);
    let all: u64 = profile.routines().iter().map(|cost| cost.instructions).sum();
    assert_eq!(all, profile.instructions());
    assert!(
        profile
            .routines()
            .iter()
            .all(|cost| !cost.routine.contains("node") && cost.total > 0)
    );
    for stack in profile.stacks() {
        let [step, within @ ..] = &stack.frames[..] else {
            panic!("no frames")
        };
        assert_eq!(step.file, "plan");
        assert!(step.routine.ends_with(&format!("(node {})", step.line + 1)));
        assert!(within.iter().all(|frame| frame.file != "plan"));
    }
}

#[test]
fn the_environment_asks_for_all_plans() {
    let is_asked = std::env::var_os("GPUVM_PROFILE").is_some();
    let mut plan = runtime().plan();
    let mixed = plan.map("mixed", (&[1u32, 2],)).unwrap();
    let done = plan.output(mixed).run().unwrap();
    assert_eq!(done.profile().is_some(), is_asked);
    if is_asked {
        return;
    }
    let folder = std::env::temp_dir().join(format!("gpuvm-profiles-of-plans-{}", std::process::id()));
    let left = left_in(&folder, "plans::the_environment_asks_for_all_plans");
    let [folded, page] = left.each_ref().map(|path| name_of(path));
    assert!(folded.starts_with("plan-") && folded.ends_with("-1.folded"), "{folded}");
    assert!(page.starts_with("plan-") && page.ends_with("-1.html"), "{page}");
    let text = std::fs::read_to_string(folder.join(folded)).unwrap();
    assert!(text.starts_with("map `mixed` (node 1);mixed "), "{text}");
    std::fs::remove_dir_all(folder).unwrap();
}
