//! The forms of a profile: a table, folded stacks, pprof's message, a page, and what the environment asks for.

use std::process::Command;

use gpuvm::prelude::*;
use gpuvm::{Done, build};
use prost::Message;

use crate::{left_in, profile, runtime};

#[routine]
fn root(x: u32, deep: u32) -> u32 {
    leaf(x) ^ down(deep, x)
}

#[routine]
fn leaf(x: u32) -> u32 {
    x.wrapping_mul(11).rotate_left(x)
}

#[routine]
fn down(level: u32, x: u32) -> u32 {
    if level == 0 {
        return x;
    }
    down(level - 1, leaf(x)) ^ level
}

fn rooted() -> Done {
    let column: Vec<u32> = (0..100).collect();
    let launch = runtime().launch("root").unwrap().args((&column, 3u32));
    launch.profile(true).run().unwrap()
}

#[test]
fn folded_stacks_are_lines_of_names_with_a_number() {
    let done = rooted();
    let profile = done.profile().unwrap();
    let folded = profile.folded();
    let mut sum = 0;
    let mut stacks = Vec::new();
    for line in folded.lines() {
        let (stack, count) = line.rsplit_once(' ').unwrap();
        sum += count.parse::<u64>().unwrap();
        stacks.push(stack);
    }
    assert_eq!(sum, profile.instructions());
    let expected = [
        "root",
        "root;down",
        "root;down;down",
        "root;down;down;down",
        "root;down;down;down;down",
        "root;down;down;down;leaf",
        "root;down;down;leaf",
        "root;down;leaf",
        "root;leaf",
    ];
    assert_eq!(stacks, expected);
}

