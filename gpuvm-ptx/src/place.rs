//! What pointers are while a kernel is written: registers of a variable, or an address.

use std::rc::Rc;

use naga::{ArraySize, Expression, Handle, TypeInner};

use crate::Result;
use crate::error::{invalid, unsupported};
use crate::operand::{Operand, Ty, Width};
use crate::translator::Translator;

/// What a pointer points to.
#[derive(Clone, Debug)]
pub enum Place {
    /// Registers of a variable.
    Registers {
        /// One for each scalar.
        registers: Rc<[Operand]>,
        /// The number of the one that is meant, of a vector with a computed index.
        chosen: Option<Operand>,
    },
    /// Memory.
    Memory(Address),
}

/// An address.
#[derive(Clone, Debug)]
pub struct Address {
    /// Which memory.
    pub space: Space,
    /// Where it starts.
    pub base: Base,
    /// Bytes from there on.
    pub offset: u32,
    /// What the whole is surely a multiple of.
    pub align: u32,
    /// The number of the buffer in which it lies.
    pub buffer: Option<usize>,
}

/// What an address starts from.
#[derive(Clone, Debug)]
pub enum Base {
    /// A variable, by name.
    Symbol(Rc<str>),
    /// A register.
    Register(Operand),
}

/// The kinds of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The device's.
    Global,
    /// The device's, that nobody writes to while the kernel runs.
    Constant,
    /// The workgroup's.
    Shared,
    /// The invocation's.
    Local,
    /// The parameters.
    Param,
}

impl Space {
    /// What stands behind `ld` and `st`.
    pub fn suffix(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Constant => "global.nc",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Param => "param",
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.base {
            Base::Symbol(name) => write!(f, "[{name}")?,
            Base::Register(register) => write!(f, "[{register}")?,
        }
        match self.offset {
            0 => f.write_str("]"),
            offset => write!(f, "+{offset}]"),
        }
    }
}

impl Address {
    /// Where a variable begins that is declared by name.
    pub fn of(space: Space, name: &str) -> Address {
        Address {
            space,
            base: Base::Symbol(name.into()),
            offset: 0,
            align: 16,
            buffer: None,
        }
    }

    /// So many bytes further on.
    pub fn plus(&self, bytes: u32) -> Result<Address> {
        let offset = self
            .offset
            .checked_add(bytes)
            .filter(|&offset| offset <= i32::MAX as u32);
        Ok(Address {
            offset: offset.ok_or_else(|| unsupported("memory of more than two gigabytes"))?,
            align: lowest(self.align, bytes),
            ..self.clone()
        })
    }
}

/// What a multiple of `align` and so many bytes are a multiple of.
fn lowest(align: u32, bytes: u32) -> u32 {
    match bytes {
        0 => align,
        bytes => align.min(1 << bytes.trailing_zeros()),
    }
}

