//! As much of Linux as a statically linked program asks for: input and output of the standard streams, a heap, a clock that stands, and an end.
//!
//! Numbers are those of `asm-generic/unistd.h`, which RISC-V and AArch64 share.

use std::time::Duration;

use crate::system::{Access, Answer, Call, System};

/// Bad address.
const EFAULT: i32 = 14;
const ENOENT: i32 = 2;
const EBADF: i32 = 9;
const ENOMEM: i32 = 12;
const EINVAL: i32 = 22;
const ENOTTY: i32 = 25;
const ESPIPE: i32 = 29;
const ENOSYS: i32 = 38;

mod number {
    pub const IOCTL: u64 = 29;
    pub const OPENAT: u64 = 56;
    pub const CLOSE: u64 = 57;
    pub const LSEEK: u64 = 62;
    pub const READ: u64 = 63;
    pub const WRITE: u64 = 64;
    pub const READV: u64 = 65;
    pub const WRITEV: u64 = 66;
    pub const READLINKAT: u64 = 78;
    pub const NEWFSTATAT: u64 = 79;
    pub const FSTAT: u64 = 80;
    pub const EXIT: u64 = 93;
    pub const EXIT_GROUP: u64 = 94;
    pub const SET_TID_ADDRESS: u64 = 96;
    pub const SET_ROBUST_LIST: u64 = 99;
    pub const CLOCK_GETTIME: u64 = 113;
    pub const SCHED_YIELD: u64 = 124;
    pub const KILL: u64 = 129;
    pub const TKILL: u64 = 130;
    pub const TGKILL: u64 = 131;
    pub const RT_SIGACTION: u64 = 134;
    pub const RT_SIGPROCMASK: u64 = 135;
    pub const GETTIMEOFDAY: u64 = 169;
    pub const GETPID: u64 = 172;
    pub const GETPPID: u64 = 173;
    pub const GETUID: u64 = 174;
    pub const GETTID: u64 = 178;
    pub const BRK: u64 = 214;
    pub const MUNMAP: u64 = 215;
    pub const MMAP: u64 = 222;
    pub const MPROTECT: u64 = 226;
    pub const GETRANDOM: u64 = 278;
    pub const CLOCK_GETTIME_64: u64 = 403;
}

/// The number of the one process that each guest is.
const PROCESS: u64 = 1;

/// The part of Linux that a guest has by default.
///
/// The streams 0, 1 and 2 are pipes: what is read comes of the guest's [`Start`](crate::Start), what is written is kept for the host. There are no files, so opening one is `ENOENT`;
/// `mmap` is `ENOMEM`, so that C libraries take their heap from `brk`; a signal that a program sends itself ends it. What is not known is `ENOSYS`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linux {
    /// What clocks show, since 1970. They stand, so that runs can be repeated.
    pub time: Duration,
    /// What `getrandom` gives, again and again; zeros if it is empty.
    pub random: Vec<u8>,
}

impl Linux {
    /// A system whose clocks show this time since 1970.
    pub fn at(time: Duration) -> Linux {
        Linux {
            time,
            ..Linux::default()
        }
    }

    /// Seconds and a fraction of `unit` to a second, as two words of `bytes` each.
    fn clock(&self, unit: u32, bytes: usize) -> Vec<u8> {
        let fraction = u64::from(self.time.subsec_nanos() / (1_000_000_000 / unit));
        let of = |value: u64| value.to_le_bytes()[..bytes].to_vec();
        [of(self.time.as_secs()), of(fraction)].concat()
    }
}

impl System for Linux {
    fn wants(&mut self, call: &Call<'_>, seen: &[Vec<u8>]) -> Vec<(u64, u64)> {
        let [first, address, count, ..] = call.arguments;
        let stream = first == 1 || first == 2;
        match (call.number, seen) {
            (number::WRITE, []) if stream => vec![(address, count.min(1 << 20))],
            (number::WRITEV, []) if stream => vec![(address, vectors_bytes(call, count))],
            (number::READV, []) if first == 0 => vec![(address, vectors_bytes(call, count))],
            (number::WRITEV, [vectors]) if stream => parts(vectors, call.word),
            (number::NEWFSTATAT, []) => vec![(address, 1)],
            _ => Vec::new(),
        }
    }

