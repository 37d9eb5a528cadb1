//! What linking and the specialised engine have made of a routine's loops, linear code and calls, and why not more: remarks as compilers give them, one a place.
//!
//! They are found by comparison: with the same routine linked without powers, and without matrices.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use gpuvm_core::isa::{Class, Op};
use gpuvm_core::program::Program;
use gpuvm_core::settings::Settings;
use gpuvm_core::specialise::KnownParams;
use gpuvm_core::specialise::flow::{Exit, Flow, op_at};
use gpuvm_core::specialise::loops::{Loop, Shape};
use gpuvm_core::specialise::unroll::unroll;

use crate::counted::counted;

/// A source line: a file of a program, and the number.
pub(super) type Line = (String, u32);

/// The most reasons that are told of one loop.
const REASONS: usize = 4;

/// Remarks on a program by source line, given how it is without powers of matrices, and without matrices.
pub(super) fn remarks(
    program: &Program,
    unraised: &Program,
    unfused: &Program,
    settings: &Settings,
) -> Vec<(Line, String)> {
    let [matrices, without] = [program, unraised].map(matrices);
    let mut remarks = Vec::new();
    let kept = loops(program);
    let lines: BTreeSet<&Line> = kept.iter().map(|(line, _)| line).collect();
    let raised: BTreeSet<Line> = loops(unraised).into_iter().map(|(line, _)| line).collect();
    for line in &raised {
        let more = matrices.get(line).map_or(0, Vec::len) > without.get(line).map_or(0, Vec::len);
        let text = match (lines.contains(line), more) {
            (false, _) => "this loop is raised: a power of its matrix takes its place",
            (true, true) => {
                "this loop is raised where it turns often: powers of its matrix take its place, one for each bit of the number of turns"
            }
            (true, false) => continue,
        };
        remarks.push((line.clone(), text.to_string()));
    }
    let powers: BTreeSet<Line> = remarks.iter().map(|(line, _)| line.clone()).collect();
    remarks.extend(kept.into_iter().map(|(line, Left { size, why, copies })| {
        let why = match powers.contains(&line) {
            true => "for few turns".to_string(),
            false => format!("no power of a matrix: {why}"),
        };
        (line, format!("a loop of {size} instructions, {why}; {copies}"))
    }));
    let linear = linear(unfused);
    remarks.extend(matrices.into_iter().map(|(line, own)| {
        let was = linear.get(&line).copied().unwrap_or(0);
        let text = match &own[..] {
            [one] => format!(
                "{one}, of {} here and what that was fused with",
                counted(was, "linear instruction")
            ),
            all => {
                let largest = all.iter().max().map_or_else(String::new, Matrix::to_string);
                format!("{} matrices, the largest {largest}", all.len())
            }
        };
        (line, text)
    }));
    remarks.extend(calls(program, settings));
    remarks.sort();
    remarks.dedup();
    remarks
}

fn line_of(program: &Program, at: u32) -> Line {
    let place = program.places.get(at as usize);
    let file = place.and_then(|place| program.files.get(place.file as usize));
    (file.cloned().unwrap_or_default(), place.map_or(0, |place| place.line))
}

/// A loop that is left.
struct Left {
    size: u32,
    /// What keeps it from being a power of a matrix.
    why: String,
    /// What the specialised engine makes of it.
    copies: String,
}

/// The loops that are left, and why.
fn loops(program: &Program) -> Vec<(Line, Left)> {
    let flow = Flow::new(program);
    let Some(shape) = Shape::new(&flow) else {
        let whole = Left {
            size: program.code.len() as u32,
            why: "a loop in it is entered in two places".to_string(),
            copies: "no engine unrolls it".to_string(),
        };
        return vec![(line_of(program, 0), whole)];
    };
    let mut unrolled = flow.clone();
    unroll(&mut unrolled, program, &KnownParams::default(), false);
    let one = |one: &Loop| {
        let header = flow.blocks[one.header].start;
        let size: u32 = one
            .blocks()
            .map(|block| flow.blocks[block].end - flow.blocks[block].start)
            .sum();
        let latches = one.latches(&flow).map(|block| flow.blocks[block].start);
        let copies = latches.map(|start| unrolled.blocks.iter().filter(|block| block.start == start).count());
        let copies = match copies.max().unwrap_or(1) {
            0 | 1 => "the specialised engine runs it turn by turn".to_string(),
            copies => format!("the specialised engine has {copies} copies of its body"),
        };
        let left = Left {
            size,
            why: reasons(program, &flow, one),
            copies,
        };
        (line_of(program, header), left)
    };
    // A routine that calls itself comes back to its first block too.
    let is_recursion = |one: &&Loop| {
        let calls = |block: usize| matches!(flow.blocks[block].exit, Exit::Call { callee, back, .. } if callee == one.header && back != one.header);
        one.latches(&flow).all(calls)
    };
    shape.loops.iter().filter(|one| !is_recursion(one)).map(one).collect()
}

