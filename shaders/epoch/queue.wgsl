// The queues of the epoch engine: for each class the VMs whose next instruction is of it. They are filled and emptied on the device;
// the host does not see them.
//
// A class has two queues that take turns: its kernel empties one while everything that is handed over goes to the one that its next
// turn empties. So a VM reaches a class whose kernel comes later in the same epoch at once, and any other in the next epoch.

// Both queues of each class, a place a VM in each: the VM and its ip.
@group(1) @binding(0) var<storage, read_write> queues: array<vec2<u32>>;
// How long the queues are, and what else the kernels tell each other, see the `COUNT_` constants.
@group(1) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
// The workgroups of the next dispatch, whichever class it is of: three words a class. The dispatch at hand was sized by the other
// buffer of this kind.
@group(1) @binding(2) var<storage, read_write> next_sizes: array<u32>;
// Instructions that each VM has run in this batch.
@group(1) @binding(3) var<storage, read_write> spent: array<u32>;

const CLASSES: u32 = 4u;
// In place of a class: the VM does not go on in this batch.
const CLASS_NONE: u32 = 4u;

// Words of the counts: the lengths of all classes' queues of even turns, then of those of odd turns ...
const COUNT_LENGTHS: u32 = 0u;
// ... how many turns each class has had ...
const COUNT_TURNS: u32 = 8u;
// ... how many workgroups of this dispatch are done ...
const COUNT_DONE: u32 = 12u;
// ... and the number of the last epoch in which there was anything to do, counted from 1. There are `COUNT_WORDS`.
const COUNT_LAST_EPOCH: u32 = 13u;

// Workgroups that a dispatch can have in one dimension, on every device.
const MOST_GROUPS: u32 = 65535u;

// VMs of this workgroup that go to each class, and where in the queues they start.
var<workgroup> handed: array<atomic<u32>, CLASSES>;
var<workgroup> starts: array<u32, CLASSES>;
// Whether this is the workgroup of the dispatch that is done last.
var<workgroup> last: bool;

fn clear_workgroup(local: u32) {
    if local < CLASSES {
        atomicStore(&handed[local], 0u);
    }
    if local < SIGNAL_COUNTS {
        atomicStore(&tally[local], 0u);
    }
    workgroupBarrier();
}

// Turns that the class of the invocation's number has had; the first few invocations look after one class each.
fn turns_of(local: u32) -> u32 {
    return atomicLoad(&counts[COUNT_TURNS + min(local, CLASSES - 1u)]);
}

// Which queue a class empties at that turn.
fn queue_at(number: u32, turn: u32) -> u32 {
    return COUNT_LENGTHS + number + CLASSES * (turn & 1u);
}

fn class_of(instruction: vec4<u32>) -> u32 {
    switch shape(instruction) {
        case SHAPE_LINEAR, SHAPE_MATRIX: { return CLASS_LINEAR; }
        case SHAPE_ORACLE, SHAPE_ORACLE_PAIR: { return CLASS_ORACLE; }
        case SHAPE_BRANCH: { return CLASS_BRANCH; }
        case SHAPE_BREAK: { return CLASS_NONE; }
        default: { return CLASS_IO; }
    }
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
    if local < SIGNAL_COUNTS {
        report(local, atomicLoad(&tally[local]));
    }
}

// Finds out which workgroup is done last. What the others have added to the counts before is there for it.
fn find_last(local: u32, groups: vec3<u32>) {
    if local == 0u {
        last = atomicAdd(&counts[COUNT_DONE], 1u) + 1u == groups.x * groups.y;
    }
    workgroupBarrier();
}

// Sizes the next dispatch, if it is of the class of the invocation's number. There is always one workgroup, to size the dispatch
// after it.
fn size_next(local: u32, turns: u32) {
    if local == 0u {
        atomicStore(&counts[COUNT_DONE], 0u);
    }
    let length = atomicLoad(&counts[queue_at(local, turns)]);
    let groups = max((length + EPOCH_WORKGROUP - 1u) / EPOCH_WORKGROUP, 1u);
    let columns = min(groups, MOST_GROUPS);
    next_sizes[3u * local] = columns;
    next_sizes[3u * local + 1u] = (groups + columns - 1u) / columns;
    next_sizes[3u * local + 2u] = 1u;
}
