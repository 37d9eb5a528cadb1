//! Kernels that stay on the device: one workgroup that waits for requests in memory of the host's, does the work of as many workgroups as
//! each asks for, answers, and goes on waiting. It leaves when it is told to, and by itself when nobody has asked for a while or it has
//! been there for long, so that whoever waits for the device to have nothing to do does not wait for ever.
//!
//! Words go to and fro each with a number beside it, in memory operations that PTX has undivided, as in the LL protocol of NVIDIA's NCCL:
//! who would look at a flag first waits for one more way from the device to the host and back.

use std::fmt::Display;

use naga::EntryPoint;

use crate::Result;
use crate::error::unsupported;
use crate::operand::{Operand, Ty, Width};
use crate::options::Own;
use crate::text::{Label, Text};
use crate::translator::Translator;

/// The mailbox of a resident kernel: where host and kernel find what they tell each other, in bytes from its start, a multiple of 16.
///
/// A word goes as the low half of a *slot*, 64 bits that are read and written at once, and the high half is the number of the request that it
/// is of, its *ticket*. So whoever sees the ticket has the word, and what is little is there one way after it was written, with no flag to
/// be looked at before. The host writes all of [`slots`](mailbox::slots), the words of [`Request::words`] first and the payload behind
/// them if that fits, and the kernel answers likewise in as many of [`answers`](mailbox::answers) as the answer has words. What does not fit
/// lies in the open behind them, and the answer is there when [`ANSWERED`](mailbox::ANSWERED) has the ticket; which it has in any case
/// before the kernel has found that there is no further request, and then everything that it has written is seen.
pub mod mailbox {
    /// The word with the ticket of the last request that was answered.
    pub const ANSWERED: usize = 0;
    /// The word in which the kernel writes 1 as its last act, and the host 0 before it launches it.
    pub const LEFT: usize = 4;
    /// The word that the host sets to have the kernel leave as soon as it has answered what it was asked for, and clears before it launches it.
    pub const HURRY: usize = 8;
    /// Two numbers of 64 bits that the host has written before it launches the kernel: for how many nanoseconds that waits for a request
    /// before it leaves, and after how many it leaves between two requests.
    pub const STAY: usize = 16;
    /// The slots of a request.
    pub const SLOTS: usize = 128;
    /// Slots for each of a workgroup's threads.
    const EACH: usize = 2;

    /// How many slots there are for a request to a kernel whose workgroup has so many threads, and for its answer.
    #[must_use]
    pub const fn slots(threads: u32) -> usize {
        EACH * threads as usize
    }

    /// Where the slots of answers are.
    #[must_use]
    pub const fn answers(threads: u32) -> usize {
        SLOTS + 8 * slots(threads)
    }

    /// Where a payload lies that does not fit into slots.
    #[must_use]
    pub const fn payload(threads: u32) -> usize {
        answers(threads) + 8 * slots(threads)
    }
}

/// What a resident kernel is asked for. All lengths are in chunks of 16 bytes, and all addresses multiples of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Workgroups to do the work of, in a row.
    pub groups: u32,
    /// Whether the payload lies behind the slots.
    pub is_open: bool,
    /// Where the answer goes to, in bytes from the mailbox's start, if it is not to go into slots.
    pub answer_at: Option<u32>,
    /// Where the payload's chunks go to before the work.
    pub put: [Part; 2],
    /// What is set to 0 before the work.
    pub clear: [Part; 2],
    /// What is brought to the answer after it.
    pub get: Part,
}

/// A part of device memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its address.
    pub address: u64,
    /// How many chunks it has.
    pub chunks: u32,
}

/// Bytes of a chunk.
const CHUNK: u32 = 16;
/// Where the workgroup has the words that are its own.
pub const OWN: &str = "own";
/// Where in a request's words the parts are, four words each.
const PUT: u32 = 4;
const CLEAR: u32 = PUT + 4 * 2;
const GET: u32 = CLEAR + 4 * 2;

impl Request {
    /// Words of a request, a multiple of 4.
    pub const WORDS: usize = GET as usize + 4;

    /// The request as it lies in the first slots.
    #[must_use]
    pub fn words(&self) -> [u32; Request::WORDS] {
        let parts = self.put.iter().chain(&self.clear).chain([&self.get]);
        let parts = parts.flat_map(|part| [part.address as u32, (part.address >> 32) as u32, part.chunks, 0]);
        // Nothing of an answer lies at the mailbox's start.
        let head = [self.groups, self.is_open.into(), self.answer_at.unwrap_or(0), 0];
        let mut words = [0; Request::WORDS];
        words
            .iter_mut()
            .zip(head.into_iter().chain(parts))
            .for_each(|(word, value)| *word = value);
        words
    }
}

