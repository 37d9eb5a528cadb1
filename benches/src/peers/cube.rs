//! CubeCL on its wgpu runtime. Its kernels are launched unchecked, as its own library does: they check what they index themselves.

use std::time::Instant;

use anyhow::Result;
use bytemuck::AnyBitPattern;
use cubecl::device::{WgpuDevice, WgpuDeviceKind};
use cubecl::future::block_on;
use cubecl::prelude::*;
use cubecl::server::Handle;

use super::wgsl::Gpu;

/// A client on the device that `gpu` is, and what to call it.
pub fn client(gpu: &Gpu) -> (Client, String) {
    let kind = match gpu.about().device_type {
        wgpu::DeviceType::DiscreteGpu => WgpuDeviceKind::DiscreteGpu(0),
        wgpu::DeviceType::IntegratedGpu => WgpuDeviceKind::IntegratedGpu(0),
        wgpu::DeviceType::VirtualGpu => WgpuDeviceKind::VirtualGpu(0),
        wgpu::DeviceType::Cpu => WgpuDeviceKind::Cpu,
        wgpu::DeviceType::Other => WgpuDeviceKind::DefaultDevice,
    };
    let client = cubecl::Device::Wgpu(WgpuDevice::new(kind)).client();
    let name = format!("{} on {}", client.name(), client.properties().identity.name);
    (client, name)
}

/// A buffer as a kernel's argument.
#[allow(unsafe_code)]
pub fn arg(handle: &Handle, length: usize) -> BufferArg {
    // SAFETY: every caller passes the length that it made the buffer with, in entries of the kernel's parameter.
    unsafe { BufferArg::from_raw_parts(handle.clone(), length) }
}

/// The word rotated to the right, for which CubeCL has no operation.
#[cube]
pub fn rotated(x: u32, #[comptime] by: u32) -> u32 {
    (x >> by) | (x << comptime!(32 - by))
}

/// A kernel with its data, ready to run.
pub struct Prepared<'a, F> {
    client: &'a Client,
    /// The inputs on the host.
    data: &'a [&'a [u8]],
    /// The inputs and the output on the device.
    inputs: Vec<Handle>,
    output: Handle,
    size: usize,
    launch: F,
}

impl<'a, F: Fn(&Client, &[Handle], &Handle)> Prepared<'a, F> {
    /// Brings the inputs to the device. `launch` gets their handles and that of an output of `size` bytes.
    pub fn new(client: &'a Client, data: &'a [&'a [u8]], size: usize, launch: F) -> Self {
        Prepared {
            client,
            data,
            inputs: data.iter().map(|bytes| client.create_from_slice(bytes)).collect(),
            output: client.empty(size),
            size,
            launch,
        }
    }

    /// Uploads, runs, reads back.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn launch<T: AnyBitPattern>(&self) -> Result<Vec<T>> {
        let inputs: Vec<_> = (self.data.iter())
            .map(|bytes| self.client.create_from_slice(bytes))
            .collect();
        let output = self.client.empty(self.size);
        (self.launch)(self.client, &inputs, &output);
        self.read(output)
    }

    /// Runs on what is on the device, and waits for the end.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn resident(&self) -> Result<()> {
        (self.launch)(self.client, &self.inputs, &self.output);
        Ok(block_on(self.client.sync())?)
    }

    /// Seconds that the device takes for a run, by what twenty more take the host: CubeCL's own clock is of another kind.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn on_the_device(&self) -> Result<f64> {
        const MORE: u32 = 20;
        let run = |times: u32| -> Result<f64> {
            let begin = Instant::now();
            for _ in 0..times {
                (self.launch)(self.client, &self.inputs, &self.output);
            }
            block_on(self.client.sync())?;
            Ok(begin.elapsed().as_secs_f64())
        };
        Ok((run(1 + MORE)? - run(1)?) / f64::from(MORE))
    }

    /// Reads what the last run left.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn fetch<T: AnyBitPattern>(&self) -> Result<Vec<T>> {
        self.read(self.output.clone())
    }

    fn read<T: AnyBitPattern>(&self, output: Handle) -> Result<Vec<T>> {
        let bytes = self.client.read_one(output)?;
        Ok(bytemuck::cast_slice(&bytes[..self.size]).to_vec())
    }
}
