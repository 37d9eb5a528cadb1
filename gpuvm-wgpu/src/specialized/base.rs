//! What every specialised shader has around its program: the bindings, the entry points, and the functions for operations that are
//! no single instruction of a device. It is written in WGSL and read once.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use gpuvm_engine::{Error, Result};
use naga::{ArraySize, Expression, Function, Handle, Literal, Module, Scalar, Span, Type, TypeInner, VectorSize};

use crate::floats::FloatOps;
use crate::source::EntryPoint;

/// The shader without a program.
#[derive(Debug)]
pub struct Base {
    /// Bindings, functions, entry points, and an empty `run` and `then`.
    pub module: Module,
    /// The functions by name.
    pub functions: HashMap<String, Handle<Function>>,
    /// Types that programs need.
    pub types: Types,
}

/// Types that programs need.
#[derive(Clone, Copy, Debug)]
pub struct Types {
    /// A word.
    pub word: Handle<Type>,
    /// A pair of words, low one first.
    pub pair: Handle<Type>,
    /// An integer of 64 bits, on devices that have them.
    pub long: Handle<Type>,
}

impl Base {
    /// Lets a function that gives a number give this one.
    pub fn tell(&self, module: &mut Module, name: &str, number: u32) {
        let function = &mut module.functions[self.functions[name]];
        for (_, expression) in function.expressions.iter_mut() {
            if let Expression::Literal(literal) = expression {
                *literal = Literal::U32(number);
            }
        }
    }

    /// Gives an array of words so many.
    pub fn enlarge(&self, module: &mut Module, name: &str, words: u32) {
        let mut variables = module.global_variables.iter_mut();
        let Some((_, variable)) = variables.find(|(_, variable)| variable.name.as_deref() == Some(name)) else {
            return;
        };
        let inner = TypeInner::Array {
            base: self.types.word,
            size: NonZeroU32::new(words).map_or(ArraySize::Dynamic, ArraySize::Constant),
            stride: 4,
        };
        variable.ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    }
}

/// The function that the program replaces.
pub const RUN: &str = "run";
/// The function that the program of a joined job replaces.
pub const THEN: &str = "then";

/// The shader without a program, with the given forms of arithmetic.
///
/// # Errors
///
/// [`Error::Device`] with naga's words if the WGSL is wrong.
pub fn base(floats: FloatOps) -> Result<Arc<Base>> {
    static KNOWN: Mutex<Vec<(FloatOps, Arc<Base>)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, base)) = known.iter().find(|(of, _)| *of == floats) {
        return Ok(base.clone());
    }
    let base = Arc::new(read(floats).map_err(|reason| Error::Device {
        reason: format!("shader `specialized`: {reason}"),
    })?);
    // A device has two: with exact floats and relaxed.
    known.push((floats, base.clone()));
    Ok(base)
}

fn read(floats: FloatOps) -> std::result::Result<Base, String> {
    let text = EntryPoint::Specialized.source(floats);
    let mut module = naga::front::wgsl::parse_str(&text).map_err(|error| error.emit_to_string(&text))?;
    let word = TypeInner::Scalar(Scalar::U32);
    let pair = TypeInner::Vector {
        size: VectorSize::Bi,
        scalar: Scalar::U32,
    };
    let long = TypeInner::Scalar(Scalar::U64);
    let [word, pair, long] =
        [word, pair, long].map(|inner| module.types.insert(Type { name: None, inner }, Span::UNDEFINED));
    let named = |(handle, function): (_, &Function)| Some((function.name.clone()?, handle));
    Ok(Base {
        functions: module.functions.iter().filter_map(named).collect(),
        types: Types { word, pair, long },
        module,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_comes_after_all_functions_that_it_may_call() {
        let base = base(FloatOps::default()).unwrap();
        let run = base.functions[RUN].min(base.functions[THEN]);
        for name in [
            "get_state",
            "put_frame",
            "div_signed64",
            "fma_exact",
            "frem",
            "load_any",
            "atomic_cas",
            "atomic_cas64",
        ] {
            assert!(base.functions[name] < run, "{name}");
        }
    }
}
