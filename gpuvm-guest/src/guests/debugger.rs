//! One guest, taken to the host to be looked into: the emulator runs it there as the plain function that it is.

mod history;

use std::collections::BTreeSet;

use self::history::{Answered, History};
use super::{Asked, Edits, Guest, Guests, State, Way};
use crate::error::Result;
use crate::machine::Processor;
use crate::program::Machine;
use crate::routines::event::{self, Resume};
use crate::routines::layout::CHANGES;
use crate::routines::service::{self, Span};
use crate::stop::Stop;
use crate::system::System;

/// One guest under a debugger: it goes forward and back, instruction by instruction, stops where it is told to, and its registers and memory are there to be
/// read and changed. The others stand still meanwhile. What it has come to is the guest's when the debugger is [closed](Debugger::close); without that the guest
/// is as it was.
///
/// It is run on the host, by the same emulator, and there as fast as that is natively. Going back is exact: a guest does the same again from where it was, and the answers
/// to its system calls are kept.
///
/// ```no_run
/// # use gpuvm_guest::{Guests, Linux, StopReason};
/// # fn example(guests: &mut Guests) -> gpuvm_guest::Result<()> {
/// let main = guests.program(7).address_of("main").expect("it has symbols");
/// let mut debugger = guests.debug(7)?;
/// debugger.set_breakpoint(main);
/// if debugger.resume(&mut Linux::default(), &mut || false) == StopReason::Breakpoint {
///     println!("main after {} instructions, {:x?}", debugger.retired(), debugger.registers());
///     debugger.step_back();
/// }
/// debugger.close()
/// # }
/// ```
#[derive(Debug)]
pub struct Debugger<'g> {
    guests: &'g mut Guests,
    index: usize,
    /// What runs the guest otherwise.
    way: Way,
    shared: Vec<u32>,
    now: Moment,
    history: History,
    breakpoints: BTreeSet<u64>,
    watchpoints: BTreeSet<(u64, u64)>,
}

/// A guest as it stands.
#[derive(Clone, Debug)]
struct Moment {
    processor: Processor,
    /// Its chunk.
    own: Vec<u32>,
    guest: Guest,
}

/// Why a debugger has stopped its guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// It has done the step that was asked for.
    Step,
    /// It stands at a breakpoint.
    Breakpoint,
    /// Watched memory has changed; going back, it is about to.
    Watchpoint {
        /// Where that begins.
        address: u64,
    },
    /// It has ended, or has stopped as guests do.
    Stopped(Stop),
    /// Somebody wanted it to stop.
    Interrupted,
    /// It is where the debugger took it over, and there is nothing before that.
    Beginning,
}

/// Instructions between two looks at whether somebody wants a guest to stop.
const LOOK: u64 = 1 << 14;
/// Bytes that are read at a time.
const PIECE: u64 = 4 << 10;

impl Guests {
    /// Takes a guest to the host, to be looked into.
    ///
    /// # Errors
    ///
    /// If there is no such guest, and those of a launch.
    pub fn debug(&mut self, guest: usize) -> Result<Debugger<'_>> {
        self.guest(guest)?;
        let mut now = Moment {
            processor: self.cpus.get(&self.runtime, self.settings.engine, guest)?,
            own: self.chunk_of(guest)?,
            guest: self.guests[guest].clone(),
        };
        let way = std::mem::replace(&mut now.guest.way, Way::Never);
        Ok(Debugger {
            shared: self.shared.read()?,
            history: History::new(&now),
            now,
            way,
            guests: self,
            index: guest,
            breakpoints: BTreeSet::new(),
            watchpoints: BTreeSet::new(),
        })
    }
}

