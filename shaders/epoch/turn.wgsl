// The kernel of one class, `CLASS`: each invocation takes a VM from the class's queue, runs the instructions of the class that it
// stands at, `MOST_STEPS` at most, and hands it over to the class of the one after them. `begin`, `step` and `end` are the class's own.

// Instructions that the VM has run in this turn.
var<private> steps: u32;
// Steps that got nothing done and have to be taken again.
var<private> lost: u32;
// What the workgroup's first VM has run. Most others have run as many, and need not add up.
var<workgroup> usual: u32;

@compute @workgroup_size(EPOCH_WORKGROUP)
fn take_turn(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_workgroup(local);
    var turns = vec4(turns_of(0u), turns_of(1u), turns_of(2u), turns_of(3u));
    let queue = queue_at(CLASS, turns[CLASS]);
    turns[CLASS] += 1u;
    let first = (group.y * groups.x + group.x) * EPOCH_WORKGROUP;
    let many = min(seen[queue] - min(seen[queue], first), EPOCH_WORKGROUP);
    var to = CLASS_NONE;
    if local < many {
        let taken = queues[queue * launch.vms + first + local];
        vm = taken.x;
        ip = taken.y;
        to = run();
    }
    let done = steps - lost;
    if local == 0u {
        usual = done;
    }
    workgroupBarrier();
    if local < many && done != usual {
        atomicAdd(&tally[SIGNAL_RETIRED + CLASS], done - usual);
    }
    if local == 0u {
        atomicAdd(&tally[SIGNAL_RETIRED + CLASS], usual * many);
    }
    hand_over(local, turns[min(local, CLASSES - 1u)], to);
    find_last(local, groups);
    if last && local == 0u {
        end_turn(queue, turns);
        size_next(turns);
    }
}

// Runs the VM, and gives the class it goes to.
fn run() -> u32 {
    let before = spent[vm];
    let most = min(MOST_STEPS, launch.cycles - before);
    status = STATUS_RUNNING;
    begin();
    var next = code[ip];
    var to = class_of(next);
    while to == CLASS && status == STATUS_RUNNING && steps < most && inner < launch.inner_cycles {
        // What mostly comes next is on its way while the words of this instruction are.
        let at = ip;
        let following = code[ip + 1u];
        step(next);
        steps += 1u;
        if CLASS == CLASS_BRANCH {
            next = code[ip];
        } else if ip != at {
            next = following;
        }
        to = class_of(next);
    }
    end();
    states[row(ROW_IP)] = ip;
    if USES_CALLS && status == STATUS_NO_ROOM {
        // It is at the same call when the next batch begins.
        lost += 1u;
        return CLASS_NONE;
    }
    spent[vm] = before + steps;
    if status != STATUS_RUNNING {
        states[row(ROW_STATUS)] = status;
        stopped();
        return CLASS_NONE;
    }
    if USES_BREAKS && class_of(next) == CLASS_NONE {
        atomicAdd(&tally[SIGNAL_AT_BREAK], 1u);
    }
    return select(to, CLASS_NONE, before + steps >= launch.cycles);
}

fn stopped() {
    atomicAdd(&tally[SIGNAL_STOPPED], 1u);
    if status == STATUS_YIELDED {
        atomicAdd(&tally[SIGNAL_YIELDED], 1u);
    }
    if status == STATUS_BLOCKED {
        atomicAdd(&tally[SIGNAL_BLOCKED], 1u);
    }
    if status == STATUS_TRAPPED {
        atomicAdd(&tally[SIGNAL_TRAPPED], 1u);
        atomicMax(&tally[SIGNAL_FIRST_TRAP], ~vm);
    }
}

// The queue is empty now, and the other one gets its turn. An epoch ends with the branches; a program that has none has every class
// in each epoch.
fn end_turn(queue: u32, turns: vec4<u32>) {
    atomicStore(&counts[queue], 0u);
    atomicStore(&counts[COUNT_TURNS + CLASS], turns[CLASS]);
    let epoch = max(turns[CLASS], turns_of(CLASS_BRANCH) + 1u);
    if seen[queue] != 0u && epoch != seen[COUNT_LAST_EPOCH] {
        atomicStore(&counts[COUNT_LAST_EPOCH], epoch);
        atomicAdd(&signal[SIGNAL_EPOCHS], 1u);
    }
}
