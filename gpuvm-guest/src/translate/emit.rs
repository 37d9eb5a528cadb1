//! What is the same of all machines: memory, leaving, the dispatch, the way from block to block.

use std::cell::RefCell;
use std::collections::BTreeSet;

use gpuvm::build::{Body, Label, Slice, SliceMut, Value, Variable};

use super::blocks::{Block, Flow, Instruction};
use crate::routines::coverage::{edge, edge_of};
use crate::routines::event::{BUDGET, CALL, CHANGED, Event, LEFT, Resume};
use crate::routines::layout::{
    CHANGES, FLAGS, OWN, OWN_TABLE, PAGE_BITS, PAGE_WORDS, PROGRAM, READ, WRITE, coverage_start,
};

/// An address, or another value of a register, as one or two words.
#[derive(Clone, Copy)]
pub(super) struct Wide<'b> {
    pub low: Value<'b, u32>,
    pub high: Option<Value<'b, u32>>,
}

/// The registers of a machine while its code is translated: variables of the routine, but for those that are rare.
pub(super) trait Processor<'b>: Sized {
    type Decoded: Copy;

    /// Takes them out of the record that the routine was given, those that the blocks use.
    fn new(f: &'b Body, record: Self::Record, blocks: &[Block<Self::Decoded>]) -> Self;

    /// The routine's first parameter.
    type Record: Copy;
    fn record(f: &'b Body) -> Self::Record;

    /// The next instruction's address.
    fn pc(&self) -> Wide<'b>;
    /// Lets an answer to a system call be where the guest looks for it.
    fn answered(&self, answer: Value<'b, u64>);
    /// Puts all into the record, with the next instruction's address and how many have been retired.
    fn close(&self, pc: Value<'b, u64>, retired: Value<'b, u32>);
    /// The number of a system call and its arguments.
    fn call(&self) -> (Value<'b, u64>, [Value<'b, u64>; 6]);

    /// An instruction that leads on.
    fn straight(&self, at: &At<'_, 'b>, decoded: Self::Decoded);
    /// Whether a branch is taken.
    fn condition(&self, decoded: Self::Decoded) -> Value<'b, bool>;
    /// Where an indirect jump leads.
    fn target(&self, decoded: Self::Decoded) -> Wide<'b>;
    /// Notes where a jump or a call came from.
    fn link(&self, decoded: Self::Decoded, next: u32);
}

/// How guests of a program see their memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Where the program's header is.
    pub header: u32,
    /// The first page of the table.
    pub base: u32,
    /// How many it has.
    pub pages: u32,
}

/// What is known where an instruction is translated.
pub(super) struct At<'e, 'b> {
    pub f: &'b Body,
    pub address: u32,
    emitter: &'e Emitter<'b>,
    view: View,
    /// How many instructions of the block, from this one on, have been counted as retired.
    counted: u32,
}

/// Where control goes.
#[derive(Clone, Copy)]
enum To {
    /// To a block.
    Block(Label),
    /// To the block at an address, by the dispatch.
    Dispatch(u32),
    /// Out of translated code, by a number.
    Exit(u32),
}

pub(super) struct Emitter<'b> {
    f: &'b Body,
    own: SliceMut<'b, u32>,
    shared: Slice<'b, u32>,
    left: Variable<'b, u32>,
    pc: Variable<'b, u32>,
    /// The high word of a jump that goes nowhere.
    beyond: Variable<'b, u32>,
    why: Variable<'b, u32>,
    /// The number of the way out that comes next.
    exit: Variable<'b, u32>,
    dispatch: Label,
    leave: Label,
    leave_by_number: Label,
    /// Ways out: the guest's address there, how many instructions that were counted are not retired, and why.
    exits: RefCell<Vec<[u32; 3]>>,
    /// The number of bits of a map of edges as a power of two.
    coverage: Option<u32>,
}

impl<'b> Emitter<'b> {
    fn exit(&self, pc: u32, back: u32, why: u32) -> To {
        let mut exits = self.exits.borrow_mut();
        let exit = [pc, back, why];
        if exits.last() != Some(&exit) {
            exits.push(exit);
        }
        To::Exit(exits.len() as u32 - 1)
    }

    fn go(&self, to: To) {
        match to {
            To::Block(label) => self.f.jump_to(label),
            To::Dispatch(address) => {
                self.pc.set(address);
                self.f.jump_to(self.dispatch);
            }
            To::Exit(number) => {
                self.exit.set(number);
                self.f.jump_to(self.leave_by_number);
            }
        }
    }

