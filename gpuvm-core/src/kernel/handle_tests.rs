//! Kernels whose VMs handle messages: what the handler alone does with one message after the other.

use std::sync::PoisonError;

use proptest::prelude::*;

use super::routines::*;
use super::testing::*;
use super::*;
use crate::isa::{NO_WORD, Op};
use crate::link::random::random;
use crate::link::testing::{Callees, TURN, leak, result, routine};
use crate::link::tests::{all_settings, i, nothing};
use crate::routine::Routine;
use crate::settings::Settings;
use crate::types::VmType;

/// A handler's kernel, with the launch parameters that fit it.
fn kernel<S: VmType, M: VmType, A: VmType>(routine: &'static Routine) -> Kernel {
    let params = [
        types::<&mut [S]>(),
        types::<&[(u32, u32, u32)]>(),
        types::<&[M]>(),
        types::<&mut [A]>(),
        types::<&mut [u32]>(),
        types::<&mut [u32]>(),
        types::<u64>(),
        types::<&mut u32>(),
        types::<&mut bool>(),
        types::<&mut [(u32, M)]>(),
    ];
    Kernel::handler(routine, params, 0, &[])
}

/// The arguments: states, mail, messages, and room for so many words of answers.
fn args(states: (&[u32], u32), mail: &[[u32; 3]], messages: (&[u32], u32), answers: u32) -> Vec<Argument> {
    let count = messages.0.len() as u32 / messages.1;
    vec![
        Argument::whole(states.0, states.1),
        Argument::whole(mail.as_flattened(), 3),
        Argument::whole(messages.0, messages.1),
        Argument::whole(&vec![9; (count * answers) as usize], answers.max(1)),
        Argument::whole(&vec![0; mail.len()], 1),
        Argument::whole(&vec![0; states.0.len() / states.1 as usize], 1),
    ]
}

/// A state of a total and how many messages came. `None` asks for the total; `Some(x)` makes it
/// `(total * 31 ^ x) + vm::id() + 1000 * vm::count()`, after a trap where `x` is 77.
fn tally() -> &'static Routine {
    let code = vec![
        i(Op::Load, 4, 0, 1, 0),
        i(Op::Load, 5, 0, 1, 1),
        i(Op::AddImm, 5, 5, 1, 0),
        i(Op::Store, 5, 0, 1, 1),
        i(Op::JumpIf, 8, 2, 0, 0),
        i(Op::Imm, 6, 1, 0, 0),
        i(Op::Mov, 7, 4, 0, 0),
        ret(6),
        i(Op::XorImm, 8, 3, 77, 0),
        i(Op::Imm, 6, 0, 0, 0),
        i(Op::Eq, 8, 8, 6, 0),
        i(Op::TrapIf, 2, 8, 3, NO_WORD),
        i(Op::MulImm, 4, 4, 31, 0),
        i(Op::Xor, 4, 4, 3, 0),
        i(Op::VmId, 8, 0, 0, 0),
        i(Op::Add, 4, 4, 8, 0),
        i(Op::VmCount, 8, 0, 0, 0),
        i(Op::MulImm, 8, 8, 1000, 0),
        i(Op::Add, 4, 4, 8, 0),
        i(Op::Store, 4, 0, 1, 0),
        i(Op::Imm, 7, 0, 0, 0),
        ret(6),
    ];
    let params = vec![types::<&mut (u32, u32)>(), types::<Option<u32>>()];
    leak(routine("tally", params, result::<Option<u32>>(), 9, code, vec![]))
}

/// What [`tally`] does, in Rust; `None` where it traps.
fn tally_in_rust(state: &mut [u32], message: Option<u32>, actor: u32, actors: u32) -> Option<Option<u32>> {
    state[1] += 1;
    match message {
        None => Some(Some(state[0])),
        Some(77) => None,
        Some(x) => {
            state[0] = (state[0].wrapping_mul(31) ^ x).wrapping_add(actor + 1000 * actors);
            Some(None)
        }
    }
}

