//! Bringing many words to a device and back: through mapped buffers of the pool, in pieces, so that the host copies one while the
//! device moves the others, with all the host's cores where there is enough to copy.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;

use gpuvm_engine::{Result, Source, least_piece};
use rayon::prelude::*;

use super::exit;
use super::gpu::Gpu;
use super::memory::{Readback, WORD, size};
use super::pool::{Kind, Lease};

/// Words of a piece.
const PIECE: usize = 4 << 20;
/// Pieces that are under way at a time.
pub const IN_FLIGHT: usize = 3;
/// Bytes that one thread copies at a time. Less than four of these are not worth more than one thread.
const SHARE: usize = 256 << 10;

/// Words on their way to a device, one part after the other.
#[derive(Debug)]
pub struct Staged {
    buffer: Lease,
    /// Where each part starts, in bytes, and its bytes.
    parts: Vec<(u64, u64)>,
}

impl Staged {
    /// Writes parts to a mapped buffer.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn new(gpu: &Gpu, parts: &[&[u32]]) -> Result<Staged> {
        let whole: Vec<_> = parts.iter().map(|part| (part as &dyn Source, 0..part.len())).collect();
        Staged::of(gpu, &whole)
    }

    /// Writes ranges of what sources have to a mapped buffer.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn of(gpu: &Gpu, parts: &[(&dyn Source, Range<usize>)]) -> Result<Staged> {
        let bytes: u64 = parts.iter().map(|(_, range)| size(range.len() as u64)).sum();
        let buffer = gpu.allocating(|_| gpu.pool.take(Kind::Upload, bytes.max(size(0))))?;
        let _inside = exit::enter();
        let mut view = buffer.get_mapped_range_mut(..).map_err(|error| gpu.failure(error))?;
        let mut places = Vec::with_capacity(parts.len());
        let mut at = 0;
        for (source, range) in parts {
            let bytes = range.len() * WORD as usize;
            copy_in(view.slice(at..at + bytes), *source, range.clone());
            places.push((at as u64, bytes as u64));
            at += size(range.len() as u64) as usize;
        }
        drop(view);
        buffer.unmap();
        Ok(Staged { buffer, parts: places })
    }

    /// Records the copy of a part to a buffer, from the given byte on.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, part: usize, target: &wgpu::Buffer, offset: u64) {
        let (start, bytes) = self.parts[part];
        if bytes > 0 {
            encoder.copy_buffer_to_buffer(&self.buffer, start, target, offset, bytes);
        }
    }
}

/// Brings words to a buffer, from its given word on, before everything that is submitted from now on.
///
/// # Errors
///
/// When the device fails.
pub fn upload(gpu: &Gpu, buffer: &wgpu::Buffer, at: u64, words: &dyn Source, range: Range<usize>) -> Result<()> {
    let mut under_way = VecDeque::new();
    for start in range.clone().step_by(PIECE) {
        if under_way.len() == IN_FLIGHT
            && let Some(oldest) = under_way.pop_front()
        {
            gpu.wait_until(&oldest)?;
        }
        let staged = Staged::of(gpu, &[(words, start..range.end.min(start + PIECE))])?;
        let offset = at + (start - range.start) as u64;
        under_way.push_back(gpu.guarded(|device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            staged.record(&mut encoder, 0, buffer, offset * WORD);
            gpu.queue.submit([encoder.finish()])
        })?);
    }
    Ok(())
}

/// Brings words of a buffer, from its given word on, to the host.
///
/// # Errors
///
/// When the device fails.
pub fn download(gpu: &Gpu, buffer: &wgpu::Buffer, at: u64, out: &mut [u32]) -> Result<()> {
    let mut at = at as usize;
    in_pieces(gpu, out, PIECE, |readback, words| {
        gpu.guarded(|device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let range = at..at + words;
            at = range.end;
            readback.record(&mut encoder, buffer, Some(range), 0);
            gpu.queue.submit([encoder.finish()])
        })
    })
}

/// Brings words to the host piece by piece. `submit` submits what brings the next piece, of so many words.
///
/// # Errors
///
/// When the device fails.
pub fn in_pieces(
    gpu: &Gpu,
    out: &mut [u32],
    piece: usize,
    mut submit: impl FnMut(&Readback, usize) -> Result<wgpu::SubmissionIndex>,
) -> Result<()> {
    let mut under_way: VecDeque<(Readback, wgpu::SubmissionIndex, &mut [u32])> = VecDeque::new();
    let land = |(readback, submission, part): (Readback, _, &mut [u32])| {
        readback.wait(gpu, &submission, None)?;
        readback.view(gpu, |words| copy_out(words, part))
    };
    for part in out.chunks_mut(piece.max(1)) {
        if under_way.len() == IN_FLIGHT
            && let Some(oldest) = under_way.pop_front()
        {
            land(oldest)?;
        }
        let readback = gpu.allocating(|_| Readback::new(gpu, part.len() as u64))?;
        let submission = submit(&readback, part.len())?;
        under_way.push_back((readback, submission, part));
    }
    under_way.into_iter().try_for_each(land)
}

/// Copies words, by several threads if there are many.
pub fn copy_out(from: &[u32], to: &mut [u32]) {
    let share = SHARE / WORD as usize;
    if to.len() < 4 * share {
        to.copy_from_slice(from);
    } else {
        to.par_chunks_mut(share)
            .zip(from.par_chunks(share))
            .with_min_len(least_piece(1))
            .for_each(|(to, from)| to.copy_from_slice(from));
    }
}

/// Writes words of a source to mapped memory, by several threads if there are many.
fn copy_in(to: wgpu::WriteOnly<'_, [u8]>, source: &dyn Source, range: Range<usize>) {
    let each = SHARE / WORD as usize;
    let (shares, rest) = to.into_chunks::<SHARE>();
    let full = shares.len();
    let whole = |(share, to): (usize, wgpu::WriteOnly<'_, [u8; SHARE]>)| {
        let start = range.start + share * each;
        copy_share(to.into(), source, start..start + each);
    };
    match full {
        0..4 => shares.into_iter().enumerate().for_each(whole),
        _ => {
            let shares: Vec<_> = shares.into_iter().enumerate().collect();
            shares.into_par_iter().with_min_len(least_piece(1)).for_each(whole);
        }
    }
    copy_share(rest, source, range.start + full * each..range.end);
}

/// Writes so few words that they stay in a processor's cache in between: mapped memory can only be written, and a source may want to
/// look at what it has written.
fn copy_share(mut to: wgpu::WriteOnly<'_, [u8]>, source: &dyn Source, range: Range<usize>) {
    thread_local! {
        static SCRATCH: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    }
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.resize(scratch.len().max(range.len()), 0);
        let words = &mut scratch[..range.len()];
        source.write(range, words);
        to.copy_from_slice(bytemuck::cast_slice(words));
    });
}
