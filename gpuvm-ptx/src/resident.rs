//! Kernels that stay on the device: one workgroup that waits for requests in memory of the host's, does the work of as many workgroups as
//! each asks for, answers, and goes on waiting. It leaves when it is told to, and by itself when nobody has asked for a while or it has
//! been there for long, so that whoever waits for the device to have nothing to do does not wait for ever.
//!
//! What the host has written before it writes a ticket is there when the kernel sees that (acquire, release), and so is whatever else had
//! been done on the device before; and the other way for answers.

use naga::EntryPoint;

use crate::Result;
use crate::error::unsupported;
use crate::operand::{Operand, Ty, Width};
use crate::text::{Label, Text};
use crate::translator::Translator;

/// The mailbox of a resident kernel: how host and kernel find what they tell each other, in bytes from its start, which is a multiple of 16.
///
/// The host writes a [`Request`] at [`REQUEST`](mailbox::REQUEST) and its words from [`PAYLOAD`](mailbox::PAYLOAD) on, and then a new
/// number at [`TICKET`](mailbox::TICKET); the kernel writes that to [`ANSWERED`](mailbox::ANSWERED) when all has been done. Before a launch
/// the host has written [`Request::idle`] and [`Request::life`], and 0 to [`LEFT`](mailbox::LEFT), where the kernel writes 1 as its last act.
pub mod mailbox {
    /// The word with the last request's number.
    pub const TICKET: usize = 0;
    /// The word with the number of the last request that was answered.
    pub const ANSWERED: usize = 128;
    /// The word that tells that the kernel has left, or is about to without looking for requests once more.
    pub const LEFT: usize = ANSWERED + 4;
    /// The request.
    pub const REQUEST: usize = 256;
    /// The words that the request brings.
    pub const PAYLOAD: usize = REQUEST + super::Request::BYTES;
    /// What is written as a ticket to have the kernel leave; no request has this number.
    pub const LEAVE: u32 = u32::MAX;
}

/// What a resident kernel is asked for. All lengths are in chunks of 16 bytes, and all addresses multiples of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Workgroups to do the work of, in a row.
    pub groups: u32,
    /// Where the answer goes to, in bytes from the mailbox's start.
    pub answer_at: u64,
    /// Where the payload's chunks go to before the work.
    pub put: [Part; 3],
    /// What is set to 0 before the work.
    pub clear: Part,
    /// What is brought to the answer after it.
    pub get: [Part; 2],
    /// How long the kernel waits for a request before it leaves, in nanoseconds.
    pub idle: u64,
    /// How long after its launch it leaves between two requests, in nanoseconds.
    pub life: u64,
}

/// A part of device memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its address.
    pub address: u64,
    /// How many chunks it has.
    pub chunks: u64,
}

/// Bytes of a chunk.
const CHUNK: u32 = 16;
/// Where in a request the parts are, and how long to stay.
const PUT: usize = 16;
const CLEAR: usize = PUT + 48;
const GET: usize = CLEAR + 16;
const STAY: usize = GET + 32;

impl Request {
    /// Bytes of a request.
    pub const BYTES: usize = STAY + 16;

    /// The request as it lies in the mailbox.
    #[must_use]
    pub fn bytes(&self) -> [u8; Request::BYTES] {
        let parts = self.put.iter().chain([&self.clear]).chain(&self.get);
        let numbers = [u64::from(self.groups), self.answer_at]
            .into_iter()
            .chain(parts.flat_map(|part| [part.address, part.chunks]))
            .chain([self.idle, self.life]);
        let mut bytes = [0; Request::BYTES];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        bytes
    }
}

