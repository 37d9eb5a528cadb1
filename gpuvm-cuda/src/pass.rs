//! Compute passes: launches with what they are bound to, made ready to be handed to the driver.

use std::sync::{Arc, Mutex, PoisonError};

use gpuvm_ptx::Grid;
use wgpu::custom::{
    ComputePassInterface, DispatchBindGroup, DispatchBuffer, DispatchComputePipeline, DispatchQuerySet,
};
use wgpu::{BufferAddress, BufferUsages, DynamicOffset};

use crate::bind::{CudaGroup, Group};
use crate::encoder::{Place, TextureTransitions, part, record_stamp};
use crate::pipeline::{CudaPipeline, Given, Pipeline};
use crate::recording::{Command, Launch, Recording, Store, Uniform};
use crate::sending::Failure;
use crate::shared::Shared;

/// A pass.
#[derive(Debug)]
pub struct CudaPass {
    shared: Arc<Shared>,
    recording: Recording,
    /// Where the recording goes back to.
    home: Arc<Mutex<Place>>,
    /// The clock is read at the end.
    end: Option<(DispatchQuerySet, u32)>,
    pipeline: Option<Arc<Pipeline>>,
    groups: Vec<Option<Bound>>,
    /// Whether pipeline and groups are known to fit.
    fits: bool,
    /// Blocks of the largest launch so far whose size the host knows.
    largest: u32,
}

/// A group that is set.
#[derive(Debug)]
struct Bound {
    group: Arc<Group>,
    /// How far its parts are moved.
    offsets: Vec<DynamicOffset>,
}

/// What sizes a launch.
enum Size {
    Blocks([u32; 3]),
    /// The address of the numbers of blocks.
    At(u64),
}

/// Words that size a launch.
const SIZE_BYTES: u64 = 12;
/// Of the blocks that can be on a device at a time, one of so many at least loops over a launch that is sized there.
const FEWEST: u32 = 4;
/// What the values of a launch start at a multiple of.
const ALIGNMENT: usize = 16;

impl CudaPass {
    /// A pass that goes on with a recording, and gives it back.
    pub fn new(
        shared: Arc<Shared>,
        recording: Recording,
        home: Arc<Mutex<Place>>,
        end: Option<(DispatchQuerySet, u32)>,
    ) -> CudaPass {
        CudaPass {
            shared,
            recording,
            home,
            end,
            pipeline: None,
            groups: Vec::new(),
            fits: false,
            largest: 0,
        }
    }

    fn refuse(&mut self, what: &str, error: impl std::fmt::Display) {
        self.recording.refuse(|| format!("{what}: {error}"));
    }

    /// Whether what is set fits the pipeline; the groups are noted then.
    fn check(&mut self, pipeline: &Pipeline) -> Result<(), String> {
        if self.fits {
            return Ok(());
        }
        for (number, layout) in pipeline.layouts.iter().enumerate() {
            let Some(layout) = layout else {
                continue;
            };
            let bound = self.groups.get(number).and_then(Option::as_ref);
            let bound = bound.ok_or_else(|| format!("`{}` lacks bind group {number}", pipeline.label))?;
            if !Arc::ptr_eq(&bound.group.layout, layout) && bound.group.layout != *layout {
                return Err(format!(
                    "bind group {number} is not as the layout of `{}`",
                    pipeline.label
                ));
            }
            self.recording.uses_group(&bound.group);
        }
        self.fits = true;
        Ok(())
    }

