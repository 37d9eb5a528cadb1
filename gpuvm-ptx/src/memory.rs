//! Loads and stores: of several scalars at once where they lie side by side and the address allows it.

use naga::TypeInner;

use crate::Result;
use crate::error::{invalid, unsupported};
use crate::layout::Leaf;
use crate::operand::{Operand, Ty, Width};
use crate::place::{Address, Base, Place, Space};
use crate::translator::{Translator, Value};

/// Bytes that are cleared one store after the other; more take a loop.
const MOST_STRAIGHT: u32 = 1024;

impl Translator<'_> {
    /// Loads a value. It is copied, because a variable's registers change afterwards.
    pub fn load(&mut self, place: &Place, inner: &TypeInner) -> Result<Value> {
        match place {
            Place::Registers {
                registers,
                chosen: None,
            } => {
                let each = registers.iter().map(|&register| {
                    let current = self.current(register);
                    match self.known.get(&current) {
                        Some(&(known, stretch)) if stretch == self.text.stretch() => known,
                        _ => self.text.copy(current),
                    }
                });
                Ok(each.collect())
            }
            Place::Registers {
                registers,
                chosen: Some(index),
            } => {
                let current: Value = registers.iter().map(|&register| self.current(register)).collect();
                Ok(vec![self.choose(&current, *index)])
            }
            Place::Memory(address) => self.load_memory(address, inner),
        }
    }

    fn load_memory(&mut self, address: &Address, inner: &TypeInner) -> Result<Value> {
        let leaves = self.layout.leaves(inner)?;
        let how = how_atomic(inner, address);
        let mut value = Value::with_capacity(leaves.len());
        let mut rest = &leaves[..];
        while let Some(first) = rest.first() {
            let ty = Ty::of(first.scalar)?;
            let at = address.plus(first.offset)?;
            if Self::is_truth(ty) {
                let byte = self.text.register(Width::Word);
                self.text
                    .line(format_args!("ld.{}.u8 {byte}, {at}", address.space.suffix()));
                value.push(self.text.compare("ne", Ty::U32, byte, Operand::ConstWord(0)));
                rest = &rest[1..];
                continue;
            }
            let count = if how.is_empty() { together(&at, rest)? } else { 1 };
            let targets: Value = (0..count).map(|_| self.text.register(ty.width())).collect();
            let (vector, list) = listed(&targets, ty);
            self.text.line(format_args!(
                "ld{how}.{}{vector}.{} {list}, {at}",
                address.space.suffix(),
                ty.bits()
            ));
            value.extend(targets);
            rest = &rest[count..];
        }
        Ok(value)
    }

    /// Stores a value.
    pub fn store(&mut self, place: &Place, inner: &TypeInner, value: &[Operand]) -> Result<()> {
        match place {
            Place::Registers {
                registers,
                chosen: None,
            } => {
                if registers.len() != value.len() {
                    return Err(invalid("a store of another type"));
                }
                for (&register, &value) in registers.iter().zip(value) {
                    self.put(register, value);
                }
                Ok(())
            }
            Place::Registers {
                registers,
                chosen: Some(index),
            } => {
                let &[value] = value else {
                    return Err(invalid("a store of another type"));
                };
                for (number, &register) in registers.iter().enumerate() {
                    let here = self
                        .text
                        .compare("eq", Ty::U32, *index, Operand::ConstWord(number as u32));
                    let old = self.current(register);
                    let new = self.text.select(here, value, old);
                    self.put(register, new);
                }
                Ok(())
            }
            Place::Memory(address) => self.store_memory(address, inner, value),
        }
    }

    fn store_memory(&mut self, address: &Address, inner: &TypeInner, value: &[Operand]) -> Result<()> {
        if matches!(address.space, Space::Param | Space::Constant) {
            return Err(invalid("a store to what is only read"));
        }
        let leaves = self.layout.leaves(inner)?;
        if leaves.len() != value.len() {
            return Err(invalid("a store of another type"));
        }
        let bytes = leaves
            .last()
            .map_or(0, |leaf| leaf.offset + u32::from(leaf.scalar.width));
        if bytes > MOST_STRAIGHT && value.iter().all(|scalar| scalar.constant() == Some(0)) {
            return self.clear_memory(address, bytes);
        }
        let how = how_atomic(inner, address);
        let mut rest = &leaves[..];
        let mut values = value;
        while let Some(first) = rest.first() {
            let ty = Ty::of(first.scalar)?;
            let at = address.plus(first.offset)?;
            if Self::is_truth(ty) {
                let byte = self
                    .text
                    .select(values[0], Operand::ConstWord(1), Operand::ConstWord(0));
                let byte = self.in_register(byte);
                self.text
                    .line(format_args!("st.{}.u8 {at}, {byte}", address.space.suffix()));
                (rest, values) = (&rest[1..], &values[1..]);
                continue;
            }
            let count = if how.is_empty() { together(&at, rest)? } else { 1 };
            let (vector, list) = listed(&values[..count], ty);
            self.text.line(format_args!(
                "st{how}.{}{vector}.{} {at}, {list}",
                address.space.suffix(),
                ty.bits()
            ));
            (rest, values) = (&rest[count..], &values[count..]);
        }
        Ok(())
    }

    /// Puts zeros into a variable.
    pub fn clear(&mut self, place: &Place, inner: &TypeInner) -> Result<()> {
        let leaves = self.layout.leaves(inner)?;
        let zeros = leaves.iter().map(|leaf| Ok(Operand::zero(Ty::of(leaf.scalar)?)));
        let zeros: Value = zeros.collect::<Result<_>>()?;
        self.store(place, inner, &zeros)
    }

    /// Puts zeros into memory of its own, which has room for a multiple of 16 bytes if it is so aligned.
    fn clear_memory(&mut self, address: &Address, bytes: u32) -> Result<()> {
        let step = address.align.min(4);
        if step < 4 {
            return Err(unsupported("a large array of truth values"));
        }
        let (at, end) = (self.text.register(Width::Long), self.text.register(Width::Long));
        match &address.base {
            Base::Symbol(name) => self.text.line(format_args!("mov.u64 {at}, {name}")),
            Base::Register(register) => self.text.copy_into(at, *register),
        }
        let offset = Operand::ConstLong(address.offset.into());
        self.text.op_into(at, "add", Ty::U64, &[at, offset]);
        let words = Operand::ConstLong((bytes / step * step).into());
        self.text.op_into(end, "add", Ty::U64, &[at, words]);
        let again = self.text.label();
        self.text.place_first(again);
        self.text
            .line(format_args!("st.{}.b32 [{at}], 0", address.space.suffix()));
        self.text
            .op_into(at, "add", Ty::U64, &[at, Operand::ConstLong(step.into())]);
        let more = self.text.compare("lt", Ty::U64, at, end);
        self.text.jump_if(more, true, again);
        Ok(())
    }
}