    /// Goes there where a condition holds. What says where is said in any case: it costs less than a block of its own.
    fn go_if(&self, condition: Value<'b, bool>, to: To) {
        let label = match to {
            To::Block(label) => label,
            To::Dispatch(address) => {
                self.pc.set(address);
                self.dispatch
            }
            To::Exit(number) => {
                self.exit.set(number);
                self.leave_by_number
            }
        };
        self.f.jump_if(condition, label);
    }
}

impl<'b> At<'_, 'b> {
    /// Where the guest leaves before this instruction, which is then the emulator's.
    fn refuse(&self) -> To {
        self.emitter.exit(self.address, self.counted, LEFT)
    }

    /// The guest leaves if something does not hold.
    pub fn leave_unless(&self, condition: Value<'b, bool>) {
        self.emitter.go_if(!condition, self.refuse());
    }

    /// The entry of a page, and where in its words an address is. The guest leaves if it may not do there what is asked, or not that fast.
    fn find(&self, address: Wide<'b>, size: u32, pair: bool, flags: u32) -> (Value<'b, u32>, Value<'b, u32>) {
        let low = address.low;
        let page = (low >> PAGE_BITS) - self.view.base;
        // Behind the table's entries is one of no page.
        let page = page.min(self.view.pages);
        let entry = self.emitter.own.inside(page + OWN_TABLE).get();
        let mut wrong = (entry & flags) ^ flags;
        if size > 0 {
            wrong = wrong | (low & ((1 << size) - 1));
        }
        if let Some(high) = address.high {
            wrong = wrong | high;
        }
        if pair {
            // The second one is in the same page.
            let last = (PAGE_WORDS * 4 - 1) & !((1 << size) - 1);
            wrong = wrong | (low & last).eq(last).cast::<u32>();
        }
        self.emitter.go_if(wrong.ne(0), self.refuse());
        let at = (entry & !FLAGS) | ((low >> 2) & (PAGE_WORDS - 1));
        (entry, at)
    }

    /// Loads words of a page, one behind the other.
    fn words<const N: usize>(&self, (entry, at): (Value<'b, u32>, Value<'b, u32>)) -> [Value<'b, u32>; N] {
        let emitter = self.emitter;
        let from = emitter.own.read_only().or((entry & OWN).ne(0), emitter.shared);
        std::array::from_fn(|k| from.inside(at + k as u32).get())
    }

    /// Loads the `1 << size` bytes at an address, four of them at most, below zeros.
    pub fn load(&self, address: Wide<'b>, size: u32) -> Value<'b, u32> {
        let [word] = self.words(self.find(address, size, false, READ));
        match size {
            2 => word,
            _ => (word >> ((address.low & 3) * 8)) & ((1 << (8 << size)) - 1),
        }
    }

    /// Loads eight bytes.
    pub fn load_double(&self, address: Wide<'b>) -> Value<'b, u64> {
        let [low, high] = self.words(self.find(address, 3, false, READ));
        low.cast::<u64>() | high.cast::<u64>() << 32
    }

    /// Loads two of four or of eight bytes.
    pub fn load_pair(&self, address: Wide<'b>, size: u32) -> [Value<'b, u64>; 2] {
        let place = self.find(address, size, true, READ);
        if size == 2 {
            return self.words::<2>(place).map(Value::cast);
        }
        let [a, b, c, d] = self.words(place).map(Value::cast::<u64>);
        [a | b << 32, c | d << 32]
    }

    /// Stores the low `1 << size` bytes of a value, eight of them at most.
    pub fn store(&self, address: Wide<'b>, size: u32, value: Value<'b, u64>) {
        let (_, at) = self.find(address, size, false, WRITE | OWN);
        self.put(address, at, size, value);
    }

    /// Stores two values of four or of eight bytes.
    pub fn store_pair(&self, address: Wide<'b>, size: u32, values: [Value<'b, u64>; 2]) {
        let (_, at) = self.find(address, size, true, WRITE | OWN);
        for (k, value) in (0u32..).zip(values) {
            self.put(address, at + k * (1 << (size - 2)), size, value);
        }
    }

    fn put(&self, address: Wide<'b>, at: Value<'b, u32>, size: u32, value: Value<'b, u64>) {
        let own = self.emitter.own;
        let low = value.cast::<u32>();
        if size < 2 {
            let by = (address.low & 3) * 8;
            let mask = (1u32 << (8 << size)) - 1;
            let place = own.inside(at);
            let word = place.get() & !(self.f.constant(mask) << by);
            place.set(word | (low & mask) << by);
            return;
        }
        own.inside(at).set(low);
        if size == 3 {
            own.inside(at + 1).set((value >> 32).cast::<u32>());
        }
    }
}

