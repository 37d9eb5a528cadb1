//! The translator: guests' code becomes a routine of gpuvm's, made at run time.
//!
//! Each block of a program's code becomes code of the routine, with the guest's registers as its variables. A guest goes from block to block by jumps, where code says
//! where it goes, and by way of the dispatch, which looks for its address among the entries. What is not translated it leaves to the emulator, and before
//! anything of it has been done: instructions that are rare, accesses that fail, are not aligned or copy a page, addresses at which no block begins, and all
//! code of a guest that has changed some. So what they mean, and how they fail, is the emulator's to say.

mod aarch64;
mod blocks;
mod emit;
mod riscv;
mod routes;

use std::collections::BTreeSet;

use gpuvm::Routine;
use gpuvm::build::Body;

use self::blocks::{Block, Found, Instruction, find};
use self::emit::{Processor, View, emit};
use self::routes::{Graph, route};
use crate::error::Result;
use crate::image::Place;
use crate::program::{Machine, Program};
use crate::routines::layout::{EXECUTE, PAGE, PAGE_BITS};

/// Instructions of all programs together that are translated at most.
const MOST: usize = 4000;
/// How often a translation is made anew at most.
const MOST_TRANSLATIONS: u32 = 12;

/// What is translated of programs, and what is to be.
#[derive(Debug)]
pub(crate) struct Translator {
    programs: Vec<Program>,
    views: Vec<View>,
    coverage: Option<u32>,
    /// The addresses at which guests have come to code, by program.
    seeds: Vec<BTreeSet<u32>>,
    /// Whether there are more than were translated.
    new_seeds: bool,
    /// How often it was made, and after how many rounds it may be again.
    made: u32,
    wait: u32,
    routine: Option<Routine>,
    /// Where guests may begin with translated code, by program.
    entries: Vec<Vec<u32>>,
}

impl Translator {
    /// A translator of programs, whose guests have maps of `1 << coverage` edges if they have any.
    pub fn new(programs: &[Program], places: &[Place], coverage: u32) -> Result<Translator> {
        let view = |(program, place): (&Program, &Place)| View {
            header: place.header,
            base: program.extent().0,
            pages: place.pages,
        };
        let seed = |program: &Program| BTreeSet::from([program.entry() as u32]);
        let mut translator = Translator {
            programs: programs.to_vec(),
            views: programs.iter().zip(places).map(view).collect(),
            coverage: (coverage != 0).then_some(coverage),
            seeds: programs.iter().map(seed).collect(),
            new_seeds: true,
            made: 0,
            wait: 0,
            routine: None,
            entries: Vec::new(),
        };
        translator.refresh()?;
        Ok(translator)
    }

    /// What runs guests.
    pub fn routine(&self) -> Option<&Routine> {
        self.routine.as_ref()
    }

    /// Where guests may begin with translated code, by program.
    pub fn entries(&self) -> &[Vec<u32>] {
        &self.entries
    }

    /// Notes that a guest has come to code that is not translated, at an address or behind it.
    pub fn left(&mut self, program: usize, address: u64) {
        let (Ok(address), Some(seeds)) = (u32::try_from(address), self.seeds.get_mut(program)) else {
            return;
        };
        let known = self.entries.get(program).is_some_and(|entries| entries.binary_search(&address).is_ok());
        if !known && word_at(&self.programs[program], address).is_some() {
            self.new_seeds |= seeds.insert(address);
        }
    }

