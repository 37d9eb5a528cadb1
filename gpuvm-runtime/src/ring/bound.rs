//! How many messages actors may have under way among themselves, and what becomes of more.
//!
//! A host that sends too much waits. An actor cannot: whoever is to make room may be itself. What can be held up is its mail. So a batch has
//! at most so many messages that what they may send fills the bound, a *share*; a round of more goes share by share, in its order. Meanwhile
//! hosts' messages wait. Once the round is through, those of them join that there is room for, with all that they may send; one in any case,
//! as nobody is to be shut out for good by actors who never come to an end.
//!
//! If what a share has sent does not fit with what waits, nobody can go on before it: all that waits is older, has to come first, and stays
//! until there is room for what it sends itself. So the last of what was sent become dead letters, with [`RingError::Overflow`].
//!
//! Only messages are counted, in their order, so every engine loses the same ones, wherever they are handled. Where no round is larger than a
//! share, which is what kernels without a mistake are like, nothing of all this is ever done. There are never more than twice the bound: what
//! waits, and what a share has just sent.

use super::handler::Entry;
use crate::error::RingError;

/// What actors of a kernel may have under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// The most messages that they have sent and that wait.
    pub most: usize,
    /// The most messages of a batch.
    pub share: usize,
    /// The most messages that come of one.
    sends: usize,
}

/// The most messages where nobody has said how many: what all of these take on this CPU, with the copies that are made of them, is some hundred
/// megabytes.
const MOST: usize = 1 << 22;
/// The bytes that they may have, and those that what comes of a full queue may have.
const MOST_BYTES: usize = 1 << 27;
const MOST_BYTES_OF_QUEUE: usize = 1 << 28;

impl Bound {
    /// That of a kernel whose hosts send so many, given what its options ask for; 0 if they leave it open.
    pub fn new(entry: &Entry, capacity: usize, asked: usize) -> Bound {
        let sends = entry.sends as usize;
        let letter_bytes = 4 * (1 + entry.message.ty.words as usize);
        let most = match asked {
            0 => {
                // Who makes room for so many of hosts' messages has room for what these send.
                let of_queue = capacity.saturating_mul(sends).min(MOST_BYTES_OF_QUEUE / letter_bytes);
                MOST.min(MOST_BYTES / letter_bytes).max(of_queue).max(capacity)
            }
            asked => asked,
        };
        Bound::of(most, sends, entry.forwards())
    }

    /// That of actors who send and forward so many messages at most for one.
    pub fn of(most: usize, sends: usize, forwards: usize) -> Bound {
        Bound {
            most,
            share: match sends.max(forwards) {
                0 => usize::MAX,
                comes => (most / comes).max(1),
            },
            sends,
        }
    }

    /// How many of hosts' messages join actors of whose messages so many wait.
    pub fn joining(&self, waiting: usize) -> usize {
        (self.most.saturating_sub(waiting) / self.sends.max(1)).clamp(1, self.share)
    }

    /// Why more messages are lost.
    pub fn error(&self, kernel: String) -> RingError {
        RingError::Overflow {
            kernel,
            sent_capacity: self.most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_can_fill_the_bound_and_no_more() {
        for most in 1..70 {
            for sends in 1..9 {
                let Bound { share, .. } = Bound::of(most, sends, 0);
                assert!(share * sends <= most || share == 1, "{most} {sends}");
                assert!((share + 1) * sends > most, "{most} {sends}");
                assert_eq!(Bound::of(most, 1, sends).share, share);
            }
        }
        assert_eq!(Bound::of(5, 0, 0).share, usize::MAX);
    }

    #[test]
    fn one_joins_in_any_case() {
        let bound = Bound::of(100, 4, 0);
        let joining = [0, 1, 60, 97, 100, 1000].map(|waiting| bound.joining(waiting));
        assert_eq!(joining, [25, 24, 10, 1, 1, 1]);
    }
}
