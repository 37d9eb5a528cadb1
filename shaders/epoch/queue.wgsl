// The queues of the epoch engine: for each class the VMs whose next instruction is of it. They are filled and emptied on the device;
// the host does not see them.
//
// A class has two queues that take turns: its kernel empties one while everything that is handed over goes to the one that its next
// turn empties. So a VM reaches a class whose kernel comes later in the same epoch at once, and any other in the next epoch.

// Both queues of each class, a place a VM in each: the VM and its ip.
@group(1) @binding(0) var<storage, read_write> queues: array<vec2<u32>>;
// How long the queues are, and what else the kernels tell each other, see the `COUNT_` constants that the host declares.
@group(1) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
// The workgroups of each dispatch in the next epoch: enough for all VMs that are in any queue. Those of the epoch at hand were sized by
// the other buffer of this kind. A buffer of sizes that has been written costs the dispatch that it sizes some 2 µs more, so there is
// one an epoch and not one a dispatch.
@group(1) @binding(2) var<storage, read_write> next_sizes: array<u32>;
// Instructions that each VM has run in this batch.
@group(1) @binding(3) var<storage, read_write> spent: array<u32>;

// Workgroups that a dispatch can have in one dimension, on every device.
const MOST_GROUPS: u32 = 65535u;

// The counts as they are when the dispatch begins, but for those of queues that it fills. They are loaded once for all of the
// workgroup: where every invocation loads them, the loads of one address take longer than all else.
var<workgroup> seen: array<u32, COUNT_WORDS>;
// VMs of this workgroup that go to each class, and where in the queues they start.
var<workgroup> handed: array<atomic<u32>, CLASSES>;
var<workgroup> starts: array<u32, CLASSES>;
// Whether this is the workgroup of the dispatch that is done last.
var<workgroup> last: bool;

fn begin_workgroup(local: u32) {
    if local < COUNT_WORDS {
        seen[local] = atomicLoad(&counts[local]);
    }
    if local < CLASSES {
        atomicStore(&handed[local], 0u);
    }
    if local < SIGNAL_COUNTS {
        atomicStore(&tally[local], 0u);
    }
    workgroupBarrier();
}

// Turns that a class has had before this dispatch.
fn turns_of(number: u32) -> u32 {
    return seen[COUNT_TURNS + number];
}

// Which queue a class empties at that turn.
fn queue_at(number: u32, turn: u32) -> u32 {
    return COUNT_LENGTHS + number + CLASSES * (turn & 1u);
}

// Puts the workgroup's VMs into the queues of the classes that they go to, with one addition to a queue's length for all of them;
// `turns` is how many the class of the invocation's number will have had before it empties them.
fn hand_over(local: u32, turns: u32, to: u32) {
    var slot = 0u;
    if to < CLASSES {
        slot = atomicAdd(&handed[to], 1u);
    }
    workgroupBarrier();
    if local < CLASSES {
        let many = atomicLoad(&handed[local]);
        if many != 0u {
            let queue = queue_at(local, turns);
            starts[local] = queue * launch.vms + atomicAdd(&counts[queue], many);
        }
    }
    workgroupBarrier();
    if to < CLASSES {
        queues[starts[to] + slot] = vec2(vm, ip);
    }
}

// Tells the signal what the workgroup has done, and finds out which workgroup is done last. What the others have added to the counts
// before is there for it.
fn find_last(local: u32, groups: vec3<u32>) {
    var before = 0u;
    if local == 0u {
        before = atomicAdd(&counts[COUNT_DONE], 1u);
    }
    if local < SIGNAL_COUNTS {
        report(local, atomicLoad(&tally[local]));
    }
    if local == 0u {
        last = before + 1u == groups.x * groups.y;
    }
    workgroupBarrier();
}

// Sizes the dispatches of the next epoch, where this one ends with this dispatch; `turns` is how many each class has had. There is
// always one workgroup, to size the dispatches after those.
fn size_next(turns: vec4<u32>) {
    atomicStore(&counts[COUNT_DONE], 0u);
    var all = 0u;
    for (var number = 0u; number < CLASSES; number++) {
        all += atomicLoad(&counts[queue_at(number, turns[number])]);
    }
    let groups = max((all + EPOCH_WORKGROUP - 1u) / EPOCH_WORKGROUP, 1u);
    let columns = min(groups, MOST_GROUPS);
    next_sizes[0] = columns;
    next_sizes[1] = (groups + columns - 1u) / columns;
    next_sizes[2] = 1u;
}
