//! A guest's memory: private pages over shared ones.

use gpuvm::prelude::*;

use super::coverage::edge;
use super::event;
use super::layout::{
    BASE, CHANGES, CODE, CODE_WORDS, CODED, COVERAGE, DECODED, EXECUTE, FLAGS, OWN, OWN_TABLE, PAGE, PAGE_BITS,
    PAGE_WORDS, PAGES, PROGRAM, PROGRAM_PAGES, READ, USED, WRITE, coverage_start, own_pages,
};

/// Pages at the end of its stack that a guest has before it runs.
const STACK_PAGES: u32 = 2;

/// A guest's view of memory, with what is looked up at each access taken out of its header once.
#[derive(VmType)]
pub(crate) struct Memory<'a> {
    /// The guest's chunk.
    own: &'a mut [u32],
    /// What all guests share.
    shared: &'a [u32],
    base: u32,
    pages: u32,
    used: u32,
    code: u32,
    code_words: u32,
    decoded: u32,
    coverage: u32,
    /// What is looked up once a page by those that change no page's entry: the page that the last instruction was in, where its first one is among the decoded
    /// ones, and how many there are from there on.
    code_page: u32,
    in_page: u32,
    behind: u32,
    /// And the page of the last access, with its entry.
    data_page: u32,
    data_entry: u32,
    /// Why the last access failed, or 0. It stays until it is taken.
    pub fault: u32,
    /// Where.
    pub address: u64,
}

