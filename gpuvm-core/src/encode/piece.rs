//! Pieces: routines that are given closures and call themselves. Such a routine cannot be written into its caller, so each call of one from outside makes
//! a function of its own, a *piece* of the routine that is encoded: with words, a frame and a `return` of its own. What the closures that it
//! is given borrow stays in the frame of the function that called it, and the piece gets there by its last parameter, the address of a block of
//! addresses, one for each place that its code turned out to need. A piece that calls itself hands the block on.

use super::Source;
use super::activation::Activation;
use super::operand::{Operand, Where};
use super::state::Encoder;
use super::walk::NOBODY;
use crate::isa::{Op, space};
use crate::routine::{Callee, Piece};
use crate::types::Kind;

/// A function that is being written: the routine, or a piece of it.
#[derive(Clone, Copy)]
pub(super) struct Function {
    /// The activation that it is.
    pub activation: u32,
    /// The first of its own locals and of its own parts; those before belong to the functions around it.
    first_local: u32,
    first_part: u32,
    /// Its number among the pieces.
    piece: u32,
    /// The local that holds the address of its block.
    block: u32,
}

impl Function {
    /// The routine itself.
    pub const ROUTINE: Function = Function {
        activation: 0,
        first_local: 0,
        first_part: 0,
        piece: 0,
        block: 0,
    };
}

/// A place of the function around a piece that the piece uses.
#[derive(Clone, Copy)]
pub(super) struct Reached {
    /// How many functions are around the piece.
    depth: u32,
    what: Outside,
    /// Where its address is in the block.
    at: u32,
}

impl Reached {
    pub const NONE: Reached = Reached {
        depth: 0,
        what: Outside::Local(0),
        at: 0,
    };
}

/// What an operand of an outer function is known by.
#[derive(Clone, Copy)]
enum Outside {
    Local(u32),
    Part(u32),
}

impl Outside {
    const fn is(self, other: Outside) -> bool {
        match (self, other) {
            (Outside::Local(a), Outside::Local(b)) | (Outside::Part(a), Outside::Part(b)) => a == b,
            _ => false,
        }
    }
}

