//! The std methods and associated functions of the machine's own types, by number. The macro looks a name up, the encoder
//! gives it meaning for the receiver's type.

use crate::node::Operator;

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
    // Floats
    sqrt mul_add floor ceil round round_ties_even trunc fract copysign recip to_bits from_bits
    to_degrees to_radians is_nan is_finite is_infinite is_normal is_sign_negative is_sign_positive
    sin cos tan sin_cos asin acos atan atan2 sinh cosh tanh asinh acosh atanh
    exp exp2 exp_m1 ln ln_1p log2 log10 log powf powi hypot cbrt
    div_euclid rem_euclid
    // Floats and integers
    abs signum min max clamp
    // Integers
    pow isqrt abs_diff unsigned_abs is_positive is_negative is_power_of_two next_power_of_two div_ceil
    count_ones count_zeros leading_zeros trailing_zeros leading_ones trailing_ones ilog2
    swap_bytes reverse_bits rotate_left rotate_right
    wrapping_add wrapping_sub wrapping_mul wrapping_div wrapping_rem wrapping_neg wrapping_shl wrapping_shr wrapping_abs wrapping_pow
    checked_add checked_sub checked_mul checked_div checked_rem checked_neg checked_shl checked_shr checked_abs checked_pow
    saturating_add saturating_sub saturating_mul
    overflowing_add overflowing_sub overflowing_mul overflowing_neg
    // Comparisons, and Ordering
    eq ne lt le gt ge cmp partial_cmp is_eq is_ne is_lt is_le is_gt is_ge reverse then
    // References, arrays, slices
    len is_empty clone
    // Option and Result
    is_some is_none unwrap unwrap_err unwrap_or is_ok is_err
    // Atomics
    load store fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_min fetch_max swap compare_exchange compare_exchange_weak
}

/// In place of a method's number: std has no method of this name.
pub const NO_METHOD: u16 = 0xffff;

/// In place of a method's number where it is that of an operator's trait, `a.add(b)`: the operator, unless the user has a method of the name.
pub const fn of_operator(operator: Operator) -> u16 {
    NO_METHOD - 1 - operator as u16
}

/// The operator of such a number.
pub const fn operator_of(number: u16) -> Option<Operator> {
    match NO_METHOD - number {
        0 => None,
        above if above <= 0x100 => Operator::from_code((above - 1) as u8),
        _ => None,
    }
}

/// How a trait of the user's takes the receiver of a method that is named as one of std's.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub enum Takes {
    /// By value, or it is not known.
    Value,
    /// By a reference.
    Ref,
    /// By one that may change it.
    Mut,
}

/// Methods that the machine has itself of its own types, by what kind of type it is.
pub mod of {
    /// Of arrays and slices.
    pub const LIST: &[&str] = &["len", "is_empty", "clone"];
    /// Of `Option`.
    pub const OPTION: &[&str] = &["is_some", "is_none", "unwrap", "unwrap_or", "clone"];
    /// Of everything that has an order or is equal.
    pub const COMPARISON: &[&str] = &[
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "cmp",
        "partial_cmp",
        "max",
        "min",
        "clamp",
    ];
    /// Of numbers that may be negative.
    pub const SIGNED: &[&str] = &[
        "abs",
        "signum",
        "unsigned_abs",
        "is_positive",
        "is_negative",
        "wrapping_abs",
        "checked_abs",
    ];
    /// Of `Ordering` alone.
    pub const ORDERING: &[&str] = &["is_eq", "is_ne", "is_lt", "is_le", "is_gt", "is_ge", "reverse", "then"];
    /// Of atomics.
    pub const ATOMIC: &[&str] = &[
        "load",
        "store",
        "fetch_add",
        "fetch_sub",
        "fetch_and",
        "fetch_or",
        "fetch_xor",
        "fetch_min",
        "fetch_max",
        "swap",
        "compare_exchange",
        "compare_exchange_weak",
    ];
}

/// Whether floats have the method of a number, which is that of a number's method.
pub fn is_of_floats(method: u16) -> bool {
    method < number::pow
}

/// Whether integers have the method of a number, which is that of a number's method.
pub fn is_of_integers(method: u16) -> bool {
    method > number::cbrt
}

