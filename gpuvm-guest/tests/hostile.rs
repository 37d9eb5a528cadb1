//! Guests that do what they should not. Each has a fault of its own, with its address; others, and the host, do not notice.

use gpuvm::Engine;
use gpuvm_guest::{FaultKind, Guests, Linux, Program, Settings, Start, Stop};
use proptest::prelude::*;

use crate::support::{ARM, RISCV, bytes, elf, ended, on, runtime, translated_on};

/// A program of a few instructions.
fn code(words: &[u32]) -> Program {
    Program::from_elf(&elf(RISCV, true, &bytes(words), 7)).expect("a program")
}

/// Why programs of a few instructions stop, a guest each.
fn stops(programs: &[&[u32]], settings: Settings) -> Vec<Stop> {
    let programs: Vec<Program> = programs.iter().map(|words| code(words)).collect();
    let starts = (0..programs.len()).map(|program| Start {
        program,
        ..Start::default()
    });
    let settings = Settings {
        budget: 1000,
        ..settings
    };
    let guests = ended(&programs, starts.collect(), settings);
    (0..guests.len())
        .map(|guest| guests.stop(guest).expect("an end"))
        .collect()
}

const ADDI_A0_7: u32 = 0x0070_0513;
const LI_A7_93: u32 = 0x05d0_0893;
const ECALL: u32 = 0x73;

/// What each of these does is told by kind, address and place.
fn faults(settings: Settings) {
    let fault = |kind, address, pc| Stop::Fault { kind, address, pc };
    let cases: Vec<(&[u32], Stop)> = vec![
        (&[ADDI_A0_7, LI_A7_93, ECALL], Stop::Exited(7)),
        (&[0], fault(FaultKind::Undefined, 0x1_0000, 0x1_0000)),
        (&[0x13, 0xffff_ffff], fault(FaultKind::Undefined, 0x1_0004, 0x1_0004)),
        // lw a0, 4(zero)
        (&[0x0040_2503], fault(FaultKind::Load, 4, 0x1_0000)),
        // sd zero, -8(zero)
        (&[0xfe00_3c23], fault(FaultKind::Store, 0xffff_ffff_ffff_fff8, 0x1_0000)),
        // addi a0, zero, 1; slli a0, a0, 40; jr a0
        (
            &[0x0010_0513, 0x0285_1513, 0x0005_0067],
            fault(FaultKind::Fetch, 1 << 40, 1 << 40),
        ),
        // What lies behind the last instruction is zeros, and then nothing: a page of nops, and on.
        (&[0x0000_0013; 256], fault(FaultKind::Fetch, 0x1_0400, 0x1_0400)),
        // j .
        (&[0x0000_006f], Stop::OutOfBudget { pc: 0x1_0000 }),
        // ebreak
        (&[0x13, 0x0010_0073], Stop::Breakpoint { pc: 0x1_0004 }),
        // auipc a0, 0; addi a0, a0, 1; lr.w a1, (a0)
        (
            &[0x517, 0x0015_0513, 0x1005_25af],
            fault(FaultKind::Misaligned, 0x1_0001, 0x1_0008),
        ),
        // Changes its own code: sw of "li a0, 7" over an undefined instruction.
        // auipc a0, 0; lw a1, 20(a0); sw a1, 12(a0); 0; j +8; li a0, 7; li a7, 93; ecall
        (
            &[
                0x517,
                0x0145_2583,
                0x00b5_2623,
                0,
                0x0080_006f,
                ADDI_A0_7,
                LI_A7_93,
                ECALL,
            ],
            Stop::Exited(7),
        ),
        // addi sp, sp, -2048; sw zero, (sp); j -8: down the stack to its end.
        (
            &[0x8001_0113, 0x0001_2023, 0xff9f_f06f],
            // Heap and stack stand behind the page of the code.
            fault(FaultKind::Store, 0, 0x1_0004),
        ),
        // An unknown system call: li a7, 1000; ecall; neg a0, a0; li a7, 93; ecall
        (&[0x3e80_0893, ECALL, 0x40a0_0533, LI_A7_93, ECALL], Stop::Exited(38)),
    ];
    let programs: Vec<&[u32]> = cases.iter().map(|(words, _)| *words).collect();
    for (at, (stop, (_, expected))) in stops(&programs, settings).iter().zip(&cases).enumerate() {
        match (stop, expected) {
            // Where the stack ends is a matter of settings.
            (
                Stop::Fault { kind, pc, .. },
                Stop::Fault {
                    kind: want,
                    address: 0,
                    pc: at,
                },
            ) => {
                assert_eq!((kind, pc), (want, at));
            }
            _ => assert_eq!(stop, expected, "case {at}"),
        }
    }
}