/// The registers and labels of the loop over requests.
pub struct Residence {
    mailbox: Operand,
    thread: Operand,
    threads: u32,
    /// The ticket of the request at hand, and the last one that the host was told is answered.
    served: Operand,
    told: Operand,
    /// Chunks of what is the workgroup's own.
    own: u32,
    /// Where the answer goes to, if it is not to go into slots.
    answer_at: Operand,
    get: Served,
    /// The number of the workgroup at hand, and how many there are.
    pub number: Operand,
    pub groups: Operand,
    /// Where the kernel waits, the next workgroup begins, the last one has ended, and the kernel leaves.
    again: Label,
    next: Label,
    done: Label,
    leave: Label,
}

/// The registers of a part.
#[derive(Clone, Copy)]
struct Served {
    address: Operand,
    chunks: Operand,
}

impl Translator<'_> {
    /// Writes what comes before the work of a workgroup that has so much for its own.
    pub fn begin_residence(&mut self, point: &EntryPoint, own: Option<Own>) -> Result<Residence> {
        let [threads, 1, 1] = point.workgroup_size else {
            return Err(unsupported(
                "a resident kernel whose workgroups have more than one dimension",
            ));
        };
        if mailbox::slots(threads) < Request::WORDS {
            return Err(unsupported("a resident kernel whose workgroups are that small"));
        }
        let text = &mut self.text;
        text.declare(format_args!(
            ".shared .align 16 .b8 request[{}]",
            4 * mailbox::slots(threads)
        ));
        let own = own.map_or(0, |own| (4 * own.words).div_ceil(CHUNK));
        if own > 0 {
            text.declare(format_args!(".shared .align 16 .b8 {OWN}[{}]", CHUNK * own));
        }
        let thread = text.register(Width::Word);
        text.line(format_args!("mov.u32 {thread}, %tid.x"));
        let mailbox = text.register(Width::Long);
        text.line(format_args!("ld.param.u64 {mailbox}, [mailbox]"));
        text.line(format_args!("cvta.to.global.u64 {mailbox}, {mailbox}"));
        let slot = text.register(Width::Long);
        text.line(format_args!("mad.wide.u32 {slot}, {thread}, {CHUNK}, {mailbox}"));
        let seen = text.register(Width::Long);
        text.line(format_args!("mov.u64 {seen}, request"));
        text.line(format_args!("mad.wide.u32 {seen}, {thread}, 8, {seen}"));
        let served = text.register(Width::Word);
        text.line(format_args!(
            "ld.acquire.sys.global.u32 {served}, [{mailbox}+{}]",
            mailbox::ANSWERED
        ));
        let told = text.copy(served);
        let stay = [(); 2].map(|()| text.register(Width::Long));
        let [idle, life] = stay;
        text.line(format_args!(
            "ld.global.v2.u64 {{{idle}, {life}}}, [{mailbox}+{}]",
            mailbox::STAY
        ));
        let born = now(text);
        let [again, next, done, leave] = [(); 4].map(|()| text.label());
        text.place_first(again);
        let words = wait(text, (mailbox, slot, thread), (served, told), (born, stay), leave);
        // What had been done on the device before the host wrote this is seen from here on: it lies in the device's cache, and what the
        // multiprocessor's own has of it is dropped. To wait for the host's memory, too, takes longer, and the slots need it not.
        text.line(format_args!("fence.acq_rel.gpu"));
        let [first, second] = words;
        text.line(format_args!("st.shared.v2.b32 [{seen}], {{{first}, {second}}}"));
        text.line(format_args!("bar.sync 0"));

        let [groups, is_open, answer_at, _] = shared(text, "request", 0);
        let part = |text: &mut Text, at: u32| {
            let [low, high, chunks, _] = shared(text, "request", at);
            let address = text.register(Width::Long);
            text.line(format_args!("mov.b64 {address}, {{{low}, {high}}}"));
            Served { address, chunks }
        };
        let put = [PUT, PUT + 4].map(|at| part(text, at));
        let clear = [CLEAR, CLEAR + 4].map(|at| part(text, at));
        let get = part(text, GET);

        let (closed, filled) = (text.label(), text.label());
        let is_open = text.compare("ne", Ty::U32, is_open, Operand::ConstWord(0));
        let total = chunks_of(text, &put);
        text.jump_if(is_open, false, closed);
        // And what the host has written before.
        text.line(format_args!("fence.acq_rel.sys"));
        let payload = Operand::ConstLong(mailbox::payload(threads) as u64);
        let payload = text.op("add", Ty::U64, &[mailbox, payload]);
        for_each_chunk(text, (thread, threads), total, |text, chunk| {
            let to = address_of(text, chunk, &put);
            let from = at(text, payload, chunk, CHUNK);
            let words = load(text, from);
            store(text, to, words.map(|word| word.to_string()));
        });
        text.jump(filled);
        text.place(closed);
        let payload = text.register(Width::Long);
        text.line(format_args!("mov.u64 {payload}, request"));
        let payload = behind(text, payload, 4 * Request::WORDS as u32);
        for_each_chunk(text, (thread, threads), total, |text, chunk| {
            let to = address_of(text, chunk, &put);
            let from = at(text, payload, chunk, CHUNK);
            let words = load_shared(text, from);
            store(text, to, words.map(|word| word.to_string()));
        });
        text.place(filled);
        let total = chunks_of(text, &clear);
        for_each_chunk(text, (thread, threads), total, |text, chunk| {
            let to = address_of(text, chunk, &clear);
            store(text, to, [(); 4].map(|()| "0".to_string()));
        });
        for_each_own(text, (thread, threads), own, |text, _, at| {
            text.line(format_args!("st.shared.v4.b32 [{at}], {{0, 0, 0, 0}}"));
        });
        text.line(format_args!("bar.sync 0"));

        let number = text.register(Width::Word);
        text.copy_into(number, Operand::ConstWord(0));
        text.place_first(next);
        let is_over = text.compare("ge", Ty::U32, number, groups);
        text.jump_if(is_over, true, done);
        Ok(Residence {
            mailbox,
            thread,
            threads,
            served,
            told,
            own,
            answer_at,
            get,
            number,
            groups,
            again,
            next,
            done,
            leave,
        })
    }

    /// Writes what comes after it.
    pub fn end_residence(&mut self, residence: &Residence) {
        let &Residence {
            mailbox,
            thread,
            threads,
            served,
            told,
            own,
            answer_at,
            get,
            number,
            again,
            next,
            done,
            leave,
            ..
        } = residence;
        let text = &mut self.text;
        text.op_into(number, "add", Ty::U32, &[number, Operand::ConstWord(1)]);
        text.jump(next);
        text.place(done);
        text.line(format_args!("bar.sync 0"));
        let in_slots = text.label();
        let is_open = text.compare("ne", Ty::U32, answer_at, Operand::ConstWord(0));
        text.jump_if(is_open, false, in_slots);
        let wide = text.convert("cvt", Ty::U64, Ty::U32, answer_at);
        let answer = text.op("add", Ty::U64, &[mailbox, wide]);
        for_each_own(text, (thread, threads), own, |text, chunk, from| {
            let (words, to) = (load_shared(text, from), at(text, answer, chunk, CHUNK));
            store(text, to, words.map(|word| word.to_string()));
        });
        let answer = behind(text, answer, own * CHUNK);
        for_each_chunk(text, (thread, threads), get.chunks, |text, chunk| {
            let from = at(text, get.address, chunk, CHUNK);
            let to = at(text, answer, chunk, CHUNK);
            let words = load(text, from);
            store(text, to, words.map(|word| word.to_string()));
        });
        text.line(format_args!("bar.sync 0"));
        // Somebody waits for that.
        tell(text, (mailbox, thread), (served, told));
        text.jump(again);
        text.place(in_slots);
        let slots = Operand::ConstLong(mailbox::answers(threads) as u64);
        let slots = text.op("add", Ty::U64, &[mailbox, slots]);
        for_each_own(text, (thread, threads), own, |text, chunk, from| {
            let (words, to) = (load_shared(text, from), at(text, slots, chunk, 2 * CHUNK));
            fill_slots(text, to, words, served);
        });
        let slots = behind(text, slots, own * 2 * CHUNK);
        for_each_chunk(text, (thread, threads), get.chunks, |text, chunk| {
            let from = at(text, get.address, chunk, CHUNK);
            let (words, to) = (load(text, from), at(text, slots, chunk, 2 * CHUNK));
            fill_slots(text, to, words, served);
        });
        text.jump(again);
        text.place(leave);
        let (first, end) = (text.compare("eq", Ty::U32, thread, Operand::ConstWord(0)), text.label());
        text.jump_if(first, false, end);
        let one = text.register(Width::Word);
        text.copy_into(one, Operand::ConstWord(1));
        text.line(format_args!(
            "st.release.sys.global.u32 [{mailbox}+{}], {one}",
            mailbox::LEFT
        ));
        text.place(end);
    }
}

