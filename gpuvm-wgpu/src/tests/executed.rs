//! Kernels as PTX, run by the reference executor that `gpuvm-ptx` is tested with: jobs end as by the reference interpreter. It needs no
//! device.

use gpuvm_ptx::{Grid, Kernel, Parameter, Part, Request, mailbox, translate};
use naga::Module;
use naga::valid::ModuleInfo;

#[path = "../../../gpuvm-ptx/tests/it/executor/mod.rs"]
#[allow(dead_code, reason = "no request comes while a kernel waits")]
mod executor;

use executor::{Given, Memory as Device};

use gpuvm_shaders::layout::{row, signal};

use super::{Batch, is_nan, reference};
use crate::floats::FloatOps;
use crate::frame_room::FrameRoom;
use crate::kernel::{parse, uniform_fields};
use crate::pack::pack;
use crate::parts::Uses;
use crate::probe::inputs;
use crate::session::launch::{Launch, fields};
use crate::source::EntryPoint;
use crate::stepper::BINDINGS;

/// Dispatches after which a job should have ended.
const MOST_DISPATCHES: u32 = 2000;

/// The kernels of an engine for one program.
pub(crate) struct Kernels {
    /// For VMs that have not started.
    pub fresh: Kernel,
    /// For those that have been stopped.
    pub resumed: Option<Kernel>,
    /// The names of the uniform's fields.
    pub fields: Vec<String>,
    /// The buffers behind the shared ones of group 0, and those of group 1.
    pub others: [Vec<Vec<u32>>; 2],
}

/// Translates what is exact.
pub(crate) fn exact(module: &Module, info: &ModuleInfo, checked: bool, grid: Grid) -> Kernel {
    let options = gpuvm_ptx::Options {
        checked,
        far: false,
        grid,
        ..gpuvm_ptx::Options::default()
    };
    translate(module, info, &options).unwrap()
}

/// The interpreter for a job's program.
pub(super) fn interpreter(job: &Batch) -> Kernels {
    let packed = pack(&job.program).unwrap();
    interpreter_of(job, packed.fused, packed.constants)
}

/// The interpreter for a job's program as VMs can stop after each of its instructions.
pub(super) fn exact_interpreter(job: &Batch) -> Kernels {
    let packed = pack(&job.program).unwrap();
    interpreter_of(job, packed.code, packed.constants)
}

fn interpreter_of(job: &Batch, code: Vec<u32>, constants: Vec<u32>) -> Kernels {
    let floats = FloatOps::of_features(wgpu::Features::all());
    let entry = EntryPoint::Interpreter(Uses::of(&job.program));
    let (module, info) = parse(&entry.source(floats)).unwrap();
    let kernel = exact(&module, &info, true, Grid::Launched);
    Kernels {
        fresh: kernel.clone(),
        resumed: Some(kernel),
        fields: uniform_fields(&module),
        others: [vec![code, constants], Vec::new()],
    }
}

/// The host's side of a kernel that stays: it is asked once, and to leave then.
struct Resident {
    mailbox: u64,
    uniform: u64,
    threads: u32,
    tickets: u32,
}

impl Resident {
    /// For how many readings of the clock a kernel waits, and how many it stays.
    const STAY: [u64; 2] = [3_000, 10_000];

    /// For a kernel that asks for it.
    fn of(kernel: &Kernel, device: &mut Device) -> Option<Resident> {
        let stays = |parameter: &Parameter| matches!(parameter, Parameter::Mailbox);
        kernel.parameters.iter().any(stays).then(|| {
            let threads = kernel.workgroup[0];
            let slots = mailbox::slots(threads);
            let mailbox = device.add(&vec![0; mailbox::payload(threads) / 4 + slots]);
            device.write(
                mailbox + mailbox::STAY as u64,
                &Resident::STAY.map(u64::to_le_bytes).concat(),
            );
            let uniform = device.add(&vec![0; slots]);
            Resident {
                mailbox,
                uniform,
                threads,
                tickets: 0,
            }
        })
    }

