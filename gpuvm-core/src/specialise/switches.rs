//! Chains of comparisons of one value with constants, as `match` makes them, as switches: VMs in different arms are told apart at once, and not
//! comparison by comparison.

use std::collections::HashMap;

use super::KnownParams;
use super::flow::{Block, Exit, Flow, words_of};
use super::propagation::{Fact, Facts, facts, step};
use crate::isa::{Effect, Op};
use crate::program::Program;

/// Fewer cases are not worth a switch.
const FEWEST: usize = 4;

/// Instructions of a comparison at most: who needs what it computes does so in a copy of it.
const LONGEST: usize = 4;

/// What a branch asks: whether a word has a value.
struct Asked {
    value: u32,
    equal: usize,
    differs: usize,
}

/// Where a chain begins.
struct Head {
    /// The word that it asks for.
    word: u32,
    /// Where the block of the switch ends, if that is in front of a comparison that overwrites the word.
    cut: Option<u32>,
    /// Where the word's value is when the first comparison is through.
    places: Places,
    asked: Asked,
}

/// Where a value is.
struct Places {
    /// The words that have it, as bits.
    words: u32,
    /// The frame word that it was spilled to.
    spilled: Option<u32>,
}

/// Comparisons one after the other.
struct Chain {
    word: u32,
    cut: Option<u32>,
    /// The values asked for, where each leads to, and how many links there are before it does.
    cases: Vec<(u32, usize, usize)>,
    default: usize,
    /// The blocks behind the first, which ask and do nothing else that matters to who is elsewhere.
    links: Vec<usize>,
}

/// What it takes to find chains.
struct Chains<'a> {
    flow: &'a Flow,
    program: &'a Program,
    launch: &'a KnownParams,
    known: Vec<Facts>,
    /// The edges that lead to each block.
    before: Vec<usize>,
}

impl Flow {
    /// The same with switches for chains of comparisons. `live` tells the words that matter, as bits, where a block begins that starts with an
    /// instruction, and `stays` whether a block that starts with it has to be come to by itself.
    pub fn with_switches(
        mut self,
        program: &Program,
        launch: &KnownParams,
        live: impl Fn(u32) -> u32,
        stays: impl Fn(u32) -> bool,
    ) -> Flow {
        let chains = Chains::new(&self, program, launch).all(stays);
        if chains.is_empty() {
            return self;
        }
        for (block, chain) in chains {
            self.switch(program, block, &chain, &live);
        }
        self.without_unreachable()
    }

    /// Puts a switch in the place of a chain that begins at the end of a block.
    fn switch(&mut self, program: &Program, block: usize, chain: &Chain, live: &impl Fn(u32) -> u32) {
        let mut links = chain.links.clone();
        if let Some(cut) = chain.cut {
            // What is behind the cut is a link that all pass. The last instruction of a block that ends in a switch is not in it.
            let rest = self.blocks[block].clone();
            self.blocks.push(Block { start: cut, ..rest });
            self.blocks[block].end = cut + 1;
            links.insert(0, self.blocks.len() - 1);
        }
        let before = links.len() - chain.links.len();
        let mut ways = HashMap::new();
        let mut way = |to: usize, passed: usize| {
            let links = self.needed(program, live(self.blocks[to].start), &links[..before + passed]);
            let key = (to, links);
            if let Some(&known) = ways.get(&key) {
                return known;
            }
            let copies = key.1.iter().rev();
            let first = copies.fold(to, |next, &link| {
                let exit = Exit::Goto(next);
                self.blocks.push(Block {
                    exit,
                    ..self.blocks[link].clone()
                });
                self.blocks.len() - 1
            });
            ways.insert(key, first);
            first
        };
        let default = way(chain.default, chain.links.len());
        let cases = chain.cases.iter().map(|&(value, to, passed)| (value, way(to, passed)));
        let mut cases: Vec<(u32, usize)> = cases.filter(|&(_, to)| to != default).collect();
        cases.sort_unstable();
        let word = chain.word;
        self.blocks[block].exit = Exit::Switch { word, cases, default };
    }

