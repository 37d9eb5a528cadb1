//! What is known of a program's words wherever it is, whichever way it came there.

use crate::interp::arithmetic::fold;
use crate::isa::{Op, Role, WORDS, space, unpair};
use crate::matrix::{AffineMap, CONSTANT, Ring, read_record};
use crate::program::Program;

use super::flow::{Exit, Flow, op_at, words_of};
use super::known::KnownParams;

/// What is known of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Nothing.
    Any,
    /// Its value.
    Constant(u32),
    /// It is the VM's offset in a launch parameter, plus a constant.
    Place(u32, u32),
    /// It is the length of a launch parameter.
    Length(u32),
    /// It is no larger.
    AtMost(u32),
}

impl Fact {
    /// What is known where one or the other is.
    pub fn or(self, other: Fact) -> Fact {
        match (self.most(), other.most()) {
            _ if self == other => self,
            (Some(a), Some(b)) => Fact::AtMost(a.max(b)),
            _ => Fact::Any,
        }
    }

    fn most(self) -> Option<u32> {
        match self {
            Fact::Constant(most) | Fact::AtMost(most) => Some(most),
            Fact::Any | Fact::Place(..) | Fact::Length(_) => None,
        }
    }
}

/// What is known of all words.
pub type Facts = [Fact; WORDS];

/// What is known when each block begins. In blocks that cannot be reached nothing is.
pub fn facts(flow: &Flow, program: &Program, launch: &KnownParams) -> Vec<Facts> {
    let mut known: Vec<Option<Facts>> = vec![None; flow.blocks.len()];
    known[0] = Some([Fact::Constant(0); WORDS]);
    let calls = flow.blocks.iter().filter_map(|block| match block.exit {
        Exit::Call { back, .. } => Some(back),
        _ => None,
    });
    let backs: Vec<usize> = calls.collect();
    let mut left = vec![0];
    while let Some(block) = left.pop() {
        let Some(mut facts) = known[block] else {
            continue;
        };
        for (ip, ..) in flow.straight(block, program) {
            step(&mut facts, program, launch, ip);
        }
        let mut reach = |to: usize| {
            let before = known[to];
            let met = before.map_or(facts, |before| std::array::from_fn(|i| before[i].or(facts[i])));
            if before != Some(met) {
                known[to] = Some(met);
                left.push(to);
            }
        };
        match &flow.blocks[block].exit {
            Exit::Return => backs.iter().for_each(|&back| reach(back)),
            // The callee's return leads to where the call comes back.
            Exit::Call { callee, .. } => reach(*callee),
            exit => exit.targets().for_each(reach),
        }
    }
    known
        .into_iter()
        .map(|facts| facts.unwrap_or([Fact::Any; WORDS]))
        .collect()
}

