//! What random instructions look like, by class.

/// A generator of random numbers: xorshift, multiplied.
pub struct Rng(pub u64);

impl Rng {
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    pub fn below(&mut self, count: u32) -> u32 {
        self.word() % count
    }

    fn of(&mut self, list: &[u32]) -> u32 {
        list[self.below(list.len() as u32) as usize]
    }

    /// An integer, of which small ones, and those at the edges, are frequent.
    pub fn integer(&mut self) -> u64 {
        let random = u64::from(self.word()) << 32 | u64::from(self.word());
        match self.below(8) {
            0 => random & 0xff,
            1 => (random as i64 >> 56) as u64,
            2 => 1 << (random & 63),
            3 => (1u64 << (random & 63)).wrapping_neg(),
            4 => [
                0,
                1,
                u64::MAX,
                1 << 31,
                1 << 63,
                (1 << 63) - 1,
                0x7fff_ffff,
                0xffff_ffff_8000_0000,
            ][(random & 7) as usize],
            5 => random & 0xffff_ffff,
            _ => random,
        }
    }

    /// A number, as `f32` in a box or `f64`, of which those at the edges are frequent.
    pub fn float(&mut self) -> u64 {
        let random = self.integer();
        let boxed = |bits: u32| 0xffff_ffff_0000_0000 | u64::from(bits);
        let word = self.word();
        let small = self.below(64) as i32 - 32;
        match self.below(12) {
            0 => boxed(word),
            1 => boxed(((word >> 9) & 0x7f_ffff) | ((127 + small) as u32 * (1 << 23)) | (word << 31)),
            2 => boxed(word & 0x807f_ffff),
            3 => boxed(
                [
                    0,
                    0x8000_0000,
                    0x7f80_0000,
                    0xff80_0000,
                    0x7fc0_0000,
                    0x7f80_0001,
                    0x0080_0000,
                    0x7f7f_ffff,
                ][self.below(8) as usize],
            ),
            4 => boxed(((self.below(2000) as f32 - 1000.0) / 8.0).to_bits()),
            5 => (u64::from(word) << 20) | ((1023 + small) as u64) << 52 | random << 63,
            6 => (random & 0x800f_ffff_ffff_ffff) | u64::from(word & 1),
            7 => [
                0,
                1 << 63,
                0x7ff0 << 48,
                0xfff0 << 48,
                0x7ff8 << 48,
                0x7ff0 << 48 | 1,
                1 << 52,
                0x7fef_ffff_ffff_ffff,
            ][self.below(8) as usize],
            8 => ((self.below(2000) as f64 - 1000.0) / 8.0).to_bits(),
            9 => (f64::from(f32::from_bits(word))).to_bits(),
            10 => u64::from(word),
            _ => random,
        }
    }
}

/// A kind of instruction, and how one is made.
pub struct Class {
    pub name: &'static str,
    pub make: fn(&mut Rng) -> u32,
}

/// A target register that is not the one that the program keeps: `s0`.
fn rd(rng: &mut Rng) -> u32 {
    let register = rng.below(32);
    if register == 8 { 9 } else { register }
}

/// Fields of a RISC-V instruction.
fn fields(rng: &mut Rng, opcode: u32, funct3: u32, funct7: u32) -> u32 {
    opcode | rd(rng) << 7 | funct3 << 12 | rng.below(32) << 15 | rng.below(32) << 20 | funct7 << 25
}

/// Where the memory of an input is, from `s0` on.
const MEMORY: u32 = 520;

