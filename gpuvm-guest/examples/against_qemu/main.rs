//! Random instructions with random operands, under qemu in user mode and as guests: what is in all registers, flags and memory afterwards has to be the same.
//!
//! `cargo run -p gpuvm-guest --example against_qemu -- MACHINE CLASS CASES [SEED]`, where the classes are those of [`classes`], and `all` is each of them.
//! Needs `qemu-riscv64` and `qemu-aarch64` (Debian: qemu-user).

mod classes;

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use gpuvm::{Backend, Engine, Runtime};
use gpuvm_guest::{FaultKind, Guests, Linux, Program, Settings, Start, Stop};

use classes::{Class, Rng};

/// Instructions of a program, and inputs for each.
const BLOCK: usize = 16;
const INPUTS: usize = 64;
/// Programs that are run together.
const TOGETHER: usize = 64;

struct Machine {
    name: &'static str,
    template: &'static [u8],
    nop: u32,
    /// Bytes of an input, and where floats begin and end.
    size: usize,
    floats: (usize, usize),
    classes: &'static [Class],
}

const MACHINES: [Machine; 2] = [
    Machine {
        name: "riscv64",
        template: include_bytes!("riscv64"),
        nop: 0x13,
        size: 512 + 8 + 256,
        floats: (256, 512),
        classes: classes::RISCV,
    },
    Machine {
        name: "aarch64",
        template: include_bytes!("aarch64"),
        nop: 0xd503_201f,
        size: 256 + 512 + 32 + 256,
        floats: (256, 768),
        classes: classes::AARCH64,
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [machine, class, cases, rest @ ..] = arguments.as_slice() else {
        panic!("MACHINE CLASS CASES [SEED]");
    };
    let machine = MACHINES
        .iter()
        .find(|each| each.name == machine)
        .expect("riscv64 or aarch64");
    let cases: usize = cases.parse().expect("a number of cases");
    let seed = rest.first().map_or(1, |seed| seed.parse().expect("a seed"));
    let runtime = Runtime::builder().backend(Backend::Cpu).build().expect("this CPU");
    for each in machine.classes {
        if class == "all" || class == each.name {
            run(&runtime, machine, each, cases, seed);
        }
    }
}

/// The program with these instructions.
fn patched(machine: &Machine, block: &[u32]) -> Vec<u8> {
    let nops: Vec<u8> = machine.nop.to_le_bytes().repeat(BLOCK);
    let at = machine.template.windows(nops.len()).position(|window| window == nops);
    let at = at.expect("the place for instructions");
    let mut file = machine.template.to_vec();
    for (i, word) in block.iter().enumerate() {
        file[at + 4 * i..][..4].copy_from_slice(&word.to_le_bytes());
    }
    file
}

/// How programs with these blocks end as guests, and what they write.
fn emulated(runtime: &Runtime, machine: &Machine, blocks: &[Vec<u32>], input: &[u8]) -> Vec<(Option<Stop>, Vec<u8>)> {
    let programs: Vec<Program> = blocks
        .iter()
        .map(|block| Program::from_elf(&patched(machine, block)).expect("a program"))
        .collect();
    let starts = (0..blocks.len()).map(|program| Start {
        program,
        ..Start::default().reading(input.iter().copied())
    });
    let settings = Settings {
        memory: 32 << 10,
        heap: 0,
        stack: 4096,
        engine: Engine::Native,
        ..Settings::default()
    };
    let mut guests = Guests::new(runtime, &programs, starts, settings).expect("guests");
    guests.run(&mut Linux::default()).expect("a run");
    (0..blocks.len())
        .map(|guest| (guests.stop(guest), guests.output(guest).to_vec()))
        .collect()
}

/// The same under qemu.
fn by_qemu(machine: &Machine, block: &[u32], input: &[u8]) -> (Option<i32>, Vec<u8>) {
    let path = std::env::temp_dir().join(format!("against-qemu-{}", std::process::id()));
    std::fs::write(&path, patched(machine, block)).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a file of ours");
    // A file, because of a pipe a read gives what is there.
    let given = path.with_extension("input");
    std::fs::write(&given, input).expect("a file");
    let mut qemu = Command::new(format!("qemu-{}", machine.name));
    qemu.arg(&path)
        .stdin(std::fs::File::open(&given).expect("the file"))
        .stderr(Stdio::null());
    let output = qemu.output().expect("qemu");
    (output.status.code(), output.stdout)
}

/// An input: registers, floats among which special ones are frequent, flags, memory.
fn input(machine: &Machine, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < machine.size {
        let value = if (machine.floats.0..machine.floats.1).contains(&bytes.len()) {
            rng.float()
        } else {
            rng.integer()
        };
        bytes.extend(value.to_le_bytes());
    }
    let flags = machine.floats.1;
    if machine.name == "riscv64" {
        bytes[flags..flags + 8].copy_from_slice(&u64::from(rng.below(32) | rng.below(5) << 5).to_le_bytes());
    } else {
        bytes[flags..flags + 8].copy_from_slice(&(u64::from(rng.below(16)) << 28).to_le_bytes());
        bytes[flags + 8..flags + 16].copy_from_slice(&(u64::from(rng.below(4)) << 22).to_le_bytes());
        bytes[flags + 16..flags + 24].copy_from_slice(&u64::from(rng.below(32)).to_le_bytes());
    }
    bytes
}

fn run(runtime: &Runtime, machine: &Machine, class: &Class, cases: usize, seed: u64) {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ class.name.len() as u64);
    let (mut done, mut wrong) = (0, 0);
    while done < cases && wrong < 5 {
        // Instructions that are accepted.
        let mut words: Vec<u32> = Vec::new();
        while words.len() < BLOCK * TOGETHER {
            let tried: Vec<Vec<u32>> = (0..512).map(|_| vec![(class.make)(&mut rng)]).collect();
            let input = input(machine, &mut rng);
            for (block, (stop, _)) in tried.iter().zip(emulated(runtime, machine, &tried, &input)) {
                if !matches!(
                    stop,
                    Some(Stop::Fault {
                        kind: FaultKind::Undefined,
                        ..
                    })
                ) {
                    words.push(block[0]);
                }
            }
        }
        let blocks: Vec<Vec<u32>> = words.chunks_exact(BLOCK).map(<[u32]>::to_vec).collect();
        let given: Vec<u8> = (0..INPUTS).flat_map(|_| input(machine, &mut rng)).collect();
        for (block, (stop, output)) in blocks.iter().zip(emulated(runtime, machine, &blocks, &given)) {
            let (code, expected) = by_qemu(machine, block, &given);
            done += BLOCK * INPUTS;
            if code == Some(0) && stop == Some(Stop::Exited(0)) && output == expected {
                continue;
            }
            wrong += 1;
            tell(runtime, machine, block, &given);
            if wrong == 5 {
                break;
            }
        }
    }
    println!("{} {}: {done} cases, {wrong} programs differ", machine.name, class.name);
}

