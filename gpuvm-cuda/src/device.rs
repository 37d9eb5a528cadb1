//! The device: it makes everything else, and is asked how far it is.

use std::pin::Pin;
use std::sync::Arc;

use gpuvm_ptx::{Floats, Grid};
use wgpu::custom::*;
use wgpu::{ErrorFilter, Features, PollError, PollStatus, UncapturedErrorHandler};

use crate::adapter::cache_key_of;
use crate::bind::{CudaGroup, CudaLayout, CudaPipelineLayout, Layout, group};
use crate::buffer::{Buffer, CudaBuffer};
use crate::cubins::{Cubins, CudaCache};
use crate::encoder::CudaEncoder;
use crate::pipeline::{CudaPipeline, Pipeline};
use crate::query::{CudaQueries, Queries};
use crate::sending::Failure;
use crate::shader::{CudaShader, Shader};
use crate::shared::Shared;
use crate::unsupported::{nothing, refused, unsupported};

/// A handle to a device.
#[derive(Clone, Debug)]
pub struct CudaDevice {
    pub shared: Arc<Shared>,
    /// How its shader modules are translated.
    pub floats: Floats,
    /// The form in which its pipelines are compiled when they are made.
    pub grid: Grid,
    _handle: Option<Arc<Handle>>,
}

/// Devices and queues have one. When the last is gone, nobody can ask how far the device is any more.
#[derive(Debug)]
pub struct Handle(pub Arc<Shared>);

impl CudaDevice {
    /// A handle with exact floats.
    pub fn new(shared: Arc<Shared>, handle: Option<Arc<Handle>>) -> CudaDevice {
        CudaDevice {
            shared,
            floats: Floats::Exact,
            grid: Grid::Launched,
            _handle: handle,
        }
    }

    /// Tells why something was refused, if it was not told already.
    fn refuse(&self, what: &str, failure: Option<Failure>) {
        match failure {
            None => {}
            Some(Failure::Invalid(reason)) => self.shared.invalid(format!("{what}: {reason}")),
            Some(Failure::Driver(error)) => self.shared.fail(what, &error),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // What is under way keeps buffers, and these keep the device. That nobody has it is no loss.
        self.0.forget_callback();
        self.0.end("nobody has the device any more");
    }
}

impl DeviceInterface for CudaDevice {
    fn features(&self) -> Features {
        self.shared.features
    }

    fn limits(&self) -> wgpu::Limits {
        self.shared.limits.clone()
    }

    fn adapter_info(&self) -> wgpu::AdapterInfo {
        self.shared.info.clone()
    }

    fn create_shader_module(
        &self,
        descriptor: wgpu::ShaderModuleDescriptor<'_>,
        checks: wgpu::ShaderRuntimeChecks,
    ) -> DispatchShaderModule {
        let dependent_launch = self.shared.driver.launches_dependents();
        let shader = Shader::new(descriptor.source, self.floats, checks.bounds_checks, dependent_launch).map(Arc::new);
        if let Err(reason) = &shader {
            let label = descriptor.label.unwrap_or("a shader");
            self.shared.invalid(format!("`{label}`: {reason}"));
        }
        DispatchShaderModule::custom(CudaShader(shader))
    }

    #[allow(unsafe_code)]
    unsafe fn create_shader_module_passthrough(
        &self,
        _: &wgpu::ShaderModuleDescriptorPassthrough<'_>,
    ) -> DispatchShaderModule {
        let reason = "CUDA devices take no shaders that naga has not seen";
        self.shared.invalid(reason);
        DispatchShaderModule::custom(CudaShader(Err(reason.to_string())))
    }

    fn create_bind_group_layout(&self, descriptor: &wgpu::BindGroupLayoutDescriptor<'_>) -> DispatchBindGroupLayout {
        let layout = Layout::new(descriptor.entries);
        let layout = layout.map_err(|reason| self.shared.invalid(format!("a bind group's layout: {reason}")));
        DispatchBindGroupLayout::custom(CudaLayout(layout.ok().map(Arc::new)))
    }

    fn create_bind_group(&self, descriptor: &wgpu::BindGroupDescriptor<'_>) -> DispatchBindGroup {
        let group = group(&self.shared, descriptor);
        let group = group.map_err(|reason| self.refuse("a bind group", reason.map(Failure::Invalid)));
        DispatchBindGroup::custom(CudaGroup(group.ok().map(Arc::new)))
    }

    fn create_pipeline_layout(&self, descriptor: &wgpu::PipelineLayoutDescriptor<'_>) -> DispatchPipelineLayout {
        let of = |layout: &Option<&wgpu::BindGroupLayout>| match layout {
            None => Some(None),
            Some(layout) => layout.as_custom::<CudaLayout>()?.0.clone().map(Some),
        };
        let layouts = descriptor.bind_group_layouts.iter().map(of).collect();
        if descriptor.immediate_size > 0 {
            refused(&self.shared, "immediates");
        }
        DispatchPipelineLayout::custom(CudaPipelineLayout(layouts))
    }

    fn create_render_pipeline(&self, _: &wgpu::RenderPipelineDescriptor<'_>) -> DispatchRenderPipeline {
        DispatchRenderPipeline::custom(nothing(&self.shared, "render pipelines"))
    }

    fn create_mesh_pipeline(&self, _: &wgpu::MeshPipelineDescriptor<'_>) -> DispatchRenderPipeline {
        DispatchRenderPipeline::custom(nothing(&self.shared, "mesh pipelines"))
    }