/// Brings the facts past an instruction.
pub fn step(facts: &mut Facts, program: &Program, launch: &KnownParams, ip: u32) {
    let (Some(op), Some(instruction)) = (op_at(program, ip), program.code.get(ip as usize)) else {
        return;
    };
    let [d, a, b, c] = instruction.operands;
    let before = *facts;
    let of = |word: u32| before.get(word as usize).copied().unwrap_or(Fact::Any);
    if op == Op::Affine {
        let record = program.matrices.get(c as usize);
        let map = record
            .and_then(|record| read_record(record, &program.pools))
            .unwrap_or_default();
        *facts = apply(&map, &before);
        return;
    }
    let mut set = |word: u32, fact: Fact| {
        if let Some(place) = facts.get_mut(word as usize) {
            *place = fact;
        }
    };
    match op {
        Op::Mov => set(d, of(a)),
        Op::AddImm => set(d, plus(of(a), b)),
        Op::Param => set(d, Fact::Place(a, 0)),
        Op::ParamLen => set(d, length(launch, a)),
        Op::Load => {
            let fact = match (of(a), of(b)) {
                (Fact::Constant(space::ARENA), Fact::Place(param, offset)) => {
                    launch.value(param, offset.wrapping_add(c))
                }
                (Fact::Constant(space::DATA), Fact::Constant(at)) => {
                    program.data.get(at.wrapping_add(c) as usize).copied()
                }
                _ => None,
            };
            set(d, fact.map_or(Fact::Any, Fact::Constant));
        }
        _ => {
            let mut inputs = Vec::new();
            for (role, &operand) in op.roles().iter().zip(&instruction.operands) {
                let (low, high) = unpair(operand);
                match role {
                    Role::Use => inputs.push(of(operand)),
                    Role::Imm => inputs.push(Fact::Constant(operand)),
                    Role::UsePair => inputs.extend([of(low), of(high)]),
                    _ => {}
                }
            }
            let constants: Option<Vec<u32>> = inputs
                .iter()
                .map(|fact| match fact {
                    Fact::Constant(value) => Some(*value),
                    _ => None,
                })
                .collect();
            let result = constants
                .filter(|inputs| inputs.len() <= 4)
                .and_then(|inputs| fold(op, &inputs));
            let most = match op {
                Op::AndImm => Fact::AtMost(b),
                Op::ShrImm => Fact::AtMost(u32::MAX >> (b % 32)),
                _ => Fact::Any,
            };
            let fact = |value: Option<u32>| value.map_or(most, Fact::Constant);
            match op.roles()[0] {
                Role::Def => set(d, fact(result.map(|result| result.low))),
                Role::DefPair => {
                    let (low, high) = unpair(d);
                    set(low, fact(result.map(|result| result.low)));
                    set(high, fact(result.map(|result| result.high)));
                }
                _ => {
                    let (_, defs) = words_of(program, ip);
                    (0..WORDS as u32)
                        .filter(|word| defs >> word & 1 == 1)
                        .for_each(|word| set(word, Fact::Any));
                }
            }
        }
    }
}

/// What is known of the length of a launch parameter.
fn length(launch: &KnownParams, param: u32) -> Fact {
    launch.length(param).map_or(Fact::Length(param), Fact::Constant)
}

fn plus(fact: Fact, constant: u32) -> Fact {
    match fact {
        Fact::Constant(value) => Fact::Constant(value.wrapping_add(constant)),
        Fact::Place(param, offset) => Fact::Place(param, offset.wrapping_add(constant)),
        _ => Fact::Any,
    }
}

/// What is known after a matrix: constants through any row, places through rows that add constants to them.
fn apply(map: &AffineMap, before: &Facts) -> Facts {
    let mut after = *before;
    let of = |column: u16| match column {
        CONSTANT => Fact::Constant(0),
        column => before.get(usize::from(column)).copied().unwrap_or(Fact::Any),
    };
    let words: [u32; WORDS] = before.map(|fact| if let Fact::Constant(value) = fact { value } else { 0 });
    let mut applied = words;
    map.apply(&mut applied);
    for row in map.rows() {
        let Some(place) = after.get_mut(usize::from(row[0].row)) else {
            continue;
        };
        let mut others = row.iter().filter(|term| !matches!(of(term.column), Fact::Constant(_)));
        *place = match (others.next(), others.next()) {
            (None, _) => Fact::Constant(applied[usize::from(row[0].row)]),
            // The known columns give `applied`, to which the one that is not known adds 0 so far.
            (Some(term), None) if term.ring == Ring::Integer && term.coefficient == 1 => {
                plus_any(of(term.column), applied[usize::from(row[0].row)])
            }
            // Of one word turned and masked.
            (Some(term), None) if term.ring == Ring::Bits && row.len() == 1 => Fact::AtMost(term.coefficient),
            _ => Fact::Any,
        };
    }
    after
}

/// As [`plus`], and a length stays one if nothing is added.
fn plus_any(fact: Fact, constant: u32) -> Fact {
    if constant == 0 { fact } else { plus(fact, constant) }
}
