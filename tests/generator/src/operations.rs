//! One routine for each primitive operation on each type: operators, methods, conversions. What cannot trap is grouped by theme,
//! what can trap stands alone, so that no trap hides another.

use std::fmt::Write;

/// The integer types with their widths.
const INTEGERS: [(&str, u32); 8] = [
    ("u32", 32),
    ("i32", 32),
    ("u64", 64),
    ("i64", 64),
    ("u8", 8),
    ("i8", 8),
    ("u16", 16),
    ("i16", 16),
];

/// Which integer types a row is for.
#[derive(Clone, Copy, PartialEq)]
enum On {
    All,
    Signed,
    Unsigned,
}

/// Name, types, parameters, result and body. `T` stands for the type, `U` for its unsigned twin, `BITS` for its width.
type Row = (&'static str, On, &'static str, &'static str, &'static str);

const INTEGER_ROWS: &[Row] = &[
    // What can trap.
    ("add", On::All, "a: T, b: T", "T", "a + b"),
    ("sub", On::All, "a: T, b: T", "T", "a - b"),
    ("mul", On::All, "a: T, b: T", "T", "a * b"),
    ("div", On::All, "a: T, b: T", "T", "a / b"),
    ("rem", On::All, "a: T, b: T", "T", "a % b"),
    ("neg", On::Signed, "a: T", "T", "-a"),
    ("shl", On::All, "a: T, n: u32", "T", "a << (n % 70)"),
    ("shr", On::All, "a: T, n: u32", "T", "a >> (n % 70)"),
    ("shl_signed", On::All, "a: T, n: i32", "T", "a << (n % 80)"),
    ("shr_byte", On::All, "a: T, n: u8", "T", "a >> (n & 0x3f)"),
    ("add_assign", On::All, "a: T, b: T", "T", "{ let mut x = a; x += b; x }"),
    ("sub_assign", On::All, "a: T, b: T", "T", "{ let mut x = a; x -= b; x }"),
    ("mul_assign", On::All, "a: T, b: T", "T", "{ let mut x = a; x *= b; x }"),
    ("div_assign", On::All, "a: T, b: T", "T", "{ let mut x = a; x /= b; x }"),
    ("rem_assign", On::All, "a: T, b: T", "T", "{ let mut x = a; x %= b; x }"),
    ("abs", On::Signed, "a: T", "T", "a.abs()"),
    ("pow", On::All, "a: T, n: u32", "T", "a.pow(n % 9)"),
    ("div_euclid", On::All, "a: T, b: T", "T", "a.div_euclid(b)"),
    ("rem_euclid", On::All, "a: T, b: T", "T", "a.rem_euclid(b)"),
    ("isqrt", On::Unsigned, "a: T", "T", "a.isqrt()"),
    ("wrapping_div", On::All, "a: T, b: T", "T", "a.wrapping_div(b)"),
    ("wrapping_rem", On::All, "a: T, b: T", "T", "a.wrapping_rem(b)"),
    // By a constant, where the compiler reduces.
    (
        "constants",
        On::All,
        "a: T",
        "[T; 5]",
        "[a / 3, a % 7, a / 8, a % 16, a / T::MAX]",
    ),
    (
        "constant_products",
        On::All,
        "a: T",
        "(T, T, T)",
        "(a.wrapping_mul(5), a.wrapping_mul(64), a.wrapping_mul(T::MAX))",
    ),
    (
        "constant_shifts",
        On::All,
        "a: T",
        "(T, T, T)",
        "(a << 3, a >> 5, (a >> (BITS - 1)) ^ a)",
    ),
    // What cannot.
    (
        "bits",
        On::All,
        "a: T, b: T",
        "(T, T, T, T)",
        "(a & b, a | b, a ^ b, !a)",
    ),
    (
        "compare",
        On::All,
        "a: T, b: T",
        "[bool; 6]",
        "[a == b, a != b, a < b, a <= b, a > b, a >= b]",
    ),
    (
        "compare_constant",
        On::All,
        "a: T",
        "[bool; 4]",
        "[a == 0, a < 7, a >= T::MAX / 2, 3 != a]",
    ),
    (
        "wrapping",
        On::All,
        "a: T, b: T",
        "(T, T, T)",
        "(a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b))",
    ),
    ("wrapping_unary", On::All, "a: T", "T", "a.wrapping_neg()"),
    ("wrapping_abs", On::Signed, "a: T", "T", "a.wrapping_abs()"),
    (
        "wrapping_shifts",
        On::All,
        "a: T, n: u32",
        "(T, T)",
        "(a.wrapping_shl(n), a.wrapping_shr(n))",
    ),
    ("wrapping_pow", On::All, "a: T, n: u32", "T", "a.wrapping_pow(n % 40)"),
    (
        "checked",
        On::All,
        "a: T, b: T",
        "(Option<T>, Option<T>, Option<T>)",
        "(a.checked_add(b), a.checked_sub(b), a.checked_mul(b))",
    ),
    (
        "checked_quotients",
        On::All,
        "a: T, b: T",
        "(Option<T>, Option<T>)",
        "(a.checked_div(b), a.checked_rem(b))",
    ),
    (
        "checked_shifts",
        On::All,
        "a: T, n: u32",
        "(Option<T>, Option<T>)",
        "(a.checked_shl(n % 70), a.checked_shr(n % 70))",
    ),
    ("checked_neg", On::All, "a: T", "Option<T>", "a.checked_neg()"),
    (
        "checked_pow",
        On::All,
        "a: T, n: u32",
        "Option<T>",
        "a.checked_pow(n % 9)",
    ),
    (
        "saturating",
        On::All,
        "a: T, b: T",
        "(T, T, T)",
        "(a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b))",
    ),
    (
        "overflowing",
        On::All,
        "a: T, b: T",
        "((T, bool), (T, bool), (T, bool))",
        "(a.overflowing_add(b), a.overflowing_sub(b), a.overflowing_mul(b))",
    ),
    ("overflowing_neg", On::All, "a: T", "(T, bool)", "a.overflowing_neg()"),
    (
        "rotate",
        On::All,
        "a: T, n: u32",
        "(T, T)",
        "(a.rotate_left(n % 70), a.rotate_right(n % 70))",
    ),
    (
        "zeros",
        On::All,
        "a: T",
        "[u32; 4]",
        "[a.count_ones(), a.count_zeros(), a.leading_zeros(), a.trailing_zeros()]",
    ),
    (
        "ones",
        On::All,
        "a: T",
        "(u32, u32)",
        "(a.leading_ones(), a.trailing_ones())",
    ),
    (
        "reverse",
        On::All,
        "a: T",
        "(T, T)",
        "(a.swap_bytes(), a.reverse_bits())",
    ),
    (
        "min_max",
        On::All,
        "a: T, b: T",
        "(T, T, T)",
        "(a.min(b), a.max(b), a.clamp(T::MAX / 4, T::MAX / 2))",
    ),
    ("abs_diff", On::All, "a: T, b: T", "U", "a.abs_diff(b)"),
    (
        "sign",
        On::Signed,
        "a: T",
        "(T, bool, bool)",
        "(a.signum(), a.is_positive(), a.is_negative())",
    ),
    ("unsigned_abs", On::Signed, "a: T", "U", "a.unsigned_abs()"),
    ("is_power_of_two", On::Unsigned, "a: T", "bool", "a.is_power_of_two()"),
];