    /// Translates what has been come to meanwhile, if there is enough of it: the more often it was done before, the longer it takes until it is again.
    pub fn refresh(&mut self) -> Result<bool> {
        self.wait = self.wait.saturating_sub(1);
        if !self.new_seeds || self.wait > 0 || self.made >= MOST_TRANSLATIONS {
            return Ok(false);
        }
        self.new_seeds = false;
        self.made += 1;
        self.wait = 1 << self.made;
        let machine = self.programs.first().map_or(Machine::AArch64, Program::machine);
        let (routine, entries) = match machine {
            Machine::RiscV32 => self.translate(
                |program, address| half_words(program, address).map(|bits| riscv::instruction(address, bits, false)),
                |f, made| made.emit::<riscv::RiscV<'_, u32>>(f),
            )?,
            Machine::RiscV64 => self.translate(
                |program, address| half_words(program, address).map(|bits| riscv::instruction(address, bits, true)),
                |f, made| made.emit::<riscv::RiscV<'_, u64>>(f),
            )?,
            Machine::AArch64 => self.translate(
                |program, address| {
                    let aligned = address & 3 == 0;
                    let bits = aligned.then(|| word_at(program, address)).flatten();
                    bits.map(|bits| aarch64::instruction(address, bits))
                },
                |f, made| made.emit::<aarch64::Arm<'_>>(f),
            )?,
        };
        self.routine = Some(routine);
        self.entries = entries;
        Ok(true)
    }

    fn translate<D: Copy>(
        &self,
        decode: impl Fn(&Program, u32) -> Option<Instruction<D>>,
        emit: impl for<'b> FnOnce(&'b Body, &Code<'_, D>),
    ) -> Result<(Routine, Vec<Vec<u32>>)> {
        let most = MOST / self.programs.len().max(1);
        let mut blocks: Vec<Block<D>> = Vec::new();
        let mut entries = BTreeSet::new();
        for (number, program) in self.programs.iter().enumerate() {
            let seeds = self.seeds[number].iter().copied();
            let found: Found<D> = find(number, seeds, most.max(500), |address| decode(program, address));
            let first = blocks.len();
            for (at, mut block) in found.blocks.into_iter().enumerate() {
                if found.entries.contains(&block.address()) {
                    entries.insert(first + at);
                }
                for (_, to) in &mut block.next {
                    *to = to.map(|to| to + first);
                }
                blocks.push(block);
            }
        }
        let graph: Graph = blocks
            .iter()
            .map(|block| block.next.iter().filter_map(|(_, to)| *to).collect())
            .collect();
        let routed = route(&graph, &mut entries);
        let code = Code {
            views: &self.views,
            blocks: &blocks,
            entries: &entries,
            routed: &routed,
            coverage: self.coverage,
        };
        let routine = gpuvm::build("guest", |f| emit(f, &code))?;
        let mut by_program = vec![Vec::new(); self.programs.len()];
        for &entry in &entries {
            by_program[blocks[entry].program].push(blocks[entry].address());
        }
        by_program.iter_mut().for_each(|entries| entries.sort_unstable());
        Ok((routine, by_program))
    }
}

/// What a routine is made of.
struct Code<'c, D> {
    views: &'c [View],
    blocks: &'c [Block<D>],
    entries: &'c BTreeSet<usize>,
    routed: &'c BTreeSet<(usize, usize)>,
    coverage: Option<u32>,
}

impl<D> Code<'_, D> {
    fn emit<'b, P: Processor<'b, Decoded = D>>(&self, f: &'b Body) {
        emit::<P>(f, self.views, self.blocks, self.entries, self.routed, self.coverage);
    }
}

/// The bytes of an executable page.
fn page(program: &Program, address: u32) -> Option<&[u8]> {
    let page = program.pages().get(&(address >> PAGE_BITS))?;
    (page.flags & EXECUTE != 0).then_some(&*page.bytes)
}

/// The 16 bits at an even address.
fn half_at(program: &Program, address: u32) -> Option<u32> {
    let at = (address % PAGE) as usize;
    let bytes = page(program, address)?.get(at..at + 2)?;
    Some(u32::from(bytes[0]) | u32::from(bytes[1]) << 8)
}

/// The 32 bits at an even address, as far as the instruction has them.
fn half_words(program: &Program, address: u32) -> Option<u32> {
    if address & 1 != 0 {
        return None;
    }
    let low = half_at(program, address)?;
    if low & 3 != 3 {
        return Some(low);
    }
    Some(low | half_at(program, address.checked_add(2)?)? << 16)
}

/// The 32 bits at an address.
fn word_at(program: &Program, address: u32) -> Option<u32> {
    let low = half_at(program, address & !1)?;
    Some(low | half_at(program, (address & !1).checked_add(2)?).unwrap_or(0) << 16)
}
