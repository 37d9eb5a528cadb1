//! What lies in memory: slices, records, atomics, tables, arrays with an index.

use std::marker::PhantomData;
use std::sync::atomic::AtomicU32;

use super::value::{element_of, field_of};
use super::{Argument, Body, Operand, Value, Word};
use crate::isa::{Op, space};
use crate::routine::Cause;
use crate::types::{Plain, TypeRef, Value as Typed, VmType};

/// Where something lies: a space of memory and an offset in it.
#[derive(Clone, Copy, Debug)]
struct Address {
    space: Word,
    offset: Word,
}

impl Body {
    #[track_caller]
    fn load<T: VmType>(&self, address: Address, first: u32) -> Value<'_, T> {
        let word = self.words(T::TYPE.words);
        for k in 0..T::TYPE.words {
            self.emit(Op::Load, [word + k, address.space, address.offset, first + k]);
        }
        Value::of(self, word)
    }

    #[track_caller]
    fn store<'b, T: VmType>(&'b self, address: Address, first: u32, value: impl Operand<'b, T>) {
        let value = value.value(self);
        for k in 0..T::TYPE.words {
            self.emit(Op::Store, [value.word + k, address.space, address.offset, first + k]);
        }
    }

    /// The address of an element, which has to be there.
    #[track_caller]
    fn element(&self, start: Address, length: Word, index: Word, words: u32) -> Address {
        let outside = self.compute(Op::LeU, [length, index, 0]);
        self.trap_if(outside, Cause::Bounds, [length, index]);
        let scaled = match words {
            1 => index,
            _ => self.compute(Op::MulImm, [index, words, 0]),
        };
        Address {
            space: start.space,
            offset: self.compute(Op::Add, [start.offset, scaled, 0]),
        }
    }

    /// An element of a slice that is known to be there.
    #[track_caller]
    fn inside<T: VmType>(&self, slice: Word, index: Word) -> Place<'_, T> {
        let scaled = match T::TYPE.words {
            1 => index,
            words => self.compute(Op::MulImm, [index, words, 0]),
        };
        let address = Address {
            space: slice,
            offset: self.compute(Op::Add, [slice + 1, scaled, 0]),
        };
        Place {
            body: self,
            address,
            first: 0,
            of: PhantomData,
        }
    }

    /// The address of an element of a slice whose three words are there.
    #[track_caller]
    fn element_of(&self, slice: Word, index: Word, words: u32) -> Address {
        self.element(at(slice), slice + 2, index, words)
    }

    /// A parameter that each VM has of its own and may change, `me: &mut T`.
    #[track_caller]
    pub fn record<T: VmType>(&self, name: &str) -> Place<'_, T> {
        let word = self.parameter(name, T::RECORD);
        Place {
            body: self,
            address: at(word),
            first: 0,
            of: PhantomData,
        }
    }

    /// A parameter that all VMs read, `all: &[T]`.
    #[track_caller]
    pub fn slice<T: VmType>(&self, name: &str) -> Slice<'_, T> {
        let word = self.parameter(name, T::SLICE);
        Slice {
            body: self,
            word,
            of: PhantomData,
        }
    }

    /// A parameter of which each VM has a part that it may change, `out: &mut [T]`.
    #[track_caller]
    pub fn slice_mut<T: VmType>(&self, name: &str) -> SliceMut<'_, T> {
        let word = self.parameter(name, T::CHUNK);
        SliceMut {
            body: self,
            word,
            of: PhantomData,
        }
    }

    /// A parameter with words that all VMs change, `bins: &[AtomicU32]`.
    #[track_caller]
    pub fn atomics(&self, name: &str) -> Atomics<'_> {
        let word = self.parameter(name, <&[AtomicU32]>::REFERENCE);
        Atomics { body: self, word }
    }

    /// A table of constants, data of the program that all VMs read.
    #[track_caller]
    pub fn table<T: VmType>(&self, entries: &[T]) -> Slice<'_, T> {
        let words = T::TYPE.words as usize;
        let mut all = vec![0; words * entries.len()];
        for (entry, place) in entries.iter().zip(all.chunks_exact_mut(words.max(1))) {
            entry.write_words(place);
        }
        let word = self.words(3);
        let [space, offset] = self.data(all);
        self.copy(word, space, 1);
        self.copy(word + 1, offset, 1);
        self.emit(Op::Imm, [word + 2, entries.len() as u32, 0, 0]);
        Slice {
            body: self,
            word,
            of: PhantomData,
        }
    }

    /// So many values of the VM's own, all this one at first, found by an index. A debugger shows them by the name.
    #[track_caller]
    pub fn array<'b, T: VmType>(&'b self, name: &str, length: u32, first: impl Operand<'b, T>) -> Array<'b, T> {
        let first = first.value(self);
        let words = length.saturating_mul(T::TYPE.words);
        let word = self.words(words);
        let (space, offset) = (self.immediate(space::FRAME), self.words(1));
        self.emit(Op::Address, [offset, word, words, 0]);
        let array = Array {
            body: self,
            address: Address { space, offset },
            length,
            of: PhantomData,
        };
        let _ = name;
        self.for_(0, length, |f, index| array.set_at(f, index, first));
        array
    }
}

