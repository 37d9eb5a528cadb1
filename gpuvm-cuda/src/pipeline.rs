//! Compute pipelines: kernels that are translated to PTX, compiled by the driver and loaded, in the forms in which they are dispatched.

use std::sync::{Arc, Mutex, PoisonError};

use gpuvm_ptx::{Grid, Kernel, Own, Parameter};
use wgpu::BufferBindingType;
use wgpu::custom::{ComputePipelineInterface, DispatchBindGroupLayout};

use crate::bind::{CudaLayout, CudaPipelineLayout, Entry, Layout};
use crate::cubins::{Cubins, CudaCache};
use crate::driver::{self, Driver, Function, Kind};
use crate::sending::Failure;
use crate::shader::{CudaShader, Shader};
use crate::shared::Shared;

/// A handle to a pipeline; none if it was refused.
#[derive(Clone, Debug)]
pub struct CudaPipeline(pub Option<Arc<Pipeline>>);

/// A kernel, compiled in the forms that are used.
#[derive(Debug)]
pub struct Pipeline {
    shared: Arc<Shared>,
    /// Its name, for errors.
    pub label: String,
    /// A module with its entry point only.
    shader: Arc<Shader>,
    /// The layouts of its bind groups.
    pub layouts: Arc<[Option<Arc<Layout>>]>,
    cubins: Option<Arc<Cubins>>,
    /// The form that it was made in.
    grid: Grid,
    /// Its forms, by [`Grid`]: those for buffers of less than [`NEAR`](gpuvm_ptx::NEAR) bytes, and those for others.
    forms: [[Mutex<Option<Arc<Form>>>; 3]; 2],
}

/// A kernel that is loaded.
#[derive(Debug)]
pub struct Form {
    driver: Arc<dyn Driver>,
    /// Its name, for errors.
    pub label: String,
    /// The kernel.
    pub function: Function,
    /// The threads of a block, and how many more it has behind these in the first dimension, which look for requests.
    pub threads: [u32; 3],
    pub lookout: u32,
    /// What its parameters are, and where they are among their values.
    pub parameters: Vec<(Given, usize)>,
    /// Where the driver finds the parameters among their values.
    pub offsets: Vec<u32>,
    /// Bytes of the values.
    pub bytes: usize,
    /// How many blocks are on the GPU at a time, for a kernel that is sized there.
    pub resident: u32,
}

/// What a kernel is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Address and length of the buffer in that slot of that group, which has at least so many bytes.
    Buffer {
        group: usize,
        slot: usize,
        writable: bool,
        least: u64,
    },
    /// So many bytes of the buffer in that slot of that group.
    Uniform { group: usize, slot: usize, bytes: u64 },
    /// The address of the uniform in that slot of that group, which has at least so many bytes.
    Place { group: usize, slot: usize, least: u64 },
    /// The address of what sizes it.
    Size,
    /// The address of its mailbox.
    Mailbox,
}

