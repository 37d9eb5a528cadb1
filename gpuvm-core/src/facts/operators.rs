//! What fills slots with operators.

use std::marker::PhantomData;

use super::ResultOfOperation;
use crate::encode::node::Operator;
use crate::types::{Against, Value};

/// The slot of an operator that results in `O`.
type ResultSlot<const OP: u8, O, A, B, Left, Right, X, Y> = <O as ResultOfOperation<OP, A, B, Left, Right, X, Y>>::Slot;

/// That of a binary operator.
pub(super) type BinarySlot<const OP: u8, A, B, O> =
    ResultSlot<OP, O, <A as Value>::Inner, <B as Value>::Inner, <A as Value>::Erased, <B as Value>::Erased, A, B>;

/// That of a comparison: references compare as what they refer to.
type ComparisonSlot<const OP: u8, A, B, O> = ResultSlot<
    OP,
    O,
    <A as Value>::Inner,
    <B as Value>::Inner,
    <A as Value>::Inner,
    <B as Value>::Inner,
    <A as Value>::Inner,
    <B as Value>::Inner,
>;

/// That of an index: rustc finds what is indexed behind its references.
pub(super) type IndexSlot<const OP: u8, A, B> = ResultSlot<
    OP,
    (),
    <A as Value>::Inner,
    <B as Value>::Inner,
    <A as Value>::Inner,
    <B as Value>::Erased,
    <A as Value>::Inner,
    B,
>;

/// That of a unary operator.
pub(super) type UnarySlot<const OP: u8, A, O> =
    ResultSlot<OP, O, <A as Value>::Inner, (), <A as Value>::Erased, (), A, ()>;

/// The form that an operand of a comparison has, see [`Against`].
type Compared<A, B, Inner, Own> = <<A as Value>::Depth as Against<<B as Value>::Depth>>::Of<Inner, Own>;

/// That of a comparison whose operands have forms.
type FormsSlot<const OP: u8, A, B, O> = ResultSlot<
    OP,
    O,
    <A as Value>::Inner,
    <B as Value>::Inner,
    Compared<A, B, <A as Value>::Inner, <A as Value>::Erased>,
    Compared<A, B, <B as Value>::Inner, <B as Value>::Erased>,
    Compared<A, B, <A as Value>::Inner, A>,
    Compared<A, B, <B as Value>::Inner, B>,
>;

/// What fills a slot with the meaning of an operator, a function for each: a number in a shadow would be a constant of its own, which rustc types and
/// checks as it does a function. What the operator results in comes in a tuple of one, behind the operands, so that rustc knows these when it looks for the
/// operator.
macro_rules! operators {
    ($kind:ident: $($name:ident $number:literal $operator:ident;)*) => {$(
        const _: () = assert!($number == Operator::$operator as u8);
        operators!(@$kind $name $number);
    )*};
    (@binary $name:ident $number:literal) => {
        /// Fills a slot with the meaning of a binary operator.
        pub fn $name<A: Value, B: Value, O>(_: A, _: B, _: (O,), _: PhantomData<BinarySlot<$number, A, B, O>>)
        where
            O: ResultOfOperation<$number, A::Inner, B::Inner, A::Erased, B::Erased, A, B>,
        {
        }
    };
    (@assigning $name:ident $number:literal) => {
        /// The same of an assigning one, of a reference to what is assigned to.
        pub fn $name<A: Value + ?Sized, B: Value, O>(_: &A, _: B, _: (O,), _: PhantomData<BinarySlot<$number, A, B, O>>)
        where
            O: ResultOfOperation<$number, A::Inner, B::Inner, A::Erased, B::Erased, A, B>,
        {
        }
    };
    (@comparison $name:ident $number:literal) => {
        /// The same of a comparison, of references to its operands, which may be slices.
        pub fn $name<A: Value + ?Sized, B: Value + ?Sized, O>(
            _: &A,
            _: &B,
            _: (O,),
            _: PhantomData<ComparisonSlot<$number, A, B, O>>,
        )
        where
            O: ResultOfOperation<$number, A::Inner, B::Inner, A::Inner, B::Inner, A::Inner, B::Inner>,
        {
        }
    };
    (@comparison_of_forms $name:ident $number:literal) => {
        /// The same of a comparison in a routine without type parameters: one of a value with a reference to one is another than that of two values.
        pub fn $name<A: Value + ?Sized, B: Value + ?Sized, O>(
            _: &A,
            _: &B,
            _: (O,),
            _: PhantomData<FormsSlot<$number, A, B, O>>,
        )
        where
            A::Depth: Against<B::Depth>,
            O: ResultOfOperation<
                    $number,
                    A::Inner,
                    B::Inner,
                    Compared<A, B, A::Inner, A::Erased>,
                    Compared<A, B, B::Inner, B::Erased>,
                    Compared<A, B, A::Inner, A>,
                    Compared<A, B, B::Inner, B>,
                >,
        {
        }
    };
    (@index $name:ident $number:literal) => {
        /// The same of an index and a reference to what is indexed, which comes last: rustc looks for the operator when it knows that.
        pub fn $name<A: Value + ?Sized, B: Value>(_: (B,), _: &A, _: PhantomData<IndexSlot<$number, A, B>>)
        where
            (): ResultOfOperation<$number, A::Inner, B::Inner, A::Inner, B::Erased, A::Inner, B>,
        {
        }
    };
    (@unary $name:ident $number:literal) => {
        /// The same of a unary operator.
        pub fn $name<A: Value, O>(_: A, _: (O,), _: PhantomData<UnarySlot<$number, A, O>>)
        where
            O: ResultOfOperation<$number, A::Inner, (), A::Erased, (), A, ()>,
        {
        }
    };
}
operators! { binary:
    binary_add 0 Add; binary_sub 1 Sub; binary_mul 2 Mul; binary_div 3 Div; binary_rem 4 Rem;
    binary_bit_and 5 BitAnd; binary_bit_or 6 BitOr; binary_bit_xor 7 BitXor; binary_shl 8 Shl; binary_shr 9 Shr;
}
operators! { comparison:
    compare_eq 10 Eq; compare_ne 11 Ne; compare_lt 12 Lt; compare_le 13 Le; compare_gt 14 Gt; compare_ge 15 Ge;
}
operators! { comparison_of_forms:
    compare_forms_eq 10 Eq; compare_forms_ne 11 Ne; compare_forms_lt 12 Lt; compare_forms_le 13 Le; compare_forms_gt 14 Gt;
    compare_forms_ge 15 Ge;
}
operators! { unary: unary_neg 16 Neg; unary_not 17 Not; }
operators! { assigning:
    assign_add 20 AddAssign; assign_sub 21 SubAssign; assign_mul 22 MulAssign; assign_div 23 DivAssign; assign_rem 24 RemAssign;
    assign_bit_and 25 BitAndAssign; assign_bit_or 26 BitOrAssign; assign_bit_xor 27 BitXorAssign; assign_shl 28 ShlAssign;
    assign_shr 29 ShrAssign;
}

operators! { index: index 18 Index; index_mut 19 IndexMut; }
