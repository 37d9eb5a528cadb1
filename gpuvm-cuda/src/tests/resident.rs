//! Kernels that stay: how they are asked, launched once more when they have left, and refused.

use wgpu::BufferUsages as Usage;

use super::Rig;
use crate::{Own, Resident, Room, Span, Words, Work, resident};

/// Adds its uniform to a word each thread.
const STAY: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> added: vec4<u32>;
@compute @workgroup_size(32) fn stay(@builtin(global_invocation_id) id: vec3<u32>) { words[id.x] += added.x; }
";
const ROOM: Room = Room {
    request: 128,
    answer: 128,
};

/// A kernel that stays, its words and its uniform.
struct Stay {
    kernel: Result<Resident, String>,
    words: wgpu::Buffer,
    uniform: wgpu::Buffer,
}

fn stay(rig: &Rig, source: &str) -> Stay {
    stay_with(rig, source, Own::default())
}

/// One whose workgroup has something in its own memory.
fn stay_with(rig: &Rig, source: &str, own: Own) -> Stay {
    let device = resident(&rig.device, own).unwrap();
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
    let words = rig.words(&[1; 128]);
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
            groups: 1,
            put: [
                Some((span(&uniform, 0, 4), &[10])),
                Some((span(&words, 4, 3), &[100 * turn, 200, 300])),
            ],
            clear: [None, Some(span(&words, 8, 2))],
            get: Some(span(&words, 0, 12)),
        };
        kernel.serve(&work, &mut answer).unwrap();
        // It leaves after each request here, which is not known before the next.
        assert_eq!(launches(&rig), turn as usize);
        let first = 1 + 10 * turn;
        let put = [100 * turn + 10, 210, 310, 10];
        assert_eq!(answer[1..], [[first; 4], put, [10; 4]].concat());
        answer.truncate(1);
    }
    // The part that was put was rounded up with a zero, and nothing else was touched.
    assert_eq!(
        rig.read(&words)[4..34],
        [&[310, 210, 310, 10, 10, 10, 10, 10][..], &[31; 20], &[1, 1]].concat()
    );
    drop(kernel);
    assert_eq!(rig.heard(), [""; 0]);
}

fn words_of(binding: u32, words: u32) -> Words {
    Words {
        group: 0,
        binding,
        words,
    }
}

#[test]
fn what_is_copied_has_the_room_for_it() {
    let rig = Rig::new();
    let copied = |words| Own {
        copied: [Some(words_of(1, words)), None],
        ..Own::default()
    };
    assert!(stay_with(&rig, STAY, copied(4)).kernel.is_ok());
    let read = STAY
        .replace("read_write", "read")
        .replace("words[id.x] += added.x", "_ = words[added.x]");
    let words = |words| Own {
        copied: [Some(words_of(0, words)), None],
        ..Own::default()
    };
    assert!(stay_with(&rig, &read, words(128)).kernel.is_ok());
    let refused = stay_with(&rig, &read, words(124)).kernel.unwrap_err();
    assert_eq!(
        refused,
        "binding 0 of group 0 of `stay` is copied, 124 words at most and a multiple of 4, and has 512 bytes"
    );
}

#[test]
fn what_is_the_workgroups_own_comes_first() {
    let rig = Rig::new();
    let counted = STAY.replace("fn stay", "fn count");
    let counted = counted.replace("+= added.x;", "+= added.x; atomicAdd(&counts[1], 2u);");
    let source = format!("@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;\n{counted}");
    let own = Own {
        answered: Some(words_of(2, 3)),
        ..Own::default()
    };
    let Stay { kernel, words, uniform } = stay_with(&rig, &source, own);
    let mut kernel = kernel.unwrap();
    // In slots, and in the open.
    for (turn, wanted) in [(1, 5), (2, 16), (3, 64)] {
        let work = Work {
            groups: 2,
            put: [Some((span(&uniform, 0, 4), &[10])), None],
            clear: [None; 2],
            get: Some(span(&words, 0, wanted)),
        };
        let mut answer = Vec::new();
        kernel.serve(&work, &mut answer).unwrap();
        assert_eq!(answer[..3], [0, 2 * 64, 0]);
        assert_eq!(answer[3..], vec![1 + 10 * turn; wanted]);
    }
    // With its own words that is more than there is room for.
    let work = Work {
        get: Some(span(&words, 0, 128)),
        ..Work::default()
    };
    let refused = kernel.serve(&work, &mut Vec::new()).unwrap_err();
    assert!(refused.contains("is more than"), "{refused}");
}

