//! The routine that calls one of many by number.

use std::cell::{Cell, RefCell};
use std::panic::Location;

use super::{Body, BuildError, Inner, Value, Word};
use crate::isa::Op;
use crate::routine::RoutineRef;
use crate::types::{TypeRef, Value as _};

/// A routine of the same signature as `of`, whose first parameter is a number: it calls the entry of that number with the arguments behind it, and `of`
/// itself where there is no such entry.
///
/// # Errors
///
/// When `of` has no number as its first parameter, or an entry is not a function of the parameters behind it; with the caller's place.
#[track_caller]
pub(crate) fn table(of: &RoutineRef, entries: &[RoutineRef]) -> Result<super::Routine, BuildError> {
    let place = Location::caller();
    let wrong = |what: String| BuildError {
        routine: of.name.to_string(),
        file: place.file().to_string(),
        line: place.line(),
        what,
    };
    let numbers = [u8::TYPE, u16::TYPE, u32::TYPE, usize::TYPE];
    let is_number = |param: &&TypeRef| param.refs == 0 && numbers.iter().any(|number| param.ty.same(number));
    let Some((_, others)) = of.params.split_first().filter(|(first, _)| is_number(first)) else {
        return Err(wrong(format!(
            "`{}: {}` cannot be given a table: its first parameter is to be the number of an entry, a `u32` or `usize`",
            of.name,
            of.signature()
        )));
    };
    for (number, entry) in entries.iter().enumerate() {
        let mut given = others.iter().zip(entry.params.iter());
        let takes = entry.params.len() == others.len() && given.all(|(given, wanted)| given.serves_as(*wanted));
        if !takes || !entry.result.same(of.result) {
            return Err(wrong(format!(
                "entry {number}, `{}: {}`, cannot stand for `{}`: an entry is called with what is behind the number, so it has to be a `fn({}) -> {}`",
                entry.name,
                entry.signature(),
                of.name,
                TypeRef::listed(others),
                of.result
            )));
        }
    }
    let mut inner = Inner::new(&format!("table of {}", of.name), place);
    (inner.file, inner.line, inner.place) = (of.file.to_string(), of.line, Some(of.line));
    inner.params = of.params.to_vec();
    inner.result = Some(of.result);
    let args: Vec<(TypeRef, Word)> = of.params.iter().map(|ty| (*ty, inner.words(ty.words()))).collect();
    inner.param_words = inner.words;
    let body = Body {
        inner: RefCell::new(inner),
        scope: Cell::new(0),
    };
    let number = Value::<u32>::of(&body, args.first().map_or(0, |(_, word)| *word));
    let count = u32::try_from(entries.len()).map_err(|_| wrong("it has more than 2³² entries".to_string()))?;
    if count > 0 {
        body.if_(number.lt(count), |body| body.pick(number, (0, entries), &args[1..]));
    }
    body.hand_on(of, &args);
    body.inner.into_inner().finish()
}

impl Body {
    /// Calls the entry of a number, which is among these, the first of which has the number `first`. By halves: the specialised
    /// engine compiles no `switch`.
    fn pick(&self, number: Value<'_, u32>, (first, entries): (u32, &[RoutineRef]), args: &[(TypeRef, Word)]) {
        match entries {
            [] => {}
            [entry] => self.hand_on(entry, args),
            _ => {
                let (low, high) = entries.split_at(entries.len() / 2);
                let middle = first + low.len() as u32;
                self.if_else(
                    number.lt(middle),
                    |body| body.pick(number, (first, low), args),
                    |body| body.pick(number, (middle, high), args),
                );
            }
        }
    }

    /// Returns what a routine gives.
    #[track_caller]
    fn hand_on(&self, routine: &RoutineRef, args: &[(TypeRef, Word)]) {
        let callee = self.held(routine);
        let result = self.call_words(callee, args, routine.result.words());
        self.emit(Op::Return, [result, 0, 0, 0]);
    }
}
