// Known answers: every form of arithmetic that the device may have as its own, on inputs of four words. The host compares, and writes
// the function `ask`.

@group(0) @binding(0) var<storage, read> questions: array<vec4<u32>>;
// For each input in turn, the answer of each form: a word and 0, or a pair.
@group(0) @binding(1) var<storage, read_write> answers: array<vec2<u32>>;

// What `frem` counts its steps in.
var<private> inner: u32;

@compute @workgroup_size(WORKGROUP)
fn probe(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = arrayLength(&questions);
    if id.x < count {
        ask(questions[id.x], id.x * FORMS);
    }
}
