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
    clear_workgroup(local);
    let first = (group.y * groups.x + group.x) * EPOCH_WORKGROUP;
    let own_turns = atomicLoad(&counts[COUNT_TURNS + CLASS]);
    let lengths = vec2(atomicLoad(&counts[queue_at(CLASS, 0u)]), atomicLoad(&counts[queue_at(CLASS, 1u)]));
    let turns = turns_of(local) + u32(local == CLASS);
    let length = lengths[own_turns & 1u];
    let is_taken = first + local < length;
    var to = CLASS_NONE;
    if is_taken {
        let taken = queues[queue_at(CLASS, own_turns) * launch.vms + first + local];
        vm = taken.x;
        ip = taken.y;
        to = run();
    }
    let done = steps - lost;
    if local == 0u {
        usual = done;
    }
    workgroupBarrier();
    if is_taken && done != usual {
        atomicAdd(&tally[SIGNAL_RETIRED + CLASS], done - usual);
    }
    if local == 0u {
        atomicAdd(&tally[SIGNAL_RETIRED + CLASS], usual * min(length - min(length, first), EPOCH_WORKGROUP));
    }
    hand_over(local, turns, to);
    find_last(local, groups);
    if last && local < CLASSES {
        if local == CLASS {
            end_turn(own_turns, length);
        }
        size_next(local, turns);
    }
}

// Runs the VM, and gives the class it goes to.
fn run() -> u32 {
    let before = spent[vm];
    let most = min(MOST_STEPS, launch.cycles - before);
    status = STATUS_RUNNING;
    begin();
    var next = code[ip];
    var to = CLASS;
    while to == CLASS && status == STATUS_RUNNING && steps < most && inner < launch.inner_cycles {
        step(next);
        steps += 1u;
        next = code[ip];
        to = class_of(next);
    }
    end();
    states[row(ROW_IP)] = ip;
    spent[vm] = before + steps;
    if status != STATUS_RUNNING {
        states[row(ROW_STATUS)] = status;
        stopped();
        return CLASS_NONE;
    }
    if USES_BREAKS && shape(next) == SHAPE_BREAK {
        atomicAdd(&tally[SIGNAL_AT_BREAK], 1u);
    }
    return select(to, CLASS_NONE, before + steps >= launch.cycles);
}

fn stopped() {
    atomicAdd(&tally[SIGNAL_STOPPED], 1u);
    if status == STATUS_YIELDED {
        atomicAdd(&tally[SIGNAL_YIELDED], 1u);
    }
    if status == STATUS_TRAPPED {
        atomicAdd(&tally[SIGNAL_TRAPPED], 1u);
        atomicMax(&tally[SIGNAL_FIRST_TRAP], ~vm);
    }
}

// The queue is empty now, and the other one gets its turn. An epoch ends with the branches; a program that has none has every class
// in each epoch.
fn end_turn(turns: u32, length: u32) {
    let epoch = max(turns, atomicLoad(&counts[COUNT_TURNS + CLASS_BRANCH])) + 1u;
    atomicStore(&counts[queue_at(CLASS, turns)], 0u);
    atomicStore(&counts[COUNT_TURNS + CLASS], turns + 1u);
    if length != 0u && atomicExchange(&counts[COUNT_LAST_EPOCH], epoch) != epoch {
        atomicAdd(&signal[SIGNAL_EPOCHS], 1u);
    }
}
