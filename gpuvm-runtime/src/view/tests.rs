//! Where buffers are while launches hold them.

use std::sync::Mutex;
use std::time::Duration;

use gpuvm_engine::{MemoryUse, Select, Selection, Sort};

use super::*;
use crate::buffer::Buffer;

/// A memory of so many words, in which regions lie one after the other and are never freed.
#[derive(Default)]
struct Fake {
    room: u64,
    words: Mutex<Vec<u32>>,
}

impl DeviceMemory for Fake {
    fn allocate(&self, words: u64) -> gpuvm_engine::Result<Region> {
        let mut all = self.words.lock().unwrap();
        let start = all.len() as u32;
        if all.len() as u64 + words > self.room {
            return Err(gpuvm_engine::Error::OutOfMemory {
                reason: "a test".to_string(),
            });
        }
        all.resize(start as usize + words as usize, 0);
        Ok(Region {
            start,
            words: words as u32,
            guard: Arc::new(()),
        })
    }

    fn write(&self, region: &Region, words: &dyn gpuvm_engine::Source) -> gpuvm_engine::Result<()> {
        let range = region.start as usize..region.start as usize + words.words();
        words.write(0..words.words(), &mut self.words.lock().unwrap()[range]);
        Ok(())
    }

    fn read(&self, region: &Region) -> gpuvm_engine::Result<gpuvm_engine::Words> {
        let words = &self.words.lock().unwrap()[region.start as usize..][..region.words as usize];
        Ok(words.to_vec().into())
    }

    fn sort(&self, _: &Sort) -> gpuvm_engine::Result<Option<Duration>> {
        unreachable!("nothing is sorted here")
    }

    fn select(self: Arc<Self>, _: &Select) -> gpuvm_engine::Result<Box<dyn Selection>> {
        unreachable!("nothing is kept here")
    }

    fn in_use(&self) -> MemoryUse {
        MemoryUse::new(4 * self.words.lock().unwrap().len() as u64, 0, 0)
    }
}

fn memory(room: u64) -> (Arc<Fake>, Arc<dyn DeviceMemory>) {
    let fake = Arc::new(Fake {
        room,
        ..Fake::default()
    });
    (fake.clone(), fake)
}

/// `buffer` as `me: &mut u32` and `all: &[u32]`.
fn params(buffer: &Buffer<u32>) -> Vec<Bound<'static>> {
    let bound = |mode| Bound {
        mode,
        argument: Argument::Buffer(Arc::clone(buffer.store())),
    };
    vec![bound(Mode::Record), bound(Mode::Slice)]
}

fn seen(held: &mut Held<'_>) -> Vec<(bool, Option<usize>)> {
    let on_device = |seen: &Seen<'_>| (matches!(seen.view, View::Device { .. }), seen.copy_of);
    held.views().iter().map(on_device).collect()
}

#[test]
fn a_buffer_moves_only_when_it_is_asked_for() {
    let buffer = Buffer::new(&[1u32, 2, 3]);
    let (fake, memory) = memory(6);
    let mut held = Held::new(params(&buffer), Some(&memory), false).unwrap();
    assert_eq!(seen(&mut held), [(true, None), (true, Some(0))]);
    assert_eq!(fake.words.lock().unwrap()[..3], [1, 2, 3]);
    // What a launch leaves there.
    fake.words.lock().unwrap()[1] = 20;
    drop(held);
    assert_eq!(buffer.read().unwrap(), [1, 20, 3]);
    let mut held = Held::new(params(&buffer), None, false).unwrap();
    if let View::Write(column) = &mut held.views()[0].view {
        column.read_words(0..1, &[10]);
    }
    held.refresh().unwrap();
    assert_eq!(held.views()[1].view.words(), [10, 20, 3]);
    drop(held);
    assert_eq!(
        fake.words.lock().unwrap()[..3],
        [1, 20, 3],
        "nobody has asked for it there"
    );
    drop(
        Lease::take(buffer.store(), false, false)
            .unwrap()
            .use_on_device(&memory)
            .unwrap(),
    );
    assert_eq!(fake.words.lock().unwrap()[..3], [10, 20, 3]);
}

#[test]
fn what_has_no_room_stays_on_the_host() {
    let buffer = Buffer::new(&[1u32, 2, 3]);
    let (fake, small) = memory(4);
    let mut held = Held::new(params(&buffer), Some(&small), false).unwrap();
    assert_eq!(
        seen(&mut held),
        [(true, None), (false, Some(0))],
        "the copy has no room"
    );
    fake.words.lock().unwrap()[2] = 30;
    held.refresh().unwrap();
    assert_eq!(held.views()[1].view.words(), [1, 2, 30]);
    drop(held);
    let (_, tiny) = memory(2);
    let mut held = Held::new(params(&buffer), Some(&tiny), false).unwrap();
    assert_eq!(seen(&mut held), [(false, None), (false, Some(0))]);
    assert_eq!(held.views()[0].view.words(), [1, 2, 30]);
}

#[test]
fn an_execution_keeps_others_away() {
    let buffer = Buffer::new(&[1u32]);
    let held = Held::new(params(&buffer), None, true).unwrap();
    assert!(matches!(buffer.read(), Err(Error::BufferInUse { .. })));
    assert!(matches!(buffer.write(&[2]), Err(Error::BufferInUse { .. })));
    drop(held);
    buffer.write(&[2]).unwrap();
    assert_eq!(buffer.read().unwrap(), [2]);
}
