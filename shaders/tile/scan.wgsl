// Scans elements in the order that `Then::Scan` has: chunks are folded from left to right, what they come to is scanned in the same way, and
// each chunk is folded once more from what the chunks before it come to. Where that is one tile, `scan_tiles` does all of it. Else `fold_tiles`
// finds what each tile comes to, which is scanned as the elements of the next level, and then `scan_tiles` goes through the tiles once more.
// No workgroup waits for another one of its dispatch.
//
// The first chunk of a tile starts from what the last chunk of the tile before has come to, which that one finds out from its own first to
// last. So a tile leaves for the next one, behind the sums of all tiles, what its chunks of chunks come to, and its last chunks.

// Values of a tile, the first words of all and then the second ones, as if chunks had one more, so that memory serves their invocations at once.
// The host gives it room for as many words as a value has.
var<workgroup> cells: array<u32, TILE_CELLS>;
// What chunks come to, and later what all up to each do.
var<workgroup> chunks: array<vec2<u32>, TILE_WORKGROUP + TILE_WORKGROUP / TILE_CHUNK>;
// The same of chunks of chunks.
var<workgroup> tops: array<vec2<u32>, TILE_CHUNK>;
// What the tile before has left, and at last what all tiles up to it and up to the one before it come to.
var<workgroup> left_over: array<vec2<u32>, 2u * TILE_CHUNK + 2u>;
// What the first chunk and the first chunk of chunks start from.
var<workgroup> before: array<vec2<u32>, 2>;

// Elements of the job, or sums of tiles.
struct Level {
    // 0 for the elements.
    number: u32,
    entries: u32,
    tiles: u32,
    // Among the values of the sums' parameter the first of the entries, and the first of what the tiles come to.
    first: u32,
    sums: u32,
}

// The level that a dispatch of so many workgroups is of: each has fewer tiles than the one before.
fn level_of(workgroups: u32) -> Level {
    var level = Level(0u, launch.vms, tiles_of(launch.vms), 0u, 0u);
    while workgroups < level.tiles {
        let next = level.sums + level.tiles * TILE_LEFT;
        level = Level(level.number + 1u, level.tiles, tiles_of(level.tiles), level.sums, next);
    }
    return level;
}

// The place of a value of the sums' parameter.
fn sum_at(index: u32) -> u32 {
    return params[launch.first_slot + tile_param() + 1u].x + index * value_words();
}

fn get_sum(index: u32) -> vec2<u32> {
    let at = sum_at(index);
    var value = vec2(arena[at], 0u);
    if value_words() > 1u {
        value.y = arena[at + 1u];
    }
    return value;
}

fn put_sum(index: u32, value: vec2<u32>) {
    let at = sum_at(index);
    arena[at] = value.x;
    if value_words() > 1u {
        arena[at + 1u] = value.y;
    }
}

// Where a tile's value is.
fn padded(index: u32) -> u32 {
    return index + index / TILE_CHUNK;
}

// A value by its place in the memory.
fn cell_at(at: u32) -> vec2<u32> {
    var value = vec2(cells[at], 0u);
    if value_words() > 1u {
        value.y = cells[at + TILE_CELLS];
    }
    return value;
}

fn put_at(at: u32, value: vec2<u32>) {
    cells[at] = value.x;
    if value_words() > 1u {
        cells[at + TILE_CELLS] = value.y;
    }
}

fn operate(left: vec2<u32>, right: vec2<u32>) -> vec2<u32> {
    left_0 = left.x;
    left_1 = left.y;
    right_0 = right.x;
    right_1 = right.y;
    _ = then();
    return vec2(folded_0, folded_1);
}

// From one of an invocation's values to the next, and the same in the memory.
const APART: u32 = TILE_WORKGROUP;
const CELLS_APART: u32 = TILE_WORKGROUP + TILE_WORKGROUP / TILE_CHUNK;

