//! What a ring kernel tells of itself.

use std::time::{Duration, Instant};

use gpuvm_engine::Engine;
use hdrhistogram::Histogram;

use super::full::Full;
use super::queue::Queue;
use crate::counted::counted;
use crate::error::Life;

/// How a ring kernel stands.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Status {
    /// Its id.
    pub kernel: String,
    /// Its state.
    pub life: Life,
    /// Why it has failed, if it has.
    pub reason: Option<String>,
    /// How many actors it has.
    pub actors: u32,
    /// How many of them have stopped because they trapped.
    pub stopped_actors: u32,
    /// What runs them.
    pub engine: Engine,
    /// Messages that wait or are being handled, of [`capacity`](Status::capacity).
    pub queued: usize,
    /// Answers that wait to be received; when there are [`capacity`](Status::capacity) of them, actors rest.
    pub unreceived: usize,
    /// See [`RingOptions::queue_capacity`](super::RingOptions::queue_capacity).
    pub capacity: usize,
    /// What keeps it from taking messages, or actors from handling them, if something is full.
    pub full: Option<Full>,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Status {
            kernel,
            life,
            engine,
            queued,
            unreceived,
            capacity,
            ..
        } = self;
        write!(f, "ring kernel `{kernel}` is {life} on the {engine} engine")?;
        if let Some(reason) = &self.reason {
            write!(f, " ({reason})")?;
        }
        write!(f, ", {}", counted(self.actors as usize, "actor"))?;
        if self.stopped_actors > 0 {
            write!(f, " ({} stopped)", self.stopped_actors)?;
        }
        write!(
            f,
            ", {queued} of {capacity} messages queued, {} unreceived",
            counted(*unreceived, "answer")
        )?;
        match &self.full {
            Some(full) => write!(f, "; {full}"),
            None => Ok(()),
        }
    }
}

/// What a ring kernel has done so far.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Metrics {
    /// Messages that were accepted.
    pub accepted: u64,
    /// Messages that actors have handled to their end.
    pub processed: u64,
    /// Messages and answers that became dead letters.
    pub dropped: u64,
    /// Messages that actors are handling.
    pub in_flight: u64,
    /// Messages that wait to be handled.
    pub queued: u64,
    /// The most messages that have waited at a time.
    pub most_queued: u64,
    /// How many of those that wait actors have sent, of [`RingOptions::sent_capacity`](super::RingOptions::sent_capacity).
    pub sent: u64,
    /// The most that have waited at a time which actors have sent. What they have on a device in [`rounds`](Metrics::rounds) does not count.
    pub most_sent: u64,
    /// Answers that wait to be received.
    pub unreceived: u64,
    /// Times that messages were taken from the queue: all that waited, or on a device as many as make a batch.
    pub batches: u64,
    /// Rounds in which actors handled what they had sent each other, or a linked kernel's had forwarded, without it leaving the device.
    pub rounds: u64,
    /// Messages of a linked kernel's actors that came to these without leaving the device.
    pub from_linked: u64,
    /// Devices that have failed while actors were on several. Others have taken theirs, as they were: nobody sees that anything was handled twice, and nothing was lost.
    pub devices_lost: u64,
    /// How long it took from the acceptance of a message until its answer could be received; `None` if nothing was handled, or without
    /// telemetry.
    pub latency: Option<Latency>,
    /// Messages processed a second, over the time since the kernel was first activated.
    pub messages_per_second: f64,
}

/// How long messages took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Latency {
    /// The shortest time.
    pub min: Duration,
    /// The mean.
    pub mean: Duration,
    /// Half of the messages took at most this long.
    pub p50: Duration,
    /// 99 of 100 messages took at most this long.
    pub p99: Duration,
    /// The longest time.
    pub max: Duration,
}

