//! Loads and stores.

use gpuvm::prelude::*;

use super::cpu::{Cpu, NAMEABLE, NOTHING_RESERVED};
use super::decode::{AFTER, LOADS, OTHER, SIGNED, SIZE, ZR};
use crate::routines::event::{LOAD, MISALIGNED, STORE};
use crate::routines::memory::Memory;

/// Where an access is, of a base and an offset.
#[routine(callee)]
pub(crate) fn address_of(base: u64, offset: u64, fields: u32) -> u64 {
    if fields & AFTER != 0 {
        base
    } else {
        base.wrapping_add(offset)
    }
}

/// Loads `1 << size` bytes, at most eight.
#[routine(callee)]
pub(crate) fn load(memory: &mut Memory<'_>, address: u64, size: u32) -> u64 {
    if address >> 32 != 0 {
        memory.refuse(LOAD, address);
        return 0;
    }
    if size == 3 {
        memory.load_double(address as u32)
    } else {
        u64::from(memory.load(address as u32, size))
    }
}

/// Stores `1 << size` bytes, at most eight.
#[routine(callee)]
pub(crate) fn store(memory: &mut Memory<'_>, address: u64, size: u32, value: u64) {
    if address >> 32 != 0 {
        memory.refuse(STORE, address);
    } else if size == 3 {
        memory.store_double(address as u32, value);
    } else {
        memory.store(address as u32, size, value as u32);
    }
}

/// Loads, or stores a value.
#[routine(callee)]
pub(crate) fn access(memory: &mut Memory<'_>, address: u64, value: u64, fields: u32) -> u64 {
    let size = fields >> SIZE & 7;
    if fields & LOADS == 0 {
        store(memory, address, size, value);
        return 0;
    }
    let loaded = load(memory, address, size);
    if fields & SIGNED == 0 {
        return loaded;
    }
    let above = 64 - (8 << size);
    ((loaded << above) as i64 >> above) as u64
}

/// Loads one register or two with one look at where they are.
#[routine(callee)]
pub(crate) fn access_at_once(memory: &mut Memory<'_>, address: u64, fields: u32, pair: bool) -> (u64, u64) {
    let size = fields >> SIZE & 7;
    let (mut first, mut second) = memory.load_at_once(address, 1 << size << u32::from(pair));
    if pair && size == 2 {
        second = first >> 32;
        first &= 0xffff_ffff;
    }
    if fields & SIGNED != 0 {
        let above = 64 - (8 << size);
        first = ((first << above) as i64 >> above) as u64;
        second = ((second << above) as i64 >> above) as u64;
    }
    (first, second)
}

/// Stores one register or two with one look at where they go.
#[routine(callee)]
pub(crate) fn store_at_once(memory: &mut Memory<'_>, address: u64, fields: u32, pair: bool, first: u64, second: u64) {
    let size = fields >> SIZE & 7;
    let low = if pair && size == 2 {
        first & 0xffff_ffff | second << 32
    } else {
        first
    };
    memory.store_at_once(address, 1 << size << u32::from(pair), low, second);
}

/// What is at an address that the instruction says.
#[routine(callee)]
pub(crate) fn literal(memory: &mut Memory<'_>, address: u64, fields: u32) -> u64 {
    access(memory, address, 0, fields)
}

/// Loads or stores two registers. A store that fails has stored nothing that it may not load.
#[routine(callee)]
pub(crate) fn pair(memory: &mut Memory<'_>, address: u64, first: u64, second: u64, fields: u32) -> (u64, u64) {
    let size = fields >> SIZE & 7;
    let next = address.wrapping_add(1u64 << size);
    if fields & LOADS == 0 {
        // If the last byte may be written, so may what is before it, or the first store says that it may not.
        store_both(memory, address, next, size, first, second);
        return (0, 0);
    }
    let low = access(memory, address, 0, fields);
    if memory.fault != 0 {
        return (0, 0);
    }
    let high = access(memory, next, 0, fields);
    (low, high)
}

#[routine(callee)]
pub(crate) fn store_both(memory: &mut Memory<'_>, address: u64, next: u64, size: u32, first: u64, second: u64) {
    if next >> 32 == 0 && memory.reaches(next as u32, 1 << size) {
        store(memory, address, size, first);
        if memory.fault == 0 {
            store(memory, next, size, second);
        }
    } else if memory.fault == 0 {
        memory.refuse(STORE, next);
    }
}

/// Exclusive loads and stores. A load gives what is there; a store whether it has not stored.
#[routine(callee)]
pub(crate) fn exclusive(
    cpu: &mut Cpu,
    x: &mut [u64; NAMEABLE],
    memory: &mut Memory<'_>,
    word: u32,
    address: u64,
    fields: u32,
) -> u64 {
    let size = fields >> SIZE & 7;
    let pair = fields >> OTHER & 1;
    if address & ((1u64 << (size + pair)) - 1) != 0 {
        memory.refuse(MISALIGNED, address);
        return 0;
    }
    let next = address.wrapping_add(1u64 << size);
    let (rt, second) = (word >> 8 & 63, word >> 26);
    if fields & LOADS != 0 {
        let low = load(memory, address, size);
        let high = if pair != 0 && memory.fault == 0 {
            load(memory, next, size)
        } else {
            0
        };
        if memory.fault == 0 {
            cpu.reserved = address;
            cpu.reserved_value = [low, high];
            if pair != 0 && second != ZR {
                x[second as usize] = high;
            }
        }
        return low;
    }
    let reserved = cpu.reserved;
    cpu.reserved = NOTHING_RESERVED;
    if reserved != address {
        return 1;
    }
    let low = load(memory, address, size);
    let high = if pair != 0 && memory.fault == 0 {
        load(memory, next, size)
    } else {
        cpu.reserved_value[1]
    };
    if memory.fault != 0 || low != cpu.reserved_value[0] || high != cpu.reserved_value[1] {
        return 1;
    }
    if pair != 0 {
        store_both(memory, address, next, size, x[rt as usize], x[second as usize]);
    } else {
        store(memory, address, size, x[rt as usize]);
    }
    0
}
