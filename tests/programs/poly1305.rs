//! Poly1305 in limbs of 44 bits, with `u128` products, and a comparison that takes the same time for all tags.

use core::fmt;
use core::ops::{AddAssign, MulAssign};

use gpuvm::prelude::*;

const MASK44: u64 = (1 << 44) - 1;
const MASK42: u64 = (1 << 42) - 1;

/// A number modulo 2^130 - 5, not always reduced.
#[derive(VmType, Clone, Copy, Default)]
struct Limbs([u64; 3]);

#[routine]
impl Limbs {
    /// Of 16 bytes and what stands behind them.
    fn of(bytes: &[u8; 16], high: u64) -> Self {
        let [low, middle] = [0, 8].map(|at| {
            let part = bytes[at..].first_chunk::<8>().unwrap();
            u64::from_le_bytes(*part)
        });
        Limbs([
            low & MASK44,
            (low >> 44 | middle << 20) & MASK44,
            middle >> 24 & MASK42 | high << 40,
        ])
    }

    fn carried(self) -> Self {
        let Limbs([mut a, mut b, mut c]) = self;
        b += a >> 44;
        a &= MASK44;
        c += b >> 44;
        b &= MASK44;
        a += (c >> 42) * 5;
        c &= MASK42;
        b += a >> 44;
        a &= MASK44;
        Limbs([a, b, c])
    }

    /// The least number that it stands for.
    fn reduced(self) -> Self {
        let this = self.carried().carried();
        let Limbs([a, b, c]) = this;
        let mut less = [a.wrapping_add(5), b, c.wrapping_sub(1 << 42)];
        less[1] += less[0] >> 44;
        less[0] &= MASK44;
        less[2] = less[2].wrapping_add(less[1] >> 44);
        less[1] &= MASK44;
        // All ones where it is not too large.
        let keep = (less[2] >> 63).wrapping_neg();
        Limbs(core::array::from_fn(|i| this.0[i] & keep | less[i] & !keep))
    }
}

#[routine]
impl AddAssign for Limbs {
    fn add_assign(&mut self, other: Self) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a += b;
        }
    }
}

#[routine]
impl MulAssign<&Limbs> for Limbs {
    fn mul_assign(&mut self, &Limbs([r0, r1, r2]): &Limbs) {
        let Limbs([a, b, c]) = *self;
        let product = |x: u64, y: u64| u128::from(x) * u128::from(y);
        let (s1, s2) = (r1 * 20, r2 * 20);
        let d0 = product(a, r0) + product(b, s2) + product(c, s1);
        let d1 = product(a, r1) + product(b, r0) + product(c, s2) + (d0 >> 44);
        let d2 = product(a, r2) + product(b, r1) + product(c, r0) + (d1 >> 44);
        let limbs = [d0 as u64 & MASK44, d1 as u64 & MASK44, d2 as u64 & MASK42];
        let carry = (d2 >> 42) as u64;
        *self = Limbs(limbs);
        self.0[0] += carry * 5;
        *self = self.carried();
    }
}

#[derive(VmType, Clone, Copy, Debug)]
pub struct Tag(pub [u8; 16]);

#[routine]
impl PartialEq for Tag {
    fn eq(&self, other: &Self) -> bool {
        let Self(a) = self;
        a.iter().zip(&other.0).fold(0, |different, (x, y)| different | x ^ y) == 0
    }
}

#[derive(VmType, Clone, Copy)]
pub struct Poly1305 {
    key: Limbs,
    pad: u128,
    sum: Limbs,
}

#[routine]
impl Poly1305 {
    const CLAMP: u128 = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;

    pub fn new(key: &[u8; 32]) -> Self {
        let &[r, pad] = key.as_chunks::<16>().0.first_chunk().unwrap();
        let r = u128::from_le_bytes(r) & Self::CLAMP;
        Self {
            key: Limbs::of(&r.to_le_bytes(), 0),
            pad: u128::from_le_bytes(pad),
            sum: Limbs::default(),
        }
    }

    fn block(&mut self, block: &[u8; 16], high: u64) {
        self.sum += Limbs::of(block, high);
        let Self { key, sum, .. } = self;
        *sum *= key;
    }

    pub fn update(mut self, message: &[u8]) -> Self {
        let (blocks, rest) = message.as_chunks();
        blocks.iter().for_each(|block| self.block(block, 1));
        if !rest.is_empty() {
            let mut last = [0; 16];
            last[..rest.len()].copy_from_slice(rest);
            last[rest.len()] = 1;
            self.block(&last, 0);
        }
        self
    }

    pub fn tag(&self) -> Tag {
        let Limbs([a, b, c]) = self.sum.reduced();
        let sum = u128::from(a) | u128::from(b) << 44 | u128::from(c) << 88;
        Tag(sum.wrapping_add(self.pad).to_le_bytes())
    }
}

impl fmt::LowerHex for Tag {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[routine]
pub fn poly1305(key: [u8; 32], message: &[u8]) -> Tag {
    Poly1305::new(&key).update(message).tag()
}

#[routine]
pub fn poly1305_is(key: [u8; 32], message: &[u8], tag: Tag) -> bool {
    poly1305(key, message) == tag
}

pub fn known() {
    let key = [
        0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01, 0x03,
        0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
    ];
    let tag = poly1305(key, b"Cryptographic Forum Research Group");
    assert_eq!(format!("{tag:x}"), "a8061dc1305136c6c22b8baf0c0127a9");
    assert!(poly1305_is(key, b"Cryptographic Forum Research Group", tag));
    assert!(!poly1305_is(key, b"Cryptographic Forum Research Groups", tag));
    // 2^130 - 5 comes to nothing.
    let mut two = [0; 32];
    two[0] = 2;
    assert_eq!(poly1305(two, &[0xff; 16]).0[0], 3);
}
