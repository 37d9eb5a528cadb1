// What a dispatch tells the host, summed up by workgroup first.

// What the workgroup's VMs add to the signal.
var<workgroup> tally: array<atomic<u32>, SIGNAL_COUNTS>;

// Adds one number of the tally to the signal; the carries of the instruction counts go to a word of their own.
fn report(index: u32, value: u32) {
    if value == 0u {
        return;
    }
    if index == SIGNAL_FIRST_TRAP {
        atomicMax(&signal[index], value);
        return;
    }
    let old = atomicAdd(&signal[index], value);
    if index >= SIGNAL_RETIRED && old + value < old {
        atomicAdd(&signal[index + 4u], 1u);
    }
}
