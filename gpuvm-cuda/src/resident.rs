//! Kernels that stay on the device. One is launched on a stream of its own, where it is one workgroup that waits for work in a mailbox, which
//! is memory of the host's; see [`gpuvm_ptx::Grid::Resident`] for its side. It leaves when nobody has asked for a while, and now and then
//! anyway, because much of what a driver is asked for waits for all kernels of the device; whoever asks next launches it anew.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gpuvm_ptx::{Own, Part, Request, Words, mailbox};

use crate::bind::{CudaGroup, Group};
use crate::buffer::CudaBuffer;
use crate::driver::pinned::Pinned;
use crate::driver::{Driver, Error, Kind, Launch};
use crate::pipeline::{CudaPipeline, Form, Given, Pipeline};
use crate::sending::Failure;
use crate::shared::Shared;

/// A kernel that stays. When this is dropped it leaves.
#[derive(Debug)]
pub struct Resident {
    shared: Arc<Shared>,
    /// The stream that has the kernel and nothing else.
    stream: Arc<dyn Driver>,
    form: Arc<Form>,
    /// Its parameters.
    values: Vec<u8>,
    /// What it uses.
    _groups: Vec<Arc<Group>>,
    mailbox: Arc<Pinned>,
    room: Room,
    /// Words of its workgroup's own memory that are first in an answer.
    answered: usize,
    /// Threads of its workgroup.
    threads: u32,
    /// The last request's number.
    ticket: u32,
    /// The words of a request that go into slots, kept for the next one.
    slots: Vec<u32>,
    /// Whether it was launched and is not known to have left.
    is_there: bool,
}

/// What a mailbox has room for, in words.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Words that come with a request, each of its parts rounded up to a multiple of 4.
    pub request: usize,
    /// Words that come back, those of the workgroup's own among them, likewise.
    pub answer: usize,
}

/// Words of a buffer, from a multiple of 4 on.
#[derive(Clone, Copy, Debug)]
pub struct Span<'b> {
    /// The buffer.
    pub buffer: &'b wgpu::Buffer,
    /// The first word.
    pub start: u64,
    /// How many words, to be rounded up to a multiple of 4.
    pub words: usize,
}

/// What a kernel that stays is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work<'w> {
    /// The workgroups, in a row.
    pub groups: u32,
    /// What is written before: where, and the words, followed by zeros up to a multiple of 4.
    pub put: [Option<(Span<'w>, &'w [u32])>; 2],
    /// What is set to 0 before.
    pub clear: [Option<Span<'w>>; 2],
    /// What is read after, behind the words that are the workgroup's own.
    pub get: Option<Span<'w>>,
}

/// How long a kernel stays without work.
const IDLE: Duration = Duration::from_millis(50);
/// How long it stays in all.
const LIFE: Duration = Duration::from_millis(250);
/// How long to ask again and again for an answer before sleeping.
const SPIN: Duration = Duration::from_micros(50);
/// How often the driver is asked whether something has gone wrong.
const QUESTIONS: Duration = Duration::from_millis(1);
/// How long to sleep at a time, at most.
const NAP: Duration = Duration::from_micros(200);
/// How long to wait for a kernel that was told to leave.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a chunk.
const CHUNK: usize = 16;

