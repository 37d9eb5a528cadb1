//! Shader modules: read, validated, and translated to PTX when a pipeline needs them.

use std::pin::Pin;
use std::sync::Arc;

use gpuvm_ptx::{Floats, Grid, Kernel, Options};
use naga::compact::{KeepUnused, compact};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage};
use wgpu::custom::{ShaderCompilationInfoFuture, ShaderModuleInterface};
use wgpu::{CompilationInfo, CompilationMessage, CompilationMessageType, ShaderSource};

/// A handle to a shader module, or why it was refused.
#[derive(Clone, Debug)]
pub struct CudaShader(pub Result<Arc<Shader>, String>);

/// A shader module that naga has validated.
#[derive(Debug)]
pub struct Shader {
    module: Module,
    info: ModuleInfo,
    floats: Floats,
    checked: bool,
    dependent_launch: bool,
}

impl Shader {
    /// Reads and validates a shader module, for a device that launches kernels before those that they depend on have ended, or does not.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn new(
        source: ShaderSource<'_>,
        floats: Floats,
        checked: bool,
        dependent_launch: bool,
    ) -> Result<Shader, String> {
        let (module, text) = match source {
            ShaderSource::Naga(module) => (module.into_owned(), String::new()),
            ShaderSource::Wgsl(text) => {
                let module = naga::front::wgsl::parse_str(&text);
                (module.map_err(|error| error.emit_to_string(&text))?, text.into_owned())
            }
            _ => return Err("a shader is in WGSL, or a module of naga's".to_string()),
        };
        let info = validate(&module, &text)?;
        Ok(Shader {
            module,
            info,
            floats,
            checked,
            dependent_launch,
        })
    }

    /// The module with one entry point.
    ///
    /// # Errors
    ///
    /// If there is no such one, or more than one.
    pub fn with(self: &Arc<Shader>, entry: Option<&str>) -> Result<Arc<Shader>, String> {
        let points = &self.module.entry_points;
        let mut found = points
            .iter()
            .filter(|point| point.stage == ShaderStage::Compute && entry.is_none_or(|entry| entry == point.name));
        let (Some(point), None) = (found.next(), found.next()) else {
            return Err(match entry {
                Some(entry) => format!("the shader has no compute entry point `{entry}`"),
                None => "the shader has not just one compute entry point".to_string(),
            });
        };
        if points.len() == 1 {
            return Ok(self.clone());
        }
        let mut module = self.module.clone();
        module.entry_points.retain(|other| other.name == point.name);
        compact(&mut module, KeepUnused::No);
        Ok(Arc::new(Shader {
            info: validate(&module, "")?,
            module,
            floats: self.floats,
            checked: self.checked,
            dependent_launch: self.dependent_launch,
        }))
    }

    /// The fewest bytes that a binding may have: arrays of any length have one element.
    pub fn least(&self, group: u32, binding: u32) -> u64 {
        let place = Some(naga::ResourceBinding { group, binding });
        let mut variables = self.module.global_variables.iter();
        let variable = variables.find(|(_, variable)| variable.binding == place);
        let size = |ty| self.module.types[ty].inner.size(self.module.to_ctx());
        variable.map_or(0, |(_, variable)| size(variable.ty).into())
    }

    /// The kernel of a module with one entry point.
    ///
    /// # Errors
    ///
    /// What cannot be translated.
    pub fn translate(&self, grid: Grid, far: bool) -> Result<Kernel, String> {
        let options = Options {
            floats: self.floats,
            grid,
            checked: self.checked,
            far,
            dependent_launch: self.dependent_launch,
        };
        gpuvm_ptx::translate(&self.module, &self.info, &options).map_err(|error| error.to_string())
    }
}

fn validate(module: &Module, text: &str) -> Result<ModuleInfo, String> {
    let capabilities = Capabilities::default()
        | Capabilities::FLOAT64
        | Capabilities::SHADER_INT64
        | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.validate(module).map_err(|error| error.emit_to_string(text))
}

impl ShaderModuleInterface for CudaShader {
    fn get_compilation_info(&self) -> Pin<Box<dyn ShaderCompilationInfoFuture>> {
        let message = self.0.as_ref().err().map(|reason| CompilationMessage {
            message: reason.clone(),
            message_type: CompilationMessageType::Error,
            location: None,
        });
        Box::pin(std::future::ready(CompilationInfo {
            messages: message.into_iter().collect(),
        }))
    }
}
