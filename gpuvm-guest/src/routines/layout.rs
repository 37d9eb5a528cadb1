//! Where things are: in the words that all guests share, and in a guest's own chunk.
//!
//! The shared words begin with a page of zeros. Each program has a header there, its page table at the start, its pages, and the instructions of its executable
//! pages as [`decode`](crate::riscv::decode) gives them. A guest's chunk begins with its own header, its page table and, if it has one, its map of edges; the rest is its private pages. A page table's
//! entry is the word at which a page begins, and in the low bits, which are zero there, what the guest may do with it and whose it is. So an entry of 0 is no page,
//! and what is zero at first (bss, heap, stack) is the shared page of zeros until it is written to.

use gpuvm::prelude::*;

/// Bytes of a page, as a power of two.
pub const PAGE_BITS: u32 = 10;
/// Bytes of a page.
pub const PAGE: u32 = 1 << PAGE_BITS;
/// Words of a page.
pub const PAGE_WORDS: u32 = PAGE / 4;

/// A page that may be read.
pub const READ: u32 = 1;
/// A page that may be written to.
pub const WRITE: u32 = 2;
/// A page that may be executed.
pub const EXECUTE: u32 = 4;
/// A page of the guest's own chunk. Without it the page is shared, and is copied before it is written to.
pub const OWN: u32 = 8;
/// A page with code that may be translated. Who changes it is emulated from then on.
pub const CODED: u32 = 16;
/// All flags of an entry.
pub const FLAGS: u32 = PAGE_WORDS - 1;

/// A program's header: the number of the first page that its table has.
pub const BASE: usize = 0;
/// How many pages the table has.
pub const PAGES: usize = 1;
/// Where the table at the start is.
pub const TABLE: usize = 2;
/// The word at which the executable pages begin.
pub const CODE: usize = 3;
/// How many words the executable pages have.
pub const CODE_WORDS: usize = 4;
/// Where the decoded instructions begin.
pub const DECODED: usize = 5;
/// The number of bits of a guest's map of edges, as a power of two; 0 if it has none.
pub const COVERAGE: usize = 6;
/// How many pages of the table are the program's own. Those of the heap and the stack follow.
pub const PROGRAM_PAGES: usize = 7;
/// Words of the header.
pub const HEADER: usize = 8;

/// A chunk's header: where its program's header is.
pub const PROGRAM: usize = 0;
/// How many private pages are in use.
pub const USED: usize = 1;
/// Whether the guest has changed code that may be translated.
pub const CHANGES: usize = 2;
/// Where the chunk's page table begins. Behind its last entry is one of no page.
pub const OWN_TABLE: u32 = 3;

/// The word at which a chunk's map of edges begins, for a table of so many pages.
#[routine(callee)]
pub const fn coverage_start(pages: u32) -> u32 {
    OWN_TABLE + pages + 1
}

/// The words of a map of edges of so many bits, as a power of two, which are 32 at least.
#[routine(callee)]
pub const fn coverage_words(bits: u32) -> u32 {
    if bits == 0 { 0 } else { 1 << (bits - 5) }
}

/// The word at which a chunk's private pages begin, for a table of so many pages and a map of so many bits.
#[routine(callee)]
pub const fn own_pages(pages: u32, bits: u32) -> u32 {
    (coverage_start(pages) + coverage_words(bits)).next_multiple_of(PAGE_WORDS)
}
