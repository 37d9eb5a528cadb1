//! Guards: what an engine asks of a VM in front of an instruction before it stops there, so that a million VMs run at full speed until one meets a
//! breakpoint's condition.

use gpuvm_core::interp::{Vm, header};

/// Where VMs stop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StopAt {
    /// The number of the instruction in front of which they do.
    pub instruction: u32,
    /// Which of them do; all if `None`. An engine that has no guards stops all of them, so whoever asks for it looks once more.
    pub guard: Option<Guard>,
}

impl StopAt {
    /// Stops every VM in front of an instruction.
    pub fn every(instruction: u32) -> StopAt {
        StopAt {
            instruction,
            guard: None,
        }
    }
}

/// A condition on a VM's words: checks one after the other, each of which computes a word from two, until one decides. Behind the last one the VM stops.
///
/// Where a check has no result, because it overflows or a float is no number, the VM stops too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    checks: Vec<Check>,
}

/// Values of a word of a VM: from the first one on, and after the highest number from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordRange {
    /// The number of the word.
    pub word: u32,
    /// The first value.
    pub first: u32,
    /// How far it is to the last one.
    pub span: u32,
}

/// One step of a [`Guard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Check {
    /// What it computes.
    pub op: CheckOp,
    /// From what.
    pub left: Operand,
    /// And from what.
    pub right: Operand,
    /// What becomes of the result.
    pub then: Then,
}

/// What a [`Check`] computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// This word.
    Constant(u32),
    /// A general word of the VM.
    Word(u32),
    /// A word of its frame memory, counted from the frame base on.
    Frame(u32),
    /// The VM's number in the launch.
    VmId,
    /// How many VMs the launch has.
    VmCount,
    /// What was pushed last, which is taken away. Where both are, the right one was pushed last.
    Popped,
}

/// What becomes of a check's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Then {
    /// It is pushed.
    Push,
    /// The VM goes past unless it is something else than 0.
    PassUnless,
    /// The VM stops if it is something else than 0.
    StopIf,
}

/// Defines the operations of checks, once for all engines.
macro_rules! check_ops {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $wgsl:literal;)*) => {
        /// What a [`Check`] computes. Comparisons give 1 or 0.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum CheckOp {
            $($(#[$doc])* $name = $code,)*
        }

        impl CheckOp {
            /// All of them, with their names in shaders.
            pub const ALL: &[(CheckOp, &str)] = &[$((CheckOp::$name, $wgsl),)*];
        }
    };
}

check_ops! {
    /// Whether both are equal.
    Eq = 0, "CHECK_EQ";
    /// Whether they are not.
    Ne = 1, "CHECK_NE";
    /// Whether the left one is less, without signs.
    LtU = 2, "CHECK_LT_U";
    /// Whether the left one is less or equal, without signs.
    LeU = 3, "CHECK_LE_U";
    /// Whether the left one is less, with signs.
    LtS = 4, "CHECK_LT_S";
    /// Whether the left one is less or equal, with signs.
    LeS = 5, "CHECK_LE_S";
    /// The bits that both have.
    And = 6, "CHECK_AND";
    /// The bits that one has.
    Or = 7, "CHECK_OR";
    /// The bits that just one has.
    Xor = 8, "CHECK_XOR";
    /// The sum without signs; none if it overflows.
    AddU = 9, "CHECK_ADD_U";
    /// The sum with signs; none if it overflows.
    AddS = 10, "CHECK_ADD_S";
    /// The difference without signs; none if it overflows.
    SubU = 11, "CHECK_SUB_U";
    /// The difference with signs; none if it overflows.
    SubS = 12, "CHECK_SUB_S";
    /// The remainder without signs; none by 0.
    RemU = 13, "CHECK_REM_U";
    /// Whether the left one is less, of floats of 32 bits; none if one is no number.
    LtF = 14, "CHECK_LT_F";
    /// Whether the left one is less or equal, of floats of 32 bits; none if one is no number.
    LeF = 15, "CHECK_LE_F";
    /// Whether both are equal, of floats of 32 bits; none if one is no number.
    EqF = 16, "CHECK_EQ_F";
}

