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
