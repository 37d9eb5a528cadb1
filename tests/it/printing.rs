//! `println!` and its kin: what VMs print is the same on every engine, with its VM, file and line.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm::prelude::*;
use gpuvm::{Error, LogLimit, Signal};

use crate::harness::{ENGINES, pausing, runtime};

/// Each line as text: `VM LEVEL LINE: text`, with the line counted from the first one that is printed.
fn printed(logs: &gpuvm::Logs) -> Vec<String> {
    let first = logs.iter().map(|line| line.line).min().unwrap_or_default();
    logs.iter()
        .map(|line| {
            assert!(line.file.ends_with("printing.rs"), "{}", line.file);
            format!("{} {} {}: {}", line.vm, line.level.name(), line.line - first, line.text)
        })
        .collect()
}

#[routine]
fn prints_letters(x: u32) -> u32 {
    let first = 'ä';
    let byte = b'a' + (x % 26) as u8;
    println!(
        "{first} {:?} {:>3}|{:<3}|",
        byte as char,
        char::from(byte),
        first.max('z')
    );
    for letter in 'a'..='c' {
        print!("{letter}");
    }
    println!(" {:?} {:?}", Some('\n'), [first, '\'']);
    println!(
        "{:?} {:?}",
        &[byte, 2, 3][(x % 3) as usize..],
        [Some(byte); 2].as_slice()
    );
    x
}

