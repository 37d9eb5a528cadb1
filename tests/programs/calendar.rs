//! Gregorian dates: parsing, day numbers both ways, weekdays, ISO weeks, Easter, and months apart.

use core::ops::{Add, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    pub year: i32,
    pub month: u8,
    pub day: u8,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum DateError {
    Format,
    Month(u8),
    Day { day: u8, last: u8 },
}

#[routine]
const fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

#[routine]
const fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[routine]
impl Weekday {
    const ALL: [Self; 7] = [
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
    ];

    fn is_weekend(self) -> bool {
        matches!(self, Self::Saturday | Self::Sunday)
    }

    /// 1 for Monday to 7 for Sunday.
    const fn number(self) -> u8 {
        self as u8 + 1
    }
}

#[routine]
impl Date {
    fn new(year: i32, month: u8, day: u8) -> Result<Self, DateError> {
        if !(1..=12).contains(&month) {
            return Err(DateError::Month(month));
        }
        let last = days_in_month(year, month);
        if !(1..=last).contains(&day) {
            return Err(DateError::Day { day, last });
        }
        Ok(Self { year, month, day })
    }

    /// Reads `2024-02-29`.
    fn parse(text: &[u8]) -> Result<Self, DateError> {
        #[routine]
        fn number(digits: &[u8]) -> Result<u32, DateError> {
            digits.iter().try_fold(0, |n, &b| {
                if b.is_ascii_digit() {
                    Ok(n * 10 + u32::from(b - b'0'))
                } else {
                    Err(DateError::Format)
                }
            })
        }
        let [year @ .., b'-', m1, m2, b'-', d1, d2] = text else {
            return Err(DateError::Format);
        };
        if year.len() != 4 {
            return Err(DateError::Format);
        }
        Self::new(
            number(year)? as i32,
            number(&[*m1, *m2])? as u8,
            number(&[*d1, *d2])? as u8,
        )
    }

    /// Days since 1970-01-01.
    fn day_number(self) -> i32 {
        // Years start in March, so that the leap day is the last.
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month = (i32::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i32::from(self.day) - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
    }

    fn from_day_number(days: i32) -> Self {
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u8;
        let month = (if shifted < 10 { shifted + 3 } else { shifted - 9 }) as u8;
        Self {
            year: year_of_era + era * 400 + i32::from(month <= 2),
            month,
            day,
        }
    }

    fn weekday(self) -> Weekday {
        Weekday::ALL[(self.day_number() + 3).rem_euclid(7) as usize]
    }

    fn day_of_year(self) -> i32 {
        (1..self.month)
            .map(|month| i32::from(days_in_month(self.year, month)))
            .sum::<i32>()
            + i32::from(self.day)
    }

    /// The year and number of the ISO week.
    fn iso_week(self) -> (i32, i32) {
        // A week belongs to the year of its Thursday.
        let thursday = self + (4 - i32::from(self.weekday().number()));
        (thursday.year, (thursday.day_of_year() - 1) / 7 + 1)
    }

    /// The same day so many months on, or the last of the month where there is none.
    fn add_months(self, months: i32) -> Self {
        let total = self.year * 12 + i32::from(self.month) - 1 + months;
        let (year, month) = (total.div_euclid(12), total.rem_euclid(12) as u8 + 1);
        Self {
            year,
            month,
            day: self.day.min(days_in_month(year, month)),
        }
    }

    fn easter(year: i32) -> Self {
        let (a, b, c) = (year % 19, year / 100, year % 100);
        let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
        let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
        let m = (a + 11 * h + 22 * l) / 451;
        let n = h + l - 7 * m + 114;
        Self {
            year,
            month: (n / 31) as u8,
            day: (n % 31 + 1) as u8,
        }
    }
}

#[routine]
impl Add<i32> for Date {
    type Output = Self;

    fn add(self, days: i32) -> Self {
        Self::from_day_number(self.day_number() + days)
    }
}

#[routine]
impl Sub for Date {
    type Output = i32;

    fn sub(self, other: Self) -> i32 {
        self.day_number() - other.day_number()
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateFacts {
    pub day_number: i32,
    pub weekday: u8,
    pub iso_year: i32,
    pub iso_week: i32,
    pub to_easter: i32,
    pub in_six_months: Date,
}

/// What there is to say of a date; of 1970-01-01 where `text` is none.
#[routine]
pub fn date_facts(text: &[u8]) -> DateFacts {
    let date = Date::parse(text).unwrap_or(Date {
        year: 1970,
        month: 1,
        day: 1,
    });
    let (iso_year, iso_week) = date.iso_week();
    DateFacts {
        day_number: date.day_number(),
        weekday: date.weekday().number(),
        iso_year,
        iso_week,
        to_easter: Date::easter(date.year) - date,
        in_six_months: date.add_months(6),
    }
}

/// The date that is so many working days after `start`.
#[routine]
pub fn add_working_days(start: Date, days: u32) -> Date {
    (1..)
        .map(|n| start + n)
        .filter(|date| !date.weekday().is_weekend())
        .take(days as usize)
        .last()
        .unwrap_or(start)
}

/// How many Fridays the 13th there are in the years from one up to the other.
#[routine]
pub fn fridays_13th(from: i32, to: i32) -> u32 {
    let thirteenths = (from..to).flat_map(|year| (1..=12).map(move |month| Date { year, month, day: 13 }));
    thirteenths.filter(|date| date.weekday() == Weekday::Friday).count() as u32
}

#[cfg(test)]
mod known {
    use super::*;

    const fn date(year: i32, month: u8, day: u8) -> Date {
        Date { year, month, day }
    }

    #[test]
    fn facts() {
        let facts = date_facts(b"2024-12-30");
        assert_eq!(
            (facts.day_number, facts.weekday, facts.iso_year, facts.iso_week),
            (20_087, 1, 2025, 1)
        );
        assert_eq!(facts.to_easter, date(2024, 3, 31) - date(2024, 12, 30));
        assert_eq!(facts.in_six_months, date(2025, 6, 30));
        assert_eq!(date(2021, 1, 3).iso_week(), (2020, 53));
        assert_eq!(date(2023, 8, 31).add_months(6), date(2024, 2, 29));
    }

    #[test]
    fn errors() {
        assert_eq!(Date::parse(b"2023-02-29"), Err(DateError::Day { day: 29, last: 28 }));
        assert_eq!(Date::parse(b"2023-13-01"), Err(DateError::Month(13)));
        assert_eq!(Date::parse(b"23-01-01"), Err(DateError::Format));
        assert_eq!(date_facts(b"today").day_number, 0);
    }

    #[test]
    fn round_trips() {
        assert!(
            (-800_000..800_000)
                .step_by(97)
                .all(|n| Date::from_day_number(n).day_number() == n)
        );
        assert_eq!(add_working_days(date(2024, 5, 3), 5), date(2024, 5, 10));
        assert_eq!(fridays_13th(2000, 2400), 688);
    }
}
