//! Switches: comparisons one after the other where there are few cases, a table of jumps where there are many close to each other, and a
//! tree of comparisons for the others.

use naga::{Expression, Handle, SwitchCase, SwitchValue};

use crate::Result;
use crate::operand::{Operand, Ty};
use crate::statement::Flow;
use crate::text::Label;
use crate::translator::Translator;

/// Cases that are compared one by one.
const FEW: usize = 4;
/// Places of a table for each case at most.
const SPARSE: u64 = 4;

impl<'a> Translator<'a> {
    /// One of several blocks.
    pub fn switch(&mut self, selector: Handle<Expression>, cases: &'a [SwitchCase]) -> Result<Flow> {
        let selector = self.scalar(selector)?;
        if selector.constant().is_none() && self.flat_switch(selector, cases)? {
            return Ok(Flow::Next);
        }
        let end = self.text.label();
        let outer = self.frame.breaks.replace(end);
        if let Some(known) = selector.constant() {
            self.known_case(known as u32, cases)?;
        } else {
            self.cases(selector, cases, end)?;
        }
        self.frame.breaks = outer;
        self.text.place(end);
        Ok(Flow::Next)
    }

    /// The case that is known to be meant, and those that it falls through to.
    fn known_case(&mut self, selector: u32, cases: &'a [SwitchCase]) -> Result<()> {
        let meant = cases.iter().position(|case| value_of(case) == Some(selector));
        let default = || cases.iter().position(|case| case.value == SwitchValue::Default);
        let Some(first) = meant.or_else(default) else {
            return Ok(());
        };
        for case in &cases[first..] {
            if self.block(&case.body)? == Flow::Ended || !case.fall_through {
                break;
            }
        }
        Ok(())
    }

    fn cases(&mut self, selector: Operand, cases: &'a [SwitchCase], end: Label) -> Result<()> {
        // Cases without a body of their own share that of the next one that has one.
        let mut labels = vec![end; cases.len()];
        let mut next = None;
        for (label, case) in labels.iter_mut().zip(cases).rev() {
            let empty = case.body.is_empty() && case.fall_through;
            *label = match next {
                Some(next) if empty => next,
                _ => self.text.label(),
            };
            next = Some(*label);
        }
        let default = cases.iter().zip(&labels);
        let default = default.clone().find(|(case, _)| case.value == SwitchValue::Default);
        let default = default.map_or(end, |(_, &label)| label);
        let targets = cases.iter().zip(&labels);
        let mut targets: Vec<(u32, Label)> = targets
            .filter_map(|(case, &label)| Some((value_of(case)?, label)))
            .filter(|&(_, label)| label != default)
            .collect();
        targets.sort_by_key(|&(value, _)| value);
        self.dispatch(selector, &targets, default);
        for (number, case) in cases.iter().enumerate() {
            // A shared label stands in front of the body.
            let is_shared = labels.get(number + 1) == Some(&labels[number]);
            if is_shared {
                continue;
            }
            self.text.place(labels[number]);
            if self.block(&case.body)? == Flow::Next && !case.fall_through {
                self.text.jump(end);
            }
        }
        Ok(())
    }

    /// Jumps to the label of the selector's value.
    fn dispatch(&mut self, selector: Operand, targets: &[(u32, Label)], default: Label) {
        let (Some(&(first, _)), Some(&(last, _))) = (targets.first(), targets.last()) else {
            return self.text.jump(default);
        };
        if targets.len() <= FEW {
            for &(value, label) in targets {
                let here = self.text.compare("eq", Ty::U32, selector, Operand::ConstWord(value));
                self.text.jump_if(here, true, label);
            }
            return self.text.jump(default);
        }
        let places = u64::from(last - first) + 1;
        if places <= SPARSE * targets.len() as u64 {
            return self.table(selector, targets, default);
        }
        let (low, high) = targets.split_at(targets.len() / 2);
        let upper = self.text.label();
        let pivot = Operand::ConstWord(high[0].0);
        let above = self.text.compare("ge", Ty::U32, selector, pivot);
        self.text.jump_if(above, true, upper);
        self.dispatch(selector, low, default);
        self.text.place(upper);
        self.dispatch(selector, high, default);
    }

    fn table(&mut self, selector: Operand, targets: &[(u32, Label)], default: Label) {
        let last = targets[targets.len() - 1].0;
        // A few places more cost less than a subtraction.
        let first = match u64::from(last) < SPARSE * targets.len() as u64 {
            true => 0,
            false => targets[0].0,
        };
        let index = match first {
            0 => selector,
            _ => self.text.op("sub", Ty::U32, &[selector, Operand::ConstWord(first)]),
        };
        let mut end = last - first;
        // Where the selector cannot be much larger than the last case, there is a place for whatever it is.
        match self.bounds.get(&index) {
            Some(&most) if u64::from(most) < SPARSE * targets.len() as u64 => end = end.max(most),
            _ => {
                let outside = self.text.compare("gt", Ty::U32, index, Operand::ConstWord(end));
                self.text.jump_if(outside, true, default);
            }
        }
        let mut rest = targets.iter().peekable();
        let labels = (0..=end).map(|place| {
            let here = rest.next_if(|(value, _)| value - first == place);
            here.map_or(default, |&(_, label)| label)
        });
        let labels: Vec<Label> = labels.collect();
        self.text.table(index, &labels);
    }
}

/// The value of a case, but for the default.
fn value_of(case: &SwitchCase) -> Option<u32> {
    match case.value {
        SwitchValue::I32(value) => Some(value as u32),
        SwitchValue::U32(value) => Some(value),
        SwitchValue::Default => None,
    }
}
