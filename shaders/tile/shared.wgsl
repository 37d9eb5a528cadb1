// What kernels of tiles have in common. A tile is a workgroup's elements: as many as there are in a chunk of chunks of chunks. Each invocation
// computes elements that lie apart, so that neighbouring words come from neighbours, and folds a chunk of those that lie together. The host
// puts the program of an element in place of `run`, which leaves its value here, and an operator's in place of `then`.

// The value of an element, what is folded, and what it becomes, each of up to two words.
var<private> made_0: u32;
var<private> made_1: u32;
var<private> left_0: u32;
var<private> left_1: u32;
var<private> right_0: u32;
var<private> right_1: u32;
var<private> folded_0: u32;
var<private> folded_1: u32;

// Words of a value; the host puts the number here.
fn value_words() -> u32 {
    return 1u;
}

// The launch parameter of what comes of the elements; the host puts the number here. Behind it is that of the sums, if there are any.
fn tile_param() -> u32 {
    return 0u;
}

// An element of the job.
fn element(index: u32) -> vec2<u32> {
    vm = index;
    _ = run();
    return vec2(made_0, made_1);
}

fn tiles_of(entries: u32) -> u32 {
    return (entries + (TILE - 1u)) / TILE;
}

