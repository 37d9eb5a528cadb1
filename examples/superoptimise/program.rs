//! Programs without branches, all of a length.

use std::fmt;

use gpuvm::build::{Body, Value};

/// Instructions one after the other; the last one's result is the program's.
#[derive(Clone, Debug, PartialEq)]
pub struct Program(Vec<Step>);

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Unary(Unary, Operand),
    Binary(Binary, Operand, Operand),
    /// By so many bits.
    Shift(Shift, Operand, u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unary {
    Neg,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Binary {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shift {
    Left,
    Right,
    /// With copies of the highest bit.
    RightSigned,
}

/// What an instruction works on: a value, 0 being the input and the others what instructions gave, or the number 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Operand {
    Value(usize),
    One,
}

const UNARY: [Unary; 2] = [Unary::Neg, Unary::Not];
const BINARY: [Binary; 5] = [Binary::Add, Binary::Sub, Binary::And, Binary::Or, Binary::Xor];
const SHIFTS: [Shift; 3] = [Shift::Left, Shift::Right, Shift::RightSigned];
/// By how many bits is shifted.
const BITS: [u32; 2] = [1, 31];

/// All programs of so many instructions whose every result is used.
pub fn programs(steps: usize) -> Vec<Program> {
    let mut all = Vec::new();
    extend(&mut Vec::new(), steps, &mut all);
    all
}

/// Adds all programs that begin like this and have so many instructions more.
fn extend(begun: &mut Vec<Step>, left: usize, all: &mut Vec<Program>) {
    // Each instruction uses up one result that nobody has used yet, or two, and leaves one.
    let unused = (1..=begun.len()).filter(|value| !begun.iter().any(|step| step.uses(*value)));
    if unused.count() > left + 1 {
        return;
    }
    if left == 0 {
        all.push(Program(begun.clone()));
        return;
    }
    for step in next(begun.len()) {
        // The same once more gives nothing new.
        if !begun.contains(&step) {
            begun.push(step);
            extend(begun, left - 1, all);
            begun.pop();
        }
    }
}

/// All instructions that can follow so many.
fn next(before: usize) -> Vec<Step> {
    let values: Vec<Operand> = (0..=before).map(Operand::Value).collect();
    let mut steps = Vec::new();
    for a in &values {
        steps.extend(UNARY.map(|op| Step::Unary(op, *a)));
        steps.extend(SHIFTS.iter().flat_map(|op| BITS.map(|bits| Step::Shift(*op, *a, bits))));
    }
    let operands: Vec<Operand> = values.into_iter().chain([Operand::One]).collect();
    for a in &operands {
        for b in &operands {
            let makes_sense = |op: &&Binary| match op {
                Binary::Sub => a != b,
                // With itself a number is twice itself.
                Binary::Add => a <= b && *a != Operand::One,
                Binary::And | Binary::Or | Binary::Xor => a < b,
            };
            steps.extend(BINARY.iter().filter(makes_sense).map(|op| Step::Binary(*op, *a, *b)));
        }
    }
    steps
}

impl Step {
    fn uses(&self, value: usize) -> bool {
        let value = Operand::Value(value);
        match self {
            Step::Unary(_, a) | Step::Shift(_, a, _) => *a == value,
            Step::Binary(_, a, b) => *a == value || *b == value,
        }
    }
}

impl Program {
    /// Its instructions for an input, in a routine that is being built, and their result.
    pub fn built<'b>(&self, f: &'b Body, x: Value<'b, u32>) -> Value<'b, u32> {
        let mut values = vec![x];
        let mut last = x;
        for step in &self.0 {
            let of = |operand: Operand| match operand {
                Operand::Value(number) => values[number],
                Operand::One => f.constant(1),
            };
            last = match *step {
                Step::Unary(Unary::Neg, a) => f.constant(0) - of(a),
                Step::Unary(Unary::Not, a) => !of(a),
                Step::Binary(Binary::Add, a, b) => of(a) + of(b),
                Step::Binary(Binary::Sub, a, b) => of(a) - of(b),
                Step::Binary(Binary::And, a, b) => of(a) & of(b),
                Step::Binary(Binary::Or, a, b) => of(a) | of(b),
                Step::Binary(Binary::Xor, a, b) => of(a) ^ of(b),
                Step::Shift(Shift::Left, a, bits) => of(a) << bits,
                Step::Shift(Shift::Right, a, bits) => of(a) >> bits,
                Step::Shift(Shift::RightSigned, a, bits) => (of(a).cast::<i32>() >> bits).cast(),
            };
            values.push(last);
        }
        last
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |operand: Operand| match operand {
            Operand::Value(0) => "x".to_string(),
            Operand::Value(number) => format!("v{number}"),
            Operand::One => "1".to_string(),
        };
        for (number, step) in (1..).zip(&self.0) {
            write!(f, "    v{number} = ")?;
            match *step {
                Step::Unary(Unary::Neg, a) => writeln!(f, "-{}", name(a))?,
                Step::Unary(Unary::Not, a) => writeln!(f, "!{}", name(a))?,
                Step::Binary(op, a, b) => {
                    let op = match op {
                        Binary::Add => "+",
                        Binary::Sub => "-",
                        Binary::And => "&",
                        Binary::Or => "|",
                        Binary::Xor => "^",
                    };
                    writeln!(f, "{} {op} {}", name(a), name(b))?;
                }
                Step::Shift(op, a, bits) => match op {
                    Shift::Left => writeln!(f, "{} << {bits}", name(a))?,
                    Shift::Right => writeln!(f, "{} >> {bits}", name(a))?,
                    Shift::RightSigned => writeln!(f, "({} as i32 >> {bits}) as u32", name(a))?,
                },
            }
        }
        Ok(())
    }
}
