// Several VMs an invocation, for programs that end so soon that it would count how many invocations a device can start in a time, and how long
// a load takes. The host puts the program in place of `run`, which leaves what it would store in `left_for_later`, and in place of `then` what
// stores that. So the loads of an invocation's VMs are under way together: no device's compiler takes a load to before a store that may go to
// the same word. A workgroup has VMs that follow each other, and neighbours have neighbouring ones.

// What a VM is going to store and to add; the host gives it room.
var<private> left_for_later: array<u32, 1>;

// The first VM of an invocation of a group of them, by the group's number. The host changes WORKGROUP when all of this has been read, so it must
// not be a part of another constant.
fn first_of(number: u32, local: u32) -> u32 {
    return number * SEVERAL * WORKGROUP + local;
}

// Whether all VMs of a group are there.
fn is_whole(number: u32) -> bool {
    return first_of(number + 1u, 0u) <= launch.vms;
}

// Runs the invocation's VMs, which are all there. Gives, as bits, which have trapped; these have stored nothing.
fn run_several(first: u32, starts: bool) -> u32 {
    vm = first;
    let a = run();
    let of_a = left_for_later;
    vm += WORKGROUP;
    let b = run();
    let of_b = left_for_later;
    vm += WORKGROUP;
    let c = run();
    let of_c = left_for_later;
    vm += WORKGROUP;
    let d = run();
    let of_d = left_for_later;
    if !starts {
        return 0u;
    }
    var trapped = 0u;
    vm = first;
    left_for_later = of_a;
    trapped |= end_of(a);
    vm += WORKGROUP;
    left_for_later = of_b;
    trapped |= end_of(b) << 1u;
    vm += WORKGROUP;
    left_for_later = of_c;
    trapped |= end_of(c) << 2u;
    vm += WORKGROUP;
    left_for_later = of_d;
    trapped |= end_of(d) << 3u;
    return trapped;
}

// Ends a VM that has run. Gives 1 if it has trapped.
fn end_of(status: u32) -> u32 {
    if status == STATUS_TRAPPED {
        return 1u;
    }
    _ = then();
    return 0u;
}

// The first of the invocation's VMs that has trapped, and what is known of its trap: those after it leave theirs where it did.
const NOBODY: u32 = 0xffffffffu;
var<private> first_trapped: u32 = NOBODY;
var<private> first_ip: u32;
var<private> first_fault: u32;
var<private> first_offset: u32;
var<private> first_words: u32;
var<private> first_values: vec4<u32>;

// Keeps a trap, if it is the invocation's first.
fn keep_trap() {
    if first_trapped != NOBODY {
        return;
    }
    first_trapped = vm;
    first_ip = stop_ip;
    first_fault = trap_fault;
    first_offset = trap_offset;
    first_words = trap_words;
    first_values = trap_values;
}

// Leaves the workgroup's first trap, if the invocation has kept it.
fn put_kept_trap(workgroup: u32) {
    vm = first_trapped;
    if leaves_states() != 0u || vm == NOBODY || !is_first_trapped() {
        return;
    }
    stop_ip = first_ip;
    trap_fault = first_fault;
    trap_offset = first_offset;
    trap_words = first_words;
    trap_values = first_values;
    put_trap(workgroup);
}

// Runs those of the invocation's VMs whose bits are set and that are there, one after the other, and notes which trap.
fn run_each(first: u32, which: u32) {
    for (var bits = which; bits != 0u; bits &= bits - 1u) {
        vm = first + countTrailingZeros(bits) * WORKGROUP;
        if vm < launch.vms && end_of(run()) != 0u {
            note(STATUS_TRAPPED);
            if leaves_states() != 0u {
                put_stop(STATUS_TRAPPED);
            } else {
                keep_trap();
            }
            end_sequence();
        }
    }
}

// VMs that have not started, in a program that each runs to its end without a trap.
@compute @workgroup_size(WORKGROUP)
fn several(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = number_of(group, groups);
    let starts = may_start();
    let first = first_of(number, local);
    if is_whole(number) {
        _ = run_several(first, starts);
    } else if starts {
        for (vm = first; vm < launch.vms; vm += WORKGROUP) {
            _ = end_of(run());
        }
    }
    if starts {
        vm = first;
        all_stop();
    }
}

// VMs that have not started, in a program that each runs to its end or to a trap.
@compute @workgroup_size(WORKGROUP)
fn several_fresh(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = number_of(group, groups);
    clear_tally(local);
    let starts = may_start();
    run_group(number, local, starts);
    if starts {
        vm = first_of(number, local);
        all_stop();
    }
    report(local);
    put_kept_trap(number);
}

// Runs the invocation's VMs of a group.
fn run_group(number: u32, local: u32, starts: bool) {
    let first = first_of(number, local);
    var which = select(0u, (1u << SEVERAL) - 1u, starts);
    if is_whole(number) {
        which = run_several(first, starts);
    }
    run_each(first, which);
}

// The same of a program that adds to atomics. Its workgroups are few, and each has many groups of VMs.
@compute @workgroup_size(WORKGROUP)
fn several_adding(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = number_of(group, groups);
    let owned = select(0u, launch.atomic_words, owns_atomics());
    for (var i = local; i < owned; i += WORKGROUP) {
        atomicStore(&own_atomics[i], 0u);
    }
    clear_tally(local);
    let starts = may_start();
    for (var each = number; first_of(each, 0u) < launch.vms; each += groups.x * groups.y) {
        run_group(each, local, starts);
    }
    workgroupBarrier();
    if starts {
        for (var i = local; i < owned; i += WORKGROUP) {
            let added = atomicLoad(&own_atomics[i]);
            if added != 0u {
                atomicAdd(&atomics[i], added);
            }
        }
        vm = first_of(number, local);
        all_stop();
    }
    report(local);
    put_kept_trap(number);
}
