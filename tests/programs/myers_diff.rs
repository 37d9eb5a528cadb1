//! The shortest edit script between two sequences, by Myers' greedy algorithm, as an iterator of runs.

use core::ops::{ControlFlow, Range};

use gpuvm::prelude::*;

const MAX: usize = 24;
const WIDTH: usize = 2 * MAX + 1;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Keep,
    Delete,
    Insert,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub op: Op,
    pub old: (u32, u32),
    pub new: (u32, u32),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffError {
    TooDifferent { at_least: u32 },
    NoRoom,
}

/// Furthest reaching points by diagonal, one row for each number of edits.
#[derive(VmType)]
struct Trace {
    rows: [[u8; WIDTH]; MAX + 1],
    edits: usize,
}

#[routine]
fn common_prefix<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

#[routine]
impl Trace {
    fn find<T: PartialEq>(a: &[T], b: &[T]) -> Result<Self, DiffError> {
        let mut trace = Trace {
            rows: [[0; WIDTH]; MAX + 1],
            edits: 0,
        };
        let found = (0..=MAX).try_for_each(|d| {
            if d > 0 {
                trace.rows[d] = trace.rows[d - 1];
            }
            let row = &mut trace.rows[d];
            for k in (-(d as isize)..=d as isize).step_by(2) {
                let at = |k: isize| (k + MAX as isize) as usize;
                let x = match k {
                    0 if d == 0 => 0,
                    k if k == -(d as isize) => row[at(k + 1)],
                    k if k == d as isize => row[at(k - 1)] + 1,
                    k => row[at(k + 1)].max(row[at(k - 1)] + 1),
                };
                let Some(y) = (x as usize).checked_add_signed(-k) else {
                    continue;
                };
                if x as usize > a.len() || y > b.len() {
                    row[at(k)] = x;
                    continue;
                }
                let x = x as usize + common_prefix(&a[x as usize..], &b[y..]);
                row[at(k)] = x as u8;
                if x == a.len() && x.wrapping_add_signed(-k) == b.len() {
                    return ControlFlow::Break(d);
                }
            }
            ControlFlow::Continue(())
        });
        match found {
            ControlFlow::Break(edits) => Ok(Trace { edits, ..trace }),
            ControlFlow::Continue(()) => Err(DiffError::TooDifferent {
                at_least: MAX as u32 + 1,
            }),
        }
    }

    fn point(&self, d: usize, k: isize) -> usize {
        self.rows[d][(k + MAX as isize) as usize].into()
    }
}

/// The script from its end to its beginning.
#[derive(VmType)]
struct Backwards<'a> {
    trace: &'a Trace,
    x: usize,
    y: usize,
    d: usize,
    pending: Option<Run>,
}

#[routine]
impl Iterator for Backwards<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        if let Some(run) = self.pending.take() {
            return Some(run);
        }
        if self.x == 0 && self.y == 0 {
            return None;
        }
        let run = |op, old: Range<usize>, new: Range<usize>| Run {
            op,
            old: (old.start as u32, old.end as u32),
            new: (new.start as u32, new.end as u32),
        };
        let (x, y) = (self.x, self.y);
        if self.d == 0 {
            (self.x, self.y) = (0, 0);
            return Some(run(Op::Keep, 0..x, 0..y));
        }
        let k = x as isize - y as isize;
        let d = self.d as isize;
        self.d -= 1;
        let down = k == -d || k != d && self.trace.point(self.d, k - 1) < self.trace.point(self.d, k + 1);
        let k = if down { k + 1 } else { k - 1 };
        let from = self.trace.point(self.d, k);
        let (from_x, from_y) = (from, from.wrapping_add_signed(-k));
        let edit = match down {
            true => run(Op::Insert, from_x..from_x, from_y..from_y + 1),
            false => run(Op::Delete, from_x..from_x + 1, from_y..from_y),
        };
        (self.x, self.y) = (from_x, from_y);
        let kept = run(Op::Keep, edit.old.1 as usize..x, edit.new.1 as usize..y);
        if kept.old.0 < kept.old.1 {
            self.pending = Some(edit);
            Some(kept)
        } else {
            Some(edit)
        }
    }
}

