//! A line editor on a gap buffer: commands from a script, a cursor, and as much undone and redone as one likes.

use core::cmp::Ordering;
use core::ops::{ControlFlow, Index, Range};

use gpuvm::prelude::*;

/// Text with a gap where the cursor is.
#[derive(VmType, Clone, Copy)]
struct GapBuffer<const N: usize> {
    bytes: [u8; N],
    gap: (usize, usize),
}

#[routine]
impl<const N: usize> GapBuffer<N> {
    const EMPTY: Self = GapBuffer {
        bytes: [0; N],
        gap: (0, N),
    };

    fn len(&self) -> usize {
        N - (self.gap.1 - self.gap.0)
    }

    fn cursor(&self) -> usize {
        self.gap.0
    }

    fn move_to(&mut self, at: usize) {
        let (start, end) = self.gap;
        match at.cmp(&start) {
            Ordering::Less => self.bytes.copy_within(at..start, end - (start - at)),
            Ordering::Greater => self.bytes.copy_within(end..end + (at - start), start),
            Ordering::Equal => return,
        }
        self.gap = (at, end - start + at);
    }

    fn insert(&mut self, byte: u8) -> Result<(), EditError> {
        if self.gap.0 == self.gap.1 {
            return Err(EditError::Full);
        }
        self.bytes[self.gap.0] = byte;
        self.gap.0 += 1;
        Ok(())
    }

    fn delete_before(&mut self) -> Option<u8> {
        let at = self.gap.0.checked_sub(1)?;
        self.gap.0 = at;
        Some(self.bytes[at])
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &u8> + '_ {
        let (start, end) = self.gap;
        self.bytes[..start].iter().chain(&self.bytes[end..])
    }

    fn word_before(&self) -> Range<usize> {
        let end = self.cursor();
        let is_space = |i: &usize| self[*i].is_ascii_whitespace();
        let last = (0..end).rev().find(|i| !is_space(i)).map_or(0, |i| i + 1);
        let start = (0..last).rev().find(is_space).map_or(0, |i| i + 1);
        start..end
    }
}

#[routine]
impl<const N: usize> Index<usize> for GapBuffer<N> {
    type Output = u8;

