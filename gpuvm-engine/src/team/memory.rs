//! The memories of several devices as one: a column is on each as far as that has needed it, and a word of it is current on some of them.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::elsewhere::Elsewhere;
use super::group::Group;
use super::pieces::{PieceSource, Pieces};
use super::ranges::Ranges;
use super::shares::Work;
use crate::error::Result;
use crate::{DeviceMemory, Error, Kept, MemoryUse, Region, Rule, Select, Selection, Sort, Source, Words};

/// Words at whose multiples a device may want columns to begin that it selects from: 256 bytes.
const ALIGNED: u32 = 64;

/// A selection of no entries.
const NOTHING: Kept = Kept {
    count: 0,
    device_time: None,
};

/// The devices' memories.
pub(super) struct TeamMemory {
    pub members: Vec<Arc<dyn DeviceMemory>>,
    pub group: Arc<Group>,
}

/// A column on several devices, which regions of the team's memory refer to.
pub(super) struct Column {
    words: u64,
    copies: Mutex<Vec<Copy>>,
    /// What several devices did last that have written to it.
    writer: Mutex<Option<Work>>,
}

/// What one device has of a column.
#[derive(Default)]
struct Copy {
    /// Room for the words from `first` on.
    room: Option<(Region, u64)>,
    current: Ranges,
}

/// What a device has of some words: its number, its room, and which of them are current.
type Held = (usize, (Region, u64), Vec<Range<u64>>);

/// The words of a column as a region of a device's memory.
fn sub_region((region, first): &(Region, u64), range: &Range<u64>) -> Region {
    Region {
        start: region.start + (range.start - first) as u32,
        words: (range.end - range.start) as u32,
        guard: Arc::clone(&region.guard),
    }
}

/// What only devices had that are lost.
fn gone() -> Error {
    Error::DeviceLost {
        reason: "a column was on it and nowhere else".to_string(),
    }
}

impl Copy {
    fn holds(&self, range: &Range<u64>) -> bool {
        self.room
            .as_ref()
            .is_some_and(|(region, first)| *first <= range.start && range.end <= first + u64::from(region.words))
    }
}

impl TeamMemory {
    /// A rank's memory among those of the others.
    pub fn over_ranks(own: Arc<dyn DeviceMemory>, group: &Arc<Group>) -> Arc<TeamMemory> {
        let member = |member| match group.is_here(member) {
            true => Arc::clone(&own),
            false => Arc::new(Elsewhere) as Arc<dyn DeviceMemory>,
        };
        Arc::new(TeamMemory {
            members: (0..group.members()).map(member).collect(),
            group: Arc::clone(group),
        })
    }

    /// The column that a region of this memory stands for, and which of its words.
    pub fn column(region: &Region) -> Result<(Arc<Column>, Range<u64>)> {
        let column = Arc::clone(&region.guard)
            .downcast::<Column>()
            .map_err(|_| Error::Device {
                reason: "a region is of another memory".to_string(),
            })?;
        let start = u64::from(region.start);
        Ok((column, start..start + u64::from(region.words)))
    }

    /// Sees to it that a device has room for some words of a column, with what is current of them anywhere, unless all of them are about to be
    /// overwritten. Gives the room, and which word is its first.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], or when a device fails.
    pub fn bring(
        &self,
        member: usize,
        column: &Column,
        range: &Range<u64>,
        overwritten: bool,
    ) -> Result<(Region, u64)> {
        let all = std::slice::from_ref(range);
        self.bring_parts(member, column, range, if overwritten { &[] } else { all })
    }