// Loads a tile's so many values. Of a whole tile's several are under way before the first is put in its place.
fn bring(level: Level, tile: u32, local: u32, count: u32) {
    let first = tile * TILE + local;
    let at = padded(local);
    if level.number > 0u {
        // In place of those that are not there stands the last.
        let last = tile * TILE + count - 1u;
        for (var i = 0u; i < TILE_CHUNK; i += 4u) {
            let next = first + i * APART;
            let a = get_sum(level.first + min(next, last));
            let b = get_sum(level.first + min(next + APART, last));
            let c = get_sum(level.first + min(next + 2u * APART, last));
            let d = get_sum(level.first + min(next + 3u * APART, last));
            let to = at + i * CELLS_APART;
            put_at(to, a);
            put_at(to + CELLS_APART, b);
            put_at(to + 2u * CELLS_APART, c);
            put_at(to + 3u * CELLS_APART, d);
        }
    } else if count < TILE {
        for (var i = 0u; i < TILE_CHUNK; i++) {
            if local + i * APART < count {
                put_at(at + i * CELLS_APART, element(first + i * APART));
            }
        }
    } else {
        for (var i = 0u; i < TILE_CHUNK; i += 8u) {
            let next = first + i * APART;
            let a = element(next);
            let b = element(next + APART);
            let c = element(next + 2u * APART);
            let d = element(next + 3u * APART);
            let e = element(next + 4u * APART);
            let f = element(next + 5u * APART);
            let g = element(next + 6u * APART);
            let h = element(next + 7u * APART);
            let to = at + i * CELLS_APART;
            put_at(to, a);
            put_at(to + CELLS_APART, b);
            put_at(to + 2u * CELLS_APART, c);
            put_at(to + 3u * CELLS_APART, d);
            put_at(to + 4u * CELLS_APART, e);
            put_at(to + 5u * CELLS_APART, f);
            put_at(to + 6u * CELLS_APART, g);
            put_at(to + 7u * CELLS_APART, h);
        }
    }
}

// Folds each chunk of a tile's so many values.
fn fold_chunk(local: u32, count: u32) {
    let first = local * TILE_CHUNK;
    if first >= count {
        return;
    }
    let at = padded(first);
    var value = cell_at(at);
    if first + TILE_CHUNK <= count {
        for (var i = 1u; i < TILE_CHUNK; i += 5u) {
            let a = cell_at(at + i);
            let b = cell_at(at + i + 1u);
            let c = cell_at(at + i + 2u);
            let d = cell_at(at + i + 3u);
            let e = cell_at(at + i + 4u);
            value = operate(operate(operate(operate(operate(value, a), b), c), d), e);
        }
    } else {
        for (var i = 1u; i < count - first; i++) {
            value = operate(value, cell_at(at + i));
        }
    }
    chunks[padded(local)] = value;
}

// Folds a chunk of so many chunks.
fn fold_top(top: u32, count: u32) {
    let first = top * TILE_CHUNK;
    if first >= count {
        return;
    }
    let at = padded(first);
    var value = chunks[at];
    if first + TILE_CHUNK <= count {
        for (var i = 1u; i < TILE_CHUNK; i += 5u) {
            let a = chunks[at + i];
            let b = chunks[at + i + 1u];
            let c = chunks[at + i + 2u];
            let d = chunks[at + i + 3u];
            let e = chunks[at + i + 4u];
            value = operate(operate(operate(operate(operate(value, a), b), c), d), e);
        }
    } else {
        for (var i = 1u; i < count - first; i++) {
            value = operate(value, chunks[at + i]);
        }
    }
    tops[top] = value;
}

// Scans so many chunks of chunks, each of which is what it alone comes to, behind all tiles before.
fn scan_tops(tile: u32, count: u32) {
    var value = tops[0];
    if tile > 0u {
        value = operate(left_over[2u * TILE_CHUNK], value);
    }
    tops[0] = value;
    for (var i = 1u; i < count; i++) {
        value = operate(value, tops[i]);
        tops[i] = value;
    }
}