impl std::fmt::Display for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Metrics {
            processed,
            dropped,
            in_flight,
            queued,
            most_queued,
            devices_lost,
            messages_per_second: rate,
            ..
        } = self;
        write!(
            f,
            "{processed} messages processed, {dropped} dropped, {in_flight} in flight, "
        )?;
        write!(f, "{queued} queued (at most {most_queued}), {rate:.0} messages/s")?;
        if *devices_lost > 0 {
            write!(f, ", {} lost", counted(*devices_lost as usize, "device"))?;
        }
        match &self.latency {
            Some(latency) => write!(f, ", {latency}"),
            None => Ok(()),
        }
    }
}

impl std::fmt::Display for Latency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Latency {
            min,
            mean,
            p50,
            p99,
            max,
        } = self;
        write!(
            f,
            "latency {min:.1?} to {max:.1?}, mean {mean:.1?}, p50 {p50:.1?}, p99 {p99:.1?}"
        )
    }
}

/// The counts that metrics are made of.
pub(super) struct Counts {
    pub accepted: u64,
    pub processed: u64,
    pub dropped: u64,
    pub most_queued: u64,
    pub most_sent: u64,
    pub batches: u64,
    pub rounds: u64,
    pub from_linked: u64,
    pub devices_lost: u64,
    /// When the kernel was first activated.
    pub begin: Option<Instant>,
    /// Nanoseconds, to two digits; `None` without telemetry.
    latencies: Option<Histogram<u64>>,
}

/// The longest latency that is told from longer ones: an hour, in nanoseconds.
const LONGEST: u64 = 3_600_000_000_000;
/// Digits of a latency that are kept.
const DIGITS: u8 = 2;

impl Counts {
    /// Counts from 0.
    pub fn new(telemetry: bool) -> Counts {
        // These bounds are possible ones.
        let latencies = telemetry.then(|| Histogram::new_with_max(LONGEST, DIGITS).ok());
        Counts {
            accepted: 0,
            processed: 0,
            dropped: 0,
            most_queued: 0,
            most_sent: 0,
            batches: 0,
            rounds: 0,
            from_linked: 0,
            devices_lost: 0,
            begin: None,
            latencies: latencies.flatten(),
        }
    }

    /// Whether times are of use.
    pub fn has_telemetry(&self) -> bool {
        self.latencies.is_some()
    }

    /// Takes down that so many messages took so long.
    pub fn took(&mut self, messages: u64, time: Duration) {
        if let Some(latencies) = &mut self.latencies {
            let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            // There is room for as many as a `u64` counts.
            latencies.saturating_record_n(nanos.max(1), messages);
        }
    }

    /// The metrics, given how many messages are in flight, those that wait, and how many answers are not received.
    pub fn metrics(&self, in_flight: usize, waiting: &Queue, unreceived: usize) -> Metrics {
        let seconds = self.begin.map_or(0.0, |begin| begin.elapsed().as_secs_f64());
        let latency = self
            .latencies
            .as_ref()
            .filter(|all| !all.is_empty())
            .map(|all| Latency {
                min: Duration::from_nanos(all.min()),
                mean: Duration::from_nanos(all.mean() as u64),
                p50: Duration::from_nanos(all.value_at_quantile(0.5)),
                p99: Duration::from_nanos(all.value_at_quantile(0.99)),
                max: Duration::from_nanos(all.max()),
            });
        Metrics {
            accepted: self.accepted,
            processed: self.processed,
            dropped: self.dropped,
            in_flight: in_flight as u64,
            queued: waiting.len() as u64,
            most_queued: self.most_queued,
            sent: waiting.sent_len() as u64,
            most_sent: self.most_sent,
            unreceived: unreceived as u64,
            batches: self.batches,
            rounds: self.rounds,
            from_linked: self.from_linked,
            devices_lost: self.devices_lost,
            latency,
            messages_per_second: if seconds > 0.0 {
                self.processed as f64 / seconds
            } else {
                0.0
            },
        }
    }
}
