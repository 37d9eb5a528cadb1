//! Looking into an execution: the state of a VM, single steps, and breakpoints by source line.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use gpuvm_core::interp::{Vm, header};
use gpuvm_core::isa::WORDS;
use gpuvm_core::program::{Location, Program, Status};
use gpuvm_engine::{Memory, StopAt};

use crate::budget::Budget;
use crate::detached::{DetachedVm, Frozen, FrozenPart};
use crate::error::{Error, Result};
use crate::execution::{Execution, Signal};
use crate::frames::{FrameView, VariableView};
use crate::leg::{Leg, Stage};
use crate::progress::Standing;

/// One VM between two instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VmView {
    /// Its number.
    pub vm: u32,
    /// Whether it can go on, and if not, why.
    pub status: Status,
    /// The number of the next instruction, or of the one that stopped it.
    pub ip: u32,
    /// The source file that the instruction comes from.
    pub file: String,
    /// The line in that file.
    pub line: u32,
    /// The routine that the line belongs to: the one launched, or one it calls, however it was inlined.
    pub routine: String,
    /// Calls of routines that have not returned, as far as they are counted, see [`header::DEPTH`].
    pub depth: u32,
    /// The source's variables, those of the innermost routine first.
    pub variables: Vec<VariableView>,
    /// The activations on its stack, the innermost first, inlined ones too. Empty for what was never Rust.
    pub stack: Vec<FrameView>,
    /// The general words.
    pub words: [u32; WORDS],
}

impl VmView {
    /// A VM, of whose words these have their values, as bits.
    fn new(program: &Program, vm: &Vm, kept: u32) -> VmView {
        let ip = vm.ip();
        let place = program.places.get(ip as usize);
        let text = |list: &[String], index: Option<u32>| {
            let text = index.and_then(|index| list.get(index as usize));
            text.cloned().unwrap_or_default()
        };
        VmView {
            vm: vm.state[header::VM_ID],
            status: vm.status(),
            ip,
            file: text(&program.files, place.map(|place| place.file)),
            line: place.map_or(0, |place| place.line),
            routine: text(&program.routines, place.map(|place| place.routine)),
            depth: vm.state[header::DEPTH],
            variables: variables(program, vm, kept),
            stack: FrameView::stack(program, vm, kept),
            words: std::array::from_fn(|word| vm.words()[word]),
        }
    }

    /// The value of the variable of this name, innermost first, as `{:?}` prints it.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let found = self.variables.iter().find(|variable| variable.name == name);
        found.map(|variable| variable.value.as_str())
    }
}

/// The variables that are in scope, with their values.
fn variables(program: &Program, vm: &Vm, kept: u32) -> Vec<VariableView> {
    let frame = vm.frame.get(vm.frame_base as usize..).unwrap_or_default();
    let view = |location: Location<'_>| {
        let location = location.within(kept);
        VariableView {
            value: location.show(vm.words(), frame),
            ty: location.variable.ty.to_string(),
            name: location.name,
        }
    };
    program.variables_at(vm.ip()).into_iter().map(view).collect()
}

impl fmt::Display for VmView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VmView {
            vm,
            ip,
            routine,
            file,
            line,
            ..
        } = self;
        let status = match self.status {
            Status::Running => "running",
            Status::Blocked => "blocked",
            Status::Yielded => "yielded",
            Status::Halted => "halted",
            Status::Trapped => "trapped",
        };
        write!(
            f,
            "VM {vm}, {status} at instruction {ip}, in `{routine}` at {file}:{line}"
        )?;
        let known = self.variables.iter().filter(|variable| variable.value != "?");
        for VariableView { name, value, .. } in known {
            write!(f, ", {name} = {value}")?;
        }
        Ok(())
    }
}

