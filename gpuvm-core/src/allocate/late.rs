//! A copy of much memory, word by word, is loads and then as many stores. Where that is more than the machine has words each load goes to
//! right before its store, so that nothing of it has to be kept in the frame.

use rustc_hash::FxHashMap;

use crate::ir::definitions::Definitions;
use crate::ir::{Function, Inst, NONE, OUTGOING, Word};
use crate::isa::{Effect, Op, WORDS, space};

/// Moves loads in blocks that have more such copies than the machine has words.
pub(crate) fn load_late(function: &mut Function) {
    let many = |b: &usize| {
        let code = &function.blocks[*b].code;
        code.iter().filter(|inst| is_load(inst)).nth(WORDS).is_some()
    };
    let blocks: Vec<usize> = (0..function.blocks.len()).filter(many).collect();
    if blocks.is_empty() {
        return;
    }
    let definitions = Definitions::of(function);
    for b in blocks {
        let moves = moves(function, &definitions, b);
        if moves.len() > WORDS {
            reorder(&mut function.blocks[b].code, &moves);
        }
    }
}

fn is_load(inst: &Inst) -> bool {
    matches!(inst.op, Op::Load | Op::LoadFrame) && inst.marks.is_empty()
}

/// The loads that may go, by the place of the store that theirs is the value of.
fn moves(function: &Function, definitions: &Definitions, b: usize) -> FxHashMap<usize, usize> {
    let space_of = |word: Word| match word {
        NONE => Some(0),
        word => {
            let made = definitions.only(function, word).filter(|inst| inst.op == Op::Imm);
            made.map(|inst| inst.imm)
        }
    };
    let mut written = Written::default();
    let mut moves = FxHashMap::default();
    for (i, inst) in function.blocks[b].code.iter().enumerate() {
        if let Op::Store | Op::StoreFrame = inst.op
            && inst.uses[0] != NONE
            && let Some((block, at)) = definitions.place(inst.uses[0])
            && let Some(load) = function.blocks[block].code.get(at)
            && (block, is_load(load), definitions.uses(inst.uses[0])) == (b, true, 1)
            && at < i
            && load.uses().all(|word| definitions.is_single(word))
            && written.last(load, space_of(load.uses[0])) <= at
        {
            moves.insert(i, at);
        }
        written.pass(i, inst, || space_of(inst.uses[1]));
    }
    moves
}

/// Where in a block memory was last written: one more than the place of the instruction, 0 where none was.
#[derive(Default)]
struct Written {
    /// By an instruction that may reach all of it.
    all: usize,
    /// In the frame, by its address.
    addressed: usize,
    /// In the frame, by anything.
    frame: usize,
    /// In the other spaces.
    other: usize,
    /// Words of the frame, by their number and whether they are the callee's.
    words: FxHashMap<(u32, u32), usize>,
}

impl Written {
    fn pass(&mut self, i: usize, inst: &Inst, space_of: impl Fn() -> Option<u32>) {
        let now = i + 1;
        match inst.op {
            Op::StoreFrame => {
                self.words.insert((inst.imm, inst.extra), now);
                self.frame = now;
            }
            Op::Store => {
                let space = space_of();
                if space.is_none_or(|space| space == space::FRAME) {
                    (self.addressed, self.frame) = (now, now);
                }
                if space != Some(space::FRAME) {
                    self.other = now;
                }
            }
            Op::TrapIf | Op::Enter | Op::Leave => {}
            op if matches!(op.effect(), Effect::Pure | Effect::Read) => {}
            _ => self.all = now,
        }
    }

    /// When what a load reads was last written.
    fn last(&self, load: &Inst, space: Option<u32>) -> usize {
        let own = match (load.op, space) {
            (Op::LoadFrame, _) => {
                let word = self.words.get(&(load.imm, load.extra)).copied().unwrap_or(0);
                let addressed = if load.extra == OUTGOING { 0 } else { self.addressed };
                word.max(addressed)
            }
            (_, Some(space::FRAME)) => self.frame,
            (_, Some(space::DATA)) => 0,
            (_, Some(_)) => self.other,
            (_, None) => self.frame.max(self.other),
        };
        own.max(self.all)
    }
}

fn reorder(code: &mut Vec<Inst>, moves: &FxHashMap<usize, usize>) {
    let mut taken: Vec<Option<Inst>> = std::mem::take(code).into_iter().map(Some).collect();
    let mut goes = vec![false; taken.len()];
    for &load in moves.values() {
        goes[load] = true;
    }
    for i in 0..taken.len() {
        if !goes[i] {
            let load = moves.get(&i).and_then(|&load| taken[load].take());
            code.extend(load);
            code.extend(taken[i].take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    /// More words than the machine has, from 3 on.
    const MANY: std::ops::Range<u32> = 3..3 + WORDS as u32 + 1;

    fn each(text: impl Fn(u32) -> String) -> String {
        MANY.map(text).collect()
    }

    fn late(code: &str) -> Vec<Inst> {
        let mut function = blocks(vec![End::Halt]);
        function.blocks[0].code = assemble(code);
        load_late(&mut function);
        function.blocks.remove(0).code
    }

    #[test]
    fn copies_go_word_by_word() {
        let start = "imm 0 1; param 1 0;";
        let code = start.to_owned() + &each(|w| format!("load {w} 0 1 {w};")) + &each(|w| format!("stf {w} {w};"));
        let after = start.to_owned() + &each(|w| format!("load {w} 0 1 {w}; stf {w} {w};"));
        assert_eq!(late(&code), assemble(&after));
        let code = start.to_owned() + &each(|w| format!("ldf {w} {w};")) + &each(|w| format!("store {w} 0 1 {w};"));
        let after = start.to_owned() + &each(|w| format!("ldf {w} {w}; store {w} 0 1 {w};"));
        assert_eq!(late(&code), assemble(&after));
    }

    #[test]
    fn no_load_passes_what_may_write_its_word() {
        let loads = each(|w| format!("load {w} 0 1 {w};"));
        let stores = each(|w| format!("store {w} 0 1 {};", w + 1));
        let frame_loads = each(|w| format!("ldf {w} {w};"));
        let frame_stores = each(|w| format!("stf {w} {};", w + 100));
        for code in [
            // A place of the arena may be another's.
            format!("imm 0 1; param 1 0; {loads} {stores}"),
            // An unknown space may be the frame.
            format!("param 0 0; param 1 0; {frame_loads} store 0 0 1 0; {frame_stores}"),
            format!("param 0 0; param 1 0; {loads} call 0 0 0; {frame_stores}"),
            format!("imm 0 1; param 1 0; {loads} addi 1 1 1; {frame_stores}"),
        ] {
            assert_eq!(late(&code), assemble(&code), "{code}");
        }
        let shifted = each(|w| format!("stf {w} {};", w + 1));
        let code = format!("{frame_loads} {shifted}");
        assert_eq!(
            late(&code),
            assemble(&code),
            "each store but the last is to the next load's word"
        );
    }
}
