// The io class: memory, identity, atomics, signals, traps.

// What an operation has found out: its result, the word it goes to, and whether it got through or is to be tried again.
struct Done {
    result: u32,
    to: u32,
    through: bool,
}

// What a load or store accesses. Both ways to address memory come together here, so that a driver without branches goes through it once.
fn address_of(op: u32, instruction: vec4<u32>, a: u32, b: u32) -> Address {
    let in_frame = op == OP_LOAD_FRAME || op == OP_STORE_FRAME;
    return Address(
        select(a, SPACE_FRAME, in_frame),
        select(b + instruction.w, frame_base + instruction.y, in_frame),
        select(launch.addressed_words, launch.frame_words, in_frame),
    );
}

// `a`, `b` and `c` are the words that the operands after the first name, where they name words.
fn io(op: u32, first: u32, instruction: vec4<u32>, a: u32, b: u32, c: u32) -> Done {
    var done = Done(0u, first & 31u, true);
    let at = address_of(op, instruction, a, b);
    switch op {
        case OP_LOAD, OP_LOAD_FRAME: { done.result = load(at); }
        case OP_STORE, OP_STORE_FRAME: {
            store(at, word_of(first));
            done.to = NOWHERE;
        }
        case OP_ADDRESS: { done.result = frame_base + instruction.y; }
        case OP_PARAM, OP_PARAM_LEN: {
            let slot = params[launch.first_slot + instruction.y];
            done.result = select(slot.z, slot.x + (launch.first_vm + vm) * slot.y, op == OP_PARAM);
        }
        case OP_VM_ID: { done.result = launch.first_vm + vm; }
        case OP_VM_COUNT: { done.result = launch.vm_count; }
        case OP_YIELD, OP_BLOCK, OP_HALT, OP_TRAP, OP_TRAP_IF, OP_ENTER, OP_LEAVE: {
            stop(op, a);
            done.to = NOWHERE;
        }
        default: {
            if USES_ATOMIC_PAIR && op >= OP_ATOMIC_LOAD64 {
                done = atomic_pairs_do(op, first, instruction, a);
            } else if USES_ATOMIC {
                done = atomics_do(op, first, a, b, c);
            }
        }
    }
    // A VM that traps keeps its words.
    if status == STATUS_TRAPPED {
        done.to = NOWHERE;
    }
    return done;
}

// What stops the VM, or may do so.
fn stop(op: u32, condition: u32) {
    switch op {
        case OP_YIELD: { status = STATUS_YIELDED; }
        case OP_BLOCK: { status = STATUS_BLOCKED; }
        case OP_HALT: { status = STATUS_HALTED; }
        case OP_TRAP: { status = STATUS_TRAPPED; }
        case OP_TRAP_IF: {
            if condition != 0u {
                status = STATUS_TRAPPED;
            }
        }
        case OP_ENTER: {
            if depth >= launch.depth_limit {
                status = STATUS_TRAPPED;
            } else {
                depth += 1u;
            }
        }
        case OP_LEAVE: { depth -= 1u; }
        default: {}
    }
}

// Operations on the atomics. A lost exchange is reported instead of tried again in a loop, so that the VM's next cycle tries it.
fn atomics_do(op: u32, first: u32, a: u32, b: u32, c: u32) -> Done {
    var done = Done(0u, first & 31u, true);
    var operand = b;
    if op == OP_ATOMIC_STORE {
        // A store has its value first and its place second.
        operand = word_of(first);
        done.to = NOWHERE;
    }
    if a >= launch.atomic_words {
        fault(FAULT_MEMORY, a);
        return done;
    }
    switch op {
        case OP_ATOMIC_LOAD: { done.result = atomicLoad(&atomics[a]); }
        case OP_ATOMIC_STORE: { atomicStore(&atomics[a], operand); }
        case OP_ATOMIC_ADD: { done.result = atomicAdd(&atomics[a], operand); }
        case OP_ATOMIC_SUB: { done.result = atomicSub(&atomics[a], operand); }
        case OP_ATOMIC_AND: { done.result = atomicAnd(&atomics[a], operand); }
        case OP_ATOMIC_OR: { done.result = atomicOr(&atomics[a], operand); }
        case OP_ATOMIC_XOR: { done.result = atomicXor(&atomics[a], operand); }
        case OP_ATOMIC_MIN_U: { done.result = atomicMin(&atomics[a], operand); }
        case OP_ATOMIC_MAX_U: { done.result = atomicMax(&atomics[a], operand); }
        case OP_ATOMIC_SWAP: { done.result = atomicExchange(&atomics[a], operand); }
        case OP_ATOMIC_MIN_S, OP_ATOMIC_MAX_S, OP_ATOMIC_CAS: {
            // WGSL has no signed minimum on an unsigned atomic.
            let old = atomicLoad(&atomics[a]);
            let replace = (op == OP_ATOMIC_CAS && old == operand)
                || (op == OP_ATOMIC_MIN_S && less_signed(operand, old))
                || (op == OP_ATOMIC_MAX_S && less_signed(old, operand));
            let next = select(operand, c, op == OP_ATOMIC_CAS);
            if replace {
                done.through = atomicCompareExchangeWeak(&atomics[a], old, next).exchanged;
            }
            done.result = old;
        }
        default: {}
    }
    if !done.through {
        done.to = NOWHERE;
    }
    return done;
}
