//! A vector in an array, with the methods that one misses, and a stack of work done by it: quickhull in a plane.

use core::fmt::{self, Debug};
use core::iter::FromIterator;
use core::ops::{Bound, Deref, DerefMut, RangeBounds};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
pub struct ArrayVec<T, const N: usize> {
    items: [T; N],
    len: usize,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapacityError<T>(pub T);

#[routine]
impl<T: Copy + Default, const N: usize> ArrayVec<T, N> {
    pub fn new() -> Self {
        Self {
            items: [T::default(); N],
            len: 0,
        }
    }

    pub fn try_push(&mut self, item: T) -> Result<(), CapacityError<T>> {
        match self.items.get_mut(self.len) {
            Some(place) => {
                *place = item;
                self.len += 1;
                Ok(())
            }
            None => Err(CapacityError(item)),
        }
    }

    pub fn push(&mut self, item: T) {
        if self.try_push(item).is_err() {
            panic!("an ArrayVec of {N} items is full");
        }
    }

    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[self.len])
    }

    pub fn insert(&mut self, at: usize, item: T) {
        assert!(at <= self.len, "index {at} is beyond {}", self.len);
        self.push(item);
        self[at..].rotate_right(1);
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let mut kept = 0;
        for i in 0..self.len {
            if keep(&self.items[i]) {
                self.items.swap(kept, i);
                kept += 1;
            }
        }
        self.len = kept;
    }

    pub fn drain<R: RangeBounds<usize>>(&mut self, range: R) -> ArrayVec<T, N> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&start) => start + 1,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&end) => end + 1,
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len,
        };
        let drained = self[start..end].iter().copied().collect();
        self.items.copy_within(end..self.len, start);
        self.len -= end - start;
        drained
    }
}

#[routine]
impl<T: Copy, const N: usize> Deref for ArrayVec<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items[..self.len]
    }
}

#[routine]
impl<T: Copy, const N: usize> DerefMut for ArrayVec<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.len]
    }
}

#[routine]
impl<T: Copy + Default, const N: usize> FromIterator<T> for ArrayVec<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut vec = Self::new();
        for item in items {
            vec.push(item);
        }
        vec
    }
}

impl<T: Copy + Debug, const N: usize> Debug for ArrayVec<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    pub x: i16,
    pub y: i16,
}

#[routine]
impl Site {
    /// Twice the area to the left of the way from `a` over `b` to it.
    fn left_of(self, a: Site, b: Site) -> i32 {
        let across = |p: i16, q: i16| i32::from(p) - i32::from(q);
        across(b.x, a.x) * across(self.y, a.y) - across(b.y, a.y) * across(self.x, a.x)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum HullError {
    TooFew(u32),
    OnALine { from: Site, to: Site },
}

/// The corners of the hull, against the clock, from the leftmost on.
#[routine]
fn hull(sites: &[Site]) -> Result<ArrayVec<Site, 16>, HullError> {
    let (first, last) = match (sites.iter().min(), sites.iter().max()) {
        (Some(&first), Some(&last)) if first != last => (first, last),
        _ => return Err(HullError::TooFew(sites.len() as u32)),
    };
    let mut corners: ArrayVec<Site, 16> = [first].into_iter().collect();
    let mut work = ArrayVec::<(Site, Site), 16>::new();
    work.push((last, first));
    work.push((first, last));
    while let Some((a, b)) = work.pop() {
        let farthest = sites
            .iter()
            .filter(|site| site.left_of(b, a) > 0)
            .max_by_key(|site| (site.left_of(b, a), **site));
        match farthest {
            Some(&corner) => {
                work.push((corner, b));
                work.push((a, corner));
            }
            None if b != first => corners.push(b),
            None => {}
        }
    }
    if corners.len() < 3 {
        return Err(HullError::OnALine { from: first, to: last });
    }
    Ok(corners)
}

/// Twice the hull's area, and its corners.
#[routine]
pub fn quickhull(sites: &[Site], out: &mut [Site]) -> Result<(i32, u32), HullError> {
    let corners = hull(sites)?;
    let fan = corners[1..].windows(2).map(|pair| pair[1].left_of(corners[0], pair[0]));
    let area = fan.sum();
    let shown = corners.len().min(out.len());
    out[..shown].copy_from_slice(&corners[..shown]);
    Ok((area, corners.len() as u32))
}

/// What becomes of bytes: small ones kept, one put in, the middle taken out.
#[routine]
pub fn edited(bytes: [u8; 8], limit: u8, at: u32) -> ([u8; 8], u32, Option<u8>, u32) {
    let mut vec: ArrayVec<u8, 9> = bytes.into_iter().collect();
    vec.retain(|&byte| byte < limit);
    vec.insert(at as usize, 0xff);
    let taken = vec.drain(1..=2);
    let rest = vec.drain(vec.len() / 2..);
    vec.sort_unstable();
    let mut out = [0; 8];
    for (slot, byte) in out.iter_mut().zip(vec.iter().chain(taken.iter())) {
        *slot = *byte;
    }
    (
        out,
        vec.len() as u32,
        rest.last().copied(),
        taken.iter().map(|&b| u32::from(b)).sum(),
    )
}

pub fn known() {
    let sites = [(0, 0), (4, 0), (4, 3), (0, 3), (2, 1), (3, 2)].map(|(x, y)| Site { x, y });
    let mut out = [Site::default(); 5];
    assert_eq!(quickhull(&sites, &mut out), Ok((24, 4)));
    assert_eq!(out[..4], [(0, 0), (4, 0), (4, 3), (0, 3)].map(|(x, y)| Site { x, y }));
    assert_eq!(quickhull(&sites[..1], &mut out), Err(HullError::TooFew(1)));
    let line = [0, 5, 2].map(|x| Site { x, y: x });
    assert!(matches!(
        quickhull(&line, &mut out),
        Err(HullError::OnALine {
            from: Site { x: 0, .. },
            ..
        })
    ));
    assert_eq!(
        edited([5, 200, 3, 1, 9, 2, 250, 7], 100, 1),
        ([1, 5, 255, 3, 0, 0, 0, 0], 2, Some(7), 258)
    );
    let vec: ArrayVec<u8, 3> = [1, 2].into_iter().collect();
    assert_eq!(format!("{vec:?}"), "[1, 2]");
}
