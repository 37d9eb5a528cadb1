// The io class: memory, identity, atomics, signals, traps.

// Runs one; false if it did not get through and is to be tried again.
fn io(op: u32, first: u32, instruction: vec4<u32>) -> bool {
    switch op {
        case OP_LOAD: { w[first & 31u] = load(w[instruction.y & 31u], w[instruction.z & 31u] + instruction.w); }
        case OP_STORE: { store(w[instruction.y & 31u], w[instruction.z & 31u] + instruction.w, w[first & 31u]); }
        case OP_LOAD_FRAME: { w[first & 31u] = load(SPACE_FRAME, frame_base + instruction.y); }
        case OP_STORE_FRAME: { store(SPACE_FRAME, frame_base + instruction.y, w[first & 31u]); }
        case OP_ADDRESS: { w[first & 31u] = frame_base + instruction.y; }
        case OP_PARAM: {
            let slot = params[instruction.y];
            w[first & 31u] = slot.x + (launch.first_vm + vm) * slot.y;
        }
        case OP_PARAM_LEN: { w[first & 31u] = params[instruction.y].z; }
        case OP_VM_ID: { w[first & 31u] = launch.first_vm + vm; }
        case OP_VM_COUNT: { w[first & 31u] = launch.vm_count; }
        case OP_YIELD: { status = STATUS_YIELDED; }
        case OP_HALT: { status = STATUS_HALTED; }
        case OP_TRAP: {
            let a = instruction.y;
            let b = instruction.z;
            trap(first, vec4(trap_word(a & 0xffffu), trap_word(a >> 16u), trap_word(b & 0xffffu), trap_word(b >> 16u)));
        }
        case OP_TRAP_IF: {
            if w[instruction.y & 31u] != 0u {
                trap(first, vec4(trap_word(instruction.z), trap_word(instruction.w), 0u, 0u));
            }
        }
        case OP_ENTER: {
            if depth >= launch.depth_limit {
                trap(first, vec4(0u, 0u, 0u, 0u));
            } else {
                depth += 1u;
            }
        }
        case OP_LEAVE: { depth -= 1u; }
        default: { return run_atomic(op, first, instruction); }
    }
    return true;
}

// Atomic operations on a word of the atomics. A lost exchange is reported instead of tried again in a loop, so that the VM's next
// cycle tries it.
fn run_atomic(op: u32, first: u32, instruction: vec4<u32>) -> bool {
    let store = op == OP_ATOMIC_STORE;
    // A store has its value first and its place second.
    let at = w[instruction.y & 31u];
    let value = w[select(instruction.z, first, store) & 31u];
    if at >= launch.atomic_words {
        outside(at);
        return true;
    }
    var old = 0u;
    switch op {
        case OP_ATOMIC_LOAD: { old = atomicLoad(&atomics[at]); }
        case OP_ATOMIC_STORE: { atomicStore(&atomics[at], value); }
        case OP_ATOMIC_ADD: { old = atomicAdd(&atomics[at], value); }
        case OP_ATOMIC_SUB: { old = atomicSub(&atomics[at], value); }
        case OP_ATOMIC_AND: { old = atomicAnd(&atomics[at], value); }
        case OP_ATOMIC_OR: { old = atomicOr(&atomics[at], value); }
        case OP_ATOMIC_XOR: { old = atomicXor(&atomics[at], value); }
        case OP_ATOMIC_MIN_U: { old = atomicMin(&atomics[at], value); }
        case OP_ATOMIC_MAX_U: { old = atomicMax(&atomics[at], value); }
        case OP_ATOMIC_SWAP: { old = atomicExchange(&atomics[at], value); }
        case OP_ATOMIC_MIN_S, OP_ATOMIC_MAX_S, OP_ATOMIC_CAS: {
            // WGSL has no signed minimum on an unsigned atomic.
            old = atomicLoad(&atomics[at]);
            let replace = op == OP_ATOMIC_CAS && old == value
                || op == OP_ATOMIC_MIN_S && less_signed(value, old)
                || op == OP_ATOMIC_MAX_S && less_signed(old, value);
            let next = select(value, w[instruction.w & 31u], op == OP_ATOMIC_CAS);
            if replace && !atomicCompareExchangeWeak(&atomics[at], old, next).exchanged {
                return false;
            }
        }
        default: {}
    }
    if !store {
        w[first & 31u] = old;
    }
    return true;
}
