//! Macros that the routines of other files call.

/// A weighted mean, without overflow.
macro_rules! blended {
    ($a:expr, $b:expr; $weight:literal) => {{
        let a = u64::from($a) * $weight;
        let b = u64::from($b);
        crate::shared_macros::rounded!((a + b) / ($weight + 1))
    }};
}

macro_rules! rounded {
    ($x:expr) => {
        ($x % 0x1_0000_0000) as u32
    };
}

pub(crate) use {blended, rounded};
