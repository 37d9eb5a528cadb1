//! The one table of the instruction set. Every other statement about opcodes (the [`Op`](super::Op) enum, operand
//! roles, the disassembler, the verifier, the shader constants, the documentation page) is derived from it.

/// Calls `$receiver!` with one row an opcode:
/// `Variant = code, "mnemonic", [role; 4], Class, Effect, Unit, Repeats, "meaning";`.
///
/// Roles of the four operands are those of [`Role`](crate::isa::Role). Codes of a class are contiguous and the linear class
/// comes first, so the class of an opcode is a range check.
#[macro_export]
#[doc(hidden)]
macro_rules! for_each_op {
    ($receiver:ident) => {
        $receiver! {
            // Linear: state' = A · state + b. Operand 3 is the instruction's matrix.
            Mov      = 0x00, "mov",      [Def, Use, None, Matrix],  Linear, Pure, Core, Once, "d = a";
            Imm      = 0x01, "imm",      [Def, Imm, None, Matrix],  Linear, Pure, Core, Once, "d = constant";
            Add      = 0x02, "add",      [Def, Use, Use, Matrix],   Linear, Pure, Core, Once, "d = a + b mod 2^32";
            Sub      = 0x03, "sub",      [Def, Use, Use, Matrix],   Linear, Pure, Core, Once, "d = a - b mod 2^32";
            Neg      = 0x04, "neg",      [Def, Use, None, Matrix],  Linear, Pure, Core, Once, "d = -a mod 2^32";
            AddImm   = 0x05, "addi",     [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a + constant mod 2^32";
            MulImm   = 0x06, "muli",     [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a * constant mod 2^32";
            Xor      = 0x07, "xor",      [Def, Use, Use, Matrix],   Linear, Pure, Core, Once, "d = a ^ b";
            XorImm   = 0x08, "xori",     [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a ^ constant";
            AndImm   = 0x09, "andi",     [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a & constant";
            OrImm    = 0x0a, "ori",      [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a | constant";
            ShlImm   = 0x0b, "shli",     [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a << (constant mod 32)";
            ShrImm   = 0x0c, "shri",     [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a >> (constant mod 32), zeros enter";
            SarImm   = 0x0d, "sari",     [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a >> (constant mod 32), the sign enters";
            RotlImm  = 0x0e, "rotli",    [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a rotated left by (constant mod 32)";
            ByteSwap = 0x0f, "bswap",    [Def, Use, None, Matrix],  Linear, Pure, Core, Once, "d = a with its four bytes reversed";
            BitReverse = 0x10, "brev",   [Def, Use, None, Matrix],  Linear, Pure, Core, Once, "d = a with its 32 bits reversed";
            FAdd     = 0x11, "fadd",     [Def, Use, Use, Matrix],   Linear, Pure, Core, Once, "d = a + b in f32";
            FSub     = 0x12, "fsub",     [Def, Use, Use, Matrix],   Linear, Pure, Core, Once, "d = a - b in f32";
            FAddImm  = 0x13, "faddi",    [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a + constant in f32";
            FMulImm  = 0x14, "fmuli",    [Def, Use, Imm, Matrix],   Linear, Pure, Core, Once, "d = a * constant in f32";
            Affine   = 0x15, "affine",   [None, None, None, Matrix], Linear, Pure, Core, Terms, "state = matrix · state";

            // Oracle: non-linear arithmetic. A pair operand packs two word numbers, low half | high half << 16.
            Mul      = 0x20, "mul",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a * b mod 2^32";
            MulHighU = 0x21, "mulhu",    [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = high word of the unsigned product";
            MulHighS = 0x22, "mulhs",    [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = high word of the signed product";
            DivU     = 0x23, "divu",     [Def, Use, Use, None],     Oracle, Pure, Division, Once, "d = a / b unsigned; 0 if b is 0";
            DivS     = 0x24, "divs",     [Def, Use, Use, None],     Oracle, Pure, Division, Once, "d = a / b signed, wrapping; 0 if b is 0";
            RemU     = 0x25, "remu",     [Def, Use, Use, None],     Oracle, Pure, Division, Once, "d = a % b unsigned; 0 if b is 0";
            RemS     = 0x26, "rems",     [Def, Use, Use, None],     Oracle, Pure, Division, Once, "d = a % b signed, wrapping; 0 if b is 0";
            And      = 0x27, "and",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a & b";
            Or       = 0x28, "or",       [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a | b";
            Shl      = 0x29, "shl",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a << (b mod 32)";
            Shr      = 0x2a, "shr",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a >> (b mod 32), zeros enter";
            Sar      = 0x2b, "sar",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a >> (b mod 32), the sign enters";
            Rotl     = 0x2c, "rotl",     [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a rotated left by (b mod 32)";
            MinU     = 0x2d, "minu",     [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = smaller of a and b, unsigned";
            MaxU     = 0x2e, "maxu",     [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = larger of a and b, unsigned";
            MinS     = 0x2f, "mins",     [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = smaller of a and b, signed";
            MaxS     = 0x30, "maxs",     [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = larger of a and b, signed";
            Clz      = 0x31, "clz",      [Def, Use, None, None],    Oracle, Pure, Core, Once, "d = leading zero bits of a, 32 for 0";
            Ctz      = 0x32, "ctz",      [Def, Use, None, None],    Oracle, Pure, Core, Once, "d = trailing zero bits of a, 32 for 0";
            Popcount = 0x33, "popcnt",   [Def, Use, None, None],    Oracle, Pure, Core, Once, "d = one bits of a";
            Eq       = 0x34, "eq",       [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a == b, as 0 or 1";
            Ne       = 0x35, "ne",       [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a != b, as 0 or 1";
            LtU      = 0x36, "ltu",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a < b unsigned, as 0 or 1";
            LtS      = 0x37, "lts",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a < b signed, as 0 or 1";
            LeU      = 0x38, "leu",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a <= b unsigned, as 0 or 1";
            LeS      = 0x39, "les",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a <= b signed, as 0 or 1";
            Select   = 0x3a, "select",   [Def, Use, Use, Use],      Oracle, Pure, Core, Once, "d = b if a is not 0, else c";
            AddOverS = 0x3b, "addos",    [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = whether a + b overflows signed";
            SubOverS = 0x3c, "subos",    [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = whether a - b overflows signed";
            MulOverU = 0x3d, "mulou",    [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = whether a * b overflows unsigned";
            MulOverS = 0x3e, "mulos",    [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = whether a * b overflows signed";
            Add64    = 0x3f, "add64",    [DefPair, UsePair, UsePair, None], Oracle, Pure, Long, Once, "d = a + b mod 2^64";
            Sub64    = 0x40, "sub64",    [DefPair, UsePair, UsePair, None], Oracle, Pure, Long, Once, "d = a - b mod 2^64";
            Mul64    = 0x41, "mul64",    [DefPair, UsePair, UsePair, None], Oracle, Pure, Long, Once, "d = a * b mod 2^64";
            DivU64   = 0x42, "divu64",   [DefPair, UsePair, UsePair, None], Oracle, Pure, LongDivision, Once, "d = a / b unsigned; 0 if b is 0";
            DivS64   = 0x43, "divs64",   [DefPair, UsePair, UsePair, None], Oracle, Pure, LongDivision, Once, "d = a / b signed, wrapping; 0 if b is 0";
            RemU64   = 0x44, "remu64",   [DefPair, UsePair, UsePair, None], Oracle, Pure, LongDivision, Once, "d = a % b unsigned; 0 if b is 0";
            RemS64   = 0x45, "rems64",   [DefPair, UsePair, UsePair, None], Oracle, Pure, LongDivision, Once, "d = a % b signed, wrapping; 0 if b is 0";
            Shl64    = 0x46, "shl64",    [DefPair, UsePair, Use, None],     Oracle, Pure, Long, Once, "d = a << (b mod 64)";
            Shr64    = 0x47, "shr64",    [DefPair, UsePair, Use, None],     Oracle, Pure, Long, Once, "d = a >> (b mod 64), zeros enter";
            Sar64    = 0x48, "sar64",    [DefPair, UsePair, Use, None],     Oracle, Pure, Long, Once, "d = a >> (b mod 64), the sign enters";
            Eq64     = 0x49, "eq64",     [Def, UsePair, UsePair, None],     Oracle, Pure, Long, Once, "d = a == b, as 0 or 1";
            LtU64    = 0x4a, "ltu64",    [Def, UsePair, UsePair, None],     Oracle, Pure, Long, Once, "d = a < b unsigned, as 0 or 1";
            LtS64    = 0x4b, "lts64",    [Def, UsePair, UsePair, None],     Oracle, Pure, Long, Once, "d = a < b signed, as 0 or 1";
            MulOverU64 = 0x4c, "mulou64", [Def, UsePair, UsePair, None],    Oracle, Pure, Long, Once, "d = whether a * b overflows unsigned";
            MulOverS64 = 0x4d, "mulos64", [Def, UsePair, UsePair, None],    Oracle, Pure, Long, Once, "d = whether a * b overflows signed";
            FMul     = 0x50, "fmul",     [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a * b in f32";
            FDiv     = 0x51, "fdiv",     [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a / b in f32";
            FRem     = 0x52, "frem",     [Def, Use, Use, None],     Oracle, Pure, RareFloat, Steps, "d = a % b in f32, sign of a, exact";
            FMulAdd  = 0x53, "fma",      [Def, Use, Use, Use],      Oracle, Pure, RareFloat, Once, "d = a * b + c in f32, rounded once";
            FSqrt    = 0x54, "fsqrt",    [Def, Use, None, None],    Oracle, Pure, RareFloat, Once, "d = square root of a, correctly rounded";
            FFloor   = 0x55, "ffloor",   [Def, Use, None, None],    Oracle, Pure, Conversion, Once, "d = a rounded towards minus infinity";
            FCeil    = 0x56, "fceil",    [Def, Use, None, None],    Oracle, Pure, Conversion, Once, "d = a rounded towards plus infinity";
            FTrunc   = 0x57, "ftrunc",   [Def, Use, None, None],    Oracle, Pure, Conversion, Once, "d = a rounded towards zero";
            FRound   = 0x58, "fround",   [Def, Use, None, None],    Oracle, Pure, Conversion, Once, "d = a rounded to nearest, halves away from zero";
            FRoundEven = 0x59, "froundeven", [Def, Use, None, None], Oracle, Pure, Conversion, Once, "d = a rounded to nearest, halves to even";
            FMin     = 0x5a, "fmin",     [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a if a < b or b is NaN or a is -0 and b is 0, else b";
            FMax     = 0x5b, "fmax",     [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a if a > b or b is NaN or a is 0 and b is -0, else b";
            FEq      = 0x5c, "feq",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a == b in f32, as 0 or 1";
            FLt      = 0x5d, "flt",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a < b in f32, as 0 or 1";
            FLe      = 0x5e, "fle",      [Def, Use, Use, None],     Oracle, Pure, Core, Once, "d = a <= b in f32, as 0 or 1";
            FCanon   = 0x5f, "fcanon",   [Def, Use, None, None],    Oracle, Pure, Core, Once, "d = a, any NaN replaced by 0x7fc00000";
            FToI     = 0x60, "ftoi",     [Def, Use, None, None],    Oracle, Pure, Conversion, Once, "d = a as i32, saturating, NaN to 0";
            FToU     = 0x61, "ftou",     [Def, Use, None, None],    Oracle, Pure, Conversion, Once, "d = a as u32, saturating, NaN to 0";
            IToF     = 0x62, "itof",     [Def, Use, None, None],    Oracle, Pure, Conversion, Once, "d = i32 a as f32, to nearest even";
            UToF     = 0x63, "utof",     [Def, Use, None, None],    Oracle, Pure, Conversion, Once, "d = u32 a as f32, to nearest even";
            FToI64   = 0x64, "ftoi64",   [DefPair, Use, None, None], Oracle, Pure, Conversion, Once, "d = a as i64, saturating, NaN to 0";
            FToU64   = 0x65, "ftou64",   [DefPair, Use, None, None], Oracle, Pure, Conversion, Once, "d = a as u64, saturating, NaN to 0";
            I64ToF   = 0x66, "i64tof",   [Def, UsePair, None, None], Oracle, Pure, Conversion, Once, "d = i64 a as f32, to nearest even";
            U64ToF   = 0x67, "u64tof",   [Def, UsePair, None, None], Oracle, Pure, Conversion, Once, "d = u64 a as f32, to nearest even";
            FMath    = 0x68, "fmath",    [Def, Use, Use, Imm],      Oracle, Pure, Math, Once, "relaxed programs only: d = library function number constant of a (and b); its last bits differ between engines";

            // Branch: labels are instruction numbers within the routine (encoded) or the program (linked).
            Jump     = 0x80, "jump",     [Label, None, None, None], Branch, Control, Core, Once, "go to the label";
            JumpIf   = 0x81, "jnz",      [Label, Use, None, None],  Branch, Control, Core, Once, "go to the label if a is not 0";
            JumpUnless = 0x82, "jz",     [Label, Use, None, None],  Branch, Control, Core, Once, "go to the label if a is 0";
            Call     = 0x83, "call",     [Callee, Base, Base, None], Branch, Control, Calls, Once, "encoded: call routine with its arguments from word b on, results to word c on. Linked: [label, caller's frame words, words that the callee may touch from its frame's start on]; the last may be left out";
            Return   = 0x84, "ret",      [Base, None, None, None],  Branch, Control, Core, Once, "encoded: return the words from a on. Linked: return to the caller, or halt";

            Switch   = 0x85, "switch",   [Label, Use, Imm, None],   Branch, Control, Switch, Once, "go as many instructions past the label as a says, at most as many as the constant. Linked programs only";

            // Io: memory, identity, signals. Spaces: 0 the VM's frame, 1 the launch's arena, 2 its atomics. The operations on atomic pairs
            // are those on atomic words once more, in the same order.
            Load     = 0xa0, "load",     [Def, Use, Use, Imm],      Io, Read, Core, Once, "d = space a at word b + constant";
            Store    = 0xa1, "store",    [Use, Use, Use, Imm],      Io, Write, Core, Once, "space b at word c + constant = a";
            LoadFrame  = 0xa2, "ldf",    [Def, Imm, None, None],    Io, Read, Core, Once, "d = frame word at the frame base + constant";
            StoreFrame = 0xa3, "stf",    [Use, Imm, None, None],    Io, Write, Core, Once, "frame word at the frame base + constant = a";
            Address  = 0xa4, "addr",     [Def, Base, Imm, None],    Io, Pure, Core, Once, "d = offset in the frame of word b; words b..b+constant live in memory. Linked: frame base + b; addresses lead to the frames' first words, as many as the program says (`addressed_words`), no further";
            Param    = 0xa5, "param",    [Def, Imm, None, None],    Io, Pure, Core, Once, "d = offset in its space of this VM's part of launch parameter a";
            ParamLen = 0xa6, "paramlen", [Def, Imm, None, None],    Io, Pure, Core, Once, "d = elements of launch parameter a that this VM sees";
            VmId     = 0xa7, "vmid",     [Def, None, None, None],   Io, Pure, Core, Once, "d = this VM's number in its launch";
            VmCount  = 0xa8, "vmcount",  [Def, None, None, None],   Io, Pure, Core, Once, "d = VMs in the launch";
            AtomicLoad  = 0xa9, "aload", [Def, Use, None, None],    Io, Write, Atomic, Once, "d = atomic word at a";
            AtomicStore = 0xaa, "astore", [Use, Use, None, None],   Io, Write, Atomic, Once, "atomic word at b = a";
            AtomicAdd   = 0xab, "aadd",  [Def, Use, Use, None],     Io, Write, Atomic, Once, "d = atomic word at a, which becomes itself + b";
            AtomicSub   = 0xac, "asub",  [Def, Use, Use, None],     Io, Write, Atomic, Once, "d = atomic word at a, which becomes itself - b";
            AtomicAnd   = 0xad, "aand",  [Def, Use, Use, None],     Io, Write, Atomic, Once, "d = atomic word at a, which becomes itself & b";
            AtomicOr    = 0xae, "aor",   [Def, Use, Use, None],     Io, Write, Atomic, Once, "d = atomic word at a, which becomes itself | b";
            AtomicXor   = 0xaf, "axor",  [Def, Use, Use, None],     Io, Write, Atomic, Once, "d = atomic word at a, which becomes itself ^ b";
            AtomicMinU  = 0xb0, "aminu", [Def, Use, Use, None],     Io, Write, Atomic, Once, "d = atomic word at a, which becomes the unsigned minimum with b";
            AtomicMaxU  = 0xb1, "amaxu", [Def, Use, Use, None],     Io, Write, Atomic, Once, "d = atomic word at a, which becomes the unsigned maximum with b";
            AtomicMinS  = 0xb2, "amins", [Def, Use, Use, None],     Io, Write, Atomic, Retries, "d = atomic word at a, which becomes the signed minimum with b";
            AtomicMaxS  = 0xb3, "amaxs", [Def, Use, Use, None],     Io, Write, Atomic, Retries, "d = atomic word at a, which becomes the signed maximum with b";
            AtomicSwap  = 0xb4, "aswap", [Def, Use, Use, None],     Io, Write, Atomic, Once, "d = atomic word at a, which becomes b";
            AtomicCas   = 0xb5, "acas",  [Def, Use, Use, Use],      Io, Write, Atomic, Retries, "d = atomic word at a, which becomes c if it was b";
            Yield    = 0xb6, "yield",    [None, None, None, None],  Io, Control, Core, Once, "stop until the launch goes on";
            Halt     = 0xb7, "halt",     [None, None, None, None],  Io, Control, Core, Once, "stop for good";
            Trap     = 0xb8, "trap",     [Site, UsePair, UsePair, None], Io, Control, Core, Once, "trap at the site, recording the four words of a and b";
            TrapIf   = 0xb9, "trapnz",   [Site, Use, Use, Use],     Io, Write, Core, Once, "trap at the site if a is not 0, recording words b and c";
            Enter    = 0xba, "enter",    [Site, None, None, None],  Io, Write, Core, Once, "depth += 1; trap at the site past the configured depth";
            Leave    = 0xbb, "leave",    [None, None, None, None],  Io, Write, Core, Once, "depth -= 1";
            Log      = 0xbc, "log",      [Site, Base, Imm, Callee], Io, Write, Core, Once, "encoded: print the text of the site with the words b..b+constant, by a call of routine c. Never linked";
            AtomicLoad64 = 0xbd, "aload64", [DefPair, Use, None, None], Io, Write, AtomicPair, Once, "d = atomic pair of words at a, which is even";
            AtomicStore64 = 0xbe, "astore64", [UsePair, Use, None, None], Io, Write, AtomicPair, Once, "atomic pair at b = a";
            AtomicAdd64 = 0xbf, "aadd64", [DefPair, Use, UsePair, None], Io, Write, AtomicPair, Once, "d = atomic pair at a, which becomes itself + b mod 2^64";
            AtomicSub64 = 0xc0, "asub64", [DefPair, Use, UsePair, None], Io, Write, AtomicPair, Once, "d = atomic pair at a, which becomes itself - b mod 2^64";
            AtomicAnd64 = 0xc1, "aand64", [DefPair, Use, UsePair, None], Io, Write, AtomicPair, Once, "d = atomic pair at a, which becomes itself & b";
            AtomicOr64 = 0xc2, "aor64", [DefPair, Use, UsePair, None], Io, Write, AtomicPair, Once, "d = atomic pair at a, which becomes itself | b";
            AtomicXor64 = 0xc3, "axor64", [DefPair, Use, UsePair, None], Io, Write, AtomicPair, Once, "d = atomic pair at a, which becomes itself ^ b";
            AtomicMinU64 = 0xc4, "aminu64", [DefPair, Use, UsePair, None], Io, Write, AtomicPair, Once, "d = atomic pair at a, which becomes the unsigned minimum with b";
            AtomicMaxU64 = 0xc5, "amaxu64", [DefPair, Use, UsePair, None], Io, Write, AtomicPair, Once, "d = atomic pair at a, which becomes the unsigned maximum with b";
            AtomicMinS64 = 0xc6, "amins64", [DefPair, Use, UsePair, None], Io, Write, AtomicPair, Retries, "d = atomic pair at a, which becomes the signed minimum with b";
            AtomicMaxS64 = 0xc7, "amaxs64", [DefPair, Use, UsePair, None], Io, Write, AtomicPair, Retries, "d = atomic pair at a, which becomes the signed maximum with b";
            AtomicSwap64 = 0xc8, "aswap64", [DefPair, Use, UsePair, None], Io, Write, AtomicPair, Once, "d = atomic pair at a, which becomes b";
            AtomicCas64 = 0xc9, "acas64", [DefPair, Use, UsePair, UsePair], Io, Write, AtomicPair, Retries, "d = atomic pair at a, which becomes c if it was b";
            Block    = 0xca, "block",    [None, None, None, None],  Io, Control, Core, Once, "stop until the launch goes on, as a VM that waits for an answer";
            Ask      = 0xcb, "ask",      [Site, Base, Imm, Callee], Io, Write, Core, Once, "encoded: ask the host what the words from b on say, of which the answer's take the place, constant words in all, by a call of routine c. Never linked";
        }
    };
}
