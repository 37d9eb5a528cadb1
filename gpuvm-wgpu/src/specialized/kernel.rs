//! Makes pipelines of a specialised program, or of two whose jobs are joined.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::ScopedJoinHandle;

use gpuvm_core::program::{Program, ProgramId};
use gpuvm_core::specialise::KnownParams;
use gpuvm_engine::{Error, Result, Tiles};
use gpuvm_shaders::layout::{WORKGROUP, several, tile};
use naga::compact::{KeepUnused, compact};
use naga::valid::{ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Expression, Function, Literal, Module};

use super::base::{Base, RUN, THEN, base};
use super::emit::{About, Several, Start, emit, emit_several};
use super::engine::reach;
use super::options::Options;
use crate::gpu::Gpu;
use crate::kernel::{bindings, capabilities, layout, uniform_fields};
use crate::memory::{bind_parts, filled};
use crate::pace::Experience;
use crate::pipeline::{self, Maker, Path};
use crate::states::States;
use crate::stepper::{BINDINGS, Reach};

/// Invocations of a workgroup of programs without loops: they end so soon that it counts how many workgroups a device can start in a time.
const LIGHT_WORKGROUP: u32 = 256;

/// Expressions of a program at most of which an invocation runs several VMs: it stands in its kernel five times, for each of which a driver's
/// compiler takes its time, and what takes longer keeps a device busy by itself. Ten maps in one have 92.
const MOST_SEVERAL: usize = 144;
/// Words that such a VM stores at most: each invocation has them of several VMs.
const MOST_LEFT: u32 = 8;
/// Invocations of a workgroup of a kernel that adds up what its VMs add to atomics before all of them do.
const ADDING_WORKGROUP: u32 = 512;
/// Workgroups at most of such a kernel: about as many as a device runs at once.
const ADDING_GROUPS: u32 = 512;

/// Expressions of programs whose elements go through tiles, and of operators, at most: they stand in their kernels many times.
const MOST_TILED: usize = 400;
/// The same of operators, which do so more often.
const MOST_OPERATOR: usize = 100;
/// Words of a value that goes through tiles at most.
const MOST_VALUE: u32 = 2;

/// What a kernel runs.
#[derive(Clone, Debug)]
pub struct Work {
    /// The program.
    pub program: Arc<Program>,
    /// The program of a job that is joined to the first one's: each of its VMs follows a workgroup of theirs. It surely ends and never
    /// traps.
    pub then: Option<Arc<Program>>,
    /// What becomes of the elements that the first program's VMs give. Of a scan the other program is the operator.
    pub tiles: Option<Passes>,
}

/// What kernels do with elements tile by tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passes {
    /// They fold them, and scan them from what tiles come to.
    Scan,
    /// They mark those that are not 0.
    Mark,
}

impl Work {
    /// Two programs whose jobs are joined; `None` if one of them needs a binding that joined jobs do not have.
    pub fn joined(program: &Arc<Program>, then: &Arc<Program>) -> Option<Work> {
        let mut both = [program, then].into_iter();
        let plain = both.all(|program| program.data.is_empty() && !program.has_atomic_pairs());
        plain.then(|| Work {
            program: program.clone(),
            then: Some(then.clone()),
            tiles: None,
        })
    }

    /// A program whose elements go through tiles; `None` if it, or the operator, has more to it than arithmetic, or chunks have another size than
    /// they have here.
    pub fn tiled(program: &Arc<Program>, tiles: &Tiles) -> Option<Work> {
        let op = match tiles {
            Tiles::Scan { op, chunk } if *chunk == tile::CHUNK => Some(op),
            Tiles::Scan { .. } => return None,
            Tiles::Marks => None,
        };
        let mut both = [Some(program), op].into_iter().flatten();
        let plain = both.all(|of| {
            let arithmetic = of.data.is_empty() && !of.has_atomic_pairs() && of.frame_memory() == 0;
            arithmetic && of.code.len() <= MOST_TILED
        });
        plain.then(|| Work {
            program: program.clone(),
            then: op.cloned(),
            tiles: Some(match op {
                Some(_) => Passes::Scan,
                None => Passes::Mark,
            }),
        })
    }
}

