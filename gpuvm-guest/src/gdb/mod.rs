//! gdb's remote protocol for a guest under a [`Debugger`], by the crate `gdbstub`.

mod machine;

use std::convert::Infallible;
use std::io;
use std::marker::PhantomData;
use std::net::{TcpListener, TcpStream};

use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, SingleThreadStopReason};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::reverse_exec::{
    ReplayLogPosition, ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadResume, SingleThreadResumeOps, SingleThreadSingleStep, SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use gdbstub::target::{Target, TargetError, TargetResult};
use gdbstub_arch::aarch64::AArch64;

use self::machine::{GuestMachine, RiscV32, RiscV64};
use crate::error::Error;
use crate::guests::{Debugger, StopReason};
use crate::program::Machine;
use crate::stop::{FaultKind, Stop};
use crate::system::System;

/// How gdb has left a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It has detached, or its connection has ended: the guest may go on.
    Detached,
    /// It wants the guest to end.
    Killed,
    /// The guest has ended.
    Ended,
}

impl Debugger<'_> {
    /// Waits for gdb to connect, and does with the guest what that says, until it leaves. On the other side, with the guest's program for its symbols:
    ///
    /// ```text
    /// $ gdb-multiarch guest.elf -ex 'target remote localhost:1234'
    /// ```
    ///
    /// gdb's `reverse-step`, `reverse-continue` and their like work, from where the debugger took the guest over. Watchpoints are for writes (`watch`). A signal says why
    /// the guest has stopped: `SIGILL` for an undefined instruction, `SIGSEGV` for memory that it has not, `SIGBUS` for an access that is not aligned, `SIGXCPU` if its budget is
    /// spent, `SIGSTOP` if it waits for the answer to a system call.
    ///
    /// Whoever can connect can change the guest: listen at `127.0.0.1`.
    ///
    /// # Errors
    ///
    /// [`Error::Gdb`] if the connection fails or what comes over it is not gdb's protocol.
    pub fn serve_gdb(&mut self, listener: &TcpListener, system: &mut dyn System) -> crate::Result<Left> {
        let (connection, _) = listener.accept().map_err(|error| Error::Gdb(error.to_string()))?;
        match self.machine() {
            Machine::RiscV32 => serve::<RiscV32>(self, connection, system),
            Machine::RiscV64 => serve::<RiscV64>(self, connection, system),
            Machine::AArch64 => serve::<AArch64>(self, connection, system),
        }
    }
}

fn serve<M: GuestMachine>(
    debugger: &mut Debugger<'_>,
    connection: TcpStream,
    system: &mut dyn System,
) -> crate::Result<Left> {
    let mut session = Session::<M> {
        debugger,
        system,
        how: How::Resume,
        machine: PhantomData,
    };
    let left = GdbStub::new(connection).run_blocking::<Loop<'_, '_, '_, M>>(&mut session);
    match left {
        Ok(DisconnectReason::Disconnect) => Ok(Left::Detached),
        Ok(DisconnectReason::Kill) => Ok(Left::Killed),
        Ok(DisconnectReason::TargetExited(_) | DisconnectReason::TargetTerminated(_)) => Ok(Left::Ended),
        Err(error) => match error.into_connection_error() {
            Some((error, _)) if is_end(&error) => Ok(Left::Detached),
            Some((error, _)) => Err(Error::Gdb(error.to_string())),
            None => Err(Error::Gdb("it has sent what is not its protocol".to_string())),
        },
    }
}

/// Whether a connection's error says that its other side is no more.
fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(
        error.kind(),
        BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof
    )
}

/// How a guest is to go on.
#[derive(Clone, Copy, Debug)]
enum How {
    Step,
    Resume,
    StepBack,
    ResumeBack,
}

/// What gdb talks to.
struct Session<'s, 'd, 'g, M> {
    debugger: &'d mut Debugger<'g>,
    system: &'s mut dyn System,
    how: How,
    machine: PhantomData<M>,
}

/// Where the guest runs.
struct Loop<'s, 'd, 'g, M>(PhantomData<Session<'s, 'd, 'g, M>>);

impl<'s, 'd, 'g, M: GuestMachine> BlockingEventLoop for Loop<'s, 'd, 'g, M> {
    type Target = Session<'s, 'd, 'g, M>;
    type Connection = TcpStream;
    type StopReason = SingleThreadStopReason<M::Usize>;

    fn wait_for_stop_reason(
        session: &mut Self::Target,
        connection: &mut TcpStream,
    ) -> Result<Event<Self::StopReason>, WaitForStopReasonError<Infallible, io::Error>> {
        let Session { debugger, system, .. } = session;
        let mut failed = None;
        let mut interrupted = || match ConnectionExt::peek(connection) {
            Ok(byte) => byte.is_some(),
            Err(error) => {
                failed = Some(error);
                true
            }
        };
        let reason = match session.how {
            How::Step => debugger.step(*system),
            How::Resume => debugger.resume(*system, &mut interrupted),
            How::StepBack => debugger.step_back(),
            How::ResumeBack => debugger.resume_back(),
        };
        if let Some(error) = failed {
            return Err(WaitForStopReasonError::Connection(error));
        }
        if reason == StopReason::Interrupted {
            let byte = ConnectionExt::read(connection).map_err(WaitForStopReasonError::Connection)?;
            return Ok(Event::IncomingData(byte));
        }
        Ok(Event::TargetStopped(told::<M>(reason)))
    }

    fn on_interrupt(_: &mut Self::Target) -> Result<Option<Self::StopReason>, Infallible> {
        Ok(Some(SingleThreadStopReason::Signal(Signal::SIGINT)))
    }
}

