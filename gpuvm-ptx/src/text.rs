//! The text of a kernel while it is written: instructions, registers and labels.

use std::collections::HashMap;
use std::fmt::{Arguments, Write};

use crate::operand::{Operand, Ty, Width};

/// A place in the code that can be jumped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(u32);

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "$L{}", self.0)
    }
}

/// The text of a kernel.
#[derive(Debug, Default)]
pub struct Text {
    /// Memory that the kernel declares for itself.
    declarations: String,
    /// What is done once, before all else.
    head: String,
    body: String,
    /// Whether the head stands in the body's place.
    heading: bool,
    registers: [u32; 3],
    labels: u32,
    /// Jumps to each label.
    jumps: HashMap<Label, u32>,
    /// How many labels have been placed: between two of them there is one way through the code.
    stretch: u32,
    /// The unconditional jump with which the body ends, and where it begins.
    jump: Option<(usize, Label)>,
}

impl Text {
    /// An instruction, as it is, without its end.
    pub fn line(&mut self, instruction: Arguments<'_>) {
        self.jump = None;
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "\t{instruction};");
    }

    /// A declaration at the beginning of the kernel.
    pub fn declare(&mut self, declaration: Arguments<'_>) {
        let _ = writeln!(self.declarations, "\t{declaration};");
    }

    /// Writes what is done once, before all else.
    pub fn in_head<T>(&mut self, write: impl FnOnce(&mut Text) -> T) -> T {
        if self.heading {
            return write(self);
        }
        let jump = self.jump.take();
        std::mem::swap(&mut self.head, &mut self.body);
        self.heading = true;
        let result = write(self);
        self.heading = false;
        std::mem::swap(&mut self.head, &mut self.body);
        self.jump = jump;
        result
    }

    /// A register that nothing else uses.
    pub fn register(&mut self, width: Width) -> Operand {
        let (kind, make): (usize, fn(u32) -> Operand) = match width {
            Width::Word => (0, Operand::Word),
            Width::Long => (1, Operand::Long),
            Width::Truth => (2, Operand::Truth),
        };
        let number = self.registers[kind];
        self.registers[kind] += 1;
        make(number)
    }

    /// An instruction whose result and operands are of one type.
    pub fn op(&mut self, name: &str, ty: Ty, sources: &[Operand]) -> Operand {
        let target = self.register(ty.width());
        self.op_into(target, name, ty, sources);
        target
    }

    /// The same with a register for the result.
    pub fn op_into(&mut self, target: Operand, name: &str, ty: Ty, sources: &[Operand]) {
        self.jump = None;
        let _ = write!(self.body, "\t{name}.{ty} {target}");
        for source in sources {
            let _ = write!(self.body, ", {}", source.of(ty));
        }
        self.body.push_str(";\n");
    }

    /// A comparison of two values of a type.
    pub fn compare(&mut self, how: &str, ty: Ty, left: Operand, right: Operand) -> Operand {
        let target = self.register(Width::Truth);
        self.line(format_args!(
            "setp.{how}.{ty} {target}, {}, {}",
            left.of(ty),
            right.of(ty)
        ));
        target
    }

    /// A conversion between types.
    pub fn convert(&mut self, name: &str, to: Ty, from: Ty, value: Operand) -> Operand {
        let target = self.register(to.width());
        self.line(format_args!("{name}.{to}.{from} {target}, {}", value.of(from)));
        target
    }

    /// Copies a value into a register.
    pub fn copy_into(&mut self, target: Operand, value: Operand) {
        if target != value {
            let ty = match target.width() {
                Width::Word => Ty::B32,
                Width::Long => Ty::B64,
                Width::Truth => Ty::Pred,
            };
            self.op_into(target, "mov", ty, &[value]);
        }
    }

    /// A copy of a value that does not change with what it was copied from. Constants need none.
    pub fn copy(&mut self, value: Operand) -> Operand {
        if value.constant().is_some() {
            return value;
        }
        let target = self.register(value.width());
        self.copy_into(target, value);
        target
    }

    /// `accept` if the condition is met, else `reject`.
    pub fn select(&mut self, condition: Operand, accept: Operand, reject: Operand) -> Operand {
        match (condition, accept, reject) {
            (Operand::ConstTruth(true), ..) => accept,
            (Operand::ConstTruth(false), ..) => reject,
            _ if accept == reject => accept,
            (_, Operand::ConstTruth(true), Operand::ConstTruth(false)) => condition,
            (_, Operand::ConstTruth(true), _) => self.either(condition, reject),
            (_, _, Operand::ConstTruth(false)) => self.both(condition, accept),
            (_, Operand::ConstTruth(false), _) => {
                let not = self.not(condition);
                self.both(not, reject)
            }
            (_, _, Operand::ConstTruth(true)) => {
                let not = self.not(condition);
                self.either(not, accept)
            }
            _ if accept.width() == Width::Truth => {
                let met = self.both(condition, accept);
                let not = self.not(condition);
                let unmet = self.both(not, reject);
                self.either(met, unmet)
            }
            _ => {
                let ty = match accept.width() {
                    Width::Long => Ty::B64,
                    _ => Ty::B32,
                };
                let target = self.register(ty.width());
                self.line(format_args!(
                    "selp.{ty} {target}, {}, {}, {condition}",
                    accept.of(ty),
                    reject.of(ty)
                ));
                target
            }
        }
    }

    /// Whether the condition is not met.
    pub fn not(&mut self, condition: Operand) -> Operand {
        match condition {
            Operand::ConstTruth(truth) => Operand::ConstTruth(!truth),
            _ => self.op("not", Ty::Pred, &[condition]),
        }
    }

    /// Whether both are met.
    pub fn both(&mut self, left: Operand, right: Operand) -> Operand {
        match (left, right) {
            (Operand::ConstTruth(false), _) | (_, Operand::ConstTruth(false)) => Operand::ConstTruth(false),
            (Operand::ConstTruth(true), other) | (other, Operand::ConstTruth(true)) => other,
            _ => self.op("and", Ty::Pred, &[left, right]),
        }
    }

    /// Whether one of them is met.
    pub fn either(&mut self, left: Operand, right: Operand) -> Operand {
        match (left, right) {
            (Operand::ConstTruth(true), _) | (_, Operand::ConstTruth(true)) => Operand::ConstTruth(true),
            (Operand::ConstTruth(false), other) | (other, Operand::ConstTruth(false)) => other,
            _ => self.op("or", Ty::Pred, &[left, right]),
        }
    }

    /// A label that is not placed yet.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }

    /// Where the text of the body ends now.
    pub fn mark(&self) -> usize {
        self.body.len()
    }

    /// Takes back what has been written since the body ended there.
    pub fn split_off(&mut self, mark: usize) -> String {
        self.jump = None;
        self.body.split_off(mark)
    }

    /// Writes what has been taken back.
    pub fn append(&mut self, written: &str) {
        self.jump = None;
        self.body.push_str(written);
    }

    /// Places a label here, unless nobody has jumped to it; tells whether it has.
    pub fn place(&mut self, label: Label) -> bool {
        // A jump to what follows it is none.
        if let Some((start, to)) = self.jump
            && to == label
        {
            self.body.truncate(start);
            self.jump = None;
            self.jumps.entry(label).and_modify(|jumps| *jumps -= 1);
        }
        let is_reached = self.jumps.get(&label).is_some_and(|&jumps| jumps != 0);
        if is_reached {
            self.place_first(label);
        }
        is_reached
    }

    /// Places a label here that is jumped to from further down.
    pub fn place_first(&mut self, label: Label) {
        self.jump = None;
        self.stretch += 1;
        let _ = writeln!(self.body, "{label}:");
    }

    /// The number of the stretch of code without labels that is written now.
    pub fn stretch(&self) -> u32 {
        self.stretch
    }

    /// Goes on at a label.
    pub fn jump(&mut self, label: Label) {
        if self.jump.is_some() {
            return;
        }
        let start = self.body.len();
        self.line(format_args!("{JUMP}{label}"));
        *self.jumps.entry(label).or_default() += 1;
        self.jump = Some((start, label));
    }

    /// Goes on at a label if the condition is met, or, if not `met`, unless it is.
    pub fn jump_if(&mut self, condition: Operand, met: bool, label: Label) {
        match condition {
            Operand::ConstTruth(truth) if truth == met => self.jump(label),
            Operand::ConstTruth(_) => {}
            _ => {
                let not = if met { "" } else { "!" };
                self.line(format_args!("@{not}{condition} {JUMP}{label}"));
                *self.jumps.entry(label).or_default() += 1;
            }
        }
    }

    /// Goes on at the label of a list that has a number.
    pub fn table(&mut self, index: Operand, labels: &[Label]) {
        let name = self.label();
        let listed: Vec<String> = labels.iter().map(Label::to_string).collect();
        let _ = writeln!(self.body, "{name}: .branchtargets {};", listed.join(", "));
        for &label in labels {
            *self.jumps.entry(label).or_default() += 1;
        }
        self.line(format_args!("brx.idx {index}, {name}"));
    }

    /// What stands between the braces of the kernel.
    pub fn finish(self) -> String {
        let mut text = String::new();
        for ((name, ty), count) in [("r", "b32"), ("d", "b64"), ("p", "pred")]
            .into_iter()
            .zip(self.registers)
        {
            if count != 0 {
                let _ = writeln!(text, "\t.reg .{ty} %{name}<{count}>;");
            }
        }
        text.push_str(&self.declarations);
        text.push_str(&self.head);
        text.push_str(&without_unread(&self.body));
        text
    }

    /// Instructions that follow each other without a jump or a place to jump to, at most.
    pub fn longest_stretch(&self) -> usize {
        let (mut longest, mut here) = (0, 0);
        for line in self.body.lines() {
            if line.ends_with(':') || line.contains(JUMP) {
                here = 0;
            } else if !line.starts_with("\tmov.") {
                here += 1;
                longest = longest.max(here);
            }
        }
        longest
    }
}

/// What a jump has in it.
const JUMP: &str = "bra ";

/// Instructions for whose rare arguments NVIDIA's assembler calls a function, also where it has found that nobody reads the result.
const CALLING: [&str; 2] = ["\tsqrt.rn.f32 ", "\tdiv.rn.f32 "];

/// A body without those of [`CALLING`] whose results nobody reads.
fn without_unread(body: &str) -> String {
    let target = |line: &str| {
        let rest = CALLING.iter().find_map(|name| line.strip_prefix(name))?;
        rest.split(',').next().map(str::to_string)
    };
    let mut mentions: HashMap<String, u32> = body.lines().filter_map(target).map(|register| (register, 0)).collect();
    if mentions.is_empty() {
        return body.to_string();
    }
    let is_between = |c: char| !(c.is_ascii_alphanumeric() || c == '%');
    for word in body.split(is_between).filter(|word| word.starts_with('%')) {
        if let Some(count) = mentions.get_mut(word) {
            *count += 1;
        }
    }
    let is_read = |line: &&str| target(line.trim_end()).is_none_or(|register| mentions.get(&register) != Some(&1));
    body.split_inclusive('\n').filter(is_read).collect()
}