impl Pipeline {
    /// Translates, compiles and loads a kernel in the form that is asked for.
    ///
    /// # Errors
    ///
    /// Why it was refused; nothing if that was told already.
    pub fn new(
        shared: &Arc<Shared>,
        descriptor: &wgpu::ComputePipelineDescriptor<'_>,
        grid: Grid,
    ) -> Result<Pipeline, Option<Failure>> {
        let invalid = |text: String| Some(Failure::Invalid(text));
        let foreign = || invalid("something of another device is used".to_string());
        let shader = descriptor.module.as_custom::<CudaShader>().ok_or_else(foreign)?;
        let shader = shader.0.as_ref().map_err(|_| None)?;
        if !descriptor.compilation_options.constants.is_empty() {
            return Err(invalid("pipelines have no constants here".to_string()));
        }
        let given = match descriptor.layout {
            Some(layout) => {
                let layout = layout.as_custom::<CudaPipelineLayout>().ok_or_else(foreign)?;
                Some(layout.0.clone().ok_or(None)?)
            }
            None => None,
        };
        let cubins = descriptor.cache.and_then(|cache| cache.as_custom::<CudaCache>());
        let shader = shader.with(descriptor.entry_point).map_err(invalid)?;
        let kernel = shader.translate(grid, false).map_err(invalid)?;
        let layouts = match given {
            Some(layouts) => layouts,
            None => layouts_of(&kernel.parameters),
        };
        let label = descriptor.label.unwrap_or(&kernel.entry).to_string();
        let threads = kernel
            .workgroup
            .iter()
            .try_fold(1_u32, |all, &part| all.checked_mul(part));
        if threads.is_none_or(|threads| threads > shared.limits.max_compute_invocations_per_workgroup) {
            return Err(invalid(format!("workgroups of {:?} are too large", kernel.workgroup)));
        }
        let pipeline = Pipeline {
            shared: shared.clone(),
            label,
            shader,
            layouts,
            cubins: cubins.and_then(|cubins| cubins.0.clone()),
            grid,
            forms: Default::default(),
        };
        let form = pipeline.compile(kernel, grid)?;
        *pipeline
            .slot(grid, false)
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(form));
        Ok(pipeline)
    }

    /// The device.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The kernel in a form, compiled when it is first asked for: one for buffers of any size, or of less than [`NEAR`](gpuvm_ptx::NEAR) bytes.
    ///
    /// # Errors
    ///
    /// Why it was refused.
    pub fn form(&self, grid: Grid, far: bool) -> Result<Arc<Form>, Failure> {
        let mut form = self.slot(grid, far).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(form) = &*form {
            return Ok(form.clone());
        }
        let kernel = self.shader.translate(grid, far).map_err(Failure::Invalid)?;
        Ok(form.insert(Arc::new(self.compile(kernel, grid)?)).clone())
    }

    /// The kernel that stays, and what its workgroup has in its own memory.
    ///
    /// # Errors
    ///
    /// Why it was refused.
    pub fn resident(&self, far: bool) -> Result<(Arc<Form>, Own), Failure> {
        let own = match self.grid {
            Grid::Resident(own) => own,
            _ => Own::default(),
        };
        Ok((self.form(Grid::Resident(own), far)?, own))
    }

    fn slot(&self, grid: Grid, far: bool) -> &Mutex<Option<Arc<Form>>> {
        let forms = &self.forms[usize::from(far)];
        match grid {
            Grid::Launched => &forms[0],
            Grid::Indirect => &forms[1],
            Grid::Resident(_) => &forms[2],
        }
    }

    fn compile(&self, kernel: Kernel, grid: Grid) -> Result<Form, Failure> {
        let wrong = |text: String| Failure::Invalid(format!("`{}`: {text}", self.label));
        let (mut parameters, mut offsets, mut bytes) = (Vec::new(), Vec::new(), 0_usize);
        for parameter in &kernel.parameters {
            let given = self.given(parameter, grid).map_err(wrong)?;
            bytes = bytes.next_multiple_of(16);
            offsets.push(bytes as u32);
            parameters.push((given, bytes));
            bytes += match given {
                Given::Buffer { .. } => {
                    // Address and length are two parameters.
                    offsets.push(bytes as u32 + 8);
                    16
                }
                Given::Uniform { bytes, .. } => bytes as usize,
                Given::Place { .. } | Given::Size | Given::Mailbox => 8,
            };
        }
        let function = self.load(&kernel)?;
        // From here on it is unloaded by being dropped.
        let mut form = Form {
            driver: self.shared.driver.clone(),
            label: self.label.clone(),
            function,
            threads: kernel.workgroup,
            lookout: kernel.lookout,
            parameters,
            offsets,
            bytes,
            resident: 0,
        };
        if grid == Grid::Indirect {
            let _entered = self.shared.driver.enter()?;
            let threads = kernel.workgroup.iter().product();
            form.resident = self.shared.driver.resident_blocks(function, threads)?.max(1);
        }
        Ok(form)
    }

    /// The kernel as the driver compiles it, or as it was kept.
    fn load(&self, kernel: &Kernel) -> Result<Function, Failure> {
        let driver = &self.shared.driver;
        let refused = |error: driver::Error| match error.kind {
            Kind::Refused => Failure::Invalid(format!("`{}`: {error}", self.label)),
            _ => Failure::Driver(error),
        };
        let kept = self.cubins.as_ref().and_then(|cubins| cubins.get(&kernel.text));
        let _entered = driver.enter()?;
        if let Some(cubin) = kept {
            match driver.load(&cubin, &kernel.entry) {
                Err(error) if error.kind == Kind::Refused => tracing::debug!("a kept kernel is not used: {error}"),
                loaded => return loaded.map_err(refused),
            }
        }
        let cubin = driver.compile(&kernel.text).map_err(refused)?;
        let function = driver.load(&cubin, &kernel.entry).map_err(refused)?;
        if let Some(cubins) = &self.cubins {
            cubins.keep(&kernel.text, cubin);
        }
        Ok(function)
    }

    /// Where a parameter comes from.
    fn given(&self, parameter: &Parameter, grid: Grid) -> Result<Given, String> {
        let slot = |group: u32, binding: u32| {
            let layout = self.layouts.get(group as usize).and_then(Option::as_ref);
            let place = layout.and_then(|layout| Some((layout.place(binding)?, layout)));
            let (slot, layout) = place.ok_or_else(|| format!("the layout lacks binding {binding} of group {group}"))?;
            Ok::<_, String>((slot, layout.entries[slot].ty))
        };
        match *parameter {
            Parameter::Buffer {
                group,
                binding,
                writable,
            } => match slot(group, binding)? {
                (slot, BufferBindingType::Storage { read_only }) if !(writable && read_only) => Ok(Given::Buffer {
                    group: group as usize,
                    slot,
                    writable,
                    least: self.shader.least(group, binding),
                }),
                (_, ty) => Err(format!("binding {binding} of group {group} is {ty:?} in the layout")),
            },
            Parameter::Uniform { group, binding, size } => match slot(group, binding)? {
                (slot, BufferBindingType::Uniform) if grid.is_resident() => Ok(Given::Place {
                    group: group as usize,
                    slot,
                    least: size.into(),
                }),
                (slot, BufferBindingType::Uniform) => Ok(Given::Uniform {
                    group: group as usize,
                    slot,
                    bytes: size.into(),
                }),
                (_, ty) => Err(format!("binding {binding} of group {group} is {ty:?} in the layout")),
            },
            Parameter::Grid => Ok(Given::Size),
            Parameter::Mailbox => Ok(Given::Mailbox),
        }
    }
}

