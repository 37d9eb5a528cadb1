//! Which of a device's own forms of arithmetic give Rust's bits. Every form is a function in `shaders/shared/`; the probe tries each on
//! values with known answers, and the bare name of an operation, which all engines call, then stands for the best that was right.

use std::fmt::Write;

use gpuvm_core::interp::arithmetic::fold;
use gpuvm_core::isa::Op;

/// What a form needs of a device beside WGSL's core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// `f64`.
    Double,
    /// 64-bit integers.
    Long,
}

/// The signature of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `f32` bits from so many words.
    Float(usize),
    /// A word from so many.
    Word(usize),
    /// Whether something holds of two words.
    Test,
    /// A pair from two words.
    Wide,
    /// A pair from a pair and a shift distance.
    Shift,
    /// A pair from two.
    Pair,
    /// `f32` bits from a pair.
    FromPair,
    /// `f32` bits from a word, of which the operation's result is the inverse.
    Inverse,
}

impl Shape {
    /// Names and WGSL types of the parameters, and the type of the result.
    fn signature(self) -> (&'static [(&'static str, &'static str)], &'static str) {
        const THREE: [(&str, &str); 3] = [("a", "u32"), ("b", "u32"), ("c", "u32")];
        const PAIR: (&str, &str) = ("a", "vec2<u32>");
        match self {
            Shape::Float(count) | Shape::Word(count) => (&THREE[..count], "u32"),
            Shape::Test => (&THREE[..2], "bool"),
            Shape::Wide => (&THREE[..2], "vec2<u32>"),
            Shape::Shift => (&[PAIR, ("b", "u32")], "vec2<u32>"),
            Shape::Pair => (&[PAIR, ("b", "vec2<u32>")], "vec2<u32>"),
            Shape::FromPair => (&[PAIR], "u32"),
            Shape::Inverse => (&THREE[..1], "u32"),
        }
    }

    /// The arguments taken from the four words of an input `x`.
    fn arguments(self) -> &'static str {
        match self {
            Shape::Float(1) | Shape::Word(1) | Shape::Inverse => "x.x",
            Shape::Float(3) | Shape::Word(3) => "x.x, x.y, x.z",
            Shape::Float(_) | Shape::Word(_) | Shape::Test | Shape::Wide => "x.x, x.y",
            Shape::Shift => "x.xy, x.z & 63u",
            Shape::Pair => "x.xy, x.zw",
            Shape::FromPair => "x.xy",
        }
    }

    /// A call's result as two words.
    fn answer(self, call: &str) -> String {
        match self {
            Shape::Float(_) | Shape::Word(_) | Shape::FromPair | Shape::Inverse => format!("vec2({call}, 0u)"),
            Shape::Test => format!("vec2(u32({call}), 0u)"),
            Shape::Wide | Shape::Shift | Shape::Pair => call.to_string(),
        }
    }
}

/// One form of an operation.
struct Form {
    op: Op,
    /// What shaders call.
    function: &'static str,
    /// What is put behind it for this form; empty where there is no other.
    suffix: &'static str,
    shape: Shape,
    needs: Needs,
}

const fn form(op: Op, function: &'static str, suffix: &'static str, shape: Shape, needs: Needs) -> Form {
    Form {
        op,
        function,
        suffix,
        shape,
        needs,
    }
}

/// The suffix of forms in integer words, right everywhere.
const WORDS: &str = "_words";
/// The suffix of roots that depend on how good an estimate of the device is, the root's form before its inverse's.
const ESTIMATED: &str = "_estimated";
/// The suffix of forms that need our own SPIR-V, in which conversions are the device's.
const HARDWARE: &str = "_hardware";

