//! The profile as pprof's protocol buffers, of which it takes a few messages: those of
//! `github.com/google/pprof/blob/main/proto/profile.proto`.

use std::collections::HashMap;

use gpuvm_core::program::SourceLoc;

use super::Profile;

/// Numbers of fields.
mod field {
    pub mod profile {
        pub const SAMPLE_TYPE: u64 = 1;
        pub const SAMPLE: u64 = 2;
        pub const LOCATION: u64 = 4;
        pub const FUNCTION: u64 = 5;
        pub const STRINGS: u64 = 6;
        pub const DURATION_NANOS: u64 = 10;
    }
    pub mod value_type {
        pub const TYPE: u64 = 1;
        pub const UNIT: u64 = 2;
    }
    pub mod sample {
        pub const LOCATIONS: u64 = 1;
        pub const VALUES: u64 = 2;
    }
    pub mod location {
        pub const ID: u64 = 1;
        pub const LINE: u64 = 4;
    }
    pub mod line {
        pub const FUNCTION: u64 = 1;
        pub const LINE: u64 = 2;
    }
    pub mod function {
        pub const ID: u64 = 1;
        pub const NAME: u64 = 2;
        pub const SYSTEM_NAME: u64 = 3;
        pub const FILE: u64 = 4;
    }
}

/// A message as it is put together.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(mut self, field: u64, value: u64) -> Message {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Message {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn message(self, field: u64, message: &Message) -> Message {
        self.bytes(field, &message.0)
    }

    fn numbers(self, field: u64, values: impl Iterator<Item = u64>) -> Message {
        let mut packed = Message::default();
        values.for_each(|value| packed.varint(value));
        self.message(field, &packed)
    }
}

/// What has a number, from the order in which it came.
struct Numbered<K>(HashMap<K, u64>, Vec<K>);

impl<K: Clone + Eq + std::hash::Hash> Numbered<K> {
    fn of(&mut self, key: K) -> u64 {
        let next = self.1.len() as u64;
        let number = *self.0.entry(key.clone()).or_insert(next);
        if number == next {
            self.1.push(key);
        }
        number
    }
}

impl Profile {
    /// The stacks as pprof's protocol buffers, not compressed, which `pprof` and speedscope read: write it to a file. A sample's value is how many
    /// instructions VMs ran.
    pub fn pprof(&self) -> Vec<u8> {
        let counted = &self.counted;
        let mut strings = Numbered(HashMap::new(), Vec::new());
        // The first one has to be this.
        strings.of("");
        let mut places: Numbered<SourceLoc> = Numbered(HashMap::new(), Vec::new());
        let kind = Message::default()
            .number(field::value_type::TYPE, strings.of("instructions"))
            .number(field::value_type::UNIT, strings.of("count"));
        let mut all = Message::default().message(field::profile::SAMPLE_TYPE, &kind);
        for (index, node) in counted.tree.nodes.iter().enumerate().filter(|(_, node)| node.own > 0) {
            // No location is 0, and the innermost comes first.
            let locations = counted.tree.path(index).map(|node| 1 + places.of(node.at));
            let sample = Message::default()
                .numbers(field::sample::LOCATIONS, locations)
                .numbers(field::sample::VALUES, std::iter::once(node.own));
            all = all.message(field::profile::SAMPLE, &sample);
        }
        let mut functions = Numbered(HashMap::new(), Vec::new());
        for (index, at) in places.1.iter().enumerate() {
            let line = Message::default()
                .number(field::line::FUNCTION, 1 + functions.of((at.routine, at.file)))
                .number(field::line::LINE, at.line.into());
            let location = Message::default()
                .number(field::location::ID, 1 + index as u64)
                .message(field::location::LINE, &line);
            all = all.message(field::profile::LOCATION, &location);
        }
        for (index, (routine, file)) in functions.1.iter().enumerate() {
            let name = strings.of(super::name(&counted.routines, *routine));
            let function = Message::default()
                .number(field::function::ID, 1 + index as u64)
                .number(field::function::NAME, name)
                .number(field::function::SYSTEM_NAME, name)
                .number(field::function::FILE, strings.of(super::name(&counted.files, *file)));
            all = all.message(field::profile::FUNCTION, &function);
        }
        for text in &strings.1 {
            all = all.bytes(field::profile::STRINGS, text.as_bytes());
        }
        let time = self.stats.device_time.unwrap_or(self.stats.host_time);
        all.number(field::profile::DURATION_NANOS, time.as_nanos() as u64).0
    }
}
