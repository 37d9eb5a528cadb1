//! The std methods and associated functions of the machine's own types, by number. The macro looks a name up, the encoder
//! gives it meaning for the receiver's type.

macro_rules! define_methods {
    ($($name:ident)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u16)]
        enum Number { $($name,)* }

        /// The names, at the place of their number.
        pub const METHODS: &[&str] = &[$(stringify!($name)),*];

        /// The numbers as constants, named as the method.
        #[allow(missing_docs, non_upper_case_globals)]
        pub mod number {
            $(pub const $name: u16 = super::Number::$name as u16;)*
        }
    };
}

define_methods! {
    // f32
    sqrt mul_add floor ceil round round_ties_even trunc fract copysign recip to_bits from_bits
    to_degrees to_radians is_nan is_finite is_infinite is_normal is_sign_negative is_sign_positive
    sin cos tan sin_cos asin acos atan atan2 sinh cosh tanh asinh acosh atanh
    exp exp2 exp_m1 ln ln_1p log2 log10 log powf powi hypot cbrt
    div_euclid rem_euclid total_cmp
    // f32 and integers
    abs signum min max clamp
    // integers
    pow isqrt abs_diff unsigned_abs is_positive is_negative is_power_of_two next_power_of_two div_ceil
    count_ones count_zeros leading_zeros trailing_zeros leading_ones trailing_ones ilog2
    swap_bytes reverse_bits rotate_left rotate_right
    wrapping_add wrapping_sub wrapping_mul wrapping_div wrapping_rem wrapping_neg wrapping_shl wrapping_shr wrapping_abs wrapping_pow
    checked_add checked_sub checked_mul checked_div checked_rem checked_neg checked_shl checked_shr checked_abs checked_pow
    saturating_add saturating_sub saturating_mul
    overflowing_add overflowing_sub overflowing_mul overflowing_neg
    // references, arrays, slices
    len is_empty clone
    // Option and Result
    is_some is_none unwrap unwrap_or is_ok is_err
    // atomics
    load store fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_min fetch_max swap compare_exchange
}

/// In place of a method's number: std has no method of this name.
pub const NO_METHOD: u16 = 0xffff;

/// The number of the std method of a name.
pub fn method_number(name: &str) -> Option<u16> {
    METHODS
        .iter()
        .position(|known| *known == name)
        .map(|place| place as u16)
}
