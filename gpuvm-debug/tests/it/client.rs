//! A client of the Debug Adapter Protocol, as an editor has one.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// A client and what it has been told that nobody has asked for yet.
pub struct Client {
    input: BufReader<TcpStream>,
    output: TcpStream,
    sequence: i64,
    events: VecDeque<Value>,
}

impl Client {
    /// Attaches to a port of this machine.
    pub fn attach(port: u16) -> Client {
        let output = TcpStream::connect(("127.0.0.1", port)).unwrap();
        output.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Client {
            input: BufReader::new(output.try_clone().unwrap()),
            output,
            sequence: 0,
            events: VecDeque::new(),
        }
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        // The server may have let go of who talks nonsense.
        let _ = self.output.write_all(bytes);
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.input.read_line(&mut line).unwrap() > 0, "the server has hung up");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                _ if line.trim_end().is_empty() => break,
                _ => {}
            }
        }
        let mut content = vec![0; length];
        self.input.read_exact(&mut content).unwrap();
        serde_json::from_slice(&content).unwrap()
    }

    /// The answer to a request, whether it succeeds or not.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        self.sequence += 1;
        let message = json!({ "seq": self.sequence, "type": "request", "command": command, "arguments": arguments });
        let text = message.to_string();
        write!(self.output, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        loop {
            let message = self.receive();
            if message["type"] == "response" && message["request_seq"] == self.sequence {
                assert_eq!(message["command"], command);
                return message;
            }
            self.events.push_back(message);
        }
    }

    /// The body of the answer to a request that succeeds.
    pub fn get(&mut self, command: &str, arguments: Value) -> Value {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], true, "{command}: {answer}");
        answer["body"].clone()
    }

    /// Why a request fails.
    pub fn fail(&mut self, command: &str, arguments: Value) -> String {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], false, "{command}: {answer}");
        answer["message"].as_str().unwrap().to_string()
    }

    /// The body of the next event of this name; others before it are forgotten.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            let message = self.events.pop_front().unwrap_or_else(|| self.receive());
            if message["event"] == name {
                return message["body"].clone();
            }
        }
    }

    /// Says all that an editor says before anything runs, with breakpoints in one source.
    pub fn begin(&mut self, path: &str, breakpoints: Value) -> Value {
        let capabilities = self.get("initialize", json!({ "adapterID": "gpuvm", "linesStartAt1": true }));
        self.event("initialized");
        self.get("attach", json!({}));
        let placed = self.get(
            "setBreakpoints",
            json!({ "source": { "path": path }, "breakpoints": breakpoints }),
        );
        let all = breakpoints.as_array().map_or(0, Vec::len);
        assert_eq!(placed["breakpoints"].as_array().unwrap().len(), all);
        self.get("setExceptionBreakpoints", json!({ "filters": ["trap"] }));
        self.get("configurationDone", json!({}));
        capabilities
    }

    /// The variables of the innermost frame of a thread, by name.
    pub fn locals(&mut self, thread: i64) -> Vec<(String, String)> {
        let frame = self.get("stackTrace", json!({ "threadId": thread }))["stackFrames"][0]["id"].clone();
        let scopes = self.get("scopes", json!({ "frameId": frame }));
        let reference = scopes["scopes"][0]["variablesReference"].clone();
        self.unfold(&reference)
    }

    /// What is inside of something.
    pub fn unfold(&mut self, reference: &Value) -> Vec<(String, String)> {
        let variables = self.get("variables", json!({ "variablesReference": reference }));
        let text = |value: &Value| value.as_str().unwrap().to_string();
        let all = variables["variables"].as_array().unwrap().iter();
        all.map(|variable| (text(&variable["name"]), text(&variable["value"])))
            .collect()
    }
}
