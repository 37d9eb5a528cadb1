//! Kernels that stay on the device: one workgroup that waits for requests in memory of the host's, does the work of as many workgroups as
//! each asks for, answers, and goes on waiting. It leaves when it is told to, and by itself when nobody has asked for a while or it has
//! been there for long, so that whoever waits for the device to have nothing to do does not wait for ever.
//!
//! Words go to and fro each with a number beside it, in memory operations that PTX has undivided, as in the LL protocol of NVIDIA's NCCL:
//! who would look at a flag first waits for one more way from the device to the host and back.
//!
//! Such a look takes the way to the host and back, and what follows a load waits for it. So a warp of its own looks, the lookout, and the
//! workgroup waits at a barrier for it. More lookouts than one made requests slower: the host waits for a line that the device reads.

use std::fmt::Display;

use naga::EntryPoint;

use crate::Result;
use crate::error::unsupported;
use crate::operand::{Operand, Ty, Width};
use crate::text::{Label, Text};
use crate::translator::Translator;

/// The mailbox of a resident kernel: where host and kernel find what they tell each other, in bytes from its start, a multiple of 16.
///
/// A word goes as the low half of a *slot*, 64 bits that are read and written at once, and the high half is the number of the request that it
/// is of, its *ticket*. So whoever sees the ticket has the word, and what is little is there one way after it was written, with no flag to
/// be looked at before. The host writes the words of [`Request::words`] to the first of [`slots`](mailbox::slots), and the payload behind
/// them if that fits; it writes a line of its memory sooner if the kernel is not about to look at it, so no more slots than that have
/// anything. The kernel answers likewise in as many of [`answers`](mailbox::answers) as the answer has words. What does not fit lies in the
/// open behind them, and the answer is there when [`ANSWERED`](mailbox::ANSWERED) has the ticket; which it has in any case before the kernel
/// leaves, and then everything that it has written is seen.
pub mod mailbox {
    /// The word with the ticket of the last request that was answered.
    pub const ANSWERED: usize = 0;
    /// The word in which the kernel writes 1 as its last act, and the host 0 before it launches it.
    pub const LEFT: usize = 4;
    /// Two numbers of 64 bits that the host has written before it launches the kernel: for how many nanoseconds that waits for a request
    /// before it leaves, and after how many it leaves between two requests.
    pub const STAY: usize = 16;
    /// The slots of a request.
    pub const SLOTS: usize = 128;
    /// The number of the word of a request that has nothing in it, and no slot.
    pub const FREE: usize = 7;
    /// The word that the host sets to have the kernel leave as soon as it has answered what it was asked for, and clears before it launches it.
    /// It lies where a slot would be, so that a look at the slots finds it.
    pub const HURRY: usize = SLOTS + 8 * FREE;
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
/// Threads of the warp that looks for requests.
pub const LOOKOUT: u32 = 32;
/// The barrier at which the workgroup waits for the lookout.
const REQUESTED: u32 = 1;
/// Where the lookout finds the ticket of the last request that was answered.
const ANSWERED: &str = "answered";
/// Where in a request's words is how many pairs of slots it has. The lookout says by 0 that there is no request and the kernel leaves.
const PAIRS: u32 = 3;
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
        let payload: u32 = match self.is_open {
            true => 0,
            false => self.put.iter().map(|part| 4 * part.chunks).sum(),
        };
        let pairs = (Request::WORDS as u32 + payload) / 2;
        // Nothing of an answer lies at the mailbox's start.
        let head = [self.groups, self.is_open.into(), self.answer_at.unwrap_or(0), pairs];
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
    /// The ticket of the request at hand.
    served: Operand,
    /// Where the lookout begins, and what it needs to know: when the kernel came, and for how long it stays.
    lookout: Label,
    born: Operand,
    stay: [Operand; 2],
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

/// A buffer of which the workgroup has a copy.
#[derive(Debug)]
pub struct Copied {
    /// The copy's name.
    pub name: String,
    /// Where the buffer begins, and how many bytes of it there are.
    pub base: Operand,
    pub bytes: Operand,
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
        if mailbox::slots(threads) < Request::WORDS {
            return Err(unsupported("a resident kernel whose workgroups are that small"));
        }
        if !threads.is_multiple_of(LOOKOUT) {
            return Err(unsupported("a resident kernel whose workgroups are no whole warps"));
        }
        let own = self.options.grid.own().answered;
        let (text, copies) = (&mut self.text, &self.copies[..]);
        text.declare(format_args!(
            ".shared .align 16 .b8 request[{}]",
            4 * mailbox::slots(threads)
        ));
        let own = own.map_or(0, |own| (4 * own.words).div_ceil(CHUNK));
        if own > 0 {
            text.declare(format_args!(".shared .align 16 .b8 {OWN}[{}]", CHUNK * own));
        }
        text.declare(format_args!(".shared .align 4 .b8 {ANSWERED}[4]"));
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
        let stay = [(); 2].map(|()| text.register(Width::Long));
        let [idle, life] = stay;
        text.line(format_args!(
            "ld.global.v2.u64 {{{idle}, {life}}}, [{mailbox}+{}]",
            mailbox::STAY
        ));
        let born = now(text);
        let [again, next, done, leave, lookout, ready] = [(); 6].map(|()| text.label());
        let is_first = text.compare("eq", Ty::U32, thread, Operand::ConstWord(0));
        text.jump_if(is_first, false, ready);
        text.line(format_args!("st.shared.u32 [{ANSWERED}], {served}"));
        text.place(ready);
        text.line(format_args!("bar.sync 0"));
        let looks_out = text.compare("ge", Ty::U32, thread, Operand::ConstWord(threads));
        text.jump_if(looks_out, true, lookout);
        for Copied { name, base, bytes } in copies {
            let chunks = text.register(Width::Long);
            text.line(format_args!("shr.u64 {chunks}, {bytes}, {}", CHUNK.trailing_zeros()));
            let chunks = text.convert("cvt", Ty::U32, Ty::U64, chunks);
            for_each_chunk(text, (thread, threads), chunks, |text, chunk| {
                let words = {
                    let from = at(text, *base, chunk, CHUNK);
                    load(text, from)
                };
                let to = address_in(text, name, chunk);
                store_shared(text, to, words);
            });
        }
        text.place_first(again);
        text.line(format_args!("bar.sync {REQUESTED}, {}", threads + LOOKOUT));
        let [groups, is_open, answer_at, pairs] = shared(text, "request", 0);
        let leaves = text.compare("eq", Ty::U32, pairs, Operand::ConstWord(0));
        text.jump_if(leaves, true, leave);
        text.op_into(served, "add", Ty::U32, &[served, Operand::ConstWord(1)]);
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
            put_chunk(text, to, words, copies);
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
            put_chunk(text, to, words, copies);
        });
        text.place(filled);
        let total = chunks_of(text, &clear);
        for_each_chunk(text, (thread, threads), total, |text, chunk| {
            let to = address_of(text, chunk, &clear);
            store(text, to, [(); 4].map(|()| "0".to_string()));
        });
        for_each_own(text, (thread, threads), own, |text, _, at| {
            store_shared(text, at, [Operand::ConstWord(0); 4]);
        });
        synchronise(text, threads);

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
            lookout,
            born,
            stay,
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
            lookout,
            born,
            stay,
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
        synchronise(text, threads);
        let [in_slots, answered] = [(); 2].map(|()| text.label());
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
        text.jump(answered);
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
        text.place(answered);
        synchronise(text, threads);
        // What all threads have written is seen by whoever sees the ticket. It takes as long as a way to the host; where the answer went into
        // slots nobody waits for it.
        let is_first = text.compare("eq", Ty::U32, thread, Operand::ConstWord(0));
        text.jump_if(is_first, false, again);
        text.line(format_args!(
            "st.release.sys.global.u32 [{mailbox}+{}], {served}",
            mailbox::ANSWERED
        ));
        text.line(format_args!("st.volatile.shared.u32 [{ANSWERED}], {served}"));
        text.jump(again);
        let end = text.label();
        text.place(lookout);
        look_out(text, (mailbox, thread, threads), (served, born, stay), end);
        text.place(leave);
        let is_first = text.compare("eq", Ty::U32, thread, Operand::ConstWord(0));
        text.jump_if(is_first, false, end);
        let one = text.register(Width::Word);
        text.copy_into(one, Operand::ConstWord(1));
        text.line(format_args!(
            "st.release.sys.global.u32 [{mailbox}+{}], {one}",
            mailbox::LEFT
        ));
        text.place(end);
    }
}

