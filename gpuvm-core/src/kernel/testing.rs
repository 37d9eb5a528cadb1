//! For tests of kernels: launches on the reference interpreter, and what a kernel means, worked out in plain Rust from its routines run alone.

use std::collections::BTreeMap;

use super::{Count, Fold, Input, Kernel, Output, Then};
use crate::compile::{link, link_kernel};
use crate::interp::{Memory, Vm, run_all, trap_site};
use crate::isa::space;
use crate::link::tests::{check, nothing};
use crate::program::{ParamSlot, Program, TrapRecord};
use crate::routine::{RoutineKey, RoutineRef};
use crate::settings::Settings;

/// A launch parameter's words, and how many of them each VM has of its own; 0 if all see the same.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Argument {
    pub space: u32,
    pub words: Vec<u32>,
    pub stride: u32,
    pub length: u32,
}

impl Argument {
    /// One value of so many words for each VM.
    pub fn own(words: &[u32], each: u32) -> Argument {
        Argument {
            space: space::ARENA,
            words: words.to_vec(),
            stride: each,
            length: 1,
        }
    }

    /// A column of elements of so many words that all VMs see.
    pub fn whole(words: &[u32], each: u32) -> Argument {
        Argument {
            space: space::ARENA,
            words: words.to_vec(),
            stride: 0,
            length: words.len() as u32 / each,
        }
    }

    /// Atomics that all VMs see.
    pub fn atomics(words: &[u32]) -> Argument {
        Argument {
            space: space::ATOMIC,
            ..Argument::whole(words, 1)
        }
    }

    /// The words of one VM's value, or of an element.
    fn entry(&self, index: u32, each: u32) -> &[u32] {
        &self.words[(index * each) as usize..][..each as usize]
    }
}

/// A trap as a user sees it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trap {
    pub vm: u32,
    pub routine: String,
    pub file: String,
    pub line: u32,
    pub words: [u32; 4],
}

impl Trap {
    fn of(program: &Program, record: &TrapRecord) -> Trap {
        let place = trap_site(program, record).place;
        Trap {
            vm: record.vm,
            routine: program.routines[place.routine as usize].clone(),
            file: program.files[place.file as usize].clone(),
            line: place.line,
            words: record.words,
        }
    }
}

/// What a launch leaves: its arguments, and its traps.
pub(super) type Left = (Vec<Argument>, Vec<Trap>);

/// Runs VMs of a program; the result's slot is the last argument, if there is one.
pub(super) fn run(program: &Program, args: &[Argument], vms: std::ops::Range<u32>, vm_count: u32) -> Left {
    let mut spaces = [Vec::new(), Vec::new()];
    let mut slots = Vec::new();
    for arg in args {
        let words = &mut spaces[usize::from(arg.space == space::ATOMIC)];
        slots.push(ParamSlot {
            base: words.len() as u32,
            stride: arg.stride,
            length: arg.length,
            reserved: 0,
        });
        words.extend(&arg.words);
    }
    slots.push(ParamSlot::default());
    let [arena, atomics] = &mut spaces;
    let mut memory = Memory {
        arena,
        atomics,
        params: &slots,
        vm_count,
        first_vm: vms.start,
    };
    let mut all: Vec<Vm> = vms.map(|vm| Vm::new(program, vm)).collect();
    let outcome = run_all(program, &mut memory, &mut all, None);
    let mut left = args.to_vec();
    for (arg, slot) in left.iter_mut().zip(&slots) {
        let words = &spaces[usize::from(arg.space == space::ATOMIC)];
        let after = &words[slot.base as usize..][..arg.words.len()];
        arg.words = after.to_vec();
    }
    let traps = outcome.traps.iter().map(|record| Trap::of(program, record));
    (left, traps.collect())
}

/// Links under some settings, runs, and compares with the model.
#[track_caller]
pub(super) fn agree(kernel: &Kernel, args: &[Argument], vms: u32, settings: &[Settings]) -> Left {
    let expected = Model::new(kernel, args, vms).left();
    for settings in settings {
        let program = link_kernel(kernel, &[], settings).expect("the kernel fits");
        check(&program);
        let left = run(&program, args, 0..vms, vms);
        assert_eq!(left, expected, "{settings:?}\n{kernel:?}\n{}", program.disassemble());
    }
    expected
}

/// What a kernel means: one routine alone after the other, for one element after the other, in the order that [`super`] gives.
struct Model<'k> {
    kernel: &'k Kernel,
    args: Vec<Argument>,
    vms: u32,
    programs: BTreeMap<RoutineKey, Program>,
}

