//! Translated guests do what emulated ones do: registers, memory, instructions retired, edges, and how they stop.

use gpuvm::Engine;
use gpuvm_guest::{Guests, Linux, Program, Settings, Start, Stop, System};
use proptest::prelude::*;

use crate::support::{ARM, RISCV, bytes, elf, on, program, runtime, translated_on};

/// Random bits.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.bits()) * u64::from(end)) >> 32) as u32
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }
}

/// A RISC-V instruction that is likely to go through: arithmetic of the first registers, accesses around the stack pointer, short branches and calls, and now
/// and then anything.
fn riscv(random: &mut Random, wide: bool) -> u32 {
    let register = |random: &mut Random| random.below(16);
    let to = |random: &mut Random| 5 + random.below(10);
    let bits = random.bits();
    match random.below(20) {
        0..5 => {
            (bits & 0xfe00_7000 & random.of(&[0, 0x4000_7000, 0x0200_7000]))
                | register(random) << 20
                | register(random) << 15
                | to(random) << 7
                | 0x33
        }
        5..9 => (bits & 0xfff0_7000) | register(random) << 15 | to(random) << 7 | 0x13,
        9 if wide => {
            (bits & random.of(&[0x0200_7000, 0x4000_5000]))
                | register(random) << 20
                | register(random) << 15
                | to(random) << 7
                | 0x3b
        }
        9 | 10 => (bits & 0xffff_f000) | to(random) << 7 | random.of(&[0x37, 0x17]),
        11..13 => {
            (bits & 0x0ff0_7000 & !0x0070_0000)
                | random.below(8) << 20 & random.of(&[0, 0x0040_0000, 0x0070_0000])
                | 2 << 15
                | to(random) << 7
                | 0x03
        }
        13..15 => {
            (bits & 0x0e00_3000)
                | register(random) << 20
                | 2 << 15
                | (bits & random.of(&[0x0000_0f80, 0x0000_0e00]))
                | 0x23
        }
        15..17 => {
            // A few instructions on or back.
            let offset = random.of(&[8i32, 12, 16, 24, -8, -12, -20]) as u32;
            let places =
                (offset & 0x1e) << 7 | (offset >> 5 & 0x3f) << 25 | (offset >> 11 & 1) << 7 | offset >> 31 << 31;
            places | register(random) << 20 | register(random) << 15 | random.of(&[0, 1, 4, 5, 6, 7]) << 12 | 0x63
        }
        17 => (random.of(&[8u32, 12, 16]) << 20) | random.of(&[0, 1, 1]) << 7 | 0x6f,
        18 if random.below(8) == 0 => 1 << 15 | random.of(&[0, 1, 5]) << 7 | 0x67,
        _ => bits | 3,
    }
}

