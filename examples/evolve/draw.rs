//! The picture: the formula as a tree, and what it says beside what was measured.

use image::{Rgb, RgbImage};

use crate::tree::{Node, Tree};

const PAPER: Rgb<u8> = Rgb([250, 248, 240]);
const INK: Rgb<u8> = Rgb([40, 40, 40]);
const POINT: Rgb<u8> = Rgb([70, 110, 170]);
const LINE: Rgb<u8> = Rgb([200, 60, 50]);
const SIDE: u32 = 520;

/// Glyphs of 5 × 7 points, a row a number, the leftmost point in bit 4.
const GLYPHS: [(char, [u8; 7]); 18] = [
    ('0', [14, 17, 19, 21, 25, 17, 14]),
    ('1', [4, 12, 4, 4, 4, 4, 14]),
    ('2', [14, 17, 1, 6, 8, 16, 31]),
    ('3', [31, 2, 4, 2, 1, 17, 14]),
    ('4', [2, 6, 10, 18, 31, 2, 2]),
    ('5', [31, 16, 30, 1, 1, 17, 14]),
    ('6', [6, 8, 16, 30, 17, 17, 14]),
    ('7', [31, 1, 2, 4, 8, 8, 8]),
    ('8', [14, 17, 17, 14, 17, 17, 14]),
    ('9', [14, 17, 17, 15, 1, 2, 12]),
    ('.', [0, 0, 0, 0, 0, 12, 12]),
    ('+', [0, 4, 4, 31, 4, 4, 0]),
    ('-', [0, 0, 0, 31, 0, 0, 0]),
    ('*', [0, 21, 14, 31, 14, 21, 0]),
    ('/', [1, 1, 2, 4, 8, 16, 16]),
    ('√', [3, 2, 2, 2, 18, 10, 4]),
    ('a', [0, 0, 14, 1, 15, 17, 15]),
    ('m', [0, 0, 26, 21, 21, 21, 21]),
];

/// Draws both side by side.
pub fn picture(tree: &Tree, axis: &[f32], mass: &[f32], period: &[f32]) -> RgbImage {
    let mut picture = RgbImage::from_pixel(2 * SIDE, SIDE, PAPER);
    branch(&mut picture, tree, 0, (8.0, SIDE as f32 - 8.0), 30.0);
    fit(&mut picture, tree, axis, mass, period);
    picture
}

/// Draws a branch between two columns, and gives where its node stands.
fn branch(picture: &mut RgbImage, tree: &Tree, at: usize, (left, right): (f32, f32), y: f32) -> (f32, f32) {
    let node: Node = tree.0[at];
    let here = ((left + right) / 2.0, y);
    let mut starts = Vec::new();
    let mut next = at + 1;
    for _ in 0..node.branches() {
        starts.push(next);
        next = tree.end(next);
    }
    // Columns by how many nodes there are in each.
    let all = (next - at - 1).max(1) as f32;
    let mut from = left;
    for start in starts {
        let width = (right - left) * (tree.end(start) - start) as f32 / all;
        let there = branch(picture, tree, start, (from, from + width), y + 52.0);
        line(picture, (here.0, here.1 + 10.0), (there.0, there.1 - 10.0), INK);
        from += width;
    }
    text(picture, &node.label(), here);
    here
}

/// Draws measured periods against those of the formula, both by their logarithms.
fn fit(picture: &mut RgbImage, tree: &Tree, axis: &[f32], mass: &[f32], period: &[f32]) {
    let logarithms = || period.iter().map(|period| period.ln());
    let (least, most) = (
        logarithms().fold(f32::INFINITY, f32::min),
        logarithms().fold(f32::NEG_INFINITY, f32::max),
    );
    let margin = 24.0;
    let place = |value: f32| margin + (value.ln() - least) / (most - least).max(1e-6) * (SIDE as f32 - 2.0 * margin);
    let corner = SIDE as f32;
    line(
        picture,
        (corner + margin, corner - margin),
        (2.0 * corner - margin, margin),
        LINE,
    );
    for ((a, m), measured) in axis.iter().zip(mass).zip(period) {
        let said = tree.value([*a, *m]);
        let (x, y) = (corner + place(*measured), corner - place(said));
        for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            point(picture, x + dx, y + dy, POINT);
        }
    }
}

fn point(picture: &mut RgbImage, x: f32, y: f32, colour: Rgb<u8>) {
    let inside = |value: f32, end: u32| value >= 0.0 && value < end as f32;
    if inside(x, picture.width()) && inside(y, picture.height()) {
        picture.put_pixel(x as u32, y as u32, colour);
    }
}

fn line(picture: &mut RgbImage, from: (f32, f32), to: (f32, f32), colour: Rgb<u8>) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let steps = dx.abs().max(dy.abs()).ceil().max(1.0) as u32;
    for step in 0..=steps {
        let share = step as f32 / steps as f32;
        point(picture, from.0 + dx * share, from.1 + dy * share, colour);
    }
}

/// Writes a few characters around a place, two pixels a point.
fn text(picture: &mut RgbImage, text: &str, (x, y): (f32, f32)) {
    let left = x - 6.0 * text.chars().count() as f32;
    for (number, character) in text.chars().enumerate() {
        let Some((_, rows)) = GLYPHS.iter().find(|(known, _)| *known == character) else {
            continue;
        };
        for (row, bits) in rows.iter().enumerate() {
            for column in (0..5).filter(|column| bits >> (4 - column) & 1 == 1) {
                for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                    let at = (
                        left + 12.0 * number as f32 + 2.0 * column as f32 + dx,
                        y - 7.0 + 2.0 * row as f32 + dy,
                    );
                    point(picture, at.0, at.1, INK);
                }
            }
        }
    }
}
