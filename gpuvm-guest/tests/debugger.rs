//! A guest under a debugger does what it does otherwise, forward and back, and gdb's protocol finds it there.

use gpuvm::Engine;
use gpuvm_guest::{Answer, Call, Debugger, Error, Guests, Linux, Settings, Start, Stop, StopReason, System};
use proptest::prelude::*;

use crate::support::{endless, on, program, runtime, translated_on};

/// A program for each machine, the larger ones with system calls, callbacks and floats among them.
const PROGRAMS: [&str; 6] = [
    "c/collatz.riscv32",
    "c/collatz.riscv64",
    "c/collatz.aarch64",
    "c/callbacks.riscv32",
    "c/matrix.riscv64",
    "c/matrix.aarch64",
];

/// Three guests of a program.
fn three(name: &str, settings: Settings) -> Guests {
    let starts = (3..6).map(|number| Start::with([name.to_string(), number.to_string()]));
    Guests::new(runtime(), &[program(name)], starts, settings).expect("guests")
}

fn never() -> bool {
    false
}

/// Where a guest is: instructions, address, registers.
fn place(debugger: &Debugger<'_>) -> (u64, u64, Vec<u64>) {
    (debugger.retired(), debugger.pc(), debugger.registers())
}

#[test]
fn what_is_debugged_does_the_same() {
    for name in PROGRAMS {
        for settings in [on(Engine::Native), translated_on(Engine::Reference)] {
            let mut whole = three(name, settings.clone());
            whole.run(&mut Linux::default()).unwrap();
            let mut guests = three(name, settings.clone());
            // Taken over in the middle, if it lasts as long, and given back before its end.
            guests.set_budget(2_000);
            guests.run(&mut Linux::default()).unwrap();
            guests.set_budget(u64::MAX);
            let mut debugger = guests.debug(1).unwrap();
            for _ in 0..1_500 {
                debugger.step(&mut Linux::default());
            }
            debugger.close().unwrap();
            guests.run(&mut Linux::default()).unwrap();
            for guest in 0..3 {
                assert_eq!(guests.stop(guest), whole.stop(guest), "{name}");
                assert_eq!(guests.streams(guest), whole.streams(guest), "{name}");
                assert_eq!(guests.retired(guest), whole.retired(guest), "{name}");
                assert_eq!(
                    guests.registers(guest).unwrap(),
                    whole.registers(guest).unwrap(),
                    "{name}"
                );
            }
            // And to its end at once.
            let mut guests = three(name, settings);
            let mut debugger = guests.debug(1).unwrap();
            let ended = debugger.resume(&mut Linux::default(), &mut never);
            assert_eq!(Some(ended), whole.stop(1).map(StopReason::Stopped));
            debugger.close().unwrap();
            assert_eq!(guests.retired(1), whole.retired(1), "{name}");
            assert_eq!(guests.registers(1).unwrap(), whole.registers(1).unwrap(), "{name}");
            assert!(matches!(whole.stop(1), Some(Stop::Exited(_))), "{name}");
            assert_eq!(guests.stop(0), None);
        }
    }
}

/// Linux, and how often it was asked.
#[derive(Default)]
struct Counted {
    linux: Linux,
    answers: u32,
}

impl System for Counted {
    fn wants(&mut self, call: &Call<'_>, seen: &[Vec<u8>]) -> Vec<(u64, u64)> {
        self.linux.wants(call, seen)
    }

    fn answer(&mut self, call: &mut Call<'_>, seen: &[Vec<u8>]) -> Answer {
        self.answers += 1;
        self.linux.answer(call, seen)
    }
}

#[test]
fn it_goes_back_over_each_instruction() {
    for name in PROGRAMS {
        let mut guests = three(name, on(Engine::Native));
        let mut debugger = guests.debug(2).unwrap();
        let mut system = Counted::default();
        let mut trace = vec![place(&debugger)];
        loop {
            let reason = debugger.step(&mut system);
            trace.push(place(&debugger));
            if reason != StopReason::Step {
                break;
            }
        }
        let answers = system.answers;
        assert!(answers > 1, "it writes and exits");
        // From the end, the last three hundred, and then to the beginning.
        let last = trace.len() - 1;
        for at in (last.saturating_sub(300)..last).rev() {
            assert_eq!(debugger.step_back(), StopReason::Step);
            assert_eq!(place(&debugger), trace[at], "{name}");
            assert_eq!(debugger.stop(), None);
        }
        assert_eq!(debugger.resume_back(), StopReason::Beginning);
        assert_eq!(place(&debugger), trace[0]);
        assert_eq!(debugger.step_back(), StopReason::Beginning);
        let end = debugger.resume(&mut system, &mut never);
        assert!(matches!(end, StopReason::Stopped(Stop::Exited(_))));
        assert_eq!(place(&debugger), trace[last]);
        assert_eq!(system.answers, answers, "what was answered is not asked again");
    }
}

