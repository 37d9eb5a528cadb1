//! Makes SPIR-V of WGSL that promises exact floats: naga writes it, then the words are patched with what naga cannot say, the
//! float-controls execution modes, `NoContraction` on every result of float arithmetic, and conversions to integers without a clamp.

use std::borrow::Cow;

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};

/// The module as SPIR-V words with exact floats. It is `checked` where nothing else keeps accesses in bounds and loops from
/// running for ever.
///
/// # Errors
///
/// What naga says if it cannot write the module.
pub fn exact(module: &naga::Module, info: &naga::valid::ModuleInfo, checked: bool) -> Result<Vec<u32>, String> {
    let policy = if checked {
        BoundsCheckPolicy::Restrict
    } else {
        BoundsCheckPolicy::Unchecked
    };
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::empty(),
        // Buffers are checked as wgpu itself would have it: without that a damaged program could reach foreign memory. Arrays of an
        // invocation's own are indexed by five bits of an operand and have 32 places, and every loop has a bound of its own, so
        // neither is checked, which makes the interpreter a quarter faster.
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Unchecked,
            buffer: policy,
            ..BoundsCheckPolicies::default()
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        emit_int_div_checks: checked,
        ..spv::Options::default()
    };
    let words = spv::write_vec(module, info, &options, None).map_err(|error| error.to_string())?;
    patch(&words).ok_or_else(|| "naga's output is not a SPIR-V module".to_string())
}

const CAPABILITY: u16 = 17;
const EXTENSION: u16 = 10;
const ENTRY_POINT: u16 = 15;
const EXECUTION_MODE: u16 = 16;
const DECORATE: u16 = 71;
const NO_CONTRACTION: u32 = 42;
/// First words of an extended instruction with three operands, of conversions, and of a copy.
const EXTENDED: u32 = 8 << 16 | 12;
const CONVERT_TO_UNSIGNED: u32 = 4 << 16 | 109;
const CONVERT_TO_SIGNED: u32 = 4 << 16 | 110;
const COPY: u32 = 4 << 16 | 83;
/// The extended instruction that clamps floats.
const F_CLAMP: u32 = 43;
/// Instructions that may only stand before the annotations: from `OpSourceContinued` to `OpString`, `OpExtension` to
/// `OpCapability`, and `OpModuleProcessed`.
const BEFORE_ANNOTATIONS: [std::ops::RangeInclusive<u16>; 3] = [2..=7, 10..=17, 330..=331];
/// Capability and execution mode of each promise: denormals kept, signed zeros, infinities and NaNs kept, rounding to nearest even.
const PROMISES: [(u32, u32); 3] = [(4464, 4459), (4466, 4461), (4467, 4462)];

/// Whether the opcode is float arithmetic whose result may be contracted (negate, add, subtract, multiply, divide, remainders, and the
/// products of vectors and matrices) or a comparison of floats. Mesa takes `!(a < b)` for `a >= b`, NaN or not, unless the comparison
/// is decorated too.
fn contractible(opcode: u16) -> bool {
    matches!(opcode, 127 | 129 | 131 | 133 | 136 | 140 | 141 | 142..=148 | 180..=191)
}

/// What stands for an instruction: naga clamps what it converts to integers, which the forms of conversions do themselves where a device
/// does not, so the clamp becomes a copy.
fn unclamped<'a>(instruction: &'a [u32], next: Option<&&[u32]>) -> Cow<'a, [u32]> {
    match (instruction, next) {
        (
            &[EXTENDED, ty, clamped, _, F_CLAMP, value, _, _],
            Some(&&[CONVERT_TO_UNSIGNED | CONVERT_TO_SIGNED, _, _, of]),
        ) if of == clamped => Cow::Owned(vec![COPY, ty, clamped, value]),
        _ => Cow::Borrowed(instruction),
    }
}