/// Waits for the next request: each thread looks into its own slots, and all go on when all have seen it. Gives the words of these.
///
/// A look takes the way to the host and back. More than one under way at a time is slower, because what follows waits for all of them.
fn wait(
    text: &mut Text,
    (mailbox, slot, thread): (Operand, Operand, Operand),
    (served, told): (Operand, Operand),
    (born, [idle, life]): (Operand, [Operand; 2]),
    leave: Label,
) -> [Operand; 2] {
    let [poll, came] = [(); 2].map(|()| text.label());
    let since = now(text);
    text.place_first(poll);
    let slots = [(); 2].map(|()| text.register(Width::Long));
    let relaxed = "ld.relaxed.sys.global.v2.u64";
    text.line(format_args!(
        "{relaxed} {{{}, {}}}, [{slot}+{}]",
        slots[0],
        slots[1],
        mailbox::SLOTS
    ));
    let hurry = text.register(Width::Word);
    text.line(format_args!(
        "ld.relaxed.sys.global.u32 {hurry}, [{mailbox}+{}]",
        mailbox::HURRY
    ));
    let halves = slots.map(|slot| {
        let [word, ticket] = [(); 2].map(|()| text.register(Width::Word));
        text.line(format_args!("mov.b64 {{{word}, {ticket}}}, {slot}"));
        [word, ticket]
    });
    let [[first, ticket], [second, other]] = halves;
    let is_new = text.compare("ne", Ty::U32, ticket, served);
    let is_whole = text.compare("eq", Ty::U32, ticket, other);
    let is_here = text.both(is_new, is_whole);
    let all_here = text.register(Width::Truth);
    text.line(format_args!("bar.red.and.pred {all_here}, 0, {is_here}"));
    text.jump_if(all_here, true, came);
    tell(text, (mailbox, thread), (served, told));
    let now = now(text);
    let [waited, lived] = [since, born].map(|then| text.op("sub", Ty::U64, &[now, then]));
    let patient = text.compare("lt", Ty::U64, waited, idle);
    let young = text.compare("lt", Ty::U64, lived, life);
    let stays = text.both(patient, young);
    let may_stay = text.compare("eq", Ty::U32, hurry, Operand::ConstWord(0));
    let stays = text.both(stays, may_stay);
    // What the first one finds is what counts.
    let is_other = text.compare("ne", Ty::U32, thread, Operand::ConstWord(0));
    let stays = text.either(stays, is_other);
    let all_stay = text.register(Width::Truth);
    text.line(format_args!("bar.red.and.pred {all_stay}, 0, {stays}"));
    text.jump_if(all_stay, true, poll);
    text.jump(leave);
    text.place(came);
    text.copy_into(served, ticket);
    [first, second]
}

