//! The laws of the matrices: a matrix does what its instruction does, products and powers do what the steps do, and both stored
//! forms do what the map does.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::interp::arithmetic;
use crate::isa::{Class, Instruction, Op, Role, WORDS};

type Words = [u32; WORDS];

const EDGES: &[u32] = &[
    0,
    1,
    2,
    31,
    32,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    u32::MAX,
    0x3f80_0000, // 1.0
    0xbf80_0000, // -1.0
    0x3dcc_cccd, // 0.1
    0x4049_0fdb, // pi
    0x7f7f_ffff, // the largest f32
    0x7f80_0000, // infinity
    0xff80_0000,
    0x7fc0_0000, // NaN
    0x0000_0001, // the smallest subnormal
    0x0080_0000, // the smallest normal
];

fn value() -> impl Strategy<Value = u32> {
    prop_oneof![
        select(EDGES),
        any::<u32>(),
        (-1e3_f32..1e3).prop_map(f32::to_bits),
        0..40_u32
    ]
}

fn words() -> impl Strategy<Value = Words> {
    proptest::collection::vec(value(), WORDS).prop_map(|words| std::array::from_fn(|i| words[i]))
}

fn linear_ops() -> Vec<Op> {
    Op::ALL
        .iter()
        .copied()
        .filter(|op| op.class() == Class::Linear && *op != Op::Affine)
        .collect()
}

fn is_float(op: Op) -> bool {
    matches!(op, Op::FAdd | Op::FSub | Op::FAddImm | Op::FMulImm)
}

/// Instructions over few words, so that they meet.
fn instruction(ops: Vec<Op>) -> impl Strategy<Value = Instruction> {
    (select(ops), 0..5_u32, 0..5_u32, 0..5_u32, value()).prop_map(|(op, d, a, b, constant)| {
        let roles = op.roles();
        let operand = |place: usize, word| match roles[place] {
            Role::Def | Role::Use => word,
            Role::Imm => constant,
            _ => 0,
        };
        Instruction::new(op, [operand(0, d), operand(1, a), operand(2, b), 0])
    })
}

/// What the instruction does by its definition; whether a float operation gave NaN, whose payload is open.
fn step(instruction: &Instruction, words: &mut Words) -> bool {
    let op = Op::from_code(instruction.opcode).unwrap();
    let [d, ..] = instruction.operands;
    let inputs: Vec<u32> = (op.roles().iter().zip(instruction.operands))
        .filter_map(|(role, operand)| match role {
            Role::Use => Some(words[operand as usize]),
            Role::Imm => Some(operand),
            _ => None,
        })
        .collect();
    let result = arithmetic::fold(op, &inputs).unwrap().low;
    words[d as usize] = result;
    is_float(op) && f32::from_bits(result).is_nan()
}

