//! A 6502: registers, flags, addressing modes, and a bus that a program, memory and devices sit on.

use core::ops::{Index, IndexMut};

use gpuvm::prelude::*;

#[routine]
pub trait Bus {
    fn read(&mut self, address: u16) -> u8;
    fn write(&mut self, address: u16, value: u8);

    fn read_word(&mut self, address: u16) -> u16 {
        let low = self.read(address);
        let high = self.read(address.wrapping_add(1));
        u16::from_le_bytes([low, high])
    }
}

/// 512 bytes of memory, a program at $0600, and a port at $f001 that puts out bytes.
#[derive(VmType)]
struct Machine<'a> {
    memory: [u8; 0x200],
    program: &'a [u8],
    port: &'a mut [u8],
    written: usize,
}

#[routine]
impl<'a> Machine<'a> {
    const PROGRAM: u16 = 0x0600;
    const PORT: u16 = 0xf001;
}

#[routine]
impl Bus for Machine<'_> {
    fn read(&mut self, address: u16) -> u8 {
        match address {
            0..=0x1ff => self.memory[usize::from(address)],
            Self::PROGRAM.. => self
                .program
                .get((address - Self::PROGRAM) as usize)
                .copied()
                .unwrap_or(0),
            _ => 0xff,
        }
    }

    fn write(&mut self, address: u16, value: u8) {
        if let Some(byte) = self.memory.get_mut(address as usize) {
            *byte = value;
        } else if address == Self::PORT {
            if let Some(slot) = self.port.get_mut(self.written) {
                *slot = value;
            }
            self.written += 1;
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Register {
    A,
    X,
    Y,
    Stack,
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Registers([u8; 4]);

#[routine]
impl Index<Register> for Registers {
    type Output = u8;

    fn index(&self, register: Register) -> &u8 {
        &self.0[register as usize]
    }
}

#[routine]
impl IndexMut<Register> for Registers {
    fn index_mut(&mut self, register: Register) -> &mut u8 {
        &mut self.0[register as usize]
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Immediate,
    ZeroPage,
    ZeroPageX,
    Absolute,
    AbsoluteX,
    IndirectY,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Flag {
    Carry = 1 << 0,
    Zero = 1 << 1,
    Overflow = 1 << 6,
    Negative = 1 << 7,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Break,
    Illegal { opcode: u8, at: u16 },
    OutOfTime,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Cpu<B> {
    registers: Registers,
    pc: u16,
    status: u8,
    bus: B,
}

#[routine]
impl<B: Bus> Cpu<B> {
    fn new(bus: B, pc: u16) -> Self {
        let mut registers = Registers::default();
        registers[Register::Stack] = 0xff;
        Cpu {
            registers,
            pc,
            status: 0,
            bus,
        }
    }

    fn fetch(&mut self) -> u8 {
        let byte = self.bus.read(self.pc);
        self.pc = self.pc.wrapping_add(1);
        byte
    }

    fn fetch_word(&mut self) -> u16 {
        u16::from(self.fetch()) | u16::from(self.fetch()) << 8
    }

    fn address(&mut self, mode: Mode) -> u16 {
        let Registers([_, x, y, _]) = self.registers;
        match mode {
            Mode::Immediate => {
                self.pc += 1;
                self.pc - 1
            }
            Mode::ZeroPage => self.fetch().into(),
            Mode::ZeroPageX => self.fetch().wrapping_add(x).into(),
            Mode::Absolute => self.fetch_word(),
            Mode::AbsoluteX => self.fetch_word().wrapping_add(x.into()),
            Mode::IndirectY => {
                let pointer = self.fetch();
                self.bus.read_word(u16::from(pointer)).wrapping_add(u16::from(y))
            }
        }
    }

    fn operand(&mut self, mode: Mode) -> u8 {
        let address = self.address(mode);
        self.bus.read(address)
    }

    fn flag(&self, flag: Flag) -> bool {
        self.status & flag as u8 != 0
    }

    fn set(&mut self, flag: Flag, on: bool) {
        if on {
            self.status |= flag as u8;
        } else {
            self.status &= !(flag as u8);
        }
    }

    fn shown(&mut self, value: u8) -> u8 {
        self.set(Flag::Zero, value == 0);
        self.set(Flag::Negative, value >> 7 == 1);
        value
    }

    fn load(&mut self, register: Register, value: u8) {
        self.registers[register] = self.shown(value);
    }

    fn add(&mut self, value: u8) {
        let a = self.registers[Register::A];
        let (sum, over) = a.overflowing_add(value);
        let (sum, again) = sum.overflowing_add(self.flag(Flag::Carry).into());
        self.set(Flag::Carry, over || again);
        self.set(Flag::Overflow, (a ^ sum) & (value ^ sum) & 0x80 != 0);
        self.load(Register::A, sum);
    }

    fn compare(&mut self, register: Register, value: u8) {
        let held = self.registers[register];
        self.set(Flag::Carry, held >= value);
        self.shown(held.wrapping_sub(value));
    }

    fn modify(&mut self, address: u16, change: impl FnOnce(u8) -> u8) {
        let value = change(self.bus.read(address));
        let value = self.shown(value);
        self.bus.write(address, value);
    }

    fn push(&mut self, value: u8) {
        let top = &mut self.registers[Register::Stack];
        let address = 0x100 + u16::from(*top);
        *top = top.wrapping_sub(1);
        self.bus.write(address, value);
    }

    fn pull(&mut self) -> u8 {
        let top = &mut self.registers[Register::Stack];
        *top = top.wrapping_add(1);
        let address = 0x100 | *top as u16;
        self.bus.read(address)
    }

    fn branch(&mut self, taken: bool) {
        let offset = self.fetch() as i8;
        if taken {
            self.pc = self.pc.wrapping_add_signed(offset.into());
        }
    }

    fn step(&mut self) -> Result<(), Stop> {
        use Mode::*;
        use Register::{A, X, Y};

        let at = self.pc;
        let opcode = self.fetch();
        match opcode {
            0x00 => return Err(Stop::Break),
            0xea => (),
            // Loads and stores.
            0xa9 | 0xa5 | 0xb5 | 0xad | 0xbd | 0xb1 => {
                let mode = match opcode {
                    0xa9 => Immediate,
                    0xa5 => ZeroPage,
                    0xb5 => ZeroPageX,
                    0xad => Absolute,
                    0xbd => AbsoluteX,
                    _ => IndirectY,
                };
                let value = self.operand(mode);
                self.load(A, value);
            }
            0xa2 | 0xa0 => {
                let value = self.fetch();
                self.load(if opcode == 0xa2 { X } else { Y }, value)
            }
            0xa6 | 0xa4 => {
                let value = self.operand(ZeroPage);
                self.load(if opcode & 2 != 0 { X } else { Y }, value);
            }
            0x85 | 0x95 | 0x8d | 0x91 => {
                let address = self.address(match opcode {
                    0x85 => ZeroPage,
                    0x95 => ZeroPageX,
                    0x8d => Absolute,
                    _ => IndirectY,
                });
                self.bus.write(address, self.registers[A]);
            }
            // Arithmetic: a subtraction adds the complement.
            0x69 | 0x65 | 0x7d => {
                let value = self.operand(match opcode {
                    0x69 => Immediate,
                    0x65 => ZeroPage,
                    _ => AbsoluteX,
                });
                self.add(value);
            }
            0xe9 => {
                let value = self.operand(Immediate);
                self.add(!value);
            }
            0x29 | 0x09 | 0x49 => {
                let (a, value) = (self.registers[A], self.fetch());
                self.load(
                    A,
                    match opcode {
                        0x29 => a & value,
                        0x09 => a | value,
                        _ => a ^ value,
                    },
                );
            }
            0xe6 => {
                let address = self.address(ZeroPage);
                self.modify(address, |value| value.wrapping_add(1));
            }
            0x46 => {
                let address = self.address(ZeroPage);
                let carry = self.bus.read(address) & 1 == 1;
                self.modify(address, |value| value >> 1);
                self.set(Flag::Carry, carry);
            }
            0xe8 | 0xc8 | 0xca | 0x88 => {
                let (register, by) = match opcode {
                    0xe8 => (X, 1),
                    0xc8 => (Y, 1),
                    0xca => (X, -1i8),
                    _ => (Y, -1),
                };
                let value = self.registers[register].wrapping_add_signed(by);
                self.load(register, value);
            }
            0xaa => self.load(X, self.registers[A]),
            0x8a => self.load(A, self.registers[X]),
            0xc9 | 0xe0 | 0xc0 => {
                let value = self.fetch();
                self.compare(
                    match opcode {
                        0xc9 => A,
                        0xe0 => X,
                        _ => Y,
                    },
                    value,
                );
            }
            0x18 | 0x38 => self.set(Flag::Carry, opcode == 0x38),
            0x48 => self.push(self.registers[A]),
            0x68 => {
                let value = self.pull();
                self.load(A, value);
            }
            // Branches: which flag is in the two topmost bits, what it has to be in the third.
            opcode if opcode & 0x1f == 0x10 => {
                let flag = [Flag::Negative, Flag::Overflow, Flag::Carry, Flag::Zero][opcode as usize >> 6];
                let wanted = opcode & 0x20 != 0;
                self.branch(self.flag(flag) == wanted);
            }
            0x4c => self.pc = self.fetch_word(),
            0x20 => {
                let to = self.fetch_word();
                let [low, high] = (self.pc - 1).to_le_bytes();
                self.push(high);
                self.push(low);
                self.pc = to;
            }
            0x60 => {
                let bytes = [self.pull(), self.pull()];
                self.pc = u16::from_le_bytes(bytes) + 1;
            }
            opcode => return Err(Stop::Illegal { opcode, at }),
        }
        Ok(())
    }

    fn run(&mut self, limit: u32) -> (Stop, u32) {
        for steps in 0..limit {
            if let Err(stop) = self.step() {
                return (stop, steps);
            }
        }
        (Stop::OutOfTime, limit)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub stop: Stop,
    pub steps: u32,
    pub axys: [u8; 4],
    pub pc: u16,
    pub status: u8,
    pub written: u32,
}

/// Runs a program, with a byte for it at $00.
#[routine]
pub fn run_6502(program: &[u8], input: u8, limit: u32, port: &mut [u8]) -> Ended {
    let mut memory = [0; 0x200];
    memory[0] = input;
    let mut cpu = Cpu::new(
        Machine {
            memory,
            program,
            port,
            written: 0,
        },
        Machine::PROGRAM,
    );
    let (stop, steps) = cpu.run(limit);
    Ended {
        stop,
        steps,
        axys: cpu.registers.0,
        pc: cpu.pc,
        status: cpu.status,
        written: cpu.bus.written as u32,
    }
}

/// Puts out the Fibonacci numbers from 1 on, as many as the byte at $00 says.
pub const FIBONACCI: [u8; 27] = [
    0xa9, 0x00, 0x85, 0x01, 0xa9, 0x01, 0xa6, 0x00, 0x8d, 0x01, 0xf0, 0x48, 0x18, 0x65, 0x01, 0x85, 0x02, 0x68, 0x85,
    0x01, 0xa5, 0x02, 0xca, 0xd0, 0xef, 0x00, 0x00,
];

pub fn known() {
    let mut port = [0; 8];
    let ended = run_6502(&FIBONACCI, 6, 1000, &mut port);
    assert_eq!((ended.stop, ended.written), (Stop::Break, 6));
    assert_eq!(port, [1, 1, 2, 3, 5, 8, 0, 0]);
    assert_eq!(run_6502(&[0x4c, 0x00, 0x06], 0, 9, &mut port).stop, Stop::OutOfTime);
    assert_eq!(
        run_6502(&[0xea, 0x02], 0, 9, &mut port).stop,
        Stop::Illegal { opcode: 2, at: 0x601 }
    );
    // A subroutine that doubles.
    let call = [0xa5, 0, 0x20, 0x06, 0x06, 0, 0x85, 1, 0x18, 0x65, 1, 0x60];
    assert_eq!(run_6502(&call, 100, 99, &mut port).axys[0], 200);
    assert_eq!(run_6502(&call, 100, 99, &mut port).status & 0xc0, 0xc0);
}
