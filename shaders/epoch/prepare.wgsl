// Clears what the kernels tell each other, before a batch.

@compute @workgroup_size(1)
fn prepare() {
    for (var i = 0u; i < COUNT_WORDS; i++) {
        atomicStore(&counts[i], 0u);
    }
}