    fn answer(&mut self, call: &mut Call<'_>, seen: &[Vec<u8>]) -> Answer {
        let [first, address, count, fourth, ..] = call.arguments;
        match call.number {
            number::EXIT | number::EXIT_GROUP => Answer::Exit(first as i32),
            number::WRITE => match seen {
                _ if count == 0 && (first == 1 || first == 2) => Answer::Value(0),
                [bytes] if bytes.is_empty() => Answer::Error(EFAULT),
                [bytes] => put(call, first, bytes),
                _ => Answer::Error(EBADF),
            },
            number::WRITEV => match seen {
                [_, parts @ ..] if first == 1 || first == 2 => put(call, first, &parts.concat()),
                _ => Answer::Error(EBADF),
            },
            number::READ if first == 0 => {
                let taken = take(call, count);
                let length = taken.len() as u64;
                call.write(address, taken);
                Answer::Value(length)
            }
            number::READV if first == 0 => {
                let vectors = seen
                    .first()
                    .map(|vectors| parts(vectors, call.word))
                    .unwrap_or_default();
                let mut all = 0;
                for (address, count) in vectors {
                    let taken = take(call, count);
                    all += taken.len() as u64;
                    call.write(address, taken);
                }
                Answer::Value(all)
            }
            number::READ | number::READV => Answer::Error(EBADF),
            number::LSEEK if first < 3 => Answer::Error(ESPIPE),
            number::CLOSE if first < 3 => Answer::Value(0),
            number::LSEEK | number::CLOSE => Answer::Error(EBADF),
            number::IOCTL => Answer::Error(if first < 3 { ENOTTY } else { EBADF }),
            number::OPENAT | number::READLINKAT => Answer::Error(ENOENT),
            number::FSTAT => status(call, first, address),
            // With an empty path it is about the stream.
            number::NEWFSTATAT => match seen {
                [path] if path.first() == Some(&0) && fourth & 0x1000 != 0 => status(call, first, count),
                _ => Answer::Error(ENOENT),
            },
            number::BRK => grow(call, first),
            number::MMAP => Answer::Error(ENOMEM),
            number::MUNMAP => Answer::Error(EINVAL),
            number::MPROTECT => {
                let flag = |bit| count & bit != 0;
                let access = Access {
                    read: flag(1) || flag(2) || flag(4),
                    write: flag(2),
                    execute: flag(4),
                };
                call.protect(first, address, access, false);
                Answer::Value(0)
            }
            number::CLOCK_GETTIME => {
                let now = self.clock(1_000_000_000, call.word);
                call.write(address, now);
                Answer::Value(0)
            }
            number::CLOCK_GETTIME_64 => {
                let now = self.clock(1_000_000_000, 8);
                call.write(address, now);
                Answer::Value(0)
            }
            number::GETTIMEOFDAY => {
                let now = self.clock(1_000_000, call.word);
                call.write(first, now);
                Answer::Value(0)
            }
            number::GETRANDOM => {
                let mut bytes = vec![0; address.min(256) as usize];
                for (byte, random) in bytes.iter_mut().zip(self.random.iter().cycle()) {
                    *byte = *random;
                }
                let length = bytes.len() as u64;
                call.write(first, bytes);
                Answer::Value(length)
            }
            number::GETPID | number::GETTID | number::SET_TID_ADDRESS => Answer::Value(PROCESS),
            number::GETPPID => Answer::Value(0),
            // User and group, real and effective.
            number::GETUID..number::GETTID => Answer::Value(1000),
            number::SET_ROBUST_LIST | number::SCHED_YIELD | number::RT_SIGACTION | number::RT_SIGPROCMASK => {
                Answer::Value(0)
            }
            number::KILL | number::TKILL => Answer::Exit(128 + address as i32),
            number::TGKILL => Answer::Exit(128 + count as i32),
            _ => Answer::Error(ENOSYS),
        }
    }
}

/// Bytes of so many vectors, of which Linux takes 1024 at most.
fn vectors_bytes(call: &Call<'_>, count: u64) -> u64 {
    count.min(1024) * 2 * call.word as u64
}

/// The addresses and lengths in a list of vectors.
fn parts(vectors: &[u8], word: usize) -> Vec<(u64, u64)> {
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    let pairs = vectors.chunks_exact(2 * word);
    pairs
        .map(|pair| (number(&pair[..word]), number(&pair[word..]).min(1 << 20)))
        .collect()
}

/// Keeps what a guest writes.
fn put(call: &mut Call<'_>, stream: u64, bytes: &[u8]) -> Answer {
    let kept = match stream {
        1 => &mut call.streams.output,
        2 => &mut call.streams.errors,
        _ => return Answer::Error(EBADF),
    };
    kept.extend_from_slice(bytes);
    Answer::Value(bytes.len() as u64)
}

/// What a guest reads, as long as there is some.
fn take(call: &mut Call<'_>, count: u64) -> Vec<u8> {
    let there = call.streams.input.len();
    let count = usize::try_from(count).unwrap_or(there).min(there);
    call.streams.input.drain(..count).collect()
}

/// Tells that one of the standard streams is a pipe.
fn status(call: &mut Call<'_>, stream: u64, address: u64) -> Answer {
    if stream > 2 {
        return Answer::Error(EBADF);
    }
    if call.word == 4 {
        // There the C library asks by `statx`.
        return Answer::Error(ENOSYS);
    }
    let mut bytes = [0; 128];
    bytes[16..20].copy_from_slice(&0o10600u32.to_le_bytes()); // the mode
    bytes[20..24].copy_from_slice(&1u32.to_le_bytes()); // links
    bytes[56..60].copy_from_slice(&4096u32.to_le_bytes()); // the size of a block
    call.write(address, bytes);
    Answer::Value(0)
}

/// Moves the end of the heap, if it can be there, and says where it is.
fn grow(call: &mut Call<'_>, end: u64) -> Answer {
    let heap = *call.heap;
    if end < heap.start || end > heap.limit {
        return Answer::Value(heap.end);
    }
    let page = |address: u64| address.next_multiple_of(4096);
    let access = Access {
        read: true,
        write: true,
        execute: false,
    };
    if page(end) > page(heap.end) {
        call.protect(page(heap.end), page(end) - page(heap.end), access, true);
    } else if page(end) < page(heap.end) {
        call.protect(page(end), page(heap.end) - page(end), Access::default(), true);
    }
    call.heap.end = end;
    Answer::Value(end)
}
