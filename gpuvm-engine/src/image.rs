//! An [`Image`] VM by VM: how the interpreter's [`Vm`] goes into the canonical form and comes back.

use gpuvm_core::interp::{MEMORY_SITE, STACK_SITE, Vm, header};
use gpuvm_core::isa::{Op, STATE_WORDS, unpair};
use gpuvm_core::program::{Program, Status, TrapRecord};
use rayon::prelude::*;

use crate::{EXTRA_WORDS, Image, fault, least_piece};

/// VMs, or words, that one thread takes at a time.
const PIECE: usize = 1 << 14;

/// Words of a page of the host's memory, or of a part of one.
const PAGE: usize = 1 << 10;

/// Zeros whose pages are there, made by several threads: for many words that takes as long as bringing them from a device.
pub fn touched(words: usize) -> Vec<u32> {
    let mut zeros = vec![0; words];
    let pages = zeros.par_chunks_mut(PAGE).with_min_len(least_piece(PIECE / PAGE));
    pages.for_each(|page| page[0] = 0);
    zeros
}

impl Image {
    /// The image of VMs at the entry, with the ids from `first_vm` on.
    pub fn fresh(program: &Program, first_vm: u32, vms: u32, status: Status) -> Image {
        let vms = vms as usize;
        let mut records = vec![0; vms * STATE_WORDS];
        let pieces = records.par_chunks_mut(PIECE * STATE_WORDS).enumerate();
        let pieces = pieces.with_min_len(least_piece(1));
        pieces.for_each(|(piece, records)| {
            let first = first_vm.wrapping_add((piece * PIECE) as u32);
            for (vm, record) in (first..).zip(records.chunks_exact_mut(STATE_WORDS)) {
                record[header::VM_ID] = vm;
                record[header::STATUS] = status as u32;
            }
        });
        Image {
            records,
            extras: vec![0; vms * EXTRA_WORDS],
            frames: vec![0; vms * program.frame_memory() as usize],
        }
    }

    /// Whether every VM is at the entry, as if it had not run.
    pub fn is_fresh(&self) -> bool {
        let zeros = |words: &[u32]| words.iter().all(|word| *word == 0);
        let all_zeros = |words: &[u32]| words.par_chunks(PIECE).all(zeros);
        let at_entry = |record: &[u32]| zeros(&record[..header::VM_ID]) && zeros(&record[header::VM_ID + 1..]);
        self.par_records().all(at_entry) && all_zeros(&self.extras) && all_zeros(&self.frames)
    }

    /// Appends a VM.
    pub fn push(&mut self, program: &Program, vm: &Vm) {
        let (fault, offset) = match vm.trap {
            Some(trap) if trap.site == MEMORY_SITE => (fault::MEMORY, trap.words[1]),
            Some(trap) if trap.site == STACK_SITE => (fault::STACK, 0),
            _ => (fault::NONE, 0),
        };
        let extras: [u32; EXTRA_WORDS] = [
            vm.frame_base.wrapping_sub(program.call_stack_words()),
            vm.calls,
            fault,
            offset,
        ];
        self.records.extend(vm.state);
        self.extras.extend(extras);
        self.frames.extend(&vm.frame);
    }

    /// Replaces a VM.
    pub fn replace(&mut self, program: &Program, index: usize, vm: &Vm) {
        let mut one = Image::default();
        one.push(program, vm);
        let parts = [
            (&mut self.records, one.records),
            (&mut self.extras, one.extras),
            (&mut self.frames, one.frames),
        ];
        for (all, part) in parts {
            if let Some(place) = all.get_mut(index * part.len()..(index + 1) * part.len()) {
                place.copy_from_slice(&part);
            }
        }
    }

    /// Appends all VMs of another image of the same program.
    pub fn append(&mut self, other: Image) {
        if self.records.is_empty() {
            *self = other;
            return;
        }
        self.records.extend_from_slice(&other.records);
        self.extras.extend_from_slice(&other.extras);
        self.frames.extend_from_slice(&other.frames);
    }

    /// How many VMs it has.
    pub fn vms(&self) -> usize {
        self.records.len() / STATE_WORDS
    }

    /// The VMs of a range.
    pub fn part(&self, program: &Program, vms: std::ops::Range<usize>) -> Image {
        let words = |all: &[u32], each: usize| {
            let part = all[vms.start * each..vms.end * each].par_iter();
            part.with_min_len(PIECE).copied().collect()
        };
        Image {
            records: words(&self.records, STATE_WORDS),
            extras: words(&self.extras, EXTRA_WORDS),
            frames: words(&self.frames, program.frame_memory() as usize),
        }
    }

    /// The VMs' records, for several threads.
    pub fn par_records(&self) -> impl IndexedParallelIterator<Item = &[u32]> {
        self.records.par_chunks_exact(STATE_WORDS).with_min_len(PIECE)
    }

    /// How many VMs have the status.
    pub fn count(&self, status: Status) -> usize {
        let of_status = |record: &&[u32]| record[header::STATUS] == status as u32;
        self.par_records().filter(of_status).count()
    }

    /// One VM; `None` if there are not as many.
    pub fn vm(&self, program: &Program, index: usize) -> Option<Vm> {
        let part = |words: &'_ [u32], each: usize| -> Option<Vec<u32>> {
            words.get(index * each..(index + 1) * each).map(<[u32]>::to_vec)
        };
        let state: [u32; STATE_WORDS] = part(&self.records, STATE_WORDS)?.try_into().ok()?;
        let extras: [u32; EXTRA_WORDS] = part(&self.extras, EXTRA_WORDS)?.try_into().ok()?;
        let [base, calls, fault, offset] = extras;
        let trapped = state[header::STATUS] == Status::Trapped as u32;
        Some(Vm {
            state,
            frame: part(&self.frames, program.frame_memory() as usize)?,
            frame_base: base.wrapping_add(program.call_stack_words()),
            calls,
            trap: trapped.then(|| trap_of(program, &state, fault, offset)),
        })
    }
}

/// What a trapped VM has recorded: the instruction it stands at names site and words.
fn trap_of(program: &Program, state: &[u32; STATE_WORDS], fault: u32, offset: u32) -> TrapRecord {
    let (vm, ip) = (state[header::VM_ID], state[header::IP]);
    let (site, words) = match (fault, program.code.get(ip as usize)) {
        (fault::MEMORY, _) => (MEMORY_SITE, [ip, offset, 0, 0]),
        (fault::NONE, Some(instruction)) => {
            let [site, a, b, c] = instruction.operands;
            let word = |number: u32| {
                let words = &state[header::WORD_0..];
                words.get(number as usize).copied().unwrap_or(0)
            };
            let ((first, second), (third, fourth)) = (unpair(a), unpair(b));
            match Op::from_code(instruction.opcode) {
                Some(Op::Trap) => (site, [first, second, third, fourth].map(word)),
                Some(Op::TrapIf) => (site, [word(b), word(c), 0, 0]),
                _ => (site, [0; 4]),
            }
        }
        (fault::NONE, None) => (MEMORY_SITE, [ip, ip, 0, 0]),
        _ => (STACK_SITE, [ip, 0, 0, 0]),
    };
    TrapRecord { vm, site, words }
}