#[test]
fn it_stops_at_breakpoints_and_where_memory_changes() {
    for name in ["c/collatz.riscv32", "c/collatz.riscv64", "c/collatz.aarch64"] {
        let mut guests = three(name, on(Engine::Native));
        let (main, used) = {
            let program = guests.program(0);
            (
                program.address_of("main").unwrap(),
                program.address_of("out_used").unwrap(),
            )
        };
        let mut debugger = guests.debug(0).unwrap();
        let mut system = Linux::default();
        debugger.set_breakpoint(main);
        assert_eq!(debugger.resume(&mut system, &mut never), StopReason::Breakpoint);
        assert_eq!(debugger.pc(), main);
        let at_main = debugger.retired();
        // Each character that it puts.
        debugger.set_watchpoint(used, 4);
        let mut changes = Vec::new();
        loop {
            match debugger.resume(&mut system, &mut never) {
                StopReason::Watchpoint { address } => {
                    assert_eq!(address, used);
                    changes.push((debugger.retired(), debugger.read(used, 4)));
                }
                reason => break assert!(matches!(reason, StopReason::Stopped(Stop::Exited(_)))),
            }
        }
        assert!(changes.len() > 20, "{name}");
        assert_eq!(changes[0].1, [1, 0, 0, 0]);
        // And back: each is about to change then.
        for (retired, _) in changes.iter().rev() {
            assert_eq!(
                debugger.resume_back(),
                StopReason::Watchpoint { address: used },
                "{name}"
            );
            assert_eq!(debugger.retired() + 1, *retired);
        }
        assert_eq!(debugger.resume_back(), StopReason::Breakpoint);
        assert_eq!((debugger.pc(), debugger.retired()), (main, at_main));
        assert!(debugger.clear_breakpoint(main) && !debugger.clear_breakpoint(main));
        assert!(debugger.clear_watchpoint(used, 4) && !debugger.clear_watchpoint(used, 4));
        assert_eq!(debugger.resume_back(), StopReason::Beginning);
    }
}

#[test]
fn what_is_changed_is_another_guests_future() {
    let name = "c/collatz.riscv64";
    let mut guests = three(name, on(Engine::Native));
    let out = guests.program(0).address_of("out").unwrap();
    let mut debugger = guests.debug(0).unwrap();
    let mut system = Linux::default();
    debugger.set_watchpoint(out, 1);
    let reason = debugger.resume(&mut system, &mut never);
    assert_eq!(reason, StopReason::Watchpoint { address: out });
    // Its first character becomes another one.
    let (changed, first) = (debugger.retired(), debugger.read(out, 1));
    assert!(debugger.write(out, b"#"));
    assert!(!debugger.write(0x10, &[1]), "no memory is there");
    // As much as there is, of however much.
    let rest = debugger.read(out, u64::MAX);
    assert!(
        rest[..1] == *b"#" && rest.len() > 512 && rest.len() < 1 << 22,
        "{}",
        rest.len()
    );
    assert_eq!(debugger.read(1 << 32, 4), []);
    assert_eq!(debugger.read(u64::MAX, u64::MAX), []);
    assert!(debugger.clear_watchpoint(out, 1));
    let end = debugger.resume(&mut system, &mut never);
    assert!(matches!(end, StopReason::Stopped(Stop::Exited(_))));
    while debugger.retired() > changed {
        debugger.step_back();
    }
    assert_eq!(debugger.read(out, 1), b"#");
    debugger.step_back();
    assert_eq!(debugger.read(out, 1), [0], "as it was before both");
    debugger.resume(&mut system, &mut never);
    debugger.close().unwrap();
    let mut whole = three(name, on(Engine::Native));
    whole.run(&mut Linux::default()).unwrap();
    let (before, after) = (whole.output(0), guests.output(0));
    assert_eq!(before[..1], first);
    assert_eq!([b"#", &before[1..]].concat(), after);
    // Who is not closed is as before.
    let registers = guests.registers(1).unwrap();
    let mut debugger = guests.debug(1).unwrap();
    assert!(debugger.set_register(5, 77) && !debugger.set_register(32, 1));
    assert!(debugger.set_register(0, 1));
    assert_eq!(debugger.registers()[..6][5], 77);
    assert_eq!(debugger.registers()[0], 0);
    drop(debugger);
    assert_eq!(guests.registers(1).unwrap(), registers);
    assert!(matches!(guests.debug(3), Err(Error::Guest { guest: 3, guests: 3 })));
}

#[test]
fn it_is_interrupted_and_keeps_to_its_budget() {
    let mut guests = endless();
    guests.set_budget(100_000);
    let mut debugger = guests.debug(0).unwrap();
    let mut asked = 0;
    let mut second = || {
        asked += 1;
        asked == 2
    };
    let reason = debugger.resume(&mut Linux::default(), &mut second);
    assert_eq!(reason, StopReason::Interrupted);
    let reached = debugger.retired();
    assert!(reached > 0 && reached < 100_000);
    let pc = match debugger.resume(&mut Linux::default(), &mut never) {
        StopReason::Stopped(Stop::OutOfBudget { pc }) => pc,
        reason => panic!("{reason:?}"),
    };
    assert_eq!((debugger.pc(), debugger.retired()), (pc, 100_000));
    debugger.step_back();
    assert_eq!(debugger.retired(), 99_999);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Wherever it has been, it is the same there again.
    #[test]
    fn it_finds_back_to_each_place(ways in prop::collection::vec((any::<bool>(), 0u64..4000), 1..12), which in 0..PROGRAMS.len()) {
        let mut guests = three(PROGRAMS[which], on(Engine::Native));
        let mut straight = three(PROGRAMS[which], on(Engine::Native));
        let mut debugger = guests.debug(1).unwrap();
        let mut system = Linux::default();
        for (forward, steps) in ways {
            for _ in 0..steps {
                let goes_on = match forward {
                    true => debugger.stop().is_none() && debugger.step(&mut system) == StopReason::Step,
                    false => debugger.step_back() == StopReason::Step,
                };
                // One far way back is enough.
                if !goes_on || !forward && steps > 100 && debugger.retired().is_multiple_of(50) {
                    break;
                }
            }
        }
        let mut other = straight.debug(1).unwrap();
        while other.retired() < debugger.retired() {
            other.step(&mut Linux::default());
        }
        prop_assert_eq!(place(&debugger), place(&other));
        prop_assert_eq!(debugger.read(debugger.registers()[2], 64), other.read(other.registers()[2], 64));
        debugger.close().unwrap();
        other.close().unwrap();
        prop_assert_eq!(guests.streams(1), straight.streams(1));
    }
}
