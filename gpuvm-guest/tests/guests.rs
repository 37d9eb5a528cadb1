//! Guests as a host has them: arguments, input, system calls of its own, budgets, copies.

use std::time::Duration;

use gpuvm::Engine;
use gpuvm_guest::{Answer, Call, Error, Guests, Linux, Program, Settings, Start, Stop, System};

use crate::support::{RISCV, bytes, elf, on, program, runtime};

/// Engines that this is asked of. Programs that are not specialised say nothing else on the others.
const ENGINES: [Engine; 3] = [Engine::Native, Engine::Reference, Engine::Interpreter];

/// A program of a few RISC-V instructions.
fn code(words: &[u32]) -> Program {
    Program::from_elf(&elf(RISCV, true, &bytes(words), 7)).expect("a program")
}

const ECALL: u32 = 0x73;
const LI_A7_93: u32 = 0x05d0_0893;

/// Doubles what it is asked, and hands the rest on.
struct Doubler {
    linux: Linux,
    asked: Vec<(usize, u64, Vec<u8>)>,
}

impl System for Doubler {
    fn wants(&mut self, call: &Call<'_>, seen: &[Vec<u8>]) -> Vec<(u64, u64)> {
        match (call.number, seen) {
            (2000, []) => vec![(call.arguments[1], 4), (call.arguments[1] + 2, 2)],
            (2000, _) => Vec::new(),
            _ => self.linux.wants(call, seen),
        }
    }

    fn answer(&mut self, call: &mut Call<'_>, seen: &[Vec<u8>]) -> Answer {
        if call.number != 2000 {
            return self.linux.answer(call, seen);
        }
        self.asked.push((call.guest, call.arguments[0], seen.concat()));
        call.write(call.arguments[1], [call.guest as u8, 7]);
        Answer::Value(call.arguments[0] * 2)
    }
}

#[test]
fn a_handler_answers_its_own_calls() {
    // lw a0, (sp): argc; addi a1, sp, -16; sw a0, (a1); li a7, 2000; ecall; lh a1, (a1); add a0, a0, a1; li a7, 93; ecall
    let program = code(&[
        0x0001_2503,
        0xff01_0593,
        0x00a5_a023,
        0x7d00_0893,
        ECALL,
        0x0005_9583,
        0x00b5_0533,
        LI_A7_93,
        ECALL,
    ]);
    for engine in ENGINES {
        let starts = (0..5).map(|guest| Start::with(vec!["x"; guest]));
        let mut guests = Guests::new(runtime(), std::slice::from_ref(&program), starts, on(engine)).expect("guests");
        let mut system = Doubler {
            linux: Linux::default(),
            asked: Vec::new(),
        };
        guests.run(&mut system).expect("a run");
        for guest in 0..5 {
            let expected = guest as i32 * 2 + guest as i32 + 0x700;
            assert_eq!(guests.stop(guest), Some(Stop::Exited(expected)));
            let argument = guest as u8;
            assert_eq!(
                system.asked[guest],
                (guest, guest as u64, vec![argument, 0, 0, 0, 0, 0])
            );
        }
    }
}

#[test]
fn a_bad_pointer_is_an_error_of_the_call() {
    // li a7, 63; li a0, 0; li a1, 16; li a2, 4; ecall; neg a0, a0; li a7, 93; ecall
    let program = code(&[
        0x03f0_0893,
        0x513,
        0x0100_0593,
        0x0040_0613,
        ECALL,
        0x40a0_0533,
        LI_A7_93,
        ECALL,
    ]);
    let start = Start::default().reading(*b"abcd");
    let mut guests = Guests::new(runtime(), &[program], [start], on(Engine::Native)).expect("guests");
    guests.run(&mut Linux::default()).expect("a run");
    assert_eq!(guests.stop(0), Some(Stop::Exited(14)));
}

#[test]
fn budgets_end_and_are_raised() {
    for engine in ENGINES {
        let settings = Settings {
            budget: 1000,
            slice: 300,
            ..on(engine)
        };
        let programs = [program("c/collatz.riscv32")];
        let starts = (0..3).map(|number: u32| Start::with(["collatz".to_string(), (number * 10).to_string()]));
        let mut guests = Guests::new(runtime(), &programs, starts, settings).expect("guests");
        guests.run(&mut Linux::default()).expect("a run");
        for guest in 0..3 {
            let stop = guests.stop(guest);
            assert!(matches!(stop, Some(Stop::OutOfBudget { .. })), "{stop:?}");
            assert_eq!(guests.retired(guest), 1000);
        }
        guests.set_budget(1_000_000);
        guests.run(&mut Linux::default()).expect("a run");
        assert_eq!(
            String::from_utf8_lossy(guests.output(0)),
            "9 takes 19 steps, highest 00000000000000a0\n"
        );
    }
}

/// Waits at its first read.
struct Waits(Linux);

impl System for Waits {
    fn wants(&mut self, call: &Call<'_>, seen: &[Vec<u8>]) -> Vec<(u64, u64)> {
        self.0.wants(call, seen)
    }