/// Name, parameters, result and body of rows on `f32`.
const FLOAT_ROWS: &[(&str, &str, &str, &str)] = &[
    (
        "arithmetic",
        "a: f32, b: f32",
        "(f32, f32, f32, f32)",
        "(a + b, a - b, a * b, a / b)",
    ),
    ("rem", "a: f32, b: f32", "f32", "a % b"),
    ("neg", "a: f32", "f32", "-a"),
    (
        "assign",
        "a: f32, b: f32",
        "f32",
        "{ let mut x = a; x += b; x *= b; x -= a; x /= b; x }",
    ),
    (
        "compare",
        "a: f32, b: f32",
        "[bool; 6]",
        "[a == b, a != b, a < b, a <= b, a > b, a >= b]",
    ),
    (
        "not_compare",
        "a: f32, b: f32",
        "[bool; 4]",
        "[!(a < b), !(a <= b), !(a > b), !(a >= b)]",
    ),
    (
        "constants",
        "a: f32",
        "[f32; 6]",
        "[a * 1.0, a + 0.0, 0.0 - a, a * 0.0, a / 2.0, 1.0 - a]",
    ),
    (
        "associate",
        "a: f32, b: f32, c: f32",
        "(f32, f32, f32)",
        "((a + b) + c, a + (b + c), a * b + c)",
    ),
    ("mul_add", "a: f32, b: f32, c: f32", "f32", "a.mul_add(b, c)"),
    ("sqrt", "a: f32", "f32", "a.sqrt()"),
    ("abs", "a: f32", "(f32, f32)", "(a.abs(), a.signum())"),
    ("copysign", "a: f32, b: f32", "f32", "a.copysign(b)"),
    (
        "round",
        "a: f32",
        "[f32; 6]",
        "[a.floor(), a.ceil(), a.round(), a.trunc(), a.fract(), a.round_ties_even()]",
    ),
    ("min_max", "a: f32, b: f32", "(f32, f32)", "(a.min(b), a.max(b))"),
    ("clamp", "a: f32", "f32", "a.clamp(-2.5, 100.0)"),
    ("recip", "a: f32", "f32", "a.recip()"),
    ("bits", "a: f32", "u32", "a.to_bits()"),
    ("from_bits", "a: u32", "f32", "f32::from_bits(a)"),
    (
        "classes",
        "a: f32",
        "[bool; 5]",
        "[a.is_nan(), a.is_finite(), a.is_infinite(), a.is_normal(), !a.is_nan() && a.is_sign_negative()]",
    ),
    (
        "euclid",
        "a: f32, b: f32",
        "(f32, f32)",
        "(a.div_euclid(b), a.rem_euclid(b))",
    ),
    ("powi", "a: f32, n: i32", "f32", "a.powi(n % 20)"),
    ("powf", "a: f32, b: f32", "f32", "a.powf(b)"),
    ("sin", "a: f32", "(f32, f32, f32)", "(a.sin(), a.cos(), a.tan())"),
    ("asin", "a: f32", "(f32, f32, f32)", "(a.asin(), a.acos(), a.atan())"),
    ("atan2", "a: f32, b: f32", "f32", "a.atan2(b)"),
    ("sinh", "a: f32", "(f32, f32, f32)", "(a.sinh(), a.cosh(), a.tanh())"),
    ("exp", "a: f32", "(f32, f32, f32)", "(a.exp(), a.exp2(), a.exp_m1())"),
    ("ln", "a: f32", "[f32; 4]", "[a.ln(), a.log2(), a.log10(), a.ln_1p()]"),
    ("hypot", "a: f32, b: f32", "(f32, f32)", "(a.hypot(b), a.cbrt())"),
    ("degrees", "a: f32", "(f32, f32)", "(a.to_degrees(), a.to_radians())"),
];

