//! A kernel as the function that its VMs start in: it fetches launch parameters from where the launch put them, calls routines, and
//! stores what comes of it.

use std::collections::BTreeMap;

use super::loops::branch;
use super::{Call, Count, Fold, Input, Kernel};
use crate::ir::names::Names;
use crate::ir::{Block, CallWords, End, Function, Inst, NONE, Word};
use crate::isa::Op;
use crate::program::SourceLoc;

/// What the numbers of a kernel's routines are among the functions.
pub(crate) struct Numbered<'n> {
    /// The functions of its routines.
    pub functions: &'n [usize],
    /// Which functions take an index and a count as their last parameters.
    pub asking: &'n [bool],
    /// Where the kernel's own instructions come from.
    pub place: SourceLoc,
}

/// The function a VM starts in.
pub(crate) fn start(kernel: &Kernel, numbered: &Numbered) -> Function {
    // The function's own activation.
    let place = SourceLoc {
        routine: 0,
        ..numbered.place
    };
    let mut builder = Builder {
        kernel,
        numbered,
        place,
        blocks: Vec::new(),
        current: 0,
        code: Vec::new(),
        words: 0,
        params: BTreeMap::new(),
        state: Vec::new(),
        rooms: BTreeMap::new(),
    };
    builder.block();
    match &kernel.then {
        None => builder.one_each(),
        Some(then) => builder.go_through(then),
    }
    Function {
        name: kernel.name.clone(),
        params: Vec::new(),
        results: 0,
        words: builder.words,
        blocks: builder.blocks,
        slots: Vec::new(),
        frame_words: 0,
        names: Names::new(numbered.place.routine, Vec::new(), Vec::new()),
    }
}

/// The words of the index and the number of elements.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub index: Word,
    pub count: Word,
}

/// The words of an element's columns by parameter.
pub(super) type Columns = BTreeMap<usize, Vec<Word>>;

/// What is known of an element: the words of its columns, and of its calls' results.
#[derive(Default)]
pub(super) struct Element {
    columns: Columns,
    results: Vec<Vec<Word>>,
}

pub(super) struct Builder<'k> {
    pub kernel: &'k Kernel,
    numbered: &'k Numbered<'k>,
    pub place: SourceLoc,
    blocks: Vec<Block>,
    current: usize,
    /// The instructions of the current block.
    code: Vec<Inst>,
    words: u32,
    /// The words of the launch parameters that have been fetched.
    pub(super) params: BTreeMap<usize, Vec<Word>>,
    /// The words of the reference to the actor's state, if there is one.
    pub(super) state: Vec<Word>,
    /// The words of references to the message's entries in columns.
    pub(super) rooms: BTreeMap<usize, Vec<Word>>,
}