impl Translator<'_> {
    /// A part of what a pointer points to.
    pub fn place_part(&mut self, place: &Place, pointee: &TypeInner, index: u32) -> Result<Place> {
        if let (
            Place::Memory(address),
            &TypeInner::Array {
                size: ArraySize::Dynamic,
                stride,
                ..
            },
        ) = (place, pointee)
        {
            return self.element(address, Operand::ConstWord(index), stride, ArraySize::Dynamic);
        }
        let part = self.layout.part(pointee, index)?;
        match place {
            Place::Registers {
                registers,
                chosen: None,
            } => {
                let registers = registers.get(part.first..part.first + part.count);
                Ok(Place::Registers {
                    registers: registers.ok_or_else(|| invalid("an index out of bounds"))?.into(),
                    chosen: None,
                })
            }
            Place::Registers { .. } => Err(invalid("a part of a scalar")),
            Place::Memory(address) => Ok(Place::Memory(address.plus(part.offset)?)),
        }
    }

    /// An element of what a pointer points to, by a computed index.
    pub fn place_element(&mut self, place: &Place, pointee: &TypeInner, index: Operand) -> Result<Place> {
        if index.width() != Width::Word {
            return Err(unsupported("an index of 64 bits"));
        }
        match (place, pointee) {
            (Place::Registers { .. }, _) if let Some(known) = index.constant() => {
                self.place_part(place, pointee, known as u32)
            }
            (
                Place::Registers {
                    registers,
                    chosen: None,
                },
                TypeInner::Vector { .. },
            ) => Ok(Place::Registers {
                registers: registers.clone(),
                chosen: Some(index),
            }),
            (Place::Registers { .. }, _) => Err(invalid("a computed index into registers")),
            (Place::Memory(address), &TypeInner::Array { size, stride, .. }) => {
                self.element(address, index, stride, size)
            }
            (Place::Memory(address), &TypeInner::Vector { size, scalar }) => {
                let size = std::num::NonZeroU32::new(size as u32);
                let size = size.ok_or_else(|| invalid("an empty vector"))?;
                self.element(address, index, scalar.width.into(), ArraySize::Constant(size))
            }
            (Place::Memory(_), other) => Err(crate::layout::refused(other)),
        }
    }

    fn element(&mut self, address: &Address, index: Operand, stride: u32, size: ArraySize) -> Result<Place> {
        let index = self.checked_index(address, index, stride, size)?;
        if let Some(index) = index.constant() {
            let bytes = u32::try_from(index).ok().and_then(|index| index.checked_mul(stride));
            let bytes = bytes.ok_or_else(|| unsupported("memory of more than four gigabytes"))?;
            return Ok(Place::Memory(address.plus(bytes)?));
        }
        Ok(Place::Memory(self.element_at(address, "u32", index, stride)))
    }

    /// The element whose index is in a register, as a number of a kind.
    pub fn element_at(&mut self, address: &Address, kind: &str, index: Operand, stride: u32) -> Address {
        // 64 bits in every space: ptxas takes 32 for local memory too, and then loses stores.
        let base = self.address_register(&address.base);
        let element = self.text.register(Width::Long);
        self.text
            .line(format_args!("mad.wide.{kind} {element}, {index}, {stride}, {base}"));
        Address {
            base: Base::Register(element),
            align: lowest(address.align, stride),
            ..address.clone()
        }
    }

    /// The index, or where it is out of a buffer's bounds and these are checked, that of the last element.
    fn checked_index(&mut self, address: &Address, index: Operand, stride: u32, size: ArraySize) -> Result<Operand> {
        let in_buffer = matches!(address.space, Space::Global | Space::Constant | Space::Param);
        if !self.options.checked || !in_buffer || index == Operand::ConstWord(0) {
            return Ok(index);
        }
        let last = match size {
            ArraySize::Dynamic => self.last_index(address, stride)?,
            size => Operand::ConstWord(crate::layout::elements(size)? - 1),
        };
        Ok(match (index.constant(), last.constant()) {
            (Some(index), Some(last)) => Operand::ConstWord(index.min(last) as u32),
            _ => self.text.op("min", Ty::U32, &[index, last]),
        })
    }

    fn address_register(&mut self, base: &Base) -> Operand {
        match base {
            Base::Register(register) => *register,
            Base::Symbol(name) => {
                if let Some(&known) = self.symbols.get(name) {
                    return known;
                }
                let register = self.text.in_head(|text| {
                    let register = text.register(Width::Long);
                    text.line(format_args!("mov.u64 {register}, {name}"));
                    register
                });
                self.symbols.insert(name.clone(), register);
                register
            }
        }
    }

    /// How many elements the array of unknown length at an address has.
    pub fn array_length(&mut self, array: Handle<Expression>) -> Result<Operand> {
        let pointee = self.layout.pointee(self.inner(array))?;
        let (Place::Memory(address), TypeInner::Array { stride, .. }) = (self.place(array)?, pointee) else {
            return Err(invalid("the length of what is no array"));
        };
        self.length(&address, stride)
    }

    fn length(&mut self, address: &Address, stride: u32) -> Result<Operand> {
        self.bound(address, stride).map(|bound| bound.0)
    }

    fn last_index(&mut self, address: &Address, stride: u32) -> Result<Operand> {
        self.bound(address, stride).map(|bound| bound.1)
    }

    /// The length of a buffer's array of unknown length and the index of its last element, found out once.
    fn bound(&mut self, address: &Address, stride: u32) -> Result<(Operand, Operand)> {
        let number = address
            .buffer
            .ok_or_else(|| invalid("an array of unknown length in no buffer"))?;
        let buffer = self.buffers.get_mut(number).ok_or_else(|| invalid("no such buffer"))?;
        if let Some(bound) = buffer.bound {
            return Ok(bound);
        }
        let (name, offset) = (buffer.length.clone(), address.offset);
        let bound = self.text.in_head(|text| {
            let bytes = text.register(Width::Long);
            text.line(format_args!("ld.param.u64 {bytes}, [{name}]"));
            let rest = match offset {
                0 => bytes,
                offset => {
                    let offset = Operand::ConstLong(offset.into());
                    let bytes = text.op("max", Ty::U64, &[bytes, offset]);
                    text.op("sub", Ty::U64, &[bytes, offset])
                }
            };
            let wide = match stride.is_power_of_two() {
                true => {
                    let shift = Operand::ConstWord(stride.trailing_zeros());
                    let wide = text.register(Width::Long);
                    text.line(format_args!("shr.u64 {wide}, {rest}, {shift}"));
                    wide
                }
                false => text.op("div", Ty::U64, &[rest, Operand::ConstLong(stride.into())]),
            };
            let length = text.convert("cvt", Ty::U32, Ty::U64, wide);
            // An empty array has no last element; its first one stands for that.
            let one = text.op("max", Ty::U32, &[length, Operand::ConstWord(1)]);
            let last = text.op("sub", Ty::U32, &[one, Operand::ConstWord(1)]);
            (length, last)
        });
        buffer.bound = Some(bound);
        Ok(bound)
    }
}
