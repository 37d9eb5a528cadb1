//! Stops in front of instructions, with guards that the kernel evaluates. A block begins at each, so that VMs can be taken up there; who is asks again.

use gpuvm_core::program::{Home, Program, Status};
use gpuvm_engine::{Check, CheckOp, Guard, Operand as Asked, Then};
use naga::{BinaryOperator, Block, Statement};

use super::super::code::Node;
use super::super::options::Options;
use super::Emitter;
use super::words::Operand;

/// The words that guards and a debugger may ask for where a VM is left, as bits, whether or not the program still needs them.
pub fn asked(program: &Program, options: &Options) -> impl Fn(u32) -> u32 {
    // Finding variables out takes its time.
    let map = (options.shows || !options.stops.is_empty()).then(|| program.variable_map());
    let words_at = move |at: u32| {
        let locations = map.iter().flat_map(|map| map.at(at));
        let homes = locations.flat_map(|location| location.homes);
        homes.fold(0, |words, home| match home {
            Home::Word(word) => words | 1_u32.checked_shl(word).unwrap_or(0),
            _ => words,
        })
    };
    move |at| {
        let stop = options.stops.binary_search_by_key(&at, |stop| stop.instruction);
        let stop = stop.ok().map(|number| &options.stops[number]);
        let guarded = stop.and_then(|stop| stop.guard.as_ref()).map_or(0, Guard::words);
        match options.shows || stop.is_some() {
            true => words_at(at) | guarded,
            false => 0,
        }
    }
}

