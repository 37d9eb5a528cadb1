//! The node stream: what the macro knows of a routine (its structure, in evaluation order) in a compact form that the encoder
//! walks once. The macro writes it as one byte string; types come from `Fact`s of gpuvm-core by slot number.
//!
//! A node is one byte, its [`Node`] number, followed by its arguments, each an unsigned LEB128 number; `hash` arguments are
//! four bytes, little end first. The encoder keeps a stack of *operands* (values, places, literals) while it
//! walks; the comment on each node says what it pops (left to right, the last one on top) and pushes. An operand may be a *place*, which is read when it is
//! consumed: where something evaluated in between might change it, the macro inserts [`Node::Copy`].
//!
//! Locals and labels are numbered by the macro, densely from 0. Parameters are locals `0..p`, already bound.

macro_rules! define_nodes {
    ($($(#[$doc:meta])* $node:ident = $code:literal;)*) => {
        /// The nodes of the stream.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Node { $($(#[$doc])* $node,)* }

        // The numbers are not said to rustc, whose interpreter would evaluate one after the other to find a node's among them.
        $(const _: () = assert!(Node::$node as u8 == $code, "nodes are in the order of their numbers");)*

        impl Node {
            /// The nodes by their numbers: what rustc's interpreter, in which the encoder runs, finds at once, where it tries the arms of a `match` in turn.
            pub const ALL: &[Node] = &[$(Node::$node,)*];
        }
    };
}

define_nodes! {
    /// `line`: everything that follows is on that source line.
    Line = 0;
    // Values.
    /// `local` → the place of a local.
    Local = 1;
    /// `value` → an integer literal without suffix; its consumer decides the type. (Never where nothing decides: see `IntegerAs`.)
    Integer = 2;
    /// `value kind` → an integer literal of a scalar kind (a [`Kind`](crate::Kind) number).
    IntegerOf = 3;
    /// `value slot` → an integer literal whose type is the slot's.
    IntegerAs = 4;
    /// `bits32 bits64`, little end first → a float literal whose type its consumer decides: what it is as an f32 and as an f64.
    Float = 5;
    /// `0|1` → a bool literal.
    Bool = 6;
    /// → `()`.
    Unit = 7;
    /// → the value of an expression that never ends (`return`, `break`, `panic!()`, …); any consumer takes it.
    Never = 8;
    /// `constant slot` → the value of a user's constant: its number in `Source::constants`, its type.
    Constant = 9;
    /// place/value → itself as a fresh value that later assignments do not touch.
    Copy = 10;
    /// value → nothing.
    Pop = 11;
    /// x → x, x (operands of the encoder; nothing is evaluated twice).
    Duplicate = 12;
    /// base → `base.name`, through references. `hash` of the name or of the decimal index.
    Field = 13;
    /// base, index → `base[index]` with a bounds check, through references (arrays and slices).
    Index = 14;
    /// `has_start has_end inclusive`: base, start?, end? → the unsized place `base[start..end]`, to be taken by `Ref`. Bounds are checked.
    IndexRange = 15;
    /// reference → the place it points to.
    Deref = 16;
    /// `mutable`: place → a reference to it (a value is first put into memory of its own).
    Ref = 17;
    // Operators; numbers of [`Operator`].
    /// `operator`: a → `-a` or `!a` of a primitive.
    Unary = 18;
    /// `operator slot`: a → the same where `a` may be a user's type (slot: operator fact).
    UnaryAs = 19;
    /// `operator`: a, b → `a op b` of primitives, comparisons included.
    Binary = 20;
    /// `operator slot`: a, b → the same where an operand may be a user's type (slot: operator fact).
    BinaryAs = 21;
    /// value, place → nothing; `place = value`.
    Assign = 22;
    /// `operator`: value, place → nothing; `place op= value` of primitives. The operator is the plain one (`Add`).
    AssignOp = 23;
    /// `operator slot reordered`: value, place → nothing; the same where an operand may be a user's type (slot: operator fact of the
    /// assigning operator, `AddAssign`). With `reordered`, where that fact is a call, [`SkipIfCall`](Node::SkipIfCall) had the place pushed first.
    AssignOpAs = 24;
    /// `kind`: a → `a as kind`.
    Cast = 25;
    /// `slot`: a → `a as T`.
    CastAs = 26;
    // Calls.
    /// `slot count`: arguments… → result (slot: call fact).
    Call = 27;
    /// `method count`: receiver, arguments… → result of a std method of a type that the macro knows to be the machine's own; a number
    /// of [`METHODS`](crate::method::METHODS). `count` includes the receiver.
    Method = 28;
    /// `method slot count`: the same where the receiver may be a user's type (slot: method fact). `method` is
    /// [`NO_METHOD`](crate::method::NO_METHOD) where std has none of this name.
    MethodAs = 29;
    /// `method kind count`: arguments… → result of an associated function of a scalar, `u32::max(a, b)`, `f32::from_bits(w)`.
    Associated = 30;
    // Aggregates.
    /// `slot count`: fields… → a tuple of the slot's type.
    Tuple = 31;
    /// `slot count`: elements… → an array of the slot's type.
    Array = 32;
    /// `slot`: element → an array of the slot's type, every element a copy.
    Repeat = 33;
    /// `slot variant_hash count has_base (field_hash)*count`: fields… base? → a struct (variant_hash 0) or enum value of the slot's type.
    /// A tuple struct's or variant's fields are named by their decimal index.
    Construct = 34;
    // Bindings and patterns. A scrutinee or sub-place stays on the stack until popped; matching through a reference turns bindings into
    // references, as Rust's default binding modes do.
    /// `local`: operand → nothing; binds the local to the value (or, under a reference default binding mode, to a reference).
    Bind = 35;
    /// `local slot`: operand → nothing; binds the local to the value converted to the slot's type (`let x: T = …`).
    BindAs = 36;
    /// `local mutable`: operand → nothing; binds the local to a reference to the place (`ref x`, `ref mut x`).
    BindRef = 37;
    /// `local slot`: declares a local without value (`let x;`, hidden locals).
    Declare = 38;
    /// place → place, sub-place: field of a struct or tuple, through references. `hash` of the name, of the index, or of `-k` for the k-th
    /// from the end; so in `PatternPayload` too.
    PatternField = 39;
    /// `variant_hash field_hash`: place → place, sub-place: field of an enum variant, through references.
    PatternPayload = 40;
    /// `variant_hash label`: place → place; goes to the label unless the enum holds that variant.
    PatternVariant = 41;
    /// place → place, value: the scalar to compare with a literal, through references.
    PatternValue = 42;
    /// place → place, sub-place: what a `&pattern` matches.
    PatternDeref = 43;
    /// `least exact label`: place → place; goes to the label unless the slice or array has `least` elements (or more, if not `exact`).
    PatternLength = 44;
    /// `index from_end`: place → place, sub-place: element `index`, counted from the end if `from_end` (then 1 is the last).
    PatternElement = 45;
    /// `front back`: place → place, sub-place: the slice without that many elements at its ends.
    PatternRest = 46;
    // Control flow.
    /// `label`: here.
    Label = 47;
    /// `label`: goes there.
    Jump = 48;
    /// `label`: condition → nothing; goes there if true.
    JumpIf = 49;
    /// `label`: condition → nothing; goes there if false.
    JumpUnless = 50;
    /// `join`: value → nothing; stores the value of one branch (`Never` stores nothing) of an `if`, `match`, labelled block or `loop` used as a value; its type
    /// is that of the first value stored.
    JoinSet = 51;
    /// `join` → the value. Where no branch set one it is `Never`.
    JoinGet = 52;
    /// value → nothing; leaves the routine with it.
    Return = 53;
    /// `message count`: values… → nothing; traps with the message of that number in `Source::messages`.
    Panic = 54;
    /// → `vm::id()`, `vm::count()` (u32).
    VmId = 55;
    /// → `vm::count()`.
    VmCount = 56;
    /// `vm::yield_now()`.
    Yield = 57;
    /// `vm::halt()`.
    Halt = 58;
    /// `local`: place or value of an array or slice (through references) → nothing; declares the hidden local as a `usize` with its length.
    BindLength = 59;
    /// base, index → place `base[index]` without a bounds check (hidden loop counters).
    IndexUnchecked = 60;
    /// `local`: the block ends in which the locals from that one on were declared.
    Leave = 61;
    // Closures. The code of one stands where it is written; each call walks it anew.
    /// `captures locals local_count labels label_count joins join_count length`: captured values… → the closure whose code are the `length` bytes that follow. The
    /// numbers of its own locals, labels and joins are the `count` from the first one on; its first locals are the captured values.
    /// The code begins with its arguments on the stack and ends with `Return`.
    Closure = 62;
    /// `count`: closure, arguments… → its result.
    CallValue = 63;
    /// `slot method kind` → the routine of the slot's call fact, to be called like a closure, or the machine's method of the kind, if that is not 0,
    /// whose code is one less.
    Function = 64;
    /// `slot`: value → its iterator (slot: that of `into_iter`).
    IntoIter = 65;
    /// `slot result`: an `Option` or `Result` → what is inside; returns `None` or the error, converted by the slot's routine, as a value of the
    /// type of slot `result`.
    Question = 66;
    /// base, start, end → the unsized place `base[start..end]` without bounds checks (gpuvm's own std).
    RangeUnchecked = 67;
    /// `slot result`: value → the value converted to the type of slot `result` (slot: the conversion's routine; else the machine's own).
    Convert = 68;
    /// → a value that is not there yet, a field to be set before it is read (gpuvm's own std).
    Unset = 69;
    /// `slot` → `Default::default()` (slot: a default).
    Default = 70;
    /// `kind bits` → a float literal of the kind, whose bits are four bytes or eight, little end first.
    FloatOf = 71;
    /// `bits32 bits64 slot` → a float literal of the slot's type, the bits as those of `Float`.
    FloatAs = 72;
    /// `slot`: reference, length → a reference of the slot's type to the same words, of that length where it is to a slice (gpuvm's own std).
    View = 73;
    /// `text text errors`: option or result → what is inside. Where it is the other variant, it traps with the first text, or with the second and
    /// what a result has instead. `errors`: 1 where the error of a result is what is asked for.
    Expect = 74;
    /// `slot`: base, index → `base[index]` where the base may be of a user's type (slot: operator fact of `Index` or `IndexMut`).
    IndexAs = 75;
    /// `message count`: values… → nothing; prints the message of that number in `Source::messages`.
    Print = 76;
    /// `scalar` → a `char`.
    Char = 77;
    /// `constant slot` → the value of a user's constant whose type its use decides: its number in `Source::inferred`, its type.
    InferredConstant = 78;
    /// `count`: arguments → the result of a call of the routine itself, which is given closures: they are handed on.
    CallOwn = 79;
    /// `slot variant source number` → what a name is that may be a constructor's: where the slot has a type, its value, by `source` the variant without
    /// fields (0) or the constant of that number in `Source::constants` (1) or `Source::inferred` (2); else the function that makes that variant of it.
    Named = 80;
    /// `has_start has_end inclusive slot`: as [`IndexRange`](Node::IndexRange) where the base may be a user's type (slot: operator fact).
    IndexRangeAs = 81;
    /// `slot changes`: receiver → what the receiver's `Deref` gives, where what the slot tells is found behind it; else the receiver. `changes`: whether
    /// that is assigned to or borrowed to be.
    Receiver = 82;
    /// As [`Deref`](Node::Deref), of a place that is assigned to or borrowed to be.
    DerefMut = 83;
    /// `hash`: as [`Field`](Node::Field), of a place that is assigned to or borrowed to be.
    FieldMut = 84;
    /// `slot slot`: question → its answer, by the host (slots: their types).
    Ask = 85;
    /// Stops until the launch goes on, as a VM that waits for an answer (gpuvm's own std).
    Block = 86;
    /// `slot`: value → itself, of the slot's type if it tells one: the value's own, with what a `Deref` leads to that asks more of type parameters than the type
    /// does, so that the type alone does not tell.
    Leads = 87;
    /// `slot`: receiver → a copy of it where the method that the slot tells takes it by value, for the arguments may change it; else the receiver.
    CopyReceiver = 88;
    /// `text text errors slot`: as [`Expect`](Node::Expect), of a receiver and a text, which a method of the user's is given that the slot tells.
    ExpectAs = 89;
    /// `slot distance`: where the slot is filled with a call, the walk goes on as many bytes further, or back (four bytes, little end first, two's complement).
    SkipIfCall = 90;
    /// place → a clone of it, as the user has written that, for gpuvm's own std and loops over `cloned` elements.
    Clone = 91;
}

/// The numbers of the operators in nodes and in operator facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "named as in std::ops and std::cmp")]
pub enum Operator {
    Add = 0,
    Sub = 1,
    Mul = 2,
    Div = 3,
    Rem = 4,
    BitAnd = 5,
    BitOr = 6,
    BitXor = 7,
    Shl = 8,
    Shr = 9,
    Eq = 10,
    Ne = 11,
    Lt = 12,
    Le = 13,
    Gt = 14,
    Ge = 15,
    Neg = 16,
    Not = 17,
    Index = 18,
    IndexMut = 19,
    AddAssign = 20,
    SubAssign = 21,
    MulAssign = 22,
    DivAssign = 23,
    RemAssign = 24,
    BitAndAssign = 25,
    BitOrAssign = 26,
    BitXorAssign = 27,
    ShlAssign = 28,
    ShrAssign = 29,
}

impl Operator {
    /// The operator of a number.
    pub const fn from_code(code: u8) -> Option<Operator> {
        use Operator::*;
        Some(match code {
            0 => Add,
            1 => Sub,
            2 => Mul,
            3 => Div,
            4 => Rem,
            5 => BitAnd,
            6 => BitOr,
            7 => BitXor,
            8 => Shl,
            9 => Shr,
            10 => Eq,
            11 => Ne,
            12 => Lt,
            13 => Le,
            14 => Gt,
            15 => Ge,
            16 => Neg,
            17 => Not,
            18 => Index,
            19 => IndexMut,
            20 => AddAssign,
            21 => SubAssign,
            22 => MulAssign,
            23 => DivAssign,
            24 => RemAssign,
            25 => BitAndAssign,
            26 => BitOrAssign,
            27 => BitXorAssign,
            28 => ShlAssign,
            29 => ShrAssign,
            _ => return None,
        })
    }
}
