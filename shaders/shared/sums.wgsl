// Sums over a workgroup of SORT_WORKGROUP invocations, for kernels that give each a tile.

// Two rows, from one to the other and back.
var<workgroup> sums: array<u32, 2 * SORT_WORKGROUP>;

// The sum of what all invocations before have. That of all is the last of the first row afterwards.
fn sum_before(local: u32, value: u32) -> u32 {
    sums[local] = value;
    workgroupBarrier();
    var row = 0u;
    for (var step = 1u; step < SORT_WORKGROUP; step <<= 1u) {
        var sum = sums[row + local];
        if local >= step {
            sum += sums[row + local - step];
        }
        row = SORT_WORKGROUP - row;
        sums[row + local] = sum;
        workgroupBarrier();
    }
    return sums[row + local] - value;
}

// The place of a word in the workgroup's memory. Every 32nd word is left out, so that neighbours' words are in different banks.
fn cell(at: u32) -> u32 {
    return at + (at >> 5u);
}
