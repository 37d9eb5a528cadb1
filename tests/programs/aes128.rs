//! AES-128: tables of the field made at compile time, block encryption and decryption, and counter mode.

use core::ops::{BitXor, BitXorAssign, Index, IndexMut};

use gpuvm::prelude::*;

const ROUNDS: usize = 10;
const SBOX: [u8; 256] = sbox();
const INVERSE_SBOX: [u8; 256] = inverse(&SBOX);

#[routine]
const fn double(x: u8) -> u8 {
    (x << 1) ^ if x & 0x80 != 0 { 0x1b } else { 0 }
}

const fn sbox() -> [u8; 256] {
    let mut table = [0; 256];
    // `p` runs through the field's powers of 3, `q` through those of its inverse.
    let (mut p, mut q) = (1u8, 1u8);
    loop {
        p ^= double(p);
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        if q & 0x80 != 0 {
            q ^= 0x09;
        }
        table[p as usize] = 0x63 ^ q ^ q.rotate_left(1) ^ q.rotate_left(2) ^ q.rotate_left(3) ^ q.rotate_left(4);
        if p == 1 {
            break;
        }
    }
    table[0] = 0x63;
    table
}

const fn inverse(table: &[u8; 256]) -> [u8; 256] {
    let mut inverse = [0; 256];
    let mut i = 0;
    while i < 256 {
        inverse[table[i] as usize] = i as u8;
        i += 1;
    }
    inverse
}

/// Four columns of four bytes.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block(pub [[u8; 4]; 4]);

#[routine]
impl Index<(usize, usize)> for Block {
    type Output = u8;

    fn index(&self, (row, column): (usize, usize)) -> &u8 {
        &self.0[column % 4][row]
    }
}

#[routine]
impl IndexMut<(usize, usize)> for Block {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut u8 {
        &mut self.0[column % 4][row]
    }
}

#[routine]
impl BitXorAssign for Block {
    fn bitxor_assign(&mut self, other: Self) {
        for (mine, theirs) in self.0.as_flattened_mut().iter_mut().zip(other.0.as_flattened()) {
            *mine ^= theirs;
        }
    }
}

#[routine]
impl BitXor for Block {
    type Output = Self;

    fn bitxor(mut self, other: Self) -> Self {
        self ^= other;
        self
    }
}

#[routine]
impl Block {
    fn from_bytes(bytes: &[u8]) -> Self {
        let mut block = Self::default();
        block.0.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
        block
    }

    fn substitute(&mut self, table: &[u8; 256]) {
        self.0
            .iter_mut()
            .flatten()
            .for_each(|byte| *byte = table[usize::from(*byte)]);
    }

    fn shift_rows(&mut self) {
        let old = *self;
        for row in 1..4 {
            for column in 0..4 {
                self[(row, column)] = old[(row, column + row)];
            }
        }
    }

    fn unshift_rows(&mut self) {
        let old = *self;
        for row in 1..4 {
            for column in 0..4 {
                self[(row, column + row)] = old[(row, column)];
            }
        }
    }

    fn mix_columns(&mut self) {
        for column in &mut self.0 {
            let [a, b, c, d] = *column;
            let all = a ^ b ^ c ^ d;
            *column = [
                a ^ all ^ double(a ^ b),
                b ^ all ^ double(b ^ c),
                c ^ all ^ double(c ^ d),
                d ^ all ^ double(d ^ a),
            ];
        }
    }

    fn unmix_columns(&mut self) {
        for [a, b, c, d] in self.0.iter_mut() {
            let u = double(double(*a ^ *c));
            let v = double(double(*b ^ *d));
            *a ^= u;
            *b ^= v;
            *c ^= u;
            *d ^= v;
        }
        self.mix_columns();
    }
}

#[derive(VmType, Clone, Copy)]
struct Aes128 {
    keys: [Block; ROUNDS + 1],
}

#[routine]
impl Aes128 {
    fn new(key: [u8; 16]) -> Self {
        let mut keys = [Block::default(); ROUNDS + 1];
        keys[0] = Block::from_bytes(&key);
        let mut constant = 1;
        for round in 1..=ROUNDS {
            let previous = keys[round - 1].0;
            let mut word = previous[3];
            word.rotate_left(1);
            word = word.map(|byte| SBOX[byte as usize]);
            word[0] ^= constant;
            constant = double(constant);
            for (column, before) in keys[round].0.iter_mut().zip(previous) {
                for (w, b) in word.iter_mut().zip(before) {
                    *w ^= b;
                }
                *column = word;
            }
        }
        Self { keys }
    }

    fn encrypt(&self, mut block: Block) -> Block {
        let [first, middle @ .., last] = &self.keys;
        block ^= *first;
        for key in middle {
            block.substitute(&SBOX);
            block.shift_rows();
            block.mix_columns();
            block ^= *key;
        }
        block.substitute(&SBOX);
        block.shift_rows();
        block ^ *last
    }

    fn decrypt(&self, mut block: Block) -> Block {
        block ^= self.keys[ROUNDS];
        for (round, key) in self.keys[..ROUNDS].iter().enumerate().rev() {
            block.unshift_rows();
            block.substitute(&INVERSE_SBOX);
            block ^= *key;
            if round != 0 {
                block.unmix_columns();
            }
        }
        block
    }
}

#[routine]
pub fn aes128_encrypt(key: [u8; 16], block: Block) -> Block {
    let cipher = Aes128::new(key);
    let encrypted = cipher.encrypt(block);
    assert!(cipher.decrypt(encrypted) == block, "a block must come back");
    encrypted
}

/// Encrypts or decrypts `bytes` in place, in counter mode (NIST SP 800-38A) from the given counter block.
#[routine]
pub fn aes128_ctr(key: [u8; 16], counter: u128, bytes: &mut [u8]) {
    let cipher = Aes128::new(key);
    for (i, chunk) in bytes.chunks_mut(16).enumerate() {
        let counter = counter.wrapping_add(i as u128);
        let stream = cipher.encrypt(Block::from_bytes(&counter.to_be_bytes()));
        for (byte, pad) in chunk.iter_mut().zip(stream.0.iter().flatten()) {
            *byte ^= pad;
        }
    }
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn fips_197() {
        let key = 0x000102030405060708090a0b0c0d0e0fu128.to_be_bytes();
        let plain = Block::from_bytes(&0x00112233445566778899aabbccddeeffu128.to_be_bytes());
        let coded = Block::from_bytes(&0x69c4e0d86a7b0430d8cdb78070b4c55au128.to_be_bytes());
        assert_eq!(aes128_encrypt(key, plain), coded);
    }

    #[test]
    fn sp_800_38a() {
        let key = 0x2b7e151628aed2a6abf7158809cf4f3cu128.to_be_bytes();
        let mut bytes = [0; 20];
        bytes[..16].copy_from_slice(&0x6bc1bee22e409f96e93d7e117393172au128.to_be_bytes());
        bytes[16..].copy_from_slice(&[0xae, 0x2d, 0x8a, 0x57]);
        aes128_ctr(key, 0xf0f1f2f3f4f5f6f7f8f9fafbfcfdfeff, &mut bytes);
        assert_eq!(bytes[..16], 0x874d6191b620e3261bef6864990db6ceu128.to_be_bytes());
        assert_eq!(bytes[16..], [0x98, 0x06, 0xf6, 0x6b]);
    }
}