impl From<&Arc<Program>> for Work {
    fn from(program: &Arc<Program>) -> Work {
        Work {
            program: program.clone(),
            then: None,
            tiles: None,
        }
    }
}

/// A program as compute pipelines.
#[derive(Debug)]
pub struct SpecializedKernel {
    /// For VMs that have not started.
    pub fresh: wgpu::ComputePipeline,
    /// For VMs that have been stopped, if the program can be stopped. Those of joined jobs go on by a kernel of their own.
    pub resumed: Option<Resumed>,
    /// What becomes of elements.
    pub tiles: Option<Passes>,
    /// What folds the tiles before those of several are scanned.
    pub fold: Option<wgpu::ComputePipeline>,
    /// Whether it is of joined jobs, and has a uniform for each.
    pub joined: bool,
    /// Whether it has a binding of atomic pairs. Joined jobs have none.
    pub has_pairs: bool,
    /// The layout of the bind group of a session's buffers, which is that of both.
    pub layout: wgpu::BindGroupLayout,
    /// The bind group of the program's data, if it has any. Joined jobs have none.
    pub data: Option<wgpu::BindGroup>,
    /// VMs of a workgroup.
    pub workgroup: u32,
    /// Workgroups at most, each of which has VMs until there are none left.
    pub most_groups: Option<u32>,
    /// The names of the uniform's fields, each a word, in order.
    pub uniform: Vec<String>,
    /// What is known of the program.
    pub about: About,
    /// Whether VMs that trap leave no states, where none stops.
    pub first_trap: bool,
    /// Whether it is for certain uniforms alone.
    pub habitual: bool,
    /// How much a batch may hold.
    pub reach: Reach,
    /// What is remembered of its launches.
    pub experience: Experience,
}

/// The kernel for VMs that have been stopped, which is compiled when one of them is to go on: most launches end in one submission.
#[derive(Debug)]
pub struct Resumed {
    shader: Shader,
    path: Path,
    layouts: Vec<wgpu::BindGroupLayout>,
    pipeline: OnceLock<wgpu::ComputePipeline>,
    /// Held by who compiles it.
    compiling: Mutex<()>,
}

/// What of a kernel is compiled before it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// What VMs start with.
    Starts,
    /// All of it.
    Whole,
}

/// A shader as it goes to the driver.
#[derive(Debug)]
pub struct Shader {
    /// The shader.
    pub module: Module,
    /// What its validation has found out.
    pub info: ModuleInfo,
    /// What is known of the program.
    pub about: About,
}

impl Shader {
    /// Writes a program's shader.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if naga does not accept it.
    pub fn new(program: &Program, options: &Options, start: Start) -> Result<Shader> {
        let base = &*base(options.floats)?;
        let mut module = Shader::empty(base, options);
        let (function, about) = emit(program, options, base, &mut module, start);
        module.functions[base.functions[RUN]] = function;
        Shader::tell_states(base, &mut module, options, &about);
        let entry = match start {
            Start::Resumed => "resumed",
            _ if about.suspends || about.traps => "fresh",
            _ => "complete",
        };
        Shader::check(program, module, about, entry)
    }

    /// The shader that a program is put into.
    fn empty(base: &Base, options: &Options) -> Module {
        let mut module = base.module.clone();
        if options.software {
            base.tell(&mut module, "tallies", 0);
        }
        module
    }

    /// Lets VMs leave no states where the first trap alone is asked after and none stops.
    fn tell_states(base: &Base, module: &mut Module, options: &Options, about: &About) {
        if options.first_trap && !about.suspends {
            base.tell(module, "leaves_states", 0);
        }
    }

    /// Writes a program's shader with several VMs an invocation, for those that have not started; `None` if that is not to be or cannot be, or is
    /// too large to be worth it.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if naga does not accept it.
    pub fn several(program: &Program, options: &Options) -> Result<Option<Shader>> {
        if !options.several || program.code.len() > MOST_SEVERAL {
            return Ok(None);
        }
        let base = &*base(options.floats)?;
        let mut module = Shader::empty(base, options);
        let Some(Several {
            run,
            then,
            words,
            about,
        }) = emit_several(program, options, base, &mut module)
        else {
            return Ok(None);
        };
        if run.expressions.len() > MOST_SEVERAL || !(1..=MOST_LEFT).contains(&words) {
            return Ok(None);
        }
        module.functions[base.functions[RUN]] = run;
        module.functions[base.functions[THEN]] = then;
        base.enlarge(&mut module, "left_for_later", words);
        Shader::tell_states(base, &mut module, options, &about);
        let entry = match about {
            About { adds: true, .. } => "several_adding",
            About { traps: true, .. } => "several_fresh",
            _ => "several",
        };
        Shader::check(program, module, about, entry).map(Some)
    }

