//! Looking into an execution: the state of a VM, single steps, and breakpoints by source line.

use std::collections::BTreeSet;
use std::fmt;

use gpuvm_core::interp::{Vm, header};
use gpuvm_core::isa::{Op, WORDS};
use gpuvm_core::program::{Location, Program, Status};

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::execution::{Execution, Signal};

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
    /// The general words.
    pub words: [u32; WORDS],
}

/// One variable of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableView {
    /// Its name; that of a routine which was inlined stands before it, as in `turn::angle`.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Its value as `{:?}` prints it, with `?` for what is not kept any more, or not yet.
    pub value: String,
}

impl VmView {
    fn new(program: &Program, vm: &Vm) -> VmView {
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
            variables: variables(program, vm),
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
fn variables(program: &Program, vm: &Vm) -> Vec<VariableView> {
    let frame = vm.frame.get(vm.frame_base as usize..).unwrap_or_default();
    let view = |location: &Location<'_>| VariableView {
        name: location.name.clone(),
        ty: location.variable.ty.to_string(),
        value: location.show(vm.words(), frame),
    };
    program.variables_at(vm.ip()).iter().map(view).collect()
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
        if vm >= self.course.vms {
            return Err(Error::NoSuchVm {
                routine: self.entry.id().to_string(),
                vms: self.course.vms,
                vm,
            });
        }
        let state = match &mut self.leg {
            Some(leg) => leg.vm(&self.course, vm)?,
            None => Vm::new(&self.course.program, vm),
        };
        Ok(VmView::new(&self.course.program, &state))
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
        self.breakpoints.extend(found);
        self.breakpoints.sort_unstable();
        self.breakpoints.dedup();
        Ok(())
    }

    /// Takes the breakpoints of a line away.
    ///
    /// # Errors
    ///
    /// As [`Execution::break_at`].
    pub fn clear(&mut self, place: &str) -> Result<()> {
        let found = instructions_at(&self.course.program, place)?;
        self.breakpoints.retain(|instruction| !found.contains(instruction));
        Ok(())
    }
}

/// The instructions at which the code of a line is entered: where it follows on that of another line, and where jumps lead to.
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
    let is_file = |path: &str| match path.strip_suffix(suffix) {
        Some(before) => before.is_empty() || before.ends_with(['/', '\\']),
        None => false,
    };
    let in_file = |instruction: usize| {
        let place = program.places[instruction];
        program.files.get(place.file as usize).is_some_and(|file| is_file(file))
    };
    let lines: BTreeSet<u32> = (0..program.places.len())
        .filter(|i| in_file(*i))
        .map(|i| program.places[i].line)
        .collect();
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
    let targets: BTreeSet<u32> = program
        .code
        .iter()
        .filter_map(|code| match Op::from_code(code.opcode)? {
            Op::Jump | Op::JumpIf | Op::JumpUnless | Op::Call => Some(code.operands[0]..=code.operands[0]),
            Op::Switch => Some(code.operands[0]..=Op::last_of_switch(code.operands)),
            _ => None,
        })
        .flatten()
        .collect();
    let here = |i: usize| program.places[i].line == line && in_file(i);
    let entered = |i: &usize| here(*i) && (*i == 0 || !here(i - 1) || targets.contains(&(*i as u32)));
    Ok((0..program.places.len()).filter(entered).map(|i| i as u32).collect())
}
