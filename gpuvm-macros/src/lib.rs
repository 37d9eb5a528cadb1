//! `#[routine]`, `#[ring_kernel]`, `#[derive(VmType)]` and `#[derive(RingMessage)]`. Thin: tokens in, tokens out; no opcode and no type
//! layout is known here. A function is lowered (`lower`) to a node stream and a shadow, and emitted (`emit`) as static data for
//! gpuvm-core's encoder.

mod args;
mod as_std;
mod asking_more;
mod behind;
mod borrowed;
mod callable;
mod cells;
mod circles;
mod code;
mod comparison;
mod configuration;
mod context;
mod definition;
mod derive;
mod elsewhere;
mod emit;
mod expansion;
mod file;
mod generic;
mod generic_impls;
mod given;
mod home;
mod host_bounds;
mod hygiene;
mod implementation;
mod inherent;
mod kept;
mod launch;
mod lower;
mod markers;
mod namesake_modules;
mod namesakes;
mod native;
mod opaque;
mod operation;
mod parameters;
mod primitive;
mod promised;
mod report;
mod rewrite;
mod ring;
mod routine;
mod shadow;
#[cfg(test)]
mod tests;
mod underived;

use proc_macro::TokenStream;

/// Makes a function a routine: it stays an ordinary Rust function, and can also run on every VM of a launch.
///
/// On a function, `#[routine]` registers it under its name, `#[routine(id = "name")]` under another, and `#[routine(callee)]` not at all: it is
/// only called by other routines. `name::launch(&runtime, …)` launches it with arguments that rustc checks.
///
/// `#[routine(relaxed)]` trades exact floats for speed: on a GPU the routine, with all it calls, may use the GPU's own arithmetic and its own
/// `sin`, `exp`, `powf` and so on, whose last bits differ from one device to the next.
///
/// `#[routine(crate = path)]` says where gpuvm is, for a crate that has it through another crate. The path has to hold in every module: `::name` or
/// `crate::name`. A name that the crate's own `Cargo.toml` gives gpuvm is found without it.
///
/// On an `impl` block it makes every method in it a routine that others may call; on the `impl` of an operator's trait, the operator. On a
/// `trait`, it lets generic routines call the trait's methods.
#[proc_macro_attribute]
pub fn routine(args: TokenStream, item: TokenStream) -> TokenStream {
    emit::routine(args.into(), item.into()).into()
}

/// What the attributes hand the user's own macros on to.
#[doc(hidden)]
#[proc_macro]
pub fn expanded(input: TokenStream) -> TokenStream {
    emit::expanded(input.into()).into()
}

/// Makes a function `fn(state: &mut State, message: Message) -> Answer` a ring kernel: each of its actors keeps a state, and calls the function
/// for every message that is sent to it.
///
/// The state is a `#[derive(VmType, Clone, Copy, Default)]` type, with whose default an actor starts. Messages are
/// `#[derive(RingMessage, Clone, Copy)]` types; the function answers with one, with `Option` of one, or not at all.
///
/// A third parameter, `ctx: &mut Ring`, knows the actor's number and sends messages to other actors: at most 4 for each message that is handled, or
/// as many as `#[ring_kernel(sends = 16)]` says. With `#[ring_kernel(replies = 3)]` it also replies, up to three times to each
/// message, before the function returns its answer. With `ctx: &mut Ring<Other>` it forwards messages `Other` to the actors of a kernel that its
/// own is linked to: at most 4 for each message, or as many as `#[ring_kernel(forwards = 16)]` says.
///
/// `#[ring_kernel]` registers it under its name, `#[ring_kernel(id = "name")]` under another. It stays an ordinary Rust function, and routines
/// can call it.
#[proc_macro_attribute]
pub fn ring_kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    emit::ring_kernel(args.into(), item.into()).into()
}

/// Makes a struct or enum a value of the machine, to be used in routines, columns and buffers. One that is no `Copy`, or that holds references or cells, stays inside of
/// routines.
///
/// Equality and order are part by part, as `#[derive(PartialEq, PartialOrd)]` have them, unless there is a `#[routine] impl` of `PartialEq`,
/// `PartialOrd` or `Ord` for the type. Where a type has type parameters and the `impl` is in another file, it says so with `#[vm_type(manual_eq)]` or
/// `#[vm_type(manual_ord)]`.
///
/// `#[vm_type(crate = path)]` says where gpuvm is, as `#[routine(crate = path)]` does.
#[proc_macro_derive(VmType, attributes(vm_type))]
pub fn vm_type(item: TokenStream) -> TokenStream {
    derive::vm_type(item.into()).into()
}

/// Makes a struct or enum a message that actors are sent or answer with. It does what `#[derive(VmType)]` does, too, and takes its place.
#[proc_macro_derive(RingMessage, attributes(vm_type))]
pub fn ring_message(item: TokenStream) -> TokenStream {
    derive::ring_message(item.into()).into()
}

/// The hash of a method's name as a literal, for gpuvm's own std: an expression would be evaluated anew in each crate where rustc looks at the `impl`.
#[doc(hidden)]
#[proc_macro]
pub fn name_hash(name: TokenStream) -> TokenStream {
    let name = name.to_string();
    let hash = gpuvm_nodes::name_hash(name.trim_matches('"'));
    proc_macro::TokenTree::from(proc_macro::Literal::u32_suffixed(hash)).into()
}

/// A name as the user reads it.
fn plain_name(name: &proc_macro2::Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}
