//! Writes a program's code as a naga function: a VM's words are variables of the function, and its instructions expressions.
//!
//! There are two forms. Structured code has loops and branches where the program has them. Where the program recurses, or jumps
//! into the middle of a loop, a loop around a switch over the blocks takes its place.
//!
//! Either is made twice. The *fresh* function starts all VMs at the entry. The *resumed* one takes up VMs that were stopped: in
//! structured code it walks to the place in question past everything in between, which costs nothing once it is there.

mod ahead;
mod arithmetic;
mod atomic;
mod blocks;
mod early;
mod float;
mod guard;
mod instruction;
mod later;
mod long;
mod memory;
mod proof;
mod state;
mod steps;
mod stop;
mod switch;
mod tile;
mod words;

use std::collections::{HashMap, HashSet};

use gpuvm_core::isa::WORDS;
use gpuvm_core::program::Program;
use gpuvm_core::specialise::flow::Flow;
use gpuvm_core::specialise::propagation::{Fact, Facts, facts};
use gpuvm_core::specialise::structure::structure;
use gpuvm_core::specialise::unroll::unroll;
use naga::{Function, Module};

use super::base::{Base, RUN, THEN};
use super::code::{Code, Node};
use super::exits::unify_loop_exits;
use super::exits_first::put_exits_first;
use super::options::Options;
use early::{Early, Prefetch, Refills};
use later::Later;
use proof::{Said, Sum};
use state::Frame;
use words::Hand;

/// Which VMs the function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// Those that have not started.
    Fresh,
    /// Those that have not started, of a joined job.
    Joined,
    /// Those that have not started, several of an invocation: what each stores is left for when all of them have run.
    Several,
    /// Those that have been stopped.
    Resumed,
    /// Those whose elements go through tiles: what they store to this launch parameter stays with the invocation.
    Tile(u32),
    /// None: the program is an operator on what is with the invocation, by its three launch parameters.
    Operator,
}

/// What is known of the function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Whether a VM can be stopped before its end: there is a loop, a call or a yield.
    pub suspends: bool,
    /// Whether a VM can trap.
    pub traps: bool,
    /// The instructions at which a stopped VM can be taken up.
    pub entries: Vec<u32>,
    /// Whether it loads words of the arena.
    pub loads: bool,
    /// Whether it stores any.
    pub stores: bool,
    /// Whether it adds to atomics when it has run.
    pub adds: bool,
    /// Whether frames are in memory while VMs run, and not only when they have stopped.
    pub uses_frames: bool,
}

/// A program for several VMs of an invocation.
pub struct Several {
    /// The program, which leaves what it stores for later.
    pub run: Function,
    /// What stores that.
    pub then: Function,
    /// Words that are left.
    pub words: u32,
    pub about: About,
}

/// The function under construction.
struct Emitter<'a> {
    program: &'a Program,
    options: &'a Options,
    base: &'a Base,
    start: Start,
    flow: &'a Flow,
    /// What is known when each block begins.
    known: Vec<Facts>,
    /// The words that matter when each block begins.
    live: Vec<u32>,
    /// The same by the number of the block's first instruction.
    live_at: HashMap<u32, u32>,
    /// The instructions that make words which nobody reads.
    unread: HashSet<u32>,
    /// What is known at the instruction at hand, but for what is in `hand`.
    facts: Facts,
    code: Code<'a>,
    hand: Hand,
    /// Words whose variables are behind.
    dirty: u32,
    locals: [Option<Node>; WORDS],
    frame: Frame,
    /// Iterations that are left, in programs that loop.
    fuel: Option<Node>,
    depth: Option<Node>,
    /// The number of a place on the way to which control is.
    leaving: Option<Node>,
    /// Where a VM that is taken up has to go, [`NOWHERE`](steps::NOWHERE) once it is there.
    goal: Option<Node>,
    /// The frame base, counted from the end of the call stack, and the calls, in programs that call.
    stack: Option<[Node; 2]>,
    /// Where the VM has trapped in this block, or [`NOWHERE`](steps::NOWHERE), if traps are [left to the end of it](Options::software).
    trapped: Option<Node>,
    /// Whether it may have.
    may_have_trapped: bool,
    /// The words that the program uses.
    used: u32,
    about: About,
    sums: HashMap<Node, Sum>,
    lengths: HashMap<Node, u32>,
    /// Expressions that are lengths of subslices, and what an index is below that is below one of them.
    subslices: HashMap<Node, proof::Bound>,
    /// What words are at most, where their own operation says so.
    most: HashMap<Node, u32>,
    said: HashMap<Node, Said>,
    early: Early,
    /// Of the loop that begins here, if it has one.
    prefetch: Option<Prefetch>,
    refills: Refills,
    later: Later,
    /// Whether the step at hand is a part of another one, so that some VMs do not come to it.
    within: bool,
    /// Whether the code at hand goes on behind a trap.
    goes_on: bool,
}

