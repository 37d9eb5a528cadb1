//! ELF files as programs of guests.

use std::collections::BTreeMap;

use object::elf::{EM_AARCH64, EM_RISCV, ET_DYN, PF_R, PF_W, PF_X, PT_INTERP, PT_LOAD, PT_PHDR};
use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::{Endianness, FileKind, Object, ObjectSymbol};

use crate::error::{Error, Result};
use crate::routines::layout::{EXECUTE, PAGE, PAGE_BITS, READ, WRITE};

/// Where a program is loaded that can be anywhere.
const ANYWHERE: u64 = 0x1_0000;

/// A machine that programs are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Machine {
    /// RISC-V with registers of 32 bits: RV32IMAC and F.
    RiscV32,
    /// RISC-V with registers of 64 bits: RV64IMAC, F and D.
    RiscV64,
    /// AArch64: the base instructions, and scalar floats.
    AArch64,
}

/// Bytes of one page, and what may be done with them.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub flags: u32,
    pub bytes: Box<[u8]>,
}

/// A name for a range of addresses.
#[derive(Clone, Debug)]
struct Symbol {
    address: u64,
    size: u64,
    name: String,
}

/// A program for guests, as an ELF file has it. It is linked statically; many guests share it.
#[derive(Clone, Debug)]
pub struct Program {
    machine: Machine,
    entry: u64,
    /// Where its headers are in memory, how large each is, and how many there are, as a C library asks.
    headers: [u64; 3],
    pages: BTreeMap<u32, Page>,
    symbols: Vec<Symbol>,
}

impl Program {
    /// Reads an ELF file.
    ///
    /// # Errors
    ///
    /// If it is none, is for another machine, is linked dynamically, or has segments where guests have no memory.
    pub fn from_elf(file: &[u8]) -> Result<Program> {
        match FileKind::parse(file)? {
            FileKind::Elf32 => read::<object::elf::FileHeader32<Endianness>>(file),
            FileKind::Elf64 => read::<object::elf::FileHeader64<Endianness>>(file),
            other => Err(Error::Machine(format!("{other:?}"))),
        }
    }

    /// The machine it is for.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// The address of its first instruction.
    pub fn entry(&self) -> u64 {
        self.entry
    }

    /// The function or datum that an address is in, and how far behind its beginning. A stripped file has no names.
    pub fn symbol(&self, address: u64) -> Option<(&str, u64)> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols[..after].last()?;
        let offset = address - symbol.address;
        (offset == 0 || offset < symbol.size).then_some((symbol.name.as_str(), offset))
    }

    /// The address of a name.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        let symbol = self.symbols.iter().find(|symbol| symbol.name == name);
        symbol.map(|symbol| symbol.address)
    }

    /// Where the function ends that an address is in.
    pub(crate) fn end_of(&self, address: u64) -> Option<u64> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols[..after].last()?;
        let end = symbol.address + symbol.size;
        (address < end).then_some(end)
    }

    pub(crate) fn pages(&self) -> &BTreeMap<u32, Page> {
        &self.pages
    }

    pub(crate) fn headers(&self) -> [u64; 3] {
        self.headers
    }

    /// The first page, and the first behind the last.
    pub(crate) fn extent(&self) -> (u32, u32) {
        let first = self.pages.keys().next().copied().unwrap_or(0);
        let last = self.pages.keys().next_back().copied().unwrap_or(0);
        (first, last + 1)
    }
}

