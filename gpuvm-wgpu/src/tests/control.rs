//! Jumps, calls, memory, atomics, signals and traps.

use gpuvm_core::interp::MEMORY_SITE;
use gpuvm_core::isa::pair;

use super::*;

/// Stores w10 as the VM's result and halts.
fn finish() -> [Instruction; 4] {
    [
        op(Op::Imm, [0, 1, 0, 0]),
        op(Op::Param, [1, 1, 0, 0]),
        op(Op::Store, [10, 0, 1, 0]),
        op(Op::Halt, [0; 4]),
    ]
}

pub fn with_finish(mut code: Vec<Instruction>) -> Program {
    code.extend(finish());
    program(code, Store::default())
}

/// Counts w2 down from `vmid * scale + start`, adding to w10.
pub fn countdown(scale: u32, start: u32) -> Vec<Instruction> {
    vec![
        op(Op::VmId, [2, 0, 0, 0]),
        op(Op::MulImm, [2, 2, scale, 0]),
        op(Op::AddImm, [2, 2, start, 0]),
        op(Op::JumpUnless, [7, 2, 0, 0]),
        op(Op::Add, [10, 10, 2, 0]),
        op(Op::AddImm, [2, 2, u32::MAX, 0]),
        op(Op::Jump, [3, 0, 0, 0]),
    ]
}

#[test]
fn loops_of_different_lengths_end_right() {
    for engine in engines() {
        check(engine, job(with_finish(countdown(7, 0)), &[], 0, 1, 1000));
    }
}

#[test]
fn a_job_needs_no_atomics() {
    for engine in engines() {
        let mut job = job(with_finish(countdown(1, 3)), &[], 0, 1, 10);
        job.atomics.clear();
        check(engine, job);
    }
}

#[test]
fn a_loop_goes_on_over_many_dispatches() {
    for engine in engines() {
        check(engine, job(with_finish(countdown(1000, 70_000)), &[], 0, 1, 20));
    }
}

#[test]
fn numbers_of_vms_and_parts_follow_the_batch() {
    for engine in engines() {
        let code = vec![
            op(Op::VmId, [2, 0, 0, 0]),
            op(Op::VmCount, [3, 0, 0, 0]),
            op(Op::Add, [10, 2, 3, 0]),
        ];
        let mut batch = job(with_finish(code), &[], 0, 1, 100);
        batch.first_vm = 300;
        batch.vm_count = 1000;
        batch.slots[1].place.base = 0_u32.wrapping_sub(300);
        let done = check(engine, batch);
        assert_eq!(done.arena[5], 1305);
    }
}

#[test]
fn calls_keep_their_frames() {
    for engine in engines() {
        // The entry passes w2 through the callee's frame word 0, and the callee calls once more before it doubles.
        let mut code = vec![
            op(Op::VmId, [2, 0, 0, 0]),
            op(Op::StoreFrame, [2, 8, 0, 0]),
            op(Op::StoreFrame, [2, 1, 0, 0]),
            op(Op::Call, [10, 8, 0, 0]),
            op(Op::LoadFrame, [3, 8, 0, 0]),
            op(Op::LoadFrame, [10, 1, 0, 0]),
        ];
        code.extend(finish());
        code.extend([
            op(Op::LoadFrame, [4, 0, 0, 0]),
            op(Op::StoreFrame, [4, 4, 0, 0]),
            op(Op::Call, [15, 4, 0, 0]),
            op(Op::LoadFrame, [4, 4, 0, 0]),
            op(Op::Jump, [18, 0, 0, 0]),
            op(Op::LoadFrame, [5, 0, 0, 0]),
            op(Op::AddImm, [5, 5, 5, 0]),
            op(Op::Jump, [20, 0, 0, 0]),
            op(Op::StoreFrame, [4, 0, 0, 0]),
            op(Op::Return, [0; 4]),
            op(Op::StoreFrame, [5, 0, 0, 0]),
            op(Op::Address, [6, 0, 1, 0]),
            op(Op::Return, [0; 4]),
        ]);
        check(engine, job(program(code, Store::default()), &[], 0, 1, 70));
    }
}

#[test]
fn a_call_too_deep_traps() {
    for engine in engines() {
        // Whether or not it says what its callee touches.
        for reach in [0, 1] {
            let code = vec![op(Op::Call, [0, 1, reach, 0]), op(Op::Halt, [0; 4])];
            check(engine, job(program(code, Store::default()), &[], 0, 1, 3));
        }
    }
}

