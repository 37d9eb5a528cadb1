//! Hand-written CUDA, where NVIDIA's compiler is: `peers.cu` is built when it is asked for, and measures itself on the same sizes and inputs.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context as _, Result, ensure};
use gpuvm_workloads::Size;
use serde::Deserialize;

/// The program, built.
pub struct Cuda {
    folder: PathBuf,
}

/// What it says of one of its kernels. Times are milliseconds.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// What was run, in what way.
    pub variant: String,
    /// Between two events of the device.
    pub device_ms: Option<f64>,
    /// On data that is on the device, by the host's clock.
    pub wall_ms: Option<f64>,
    /// With inputs from pageable memory, and results into such.
    pub launch_ms: Option<f64>,
    /// What came of comparing its results.
    pub check: String,
}

/// A kernel as a contestant.
pub struct Kernel {
    /// Its name.
    pub contestant: &'static str,
    /// What it says.
    pub row: Row,
}

/// As textbooks have it, with Rust's bits.
pub const PLAIN: &str = "CUDA plain";
/// As an expert tunes it in a day, with Rust's bits.
pub const TUNED: &str = "CUDA tuned";
/// The same two with floats as the compiler likes them.
pub const PLAIN_RELAXED: &str = "CUDA plain, relaxed";
/// See there.
pub const TUNED_RELAXED: &str = "CUDA tuned, relaxed";

/// The program's text.
const SOURCE: &str = include_str!("peers.cu");
/// The environment variable that names the compiler.
const NVCC: &str = "NVCC";

/// What the kernels of a workload are called as contestants; others are for reading.
fn contestant(workload: &str, variant: &str) -> Option<&'static str> {
    match (workload, variant) {
        ("lcg", "unroll 32") => Some(TUNED),
        (_, "plain" | "exact plain") => Some(PLAIN),
        (_, "tuned" | "exact tuned") => Some(TUNED),
        (_, "relaxed plain") => Some(PLAIN_RELAXED),
        (_, "relaxed tuned") => Some(TUNED_RELAXED),
        _ => None,
    }
}

