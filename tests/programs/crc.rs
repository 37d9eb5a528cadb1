//! Checksums of a byte string: CRC-32 and CRC-16 from tables made at compile time, Adler-32, Fletcher-16.

use gpuvm::prelude::*;

const CRC32: [u32; 256] = crc32_table();
const CRC16: [u16; 256] = crc16_table(0x1021);

/// The CRC-32 step over two bytes at once.
static CRC32_PAIRS: [u32; 65_536] = crc32_pairs();

const fn crc32_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        let mut c = n as u32;
        let mut bit = 0;
        while bit < 8 {
            c = if c & 1 != 0 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
            bit += 1;
        }
        table[n] = c;
        n += 1;
    }
    table
}

const fn crc16_table(polynomial: u16) -> [u16; 256] {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        let mut c = (n as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            c = if c & 0x8000 != 0 { (c << 1) ^ polynomial } else { c << 1 };
            bit += 1;
        }
        table[n] = c;
        n += 1;
    }
    table
}

const fn crc32_pairs() -> [u32; 65_536] {
    let mut table = [0; 65_536];
    let mut n = 0;
    while n < table.len() {
        let half = CRC32[n & 0xff] ^ (n as u32 >> 8);
        table[n] = CRC32[(half & 0xff) as usize] ^ (half >> 8);
        n += 1;
    }
    table
}

#[routine]
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        CRC32[((crc ^ byte as u32) & 0xff) as usize] ^ (crc >> 8)
    })
}

/// The same sum, two bytes a step.
#[routine]
pub fn crc32_fast(bytes: &[u8]) -> u32 {
    let pairs = bytes.chunks_exact(2);
    let rest = pairs.remainder();
    let mut crc = !0u32;
    for pair in pairs {
        let word = u16::from_le_bytes([pair[0], pair[1]]);
        crc = CRC32_PAIRS[usize::from(crc as u16 ^ word)] ^ (crc >> 16);
    }
    if let [last] = rest {
        crc = CRC32[usize::from(crc as u8 ^ last)] ^ (crc >> 8);
    }
    !crc
}

#[routine]
fn crc16_xmodem(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc: u16, byte| {
        (crc << 8) ^ CRC16[usize::from((crc >> 8) as u8 ^ byte)]
    })
}

#[routine]
fn adler32(bytes: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    // 5552 is the most bytes whose sums stay below 2^32.
    let (low, high) = bytes.chunks(5552).fold((1, 0), |(low, high), chunk| {
        let (low, high) = chunk.iter().fold((low, high), |(low, high), &byte| {
            let low = low + u32::from(byte);
            (low, high + low)
        });
        (low % MODULUS, high % MODULUS)
    });
    high << 16 | low
}

#[routine]
fn fletcher16(bytes: &[u8]) -> u16 {
    let mut sums = (0u16, 0u16);
    for &byte in bytes {
        sums.0 = (sums.0 + u16::from(byte)) % 255;
        sums.1 = (sums.1 + sums.0) % 255;
    }
    sums.1 << 8 | sums.0
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksums {
    pub crc32: u32,
    pub crc16: u16,
    pub adler32: u32,
    pub fletcher16: u16,
}

/// All four sums of the part of `bytes` that starts at `from`; past its end, of nothing.
#[routine]
pub fn checksums(bytes: &[u8], from: u32) -> Checksums {
    let part = bytes.get(from as usize..).unwrap_or(&[]);
    let crc32 = crc32(part);
    assert!(crc32 == crc32_fast(part), "the two tables disagree");
    Checksums {
        crc32,
        crc16: crc16_xmodem(part),
        adler32: adler32(part),
        fletcher16: fletcher16(part),
    }
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn check_values() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32_fast(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc16_xmodem(b"123456789"), 0x31c3);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(fletcher16(b"abcde"), 0xc8f0);
    }

    #[test]
    fn parts() {
        assert_eq!(checksums(b"..123456789", 2).crc16, 0x31c3);
        assert_eq!(
            checksums(b"abc", 9),
            Checksums {
                crc32: 0,
                crc16: 0,
                adler32: 1,
                fletcher16: 0
            }
        );
    }
}