/// Writes a program as a function.
pub fn emit(program: &Program, options: &Options, base: &Base, module: &mut Module, start: Start) -> (Function, About) {
    let Several { run, about, .. } = write(program, options, base, module, start).0;
    (run, about)
}

/// Writes a program for several VMs of an invocation; `None` if what it stores cannot wait.
pub fn emit_several(program: &Program, options: &Options, base: &Base, module: &mut Module) -> Option<Several> {
    let (several, fits) = write(program, options, base, module, Start::Several);
    fits.then_some(several)
}

/// Writes a program, with what it leaves for later, and says whether all that may be left has been.
fn write(program: &Program, options: &Options, base: &Base, module: &mut Module, start: Start) -> (Several, bool) {
    // Ends that are alike stay apart where VMs may stop at one of them.
    let is_plain = options.stops.is_empty() && !options.shows;
    let cut = Flow::cut_at(program, options.stops.iter().map(|stop| stop.instruction));
    let whole = match is_plain {
        true => cut.with_shared_tails(program),
        false => cut,
    };
    let live = whole.live_with(program, guard::asked(program, options));
    let unread = whole.unread(program, &live);
    let blocks = whole.blocks.iter().zip(live);
    let live_at: HashMap<u32, u32> = blocks.map(|(block, live)| (block.start, live)).collect();
    let flow = match start {
        Start::Fresh | Start::Several | Start::Joined | Start::Tile(_) | Start::Operator if !whole.calls => {
            whole.without_return_from_yields()
        }
        _ => whole,
    };
    let used = (0..program.code.len() as u32).fold(0, |used, ip| {
        let (uses, defs) = gpuvm_core::specialise::flow::words_of(program, ip);
        used | uses | defs
    });
    let live = |start: u32| live_at.get(&start).copied().unwrap_or(used);
    let structured = |flow: Flow| {
        let flow = flow.with_switches(program, &options.known, live, |start| options.stop_at(start).is_some());
        structure(&flow).map(|steps| (flow, steps))
    };
    let mut found = structured(flow.clone());
    // Who is taken up where VMs may stop goes past all that stands before it, which copies would make long.
    if found.is_some() && (is_plain || start == Start::Fresh) {
        let mut unrolled = flow.clone();
        unroll(&mut unrolled, program, &options.known, options.software);
        found = structured(unrolled).or(found);
    }
    let (flow, steps) = match found {
        Some((flow, steps)) => (flow, Some(steps)),
        None => (flow, None),
    };
    let live = flow.blocks.iter().map(|block| match steps {
        Some(_) => live(block.start),
        None => used,
    });
    let (name, launch) = match start {
        Start::Joined => (THEN, "joined"),
        Start::Operator => (THEN, "launch"),
        Start::Fresh | Start::Several | Start::Resumed | Start::Tile(_) => (RUN, "launch"),
    };
    let mut emitter = Emitter {
        live: live.collect(),
        // Without structure a VM is stopped with all words that there are.
        unread: if steps.is_some() { unread } else { HashSet::new() },
        live_at: if steps.is_some() {
            live_at.clone()
        } else {
            HashMap::new()
        },
        known: facts(&flow, program, &options.known),
        flow: &flow,
        program,
        options,
        base,
        start,
        facts: [Fact::Any; WORDS],
        code: Code::new(base, name, launch),
        hand: Hand::default(),
        dirty: 0,
        locals: [None; WORDS],
        frame: Frame::None,
        fuel: None,
        depth: None,
        leaving: None,
        goal: None,
        stack: None,
        trapped: None,
        may_have_trapped: false,
        used,
        about: About::default(),
        sums: HashMap::new(),
        lengths: HashMap::new(),
        subslices: HashMap::new(),
        most: HashMap::new(),
        said: HashMap::new(),
        early: Early::default(),
        prefetch: None,
        refills: Refills::new(),
        later: Later::default(),
        within: false,
        goes_on: false,
    };
    let is_structured = steps.is_some();
    match steps {
        Some(steps) => emitter.structured(&steps, module),
        None => emitter.blocks(module),
    }
    let (run, then, words) = emitter.finish();
    let fits = is_structured && emitter.fits_later();
    let mut several = Several {
        run,
        then,
        words,
        about: emitter.about,
    };
    if is_structured {
        unify_loop_exits(&mut several.run, base.types.word);
        if !options.software {
            put_exits_first(&mut several.run);
        }
    }
    (several, fits)
}

impl Emitter<'_> {
    /// The words that matter where a block begins, by the number of its first instruction.
    fn live_at(&self, ip: u32) -> u32 {
        self.live_at.get(&ip).copied().unwrap_or(self.used)
    }

    /// A variable that starts as 0.
    fn local(&mut self, name: &str) -> Node {
        let ty = self.base.types.word;
        self.code.local(name, ty, None)
    }
}
