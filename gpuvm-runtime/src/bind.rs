//! Binding: arguments meet parameters. Every mistake a caller can make in a launch is found here, before anything runs,
//! and told by the parameter's name.

use std::borrow::Cow;

use gpuvm_core::program::Mode;
use gpuvm_core::types::{Type, TypeRef, Value};

use crate::arg::{Arg, Argument};
use crate::atomics::OwnAtomics;
use crate::entry::Entry;
use crate::error::{Error, Result};

/// Arguments that fit their parameters.
pub(crate) struct Binding<'a> {
    /// One a parameter, in order.
    pub params: Vec<Bound<'a>>,
    /// How many VMs to run, at least 1.
    pub vms: u32,
}

/// One parameter with its argument.
pub(crate) struct Bound<'a> {
    pub mode: Mode,
    pub argument: Argument<'a>,
}

impl Bound<'static> {
    /// Words that all VMs of a launch share and no caller has lent.
    pub(crate) fn own_words(words: &[u32]) -> Bound<'static> {
        Bound {
            mode: Mode::Atomic,
            argument: Argument::OwnAtomics(OwnAtomics::of_words(u32::TYPE, words)),
        }
    }
}

/// Checks the arguments against the parameters' types, and finds how many VMs there are.
///
/// # Errors
///
/// What is wrong with the first argument that is wrong.
pub(crate) fn bind<'a>(
    entry: &Entry,
    types: &[TypeRef],
    args: Vec<Arg<'a>>,
    vms: Option<usize>,
) -> Result<Binding<'a>> {
    if args.len() != types.len() {
        return Err(Error::ArgumentCount {
            routine: entry.id().to_string(),
            expected: types.len(),
            parameters: entry.names(),
            found: args.len(),
        });
    }
    let mut params = Vec::with_capacity(args.len());
    for (index, (Arg(argument), ty)) in args.into_iter().zip(types).enumerate() {
        let parameter = Parameter {
            entry,
            name: entry.name(index),
        };
        let Some((mode, element)) = Mode::of(*ty) else {
            return Err(parameter.wrong_type("a parameter that a launch can give".to_string(), format!("`{ty}`")));
        };
        parameter.check_type(mode, element, &argument)?;
        argument.check_sizes(|| format!("argument `{}` of `{}`", parameter.name, entry.id()))?;
        params.push(Bound { mode, argument });
    }
    let vms = count_vms(entry, &params, vms)?;
    check_sharing(entry, &params)?;
    Ok(Binding { params, vms })
}

/// A parameter, for errors about it.
struct Parameter<'e> {
    entry: &'e Entry,
    name: Cow<'e, str>,
}

impl Parameter<'_> {
    fn check_type(&self, mode: Mode, element: &'static Type, argument: &Argument<'_>) -> Result<()> {
        if argument.suits(mode) && argument.element().same(element) {
            return Ok(());
        }
        Err(self.wrong_type(crate::arg::accepted(mode, element), argument.found_for(mode, element)))
    }

    fn wrong_type(&self, expected: String, found: String) -> Error {
        Error::ArgumentType {
            routine: self.entry.id().to_string(),
            parameter: self.name.to_string(),
            expected,
            found,
        }
    }
}

