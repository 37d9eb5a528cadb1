//! Guests: as many as one likes, side by side on an engine of a runtime.

mod debugger;
mod guest;

use std::ops::Range;
use std::time::Duration;

use gpuvm::{Backend, Buffer, DeviceKind, Engine, Runtime};

use crate::error::{Error, Result};
use crate::image::{Image, Place};
use crate::machine::{Cpus, Runner};
use crate::program::Program;
use crate::routines::coverage::Maps;
use crate::routines::event::{self, Resume};
use crate::routines::layout::{self, PAGE, PAGE_BITS, PAGE_WORDS};
use crate::routines::service::{BEGIN, PROTECT, Span, WRITE_BYTES};
use crate::start::{Start, stack};
use crate::stop::Stop;
use crate::system::{Answer, Edit, Heap, Streams, System};
use crate::translate::Translator;

pub use self::debugger::{Debugger, StopReason};
use self::guest::{Asked, Guest, State, WORTH_IT, Way};

/// What guests have, and how they are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes of private memory of each guest: the pages that it has written to, and up to a quarter of them those of its stack and its program that it has from the
    /// beginning. 64 KiB if you do not say.
    pub memory: u32,
    /// Bytes of addresses for the heap. They cost a thousandth of that until they are written to. 256 KiB if you do not say.
    pub heap: u32,
    /// Bytes of addresses for the stack. 64 KiB if you do not say.
    pub stack: u32,
    /// How many instructions each guest may retire in all. No bound if you do not say.
    pub budget: u64,
    /// How many instructions a guest may retire while others wait for an answer to a system call. A million if you do not say.
    pub slice: u32,
    /// Whether guests run code that was translated to gpuvm's, which is faster than to emulate it; what they do is the same. `true` if you do not say. On
    /// [`Engine::Native`] they are emulated all the same, because there the emulator is compiled and a translation would be interpreted.
    pub translated: bool,
    /// Has each guest keep a map of the edges that it has taken, from branch to target, as fuzzers ask for: of so many bits, a power of two. No map if you do not
    /// say.
    pub coverage: Option<u32>,
    /// The engine.
    pub engine: Engine,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            memory: 64 << 10,
            heap: 256 << 10,
            stack: 64 << 10,
            budget: u64::MAX,
            slice: 1_000_000,
            translated: true,
            coverage: None,
            engine: Engine::Auto,
        }
    }
}

impl Settings {
    fn is_translated(&self) -> bool {
        self.translated && self.engine != Engine::Native
    }
}

/// Guests with their memory, which stays on the device between runs.
#[derive(Debug)]
pub struct Guests {
    runtime: Runtime,
    settings: Settings,
    programs: Vec<Program>,
    places: Vec<Place>,
    guests: Vec<Guest>,
    /// Words of a guest's chunk.
    chunk: usize,
    memory: Buffer<u32>,
    shared: Buffer<u32>,
    cpus: Cpus,
    translation: Option<Translation>,
    /// How long engines have worked.
    time: Duration,
}

/// Guests at their first instructions.
struct Begun {
    guests: Vec<Guest>,
    /// The address of the first instruction of each, and its stack pointer.
    processors: Vec<(u64, u64)>,
    edits: Edits,
}

impl Begun {
    fn new(programs: &[Program], places: &[Place], settings: &Settings, starts: Vec<Start>) -> Result<Begun> {
        let way = if settings.is_translated() {
            Way::Translated
        } else {
            Way::Never
        };
        let mut begun = Begun {
            guests: Vec::with_capacity(starts.len()),
            processors: Vec::with_capacity(starts.len()),
            edits: Edits::default(),
        };
        for (guest, start) in starts.into_iter().enumerate() {
            let (Some(program), Some(place)) = (programs.get(start.program), places.get(start.program)) else {
                return Err(Error::Program {
                    guest,
                    program: start.program,
                    programs: programs.len(),
                });
            };
            let bytes = stack(program, &start, place.stack);
            if bytes.len() > settings.stack as usize / 2 {
                let bytes = bytes.len();
                return Err(Error::Arguments { guest, bytes });
            }
            let pointer = place.stack - bytes.len() as u64;
            begun.processors.push((program.entry(), pointer));
            begun.edits.words.extend([BEGIN, place.header]);
            begun.edits.write(pointer, &bytes);
            begun.edits.end();
            let streams = Streams {
                input: start.input,
                ..Streams::default()
            };
            let heap = Heap {
                start: place.heap,
                end: place.heap,
                limit: place.heap_end,
            };
            begun
                .guests
                .push(Guest::new(start.program, way, streams, heap, program.entry()));
        }
        Ok(begun)
    }
}

