//! Checkpoints: files that all ranks write and read together, each its part of the bytes, through MPI-IO.

use std::ffi::{CString, c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::path::{Path, PathBuf};

use gpuvm::Snapshot;
use gpuvm_engine::{Ranks, gathered};
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::traits::Equivalence;

use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::world::world;

/// Bytes that a rank writes or reads at a time: MPI counts with 31 bits.
const PIECE: usize = 1 << 30;

impl Runtime {
    /// Saves a snapshot of an [execution](gpuvm::Execution) in a file, of which each rank writes a part. As long as it is being written it has another name, with `.part` at its
    /// end, so that what was saved before stays until it is whole. All ranks have to save.
    ///
    /// # Errors
    ///
    /// [`Error::File`] with what MPI says, on all ranks.
    ///
    /// ```no_run
    /// # fn example(runtime: &gpuvm_mpi::Runtime, seeds: &[u32]) -> Result<(), Box<dyn std::error::Error>> {
    /// use gpuvm::{Budget, Signal};
    ///
    /// // On as many ranks as there are now, whoever has saved it.
    /// let mut execution = match std::path::Path::new("search.checkpoint").exists() {
    ///     true => runtime.restore(&runtime.load("search.checkpoint")?)?,
    ///     false => runtime.launch("search")?.args((seeds,)).start()?,
    /// };
    /// while execution.advance(Budget::cycles(1_000_000_000))? == Signal::Checkpoint {
    ///     runtime.save("search.checkpoint", &execution.snapshot()?)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn save(&self, path: impl AsRef<Path>, snapshot: &Snapshot) -> Result<()> {
        self.save_bytes(path.as_ref(), &snapshot.to_bytes())
    }

    /// The snapshot that was [saved](Runtime::save) in a file, by any number of ranks.
    ///
    /// # Errors
    ///
    /// [`Error::File`], or [`gpuvm::Error::BadSnapshot`] if the file is anything else.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Snapshot> {
        Ok(Snapshot::from_bytes(&self.load_bytes(path.as_ref())?)?)
    }

    /// Saves bytes that all ranks have, such as [`read`](gpuvm::Buffer::read) gives them of a buffer, as [`save`](Runtime::save) does.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn save_bytes(&self, path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
        let path = path.as_ref();
        let part = with_end(path, ".part");
        let own = part_of(bytes.len(), self.rank(), self.size());
        let write = || {
            let file = File::open(&part, ffi::MPI_MODE_CREATE | ffi::MPI_MODE_WRONLY)?;
            file.set_size(bytes.len())?;
            let written = file.write(own.start, &bytes[own.clone()]);
            file.close().and(written)
        };
        self.all_have(path, write())?;
        // All have closed it, so it is whole.
        let rename = || std::fs::rename(&part, path).map_err(|error| error.to_string());
        self.all_have(path, if self.is_first() { rename() } else { Ok(()) })
    }

    /// What a rank that could not do something with a file says, on all ranks.
    fn all_have(&self, path: &Path, done: Result<(), String>) -> Result<()> {
        let said = gathered(&**self.world(), &done.err()).map_err(gpuvm::Error::from)?;
        match said.into_iter().flatten().next() {
            None => Ok(()),
            Some(reason) => Err(Error::File {
                path: path.to_path_buf(),
                reason,
            }),
        }
    }

    /// All bytes of a file, of which each rank reads a part.
    ///
    /// # Errors
    ///
    /// [`Error::File`] with what MPI says, on all ranks.
    pub fn load_bytes(&self, path: impl AsRef<Path>) -> Result<Vec<u8>> {
        let (rank, ranks) = (self.rank(), self.size());
        let read = || {
            let file = File::open(path.as_ref(), ffi::MPI_MODE_RDONLY)?;
            let part = file.size().and_then(|size| {
                let own = part_of(size, rank, ranks);
                let mut bytes = vec![0; own.len()];
                file.read(own.start, &mut bytes)?;
                Ok((size, bytes))
            });
            file.close().and(part)
        };
        let (part, done) = match read() {
            Ok(part) => (part, Ok(())),
            Err(reason) => (Default::default(), Err(reason)),
        };
        self.all_have(path.as_ref(), done)?;
        let (size, bytes) = part;
        let word = |bytes: &[u8]| {
            let mut all = [0; WORD];
            all[..bytes.len()].copy_from_slice(bytes);
            u32::from_le_bytes(all)
        };
        let words: Vec<u32> = bytes.chunks(WORD).map(word).collect();
        let mut all = Vec::with_capacity(size);
        let parts = self.world().gather(&words).map_err(gpuvm::Error::from)?;
        for (rank, words) in parts.iter().enumerate() {
            let own = part_of(size, rank, self.size()).len();
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            all.extend(bytes.take(own));
        }
        Ok(all)
    }
}

