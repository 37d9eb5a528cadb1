//! A CHIP-8 core: fetch, decode into an enum and execute, with timers, keys, font and a 64 by 32 screen of words.

use gpuvm::prelude::*;

const MEMORY: usize = 4096;
const START: u16 = 0x200;

const FONT: [[u8; 5]; 16] = [
    [0xf0, 0x90, 0x90, 0x90, 0xf0],
    [0x20, 0x60, 0x20, 0x20, 0x70],
    [0xf0, 0x10, 0xf0, 0x80, 0xf0],
    [0xf0, 0x10, 0xf0, 0x10, 0xf0],
    [0x90, 0x90, 0xf0, 0x10, 0x10],
    [0xf0, 0x80, 0xf0, 0x10, 0xf0],
    [0xf0, 0x80, 0xf0, 0x90, 0xf0],
    [0xf0, 0x10, 0x20, 0x40, 0x40],
    [0xf0, 0x90, 0xf0, 0x90, 0xf0],
    [0xf0, 0x90, 0xf0, 0x10, 0xf0],
    [0xf0, 0x90, 0xf0, 0x90, 0x90],
    [0xe0, 0x90, 0xe0, 0x90, 0xe0],
    [0xf0, 0x80, 0x80, 0x80, 0xf0],
    [0xe0, 0x90, 0x90, 0x90, 0xe0],
    [0xf0, 0x80, 0xf0, 0x80, 0xf0],
    [0xf0, 0x80, 0xf0, 0x80, 0x80],
];

