//! Texts as words of a trap or of a log, for which the host has the program's data and no other memory. Two words say where a text is in the
//! data; of one that is elsewhere the bytes themselves are kept, as far as there is room.

use gpuvm_macros::routine;

use super::super::intrinsics;
use super::{as_bytes, is_char_boundary};

/// Words of a text in a trap, beside another value.
pub const BESIDE: u32 = 2;
/// Words of a text in a trap.
pub const ALONE: u32 = 4;
/// Words of a text in a log.
pub const LOGGED: u32 = 17;
/// In the second word: the bytes are here, the first four in the first word, the others behind the second.
pub const HERE: u32 = 1 << 31;

macro_rules! pack {
    ($($name:ident $words:literal;)*) => {$(
        #[routine(library)]
        pub fn $name(text: &str) -> [u32; $words] {
            let bytes = as_bytes(text);
            let mut words = [0u32; $words];
            words[1] = bytes.len() as u32 | 0x8000_0000;
            let mut at = 0usize;
            while at < bytes.len() && at < $words * 4 - 4 {
                let word = if at < 4 { 0 } else { (at / 4).wrapping_add(1) };
                let byte = *intrinsics::element(&bytes, at) as u32;
                *intrinsics::element_mut(&&mut words[..], word) |= byte << (at % 4 * 8) as u32;
                at = at.wrapping_add(1);
            }
            words
        }
    )*};
}
pack! {
    pack_beside 2;
    pack_alone 4;
    pack_logged 17;
}

/// Whether a range is made of a text's characters.
#[routine(library)]
pub fn is_part(text: &str, start: usize, end: usize) -> bool {
    start <= end && is_char_boundary(text, start) && is_char_boundary(text, end)
}

/// What std's panic says of a range that is not, of which the words are the start, the end, and the text.
pub fn range_message(words: [u32; 4], data: &[u32]) -> String {
    let (start, end, length) = (words[0], words[1], words[3] & !HERE);
    let text = unpack(&words[2..], data).unwrap_or_else(|| "?".to_owned());
    let cut = text.floor_char_boundary(256);
    let shown = match &text[..cut] {
        part if cut < text.len() => format!("{part}[...]"),
        part => part.to_owned(),
    };
    let which = |is_start: bool| if is_start { ("start", start) } else { ("end", end) };
    if start > length || end > length {
        let (name, index) = which(start > length);
        return format!("{name} byte index {index} is out of bounds of `{shown}`");
    }
    if start > end {
        return format!("begin > end ({start} > {end}) when slicing `{shown}`");
    }
    let (name, index) = which(!text.is_char_boundary(start as usize));
    let first = text.floor_char_boundary(index as usize);
    let inside = match text[first..].chars().next() {
        Some(c) if text.len() == length as usize => {
            format!("; it is inside {c:?} (bytes {first}..{})", first + c.len_utf8())
        }
        _ => String::new(),
    };
    format!("{name} byte index {index} is not a char boundary{inside} of `{shown}`")
}

/// The text that such words stand for. What there was no room for is `…`.
pub fn unpack(words: &[u32], data: &[u32]) -> Option<String> {
    let &[first, second, ..] = words else { return None };
    let length = (second & !HERE) as usize;
    if second & HERE == 0 {
        return text_in(data, first, length);
    }
    let kept = std::iter::once(first).chain(words[2..].iter().copied());
    let bytes: Vec<u8> = kept.flat_map(u32::to_le_bytes).take(length).collect();
    match std::str::from_utf8(&bytes) {
        Ok(text) if bytes.len() == length => Some(text.to_owned()),
        Ok(text) => Some(format!("{text}…")),
        Err(error) => Some(format!("{}…", String::from_utf8_lossy(&bytes[..error.valid_up_to()]))),
    }
}

/// A text in a program's data, a byte a word.
pub fn text_in(data: &[u32], start: u32, length: usize) -> Option<String> {
    let words = data.get(start as usize..)?.get(..length)?;
    String::from_utf8(words.iter().map(|word| *word as u8).collect()).ok()
}
