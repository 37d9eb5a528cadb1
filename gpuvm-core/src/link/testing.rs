//! For tests of linking: routines written by hand, a direct evaluator of encoded routines, and runs of linked programs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::interp::{Memory, Vm, arithmetic, run_all, trap_site};
use crate::isa::{Instruction, NO_WORD, Op, Role, space, unpair};
use crate::matrix::instruction_terms;
use crate::program::{ParamSlot, Program, Status};
use crate::routine::{Callee, Cause, Routine, Site};
use crate::types::{TypeRef, Value};

/// A routine over words, with the matrices that its instructions mean. Labels are instruction numbers.
pub(crate) fn routine(
    name: &str,
    params: Vec<TypeRef>,
    result: TypeRef,
    words: u32,
    code: Vec<Instruction>,
    callees: Vec<Callee>,
) -> Routine {
    let (mut matrices, mut terms) = (Vec::new(), Vec::new());
    let mut code = code;
    for instruction in &mut code {
        let meant = instruction_terms(*instruction);
        if meant.count > 0 {
            instruction.operands[3] = matrices.len() as u32;
            matrices.push(terms.len() as u32);
            terms.extend(meant.terms[..meant.count].iter().map(|term| term.packed()));
        }
    }
    Routine {
        name: Cow::Owned(name.into()),
        file: Cow::Borrowed("test.rs"),
        line: 1,
        params: Cow::Owned(params),
        result,
        words,
        lines: Cow::Owned((0..code.len() as u32).collect()),
        code: Cow::Owned(code),
        matrices: Cow::Owned(matrices),
        terms: Cow::Owned(terms),
        callees: Cow::Owned(callees),
        constants: Cow::Borrowed(&[]),
        sites: Cow::Owned(
            (0..4)
                .map(|line| Site {
                    line,
                    cause: Cause::Bounds,
                })
                .collect(),
        ),
        variables: Cow::Borrowed(&[]),
        pieces: Cow::Borrowed(&[]),
        relaxed: false,
        is_const: false,
        refused: None,
        held: Vec::new(),
        tables: Vec::new(),
    }
}

/// A routine as the linker wants it. Tests leak a few.
pub(crate) fn leak(routine: Routine) -> &'static Routine {
    Box::leak(Box::new(routine))
}

/// Up to four routines that others can name as callees, which takes a function without captures.
pub(crate) struct Callees;

static SLOTS: Mutex<[Option<&'static Routine>; 4]> = Mutex::new([None; 4]);

/// Tests that use [`Callees`] take turns.
pub(crate) static TURN: Mutex<()> = Mutex::new(());

fn slot<const N: usize>() -> &'static Routine {
    let slots = SLOTS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    slots[N].expect("a routine was set")
}

impl Callees {
    /// Makes a routine what [`Callees::get`] of the number names.
    pub fn set(number: usize, routine: &'static Routine) {
        SLOTS.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[number] = Some(routine);
    }

    /// The callee of a number.
    pub fn get(number: usize) -> Callee {
        let functions: [fn() -> &'static Routine; 4] = [slot::<0>, slot::<1>, slot::<2>, slot::<3>];
        Callee::Routine(functions[number])
    }
}

/// What a VM did that anybody can see.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    /// Where the arena ended up, result record included.
    pub arena: Vec<u32>,
    /// Line and words of a trap.
    pub trap: Option<(u32, [u32; 4])>,
    /// Whether it ran out of fuel.
    pub unfinished: bool,
}

/// Each parameter by value or reference takes its words of the arena one after the other, the result record comes last.
pub(crate) fn slots(routine: &Routine) -> (Vec<ParamSlot>, u32) {
    let mut base = 0;
    let mut slots = Vec::new();
    for param in routine.params.iter() {
        slots.push(ParamSlot {
            base,
            ..ParamSlot::default()
        });
        base += param.ty.words;
    }
    slots.push(ParamSlot {
        base,
        ..ParamSlot::default()
    });
    (slots, base + routine.result.words())
}

/// Runs a linked program on one VM.
pub(crate) fn run(routine: &Routine, program: &Program, args: &[u32], fuel: u64) -> Seen {
    let (params, words) = slots(routine);
    let mut arena = vec![0; words as usize];
    arena[..args.len()].copy_from_slice(args);
    let mut memory = Memory {
        arena: &mut arena,
        atomics: &mut [],
        params: &params,
        vm_count: 1,
        first_vm: 0,
    };
    let outcome = run_all(program, &mut memory, &mut [Vm::new(program, 0)], Some(fuel));
    let trap = outcome
        .traps
        .first()
        .map(|trap| (trap_site(program, trap).place.line, trap.words));
    Seen {
        arena,
        trap,
        unfinished: outcome.statuses[0] == Status::Running,
    }
}

/// Runs an encoded routine as it stands: every word of every activation lies in one memory, so nothing has to be lifted,
/// allocated or spilled. The definition that linking is tested against.
pub(crate) fn evaluate(routine: &'static Routine, args: &[u32], fuel: u64) -> Seen {
    evaluate_noting(routine, args, fuel).0
}

/// What each word of each routine, by name, came to hold one after the other.
pub(crate) type History = BTreeMap<(String, u32), Vec<u32>>;

