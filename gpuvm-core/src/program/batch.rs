//! Many programs as one, each of whose VMs runs one of them: a *batch*. Their codes stand one after the other, behind a switch or comparisons.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Mark, Program, Report, Scope, SourceLoc, Variable};
use crate::isa::{Instruction, Op, Role, space};
use crate::link::LinkError;
use crate::matrix::{AffineMap, MatrixRecord, Statistics, Store};
use crate::settings::Settings;

/// Which program a VM runs, by the number of a launch parameter that all of them have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The parameter is a `u32` n: the first n VMs run the first program, the next n the second, and so on.
    InRows(usize),
    /// The parameter is a `u32`, the program's number. A number past the last one means the last.
    Given(usize),
}

/// How a VM gets from its program's number to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// By one instruction, however many programs there are. It is not for compilers, to which each way out of it is a program of its own.
    Switch,
    /// By comparisons, as many as the logarithm of the number of programs says.
    Comparisons,
}

/// The programs as one. They have the same parameters and results, allow the same depth, and are all relaxed or none. The data of each begins the
/// longest one's, as [`link_kernel_behind`](crate::compile::link_kernel_behind) makes it. VMs begin in their program with some words that are not 0, so programs have to be the linker's own.
///
/// # Errors
///
/// [`LinkError::Kernel`] if they are not alike or there is none.
pub fn batch(
    name: &str,
    programs: &[Arc<Program>],
    (choice, selector): (Choice, Selector),
    settings: &Settings,
) -> Result<Program, LinkError> {
    let first = programs.first().ok_or_else(|| refused(name, "it has no programs"))?;
    let data = programs
        .iter()
        .map(|program| &program.data)
        .max_by_key(|data| data.len());
    let data = data.unwrap_or(&first.data);
    for other in programs {
        let fits = data.starts_with(&other.data);
        if let Some(what) = difference(first, other).or((!fits).then_some("their data")) {
            return Err(refused(
                name,
                format!("`{}` and `{}` differ in {what}", first.name, other.name),
            ));
        }
    }
    let mut batch = Batch::new(name, first, programs.len());
    batch.program.data.clone_from(data);
    batch.choose(choice, settings);
    match selector {
        Selector::Switch => batch.switch(programs.len(), settings),
        Selector::Comparisons => batch.compare(0..programs.len(), settings),
    }
    for (number, program) in programs.iter().enumerate() {
        batch.append(number, program);
    }
    Ok(batch.finish(programs))
}

fn refused(name: &str, what: impl Into<String>) -> LinkError {
    LinkError::Kernel {
        kernel: name.to_string(),
        what: what.into(),
    }
}

/// What two programs of a batch must not differ in.
fn difference(a: &Program, b: &Program) -> Option<&'static str> {
    let mut params = a.params.iter().zip(&b.params);
    if a.params.len() != b.params.len() || !params.all(|(a, b)| a.same(*b)) {
        Some("their parameters")
    } else if !a.result.same(b.result) {
        Some("what they return")
    } else if a.relaxed != b.relaxed {
        Some("that one is relaxed")
    } else if a.depth_limit != b.depth_limit {
        Some("the depth that they allow")
    } else {
        None
    }
}

/// A batch that grows.
struct Batch {
    program: Program,
    /// The jumps to the programs.
    jumps: Vec<usize>,
    store: Store,
    /// The matrices of linear instructions by what these are.
    matrices: FxHashMap<(u32, [u32; 3]), u32>,
    files: FxHashMap<String, u32>,
}

