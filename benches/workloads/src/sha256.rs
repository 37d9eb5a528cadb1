//! SHA-256 of a million messages of 32 bytes, one block each. Every contestant has the 64 rounds written out, from one table.

use gpuvm::{Launch, routine};
use rayon::prelude::*;

use crate::{Argument, Size, Workload};

/// Hands SHA-256 to another macro: the registers with their first values; the words of the schedule, eight of them from the message and
/// eight padding; and the rounds, each with the names that the registers have in it, the words that it uses and makes, and its constant.
/// The last 16 rounds make no further words.
#[macro_export]
macro_rules! rounds {
    ($to:ident) => {
        $to! {
            [a = 0x6a09e667u32, b = 0xbb67ae85u32, c = 0x3c6ef372u32, d = 0xa54ff53au32]
            [e = 0x510e527fu32, f = 0x9b05688cu32, g = 0x1f83d9abu32, h = 0x5be0cd19u32]
            [w0 = 0usize, w1 = 1usize, w2 = 2usize, w3 = 3usize] [w4 = 0usize, w5 = 1usize, w6 = 2usize, w7 = 3usize]
            [w8 = 0x80000000u32, w9 = 0u32, w10 = 0u32, w11 = 0u32, w12 = 0u32, w13 = 0u32, w14 = 0u32, w15 = 256u32]
            a b c d e f g h, w0 w1 w9 w14, 0x428a2f98u32;
            h a b c d e f g, w1 w2 w10 w15, 0x71374491u32;
            g h a b c d e f, w2 w3 w11 w0, 0xb5c0fbcfu32;
            f g h a b c d e, w3 w4 w12 w1, 0xe9b5dba5u32;
            e f g h a b c d, w4 w5 w13 w2, 0x3956c25bu32;
            d e f g h a b c, w5 w6 w14 w3, 0x59f111f1u32;
            c d e f g h a b, w6 w7 w15 w4, 0x923f82a4u32;
            b c d e f g h a, w7 w8 w0 w5, 0xab1c5ed5u32;
            a b c d e f g h, w8 w9 w1 w6, 0xd807aa98u32;
            h a b c d e f g, w9 w10 w2 w7, 0x12835b01u32;
            g h a b c d e f, w10 w11 w3 w8, 0x243185beu32;
            f g h a b c d e, w11 w12 w4 w9, 0x550c7dc3u32;
            e f g h a b c d, w12 w13 w5 w10, 0x72be5d74u32;
            d e f g h a b c, w13 w14 w6 w11, 0x80deb1feu32;
            c d e f g h a b, w14 w15 w7 w12, 0x9bdc06a7u32;
            b c d e f g h a, w15 w0 w8 w13, 0xc19bf174u32;
            a b c d e f g h, w0 w1 w9 w14, 0xe49b69c1u32;
            h a b c d e f g, w1 w2 w10 w15, 0xefbe4786u32;
            g h a b c d e f, w2 w3 w11 w0, 0x0fc19dc6u32;
            f g h a b c d e, w3 w4 w12 w1, 0x240ca1ccu32;
            e f g h a b c d, w4 w5 w13 w2, 0x2de92c6fu32;
            d e f g h a b c, w5 w6 w14 w3, 0x4a7484aau32;
            c d e f g h a b, w6 w7 w15 w4, 0x5cb0a9dcu32;
            b c d e f g h a, w7 w8 w0 w5, 0x76f988dau32;
            a b c d e f g h, w8 w9 w1 w6, 0x983e5152u32;
            h a b c d e f g, w9 w10 w2 w7, 0xa831c66du32;
            g h a b c d e f, w10 w11 w3 w8, 0xb00327c8u32;
            f g h a b c d e, w11 w12 w4 w9, 0xbf597fc7u32;
            e f g h a b c d, w12 w13 w5 w10, 0xc6e00bf3u32;
            d e f g h a b c, w13 w14 w6 w11, 0xd5a79147u32;
            c d e f g h a b, w14 w15 w7 w12, 0x06ca6351u32;
            b c d e f g h a, w15 w0 w8 w13, 0x14292967u32;
            a b c d e f g h, w0 w1 w9 w14, 0x27b70a85u32;
            h a b c d e f g, w1 w2 w10 w15, 0x2e1b2138u32;
            g h a b c d e f, w2 w3 w11 w0, 0x4d2c6dfcu32;
            f g h a b c d e, w3 w4 w12 w1, 0x53380d13u32;
            e f g h a b c d, w4 w5 w13 w2, 0x650a7354u32;
            d e f g h a b c, w5 w6 w14 w3, 0x766a0abbu32;
            c d e f g h a b, w6 w7 w15 w4, 0x81c2c92eu32;
            b c d e f g h a, w7 w8 w0 w5, 0x92722c85u32;
            a b c d e f g h, w8 w9 w1 w6, 0xa2bfe8a1u32;
            h a b c d e f g, w9 w10 w2 w7, 0xa81a664bu32;
            g h a b c d e f, w10 w11 w3 w8, 0xc24b8b70u32;
            f g h a b c d e, w11 w12 w4 w9, 0xc76c51a3u32;
            e f g h a b c d, w12 w13 w5 w10, 0xd192e819u32;
            d e f g h a b c, w13 w14 w6 w11, 0xd6990624u32;
            c d e f g h a b, w14 w15 w7 w12, 0xf40e3585u32;
            b c d e f g h a, w15 w0 w8 w13, 0x106aa070u32;
            =>
            a b c d e f g h, w0 w1 w9 w14, 0x19a4c116u32;
            h a b c d e f g, w1 w2 w10 w15, 0x1e376c08u32;
            g h a b c d e f, w2 w3 w11 w0, 0x2748774cu32;
            f g h a b c d e, w3 w4 w12 w1, 0x34b0bcb5u32;
            e f g h a b c d, w4 w5 w13 w2, 0x391c0cb3u32;
            d e f g h a b c, w5 w6 w14 w3, 0x4ed8aa4au32;
            c d e f g h a b, w6 w7 w15 w4, 0x5b9cca4fu32;
            b c d e f g h a, w7 w8 w0 w5, 0x682e6ff3u32;
            a b c d e f g h, w8 w9 w1 w6, 0x748f82eeu32;
            h a b c d e f g, w9 w10 w2 w7, 0x78a5636fu32;
            g h a b c d e f, w10 w11 w3 w8, 0x84c87814u32;
            f g h a b c d e, w11 w12 w4 w9, 0x8cc70208u32;
            e f g h a b c d, w12 w13 w5 w10, 0x90befffau32;
            d e f g h a b c, w13 w14 w6 w11, 0xa4506cebu32;
            c d e f g h a b, w14 w15 w7 w12, 0xbef9a3f7u32;
            b c d e f g h a, w15 w0 w8 w13, 0xc67178f2u32;
        }
    };
}