/// How guests get from block to block.
#[derive(Clone, Copy)]
pub(super) struct Ways<'w> {
    /// Blocks to which the dispatch leads.
    pub entries: &'w BTreeSet<usize>,
    /// Edges that go by way of the dispatch.
    pub routed: &'w BTreeSet<(usize, usize)>,
    /// Which blocks ask whether the budget lasts, and for how many instructions.
    pub asked: &'w [Option<u32>],
}

/// Makes the routine of blocks.
pub(super) fn emit<'b, P: Processor<'b>>(
    f: &'b Body,
    views: &[View],
    blocks: &[Block<P::Decoded>],
    Ways { entries, routed, asked }: Ways<'_>,
    coverage: Option<u32>,
) {
    let record = P::record(f);
    let own = f.slice_mut::<u32>("own");
    let shared = f.slice::<u32>("shared");
    let resume = f.param::<Resume>("resume");
    f.if_(!resume.field::<bool>("go"), |f| f.ret(f.constant(Event::none())));
    let processor = P::new(f, record, blocks);
    f.if_(resume.field::<bool>("answered"), |_| {
        processor.answered(resume.field("answer"));
    });
    let budget = resume.field::<u32>("budget");
    let start = processor.pc();
    let emitter = Emitter {
        f,
        own,
        shared,
        left: f.variable("left", budget),
        pc: f.variable("pc", start.low),
        beyond: f.variable("beyond", start.high.unwrap_or_else(|| f.constant(0))),
        why: f.variable("why", LEFT),
        exit: f.variable("exit", 0u32),
        dispatch: f.label(),
        leave: f.label(),
        leave_by_number: f.label(),
        exits: RefCell::new(Vec::new()),
        coverage,
    };
    let program = f.variable("program", own.get(PROGRAM as u32));
    f.if_(own.get(CHANGES as u32).ne(0), |f| {
        emitter.why.set(CHANGED);
        f.jump_to(emitter.leave);
    });
    f.jump_if(emitter.beyond.get().ne(0), emitter.leave);

    let labels: Vec<Label> = blocks.iter().map(|_| f.label()).collect();
    f.place(emitter.dispatch);
    let mut by_program: Vec<Vec<(u32, Label)>> = vec![Vec::new(); views.len()];
    for &entry in entries {
        let block = &blocks[entry];
        by_program[block.program].push((block.address(), labels[entry]));
    }
    for places in &mut by_program {
        places.sort_by_key(|(address, _)| *address);
    }
    let programs: Vec<(View, Vec<(u32, Label)>)> = views.iter().copied().zip(by_program).collect();
    choose_program(&emitter, program, &programs);
    for (index, block) in blocks.iter().enumerate() {
        f.place(labels[index]);
        let to = |to: (u32, Option<usize>)| match to {
            (_, Some(next)) if !routed.contains(&(index, next)) => To::Block(labels[next]),
            (address, Some(_)) => To::Dispatch(address),
            (address, None) => emitter.exit(address, 0, LEFT),
        };
        emitter.block(&processor, block, asked[index], views[block.program], &to);
    }
    emitter.finish(&processor, budget);
}

/// Goes to the block at `pc` of the guest's program, or leaves.
fn choose_program<'b>(emitter: &Emitter<'b>, program: Variable<'b, u32>, programs: &[(View, Vec<(u32, Label)>)]) {
    let f = emitter.f;
    match programs {
        [] => f.jump_to(emitter.leave),
        [(_, entries)] => choose(emitter, entries),
        _ => {
            let (before, after) = programs.split_at(programs.len() / 2);
            let first = after.first().map_or(0, |(view, _)| view.header);
            f.if_else(
                program.get().lt(first),
                |_| choose_program(emitter, program, before),
                |_| choose_program(emitter, program, after),
            );
        }
    }
}

/// Goes to the one of some blocks that is at `pc`, or leaves.
fn choose(emitter: &Emitter<'_>, entries: &[(u32, Label)]) {
    let f = emitter.f;
    match entries {
        [] => f.jump_to(emitter.leave),
        [(address, label)] => {
            f.jump_if(emitter.pc.get().eq(*address), *label);
            f.jump_to(emitter.leave);
        }
        _ => {
            let (before, after) = entries.split_at(entries.len() / 2);
            let first = after.first().map_or(0, |(address, _)| *address);
            f.if_else(
                emitter.pc.get().lt(first),
                |_| choose(emitter, before),
                |_| choose(emitter, after),
            );
        }
    }
}

