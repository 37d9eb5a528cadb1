//! A regular expression matcher in Pike's style: a recursive-descent compiler and a machine of threads, no backtracking.

use core::mem;

use gpuvm::prelude::*;

const PROGRAM: usize = 64;

/// One bit for each byte.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Class([u32; 8]);

#[routine]
impl Class {
    const EMPTY: Self = Self([0; 8]);

    fn insert(&mut self, low: u8, high: u8) {
        for byte in low..=high {
            self.0[usize::from(byte / 32)] |= 1 << (byte % 32);
        }
    }

    fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte / 32)] >> (byte % 32) & 1 == 1
    }

    fn negated(self) -> Self {
        Self(self.0.map(|word| !word))
    }

    /// What an escape of this letter stands for.
    fn escape(letter: u8) -> Self {
        let mut class = Self::EMPTY;
        match letter {
            b'd' | b'D' => class.insert(b'0', b'9'),
            b's' | b'S' => [b' ', b'\t', b'\n', b'\r'].into_iter().for_each(|b| class.insert(b, b)),
            b'w' | b'W' => {
                for (low, high) in [(b'a', b'z'), (b'A', b'Z'), (b'0', b'9'), (b'_', b'_')] {
                    class.insert(low, high);
                }
            }
            b'n' => class.insert(b'\n', b'\n'),
            other => class.insert(other, other),
        }
        if matches!(letter, b'D' | b'S' | b'W') {
            class.negated()
        } else {
            class
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Inst {
    Byte(u8),
    Any,
    Class(u8),
    Start,
    End,
    Match,
    Jump(u8),
    /// Goes to both, the first one preferred.
    Split(u8, u8),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum RegexError {
    TooLong,
    UnexpectedEnd,
    Unexpected(u8),
    NothingToRepeat,
    BadRange,
}

#[derive(VmType, Clone, Copy)]
struct Regex {
    code: [Inst; PROGRAM],
    len: u8,
    classes: [Class; 8],
    class_count: u8,
}

#[derive(VmType, Clone, Copy)]
struct Compiler<'a> {
    pattern: &'a [u8],
    regex: Regex,
}

#[routine]
impl<'a> Compiler<'a> {
    fn compile(pattern: &'a [u8]) -> Result<Regex, RegexError> {
        let regex = Regex {
            code: [Inst::Match; PROGRAM],
            len: 0,
            classes: [Class::EMPTY; 8],
            class_count: 0,
        };
        let mut compiler = Self { pattern, regex };
        compiler.alternatives()?;
        if let Some(&byte) = compiler.pattern.first() {
            return Err(RegexError::Unexpected(byte));
        }
        compiler.emit(Inst::Match)?;
        Ok(compiler.regex)
    }

    fn here(&self) -> u8 {
        self.regex.len
    }

    fn emit(&mut self, inst: Inst) -> Result<(), RegexError> {
        self.insert(self.here(), inst)
    }

    /// Puts `inst` in front of what starts at `at`, whose own jumps move along.
    fn insert(&mut self, at: u8, inst: Inst) -> Result<(), RegexError> {
        let len = usize::from(self.regex.len);
        if len == PROGRAM {
            return Err(RegexError::TooLong);
        }
        let moved = |target: &mut u8| {
            if *target >= at {
                *target += 1;
            }
        };
        let tail = &mut self.regex.code[usize::from(at)..=len];
        for inst in tail.iter_mut() {
            match inst {
                Inst::Jump(to) => moved(to),
                Inst::Split(first, second) => {
                    moved(first);
                    moved(second);
                }
                _ => {}
            }
        }
        tail.rotate_right(1);
        tail[0] = inst;
        self.regex.len += 1;
        Ok(())
    }

    fn eat(&mut self, byte: u8) -> bool {
        match self.pattern.strip_prefix(&[byte]) {
            Some(rest) => {
                self.pattern = rest;
                true
            }
            None => false,
        }
    }

    fn bump(&mut self) -> Result<u8, RegexError> {
        let (&byte, rest) = self.pattern.split_first().ok_or(RegexError::UnexpectedEnd)?;
        self.pattern = rest;
        Ok(byte)
    }

    /// alternatives := sequence ('|' alternatives)?
    fn alternatives(&mut self) -> Result<(), RegexError> {
        let start = self.here();
        self.sequence()?;
        if self.eat(b'|') {
            self.insert(start, Inst::Split(start + 1, self.here() + 2))?;
            let jump = usize::from(self.here());
            self.emit(Inst::Jump(0))?;
            self.alternatives()?;
            self.regex.code[jump] = Inst::Jump(self.here());
        }
        Ok(())
    }

    fn sequence(&mut self) -> Result<(), RegexError> {
        while !matches!(self.pattern, [] | [b'|' | b')', ..]) {
            self.repetition()?;
        }
        Ok(())
    }

    /// repetition := atom ('*' | '+' | '?')? '?'?
    fn repetition(&mut self) -> Result<(), RegexError> {
        let start = self.here();
        self.atom()?;
        let Some(&operator @ (b'*' | b'+' | b'?')) = self.pattern.first() else {
            return Ok(());
        };
        self.pattern = &self.pattern[1..];
        let lazy = self.eat(b'?');
        let split = |stay, leave| {
            if lazy {
                Inst::Split(leave, stay)
            } else {
                Inst::Split(stay, leave)
            }
        };
        let end = self.here();
        match operator {
            b'*' => {
                self.insert(start, split(start + 1, end + 2))?;
                self.emit(Inst::Jump(start))
            }
            b'+' => self.emit(split(start, end + 1)),
            _ => self.insert(start, split(start + 1, end + 1)),
        }
    }

    fn atom(&mut self) -> Result<(), RegexError> {
        match self.bump()? {
            b'(' => {
                self.alternatives()?;
                if self.eat(b')') {
                    Ok(())
                } else {
                    Err(RegexError::UnexpectedEnd)
                }
            }
            b'[' => {
                let class = self.class()?;
                self.emit_class(class)
            }
            b'\\' => {
                let letter = self.bump()?;
                self.emit_class(Class::escape(letter))
            }
            b'.' => self.emit(Inst::Any),
            b'^' => self.emit(Inst::Start),
            b'$' => self.emit(Inst::End),
            b'*' | b'+' | b'?' => Err(RegexError::NothingToRepeat),
            byte => self.emit(Inst::Byte(byte)),
        }
    }

    fn emit_class(&mut self, class: Class) -> Result<(), RegexError> {
        let count = usize::from(self.regex.class_count);
        let known = self.regex.classes[..count].iter().position(|known| *known == class);
        let index = match known {
            Some(index) => index,
            None => {
                *self.regex.classes.get_mut(count).ok_or(RegexError::TooLong)? = class;
                self.regex.class_count += 1;
                count
            }
        };
        self.emit(Inst::Class(index as u8))
    }

    fn class(&mut self) -> Result<Class, RegexError> {
        let negated = self.eat(b'^');
        let mut class = Class::EMPTY;
        let mut first = true;
        loop {
            let low = match self.bump()? {
                b']' if !first => break,
                b'\\' => {
                    let escaped = Class::escape(self.bump()?);
                    class.0.iter_mut().zip(escaped.0).for_each(|(word, more)| *word |= more);
                    first = false;
                    continue;
                }
                byte => byte,
            };
            first = false;
            // A hyphen in front of the bracket stands for itself.
            let high = match self.pattern {
                [b'-', high, rest @ ..] if *high != b']' => {
                    self.pattern = rest;
                    *high
                }
                _ => low,
            };
            if low > high {
                return Err(RegexError::BadRange);
            }
            class.insert(low, high);
        }
        Ok(if negated { class.negated() } else { class })
    }
}

/// The threads of one step, in order of preference: where each is, and where its match began.
#[derive(VmType, Clone, Copy)]
struct Threads {
    list: [(u8, u32); PROGRAM],
    len: usize,
    seen: u64,
}

#[routine]
impl Threads {
    const NONE: Self = Self {
        list: [(0, 0); PROGRAM],
        len: 0,
        seen: 0,
    };

    /// Adds a thread, and at once those that it splits into without reading.
    fn add(&mut self, regex: &Regex, pc: u8, start: u32, at: usize, text: &[u8]) {
        if self.seen >> pc & 1 == 1 {
            return;
        }
        self.seen |= 1 << pc;
        match regex.code[usize::from(pc)] {
            Inst::Jump(to) => self.add(regex, to, start, at, text),
            Inst::Split(first, second) => {
                self.add(regex, first, start, at, text);
                self.add(regex, second, start, at, text);
            }
            Inst::Start if at == 0 => self.add(regex, pc + 1, start, at, text),
            Inst::End if at == text.len() => self.add(regex, pc + 1, start, at, text),
            Inst::Start | Inst::End => {}
            Inst::Byte(_) | Inst::Any | Inst::Class(_) | Inst::Match => {
                self.list[self.len] = (pc, start);
                self.len += 1;
            }
        }
    }
}

#[routine]
impl Regex {
    /// The leftmost match, the preferred one of those that start there.
    fn find(&self, text: &[u8]) -> Option<(u32, u32)> {
        let (mut now, mut next) = (Threads::NONE, Threads::NONE);
        let mut found = None;
        for at in 0..=text.len() {
            if found.is_none() {
                now.add(self, 0, at as u32, at, text);
            }
            let byte = text.get(at).copied();
            for &(pc, start) in &now.list[..now.len] {
                let reads = match (self.code[usize::from(pc)], byte) {
                    (Inst::Match, _) => {
                        found = Some((start, at as u32));
                        // Those after it are of lower preference.
                        break;
                    }
                    (Inst::Byte(expected), Some(byte)) => expected == byte,
                    (Inst::Any, Some(byte)) => byte != b'\n',
                    (Inst::Class(index), Some(byte)) => self.classes[usize::from(index)].contains(byte),
                    _ => false,
                };
                if reads {
                    next.add(self, pc + 1, start, at + 1, text);
                }
            }
            now = mem::replace(&mut next, Threads::NONE);
            if now.len == 0 && found.is_some() {
                break;
            }
        }
        found
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub start: u32,
    pub end: u32,
    /// 0 for a match, 1 for none, above for an error in the pattern.
    pub status: u32,
}

/// Where `pattern` first matches in `text`.
#[routine]
pub fn regex_find(pattern: &[u8], text: &[u8]) -> Found {
    let status = match Compiler::compile(pattern) {
        Ok(regex) => match regex.find(text) {
            Some((start, end)) => return Found { start, end, status: 0 },
            None => 1,
        },
        Err(RegexError::TooLong) => 2,
        Err(RegexError::UnexpectedEnd) => 3,
        Err(RegexError::NothingToRepeat) => 4,
        Err(RegexError::BadRange) => 5,
        Err(RegexError::Unexpected(byte)) => 0x100 + u32::from(byte),
    };
    Found {
        start: 0,
        end: 0,
        status,
    }
}

/// How many matches there are that do not overlap, the lines each for itself; `u32::MAX` for a bad pattern.
#[routine]
pub fn regex_count(pattern: &[u8], text: &[u8]) -> u32 {
    let Ok(regex) = Compiler::compile(pattern) else {
        return u32::MAX;
    };
    text.split(|&b| b == b'\n')
        .map(|mut line| {
            let mut count = 0;
            while let Some((start, end)) = regex.find(line) {
                count += 1;
                // An empty match would be found again.
                let after = (end as usize).max(start as usize + 1);
                let Some(rest) = line.get(after..).filter(|rest| !rest.is_empty()) else {
                    break;
                };
                line = rest;
            }
            count
        })
        .sum()
}

#[cfg(test)]
mod known {
    use super::*;

    fn find(pattern: &str, text: &str) -> Option<(u32, u32)> {
        let found = regex_find(pattern.as_bytes(), text.as_bytes());
        assert!(found.status < 2, "{pattern}: {found:?}");
        (found.status == 0).then_some((found.start, found.end))
    }

    #[test]
    fn matches() {
        assert_eq!(find("b", "abc"), Some((1, 2)));
        assert_eq!(find("^b", "abc"), None);
        assert_eq!(find("a*b+c?$", "xaabb"), Some((1, 5)));
        assert_eq!(find("(ab|cd)*e", "xxabcdabef"), Some((2, 9)));
        assert_eq!(find("<.*>", "<a><b>"), Some((0, 6)));
        assert_eq!(find("<.*?>", "<a><b>"), Some((0, 3)));
        assert_eq!(find("[^a-c]+", "abcxyzabc"), Some((3, 6)));
        assert_eq!(find(r"\d\d?:[0-5]\d", "at 9:45 or 12:3"), Some((3, 7)));
        assert_eq!(find("one|two|three", "a three and two"), Some((2, 7)));
        assert_eq!(find("(a*)*b", &"a".repeat(60)), None);
        assert_eq!(find("[]x-]+", "a]-x"), Some((1, 4)));
    }

    #[test]
    fn errors() {
        for (pattern, status) in [("(a", 3), ("*a", 4), ("[b-a]", 5), ("a)", 0x129), ("[a", 3)] {
            assert_eq!(regex_find(pattern.as_bytes(), b"").status, status, "{pattern}");
        }
        assert_eq!(regex_find(&[b'a'; 80], b"").status, 2);
    }

    #[test]
    fn counts() {
        assert_eq!(regex_count(br"\w+", b"the quick  brown\nfox"), 4);
        assert_eq!(regex_count(b"(", b""), u32::MAX);
    }
}