/// The registers and labels of the loop over requests.
pub struct Residence {
    mailbox: Operand,
    thread: Operand,
    threads: u32,
    served: Operand,
    /// Where the answer goes to.
    answer: Operand,
    get: [Served; 2],
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
    /// Writes what comes before the work of a workgroup.
    pub fn begin_residence(&mut self, point: &EntryPoint) -> Result<Residence> {
        let [threads, 1, 1] = point.workgroup_size else {
            return Err(unsupported(
                "a resident kernel whose workgroups have more than one dimension",
            ));
        };
        let text = &mut self.text;
        text.declare(format_args!(".shared .align 4 .b8 ticket[4]"));
        let thread = text.register(Width::Word);
        text.line(format_args!("mov.u32 {thread}, %tid.x"));
        let mailbox = text.register(Width::Long);
        text.line(format_args!("ld.param.u64 {mailbox}, [mailbox]"));
        text.line(format_args!("cvta.to.global.u64 {mailbox}, {mailbox}"));
        let served = text.register(Width::Word);
        text.line(format_args!(
            "ld.acquire.sys.global.u32 {served}, [{mailbox}+{}]",
            mailbox::ANSWERED
        ));
        let stay = load_pair(text, mailbox, mailbox::REQUEST + STAY);
        let born = now(text);
        let [again, next, done, leave] = [(); 4].map(|()| text.label());
        text.place_first(again);
        wait(text, (mailbox, thread, served), (born, stay), leave);

        // The first words are asked for before it is known how many there are, because a way to the host and back takes long.
        let chunk = text.convert("cvt", Ty::U64, Ty::U32, thread);
        let from = text.register(Width::Long);
        text.line(format_args!("mad.wide.u32 {from}, {thread}, {CHUNK}, {mailbox}"));
        let payload = Operand::ConstLong(mailbox::PAYLOAD as u64);
        text.op_into(from, "add", Ty::U64, &[from, payload]);
        let words = [(); 4].map(|()| text.register(Width::Word));
        load(text, words, from);
        let [groups, answer_at] = load_pair(text, mailbox, mailbox::REQUEST);
        let part = |text: &mut Text, at: usize| {
            let [address, chunks] = load_pair(text, mailbox, mailbox::REQUEST + at);
            Served { address, chunks }
        };
        let put = [part(text, PUT), part(text, PUT + 16), part(text, PUT + 32)];
        let clear = part(text, CLEAR);
        let get = [part(text, GET), part(text, GET + 16)];
        let answer = text.op("add", Ty::U64, &[mailbox, answer_at]);

        let total = chunks_of(text, &put);
        let copied = text.label();
        let copy = text.label();
        text.place_first(copy);
        let is_over = text.compare("ge", Ty::U64, chunk, total);
        text.jump_if(is_over, true, copied);
        let to = address_of(text, chunk, &put);
        store(text, to, words.map(|word| word.to_string()));
        step(text, chunk, from, threads);
        let more = text.compare("lt", Ty::U64, chunk, total);
        text.jump_if(more, false, copied);
        load(text, words, from);
        text.jump(copy);
        text.place(copied);

        for_each_chunk(text, thread, threads, clear.chunks, |text, chunk| {
            let to = at(text, clear.address, chunk);
            store(text, to, [(); 4].map(|()| "0".to_string()));
        });
        text.line(format_args!("bar.sync 0"));

        let groups = text.convert("cvt", Ty::U32, Ty::U64, groups);
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
            answer,
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
            answer,
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
        let total = chunks_of(text, &get);
        for_each_chunk(text, thread, threads, total, |text, chunk| {
            let from = address_of(text, chunk, &get);
            let to = at(text, answer, chunk);
            let words = [(); 4].map(|()| text.register(Width::Word));
            load(text, words, from);
            store(text, to, words.map(|word| word.to_string()));
        });
        // What all threads have written is seen by whoever sees what the first one writes after it.
        text.line(format_args!("bar.sync 0"));
        let is_first = text.compare("eq", Ty::U32, thread, Operand::ConstWord(0));
        text.jump_if(is_first, false, again);
        let release = "st.release.sys.global.u32";
        text.line(format_args!("{release} [{mailbox}+{}], {served}", mailbox::ANSWERED));
        text.jump(again);
        text.place(leave);
        let (first, end) = (text.compare("eq", Ty::U32, thread, Operand::ConstWord(0)), text.label());
        text.jump_if(first, false, end);
        let one = text.register(Width::Word);
        text.copy_into(one, Operand::ConstWord(1));
        text.line(format_args!("{release} [{mailbox}+{}], {one}", mailbox::LEFT));
        text.place(end);
    }
}

