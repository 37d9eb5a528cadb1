//! Types that hold references, ranges and iterators of std's in signatures, with their lifetimes left out.

use std::iter::Peekable;
use std::ops::Range;
use std::str::Bytes;

use gpuvm::prelude::*;

cases! { view_by_value, view_changed, view_returned, view_in_an_option, view_by_another_name, iterators_by_reference, range_by_value }

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