/// The layouts that a kernel's parameters ask for.
fn layouts_of(parameters: &[Parameter]) -> Arc<[Option<Arc<Layout>>]> {
    let mut groups: Vec<Vec<Entry>> = Vec::new();
    for parameter in parameters {
        let (group, binding, ty) = match *parameter {
            Parameter::Buffer {
                group,
                binding,
                writable,
            } => (group, binding, BufferBindingType::Storage { read_only: !writable }),
            Parameter::Uniform { group, binding, .. } => (group, binding, BufferBindingType::Uniform),
            Parameter::Grid | Parameter::Mailbox => continue,
        };
        let group = group as usize;
        groups.resize_with(groups.len().max(group + 1), Vec::new);
        groups[group].push(Entry {
            binding,
            ty,
            dynamic: false,
        });
    }
    let layout = |mut entries: Vec<Entry>| {
        entries.sort_by_key(|entry| entry.binding);
        Some(Arc::new(Layout { entries }))
    };
    groups.into_iter().map(layout).collect()
}

impl Form {
    /// A kernel of a text of our own whose only parameters are addresses.
    ///
    /// # Errors
    ///
    /// When the driver refuses.
    pub fn of_text(
        driver: &Arc<dyn Driver>,
        text: &str,
        entry: &str,
        threads: [u32; 3],
        offsets: Vec<u32>,
    ) -> driver::Result<Form> {
        let _entered = driver.enter()?;
        let cubin = driver.compile(text)?;
        Ok(Form {
            driver: driver.clone(),
            label: entry.to_string(),
            function: driver.load(&cubin, entry)?,
            threads,
            lookout: 0,
            parameters: Vec::new(),
            bytes: 8 * offsets.len(),
            offsets,
            resident: 0,
        })
    }
}

impl Drop for Form {
    fn drop(&mut self) {
        // Whatever runs keeps it.
        if let Ok(_entered) = self.driver.enter() {
            self.driver.unload(self.function);
        }
    }
}

impl ComputePipelineInterface for CudaPipeline {
    fn get_bind_group_layout(&self, index: u32) -> DispatchBindGroupLayout {
        let pipeline = self.0.as_ref();
        let layout = pipeline.and_then(|pipeline| pipeline.layouts.get(index as usize).cloned().flatten());
        DispatchBindGroupLayout::custom(CudaLayout(layout))
    }
}
