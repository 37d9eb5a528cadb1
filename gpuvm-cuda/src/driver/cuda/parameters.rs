//! Launches in the forms in which the driver takes them.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::{null_mut, with_exposed_provenance_mut};

use cudarc::driver::sys;

use super::super::Launch;

/// The parameters of kernels that have no more than so many take no memory at a launch.
const FEW_PARAMETERS: usize = 48;

/// Does something with the places of a launch's parameters.
pub fn with_places<T>(launch: &Launch<'_>, act: impl FnOnce(*mut *mut c_void) -> T) -> T {
    let base = launch.values.as_ptr();
    let place = |&offset: &u32| {
        assert!(
            (offset as usize) < launch.values.len(),
            "a parameter is one of the values"
        );
        // SAFETY: it is within the values.
        unsafe { base.add(offset as usize) }.cast_mut().cast::<c_void>()
    };
    let mut few = [null_mut::<c_void>(); FEW_PARAMETERS];
    match few.get_mut(..launch.offsets.len()) {
        Some(few) => {
            few.iter_mut()
                .zip(launch.offsets)
                .for_each(|(to, offset)| *to = place(offset));
            act(few.as_mut_ptr())
        }
        None => act(launch.offsets.iter().map(place).collect::<Vec<_>>().as_mut_ptr()),
    }
}

/// Does something with a launch as graphs have it.
pub fn with_node(launch: &Launch<'_>, act: impl FnOnce(*const sys::CUDA_KERNEL_NODE_PARAMS_v2) -> u32) -> u32 {
    with_places(launch, |places| {
        let parameters = sys::CUDA_KERNEL_NODE_PARAMS_v2 {
            func: with_exposed_provenance_mut(launch.function.kernel),
            gridDimX: launch.blocks[0],
            gridDimY: launch.blocks[1],
            gridDimZ: launch.blocks[2],
            blockDimX: launch.threads[0],
            blockDimY: launch.threads[1],
            blockDimZ: launch.threads[2],
            sharedMemBytes: 0,
            kernelParams: places,
            extra: null_mut(),
            kern: null_mut(),
            ctx: null_mut(),
        };
        act(&raw const parameters)
    })
}