/// The instructions as maps, as few as can be composed.
fn fused(instructions: &[Instruction]) -> Vec<AffineMap> {
    let mut maps: Vec<AffineMap> = Vec::new();
    for map in instructions.iter().map(|i| AffineMap::of(i).unwrap()) {
        match maps.last().and_then(|last| last.then(&map)) {
            Some(product) => *maps.last_mut().unwrap() = product,
            None => maps.push(map),
        }
    }
    maps
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_matrix_does_what_its_instruction_does(
        instruction in instruction(linear_ops()), words in words(),
    ) {
        let (mut expected, mut found) = (words, words);
        let nan = step(&instruction, &mut expected);
        AffineMap::of(&instruction).unwrap().apply(&mut found);
        if nan {
            let d = instruction.operands[0] as usize;
            prop_assert!(f32::from_bits(found[d]).is_nan());
            found[d] = expected[d];
        }
        prop_assert_eq!(expected, found);
    }

    #[test]
    fn build_time_terms_are_the_map(instruction in instruction(linear_ops())) {
        let built = instruction_terms(instruction);
        let terms = &built.terms[..built.count];
        prop_assert!(!terms.is_empty());
        prop_assert_eq!(AffineMap::from_terms(terms), AffineMap::of(&instruction));
    }

    #[test]
    fn a_product_does_what_the_steps_do(
        instructions in proptest::collection::vec(instruction(linear_ops()), 1..12), words in words(),
    ) {
        let (mut expected, mut found) = (words, words);
        for instruction in &instructions {
            if step(instruction, &mut expected) {
                return Ok(());
            }
        }
        for map in fused(&instructions) {
            map.apply(&mut found);
        }
        prop_assert_eq!(expected, found);
    }

    #[test]
    fn a_float_product_does_what_the_steps_do(
        instructions in proptest::collection::vec(
            instruction(vec![Op::Mov, Op::Imm, Op::FAdd, Op::FSub, Op::FAddImm, Op::FMulImm]), 1..6,
        ),
        words in words(),
    ) {
        let (mut expected, mut found) = (words, words);
        for instruction in &instructions {
            step(instruction, &mut expected);
        }
        for map in fused(&instructions) {
            map.apply(&mut found);
        }
        let canonical = |words: Words| words.map(|w| crate::types::canonical_nan(f32::from_bits(w)).to_bits());
        prop_assert_eq!(canonical(expected), canonical(found));
    }

    #[test]
    fn a_power_is_the_repeated_map(
        instructions in proptest::collection::vec(instruction(linear_ops()), 1..6), words in words(), n in 0..40_u64,
    ) {
        for map in fused(&instructions) {
            let Some(power) = map.power(n) else { continue };
            let (mut expected, mut found) = (words, words);
            for _ in 0..n {
                map.apply(&mut expected);
            }
            power.apply(&mut found);
            prop_assert_eq!(expected, found);
        }
    }

    #[test]
    fn both_forms_are_the_map(
        instructions in proptest::collection::vec(instruction(linear_ops()), 1..12), words in words(),
    ) {
        for map in fused(&instructions) {
            let mut expected = words;
            map.apply(&mut expected);
            for format in [Format::Sparse, Format::Dense] {
                let mut store = Store::default();
                store.insert(&AffineMap::of(&instructions[0]).unwrap(), 0.15, Some(format));
                let number = store.insert(&map, 0.15, Some(format));
                prop_assert_eq!(number, store.insert(&map, 0.15, Some(format)));
                let record = &store.records[number as usize];
                prop_assert_eq!(record.format, format);
                prop_assert_eq!(read_record(record, &store.pools), Some(map.clone()));
                let mut found = words;
                apply_record(record, &store.pools, &mut found);
                prop_assert_eq!(expected, found);
            }
        }
    }

    #[test]
    fn hostile_records_and_terms_never_panic(
        pool in proptest::collection::vec(prop_oneof![0..40_u32, value()], 0..80),
        offset in prop_oneof![0..9_u32, value()], size in prop_oneof![0..99_u32, value()], words in words(),
    ) {
        let term = |chunk: &[u32]| Term {
            row: chunk[0] as u16,
            column: chunk[1] as u16,
            ring: [Ring::Integer, Ring::Bits, Ring::Float][chunk[2] as usize % 3],
            rotation: chunk[2] as u8,
            coefficient: chunk[3],
        };
        let pools = Pools { terms: pool.chunks_exact(4).map(term).collect(), dense: pool };
        for format in [Format::Sparse, Format::Dense] {
            let record = MatrixRecord { format, offset, size, non_zeros: 0 };
            apply_record(&record, &pools, &mut words.clone());
            if let Some(map) = read_record(&record, &pools) {
                prop_assert_eq!(AffineMap::from_terms(map.terms()), Some(map));
            }
        }
    }
}

fn compose(instructions: &[(Op, [u32; 3])]) -> Option<AffineMap> {
    let instruction = |&(op, [d, a, b]): &(Op, [u32; 3])| AffineMap::of(&Instruction::new(op, [d, a, b, 0]));
    instructions
        .iter()
        .try_fold(AffineMap::identity(), |product, i| product.then(&instruction(i)?))
}

const XORSHIFT: &[(Op, [u32; 3])] = &[
    (Op::ShlImm, [1, 0, 13]),
    (Op::Xor, [0, 0, 1]),
    (Op::ShrImm, [1, 0, 17]),
    (Op::Xor, [0, 0, 1]),
    (Op::ShlImm, [1, 0, 5]),
    (Op::Xor, [0, 0, 1]),
];