    /// The same of words of which these are read.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn bring_parts(
        &self,
        member: usize,
        column: &Column,
        range: &Range<u64>,
        read: &[Range<u64>],
    ) -> Result<(Region, u64)> {
        let mut copies = column.lock();
        if !copies[member].holds(range) {
            self.make_room(&mut copies[member], member, range)?;
        }
        for part in read {
            for missing in copies[member].current.missing(part) {
                self.fetch(&mut copies, member, &missing)?;
            }
        }
        copies[member].room.clone().ok_or_else(|| Error::Device {
            reason: "a column has no room on a device".to_string(),
        })
    }

    /// Room for these words and those that are there, which move.
    fn make_room(&self, copy: &mut Copy, member: usize, range: &Range<u64>) -> Result<()> {
        let allocate = |range: &Range<u64>| {
            self.group
                .of(member, self.members[member].allocate(range.end - range.start))
        };
        // It stays as it is if there is no room for more.
        let Some(before) = copy.room.clone() else {
            copy.room = Some((allocate(range)?, range.start));
            return Ok(());
        };
        let end = before.1 + u64::from(before.0.words);
        let hull = range.start.min(before.1)..range.end.max(end);
        let room = (allocate(&hull)?, hull.start);
        for known in copy.current.within(&hull) {
            let (from, to) = (sub_region(&before, &known), sub_region(&room, &known));
            self.carry((member, &from), (member, &to))?;
        }
        copy.room = Some(room);
        Ok(())
    }

    /// Brings words to a device from wherever they are. What nobody has written is anything.
    fn fetch(&self, copies: &mut [Copy], member: usize, range: &Range<u64>) -> Result<()> {
        let others = (0..copies.len()).filter(|from| *from != member);
        for from in others.clone().filter(|from| !self.group.shares.is_lost(*from)) {
            let held: Vec<Range<u64>> = copies[from].current.within(range).collect();
            for part in held {
                for missing in copies[member].current.missing(&part) {
                    let (Some(source), Some(target)) = (&copies[from].room, &copies[member].room) else {
                        continue;
                    };
                    let (source, target) = (sub_region(source, &missing), sub_region(target, &missing));
                    self.carry((from, &source), (member, &target))?;
                    copies[member].current.insert(missing);
                }
            }
        }
        let missing = copies[member].current.missing(range);
        let is_gone = |from: usize| {
            missing
                .iter()
                .any(|part| copies[from].current.within(part).next().is_some())
        };
        match others.clone().any(is_gone) {
            true => Err(gone()),
            false => Ok(()),
        }
    }

    fn read_from(&self, member: usize, region: &Region) -> Result<Words> {
        self.group.of(member, self.members[member].read(region))
    }

    fn write_to(&self, member: usize, region: &Region, words: &dyn Source) -> Result<()> {
        self.group.of(member, self.members[member].write(region, words))
    }

    /// Takes words from a device to one that may be the same, without the host where that can be.
    fn carry(&self, (from, source): (usize, &Region), (to, target): (usize, &Region)) -> Result<()> {
        let [sender, receiver] = [from, to].map(|member| &*self.members[member]);
        let both_here = self.group.is_here(from) && self.group.is_here(to);
        if both_here && from == to {
            return self.group.of(to, receiver.copy(source, target));
        }
        if both_here && self.group.of(to, receiver.copy_from(sender, source, target))? {
            return Ok(());
        }
        self.group.carry(
            (from, to, source.words as usize),
            || self.read_from(from, source),
            |words| self.write_to(to, target, &&**words),
        )
    }

    /// Words that a device has, for the host of every rank.
    fn read_for_all(&self, member: usize, region: &Region) -> Result<Words> {
        let read = || self.read_from(member, region);
        self.group.words_of(member, region.words as usize, read)
    }

    /// The copies of a column on devices that are not lost, by their members.
    fn alive<'c>(&self, copies: &'c [Copy]) -> impl Iterator<Item = (usize, &'c Copy)> {
        copies
            .iter()
            .enumerate()
            .filter(|(member, _)| !self.group.shares.is_lost(*member))
    }

    /// All that is current of some words of a column, and zeros elsewhere.
    pub fn gather(&self, column: &Column, range: &Range<u64>) -> Result<Words> {
        let copies = column.lock();
        // All of it is where one device has it.
        let has_all = |(_, copy): &(usize, &Copy)| copy.room.is_some() && copy.current.missing(range).is_empty();
        let own = self
            .group
            .ranks()
            .and_then(|ranks| Some((ranks.own(), copies[ranks.own()].room.as_ref()?)));
        if let Some((member, room)) = own
            && self.alive(&copies).all(|copy| has_all(&copy))
        {
            return self.read_from(member, &sub_region(room, range));
        }
        if let Some((member, copy)) = self.alive(&copies).find(has_all)
            && let Some(room) = &copy.room
        {
            return self.read_for_all(member, &sub_region(room, range));
        }
        let mut words = crate::touched((range.end - range.start) as usize);
        let mut left = Ranges::default();
        left.insert(range.clone());
        for (member, copy) in self.alive(&copies) {
            let Some(room) = &copy.room else { continue };
            let held: Vec<Range<u64>> = copy.current.within(range).collect();
            let wanted: Vec<Range<u64>> = held.iter().flat_map(|held| left.within(held)).collect();
            for part in wanted {
                let at = (part.start - range.start) as usize;
                let read = self.read_for_all(member, &sub_region(room, &part))?;
                words[at..at + read.len()].copy_from_slice(&read);
                left.remove(&part);
            }
        }
        let is_left = |copy: &Copy| {
            copy.current
                .within(range)
                .any(|part| left.within(&part).next().is_some())
        };
        if copies.iter().any(is_left) {
            return Err(gone());
        }
        Ok(words.into())
    }

    /// Copies words of one column to another one, which is as long: each device what it has.
    pub fn copy(&self, (from, read): (&Column, &Range<u64>), (to, written): (&Column, &Range<u64>)) -> Result<()> {
        let there =
            |words: &Range<u64>| words.start - read.start + written.start..words.end - read.start + written.start;
        let held: Vec<Held> = {
            let copies = from.lock();
            let of = |(member, copy): (usize, &Copy)| {
                let room = copy.room.clone()?;
                Some((member, room, copy.current.within(read).collect()))
            };
            self.alive(&copies).filter_map(of).collect()
        };
        // What nobody has any more is old.
        for copy in to.lock().iter_mut() {
            copy.current.remove(written);
        }
        for (member, source, parts) in held {
            let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
                continue;
            };
            let target = self.bring_parts(member, to, &there(&(first.start..last.end)), &[])?;
            for part in &parts {
                let (from, to) = (sub_region(&source, part), sub_region(&target, &there(part)));
                self.group.of(member, self.members[member].copy(&from, &to))?;
            }
            let mut copies = to.lock();
            parts.iter().for_each(|part| copies[member].current.insert(there(part)));
        }
        Ok(())
    }

    /// Notes that a device has written words, so that what others have of them is old.
    pub fn written(&self, member: usize, column: &Column, range: &Range<u64>) {
        for (number, copy) in column.lock().iter_mut().enumerate() {
            match number == member {
                true => copy.current.insert(range.clone()),
                false => copy.current.remove(range),
            }
        }
    }

    /// Words of a column as a region of a device's memory, with all that is current of them.
    pub fn whole(&self, member: usize, column: &Column, words: &Range<u64>) -> Result<Region> {
        Ok(sub_region(&self.bring(member, column, words, false)?, words))
    }

    /// Has each device overwrite a part of a region: in this room, these of the region's words.
    fn overwrite(&self, region: &Region, each: impl Fn(usize, &Region, &Range<u32>) -> Result<()>) -> Result<()> {
        let (column, range) = TeamMemory::column(region)?;
        let all = range.end - range.start;
        let bounds = self.group.shares.cut(u32::try_from(all).unwrap_or(u32::MAX));
        for (member, part) in bounds.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            let own = range.start + u64::from(part.start)..range.start + u64::from(part.end);
            let room = self.bring(member, &column, &own, true)?;
            each(member, &sub_region(&room, &own), &part)?;
            self.written(member, &column, &own);
        }
        Ok(())
    }

    /// The same for what one device does alone. What several have left is not done by several any more.
    pub fn whole_alone(&self, member: usize, column: &Column, words: &Range<u64>) -> Result<Region> {
        let writer = column.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            self.group.shares.see_moved(writer);
        }
        self.whole(member, column, words)
    }

    /// Notes that all devices which are not lost have written the same words.
    pub fn written_by_all(&self, column: &Column, range: &Range<u64>) {
        for (member, copy) in column.lock().iter_mut().enumerate() {
            match self.group.shares.is_lost(member) {
                true => copy.current.remove(range),
                false => copy.current.insert(range.clone()),
            }
        }
    }

    /// A region of the team's as one of the first device, with all that is current of it.
    fn on_first(&self, region: &Region, overwritten: bool) -> Result<Region> {
        let (column, range) = TeamMemory::column(region)?;
        let first = self.group.shares.first();
        if !overwritten {
            return self.whole_alone(first, &column, &range);
        }
        let room = self.bring(first, &column, &range, true)?;
        self.written(first, &column, &range);
        Ok(sub_region(&room, &range))
    }
}

