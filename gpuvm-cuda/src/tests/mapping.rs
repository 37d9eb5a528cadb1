//! Buffers on their way between host and device.

use wgpu::{BufferUsages as Usage, MapMode, PollError, PollStatus, PollType};

use super::{Rig, watch};
use crate::driver::fake::Fake;

#[test]
fn buffers_begin_with_zeros_and_have_what_is_written() {
    let rig = Rig::new();
    let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
    let buffer = rig.buffer(24, usage);
    assert_eq!(rig.read(&buffer), [0; 6]);
    let other = rig.buffer(24, usage);
    rig.queue.write_buffer(&other, 8, bytemuck::cast_slice(&[1, 2]));
    rig.queue.write_buffer(&other, 12, bytemuck::cast_slice(&[3]));
    assert_eq!(rig.read(&other), [0, 0, 1, 3, 0, 0]);
    let mut encoder = rig.encoder();
    encoder.copy_buffer_to_buffer(&other, 8, &buffer, 0, 8);
    encoder.clear_buffer(&other, 12, Some(4));
    rig.queue.submit([encoder.finish()]);
    assert_eq!(rig.read(&buffer), [1, 3, 0, 0, 0, 0]);
    assert_eq!(rig.read(&other), [0, 0, 1, 0, 0, 0]);
    assert!(rig.heard().is_empty());
}

#[test]
fn large_writes_and_writes_with_a_view_arrive() {
    let rig = Rig::new();
    let many: Vec<u32> = (0..100_000).collect();
    assert_eq!(rig.read(&rig.words(&many)), many);
    let buffer = rig.words(&[0; 4]);
    let mut view = rig.queue.write_buffer_with(&buffer, 4, 8.try_into().unwrap()).unwrap();
    view.copy_from_slice(bytemuck::cast_slice(&[7, 8]));
    drop(view);
    assert_eq!(rig.read(&buffer), [0, 7, 8, 0]);
}

#[test]
fn a_buffer_mapped_at_its_creation_is_sent_when_it_is_unmapped() {
    let rig = Rig::new();
    for usage in [Usage::STORAGE | Usage::COPY_SRC, Usage::MAP_WRITE | Usage::COPY_SRC] {
        let buffer = rig.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 8,
            usage,
            mapped_at_creation: true,
        });
        let mut view = buffer.get_mapped_range_mut(4..8).unwrap();
        view.copy_from_slice(bytemuck::cast_slice(&[9]));
        drop(view);
        buffer.unmap();
        assert_eq!(rig.read(&buffer), [0, 9]);
    }
}

#[test]
fn a_mapping_is_told_by_a_poll_after_the_work_has_ended_and_not_before() {
    for words in [true, false] {
        let fake = Fake::new();
        if !words {
            fake.without_words();
        }
        let rig = Rig::on(fake);
        let source = rig.words(&[5]);
        let readback = rig.buffer(4, Usage::MAP_READ | Usage::COPY_DST);
        // Nothing is in flight.
        let mapped = watch(&readback, MapMode::Read);
        assert_eq!(*mapped.lock().unwrap(), None);
        rig.device.poll(PollType::Poll).unwrap();
        assert_eq!(*mapped.lock().unwrap(), Some(Ok(())));
        readback.unmap();

        rig.fake.hold();
        let mut encoder = rig.encoder();
        encoder.copy_buffer_to_buffer(&source, 0, &readback, 0, 4);
        let submission = rig.queue.submit([encoder.finish()]);
        let mapped = watch(&readback, MapMode::Read);
        // Another buffer's last use has ended.
        let other = watch(&rig.buffer(4, Usage::MAP_READ), MapMode::Read);
        assert_eq!(rig.device.poll(PollType::Poll).unwrap(), PollStatus::Poll);
        assert_eq!(*mapped.lock().unwrap(), None);
        assert_eq!(*other.lock().unwrap(), Some(Ok(())));
        let wait = PollType::Wait {
            submission_index: Some(submission),
            timeout: Some(std::time::Duration::from_millis(2)),
        };
        assert!(matches!(rig.device.poll(wait.clone()), Err(PollError::Timeout)));
        rig.fake.release();
        assert_eq!(rig.device.poll(wait).unwrap(), PollStatus::QueueEmpty);
        assert_eq!(*mapped.lock().unwrap(), Some(Ok(())));
        let view = readback.get_mapped_range(..).unwrap();
        assert_eq!(bytemuck::cast_slice::<u8, u32>(&view), [5]);
    }
}

