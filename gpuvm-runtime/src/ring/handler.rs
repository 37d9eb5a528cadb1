//! A handler as the macro hands it over: typed, and behind an [`Entry`] of plain functions that the registry keeps.

use gpuvm_core::kernel::Kernel;
use gpuvm_core::routine::Routine;
use gpuvm_core::types::{Answer, RingMessage, Type, TypeRef, Value, VmType};

use super::context::Ring;
use super::native::{Actors, Native};

/// The function of a ring kernel; what `#[ring_kernel]` implements for the type beside it.
pub trait Handler: Send + Sync + 'static {
    /// What each actor keeps. An actor starts with its default.
    type State: VmType + Default;
    /// What an actor understands.
    type Message: RingMessage;
    /// What an actor answers.
    type Answer: Answer;

    /// The words of a state, of a message and of an answer.
    const WORDS: [u32; 3] = [
        Self::State::TYPE.words,
        Self::Message::TYPE.words,
        Self::Answer::TYPE.words,
    ];

    /// The types of the function's first two parameters and of its result.
    const SIGNATURE: [TypeRef; 3] = [
        <&mut Self::State as Value>::REFERENCE,
        Self::Message::REFERENCE,
        Self::Answer::REFERENCE,
    ];

    /// The most messages that an actor sends while it handles one; 0 if the function has no context.
    const SENDS: u32;

    /// What actors of the linked kernel understand; `()` if the handler forwards nothing.
    type Linked: Answer;

    /// Room for the replies to one message, `(u32, [R; N])`: how many there are, and these. `()` if the handler does not reply.
    type Replies: VmType;

    /// The most replies to one message.
    const REPLIES: u32;

    /// Room for the messages that are forwarded for one, `(u32, [(u32, L); N])`, likewise.
    type Forwards: VmType;

    /// The most messages that are forwarded for one.
    const FORWARDS: u32;

    /// The function itself.
    fn handle(state: &mut Self::State, message: Self::Message, ctx: &mut Ring<Self::Linked>) -> Self::Answer;
}

/// A registered ring kernel.
#[derive(Debug)]
pub struct Entry {
    /// What `launch_ring` names it by.
    pub id: &'static str,
    /// The source file of its function.
    pub file: &'static str,
    /// The line of its name.
    pub line: u32,
    /// Its handler's code.
    pub routine: fn() -> &'static Routine,
    /// The type of an actor's state.
    pub(crate) state: &'static Type,
    /// What actors are sent.
    pub(crate) message: Kind,
    /// What actors answer, if they do.
    pub(crate) answer: Option<Kind>,
    /// The type that the handler returns.
    pub(crate) returned: &'static Type,
    /// Whether that is an `Option` of the answer.
    pub(crate) optional: bool,
    /// The launch parameters of its kernel, see [`Kernel::handler`].
    params: [TypeRef; 10],
    /// See [`Handler::SENDS`].
    pub(crate) sends: u32,
    /// What actors forward to those of a linked kernel, if they do.
    pub(crate) linked: Option<Kind>,
    /// The launch parameters of [`Handler::Replies`] and [`Handler::Forwards`].
    rooms: [TypeRef; ROOMS],
    /// The words of the default state.
    pub(crate) initial: fn() -> Vec<u32>,
    /// So many actors that run natively.
    pub(crate) native: fn(usize) -> Box<dyn Native>,
}

inventory::collect!(Entry);

/// A type of messages.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// What it is called.
    pub name: &'static str,
    /// Its number, see [`RingMessage::ID`].
    pub id: u64,
    /// How its words lie.
    pub ty: &'static Type,
}

impl Kind {
    /// The type of an answer's messages, if there are any.
    const fn of<A: Answer>() -> Option<Kind> {
        match A::MESSAGE {
            Some((name, id)) => Some(Kind {
                name,
                id,
                ty: A::Message::TYPE,
            }),
            None => None,
        }
    }
}

/// Room for values that come of a message, of which the first word is how many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Its words; 0 if there never are any values.
    pub words: usize,
    /// Words of a value.
    pub each: usize,
}

/// How many rooms there are for a message.
pub(crate) const ROOMS: usize = 2;
/// The room for replies.
pub(crate) const REPLIES: usize = 0;
/// The room for what is forwarded: an actor and its message each.
pub(crate) const FORWARDS: usize = 1;

