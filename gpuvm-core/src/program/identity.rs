//! [`ProgramId`]: which program a snapshot, a cache entry or a file belongs to.

use std::fmt::{self, Debug, Display, Formatter};
use std::str::FromStr;

use super::Program;

/// A hash of all that a program's file holds, the same on every machine and in every process: equal programs have equal identities,
/// and programs that differ in anything, be it a source line, have different ones but for a chance of 1 in 2⁶⁴ or less. (FNV-1a
/// with 128 bits: it finds mix-ups and damage, and is no defence against somebody who wants a collision.)
///
/// It is shown and read as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProgramId([u8; 16]);

/// A text is not a [`ProgramId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a program's identity is 32 hexadecimal digits")]
pub struct NotAnIdentity;

impl ProgramId {
    /// The identity with these bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> ProgramId {
        ProgramId(bytes)
    }

    /// The bytes, in the order in which they are shown.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// The hash of bytes.
    pub fn of(bytes: &[u8]) -> ProgramId {
        const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let hash = bytes
            .iter()
            .fold(START, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
        ProgramId(hash.to_be_bytes())
    }
}

impl Program {
    /// What tells this program from others. Hashes the whole program: keep the result where it is needed often.
    pub fn identity(&self) -> ProgramId {
        ProgramId::of(&self.body())
    }
}

impl Display for ProgramId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl Debug for ProgramId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ProgramId({self})")
    }
}

impl FromStr for ProgramId {
    type Err = NotAnIdentity;

    fn from_str(text: &str) -> Result<ProgramId, NotAnIdentity> {
        if text.len() != 32 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(NotAnIdentity);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| NotAnIdentity)?;
        Ok(ProgramId(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(ProgramId::of(b"").to_string(), "6c62272e07bb014262b821756295c58d");
        assert_eq!(ProgramId::of(b"a").to_string(), "d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(ProgramId::of(b"foobar").to_string(), "343e1662793c64bf6f0d3597ba446f18");
    }

    #[test]
    fn an_identity_is_read_back() {
        let identity = ProgramId::of(b"gpuvm");
        assert_eq!(identity.to_string().parse(), Ok(identity));
        assert_eq!(ProgramId::from_bytes(identity.to_bytes()), identity);
        for wrong in [
            "",
            "+228cb696f1a8caf78912b704e4a8964",
            "d228cb696f1a8caf78912b704e4a89640",
        ] {
            assert_eq!(wrong.parse::<ProgramId>(), Err(NotAnIdentity), "{wrong}");
        }
    }
}
