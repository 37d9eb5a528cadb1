//! The translation against a reference executor of PTX: shaders of WGSL are translated and run on the CPU, and what they leave is compared
//! with what Rust computes.

mod accuracy;
mod arithmetic;
mod assembler;
mod atomics;
mod bits;
mod control;
mod conversions;
mod executor;
mod grids;
mod memory;
mod refusals;
mod resident;
mod variables;

use executor::{Given, Memory};
use gpuvm_ptx::{Floats, Grid, Kernel, Options, Parameter, ptxas, translate};
use naga::valid::{Capabilities, ValidationFlags, Validator};

const EXACT: Options = Options {
    floats: Floats::Exact,
    grid: Grid::Launched,
    checked: true,
    far: true,
    dependent_launch: false,
};
const UNCHECKED: Options = Options {
    checked: false,
    ..EXACT
};
/// What is loaded unchecked from buffers that are not far.
const NEAR: Options = Options {
    checked: false,
    far: false,
    ..EXACT
};
const RELAXED: Options = Options {
    floats: Floats::Relaxed,
    ..EXACT
};

/// Values at which integers and floats change their ways.
const EDGES: [u32; 28] = [
    0,
    1,
    2,
    7,
    31,
    32,
    33,
    63,
    0xff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0x0080_0000,
    0x007f_ffff,
    0x3f00_0000,
    0xbf00_0000,
    0x3f80_0000,
    0xbfc0_0000,
    0x4b7f_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7fc0_0001,
];

/// Reads, validates and translates WGSL.
fn translated(source: &str, options: &Options) -> Result<Kernel, gpuvm_ptx::Error> {
    let module =
        naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    let capabilities = Capabilities::default()
        | Capabilities::FLOAT64
        | Capabilities::SHADER_INT64
        | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS
        | Capabilities::SHADER_FLOAT32_ATOMIC;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    translate(&module, &info, options)
}

/// The same for what has to be translated. The text is assembled as well, where there is an assembler.
fn assembled(source: &str, options: &Options) -> Kernel {
    let kernel = translated(source, options).unwrap_or_else(|error| panic!("{error}"));
    if let Some(assembler) = ptxas::for_tests() {
        let said = ptxas::assemble(assembler, &kernel.text, "sm_90");
        said.unwrap_or_else(|said| panic!("{said}\n{}", kernel.text));
    }
    kernel
}

/// What a kernel is run with.
struct Run<'a> {
    options: Options,
    grid: [u32; 3],
    /// Storage buffers by binding, all of group 0.
    buffers: &'a [&'a [u32]],
    /// The bytes of the one uniform.
    uniform: &'a [u32],
    /// The words of an indirect grid.
    sizes: [u32; 3],
}

impl Default for Run<'_> {
    fn default() -> Self {
        Run {
            options: EXACT,
            grid: [1, 1, 1],
            buffers: &[],
            uniform: &[],
            sizes: [0; 3],
        }
    }
}

impl Run<'_> {
    /// Runs WGSL, and gives the buffers as it leaves them.
    fn source(&self, source: &str) -> Vec<Vec<u32>> {
        let kernel = assembled(source, &self.options);
        let mut memory = Memory::default();
        let addresses: Vec<u64> = self.buffers.iter().map(|words| memory.add(words)).collect();
        let sizes = memory.add(&self.sizes);
        let mut given = Vec::new();
        for parameter in &kernel.parameters {
            match *parameter {
                Parameter::Buffer { binding, .. } => {
                    let number = binding as usize;
                    given.push(Given::Long(addresses[number]));
                    given.push(Given::Long(self.buffers[number].len() as u64 * 4));
                }
                Parameter::Uniform { size, .. } => {
                    let mut bytes: Vec<u8> = self.uniform.iter().flat_map(|word| word.to_le_bytes()).collect();
                    bytes.resize(size as usize, 0);
                    given.push(Given::Bytes(bytes));
                }
                Parameter::Grid => given.push(Given::Long(sizes)),
                Parameter::Mailbox => panic!("a mailbox where nothing stays"),
            }
        }
        executor::run(&kernel.text, kernel.workgroup, self.grid, &given, &mut memory);
        addresses.into_iter().map(|address| memory.words(address)).collect()
    }
}

/// Runs an expression of `x` and `y`, both words, for pairs of inputs. `body` has to end with the name of what is stored as a word.
fn each_pair(options: Options, declarations: &str, body: &str, inputs: &[[u32; 2]]) -> Vec<u32> {
    let source = format!(
        "@group(0) @binding(0) var<storage, read> inputs: array<vec2<u32>>;
        @group(0) @binding(1) var<storage, read_write> outputs: array<u32>;
        {declarations}
        fn result(x: u32, y: u32) -> u32 {{ {body} }}
        @compute @workgroup_size(32)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            if id.x < arrayLength(&outputs) {{
                outputs[id.x] = result(inputs[id.x].x, inputs[id.x].y);
            }}
        }}"
    );
    let run = Run {
        options,
        grid: [(inputs.len() as u32).div_ceil(32), 1, 1],
        buffers: &[inputs.as_flattened(), &vec![0; inputs.len()]],
        ..Run::default()
    };
    run.source(&source).swap_remove(1)
}

/// Every edge value with every other.
fn edges() -> Vec<[u32; 2]> {
    EDGES.iter().flat_map(|&x| EDGES.map(|y| [x, y])).collect()
}

/// Runs an expression on all pairs of edge values, and compares; NaNs are one value if the result is a float.
fn check_edges(body: &str, is_float: bool, expected: impl Fn(u32, u32) -> u32) {
    check_pairs(EXACT, body, &edges(), is_float, expected);
}

fn check_pairs(options: Options, body: &str, inputs: &[[u32; 2]], is_float: bool, expected: impl Fn(u32, u32) -> u32) {
    let found = each_pair(options, "", body, inputs);
    for (&[x, y], found) in inputs.iter().zip(found) {
        let expected = expected(x, y);
        let nans = is_float && f32::from_bits(found).is_nan() && f32::from_bits(expected).is_nan();
        assert!(
            found == expected || nans,
            "`{body}` of {x:#x} and {y:#x} is {found:#x} and not {expected:#x}"
        );
    }
}
