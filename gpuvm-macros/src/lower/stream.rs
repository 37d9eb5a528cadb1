//! The writer of the node stream: a byte a node, LEB128 arguments, and a `Line` node only where the line has changed.

use gpuvm_nodes::node::Node;
use gpuvm_nodes::{Kind, name_hash};
use proc_macro2::Span;

/// The node stream so far.
#[derive(Default)]
pub struct Stream {
    bytes: Vec<u8>,
    line: usize,
    /// Whether lines are left out.
    without_lines: bool,
    /// Whether the last node is a value that is nothing to calculate.
    ends_in_nothing: bool,
}

impl Stream {
    /// A stream, with lines or without.
    pub fn of(without_lines: bool) -> Stream {
        Stream {
            without_lines,
            ..Stream::default()
        }
    }

    /// The stream of a closure in it.
    pub fn inner(&self) -> Stream {
        Stream::of(self.without_lines)
    }

    /// Writes a node; its arguments follow by [`number`](Self::number) and [`hash`](Self::hash). A value that nobody wants and nothing makes is left out.
    pub fn node(&mut self, node: Node) -> &mut Stream {
        if node == Node::Pop && self.ends_in_nothing {
            self.bytes.pop();
            self.ends_in_nothing = false;
            return self;
        }
        self.bytes.push(node as u8);
        self.ends_in_nothing = matches!(node, Node::Unit | Node::Never);
        self
    }

    /// Writes an argument.
    pub fn number(&mut self, value: u64) -> &mut Stream {
        self.wide(value.into())
    }

    /// Writes the value of an integer literal, two's complement.
    pub fn wide(&mut self, value: u128) -> &mut Stream {
        let mut rest = value;
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
        self
    }

    /// Writes the bits of a float of a kind.
    pub fn float(&mut self, kind: Kind, single: f32, double: f64) -> &mut Stream {
        match kind {
            Kind::F32 => self.bytes.extend(single.to_bits().to_le_bytes()),
            _ => self.bytes.extend(double.to_bits().to_le_bytes()),
        }
        self
    }

    /// Writes the hash of a name.
    pub fn hash(&mut self, name: &str) -> &mut Stream {
        self.bytes.extend(name_hash(name).to_le_bytes());
        self
    }

    /// Writes the hash that stands for no name.
    pub fn zero_hash(&mut self) -> &mut Stream {
        self.bytes.extend([0; 4]);
        self
    }

    /// Writes how many bytes the walk skips.
    pub fn distance(&mut self, bytes: i32) -> &mut Stream {
        self.bytes.extend(bytes.to_le_bytes());
        self
    }

    /// Writes nodes that were written by themselves.
    pub fn code(&mut self, code: Vec<u8>) -> &mut Stream {
        self.bytes.extend(code);
        // Its last line is not that of what follows.
        self.line = 0;
        self
    }

    /// Says on which line the next node may trap.
    pub fn line(&mut self, span: Span) {
        let line = span.start().line;
        if line != self.line && !self.without_lines {
            self.line = line;
            self.node(Node::Line).number(line as u64);
        }
    }

    /// The bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