/// Tells the first instruction of a block that makes a difference.
fn tell(runtime: &Runtime, machine: &Machine, block: &[u32], given: &[u8]) {
    for count in 1..=block.len() {
        let block = &block[..count];
        let (stop, output) = emulated(runtime, machine, &[block.to_vec()], given).remove(0);
        let (code, expected) = by_qemu(machine, block, given);
        if code == Some(0) && stop == Some(Stop::Exited(0)) && output == expected {
            continue;
        }
        println!("{:08x}: {stop:?}, qemu {code:?}", block[count - 1]);
        let differs = output.chunks(8).zip(expected.chunks(8)).position(|(a, b)| a != b);
        if let Some(word) = differs {
            let number = |bytes: &[u8]| u64::from_le_bytes(bytes[word * 8..][..8].try_into().expect("eight bytes"));
            let run = word * 8 / machine.size;
            let place = word - run * machine.size / 8;
            println!(
                "  word {place} of run {run}: {:016x}, qemu {:016x}, before {:016x}",
                number(&output),
                number(&expected),
                number(given)
            );
            let registers = &given[run * machine.size..][..machine.size];
            let value = |at: usize| u64::from_le_bytes(registers[at..at + 8].try_into().expect("eight bytes"));
            println!(
                "  flags {:x} {:x}",
                value(machine.floats.1),
                value(machine.floats.1 + 8)
            );
            for i in 0..32 {
                print!(
                    "  {i}: {:x} {:x}",
                    value(i * 8),
                    value(256 + i * (machine.floats.1 - 256) / 32)
                );
            }
            println!();
        }
        return;
    }
}
