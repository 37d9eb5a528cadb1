//! A client of the Debug Adapter Protocol: messages over a socket, answers to requests, and events.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value as Json, json};

/// The longest message that is taken; a server that says more talks nonsense.
const LONGEST: usize = 64 << 20;
/// How often whoever waits for a message looks at something else.
const LOOK: Duration = Duration::from_millis(50);

/// Whether somebody has pressed Ctrl-C since this was asked last.
pub(crate) fn interrupted() -> bool {
    INTERRUPT.swap(false, Ordering::SeqCst)
}

/// Notes that somebody has pressed Ctrl-C.
pub(crate) fn interrupt() {
    INTERRUPT.store(true, Ordering::SeqCst);
}

static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server says no, and why.
    Refused(String),
    /// The connection is closed: the program has ended.
    Closed,
    /// Somebody has pressed Ctrl-C.
    Interrupted,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(reason) => f.write_str(reason),
            Failure::Closed => f.write_str("the program has closed the connection"),
            Failure::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// Something that the server tells without being asked.
#[derive(Debug)]
pub(crate) struct Event {
    /// Its name in the protocol.
    pub name: String,
    /// What belongs to it.
    pub body: Json,
}

/// What comes next from the server.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// An event.
    Event(Event),
    /// Nothing so far.
    Nothing,
    /// The end.
    Closed,
}

/// A connection to a program that is debugged.
pub(crate) struct Client {
    output: TcpStream,
    messages: Receiver<Json>,
    sequence: i64,
    events: VecDeque<Event>,
    is_closed: bool,
}

impl Client {
    /// Connects to a port of this machine.
    ///
    /// # Errors
    ///
    /// If nobody listens there.
    pub fn connect(port: u16) -> io::Result<Client> {
        let output = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        output.set_nodelay(true)?;
        let mut input = BufReader::new(output.try_clone()?);
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            // A server that talks nonsense is as good as gone.
            while let Ok(Some(message)) = read(&mut input) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Client {
            output,
            messages,
            sequence: 0,
            events: VecDeque::new(),
            is_closed: false,
        })
    }

    /// The body of the answer to a request.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn ask(&mut self, command: &str, arguments: Json) -> Result<Json, Failure> {
        self.sequence += 1;
        let message = json!({ "seq": self.sequence, "type": "request", "command": command, "arguments": arguments });
        let text = message.to_string();
        let sent = write!(self.output, "Content-Length: {}\r\n\r\n{text}", text.len());
        if sent.and_then(|()| self.output.flush()).is_err() {
            // What has come until then is still there to be read.
            while self.receive(LOOK).is_some() {}
            return Err(Failure::Closed);
        }
        loop {
            if interrupted() {
                return Err(Failure::Interrupted);
            }
            let Some(mut message) = self.receive(LOOK) else {
                if self.is_closed {
                    return Err(Failure::Closed);
                }
                continue;
            };
            // An answer to a request that was interrupted comes late, and nobody wants it any more.
            if message["request_seq"] != self.sequence {
                continue;
            }
            if message["success"] == true {
                return Ok(message["body"].take());
            }
            let reason = message["message"]
                .as_str()
                .unwrap_or("the program refuses without a reason");
            return Err(Failure::Refused(reason.to_string()));
        }
    }

    /// The next event, if there is one within this time.
    pub fn event(&mut self, within: Duration) -> Incoming {
        if self.events.is_empty() && !self.is_closed {
            self.receive(within);
        }
        match self.events.pop_front() {
            Some(event) => Incoming::Event(event),
            None if self.is_closed => Incoming::Closed,
            None => Incoming::Nothing,
        }
    }

    /// Receives a message. Events are put aside, answers come back.
    fn receive(&mut self, within: Duration) -> Option<Json> {
        match self.messages.recv_timeout(within) {
            Ok(mut message) if message["type"] == "event" => {
                self.events.push_back(Event {
                    name: message["event"].as_str().unwrap_or_default().to_string(),
                    body: message["body"].take(),
                });
                // Whoever waits for an answer looks again.
                Some(Json::Null)
            }
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                self.is_closed = true;
                None
            }
        }
    }
}

/// Reads a message; `None` at the end.
fn read(input: &mut impl BufRead) -> io::Result<Option<Json>> {
    let nonsense = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_string());
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length = length.filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| nonsense("no length of a message"))?;
    let mut content = vec![0; length];
    input.read_exact(&mut content)?;
    serde_json::from_slice(&content)
        .map(Some)
        .map_err(|error| nonsense(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn messages_are_read_and_nonsense_is_not() {
        let mut input = &b"Content-Length: 13\r\n\r\n{\"seq\": 1234}"[..];
        assert_eq!(read(&mut input).unwrap().unwrap()["seq"], 1234);
        assert!(read(&mut input).unwrap().is_none());
        for text in [
            "hello\r\n\r\n",
            "Content-Length: 2\r\n\r\n{",
            "Content-Length: 2\r\n\r\n[}",
        ] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text}");
        }
    }
}
