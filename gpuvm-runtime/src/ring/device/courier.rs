//! The courier: what brings what a kernel's actors forward into columns of the kernel that theirs is linked to, where both have their states
//! in the same memory.

use std::sync::Arc;

use gpuvm_core::facts::RoutineType;
use gpuvm_core::program::Program;
use gpuvm_engine::Job;

use super::super::handler::FORWARDS;
use super::columns::{Columns, atomic, whole, words};
use super::depot::{Depot, Sizes};
use super::forwarding;
use super::parcel::Parcel;
use super::post::{Delivery, job, link};
use super::sequence::{End, Step};
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// The courier of two kernels.
pub struct Courier {
    from: Sizes,
    forward: Arc<Program>,
    delivery: Delivery,
    /// What the next parcel is made in.
    bag: Option<Bag>,
    /// The most messages that a round has forwarded, as far as the host has seen.
    most: usize,
}

/// Columns of the linked kernel.
struct Bag {
    depot: Arc<Depot>,
    columns: Columns,
}

impl Courier {
    /// The courier from a kernel to another one.
    ///
    /// # Errors
    ///
    /// [`Error::Link`] if its routines cannot be linked.
    pub fn new(runtime: &Runtime, from: Sizes, to: Sizes) -> Result<Courier> {
        let letters = [to.letter(), from.forwards, from.rooms[FORWARDS]];
        Ok(Courier {
            from,
            forward: link(runtime, "forward", forwarding::forward::routine(), &letters)?,
            delivery: Delivery::new(runtime, to, letters)?,
            bag: None,
            most: 0,
        })
    }

    /// Gets ready for rounds of about so many messages. False if there is no memory for it; then the host sees to what they forward.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn begin(&mut self, to: &Arc<Depot>, messages: usize) -> Result<bool> {
        if self.bag.is_none() {
            let columns = match to.take_empty(messages.max(self.most)) {
                Err(Error::OutOfMemory { .. }) => return Ok(false),
                columns => columns?,
            };
            let depot = Arc::clone(to);
            self.bag = Some(Bag { depot, columns });
        }
        Ok(true)
    }

    /// Whether what is forwarded goes its way without the host.
    pub fn is_ready(&self) -> bool {
        self.bag.is_some()
    }

    /// The jobs that make a parcel of what was forwarded in a turn, if it is ready for that.
    pub fn jobs(&self, columns: &Columns, turn: usize) -> Option<[(Step, Job); 3]> {
        let Bag { columns: bag, .. } = self.bag.as_ref()?;
        let (letters, links) = (&columns.rooms[FORWARDS], &columns.forwarded_links);
        let forward = vec![
            whole(&columns.mail[turn], self.from.actors),
            words(letters),
            atomic(&bag.lists),
            whole(links, links.words / 2),
            words(&bag.cells),
        ];
        let forward = job(&self.forward, self.from.actors, forward, Some(&bag.lists));
        let [address, receive] = self.delivery.jobs(bag, 0, links, letters);
        Some([forward, address, receive].map(|job| (Step::Forward, job)))
    }

    /// Takes the parcel that a round has made, if it has forwarded anything and the host need not see to the round.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn take(&mut self, end: &End) -> Result<Option<Parcel>> {
        let Some(Bag { depot, columns }) = self.bag.take() else {
            return Ok(None);
        };
        if !end.is_delivered() {
            depot.put(columns, end.step() != Some(Step::Forward));
            return Ok(None);
        }
        Ok(match depot.ask(&columns, 0)?.total {
            0 => {
                self.bag = Some(Bag { depot, columns });
                None
            }
            messages => Some(Parcel {
                depot,
                columns: Arc::new(columns),
                messages,
                accepted: None,
            }),
        })
    }

    /// Ends rounds, the last of which has forwarded so many messages by the host.
    pub fn end(&mut self, forwarded: usize) {
        self.most = self.most.max(forwarded);
        if let Some(Bag { depot, columns }) = self.bag.take() {
            depot.put(columns, true);
        }
    }
}
