//! How calls hand over words: the caller stores the arguments from the end of its own frame on, which is where the callee's
//! frame starts; the results come back in the same place.

use crate::ir::definitions::Definitions;
use crate::ir::names::Mark;
use crate::ir::{End, Function, Inst, NONE, OUTGOING, flow, strict};
use crate::isa::Op;
use crate::program::Home;

/// Makes frame traffic of the function's parameters and results and of its calls' words. The first words of the frame are
/// for them; everything else in the frame moves up.
pub(crate) fn lower(function: &mut Function) {
    let params = std::mem::take(&mut function.params);
    let shared = function.results.max(params.len() as u32);
    move_frame(function, shared);
    let definitions = Definitions::of(function);
    let place = function.blocks[0].place;
    let fetch: Vec<Inst> = params
        .iter()
        .enumerate()
        .filter(|(_, word)| definitions.uses(**word) > 0)
        .map(|(i, &word)| Inst::new(Op::LoadFrame, word, &[], i as u32, place))
        .collect();
    for block in &mut function.blocks {
        let code = Vec::with_capacity(block.code.len());
        for inst in std::mem::replace(&mut block.code, code) {
            lower_call(inst, &mut block.code);
        }
        if let End::Return(words) = &mut block.end {
            let place = block.place;
            let stores = words.drain(..).enumerate();
            block.code.extend(stores.map(|(i, word)| store(word, i, 0, place)));
        }
    }
    let handed = params.iter().zip(0..);
    let marks: Vec<Mark> = handed
        .flat_map(|(&word, i)| function.names.marks(word, Home::Frame(i)))
        .collect();
    if flow::predecessors(function)[0].is_empty() {
        function.blocks[0].prepend(fetch);
        function.blocks[0].marks.splice(0..0, marks);
    } else if !fetch.is_empty() {
        strict::prepend_entry(function).extend(fetch);
        function.blocks[0].marks = marks;
    }
}

fn move_frame(function: &mut Function, by: u32) {
    function.frame_words += by;
    function.names.move_frame(|offset| Some(offset + by));
    for slot in &mut function.slots {
        slot.offset += by;
    }
    for inst in function.blocks.iter_mut().flat_map(|block| &mut block.code) {
        if matches!(inst.op, Op::LoadFrame | Op::StoreFrame | Op::Address) {
            inst.imm += by;
        }
    }
}

fn lower_call(mut inst: Inst, out: &mut Vec<Inst>) {
    let place = inst.place;
    let Some(words) = inst.call.take() else {
        return out.push(inst);
    };
    out.extend(
        words
            .args
            .iter()
            .enumerate()
            .map(|(i, &word)| store(word, i, OUTGOING, place)),
    );
    let marks = std::mem::take(&mut inst.marks);
    out.push(inst);
    out.extend(words.results.iter().enumerate().map(|(i, &word)| {
        let mut load = Inst::new(Op::LoadFrame, word, &[], i as u32, place);
        load.extra = OUTGOING;
        load
    }));
    if let Some(last) = out.last_mut() {
        last.mark(marks);
    }
}

fn store(word: u32, i: usize, extra: u32, place: crate::program::SourceLoc) -> Inst {
    let mut store = Inst::new(Op::StoreFrame, NONE, &[word], i as u32, place);
    store.extra = extra;
    store
}
