//! Matrices in both forms of storage and all rings.

use gpuvm_core::isa::WORDS;
use gpuvm_core::matrix::{CONSTANT, Ring, Term};

use super::*;

const VMS: u32 = 100;
const INPUTS: u32 = 26;

/// Loads w2..w27, applies matrix 0, and stores all words.
fn apply(store: Store) -> Program {
    let mut code = vec![op(Op::Imm, [0, 1, 0, 0]), op(Op::Param, [1, 0, 0, 0])];
    code.extend((0..INPUTS).map(|i| op(Op::Load, [2 + i, 0, 1, i])));
    code.push(op(Op::Affine, [0; 4]));
    // All words may have changed, so the result's address takes the place of words that are in the frame by then.
    code.extend((0..WORDS as u32).map(|i| op(Op::StoreFrame, [i, i, 0, 0])));
    code.extend([op(Op::Imm, [0, 1, 0, 0]), op(Op::Param, [1, 1, 0, 0])]);
    for i in 0..WORDS as u32 {
        code.extend([op(Op::LoadFrame, [2, i, 0, 0]), op(Op::Store, [2, 0, 1, i])]);
    }
    code.push(op(Op::Halt, [0; 4]));
    program(code, store)
}

/// A map of random rows of the rings, `terms` a row at most.
fn random_map(random: &mut Random, rings: &[Ring], rows: u32, terms: u32) -> AffineMap {
    let mut all = Vec::new();
    let mut row = 0;
    for _ in 0..rows {
        row += 1 + random.below(WORDS as u32 / rows);
        if row as usize >= WORDS {
            break;
        }
        let ring = rings[random.below(rings.len() as u32) as usize];
        for _ in 0..1 + random.below(terms) {
            let column = match random.below(WORDS as u32 + 2) {
                column if column < WORDS as u32 => column as u16,
                _ => CONSTANT,
            };
            let rotates = ring == Ring::Bits && column != CONSTANT;
            all.push(Term {
                row: row as u16,
                column,
                ring,
                rotation: if rotates { random.below(32) as u8 } else { 0 },
                coefficient: match (ring, random.below(4)) {
                    (Ring::Float, 0) => 1.0_f32.to_bits(),
                    (Ring::Float, 1) => (-1.0_f32).to_bits(),
                    (Ring::Float, _) => (random.below(2000) as f32 / 64.0 - 15.0).to_bits(),
                    _ => random.next(),
                },
            });
        }
    }
    AffineMap::from_terms(&all).unwrap()
}

fn compare(engine: &dyn Execute, map: &AffineMap, format: Format, random: &mut Random) {
    let input: Vec<u32> = (0..VMS * INPUTS)
        .map(|i| {
            if i % 3 == 0 {
                (random.below(1000) as f32 / 16.0 - 30.0).to_bits()
            } else {
                random.next()
            }
        })
        .collect();
    let store = stored(map, format);
    assert_eq!(store.records[0].format, format);
    let [(expected, wanted), (found, outcome)] = both(engine, job(apply(store), &input, INPUTS, WORDS as u32, VMS));
    assert_eq!(outcome, wanted);
    for (i, (a, b)) in found.arena.iter().zip(&expected.arena).enumerate().skip(input.len()) {
        let word = (i - input.len()) % WORDS;
        assert!(
            a == b || is_nan(*a) && is_nan(*b),
            "w{word} is {a:#x} and not {b:#x} after {:?}",
            map.row(word as u16)
        );
    }
}

#[test]
fn both_forms_of_every_ring_give_the_reference_bits() {
    for engine in engines() {
        let mut random = Random(77);
        let rings = [
            &[Ring::Integer][..],
            &[Ring::Bits],
            &[Ring::Float],
            &[Ring::Integer, Ring::Bits, Ring::Float],
        ];
        for rings in rings {
            for (rows, terms) in [(1, 2), (3, 4), (14, 3), (27, 12)] {
                let map = random_map(&mut random, rings, rows, terms);
                for format in [Format::Sparse, Format::Dense] {
                    compare(engine, &map, format, &mut random);
                }
            }
        }
    }
}

#[test]
fn rows_read_the_words_as_they_were() {
    for engine in engines() {
        // A rotation of three words, so that every order of writing would be wrong without a copy.
        let copy = |row, column| Term {
            row,
            column,
            ring: Ring::Integer,
            rotation: 0,
            coefficient: 1,
        };
        let map = AffineMap::from_terms(&[copy(2, 3), copy(3, 4), copy(4, 2)]).unwrap();
        for format in [Format::Sparse, Format::Dense] {
            compare(engine, &map, format, &mut Random(5));
        }
    }
}

#[test]
fn the_largest_matrix_in_a_loop_stays_within_the_inner_budget() {
    for engine in engines() {
        let mut random = Random(9);
        let terms: Vec<Term> = (2..WORDS as u16)
            .flat_map(|row| (2..WORDS as u16).map(move |column| (row, column)))
            .map(|(row, column)| Term {
                row,
                column,
                ring: Ring::Bits,
                rotation: ((row * 7 + column * 3) % 32) as u8,
                coefficient: random.next(),
            })
            .collect();
        let map = AffineMap::from_terms(&terms).unwrap();
        for format in [Format::Sparse, Format::Dense] {
            // w0 counts the rounds, a different number for each VM.
            let mut code = vec![
                op(Op::VmId, [0, 0, 0, 0]),
                op(Op::AddImm, [0, 0, 30, 0]),
                op(Op::Imm, [5, 12345, 0, 0]),
            ];
            code.extend([
                op(Op::Affine, [0; 4]),
                op(Op::AddImm, [0, 0, u32::MAX, 0]),
                op(Op::JumpIf, [3, 0, 0, 0]),
                op(Op::Imm, [0, 1, 0, 0]),
                op(Op::Param, [1, 1, 0, 0]),
                op(Op::Store, [9, 0, 1, 0]),
                op(Op::Halt, [0; 4]),
            ]);
            check(engine, job(program(code, stored(&map, format)), &[], 0, 1, 40));
        }
    }
}
