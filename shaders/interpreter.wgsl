// The interpreter: one invocation a VM, which fetches, decodes and executes until it stops or the dispatch's budget is used up. The
// host dispatches again until no VM is left that runs.

// What the workgroup's VMs add to the signal.
var<workgroup> tally: array<atomic<u32>, SIGNAL_COUNTS>;

@compute @workgroup_size(64)
fn interpret(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    vm = (group.y * groups.x + group.x) * 64u + local;
    if local < SIGNAL_COUNTS {
        atomicStore(&tally[local], 0u);
    }
    workgroupBarrier();
    if vm < launch.vms {
        status = states[row(ROW_STATUS)];
        if status == STATUS_RUNNING || (status == STATUS_YIELDED && launch.resume != 0u) {
            let before = status;
            status = STATUS_RUNNING;
            run();
            count(before);
        }
    }
    workgroupBarrier();
    if local < SIGNAL_COUNTS {
        report(local, atomicLoad(&tally[local]));
    }
}

fn run() {
    load_registers();
    for (var cycle = 0u; cycle < launch.cycles && status == STATUS_RUNNING && inner < launch.inner_cycles; cycle++) {
        execute(code[ip]);
    }
    store_registers();
}

fn execute(instruction: vec4<u32>) {
    let op = opcode(instruction);
    let first = first_operand(instruction);
    switch shape(instruction) {
        case SHAPE_LINEAR: {
            w[first & 31u] = linear(op, w[instruction.y & 31u], w[instruction.z & 31u], instruction.z);
            retired.x += 1u;
            ip += 1u;
        }
        case SHAPE_MATRIX: {
            apply(instruction.y, instruction.z, instruction.w);
            retired.x += 1u;
            ip += 1u;
        }
        case SHAPE_ORACLE: {
            w[first & 31u] = oracle(op, w[instruction.y & 31u], w[instruction.z & 31u], instruction.w);
            retired.y += 1u;
            ip += 1u;
        }
        case SHAPE_ORACLE_PAIR: {
            write_pair(first, oracle_pair(op, read_pair(instruction.y), read_pair(instruction.z)));
            retired.y += 1u;
            ip += 1u;
        }
        case SHAPE_BRANCH: {
            branch(op, first, instruction);
            retired.z += 1u;
        }
        default: {
            let through = io(op, first, instruction);
            retired.w += u32(through);
            ip += u32(through && status != STATUS_TRAPPED);
        }
    }
}

// Adds what the VM did to the workgroup's tally.
fn count(before: u32) {
    let was = u32(before == STATUS_RUNNING);
    let still = u32(status == STATUS_RUNNING);
    atomicAdd(&tally[SIGNAL_STOPPED], was - still);
    atomicAdd(&tally[SIGNAL_YIELDED], u32(status == STATUS_YIELDED) - u32(before == STATUS_YIELDED));
    atomicAdd(&tally[SIGNAL_TRAPPED], u32(status == STATUS_TRAPPED));
    for (var class = 0u; class < 4u; class++) {
        atomicAdd(&tally[SIGNAL_RETIRED + class], retired[class]);
    }
}

// Adds one number of the tally to the signal; the carries of the instruction counts go to a word of their own.
fn report(index: u32, value: u32) {
    let old = atomicAdd(&signal[index], value);
    if index >= SIGNAL_RETIRED && old + value < old {
        atomicAdd(&signal[index + 4u], 1u);
    }
}
