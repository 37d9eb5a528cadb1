// Begins a batch: puts every VM that can go on into the queue of the class of its next instruction. From then on the class kernels
// hand the VMs to each other.

@compute @workgroup_size(EPOCH_WORKGROUP)
fn classify(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_workgroup(local);
    vm = (group.y * groups.x + group.x) * EPOCH_WORKGROUP + local;
    var to = CLASS_NONE;
    if vm < launch.vms && can_run() {
        spent[vm] = 0u;
        let next = code[ip];
        to = class_of(next);
        if USES_BREAKS && to == CLASS_NONE {
            atomicAdd(&tally[SIGNAL_AT_BREAK], 1u);
        }
    }
    hand_over(local, 0u, to);
    find_last(local, groups);
    if last && local == 0u {
        size_next(vec4(0u));
    }
}

// Whether the VM runs in this batch; one that has not started is put to the entry.
fn can_run() -> bool {
    if launch.fresh != 0u {
        if !may_start() {
            return false;
        }
        for (var i = 0u; i < ROW_COUNT; i++) {
            states[row(i)] = 0u;
        }
        states[row(ROW_STATUS)] = STATUS_RUNNING;
        states[row(ROW_VM_ID)] = launch.first_vm + vm;
        return true;
    }
    ip = states[row(ROW_IP)];
    let before = states[row(ROW_STATUS)];
    let blocked = before == STATUS_BLOCKED;
    if (before == STATUS_YIELDED || blocked) && launch.resume != 0u {
        states[row(ROW_STATUS)] = STATUS_RUNNING;
        atomicSub(&tally[SIGNAL_STOPPED], 1u);
        atomicSub(&tally[select(SIGNAL_YIELDED, SIGNAL_BLOCKED, blocked)], 1u);
        return true;
    }
    return before == STATUS_RUNNING;
}
