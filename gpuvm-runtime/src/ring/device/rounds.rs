//! Rounds of actors on their own: what they have sent each other is brought to them in the engine's memory and handled there, round after
//! round, as sequences of jobs. The host looks from time to time, when nobody has mail any more, and when a round has come to something that
//! it has to see to: an answer, a trap, an actor that stops, or mail that the device does not deliver.
//!
//! What they forward to a kernel in the same memory gets there as a [`Parcel`]; the host then looks after each round whether there is one.
//! What that kernel does with a parcel is a round too, the only one if its actors do not go on by themselves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gpuvm_engine::Execute;

use super::super::batch::Grouper;
use super::super::context::Sent;
use super::super::handler::Entry;
use super::super::options::Answers;
use super::super::runner::{Linked, Rounds, Turn};
use super::columns::Columns;
use super::courier::Courier;
use super::depot::Depot;
use super::ending::quiet;
use super::parcel::Parcel;
use super::post::Post;
use super::sequence::{End, Step};
use super::{Here, OnDevice};
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// What actors on their own need.
pub struct OnTheirOwn {
    runtime: Runtime,
    entry: &'static Entry,
    pub depot: Arc<Depot>,
    /// Groups the mail of the first round; `None` if actors do not go on by themselves, because they send nothing or always answer.
    grouper: Option<Grouper>,
    /// Whether anybody wants their answers.
    is_wanted: bool,
    /// Made when they are first needed, as what follows.
    pub post: Option<Post>,
    pub courier: Option<Courier>,
}

/// Columns in which there are rounds.
#[derive(Clone, Copy)]
pub struct Place<'p> {
    pub columns: &'p Columns,
    /// How many messages the first round has.
    pub messages: usize,
}

/// What has become of columns in which there were rounds.
struct Gone {
    rounds: Rounds,
    /// Whether they are [clean](Columns::is_clean).
    is_clean: bool,
    /// Whether more rounds are possible.
    is_possible: bool,
}

/// Where fewer of so many actors have mail, the host delivers it: on the device a round costs what looking at all actors does.
pub const ACTORS_PER_MESSAGE: u32 = 16;
/// Rounds in a row at most. It begins with one and doubles, so that little is sent in vain.
const MOST_ROUNDS: usize = 64;
/// How long a sequence may take before the next one is shorter: messages from outside wait for it.
const LONG: Duration = Duration::from_millis(20);

impl OnTheirOwn {
    /// What actors of a kernel need on an engine, given whether anybody wants their answers and how many messages a round may have; `None` if
    /// the engine has no sequences or no memory.
    pub fn new(
        runtime: &Runtime,
        entry: &'static Entry,
        executor: &dyn Execute,
        (actors, answers): ((u32, &Here), Answers),
        share: usize,
    ) -> Option<OnTheirOwn> {
        let memory = executor.memory().filter(|_| executor.sequence().is_some())?;
        let is_wanted = entry.answer.is_some() && answers == Answers::Keep;
        let goes_round = entry.sends > 0 && (!is_wanted || entry.optional);
        Some(OnTheirOwn {
            runtime: runtime.clone(),
            entry,
            depot: Arc::new(Depot::new(memory, entry, actors, share)),
            grouper: goes_round.then(|| Grouper::new(actors.0, entry.message.ty.words as usize)),
            is_wanted,
            post: None,
            courier: None,
        })
    }

    /// Whether actors go on by themselves with what they send each other.
    pub fn goes_round(&self) -> bool {
        self.grouper.is_some()
    }

    /// Whether what they forward gets on the device to the actors of a kernel with this depot.
    pub fn delivers_to(&self, depot: &Depot) -> bool {
        self.goes_round() && self.depot.is_beside(depot)
    }

    /// Columns with these messages as the first mail, at a time of the kernel's clock.
    fn columns_with(&mut self, sent: &Sent, stopped: &[u32], now: u64) -> Result<Option<Columns>> {
        let Some(grouper) = &mut self.grouper else {
            return Ok(None);
        };
        let columns = match self.depot.take(sent.to.len()) {
            Err(Error::OutOfMemory { .. }) => return Ok(None),
            columns => columns?,
        };
        let batch = grouper.group(&sent.to, &sent.words);
        let filled = self.depot.fill(&columns, &batch.whole(), now, stopped);
        grouper.reuse(batch);
        match filled {
            Err(Error::OutOfMemory { .. }) => Ok(None),
            filled => filled.map(|()| Some(columns)),
        }
    }

    /// Links what rounds need that has not been linked before.
    pub(super) fn get_ready(&mut self, linked: Option<&Linked<'_>>) -> Result<()> {
        let OnTheirOwn { runtime, depot, .. } = self;
        let sizes = depot.sizes;
        if self.grouper.is_some() && self.post.is_none() {
            self.post = Some(Post::new(runtime, self.entry, sizes, self.is_wanted)?);
        }
        if let Some(linked) = linked
            && self.courier.is_none()
        {
            self.courier = Some(Courier::new(runtime, sizes, linked.depot.sizes)?);
        }
        Ok(())
    }
}

