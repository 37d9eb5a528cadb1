//! Types that hold references, ranges and iterators of std's in signatures, with their lifetimes left out.

#![allow(
    mismatched_lifetime_syntaxes,
    reason = "lifetimes that are left out are what is tested"
)]

use std::iter::Peekable;
use std::ops::Range;
use std::str::Bytes;

use gpuvm::prelude::*;

cases! { view_by_value, view_changed, view_returned, view_in_an_option, view_by_another_name, view_of_a_method, made_of_references, iterators_by_reference, range_by_value }

#[derive(VmType, Clone, Copy, Debug)]
struct View<'a> {
    cells: &'a [u32],
    width: usize,
}

type Table<'t> = View<'t>;

#[routine]
impl View<'_> {
    fn at(&self, x: usize, y: usize) -> u32 {
        self.cells[y * self.width + x]
    }
}

#[routine]
fn corners(view: View) -> u32 {
    view.at(0, 0) ^ view.at(view.width - 1, 1).rotate_left(1)
}

#[routine]
fn view_by_value(a: u32, b: u32) -> u32 {
    let cells = [a, b, 3, b];
    corners(View {
        cells: &cells,
        width: 2,
    })
}

#[routine]
fn halve(view: &mut View, of: &View) -> u32 {
    view.width = of.width / 2;
    view.at(0, 1)
}

#[routine]
fn view_changed(a: u32, b: u32) -> (u32, usize) {
    let cells = [a, b, a ^ b, b];
    let whole = View {
        cells: &cells,
        width: 2,
    };
    let mut view = whole;
    (halve(&mut view, &whole), view.width)
}

#[routine]
fn narrowed(view: View, width: usize) -> View {
    View { width, ..view }
}

#[routine]
fn view_returned(a: u32, b: u32) -> u32 {
    let cells = [a, b, 3, 4];
    narrowed(
        View {
            cells: &cells,
            width: 2,
        },
        1,
    )
    .at(0, 1 + b as usize % 2)
}

#[routine]
fn first_or(view: Option<View>, other: u32) -> u32 {
    view.map_or(other, |view| view.at(0, 0))
}

#[routine]
fn view_in_an_option(a: u32, b: u32) -> u32 {
    let cells = [a];
    let view = View {
        cells: &cells,
        width: 1,
    };
    first_or((b % 2 == 0).then_some(view), b)
}

#[routine]
fn area(table: Table) -> usize {
    table.cells.len() / table.width * table.width
}

#[routine]
fn view_by_another_name(a: u32, b: u32) -> usize {
    let cells = [a, b, 3, 4, 5];
    area(Table {
        cells: &cells,
        width: 1 + b as usize % 4,
    })
}

#[routine]
fn number(bytes: &mut Peekable<Bytes>) -> u32 {
    let mut n = 0;
    while let Some(digit) = bytes.peek() {
        if !digit.is_ascii_digit() {
            break;
        }
        n = n * 10 + u32::from(digit - b'0');
        bytes.next();
    }
    n
}

#[routine]
fn run(bytes: &mut std::iter::Peekable<std::slice::Iter<u8>>) -> usize {
    let Some(first) = bytes.next() else { return 0 };
    let mut length = 1;
    while bytes.next_if(|byte| *byte == first).is_some() {
        length += 1;
    }
    length
}

#[routine]
fn one(bytes: &mut impl Iterator<Item = u8>) -> u8 {
    bytes.next().unwrap_or_default()
}

#[routine]
fn iterators_by_reference(a: u8, b: u8) -> (u32, u8, u32, [usize; 2]) {
    let mut bytes = "12+345*".bytes().peekable();
    let (left, operator, right) = (number(&mut bytes), one(&mut bytes), number(&mut bytes));
    let runs = [a % 3, a % 3, b % 3, 1];
    let mut runs = runs.iter().peekable();
    (left, operator, right, [run(&mut runs), run(&mut runs)])
}

#[routine]
fn sum_of(values: &[u32], range: Range<usize>) -> u32 {
    values[range.clone()]
        .iter()
        .fold(range.end as u32, |sum, value| sum.wrapping_add(*value))
}

#[routine]
fn range_by_value(a: u32, b: u32) -> u32 {
    let values = [a, b, 3, 4];
    sum_of(&values, a as usize % 3..4)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Grid {
    cells: [u32; 6],
}

#[routine]
impl Grid {
    fn view(&self, of: &usize) -> Option<View> {
        (*of > 0).then_some(View {
            cells: &self.cells,
            width: *of,
        })
    }
}

#[routine]
fn view_of_a_method(a: u32, b: u32) -> Option<u32> {
    let grid = Grid {
        cells: [a, b, 3, a, b, 6],
    };
    grid.view(&(b as usize % 4)).map(|view| view.at(1, 1))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Pair(u32, u32);

#[routine]
impl TryFrom<&[u32]> for Pair {
    type Error = usize;

    fn try_from(list: &[u32]) -> Result<Pair, usize> {
        match *list {
            [a, b] => Ok(Pair(a, b)),
            _ => Err(list.len()),
        }
    }
}

#[routine]
impl From<&Grid> for Pair {
    fn from(grid: &Grid) -> Pair {
        Pair(grid.cells[0], grid.cells[5])
    }
}

#[routine]
fn made_of_references(a: u32, b: u32) -> (Result<Pair, usize>, Result<Pair, usize>, [Pair; 2]) {
    let list = [a, b, 3, 4];
    let from = a as usize % 3;
    let grid = Grid {
        cells: [a, 2, 3, 4, 5, b],
    };
    (
        Pair::try_from(&list[from..]),
        (&list[1..3]).try_into(),
        [Pair::from(&grid), (&grid).into()],
    )
}