#[test]
fn several_threads_wait_each_for_its_own() {
    let rig = Rig::new();
    std::thread::scope(|scope| {
        for thread in 0..8_u32 {
            let rig = &rig;
            scope.spawn(move || {
                for round in 0..50 {
                    let words = [thread, round, thread * round];
                    assert_eq!(rig.read(&rig.words(&words)), words);
                }
            });
        }
    });
}

#[test]
fn unmapping_takes_a_mapping_back() {
    let rig = Rig::new();
    let buffer = rig.buffer(4, Usage::MAP_READ | Usage::COPY_DST);
    let mapped = watch(&buffer, MapMode::Read);
    assert!(buffer.get_mapped_range(..).is_err());
    buffer.unmap();
    assert_eq!(*mapped.lock().unwrap(), Some(Err(wgpu::BufferAsyncError)));
    rig.device.poll(PollType::Poll).unwrap();
    assert!(buffer.get_mapped_range(..).is_err());
    let mapped = watch(&buffer, MapMode::Read);
    rig.device.poll(PollType::Poll).unwrap();
    assert_eq!(*mapped.lock().unwrap(), Some(Ok(())));
    assert!(buffer.get_mapped_range(..).is_ok());
}

#[test]
fn what_an_upload_is_written_to_is_not_used_again_before_the_device_has_it() {
    let rig = Rig::new();
    let target = rig.words(&[0, 0]);
    rig.fake.hold();
    for (value, at) in [(1_u32, 0), (2, 4)] {
        let upload = rig.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4,
            usage: Usage::MAP_WRITE | Usage::COPY_SRC,
            mapped_at_creation: true,
        });
        upload
            .get_mapped_range_mut(..)
            .unwrap()
            .copy_from_slice(bytemuck::bytes_of(&value));
        upload.unmap();
        let mut encoder = rig.encoder();
        encoder.copy_buffer_to_buffer(&upload, 0, &target, at, 4);
        rig.queue.submit([encoder.finish()]);
    }
    rig.fake.release();
    assert_eq!(rig.read(&target), [1, 2]);
}

#[test]
fn all_memory_is_given_back() {
    let rig = Rig::new();
    let buffer = rig.words(&[1, 2, 3]);
    rig.read(&buffer);
    let waiting = rig.buffer(4, Usage::MAP_READ);
    // Whoever is told has the buffer and the device.
    let (kept, device) = (waiting.clone(), rig.device.clone());
    waiting.map_async(MapMode::Read, .., move |_| drop((kept, device)));
    rig.device.poll(PollType::Poll).unwrap();
    let Rig {
        fake, device, queue, ..
    } = rig;
    drop((device, queue, waiting));
    drop(buffer);
    assert_eq!((fake.device_blocks(), fake.host_blocks(), fake.loaded()), (0, 0, 0));
}

#[test]
fn what_is_written_to_a_buffer_that_is_mapped_next_is_waited_for() {
    let rig = Rig::new();
    let buffer = rig.buffer(4, Usage::MAP_READ | Usage::COPY_DST);
    rig.fake.hold();
    rig.queue.write_buffer(&buffer, 0, bytemuck::bytes_of(&6_u32));
    let mapped = watch(&buffer, MapMode::Read);
    rig.device.poll(PollType::Poll).unwrap();
    assert_eq!(*mapped.lock().unwrap(), None);
    rig.fake.release();
    rig.device.poll(PollType::Poll).unwrap();
    assert_eq!(*mapped.lock().unwrap(), Some(Ok(())));
    assert_eq!(*buffer.get_mapped_range(..).unwrap(), 6_u32.to_ne_bytes());
}

#[test]
fn what_was_written_and_not_submitted_is_done_before_the_device_goes() {
    let rig = Rig::new();
    let buffer = rig.words(&[1, 2]);
    rig.fake.hold();
    rig.queue.write_buffer(&buffer, 0, &[1; 8]);
    let fake = rig.fake.clone();
    std::thread::scope(|scope| {
        let going = scope.spawn(move || drop((rig, buffer)));
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!going.is_finished());
        fake.release();
    });
    assert_eq!((fake.device_blocks(), fake.host_blocks()), (0, 0));
}