/// The number of VMs: what `.vms(n)` says, or the length of the columns, which all have to agree.
fn count_vms(entry: &Entry, params: &[Bound<'_>], asked: Option<usize>) -> Result<u32> {
    let routine = || entry.id().to_string();
    let mut decided = asked.map(|vms| (vms, "`.vms(…)` says so".to_string()));
    for (index, bound) in params.iter().enumerate() {
        let length = bound.argument.len();
        let own = matches!(bound.mode, Mode::Value | Mode::Record) && !matches!(bound.argument, Argument::Uniform(_));
        if !own {
            continue;
        }
        let parameter = entry.name(index).into_owned();
        if length == 0 {
            return Err(Error::EmptyColumn {
                routine: routine(),
                parameter,
            });
        }
        match &decided {
            None => decided = Some((length, format!("`{parameter}` has as many entries"))),
            Some((vms, _)) if *vms == length => {}
            Some((vms, why)) => {
                return Err(Error::ArgumentLength {
                    routine: routine(),
                    parameter,
                    expected: *vms,
                    found: length,
                    decided_by: why.clone(),
                });
            }
        }
    }
    let vms = decided.map_or(0, |(vms, _)| vms);
    if vms == 0 {
        return Err(Error::NoVms { routine: routine() });
    }
    for (index, bound) in params.iter().enumerate() {
        let length = bound.argument.len();
        if bound.mode == Mode::Chunk && length % vms != 0 {
            return Err(Error::ChunkLength {
                routine: routine(),
                parameter: entry.name(index).into_owned(),
                length,
                vms,
            });
        }
    }
    u32::try_from(vms).map_err(|_| Error::TooLarge {
        routine: routine(),
        words: vms as u64,
        vms: vms as u64,
        engine: gpuvm_engine::Engine::Auto,
    })
}

/// Refuses two parameters that write the same memory. Plain `&mut` arguments cannot be the same, rustc sees to that; handles of
/// one buffer and slices of atomics can. One slice of atomics may stand for several parameters.
fn check_sharing(entry: &Entry, params: &[Bound<'_>]) -> Result<()> {
    for (j, second) in params.iter().enumerate() {
        for (i, first) in params[..j].iter().enumerate() {
            let shared = match (&first.argument, &second.argument) {
                (Argument::Buffer(a), Argument::Buffer(b)) => {
                    std::sync::Arc::ptr_eq(a, b) && first.mode.writes() && second.mode.writes()
                }
                (Argument::Atomics(a), Argument::Atomics(b)) => a.is_partly(*b),
                _ => false,
            };
            if shared {
                return Err(Error::SharedWrite {
                    routine: entry.id().to_string(),
                    first: entry.name(i).into_owned(),
                    second: entry.name(j).into_owned(),
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arg::IntoArgs;
    use crate::buffer::Buffer;
    use crate::registry::Registration;
    use gpuvm_core::routine::Routine;
    use gpuvm_core::types::Value;
    use std::sync::atomic::AtomicU32;

    const ENTRY: Registration = Registration {
        id: "step",
        file: "src/lib.rs",
        line: 1,
        params: &["x", "me", "all", "out", "bins"],
        routine: || -> &'static Routine { unreachable!("binding takes the types") },
        native: |_| Ok(()),
    };

    fn types() -> [TypeRef; 5] {
        [
            TypeRef::of::<f32>(),
            TypeRef::of::<&mut u32>(),
            TypeRef::of::<&[f32]>(),
            TypeRef::of::<&mut [i32]>(),
            TypeRef::of::<&[AtomicU32]>(),
        ]
    }

    fn vms<'a>(args: impl IntoArgs<'a>, vms: Option<usize>) -> Result<u32, String> {
        bind(&Entry::from(&ENTRY), &types(), args.into_args(), vms)
            .map(|binding| binding.vms)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn columns_decide_the_number_of_vms() {
        let (x, mut me, all, mut out) = (vec![0.0f32; 3], vec![0u32; 3], [0.0f32; 9], [0i32; 6]);
        let bins = [const { AtomicU32::new(0) }; 2];
        assert_eq!(vms((&x, &mut me, &all, &mut out, &bins), None), Ok(3));
        assert_eq!(vms((0.5f32, &mut me, &all, &mut out, &bins), Some(3)), Ok(3));
        assert_eq!(
            vms((&x, &mut [0u32; 2], &all, &mut out, &bins), None).unwrap_err(),
            "argument `me` of `step` has 2 entries, and there are 3 VMs (`x` has as many entries)"
        );
        assert_eq!(
            vms((&x, &mut me, &all, &mut out, &bins), Some(4)).unwrap_err(),
            "argument `x` of `step` has 3 entries, and there are 4 VMs (`.vms(…)` says so)"
        );
        assert_eq!(
            vms((&x, &mut me, &all, &mut [0i32; 7], &bins), None).unwrap_err(),
            "argument `out` of `step` has 7 entries, which 3 VMs cannot share evenly; a multiple of 3 is needed"
        );
    }

    #[test]
    fn no_vms_are_an_error() {
        let (mut me, all, mut out, bins) = (vec![0u32; 0], [0.0f32; 9], [0i32; 6], [AtomicU32::new(0)]);
        assert_eq!(
            vms((1.0f32, &mut me, &all, &mut out, &bins), None).unwrap_err(),
            "argument `me` of `step` is empty; at least one entry is needed, one a VM"
        );
        let error = bind(&Entry::from(&ENTRY), &types()[..1], (1.0f32,).into_args(), Some(0))
            .map(|_| ())
            .unwrap_err();
        assert!(matches!(error, Error::NoVms { .. }), "{error}");
        let error = bind(&Entry::from(&ENTRY), &types()[..1], (1.0f32,).into_args(), None)
            .map(|_| ())
            .unwrap_err();
        assert!(matches!(error, Error::NoVms { .. }), "{error}");
    }

    #[test]
    fn counts_and_types_are_checked_by_name() {
        let (x, mut me, all, mut out, bins) = ([0.0f32; 2], [0u32; 2], [0.0f32; 9], [0i32; 6], [AtomicU32::new(0)]);
        assert_eq!(
            vms((&x, &mut me), None).unwrap_err(),
            "`step` takes 5 arguments (x, me, all, out, bins) and was given 2"
        );
        assert_eq!(
            vms((&[0u32; 2], &mut me, &all, &mut out, &bins), None).unwrap_err(),
            "argument `x` of `step` is `&[u32]`, and a column `&[f32]` or one `f32` for all VMs is needed"
        );
        assert_eq!(
            vms((&x, &[0u32; 2], &all, &mut out, &bins), None).unwrap_err(),
            "argument `me` of `step` is `&[u32]`, and `&mut [u32]` or `&Buffer<u32>` is needed"
        );
        assert_eq!(
            vms((&x, &mut me, 1.0f32, &mut out, &bins), None).unwrap_err(),
            "argument `all` of `step` is one `f32`, and `&[f32]` or `&Buffer<f32>` is needed"
        );
        assert_eq!(
            vms((&x, &mut me, &all, &mut out, &mut [0u32; 2]), None).unwrap_err(),
            "argument `bins` of `step` is `&mut [u32]`, and `&[AtomicU32]` or `&Buffer<u32>` is needed"
        );
    }

    #[test]
    fn one_buffer_is_written_by_one_parameter() {
        let (x, all, mut out, buffer) = ([0.0f32; 2], [0.0f32; 9], [0i32; 6], Buffer::new(&[0u32; 2]));
        assert_eq!(
            vms((&x, &buffer, &all, &mut out, &buffer), None).unwrap_err(),
            "arguments `me` and `bins` of `step` share memory that VMs write; give each memory of its own"
        );
        let all = Buffer::new(&[1.0f32; 2]);
        let bins = Buffer::new(&[0u32; 2]);
        assert_eq!(vms((&all, &buffer, &all, &mut out, &bins), None), Ok(2));
    }

    #[test]
    fn atomics_may_be_the_same_but_not_overlap() {
        let types = [TypeRef::of::<&[AtomicU32]>(); 2];
        let words = [const { AtomicU32::new(0) }; 4];
        assert_eq!(
            types[0].ty.element.map(|e| e.to_string()),
            Some(<AtomicU32 as Value>::TYPE.to_string())
        );
        let entry = Entry::from(&ENTRY);
        assert!(bind(&entry, &types, (&words, &words).into_args(), Some(1)).is_ok());
        assert!(bind(&entry, &types, (&words[..2], &words[2..]).into_args(), Some(1)).is_ok());
        assert!(bind(&entry, &types, (&words[..3], &words[2..]).into_args(), Some(1)).is_err());
    }
}