/// What guests run beside the emulator.
#[derive(Debug)]
struct Translation {
    translator: Translator,
    /// What guests share, with where translated code is entered.
    image: Image,
}

impl Translation {
    /// Notes in what guests share where they enter.
    fn enter(&mut self, programs: &[Program]) {
        for (which, (program, entries)) in programs.iter().zip(self.translator.entries()).enumerate() {
            self.image.enter(which, program, entries);
        }
    }
}

impl Guests {
    /// As many guests as there are `starts`, each at the first instruction of its program.
    ///
    /// # Errors
    ///
    /// If there are no programs or no guests, if a map's size is no power of two from 32 bits on, if the programs are for different machines or a guest names one
    /// that is not there, if its arguments do not fit, and those of [`Runtime::buffer`].
    pub fn new(
        runtime: &Runtime,
        programs: &[Program],
        starts: impl IntoIterator<Item = Start>,
        settings: Settings,
    ) -> Result<Guests> {
        let Some(first) = programs.first() else {
            return Err(Error::Nothing("programs"));
        };
        if let Some(index) = programs.iter().position(|other| other.machine() != first.machine()) {
            return Err(Error::Mixed { index });
        }
        for program in programs {
            let (start, end) = program.extent();
            let behind = (u64::from(settings.heap) + u64::from(settings.stack)).next_multiple_of(4096) + (32 << 10);
            if (u64::from(end) << PAGE_BITS) + behind >= 1 << 32 {
                return Err(Error::Segment {
                    address: u64::from(start) << PAGE_BITS,
                    end: u64::from(end) << PAGE_BITS,
                });
            }
        }
        let coverage = match settings.coverage {
            None => 0,
            Some(bits) if bits.is_power_of_two() && (32..1 << 30).contains(&bits) => bits.trailing_zeros(),
            Some(bits) => return Err(Error::Coverage { bits }),
        };
        let image = Image::new(programs, settings.heap, settings.stack, coverage);
        let starts: Vec<Start> = starts.into_iter().collect();
        if starts.is_empty() {
            return Err(Error::Nothing("guests"));
        }
        let pages = image.places.iter().map(|place| place.pages).max().unwrap_or(0);
        let chunk = (layout::own_pages(pages, coverage) + settings.memory.next_multiple_of(PAGE) / 4) as usize;
        if chunk
            .checked_mul(starts.len())
            .is_none_or(|words| words > u32::MAX as usize)
        {
            return Err(Error::TooLarge {
                guests: starts.len(),
                words: chunk,
            });
        }
        let Begun {
            guests,
            processors,
            edits,
        } = Begun::new(programs, &image.places, &settings, starts)?;
        let translated = settings.is_translated();
        let memory = runtime.zeros(chunk * guests.len());
        let places = image.places.clone();
        let (translation, words) = if translated {
            let mut translation = Translation {
                translator: Translator::new(programs, &places, coverage, settings.engine == Engine::Specialized)?,
                image,
            };
            translation.enter(programs);
            let words = runtime.buffer(&translation.image.words)?;
            (Some(translation), words)
        } else {
            (None, runtime.buffer(&image.words)?)
        };
        let guests = Guests {
            runtime: runtime.clone(),
            settings,
            programs: programs.to_vec(),
            places,
            chunk,
            memory,
            shared: words,
            cpus: Cpus::new(runtime, first.machine(), &processors)?,
            guests,
            translation,
            time: Duration::ZERO,
        };
        guests.edit(&edits)?;
        Ok(guests)
    }

    /// Begins all guests anew, as many as there are, with what is known of their programs' code by now.
    ///
    /// # Errors
    ///
    /// If there are not as many `starts`, and those of [`Guests::new`].
    pub fn restart(&mut self, starts: impl IntoIterator<Item = Start>) -> Result<()> {
        let starts: Vec<Start> = starts.into_iter().collect();
        if starts.len() != self.guests.len() {
            let (guest, guests) = (starts.len(), self.guests.len());
            return Err(Error::Guest { guest, guests });
        }
        let begun = Begun::new(&self.programs, &self.places, &self.settings, starts)?;
        self.cpus.restart(&begun.processors)?;
        self.guests = begun.guests;
        self.edit(&begun.edits)?;
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.guests.len()
    }

