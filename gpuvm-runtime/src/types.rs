//! Types that plans and batches make of others: slices of columns' entries, tuples of several.

use std::sync::{Mutex, PoisonError};

use gpuvm_core::types::{Field, Kind, Type, TypeRef, name_hash};

/// The types that were made so far. There are as many as the process has types of columns, so they stay.
static MADE: Mutex<Vec<&'static Type>> = Mutex::new(Vec::new());

/// The type of a slice, `[T]`.
fn slice(element: &'static Type) -> &'static Type {
    intern(Type {
        element: Some(element),
        words: 0,
        ..Type::scalar(Kind::Slice, "slice")
    })
}

/// The type of a tuple.
pub(crate) fn tuple(parts: &[&'static Type]) -> &'static Type {
    let mut offset = 0;
    let fields = parts.iter().enumerate().map(|(index, ty)| {
        offset += ty.words;
        Field {
            hash: name_hash(&index.to_string()),
            name: "",
            ty,
            refs: 0,
            offset: offset - ty.words,
        }
    });
    let fields: Vec<Field> = fields.collect();
    let made = made(|known| {
        known.kind == Kind::Tuple
            && known.fields.len() == fields.len()
            && known.fields.iter().zip(&fields).all(|(a, b)| a.ty.same(b.ty))
    });
    made.unwrap_or_else(|| intern(Type::record(Kind::Tuple, "tuple", fields.leak())))
}

/// `&[T]`, or `&mut [T]`.
pub(crate) fn column(element: &'static Type, mutable: bool) -> TypeRef {
    TypeRef {
        ty: slice(element),
        refs: 1,
        mutable,
    }
}

/// `&mut T`.
pub(crate) fn record(ty: &'static Type) -> TypeRef {
    TypeRef {
        ty,
        refs: 1,
        mutable: true,
    }
}

/// A type that was made before.
fn made(is: impl Fn(&Type) -> bool) -> Option<&'static Type> {
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.iter().copied().find(|known| is(known))
}

/// The one of all types that are the same.
fn intern(ty: Type) -> &'static Type {
    made(|known| known.same(&ty)).unwrap_or_else(|| {
        let ty: &'static Type = Box::leak(Box::new(ty));
        MADE.lock().unwrap_or_else(PoisonError::into_inner).push(ty);
        ty
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpuvm_core::types::Value;

    #[test]
    fn types_are_those_of_rust() {
        assert!(tuple(&[u32::TYPE, u64::TYPE, bool::TYPE]).same(<(u32, u64, bool)>::TYPE));
        assert_eq!(tuple(&[u32::TYPE, u64::TYPE, bool::TYPE]).words, 4);
        assert_eq!(column(f32::TYPE, false).to_string(), "&[f32]");
        assert!(column(f32::TYPE, true).ty.same(<[f32]>::TYPE));
        assert_eq!(record(f32::TYPE).to_string(), "&mut f32");
        assert!(std::ptr::eq(slice(f32::TYPE), slice(f32::TYPE)));
        assert!(std::ptr::eq(tuple(&[f32::TYPE]), tuple(&[f32::TYPE])));
    }
}
