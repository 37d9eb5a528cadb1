//! All figures of a run, for JSON, for the tables and for the plot.

use gpuvm_workloads::Size;
use serde::{Deserialize, Serialize};

use crate::algebra::Raised;
use crate::backends::Comparison;
use crate::breakpoints::Watched;
use crate::budget::Bounded;
use crate::contest::{BASELINE, Outcome};
use crate::devices;
use crate::flock::Flight;
use crate::genetic::Bred;
use crate::guests;
use crate::host::Host;
use crate::ladder::Ladder;
use crate::latency::Wait;
use crate::plans::Figure;
use crate::problem::Problem;
use crate::ring::Exchange;
use crate::soup::Served;
use crate::timing::Pace;

/// What was measured; what was not asked for is not there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// On what.
    pub host: Host,
    /// How large the workloads were.
    #[serde(with = "by_name")]
    pub size: Size,
    /// Repeats of a figure; 0 if everything was run once, to see that it is right.
    pub repeats: usize,
    /// Every engine on the same programs.
    pub ladder: Option<Vec<Ladder>>,
    /// The contests.
    pub peers: Option<Vec<Outcome>>,
    /// A thousand routines.
    pub soup: Option<Vec<Served>>,
    /// Populations of programs.
    pub genetic: Option<Vec<Bred>>,
    /// Guests.
    pub guests: Option<guests::Figures>,
    /// First launches.
    pub latency: Option<Vec<Wait>>,
    /// What being able to stop costs.
    pub budget: Option<Vec<Bounded>>,
    /// What breakpoints cost.
    #[serde(default)]
    pub breakpoints: Option<Vec<Watched>>,
    /// What profiles cost.
    #[serde(default)]
    pub profiles: Option<Vec<Watched>>,
    /// What plans cost.
    pub plans: Option<Vec<Figure>>,
    /// Powers of matrices beside steps.
    pub algebra: Option<Vec<Raised>>,
    /// Flocks of several sizes.
    pub flock: Option<Vec<Flight>>,
    /// Actors, their messages and calls.
    pub ring: Option<Vec<Exchange>>,
    /// The same launches through every back end.
    pub backends: Option<Vec<Comparison>>,
    /// The same work on one device and on several.
    #[serde(default)]
    pub devices: Option<devices::Comparison>,
}

/// A size as a file has it.
mod by_name {
    use gpuvm_workloads::Size;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(size: &Size, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(size)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Report {
    /// The report of a run in which nothing was measured yet.
    pub fn new(host: Host, size: Size, repeats: usize) -> Report {
        Report {
            host,
            size,
            repeats,
            ladder: None,
            peers: None,
            soup: None,
            genetic: None,
            guests: None,
            latency: None,
            budget: None,
            breakpoints: None,
            profiles: None,
            plans: None,
            algebra: None,
            flock: None,
            ring: None,
            backends: None,
            devices: None,
        }
    }

    /// What went wrong, each with where.
    pub fn failures(&self) -> Vec<String> {
        let ladder = self.ladder.iter().flatten().flat_map(|ladder| {
            let climbs = ladder.climbs.iter();
            climbs.map(|climb| (ladder.program.as_str(), &climb.engine, &climb.problem))
        });
        let peers = self.peers.iter().flatten().flat_map(|outcome| {
            let entries = outcome.entries.iter();
            entries.map(|entry| (outcome.workload.as_str(), &entry.contestant, &entry.problem))
        });
        let soup = self.soup.iter().flatten();
        let soup = soup.map(|served| ("soup", &served.contestant, &served.problem));
        let genetic = self.genetic.iter().flatten();
        let genetic = genetic.map(|bred| ("genetic", &bred.engine, &bred.problem));
        let crowds = self.guests.iter().flat_map(|guests| &guests.crowds);
        let crowds = crowds.map(|crowd| (crowd.program.as_str(), &crowd.contestant, &crowd.problem));
        let beside = self.guests.iter().flat_map(|guests| &guests.beside);
        let beside = beside.map(|beside| ("guests", &beside.what, &beside.problem));
        let latency = self.latency.iter().flatten();
        let latency = latency.map(|wait| ("latency", &wait.contestant, &wait.problem));
        let budgets = self.budget.iter().flatten();
        let budgets = budgets.map(|bounded| ("budget", &bounded.engine, &bounded.problem));
        let watched = self.breakpoints.iter().flatten();
        let watched = watched.map(|watched| ("breakpoints", &watched.what, &watched.problem));
        let profiled = self.profiles.iter().flatten();
        let profiled = profiled.map(|watched| ("profiles", &watched.what, &watched.problem));
        let spread = self.devices.iter().flat_map(|devices| &devices.rows);
        let spread = spread.map(|row| ("devices", &row.what, &row.problem));
        let plans = self.plans.iter().flatten();
        let plans = plans.map(|figure| ("plans", &figure.name, &figure.problem));
        let algebra = self.algebra.iter().flatten();
        let algebra = algebra.map(|raised| (raised.name.as_str(), &raised.engine, &raised.problem));
        let flights = self.flock.iter().flatten().flat_map(|flight| &flight.entries);
        let flights = flights.map(|flown| ("flock", &flown.contestant, &flown.problem));
        let ring = self.ring.iter().flatten();
        let ring = ring.map(|exchange| ("ring", &exchange.contestant, &exchange.problem));
        let backends = self.backends.iter().flatten().flat_map(|comparison| {
            let figures = comparison.figures.iter();
            figures.map(|figure| (comparison.what.as_str(), &figure.backend, &figure.problem))
        });
        let all = ladder
            .chain(peers)
            .chain(soup)
            .chain(genetic)
            .chain(crowds)
            .chain(beside)
            .chain(latency)
            .chain(budgets);
        all.chain(watched)
            .chain(profiled)
            .chain(spread)
            .chain(plans)
            .chain(algebra)
            .chain(flights)
            .chain(ring)
            .chain(backends)
            .filter_map(|(place, who, problem)| Some(format!("{place}, {who}: {}", Problem::failure(problem)?)))
            .collect()
    }
}

/// How many times as fast as hand-written WGSL a contestant was, for a whole launch and with the data on the device.
pub fn speeds(outcome: &Outcome, contestant: &str) -> [Option<f64>; 2] {
    let (Some(entry), Some(baseline)) = (outcome.entry(contestant), outcome.entry(BASELINE)) else {
        return [None; 2];
    };
    let ratio = |baseline: Option<Pace>, own: Option<Pace>| Some(baseline?.steady / own?.steady);
    [
        ratio(baseline.launch, entry.launch),
        ratio(baseline.resident, entry.resident),
    ]
}

/// The contestants of all contests, in the order in which they were met.
pub fn contestants(outcomes: &[Outcome]) -> Vec<&str> {
    let entries = outcomes.iter().flat_map(|outcome| &outcome.entries);
    distinct(entries.map(|entry| entry.contestant.as_str()))
}

/// Each name once, in the order in which they are met.
pub fn distinct<'n>(all: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut names = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The geometric mean; `None` of nothing.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = values.map(f64::ln).collect();
    let sum: f64 = logarithms.iter().sum();
    (!logarithms.is_empty()).then(|| (sum / logarithms.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_geometric_mean_of_a_ratio_and_its_inverse_is_one() {
        assert_eq!(geometric_mean([4.0, 0.25].into_iter()), Some(1.0));
        assert_eq!(geometric_mean(std::iter::empty()), None);
    }
}