/// The two words of a reference.
fn at(word: Word) -> Address {
    Address {
        space: word,
        offset: word + 1,
    }
}

/// A record that each VM has of its own, or a field of it.
#[derive(Debug)]
pub struct Place<'b, T> {
    body: &'b Body,
    address: Address,
    /// Words before it.
    first: u32,
    of: PhantomData<fn() -> T>,
}

/// A slice that is only read.
#[derive(Debug)]
pub struct Slice<'b, T> {
    body: &'b Body,
    word: Word,
    of: PhantomData<fn() -> T>,
}

/// A slice of the VM's own.
#[derive(Debug)]
pub struct SliceMut<'b, T> {
    body: &'b Body,
    word: Word,
    of: PhantomData<fn() -> T>,
}

/// Values of the VM's own.
#[derive(Debug)]
pub struct Array<'b, T> {
    body: &'b Body,
    address: Address,
    length: u32,
    of: PhantomData<fn() -> T>,
}

/// Words that all VMs change.
#[derive(Clone, Copy, Debug)]
pub struct Atomics<'b> {
    body: &'b Body,
    word: Word,
}

macro_rules! handles {
    ($($name:ident)*) => {$(
        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<'_, T> {}
    )*};
}
handles! {
    Place Slice SliceMut Array
}

impl<'b, T: VmType> Place<'b, T> {
    /// What it holds now.
    #[track_caller]
    pub fn get(self) -> Value<'b, T> {
        self.body.load(self.address, self.first)
    }

    /// Lets it hold this.
    #[track_caller]
    pub fn set(self, value: impl Operand<'b, T>) {
        self.body.store(self.address, self.first, value);
    }

    /// A field of it by its name, or of a tuple by its number (`"0"`).
    #[track_caller]
    pub fn field<F: VmType>(self, name: &str) -> Place<'b, F> {
        Place {
            body: self.body,
            address: self.address,
            first: self.first + field_of::<F>(self.body, T::TYPE, name),
            of: PhantomData,
        }
    }
}

impl<'b, T: VmType> Place<'b, T> {
    /// An element of an array at a fixed index.
    #[track_caller]
    pub fn element<E: VmType>(self, index: u32) -> Place<'b, E> {
        Place {
            body: self.body,
            address: self.address,
            first: self.first + element_of::<E>(self.body, T::TYPE, index),
            of: PhantomData,
        }
    }
}

impl<'b, T: VmType> Slice<'b, T> {
    /// How many elements it has.
    pub fn len(self) -> Value<'b, u32> {
        Value::of(self.body, self.word + 2)
    }

    /// The element at an index; one past the end traps the VM.
    #[track_caller]
    pub fn get(self, index: impl Operand<'b, u32>) -> Value<'b, T> {
        let index = index.value(self.body);
        let element = self.body.element_of(self.word, index.word, T::TYPE.words);
        self.body.load(element, 0)
    }
}

impl<'b, T: VmType> Slice<'b, T> {
    /// The element at an index that is known to be inside, so nothing is checked: past the end, what it holds is another argument's, or the VM traps.
    #[track_caller]
    pub fn inside(self, index: impl Operand<'b, u32>) -> Place<'b, T> {
        let index = index.value(self.body);
        self.body.inside(self.word, index.word)
    }

    /// One of two slices, as a condition says.
    #[track_caller]
    pub fn or(self, condition: impl Operand<'b, bool>, otherwise: Slice<'b, T>) -> Slice<'b, T> {
        let condition = condition.value(self.body);
        let word = self.body.words(3);
        for k in 0..3 {
            let operands = [word + k, condition.word, self.word + k, otherwise.word + k];
            self.body.emit(Op::Select, operands);
        }
        Slice { word, ..self }
    }
}

