//! Profiles of launches, plans and ring kernels: what is counted, on every engine, and the forms that it comes in. On its own, because it is quick to build.

mod counts;
mod forms;
mod kernels;
mod plans;
mod shared;

use gpuvm::{Done, Error, Profile};

pub use gpuvm_tests::{ENGINES, runtime};

/// A launch that may trap, done.
fn done(launch: gpuvm::Launch<'_>) -> Done {
    match launch.profile(true).run() {
        Ok(done) => done,
        Err(Error::Trap(report)) => report.into_done(),
        Err(error) => panic!("{error}"),
    }
}

/// Its profile.
fn profile(launch: gpuvm::Launch<'_>) -> Profile {
    let done = done(launch);
    let profile = done.profile().expect("a profile");
    assert_eq!(profile.reason(), None);
    profile.clone()
}

/// All that is counted, as a text to compare.
fn counted(profile: &Profile) -> String {
    let stacks: Vec<_> = profile.stacks().collect();
    let parts = (profile.lines(), profile.routines(), profile.vms(), profile.notes());
    format!("{parts:#?} {stacks:#?}")
}

/// What the lines of a file came to whose source has a text: instructions, issues, sectors.
fn at(profile: &Profile, file: &str, text: &str) -> (u64, u64, u64) {
    let found = |line: &&gpuvm::profile::Line| {
        let source = file.lines().nth(line.line as usize - 1);
        source.is_some_and(|source| source.contains(text))
    };
    let lines = profile.lines().iter().filter(found);
    lines.fold((0, 0, 0), |(instructions, issues, sectors), line| {
        let sums = (instructions + line.instructions, issues + line.issues);
        (sums.0, sums.1, sectors + line.sectors)
    })
}
