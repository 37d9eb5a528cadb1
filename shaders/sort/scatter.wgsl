// Brings the keys of a tile, and what belongs to each, to where its digit has them. The tile is sorted by the digit in the workgroup's
// memory, by half of it at a time; then neighbours go to neighbouring places.

@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
@group(0) @binding(3) var<storage, read_write> keys_to: array<u32>;
@group(0) @binding(4) var<storage, read_write> values_to: array<u32>;
// Where the next key of each digit goes, for each tile.
@group(0) @binding(5) var<storage, read_write> places: array<u32>;

// Counters of two halves of a digit in each word, a word of each invocation for each of eight; and keys, and values.
var<workgroup> cells: array<u32, SORT_TILE + SORT_TILE / 32u>;
// Of each digit the first place in the sorted tile, and the place of the tile's first key that has it.
var<workgroup> firsts: array<u32, SORT_WORKGROUP>;
var<workgroup> bases: array<u32, SORT_WORKGROUP>;

// Keys of the tile that an invocation has, or values: in eight words.
struct Eight {
    low: vec4<u32>,
    high: vec4<u32>,
}

// Where an invocation counts a half digit, and how far up in the word.
fn counter(local: u32, half: u32) -> vec2<u32> {
    return vec2(cell((half & 7u) * SORT_WORKGROUP + local), (half >> 3u) * 16u);
}

// Counts one more, and gives how many there were.
fn count_one(local: u32, half: u32) -> u32 {
    let counter = counter(local, half);
    let had = cells[counter.x];
    cells[counter.x] = had + (1u << counter.y);
    return (had >> counter.y) & 0xffffu;
}

fn count_four(local: u32, halves: vec4<u32>) -> vec4<u32> {
    let x = count_one(local, halves.x);
    let y = count_one(local, halves.y);
    let z = count_one(local, halves.z);
    return vec4(x, y, z, count_one(local, halves.w));
}

fn counted(local: u32, half: u32) -> u32 {
    let counter = counter(local, half);
    return (cells[counter.x] >> counter.y) & 0xffffu;
}

fn counted_four(local: u32, halves: vec4<u32>) -> vec4<u32> {
    return vec4(
        counted(local, halves.x),
        counted(local, halves.y),
        counted(local, halves.z),
        counted(local, halves.w),
    );
}

// The places in the tile of an invocation's keys by a half of the digit, of which these are the halves. Keys are taken in their order.
fn ranks(local: u32, halves: Eight) -> Eight {
    for (var i = 0u; i < 8u; i++) {
        cells[cell(i * SORT_WORKGROUP + local)] = 0u;
    }
    let low = count_four(local, halves.low);
    let high = count_four(local, halves.high);
    workgroupBarrier();
    var sum = 0u;
    for (var i = 0u; i < 8u; i++) {
        sum += cells[cell(local * 8u + i)];
    }
    // Those that are counted in upper halves come after all that are counted in lower ones.
    var before = sum_before(local, sum);
    before += sums[SORT_WORKGROUP - 1u] << 16u;
    for (var i = 0u; i < 8u; i++) {
        let at = cell(local * 8u + i);
        let count = cells[at];
        cells[at] = before;
        before += count;
    }
    workgroupBarrier();
    let ranks = Eight(
        low + counted_four(local, halves.low),
        high + counted_four(local, halves.high),
    );
    workgroupBarrier();
    return ranks;
}

fn put_four(at: vec4<u32>, words: vec4<u32>) {
    cells[cell(at.x)] = words.x;
    cells[cell(at.y)] = words.y;
    cells[cell(at.z)] = words.z;
    cells[cell(at.w)] = words.w;
}

fn put(at: Eight, words: Eight) {
    put_four(at.low, words.low);
    put_four(at.high, words.high);
    workgroupBarrier();
}

fn fetch_four(at: vec4<u32>) -> vec4<u32> {
    return vec4(cells[cell(at.x)], cells[cell(at.y)], cells[cell(at.z)], cells[cell(at.w)]);
}

