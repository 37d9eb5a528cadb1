//! NVIDIA's driver: its library, which is looked for when somebody asks for devices, the machine's GPUs, and their contexts.
#![allow(unsafe_code)]

mod compiler;
mod functions;
mod parameters;
mod staying;
mod stream;

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use cudarc::driver::sys;

use self::functions::{Code, Functions};
use self::staying::Staying;
use self::stream::Stream;
use super::gate::{Entered, Gate};
use super::{About, Absent, Driver, Error, Gpu, Kind, Result};

/// The machine's GPUs that can be used.
///
/// # Errors
///
/// Why there are none.
pub fn gpus() -> std::result::Result<Vec<Arc<dyn Gpu>>, Absent> {
    // Once it has started it does not go away, and if it is not there it may come.
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    let library = match LIBRARY.get() {
        Some(library) => library,
        None => {
            let library: &'static Library = Box::leak(Box::new(Library::start()?));
            LIBRARY.get_or_init(|| library)
        }
    };
    let Some(_entered) = GATE.enter() else {
        return Err(Absent::Driver(Error::ended("cuDeviceGetCount").text));
    };
    let said = |error: Error| Absent::Driver(error.to_string());
    let mut count = 0;
    // SAFETY: the place is that of a number.
    let counted = library.check("cuDeviceGetCount", unsafe {
        (library.functions.device_get_count)(&raw mut count)
    });
    counted.map_err(said)?;
    let cards = (0..count).map(|ordinal| Card::new(library, ordinal));
    let cards = cards.collect::<Result<Vec<_>>>().map_err(said)?;
    let Some(first) = cards.first() else {
        return Err(Absent::NoGpu);
    };
    let name = first.about.name.clone();
    let new = cards
        .into_iter()
        .filter(|card| card.about.capability >= LEAST_CAPABILITY);
    let gpus: Vec<Arc<dyn Gpu>> = new.map(|card| Arc::new(card) as Arc<dyn Gpu>).collect();
    match gpus.is_empty() {
        true => Err(Absent::OldGpu(name)),
        false => Ok(gpus),
    }
}

/// The capability that kernels are written for.
const LEAST_CAPABILITY: [u32; 2] = [7, 0];
/// The least capability with programmatic dependent launch.
const DEPENDENT_LAUNCH: [u32; 2] = [9, 0];
/// The version of CUDA that the driver has to have at least.
const LEAST_VERSION: u32 = 12_000;
/// Through here goes every call, from the first on.
static GATE: Gate = Gate::new();

/// NVIDIA's library, started.
#[derive(Debug)]
struct Library {
    functions: Functions,
    version: u32,
    driver: Option<String>,
    /// The contexts that are open, by the GPUs' numbers.
    contexts: Mutex<HashMap<c_int, Weak<Context>>>,
}

/// A GPU.
#[derive(Debug)]
struct Card {
    library: &'static Library,
    ordinal: c_int,
    device: sys::CUdevice,
    about: About,
}

/// A GPU's primary context, and memory for all its streams. Handles are kept as numbers, which may go from thread to thread as the
/// driver's may.
#[derive(Debug)]
struct Context {
    library: &'static Library,
    ordinal: c_int,
    device: sys::CUdevice,
    context: usize,
    /// Where device memory comes from, if the GPU has such pools.
    pool: Option<usize>,
    /// Whether other GPUs reach that memory, by their numbers, as far as anybody has asked.
    open_to: Mutex<HashMap<usize, bool>>,
    multiprocessors: u32,
    /// Whether the GPU can launch a kernel while the one that it depends on still runs.
    launches_dependents: bool,
    /// Kernels that stay.
    staying: Staying,
}

unsafe extern "C" {
    /// C's: what is to be called when the process ends.
    fn atexit(called: extern "C" fn()) -> c_int;
}