impl Batch {
    fn new(name: &str, first: &Program, count: usize) -> Batch {
        let program = Program {
            name: name.to_string(),
            code: Vec::with_capacity(count * (first.code.len() + 1)),
            places: Vec::with_capacity(count * (first.code.len() + 1)),
            files: vec![String::new()],
            routines: vec![name.to_string()],
            matrices: Vec::new(),
            pools: crate::matrix::Pools::default(),
            data: Vec::new(),
            sites: Vec::new(),
            frame_words: 0,
            addressed_words: 0,
            call_depth: 0,
            variables: super::Variables {
                scopes: vec![Scope {
                    routine: 0,
                    caller: None,
                    line: 0,
                }],
                ..super::Variables::default()
            },
            params: first.params.clone(),
            result: first.result,
            depth_limit: first.depth_limit,
            relaxed: first.relaxed,
            report: first.report.clone(),
        };
        Batch {
            program,
            jumps: Vec::with_capacity(count),
            store: Store::default(),
            matrices: FxHashMap::default(),
            files: FxHashMap::default(),
        }
    }

    /// Writes the code that finds the number of a VM's program, in word 1.
    fn choose(&mut self, choice: Choice, settings: &Settings) {
        let (Choice::InRows(param) | Choice::Given(param)) = choice;
        let find = [
            Instruction::new(Op::Param, [1, param as u32, 0, 0]),
            Instruction::new(Op::Imm, [2, space::ARENA, 0, 0]),
            Instruction::new(Op::Load, [1, 2, 1, 0]),
        ];
        let by_row = [
            Instruction::new(Op::VmId, [0; 4]),
            Instruction::new(Op::DivU, [1, 0, 1, 0]),
        ];
        for instruction in find {
            self.push(instruction, settings);
        }
        if let Choice::InRows(_) = choice {
            by_row
                .into_iter()
                .for_each(|instruction| self.push(instruction, settings));
        }
    }

    /// Writes a switch by the number.
    fn switch(&mut self, count: usize, settings: &Settings) {
        let table = self.program.code.len() as u32 + 1;
        let last = count.saturating_sub(1) as u32;
        self.push(Instruction::new(Op::Switch, [table, 1, last, 0]), settings);
        for _ in 0..count {
            self.jump(settings);
        }
    }

    /// Writes comparisons of the number, which is among these.
    fn compare(&mut self, numbers: Range<usize>, settings: &Settings) {
        if numbers.len() <= 1 {
            return self.jump(settings);
        }
        let middle = numbers.start + numbers.len() / 2;
        self.push(Instruction::new(Op::Imm, [2, middle as u32, 0, 0]), settings);
        self.push(Instruction::new(Op::LtU, [2, 1, 2, 0]), settings);
        let branch = self.program.code.len();
        self.push(Instruction::new(Op::JumpUnless, [0, 2, 0, 0]), settings);
        self.compare(numbers.start..middle, settings);
        self.program.code[branch].operands[0] = self.program.code.len() as u32;
        self.compare(middle..numbers.end, settings);
    }

    /// Writes the jump to the next program.
    fn jump(&mut self, settings: &Settings) {
        self.jumps.push(self.program.code.len());
        self.push(Instruction::new(Op::Jump, [0; 4]), settings);
    }

    /// An instruction of the batch's own.
    fn push(&mut self, mut instruction: Instruction, settings: &Settings) {
        if let Some(map) = AffineMap::of(&instruction) {
            instruction.operands[3] = self.store.insert(&map, settings.dense_threshold, settings.force_format);
        }
        self.program.code.push(instruction);
        // No source has it.
        self.program.places.push(SourceLoc {
            file: 0,
            line: 0,
            routine: 0,
        });
        self.program.variables.scope_of.push(0);
    }