    /// Whether there are none, which does not happen.
    pub fn is_empty(&self) -> bool {
        self.guests.is_empty()
    }

    /// Whether the emulator's core runs guests first. On this CPU the emulator is compiled, so all of it is as fast. And no GPU's driver of Vulkan gets the core:
    /// NVIDIA's (580.159.04, H200) makes code of it that takes a `tbnz` of a bit that is 0, where CUDA, lavapipe and every other engine go on.
    fn has_core(&self) -> bool {
        let device = self.runtime.device();
        let is_compiled_right = device.backend != Backend::Wgpu || device.kind == DeviceKind::Software;
        self.cpus.have_core() && self.settings.engine != Engine::Native && is_compiled_right
    }

    /// Runs guests until each has ended, has done what its machine does not do, has spent its budget or waits for an answer.
    ///
    /// # Errors
    ///
    /// Those of a launch. What guests do wrong is none.
    pub fn run(&mut self, system: &mut dyn System) -> Result<()> {
        let has_core = self.has_core();
        let mut halted = false;
        while !halted {
            let mut calls = Vec::new();
            let mut any = false;
            for runner in [Runner::Translation, Runner::Core, Runner::Whole] {
                let resume = |guest: &Guest| match guest.runner(has_core) == runner {
                    true => guest.resume(self.settings.slice, self.settings.budget),
                    false => Resume::default(),
                };
                let resumes: Vec<Resume> = self.guests.iter().map(resume).collect();
                if resumes.iter().any(|resume| resume.go) {
                    any = true;
                    self.launch(runner, &resumes, &mut calls)?;
                    self.refresh()?;
                }
            }
            if !any {
                break;
            }
            calls.sort_by_key(|(guest, _)| *guest);
            halted = self.answer_all(system, calls)?;
        }
        Ok(())
    }

    /// Runs those that go on, and notes which of them call the system.
    fn launch(&mut self, runner: Runner, resumes: &[Resume], calls: &mut Vec<(usize, Asked)>) -> Result<()> {
        let translated = runner == Runner::Translation;
        // A device's compiler takes seconds over the emulator, and here it has little to do.
        let short = !translated
            && resumes
                .iter()
                .all(|resume| !resume.go || resume.patience.min(resume.budget) < WORTH_IT);
        let engine = match self.settings.engine {
            Engine::Specialized if short => Engine::Interpreter,
            engine => engine,
        };
        let routine = self
            .translation
            .as_ref()
            .and_then(|translation| translation.translator.routine());
        let (events, time) = self.cpus.run(
            &self.runtime,
            engine,
            (runner, routine),
            (&self.memory, &self.shared),
            resumes,
        )?;
        self.time += time;
        let mut floats = false;
        for (index, (event, resume)) in events.iter().zip(resumes).enumerate() {
            if !resume.go {
                continue;
            }
            floats |= event.kind == event::NEEDS_FLOATS;
            let guest = &mut self.guests[index];
            // Where it leaves translated code, and where it is after some time without, there is code that may be worth it.
            let left = event.kind == event::LEFT;
            let comes_to_code = left || event.kind == event::BUDGET && !translated && !guest.was_stint(event);
            if let Some(translation) = self.translation.as_mut().filter(|_| comes_to_code) {
                translation.translator.comes_to(guest.program, event.pc, left);
            }
            if let Some(call) = guest.stopped(event, self.settings.budget) {
                calls.push((index, call));
            }
        }
        if floats {
            self.cpus.with_floats();
        }
        Ok(())
    }

    /// Translates code that guests have come to, now and then.
    fn refresh(&mut self) -> Result<()> {
        let Some(translation) = &mut self.translation else {
            return Ok(());
        };
        if translation.translator.refresh()? {
            translation.enter(&self.programs);
            self.shared.write(&translation.image.words)?;
            let translator = &translation.translator;
            for guest in &mut self.guests {
                if guest.way == Way::Emulated && translator.enters(guest.program, guest.pc) {
                    guest.way = Way::Translated;
                }
            }
        }
        Ok(())
    }

