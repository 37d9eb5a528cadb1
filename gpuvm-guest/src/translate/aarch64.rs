//! AArch64 instructions as operations of the builder. What they mean is in [`aarch64::run`](crate::aarch64::run); tests compare the two.

mod float;

use gpuvm::Routine;
use gpuvm::build::{Bits, Body, Integer, Place, Value, Variable};

use super::blocks::{Block, Flow, Instruction};
use super::emit::{At, Processor, Wide};
use crate::aarch64::cpu::Cpu;
use crate::aarch64::decode::{
    AFTER, AMOUNT, CONDITION, Decoded, EXTENDED, FLAGS, INVERTED, LOADS, LONG, OTHER, SHIFTED, SIGNED, SIZE, SP, WAY,
    WRITES_BACK, ZR, decode, kind,
};

/// `TPIDR_EL0`, the thread's pointer.
const THREAD: u64 = 0x5e82;

/// The instruction of these bits.
pub(super) fn instruction(address: u32, bits: u32) -> Instruction<Decoded> {
    let decoded = decode(bits);
    let far = u64::from(address).wrapping_add(decoded.immediate);
    let target = far as u32;
    let rd = decoded.word >> 8 & 63;
    let flow = match decoded.word & 0xff {
        kind::B | kind::BCOND..=kind::TBNZ | kind::LITERAL if far >> 32 != 0 => Flow::Leave,
        kind::B if rd == ZR => Flow::Jump(target),
        kind::B => Flow::Call(target),
        kind::BCOND..=kind::TBNZ => Flow::Branch(target),
        kind::BR if rd == ZR && decoded.word >> 14 & 63 == 30 => Flow::Return,
        kind::BR => Flow::Indirect { call: rd != ZR },
        kind::SVC => Flow::System,
        kind::MRS if decoded.immediate == THREAD => Flow::Next,
        kind::ADD..=kind::CCMP | kind::MEMORY..=kind::LITERAL | kind::NOP => Flow::Next,
        kind::VLITERAL if far >> 32 != 0 => Flow::Leave,
        _ if float::is_translated(decoded) => Flow::Next,
        _ => Flow::Leave,
    };
    Instruction {
        address,
        length: 4,
        decoded,
        flow,
    }
}

/// The registers of an AArch64 processor.
pub(super) struct Arm<'b> {
    f: &'b Body,
    record: Place<'b, Cpu>,
    x: [Option<Variable<'b, u64>>; 33],
    /// Negative, zero, carry, overflow.
    flags: [Variable<'b, bool>; 4],
    /// The low halves of the registers of floats, and the high ones.
    v: [Option<Variable<'b, u64>>; 64],
    /// Whether numbers are rounded to the nearest, and whether one may be inexact without anybody seeing it, too.
    nearest: Variable<'b, bool>,
    quick: Variable<'b, bool>,
}

/// What is added up.
#[derive(Clone, Copy)]
struct Sum<'b> {
    minus: bool,
    /// What comes in, where that is not fixed.
    carry: Option<Value<'b, bool>>,
    long: bool,
}

impl<'b> Sum<'b> {
    fn of<T: Integer + Bits>(self, a: Value<'b, T>, b: Value<'b, T>) -> Value<'b, T> {
        match (self.minus, self.carry) {
            (false, None) => a + b,
            (true, None) => a - b,
            (false, Some(carry)) => a + b + carry.cast::<T>(),
            (true, Some(carry)) => a - b - (!carry).cast::<T>(),
        }
    }

    /// Whether it carries, and a value whose sign says whether it overflows.
    fn carried<T: Integer + Bits>(
        self,
        a: Value<'b, T>,
        b: Value<'b, T>,
        whole: Value<'b, T>,
    ) -> (Value<'b, bool>, Value<'b, T>) {
        let carried = match (self.minus, self.carry) {
            (false, None) => whole.lt(a),
            (true, None) => a.ge(b),
            (false, Some(carry)) => (a + b).lt(a) | whole.lt(carry.cast::<T>()),
            (true, Some(carry)) => a.gt(b) | (a.eq(b) & carry),
        };
        let signs = match self.minus {
            true => (a ^ b) & (a ^ whole),
            false => (a ^ whole) & (b ^ whole),
        };
        (carried, signs)
    }
}

