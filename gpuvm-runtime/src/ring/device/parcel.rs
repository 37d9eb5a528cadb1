//! A parcel: what actors of a kernel have forwarded in a round to those of a linked one, in the order and the columns in which these handle it.
//! Kernels whose states are in the same memory pass parcels to each other, and no message goes through the host.

use std::sync::Arc;
use std::time::Instant;

use super::super::batch::gathered;
use super::super::letters::Letters;
use super::columns::Columns;
use super::depot::Depot;
use crate::error::Result;

/// Messages in an engine's memory. A clone is another handle to the same.
#[derive(Clone)]
pub struct Parcel {
    /// Where the columns come from.
    pub(super) depot: Arc<Depot>,
    pub(super) columns: Arc<Columns>,
    pub(super) messages: u32,
    /// When it was accepted, if that is of use.
    pub accepted: Option<Instant>,
}

impl Parcel {
    /// How many messages there are; at least one.
    pub fn len(&self) -> usize {
        self.messages as usize
    }

    /// Brings the messages to the host, in the order in which the host would have been given them.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn open(&self) -> Result<Letters> {
        let Parcel { depot, columns, .. } = self;
        let size = depot.sizes.letter();
        let letters = depot.read(&columns.letters[0], self.messages * size)?;
        let senders = depot.read(&columns.order, self.messages * 2)?;
        let (senders, _) = senders.as_chunks::<2>();
        let (to, words): (Vec<u32>, Vec<&[u32]>) = letters
            .chunks_exact(size as usize)
            .map(|letter| (letter[0], &letter[1..]))
            .unzip();
        let words = words.concat();
        let mut order: Vec<u32> = (0..self.messages).collect();
        order.sort_unstable_by_key(|&message| senders[message as usize]);
        Ok(Letters {
            to: gathered(&to, &order, 1),
            words: gathered(&words, &order, size as usize - 1),
            accepted: self.accepted.map(|when| (self.len(), when)).into_iter().collect(),
            ..Letters::default()
        })
    }
}
