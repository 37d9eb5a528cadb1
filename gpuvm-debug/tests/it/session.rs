//! Sessions: stops, steps both ways, values, watchpoints.

use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm_core::program::Status;
use gpuvm_debug::{Expression, Session, Step, Stop, Wanted};
use gpuvm_engine::StopAt;

use crate::programs::{ENGINES, Turn, Walker, backend, collatz_of, line, runtime};

fn expression(text: &str) -> Expression {
    Expression::parse(text).unwrap()
}

fn value(session: &mut Session<'_, '_>, text: &str) -> String {
    let value = session.evaluate(0, &expression(text));
    value.map_or_else(|error| error.to_string(), |value| value.show())
}

fn never() -> bool {
    false
}

#[test]
fn all_vms_stop_at_a_line_and_one_is_stepped() {
    let starts: Vec<u32> = (1..200).collect();
    for engine in ENGINES {
        let mut execution = collatz_of(&starts, engine);
        let mut session = Session::new(&mut execution);
        let at = line("n = if n % 2 == 0");
        let placed = session.set_breakpoints("/elsewhere/gpuvm-debug/tests/it/programs.rs", vec![Wanted::at(at)]);
        assert_eq!(placed[0].line, Some(at));
        let stop = session.resume(&mut never).unwrap();
        // VM 0 starts at 1 and never comes there.
        assert_eq!(
            stop,
            Stop::Breakpoint {
                breakpoints: vec![0],
                vms: 198
            },
            "{engine}"
        );
        assert_eq!(session.vm(), 1, "{engine}");
        session.select(26).unwrap();
        assert_eq!(value(&mut session, "n"), "27");
        assert_eq!(value(&mut session, "n * 3 + 1 == 82 && steps == 0"), "true");
        // At once back to what came before the stop, and forwards again.
        assert_eq!(session.step_back(Step::Over, &mut never).unwrap(), Stop::Step);
        assert_eq!(session.stack().unwrap()[0].line, at - 1, "{engine}");
        assert_eq!(session.step(Step::Over, &mut never).unwrap(), Stop::Step);
        assert_eq!(value(&mut session, "n"), "27");
        assert_eq!(session.step(Step::Over, &mut never).unwrap(), Stop::Step);
        assert_eq!(session.stack().unwrap()[0].line, at + 1, "{engine}");
        assert_eq!(value(&mut session, "n"), "82", "{engine}");
        for _ in 0..2 {
            session.step(Step::Over, &mut never).unwrap();
        }
        assert_eq!(value(&mut session, "steps"), "1", "{engine}");
        // Back to where it was stopped, and before that.
        for _ in 0..3 {
            assert_eq!(
                session.step_back(Step::Over, &mut never).unwrap(),
                Stop::Step,
                "{engine}"
            );
        }
        assert_eq!(
            (value(&mut session, "n"), session.stack().unwrap()[0].line),
            ("27".to_string(), at),
            "{engine}"
        );
        let mut lines = Vec::new();
        while session.step_back(Step::Over, &mut never).unwrap() == Stop::Step {
            lines.push(session.stack().unwrap()[0].line - line("pub fn collatz"));
        }
        // The head is no line of its body.
        assert_eq!(lines, [3, 2, 1], "{engine}");
        drop(session);
        // The session was dropped without `end`: VM 26 stands where it stood in the launch.
        execution.stop_at([]);
        assert_eq!(execution.run_to_end().unwrap(), Signal::Halt);
        let steps: Vec<u32> = execution.finish().unwrap().output().unwrap();
        assert_eq!(steps[26], 111, "{engine}");
    }
}

#[test]
fn a_vm_passes_a_breakpoint_once_however_short_the_advances_are() {
    // More than one job of the reference engine has.
    let starts = vec![2; 140_000];
    let mut execution = collatz_of(&starts, Engine::Reference);
    let program = execution.program().clone();
    let file = program.files.iter().position(|file| file.ends_with("programs.rs"));
    let at = program.entries(file.unwrap() as u32, line("n = if n % 2 == 0"));
    execution.stop_at(at.iter().map(|&instruction| StopAt {
        instruction,
        guard: None,
    }));
    let mut seen = vec![0; starts.len()];
    while execution.advance(Budget::time(Duration::ZERO)).unwrap() != Signal::Halt {
        let frozen = execution.freeze(false).unwrap();
        for (vm, seen) in (0..).zip(&mut seen) {
            let stands = frozen.stands(vm);
            *seen += u32::from(stands.is_some_and(|(status, ip)| status == Status::Running && at.contains(&ip)));
        }
    }
    assert!(seen.iter().all(|seen| *seen == 1), "{:?}", seen.iter().max());
}

