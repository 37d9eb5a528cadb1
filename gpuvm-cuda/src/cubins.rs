//! What the driver has compiled, as wgpu's pipeline caches keep it: cubins by the text they were compiled from, for one kind of GPU and
//! driver.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::custom::PipelineCacheInterface;

/// A handle to compiled kernels; none if they were refused.
#[derive(Clone, Debug)]
pub struct CudaCache(pub Option<Arc<Cubins>>);

/// Compiled kernels.
#[derive(Debug)]
pub struct Cubins {
    /// What they are for.
    key: String,
    kept: Mutex<BTreeMap<u128, Vec<u8>>>,
}

/// What the data begins with.
const MAGIC: &[u8; 16] = b"gpuvm cubins 1\r\n";

impl Cubins {
    /// None, for this kind of GPU and driver.
    pub fn new(key: String) -> Cubins {
        Cubins {
            key,
            kept: Mutex::default(),
        }
    }

    /// Those that were kept, if they are undamaged and of this kind of GPU and driver.
    pub fn parse(key: String, data: &[u8]) -> Option<Cubins> {
        let mut rest = data.strip_prefix(MAGIC)?;
        let checksum: [u8; 16] = rest.split_off(rest.len().checked_sub(16)?..)?.try_into().ok()?;
        let whole = &data[..data.len() - checksum.len()];
        if hash(whole) != u128::from_le_bytes(checksum) || piece(&mut rest)? != key.as_bytes() {
            return None;
        }
        let mut kept = BTreeMap::new();
        while !rest.is_empty() {
            let text = u128::from_le_bytes(*rest.split_off(..16)?.as_array()?);
            kept.insert(text, piece(&mut rest)?.to_vec());
        }
        let kept = Mutex::new(kept);
        Some(Cubins { key, kept })
    }

    /// What a text was compiled to.
    pub fn get(&self, text: &str) -> Option<Vec<u8>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&hash(text.as_bytes())).cloned()
    }

    /// Keeps what a text was compiled to.
    pub fn keep(&self, text: &str, cubin: Vec<u8>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(hash(text.as_bytes()), cubin);
    }

    /// Bytes to make it of again.
    pub fn data(&self) -> Vec<u8> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut data = MAGIC.to_vec();
        append(&mut data, self.key.as_bytes());
        for (text, cubin) in kept.iter() {
            data.extend(text.to_le_bytes());
            append(&mut data, cubin);
        }
        data.extend(hash(&data).to_le_bytes());
        data
    }
}

fn append(data: &mut Vec<u8>, piece: &[u8]) {
    data.extend((piece.len() as u64).to_le_bytes());
    data.extend(piece);
}

/// What [`append`] has appended.
fn piece<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u64::from_le_bytes(*rest.split_off(..8)?.as_array()?);
    rest.split_off(..usize::try_from(length).ok()?)
}

/// FNV-1a of 128 bits.
fn hash(bytes: &[u8]) -> u128 {
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let step = |hash: u128, &byte: &u8| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
    bytes.iter().fold(START, step)
}

impl PipelineCacheInterface for CudaCache {
    fn get_data(&self) -> Option<Vec<u8>> {
        self.0.as_ref().map(|cubins| cubins.data())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_again_unless_it_is_damaged_or_of_another_kind() {
        let cubins = Cubins::new("here".to_string());
        cubins.keep("a", b"compiled a".to_vec());
        cubins.keep("b", Vec::new());
        let data = cubins.data();
        let again = Cubins::parse("here".to_string(), &data).unwrap();
        assert_eq!(again.get("a").as_deref(), Some(&b"compiled a"[..]));
        assert_eq!(again.get("b").as_deref(), Some(&b""[..]));
        assert_eq!(again.get("c"), None);
        assert_eq!(again.data(), data);
        assert!(Cubins::parse("there".to_string(), &data).is_none());
        for length in 0..data.len() {
            assert!(Cubins::parse("here".to_string(), &data[..length]).is_none());
        }
        for at in 0..data.len() {
            let mut damaged = data.clone();
            damaged[at] ^= 1;
            assert!(Cubins::parse("here".to_string(), &damaged).is_none());
        }
    }
}