/// A reason as gdb is told it.
fn told<M: GuestMachine>(reason: StopReason) -> SingleThreadStopReason<M::Usize> {
    let signal = |signal| SingleThreadStopReason::Signal(signal);
    match reason {
        StopReason::Step => SingleThreadStopReason::DoneStep,
        StopReason::Breakpoint => SingleThreadStopReason::SwBreak(()),
        StopReason::Watchpoint { address } => SingleThreadStopReason::Watch {
            tid: (),
            kind: WatchKind::Write,
            addr: M::address(address),
        },
        StopReason::Interrupted => signal(Signal::SIGINT),
        StopReason::Beginning => SingleThreadStopReason::ReplayLog {
            tid: None,
            pos: ReplayLogPosition::Begin,
        },
        StopReason::Stopped(stop) => match stop {
            Stop::Exited(code) => SingleThreadStopReason::Exited(code as u8),
            Stop::Syscall { .. } => signal(Signal::SIGSTOP),
            Stop::OutOfBudget { .. } => signal(Signal::SIGXCPU),
            Stop::Breakpoint { .. } => signal(Signal::SIGTRAP),
            Stop::Fault { kind, .. } => signal(match kind {
                FaultKind::Undefined => Signal::SIGILL,
                FaultKind::Misaligned => Signal::SIGBUS,
                FaultKind::Load | FaultKind::Store | FaultKind::Fetch | FaultKind::OutOfPages => Signal::SIGSEGV,
            }),
        },
    }
}

/// The number of the error that an access to memory which is not there is.
const EFAULT: u8 = 14;

impl<M: GuestMachine> Target for Session<'_, '_, '_, M> {
    type Arch = M;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, M, Infallible> {
        BaseOps::SingleThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }
}

impl<M: GuestMachine> SingleThreadBase for Session<'_, '_, '_, M> {
    fn read_registers(&mut self, registers: &mut M::Registers) -> TargetResult<(), Self> {
        M::read(self.debugger.processor(), registers);
        Ok(())
    }

    fn write_registers(&mut self, registers: &M::Registers) -> TargetResult<(), Self> {
        self.debugger.change(|processor| M::write(registers, processor));
        Ok(())
    }

    fn read_addrs(&mut self, start: M::Usize, data: &mut [u8]) -> TargetResult<usize, Self> {
        let read = self.debugger.read(M::number(start), data.len() as u64);
        if read.is_empty() && !data.is_empty() {
            return Err(TargetError::Errno(EFAULT));
        }
        data[..read.len()].copy_from_slice(&read);
        Ok(read.len())
    }

    fn write_addrs(&mut self, start: M::Usize, data: &[u8]) -> TargetResult<(), Self> {
        match self.debugger.write(M::number(start), data) {
            true => Ok(()),
            false => Err(TargetError::Errno(EFAULT)),
        }
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl<M: GuestMachine> SingleThreadResume for Session<'_, '_, '_, M> {
    /// Guests take no signals.
    fn resume(&mut self, _: Option<Signal>) -> Result<(), Infallible> {
        self.how = How::Resume;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, (), Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, (), Self>> {
        Some(self)
    }
}

impl<M: GuestMachine> SingleThreadSingleStep for Session<'_, '_, '_, M> {
    fn step(&mut self, _: Option<Signal>) -> Result<(), Infallible> {
        self.how = How::Step;
        Ok(())
    }
}

impl<M: GuestMachine> ReverseStep<()> for Session<'_, '_, '_, M> {
    fn reverse_step(&mut self, (): ()) -> Result<(), Infallible> {
        self.how = How::StepBack;
        Ok(())
    }
}

impl<M: GuestMachine> ReverseCont<()> for Session<'_, '_, '_, M> {
    fn reverse_cont(&mut self) -> Result<(), Infallible> {
        self.how = How::ResumeBack;
        Ok(())
    }
}

impl<M: GuestMachine> Breakpoints for Session<'_, '_, '_, M> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

/// No breakpoint is in the guest's memory, so the two kinds are one.
impl<M: GuestMachine> SwBreakpoint for Session<'_, '_, '_, M> {
    fn add_sw_breakpoint(&mut self, address: M::Usize, _: M::BreakpointKind) -> TargetResult<bool, Self> {
        self.debugger.set_breakpoint(M::number(address));
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: M::Usize, _: M::BreakpointKind) -> TargetResult<bool, Self> {
        Ok(self.debugger.clear_breakpoint(M::number(address)))
    }
}

impl<M: GuestMachine> HwBreakpoint for Session<'_, '_, '_, M> {
    fn add_hw_breakpoint(&mut self, address: M::Usize, kind: M::BreakpointKind) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(address, kind)
    }

    fn remove_hw_breakpoint(&mut self, address: M::Usize, kind: M::BreakpointKind) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(address, kind)
    }
}

impl<M: GuestMachine> HwWatchpoint for Session<'_, '_, '_, M> {
    fn add_hw_watchpoint(&mut self, address: M::Usize, bytes: M::Usize, kind: WatchKind) -> TargetResult<bool, Self> {
        if kind != WatchKind::Write {
            return Ok(false);
        }
        self.debugger.set_watchpoint(M::number(address), M::number(bytes));
        Ok(true)
    }

    fn remove_hw_watchpoint(&mut self, address: M::Usize, bytes: M::Usize, _: WatchKind) -> TargetResult<bool, Self> {
        Ok(self.debugger.clear_watchpoint(M::number(address), M::number(bytes)))
    }
}
