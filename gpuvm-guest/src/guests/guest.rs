//! What the host knows of a guest, and what runs it next.

use crate::machine::Runner;
use crate::routines::event::{self, Event, Resume};
use crate::stop::{FaultKind, Stop};
use crate::system::{Answer, Call, Heap, Streams};

/// What the host knows of a guest.
#[derive(Clone, Debug)]
pub(super) struct Guest {
    pub program: usize,
    pub streams: Streams,
    pub heap: Heap,
    pub retired: u64,
    /// With what it goes on, or why it does not.
    pub state: State,
    pub way: Way,
    /// The address of its next instruction, once it has run.
    pub pc: u64,
    /// How many instructions it is emulated before it goes on by translated code.
    patience: u32,
    /// Whether it has come to what the emulator's core does not do.
    needs_whole: bool,
    /// How many instructions the whole emulator runs it then.
    stint: u32,
}

/// What runs a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Translated code, until it leaves that.
    Translated,
    /// The emulator, until there is translated code.
    Emulated,
    /// The emulator alone, because the guest has changed its code or nothing is translated.
    Never,
}

/// A guest that comes back from translated code before it has retired so many instructions is emulated longer each time, up to as many.
pub(super) const WORTH_IT: u32 = 1 << 12;
const MOST_PATIENCE: u32 = 1 << 16;
/// The same of one that the emulator's core leaves to the whole one: from so many instructions on.
const LEAST_STINT: u32 = 1 << 4;
const MOST_STINT: u32 = 1 << 16;
/// What translated code asks of a budget at most, and a bit more.
const LITTLE: u64 = 1 << 10;
/// A guest is emulated for so long at least before the translator is told where it is.
const AT_LEAST: u64 = 1 << 10;
/// Of a budget so much at a time, so that what is left of it is a signed number.
const MOST_AT_ONCE: u64 = 1 << 30;

#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Ready(Option<u64>),
    Stopped(Stop),
}

impl State {
    /// What a guest is after the answer to its system call.
    pub fn after(answer: Answer, asked: &Asked) -> State {
        match answer {
            Answer::Value(value) => State::Ready(Some(value)),
            Answer::Error(number) => State::Ready(Some(i64::from(number).wrapping_neg() as u64)),
            Answer::Exit(code) => State::Stopped(Stop::Exited(code)),
            Answer::Wait | Answer::Halt => State::Stopped(asked.stop()),
        }
    }

    /// What it is if the answer writes to where the guest may not.
    pub fn refused(self) -> State {
        match self {
            State::Ready(Some(_)) => State::Ready(Some((-14i64) as u64)), // EFAULT
            state => state,
        }
    }
}

/// A system call as an event tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    number: u64,
    arguments: [u64; 6],
    pc: u64,
}

impl Asked {
    pub fn stop(&self) -> Stop {
        Stop::Syscall {
            number: self.number,
            arguments: self.arguments,
            pc: self.pc,
        }
    }
}

impl Guest {
    /// One at the first instruction of a program.
    pub fn new(program: usize, way: Way, streams: Streams, heap: Heap, pc: u64) -> Guest {
        Guest {
            program,
            streams,
            heap,
            retired: 0,
            state: State::Ready(None),
            way,
            pc,
            patience: 1,
            needs_whole: false,
            stint: LEAST_STINT,
        }
    }

    /// What runs it next, if its machine's emulator has a core on this engine or has none.
    pub fn runner(&self, has_core: bool) -> Runner {
        match self.way {
            Way::Translated => Runner::Translation,
            _ if self.needs_whole || !has_core => Runner::Whole,
            _ => Runner::Core,
        }
    }

    /// What it is told before a run of so many instructions at most, of a budget in all.
    pub fn resume(&self, slice: u32, budget: u64) -> Resume {
        let State::Ready(answer) = self.state else {
            return Resume::default();
        };
        let most = match self.way {
            _ if self.needs_whole => u64::from(self.stint),
            Way::Emulated => u64::from(self.patience) * 4 + AT_LEAST,
            _ => MOST_AT_ONCE,
        };
        let left = budget.saturating_sub(self.retired);
        Resume {
            go: true,
            answered: answer.is_some(),
            answer: answer.unwrap_or(0),
            budget: left.min(u64::from(slice)).min(most) as u32,
            // What is left of a budget in the end is too little for translated code.
            patience: if self.way == Way::Never || left < LITTLE {
                u32::MAX
            } else {
                self.patience
            },
        }
    }

