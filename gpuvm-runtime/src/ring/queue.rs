//! The messages of a kernel that wait: cut to pieces of a size that the pump takes at a time, so that it need not cut them itself while
//! senders wait for the lock. What goes before what is in one place, [`Queue::take`].

use std::collections::VecDeque;
use std::time::Instant;

use super::bound::Bound;
use super::device::Parcel;
use super::letters::Letters;
use super::snapshot::Messages;

/// Messages in the order in which they are to be handled.
pub(super) struct Queue {
    /// None of them is empty.
    pieces: VecDeque<Piece>,
    /// How many of the first pieces actors have sent. They come before everything else.
    sent: usize,
    /// Messages in these.
    sent_len: usize,
    /// How many of these come before anything else has its turn, while a round of actors' messages goes share by share.
    before_others: Option<usize>,
    /// Messages in all pieces.
    len: usize,
    /// Words of a message.
    size: usize,
    /// Messages of a piece at most, unless actors have sent more at once.
    most: usize,
    bound: Bound,
    /// An empty piece whose memory the next one may have.
    spare: Letters,
}

/// Messages that came together.
pub(super) enum Piece {
    Letters(Letters),
    /// What actors of a linked kernel have forwarded, where it is on the device.
    Parcel(Parcel),
}

/// What is taken from a queue: letters or a parcel, or both if they have to be handled together.
#[derive(Default)]
pub(super) struct Lot {
    pub letters: Letters,
    pub parcel: Option<Parcel>,
    /// How many of the letters actors have sent; they come first.
    pub sent: usize,
    /// Whether it is a share of a round: others that wait are of the same one, or come before what it has sent.
    pub is_share: bool,
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Piece::Letters(letters) => letters.len(),
            Piece::Parcel(parcel) => parcel.len(),
        }
    }

    fn letters(&self) -> Option<&Letters> {
        match self {
            Piece::Letters(letters) => Some(letters),
            Piece::Parcel(_) => None,
        }
    }
}

impl Lot {
    pub fn len(&self) -> usize {
        self.letters.len() + self.parcel.as_ref().map_or(0, Parcel::len)
    }
}