    /// Answers the system calls of a round, and says whether all are to stop.
    fn answer_all(&mut self, system: &mut dyn System, calls: Vec<(usize, Asked)>) -> Result<bool> {
        let seen = self.seen(system, &calls)?;
        let mut edits = Edits::default();
        let mut halted = false;
        let mut answers = Vec::new();
        for ((index, asked), seen) in calls.iter().zip(seen) {
            let word = self.cpus.word();
            let guest = &mut self.guests[*index];
            let place = &self.places[guest.program];
            let mut call = guest.call(*index, asked, word);
            let answer = system.answer(&mut call, &seen);
            let made = std::mem::take(&mut call.edits);
            edits.skip_to(*index);
            for edit in &made {
                edits.add(edit, place);
            }
            halted |= answer == Answer::Halt;
            guest.state = State::after(answer, asked);
            answers.push(*index);
        }
        if edits.words.is_empty() {
            return Ok(halted);
        }
        edits.skip_to(self.guests.len());
        let refused = self.edit(&edits)?;
        for index in answers {
            let state = &mut self.guests[index].state;
            if refused[index] != 0 {
                *state = state.refused();
            }
        }
        Ok(halted)
    }

    /// What handlers want to see of memory, by call.
    fn seen(&mut self, system: &mut dyn System, calls: &[(usize, Asked)]) -> Result<Vec<Vec<Vec<u8>>>> {
        let mut seen: Vec<Vec<Vec<u8>>> = vec![Vec::new(); calls.len()];
        let mut open: Vec<usize> = (0..calls.len()).collect();
        while !open.is_empty() {
            let mut wanted = Vec::new();
            open.retain(|&at| {
                let (index, asked) = &calls[at];
                let word = self.cpus.word();
                let call = self.guests[*index].call(*index, asked, word);
                let wants = system.wants(&call, &seen[at]);
                wanted.extend(wants.iter().map(|want| (at, *want)));
                !wants.is_empty()
            });
            // One part of each guest's memory at a time.
            let mut rest = wanted;
            while !rest.is_empty() {
                let mut now = Vec::new();
                let mut later = Vec::new();
                let mut last = None;
                for (at, want) in rest {
                    if last == Some(at) {
                        later.push((at, want));
                    } else {
                        now.push((at, want));
                        last = Some(at);
                    }
                }
                let parts: Vec<(usize, u64, u64)> = now
                    .iter()
                    .map(|(at, (address, bytes))| (calls[*at].0, *address, *bytes))
                    .collect();
                for ((at, _), bytes) in now.iter().zip(self.read_each(&parts)?) {
                    seen[*at].push(bytes);
                }
                rest = later;
            }
        }
        Ok(seen)
    }

    /// Reads a part of the memory of each of some guests, which are in ascending order: address and count. What is behind the first byte that a guest may not read is missing.
    fn read_each(&self, parts: &[(usize, u64, u64)]) -> Result<Vec<Vec<u8>>> {
        let mut read: Vec<Vec<u8>> = vec![Vec::new(); parts.len()];
        let mut open: Vec<usize> = (0..parts.len()).collect();
        loop {
            let left = |at: &usize| {
                let (_, address, bytes) = parts[*at];
                let done = read[*at].len() as u64;
                let end = (1u64 << 32).saturating_sub(address.min(1 << 32));
                (address + done, bytes.min(end).saturating_sub(done))
            };
            open.retain(|at| left(at).1 != 0);
            let Some(most) = open.iter().map(|at| left(at).1).max() else {
                return Ok(read);
            };
            let words = most.div_ceil(4).min(1 << 10) as usize;
            let mut spans = vec![Span::default(); self.guests.len()];
            for at in &open {
                let (from, count) = left(at);
                spans[parts[*at].0] = Span {
                    from: from as u32,
                    count: count as u32,
                };
            }
            let mut out = vec![0u32; words * self.guests.len()];
            let done = self
                .runtime
                .launch("gpuvm-guest.peek")?
                .args((&self.memory, &self.shared, &spans, &mut out))
                .engine(self.settings.engine)
                .run()?;
            let counts: Vec<u32> = done.output()?;
            open.retain(|at| {
                let guest = parts[*at].0;
                let asked = (spans[guest].count as usize).min(words * 4);
                let count = counts[guest] as usize;
                let bytes = out[guest * words..][..words].iter().flat_map(|word| word.to_le_bytes());
                read[*at].extend(bytes.take(count));
                count == asked
            });
        }
    }

    /// Carries out edits of all guests, and says of each how many it was not allowed.
    fn edit(&self, edits: &Edits) -> Result<Vec<u32>> {
        let words = if edits.words.is_empty() { &[0][..] } else { &edits.words };
        let done = self
            .runtime
            .launch("gpuvm-guest.edit")?
            .args((&self.memory, &self.shared, words, &edits.spans))
            .engine(self.settings.engine)
            .run()?;
        Ok(done.output()?)
    }

