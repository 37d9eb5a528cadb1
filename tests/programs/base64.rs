//! Base64 and hex, both ways, over caller-given buffers; transcoding joins their errors with `From`.

use gpuvm::prelude::*;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const INVALID: u8 = 0xff;
static VALUES: [u8; 256] = values();

const fn values() -> [u8; 256] {
    let mut values = [INVALID; 256];
    let mut i = 0;
    while i < ALPHABET.len() {
        values[ALPHABET[i] as usize] = i as u8;
        i += 1;
    }
    values
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Base64Error {
    Length,
    Byte(u8),
    Padding,
    NoRoom,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum HexError {
    OddLength,
    Digit(u8),
    NoRoom,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum CodecError {
    Base64(Base64Error),
    Hex(HexError),
}

#[routine]
impl From<Base64Error> for CodecError {
    fn from(error: Base64Error) -> Self {
        CodecError::Base64(error)
    }
}

#[routine]
impl From<HexError> for CodecError {
    fn from(error: HexError) -> Self {
        CodecError::Hex(error)
    }
}

#[routine]
fn encode(bytes: &[u8], out: &mut [u8]) -> Result<usize, Base64Error> {
    let len = bytes.len().div_ceil(3) * 4;
    let out = out.get_mut(..len).ok_or(Base64Error::NoRoom)?;
    for (three, four) in bytes.chunks(3).zip(out.chunks_exact_mut(4)) {
        let mut padded = [0; 3];
        padded[..three.len()].copy_from_slice(three);
        let [a, b, c] = padded;
        let group = u32::from_be_bytes([0, a, b, c]);
        for (i, letter) in four.iter_mut().enumerate() {
            *letter = if i <= three.len() {
                ALPHABET[(group >> (18 - 6 * i)) as usize & 0x3f]
            } else {
                b'='
            };
        }
    }
    Ok(len)
}

#[routine]
fn decode(text: &[u8], out: &mut [u8]) -> Result<usize, Base64Error> {
    if !text.len().is_multiple_of(4) {
        return Err(Base64Error::Length);
    }
    let letters = match text {
        [start @ .., b'=', b'='] | [start @ .., b'='] => start,
        all => all,
    };
    let mut len = 0;
    for four in letters.chunks(4) {
        let mut group = 0u32;
        for &letter in four {
            let value = match VALUES[usize::from(letter)] {
                INVALID if letter == b'=' => return Err(Base64Error::Padding),
                INVALID => return Err(Base64Error::Byte(letter)),
                value => value,
            };
            group = group << 6 | u32::from(value);
        }
        let count = four.len() * 6 / 8;
        group <<= 24 - 6 * four.len();
        // What the last letter has beyond whole bytes must be zero.
        if group & (0xff_ffff >> (8 * count)) != 0 {
            return Err(Base64Error::Padding);
        }
        let bytes = group.to_be_bytes();
        out.get_mut(len..len + count)
            .ok_or(Base64Error::NoRoom)?
            .copy_from_slice(&bytes[1..=count]);
        len += count;
    }
    Ok(len)
}

#[routine]
fn unhex(text: &[u8], out: &mut [u8]) -> Result<usize, HexError> {
    #[routine]
    fn digit(byte: u8) -> Result<u8, HexError> {
        char::from(byte)
            .to_digit(16)
            .map(|d| d as u8)
            .ok_or(HexError::Digit(byte))
    }

    if !text.len().is_multiple_of(2) {
        return Err(HexError::OddLength);
    }
    if out.len() < text.len() / 2 {
        return Err(HexError::NoRoom);
    }
    for (pair, byte) in text.chunks_exact(2).zip(out.iter_mut()) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Ok(text.len() / 2)
}

#[routine]
fn transcode(hex: &[u8], out: &mut [u8]) -> Result<usize, CodecError> {
    let mut bytes = [0; 48];
    let len = unhex(hex, &mut bytes)?;
    let written = encode(&bytes[..len], out)?;
    // Decode it again: what comes back must be what went in.
    let mut back = [0; 48];
    let read = decode(&out[..written], &mut back)?;
    assert!(bytes[..len] == back[..read]);
    Ok(written)
}

/// Writes the bytes given in hex as Base64; the length, or below zero an error.
#[routine]
pub fn hex_to_base64(hex: &[u8], out: &mut [u8]) -> i32 {
    match transcode(hex, out) {
        Ok(len) => len as i32,
        Err(CodecError::Hex(HexError::OddLength)) => -1,
        Err(CodecError::Hex(HexError::Digit(byte))) => -1000 - i32::from(byte),
        Err(CodecError::Hex(HexError::NoRoom) | CodecError::Base64(Base64Error::NoRoom)) => -2,
        Err(CodecError::Base64(_)) => -3,
    }
}

/// The length and the sum of the bytes that `text` stands for; nothing where it is not Base64.
#[routine]
pub fn base64_digest(text: &[u8]) -> [u32; 2] {
    let mut bytes = [0u8; 96];
    let Ok(len) = decode(text, &mut bytes) else {
        return [u32::MAX; 2];
    };
    [len as u32, bytes[..len].iter().map(|&b| u32::from(b)).sum()]
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn rfc_4648() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut buffer = [0; 16];
            let len = encode(plain.as_bytes(), &mut buffer).unwrap();
            assert_eq!(&buffer[..len], coded.as_bytes());
            let len = decode(coded.as_bytes(), &mut buffer).unwrap();
            assert_eq!(&buffer[..len], plain.as_bytes());
        }
    }

    #[test]
    fn errors() {
        let mut buffer = [0; 16];
        assert_eq!(decode(b"Zm9", &mut buffer), Err(Base64Error::Length));
        assert_eq!(decode(b"Zm-v", &mut buffer), Err(Base64Error::Byte(b'-')));
        assert_eq!(decode(b"Zh==", &mut buffer), Err(Base64Error::Padding));
        assert_eq!(hex_to_base64(b"6g", &mut buffer), -1000 - i32::from(b'g'));
        assert_eq!(hex_to_base64(b"666", &mut buffer), -1);
        assert_eq!(base64_digest(b"Zm9v"), [3, 102 + 111 + 111]);
    }

    #[test]
    fn transcodes() {
        let mut buffer = [0; 16];
        assert_eq!(hex_to_base64(b"666F6f62", &mut buffer), 8);
        assert_eq!(&buffer[..8], b"Zm9vYg==");
    }
}
