//! What drivers have compiled, kept in files, so that the next process need not wait for it: one file a kernel in the user's cache folder.
//! `GPUVM_CACHE_DIR` names another folder; if it is empty nothing is kept.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gpuvm_core::program::ProgramId;

/// The start of a file, which ends with the version of this format.
const MAGIC: [u8; 8] = *b"gpuvmpc\x01";
/// Bytes of the magic and of the checksum after it.
const HEADER: usize = 24;
/// Bytes of all files together; beyond that those that were used longest ago are removed.
const MOST_BYTES: u64 = 256 << 20;
const EXTENSION: &str = "pipeline";
/// Of a file that is being written.
const UNFINISHED: &str = "unfinished";
/// Longer than writing a file takes: who wrote one that is older has been killed.
const WRITING: Duration = Duration::from_secs(1);

/// A folder of compiled kernels of one device.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Device and driver, which a file is of no use without.
    device: String,
    most_bytes: u64,
}

impl Folder {
    /// The folder of this user, for a device that has the given key; `None` if there is none or it is not wanted.
    pub fn of_user(device: &str) -> Option<Folder> {
        let set = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let path = match std::env::var_os("GPUVM_CACHE_DIR") {
            Some(path) if path.is_empty() => return None,
            Some(path) => path.into(),
            None => {
                let caches = set("XDG_CACHE_HOME").or_else(|| set("LOCALAPPDATA"));
                caches.or_else(|| Some(set("HOME")?.join(".cache")))?.join("gpuvm")
            }
        };
        let folder = Folder {
            path,
            device: device.to_string(),
            most_bytes: MOST_BYTES,
        };
        folder.forget_unfinished();
        Some(folder)
    }

    /// What was kept of a kernel, if it is undamaged and this device's.
    pub fn load(&self, kernel: ProgramId) -> Option<Vec<u8>> {
        let path = self.file(kernel);
        let mut bytes = fs::read(&path).ok()?;
        let data = bytes.get(HEADER..)?;
        if bytes[..8] != MAGIC || bytes[8..HEADER] != self.checksum(data).to_bytes() {
            return None;
        }
        // So that it counts as used; if that fails it is only forgotten earlier.
        let _ = fs::File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(bytes.split_off(HEADER))
    }

    /// Keeps what the driver has made of a kernel. A failure costs time later and nothing else.
    pub fn store(&self, kernel: ProgramId, data: &[u8]) {
        let _ = self.write(kernel, data);
    }

    fn write(&self, kernel: ProgramId, data: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(&self.path)?;
        // Written under another name first, because other processes may look for it.
        let unfinished = self
            .path
            .join(format!("{kernel}-{}", std::process::id()))
            .with_extension(UNFINISHED);
        let written = fs::File::create(&unfinished).and_then(|mut file| {
            file.write_all(&MAGIC)?;
            file.write_all(&self.checksum(data).to_bytes())?;
            file.write_all(data)
        });
        let finished = written.and_then(|()| fs::rename(&unfinished, self.file(kernel)));
        if finished.is_err() {
            // What is left of it on a full disk.
            let _ = fs::remove_file(&unfinished);
        }
        finished?;
        self.forget_old()
    }

    /// Removes what was not finished before the process that wrote it ended.
    fn forget_unfinished(&self) {
        for (modified, _, path) in self.files().unwrap_or_default() {
            let is_old = modified.elapsed().is_ok_and(|age| age > WRITING);
            if is_old && has_extension(&path, UNFINISHED) {
                // If that fails it counts to the limit.
                let _ = fs::remove_file(path);
            }
        }
    }

    fn file(&self, kernel: ProgramId) -> PathBuf {
        self.path.join(kernel.to_string()).with_extension(EXTENSION)
    }

    fn checksum(&self, data: &[u8]) -> ProgramId {
        ProgramId::of(&[self.device.as_bytes(), data].concat())
    }

    /// Our files, finished or not, with when each was changed and its bytes.
    fn files(&self) -> std::io::Result<Vec<(SystemTime, u64, PathBuf)>> {
        let entries = fs::read_dir(&self.path)?.filter_map(|entry| {
            let entry = entry.ok()?;
            let about = entry.metadata().ok()?;
            let path = entry.path();
            let ours = has_extension(&path, EXTENSION) || has_extension(&path, UNFINISHED);
            (ours && about.is_file()).then_some((about.modified().ok()?, about.len(), path))
        });
        Ok(entries.collect())
    }

