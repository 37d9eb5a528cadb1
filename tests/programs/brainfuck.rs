//! A Brainfuck interpreter: brackets matched beforehand, runs of equal commands folded, a limit of steps.

use gpuvm::prelude::*;

const PROGRAM: usize = 256;
const TAPE: usize = 64;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Op {
    #[default]
    Halt,
    Move(i16),
    Add(u8),
    Input,
    Output,
    JumpIfZero(u16),
    JumpUnlessZero(u16),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum BrainfuckError {
    Unmatched(u16),
    ProgramTooLong,
    OffTape,
    OutputFull,
    OutOfSteps,
}

#[routine]
fn compile(source: &[u8]) -> Result<[Op; PROGRAM], BrainfuckError> {
    let mut ops = [Op::Halt; PROGRAM];
    let mut open = [0u16; 16];
    let mut depth = 0;
    let mut len = 0;
    for &byte in source {
        let op = match byte {
            b'>' => Op::Move(1),
            b'<' => Op::Move(-1),
            b'+' => Op::Add(1),
            b'-' => Op::Add(255),
            b',' => Op::Input,
            b'.' => Op::Output,
            b'[' => {
                *open.get_mut(depth).ok_or(BrainfuckError::ProgramTooLong)? = len as u16;
                depth += 1;
                Op::JumpIfZero(0)
            }
            b']' => {
                depth = depth.checked_sub(1).ok_or(BrainfuckError::Unmatched(len as u16))?;
                let start = open[depth];
                ops[usize::from(start)] = Op::JumpIfZero(len as u16);
                Op::JumpUnlessZero(start)
            }
            _ => continue,
        };
        let previous = ops[..len].last_mut();
        match (previous, op) {
            (Some(Op::Move(by)), Op::Move(more)) => *by += more,
            (Some(Op::Add(by)), Op::Add(more)) => *by = by.wrapping_add(more),
            _ => {
                // The last slot stays the halt.
                let slot = ops[..PROGRAM - 1].get_mut(len).ok_or(BrainfuckError::ProgramTooLong)?;
                *slot = op;
                len += 1;
            }
        }
    }
    match open[..depth].last() {
        Some(&at) => Err(BrainfuckError::Unmatched(at)),
        None => Ok(ops),
    }
}

#[routine]
fn execute(ops: &[Op; PROGRAM], mut input: &[u8], out: &mut [u8], steps: u32) -> Result<usize, BrainfuckError> {
    let mut tape = [0u8; TAPE];
    let (mut at, mut pc, mut written) = (0usize, 0usize, 0);
    for _ in 0..steps {
        match ops[pc] {
            Op::Halt => return Ok(written),
            Op::Move(by) => {
                at = at
                    .checked_add_signed(isize::from(by))
                    .filter(|&at| at < TAPE)
                    .ok_or(BrainfuckError::OffTape)?
            }
            Op::Add(by) => tape[at] = tape[at].wrapping_add(by),
            Op::Input => tape[at] = input.split_off_first().copied().unwrap_or(0),
            Op::Output => {
                *out.get_mut(written).ok_or(BrainfuckError::OutputFull)? = tape[at];
                written += 1;
            }
            Op::JumpIfZero(to) if tape[at] == 0 => pc = usize::from(to),
            Op::JumpUnlessZero(to) if tape[at] != 0 => pc = usize::from(to),
            Op::JumpIfZero(_) | Op::JumpUnlessZero(_) => {}
        }
        pc += 1;
    }
    Err(BrainfuckError::OutOfSteps)
}

/// Runs `source` over `input`; how many bytes it wrote, or below zero an error.
#[routine]
pub fn brainfuck(source: &[u8], input: &[u8], steps: u32, out: &mut [u8]) -> i32 {
    match compile(source).and_then(|ops| execute(&ops, input, out, steps)) {
        Ok(written) => written as i32,
        Err(BrainfuckError::Unmatched(at)) => -100 - i32::from(at),
        Err(BrainfuckError::ProgramTooLong) => -1,
        Err(BrainfuckError::OffTape) => -2,
        Err(BrainfuckError::OutputFull) => -3,
        Err(BrainfuckError::OutOfSteps) => -4,
    }
}

#[cfg(test)]
mod known {
    use super::*;

    const HELLO: &[u8] =
        b"++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.";

    #[test]
    fn programs() {
        let mut out = [0; 32];
        assert_eq!(brainfuck(HELLO, b"", 10_000, &mut out), 12);
        assert_eq!(&out[..12], b"Hello World!");
        assert_eq!(brainfuck(b",[.,]", b"echo", 100, &mut out), 4);
        assert_eq!(&out[..4], b"echo");
        assert_eq!(brainfuck(b">,[>,]<[.<]", b"reverse", 200, &mut out), 7);
        assert_eq!(&out[..7], b"esrever");
    }

    #[test]
    fn errors() {
        let mut out = [0; 2];
        assert_eq!(brainfuck(b"+[", b"", 10, &mut out), -101);
        assert_eq!(brainfuck(b"]", b"", 10, &mut out), -100);
        assert_eq!(brainfuck(b"<", b"", 10, &mut out), -2);
        assert_eq!(brainfuck(b"...", b"", 10, &mut out), -3);
        assert_eq!(brainfuck(b"+[]", b"", 1000, &mut out), -4);
    }
}