/// What the lookout does: it looks for the next request and brings it to the workgroup, until it finds that the kernel is to leave.
fn look_out(
    text: &mut Text,
    (mailbox, thread, threads): (Operand, Operand, u32),
    (served, born, [idle, life]): (Operand, Operand, [Operand; 2]),
    end: Label,
) {
    let [look, nothing] = [(); 2].map(|()| text.label());
    let lane = text.op("sub", Ty::U32, &[thread, Operand::ConstWord(threads)]);
    let slots = at(text, mailbox, lane, CHUNK);
    let request = text.register(Width::Long);
    text.line(format_args!("mov.u64 {request}, request"));
    let request = at(text, request, lane, 8);
    // The one that has the word in place of a slot.
    let is_other = text.compare("ne", Ty::U32, lane, Operand::ConstWord(mailbox::FREE as u32 / 2));
    // The last request that was found, and when that was or the workgroup was seen at work.
    let (found, since) = (text.copy(served), text.copy(born));

    text.place_first(look);
    let wanted = text.op("add", Ty::U32, &[found, Operand::ConstWord(1)]);
    let [one, [hurry, ticket]] = load_slots(text, slots, 0);
    let first = [one, [hurry, text.select(is_other, ticket, wanted)]];
    // Those up to the one that tells how many there are, the other word of its pair, are there in any case.
    let [_, [number, _]] = first;
    let from = PAIRS / 2;
    let pairs = text.register(Width::Word);
    text.line(format_args!(
        "shfl.sync.idx.b32 {pairs}, {number}, {from}, {}, {}",
        LOOKOUT - 1,
        u32::MAX
    ));
    let pairs = text.op("max", Ty::U32, &[pairs, Operand::ConstWord(from + 1)]);
    let all_here = are_here(text, first, (lane, pairs), wanted);
    text.jump_if(all_here, false, nothing);
    let mut rows = vec![first];
    let whole = text.label();
    for row in 1..threads / LOOKOUT {
        if row == 1 {
            let is_whole = text.compare("le", Ty::U32, pairs, Operand::ConstWord(LOOKOUT));
            text.jump_if(is_whole, true, whole);
        }
        let more = load_slots(text, slots, row);
        let number = text.op("add", Ty::U32, &[lane, Operand::ConstWord(row * LOOKOUT)]);
        let all_here = are_here(text, more, (number, pairs), wanted);
        text.jump_if(all_here, false, nothing);
        rows.push(more);
    }
    text.place(whole);
    for (row, [[one, _], [other, _]]) in (0..).zip(rows) {
        let at: u32 = row * LOOKOUT * 8;
        text.line(format_args!("st.shared.v2.b32 [{request}+{at}], {{{one}, {other}}}"));
    }
    // What had been done on the device before the host wrote this is seen from here on: it lies in the device's cache, and what the
    // multiprocessor's own has of it is dropped. To wait for the host's memory, too, takes longer, and the slots need it not.
    text.line(format_args!("fence.acq_rel.gpu"));
    text.line(format_args!("bar.arrive {REQUESTED}, {}", threads + LOOKOUT));
    text.copy_into(found, wanted);
    let time = now(text);
    text.copy_into(since, time);
    text.jump(look);

    text.place(nothing);
    let answered = text.register(Width::Word);
    text.line(format_args!("ld.volatile.shared.u32 {answered}, [{ANSWERED}]"));
    let is_busy = text.compare("ne", Ty::U32, answered, found);
    let time = now(text);
    let last = text.select(is_busy, time, since);
    text.copy_into(since, last);
    let [waited, lived] = [since, born].map(|then| text.op("sub", Ty::U64, &[time, then]));
    let patient = text.compare("lt", Ty::U64, waited, idle);
    let young = text.compare("lt", Ty::U64, lived, life);
    let stays = text.both(patient, young);
    let may_stay = text.compare("eq", Ty::U32, hurry, Operand::ConstWord(0));
    let stays = text.both(stays, may_stay);
    let stays = text.either(stays, is_busy);
    // What the lane that sees whether there is a hurry finds is what counts.
    let stays = text.either(stays, is_other);
    let stays = vote_all(text, stays);
    text.jump_if(stays, true, look);
    text.line(format_args!("st.volatile.shared.u32 [request+{}], 0", 4 * PAIRS));
    text.line(format_args!("bar.arrive {REQUESTED}, {}", threads + LOOKOUT));
    text.jump(end);
}