/// Has the first thread tell the ticket of the last request that was served, if it has not: what all threads have written is seen by whoever sees
/// that. It takes as long as a way to the host, so where the answer went into slots nobody waits for it but who finds no further request.
fn tell(text: &mut Text, (mailbox, thread): (Operand, Operand), (served, told): (Operand, Operand)) {
    let on = text.label();
    let is_told = text.compare("eq", Ty::U32, served, told);
    let is_other = text.compare("ne", Ty::U32, thread, Operand::ConstWord(0));
    let needs_not = text.either(is_told, is_other);
    text.jump_if(needs_not, true, on);
    text.copy_into(told, served);
    let release = "st.release.sys.global.u32";
    text.line(format_args!("{release} [{mailbox}+{}], {served}", mailbox::ANSWERED));
    text.place(on);
}

/// Writes four words to slots with the ticket of the request.
fn fill_slots(text: &mut Text, to: Operand, words: [Operand; 4], ticket: Operand) {
    let slots = words.map(|word| {
        let slot = text.register(Width::Long);
        text.line(format_args!("mov.b64 {slot}, {{{word}, {ticket}}}"));
        slot
    });
    for (pair, offset) in slots.as_chunks::<2>().0.iter().zip([0, CHUNK]) {
        let [first, second] = pair;
        let relaxed = "st.relaxed.sys.global.v2.u64";
        text.line(format_args!("{relaxed} [{to}+{offset}], {{{first}, {second}}}"));
    }
}

