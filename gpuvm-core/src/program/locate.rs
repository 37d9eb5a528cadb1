//! Where variables are: a walk forward over the linked code that follows what each word of the machine and of the frame holds. At
//! a place where ways meet, only what holds on all of them is kept.

use std::collections::{BTreeMap, BTreeSet};

use super::{Home, Location, Mark, Program, Variable};
use crate::isa::{Instruction, Op, Role, unpair};
use crate::matrix::{CONSTANT, Ring, Term, read_record};

/// Where variables are all over a program.
pub struct VariableMap<'p> {
    program: &'p Program,
    /// What is known where a block starts, for the blocks that can be reached.
    starts: BTreeMap<u32, State>,
}

/// One word of a variable of an activation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    scope: u32,
    variable: u32,
    word: u32,
}

/// What is held where.
#[derive(Clone, Default, PartialEq)]
struct State {
    held: BTreeMap<Home, Vec<Part>>,
}

impl<'p> VariableMap<'p> {
    /// Follows all code.
    pub(super) fn of(program: &'p Program) -> VariableMap<'p> {
        let mut map = VariableMap {
            program,
            starts: BTreeMap::new(),
        };
        let leaders = leaders(program);
        let mut work: BTreeSet<u32> = BTreeSet::new();
        for function in functions(program) {
            map.starts.insert(function, State::default());
            work.insert(function);
        }
        while let Some(start) = work.pop_first() {
            let Some(mut state) = map.starts.get(&start).cloned() else {
                continue;
            };
            let mut at = start;
            let next = loop {
                let Some(instruction) = program.code.get(at as usize) else {
                    break [None, None];
                };
                state.pass(program, at, instruction);
                let next = successors(at, instruction);
                match next {
                    [Some(to), None] if to == at + 1 && !leaders.contains(&to) => at = to,
                    _ => break next,
                }
            };
            for to in next.into_iter().flatten() {
                if map.meet(to, &state) {
                    work.insert(to);
                }
            }
        }
        map
    }

    /// The program.
    pub(super) fn program(&self) -> &'p Program {
        self.program
    }

    /// Takes note of a way to a block; whether less is known there now.
    fn meet(&mut self, to: u32, state: &State) -> bool {
        match self.starts.get_mut(&to) {
            Some(known) => known.keep(state),
            None => {
                self.starts.insert(to, state.clone());
                true
            }
        }
    }

    /// What is known before an instruction.
    fn before(&self, ip: u32) -> State {
        let Some((&start, state)) = self.starts.range(..=ip).next_back() else {
            return State::default();
        };
        let mut state = state.clone();
        for at in start..ip {
            let Some(instruction) = self.program.code.get(at as usize) else {
                break;
            };
            // Code behind a jump that nothing leads to.
            if successors(at, instruction)[0] != Some(at + 1) && successors(at, instruction)[1] != Some(at + 1) {
                return State::default();
            }
            state.pass(self.program, at, instruction);
        }
        state.marks(self.program, ip, true);
        state
    }