/// The four that have no form but the device's, then forms that the device has or can put together, the best of an operation first, then
/// those in integer words, which need no probe.
const FORMS: &[Form] = {
    use Needs::*;
    use Shape::*;
    &[
        form(Op::FAdd, "fadd", "", Float(2), Nothing),
        form(Op::FSub, "fsub", "", Float(2), Nothing),
        form(Op::FMul, "fmul", "", Float(2), Nothing),
        form(Op::FDiv, "fdiv", "", Float(2), Nothing),
        form(Op::FEq, "feq", "_native", Test, Nothing),
        form(Op::FLt, "flt", "_native", Test, Nothing),
        form(Op::FLe, "fle", "_native", Test, Nothing),
        form(Op::FMin, "fmin", "_native", Float(2), Nothing),
        form(Op::FMin, "fmin", "_compared", Float(2), Nothing),
        form(Op::FMax, "fmax", "_native", Float(2), Nothing),
        form(Op::FMax, "fmax", "_compared", Float(2), Nothing),
        form(Op::FFloor, "ffloor", "_native", Float(1), Nothing),
        form(Op::FCeil, "fceil", "_native", Float(1), Nothing),
        form(Op::FTrunc, "ftrunc", "_native", Float(1), Nothing),
        form(Op::FRound, "fround", "_native", Float(1), Nothing),
        form(Op::FRoundEven, "fround_even", "_native", Float(1), Nothing),
        form(Op::FRem, "frem", "_divided", Float(2), Nothing),
        form(Op::FMulAdd, "fma_exact", "_native", Float(3), Nothing),
        form(Op::FMulAdd, "fma_exact", "_guarded", Float(3), Double),
        form(Op::FMulAdd, "fma_exact", "_double", Float(3), Double),
        form(Op::FSqrt, "fsqrt", "_native", Float(1), Nothing),
        form(Op::FSqrt, "fsqrt", ESTIMATED, Float(1), Nothing),
        form(Op::FSqrt, "finverse_sqrt", ESTIMATED, Inverse, Nothing),
        form(Op::FSqrt, "fsqrt", "_fused", Float(1), Nothing),
        form(Op::FSqrt, "fsqrt", "_double", Float(1), Double),
        form(Op::FToI, "float_to_signed", HARDWARE, Word(1), Nothing),
        form(Op::FToI, "float_to_signed", "_native", Word(1), Nothing),
        form(Op::FToU, "float_to_unsigned", HARDWARE, Word(1), Nothing),
        form(Op::FToU, "float_to_unsigned", "_native", Word(1), Nothing),
        form(Op::IToF, "signed_to_float", "_native", Float(1), Nothing),
        form(Op::UToF, "unsigned_to_float", "_native", Float(1), Nothing),
        form(Op::I64ToF, "signed64_to_float", "_native", FromPair, Long),
        form(Op::U64ToF, "unsigned64_to_float", "_native", FromPair, Long),
        form(Op::Shl64, "shl64", "_native", Shift, Long),
        form(Op::Shr64, "shr64", "_native", Shift, Long),
        form(Op::Sar64, "sar64", "_native", Shift, Long),
        form(Op::MulHighU, "mul_wide", "_native", Wide, Long),
        form(Op::Mul64, "mul64", "_native", Pair, Long),
        form(Op::DivU64, "div64", "_native", Pair, Long),
        form(Op::RemU64, "rem64", "_native", Pair, Long),
        form(Op::FEq, "feq", WORDS, Test, Nothing),
        form(Op::FLt, "flt", WORDS, Test, Nothing),
        form(Op::FLe, "fle", WORDS, Test, Nothing),
        form(Op::FMin, "fmin", WORDS, Float(2), Nothing),
        form(Op::FMax, "fmax", WORDS, Float(2), Nothing),
        form(Op::FFloor, "ffloor", WORDS, Float(1), Nothing),
        form(Op::FCeil, "fceil", WORDS, Float(1), Nothing),
        form(Op::FTrunc, "ftrunc", WORDS, Float(1), Nothing),
        form(Op::FRound, "fround", WORDS, Float(1), Nothing),
        form(Op::FRoundEven, "fround_even", WORDS, Float(1), Nothing),
        form(Op::FRem, "frem", WORDS, Float(2), Nothing),
        form(Op::FMulAdd, "fma_exact", WORDS, Float(3), Nothing),
        form(Op::FSqrt, "fsqrt", WORDS, Float(1), Nothing),
        form(Op::FToI, "float_to_signed", WORDS, Word(1), Nothing),
        form(Op::FToU, "float_to_unsigned", WORDS, Word(1), Nothing),
        form(Op::IToF, "signed_to_float", WORDS, Float(1), Nothing),
        form(Op::UToF, "unsigned_to_float", WORDS, Float(1), Nothing),
        form(Op::I64ToF, "signed64_to_float", WORDS, FromPair, Nothing),
        form(Op::U64ToF, "unsigned64_to_float", WORDS, FromPair, Nothing),
        form(Op::Shl64, "shl64", WORDS, Shift, Nothing),
        form(Op::Shr64, "shr64", WORDS, Shift, Nothing),
        form(Op::Sar64, "sar64", WORDS, Shift, Nothing),
        form(Op::MulHighU, "mul_wide", WORDS, Wide, Nothing),
        form(Op::Mul64, "mul64", WORDS, Pair, Nothing),
        form(Op::DivU64, "div64", WORDS, Pair, Nothing),
        form(Op::RemU64, "rem64", WORDS, Pair, Nothing),
    ]
};