    /// Asks for the work of so many workgroups with this uniform.
    fn ask(&mut self, device: &mut Device, groups: u32, uniform: &[u32]) {
        let chunks = uniform.len().div_ceil(4);
        let part = Part {
            address: self.uniform,
            chunks: chunks as u32,
        };
        let request = Request {
            groups,
            put: [part, Part::default()],
            ..Request::default()
        };
        let mut words = request.words().to_vec();
        words.extend_from_slice(uniform);
        assert!(
            Request::WORDS + 4 * chunks <= mailbox::slots(self.threads),
            "it fits into slots"
        );
        words.resize(mailbox::slots(self.threads), 0);
        self.tickets += 1;
        let slots = words.iter().flat_map(|&word| [word, self.tickets]);
        let bytes: Vec<u8> = slots.flat_map(u32::to_le_bytes).collect();
        device.write(self.mailbox + mailbox::SLOTS as u64, &bytes);
        device.write(self.mailbox + mailbox::HURRY as u64, &1_u32.to_le_bytes());
        device.write(self.mailbox + mailbox::LEFT as u64, &[0; 4]);
    }

    /// The signal that came with the answer.
    fn signal(&self, device: &Device) -> Vec<u32> {
        let words = device.words(self.mailbox);
        let slots = words[mailbox::answers(self.threads) / 4..].as_chunks::<2>().0;
        slots[..signal::WORDS].iter().map(|slot| slot[0]).collect()
    }

    /// Checks that the kernel has answered the request and left.
    fn check_answered(&self, device: &Device) {
        let words = device.words(self.mailbox);
        let state = [mailbox::ANSWERED, mailbox::LEFT].map(|at| words[at / 4]);
        assert_eq!(state, [self.tickets, 1], "the request is answered");
    }
}

/// Runs a job by kernels, in dispatches of so many cycles, and checks that memory and traps are as by the reference interpreter. Gives how
/// many instructions of PTX were run, copies apart.
pub(crate) fn check(job: &Batch, kernels: &Kernels, cycles: u32) -> u64 {
    let mut steps = 0;
    let mut expected = job.clone();
    let wanted = reference(&mut expected);
    let program = &job.program;
    let mut device = Device::default();
    let slots: Vec<u32> = (job.slots.iter())
        .flat_map(|slot| [slot.place.base, slot.place.stride, slot.place.length, 0])
        .collect();
    let frames = (program.frame_memory() * job.vms).max(1);
    let [arena, atomics, states, frames, cells] = [
        &job.arena[..],
        &job.atomics,
        &vec![0; row::COUNT * job.vms as usize],
        &vec![0; frames as usize],
        &[0; signal::WORDS],
    ]
    .map(|words| device.add(words));
    let shared: [u64; BINDINGS - 1] = [device.add(&slots), arena, atomics, states, frames, cells];
    let [own, second] = kernels.others.each_ref().map(|words| {
        let addresses = words.iter().map(|words| (device.add(words), words.len()));
        addresses.collect::<Vec<_>>()
    });
    let lengths = [
        slots.len(),
        job.arena.len(),
        job.atomics.len(),
        row::COUNT * job.vms as usize,
        (program.frame_memory() * job.vms).max(1) as usize,
        signal::WORDS,
    ];
    let mut group_0: Vec<(u64, usize)> = shared.into_iter().zip(lengths).chain(own).collect();
    // The pairs are the atomics once more.
    group_0.push((atomics, job.atomics.len()));
    let uniform = fields(&kernels.fields).unwrap();
    let mut signal: Vec<u32> = vec![0; signal::WORDS];
    let mut resident = Resident::of(&kernels.fresh, &mut device);
    for dispatch in 0..MOST_DISPATCHES {
        let kernel = match &kernels.resumed {
            Some(resumed) if dispatch != 0 => resumed,
            _ => &kernels.fresh,
        };
        let launch = Launch {
            job: &job.job,
            cycles,
            inner_cycles: cycles,
            resume: dispatch != 0,
            fresh: dispatch == 0,
            room: FrameRoom::whole(program),
            window: [0, job.arena.len() as u32],
            atomic_words: job.atomics.len() as u32,
            first_slot: 0,
            turn: 0,
        };
        let mut words = Vec::new();
        launch.append(&uniform, &mut words);
        let mut given = Vec::new();
        for parameter in &kernel.parameters {
            match *parameter {
                Parameter::Buffer { group, binding, .. } => {
                    let (address, length) = match group {
                        0 => group_0[binding as usize - 1],
                        _ => second[binding as usize],
                    };
                    given.extend([Given::Long(address), Given::Long(length as u64 * 4)]);
                }
                Parameter::Uniform { .. } => given.push(match &resident {
                    Some(resident) => Given::Long(resident.uniform),
                    None => Given::Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect()),
                }),
                Parameter::Mailbox => given.extend(resident.as_ref().map(|resident| Given::Long(resident.mailbox))),
                Parameter::Grid => unreachable!("no kernel reads its grid"),
            }
        }
        let mut groups = job.vms.div_ceil(kernel.workgroup[0]);
        if let Some(resident) = &mut resident {
            resident.ask(&mut device, groups, &words);
            groups = 1;
        }
        let [width, height, depth] = kernel.workgroup;
        let threads = [width + kernel.lookout, height, depth];
        steps += executor::run(&kernel.text, threads, [groups, 1, 1], &given, &mut device);
        if let Some(resident) = &resident {
            resident.check_answered(&device);
        }
        match &resident {
            // Each request tells its own counts. What is no count is not looked at.
            Some(resident) => signal
                .iter_mut()
                .zip(resident.signal(&device))
                .for_each(|(sum, found)| *sum = sum.wrapping_add(found)),
            None => signal = device.words(cells),
        }
        let cells = &signal;
        if cells[signal::STOPPED] == job.vms && cells[signal::YIELDED] == 0 {
            assert_eq!(u64::from(cells[signal::TRAPPED]), wanted.traps, "traps");
            assert_eq!(device.words(atomics), expected.atomics, "atomics");
            let found = device.words(arena);
            let differs = found
                .iter()
                .zip(&expected.arena)
                .position(|(&a, &b)| a != b && !(is_nan(a) && is_nan(b)));
            if let Some(at) = differs {
                panic!("word {at} is {:#x} and not {:#x}", found[at], expected.arena[at]);
            }
            return steps;
        }
    }
    panic!("the job does not end");
}

