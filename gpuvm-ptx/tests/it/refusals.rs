//! What is not translated is refused by name, and parameters are told as they are.

use super::*;
use gpuvm_ptx::Error;

fn refusal(source: &str) -> String {
    translated(source, &EXACT).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_is_named() {
    let texture = "@group(0) @binding(0) var image: texture_2d<f32>;
        @group(0) @binding(1) var<storage, read_write> o: array<vec4<f32>>;
        @compute @workgroup_size(1) fn main() { o[0] = textureLoad(image, vec2(0, 0), 0); }";
    assert_eq!(
        refusal(texture),
        "the variable `image`, which is a texture, cannot be translated to PTX"
    );
    let matrix = "@group(0) @binding(1) var<storage, read_write> o: array<vec2<f32>>;
        @compute @workgroup_size(1) fn main() { o[0] = mat2x2(o[1], o[2]) * o[3]; }";
    assert_eq!(refusal(matrix), "a matrix of 2 by 2 cannot be translated to PTX");
    let packed = "@group(0) @binding(1) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() { o[0] = pack4x8unorm(vec4(0.5)); }";
    assert!(refusal(packed).contains("Pack4x8unorm"), "{}", refusal(packed));
}

#[test]
fn there_is_one_entry_point_for_compute() {
    assert_eq!(translated("fn f() {}", &EXACT), Err(Error::EntryPoints(0)));
    let fragment = "@fragment fn main() {}";
    assert_eq!(translated(fragment, &EXACT), Err(Error::Stage("main".into())));
    let two = "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(1) fn b() {}";
    assert_eq!(translated(two, &EXACT), Err(Error::EntryPoints(2)));
}

#[test]
fn uniforms_that_are_too_large_are_refused() {
    let source = "@group(0) @binding(0) var<uniform> u: array<vec4<u32>, 400>;
        @group(0) @binding(1) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() { o[0] = u[o[1]].x; }";
    assert!(matches!(translated(source, &EXACT), Err(Error::Parameters(6416, _))));
}

#[test]
fn parameters_are_those_that_are_used() {
    let source = "@group(0) @binding(4) var<storage, read> a: array<u32>;
        @group(0) @binding(5) var<storage, read> unused: array<u32>;
        @group(1) @binding(0) var<uniform> u: vec2<u32>;
        @group(1) @binding(1) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(3, 2) fn main() { b[0] = a[0] + u.y; }";
    let options = Options {
        grid: Grid::Indirect,
        ..EXACT
    };
    let kernel = translated(source, &options).unwrap();
    let expected = [
        Parameter::Buffer {
            group: 0,
            binding: 4,
            writable: false,
        },
        Parameter::Uniform {
            group: 1,
            binding: 0,
            size: 8,
        },
        Parameter::Buffer {
            group: 1,
            binding: 1,
            writable: true,
        },
        Parameter::Grid,
    ];
    assert_eq!(kernel.parameters, expected);
    assert_eq!((kernel.entry.as_str(), kernel.workgroup), ("kernel_main", [3, 2, 1]));
    assert!(kernel.text.contains(".visible .entry kernel_main(") && kernel.text.contains(".maxntid 3, 2, 1"));
}
