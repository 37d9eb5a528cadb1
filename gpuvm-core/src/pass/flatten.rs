//! `if bit { x ^= constant }` without a branch: where the two ways of a condition on one bit leave words that differ in certain bits
//! only, one way is gone always, and the difference times the bit is flipped afterwards. That is linear, so a loop around it can be
//! raised.

use std::collections::BTreeMap;

use crate::ir::definitions::Definitions;
use crate::ir::flow::{Shape, predecessors};
use crate::ir::liveness::Liveness;
use crate::ir::names::Mark;
use crate::ir::{Block, End, Function, Inst, Word};
use crate::isa::{Class, Op};
use crate::matrix::AffineMap;
use crate::pass::blocks;
use crate::pass::fuse::{Maps, map_of};
use crate::program::Home;

/// Conditions in conditions that are flattened.
const DEEPEST: usize = 4;

/// Instructions of one way at most.
const LONGEST: usize = 8;

/// Flattens conditions in loops that only compute; whether there were any.
pub(crate) fn flatten(function: &mut Function) -> bool {
    let mut changed = false;
    for _ in 0..DEEPEST {
        let found = conditions(function);
        if found.is_empty() {
            break;
        }
        found.into_iter().for_each(|found| found.apply(function));
        blocks::drop_unreachable(function);
        blocks::simplify(function);
        changed = true;
    }
    changed
}

/// A condition that can be flattened.
struct Condition {
    /// The block that asks.
    block: usize,
    /// The place of the set bit of what is asked.
    bit: u32,
    /// Which block runs if the bit is not set, if any, and which if it is.
    ways: [Option<usize>; 2],
    /// Where both ways lead.
    join: usize,
    /// The words that are read afterwards and may differ after the two ways, and in which bits they do.
    flips: BTreeMap<Word, u32>,
    /// The instruction of the block that asks for the sign, and the word with the sign.
    sign: Option<(usize, Word)>,
}

/// The conditions that can be flattened, no two of which share a block.
fn conditions(function: &Function) -> Vec<Condition> {
    let shape = Shape::of(function);
    let only_computes = |b: &usize| function.blocks[*b].code.iter().all(Inst::is_pure);
    let mut candidates = vec![false; function.blocks.len()];
    for each in shape.loops.iter().filter(|each| each.body.iter().all(only_computes)) {
        each.body.iter().for_each(|&b| candidates[b] = true);
    }
    if !candidates.contains(&true) {
        return Vec::new();
    }
    let (definitions, live, before) = (
        Definitions::of(function),
        Liveness::of(function),
        predecessors(function),
    );
    let mut taken = vec![false; function.blocks.len()];
    let mut found = Vec::new();
    for block in (0..candidates.len()).filter(|&b| candidates[b]) {
        let condition = Condition::of(function, block, &definitions, &live, &before);
        let Some(condition) = condition else { continue };
        let involved = || condition.ways.into_iter().flatten().chain([block]);
        if involved().all(|b| !taken[b]) {
            involved().for_each(|b| taken[b] = true);
            found.push(condition);
        }
    }
    found
}

impl Condition {
    fn of(
        function: &Function,
        block: usize,
        definitions: &Definitions,
        live: &Liveness,
        before: &[Vec<usize>],
    ) -> Option<Condition> {
        let End::Branch { word, then, otherwise } = function.blocks[block].end else {
            return None;
        };
        let leads_to = |way: usize| match function.blocks[way].end {
            End::Jump(to) if before[way] == [block] && to != way => Some(to),
            _ => None,
        };
        let (ways, join) = match (leads_to(otherwise), leads_to(then)) {
            (Some(a), Some(b)) if a == b => ([Some(otherwise), Some(then)], a),
            (Some(join), _) if join == then => ([Some(otherwise), None], join),
            (_, Some(join)) if join == otherwise => ([None, Some(then)], join),
            _ => return None,
        };
        let (bit, sign) = single_bit(function, definitions, block, word)?;
        let [unset, set] = ways.map(|way| way.map_or(Some(AffineMap::identity()), |way| map(&function.blocks[way])));
        let copies = copies(&function.blocks[block]);
        let (unset, set) = (copies.then(&unset?)?, copies.then(&set?)?);
        let words = ways
            .into_iter()
            .flatten()
            .flat_map(|way| written(&function.blocks[way]));
        let flips = words
            .filter(|&word| live.at_start(join).any(|w| w == word))
            .map(|word| Some((word, unset.differs_by(&set, word as u16)?)))
            .collect::<Option<BTreeMap<_, _>>>()?;
        Some(Condition {
            block,
            bit,
            ways,
            join,
            flips,
            sign,
        })
    }

