//! The driver's compiler of PTX.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::Once;

use cudarc::driver::sys;

use super::super::{Error, Kind, Result};
use super::{Library, close_at_exit};

/// Bytes of the compiler's messages to keep.
const LOG: usize = 8192;

/// Compiles PTX for the GPU whose context is the thread's.
///
/// # Errors
///
/// With what the compiler says.
pub fn compile(library: &Library, ptx: &str) -> Result<Vec<u8>> {
    use sys::CUjit_option_enum as Jit;
    let functions = &library.functions;
    let text = c_string("cuLinkAddData", ptx)?;
    let mut log = vec![0_u8; LOG];
    let mut options = [
        Jit::CU_JIT_ERROR_LOG_BUFFER as c_uint,
        Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as c_uint,
    ];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(LOG)];
    let mut linker = null_mut();
    // SAFETY: there are two options with their values, which stay until the linker is destroyed below, as the log does.
    library.check("cuLinkCreate", unsafe {
        (functions.link_create)(2, options.as_mut_ptr(), values.as_mut_ptr(), &raw mut linker)
    })?;
    let kind = sys::CUjitInputType_enum::CU_JIT_INPUT_PTX as c_uint;
    let bytes = text.as_bytes_with_nul();
    let name: *const c_char = c"kernel".as_ptr();
    // SAFETY: the text has so many bytes, its end included, and is only read.
    let added = library.check("cuLinkAddData", unsafe {
        let data = bytes.as_ptr().cast_mut().cast();
        (functions.link_add_data)(linker, kind, data, bytes.len(), name, 0, null_mut(), null_mut())
    });
    let (mut cubin, mut size) = (null_mut(), 0);
    let linked = added.and_then(|()| {
        // SAFETY: the places are those of an address and a size.
        library.check("cuLinkComplete", unsafe {
            (functions.link_complete)(linker, &raw mut cubin, &raw mut size)
        })
    });
    let result = linked.map(|()| {
        // SAFETY: the linker has so many bytes there until it is destroyed.
        unsafe { std::slice::from_raw_parts(cubin.cast::<u8>(), size) }.to_vec()
    });
    // SAFETY: it was made above, and nobody has what it has.
    unsafe { (functions.link_destroy)(linker) };
    // The driver loads its compiler for the first compilation, which a device does when it is opened.
    static COMPILER_LOADED: Once = Once::new();
    COMPILER_LOADED.call_once(close_at_exit);
    result.map_err(|error| {
        let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
        let said = String::from_utf8_lossy(&log[..end]);
        let text = match said.trim() {
            "" => error.text,
            said => format!("{}: {said}", error.text),
        };
        Error { text, ..error }
    })
}

/// A text for the driver.
///
/// # Errors
///
/// If it has a zero in it.
pub fn c_string(call: &'static str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error {
        kind: Kind::Refused,
        call,
        code: 0,
        text: "the text has a zero in it".to_string(),
    })
}
