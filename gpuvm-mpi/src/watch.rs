//! Whoever dies without a word is missed at once: each rank holds a connection with the first one, which the system closes when a process is no more. What starts ranks kills the
//! others then, and not all of them say of which it was.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use gpuvm_engine::{Ranks, gathered};

use crate::world::{World, end_all, machine};

/// So long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(2);
/// So long a rank waits before it says that the first one is gone: if it is all that are, somebody else says why.
const BEHIND: Duration = Duration::from_millis(300);
/// The stack of a thread that waits.
const STACK: usize = 1 << 16;
/// What is said at the end.
const BYE: u8 = 1;

/// The connections of a rank.
pub(crate) struct Watch {
    own: Vec<TcpStream>,
    threads: Vec<JoinHandle<()>>,
}

impl Watch {
    /// Connects all ranks with the first one; those that it cannot reach are not watched.
    pub fn begin(all: &World) -> Watch {
        let nobody = || Watch {
            own: Vec::new(),
            threads: Vec::new(),
        };
        if all.count() < 2 {
            return nobody();
        }
        let listener = (all.own() == 0)
            .then(|| TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).ok())
            .flatten();
        let port = listener.as_ref().and_then(|listener| listener.local_addr().ok());
        let port = port.map_or(0, |address| address.port());
        let Some((host, port)) = told(all, &(machine(), u32::from(port))).into_iter().next() else {
            return nobody();
        };
        let port = u16::try_from(port).unwrap_or_default();
        let stream = (all.own() > 0 && port > 0).then(|| connect(all, &host, port)).flatten();
        let connected = told(all, &(String::new(), u32::from(stream.is_some())));
        let expected = connected.iter().filter(|(_, is_connected)| *is_connected == 1).count();
        let mut own: Vec<TcpStream> = stream.into_iter().collect();
        if let Some(listener) = listener {
            let accepted = (0..expected).filter_map(|_| Some(listener.accept().ok()?.0));
            own.extend(accepted);
        }
        let is_said = Arc::new(AtomicBool::new(false));
        let watched = own.iter().filter_map(|stream| {
            let (stream, is_said) = (stream.try_clone().ok()?, Arc::clone(&is_said));
            let (own, count) = (all.own(), all.count());
            let body = move || listen(stream, own, count, &is_said);
            let thread = std::thread::Builder::new()
                .name("gpuvm-watch".to_string())
                .stack_size(STACK);
            thread.spawn(body).ok()
        });
        let threads = watched.collect();
        Watch { own, threads }
    }

    /// Takes leave of the others.
    pub fn end(self) {
        for mut stream in self.own {
            // Who is gone needs no leave.
            let _ = stream.write_all(&[BYE]);
        }
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

/// What each rank tells; nothing if one cannot be reached.
fn told(all: &World, own: &(String, u32)) -> Vec<(String, u32)> {
    gathered(all, own).unwrap_or_default()
}

/// A connection with the first rank, to which this one says its number.
fn connect(all: &World, host: &str, port: u16) -> Option<TcpStream> {
    let here = (host == machine()).then(|| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let there = || (host, port).to_socket_addrs().into_iter().flatten();
    let mut addresses = here.into_iter().chain(there());
    let mut stream = addresses.find_map(|address| TcpStream::connect_timeout(&address, CONNECTING).ok())?;
    let number = u32::try_from(all.own()).ok()?;
    stream.write_all(&number.to_le_bytes()).ok()?;
    Some(stream)
}

/// Waits until the other one takes leave, or is gone.
fn listen(mut stream: TcpStream, own: usize, count: usize, is_said: &AtomicBool) {
    let mut number = [0; 4];
    if own == 0 && stream.read_exact(&mut number).is_err() {
        return;
    }
    if stream.read_exact(&mut [0]).is_ok() {
        return;
    }
    if own > 0 {
        std::thread::sleep(BEHIND);
    }
    if !is_said.swap(true, Ordering::Relaxed) {
        let gone = u32::from_le_bytes(number);
        end_all(&format!(
            "rank {gone} of {count} is gone: its process was killed, or its machine cannot be reached any more"
        ));
    }
}