/// A lane's two slots in a row of those that all lanes have two of, each as a word and a ticket.
fn load_slots(text: &mut Text, slots: Operand, row: u32) -> [[Operand; 2]; 2] {
    let pair = [(); 2].map(|()| text.register(Width::Long));
    let at = mailbox::SLOTS as u32 + row * LOOKOUT * CHUNK;
    let [one, other] = pair;
    text.line(format_args!(
        "ld.relaxed.sys.global.v2.u64 {{{one}, {other}}}, [{slots}+{at}]"
    ));
    pair.map(|slot| {
        let [word, ticket] = [(); 2].map(|()| text.register(Width::Word));
        text.line(format_args!("mov.b64 {{{word}, {ticket}}}, {slot}"));
        [word, ticket]
    })
}

/// Whether the pairs of a row have the ticket that is wanted, given the number of each lane's, and how many there are to be.
fn are_here(
    text: &mut Text,
    [[_, one], [_, other]]: [[Operand; 2]; 2],
    (number, pairs): (Operand, Operand),
    wanted: Operand,
) -> Operand {
    let [one, other] = [one, other].map(|ticket| text.compare("eq", Ty::U32, ticket, wanted));
    let is_here = text.both(one, other);
    let is_past = text.compare("ge", Ty::U32, number, pairs);
    let is_here = text.either(is_here, is_past);
    vote_all(text, is_here)
}