impl CheckOp {
    /// The result, if there is one.
    pub fn apply(self, left: u32, right: u32) -> Option<u32> {
        let [signed_left, signed_right] = [left, right].map(u32::cast_signed);
        let keys = || float_key(left).zip(float_key(right));
        Some(match self {
            CheckOp::Eq => (left == right).into(),
            CheckOp::Ne => (left != right).into(),
            CheckOp::LtU => (left < right).into(),
            CheckOp::LeU => (left <= right).into(),
            CheckOp::LtS => (signed_left < signed_right).into(),
            CheckOp::LeS => (signed_left <= signed_right).into(),
            CheckOp::And => left & right,
            CheckOp::Or => left | right,
            CheckOp::Xor => left ^ right,
            CheckOp::AddU => left.checked_add(right)?,
            CheckOp::AddS => signed_left.checked_add(signed_right)?.cast_unsigned(),
            CheckOp::SubU => left.checked_sub(right)?,
            CheckOp::SubS => signed_left.checked_sub(signed_right)?.cast_unsigned(),
            CheckOp::RemU => left.checked_rem(right)?,
            CheckOp::LtF => keys().map(|(left, right)| left < right)?.into(),
            CheckOp::LeF => keys().map(|(left, right)| left <= right)?.into(),
            CheckOp::EqF => keys().map(|(left, right)| left == right)?.into(),
        })
    }
}

/// An integer that is ordered as the float of these bits, both zeros being the same; none for what is no number. Devices may take small floats for 0, so
/// they compare these.
fn float_key(bits: u32) -> Option<i32> {
    let magnitude = (bits & 0x7fff_ffff).cast_signed();
    match magnitude {
        0x7f80_0001.. => None,
        _ if bits >> 31 == 1 => Some(-magnitude),
        _ => Some(magnitude),
    }
}

impl Guard {
    /// Words that checks may have pushed at a time.
    pub const DEPTH: usize = 4;
    /// Checks that a guard may have.
    pub const MOST: usize = 64;

    /// A guard of these checks; `None` if they are too many, or take away what was not pushed, or push too much.
    pub fn new(checks: Vec<Check>) -> Option<Guard> {
        let mut depth = 0_usize;
        for check in &checks {
            for source in [check.left, check.right] {
                depth = depth.checked_sub(usize::from(source == Operand::Popped))?;
            }
            depth += usize::from(check.then == Then::Push);
            if depth > Guard::DEPTH {
                return None;
            }
        }
        (depth == 0 && checks.len() <= Guard::MOST).then_some(Guard { checks })
    }

    /// The checks in order.
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// The general words that it reads, as bits.
    pub fn words(&self) -> u32 {
        let sources = self.checks.iter().flat_map(|check| [check.left, check.right]);
        sources.fold(0, |words, source| match source {
            Operand::Word(word) => words | 1_u32.checked_shl(word).unwrap_or(0),
            _ => words,
        })
    }

    /// What its first check alone tells, where that compares a word of the VM with a constant: outside of these values of the word the VM goes past.
    pub fn range(&self) -> Option<WordRange> {
        let check = self.checks.first().filter(|check| check.then == Then::PassUnless)?;
        let (word, constant, is_left) = match (check.left, check.right) {
            (Operand::Word(word), Operand::Constant(constant)) => (word, constant, true),
            (Operand::Constant(constant), Operand::Word(word)) => (word, constant, false),
            _ => return None,
        };
        // With this added, or taken away, numbers with signs are in the order of those without.
        let bias = match check.op {
            CheckOp::LtS | CheckOp::LeS => 1 << 31,
            _ => 0,
        };
        let key = constant ^ bias;
        let (least, most) = match (check.op, is_left) {
            (CheckOp::Eq, _) => (key, key),
            (CheckOp::LtU | CheckOp::LtS, true) => (0, key.checked_sub(1)?),
            (CheckOp::LeU | CheckOp::LeS, true) => (0, key),
            (CheckOp::LtU | CheckOp::LtS, false) => (key.checked_add(1)?, u32::MAX),
            (CheckOp::LeU | CheckOp::LeS, false) => (key, u32::MAX),
            _ => return None,
        };
        Some(WordRange {
            word,
            first: least ^ bias,
            span: most - least,
        })
    }

