//! Allocated functions to a [`Program`]: blocks laid out one after the other, labels resolved, matrices stored.

use rustc_hash::FxHashSet;

use super::graph::CallGraph;
use super::tables::Tables;
use crate::ir::names::{Mark, Part};
use crate::ir::{Block, End, Function, Inst, NONE, OUTGOING, code, flow};
use crate::isa::{Instruction, NO_WORD, Op, pair};
use crate::kernel::Kernel;
use crate::link::LinkError;
use crate::matrix::Store;
use crate::pass::fuse::{Maps, map_of};
use crate::program::Report;
use crate::program::{self, Home, MOST_FRAME_MEMORY, Program, Scope, SourceLoc, Variables};
use crate::settings::Settings;

/// A function ready to be written: allocated, and with its fused matrices. Empty if it was inlined wherever it was called.
#[derive(Default)]
pub(crate) struct Ready {
    /// The function, its words the machine's.
    pub function: Function,
    /// The matrices of its `affine` instructions.
    pub maps: Maps,
}

/// What went into a program.
#[derive(Clone, Copy)]
pub(crate) struct Encoded {
    /// Routines.
    pub routines: u32,
    /// Their instructions before any optimisation.
    pub instructions: u32,
}

/// Writes a program. `functions[start]` comes first, then whatever it calls.
pub(crate) fn emit(
    kernel: &Kernel,
    functions: &[Ready],
    start: usize,
    tables: Tables,
    data: Vec<u32>,
    settings: &Settings,
    encoded: Encoded,
) -> Result<Program, LinkError> {
    let needs = Needs::of(kernel, functions, start, settings)?;
    let mut emit = Emit {
        settings,
        store: Store::default(),
        out: Vec::new(),
        places: Vec::new(),
        calls: Vec::new(),
        reaches: functions.iter().map(|ready| reach_of(&ready.function)).collect(),
        variables: Variables {
            list: tables.variables,
            ..Variables::default()
        },
        first_scope: 0,
        seen: FxHashSet::default(),
    };
    let mut labels = vec![0; functions.len()];
    for &f in &needs.order {
        labels[f] = emit.out.len() as u32;
        emit.function(&functions[f], f == start);
    }
    for at in emit.calls {
        let callee = emit.out[at].operands[0] as usize;
        emit.out[at].operands[0] = labels[callee];
    }
    let report = Report::of(
        &emit.out,
        emit.store.statistics(),
        encoded.routines,
        encoded.instructions,
    );
    Ok(Program {
        name: kernel.name.clone(),
        params: kernel.params.clone(),
        result: kernel.result,
        code: emit.out,
        places: emit.places,
        files: tables.files,
        routines: tables.routines,
        matrices: emit.store.records,
        pools: emit.store.pools,
        data,
        sites: tables.sites,
        frame_words: needs.frame_words,
        addressed_words: needs.addressed_words,
        call_depth: needs.call_depth,
        depth_limit: settings.recursion_limit,
        relaxed: kernel.is_relaxed(),
        variables: emit.variables,
        report,
    })
}

/// What a program's calls need, and in which order its functions are written.
struct Needs {
    order: Vec<usize>,
    frame_words: u32,
    addressed_words: u32,
    call_depth: u32,
}

impl Needs {
    fn of(kernel: &Kernel, functions: &[Ready], start: usize, settings: &Settings) -> Result<Needs, LinkError> {
        let graph = CallGraph::of(functions.iter().map(|ready| &ready.function));
        // The call that the guard stops has a frame as well.
        let rounds = u64::from(settings.recursion_limit) + 1;
        let frame_words = graph.deepest(start, |f| functions[f].function.frame_words.into(), rounds);
        let call_depth = graph.deepest(start, |_| 1, rounds) - 1;
        let recursive = graph.recursive.contains(&true);
        let memory = frame_words.saturating_add(call_depth.saturating_mul(crate::isa::CALL_FRAME_WORDS as u64));
        if memory > MOST_FRAME_MEMORY {
            return Err(LinkError::TooLarge {
                routine: kernel.name.clone(),
                what: match recursive {
                    true => {
                        "words of frame memory for recursion as deep as `Settings::recursion_limit` or `.depth(n)` says"
                    }
                    false => "words of frame memory",
                },
                found: memory,
                most: MOST_FRAME_MEMORY,
            });
        }
        let mut order = vec![start];
        let mut next = 0;
        while let Some(&f) = order.get(next) {
            for &callee in &graph.calls[f] {
                if !order.contains(&callee) {
                    order.push(callee);
                }
            }
            next += 1;
        }
        Ok(Needs {
            order,
            frame_words: frame_words as u32,
            addressed_words: match call_depth {
                0 => addressed_words(&functions[start].function),
                _ => frame_words as u32,
            },
            call_depth: call_depth as u32,
        })
    }
}

/// Where the last range ends that the function takes the address of; spilled words come behind.
fn addressed_words(function: &Function) -> u32 {
    let code = function.blocks.iter().flat_map(|block| &block.code);
    let addressed = code.filter(|inst| inst.op == Op::Address && inst.extra > 0);
    addressed.map(|inst| inst.imm + inst.extra).max().unwrap_or(0)
}

/// Words that a function may touch from its frame's start on: its frame, and behind it what it hands to those it calls and gets back
/// from them. Never 0, which would say that nothing is known.
fn reach_of(function: &Function) -> u32 {
    let code = function.blocks.iter().flat_map(|block| &block.code);
    let handed = code.filter(|inst| matches!(inst.op, Op::LoadFrame | Op::StoreFrame) && inst.extra == OUTGOING);
    let handed = handed.map(|inst| inst.imm + 1).max().unwrap_or(0);
    (function.frame_words + handed).max(1)
}