pub const RISCV: &[Class] = &[
    Class {
        name: "integer",
        make: |rng| {
            let funct3 = rng.below(8);
            let opcode = rng.of(&[0x13, 0x33, 0x1b, 0x3b, 0x37, 0x17]);
            let funct7 = if rng.below(2) == 0 {
                rng.of(&[0, 0x20, 1])
            } else {
                rng.below(128)
            };
            // The place of the program's code is the same in both.
            fields(rng, opcode, funct3, funct7)
        },
    },
    Class {
        name: "products",
        make: |rng| {
            let funct3 = rng.below(8);
            let opcode = rng.of(&[0x33, 0x3b]);
            fields(rng, opcode, funct3, 1)
        },
    },
    Class {
        name: "compressed",
        make: |rng| {
            // Two of them; what jumps, accesses memory or changes `s0` is left out.
            let mut one = || loop {
                let bits = rng.word() & 0xffff;
                let (quadrant, funct3) = (bits & 3, bits >> 13);
                let (full, high, low) = (bits >> 7 & 31, bits >> 7 & 7, bits >> 2 & 7);
                let fine = match (quadrant, funct3) {
                    (0, 0) => low != 0,
                    (1, 4) => high != 0,
                    (1, 0..4) | (2, 0) => full != 8,
                    (2, 4) => full != 8 && bits >> 2 & 31 != 0,
                    _ => false,
                };
                if fine {
                    return bits;
                }
            };
            one() | one() << 16
        },
    },
    Class {
        name: "memory",
        make: |rng| {
            let offset = MEMORY + rng.below(248);
            let funct3 = rng.below(8);
            match rng.below(4) {
                0 => 0x23 | (offset & 31) << 7 | (funct3 & 3) << 12 | 8 << 15 | rng.below(32) << 20 | offset >> 5 << 25,
                1 => {
                    0x27 | (offset & 31) << 7
                        | (2 + (funct3 & 1)) << 12
                        | 8 << 15
                        | rng.below(32) << 20
                        | offset >> 5 << 25
                }
                2 => 0x07 | rng.below(32) << 7 | (2 + (funct3 & 1)) << 12 | 8 << 15 | offset << 20,
                _ => 0x03 | rd(rng) << 7 | funct3 << 12 | 8 << 15 | offset << 20,
            }
        },
    },
    Class {
        name: "branches",
        make: |rng| {
            // Over the next one.
            let funct3 = rng.of(&[0, 1, 4, 5, 6, 7]);
            if rng.below(2) == 0 {
                0x63 | 8 << 7 | funct3 << 12 | rng.below(32) << 15 | rng.below(32) << 20
            } else {
                fields(rng, 0x33, funct3, 0)
            }
        },
    },
    Class {
        name: "singles",
        make: |rng| riscv_float(rng, 0),
    },
    Class {
        name: "doubles",
        make: |rng| riscv_float(rng, 1),
    },
    Class {
        name: "fused",
        make: |rng| {
            let opcode = rng.of(&[0x43, 0x47, 0x4b, 0x4f]);
            let funct3 = rng.of(&[0, 1, 2, 3, 4, 7, 7, 7]);
            let funct7 = rng.below(32) << 2 | rng.below(2);
            opcode | rng.below(32) << 7 | funct3 << 12 | rng.below(32) << 15 | rng.below(32) << 20 | funct7 << 25
        },
    },
    Class {
        name: "status",
        make: |rng| {
            let funct3 = rng.of(&[1, 2, 3, 5, 6, 7]);
            let number = rng.of(&[1, 2, 3]);
            if rng.below(2) == 0 {
                // Values of `frm` that are none would make others undefined, so it is a flag that changes.
                0x73 | rd(rng) << 7 | (funct3 | 4) << 12 | rng.below(32) << 15 | 1 << 20
            } else {
                0x73 | rd(rng) << 7 | 2 << 12 | number << 20
            }
        },
    },
];

fn riscv_float(rng: &mut Rng, format: u32) -> u32 {
    let operation = rng.of(&[0, 1, 2, 3, 0x0b, 4, 5, 8, 0x14, 0x18, 0x1a, 0x1c, 0x1e]);
    let funct3 = match operation {
        4 | 5 | 0x14 | 0x1c => rng.below(3),
        0x1e => 0,
        _ => rng.of(&[0, 1, 2, 3, 4, 7, 7, 7]),
    };
    let rs2 = match operation {
        0x0b | 0x1c | 0x1e => 0,
        8 => format ^ 1,
        0x18 | 0x1a => rng.below(4),
        _ => rng.below(32),
    };
    let integer = matches!(operation, 0x14 | 0x18 | 0x1c);
    let target = if integer { rd(rng) } else { rng.below(32) };
    0x53 | target << 7 | funct3 << 12 | rng.below(32) << 15 | rs2 << 20 | (operation << 2 | format) << 25
}

/// Random bits where the mask has ones, with targets and sources that the program does not keep: not `x28`, and no stack pointer.
fn arm(rng: &mut Rng, fixed: u32, free: u32) -> u32 {
    let bits = fixed | rng.word() & free;
    let avoid = |bits: u32, at: u32| {
        let register = bits >> at & 31;
        if free >> at & 31 == 31 && (register == 28 || register == 31) {
            bits ^ 8 << at
        } else {
            bits
        }
    };
    avoid(avoid(bits, 0), 5)
}

