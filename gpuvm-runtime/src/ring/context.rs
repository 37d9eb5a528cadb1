//! What a handler has of the kernel around it.

use gpuvm_core::types::RingMessage;

/// The surroundings of the actor whose message is handled: a ring kernel's third parameter, `ctx: &mut Ring`.
///
/// In a unit test a handler can be given one of your own, and asked for what it has sent:
///
/// ```
/// # use gpuvm_runtime::ring::Ring;
/// let mut ctx = Ring::new(3, 10);
/// assert_eq!((ctx.actor(), ctx.actors(), ctx.is_stopped()), (3, 10, false));
/// ```
#[derive(Clone, Debug)]
pub struct Ring {
    actor: u32,
    actors: u32,
    now: u64,
    /// How many messages may have been sent after the one under way.
    limit: usize,
    stopped: bool,
    pub(super) sent: Sent,
}

/// Messages that actors have sent, in order.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// Whom to.
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
}

impl Ring {
    /// The surroundings of an actor, for a unit test.
    pub fn new(actor: u32, actors: u32) -> Ring {
        Ring {
            actor,
            actors,
            now: 0,
            limit: usize::MAX,
            stopped: false,
            sent: Sent::default(),
        }
    }

    /// The surroundings of actors at a time.
    pub(super) fn at(now: u64, actors: u32) -> Ring {
        Ring {
            now,
            ..Ring::new(0, actors)
        }
    }

    /// Goes on to an actor.
    pub(super) fn enter(&mut self, actor: u32) {
        (self.actor, self.stopped) = (actor, false);
    }

    /// Goes on to a message, for which so many may be sent.
    pub(super) fn next(&mut self, sends: u32) {
        self.limit = self.sent.to.len() + sends as usize;
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
    /// an actor that does not exist becomes a dead letter.
    ///
    /// # Panics
    ///
    /// If more messages are sent for one than the kernel's attribute says, `#[ring_kernel(sends = 4)]` if it does not: the actor traps.
    #[track_caller]
    pub fn send<M: RingMessage>(&mut self, actor: u32, message: M) {
        if self.sent.to.len() == self.limit {
            panic!("an actor sent more messages for one than its ring kernel says; raise `#[ring_kernel(sends = …)]`");
        }
        self.sent.to.push(actor);
        let at = self.sent.words.len();
        self.sent.words.resize(at + M::TYPE.words as usize, 0);
        message.write_words(&mut self.sent.words[at..]);
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
        let size = M::TYPE.words as usize;
        let message = move |(at, &to): (usize, &u32)| (to, M::read_words(&self.sent.words[at * size..(at + 1) * size]));
        self.sent.to.iter().enumerate().map(message)
    }
}