/// Whether numbers have the method of a number, and not only what else can be compared.
pub fn is_of_numbers(method: u16) -> bool {
    method < number::eq
}

/// The number of the std method of a name.
pub fn method_number(name: &str) -> Option<u16> {
    METHODS
        .iter()
        .position(|known| *known == name)
        .map(|place| place as u16)
}

/// How many arguments the closure takes that is a std method's last argument. `None` where there is none, or where it depends on the receiver.
pub fn closure_of(method: &str) -> Option<usize> {
    Some(match method {
        "map"
        | "filter"
        | "filter_map"
        | "flat_map"
        | "inspect"
        | "inspect_err"
        | "take_while"
        | "skip_while"
        | "map_while"
        | "for_each"
        | "any"
        | "all"
        | "find"
        | "find_map"
        | "position"
        | "rposition"
        | "map_err"
        | "and_then"
        | "is_some_and"
        | "is_none_or"
        | "is_ok_and"
        | "is_err_and"
        | "max_by_key"
        | "min_by_key"
        | "sort_by_key"
        | "sort_unstable_by_key"
        | "partition_point"
        | "map_or"
        | "map_or_else"
        | "retain"
        | "split"
        | "split_mut"
        | "split_inclusive"
        | "split_inclusive_mut"
        | "rsplit"
        | "rsplit_mut"
        | "splitn"
        | "splitn_mut"
        | "matches"
        | "rmatches"
        | "match_indices"
        | "rmatch_indices"
        | "rsplitn"
        | "rsplitn_mut"
        | "binary_search_by"
        | "binary_search_by_key"
        | "is_sorted_by_key"
        | "select_nth_unstable_by_key"
        | "try_for_each"
        | "rfind"
        | "next_if"
        | "take_if"
        | "fetch_update"
        | "try_update"
        | "update" => 1,
        "fold"
        | "try_fold"
        | "rfold"
        | "try_rfold"
        | "scan"
        | "max_by"
        | "min_by"
        | "sort_by"
        | "sort_unstable_by"
        | "reduce"
        | "chunk_by"
        | "chunk_by_mut"
        | "is_sorted_by"
        | "select_nth_unstable_by" => 2,
        "ok_or_else" | "get_or_insert_with" | "then" | "then_with" | "fill_with" => 0,
        _ => return None,
    })
}

/// Methods of std's whose routine depends on their result's type, also where no closure is given.
pub const BY_RESULT: &[&str] = &[
    "start_bound",
    "end_bound",
    "and",
    "or",
    "ok_or",
    "zip",
    "sum",
    "product",
    "collect",
    "peekable",
    "then_some",
    "first_chunk",
    "first_chunk_mut",
    "last_chunk",
    "last_chunk_mut",
    "split_first_chunk",
    "split_first_chunk_mut",
    "split_last_chunk",
    "split_last_chunk_mut",
    "array_windows",
    "as_array",
    "as_mut_array",
    "as_chunks",
    "as_chunks_mut",
    "as_rchunks",
    "as_rchunks_mut",
    "nth_back",
    "is_sorted",
    "into_iter",
    "enumerate",
    "rev",
    "take",
    "skip",
    "step_by",
    "copied",
    "cloned",
    "fuse",
    "cycle",
    "flatten",
];

/// The same of those that have no argument: a method of the user's of such a name may have some, and parameters of its own.
pub const BY_RESULT_ALONE: &[&str] = &["parse"];

/// Methods with an argument whose type is in that of the result, so that what is expected of the result tells what `0` in `fold(0, …)` is.
pub const HINTED: &[&str] = &[
    "fold",
    "rfold",
    "try_fold",
    "try_rfold",
    "map_or",
    "ok_or",
    "or",
    "and",
    "then_some",
];

/// Methods whose routine depends on the type of their first argument.
pub const BY_ARGUMENT: &[&str] = &[
    "zip",
    "chain",
    "get",
    "get_mut",
    "get_disjoint_mut",
    "copy_within",
    "split_off",
    "split_off_mut",
];