    /// Which of the links that have been passed make words that matter, given as bits.
    fn needed(&self, program: &Program, mut matters: u32, links: &[usize]) -> Vec<usize> {
        let mut needed = Vec::new();
        for &link in links.iter().rev() {
            let code = self.straight(link, program).map(|(ip, ..)| words_of(program, ip));
            let (uses, defs) = code.fold((0, 0), |(uses, defs), (u, d)| (uses | u, defs | d));
            if defs & matters != 0 {
                needed.insert(0, link);
                matters |= uses;
            }
        }
        needed
    }
}

impl<'a> Chains<'a> {
    fn new(flow: &'a Flow, program: &'a Program, launch: &'a KnownParams) -> Chains<'a> {
        let mut before = vec![0; flow.blocks.len()];
        for block in &flow.blocks {
            block.exit.targets().for_each(|to| before[to] += 1);
        }
        Chains {
            flow,
            program,
            launch,
            known: facts(flow, program, launch),
            before,
        }
    }

    /// The chains that are worth a switch, each with the block that it begins at the end of.
    fn all(&self, stays: impl Fn(u32) -> bool) -> Vec<(usize, Chain)> {
        let (order, _) = self.flow.order();
        let mut is_link = vec![false; self.flow.blocks.len()];
        let mut found = Vec::new();
        for block in order {
            if is_link[block] {
                continue;
            }
            if let Some(chain) = self.chain(block, &stays) {
                chain.links.iter().for_each(|&link| is_link[link] = true);
                found.push((block, chain));
            }
        }
        found.retain(|(_, chain)| chain.cases.len() >= FEWEST);
        found
    }

    /// The comparisons from that at the end of a block on.
    fn chain(&self, block: usize, stays: &impl Fn(u32) -> bool) -> Option<Chain> {
        let Head {
            word,
            cut,
            mut places,
            mut asked,
        } = self.head(block)?;
        let (mut cases, mut links) = (Vec::<(u32, usize, usize)>::new(), Vec::new());
        loop {
            cases.push((asked.value, asked.equal, links.len()));
            let to = asked.differs;
            let is_link = self.before[to] == 1 && to != 0 && !stays(self.flow.blocks[to].start);
            let next = is_link.then(|| self.link(to, &mut places)).flatten();
            match next.filter(|next| cases.iter().all(|case| case.0 != next.value)) {
                Some(next) => {
                    links.push(to);
                    asked = next;
                }
                None => break,
            }
        }
        Some(Chain {
            word,
            cut,
            cases,
            default: asked.differs,
            links,
        })
    }

    /// What the branch at the end of a block asks, if it asks for a value.
    fn head(&self, block: usize) -> Option<Head> {
        let Exit::Branch { word: tested, .. } = self.flow.blocks[block].exit else {
            return None;
        };
        let code: Vec<(u32, Op, [u32; 4])> = self.code(block).collect();
        // Without a comparison the exit asks whether the word itself is 0.
        let made = code.iter().rposition(|&(ip, ..)| self.defs(ip) >> tested & 1 == 1);
        let compared = made.filter(|&at| code[at].1 == Op::Eq);
        let facts = self.facts_at(block, compared.map(|at| code[at].0));
        let (word, value) = match compared {
            Some(at) => compared_with(&facts, code[at].2)?,
            None => (tested, 0),
        };
        let behind = &code[compared.unwrap_or(code.len())..];
        let is_kept = behind.iter().all(|&(ip, ..)| self.defs(ip) >> word & 1 == 0);
        if !is_kept && !self.only_computes(behind) {
            return None;
        }
        let mut places = Places {
            words: 1 << word,
            spilled: self.spilled(&code[..code.len() - behind.len()], word),
        };
        behind.iter().for_each(|&step| self.pass(&mut places, step));
        Some(Head {
            word,
            cut: behind.first().filter(|_| !is_kept).map(|&(ip, ..)| ip),
            places,
            asked: self.asked(block, value, compared.is_some())?,
        })
    }

    /// What a block asks for a value that is in some places, if it does nothing else that matters elsewhere.
    fn link(&self, block: usize, places: &mut Places) -> Option<Asked> {
        let Exit::Branch { word: tested, .. } = self.flow.blocks[block].exit else {
            return None;
        };
        let code: Vec<(u32, Op, [u32; 4])> = self.code(block).collect();
        if !self.only_computes(&code) {
            return None;
        }
        let mut compared = None;
        for &(ip, op, operands) in &code {
            if self.defs(ip) >> tested & 1 == 1 {
                let found = (op == Op::Eq).then(|| compared_with(&self.facts_at(block, Some(ip)), operands));
                let found = found.flatten().filter(|(word, _)| places.words >> word & 1 == 1);
                compared = found.map(|(_, value)| value);
            }
            self.pass(places, (ip, op, operands));
        }
        match compared {
            Some(value) => self.asked(block, value, true),
            None if places.words >> tested & 1 == 1 => self.asked(block, 0, false),
            None => None,
        }
    }

    /// Where a block's branch leads by whether the word has the value: it is met if so, or if not so.
    fn asked(&self, block: usize, value: u32, is_met: bool) -> Option<Asked> {
        match self.flow.blocks[block].exit {
            Exit::Branch { accept, reject, .. } => Some(Asked {
                value,
                equal: if is_met { accept } else { reject },
                differs: if is_met { reject } else { accept },
            }),
            _ => None,
        }
    }

    fn code(&self, block: usize) -> impl Iterator<Item = (u32, Op, [u32; 4])> {
        let code = self.flow.straight(block, self.program);
        code.map(|(ip, op, instruction)| (ip, op, instruction.operands))
    }

    /// The words that an instruction makes, as bits.
    fn defs(&self, ip: u32) -> u32 {
        words_of(self.program, ip).1
    }

    /// Whether code may be left out where nobody reads what it makes, and is short enough for a copy where somebody does.
    fn only_computes(&self, code: &[(u32, Op, [u32; 4])]) -> bool {
        let computes = |&(_, op, _): &(u32, Op, [u32; 4])| op.effect() == Effect::Pure || op == Op::LoadFrame;
        code.len() <= LONGEST && code.iter().all(computes)
    }

    /// What is known in a block in front of an instruction, or at its end.
    fn facts_at(&self, block: usize, at: Option<u32>) -> Facts {
        let mut facts = self.known[block];
        let code = self.code(block).take_while(|&(ip, ..)| Some(ip) != at);
        code.for_each(|(ip, ..)| step(&mut facts, self.program, self.launch, ip));
        facts
    }

    /// The frame word that has a word's value behind some code, if the code has spilled or loaded it.
    fn spilled(&self, code: &[(u32, Op, [u32; 4])], word: u32) -> Option<u32> {
        let made = code.iter().rposition(|&(ip, ..)| self.defs(ip) >> word & 1 == 1);
        let since = &code[made.unwrap_or(0)..];
        let moves =
            |&&(_, op, [of, ..]): &&(u32, Op, [u32; 4])| matches!(op, Op::LoadFrame | Op::StoreFrame) && of == word;
        let (at, &(_, _, [_, spilled, ..])) = since.iter().enumerate().rfind(|(_, step)| moves(step))?;
        let is_overwritten = since[at + 1..]
            .iter()
            .any(|&(_, op, [_, to, ..])| op == Op::StoreFrame && to == spilled);
        // An address may lead to any other.
        (spilled >= self.program.addressed_words && !is_overwritten).then_some(spilled)
    }

    /// Keeps to where a value is, past code that only computes.
    fn pass(&self, places: &mut Places, (ip, op, [to, from, ..]): (u32, Op, [u32; 4])) {
        let is_value = match op {
            Op::LoadFrame => places.spilled == Some(from),
            Op::Mov => places.words >> from & 1 == 1,
            Op::StoreFrame if places.spilled == Some(from) => {
                places.spilled = None;
                false
            }
            _ => false,
        };
        places.words &= !self.defs(ip);
        if is_value {
            places.words |= 1 << to;
        }
    }
}

/// The word and the constant that a comparison compares.
fn compared_with(facts: &Facts, [_, a, b, _]: [u32; 4]) -> Option<(u32, u32)> {
    let constant = |word: u32| match facts.get(word as usize) {
        Some(Fact::Constant(value)) => Some(*value),
        _ => None,
    };
    match [a, b].map(constant) {
        [None, Some(value)] => Some((a, value)),
        [Some(value), None] => Some((b, value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::assemble;

    /// A program with switches, and the values that lead away from the default in its first one.
    fn switched(text: &str, stays: impl Fn(u32) -> bool) -> (Flow, Vec<u32>) {
        let program = assemble(text).unwrap();
        let flow = Flow::new(&program);
        let blocks = flow.blocks.iter().zip(flow.live(&program));
        let live: HashMap<u32, u32> = blocks.map(|(block, live)| (block.start, live)).collect();
        let flow = flow.with_switches(&program, &KnownParams::default(), |start| live[&start], stays);
        let values = match &flow.blocks[0].exit {
            Exit::Switch { cases, .. } => cases.iter().map(|case| case.0).collect(),
            _ => Vec::new(),
        };
        (flow, values)
    }

    const CHAIN: &str = "code
        vmid w1
        jz @even, w1
        imm w2, 4\neq w3, w1, w2\njnz @odd, w3
        imm w9, 2\neq w3, w1, w9\njnz @even, w3
        imm w2, 7\neq w3, w1, w2\njnz @odd, w3
        imm w2, 9\neq w3, w1, w2\njnz @kept, w3
        halt
        even:\naddi w1, w1, 1\nhalt
        odd:\naddi w1, w1, 2\nhalt
        kept:\nadd w1, w1, w9\nhalt";

    #[test]
    fn comparisons_become_a_switch() {
        let (flow, values) = switched(CHAIN, |_| false);
        assert_eq!(values, [0, 2, 4, 7, 9]);
        // Only who reads the constant that a comparison made has a copy of that.
        let copies = flow.blocks.iter().filter(|block| block.exit != Exit::Halt);
        assert_eq!(copies.count(), 2, "{flow:?}");
        assert_eq!(flow.blocks[0].exit.targets().count(), 4);
    }

    #[test]
    fn a_comparison_that_has_to_be_come_to_ends_the_chain() {
        // The third comparison.
        assert_eq!(switched(CHAIN, |start| start == 5).1, []);
    }

    #[test]
    fn a_value_is_followed_to_where_it_was_spilled() {
        // Each comparison overwrites what it compares. What is addressed may be anything by then.
        let links = |values: std::ops::Range<u32>, load: &str| -> String {
            let link = |value| format!("{load}imm w2, {value}\neq w3, w3, w2\njnz @out{}, w3\n", value % 3);
            values.map(link).collect()
        };
        let ends = "halt\nout0:\naddi w1, w1, 1\nhalt\nout1:\naddi w1, w1, 2\nhalt\nout2:\nadd w1, w1, w2\nhalt";
        let chain = |header: &str, load: &str| {
            let (first, rest) = (links(1..2, ""), links(2..7, load));
            switched(
                &format!("{header}code\nvmid w3\nstf w3, 9\n{first}{rest}{ends}"),
                |_| false,
            )
            .1
        };
        assert_eq!(
            chain("frame_words 10\naddressed_words 9\n", "ldf w3, 9\n"),
            [1, 2, 3, 4, 5, 6]
        );
        assert_eq!(chain("frame_words 10\naddressed_words 10\n", "ldf w3, 9\n"), []);
        assert_eq!(chain("frame_words 10\naddressed_words 9\n", "ldf w3, 8\n"), []);
        assert_eq!(chain("frame_words 10\naddressed_words 9\n", ""), []);
    }

    #[test]
    fn what_changes_the_word_ends_the_chain() {
        let text = CHAIN.replace("imm w2, 7", "addi w1, w1, 1\nimm w2, 7");
        assert_eq!(switched(&text, |_| false).1, []);
        let text = CHAIN.replace("imm w2, 9", "imm w2, 7");
        assert_eq!(switched(&text, |_| false).1, [0, 2, 4, 7]);
    }
}