/// A selection on one device.
struct Selecting {
    member: usize,
    /// Where what it keeps goes.
    room: Region,
    /// Until it is waited for.
    selection: Option<Box<dyn Selection>>,
}

/// A selection on one rank's device, of which all ranks are told.
struct ToldSelection {
    group: Arc<Group>,
    first: usize,
    selection: Box<dyn Selection>,
}

impl Selection for ToldSelection {
    fn wait(self: Box<Self>) -> Result<Kept> {
        let Self {
            group,
            first,
            selection,
        } = *self;
        group.told(first, || group.of(first, selection.wait()))
    }
}

/// A selection on several devices. What each keeps stays with it.
struct TeamSelection {
    memory: Arc<TeamMemory>,
    parts: Vec<Selecting>,
    entry_words: u32,
    kept: Arc<Column>,
}

impl Selection for TeamSelection {
    fn wait(self: Box<Self>) -> Result<Kept> {
        let (mut count, mut device_time) = (0, None);
        // What the column was before is no more.
        for copy in self.kept.lock().iter_mut() {
            *copy = Copy::default();
        }
        let (group, mut parts) = (&self.memory.group, self.parts);
        let members: Vec<usize> = parts.iter().map(|part| part.member).collect();
        let wait = |member| {
            let part = parts.iter_mut().find(|part| part.member == member);
            let kept = part
                .and_then(|part| part.selection.take())
                .map_or(Ok(NOTHING), Selection::wait);
            group.of(member, kept)
        };
        let all = group.each(&members, wait)?;
        for (Selecting { member, room, .. }, done) in parts.into_iter().zip(all) {
            let word = |entry: u32| u64::from(entry) * u64::from(self.entry_words);
            let copy = &mut self.kept.lock()[member];
            copy.room = Some((room, word(count)));
            copy.current.insert(word(count)..word(count + done.count));
            count += done.count;
            device_time = device_time.max(done.device_time);
        }
        Ok(Kept { count, device_time })
    }
}

