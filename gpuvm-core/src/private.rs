//! What generated code names. No part of the public surface.

pub use crate::__nothing_provided as nothing_provided;
pub use crate::encode::{Message, Source};
pub use crate::facts::*;
pub use crate::marker::*;
pub use crate::routine::{Level, Routine, WordsOf};
pub use crate::stdlib::fmt::{
    self as formatting, Debugs, DebugsIf, Displays, Formatted, Formatter, Padded, Sink, WrittenTo, debugged, displayed,
    formatted, sink_of,
};
pub use crate::stdlib::hash::{self as hashing, HashState, HashedEach, Hashes, HashesArrays};
pub use crate::stdlib::iter::{
    Advance, AdvanceBack, AnIterator, ArgumentDoubleEnded, ArgumentExactSize, ArgumentIterable, ArgumentIterator,
    CountsItself, Extends, From as Open, Gathers, Given, GivenDoubleEnded, GivenElements, GivenExactSize,
    GivenIterable, GivenIterator, HalfOpen, Hinted, Inclusive, KnownDoubleEnded, KnownExactSize, KnownIterator,
    Sequence, advance_back_by_next, advance_by_next, each_by_next,
};
pub use crate::stdlib::{SelectNth, ordering, routines as std_routines};
pub use crate::types::{
    Against, Answer, ByHand, Comparison, Comparisons, ConstantField, ConstantValue, ConstantWord, Dereferenced, Field,
    Kind, MAX_MESSAGE_BYTES, MAX_STATE_BYTES, NoConstant, Plain, Referred, RingMessage, Static, Type, TypeRef, Value,
    Variant, VmType, Zero, constant_words, field, field_mut, name_hash, payload, payload_mut, plain_words,
    variant_words,
};