struct Emit<'s> {
    settings: &'s Settings,
    store: Store,
    out: Vec<Instruction>,
    places: Vec<SourceLoc>,
    /// Calls whose label is still the number of a function.
    calls: Vec<usize>,
    /// Words that each function may touch from its frame's start on.
    reaches: Vec<u32>,
    variables: Variables,
    /// The number in the program of the function's own activation.
    first_scope: u32,
    /// The parts of variables that the function keeps somewhere.
    seen: FxHashSet<Part>,
}

impl Emit<'_> {
    fn function(&mut self, ready: &Ready, is_start: bool) {
        let function = &ready.function;
        self.first_scope = self.variables.scopes.len() as u32;
        let first = self.first_scope;
        self.variables
            .scopes
            .extend(function.names.scopes.iter().map(|scope| Scope {
                caller: scope.caller.map(|caller| caller + first),
                ..*scope
            }));
        let marks = function.blocks.iter().flat_map(Block::marks);
        let somewhere = marks.filter(|mark| mark.home != Home::Nowhere);
        self.seen = somewhere.map(|mark| mark.part).collect();
        let order = flow::layout(function);
        let mut block_at = vec![0; function.blocks.len()];
        let mut jumps = Vec::new();
        for (i, &b) in order.iter().enumerate() {
            block_at[b] = self.out.len() as u32;
            let block = &function.blocks[b];
            let next = order.get(i + 1).copied();
            if block.code.is_empty() && next.is_some_and(|next| block.end == End::Jump(next)) {
                // The next instruction is one that others lead to as well.
                let nowhere: Vec<Mark> = block.marks.iter().map(Mark::nowhere).collect();
                self.mark(&nowhere, self.out.len(), true);
            } else {
                self.mark(&block.marks, self.out.len(), true);
            }
            for inst in &block.code {
                self.instruction(inst, function.frame_words, &ready.maps);
            }
            let first = self.out.len();
            self.end(block, next, is_start);
            jumps.extend(first..self.out.len());
        }
        for at in jumps {
            let instruction = &mut self.out[at];
            if matches!(
                Op::from_code(instruction.opcode),
                Some(Op::Jump | Op::JumpIf | Op::JumpUnless)
            ) {
                instruction.operands[0] = block_at[instruction.operands[0] as usize];
            }
        }
    }

    fn instruction(&mut self, inst: &Inst, frame_words: u32, maps: &Maps) {
        let matrix = map_of(inst, maps).map_or(0, |map| {
            self.store
                .insert(&map, self.settings.dense_threshold, self.settings.force_format)
        });
        let mut encoded = code::encode(inst, matrix);
        match inst.op {
            Op::Call => {
                self.calls.push(self.out.len());
                let reach = self.reaches.get(inst.imm as usize).copied().unwrap_or(0);
                encoded = Instruction::new(Op::Call, [inst.imm, frame_words, reach, 0]);
            }
            Op::LoadFrame | Op::StoreFrame if inst.extra == OUTGOING => encoded.operands[1] += frame_words,
            Op::Address => encoded.operands[2] = 0,
            _ => {}
        }
        self.mark(&inst.marks, self.out.len(), false);
        self.push(encoded, inst.place);
    }

    /// Writes down where variables are before or after an instruction.
    fn mark(&mut self, marks: &[Mark], at: usize, before: bool) {
        for mark in marks {
            // What was nowhere before need not be said to be nowhere.
            if mark.home != Home::Nowhere || self.seen.contains(&mark.part) {
                self.variables.marks.push(program::Mark {
                    at: at as u32,
                    before,
                    scope: mark.part.scope + self.first_scope,
                    variable: mark.part.variable,
                    word: mark.part.word,
                    home: mark.home,
                });
            }
        }
    }

    /// Writes the end of a block; jump targets are still numbers of blocks.
    fn end(&mut self, block: &Block, next: Option<usize>, is_start: bool) {
        let place = block.place;
        match block.end {
            End::Jump(to) => self.jump(to, next, place),
            End::Branch { word, then, otherwise } if Some(then) == next => {
                self.push(Instruction::new(Op::JumpUnless, [otherwise as u32, word, 0, 0]), place);
            }
            End::Branch { word, then, otherwise } => {
                self.push(Instruction::new(Op::JumpIf, [then as u32, word, 0, 0]), place);
                self.jump(otherwise, next, place);
            }
            End::Return(_) if is_start => self.push(Instruction::new(Op::Halt, [0; 4]), place),
            End::Return(_) => self.push(Instruction::new(Op::Return, [0; 4]), place),
            End::Halt => self.push(Instruction::new(Op::Halt, [0; 4]), place),
            End::Trap { site, words } => {
                let [a, b, c, d] = words.map(|word| if word == NONE { NO_WORD } else { word });
                self.push(Instruction::new(Op::Trap, [site, pair(a, b), pair(c, d), 0]), place);
            }
        }
    }

    fn jump(&mut self, to: usize, next: Option<usize>, place: SourceLoc) {
        if Some(to) != next {
            self.push(Instruction::new(Op::Jump, [to as u32, 0, 0, 0]), place);
        }
    }

    fn push(&mut self, instruction: Instruction, place: SourceLoc) {
        let scope = place.routine + self.first_scope;
        let routine = self
            .variables
            .scopes
            .get(scope as usize)
            .map_or(0, |scope| scope.routine);
        self.out.push(instruction);
        self.places.push(SourceLoc { routine, ..place });
        self.variables.scope_of.push(scope);
    }
}