#[test]
fn frames_grow_with_what_is_reached() {
    for engine in engines() {
        // Some VMs need as much as they begin with, some more than twice as much as that, and some go too deep.
        for deepest in [0, 7, 60, 380] {
            check(engine, job(sums(deepest), &[], 0, 1, 40));
        }
    }
}

/// sum(n) = n + sum(n - 1) for n from `deepest` on, with n and the result in w1, and n kept at the end of a frame of 40 words.
pub fn sums(deepest: u32) -> Program {
    let code = vec![
        op(Op::VmId, [1, 0, 0, 0]),
        op(Op::AddImm, [1, 1, deepest, 0]),
        op(Op::Call, [9, 4, 40, 0]),
        op(Op::Imm, [2, 1, 0, 0]),
        op(Op::Param, [3, 1, 0, 0]),
        op(Op::Store, [1, 2, 3, 0]),
        op(Op::Halt, [0; 4]),
        op(Op::Halt, [0; 4]),
        op(Op::Halt, [0; 4]),
        // sum:
        op(Op::Enter, [0; 4]),
        op(Op::JumpUnless, [16, 1, 0, 0]),
        op(Op::StoreFrame, [1, 39, 0, 0]),
        op(Op::AddImm, [1, 1, u32::MAX, 0]),
        op(Op::Call, [9, 40, 40, 0]),
        op(Op::LoadFrame, [2, 39, 0, 0]),
        op(Op::Add, [1, 1, 2, 0]),
        op(Op::Leave, [0; 4]),
        op(Op::Return, [0; 4]),
    ];
    Program {
        frame_words: 4 + 40 * 401,
        addressed_words: 4 + 40 * 401,
        call_depth: 401,
        depth_limit: 400,
        ..program(code, Store::default())
    }
}

#[test]
fn depth_is_limited() {
    for engine in engines() {
        let code = vec![
            op(Op::Enter, [0; 4]),
            op(Op::Leave, [0; 4]),
            op(Op::Enter, [0; 4]),
            op(Op::Jump, [2, 0, 0, 0]),
        ];
        check(engine, job(program(code, Store::default()), &[], 0, 1, 3));
    }
}

#[test]
fn traps_stop_their_vm_alone_and_record_words() {
    for engine in engines() {
        // VM ids whose lowest three bits are 5 trap conditionally, 6 at once.
        let code = vec![
            op(Op::VmId, [10, 0, 0, 0]),
            op(Op::AndImm, [2, 10, 7, 0]),
            op(Op::AddImm, [3, 2, u32::MAX - 5, 0]),
            op(Op::JumpIf, [5, 3, 0, 0]),
            op(Op::Trap, [0, pair(10, NO_WORD), pair(2, 10), 0]),
            op(Op::Imm, [4, 5, 0, 0]),
            op(Op::Eq, [5, 2, 4, 0]),
            op(Op::TrapIf, [0, 5, 10, NO_WORD]),
        ];
        let [(expected, wanted), (found, outcome)] = both(engine, job(with_finish(code.clone()), &[], 0, 1, 200));
        assert_eq!(outcome, wanted);
        assert_eq!(outcome.traps, 50);
        assert_eq!(outcome.first_trap.map(|trap| (trap.vm, trap.words[0])), Some((5, 5)));
        assert_eq!(found.arena, expected.arena);
        let mut without_first = job(with_finish(code), &[], 0, 1, 200);
        without_first.first_vm = 6;
        without_first.slots[1].place.base = 0_u32.wrapping_sub(6);
        check(engine, without_first);
    }
}

#[test]
fn memory_outside_traps() {
    for engine in engines() {
        for (space, offset) in [(0, 80), (1, 4), (2, 8), (3, 0)] {
            for access in [Op::Load, Op::Store] {
                let code = vec![
                    op(Op::Imm, [2, space, 0, 0]),
                    op(Op::Imm, [3, offset, 0, 0]),
                    op(access, [4, 2, 3, 0]),
                ];
                let [(_, wanted), (_, outcome)] = both(engine, job(with_finish(code), &[], 0, 1, 4));
                assert_eq!(outcome, wanted, "space {space}");
                assert_eq!(outcome.first_trap.map(|trap| trap.site), Some(MEMORY_SITE));
            }
        }
    }
}