    /// Looks a guest up.
    fn guest(&self, guest: usize) -> Result<&Guest> {
        let guests = self.guests.len();
        self.guests.get(guest).ok_or(Error::Guest { guest, guests })
    }

    /// Why a guest has stopped; `None` if it has yet to run.
    ///
    /// # Panics
    ///
    /// As indexing does, if there is no such guest.
    pub fn stop(&self, guest: usize) -> Option<Stop> {
        match self.guests[guest].state {
            State::Stopped(stop) => Some(stop),
            State::Ready(_) => None,
        }
    }

    /// A guest's input and output.
    ///
    /// # Panics
    ///
    /// As indexing does, if there is no such guest.
    pub fn streams(&self, guest: usize) -> &Streams {
        &self.guests[guest].streams
    }

    /// What a guest has written to its standard output.
    ///
    /// # Panics
    ///
    /// As indexing does, if there is no such guest.
    pub fn output(&self, guest: usize) -> &[u8] {
        &self.guests[guest].streams.output
    }

    /// Instructions that a guest has retired.
    ///
    /// # Panics
    ///
    /// As indexing does, if there is no such guest.
    pub fn retired(&self, guest: usize) -> u64 {
        self.guests[guest].retired
    }

    /// The program that a guest runs.
    ///
    /// # Panics
    ///
    /// As indexing does, if there is no such guest.
    pub fn program(&self, guest: usize) -> &Program {
        &self.programs[self.guests[guest].program]
    }

    /// Bytes of memory that all guests have together, and the bytes that they share.
    pub fn bytes(&self) -> (usize, usize) {
        (self.memory.len() * 4, self.shared.len() * 4)
    }

    /// How long the engine has worked for guests: a device's own time, where it tells, without what the host does between two runs.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// A guest's integer registers, by number.
    ///
    /// # Errors
    ///
    /// If there is no such guest, or the device fails to give them.
    pub fn registers(&self, guest: usize) -> Result<Vec<u64>> {
        self.guest(guest)?;
        Ok(self.cpus.get(&self.runtime, self.settings.engine, guest)?.registers())
    }

    /// Reads a guest's memory, up to the first byte that it may not read itself.
    ///
    /// # Errors
    ///
    /// If there is no such guest, and those of a launch.
    pub fn read(&self, guest: usize, address: u64, bytes: u64) -> Result<Vec<u8>> {
        self.guest(guest)?;
        let mut read = self.read_each(&[(guest, address, bytes)])?;
        Ok(read.pop().unwrap_or_default())
    }

