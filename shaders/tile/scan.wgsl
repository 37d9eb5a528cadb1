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

fn get_cell(index: u32) -> vec2<u32> {
    let at = padded(index);
    var value = vec2(cells[at], 0u);
    if value_words() > 1u {
        value.y = cells[at + TILE_CELLS];
    }
    return value;
}

fn put_cell(index: u32, value: vec2<u32>) {
    let at = padded(index);
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

// Loads a tile's values. Several are under way before the first is put in its place; in place of those that are not there stands the last.
fn bring(level: Level, tile: u32, local: u32) {
    let first = tile * TILE + local;
    let last = level.entries - 1u;
    if level.number > 0u {
        for (var i = 0u; i < TILE_CHUNK; i++) {
            put_cell(local + i * TILE_WORKGROUP, get_sum(level.first + min(first + i * TILE_WORKGROUP, last)));
        }
        return;
    }
    for (var i = 0u; i < TILE_CHUNK; i += 8u) {
        let at = local + i * TILE_WORKGROUP;
        let start = first + i * TILE_WORKGROUP;
        let a = element(min(start, last));
        let b = element(min(start + TILE_WORKGROUP, last));
        let c = element(min(start + 2u * TILE_WORKGROUP, last));
        let d = element(min(start + 3u * TILE_WORKGROUP, last));
        let e = element(min(start + 4u * TILE_WORKGROUP, last));
        let f = element(min(start + 5u * TILE_WORKGROUP, last));
        let g = element(min(start + 6u * TILE_WORKGROUP, last));
        let h = element(min(start + 7u * TILE_WORKGROUP, last));
        put_cell(at, a);
        put_cell(at + TILE_WORKGROUP, b);
        put_cell(at + 2u * TILE_WORKGROUP, c);
        put_cell(at + 3u * TILE_WORKGROUP, d);
        put_cell(at + 4u * TILE_WORKGROUP, e);
        put_cell(at + 5u * TILE_WORKGROUP, f);
        put_cell(at + 6u * TILE_WORKGROUP, g);
        put_cell(at + 7u * TILE_WORKGROUP, h);
    }
}

// Folds each chunk of a tile's so many values.
fn fold_chunk(local: u32, count: u32) {
    let first = local * TILE_CHUNK;
    if first < count {
        var value = get_cell(first);
        for (var i = 1u; i < TILE_CHUNK; i++) {
            let next = get_cell(first + i);
            if first + i < count {
                value = operate(value, next);
            }
        }
        chunks[padded(local)] = value;
    }
}

// Folds a chunk of so many chunks.
fn fold_top(top: u32, count: u32) {
    let first = top * TILE_CHUNK;
    if first < count {
        var value = chunks[padded(first)];
        for (var i = 1u; i < TILE_CHUNK; i++) {
            let next = chunks[padded(first + i)];
            if first + i < count {
                value = operate(value, next);
            }
        }
        tops[top] = value;
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
    bring(level, tile, local);
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
        for (var i = 1u; i < TILE_CHUNK; i++) {
            let next = tops[i];
            if i < chunks_of(all) {
                value = operate(value, next);
            }
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
    for (var i = 1u; i < TILE_CHUNK - 1u; i++) {
        value = operate(value, left_over[i]);
    }
    before[1] = operate(value, left_over[TILE_CHUNK - 1u]);
    for (var i = 0u; i < TILE_CHUNK; i++) {
        value = operate(value, left_over[TILE_CHUNK + i]);
    }
    before[0] = value;
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
    bring(level, tile, local);
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
        var value = tops[0];
        if tile > 0u {
            value = operate(left_over[2u * TILE_CHUNK], value);
        }
        tops[0] = value;
        for (var i = 1u; i < TILE_CHUNK; i++) {
            let next = tops[i];
            if i < chunks_of(all) {
                value = operate(value, next);
            }
            tops[i] = value;
        }
    }
    workgroupBarrier();
    if local < TILE_CHUNK && local * TILE_CHUNK < all {
        let first = local * TILE_CHUNK;
        var value = chunks[padded(first)];
        if local > 0u {
            value = operate(tops[local - 1u], value);
        } else if tile > 0u {
            value = operate(before[1], value);
        }
        chunks[padded(first)] = value;
        for (var i = 1u; i < TILE_CHUNK; i++) {
            let next = chunks[padded(first + i)];
            if first + i < all {
                value = operate(value, next);
            }
            chunks[padded(first + i)] = value;
        }
    }
    workgroupBarrier();
    if local < all {
        let first = local * TILE_CHUNK;
        var value = get_cell(first);
        if local > 0u {
            value = operate(chunks[padded(local - 1u)], value);
        } else if tile > 0u {
            value = operate(before[0], value);
        }
        put_cell(first, value);
        for (var i = 1u; i < TILE_CHUNK; i++) {
            let next = get_cell(first + i);
            if first + i < count {
                value = operate(value, next);
            }
            put_cell(first + i, value);
        }
    }
    workgroupBarrier();
    if !starts {
        return;
    }
    var to = params[launch.first_slot + tile_param()].x;
    if level.number > 0u {
        to = sum_at(level.first);
    }
    to += tile * TILE * value_words();
    for (var i = 0u; i < TILE_CHUNK * value_words(); i++) {
        let word = local + i * TILE_WORKGROUP;
        if word < count * value_words() {
            arena[to + word] = cells[padded(word / value_words()) + word % value_words() * TILE_CELLS];
        }
    }
    if level.number == 0u && tile == 0u && local == 0u {
        atomicAdd(&signal[SIGNAL_STOPPED], launch.vms);
    }
}