/// How an atomic is loaded and stored; nothing for what is none.
fn how_atomic(inner: &TypeInner, address: &Address) -> &'static str {
    match (inner, address.space) {
        (TypeInner::Atomic(_), Space::Shared) => ".relaxed.cta",
        (TypeInner::Atomic(_), _) => ".relaxed.gpu",
        _ => "",
    }
}

/// How many scalars from the first on go into one instruction.
fn together(at: &Address, leaves: &[Leaf]) -> Result<usize> {
    let first = leaves[0];
    let width = u32::from(first.scalar.width);
    for count in [4_u32, 2] {
        let Some(group) = leaves.get(..count as usize) else {
            continue;
        };
        let bytes = count * width;
        let in_row = group.iter().zip(0..).all(|(leaf, number)| {
            leaf.scalar.width == first.scalar.width
                && leaf.scalar.kind != naga::ScalarKind::Bool
                && leaf.offset == first.offset + number * width
        });
        if in_row && bytes <= 16 && at.align >= bytes {
            return Ok(count as usize);
        }
    }
    Ok(1)
}

/// The vector suffix and the operand of a load or store of so many scalars.
fn listed(scalars: &[Operand], ty: Ty) -> (&'static str, String) {
    let each: Vec<String> = scalars.iter().map(|scalar| scalar.of(ty.bits()).to_string()).collect();
    match scalars.len() {
        1 => ("", each.concat()),
        2 => (".v2", format!("{{{}}}", each.join(", "))),
        _ => (".v4", format!("{{{}}}", each.join(", "))),
    }
}