/// Messages of `github.com/google/pprof/blob/main/proto/profile.proto`, as far as they are written.
mod proto {
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Profile {
        #[prost(message, repeated, tag = "1")]
        pub sample_type: Vec<ValueType>,
        #[prost(message, repeated, tag = "2")]
        pub sample: Vec<Sample>,
        #[prost(message, repeated, tag = "4")]
        pub location: Vec<Location>,
        #[prost(message, repeated, tag = "5")]
        pub function: Vec<Function>,
        #[prost(string, repeated, tag = "6")]
        pub string_table: Vec<String>,
        #[prost(int64, tag = "10")]
        pub duration_nanos: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct ValueType {
        #[prost(int64, tag = "1")]
        pub r#type: i64,
        #[prost(int64, tag = "2")]
        pub unit: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Sample {
        #[prost(uint64, repeated, tag = "1")]
        pub location_id: Vec<u64>,
        #[prost(int64, repeated, tag = "2")]
        pub value: Vec<i64>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Location {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(message, repeated, tag = "4")]
        pub line: Vec<Line>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Line {
        #[prost(uint64, tag = "1")]
        pub function_id: u64,
        #[prost(int64, tag = "2")]
        pub line: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Function {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(int64, tag = "2")]
        pub name: i64,
        #[prost(int64, tag = "3")]
        pub system_name: i64,
        #[prost(int64, tag = "4")]
        pub filename: i64,
    }
}

#[test]
fn pprof_reads_the_same_stacks() {
    let done = rooted();
    let profile = done.profile().unwrap();
    let read = proto::Profile::decode(&*profile.pprof()).unwrap();
    let text = |index: i64| read.string_table[index as usize].as_str();
    assert_eq!(text(0), "");
    let [kind] = &read.sample_type[..] else {
        panic!("one kind of value")
    };
    assert_eq!((text(kind.r#type), text(kind.unit)), ("instructions", "count"));
    assert!(read.duration_nanos > 0);
    let frame = |id: &u64| {
        let location = read.location.iter().find(|location| location.id == *id).unwrap();
        let line = &location.line[0];
        let function = read.function.iter().find(|function| function.id == line.function_id);
        let function = function.unwrap();
        assert_eq!(function.name, function.system_name);
        (text(function.name), text(function.filename), line.line)
    };
    let stacks: Vec<(Vec<_>, i64)> = read
        .sample
        .iter()
        .map(|sample| (sample.location_id.iter().rev().map(frame).collect(), sample.value[0]))
        .collect();
    let expected: Vec<(Vec<_>, i64)> = profile
        .stacks()
        .map(|stack| {
            let frames = stack
                .frames
                .iter()
                .map(|frame| (frame.routine, frame.file, i64::from(frame.line)));
            (frames.collect(), stack.instructions as i64)
        })
        .collect();
    assert_eq!(stacks, expected);
}

#[test]
fn a_page_needs_no_network() {
    let done = rooted();
    let page = done.profile().unwrap().html();
    assert!(!page.contains("http") && !page.contains("src=") && !page.contains("@import"));
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for text in ["Stacks", "Routines", "Source", "VMs", "Time"] {
        assert!(page.contains(&format!("<h2>{text}</h2>")), "{text}");
    }
    assert!(page.contains("x.wrapping_mul(11).rotate_left(x)"));
    assert!(page.contains("data-left=\"0\" data-width=\"1\" title=\"all: "));
    assert_eq!(page.matches("<div").count(), page.matches("</div>").count());
    assert_eq!(page.matches("<table").count(), page.matches("</table>").count());
}

#[test]
fn names_are_escaped() {
    let routine = build("a<b>\"&;c", |f| {
        let x = f.param::<u32>("x");
        f.ret(x * 3);
    })
    .unwrap();
    let profile = profile(runtime().launch(&routine).unwrap().args((&[1u32, 2],)));
    let page = profile.html();
    assert!(page.contains("<title>a&lt;b&gt;&quot;&amp;;c</title>"), "{page}");
    assert!(!page.contains("a<b"));
    // A `;` separates.
    assert!(profile.folded().starts_with("a<b>\"&:c "), "{}", profile.folded());
}

#[test]
fn a_table_has_the_dearest_lines_first() {
    let done = rooted();
    let profile = done.profile().unwrap();
    let text = profile.to_string();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(&*format!("profile of `root`: {}", done.stats())));
    let sampled = format!(
        "100 of 100 VMs sampled: {} instructions, warps to ",
        profile.instructions()
    );
    assert!(lines.next().unwrap().starts_with(&sampled), "{text}");
    let dearest = &profile.lines()[0];
    assert!(
        profile
            .lines()
            .iter()
            .all(|line| line.instructions <= dearest.instructions)
    );
    let shares: f64 = profile.lines().iter().map(|line| line.share).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    let row = lines.nth(2).unwrap();
    assert!(
        row.trim_start().starts_with(&dearest.instructions.to_string()),
        "{text}"
    );
    assert!(row.contains(&format!("{}:{}", dearest.file, dearest.line)), "{text}");
    assert!(text.contains("x.wrapping_mul(11).rotate_left(x)"), "{text}");
    assert!(text.contains("instructions of a VM: "), "{text}");
}

#[test]
fn the_environment_asks_for_all_launches() {
    let is_asked = std::env::var_os("GPUVM_PROFILE").is_some();
    let launched = runtime().launch("leaf").unwrap().args((&[1u32, 2],)).run().unwrap();
    assert_eq!(launched.profile().is_some(), is_asked);
    if is_asked {
        return;
    }
    let folder = std::env::temp_dir().join(format!("gpuvm-profiles-{}", std::process::id()));
    let [folded, page] = left_in(&folder.join("deeper"), "forms::the_environment_asks_for_all_launches");
    assert_eq!(
        (folded.extension().unwrap(), page.extension().unwrap()),
        ("folded".as_ref(), "html".as_ref())
    );
    for path in [&folded, &page] {
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(name.starts_with("leaf-") && name.ends_with("-1"), "{name}");
    }
    assert!(std::fs::read_to_string(page).unwrap().contains("<title>leaf</title>"));
    assert!(std::fs::read_to_string(folded).unwrap().starts_with("leaf "));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_launch_does_not_fail_of_its_profile() {
    let file = std::env::temp_dir().join(format!("gpuvm-no-folder-{}", std::process::id()));
    std::fs::write(&file, "").unwrap();
    let this = std::env::current_exe().unwrap();
    let asked = Command::new(this)
        .args(["--exact", "--nocapture", "forms::the_environment_asks_for_all_launches"])
        .env("GPUVM_PROFILE", &file)
        .output()
        .unwrap();
    assert!(asked.status.success(), "{asked:?}");
    let told = String::from_utf8(asked.stderr).unwrap();
    assert!(
        told.contains("gpuvm: the profile ") && told.contains(" could not be written: "),
        "{told}"
    );
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_launch_that_does_not_begin_has_no_profile() {
    let launch = || runtime().launch("leaf").unwrap().profile(true);
    let errors = [launch().run(), launch().args((&[1u32, 2],)).steps(0).run()];
    for (error, text) in errors.into_iter().zip(["takes 1 argument (x)", "steps"]) {
        let error = error.unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    let plain = launch().args((&[1u32, 2],)).profile(false).run().unwrap();
    assert!(plain.profile().is_none());
}
