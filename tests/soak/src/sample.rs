//! What is seen of a soak at a moment, and what all of it says.

use std::time::Duration;

use gpuvm::MemoryUse;

use crate::process::Process;

/// A soak at a moment.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Since it has begun.
    pub at: Duration,
    /// Messages that were sent and handled since the last sample.
    pub messages_per_second: f64,
    /// The runtime's memory on its device.
    pub device: MemoryUse,
    /// The process.
    pub process: Process,
}

/// How much the last third of a soak may differ from the middle one. The first does not count: programs are compiled in it, and pools fill.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// So many bytes may more be resident, and so many more on the device, on average.
    pub growth: u64,
    /// So many times as many messages a second there have to be.
    pub throughput: f64,
}

impl std::fmt::Display for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        write!(
            f,
            "{:6.1} s  {:9.0} messages/s  {:7.1} MiB resident  {:6.1} MiB on the device  {} threads",
            self.at.as_secs_f64(),
            self.messages_per_second,
            mebibytes(self.process.resident),
            mebibytes(self.device.bytes()),
            self.process.threads,
        )
    }
}

impl Bounds {
    /// Compares the last third with the middle one.
    ///
    /// # Errors
    ///
    /// What has grown, or fallen.
    pub fn check(&self, samples: &[Sample]) -> Result<(), String> {
        let third = samples.len() / 3;
        if third == 0 {
            return Err(format!(
                "{} samples are too few to compare thirds of them",
                samples.len()
            ));
        }
        let (middle, last) = (&samples[third..2 * third], &samples[samples.len() - third..]);
        let resident = |sample: &Sample| sample.process.resident as f64;
        self.check_growth("resident memory", mean(middle, &resident), mean(last, &resident))?;
        let device = |sample: &Sample| sample.device.bytes() as f64;
        self.check_growth("device memory", mean(middle, &device), mean(last, &device))?;
        let throughput = |sample: &Sample| sample.messages_per_second;
        let (middle, last) = (mean(middle, &throughput), mean(last, &throughput));
        match last < middle * self.throughput {
            true => Err(format!(
                "throughput fell from {middle:.0} to {last:.0} messages a second, and to {} of it it may",
                self.throughput
            )),
            false => Ok(()),
        }
    }

    fn check_growth(&self, what: &str, middle: f64, last: f64) -> Result<(), String> {
        let most = self.growth;
        match last > middle + most as f64 {
            true => Err(format!(
                "{what} grew from {middle:.0} to {last:.0} bytes, and by {most} it may"
            )),
            false => Ok(()),
        }
    }
}

fn mean(samples: &[Sample], of: &dyn Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(of).sum::<f64>() / samples.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(messages_per_second: f64, resident: u64) -> Sample {
        Sample {
            at: Duration::ZERO,
            messages_per_second,
            device: MemoryUse::default(),
            process: Process { resident, threads: 1 },
        }
    }

    #[test]
    fn thirds_are_compared() {
        let bounds = Bounds {
            growth: 10,
            throughput: 0.5,
        };
        // Whatever the first third was.
        let check = |last: Sample| bounds.check(&[sample(9.0, 999), sample(8.0, 100), last]);
        assert_eq!(check(sample(4.0, 110)), Ok(()));
        assert!(
            check(sample(3.9, 110))
                .unwrap_err()
                .starts_with("throughput fell from 8 to 4")
        );
        assert!(
            check(sample(8.0, 111))
                .unwrap_err()
                .starts_with("resident memory grew from 100 to 111")
        );
        assert!(bounds.check(&[]).is_err());
    }
}