/// Has the gate closed when the process ends. What is registered last is called first, so this has to be done after the driver, or a part of
/// it that it loads later, has registered how it takes itself down; more than once does no harm.
fn close_at_exit() {
    extern "C" fn close() {
        GATE.close();
    }
    // SAFETY: the function does not unwind: it only waits.
    unsafe { atexit(close) };
}

impl Library {
    /// Loads and starts the library.
    fn start() -> std::result::Result<Library, Absent> {
        // SAFETY: to load NVIDIA's library runs its initialisers, which are made for that.
        if !unsafe { sys::is_culib_present() } {
            return Err(Absent::NoLibrary);
        }
        let missing = |symbol| Absent::Driver(format!("its library has no function `{symbol}`"));
        let functions = Functions::load();
        let Ok(functions) = functions else {
            let symbol = functions.err().unwrap_or_default();
            return Err(missing(symbol));
        };
        let mut version = 0;
        // SAFETY: the place is that of a number; this call works before `cuInit`.
        unsafe { (functions.driver_get_version)(&raw mut version) };
        let version = u32::try_from(version).unwrap_or_default();
        if version < LEAST_VERSION {
            return Err(Absent::OldDriver(version));
        }
        let library = Library {
            functions,
            version,
            driver: driver_version(),
            contexts: Mutex::default(),
        };
        // SAFETY: 0 is what it takes.
        let started = library.check("cuInit", unsafe { (functions.init)(0) });
        started.map_err(|error| match error.code {
            NO_DEVICE => Absent::NoGpu,
            _ => Absent::Driver(error.to_string()),
        })?;
        close_at_exit();
        Ok(library)
    }

    /// What a call has come to.
    fn check(&self, call: &'static str, code: Code) -> Result<()> {
        match code {
            0 => Ok(()),
            _ => Err(self.error(call, code)),
        }
    }

    #[cold]
    fn error(&self, call: &'static str, code: Code) -> Error {
        let text = |get: unsafe extern "C" fn(Code, *mut *const c_char) -> Code| {
            let mut text = std::ptr::null();
            // SAFETY: the place is that of a pointer. What it gets is a string that stays, or null.
            let known = unsafe { get(code, &raw mut text) } == 0 && !text.is_null();
            // SAFETY: as said.
            known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        let parts = [self.functions.get_error_name, self.functions.get_error_string].map(text);
        Error {
            kind: kind(code),
            call,
            code,
            text: parts.into_iter().flatten().collect::<Vec<_>>().join(", "),
        }
    }
}

/// `CUDA_ERROR_NO_DEVICE`.
const NO_DEVICE: u32 = 100;
/// `CUDA_ERROR_NOT_READY`.
const NOT_READY: u32 = 600;

/// What follows from an error.
fn kind(code: Code) -> Kind {
    match code {
        2 => Kind::OutOfMemory,
        4 => Kind::Ended,
        // Memory or links that cannot be corrected, faults of kernels, contexts that are gone; and what NVIDIA does not know itself.
        201 | 214 | 220 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 722 | 999 => Kind::Lost,
        _ => Kind::Refused,
    }
}

/// The version of the driver, which CUDA itself does not tell: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  …".
fn driver_version() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let numbers = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    text.lines()
        .next()?
        .split_whitespace()
        .find(numbers)
        .map(str::to_string)
}

impl Card {
    fn new(library: &'static Library, ordinal: c_int) -> Result<Card> {
        let functions = &library.functions;
        let mut device = 0;
        // SAFETY: the place is that of a handle.
        library.check("cuDeviceGet", unsafe {
            (functions.device_get)(&raw mut device, ordinal)
        })?;
        let mut memory = 0;
        // SAFETY: the place is that of a size, and the device the driver's.
        library.check("cuDeviceTotalMem", unsafe {
            (functions.device_total_mem)(&raw mut memory, device)
        })?;
        let name = text(|at, length| {
            // SAFETY: the place has so many bytes, and the device is the driver's.
            library.check("cuDeviceGetName", unsafe {
                (functions.device_get_name)(at, length, device)
            })
        })?;
        let bus = text(|at, length| {
            // SAFETY: as above.
            library.check("cuDeviceGetPCIBusId", unsafe {
                (functions.device_get_pci_bus_id)(at, length, device)
            })
        });
        let card = Card {
            library,
            ordinal,
            device,
            about: About {
                name,
                capability: [0; 2],
                memory: memory as u64,
                multiprocessors: 0,
                integrated: false,
                bus: bus.unwrap_or_default(),
                version: library.version,
                driver: library.driver.clone(),
            },
        };
        use sys::CUdevice_attribute_enum as Attribute;
        let about = About {
            capability: [
                card.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                card.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ],
            multiprocessors: card.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            integrated: card.attribute(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED)? != 0,
            ..card.about.clone()
        };
        Ok(Card { about, ..card })
    }

