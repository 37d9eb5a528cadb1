//! Messages of ring kernels: plain values with a number for their type that every build and every machine agrees on, and words that
//! are checked where they come from outside.

use super::{Field, Kind, Type, VmType};

/// The most bytes that a message may have.
pub const MAX_MESSAGE_BYTES: u32 = 64 << 10;

/// The most bytes that an actor's state may have.
pub const MAX_STATE_BYTES: u32 = 64 << 10;

/// A value that is sent to an actor, or that an actor answers with. Derive it, instead of [`VmType`], for structs and enums:
/// `#[derive(RingMessage, Clone, Copy)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a message",
    label = "actors are sent messages, and answer with messages",
    note = "if `{Self}` is your own struct or enum, add `#[derive(RingMessage, Clone, Copy)]` to its definition, in place of `VmType`",
    note = "put a number, a tuple or the like into a struct: `#[derive(RingMessage, Clone, Copy)] struct Name(u32);`"
)]
pub trait RingMessage: VmType {
    /// The number of its type: FNV-1a of the type's name and of the names and types of its parts, so that types which differ in any of
    /// them have different numbers, whatever compiler built them.
    const ID: u64 = type_id(Self::TYPE);
}

/// What a handler gives back: a message, `Option` of one, or nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an answer that a ring kernel can give",
    label = "a handler returns a message, `Option` of a message, or nothing",
    note = "a message is a struct or enum with `#[derive(RingMessage, Clone, Copy)]` in place of `VmType`"
)]
pub trait Answer: VmType {
    /// The message's type; `()` if there never is one.
    type Message: VmType;
    /// What the message is called, and its type's number; `None` if there never is one.
    const MESSAGE: Option<(&'static str, u64)>;
    /// Whether it is an `Option`.
    const OPTIONAL: bool = false;

    /// The message, if there is one.
    fn message(self) -> Option<Self::Message>;
}

impl Answer for () {
    type Message = ();
    const MESSAGE: Option<(&'static str, u64)> = None;

    fn message(self) -> Option<()> {
        None
    }
}

impl<M: RingMessage> Answer for M {
    type Message = M;
    const MESSAGE: Option<(&'static str, u64)> = Some((M::TYPE.name, M::ID));

    fn message(self) -> Option<M> {
        Some(self)
    }
}

impl<M: RingMessage> Answer for Option<M> {
    type Message = M;
    const MESSAGE: Option<(&'static str, u64)> = <M as Answer>::MESSAGE;
    const OPTIONAL: bool = true;

    fn message(self) -> Option<M> {
        self
    }
}

/// Why words are no value of a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecodable {
    /// There are more or fewer than the type has.
    #[error("`{ty}` has {expected} words, and {found} came")]
    Length {
        /// The type.
        ty: String,
        /// Words that a value has.
        expected: usize,
        /// Words that came.
        found: usize,
    },
    /// A word is none that a value of this type can have.
    #[error("word {at} is {word:#x}, which is no `{ty}`")]
    Word {
        /// The type of the part.
        ty: String,
        /// Where the word is.
        at: usize,
        /// The word.
        word: u32,
    },
}

impl Type {
    /// Checks that words are those of a value.
    ///
    /// # Errors
    ///
    /// [`Undecodable`] with the first thing that is wrong.
    pub fn check_words(&self, words: &[u32]) -> Result<(), Undecodable> {
        if words.len() != self.words as usize {
            return Err(Undecodable::Length {
                ty: self.to_string(),
                expected: self.words as usize,
                found: words.len(),
            });
        }
        check(self, words, 0)
    }
}

fn check(ty: &Type, words: &[u32], at: usize) -> Result<(), Undecodable> {
    let word = words.first().copied().unwrap_or_default();
    let narrow = match ty.kind {
        Kind::Bool => word <= 1,
        Kind::U8 => u8::try_from(word).is_ok(),
        Kind::U16 => u16::try_from(word).is_ok(),
        Kind::I8 => i8::try_from(word as i32).is_ok(),
        Kind::I16 => i16::try_from(word as i32).is_ok(),
        Kind::Enum => (word as usize) < ty.variants.len(),
        _ => true,
    };
    if !narrow {
        return Err(Undecodable::Word {
            ty: ty.to_string(),
            at,
            word,
        });
    }
    match ty.kind {
        Kind::Enum => check_fields(ty.variants[word as usize].fields, words, at),
        Kind::Array => {
            let Some(element) = ty.element.filter(|element| element.words > 0) else {
                return Ok(());
            };
            let size = element.words as usize;
            let mut elements = words.chunks(size).enumerate();
            elements.try_for_each(|(i, words)| check(element, words, at + i * size))
        }
        _ => check_fields(ty.fields, words, at),
    }
}

fn check_fields(fields: &[Field], words: &[u32], at: usize) -> Result<(), Undecodable> {
    fields.iter().try_for_each(|field| {
        let start = field.offset as usize;
        check(field.ty, &words[start..start + field.ty.words as usize], at + start)
    })
}

/// The number of a type, see [`RingMessage::ID`].
const fn type_id(ty: &Type) -> u64 {
    structure(ty, 0xcbf2_9ce4_8422_2325)
}

const fn structure(ty: &Type, hash: u64) -> u64 {
    let mut hash = number(ty.length, text(ty.name, hash));
    hash = parts(ty.fields, hash);
    if let Some(element) = ty.element {
        hash = structure(element, hash);
    }
    let mut i = 0;
    while i < ty.variants.len() {
        hash = text(ty.variants[i].name, hash);
        hash = parts(ty.variants[i].fields, hash);
        i += 1;
    }
    hash
}

const fn parts(fields: &[Field], hash: u64) -> u64 {
    let mut hash = number(fields.len() as u32, hash);
    let mut i = 0;
    while i < fields.len() {
        hash = structure(fields[i].ty, text(fields[i].name, hash));
        i += 1;
    }
    hash
}

/// The bytes of a name, and its length, so that two names in a row are never one.
const fn text(name: &str, hash: u64) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = hash;
    let mut i = 0;
    while i < bytes.len() {
        hash = byte(bytes[i], hash);
        i += 1;
    }
    number(bytes.len() as u32, hash)
}

const fn number(number: u32, hash: u64) -> u64 {
    let [a, b, c, d] = number.to_le_bytes();
    byte(d, byte(c, byte(b, byte(a, hash))))
}

/// One step of FNV-1a of 64 bits: <http://www.isthe.com/chongo/tech/comp/fnv/>.
const fn byte(byte: u8, hash: u64) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Value;