impl Drop for OnTheirOwn {
    fn drop(&mut self) {
        // Kernels that are linked to this one may have the depot for a while.
        self.depot.make_way();
    }
}

/// Whether so many messages are enough for rounds of so many actors on the device.
pub fn is_dense(messages: usize, actors: u32) -> bool {
    messages >= actors.div_ceil(ACTORS_PER_MESSAGE) as usize
}

impl OnDevice {
    /// Rounds on what actors have sent, at a time of the kernel's clock. Where there is no memory for them there are none from now on.
    pub(super) fn go_round(&mut self, sent: &Sent, stopped: &[u32], turn: &Turn<'_>) -> Result<Option<Rounds>> {
        let Some(mut own) = self.on_their_own.take() else {
            return Ok(None);
        };
        let Some(columns) = own.columns_with(sent, stopped, turn.now)? else {
            return Ok(None);
        };
        let place = Place {
            columns: &columns,
            messages: sent.to.len(),
        };
        let gone = self.rounds_at(&mut own, place, turn)?;
        Ok(gone.map(|gone| self.take_back(own, columns, gone)))
    }

    /// Rounds that begin with a parcel. If none are possible its messages are left.
    pub(super) fn go_round_with(&mut self, parcel: Parcel, turn: &Turn<'_>) -> Result<Rounds> {
        if let Some(mut own) = self.on_their_own.take() {
            let Parcel { columns, messages, .. } = &parcel;
            let cells = own.depot.cells(columns, *messages, turn.now);
            match own.depot.write(&columns.cells, &cells) {
                Err(Error::OutOfMemory { .. }) => return Rounds::without(parcel),
                written => written?,
            }
            let place = Place {
                columns,
                messages: parcel.len(),
            };
            if let Some(gone) = self.rounds_at(&mut own, place, turn)? {
                return Ok(self.take_back(own, Arc::unwrap_or_clone(parcel.columns), gone));
            }
        }
        Rounds::without(parcel)
    }

    /// Takes back what rounds needed, if more of them are possible.
    fn take_back(&mut self, mut own: OnTheirOwn, columns: Columns, gone: Gone) -> Rounds {
        if let Some(courier) = &mut own.courier {
            let last = gone.rounds.last.as_ref();
            courier.end(last.map_or(0, |(_, handled)| handled.forwarded.to.len()));
        }
        if gone.is_possible {
            own.depot.put(columns, gone.is_clean);
            self.on_their_own = Some(own);
        }
        gone.rounds
    }

    /// Rounds until the host has something to do; `None` if not even one is possible.
    fn rounds_at(&self, own: &mut OnTheirOwn, place: Place<'_>, turn: &Turn<'_>) -> Result<Option<Gone>> {
        let linked = turn.linked.as_ref().filter(|linked| own.delivers_to(&linked.depot));
        own.get_ready(linked)?;
        let (mut before, mut ahead) = (0, 1);
        loop {
            // Each round may make a parcel.
            if let (Some(linked), Some(courier)) = (linked, &mut own.courier)
                && courier.begin(&linked.depot, place.messages)?
            {
                ahead = 1;
            }
            let begin = Instant::now();
            let end = match self.sequence(own, place, before..before + ahead, turn) {
                // A sequence of one round is submitted at once, or not at all.
                Err(Error::OutOfMemory { .. }) if before == 0 => return Ok(None),
                end => end?,
            };
            if let (Some(linked), Some(courier)) = (linked, &mut own.courier)
                && let Some(parcel) = courier.take(&end)?
            {
                (linked.hand_over)(parcel, turn.now + before as u64)?;
            }
            if let End::Clean = end
                && own.goes_round()
            {
                before += ahead;
                if !(turn.is_wanted)() {
                    ahead = match begin.elapsed() > LONG {
                        true => (ahead / 2).max(1),
                        false => MOST_ROUNDS.min(ahead * 2),
                    };
                    continue;
                }
            }
            return Ok(Some(self.see(own, place, before, &end)?));
        }
    }

    /// What has become of columns when a sequence has ended after so many rounds, and the host has something to do.
    fn see(&self, own: &OnTheirOwn, place: Place<'_>, before: usize, end: &End) -> Result<Gone> {
        let (depot, columns) = (&*own.depot, place.columns);
        let mut is_possible = true;
        let rounds = match end {
            End::Clean if own.goes_round() => self.recall(depot, columns, before)?,
            End::Clean if self.shape.sends == 0 && !own.is_wanted => Rounds {
                count: 1,
                handled: place.messages as u64,
                ..Rounds::default()
            },
            End::Clean => self.last(depot, columns, 0, &[])?,
            &End::Quiet(round) => quiet(depot, columns, round)?,
            End::Stopped(at, standing) => self.last(depot, columns, at.round, standing)?,
            End::Before(at) if at.step <= Step::Handle => {
                is_possible = false;
                self.recall(depot, columns, at.round)?
            }
            End::Before(at) => self.last(depot, columns, at.round, &[])?,
        };
        Ok(Gone {
            rounds,
            is_clean: end.is_delivered(),
            is_possible,
        })
    }
}