/// Adds the promises to a module. `None` if the words are not a module.
fn patch(words: &[u32]) -> Option<Vec<u32>> {
    let (header, body) = words.split_at_checked(5)?;
    let mut instructions = Vec::new();
    let mut rest = body;
    while let Some(&first) = rest.first() {
        let (instruction, after) = rest.split_at_checked((first >> 16) as usize)?;
        instruction.first()?;
        instructions.push(instruction);
        rest = after;
    }
    let opcode = |instruction: &[u32]| instruction[0] as u16;
    let entries = instructions
        .iter()
        .filter(|i| opcode(i) == ENTRY_POINT)
        .filter_map(|i| i.get(2));
    let results = instructions
        .iter()
        .filter(|i| contractible(opcode(i)))
        .filter_map(|i| i.get(2));

    let mut capabilities = Vec::new();
    let mut modes = Vec::new();
    for (capability, mode) in PROMISES {
        capabilities.extend([2 << 16 | u32::from(CAPABILITY), capability]);
        for &entry in entries.clone() {
            modes.extend([4 << 16 | u32::from(EXECUTION_MODE), entry, mode, 32]);
        }
    }
    let decorations: Vec<u32> = results
        .flat_map(|&id| [3 << 16 | u32::from(DECORATE), id, NO_CONTRACTION])
        .collect();
    let extension = string_instruction(EXTENSION, "SPV_KHR_float_controls");

    let mut patched = header.to_vec();
    patched.extend(&capabilities);
    let mut pending = [(CAPABILITY, Some(extension)), (EXECUTION_MODE, Some(modes))];
    let mut decorations = Some(decorations);
    for (at, instruction) in instructions.iter().enumerate() {
        let opcode = opcode(instruction);
        // Each addition goes in front of the first instruction that must come after it.
        if opcode != CAPABILITY {
            patched.extend(pending[0].1.take().unwrap_or_default());
        }
        if !(10..=15).contains(&opcode) && opcode != CAPABILITY {
            patched.extend(pending[1].1.take().unwrap_or_default());
        }
        if !BEFORE_ANNOTATIONS.iter().any(|range| range.contains(&opcode)) {
            patched.extend(decorations.take().unwrap_or_default());
        }
        patched.extend(&*unclamped(instruction, instructions.get(at + 1)));
    }
    Some(patched)
}

/// An instruction whose one operand is a text.
fn string_instruction(opcode: u16, text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(text.len() / 4 * 4 + 4, 0);
    let mut words = vec![((bytes.len() / 4 + 1) as u32) << 16 | u32::from(opcode)];
    words.extend(
        bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
    );
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::floats::FloatOps;
    use crate::kernel::parse;
    use crate::source::EntryPoint;

    #[test]
    fn float_results_are_decorated_and_promises_made() {
        let (module, info) = parse(&EntryPoint::Probe.source(FloatOps::default().relaxed())).unwrap();
        let words = exact(&module, &info, true).unwrap();
        let mut rest = &words[5..];
        let (mut decorated, mut arithmetic, mut modes) = (0, 0, 0);
        while let Some(&first) = rest.first() {
            let (instruction, after) = rest.split_at((first >> 16) as usize);
            decorated += u32::from(first as u16 == DECORATE && instruction[2] == NO_CONTRACTION);
            arithmetic += u32::from(contractible(first as u16));
            modes += u32::from(first as u16 == EXECUTION_MODE && instruction[2] >= 4459);
            rest = after;
        }
        assert_eq!(decorated, arithmetic);
        assert!(arithmetic >= 4);
        assert_eq!(modes, 3);
    }

    #[test]
    fn conversions_to_integers_are_not_clamped() {
        let source = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
            @compute @workgroup_size(1) fn main() { x[0] = f32(i32(clamp(x[1], x[2], x[3]))) + f32(u32(x[4])); }";
        let (module, info) = parse(source).unwrap();
        let words = exact(&module, &info, true).unwrap();
        let mut rest = &words[5..];
        let (mut clamps, mut copies, mut conversions) = (0, 0, 0);
        while let Some(&first) = rest.first() {
            let (instruction, after) = rest.split_at((first >> 16) as usize);
            clamps += u32::from(first == EXTENDED && instruction[4] == F_CLAMP);
            copies += u32::from(first == COPY);
            conversions += u32::from(matches!(first, CONVERT_TO_SIGNED | CONVERT_TO_UNSIGNED));
            rest = after;
        }
        assert_eq!((clamps, copies, conversions), (1, 2, 2), "only the written clamp stays");
    }

    #[test]
    fn damaged_words_are_refused() {
        assert_eq!(patch(&[1, 2]), None);
        assert_eq!(patch(&[1, 2, 3, 4, 5, 0]), None);
        assert_eq!(patch(&[1, 2, 3, 4, 5, 9 << 16]), None);
    }
}
