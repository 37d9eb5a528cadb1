//! Known answers: whether a device's float arithmetic gives Rust's bits is found out by trying, because drivers promise what they
//! do not keep and keep what they do not promise.

use super::gpu::Gpu;
use super::kernel::{Kernel, Path};
use super::memory::{Readback, bind, filled, zeros};
use super::source::Entry;
use crate::error::Result;

/// Values at which arithmetic goes wrong: zeros, denormals, ends of ranges, halves of units, infinities, NaN.
const SPECIAL: [u32; 24] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x0040_0000,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x3380_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3fff_ffff,
    0x4000_0000,
    0x4049_0fdb,
    0x4b7f_ffff,
    0x4f00_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0x7fc0_0000,
];

/// Answers for each pair.
const ANSWERS: usize = 5;

/// Whether the device computes sums, differences, products, quotients and roots as Rust does.
///
/// # Errors
///
/// When the device fails, or refuses the shader.
pub fn is_exact(gpu: &Gpu, path: Path) -> Result<bool> {
    let pairs = pairs();
    let kernel = Kernel::new(gpu, Entry::Probe, path)?;
    let words = (pairs.len() * ANSWERS) as u64;
    let (readback, submission) = gpu.guarded(|device| {
        let asked = filled(gpu, "pairs", bytemuck::cast_slice(&pairs));
        let answers = zeros(device, "answers", words);
        let readback = Readback::new(gpu, words);
        let group = bind(device, &kernel, &[&asked, &answers]);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&kernel.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups((pairs.len() as u32).div_ceil(kernel.workgroup), 1, 1);
        }
        readback.record(&mut encoder, &answers, Some(0..words as usize), 0);
        let submission = gpu.queue.submit([encoder.finish()]);
        (readback, submission)
    })?;
    readback.read(gpu, &submission, |found| {
        pairs.iter().zip(found.chunks_exact(ANSWERS)).all(|(pair, found)| {
            expected(*pair).iter().zip(found).all(|(&expected, &found)| {
                expected == found || f32::from_bits(expected).is_nan() && f32::from_bits(found).is_nan()
            })
        })
    })
}

fn expected(pair: [u32; 2]) -> [u32; ANSWERS] {
    let [a, b] = pair.map(f32::from_bits);
    [a + b, a - b, a * b, a / b, a.sqrt()].map(f32::to_bits)
}

/// Every special value with every other, and as many of no special kind from a xorshift generator.
fn pairs() -> Vec<[u32; 2]> {
    let mut pairs: Vec<_> = SPECIAL.iter().flat_map(|&a| SPECIAL.map(|b| [a, b])).collect();
    let mut state = 0x9e37_79b9_u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    for _ in 0..pairs.len() {
        let a = random();
        // Every other pair has exponents close to each other, so that sums cancel and quotients round.
        let b = if a & 1 == 0 {
            random()
        } else {
            random() & 0x00ff_ffff ^ a & 0xff80_0000
        };
        pairs.push([a, b]);
    }
    pairs
}