impl Emitter<'_> {
    /// Whether VMs may stop where a block begins.
    pub fn may_stop_at(&self, block: usize) -> bool {
        self.stop_at(block).is_some()
    }

    fn stop_at(&self, block: usize) -> Option<usize> {
        self.options.stop_at(self.flow.blocks[block].start)
    }

    /// Stops a VM where a block begins, if it is to.
    pub fn stop_in_front(&mut self, block: usize) {
        let Some(number) = self.stop_at(block) else {
            return;
        };
        let stop = self.options.stops[number].clone();
        let live = self.live_at(stop.instruction);
        let checks: Vec<Check> = stop.guard.iter().flat_map(|guard| guard.checks()).copied().collect();
        let passes = self.local("passes");
        let zero = self.code.word(0);
        self.code.store(passes, zero);
        // What decides leaves it, so what is at hand in it is not behind it.
        let hand = self.hand.clone();
        let body = self.nested(|emitter| emitter.ask(&checks, passes));
        self.hand = hand;
        self.code.once(body);
        let decided = self.code.load(passes);
        let stops = self.code.binary(BinaryOperator::Equal, decided, zero);
        let stopped = self.nested(|emitter| {
            emitter.code.invoke("note_stop", &[]);
            let ip = emitter.code.word(stop.instruction);
            emitter.save(ip, Status::Running, live);
        });
        self.code.choose(stops, stopped, Block::new());
    }

    /// Writes checks one after the other. Where one says that the VM goes past, the variable becomes 1.
    fn ask(&mut self, checks: &[Check], passes: Node) {
        let mut pushed: Vec<Node> = Vec::new();
        for check in checks {
            let right = self.operand_of(check.right, &mut pushed);
            let left = self.operand_of(check.left, &mut pushed);
            let (result, none) = self.checked(check.op, left, right);
            if let Some(none) = none {
                self.code.when(none, |code| code.push(Statement::Break));
            }
            let zero = self.code.word(0);
            match check.then {
                Then::Push => pushed.push(result),
                Then::PassUnless => {
                    let past = self.code.binary(BinaryOperator::Equal, result, zero);
                    self.code.when(past, |code| {
                        let one = code.word(1);
                        code.store(passes, one);
                        code.push(Statement::Break);
                    });
                }
                Then::StopIf => {
                    let stops = self.code.binary(BinaryOperator::NotEqual, result, zero);
                    self.code.when(stops, |code| code.push(Statement::Break));
                }
            }
        }
    }

    fn operand_of(&mut self, operand: Asked, pushed: &mut Vec<Node>) -> Node {
        match operand {
            Asked::Constant(word) => self.code.word(word),
            Asked::Word(word) => self.w(Operand::Word(word)),
            Asked::Frame(offset) => self.frame_word(offset),
            Asked::VmId => self.vm_id(),
            Asked::VmCount => self.code.launch("vm_count"),
            Asked::Popped => pushed.pop().unwrap_or_else(|| self.code.word(0)),
        }
    }

    /// What a check gives, and whether there is none.
    fn checked(&mut self, op: CheckOp, x: Node, y: Node) -> (Node, Option<Node>) {
        use BinaryOperator as Op;

        let code = &mut self.code;
        let [zero, one, sign] = [0, 1, 1 << 31].map(|word| code.word(word));
        let flag = |this: &mut Self, truth: Node| this.code.select(truth, one, zero);
        match op {
            CheckOp::Eq | CheckOp::Ne | CheckOp::LtU | CheckOp::LeU => {
                let op = match op {
                    CheckOp::Eq => Op::Equal,
                    CheckOp::Ne => Op::NotEqual,
                    CheckOp::LtU => Op::Less,
                    _ => Op::LessEqual,
                };
                let truth = code.binary(op, x, y);
                (flag(self, truth), None)
            }
            CheckOp::LtS | CheckOp::LeS => {
                // Ordered like numbers without signs once the signs are flipped.
                let [x, y] = [x, y].map(|word| code.binary(Op::ExclusiveOr, word, sign));
                let op = if op == CheckOp::LtS { Op::Less } else { Op::LessEqual };
                let truth = code.binary(op, x, y);
                (flag(self, truth), None)
            }
            CheckOp::And => (code.binary(Op::And, x, y), None),
            CheckOp::Or => (code.binary(Op::InclusiveOr, x, y), None),
            CheckOp::Xor => (code.binary(Op::ExclusiveOr, x, y), None),
            CheckOp::AddU => {
                let sum = code.binary(Op::Add, x, y);
                (sum, Some(code.binary(Op::Less, sum, x)))
            }
            CheckOp::SubU => {
                let difference = code.binary(Op::Subtract, x, y);
                (difference, Some(code.binary(Op::Less, x, y)))
            }
            CheckOp::AddS | CheckOp::SubS => {
                let result = code.binary(if op == CheckOp::AddS { Op::Add } else { Op::Subtract }, x, y);
                let turned = code.binary(Op::ExclusiveOr, result, x);
                let other = match op {
                    CheckOp::AddS => code.binary(Op::ExclusiveOr, result, y),
                    _ => code.binary(Op::ExclusiveOr, x, y),
                };
                let both = code.binary(Op::And, turned, other);
                let flipped = code.binary(Op::And, both, sign);
                (result, Some(code.binary(Op::NotEqual, flipped, zero)))
            }
            CheckOp::RemU => {
                let none = code.binary(Op::Equal, y, zero);
                let by = code.select(none, one, y);
                (code.binary(Op::Modulo, x, by), Some(none))
            }
            CheckOp::LtF | CheckOp::LeF | CheckOp::EqF => {
                let [key_x, key_y] = [x, y].map(|bits| self.float_key(bits));
                let op = match op {
                    CheckOp::LtF => Op::Less,
                    CheckOp::LeF => Op::LessEqual,
                    _ => Op::Equal,
                };
                let truth = self.code.binary(op, key_x, key_y);
                let [none_x, none_y] = [x, y].map(|bits| self.is_no_number(bits));
                let none = self.code.binary(Op::LogicalOr, none_x, none_y);
                (flag(self, truth), Some(none))
            }
        }
    }

    /// A word that is ordered as the float of these bits.
    fn float_key(&mut self, bits: Node) -> Node {
        let [zero, sign, rest] = [0, 1 << 31, (1 << 31) - 1].map(|word| self.code.word(word));
        let magnitude = self.code.binary(BinaryOperator::And, bits, rest);
        let positive = self.code.binary(BinaryOperator::Add, magnitude, sign);
        let negative = self.code.binary(BinaryOperator::Subtract, sign, magnitude);
        let bit = self.code.binary(BinaryOperator::And, bits, sign);
        let is_negative = self.code.binary(BinaryOperator::NotEqual, bit, zero);
        self.code.select(is_negative, negative, positive)
    }

    fn is_no_number(&mut self, bits: Node) -> Node {
        let [rest, infinity] = [(1 << 31) - 1, 0x7f80_0000].map(|word| self.code.word(word));
        let magnitude = self.code.binary(BinaryOperator::And, bits, rest);
        self.code.binary(BinaryOperator::Greater, magnitude, infinity)
    }
}