// Scans a chunk of so many chunks from what it starts from, if anything is before it.
fn scan_top(top: u32, count: u32, tile: u32) {
    let first = top * TILE_CHUNK;
    if first >= count {
        return;
    }
    let at = padded(first);
    var value = chunks[at];
    if tile > 0u || top > 0u {
        var start = before[1];
        if top > 0u {
            start = tops[top - 1u];
        }
        value = operate(start, value);
    }
    chunks[at] = value;
    if first + TILE_CHUNK <= count {
        for (var i = 1u; i < TILE_CHUNK; i += 5u) {
            let a = chunks[at + i];
            let b = chunks[at + i + 1u];
            let c = chunks[at + i + 2u];
            let d = chunks[at + i + 3u];
            let e = chunks[at + i + 4u];
            let v = operate(value, a);
            let w = operate(v, b);
            let x = operate(w, c);
            let y = operate(x, d);
            value = operate(y, e);
            chunks[at + i] = v;
            chunks[at + i + 1u] = w;
            chunks[at + i + 2u] = x;
            chunks[at + i + 3u] = y;
            chunks[at + i + 4u] = value;
        }
    } else {
        for (var i = 1u; i < count - first; i++) {
            value = operate(value, chunks[at + i]);
            chunks[at + i] = value;
        }
    }
}

// Scans a chunk of a tile's so many values.
fn scan_chunk(local: u32, count: u32, tile: u32) {
    let first = local * TILE_CHUNK;
    if first >= count {
        return;
    }
    let at = padded(first);
    var value = cell_at(at);
    if tile > 0u || local > 0u {
        var start = before[0];
        if local > 0u {
            start = chunks[padded(local - 1u)];
        }
        value = operate(start, value);
    }
    put_at(at, value);
    if first + TILE_CHUNK <= count {
        for (var i = 1u; i < TILE_CHUNK; i += 5u) {
            let a = cell_at(at + i);
            let b = cell_at(at + i + 1u);
            let c = cell_at(at + i + 2u);
            let d = cell_at(at + i + 3u);
            let e = cell_at(at + i + 4u);
            let v = operate(value, a);
            let w = operate(v, b);
            let x = operate(w, c);
            let y = operate(x, d);
            value = operate(y, e);
            put_at(at + i, v);
            put_at(at + i + 1u, w);
            put_at(at + i + 2u, x);
            put_at(at + i + 3u, y);
            put_at(at + i + 4u, value);
        }
    } else {
        for (var i = 1u; i < count - first; i++) {
            value = operate(value, cell_at(at + i));
            put_at(at + i, value);
        }
    }
}

// Values of a tile.
fn count_in(level: Level, tile: u32) -> u32 {
    return min(level.entries - tile * TILE, TILE);
}

fn chunks_of(count: u32) -> u32 {
    return (count + (TILE_CHUNK - 1u)) / TILE_CHUNK;
}

// Where a tile's left-overs are.
fn left_at(level: Level, tile: u32) -> u32 {
    return level.sums + level.tiles + tile * (TILE_LEFT - 1u);
}

@compute @workgroup_size(TILE_WORKGROUP)
fn fold_tiles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let level = level_of(groups.x * groups.y);
    let number = number_of(group, groups);
    let tile = min(number, level.tiles - 1u);
    let starts = may_start() && number < level.tiles;
    let count = count_in(level, tile);
    bring(level, tile, local, count);
    workgroupBarrier();
    fold_chunk(local, count);
    workgroupBarrier();
    let all = chunks_of(count);
    if local < TILE_CHUNK {
        fold_top(local, all);
    }
    workgroupBarrier();
    if !starts {
        return;
    }
    // What is left by a tile that has less has no reader.
    if local < TILE_CHUNK {
        put_sum(left_at(level, tile) + local, tops[local]);
    } else if local < 2u * TILE_CHUNK {
        let chunk = TILE_WORKGROUP - 2u * TILE_CHUNK + local;
        put_sum(left_at(level, tile) + local, chunks[padded(chunk)]);
    } else if local == 2u * TILE_CHUNK {
        var value = tops[0];
        for (var i = 1u; i < chunks_of(all); i++) {
            value = operate(value, tops[i]);
        }
        put_sum(level.sums + tile, value);
    }
}

