//! SipHash-2-4, MurmurHash3 and FNV-1a behind one `Hasher`-like trait, and a Bloom filter over any of them.

use core::num::Wrapping;

use gpuvm::prelude::*;

#[routine]
trait ByteHash {
    /// The bits that `hash` gives.
    const BITS: u32;

    fn seeded(seed: u64) -> Self;

    fn hash(&self, bytes: &[u8]) -> u64;

    /// The place of `bytes` among `slots`.
    fn slot(&self, bytes: &[u8], slots: usize) -> usize {
        let hash = self.hash(bytes) & (u64::MAX >> (64 - Self::BITS));
        (hash % slots as u64) as usize
    }
}

#[derive(VmType, Clone, Copy)]
struct SipHash24 {
    key: [u64; 2],
}

#[derive(VmType, Clone, Copy)]
struct SipState {
    v: [Wrapping<u64>; 4],
}

#[routine]
impl SipState {
    fn new(key: [u64; 2]) -> Self {
        const NOISE: [u64; 4] = [
            0x736f_6d65_7073_6575,
            0x646f_7261_6e64_6f6d,
            0x6c79_6765_6e65_7261,
            0x7465_6462_7974_6573,
        ];
        Self {
            v: core::array::from_fn(|i| Wrapping(NOISE[i] ^ key[i % 2])),
        }
    }

    fn round(&mut self) {
        let [mut a, mut b, mut c, mut d] = self.v;
        a += b;
        b = Wrapping(b.0.rotate_left(13)) ^ a;
        a = Wrapping(a.0.rotate_left(32));
        c += d;
        d = Wrapping(d.0.rotate_left(16)) ^ c;
        a += d;
        d = Wrapping(d.0.rotate_left(21)) ^ a;
        c += b;
        b = Wrapping(b.0.rotate_left(17)) ^ c;
        c = Wrapping(c.0.rotate_left(32));
        self.v = [a, b, c, d];
    }

    fn absorb(&mut self, word: u64) {
        self.v[3] ^= word;
        for _ in 0..2 {
            self.round();
        }
        self.v[0] ^= word;
    }

    fn finish(mut self) -> u64 {
        self.v[2] ^= 0xff;
        (0..4).for_each(|_| self.round());
        self.v.into_iter().fold(0, |hash, v| hash ^ v.0)
    }
}

#[routine]
impl ByteHash for SipHash24 {
    const BITS: u32 = 64;

    fn seeded(seed: u64) -> Self {
        Self {
            key: [seed, seed.rotate_left(32) ^ 0x9e37_79b9_7f4a_7c15],
        }
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut state = SipState::new(self.key);
        let (words, rest) = bytes.as_chunks::<8>();
        for &word in words {
            state.absorb(u64::from_le_bytes(word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        last[7] = bytes.len() as u8;
        state.absorb(u64::from_le_bytes(last));
        state.finish()
    }
}

#[derive(VmType, Clone, Copy)]
struct Murmur3(u32);

#[routine]
impl ByteHash for Murmur3 {
    const BITS: u32 = 32;

    fn seeded(seed: u64) -> Self {
        Self(seed as u32)
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let scramble = |k: u32| k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        let blocks = bytes.chunks_exact(4);
        let tail = blocks
            .remainder()
            .iter()
            .rev()
            .fold(0, |k, &byte| k << 8 | u32::from(byte));
        let mut hash = blocks.fold(self.0, |hash, block| {
            let k = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
            (hash ^ scramble(k))
                .rotate_left(13)
                .wrapping_mul(5)
                .wrapping_add(0xe654_6b64)
        });
        hash ^= scramble(tail);
        hash ^= bytes.len() as u32;
        for (shift, factor) in [(16, 0x85eb_ca6b), (13, 0xc2b2_ae35), (16, 1u32)] {
            hash = (hash ^ hash >> shift).wrapping_mul(factor);
        }
        u64::from(hash)
    }
}

#[derive(VmType, Clone, Copy)]
struct Fnv1a(u64);

#[routine]
impl ByteHash for Fnv1a {
    const BITS: u32 = 64;

    fn seeded(seed: u64) -> Self {
        Self(0xcbf2_9ce4_8422_2325 ^ seed)
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes
            .iter()
            .fold(self.0, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
    }
}

#[derive(VmType, Clone, Copy)]
struct Bloom<H, const WORDS: usize> {
    hashes: [H; 3],
    words: [u64; WORDS],
}

#[routine]
impl<H: ByteHash, const WORDS: usize> Bloom<H, WORDS> {
    const SLOTS: usize = WORDS * u64::BITS as usize;

    fn new(seed: u64) -> Self {
        Self {
            hashes: [1, 2, 3].map(|n| H::seeded(seed ^ n)),
            words: [0; WORDS],
        }
    }

    fn insert(&mut self, item: &[u8]) {
        for hash in &self.hashes {
            let slot = hash.slot(item, Self::SLOTS);
            self.words[slot / 64] |= 1 << (slot % 64);
        }
    }

    fn may_contain(&self, item: &[u8]) -> bool {
        self.hashes
            .iter()
            .map(|hash| hash.slot(item, Self::SLOTS))
            .all(|slot| self.words[slot / 64] >> (slot % 64) & 1 == 1)
    }

    fn ones(&self) -> u32 {
        self.words.iter().map(|w| w.count_ones()).sum()
    }
}

#[routine]
fn count_matches<H: ByteHash>(known: &[u8], probes: &[u8], seed: u64) -> [u32; 2] {
    let words = |text| <[u8]>::split(text, |b: &u8| b.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let mut filter = Bloom::<H, 4>::new(seed);
    words(known).for_each(|word| filter.insert(word));
    let found = words(probes).filter(|word| filter.may_contain(word)).count();
    [found as u32, filter.ones()]
}

/// How many words of `probes` a Bloom filter of the words of `known` lets through, and its bits that are set.
#[routine]
pub fn bloom_matches(known: &[u8], probes: &[u8], seed: u64, hash: u8) -> [u32; 2] {
    match hash {
        0 => count_matches::<SipHash24>(known, probes, seed),
        1 => count_matches::<Murmur3>(known, probes, seed),
        _ => count_matches::<Fnv1a>(known, probes, seed),
    }
}

#[routine]
pub fn siphash(key: [u64; 2], bytes: &[u8]) -> u64 {
    SipHash24 { key }.hash(bytes)
}

#[routine]
pub fn murmur3(seed: u32, bytes: &[u8]) -> u32 {
    Murmur3(seed).hash(bytes) as u32
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn siphash_paper() {
        let key = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        let bytes: [u8; 15] = core::array::from_fn(|i| i as u8);
        assert_eq!(siphash(key, &bytes), 0xa129_ca61_49be_45e5);
        assert_eq!(siphash(key, &[]), 0x726f_db47_dd0e_0e31);
    }

    #[test]
    fn others() {
        assert_eq!(murmur3(0, b""), 0);
        assert_eq!(murmur3(1, b""), 0x514e_28b7);
        assert_eq!(murmur3(0x9747_b28c, b"Hello, world!"), 0x2488_4cba);
        assert_eq!(Fnv1a::seeded(0).hash(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn bloom() {
        for hash in 0..3 {
            let [found, ones] = bloom_matches(b"red green blue", b"green blue  red", 7, hash);
            assert_eq!(found, 3);
            assert!((1..=9).contains(&ones));
            assert_eq!(bloom_matches(b"", b"green blue", 7, hash), [0, 0]);
        }
    }
}
