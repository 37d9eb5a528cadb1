//! The interpreter engine: one invocation a VM fetches, decodes and executes. A launch is as many dispatches as it takes, each with a
//! budget of cycles, because drivers end what runs too long.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use gpuvm_core::interp::{MEMORY_SITE, STACK_SITE, Vm, header};
use gpuvm_core::isa::{CALL_FRAME_WORDS, Op, unpair};
use gpuvm_core::program::{Program, Status, TrapRecord};

use super::gpu::Gpu;
use super::kernel::Kernel;
use super::memory::{Readback, WORD, bind, filled, uniform, zeros};
use super::pace::Pace;
use super::pack::pack;
use super::source::{Entry, Uses, WORKGROUP, fault, row, signal};
use crate::engine::{Demand, Engine, Execute, Finished, Image, Job, Limit, Memory, Running, Tally};
use crate::error::{Error, Result};

/// The interpreter on one device.
#[derive(Debug)]
pub struct Interpreter {
    gpu: Arc<Gpu>,
    /// One interpreter for each combination of parts that programs have used so far.
    kernels: Mutex<HashMap<Uses, Arc<Kernel>>>,
    /// What was loaded of each program, by its address.
    loaded: Mutex<HashMap<usize, Arc<Loaded>>>,
}

/// A program on the device.
#[derive(Debug)]
struct Loaded {
    /// Where it came from. As long as this pointer lives, the address is no other program's.
    program: Weak<Program>,
    kernel: Arc<Kernel>,
    code: wgpu::Buffer,
    matrices: wgpu::Buffer,
}

/// The buffers and numbers of one job.
struct Run {
    gpu: Arc<Gpu>,
    kernel: Arc<Kernel>,
    job: Job,
    tally: Tally,
    group: wgpu::BindGroup,
    launch: wgpu::Buffer,
    arena: wgpu::Buffer,
    atomics: wgpu::Buffer,
    states: wgpu::Buffer,
    signal: wgpu::Buffer,
    groups: [u32; 2],
}

impl Interpreter {
    /// The interpreter for a device. Shaders are compiled when a program needs them.
    pub fn new(gpu: Arc<Gpu>) -> Interpreter {
        Interpreter {
            gpu,
            kernels: Mutex::default(),
            loaded: Mutex::default(),
        }
    }

    /// The interpreter that has the given parts.
    fn kernel(&self, uses: Uses) -> Result<Arc<Kernel>> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kernels.get(&uses) {
            return Ok(known.clone());
        }
        let kernel = Arc::new(self.gpu.kernel(Entry::Interpreter(uses))?);
        kernels.insert(uses, kernel.clone());
        Ok(kernel)
    }

    /// The program on the device, uploaded when it is first seen.
    fn load(&self, program: &Arc<Program>) -> Result<Arc<Loaded>> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let key = Arc::as_ptr(program) as usize;
        if let Some(known) = loaded.get(&key) {
            return Ok(known.clone());
        }
        let packed = pack(program).map_err(|what| Error::Device {
            reason: format!("program `{}` cannot be loaded: {what}", program.name),
        })?;
        let kernel = self.kernel(Uses::of(program))?;
        let fresh = Arc::new(self.gpu.guarded(|_| Loaded {
            program: Arc::downgrade(program),
            kernel,
            code: filled(&self.gpu, "code", &packed.code),
            matrices: filled(&self.gpu, "matrices", &packed.matrices),
        })?);
        loaded.retain(|_, known| known.program.strong_count() > 0);
        loaded.insert(key, fresh.clone());
        Ok(fresh)
    }

    fn prepare(&self, job: Job) -> Result<Run> {
        let gpu = &*self.gpu;
        let program = self.load(&job.program)?;
        let vms = u64::from(job.vms);
        let most = gpu.limits.max_compute_workgroups_per_dimension;
        let kernel = program.kernel.clone();
        let groups = job.vms.div_ceil(kernel.workgroup);
        let columns = groups.min(most).max(1);
        gpu.guarded(|device| {
            let launch = uniform(device, "launch", kernel.uniform.len());
            let params = filled(gpu, "params", &slot_words(&job));
            let arena = filled(gpu, "arena", &job.arena);
            let atomics = filled(gpu, "atomics", &job.atomics);
            let states = zeros(device, "states", row::COUNT as u64 * vms);
            let frames = zeros(device, "frames", u64::from(job.program.frame_memory()) * vms);
            let signal = zeros(device, "signal", signal::WORDS as u64);
            let group = bind(
                device,
                &kernel,
                &[
                    &launch,
                    &program.code,
                    &program.matrices,
                    &params,
                    &arena,
                    &atomics,
                    &states,
                    &frames,
                    &signal,
                ],
            );
            let groups = [columns, groups.div_ceil(columns)];
            Run {
                gpu: self.gpu.clone(),
                kernel,
                tally: Tally {
                    running: job.vms,
                    engine: Engine::Interpreter,
                    ..Tally::default()
                },
                job,
                group,
                launch,
                arena,
                atomics,
                states,
                signal,
                groups,
            }
        })
    }
}

