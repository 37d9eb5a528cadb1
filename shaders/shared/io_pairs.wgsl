// Operations on atomic pairs. As of words, a lost exchange is reported.

fn atomic_pairs_do(op: u32, first: u32, instruction: vec4<u32>, place: u32) -> Done {
    var done = Done(0u, first & 31u, true);
    if !has_atomic_pair(place) {
        fault(FAULT_MEMORY, place);
        return done;
    }
    // A store has its value first and its place second.
    let stores = op == OP_ATOMIC_STORE64;
    let named = select(instruction.z, first, stores);
    let operand = join(vec2(word_of(named), high_word_of(named)));
    let pair = place >> 1u;
    var old = 0lu;
    switch op {
        case OP_ATOMIC_LOAD64: { old = atomicLoad(&atomic_pairs[pair]); }
        case OP_ATOMIC_STORE64: { atomicStore(&atomic_pairs[pair], operand); }
        case OP_ATOMIC_ADD64: { old = atomicAdd(&atomic_pairs[pair], operand); }
        case OP_ATOMIC_SUB64: { old = atomicSub(&atomic_pairs[pair], operand); }
        case OP_ATOMIC_AND64: { old = atomicAnd(&atomic_pairs[pair], operand); }
        case OP_ATOMIC_OR64: { old = atomicOr(&atomic_pairs[pair], operand); }
        case OP_ATOMIC_XOR64: { old = atomicXor(&atomic_pairs[pair], operand); }
        case OP_ATOMIC_MIN_U64: { old = atomicMin(&atomic_pairs[pair], operand); }
        case OP_ATOMIC_MAX_U64: { old = atomicMax(&atomic_pairs[pair], operand); }
        case OP_ATOMIC_SWAP64: { old = atomicExchange(&atomic_pairs[pair], operand); }
        case OP_ATOMIC_MIN_S64, OP_ATOMIC_MAX_S64, OP_ATOMIC_CAS64: {
            old = atomicLoad(&atomic_pairs[pair]);
            var next = operand;
            var replace = false;
            if op == OP_ATOMIC_CAS64 {
                next = join(vec2(word_of(instruction.w), high_word_of(instruction.w)));
                replace = old == operand;
            } else if op == OP_ATOMIC_MIN_S64 {
                replace = i64(operand) < i64(old);
            } else {
                replace = i64(old) < i64(operand);
            }
            if replace {
                done.through = atomicCompareExchangeWeak(&atomic_pairs[pair], old, next).exchanged;
            }
        }
        default: {}
    }
    if stores || !done.through {
        done.to = NOWHERE;
        return done;
    }
    let words = split(old);
    set_word((first >> 16u) & 31u, words.y);
    done.result = words.x;
    return done;
}
