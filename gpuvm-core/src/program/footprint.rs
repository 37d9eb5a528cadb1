//! Which words of the slices that all VMs see some VMs read: found by running the program on sets of words in place of words
//! (abstract interpretation, Cousot and Cousot, 1977), for VMs whose numbers follow each other. A branch that some VMs may take and others not is followed both ways,
//! and ways that meet go on as one; loops are followed turn by turn, so one without a known end leads to nothing.

use std::collections::BTreeMap;
use std::ops::Range;

use super::intervals::{Words, computed};
use super::{Mode, ParamSlot, Program};
use crate::isa::{Op, Role, WORDS, space, unpair};
use crate::matrix::{CONSTANT, Format, Ring, Term};

/// So many instructions are followed.
const MOST_STEPS: usize = 1 << 16;
/// So many words of frame memory are.
const MOST_FRAME: u32 = 1 << 10;
/// So many words of data, or of frame memory, that an instruction may read are looked at one by one.
const MOST_READ: u32 = 1 << 6;
/// So many places that a switch may lead to are.
const MOST_PLACES: u32 = 1 << 6;

/// The VMs of a launch of which some are looked at, and what is known of their parameters.
pub struct Seen<'s> {
    /// Their numbers, at least one.
    pub vms: Range<u32>,
    /// VMs in the launch.
    pub vm_count: u32,
    /// Where the parameters lie.
    pub slots: &'s [ParamSlot],
    /// A word of a parameter that all VMs have the same value of, if it is known.
    pub word: &'s dyn Fn(u32, u32) -> Option<u32>,
}

/// For each parameter that is `&[T]` the words of it that the VMs read, as ranges that are ascending and apart, counted from its first; no ranges for others. `None` if that cannot be told.
pub fn footprint(program: &Program, seen: &Seen<'_>) -> Option<Vec<Vec<Range<u32>>>> {
    if program.frame_memory() > MOST_FRAME || seen.vms.is_empty() {
        return None;
    }
    let mut walk = Walk {
        program,
        seen,
        read: vec![None; program.params.len()],
        waiting: BTreeMap::new(),
    };
    walk.waiting.insert(0, State::new(program));
    walk.run()?;
    let ranges = |words: Option<Words>| {
        let all = words.iter().flat_map(Words::intervals);
        all.map(|(low, high)| *low..high.saturating_add(1)).collect()
    };
    Some(walk.read.into_iter().map(ranges).collect())
}

/// What a word may be: one of these, counted from this VM's part of a parameter if it is an address in it.
#[derive(Clone, Debug, PartialEq)]
struct Value {
    base: Base,
    words: Words,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Number,
    Param(u32),
    /// Anything at all, addresses among it.
    Unknown,
}

/// What is known at an instruction.
#[derive(Clone)]
struct State {
    words: Vec<Value>,
    frame: Vec<Value>,
}

struct Walk<'w> {
    program: &'w Program,
    seen: &'w Seen<'w>,
    read: Vec<Option<Words>>,
    /// States at instructions that have not been followed from there.
    waiting: BTreeMap<u32, State>,
}

/// Where it goes on.
enum Next {
    Following,
    At(Vec<u32>),
}

impl Value {
    fn number(words: Words) -> Value {
        Value {
            base: Base::Number,
            words,
        }
    }

    fn any() -> Value {
        Value::number(Words::any())
    }

    fn unknown() -> Value {
        Value {
            base: Base::Unknown,
            words: Words::any(),
        }
    }

    fn join(&self, other: &Value) -> Value {
        match self.base == other.base {
            true => Value {
                base: self.base,
                words: self.words.join(&other.words),
            },
            false => Value::unknown(),
        }
    }

    /// The sum; of two addresses it is none.
    fn add(&self, other: &Value) -> Value {
        let base = match (self.base, other.base) {
            (base, Base::Number) | (Base::Number, base) => base,
            _ => Base::Unknown,
        };
        Value {
            base,
            words: self.words.add(&other.words),
        }
    }