/// Checks the interpreter.
pub(crate) fn check_interpreter(job: &Batch, cycles: u32) {
    check(job, &interpreter(job), cycles);
}

#[test]
fn every_form_of_arithmetic_is_right() {
    let asked = FloatOps::of_features(wgpu::Features::all());
    let (module, info) = parse(&EntryPoint::Probe.source(asked)).unwrap();
    let kernel = exact(&module, &info, true, Grid::Launched);
    let questions = inputs(3000);
    let words = questions.len() * asked.count() * 2;
    let mut device = Device::default();
    let buffers = [
        (questions.as_flattened(), questions.len() * 4),
        (&vec![0; words], words),
    ];
    let buffers = buffers.map(|(words, length)| [device.add(words), length as u64 * 4]);
    let bindings = kernel.parameters.iter().map(|parameter| match *parameter {
        Parameter::Buffer { binding, .. } => buffers[binding as usize].map(Given::Long),
        Parameter::Uniform { .. } | Parameter::Grid | Parameter::Mailbox => {
            unreachable!("the probe has buffers only")
        }
    });
    let given: Vec<[Given; 2]> = bindings.collect();
    let groups = (questions.len() as u32).div_ceil(kernel.workgroup[0]);
    executor::run(
        &kernel.text,
        kernel.workgroup,
        [groups, 1, 1],
        given.as_flattened(),
        &mut device,
    );
    let answers = device.words(buffers[1][0]);
    let each = questions
        .iter()
        .zip(answers.as_chunks::<2>().0.chunks_exact(asked.count()));
    let right = each.fold(asked, |right, (&input, answers)| {
        right.and(asked.checked(input, answers))
    });
    // The inverse root's last step makes up for an error of the device's estimate, which the executor's has not.
    assert_eq!(right.to_string(), asked.without_roots([false, true]).to_string());
}