/// The index of a register.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Reg(u8);

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Register(Reg),
    Byte(u8),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Alu {
    Set,
    Or,
    And,
    Xor,
    Add,
    Sub,
    SubFrom,
    ShiftRight,
    ShiftLeft,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Instruction {
    Clear,
    Return,
    Jump(u16),
    Call(u16),
    JumpOffset(u16),
    SkipIf { register: Reg, value: Source, equal: bool },
    SkipIfKey { register: Reg, pressed: bool },
    Load(Reg, u8),
    AddByte(Reg, u8),
    Alu(Alu, Reg, Reg),
    SetIndex(u16),
    AddIndex(Reg),
    Random(Reg, u8),
    Draw(Reg, Reg, u8),
    GetDelay(Reg),
    SetDelay(Reg),
    SetSound(Reg),
    WaitKey(Reg),
    Glyph(Reg),
    Decimal(Reg),
    Store(Reg),
    Fetch(Reg),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Unknown(u16),
    StackOverflow,
    StackUnderflow,
    Address(u16),
}

#[routine]
impl Instruction {
    fn decode(word: u16) -> Result<Self, Fault> {
        let address = word & 0xfff;
        let byte = word as u8;
        let nibble = byte & 0xf;
        let x = Reg((word >> 8) as u8 & 0xf);
        let y = Reg(byte >> 4);
        Ok(match (word >> 12, x.0, y.0, nibble) {
            (0x0, 0, 0xe, 0x0) => Self::Clear,
            (0x0, 0, 0xe, 0xe) => Self::Return,
            (0x1, ..) => Self::Jump(address),
            (0x2, ..) => Self::Call(address),
            (op @ (0x3 | 0x4), ..) => Self::SkipIf {
                register: x,
                value: Source::Byte(byte),
                equal: op == 3,
            },
            (op @ (0x5 | 0x9), .., 0) => Self::SkipIf {
                register: x,
                value: Source::Register(y),
                equal: op == 5,
            },
            (0x6, ..) => Self::Load(x, byte),
            (0x7, ..) => Self::AddByte(x, byte),
            (0x8, _, _, op) => {
                let op = match op {
                    0x0 => Alu::Set,
                    0x1 => Alu::Or,
                    0x2 => Alu::And,
                    0x3 => Alu::Xor,
                    0x4 => Alu::Add,
                    0x5 => Alu::Sub,
                    0x6 => Alu::ShiftRight,
                    0x7 => Alu::SubFrom,
                    0xe => Alu::ShiftLeft,
                    _ => return Err(Fault::Unknown(word)),
                };
                Self::Alu(op, x, y)
            }
            (0xa, ..) => Self::SetIndex(address),
            (0xb, ..) => Self::JumpOffset(address),
            (0xc, ..) => Self::Random(x, byte),
            (0xd, .., rows) => Self::Draw(x, y, rows),
            (0xe, _, 0x9, 0xe) => Self::SkipIfKey {
                register: x,
                pressed: true,
            },
            (0xe, _, 0xa, 0x1) => Self::SkipIfKey {
                register: x,
                pressed: false,
            },
            (0xf, ..) => match byte {
                0x07 => Self::GetDelay(x),
                0x0a => Self::WaitKey(x),
                0x15 => Self::SetDelay(x),
                0x18 => Self::SetSound(x),
                0x1e => Self::AddIndex(x),
                0x29 => Self::Glyph(x),
                0x33 => Self::Decimal(x),
                0x55 => Self::Store(x),
                0x65 => Self::Fetch(x),
                _ => return Err(Fault::Unknown(word)),
            },
            _ => return Err(Fault::Unknown(word)),
        })
    }
}

#[derive(VmType, Clone, Copy)]
struct Chip8 {
    memory: [u8; MEMORY],
    v: [u8; 16],
    index: u16,
    pc: u16,
    stack: [u16; 16],
    depth: usize,
    screen: [u64; 32],
    delay: u8,
    sound: u8,
    keys: u16,
    random: u32,
}

#[routine]
impl Chip8 {
    fn new(rom: &[u8], keys: u16, seed: u32) -> Self {
        let mut memory = [0; MEMORY];
        for (slot, &byte) in memory.iter_mut().zip(FONT.iter().flatten()) {
            *slot = byte;
        }
        memory[usize::from(START)..]
            .iter_mut()
            .zip(rom)
            .for_each(|(slot, byte)| *slot = *byte);
        Self {
            memory,
            v: [0; 16],
            index: 0,
            pc: START,
            stack: [0; 16],
            depth: 0,
            screen: [0; 32],
            delay: 0,
            sound: 0,
            keys,
            random: seed | 1,
        }
    }

    fn get(&self, Reg(r): Reg) -> u8 {
        self.v[usize::from(r)]
    }

    fn set(&mut self, Reg(r): Reg, value: u8) {
        self.v[usize::from(r)] = value;
    }

    fn bytes(&mut self, address: u16, len: usize) -> Result<&mut [u8], Fault> {
        let start = usize::from(address);
        self.memory.get_mut(start..start + len).ok_or(Fault::Address(address))
    }

    fn skip(&mut self, when: bool) {
        if when {
            self.pc += 2;
        }
    }

    fn random_byte(&mut self) -> u8 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        (self.random >> 16) as u8
    }

    fn alu(&mut self, op: Alu, x: Reg, y: Reg) {
        let (a, b) = (self.get(x), self.get(y));
        let (result, flag) = match op {
            Alu::Set => (b, None),
            Alu::Or => (a | b, None),
            Alu::And => (a & b, None),
            Alu::Xor => (a ^ b, None),
            Alu::Add => {
                let (sum, carry) = a.overflowing_add(b);
                (sum, Some(carry))
            }
            Alu::Sub => (a.wrapping_sub(b), Some(a >= b)),
            Alu::SubFrom => (b.wrapping_sub(a), Some(b >= a)),
            Alu::ShiftRight => (a >> 1, Some(a & 1 == 1)),
            Alu::ShiftLeft => (a << 1, Some(a & 0x80 != 0)),
        };
        self.set(x, result);
        if let Some(flag) = flag {
            self.v[0xf] = flag.into();
        }
    }

    fn draw(&mut self, x: u8, y: u8, rows: u8) -> Result<(), Fault> {
        let (x, y) = (u32::from(x % 64), usize::from(y % 32));
        let mut erased = 0;
        for row in 0..usize::from(rows).min(32 - y) {
            let sprite = self.bytes(self.index + row as u16, 1)?[0];
            let bits = u64::from(sprite) << 56 >> x;
            erased |= self.screen[y + row] & bits;
            self.screen[y + row] ^= bits;
        }
        self.v[0xf] = u8::from(erased != 0);
        Ok(())
    }

    fn step(&mut self) -> Result<(), Fault> {
        let pc = self.pc;
        let &mut [high, low] = self.bytes(pc, 2)? else {
            return Err(Fault::Address(pc));
        };
        self.pc += 2;
        match Instruction::decode(u16::from_be_bytes([high, low]))? {
            Instruction::Clear => self.screen.fill(0),
            Instruction::Return => {
                self.depth = self.depth.checked_sub(1).ok_or(Fault::StackUnderflow)?;
                self.pc = self.stack[self.depth];
            }
            Instruction::Jump(to) => self.pc = to,
            Instruction::JumpOffset(to) => self.pc = to + u16::from(self.v[0]),
            Instruction::Call(to) => {
                *self.stack.get_mut(self.depth).ok_or(Fault::StackOverflow)? = self.pc;
                self.depth += 1;
                self.pc = to;
            }
            Instruction::SkipIf { register, value, equal } => {
                let value = match value {
                    Source::Register(other) => self.get(other),
                    Source::Byte(byte) => byte,
                };
                self.skip((self.get(register) == value) == equal);
            }
            Instruction::SkipIfKey { register, pressed } => {
                let key = self.get(register) & 0xf;
                self.skip((self.keys >> key & 1 == 1) == pressed);
            }
            Instruction::Load(x, byte) => self.set(x, byte),
            Instruction::AddByte(x, byte) => self.set(x, self.get(x).wrapping_add(byte)),
            Instruction::Alu(op, x, y) => self.alu(op, x, y),
            Instruction::SetIndex(to) => self.index = to,
            Instruction::AddIndex(x) => self.index = (self.index + u16::from(self.get(x))) & 0xfff,
            Instruction::Random(x, mask) => {
                let byte = self.random_byte() & mask;
                self.set(x, byte);
            }
            Instruction::Draw(x, y, rows) => self.draw(self.get(x), self.get(y), rows)?,
            Instruction::GetDelay(x) => self.set(x, self.delay),
            Instruction::SetDelay(x) => self.delay = self.get(x),
            Instruction::SetSound(x) => self.sound = self.get(x),
            Instruction::WaitKey(x) => match self.keys {
                0 => self.pc -= 2,
                keys => self.set(x, keys.trailing_zeros() as u8),
            },
            Instruction::Glyph(x) => self.index = u16::from(self.get(x) & 0xf) * 5,
            Instruction::Decimal(x) => {
                let value = self.get(x);
                let digits = [value / 100, value / 10 % 10, value % 10];
                self.bytes(self.index, 3)?.copy_from_slice(&digits);
            }
            Instruction::Store(Reg(x)) => {
                let len = usize::from(x) + 1;
                let registers = self.v;
                self.bytes(self.index, len)?.copy_from_slice(&registers[..len]);
            }
            Instruction::Fetch(Reg(x)) => {
                for (i, register) in (0..=x).enumerate() {
                    let byte = self.bytes(self.index + i as u16, 1)?[0];
                    self.set(Reg(register), byte);
                }
            }
        }
        Ok(())
    }

    /// A sixtieth of a second: some steps and a tick of both timers.
    fn frame(&mut self, steps: u32) -> Result<(), Fault> {
        for _ in 0..steps {
            self.step()?;
        }
        for timer in [&mut self.delay, &mut self.sound] {
            *timer = timer.saturating_sub(1);
        }
        Ok(())
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip8State {
    pub v: [u8; 16],
    pub index: u16,
    pub pc: u16,
    pub lit: u32,
    /// 0 where all went well; else the kind of the fault above its 16 bits.
    pub fault: u32,
}

/// Runs `rom` for some frames of 10 steps, its screen into `screen`.
#[routine]
pub fn chip8_run(rom: &[u8], keys: u16, seed: u32, frames: u32, screen: &mut [u64]) -> Chip8State {
    let mut machine = Chip8::new(rom, keys, seed);
    let result = (0..frames).try_for_each(|_| machine.frame(10));
    for (out, row) in screen.iter_mut().zip(machine.screen) {
        *out = row;
    }
    let fault = match result {
        Ok(()) => 0,
        Err(Fault::Unknown(word)) => 0x1_0000 | u32::from(word),
        Err(Fault::Address(address)) => 0x2_0000 | u32::from(address),
        Err(Fault::StackOverflow) => 0x3_0000,
        Err(Fault::StackUnderflow) => 0x4_0000,
    };
    let lit = machine.screen.iter().copied().map(u64::count_ones).sum();
    Chip8State {
        v: machine.v,
        index: machine.index,
        pc: machine.pc,
        lit,
        fault,
    }
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn draws_digits() {
        // v0 = 234; its three digits to memory, fetched, and each drawn with its glyph beside the last.
        #[rustfmt::skip]
        let rom = [
            0x60, 234, 0xa3, 0x00, 0xf0, 0x33, 0xf2, 0x65, // 200: decimal, fetch
            0x63, 1, 0x64, 2, // 208: v3 and v4 are where to draw
            0x22, 0x18, 0x80, 0x10, 0x22, 0x18, 0x80, 0x20, 0x22, 0x18, // 20c
            0x12, 0x16, // 216: ends here, going round
            0xf0, 0x29, 0xd3, 0x45, 0x73, 0x05, 0x00, 0xee, // 218: draws the digit v0
        ];
        let mut screen = [0; 32];
        let state = chip8_run(&rom, 0, 1, 4, &mut screen);
        assert_eq!(state.fault, 0);
        assert_eq!(state.v[..5], [4, 3, 4, 16, 2]);
        let glyphs = [2usize, 3, 4].map(|d| FONT[d].iter().map(|b| b.count_ones()).sum::<u32>());
        assert_eq!(state.lit, glyphs.iter().sum());
        assert_eq!(screen[2] >> 47, 0b0_1111_0_1111_0_1001_00);
    }

    #[test]
    fn arithmetic_and_faults() {
        let rom = [
            0x60, 200, 0x61, 100, 0x80, 0x14, 0x82, 0xf0, 0x80, 0x15, 0xc3, 0x00, 0xe3, 0x9e, 0x00, 0x00,
        ];
        let state = chip8_run(&rom, 0, 9, 1, &mut []);
        assert_eq!(
            (state.v[0], state.v[2], state.v[0xf], state.fault),
            (200, 1, 0, 0x1_0000)
        );
        assert_eq!(chip8_run(&[0x00, 0xee], 0, 0, 1, &mut []).fault, 0x4_0000);
        assert_eq!(chip8_run(&[0x22, 0x00], 0, 0, 2, &mut []).fault, 0x3_0000);
        assert_eq!(chip8_run(&[0x1f, 0xff], 0, 0, 1, &mut []).fault, 0x2_0fff);
        assert_eq!(chip8_run(&[0xf5, 0x0a, 0x12, 0x02], 1 << 7, 0, 1, &mut []).v[5], 7);
    }
}
