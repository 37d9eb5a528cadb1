//! Memory of the device, and the instructions that touch any.

use super::parse::Argument;
use super::{Block, Given, Thread};

/// The device's memory: buffers far apart. What lies outside of all is not there.
#[derive(Debug, Default)]
pub struct Memory {
    buffers: Vec<Vec<u8>>,
    /// How often the device's clock was read.
    clock: u64,
    /// What the host writes when the clock was read so often, the last first.
    later: Vec<Later>,
}

/// What the host writes while a kernel runs: when, where, and what.
pub type Later = (u64, u64, Vec<u8>);

/// Buffers lie so many bytes apart.
const APART: u32 = 40;

impl Memory {
    /// Adds a buffer and gives its address.
    pub fn add(&mut self, words: &[u32]) -> u64 {
        self.buffers
            .push(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        (self.buffers.len() as u64) << APART
    }

    /// The host writes something when the clock was read so often.
    pub fn write_later(&mut self, later: Later) {
        self.later.push(later);
        self.later.sort_by_key(|(when, ..)| std::cmp::Reverse(*when));
    }

    /// Writes bytes.
    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        self.at(address, bytes.len()).copy_from_slice(bytes);
    }

    /// How often the clock was read.
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// Reads the clock.
    pub(super) fn tick(&mut self) -> u64 {
        self.clock += 1;
        while let Some((_, address, bytes)) = self.later.pop_if(|(when, ..)| *when <= self.clock) {
            self.write(address, &bytes);
        }
        self.clock
    }

    /// A buffer's words.
    pub fn words(&self, address: u64) -> Vec<u32> {
        let bytes = &self.buffers[(address >> APART) as usize - 1];
        bytes
            .as_chunks()
            .0
            .iter()
            .map(|bytes| u32::from_le_bytes(*bytes))
            .collect()
    }

    fn at(&mut self, address: u64, count: usize) -> &mut [u8] {
        let buffer = (address >> APART).checked_sub(1).map(|number| number as usize);
        let buffer = buffer.and_then(|number| self.buffers.get_mut(number));
        let start = (address & ((1 << APART) - 1)) as usize;
        let bytes = buffer.and_then(|buffer| buffer.get_mut(start..start + count));
        bytes.unwrap_or_else(|| panic!("no memory at {address:#x}"))
    }
}

fn width(ty: &str) -> usize {
    ty[1..].parse::<usize>().unwrap() / 8
}

impl Block<'_> {
    fn bytes<'b>(&'b mut self, thread: &'b mut Thread, space: &str, at: &Argument, count: usize) -> &'b mut [u8] {
        let Argument::Address(base, offset) = at else {
            panic!("{at:?} is no address");
        };
        let base = match &**base {
            Argument::Name(name) => self.named(thread, name),
            register => thread.bits(register),
        };
        let address = base.wrapping_add(*offset);
        assert_eq!(
            address % count.next_power_of_two() as u64,
            0,
            "an address that is not aligned"
        );
        let place = address as usize;
        match space {
            "global" => self.memory.at(address, count),
            "shared" => &mut self.shared[place..place + count],
            "local" => &mut thread.local[place..place + count],
            other => panic!("no space `{other}`"),
        }
    }

    fn parameter(&self, thread: &Thread, at: &Argument, count: usize) -> Vec<u8> {
        let Argument::Address(base, offset) = at else {
            panic!("{at:?} is no address");
        };
        let base = match &**base {
            Argument::Name(name) => self.param_address(name),
            register => thread.bits(register),
        };
        let address = base + offset;
        let place = (address & 0xffff) as usize;
        match &self.params[&self.program.params[(address >> 16) as usize]] {
            Given::Long(value) => value.to_le_bytes()[place..place + count].to_vec(),
            Given::Bytes(bytes) => bytes[place..place + count].to_vec(),
        }
    }

    pub(super) fn load(&mut self, thread: &mut Thread, parts: &[&str], arguments: &[Argument]) {
        let size = width(parts[parts.len() - 1]);
        let targets = listed(&arguments[0]);
        let space = space(parts);
        let count = size * targets.len();
        let bytes = match space {
            "param" => self.parameter(thread, &arguments[1], count),
            _ => self.bytes(thread, space, &arguments[1], count).to_vec(),
        };
        for (target, bytes) in targets.iter().zip(bytes.chunks(size)) {
            let mut whole = [0; 8];
            whole[..size].copy_from_slice(bytes);
            thread.set(target, u64::from_le_bytes(whole));
        }
    }

    pub(super) fn store(&mut self, thread: &mut Thread, parts: &[&str], arguments: &[Argument]) {
        let size = width(parts[parts.len() - 1]);
        let sources: Vec<u64> = listed(&arguments[1]).iter().map(|source| thread.bits(source)).collect();
        let bytes = self.bytes(thread, space(parts), &arguments[0], size * sources.len());
        for (bytes, value) in bytes.chunks_mut(size).zip(sources) {
            bytes.copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }

    pub(super) fn atomic(&mut self, thread: &mut Thread, parts: &[&str], arguments: &[Argument]) {
        let (name, ty) = (parts[parts.len() - 2], parts[parts.len() - 1]);
        let size = width(ty);
        let returns = parts[0] == "atom";
        let rest = &arguments[usize::from(returns)..];
        let values: Vec<u64> = rest[1..].iter().map(|value| thread.bits(value)).collect();
        let bytes = self.bytes(thread, space(parts), &rest[0], size);
        let mut whole = [0; 8];
        whole[..size].copy_from_slice(bytes);
        let old = u64::from_le_bytes(whole);
        let value = values[0];
        let signed = |value: u64| match size {
            4 => i64::from(value as u32 as i32),
            _ => value as i64,
        };
        let new = match (name, ty) {
            ("add", "u32" | "u64") => old.wrapping_add(value),
            ("add", "f32") => {
                let sum = f32::from_bits(old as u32) + f32::from_bits(value as u32);
                sum.to_bits().into()
            }
            ("and", _) => old & value,
            ("or", _) => old | value,
            ("xor", _) => old ^ value,
            ("min", "s32" | "s64") => signed(old).min(signed(value)) as u64,
            ("max", "s32" | "s64") => signed(old).max(signed(value)) as u64,
            ("min", _) => old.min(value),
            ("max", _) => old.max(value),
            ("exch", _) => value,
            ("cas", _) if old == value => values[1],
            ("cas", _) => old,
            other => panic!("no atomic {other:?}"),
        };
        bytes.copy_from_slice(&new.to_le_bytes()[..size]);
        if returns {
            thread.set(&arguments[0], old);
        }
    }
}

fn listed(argument: &Argument) -> &[Argument] {
    match argument {
        Argument::List(list) => list,
        one => std::slice::from_ref(one),
    }
}

fn space<'a>(parts: &[&'a str]) -> &'a str {
    let spaces = ["global", "shared", "local", "param"];
    parts.iter().find(|part| spaces.contains(part)).expect("a space")
}
