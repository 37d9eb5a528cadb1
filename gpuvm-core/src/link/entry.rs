//! The start of a program: fetches the entry routine's parameters from where the launch put them, calls it, and stores what it
//! returns.

use crate::ir::names::Names;
use crate::ir::{Block, CallWords, End, Function, Inst, NONE, Word};
use crate::isa::{Op, space};
use crate::program::Place;
use crate::routine::Routine;
use crate::types::{Kind, TypeRef};

/// The function a VM starts in. `number` is the entry routine's among the functions.
pub(crate) fn start(routine: &Routine, number: usize, place: Place) -> Function {
    let names = Names::new(place.routine, Vec::new(), Vec::new());
    // The function's own activation.
    let place = Place { routine: 0, ..place };
    let mut start = Start {
        code: Vec::new(),
        words: 0,
        place,
    };
    let mut args = Vec::new();
    for (i, param) in routine.params.iter().enumerate() {
        start.fetch(i as u32, param, &mut args);
    }
    let results: Vec<Word> = (0..routine.result.words()).map(|_| start.word()).collect();
    let mut call = Inst::new(Op::Call, NONE, &[], number as u32, place);
    call.call = Some(Box::new(CallWords {
        args,
        results: results.clone(),
    }));
    start.code.push(call);
    if !results.is_empty() {
        let at = start.make(Op::Imm, space::ARENA);
        let record = start.make(Op::Param, routine.params.len() as u32);
        for (i, &word) in results.iter().enumerate() {
            start
                .code
                .push(Inst::new(Op::Store, NONE, &[word, at, record], i as u32, place));
        }
    }
    Function {
        name: routine.name.to_string(),
        params: Vec::new(),
        results: 0,
        words: start.words,
        blocks: vec![Block {
            code: start.code,
            end: End::Halt,
            place,
            marks: Vec::new(),
        }],
        slots: Vec::new(),
        frame_words: 0,
        names,
    }
}

struct Start {
    code: Vec<Inst>,
    words: u32,
    place: Place,
}

impl Start {
    /// Fetches the words of parameter `i` and adds them to the arguments.
    fn fetch(&mut self, i: u32, param: &TypeRef, args: &mut Vec<Word>) {
        let pointed_at = match param.ty.element {
            Some(element) if param.ty.kind == Kind::Slice => element.kind,
            _ => param.ty.kind,
        };
        let memory = if param.refs > 0 && pointed_at == Kind::Atomic {
            space::ATOMIC
        } else {
            space::ARENA
        };
        if param.words() == 0 {
            return;
        }
        let at = self.make(Op::Imm, memory);
        let offset = self.make(Op::Param, i);
        if param.refs == 0 {
            for word in 0..param.words() {
                let value = self.word();
                self.code
                    .push(Inst::new(Op::Load, value, &[at, offset], word, self.place));
                args.push(value);
            }
            return;
        }
        args.extend([at, offset]);
        if param.ty.kind == Kind::Slice {
            args.push(self.make(Op::ParamLen, i));
        }
    }

    fn make(&mut self, op: Op, imm: u32) -> Word {
        let word = self.word();
        self.code.push(Inst::new(op, word, &[], imm, self.place));
        word
    }

    fn word(&mut self) -> Word {
        self.words += 1;
        self.words - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{PLACE, assemble};
    use crate::link::testing::{result, routine};

    #[test]
    fn every_kind_of_parameter_is_fetched() {
        let params = vec![
            TypeRef::of::<(u32, f32)>(),
            TypeRef::of::<&mut u32>(),
            TypeRef::of::<&[f32]>(),
            TypeRef::of::<&[std::sync::atomic::AtomicU32]>(),
        ];
        let start = start(&routine("f", params, result::<u32>(), 9, vec![], vec![]), 7, PLACE);
        let code = &start.blocks[0].code;
        let fetched = assemble(
            "imm 0 1; param 1 0; load 2 0 1 0; load 3 0 1 1; imm 4 1; param 5 1; \
             imm 6 1; param 7 2; paramlen 8 2; imm 9 2; param 10 3; paramlen 11 3",
        );
        assert_eq!(code[..fetched.len()], fetched);
        let call = &code[fetched.len()];
        let args = vec![2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
        assert_eq!(call.imm, 7);
        assert_eq!(
            call.call,
            Some(Box::new(CallWords {
                args,
                results: vec![12]
            }))
        );
        assert_eq!(
            code[fetched.len() + 1..],
            assemble("imm 13 1; param 14 4; store 12 13 14 0")
        );
    }
}
