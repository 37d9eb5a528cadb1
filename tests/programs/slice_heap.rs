//! A generic priority queue over a slice that somebody else owns.

use core::borrow::Borrow;
use core::cmp::{Ordering, Reverse};

use gpuvm::prelude::*;

/// What is larger comes out first.
#[derive(VmType)]
pub struct Queue<'a, T> {
    items: &'a mut [T],
    len: usize,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

#[routine]
impl<'a, T: Ord + Copy> Queue<'a, T> {
    pub fn new(items: &'a mut [T]) -> Self {
        Self { items, len: 0 }
    }

    pub fn heapify(items: &'a mut [T]) -> Self {
        let len = items.len();
        let mut queue = Self { items, len };
        for at in (0..len / 2).rev() {
            queue.sift_down(at);
        }
        queue
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn peek(&self) -> Option<&T> {
        self.items[..self.len].first()
    }

    pub fn push(&mut self, item: T) -> Result<(), Full> {
        let slot = self.items.get_mut(self.len).ok_or(Full)?;
        *slot = item;
        self.len += 1;
        self.sift_up(self.len - 1);
        Ok(())
    }

    pub fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) -> Result<usize, Full> {
        let mut count = 0;
        for item in items {
            self.push(item)?;
            count += 1;
        }
        Ok(count)
    }

    pub fn pop(&mut self) -> Option<T> {
        let last = self.len.checked_sub(1)?;
        self.items.swap(0, last);
        self.len = last;
        self.sift_down(0);
        Some(self.items[last])
    }

    fn sift_up(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.items[at].cmp(&self.items[parent]) != Ordering::Greater {
                break;
            }
            self.items.swap(at, parent);
            at = parent;
        }
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let children = 2 * at + 1..(2 * at + 3).min(self.len);
            let Some(child) = children.max_by_key(|&i| self.items[i]) else {
                break;
            };
            if self.items[child] <= self.items[at] {
                break;
            }
            self.items.swap(at, child);
            at = child;
        }
    }

    /// Whether `item` is waiting.
    pub fn contains<Q>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        self.items[..self.len].iter().any(|other| other.borrow() == item)
    }

    pub fn drain(&mut self) -> Drain<'_, 'a, T> {
        Drain { queue: self }
    }
}

#[derive(VmType)]
pub struct Drain<'q, 'a, T> {
    queue: &'q mut Queue<'a, T>,
}

#[routine]
impl<T: Ord + Copy> Iterator for Drain<'_, '_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.queue.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.queue.len(), Some(self.queue.len()))
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Task {
    urgency: u8,
    name: char,
}

#[routine]
pub fn largest(values: &[i32], out: &mut [i32]) -> u32 {
    let mut room = [0; 16];
    let mut queue = Queue::new(&mut room);
    let pushed = match queue.extend(values.iter().copied().take(16)) {
        Ok(n) => n as u32,
        Err(Full) => return u32::MAX,
    };
    for (slot, value) in out.iter_mut().zip(queue.drain()) {
        *slot = value;
    }
    pushed
}

#[routine]
pub fn smallest_sum(values: [u32; 8], count: u32) -> u32 {
    let mut items = values.map(Reverse);
    let mut queue = Queue::heapify(&mut items);
    queue.drain().take(count as usize).map(|Reverse(value)| value).sum()
}

#[routine]
pub fn plan_tasks(tasks: &[u8]) -> [char; 4] {
    let mut room = [Task::default(); 4];
    let mut queue = Queue::new(&mut room);
    for pair in tasks.chunks_exact(2) {
        let &[urgency, name] = pair else { unreachable!() };
        let task = Task {
            urgency: urgency - b'0',
            name: name.into(),
        };
        if queue.contains(&task) {
            continue;
        }
        if queue.push(task).is_err() && queue.peek().is_some_and(|top| top < &task) {
            queue.pop();
            queue.push(task).expect("there is room now");
        }
    }
    let mut names = ['-'; 4];
    names
        .iter_mut()
        .zip(queue.drain())
        .for_each(|(slot, task)| *slot = task.name);
    names
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        let mut out = [0; 3];
        assert_eq!(largest(&[3, 1, 4, 1, 5, 9, 2, 6], &mut out), 8);
        assert_eq!(out, [9, 6, 5]);
        assert_eq!(smallest_sum([5, 3, 8, 1, 9, 2, 7, 7], 3), 6);
        assert_eq!(plan_tasks(b"1a5b3c3c9d7e"), ['d', 'b', 'c', 'a']);
    }
}
