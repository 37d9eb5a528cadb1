//! Lets routines be told an index and a count: each function that asks for its VM's number or the number of VMs, or calls one that does, gets
//! two more parameters. That works for calls that stay calls as well, recursive ones among them.

use crate::ir::{Function, Inst, Word};
use crate::isa::Op;
use crate::link::graph::CallGraph;

/// Gives functions the index and the count as their last two parameters, in place of asking the VM; says which ones.
pub(crate) fn pass_identity(functions: &mut [Function], graph: &CallGraph) -> Vec<bool> {
    let asking = asking(functions, graph);
    for (function, _) in functions.iter_mut().zip(&asking).filter(|(_, asks)| **asks) {
        let identity = [function.new_word(), function.new_word()];
        function.params.extend(identity);
        for inst in function.blocks.iter_mut().flat_map(|block| &mut block.code) {
            tell(inst, identity, &asking);
        }
    }
    asking
}

/// Puts the words in place of a question, or adds them to a call.
fn tell(inst: &mut Inst, [index, count]: [Word; 2], asking: &[bool]) {
    match inst.op {
        Op::VmId => inst.make_copy(index),
        Op::VmCount => inst.make_copy(count),
        Op::Call if asking[inst.imm as usize] => {
            inst.call.get_or_insert_default().args.extend([index, count]);
        }
        _ => {}
    }
}

/// Which functions ask, or call one that does.
fn asking(functions: &[Function], graph: &CallGraph) -> Vec<bool> {
    let asks = |function: &Function| {
        let mut code = function.blocks.iter().flat_map(|block| &block.code);
        code.any(|inst| matches!(inst.op, Op::VmId | Op::VmCount))
    };
    let mut asking: Vec<bool> = functions.iter().map(asks).collect();
    // Callees come first, so that one turn is enough but for circles.
    loop {
        let before = asking.clone();
        for &f in &graph.order {
            asking[f] |= graph.calls[f].iter().any(|&callee| asking[callee]);
        }
        if asking == before {
            return asking;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};
    use crate::ir::{CallWords, End};

    fn call(callee: u32) -> Inst {
        let mut call = assemble("call 0 0 0").remove(0);
        (call.imm, call.extra) = (callee, 0);
        call.call = Some(Box::default());
        call
    }

    #[test]
    fn who_calls_one_that_asks_is_told() {
        let mut functions = [(); 4].map(|()| blocks(vec![End::Return(vec![])]));
        functions[0].blocks[0].code = vec![call(1), call(2)];
        functions[1].blocks[0].code = vec![call(3), call(1)];
        functions[2].blocks[0].code = assemble("imm 1 7");
        functions[3].blocks[0].code = assemble("vmid 1; vmcount 2");
        let graph = CallGraph::of(functions.iter());
        assert_eq!(pass_identity(&mut functions, &graph), [true, true, false, true]);
        let told = CallWords {
            args: vec![64, 65],
            results: vec![],
        };
        let calls = |f: usize| functions[f].blocks[0].code.iter().map(|inst| inst.call.as_deref());
        let plain = CallWords::default();
        assert!(calls(0).eq([Some(&told), Some(&plain)]));
        assert!(calls(1).eq([Some(&told), Some(&told)]));
        assert_eq!(functions[3].blocks[0].code, assemble("mov 1 64; mov 2 65"));
        assert_eq!(
            (&functions[2].params[..], &functions[3].params[..]),
            (&[][..], &[64, 65][..])
        );
    }
}
