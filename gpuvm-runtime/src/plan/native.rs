//! Nodes on the native engine: routines' own functions over whole columns, in the order that kernels fold in.

use std::sync::Arc;

use gpuvm_core::program::Mode;
use gpuvm_core::types::Type;
use gpuvm_engine::{Engine, Tally};

use super::data::{Data, empty, words};
use super::fuse::Step;
use super::kernel::{NEIGHBOURS, SCAN_CHUNK, lanes};
use super::log::Launched;
use super::node::{Kind, Operand, Use};
use super::run::Run;
use crate::arg::Argument;
use crate::bind::Bound;
use crate::cpu;
use crate::error::{Error, Result};
use crate::logs::{LogLimit, Logs};
use crate::native::{self, Host, Ran};
use crate::questions::Counter;
use crate::trap::Trap;
use crate::vector::{Vector, write_pieces};
use crate::view::{Held, Seen, View};
use crate::words::WordColumn;

/// What came of folding: the words, or nothing because a VM trapped.
pub(super) type Folded = Option<Vec<u32>>;

/// A column in chunks: its entries, and how many a chunk has.
#[derive(Clone, Copy)]
struct Chunks {
    length: usize,
    each: usize,
}

/// The elements of a column that VMs compute.
#[derive(Clone, Copy)]
enum Elements<'e> {
    /// The first VM's, and how far it is to the next one's.
    Apart { first: usize, step: usize },
    /// These.
    Listed(&'e [u32]),
}

impl Elements<'_> {
    /// Each VM's own.
    const ALL: Elements<'static> = Elements::Apart { first: 0, step: 1 };

    /// The number of a VM's element.
    fn number(self, vm: u32) -> u32 {
        match self {
            Elements::Apart { first, step } => (first + step * vm as usize) as u32,
            Elements::Listed(numbers) => numbers.get(vm as usize).copied().unwrap_or(vm),
        }
    }
}

impl Run<'_, '_> {
    /// Runs a node.
    ///
    /// # Errors
    ///
    /// When the thread pool cannot be started, or [`Error::Trap`].
    pub fn native(&mut self, node: usize) -> Result<()> {
        let nodes = self.nodes;
        let column = match &nodes[node].kind {
            Kind::Input(_) | Kind::Buffer { .. } | Kind::State { .. } | Kind::Loop(_) | Kind::Result { .. } => {
                return Ok(());
            }
            Kind::Map(of) => self.native_map(node, of, self.length(node))?,
            Kind::Zip => self.native_zip(node)?,
            Kind::Copy => {
                let all = self.words(&self.data(self.operand(node, 0).node))?;
                words(self.nodes[node].element, self.length(node), all)
            }
            Kind::Field(field) => self.native_field(node, *field)?,
            Kind::Filter(of) => return self.native_filter(node, of),
            Kind::Dedup { last } => return self.native_dedup(node, *last),
            Kind::Sort(of) => self.native_sort(node, of.as_ref())?,
            Kind::Reduce(of) => match self.native_reduce(node, of)? {
                Some(column) => column,
                None => return self.on_reference(node),
            },
            Kind::ReduceGroups(of) => match self.native_groups(node, of)? {
                Some(column) => column,
                None => return self.on_reference(node),
            },
            Kind::Scan(of) => match self.native_scan(node, of)? {
                Some(column) => column,
                None => return self.on_reference(node),
            },
        };
        self.columns[node] = Some(column);
        Ok(())
    }

    /// Runs a node whose native form trapped as a kernel, which tells the trap as all other engines do.
    fn on_reference(&mut self, root: usize) -> Result<()> {
        let step = Step {
            root,
            members: vec![root],
            stored: vec![root],
        };
        let executor = self.runtime.executor(Engine::Reference)?;
        self.program(&step, Engine::Reference, &executor)
    }

    pub fn native_map(&mut self, node: usize, of: &Use, vms: usize) -> Result<Data> {
        if vms == 0 {
            return Ok(empty(of.routine.result.ty));
        }
        let too_many = |_| Error::TooLarge {
            routine: of.entry.id().to_string(),
            words: vms as u64,
            vms: vms as u64,
            engine: Engine::Native,
        };
        let count = u32::try_from(vms).map_err(too_many)?;
        let operands = self.nodes[node].operands.iter().enumerate();
        let params: Result<Vec<Bound<'_>>> = operands
            .map(|(index, operand)| match operand {
                Operand::Node(_) => self.bound(node, index, self.operand(node, index), vms),
                Operand::Value(value) => Ok(Bound {
                    mode: Mode::Value,
                    argument: Argument::Uniform(value.to_vector()),
                }),
            })
            .collect();
        let mut held = Held::new(params?, None, false)?;
        held.refresh()?;
        let ran = self.call(of, held.views(), count, Elements::ALL)?;
        let traps = Trap::vms_of(&ran.first_trap).len() as u64;
        match ran.first_trap {
            Some(trap) => Err(self.trapped(of.entry.id(), vms, trap, traps)),
            None => Ok(Data::Host(ran.results.into())),
        }
    }