#[routine]
impl<'a> Memory<'a> {
    pub fn new(own: &'a mut [u32], shared: &'a [u32]) -> Memory<'a> {
        let program = own[PROGRAM] as usize;
        let used = own[USED];
        Memory {
            own,
            shared,
            base: shared[program + BASE],
            pages: shared[program + PAGES],
            used,
            code: shared[program + CODE],
            code_words: shared[program + CODE_WORDS],
            decoded: shared[program + DECODED],
            coverage: shared[program + COVERAGE],
            code_page: u32::MAX,
            in_page: 0,
            behind: 0,
            data_page: u32::MAX,
            data_entry: 0,
            fault: 0,
            address: 0,
        }
    }

    /// Keeps what has changed beside the pages.
    pub fn close(&mut self) {
        self.own[USED] = self.used;
    }

    /// Whether the guest has changed its code.
    pub fn has_changes(&self) -> bool {
        self.own[CHANGES] != 0
    }

    /// Notes that an edge was taken, if anybody wants to know.
    pub fn cover(&mut self, from: u32, to: u32) {
        if self.coverage != 0 {
            let bit = edge(from, to, self.coverage);
            let at = coverage_start(self.pages).wrapping_add(bit >> 5) as usize;
            self.own[at] |= 1 << (bit & 31);
        }
    }

    /// The entry of the page that an address is in, or 0.
    fn entry(&self, address: u32) -> u32 {
        let page = (address >> PAGE_BITS).wrapping_sub(self.base);
        if page < self.pages {
            self.own[OWN_TABLE.wrapping_add(page) as usize]
        } else {
            0
        }
    }

    fn set_entry(&mut self, address: u32, entry: u32) {
        let page = (address >> PAGE_BITS).wrapping_sub(self.base);
        if page < self.pages {
            self.own[OWN_TABLE.wrapping_add(page) as usize] = entry;
        }
    }

    /// The word at an address in a page.
    fn word(&self, entry: u32, address: u32) -> u32 {
        let at = ((entry & !FLAGS) | (address >> 2 & (PAGE_WORDS - 1))) as usize;
        if entry & OWN != 0 {
            self.own[at]
        } else {
            self.shared[at]
        }
    }

    /// Notes that an access is impossible.
    pub fn refuse(&mut self, fault: u32, address: u64) {
        self.fault = fault;
        self.address = address;
    }

    /// The entry of a page that allows what is asked, else 0 and a fault.
    fn allowed(&mut self, address: u32, flag: u32, fault: u32) -> u32 {
        let entry = self.entry(address);
        if entry & flag == 0 {
            self.fault = fault;
            self.address = u64::from(address);
            return 0;
        }
        entry
    }

    /// The entry of a page that may be written to, which is the guest's own from now on.
    fn writable(&mut self, address: u32) -> u32 {
        let entry = self.allowed(address, WRITE, event::STORE);
        if entry & OWN != 0 || entry == 0 {
            return entry;
        }
        self.copied(address, entry)
    }

    /// Copies pages that a guest is going to write to before it runs, because translated code stops where it has to copy one: the end of its stack, and what its
    /// program has that may be written to, as far as a quarter of its private pages suffices.
    pub fn prepare(&mut self) {
        let room = (self.own.len() as u32).wrapping_sub(own_pages(self.pages, self.coverage)) / PAGE_WORDS;
        let most = room / 4;
        let program = self.shared[self.own[PROGRAM] as usize + PROGRAM_PAGES];
        for i in 0..STACK_PAGES.wrapping_add(program) {
            let page = if i < STACK_PAGES {
                self.pages.wrapping_sub(1).wrapping_sub(i)
            } else {
                i.wrapping_sub(STACK_PAGES)
            };
            let address = self.base.wrapping_add(page) << PAGE_BITS;
            if self.used < most && self.entry(address) & (WRITE | CODED) == WRITE {
                self.writable(address);
            }
        }
    }

    /// Copies a shared page to the guest's chunk.
    fn copied(&mut self, address: u32, entry: u32) -> u32 {
        let start = own_pages(self.pages, self.coverage).wrapping_add(self.used.wrapping_mul(PAGE_WORDS));
        if start.wrapping_add(PAGE_WORDS) as usize > self.own.len() {
            self.fault = event::NO_PAGE;
            self.address = u64::from(address);
            return 0;
        }
        self.used = self.used.wrapping_add(1);
        if entry & CODED != 0 {
            self.own[CHANGES] = 1;
        }
        let from = entry & !FLAGS;
        for i in 0..PAGE_WORDS {
            self.own[start.wrapping_add(i) as usize] = self.shared[from.wrapping_add(i) as usize];
        }
        let entry = start | (entry & FLAGS) | OWN;
        self.set_entry(address, entry);
        entry
    }

    /// The aligned word at or below an address.
    fn aligned(&mut self, address: u32) -> u32 {
        let entry = self.allowed(address, READ, event::LOAD);
        if entry == 0 { 0 } else { self.word(entry, address) }
    }

    /// The `1 << size` bytes at an address, at most four of them, below zeros.
    pub fn load(&mut self, address: u32, size: u32) -> u32 {
        let offset = address & 3;
        let bytes = 1 << size;
        let low = self.aligned(address) >> (offset * 8);
        if offset.wrapping_add(bytes) <= 4 || self.fault != 0 {
            return low & mask(size);
        }
        // What is in the next word may be in another page, or nowhere.
        let next = self.aligned((address | 3).wrapping_add(1));
        (low | next << (32 - offset * 8)) & mask(size)
    }

    /// The entry of the page that has `bytes` from an address on and the flags; 0 if it has not, if they reach beyond it, or if they are neither in one word
    /// nor whole words. No page's entry may change between two calls.
    fn entry_of(&mut self, address: u64, bytes: u32, flags: u32) -> u32 {
        let at = address as u32;
        let in_words = if bytes < 4 {
            (at & 3).wrapping_add(bytes) <= 4
        } else {
            at & 3 == 0
        };
        if address >> 32 != 0 || !in_words || (at & (PAGE - 1)).wrapping_add(bytes) > PAGE {
            return 0;
        }
        let page = at >> PAGE_BITS;
        if page != self.data_page {
            self.data_entry = self.entry(at);
            self.data_page = page;
        }
        let entry = self.data_entry;
        if entry & flags == flags { entry } else { 0 }
    }

    /// Up to 16 bytes, with one look at where they are. The fault is that the whole emulator is needed, where that has more to do than to load them.
    pub fn load_at_once(&mut self, address: u64, bytes: u32) -> (u64, u64) {
        let entry = self.entry_of(address, bytes, READ);
        if entry == 0 {
            self.refuse(event::NEEDS_WHOLE, address);
            return (0, 0);
        }
        let at = address as u32;
        let first = self.word(entry, at) >> ((at & 3) * 8);
        if bytes < 4 {
            return (u64::from(first & ((1 << (8 * bytes)) - 1)), 0);
        }
        let mut low = u64::from(first);
        let mut high = 0;
        if bytes > 4 {
            low |= u64::from(self.word(entry, at.wrapping_add(4))) << 32;
        }
        if bytes > 8 {
            let third = self.word(entry, at.wrapping_add(8));
            let fourth = self.word(entry, at.wrapping_add(12));
            high = u64::from(third) | u64::from(fourth) << 32;
        }
        (low, high)
    }

    /// Stores up to 16 bytes, or faults as [`load_at_once`](Memory::load_at_once).
    pub fn store_at_once(&mut self, address: u64, bytes: u32, low: u64, high: u64) {
        let entry = self.entry_of(address, bytes, WRITE | OWN);
        if entry == 0 {
            self.refuse(event::NEEDS_WHOLE, address);
            return;
        }
        let at = address as u32;
        if bytes < 4 {
            let (by, mask) = ((at & 3) * 8, (1 << (8 * bytes)) - 1);
            self.change(entry, at, (low as u32) << by, mask << by);
            return;
        }
        self.change(entry, at, low as u32, u32::MAX);
        if bytes > 4 {
            self.change(entry, at.wrapping_add(4), (low >> 32) as u32, u32::MAX);
        }
        if bytes > 8 {
            self.change(entry, at.wrapping_add(8), high as u32, u32::MAX);
            self.change(entry, at.wrapping_add(12), (high >> 32) as u32, u32::MAX);
        }
    }

    /// Eight bytes.
    pub fn load_double(&mut self, address: u32) -> u64 {
        let low = self.load(address, 2);
        if self.fault != 0 {
            return 0;
        }
        let high = self.load(address.wrapping_add(4), 2);
        u64::from(low) | u64::from(high) << 32
    }

    /// Changes those bits of an aligned word that are in a mask.
    fn change(&mut self, entry: u32, address: u32, value: u32, mask: u32) {
        let at = ((entry & !FLAGS) | (address >> 2 & (PAGE_WORDS - 1))) as usize;
        self.own[at] = (self.own[at] & !mask) | (value & mask);
    }

    /// Stores the low `1 << size` bytes of a value, at most four, or nothing at all.
    pub fn store(&mut self, address: u32, size: u32, value: u32) {
        let offset = address & 3;
        let bytes = 1 << size;
        let entry = self.writable(address);
        if entry == 0 {
            return;
        }
        if offset.wrapping_add(bytes) <= 4 {
            self.change(entry, address, value << (offset * 8), mask(size) << (offset * 8));
            return;
        }
        let next = (address | 3).wrapping_add(1);
        let other = self.writable(next);
        if other == 0 {
            return;
        }
        self.change(entry, address, value << (offset * 8), mask(size) << (offset * 8));
        let by = 32 - offset * 8;
        self.change(other, next, value >> by, mask(size) >> by);
    }

    /// Stores eight bytes, or nothing at all.
    pub fn store_double(&mut self, address: u32, value: u64) {
        let last = address.wrapping_add(7);
        // What follows cannot fail in its second half.
        if (address ^ last) >> PAGE_BITS != 0 && self.writable(last) == 0 {
            return;
        }
        self.store(address, 2, value as u32);
        if self.fault == 0 {
            self.store(address.wrapping_add(4), 2, (value >> 32) as u32);
        }
    }

    /// Whether bytes from an address on may be written, or there is a fault. They are the guest's own then.
    pub fn reaches(&mut self, address: u32, bytes: u32) -> bool {
        self.writable(address) != 0 && self.writable(address.wrapping_add(bytes).wrapping_sub(1)) != 0
    }

    /// Where the decoded instruction at an address is among the shared words, or 0 if it has to be decoded first. `fault` says whether it may be executed at all.
    /// For each word of code there are `1 << each` words.
    pub fn decoded(&mut self, address: u32, each: u32) -> u32 {
        let entry = self.allowed(address, EXECUTE, event::FETCH);
        let word = ((entry & !FLAGS) | (address >> 2 & (PAGE_WORDS - 1))).wrapping_sub(self.code);
        if entry & OWN != 0 || word >= self.code_words {
            return 0;
        }
        self.decoded.wrapping_add(word << each).wrapping_add(address & 2)
    }

    /// The same of an instruction of four bytes and as many words, if no page's entry changes between two calls. 0 without a fault if the guest has changed the code
    /// or may not execute it.
    pub fn decoded_at_once(&mut self, address: u32) -> u32 {
        let page = address >> PAGE_BITS;
        if page != self.code_page {
            let entry = self.entry(address);
            let first = (entry & !FLAGS).wrapping_sub(self.code);
            let is_code = entry & (OWN | EXECUTE) == EXECUTE && first < self.code_words;
            self.code_page = page;
            self.in_page = self.decoded.wrapping_add(first << 2);
            self.behind = if is_code {
                self.code_words.wrapping_sub(first)
            } else {
                0
            };
        }
        let word = address >> 2 & (PAGE_WORDS - 1);
        if word < self.behind {
            self.in_page.wrapping_add(word << 2)
        } else {
            0
        }
    }

    /// A word of what all guests share.
    pub fn shared(&self, at: u32) -> u32 {
        self.shared[at as usize]
    }

    /// The 16 bits of an instruction at an even address.
    pub fn parcel(&mut self, address: u32) -> u32 {
        let entry = self.allowed(address, EXECUTE, event::FETCH);
        if entry == 0 {
            0
        } else {
            self.word(entry, address) >> ((address & 2) * 8) & 0xffff
        }
    }

    /// Maps pages that hold zeros, changes what may be done with pages, or takes them away: new flags for all pages from `address` for `bytes`.
    pub fn protect(&mut self, address: u32, bytes: u32, flags: u32, fresh: bool) {
        let mut at = 0;
        while at < bytes {
            let place = address.wrapping_add(at);
            let entry = self.entry(place);
            if entry & CODED != 0 {
                self.own[CHANGES] = 1;
            }
            if fresh && entry & OWN != 0 {
                for i in 0..PAGE_WORDS {
                    self.own[(entry & !FLAGS).wrapping_add(i) as usize] = 0;
                }
                self.set_entry(place, (entry & !(FLAGS ^ OWN)) | flags);
            } else if fresh {
                self.set_entry(place, flags);
            } else {
                self.set_entry(place, (entry & !(FLAGS ^ OWN)) | flags);
            }
            at = at.wrapping_add(PAGE);
        }
    }
}

/// The low `1 << size` bytes of a word.
#[routine(callee)]
fn mask(size: u32) -> u32 {
    if size == 2 { u32::MAX } else { (1 << (8 << size)) - 1 }
}