#[test]
fn what_a_program_needs_no_more_is_shown_where_it_is_paused() {
    let optimised = Runtime::builder().backend(backend()).build().unwrap();
    for engine in ENGINES {
        for (runtime, is_debug) in [(runtime(), true), (&optimised, false)] {
            let seeds: Vec<u32> = (0..64).collect();
            let launch = runtime.launch("scramble").unwrap().args((&seeds, 1_000_000_000_u32));
            let mut execution = launch.engine(engine).start().unwrap();
            let mut session = Session::new(&mut execution);
            let mut looks = 0;
            let stop = session.resume(&mut || {
                looks += 1;
                looks > 3
            });
            assert_eq!(stop.unwrap(), Stop::Paused, "{engine}");
            for vm in [0u32, 5, 63] {
                session.select(vm).unwrap();
                let first = vm.wrapping_mul(3) ^ 0x55;
                let second = first.wrapping_mul(first) >> 3;
                let third = second.wrapping_mul(vm) | 1;
                let kept = [vm, first, second, third, third.wrapping_mul(second) >> 5].map(|value| value.to_string());
                let shown = ["seed", "first", "second", "third", "fourth"].map(|name| value(&mut session, name));
                let gone = |shown: &String| !is_debug && shown.contains("optimised away");
                let right = shown
                    .iter()
                    .zip(&kept)
                    .all(|(shown, kept)| shown == kept || gone(shown));
                assert!(right, "{engine}: VM {vm} has {shown:?}, not {kept:?}");
            }
        }
    }
}

#[test]
fn who_looks_without_a_session_sees_what_is_kept() {
    let optimised = Runtime::builder().backend(backend()).build().unwrap();
    for engine in ENGINES {
        for keeps in [true, false] {
            let seeds: Vec<u32> = (0..64).collect();
            let launch = optimised.launch("scramble").unwrap().args((&seeds, 1_000_000_000_u32));
            let mut execution = launch.engine(engine).start().unwrap();
            execution.keep_variables(keeps);
            let view = loop {
                let budget = Budget::time(Duration::from_millis(50));
                assert_eq!(execution.advance(budget).unwrap(), Signal::Checkpoint);
                let view = execution.vm(5).unwrap();
                // It turns by now.
                if view.variable("turn").is_some_and(|turn| turn != "?" && turn != "0") {
                    break view;
                }
            };
            let expected = match keeps || engine != Engine::Specialized {
                true => ["?", "5061", "160054"],
                // It needs neither any more.
                false => ["?", "?", "?"],
            };
            let shown = ["second", "third", "fourth"].map(|name| view.variable(name).unwrap());
            assert_eq!(shown, expected, "{engine}");
        }
    }
}

