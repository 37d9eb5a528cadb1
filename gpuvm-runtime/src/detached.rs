//! One VM by itself on this CPU: run forwards and backwards while the others of its launch stand where they are.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::interp::{self, Vm};
use gpuvm_core::isa::{STATE_WORDS, space};
use gpuvm_core::program::{ParamSlot, Program, Status};
use gpuvm_engine::{Image, Memory};

/// Instructions between two checkpoints at first, of a VM without frame memory.
const INTERVAL: u64 = 1 << 12;
/// Words that all checkpoints together may have. Beyond that, every other one goes.
const CHECKPOINT_WORDS: usize = 1 << 23;
/// Words whose old values are known. Beyond that, the older half is forgotten, and with it the way back.
const JOURNAL: usize = 1 << 22;

/// A VM taken out of an [`Execution`](crate::Execution) by [`detach`](crate::Execution::detach), with the memory that it sees, run by the interpreter that defines what
/// programs mean. It remembers the way that it has come: VMs are deterministic, so going back is going to a checkpoint, undoing what was
/// written since, and running forwards again.
#[derive(Clone, Debug)]
pub struct DetachedVm {
    program: Arc<Program>,
    vm: Vm,
    arena: Vec<u32>,
    atomics: Vec<u32>,
    slots: Vec<ParamSlot>,
    vm_count: u32,
    /// Instructions that it has run.
    position: u64,
    /// Ascending by position; the first is as far back as it can go.
    checkpoints: Vec<Checkpoint>,
    /// Instructions between two of these.
    interval: u64,
    /// What was overwritten since the first checkpoint, in that order.
    journal: Vec<Overwritten>,
    /// Words outside of the VM that have been written, also if that was undone.
    touched: BTreeSet<(u32, u32)>,
}

/// The VM at a position.
#[derive(Clone, Debug)]
struct Checkpoint {
    position: u64,
    vm: Vm,
    /// Entries of the journal before it.
    written: usize,
}

/// A word before it was written.
#[derive(Clone, Copy, Debug)]
struct Overwritten {
    space: u32,
    offset: u32,
    old: u32,
}

/// What a VM sees beside its own state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// Columns, slices and results.
    pub arena: Vec<u32>,
    /// The atomic words.
    pub atomics: Vec<u32>,
    /// Where the parameters lie, the result's slot last.
    pub slots: Vec<ParamSlot>,
    /// VMs in the launch.
    pub vm_count: u32,
}

impl DetachedVm {
    pub(crate) fn new(program: Arc<Program>, vm: Vm, surroundings: Surroundings) -> DetachedVm {
        let Surroundings {
            arena,
            atomics,
            slots,
            vm_count,
        } = surroundings;
        let first = Checkpoint {
            position: 0,
            vm: vm.clone(),
            written: 0,
        };
        DetachedVm {
            interval: INTERVAL.max(vm.frame.len() as u64),
            program,
            vm,
            arena,
            atomics,
            slots,
            vm_count,
            position: 0,
            checkpoints: vec![first],
            journal: Vec::new(),
            touched: BTreeSet::new(),
        }
    }

    /// The program that it runs.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Its state.
    pub fn vm(&self) -> &Vm {
        &self.vm
    }

    /// Changes its state. The way back ends here, as what comes after did not come of what was before.
    pub fn vm_mut(&mut self) -> &mut Vm {
        self.checkpoints.clear();
        self.journal.clear();
        &mut self.vm
    }

    /// How many instructions it has run since it was detached; since its entry, if it is a [history](crate::Execution::history).
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The earliest position that it can go back to.
    pub fn earliest(&self) -> u64 {
        self.checkpoints.first().map_or(self.position, |first| first.position)
    }

