// The interpreter: one invocation a VM, which fetches, decodes and executes until it stops or the dispatch's budget is used up. The
// host dispatches again until no VM is left that runs.

@compute @workgroup_size(WORKGROUP)
fn interpret(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    vm = (group.y * groups.x + group.x) * WORKGROUP + local;
    if local < SIGNAL_COUNTS {
        atomicStore(&tally[local], 0u);
    }
    workgroupBarrier();
    var before = STATUS_HALTED;
    if vm < launch.vms {
        before = begin();
        if before != STATUS_HALTED {
            run();
        }
    }
    // VMs end at different times. NVIDIA's devices would let the invocations store what they have one after the other.
    workgroupBarrier();
    if before != STATUS_HALTED {
        end(before);
    }
    workgroupBarrier();
    if local < SIGNAL_COUNTS {
        report(local, atomicLoad(&tally[local]));
    }
}

// Readies the VM, and gives what it has been; `STATUS_HALTED` if it is not to run.
fn begin() -> u32 {
    if launch.fresh != 0u {
        if !may_start() {
            return STATUS_HALTED;
        }
        start_registers();
        return STATUS_RUNNING;
    }
    let before = states[row(ROW_STATUS)];
    let rests = before == STATUS_YIELDED || before == STATUS_BLOCKED;
    if before == STATUS_RUNNING || (rests && launch.resume != 0u) {
        load_registers();
        return before;
    }
    return STATUS_HALTED;
}

// Instructions, and cycles in which none retired.
var<private> cycle: u32;
var<private> lost: u32;
// The sum of the classes of all cycles' instructions.
var<private> classes: u32;

fn run() {
    status = STATUS_RUNNING;
    for (; cycle < launch.cycles && status == STATUS_RUNNING && inner < launch.inner_cycles; cycle++) {
        var instruction = code[ip];
        if USES_GUARDS && opcode(instruction) == OP_BREAK && instruction.y != 0u {
            let displaced = code[instruction.y];
            let asked = word_of(first_operand(instruction));
            if asked - instruction.z > instruction.w || !stops(instruction.y + 1u) {
                instruction = displaced;
            }
        }
        execute(instruction);
    }
}

// Stores what a VM has, and counts what it did.
fn end(before: u32) {
    // The linear and the oracle class are the most frequent. Their instructions are not counted but found out by what the others leave of
    // the sum and of the cycles.
    let breaks = u32(USES_BREAKS && status == STATUS_AT_BREAK);
    retired.y = classes - CLASS_BRANCH * retired.z - CLASS_IO * (retired.w + lost - breaks) - CLASS_NONE * breaks;
    retired.x = cycle - lost - retired.y - retired.z - retired.w;
    if USES_CALLS && status == STATUS_NO_ROOM {
        status = STATUS_RUNNING;
        retired.z -= 1u;
    }
    if USES_BREAKS && status == STATUS_AT_BREAK {
        status = STATUS_RUNNING;
        atomicAdd(&tally[SIGNAL_AT_BREAK], 1u);
    }
    store_registers();
    count(before);
}