impl TeamMemory {
    /// A selection in parts, with the devices that have them; `None` if it is better done on one.
    fn parts_of(&self, select: &Select) -> Result<Option<Vec<(usize, Select)>>> {
        let parts = self.group.shares.cut(select.count).into_iter().enumerate();
        let parts: Vec<(usize, Range<u32>)> = parts.filter(|(_, part)| !part.is_empty()).collect();
        if parts.len() < 2 {
            return Ok(None);
        }
        let (mut cut, mut is_aligned) = (Vec::new(), true);
        for (member, part) in parts {
            let here = |region: &Region, each: u32| -> Result<Region> {
                let (column, all) = TeamMemory::column(region)?;
                let word = |entry: u32| all.start + u64::from(entry) * u64::from(each);
                self.whole(member, &column, &(word(part.start)..word(part.end)))
            };
            let by = here(&select.by, 1)?;
            let entries = here(&select.entries, select.entry_words)?;
            is_aligned &= [&by, &entries].iter().all(|region| region.start % ALIGNED == 0);
            let words = u64::from(select.entry_words) * part.len() as u64;
            let room = self.group.of(member, self.members[member].allocate(words))?;
            let part = Select {
                count: part.len() as u32,
                by,
                entries,
                kept: room,
                ..*select
            };
            cut.push((member, part));
        }
        let is_aligned = self.group.agree(is_aligned, |one, other| one && other)?;
        Ok(is_aligned.then_some(cut))
    }
}