    /// Writes the shader of two programs for joined jobs. What is known of it is what is known of the first.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if naga does not accept it.
    pub fn joined(program: &Program, then: &Program, options: &Options) -> Result<Shader> {
        let base = &*base(options.floats)?;
        let mut module = Shader::empty(base, options);
        let (first, about) = emit(program, options, base, &mut module, Start::Fresh);
        let (second, _) = emit(then, options, base, &mut module, Start::Joined);
        module.functions[base.functions[RUN]] = first;
        module.functions[base.functions[THEN]] = second;
        Shader::tell_states(base, &mut module, options, &about);
        Shader::check(program, module, about, "both")
    }

    /// Writes the shader of a program whose elements go through tiles.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if one of the programs does what that allows for none, or naga does not accept it.
    pub fn tiled(program: &Program, then: Option<&Program>, options: &Options, entry: &str) -> Result<Shader> {
        let unfit = || Error::Device {
            reason: format!("the elements of `{}` cannot go through tiles", program.name),
        };
        let behind = 1 + usize::from(then.is_some());
        let to = program.params.len().checked_sub(behind).ok_or_else(unfit)?;
        let words = program.params[to].ty.words;
        let base = &*base(options.floats)?;
        let mut module = Shader::empty(base, options);
        let (function, about) = emit(program, options, base, &mut module, Start::Tile(to as u32));
        let ends = |function: &Function, about: &About, most: usize| {
            function.expressions.len() <= most && !about.suspends && !about.traps
        };
        let fits = ends(&function, &about, MOST_TILED)
            && !(then.is_some() && about.stores)
            && (1..=MOST_VALUE).contains(&words);
        if !fits {
            return Err(unfit());
        }
        module.functions[base.functions[RUN]] = function;
        if let Some(then) = then {
            let (function, about) = emit(then, options, base, &mut module, Start::Operator);
            if !ends(&function, &about, MOST_OPERATOR) || about.loads || about.stores {
                return Err(unfit());
            }
            module.functions[base.functions[THEN]] = function;
        }
        base.tell(&mut module, "value_words", words);
        base.tell(&mut module, "tile_param", to as u32);
        base.enlarge(&mut module, "cells", words * tile::CELLS);
        Shader::check(program, module, about, entry)
    }

    /// Leaves one entry point and what it needs, and checks that.
    fn check(program: &Program, mut module: Module, about: About, entry: &str) -> Result<Shader> {
        module.entry_points.retain(|point| point.name == entry);
        compact(&mut module, KeepUnused::No);
        let info = Validator::new(ValidationFlags::all(), capabilities())
            .validate(&module)
            .map_err(|error| Error::Device {
                reason: format!("the shader of program `{}`: {}", program.name, error.emit_to_string("")),
            })?;
        Ok(Shader { module, info, about })
    }

    /// Bytes that a workgroup shares.
    fn shared_bytes(&self) -> u32 {
        let shared = self.module.global_variables.iter().map(|(_, variable)| variable);
        let shared = shared.filter(|variable| variable.space == AddressSpace::WorkGroup);
        let bytes = |variable: &naga::GlobalVariable| self.module.types[variable.ty].inner.size(self.module.to_ctx());
        shared.map(bytes).sum()
    }

    /// Gives the workgroups so many invocations.
    pub fn set_workgroup(&mut self, invocations: u32) {
        let Module {
            constants,
            global_expressions,
            entry_points,
            ..
        } = &mut self.module;
        let named = constants
            .iter()
            .find(|(_, constant)| constant.name.as_deref() == Some("WORKGROUP"));
        if let Some((_, constant)) = named {
            global_expressions[constant.init] = Expression::Literal(Literal::U32(invocations));
        }
        for point in entry_points {
            point.workgroup_size = [invocations, 1, 1];
        }
    }

