//! What generated code names. No part of the public surface.

pub use crate::encode::{Message, Source, constant_words};
pub use crate::facts::*;
pub use crate::marker::*;
pub use crate::routine::Routine;
pub use crate::types::{
    Answer, Context, Field, Kind, MAX_MESSAGE_BYTES, MAX_STATE_BYTES, RingMessage, Type, TypeRef, Value, Variant,
    VmType, field, field_mut, name_hash, payload, payload_mut,
};