impl Cuda {
    /// Builds it for the device of this machine, if it is not there from a run before; `None` where there is no compiler, which is said.
    ///
    /// # Errors
    ///
    /// When the compiler finds fault with it, or its files cannot be written.
    pub fn build() -> Result<Option<Cuda>> {
        let Some(compiler) = compiler() else {
            eprintln!("no nvcc, so there is no hand-written CUDA ({NVCC} may name one)");
            return Ok(None);
        };
        let text: Vec<u32> = SOURCE.bytes().map(u32::from).collect();
        let folder = env::temp_dir().join(format!("gpuvm-peers-{:016x}", checksum(&text)));
        let cuda = Cuda { folder };
        let named = || cuda.folder.display().to_string();
        if cuda.program().is_file() {
            return Ok(Some(cuda));
        }
        eprintln!("hand-written CUDA: building");
        fs::create_dir_all(&cuda.folder).with_context(named)?;
        let (source, unfinished) = (cuda.folder.join("peers.cu"), cuda.folder.join("unfinished"));
        fs::write(&source, SOURCE).with_context(named)?;
        let mut command = Command::new(compiler);
        command.args(["-O3", "-std=c++17", "-arch=native", "-o"]);
        let output = command.arg(&unfinished).arg(&source).output()?;
        ensure!(
            output.status.success(),
            "nvcc: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        fs::rename(&unfinished, cuda.program()).with_context(named)?;
        Ok(Some(cuda))
    }

    /// Runs the kernels of a workload of the peers'.
    ///
    /// # Errors
    ///
    /// As [`Cuda::run`].
    pub fn of_workload(&self, workload: &str, size: Size) -> Result<Vec<Kernel>> {
        let rows = self.run(workload, size)?.into_iter();
        let kernels = rows.filter_map(|row| {
            let contestant = contestant(workload, &row.variant)?;
            Some(Kernel { contestant, row })
        });
        Ok(kernels.collect())
    }

    /// Runs one of its parts.
    ///
    /// # Errors
    ///
    /// When it fails, or says something that is not understood.
    pub fn run(&self, part: &str, size: Size) -> Result<Vec<Row>> {
        let figures = self.folder.join(format!("{part}.json"));
        let mut command = Command::new(self.program());
        command.args(["--only", part, "--json"]).arg(&figures);
        if size == Size::Small {
            command.arg("--small");
        }
        let output = command.stdout(Stdio::null()).output()?;
        let text = fs::read_to_string(&figures).unwrap_or_default();
        let rows = text
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<Vec<Row>, _>>()?;
        ensure!(
            output.status.success() || !rows.is_empty(),
            "hand-written CUDA: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(rows)
    }

    fn program(&self) -> PathBuf {
        self.folder.join("peers")
    }
}

impl Row {
    /// Seconds of the host on data that is on the device, and of the device.
    ///
    /// # Errors
    ///
    /// When its results are wrong, or it was not timed.
    pub fn times(&self) -> Result<(f64, Option<f64>)> {
        self.right()?;
        let wall = seconds(self.wall_ms).context("it was not timed")?;
        Ok((wall, seconds(self.device_ms)))
    }

    /// The numbers in what was run, as of `20 steps of 10000 boids`.
    pub fn numbers(&self) -> Vec<usize> {
        let words = self.variant.split(' ');
        words.filter_map(|word| word.parse().ok()).collect()
    }

    fn right(&self) -> Result<()> {
        ensure!(!self.check.contains("WRONG"), "{}", self.check);
        Ok(())
    }

    /// How near its results came to the judge's, whose checksum is this if the sizes are the same.
    ///
    /// # Errors
    ///
    /// When they are wrong.
    pub fn judged(&self, judge: u64) -> Result<String> {
        self.right()?;
        if let Some(sum) = self.check.strip_prefix("same bits ") {
            ensure!(sum == format!("{judge:016x}"), "its judge is not ours");
            return Ok("same bits".to_string());
        }
        Ok(format!("NOT bit-equal: {}", self.check))
    }
}

/// Seconds, as the program has milliseconds.
pub fn seconds(milliseconds: Option<f64>) -> Option<f64> {
    milliseconds.map(|time| time * 1e-3)
}

/// The checksum of words as the program has it: FNV-1a by words.
pub fn checksum(words: &[u32]) -> u64 {
    words.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &word| {
        (sum ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The compiler: what the environment names, or what is in the path or where NVIDIA's packages have it.
fn compiler() -> Option<OsString> {
    if let Some(named) = env::var_os(NVCC) {
        return Some(named);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders = env::split_paths(&path).chain([PathBuf::from("/usr/local/cuda/bin")]);
    folders.find_map(|folder| {
        let compiler = folder.join("nvcc");
        compiler.is_file().then(|| compiler.into_os_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_judged_by_what_it_says_of_its_results() {
        let row = |check: &str| -> Row {
            let text = format!(
                r#"{{"workload":"lcg","variant":"plain","device_ms":0.1,"wall_ms":null,"launch_ms":2.5,"check":"{check}"}}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let judge = checksum(&[1, 2, 3]);
        assert_eq!(
            row(&format!("same bits {judge:016x}")).judged(judge).unwrap(),
            "same bits"
        );
        assert!(row("same bits 0000000000000001").judged(judge).is_err());
        assert!(row("WRONG: 3 of 4 words differ").judged(judge).is_err());
        let near = row("worst difference 1.0e-6").judged(judge).unwrap();
        assert_eq!(near, "NOT bit-equal: worst difference 1.0e-6");
        assert_eq!(row("not checked").times().unwrap_err().to_string(), "it was not timed");
        assert!(row("WRONG count").times().unwrap_err().to_string().contains("WRONG"));
        assert_eq!(checksum(&[]), 0xcbf2_9ce4_8422_2325);
    }

    #[test]
    fn the_program_is_the_one_that_the_names_are_of() {
        for (workload, variant, name) in [
            ("mandelbrot", "exact plain", PLAIN),
            ("lcg", "unroll 32", TUNED),
            ("nbody", "relaxed tuned", TUNED_RELAXED),
            ("option", "relaxed plain", PLAIN_RELAXED),
        ] {
            assert_eq!(contestant(workload, variant), Some(name));
            assert!(
                SOURCE.contains(&format!("\"{workload}\", \"{variant}\"")),
                "{workload}, {variant}"
            );
        }
    }
}
