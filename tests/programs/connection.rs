//! A connection's state machine in the manner of TCP, fed with packets from bytes, with a timer that backs off.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum State {
    #[default]
    Closed,
    Listening {
        port: u16,
    },
    Handshake {
        peer: u16,
        ours: u32,
        tries: u8,
    },
    Open {
        peer: u16,
        next: u32,
        window: Window,
    },
    Closing(u16, Reason),
    Failed(Failure),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Window {
    unacknowledged: u16,
    limit: u16,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Asked,
    Told,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    Timeout { after: u32 },
    Reset,
    Unexpected(Packet),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    Listen(u16),
    Syn { from: u16, number: u32 },
    Ack(u32),
    Data { number: u32, length: u8, urgent: bool },
    Fin,
    Rst,
    Tick(u8),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    Kind(u8),
    Short { kind: u8, has: u8 },
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
pub struct Report {
    state: State,
    received: u32,
    urgent: u32,
    clock: u32,
}

type Parsed<'a> = Result<(Packet, &'a [u8]), Malformed>;

#[routine]
impl Packet {
    fn parse(bytes: &[u8]) -> Parsed<'_> {
        match bytes {
            [b'L', high, low, rest @ ..] => Ok((Packet::Listen(u16::from_be_bytes([*high, *low])), rest)),
            [b'S', a, b, number @ .., _] if number.len() < 4 => Err(Malformed::Short {
                kind: b'S',
                has: a.min(b) & 3,
            }),
            [b'S', high, low, a, b, c, d, rest @ ..] => {
                let from = u16::from_be_bytes([*high, *low]);
                Ok((
                    Packet::Syn {
                        from,
                        number: u32::from_be_bytes([*a, *b, *c, *d]),
                    },
                    rest,
                ))
            }
            [b'A', number @ ..] if let Some((number, rest)) = number.split_first_chunk() => {
                Ok((Packet::Ack(u32::from_be_bytes(*number)), rest))
            }
            [kind @ (b'D' | b'U'), length, tail @ ..] => {
                let (number, rest) = tail.split_first_chunk::<2>().ok_or(Malformed::Short {
                    kind: *kind,
                    has: tail.len() as u8,
                })?;
                let number = u32::from(u16::from_be_bytes(*number));
                Ok((
                    Packet::Data {
                        number,
                        length: *length,
                        urgent: *kind == b'U',
                    },
                    rest,
                ))
            }
            [b'F', rest @ ..] => Ok((Packet::Fin, rest)),
            [b'R', rest @ ..] => Ok((Packet::Rst, rest)),
            [ticks @ b'0'..=b'9', rest @ ..] => Ok((Packet::Tick(ticks - b'0'), rest)),
            [kind @ (b'L' | b'S' | b'A' | b'D' | b'U'), rest @ ..] => Err(Malformed::Short {
                kind: *kind,
                has: rest.len() as u8,
            }),
            [kind, ..] => Err(Malformed::Kind(*kind)),
            [] => Err(Malformed::Short { kind: 0, has: 0 }),
        }
    }
}

#[routine]
impl State {
    const TRIES: u8 = 3;

    fn is_over(&self) -> bool {
        matches!(self, Self::Failed(..) | Self::Closing(_, Reason::Asked))
    }

    fn on(self, packet: Packet, clock: u32) -> Self {
        use Packet::*;
        match (self, packet) {
            (_, Rst) => State::Failed(Failure::Reset),
            (State::Closed, Listen(port)) => State::Listening { port },
            (State::Listening { port }, Syn { from, number }) if from != port => State::Handshake {
                peer: from,
                ours: number.rotate_left(7) ^ u32::from(port),
                tries: 0,
            },
            (State::Handshake { peer, ours, .. }, Ack(number)) if number == ours.wrapping_add(1) => State::Open {
                peer,
                next: 0,
                window: Window {
                    limit: 40,
                    ..Default::default()
                },
            },
            (State::Handshake { tries, .. }, Tick(_)) if tries >= Self::TRIES => {
                State::Failed(Failure::Timeout { after: clock })
            }
            (State::Handshake { peer, ours, tries }, Tick(1..)) => State::Handshake {
                peer,
                ours,
                tries: tries + 1,
            },
            (state @ State::Open { .. }, Data { length: 0, .. }) => state,
            (State::Open { peer, next, mut window }, Data { number, length, .. }) if number == next => {
                window.unacknowledged += u16::from(length);
                if window.unacknowledged > window.limit {
                    return State::Closing(peer, Reason::Asked);
                }
                State::Open {
                    peer,
                    next: next + u32::from(length),
                    window,
                }
            }
            (
                State::Open {
                    peer,
                    next,
                    window: Window { unacknowledged, limit },
                },
                Ack(count),
            ) => State::Open {
                peer,
                next,
                window: Window {
                    unacknowledged: unacknowledged.saturating_sub(count.try_into().unwrap_or(u16::MAX)),
                    limit: limit.saturating_mul(2),
                },
            },
            (State::Open { peer, .. }, Fin) => State::Closing(peer, Reason::Told),
            (State::Closing(peer, Reason::Told), Tick(n @ 5..)) => State::Listening {
                port: peer + u16::from(n),
            },
            (state, Tick(_)) => state,
            (_, packet) => State::Failed(Failure::Unexpected(packet)),
        }
    }
}

/// An iterator of packets, which ends after the first mistake.
#[derive(VmType)]
struct Packets<'a>(Option<&'a [u8]>);

#[routine]
impl Iterator for Packets<'_> {
    type Item = Result<Packet, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.0.take().filter(|bytes| !bytes.is_empty())?;
        Some(Packet::parse(bytes).map(|(packet, rest)| {
            self.0 = Some(rest);
            packet
        }))
    }
}

#[routine]
pub fn connection(bytes: &[u8]) -> Result<Report, (Malformed, Report)> {
    let mut report = Report::default();
    for packet in Packets(Some(bytes)) {
        let packet = packet.map_err(|mistake| (mistake, report))?;
        if let Packet::Tick(ticks) = packet {
            report.clock += u32::from(ticks);
        }
        let before = core::mem::take(&mut report.state);
        report.state = before.on(packet, report.clock);
        match (&before, &report.state, packet) {
            (State::Open { next: old, .. }, State::Open { next, .. }, Packet::Data { urgent, .. }) => {
                report.received += next - old;
                report.urgent += u32::from(urgent);
            }
            (_, state, _) if state.is_over() => break,
            _ => {}
        }
    }
    Ok(report)
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        let number = (1u32 << 7 ^ 80) + 1;
        let mut bytes = b"L\x00\x50S\x01\x00\x00\x00\x00\x01".to_vec();
        bytes.push(b'A');
        bytes.extend(number.to_be_bytes());
        bytes.extend(b"D\x05\x00\x00U\x03\x00\x05F7");
        let report = Report {
            state: State::Listening { port: 263 },
            received: 8,
            urgent: 1,
            clock: 7,
        };
        assert_eq!(connection(&bytes), Ok(report));
        assert_eq!(
            connection(b"L\x00\x50R").map(|report| report.state),
            Ok(State::Failed(Failure::Reset))
        );
        assert_eq!(connection(b"?"), Err((Malformed::Kind(b'?'), Report::default())));
        let (mistake, at) = connection(b"L\x00\x50D\x01").unwrap_err();
        assert_eq!(
            (mistake, at.state),
            (Malformed::Short { kind: b'D', has: 0 }, State::Listening { port: 80 })
        );
    }
}
