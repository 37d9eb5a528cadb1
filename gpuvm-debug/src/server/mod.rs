//! A server of the Debug Adapter Protocol, to which editors attach. It listens on this machine only.
//!
//! A thread reads what the client sends. Another answers it while no launch is under way; when one is, the thread that runs the launch does.

mod adapter;
mod connection;

use std::io::BufReader;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gpuvm_core::settings::Settings;
use gpuvm_runtime::{Debugger, DebuggerKind, Error, Execution, Result, inventory};

use adapter::Adapter;
use connection::Request;

inventory::submit! {
    DebuggerKind { open: |asked| {
        let (port, optimised) = asked_for(asked)?;
        Ok(Server::open(port, optimised)?)
    } }
}

/// What `GPUVM_DEBUG` says: a port, and whether programs stay optimised.
fn asked_for(asked: &str) -> Result<(u16, bool)> {
    let (port, how) = asked.split_once(',').unwrap_or((asked, ""));
    let port = port.trim().parse().ok();
    let optimised = match how.trim() {
        "" => Some(false),
        "optimised" | "optimized" => Some(true),
        _ => None,
    };
    port.zip(optimised).ok_or_else(|| Error::Debugger {
        reason: "it is a port, such as `4711`, or `4711,optimised` to debug what is run otherwise".to_string(),
    })
}

/// What the client sends.
pub(crate) enum Message {
    /// One has attached.
    Attached(TcpStream),
    Asks(Request),
    /// It has gone, or talks nonsense.
    Gone(Option<String>),
}

/// A debugger that is served on a port of this machine to any client of the [Debug Adapter Protocol](https://microsoft.github.io/debug-adapter-protocol).
///
/// Launches of a runtime that is built with it wait for a client to attach, once.
///
/// ```no_run
/// # use gpuvm_runtime as gpuvm;
/// # fn main() -> gpuvm::Result<()> {
/// let debugger = gpuvm_debug::Server::open(4711, false)?;
/// let runtime = gpuvm::Runtime::builder().debugger(debugger).build()?;
/// # Ok(())
/// # }
/// ```
pub struct Server {
    port: u16,
    optimised: bool,
    inbox: Mutex<Inbox>,
    /// Whether a launch is under way that answers the client.
    launches: Mutex<u32>,
    launch_began: Condvar,
}

/// What has been said so far, and what comes.
struct Inbox {
    messages: Receiver<Message>,
    adapter: Adapter,
    /// Whether launches wait for a client.
    waits: bool,
}

/// How often whoever waits for a client looks at something else.
const LOOK: Duration = Duration::from_millis(20);

impl Server {
    /// Listens on a port, 0 for any that is free. Unless they are to stay `optimised`, programs of runtimes with their own default settings are linked by
    /// [`Settings::debug`].
    ///
    /// # Errors
    ///
    /// [`Error::Debugger`] if the port is in use, or may not be used.
    pub fn open(port: u16, optimised: bool) -> Result<Arc<Server>> {
        let failed = |error: std::io::Error| Error::Debugger {
            reason: format!("no debugger can be served on port {port} of this machine: {error}"),
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let (sender, messages) = channel();
        let server = Arc::new(Server {
            port,
            optimised,
            inbox: Mutex::new(Inbox {
                messages,
                adapter: Adapter::default(),
                waits: true,
            }),
            launches: Mutex::new(0),
            launch_began: Condvar::new(),
        });
        std::thread::spawn(move || listen(&listener, &sender));
        let idle = Arc::downgrade(&server);
        std::thread::spawn(move || {
            while let Some(server) = idle.upgrade() {
                server.idle();
            }
        });
        Ok(server)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers the client for a moment, if no launch does.
    fn idle(&self) {
        let launches = self.launches.lock().unwrap_or_else(PoisonError::into_inner);
        if *launches > 0 {
            let _ = self.launch_began.wait_timeout(launches, LOOK);
            return;
        }
        drop(launches);
        let mut inbox = self.inbox();
        if let Ok(message) = inbox.messages.recv_timeout(LOOK) {
            inbox.adapter.idle(message);
        }
    }
}

impl Debugger for Server {
    fn take(&self, execution: &mut Execution<'_>) -> Result<()> {
        self.debug(execution, false)
    }

    fn examine(&self, execution: &mut Execution<'_>) -> Result<()> {
        self.debug(execution, true)
    }

    fn settings(&self, settings: Settings) -> Settings {
        let debug = Settings {
            recursion_limit: settings.recursion_limit,
            ..Settings::debug()
        };
        let plain = Settings {
            recursion_limit: settings.recursion_limit,
            ..Settings::default()
        };
        match settings == plain && !self.optimised {
            true => debug,
            false => settings,
        }
    }
}

impl Server {
    /// Lets a client debug an execution, which stops before it goes on if it `stands`.
    fn debug(&self, execution: &mut Execution<'_>, stands: bool) -> Result<()> {
        let count = |by: i32| {
            let mut launches = self.launches.lock().unwrap_or_else(PoisonError::into_inner);
            *launches = launches.saturating_add_signed(by);
        };
        count(1);
        self.launch_began.notify_all();
        // One launch at a time.
        let mut inbox = self.inbox();
        let Inbox {
            messages,
            adapter,
            waits,
        } = &mut *inbox;
        if *waits && !adapter.is_ready() {
            eprintln!(
                "gpuvm: `{}` waits for a debugger on port {} of this machine (127.0.0.1)",
                execution.routine(),
                self.port
            );
            while !adapter.is_ready() {
                match messages.recv_timeout(LOOK) {
                    Ok(message) => adapter.idle(message),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        }
        *waits = false;
        let taken = match adapter.is_ready() {
            true => adapter.launch(execution, stands, messages),
            false => Ok(()),
        };
        drop(inbox);
        count(-1);
        taken
    }
}

/// Takes clients in, one after the other, and hands on what they say.
fn listen(listener: &TcpListener, to: &Sender<Message>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        // A client asks and waits, so nothing is gained by waiting for more to send.
        let _ = stream.set_nodelay(true);
        let Ok(reading) = stream.try_clone() else { continue };
        if to.send(Message::Attached(stream)).is_err() {
            return;
        }
        let mut input = BufReader::new(reading);
        let gone = loop {
            match connection::read(&mut input) {
                Ok(Some(message)) => {
                    // A client may answer and tell things too, none of which it was asked for.
                    if let Some(request) = Request::of(&message)
                        && to.send(Message::Asks(request)).is_err()
                    {
                        return;
                    }
                }
                Ok(None) => break None,
                Err(error) => break Some(error.to_string()),
            }
        };
        if to.send(Message::Gone(gone)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_is_a_port() {
        assert_eq!(asked_for("4711").ok(), Some((4711, false)));
        assert_eq!(asked_for("4711, optimised").ok(), Some((4711, true)));
        for wrong in ["", "x", "70000", "4711,fast", "-1"] {
            assert!(asked_for(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_port_in_use_is_an_error() {
        let first = Server::open(0, false).unwrap();
        let error = Server::open(first.port(), false).err().unwrap().to_string();
        assert!(
            error.starts_with(&format!(
                "no debugger can be served on port {} of this machine",
                first.port()
            )),
            "{error}"
        );
    }
}