    /// Notes how it has stopped. A system call is to be answered.
    pub fn stopped(&mut self, event: &Event, budget: u64) -> Option<Asked> {
        self.retired += u64::from(event.retired);
        let pc = event.pc;
        self.pc = pc;
        self.turn(event);
        self.state = match event.kind {
            event::BUDGET if self.retired >= budget => State::Stopped(Stop::OutOfBudget { pc }),
            event::BUDGET | event::NEEDS_FLOATS | event::IDLE => State::Ready(None),
            event::LEFT | event::ENTERED | event::CHANGED | event::NEEDS_WHOLE => State::Ready(None),
            event::CALL => {
                return Some(Asked {
                    number: event.detail,
                    arguments: event.arguments,
                    pc,
                });
            }
            event::BREAKPOINT => State::Stopped(Stop::Breakpoint { pc }),
            kind => State::Stopped(Stop::Fault {
                kind: FaultKind::of(kind),
                address: event.detail,
                pc,
            }),
        };
        None
    }

    /// Whether the whole emulator has run it for a while on behalf of the core, which goes on with it.
    pub fn was_stint(&self, event: &Event) -> bool {
        self.needs_whole && event.kind == event::BUDGET && u64::from(event.retired) < AT_LEAST
    }

    /// Decides what runs it next.
    fn turn(&mut self, event: &Event) {
        let was_stint = self.was_stint(event);
        match event.kind {
            event::NEEDS_WHOLE => {
                self.needs_whole = true;
                self.stint = match event.retired {
                    WORTH_IT.. => LEAST_STINT,
                    _ => (self.stint * 2).min(MOST_STINT),
                };
            }
            event::NEEDS_FLOATS => {}
            _ => self.needs_whole = false,
        }
        match (self.way, event.kind) {
            _ if was_stint => {}
            (Way::Never, _) => {}
            (_, event::CHANGED) => self.way = Way::Never,
            (_, event::ENTERED | event::CALL) => self.way = Way::Translated,
            (_, event::LEFT) => {
                self.way = Way::Emulated;
                self.patience = match event.retired {
                    WORTH_IT.. => 1,
                    _ => (self.patience * 2).min(MOST_PATIENCE),
                };
            }
            // A block is longer than what is left of the budget.
            (Way::Translated, event::BUDGET) if event.retired == 0 => self.way = Way::Emulated,
            (Way::Emulated, event::BUDGET) => {
                self.way = Way::Translated;
                self.patience = (self.patience * 2).min(MOST_PATIENCE);
            }
            _ => {}
        }
    }

    pub fn call(&mut self, guest: usize, asked: &Asked, word: usize) -> Call<'_> {
        Call {
            guest,
            number: asked.number,
            arguments: asked.arguments,
            word,
            retired: self.retired,
            streams: &mut self.streams,
            heap: &mut self.heap,
            edits: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guest(way: Way) -> Guest {
        let heap = Heap {
            start: 0,
            end: 0,
            limit: 0,
        };
        Guest::new(0, way, Streams::default(), heap, 0)
    }

    fn event(kind: u32, retired: u32) -> Event {
        Event {
            kind,
            retired,
            ..Event::none()
        }
    }

    /// Who runs it, and for how many instructions at most.
    fn next(guest: &Guest) -> (Runner, u32) {
        (guest.runner(true), guest.resume(1 << 20, u64::MAX).budget)
    }

    #[test]
    fn the_whole_emulator_does_what_the_core_does_not_for_longer_each_time() {
        let mut guest = guest(Way::Never);
        assert_eq!(next(&guest), (Runner::Core, 1 << 20));
        assert_eq!(guest.runner(false), Runner::Whole);
        let mut stint = LEAST_STINT;
        for _ in 0..20 {
            guest.stopped(&event(event::NEEDS_WHOLE, 5), u64::MAX);
            stint = (stint * 2).min(MOST_STINT);
            assert_eq!(next(&guest), (Runner::Whole, stint));
            // It turns out to have floats, and goes on with these.
            guest.stopped(&event(event::NEEDS_FLOATS, 1), u64::MAX);
            assert_eq!(next(&guest), (Runner::Whole, stint));
            guest.stopped(&event(event::BUDGET, stint), u64::MAX);
            assert_eq!(guest.runner(true), Runner::Core);
        }
        // Once the core was worth it, it is tried again soon.
        guest.stopped(&event(event::NEEDS_WHOLE, WORTH_IT), u64::MAX);
        assert_eq!(next(&guest), (Runner::Whole, LEAST_STINT));
        assert!(guest.stopped(&event(event::CALL, 1), u64::MAX).is_some());
        assert_eq!(guest.runner(true), Runner::Core);
    }

    #[test]
    fn a_short_stint_says_nothing_of_translated_code() {
        let mut guest = guest(Way::Translated);
        guest.stopped(&event(event::LEFT, 0), u64::MAX);
        assert_eq!(next(&guest), (Runner::Core, 2 * 4 + AT_LEAST as u32));
        guest.stopped(&event(event::NEEDS_WHOLE, 3), u64::MAX);
        guest.stopped(&event(event::BUDGET, 2 * LEAST_STINT), u64::MAX);
        assert_eq!(guest.runner(true), Runner::Core);
        guest.stopped(&event(event::BUDGET, AT_LEAST as u32), u64::MAX);
        assert_eq!(guest.runner(true), Runner::Translation);
    }
}