    /// The variables at the instruction that is about to run, as [`Program::variables_at`] gives them.
    pub fn at(&self, ip: u32) -> Vec<Location<'p>> {
        let activations = self.activations(ip, &self.before(ip));
        activations.into_iter().flat_map(|(_, variables)| variables).collect()
    }

    /// The activations that an instruction belongs to, the innermost first: each with the line that it is at, and its variables.
    pub(super) fn activations_at(&self, ip: u32) -> Vec<(At, Vec<Location<'p>>)> {
        self.activations(ip, &self.before(ip))
    }

    /// The same of those that have made a call, while it has not returned.
    pub(super) fn activations_in_call(&self, call: u32) -> Vec<(At, Vec<Location<'p>>)> {
        let mut state = self.before(call);
        if let Some(instruction) = self.program.code.get(call as usize) {
            state.pass(self.program, call, instruction);
        }
        self.activations(call, &state)
    }

    fn activations(&self, ip: u32, state: &State) -> Vec<(At, Vec<Location<'p>>)> {
        let program = self.program;
        let variables = &program.variables;
        let (Some(&own), Some(place)) = (variables.scope_of.get(ip as usize), program.places.get(ip as usize)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let (mut scope, mut line) = (Some(own), place.line);
        while let Some(number) = scope {
            let Some(activation) = variables.scopes.get(number as usize) else {
                break;
            };
            let routine = program.routines.get(activation.routine as usize);
            let prefix = match (activation.caller, routine) {
                (Some(_), Some(routine)) => format!("{routine}::"),
                _ => String::new(),
            };
            let mut own = Vec::new();
            for (i, variable) in variables.list.iter().enumerate() {
                let visible = variable.routine == activation.routine
                    && (variable.first_line..=variable.last_line).contains(&line);
                if !visible {
                    continue;
                }
                let location = Location {
                    variable,
                    scope: number,
                    name: format!("{prefix}{}", variable.name),
                    homes: state.homes(number, i as u32, variable),
                };
                // On its own line a variable may not have come to be yet.
                if location.is_known() || line > variable.first_line {
                    shadow(&mut own, location);
                }
            }
            found.push((At { scope: number, line }, own));
            (scope, line) = (activation.caller, activation.line);
        }
        found
    }
}

/// Where an activation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    /// The activation: a place in [`Variables::scopes`](super::Variables::scopes).
    pub scope: u32,
    /// The source line.
    pub line: u32,
}

/// Adds a variable of an activation; of those with one name, the one declared last is seen.
fn shadow<'p>(found: &mut Vec<Location<'p>>, location: Location<'p>) {
    let same = found.iter_mut().find(|other| other.name == location.name);
    match same {
        Some(other) if other.variable.first_line > location.variable.first_line => {}
        Some(other) => *other = location,
        None => found.push(location),
    }
}

/// The instructions that functions start with: the first, what is called, and what is switched to, where nothing is known of variables.
fn functions(program: &Program) -> impl Iterator<Item = u32> + '_ {
    let calls = program
        .code
        .iter()
        .filter(|instruction| instruction.opcode == Op::Call.code());
    let switches = program.code.iter().filter(|code| code.opcode == Op::Switch.code());
    let switched = switches.flat_map(|switch| switch.operands[0]..=Op::last_of_switch(switch.operands));
    std::iter::once(0)
        .chain(calls.map(|call| call.operands[0]))
        .chain(switched)
}

/// The instructions that something other than the one before them may lead to.
fn leaders(program: &Program) -> BTreeSet<u32> {
    let jumps = program.code.iter().filter(|instruction| {
        matches!(
            Op::from_code(instruction.opcode),
            Some(Op::Jump | Op::JumpIf | Op::JumpUnless)
        )
    });
    jumps.map(|jump| jump.operands[0]).chain(functions(program)).collect()
}

/// The instructions of the same function that may come after one.
fn successors(at: u32, instruction: &Instruction) -> [Option<u32>; 2] {
    match Op::from_code(instruction.opcode) {
        Some(Op::Jump) => [Some(instruction.operands[0]), None],
        Some(Op::JumpIf | Op::JumpUnless) => [Some(at + 1), Some(instruction.operands[0])],
        Some(Op::Return | Op::Halt | Op::Trap | Op::Switch) | None => [None, None],
        Some(_) => [Some(at + 1), None],
    }
}