    /// The shader to be compiled without checks: every access to a buffer is within it. Rows of states and frames are by the sizes that the
    /// host gave the buffers, arena and atomics by checks against the launch's window or by proof from it, the program's data likewise by
    /// its length, parameters by number. The one array of a function, the frame, is indexed after a check against its length. Every loop
    /// of the program counts down the launch's cycles, and the shader's own loops have constant bounds but for exchanges of atomics, which
    /// end when the exchange succeeds.
    pub fn unchecked(&self, start: pipeline::Start) -> pipeline::Shader<'_> {
        pipeline::Shader {
            entry: self.module.entry_points.first().map_or("", |point| &point.name),
            module: &self.module,
            info: &self.info,
            checked: false,
            start,
        }
    }
}

impl SpecializedKernel {
    /// Writes and compiles a program, or two whose jobs are joined.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device refuses it.
    pub fn new(gpu: &Gpu, work: &Work, options: &Options, readiness: Readiness) -> Result<SpecializedKernel> {
        let base = &*base(options.floats)?;
        let Work { program, then, tiles } = work;
        let joined = then.is_some() && tiles.is_none();
        let tiled = |entry| Shader::tiled(program, then.as_deref(), options, entry);
        let room = gpu.limits.max_compute_workgroup_storage_size;
        let several = match (tiles, then) {
            (None, None) => Shader::several(program, options)?.filter(|shader| shader.shared_bytes() <= room),
            _ => None,
        };
        let vms_each = several.as_ref().map_or(1, |_| several::VMS);
        let mut fresh = match (tiles, then, several) {
            (Some(Passes::Scan), ..) => tiled("scan_tiles")?,
            (Some(Passes::Mark), ..) => tiled("mark_tiles")?,
            (None, Some(then), _) => Shader::joined(program, then, options)?,
            (None, None, Some(several)) => several,
            (None, None, None) => Shader::new(program, options, Start::Fresh)?,
        };
        let workgroup = match then {
            _ if tiles.is_some() => tile::WORKGROUP,
            None if fresh.about.adds => ADDING_WORKGROUP.min(gpu.limits.max_compute_invocations_per_workgroup),
            None if !fresh.about.suspends => LIGHT_WORKGROUP.min(gpu.limits.max_compute_invocations_per_workgroup),
            _ => WORKGROUP,
        };
        if tiles.is_none() {
            fresh.set_workgroup(workgroup);
        }
        let fold = match tiles {
            Some(Passes::Scan) => Some(tiled("fold_tiles")?),
            _ => None,
        };
        let resumed = match (tiles, then) {
            (None, None) if fresh.about.suspends => Some(Shader::new(program, options, Start::Resumed)?),
            _ => None,
        };
        if fresh.shared_bytes() > room || workgroup > gpu.limits.max_compute_invocations_per_workgroup {
            return Err(Error::Device {
                reason: format!("a workgroup of `{}` does not fit the device", program.name),
            });
        }
        let has_pairs = program.has_atomic_pairs();
        let mut layouts = layouts(gpu, program, options, joined)?;
        let path = path(gpu, options);
        let resumed = resumed.map(|shader| Resumed {
            shader,
            path,
            layouts: layouts.clone(),
            pipeline: OnceLock::new(),
            compiling: Mutex::new(()),
        });
        let whole = resumed.as_ref().filter(|_| readiness == Readiness::Whole);
        // At the same time: drivers take their time over each.
        let (started, folding) = std::thread::scope(|scope| {
            let fold = fold
                .as_ref()
                .map(|fold| scope.spawn(|| compiled(gpu, &layouts, path, fold)));
            let whole = whole.map(|resumed| scope.spawn(|| resumed.pipeline(gpu).map(|_| ())));
            let started = compiled(gpu, &layouts, path, &fresh);
            let (folding, whole) = (fold.map(outcome_of).transpose(), whole.map(outcome_of).transpose());
            whole?;
            Ok((started?, folding?))
        })?;
        Ok(SpecializedKernel {
            fresh: started,
            fold: folding,
            tiles: *tiles,
            joined,
            has_pairs,
            data: data_group(gpu, program, &layouts)?,
            layout: layouts.swap_remove(0),
            workgroup: workgroup * vms_each,
            most_groups: fresh.about.adds.then_some(ADDING_GROUPS),
            uniform: uniform_fields(&base.module),
            about: match &resumed {
                Some(resumed) => resumed.shader.about.clone(),
                None => fresh.about,
            },
            resumed,
            first_trap: options.first_trap,
            habitual: options.known != KnownParams::default(),
            reach: reach(gpu.software, program),
            experience: Experience::default(),
        })
    }
}

