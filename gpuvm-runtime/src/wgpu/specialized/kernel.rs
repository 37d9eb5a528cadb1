//! Makes pipelines of a specialised program.

use gpuvm_core::program::{Program, ProgramId};
use naga::compact::{KeepUnused, compact};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::Module;

use super::base::{RUN, base};
use super::emit::{About, Start, emit};
use super::options::Options;
use crate::error::{Error, Result};
use crate::wgpu::gpu::Gpu;
use crate::wgpu::kernel::{Path, bindings, uniform_fields};
use crate::wgpu::spirv;

/// A program as compute pipelines.
#[derive(Debug)]
pub struct SpecializedKernel {
    /// For VMs that have not started.
    pub fresh: wgpu::ComputePipeline,
    /// For VMs that have been stopped, if the program can be stopped.
    pub resumed: Option<wgpu::ComputePipeline>,
    /// The layout of the one bind group of both.
    pub layout: wgpu::BindGroupLayout,
    /// Invocations of a workgroup.
    pub workgroup: u32,
    /// The names of the uniform's fields, each a word, in order.
    pub uniform: Vec<String>,
    /// What is known of the program.
    pub about: About,
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
        let mut module = base.module.clone();
        let (function, about) = emit(program, options, base, &mut module, start);
        module.functions[base.functions[RUN]] = function;
        let entry = match start {
            Start::Resumed => "resumed",
            Start::Fresh if about.suspends || about.traps => "fresh",
            Start::Fresh => "complete",
        };
        module.entry_points.retain(|point| point.name == entry);
        compact(&mut module, KeepUnused::No);
        let capabilities = Capabilities::default() | Capabilities::FLOAT64 | Capabilities::SHADER_INT64;
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&module)
            .map_err(|error| Error::Device {
                reason: format!("the shader of program `{}`: {}", program.name, error.emit_to_string("")),
            })?;
        Ok(Shader { module, info, about })
    }

    /// The name of the entry point.
    fn entry(&self) -> &str {
        self.module.entry_points.first().map_or("", |point| &point.name)
    }
}

impl SpecializedKernel {
    /// Writes and compiles a program.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device refuses it.
    pub fn new(gpu: &Gpu, program: &Program, options: &Options, identity: ProgramId) -> Result<SpecializedKernel> {
        let _ = identity;
        let base = &*base(options.floats)?;
        let fresh = Shader::new(program, options, Start::Fresh)?;
        let resumed = match fresh.about.suspends {
            true => Some(Shader::new(program, options, Start::Resumed)?),
            false => None,
        };
        // The layout is that of the whole shader, whatever the program uses.
        let entries = bindings(&base.module);
        let layout = gpu.guarded(|device| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("specialized"),
                entries: &entries,
            })
        })?;
        Ok(SpecializedKernel {
            fresh: pipeline(gpu, &fresh, &layout, options.relaxed)?,
            resumed: (resumed.as_ref())
                .map(|shader| pipeline(gpu, shader, &layout, options.relaxed))
                .transpose()?,
            layout,
            workgroup: crate::wgpu::source::WORKGROUP,
            uniform: uniform_fields(&base.module),
            about: resumed.map_or(fresh.about, |shader| shader.about),
        })
    }
}

fn pipeline(
    gpu: &Gpu,
    shader: &Shader,
    layout: &wgpu::BindGroupLayout,
    relaxed: bool,
) -> Result<wgpu::ComputePipeline> {
    let entry = shader.entry();
    let words = match gpu.path() {
        Path::Exact if !relaxed => Some(spirv::exact(&shader.module, &shader.info, false).map_err(|reason| Error::Device { reason })?),
        _ => None,
    };
    gpu.guarded(|device| {
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(entry),
            bind_group_layouts: &[Some(layout)],
            immediate_size: 0,
        });
        let module = match words {
            Some(words) => passthrough(device, entry, words),
            None => unchecked(device, entry, shader.module.clone()),
        };
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        })
    })
}

/// A shader module of SPIR-V that wgpu does not look into.
#[allow(unsafe_code)]
fn passthrough(device: &wgpu::Device, entry: &str, words: Vec<u32>) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: Some(entry),
        entry_points: [wgpu::PassthroughShaderEntryPoint {
            name: entry.into(),
            workgroup_size: [crate::wgpu::source::WORKGROUP, 1, 1].into(),
        }]
        .to_vec()
        .into(),
        spirv: Some(words.into()),
        ..Default::default()
    };
    // SAFETY: the words are naga's translation of a module that its validator accepted, patched with execution modes and decorations of
    // floats; what they do is within bounds, as `unchecked` says.
    unsafe { device.create_shader_module_passthrough(descriptor) }
}

/// A shader module that wgpu translates without putting checks into it.
#[allow(unsafe_code)]
fn unchecked(device: &wgpu::Device, entry: &str, module: Module) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(entry),
        source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
    };
    // SAFETY: every access to a buffer is within it: rows of states and frames by the sizes that the host gave the buffers, arena and
    // atomics by checks against the launch's window or by proof from it, parameters by number. (Besides, wgpu asks for robust buffer
    // access where a device has it.) The one array of a function, the frame, is indexed after a check against its length. Every loop
    // of the program counts down the launch's cycles, and the shader's own loops have constant bounds but for exchanges of atomics,
    // which end when the exchange succeeds.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}