impl<'b> Emitter<'b> {
    fn block<P: Processor<'b>>(
        &self,
        processor: &P,
        block: &Block<P::Decoded>,
        asked: Option<u32>,
        view: View,
        to: &dyn Fn((u32, Option<usize>)) -> To,
    ) {
        let f = self.f;
        let retired = block.retired();
        f.at("guest", block.address());
        f.scope(|_| {
            let left = self.left.get();
            if let Some(asked) = asked {
                let short = self.exit(block.address(), 0, BUDGET);
                self.go_if(left.cast::<i32>().lt(asked as i32), short);
            }
            self.left.set(left - retired);
        });
        for (index, instruction) in block.code.iter().enumerate() {
            f.at("guest", instruction.address);
            let at = At {
                f,
                address: instruction.address,
                emitter: self,
                view,
                counted: retired - (index as u32).min(retired),
            };
            f.scope(|_| self.instruction(processor, instruction, &at, block, to));
        }
        // A block that ends because another one begins.
        if let (Some(last), [next]) = (block.code.last(), block.next.as_slice())
            && last.flow == Flow::Next
        {
            self.go(to(*next));
        }
    }

    fn instruction<P: Processor<'b>>(
        &self,
        processor: &P,
        instruction: &Instruction<P::Decoded>,
        at: &At<'_, 'b>,
        block: &Block<P::Decoded>,
        to: &dyn Fn((u32, Option<usize>)) -> To,
    ) {
        let f = self.f;
        let (from, next) = (instruction.address, instruction.next());
        match instruction.flow {
            Flow::Next => processor.straight(at, instruction.decoded),
            Flow::Jump(_) | Flow::Call(_) => {
                processor.link(instruction.decoded, next);
                if let [only] = block.next.as_slice() {
                    self.cover(at.view, from, only.0);
                    self.go(to(*only));
                }
            }
            Flow::Branch(_) => {
                let condition = processor.condition(instruction.decoded);
                if let [taken, otherwise] = block.next.as_slice() {
                    if self.coverage.is_none() {
                        self.go_if(condition, to(*taken));
                    } else {
                        f.if_(condition, |_| {
                            self.cover(at.view, from, taken.0);
                            self.go(to(*taken));
                        });
                    }
                    self.cover(at.view, from, otherwise.0);
                    self.go(to(*otherwise));
                }
            }
            Flow::Indirect { .. } | Flow::Return => {
                let target = processor.target(instruction.decoded);
                self.pc.set(target.low);
                processor.link(instruction.decoded, next);
                if let Some(bits) = self.coverage {
                    let place = edge_of(f, from, target.low, bits);
                    self.mark(at.view, place >> 5, f.constant(1u32) << (place & 31));
                }
                if let Some(high) = target.high {
                    self.beyond.set(high);
                    f.if_(high.ne(0), |f| {
                        self.why.set(LEFT);
                        f.jump_to(self.leave);
                    });
                }
                f.jump_to(self.dispatch);
            }
            Flow::System => {
                self.go(self.exit(next, 0, CALL));
            }
            Flow::Leave => {
                self.go(at.refuse());
            }
        }
    }

    /// Notes that an edge was taken.
    fn cover(&self, view: View, from: u32, to: u32) {
        if let Some(bits) = self.coverage {
            let place = edge(from, to, bits);
            self.mark(view, self.f.constant(place >> 5), self.f.constant(1 << (place & 31)));
        }
    }

    fn mark(&self, view: View, word: Value<'b, u32>, bit: Value<'b, u32>) {
        let place = self.own.inside(word + coverage_start(view.pages));
        place.set(place.get() | bit);
    }

    /// Writes what is out of the way, and the end.
    fn finish<P: Processor<'b>>(&self, processor: &P, budget: Value<'b, u32>) {
        let f = self.f;
        f.place(self.leave_by_number);
        let mut table = self.exits.take();
        if table.is_empty() {
            table.push([0; 3]);
        }
        let entry = f.table(&table).get(self.exit.get());
        self.pc.set(entry.element(0));
        self.left.set(self.left.get() + entry.element::<u32>(1));
        self.why.set(entry.element(2));
        f.place(self.leave);
        let retired = budget - self.left.get();
        let pc = self.pc.get().cast::<u64>() | self.beyond.get().cast::<u64>() << 32;
        processor.close(pc, retired);
        let (number, arguments) = processor.call();
        let arguments = f.make::<[u64; 6]>(arguments.as_slice());
        f.ret(f.make::<Event>((self.why.get(), retired, pc, number, arguments)));
    }
}