impl Encoder<'_> {
    const fn depth(&self) -> u32 {
        self.functions.len as u32 - 1
    }

    /// The function that is being written.
    pub const fn function(&self) -> Function {
        self.functions.items[self.depth() as usize]
    }

    /// The operand of a local, by its number of the encoder's, as the function that is being written gets at it.
    pub const fn local_operand(&mut self, local: usize) -> Operand {
        if self.functions.len == 1 {
            return self.locals.items[local];
        }
        self.reach(self.depth(), Outside::Local(local as u32))
    }

    /// The same for the function that `depth` others are around.
    const fn reach(&mut self, depth: u32, what: Outside) -> Operand {
        let function = self.functions.items[depth as usize];
        let (operand, is_own) = match what {
            Outside::Local(local) => (self.locals.items[local as usize], local >= function.first_local),
            Outside::Part(part) => (self.parts.items[part as usize], part >= function.first_part),
        };
        if is_own || depth == 0 {
            return operand;
        }
        match operand.at {
            Where::Words(_) | Where::Memory { .. } => {
                let space = self.address_in_block(depth, what, 2);
                Operand {
                    at: Where::Memory {
                        space,
                        offset: space + 1,
                        displacement: 0,
                    },
                    owned: false,
                    ..operand
                }
            }
            Where::Elements { .. } => {
                let space = self.address_in_block(depth, what, 3);
                Operand {
                    at: Where::Elements {
                        space,
                        offset: space + 1,
                        length: space + 2,
                    },
                    owned: false,
                    ..operand
                }
            }
            Where::Record(first) => {
                let count = operand.ty.fields.len() as u32;
                let parts = self.parts.extend(count, &mut self.full);
                let mut i = 0;
                while i < count && !self.overflowed() {
                    self.parts.items[(parts + i) as usize] = self.reach(depth, Outside::Part(first + i));
                    i += 1;
                }
                Operand {
                    at: Where::Record(parts),
                    owned: false,
                    ..operand
                }
            }
            Where::Literal(_) | Where::Closure(_) | Where::Function { .. } | Where::Unset(_) | Where::Never => operand,
        }
    }

    /// Loads the address of a place of the function around. The loads stand at each use: no other is sure to have come before.
    const fn address_in_block(&mut self, depth: u32, what: Outside, words: u32) -> u32 {
        let mut at = 0;
        let mut i = 0;
        let mut is_known = false;
        while i < self.reached.len && !self.overflowed() {
            let known = self.reached.items[i];
            if known.depth == depth {
                if known.what.is(what) {
                    at = known.at;
                    is_known = true;
                    break;
                }
                at = known.at + 3;
            }
            i += 1;
        }
        if !is_known {
            self.reached.push(Reached { depth, what, at }, &mut self.full);
        }
        let block = self.functions.items[depth as usize].block;
        let block = self.locals.items[block as usize];
        let pointer = self.value(block);
        let base = self.fresh(words);
        i = 0;
        while i < words as usize {
            self.emit(Op::Load, [base + i as u32, pointer, pointer + 1, at + i as u32]);
            i += 1;
        }
        base
    }

    /// The function whose own code, or a closure written there, is being walked, and calls it.
    const fn own_function(&self) -> Function {
        let mut activation = self.current;
        while self.activations.items[activation as usize].is_closure {
            activation = self.activations.items[activation as usize].outer;
        }
        let mut depth = self.depth();
        while depth > 0 {
            let function = self.functions.items[depth as usize];
            if function.activation == activation {
                return function;
            }
            depth -= 1;
        }
        panic!("a routine that is given a closure calls itself outside of its own function")
    }

    /// `CallOwn`: a call of the routine by itself, with the closures that it was given.
    pub const fn call_own(&mut self, count: u32) {
        let function = self.own_function();
        let source = self.activations.items[function.activation as usize].source;
        let first = self.stack.len - count as usize;
        let mut i = 0;
        while i < count as usize {
            let argument = self.stack.items[first + i];
            if source.params[i].ty.opaque && !argument.is_never() {
                let given = self.locals.items[function.first_local as usize + i];
                assert!(
                    is_same_callable(given, argument),
                    "a routine that calls itself has to hand on the closure that it was given"
                );
            }
            i += 1;
        }
        let (base, never) = self.piece_arguments(source, count, false);
        let block = self.reach(self.depth(), Outside::Local(function.block));
        self.store_words(base + plain_words(source), block, Piece::BLOCK);
        self.call_piece(function.piece, source, base, count, never);
    }

    /// A call from outside of a routine that calls itself with the closures that it is given.
    pub const fn call_recursive(&mut self, source: &'static Source) {
        let count = source.params.len() as u32;
        let first = self.stack.len - count as usize;
        let (base, never) = self.piece_arguments(source, count, true);
        if never {
            self.stack.len = first;
            self.push(Operand::NEVER);
            return;
        }
        let piece = self.pieces.len as u32;
        let (words, variables) = (self.words, self.variables.len);
        let (first_local, first_part) = (self.locals.len as u32, self.parts.len as u32);
        self.pieces.push(
            Piece {
                name: source.name,
                file: source.file,
                line: source.line,
                params: source.params,
                result: source.result,
                start: self.code.len as u32,
                ..Piece::NONE
            },
            &mut self.full,
        );
        self.enter(source, 0, source.nodes.len(), Activation::of(source));
        let block = self.locals.extend(1, &mut self.full);
        self.functions.push(
            Function {
                activation: self.current,
                first_local,
                first_part,
                piece,
                block,
            },
            &mut self.full,
        );
        if self.overflowed() {
            return;
        }
        self.words = 0;
        let depth = self.depth();
        let mut i = 0;
        while i < count {
            if source.params[i as usize].ty.opaque {
                let given = self.stack.items[first + i as usize];
                self.locals.items[(first_local + i) as usize] = given;
            } else {
                self.declare_of(i, source.params[i as usize]);
            }
            i += 1;
        }
        let pointer = self.fresh(Piece::BLOCK.words());
        self.locals.items[block as usize] = Operand::fresh(Piece::BLOCK, pointer).shared();
        self.run(NOBODY);
        if self.overflowed() {
            return;
        }
        self.end_function();
        if self.overflowed() {
            return;
        }
        self.pieces.items[piece as usize].end = self.code.len as u32;
        self.pieces.items[piece as usize].words = self.words;
        self.functions.len -= 1;
        self.go_back();
        self.words = words;
        self.variables.len = variables;
        self.local_of.len = variables;
        self.fill_block(depth, base + plain_words(source));
        if self.overflowed() {
            return;
        }
        self.call_piece(piece, source, base, count, false);
    }

    /// Converts the top operands into the words that a piece is given. Those that are for the encoder alone stay on the stack, the piece's own where
    /// it is `given` any.
    const fn piece_arguments(&mut self, source: &'static Source, count: u32, given: bool) -> (u32, bool) {
        let first = self.stack.len - count as usize;
        let base = self.fresh(plain_words(source) + Piece::BLOCK.words());
        let mut never = false;
        let mut offset = 0;
        let mut i = 0;
        while i < count as usize {
            let (argument, want) = (self.stack.items[first + i], source.params[i]);
            never = never || argument.is_never();
            if want.ty.opaque && given {
                self.stack.items[first + i] = self.argument_of(argument, want);
            } else if !want.ty.opaque {
                self.store_words(base + offset, argument, want);
                offset += want.words();
            }
            i += 1;
        }
        (base, never)
    }

    /// Makes the block of a piece that has been written, and its address.
    const fn fill_block(&mut self, depth: u32, pointer: u32) {
        let mut size = 0;
        let mut i = 0;
        while i < self.reached.kept() {
            if self.reached.items[i].depth == depth {
                size = self.reached.items[i].at + 3;
            }
            i += 1;
        }
        let block = self.fresh(size);
        i = 0;
        while i < self.reached.len && !self.overflowed() {
            let reached = self.reached.items[i];
            if reached.depth == depth {
                let outside = self.reach(depth - 1, reached.what);
                let words = if matches!(outside.at, Where::Elements { .. }) {
                    3
                } else {
                    2
                };
                let address = self.address(Operand {
                    refs: outside.refs - outside.unmade,
                    unmade: 0,
                    ..outside
                });
                self.copy_words(block + reached.at, address, words);
            }
            i += 1;
        }
        self.forget_reached(depth);
        self.set(pointer, space::FRAME);
        if size > 0 {
            self.emit(Op::Address, [pointer + 1, block, size, 0]);
        } else {
            self.set(pointer + 1, 0);
        }
    }

    /// Takes what a piece has reached from the list, and keeps what the function around it has.
    const fn forget_reached(&mut self, depth: u32) {
        let (mut kept, mut i) = (0, 0);
        while i < self.reached.len && !self.overflowed() {
            if self.reached.items[i].depth < depth {
                self.reached.items[kept] = self.reached.items[i];
                kept += 1;
            }
            i += 1;
        }
        if !self.overflowed() {
            self.reached.len = kept;
        }
    }

    const fn call_piece(&mut self, piece: u32, source: &'static Source, base: u32, count: u32, never: bool) {
        self.stack.len -= count as usize;
        if never {
            self.push(Operand::NEVER);
            return;
        }
        let result = self.fresh(source.result.words());
        let callee = self.callee(Callee::Piece(piece));
        self.emit(Op::Call, [callee, base, result, 0]);
        self.push(if matches!(source.result.ty.kind, Kind::Never) {
            Operand::NEVER
        } else {
            Operand::fresh(source.result, result)
        });
    }
}

/// Words of the parameters that are not for the encoder alone.
const fn plain_words(source: &Source) -> u32 {
    let mut words = 0;
    let mut i = 0;
    while i < source.params.len() {
        if !source.params[i].ty.opaque {
            words += source.params[i].words();
        }
        i += 1;
    }
    words
}

const fn is_same_callable(given: Operand, argument: Operand) -> bool {
    match (given.at, argument.at) {
        (Where::Closure(a), Where::Closure(b)) => a == b,
        (
            Where::Function { activation, slot, .. },
            Where::Function {
                activation: of,
                slot: at,
                ..
            },
        ) => activation == of && slot == at,
        _ => false,
    }
}
