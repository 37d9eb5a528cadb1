// Picks words of entries: all entries in their order, or by their numbers.

struct Pick {
    // Entries, and words of each to pick.
    count: u32,
    width: u32,
    // Words of an entry, and the first of those to pick.
    stride: u32,
    offset: u32,
    // Not 0: `numbers` says which entry comes where.
    by_number: u32,
}

@group(0) @binding(0) var<uniform> pick: Pick;
@group(0) @binding(1) var<storage, read_write> entries: array<u32>;
@group(0) @binding(2) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(3) var<storage, read_write> picked: array<u32>;

@compute @workgroup_size(SORT_WORKGROUP)
fn pick_words(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let word = (group.y * groups.x + group.x) * SORT_WORKGROUP + local;
    if word >= pick.count * pick.width {
        return;
    }
    var number = word / pick.width;
    let of_entry = word % pick.width;
    if pick.by_number != 0u {
        number = numbers[number];
    }
    picked[word] = entries[number * pick.stride + pick.offset + of_entry];
}
