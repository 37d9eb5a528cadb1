//! Node streams written by hand, encoded both at build time (as constants) and at run time.

use super::node::{Node, Operator};
use super::*;
use crate::facts::{Tree, bind, facts_of};
use crate::isa::Op;
use crate::marker::{Encoding, RoutineSource};
use crate::types::{Field, Kind, Type, Value, Variant, VmType, name_hash};

#[derive(Clone, Copy)]
enum Shape {
    Circle(f32),
    Square { side: f32 },
}

impl Value for Shape {
    type Erased = Shape;
    type Inner = Shape;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::tagged(
        "Shape",
        &[
            Variant {
                hash: name_hash("Circle"),
                name: "Circle",
                fields: &[Field {
                    hash: name_hash("0"),
                    name: "",
                    ty: <f32 as Value>::TYPE,
                    refs: 0,
                    offset: 1,
                }],
                discriminant: 0,
            },
            Variant {
                hash: name_hash("Square"),
                name: "Square",
                fields: &[Field {
                    hash: name_hash("side"),
                    name: "side",
                    ty: <f32 as Value>::TYPE,
                    refs: 0,
                    offset: 1,
                }],
                discriminant: 1,
            },
        ],
    );
}

impl crate::types::ConstantValue for Shape {
    fn constant_words(&self, words: &mut Vec<crate::types::ConstantWord>) {
        crate::types::plain_words(self, words);
    }
}

impl VmType for Shape {
    fn write_words(&self, words: &mut [u32]) {
        match self {
            Shape::Circle(r) => words.copy_from_slice(&[0, r.to_bits()]),
            Shape::Square { side } => words.copy_from_slice(&[1, side.to_bits()]),
        }
    }

    fn read_words(words: &[u32]) -> Self {
        let size = f32::from_bits(words[1]);
        if words[0] == 1 {
            Shape::Square { side: size }
        } else {
            Shape::Circle(size)
        }
    }
}

/// `fn area(shape: Shape) -> f32 { match shape { Shape::Circle(r) => 3.0 * r * r, Shape::Square { side } => side * side } }`
const NODES: &[u8] = &{
    let circle = name_hash("Circle").to_le_bytes();
    let square = name_hash("Square").to_le_bytes();
    let zero = name_hash("0").to_le_bytes();
    let side = name_hash("side").to_le_bytes();
    let three = 3.0f32.to_bits().to_le_bytes();
    let mul = Operator::Mul as u8;
    [
        Node::Local as u8,
        0,
        Node::PatternVariant as u8,
        circle[0],
        circle[1],
        circle[2],
        circle[3],
        0,
        Node::PatternPayload as u8,
        circle[0],
        circle[1],
        circle[2],
        circle[3],
        zero[0],
        zero[1],
        zero[2],
        zero[3],
        Node::Bind as u8,
        1,
        Node::FloatOf as u8,
        Kind::F32 as u8,
        three[0],
        three[1],
        three[2],
        three[3],
        Node::Local as u8,
        1,
        Node::Binary as u8,
        mul,
        Node::Local as u8,
        1,
        Node::Binary as u8,
        mul,
        Node::JoinSet as u8,
        0,
        Node::Jump as u8,
        1,
        Node::Label as u8,
        0,
        Node::PatternPayload as u8,
        square[0],
        square[1],
        square[2],
        square[3],
        side[0],
        side[1],
        side[2],
        side[3],
        Node::Bind as u8,
        2,
        Node::Local as u8,
        2,
        Node::Local as u8,
        2,
        Node::Binary as u8,
        mul,
        Node::JoinSet as u8,
        0,
        Node::Label as u8,
        1,
        Node::Pop as u8,
        Node::JoinGet as u8,
        0,
        Node::Return as u8,
    ]
};

fn no_facts() -> &'static Facts {
    const FACTS: &Facts = {
        let shadow = |(slot, (), (), (), (), (), (), ()): _, (): ()| bind((1u32,), slot);
        facts_of(&shadow)
    };
    FACTS
}

const SOURCE: Source = Source {
    name: "area",
    file: "tests.rs",
    line: 1,
    params: &[TypeRef::of::<Shape>()],
    result: TypeRef::of::<f32>(),
    nodes: NODES,
    facts: <() as Tree>::FACTS,
    depth: 0,
    constants: &[],
    inferred: &(),
    messages: &[],
    locals: &["shape", "r", "side"],
    labels: 2,
    joins: 1,
    checks: Some(false),
    relaxed: false,
    is_const: false,
    recursive: false,
};

struct Area;

impl RoutineSource for Area {
    const SOURCE: &'static Source = &SOURCE;
}

#[test]
fn a_match_over_an_enum_is_encoded_at_build_time() {
    // The first attempt has too little room.
    let routine = Encoding::<Area, 0, 2, 3, 32>::ROUTINE;
    assert_eq!(routine.params.len(), 1);
    let ops: Vec<Op> = routine.code.iter().filter_map(|i| Op::from_code(i.opcode)).collect();
    assert_eq!(ops.iter().filter(|op| **op == Op::FMul).count(), 3);
    assert_eq!(ops.last(), Some(&Op::Return));
    let linear = ops.iter().filter(|op| op.class() == crate::isa::Class::Linear).count();
    assert_eq!(routine.matrices.len(), linear, "one matrix for each linear instruction");
}

#[test]
fn too_little_room_is_told_not_suffered() {
    assert!(encode::<0>(&SOURCE).overflowed());
    assert!(!encode::<32>(&SOURCE).overflowed());
    let refused = Encoding::<Area, 0, 0, 0, 0>::ROUTINE;
    assert!(refused.refused.is_some() && refused.code.is_empty());
}

#[test]
fn a_routine_is_the_same_from_any_room() {
    let unfitted = const { &encode::<32>(&SOURCE) };
    let unfitted = format!("{:?}", unfitted.routine(&SOURCE));
    let fitted = [
        Encoding::<Area, 32, 0, 0, 0>::ROUTINE,
        Encoding::<Area, 700, 0, 0, 0>::ROUTINE,
        Encoding::<Area, 0, 0, 0, 32>::ROUTINE,
    ];
    for routine in fitted {
        assert_eq!(format!("{routine:?}"), unfitted);
    }
}

#[test]
fn facts_come_out_of_the_shadow() {
    let crate::facts::Fact::Type(ty) = no_facts().get(0, 1) else {
        panic!("a type")
    };
    assert_eq!(ty.ty.kind, Kind::U32);
}
