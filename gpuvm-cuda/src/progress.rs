//! How far a device is: which submissions have ended, what waits for that, and who is told.
//!
//! After each submission the device writes the submission's number to a word of the host's, so to ask is to read a word. A fault never
//! writes it: so the driver is asked too, now and then.

use std::collections::VecDeque;
use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wgpu::BufferAsyncError;
use wgpu::custom::{BoxSubmittedWorkDoneCallback, BufferMapCallback};

use crate::buffer::Buffer;
use crate::driver::pinned::{HostPool, Pinned};
use crate::driver::{Driver, Mark, Result};
use crate::recording::Recording;

/// The submissions of a device.
#[derive(Debug)]
pub struct Progress {
    driver: Arc<dyn Driver>,
    fence: Fence,
    /// The last submission.
    submitted: AtomicU64,
    /// The last that is known to have ended.
    ended: AtomicU64,
    /// When the driver was asked last, in nanoseconds from the beginning.
    asked: AtomicU64,
    beginning: Instant,
    pending: Mutex<Pending>,
}

/// What the device writes when a submission ends.
#[derive(Debug)]
enum Fence {
    /// The low bits of its number.
    Word(Arc<Pinned>),
    /// Marks that it has passed, where it cannot write words.
    Marks(Mutex<VecDeque<(u64, Mark)>>),
}

/// What waits for submissions to end.
#[derive(Default)]
struct Pending {
    /// What submissions use, in their order.
    in_flight: VecDeque<(u64, Kept)>,
    maps: Vec<(u64, Map)>,
    done: Vec<(u64, BoxSubmittedWorkDoneCallback)>,
}

/// What a submission uses.
#[derive(Debug, Default)]
pub struct Kept {
    /// What was recorded.
    pub _recordings: Vec<Recording>,
    /// Where bytes are brought from.
    pub _staging: Vec<Arc<Pinned>>,
}

/// A mapping that was asked for.
pub struct Map {
    /// The buffer.
    pub buffer: Arc<Buffer>,
    /// Which of the buffer's mappings it is.
    pub number: u64,
    /// Who is told.
    pub callback: BufferMapCallback,
}

/// What has come to its end and has not been told yet.
#[derive(Default)]
#[must_use]
pub struct Ready {
    kept: Vec<Kept>,
    maps: Vec<Map>,
    done: Vec<BoxSubmittedWorkDoneCallback>,
}

/// How often the driver is asked whether something has gone wrong.
const QUESTIONS: Duration = Duration::from_millis(1);

impl Progress {
    /// No submission yet.
    ///
    /// # Errors
    ///
    /// When the driver has no memory for the word.
    pub fn new(driver: Arc<dyn Driver>, host: &Arc<HostPool>) -> Result<Progress> {
        let fence = if driver.writes_words() {
            let word = host.take(4)?;
            word.clear(0, 4);
            Fence::Word(word)
        } else {
            Fence::Marks(Mutex::default())
        };
        Ok(Progress {
            driver,
            fence,
            submitted: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            asked: AtomicU64::new(0),
            beginning: Instant::now(),
            pending: Mutex::default(),
        })
    }

    /// The last submission.
    pub fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Takes note of a submission of which all was told to the stream, and keeps what it uses until it has ended. To be called in the
    /// submissions' order, with the thread entered.
    ///
    /// # Errors
    ///
    /// When the driver cannot mark its end.
    pub fn submit(&self, number: u64, kept: Kept) -> Result<()> {
        // Kept whatever happens: the stream has been told of it.
        self.pending().in_flight.push_back((number, kept));
        self.submitted.store(number, Ordering::Release);
        match &self.fence {
            Fence::Word(word) => self.driver.write_word(word.address(), number as u32),
            Fence::Marks(marks) => {
                let mark = self.driver.mark()?;
                marks
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push_back((number, mark));
                Ok(())
            }
        }
    }