    /// Appends a program, and lets its jump lead to it.
    fn append(&mut self, number: usize, program: &Program) {
        let all = &mut self.program;
        let start = all.code.len() as u32;
        all.code[self.jumps[number]].operands[0] = start;
        let (first_routine, first_site) = (all.routines.len() as u32, all.sites.len() as u32);
        let (first_scope, first_variable) = (all.variables.scopes.len() as u32, all.variables.list.len() as u32);
        let files: Vec<u32> = program
            .files
            .iter()
            .map(|file| {
                *self.files.entry(file.clone()).or_insert_with(|| {
                    all.files.push(file.clone());
                    all.files.len() as u32 - 1
                })
            })
            .collect();
        let moved = |place: &SourceLoc| SourceLoc {
            file: files.get(place.file as usize).copied().unwrap_or(0),
            line: place.line,
            routine: place.routine + first_routine,
        };
        all.routines.extend(program.routines.iter().cloned());
        all.places.extend(program.places.iter().map(moved));
        all.sites.extend(program.sites.iter().map(|site| super::LinkedSite {
            place: moved(&site.place),
            cause: site.cause,
        }));
        all.variables
            .list
            .extend(program.variables.list.iter().map(|variable| Variable {
                routine: variable.routine + first_routine,
                ..*variable
            }));
        all.variables
            .scopes
            .extend(program.variables.scopes.iter().map(|scope| Scope {
                routine: scope.routine + first_routine,
                caller: scope.caller.map(|caller| caller + first_scope),
                line: scope.line,
            }));
        match program.variables.scope_of.is_empty() {
            true => all.variables.scope_of.resize(all.places.len(), 0),
            false => all
                .variables
                .scope_of
                .extend(program.variables.scope_of.iter().map(|scope| scope + first_scope)),
        }
        all.variables
            .marks
            .extend(program.variables.marks.iter().map(|mark| Mark {
                at: mark.at + start,
                scope: mark.scope + first_scope,
                variable: mark.variable + first_variable,
                ..*mark
            }));
        all.frame_words = all.frame_words.max(program.frame_words);
        all.addressed_words = all.addressed_words.max(program.addressed_words);
        all.call_depth = all.call_depth.max(program.call_depth);
        for instruction in &program.code {
            let mut instruction = *instruction;
            let Some(op) = Op::from_code(instruction.opcode) else {
                continue;
            };
            for (role, operand) in op.linked_roles().into_iter().zip(&mut instruction.operands) {
                match role {
                    Role::Label => *operand += start,
                    Role::Site => *operand += first_site,
                    _ => {}
                }
            }
            if op.linked_roles()[3] == Role::Matrix {
                let [a, b, c, matrix] = instruction.operands;
                let record = program.matrices.get(matrix as usize);
                let mut copy = || record.map_or(0, |record| self.store.copy(record, &program.pools));
                instruction.operands[3] = match op {
                    Op::Affine => copy(),
                    _ => *self
                        .matrices
                        .entry((instruction.opcode, [a, b, c]))
                        .or_insert_with(copy),
                };
            }
            all.code.push(instruction);
        }
    }

    fn finish(self, programs: &[Arc<Program>]) -> Program {
        let Store { pools, records, .. } = self.store;
        let mut program = Program {
            matrices: records,
            pools,
            ..self.program
        };
        let statistics = Statistics::of(&program.matrices, &program.pools);
        let sum = |of: fn(&Report) -> u32| programs.iter().map(|program| of(&program.report)).sum();
        let (routines, encoded) = (sum(|report| report.routines), sum(|report| report.encoded_instructions));
        if program.call_depth > 0 {
            program.addressed_words = program.frame_words;
        }
        program.report = Report::of(&program.code, statistics, routines, encoded);
        program
    }
}

impl Store {
    /// Takes over a matrix of another program, even if there is one like it.
    fn copy(&mut self, record: &MatrixRecord, from: &crate::matrix::Pools) -> u32 {
        let part = record.offset as usize..record.offset as usize + record.size as usize;
        let offset = match record.format {
            crate::matrix::Format::Sparse => {
                self.pools
                    .terms
                    .extend_from_slice(from.terms.get(part).unwrap_or_default());
                self.pools.terms.len()
            }
            crate::matrix::Format::Dense => {
                self.pools
                    .dense
                    .extend_from_slice(from.dense.get(part).unwrap_or_default());
                self.pools.dense.len()
            }
        };
        self.records.push(MatrixRecord {
            offset: offset as u32 - record.size,
            ..*record
        });
        self.records.len() as u32 - 1
    }
}