#[test]
fn what_does_not_fit_into_slots_goes_in_the_open() {
    let rig = Rig::new();
    let Stay { kernel, words, uniform } = stay(&rig, STAY);
    let mut kernel = kernel.unwrap();
    let given: Vec<u32> = (0..47).collect();
    // Its request is in slots, its answer is not; then the other way.
    let mut answer = Vec::new();
    let work = Work {
        groups: 3,
        put: [None, None],
        clear: [Some(span(&uniform, 0, 4)), None],
        get: Some(span(&words, 0, 128)),
    };
    kernel.serve(&work, &mut answer).unwrap();
    assert_eq!(answer, [1; 128]);
    answer.clear();
    let work = Work {
        groups: 1,
        put: [Some((span(&words, 0, 48), &given)), Some((span(&uniform, 0, 4), &[5]))],
        clear: [None; 2],
        get: Some(span(&words, 12, 8)),
    };
    kernel.serve(&work, &mut answer).unwrap();
    assert_eq!(answer, [17, 18, 19, 20, 21, 22, 23, 24]);
    assert_eq!(rig.read(&words)[45..49], [45, 46, 0, 1]);
}

#[test]
fn more_than_there_is_room_for_is_refused_and_nothing_is_asked() {
    let rig = Rig::new();
    let Stay { kernel, words, .. } = stay(&rig, STAY);
    let mut kernel = kernel.unwrap();
    let (mut answer, many) = (Vec::new(), [0; 128]);
    let refused = [
        Work {
            put: [
                Some((span(&words, 0, 126), &many[..126])),
                Some((span(&words, 0, 4), &many[..4])),
            ],
            ..Work::default()
        },
        Work {
            put: [Some((span(&words, 0, 1), &many[..2])), None],
            ..Work::default()
        },
        Work {
            clear: [Some(span(&words, 124, 8)), None],
            ..Work::default()
        },
        Work {
            get: Some(span(&words, 2, 4)),
            ..Work::default()
        },
    ];
    let reasons = refused.map(|work| kernel.serve(&work, &mut answer).unwrap_err());
    assert_eq!(
        reasons[0],
        "a request of 132 words with an answer of 0 is more than 128 and 128"
    );
    assert_eq!(reasons[1], "2 words are put where there are 1");
    assert_eq!(reasons[2], "8 words from 124 on are not in the buffer");
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
    let reason = stay(&rig, &STAY.replace("size(32)", "size(4, 4)")).kernel.unwrap_err();
    assert_eq!(reason, "the pipeline was refused");
    let told = rig.heard().concat();
    assert!(told.contains("more than one dimension"), "{told}");
}

#[test]
fn a_fault_is_an_error_of_who_asks_and_loses_the_device() {
    let rig = Rig::new();
    let Stay { kernel, words, .. } = stay(&rig, &STAY.replace("fn stay", "fn fault"));
    let mut kernel = kernel.unwrap();
    let work = Work {
        get: Some(span(&words, 0, 1)),
        ..Work::default()
    };
    let error = kernel.serve(&work, &mut Vec::new()).unwrap_err();
    assert!(error.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{error}");
    assert!(rig.heard().concat().starts_with("lost, Unknown: "));
    let error = kernel.serve(&work, &mut Vec::new()).unwrap_err();
    assert!(error.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{error}");
}
