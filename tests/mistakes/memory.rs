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