/// Waits for the next request: the first thread looks, and the others hear of it by a barrier.
fn wait(
    text: &mut Text,
    (mailbox, thread, served): (Operand, Operand, Operand),
    (born, [idle, life]): (Operand, [Operand; 2]),
    leave: Label,
) {
    let [poll, came, known] = [(); 3].map(|()| text.label());
    let is_first = text.compare("eq", Ty::U32, thread, Operand::ConstWord(0));
    text.jump_if(is_first, false, known);
    let since = now(text);
    let ticket = text.register(Width::Word);
    text.place_first(poll);
    let acquire = "ld.acquire.sys.global.u32";
    text.line(format_args!("{acquire} {ticket}, [{mailbox}+{}]", mailbox::TICKET));
    let is_new = text.compare("ne", Ty::U32, ticket, served);
    text.jump_if(is_new, true, came);
    let now = now(text);
    let [waited, lived] = [since, born].map(|then| text.op("sub", Ty::U64, &[now, then]));
    let patient = text.compare("lt", Ty::U64, waited, idle);
    let young = text.compare("lt", Ty::U64, lived, life);
    let stays = text.both(patient, young);
    text.jump_if(stays, true, poll);
    text.copy_into(ticket, Operand::ConstWord(mailbox::LEAVE));
    text.place(came);
    text.line(format_args!("st.shared.b32 [ticket], {ticket}"));
    text.place(known);
    text.line(format_args!("bar.sync 0"));
    let heard = text.register(Width::Word);
    text.line(format_args!("ld.shared.b32 {heard}, [ticket]"));
    let leaves = text.compare("eq", Ty::U32, heard, Operand::ConstWord(mailbox::LEAVE));
    text.jump_if(leaves, true, leave);
    text.copy_into(served, heard);
}

/// The device's time in nanoseconds.
fn now(text: &mut Text) -> Operand {
    let time = text.register(Width::Long);
    text.line(format_args!("mov.u64 {time}, %globaltimer"));
    time
}

/// Two numbers of 64 bits of the mailbox.
fn load_pair(text: &mut Text, mailbox: Operand, at: usize) -> [Operand; 2] {
    let pair = [(); 2].map(|()| text.register(Width::Long));
    let [first, second] = pair;
    text.line(format_args!("ld.global.v2.u64 {{{first}, {second}}}, [{mailbox}+{at}]"));
    pair
}

fn load(text: &mut Text, [a, b, c, d]: [Operand; 4], from: Operand) {
    text.line(format_args!("ld.global.v4.b32 {{{a}, {b}, {c}, {d}}}, [{from}]"));
}

fn store(text: &mut Text, to: Operand, [a, b, c, d]: [String; 4]) {
    text.line(format_args!("st.global.v4.b32 [{to}], {{{a}, {b}, {c}, {d}}}"));
}

/// How many chunks some parts have together.
fn chunks_of(text: &mut Text, parts: &[Served]) -> Operand {
    let none = Operand::ConstLong(0);
    parts.iter().fold(none, |sum, part| match sum {
        Operand::ConstLong(0) => part.chunks,
        sum => text.op("add", Ty::U64, &[sum, part.chunks]),
    })
}

/// The address of a chunk of parts that are counted one behind the other.
fn address_of(text: &mut Text, chunk: Operand, parts: &[Served]) -> Operand {
    let Some((first, others)) = parts.split_first() else {
        return chunk;
    };
    // As if the first part had all chunks, and then for each of the others as if it had the rest.
    let (mut base, mut number, mut before) = (first.address, chunk, first.chunks);
    for part in others {
        let is_later = text.compare("ge", Ty::U64, chunk, before);
        let later = text.op("sub", Ty::U64, &[chunk, before]);
        base = text.select(is_later, part.address, base);
        number = text.select(is_later, later, number);
        before = text.op("add", Ty::U64, &[before, part.chunks]);
    }
    at(text, base, number)
}

/// The address of a chunk from a place on.
fn at(text: &mut Text, base: Operand, chunk: Operand) -> Operand {
    text.op("mad.lo", Ty::U64, &[chunk, Operand::ConstLong(CHUNK.into()), base])
}

/// Goes on by a workgroup's chunks.
fn step(text: &mut Text, chunk: Operand, address: Operand, threads: u32) {
    text.op_into(chunk, "add", Ty::U64, &[chunk, Operand::ConstLong(threads.into())]);
    let bytes = Operand::ConstLong(u64::from(threads * CHUNK));
    text.op_into(address, "add", Ty::U64, &[address, bytes]);
}

/// Has the workgroup's threads share so many chunks.
fn for_each_chunk(
    text: &mut Text,
    thread: Operand,
    threads: u32,
    chunks: Operand,
    each: impl FnOnce(&mut Text, Operand),
) {
    let chunk = text.convert("cvt", Ty::U64, Ty::U32, thread);
    let [again, end] = [(); 2].map(|()| text.label());
    text.place_first(again);
    let is_over = text.compare("ge", Ty::U64, chunk, chunks);
    text.jump_if(is_over, true, end);
    each(text, chunk);
    text.op_into(chunk, "add", Ty::U64, &[chunk, Operand::ConstLong(threads.into())]);
    text.jump(again);
    text.place(end);
}