#[test]
fn actors_handle_their_messages_in_order() {
    let (some, none) = (|x| Some(x), None);
    let messages = [
        some(5),
        none,
        some(6),
        some(7),
        none,
        some(8),
        some(77),
        some(9),
        none,
        some(1),
    ];
    let words: Vec<u32> = messages
        .iter()
        .flat_map(|m| [u32::from(m.is_some()), m.unwrap_or(0)])
        .collect();
    // Six actors, four of them with mail, one of these without messages; actor 3 traps in its second of four.
    let mail = [[4, 0, 3], [0, 3, 5], [2, 5, 5], [3, 5, 9]];
    let states = numbers(12);
    let args = args((&states, 2), &mail, (&words, 2), 2);
    let kernel = kernel::<(u32, u32), Option<u32>, Option<u32>>(tally());
    let (left, traps) = agree(&kernel, &args, 6, &all_settings());

    let (mut states, mut answers, mut handled) = (states, vec![9; words.len()], vec![0; mail.len()]);
    for (vm, &[actor, first, end]) in mail.iter().enumerate() {
        for message in first..end {
            let state = &mut states[2 * actor as usize..][..2];
            let Some(answer) = tally_in_rust(state, messages[message as usize], actor, 6) else {
                break;
            };
            let at = 2 * message as usize;
            answers[at..at + 2].copy_from_slice(&[u32::from(answer.is_some()), answer.unwrap_or(0)]);
            handled[vm] += 1;
        }
    }
    assert_eq!(handled, [3, 2, 0, 1]);
    // The one that trapped stays busy.
    let busy = vec![0, 0, 0, 1, 0, 0];
    assert_eq!(
        (&left[0].words, &left[3].words, &left[4].words, &left[5].words),
        (&states, &answers, &handled, &busy)
    );
    assert_eq!(traps.len(), 1);
    assert_eq!((traps[0].vm, traps[0].line, traps[0].words[0]), (3, 2, 77));
}

#[test]
fn busy_actors_are_left_alone() {
    let mail = [[1, 0, 2], [0, 2, 3]];
    let mut args = args((&[5, 0, 7, 0], 2), &mail, (&[1, 3, 0, 0, 1, 4], 2), 2);
    args[5] = Argument::whole(&[0, 1], 1);
    let kernel = kernel::<(u32, u32), Option<u32>, Option<u32>>(tally());
    let (left, _) = agree(&kernel, &args, 2, &all_settings());
    assert_eq!(left[0].words[2..], [7, 0]);
    assert_eq!(left[0].words[1], 1);
    assert_eq!((&left[4].words[..], &left[5].words[..]), (&[0, 1][..], &[0, 1][..]));
}

#[test]
fn a_handler_may_answer_nothing() {
    // fn last(state: &mut u32, message: (u32, u32)) { *state = message.1 - message.0 }
    let code = vec![i(Op::Sub, 4, 3, 2, 0), i(Op::Store, 4, 0, 1, 0), ret(4)];
    let params = vec![types::<&mut u32>(), types::<(u32, u32)>()];
    let last = leak(routine("last", params, result::<()>(), 5, code, vec![]));
    let kernel = kernel::<u32, (u32, u32), ()>(last);
    let args = args((&[7, 7, 7], 1), &[[2, 0, 2], [0, 2, 3]], (&[1, 5, 2, 9, 4, 6], 2), 0);
    let (left, _) = agree(&kernel, &args, 3, &all_settings());
    assert_eq!((&left[0].words[..], &left[4].words[..]), (&[2, 7, 7][..], &[2, 1][..]));
}

#[test]
fn a_message_costs_what_its_handler_does() {
    // fn add(state: &mut u32, message: u32) -> u32 { *state += message; *state }
    let code = vec![
        i(Op::Load, 3, 0, 1, 0),
        i(Op::Add, 3, 3, 2, 0),
        i(Op::Store, 3, 0, 1, 0),
        ret(3),
    ];
    let params = vec![types::<&mut u32>(), types::<u32>()];
    let add = leak(routine("add", params, result::<u32>(), 4, code, vec![]));
    let program = program(&kernel::<u32, u32, u32>(add), &Settings::default());
    let code = &program.code;
    let back = code.iter().position(|i| i.opcode == Op::JumpIf.code()).expect("a loop");
    let turn = &code[code[back].operands[0] as usize..=back];
    // Three for the handler; two for the message, two for the answer, two for the count, three for the loop.
    assert_eq!(turn.len(), 12, "{}", program.disassemble());
}

