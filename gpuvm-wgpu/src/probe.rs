//! Known answers: which of a device's own forms of arithmetic give Rust's bits is found out by trying, because drivers promise what they
//! do not keep and keep what they do not promise.

use gpuvm_engine::Result;

use super::floats::FloatOps;
use super::gpu::Gpu;
use super::kernel::Kernel;
use super::memory::{Readback, bind, filled, zeros};
use super::pipeline::Path;
use super::source::EntryPoint;

/// Values at which arithmetic goes wrong: zeros, denormals, ends of ranges, halves of units, infinities, NaN, integers of 25 bits.
const SPECIAL: [u32; 30] = [
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
    0x0100_0001,
    0x0100_0003,
    0x3380_0000,
    0x3eff_ffff,
    0x3f00_0000,
    0xbf00_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3fff_ffff,
    0x4020_0000,
    0x4049_0fdb,
    0x4b7f_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0x7fc0_0000,
];

/// Inputs in all.
const INPUTS: usize = 8192;
/// Fractions at the ends of a binade, where estimates and their corrections cross into the next one.
const ENDS: [u32; 4] = [0, 1, 0x7f_fffe, 0x7f_ffff];

/// The forms, of those that the device's features allow, whose answers were right for every input.
///
/// # Errors
///
/// When the device fails, or refuses the shader.
pub fn probe(gpu: &Gpu, path: Path) -> Result<FloatOps> {
    let right = ask(gpu, path, FloatOps::of_features(gpu.device.features()), &inputs(INPUTS))?;
    if !(right.arithmetic() && right.estimated()) {
        return Ok(right);
    }
    let wrong = wrong_roots(gpu, path, right).unwrap_or([true; 2]);
    Ok(right.without_roots(wrong))
}

/// Whether the forms of roots from the device's estimate are wrong anywhere. How good an estimate is differs from device to device, and one
/// number in millions may tell: so all are tried but those that differ from these by an even power of two.
fn wrong_roots(gpu: &Gpu, path: Path, floats: FloatOps) -> Result<[bool; 2]> {
    let kernel = Kernel::new(gpu, EntryPoint::Roots, floats, path)?;
    let rows = 64;
    let groups = (1 << 24) / rows / kernel.workgroup;
    let (readback, submission) = gpu.guarded(|device| {
        let wrong = zeros(device, "wrong", 2);
        let readback = Readback::new(gpu, 2);
        let group = bind(device, &kernel, &[&wrong]);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&kernel.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(groups, rows, 1);
        }
        readback.record(&mut encoder, &wrong, Some(0..2), 0);
        let submission = gpu.queue.submit([encoder.finish()]);
        (readback, submission)
    })?;
    readback.read(gpu, &submission, |wrong| [0, 1].map(|form| wrong[form] != 0))
}

/// Those of the forms whose answers are right for all of the inputs.
fn ask(gpu: &Gpu, path: Path, asked: FloatOps, inputs: &[[u32; 4]]) -> Result<FloatOps> {
    let kernel = Kernel::new(gpu, EntryPoint::Probe, asked, path)?;
    let words = (inputs.len() * asked.count() * 2) as u64;
    let (readback, submission) = gpu.guarded(|device| {
        let questions = filled(gpu, "questions", inputs.as_flattened());
        let answers = zeros(device, "answers", words);
        let readback = Readback::new(gpu, words);
        let group = bind(device, &kernel, &[&questions, &answers]);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&kernel.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups((inputs.len() as u32).div_ceil(kernel.workgroup), 1, 1);
        }
        readback.record(&mut encoder, &answers, Some(0..words as usize), 0);
        let submission = gpu.queue.submit([encoder.finish()]);
        (readback, submission)
    })?;
    readback.read(gpu, &submission, |found| {
        let answers = found.as_chunks::<2>().0.chunks_exact(asked.count());
        let each = inputs.iter().zip(answers);
        each.fold(asked, |right, (&input, answers)| {
            right.and(asked.checked(input, answers))
        })
    })
}

/// So many inputs: every special value with every other, the ends of every binade, then others from a xorshift generator.
pub fn inputs(count: usize) -> Vec<[u32; 4]> {
    let mut state = 0x9e37_79b9_u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let special = |at: u32| SPECIAL[at as usize % SPECIAL.len()];
    let crossed = SPECIAL.iter().flat_map(|&a| SPECIAL.map(|b| (a, b)));
    let mut inputs: Vec<_> = crossed
        .map(|(a, b)| [a, b, special(random() >> 8), special(random() >> 8)])
        .collect();
    for high in 0..0x200_u32 {
        for fraction in ENDS {
            let a = high << 23 | fraction;
            // A product about the smallest normal number, and something to add of its size.
            let b = (129 + random() % 4).wrapping_sub(high & 0xff).min(254) << 23 | random() >> 9;
            inputs.push([a, b, random() & 0x80ff_ffff, random()]);
        }
    }
    while inputs.len() < count {
        let mut a = random();
        let b = match a % 8 {
            // Exponents close to each other, so that sums cancel and quotients round.
            0 | 1 => random() & 0x00ff_ffff ^ a & 0xff80_0000,
            2 => a ^ random() & 0xff,
            _ => random(),
        };
        // Half way between two numbers: what an estimate has to be lucky to round rightly.
        let half = f64::from(random() >> 7 | 0x0100_0001);
        let scale = f64::from(1u32 << (random() >> 27)) / 65536.0;
        match a % 8 {
            3 => a = ((half * half * scale * scale) as f32).to_bits(),
            4 => a = ((half * scale * f64::from(f32::from_bits(b))) as f32).to_bits(),
            _ => {}
        }
        let product = f32::from_bits(a) * f32::from_bits(b);
        let c = match b % 4 {
            0 => random(),
            1 => special(random() >> 8),
            // What is left of a product is its own rounding error, or little more.
            2 => (-product).to_bits(),
            _ => (-product).to_bits() ^ random() & 0xff,
        };
        // A short number in every other pair, for quotients of more than one digit.
        let d = random() >> (a >> 16 & 31);
        inputs.push([a, b, c, d]);
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::adapter;

    #[test]
    fn forms_in_words_are_right() {
        let gpu = Gpu::open(adapter(), 0).unwrap();
        let asked = FloatOps::words();
        let right = ask(&gpu, Path::Plain, asked, &inputs(60_000)).unwrap();
        assert_eq!(right.to_string(), asked.to_string());
    }

    #[test]
    fn forms_by_a_fused_multiply_add_are_right_where_it_is() {
        let gpu = Gpu::open(adapter(), 0).unwrap();
        if let Some(asked) = gpu.floats.by_fused() {
            let right = ask(&gpu, gpu.path, asked, &inputs(60_000)).unwrap();
            assert_eq!(right.to_string(), asked.to_string());
        }
    }
}