#[routine(callee)]
fn big0(x: u32) -> u32 {
    x.rotate_right(2) ^ x.rotate_right(13) ^ x.rotate_right(22)
}

#[routine(callee)]
fn big1(x: u32) -> u32 {
    x.rotate_right(6) ^ x.rotate_right(11) ^ x.rotate_right(25)
}

#[routine(callee)]
fn small0(x: u32) -> u32 {
    x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3)
}

#[routine(callee)]
fn small1(x: u32) -> u32 {
    x.rotate_right(17) ^ x.rotate_right(19) ^ (x >> 10)
}

#[routine(callee)]
fn choose(x: u32, y: u32, z: u32) -> u32 {
    (x & y) ^ (!x & z)
}

#[routine(callee)]
fn majority(x: u32, y: u32, z: u32) -> u32 {
    (x & y) ^ (x & z) ^ (y & z)
}

macro_rules! rust {
    (
        [$($high:ident = $first:literal),*] [$($low:ident = $second:literal),*]
        [$($left:ident = $i:literal),*] [$($right:ident = $j:literal),*] [$($pad:ident = $padding:literal),*]
        $($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident,
            $w0:ident $w1:ident $w9:ident $w14:ident, $k:literal;)*
        =>
        $($p:ident $q:ident $r:ident $s:ident $t:ident $u:ident $v:ident $w:ident,
            $x0:ident $x1:ident $x9:ident $x14:ident, $l:literal;)*
    ) => {
        /// The digest of a message of 32 bytes, as eight big-endian words.
        #[routine]
        pub fn sha256(message: [u32; 8]) -> [u32; 8] {
            $(let mut $left = message[$i];)*
            $(let mut $right = message[4 + $j];)*
            $(let mut $pad = $padding;)*
            $(let mut $high = $first;)*
            $(let mut $low = $second;)*
            $(
                let sum = $h.wrapping_add(big1($e)).wrapping_add(choose($e, $f, $g));
                let sum = sum.wrapping_add($k).wrapping_add($w0);
                $d = $d.wrapping_add(sum);
                $h = sum.wrapping_add(big0($a)).wrapping_add(majority($a, $b, $c));
                $w0 = $w0.wrapping_add(small0($w1)).wrapping_add($w9).wrapping_add(small1($w14));
            )*
            $(
                let sum = $w.wrapping_add(big1($t)).wrapping_add(choose($t, $u, $v));
                let sum = sum.wrapping_add($l).wrapping_add($x0);
                $s = $s.wrapping_add(sum);
                $w = sum.wrapping_add(big0($p)).wrapping_add(majority($p, $q, $r));
            )*
            [$($high.wrapping_add($first),)* $($low.wrapping_add($second),)*]
        }
    };
}
rounds!(rust);

/// The same, left in a buffer.
#[routine]
pub fn sha256_into(message: [u32; 8], digest: &mut [u32; 8]) {
    *digest = sha256(message);
}

/// Messages of 32 bytes.
pub struct Messages(pub Vec<[u32; 8]>);

impl From<Size> for Messages {
    fn from(size: Size) -> Messages {
        let message = |i: u32| std::array::from_fn(|word| (i + word as u32).wrapping_mul(0x9e37_79b9));
        Messages((0..size.pick(1 << 10, 1_000_000)).map(message).collect())
    }
}

impl Workload for Messages {
    type Output = [u32; 8];

    const RETURNING: &'static str = "sha256";

    fn amount(&self) -> String {
        format!("{} messages of 32 bytes", self.0.len())
    }

    fn native(&self) -> Vec<[u32; 8]> {
        self.0.par_iter().map(|message| sha256(*message)).collect()
    }

    fn launched<'l>(&'l self, launch: Launch<'l>) -> Launch<'l> {
        launch.args((&self.0,))
    }

    fn arguments(&self) -> Vec<Argument> {
        vec![Argument::Column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_have_the_digest_that_everybody_finds() {
        let of_zeros = [
            0x66687aad, 0xf862bd77, 0x6c8fc18b, 0x8e9f8e20, 0x08971485, 0x6ee233b3, 0x902a591d, 0x0d5f2925,
        ];
        assert_eq!(sha256([0; 8]), of_zeros);
    }
}
