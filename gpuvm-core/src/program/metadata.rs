//! [`Metadata`]: what a program is and needs, for people and for those who place it.

use std::fmt::{self, Display, Formatter};

use super::{FORMAT_VERSION, Program, ProgramId};
use crate::isa::Op;
use crate::matrix::Statistics;
use crate::types::{Kind, TypeRef};

/// What a linked program says about itself. `Display` prints it for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// The entry routine's name.
    pub name: String,
    /// What tells it from other programs.
    pub identity: ProgramId,
    /// The version of the format that it is stored in.
    pub format_version: u32,
    /// Instructions in all.
    pub instructions: u32,
    /// Instructions by class: linear, oracle, branch, io.
    pub by_class: [u32; 4],
    /// Routines that went into it.
    pub routines: u32,
    /// Phases, with a barrier between one and the next.
    pub phases: u32,
    /// The most epochs that a VM takes, one instruction each; `None` if the code has loops or recursion, so that it depends on the
    /// data.
    pub estimated_epochs: Option<u64>,
    /// What running it takes.
    pub needs: Needs,
    /// Numbers about the matrices.
    pub matrices: Statistics,
    /// The source files that its instructions come from.
    pub files: Vec<String>,
    /// Source lines that its instructions come from.
    pub source_lines: u32,
}

/// What running a program takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// VMs; `None` for as many as the launch asks for.
    pub vms: Option<u32>,
    /// Bytes of memory that VMs share and change, their atomics; `None` if only the arguments tell.
    pub shared_bytes: Option<u64>,
    /// Deepest nesting of calls.
    pub call_depth: u32,
    /// Words of frame memory of each VM, the call stack not counted.
    pub frame_words: u32,
}

impl Program {
    /// The most instructions that one VM retires, `None` if that depends on the data.
    pub fn estimated_epochs(&self) -> Option<u64> {
        longest_path(self)
    }

    /// What the program says about itself. Looks at the whole program.
    pub fn metadata(&self) -> Metadata {
        let mut lines: Vec<(u32, u32)> = self.places.iter().map(|place| (place.file, place.line)).collect();
        lines.sort_unstable();
        lines.dedup();
        Metadata {
            name: self.name.clone(),
            identity: self.identity(),
            format_version: FORMAT_VERSION,
            instructions: self.code.len() as u32,
            by_class: self.report.by_class,
            routines: self.report.routines,
            phases: 1,
            estimated_epochs: self.estimated_epochs(),
            needs: Needs {
                vms: None,
                shared_bytes: self.params.iter().map(shared_bytes).sum(),
                call_depth: self.call_depth,
                frame_words: self.frame_words,
            },
            matrices: self.report.matrices.clone(),
            files: self.files.clone(),
            source_lines: lines.len() as u32,
        }
    }
}

/// Bytes that VMs share because of one parameter.
fn shared_bytes(param: &TypeRef) -> Option<u64> {
    let element = param.ty.element.map(|element| element.kind);
    match (param.ty.kind, element) {
        (Kind::Slice, Some(Kind::Atomic)) => None,
        (Kind::Atomic, _) => Some(4 * u64::from(param.ty.words)),
        _ => Some(0),
    }
}

/// Where the walk over a program's instructions is with one of them.
#[derive(Clone, Copy)]
enum Seen {
    No,
    /// Its successors are being looked at.
    Open,
    /// The most instructions from here to the end of the routine, calls included.
    Done(u64),
}

/// The most instructions that one VM runs, `None` if the code can go in a circle.
fn longest_path(program: &Program) -> Option<u64> {
    let mut seen = vec![Seen::No; program.code.len()];
    let mut stack = vec![0];
    while let Some(&at) = stack.last() {
        let next = successors(program, at)?;
        match seen.get(at)? {
            Seen::Done(_) => {
                stack.pop();
            }
            Seen::No => {
                seen[at] = Seen::Open;
                for &to in next.iter().flatten() {
                    match seen.get(to)? {
                        Seen::No => stack.push(to),
                        // What is open is on the way from the start to here, or waits beside that way and is not open yet.
                        Seen::Open => return None,
                        Seen::Done(_) => {}
                    }
                }
            }
            Seen::Open => {
                let length = |to: Option<usize>| match to.and_then(|to| seen.get(to)) {
                    Some(&Seen::Done(length)) => length,
                    _ => 0,
                };
                let [a, b] = next.map(length);
                let is_call = program.code[at].opcode == Op::Call.code();
                let rest = if is_call { a.saturating_add(b) } else { a.max(b) };
                seen[at] = Seen::Done(rest.saturating_add(1));
                stack.pop();
            }
        }
    }
    match seen.first()? {
        Seen::Done(length) => Some(*length),
        _ => None,
    }
}

/// The instructions that may come after one: of a call, the callee's first and the one after the call.
fn successors(program: &Program, at: usize) -> Option<[Option<usize>; 2]> {
    let instruction = program.code.get(at)?;
    let label = Some(instruction.operands[0] as usize);
    Some(match Op::from_code(instruction.opcode)? {
        Op::Jump => [label, None],
        // Too many.
        Op::Switch => return None,
        Op::JumpIf | Op::JumpUnless | Op::Call => [label, Some(at + 1)],
        Op::Return | Op::Halt | Op::Trap => [None, None],
        _ => [Some(at + 1), None],
    })
}

impl Display for Metadata {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [linear, oracle, branch, io] = self.by_class;
        writeln!(
            f,
            "program {} {} (format {})",
            self.name, self.identity, self.format_version
        )?;
        writeln!(
            f,
            "  {} instructions: {linear} linear, {oracle} oracle, {branch} branch, {io} io",
            self.instructions
        )?;
        writeln!(f, "  {} routines, {} phase(s)", self.routines, self.phases)?;
        match self.estimated_epochs {
            Some(epochs) => writeln!(f, "  at most {epochs} epochs")?,
            None => writeln!(f, "  epochs depend on the data")?,
        }
        let needs = &self.needs;
        match needs.vms {
            Some(vms) => write!(f, "  needs {vms} VMs, ")?,
            None => write!(f, "  needs any number of VMs, ")?,
        }
        match needs.shared_bytes {
            Some(bytes) => write!(f, "{bytes} shared bytes, ")?,
            None => write!(f, "shared bytes as its arguments have, ")?,
        }
        writeln!(f, "call depth {}, {} frame words", needs.call_depth, needs.frame_words)?;
        let matrices = &self.matrices;
        writeln!(
            f,
            "  {} matrices sparse and {} dense in {} bytes ({} if all were dense), {:.1} non-zeros each, {} fused; {:.0} % linear",
            matrices.sparse,
            matrices.dense,
            matrices.bytes,
            matrices.bytes_all_dense,
            matrices.mean_non_zeros,
            matrices.fused,
            100.0 * matrices.linear_share
        )?;
        write!(
            f,
            "  from {} source lines of {}",
            self.source_lines,
            self.files.join(", ")
        )
    }
}
