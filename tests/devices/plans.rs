//! Plans, buffers and executions on several GPUs as one device.

use proptest::prelude::*;

use super::verbs::{column, verbs};
use super::*;

/// Three GPUs, that may be lost, and two threads.
fn team(fuses: &[Fuse; 3]) -> Runtime {
    let [a, b, c] = fuses;
    on(vec![flaky(gpu(), a), flaky(gpu(), b), cpu(2), flaky(gpu(), c)])
}

fn lasting() -> Runtime {
    team(&[fuse(LASTS), fuse(LASTS), fuse(LASTS)])
}

#[test]
fn plans_give_the_bits_of_one_device() {
    // Of few VMs at a time, and of many.
    let (alone, few, many) = (alone(), lasting(), on(vec![gpu(), gpu()]));
    for (len, team) in [
        (1, &few),
        (2, &few),
        (3, &many),
        (65, &few),
        (1000, &few),
        (70_000, &many),
    ] {
        let column = column(len, 5);
        assert!(
            verbs(team, &column).unwrap() == verbs(&alone, &column).unwrap(),
            "{len} entries"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn plans_outlive_their_devices(len in 1..3000usize, seed: u32, fuses in [0..60i64, 0..60, 20..90]) {
        let column = column(len, seed);
        let expected = verbs(&alone(), &column).unwrap();
        let team = team(&fuses.map(fuse));
        for _ in 0..2 {
            // At the end two threads are left.
            prop_assert!(verbs(&team, &column).unwrap() == expected);
        }
    }
}

#[test]
fn a_plan_says_which_devices_it_has_lost() {
    let team = team(&[fuse(LASTS), fuse(3), fuse(LASTS)]);
    let column = column(5000, 1);
    let mut plan = team.plan();
    let mut last = plan.input(&column);
    for _ in 0..6 {
        last = plan.map("shake", (last,)).unwrap();
    }
    let done = plan.fuse(false).run().unwrap();
    let lost = &done.stats().lost;
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert!(lost[0].starts_with("3 × "), "{lost:?}");
    assert!(
        done.stats().to_string().contains("was lost on the way"),
        "{}",
        done.stats()
    );
    assert!(plan.run().unwrap().stats().lost.is_empty());
}

#[test]
fn buffers_stay_with_their_devices() {
    let (alone, team) = (alone(), lasting());
    // Of which each step is several jobs, too.
    let one = on(vec![flaky(gpu(), &fuse(LASTS))]);
    let expected = on_buffers(&alone);
    assert!(on_buffers(&one) == expected);
    assert!(on_buffers(&team) == expected);
}

/// What launches leave in two buffers, and the results of the last one.
pub fn on_buffers(runtime: &Runtime) -> [Vec<u32>; 3] {
    let buffer = runtime.buffer(&column(4099, 9)).unwrap();
    let out = runtime.buffer(&vec![0u32; 2 * 4099]).unwrap();
    for _ in 0..3 {
        let launch = runtime.launch("jostle").unwrap().args((&buffer, &buffer));
        launch.engine(engine_of(runtime)).steps(2).run().unwrap();
        let launch = runtime.launch("spread_out").unwrap().args((&buffer, &out));
        launch.engine(engine_of(runtime)).run().unwrap();
    }
    buffer.write(&column(4099, 10)).unwrap();
    let launch = runtime.launch("spread_out").unwrap().args((&buffer, &out));
    let results: Vec<u32> = launch.engine(engine_of(runtime)).run().unwrap().output().unwrap();
    [buffer.read().unwrap(), out.read().unwrap(), results]
}

/// An engine of GPUs, so that the launch is not spread over all devices.
fn engine_of(runtime: &Runtime) -> Engine {
    match runtime.device().backend {
        Backend::Cpu => Engine::Native,
        _ => Engine::Interpreter,
    }
}

#[routine]
fn spread_out(x: u32, out: &mut [u32]) -> u32 {
    out[0] = x;
    out[1] ^= x.rotate_left(vm::id() % 32);
    out[1]
}

#[routine]
fn slow_count(seed: u32, me: &mut u32) -> u32 {
    let mut left = seed % 200;
    while left > 0 {
        *me = me.wrapping_mul(5).wrapping_add(left);
        left -= 1;
    }
    *me
}

#[test]
fn an_execution_is_looked_at_saved_and_goes_on_with_other_devices() {
    let (alone, team) = (alone(), lasting());
    let (seeds, start) = (column(900, 3), column(900, 4));
    let mut me = start.clone();
    let expected: Vec<u32> = {
        let launch = alone.launch("slow_count").unwrap().args((&seeds, &mut me));
        launch.run().unwrap().output().unwrap()
    };
    let mut here = start.clone();
    let launch = team.launch("slow_count").unwrap().args((&seeds, &mut here));
    let mut execution = launch.engine(Engine::Interpreter).start().unwrap();
    execution.advance(Budget::cycles(150)).unwrap();
    let views: Vec<String> = [0, 450, 899].map(|vm| execution.vm(vm).unwrap().to_string()).into();
    let bytes = execution.snapshot().unwrap().to_bytes();
    execution.run_to_end().unwrap();
    let done = execution.finish().unwrap();
    assert_eq!(done.output::<Vec<u32>>().unwrap(), expected);
    assert_eq!(here, me);
    // On one device, and back on several.
    let snapshot = gpuvm::Snapshot::from_bytes(&bytes).unwrap();
    let one = Runtime::builder().on(vec![gpu()]).unwrap();
    for runtime in [&one, &team] {
        let mut restored = runtime.restore(&snapshot).unwrap();
        for (vm, view) in [0, 450, 899].into_iter().zip(&views) {
            assert_eq!(restored.vm(vm).unwrap().to_string(), *view);
        }
        restored.run_to_end().unwrap();
        let done = restored.finish().unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), expected);
        assert_eq!(done.column::<u32>("me").unwrap(), me);
    }
}

#[test]
fn what_is_copied_before_a_step_goes_to_those_that_are_left() {
    let team = team(&[fuse(LASTS), fuse(1), fuse(LASTS)]);
    let lost = steps_of_jostling(&team).unwrap_err();
    assert!(matches!(lost, Error::DeviceLost { .. }), "{lost}");
    assert_eq!(steps_of_jostling(&team).unwrap(), steps_of_jostling(&alone()).unwrap());
}

/// Steps in which VMs see all of a buffer as it was before.
fn steps_of_jostling(runtime: &Runtime) -> gpuvm::Result<Vec<u32>> {
    let buffer = runtime.buffer(&column(500, 2))?;
    let launch = runtime.launch("jostle")?.args((&buffer, &buffer));
    launch.engine(engine_of(runtime)).steps(3).run()?;
    buffer.read()
}