/// As [`evaluate`], with what the words held.
pub(crate) fn evaluate_noting(routine: &'static Routine, args: &[u32], fuel: u64) -> (Seen, History) {
    let (params, words) = slots(routine);
    let mut arena = vec![0; words as usize];
    arena[..args.len()].copy_from_slice(args);
    let mut machine = Machine {
        arena,
        memory: Vec::new(),
        fuel,
        history: History::default(),
    };
    let mut words = Vec::new();
    for (param, slot) in routine.params.iter().zip(&params) {
        if param.refs > 0 {
            words.extend([space::ARENA, slot.base]);
        } else {
            words.extend_from_slice(&machine.arena[slot.base as usize..][..param.ty.words as usize]);
        }
    }
    let ended = machine.call(routine, &words);
    if let Ok(result) = &ended {
        machine.arena[params[routine.params.len()].base as usize..].copy_from_slice(result);
    }
    let (trap, unfinished) = match ended {
        Err(Stop::Trap(line, words)) => (Some((line, words)), false),
        Err(Stop::Fuel) => (None, true),
        _ => (None, false),
    };
    let seen = Seen {
        arena: machine.arena,
        trap,
        unfinished,
    };
    (seen, machine.history)
}

enum Stop {
    Trap(u32, [u32; 4]),
    Halt,
    Fuel,
}

struct Machine {
    arena: Vec<u32>,
    memory: Vec<u32>,
    fuel: u64,
    history: History,
}

impl Machine {
    fn call(&mut self, routine: &'static Routine, args: &[u32]) -> Result<Vec<u32>, Stop> {
        let base = self.memory.len();
        self.memory.extend_from_slice(args);
        self.memory.resize(base + routine.words as usize, 0);
        self.note(routine, base, 0..routine.words);
        let result = self.body(routine, base);
        self.memory.truncate(base);
        result
    }

    fn note(&mut self, routine: &Routine, base: usize, words: std::ops::Range<u32>) {
        for word in words {
            let held = self.history.entry((routine.name.to_string(), word)).or_default();
            held.push(self.memory[base + word as usize]);
        }
    }

    fn body(&mut self, routine: &'static Routine, base: usize) -> Result<Vec<u32>, Stop> {
        let mut ip = 0;
        loop {
            self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
            let instruction = routine.code[ip];
            let op = Op::from_code(instruction.opcode).expect("an opcode");
            let [a, b, c, d] = instruction.operands;
            let get = |word: u32| {
                if word == NO_WORD {
                    0
                } else {
                    self.memory[base + word as usize]
                }
            };
            let site = |site: u32| routine.sites[site as usize].line;
            ip += 1;
            match op {
                Op::Jump => ip = a as usize,
                Op::JumpIf if get(b) != 0 => ip = a as usize,
                Op::JumpUnless if get(b) == 0 => ip = a as usize,
                Op::JumpIf | Op::JumpUnless => {}
                Op::Return => return Ok((0..routine.result.words()).map(|i| get(a + i)).collect()),
                Op::Halt => return Err(Stop::Halt),
                Op::Trap => {
                    let ((p, q), (r, s)) = (unpair(b), unpair(c));
                    return Err(Stop::Trap(site(a), [get(p), get(q), get(r), get(s)]));
                }
                Op::TrapIf if get(b) != 0 => {
                    return Err(Stop::Trap(site(a), [get(c), get(d), 0, 0]));
                }
                Op::TrapIf => {}
                Op::Call => {
                    let Callee::Routine(callee) = routine.callees[a as usize] else {
                        unreachable!()
                    };
                    let callee = callee();
                    let count: u32 = callee.params.iter().map(|param| param.words()).sum();
                    let args: Vec<u32> = (0..count).map(|i| get(b + i)).collect();
                    let result = self.call(callee, &args)?;
                    self.memory[base + c as usize..][..result.len()].copy_from_slice(&result);
                    self.note(routine, base, c..c + result.len() as u32);
                }
                Op::Address => self.memory[base + a as usize] = (base + b as usize) as u32,
                Op::Load => {
                    let at = get(c).wrapping_add(d) as usize;
                    let value = if get(b) == space::FRAME {
                        self.memory[at]
                    } else {
                        self.arena[at]
                    };
                    self.memory[base + a as usize] = value;
                }
                Op::Store => {
                    let (value, at) = (get(a), get(c).wrapping_add(d) as usize);
                    let in_frame = get(b) == space::FRAME;
                    let of = if in_frame { &mut self.memory } else { &mut self.arena };
                    of[at] = value;
                    if let (true, Some(word)) = (in_frame, at.checked_sub(base)) {
                        self.note(routine, base, word as u32..word as u32 + 1);
                    }
                }
                _ => self.compute(op, instruction.operands, base),
            }
            match op.roles()[0] {
                Role::Def => self.note(routine, base, a..a + 1),
                Role::DefPair => {
                    let (low, high) = unpair(a);
                    self.note(routine, base, low..low + 1);
                    self.note(routine, base, high..high + 1);
                }
                _ => {}
            }
        }
    }

    fn compute(&mut self, op: Op, operands: [u32; 4], base: usize) {
        let mut inputs = Vec::new();
        for (role, operand) in op.roles().into_iter().zip(operands) {
            match role {
                Role::Use => inputs.push(self.memory[base + operand as usize]),
                Role::UsePair => {
                    let (low, high) = unpair(operand);
                    inputs.extend([low, high].map(|word| self.memory[base + word as usize]));
                }
                Role::Imm => inputs.push(operand),
                _ => {}
            }
        }
        let outputs = arithmetic::fold(op, &inputs).expect("arithmetic");
        if op.roles()[0] == Role::DefPair {
            let (low, high) = unpair(operands[0]);
            self.memory[base + low as usize] = outputs.low;
            self.memory[base + high as usize] = outputs.high;
        } else {
            self.memory[base + operands[0] as usize] = outputs.low;
        }
    }
}

/// `count` parameters of type `u32`.
pub(crate) fn u32s(count: usize) -> Vec<TypeRef> {
    vec![TypeRef::of::<u32>(); count]
}

/// A result of so many words.
pub(crate) fn result<T: Value>() -> TypeRef {
    TypeRef::of::<T>()
}
