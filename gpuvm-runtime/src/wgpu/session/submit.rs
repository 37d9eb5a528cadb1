//! One submission: what is recorded, and what comes back of it.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::super::clock::{self, Clock};
use super::super::memory::{Readback, WORD};
use super::super::source::signal;
use super::super::stepper::{Batch, Need, Recorded};
use super::Session;
use super::buffers::{UNIFORM_STRIDE, write};
use crate::error::{Error, Result};

/// What to submit.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Dispatches.
    pub dispatches: u32,
    /// Instructions of a VM in each.
    pub cycles: u32,
    /// Iterations inside of instructions in each.
    pub inner_cycles: u32,
    /// Whether VMs that yielded go on.
    pub resume: bool,
    /// Whether VMs may stop at breakpoints.
    pub breaks: bool,
}

/// A submission under way.
#[derive(Debug)]
pub struct Ticket {
    readback: Readback,
    submission: wgpu::SubmissionIndex,
    clock: Option<Clock>,
    began: Instant,
    /// Whether the results are in the readback too.
    has_results: bool,
    /// Instructions of each VM.
    pub cycles: u64,
    recorded: Recorded,
}

/// What a submission has brought.
#[derive(Debug)]
pub struct Report {
    /// The words of the signal.
    pub signal: [u32; signal::WORDS],
    /// How long it took from its submission on.
    pub waited: Duration,
    /// How long the device was at it, if it has a clock.
    pub device_time: Option<Duration>,
    /// What was recorded.
    pub recorded: Recorded,
}

/// Where the readback has the clock's words, and after them the results.
const CLOCK_AT: u64 = signal::WORDS.next_multiple_of(4) as u64;
const RESULTS_AT: u64 = CLOCK_AT + clock::WORDS as u64;
/// Results of at most so many words come along with every submission.
const FEW_WORDS: u64 = 1 << 16;
/// The same where a submission is surely the last.
const MANY_WORDS: u64 = 1 << 20;

impl Session {
    /// Makes sure that the stepper that the plan wants is bound.
    pub(super) fn prepare(&mut self, breakpoints: &[u32], exact: bool) -> Result<()> {
        let need = Need {
            breakpoints,
            exact,
            fresh: self.fresh,
        };
        let wanted = self.plan.stepper(&need)?;
        let same = self
            .bound
            .as_ref()
            .is_some_and(|(bound, _)| std::ptr::addr_eq(&**bound, &*wanted));
        if !same {
            let fields = wanted.launch_fields().len();
            let (gpu, buffers) = (&self.gpu, &self.buffers);
            let bound = gpu.guarded(|_| wanted.bind(gpu, &buffers.shared(fields)))?;
            self.tally.engine = wanted.engine();
            self.bound = Some((wanted, bound));
        }
        Ok(())
    }

