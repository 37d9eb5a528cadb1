//! Where words lie in a job, and what comes back.

use super::*;
use crate::arg::IntoArgs;
use crate::bind::{Bound, bind};
use crate::entry::Entry;
use crate::registry::Registration;
use crate::view::Held;
use std::sync::atomic::AtomicU32;

use gpuvm_core::routine::Routine;
use gpuvm_core::types::TypeRef;
use gpuvm_engine::Source;

const ENTRY: Registration = Registration {
    id: "step",
    file: "src/lib.rs",
    line: 1,
    params: &["dt", "x", "me", "all", "out", "bins"],
    routine: || -> &'static Routine { unreachable!("marshalling takes the types") },
    native: |_| Ok(()),
};

/// A program of which only the parameters and the result matter.
fn program(types: &[TypeRef]) -> Arc<Program> {
    Arc::new(Program {
        name: "step".to_string(),
        params: types.to_vec(),
        result: TypeRef::of::<u64>(),
        code: Vec::new(),
        places: Vec::new(),
        files: Vec::new(),
        routines: Vec::new(),
        matrices: Vec::new(),
        pools: Default::default(),
        data: Vec::new(),
        sites: Vec::new(),
        frame_words: 0,
        addressed_words: 0,
        call_depth: 0,
        depth_limit: 0,
        relaxed: false,
        variables: Default::default(),
        report: Default::default(),
    })
}

/// What VMs leave that have left this arena.
fn finished(job: Job, arena: &[u32]) -> Finished {
    let changed = job.changed.iter().flat_map(|range| &arena[range.clone()]);
    Finished {
        changed: changed.copied().collect::<Vec<_>>().into(),
        atomics: job.atomics,
        first_trap: None,
        trapped: Vec::new(),
    }
}