#[test]
fn letters_and_slices_are_shown() {
    for engine in ENGINES {
        let done = runtime()
            .launch("prints_letters")
            .unwrap()
            .args((&[0u32, 29],))
            .engine(engine)
            .run()
            .unwrap();
        let lines: Vec<&str> = done.logs().iter().map(|line| line.text.as_str()).collect();
        let expected = [
            "ä 'a'   a|ä  |",
            "abc Some('\\n') ['ä', '\\'']",
            "[97, 2, 3] [Some(97), Some(97)]",
            "ä 'd'   d|ä  |",
            "abc Some('\\n') ['ä', '\\'']",
            "[3] [Some(100), Some(100)]",
        ];
        assert_eq!(lines, expected, "{engine:?}");
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Spot {
    x: f32,
    y: f32,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Mark {
    Empty,
    Filled { by: u8, spots: [Spot; 2] },
    Two(i64, u128),
}

#[routine]
fn prints_numbers(x: u32) -> u32 {
    let half = x as f32 / 2.0;
    println!("x is {x}, half {}", half);
    println!("{0:x} {0:#010b} {0:>5}|{1:08.3}|{1:+e}|{half:<8}|", x, half);
    println!("{:?} {:5}| {} {{}}", 'ä', x % 2 == 0, x as i8 - 3);
    println!(
        "{:.1} {:?} {:e}",
        f64::from(x) / 3.0,
        f64::from(x),
        u128::from(x) << 100
    );
    println!();
    x
}

#[test]
fn numbers_are_shown_as_std_shows_them() {
    for engine in ENGINES {
        let column = [0u32, 7, 41];
        let done = runtime()
            .launch("prints_numbers")
            .unwrap()
            .args((&column,))
            .engine(engine)
            .run()
            .unwrap();
        let mut expected = Vec::new();
        for (vm, x) in column.into_iter().enumerate() {
            let half = x as f32 / 2.0;
            expected.push(format!("{vm} info 0: x is {x}, half {}", half));
            expected.push(format!(
                "{vm} info 1: {0:x} {0:#010b} {0:>5}|{1:08.3}|{1:+e}|{half:<8}|",
                x, half
            ));
            expected.push(format!("{vm} info 2: {:?} {:5}| {} {{}}", 'ä', x % 2 == 0, x as i8 - 3));
            expected.push(format!(
                "{vm} info 3: {:.1} {:?} {:e}",
                f64::from(x) / 3.0,
                f64::from(x),
                u128::from(x) << 100
            ));
            expected.push(format!("{vm} info 9: "));
        }
        assert_eq!(printed(done.logs()), expected, "{engine:?}");
        assert_eq!(done.output::<Vec<u32>>().unwrap(), column);
    }
}

#[routine]
fn prints_values(x: u32) -> u32 {
    let mark = match x % 3 {
        0 => Mark::Empty,
        1 => Mark::Filled {
            by: x as u8,
            spots: [Spot { x: 0.5, y: -1.0 }; 2],
        },
        _ => Mark::Two(-i64::from(x), 1 << 90),
    };
    println!("{mark:?} {:?}", Some((x, [x as u8; 3])));
    println!("{mark:#?}");
    println!("{:.2?} {:x?}", (x as f32, mark), [x; 2]);
    x
}

#[test]
fn values_are_shown_as_derived() {
    for engine in ENGINES {
        let column: Vec<u32> = (20..26).collect();
        let done = runtime()
            .launch("prints_values")
            .unwrap()
            .args((&column,))
            .engine(engine)
            .run()
            .unwrap();
        let mut expected = Vec::new();
        for (vm, &x) in column.iter().enumerate() {
            let mark = match x % 3 {
                0 => Mark::Empty,
                1 => Mark::Filled {
                    by: x as u8,
                    spots: [Spot { x: 0.5, y: -1.0 }; 2],
                },
                _ => Mark::Two(-i64::from(x), 1 << 90),
            };
            expected.push(format!("{vm} info 0: {mark:?} {:?}", Some((x, [x as u8; 3]))));
            expected.push(format!("{vm} info 1: {mark:#?}"));
            expected.push(format!("{vm} info 2: {:.2?} {:x?}", (x as f32, mark), [x; 2]));
        }
        assert_eq!(printed(done.logs()), expected, "{engine:?}");
    }
}

#[routine]
fn collatz_aloud(n: u32) -> u32 {
    let mut n = n;
    let mut steps = 0;
    print!("{n}");
    while n > 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        print!(" -> {n}");
        steps += 1;
    }
    println!();
    if steps > 10 {
        eprintln!("{steps} steps");
    }
    steps
}

#[test]
fn vms_print_each_as_much_as_it_has() {
    for engine in ENGINES {
        let column: Vec<u32> = (1..=30).collect();
        let limit = LogLimit {
            of_a_vm: 1000,
            in_all: 100_000,
        };
        let launch = runtime()
            .launch("collatz_aloud")
            .unwrap()
            .args((&column,))
            .log_limit(limit);
        let done = launch.engine(engine).run().unwrap();
        let mut expected = Vec::new();
        for (vm, &start) in column.iter().enumerate() {
            let (mut n, mut steps, mut text) = (start, 0, start.to_string());
            while n > 1 {
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                text += &format!(" -> {n}");
                steps += 1;
            }
            expected.push((vm as u32, text));
            if steps > 10 {
                expected.push((vm as u32, format!("{steps} steps")));
            }
        }
        let lines: Vec<(u32, String)> = done.logs().iter().map(|line| (line.vm, line.text.clone())).collect();
        assert_eq!(lines, expected, "{engine:?}");
        assert_eq!(done.logs().dropped(), 0);
    }
}

#[test]
fn a_limit_holds_and_the_rest_is_counted() {
    for engine in ENGINES {
        let column: Vec<u32> = (1..=30).collect();
        let limit = LogLimit {
            of_a_vm: 3,
            in_all: 1000,
        };
        let launch = runtime()
            .launch("collatz_aloud")
            .unwrap()
            .args((&column,))
            .log_limit(limit);
        let done = launch.engine(engine).run().unwrap();
        let steps: Vec<u32> = done.output().unwrap();
        let all: u64 = steps
            .iter()
            .map(|&steps| u64::from(steps) + 2 + u64::from(steps > 10))
            .sum();
        let kept: u64 = steps.iter().map(|&steps| (u64::from(steps) + 2).min(3)).sum();
        assert_eq!(done.logs().dropped(), all - kept, "{engine:?}");
        assert_eq!(done.logs().len(), 30, "{engine:?}");
        assert_eq!(done.logs()[2].text, "3 -> 10 -> 5", "{engine:?}");

        let limit = LogLimit {
            of_a_vm: 1000,
            in_all: 20,
        };
        let launch = runtime()
            .launch("collatz_aloud")
            .unwrap()
            .args((&column,))
            .log_limit(limit);
        let done = launch.engine(engine).run().unwrap();
        assert_eq!(done.logs().dropped(), all - 20, "{engine:?}");
    }
}

#[routine]
fn level_of(x: u32) -> u32 {
    gpuvm::log!(Level::Error, "error {x}");
    gpuvm::log!(Level::Warn, "warn {}", x + 1);
    gpuvm::log!(gpuvm::Level::Trace, "trace");
    let y = dbg!(x * 2) + 1;
    let (a, b) = dbg!(y, x == 3);
    eprint!("no end {b}");
    a
}

#[test]
fn lines_have_levels() {
    for engine in ENGINES {
        let done = runtime()
            .launch("level_of")
            .unwrap()
            .args((&[3u32],))
            .engine(engine)
            .run()
            .unwrap();
        let expected = [
            "0 error 0: error 3",
            "0 warn 1: warn 4",
            "0 trace 2: trace",
            "0 debug 3: x * 2 = 6",
            "0 debug 4: y = 7",
            "0 debug 4: x == 3 = true",
            "0 warn 5: no end true",
        ];
        assert_eq!(printed(done.logs()), expected, "{engine:?}");
        assert_eq!(done.output::<Vec<u32>>().unwrap(), [7]);
    }
}

#[routine]
fn say_in_callee(x: u32, depth: u32) -> u32 {
    println!("depth {depth}");
    if depth == 0 { x } else { say_in_callee(x, depth - 1) + 1 }
}

#[routine]
fn prints_and_traps(x: u32) -> u32 {
    let sum = say_in_callee(x, x % 3);
    assert!(x < 3, "{x:03} is too large, {:?}", [x as u8; 2]);
    println!("fine");
    sum
}

#[test]
fn what_is_printed_before_a_trap_is_kept() {
    for engine in ENGINES {
        let launch = runtime().launch("prints_and_traps").unwrap().args((&[2u32, 4, 0, 3],));
        let Err(Error::Trap(trap)) = launch.engine(engine).run() else {
            panic!("{engine:?} does not trap")
        };
        assert_eq!(trap.message, "004 is too large, [4, 4]", "{engine:?}");
        let lines: Vec<(u32, &str)> = trap
            .done()
            .logs()
            .iter()
            .map(|line| (line.vm, line.text.as_str()))
            .collect();
        let expected = [
            (0, "depth 2"),
            (0, "depth 1"),
            (0, "depth 0"),
            (0, "fine"),
            (1, "depth 1"),
            (1, "depth 0"),
            (2, "depth 0"),
            (2, "fine"),
            (3, "depth 0"),
        ];
        assert_eq!(lines, expected, "{engine:?}");
    }
}

#[routine]
fn prints_and_counts(me: &mut u32, bins: &[AtomicU32], out: &mut [u32]) -> u64 {
    let before = bins[(*me % 2) as usize].fetch_add(1, Ordering::Relaxed);
    *me += 1;
    out[0] = before.min(1);
    if vm::id() % 2 == 1 {
        println!("VM {} of {} at {me}", vm::id(), vm::count());
    }
    vm::yield_now();
    println!("{:?}", out);
    u64::from(*me)
}

#[test]
fn arguments_and_steps_are_as_without_a_log() {
    for engine in ENGINES {
        let mut column: Vec<u32> = vec![5, 5, 7, 7];
        let mut out = [9u32; 4];
        let bins: [AtomicU32; 2] = Default::default();
        let launch = runtime()
            .launch("prints_and_counts")
            .unwrap()
            .args((&mut column, &bins, &mut out));
        let done = launch.steps(2).engine(engine).run().unwrap();
        assert_eq!(done.output::<Vec<u64>>().unwrap(), [7, 7, 9, 9], "{engine:?}");
        assert_eq!(column, [7, 7, 9, 9]);
        assert_eq!(bins.map(AtomicU32::into_inner), [4, 4]);
        let told: Vec<&str> = done
            .logs()
            .iter()
            .filter(|line| line.text.starts_with('V'))
            .map(|line| line.text.as_str())
            .collect();
        assert_eq!(
            told,
            ["VM 1 of 4 at 6", "VM 1 of 4 at 7", "VM 3 of 4 at 8", "VM 3 of 4 at 9"],
            "{engine:?}"
        );
        assert_eq!(done.logs().len(), 12, "{engine:?}");
    }
}

#[test]
fn a_snapshot_keeps_what_was_printed() {
    for engine in pausing() {
        let launch = runtime().launch("prints_and_counts").unwrap();
        let (mut column, mut out, bins) = (vec![1u32; 6], [0u32; 6], [const { AtomicU32::new(0) }; 2]);
        let mut execution = launch
            .args((&mut column, &bins, &mut out))
            .engine(engine)
            .start()
            .unwrap();
        assert_eq!(
            execution.advance(gpuvm::Budget::unlimited()).unwrap(),
            Signal::Yield,
            "{engine:?}"
        );
        let saved = gpuvm::Snapshot::from_bytes(&execution.snapshot().unwrap().to_bytes()).unwrap();
        let before: Vec<_> = execution.logs().unwrap().to_vec();
        assert_eq!(before.len(), 3, "{engine:?}");
        drop(execution);
        for other in pausing() {
            let mut restored = runtime().restore_on(&saved, other).unwrap();
            restored.run_to_end().unwrap();
            let done = restored.finish().unwrap();
            assert_eq!(done.logs().len(), 9, "{engine:?} to {other:?}");
            assert_eq!(done.column::<u32>("me").unwrap(), [2; 6]);
        }
    }
}

#[routine]
fn doubled_aloud(x: u32) -> u32 {
    println!("double {x}");
    x * 2
}

#[routine]
fn added_aloud(x: u32, y: u32) -> u32 {
    if x % 4 == 0 {
        println!("{x} + {y}");
    }
    x + y
}

#[test]
fn plans_print_too() {
    for engine in ENGINES {
        let column: Vec<u32> = (0..5).collect();
        let mut plan = runtime().plan();
        let x = plan.input(&column);
        let twice = plan.map("doubled_aloud", (x,)).unwrap();
        let sum = plan.map("added_aloud", (twice, x)).unwrap();
        let done = plan.engine(engine).run().unwrap();
        assert_eq!(done.get::<u32>(sum).unwrap(), [0, 3, 6, 9, 12]);
        let lines: Vec<(u32, &str)> = done.logs().iter().map(|line| (line.vm, line.text.as_str())).collect();
        let expected = [
            (0, "double 0"),
            (0, "0 + 0"),
            (1, "double 1"),
            (2, "double 2"),
            (2, "4 + 2"),
            (3, "double 3"),
            (4, "double 4"),
            (4, "8 + 4"),
        ];
        assert_eq!(lines, expected, "{engine:?}");
    }
}

#[routine]
fn mixed_aloud(x: u32, y: u32) -> u32 {
    if (x ^ y) % 61 == 7 {
        print!("{x} ");
        println!("with {y}");
    }
    x.wrapping_mul(31).wrapping_add(y)
}

#[routine]
fn seldom(x: u32) -> bool {
    if x % 100 == 17 {
        println!("seldom {x}");
    }
    x % 3 == 0
}

#[routine]
fn named_aloud(x: u32) -> u32 {
    if x % 50 == 3 {
        println!("VM {} of {} has {x}", vm::id(), vm::count());
    }
    x
}

/// Folds, filters and what reads what they leave have VMs that are not the launch's: the texts of an element have its number everywhere.
#[test]
fn nodes_whose_vms_are_elements_print_the_same_everywhere() {
    for length in [1u32, 2, 255, 300, 3000, 70_000] {
        let column: Vec<u32> = (0..length).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect();
        let told: Vec<_> = ENGINES
            .iter()
            .map(|&engine| {
                let mut plan = runtime().plan();
                let x = plan.input(&column);
                let named = plan.map("named_aloud", (x,)).unwrap();
                let all = plan.reduce("mixed_aloud", named).unwrap();
                let sums = plan.scan("mixed_aloud", x).unwrap();
                let some = plan.filter("seldom", x).unwrap();
                let kept = plan.map("named_aloud", (some,)).unwrap();
                let rest = plan.reduce("mixed_aloud", kept).unwrap();
                plan.output(all).output(sums).output(kept).output(rest);
                let done = plan.engine(engine).run().unwrap();
                let results = [all, sums, kept, rest].map(|node| done.get::<u32>(node).unwrap());
                let mut lines: Vec<_> = done
                    .logs()
                    .iter()
                    .map(|line| (line.vm, line.line, line.text.clone()))
                    .collect();
                // Nodes of one level may run in any order, and beyond the limit engines keep other texts.
                lines.sort();
                (engine, results, lines, done.logs().dropped())
            })
            .collect();
        let (_, results, lines, dropped) = &told[0];
        assert_eq!(*dropped, 0);
        assert!(lines.len() >= length as usize / 50, "{length}: {}", lines.len());
        for (engine, others, other_lines, other_dropped) in &told[1..] {
            assert_eq!(others, results, "{engine}, {length}");
            assert_eq!(other_lines.len(), lines.len(), "{engine}, {length}");
            assert_eq!(other_lines, lines, "{engine}, {length}");
            assert_eq!(other_dropped, dropped, "{engine}, {length}");
        }
    }
}

#[test]
fn functions_print_outside_of_a_launch_as_any() {
    assert_eq!(level_of(3), 7);
    assert_eq!(prints_values(4), 4);
}

#[routine]
fn prints_ranges(x: u32) -> u32 {
    let mut given = 1..=x;
    given.by_ref().for_each(|_| {});
    println!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {given:?} {:3?}",
        0..x,
        x..,
        ..x,
        2..=x,
        ..=x,
        ..,
        'a'..'b'
    );
    x
}

#[test]
fn ranges_are_shown_as_they_are_written() {
    for engine in ENGINES {
        let done = runtime()
            .launch("prints_ranges")
            .and_then(|launch| launch.args((&[7u32],)).engine(engine).run())
            .expect("a launch");
        let texts: Vec<&str> = done.logs().iter().map(|line| line.text.as_str()).collect();
        assert_eq!(
            texts,
            ["0..7 7.. ..7 2..=7 ..=7 .. 7..=7 (exhausted) 'a'..'b'"],
            "{engine:?}"
        );
    }
}
