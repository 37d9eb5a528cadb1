//! Fuzzes a parser that gcc compiled for AArch64: many guests side by side with mutated inputs, what takes new edges is kept and mutated further, until one of
//! them crashes. Prints its input and the calls that it was in. `fuzz [GUESTS]`; `EMULATED` in the environment has the guests emulated, and with
//! `GDB`, a port, the one that crashes begins anew there, for gdb to connect.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::time::Instant;

use gpuvm::Runtime;
use gpuvm_guest::{Guests, Linux, Program, Settings, Start, Stop};

const PARSER: &[u8] = include_bytes!("parser.aarch64");

/// What mutations insert: what is in the parser's grammar.
const ALPHABET: &[u8] = b"0123456789+-*/() acefglnost";

/// Numbers that look random, by Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end.max(1)
    }
}

/// An input that was made of two others.
fn mutated(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(input.len() + 1);
        match random.below(8) {
            0..4 => input.insert(at, ALPHABET[random.below(ALPHABET.len())]),
            4 if at < input.len() => input[at] = ALPHABET[random.below(ALPHABET.len())],
            5 if at < input.len() => drop(input.remove(at)),
            6 => {
                let piece = input[at..].to_vec();
                let to = random.below(input.len() + 1);
                input.splice(to..to, piece);
            }
            7 => {
                let other = &corpus[random.below(corpus.len())];
                input.truncate(at);
                input.extend(&other[random.below(other.len() + 1)..]);
            }
            _ => {}
        }
    }
    input.truncate(100);
    input
}

/// A function's name and the place in it.
fn name(program: &Program, address: u64) -> String {
    match program.symbol(address) {
        Some((name, behind)) => format!("{address:#x} {name}+{behind:#x}"),
        None => format!("{address:#x}"),
    }
}

/// The calls that a guest is in, by the chain of frame pointers, which the parser was compiled with.
fn backtrace(guests: &Guests, guest: usize, pc: u64) -> gpuvm_guest::Result<Vec<String>> {
    let program = guests.program(guest);
    let registers = guests.registers(guest)?;
    let (mut frame, link) = (registers[29], registers[30]);
    let mut calls = vec![name(program, pc)];
    // A function that calls none keeps its way back in a register.
    let function = |address| program.symbol(address).map(|(name, _)| name);
    if function(link) != function(pc) {
        calls.push(name(program, link));
    }
    let mut last = link;
    while let Ok(words) = <[u8; 16]>::try_from(guests.read(guest, frame, 16)?.as_slice()) {
        let [low, high] = [0, 8].map(|at| {
            words[at..at + 8]
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u64::from(*byte))
        });
        if high == 0 || low <= frame && low != 0 {
            break;
        }
        if high != last {
            calls.push(name(program, high));
        }
        (frame, last) = (low, high);
    }
    Ok(calls)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = std::env::args()
        .nth(1)
        .map_or(Ok(1000), |count| count.parse::<usize>())?;
    let program = Program::from_elf(PARSER)?;
    let runtime = Runtime::new()?;
    let settings = Settings {
        memory: 8 << 10,
        heap: 0,
        stack: 8 << 10,
        budget: 20_000,
        coverage: Some(1 << 14),
        translated: std::env::var("EMULATED").is_err(),
        ..Settings::default()
    };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut corpus = vec![b"1+2".to_vec()];
    let mut inputs = vec![corpus[0].clone(); count];
    let start = |input: &Vec<u8>| Start::with(["parser"]).reading(input.iter().copied());
    let mut guests = Guests::new(
        &runtime,
        std::slice::from_ref(&program),
        inputs.iter().map(start),
        settings.clone(),
    )?;
    let mut known = vec![0; (1 << 14) / 32];
    let begun = Instant::now();
    let mut runs = 0;
    for round in 1..=1000 {
        guests.run(&mut Linux::default())?;
        runs += count;
        let crashed = (0..count).find_map(|guest| match guests.stop(guest) {
            Some(stop @ Stop::Fault { pc, .. }) => Some((guest, stop, pc)),
            _ => None,
        });
        if let Some((guest, stop, pc)) = crashed {
            println!(
                "after {runs} runs in {:.2?}, with {} inputs kept:",
                begun.elapsed(),
                corpus.len()
            );
            println!("{:?} crashes: {stop}", String::from_utf8_lossy(&inputs[guest]));
            for (depth, call) in backtrace(&guests, guest, pc)?.iter().enumerate() {
                println!("  #{depth} {call}");
            }
            if let Ok(port) = std::env::var("GDB") {
                let mut alone = Guests::new(&runtime, &[program], [start(&inputs[guest])], settings)?;
                let listener = TcpListener::bind(("127.0.0.1", port.parse()?))?;
                let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fuzz/parser.aarch64");
                println!("gdb-multiarch {file} -ex 'target remote localhost:{port}'");
                alone.debug(0)?.serve_gdb(&listener, &mut Linux::default())?;
            }
            return Ok(());
        }
        // Of those that take the same new edges, the shortest is kept.
        let new = guests.new_edges(&known)?;
        let mut fresh: Vec<usize> = (0..count).filter(|guest| new[*guest] > 0).collect();
        fresh.sort_by_key(|guest| (u32::MAX - new[*guest], inputs[*guest].len()));
        let mut kept = BTreeSet::new();
        for guest in fresh.into_iter().take(24) {
            let edges = guests.edges(guest..guest + 1)?;
            if edges.iter().zip(&known).any(|(edges, known)| edges & !known != 0) {
                known.iter_mut().zip(&edges).for_each(|(known, edges)| *known |= edges);
                kept.insert(guest);
            }
        }
        corpus.extend(kept.iter().map(|guest| inputs[*guest].clone()));
        if !kept.is_empty() {
            let edges: u32 = known.iter().map(|word: &u32| word.count_ones()).sum();
            println!("round {round}: {edges} edges, {} inputs kept", corpus.len());
        }
        inputs = (0..count).map(|_| mutated(&corpus, &mut random)).collect();
        guests.restart(inputs.iter().map(start))?;
    }
    println!("nothing crashes in {runs} runs, {:.2?}", begun.elapsed());
    Ok(())
}