const _: () = assert!(FORMS.len() <= u128::BITS as usize, "one bit a form");

/// The function of `1.0 / sqrt(x)`, for who has its form, and of a number that is not below [`LEAST_NORMAL`], or NaN.
pub const INVERSE_ROOT: [&str; 2] = ["finverse_sqrt_estimated", "finverse_sqrt_estimated_normal"];
/// The function of `sqrt(x)` for such a number, for who has the form from an estimate.
pub const ROOT_OF_NORMAL: &str = "fsqrt_estimated_normal";
/// 2⁻¹⁰¹: from here on what corrects an estimate of a root has no denormal numbers to deal with.
pub const LEAST_NORMAL: f32 = f32::from_bits(0x0d00_0000);

/// A set of forms: those that gave Rust's bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatOps(u128);

impl FloatOps {
    /// What a device may be probed for.
    pub fn of_features(features: wgpu::Features) -> FloatOps {
        FloatOps::where_form(|form| match form.needs {
            Needs::Nothing => form.suffix != WORDS,
            Needs::Double => features.contains(wgpu::Features::SHADER_F64),
            Needs::Long => features.contains(wgpu::Features::SHADER_INT64),
        })
    }

    /// Whether sums, differences, products and quotients are exact: all other operations can be made of integers.
    pub fn arithmetic(self) -> bool {
        [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv]
            .into_iter()
            .all(|op| self.native(op))
    }

    /// Whether WGSL's own form of the operation gives Rust's bits.
    pub fn native(self, op: Op) -> bool {
        self.forms()
            .any(|(_, form)| form.op == op && matches!(form.suffix, "" | "_native"))
    }

    /// These and WGSL's own forms of every float operation, right or not: what a relaxed program computes by.
    pub fn relaxed(self) -> FloatOps {
        let own = FloatOps::where_form(|form| form.needs == Needs::Nothing && matches!(form.suffix, "" | "_native"));
        let hardware = FloatOps::where_form(|form| form.suffix == HARDWARE);
        FloatOps(self.0 & !hardware.0 | own.0)
    }

    /// Whether there are roots that depend on an estimate of the device.
    pub fn estimated(self) -> bool {
        self.forms().any(|(_, form)| form.suffix == ESTIMATED)
    }

    /// Whether the form of `1.0 / sqrt(x)` from one estimate is among them, the functions [`INVERSE_ROOT`].
    pub fn inverse_root(self) -> bool {
        self.forms().any(|(_, form)| form.shape == Shape::Inverse)
    }

    /// Whether the form of `sqrt(x)` from an estimate is, the function [`ROOT_OF_NORMAL`].
    pub fn estimated_root(self) -> bool {
        self.forms()
            .any(|(_, form)| form.suffix == ESTIMATED && form.shape != Shape::Inverse)
    }

    /// These but for those roots from an estimate that are wrong.
    pub fn without_roots(self, wrong: [bool; 2]) -> FloatOps {
        let estimated = FloatOps::where_form(|form| form.suffix == ESTIMATED);
        let dropped = estimated.forms().zip(wrong).filter(|(_, wrong)| *wrong);
        FloatOps(dropped.fold(self.0, |kept, ((bit, _), _)| kept & !bit))
    }

    /// Whether one of the forms needs something of the device.
    pub fn needs(self, needs: Needs) -> bool {
        self.forms().any(|(_, form)| form.needs == needs)
    }