// Operands are read once before, and the result written once after the operation, whichever it is: drivers without branches would
// do every operation's own reads and writes each time. There is one switch for all that is frequent: each that invocations go through
// costs as much as several operations, and they go different ways at each.
fn execute(instruction: vec4<u32>) {
    let op = opcode(instruction);
    let first = first_operand(instruction);
    let x = word_of(instruction.y);
    let y = word_of(instruction.z);
    var r = 0u;
    var to = first & 31u;
    var next = ip + 1u;
    switch op {
        // The cases of linear.wgsl.
        // The cases of oracle.wgsl.
        case OP_AFFINE: {
            if USES_SPARSE || USES_DENSE {
                apply(instruction.w, instruction.y, instruction.z);
            }
            to = NOWHERE;
        }
        // Two instructions at a time.
        case OP_ADD_TWICE: {
            r = x * instruction.w + instruction.z;
            cycle += 1u;
            next += 1u;
        }
        case OP_EQ_JUMP: {
            next = jump_by(instruction, x == y);
            r = compared(instruction, x == y);
        }
        case OP_LT_U_JUMP: {
            next = jump_by(instruction, x < y);
            r = compared(instruction, x < y);
        }
        case OP_LT_S_JUMP: {
            next = jump_by(instruction, less_signed(x, y));
            r = compared(instruction, less_signed(x, y));
        }
        case OP_JUMP_IF: {
            next = jump_if(instruction, x);
            to = NOWHERE;
            retired.z += 1u;
        }
        case OP_CALL: {
            if USES_CALLS {
                next = call(first, instruction.y, instruction.z);
            }
            to = NOWHERE;
            retired.z += 1u;
        }
        case OP_SWITCH: {
            if USES_SWITCH {
                next = first + min(x, instruction.z);
            }
            to = NOWHERE;
            retired.z += 1u;
        }
        case OP_RETURN: {
            next = go_back();
            to = NOWHERE;
            retired.z += 1u;
        }
        case OP_LOAD, OP_LOAD_FRAME: {
            let at = address_of(op, instruction, x, y);
            r = load(at);
            // A VM that traps stays where it is, with its words.
            if status == STATUS_TRAPPED {
                to = NOWHERE;
                next = ip;
            }
            retired.w += 1u;
        }
        case OP_STORE, OP_STORE_FRAME: {
            let at = address_of(op, instruction, x, y);
            store(at, word_of(first));
            if status == STATUS_TRAPPED {
                next = ip;
            }
            to = NOWHERE;
            retired.w += 1u;
        }
        // It follows much arithmetic, and hardly ever does anything.
        case OP_TRAP_IF: {
            if x != 0u {
                status = STATUS_TRAPPED;
                next = ip;
            }
            to = NOWHERE;
            retired.w += 1u;
        }
        case OP_BREAK: {
            if USES_BREAKS {
                status = STATUS_AT_BREAK;
            }
            to = NOWHERE;
            next = ip;
            lost += 1u;
        }
        default: {
            if class_of(instruction) == CLASS_ORACLE {
                if USES_LONG || USES_LONG_DIVISION || USES_CONVERSION {
                    let pair = oracle_pair(op, vec2(x, high_word_of(instruction.y)), vec2(y, high_word_of(instruction.z)));
                    // Where only one word is a result, both halves name it, and the low one is written last.
                    set_word((first >> 16u) & 31u, pair.y);
                    r = pair.x;
                }
            } else {
                let done = io(op, first, instruction, x, y, word_of(instruction.w));
                r = done.result;
                to = done.to;
                retired.w += u32(done.through);
                lost += u32(!done.through);
                // A VM that halts or traps stays where it is.
                if status == STATUS_TRAPPED || status == STATUS_HALTED || !done.through {
                    next = ip;
                }
            }
        }
    }
    set_word(to, r);
    ip = next;
    classes += class_of(instruction);
}

// The word that a comparison with a jump leaves.
fn compared(instruction: vec4<u32>, holds: bool) -> u32 {
    return u32(holds != ((instruction.w & PACKED_OPPOSITE) != 0u));
}

// Where it jumps to.
fn jump_by(instruction: vec4<u32>, holds: bool) -> u32 {
    cycle += 1u;
    retired.z += 1u;
    let jumps = holds == ((instruction.w & PACKED_JUMPS_IF) != 0u);
    return select(ip + 2u, instruction.w & PACKED_FIRST_MASK, jumps);
}

// Adds what the VM did to the workgroup's tally.
fn count(before: u32) {
    let was = u32(before == STATUS_RUNNING);
    let still = u32(status == STATUS_RUNNING);
    atomicAdd(&tally[SIGNAL_STOPPED], was - still);
    if status != STATUS_HALTED {
        end_sequence();
    }
    atomicAdd(&tally[SIGNAL_YIELDED], u32(status == STATUS_YIELDED) - u32(before == STATUS_YIELDED));
    atomicAdd(&tally[SIGNAL_BLOCKED], u32(status == STATUS_BLOCKED) - u32(before == STATUS_BLOCKED));
    if status == STATUS_TRAPPED {
        atomicAdd(&tally[SIGNAL_TRAPPED], 1u);
        atomicMax(&tally[SIGNAL_FIRST_TRAP], ~vm);
    }
    for (var i = 0u; i < 4u; i++) {
        atomicAdd(&tally[SIGNAL_RETIRED + i], retired[i]);
    }
}