#[test]
fn an_address_leads_to_no_word_that_is_only_named() {
    for engine in engines() {
        for (offset, traps) in [(4, 0), (5, 4), (20, 4)] {
            let code = vec![
                op(Op::VmId, [2, 0, 0, 0]),
                op(Op::StoreFrame, [2, 4, 0, 0]),
                op(Op::StoreFrame, [2, 5, 0, 0]),
                op(Op::Imm, [3, offset, 0, 0]),
                op(Op::Load, [10, 4, 3, 0]),
            ];
            let mut job = job(with_finish(code), &[], 0, 1, 4);
            let mut program = Program::clone(&job.program);
            (program.addressed_words, program.call_depth) = (5, 0);
            job.program = program.into();
            let [(_, wanted), (_, outcome)] = both(engine, job);
            assert_eq!(outcome, wanted, "offset {offset}");
            assert_eq!(outcome.traps, traps);
        }
    }
}

#[test]
fn spaces_are_apart() {
    for engine in engines() {
        // Writes the VM's number to its frame by address, and reads it back by both ways.
        let code = vec![
            op(Op::VmId, [2, 0, 0, 0]),
            op(Op::Address, [3, 5, 1, 0]),
            op(Op::Store, [2, 4, 3, 0]),
            op(Op::LoadFrame, [6, 5, 0, 0]),
            op(Op::Load, [7, 4, 3, 0]),
            op(Op::Add, [10, 6, 7, 0]),
        ];
        check(engine, job(with_finish(code), &[], 0, 1, 130));
    }
}

#[test]
fn atomics_of_all_vms_add_up() {
    for engine in engines() {
        let mut code = vec![op(Op::VmId, [2, 0, 0, 0]), op(Op::AddImm, [2, 2, u32::MAX - 60, 0])];
        let operations = [
            Op::AtomicAdd,
            Op::AtomicSub,
            Op::AtomicXor,
            Op::AtomicMinU,
            Op::AtomicMaxU,
            Op::AtomicMinS,
            Op::AtomicMaxS,
            Op::AtomicOr,
        ];
        for (at, operation) in (0..).zip(operations) {
            code.extend([op(Op::Imm, [3, at, 0, 0]), op(operation, [4, 3, 2, 0])]);
        }
        check(engine, job(with_finish(code), &[], 0, 1, 500));
    }
}

#[test]
fn one_vm_sees_every_atomic_do_its_work() {
    for engine in engines() {
        let binary = [
            Op::AtomicAdd,
            Op::AtomicSub,
            Op::AtomicAnd,
            Op::AtomicOr,
            Op::AtomicXor,
            Op::AtomicMinU,
            Op::AtomicMaxU,
            Op::AtomicMinS,
            Op::AtomicMaxS,
            Op::AtomicSwap,
        ];
        let mut code = vec![
            op(Op::Imm, [3, 2, 0, 0]),
            op(Op::Imm, [2, 0x8000_1234, 0, 0]),
            op(Op::AtomicStore, [2, 3, 0, 0]),
        ];
        for (i, operation) in (0..).zip(binary) {
            code.extend([
                op(Op::Imm, [5, 0x1357_9bdf_u32.rotate_left(i * 5), 0, 0]),
                op(operation, [4, 3, 5, 0]),
                op(Op::MulImm, [10, 10, 31, 0]),
                op(Op::Xor, [10, 10, 4, 0]),
            ]);
        }
        code.extend([
            op(Op::AtomicLoad, [4, 3, 0, 0]),
            op(Op::AtomicCas, [6, 3, 4, 2]),
            op(Op::Xor, [10, 10, 6, 0]),
            op(Op::AtomicCas, [6, 3, 4, 5]),
            op(Op::Add, [10, 10, 6, 0]),
        ]);
        check(engine, job(with_finish(code), &[], 0, 1, 1));
    }
}

#[test]
fn atomic_pairs_of_all_vms_add_up() {
    for engine in engines() {
        // Values of either sign, and sums that carry.
        let mut code = vec![
            op(Op::VmId, [2, 0, 0, 0]),
            op(Op::AddImm, [3, 2, u32::MAX - 60, 0]),
            op(Op::MulImm, [2, 2, 0x9e37_79b9, 0]),
        ];
        let operations = [Op::AtomicAdd64, Op::AtomicSub64, Op::AtomicMinS64, Op::AtomicMaxS64];
        for (at, operation) in (0..).step_by(2).zip(operations) {
            code.extend([
                op(Op::Imm, [4, at, 0, 0]),
                op(operation, [pair(5, 6), 4, pair(2, 3), 0]),
            ]);
        }
        check(engine, job(with_finish(code), &[], 0, 1, 500));
    }
}