    /// Calls a routine's function for so many VMs.
    fn call(&mut self, of: &Use, mut params: Vec<Seen<'_>>, vms: u32, elements: Elements<'_>) -> Result<Ran> {
        let tally = Tally {
            batches: 1,
            engine: Engine::Native,
            ..Tally::default()
        };
        self.add(&tally, 1);
        self.profile_next(std::ptr::from_ref(of).addr());
        self.sampled_call(of, &mut params, vms);
        let begin = self.log.now();
        let _watched = native::watch::watch(of.entry.id());
        let mut answers = self.answers();
        let answering = Counter::new(of.entry.id(), &mut answers);
        let host = Host {
            answering: Some(&answering),
            ..Host::default()
        };
        let ran = cpu::run((self.runtime, &of.entry), params, vms, self.runtime.settings(), host);
        answering.close()?;
        let mut ran = ran?;
        self.ran(self.profiled.part(), vms);
        self.profiled.clear();
        let launched = Launched {
            step: self.turn.step,
            vms: vms.into(),
            estimated_instructions: None,
        };
        self.log.launch(begin, of.entry.id(), &launched);
        let mut texts = std::mem::take(&mut ran.texts);
        for text in &mut texts {
            text.vm = elements.number(text.vm);
        }
        self.logs
            .append(Logs::within(texts, ran.dropped_texts, LogLimit::default()));
        Ok(ran)
    }

    fn native_zip(&mut self, node: usize) -> Result<Data> {
        let element = self.nodes[node].element;
        let (size, length) = (element.words as usize, self.length(node));
        let mut all = vec![0; size * length];
        for (index, field) in element.fields.iter().enumerate() {
            let read = self.operand(node, index);
            let (from, each) = (self.words(&self.data(read.node))?, field.ty.words as usize);
            if each > 0 {
                for (to, from) in all.chunks_exact_mut(size).zip(from.chunks_exact(each)) {
                    to[field.offset as usize..][..each].copy_from_slice(from);
                }
            }
        }
        Ok(words(element, length, all))
    }

    fn native_field(&mut self, node: usize, field: usize) -> Result<Data> {
        let from = self.operand(node, 0).node;
        let of = &self.nodes[from].element;
        let (size, length) = (of.words.max(1) as usize, self.length(node));
        let (offset, each) = of
            .fields
            .get(field)
            .map_or((0, 0), |field| (field.offset, field.ty.words));
        let all = self.words(&self.data(from))?;
        let parts = all
            .chunks_exact(size)
            .flat_map(|entry| &entry[offset as usize..][..each as usize]);
        Ok(words(self.nodes[node].element, length, parts.copied().collect()))
    }

    /// Folds by lanes as `Then::Reduce` says, and what neighbours come to as `Then::ReduceChunks` says, until one entry is left.
    fn native_reduce(&mut self, node: usize, op: &Use) -> Result<Option<Data>> {
        let (from, element) = (self.operand(node, 0).node, self.nodes[node].element);
        let (size, mut left) = (element.words as usize, self.length(from));
        let mut all = self.words(&self.data(from))?;
        if left == 0 {
            return Ok(Some(empty(element)));
        }
        loop {
            let lanes = lanes(left);
            let mut folded = all[..lanes * size].to_vec();
            for first in (lanes..left).step_by(lanes) {
                let count = lanes.min(left - first);
                let next = all[first * size..][..count * size].to_vec();
                let elements = Elements::Apart { first, step: 1 };
                match self.apply(op, folded[..count * size].to_vec(), next, (count, elements))? {
                    Some(words) => folded[..count * size].copy_from_slice(&words),
                    None => return Ok(None),
                }
            }
            if lanes == 1 {
                return Ok(Some(words(element, 1, folded)));
            }
            let chunks = Chunks {
                length: lanes,
                each: NEIGHBOURS as usize,
            };
            all = match self.by_chunks(op, &folded, chunks, &[], &mut |_, _| {})? {
                Some(folded) => folded,
                None => return Ok(None),
            };
            left = lanes / NEIGHBOURS as usize;
        }
    }

    fn native_scan(&mut self, node: usize, op: &Use) -> Result<Option<Data>> {
        let (from, element) = (self.operand(node, 0).node, self.nodes[node].element);
        let all = self.words(&self.data(from))?;
        let length = self.length(node);
        let scanned = self.scanned(op, &all, length)?;
        Ok(scanned.map(|all| words(element, length, all)))
    }