    fn attribute(&self, attribute: sys::CUdevice_attribute) -> Result<u32> {
        let mut value = 0;
        // SAFETY: the place is that of a number, and the device the driver's.
        let code =
            unsafe { (self.library.functions.device_get_attribute)(&raw mut value, attribute as c_uint, self.device) };
        self.library.check("cuDeviceGetAttribute", code)?;
        Ok(u32::try_from(value).unwrap_or_default())
    }

    /// The GPU's context, opened if it is not.
    fn context(&self) -> Result<Arc<Context>> {
        let mut contexts = self.library.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = contexts.get(&self.ordinal).and_then(Weak::upgrade) {
            return Ok(context);
        }
        let pools = self.attribute(sys::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)?;
        let context = Arc::new(Context::new(self, pools != 0)?);
        contexts.insert(self.ordinal, Arc::downgrade(&context));
        Ok(context)
    }
}

/// A text that the driver writes to so many bytes.
fn text(write: impl FnOnce(*mut c_char, c_int) -> Result<()>) -> Result<String> {
    let mut bytes = [0_u8; 256];
    write(bytes.as_mut_ptr().cast(), bytes.len() as c_int)?;
    let text = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
    Ok(text.to_string_lossy().into_owned())
}

impl Gpu for Card {
    fn about(&self) -> &About {
        &self.about
    }

    fn open(&self) -> Result<Arc<dyn Driver>> {
        let _entered = GATE.enter().ok_or_else(|| Error::ended("cuDevicePrimaryCtxRetain"))?;
        Ok(Arc::new(Stream::new(self.context()?)?))
    }
}

impl Context {
    fn new(card: &Card, pools: bool) -> Result<Context> {
        let (library, functions) = (card.library, &card.library.functions);
        // Threads that wait in the driver sleep. Where somebody else has opened the context it is as they wanted it.
        let flags = sys::CUctx_flags_enum::CU_CTX_SCHED_BLOCKING_SYNC as c_uint;
        // SAFETY: the device is the driver's.
        unsafe { (functions.device_primary_ctx_set_flags)(card.device, flags) };
        let mut context = null_mut();
        // SAFETY: the place is that of a handle, and the device the driver's.
        library.check("cuDevicePrimaryCtxRetain", unsafe {
            (functions.device_primary_ctx_retain)(&raw mut context, card.device)
        })?;
        let mut context = Context {
            library,
            ordinal: card.ordinal,
            device: card.device,
            context: context.expose_provenance(),
            pool: None,
            open_to: Mutex::default(),
            multiprocessors: card.about.multiprocessors,
            launches_dependents: card.about.capability >= DEPENDENT_LAUNCH,
            staying: Staying::default(),
        };
        // From here on the context is let go of by being dropped.
        if pools {
            context.pool = Some(context.new_pool(card)?);
        }
        Ok(context)
    }

