//! The words that all guests share: programs, as [`layout`](crate::routines::layout) has them.

use crate::aarch64;
use crate::program::{Machine, Program};
use crate::riscv::decode::{Decoded, ENTRY, WIDE, decode, kind};
use crate::routines::layout::{
    BASE, CODE, CODE_WORDS, CODED, COVERAGE, DECODED, EXECUTE, HEADER, PAGE, PAGE_BITS, PAGE_WORDS, PAGES,
    PROGRAM_PAGES, READ, TABLE, WRITE,
};

/// Bytes of a page as guests are told, of which ours are parts.
pub(crate) const GUEST_PAGE: u32 = 4096;

/// Where a program's guests have what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// The word of the header.
    pub header: u32,
    /// Pages of the table.
    pub pages: u32,
    /// Where the heap begins.
    pub heap: u64,
    /// Where it can grow to.
    pub heap_end: u64,
    /// Where the stack ends, which begins it.
    pub stack: u64,
}

/// The shared words, and where each program is in them.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub words: Vec<u32>,
    pub places: Vec<Place>,
}

impl Image {
    /// An image of programs, whose guests have a heap and a stack of so many bytes at most, and a map of so many bits of edges, as a power of two.
    pub fn new(programs: &[Program], heap: u32, stack: u32, coverage: u32) -> Image {
        let mut words = vec![0; PAGE_WORDS as usize];
        let places = programs
            .iter()
            .map(|program| {
                let place = add(&mut words, program, heap, stack);
                words[place.header as usize + COVERAGE] = coverage;
                place
            })
            .collect();
        Image { words, places }
    }

    /// Notes at which addresses of a program its translation is entered, in place of those that were before.
    pub fn enter(&mut self, which: usize, program: &Program, entries: &[u32]) {
        let header = self.places[which].header as usize;
        let (first, arm) = (
            self.words[header + DECODED] as usize,
            program.machine() == Machine::AArch64,
        );
        let bit = if arm { aarch64::decode::ENTRY } else { ENTRY };
        // Of RISC-V's two words for each half word of code the first has the bit, of AArch64's four for each word the second.
        let (each, place) = if arm { (4, 1) } else { (2, 0) };
        let count = self.words[header + CODE_WORDS] as usize * 4 / each;
        for instruction in 0..count {
            self.words[first + instruction * each + place] &= !bit;
        }
        let executable = program.pages().iter().filter(|(_, page)| page.flags & EXECUTE != 0);
        let pages: Vec<u32> = executable.map(|(number, _)| *number).collect();
        for entry in entries {
            let Ok(page) = pages.binary_search(&(entry >> PAGE_BITS)) else {
                continue;
            };
            let at = page * PAGE as usize + (entry % PAGE) as usize / if arm { 4 } else { 2 } * each;
            // What is in two pages is decoded when it is come to.
            if arm || self.words[first + at] & 0xff != kind::LATER {
                self.words[first + at + place] |= bit;
            }
        }
    }
}

/// Adds a program.
fn add(words: &mut Vec<u32>, program: &Program, heap: u32, stack: u32) -> Place {
    let (base, end) = program.extent();
    let pages_of = |bytes: u32| bytes.next_multiple_of(GUEST_PAGE) >> PAGE_BITS;
    let guard = GUEST_PAGE >> PAGE_BITS;
    let heap_page = end.next_multiple_of(guard);
    let heap_end = heap_page + pages_of(heap);
    // Two pages that nobody may touch stand between the heap and the stack.
    let stack_page = heap_end + 2 * guard;
    let stack_end = stack_page + pages_of(stack);
    let pages = stack_end - base;

    let header = words.len() as u32;
    words.resize(words.len() + HEADER, 0);
    let table = words.len() as u32;
    words.resize(words.len() + pages as usize, 0);
    for page in stack_page..stack_end {
        words[(table + page - base) as usize] = READ | WRITE;
    }
    words.resize(words.len().next_multiple_of(PAGE_WORDS as usize), 0);
    let code = words.len() as u32;
    let executable = |flags: u32| flags & EXECUTE != 0;
    for which in [true, false] {
        for (&number, page) in program.pages() {
            if executable(page.flags) != which {
                continue;
            }
            let zeros = page.bytes.iter().all(|byte| *byte == 0);
            let at = if zeros && !which { 0 } else { words.len() as u32 };
            let coded = if which { CODED } else { 0 };
            words[(table + number - base) as usize] = at | page.flags | coded;
            if at != 0 {
                words.extend(page.bytes.chunks_exact(4).map(word));
            }
        }
        if which {
            let count = words.len() as u32 - code;
            words[header as usize + CODE_WORDS] = count;
        }
    }
    let decoded = words.len() as u32;
    for page in program.pages().values() {
        if executable(page.flags) {
            decode_page(words, &page.bytes, program.machine());
        }
    }
    words.resize(words.len().next_multiple_of(PAGE_WORDS as usize), 0);
    for (field, value) in [
        (BASE, base),
        (PAGES, pages),
        (PROGRAM_PAGES, end - base),
        (TABLE, table),
        (CODE, code),
        (DECODED, decoded),
    ] {
        words[header as usize + field] = value;
    }
    Place {
        header,
        pages,
        heap: u64::from(heap_page) << PAGE_BITS,
        heap_end: u64::from(heap_end) << PAGE_BITS,
        stack: u64::from(stack_end) << PAGE_BITS,
    }
}

/// Four bytes.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// Decodes a page's instructions: of RISC-V those that may begin at each of its halves of words.
fn decode_page(words: &mut Vec<u32>, bytes: &[u8], machine: Machine) {
    if machine == Machine::AArch64 {
        for bytes in bytes.chunks_exact(4) {
            let decoded = aarch64::decode::decode(word(bytes));
            let immediate = decoded.immediate;
            words.extend([decoded.word, decoded.fields, immediate as u32, (immediate >> 32) as u32]);
        }
        return;
    }
    let long = machine == Machine::RiscV64;
    for at in (0..PAGE as usize).step_by(2) {
        let decoded = match bytes.get(at..at + 4) {
            Some(bytes) => decode(word(bytes), long),
            None => {
                let low = word(&bytes[at..]);
                let decoded = decode(low, long);
                // The second half may become another one without the first one's page being written to.
                if decoded.word & WIDE == 0 {
                    decoded
                } else {
                    Decoded {
                        word: kind::LATER,
                        immediate: 0,
                    }
                }
            }
        };
        words.extend([decoded.word, decoded.immediate]);
    }
}