/// Conversions by `as`: the targets of each source, in two groups to keep the routines small.
const CAST_TARGETS: [&[&str]; 2] = [&["u8", "i8", "u16", "i16", "f32"], &["u32", "i32", "u64", "i64"]];

/// The source of all these routines and of their list of cases, for the body of a module of the suite.
pub fn operations() -> String {
    let mut source = String::from("use gpuvm::prelude::*;\n\n");
    let mut names = Vec::new();
    for (ty, bits) in INTEGERS {
        let signed = ty.starts_with('i');
        for &(name, on, params, result, body) in INTEGER_ROWS {
            if on == On::All || (on == On::Signed) == signed {
                let [params, result, body] = [params, result, body].map(|text| concrete(text, ty, bits));
                routine(&mut source, &mut names, format!("{name}_{ty}"), &params, &result, &body);
            }
        }
    }
    for &(name, params, result, body) in FLOAT_ROWS {
        routine(&mut source, &mut names, format!("{name}_f32"), params, result, body);
    }
    for source_type in INTEGERS.map(|(ty, _)| ty).into_iter().chain(["f32", "bool"]) {
        for (group, targets) in CAST_TARGETS.iter().enumerate() {
            let targets: Vec<&str> = targets
                .iter()
                .copied()
                .filter(|&to| to != source_type && (source_type, to) != ("bool", "f32"))
                .collect();
            let casts: Vec<String> = targets.iter().map(|to| format!("a as {to}")).collect();
            let (params, result, body) = (format!("a: {source_type}"), targets.join(", "), casts.join(", "));
            routine(
                &mut source,
                &mut names,
                format!("cast_{source_type}_{group}"),
                &params,
                &format!("({result})"),
                &format!("({body})"),
            );
        }
    }
    let _ = writeln!(source, "cases! {{ {} }}", names.join(", "));
    source
}

/// The text with its type filled in. The placeholders stand alone between characters that no name contains.
fn concrete(text: &str, ty: &str, bits: u32) -> String {
    let mut filled = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        match word.as_str() {
            "T" => filled.push_str(ty),
            "U" => filled.push_str(&ty.replace('i', "u")),
            "BITS" => filled.push_str(&bits.to_string()),
            other => filled.push_str(other),
        }
        word.clear();
        filled.push(c);
    }
    filled.pop();
    filled
}

fn routine(source: &mut String, names: &mut Vec<String>, name: String, params: &str, result: &str, body: &str) {
    let _ = writeln!(
        source,
        "#[routine]\nfn {name}({params}) -> {result} {{\n    {body}\n}}\n"
    );
    names.push(name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_whole_words() {
        assert_eq!(
            concrete("(T::MAX, U, a.TT(T))", "i16", 16),
            "(i16::MAX, u16, a.TT(i16))"
        );
    }

    #[test]
    fn names_are_unique() {
        let source = operations();
        let list = source.rsplit("cases! {").next().unwrap_or_default();
        let mut names: Vec<&str> = list
            .trim_end_matches(['}', '\n', ' '])
            .split(',')
            .map(str::trim)
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(all > 300, "{all}");
    }
}
