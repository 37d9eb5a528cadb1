//! Setting variables, and what they refer to.

use gpuvm_core::interp::header;
use gpuvm_core::program::Home;
use gpuvm_core::types::TypeRef;

use super::{DebugError, Result, Session};
use crate::expression::Expression;
use crate::value::Value;

impl Session<'_, '_> {
    /// Sets a variable of a frame to the value of an expression. The way back ends here.
    ///
    /// # Errors
    ///
    /// If there is no such variable, it is optimised away, or the value is of another type; or when the device fails.
    pub fn assign(&mut self, frame: usize, name: &str, expression: &Expression) -> Result<Value> {
        let not_set = |reason: &str| DebugError::NotSet {
            name: name.to_string(),
            reason: reason.to_string(),
        };
        let target = Expression::parse(name)?;
        let ty = self.with_frame(frame, |names| Ok(target.evaluate(names)?.ty))?;
        let value = self.with_frame(frame, |names| Ok(expression.evaluate_as(names, ty)?))?;
        let words = value
            .all_words()
            .ok_or_else(|| not_set("a part of the value is optimised away"))?;
        let homes: Option<Vec<(Home, u32)>> = self.with_frame(frame, |names| {
            let Some(activation) = names.activation else {
                return Ok(None);
            };
            let base = activation.frame_base;
            Ok(activation
                .variable(name)
                .map(|location| location.homes.iter().map(|home| (*home, base)).collect()))
        })?;
        let Some(homes) = homes else {
            return self.assign_in_memory(frame, name, ty, &words, value);
        };
        let fixed = |(home, _): &(Home, u32)| matches!(home, Home::Nowhere | Home::Constant(_));
        if homes.iter().any(fixed) {
            return Err(not_set(
                "the optimised program does not keep it in a place of its own; link with `Settings::debug()`",
            ));
        }
        let vm = self.detached()?.vm_mut();
        for ((home, base), word) in homes.into_iter().zip(words) {
            let place = match home {
                Home::Word(number) => vm.state.get_mut(header::WORD_0 + number as usize),
                Home::Frame(offset) => vm.frame.get_mut((base + offset) as usize),
                Home::Constant(_) | Home::Nowhere => None,
            };
            if let Some(place) = place {
                *place = word;
            }
        }
        self.moved = true;
        Ok(value)
    }

    /// Sets what an expression such as `cells[3].age` names in memory.
    pub(super) fn assign_in_memory(
        &mut self,
        frame: usize,
        name: &str,
        ty: TypeRef,
        words: &[u32],
        value: Value,
    ) -> Result<Value> {
        let not_set = |reason: String| DebugError::NotSet {
            name: name.to_string(),
            reason,
        };
        let (whole, rest) = match name.rfind(['[', '.']) {
            Some(at) if at > 0 => (&name[..at], &name[at..]),
            _ => return Err(not_set("it is no variable".to_string())),
        };
        let whole = Expression::parse(whole)?;
        let at = self.with_frame(frame, |names| {
            let base = whole.evaluate(names)?;
            let index = match rest.strip_prefix('[') {
                Some(index) => {
                    let index = Expression::parse(index.trim_end_matches(']'))?.evaluate(names)?;
                    index.all_words().and_then(|words| words.first().copied())
                }
                None => None,
            };
            let element = index.filter(|_| base.is_slice()).zip(base.all_words());
            Ok(element.map(|(index, base)| (base[0], base[1].wrapping_add(index.wrapping_mul(ty.words())))))
        })?;
        let Some((space, offset)) = at else {
            return Err(not_set(
                "only variables and elements of slices can be set; set the whole variable".to_string(),
            ));
        };
        let detached = self.detached()?;
        for (offset, word) in (offset..).zip(words) {
            if !detached.set_word(space, offset, *word) {
                return Err(not_set(format!(
                    "it is in {}, which is not written",
                    crate::value::space_name(space)
                )));
            }
        }
        self.moved = true;
        Ok(value)
    }
}