impl Entry {
    /// What it keeps, is sent and answers, for people.
    pub(crate) fn signature(&self) -> String {
        let answer = self.answer.map(|answer| format!(" -> {}", answer.name));
        format!(
            "{}(&mut {}, {}){}",
            self.id,
            self.state,
            self.message.name,
            answer.unwrap_or_default()
        )
    }

    /// The entry of a handler.
    pub const fn of<H: Handler>(
        id: &'static str,
        file: &'static str,
        line: u32,
        routine: fn() -> &'static Routine,
    ) -> Entry {
        Entry {
            id,
            file,
            line,
            routine,
            state: H::State::TYPE,
            message: Kind {
                name: H::Message::TYPE.name,
                id: <H::Message as RingMessage>::ID,
                ty: H::Message::TYPE,
            },
            answer: Kind::of::<H::Answer>(),
            returned: H::Answer::TYPE,
            optional: H::Answer::OPTIONAL,
            params: [
                TypeRef::of::<&mut [H::State]>(),
                TypeRef::of::<&[(u32, u32, u32)]>(),
                TypeRef::of::<&[H::Message]>(),
                TypeRef::of::<&mut [H::Answer]>(),
                TypeRef::of::<&mut [u32]>(),
                TypeRef::of::<&mut [u32]>(),
                TypeRef::of::<u64>(),
                TypeRef::of::<&mut u32>(),
                TypeRef::of::<&mut bool>(),
                TypeRef::of::<&mut [(u32, H::Message)]>(),
            ],
            sends: H::SENDS,
            linked: Kind::of::<H::Linked>(),
            rooms: [TypeRef::of::<&mut [H::Replies]>(), TypeRef::of::<&mut [H::Forwards]>()],
            initial: initial::<H>,
            native: |actors| Box::new(Actors::<H>::new(actors)),
        }
    }

    /// The words of an answer; 0 if actors do not answer.
    pub(crate) fn answer_words(&self) -> usize {
        self.answer.map_or(0, |kind| kind.ty.words as usize)
    }

    /// The rooms for what comes of a message beside its answer.
    pub(crate) fn rooms(&self) -> [Room; ROOMS] {
        let mut rooms = self.rooms.map(|room| Room {
            words: room.ty.element.map_or(0, |room| room.words as usize),
            each: self.answer_words(),
        });
        rooms[FORWARDS].each = self.linked.map_or(0, |kind| 1 + kind.ty.words as usize);
        rooms
    }

    /// The most messages that an actor forwards while it handles one.
    pub(crate) fn forwards(&self) -> usize {
        let Room { words, each } = self.rooms()[FORWARDS];
        words.saturating_sub(1) / each.max(1)
    }

    /// What each VM of a batch does.
    pub(crate) fn kernel(&self) -> Kernel {
        let is_used = |param: &&TypeRef| param.ty.element.is_some_and(|room| room.words > 0);
        let rooms: Vec<TypeRef> = self.rooms.iter().filter(is_used).copied().collect();
        Kernel::handler((self.routine)(), self.params, self.sends, &rooms)
    }
}

#[cfg(test)]
impl Entry {
    /// The entry of actors that are sent numbers, answer numbers, and may send one for each, whatever handles them.
    pub(crate) const fn of_numbers() -> Entry {
        let number = Kind {
            name: "u32",
            id: 1,
            ty: u32::TYPE,
        };
        Entry {
            id: "numbers",
            file: file!(),
            line: line!(),
            routine: || unreachable!("no engine runs it"),
            state: u32::TYPE,
            message: number,
            answer: Some(number),
            returned: u32::TYPE,
            optional: false,
            params: [TypeRef::of::<&[u32]>(); 10],
            sends: 1,
            linked: None,
            rooms: [TypeRef::of::<&mut [()]>(); ROOMS],
            initial: || vec![0],
            native: |_| unreachable!("it does not run natively"),
        }
    }
}

fn initial<H: Handler>() -> Vec<u32> {
    let mut words = vec![0; H::State::TYPE.words as usize];
    H::State::default().write_words(&mut words);
    words
}