impl Debugger<'_> {
    /// Gives the guest back as it stands now.
    ///
    /// # Errors
    ///
    /// Those of a launch.
    pub fn close(self) -> Result<()> {
        let Debugger {
            guests,
            index,
            way,
            mut now,
            ..
        } = self;
        let done = guests
            .runtime
            .launch("gpuvm-guest.put")?
            .args((&guests.memory, (guests.chunk * index) as u32, &now.own))
            .engine(guests.settings.engine);
        done.run()?;
        guests.cpus.put(index, now.processor)?;
        // Who has changed its code is emulated.
        if now.own[CHANGES] == 0 {
            now.guest.way = way;
        }
        guests.guests[index] = now.guest;
        Ok(())
    }

    /// The guest's number.
    pub fn guest(&self) -> usize {
        self.index
    }

    /// Its machine.
    pub fn machine(&self) -> Machine {
        self.guests.program(self.index).machine()
    }

    /// Instructions that it has retired.
    pub fn retired(&self) -> u64 {
        self.now.guest.retired
    }

    /// The address of its next instruction.
    pub fn pc(&self) -> u64 {
        self.now.processor.pc()
    }

    /// Why it has stopped, if it does not go on by itself.
    pub fn stop(&self) -> Option<Stop> {
        match self.now.guest.state {
            State::Stopped(stop) => Some(stop),
            State::Ready(_) => None,
        }
    }

    /// Its integer registers, by number.
    pub fn registers(&self) -> Vec<u64> {
        self.now.processor.registers()
    }

    /// Its processor.
    #[cfg(feature = "gdb")]
    pub(crate) fn processor(&self) -> &Processor {
        &self.now.processor
    }

    /// Changes its processor. What it has done since is done anew.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Processor)) {
        change(&mut self.now.processor);
        self.now.guest.pc = self.pc();
        self.history.change(&self.now);
    }

    /// Sets an integer register. `false` if there is none of this number.
    pub fn set_register(&mut self, number: usize, value: u64) -> bool {
        let is_there = number < self.registers().len();
        if is_there {
            self.change(|processor| processor.set_register(number, value));
        }
        is_there
    }

    /// Reads memory, up to the first byte that the guest may not read itself.
    pub fn read(&mut self, address: u64, bytes: u64) -> Vec<u8> {
        self.now.read(&self.shared, address, bytes)
    }

    /// Writes memory. `false` if the guest may not write there itself; then some of the bytes may have been written.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let mut edits = Edits::default();
        edits.write(address, bytes);
        let refused = self.now.edit(&self.shared, &edits.words);
        self.history.change(&self.now);
        !refused
    }

    /// Has it stop before the instruction at an address.
    pub fn set_breakpoint(&mut self, address: u64) {
        self.breakpoints.insert(address);
    }

    /// `false` if there was none.
    pub fn clear_breakpoint(&mut self, address: u64) -> bool {
        self.breakpoints.remove(&address)
    }

    /// Has it stop when so many bytes from an address on change.
    pub fn set_watchpoint(&mut self, address: u64, bytes: u64) {
        self.watchpoints.insert((address, bytes));
    }

    /// `false` if there was none.
    pub fn clear_watchpoint(&mut self, address: u64, bytes: u64) -> bool {
        self.watchpoints.remove(&(address, bytes))
    }

    /// Runs one instruction. A system call is answered with it.
    pub fn step(&mut self, system: &mut dyn System) -> StopReason {
        self.forward(1, system);
        self.stop().map_or(StopReason::Step, StopReason::Stopped)
    }

    /// Runs it until it comes to a breakpoint, watched memory has changed, it stops by itself, or `interrupted` says so, which is asked now and then.
    pub fn resume(&mut self, system: &mut dyn System, interrupted: &mut dyn FnMut() -> bool) -> StopReason {
        let is_watched = !(self.breakpoints.is_empty() && self.watchpoints.is_empty());
        let most = if is_watched { 1 } else { LOOK };
        let mut asked = self.retired();
        let mut watched = self.watched();
        loop {
            self.forward(most, system);
            if let Some(changed) = self.changed(&mut watched) {
                return changed;
            }
            if let Some(stop) = self.stop() {
                return StopReason::Stopped(stop);
            }
            if self.breakpoints.contains(&self.pc()) {
                return StopReason::Breakpoint;
            }
            if self.retired() - asked >= LOOK {
                asked = self.retired();
                if interrupted() {
                    return StopReason::Interrupted;
                }
            }
        }
    }

    /// Takes the last instruction back.
    pub fn step_back(&mut self) -> StopReason {
        if self.retired() == self.history.first().guest.retired {
            return StopReason::Beginning;
        }
        self.go_to(self.retired() - 1);
        StopReason::Step
    }

    /// Goes back to where it last was at a breakpoint, or changed watched memory, or to where the debugger took it over.
    pub fn resume_back(&mut self) -> StopReason {
        let mut end = self.retired();
        while end > self.history.first().guest.retired {
            // From the moment before to where the search began that found nothing.
            self.now = self.history.at(end - 1).clone();
            let begin = self.retired();
            let mut watched = self.watched();
            let mut last = None;
            while self.retired() < end {
                let at = self.retired();
                if self.breakpoints.contains(&self.pc()) {
                    last = Some((at, StopReason::Breakpoint));
                }
                self.repeat(1);
                if self.retired() == at {
                    break;
                }
                if let Some(changed) = self.changed(&mut watched) {
                    last = Some((at, changed));
                }
            }
            if let Some((at, reason)) = last {
                self.go_to(at);
                return reason;
            }
            end = begin;
        }
        self.now = self.history.first().clone();
        StopReason::Beginning
    }

    /// Goes to where it has retired so many instructions, which is not before the beginning and not after now.
    fn go_to(&mut self, retired: u64) {
        self.now = self.history.at(retired).clone();
        self.repeat(retired - self.retired());
    }

    /// What is watched, as it is.
    fn watched(&mut self) -> Vec<Vec<u8>> {
        let watchpoints = self.watchpoints.iter();
        watchpoints
            .map(|&(address, bytes)| self.now.read(&self.shared, address, bytes))
            .collect()
    }

    /// The watchpoint whose memory is no longer as it was, if there is one.
    fn changed(&mut self, watched: &mut Vec<Vec<u8>>) -> Option<StopReason> {
        if watched.is_empty() {
            return None;
        }
        let before = std::mem::replace(watched, self.watched());
        let changed = before.iter().zip(&*watched).position(|(before, now)| before != now)?;
        let (address, _) = self.watchpoints.iter().nth(changed)?;
        Some(StopReason::Watchpoint { address: *address })
    }

    /// Lets it go on for so many instructions at most, and answers its system call if it comes to one.
    fn forward(&mut self, most: u64, system: &mut dyn System) {
        let asked = self.run(most);
        if let Some(asked) = asked
            && !self.history.repeat_answer(&mut self.now, &self.shared)
        {
            let answered = self.answer(&asked, system);
            answered.apply(&mut self.now, &self.shared);
            self.history.note(self.now.guest.retired, answered);
        }
        self.arrive();
    }

    /// Runs it for so many instructions at most, and not past a change that was made to it.
    fn run(&mut self, most: u64) -> Option<Asked> {
        let most = match self.history.next_change(self.retired()) {
            Some(change) => most.min(change - self.retired()),
            None => most,
        };
        self.now.run(&self.shared, most, self.guests.settings.budget)
    }

    /// Has it changed as it was here, and keeps the moment now and then.
    fn arrive(&mut self) {
        match self.history.changed_at(self.retired()) {
            Some(changed) => self.now = changed.clone(),
            None => self.history.see(&self.now),
        }
    }

    /// Does again what it has done, for so many instructions.
    fn repeat(&mut self, instructions: u64) {
        let end = self.retired() + instructions;
        while self.retired() < end {
            let asked = self.run(end - self.retired());
            let goes_on = asked.is_none() || self.history.repeat_answer(&mut self.now, &self.shared);
            self.arrive();
            if !goes_on || self.stop().is_some() {
                break;
            }
        }
    }

    /// Has a system call answered.
    fn answer(&mut self, asked: &Asked, system: &mut dyn System) -> Answered {
        let (word, index) = (self.guests.cpus.word(), self.index);
        let place = &self.guests.places[self.now.guest.program];
        let mut seen: Vec<Vec<u8>> = Vec::new();
        loop {
            let wants = system.wants(&self.now.guest.call(index, asked, word), &seen);
            if wants.is_empty() {
                break;
            }
            let wanted = wants
                .iter()
                .map(|&(address, bytes)| self.now.read(&self.shared, address, bytes));
            seen.extend(wanted.collect::<Vec<_>>());
        }
        let mut call = self.now.guest.call(index, asked, word);
        let answer = system.answer(&mut call, &seen);
        let made = std::mem::take(&mut call.edits);
        let mut edits = Edits::default();
        made.iter().for_each(|edit| edits.add(edit, place));
        Answered {
            edits: edits.words,
            streams: self.now.guest.streams.clone(),
            heap: self.now.guest.heap,
            state: State::after(answer, asked),
        }
    }
}

