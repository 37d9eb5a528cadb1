//! What a handler has of the kernel around it.

use std::marker::PhantomData;

use gpuvm_core::types::RingMessage;

use super::batch::gathered;

/// The surroundings of the actor whose message is handled: a ring kernel's third parameter, `ctx: &mut Ring`, or `ctx: &mut Ring<L>` where
/// actors forward messages `L` to those of another kernel.
///
/// In a unit test a handler can be given one of your own, which is asked afterwards for what was sent ([`Ring::sent`]) and replied
/// ([`Ring::replied`]):
///
/// ```
/// # use gpuvm_runtime::ring::Ring;
/// let mut ctx = Ring::new(3, 10);
/// assert_eq!((ctx.actor(), ctx.actors(), ctx.is_stopped()), (3, 10, false));
/// ```
#[derive(Clone, Debug)]
pub struct Ring<L = ()> {
    actor: u32,
    actors: u32,
    now: u64,
    /// How many messages may have been sent after the one under way.
    limit: usize,
    /// How many replies there may have been after it.
    reply_limit: usize,
    /// How many messages may have been forwarded.
    forward_limit: usize,
    /// Its place in the batch.
    message: u32,
    stopped: bool,
    pub(super) sent: Sent,
    pub(super) replied: Sent,
    pub(super) forwarded: Sent,
    linked: PhantomData<fn(L)>,
}

/// What an actor trapped with that did something more often than its kernel's attribute says; on a device in the words of the macro.
const EXCEEDED: [&str; 3] = [
    "an actor sent more messages for one than its ring kernel says; raise `#[ring_kernel(sends = …)]`",
    "an actor replied to one message more often than its ring kernel says; raise `#[ring_kernel(replies = …)]`",
    "an actor forwarded more messages for one than its ring kernel says; raise `#[ring_kernel(forwards = …)]`",
];

/// Whether an actor that trapped with this message has exceeded a limit of its kernel.
pub(super) fn is_exceeded(message: &str) -> bool {
    EXCEEDED.contains(&message)
}

/// Messages that actors have sent, or what they have replied, in order.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// Whom to: actors, or of replies the messages' places in a batch.
    pub to: Vec<u32>,
    /// The words of each, one after the other.
    pub words: Vec<u32>,
}

impl Sent {
    /// Appends what was sent later.
    pub fn extend(&mut self, later: Sent) {
        self.to.extend(later.to);
        self.words.extend(later.words);
    }

    /// Brings messages of so many words into the order of whom they are to; those to one stay in theirs.
    pub fn sort(&mut self, size: usize) {
        if !self.to.is_sorted() {
            let mut order: Vec<u32> = (0..self.to.len() as u32).collect();
            order.sort_by_key(|&at| self.to[at as usize]);
            self.words = gathered(&self.words, &order, size);
            self.to.sort_unstable();
        }
    }

    /// Appends a message.
    fn push<M: RingMessage>(&mut self, to: u32, message: M) {
        self.to.push(to);
        let at = self.words.len();
        self.words.resize(at + M::TYPE.words as usize, 0);
        message.write_words(&mut self.words[at..]);
    }

    /// The messages, if they are of this type.
    fn messages<M: RingMessage>(&self) -> impl Iterator<Item = (u32, M)> + '_ {
        let size = M::TYPE.words as usize;
        let message = move |(at, &to): (usize, &u32)| (to, M::read_words(&self.words[at * size..(at + 1) * size]));
        self.to.iter().enumerate().map(message)
    }
}

impl Ring {
    /// The surroundings of an actor, for a unit test.
    pub fn new(actor: u32, actors: u32) -> Ring {
        Ring::linked(actor, actors)
    }
}

impl<L> Ring<L> {
    /// The surroundings of an actor whose kernel is linked to another one, for a unit test.
    pub fn linked(actor: u32, actors: u32) -> Ring<L> {
        Ring {
            actor,
            actors,
            now: 0,
            limit: usize::MAX,
            reply_limit: usize::MAX,
            forward_limit: usize::MAX,
            message: 0,
            stopped: false,
            sent: Sent::default(),
            replied: Sent::default(),
            forwarded: Sent::default(),
            linked: PhantomData,
        }
    }