    /// The last submission that has ended.
    ///
    /// # Errors
    ///
    /// What has gone wrong on the device.
    pub fn ended(&self) -> Result<u64> {
        let submitted = self.submitted();
        let known = self.ended.load(Ordering::Acquire);
        if known >= submitted {
            return Ok(known);
        }
        let now = match &self.fence {
            Fence::Word(word) => {
                // The word is that of a number between these two, unless another thread has seen more already.
                let low = word.word(0).load(Ordering::Acquire);
                let further = u64::from(low.wrapping_sub(known as u32));
                if further <= submitted - known {
                    known + further
                } else {
                    known
                }
            }
            Fence::Marks(marks) => self.passed(marks, known)?,
        };
        let before = self.ended.fetch_max(now, Ordering::AcqRel);
        let now = now.max(before);
        if now < submitted {
            self.ask()?;
        }
        Ok(now)
    }

    /// Where marks have to tell it.
    fn passed(&self, marks: &Mutex<VecDeque<(u64, Mark)>>, mut known: u64) -> Result<u64> {
        let _entered = self.driver.enter()?;
        let mut marks = marks.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(&(number, mark)) = marks.front()
            && self.driver.has_passed(mark)?
        {
            self.driver.forget(mark);
            marks.pop_front();
            known = known.max(number);
        }
        Ok(known)
    }

    /// Asks the driver whether something has gone wrong, if it was not asked just now.
    fn ask(&self) -> Result<()> {
        let now = self.beginning.elapsed().as_nanos() as u64;
        let asked = self.asked.load(Ordering::Relaxed);
        if now.saturating_sub(asked) < QUESTIONS.as_nanos() as u64 {
            return Ok(());
        }
        self.asked.store(now, Ordering::Relaxed);
        let _entered = self.driver.enter()?;
        self.driver.is_idle().map(|_| ())
    }

    /// Asks for a mapping when a submission has ended.
    pub fn map_after(&self, submission: u64, map: Map) {
        self.pending().maps.push((submission, map));
    }

    /// Takes back a mapping that was asked for and has not been told.
    pub fn take_map(&self, buffer: &Buffer, number: u64) -> Option<Map> {
        let mut pending = self.pending();
        let is_it = |(_, map): &(u64, Map)| std::ptr::eq(&*map.buffer, buffer) && map.number == number;
        let at = pending.maps.iter().position(is_it)?;
        Some(pending.maps.remove(at).1)
    }

    /// Tells when all that was submitted so far has ended.
    pub fn when_done(&self, callback: BoxSubmittedWorkDoneCallback) {
        let mut pending = self.pending();
        pending.done.push((self.submitted(), callback));
    }

    /// Takes what has come to its end with a submission.
    pub fn ready(&self, ended: u64) -> Ready {
        let mut pending = self.pending();
        let finished = pending
            .in_flight
            .iter()
            .take_while(|(number, _)| *number <= ended)
            .count();
        let is_ready = |number: u64| number <= ended;
        Ready {
            kept: pending.in_flight.drain(..finished).map(|(_, kept)| kept).collect(),
            maps: pending
                .maps
                .extract_if(.., |(number, _)| is_ready(*number))
                .map(|(_, map)| map)
                .collect(),
            done: pending
                .done
                .extract_if(.., |(number, _)| is_ready(*number))
                .map(|(_, done)| done)
                .collect(),
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ready {
    /// Tells everybody, and lets go of what was used, with no lock held. Mappings are told first, as wgpu has it, and before letting go,
    /// which takes a while after thousands of launches.
    pub fn tell(self, lost: bool) {
        for map in self.maps {
            let mapped = map.buffer.finish_map(map.number, lost);
            (map.callback)(if mapped { Ok(()) } else { Err(BufferAsyncError) });
        }
        drop(self.kept);
        for done in self.done {
            done();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Fence::Marks(marks) = &mut self.fence
            && let Ok(_entered) = self.driver.enter()
        {
            let marks = marks.get_mut().unwrap_or_else(PoisonError::into_inner);
            marks.drain(..).for_each(|(_, mark)| self.driver.forget(mark));
        }
    }
}

impl Debug for Pending {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("in_flight", &self.in_flight.len())
            .field("maps", &self.maps.len())
            .field("done", &self.done.len())
            .finish()
    }
}
