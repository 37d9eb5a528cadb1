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
use self::emit::{Processor, View, Ways, emit};
use self::routes::{Graph, checks, route};
use crate::error::Result;
use crate::image::Place;
use crate::program::{Machine, Program};
use crate::routines::layout::{EXECUTE, PAGE, PAGE_BITS};

/// Instructions of all programs together that are translated at most, at first and whenever that is done anew: a translation is to be there in some milliseconds,
/// and who needs more of it comes to it.
const MOST: [usize; 3] = [96, 512, 2048];
/// Of each program so many, however many programs there are.
const AT_LEAST: usize = 32;
/// Addresses of a program from which code is followed at most.
const MOST_SEEDS: usize = 512;
/// How often a translation is made anew at most.
const MOST_TRANSLATIONS: u32 = 12;

/// Addresses by program, in order.
type Addresses = Vec<Vec<u32>>;

/// Whether an address of a program is among some.
fn has(addresses: &Addresses, program: usize, address: u64) -> bool {
    let own = addresses.get(program).map_or(&[][..], Vec::as_slice);
    u32::try_from(address).is_ok_and(|address| own.binary_search(&address).is_ok())
}

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
    /// Whether it begins with all.
    patient: bool,
    /// How often it was made, and after how many rounds it may be again.
    made: u32,
    wait: u32,
    routine: Option<Routine>,
    /// Where guests may begin with translated code, by program.
    entries: Addresses,
    /// The addresses of all instructions that are translated, by program.
    translated: Addresses,
}

impl Translator {
    /// A translator of programs, whose guests have maps of `1 << coverage` edges if they have any. If it is `patient`, it begins with all that it would translate in
    /// the end, because what becomes of translations costs more than they do.
    pub fn new(programs: &[Program], places: &[Place], coverage: u32, patient: bool) -> Result<Translator> {
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
            patient,
            made: 0,
            wait: 0,
            routine: None,
            entries: Vec::new(),
            translated: Vec::new(),
        };
        translator.refresh()?;
        Ok(translator)
    }

    /// What runs guests.
    pub fn routine(&self) -> Option<&Routine> {
        self.routine.as_ref()
    }

    /// Whether translated code goes on from an address.
    pub fn enters(&self, program: usize, address: u64) -> bool {
        has(&self.entries, program, address)
    }

    /// Where guests may begin with translated code, by program.
    pub fn entries(&self) -> &[Vec<u32>] {
        &self.entries
    }

    /// Notes that a guest has come to an address: it has left translated code there, or was emulated for some time and has not come to any. Of an instruction that is
    /// translated the former says nothing, it has failed or was too much.
    pub fn comes_to(&mut self, program: usize, address: u64, left: bool) {
        if has(if left { &self.translated } else { &self.entries }, program, address) {
            return;
        }
        let granule = if self.programs[program].machine() == Machine::AArch64 {
            4
        } else {
            2
        };
        if let (Ok(address), Some(seeds)) = (u32::try_from(address), self.seeds.get_mut(program))
            && address % granule == 0
            && seeds.len() < MOST_SEEDS
            && word_at(&self.programs[program], address).is_some()
        {
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
        self.wait = (1 << self.made) >> 2;
        let machine = self.programs.first().map_or(Machine::AArch64, Program::machine);
        let (routine, entries, translated) = match machine {
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
        self.translated = translated;
        Ok(true)
    }

    fn translate<D: Copy>(
        &self,
        decode: impl Fn(&Program, u32) -> Option<Instruction<D>>,
        emit: impl for<'b> FnOnce(&'b Body, &Code<'_, D>),
    ) -> Result<(Routine, Addresses, Addresses)> {
        let stage = if self.patient { MOST.len() } else { self.made as usize };
        let most = MOST[stage.clamp(1, MOST.len()) - 1] / self.programs.len().max(1);
        let mut blocks: Vec<Block<D>> = Vec::new();
        let mut entries = BTreeSet::new();
        for (number, program) in self.programs.iter().enumerate() {
            let seeds = self.seeds[number].iter().copied();
            let found: Found<D> = find(
                number,
                seeds,
                most.max(AT_LEAST),
                |address| decode(program, address),
                |address| program.end_of(address.into()).map(|end| end as u32),
            );
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
        let costs: Vec<u32> = blocks.iter().map(Block::retired).collect();
        let asked = checks(&graph, &costs, &entries, &routed);
        let code = Code {
            views: &self.views,
            blocks: &blocks,
            ways: Ways {
                entries: &entries,
                routed: &routed,
                asked: &asked,
            },
            coverage: self.coverage,
        };
        let routine = gpuvm::build("guest", |f| emit(f, &code))?;
        let mut by_program = vec![Vec::new(); self.programs.len()];
        for &entry in &entries {
            by_program[blocks[entry].program].push(blocks[entry].address());
        }
        let mut translated = vec![Vec::new(); self.programs.len()];
        for block in &blocks {
            translated[block.program].extend(block.code.iter().map(|instruction| instruction.address));
        }
        for list in by_program.iter_mut().chain(&mut translated) {
            list.sort_unstable();
        }
        Ok((routine, by_program, translated))
    }
}

/// What a routine is made of.
struct Code<'c, D> {
    views: &'c [View],
    blocks: &'c [Block<D>],
    ways: Ways<'c>,
    coverage: Option<u32>,
}

impl<D> Code<'_, D> {
    fn emit<'b, P: Processor<'b, Decoded = D>>(&self, f: &'b Body) {
        emit::<P>(f, self.views, self.blocks, self.ways, self.coverage);
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