#[test]
fn one_vm_sees_every_atomic_pair_do_its_work() {
    for engine in engines() {
        let words = |word| [op(Op::MulImm, [10, 10, 31, 0]), op(Op::Xor, [10, 10, word, 0])];
        let mut code = vec![
            op(Op::Imm, [3, 2, 0, 0]),
            op(Op::Imm, [2, 0x8000_1234, 0, 0]),
            op(Op::AtomicStore64, [pair(2, 3), 3, 0, 0]),
        ];
        let binary = Op::ALL
            .iter()
            .filter(|op| op.roles()[..3] == Op::AtomicAdd64.roles()[..3]);
        for (i, &operation) in (0..).zip(binary.filter(|op| op.is_on_atomic_pair() && **op != Op::AtomicCas64)) {
            code.extend([
                op(Op::Imm, [5, 0x1357_9bdf_u32.rotate_left(i * 5), 0, 0]),
                op(Op::XorImm, [6, 5, 0x8642_0000, 0]),
                op(operation, [pair(4, 7), 3, pair(6, 5), 0]),
            ]);
            code.extend([4, 7].map(words).concat());
        }
        // The second exchange finds what the first has left, and fails.
        code.extend([
            op(Op::AtomicLoad64, [pair(4, 7), 3, 0, 0]),
            op(Op::AtomicCas64, [pair(6, 8), 3, pair(4, 7), pair(2, 5)]),
        ]);
        code.extend([6, 8].map(words).concat());
        code.push(op(Op::AtomicCas64, [pair(6, 8), 3, pair(4, 7), pair(7, 4)]));
        code.extend([6, 8].map(words).concat());
        check(engine, job(with_finish(code), &[], 0, 1, 1));
    }
}

#[test]
fn an_atomic_pair_is_whole_and_at_an_even_place() {
    for engine in engines() {
        // Seven words of atomics are three pairs: VMs 0, 2 and 4 have one.
        let code = vec![
            op(Op::VmId, [2, 0, 0, 0]),
            op(Op::AtomicSwap64, [pair(4, 5), 2, pair(2, 2), 0]),
            op(Op::AddImm, [10, 4, 5, 0]),
        ];
        let mut batch = job(with_finish(code), &[], 0, 1, 9);
        batch.atomics = (1..=7).collect();
        let done = check(engine, batch);
        assert_eq!(done.atomics, [0, 0, 2, 2, 4, 4, 7]);
    }
}

#[test]
fn yielding_vms_go_on_together() {
    for engine in engines() {
        // Each VM adds to an atomic before it yields, and reads it afterwards: all must have added by then.
        let code = vec![
            op(Op::Imm, [2, 1, 0, 0]),
            op(Op::AtomicAdd, [4, 3, 2, 0]),
            op(Op::Yield, [0; 4]),
            op(Op::AtomicLoad, [10, 3, 0, 0]),
            op(Op::Yield, [0; 4]),
        ];
        let done = check(engine, job(with_finish(code), &[], 0, 1, 300));
        assert!(done.arena.iter().all(|&seen| seen == 300));
    }
}

#[test]
fn damaged_programs_are_refused() {
    for engine in engines() {
        let damaged = [
            vec![op(Op::Mov, [28, 0, 0, 0]), op(Op::Halt, [0; 4])],
            vec![op(Op::Jump, [2, 0, 0, 0]), op(Op::Halt, [0; 4])],
            vec![op(Op::Affine, [0; 4]), op(Op::Halt, [0; 4])],
            vec![op(Op::Param, [0, 2, 0, 0]), op(Op::Halt, [0; 4])],
            vec![op(Op::Trap, [1, 0, 0, 0])],
            vec![
                Instruction {
                    opcode: 0xff,
                    operands: [0; 4],
                },
                op(Op::Halt, [0; 4]),
            ],
            vec![op(Op::Mov, [0; 4])],
            vec![],
        ];
        for code in damaged {
            assert!(
                job(program(code, Store::default()), &[], 0, 1, 1)
                    .start(engine)
                    .is_err()
            );
        }
    }
}
