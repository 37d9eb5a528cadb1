// Guards: what a VM is asked in front of an instruction before it stops there. In the place of the instruction stands a breakpoint that names where the code
// goes on with the instruction itself and the checks behind it, one a vec4: in x the operation, the kinds of its operands, what becomes of the result, and
// whether it is the last one, in y and z the operands. The breakpoint also has a word's values outside of which the VM goes past without being asked more.

// What checks have pushed, the last word first.
var<private> pushed: vec4<u32>;

fn guard_operand(kind: u32, value: u32) -> u32 {
    switch kind {
        case GUARD_WORD: {
            return word_of(value);
        }
        case GUARD_FRAME: {
            let offset = frame_word(frame_base + value);
            if offset < launch.frame_words {
                return frames[row(offset)];
            }
            return 0u;
        }
        case GUARD_VM_ID: {
            return launch.first_vm + vm;
        }
        case GUARD_VM_COUNT: {
            return launch.vm_count;
        }
        case GUARD_POPPED: {
            let top = pushed.x;
            pushed = vec4(pushed.yzw, 0u);
            return top;
        }
        default: {
            return value;
        }
    }
}

// An integer that is ordered as the float of these bits.
fn float_key(bits: u32) -> u32 {
    let magnitude = bits & 0x7fffffffu;
    return select(magnitude, 0u - magnitude, bits >> 31u != 0u);
}

fn is_no_number(bits: u32) -> bool {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

// The result, and whether there is none.
fn checked(op: u32, x: u32, y: u32) -> vec2<u32> {
    var r = 0u;
    var none = false;
    switch op {
        case CHECK_EQ: { r = u32(x == y); }
        case CHECK_NE: { r = u32(x != y); }
        case CHECK_LT_U: { r = u32(x < y); }
        case CHECK_LE_U: { r = u32(x <= y); }
        case CHECK_LT_S: { r = u32(less_signed(x, y)); }
        case CHECK_LE_S: { r = u32(!less_signed(y, x)); }
        case CHECK_AND: { r = x & y; }
        case CHECK_OR: { r = x | y; }
        case CHECK_XOR: { r = x ^ y; }
        case CHECK_ADD_U: {
            r = x + y;
            none = r < x;
        }
        case CHECK_ADD_S: {
            r = x + y;
            none = ((r ^ x) & (r ^ y)) >> 31u != 0u;
        }
        case CHECK_SUB_U: {
            r = x - y;
            none = x < y;
        }
        case CHECK_SUB_S: {
            r = x - y;
            none = ((x ^ y) & (r ^ x)) >> 31u != 0u;
        }
        case CHECK_REM_U: {
            r = x % max(y, 1u);
            none = y == 0u;
        }
        default: {
            let left = float_key(x);
            let right = float_key(y);
            none = is_no_number(x) || is_no_number(y);
            let less = less_signed(left, right);
            let equal = left == right;
            r = u32((op != CHECK_EQ_F && less) || (op != CHECK_LT_F && equal));
        }
    }
    return vec2(r, u32(none));
}

// Whether the VM stops, given where the checks begin.
fn stops(first: u32) -> bool {
    for (var at = first; ; at++) {
        let check = code[at];
        inner += 1u;
        // The right one was pushed last.
        let right = guard_operand((check.x >> GUARD_RIGHT_SHIFT) & GUARD_MASK, check.z);
        let left = guard_operand((check.x >> GUARD_LEFT_SHIFT) & GUARD_MASK, check.y);
        let result = checked(check.x & GUARD_OP_MASK, left, right);
        let then = (check.x >> GUARD_THEN_SHIFT) & GUARD_MASK;
        if result.y != 0u {
            return true;
        }
        if then == GUARD_PUSH {
            pushed = vec4(result.x, pushed.xyz);
        } else if (result.x != 0u) == (then == GUARD_STOP_IF) {
            return then == GUARD_STOP_IF;
        }
        if (check.x & GUARD_LAST) != 0u {
            return true;
        }
    }
    return true;
}