fn fetch(at: Eight) -> Eight {
    let words = Eight(fetch_four(at.low), fetch_four(at.high));
    workgroupBarrier();
    return words;
}

// Four of the words that are in the tile's order.
fn load_four(tile: u32, at: vec4<u32>, of_values: bool) -> vec4<u32> {
    let place = vec4(tile * SORT_TILE) + at;
    let is_one = (place < vec4(sort.count)) & vec4(tile < sort.tiles);
    // What is loaded in vain lies in the buffer, too.
    let source = select(vec4(0u), place, is_one);
    if of_values {
        if sort.numbered != 0u {
            return place;
        }
        return vec4(values[source.x], values[source.y], values[source.z], values[source.w]);
    }
    // What there is no key for comes last, in each pass.
    return select(vec4(0xffffffffu), vec4(keys[source.x], keys[source.y], keys[source.z], keys[source.w]), is_one);
}

fn load(tile: u32, at: Eight, of_values: bool) -> Eight {
    return Eight(load_four(tile, at.low, of_values), load_four(tile, at.high, of_values));
}

fn halves(keys: Eight, shift: u32) -> Eight {
    let by = vec4(shift);
    return Eight((keys.low >> by) & vec4(15u), (keys.high >> by) & vec4(15u));
}

// Notes where a digit begins among the sorted keys.
fn note_first(at: u32, key: u32) {
    let digit = (key >> sort.shift) & 0xffu;
    var is_first = at == 0u;
    if at > 0u {
        is_first = digit != ((cells[cell(at - 1u)] >> sort.shift) & 0xffu);
    }
    if is_first {
        firsts[digit] = at;
    }
}

fn store(tile: u32, at: u32, key: u32, value: u32) {
    if tile < sort.tiles && tile * SORT_TILE + at < sort.count {
        let digit = (key >> sort.shift) & 0xffu;
        let to = bases[digit] + at - firsts[digit];
        values_to[to] = value;
        if sort.keeps_keys != 0u {
            keys_to[to] = key;
        }
    }
}

@compute @workgroup_size(SORT_WORKGROUP)
fn scatter_keys(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = group.y * groups.x + group.x;
    if tile < sort.tiles {
        bases[local] = places[local * sort.tiles + tile];
    }
    let four = vec4(0u, 1u, 2u, 3u);
    // Neighbouring words of neighbouring invocations, and of each.
    let across = Eight(vec4(local) + SORT_WORKGROUP * four, vec4(local) + SORT_WORKGROUP * (four + vec4(4u)));
    let along = Eight(vec4(local * 8u) + four, vec4(local * 8u) + four + vec4(4u));
    put(across, load(tile, across, false));
    var own = fetch(along);
    put(across, load(tile, across, true));
    var belongs = fetch(along);
    let first = ranks(local, halves(own, sort.shift));
    put(first, belongs);
    belongs = fetch(along);
    put(first, own);
    own = fetch(along);
    let second = ranks(local, halves(own, sort.shift + 4u));
    put(second, belongs);
    belongs = fetch(across);
    put(second, own);
    own = Eight(fetch_four(across.low), fetch_four(across.high));
    note_first(across.low.x, own.low.x);
    note_first(across.low.y, own.low.y);
    note_first(across.low.z, own.low.z);
    note_first(across.low.w, own.low.w);
    note_first(across.high.x, own.high.x);
    note_first(across.high.y, own.high.y);
    note_first(across.high.z, own.high.z);
    note_first(across.high.w, own.high.w);
    workgroupBarrier();
    store(tile, across.low.x, own.low.x, belongs.low.x);
    store(tile, across.low.y, own.low.y, belongs.low.y);
    store(tile, across.low.z, own.low.z, belongs.low.z);
    store(tile, across.low.w, own.low.w, belongs.low.w);
    store(tile, across.high.x, own.high.x, belongs.high.x);
    store(tile, across.high.y, own.high.y, belongs.high.y);
    store(tile, across.high.z, own.high.z, belongs.high.z);
    store(tile, across.high.w, own.high.w, belongs.high.w);
}
