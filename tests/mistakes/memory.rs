//! Numbers that no memory is large enough for are errors, and do not end the process.

use gpuvm::prelude::*;
use gpuvm::{Buffer, Error};

use super::{runtime, told};

#[routine]
fn large(x: u32) -> [u32; 256] {
    [x; 256]
}

#[test]
fn too_many_vms() {
    for engine in [Engine::Native, Engine::Reference] {
        let launch = || runtime().launch("large").unwrap().args((1u32,)).engine(engine);
        let error = launch().vms(4_000_000_000).run().unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{engine}: {error}");
        assert_eq!(
            error.to_string(),
            "the device is out of memory: the results of 4000000000 VMs of `large` take 4096000000000 bytes of the host's memory"
        );
        let done = launch().vms(3).run().unwrap();
        assert_eq!(done.output::<Vec<[u32; 256]>>().unwrap(), [[1; 256]; 3]);
    }
    let error = runtime()
        .launch("large")
        .unwrap()
        .args((1u32,))
        .engine(Engine::Reference)
        .vms(4_000_000_000)
        .start();
    assert!(matches!(error, Err(Error::OutOfMemory { .. })), "{}", told(error));
}

#[test]
fn too_many_in_a_plan() {
    let runtime = Runtime::builder().backend(Backend::Cpu).build().unwrap();
    let mut plan = runtime.plan();
    let out = plan.generate("large", 4_000_000_000, (1u32,)).unwrap();
    plan.output(out);
    let error = plan.run().map(|_| ());
    assert!(matches!(error, Err(Error::OutOfMemory { .. })), "{}", told(error));
}

#[test]
fn no_steps_have_no_results() {
    let buffer: Buffer<u32> = runtime().buffer(&[1]).unwrap();
    for engine in super::ENGINES {
        let launch = runtime()
            .launch("large")
            .unwrap()
            .args((&buffer,))
            .engine(engine)
            .steps(0);
        assert_eq!(
            told(launch.run()),
            "`.steps(0)` runs `large` not even once, so it has no results; say 1 or more, or leave the launch out"
        );
    }
}

#[routine]
fn piles(n: u32) -> u32 {
    let mut pile = [n; 2000];
    pile[n as usize % 2000] = 7;
    if n == 0 {
        pile[1]
    } else {
        piles(n - 1) + pile[n as usize]
    }
}

/// Recursion through frames of 8 KB, ten thousand deep, for each VM.
#[test]
fn recursion_beyond_all_memory() {
    for engine in super::ENGINES {
        let launch = |depth| {
            let launch = runtime().launch("piles").unwrap().args((3u32,));
            launch.engine(engine).depth(depth).vms(5).run()
        };
        assert_eq!(launch(4).unwrap().output::<Vec<u32>>().unwrap(), [21; 5]);
        let error = told(launch(10_000).map(|_| ()));
        // Natively the stack's pages are taken when they are reached.
        if engine == Engine::Native {
            assert_eq!(error, "no error");
            continue;
        }
        let wanted = "words of frame memory for recursion as deep as `Settings::recursion_limit` or `.depth(n)` says, and at most 16777216";
        assert!(error.contains(wanted), "{engine}: {error}");
    }
}
