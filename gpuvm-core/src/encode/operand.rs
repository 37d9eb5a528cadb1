//! Operands: values, places and literals on the encoder's stack, and how they become words, references and stores.

use super::copy::Pointer;
use super::state::Encoder;
use crate::isa::{Op, space};
use crate::types::{Kind, Type, TypeRef, Value};

/// Where an operand is.
#[derive(Clone, Copy)]
pub(super) enum Where {
    /// In consecutive words: a local, a part of one, or an intermediate value.
    Words(u32),
    /// In memory, `displacement` words behind a pointer that two words hold.
    Memory { space: u32, offset: u32, displacement: u32 },
    /// In memory, elements of a slice; three words hold pointer and length.
    Elements { space: u32, offset: u32, length: u32 },
    /// A literal whose type its consumer decides: an integer's bits, or what [`float_literal`] makes of a float's.
    Literal(u128),
    /// A closure of that number. It has no words.
    Closure(u32),
    /// A function: the routine of the call fact in that slot of that activation's source, the constructor of that variant of its type, or else the
    /// machine's own method of that number, of the kind whose code is one less.
    Function {
        activation: u32,
        slot: u32,
        variant: u32,
        method: u16,
        kind: u8,
    },
    /// A struct that holds closures, its fields from that part on.
    Record(u32),
    /// A field of such a struct, that part, which nothing was assigned to yet.
    Unset(u32),
    /// Nowhere: the expression never ends.
    Never,
}

/// A float literal before it is known of which type it is: its bits as an f32, and above them its bits as an f64.
pub(super) const fn float_literal(single: u128, double: u128) -> u128 {
    single | double << 32
}

/// One entry of the encoder's stack.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub ty: &'static Type,
    /// References around `ty`.
    pub refs: u8,
    pub at: Where,
    /// Nobody else knows these words, so a binding may take them over.
    pub owned: bool,
    /// Reached through a reference in a pattern, so that bindings become references.
    pub by_ref: bool,
    /// A part of the program's data, which nobody may write: whoever is to has a copy.
    pub in_data: bool,
    /// How many of them, from the outermost on, no words hold: `at` is the place that these lead to.
    pub unmade: u8,
}

impl Operand {
    /// The value of an expression that never ends.
    pub const NEVER: Operand = Operand {
        ty: &Type::NEVER,
        refs: 0,
        at: Where::Never,
        owned: false,
        by_ref: false,
        in_data: false,
        unmade: 0,
    };

    /// The empty tuple.
    pub const UNIT: Operand = Operand::fresh(TypeRef::of::<()>(), 0);

    /// A value that was just made.
    pub const fn fresh(ty: TypeRef, base: u32) -> Operand {
        Operand {
            ty: ty.ty,
            refs: ty.refs,
            at: Where::Words(base),
            owned: true,
            ..Operand::NEVER
        }
    }

    /// A scalar that was just made.
    pub const fn scalar(ty: &'static Type, word: u32) -> Operand {
        Operand::fresh(TypeRef::value(ty), word)
    }

    /// The scalar result of an operation on `from`, which may have had nothing to do: then the words are still the operand's.
    pub const fn result(ty: &'static Type, word: u32, from: u32) -> Operand {
        let result = Operand::scalar(ty, word);
        if word == from { result.shared() } else { result }
    }

    /// A literal whose type is still open.
    pub const fn literal(value: u128) -> Operand {
        Operand::literal_of(value, <i32 as Value>::TYPE)
    }

    /// A literal that is of a type unless its consumer says otherwise.
    pub const fn literal_of(value: u128, ty: &'static Type) -> Operand {
        Operand {
            ty,
            at: Where::Literal(value),
            ..Operand::NEVER
        }
    }

    pub const fn is_never(&self) -> bool {
        matches!(self.at, Where::Never)
    }

    /// Whether it is for the encoder alone: a closure, a struct that holds one, or a reference to either.
    pub const fn is_opaque(&self) -> bool {
        matches!(
            self.at,
            Where::Closure(_) | Where::Function { .. } | Where::Record(_) | Where::Unset(_)
        )
    }

    pub const fn is_literal(&self) -> bool {
        matches!(self.at, Where::Literal(_))
    }

    pub const fn type_ref(&self) -> TypeRef {
        TypeRef {
            ty: self.ty,
            refs: self.refs,
            mutable: false,
        }
    }

    /// The same place, no longer to be taken over.
    pub const fn shared(mut self) -> Operand {
        self.owned = false;
        self
    }

