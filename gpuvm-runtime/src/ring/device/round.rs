//! The job that is most of a round: each actor takes its list, handles its letters, and pushes what it has sent.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use gpuvm_core::facts::RoutineType;
use gpuvm_core::kernel::{Around, Call, Count, Input, Kernel, Mail, Output, Then};
use gpuvm_core::program::Program;
use gpuvm_core::types::TypeRef;
use gpuvm_engine::{Job, Slot};

use super::super::handler::{Entry, FORWARDS, REPLIES};
use super::columns::{Columns, Lists, part, shared, whole, words};
use super::delivery;
use super::depot::Sizes;
use super::post::job;
use super::{CONTEXT_WORDS, MAIL_WORDS};
use crate::error::Result;
use crate::runtime::Runtime;

/// What the actors of a kernel do in a round.
pub struct Round {
    /// Whether the host has to see to what was forwarded, and then whether it has not.
    kernels: [Kernel; 2],
    programs: [Option<Arc<Program>>; 2],
    sizes: Sizes,
    goes_on: bool,
}

impl Round {
    /// That of a kernel, given whether its actors go on by themselves with what they send, and whether anybody wants their answers.
    pub fn new(entry: &Entry, sizes: Sizes, goes_on: bool, is_wanted: bool) -> Round {
        let (tags, replies) = match is_wanted {
            true => (sizes.answer, sizes.rooms[REPLIES]),
            false => (0, 0),
        };
        let kernel = |forwards: u32| {
            let concerns = [sizes.sends, sizes.letter(), tags, replies, forwards];
            kernel(entry, goes_on.then_some(concerns))
        };
        Round {
            kernels: [kernel(sizes.rooms[FORWARDS]), kernel(0)],
            programs: [None, None],
            sizes,
            goes_on,
        }
    }

    /// Links what actors do, given whether what they forward goes its way without the host, or gives what was linked before.
    ///
    /// # Errors
    ///
    /// [`Error::Link`](crate::Error::Link) if that is not possible.
    pub fn link(&mut self, runtime: &Runtime, has_courier: bool) -> Result<Arc<Program>> {
        let at = usize::from(has_courier);
        let program = match &self.programs[at] {
            Some(program) => program,
            None => self.programs[at].insert(runtime.link_kernel(&self.kernels[at])?),
        };
        Ok(Arc::clone(program))
    }

    /// The job of a round, given the program and where the states are; the launch parameters are those of [`kernel`].
    pub fn job(&self, program: &Arc<Program>, columns: &Columns, round: usize, states: Slot) -> Job {
        let Sizes { actors, sends, .. } = self.sizes;
        let (turn, next) = (round % 2, (round + 1) % 2);
        let Columns {
            capacity,
            letters,
            links,
            lists,
            cells,
            contexts,
            ..
        } = columns;
        let at = Lists::of(actors);
        let link = |turn: usize| whole(&links[turn], links[turn].words / 2);
        let mut slots = vec![
            states,
            whole(&letters[turn], letters[turn].words / self.sizes.letter()),
            whole(&columns.answers, *capacity),
            whole(&columns.handled, actors),
            link(turn),
            whole(&columns.mail, columns.mail.words / MAIL_WORDS as u32),
            words(contexts),
            part(lists, at.heads(round)),
            part(lists, at.heads(round + 2)),
            shared(at.places()),
            words(cells),
        ];
        if sends > 0 {
            let mut record = whole(contexts, 1);
            record.place.stride = CONTEXT_WORDS as u32;
            slots.extend([record, whole(&letters[next], capacity * sends)]);
            let rooms = columns.rooms.iter().zip(self.sizes.rooms);
            let rooms = rooms.filter(|(_, words)| *words > 0);
            slots.extend(rooms.map(|(room, _)| whole(room, *capacity)));
        }
        if self.goes_on {
            slots.extend([
                words(&letters[next]),
                words(&columns.answers),
                words(&columns.rooms[REPLIES]),
                words(&columns.rooms[FORWARDS]),
                shared(at.heads(round + 1)),
                shared(at.counts()),
                link(next),
            ]);
        }
        job(program, actors, slots, Some(lists))
    }
}

/// What each VM of a round does, with what [`delivery::push`] is to know at last if actors go on by themselves.
fn kernel(entry: &Entry, concerns: Option<[u32; 5]>) -> Kernel {
    let (own, rooms) = entry.params();
    let [states, _, _, answers, handled, _, context, letters] = own;
    let read = |ty: TypeRef| TypeRef { mutable: false, ..ty };
    let atomics = TypeRef::of::<&[AtomicU32]>();
    let all = TypeRef::of::<&mut [u32]>();
    let mut params = vec![
        states,
        read(letters),
        answers,
        handled,
        TypeRef::of::<&mut [(u32, u32)]>(),
        TypeRef::of::<&mut [(u32, u32, u32)]>(),
        all,
        all,
        all,
        atomics,
        all,
    ];
    let [states, mail, answers, handled, links] = [0, 1, 2, 3, 4];
    let (lists, contexts, cells) = (7..=9, 6, 10);
    let message = Input::Field(Box::new(Input::Element(mail)), 1);
    let mut args = vec![Input::State, message];
    let around = (entry.sends > 0).then(|| {
        params.extend([context, letters]);
        Around {
            context: 11,
            letters: 12,
            sends: entry.sends,
        }
    });
    if let Some(around) = around {
        args.extend([Input::Param(around.context), Input::Param(around.letters)]);
        args.extend((params.len()..).zip(&rooms).map(|(room, _)| Input::Room(room)));
        params.extend(rooms);
    }
    let take = Call {
        routine: delivery::take::routine(),
        args: lists
            .clone()
            .chain([links, 5, contexts, handled, cells])
            .map(Input::Param)
            .collect(),
    };
    let after = concerns.map(|concerns| {
        let first = params.len();
        let read = read(all);
        params.extend([
            read,
            read,
            read,
            read,
            atomics,
            atomics,
            TypeRef::of::<&mut [(u32, u32)]>(),
        ]);
        let columns = std::iter::once(contexts).chain(first..params.len()).chain([cells]);
        let concerns = concerns.iter().map(|&word| Input::Constant(vec![word]));
        Call {
            routine: delivery::push::routine(),
            args: columns.map(Input::Param).chain(concerns).collect(),
        }
    });
    Kernel {
        name: entry.id.to_string(),
        params,
        result: TypeRef::of::<()>(),
        calls: vec![Call {
            routine: (entry.routine)(),
            args,
        }],
        count: Count::Slice(states),
        stores: vec![Output {
            value: Input::Call(0),
            to: answers,
        }],
        then: Some(Then::Handle {
            states,
            mail: Mail::List { take, links, after },
            handled,
            around,
        }),
    }
}