impl Execution<'_> {
    /// The state of one VM.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchVm`], or when the device fails.
    pub fn vm(&mut self, vm: u32) -> Result<VmView> {
        self.is_vm(vm)?;
        let Execution { course, held, leg, .. } = self;
        let views = held.views();
        let (state, kept) = match leg {
            Some(leg) => leg.vm(course, &views, vm)?,
            None => (Vm::new(&course.program, vm), u32::MAX),
        };
        Ok(VmView::new(&course.program, &state, kept))
    }

    /// A VM by itself on this CPU, with the memory that it sees as it is now: to be run forwards and backwards and looked into, while the execution
    /// stands where it is. [`attach`](Execution::attach) puts it back; without that the execution never knows.
    ///
    /// All columns are copied to the host.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchVm`], [`Error::NotRunning`] if all steps are over, or when the device fails.
    pub fn detach(&mut self, vm: u32) -> Result<DetachedVm> {
        self.is_vm(vm)?;
        let Execution {
            course,
            held,
            leg,
            results,
            entry,
            ..
        } = self;
        let views = held.views();
        let detached = match leg {
            Some(leg) => leg.detach(course, &views, results, vm)?,
            None => None,
        };
        detached.ok_or_else(|| Error::NotRunning {
            routine: entry.id().to_string(),
        })
    }

    /// Puts a VM that was [detached](Execution::detach) from this execution back: it goes on from where it is now, and what it has written is written.
    ///
    /// # Errors
    ///
    /// [`Error::OtherProgram`] if it is of another execution, or when the device fails.
    pub fn attach(&mut self, detached: &DetachedVm) -> Result<()> {
        if !Arc::ptr_eq(detached.program(), &self.course.program) {
            return Err(Error::OtherProgram {
                reason: format!(
                    "the VM is one of `{}`, and runs `{}`",
                    self.entry.id(),
                    detached.program().name
                ),
            });
        }
        match &mut self.leg {
            Some(leg) => leg.attach(detached),
            None => Ok(()),
        }
    }

    /// A VM by itself as it was before its first instruction of this step, with the memory that it saw then: run forwards it goes the way that it has
    /// gone in the execution. `None` where nobody can tell that: VMs share atomics or write to one slice, print or ask, several steps were made at once, or it was
    /// restored in the middle of a step.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchVm`].
    pub fn history(&mut self, vm: u32) -> Result<Option<DetachedVm>> {
        self.is_vm(vm)?;
        let Execution { course, held, leg, .. } = self;
        let views = held.views();
        Ok(leg.as_ref().and_then(|leg| leg.history(course, &views, vm)))
    }

    /// The state of every VM as it is now, on the host; with all columns and atomics too if `with_memory`.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn freeze(&mut self, with_memory: bool) -> Result<Frozen> {
        let program = self.course.program.clone();
        let mut parts = Vec::new();
        for part in self.leg.iter_mut().flat_map(|leg| &mut leg.parts) {
            let memory = match &mut part.stage {
                Stage::Started(running) if with_memory => running.memory()?,
                _ => Memory::default(),
            };
            parts.push(FrozenPart {
                range: part.range.clone(),
                image: part.image(&program)?,
                memory,
            });
        }
        Ok(Frozen { program, parts })
    }

    /// How many VMs stand how, as of the last advance.
    pub fn standing(&self) -> Standing {
        Standing::from(&self.leg.as_ref().map(Leg::tally).unwrap_or_default())
    }

    /// The names of the routine's parameters.
    pub fn parameters(&self) -> Vec<String> {
        (0..self.entry.named())
            .map(|index| self.entry.name(index).into_owned())
            .collect()
    }

    /// Stops VMs in front of exactly these instructions of the [program](Execution::program) from now on: those that an instruction's guard says, or all
    /// of them. Where an engine has no guards, or an instruction is named more than once, all VMs stop.
    pub fn stop_at(&mut self, stops: impl IntoIterator<Item = StopAt>) {
        self.breakpoints.clear();
        self.stop_at_more(stops);
    }

    fn stop_at_more(&mut self, stops: impl IntoIterator<Item = StopAt>) {
        self.breakpoints.extend(stops);
        self.breakpoints.sort_by_key(|stop| stop.instruction);
        self.breakpoints.dedup_by(|other, first| {
            let same = other.instruction == first.instruction;
            if same {
                first.guard = None;
            }
            same
        });
    }

    /// The program that the VMs run.
    pub fn program(&self) -> &Arc<Program> {
        &self.course.program
    }

    fn is_vm(&self, vm: u32) -> Result<()> {
        if vm < self.course.vms {
            return Ok(());
        }
        Err(Error::NoSuchVm {
            routine: self.entry.id().to_string(),
            vms: self.course.vms,
            vm,
        })
    }

    /// Lets every running VM run one instruction; on the specialised engine, to the end of its basic block.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn step(&mut self) -> Result<Signal> {
        self.advance(Budget::cycles(1))
    }

    /// Stops VMs in front of the code of a source line from now on. `place` is `file:line`, where the file may be the end of a path:
    /// `boids.rs:42`.
    ///
    /// # Errors
    ///
    /// [`Error::NoCode`], with the nearest lines that have code.
    pub fn break_at(&mut self, place: &str) -> Result<()> {
        let found = instructions_at(&self.course.program, place)?;
        self.stop_at_more(found.into_iter().map(StopAt::every));
        Ok(())
    }

    /// Takes the breakpoints of a line away.
    ///
    /// # Errors
    ///
    /// As [`Execution::break_at`].
    pub fn clear(&mut self, place: &str) -> Result<()> {
        let found = instructions_at(&self.course.program, place)?;
        self.breakpoints.retain(|stop| !found.contains(&stop.instruction));
        Ok(())
    }
}

/// The instructions at which the code of a line is entered, in each file whose path ends as it was asked for.
fn instructions_at(program: &Program, asked: &str) -> Result<Vec<u32>> {
    let no_code = |hint: String| Error::NoCode {
        asked: asked.to_string(),
        hint,
    };
    let parsed = asked
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    let Some((suffix, line)) = parsed else {
        return Err(no_code(
            "a place is a file and a line, such as `main.rs:12`".to_string(),
        ));
    };
    let is_meant = |path: &str| match path.strip_suffix(suffix) {
        Some(before) => before.is_empty() || before.ends_with(['/', '\\']),
        None => false,
    };
    let numbers = 0..program.files.len() as u32;
    let files: Vec<u32> = numbers
        .filter(|file| is_meant(&program.files[*file as usize]))
        .collect();
    let lines: BTreeSet<u32> = files.iter().flat_map(|file| program.lines(*file)).collect();
    if lines.is_empty() {
        let files: BTreeSet<&str> = program
            .places
            .iter()
            .filter_map(|p| Some(program.files.get(p.file as usize)?.as_str()))
            .collect();
        let files: Vec<&str> = files.into_iter().collect();
        return Err(no_code(format!("the program's code comes from {}", files.join(", "))));
    }
    if !lines.contains(&line) {
        let before = lines.range(..line).next_back();
        let after = lines.range(line..).next();
        let nearest: Vec<String> = before.into_iter().chain(after).map(u32::to_string).collect();
        return Err(no_code(format!(
            "the nearest lines with code are {}",
            nearest.join(" and ")
        )));
    }
    Ok(files.iter().flat_map(|file| program.entries(*file, line)).collect())
}