    fn is_number(&self) -> bool {
        self.base == Base::Number
    }
}

impl State {
    fn new(program: &Program) -> State {
        let zeros = |count: usize| vec![Value::number(Words::one(0)); count];
        State {
            words: zeros(WORDS),
            frame: zeros(program.frame_memory() as usize),
        }
    }

    fn join(&mut self, other: &State) {
        let all = self.words.iter_mut().chain(&mut self.frame);
        for (own, other) in all.zip(other.words.iter().chain(&other.frame)) {
            if own != other {
                *own = own.join(other);
            }
        }
    }

    fn word(&self, word: u32) -> Value {
        self.words.get(word as usize).cloned().unwrap_or_else(Value::any)
    }

    fn set(&mut self, word: u32, value: Value) {
        if let Some(place) = self.words.get_mut(word as usize) {
            *place = value;
        }
    }
}

impl Walk<'_> {
    /// Follows all that waits; `None` where that leads too far.
    fn run(&mut self) -> Option<()> {
        let mut steps = 0;
        while let Some((mut at, mut state)) = self.waiting.pop_first() {
            loop {
                steps += 1;
                if steps > MOST_STEPS {
                    return None;
                }
                let places = match self.step(at, &mut state)? {
                    Next::Following => vec![at + 1],
                    Next::At(places) => places,
                };
                // Who is behind comes first, so that ways meet.
                let first = self.waiting.keys().next().copied();
                if let [next] = places[..]
                    && first.is_none_or(|first| first > next)
                {
                    at = next;
                    continue;
                }
                for place in places {
                    self.wait(place, &state);
                }
                break;
            }
        }
        Some(())
    }

    fn wait(&mut self, place: u32, state: &State) {
        match self.waiting.get_mut(&place) {
            Some(waiting) => waiting.join(state),
            None => {
                self.waiting.insert(place, state.clone());
            }
        }
    }

    /// Follows one instruction.
    fn step(&mut self, at: u32, state: &mut State) -> Option<Next> {
        let instruction = self.program.code.get(at as usize)?;
        let op = Op::from_code(instruction.opcode)?;
        let [a, b, c, d] = instruction.operands;
        match op {
            Op::Affine => self.affine(d, state)?,
            Op::Jump => return Some(Next::At(vec![a])),
            Op::JumpIf | Op::JumpUnless => {
                let is_zero = computed(Op::Eq, &[state.word(b).words, Words::one(0)]).as_one();
                let goes = is_zero.map(|is_zero| (is_zero == 0) == (op == Op::JumpIf));
                return Some(match goes {
                    Some(true) => Next::At(vec![a]),
                    Some(false) => Next::Following,
                    None => Next::At(vec![at + 1, a]),
                });
            }
            Op::Switch => {
                let by = state.word(b).words;
                let (low, high) = (by.low().min(c), by.high().min(c));
                if high - low >= MOST_PLACES {
                    return None;
                }
                return Some(Next::At((low..=high).map(|by| a.wrapping_add(by)).collect()));
            }
            Op::Return | Op::Halt | Op::Trap => return Some(Next::At(Vec::new())),
            Op::TrapIf => {
                let traps = computed(Op::Eq, &[state.word(b).words, Words::one(0)]);
                if traps.as_one() == Some(0) {
                    return Some(Next::At(Vec::new()));
                }
            }
            Op::Load => {
                let place = state.word(c).add(&Value::number(Words::one(d)));
                let value = self.load(state, &state.word(b), &place)?;
                state.set(a, value);
            }
            Op::Store => {
                let place = state.word(c).add(&Value::number(Words::one(d)));
                match space_of(&state.word(b))? {
                    space::FRAME => self.store_frame(state, &place, &state.word(a))?,
                    space::ARENA if matches!(place.base, Base::Param(_)) => {}
                    _ => return None,
                }
            }
            Op::LoadFrame => {
                let base = self.program.call_stack_words();
                let value = state.frame.get(base.checked_add(b)? as usize)?.clone();
                state.set(a, value);
            }
            Op::StoreFrame => {
                let base = self.program.call_stack_words();
                *state.frame.get_mut(base.checked_add(b)? as usize)? = state.word(a);
            }
            Op::Address => {
                let place = self.program.call_stack_words().wrapping_add(b);
                state.set(a, Value::number(Words::one(place)));
            }
            Op::Param => state.set(
                a,
                Value {
                    base: Base::Param(b),
                    words: Words::one(0),
                },
            ),
            Op::ParamLen => {
                let length = self.seen.slots.get(b as usize)?.length;
                state.set(a, Value::number(Words::one(length)));
            }
            Op::VmId => {
                let Range { start, end } = self.seen.vms;
                state.set(a, Value::number(Words::between(start, end - 1)));
            }
            Op::VmCount => state.set(a, Value::number(Words::one(self.seen.vm_count))),
            Op::Enter | Op::Leave => {}
            // VMs that call, wait, or have something in common.
            _ if op.effect() != crate::isa::Effect::Pure => return None,
            _ => compute(op, instruction.operands, state),
        }
        Some(Next::Following)
    }

    /// What a load gives, which notes what it reads of a slice.
    fn load(&mut self, state: &State, from: &Value, place: &Value) -> Option<Value> {
        match (space_of(from)?, place.base) {
            (space::FRAME, Base::Number) => {
                let (low, high) = (place.words.low(), place.words.high());
                let words = state.frame.get(low as usize..=high as usize);
                match words.filter(|words| words.len() as u32 <= MOST_READ) {
                    Some([first, others @ ..]) => Some(others.iter().fold(first.clone(), |all, word| all.join(word))),
                    // Reaching outside of it is a trap.
                    _ => Some(Value::unknown()),
                }
            }
            (space::DATA, Base::Number) => {
                let (low, high) = (place.words.low(), place.words.high());
                let words = self.program.data.get(low as usize..=high as usize);
                Some(match words.filter(|words| words.len() as u32 <= MOST_READ) {
                    Some([first, others @ ..]) => {
                        let one = |word: &u32| Words::one(*word);
                        Value::number(others.iter().fold(one(first), |all, word| all.join(&one(word))))
                    }
                    _ => Value::any(),
                })
            }
            (space::ARENA, Base::Param(param)) => self.load_param(param, &place.words),
            _ => None,
        }
    }

    fn load_param(&mut self, param: u32, place: &Words) -> Option<Value> {
        let slot = self.seen.slots.get(param as usize)?;
        // The results' slot is no parameter's.
        let Some((mode, element)) = self.program.params.get(param as usize).and_then(|ty| Mode::of(*ty)) else {
            return Some(Value::any());
        };
        match mode {
            Mode::Slice => {
                let end = u64::from(slot.length) * u64::from(element.words);
                let last = u32::try_from(end.saturating_sub(1)).unwrap_or(u32::MAX);
                // What is outside of it is a trap and no read.
                let inside = place.intervals().iter().filter(|(low, _)| u64::from(*low) < end);
                for (low, high) in inside {
                    let words = Words::between(*low, (*high).min(last));
                    let read = &mut self.read[param as usize];
                    *read = Some(read.as_ref().map_or_else(|| words.clone(), |read| read.join(&words)));
                }
                Some(Value::any())
            }
            Mode::Value if slot.stride == 0 => {
                let known = place.as_one().and_then(|word| (self.seen.word)(param, word));
                Some(known.map_or_else(Value::any, |word| Value::number(Words::one(word))))
            }
            _ => Some(Value::any()),
        }
    }

    fn store_frame(&self, state: &mut State, place: &Value, value: &Value) -> Option<()> {
        if !place.is_number() {
            return None;
        }
        if let Some(place) = place.words.as_one() {
            // Outside of it is a trap.
            if let Some(word) = state.frame.get_mut(place as usize) {
                *word = value.clone();
            }
            return Some(());
        }
        let end = (place.words.high() as usize).saturating_add(1).min(state.frame.len());
        for word in state.frame.get_mut(place.words.low() as usize..end).unwrap_or_default() {
            *word = word.join(value);
        }
        Some(())
    }

    /// What a matrix makes of the words.
    fn affine(&self, matrix: u32, state: &mut State) -> Option<()> {
        let record = self.program.matrices.get(matrix as usize)?;
        if record.format != Format::Sparse {
            state.words.fill_with(Value::unknown);
            return Some(());
        }
        let start = record.offset as usize;
        let terms = self
            .program
            .pools
            .terms
            .get(start..start.checked_add(record.size as usize)?)?;
        let before = state.clone();
        for row in terms.chunk_by(|a, b| a.row == b.row) {
            state.set(row[0].row.into(), row_of(row, &before));
        }
        Some(())
    }
}