/// The four flags.
type Flags<'b> = [Value<'b, bool>; 4];

impl<'b> Arm<'b> {
    fn get(&self, register: u32) -> Value<'b, u64> {
        match self.x.get(register as usize) {
            Some(Some(variable)) => variable.get(),
            _ => self.f.constant(0),
        }
    }

    fn set(&self, register: u32, value: Value<'b, u64>) {
        if let Some(Some(variable)) = self.x.get(register as usize) {
            variable.set(value);
        }
    }

    fn set_flags(&self, flags: Flags<'b>) {
        for (variable, flag) in self.flags.iter().zip(flags) {
            variable.set(flag);
        }
    }

    fn latest(&self, register: usize) -> Value<'b, u64> {
        match self.x.get(register) {
            Some(Some(variable)) => variable.get(),
            _ => self
                .record
                .field::<[u64; 33]>("x")
                .element::<u64>(register as u32)
                .get(),
        }
    }

    fn wide(&self, value: Value<'b, u64>) -> Wide<'b> {
        Wide {
            low: value.cast(),
            high: Some((value >> 32).cast()),
        }
    }

    /// A value shifted: 0 to 3 for left, right, right with the sign, rotated right.
    fn shifted(&self, value: Value<'b, u64>, way: u32, by: Value<'b, u32>, long: bool) -> Value<'b, u64> {
        if long {
            return match way {
                0 => value << by,
                1 => value >> by,
                2 => (value.cast::<i64>() >> by).cast(),
                _ => (value >> by) | (value << (self.f.constant(0u32) - by)),
            };
        }
        let word = value.cast::<u32>();
        let shifted = match way {
            0 => word << by,
            1 => word >> by,
            2 => (word.cast::<i32>() >> by).cast(),
            _ => word.rotate_left(self.f.constant(0u32) - by),
        };
        shifted.cast()
    }

    /// A value extended, and shifted.
    fn extended(&self, value: Value<'b, u64>, way: u32, by: u32) -> Value<'b, u64> {
        let whole = match way {
            0 => value & 0xff,
            1 => value & 0xffff,
            2 => value.cast::<u32>().cast::<u64>(),
            4 | 5 => {
                let above = 32 - (8 << (way & 3));
                let word = (value.cast::<u32>() << above).cast::<i32>() >> above;
                word.cast::<i64>().cast()
            }
            6 => value.cast::<u32>().cast::<i32>().cast::<i64>().cast(),
            _ => value,
        };
        if by == 0 { whole } else { whole << by }
    }

    /// The second operand.
    fn second(&self, decoded: Decoded) -> Value<'b, u64> {
        let Decoded {
            word,
            fields,
            immediate,
        } = decoded;
        let (way, by, long) = (fields >> WAY & 7, fields >> AMOUNT & 63, fields & LONG != 0);
        let register = || self.get(word >> 20 & 63);
        let b = if fields & SHIFTED != 0 {
            match by {
                0 if long => register(),
                0 => register().cast::<u32>().cast(),
                _ => self.shifted(register(), way, self.f.constant(by), long),
            }
        } else if fields & EXTENDED != 0 {
            self.extended(register(), way, by)
        } else {
            let immediate = if fields & INVERTED != 0 { !immediate } else { immediate };
            return self.f.constant(immediate);
        };
        if fields & INVERTED != 0 { !b } else { b }
    }

    /// A sum or a difference.
    fn sum(&self, a: Value<'b, u64>, b: Value<'b, u64>, by: Sum<'b>) -> Value<'b, u64> {
        match by.long {
            true => by.of(a, b),
            false => by.of(a.cast::<u32>(), b.cast::<u32>()).cast(),
        }
    }

    /// The flags of a sum or a difference.
    fn flags_of(&self, a: Value<'b, u64>, b: Value<'b, u64>, whole: Value<'b, u64>, by: Sum<'b>) -> Flags<'b> {
        if by.long {
            let (carried, signs) = by.carried(a, b, whole);
            let (_, high) = Self::halves(signs);
            let (_, sign) = Self::halves(whole);
            return [sign.cast::<i32>().lt(0), whole.eq(0), carried, high.cast::<i32>().lt(0)];
        }
        let (a, b, whole) = (a.cast::<u32>(), b.cast::<u32>(), whole.cast::<u32>());
        let (carried, signs) = by.carried(a, b, whole);
        [
            whole.cast::<i32>().lt(0),
            whole.eq(0),
            carried,
            signs.cast::<i32>().lt(0),
        ]
    }

    /// Whether a condition holds.
    fn holds(&self, condition: u32) -> Value<'b, bool> {
        let [n, z, c, v] = self.flags.map(Variable::get);
        let holds = match condition >> 1 {
            0 => z,
            1 => c,
            2 => n,
            3 => v,
            4 => c & !z,
            5 => !(n ^ v),
            6 => !(n ^ v) & !z,
            _ => return self.f.constant(true),
        };
        if condition & 1 != 0 { !holds } else { holds }
    }

    /// A product of the machine's, by the id of the routine that computes it.
    fn slow(&self, id: &str, a: Value<'b, u64>, b: Value<'b, u64>) -> Value<'b, u64> {
        match Routine::of(id) {
            Ok(routine) => self.f.call::<u64>(&routine, (a, b)),
            Err(_) => self.f.constant(0),
        }
    }

    fn divided(&self, signed: bool, a: Value<'b, u64>, b: Value<'b, u64>, long: bool) -> Value<'b, u64> {
        if long {
            let id = if signed {
                "gpuvm-guest.sdiv64"
            } else {
                "gpuvm-guest.udiv64"
            };
            return self.slow(id, a, b);
        }
        let id = if signed {
            "gpuvm-guest.sdiv32"
        } else {
            "gpuvm-guest.udiv32"
        };
        match Routine::of(id) {
            Ok(routine) => {
                let (a, b) = (a.cast::<u32>(), b.cast::<u32>());
                self.f.call::<u32>(&routine, (a, b)).cast()
            }
            Err(_) => self.f.constant(0),
        }
    }

    /// The two words of a value, the low one first.
    fn halves(value: Value<'b, u64>) -> (Value<'b, u32>, Value<'b, u32>) {
        (value.cast(), (value >> 32).cast())
    }

    fn whole(low: Value<'b, u32>, high: Value<'b, u32>) -> Value<'b, u64> {
        low.cast::<u64>() | high.cast::<u64>() << 32
    }

    fn zeros(&self, value: Value<'b, u64>, long: bool) -> Value<'b, u64> {
        let (low, high) = Self::halves(value);
        let zeros = if long {
            let below = low.leading_zeros() + 32;
            self.f.select(high.eq(0), below, high.leading_zeros())
        } else {
            low.leading_zeros()
        };
        zeros.cast()
    }

    /// What an operation without memory computes.
    fn computed(&self, at: &At<'_, 'b>, decoded: Decoded) -> Option<Value<'b, u64>> {
        let f = self.f;
        let Decoded {
            word,
            fields,
            immediate,
        } = decoded;
        let (long, sets) = (fields & LONG != 0, fields & FLAGS != 0);
        let rd = word >> 8 & 63;
        let a = self.get(word >> 14 & 63);
        let b = self.second(decoded);
        let third = || self.get(word >> 26);
        let product = |signed: bool| {
            let (a, b) = (a.cast::<u32>(), b.cast::<u32>());
            if signed {
                let wide = |value: Value<'b, u32>| value.cast::<i32>().cast::<i64>().cast::<u64>();
                wide(a) * wide(b)
            } else {
                a.cast::<u64>() * b.cast::<u64>()
            }
        };
        let condition = || self.holds(fields >> CONDITION & 15);
        let (from, to) = (fields >> AMOUNT & 63, fields >> CONDITION & 63);
        let field = || (a >> from) & immediate;
        Some(match word & 0xff {
            kind::ADD | kind::SUB | kind::ADC | kind::SBC => {
                let kind = word & 0xff;
                let by = Sum {
                    minus: kind == kind::SUB || kind == kind::SBC,
                    carry: (kind == kind::ADC || kind == kind::SBC).then(|| self.flags[2].get()),
                    long,
                };
                let whole = self.sum(a, b, by);
                if sets {
                    self.set_flags(self.flags_of(a, b, whole, by));
                }
                whole
            }
            kind::AND => {
                let both = a & b;
                if sets {
                    let no = f.constant(false);
                    let (low, high) = Self::halves(both);
                    let negative = if long { high } else { low }.cast::<i32>().lt(0);
                    let zero = if long { both.eq(0) } else { low.eq(0) };
                    self.set_flags([negative, zero, no, no]);
                }
                both
            }
            kind::ORR if word >> 14 & 63 == ZR => b,
            kind::ORR => a | b,
            kind::EOR => a ^ b,
            kind::MOVK => {
                let mask = 0xffff_u64 << (fields >> AMOUNT & 63);
                (self.get(rd) & !mask) | immediate
            }
            kind::ADR => f.constant(u64::from(at.address).wrapping_add(immediate)),
            kind::ADRP => f.constant(u64::from(at.address & !0xfff).wrapping_add(immediate)),
            kind::UBFM => field() << to,
            kind::BFM => (self.get(rd) & !(immediate << to)) | field() << to,
            kind::SBFM => {
                let sign = immediate ^ immediate >> 1;
                ((field() ^ sign) - sign) << to
            }
            kind::EXTR => {
                let by = fields >> AMOUNT & 63;
                let low = self.get(word >> 20 & 63);
                match (by, long) {
                    (0, _) => low,
                    (_, true) => (low >> by) | a << (64 - by),
                    _ => ((low.cast::<u32>() >> by) | a.cast::<u32>() << (32 - by)).cast(),
                }
            }
            kind::MADD if !long => (third().cast::<u32>() + a.cast::<u32>() * b.cast::<u32>()).cast(),
            kind::MSUB if !long => (third().cast::<u32>() - a.cast::<u32>() * b.cast::<u32>()).cast(),
            kind::MADD => third() + a * b,
            kind::MSUB => third() - a * b,
            kind::SMADDL => third() + product(true),
            kind::SMSUBL => third() - product(true),
            kind::UMADDL => third() + product(false),
            kind::UMSUBL => third() - product(false),
            kind::SMULH => self.slow("gpuvm-guest.mulh64", a, b),
            kind::UMULH => self.slow("gpuvm-guest.mulhu64", a, b),
            kind::UDIV => self.divided(false, a, b, long),
            kind::SDIV => self.divided(true, a, b, long),
            kind::SHIFT => self.shifted(a, fields >> OTHER & 3, b.cast(), long),
            kind::RBIT => {
                let (low, high) = Self::halves(a);
                match long {
                    true => Self::whole(high.reverse_bits(), low.reverse_bits()),
                    false => low.reverse_bits().cast(),
                }
            }
            kind::REV16 => {
                let even = 0x00ff_00ff_00ff_00ff;
                ((a >> 8) & even) | (a & even) << 8
            }
            kind::REV32 => {
                let (low, high) = Self::halves(a);
                Self::whole(low.swap_bytes(), high.swap_bytes())
            }
            kind::REV => {
                let (low, high) = Self::halves(a);
                match long {
                    true => Self::whole(high.swap_bytes(), low.swap_bytes()),
                    false => low.swap_bytes().cast(),
                }
            }
            kind::CLZ => self.zeros(a, long),
            kind::CLS if long => {
                let sign = (a.cast::<i64>() >> 63).cast::<u64>();
                self.zeros((a ^ sign) << 1 | 1, true)
            }
            kind::CLS => {
                let low = a.cast::<u32>();
                let sign = (low.cast::<i32>() >> 31).cast::<u32>();
                ((low ^ sign) << 1 | 1).leading_zeros().cast()
            }
            kind::CSEL => f.select(condition(), a, b),
            kind::CSINC => f.select(condition(), a, b + 1),
            kind::CSINV => f.select(condition(), a, !b),
            kind::CSNEG => f.select(condition(), a, f.constant(0u64) - b),
            kind::CCMN | kind::CCMP => {
                let by = Sum {
                    minus: word & 0xff == kind::CCMP,
                    carry: None,
                    long,
                };
                let flags = self.flags_of(a, b, self.sum(a, b, by), by);
                let holds = condition();
                let otherwise = fields >> OTHER & 15;
                let mut bit = 8;
                self.set_flags(flags.map(|flag| {
                    let fixed = otherwise & bit != 0;
                    bit >>= 1;
                    f.select(holds, flag, fixed)
                }));
                return None;
            }
            kind::MRS => self.record.field::<u64>("tpidr").get(),
            _ => return None,
        })
    }

    /// What was loaded, extended by its sign if it is to be.
    fn signed(&self, value: Value<'b, u64>, fields: u32) -> Value<'b, u64> {
        let size = fields >> SIZE & 7;
        if fields & SIGNED == 0 || size > 2 {
            return value;
        }
        self.extended(value, 4 + size, 0)
    }

    fn loaded(&self, at: &At<'_, 'b>, address: Wide<'b>, fields: u32) -> Value<'b, u64> {
        match fields >> SIZE & 7 {
            3 => at.load_double(address),
            size => self.signed(at.load(address, size).cast(), fields),
        }
    }
}

impl<'b> Processor<'b> for Arm<'b> {
    type Decoded = Decoded;
    type Record = Place<'b, Cpu>;

    fn record(f: &'b Body) -> Place<'b, Cpu> {
        f.record("cpu")
    }

    fn new(f: &'b Body, record: Place<'b, Cpu>, blocks: &[Block<Decoded>]) -> Arm<'b> {
        let mut used = [false; 64];
        for instruction in blocks.iter().flat_map(|block| &block.code) {
            for place in [8, 14, 20, 26] {
                used[(instruction.decoded.word >> place & 63) as usize] = true;
            }
        }
        used[ZR as usize] = false;
        let mut used_v = [false; 64];
        for register in blocks
            .iter()
            .flat_map(|block| &block.code)
            .flat_map(|of| float::registers(of.decoded))
        {
            used_v[register] = true;
            used_v[register + 32] = true;
        }
        let v = record.field::<[u64; 64]>("v");
        let name_of_v = |i: usize| format!("{}{}", if i < 32 { "d" } else { "high" }, i % 32);
        let rounds = record.field::<u32>("fpcr").get() & float::ROUNDS;
        let inexact = record.field::<u32>("fpsr").get() & float::INEXACT;
        let x = record.field::<[u64; 33]>("x");
        let name = |i: usize| {
            if i == SP as usize {
                "sp".to_string()
            } else {
                format!("x{i}")
            }
        };
        let nzcv = record.field::<u32>("nzcv").get();
        let flag = |name, bit: u32| f.variable(name, (nzcv & bit).ne(0));
        Arm {
            f,
            record,
            x: std::array::from_fn(|i| used[i].then(|| f.variable(&name(i), x.element::<u64>(i as u32).get()))),
            flags: [flag("n", 8), flag("z", 4), flag("c", 2), flag("v", 1)],
            v: std::array::from_fn(|i| used_v[i].then(|| f.variable(&name_of_v(i), v.element::<u64>(i as u32).get()))),
            nearest: f.variable("nearest", rounds.eq(0)),
            quick: f.variable("quick", rounds.eq(0) & inexact.ne(0)),
        }
    }

    fn pc(&self) -> Wide<'b> {
        self.wide(self.record.field::<u64>("pc").get())
    }

    fn answered(&self, answer: Value<'b, u64>) {
        match self.x[0] {
            Some(variable) => variable.set(answer),
            None => self.record.field::<[u64; 33]>("x").element::<u64>(0).set(answer),
        }
    }

    fn close(&self, pc: Value<'b, u64>, retired: Value<'b, u32>) {
        let x = self.record.field::<[u64; 33]>("x");
        for (i, variable) in (0..).zip(&self.x) {
            if let Some(variable) = variable {
                x.element::<u64>(i).set(variable.get());
            }
        }
        let v = self.record.field::<[u64; 64]>("v");
        for (i, variable) in (0..).zip(&self.v) {
            if let Some(variable) = variable {
                v.element::<u64>(i).set(variable.get());
            }
        }
        let [n, z, c, v] = self.flags.map(|flag| flag.get().cast::<u32>());
        self.record.field::<u32>("nzcv").set(n << 3 | z << 2 | c << 1 | v);
        self.record.field::<u64>("pc").set(pc);
        let all = self.record.field::<u64>("retired");
        all.set(all.get() + retired.cast::<u64>());
    }

    fn call(&self) -> (Value<'b, u64>, [Value<'b, u64>; 6]) {
        (self.latest(8), std::array::from_fn(|i| self.latest(i)))
    }

    fn straight(&self, at: &At<'_, 'b>, decoded: Decoded) {
        let Decoded {
            word,
            fields,
            immediate,
        } = decoded;
        let (rd, rn) = (word >> 8 & 63, word >> 14 & 63);
        let size = fields >> SIZE & 7;
        let result = match word & 0xff {
            kind::NOP => return,
            kind::MEMORY | kind::PAIR => {
                let (a, b) = (self.get(rn), self.second(decoded));
                let whole = a + b;
                let address = self.wide(if fields & AFTER != 0 { a } else { whole });
                let second = word >> 20 & 63;
                let loads = fields & LOADS != 0;
                let mut results = [None, None];
                match (word & 0xff, loads) {
                    (kind::MEMORY, true) => results[0] = Some(self.loaded(at, address, fields)),
                    (kind::MEMORY, false) => at.store(address, size, self.get(word >> 26)),
                    (_, true) => {
                        results = at
                            .load_pair(address, size)
                            .map(|loaded| Some(self.signed(loaded, fields)));
                    }
                    (_, false) => at.store_pair(address, size, [self.get(rd), self.get(second)]),
                }
                if fields & WRITES_BACK != 0 {
                    self.set(rn, whole);
                }
                if let Some(other) = results[1] {
                    self.set(second, other);
                }
                match results[0] {
                    Some(result) => result,
                    None => return,
                }
            }
            kind::LITERAL => {
                let place = at.address.wrapping_add(immediate as u32);
                let address = Wide {
                    low: self.f.constant(place),
                    high: None,
                };
                self.loaded(at, address, fields)
            }
            kind::VMEMORY.. => match self.float(at, decoded) {
                Some(result) => result,
                None => return,
            },
            _ => match self.computed(at, decoded) {
                Some(result) => result,
                None => return,
            },
        };
        let long = fields & LONG != 0;
        self.set(rd, if long { result } else { result & 0xffff_ffff });
    }

    fn condition(&self, decoded: Decoded) -> Value<'b, bool> {
        let Decoded { word, fields, .. } = decoded;
        let a = self.get(word >> 14 & 63);
        let kind = word & 0xff;
        let zero = match kind {
            kind::BCOND => return self.holds(fields >> CONDITION & 15),
            kind::CBZ | kind::CBNZ if fields & LONG != 0 => a.eq(0),
            kind::CBZ | kind::CBNZ => a.cast::<u32>().eq(0),
            _ => {
                let (low, high) = Self::halves(a);
                let place = fields >> AMOUNT & 63;
                let word = if place < 32 { low } else { high };
                (word & (1u32 << (place & 31))).eq(0)
            }
        };
        match kind {
            kind::CBZ | kind::TBZ => zero,
            _ => !zero,
        }
    }

    fn target(&self, decoded: Decoded) -> Wide<'b> {
        self.wide(self.get(decoded.word >> 14 & 63))
    }

    fn link(&self, decoded: Decoded, next: u32) {
        self.set(decoded.word >> 8 & 63, self.f.constant(u64::from(next)));
    }
}
