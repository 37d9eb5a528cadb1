//! A stack machine of 64-bit words: programs as slices of an enum, calls and locals, traps as errors, Ackermann.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Push(i64),
    Pop,
    Dup,
    Swap,
    Local(u8),
    Add,
    Sub,
    Mul,
    Div,
    Less,
    Equal,
    Jump(u16),
    JumpIf(u16),
    Call { to: u16, arguments: u8 },
    Return,
    Halt,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum StackError {
    Overflow,
    Underflow,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Trap {
    Stack(StackError),
    Frames(StackError),
    Arithmetic,
    BadJump(u16),
    OutOfFuel,
}

#[derive(VmType, Clone, Copy)]
struct Stack<T, const N: usize> {
    items: [T; N],
    len: usize,
}

#[routine]
impl<T: Copy + Default, const N: usize> Default for Stack<T, N> {
    fn default() -> Self {
        Self {
            items: [T::default(); N],
            len: 0,
        }
    }
}

#[routine]
impl<T: Copy + Default, const N: usize> Stack<T, N> {
    fn push(&mut self, item: T) -> Result<(), StackError> {
        *self.items.get_mut(self.len).ok_or(StackError::Overflow)? = item;
        self.len += 1;
        Ok(())
    }

    fn pop(&mut self) -> Result<T, StackError> {
        self.len = self.len.checked_sub(1).ok_or(StackError::Underflow)?;
        Ok(self.items[self.len])
    }

    fn top(&self) -> Result<T, StackError> {
        self.items[..self.len].last().copied().ok_or(StackError::Underflow)
    }
}

#[routine]
impl From<StackError> for Trap {
    fn from(error: StackError) -> Self {
        Trap::Stack(error)
    }
}

#[derive(VmType, Clone, Copy, Debug, Default)]
struct Frame {
    back: usize,
    base: usize,
}

#[derive(VmType, Clone, Copy)]
struct Machine<'p> {
    program: &'p [Op],
    stack: Stack<i64, 96>,
    frames: Stack<Frame, 64>,
    frame: Frame,
    pc: usize,
    fuel: u32,
}

#[routine]
impl<'p> Machine<'p> {
    fn new(program: &'p [Op], arguments: &[i64], fuel: u32) -> Result<Self, Trap> {
        let mut stack = Stack::default();
        arguments.iter().try_for_each(|&argument| stack.push(argument))?;
        Ok(Self {
            program,
            stack,
            frames: Stack::default(),
            frame: Frame::default(),
            pc: 0,
            fuel,
        })
    }

    fn binary(&mut self, f: impl FnOnce(i64, i64) -> Option<i64>) -> Result<(), Trap> {
        let right = self.stack.pop()?;
        let left = self.stack.pop()?;
        Ok(self.stack.push(f(left, right).ok_or(Trap::Arithmetic)?)?)
    }

    fn jump(&mut self, to: u16) -> Result<(), Trap> {
        if usize::from(to) >= self.program.len() {
            return Err(Trap::BadJump(to));
        }
        self.pc = usize::from(to);
        Ok(())
    }

