// What surrounds a program that is compiled into a shader of its own. The host puts the program in place of `run`, keeps one of the
// three entry points, and leaves out what is not used.

// The launch of a job that is joined to the one before it in a row: its VMs follow in the same dispatch.
@group(0) @binding(7) var<uniform> joined: Launch;

// The program's data, bound if it has any.
@group(1) @binding(0) var<storage, read> data: array<u32>;

// The VM's number within the batch.
var<private> vm: u32;
// Iterations of loops inside of instructions, which only the interpreter looks at.
var<private> inner: u32;

// What a VM that stops or traps leaves for its state: its instruction, which is NOWHERE until it does.
const NOWHERE: u32 = 0xffffffffu;
var<private> stop_ip: u32 = NOWHERE;
// One that stops: how deep it is in calls, which words nobody reads afterwards, and where its frame and its calls are.
var<private> stop_depth: u32;
var<private> stop_dead: u32;
var<private> stop_base: u32;
var<private> stop_calls: u32;
// One that traps: why, the offset that was outside of memory, and up to four words with their numbers, a byte each. Most traps leave nothing of it.
const NO_WORDS: u32 = 0xffffffffu;
var<private> trap_fault: u32 = FAULT_NONE;
var<private> trap_offset: u32;
var<private> trap_words: u32 = NO_WORDS;
var<private> trap_values: vec4<u32>;

fn get_state(row: u32) -> u32 {
    return states[row * launch.vms + vm];
}

fn put_state(row: u32, value: u32) {
    states[row * launch.vms + vm] = value;
}

// Words of the frames, which stand behind the call stack.
fn get_frame(offset: u32) -> u32 {
    return frames[(offset - launch.frame_gap) * launch.vms + vm];
}

fn put_frame(offset: u32, value: u32) {
    frames[(offset - launch.frame_gap) * launch.vms + vm] = value;
}

// Whether an address leads to one of them.
fn in_frames(offset: u32) -> bool {
    return offset - launch.frame_gap < launch.addressed_words;
}

// Words of the call stack.
fn get_call(offset: u32) -> u32 {
    return frames[offset * launch.vms + vm];
}

fn put_call(offset: u32, value: u32) {
    frames[offset * launch.vms + vm] = value;
}

fn mul_high(a: u32, b: u32) -> u32 {
    return mul_wide(a, b).y;
}

fn in_arena(offset: u32) -> bool {
    return offset - launch.arena_start < launch.arena_words;
}

// A word of whichever space, and whether it is not there.
fn load_any(space: u32, offset: u32) -> vec2<u32> {
    if space == SPACE_ARENA && in_arena(offset) {
        return vec2(arena[offset], 0u);
    }
    if space == SPACE_FRAME && in_frames(offset) {
        return vec2(get_frame(offset), 0u);
    }
    if space == SPACE_ATOMIC && offset < launch.atomic_words {
        return vec2(atomicLoad(&atomics[offset]), 0u);
    }
    return vec2(0u, 1u);
}

// The same, where the program has so many words of data.
fn load_any_or_data(space: u32, offset: u32, words: u32) -> vec2<u32> {
    if space == SPACE_DATA && offset < words {
        return vec2(data[offset], 0u);
    }
    return load_any(space, offset);
}

// Stores to whichever space; gives whether there is no such word.
fn store_any(space: u32, offset: u32, value: u32) -> u32 {
    if space == SPACE_ARENA && in_arena(offset) {
        arena[offset] = value;
        return 0u;
    }
    if space == SPACE_FRAME && in_frames(offset) {
        put_frame(offset, value);
        return 0u;
    }
    if space == SPACE_ATOMIC && offset < launch.atomic_words {
        atomicStore(&atomics[offset], value);
        return 0u;
    }
    return 1u;
}

// WGSL has no signed minimum on an unsigned atomic, and its exchange may fail for no reason.
fn atomic_min_signed(place: u32, value: u32) -> u32 {
    loop {
        let old = atomicLoad(&atomics[place]);
        if !less_signed(value, old) || atomicCompareExchangeWeak(&atomics[place], old, value).exchanged {
            return old;
        }
    }
    return 0u;
}

fn atomic_max_signed(place: u32, value: u32) -> u32 {
    loop {
        let old = atomicLoad(&atomics[place]);
        if !less_signed(old, value) || atomicCompareExchangeWeak(&atomics[place], old, value).exchanged {
            return old;
        }
    }
    return 0u;
}

fn atomic_cas(place: u32, expected: u32, value: u32) -> u32 {
    loop {
        let result = atomicCompareExchangeWeak(&atomics[place], expected, value);
        if result.exchanged || result.old_value != expected {
            return result.old_value;
        }
    }
    return 0u;
}