    fn answer(&mut self, call: &mut Call<'_>, seen: &[Vec<u8>]) -> Answer {
        let reads = call.number == 63 && call.streams.input.is_empty();
        if reads { Answer::Wait } else { self.0.answer(call, seen) }
    }
}

/// One guest gets to its first read, becomes many, and each goes on with an input of its own.
fn forked(machine: &str, engine: Engine) {
    let programs = [program(&format!("c/crc.{machine}"))];
    let mut guests = Guests::new(runtime(), &programs, vec![Start::with(["crc"]); 12], on(engine)).expect("guests");
    guests.run(&mut Waits(Linux::default())).expect("a run");
    for guest in 0..12 {
        assert!(matches!(guests.stop(guest), Some(Stop::Syscall { number: 63, .. })));
    }
    // What the host writes is read by guest 5: "12" and the end, which all are to have.
    guests.feed(5, b"1").expect("a guest");
    let Some(Stop::Syscall { arguments, .. }) = guests.stop(5) else {
        panic!("it waits");
    };
    assert_eq!(guests.read(5, arguments[1], 4).expect("memory"), [0; 4]);
    guests.fork(5, 0..12).expect("a fork");
    for guest in 0..12 {
        assert_eq!(
            guests.registers(guest).expect("registers"),
            guests.registers(5).expect("registers")
        );
        guests.feed(guest, &[b'a' + guest as u8]).expect("a guest");
    }
    // The answer to the read is that there is nothing, so all of them compute the checksum of nothing.
    for guest in 0..12 {
        assert!(guests.answer(guest, 0).expect("a guest"));
    }
    guests.run(&mut Linux::default()).expect("a run");
    for guest in 0..12 {
        assert_eq!(guests.stop(guest), Some(Stop::Exited(0)));
        assert_eq!(
            String::from_utf8_lossy(guests.output(guest)),
            "0 00000000 cbf29ce484222325\n"
        );
        assert_eq!(guests.streams(guest).input, [b'1', b'a' + guest as u8]);
    }
    assert!(!guests.answer(3, 0).expect("a guest"));
}

#[test]
fn one_becomes_many() {
    for engine in ENGINES {
        forked("riscv64", engine);
    }
    forked("aarch64", Engine::Native);
}

#[test]
fn clocks_show_what_is_given() {
    // addi a1, sp, -32; li a0, 0; li a7, 113; ecall; ld a0, (a1); ld a2, 8(a1); sub a0, a0, a2; li a7, 93; ecall
    let program = code(&[
        0xfe01_0593,
        0x513,
        0x0710_0893,
        ECALL,
        0x0005_b503,
        0x0085_b603,
        0x40c5_0533,
        LI_A7_93,
        ECALL,
    ]);
    let mut guests = Guests::new(runtime(), &[program], [Start::default()], on(Engine::Native)).expect("guests");
    guests.run(&mut Linux::at(Duration::new(1000, 58))).expect("a run");
    assert_eq!(guests.stop(0), Some(Stop::Exited(942)));
}

#[test]
fn what_cannot_be_run_is_told() {
    let riscv = program("c/sort.riscv64");
    let arm = program("c/sort.aarch64");
    let told = |programs: &[Program], starts: Vec<Start>, settings| {
        let error = Guests::new(runtime(), programs, starts, settings)
            .map(|_| ())
            .expect_err("an error");
        error.to_string()
    };
    let settings = on(Engine::Native);
    assert_eq!(
        told(&[riscv.clone(), arm], vec![Start::default()], settings.clone()),
        "program 1 is for another machine than the first; guests that run side by side have one machine"
    );
    assert_eq!(
        told(&[], vec![Start::default()], settings.clone()),
        "there are no programs; guests need at least one"
    );
    assert_eq!(
        told(std::slice::from_ref(&riscv), Vec::new(), settings.clone()),
        "there are no guests; guests need at least one"
    );
    let other = Start {
        program: 1,
        ..Start::default()
    };
    assert_eq!(
        told(
            std::slice::from_ref(&riscv),
            vec![Start::default(), other],
            settings.clone()
        ),
        "guest 1 is to run program 1, and there are 1"
    );
    assert_eq!(
        told(
            std::slice::from_ref(&riscv),
            vec![Start::with(["a".repeat(40_000)])],
            settings
        ),
        "guest 0 has 40336 bytes of arguments and environment, more than half of its stack; give it a larger `stack`"
    );
    let x86 = elf(62, true, &[0], 5);
    let error = Program::from_elf(&x86).expect_err("an error");
    assert!(matches!(error, Error::Machine(_)), "{error}");
}

#[test]
fn addresses_have_names() {
    let program = program("c/sort.riscv64");
    let main = program.address_of("main").expect("a function");
    assert_eq!(program.symbol(main + 4), Some(("main", 4)));
    assert_eq!(program.symbol(0x10), None);
}