#[test]
fn faults_natively() {
    faults(on(Engine::Native));
}

#[test]
fn faults_on_the_reference() {
    faults(on(Engine::Reference));
}

#[test]
fn faults_on_the_interpreter() {
    faults(on(Engine::Interpreter));
}

#[test]
fn faults_translated() {
    for engine in [Engine::Reference, Engine::Interpreter, Engine::Epoch] {
        faults(translated_on(engine));
    }
}

#[test]
fn private_pages_end() {
    // lui a1, 16; addi a1, a1, ...: stores to one word of each page of the heap, which the program has from `brk`.
    // li a7, 214; li a0, 0; ecall; mv a1, a0; lui a2, 16; add a0, a0, a2; ecall; sw zero, (a1); addi a1, a1, 1024; j -8
    let words = [
        0x0d60_0893,
        0x0000_0513,
        ECALL,
        0x0005_0593,
        0x0001_0637,
        0x00c5_0533,
        ECALL,
        0x0005_a023,
        0x4005_8593,
        0xff9f_f06f,
    ];
    let settings = Settings {
        memory: 8 << 10,
        ..on(Engine::Native)
    };
    let guests = ended(&[code(&words)], vec![Start::default(); 3], settings);
    for guest in 0..3 {
        // Two pages are the stack's.
        let Some(Stop::Fault { kind, pc: 0x1_001c, .. }) = guests.stop(guest) else {
            panic!("{:?}", guests.stop(guest));
        };
        assert_eq!(kind, FaultKind::OutOfPages);
        // Four instructions before the first call, three up to the second, and three for each of six pages.
        assert_eq!(guests.retired(guest), 7 + 6 * 3);
    }
}

/// Reads its input over what follows, and goes on there.
/// li a7, 63; li a0, 0; auipc a1, 0; addi a1, a1, 20; lui a2, 1; ecall (at 20); ... so the first word read is at 24.
const READ_AND_RUN: [u32; 6] = [0x03f0_0893, 0x0000_0513, 0x0000_0597, 0x0105_8593, 0x0000_1637, ECALL];

/// Random words, most of which have an opcode that there is.
fn random_code() -> impl Strategy<Value = Vec<u32>> {
    let opcodes = prop::sample::select(vec![
        0x03u32, 0x07, 0x0f, 0x13, 0x17, 0x1b, 0x23, 0x27, 0x2f, 0x33, 0x37, 0x3b, 0x43, 0x47, 0x4b, 0x4f, 0x53, 0x63,
        0x67, 0x6f, 0x73,
    ]);
    let word = prop_oneof![
        3 => (any::<u32>(), opcodes).prop_map(|(bits, opcode)| (bits & !0x7f) | opcode),
        1 => any::<u32>(),
    ];
    prop::collection::vec(word, 1..100)
}

/// The same for AArch64, where the first word read is at 20.
const READ_AND_RUN_ARM: [u32; 5] = [0xd280_07e8, 0xd280_0000, 0x1000_0061, 0xd282_0002, 0xd400_0001];

