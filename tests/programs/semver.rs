//! Semantic versions: parsed, ordered with their pre-releases, and matched against requirements such as `^1.2` and `>=2.0.0-rc.1`.

use core::cmp::Ordering;
use core::str::FromStr;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionError {
    MissingPart,
    BadNumber,
    BadPreRelease,
    UnknownOperator(char),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Alpha,
    Beta,
    Rc,
    Final,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
    pub stage: Stage,
    pub build: u32,
}

#[routine]
impl Version {
    pub const ZERO: Version = Version::new(0, 0, 0);

    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Version {
            major,
            minor,
            patch,
            stage: Stage::Final,
            build: 0,
        }
    }

    fn key(&self) -> (u32, u32, u32, Stage, u32) {
        let Self {
            major,
            minor,
            patch,
            stage,
            build,
        } = *self;
        (major, minor, patch, stage, build)
    }

    fn next_incompatible(&self) -> Version {
        match (self.major, self.minor) {
            (0, 0) => Version::new(0, 0, self.patch + 1),
            (0, minor) => Version::new(0, minor + 1, 0),
            (major, _) => Version::new(major + 1, 0, 0),
        }
    }
}

#[routine]
impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[routine]
impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

#[routine]
fn number(text: &str) -> Result<u32, VersionError> {
    match text.parse::<u32>() {
        Ok(_) if text.len() > 1 && text.starts_with('0') => Err(VersionError::BadNumber),
        Ok(n) => Ok(n),
        Err(_) => Err(VersionError::BadNumber),
    }
}

#[routine]
impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (core, pre) = match text.trim().split_once('-') {
            Some((core, pre)) => (core, Some(pre)),
            None => (text.trim(), None),
        };
        let mut parts = core.splitn(3, '.');
        let mut next = || parts.next().ok_or(VersionError::MissingPart).and_then(number);
        let mut version = Version::new(next()?, next()?, next()?);
        if let Some(pre) = pre {
            let (name, build) = pre.split_once('.').unwrap_or((pre, "0"));
            version.stage = match name {
                "alpha" => Stage::Alpha,
                "beta" => Stage::Beta,
                "rc" => Stage::Rc,
                _ => return Err(VersionError::BadPreRelease),
            };
            version.build = number(build)?;
        }
        Ok(version)
    }
}

/// From the first version on, up to but not including the last.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Requirement {
    from: Version,
    below: Option<Version>,
}

#[routine]
impl FromStr for Requirement {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Requirement, VersionError> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix(">=") {
            return Ok(Requirement {
                from: rest.parse()?,
                below: None,
            });
        }
        let operator = text.chars().next().ok_or(VersionError::MissingPart)?;
        let from: Version = text.trim_start_matches(['^', '~', '=']).parse()?;
        let below = match operator {
            '^' => from.next_incompatible(),
            '~' => Version::new(from.major, from.minor + 1, 0),
            '=' | '0'..='9' => Version {
                build: from.build + 1,
                ..from
            },
            other => return Err(VersionError::UnknownOperator(other)),
        };
        Ok(Requirement {
            from,
            below: Some(below),
        })
    }
}

#[routine]
impl Requirement {
    fn allows(&self, version: &Version) -> bool {
        *version >= self.from && self.below.is_none_or(|below| *version < below)
    }
}

/// The greatest version of a list, separated by commas, that a requirement allows.
#[routine]
pub fn best_version(list: &[u8], requirement: &[u8]) -> Result<Version, VersionError> {
    let list = core::str::from_utf8(list).map_err(|_| VersionError::BadNumber)?;
    let requirement = core::str::from_utf8(requirement).map_err(|_| VersionError::BadNumber)?;
    let requirement: Requirement = requirement.parse()?;
    list.split(',')
        .filter_map(|text| text.parse::<Version>().ok())
        .filter(|version| requirement.allows(version))
        .max()
        .ok_or(VersionError::MissingPart)
}

pub fn known() {
    let list = b"1.0.0,1.2.0, 1.2.9,1.3.0-rc.1,1.3.0,2.0.0-alpha.3,2.0.0,0.9.9,01.4.0";
    assert_eq!(
        best_version(list, b"^1.0.0"),
        Ok(Version {
            stage: Stage::Alpha,
            build: 3,
            ..Version::new(2, 0, 0)
        })
    );
    assert_eq!(
        best_version(list, b"~1.2.0"),
        Ok(Version {
            stage: Stage::Rc,
            build: 1,
            ..Version::new(1, 3, 0)
        })
    );
    assert_eq!(best_version(list, b"1.2.0"), Ok(Version::new(1, 2, 0)));
    assert_eq!(best_version(list, b">=1.3.1"), Ok(Version::new(2, 0, 0)));
    assert_eq!(best_version(list, b"^0.9.0"), Ok(Version::new(0, 9, 9)));
    assert_eq!(best_version(list, b"!1.0.0"), Err(VersionError::BadNumber));
    assert_eq!(best_version(list, b"^3.0.0"), Err(VersionError::MissingPart));
}
