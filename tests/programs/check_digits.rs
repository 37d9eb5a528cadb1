//! Numbers with a check digit: Luhn, ISBN-10 and -13, IBAN, and Verhoeff's tables, behind one trait.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum CheckError {
    Length(usize),
    Character(u8),
    CheckDigit,
}

#[routine]
trait Scheme {
    /// The lengths that there are, once spaces and hyphens are gone.
    const LENGTHS: core::ops::RangeInclusive<usize>;

    /// What a character counts for, at its place.
    fn value(at: usize, byte: u8) -> Option<u32> {
        let _ = at;
        byte.is_ascii_digit().then(|| u32::from(byte - b'0'))
    }

    fn holds(digits: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone) -> bool;

    fn check(text: &[u8]) -> Result<usize, CheckError> {
        let mut values = [0u32; 40];
        let mut len = 0;
        for &byte in text.iter().filter(|b| !matches!(b, b' ' | b'-')) {
            let value = Self::value(len, byte).ok_or(CheckError::Character(byte))?;
            *values.get_mut(len).ok_or(CheckError::Length(len + 1))? = value;
            len += 1;
        }
        if !Self::LENGTHS.contains(&len) {
            return Err(CheckError::Length(len));
        }
        if Self::holds(values[..len].iter().copied()) {
            Ok(len)
        } else {
            Err(CheckError::CheckDigit)
        }
    }
}

#[derive(VmType, Clone, Copy)]
struct Luhn;

#[derive(VmType, Clone, Copy)]
struct Isbn10;

#[derive(VmType, Clone, Copy)]
struct Isbn13;

#[derive(VmType, Clone, Copy)]
struct Iban;

#[derive(VmType, Clone, Copy)]
struct Verhoeff;

#[routine]
impl Scheme for Luhn {
    const LENGTHS: core::ops::RangeInclusive<usize> = 2..=19;

    fn holds(digits: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone) -> bool {
        let sum: u32 = digits
            .rev()
            .enumerate()
            .map(|(i, digit)| {
                if i % 2 == 0 {
                    digit
                } else {
                    2 * digit - if digit > 4 { 9 } else { 0 }
                }
            })
            .sum();
        sum.is_multiple_of(10)
    }
}

#[routine]
impl Scheme for Isbn10 {
    const LENGTHS: core::ops::RangeInclusive<usize> = 10..=10;

    fn value(at: usize, byte: u8) -> Option<u32> {
        match byte {
            b'X' | b'x' if at == 9 => Some(10),
            _ => char::from(byte).to_digit(10),
        }
    }

    fn holds(digits: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone) -> bool {
        digits
            .zip((1..=10).rev())
            .map(|(digit, weight)| digit * weight)
            .sum::<u32>()
            % 11
            == 0
    }
}

#[routine]
impl Scheme for Isbn13 {
    const LENGTHS: core::ops::RangeInclusive<usize> = 13..=13;

    fn holds(digits: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone) -> bool {
        let prefix = digits.clone().take(3).fold(0, |n, digit| n * 10 + digit);
        let sum: u32 = digits
            .zip([1, 3].into_iter().cycle())
            .map(|(digit, weight)| digit * weight)
            .sum();
        matches!(prefix, 978 | 979) && sum.is_multiple_of(10)
    }
}

#[routine]
impl Scheme for Iban {
    const LENGTHS: core::ops::RangeInclusive<usize> = 15..=34;

    fn value(at: usize, byte: u8) -> Option<u32> {
        let digit = char::from(byte).to_digit(36)?;
        match at {
            0 | 1 => (digit >= 10).then_some(digit),
            2 | 3 => (digit < 10).then_some(digit),
            _ => Some(digit),
        }
    }

    fn holds(digits: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone) -> bool {
        // The country and its check digits go to the end; a letter is two digits.
        let rotated = digits.clone().skip(4).chain(digits.take(4));
        rotated.fold(0, |n, value| (if value < 10 { n * 10 } else { n * 100 } + value) % 97) == 1
    }
}

#[routine]
impl Verhoeff {
    /// The product in the dihedral group of ten.
    const fn product(a: u32, b: u32) -> u32 {
        match (a < 5, b < 5) {
            (true, true) => (a + b) % 5,
            (true, false) => 5 + (a + b) % 5,
            (false, true) => 5 + (a - b) % 5,
            (false, false) => (5 + a - b) % 5,
        }
    }

    const PERMUTATIONS: [[u8; 10]; 8] = {
        let mut table = [
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
            [0; 10],
            [0; 10],
            [0; 10],
            [0; 10],
            [0; 10],
            [0; 10],
        ];
        let mut row = 2;
        while row < 8 {
            let mut i = 0;
            while i < 10 {
                table[row][i] = table[row - 1][table[1][i] as usize];
                i += 1;
            }
            row += 1;
        }
        table
    };
}

#[routine]
impl Scheme for Verhoeff {
    const LENGTHS: core::ops::RangeInclusive<usize> = 2..=40;

    fn holds(digits: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone) -> bool {
        digits
            .rev()
            .zip(Self::PERMUTATIONS.iter().cycle())
            .fold(0, |c, (digit, row)| Self::product(c, u32::from(row[digit as usize])))
            == 0
    }
}

#[routine]
fn code(result: Result<usize, CheckError>) -> i32 {
    match result {
        Ok(len) => len as i32,
        Err(CheckError::CheckDigit) => -1,
        Err(CheckError::Length(_)) => -2,
        Err(CheckError::Character(byte)) => -1000 - i32::from(byte),
    }
}

/// How long the number is by each scheme (Luhn, ISBN-10, ISBN-13, IBAN, Verhoeff); below zero why it is none.
#[routine]
pub fn check_digits(text: &[u8]) -> [i32; 5] {
    [
        Luhn::check(text),
        Isbn10::check(text),
        Isbn13::check(text),
        Iban::check(text),
        Verhoeff::check(text),
    ]
    .map(code)
}

/// The digit that completes the last `len` digits of `number` after Luhn.
#[routine]
pub fn luhn_digit(number: u64, len: u32) -> u8 {
    let digits = core::iter::successors(Some(number), |&n| Some(n / 10))
        .map(|n| (n % 10) as u8)
        .take(len as usize);
    let sum: u32 = digits
        .enumerate()
        .map(|(i, digit)| {
            let digit = if i % 2 == 0 { digit * 2 } else { digit };
            u32::from(digit / 10 + digit % 10)
        })
        .sum();
    ((10 - sum % 10) % 10) as u8
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn schemes() {
        assert_eq!(check_digits(b"4539 1488 0343 6467")[0], 16);
        assert_eq!(check_digits(b"8273 1232 7352 0569")[0], -1);
        assert_eq!(check_digits(b"0-8044-2957-X")[1], 10);
        assert_eq!(check_digits(b"X-8044-2957-0")[1], -1000 - i32::from(b'X'));
        assert_eq!(check_digits(b"978-0-306-40615-7")[2], 13);
        assert_eq!(check_digits(b"GB82 WEST 1234 5698 7654 32")[3], 22);
        assert_eq!(check_digits(b"GB82 WEST 1234 5698 7654 23")[3], -1);
        assert_eq!(check_digits(b"2363")[4], 4);
        assert_eq!(check_digits(b"2364")[4], -1);
        assert_eq!(check_digits(b"")[0], -2);
    }

    #[test]
    fn digits() {
        assert_eq!(luhn_digit(7_992_739_871, 10), 3);
        assert_eq!(luhn_digit(453_914_880_343_646, 15), 7);
    }
}
