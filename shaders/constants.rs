//! The constants that every shader begins with. They follow from the core's tables and the [`layout`](crate::layout).

use std::fmt::Write;

use gpuvm_core::interp::header;
use gpuvm_core::isa::{CALL_FRAME_WORDS, Class, Op, WORDS, space};
use gpuvm_core::library;
use gpuvm_core::matrix::{CONSTANT, Format, Ring, dense};
use gpuvm_core::program::Status;
use gpuvm_engine::{CheckOp, fault};

use crate::layout::{WORKGROUP, epoch, guard, packed, row, several, signal, sort, step, term, tile, trap};

/// The constants that the shaders use, as WGSL.
pub fn constants() -> String {
    let fixed = [
        ("WORDS", WORDS as u32),
        ("CALL_FRAME_WORDS", CALL_FRAME_WORDS as u32),
        ("WORKGROUP", WORKGROUP),
        ("SORT_WORKGROUP", sort::WORKGROUP),
        ("SORT_TILE", sort::TILE),
        ("TILE_CHUNK", tile::CHUNK),
        ("TILE_WORKGROUP", tile::WORKGROUP),
        ("TILE", tile::TILE),
        ("TILE_CELLS", tile::CELLS),
        ("TILE_LEFT", tile::LEFT),
        ("SEVERAL", several::VMS),
        ("STEP_WORDS", step::WORDS),
        ("OWN_ATOMICS", several::OWN_ATOMICS),
        ("SPACE_FRAME", space::FRAME),
        ("SPACE_ARENA", space::ARENA),
        ("SPACE_ATOMIC", space::ATOMIC),
        ("SPACE_DATA", space::DATA),
        ("STATUS_RUNNING", Status::Running as u32),
        ("STATUS_BLOCKED", Status::Blocked as u32),
        ("STATUS_YIELDED", Status::Yielded as u32),
        ("STATUS_HALTED", Status::Halted as u32),
        ("STATUS_TRAPPED", Status::Trapped as u32),
        ("STATUS_AT_BREAK", Status::Trapped as u32 + 1),
        ("STATUS_NO_ROOM", Status::Trapped as u32 + 2),
        ("FAULT_NONE", fault::NONE),
        ("FAULT_MEMORY", fault::MEMORY),
        ("FAULT_STACK", fault::STACK),
        ("FORMAT_SPARSE", Format::Sparse as u32),
        ("RING_INTEGER", Ring::Integer as u32),
        ("RING_BITS", Ring::Bits as u32),
        ("DENSE_EMPTY", dense::EMPTY_SLOT),
        ("DENSE_CONSTANT", u32::from(CONSTANT)),
        ("COLUMN_SHIFT", term::COLUMN_SHIFT),
        ("ROTATION_SHIFT", term::ROTATION_SHIFT),
        ("RING_SHIFT", term::RING_SHIFT),
        ("PACKED_OPCODE_MASK", (1 << packed::FIRST_SHIFT) - 1),
        ("PACKED_FIRST_SHIFT", packed::FIRST_SHIFT),
        ("PACKED_FIRST_MASK", packed::FIRST_LIMIT - 1),
        ("PACKED_CLASS_SHIFT", packed::CLASS_SHIFT),
        ("OP_BREAK", packed::BREAK),
        ("OP_ADD_TWICE", packed::ADD_TWICE),
        ("OP_EQ_JUMP", packed::EQ_JUMP),
        ("OP_LT_U_JUMP", packed::LT_U_JUMP),
        ("OP_LT_S_JUMP", packed::LT_S_JUMP),
        ("PACKED_OPPOSITE", packed::OPPOSITE),
        ("PACKED_JUMPS_IF", packed::JUMPS_IF),
        ("GUARD_OP_MASK", guard::OP_MASK),
        ("GUARD_LEFT_SHIFT", guard::LEFT_SHIFT),
        ("GUARD_RIGHT_SHIFT", guard::RIGHT_SHIFT),
        ("GUARD_THEN_SHIFT", guard::THEN_SHIFT),
        ("GUARD_MASK", guard::MASK),
        ("GUARD_LAST", guard::LAST),
        ("GUARD_WORD", guard::WORD),
        ("GUARD_FRAME", guard::FRAME),
        ("GUARD_VM_ID", guard::VM_ID),
        ("GUARD_VM_COUNT", guard::VM_COUNT),
        ("GUARD_POPPED", guard::POPPED),
        ("GUARD_PUSH", guard::PUSH),
        ("GUARD_STOP_IF", guard::STOP_IF),
        ("CLASSES", epoch::CLASSES),
        ("CLASS_NONE", packed::CLASS_NONE),
        ("COUNT_LENGTHS", epoch::LENGTHS),
        ("COUNT_TURNS", epoch::TURNS),
        ("COUNT_DONE", epoch::DONE),
        ("COUNT_LAST_EPOCH", epoch::LAST_EPOCH),
        ("COUNT_WORDS", epoch::COUNT_WORDS),
        ("TERM_FIRST", term::FIRST),
        ("TERM_LAST", term::LAST),
        ("COLUMN_CONSTANT", term::CONSTANT),
    ];
    let places = [
        ("ROW_IP", header::IP),
        ("ROW_STATUS", header::STATUS),
        ("ROW_VM_ID", header::VM_ID),
        ("ROW_DEPTH", header::DEPTH),
        ("ROW_WORDS", header::WORD_0),
        ("ROW_FRAME_BASE", row::FRAME_BASE),
        ("ROW_CALLS", row::CALLS),
        ("ROW_FAULT", row::FAULT),
        ("ROW_FAULT_OFFSET", row::FAULT_OFFSET),
        ("ROW_COUNT", row::COUNT),
        ("TRAP_IP", trap::IP),
        ("TRAP_FAULT", trap::FAULT),
        ("TRAP_FAULT_OFFSET", trap::FAULT_OFFSET),
        ("TRAP_NUMBERS", trap::NUMBERS),
        ("TRAP_VALUES", trap::VALUES),
        ("TRAP_COUNT", trap::COUNT),
        ("SIGNAL_STOPPED", signal::STOPPED),
        ("SIGNAL_YIELDED", signal::YIELDED),
        ("SIGNAL_TRAPPED", signal::TRAPPED),
        ("SIGNAL_FIRST_TRAP", signal::FIRST_TRAP),
        ("SIGNAL_AT_BREAK", signal::AT_BREAK),
        ("SIGNAL_BLOCKED", signal::BLOCKED),
        ("SIGNAL_FRAME_WORDS", signal::FRAME_WORDS),
        ("SIGNAL_CALLS", signal::CALLS),
        ("SIGNAL_ENDED", signal::ENDED),
        ("SIGNAL_RETIRED", signal::RETIRED),
        ("SIGNAL_COUNTS", signal::COUNTS),
        ("SIGNAL_EPOCHS", signal::EPOCHS),
        ("CLASS_LINEAR", Class::Linear as usize),
        ("CLASS_ORACLE", Class::Oracle as usize),
        ("CLASS_BRANCH", Class::Branch as usize),
        ("CLASS_IO", Class::Io as usize),
    ];
    let mut text = String::new();
    let mut add = |name: &str, value: u32| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "const {name}: u32 = {value}u;");
    };
    for op in Op::ALL {
        add(&format!("OP_{}", upper_snake(op.name())), op.code());
    }
    for (number, name) in library::FUNCTIONS.iter().enumerate() {
        add(&format!("MATH_{}", name.to_ascii_uppercase()), number as u32);
    }
    for (op, name) in CheckOp::ALL {
        add(name, *op as u32);
    }
    for (name, value) in fixed {
        add(name, value);
    }
    for (name, value) in places {
        add(name, value as u32);
    }
    text
}

/// `MulHighU` as `MUL_HIGH_U`.
fn upper_snake(name: &str) -> String {
    let mut text = String::new();
    for (i, letter) in name.chars().enumerate() {
        if i > 0 && letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_uppercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn op_names_become_constants() {
        assert_eq!(upper_snake("MulHighU"), "MUL_HIGH_U");
        assert_eq!(upper_snake("I64ToF"), "I64_TO_F");
        assert!(constants().contains("const OP_F_ADD: u32 = 17u;"));
    }
}
