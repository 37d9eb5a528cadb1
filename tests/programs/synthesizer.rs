//! Oscillators, envelopes and filters that are combined by type, over a sine table in integers.

use core::marker::PhantomData;
use core::ops::{Add, Mul};

use gpuvm::prelude::*;

/// Samples of one sine in 1.15, by the recurrence of the double angle.
const SINE: [i16; 256] = sine_table::<256>();

const fn sine_table<const N: usize>() -> [i16; N] {
    // 2 cos(2π/256) in 2.30.
    const TWICE_COS: i64 = 2_146_836_866;
    let mut table = [0; N];
    let (mut before, mut now) = (0i64, 26_350_943);
    let mut i = 1;
    while i < N {
        table[i] = scale(now);
        (before, now) = (now, (TWICE_COS * now >> 30) - before);
        i += 1;
    }
    table
}

const fn scale(x: i64) -> i16 {
    let rounded = (x + (1 << 14)) >> 15;
    if rounded > i16::MAX as i64 {
        i16::MAX
    } else if rounded < i16::MIN as i64 {
        i16::MIN
    } else {
        rounded as i16
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Sample(i32);

#[routine]
impl Add for Sample {
    type Output = Sample;
    fn add(self, other: Sample) -> Sample {
        Sample(self.0.saturating_add(other.0))
    }
}

#[routine]
impl Mul<i16> for Sample {
    type Output = Sample;
    fn mul(self, gain: i16) -> Sample {
        Sample((i64::from(self.0) * i64::from(gain) >> 15) as i32)
    }
}

#[routine]
trait Waveform {
    const NAME: &'static str;
    const LOUDNESS: i16 = 32_767;

    fn at(phase: u32) -> i16;

    fn harmonic(phase: u32, n: u32) -> i16 {
        Self::at(phase.wrapping_mul(n))
    }
}

#[derive(VmType, Clone, Copy, Debug, Default)]
struct Sine;
#[derive(VmType, Clone, Copy, Debug, Default)]
struct Saw;
#[derive(VmType, Clone, Copy, Debug, Default)]
struct Pulse<const DUTY: u8>;

#[routine]
impl Waveform for Sine {
    const NAME: &'static str = "sine";

    fn at(phase: u32) -> i16 {
        let [high, low, ..] = phase.to_be_bytes();
        let (a, b) = (SINE[high as usize], SINE[high.wrapping_add(1) as usize]);
        (i32::from(a) + ((i32::from(b) - i32::from(a)) * i32::from(low) >> 8)) as i16
    }
}

#[routine]
impl Waveform for Saw {
    const NAME: &'static str = "saw";
    const LOUDNESS: i16 = Sine::LOUDNESS / 2;

    fn at(phase: u32) -> i16 {
        (phase >> 16) as i16
    }
}

#[routine]
impl<const DUTY: u8> Waveform for Pulse<DUTY> {
    const NAME: &'static str = "pulse";

    fn at(phase: u32) -> i16 {
        if (phase >> 24) as u8 <= DUTY {
            i16::MAX
        } else {
            -i16::MAX
        }
    }

    fn harmonic(phase: u32, n: u32) -> i16 {
        if n % 2 == 0 { 0 } else { Self::at(phase * n) }
    }
}

/// What gives one sample after the other.
#[routine]
trait Source {
    fn next(&mut self) -> Sample;

    fn skip(&mut self, count: u32) {
        (0..count).for_each(|_| {
            self.next();
        });
    }

    fn fill(&mut self, out: &mut [Sample]) -> Option<Sample> {
        for slot in &mut *out {
            *slot = self.next();
        }
        out.iter().copied().max()
    }

    fn mixed_with<S: Source>(self, other: S) -> Mix<Self, S>
    where
        Self: Sized,
    {
        Mix(self, other)
    }

    fn shaped(self, envelope: Envelope) -> Shaped<Self>
    where
        Self: Sized,
    {
        Shaped {
            source: self,
            envelope,
            age: 0,
        }
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Oscillator<W> {
    phase: u32,
    step: u32,
    waveform: PhantomData<W>,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Mix<A, B>(A, B);

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Envelope {
    pub attack: u16,
    pub decay: u16,
    pub sustain: i16,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Shaped<S> {
    source: S,
    envelope: Envelope,
    age: u32,
}

#[routine]
impl<W: Waveform> Oscillator<W> {
    const RATE: u64 = 48_000;

    fn new(hertz: u32) -> Self {
        let step = (u64::from(hertz) << 32) / Self::RATE;
        Oscillator {
            phase: 0,
            step: step as u32,
            waveform: PhantomData,
        }
    }
}

#[routine]
impl<W: Waveform> Source for Oscillator<W> {
    fn next(&mut self) -> Sample {
        let phase = self.phase;
        self.phase = phase.wrapping_add(self.step);
        Sample(W::at(phase).into()) * W::LOUDNESS
    }

    fn skip(&mut self, count: u32) {
        self.phase = self.phase.wrapping_add(self.step.wrapping_mul(count));
    }
}

#[routine]
impl<A: Source, B: Source> Source for Mix<A, B> {
    fn next(&mut self) -> Sample {
        let Mix(a, b) = self;
        a.next() * 16_384 + b.next() * 16_384
    }
}

#[routine]
impl Envelope {
    fn gain(&self, age: u32) -> i16 {
        let (attack, decay) = (u32::from(self.attack), u32::from(self.decay));
        match age {
            0.. if age < attack => (age * 32_767 / attack) as i16,
            _ if age < attack + decay => {
                let fallen = (32_767 - i32::from(self.sustain)) * (age - attack) as i32 / decay as i32;
                (32_767 - fallen) as i16
            }
            _ => self.sustain,
        }
    }
}

#[routine]
impl<S: Source> Source for Shaped<S> {
    fn next(&mut self) -> Sample {
        let gain = self.envelope.gain(self.age);
        self.age += 1;
        self.source.next() * gain
    }
}

#[routine]
fn name_length<W: Waveform>() -> usize {
    W::NAME.len()
}

#[routine]
pub fn chord(root: u32, envelope: Envelope, skipped: u32, out: &mut [Sample]) -> Option<Sample> {
    let third = Oscillator::<Saw>::new(root * 5 / 4).mixed_with(Oscillator::<Pulse<63>>::new(root * 3 / 2));
    let mut chord = Oscillator::<Sine>::new(root).mixed_with(third).shaped(envelope);
    chord.skip(skipped);
    chord.fill(out)
}

#[routine]
pub fn spectrum_of_names(phase: u32) -> [i32; 4] {
    let organ = |gains: [i16; 3]| {
        (1u32..)
            .zip(gains)
            .map(|(n, gain)| Sample(Sine::harmonic(phase, n).into()) * gain)
            .fold(Sample::default(), Add::add)
    };
    let Sample(sum) = organ([16_384, 8_192, 4_096]);
    let names = name_length::<Sine>() + 10 * name_length::<Saw>() + 100 * name_length::<Pulse<9>>();
    [
        sum,
        Pulse::<127>::harmonic(phase / 4, 3).into(),
        Saw::harmonic(phase, 2).into(),
        names as i32,
    ]
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        assert_eq!((SINE[64], SINE[0], SINE[128].abs() < 40), (32_767, 0, true));
        let mut out = [Sample(0); 4];
        let loudest = chord(
            440,
            Envelope {
                attack: 2,
                decay: 2,
                sustain: 16_384,
            },
            0,
            &mut out,
        );
        assert_eq!((out[0], loudest), (Sample(0), out.iter().max().copied()));
        assert_eq!(spectrum_of_names(1 << 30)[3], 4 + 30 + 500);
    }
}