impl Builder<'_> {
    /// One element for each VM.
    fn one_each(&mut self) {
        let kernel = self.kernel;
        let mut at = None;
        if kernel.has_indices() {
            self.fetch(kernel.count.param());
            let count = self.count(&kernel.count);
            let vm = self.make(Op::VmId, 0);
            let index = match kernel.count {
                Count::Again(_) => self.compute(Op::RemU, &[vm, count], 0),
                _ => {
                    self.halt_unless_below(vm, count);
                    vm
                }
            };
            at = Some(At { index, count });
        }
        self.fetch_all();
        self.element(at);
        self.end(End::Halt);
    }

    /// Goes on only where `index` is below `count`.
    pub(super) fn halt_unless_below(&mut self, index: Word, count: Word) {
        let word = self.compute(Op::LtU, &[index, count], 0);
        let (then, otherwise) = (self.block(), self.block());
        self.end(branch(word, then, otherwise));
        self.halt_in(otherwise, then);
    }

    /// Lets VMs halt in one block, and goes on in another.
    pub(super) fn halt_in(&mut self, halt: usize, on: usize) {
        self.begin(halt);
        self.end(End::Halt);
        self.begin(on);
    }

    /// An element: loads what it has in columns, calls the routines, and stores what is to be stored.
    pub(super) fn element(&mut self, at: Option<At>) -> Element {
        let stores_elements = self
            .kernel
            .stores
            .iter()
            .any(|output| self.kernel.column(output.to).is_some());
        let index = match at {
            Some(at) => at.index,
            None if stores_elements || !self.kernel.elements_read().is_empty() => self.make(Op::VmId, 0),
            None => NONE,
        };
        let columns = self.columns(index);
        self.compute_element(at, index, columns)
    }

    /// Loads what an element has in columns.
    pub(super) fn columns(&mut self, index: Word) -> Columns {
        let needed = self.kernel.elements_read().into_iter();
        needed.map(|param| (param, self.load_element(param, index))).collect()
    }

    /// Calls the routines for an element, and stores what is to be stored.
    pub(super) fn compute_element(&mut self, at: Option<At>, index: Word, columns: Columns) -> Element {
        let kernel = self.kernel;
        let mut element = Element {
            columns,
            results: Vec::new(),
        };
        for call in 0..=kernel.calls.len() {
            for output in kernel.stores.iter().filter(|output| output.value.calls() == call) {
                let words = self.value(&output.value, &element);
                match kernel.column(output.to) {
                    Some(_) => self.store_element(output.to, index, &words),
                    None => self.store_record(output.to, &words),
                }
            }
            if call < kernel.calls.len() {
                self.call(call, at, &mut element);
            }
        }
        element
    }

    fn call(&mut self, number: usize, at: Option<At>, element: &mut Element) {
        let call = &self.kernel.calls[number];
        let args = call.args.iter().flat_map(|arg| self.value(arg, element)).collect();
        let results = (0..call.routine.result.words()).map(|_| self.word()).collect();
        element.results.push(self.invoke(number, args, results, at));
    }

    /// Calls the function of a call, or the operator, for an element.
    fn invoke(&mut self, number: usize, mut args: Vec<Word>, results: Vec<Word>, at: Option<At>) -> Vec<Word> {
        let function = self.numbered.functions[number];
        if let Some(at) = at.filter(|_| self.numbered.asking[function]) {
            args.extend([at.index, at.count]);
        }
        let mut call = Inst::new(Op::Call, NONE, &[], function as u32, self.place);
        call.call = Some(Box::new(CallWords {
            args,
            results: results.clone(),
        }));
        self.push(call);
        results
    }

    /// Calls what a VM calls once, with more arguments behind its own.
    pub(super) fn call_beside(&mut self, call: &Call, more: &[Word], at: At) -> Vec<Word> {
        let nothing = Element::default();
        let mut args: Vec<Word> = call.args.iter().flat_map(|arg| self.value(arg, &nothing)).collect();
        args.extend(more);
        let results = (0..call.routine.result.words()).map(|_| self.word()).collect();
        let number = self.kernel.routines().count() - 1;
        self.invoke(number, args, results, Some(at))
    }

    /// Folds a value into `folded`.
    pub(super) fn fold(&mut self, op: &Fold, folded: &[Word], value: &[Word], at: At) {
        match op {
            Fold::Routine(_) => {
                let args = [folded, value].concat();
                self.invoke(self.kernel.calls.len(), args, folded.to_vec(), Some(at));
            }
            Fold::Add => {
                for (&folded, &value) in folded.iter().zip(value) {
                    self.push(Inst::new(Op::Add, folded, &[folded, value], 0, self.place));
                }
            }
        }
    }

    /// The words of a value of an element.
    pub(super) fn value(&mut self, input: &Input, element: &Element) -> Vec<Word> {
        match input {
            Input::Param(param) => self.fetched(*param).to_vec(),
            Input::State => self.state.clone(),
            Input::Room(param) => self.rooms.get(param).cloned().unwrap_or_default(),
            Input::Element(param) => element.columns.get(param).cloned().unwrap_or_default(),
            Input::Call(call) => element.results[*call].clone(),
            Input::Tuple(parts) => parts.iter().flat_map(|part| self.value(part, element)).collect(),
            Input::Constant(words) => words.iter().map(|&word| self.make(Op::Imm, word)).collect(),
            Input::Field(of, field) => match &**of {
                Input::Tuple(parts) => self.value(&parts[*field], element),
                of => {
                    let fields = self.kernel.type_of(of).map_or(&[][..], |ty| ty.ty.fields);
                    let words = self.value(of, element);
                    let field = &fields[*field];
                    words[field.offset as usize..][..field.ty.words as usize].to_vec()
                }
            },
        }
    }

    pub(super) fn make(&mut self, op: Op, imm: u32) -> Word {
        self.compute(op, &[], imm)
    }

    pub(super) fn word(&mut self) -> Word {
        self.words += 1;
        self.words - 1
    }

    pub(super) fn push(&mut self, inst: Inst) {
        self.code.push(inst);
    }

    /// A new block, empty so far.
    pub(super) fn block(&mut self) -> usize {
        self.blocks.push(Block {
            code: Vec::new(),
            end: End::Halt,
            place: self.place,
            marks: Vec::new(),
        });
        self.blocks.len() - 1
    }

    /// Ends the current block.
    pub(super) fn end(&mut self, end: End) {
        let block = &mut self.blocks[self.current];
        (block.code, block.end) = (std::mem::take(&mut self.code), end);
    }

    /// Goes on in a block.
    pub(super) fn begin(&mut self, block: usize) {
        self.current = block;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{PLACE, assemble};
    use crate::link::testing::{leak, result, routine};
    use crate::types::TypeRef;

    #[test]
    fn every_kind_of_parameter_is_fetched() {
        let params = vec![
            TypeRef::of::<(u32, f32)>(),
            TypeRef::of::<&mut u32>(),
            TypeRef::of::<&[f32]>(),
            TypeRef::of::<&[std::sync::atomic::AtomicU32]>(),
        ];
        let kernel = Kernel::of(leak(routine("f", params, result::<u32>(), 9, vec![], vec![])));
        let mut asking = vec![false; 8];
        asking[7] = true;
        let numbered = Numbered {
            functions: &[7],
            asking: &asking,
            place: PLACE,
        };
        let start = start(&kernel, &numbered);
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
