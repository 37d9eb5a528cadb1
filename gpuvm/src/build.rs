//! Routines made at run time, by a builder with typed values and control flow.
//!
//! [`gpuvm::build`](crate::build()) calls a closure with the routine's [`Body`]. What the closure does there becomes the routine's instructions; nothing is
//! computed yet. The [`Routine`](crate::Routine) that comes of it is launched as one of the binary is, on every engine, and gives the same bits on all.
//!
//! ```
//! use gpuvm::prelude::*;
//!
//! # fn main() -> gpuvm::Result<()> {
//! // fn collatz(n: u32) -> u32
//! let collatz = gpuvm::build("collatz", |f| {
//!     let n = f.param::<u32>("n");
//!     let n = f.variable("n", n);
//!     let steps = f.variable("steps", 0u32);
//!     f.while_(
//!         |_| n.get().ne(1),
//!         |f| {
//!             f.if_else(
//!                 (n.get() % 2).eq(0),
//!                 |_| n.set(n.get() / 2),
//!                 |_| n.set(n.get() * 3 + 1),
//!             );
//!             steps.set(steps.get() + 1);
//!         },
//!     );
//!     f.ret(steps.get());
//! })?;
//! let runtime = Runtime::builder().backend(Backend::Cpu).build()?;
//! let steps: Vec<u32> = runtime.launch(&collatz)?.args((&[1u32, 7, 27],)).run()?.output()?;
//! assert_eq!(steps, [0, 16, 111]);
//! # Ok(())
//! # }
//! ```
//!
//! # Values
//!
//! A [`Value<T>`](Value) is a value of type `T` that the routine will have: a parameter, a constant, or what an operation gives. It never changes. Numbers
//! have Rust's operators, also with a constant on the right (`x * 2.0`), and methods for the rest (`x.lt(y)`, `x.min(y)`, `x.sqrt()`, `x.cast::<f32>()`).
//!
//! - `+ - *` and shifts of integers wrap, as Rust's do in a release build; a division by zero traps, as Rust's does always.
//! - Floats are exactly Rust's, and `sin` and its kin are gpuvm's own, with the same bits everywhere.
//! - `T` is any type of a column: scalars, arrays, tuples and what derives `VmType`, whose parts [`Value::field`] and [`Value::element`] give, and which
//!   [`Body::make`] makes of its parts.
//!
//! A [`Variable`] is a place for a value that does change, an [`Array`] one for several, with an index, and [`Body::table`] makes a table of constants.
//!
//! # Parameters
//!
//! They come first, in the order of the arguments, and mean what a `#[routine]`'s parameters mean:
//!
//! | here | there |
//! |---|---|
//! | [`param::<T>`](Body::param) | `x: T` |
//! | [`record::<T>`](Body::record) | `me: &mut T` |
//! | [`slice::<T>`](Body::slice) | `all: &[T]` |
//! | [`slice_mut::<T>`](Body::slice_mut) | `out: &mut [T]` |
//! | [`atomics`](Body::atomics) | `bins: &[AtomicU32]` |
//!
//! # Control flow
//!
//! [`if_`](Body::if_), [`if_else`](Body::if_else), [`while_`](Body::while_), [`loop_`](Body::loop_) and [`for_`](Body::for_) take closures, with
//! [`break_`](Body::break_) and [`continue_`](Body::continue_) inside of loops. [`ret`](Body::ret) returns, from anywhere; all that is returned has one
//! type, which is the routine's. [`panic`](Body::panic) and [`assert`](Body::assert) trap the VM.
//!
//! A compiler whose source has jumps makes [labels](Body::label), [places](Body::place) them and [jumps](Body::jump_to) to them, also
//! [where a condition holds](Body::jump_if).
//!
//! # Other routines
//!
//! [`call`](Body::call) calls one that was built or loaded before, or one of the binary ([`Routine::of`](crate::Routine::of)). A routine cannot call itself.
//!
//! ```
//! # use gpuvm::prelude::*;
//! # use gpuvm::Routine;
//! #[routine]
//! fn step(x: u32) -> u32 {
//!     x.wrapping_mul(1664525).wrapping_add(1013904223)
//! }
//!
//! # fn main() -> gpuvm::Result<()> {
//! let step = Routine::of("step")?;
//! let twice = gpuvm::build("twice", |f| {
//!     let x = f.param::<u32>("x");
//!     let once = f.call::<u32>(&step, (x,));
//!     f.ret(f.call::<u32>(&step, (once,)));
//! })?;
//! # let runtime = Runtime::builder().backend(Backend::Cpu).build()?;
//! let x: Vec<u32> = runtime.launch(&twice)?.args((&[1u32],)).run()?.output()?;
//! # assert_eq!(x, [1_015_568_748u32.wrapping_mul(1664525).wrapping_add(1013904223)]);
//! # Ok(())
//! # }
//! ```
//!
//! # Called by the binary
//!
//! [`Routine::with_table`](crate::Routine::with_table) gives a `#[routine]` a table of routines to call by number, in place of one that it calls: so a program that was
//! compiled calls what was made at run time, and each VM another of it.
//!
//! ```
//! # use gpuvm::prelude::*;
//! # use gpuvm::Routine;
//! /// What an animal eats whose gene the table does not have.
//! #[routine]
//! fn decide(gene: u32, hunger: f32) -> f32 {
//!     hunger / 2.0
//! }
//!
//! #[routine]
//! fn live(gene: u32, days: u32) -> f32 {
//!     let mut hunger = 1.0;
//!     for _ in 0..days {
//!         hunger += 0.5 - decide(gene, hunger).min(1.0);
//!     }
//!     hunger
//! }
//!
//! # fn main() -> gpuvm::Result<()> {
//! let rules: Vec<Routine> = (0..10)
//!     .map(|rule| {
//!         gpuvm::build("rule", |f| {
//!             let hunger = f.param::<f32>("hunger");
//!             f.ret(hunger * (rule as f32 / 8.0));
//!         })
//!     })
//!     .collect::<gpuvm::Result<_>>()?;
//! let live = Routine::of("live")?.with_table("decide", &rules)?;
//! # let runtime = Runtime::builder().backend(Backend::Cpu).build()?;
//! let genes = [0u32, 4, 8, 99]; // 0, a half and all of the hunger, and no rule
//! let left: Vec<f32> = runtime.launch(&live)?.args((&genes, 2u32)).run()?.output()?;
//! assert_eq!(left, [2.0, 1.0, 0.5, 1.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Files
//!
//! [`Routine::save`](crate::Routine::save) and [`Routine::load`](crate::Routine::load) keep one with all that it calls, in a file with a version and a
//! checksum; what it calls of the binary is named by id. Bytes that are no such file are an error, whatever they are.
//!
//! # As text
//!
//! [`Routine::assemble`](crate::Routine::assemble) reads a routine from text, one instruction a line, and [`Routine::disassemble`](crate::Routine::disassemble) prints one,
//! also what the builder made, so that it can be read, changed and read back. A compiler may write such text; what calls each other may be of all three kinds.
//!
//! # Mistakes
//!
//! What does not fit (an argument of the wrong type, a parameter after other values, `break_` outside of a loop) is a [`BuildError`] that names the line of
//! the closure. Traps name lines of the closure as well; a compiler of some other language says its own places with [`at`](Body::at).

pub use gpuvm_core::build::{
    Argument, Arguments, Array, Atomics, Bits, Body, BuildError, Float, Integer, Label, Number, Operand, Place,
    Returned, Scalar, Slice, SliceMut, Value, Variable,
};