    /// Puts what to flip before what runs always, and flips afterwards.
    fn apply(self, function: &mut Function) {
        let End::Branch { word, .. } = function.blocks[self.block].end else {
            return;
        };
        let place = function.blocks[self.block].place;
        let mut code = std::mem::take(&mut function.blocks[self.block].code);
        if let Some((at, signed)) = self.sign {
            let bit = Inst::new(Op::ShrImm, word, &[signed], 31, code[at].place);
            code[at].become_inst(bit);
        }
        let mut flips = self.flips.clone();
        flips.retain(|_, &mut bits| bits != 0);
        let mut unit = word;
        if self.bit > 0 && !flips.is_empty() {
            unit = function.new_word();
            code.push(Inst::new(Op::ShrImm, unit, &[word], self.bit, place));
        }
        let mut flipped = Vec::new();
        for (word, bits) in flips {
            let mask = function.new_word();
            code.push(Inst::new(Op::MulImm, mask, &[unit], bits, place));
            flipped.push(Inst::new(Op::Xor, word, &[word, mask], 0, place));
        }
        let marks = self.marks(function);
        let block = &mut function.blocks[self.block];
        mark_end(&mut code, block, marks.iter().map(Mark::nowhere).collect());
        let start = code.len();
        if let [Some(always), _] = self.ways {
            code.append(&mut function.blocks[always].code);
        }
        code.append(&mut flipped);
        for inst in &mut code[start..] {
            let written: Vec<Word> = inst.defs().collect();
            let hidden = written
                .into_iter()
                .flat_map(|word| function.names.marks(word, Home::Nowhere));
            inst.marks = hidden.collect();
        }
        let block = &mut function.blocks[self.block];
        mark_end(&mut code, block, marks);
        (block.code, block.end) = (code, End::Jump(self.join));
    }

    /// Where variables are that one of the ways touches, when both have run.
    fn marks(&self, function: &Function) -> Vec<Mark> {
        let blocks = || self.ways.into_iter().flatten().map(|way| &function.blocks[way]);
        let by_both =
            |word| self.ways.iter().flatten().count() == 2 && blocks().all(|block| written(block).contains(&word));
        let mut marks = Vec::new();
        for word in blocks().flat_map(written) {
            let same = by_both(word) && self.flips.contains_key(&word);
            let home = if same { Home::Word(word) } else { Home::Nowhere };
            marks.extend(function.names.marks(word, home));
        }
        // What a way says itself comes last.
        marks.extend(blocks().flat_map(Block::marks).map(Mark::nowhere));
        marks
    }
}

/// Says where variables are after some code of a block.
fn mark_end(code: &mut [Inst], block: &mut Block, marks: Vec<Mark>) {
    match code.last_mut() {
        Some(last) => last.mark(marks),
        None => block.marks.extend(marks),
    }
}

