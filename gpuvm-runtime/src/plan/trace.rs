//! When what happened in a run, in the form that trace viewers read: the JSON of Chrome's `about:tracing`, which Perfetto opens too.

use std::cmp::Reverse;
use std::time::Duration;

use crate::json::{Json, ToJson};
use crate::profile::{self, Row, Submission, Timeline};

/// Bars of a track that a profile shows.
const MOST: usize = 1 << 12;

/// What happened in a run.
#[derive(Default)]
pub(super) struct Trace {
    pub bars: Vec<Bar>,
}

/// Something that took time.
pub(super) struct Bar {
    pub track: Track,
    pub name: String,
    /// From the beginning of the run.
    pub begin: Duration,
    pub time: Duration,
    /// An object with what else there is to say.
    pub args: Json,
}

/// A row of bars that do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Track {
    Phases,
    Steps,
    Launches,
    Transfers,
    Device,
}

const TRACKS: [Track; 5] = [
    Track::Phases,
    Track::Steps,
    Track::Launches,
    Track::Transfers,
    Track::Device,
];

impl Bar {
    /// When it is over.
    pub fn end(&self) -> Duration {
        self.begin + self.time
    }
}

impl Track {
    /// The number of the process that viewers show it in: the host or the device.
    fn process(self) -> u64 {
        match self {
            Track::Device => 2,
            _ => 1,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Track::Phases => "phases",
            Track::Steps => "steps",
            Track::Launches => "launches",
            Track::Transfers => "transfers",
            Track::Device => "submissions",
        }
    }
}

impl Trace {
    /// The last bar of a track.
    pub fn last(&mut self, track: Track) -> Option<&mut Bar> {
        self.bars.iter_mut().rev().find(|bar| bar.track == track)
    }

    /// The same as what a profile shows of it.
    pub fn timeline(&self) -> Timeline {
        let of = |track: Track| self.bars.iter().filter(move |bar| bar.track == track).take(MOST);
        let host = TRACKS.into_iter().filter(|track| *track != Track::Device);
        let bar = |bar: &Bar| profile::Bar {
            name: bar.name.clone(),
            begin: bar.begin,
            time: bar.time,
        };
        let rows = host.map(|track| Row {
            name: track.name(),
            bars: of(track).map(bar).collect(),
        });
        let submissions = of(Track::Device).map(|bar| Submission {
            end: bar.end(),
            time: bar.time,
        });
        Timeline {
            submissions: submissions.collect(),
            rows: rows.filter(|row| !row.bars.is_empty()).collect(),
            ..Timeline::default()
        }
    }

    /// It as JSON: the names of processes and of the tracks that have bars, and then the bars as they begin, those around others first.
    pub fn to_json(&self, device: &str) -> String {
        let is_used = |track: &Track| self.bars.iter().any(|bar| bar.track == *track);
        let used: Vec<Track> = TRACKS.into_iter().filter(is_used).collect();
        let processes = used.chunk_by(|a, b| a.process() == b.process());
        let processes = processes.filter_map(|tracks| tracks.first()).map(|track| match track {
            Track::Device => named("process_name", *track, &format!("device: {device}")),
            _ => named("process_name", *track, "host"),
        });
        let threads = used.iter().map(|track| named("thread_name", *track, track.name()));
        let mut bars: Vec<&Bar> = self.bars.iter().collect();
        bars.sort_by_key(|bar| (bar.begin, Reverse(bar.end()), bar.track));
        let bars = bars.into_iter().map(|bar| {
            let (begin, time) = (bar.begin.json(), bar.time.json());
            let more = [("ts", begin), ("dur", time), ("args", bar.args.clone())];
            event(&bar.name, "X", bar.track, more)
        });
        let events = processes.chain(threads).chain(bars).collect();
        Json::Object(vec![("traceEvents", Json::List(events))]).in_lines()
    }
}

/// The event that names a track, or its process.
fn named(what: &str, track: Track, name: &str) -> Json {
    let args = Json::Object(vec![("name", name.json())]);
    event(what, "M", track, [("args", args)])
}

/// An event of a track, of the kind that a letter stands for.
fn event<const N: usize>(name: &str, kind: &str, track: Track, more: [(&'static str, Json); N]) -> Json {
    let mut fields = vec![
        ("name", name.json()),
        ("ph", kind.json()),
        ("pid", track.process().json()),
        ("tid", (track as u64 + 1).json()),
    ];
    fields.extend(more);
    Json::Object(fields)
}