    fn run(&mut self) -> Result<i64, Trap> {
        while let Some(op) = self.program.get(self.pc) {
            self.fuel = self.fuel.checked_sub(1).ok_or(Trap::OutOfFuel)?;
            self.pc += 1;
            match *op {
                Op::Push(value) => self.stack.push(value)?,
                Op::Pop => {
                    self.stack.pop()?;
                }
                Op::Dup => self.stack.push(self.stack.top()?)?,
                Op::Swap => {
                    let (a, b) = (self.stack.pop()?, self.stack.pop()?);
                    self.stack.push(a)?;
                    self.stack.push(b)?;
                }
                Op::Local(at) => {
                    let at = self.frame.base + usize::from(at);
                    let local = self.stack.items[..self.stack.len]
                        .get(at)
                        .ok_or(StackError::Underflow)?;
                    self.stack.push(*local)?;
                }
                Op::Add => self.binary(i64::checked_add)?,
                Op::Sub => self.binary(i64::checked_sub)?,
                Op::Mul => self.binary(i64::checked_mul)?,
                Op::Div => self.binary(i64::checked_div)?,
                Op::Less => self.binary(|a, b| Some((a < b).into()))?,
                Op::Equal => self.binary(|a, b| Some(i64::from(a == b)))?,
                Op::Jump(to) => self.jump(to)?,
                Op::JumpIf(to) => {
                    if self.stack.pop()? != 0 {
                        self.jump(to)?;
                    }
                }
                Op::Call { to, arguments } => {
                    let base = self
                        .stack
                        .len
                        .checked_sub(arguments.into())
                        .ok_or(StackError::Underflow)?;
                    self.frames.push(self.frame).map_err(Trap::Frames)?;
                    self.frame = Frame { back: self.pc, base };
                    self.jump(to)?;
                }
                Op::Return => {
                    let result = self.stack.pop()?;
                    let Frame { back, base } = self.frame;
                    self.frame = self.frames.pop().map_err(Trap::Frames)?;
                    self.pc = back;
                    self.stack.len = base;
                    self.stack.push(result)?;
                }
                Op::Halt => return Ok(self.stack.pop()?),
            }
        }
        Err(Trap::BadJump(self.pc as u16))
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    pub value: i64,
    /// 0 where the program halted.
    pub trap: u32,
    pub pc: u32,
    pub steps: u32,
}

#[routine]
fn execute(program: &[Op], arguments: &[i64], fuel: u32) -> Exit {
    let mut machine = match Machine::new(program, arguments, fuel) {
        Ok(machine) => machine,
        Err(_) => {
            return Exit {
                value: 0,
                trap: u32::MAX,
                pc: 0,
                steps: 0,
            };
        }
    };
    let (value, trap) = match machine.run() {
        Ok(value) => (value, 0),
        Err(Trap::Stack(StackError::Overflow)) => (0, 1),
        Err(Trap::Stack(StackError::Underflow)) => (0, 2),
        Err(Trap::Frames(_)) => (0, 3),
        Err(Trap::Arithmetic) => (0, 4),
        Err(Trap::OutOfFuel) => (0, 5),
        Err(Trap::BadJump(to)) => (0, 0x100 + u32::from(to)),
    };
    Exit {
        value,
        trap,
        pc: machine.pc as u32,
        steps: fuel - machine.fuel,
    }
}

/// Runs `program` with two numbers on its stack.
#[routine]
pub fn run_stack_program(program: &[Op], arguments: [i64; 2], fuel: u32) -> Exit {
    execute(program, &arguments, fuel)
}

/// Ackermann's function of the arguments, as a program of the machine.
const ACKERMANN: [Op; 26] = [
    Op::Call { to: 2, arguments: 2 },
    Op::Halt,
    // m = 0: n + 1
    Op::Local(0),
    Op::JumpIf(8),
    Op::Local(1),
    Op::Push(1),
    Op::Add,
    Op::Return,
    Op::Local(1),
    Op::JumpIf(16),
    // n = 0: of m - 1 and 1
    Op::Local(0),
    Op::Push(1),
    Op::Sub,
    Op::Push(1),
    Op::Call { to: 2, arguments: 2 },
    Op::Return,
    // of m - 1 and what m and n - 1 give
    Op::Local(0),
    Op::Push(-1),
    Op::Add,
    Op::Local(0),
    Op::Local(1),
    Op::Push(-1),
    Op::Add,
    Op::Call { to: 2, arguments: 2 },
    Op::Call { to: 2, arguments: 2 },
    Op::Return,
];

#[routine]
fn ackermann(m: u64, n: u64) -> u64 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

/// Ackermann's function on the machine; whether the recursive function says the same.
#[routine]
pub fn ackermann_agrees(m: u8, n: u8) -> bool {
    let exit = execute(&ACKERMANN, &[m.into(), n.into()], 200_000);
    exit.trap == 0 && u64::try_from(exit.value) == Ok(ackermann(m.into(), n.into()))
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn programs() {
        // The sum of the numbers from the first down to 1, times the second.
        let triangle = [
            Op::Push(0),
            Op::Local(0),
            Op::JumpIf(6),
            Op::Local(1),
            Op::Mul,
            Op::Halt,
            Op::Local(0),
            Op::Call { to: 9, arguments: 1 },
            Op::Jump(3),
            Op::Local(0),
            Op::Push(2),
            Op::Less,
            Op::JumpIf(19),
            Op::Local(0),
            Op::Push(1),
            Op::Sub,
            Op::Call { to: 9, arguments: 1 },
            Op::Local(0),
            Op::Add,
            Op::Return,
        ];
        let exit = run_stack_program(&triangle[..], [10, 3], 200);
        assert_eq!((exit.value, exit.trap), (165, 0));
        assert_eq!(run_stack_program(&[Op::Push(0), Op::Div], [1, 1], 9).trap, 4);
        assert_eq!(run_stack_program(&[Op::Pop, Op::Pop, Op::Pop], [1, 1], 9).trap, 2);
        assert_eq!(run_stack_program(&[Op::Dup, Op::Jump(0)], [1, 1], 500).trap, 1);
        assert_eq!(
            run_stack_program(&[Op::Call { to: 0, arguments: 1 }], [1, 1], 500).trap,
            3
        );
        assert_eq!(
            run_stack_program(&[Op::Jump(0)], [1, 1], 500),
            Exit {
                value: 0,
                trap: 5,
                pc: 0,
                steps: 500
            }
        );
        assert_eq!(run_stack_program(&[Op::Jump(7)], [1, 1], 500).trap, 0x107);
    }

    #[test]
    fn ackermanns() {
        assert_eq!(ackermann(2, 3), 9);
        assert!(ackermann_agrees(2, 3));
        assert!(ackermann_agrees(3, 1));
        assert!(!ackermann_agrees(3, 4), "more frames than there are");
    }
}
