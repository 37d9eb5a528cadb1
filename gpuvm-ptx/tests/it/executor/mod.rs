//! A reference executor of PTX, as far as the translation writes it: it reads the text and runs all invocations of all workgroups one
//! after the other, each up to the next barrier or vote. What an instruction does is said here anew and shares nothing with the translation.

mod alu;
mod memory;
mod parse;

use std::collections::HashMap;

pub use memory::Memory;
use parse::{Argument, Instruction, Program};

/// Steps of one invocation after which it is taken to run for ever.
const MOST_STEPS: usize = 4_000_000;

/// A value of a parameter.
#[derive(Clone, Debug)]
pub enum Given {
    /// 64 bits.
    Long(u64),
    /// Bytes by value.
    Bytes(Vec<u8>),
}

/// An invocation.
struct Thread {
    words: Vec<u32>,
    longs: Vec<u64>,
    truths: Vec<bool>,
    local: Vec<u8>,
    at: usize,
    waits: Option<Waits>,
    done: bool,
    tid: [u32; 3],
}

/// What an invocation waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Waits {
    /// So many to come to a barrier of this number; all if there is no number.
    Barrier(u64, Option<u64>),
    /// The others of its warp, for what they find out together.
    Warp,
    /// Whatever the others do until they wait themselves, to be told who is here with it.
    Active,
    /// These of its warp, to vote.
    Ballot(u64),
}

/// Invocations of a warp.
const WARP: usize = 32;
/// Times that all invocations go on after which they are taken to go on for ever.
const MOST_TURNS: usize = 100_000;

/// What all invocations of a workgroup see.
pub(crate) struct Block<'a> {
    program: &'a Program,
    memory: &'a mut Memory,
    shared: Vec<u8>,
    params: &'a HashMap<String, Given>,
    ctaid: [u32; 3],
    nctaid: [u32; 3],
    /// How many have come to barriers without waiting there.
    arrived: HashMap<u64, u64>,
    /// Instructions run so far but for copies.
    steps: u64,
}

/// Runs a kernel on a grid, and gives how many instructions all invocations together have run but for copies, most of which the assembler
/// does without.
pub fn run(text: &str, workgroup: [u32; 3], grid: [u32; 3], given: &[Given], memory: &mut Memory) -> u64 {
    let mut steps = 0;
    let program = Program::parse(text);
    assert_eq!(program.params.len(), given.len(), "parameters");
    let params: HashMap<String, Given> = program.params.iter().cloned().zip(given.iter().cloned()).collect();
    for z in 0..grid[2] {
        for y in 0..grid[1] {
            for x in 0..grid[0] {
                let mut block = Block {
                    program: &program,
                    memory,
                    // Not zeros: nobody may rely on them.
                    shared: vec![0xa5; program.shared],
                    params: &params,
                    ctaid: [x, y, z],
                    nctaid: grid,
                    arrived: HashMap::new(),
                    steps: 0,
                };
                block.run(workgroup);
                steps += block.steps;
            }
        }
    }
    steps
}