impl Moment {
    /// Runs it for so many instructions at most. Gives what it asks the system.
    fn run(&mut self, shared: &[u32], most: u64, budget: u64) -> Option<Asked> {
        let State::Ready(answer) = self.guest.state else {
            return None;
        };
        let left = budget.saturating_sub(self.guest.retired);
        let resume = Resume {
            go: true,
            answered: answer.is_some(),
            answer: answer.unwrap_or(0),
            budget: most.min(left).min(u64::from(u32::MAX >> 1)) as u32,
            patience: u32::MAX,
        };
        let event = self.processor.run(&mut self.own, shared, resume);
        let asked = self.guest.stopped(&event, budget);
        if event.kind == event::NEEDS_FLOATS {
            self.processor.with_floats();
            return self.run(shared, most - u64::from(event.retired), budget);
        }
        asked
    }

    /// Reads what the guest may read. Room is made only for what is there, whatever a guest asks for.
    fn read(&mut self, shared: &[u32], address: u64, bytes: u64) -> Vec<u8> {
        let end = address.saturating_add(bytes).min(1 << 32);
        let mut read = Vec::new();
        let mut at = address;
        while at < end {
            let count = (end - at).min(PIECE) as u32;
            let mut out = [0; (PIECE / 4) as usize];
            let from = at as u32;
            let done = service::peek(&mut self.own, shared, Span { from, count }, &mut out);
            read.extend(out.iter().flat_map(|word| word.to_le_bytes()).take(done as usize));
            if done < count {
                break;
            }
            at += u64::from(count);
        }
        read
    }

    /// Whether something was refused.
    fn edit(&mut self, shared: &[u32], edits: &[u32]) -> bool {
        let span = Span {
            from: 0,
            count: edits.len() as u32,
        };
        service::edit(&mut self.own, shared, edits, span) != 0
    }
}