    fn launch(&mut self, grid: Grid, size: Size) -> Result<(), Failure> {
        if self.recording.invalid || self.recording.error.is_some() {
            return Ok(());
        }
        let pipeline = self.pipeline.clone();
        let pipeline = pipeline.ok_or_else(|| Failure::Invalid("no pipeline is set".to_string()))?;
        self.check(&pipeline).map_err(Failure::Invalid)?;
        let far = self.groups.iter().flatten().any(|bound| bound.group.far);
        let form = pipeline.form(grid, far)?;
        let recording = &mut self.recording;
        let start = recording.values.len().next_multiple_of(ALIGNMENT);
        let (uniforms, stores) = (recording.uniforms.len(), recording.stores.len());
        recording.values.resize(start + form.bytes, 0);
        for &(given, at) in &form.parameters {
            let place = start + at;
            let (group, slot) = match given {
                Given::Buffer { group, slot, .. } | Given::Uniform { group, slot, .. } => (group, slot),
                Given::Size => {
                    let address = match size {
                        Size::At(address) => address,
                        Size::Blocks(_) => 0,
                    };
                    recording.values[place..place + 8].copy_from_slice(&address.to_ne_bytes());
                    continue;
                }
                Given::Place { .. } | Given::Mailbox => {
                    let error = format!("`{}` stays, and is not dispatched", pipeline.label);
                    return Err(Failure::Invalid(error));
                }
            };
            // The layouts fit, so group and slot are there.
            let Some(bound) = self.groups.get(group).and_then(Option::as_ref) else {
                continue;
            };
            let slot = &bound.group.slots[slot];
            let moved = slot.moved_by.map_or(0, |number| bound.offsets[number]);
            let from = slot.at + u64::from(moved);
            if from + slot.bytes > slot.buffer.size {
                return Err(Failure::Invalid(format!(
                    "an offset of {moved} moves {} bytes out of a buffer of {}",
                    slot.bytes, slot.buffer.size
                )));
            }
            match given {
                Given::Buffer { writable, least, .. } => {
                    if slot.bytes < least {
                        return Err(Failure::Invalid(format!(
                            "a buffer of `{}` has {least} bytes at least, and {} are bound",
                            pipeline.label, slot.bytes
                        )));
                    }
                    let address = slot.buffer.address() + from;
                    recording.values[place..place + 8].copy_from_slice(&address.to_ne_bytes());
                    recording.values[place + 8..place + 16].copy_from_slice(&slot.bytes.to_ne_bytes());
                    if writable && slot.buffer.shadow.is_some() {
                        recording.stores.push(Store {
                            buffer: slot.buffer.clone(),
                            at: from,
                            bytes: slot.bytes,
                        });
                    }
                }
                Given::Uniform { bytes, .. } => {
                    if bytes > slot.bytes {
                        return Err(Failure::Invalid(format!(
                            "the uniform of `{}` has {bytes} bytes, and {} are bound",
                            pipeline.label, slot.bytes
                        )));
                    }
                    recording.uniforms.push(Uniform {
                        buffer: slot.buffer.clone(),
                        at: from,
                        bytes,
                        to: place,
                    });
                }
                Given::Place { .. } | Given::Size | Given::Mailbox => {}
            }
        }
        let blocks = match size {
            Size::Blocks(blocks) => blocks,
            Size::At(_) => [blocks(form.resident, self.largest), 1, 1],
        };
        recording.commands.push(Command::Launch(Launch {
            blocks,
            values: start..start + form.bytes,
            uniforms: uniforms..recording.uniforms.len(),
            stores: stores..recording.stores.len(),
            form,
        }));
        Ok(())
    }

    /// Takes note of what came of a launch.
    fn note(&mut self, launched: Result<(), Failure>) {
        match launched {
            Ok(()) => {}
            Err(Failure::Invalid(error)) => self.refuse("dispatch", error),
            Err(Failure::Driver(error)) => {
                self.recording.invalid = true;
                self.shared.fail("dispatch", &error);
            }
        }
    }
}

/// How many blocks loop over what a launch has to do that is sized on the device, if so many are on it at a time: mostly that is no more
/// than what the `largest` launch before it in the pass had, and each block that finds nothing to do takes its time nevertheless.
fn blocks(resident: u32, largest: u32) -> u32 {
    match largest {
        0 => resident,
        largest => largest.clamp(resident.div_ceil(FEWEST), resident),
    }
}

impl ComputePassInterface for CudaPass {
    fn set_pipeline(&mut self, pipeline: &DispatchComputePipeline) {
        match pipeline.as_custom::<CudaPipeline>() {
            Some(CudaPipeline(Some(pipeline))) => {
                let same = self.pipeline.as_ref();
                let same = same.is_some_and(|same| Arc::ptr_eq(&same.layouts, &pipeline.layouts));
                self.fits &= same;
                self.pipeline = Some(pipeline.clone());
            }
            Some(CudaPipeline(None)) => self.recording.invalid = true,
            None => self.refuse("set_pipeline", "the pipeline is another device's"),
        }
    }