/// What a row of a matrix comes to.
fn row_of(row: &[Term], before: &State) -> Value {
    if row[0].ring != Ring::Integer {
        let reads = |term: &Term| term.column == CONSTANT || before.word(term.column.into()).is_number();
        return if row.iter().all(reads) {
            Value::any()
        } else {
            Value::unknown()
        };
    }
    let one = |term: &Term| {
        let coefficient = Value::number(Words::one(term.coefficient));
        if term.column == CONSTANT {
            return coefficient;
        }
        match (before.word(term.column.into()), term.coefficient) {
            (value, 1) => value,
            (value, _) if value.is_number() => Value::number(value.words.mul(&coefficient.words)),
            _ => Value::unknown(),
        }
    };
    let zero = Value::number(Words::one(0));
    row.iter().fold(zero, |sum, term| sum.add(&one(term)))
}

/// The space that a word names, if it is one.
fn space_of(value: &Value) -> Option<u32> {
    value.words.as_one().filter(|_| value.is_number())
}

/// An operation that only computes.
fn compute(op: Op, operands: [u32; 4], state: &mut State) {
    let mut inputs = Vec::with_capacity(4);
    let roles = op.roles();
    for (role, operand) in roles.iter().zip(operands) {
        match role {
            Role::Use => inputs.push(state.word(operand)),
            Role::Imm => inputs.push(Value::number(Words::one(operand))),
            Role::UsePair => {
                let (low, high) = unpair(operand);
                inputs.extend([state.word(low), state.word(high)]);
            }
            _ => {}
        }
    }
    if roles[0] == Role::DefPair {
        let (low, high) = unpair(operands[0]);
        let value = match inputs.iter().all(Value::is_number) {
            true => Value::any(),
            false => Value::unknown(),
        };
        state.set(low, value.clone());
        return state.set(high, value);
    }
    let value = match (op, &inputs[..]) {
        (Op::Mov, [a]) => a.clone(),
        (Op::Add | Op::AddImm, [a, b]) => a.add(b),
        (Op::Sub, [a, b]) if b.is_number() => Value {
            base: a.base,
            words: computed(op, &[a.words.clone(), b.words.clone()]),
        },
        (Op::Select, [a, b, c]) => match computed(Op::Eq, &[a.words.clone(), Words::one(0)]).as_one() {
            Some(0) => b.clone(),
            Some(_) => c.clone(),
            None => b.join(c),
        },
        _ if inputs.iter().all(Value::is_number) => {
            let words: Vec<Words> = inputs.into_iter().map(|input| input.words).collect();
            Value::number(computed(op, &words))
        }
        (Op::Eq | Op::Ne | Op::LtU | Op::LtS | Op::LeU | Op::LeS, _) => Value::number(Words::between(0, 1)),
        _ => Value::unknown(),
    };
    state.set(operands[0], value);
}
