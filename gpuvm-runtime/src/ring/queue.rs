//! The messages of a kernel that wait: cut to pieces of a size that the pump takes at a time, so that it need not cut them itself while
//! senders wait for the lock.

use std::collections::VecDeque;
use std::time::Instant;

use super::device::Parcel;
use super::letters::Letters;
use super::snapshot::Messages;

/// Messages in the order in which they are to be handled.
pub(super) struct Queue {
    /// None of them is empty.
    pieces: VecDeque<Piece>,
    /// How many of the first pieces actors have sent. They come before everything else.
    sent: usize,
    /// Messages in all pieces.
    len: usize,
    /// Words of a message.
    size: usize,
    /// Messages of a piece at most, unless actors have sent more at once.
    most: usize,
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
    /// No messages. They have so many words, and at most so many of them are taken at a time.
    pub fn new(size: usize, most: usize) -> Queue {
        Queue {
            pieces: VecDeque::new(),
            sent: 0,
            len: 0,
            size,
            most,
            spare: Letters::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
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
        if !letters.is_empty() {
            self.len += letters.len();
            self.pieces.insert(self.sent, Piece::Letters(letters));
            self.sent += 1;
        }
    }

    /// Puts messages before all others, as if they had never been taken.
    pub fn put_back(&mut self, letters: Letters) {
        if !letters.is_empty() {
            self.len += letters.len();
            self.pieces.push_front(Piece::Letters(letters));
            self.sent += 1;
        }
    }

    /// Takes the next messages, as many as may be taken at a time; none if there are none. A parcel is taken alone, but for one behind what
    /// actors have sent: rounds on that alone might go on for ever before it.
    pub fn take(&mut self) -> Lot {
        let has_sent = self.sent > 0;
        let mut lot = Lot::default();
        while let Some(next) = self.pieces.front() {
            let is_first = lot.letters.is_empty();
            let fits = match next {
                Piece::Letters(next) => next.len() <= self.most.saturating_sub(lot.letters.len()),
                Piece::Parcel(_) => has_sent,
            };
            if !is_first && !fits {
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
        lot
    }

    /// Takes the next piece.
    pub fn take_piece(&mut self) -> Option<Piece> {
        let piece = self.pieces.pop_front()?;
        self.sent = self.sent.saturating_sub(1);
        self.len -= piece.len();
        Some(piece)
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What happens to a queue.
    #[derive(Clone, Debug)]
    enum Step {
        Push(usize),
        Call,
        Sent(usize),
        Take,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (1..12usize).prop_map(Step::Push),
            Just(Step::Call),
            (1..12usize).prop_map(Step::Sent),
            Just(Step::Take),
        ]
    }

    fn numbered(numbers: std::ops::Range<u32>) -> Letters {
        Letters {
            words: numbers.clone().flat_map(|number| [number, !number]).collect(),
            to: numbers.collect(),
            ..Letters::default()
        }
    }

    proptest! {
        #[test]
        fn messages_come_in_order_and_no_more_than_are_wanted(
            steps in prop::collection::vec(step(), 1..60),
            most in prop_oneof![1..9usize, Just(usize::MAX)],
        ) {
            let mut queue = Queue::new(2, most);
            // By plain Rust: those that actors have sent, and the others, with whether somebody has called.
            let (mut sent, mut others) = (VecDeque::new(), VecDeque::new());
            let (mut next, mut longest) = (0, most);
            for step in steps.into_iter().chain((0..800).map(|_| Step::Take)) {
                match step {
                    Step::Push(count) => {
                        let letters = numbered(next..next + count as u32);
                        queue.push(&letters.to, &letters.words, None);
                        others.extend(letters.to.iter().map(|&to| (to, false)));
                        next += count as u32;
                    }
                    Step::Call => {
                        queue.push_call(next, &[next, !next], None);
                        others.push_back((next, true));
                        next += 1;
                    }
                    Step::Sent(count) => {
                        let letters = numbered(next..next + count as u32);
                        sent.extend(letters.to.iter().map(|&to| (to, false)));
                        queue.push_sent(letters);
                        longest = longest.max(count);
                        next += count as u32;
                    }
                    Step::Take => {
                        let waiting = sent.len() + others.len();
                        let taken = queue.take().letters;
                        prop_assert!(taken.len() <= longest && (waiting == 0) == taken.is_empty());
                        prop_assert!(most < usize::MAX || taken.len() == waiting);
                        prop_assert_eq!(&taken.words, &numbered_as(&taken.to));
                        for (at, &to) in taken.to.iter().enumerate() {
                            let expected = sent.pop_front().or_else(|| others.pop_front());
                            prop_assert_eq!(Some((to, taken.called.contains(&at))), expected);
                        }
                    }
                }
                prop_assert_eq!(queue.len(), sent.len() + others.len());
                prop_assert_eq!(queue.has_calls(), others.iter().any(|(_, called)| *called));
            }
        }
    }

    fn numbered_as(to: &[u32]) -> Vec<u32> {
        to.iter().flat_map(|&number| [number, !number]).collect()
    }
}