/// The words that a block writes, ascending.
fn written(block: &Block) -> Vec<Word> {
    let mut words: Vec<Word> = block.code.iter().flat_map(Inst::defs).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The copies that hold at the end of a block: words of which it is known what others they equal.
fn copies(block: &Block) -> AffineMap {
    let mut copies: BTreeMap<Word, &Inst> = BTreeMap::new();
    for inst in &block.code {
        copies.retain(|to, copy| inst.defs().all(|def| def != *to && def != copy.uses[0]));
        if let Some((to, _)) = inst.as_copy() {
            copies.insert(to, inst);
        }
    }
    let maps = copies.values().filter_map(|copy| map_of(copy, &Maps::new()));
    maps.fold(AffineMap::identity(), |all, map| all.then(&map).unwrap_or(all))
}

/// What a block does to the words, if that is linear and short.
fn map(block: &Block) -> Option<AffineMap> {
    let mut map = AffineMap::identity();
    if block.code.len() > LONGEST {
        return None;
    }
    for inst in &block.code {
        if inst.op.class() != Class::Linear {
            return None;
        }
        map = map.then(&map_of(inst, &Maps::new())?)?;
    }
    Some(map)
}

/// The place of the only bit that can be set in the word that a block asks; and if it is less than 0 that is asked, where, and of
/// which word.
fn single_bit(
    function: &Function,
    definitions: &Definitions,
    block: usize,
    word: Word,
) -> Option<(u32, Option<(usize, Word)>)> {
    let code = &function.blocks[block].code;
    let here = code.iter().rposition(|inst| inst.defs().any(|def| def == word));
    let maker = match here {
        Some(at) => &code[at],
        None => definitions.only(function, word)?,
    };
    let is_zero = |word| {
        let only = definitions.only(function, word);
        only.is_some_and(|inst| inst.op == Op::Imm && inst.imm == 0)
    };
    match maker.op {
        Op::AndImm if maker.imm.is_power_of_two() => Some((maker.imm.trailing_zeros(), None)),
        Op::ShrImm if maker.imm == 31 => Some((0, None)),
        Op::LtS if is_zero(maker.uses[1]) => Some((0, Some((here?, maker.uses[0])))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};

    /// `loop { c = if bit { then } else { otherwise } }` over the word 0.
    fn step(asks: &str, then: &str, otherwise: &str) -> Function {
        let branch = |then, otherwise| End::Branch {
            word: 3,
            then,
            otherwise,
        };
        let mut function = blocks(vec![
            End::Jump(1),
            branch(2, 3),
            End::Jump(4),
            End::Jump(4),
            branch(1, 5),
            End::Return(vec![0]),
        ]);
        function.blocks[0].code = assemble("imm 9 0");
        function.blocks[1].code = assemble(asks);
        function.blocks[2].code = assemble(then);
        function.blocks[3].code = assemble(otherwise);
        function.blocks[4].code = assemble("addi 1 1 1; ltu 3 1 2");
        function
    }

    #[test]
    fn a_checksum_step_needs_no_branch() {
        let mut function = step("andi 3 0 1", "shri 0 0 1; xori 0 0 77", "shri 0 0 1");
        assert!(flatten(&mut function));
        assert_eq!(
            function.blocks[1].code,
            assemble("andi 3 0 1; muli 64 3 77; shri 0 0 1; xor 0 0 64; addi 1 1 1; ltu 3 1 2")
        );
    }

    #[test]
    fn a_high_bit_and_the_sign_will_do() {
        let mut function = step("andi 3 0 128", "shli 0 0 1; xori 0 0 7", "shli 0 0 1");
        assert!(flatten(&mut function));
        assert_eq!(
            function.blocks[1].code[..3],
            assemble("andi 3 0 128; shri 64 3 7; muli 65 64 7")
        );
        let mut function = step("lts 3 0 9", "shli 0 0 1; xori 0 0 7", "shli 0 0 1");
        assert!(flatten(&mut function));
        assert_eq!(function.blocks[1].code[..2], assemble("shri 3 0 31; muli 64 3 7"));
    }

    #[test]
    fn one_way_may_read_a_copy() {
        let mut function = step("mov 5 0; andi 3 0 1", "shri 6 0 1; xori 0 6 77", "shri 0 5 1");
        assert!(flatten(&mut function));
        assert_eq!(
            function.blocks[1].code[..5],
            assemble("mov 5 0; andi 3 0 1; muli 64 3 77; shri 0 5 1; xor 0 0 64")
        );
        assert!(!flatten(&mut step(
            "mov 5 0; addi 0 0 2; andi 3 0 1",
            "shri 6 0 1; xori 0 6 77",
            "shri 0 5 1"
        )));
        assert!(!flatten(&mut step(
            "mov 5 0; addi 5 5 2; andi 3 0 1",
            "shri 6 0 1; xori 0 6 77",
            "shri 0 5 1"
        )));
    }

    #[test]
    fn ways_that_differ_by_more_than_bits_stay() {
        assert!(!flatten(&mut step("andi 3 0 1", "muli 0 0 3", "shri 0 0 1")));
        assert!(!flatten(&mut step("andi 3 0 3", "xori 0 0 7", "")));
        assert!(!flatten(&mut step("andi 3 0 1", "xori 0 0 7; stf 0 0", "")));
    }
}
