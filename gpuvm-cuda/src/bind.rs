//! Layouts of bind groups and pipelines, and bind groups.

use std::sync::Arc;

use gpuvm_ptx::NEAR;
use wgpu::custom::{BindGroupInterface, BindGroupLayoutInterface, PipelineLayoutInterface};
use wgpu::{BindGroupLayoutEntry, BindingResource, BindingType, BufferBindingType, BufferUsages};

use crate::buffer::{Buffer, CudaBuffer};
use crate::shared::Shared;

/// A handle to a layout; none if it was refused.
#[derive(Clone, Debug)]
pub struct CudaLayout(pub Option<Arc<Layout>>);

/// The layout of bind groups: what is bound where, by the bindings' numbers in order.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// The bindings.
    pub entries: Vec<Entry>,
}

/// A binding of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub binding: u32,
    /// What kind of buffer it is.
    pub ty: BufferBindingType,
    /// Whether it is moved when it is set.
    pub dynamic: bool,
}

/// A handle to a pipeline's layout; none if it was refused.
#[derive(Clone, Debug)]
pub struct CudaPipelineLayout(pub Option<Arc<[Option<Arc<Layout>>]>>);

/// A handle to a bind group; none if it was refused.
#[derive(Clone, Debug)]
pub struct CudaGroup(pub Option<Arc<Group>>);

/// Buffers that are bound together.
#[derive(Debug)]
pub struct Group {
    /// Their layout.
    pub layout: Arc<Layout>,
    /// The buffers, in the order of the layout's entries.
    pub slots: Vec<Slot>,
    /// How many of them are moved when they are set.
    pub dynamic: usize,
    /// Whether one of them has [`NEAR`] bytes or more.
    pub far: bool,
}

/// A part of a buffer that is bound.
#[derive(Debug)]
pub struct Slot {
    /// The buffer.
    pub buffer: Arc<Buffer>,
    /// Where the part starts.
    pub at: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Which of the offsets moves it.
    pub moved_by: Option<usize>,
}

impl Layout {
    /// The layout with these bindings.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub fn new(entries: &[BindGroupLayoutEntry]) -> Result<Layout, String> {
        let of = |entry: &BindGroupLayoutEntry| match entry.ty {
            _ if entry.count.is_some() => Err(format!("binding {} is an array", entry.binding)),
            BindingType::Buffer {
                ty, has_dynamic_offset, ..
            } => Ok(Entry {
                binding: entry.binding,
                ty,
                dynamic: has_dynamic_offset,
            }),
            other => Err(format!("binding {} is not a buffer: {other:?}", entry.binding)),
        };
        let mut entries = entries.iter().map(of).collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(|entry| entry.binding);
        match entries.windows(2).find(|pair| pair[0].binding == pair[1].binding) {
            Some(pair) => Err(format!("binding {} is there twice", pair[0].binding)),
            None => Ok(Layout { entries }),
        }
    }

    /// Where in the layout a binding is.
    pub fn place(&self, binding: u32) -> Option<usize> {
        self.entries.binary_search_by_key(&binding, |entry| entry.binding).ok()
    }
}

/// A bind group as it is described.
///
/// # Errors
///
/// What is wrong with it; nothing if that was told already.
pub fn group(shared: &Arc<Shared>, descriptor: &wgpu::BindGroupDescriptor<'_>) -> Result<Group, Option<String>> {
    let layout = descriptor.layout.as_custom::<CudaLayout>();
    let layout = layout.ok_or_else(foreign)?.0.clone().ok_or(None)?;
    if layout.entries.len() != descriptor.entries.len() {
        return Err(Some(format!(
            "{} bindings are given where the layout has {}",
            descriptor.entries.len(),
            layout.entries.len()
        )));
    }
    let mut slots: Vec<Option<Slot>> = layout.entries.iter().map(|_| None).collect();
    for given in descriptor.entries {
        let place = layout.place(given.binding);
        let place = place.ok_or_else(|| Some(format!("the layout has no binding {}", given.binding)))?;
        slots[place] = Some(slot(shared, layout.entries[place], &given.resource)?);
    }
    let mut dynamic = 0;
    for (slot, entry) in slots.iter_mut().flatten().zip(&layout.entries) {
        if entry.dynamic {
            slot.moved_by = Some(dynamic);
            dynamic += 1;
        }
    }
    let slots: Vec<Slot> = slots.into_iter().flatten().collect();
    let far = slots.iter().any(|slot| slot.bytes >= NEAR);
    // As many as the layout has, none of them twice: so there is one for each.
    match slots.len() == layout.entries.len() {
        true => Ok(Group {
            layout,
            slots,
            dynamic,
            far,
        }),
        false => Err(Some("a binding is given twice".to_string())),
    }
}

fn slot(shared: &Arc<Shared>, entry: Entry, resource: &BindingResource<'_>) -> Result<Slot, Option<String>> {
    let number = entry.binding;
    let BindingResource::Buffer(part) = resource else {
        return Err(Some(format!(
            "binding {number} is given something that is not a buffer"
        )));
    };
    let buffer = &part.buffer.as_custom::<CudaBuffer>().ok_or_else(foreign)?.0;
    if !buffer.is_valid() {
        return Err(None);
    }
    if !buffer.is_of(shared) {
        return Err(foreign());
    }
    let usage = match entry.ty {
        BufferBindingType::Uniform => BufferUsages::UNIFORM,
        BufferBindingType::Storage { .. } => BufferUsages::STORAGE,
    };
    if !buffer.usage.contains(usage) {
        return Err(Some(format!("the buffer of binding {number} lacks {usage:?}")));
    }
    let left = buffer.size.checked_sub(part.offset);
    let bytes = part.size.map(u64::from).or(left).unwrap_or_default();
    if bytes == 0 || left.is_none_or(|left| left < bytes) {
        return Err(Some(format!(
            "binding {number} has {bytes} bytes from {} on of a buffer of {}",
            part.offset, buffer.size
        )));
    }
    let alignment = match entry.ty {
        BufferBindingType::Uniform => shared.limits.min_uniform_buffer_offset_alignment,
        BufferBindingType::Storage { .. } => shared.limits.min_storage_buffer_offset_alignment,
    };
    if !part.offset.is_multiple_of(alignment.into()) {
        return Err(Some(format!(
            "binding {number} starts at {}, which is not a multiple of {alignment}",
            part.offset
        )));
    }
    Ok(Slot {
        buffer: buffer.clone(),
        at: part.offset,
        bytes,
        moved_by: None,
    })
}

fn foreign() -> Option<String> {
    Some("something of another device is used".to_string())
}

impl BindGroupLayoutInterface for CudaLayout {}
impl BindGroupInterface for CudaGroup {}
impl PipelineLayoutInterface for CudaPipelineLayout {}