#[test]
fn xorshift_has_its_full_period() {
    let step = compose(XORSHIFT).unwrap().keep_rows(1);
    assert!(step.power(0xffff_ffff).unwrap().is_identity());
    assert!(!step.power(0xffff_ffff / 3).unwrap().is_identity());
    let far = step.power(1 << 40).unwrap();
    assert!(far.rows().all(|row| row.len() <= 32));
}

#[test]
fn powers_of_a_congruential_generator_add_up() {
    let step = compose(&[(Op::MulImm, [0, 0, 1_664_525]), (Op::AddImm, [0, 0, 1_013_904_223])]).unwrap();
    let (far, farther) = (step.power(1_000_000_007).unwrap(), step.power(u64::MAX).unwrap());
    assert_eq!(far.then(&farther), step.power(1_000_000_006));
    assert!(step.power(1 << 32).unwrap().is_identity());
}

#[test]
fn floats_compose_only_by_the_same_roundings() {
    let c = f32::to_bits(0.1);
    let composes = |instructions: &[_]| compose(instructions).map(|map| map.keep_rows(2).to_string());
    let exact = |text: &str| Some(text.to_string());
    assert_eq!(
        composes(&[(Op::FAdd, [1, 2, 3]), (Op::FAdd, [1, 1, 4])]),
        exact("w1 = w2 + w3 + w4")
    );
    assert_eq!(
        composes(&[(Op::FMulImm, [1, 2, c]), (Op::FAdd, [1, 1, 3])]),
        exact("w1 = 0.1·w2 + w3")
    );
    assert_eq!(
        composes(&[(Op::FMulImm, [1, 2, c]), (Op::FSub, [1, 3, 1])]),
        exact("w1 = w3 - 0.1·w2")
    );
    assert_eq!(
        composes(&[(Op::XorImm, [1, 2, 1 << 31]), (Op::FAdd, [1, 1, 3])]),
        exact("w1 = -w2 + w3")
    );
    assert_eq!(
        composes(&[(Op::Imm, [1, c, 0]), (Op::FAdd, [1, 2, 1])]),
        exact("w1 = w2 + 0.1")
    );
    // A rounded sum commutes: a + (b + c) = (b + c) + a.
    assert_eq!(
        composes(&[(Op::FAdd, [1, 2, 3]), (Op::FAdd, [1, 4, 1])]),
        exact("w1 = w2 + w3 + w4")
    );
    // a - (b + c) and (a + b) + (a + b) are roundings of other sums, -(b + c) is not -b - c for b = -c.
    assert_eq!(composes(&[(Op::FAdd, [1, 2, 3]), (Op::FSub, [1, 4, 1])]), None);
    assert_eq!(composes(&[(Op::FAdd, [1, 2, 3]), (Op::FAdd, [1, 1, 1])]), None);
    assert_eq!(composes(&[(Op::FAdd, [1, 2, 3]), (Op::XorImm, [1, 1, 1 << 31])]), None);
    assert_eq!(composes(&[(Op::FMulImm, [1, 2, c]), (Op::FMulImm, [1, 1, c])]), None);
    assert_eq!(composes(&[(Op::FAdd, [1, 2, 3]), (Op::AddImm, [1, 1, 1])]), None);
}

#[test]
fn rings_meet_where_they_agree() {
    assert!(compose(&[(Op::ShlImm, [1, 0, 3]), (Op::AndImm, [1, 1, 0xff])]).is_some());
    assert!(compose(&[(Op::XorImm, [1, 0, u32::MAX]), (Op::AddImm, [1, 1, 1])]).is_some());
    assert!(compose(&[(Op::Mov, [1, 0, 0]), (Op::Xor, [1, 1, 2])]).is_some());
    assert!(compose(&[(Op::Add, [1, 0, 2]), (Op::ShrImm, [1, 1, 2])]).is_none());
    let negated = compose(&[(Op::XorImm, [0, 0, u32::MAX]), (Op::AddImm, [0, 0, 1])]).unwrap();
    assert_eq!(negated, compose(&[(Op::Neg, [0, 0, 0])]).unwrap());
}