// Finds out what the first chunk and the first chunk of chunks of a tile that is not the first start from.
fn come_from_before(tile: u32) {
    var value = left_over[0];
    if tile > 1u {
        value = operate(left_over[2u * TILE_CHUNK + 1u], value);
    }
    for (var i = 1u; i < TILE_CHUNK - 1u; i += 2u) {
        let a = left_over[i];
        let b = left_over[i + 1u];
        value = operate(operate(value, a), b);
    }
    before[1] = operate(value, left_over[TILE_CHUNK - 1u]);
    for (var i = TILE_CHUNK; i < 2u * TILE_CHUNK; i += 4u) {
        let a = left_over[i];
        let b = left_over[i + 1u];
        let c = left_over[i + 2u];
        let d = left_over[i + 3u];
        value = operate(operate(operate(operate(value, a), b), c), d);
    }
    before[0] = value;
}

// Stores a value of the tile to a place of the arena.
fn give(to: u32, at: u32) {
    let value = cell_at(at);
    arena[to] = value.x;
    if value_words() > 1u {
        arena[to + 1u] = value.y;
    }
}

@compute @workgroup_size(TILE_WORKGROUP)
fn scan_tiles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let level = level_of(groups.x * groups.y);
    let number = number_of(group, groups);
    // The last ones first: a cache may still have them.
    let tile = level.tiles - 1u - min(number, level.tiles - 1u);
    let starts = may_start() && number < level.tiles;
    let count = count_in(level, tile);
    if tile > 0u {
        if local < 2u * TILE_CHUNK {
            left_over[local] = get_sum(left_at(level, tile - 1u) + local);
        } else if local == 2u * TILE_CHUNK || (local == 2u * TILE_CHUNK + 1u && tile > 1u) {
            left_over[local] = get_sum(level.sums + tile - 1u - (local - 2u * TILE_CHUNK));
        }
    }
    bring(level, tile, local, count);
    workgroupBarrier();
    fold_chunk(local, count);
    workgroupBarrier();
    let all = chunks_of(count);
    if local < TILE_CHUNK {
        fold_top(local, all);
    } else if local == 2u * TILE_CHUNK && tile > 0u {
        come_from_before(tile);
    }
    workgroupBarrier();
    if local == 0u {
        scan_tops(tile, chunks_of(all));
    }
    workgroupBarrier();
    if local < TILE_CHUNK {
        scan_top(local, all, tile);
    }
    workgroupBarrier();
    scan_chunk(local, count, tile);
    workgroupBarrier();
    if !starts {
        return;
    }
    var to = params[launch.first_slot + tile_param()].x;
    if level.number > 0u {
        to = sum_at(level.first);
    }
    to += (tile * TILE + local) * value_words();
    let at = padded(local);
    if count == TILE {
        for (var i = 0u; i < TILE_CHUNK; i += 8u) {
            let next = to + i * APART * value_words();
            let cell = at + i * CELLS_APART;
            give(next, cell);
            give(next + APART * value_words(), cell + CELLS_APART);
            give(next + 2u * APART * value_words(), cell + 2u * CELLS_APART);
            give(next + 3u * APART * value_words(), cell + 3u * CELLS_APART);
            give(next + 4u * APART * value_words(), cell + 4u * CELLS_APART);
            give(next + 5u * APART * value_words(), cell + 5u * CELLS_APART);
            give(next + 6u * APART * value_words(), cell + 6u * CELLS_APART);
            give(next + 7u * APART * value_words(), cell + 7u * CELLS_APART);
        }
    } else {
        for (var i = 0u; local + i * APART < count; i++) {
            give(to + i * APART * value_words(), at + i * CELLS_APART);
        }
    }
    if level.number == 0u && tile == 0u && local == 0u {
        atomicAdd(&signal[SIGNAL_STOPPED], launch.vms);
    }
}