impl Resident {
    /// A kernel of a pipeline of [`resident`](crate::resident)'s device, bound to these groups with no offsets. It is launched when it is asked
    /// for something.
    ///
    /// # Errors
    ///
    /// Why there is none: something of it cannot stay, so many stay that others would wait for them, or the driver refuses.
    pub fn new(pipeline: &wgpu::ComputePipeline, groups: &[&wgpu::BindGroup], room: Room) -> Result<Resident, String> {
        let foreign = || "something of another device is used".to_string();
        let pipeline = pipeline.as_custom::<CudaPipeline>().ok_or_else(foreign)?;
        let pipeline = pipeline.0.as_ref().ok_or("the pipeline was refused")?;
        let groups = groups.iter().map(|group| {
            let group = group.as_custom::<CudaGroup>().ok_or_else(foreign)?;
            group.0.clone().ok_or_else(|| "a bind group was refused".to_string())
        });
        let groups = groups.collect::<Result<Vec<_>, _>>()?;
        let shared = pipeline.shared();
        let far = groups.iter().any(|group| group.far);
        let (form, own) = pipeline.resident(far).map_err(|failure| match failure {
            Failure::Invalid(reason) => reason,
            Failure::Driver(error) => told(shared, &error),
        })?;
        let refused = |error: Error| told(shared, &error);
        let threads = form.threads.iter().product();
        let bytes = mailbox::payload(threads) + 4 * (room.request + room.answer);
        let block = shared.host.take(bytes).map_err(refused)?;
        block.clear(0, mailbox::payload(threads));
        let stay = [IDLE, LIFE].map(|time| (time.as_nanos() as u64).to_ne_bytes());
        block.write(mailbox::STAY, stay.as_flattened());
        check_copies(pipeline, &groups, &own)?;
        let values = values(pipeline, &form, &groups, &block)?;
        prepare(shared, &groups).map_err(refused)?;
        let stream = {
            let _entered = shared.driver.enter().map_err(refused)?;
            shared.driver.beside(&block).map_err(refused)?
        };
        Ok(Resident {
            stream: stream.ok_or("as many kernels stay on this GPU as others do not have to wait for")?,
            shared: shared.clone(),
            form,
            values,
            _groups: groups,
            mailbox: block,
            room,
            answered: own.answered.map_or(0, |words| words.words as usize),
            threads,
            ticket: 0,
            slots: Vec::new(),
            is_there: false,
        })
    }

    /// Has work done, and appends what are the workgroup's own words after it, and what is read then. Nothing that the device is told
    /// elsewhere is waited for: who needs that waits before, and who tells it something that has to come after this
    /// [settles](Resident::settle) before.
    ///
    /// # Errors
    ///
    /// When there is more than the mailbox has room for, or the device fails.
    pub fn serve(&mut self, work: &Work<'_>, answer: &mut Vec<u32>) -> Result<(), String> {
        // All of the answer before has been read, so the kernel reads nothing more of its request.
        let request = self.write(work)?;
        self.ticket = self.ticket.wrapping_add(1);
        self.fill_slots();
        if !self.is_there {
            self.launch().map_err(|error| told(&self.shared, &error))?;
        }
        let lengths = [self.answered].into_iter().chain(work.get.map(|span| span.words));
        let Some(at) = request.answer_at else {
            let mut at = mailbox::answers(self.threads);
            for words in lengths {
                for place in (0..words).map(|word| at + 8 * word) {
                    let word = self.wait(|mailbox, ticket| {
                        let slot = mailbox.long(place).load(Ordering::Acquire);
                        (slot >> 32 == u64::from(ticket)).then_some(slot as u32)
                    });
                    answer.push(word.map_err(|error| told(&self.shared, &error))?);
                }
                at += 8 * 4 * chunks(words) as usize;
            }
            return Ok(());
        };
        self.settle()?;
        let mut at = at as usize;
        for words in lengths {
            let before = answer.len();
            answer.resize(before + words, 0);
            self.mailbox.read_words(at, &mut answer[before..]);
            at += CHUNK * chunks(words) as usize;
        }
        Ok(())
    }

