//! How types lie in memory and in registers: a value is the row of its scalars, in the order of memory.

use naga::proc::Layouter;
use naga::{ArraySize, Handle, Module, Scalar, Type, TypeInner, VectorSize};

use crate::Result;
use crate::error::{invalid, unsupported};

/// A scalar of a value, and where it lies in the value's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// What it is.
    pub scalar: Scalar,
    /// Bytes in front of it.
    pub offset: u32,
}

/// A part of a value or of memory.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its number among the scalars of the whole.
    pub first: usize,
    /// How many scalars it has.
    pub count: usize,
    /// Bytes in front of it.
    pub offset: u32,
}

/// The types of a module.
#[derive(Debug)]
pub struct Layout<'a> {
    module: &'a Module,
    layouter: Layouter,
}

impl<'a> Layout<'a> {
    /// Lays out a module's types.
    pub fn new(module: &'a Module) -> Result<Layout<'a>> {
        let mut layouter = Layouter::default();
        layouter
            .update(module.to_ctx())
            .map_err(|error| invalid(error.to_string()))?;
        Ok(Layout { module, layouter })
    }

    /// The inside of a type.
    pub fn inner(&self, ty: Handle<Type>) -> &'a TypeInner {
        &self.module.types[ty].inner
    }

    /// The bytes of a type.
    pub fn size(&self, ty: Handle<Type>) -> u32 {
        self.layouter[ty].size
    }

    /// How many scalars a type has.
    pub fn count(&self, inner: &TypeInner) -> Result<usize> {
        Ok(match *inner {
            TypeInner::Scalar(_) | TypeInner::Atomic(_) => 1,
            TypeInner::Vector { size, .. } => size as usize,
            TypeInner::Array { base, size, .. } => elements(size)? as usize * self.count(self.inner(base))?,
            TypeInner::Struct { ref members, .. } => {
                let counts = members.iter().map(|member| self.count(self.inner(member.ty)));
                counts.sum::<Result<usize>>()?
            }
            ref other => return Err(refused(other)),
        })
    }

    /// The scalars of a type.
    pub fn leaves(&self, inner: &TypeInner) -> Result<Vec<Leaf>> {
        let mut leaves = Vec::new();
        self.add(inner, 0, &mut leaves)?;
        Ok(leaves)
    }

    fn add(&self, inner: &TypeInner, offset: u32, leaves: &mut Vec<Leaf>) -> Result<()> {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => leaves.push(Leaf { scalar, offset }),
            TypeInner::Vector { size, scalar } => {
                let places = (0..size as u32).map(|index| offset + index * u32::from(scalar.width));
                leaves.extend(places.map(|offset| Leaf { scalar, offset }));
            }
            TypeInner::Array { base, size, stride } => {
                for index in 0..elements(size)? {
                    self.add(self.inner(base), offset + index * stride, leaves)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    self.add(self.inner(member.ty), offset + member.offset, leaves)?;
                }
            }
            ref other => return Err(refused(other)),
        }
        Ok(())
    }

    /// The part of a composite that has a number. An array of unknown length is a part of memory alone, so that its scalars' number
    /// does not matter.
    pub fn part(&self, inner: &TypeInner, index: u32) -> Result<Part> {
        match *inner {
            TypeInner::Vector { scalar, .. } => Ok(Part {
                first: index as usize,
                count: 1,
                offset: index * u32::from(scalar.width),
            }),
            TypeInner::Array { base, stride, .. } => {
                let count = self.count(self.inner(base))?;
                let offset = index
                    .checked_mul(stride)
                    .ok_or_else(|| invalid("an index beyond all memory"))?;
                Ok(Part {
                    first: index as usize * count,
                    count,
                    offset,
                })
            }
            TypeInner::Struct { ref members, .. } => {
                let counts = |members: &[naga::StructMember]| {
                    let counts = members.iter().map(|member| self.count(self.inner(member.ty)));
                    counts.sum::<Result<usize>>()
                };
                let (before, rest) = members
                    .split_at_checked(index as usize)
                    .ok_or_else(|| invalid(format!("a struct has no member {index}")))?;
                let member = rest
                    .first()
                    .ok_or_else(|| invalid(format!("a struct has no member {index}")))?;
                let count = match *self.inner(member.ty) {
                    TypeInner::Array {
                        size: ArraySize::Dynamic,
                        ..
                    } => 0,
                    ref inner => self.count(inner)?,
                };
                Ok(Part {
                    first: counts(before)?,
                    count,
                    offset: member.offset,
                })
            }
            ref other => Err(refused(other)),
        }
    }

    /// What a pointer points to.
    pub fn pointee(&self, pointer: &TypeInner) -> Result<TypeInner> {
        match *pointer {
            TypeInner::Pointer { base, .. } => Ok(self.inner(base).clone()),
            TypeInner::ValuePointer { size, scalar, .. } => Ok(match size {
                Some(size) => TypeInner::Vector { size, scalar },
                None => TypeInner::Scalar(scalar),
            }),
            ref other => Err(invalid(format!("{} is no pointer", name(other)))),
        }
    }
}

/// How many elements an array of known length has.
pub fn elements(size: ArraySize) -> Result<u32> {
    match size {
        ArraySize::Constant(size) => Ok(size.get()),
        ArraySize::Pending(_) => Err(unsupported("an array whose length is an override")),
        ArraySize::Dynamic => Err(unsupported("an array of unknown length as a value")),
    }
}

/// The scalar of a scalar or a vector's components, and how many these are.
pub fn components(inner: &TypeInner) -> Result<(Scalar, usize)> {
    match *inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => Ok((scalar, 1)),
        TypeInner::Vector { size, scalar } => Ok((scalar, size as usize)),
        ref other => Err(refused(other)),
    }
}

/// The error about a type that there are no registers for.
pub fn refused(inner: &TypeInner) -> crate::Error {
    unsupported(name(inner))
}

/// What a type is called in an error.
pub fn name(inner: &TypeInner) -> String {
    let size = |size: VectorSize| size as u32;
    match *inner {
        TypeInner::Matrix { columns, rows, .. } => format!("a matrix of {} by {}", size(columns), size(rows)),
        TypeInner::CooperativeMatrix { .. } => "a cooperative matrix".into(),
        TypeInner::Image { .. } => "a texture".into(),
        TypeInner::Sampler { .. } => "a sampler".into(),
        TypeInner::AccelerationStructure { .. } => "an acceleration structure".into(),
        TypeInner::RayQuery { .. } => "a ray query".into(),
        TypeInner::BindingArray { .. } => "an array of bindings".into(),
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => "a pointer as a value".into(),
        TypeInner::Scalar(_) | TypeInner::Atomic(_) => "a scalar".into(),
        TypeInner::Vector { .. } => "a vector".into(),
        TypeInner::Array { .. } => "an array".into(),
        TypeInner::Struct { .. } => "a struct".into(),
    }
}
