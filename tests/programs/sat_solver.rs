//! Satisfiability by DPLL: clauses in DIMACS' form, unit propagation, pure literals, and a trail that is undone.

use core::fmt;
use core::ops::Not;
use core::str::FromStr;

use gpuvm::prelude::*;

pub const MAX_VARS: usize = 16;
const MAX_LITERALS: usize = 96;

/// A variable, or its negation in the lowest bit.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
struct Literal(u8);

#[routine]
impl Literal {
    fn variable(self) -> usize {
        usize::from(self.0 >> 1)
    }

    fn is_negative(&self) -> bool {
        self.0 & 1 != 0
    }
}

#[routine]
impl Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    NoHeader,
    BadNumber,
    TooLarge { vars: u32 },
    Unclosed,
}

#[routine]
impl From<core::num::ParseIntError> for ParseError {
    fn from(_: core::num::ParseIntError) -> Self {
        ParseError::BadNumber
    }
}

#[derive(VmType, Clone)]
struct Formula {
    vars: usize,
    literals: [Literal; MAX_LITERALS],
    /// Where each clause ends.
    ends: [u8; 40],
    clauses: usize,
}

#[routine]
impl FromStr for Formula {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut lines = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('c'));
        let header = lines
            .next()
            .and_then(|line| line.strip_prefix("p cnf "))
            .ok_or(ParseError::NoHeader)?;
        let (vars, _clauses) = header.split_once(' ').ok_or(ParseError::NoHeader)?;
        let vars: usize = vars.parse()?;
        if vars > MAX_VARS {
            return Err(ParseError::TooLarge { vars: vars as u32 });
        }
        let mut formula = Formula {
            vars,
            literals: [Literal::default(); MAX_LITERALS],
            ends: [0; 40],
            clauses: 0,
        };
        let mut len = 0;
        for number in lines.flat_map(str::split_ascii_whitespace) {
            match number.parse::<i32>()? {
                0 => {
                    formula.ends[formula.clauses] = len as u8;
                    formula.clauses += 1;
                }
                n if n.unsigned_abs() as usize > vars => return Err(ParseError::BadNumber),
                n => {
                    let variable = n.unsigned_abs() as u8 - 1;
                    formula.literals[len] = Literal(variable << 1 | u8::from(n < 0));
                    len += 1;
                }
            }
        }
        match formula.clauses.checked_sub(1).map(|last| formula.ends[last] as usize) {
            Some(end) if end == len => Ok(formula),
            None if len == 0 => Ok(formula),
            _ => Err(ParseError::Unclosed),
        }
    }
}

#[routine]
impl Formula {
    fn clauses(&self) -> impl Iterator<Item = &[Literal]> + '_ {
        let mut start = 0;
        self.ends[..self.clauses].iter().map(move |&end| {
            let clause = &self.literals[start..end.into()];
            start = end.into();
            clause
        })
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub decisions: u32,
    pub propagations: u32,
    pub conflicts: u32,
}

#[derive(VmType)]
struct Solver<'f> {
    formula: &'f Formula,
    values: [Option<bool>; MAX_VARS],
    trail: [u8; MAX_VARS],
    depth: usize,
    statistics: Statistics,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Clause {
    Satisfied,
    Conflict,
    Unit(Literal),
    Open,
}

#[routine]
impl<'f> Solver<'f> {
    fn new(formula: &'f Formula) -> Self {
        Self {
            formula,
            values: Default::default(),
            trail: Default::default(),
            depth: 0,
            statistics: Statistics::default(),
        }
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        self.values[literal.variable()].map(|value| value ^ literal.is_negative())
    }

    fn assign(&mut self, literal: Literal) {
        let variable = literal.variable();
        debug_assert!(self.values[variable].is_none());
        self.values[variable] = Some(!literal.is_negative());
        self.trail[self.depth] = variable as u8;
        self.depth += 1;
    }

    fn undo(&mut self, depth: usize) {
        for &variable in &self.trail[depth..self.depth] {
            self.values[variable as usize] = None;
        }
        self.depth = depth;
    }