/// Methods of texts that look for a pattern, a text, a character, several or a closure's; slices have some of these names, too.
pub const BY_PATTERN: &[&str] = &[
    "find",
    "rfind",
    "contains",
    "starts_with",
    "ends_with",
    "strip_prefix",
    "strip_suffix",
    "split_once",
    "rsplit_once",
    "trim_matches",
    "trim_start_matches",
    "trim_end_matches",
    "split",
    "split_terminator",
    "split_inclusive",
    "rsplit",
    "splitn",
    "rsplitn",
    "matches",
    "rmatches",
    "match_indices",
    "rmatch_indices",
];

/// Comparisons that iterators have, too, by the type of their argument.
pub const COMPARES_ITERATORS: &[&str] = &["eq", "ne", "lt", "le", "gt", "ge", "cmp", "partial_cmp"];

/// The methods of an order that take their receiver by value, and are those of references where these are called on.
pub const TAKE_BY_ORDER: &[&str] = &["clamp", "max", "min"];

/// Methods whose routine depends on what their closure results in, which their own result does not tell.
pub const BY_KEY: &[&str] = &[
    "sort_by_key",
    "sort_unstable_by_key",
    "sort_by_cached_key",
    "max_by_key",
    "min_by_key",
    "is_sorted_by_key",
    "binary_search_by_key",
    "select_nth_unstable_by_key",
];

/// Methods of numbers and `bool` that are routines of gpuvm's own std.
pub const OF_SCALARS: &[&str] = &[
    "to_le_bytes",
    "to_ne_bytes",
    "to_be_bytes",
    "from_le_bytes",
    "from_ne_bytes",
    "from_be_bytes",
    "then",
    "then_some",
    "into",
    "is_ascii",
    "is_ascii_digit",
    "is_ascii_hexdigit",
    "is_ascii_lowercase",
    "is_ascii_uppercase",
    "is_ascii_alphabetic",
    "is_ascii_alphanumeric",
    "is_ascii_whitespace",
    "is_ascii_graphic",
    "is_ascii_punctuation",
    "is_ascii_control",
    "to_ascii_lowercase",
    "to_ascii_uppercase",
    "eq_ignore_ascii_case",
    "checked_div_euclid",
    "checked_rem_euclid",
    "wrapping_div_euclid",
    "wrapping_rem_euclid",
    "overflowing_div",
    "overflowing_rem",
    "overflowing_div_euclid",
    "overflowing_rem_euclid",
    "saturating_div",
    "overflowing_pow",
    "saturating_pow",
    "overflowing_shl",
    "overflowing_shr",
    "unbounded_shl",
    "unbounded_shr",
    "ilog",
    "checked_ilog",
    "ilog10",
    "checked_ilog10",
    "checked_ilog2",
    "is_multiple_of",
    "next_multiple_of",
    "checked_next_multiple_of",
    "checked_next_power_of_two",
    "midpoint",
    "total_cmp",
    "next_up",
    "next_down",
    "is_subnormal",
    "overflowing_add_signed",
    "wrapping_add_signed",
    "checked_add_signed",
    "saturating_add_signed",
    "overflowing_sub_signed",
    "wrapping_sub_signed",
    "checked_sub_signed",
    "saturating_sub_signed",
    "checked_signed_diff",
    "carrying_add",
    "borrowing_sub",
    "overflowing_add_unsigned",
    "wrapping_add_unsigned",
    "checked_add_unsigned",
    "saturating_add_unsigned",
    "overflowing_sub_unsigned",
    "wrapping_sub_unsigned",
    "checked_sub_unsigned",
    "saturating_sub_unsigned",
    "saturating_neg",
    "saturating_abs",
    "overflowing_abs",
    "checked_isqrt",
    "classify",
    "strict_add",
    "strict_sub",
    "strict_mul",
    "strict_neg",
    "strict_abs",
    "strict_shl",
    "strict_shr",
    "strict_pow",
    "carrying_mul",
    "carrying_mul_add",
    "cast_signed",
    "cast_unsigned",
    "make_ascii_lowercase",
    "make_ascii_uppercase",
    "to_le",
    "to_be",
    "from_le",
    "from_be",
];

/// Methods that every iterator has, by its type alone.
pub const OF_ITERATORS: &[&str] = &["by_ref", "count", "last", "nth"];

