//! The kinds of types, and the hash by which names cross from the macro to the encoder.

/// What a type is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the scalars explain themselves")]
pub enum Kind {
    Bool,
    F32,
    I32,
    U32,
    I64,
    U64,
    I8,
    U8,
    I16,
    U16,
    Isize,
    Usize,
    I128,
    U128,
    F64,
    /// `!`, or a value the encoder knows is never made.
    Never,
    /// `std::num::Wrapping` of the element, a scalar integer.
    Wrapping,
    /// An atomic of the element (`u32`, `i32`, `u64` or `i64`).
    Atomic,
    /// `f16` or `bf16` of the crate `half`, by its name: one field, the bits as a `u16`.
    Half,
    /// A tuple; `()` is the empty one.
    Tuple,
    Struct,
    Enum,
    Array,
    Slice,
    /// A closure: it has no words, only the encoder knows its code.
    Closure,
}

impl Kind {
    /// The kind of a number, as the node stream writes it.
    pub const fn from_code(code: u8) -> Option<Kind> {
        Some(match code {
            0 => Kind::Bool,
            1 => Kind::F32,
            2 => Kind::I32,
            3 => Kind::U32,
            4 => Kind::I64,
            5 => Kind::U64,
            6 => Kind::I8,
            7 => Kind::U8,
            8 => Kind::I16,
            9 => Kind::U16,
            10 => Kind::Isize,
            11 => Kind::Usize,
            12 => Kind::I128,
            13 => Kind::U128,
            14 => Kind::F64,
            _ => return None,
        })
    }

    /// Whether it is an integer scalar.
    pub const fn is_integer(self) -> bool {
        (self as u8) >= Kind::I32 as u8 && (self as u8) <= Kind::U128 as u8
    }

    /// Whether it is `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    /// Whether it is an integer or a float.
    pub const fn is_number(self) -> bool {
        self.is_integer() || self.is_float()
    }

    /// Whether it is an integer with a sign.
    pub const fn is_signed(self) -> bool {
        matches!(
            self,
            Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 | Kind::I128 | Kind::Isize
        )
    }

    /// Bits of a scalar, 1 for `bool`; 0 for everything else.
    pub const fn bits(self) -> u32 {
        match self {
            Kind::Bool => 1,
            Kind::I8 | Kind::U8 => 8,
            Kind::I16 | Kind::U16 => 16,
            Kind::F32 | Kind::I32 | Kind::U32 | Kind::Isize | Kind::Usize => 32,
            Kind::I64 | Kind::U64 | Kind::F64 => 64,
            Kind::I128 | Kind::U128 => 128,
            _ => 0,
        }
    }

    /// Words of a scalar; 0 for everything else.
    pub const fn words(self) -> u32 {
        self.bits().div_ceil(32)
    }

    /// Whether it is `bool`, a float or an integer.
    pub const fn is_scalar(self) -> bool {
        self.bits() != 0
    }
}

/// The hash by which fields and variants are looked up: FNV-1a, 32 bits.
pub const fn name_hash(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let mut hash = 0x811c_9dc5_u32;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    hash
}