/// The same of AArch64.
fn arm(random: &mut Random, _: bool) -> u32 {
    let register = |random: &mut Random| random.below(12);
    let bits = random.bits();
    let to = |random: &mut Random| 2 + random.below(10);
    match random.below(26) {
        // Immediates: sums, masks, moves, fields.
        0..4 => (bits & 0xe3ff_fc00) | random.of(&[0x11, 0x12, 0x12, 0x13]) << 24 | register(random) << 5 | to(random),
        // Registers: logic and sums, shifted and extended.
        4..8 => {
            (bits & 0xe0e0_fc00)
                | random.of(&[0x0a, 0x0b]) << 24
                | register(random) << 16
                | register(random) << 5
                | to(random)
        }
        // With carry, conditional, of one, two and three registers.
        8..12 => {
            let group = random.of(&[0x1a00_0000, 0x1a40_0000, 0x1a80_0000, 0x1ac0_0000, 0x1b00_0000]);
            let rest = if group == 0x1ac0_0000 {
                bits & 0xc000_3c00
            } else {
                bits & 0xe060_fc00
            };
            group | rest | register(random) << 16 | register(random) << 5 | to(random)
        }
        // Near the stack pointer, by an offset, and pairs.
        12 | 13 => 0x3900_0000 | (bits & 0xc0c0_0000) | random.below(64) << 10 | 31 << 5 | to(random),
        14 => 0x2900_0000 | (bits & 0x8040_0000) | random.below(16) << 15 | to(random) << 10 | 31 << 5 | to(random),
        15 => {
            0x3800_0400 | (bits & 0xc0c0_0800) | (random.of(&[8u32, 4, 0, 0x1f8]) & 0x1ff) << 12 | 31 << 5 | to(random)
        }
        // Branches on a condition, a register, a bit.
        16 => 0x5400_0000 | (random.of(&[2i32, 3, 4, -2, -3]) as u32 & 0x7ffff) << 5 | random.below(16),
        17 => 0x3400_0000 | (bits & 0x8100_0000) | (random.of(&[2i32, 3, -2]) as u32 & 0x7ffff) << 5 | register(random),
        18 => random.of(&[
            0x9400_0002,
            0x1400_0003,
            0xd65f_03c0,
            0x3600_0040 | (bits & 0x8100_001f),
        ]),
        19 if random.below(8) == 0 => 0xd65f_03c0,
        // Numbers of integers; of two and three numbers, of one; compared and chosen; to integers and memory and back.
        20..25 => {
            let registers = random.below(6) << 16 | random.below(6) << 5 | random.below(6);
            let (format, x, condition) = (bits & 0x0040_0000, to(random), random.below(16) << 12);
            format
                | match random.below(8) {
                    0 | 1 => 0x1e22_0000 | bits & 0x8001_0000 | register(random) << 5 | registers & 31,
                    2 | 3 => 0x1e20_0800 | random.of(&[0, 1, 2, 2, 3, 3, 8]) << 12 | registers,
                    4 => 0x1f00_0000 | bits & 0x0020_8000 | random.below(6) << 10 | registers,
                    5 if bits & 1 != 0 => {
                        let shift = 0x0f00_0400 | random.of(&[0u32, 1 << 29, 0x5000]) | (32 + random.below(96)) << 16;
                        let vector = random.of(&[0x0ea0_8400, 0x0e20_1c00 | bits & 0x20c0_0000, shift]);
                        return vector | bits & 0x4000_0000 | registers & random.of(&[0x3ff, 0x1f_03ff]);
                    }
                    5 => 0x1e20_4000 | random.below(6) << 15 | registers & 0x3ff,
                    6 => random.of(&[
                        0x1e20_2000 | registers & 0x001f_03e0,
                        0x1e20_2008 | registers & 0x3e0,
                        0x1e20_0c00 | condition | registers,
                        0x1e20_1000 | bits & 0x001f_e000 | registers & 31,
                    ]),
                    _ => random.of(&[
                        0x1e38_0000 | bits & 0x8001_0000 | registers & 0x3e0 | x,
                        0x9e26_0000 | registers & 0x3e0 | x,
                        0x1e26_0000 | registers & 0x3e0 | x,
                    ]),
                }
        }
        // Another way of rounding, or the flags.
        25 if random.below(6) == 0 => random.of(&[0xd51b_4400, 0xd51b_4420]) | register(random),
        25 => {
            let offset = random.below(32) << 10 | 31 << 5 | random.below(6);
            random.of(&[0x3d00_0000, 0xbd00_0000, 0xfd00_0000]) | bits & 0x0040_0000 | offset
        }
        _ => bits,
    }
}

/// All that can be seen of guests in the end.
type Seen = Vec<(Stop, u64, Vec<u64>, Vec<u8>, Vec<u32>)>;

/// Runs programs, a guest each.
fn seen(programs: &[Program], settings: Settings) -> Seen {
    let starts = (0..programs.len()).map(|program| Start {
        program,
        ..Start::default()
    });
    let mut guests = Guests::new(runtime(), programs, starts, settings).expect("guests");
    guests.run(&mut Linux::default()).expect("a run");
    (0..guests.len())
        .map(|guest| {
            let registers = guests.registers(guest).expect("registers");
            (
                guests.stop(guest).expect("an end"),
                guests.retired(guest),
                registers,
                guests.read(guest, 0x1_6000, 4096).expect("memory"),
                guests.edges(guest..guest + 1).expect("edges"),
            )
        })
        .collect()
}

