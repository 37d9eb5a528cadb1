//! Hidden Markov models: the likeliest path through states, how likely all paths are, and samples of both.

use core::ops::{Index, IndexMut};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Weather {
    Sunny,
    Cloudy,
    Rainy,
}

#[routine]
impl Weather {
    const ALL: [Self; 3] = [Self::Sunny, Self::Cloudy, Self::Rainy];
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    Walk,
    Shop,
    Clean,
}

#[routine]
impl TryFrom<char> for Seen {
    type Error = char;

    fn try_from(letter: char) -> Result<Self, char> {
        match letter.to_ascii_uppercase() {
            'W' => Ok(Seen::Walk),
            'S' => Ok(Seen::Shop),
            'C' => Ok(Seen::Clean),
            other => Err(other),
        }
    }
}

/// Numbers by weather.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub struct ByWeather<T>([T; 3]);

#[routine]
impl<T> Index<Weather> for ByWeather<T> {
    type Output = T;

    fn index(&self, weather: Weather) -> &T {
        &self.0[weather as usize]
    }
}

#[routine]
impl<T> IndexMut<Weather> for ByWeather<T> {
    fn index_mut(&mut self, weather: Weather) -> &mut T {
        &mut self.0[weather as usize]
    }
}

#[routine]
impl<T: Copy> ByWeather<T> {
    fn from_fn<F: FnMut(Weather) -> T>(f: F) -> Self {
        Self(Weather::ALL.map(f))
    }

    fn iter(&self) -> impl Iterator<Item = (Weather, T)> + '_ {
        Weather::ALL.into_iter().zip(self.0)
    }
}

const MODEL: ModelData = ModelData {
    start: [0.5, 0.3, 0.2],
    moves: [[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]],
    shown: [[0.6, 0.3, 0.1], [0.4, 0.4, 0.2], [0.1, 0.4, 0.5]],
};

#[derive(VmType, Clone, Copy, Debug)]
struct ModelData {
    start: [f64; 3],
    moves: [[f64; 3]; 3],
    shown: [[f64; 3]; 3],
}

#[routine]
impl ModelData {
    fn start(&self, weather: Weather) -> f64 {
        self.start[weather as usize]
    }

    fn moving(&self, from: Weather, to: Weather) -> f64 {
        self.moves[from as usize][to as usize]
    }

    fn showing(&self, weather: Weather, seen: Seen) -> f64 {
        self.shown[weather as usize][seen as usize]
    }
}

/// Letters of what was seen, as far as they are known.
#[routine]
fn observations(text: &str) -> impl Iterator<Item = Result<Seen, char>> + '_ {
    text.chars().filter(|c| !c.is_whitespace()).map(Seen::try_from)
}

/// The likeliest weather of each day, and the logarithm of how likely that is.
#[routine]
pub fn likeliest_weather(text: &[u8], days: &mut [Option<Weather>]) -> Result<f64, char> {
    let text = core::str::from_utf8(text).map_err(|_| char::REPLACEMENT_CHARACTER)?;
    let mut best = ByWeather([0.0; 3]);
    let mut back = [ByWeather([Weather::Sunny; 3]); 16];
    let mut count: usize = 0;
    for seen in observations(text).take(days.len().min(back.len())) {
        let seen = seen?;
        let last = best;
        best = ByWeather::from_fn(|to| {
            let shown = MODEL.showing(to, seen).ln();
            if count == 0 {
                return MODEL.start(to).ln() + shown;
            }
            let (from, score) = last
                .iter()
                .map(|(from, score)| (from, score + MODEL.moving(from, to).ln()))
                .max_by(|(_, a), (_, b)| a.total_cmp(b))
                .unwrap();
            back[count][to] = from;
            score + shown
        });
        count += 1;
    }
    days.fill(None);
    let Some((mut weather, score)) = best.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        unreachable!()
    };
    for (day, from) in days[..count].iter_mut().zip(&back[..count]).rev() {
        *day = Some(weather);
        weather = from[weather];
    }
    Ok(score)
}

/// How likely what was seen is, by all ways through the weather, and what the last day was like.
#[routine]
pub fn weather_likelihood(text: &[u8]) -> Option<(f64, [f64; 3])> {
    let text = core::str::from_utf8(text).ok()?;
    let mut forward: Option<ByWeather<f64>> = None;
    let mut scale = 0.0_f64;
    for seen in observations(text) {
        let seen = seen.ok()?;
        let next = ByWeather::from_fn(|to| {
            let before = match &forward {
                None => MODEL.start(to),
                Some(forward) => forward.iter().map(|(from, p)| p * MODEL.moving(from, to)).sum(),
            };
            before * MODEL.showing(to, seen)
        });
        let total: f64 = next.0.iter().sum();
        scale += total.ln();
        forward = Some(ByWeather(next.0.map(|p| p / total)));
    }
    forward.map(|ByWeather(last)| (scale, last))
}

pub fn known() {
    let mut days = [None; 4];
    let score = likeliest_weather(b"W sC", &mut days).unwrap();
    assert_eq!(days[3], None);
    assert_eq!((days[0], days[2]), (Some(Weather::Sunny), Some(Weather::Sunny)));
    assert!(score < -5.0 && score > -6.0, "{score}");
    assert_eq!(likeliest_weather(b"Wx", &mut days), Err('X'));
    let (likelihood, last) = weather_likelihood(b"WSC").unwrap();
    assert!(likelihood > score && (last.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert_eq!(weather_likelihood(b""), None);
}
