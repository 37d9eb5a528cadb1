//! GPUs as wgpu's adapters.

use std::pin::Pin;
use std::sync::Arc;

use wgpu::custom::*;
use wgpu::{AdapterInfo, Backend, DeviceType, Features, Limits, RequestDeviceError};

use crate::device::{CudaDevice, Handle};
use crate::driver::{About, Gpu};
use crate::queue::CudaQueue;
use crate::shared::Shared;

/// A GPU as an adapter.
#[derive(Debug)]
pub struct CudaAdapter(pub Arc<dyn Gpu>);

/// NVIDIA, as PCI has it.
const VENDOR: u32 = 0x10de;
/// Threads that run as one.
const WARP: u32 = 32;

impl CudaAdapter {
    fn info(&self) -> AdapterInfo {
        info(self.0.about())
    }
}

/// What wgpu is told of a GPU.
fn info(about: &About) -> AdapterInfo {
    let kind = match about.integrated {
        true => DeviceType::IntegratedGpu,
        false => DeviceType::DiscreteGpu,
    };
    let version = format!("CUDA {}.{}", about.version / 1000, about.version % 1000 / 10);
    AdapterInfo {
        name: about.name.clone(),
        vendor: VENDOR,
        // What kernels are compiled for: 900 for a capability of 9.0.
        device: about.capability[0] * 100 + about.capability[1],
        device_pci_bus_id: about.bus.clone(),
        driver: "CUDA".to_string(),
        driver_info: match &about.driver {
            Some(driver) => format!("{driver} ({version})"),
            None => version,
        },
        subgroup_min_size: WARP,
        subgroup_max_size: WARP,
        // None of wgpu's is CUDA.
        ..AdapterInfo::new(kind, Backend::Noop)
    }
}

/// What compiled kernels are for: the GPU's kind and the driver.
pub fn cache_key_of(info: &AdapterInfo) -> String {
    format!("cuda {} sm_{} {}", info.name, info.device, info.driver_info)
}

/// What all GPUs have.
fn features() -> Features {
    Features::TIMESTAMP_QUERY
        | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
        | Features::TIMESTAMP_QUERY_INSIDE_PASSES
        | Features::SHADER_F64
        | Features::SHADER_INT64
        | Features::SHADER_INT64_ATOMIC_MIN_MAX
        | Features::SHADER_INT64_ATOMIC_ALL_OPS
        | Features::PIPELINE_CACHE
}

/// What a GPU has at most.
fn limits(about: &About) -> Limits {
    Limits {
        max_bind_groups: 8,
        max_bindings_per_bind_group: 1000,
        max_dynamic_uniform_buffers_per_pipeline_layout: 16,
        max_dynamic_storage_buffers_per_pipeline_layout: 16,
        max_storage_buffers_per_shader_stage: 64,
        max_uniform_buffers_per_shader_stage: 16,
        // A kernel's parameters have 4 KiB.
        max_uniform_buffer_binding_size: 64 << 10,
        max_storage_buffer_binding_size: about.memory,
        max_buffer_size: about.memory,
        min_uniform_buffer_offset_alignment: 32,
        min_storage_buffer_offset_alignment: 32,
        max_compute_workgroup_storage_size: 48 << 10,
        max_compute_invocations_per_workgroup: 1024,
        max_compute_workgroup_size_x: 1024,
        max_compute_workgroup_size_y: 1024,
        max_compute_workgroup_size_z: 64,
        max_compute_workgroups_per_dimension: 65_535,
        ..Limits::default()
    }
}

impl AdapterInterface for CudaAdapter {
    fn request_device(&self, descriptor: &wgpu::DeviceDescriptor<'_>) -> Pin<Box<dyn RequestDeviceFuture>> {
        let device = self.open(descriptor).map_err(RequestDeviceError::from_message);
        Box::pin(std::future::ready(device))
    }

    fn is_surface_supported(&self, _: &DispatchSurface) -> bool {
        false
    }

    fn features(&self) -> Features {
        features()
    }

    fn limits(&self) -> Limits {
        limits(self.0.about())
    }

    fn downlevel_capabilities(&self) -> wgpu::DownlevelCapabilities {
        wgpu::DownlevelCapabilities::default()
    }

    fn get_info(&self) -> AdapterInfo {
        self.info()
    }

    fn get_texture_format_features(&self, _: wgpu::TextureFormat) -> wgpu::TextureFormatFeatures {
        wgpu::TextureFormatFeatures {
            allowed_usages: wgpu::TextureUsages::empty(),
            flags: wgpu::TextureFormatFeatureFlags::empty(),
        }
    }

    fn get_presentation_timestamp(&self) -> wgpu::PresentationTimestamp {
        wgpu::PresentationTimestamp::INVALID_TIMESTAMP
    }

    fn cooperative_matrix_properties(&self) -> Vec<wgpu::CooperativeMatrixProperties> {
        Vec::new()
    }
}

impl CudaAdapter {
    fn open(&self, descriptor: &wgpu::DeviceDescriptor<'_>) -> Result<(DispatchDevice, DispatchQueue), String> {
        let missing = descriptor.required_features - features();
        if !missing.is_empty() {
            return Err(format!("CUDA devices have no {missing:?}"));
        }
        let mut beyond = None;
        let most = self.limits();
        descriptor
            .required_limits
            .check_limits_with_fail_fn(&most, true, |name, wanted, most| {
                beyond = Some(format!("`{name}` is at best {most} here, and {wanted} is asked for"));
            });
        if let Some(reason) = beyond {
            return Err(reason);
        }
        let driver = self.0.open().map_err(|error| error.to_string())?;
        let limits = descriptor.required_limits.clone();
        let shared = Shared::new(driver, self.info(), descriptor.required_features, limits);
        let handle = Arc::new(Handle(shared.map_err(|error| error.to_string())?));
        Ok((
            DispatchDevice::custom(CudaDevice::new(handle.0.clone(), Some(handle.clone()))),
            DispatchQueue::custom(CudaQueue::new(handle)),
        ))
    }
}