    /// Waits until everything that the kernel has written is seen by whatever the device is told next.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn settle(&mut self) -> Result<(), String> {
        let is_answered = |mailbox: &Pinned, ticket| {
            (mailbox.word(mailbox::ANSWERED).load(Ordering::Acquire) == ticket).then_some(())
        };
        self.wait(is_answered).map_err(|error| told(&self.shared, &error))
    }

    /// Has the kernel leave, and waits until it has.
    pub fn leave(&mut self) {
        if !self.is_there || self.shared.is_lost() {
            return;
        }
        // What it was asked for before it has done by then, unless the device has failed.
        let _ = self.settle();
        self.mailbox.word(mailbox::HURRY).store(1, Ordering::Release);
        let begin = Instant::now();
        loop {
            let left = self.shared.driver.enter().and_then(|_entered| self.stream.is_idle());
            match left {
                Ok(true) => break,
                Ok(false) if begin.elapsed() < PATIENCE => std::thread::yield_now(),
                Ok(false) => {
                    tracing::warn!("a kernel was told to leave the device {PATIENCE:?} ago, and is still running");
                    break;
                }
                // With the device, or with the process.
                Err(error) => {
                    told(&self.shared, &error);
                    break;
                }
            }
        }
        self.is_there = false;
    }

    /// Writes the words of a request to the first slots, each with its ticket. Who sees the first of them most likely sees all.
    fn fill_slots(&self) {
        let slots = self.slots.iter().enumerate().rev();
        for (slot, word) in slots.filter(|(slot, _)| *slot != mailbox::FREE) {
            let both = u64::from(self.ticket) << 32 | u64::from(*word);
            // What lies in the open was written before.
            self.mailbox
                .long(mailbox::SLOTS + 8 * slot)
                .store(both, Ordering::Release);
        }
    }

    /// Makes a request, and gets ready what comes with it.
    fn write(&mut self, work: &Work<'_>) -> Result<Request, String> {
        let mut request = Request {
            groups: work.groups,
            ..Request::default()
        };
        let (mut brought, mut answered) = (0, 4 * chunks(self.answered) as usize);
        for (part, put) in request.put.iter_mut().zip(&work.put) {
            if let Some((span, words)) = put {
                *part = part_of(span)?;
                brought += 4 * part.chunks as usize;
                if words.len() > span.words {
                    return Err(format!("{} words are put where there are {}", words.len(), span.words));
                }
            }
        }
        for (part, span) in request.clear.iter_mut().zip(&work.clear) {
            if let Some(span) = span {
                *part = part_of(span)?;
            }
        }
        if let Some(span) = &work.get {
            request.get = part_of(span)?;
            answered += 4 * request.get.chunks as usize;
        }
        let Room { request: most, answer } = self.room;
        if brought > most || answered > answer {
            return Err(format!(
                "a request of {brought} words with an answer of {answered} is more than {most} and {answer}"
            ));
        }
        let slots = mailbox::slots(self.threads);
        let open = mailbox::payload(self.threads);
        request.is_open = Request::WORDS + brought > slots;
        request.answer_at = (answered > slots).then_some((open + 4 * most) as u32);
        self.slots.clear();
        self.slots.extend(request.words());
        let mut at = open;
        for (span, words) in work.put.iter().flatten() {
            let rest = 4 * chunks(span.words) as usize - words.len();
            if request.is_open {
                self.mailbox.write_words(at, words);
                self.mailbox.clear(at + 4 * words.len(), 4 * rest);
                at += 4 * (words.len() + rest);
            } else {
                self.slots
                    .extend(words.iter().copied().chain(std::iter::repeat_n(0, rest)));
            }
        }
        Ok(request)
    }

    fn launch(&mut self) -> Result<(), Error> {
        let _entered = self.shared.driver.enter()?;
        self.mailbox.word(mailbox::LEFT).store(0, Ordering::Release);
        let [width, height, depth] = self.form.threads;
        self.stream.launch(&Launch {
            function: self.form.function,
            blocks: [1; 3],
            threads: [width + self.form.lookout, height, depth],
            values: &self.values,
            offsets: &self.form.offsets,
        })?;
        self.is_there = true;
        Ok(())
    }

    /// Waits for something of the answer to the last request.
    fn wait<T>(&mut self, found: impl Fn(&Pinned, u32) -> Option<T>) -> Result<T, Error> {
        if let Some(found) = found(&self.mailbox, self.ticket) {
            return Ok(found);
        }
        let begin = Instant::now();
        let mut asked = begin;
        loop {
            // It may have left just before the request came.
            let has_left = self.mailbox.word(mailbox::LEFT).load(Ordering::Acquire) != 0;
            if let Some(found) = found(&self.mailbox, self.ticket) {
                return Ok(found);
            }
            if has_left {
                self.launch()?;
            }
            let waited = begin.elapsed();
            if waited < SPIN {
                std::hint::spin_loop();
                continue;
            }
            if asked.elapsed() > QUESTIONS {
                asked = Instant::now();
                let _entered = self.shared.driver.enter()?;
                // What has gone wrong on the device is told by whoever asks.
                self.stream.is_idle()?;
            }
            std::thread::sleep((waited / 16).min(NAP));
        }
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        self.leave();
    }
}