/// The device's time in nanoseconds.
fn now(text: &mut Text) -> Operand {
    let time = text.register(Width::Long);
    text.line(format_args!("mov.u64 {time}, %globaltimer"));
    time
}

/// Four words of the workgroup's memory, from one of a variable on.
fn shared(text: &mut Text, name: &str, word: u32) -> [Operand; 4] {
    load_shared(text, format_args!("{name}+{}", 4 * word))
}

fn load_shared(text: &mut Text, from: impl Display) -> [Operand; 4] {
    let words = [(); 4].map(|()| text.register(Width::Word));
    let [a, b, c, d] = words;
    text.line(format_args!("ld.shared.v4.b32 {{{a}, {b}, {c}, {d}}}, [{from}]"));
    words
}

fn load(text: &mut Text, from: Operand) -> [Operand; 4] {
    let words = [(); 4].map(|()| text.register(Width::Word));
    let [a, b, c, d] = words;
    text.line(format_args!("ld.global.v4.b32 {{{a}, {b}, {c}, {d}}}, [{from}]"));
    words
}

fn store(text: &mut Text, to: Operand, [a, b, c, d]: [String; 4]) {
    text.line(format_args!("st.global.v4.b32 [{to}], {{{a}, {b}, {c}, {d}}}"));
}

/// How many chunks some parts have together.
fn chunks_of(text: &mut Text, parts: &[Served]) -> Operand {
    let chunks = parts.iter().map(|part| part.chunks);
    let sum = chunks.reduce(|sum, chunks| text.op("add", Ty::U32, &[sum, chunks]));
    sum.unwrap_or(Operand::ConstWord(0))
}

/// The address of a chunk of parts that are counted one behind the other.
fn address_of(text: &mut Text, chunk: Operand, parts: &[Served]) -> Operand {
    let Some((first, others)) = parts.split_first() else {
        return chunk;
    };
    // As if the first part had all chunks, and then for each of the others as if it had the rest.
    let (mut base, mut number, mut before) = (first.address, chunk, first.chunks);
    for part in others {
        let is_later = text.compare("ge", Ty::U32, chunk, before);
        let later = text.op("sub", Ty::U32, &[chunk, before]);
        base = text.select(is_later, part.address, base);
        number = text.select(is_later, later, number);
        before = text.op("add", Ty::U32, &[before, part.chunks]);
    }
    at(text, base, number, CHUNK)
}

/// The address of one of the things that lie from a place on, each of so many bytes.
fn at(text: &mut Text, base: Operand, number: Operand, bytes: u32) -> Operand {
    let address = text.register(Width::Long);
    text.line(format_args!("mad.wide.u32 {address}, {number}, {bytes}, {base}"));
    address
}

/// The place so many bytes behind another one.
fn behind(text: &mut Text, place: Operand, bytes: u32) -> Operand {
    match bytes {
        0 => place,
        _ => text.op("add", Ty::U64, &[place, Operand::ConstLong(bytes.into())]),
    }
}

/// Has the workgroup's threads share the chunks that are its own, each of which has a number and a place.
fn for_each_own(text: &mut Text, threads: (Operand, u32), chunks: u32, each: impl FnOnce(&mut Text, Operand, Operand)) {
    if chunks == 0 {
        return;
    }
    for_each_chunk(text, threads, Operand::ConstWord(chunks), |text, chunk| {
        let own = text.register(Width::Long);
        text.line(format_args!("mov.u64 {own}, {OWN}"));
        let place = at(text, own, chunk, CHUNK);
        each(text, chunk, place);
    });
}

/// Has the workgroup's threads share so many chunks.
fn for_each_chunk(
    text: &mut Text,
    (thread, threads): (Operand, u32),
    chunks: Operand,
    each: impl FnOnce(&mut Text, Operand),
) {
    let chunk = text.register(Width::Word);
    text.copy_into(chunk, thread);
    let [again, end] = [(); 2].map(|()| text.label());
    text.place_first(again);
    let is_over = text.compare("ge", Ty::U32, chunk, chunks);
    text.jump_if(is_over, true, end);
    each(text, chunk);
    text.op_into(chunk, "add", Ty::U32, &[chunk, Operand::ConstWord(threads)]);
    text.jump(again);
    text.place(end);
}