    /// Removes the oldest files until the others are within the limit. What cannot be removed, as another process has done it or may not
    /// be touched, does not keep the next from being.
    fn forget_old(&self) -> std::io::Result<()> {
        let mut files = self.files()?;
        files.sort();
        let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, size, path) in files {
            if bytes <= self.most_bytes {
                break;
            }
            if fs::remove_file(&path).is_ok() || !path.exists() {
                bytes -= size;
            }
        }
        Ok(())
    }
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("gpuvm-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder {
            path,
            device: "here".to_string(),
            most_bytes: 100,
        }
    }

    #[test]
    fn only_undamaged_files_of_this_device_are_used() {
        let folder = folder("damage");
        let kernel = ProgramId::of(b"kernel");
        assert_eq!(folder.load(kernel), None);
        folder.store(kernel, b"compiled");
        assert_eq!(folder.load(kernel).as_deref(), Some(&b"compiled"[..]));
        let other = Folder {
            device: "there".to_string(),
            path: folder.path.clone(),
            ..folder
        };
        assert_eq!(other.load(kernel), None);
        let whole = fs::read(folder.file(kernel)).unwrap();
        for length in 0..whole.len() {
            fs::write(folder.file(kernel), &whole[..length]).unwrap();
            assert_eq!(folder.load(kernel), None, "{length} bytes");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(folder.file(kernel), damaged).unwrap();
            assert_eq!(folder.load(kernel), None, "byte {at}");
        }
        fs::remove_dir_all(folder.path).unwrap();
    }

    /// Makes a file that old, in seconds since 1970.
    fn age(path: &Path, seconds: u64) {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
            .unwrap();
    }

    #[test]
    fn what_was_not_finished_is_removed_and_counts() {
        let folder = folder("unfinished");
        let kernels = [b"a", b"b"].map(|name| ProgramId::of(name));
        folder.store(kernels[0], &[0; 20]);
        age(&folder.file(kernels[0]), 20);
        let killed = folder.path.join("killed-1.unfinished");
        let other = folder.path.join("notes.txt");
        fs::write(&killed, [0; 80]).unwrap();
        fs::write(&other, [0; 80]).unwrap();
        age(&killed, 10);
        folder.store(kernels[1], &[1; 20]);
        assert!(!killed.exists(), "it counts to the limit, and is the oldest");
        assert_eq!(kernels.map(|kernel| folder.load(kernel).is_some()), [true, true]);
        fs::write(&killed, [0; 10]).unwrap();
        folder.forget_unfinished();
        assert!(killed.exists(), "somebody may be writing it");
        age(&killed, 10);
        folder.forget_unfinished();
        assert!(!killed.exists() && other.exists());
        // A folder in the place of the file: it can be written, and not be finished.
        fs::remove_file(folder.file(kernels[0])).unwrap();
        fs::create_dir(folder.file(kernels[0])).unwrap();
        folder.store(kernels[0], &[0; 20]);
        let left = folder.files().unwrap();
        assert!(
            left.iter().all(|(_, _, path)| !has_extension(path, UNFINISHED)),
            "{left:?}"
        );
        fs::remove_dir_all(folder.path).unwrap();
    }

    #[test]
    fn what_was_used_longest_ago_is_forgotten() {
        let folder = folder("age");
        let kernels = [b"a", b"b", b"c"].map(|name| ProgramId::of(name));
        folder.store(kernels[0], &[0; 20]);
        folder.store(kernels[1], &[1; 20]);
        age(&folder.file(kernels[0]), 10);
        age(&folder.file(kernels[1]), 20);
        assert!(folder.load(kernels[0]).is_some(), "now used last");
        folder.store(kernels[2], &[2; 20]);
        assert_eq!(kernels.map(|kernel| folder.load(kernel).is_some()), [true, false, true]);
        // A folder is none of ours, and does not keep files from being forgotten.
        fs::create_dir(folder.file(kernels[1])).unwrap();
        age(&folder.file(kernels[0]), 30);
        folder.store(kernels[2], &[2; 60]);
        assert_eq!(
            kernels.map(|kernel| folder.load(kernel).is_some()),
            [false, false, true]
        );
        fs::remove_dir_all(folder.path).unwrap();
    }
}
