//! Kernels that stay: how they are asked, launched once more when they have left, and refused.

use wgpu::BufferUsages as Usage;

use super::Rig;
use crate::{Resident, Room, Span, Work, resident};

/// Adds its uniform to as many words as four times its workgroups.
const STAY: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> added: vec4<u32>;
@compute @workgroup_size(4) fn stay(@builtin(global_invocation_id) id: vec3<u32>) { words[id.x] += added.x; }
";
const ROOM: Room = Room {
    request: 32,
    answer: 32,
};

/// A kernel that stays, its words and its uniform.
struct Stay {
    kernel: Result<Resident, String>,
    words: wgpu::Buffer,
    uniform: wgpu::Buffer,
}

fn stay(rig: &Rig, source: &str) -> Stay {
    let device = resident(&rig.device).unwrap();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("stay"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let words = rig.words(&[1; 32]);
    let uniform = rig.buffer(16, Usage::UNIFORM | Usage::COPY_DST);
    let group = rig.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[&words, &uniform].map(|buffer| wgpu::BindGroupEntry {
            binding: u32::from(buffer.size() == 16),
            resource: buffer.as_entire_binding(),
        }),
    });
    Stay {
        kernel: Resident::new(&pipeline, &[&group], ROOM),
        words,
        uniform,
    }
}

fn span(buffer: &wgpu::Buffer, start: u64, words: usize) -> Span<'_> {
    Span { buffer, start, words }
}

#[test]
fn work_is_brought_done_and_answered() {
    let rig = Rig::new();
    let Stay { kernel, words, uniform } = stay(&rig, STAY);
    let mut kernel = kernel.unwrap();
    // Compiled when the pipeline was made, and launched with the first work.
    assert_eq!(
        rig.fake.compiled().iter().filter(|ptx| ptx.contains("mailbox")).count(),
        1
    );
    let launches = |rig: &Rig| {
        rig.fake
            .launched()
            .iter()
            .filter(|launch| launch.entry == "kernel_stay")
            .count()
    };
    assert_eq!(launches(&rig), 0);
    let mut answer = vec![9];
    for turn in 1..=3 {
        let work = Work {
            groups: 3,
            put: [
                Some((span(&uniform, 0, 4), &[10])),
                Some((span(&words, 4, 3), &[100 * turn, 200, 300])),
                None,
            ],
            clear: Some(span(&words, 8, 2)),
            get: [Some(span(&words, 0, 5)), Some(span(&words, 8, 4))],
        };
        kernel.serve(&work, &mut answer).unwrap();
        // It leaves after each request here, which is not known before the next.
        assert_eq!(launches(&rig), turn as usize);
        let first = 1 + 10 * turn;
        assert_eq!(
            answer[1..],
            [first, first, first, first, 100 * turn + 10, 10, 10, 10, 10]
        );
        answer.truncate(1);
    }
    // The part that was put was rounded up with a zero, and nothing else was touched.
    assert_eq!(rig.read(&words)[4..14], [310, 210, 310, 10, 10, 10, 10, 10, 1, 1]);
    drop(kernel);
    assert_eq!(rig.heard(), [""; 0]);
}

#[test]
fn more_than_there_is_room_for_is_refused_and_nothing_is_asked() {
    let rig = Rig::new();
    let Stay { kernel, words, .. } = stay(&rig, STAY);
    let mut kernel = kernel.unwrap();
    let (mut answer, many) = (Vec::new(), [0; 40]);
    let refused = [
        Work {
            put: [
                Some((span(&words, 0, 30), &many[..30])),
                Some((span(&words, 0, 4), &many[..4])),
                None,
            ],
            ..Work::default()
        },
        Work {
            get: [Some(span(&words, 0, 30)), Some(span(&words, 0, 4))],
            ..Work::default()
        },
        Work {
            clear: Some(span(&words, 28, 8)),
            ..Work::default()
        },
        Work {
            get: [Some(span(&words, 2, 4)), None],
            ..Work::default()
        },
    ];
    let reasons = refused.map(|work| kernel.serve(&work, &mut answer).unwrap_err());
    assert_eq!(reasons[0], "36 words are more than the 32 of a request");
    assert_eq!(reasons[1], "36 words are more than the 32 of an answer");
    assert_eq!(reasons[2], "8 words from 28 on are not in the buffer");
    assert_eq!(reasons[3], "4 words from 2 on are not in the buffer");
    assert!(rig.fake.launched().is_empty() && answer.is_empty());
}

#[test]
fn only_so_many_kernels_stay_as_others_do_not_wait_for() {
    let rig = Rig::new();
    rig.fake.fill();
    let reason = stay(&rig, STAY).kernel.unwrap_err();
    assert_eq!(
        reason,
        "as many kernels stay on this GPU as others do not have to wait for"
    );
    let reason = stay(&rig, &STAY.replace("size(4)", "size(2, 2)")).kernel.unwrap_err();
    assert_eq!(reason, "the pipeline was refused");
    let told = rig.heard().concat();
    assert!(told.contains("more than one dimension"), "{told}");
}

#[test]
fn a_fault_is_an_error_of_who_asks_and_loses_the_device() {
    let rig = Rig::new();
    let mut stays = stay(&rig, &STAY.replace("fn stay", "fn fault")).kernel.unwrap();
    let error = stays.serve(&Work::default(), &mut Vec::new()).unwrap_err();
    assert!(error.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{error}");
    assert!(rig.heard().concat().starts_with("lost, Unknown: "));
    let error = stays.serve(&Work::default(), &mut Vec::new()).unwrap_err();
    assert!(error.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{error}");
}