/// What keeps a loop from being a power of a matrix.
fn reasons(program: &Program, flow: &Flow, one: &Loop) -> String {
    let mut by_line: BTreeMap<Line, BTreeSet<&str>> = BTreeMap::new();
    let mut branches = 0;
    for block in one.blocks() {
        for at in flow.blocks[block].start..flow.blocks[block].end {
            match op_at(program, at) {
                // Comparisons count its turns, or part its ways.
                Some(Op::Eq | Op::LtU | Op::LtS) => {}
                Some(op) if matches!(op.class(), Class::Oracle | Class::Io) => {
                    by_line.entry(line_of(program, at)).or_default().insert(op.mnemonic());
                }
                _ => {}
            }
        }
        branches += usize::from(matches!(
            flow.blocks[block].exit,
            Exit::Branch { .. } | Exit::Call { .. }
        ));
    }
    if by_line.is_empty() {
        return match branches {
            0 | 1 => "its turns are not counted by a step of its own".to_string(),
            _ => "it goes more than one way".to_string(),
        };
    }
    let more = by_line.len().saturating_sub(REASONS);
    let told = by_line.into_iter().take(REASONS).map(|((_, line), ops)| {
        let ops: Vec<String> = ops.into_iter().map(|op| format!("`{op}`")).collect();
        format!("{} in line {line}", ops.join(", "))
    });
    let mut told: Vec<String> = told.collect();
    if more > 0 {
        told.push(format!("and {more} more lines"));
    }
    format!("not linear are {}", told.join("; "))
}

/// Linear instructions by source line.
fn linear(program: &Program) -> BTreeMap<Line, usize> {
    let mut counts: BTreeMap<Line, usize> = BTreeMap::new();
    for at in 0..program.code.len() as u32 {
        if op_at(program, at).is_some_and(|op| op.class() == Class::Linear) {
            *counts.entry(line_of(program, at)).or_default() += 1;
        }
    }
    counts
}

/// The matrices by source line, each in words.
fn matrices(program: &Program) -> BTreeMap<Line, Vec<Matrix>> {
    let mut found: BTreeMap<Line, Vec<Matrix>> = BTreeMap::new();
    for at in 0..program.code.len() as u32 {
        let number = program.code[at as usize].operands[3];
        if op_at(program, at) == Some(Op::Affine)
            && let Some(record) = program.matrices.get(number as usize)
        {
            found.entry(line_of(program, at)).or_default().push(Matrix {
                coefficients: record.non_zeros,
                number,
                form: format!("{:?}", record.format).to_lowercase(),
            });
        }
    }
    found
}

/// A matrix of a program. The larger one has more coefficients.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Matrix {
    coefficients: u32,
    number: u32,
    form: String,
}

impl Display for Matrix {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Matrix {
            number,
            form,
            coefficients,
        } = self;
        write!(
            f,
            "matrix {number}, {form}, with {}",
            counted(*coefficients as usize, "coefficient")
        )
    }
}

/// The calls that are left, and why.
fn calls(program: &Program, settings: &Settings) -> Vec<(Line, String)> {
    let flow = Flow::new(program);
    let reached = |from: usize| {
        let mut seen = BTreeSet::from([from]);
        let mut left = vec![from];
        while let Some(block) = left.pop() {
            left.extend(flow.blocks[block].exit.targets().filter(|to| seen.insert(*to)));
        }
        seen
    };
    let is_recursive = |callee: usize| {
        let calls_it =
            |block: &usize| matches!(flow.blocks[*block].exit, Exit::Call { callee: other, .. } if other == callee);
        reached(callee).iter().any(calls_it)
    };
    let mut remarks = Vec::new();
    for own in &flow.blocks {
        let Exit::Call { callee, .. } = own.exit else {
            continue;
        };
        let start = flow.blocks[callee].start as usize;
        let place = program.places.get(start);
        let name = place.and_then(|place| program.routines.get(place.routine as usize));
        let name = name.filter(|name| !name.is_empty()).map_or("?", String::as_str);
        let why = match settings.inline {
            _ if is_recursive(callee) => "it calls itself, or what it calls does".to_string(),
            Some(most) => {
                format!("all calls of it would make the code grow by more than `Settings::inline`, {most} instructions")
            }
            None => "`Settings::inline` is `None`".to_string(),
        };
        remarks.push((
            line_of(program, own.end - 1),
            format!("`{name}` is called and not inlined: {why}"),
        ));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use gpuvm_core::assembly::assemble;

    use super::*;

    fn of(text: &str, unraised: &str) -> Vec<String> {
        let [program, unraised] = [text, unraised].map(|text| assemble(text).unwrap());
        let remarks = remarks(&program, &unraised, &unraised, &Settings::default());
        remarks.into_iter().map(|(_, text)| text).collect()
    }

    const COUNTED: &str = "code\nvmid w1\nagain:\naddi w1, w1, -1\njnz @again, w1\nhalt";

    #[test]
    fn a_loop_says_why_it_is_one() {
        assert_eq!(
            of(COUNTED, COUNTED),
            [
                "a loop of 2 instructions, no power of a matrix: its turns are not counted by a step of its own; the specialised engine has 130 copies of its body"
            ]
        );
        let divides = "code\nvmid w1\nagain:\ndivu w1, w1, w1\njnz @again, w1\nhalt";
        let remarks = of(divides, divides);
        assert!(
            remarks[0].contains("no power of a matrix: not linear are `divu` in line 0"),
            "{remarks:?}"
        );
    }

    #[test]
    fn a_loop_that_is_gone_was_raised() {
        let raised = "matrix sparse w1 =int 0x0\ncode\nvmid w1\naffine m0\nhalt";
        assert_eq!(
            of(raised, COUNTED),
            [
                "matrix 0, sparse, with 0 coefficients, of 1 linear instruction here and what that was fused with",
                "this loop is raised: a power of its matrix takes its place"
            ]
        );
    }

    #[test]
    fn a_call_says_why_it_is_one() {
        let text =
            "call_depth 4\ncode\ncall @down, 0, 0\nhalt\ndown:\nvmid w1\njnz @done, w1\ncall @down, 0, 0\ndone:\nret";
        assert_eq!(
            of(text, text),
            ["`?` is called and not inlined: it calls itself, or what it calls does"]
        );
    }
}
