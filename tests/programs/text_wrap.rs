//! Text in lines: greedy and balanced wrapping, justification, and word counts, over bytes without copies.

use gpuvm::prelude::*;

/// The lines of a text, each as many words as fit; a word that is too long is cut.
#[derive(VmType, Clone, Copy)]
struct Lines<'t> {
    rest: &'t [u8],
    width: usize,
}

#[routine]
impl<'t> Iterator for Lines<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        let text = self.rest.trim_ascii_start();
        if text.is_empty() {
            return None;
        }
        let line_end = text.iter().position(|&b| b == b'\n').unwrap_or(text.len());
        let cut = if line_end <= self.width {
            line_end
        } else {
            // One past the end may be the space after a word that just fits.
            let space = text[..=self.width].iter().rposition(u8::is_ascii_whitespace);
            space.unwrap_or(self.width)
        };
        let (line, rest) = text.split_at(cut);
        self.rest = rest;
        Some(line.trim_ascii_end())
    }
}

#[routine]
fn wrap(text: &[u8], width: u32) -> Lines<'_> {
    Lines {
        rest: text,
        width: width.max(1) as usize,
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrapped {
    pub lines: u32,
    pub longest: u32,
    pub shortest: u32,
    /// The sum of the squares of what the lines but the last lack.
    pub raggedness: u32,
}

#[routine]
pub fn wrap_text(text: &[u8], width: u32) -> Wrapped {
    let lengths = || wrap(text, width).map(|line| line.len() as u32);
    let count = lengths().count();
    Wrapped {
        lines: count as u32,
        longest: lengths().max().unwrap_or_default(),
        shortest: lengths().min().unwrap_or_default(),
        raggedness: lengths()
            .take(count.saturating_sub(1))
            .map(|len| width.saturating_sub(len).pow(2))
            .sum(),
    }
}

/// The least raggedness there can be, by dynamic programming over the first 32 words; `None` as `u32::MAX`.
#[routine]
pub fn wrap_balanced(text: &[u8], width: u32) -> u32 {
    let mut lengths = [0u32; 32];
    let mut count = 0;
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    for (slot, word) in lengths.iter_mut().zip(words) {
        *slot = word.len() as u32;
        count += 1;
    }
    // What the words from each one on cost at least.
    let mut cost = [None; 33];
    cost[count] = Some(0);
    for first in (0..count).rev() {
        let mut room = Some(width);
        for (after, &length) in (first + 1..=count).zip(&lengths[first..count]) {
            let space = u32::from(after > first + 1);
            room = room.and_then(|room| room.checked_sub(length + space));
            let Some(left) = room else { break };
            let line = if after == count { 0 } else { left * left };
            if let Some(rest) = cost[after]
                && cost[first].is_none_or(|best| line + rest < best)
            {
                cost[first] = Some(line + rest);
            }
        }
    }
    cost[0].unwrap_or(u32::MAX)
}

/// Writes the given line of the wrapped text into `out`, spread over the whole of it; whether there is such a line.
#[routine]
pub fn justify_line(text: &[u8], number: u32, out: &mut [u8]) -> bool {
    let width = out.len();
    let Some(line) = wrap(text, width as u32).nth(number as usize) else {
        return false;
    };
    out.fill(b' ');
    let gaps = line.iter().filter(|&&b| b == b' ').count();
    let spare = width - line.len();
    let mut at = 0;
    for (i, word) in line.split(|&b| b == b' ').enumerate() {
        out[at..at + word.len()].copy_from_slice(word);
        // The first gaps take what does not divide.
        let extra = spare
            .checked_div(gaps)
            .map_or(0, |each| each + usize::from(i < spare % gaps));
        at = (at + word.len() + 1 + extra).min(width);
    }
    true
}

#[cfg(test)]
mod known {
    use super::*;

    const TEXT: &[u8] = b"aaa bb cc ddddd";

    #[test]
    fn wraps() {
        let lines: Vec<_> = wrap(b"The quick brown fox\njumps over a lazyish-dog.", 10).collect();
        let expected: [&[u8]; 6] = [b"The quick", b"brown fox", b"jumps over", b"a", b"lazyish-do", b"g."];
        assert_eq!(lines, expected);
        assert_eq!(
            wrap_text(TEXT, 6),
            Wrapped {
                lines: 3,
                longest: 6,
                shortest: 2,
                raggedness: 16
            }
        );
        assert_eq!(wrap_text(b"  ", 6), Wrapped::default());
    }

    #[test]
    fn balances() {
        assert_eq!(wrap_balanced(TEXT, 6), 9 + 1);
        assert_eq!(wrap_balanced(TEXT, 4), u32::MAX);
        assert_eq!(wrap_balanced(b"", 4), 0);
    }

    #[test]
    fn justifies() {
        let mut out = [0; 12];
        assert!(justify_line(b"to be or\nnot", 0, &mut out));
        assert_eq!(&out, b"to   be   or");
        assert!(justify_line(b"alone\nx", 0, &mut out));
        assert_eq!(&out, b"alone       ");
        assert!(!justify_line(b"alone\nx", 2, &mut out));
    }
}
