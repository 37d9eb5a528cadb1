//! Fusion: a run of linear instructions becomes the product of their matrices, where that is exact and no more work than the
//! run to an interpreter. Works on allocated code, because a matrix spans the machine's own words.

use crate::ir::liveness::Liveness;
use crate::ir::names::after_run;
use crate::ir::{Block, CallWords, Function, Inst, NONE, Word, code};
use crate::isa::{Class, Op};
use crate::matrix::{AffineMap, CONSTANT};
use crate::pass::lost::{Lost, forget, hide, written};
use crate::program::SourceLoc;

/// The matrices of a function's fused instructions: [`Inst::imm`] of an [`Op::Affine`] is a place in here.
pub(crate) type Maps = Vec<AffineMap>;

/// Instructions looked at for one matrix at most, which keeps the search linear.
const LONGEST: usize = 32;

/// Fuses runs of linear instructions.
pub(crate) fn fuse(function: &mut Function, maps: &mut Maps) {
    let live = Liveness::of(function);
    let mut lost = Vec::new();
    for b in 0..function.blocks.len() {
        let at_end = live
            .at_end(b)
            .chain(function.blocks[b].end.uses())
            .fold(0, |set, word| set | bit(word));
        fuse_block(&mut function.blocks[b], at_end, maps, |at, words| {
            lost.push(Lost { block: b, at, words });
        });
    }
    forget(function, &lost, maps);
}

/// The matrix of a linear instruction over the machine's words.
pub(crate) fn map_of(inst: &Inst, maps: &Maps) -> Option<AffineMap> {
    match inst.op {
        Op::Affine => maps.get(inst.imm as usize).cloned(),
        op if op.class() == Class::Linear => AffineMap::of(&code::encode(inst, 0)),
        _ => None,
    }
}

/// An instruction that maps the words by a matrix, which is added to the function's.
pub(crate) fn affine(map: AffineMap, maps: &mut Maps, place: SourceLoc) -> Inst {
    let mut inst = Inst::new(Op::Affine, NONE, &[], maps.len() as u32, place);
    let mut args: Vec<Word> = map
        .terms()
        .iter()
        .filter(|term| term.column != CONSTANT)
        .map(|term| term.column.into())
        .collect();
    args.sort_unstable();
    args.dedup();
    let results = map.rows().map(|row| row[0].row.into()).collect();
    inst.call = Some(Box::new(CallWords { args, results }));
    maps.push(map);
    inst
}

fn bit(word: u32) -> u32 {
    1 << word
}

/// Fuses the runs of a block, and tells after how many instructions which words are not written any more.
fn fuse_block(block: &mut Block, at_end: u32, maps: &mut Maps, mut lost: impl FnMut(usize, u32)) {
    // The words alive after each instruction.
    let mut alive = at_end;
    let mut after = vec![0; block.code.len()];
    for (inst, after) in block.code.iter().zip(&mut after).rev() {
        *after = alive;
        alive = inst.defs().fold(alive, |set, word| set & !bit(word));
        alive = inst.uses().fold(alive, |set, word| set | bit(word));
    }
    let mut out: Vec<Inst> = Vec::with_capacity(block.code.len());
    let mut rest = &block.code[..];
    let mut rest_after = &after[..];
    // The words that are not written any more since the last instruction that stays.
    let mut gone = 0;
    while let Some(inst) = rest.first() {
        let taken = match best_run(rest, rest_after, maps) {
            Some((length, map)) => {
                let mut marks = after_run(&rest[..length], |word| map.row(word as u16).is_some());
                let before = rest[..length].iter().fold(0, |words, inst| words | written(inst, maps));
                let kept = map.rows().fold(0, |words, row| words | bit(row[0].row.into()));
                if !map.is_identity() {
                    out.push(Inst::new(Op::Affine, NONE, &[], maps.len() as u32, inst.place));
                    maps.push(map);
                    gone = 0;
                }
                // Where nothing stays, the marks go to an instruction that comes before what was lost.
                marks.iter_mut().for_each(|mark| hide(gone, mark));
                match out.last_mut() {
                    Some(last) => last.mark(marks),
                    None => block.marks.extend(marks),
                }
                let words = before & !kept;
                gone |= words;
                lost(out.len(), words);
                length
            }
            None => {
                out.push(inst.clone());
                gone = 0;
                1
            }
        };
        rest = &rest[taken..];
        rest_after = &rest_after[taken..];
    }
    block.code = out;
}