/// Instructions that go through, each by itself in a program that is emulated.
fn pool(random: &mut Random, machine: &str) -> Vec<u32> {
    let (number, wide) = (if machine == "aarch64" { ARM } else { RISCV }, machine != "riscv32");
    let one = if machine == "aarch64" { arm } else { riscv };
    let words: Vec<u32> = (0..400).map(|_| one(random, wide)).collect();
    let program = |word: &u32| Program::from_elf(&elf(number, wide, &bytes(&[*word]), 5)).expect("a program");
    let programs: Vec<Program> = words.iter().map(program).collect();
    let starts = (0..programs.len()).map(|program| Start {
        program,
        ..Start::default()
    });
    let settings = Settings {
        budget: 1,
        ..small(on(Engine::Native))
    };
    let mut guests = Guests::new(runtime(), &programs, starts, settings).expect("guests");
    guests.run(&mut Linux::default()).expect("a run");
    let goes_through = |guest: &usize| matches!(guests.stop(*guest), Some(Stop::OutOfBudget { .. }));
    (0..guests.len())
        .filter(goes_through)
        .map(|guest| words[guest])
        .collect()
}

/// Programs of random instructions, most of which go through.
fn random_programs(seed: u64, machine: &str, count: usize) -> Vec<Program> {
    let mut random = Random(seed);
    let (number, wide) = (if machine == "aarch64" { ARM } else { RISCV }, machine != "riscv32");
    let pool = pool(&mut random, machine);
    (0..count)
        .map(|_| {
            let mut word = || match random.below(60) {
                0 => random.bits(),
                _ => random.of(&pool),
            };
            let words: Vec<u32> = (0..80).map(|_| word()).collect();
            Program::from_elf(&elf(number, wide, &bytes(&words), 5)).expect("a program")
        })
        .collect()
}

fn small(settings: Settings) -> Settings {
    Settings {
        memory: 8 << 10,
        heap: 4096,
        stack: 8192,
        budget: 3000,
        coverage: Some(1 << 10),
        ..settings
    }
}

