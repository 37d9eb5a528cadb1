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
    if vm < launch.vms {
        if launch.fresh != 0u {
            if may_start() {
                start_registers();
                run(STATUS_RUNNING);
            }
        } else {
            let before = states[row(ROW_STATUS)];
            if before == STATUS_RUNNING || (before == STATUS_YIELDED && launch.resume != 0u) {
                load_registers();
                run(before);
            }
        }
    }
    workgroupBarrier();
    if local < SIGNAL_COUNTS {
        report(local, atomicLoad(&tally[local]));
    }
}

// Cycles in which no instruction retired.
var<private> lost: u32;

fn run(before: u32) {
    status = STATUS_RUNNING;
    var cycle = 0u;
    for (; cycle < launch.cycles && status == STATUS_RUNNING && inner < launch.inner_cycles; cycle++) {
        execute(code[ip]);
    }
    // The linear class is the most frequent, so it is not counted but what remains.
    retired.x = cycle - lost - retired.y - retired.z - retired.w;
    if USES_BREAKS && status == STATUS_AT_BREAK {
        status = STATUS_RUNNING;
        atomicAdd(&tally[SIGNAL_AT_BREAK], 1u);
    }
    store_registers();
    count(before);
}

// Operands are read once before, and the result written once after the operation, whichever it is: drivers without branches would
// do every operation's own reads and writes each time.
fn execute(instruction: vec4<u32>) {
    let op = opcode(instruction);
    let first = first_operand(instruction);
    let a = word_of(instruction.y);
    let b = word_of(instruction.z);
    var result = 0u;
    var to = first & 31u;
    var next = ip + 1u;
    switch shape(instruction) {
        case SHAPE_LINEAR: {
            result = linear(op, a, b, instruction.z);
        }
        case SHAPE_ORACLE: {
            result = oracle(op, a, b, word_of(instruction.w), instruction.w);
            retired.y += 1u;
        }
        case SHAPE_BRANCH: {
            branch(op, first, a, instruction.y);
            next = ip;
            to = NOWHERE;
            retired.z += 1u;
        }
        case SHAPE_MATRIX: {
            if USES_SPARSE || USES_DENSE {
                apply(instruction.w, instruction.y, instruction.z);
            }
            to = NOWHERE;
        }
        case SHAPE_ORACLE_PAIR: {
            if USES_LONG || USES_LONG_DIVISION || USES_CONVERSION {
                let pair = oracle_pair(op, vec2(a, high_word_of(instruction.y)), vec2(b, high_word_of(instruction.z)));
                // Where only one word is a result, both halves name it, and the low one is written last.
                set_word((first >> 16u) & 31u, pair.y);
                result = pair.x;
            }
            retired.y += 1u;
        }
        case SHAPE_BREAK: {
            if USES_BREAKS {
                status = STATUS_AT_BREAK;
            }
            to = NOWHERE;
            next = ip;
            lost += 1u;
        }
        default: {
            let done = io(op, first, instruction, a, b, word_of(instruction.w));
            result = done.result;
            to = done.to;
            retired.w += u32(done.through);
            lost += u32(!done.through);
            // A VM that halts or traps stays where it is.
            if status == STATUS_TRAPPED || status == STATUS_HALTED || !done.through {
                next = ip;
            }
        }
    }
    set_word(to, result);
    ip = next;
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
    if status == STATUS_TRAPPED {
        atomicAdd(&tally[SIGNAL_TRAPPED], 1u);
        atomicMax(&tally[SIGNAL_FIRST_TRAP], ~vm);
    }
    for (var i = 0u; i < 4u; i++) {
        atomicAdd(&tally[SIGNAL_RETIRED + i], retired[i]);
    }
}