impl Column {
    /// Notes what several devices do that write to it.
    pub fn written_by(&self, work: Work) {
        *self.writer.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Copy>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DeviceMemory for TeamMemory {
    fn allocate(&self, words: u64) -> Result<Region> {
        let too_many = |_| Error::OutOfMemory {
            reason: format!("a column of {words} words has more than a device can address"),
        };
        let copies = self.members.iter().map(|_| Copy::default()).collect();
        let column: Arc<dyn Any + Send + Sync> = Arc::new(Column {
            words,
            copies: Mutex::new(copies),
            writer: Mutex::default(),
        });
        Ok(Region {
            start: 0,
            words: u32::try_from(words).map_err(too_many)?,
            guard: column,
        })
    }

    fn write(&self, region: &Region, words: &dyn Source) -> Result<()> {
        self.overwrite(region, |member, room, part| {
            let pieces = Pieces::new(std::iter::once(part.start as usize..part.end as usize).collect());
            let source = PieceSource {
                all: words,
                pieces: &pieces,
            };
            self.write_to(member, room, &source)
        })
    }

    fn clear(&self, region: &Region) -> Result<()> {
        self.overwrite(region, |member, room, _| {
            self.group.of(member, self.members[member].clear(room))
        })
    }

    fn read(&self, region: &Region) -> Result<Words> {
        let (column, range) = TeamMemory::column(region)?;
        self.gather(&column, &(range.start.min(column.words)..range.end.min(column.words)))
    }

    fn sort(&self, sort: &Sort) -> Result<Option<Duration>> {
        let first = self.group.shares.first();
        let sorted = self.members[first].sort(&Sort {
            keys: self.on_first(&sort.keys, false)?,
            entries: self.on_first(&sort.entries, false)?,
            sorted: self.on_first(&sort.sorted, true)?,
            ..*sort
        });
        self.group.of(first, sorted)
    }

    fn select(self: Arc<Self>, select: &Select) -> Result<Box<dyn Selection>> {
        let (kept, _) = TeamMemory::column(&select.kept)?;
        let parts = match select.rule {
            Rule::Flagged => self.parts_of(select)?,
            // Whoever compares neighbours has to see them all.
            Rule::Marked | Rule::First { .. } | Rule::Last { .. } => None,
        };
        let Some(parts) = parts else {
            let first = self.group.shares.first();
            let alone = Select {
                by: self.on_first(&select.by, false)?,
                entries: self.on_first(&select.entries, false)?,
                kept: self.on_first(&select.kept, true)?,
                ..*select
            };
            let selection = self.group.of(first, Arc::clone(&self.members[first]).select(&alone))?;
            return Ok(match self.group.ranks() {
                None => selection,
                Some(_) => Box::new(ToldSelection {
                    group: Arc::clone(&self.group),
                    first,
                    selection,
                }),
            });
        };
        let begin = |(member, part): (usize, Select)| {
            let selection = Arc::clone(&self.members[member]).select(&part);
            Ok(Selecting {
                member,
                selection: Some(self.group.of(member, selection)?),
                room: part.kept,
            })
        };
        let begun: Result<Vec<Selecting>> = parts.into_iter().map(begin).collect();
        Ok(Box::new(TeamSelection {
            parts: begun?,
            entry_words: select.entry_words,
            kept,
            memory: self,
        }))
    }

    fn in_use(&self) -> MemoryUse {
        let all = self.members.iter().map(|memory| memory.in_use());
        all.fold(MemoryUse::default(), |all, one| {
            MemoryUse::new(all.data + one.data, all.work + one.work, all.idle + one.idle)
        })
    }
}