    /// Writes, for each operation with several forms, the function of its bare name.
    pub fn declare(self, text: &mut String) {
        for form in FORMS.iter().filter(|form| form.suffix == WORDS) {
            let Form { function, shape, .. } = *form;
            let best = self.forms().find(|(_, best)| best.function == function);
            let suffix = best.map_or(WORDS, |(_, best)| best.suffix);
            let (parameters, result) = shape.signature();
            let typed: Vec<_> = parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
            let names: Vec<_> = parameters.iter().map(|(name, _)| *name).collect();
            let (typed, names) = (typed.join(", "), names.join(", "));
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "fn {function}({typed}) -> {result} {{ return {function}{suffix}({names}); }}"
            );
        }
    }

    /// Writes the function `ask`, which puts the answers of these forms to one input.
    pub fn declare_probe(self, text: &mut String) {
        text.push_str("fn ask(x: vec4<u32>, at: u32) {\n");
        for (number, (_, form)) in self.forms().enumerate() {
            let call = format!("{}{}({})", form.function, form.suffix, form.shape.arguments());
            let _ = writeln!(text, "    answers[at + {number}u] = {};", form.shape.answer(&call));
        }
        text.push_str("}\n");
    }

    /// The forms in both sets.
    pub fn and(self, other: FloatOps) -> FloatOps {
        FloatOps(self.0 & other.0)
    }

    /// The forms in integer words.
    #[cfg(test)]
    pub fn words() -> FloatOps {
        FloatOps::where_form(|form| form.suffix == WORDS)
    }

    /// The best form of a fused multiply-add, if there is one, and the forms made of it.
    #[cfg(test)]
    pub fn by_fused(self) -> Option<FloatOps> {
        let (best, _) = self.forms().find(|(_, form)| form.op == Op::FMulAdd)?;
        let made = FloatOps::where_form(|form| matches!(form.suffix, "_fused" | "_divided"));
        Some(FloatOps(best | made.0))
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// These but for the forms whose answers to an input are wrong. `answers` stand in the order of [`FloatOps::declare_probe`].
    pub fn checked(self, input: [u32; 4], answers: &[[u32; 2]]) -> FloatOps {
        let wrong = self
            .forms()
            .zip(answers)
            .filter(|((_, form), answer)| !form.is_right(input, **answer));
        FloatOps(wrong.fold(self.0, |kept, ((bit, _), _)| kept & !bit))
    }

    fn forms(self) -> impl Iterator<Item = (u128, &'static Form)> {
        let bits = FORMS.iter().enumerate().map(|(number, form)| (1 << number, form));
        bits.filter(move |(bit, _)| self.0 & bit != 0)
    }

    fn where_form(holds: impl Fn(&Form) -> bool) -> FloatOps {
        let bits = FORMS.iter().enumerate().filter(|(_, form)| holds(form));
        FloatOps(bits.fold(0, |set, (number, _)| set | 1 << number))
    }
}

impl Form {
    /// Whether the answer is what the machine's definition says; NaNs are one value.
    fn is_right(&self, input: [u32; 4], answer: [u32; 2]) -> bool {
        let is_float = matches!(self.shape, Shape::Float(_) | Shape::FromPair | Shape::Inverse);
        self.expected(input).is_some_and(|expected| {
            let is_nan = |word| f32::from_bits(word).is_nan();
            expected == answer || is_float && is_nan(expected[0]) && is_nan(answer[0])
        })
    }

    /// What the machine's definition says.
    fn expected(&self, [a, b, c, d]: [u32; 4]) -> Option<[u32; 2]> {
        let (op, inputs) = match self.shape {
            Shape::Float(count) | Shape::Word(count) => (self.op, &[a, b, c][..count]),
            Shape::Test => (self.op, &[a, b][..]),
            Shape::Wide => (Op::Mul64, &[a, 0, b, 0][..]),
            Shape::Shift => (self.op, &[a, b, c & 63][..]),
            Shape::Pair => (self.op, &[a, b, c, d][..]),
            Shape::FromPair => (self.op, &[a, b][..]),
            Shape::Inverse => (Op::FDiv, &[1.0_f32.to_bits(), fold(self.op, &[a])?.low][..]),
        };
        fold(op, inputs).map(|found| [found.low, found.high])
    }
}

impl std::fmt::Display for FloatOps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self
            .forms()
            .map(|(_, form)| format!("{}{}", form.function, form.suffix))
            .collect();
        f.write_str(&names.join(" "))
    }
}

#[cfg(test)]
mod tests;
