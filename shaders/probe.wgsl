// Known answers: basic float arithmetic on pairs of values, through the same code as the interpreter's. The host compares.

@group(0) @binding(0) var<storage, read> pairs: array<vec2<u32>>;
// Five words a pair: sum, difference, product, quotient, and the bits of the square root of the first.
@group(0) @binding(1) var<storage, read_write> answers: array<u32>;

// What `frem` counts its steps in.
var<private> inner: u32;

@compute @workgroup_size(WORKGROUP)
fn probe(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&pairs) {
        return;
    }
    let pair = pairs[id.x];
    let at = id.x * 5u;
    answers[at] = fadd(pair.x, pair.y);
    answers[at + 1u] = fsub(pair.x, pair.y);
    answers[at + 2u] = fmul(pair.x, pair.y);
    answers[at + 3u] = fdiv(pair.x, pair.y);
    answers[at + 4u] = fsqrt(pair.x);
}
