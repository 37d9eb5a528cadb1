// What the kernels of a sort have in common: a stable radix sort, from the lowest digit of the keys to the highest. In each pass keys are
// counted by digit for each tile (count.wgsl), the counts are summed up (scan.wgsl, add.wgsl), and each tile brings its keys and what
// belongs to them to their places (scatter.wgsl). After Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore
// GPUs" (2009), with the packed counters of Merrill and Grimshaw (2011). No kernel needs another workgroup to go on.

struct Sort {
    // Keys, or counts where these are summed up.
    count: u32,
    tiles: u32,
    // Where the digit is in a key.
    shift: u32,
    // Not 0: a key's number is what belongs to it, as nothing does yet.
    numbered: u32,
    // Not 0: keys are needed after the pass.
    keeps_keys: u32,
}

@group(0) @binding(0) var<uniform> sort: Sort;

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