fn read<Header: FileHeader<Endian = Endianness>>(file: &[u8]) -> Result<Program> {
    let elf = ElfFile::<Header>::parse(file)?;
    let endian = elf.endian();
    let header = elf.elf_header();
    let machine = match (header.e_machine(endian), header.is_class_64()) {
        (EM_RISCV, false) => Machine::RiscV32,
        (EM_RISCV, true) => Machine::RiscV64,
        (EM_AARCH64, true) => Machine::AArch64,
        (other, _) => return Err(Error::Machine(format!("machine {other} of the ELF list"))),
    };
    if endian != Endianness::Little {
        return Err(Error::Machine("a big-endian machine".to_string()));
    }
    let bias = if header.e_type(endian) == ET_DYN { ANYWHERE } else { 0 };
    let file_offset: u64 = header.e_phoff(endian).into();
    let mut at_headers = 0;
    let mut pages: BTreeMap<u32, Page> = BTreeMap::new();
    for segment in elf.elf_program_headers() {
        let address = segment.p_vaddr(endian).into().wrapping_add(bias);
        match segment.p_type(endian) {
            PT_INTERP => {
                let name = segment.data(endian, file).unwrap_or_default();
                let name = String::from_utf8_lossy(name).trim_end_matches('\0').to_string();
                return Err(Error::Dynamic(name));
            }
            PT_PHDR => at_headers = address,
            PT_LOAD => {
                let size: u64 = segment.p_memsz(endian).into();
                let end = address.checked_add(size).filter(|end| *end < 0xf000_0000);
                let Some(end) = end else {
                    let end = address.wrapping_add(size);
                    return Err(Error::Segment { address, end });
                };
                let flags = segment.p_flags(endian);
                let may = |flag: object::elf::ProgramFlags, here| if flags.0 & flag.0 != 0 { here } else { 0 };
                let bytes = segment.data(endian, file).map_err(|()| {
                    let end = address + size;
                    Error::Segment { address, end }
                })?;
                let offset: u64 = segment.p_offset(endian).into();
                if file_offset >= offset && file_offset < offset + bytes.len() as u64 && at_headers == 0 {
                    at_headers = address + (file_offset - offset);
                }
                fill(
                    &mut pages,
                    address,
                    end,
                    bytes,
                    may(PF_R, READ) | may(PF_W, WRITE) | may(PF_X, EXECUTE | READ),
                );
            }
            _ => {}
        }
    }
    if pages.is_empty() {
        return Err(Error::Nothing("segments to be loaded"));
    }
    let mut symbols: Vec<Symbol> = elf
        .symbols()
        .filter(|symbol| symbol.is_definition())
        .filter_map(|symbol| {
            let name = symbol.name().ok()?.to_string();
            // RISC-V's assemblers mark what is code so.
            let named = !name.is_empty() && !name.starts_with('$');
            named.then(|| Symbol {
                address: symbol.address().wrapping_add(bias),
                size: symbol.size(),
                name,
            })
        })
        .collect();
    symbols.sort_by_key(|symbol| (symbol.address, symbol.size));
    Ok(Program {
        machine,
        entry: elf.entry().wrapping_add(bias),
        headers: [
            at_headers,
            u64::from(header.e_phentsize(endian)),
            u64::from(header.e_phnum(endian)),
        ],
        pages,
        symbols,
    })
}

/// Puts a segment into pages: its bytes, and zeros up to its end.
fn fill(pages: &mut BTreeMap<u32, Page>, address: u64, end: u64, bytes: &[u8], flags: u32) {
    let mut at = address;
    while at < end {
        let page = (at >> PAGE_BITS) as u32;
        let offset = (at % u64::from(PAGE)) as usize;
        let entry = pages.entry(page).or_insert_with(|| Page {
            flags: 0,
            bytes: vec![0; PAGE as usize].into_boxed_slice(),
        });
        entry.flags |= flags;
        let from = (at - address) as usize;
        if from < bytes.len() {
            let count = (bytes.len() - from).min(PAGE as usize - offset);
            entry.bytes[offset..offset + count].copy_from_slice(&bytes[from..from + count]);
        }
        at = u64::from(page + 1) << PAGE_BITS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_cut_into_pages() {
        let mut pages = BTreeMap::new();
        fill(&mut pages, 0x1_03fe, 0x1_0c00, &[1, 2, 3], READ);
        assert_eq!(pages.keys().copied().collect::<Vec<_>>(), [0x40, 0x41, 0x42]);
        assert_eq!(pages[&0x40].bytes[0x3fd..], [0, 1, 2]);
        assert_eq!(pages[&0x41].bytes[..2], [3, 0]);
        assert_eq!(pages[&0x42].flags, READ);
    }

    #[test]
    fn what_is_no_program_is_refused() {
        let error = Program::from_elf(b"#!/bin/sh\necho a text that is no program\n").unwrap_err();
        assert_eq!(error.to_string(), "the program cannot be read: Unknown file magic");
        assert!(Program::from_elf(&[]).is_err());
    }
}