    /// Lets a guest go on that waits for an answer to its system call, or stands at the end of its budget. With [`Stop::Syscall`] it gets the value; the next
    /// [`run`](Guests::run) runs it. `false` if it is none of these.
    ///
    /// # Errors
    ///
    /// If there is no such guest.
    pub fn answer(&mut self, guest: usize, value: u64) -> Result<bool> {
        self.guest(guest)?;
        let state = &mut self.guests[guest].state;
        match state {
            State::Stopped(Stop::Syscall { .. }) => *state = State::Ready(Some(value)),
            State::Stopped(Stop::OutOfBudget { .. }) => *state = State::Ready(None),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Sets how many instructions each guest may retire in all; those that have stopped for it go on with the next [`run`](Guests::run) if it is more than before.
    pub fn set_budget(&mut self, budget: u64) {
        self.settings.budget = budget;
        for guest in &mut self.guests {
            if matches!(guest.state, State::Stopped(Stop::OutOfBudget { .. })) && guest.retired < budget {
                guest.state = State::Ready(None);
            }
        }
    }

    /// Makes each guest of a range what a stopped one is: its registers, its memory, its input and output.
    ///
    /// # Errors
    ///
    /// If there are no such guests, and those of a launch.
    pub fn fork(&mut self, guest: usize, into: Range<usize>) -> Result<()> {
        let original = self.guest(guest)?.clone();
        if into.is_empty() {
            return Ok(());
        }
        self.guest(into.end - 1)?;
        let mut own = self.chunk_of(guest)?;
        let pages = self.places[original.program].pages;
        let in_use = layout::own_pages(pages, self.coverage_bits()) + own[layout::USED] * PAGE_WORDS;
        own.truncate(in_use as usize);
        let range = Span {
            from: into.start as u32,
            count: into.len() as u32,
        };
        self.runtime
            .launch("gpuvm-guest.fork")?
            .args((&self.memory, &own, range))
            .vms(self.guests.len())
            .engine(self.settings.engine)
            .run()?;
        self.cpus.fork(&self.runtime, self.settings.engine, guest, range)?;
        self.guests[into].fill(original);
        Ok(())
    }

    /// A guest's chunk.
    fn chunk_of(&self, guest: usize) -> Result<Vec<u32>> {
        let done = self
            .runtime
            .launch("gpuvm-guest.take")?
            .args((&self.memory, (self.chunk * guest) as u32))
            .vms(self.chunk)
            .engine(self.settings.engine)
            .run()?;
        Ok(done.output()?)
    }

    /// The bits of a guest's map of edges, as a power of two; 0 if it has none.
    fn coverage_bits(&self) -> u32 {
        self.settings.coverage.map_or(0, u32::trailing_zeros)
    }

    /// The edges that guests of a range have taken, all of them together: a bit for each, by a hash of both ends, of as many as
    /// [`Settings::coverage`] says. Nothing without that. A guest that was copied has the edges of the one that it was copied from.
    ///
    /// # Errors
    ///
    /// If there are no such guests, and those of a launch.
    pub fn edges(&self, guests: Range<usize>) -> Result<Vec<u32>> {
        let (Some(bits), false) = (self.settings.coverage, guests.is_empty()) else {
            return Ok(Vec::new());
        };
        self.guest(guests.end - 1)?;
        let maps = Maps {
            first: guests.start as u32,
            count: guests.len() as u32,
            chunk: self.chunk as u32,
        };
        let done = self
            .runtime
            .launch("gpuvm-guest.edges")?
            .args((&self.memory, &self.shared, maps))
            .vms(bits as usize / 32)
            .engine(self.settings.engine)
            .run()?;
        Ok(done.output()?)
    }

    /// How many edges each guest has taken that are not among these, which are such as [`edges`](Guests::edges) gives.
    ///
    /// # Errors
    ///
    /// If these are not as many, and those of a launch.
    pub fn new_edges(&self, known: &[u32]) -> Result<Vec<u32>> {
        let bits = self.settings.coverage.unwrap_or(0);
        if known.len() != bits as usize / 32 || bits == 0 {
            let bits = known.len() as u32 * 32;
            return Err(Error::Coverage { bits });
        }
        let done = self
            .runtime
            .launch("gpuvm-guest.new-edges")?
            .args((&self.memory, &self.shared, known))
            .vms(self.guests.len())
            .engine(self.settings.engine)
            .run()?;
        Ok(done.output()?)
    }

    /// Gives a guest more to read.
    ///
    /// # Errors
    ///
    /// If there is no such guest.
    pub fn feed(&mut self, guest: usize, input: &[u8]) -> Result<()> {
        self.guest(guest)?;
        self.guests[guest].streams.input.extend(input);
        Ok(())
    }
}

/// Edits of guests' memory, in the order of the guests.
#[derive(Debug, Default)]
struct Edits {
    words: Vec<u32>,
    spans: Vec<Span>,
    begun: usize,
}

impl Edits {
    /// Ends the edits of a guest.
    fn end(&mut self) {
        self.spans.push(Span {
            from: self.begun as u32,
            count: (self.words.len() - self.begun) as u32,
        });
        self.begun = self.words.len();
    }

    /// Goes on to a guest's.
    fn skip_to(&mut self, guest: usize) {
        while self.spans.len() < guest {
            self.end();
        }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) {
        // Where no memory is nothing is written, and that is told.
        let address = u32::try_from(address).unwrap_or(u32::MAX);
        self.words.extend([WRITE_BYTES, address, bytes.len() as u32]);
        for chunk in bytes.chunks(4) {
            self.words
                .push(chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
        }
    }

    fn add(&mut self, edit: &Edit, place: &Place) {
        match edit {
            Edit::Write { address, bytes } => self.write(*address, bytes),
            Edit::Protect {
                address,
                bytes,
                flags,
                fresh,
            } => {
                let first = place.stack - (u64::from(place.pages) << PAGE_BITS);
                let end = address.saturating_add(*bytes).min(place.stack);
                let from = (*address).max(first);
                if from < end {
                    let bytes = (end - from) as u32;
                    self.words
                        .extend([PROTECT, from as u32, bytes, *flags, u32::from(*fresh)]);
                }
            }
        }
    }
}