/// A job of the layout, and its arena.
fn job(layout: &Layout, params: &[Seen<'_>], cut: &Cut<'_>) -> (Job, Vec<u32>) {
    let (mut job, content) = layout.job(params, cut);
    job.atomics = layout.atomics();
    let mut arena = vec![0; job.arena_words];
    content.write(0..job.arena_words, &mut arena);
    (job, arena)
}

fn slot(base: u32, stride: u32, length: u32) -> ParamSlot {
    ParamSlot {
        base,
        stride,
        length,
        reserved: 0,
    }
}

#[test]
fn jobs_lay_out_what_their_vms_see() {
    let types = [
        TypeRef::of::<f32>(),
        TypeRef::of::<u8>(),
        TypeRef::of::<&mut (u32, bool)>(),
        TypeRef::of::<&[i16]>(),
        TypeRef::of::<&mut [u32]>(),
        TypeRef::of::<&[AtomicU32]>(),
    ];
    let program = program(&types);
    let mut me = [(1u32, true), (2, false), (3, true)];
    let mut out: Vec<u32> = (10..16).collect();
    let bins = [AtomicU32::new(40), AtomicU32::new(50)];
    let args = (1.0f32, &[7u8, 8, 9], &mut me, &[-1i16, 5], &mut out, &bins).into_args();
    let params = bind(&Entry::from(&ENTRY), &types, args, None).unwrap().params;
    let mut held = Held::new(params, None, false).unwrap();
    let one = 1f32.to_bits();
    let mut results = Words::default();
    let cut = |range: Range<u32>| Cut {
        program: &program,
        range,
        vm_count: 3,
        steps: 1,
        results: &[],
    };
    {
        let mut params = held.views();
        let mut layout = Layout::new(&params, 2, 3, false);
        assert_eq!(
            layout.demand(),
            Demand {
                shared_words: 3,
                words_per_vm: 7,
                atomic_words: 2,
                ..Demand::default()
            }
        );

        let (mut first, mut arena) = job(&layout, &params, &cut(0..2));
        assert_eq!(
            arena,
            [one, 0xffff_ffff, 5, 7, 8, 1, 1, 2, 0, 10, 11, 12, 13, 0, 0, 0, 0]
        );
        assert_eq!(
            first.slots.iter().map(|slot| slot.place).collect::<Vec<_>>(),
            [
                slot(0, 0, 1),
                slot(3, 1, 1),
                slot(5, 2, 1),
                slot(1, 0, 2),
                slot(9, 2, 2),
                slot(0, 0, 2),
                slot(13, 2, 1)
            ]
        );
        assert_eq!(
            first.changed.iter().cloned().flatten().collect::<Vec<_>>(),
            (5..17).collect::<Vec<_>>()
        );
        assert_eq!((first.changed.len(), first.atomics.as_slice()), (1, &[40, 50][..]));
        arena[6] = 0;
        arena[12] = 99;
        arena[14] = 1;
        first.atomics[1] = 51;
        layout.take(0..2, finished(first, &arena), &mut params, &mut results, &(0..3));

        let (second, mut arena) = job(&layout, &params, &cut(2..3));
        assert_eq!(arena, [one, 0xffff_ffff, 5, 9, 3, 1, 14, 15, 0, 0]);
        assert_eq!(
            second.slots[2]
                .place
                .base
                .wrapping_add(2 * second.slots[2].place.stride),
            4
        );
        assert_eq!(
            (second.first_vm, second.vms, second.atomics.as_slice()),
            (2, 1, &[40, 51][..])
        );
        arena[8] = 6;
        layout.take(2..3, finished(second, &arena), &mut params, &mut results, &(0..3));
        layout.finish(&mut params);
    }
    assert_eq!(*results, [0, 1, 0, 0, 6, 0]);
    drop(held);
    assert_eq!(me, [(1, false), (2, false), (3, true)]);
    assert_eq!(out, [10, 11, 12, 99, 14, 15]);
    assert_eq!(bins.map(AtomicU32::into_inner), [40, 51]);
}

#[test]
fn a_column_that_vms_of_all_jobs_write_is_handed_on() {
    let types = [
        TypeRef::of::<u32>(),
        TypeRef::of::<&mut u32>(),
        TypeRef::of::<&mut [u32]>(),
    ];
    let program = program(&types);
    let (one, mut me, mut whole) = (vec![7u32], vec![1u32, 2, 3], vec![10u32, 11, 12, 13]);
    let args = (&one, &mut me, &mut whole).into_args().into_iter();
    let modes = [Mode::Value, Mode::Record, Mode::Whole];
    let params = args.zip(modes).map(|(arg, mode)| Bound { mode, argument: arg.0 });
    let mut held = Held::new(params.collect(), None, false).unwrap();
    let mut results = Words::default();
    {
        let mut params = held.views();
        let mut layout = Layout::new(&params, 0, 3, false);
        assert!(layout.is_handed_on());
        assert_eq!((layout.demand().shared_words, layout.demand().words_per_vm), (5, 1));
        for (range, before, entry) in [(0..2, [10, 11, 12, 13], 3), (2..3, [10, 11, 12, 99], 1)] {
            let cut = Cut {
                program: &program,
                range: range.clone(),
                vm_count: 3,
                steps: 1,
                results: &[],
            };
            let (job, mut arena) = job(&layout, &params, &cut);
            assert_eq!((arena[0], &arena[1..5]), (7, &before[..]));
            assert_eq!(job.slots[0].place, slot(0, 0, 1));
            assert_eq!(job.slots[2].place, slot(1, 0, 4));
            assert_eq!((job.changed.len(), job.changed[0].clone()), (1, 1..arena.len()));
            arena[1 + entry] = 99;
            arena[5] += 20;
            layout.take(range, finished(job, &arena), &mut params, &mut results, &(0..3));
        }
    }
    drop(held);
    assert_eq!((me, whole), (vec![21, 2, 23], vec![10, 99, 12, 99]));
}