/// What is to be said of an error, which is told to who waits for the device to be lost if it is that.
fn told(shared: &Shared, error: &Error) -> String {
    if matches!(error.kind, Kind::Lost | Kind::Ended) {
        shared.fail("a kernel that stays", error);
    }
    error.to_string()
}

/// The parameters of a kernel with its buffers bound.
fn values(pipeline: &Pipeline, form: &Form, groups: &[Arc<Group>], block: &Pinned) -> Result<Vec<u8>, String> {
    for (number, layout) in pipeline.layouts.iter().enumerate() {
        let group = groups.get(number);
        if let Some(layout) = layout
            && group.is_none_or(|group| group.layout != *layout)
        {
            return Err(format!(
                "bind group {number} is not as the layout of `{}`",
                pipeline.label
            ));
        }
    }
    let mut values = vec![0; form.bytes];
    for &(given, at) in &form.parameters {
        let mut put = |at: usize, number: u64| values[at..at + 8].copy_from_slice(&number.to_ne_bytes());
        match given {
            Given::Mailbox => put(at, block.address()),
            Given::Buffer { group, slot, least, .. } | Given::Place { group, slot, least } => {
                // The layouts fit, so group and slot are there.
                let Some(slot) = groups.get(group).and_then(|group| group.slots.get(slot)) else {
                    continue;
                };
                if slot.bytes < least {
                    return Err(format!(
                        "a buffer of `{}` has {least} bytes at least, and {} are bound",
                        pipeline.label, slot.bytes
                    ));
                }
                put(at, slot.buffer.address() + slot.at);
                if let Given::Buffer { .. } = given {
                    put(at + 8, slot.bytes);
                }
            }
            Given::Uniform { .. } | Given::Size => return Err(format!("`{}` does not stay", pipeline.label)),
        }
    }
    Ok(values)
}

/// Checks that the workgroup has room for the copies of what is bound.
fn check_copies(pipeline: &Pipeline, groups: &[Arc<Group>], own: &Own) -> Result<(), String> {
    for &Words { group, binding, words } in own.copied.iter().flatten() {
        let layout = pipeline.layouts.get(group as usize).and_then(Option::as_ref);
        let slot = layout.and_then(|layout| groups.get(group as usize)?.slots.get(layout.place(binding)?));
        let Some(slot) = slot else {
            continue;
        };
        if slot.bytes > 4 * u64::from(words) || !slot.bytes.is_multiple_of(CHUNK as u64) {
            let (label, bytes) = (&pipeline.label, slot.bytes);
            return Err(format!(
                "binding {binding} of group {group} of `{label}` is copied, {words} words at most and a multiple of 4, and has {bytes} bytes"
            ));
        }
    }
    Ok(())
}

/// Sets buffers to 0 that nobody has used before, and waits for that.
fn prepare(shared: &Shared, groups: &[Arc<Group>]) -> Result<(), Error> {
    let submission = {
        let _entered = shared.driver.enter()?;
        let mut sending = shared.sending();
        let slots = groups.iter().flat_map(|group| &group.slots);
        slots.into_iter().try_for_each(|slot| slot.buffer.prepare(false))?;
        sending.submit(shared, Vec::new()).0
    };
    // A loss is told by whoever asks for something next.
    let _ = shared.wait(Some(submission), None);
    Ok(())
}

/// A span by its address.
fn part_of(span: &Span<'_>) -> Result<Part, String> {
    let buffer = span.buffer.as_custom::<CudaBuffer>();
    let buffer = &buffer.ok_or("a buffer is another device's")?.0;
    let (at, chunks) = (4 * span.start, chunks(span.words));
    if !at.is_multiple_of(CHUNK as u64) || at + u64::from(chunks) * CHUNK as u64 > buffer.size {
        return Err(format!(
            "{} words from {} on are not in the buffer",
            span.words, span.start
        ));
    }
    Ok(Part {
        address: buffer.address() + at,
        chunks,
    })
}

/// Chunks of so many words.
fn chunks(words: usize) -> u32 {
    (4 * words).div_ceil(CHUNK) as u32
}