    type Named = (u32, [bool; 2]);

    #[test]
    fn numbers_are_the_same_for_ever() {
        // Messages of one build are read by others; these are from a computation in Python.
        assert_eq!(type_id(u32::TYPE), 0xb379_9e2c_6b89_c732);
        assert_eq!(type_id(Named::TYPE), 0xc7de_8ce5_f084_3013);
    }

    #[test]
    fn types_that_differ_have_different_numbers() {
        let types = [
            u32::TYPE,
            i32::TYPE,
            <[u32; 2]>::TYPE,
            <[u32; 3]>::TYPE,
            <(u32, u32)>::TYPE,
            <(u32, (u32,))>::TYPE,
            <((u32, u32),)>::TYPE,
            <Option<u32>>::TYPE,
        ];
        for (i, a) in types.iter().enumerate() {
            assert!(types[..i].iter().all(|b| type_id(a) != type_id(b)), "{a}");
        }
    }

    #[test]
    fn words_that_are_no_value_are_told() {
        let ty = <(u64, Option<(u8, [bool; 2])>)>::TYPE;
        let good = [7, 9, 1, 255, 0, 1];
        assert_eq!(ty.check_words(&good), Ok(()));
        // What `None` does not use may be anything.
        assert_eq!(ty.check_words(&[7, 9, 0, 256, 7, 7]), Ok(()));
        for (at, word) in [(2, 2), (3, 256), (4, 2), (5, u32::MAX)] {
            let mut words = good;
            words[at] = word;
            let error = ty.check_words(&words).unwrap_err();
            assert!(
                matches!(error, Undecodable::Word { at: found, .. } if found == at),
                "{error}"
            );
        }
        let error = ty.check_words(&good[1..]).unwrap_err().to_string();
        assert_eq!(error, "`(u64, Option)` has 6 words, and 5 came");
        assert_eq!(
            <(i8, i16)>::TYPE
                .check_words(&[-128i32 as u32, 0x8000])
                .unwrap_err()
                .to_string(),
            "word 1 is 0x8000, which is no `i16`"
        );
    }
}
