//! ChaCha20 (RFC 8439): the block function as an iterator of key-stream words, encryption, and a random generator.

use core::array;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct ChaCha20 {
    state: [u32; 16],
    block: [u32; 16],
    used: usize,
}

macro_rules! quarter_round {
    ($x:ident, $a:literal, $b:literal, $c:literal, $d:literal) => {
        $x[$a] = $x[$a].wrapping_add($x[$b]);
        $x[$d] = ($x[$d] ^ $x[$a]).rotate_left(16);
        $x[$c] = $x[$c].wrapping_add($x[$d]);
        $x[$b] = ($x[$b] ^ $x[$c]).rotate_left(12);
        $x[$a] = $x[$a].wrapping_add($x[$b]);
        $x[$d] = ($x[$d] ^ $x[$a]).rotate_left(8);
        $x[$c] = $x[$c].wrapping_add($x[$d]);
        $x[$b] = ($x[$b] ^ $x[$c]).rotate_left(7);
    };
}

#[routine]
fn words_of<const N: usize>(bytes: &[u8]) -> [u32; N] {
    array::from_fn(|i| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]))
}

#[routine]
impl ChaCha20 {
    fn new(key: &[u8; 32], nonce: &[u8; 12], counter: u32) -> Self {
        let mut state = [0; 16];
        state[..4].copy_from_slice(&words_of::<4>(b"expand 32-byte k"));
        state[4..12].copy_from_slice(&words_of::<8>(key));
        state[12] = counter;
        state[13..].copy_from_slice(&words_of::<3>(nonce));
        Self {
            state,
            block: [0; 16],
            used: 16,
        }
    }

    fn refill(&mut self) {
        let mut x = self.state;
        for _ in 0..10 {
            quarter_round!(x, 0, 4, 8, 12);
            quarter_round!(x, 1, 5, 9, 13);
            quarter_round!(x, 2, 6, 10, 14);
            quarter_round!(x, 3, 7, 11, 15);
            quarter_round!(x, 0, 5, 10, 15);
            quarter_round!(x, 1, 6, 11, 12);
            quarter_round!(x, 2, 7, 8, 13);
            quarter_round!(x, 3, 4, 9, 14);
        }
        self.block = array::from_fn(|i| x[i].wrapping_add(self.state[i]));
        self.state[12] = self.state[12].wrapping_add(1);
        self.used = 0;
    }
}

#[routine]
impl Iterator for ChaCha20 {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.used == self.block.len() {
            self.refill();
        }
        self.used += 1;
        Some(self.block[self.used - 1])
    }
}

/// Encrypts or decrypts `text` into `out`, from the given block on; how many bytes.
#[routine]
pub fn chacha20_apply(key: [u8; 32], nonce: [u8; 12], counter: u32, text: &[u8], out: &mut [u8]) -> u32 {
    let stream = ChaCha20::new(&key, &nonce, counter).flat_map(u32::to_le_bytes);
    let mut len = 0;
    for ((to, from), pad) in out.iter_mut().zip(text).zip(stream) {
        *to = from ^ pad;
        len += 1;
    }
    len
}

#[derive(VmType, Clone, Copy)]
struct Rng {
    words: ChaCha20,
}

#[routine]
impl Rng {
    fn from_seed(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self {
            words: ChaCha20::new(&key, &[0; 12], 0),
        }
    }

    /// An even choice below `bound`, by Lemire's method.
    fn below(&mut self, bound: u32) -> u32 {
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u64::from(self.words.next().unwrap_or_default()) * u64::from(bound);
            if product as u32 >= threshold {
                break (product >> 32) as u32;
            }
        }
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i as u32 + 1) as usize;
            items.swap(i, j);
        }
    }
}

/// A deck of 52 cards, shuffled.
#[routine]
pub fn chacha20_shuffle(seed: u64) -> [u8; 52] {
    let mut deck = array::from_fn(|i| i as u8);
    Rng::from_seed(seed).shuffle(&mut deck);
    deck
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn rfc_8439() {
        let key: [u8; 32] = array::from_fn(|i| i as u8);
        let mut stream = ChaCha20::new(&key, &[0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0], 1);
        assert_eq!(
            [0; 4].map(|_| stream.next().unwrap()),
            [0xe4e7_f110, 0x1559_3bd1, 0x1fdd_0f50, 0xc471_20a3]
        );

        let text = b"Ladies and Gentlemen of the class of '99: \
            If I could offer you only one tip for the future, sunscreen would be it.";
        let mut out = [0; 114];
        assert_eq!(
            chacha20_apply(key, [0, 0, 0, 0, 0, 0, 0, 0x4a, 0, 0, 0, 0], 1, text, &mut out),
            114
        );
        assert_eq!(out[..8], [0x6e, 0x2e, 0x35, 0x9a, 0x25, 0x68, 0xf9, 0x80]);
        assert_eq!(out[112..], [0x87, 0x4d]);
    }

    #[test]
    fn shuffles() {
        let mut deck = chacha20_shuffle(1);
        assert_ne!(deck, chacha20_shuffle(2));
        deck.sort_unstable();
        assert!(deck.iter().enumerate().all(|(i, &card)| usize::from(card) == i));
    }
}
