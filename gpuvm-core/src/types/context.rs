//! What a handler on a VM has of the kernel around it, as a record of words. Natively a handler has the runtime's `Ring` in its place; the
//! macro turns calls of that one's methods into what they do to this one.

use super::{Field, Kind, Type, Value, VmType, field, field_mut, name_hash};

/// The record of one VM, which handles the messages of one actor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The time stamp of the messages.
    pub now: u64,
    /// Where among the letters the next message goes that the actor sends. The VM begins at its first message's number times how many
    /// messages are sent for one at most.
    pub sent: u32,
    /// How far that may have come when the message under way is handled.
    pub limit: u32,
    /// Whether the actor is to stop after the message under way.
    pub stopped: bool,
}

impl Context {
    /// The word of [`Context::sent`].
    pub const SENT: u32 = 2;
    /// The word of [`Context::limit`].
    pub const LIMIT: u32 = 3;
    /// The word of [`Context::stopped`].
    pub const STOPPED: u32 = 4;
}

/// A field and where it lies.
const fn part<T: Value>(name: &'static str, offset: u32) -> Field {
    Field {
        hash: name_hash(name),
        name,
        ty: T::TYPE,
        refs: 0,
        offset,
    }
}

impl Value for Context {
    type Erased = Context;
    type Inner = Context;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(
        Kind::Struct,
        "Context",
        &[
            part::<u64>("now", 0),
            part::<u32>("sent", Context::SENT),
            part::<u32>("limit", Context::LIMIT),
            part::<bool>("stopped", Context::STOPPED),
        ],
    );
}

impl VmType for Context {
    fn write_words(&self, words: &mut [u32]) {
        self.now.write_words(field_mut(words, Self::TYPE, 0));
        self.sent.write_words(field_mut(words, Self::TYPE, 1));
        self.limit.write_words(field_mut(words, Self::TYPE, 2));
        self.stopped.write_words(field_mut(words, Self::TYPE, 3));
    }

    fn read_words(words: &[u32]) -> Context {
        Context {
            now: u64::read_words(field(words, Self::TYPE, 0)),
            sent: u32::read_words(field(words, Self::TYPE, 1)),
            limit: u32::read_words(field(words, Self::TYPE, 2)),
            stopped: bool::read_words(field(words, Self::TYPE, 3)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_where_kernels_look_for_them() {
        let context = Context {
            now: 1 << 40 | 7,
            sent: 11,
            limit: 13,
            stopped: true,
        };
        let mut words = [0; 5];
        context.write_words(&mut words);
        let at = |word: u32| words[word as usize];
        assert_eq!(
            [at(Context::SENT), at(Context::LIMIT), at(Context::STOPPED)],
            [11, 13, 1]
        );
        assert_eq!(Context::read_words(&words), context);
    }
}