    fn set_bind_group(&mut self, index: u32, group: Option<&DispatchBindGroup>, offsets: &[DynamicOffset]) {
        self.fits = false;
        let index = index as usize;
        if index >= self.shared.limits.max_bind_groups as usize {
            return self.refuse("set_bind_group", format!("there is no group {index}"));
        }
        self.groups.resize_with(self.groups.len().max(index + 1), || None);
        let group = match group.map(|group| group.as_custom::<CudaGroup>()) {
            None => {
                self.groups[index] = None;
                return;
            }
            Some(None) => return self.refuse("set_bind_group", "the group is another device's"),
            Some(Some(CudaGroup(None))) => {
                self.recording.invalid = true;
                return;
            }
            Some(Some(CudaGroup(Some(group)))) => group,
        };
        if offsets.len() != group.dynamic {
            let error = format!("{} offsets are given for {}", offsets.len(), group.dynamic);
            return self.refuse("set_bind_group", error);
        }
        let alignment = self.shared.limits.min_uniform_buffer_offset_alignment;
        if let Some(offset) = offsets.iter().find(|offset| !offset.is_multiple_of(alignment)) {
            return self.refuse("set_bind_group", format!("{offset} is not a multiple of {alignment}"));
        }
        // The room for offsets is used again.
        let mut kept = self.groups[index].take().map(|bound| bound.offsets).unwrap_or_default();
        kept.clear();
        kept.extend(offsets);
        self.groups[index] = Some(Bound {
            group: group.clone(),
            offsets: kept,
        });
    }

    fn set_immediates(&mut self, _: u32, _: &[u8]) {
        self.refuse("set_immediates", "there are none here");
    }

    fn insert_debug_marker(&mut self, _: &str) {}

    fn push_debug_group(&mut self, _: &str) {}

    fn pop_debug_group(&mut self) {}

    fn write_timestamp(&mut self, query_set: &DispatchQuerySet, query_index: u32) {
        if let Err(error) = record_stamp(&mut self.recording, query_set, query_index) {
            self.refuse("write_timestamp", error);
        }
    }

    fn begin_pipeline_statistics_query(&mut self, _: &DispatchQuerySet, _: u32) {
        self.refuse("begin_pipeline_statistics_query", "there are none here");
    }

    fn end_pipeline_statistics_query(&mut self) {}

    fn dispatch_workgroups(&mut self, x: u32, y: u32, z: u32) {
        let most = self.shared.limits.max_compute_workgroups_per_dimension;
        if [x, y, z].iter().any(|&groups| groups > most) {
            return self.refuse(
                "dispatch_workgroups",
                format!("{x}, {y} or {z} groups are more than {most}"),
            );
        }
        if [x, y, z].contains(&0) {
            return;
        }
        self.largest = self.largest.max(x.saturating_mul(y).saturating_mul(z));
        let launched = self.launch(Grid::Launched, Size::Blocks([x, y, z]));
        self.note(launched);
    }

    fn dispatch_workgroups_indirect(&mut self, indirect_buffer: &DispatchBuffer, indirect_offset: BufferAddress) {
        let bytes = Some(SIZE_BYTES);
        let sized = part(
            &self.shared,
            indirect_buffer,
            BufferUsages::INDIRECT,
            indirect_offset,
            bytes,
        );
        let buffer = match sized {
            Ok((buffer, _)) => buffer.clone(),
            Err(error) => return self.refuse("dispatch_workgroups_indirect", error),
        };
        if !self.recording.uses_size(&buffer) {
            return;
        }
        let address = buffer.address() + indirect_offset;
        let launched = self.launch(Grid::Indirect, Size::At(address));
        self.note(launched);
    }

    fn transition_resources<'a>(
        &mut self,
        _: &mut dyn Iterator<Item = wgpu::BufferTransition<&'a DispatchBuffer>>,
        _: TextureTransitions<'a, '_>,
    ) {
        // A stream does one thing after the other: nothing has to be prepared.
    }
}

impl Drop for CudaPass {
    fn drop(&mut self) {
        let mut recording = std::mem::take(&mut self.recording);
        if let Some((queries, index)) = self.end.take()
            && let Err(error) = record_stamp(&mut recording, &queries, index)
        {
            recording.refuse(|| error);
        }
        let mut home = self.home.lock().unwrap_or_else(PoisonError::into_inner);
        // An encoder that was finished meanwhile has told that it was.
        if let Place::InPass = &*home {
            *home = Place::Here(recording);
        }
    }
}
