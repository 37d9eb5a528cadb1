//! What the host knows of a buffer that is bound as uniform: kernels get uniforms by value, so their bytes have to be known at the launch.

use std::ops::Range;

/// The bytes of a buffer as they are after all that was submitted, as far as they are known.
#[derive(Debug)]
pub struct Shadow {
    bytes: Vec<u8>,
    /// What kernels, or copies from what they have written, have written.
    unknown: Vec<Range<usize>>,
}

impl Shadow {
    /// So many zeros.
    pub fn new(bytes: usize) -> Shadow {
        Shadow {
            bytes: vec![0; bytes],
            unknown: Vec::new(),
        }
    }

    /// So many bytes are what `write` makes of them.
    pub fn write(&mut self, at: u64, bytes: u64, write: impl FnOnce(&mut [u8])) {
        let written = at as usize..(at + bytes) as usize;
        let unknown = std::mem::take(&mut self.unknown);
        let pieces = unknown.into_iter().flat_map(|range| {
            let before = range.start..range.end.min(written.start);
            let after = range.start.max(written.end)..range.end;
            [before, after]
        });
        self.unknown.extend(pieces.filter(|piece| !piece.is_empty()));
        write(&mut self.bytes[written]);
    }

    /// So many bytes are not known any more.
    pub fn forget(&mut self, at: u64, bytes: u64) {
        // Known bytes first, so that no part is there twice.
        self.write(at, bytes, |_| ());
        self.unknown.push(at as usize..(at + bytes) as usize);
    }

    /// So many bytes, if they are known.
    pub fn read(&self, at: u64, bytes: u64) -> Option<&[u8]> {
        let wanted = at as usize..(at + bytes) as usize;
        let meets = |range: &Range<usize>| range.start < wanted.end && wanted.start < range.end;
        match self.unknown.iter().any(meets) {
            true => None,
            false => self.bytes.get(wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_known_until_a_kernel_writes_them_and_after_the_host_does() {
        let mut shadow = Shadow::new(16);
        assert_eq!(shadow.read(0, 16), Some(&[0; 16][..]));
        shadow.forget(4, 8);
        assert_eq!(shadow.read(0, 4), Some(&[0; 4][..]));
        assert_eq!(shadow.read(0, 5), None);
        assert_eq!(shadow.read(12, 4), Some(&[0; 4][..]));
        shadow.write(6, 2, |bytes| bytes.fill(1));
        assert_eq!(shadow.read(6, 2), Some(&[1; 2][..]));
        assert_eq!((shadow.read(5, 2), shadow.read(7, 2)), (None, None));
        shadow.forget(5, 2);
        shadow.write(0, 16, |bytes| bytes.fill(2));
        assert_eq!(shadow.read(0, 16), Some(&[2; 16][..]));
        assert!(shadow.unknown.is_empty());
        assert_eq!(shadow.read(8, 16), None);
    }
}