#[test]
fn multiples_of_one_bit_are_linear_over_gf2() {
    let polynomial = 0xedb8_8320;
    let masked = [(Op::Neg, [1, 1, 0]), (Op::AndImm, [1, 1, polynomial])];
    let ways: [&[_]; 2] = [&masked, &[(Op::MulImm, [1, 1, polynomial])]];
    for way in ways {
        let mut step = vec![(Op::AndImm, [1, 0, 1]), (Op::ShrImm, [0, 0, 1])];
        step.extend_from_slice(way);
        step.push((Op::Xor, [0, 0, 1]));
        let step = compose(&step).unwrap().keep_rows(1);
        let (mut words, mut crc) = ([0; WORDS], 0x1234_5678_u32);
        words[0] = crc;
        step.power(1000).unwrap().apply(&mut words);
        for _ in 0..1000 {
            crc = (crc >> 1) ^ (polynomial * (crc & 1));
        }
        assert_eq!(words[0], crc);
    }
    assert!(compose(&[(Op::AndImm, [1, 0, 3]), (Op::Neg, [1, 1, 0])]).is_none());
}

#[test]
fn a_high_power_is_stored_dense() {
    // w0..w11 shift by one place, and the last becomes the sum of all.
    let mut recurrence: Vec<_> = (1..12)
        .map(|i| (Op::Add, [12, if i == 1 { 0 } else { 12 }, i]))
        .collect();
    recurrence.extend((0..11).map(|i| (Op::Mov, [i, i + 1, 0])));
    recurrence.push((Op::Mov, [11, 12, 0]));
    let step = compose(&recurrence).unwrap().keep_rows(0xfff);
    let mut store = Store::default();
    let once = store.insert(&step, 0.15, None) as usize;
    let often = store.insert(&step.power(1000).unwrap(), 0.15, None) as usize;
    assert_eq!(store.records[once].format, Format::Sparse);
    assert_eq!(store.records[often].format, Format::Dense);
    let statistics = store.statistics();
    assert_eq!((statistics.sparse, statistics.dense), (1, 1));
    assert!(statistics.bytes < statistics.bytes_all_dense);
}

#[test]
fn what_has_no_dense_form_stays_sparse() {
    let far = AffineMap::of(&Instruction::new(Op::Add, [40, 1, 2, 0])).unwrap();
    let long = compose(&[(Op::FAdd, [0, 1, 1]); 1]).unwrap();
    let long = (0..40).fold(long, |sum, _| {
        sum.then(&compose(&[(Op::FAdd, [0, 0, 1])]).unwrap()).unwrap()
    });
    for map in [far, long] {
        let mut store = Store::default();
        let number = store.insert(&map, 0.0, Some(Format::Dense)) as usize;
        assert_eq!(store.records[number].format, Format::Sparse);
        assert_eq!(read_record(&store.records[number], &store.pools), Some(map));
    }
}

#[test]
fn what_is_not_a_map_is_refused() {
    let term = |row, ring, rotation| Term {
        row,
        column: 1,
        ring,
        rotation,
        coefficient: 1,
    };
    assert!(AffineMap::from_terms(&[term(0, Ring::Bits, 32)]).is_none());
    assert!(AffineMap::from_terms(&[term(0, Ring::Integer, 1)]).is_none());
    assert!(AffineMap::from_terms(&[term(0, Ring::Integer, 0), term(0, Ring::Bits, 0)]).is_none());
    assert!(AffineMap::from_terms(&[term(0, Ring::Bits, 0), term(1, Ring::Bits, 0), term(0, Ring::Bits, 0)]).is_none());
    assert!(AffineMap::of(&Instruction::new(Op::Mov, [0, 0x1_0000, 0, 0])).is_none());
    assert!(AffineMap::of(&Instruction::new(Op::Affine, [0; 4])).is_none());
    assert!(AffineMap::of(&Instruction::new(Op::Mul, [0, 1, 2, 0])).is_none());
}