    fn index(&self, i: usize) -> &u8 {
        let (start, end) = self.gap;
        &self.bytes[if i < start { i } else { i - start + end }]
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditError {
    Full,
    Forgotten,
    BadCommand { byte: u8, at: u32 },
}

#[derive(VmType, Clone, Copy, Debug)]
enum Edit {
    Insert {
        at: usize,
        byte: u8,
    },
    Delete {
        at: usize,
        byte: u8,
    },
    /// Where a command begins.
    Mark,
}

#[routine]
impl Edit {
    fn inverse(self) -> Self {
        match self {
            Edit::Insert { at, byte } => Edit::Delete { at, byte },
            Edit::Delete { at, byte } => Edit::Insert { at, byte },
            Edit::Mark => Edit::Mark,
        }
    }
}

#[derive(VmType, Clone, Copy)]
struct History<const N: usize> {
    edits: [Edit; N],
    done: usize,
    known: usize,
}

#[routine]
impl<const N: usize> History<N> {
    fn push(&mut self, edit: Edit) -> Result<(), EditError> {
        *self.edits.get_mut(self.done).ok_or(EditError::Forgotten)? = edit;
        self.done += 1;
        self.known = self.done;
        Ok(())
    }

    fn back(&mut self) -> Option<Edit> {
        self.done = self.done.checked_sub(1)?;
        Some(self.edits[self.done])
    }

    fn forth(&mut self) -> Option<Edit> {
        let edit = self.edits[..self.known].get(self.done).copied();
        self.done += usize::from(edit.is_some());
        edit
    }
}

#[derive(VmType, Clone, Copy)]
struct Editor {
    text: GapBuffer<48>,
    history: History<64>,
}

#[routine]
impl Editor {
    fn new() -> Self {
        Editor {
            text: GapBuffer::EMPTY,
            history: History {
                edits: [Edit::Mark; 64],
                done: 0,
                known: 0,
            },
        }
    }

    fn apply(&mut self, edit: Edit) -> Result<(), EditError> {
        match edit {
            Edit::Insert { at, byte } => {
                self.text.move_to(at);
                self.text.insert(byte)
            }
            Edit::Delete { at, .. } => {
                self.text.move_to(at + 1);
                self.text.delete_before().map(|_| ()).ok_or(EditError::Forgotten)
            }
            Edit::Mark => Ok(()),
        }
    }

    fn commit(&mut self, edit: Edit) -> Result<(), EditError> {
        self.apply(edit)?;
        self.history.push(edit)
    }

    fn delete(&mut self, range: Range<usize>) -> Result<(), EditError> {
        for at in range.rev() {
            let byte = self.text[at];
            self.commit(Edit::Delete { at, byte })?;
        }
        Ok(())
    }

    fn undo(&mut self) -> Result<(), EditError> {
        while let Some(edit) = self.history.back() {
            if matches!(edit, Edit::Mark) {
                break;
            }
            self.apply(edit.inverse())?;
        }
        Ok(())
    }

    fn redo(&mut self) -> Result<(), EditError> {
        // The mark of the command itself comes first.
        let mut marks = 0;
        let done = loop {
            let Some(edit) = self.history.forth() else { break Ok(()) };
            if let Edit::Mark = edit {
                marks += 1;
                if marks == 2 {
                    self.history.done -= 1;
                    break Ok(());
                }
            }
            if let error @ Err(_) = self.apply(edit) {
                break error;
            }
        };
        done
    }

    /// `<` and `>` move, `^` and `$` go to the ends, `-` deletes, `w` deletes a word, `u` and `r` undo and redo; what stands in quotes is typed.
    fn run(&mut self, script: &[u8]) -> Result<u32, EditError> {
        let mut commands = script.iter().copied().enumerate();
        let mut count = 0;
        while let Some((at, command)) = commands.next() {
            let cursor = self.text.cursor();
            if let b'"' | b'-' | b'w' = command {
                self.history.push(Edit::Mark)?;
            }
            match command {
                b'<' => self.text.move_to(cursor.saturating_sub(1)),
                b'>' if cursor < self.text.len() => self.text.move_to(cursor + 1),
                b'>' => {}
                b'^' => self.text.move_to(0),
                b'$' => self.text.move_to(self.text.len()),
                b'-' => self.delete(cursor.saturating_sub(1)..cursor)?,
                b'w' => self.delete(self.text.word_before())?,
                b'u' => self.undo()?,
                b'r' => self.redo()?,
                b'"' => {
                    let typed = commands.try_for_each(|(_, byte)| {
                        if byte == b'"' {
                            return ControlFlow::Break(Ok(()));
                        }
                        let at = self.text.cursor();
                        match self.commit(Edit::Insert { at, byte }) {
                            Ok(()) => ControlFlow::Continue(()),
                            error => ControlFlow::Break(error),
                        }
                    });
                    if let ControlFlow::Break(result) = typed {
                        result?;
                    }
                }
                byte => return Err(EditError::BadCommand { byte, at: at as u32 }),
            }
            count += 1;
        }
        Ok(count)
    }
}

/// Runs a script and leaves the text; how many commands there were, how long the text is, and where the cursor.
#[routine]
pub fn edit_text(script: &[u8], out: &mut [u8]) -> Result<(u32, u32, u32), EditError> {
    let mut editor = Editor::new();
    let count = editor.run(script)?;
    for (slot, &byte) in out.iter_mut().zip(editor.text.iter()) {
        *slot = byte;
    }
    Ok((count, editor.text.len() as u32, editor.text.cursor() as u32))
}

/// Whether the text that a script leaves reads the same from its end, spaces and cases aside.
#[routine]
pub fn edits_to_palindrome(script: &[u8]) -> Option<bool> {
    let mut editor = Editor::new();
    editor.run(script).ok()?;
    let letters = || {
        let letters = editor.text.iter().filter(|byte| byte.is_ascii_alphabetic());
        letters.map(u8::to_ascii_lowercase)
    };
    Some(letters().eq(letters().rev()))
}

pub fn known() {
    let run = |script: &str| {
        let mut out = [0; 48];
        let (_, len, cursor) = edit_text(script.as_bytes(), &mut out).unwrap();
        (String::from_utf8(out[..len as usize].to_vec()).unwrap(), cursor)
    };
    assert_eq!(run(r#""hello"<<-"L""#), ("heLlo".into(), 3));
    assert_eq!(run(r#""one two "w"2""#), ("one 2".into(), 5));
    assert_eq!(run(r#""one two "w"2"uu"#), ("one two ".into(), 8));
    assert_eq!(run(r#""one two "w"2"uur$"!""#), ("one !".into(), 5));
    assert_eq!(run(r#""abc"uuu"#), ("".into(), 0));
    assert_eq!(
        edit_text(b"x", &mut []),
        Err(EditError::BadCommand { byte: b'x', at: 0 })
    );
    assert_eq!(edit_text(&[b'"'; 70], &mut []), Ok((35, 0, 0)));
    assert_eq!(edits_to_palindrome(br#""no X in Nixon"-"n""#), Some(true));
    assert_eq!(edits_to_palindrome(br#""ab""#), Some(false));
}