/// Random words with an encoding that is likely to be one of AArch64's: a group's, or loads and stores near the stack, or anything.
fn random_arm_code() -> impl Strategy<Value = Vec<u32>> {
    let groups = prop::sample::select(vec![4u32, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    let word = prop_oneof![
        3 => (any::<u32>(), groups).prop_map(|(bits, group)| (bits & !(15 << 25)) | group << 25),
        1 => any::<u32>().prop_map(|bits| (bits & 0xc5ff_fc1f) | 0x3800_0000 | 31 << 5),
        1 => any::<u32>().prop_map(|bits| (bits & 0xf0ff_ffff) | 0x0e00_0000),
        1 => any::<u32>(),
    ];
    prop::collection::vec(word, 1..100)
}

/// What random code is for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Narrow,
    Wide,
    Arm,
}

/// Runs random code in many guests on an engine, with one among them that computes, and gives how each has stopped.
fn wild(kind: Kind, codes: &[Vec<u32>], engine: Engine) -> Vec<(Stop, u64, Vec<u64>)> {
    let (machine, wide) = (if kind == Kind::Arm { ARM } else { RISCV }, kind != Kind::Narrow);
    let mut words = if kind == Kind::Arm {
        READ_AND_RUN_ARM.to_vec()
    } else {
        READ_AND_RUN.to_vec()
    };
    words.extend([0; 300]);
    let reader = Program::from_elf(&elf(machine, wide, &bytes(&words), 7)).expect("a program");
    // The sum of the numbers up to 100, and its last byte as the code.
    let sum = match kind {
        Kind::Arm => [
            0xd280_0000,
            0xd280_0c81,
            0x8b01_0000,
            0xf100_0421,
            0x54ff_ffc1,
            0x9240_1c00,
            0xd280_0ba8,
            0xd400_0001,
        ],
        _ => [
            0x0000_0513,
            0x0640_0593,
            0x00b5_0533,
            0xfff5_8593,
            0xfe05_9ce3,
            0x0ff5_7513,
            LI_A7_93,
            ECALL,
        ],
    };
    let honest = Program::from_elf(&elf(machine, wide, &bytes(&sum), 5)).expect("a program");
    let mut starts: Vec<Start> = codes.iter().map(|code| Start::default().reading(bytes(code))).collect();
    let middle = starts.len() / 2;
    starts.insert(
        middle,
        Start {
            program: 1,
            ..Start::default()
        },
    );
    let settings = Settings {
        memory: 8 << 10,
        heap: 4096,
        stack: 4096,
        budget: 1500,
        ..on(engine)
    };
    let mut guests = Guests::new(runtime(), &[reader, honest], starts, settings).expect("guests");
    guests.run(&mut Linux::default()).expect("no guest reaches the host");
    assert_eq!(guests.stop(middle), Some(Stop::Exited(5050 & 255)));
    (0..guests.len())
        .map(|guest| {
            let registers = guests.registers(guest).expect("registers");
            (guests.stop(guest).expect("an end"), guests.retired(guest), registers)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_code_stays_where_it_is(codes in prop::collection::vec(random_code(), 40), wide: bool) {
        wild(if wide { Kind::Wide } else { Kind::Narrow }, &codes, Engine::Native);
    }

    #[test]
    fn random_code_is_the_same_on_the_reference(codes in prop::collection::vec(random_code(), 6), wide: bool) {
        let kind = if wide { Kind::Wide } else { Kind::Narrow };
        prop_assert_eq!(wild(kind, &codes, Engine::Native), wild(kind, &codes, Engine::Reference));
    }

    #[test]
    fn random_arm_code_stays_where_it_is(codes in prop::collection::vec(random_arm_code(), 60)) {
        wild(Kind::Arm, &codes, Engine::Native);
    }

    #[test]
    fn random_arm_code_is_the_same_on_the_reference(codes in prop::collection::vec(random_arm_code(), 6)) {
        prop_assert_eq!(wild(Kind::Arm, &codes, Engine::Native), wild(Kind::Arm, &codes, Engine::Reference));
    }
}
