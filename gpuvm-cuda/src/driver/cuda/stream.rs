//! A stream of a context: the calls that a device behind wgpu's interface makes all the time.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::ptr::{NonNull, null_mut, with_exposed_provenance_mut};
use std::sync::Arc;

use cudarc::driver::sys;

use super::super::pinned::Pinned;
use super::super::{Chain, Driver, Entered, Error, Function, Kind, Launch, Mark, Result};
use super::compiler::{c_string, compile};
use super::functions::{Functions, GraphEdge};
use super::parameters::{with_node, with_places};
use super::{Context, NOT_READY};

/// A stream.
#[derive(Debug)]
pub struct Stream {
    context: Arc<Context>,
    stream: usize,
    writes_words: bool,
    /// The mailbox of the kernel that stays on it, if it is for one.
    mailbox: Option<Arc<Pinned>>,
}

impl Stream {
    /// A stream that does not wait for others.
    pub fn new(context: Arc<Context>) -> Result<Stream> {
        let entered = context.enter()?;
        let mut stream = null_mut();
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as c_uint;
        // SAFETY: the place is that of a handle, and the thread has entered.
        let code = unsafe { (context.library.functions.stream_create)(&raw mut stream, flags) };
        context.library.check("cuStreamCreate", code)?;
        let mut stream = Stream {
            context: context.clone(),
            stream: stream.expose_provenance(),
            writes_words: false,
            mailbox: None,
        };
        stream.writes_words = stream.can_write_words();
        drop(entered);
        Ok(stream)
    }

    /// Whether words can be written in order, found out by doing it: the driver's answers differ by version.
    fn can_write_words(&self) -> bool {
        let Ok(word) = self.allocate_host(4) else {
            return false;
        };
        // SAFETY: the memory has four bytes and nobody else has it.
        unsafe { word.cast::<u32>().write_volatile(0) };
        let address = word.as_ptr().expose_provenance() as u64;
        let written = self.write_word(address, 1).and_then(|()| self.synchronize());
        // SAFETY: as above; the stream is idle.
        let right = written.is_ok() && unsafe { word.cast::<u32>().read_volatile() } == 1;
        self.free_host(word);
        right
    }

    fn functions(&self) -> &Functions {
        &self.context.library.functions
    }

    fn handle(&self) -> sys::CUstream {
        with_exposed_provenance_mut(self.stream)
    }

    fn check(&self, call: &'static str, code: u32) -> Result<()> {
        self.context.library.check(call, code)
    }

    /// What a question has come to.
    fn answer(&self, call: &'static str, code: u32) -> Result<bool> {
        match code {
            0 => Ok(true),
            NOT_READY => Ok(false),
            _ => self.check(call, code).map(|()| true),
        }
    }

    fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream is there as long as this is.
        self.check("cuStreamSynchronize", unsafe {
            (self.functions().stream_synchronize)(self.handle())
        })
    }

    fn try_allocate(&self, bytes: usize) -> Result<u64> {
        let mut address = 0;
        match self.context.pool() {
            // SAFETY: the place is that of an address, pool and stream are there as long as this is.
            Some(pool) => self.check("cuMemAllocFromPoolAsync", unsafe {
                (self.functions().mem_alloc_from_pool_async)(&raw mut address, bytes, pool, self.handle())
            })?,
            // SAFETY: the place is that of an address.
            None => self.check("cuMemAlloc", unsafe {
                (self.functions().mem_alloc)(&raw mut address, bytes)
            })?,
        }
        Ok(address)
    }

    /// Lets the driver have what the pool keeps.
    fn trim(&self) -> Result<()> {
        self.synchronize()?;
        match self.context.pool() {
            // SAFETY: the pool is there as long as this is.
            Some(pool) => self.check("cuMemPoolTrimTo", unsafe {
                (self.functions().mem_pool_trim_to)(pool, 0)
            }),
            None => Ok(()),
        }
    }
}

