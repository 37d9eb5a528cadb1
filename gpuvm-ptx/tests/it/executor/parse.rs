//! Reads the text of a kernel.

use std::collections::HashMap;

/// A kernel.
#[derive(Debug, Default)]
pub struct Program {
    pub params: Vec<String>,
    /// How many words, longs and truth values.
    pub registers: [usize; 3],
    /// Bytes of each invocation, and of the workgroup.
    pub local: usize,
    pub shared: usize,
    /// Where variables lie in theirs.
    pub symbols: HashMap<String, usize>,
    pub code: Vec<Instruction>,
    pub labels: HashMap<String, usize>,
    pub tables: HashMap<String, Vec<String>>,
}

/// An instruction.
#[derive(Debug)]
pub struct Instruction {
    /// The predicate that decides, and what it has to be.
    pub guard: Option<(usize, bool)>,
    pub name: String,
    pub arguments: Vec<Argument>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Word(usize),
    Long(usize),
    Truth(usize),
    Constant(u64),
    /// A label, a variable or a special register.
    Name(String),
    /// Where something lies: what it starts from, and bytes behind that.
    Address(Box<Argument>, u64),
    /// Several registers.
    List(Vec<Argument>),
}

impl Program {
    pub fn parse(text: &str) -> Program {
        let mut program = Program::default();
        let (head, body) = text.split_once("\n{\n").expect("a body");
        for line in head.lines().filter_map(|line| line.trim().strip_prefix(".param ")) {
            let name = line.trim_end_matches(',').rsplit(' ').next().unwrap();
            program.params.push(name.split('[').next().unwrap().to_string());
        }
        for line in body.trim_end().trim_end_matches('}').lines() {
            program.line(line.trim());
        }
        program
    }

    fn line(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        if let Some(label) = line.strip_suffix(':') {
            self.labels.insert(label.to_string(), self.code.len());
            return;
        }
        let line = line.strip_suffix(';').unwrap_or_else(|| panic!("no end: {line}"));
        if let Some((label, list)) = line.split_once(": .branchtargets ") {
            let labels = list.split(", ").map(str::to_string).collect();
            self.tables.insert(label.to_string(), labels);
        } else if let Some(declared) = line.strip_prefix(".reg .") {
            let (ty, names) = declared.split_once(' ').unwrap();
            let count = names.split(['<', '>']).nth(1).unwrap().parse().unwrap();
            self.registers[["b32", "b64", "pred"].iter().position(|&t| t == ty).unwrap()] = count;
        } else if line.starts_with(".local") || line.starts_with(".shared") {
            let (name, size) = line.rsplit(' ').next().unwrap().split_once('[').unwrap();
            let size: usize = size.trim_end_matches(']').parse().unwrap();
            let end = match line.starts_with(".local") {
                true => &mut self.local,
                false => &mut self.shared,
            };
            let before = self.symbols.insert(name.to_string(), *end);
            assert!(before.is_none(), "`{name}` is declared twice");
            *end += size.next_multiple_of(16);
        } else {
            self.code.push(Instruction::parse(line));
        }
    }

    pub fn target(&self, argument: &Argument) -> usize {
        match argument {
            Argument::Name(label) => self.labels[label],
            other => panic!("{other:?} is no label"),
        }
    }
}

impl Instruction {
    fn parse(line: &str) -> Instruction {
        let (guard, rest) = match line.strip_prefix('@') {
            None => (None, line),
            Some(line) => {
                let (guard, rest) = line.split_once(' ').unwrap();
                let register = guard.trim_start_matches('!').strip_prefix("%p").unwrap();
                (Some((register.parse().unwrap(), !guard.starts_with('!'))), rest)
            }
        };
        let (name, arguments) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut list = Vec::new();
        let mut rest = arguments.trim();
        while !rest.is_empty() {
            let end = match rest.starts_with('{') {
                true => rest.find('}').unwrap() + 1,
                false => rest.find(',').unwrap_or(rest.len()),
            };
            list.push(Argument::parse(rest[..end].trim()));
            rest = rest[end..].trim_start_matches(',').trim();
        }
        Instruction {
            guard,
            name: name.to_string(),
            arguments: list,
        }
    }
}

impl Argument {
    fn parse(text: &str) -> Argument {
        let number = |text: &str| text.parse().ok();
        if let Some(list) = text.strip_prefix('{') {
            let each = list.trim_end_matches('}').split(',');
            return Argument::List(each.map(|one| Argument::parse(one.trim())).collect());
        }
        if let Some(inside) = text.strip_prefix('[') {
            let inside = inside.trim_end_matches(']');
            let (base, offset) = inside.split_once('+').unwrap_or((inside, "0"));
            return Argument::Address(Box::new(Argument::parse(base)), offset.parse().unwrap());
        }
        if let Some(register) = text.strip_prefix("%r").and_then(number) {
            return Argument::Word(register);
        }
        if let Some(register) = text.strip_prefix("%d").and_then(number) {
            return Argument::Long(register);
        }
        if let Some(register) = text.strip_prefix("%p").and_then(number) {
            return Argument::Truth(register);
        }
        if let Some(bits) = text.strip_prefix("0f") {
            return Argument::Constant(u32::from_str_radix(bits, 16).unwrap().into());
        }
        if let Some(bits) = text.strip_prefix("0d") {
            return Argument::Constant(u64::from_str_radix(bits, 16).unwrap());
        }
        if let Some(bits) = text.strip_prefix("0x") {
            return Argument::Constant(u64::from_str_radix(bits.trim_end_matches('U'), 16).unwrap());
        }
        match text.parse::<i128>() {
            Ok(value) => Argument::Constant(value as u64),
            Err(_) => Argument::Name(text.to_string()),
        }
    }
}