    /// A pool that keeps what is freed.
    fn new_pool(&self, card: &Card) -> Result<usize> {
        let functions = &self.library.functions;
        let _entered = self.enter()?;
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType_enum::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::CUmemAllocationHandleType_enum::CU_MEM_HANDLE_TYPE_NONE,
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType_enum::CU_MEM_LOCATION_TYPE_DEVICE,
                id: card.ordinal,
            },
            win32SecurityAttributes: null_mut(),
            reserved: [0; 64],
        };
        let mut pool = null_mut();
        // SAFETY: the places are those of a handle and of properties.
        self.library.check("cuMemPoolCreate", unsafe {
            (functions.mem_pool_create)(&raw mut pool, &raw const properties)
        })?;
        let threshold = sys::CUmemPool_attribute_enum::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as c_uint;
        let mut all = u64::MAX;
        // SAFETY: the pool is the one just made, and this attribute is a number of 64 bits.
        let code = unsafe { (functions.mem_pool_set_attribute)(pool, threshold, (&raw mut all).cast()) };
        // Without it memory is given back to the driver whenever the stream is waited for, which is slow and no more.
        let _ = self.library.check("cuMemPoolSetAttribute", code);
        Ok(pool.expose_provenance())
    }

    /// Lets another GPU reach the pool's memory; whether it can. The thread has entered.
    fn open_to(&self, number: usize) -> Result<bool> {
        let mut open_to = self.open_to.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_open) = open_to.get(&number) {
            return Ok(*is_open);
        }
        let is_open = match (self.pool(), c_int::try_from(number)) {
            (_, Ok(other)) if other == self.ordinal => true,
            (Some(pool), Ok(other)) => self.open_pool_to(pool, other)?,
            _ => false,
        };
        open_to.insert(number, is_open);
        Ok(is_open)
    }

    fn open_pool_to(&self, pool: sys::CUmemoryPool, other: c_int) -> Result<bool> {
        let functions = &self.library.functions;
        let (mut device, mut can) = (0, 0);
        // SAFETY: the places are those of a handle and of a number, and the devices the driver's.
        self.library
            .check("cuDeviceGet", unsafe { (functions.device_get)(&raw mut device, other) })?;
        // SAFETY: as above.
        self.library.check("cuDeviceCanAccessPeer", unsafe {
            (functions.device_can_access_peer)(&raw mut can, device, self.device)
        })?;
        if can == 0 {
            return Ok(false);
        }
        let access = sys::CUmemAccessDesc {
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType_enum::CU_MEM_LOCATION_TYPE_DEVICE,
                id: other,
            },
            flags: sys::CUmemAccess_flags_enum::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: the pool is there as long as this is, and one description is given.
        let code = unsafe { (functions.mem_pool_set_access)(pool, &raw const access, 1) };
        Ok(self.library.check("cuMemPoolSetAccess", code).is_ok())
    }

    /// Makes the context the thread's.
    fn enter(&self) -> Result<Entered> {
        let entered = GATE.enter().ok_or_else(|| Error::ended("cuCtxSetCurrent"))?;
        // SAFETY: the context is retained as long as this is.
        let code = unsafe { (self.library.functions.ctx_set_current)(self.handle()) };
        self.library.check("cuCtxSetCurrent", code)?;
        Ok(entered)
    }

    fn handle(&self) -> sys::CUcontext {
        std::ptr::with_exposed_provenance_mut(self.context)
    }

    fn pool(&self) -> Option<sys::CUmemoryPool> {
        self.pool.map(std::ptr::with_exposed_provenance_mut)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let functions = &self.library.functions;
        let Ok(_entered) = self.enter() else {
            // A context that is lost has to be released as well, or the next one to be opened would be the same.
            if let Some(_entered) = GATE.enter() {
                // SAFETY: it was retained once.
                unsafe { (functions.device_primary_ctx_release)(self.device) };
            }
            return;
        };
        if let Some(pool) = self.pool() {
            // SAFETY: the pool is this context's, and all its memory was given back: whoever has some keeps the context.
            unsafe { (functions.mem_pool_destroy)(pool) };
        }
        // SAFETY: no stream has the context any more, and it was retained once.
        unsafe {
            (functions.ctx_set_current)(null_mut());
            (functions.device_primary_ctx_release)(self.device);
        }
    }
}