    fn create_compute_pipeline(&self, descriptor: &wgpu::ComputePipelineDescriptor<'_>) -> DispatchComputePipeline {
        let pipeline = match self.shared.is_lost() {
            true => Err(None),
            false => Pipeline::new(&self.shared, descriptor, self.grid),
        };
        let label = descriptor.label.or(descriptor.entry_point).unwrap_or("a pipeline");
        let pipeline = pipeline.map_err(|failure| self.refuse(&format!("pipeline `{label}`"), failure));
        DispatchComputePipeline::custom(CudaPipeline(pipeline.ok().map(Arc::new)))
    }

    #[allow(unsafe_code)]
    unsafe fn create_pipeline_cache(&self, descriptor: &wgpu::PipelineCacheDescriptor<'_>) -> DispatchPipelineCache {
        let key = cache_key_of(&self.shared.info);
        let cubins = match descriptor.data {
            None => Some(Cubins::new(key)),
            Some(data) => {
                let kept = Cubins::parse(key.clone(), data);
                kept.or_else(|| descriptor.fallback.then(|| Cubins::new(key)))
            }
        };
        if cubins.is_none() {
            self.shared
                .invalid("a pipeline cache: the data is not one of this GPU and driver, or is damaged");
        }
        DispatchPipelineCache::custom(CudaCache(cubins.map(Arc::new)))
    }

    fn create_buffer(&self, descriptor: &wgpu::BufferDescriptor<'_>) -> DispatchBuffer {
        DispatchBuffer::custom(CudaBuffer(Buffer::new(&self.shared, descriptor)))
    }

    fn create_texture(&self, _: &wgpu::TextureDescriptor<'_>) -> DispatchTexture {
        DispatchTexture::custom(nothing(&self.shared, "textures"))
    }

    fn create_external_texture(
        &self,
        _: &wgpu::ExternalTextureDescriptor<'_>,
        _: &[&wgpu::TextureView],
    ) -> DispatchExternalTexture {
        DispatchExternalTexture::custom(nothing(&self.shared, "textures"))
    }

    fn create_blas(
        &self,
        _: &wgpu::CreateBlasDescriptor<'_>,
        _: wgpu::BlasGeometrySizeDescriptors,
    ) -> (Option<u64>, DispatchBlas) {
        let nothing = nothing(&self.shared, "acceleration structures");
        (None, DispatchBlas::custom(nothing))
    }

    fn create_tlas(&self, _: &wgpu::CreateTlasDescriptor<'_>) -> DispatchTlas {
        DispatchTlas::custom(nothing(&self.shared, "acceleration structures"))
    }

    fn create_sampler(&self, _: &wgpu::SamplerDescriptor<'_>) -> DispatchSampler {
        DispatchSampler::custom(nothing(&self.shared, "samplers"))
    }

    fn create_query_set(&self, descriptor: &wgpu::QuerySetDescriptor<'_>) -> DispatchQuerySet {
        let queries = match descriptor.ty {
            wgpu::QueryType::Timestamp if self.shared.is_lost() => None,
            wgpu::QueryType::Timestamp => {
                let queries = Queries::new(&self.shared, descriptor.count);
                queries.map_err(|error| self.shared.fail("a query set", &error)).ok()
            }
            _ => {
                refused(&self.shared, "queries but those of its clock");
                None
            }
        };
        DispatchQuerySet::custom(CudaQueries(queries.map(Arc::new)))
    }

    fn create_command_encoder(&self, _: &wgpu::CommandEncoderDescriptor<'_>) -> DispatchCommandEncoder {
        DispatchCommandEncoder::custom(CudaEncoder::new(self.shared.clone()))
    }

    fn create_render_bundle_encoder(&self, _: &wgpu::RenderBundleEncoderDescriptor<'_>) -> DispatchRenderBundleEncoder {
        unsupported("render bundles")
    }

    fn set_device_lost_callback(&self, callback: BoxDeviceLostCallback) {
        self.shared.when_lost(callback);
    }

    fn on_uncaptured_error(&self, handler: Arc<dyn UncapturedErrorHandler>) {
        self.shared.scopes.set_handler(handler);
    }

    fn push_error_scope(&self, filter: ErrorFilter) -> u32 {
        self.shared.scopes.push(filter)
    }

    fn pop_error_scope(&self, index: u32) -> Pin<Box<dyn PopErrorScopeFuture>> {
        Box::pin(std::future::ready(self.shared.scopes.pop(index)))
    }

    #[allow(unsafe_code)]
    unsafe fn start_graphics_debugger_capture(&self) {}

    #[allow(unsafe_code)]
    unsafe fn stop_graphics_debugger_capture(&self) {}

    fn poll(&self, kind: wgpu::wgt::PollType<u64>) -> Result<PollStatus, PollError> {
        match kind {
            wgpu::wgt::PollType::Poll => Ok(self.shared.poll()),
            wgpu::wgt::PollType::Wait {
                submission_index,
                timeout,
            } => self.shared.wait(submission_index, timeout),
        }
    }

    fn get_internal_counters(&self) -> wgpu::InternalCounters {
        wgpu::InternalCounters::default()
    }

    fn generate_allocator_report(&self) -> Option<wgpu::AllocatorReport> {
        None
    }

    fn destroy(&self) {
        self.shared.end("the device was destroyed");
    }
}