impl<'b, T: VmType> SliceMut<'b, T> {
    /// The same to be read only.
    pub fn read_only(self) -> Slice<'b, T> {
        Slice {
            body: self.body,
            word: self.word,
            of: PhantomData,
        }
    }

    /// The element at an index that is known to be inside, so nothing is checked: past the end, it is another argument's, or the VM traps.
    #[track_caller]
    pub fn inside(self, index: impl Operand<'b, u32>) -> Place<'b, T> {
        let index = index.value(self.body);
        self.body.inside(self.word, index.word)
    }

    /// How many elements it has.
    pub fn len(self) -> Value<'b, u32> {
        Value::of(self.body, self.word + 2)
    }

    /// The element at an index; one past the end traps the VM.
    #[track_caller]
    pub fn get(self, index: impl Operand<'b, u32>) -> Value<'b, T> {
        let index = index.value(self.body);
        let element = self.body.element_of(self.word, index.word, T::TYPE.words);
        self.body.load(element, 0)
    }

    /// Lets the element at an index be this; one past the end traps the VM.
    #[track_caller]
    pub fn set(self, index: impl Operand<'b, u32>, value: impl Operand<'b, T>) {
        let (index, value) = (index.value(self.body), value.value(self.body));
        let element = self.body.element_of(self.word, index.word, T::TYPE.words);
        self.body.store(element, 0, value);
    }
}

impl<'b, T: VmType> Array<'b, T> {
    /// The element at an index; one past the end traps the VM.
    #[track_caller]
    pub fn get(self, index: impl Operand<'b, u32>) -> Value<'b, T> {
        let (index, length) = (index.value(self.body), self.body.immediate(self.length));
        let element = self.body.element(self.address, length, index.word, T::TYPE.words);
        self.body.load(element, 0)
    }

    /// Lets the element at an index be this; one past the end traps the VM.
    #[track_caller]
    pub fn set(self, index: impl Operand<'b, u32>, value: impl Operand<'b, T>) {
        let (index, value) = (index.value(self.body), value.value(self.body));
        self.set_at(self.body, index, value);
    }

    #[track_caller]
    fn set_at(self, body: &'b Body, index: Value<'b, u32>, value: Value<'b, T>) {
        let length = body.immediate(self.length);
        let element = body.element(self.address, length, index.word, T::TYPE.words);
        body.store(element, 0, value);
    }
}

macro_rules! atomic_operations {
    ($($(#[$meta:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$meta])*
        #[track_caller]
        pub fn $name(self, index: impl Operand<'b, u32>, value: impl Operand<'b, u32>) -> Value<'b, u32> {
            let (index, value) = (index.value(self.body), value.value(self.body));
            let word = self.at(index);
            Value::of(self.body, self.body.compute(Op::$op, [word, value.word, 0]))
        }
    )*};
}

impl<'b> Atomics<'b> {
    /// How many words there are.
    pub fn len(self) -> Value<'b, u32> {
        Value::of(self.body, self.word + 2)
    }

    #[track_caller]
    fn at(self, index: Value<'b, u32>) -> Word {
        self.body.element_of(self.word, index.word, 1).offset
    }

    /// What the word at an index is; one past the end traps the VM.
    #[track_caller]
    pub fn load(self, index: impl Operand<'b, u32>) -> Value<'b, u32> {
        let index = index.value(self.body);
        let word = self.at(index);
        Value::of(self.body, self.body.compute(Op::AtomicLoad, [word, 0, 0]))
    }

    /// Lets the word at an index be this; one past the end traps the VM.
    #[track_caller]
    pub fn store(self, index: impl Operand<'b, u32>, value: impl Operand<'b, u32>) {
        let (index, value) = (index.value(self.body), value.value(self.body));
        let word = self.at(index);
        self.body.emit(Op::AtomicStore, [value.word, word, 0, 0]);
    }

    atomic_operations! {
        /// Adds to the word at an index, wrapping, and gives what it was.
        fetch_add = AtomicAdd;
        /// Subtracts from the word at an index, wrapping, and gives what it was.
        fetch_sub = AtomicSub;
        /// Lets the word at an index be the smaller one, and gives what it was.
        fetch_min = AtomicMinU;
        /// Lets the word at an index be the larger one, and gives what it was.
        fetch_max = AtomicMaxU;
        /// Keeps of the word at an index the bits that both have, and gives what it was.
        fetch_and = AtomicAnd;
        /// Adds bits to the word at an index, and gives what it was.
        fetch_or = AtomicOr;
        /// Lets the word at an index be this, and gives what it was.
        swap = AtomicSwap;
    }
}

impl<'b, T: VmType> Argument<'b> for Slice<'b, T> {
    fn argument(self, _: &'b Body) -> (TypeRef, Word) {
        (T::SLICE, self.word)
    }
}

impl<'b, T: VmType> Argument<'b> for SliceMut<'b, T> {
    fn argument(self, _: &'b Body) -> (TypeRef, Word) {
        (T::CHUNK, self.word)
    }
}
