//! Random programs: nested loops and choices, jumps out of them, memory, traps and yields.

use std::fmt::Write;

use super::*;
use crate::tests::Random;

/// Words of a random program's frame, and how many of them addresses may lead to, which is a power of two.
const FRAME: u32 = 9;
const ADDRESSED: u32 = 4;

/// Writes a program statement by statement. Every loop counts down a word of its own.
struct Writer {
    random: Random,
    text: String,
    labels: u32,
    /// Where `continue` and `break` of the loops around lead to.
    around: Vec<[String; 2]>,
    /// Statements that may still be written.
    left: u32,
}

impl Writer {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{line}").unwrap();
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    /// One of the words that statements compute with.
    fn word(&mut self) -> u32 {
        10 + self.random.below(8)
    }

    fn statement(&mut self, depth: u32) {
        self.left = self.left.saturating_sub(1);
        let (a, b, c) = (self.word(), self.word(), self.word());
        match self.random.below(if depth < 4 { 14 } else { 9 }) {
            0..=2 => {
                let names = [
                    "add", "sub", "xor", "mul", "minu", "lts", "ltu", "rotl", "fadd", "and", "eq", "shr",
                ];
                let name = names[self.random.below(names.len() as u32) as usize];
                self.line(format_args!("{name} w{a}, w{b}, w{c}"));
                if name == "fadd" {
                    // Which bits a NaN has is a device's affair, and integer operations would see them.
                    self.line(format_args!("imm w3, 0x7f800000\nfmin w{a}, w{a}, w3"));
                }
            }
            3 => {
                let constant = self.random.next() >> self.random.below(32);
                self.line(format_args!("addi w{a}, w{b}, {constant}"));
            }
            4 => self.line(format_args!("select w{a}, w{b}, w{c}, w{a}")),
            5 => {
                let word = self.random.below(FRAME);
                self.line(format_args!("stf w{a}, {word}\nldf w{b}, {}", (word + 1) % FRAME));
                // By address too, which sometimes leads too far.
                let beyond = u32::from(self.random.below(8) == 0);
                let mask = ADDRESSED - 1;
                self.line(format_args!(
                    "addr w4, 0\nandi w3, w{c}, {mask}\nadd w3, w3, w4\nimm w4, 0
                    store w{b}, w4, w3, {beyond}\nload w{a}, w4, w3, 0"
                ));
            }
            6 => self.line(format_args!(
                "andi w3, w{a}, 63\nimm w4, 50\neq w3, w3, w4\ntrapnz s0, w3, w{a}, w{b}"
            )),
            7 if self.random.below(3) == 0 => self.line(format_args!("yield")),
            7 => self.line(format_args!("andi w3, w{a}, 7\naadd w4, w3, w26\nadd w25, w25, w26")),
            8 => {
                if let Some([again, out]) = self.around.last().cloned() {
                    let to = if self.random.below(2) == 0 { again } else { out };
                    let far = self.around[self.random.below(self.around.len() as u32) as usize][1].clone();
                    let to = if self.random.below(3) == 0 { far } else { to };
                    self.line(format_args!("andi w3, w{a}, 3\njz @{to}, w3"));
                }
            }
            9..=11 => {
                let (other, end) = (self.label(), self.label());
                self.line(format_args!("ltu w3, w{a}, w{b}\njz @{other}, w3"));
                self.block(depth + 1);
                self.line(format_args!("jump @{end}\n{other}:"));
                if self.random.below(2) == 0 {
                    self.block(depth + 1);
                }
                self.line(format_args!("{end}:"));
            }
            12 => self.counting(depth),
            _ => {
                let [top, again, out] = [self.label(), self.label(), self.label()];
                let counter = 18 + depth;
                let turns = 1 + self.random.below(5);
                // Different VMs go around a different number of times.
                self.line(format_args!(
                    "andi w{counter}, w{a}, 3\naddi w{counter}, w{counter}, {turns}\n{top}:"
                ));
                self.around.push([again.clone(), out.clone()]);
                self.block(depth + 1);
                self.around.pop();
                self.line(format_args!(
                    "{again}:\naddi w{counter}, w{counter}, -1\njnz @{top}, w{counter}\n{out}:"
                ));
            }
        }
    }

    /// A loop from near one end of the numbers up to a limit, which is 0 where they go past the end.
    fn counting(&mut self, depth: u32) {
        let [top, again, out] = [self.label(), self.label(), self.label()];
        let (counter, limit, a) = (18 + depth, 5 + depth, self.word());
        let (name, end) = [
            ("ltu", 0_u32),
            ("ltu", 100),
            ("lts", 1 << 31),
            ("leu", 1 << 31),
            ("ne", 3),
        ][self.random.below(5) as usize];
        let step = if name == "ne" { 1 } else { 1 + self.random.below(2) };
        let start = end.wrapping_sub(1 + self.random.below(if depth == 0 { 24 } else { 3 }));
        self.line(format_args!(
            "imm w{counter}, {start}\nandi w{limit}, w{a}, 3\naddi w{limit}, w{limit}, {end}\n{top}:"
        ));
        self.around.push([again.clone(), out.clone()]);
        self.block(depth + 1);
        self.around.pop();
        self.line(format_args!(
            "{again}:\naddi w{counter}, w{counter}, {step}\n{name} w3, w{counter}, w{limit}\njnz @{top}, w3\n{out}:"
        ));
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(4) {
            if self.left > 0 {
                self.statement(depth);
            }
        }
    }
}

pub(super) fn random_program(seed: u32) -> Program {
    let mut writer = Writer {
        random: Random(seed.wrapping_mul(0x9e37_79b9) | 1),
        text: String::new(),
        labels: 0,
        around: Vec::new(),
        left: 16,
    };
    writer.line(format_args!("vmid w10\nimm w26, 1"));
    for word in 11..18 {
        let factor = writer.random.next() | 1;
        writer.line(format_args!(
            "muli w{word}, w{}, {factor}\nrotli w{word}, w{word}, 9\naddi w{word}, w{word}, 3",
            word - 1
        ));
    }
    while writer.left > 0 {
        writer.statement(0);
    }
    for word in 11..18 {
        writer.line(format_args!("rotli w10, w10, 5\nxor w10, w10, w{word}"));
    }
    let header = format!("frame_words {FRAME}\naddressed_words {ADDRESSED}\nsite 0:7:0 bounds");
    assembled(&header, &writer.text)
}

#[test]
pub(super) fn random_programs_end_the_same() {
    for seed in 1..=14 {
        let program = random_program(seed);
        println!("seed {seed}\n{}", program.disassemble());
        let cycles: &[u32] = if seed % 2 == 0 { &[3] } else { &[400, 2] };
        check_with(
            &job(program, &[], 0, 1, 40),
            &Options::default(),
            &cycles[seed as usize % cycles.len()..],
        );
    }
}