    /// The positions that going back begins at, ascending: a cheap way to look at all of the past is from each to the next.
    pub fn checkpoints(&self) -> impl DoubleEndedIterator<Item = u64> + '_ {
        self.checkpoints.iter().map(|checkpoint| checkpoint.position)
    }

    /// A word that it sees: of its frame memory, the launch's columns, its atomics or its program's data, by their numbers in [`space`].
    pub fn word(&self, space: u32, offset: u32) -> Option<u32> {
        let words = match space {
            space::FRAME => &self.vm.frame,
            space::ARENA => &self.arena,
            space::ATOMIC => &self.atomics,
            space::DATA => &self.program.data,
            _ => return None,
        };
        words.get(offset as usize).copied()
    }

    /// Replaces a word that it sees; false if there is none that may be written. The way back ends here.
    pub fn set_word(&mut self, space: u32, offset: u32, value: u32) -> bool {
        self.checkpoints.clear();
        self.journal.clear();
        let words = match space {
            space::FRAME => &mut self.vm.frame,
            space::ARENA => &mut self.arena,
            space::ATOMIC => &mut self.atomics,
            _ => return false,
        };
        let Some(word) = words.get_mut(offset as usize) else {
            return false;
        };
        *word = value;
        if space != space::FRAME {
            self.touched.insert((space, offset));
        }
        true
    }

    /// The entries of a parameter of the launch that this VM sees: their space, the first word, and how many there are.
    pub fn param(&self, index: usize) -> Option<(u32, u32, u32)> {
        use gpuvm_core::types::Kind;

        let slot = self.slots.get(index)?;
        let ty = self.program.params.get(index)?.ty;
        let is_atomic = ty.kind == Kind::Atomic || ty.element.is_some_and(|element| element.kind == Kind::Atomic);
        let id = self.vm.state[interp::header::VM_ID];
        let first = slot.base.wrapping_add(id.wrapping_mul(slot.stride));
        Some((if is_atomic { space::ATOMIC } else { space::ARENA }, first, slot.length))
    }

    /// Runs one instruction, if the VM is running. A VM that has yielded goes on; one that waits for an answer does not.
    pub fn step(&mut self) -> Status {
        if self.vm.status() == Status::Yielded {
            self.vm.resume();
        }
        if self.vm.status() != Status::Running {
            return self.vm.status();
        }
        let due = match self.checkpoints.last() {
            Some(last) => self.position >= last.position + self.interval,
            None => true,
        };
        if due {
            self.checkpoint();
        }
        if let Some((space, offset, words)) = self.vm.next_write(&self.program) {
            for offset in offset..offset.saturating_add(words) {
                let Some(old) = self.word(space, offset) else { continue };
                self.journal.push(Overwritten { space, offset, old });
                self.touched.insert((space, offset));
            }
        }
        let mut memory = interp::Memory {
            arena: &mut self.arena,
            atomics: &mut self.atomics,
            params: &self.slots,
            vm_count: self.vm_count,
            // The slots count VMs from the launch's first.
            first_vm: 0,
        };
        self.position += 1;
        self.vm.step(&self.program, &mut memory)
    }

    /// Goes to a position, forwards or backwards, as far as it can: not before the [earliest](DetachedVm::earliest), and not past the VM's end. Gives where it is.
    pub fn go_to(&mut self, position: u64) -> u64 {
        if position < self.position {
            let before = self
                .checkpoints
                .partition_point(|checkpoint| checkpoint.position <= position);
            let Some(checkpoint) = before
                .checked_sub(1)
                .or(Some(0))
                .and_then(|at| self.checkpoints.get(at))
            else {
                return self.position;
            };
            self.position = checkpoint.position;
            self.vm.clone_from(&checkpoint.vm);
            for Overwritten { space, offset, old } in self.journal.drain(checkpoint.written..).rev() {
                let words = match space {
                    space::ARENA => &mut self.arena,
                    _ => &mut self.atomics,
                };
                if let Some(word) = words.get_mut(offset as usize) {
                    *word = old;
                }
            }
            self.checkpoints.truncate(before.max(1));
        }
        while self.position < position {
            let before = self.position;
            self.step();
            if self.position == before {
                break;
            }
        }
        self.position
    }

    /// Remembers where it is.
    fn checkpoint(&mut self) {
        if self.journal.len() > JOURNAL {
            let keep = self.checkpoints.len() / 2;
            let forgotten = self
                .checkpoints
                .get(keep)
                .map_or(self.journal.len(), |first| first.written);
            self.checkpoints.drain(..keep);
            self.journal.drain(..forgotten);
            for checkpoint in &mut self.checkpoints {
                checkpoint.written -= forgotten;
            }
        }
        let each = self.vm.state.len() + self.vm.frame.len();
        if (self.checkpoints.len() + 1) * each > CHECKPOINT_WORDS.max(4 * each) {
            let mut index = 0;
            self.checkpoints.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.interval *= 2;
        }
        self.checkpoints.push(Checkpoint {
            position: self.position,
            vm: self.vm.clone(),
            written: self.journal.len(),
        });
    }

    /// The words outside of the VM that it may have changed, in runs: their space, the first word, and what they are.
    pub(crate) fn written(&self) -> Vec<(u32, u32, Vec<u32>)> {
        let mut runs: Vec<(u32, u32, Vec<u32>)> = Vec::new();
        for &(space, offset) in &self.touched {
            let value = self.word(space, offset).unwrap_or_default();
            match runs.last_mut() {
                Some((of, first, words)) if *of == space && *first + words.len() as u32 == offset => words.push(value),
                _ => runs.push((space, offset, vec![value])),
            }
        }
        runs
    }

    /// Whether the VM stands as another one of the same program does, in memory too, as far as either has written any.
    pub fn stands_as(&self, other: &DetachedVm) -> bool {
        self.vm == other.vm
            && self
                .touched
                .iter()
                .all(|&(space, offset)| self.word(space, offset) == other.word(space, offset))
    }
}

/// All VMs of an [`Execution`](crate::Execution) as they stood, on the host.
#[derive(Debug)]
pub struct Frozen {
    pub(crate) program: Arc<Program>,
    pub(crate) parts: Vec<FrozenPart>,
}

/// VMs of one job.
#[derive(Debug)]
pub(crate) struct FrozenPart {
    pub range: Range<u32>,
    pub image: Image,
    pub memory: Memory,
}

impl Frozen {
    /// How many there are.
    pub fn vms(&self) -> u32 {
        self.parts.last().map_or(0, |part| part.range.end)
    }

    /// The state of one.
    pub fn vm(&self, vm: u32) -> Option<Vm> {
        let part = self.part(vm)?;
        part.image.vm(&self.program, (vm - part.range.start) as usize)
    }

    /// Where one stands, and the number of its next instruction.
    pub fn stands(&self, vm: u32) -> Option<(Status, u32)> {
        let part = self.part(vm)?;
        let first = (vm - part.range.start) as usize * STATE_WORDS;
        let record = part.image.records.get(first..first + STATE_WORDS)?;
        Some((Status::of(record[interp::header::STATUS]), record[interp::header::IP]))
    }

    /// A word that one sees outside of its own state: of the columns, the atomics or the program's data. The first two are known only if they were
    /// [asked for](crate::Execution::freeze).
    pub fn word(&self, vm: u32, space: u32, offset: u32) -> Option<u32> {
        let memory = &self.part(vm)?.memory;
        let words = match space {
            space::ARENA => &memory.arena,
            space::ATOMIC => &memory.atomics,
            space::DATA => &self.program.data,
            _ => return None,
        };
        words.get(offset as usize).copied()
    }

    fn part(&self, vm: u32) -> Option<&FrozenPart> {
        let after = self.parts.partition_point(|part| part.range.end <= vm);
        self.parts.get(after)
    }
}