// The same of pairs, by number.
fn atomic_min_signed64(pair: u32, value: u64) -> u64 {
    loop {
        let old = atomicLoad(&atomic_pairs[pair]);
        if i64(value) >= i64(old) || atomicCompareExchangeWeak(&atomic_pairs[pair], old, value).exchanged {
            return old;
        }
    }
    return 0lu;
}

fn atomic_max_signed64(pair: u32, value: u64) -> u64 {
    loop {
        let old = atomicLoad(&atomic_pairs[pair]);
        if i64(old) >= i64(value) || atomicCompareExchangeWeak(&atomic_pairs[pair], old, value).exchanged {
            return old;
        }
    }
    return 0lu;
}

fn atomic_cas64(pair: u32, expected: u64, value: u64) -> u64 {
    loop {
        let result = atomicCompareExchangeWeak(&atomic_pairs[pair], expected, value);
        if result.exchanged || result.old_value != expected {
            return result.old_value;
        }
    }
    return 0lu;
}

// What the workgroup's VMs have added to atomics, where these are few enough and VMs many enough for the workgroup to add it all up first.
var<workgroup> own_atomics: array<atomic<u32>, OWN_ATOMICS>;

fn owns_atomics() -> bool {
    return launch.atomic_words <= min(OWN_ATOMICS, launch.vms / SEVERAL);
}

fn add_to_atomic(number: u32, value: u32) {
    if owns_atomics() {
        atomicAdd(&own_atomics[number], value);
    } else {
        atomicAdd(&atomics[number], value);
    }
}

// Stores the state of a VM that has stopped or trapped but for words that somebody reads afterwards, which `run` has stored. It is there once however many
// places a program stops at, because stores are most of what a small program's shader consists of; no compiler knows how many turns its loops take for the same
// reason.
fn put_stop(status: u32) {
    let traps = status == STATUS_TRAPPED;
    put_state(ROW_IP, stop_ip);
    put_state(ROW_STATUS, status);
    put_state(ROW_VM_ID, launch.first_vm + vm);
    put_state(ROW_DEPTH, select(stop_depth, 0u, traps));
    put_state(ROW_FAULT, select(FAULT_NONE, trap_fault, traps));
    put_state(ROW_FRAME_BASE, select(stop_base, 0u, traps));
    put_state(ROW_CALLS, select(stop_calls, 0u, traps));
    let all = (1u << WORDS) - 1u;
    for (var bits = select(stop_dead & all, all, traps); bits != 0u; bits &= bits - 1u) {
        put_state(ROW_WORDS + countTrailingZeros(bits), 0u);
    }
    if traps {
        put_state(ROW_FAULT_OFFSET, trap_offset);
        var values = trap_values;
        for (var numbers = trap_words; numbers != NO_WORDS; numbers = (numbers >> 8u) | 0xff000000u) {
            if (numbers & 0xffu) < WORDS {
                put_state(ROW_WORDS + (numbers & 0xffu), values.x);
            }
            values = values.yzww;
        }
    }
}

// Whether each VM that stops or traps leaves its state. The host makes it 0 where all run to their end or to a trap and the first trap alone is asked
// after: a workgroup leaves that of its VMs.
fn leaves_states() -> u32 {
    return 1u;
}

// Leaves a trap for a workgroup.
fn put_trap(workgroup: u32) {
    let at = workgroup * TRAP_COUNT;
    states[at + TRAP_IP] = stop_ip;
    states[at + TRAP_FAULT] = trap_fault;
    states[at + TRAP_FAULT_OFFSET] = trap_offset;
    states[at + TRAP_NUMBERS] = trap_words;
    states[at + TRAP_VALUES] = trap_values.x;
    states[at + TRAP_VALUES + 1u] = trap_values.y;
    states[at + TRAP_VALUES + 2u] = trap_values.z;
    states[at + TRAP_VALUES + 3u] = trap_values.w;
}

// Tells the host of a VM that stops in front of an instruction.
fn note_stop() {
    atomicAdd(&signal[SIGNAL_AT_BREAK], 1u);
}

// Where the program goes. Gives the VM's status.
fn run() -> u32 {
    return STATUS_HALTED;
}

// Where the program of a joined job goes.
fn then() -> u32 {
    return STATUS_HALTED;
}

// What the workgroup's VMs add to the signal: stopped, yielded, trapped, blocked, and the first that trapped.
var<workgroup> tally: array<atomic<u32>, 5>;

// Whether they do so together. Where a CPU plays the device the host makes it 0: there it saves nothing, and barriers take long to compile.
fn tallies() -> u32 {
    return 1u;
}