    /// Whether it stops a VM of a launch of so many. A frame word that the VM does not have counts as 0.
    pub fn stops(&self, vm: &Vm, vm_count: u32) -> bool {
        let mut pushed: Vec<u32> = Vec::new();
        for check in &self.checks {
            let mut value = |source: Operand| match source {
                Operand::Constant(word) => word,
                Operand::Word(word) => vm.words().get(word as usize).copied().unwrap_or(0),
                Operand::Frame(offset) => {
                    let at = vm.frame_base.wrapping_add(offset);
                    vm.frame.get(at as usize).copied().unwrap_or(0)
                }
                Operand::VmId => vm.state[header::VM_ID],
                Operand::VmCount => vm_count,
                Operand::Popped => pushed.pop().unwrap_or(0),
            };
            let right = value(check.right);
            let left = value(check.left);
            let Some(result) = check.op.apply(left, right) else {
                return true;
            };
            match (check.then, result) {
                (Then::Push, _) => pushed.push(result),
                (Then::PassUnless, 0) => return false,
                (Then::StopIf, 1..) => return true,
                _ => {}
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_of_the_first_checks_range_vms_go_past() {
        let edges = [
            0,
            1,
            2,
            7,
            (1 << 31) - 2,
            (1 << 31) - 1,
            1 << 31,
            (1 << 31) + 1,
            u32::MAX - 1,
            u32::MAX,
        ];
        let ordered = [CheckOp::Eq, CheckOp::LtU, CheckOp::LeU, CheckOp::LtS, CheckOp::LeS];
        let mut none = 0;
        for op in ordered {
            for constant in edges {
                for is_left in [true, false] {
                    let (word, constant_of) = (Operand::Word(3), Operand::Constant(constant));
                    let (left, right) = if is_left {
                        (word, constant_of)
                    } else {
                        (constant_of, word)
                    };
                    let then = Then::PassUnless;
                    let guard = Guard::new(vec![Check { op, left, right, then }]).unwrap();
                    for value in edges {
                        let holds = match is_left {
                            true => op.apply(value, constant),
                            false => op.apply(constant, value),
                        };
                        let inside = guard.range().map_or(0, |range| {
                            assert_eq!(range.word, 3);
                            u32::from(value.wrapping_sub(range.first) <= range.span)
                        });
                        assert_eq!(holds, Some(inside), "{op:?} {constant} {is_left} {value}");
                    }
                    none += u32::from(guard.range().is_none());
                }
            }
        }
        assert_eq!(none, 4, "nothing is less than the least number or more than the most");
        let check = |op, then| Check {
            op,
            left: Operand::Word(0),
            right: Operand::Constant(5),
            then,
        };
        for (op, then) in [(CheckOp::Ne, Then::PassUnless), (CheckOp::Eq, Then::StopIf)] {
            assert_eq!(Guard::new(vec![check(op, then)]).unwrap().range(), None);
        }
    }

    #[test]
    fn floats_are_ordered_by_their_keys() {
        let floats = [
            f32::NEG_INFINITY,
            f32::MIN,
            -1.5,
            -f32::MIN_POSITIVE,
            -1e-45,
            -0.0,
            0.0,
            1e-45,
            f32::MIN_POSITIVE,
            1.5,
            f32::MAX,
            f32::INFINITY,
        ];
        for left in floats {
            for right in floats {
                let of = |op: CheckOp| op.apply(left.to_bits(), right.to_bits());
                assert_eq!(of(CheckOp::LtF), Some((left < right).into()), "{left} < {right}");
                assert_eq!(of(CheckOp::LeF), Some((left <= right).into()), "{left} <= {right}");
                assert_eq!(of(CheckOp::EqF), Some((left == right).into()), "{left} == {right}");
            }
            assert_eq!(CheckOp::LtF.apply(f32::NAN.to_bits(), left.to_bits()), None);
            assert_eq!(CheckOp::EqF.apply(left.to_bits(), (-f32::NAN).to_bits()), None);
        }
    }

    #[test]
    fn what_does_not_fit_is_no_guard() {
        let check = |left, right, then| Check {
            op: CheckOp::AddU,
            left,
            right,
            then,
        };
        let zero = Operand::Constant(0);
        let push = check(zero, zero, Then::Push);
        assert!(Guard::new(vec![check(Operand::Popped, zero, Then::StopIf)]).is_none());
        assert!(Guard::new(vec![push]).is_none(), "what was pushed stays");
        assert!(Guard::new(vec![push; 5]).is_none());
        let sum = check(Operand::Popped, Operand::Popped, Then::StopIf);
        assert!(Guard::new(vec![push, push, sum]).is_some());
        assert!(Guard::new(vec![check(zero, zero, Then::StopIf); Guard::MOST + 1]).is_none());
    }
}
