//! Profiles of launches, plans and ring kernels: what is counted, on every engine, and the forms that it comes in. On its own, because it is quick to build.

mod counts;
mod forms;
mod kernels;
mod plans;
mod shared;

use std::path::{Path, PathBuf};
use std::process::Command;

use gpuvm::{Done, Error, Profile};

pub use gpuvm_tests::{ENGINES, runtime};

/// The folded stacks and the page that a test, run by itself, leaves in a folder which the environment names.
fn left_in(folder: &Path, test: &str) -> [PathBuf; 2] {
    let asked = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env("GPUVM_PROFILE", folder)
        .output()
        .unwrap();
    assert!(asked.status.success(), "{asked:?}");
    let left = std::fs::read_dir(folder).unwrap();
    let mut left: Vec<_> = left.map(|entry| entry.unwrap().path()).collect();
    left.sort();
    let Ok([folded, page]) = <[PathBuf; 2]>::try_from(left) else {
        panic!("two files are left")
    };
    [folded, page]
}

/// The name of a file.
fn name_of(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

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
