//! An LZ4 block decompressor over `&[u8]` and `&mut [u8]`, and a run-length codec beside it.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Lz4Error {
    Truncated,
    OutputFull,
    BadOffset,
}

#[derive(VmType, Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
}

#[routine]
impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8, Lz4Error> {
        let (&byte, rest) = self.bytes.split_first().ok_or(Lz4Error::Truncated)?;
        self.bytes = rest;
        Ok(byte)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Lz4Error> {
        let (head, tail) = self.bytes.split_at_checked(len).ok_or(Lz4Error::Truncated)?;
        self.bytes = tail;
        Ok(head)
    }

    fn u16_le(&mut self) -> Result<u16, Lz4Error> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// A nibble of the token, and where it is 15 the bytes that add to it.
    fn length(&mut self, nibble: u8) -> Result<usize, Lz4Error> {
        let mut length = usize::from(nibble);
        if nibble == 15 {
            loop {
                let byte = self.byte()?;
                length += usize::from(byte);
                if byte != u8::MAX {
                    break;
                }
            }
        }
        Ok(length)
    }
}

/// What was written so far, and the room after it.
#[derive(VmType)]
struct Output<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

#[routine]
impl Output<'_> {
    fn extend(&mut self, literals: &[u8]) -> Result<(), Lz4Error> {
        let end = self.len + literals.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(Lz4Error::OutputFull)?;
        room.copy_from_slice(literals);
        self.len = end;
        Ok(())
    }

    fn repeat(&mut self, offset: usize, length: usize) -> Result<(), Lz4Error> {
        if offset == 0 || offset > self.len {
            return Err(Lz4Error::BadOffset);
        }
        let end = self.len + length;
        if end > self.bytes.len() {
            return Err(Lz4Error::OutputFull);
        }
        if offset >= length {
            let start = self.len - offset;
            self.bytes.copy_within(start..start + length, self.len);
        } else {
            // The match overlaps what it writes: byte by byte.
            for i in self.len..end {
                self.bytes[i] = self.bytes[i - offset];
            }
        }
        self.len = end;
        Ok(())
    }
}

#[routine]
fn decompress(block: &[u8], out: &mut [u8]) -> Result<usize, Lz4Error> {
    const MIN_MATCH: usize = 4;
    let mut input = Reader { bytes: block };
    let mut output = Output { bytes: out, len: 0 };
    loop {
        let token = input.byte()?;
        let literals = input.length(token >> 4)?;
        output.extend(input.take(literals)?)?;
        // The last sequence has literals only.
        if input.bytes.is_empty() {
            return Ok(output.len);
        }
        let offset = usize::from(input.u16_le()?);
        let length = input.length(token & 0xf)? + MIN_MATCH;
        output.repeat(offset, length)?;
    }
}

/// Decompresses `block` into `out`; the length, or below zero an error.
#[routine]
pub fn lz4_decompress(block: &[u8], out: &mut [u8]) -> i32 {
    match decompress(block, out) {
        Ok(len) => len as i32,
        Err(Lz4Error::Truncated) => -1,
        Err(Lz4Error::OutputFull) => -2,
        Err(Lz4Error::BadOffset) => -3,
    }
}

/// Writes `bytes` as pairs of a count and a byte; the length written, where there is room.
#[routine]
fn run_length_encode(bytes: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut len = 0;
    for run in bytes.chunk_by(|a, b| a == b) {
        for part in run.chunks(usize::from(u8::MAX)) {
            let pair = out.get_mut(len..)?.first_chunk_mut::<2>()?;
            *pair = [part.len() as u8, part[0]];
            len += 2;
        }
    }
    Some(len)
}

/// How many bytes the runs of `block`'s text take, of how many bytes of text; zeros where either does not fit.
#[routine]
pub fn lz4_runs(block: &[u8]) -> [u32; 2] {
    let mut text = [0; 256];
    let mut runs = [0; 128];
    let Ok(len) = decompress(block, &mut text) else {
        return [0, 0];
    };
    match run_length_encode(&text[..len], &mut runs) {
        Some(coded) => [coded as u32, len as u32],
        None => [0, 0],
    }
}

#[cfg(test)]
mod known {
    use super::*;

    /// "abcabcabcabcabcabc!" and the end: three literals, a match of 15 at 3, then a literal.
    const BLOCK: &[u8] = &[0x3b, b'a', b'b', b'c', 3, 0, 0x10, b'!'];

    #[test]
    fn blocks() {
        let mut out = [0; 300];
        assert_eq!(lz4_decompress(BLOCK, &mut out), 19);
        assert_eq!(&out[..19], b"abcabcabcabcabcabc!");
        // One literal, then 4 + 15 + 255 + 1 more of it.
        assert_eq!(lz4_decompress(&[0x1f, b'z', 1, 0, 255, 1, 0x10, b'.'], &mut out), 277);
        assert!(out[..276].iter().all(|&b| b == b'z'));
    }

    #[test]
    fn errors() {
        assert_eq!(lz4_decompress(&BLOCK[..5], &mut [0; 30]), -1);
        assert_eq!(lz4_decompress(BLOCK, &mut [0; 18]), -2);
        assert_eq!(lz4_decompress(&[0x10, b'a', 2, 0, 0], &mut [0; 30]), -3);
    }

    #[test]
    fn runs() {
        // 20 of `z` and a point.
        assert_eq!(lz4_runs(&[0x1f, b'z', 1, 0, 0, 0x10, b'.']), [4, 21]);
        assert_eq!(lz4_runs(BLOCK), [38, 19]);
    }
}