impl SpecializedKernel {
    /// What VMs that stop or trap leave in the buffer of states.
    pub fn states(&self) -> States {
        match self.about {
            About { suspends: true, .. } => States::Rows,
            About { traps: false, .. } => States::Nothing,
            _ if self.first_trap => States::FirstTraps {
                vms: self.workgroup,
                most_groups: self.most_groups,
            },
            _ => States::Rows,
        }
    }
}

impl Resumed {
    /// Compiles it, if nobody has.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device refuses it.
    pub fn pipeline(&self, gpu: &Gpu) -> Result<&wgpu::ComputePipeline> {
        let _alone = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = self.pipeline.get() {
            return Ok(pipeline);
        }
        // A failure is not kept: memory may come back.
        let pipeline = compiled(gpu, &self.layouts, self.path, &self.shader)?;
        Ok(self.pipeline.get_or_init(|| pipeline))
    }

    /// The kernel, if it is compiled.
    pub fn ready(&self) -> Option<&wgpu::ComputePipeline> {
        self.pipeline.get()
    }
}

/// The layouts of a program's bind groups: the session's buffers, and the program's data if it has any. The first is that of the whole
/// shader, whatever the program uses; joined jobs have one more uniform, and only programs that use atomic pairs have these.
///
/// # Errors
///
/// [`Error::Device`] if the device refuses them.
pub fn layouts(gpu: &Gpu, program: &Program, options: &Options, joined: bool) -> Result<Vec<wgpu::BindGroupLayout>> {
    let mut groups = bindings(&base(options.floats)?.module);
    groups[0].retain(|entry| match entry.ty {
        _ if (entry.binding as usize) < BINDINGS => true,
        wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            ..
        } => joined,
        _ => program.has_atomic_pairs(),
    });
    groups.truncate(1 + usize::from(!program.data.is_empty()));
    gpu.guarded(|device| {
        groups
            .iter()
            .map(|group| layout(device, "specialized", group))
            .collect()
    })
}

/// The bind group of a program's data, if it has any, given the layouts of its groups.
///
/// # Errors
///
/// When the device has no room for it.
pub fn data_group(gpu: &Gpu, program: &Program, layouts: &[wgpu::BindGroupLayout]) -> Result<Option<wgpu::BindGroup>> {
    let Some(layout) = layouts.get(1) else {
        return Ok(None);
    };
    let group = gpu.guarded(|device| {
        let data = filled(gpu, "data", &program.data);
        bind_parts(device, layout, [data.as_entire_binding()])
    })?;
    Ok(Some(group))
}

/// How a program's shaders reach the driver.
pub fn path(gpu: &Gpu, options: &Options) -> Path {
    if options.relaxed { Path::Plain } else { gpu.path() }
}

/// What a shader is, and how it reaches the driver, as a hash.
pub fn content_of(path: Path, shader: &Shader) -> ProgramId {
    ProgramId::of(format!("{path:?} {:?}", shader.module).as_bytes())
}

/// The pipeline of a shader with bind groups of these layouts.
fn compiled(
    gpu: &Gpu,
    layouts: &[wgpu::BindGroupLayout],
    path: Path,
    shader: &Shader,
) -> Result<wgpu::ComputePipeline> {
    let maker = Maker::new(gpu, layouts, || content_of(path, shader));
    let pipeline = maker.pipeline(&shader.unchecked(pipeline::Start::Dispatch), path)?;
    maker.keep();
    Ok(pipeline)
}

/// What a thread has come to; its panic is the caller's.
fn outcome_of<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