    /// The surroundings of actors at a time.
    pub(super) fn at(now: u64, actors: u32) -> Ring<L> {
        Ring {
            now,
            ..Ring::linked(0, actors)
        }
    }

    /// Goes on to an actor.
    pub(super) fn enter(&mut self, actor: u32) {
        (self.actor, self.stopped) = (actor, false);
    }

    /// Goes on to the message at a place of the batch, for which so many may be sent, replied and forwarded.
    pub(super) fn next(&mut self, message: u32, [sends, replies, forwards]: [u32; 3]) {
        self.message = message;
        self.limit = self.sent.to.len() + sends as usize;
        self.reply_limit = self.replied.to.len() + replies as usize;
        self.forward_limit = self.forwarded.to.len() + forwards as usize;
    }

    /// The actor's number.
    pub fn actor(&self) -> u32 {
        self.actor
    }

    /// How many actors the kernel has.
    pub fn actors(&self) -> u32 {
        self.actors
    }

    /// The time stamp of the message: a hybrid logical clock, milliseconds since 1970 times 2¹⁶ and a count in the lowest 16 bits. What is
    /// sent while a message is handled has a later stamp than that message.
    ///
    /// Source: Kulkarni and others, Logical Physical Clocks, 2014.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Sends an actor of the same kernel a message. It gets it after this batch; messages from one actor to one actor arrive in order. One to
    /// an actor that does not exist becomes a dead letter, and so does one that there is no room for, see
    /// [`RingOptions::sent_capacity`](super::RingOptions::sent_capacity).
    ///
    /// # Panics
    ///
    /// If more messages are sent for one than the kernel's attribute says, `#[ring_kernel(sends = 4)]` if it does not: the actor traps.
    #[track_caller]
    pub fn send<M: RingMessage>(&mut self, actor: u32, message: M) {
        if self.sent.to.len() == self.limit {
            panic!("{}", EXCEEDED[0]);
        }
        self.sent.push(actor, message);
    }

    /// Answers the message with more than what the handler returns. Who has sent it receives what was replied, in order, and then what was
    /// returned; who has called gets the first of these, and the others are received.
    ///
    /// A reply is of the type that the handler returns, and `#[ring_kernel(replies = 3)]` says how many there are at most to one message.
    ///
    /// # Panics
    ///
    /// If there are more: the actor traps.
    #[track_caller]
    pub fn reply<M: RingMessage>(&mut self, answer: M) {
        if self.replied.to.len() == self.reply_limit {
            panic!("{}", EXCEEDED[1]);
        }
        self.replied.push(self.message, answer);
    }

    /// Sends an actor of the linked kernel a message. Messages from one actor to one actor arrive in order; what that kernel does not take
    /// becomes a dead letter. See [`KernelHandle::link`](super::KernelHandle::link).
    ///
    /// It is of the type that the context names, `ctx: &mut Ring<L>`, and `#[ring_kernel(forwards = 4)]` says how many there are at most for one
    /// message.
    ///
    /// # Panics
    ///
    /// If there are more, 4 if the attribute does not say: the actor traps.
    #[track_caller]
    pub fn forward<M: RingMessage>(&mut self, actor: u32, message: M) {
        if self.forwarded.to.len() == self.forward_limit {
            panic!("{}", EXCEEDED[2]);
        }
        self.forwarded.push(actor, message);
    }

    /// Lets the actor stop after this message. What else is sent to it becomes dead letters.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Whether the actor is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// What was sent so far, with the number of the actor that it is for.
    pub fn sent<M: RingMessage>(&self) -> impl Iterator<Item = (u32, M)> + '_ {
        self.sent.messages()
    }

    /// What was forwarded so far, with the number of the actor that it is for.
    pub fn forwarded<M: RingMessage>(&self) -> impl Iterator<Item = (u32, M)> + '_ {
        self.forwarded.messages()
    }

    /// What was replied so far.
    pub fn replied<M: RingMessage>(&self) -> impl Iterator<Item = M> + '_ {
        self.replied.messages().map(|(_, reply)| reply)
    }
}
