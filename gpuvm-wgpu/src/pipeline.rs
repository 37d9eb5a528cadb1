//! Makes pipelines of validated shaders, each in the form in which its device's driver takes it, and keeps what drivers compile.

use std::borrow::Cow;

use gpuvm_core::program::ProgramId;
use gpuvm_engine::{Error, Result};
use naga::Module;
use naga::valid::ModuleInfo;

use super::disk::Folder;
use super::gpu::Gpu;
use super::spirv;

/// How the floats of a shader reach the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// In a form that has them exact: our own SPIR-V, or what `gpuvm-cuda` writes for exact floats.
    Exact,
    /// Through whatever the device's back end makes of them.
    Plain,
}

/// A shader that naga has validated.
#[derive(Clone, Copy, Debug)]
pub struct Shader<'a> {
    /// The name of its entry point.
    pub entry: &'a str,
    /// The module, with this entry point only.
    pub module: &'a Module,
    /// What its validation has found out.
    pub info: &'a ModuleInfo,
    /// Whether its accesses to buffers are to be checked. Without that it has to keep within them, and to end its loops, by itself.
    pub checked: bool,
    /// What has it run.
    pub start: Start,
}

/// What has a shader run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Dispatches.
    Dispatch,
    /// Dispatches of which the device itself tells how many workgroups they have.
    Indirect,
    /// Requests: it stays on the device.
    Request,
}

/// Makes pipelines that are compiled, and kept, together.
#[derive(Debug)]
pub struct Maker<'a> {
    gpu: &'a Gpu,
    layouts: &'a [wgpu::BindGroupLayout],
    kept: Option<Kept<'a>>,
}

/// What the driver looks into before it compiles, and leaves its results in.
#[derive(Debug)]
struct Kept<'a> {
    folder: &'a Folder,
    identity: ProgramId,
    cache: wgpu::PipelineCache,
    /// Whether there was something in it.
    found: bool,
}

impl<'a> Maker<'a> {
    /// For pipelines of shaders with bind groups of these layouts. `identity` tells what they are compiled from.
    pub fn new(gpu: &'a Gpu, layouts: &'a [wgpu::BindGroupLayout], identity: impl FnOnce() -> ProgramId) -> Maker<'a> {
        let kept = gpu.compiled.as_ref().map(|folder| {
            let identity = identity();
            let data = folder.load(identity);
            Kept {
                folder,
                identity,
                cache: driver_cache(&gpu.device, data.as_deref()),
                found: data.is_some(),
            }
        });
        Maker { gpu, layouts, kept }
    }

    /// Compiles a shader.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device refuses it.
    pub fn pipeline(&self, shader: &Shader<'_>, path: Path) -> Result<wgpu::ComputePipeline> {
        let spirv = match path {
            Path::Exact if self.gpu.takes_spirv => Some(exact(shader)?),
            _ => None,
        };
        self.gpu.guarded(|device| {
            let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(shader.entry),
                bind_group_layouts: &self.layouts.iter().map(Some).collect::<Vec<_>>(),
                immediate_size: 0,
            });
            let module = match (spirv, path) {
                (Some(words), _) => passthrough(device, shader, words),
                (None, Path::Exact) => translated(device, shader),
                (None, Path::Plain) => translated(&self.gpu.relaxed, shader),
            };
            let device = match shader.start {
                Start::Dispatch => device,
                Start::Indirect => &self.gpu.indirect,
                Start::Request => self.gpu.resident.as_ref().unwrap_or(device),
            };
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(shader.entry),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(shader.entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: self.kept.as_ref().map(|kept| &kept.cache),
            })
        })
    }

    /// Keeps what the driver has compiled for the next process.
    pub fn keep(&self) {
        if let Some(kept) = self.kept.as_ref().filter(|kept| !kept.found)
            && let Some(data) = kept.cache.get_data()
        {
            kept.folder.store(kept.identity, &data);
        }
    }
}

fn exact(shader: &Shader<'_>) -> Result<Vec<u32>> {
    spirv::exact(shader.module, shader.info, shader.checked).map_err(|reason| Error::Device {
        reason: format!("shader `{}`: {reason}", shader.entry),
    })
}

/// A pipeline cache with what was kept, if anything was.
#[allow(unsafe_code)]
fn driver_cache(device: &wgpu::Device, data: Option<&[u8]>) -> wgpu::PipelineCache {
    let descriptor = wgpu::PipelineCacheDescriptor {
        label: None,
        data,
        fallback: true,
    };
    // SAFETY: the data was made by `get_data` for a device of this key: its file's checksum, which covers the key, was right.
    unsafe { device.create_pipeline_cache(&descriptor) }
}

/// A shader module of SPIR-V that wgpu does not look into.
#[allow(unsafe_code)]
fn passthrough(device: &wgpu::Device, shader: &Shader<'_>, words: Vec<u32>) -> wgpu::ShaderModule {
    let point = shader.module.entry_points.first();
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: Some(shader.entry),
        entry_points: [wgpu::PassthroughShaderEntryPoint {
            name: shader.entry.into(),
            workgroup_size: point.map_or([1; 3], |point| point.workgroup_size).into(),
        }]
        .to_vec()
        .into(),
        spirv: Some(words.into()),
        ..Default::default()
    };
    // SAFETY: the words are naga's translation of a module that its validator accepted, with buffer accesses checked or kept within by the
    // module itself (`Shader::checked`); indices into other arrays are masked to their length and loops are bounded in the source, see
    // `spirv.rs`; the patch adds execution modes and decorations of floats only.
    unsafe { device.create_shader_module_passthrough(descriptor) }
}

/// A shader module that the device's back end translates.
#[allow(unsafe_code)]
fn translated(device: &wgpu::Device, shader: &Shader<'_>) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(shader.entry),
        source: wgpu::ShaderSource::Naga(Cow::Owned(shader.module.clone())),
    };
    if shader.checked {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: the module keeps within its buffers and ends its loops by itself, see `Shader::checked`. (Besides, wgpu asks for robust
    // buffer access where a device has it.)
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}