#[test]
fn values_are_those_of_rust() {
    for engine in ENGINES {
        let mut walkers = vec![Walker::default(); 40];
        let mut trails = vec![0_u32; 40 * 4];
        let turns = 6_u32;
        let mut execution = {
            let launch = runtime()
                .launch("walk")
                .unwrap()
                .args((&mut walkers, &mut trails, turns));
            launch.engine(engine).start().unwrap()
        };
        let mut session = Session::new(&mut execution);
        let at = line("walker.steps += 1;");
        let third = Wanted::at(at).when(expression("i == 2 && vm::id() % 10 == 7"));
        session.set_breakpoints("programs.rs", vec![third]);
        let stop = session.resume(&mut never).unwrap();
        assert_eq!(
            stop,
            Stop::Breakpoint {
                breakpoints: vec![0],
                vms: 4
            },
            "{engine}"
        );
        assert_eq!(session.vm(), 7);
        // The same, natively.
        let (mut walker, mut trail) = (Walker::default(), [0; 4]);
        let mut seed = 7;
        let mut next = None;
        for i in 0..3 {
            let turned = crate::programs::turn(seed);
            walker.at.0 += match turned {
                Turn::Left => -1,
                Turn::Right { by } => i32::from(by % 3),
            };
            walker.at.1 += i as i32;
            next = Some(turned);
            if i < 2 {
                walker.steps += 1;
                walker.last = Some(turned);
                trail[i as usize % 4] = seed;
                seed = crate::programs::mix(seed, i);
            }
        }
        let shown = |session: &mut Session<'_, '_>, text: &str| value(session, text);
        assert_eq!(shown(&mut session, "*walker"), format!("{walker:?}"), "{engine}");
        assert_eq!(shown(&mut session, "walker.at.1"), format!("{}", walker.at.1));
        assert_eq!(shown(&mut session, "next"), format!("{:?}", next.unwrap()));
        assert_eq!(shown(&mut session, "trail[1]"), format!("{}", trail[1]));
        assert_eq!(shown(&mut session, "trail.len()"), "4");
        assert_eq!(shown(&mut session, "walker.last.is_some()"), "true");
        assert_eq!(shown(&mut session, "trail[4]"), "the len is 4 but the index is 4");
        assert_eq!(
            shown(&mut session, "seed as u8 as f32 * 0.5"),
            format!("{:?}", f32::from(seed as u8) * 0.5)
        );
        assert_eq!(
            shown(&mut session, "sed"),
            "no variable `sed` is in scope; there are `walker`, `trail`, `turns`, `seed`, `i`, `next`, `dx`"
        );
        // A step into two calls, and out of them.
        session.set_breakpoints("programs.rs", Vec::new());
        while session.stack().unwrap()[0].line != line("let next = turn(seed);") {
            assert_eq!(session.step(Step::Over, &mut never).unwrap(), Stop::Step);
        }
        session.step(Step::In, &mut never).unwrap();
        session.step(Step::In, &mut never).unwrap();
        let names = |session: &mut Session<'_, '_>| -> Vec<String> {
            session
                .stack()
                .unwrap()
                .iter()
                .map(|frame| frame.routine.clone())
                .collect()
        };
        while names(&mut session).len() < 3 {
            session.step(Step::In, &mut never).unwrap();
        }
        assert_eq!(names(&mut session), ["mix", "turn", "walk"], "{engine}");
        let stack = session.stack().unwrap();
        assert_eq!(
            stack[0]
                .arguments
                .iter()
                .map(|shown| shown.name.as_str())
                .collect::<Vec<_>>(),
            ["seed", "salt"]
        );
        assert_eq!(stack[1].line, line("let bits = mix(seed, 17);"));
        let salt = session.evaluate(0, &expression("salt")).unwrap();
        assert_eq!(salt.show(), "17");
        assert!(session.evaluate(1, &expression("salt")).is_err());
        session.step(Step::Out, &mut never).unwrap();
        assert_eq!(names(&mut session), ["turn", "walk"], "{engine}");
        session.step(Step::Out, &mut never).unwrap();
        assert_eq!(names(&mut session), ["walk"], "{engine}");
        // What is set is what goes on.
        while session.stack().unwrap()[0].line != line("walker.at.0 += dx;") {
            session.step(Step::Over, &mut never).unwrap();
        }
        session.assign(0, "dx", &expression("1000")).unwrap();
        session.assign(0, "trail[2]", &expression("0xdead_u32")).unwrap();
        let error = session.assign(0, "dx", &expression("true")).unwrap_err().to_string();
        assert_eq!(error, "`true` is true of type `bool`, and `i32` is needed");
        session.end().unwrap();
        assert_eq!(execution.run_to_end().unwrap(), Signal::Halt, "{engine}");
        execution.finish().unwrap();
        assert!(walkers[7].at.0 >= 1000 - 6, "{engine}: {:?}", walkers[7]);
        assert!(walkers[6].at.0 < 100 && walkers[6].steps == 6);
        assert_eq!(
            (trails[7 * 4 + 2], trails[6 * 4 + 2] == 0xdead),
            (0xdead, false),
            "{engine}"
        );
    }
}