/// Whether a matrix is no more work than a run of so many instructions. As `costs` of gpuvm-wgpu's tests has it, an instruction takes some
/// 31 of the device's, a matrix 30 and 46 more for each term, and some 15 for each row but one.
fn pays(map: &AffineMap, length: usize) -> bool {
    let terms = map.terms().len();
    terms == 0 || 2 * length > 3 * terms + map.rows().count()
}

/// The longest run from the start on whose product is no more work than the run, with that product.
fn best_run(code: &[Inst], after: &[u32], maps: &Maps) -> Option<(usize, AffineMap)> {
    let linear = |inst: &Inst| inst.op.class() == Class::Linear;
    if !(linear(&code[0]) && code.get(1).is_some_and(linear)) {
        return None;
    }
    let mut product = map_of(&code[0], maps)?;
    let mut best = None;
    for (i, inst) in code.iter().enumerate().take(LONGEST).skip(1) {
        let Some(next) = map_of(inst, maps).and_then(|map| product.then(&map)) else {
            break;
        };
        product = next;
        let kept = product.keep_rows(after[i]);
        if pays(&kept, i + 1) {
            best = Some((i + 1, kept));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::names::{Mark, Part};
    use crate::ir::testing::{assemble, blocks};
    use crate::program::Home;

    fn fused(code: &str, result: Vec<u32>) -> (Vec<Inst>, Maps) {
        let mut function = blocks(vec![End::Return(result)]);
        function.words = 28;
        function.blocks[0].code = assemble(code);
        let mut maps = Maps::new();
        fuse(&mut function, &mut maps);
        (function.blocks.remove(0).code, maps)
    }

    #[test]
    fn steps_of_a_generator_are_one_matrix_where_there_are_two() {
        let step = "muli 1 0 1664525; addi 0 1 1013904223";
        let (code, _) = fused(step, vec![0]);
        assert!(
            code.iter().all(|inst| inst.op != Op::Affine),
            "two instructions are less work"
        );
        let (code, maps) = fused(&format!("{step}; {step}"), vec![0]);
        assert_eq!(code.len(), 1);
        assert_eq!(code[0].op, Op::Affine);
        let mut words = [0; 28];
        words[0] = 7;
        maps[0].apply(&mut words);
        let next = |word: u32| word.wrapping_mul(1664525).wrapping_add(1013904223);
        assert_eq!(words[0], next(next(7)));
        assert_eq!(words[1], 0);
    }

    #[test]
    fn what_is_not_linear_divides_runs() {
        let (code, maps) = fused("addi 0 0 1; mul 1 0 0; addi 2 1 3", vec![0, 2]);
        assert_eq!(code.len(), 3);
        assert!(maps.is_empty());
    }

    #[test]
    fn floats_are_not_regrouped() {
        // a + (b + c) is not (a + b) + c.
        let (code, _) = fused("fadd 3 1 2; fadd 4 0 3", vec![4]);
        assert!(code.iter().all(|inst| inst.op != Op::Affine));
    }

    #[test]
    fn a_run_that_goes_whole_names_no_word_that_the_one_before_lost() {
        let kept = "addi 0 0 1; ".repeat(LONGEST - 1);
        let mut function = blocks(vec![End::Return(vec![0])]);
        let block = &mut function.blocks[0];
        block.code = assemble(&format!("addi 2 1 5; {kept} imm 3 1; imm 4 2"));
        let mark = Mark {
            part: Part {
                scope: 0,
                variable: 0,
                word: 0,
            },
            home: Home::Word(2),
        };
        block.code[LONGEST].mark([mark]);
        fuse(&mut function, &mut Maps::new());
        let code = &function.blocks[0].code;
        assert_eq!(code.len(), 1);
        assert_eq!(code[0].marks, [mark.nowhere()]);
    }
}