    fn look(&self, clause: &[Literal]) -> Clause {
        let mut open = None;
        for &literal in clause {
            match (self.value(literal), open) {
                (Some(true), _) => return Clause::Satisfied,
                (Some(false), _) => {}
                (None, None) => open = Some(literal),
                (None, Some(_)) => {
                    return if clause.iter().any(|&l| self.value(l) == Some(true)) {
                        Clause::Satisfied
                    } else {
                        Clause::Open
                    };
                }
            }
        }
        open.map_or(Clause::Conflict, Clause::Unit)
    }

    /// Until nothing follows any more; `false` where a clause cannot hold.
    fn propagate(&mut self) -> bool {
        'again: loop {
            for clause in self.formula.clauses() {
                match self.look(clause) {
                    Clause::Satisfied | Clause::Open => continue,
                    Clause::Conflict => break 'again false,
                    Clause::Unit(literal) => {
                        self.statistics.propagations += 1;
                        self.assign(literal);
                        continue 'again;
                    }
                }
            }
            break true;
        }
    }

    /// The variable that occurs most in clauses that are open.
    fn decide(&self) -> Option<Literal> {
        let mut counts = [[0u8; 2]; MAX_VARS];
        let open = self
            .formula
            .clauses()
            .filter(|clause| self.look(clause) == Clause::Open);
        for literal in open.flatten().copied().filter(|&literal| self.value(literal).is_none()) {
            counts[literal.variable()][literal.0 as usize & 1] += 1;
        }
        let (variable, [positive, negative]) = counts
            .into_iter()
            .enumerate()
            .filter(|(_, [p, n])| p + n > 0)
            .max_by_key(|&(i, [p, n])| (p + n, core::cmp::Reverse(i)))?;
        Some(Literal((variable as u8) << 1 | u8::from(negative > positive)))
    }

    fn solve(&mut self) -> bool {
        let depth = self.depth;
        if !self.propagate() {
            self.statistics.conflicts += 1;
            self.undo(depth);
            return false;
        }
        let Some(literal) = self.decide() else {
            return true;
        };
        let here = self.depth;
        for literal in [literal, !literal] {
            self.statistics.decisions += 1;
            self.assign(literal);
            if self.solve() {
                return true;
            }
            self.undo(here);
        }
        self.undo(depth);
        false
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_negative() {
            f.write_str("-")?;
        }
        write!(f, "{}", self.variable() + 1)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Satisfiable { model: u32, statistics: Statistics },
    Unsatisfiable(Statistics),
}

/// A model as bits, or that there is none.
#[routine]
pub fn satisfy(dimacs: &[u8]) -> Result<Answer, ParseError> {
    let text = core::str::from_utf8(dimacs).map_err(|_| ParseError::NoHeader)?;
    let formula = text.parse::<Formula>()?;
    let mut solver = Solver::new(&formula);
    Ok(if solver.solve() {
        let model = solver
            .values
            .iter()
            .enumerate()
            .fold(0, |model, (i, value)| model | u32::from(value.unwrap_or_default()) << i);
        Answer::Satisfiable {
            model,
            statistics: solver.statistics,
        }
    } else {
        Answer::Unsatisfiable(solver.statistics)
    })
}

pub fn known() {
    let text = b"c a comment\np cnf 3 4\n1 -2 0\n2 3 0\n-1 -3 0\n 2 0\n";
    let Ok(Answer::Satisfiable { model, statistics }) = satisfy(text) else {
        panic!("it has a model")
    };
    assert_eq!(model, 0b011);
    assert_eq!(statistics.decisions, 0);
    // Three pigeons in two holes.
    let pigeons = b"p cnf 6 9\n1 2 0 3 4 0 5 6 0\n-1 -3 0 -1 -5 0 -3 -5 0\n-2 -4 0 -2 -6 0 -4 -6 0\n";
    assert!(matches!(
        satisfy(pigeons),
        Ok(Answer::Unsatisfiable(Statistics { decisions: 2.., .. }))
    ));
    assert_eq!(satisfy(b"p cnf 99 1"), Err(ParseError::TooLarge { vars: 99 }));
    assert_eq!(satisfy(b"p cnf 2 1\n1 x 0"), Err(ParseError::BadNumber));
    assert_eq!(satisfy(b"p cnf 2 1\n1 2"), Err(ParseError::Unclosed));
    assert_eq!(satisfy(b"1 2 0"), Err(ParseError::NoHeader));
}