impl Execute for Interpreter {
    fn capacity(&self, program: &Program, demand: &Demand) -> u32 {
        let limits = &self.gpu.limits;
        let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        // Offsets are words of 32 bits; a little is left for rounding buffers up.
        let words = (bytes / WORD).min(u32::MAX.into()).saturating_sub(4);
        if demand.atomic_words > words {
            return 0;
        }
        let per_vm = (row::COUNT as u64).max(program.frame_memory().into());
        let groups = u64::from(limits.max_compute_workgroups_per_dimension).pow(2);
        let most = (words / per_vm).min(groups * u64::from(WORKGROUP));
        demand.vms_within(words).min(u32::try_from(most).unwrap_or(u32::MAX))
    }

    fn start(&self, job: Job) -> Result<Box<dyn Running>> {
        Ok(Box::new(self.prepare(job)?))
    }
}

impl Running for Run {
    fn advance(&mut self, _limit: &Limit, _watch: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        let begin = Instant::now();
        let counts = self.to_end(Pace::start(self.gpu.software))?;
        let retired = std::array::from_fn(|class| {
            let at = signal::RETIRED + class;
            u64::from(counts[at]) | u64::from(counts[at + 4]) << 32
        });
        let trapped = counts[signal::TRAPPED];
        self.tally = Tally {
            halted: self.job.vms - trapped,
            trapped,
            retired: Some(retired),
            device_time: Some(begin.elapsed()),
            engine: Engine::Interpreter,
            ..Tally::default()
        };
        Ok(self.tally.clone())
    }

    fn image(&mut self) -> Result<Image> {
        Ok(Image::default())
    }

    fn restore(&mut self, _image: &Image) -> Result<()> {
        Ok(())
    }

    fn vm(&mut self, _index: u32) -> Result<Vm> {
        Ok(Vm::new(&self.job.program, 0))
    }

    fn memory(&mut self) -> Result<Memory> {
        Ok(Memory::default())
    }

    fn finish(self: Box<Self>) -> Result<Finished> {
        let (words, atomics) = self.results()?;
        let first_trap = if self.tally.trapped > 0 {
            self.first_trap()?
        } else {
            None
        };
        let mut arena = self.job.arena.clone();
        let mut rest = &words[..];
        for range in self.job.changed.clone() {
            let (words, after) = rest.split_at(range.len());
            arena[range].copy_from_slice(words);
            rest = after;
        }
        Ok(Finished {
            memory: Memory { arena, atomics },
            first_trap,
        })
    }
}

impl Run {
    /// Dispatches until no VM has anything left to do, and gives the last signal.
    fn to_end(&self, mut pace: Pace) -> Result<Vec<u32>> {
        let mut resume = false;
        loop {
            let begin = Instant::now();
            let counts = self.submit(pace, resume)?;
            if counts[signal::STOPPED] == self.job.vms {
                // VMs that yielded wait for each other, and go on when all the others have stopped as well.
                resume = counts[signal::YIELDED] > 0;
                if !resume {
                    return Ok(counts);
                }
            } else {
                resume = false;
            }
            pace.adapt(begin.elapsed(), self.gpu.software);
        }
    }