impl State {
    /// Follows one instruction.
    fn pass(&mut self, program: &Program, at: u32, instruction: &Instruction) {
        self.marks(program, at, true);
        let [a, b, _, d] = instruction.operands;
        match Op::from_code(instruction.opcode) {
            Some(Op::Mov) => self.copy(Home::Word(a), Home::Word(b)),
            Some(Op::LoadFrame) => self.copy(Home::Word(a), Home::Frame(b)),
            // Only what is marked to live there: a store through a pointer could change a mere copy.
            Some(Op::StoreFrame) => self.clear(Home::Frame(b)),
            Some(Op::Affine) => self.affine(program, d),
            Some(Op::Call) => self.held.retain(|home, _| match *home {
                Home::Word(_) => false,
                Home::Frame(offset) => offset < b,
                Home::Constant(_) | Home::Nowhere => true,
            }),
            Some(Op::Store) => self.write_memory(),
            Some(op) => {
                for (role, operand) in op.roles().into_iter().zip(instruction.operands) {
                    match role {
                        Role::Def => self.clear(Home::Word(operand)),
                        Role::DefPair => {
                            let (low, high) = unpair(operand);
                            self.clear(Home::Word(low));
                            self.clear(Home::Word(high));
                        }
                        _ => {}
                    }
                }
            }
            None => {}
        }
        self.marks(program, at, false);
    }

    /// Follows what is said before or after an instruction.
    fn marks(&mut self, program: &Program, at: u32, before: bool) {
        let marks = &program.variables.marks;
        let first = marks.partition_point(|mark| (mark.at, !mark.before) < (at, !before));
        for mark in marks[first..]
            .iter()
            .take_while(|mark| (mark.at, mark.before) == (at, before))
        {
            self.mark(mark);
        }
    }

    fn clear(&mut self, home: Home) {
        self.held.remove(&home);
    }

    fn copy(&mut self, to: Home, from: Home) {
        match self.held.get(&from).cloned() {
            Some(parts) => self.held.insert(to, parts),
            None => self.held.remove(&to),
        };
    }

    fn affine(&mut self, program: &Program, matrix: u32) {
        let record = program.matrices.get(matrix as usize);
        let Some(map) = record.and_then(|record| read_record(record, &program.pools)) else {
            return self.held.clear();
        };
        let before = self.clone();
        for row in map.rows() {
            let to = Home::Word(row[0].row.into());
            self.clear(to);
            if let [
                Term {
                    column,
                    ring: Ring::Integer,
                    coefficient: 1,
                    ..
                },
            ] = row
                && *column != CONSTANT
                && let Some(parts) = before.held.get(&Home::Word((*column).into()))
            {
                self.held.insert(to, parts.clone());
            }
        }
    }

    /// A store through a pointer may change what is in the frame, and then copies of it are old.
    fn write_memory(&mut self) {
        let in_frame: Vec<Part> = self
            .held
            .iter()
            .filter(|(home, _)| matches!(home, Home::Frame(_)))
            .flat_map(|(_, parts)| parts.iter().copied())
            .collect();
        for (home, parts) in &mut self.held {
            if !matches!(home, Home::Frame(_)) {
                parts.retain(|part| !in_frame.contains(part));
            }
        }
    }

    fn mark(&mut self, mark: &Mark) {
        let part = Part {
            scope: mark.scope,
            variable: mark.variable,
            word: mark.word,
        };
        for parts in self.held.values_mut() {
            parts.retain(|other| *other != part);
        }
        if mark.home != Home::Nowhere {
            self.held.entry(mark.home).or_default().push(part);
        }
    }

    /// Keeps what another state knows too; whether something went.
    fn keep(&mut self, other: &State) -> bool {
        let mut changed = false;
        self.held.retain(|home, parts| {
            let before = parts.len();
            let others = other.held.get(home);
            parts.retain(|part| others.is_some_and(|others| others.contains(part)));
            changed |= parts.len() != before;
            !parts.is_empty()
        });
        changed
    }

    /// Where each word of a variable is.
    fn homes(&self, scope: u32, variable: u32, described: &Variable) -> Vec<Home> {
        let mut homes = vec![Home::Nowhere; described.ty.words() as usize];
        for (home, parts) in self.held.iter().rev() {
            let own = parts
                .iter()
                .filter(|part| (part.scope, part.variable) == (scope, variable));
            for part in own {
                if let Some(place) = homes.get_mut(part.word as usize) {
                    *place = *home;
                }
            }
        }
        homes
    }
}
