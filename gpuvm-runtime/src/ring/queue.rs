//! The messages of a kernel that wait: cut to pieces of a size that the pump takes at a time, so that it need not cut them itself while
//! senders wait for the lock.

use std::collections::VecDeque;
use std::time::Instant;

use super::letters::Letters;
use super::snapshot::Messages;

/// Messages in the order in which they are to be handled.
pub(super) struct Queue {
    /// None of them is empty.
    pieces: VecDeque<Letters>,
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
        self.pieces.iter().any(|piece| !piece.called.is_empty())
    }

    /// Adds messages: the actor of each, the words of all, and when they were accepted if that is of use.
    pub fn push(&mut self, mut to: &[u32], mut words: &[u32], when: Option<Instant>) {
        let (size, most) = (self.size, self.most);
        self.len += to.len();
        while !to.is_empty() {
            let piece = self.last();
            let count = to.len().min(most - piece.len());
            let (actors, later) = to.split_at(count);
            let (own, rest) = words.split_at(count * size);
            piece.to.extend_from_slice(actors);
            piece.words.extend_from_slice(own);
            piece.accepted.extend(when.map(|when| (count, when)));
            (to, words) = (later, rest);
        }
    }

    /// Adds a message for whose answer somebody waits.
    pub fn push_call(&mut self, actor: u32, words: &[u32], when: Option<Instant>) {
        self.push(&[actor], words, when);
        if let Some(piece) = self.pieces.back_mut() {
            piece.called.push(piece.len() - 1);
        }
    }

    /// Adds what actors have sent: after what others of them have sent before, and before everything else.
    pub fn push_sent(&mut self, letters: Letters) {
        if !letters.is_empty() {
            self.len += letters.len();
            self.pieces.insert(self.sent, letters);
            self.sent += 1;
        }
    }

    /// Puts messages before all others, as if they had never been taken.
    pub fn put_back(&mut self, letters: Letters) {
        if !letters.is_empty() {
            self.len += letters.len();
            self.pieces.push_front(letters);
            self.sent += 1;
        }
    }

    /// Takes the next messages, as many as may be taken at a time; none if there are none.
    pub fn take(&mut self) -> Letters {
        let mut taken = self.take_piece().unwrap_or_default();
        while let Some(next) = self.pieces.front()
            && next.len() <= self.most.saturating_sub(taken.len())
            && let Some(next) = self.take_piece()
        {
            taken.append(next);
        }
        taken
    }

    /// Takes the next piece.
    pub fn take_piece(&mut self) -> Option<Letters> {
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
        for piece in &self.pieces {
            piece.add_sent(&mut sent, self.size);
        }
        sent
    }

    /// A piece with room for what is sent from outside.
    fn last(&mut self) -> &mut Letters {
        let has_room = self.pieces.back().is_some_and(|last| last.len() < self.most);
        if self.pieces.len() == self.sent || !has_room {
            self.pieces.push_back(std::mem::take(&mut self.spare));
        }
        let last = self.pieces.len() - 1;
        &mut self.pieces[last]
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
                        let taken = queue.take();
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