#[test]
fn what_does_not_fit_a_handler_is_refused_with_a_reason() {
    let change = |change: fn(&mut Kernel)| {
        let mut kernel = kernel::<(u32, u32), Option<u32>, Option<u32>>(tally());
        change(&mut kernel);
        refused(&kernel)
    };
    fn after(kernel: &mut Kernel, args: Vec<Input>) {
        if let Some(Then::Handle { after, .. }) = &mut kernel.then {
            let routine = keep().into();
            *after = Some(Call { routine, args });
        }
    }
    let halts = |kernel: &mut Kernel| {
        let params = kernel.calls[0].routine.params.to_vec();
        let code = vec![i(Op::Halt, 0, 0, 0, 0)];
        kernel.calls[0].routine = leak(routine("stops", params, result::<Option<u32>>(), 6, code, vec![])).into();
    };
    let reasons = [
        change(|k| k.params[0] = types::<&[(u32, u32)]>()),
        change(|k| k.params[0] = types::<&mut [u32]>()),
        change(|k| k.params[1] = types::<&[u32]>()),
        change(|k| k.params[1] = types::<u32>()),
        change(|k| k.params[2] = types::<&[u32]>()),
        change(|k| k.params[3] = types::<&mut [u32]>()),
        change(|k| k.params[4] = types::<&[u32]>()),
        change(|k| k.params[5] = types::<&[u32]>()),
        change(|k| k.stores[0] = output(Input::Constant(vec![0, 0]), 0)),
        change(|k| k.calls[0].args[0] = Input::Room(2)),
        change(|k| k.then = None),
        change(halts),
        change(|k| after(k, vec![])),
        change(|k| after(k, vec![Input::Param(4)])),
        change(|k| {
            if let Some(Then::Handle { around, .. }) = &mut k.then {
                let [now, sent, stopped, letters] = [4; 4];
                *around = Some(Around {
                    now,
                    sent,
                    stopped,
                    letters,
                    sends: 1,
                });
            }
        }),
    ];
    assert_eq!(
        reasons,
        [
            "call 0 of `tally`: argument 0: it is `&(u32, u32)`, and `&mut (u32, u32)` is needed",
            "call 0 of `tally`: argument 0: it is `&mut u32`, and `&mut (u32, u32)` is needed",
            "parameter 1 is a column of `u32`, and `(u32, u32, u32)` is needed",
            "parameter 1, for the mail, is no `&[T]`",
            "call 0 of `tally`: argument 1: it is `u32`, and `Option` is needed",
            "the value for parameter 3: it is `Option`, and `u32` is needed",
            "parameter 4 is no `&mut [T]`, so that elements cannot be stored to it",
            "parameter 5 is no `&mut [T]`, so that elements cannot be stored to it",
            "parameter 0 cannot be the actors' states and a column to store to as well",
            "call 0 of `tally`: argument 0: it is `&Option`, and `&mut (u32, u32)` is needed",
            "call 0 of `tally`: argument 0: it does not exist",
            "`stops` can halt its VM, and the messages after it would be lost: return instead",
            "`keep` after the messages: argument 0 is no `&mut u32`",
            "`keep` after the messages: it has 3 arguments and takes 2",
            "parameter 4, around the messages, is no `u64`",
        ]
    );
}

/// `fn keep(state: &mut u32, message: u32) -> u32 { *state = callee(*state, message); *state + message }`
fn keep() -> &'static Routine {
    let code = vec![
        i(Op::Load, 3, 0, 1, 0),
        i(Op::Mov, 4, 2, 0, 0),
        i(Op::Call, 0, 3, 5, 0),
        i(Op::Store, 5, 0, 1, 0),
        i(Op::Add, 5, 5, 2, 0),
        ret(5),
    ];
    let params = vec![types::<&mut u32>(), types::<u32>()];
    leak(routine("keep", params, result::<u32>(), 6, code, vec![Callees::get(2)]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn random_handlers_are_themselves_message_by_message(
        tape in prop::collection::vec(any::<u32>(), 0..200),
        states in prop::collection::vec(any::<u32>(), 4),
        mail in prop::collection::vec(0..4u32, 0..4),
        setting in any::<prop::sample::Index>(),
    ) {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let (callees, own) = tape.split_at(tape.len() / 2);
        Callees::set(0, step());
        Callees::set(1, random("helper", 2, result::<u32>(), callees, 1));
        Callees::set(2, random("inner", 2, result::<u32>(), own, 2));
        // VM v has so many messages for actor 3 - v.
        let mut count = 0;
        let mail: Vec<[u32; 3]> = (0..).zip(&mail).map(|(vm, &more)| {
            count += more;
            [3 - vm, count - more, count]
        }).collect();
        let args = args((&states, 1), &mail, (&numbers(count + 1)[1..], 1), 1);
        let settings = [nothing(), Settings::default(), setting.get(&all_settings()).clone()];
        agree(&kernel::<u32, u32, u32>(keep()), &args, 4, &settings);
    }
}
