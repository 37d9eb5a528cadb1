//! A compute kernel: a shader's source made into a pipeline, with its bindings read back from the shader itself.

use gpuvm_core::program::ProgramId;
use gpuvm_engine::{Error, Result};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, StorageAccess, TypeInner};

use super::floats::FloatOps;
use super::gpu::Gpu;
use super::pipeline::{Maker, Path, Shader, Start};
use super::source::EntryPoint;

/// A pipeline and what its shader says about itself.
#[derive(Debug)]
pub struct Kernel {
    /// The pipeline.
    pub pipeline: wgpu::ComputePipeline,
    /// The layouts of its bind groups.
    pub layouts: Vec<wgpu::BindGroupLayout>,
    /// Invocations of a workgroup.
    pub workgroup: u32,
    /// The names of the uniform's fields, each a word, in order.
    pub uniform: Vec<String>,
    /// Whether it has a binding of atomic pairs.
    pub has_pairs: bool,
}

/// What naga is told that a device has. Shaders have 64-bit types and atomics only where theirs does.
pub fn capabilities() -> Capabilities {
    Capabilities::default()
        | Capabilities::FLOAT64
        | Capabilities::SHADER_INT64
        | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS
}

impl Kernel {
    /// Compiles a shader with the given forms of arithmetic.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device refuses it.
    pub fn new(gpu: &Gpu, entry: EntryPoint, floats: FloatOps, path: Path) -> Result<Kernel> {
        let source = entry.source(floats);
        let refused = |reason: String| Error::Device {
            reason: format!("shader `{}`: {reason}", entry.name()),
        };
        let (module, info) = parse(&source).map_err(refused)?;
        let point = module
            .entry_points
            .first()
            .ok_or_else(|| refused("has no entry point".to_string()))?;
        let workgroup = point.workgroup_size[0];
        let groups = bindings(&module);
        let layouts: Vec<_> =
            gpu.guarded(|device| groups.iter().map(|group| layout(device, entry.name(), group)).collect())?;
        let maker = Maker::new(gpu, &layouts, || ProgramId::of(format!("{path:?} {source}").as_bytes()));
        let shader = Shader {
            entry: entry.name(),
            module: &module,
            info: &info,
            checked: true,
            start: match entry.indirect() {
                true => Start::Indirect,
                false => Start::Dispatch,
            },
        };
        let pipeline = maker.pipeline(&shader, path)?;
        maker.keep();
        Ok(Kernel {
            pipeline,
            layouts,
            workgroup,
            uniform: uniform_fields(&module),
            has_pairs: entry.has_pairs(),
        })
    }
}

/// Reads and validates WGSL.
///
/// # Errors
///
/// What naga says, with the place in the source.
pub fn parse(source: &str) -> Result<(Module, ModuleInfo), String> {
    let module = naga::front::wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
    let info = Validator::new(ValidationFlags::all(), capabilities())
        .validate(&module)
        .map_err(|error| error.emit_to_string(source))?;
    Ok((module, info))
}

/// The layout of a bind group.
pub fn layout(device: &wgpu::Device, label: &str, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries,
    })
}

/// The bind groups' layouts as the shader's variables have them.
pub fn bindings(module: &Module) -> Vec<Vec<wgpu::BindGroupLayoutEntry>> {
    let mut groups: Vec<Vec<_>> = Vec::new();
    for (_, variable) in module.global_variables.iter() {
        let ty = match variable.space {
            AddressSpace::Uniform => wgpu::BufferBindingType::Uniform,
            AddressSpace::Storage { access } => wgpu::BufferBindingType::Storage {
                read_only: !access.contains(StorageAccess::STORE),
            },
            _ => continue,
        };
        let Some(place) = variable.binding else {
            continue;
        };
        let group = place.group as usize;
        if groups.len() <= group {
            groups.resize_with(group + 1, Vec::new);
        }
        groups[group].push(wgpu::BindGroupLayoutEntry {
            binding: place.binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                // Dispatches of one submission differ in their uniforms only.
                has_dynamic_offset: ty == wgpu::BufferBindingType::Uniform,
                min_binding_size: None,
            },
            count: None,
        });
    }
    for group in &mut groups {
        group.sort_by_key(|entry| entry.binding);
    }
    groups
}

/// The fields of the struct that is bound as uniform.
pub fn uniform_fields(module: &Module) -> Vec<String> {
    let uniform = module
        .global_variables
        .iter()
        .find(|(_, variable)| variable.space == AddressSpace::Uniform);
    match uniform.map(|(_, variable)| &module.types[variable.ty].inner) {
        Some(TypeInner::Struct { members, .. }) => members
            .iter()
            .map(|member| member.name.clone().unwrap_or_default())
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Uses;
    use crate::source::{SelectKernel, SortKernel};
    use gpuvm_core::isa::Class;

    #[test]
    fn shaders_validate_and_tell_their_bindings() {
        let (none, all) = (FloatOps::default(), FloatOps::of_features(wgpu::Features::all()));
        let mut shaders = vec![
            (EntryPoint::Probe, none.relaxed(), vec![2]),
            (EntryPoint::Probe, all, vec![2]),
            (EntryPoint::Roots, none, vec![1]),
            (EntryPoint::Transpose, none, vec![2]),
            (EntryPoint::Step, none, vec![2]),
            (EntryPoint::Clear, none, vec![2]),
            (EntryPoint::Pick, none, vec![3]),
            (EntryPoint::Select(SelectKernel::Count), none, vec![2]),
            (EntryPoint::Select(SelectKernel::Place), none, vec![4]),
            (EntryPoint::Sort(SortKernel::Count), none, vec![2]),
            (EntryPoint::Sort(SortKernel::Scan), none, vec![2]),
            (EntryPoint::Sort(SortKernel::Add), none, vec![2]),
            (EntryPoint::Sort(SortKernel::Scatter), none, vec![5]),
            (EntryPoint::Prepare, none, vec![8, 4]),
            (EntryPoint::Interpreter(Uses::default()), none.relaxed(), vec![8]),
        ];
        for (uses, floats) in [(Uses::all(), none), (Uses::all(), all), (Uses::default(), none)] {
            shaders.push((EntryPoint::Interpreter(uses), floats, vec![8]));
            shaders.push((EntryPoint::Classify(uses, 32), floats, vec![8, 4]));
            for class in [Class::Linear, Class::Oracle, Class::Branch, Class::Io] {
                shaders.push((EntryPoint::Turn(class, uses, 32), floats, vec![8, 4]));
            }
        }
        // Those that may have operations on atomic pairs have one more binding.
        for (entry, floats, mut storage) in shaders {
            storage[0] += usize::from(entry.has_pairs());
            let (module, _) = parse(&entry.source(floats)).unwrap_or_else(|error| panic!("{error}"));
            let groups = bindings(&module);
            let count = |group: &Vec<_>| group.iter().filter(|entry| is_storage(entry)).count();
            assert_eq!(groups.iter().map(count).collect::<Vec<_>>(), storage, "{entry:?}");
            for group in groups {
                assert!(group.iter().zip(0..).all(|(entry, binding)| entry.binding == binding));
            }
        }
    }

    fn is_storage(entry: &wgpu::BindGroupLayoutEntry) -> bool {
        matches!(
            entry.ty,
            wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { .. },
                ..
            }
        )
    }
}