/// Writes the runs in order, neighbours of one kind as one, and says how many there are.
#[routine]
fn script<T: PartialEq>(old: &[T], new: &[T], out: &mut [Option<Run>]) -> Result<usize, DiffError> {
    let trace = Trace::find(old, new)?;
    let walk = Backwards {
        trace: &trace,
        x: old.len(),
        y: new.len(),
        d: trace.edits,
        pending: None,
    };
    let mut len: usize = 0;
    for run in walk {
        if let Some(Some(last)) = len.checked_sub(1).map(|i| &mut out[i])
            && last.op == run.op
        {
            last.old.0 = run.old.0;
            last.new.0 = run.new.0;
            continue;
        }
        *out.get_mut(len).ok_or(DiffError::NoRoom)? = Some(run);
        len += 1;
    }
    out[..len].reverse();
    Ok(len)
}

#[routine]
pub fn diff_bytes(old: &[u8], new: &[u8], out: &mut [Option<Run>]) -> Result<u32, DiffError> {
    out.fill(None);
    script(old, new, out).map(|len| len as u32)
}

/// How many edits lead from one list of lines to the other, lines compared as a whole.
#[routine]
pub fn diff_lines(old: &[u8], new: &[u8]) -> Result<[u32; 3], DiffError> {
    fn lines<'a>(text: &'a [u8], into: &mut [&'a [u8]; 16]) -> Option<usize> {
        let mut count = 0;
        for line in text.split(|&byte| byte == b'\n') {
            *into.get_mut(count)? = line;
            count += 1;
        }
        Some(count)
    }
    let mut old_lines = [&b""[..]; 16];
    let mut new_lines = [&b""[..]; 16];
    let m = lines(old, &mut old_lines).ok_or(DiffError::NoRoom)?;
    let n = lines(new, &mut new_lines).ok_or(DiffError::NoRoom)?;
    let mut runs = [None; 33];
    let len = script(&old_lines[..m], &new_lines[..n], &mut runs)?;
    let mut counts = [0; 3];
    for Run { op, old, new } in runs[..len].iter().flatten() {
        counts[*op as usize] += (old.1 - old.0).max(new.1 - new.0);
    }
    Ok(counts)
}

/// What comes of the old sequence by the script.
#[routine]
pub fn patched(old: &[u8], new: &[u8]) -> [u8; 16] {
    let mut runs = [None; 16];
    let mut text = [0; 16];
    let Ok(len) = script(old, new, &mut runs) else {
        return text;
    };
    let bytes = runs[..len].iter().flatten().flat_map(|run| {
        let (part, range) = match run.op {
            Op::Keep => (old, run.old),
            Op::Insert => (new, run.new),
            Op::Delete => (old, (0, 0)),
        };
        &part[range.0 as usize..range.1 as usize]
    });
    for (slot, byte) in text.iter_mut().zip(bytes) {
        *slot = *byte;
    }
    text
}

pub fn known() {
    let mut out = [None; 12];
    let len = diff_bytes(b"ABCABBA", b"CBABAC", &mut out).unwrap();
    let edits: u32 = out[..len as usize]
        .iter()
        .flatten()
        .filter(|run| run.op != Op::Keep)
        .map(|run| (run.old.1 - run.old.0) + (run.new.1 - run.new.0))
        .sum();
    assert_eq!(edits, 5);
    assert_eq!(diff_bytes(b"same", b"same", &mut out), Ok(1));
    assert_eq!(diff_bytes(b"", b"", &mut out), Ok(0));
    assert_eq!(
        diff_bytes(&[1; 20], &[2; 20], &mut out),
        Err(DiffError::TooDifferent { at_least: 25 })
    );
    assert_eq!(diff_lines(b"a\nb\nc", b"a\nc\nd"), Ok([2, 1, 1]));
    assert_eq!(&patched(b"kitten", b"sitting")[..8], b"sitting\0");
}
