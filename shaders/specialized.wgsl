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

// What a VM that traps leaves for its state: its instruction, why, the offset that was outside of memory, and up to four words with
// their numbers, a byte each.
var<private> trap_ip: u32;
var<private> trap_fault: u32;
var<private> trap_offset: u32;
var<private> trap_words: u32;
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

fn in_frames(offset: u32) -> bool {
    return offset - launch.frame_gap < launch.frame_words;
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

// Stores what each stop has in common, with 0 for the words that nobody reads afterwards. No compiler knows how many turns the loop takes: unrolled it would be
// most of what a small program's shader consists of.
fn put_header(ip: u32, status: u32, depth: u32, dead: u32) {
    put_state(ROW_IP, ip);
    put_state(ROW_STATUS, status);
    put_state(ROW_VM_ID, launch.first_vm + vm);
    put_state(ROW_DEPTH, depth);
    put_state(ROW_FAULT, FAULT_NONE);
    for (var bits = dead & ((1u << WORDS) - 1u); bits != 0u; bits &= bits - 1u) {
        put_state(ROW_WORDS + countTrailingZeros(bits), 0u);
    }
}

fn put_calls(frame_base: u32, calls: u32) {
    put_state(ROW_FRAME_BASE, frame_base);
    put_state(ROW_CALLS, calls);
}

fn put_trap() {
    put_header(trap_ip, STATUS_TRAPPED, 0u, 0xffffffffu);
    put_calls(0u, 0u);
    put_state(ROW_FAULT, trap_fault);
    put_state(ROW_FAULT_OFFSET, trap_offset);
    var values = trap_values;
    for (var numbers = trap_words; numbers != 0xffffffffu; numbers = (numbers >> 8u) | 0xff000000u) {
        if (numbers & 0xffu) < WORDS {
            put_state(ROW_WORDS + (numbers & 0xffu), values.x);
        }
        values = values.yzww;
    }
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

fn vm_of(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * WORKGROUP + local;
}

fn clear_tally(local: u32) {
    if local < 5u {
        atomicStore(&tally[local], 0u);
    }
    workgroupBarrier();
}

fn note_trap() {
    put_trap();
    atomicAdd(&tally[2], 1u);
    atomicMax(&tally[4], ~vm);
}

fn report(local: u32) {
    workgroupBarrier();
    if local < 4u {
        let value = atomicLoad(&tally[local]);
        if value != 0u {
            let places = vec4(SIGNAL_STOPPED, SIGNAL_YIELDED, SIGNAL_TRAPPED, SIGNAL_BLOCKED);
            atomicAdd(&signal[places[local]], value);
        }
    }
    if local == 4u {
        let value = atomicLoad(&tally[4]);
        if value != 0u {
            atomicMax(&signal[SIGNAL_FIRST_TRAP], value);
        }
    }
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
        if status == STATUS_TRAPPED {
            note_trap();
        } else if status == STATUS_YIELDED {
            atomicAdd(&tally[1], 1u);
        } else if status == STATUS_BLOCKED {
            atomicAdd(&tally[3], 1u);
        } else if status == STATUS_RUNNING {
            atomicSub(&tally[0], 1u);
        }
        if status != STATUS_HALTED {
            end_sequence();
        }
    }
    if starts {
        all_stop();
    }
    report(local);
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
    vm = group.y * groups.x + group.x;
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
            if status == STATUS_TRAPPED {
                note_trap();
            }
            atomicAdd(&tally[0], u32(status != STATUS_RUNNING) - u32(before != STATUS_RUNNING));
            atomicAdd(&tally[1], u32(status == STATUS_YIELDED) - u32(before == STATUS_YIELDED));
            atomicAdd(&tally[3], u32(status == STATUS_BLOCKED) - u32(before == STATUS_BLOCKED));
        }
    }
    report(local);
}