impl Driver for Stream {
    fn enter(&self) -> Result<Entered> {
        self.context.enter()
    }

    fn allocate(&self, bytes: u64) -> Result<u64> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        match self.try_allocate(bytes) {
            Err(error) if error.kind == Kind::OutOfMemory => {
                self.trim()?;
                self.try_allocate(bytes)
            }
            other => other,
        }
    }

    fn free(&self, address: u64) {
        // What goes wrong here has gone wrong before, and is told by what was before.
        match self.context.pool {
            // SAFETY: the memory came from this stream, and nobody has it but what the stream still does.
            Some(_) => unsafe { (self.functions().mem_free_async)(address, self.handle()) },
            // SAFETY: as above; this waits for the GPU.
            None => unsafe { (self.functions().mem_free)(address) },
        };
    }

    fn allocate_host(&self, bytes: usize) -> Result<NonNull<u8>> {
        let _alone = self.context.staying.leave();
        let mut start = null_mut();
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: the place is that of an address.
        self.check("cuMemHostAlloc", unsafe {
            (self.functions().mem_host_alloc)(&raw mut start, bytes, flags)
        })?;
        NonNull::new(start.cast()).ok_or_else(|| Error {
            kind: Kind::OutOfMemory,
            call: "cuMemHostAlloc",
            code: 0,
            text: "no address".to_string(),
        })
    }

    fn free_host(&self, start: NonNull<u8>) {
        let _alone = self.context.staying.leave();
        // SAFETY: the memory came from `cuMemHostAlloc`, and neither host nor device has it any more.
        unsafe { (self.functions().mem_free_host)(start.as_ptr().cast()) };
    }

    fn beside(&self, mailbox: &Arc<Pinned>) -> Result<Option<Arc<dyn Driver>>> {
        if !self.context.staying.add(mailbox) {
            return Ok(None);
        }
        let stream = Stream::new(self.context.clone());
        let mut stream = stream.inspect_err(|_| self.context.staying.remove(mailbox))?;
        stream.mailbox = Some(mailbox.clone());
        Ok(Some(Arc::new(stream)))
    }

    fn copy(&self, from: u64, to: u64, bytes: u64) -> Result<()> {
        // SAFETY: both are memory of so many bytes, see the trait; under unified addressing the driver tells by the addresses whose.
        self.check("cuMemcpyAsync", unsafe {
            (self.functions().memcpy_async)(to, from, bytes as usize, self.handle())
        })
    }

    fn clear(&self, address: u64, bytes: u64) -> Result<()> {
        if address.is_multiple_of(4) && bytes.is_multiple_of(4) {
            // SAFETY: there are so many bytes, see the trait.
            return self.check("cuMemsetD32Async", unsafe {
                (self.functions().memset_d32_async)(address, 0, bytes as usize / 4, self.handle())
            });
        }
        // SAFETY: as above.
        self.check("cuMemsetD8Async", unsafe {
            (self.functions().memset_d8_async)(address, 0, bytes as usize, self.handle())
        })
    }

    fn write_word(&self, address: u64, value: u32) -> Result<()> {
        let flags = sys::CUstreamWriteValue_flags_enum::CU_STREAM_WRITE_VALUE_DEFAULT as c_uint;
        // SAFETY: the address is that of a word that the host reads by atomics only.
        self.check("cuStreamWriteValue32", unsafe {
            (self.functions().stream_write_value_32)(self.handle(), address, value, flags)
        })
    }

    fn writes_words(&self) -> bool {
        self.writes_words
    }

    fn mark(&self) -> Result<Mark> {
        let mut event = null_mut();
        let flags = sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as c_uint;
        // SAFETY: the place is that of a handle.
        self.check("cuEventCreate", unsafe {
            (self.functions().event_create)(&raw mut event, flags)
        })?;
        let mark = Mark(event.expose_provenance());
        // SAFETY: the event is the one just made.
        let recorded = self.check("cuEventRecord", unsafe {
            (self.functions().event_record)(event, self.handle())
        });
        recorded.inspect_err(|_| self.forget(mark)).map(|()| mark)
    }

    fn has_passed(&self, mark: Mark) -> Result<bool> {
        // SAFETY: the event is there until it is forgotten.
        let code = unsafe { (self.functions().event_query)(with_exposed_provenance_mut(mark.0)) };
        self.answer("cuEventQuery", code)
    }

    fn wait_for(&self, mark: Mark) -> Result<()> {
        // SAFETY: the event is there until it is forgotten, and the stream as long as this is.
        self.check("cuStreamWaitEvent", unsafe {
            (self.functions().stream_wait_event)(self.handle(), with_exposed_provenance_mut(mark.0), 0)
        })
    }

    fn number(&self) -> usize {
        self.context.ordinal.unsigned_abs() as usize
    }

    fn open_to(&self, number: usize) -> Result<bool> {
        self.context.open_to(number)
    }

    fn forget(&self, mark: Mark) {
        // SAFETY: nobody asks for the event any more.
        unsafe { (self.functions().event_destroy)(with_exposed_provenance_mut(mark.0)) };
    }

    fn is_idle(&self) -> Result<bool> {
        // SAFETY: the stream is there as long as this is.
        let code = unsafe { (self.functions().stream_query)(self.handle()) };
        self.answer("cuStreamQuery", code)
    }

    fn compile(&self, ptx: &str) -> Result<Vec<u8>> {
        compile(self.context.library, ptx)
    }

    fn load(&self, cubin: &[u8], entry: &str) -> Result<Function> {
        let name = c_string("cuModuleGetFunction", entry)?;
        let alone = self.context.staying.leave();
        let mut module = null_mut();
        // SAFETY: the image was made by this driver's compiler, and tells its own length.
        self.check("cuModuleLoadData", unsafe {
            (self.functions().module_load_data)(&raw mut module, cubin.as_ptr().cast())
        })?;
        let mut kernel: sys::CUfunction = null_mut();
        // SAFETY: the place is that of a handle, the module the one just made, the name a string.
        let found = self.check("cuModuleGetFunction", unsafe {
            (self.functions().module_get_function)(&raw mut kernel, module, name.as_ptr())
        });
        let function = Function {
            module: module.expose_provenance(),
            kernel: kernel.expose_provenance(),
        };
        drop(alone);
        found.inspect_err(|_| self.unload(function)).map(|()| function)
    }

    fn unload(&self, function: Function) {
        let _alone = self.context.staying.leave();
        // SAFETY: the module was loaded for this function, which is not running and is not launched again.
        unsafe { (self.functions().module_unload)(with_exposed_provenance_mut(function.module)) };
    }

    fn resident_blocks(&self, function: Function, threads: u32) -> Result<u32> {
        let mut blocks = 0;
        let kernel = with_exposed_provenance_mut(function.kernel);
        // SAFETY: the place is that of a number, and the function is loaded.
        self.check("cuOccupancyMaxActiveBlocksPerMultiprocessor", unsafe {
            (self.functions().occupancy)(&raw mut blocks, kernel, threads as c_int, 0)
        })?;
        Ok(u32::try_from(blocks).unwrap_or_default() * self.context.multiprocessors)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let _way = self.mailbox.as_ref().map(|mailbox| self.context.staying.enter(mailbox));
        let ([x, y, z], [i, j, k]) = (launch.blocks, launch.threads);
        let kernel = with_exposed_provenance_mut(launch.function.kernel);
        // SAFETY: the function is loaded and stays so until the launch has ended; it has as many parameters as there are places, of the
        // sizes that its translation says, and the driver copies them now. What it does with the addresses among them its translation
        // answers for.
        self.check(
            "cuLaunchKernel",
            with_places(launch, |places| unsafe {
                let launch_kernel = self.functions().launch_kernel;
                launch_kernel(kernel, x, y, z, i, j, k, 0, self.handle(), places, null_mut())
            }),
        )
    }

    fn launches_dependents(&self) -> bool {
        self.context.launches_dependents && self.functions().graph_add_dependencies.is_some()
    }

    fn chain(&self, length: usize, launch: &Launch<'_>) -> Result<Chain> {
        let functions = self.functions();
        let add_edge = functions.graph_add_dependencies.filter(|_| self.launches_dependents());
        let edge = GraphEdge::DEPENDENT;
        let mut graph = null_mut();
        // SAFETY: the place is that of a handle.
        self.check("cuGraphCreate", unsafe { (functions.graph_create)(&raw mut graph, 0) })?;
        let mut chain = Chain {
            graph: graph.expose_provenance(),
            runnable: 0,
            links: Vec::with_capacity(length),
        };
        let mut before: sys::CUgraphNode = null_mut();
        let made = (0..length).try_for_each(|number| {
            let mut node = null_mut();
            // SAFETY: the places are those of a handle and of the one before, if there is one; the parameters are copied now.
            let code = with_node(launch, |parameters| unsafe {
                let dependencies = usize::from(number > 0 && add_edge.is_none());
                (functions.graph_add_kernel_node)(&raw mut node, graph, &raw const before, dependencies, parameters)
            });
            self.check("cuGraphAddKernelNode", code)?;
            if number > 0
                && let Some(add_edge) = add_edge
            {
                // SAFETY: both nodes are this graph's, and the edge is copied now. The kernels wait for what they depend on.
                let code = unsafe { add_edge(graph, &raw const before, &raw const node, &raw const edge, 1) };
                self.check("cuGraphAddDependencies", code)?;
            }
            before = node;
            chain.links.push(node.expose_provenance());
            Ok(())
        });
        let made = made.and_then(|()| {
            let mut runnable = null_mut();
            // SAFETY: the place is that of a handle, and the graph the one just made.
            self.check("cuGraphInstantiate", unsafe {
                (functions.graph_instantiate)(&raw mut runnable, graph, 0)
            })?;
            chain.runnable = runnable.expose_provenance();
            Ok(())
        });
        match made {
            Ok(()) => Ok(chain),
            Err(error) => {
                self.forget_chain(&chain);
                Err(error)
            }
        }
    }

    fn set_link(&self, chain: &Chain, at: usize, launch: &Launch<'_>) -> Result<()> {
        let runnable = with_exposed_provenance_mut(chain.runnable);
        let node = with_exposed_provenance_mut(chain.links[at]);
        // SAFETY: both are there until the chain is forgotten, and the parameters are copied now; what was launched before stays as it is.
        let code = with_node(launch, |parameters| unsafe {
            (self.functions().graph_exec_set_kernel)(runnable, node, parameters)
        });
        self.check("cuGraphExecKernelNodeSetParams", code)
    }

    fn launch_chain(&self, chain: &Chain) -> Result<()> {
        // SAFETY: the chain is there, and its functions are loaded and stay so until the launch has ended; for each see `launch`.
        self.check("cuGraphLaunch", unsafe {
            (self.functions().graph_launch)(with_exposed_provenance_mut(chain.runnable), self.handle())
        })
    }

    fn forget_chain(&self, chain: &Chain) {
        if chain.runnable != 0 {
            // SAFETY: nobody has it any more. What of it is running runs on.
            unsafe { (self.functions().graph_exec_destroy)(with_exposed_provenance_mut(chain.runnable)) };
        }
        // SAFETY: as above.
        unsafe { (self.functions().graph_destroy)(with_exposed_provenance_mut(chain.graph)) };
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(mailbox) = &self.mailbox {
            self.context.staying.remove(mailbox);
        }
        if let Ok(_entered) = self.enter() {
            // SAFETY: nobody has it any more. What it still has to do it does.
            unsafe { (self.functions().stream_destroy)(self.handle()) };
        }
    }
}
