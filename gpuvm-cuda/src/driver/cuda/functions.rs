//! The functions of NVIDIA's library that are used. They are looked up by name, all at once: what an old driver lacks is an error then and
//! no panic later, and results are numbers, because newer drivers have results that no enum here knows.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

use cudarc::driver::sys;

/// The result of a call.
pub type Code = c_uint;

/// `CUgraphEdgeData`, which headers have from CUDA 12.3 on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraphEdge {
    from_port: u8,
    to_port: u8,
    kind: u8,
    reserved: [u8; 5],
}

impl GraphEdge {
    /// To a kernel that is launched when the last blocks of the one before it end, and waits for that end itself:
    /// `CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC`, and `CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC`.
    pub const DEPENDENT: GraphEdge = GraphEdge {
        from_port: 1,
        to_port: 0,
        kind: 1,
        reserved: [0; 5],
    };
}

macro_rules! functions {
    (
        needed { $($name:ident as $symbol:literal: ($($argument:ty),*);)* }
        newer { $($newer:ident as $newer_symbol:literal: ($($newer_argument:ty),*);)* }
    ) => {
        /// The functions, and those that old drivers lack.
        #[allow(missing_docs, reason = "NVIDIA's documentation has them by these names")]
        #[derive(Clone, Copy, Debug)]
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> Code,)*
            $(pub $newer: Option<unsafe extern "C" fn($($newer_argument),*) -> Code>,)*
        }

        impl Functions {
            /// Looks all up, or gives the name of the first that is not there and has to be.
            pub fn load() -> Result<Functions, &'static str> {
                // SAFETY: who calls this has asked whether the library is there. To load NVIDIA's library runs its initialisers, which
                // are made for that.
                let library = unsafe { sys::culib() };
                Ok(Functions {
                    $($name: {
                        // SAFETY: this is the function's type in NVIDIA's header, of the version that its symbol names; the library
                        // stays loaded for good.
                        let symbol = unsafe { library.get::<unsafe extern "C" fn($($argument),*) -> Code>($symbol.as_bytes()) };
                        *symbol.map_err(|_| $symbol)?
                    },)*
                    $($newer: {
                        // SAFETY: as above.
                        let symbol =
                            unsafe { library.get::<unsafe extern "C" fn($($newer_argument),*) -> Code>($newer_symbol.as_bytes()) };
                        symbol.ok().map(|symbol| *symbol)
                    },)*
                })
            }
        }
    };
}