/// Methods of iterators that depend on more than the iterator.
pub const OF_ITERATORS_GENERIC: &[&str] = &[
    "into_iter",
    "enumerate",
    "rev",
    "take",
    "skip",
    "step_by",
    "copied",
    "cloned",
    "fuse",
    "cycle",
    "flatten",
    "map",
    "filter",
    "filter_map",
    "flat_map",
    "inspect",
    "zip",
    "chain",
    "take_while",
    "skip_while",
    "map_while",
    "scan",
    "peekable",
    "for_each",
    "fold",
    "reduce",
    "try_fold",
    "any",
    "all",
    "find",
    "find_map",
    "position",
    "iterator_max",
    "iterator_min",
    "max_by_key",
    "min_by_key",
    "max_by",
    "min_by",
    "sum",
    "product",
    "collect",
    "try_for_each",
    "rfind",
    "rfold",
    "try_rfold",
    "is_sorted_by",
    "is_sorted_by_key",
    "nth_back",
    "is_sorted",
];

/// Methods of std's of lists and iterators that depend on nothing but their receiver.
const PLAIN: &[&str] = &[
    "advance",
    "advance_back",
    "as_bytes",
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_mut_slice",
    "as_ref",
    "as_slice",
    "binary_search",
    "break_value",
    "by_ref",
    "clone_from_slice",
    "contains",
    "continue_value",
    "copy_from_slice",
    "count",
    "each_mut",
    "each_ref",
    "ends_with",
    "err",
    "fill",
    "first",
    "first_mut",
    "get_or_insert",
    "get_or_insert_default",
    "insert",
    "into_slice",
    "is_break",
    "is_continue",
    "is_control",
    "is_digit",
    "is_whitespace",
    "iter",
    "iter_mut",
    "last",
    "last_mut",
    "len_utf16",
    "len_utf8",
    "next",
    "next_back",
    "next_if_eq",
    "nth",
    "ok",
    "peek",
    "peek_mut",
    "replace",
    "rotate_left",
    "rotate_right",
    "select_nth_unstable",
    "sort",
    "sort_unstable",
    "split_at",
    "split_at_checked",
    "split_at_mut",
    "split_at_mut_checked",
    "split_first",
    "split_first_mut",
    "split_last",
    "split_last_mut",
    "split_off_first",
    "split_off_first_mut",
    "split_off_last",
    "split_off_last_mut",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    "swap_with_slice",
    "take",
    "to_digit",
    "transpose",
    "trim_ascii",
    "trim_ascii_end",
    "trim_ascii_start",
    "unwrap_or_default",
    "unwrap_or_else",
    "unzip",
    "windows",
    "xor",
];

/// Whether a method is looked for as std's is, by its name and what std's of that name depends on: one of the user's can have no parameters of
/// its own then. `is_plain`: whether neither a closure nor type arguments are given.
pub fn is_std(method: &str, is_plain: bool) -> bool {
    let depends = closure_of(method).is_some()
        || matches!(method, "or_else" | "unwrap_or_else")
        || [
            BY_RESULT,
            BY_ARGUMENT,
            BY_PATTERN,
            BY_KEY,
            COMPARES_ITERATORS,
            OF_ITERATORS_GENERIC,
        ]
        .iter()
        .any(|names| names.contains(&method));
    let is_named = || {
        [METHODS, OF_SCALARS, OF_ITERATORS, PLAIN]
            .iter()
            .any(|names| names.contains(&method))
    };
    depends || is_plain && is_named()
}

/// Whether a method's routine depends on more than its receiver, also where no closure is given.
pub fn is_generic(method: &str, arguments: usize) -> bool {
    of_an_iterator(method, arguments) != method
        || arguments == 0 && BY_RESULT_ALONE.contains(&method)
        || [BY_RESULT, BY_ARGUMENT, BY_PATTERN, BY_KEY]
            .iter()
            .any(|names| names.contains(&method))
}

/// The name under which a method is kept: that of values with an order have the names of two of iterators, but those have no argument.
pub fn of_an_iterator(method: &str, arguments: usize) -> &str {
    match (method, arguments) {
        ("max", 0) => "iterator_max",
        ("min", 0) => "iterator_min",
        _ => method,
    }
}