    /// Submits work on the bound stepper.
    pub(super) fn submit(&mut self, order: &Order) -> Result<Ticket> {
        let (stepper, _) = self.bound.as_ref().ok_or_else(unbound)?;
        self.counted &= stepper.counts_instructions();
        let ends = self.fresh && stepper.ends_at_once();
        let result_words = self.result_words();
        let has_results = result_words <= if ends { MANY_WORDS } else { FEW_WORDS };
        let first = self.uniform(stepper.launch_fields(), order, true)?;
        let then = self.uniform(stepper.launch_fields(), order, false)?;

        let words = RESULTS_AT + if has_results { result_words } else { 0 };
        let gpu = self.gpu.clone();
        let (readback, clock) = gpu.allocating(|_| (Readback::new(&gpu, words), Clock::take(&gpu)))?;
        let began = Instant::now();
        let (recorded, submission) = gpu.guarded(|device| {
            let mut uniforms = first;
            uniforms.resize((UNIFORM_STRIDE as u64 / WORD) as usize, 0);
            uniforms.extend(then);
            write(&gpu, &self.buffers.inputs, 0, &uniforms);
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            if self.untouched {
                encoder.clear_buffer(&self.buffers.signal, 0, None);
            } else if order.breaks || self.seen[signal::AT_BREAK] != 0 {
                encoder.clear_buffer(&self.buffers.signal, signal::AT_BREAK as u64 * WORD, Some(WORD));
            }
            if self.fresh && self.frame_words() > 0 {
                encoder.clear_buffer(&self.buffers.frames, 0, None);
            }
            let batch = Batch {
                dispatches: order.dispatches,
                cycles: order.cycles,
                fresh: self.fresh,
                first: 0,
                then: UNIFORM_STRIDE,
            };
            let mut recorded = Recorded::default();
            if let Some((_, bound)) = &mut self.bound {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: None,
                    timestamp_writes: clock.as_ref().and_then(|clock| clock.around(true, true)),
                });
                recorded = bound.record(&mut pass, &batch);
            }
            readback.record(&mut encoder, &self.buffers.signal, Some(0..signal::WORDS), 0);
            if let Some(clock) = &clock {
                let readings = clock.resolve(&mut encoder);
                readback.record(&mut encoder, readings, Some(0..clock::WORDS), CLOCK_AT);
            }
            if has_results {
                self.record_results(&readback, &mut encoder, RESULTS_AT);
            }
            let submission = gpu.queue.submit([encoder.finish()]);
            readback.ask();
            (recorded, submission)
        })?;
        self.results = None;
        self.untouched = false;
        self.fresh = false;
        Ok(Ticket {
            readback,
            submission,
            clock,
            began,
            has_results,
            cycles: u64::from(order.dispatches) * u64::from(order.cycles),
            recorded,
        })
    }

    /// Waits for a submission.
    pub(super) fn wait(&self, ticket: &Ticket) -> Result<Report> {
        ticket.readback.wait(&self.gpu, &ticket.submission)?;
        let waited = ticket.began.elapsed();
        ticket.readback.view(|words| {
            let clock = &words[CLOCK_AT as usize..RESULTS_AT as usize];
            let mut signal = [0; signal::WORDS];
            signal.copy_from_slice(&words[..signal::WORDS]);
            Report {
                signal,
                waited,
                device_time: ticket.clock.as_ref().map(|own| own.between(clock)),
                recorded: ticket.recorded,
            }
        })
    }

    /// Copies the changed words of the arena one after the other, and then the atomics.
    pub(super) fn record_results(&self, readback: &Readback, encoder: &mut wgpu::CommandEncoder, at: u64) {
        let changed = self.job.changed.iter().cloned();
        let at = readback.record(encoder, &self.buffers.arena, changed, at);
        let atomics: Range<usize> = 0..self.buffers.atomic_words as usize;
        readback.record(encoder, &self.buffers.atomics, Some(atomics), at);
    }

    /// How many words the results have.
    pub(super) fn result_words(&self) -> u64 {
        let changed: usize = self.job.changed.iter().map(ExactSizeIterator::len).sum();
        changed as u64 + self.buffers.atomic_words
    }

    /// Instructions of the program.
    pub(super) fn code_len(&self) -> u32 {
        self.job.program.code.len().try_into().unwrap_or(u32::MAX)
    }

    /// The words of the uniform for the first dispatch of a submission or one of the others, in the order in which the shader has
    /// its fields.
    fn uniform(&self, fields: &[String], order: &Order, first: bool) -> Result<Vec<u32>> {
        let program = &self.job.program;
        let word = |field: &String| {
            Ok(match field.as_str() {
                "vms" => self.job.vms,
                "first_vm" => self.job.first_vm,
                "vm_count" => self.job.vm_count,
                "cycles" => order.cycles,
                "inner_cycles" => order.inner_cycles,
                "resume" => (order.resume && first).into(),
                "fresh" => (self.fresh && first).into(),
                "depth_limit" => program.depth_limit,
                "frame_words" => program.frame_memory(),
                "call_frames" => program.call_depth,
                "arena_start" => 0,
                "arena_words" => self.buffers.arena_words as u32,
                "atomic_words" => self.buffers.atomic_words as u32,
                _ => {
                    let reason = format!("the shader's launch has a field `{field}` that nobody fills");
                    return Err(Error::Device { reason });
                }
            })
        };
        fields.iter().map(word).collect()
    }
}

/// The error that nobody should see: no stepper was bound before a submission.
pub fn unbound() -> Error {
    Error::Device {
        reason: "no kernel is bound".to_string(),
    }
}

impl Ticket {
    /// When it was submitted.
    pub fn began(&self) -> Instant {
        self.began
    }

    /// Whether the results came along.
    pub fn has_results(&self) -> bool {
        self.has_results
    }

    /// Looks at the results.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn results<T>(&self, use_words: impl FnOnce(&[u32]) -> T) -> Result<T> {
        self.readback.view(|words| use_words(&words[RESULTS_AT as usize..]))
    }
}
