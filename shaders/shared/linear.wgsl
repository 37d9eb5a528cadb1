// The linear class: one word from one or two others. Cases of a switch over `op` that leave the word in `r`; `x` and `y` are the words
// that the second and third operand of `instruction` name; the third may be a constant in place of a name, and the fourth is one. The host has
// operations that are not here done by others (`gpuvm-wgpu/src/canonical.rs`).

        // Moves, constants, and what adds, multiplies by, and shifts left by one.
        case OP_ADD_IMM: { r = x * instruction.w + instruction.z; }
        // Sums and differences.
        case OP_ADD: { r = x + y * instruction.w; }
        case OP_XOR: { r = x ^ y; }
        // Bits of constants that are kept, set and flipped.
        case OP_XOR_IMM: { r = (x & instruction.z) ^ instruction.w; }
        case OP_SHR_IMM: { r = x >> (instruction.z & 31u); }
        case OP_SAR_IMM: { r = sar(x, instruction.z); }
        case OP_ROTL_IMM: { r = rotl(x, instruction.z); }
        case OP_BYTE_SWAP: { r = byte_swap(x); }
        case OP_BIT_REVERSE: { r = reverseBits(x); }
        case OP_F_ADD: { r = fadd(x, y); }
        case OP_F_SUB: { r = fsub(x, y); }
        case OP_F_ADD_IMM: { r = fadd(x, instruction.z); }
        case OP_F_MUL_IMM: { r = fmul(x, instruction.z); }