    /// The part `offset` words into it, of another type.
    pub const fn part(self, ty: &'static Type, offset: u32) -> Operand {
        self.part_ref(TypeRef::value(ty), offset)
    }

    /// The same, where the part may be a reference.
    pub const fn part_ref(self, ty: TypeRef, offset: u32) -> Operand {
        let at = match self.at {
            Where::Words(base) => Where::Words(base + offset),
            Where::Memory {
                space,
                offset: start,
                displacement,
            } => Where::Memory {
                space,
                offset: start,
                displacement: displacement + offset,
            },
            Where::Never => Where::Never,
            Where::Literal(_)
            | Where::Elements { .. }
            | Where::Closure(_)
            | Where::Function { .. }
            | Where::Record(_)
            | Where::Unset(_) => {
                panic!("only structs, tuples and arrays have parts")
            }
        };
        Operand {
            ty: ty.ty,
            refs: ty.refs,
            at,
            by_ref: self.by_ref,
            in_data: self.in_data,
            ..Operand::NEVER
        }
    }
}

impl Encoder<'_> {
    /// What the outermost reference points to.
    pub const fn deref(&mut self, operand: Operand) -> Operand {
        if matches!(operand.at, Where::Never) {
            return operand;
        }
        if operand.unmade > 0 {
            return Operand {
                refs: operand.refs - 1,
                unmade: operand.unmade - 1,
                owned: false,
                ..operand
            };
        }
        assert!(
            operand.refs > 0,
            "only a reference can be dereferenced inside a routine"
        );
        let base = self.value(operand);
        let at = if matches!(operand.ty.kind, Kind::Slice) && operand.refs == 1 {
            Where::Elements {
                space: base,
                offset: base + 1,
                length: base + 2,
            }
        } else {
            Where::Memory {
                space: base,
                offset: base + 1,
                displacement: 0,
            }
        };
        Operand {
            refs: operand.refs - 1,
            at,
            owned: false,
            ..operand
        }
    }

    /// What all references around it lead to.
    pub const fn deref_all(&mut self, operand: Operand) -> Operand {
        let mut operand = operand;
        while operand.refs > 0 {
            operand = self.deref(operand);
        }
        operand
    }

    /// The first of consecutive words that hold the operand's value. They may be a local's own: not to be written.
    pub const fn value(&mut self, operand: Operand) -> u32 {
        if operand.unmade > 0 {
            return self.made(operand);
        }
        match operand.at {
            Where::Words(base) => base,
            Where::Never => {
                let words = operand.type_ref().words();
                self.fresh(words)
            }
            Where::Literal(value) => self.literal(value, operand.ty),
            Where::Memory {
                space,
                offset,
                displacement,
            } => {
                let count = operand.type_ref().words();
                let base = self.fresh(count);
                let from = Pointer {
                    space,
                    offset,
                    displacement,
                };
                self.load_words(base, from, count);
                base
            }
            Where::Elements { .. } => panic!("a slice cannot be used by value: take a reference to it"),
            Where::Closure(_) | Where::Function { .. } | Where::Record(_) | Where::Unset(_) => {
                panic!("a closure cannot be a part of a value inside a routine")
            }
        }
    }

    /// The first of the words that hold a reference which no words hold yet.
    const fn made(&mut self, operand: Operand) -> u32 {
        let place = Operand {
            refs: operand.refs - operand.unmade,
            unmade: 0,
            ..operand
        };
        let mut base = self.address(place);
        let mut refs = place.refs + 1;
        while refs < operand.refs {
            let inner = TypeRef {
                refs,
                ..operand.type_ref()
            };
            base = self.address(Operand::fresh(inner, base));
            refs += 1;
        }
        base
    }

    /// The words of a literal of a type.
    pub const fn literal(&mut self, value: u128, ty: &'static Type) -> u32 {
        let kind = ty.arithmetic_kind();
        // Only float literals become floats in Rust.
        let value = if matches!(kind, Kind::F64) { value >> 32 } else { value };
        let base = self.fresh(ty.words);
        let low = match kind {
            Kind::U8 => value as u8 as u32,
            Kind::U16 => value as u16 as u32,
            Kind::I8 => value as i8 as u32,
            Kind::I16 => value as i16 as u32,
            _ => value as u32,
        };
        self.set(base, low);
        let mut i = 1;
        while i < kind.words() {
            self.set(base + i, (value >> (32 * i)) as u32);
            i += 1;
        }
        base
    }

    /// The operand with the type of its partner, where it is a literal.
    pub const fn typed_like(&mut self, operand: Operand, partner: Operand) -> Operand {
        if matches!(operand.at, Where::Literal(_)) && !matches!(partner.at, Where::Literal(_)) {
            Operand {
                ty: partner.ty,
                ..operand
            }
        } else {
            operand
        }
    }

    /// The first of three words (space, offset, length) or two that refer to the place.
    pub const fn address(&mut self, operand: Operand) -> u32 {
        match operand.at {
            Where::Words(_)
            | Where::Literal(_)
            | Where::Never
            | Where::Closure(_)
            | Where::Function { .. }
            | Where::Unset(_)
            | Where::Record(_) => {
                let from = self.value(operand);
                let base = self.fresh(3);
                self.set(base, space::FRAME);
                self.emit(Op::Address, [base + 1, from, operand.type_ref().words(), 0]);
                base
            }
            Where::Memory {
                space,
                offset,
                displacement,
            } => {
                let base = self.fresh(3);
                self.copy(base, space);
                self.emit(Op::AddImm, [base + 1, offset, displacement, 0]);
                base
            }
            Where::Elements { space, offset, length } => {
                let base = self.fresh(3);
                self.copy(base, space);
                self.copy(base + 1, offset);
                self.copy(base + 2, length);
                base
            }
        }
    }

    /// A reference to the place; one to a reference is made when its words are asked for.
    pub const fn reference(&mut self, operand: Operand) -> Operand {
        if matches!(operand.at, Where::Never) {
            return operand;
        }
        if operand.refs > 0 || operand.is_opaque() {
            return Operand {
                refs: operand.refs + 1,
                unmade: operand.unmade + 1,
                owned: false,
                ..operand
            };
        }
        let base = self.address(operand);
        Operand {
            ty: operand.ty,
            refs: 1,
            at: Where::Words(base),
            owned: true,
            ..Operand::NEVER
        }
    }

    /// The operand as a value or reference of the wanted type: literals are typed, receivers referenced or dereferenced, arrays behind
    /// references become slices, those in cells slices of cells.
    pub const fn convert(&mut self, mut operand: Operand, want: TypeRef) -> Operand {
        // Most are what they are to be.
        if operand.refs == want.refs
            && !want.mutable
            && !matches!(operand.at, Where::Literal(_) | Where::Elements { .. })
            && !matches!(want.ty.kind, Kind::Slice)
            && (operand.ty.dereferenced.is_none() || want.refs == 0)
        {
            return operand;
        }
        if matches!(operand.at, Where::Never) {
            return operand;
        }
        if operand.is_literal() {
            let base = self.literal_value(operand, want.ty);
            operand = Operand::fresh(TypeRef { refs: 0, ..want }, base);
            if want.refs == 0 {
                return operand;
            }
        }
        if want.mutable {
            operand = self.writable(operand);
        }
        if operand.ty.dereferenced.is_some() && want.refs > 0 {
            operand = self.coerced(operand, want);
        }
        if matches!(want.ty.kind, Kind::Slice)
            && let Some(array) = operand.ty.array_in_cell()
        {
            operand = self.deref_all(operand).part(array, 0);
        }
        if matches!(want.ty.kind, Kind::Slice) && matches!(operand.ty.kind, Kind::Array) {
            let place = self.deref_all(operand);
            let length = place.ty.length;
            let base = self.address(place);
            self.set(base + 2, length);
            operand = Operand::fresh(TypeRef { refs: 1, ..want }, base);
        }
        while operand.refs > want.refs {
            operand = self.deref(operand);
        }
        while operand.refs < want.refs {
            operand = self.reference(operand);
        }
        // What a pattern has left of an array.
        if let (Where::Elements { space, offset, .. }, Kind::Array, 0) = (operand.at, want.ty.kind, want.refs) {
            let elements = Operand {
                ty: want.ty,
                at: Where::Memory {
                    space,
                    offset,
                    displacement: 0,
                },
                ..Operand::NEVER
            };
            return Operand::fresh(want, self.value(elements));
        }
        operand
    }

    /// The first word of a literal of the wanted type.
    const fn literal_value(&mut self, operand: Operand, ty: &'static Type) -> u32 {
        match operand.at {
            Where::Literal(value) => self.literal(value, ty),
            _ => self.value(operand),
        }
    }

    /// Puts the operand's value, converted, into consecutive words.
    pub const fn store_words(&mut self, to: u32, operand: Operand, want: TypeRef) {
        // Most are words of the wanted type.
        if let Where::Words(from) = operand.at
            && operand.unmade == 0
            && operand.refs == want.refs
            && !matches!(want.ty.kind, Kind::Slice)
            && (operand.ty.dereferenced.is_none() || want.refs == 0)
        {
            return self.copy_words(to, from, want.words());
        }
        let operand = self.convert(operand, want);
        if matches!(operand.at, Where::Never | Where::Unset(_)) {
            return;
        }
        if let (
            Where::Memory {
                space,
                offset,
                displacement,
            },
            false,
        ) = (operand.at, operand.unmade > 0)
        {
            let from = Pointer {
                space,
                offset,
                displacement,
            };
            return self.load_words(to, from, operand.type_ref().words());
        }
        let from = self.value(operand);
        self.copy_words(to, from, want.words());
    }

    /// The place, or a copy of it where nobody may write it: so Rust does with a constant.
    pub const fn writable(&mut self, place: Operand) -> Operand {
        if place.in_data { self.owned(place) } else { place }
    }

    /// The operand as a value of its own that later assignments do not touch.
    pub const fn owned(&mut self, operand: Operand) -> Operand {
        let is_taken_over = operand.owned && matches!(operand.at, Where::Words(_) | Where::Record(_));
        if is_taken_over || operand.is_literal() || matches!(operand.at, Where::Never) {
            return operand;
        }
        if operand.unmade > 0 && operand.unmade < operand.refs {
            let base = self.value(operand);
            return Operand::fresh(operand.type_ref(), base);
        }
        if matches!(operand.at, Where::Elements { .. }) || operand.unmade > 0 {
            return operand;
        }
        match operand.at {
            Where::Closure(number) => {
                return Operand {
                    at: Where::Closure(self.copy_closure(number)),
                    ..operand
                };
            }
            Where::Function { .. } | Where::Unset(_) => return operand,
            Where::Record(first) => return self.copy_record(operand, first),
            _ => {}
        }
        let ty = operand.type_ref();
        let base = self.fresh(ty.words());
        self.store_words(base, operand, ty);
        Operand {
            owned: true,
            by_ref: false,
            in_data: false,
            at: Where::Words(base),
            ..operand
        }
    }

    /// Makes a value the field of a struct that holds closures.
    pub const fn set_part(&mut self, part: u32, value: Operand) {
        self.parts.items[part as usize] = match value.at {
            Where::Unset(_) => Operand {
                at: Where::Unset(part),
                ..value
            },
            _ => value,
        };
    }

    /// A struct that holds closures, each field a copy.
    const fn copy_record(&mut self, operand: Operand, first: u32) -> Operand {
        let count = operand.ty.fields.len() as u32;
        let parts = self.parts.extend(count, &mut self.full);
        let mut i = 0;
        while i < count && !self.overflowed() {
            let part = self.parts.items[(first + i) as usize];
            let copy = self.owned(part).shared();
            self.set_part(parts + i, copy);
            i += 1;
        }
        Operand {
            at: Where::Record(parts),
            owned: true,
            by_ref: false,
            ..operand
        }
    }

    /// `place = value`.
    pub const fn assign(&mut self, place: Operand, value: Operand) {
        // What is assigned to a part of a constant goes to a copy that nobody reads.
        if matches!(place.at, Where::Never) || matches!(value.at, Where::Never) || place.in_data {
            return;
        }
        let want = place.type_ref();
        assert!(
            place.unmade == 0 || place.is_opaque(),
            "a parameter that is a reference cannot be assigned to where the routine's code is written into its caller: bind another variable to it"
        );
        match (place.at, value.at) {
            (Where::Closure(to), Where::Closure(from)) => return self.assign_closure(to, from),
            (Where::Function { .. }, _) | (_, Where::Unset(_)) => return,
            (Where::Unset(part), _) => {
                let value = self.owned(value).shared();
                return self.set_part(part, value);
            }
            (Where::Record(to), Where::Record(from)) => {
                let mut i = 0;
                while i < place.ty.fields.len() as u32 {
                    let (to, from) = ((to + i) as usize, (from + i) as usize);
                    self.assign(self.parts.items[to], self.parts.items[from]);
                    i += 1;
                }
                return;
            }
            _ => {}
        }
        match place.at {
            Where::Words(base) => self.store_words(base, value, want),
            Where::Memory {
                space,
                offset,
                displacement,
            } => {
                let value = self.convert(value, want);
                let from = self.value(value);
                let to = Pointer {
                    space,
                    offset,
                    displacement,
                };
                self.save_words(to, from, want.words());
            }
            _ => panic!("this cannot be assigned to inside a routine"),
        }
    }
}