functions! {
    needed {
        init as "cuInit": (c_uint);
        driver_get_version as "cuDriverGetVersion": (*mut c_int);
        get_error_name as "cuGetErrorName": (Code, *mut *const c_char);
        get_error_string as "cuGetErrorString": (Code, *mut *const c_char);
        device_get_count as "cuDeviceGetCount": (*mut c_int);
        device_get as "cuDeviceGet": (*mut sys::CUdevice, c_int);
        device_get_name as "cuDeviceGetName": (*mut c_char, c_int, sys::CUdevice);
        device_get_attribute as "cuDeviceGetAttribute": (*mut c_int, c_uint, sys::CUdevice);
        device_total_mem as "cuDeviceTotalMem_v2": (*mut usize, sys::CUdevice);
        device_get_pci_bus_id as "cuDeviceGetPCIBusId": (*mut c_char, c_int, sys::CUdevice);
        device_can_access_peer as "cuDeviceCanAccessPeer": (*mut c_int, sys::CUdevice, sys::CUdevice);
        device_primary_ctx_retain as "cuDevicePrimaryCtxRetain": (*mut sys::CUcontext, sys::CUdevice);
        device_primary_ctx_release as "cuDevicePrimaryCtxRelease_v2": (sys::CUdevice);
        device_primary_ctx_set_flags as "cuDevicePrimaryCtxSetFlags_v2": (sys::CUdevice, c_uint);
        ctx_set_current as "cuCtxSetCurrent": (sys::CUcontext);
        mem_pool_create as "cuMemPoolCreate": (*mut sys::CUmemoryPool, *const sys::CUmemPoolProps);
        mem_pool_destroy as "cuMemPoolDestroy": (sys::CUmemoryPool);
        mem_pool_set_attribute as "cuMemPoolSetAttribute": (sys::CUmemoryPool, c_uint, *mut c_void);
        mem_pool_set_access as "cuMemPoolSetAccess": (sys::CUmemoryPool, *const sys::CUmemAccessDesc, usize);
        mem_pool_trim_to as "cuMemPoolTrimTo": (sys::CUmemoryPool, usize);
        mem_alloc_from_pool_async as "cuMemAllocFromPoolAsync":
            (*mut sys::CUdeviceptr, usize, sys::CUmemoryPool, sys::CUstream);
        mem_free_async as "cuMemFreeAsync": (sys::CUdeviceptr, sys::CUstream);
        mem_alloc as "cuMemAlloc_v2": (*mut sys::CUdeviceptr, usize);
        mem_free as "cuMemFree_v2": (sys::CUdeviceptr);
        mem_host_alloc as "cuMemHostAlloc": (*mut *mut c_void, usize, c_uint);
        mem_free_host as "cuMemFreeHost": (*mut c_void);
        memcpy_async as "cuMemcpyAsync": (sys::CUdeviceptr, sys::CUdeviceptr, usize, sys::CUstream);
        memset_d8_async as "cuMemsetD8Async": (sys::CUdeviceptr, u8, usize, sys::CUstream);
        memset_d32_async as "cuMemsetD32Async": (sys::CUdeviceptr, c_uint, usize, sys::CUstream);
        stream_create as "cuStreamCreate": (*mut sys::CUstream, c_uint);
        stream_destroy as "cuStreamDestroy_v2": (sys::CUstream);
        stream_query as "cuStreamQuery": (sys::CUstream);
        stream_synchronize as "cuStreamSynchronize": (sys::CUstream);
        stream_write_value_32 as "cuStreamWriteValue32_v2": (sys::CUstream, sys::CUdeviceptr, u32, c_uint);
        event_create as "cuEventCreate": (*mut sys::CUevent, c_uint);
        stream_wait_event as "cuStreamWaitEvent": (sys::CUstream, sys::CUevent, c_uint);
        event_record as "cuEventRecord": (sys::CUevent, sys::CUstream);
        event_query as "cuEventQuery": (sys::CUevent);
        event_destroy as "cuEventDestroy_v2": (sys::CUevent);
        link_create as "cuLinkCreate_v2": (c_uint, *mut c_uint, *mut *mut c_void, *mut sys::CUlinkState);
        link_add_data as "cuLinkAddData_v2": (
            sys::CUlinkState, c_uint, *mut c_void, usize, *const c_char, c_uint, *mut c_uint, *mut *mut c_void
        );
        link_complete as "cuLinkComplete": (sys::CUlinkState, *mut *mut c_void, *mut usize);
        link_destroy as "cuLinkDestroy": (sys::CUlinkState);
        module_load_data as "cuModuleLoadData": (*mut sys::CUmodule, *const c_void);
        module_unload as "cuModuleUnload": (sys::CUmodule);
        module_get_function as "cuModuleGetFunction": (*mut sys::CUfunction, sys::CUmodule, *const c_char);
        occupancy as "cuOccupancyMaxActiveBlocksPerMultiprocessor": (*mut c_int, sys::CUfunction, c_int, usize);
        launch_kernel as "cuLaunchKernel": (
            sys::CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, sys::CUstream,
            *mut *mut c_void, *mut *mut c_void
        );
        graph_create as "cuGraphCreate": (*mut sys::CUgraph, c_uint);
        graph_destroy as "cuGraphDestroy": (sys::CUgraph);
        graph_add_kernel_node as "cuGraphAddKernelNode_v2": (
            *mut sys::CUgraphNode, sys::CUgraph, *const sys::CUgraphNode, usize, *const sys::CUDA_KERNEL_NODE_PARAMS_v2
        );
        graph_instantiate as "cuGraphInstantiateWithFlags": (*mut sys::CUgraphExec, sys::CUgraph, c_ulonglong);
        graph_exec_set_kernel as "cuGraphExecKernelNodeSetParams_v2":
            (sys::CUgraphExec, sys::CUgraphNode, *const sys::CUDA_KERNEL_NODE_PARAMS_v2);
        graph_exec_destroy as "cuGraphExecDestroy": (sys::CUgraphExec);
        graph_launch as "cuGraphLaunch": (sys::CUgraphExec, sys::CUstream);
    }
    newer {
        // CUDA 12.3.
        graph_add_dependencies as "cuGraphAddDependencies_v2": (
            sys::CUgraph, *const sys::CUgraphNode, *const sys::CUgraphNode, *const GraphEdge, usize
        );
    }
}