/// Whether all of a warp say so.
fn vote_all(text: &mut Text, says: Operand) -> Operand {
    let voted = text.register(Width::Truth);
    text.line(format_args!("vote.sync.all.pred {voted}, {says}, {}", u32::MAX));
    voted
}

/// Waits for the workgroup, whose threads are so many. The lookout has no part in it.
pub fn synchronise(text: &mut Text, threads: u32) {
    text.line(format_args!("bar.sync 0, {threads}"));
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

fn store_shared(text: &mut Text, to: Operand, [a, b, c, d]: [Operand; 4]) {
    text.line(format_args!("st.shared.v4.b32 [{to}], {{{a}, {b}, {c}, {d}}}"));
}

/// Writes a chunk of the payload to where it goes, and to the copy of that if there is one.
fn put_chunk(text: &mut Text, to: Operand, words: [Operand; 4], copies: &[Copied]) {
    store(text, to, words.map(|word| word.to_string()));
    for Copied { name, base, bytes } in copies {
        let (offset, on) = (text.op("sub", Ty::U64, &[to, *base]), text.label());
        let is_copied = text.compare("lt", Ty::U64, offset, *bytes);
        text.jump_if(is_copied, false, on);
        let copy = text.register(Width::Long);
        text.line(format_args!("mov.u64 {copy}, {name}"));
        let copy = text.op("add", Ty::U64, &[copy, offset]);
        store_shared(text, copy, words);
        text.place(on);
    }
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

/// The address of a chunk of a variable.
fn address_in(text: &mut Text, name: &str, chunk: Operand) -> Operand {
    let base = text.register(Width::Long);
    text.line(format_args!("mov.u64 {base}, {name}"));
    at(text, base, chunk, CHUNK)
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
        let place = address_in(text, OWN, chunk);
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