    /// Runs some dispatches, and gives the signal after them.
    fn submit(&self, pace: Pace, resume: bool) -> Result<Vec<u32>> {
        let fields = self.uniform(pace, resume)?;
        self.gpu
            .queue
            .write_buffer(&self.launch, 0, bytemuck::cast_slice(&fields));
        // A VM that yields a second time must wait for the others, so a dispatch that resumes stands alone.
        let dispatches = if resume { 1 } else { pace.dispatches };
        let readback = self.gpu.guarded(|device| {
            let readback = Readback::new(device, signal::WORDS as u64);
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(&self.kernel.pipeline);
                pass.set_bind_group(0, &self.group, &[]);
                for _ in 0..dispatches {
                    pass.dispatch_workgroups(self.groups[0], self.groups[1], 1);
                }
            }
            readback.record(&mut encoder, &self.signal, Some(0..signal::WORDS), 0);
            self.gpu.queue.submit([encoder.finish()]);
            readback
        })?;
        readback.read(&self.gpu, <[u32]>::to_vec)
    }

    /// The words of the uniform, in the order in which the shader has its fields.
    fn uniform(&self, pace: Pace, resume: bool) -> Result<Vec<u32>> {
        let program = &self.job.program;
        let word = |field: &String| {
            Ok(match field.as_str() {
                "vms" => self.job.vms,
                "first_vm" => self.job.first_vm,
                "vm_count" => self.job.vm_count,
                "cycles" => pace.cycles,
                "inner_cycles" => pace.inner_cycles,
                "resume" => resume.into(),
                "depth_limit" => program.depth_limit,
                "frame_words" => program.frame_memory(),
                "call_frames" => program.call_depth,
                "arena_words" => self.job.arena.len() as u32,
                "atomic_words" => self.job.atomics.len() as u32,
                _ => {
                    let reason = format!("the shader's launch has a field `{field}` that nobody fills");
                    return Err(Error::Device { reason });
                }
            })
        };
        self.kernel.uniform.iter().map(word).collect()
    }

    /// The changed words of the arena one after the other, and the atomics.
    fn results(&self) -> Result<(Vec<u32>, Vec<u32>)> {
        let changed: usize = self.job.changed.iter().map(ExactSizeIterator::len).sum();
        let atomics = self.job.atomics.len();
        let readback = self.copy((changed + atomics) as u64, |readback, encoder| {
            readback.record(encoder, &self.arena, self.job.changed.iter().cloned(), 0);
            readback.record(encoder, &self.atomics, Some(0..atomics), changed as u64);
        })?;
        readback.read(&self.gpu, |words| {
            let (changed, atomics) = words.split_at(changed);
            (changed.to_vec(), atomics.to_vec())
        })
    }

    /// What the trapped VM with the lowest number recorded.
    fn first_trap(&self) -> Result<Option<TrapRecord>> {
        let vms = self.job.vms as usize;
        let of_row = |row: usize| row * vms..(row + 1) * vms;
        let status = header::STATUS;
        let readback = self.copy(vms as u64, |readback, encoder| {
            readback.record(encoder, &self.states, Some(of_row(status)), 0)
        })?;
        let trapped = |words: &[u32]| words.iter().position(|&word| word == Status::Trapped as u32);
        let Some(vm) = readback.read(&self.gpu, trapped)? else {
            return Ok(None);
        };
        let cells = (0..row::COUNT).map(|row| row * vms + vm..row * vms + vm + 1);
        let readback = self.copy(row::COUNT as u64, |readback, encoder| {
            readback.record(encoder, &self.states, cells, 0);
        })?;
        readback.read(&self.gpu, |state| {
            let (site, words) = trap_of(&self.job.program, state);
            Some(TrapRecord {
                vm: self.job.first_vm.wrapping_add(vm as u32),
                site,
                words,
            })
        })
    }

    /// Submits copies to the host.
    fn copy(&self, words: u64, record: impl FnOnce(&Readback, &mut wgpu::CommandEncoder)) -> Result<Readback> {
        self.gpu.guarded(|device| {
            let readback = Readback::new(device, words);
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            record(&readback, &mut encoder);
            self.gpu.queue.submit([encoder.finish()]);
            readback
        })
    }
}

/// Site and recorded words of a VM that trapped, from all rows of its state: its instruction names them.
pub(super) fn trap_of(program: &Program, state: &[u32]) -> (u32, [u32; 4]) {
    let ip = state[header::IP];
    match state[row::FAULT] {
        fault::NONE => {}
        fault::MEMORY => return (MEMORY_SITE, [ip, state[row::FAULT_OFFSET], 0, 0]),
        _ => return (STACK_SITE, [ip, 0, 0, 0]),
    }
    let Some(instruction) = program.code.get(ip as usize) else {
        return (MEMORY_SITE, [ip, ip, 0, 0]);
    };
    let [site, a, b, c] = instruction.operands;
    let word = |number: u32| {
        state[header::WORD_0..row::FRAME_BASE]
            .get(number as usize)
            .copied()
            .unwrap_or(0)
    };
    let ((first, second), (third, fourth)) = (unpair(a), unpair(b));
    match Op::from_code(instruction.opcode) {
        Some(Op::Trap) => (site, [first, second, third, fourth].map(word)),
        Some(Op::TrapIf) => (site, [word(b), word(c), 0, 0]),
        _ => (site, [0; 4]),
    }
}

/// The parameter slots as words.
pub(super) fn slot_words(job: &Job) -> Vec<u32> {
    job.slots
        .iter()
        .flat_map(|slot| {
            [
                slot.place.base,
                slot.place.stride,
                slot.place.length,
                slot.place.reserved,
            ]
        })
        .collect()
}

const _: () = assert!(
    CALL_FRAME_WORDS >= 2,
    "a call frame holds the return address and the caller's frame base"
);