const WORD: usize = 4;

/// The bytes of so many that a rank has.
fn part_of(all: usize, rank: usize, ranks: usize) -> Range<usize> {
    let bound = |rank: usize| (all as u128 * rank as u128 / ranks as u128) as usize;
    bound(rank)..bound(rank + 1)
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// A file that all ranks have open.
struct File {
    raw: ffi::MPI_File,
}

/// What MPI says of a file.
fn checked(code: c_int) -> Result<(), String> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let mut text = vec![0u8; ffi::MPI_MAX_ERROR_STRING as usize + 1];
    let mut length = 0;
    // SAFETY: the text has room for the longest that MPI has.
    #[expect(unsafe_code, reason = "rsmpi has no function for it")]
    unsafe {
        ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &raw mut length);
    }
    text.truncate(usize::try_from(length).unwrap_or_default());
    Err(String::from_utf8_lossy(&text).into_owned())
}

#[expect(unsafe_code, reason = "rsmpi has no files")]
impl File {
    /// Opens it on all ranks.
    fn open(path: &Path, mode: u32) -> Result<File, String> {
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())?;
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the name ends with a zero and outlives the call, which writes the handle where it succeeds.
        unsafe {
            let none = ffi::RSMPI_INFO_NULL;
            let communicator = world().as_raw();
            checked(ffi::MPI_File_open(
                communicator,
                name.as_ptr(),
                mode as c_int,
                none,
                raw.as_mut_ptr(),
            ))?;
            Ok(File { raw: raw.assume_init() })
        }
    }

    fn set_size(&self, bytes: usize) -> Result<(), String> {
        // SAFETY: the file is open.
        checked(unsafe { ffi::MPI_File_set_size(self.raw, bytes as ffi::MPI_Offset) })
    }

    fn size(&self) -> Result<usize, String> {
        let mut bytes = 0;
        // SAFETY: the file is open, and the size is written to a place of its own.
        checked(unsafe { ffi::MPI_File_get_size(self.raw, &raw mut bytes) })?;
        usize::try_from(bytes).map_err(|error| error.to_string())
    }

    /// Writes this rank's part.
    fn write(&self, first: usize, bytes: &[u8]) -> Result<(), String> {
        for (piece, bytes) in bytes.chunks(PIECE).enumerate() {
            let at = (first + piece * PIECE) as ffi::MPI_Offset;
            let (data, count) = (bytes.as_ptr().cast::<c_void>(), bytes.len() as c_int);
            let kind = u8::equivalent_datatype();
            // SAFETY: the file is open, and so many bytes are there.
            checked(unsafe {
                ffi::MPI_File_write_at(self.raw, at, data, count, kind.as_raw(), ffi::RSMPI_STATUS_IGNORE)
            })?;
        }
        Ok(())
    }

    /// Reads this rank's part.
    fn read(&self, first: usize, bytes: &mut [u8]) -> Result<(), String> {
        for (piece, bytes) in bytes.chunks_mut(PIECE).enumerate() {
            let at = (first + piece * PIECE) as ffi::MPI_Offset;
            let (data, count) = (bytes.as_mut_ptr().cast::<c_void>(), bytes.len() as c_int);
            let kind = u8::equivalent_datatype();
            // SAFETY: the file is open, and there is room for so many bytes.
            checked(unsafe {
                ffi::MPI_File_read_at(self.raw, at, data, count, kind.as_raw(), ffi::RSMPI_STATUS_IGNORE)
            })?;
        }
        Ok(())
    }

    /// Closes it, when all ranks do.
    fn close(mut self) -> Result<(), String> {
        // SAFETY: the file is open, and not used any more.
        checked(unsafe { ffi::MPI_File_close(&raw mut self.raw) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_file_are_all_of_it() {
        for (all, ranks) in [(0, 1), (1, 3), (10, 3), (usize::MAX / 2, 7)] {
            let parts: Vec<Range<usize>> = (0..ranks).map(|rank| part_of(all, rank, ranks)).collect();
            assert_eq!((parts[0].start, parts[ranks - 1].end), (0, all));
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
