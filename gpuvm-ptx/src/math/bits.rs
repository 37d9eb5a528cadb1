//! Functions of the bits of integers.

use naga::MathFunction;

use crate::Result;
use crate::operand::{Operand, Ty, Width};
use crate::translator::Translator;

impl Translator<'_> {
    /// A function of integers.
    pub(super) fn bits(&mut self, fun: MathFunction, ty: Ty, arguments: &[Operand]) -> Result<Operand> {
        use MathFunction as F;
        let bits = ty.bits();
        Ok(match (fun, arguments) {
            (F::CountLeadingZeros, &[x]) => {
                let count = self.count("clz", ty, x);
                self.widen(ty, count)
            }
            (F::CountOneBits, &[x]) => {
                let count = self.count("popc", ty, x);
                self.widen(ty, count)
            }
            (F::CountTrailingZeros, &[x]) => {
                let reversed = self.text.op("brev", bits, &[x]);
                let count = self.count("clz", ty, reversed);
                self.widen(ty, count)
            }
            (F::ReverseBits, &[x]) => self.text.op("brev", bits, &[x]),
            (F::FirstTrailingBit, &[x]) => {
                let reversed = self.text.op("brev", bits, &[x]);
                let count = self.count("clz", ty, reversed);
                let count = self.widen(ty, count);
                let none = self.text.compare("eq", bits, x, Operand::zero(ty));
                self.text.select(none, ty.integer(u64::MAX), count)
            }
            (F::FirstLeadingBit, &[x]) => {
                // It gives -1 of 32 bits where there is none.
                let place = self.text.register(Width::Word);
                self.text.line(format_args!("bfind.{ty} {place}, {}", x.of(ty)));
                match ty.width() {
                    Width::Long => self.text.convert("cvt", Ty::S64, Ty::S32, place),
                    _ => place,
                }
            }
            (F::ExtractBits, &[x, offset, count]) => {
                let (offset, count) = self.field(ty, offset, count);
                let target = self.text.register(ty.width());
                let x = x.of(ty);
                self.text
                    .line(format_args!("bfe.{ty} {target}, {x}, {offset}, {count}"));
                target
            }
            (F::InsertBits, &[x, new, offset, count]) => {
                let (offset, count) = self.field(ty, offset, count);
                let target = self.text.register(ty.width());
                let (x, new) = (x.of(bits), new.of(bits));
                self.text
                    .line(format_args!("bfi.{bits} {target}, {new}, {x}, {offset}, {count}"));
                target
            }
            _ => return Err(Self::refused_function(fun, ty)),
        })
    }

    /// Counts bits: the result is a word, whatever is counted in.
    fn count(&mut self, name: &str, ty: Ty, x: Operand) -> Operand {
        let (target, bits) = (self.text.register(Width::Word), ty.bits());
        self.text.line(format_args!("{name}.{bits} {target}, {}", x.of(bits)));
        target
    }

    fn widen(&mut self, ty: Ty, word: Operand) -> Operand {
        match ty.width() {
            Width::Long => self.text.convert("cvt", Ty::U64, Ty::U32, word),
            _ => word,
        }
    }

    /// A field of bits, cut off at the end of the integer.
    fn field(&mut self, ty: Ty, offset: Operand, count: Operand) -> (Operand, Operand) {
        let bits = Operand::ConstWord(if ty.width() == Width::Long { 64 } else { 32 });
        let offset = self.text.op("min", Ty::U32, &[offset, bits]);
        let rest = self.text.op("sub", Ty::U32, &[bits, offset]);
        (offset, self.text.op("min", Ty::U32, &[count, rest]))
    }
}
