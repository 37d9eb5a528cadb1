//! Atomic operations on memory of the device and of the workgroup.

use naga::{AtomicFunction, Expression, Handle, TypeInner};

use crate::Result;
use crate::error::{invalid, unsupported};
use crate::operand::{Operand, Ty, Width};
use crate::place::{Place, Space};
use crate::translator::{Evaluated, Translator};

impl Translator<'_> {
    /// An atomic operation; `result` is what was there before.
    pub fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        fun: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        let TypeInner::Atomic(scalar) = self.layout.pointee(self.inner(pointer))? else {
            return Err(invalid("an atomic operation on what is no atomic"));
        };
        let ty = Ty::of(scalar)?;
        let Place::Memory(address) = self.place(pointer)? else {
            return Err(invalid("an atomic in registers"));
        };
        if !matches!(address.space, Space::Global | Space::Shared) {
            return Err(invalid("an atomic in memory that is only read"));
        }
        let mut value = self.scalar(value)?;
        let scope = match address.space {
            Space::Shared => ".relaxed.cta.shared",
            _ => ".relaxed.gpu.global",
        };
        if let AtomicFunction::Exchange { compare: Some(compare) } = fun {
            let compare = self.scalar(compare)?;
            let old = self.text.register(ty.width());
            let bits = ty.bits();
            self.text.line(format_args!(
                "atom{scope}.cas.{bits} {old}, {address}, {compare}, {value}"
            ));
            if let Some(result) = result {
                let exchanged = self.text.compare("eq", bits, old, compare);
                self.remember(result, Evaluated::Value(vec![old, exchanged]));
            }
            return Ok(());
        }
        let unsigned = match ty.width() {
            Width::Long => Ty::U64,
            _ => Ty::U32,
        };
        let (name, ty) = match fun {
            AtomicFunction::Add | AtomicFunction::Subtract if ty.is_float() => ("add", ty),
            AtomicFunction::Add | AtomicFunction::Subtract => ("add", unsigned),
            AtomicFunction::And => ("and", ty.bits()),
            AtomicFunction::ExclusiveOr => ("xor", ty.bits()),
            AtomicFunction::InclusiveOr => ("or", ty.bits()),
            AtomicFunction::Min | AtomicFunction::Max if ty.is_float() => {
                return Err(unsupported("the smaller or larger one of atomic floats"));
            }
            AtomicFunction::Min => ("min", ty),
            AtomicFunction::Max => ("max", ty),
            AtomicFunction::Exchange { .. } => ("exch", ty.bits()),
        };
        if fun == AtomicFunction::Subtract {
            value = match (ty.is_float(), value) {
                (true, _) => self.text.op("neg", ty, &[value]),
                (false, Operand::ConstWord(bits)) => Operand::ConstWord(bits.wrapping_neg()),
                (false, Operand::ConstLong(bits)) => Operand::ConstLong(bits.wrapping_neg()),
                _ => self.text.op("sub", ty, &[Operand::zero(ty), value]),
            };
        }
        match result {
            // There is no exchange without a result.
            None if name != "exch" => {
                self.text
                    .line(format_args!("red{scope}.{name}.{ty} {address}, {}", value.of(ty)));
            }
            _ => {
                let old = self.text.register(ty.width());
                self.text.line(format_args!(
                    "atom{scope}.{name}.{ty} {old}, {address}, {}",
                    value.of(ty)
                ));
                if let Some(result) = result {
                    self.remember(result, Evaluated::Value(vec![old]));
                }
            }
        }
        Ok(())
    }
}
