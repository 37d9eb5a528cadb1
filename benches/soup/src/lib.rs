//! A soup of a thousand different routines of 10 to 30 lines each, as a large program has them: integer arithmetic, bits, branches and
//! loops. `build.rs` writes every one in Rust and, with the same meaning, in WGSL.

/// One routine.
#[derive(Clone, Copy)]
pub struct Recipe {
    /// The id to launch it by. It takes two `u32` and returns one.
    pub id: &'static str,
    /// The function itself.
    pub native: fn(u32, u32) -> u32,
    /// A compute shader of the same meaning: entry point `main`, workgroups of 64, the count of its invocations in the uniform of binding
    /// 0, the parameters in the storage buffers of bindings 1 and 2, the results in that of binding 3.
    pub wgsl: &'static str,
    /// Lines of the function's body.
    pub lines: u32,
}

include!(concat!(env!("OUT_DIR"), "/soup.rs"));
