//! Messages of the Debug Adapter Protocol over a socket: a header with the length, and JSON.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Value as Json, json};

/// The longest message that is taken; a client that says more talks nonsense.
const LONGEST: usize = 8 << 20;
/// The longest header.
const LONGEST_HEADER: u64 = 4 << 10;

/// Reads a message; `None` at the end.
///
/// # Errors
///
/// When the socket fails, or what comes is no message.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Json>> {
    let nonsense = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_string());
    let (mut length, mut begun) = (None, false);
    let mut header = input.by_ref().take(LONGEST_HEADER);
    loop {
        let mut line = String::new();
        if header.read_line(&mut line)? == 0 {
            return match begun {
                false => Ok(None),
                true => Err(nonsense("the header does not end")),
            };
        }
        begun = true;
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
    let length = length
        .filter(|length| *length <= LONGEST)
        .ok_or_else(|| nonsense("no length of a message"))?;
    let mut content = vec![0; length];
    input.read_exact(&mut content)?;
    serde_json::from_slice(&content)
        .map(Some)
        .map_err(|error| nonsense(&error.to_string()))
}

/// The way to the client.
pub(crate) struct Output<W> {
    writer: W,
    sequence: i64,
}

impl<W: Write> Output<W> {
    pub fn new(writer: W) -> Output<W> {
        Output { writer, sequence: 0 }
    }

    fn send(&mut self, mut message: Json) -> io::Result<()> {
        self.sequence += 1;
        message["seq"] = self.sequence.into();
        let text = message.to_string();
        // In one piece, which is one packet.
        let message = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.writer.write_all(message.as_bytes())?;
        self.writer.flush()
    }

    /// Answers a request.
    ///
    /// # Errors
    ///
    /// When the socket fails.
    pub fn respond(&mut self, request: &Request, answer: Result<Json, String>) -> io::Result<()> {
        let mut message = json!({
            "type": "response",
            "request_seq": request.sequence,
            "command": request.command,
            "success": answer.is_ok(),
        });
        match answer {
            Ok(Json::Null) => {}
            Ok(body) => message["body"] = body,
            Err(reason) => {
                message["body"] = json!({ "error": { "id": 1, "format": reason, "showUser": true } });
                message["message"] = reason.into();
            }
        }
        self.send(message)
    }

    /// Tells of something.
    ///
    /// # Errors
    ///
    /// When the socket fails.
    pub fn event(&mut self, name: &str, body: Json) -> io::Result<()> {
        let mut message = json!({ "type": "event", "event": name });
        if !body.is_null() {
            message["body"] = body;
        }
        self.send(message)
    }
}

/// What a client asks for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub sequence: i64,
    pub command: String,
    pub arguments: Json,
}

impl Request {
    /// The request that a message is.
    pub fn of(message: &Json) -> Option<Request> {
        Some(Request {
            sequence: message.get("seq")?.as_i64()?,
            command: message.get("command")?.as_str()?.to_string(),
            arguments: message.get("arguments").cloned().unwrap_or_else(|| json!({})),
        })
    }

    /// Its arguments.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub fn arguments<T: serde::de::DeserializeOwned>(&self) -> Result<T, String> {
        let arguments = serde_json::from_value(self.arguments.clone());
        arguments.map_err(|error| format!("the arguments of `{}` are wrong: {error}", self.command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back() {
        let mut sent = Vec::new();
        let mut output = Output::new(&mut sent);
        output.event("stopped", json!({ "threadId": 3 })).unwrap();
        output.event("initialized", Json::Null).unwrap();
        let mut input = &sent[..];
        assert_eq!(read(&mut input).unwrap().unwrap()["body"]["threadId"], 3);
        assert_eq!(read(&mut input).unwrap().unwrap()["seq"], 2);
        assert!(read(&mut input).unwrap().is_none());
    }

    #[test]
    fn nonsense_is_an_error() {
        for text in [
            "hello",
            "Content-Length: 5\r\n",
            "Content-Length: 99999999999999\r\n\r\n{}",
            "Content-Length: 2\r\n\r\n{",
            "Content-Length: 2\r\n\r\n[}",
            "Content-Length: -1\r\n\r\n{}",
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text}");
        }
        let endless = vec![b'x'; 1 << 16];
        assert!(read(&mut &endless[..]).is_err());
    }
}
