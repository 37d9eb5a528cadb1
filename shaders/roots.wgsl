// Every number of two binades, which stand for all, is put to the forms of square roots that start from the device's estimate.

// For each of the forms whether it was wrong.
@group(0) @binding(0) var<storage, read_write> wrong: array<u32>;

// What `frem` counts its steps in.
var<private> inner: u32;

@compute @workgroup_size(WORKGROUP)
fn try_roots(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let a = 0x3f800000u + id.y * groups.x * WORKGROUP + id.x;
    let root = fsqrt_words(a);
    if fsqrt_estimated(a) != root || fsqrt_estimated_normal(a) != root {
        wrong[0] = 1u;
    }
    let inverse = fdiv(0x3f800000u, root);
    if finverse_sqrt_estimated(a) != inverse || finverse_sqrt_estimated_normal(a) != inverse {
        wrong[1] = 1u;
    }
}