impl Block<'_> {
    fn run(&mut self, [width, height, depth]: [u32; 3]) {
        let mut threads = Vec::new();
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    threads.push(Thread {
                        words: vec![0xdead_beef; self.program.registers[0]],
                        longs: vec![0xdead_beef_dead_beef; self.program.registers[1]],
                        truths: vec![false; self.program.registers[2]],
                        local: vec![0x5a; self.program.local],
                        at: 0,
                        waits: None,
                        done: false,
                        tid: [x, y, z],
                    });
                }
            }
        }
        for _ in 0..MOST_TURNS {
            for thread in threads
                .iter_mut()
                .filter(|thread| !thread.done && thread.waits.is_none())
            {
                self.advance(thread);
            }
            if threads.iter().all(|thread| thread.done) {
                return;
            }
            let has_let_go = self.let_go(&mut threads) | self.bring_together(&mut threads) | self.vote(&mut threads);
            assert!(has_let_go, "a barrier that not all come to");
        }
        panic!("invocations go on for ever");
    }

    /// Lets those go on that wait at barriers to which enough have come. Whether there are any.
    fn let_go(&mut self, threads: &mut [Thread]) -> bool {
        let mut has_let_go = false;
        let waits = threads.iter().filter_map(|thread| Some((thread.waits?, thread.at)));
        let waits: Vec<(Waits, usize)> = waits.collect();
        let here = threads.iter().filter(|thread| !thread.done).count() as u64;
        for number in 0..16 {
            let mut own = waits.iter().filter_map(|&(waits, at)| match waits {
                Waits::Barrier(of, count) if of == number => Some((count, at)),
                _ => None,
            });
            let Some((count, at)) = own.next() else {
                continue;
            };
            assert!(
                own.clone().all(|other| other == (count, at)),
                "a barrier that not all come to"
            );
            let arrived = self.arrived.get(&number).copied().unwrap_or(0);
            let come = 1 + own.count() as u64 + arrived;
            if come == count.unwrap_or(here) {
                self.arrived.remove(&number);
                let waits = Some(Waits::Barrier(number, count));
                let held = threads.iter_mut().filter(|thread| thread.waits == waits);
                held.for_each(|thread| thread.waits = None);
                has_let_go = true;
            }
        }
        has_let_go
    }

    /// Gives warps whose invocations wait for each other what they find out. Whether there are any.
    fn bring_together(&self, threads: &mut [Thread]) -> bool {
        let mut are_any = false;
        for warp in threads.chunks_mut(WARP) {
            if !warp.iter().all(|thread| thread.waits == Some(Waits::Warp)) {
                continue;
            }
            let instruction = &self.program.code[warp[0].at - 1];
            assert!(
                warp.iter().all(|thread| thread.at == warp[0].at),
                "a warp in two places"
            );
            let [into, of, more @ ..] = &instruction.arguments[..] else {
                panic!("nothing to find out");
            };
            let mut says = warp.iter().map(|thread| thread.bits(of));
            let found = match (instruction.name.as_str(), more) {
                ("vote.sync.all.pred", [_]) => says.all(|says| says != 0).into(),
                ("shfl.sync.idx.b32", [Argument::Constant(lane), _, _]) => says.nth(*lane as usize).unwrap(),
                other => panic!("no {other:?}"),
            };
            for thread in warp {
                thread.set(into, found);
                thread.waits = None;
            }
            are_any = true;
        }
        are_any
    }

    /// Counts the votes of those that all wait for each other's, or else, in warps where nobody else goes on, tells those that ask in one
    /// place who they are. Whether there are any.
    fn vote(&self, threads: &mut [Thread]) -> bool {
        let mut are_any = false;
        for warp in threads.chunks_mut(WARP) {
            let argument = |thread: &Thread, number: usize| &self.program.code[thread.at - 1].arguments[number];
            let masks = warp.iter().filter_map(|thread| match thread.waits {
                Some(Waits::Ballot(mask)) => Some(mask),
                _ => None,
            });
            let complete = masks.clone().find(|&mask| {
                let mut voters = (0..WARP).filter(|lane| mask >> lane & 1 == 1);
                voters.all(|lane| warp[lane].waits == Some(Waits::Ballot(mask)))
            });
            let asking = warp.iter().find(|thread| thread.waits == Some(Waits::Active));
            let asking = asking.map(|thread| thread.at);
            let everybody_waits = warp.iter().all(|thread| thread.done || thread.waits.is_some());
            let told: Vec<(usize, bool)> = match (complete, asking) {
                (Some(mask), _) => (0..WARP)
                    .filter(|lane| mask >> lane & 1 == 1)
                    .map(|lane| (lane, warp[lane].bits(argument(&warp[lane], 1)) != 0))
                    .collect(),
                (None, Some(at)) if everybody_waits => (0..warp.len())
                    .filter(|&lane| warp[lane].at == at && warp[lane].waits == Some(Waits::Active))
                    .map(|lane| (lane, true))
                    .collect(),
                _ => continue,
            };
            let found = told.iter().map(|&(lane, says)| u64::from(says) << lane).sum();
            for (lane, _) in told {
                let into = argument(&warp[lane], 0);
                warp[lane].set(into, found);
                warp[lane].waits = None;
            }
            are_any = true;
        }
        are_any
    }

    /// Runs an invocation up to the next barrier or its end.
    fn advance(&mut self, thread: &mut Thread) {
        for _ in 0..MOST_STEPS {
            let program = self.program;
            let instruction = &program.code[thread.at];
            thread.at += 1;
            self.steps += u64::from(!instruction.name.starts_with("mov"));
            if let Some((register, expected)) = instruction.guard
                && thread.truths[register] != expected
            {
                continue;
            }
            match instruction.name.as_str() {
                "bra" => thread.at = program.target(&instruction.arguments[0]),
                "brx.idx" => {
                    let index = thread.bits(&instruction.arguments[0]) as usize;
                    let Argument::Name(table) = &instruction.arguments[1] else {
                        panic!("no table");
                    };
                    thread.at = program.labels[&program.tables[table][index]];
                }
                "ret" => {
                    thread.done = true;
                    return;
                }
                "bar.sync" => {
                    let (number, count) = numbers(thread, &instruction.arguments);
                    thread.waits = Some(Waits::Barrier(number, count));
                    return;
                }
                // All of a warp come at once.
                "bar.arrive" => {
                    let (number, _) = numbers(thread, &instruction.arguments);
                    *self.arrived.entry(number).or_default() += 1;
                }
                "vote.sync.all.pred" | "shfl.sync.idx.b32" => {
                    thread.waits = Some(Waits::Warp);
                    return;
                }
                "activemask.b32" => {
                    thread.waits = Some(Waits::Active);
                    return;
                }
                "vote.sync.ballot.b32" => {
                    thread.waits = Some(Waits::Ballot(thread.bits(&instruction.arguments[2])));
                    return;
                }
                _ => self.step(thread, instruction),
            }
        }
        panic!("an invocation runs for ever");
    }

    fn step(&mut self, thread: &mut Thread, instruction: &Instruction) {
        let parts: Vec<&str> = instruction.name.split('.').collect();
        match parts[0] {
            "ld" => self.load(thread, &parts, &instruction.arguments),
            "st" => self.store(thread, &parts, &instruction.arguments),
            "atom" | "red" => self.atomic(thread, &parts, &instruction.arguments),
            "membar" | "fence" | "griddepcontrol" => {}
            // Two words to a long, and back.
            "mov" if let Argument::List(halves) = &instruction.arguments[1] => {
                let [low, high] = [&halves[0], &halves[1]].map(|half| thread.bits(half));
                thread.set(&instruction.arguments[0], high << 32 | low);
            }
            "mov" if let Argument::List(halves) = &instruction.arguments[0] => {
                let bits = thread.bits(&instruction.arguments[1]);
                thread.set(&halves[0], bits & u64::from(u32::MAX));
                thread.set(&halves[1], bits >> 32);
            }
            "mov" if matches!(&instruction.arguments[1], Argument::Name(_)) => {
                let Argument::Name(name) = &instruction.arguments[1] else {
                    unreachable!()
                };
                let value = self.named(thread, name);
                thread.set(&instruction.arguments[0], value);
            }
            _ => alu::step(thread, &parts, &instruction.arguments),
        }
    }

    /// A special register, or the address of a variable.
    fn named(&mut self, thread: &Thread, name: &str) -> u64 {
        let special = |of: [u32; 3], dimension: &str| {
            u64::from(of[["x", "y", "z"].iter().position(|&d| d == dimension).unwrap()])
        };
        match name.split_once('.') {
            _ if name == "%globaltimer" => self.memory.tick(),
            Some(("%tid", dimension)) => special(thread.tid, dimension),
            Some(("%ctaid", dimension)) => special(self.ctaid, dimension),
            Some(("%nctaid", dimension)) => special(self.nctaid, dimension),
            _ => self
                .program
                .symbols
                .get(name)
                .map_or_else(|| self.param_address(name), |&address| address as u64),
        }
    }

    /// Parameters have addresses as if they lay 2^16 bytes apart.
    fn param_address(&self, name: &str) -> u64 {
        let number = self.program.params.iter().position(|param| param == name);
        (number.unwrap_or_else(|| panic!("no variable `{name}`")) as u64) << 16
    }
}

/// The number of a barrier, and how many are to come to it.
fn numbers(thread: &Thread, arguments: &[Argument]) -> (u64, Option<u64>) {
    (
        thread.bits(&arguments[0]),
        arguments.get(1).map(|count| thread.bits(count)),
    )
}

impl Thread {
    /// The bits of an operand.
    fn bits(&self, argument: &Argument) -> u64 {
        match *argument {
            Argument::Word(number) => self.words[number].into(),
            Argument::Long(number) => self.longs[number],
            Argument::Truth(number) => self.truths[number].into(),
            Argument::Constant(bits) => bits,
            ref other => panic!("{other:?} is no value"),
        }
    }

    fn set(&mut self, argument: &Argument, bits: u64) {
        match *argument {
            Argument::Word(number) => self.words[number] = bits as u32,
            Argument::Long(number) => self.longs[number] = bits,
            Argument::Truth(number) => self.truths[number] = bits != 0,
            ref other => panic!("{other:?} is no register"),
        }
    }
}
