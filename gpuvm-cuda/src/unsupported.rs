//! What CUDA has no use for: textures, render passes, ray tracing. It is refused as an error; only where wgpu's interface asks for an object
//! with dozens of functions in return there is a panic.

use std::sync::Arc;

use wgpu::custom::{
    BlasCompactCallback, BlasInterface, DispatchBindGroupLayout, DispatchTextureView, ExternalTextureInterface,
    RenderPipelineInterface, SamplerInterface, TextureInterface, TextureViewInterface, TlasInterface,
};

use crate::bind::CudaLayout;
use crate::shared::Shared;

/// Something that was refused.
#[derive(Debug)]
pub struct Nothing;

/// Tells that something is not there.
pub fn refused(shared: &Arc<Shared>, what: &str) {
    shared.invalid(format!("CUDA devices have no {what}"));
}

/// Tells that something is not there, and gives what stands for it.
pub fn nothing(shared: &Arc<Shared>, what: &str) -> Nothing {
    refused(shared, what);
    Nothing
}

/// Ends a call that cannot give anything.
pub fn unsupported(what: &str) -> ! {
    panic!("CUDA devices have no {what}");
}

impl TextureInterface for Nothing {
    fn create_view(&self, _: &wgpu::TextureViewDescriptor<'_>) -> DispatchTextureView {
        DispatchTextureView::custom(Nothing)
    }

    fn destroy(&self) {}
}

impl ExternalTextureInterface for Nothing {
    fn destroy(&self) {}
}

impl BlasInterface for Nothing {
    fn prepare_compact_async(&self, callback: BlasCompactCallback) {
        callback(Err(wgpu::BlasAsyncError));
    }

    fn ready_for_compaction(&self) -> bool {
        false
    }
}

impl RenderPipelineInterface for Nothing {
    fn get_bind_group_layout(&self, _: u32) -> DispatchBindGroupLayout {
        DispatchBindGroupLayout::custom(CudaLayout(None))
    }
}

impl TextureViewInterface for Nothing {}
impl SamplerInterface for Nothing {}
impl TlasInterface for Nothing {}
