//! One submission: what is recorded, and what comes back of it.

use std::time::{Duration, Instant};

use gpuvm_engine::{Result, Words};
use gpuvm_shaders::layout::{signal, step};

use super::super::clock::{self, Clock};
use super::super::gpu::Gpu;
use super::super::memory::{Readback, WORD, bind_parts, words_of};
use super::super::source::EntryPoint;
use super::super::stepper::{Batch, Recorded};
use super::arena::Held;
use super::buffers::{ATOMICS_AT, LAUNCHES, UNIFORM_STRIDE, write};
use super::launch::{Launch, fields};
use super::{Session, groups};

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
    /// Steps in a row, each with that many dispatches; more than 1 only where steps surely end.
    pub steps: u32,
    /// Whether the device's clock is not to be read.
    pub untimed: bool,
}

/// A submission under way.
#[derive(Debug)]
pub struct Ticket {
    readback: Readback,
    submission: wgpu::SubmissionIndex,
    clock: Option<Clock>,
    /// When it was submitted.
    pub began: Instant,
    /// How long it should take.
    expected: Option<Duration>,
    /// Whether the results are in the readback too.
    pub has_results: bool,
    /// Where it has the clock's words.
    clock_at: usize,
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

/// Results of at most so many words come along with every submission.
const FEW_WORDS: u64 = 1 << 16;
/// The same where a submission is likely to be the last.
const MANY_WORDS: u64 = 1 << 23;
/// Instructions of all VMs together that are sooner run than the device's clock is read.
const SMALL: u64 = 1 << 22;

impl Session {
    /// Submits work on the current stepper.
    pub(super) fn submit(&mut self, order: &Order) -> Result<Ticket> {
        let gpu = self.gpu.clone();
        let stepper = self.stepper.clone();
        self.counted &= stepper.counts_instructions();
        let last_step = self.tally.steps + order.steps == self.job.steps;
        let ends = last_step && self.fresh && stepper.ends_at_once();
        let cycles = u64::from(order.steps) * u64::from(order.dispatches) * u64::from(order.cycles);
        let likely_ends = last_step && stepper.experience().is_enough(self.given + cycles);
        let expected = match &self.pace {
            _ if likely_ends && self.fresh => stepper.experience().time(),
            Some(pace) if !likely_ends => pace.time_of(cycles),
            _ => None,
        };
        let result_words = self.result_words();
        let has_results = match likely_ends {
            _ if ends => true,
            true => result_words <= MANY_WORDS,
            false => result_words <= FEW_WORDS,
        };
        // First the signal, or the cells with the results, then the clock.
        let clock_at = if has_results { result_words } else { ATOMICS_AT }.next_multiple_of(4);
        let small = ends && u64::from(self.job.vms) * self.job.program.code.len() as u64 <= SMALL;
        let uniforms = self.uniforms(stepper.launch_fields(), order)?;
        let staged = match self.staged {
            true => None,
            false => Some(self.buffers.stage(&gpu, &self.job, &uniforms, &self.seen)?),
        };
        let step_kernel = self.job_has_steps().then(|| gpu.helper(EntryPoint::Step)).transpose()?;
        let (readback, clock) = gpu.allocating(|_| {
            let clock = if small || order.untimed {
                None
            } else {
                Clock::take(&gpu)
            };
            (Readback::new(&gpu, clock_at + clock::WORDS as u64), clock)
        })?;

        let known = self.buffers.has(&uniforms);
        self.buffers.inputs.written.clear();
        // From here to the submission nobody exchanges the arena's buffer.
        let arena = self.buffers.arena.clone();
        let held = arena.hold();
        let (arena_buffer, arena_words) = held.buffer()?;
        self.bind(&held)?;
        let began = Instant::now();
        let (recorded, submission) = gpu.guarded(|device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            match &staged {
                Some(staged) => self
                    .buffers
                    .record_staged(staged, &mut encoder, arena_buffer, &self.job),
                None if !known => write(&gpu, &self.buffers.inputs, 0, &uniforms),
                None => {}
            }
            if order.breaks || self.seen[signal::AT_BREAK] != 0 {
                encoder.clear_buffer(&self.buffers.cells, signal::AT_BREAK as u64 * WORD, Some(WORD));
            }
            let step_group = step_kernel.as_ref().map(|kernel| {
                let parts = [
                    words_of(&self.buffers.inputs, kernel.uniform.len() as u64),
                    words_of(arena_buffer, arena_words),
                    words_of(&self.buffers.cells, signal::WORDS as u64),
                ];
                (kernel, bind_parts(device, &kernel.layouts[0], parts))
            });
            let mut recorded = Recorded::default();
            for number in 0..order.steps {
                let are_zero = number > 0 && self.stepper.spares_frames();
                if self.fresh && self.buffers.room.all_words() > 0 && !are_zero {
                    encoder.clear_buffer(&self.buffers.frames, 0, None);
                }
                // What VMs leave that halt is not all of their states, which somebody is going to see.
                if self.fresh && self.job.is_looked_at && !self.stepper.leaves_states() {
                    encoder.clear_buffer(self.buffers.states().0, 0, None);
                }
                let (first, last) = (number == 0, number + 1 == order.steps);
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: None,
                    timestamp_writes: clock.as_ref().and_then(|clock| clock.around(first, last)),
                });
                if let Some((kernel, group)) = &step_group
                    && self.fresh
                {
                    pass.set_pipeline(&kernel.pipeline);
                    let copies = self.job.copies.iter().map(|copy| copy.words);
                    let copies = copies.chain(self.job.copies.is_empty().then_some(0));
                    for (words, slot) in copies.zip(LAUNCHES..) {
                        let [x, y] = groups(&gpu, words.div_ceil(step::WORDS).into(), kernel.workgroup);
                        pass.set_bind_group(0, group, &[slot * UNIFORM_STRIDE]);
                        pass.dispatch_workgroups(x, y, 1);
                    }
                }
                if let Some(bound) = &mut self.bound {
                    let part = bound.kernels.record(
                        &mut pass,
                        &Batch {
                            dispatches: order.dispatches,
                            cycles: order.cycles,
                            fresh: self.fresh,
                            first: 0,
                            then: UNIFORM_STRIDE,
                        },
                    );
                    recorded.dispatches += part.dispatches;
                }
            }
            if has_results {
                self.record_results(&readback, &mut encoder, arena_buffer);
            } else {
                readback.record(&mut encoder, &self.buffers.cells, Some(0..signal::WORDS), 0);
            }
            if let Some(clock) = &clock {
                let readings = clock.resolve(&mut encoder);
                readback.record(&mut encoder, readings, Some(0..clock::WORDS), clock_at);
            }
            (recorded, gpu.queue.submit([encoder.finish()]))
        })?;
        self.buffers.note(&uniforms);
        self.staged = true;
        self.fresh = false;
        self.results = None;
        self.ordered += cycles;
        Ok(Ticket {
            readback,
            submission,
            clock,
            began,
            expected,
            has_results,
            clock_at: clock_at as usize,
            cycles,
            recorded,
        })
    }

    /// Brings what the job starts with to the device, if nothing has run.
    pub(super) fn stage_alone(&mut self) -> Result<()> {
        if !self.staged {
            let fresh = self.fresh;
            let ticket = self.submit(&Order {
                dispatches: 0,
                cycles: 0,
                inner_cycles: 0,
                resume: false,
                breaks: false,
                steps: 1,
                untimed: true,
            })?;
            self.wait(&ticket)?;
            self.fresh = fresh;
        }
        Ok(())
    }

    /// Binds the current stepper to the buffers, if it is not.
    fn bind(&mut self, held: &Held<'_>) -> Result<()> {
        let same = self.bound.as_ref().is_some_and(|bound| {
            std::ptr::addr_eq(&*bound.stepper, &*self.stepper) && bound.generation == held.generation()
        });
        if !same {
            let fields = self.stepper.launch_fields().len();
            let gpu = &*self.gpu;
            let shared = self.buffers.shared(gpu, &self.job, fields, held.buffer()?);
            self.bound = Some(super::Bindings {
                kernels: gpu.allocating(|_| self.stepper.bind(gpu, &shared, self.job.vms))?,
                stepper: self.stepper.clone(),
                generation: held.generation(),
            });
        }
        Ok(())
    }

    /// Waits for a submission.
    pub(super) fn wait(&self, ticket: &Ticket) -> Result<Report> {
        ticket.readback.wait(&self.gpu, &ticket.submission, ticket.expected)?;
        let waited = ticket.began.elapsed();
        ticket.readback.view(&self.gpu, |words| {
            let clock = &words[ticket.clock_at..];
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

    /// Whether a step begins with more than its first dispatch.
    fn job_has_steps(&self) -> bool {
        self.job.steps > 1 || !self.job.copies.is_empty()
    }

    /// The uniforms of a submission: for its first dispatch, for the others, and for each copy.
    fn uniforms(&self, names: &[String], order: &Order) -> Result<Vec<u32>> {
        let stride = (u64::from(UNIFORM_STRIDE) / WORD) as usize;
        let (fields, mut words) = (fields(names)?, Vec::new());
        self.launch(order, true).append(&fields, &mut words);
        words.resize(stride, 0);
        self.launch(order, false).append(&fields, &mut words);
        words.resize(2 * stride, 0);
        let arena = &self.buffers.arena;
        for copy in &self.job.copies {
            let end = words.len() + stride;
            words.extend([arena.start_of(&copy.from), arena.start_of(&copy.to), copy.words]);
            words.resize(end, 0);
        }
        words.resize(super::buffers::uniforms(&self.job) as usize * stride, 0);
        Ok(words)
    }

    /// The first dispatch of a submission, or one of the others.
    fn launch(&self, order: &Order, first: bool) -> Launch<'_> {
        Launch {
            job: &self.job,
            cycles: order.cycles,
            inner_cycles: order.inner_cycles,
            resume: order.resume && first,
            fresh: self.fresh && first,
            room: self.buffers.room,
            window: self.buffers.window,
            atomic_words: self.buffers.atomic_words as u32,
            first_slot: 0,
            turn: 0,
        }
    }
}

impl Ticket {
    /// The results, which have come along and have been waited for.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn into_results(self, gpu: &Gpu) -> Result<Words> {
        self.readback.into_words(gpu)
    }
}