impl Queue {
    /// No messages. They have so many words, and at most so many of them are taken at a time, and no more than the bound has it.
    pub fn new(size: usize, most: usize, bound: Bound) -> Queue {
        Queue {
            pieces: VecDeque::new(),
            sent: 0,
            sent_len: 0,
            before_others: None,
            len: 0,
            size,
            most: most.min(bound.share),
            bound,
            spare: Letters::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many actors have sent.
    pub fn sent_len(&self) -> usize {
        self.sent_len
    }

    /// Whether somebody waits for the answer to one of them.
    pub fn has_calls(&self) -> bool {
        let mut letters = self.pieces.iter().filter_map(Piece::letters);
        letters.any(|letters| !letters.called.is_empty())
    }

    /// Adds messages: the actor of each, the words of all, and when they were accepted if that is of use.
    pub fn push(&mut self, mut to: &[u32], mut words: &[u32], when: Option<Instant>) {
        self.len += to.len();
        while !to.is_empty() {
            let mut piece = self.take_last();
            let count = to.len().min(self.most - piece.len());
            let (actors, later) = to.split_at(count);
            let (own, rest) = words.split_at(count * self.size);
            piece.to.extend_from_slice(actors);
            piece.words.extend_from_slice(own);
            piece.accepted.extend(when.map(|when| (count, when)));
            self.pieces.push_back(Piece::Letters(piece));
            (to, words) = (later, rest);
        }
    }

    /// Adds a message for whose answer somebody waits.
    pub fn push_call(&mut self, actor: u32, words: &[u32], when: Option<Instant>) {
        self.push(&[actor], words, when);
        if let Some(Piece::Letters(letters)) = self.pieces.back_mut() {
            letters.called.push(letters.len() - 1);
        }
    }

    /// Adds what actors of a linked kernel have forwarded.
    pub fn push_parcel(&mut self, parcel: Parcel) {
        self.len += parcel.len();
        self.pieces.push_back(Piece::Parcel(parcel));
    }

    /// Adds what actors have sent: after what others of them have sent before, and before everything else.
    pub fn push_sent(&mut self, letters: Letters) {
        let share = self.bound.share;
        self.len += letters.len();
        self.sent_len += letters.len();
        if letters.len() > share {
            let when = letters.accepted.first().map(|(_, when)| *when);
            for (at, to) in letters.to.chunks(share).enumerate() {
                let begin = at * share * self.size;
                let piece = Letters {
                    to: to.to_vec(),
                    words: letters.words[begin..begin + to.len() * self.size].to_vec(),
                    accepted: when.map(|when| (to.len(), when)).into_iter().collect(),
                    called: Vec::new(),
                };
                self.pieces.insert(self.sent, Piece::Letters(piece));
                self.sent += 1;
            }
        } else if !letters.is_empty() {
            self.pieces.insert(self.sent, Piece::Letters(letters));
            self.sent += 1;
        }
    }

    /// How many of actors' messages come before anything else has its turn; `None` if that is nothing out of the ordinary.
    pub fn before_others(&self) -> Option<usize> {
        self.before_others
    }

    /// Goes on with a round of which so many messages are left.
    pub fn go_on(&mut self, before_others: Option<usize>) {
        self.before_others = before_others;
    }

    /// Puts messages before all others, as if they had never been taken.
    pub fn put_back(&mut self, letters: Letters) {
        if !letters.is_empty() {
            self.len += letters.len();
            self.sent_len += letters.len();
            self.pieces.push_front(Piece::Letters(letters));
            self.sent += 1;
        }
    }

    /// Takes the next messages, as many as may be taken at a time; none if there are none. A parcel is taken alone, but for one behind what
    /// actors have sent: rounds on that alone might go on for ever before it.
    pub fn take(&mut self) -> Lot {
        if self.sent_len > self.bound.share {
            return self.take_share();
        }
        self.before_others = None;
        let has_sent = self.sent > 0;
        let mut lot = Lot {
            sent: self.sent_len,
            ..Lot::default()
        };
        while let Some(next) = self.pieces.front() {
            let is_first = lot.letters.is_empty();
            let fits = match next {
                Piece::Letters(next) => next.len() <= self.most.saturating_sub(lot.letters.len()),
                Piece::Parcel(_) => has_sent,
            };
            if !is_first && !fits {
                // Where the bound is what ends a batch, it does not depend on how its messages came.
                if self.most == self.bound.share && matches!(next, Piece::Letters(_)) {
                    let room = self.most.saturating_sub(lot.letters.len());
                    lot.letters.append(self.take_letters(0, room));
                    lot.is_share = true;
                }
                break;
            }
            match self.take_piece() {
                Some(Piece::Letters(letters)) => lot.letters.append(letters),
                Some(Piece::Parcel(parcel)) => {
                    lot.parcel = Some(parcel);
                    break;
                }
                None => break,
            }
        }
        lot.sent -= self.sent_len;
        lot
    }

    /// Takes a share of a round that is larger; or, when the round is through, of others' messages as many as join the next one.
    fn take_share(&mut self) -> Lot {
        let mut lot = Lot {
            is_share: true,
            ..Lot::default()
        };
        let has_others = self.pieces.len() > self.sent;
        if has_others && self.before_others == Some(0) {
            self.before_others = Some(self.sent_len);
            lot.letters = self.take_letters(self.sent, self.bound.joining(self.sent_len));
            if lot.letters.is_empty()
                && let Some(Piece::Parcel(parcel)) = self.take_at_most(self.sent, usize::MAX)
            {
                lot.parcel = Some(parcel);
            }
            return lot;
        }
        let before_others = self.before_others.filter(|left| *left > 0).unwrap_or(self.sent_len);
        lot.letters = self.take_letters(0, self.bound.share);
        lot.sent = lot.letters.len();
        self.before_others = Some(before_others.saturating_sub(lot.sent));
        lot
    }

    /// Takes letters from a piece on, at most so many, up to a parcel.
    fn take_letters(&mut self, at: usize, most: usize) -> Letters {
        let mut letters = Letters::default();
        while letters.len() < most && matches!(self.pieces.get(at), Some(Piece::Letters(_))) {
            if let Some(Piece::Letters(more)) = self.take_at_most(at, most - letters.len()) {
                letters.append(more);
            }
        }
        letters
    }

    /// Takes a piece, or its first messages if there are more than so many.
    fn take_at_most(&mut self, at: usize, most: usize) -> Option<Piece> {
        let piece = match self.pieces.get_mut(at)? {
            Piece::Letters(letters) if letters.len() > most => Piece::Letters(letters.split(most, self.size)),
            _ => {
                let piece = self.pieces.remove(at)?;
                self.len -= piece.len();
                if at < self.sent {
                    self.sent -= 1;
                    self.sent_len -= piece.len();
                }
                return Some(piece);
            }
        };
        self.len -= most;
        if at < self.sent {
            self.sent_len -= most;
        }
        Some(piece)
    }

    /// Takes the next piece.
    pub fn take_piece(&mut self) -> Option<Piece> {
        self.take_at_most(0, usize::MAX)
    }

    /// Takes back messages that were handled, whose memory would go back to the system: to get as much from there takes senders about as long
    /// as to copy their messages.
    pub fn reuse(&mut self, mut handled: Letters) {
        if handled.words.capacity() > self.spare.words.capacity() {
            handled.clear();
            self.spare = handled;
        }
    }

    /// The messages that nobody waits for the answers of.
    pub fn sent(&self) -> Messages {
        let mut sent = Messages::default();
        for letters in self.pieces.iter().filter_map(Piece::letters) {
            letters.add_sent(&mut sent, self.size);
        }
        sent
    }

    /// The first parcel.
    pub fn parcel(&self) -> Option<&Parcel> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Letters(_) => None,
            Piece::Parcel(parcel) => Some(parcel),
        })
    }

    /// Puts letters in the place of the first parcel, of which they are the messages.
    pub fn open_parcel(&mut self, letters: Letters) {
        let mut pieces = self.pieces.iter_mut();
        if let Some(piece) = pieces.find(|piece| matches!(piece, Piece::Parcel(_))) {
            *piece = Piece::Letters(letters);
        }
    }

    /// Takes the last piece, if there is room in it for what is sent from outside, or a new one.
    fn take_last(&mut self) -> Letters {
        let is_sent = self.pieces.len() == self.sent;
        match self.pieces.pop_back() {
            Some(Piece::Letters(last)) if !is_sent && last.len() < self.most => last,
            last => {
                self.pieces.extend(last);
                std::mem::take(&mut self.spare)
            }
        }
    }
}

#[cfg(test)]
mod tests;