pub const AARCH64: &[Class] = &[
    Class {
        name: "sums",
        make: |rng| match rng.below(3) {
            0 => arm(rng, 0x1100_0000, 0xe07f_ffff),
            1 => arm(rng, 0x0b00_0000, 0xe0df_ffff),
            _ => arm(rng, 0x0b20_0000, 0xe01f_ffff),
        },
    },
    Class {
        name: "logic",
        make: |rng| {
            if rng.below(2) == 0 {
                arm(rng, 0x1200_0000, 0xe07f_ffff)
            } else {
                arm(rng, 0x0a00_0000, 0xe0ff_ffff)
            }
        },
    },
    Class {
        name: "fields",
        make: |rng| match rng.below(4) {
            0 => arm(rng, 0x1280_0000, 0xe07f_ffff),
            1 => arm(rng, 0x1380_0000, 0x807f_ffff),
            2 => arm(rng, 0x1000_0000, 0xe0ff_ffff) & !0xe0 | 0x20,
            _ => arm(rng, 0x1300_0000, 0xe07f_ffff),
        },
    },
    Class {
        name: "products",
        make: |rng| arm(rng, 0x1b00_0000, 0x80ff_ffff),
    },
    Class {
        name: "words",
        make: |rng| {
            if rng.below(2) == 0 {
                arm(rng, 0x1ac0_0000, 0x801f_3fff)
            } else {
                arm(rng, 0x5ac0_0000, 0x8000_1fff)
            }
        },
    },
    Class {
        name: "conditions",
        make: |rng| match rng.below(4) {
            0 => arm(rng, 0x1a80_0000, 0xc01f_f7ff),
            1 => arm(rng, 0x3a40_0000, 0xc01f_fbef),
            2 => arm(rng, 0x1a00_0000, 0xe01f_03ff),
            // A branch over the next one.
            _ => match rng.below(3) {
                0 => 0x5400_0040 | rng.below(16),
                1 => 0x3400_0040 | rng.word() & 0x8100_001f,
                _ => 0x3600_0040 | rng.word() & 0x81f8_001f,
            },
        },
    },
    Class {
        name: "memory",
        make: |rng| {
            let size = rng.below(4);
            let opc = rng.below(4);
            let target = rng.below(28);
            let offset = (800 >> size) + rng.below(200 >> size);
            match rng.below(5) {
                0 => 0x3900_0000 | size << 30 | opc << 22 | offset << 10 | 28 << 5 | target,
                // Within 256 bytes the offset is a number of bytes, of registers.
                1 => 0x3800_0000 | size << 30 | opc << 22 | rng.below(240) << 12 | 28 << 5 | target,
                2 => {
                    let (first, second) = (target, (target + 1) % 28);
                    let opc = rng.of(&[0, 1, 2]);
                    0x2900_0000
                        | opc << 30
                        | rng.below(2) << 22
                        | (32 + rng.below(24)) << 15
                        | second << 10
                        | 28 << 5
                        | first
                }
                3 => {
                    // Of float registers.
                    let wide = rng.below(2);
                    let (size, opc) = if wide != 0 {
                        (0, rng.below(2) | 2)
                    } else {
                        (size, rng.below(2))
                    };
                    let scale = if wide != 0 { 4 } else { size };
                    let offset = (800 >> scale) + rng.below(200 >> scale);
                    0x3d00_0000 | size << 30 | opc << 22 | offset << 10 | 28 << 5 | rng.below(32)
                }
                _ => {
                    let opc = rng.below(3);
                    let offset = 32 + rng.below(16);
                    0x2d00_0000
                        | opc << 30
                        | rng.below(2) << 22
                        | offset << 15
                        | rng.below(32) << 10
                        | 28 << 5
                        | rng.below(32)
                }
            }
        },
    },
    Class {
        name: "floats",
        make: |rng| {
            let format = rng.below(2) << 22;
            match rng.below(4) {
                0 => arm(rng, 0x1e20_0800, 0x001f_f3ff) | format,
                1 => arm(rng, 0x1f00_0000, 0x003f_ffff) | format,
                _ => arm(rng, 0x1e20_4000, 0x001f_83ff) & !0x001f_0000 | format | rng.below(16) << 15,
            }
        },
    },
    Class {
        name: "comparisons",
        make: |rng| {
            let format = rng.below(2) << 22;
            match rng.below(3) {
                0 => arm(rng, 0x1e20_2000, 0x001f_03f8) | format,
                1 => arm(rng, 0x1e20_0400, 0x001f_f3ff) | format,
                _ => arm(rng, 0x1e20_0c00, 0x001f_f3ff) | format,
            }
        },
    },
    Class {
        name: "conversions",
        make: |rng| match rng.below(4) {
            0 => arm(rng, 0x1e20_0000, 0x80df_03ff),
            1 => arm(rng, 0x1e00_0000, 0x80df_ffff),
            2 => arm(rng, 0x1e20_1000, 0x00df_e3ff) & !0x3e0,
            _ => arm(rng, 0x1e22_4000, 0x00c1_83ff),
        },
    },
    Class {
        name: "vectors",
        make: |rng| match rng.below(7) {
            0 => arm(rng, 0x0f00_0400, 0x6007_f3ff),
            1 => arm(rng, 0x0e20_1c00, 0x60df_03ff),
            2 => arm(rng, 0x0e20_5800, 0x4000_03ff),
            3 => arm(rng, 0x0e31_b800, 0x4000_03ff),
            4 => arm(rng, 0x0f00_0400, 0x607f_53ff) & !0xa800,
            5 => arm(rng, 0x0e20_8400, 0x60df_03ff),
            _ => {
                let fixed = rng.of(&[
                    0x5e21_d800,
                    0x7e21_d800,
                    0x5ea1_b800,
                    0x7ea1_b800,
                    0x0e00_3c00,
                    0x4e08_3c00,
                    0x5e08_0400,
                    0x5ee0_8400,
                ]);
                arm(
                    rng,
                    fixed,
                    if fixed & 0xff00_ff00 == 0x0e00_3c00 {
                        0x001f_03ff
                    } else {
                        0x0000_03ff
                    },
                )
            }
        },
    },
];