/// Random programs do the same emulated and translated, and come further than a few instructions.
fn agree(seed: u64, machine: &str, count: usize, engine: Engine) {
    let programs = random_programs(seed, machine, count);
    let emulated = seen(&programs, small(on(Engine::Native)));
    let translated = seen(&programs, small(translated_on(engine)));
    for (guest, (emulated, translated)) in emulated.iter().zip(&translated).enumerate() {
        assert_eq!(emulated, translated, "guest {guest} of {seed} on {machine}");
    }
    let retired: u64 = emulated.iter().map(|(_, retired, ..)| retired).sum();
    assert!(
        retired > 10 * count as u64,
        "{retired} instructions of {count} programs"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_code_is_the_same_translated(seed: u64) {
        for machine in ["riscv32", "riscv64", "aarch64"] {
            agree(seed, machine, 12, Engine::Reference);
        }
    }
}

#[test]
fn random_code_is_the_same_on_the_interpreter() {
    for machine in ["riscv32", "riscv64", "aarch64"] {
        agree(7, machine, 8, Engine::Interpreter);
    }
}

#[test]
fn random_code_is_the_same_by_epochs() {
    for machine in ["riscv64", "aarch64"] {
        agree(7, machine, 8, Engine::Epoch);
    }
}

#[test]
fn random_code_is_the_same_specialised() {
    for machine in ["riscv32", "aarch64"] {
        agree(7, machine, 8, Engine::Specialized);
    }
}

/// A budget ends a guest at the same instruction, wherever that is in a block, and it goes on from there.
#[test]
fn budgets_are_exact() {
    let programs = [program("c/collatz.aarch64")];
    let run = |settings: Settings, budget: u64| {
        let settings = Settings { budget, ..settings };
        let starts = [Start::with(["collatz", "7"])];
        let mut guests = Guests::new(runtime(), &programs, starts, settings).expect("guests");
        guests.run(&mut Linux::default()).expect("a run");
        let first = (
            guests.stop(0),
            guests.retired(0),
            guests.registers(0).expect("registers"),
        );
        guests.set_budget(u64::MAX);
        guests.run(&mut Linux::default()).expect("a run");
        (first, guests.stop(0), guests.retired(0), guests.output(0).to_vec())
    };
    for budget in [1, 2, 3, 17, 100, 101, 102, 103, 104, 300, 1000] {
        let emulated = run(on(Engine::Native), budget);
        assert_eq!(emulated.0.1, budget);
        assert_eq!(emulated, run(translated_on(Engine::Reference), budget), "{budget}");
    }
}

/// Small slices change nothing but how often guests come back.
#[test]
fn slices_are_the_same() {
    let programs = [program("c/sort.riscv64"), program("c/callbacks.riscv64")];
    let run = |settings: Settings| {
        let starts = (0..4).map(|guest| Start {
            program: guest % 2,
            ..Start::with(["x".to_string(), guest.to_string()])
        });
        let settings = Settings {
            coverage: Some(1 << 12),
            ..settings
        };
        let mut guests = Guests::new(runtime(), &programs, starts, settings).expect("guests");
        guests.run(&mut Linux::default()).expect("a run");
        let each = (0..4).map(|guest| (guests.stop(guest), guests.retired(guest), guests.output(guest).to_vec()));
        (
            each.collect::<Vec<_>>(),
            guests.edges(0..4).expect("edges"),
            guests.edges(1..2).expect("edges"),
        )
    };
    let emulated = run(on(Engine::Native));
    let taken: u32 = emulated.1.iter().map(|word| word.count_ones()).sum();
    assert!(taken > 50, "{taken} edges");
    assert_ne!(emulated.1, emulated.2);
    for slice in [5000, 1_000_000] {
        let settings = Settings {
            slice,
            ..translated_on(Engine::Reference)
        };
        assert_eq!(emulated, run(settings), "{slice}");
    }
}

/// Which edges are new is told of each guest.
#[test]
fn new_edges_are_counted() {
    let programs = [program("c/json.aarch64")];
    for settings in [
        on(Engine::Native),
        translated_on(Engine::Reference),
        translated_on(Engine::Interpreter),
    ] {
        let settings = Settings {
            coverage: Some(1 << 13),
            ..settings
        };
        let starts = ["[1]", "[1]", "{\"a\": [true, null]}"].map(|text| Start::with(["json"]).reading(text.bytes()));
        let mut guests = Guests::new(runtime(), &programs, starts, settings).expect("guests");
        guests.run(&mut Linux::default()).expect("a run");
        let known = guests.edges(0..1).expect("edges");
        let new = guests.new_edges(&known).expect("edges");
        assert_eq!(new[..2], [0, 0]);
        assert!(new[2] > 0);
        let all = guests.edges(0..3).expect("edges");
        let more = all
            .iter()
            .zip(&known)
            .map(|(all, known)| (all & !known).count_ones())
            .sum::<u32>();
        assert_eq!(new[2], more);
    }
}

/// A guest that is copied in the middle of translated code goes on in all copies.
#[test]
fn translated_guests_are_copied() {
    struct Once(Linux);

    impl System for Once {
        fn wants(&mut self, call: &gpuvm_guest::Call<'_>, seen: &[Vec<u8>]) -> Vec<(u64, u64)> {
            self.0.wants(call, seen)
        }

        fn answer(&mut self, call: &mut gpuvm_guest::Call<'_>, seen: &[Vec<u8>]) -> gpuvm_guest::Answer {
            match call.number {
                63 if call.streams.input.is_empty() => gpuvm_guest::Answer::Wait,
                _ => self.0.answer(call, seen),
            }
        }
    }

    let programs = [program("c/crc.riscv64")];
    for engine in [Engine::Reference, Engine::Interpreter] {
        let starts = vec![Start::with(["crc"]); 6];
        let mut guests = Guests::new(runtime(), &programs, starts, translated_on(engine)).expect("guests");
        guests.run(&mut Once(Linux::default())).expect("a run");
        guests.fork(2, 0..6).expect("a fork");
        for guest in 0..6 {
            assert!(guests.answer(guest, 0).expect("a guest"));
        }
        guests.run(&mut Linux::default()).expect("a run");
        for guest in 0..6 {
            assert_eq!(guests.stop(guest), Some(Stop::Exited(0)));
            assert_eq!(guests.output(guest), b"0 00000000 cbf29ce484222325\n");
        }
    }
}