    /// Scans as `Then::Scan` says, the chunks side by side.
    fn scanned(&mut self, op: &Use, all: &[u32], length: usize) -> Result<Folded> {
        if length == 0 {
            return Ok(Some(Vec::new()));
        }
        let size = op.routine.result.ty.words as usize;
        let by = Chunks {
            length,
            each: SCAN_CHUNK as usize,
        };
        let chunks = length.div_ceil(by.each);
        let mut before = Vec::new();
        if chunks > 1 {
            let Some(sums) = self.by_chunks(op, all, by, &[], &mut |_, _| {})? else {
                return Ok(None);
            };
            let Some(sums) = self.scanned(op, &sums, chunks)? else {
                return Ok(None);
            };
            before = sums[..(chunks - 1) * size].to_vec();
        }
        let mut scanned = vec![0; length * size];
        let folded = self.by_chunks(op, all, by, &before, &mut |turn, folded| {
            for (chunk, words) in folded.chunks_exact(size.max(1)).enumerate() {
                let index = chunk * by.each + turn;
                if let Some(to) = scanned.get_mut(index * size..(index + 1) * size) {
                    to.copy_from_slice(words);
                }
            }
        })?;
        Ok(folded.map(|_| scanned))
    }

    /// Folds each chunk, from what the chunks before the second and later ones come to if that is given. `see` gets what the chunks that
    /// have so many entries come to after each turn.
    fn by_chunks(
        &mut self,
        op: &Use,
        all: &[u32],
        chunks: Chunks,
        before: &[u32],
        see: &mut dyn FnMut(usize, &[u32]),
    ) -> Result<Folded> {
        let (size, Chunks { length, each }) = (op.routine.result.ty.words as usize, chunks);
        let turn_of = |turn: usize| {
            let firsts = (turn..length).step_by(each);
            firsts
                .flat_map(|index| &all[index * size..][..size])
                .copied()
                .collect::<Vec<u32>>()
        };
        let mut folded = turn_of(0);
        if !before.is_empty() {
            let count = before.len() / size;
            let elements = Elements::Apart {
                first: each,
                step: each,
            };
            match self.apply(op, before.to_vec(), folded[size..].to_vec(), (count, elements))? {
                Some(words) => folded[size..].copy_from_slice(&words),
                None => return Ok(None),
            }
        }
        see(0, &folded);
        for turn in 1..each.min(length) {
            let next = turn_of(turn);
            let words = next.len();
            let count = words / size.max(1);
            let elements = Elements::Apart {
                first: turn,
                step: each,
            };
            match self.apply(op, folded[..words].to_vec(), next, (count, elements))? {
                Some(all) => folded[..words].copy_from_slice(&all),
                None => return Ok(None),
            }
            see(turn, &folded[..words]);
        }
        Ok(Some(folded))
    }

    /// Folds entries of spans, each given by its first entry, how far the next one is, and where they end; side by side.
    pub fn by_spans(&mut self, op: &Use, all: &[u32], spans: &[(u32, u32, u32)]) -> Result<Folded> {
        let size = op.routine.result.ty.words as usize;
        let entry = |number: u32| &all[number as usize * size..][..size];
        let mut folded: Vec<u32> = spans.iter().flat_map(|span| entry(span.0)).copied().collect();
        let mut left: Vec<(usize, u32)> = spans.iter().map(|span| span.0).enumerate().collect();
        loop {
            left.retain_mut(|(span, number)| {
                let (_, step, end) = spans[*span];
                *number += step;
                *number < end
            });
            if left.is_empty() {
                return Ok(Some(folded));
            }
            let before = left.iter().flat_map(|(span, _)| &folded[span * size..][..size]);
            let next = left.iter().flat_map(|(_, number)| entry(*number));
            let (before, next) = (before.copied().collect(), next.copied().collect());
            let numbers: Vec<u32> = left.iter().map(|(_, number)| *number).collect();
            let pairs = (left.len(), Elements::Listed(&numbers));
            let Some(words) = self.apply(op, before, next, pairs)? else {
                return Ok(None);
            };
            for (words, (span, _)) in words.chunks_exact(size.max(1)).zip(&left) {
                folded[span * size..][..size].copy_from_slice(words);
            }
        }
    }

    /// The operator's results for so many pairs, of which these elements are the second ones.
    fn apply(
        &mut self,
        op: &Use,
        first: Vec<u32>,
        second: Vec<u32>,
        (pairs, elements): (usize, Elements<'_>),
    ) -> Result<Folded> {
        if pairs == 0 || first.is_empty() {
            return Ok(Some(first));
        }
        let element = op.routine.result.ty;
        let columns = [first, second].map(|words| column(element, pairs, words));
        let seen = columns.iter().map(|column| Seen {
            mode: Mode::Value,
            view: View::Read {
                column: &**column,
                uniform: false,
            },
            copy_of: None,
        });
        let ran = self.call(op, seen.collect(), pairs as u32, elements)?;
        let mut words = vec![0; pairs * element.words as usize];
        write_pieces(&*ran.results, 0..pairs, &mut words);
        Ok(ran.first_trap.is_none().then_some(words))
    }
}

/// A column of words.
fn column(element: &'static Type, entries: usize, words: Vec<u32>) -> Arc<dyn Vector> {
    Arc::new(WordColumn {
        element,
        entries,
        words,
    })
}