// Where the signal has what the tally has there.
fn place_of(number: u32) -> u32 {
    let places = vec4(SIGNAL_STOPPED, SIGNAL_YIELDED, SIGNAL_TRAPPED, SIGNAL_BLOCKED);
    return places[number];
}

fn count(number: u32, value: u32) {
    if tallies() != 0u {
        atomicAdd(&tally[number], value);
    } else {
        atomicAdd(&signal[place_of(number)], value);
    }
}

// The number of a workgroup; there may be more than work for them.
fn number_of(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}

fn vm_of(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return number_of(group, groups) * WORKGROUP + local;
}

fn clear_tally(local: u32) {
    if tallies() == 0u {
        return;
    }
    if local < 5u {
        atomicStore(&tally[local], 0u);
    }
    workgroupBarrier();
}

// Counts a VM that has not halted.
fn note(status: u32) {
    let yields = select(0u, 1u, status == STATUS_YIELDED);
    let blocks = select(yields, 3u, status == STATUS_BLOCKED);
    count(select(blocks, 2u, status == STATUS_TRAPPED), select(1u, 0xffffffffu, status == STATUS_RUNNING));
    note_first_trap(status);
}

fn note_first_trap(status: u32) {
    if status == STATUS_TRAPPED {
        if tallies() != 0u {
            atomicMax(&tally[4], ~vm);
        } else {
            atomicMax(&signal[SIGNAL_FIRST_TRAP], ~vm);
        }
    }
}

fn report(local: u32) {
    if tallies() == 0u {
        return;
    }
    workgroupBarrier();
    if local < 4u {
        let value = atomicLoad(&tally[local]);
        if value != 0u {
            atomicAdd(&signal[place_of(local)], value);
        }
    }
    if local == 4u {
        let value = atomicLoad(&tally[4]);
        if value != 0u {
            atomicMax(&signal[SIGNAL_FIRST_TRAP], value);
        }
    }
}

// Whether the VM is the first of its workgroup's that has trapped, when all of these have reported.
fn is_first_trapped() -> bool {
    return atomicLoad(&tally[4]) == ~vm;
}

// All VMs of a dispatch stop but those that say otherwise.
fn all_stop() {
    if vm == 0u {
        atomicAdd(&signal[SIGNAL_STOPPED], launch.vms);
    }
}

// VMs that have not started, in a program that each runs to its end without a trap.
@compute @workgroup_size(WORKGROUP)
fn complete(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    vm = vm_of(group, groups, local);
    if !may_start() {
        return;
    }
    if vm < launch.vms {
        _ = run();
    }
    all_stop();
}

// Runs the workgroup's VMs from their entry on, unless the row of jobs has ended; gives whether they may start.
fn start(group: vec3<u32>, groups: vec3<u32>, local: u32) -> bool {
    vm = vm_of(group, groups, local);
    clear_tally(local);
    let starts = may_start();
    if vm < launch.vms && starts {
        let status = run();
        if status != STATUS_HALTED {
            note(status);
            if leaves_states() != 0u {
                put_stop(status);
            }
            end_sequence();
        }
    }
    if starts {
        all_stop();
    }
    report(local);
    if leaves_states() == 0u && is_first_trapped() {
        put_trap(number_of(group, groups));
    }
    return starts;
}

// VMs that have not started.
@compute @workgroup_size(WORKGROUP)
fn fresh(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    _ = start(group, groups, local);
}

// VMs that have not started, and then one of a joined job for each workgroup, which reads what the workgroup's VMs have written. Where one of
// these did not halt, the joined job is run once more after it, so that what it finds here does not matter; nor does it count.
@compute @workgroup_size(WORKGROUP)
fn both(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let starts = start(group, groups, local);
    storageBarrier();
    vm = number_of(group, groups);
    if starts && local == 0u && vm < joined.vms {
        _ = then();
    }
}

// VMs that have been stopped.
@compute @workgroup_size(WORKGROUP)
fn resumed(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    vm = vm_of(group, groups, local);
    clear_tally(local);
    if vm < launch.vms {
        let before = get_state(ROW_STATUS);
        let rests = before == STATUS_YIELDED || before == STATUS_BLOCKED;
        if before == STATUS_RUNNING || (rests && launch.resume != 0u) {
            let status = run();
            count(0u, u32(status != STATUS_RUNNING) - u32(before != STATUS_RUNNING));
            count(1u, u32(status == STATUS_YIELDED) - u32(before == STATUS_YIELDED));
            count(2u, u32(status == STATUS_TRAPPED));
            count(3u, u32(status == STATUS_BLOCKED) - u32(before == STATUS_BLOCKED));
            note_first_trap(status);
            // One that stands where this kernel takes nobody up has its state.
            if stop_ip != NOWHERE {
                put_stop(status);
            }
        }
    }
    report(local);
}