impl Model<'_> {
    fn new<'k>(kernel: &'k Kernel, args: &[Argument], vms: u32) -> Model<'k> {
        let program = |routine: &RoutineRef| link(routine.clone(), &[], &nothing()).expect("the routine is valid");
        let programs = kernel.routines().map(|routine| (routine.key(), program(routine)));
        Model {
            kernel,
            args: args.to_vec(),
            vms,
            programs: programs.collect(),
        }
    }

    fn left(mut self) -> Left {
        let mut traps = Vec::new();
        for vm in 0..self.vms {
            if let Err(trap) = self.vm(vm) {
                traps.push(Trap { vm, ..trap });
            }
        }
        (self.args, traps)
    }

    fn count(&self, count: &Count) -> u32 {
        match count {
            Count::Vms => self.vms,
            Count::Slice(param) => self.args[*param].length,
            Count::Cell(param) | Count::Again(param) => self.args[*param].words[0],
            Count::Constant(count) => *count,
            Count::Chunks(of, chunk) => self.count(of).div_ceil(*chunk),
            Count::AtMost(of, most) => self.count(of).min(*most),
        }
    }

    fn vm(&mut self, vm: u32) -> Result<(), Trap> {
        let count = self.count(&self.kernel.count);
        let kernel = self.kernel;
        let chunk_of = |chunk: u32| vm * chunk..(vm * chunk + chunk).min(count);
        match &kernel.then {
            None if vm >= count => {}
            None => {
                self.element(vm)?;
            }
            Some(Then::Reduce { op, partial }) => {
                let folded = self.fold(op, partial, (vm..count).step_by(self.vms as usize))?;
                self.put(partial.to, vm, folded);
            }
            Some(Then::ReduceChunks { op, partial, chunk }) => {
                let folded = self.fold(op, partial, chunk_of(*chunk))?;
                self.put(partial.to, vm, folded);
            }
            Some(Then::ReduceSpans { op, partial, span, .. }) => {
                let args = span.args.iter().map(|arg| match arg {
                    Input::Param(param) => self.args[*param].clone(),
                    other => Argument::own(&self.value(other, vm, &[]), 0),
                });
                let (left, traps) = self.alone(&span.routine, args.collect(), vm);
                let span = result(left, traps)?;
                let indices = (span[0]..span[2].min(count)).step_by(span[1].max(1) as usize);
                let folded = self.fold(op, partial, indices)?;
                self.put(partial.to, vm, folded);
            }
            Some(Then::ReduceOwn { chunk, .. }) if count < *chunk => {}
            Some(Then::ReduceOwn { op, partial, chunk }) => {
                // VMs have their slices one after the other.
                let first = vm * count;
                let folded = self.fold(op, partial, first..first + *chunk)?;
                self.put(partial.to, vm, folded);
            }
            Some(Then::Scan {
                op,
                prefix,
                chunks,
                chunk,
            }) => {
                let mut folded = None;
                if let Some(before) = chunks.filter(|_| vm > 0 && !chunk_of(*chunk).is_empty()) {
                    let each = self.words_of(before);
                    folded = Some(self.args[before].entry(vm - 1, each).to_vec());
                }
                for index in chunk_of(*chunk) {
                    folded = Some(self.fold_one(op, prefix, folded, index)?);
                    self.put(prefix.to, index, folded.clone());
                }
            }
            Some(Then::Handle { mail, .. }) if vm >= self.args[*mail].length => {}
            Some(Then::Handle {
                mail, handled, busy, ..
            }) => {
                let own = self.args[*mail].entry(vm, 3).to_vec();
                if own[1] >= own[2] || self.args[*busy].entry(own[0], 1) != [0] {
                    return Ok(());
                }
                self.put(*busy, own[0], Some(vec![1]));
                for message in own[1]..own[2] {
                    self.element_as(own[0], message)?;
                    self.put(*handled, vm, Some(vec![message + 1 - own[1]]));
                }
                self.put(*busy, own[0], Some(vec![0]));
            }
        }
        Ok(())
    }

    fn fold(&mut self, op: &Fold, of: &Output, indices: impl Iterator<Item = u32>) -> Result<Option<Vec<u32>>, Trap> {
        let mut folded = None;
        for index in indices {
            folded = Some(self.fold_one(op, of, folded, index)?);
        }
        Ok(folded)
    }

    fn fold_one(&mut self, op: &Fold, of: &Output, folded: Option<Vec<u32>>, index: u32) -> Result<Vec<u32>, Trap> {
        let results = self.element(index)?;
        let value = self.value(&of.value, index, &results);
        match (folded, op) {
            (None, _) => Ok(value),
            (Some(folded), Fold::Add) => Ok(vec![folded[0].wrapping_add(value[0])]),
            (Some(folded), Fold::Routine(op)) => {
                let args = [folded, value].map(|words| Argument::own(&words, 0)).to_vec();
                let (left, traps) = self.alone(op, args, index);
                result(left, traps)
            }
        }
    }

    fn element(&mut self, index: u32) -> Result<Vec<Vec<u32>>, Trap> {
        self.element_as(index, index)
    }

    /// An element whose calls take `identity` for their VM's number.
    fn element_as(&mut self, identity: u32, index: u32) -> Result<Vec<Vec<u32>>, Trap> {
        let mut results = Vec::new();
        let kernel = self.kernel;
        for call in 0..=kernel.calls.len() {
            for output in kernel.stores.iter().filter(|output| output.value.calls() == call) {
                let value = self.value(&output.value, index, &results);
                self.put(output.to, index, Some(value));
            }
            if call < kernel.calls.len() {
                results.push(self.call(call, identity, index, &results)?);
            }
        }
        Ok(results)
    }

    fn call(&mut self, call: usize, identity: u32, index: u32, results: &[Vec<u32>]) -> Result<Vec<u32>, Trap> {
        let call = &self.kernel.calls[call];
        let is_shared = |arg: &Input| match (arg, &self.kernel.then) {
            (Input::Param(param), _) => Some(*param).filter(|param| self.kernel.params[*param].refs > 0),
            (Input::State, Some(Then::Handle { states, .. })) => Some(*states),
            _ => None,
        };
        let mut args: Vec<Argument> = Vec::new();
        for arg in &call.args {
            args.push(match is_shared(arg) {
                Some(states) if *arg == Input::State => Argument {
                    stride: self.words_of(states),
                    length: 1,
                    ..self.args[states].clone()
                },
                Some(param) => self.args[param].clone(),
                None => Argument::own(&self.value(arg, index, results), 0),
            });
        }
        let (left, traps) = self.alone(&call.routine, args, identity);
        for (arg, after) in call.args.iter().zip(&left) {
            if let Some(param) = is_shared(arg) {
                self.args[param].words.clone_from(&after.words);
            }
        }
        result(left, traps)
    }

    /// Runs one VM of a routine's own program; the result comes last.
    fn alone(&self, routine: &RoutineRef, mut args: Vec<Argument>, index: u32) -> Left {
        let program = &self.programs[&routine.key()];
        args.push(Argument::own(&vec![0; routine.result.words() as usize], 0));
        // What each VM has of its own is looked for where the first of those that run has it.
        for arg in &mut args {
            arg.words.rotate_left((arg.stride * index) as usize);
        }
        let count = self.count(&self.kernel.count);
        let (mut left, traps) = run(program, &args, index..index + 1, count);
        for arg in &mut left {
            arg.words.rotate_right((arg.stride * index) as usize);
        }
        (left, traps)
    }

    fn value(&self, input: &Input, index: u32, results: &[Vec<u32>]) -> Vec<u32> {
        match input {
            Input::Param(param) => {
                let arg = &self.args[*param];
                let own = (arg.stride * index) as usize;
                arg.words[own..][..self.kernel.params[*param].ty.words as usize].to_vec()
            }
            Input::State => unreachable!("it is shared"),
            Input::Room(_) => unreachable!("these handlers have no surroundings"),
            Input::Element(param) => self.args[*param].entry(index, self.words_of(*param)).to_vec(),
            Input::Call(call) => results[*call].clone(),
            Input::Tuple(parts) => parts.iter().flat_map(|part| self.value(part, index, results)).collect(),
            Input::Constant(words) => words.clone(),
            Input::Field(of, field) => match &**of {
                Input::Tuple(parts) => self.value(&parts[*field], index, results),
                of => {
                    let field = &self.kernel.type_of(of).expect("a tuple").ty.fields[*field];
                    let words = self.value(of, index, results);
                    words[field.offset as usize..][..field.ty.words as usize].to_vec()
                }
            },
        }
    }

    fn words_of(&self, column: usize) -> u32 {
        self.kernel.column(column).expect("a column").words
    }

    fn put(&mut self, param: usize, index: u32, value: Option<Vec<u32>>) {
        if let Some(value) = value {
            self.args[param].words[index as usize * value.len()..][..value.len()].copy_from_slice(&value);
        }
    }
}

/// What a routine alone returned.
fn result(left: Vec<Argument>, traps: Vec<Trap>) -> Result<Vec<u32>, Trap> {
    match traps.into_iter().next() {
        Some(trap) => Err(trap),
        None => Ok(left.last().map_or_else(Vec::new, |result| result.words.clone())),
    }
}
