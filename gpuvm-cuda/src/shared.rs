//! What all handles of a device share: its driver, its errors, how far it is, and whether it is lost.

use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wgpu::custom::BoxDeviceLostCallback;
use wgpu::{DeviceLostReason, PollError, PollStatus};

use crate::driver::pinned::HostPool;
use crate::driver::{Driver, Error, Kind, Result};
use crate::pipeline::Form;
use crate::progress::Progress;
use crate::query::clock;
use crate::scopes::{Scopes, validation};
use crate::sending::Sending;

/// A device.
#[derive(Debug)]
pub struct Shared {
    pub driver: Arc<dyn Driver>,
    pub info: wgpu::AdapterInfo,
    pub features: wgpu::Features,
    pub limits: wgpu::Limits,
    pub host: Arc<HostPool>,
    pub scopes: Scopes,
    pub progress: Progress,
    /// What the stream is told goes through here, in order.
    pub sending: Mutex<Sending>,
    /// The kernel that reads the device's clock.
    pub clock: Arc<Form>,
    lost: AtomicBool,
    loss: Mutex<Loss>,
}

/// Whether the device is lost, and who is told.
#[derive(Default)]
struct Loss {
    reason: Option<(DeviceLostReason, String)>,
    callback: Option<BoxDeviceLostCallback>,
}

/// How long to ask again and again in a wait before sleeping: to be woken takes as long.
const SPIN: Duration = Duration::from_micros(50);
/// How long to wait for the last kernels of a device.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to sleep at a time, at least and at most.
const NAPS: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(1)];

impl Shared {
    /// A device on an open driver.
    ///
    /// # Errors
    ///
    /// When the driver has no memory left, or its compiler is not there.
    pub fn new(
        driver: Arc<dyn Driver>,
        info: wgpu::AdapterInfo,
        features: wgpu::Features,
        limits: wgpu::Limits,
    ) -> Result<Arc<Shared>> {
        let host = HostPool::new(driver.clone());
        Ok(Arc::new(Shared {
            progress: Progress::new(driver.clone(), &host)?,
            clock: clock(&driver)?,
            driver,
            info,
            features,
            limits,
            host,
            scopes: Scopes::default(),
            sending: Mutex::new(Sending::new()),
            lost: AtomicBool::new(false),
            loss: Mutex::default(),
        }))
    }

    /// Whether the device is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Takes note that the device is lost. [`Shared::settle`] tells it.
    pub fn lose(&self, reason: DeviceLostReason, text: String) {
        self.loss().reason.get_or_insert((reason, text));
        self.lost.store(true, Ordering::Release);
    }

    /// Who is told when the device is lost.
    pub fn when_lost(&self, callback: BoxDeviceLostCallback) {
        // Whoever was told before may have the device, and is let go of with no lock held.
        let before = self.loss().callback.replace(callback);
        drop(before);
        self.settle();
    }

    /// Tells nobody when the device is lost.
    pub fn forget_callback(&self) {
        let callback = self.loss().callback.take();
        drop(callback);
    }

    /// Tells of an error of the driver. Not to be called with a lock held.
    pub fn fail(&self, what: &str, error: &Error) {
        let description = format!("{what}: {error}");
        match error.kind {
            Kind::OutOfMemory => self.scopes.report(wgpu::Error::OutOfMemory {
                source: description.into(),
            }),
            Kind::Refused => self.scopes.report(wgpu::Error::Internal {
                source: Box::new(error.clone()),
                description,
            }),
            Kind::Lost | Kind::Ended => {
                self.lose(DeviceLostReason::Unknown, error.to_string());
                self.settle();
            }
        }
    }

    /// Tells that something is not as it has to be. Not to be called with a lock held.
    pub fn invalid(&self, text: impl Into<String>) {
        self.scopes.report(validation(text));
    }

    /// Lets go of what the device is done with, and tells everybody who waits for that. Not to be called with a lock held. Gives the last
    /// submission that has ended.
    pub fn settle(&self) -> u64 {
        let ended = self.progress.ended();
        if let Err(error) = &ended {
            match error.kind {
                // A question that was refused is asked again.
                Kind::OutOfMemory | Kind::Refused => tracing::debug!("{error}"),
                Kind::Lost | Kind::Ended => self.lose(DeviceLostReason::Unknown, error.to_string()),
            }
        }
        let lost = self.is_lost();
        let ended = match lost {
            true => u64::MAX,
            false => ended.unwrap_or_default(),
        };
        self.progress.ready(ended).tell(lost);
        if lost {
            let mut loss = self.loss();
            let told = loss.reason.clone().zip(loss.callback.take());
            drop(loss);
            if let Some(((reason, text), callback)) = told {
                callback(reason, text);
            }
        }
        ended
    }

    /// Asks how far the device is.
    pub fn poll(&self) -> PollStatus {
        let submitted = self.progress.submitted();
        match self.settle() >= submitted {
            true => PollStatus::QueueEmpty,
            false => PollStatus::Poll,
        }
    }

    /// Waits for a submission, or the last one.
    ///
    /// # Errors
    ///
    /// When the time is over, or there is no such submission.
    pub fn wait(
        &self,
        submission: Option<u64>,
        timeout: Option<Duration>,
    ) -> std::result::Result<PollStatus, PollError> {
        let submitted = self.progress.submitted();
        let wanted = submission.unwrap_or(submitted);
        if wanted > submitted {
            return Err(PollError::WrongSubmissionIndex(wanted, submitted));
        }
        let begin = Instant::now();
        loop {
            // What has ended meanwhile is told, whatever this waits for.
            let ended = self.settle();
            if ended >= wanted {
                return Ok(match ended >= self.progress.submitted() {
                    true => PollStatus::QueueEmpty,
                    false => PollStatus::WaitSucceeded,
                });
            }
            let waited = begin.elapsed();
            let left = timeout.map_or(Duration::MAX, |timeout| timeout.saturating_sub(waited));
            if left.is_zero() {
                return Err(PollError::Timeout);
            }
            if waited < SPIN {
                std::hint::spin_loop();
            } else {
                std::thread::sleep((waited / 16).clamp(NAPS[0], NAPS[1]).min(left));
            }
        }
    }

    /// Waits for what is under way, which has memory that is about to be given back, and lets nothing more be done.
    pub fn end(&self, text: &str) {
        if !self.is_lost()
            && let Ok(_entered) = self.driver.enter()
        {
            // What was written and not followed by a submission is waited for with this one.
            self.sending().submit(self, Vec::new());
        }
        // A kernel that never ends is left to itself.
        if self.wait(None, Some(PATIENCE)).is_err() {
            tracing::warn!("{text}, and a kernel is still running after {PATIENCE:?}");
        }
        self.lose(DeviceLostReason::Destroyed, text.to_string());
        self.settle();
    }

    /// The lock of what goes to the stream.
    pub fn sending(&self) -> MutexGuard<'_, Sending> {
        self.sending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn loss(&self) -> MutexGuard<'_, Loss> {
        self.loss.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Debug for Loss {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loss")
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}
