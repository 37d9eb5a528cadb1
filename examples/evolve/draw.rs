//! The picture: the formula as a tree, and what it says beside what was measured.

use image::{Rgb, RgbImage};

use crate::tree::Tree;

const PAPER: Rgb<u8> = Rgb([250, 248, 240]);
const INK: Rgb<u8> = Rgb([40, 40, 40]);
const POINT: Rgb<u8> = Rgb([70, 110, 170]);
const LINE: Rgb<u8> = Rgb([200, 60, 50]);
const SIDE: u32 = 520;
/// Pixels of a glyph's point.
const DOT: u32 = 3;

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
    let levels = levels(tree, 0).max(2) as f32;
    let apart = ((SIDE as f32 - 80.0) / (levels - 1.0)).min(110.0);
    branch(&mut picture, tree, 0, (20.0, SIDE as f32 - 20.0), (40.0, apart));
    fit(&mut picture, tree, axis, mass, period);
    picture
}

/// The nodes that a node's branches begin with.
fn branches(tree: &Tree, at: usize) -> Vec<usize> {
    let mut next = at + 1;
    let starts = (0..tree.0[at].branches()).map(|_| {
        let start = next;
        next = tree.end(next);
        start
    });
    starts.collect()
}

fn levels(tree: &Tree, at: usize) -> u32 {
    let below = branches(tree, at).into_iter().map(|start| levels(tree, start));
    1 + below.max().unwrap_or(0)
}

fn leaves(tree: &Tree, at: usize) -> usize {
    let nodes = &tree.0[at..tree.end(at)];
    nodes.iter().filter(|node| node.branches() == 0).count()
}

/// Draws a branch between two columns, as wide as it has leaves, and gives where its node stands.
fn branch(
    picture: &mut RgbImage,
    tree: &Tree,
    at: usize,
    (left, right): (f32, f32),
    (y, apart): (f32, f32),
) -> (f32, f32) {
    let here = ((left + right) / 2.0, y);
    let width = (right - left) / leaves(tree, at) as f32;
    let mut from = left;
    for start in branches(tree, at) {
        let to = from + width * leaves(tree, start) as f32;
        let there = branch(picture, tree, start, (from, to), (y + apart, apart));
        line(picture, (here.0, here.1 + 15.0), (there.0, there.1 - 15.0), INK);
        from = to;
    }
    text(picture, &tree.0[at].label(), here);
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
        square(picture, (x, y), 2, POINT);
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

/// Writes a few characters around a place.
fn text(picture: &mut RgbImage, text: &str, (x, y): (f32, f32)) {
    let dot = DOT as f32;
    let left = x - 3.0 * dot * text.chars().count() as f32;
    for (number, character) in text.chars().enumerate() {
        let Some((_, rows)) = GLYPHS.iter().find(|(known, _)| *known == character) else {
            continue;
        };
        for (row, bits) in rows.iter().enumerate() {
            for column in (0..5).filter(|column| bits >> (4 - column) & 1 == 1) {
                let corner = (left + dot * (6 * number + column) as f32, y + dot * (row as f32 - 3.5));
                square(picture, corner, DOT, INK);
            }
        }
    }
}

fn square(picture: &mut RgbImage, (x, y): (f32, f32), side: u32, colour: Rgb<u8>) {
    for (dx, dy) in (0..side).flat_map(|dx| (0..side).map(move |dy| (dx, dy))) {
        point(picture, x + dx as f32, y + dy as f32, colour);
    }
}
