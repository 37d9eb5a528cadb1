// What the kernels of a selection have in common. Some entries of a column are kept, in their order: those that are kept are counted for
// each tile (count.wgsl), the counts are summed up (sort/scan.wgsl, sort/add.wgsl), and each tile brings its own to their places
// (place.wgsl). What a kernel of tile/mark.wgsl has marked and counted is summed up by one workgroup (marked_sum.wgsl), and brought there by
// kernels of that one's tiles (marked_place.wgsl). No kernel needs another workgroup to go on.

struct Selection {
    // Entries, at least one, and tiles of them.
    count: u32,
    tiles: u32,
    // Words of a key. 0: an entry is kept whose word is not 0.
    key_words: u32,
    // Which of neighbours with equal keys is kept: 0 for the first, else the last.
    last: u32,
    // Words of an entry.
    width: u32,
}

@group(0) @binding(0) var<uniform> selection: Selection;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;

fn load_four(at: vec4<u32>) -> vec4<u32> {
    return vec4(keys[at.x], keys[at.y], keys[at.z], keys[at.w]);
}

// 1 for those of four entries that are kept, else 0. All that is loaded lies in the buffer.
fn kept_four(place: vec4<u32>) -> vec4<u32> {
    let end = vec4(selection.count - 1u);
    let own = min(place, end);
    let is_one = place <= end;
    if selection.key_words == 0u {
        return select(vec4(0u), vec4(1u), (load_four(own) != vec4(0u)) & is_one);
    }
    var other = own - min(own, vec4(1u));
    if selection.last != 0u {
        other = min(own + vec4(1u), end);
    }
    // Who has no neighbour there is kept.
    var differs = own == other;
    for (var word = 0u; word < selection.key_words; word++) {
        let own_word = load_four(own * selection.key_words + vec4(word));
        let other_word = load_four(other * selection.key_words + vec4(word));
        differs = differs | (own_word != other_word);
    }
    return select(vec4(0u), vec4(1u), differs & is_one);
}

// Four of a tile's entries, and the four behind, as an invocation has them: neighbours are its neighbours' then.
fn across(tile: u32, local: u32) -> vec4<u32> {
    return vec4(tile * SORT_TILE + local) + SORT_WORKGROUP * vec4(0u, 1u, 2u, 3u);
}
