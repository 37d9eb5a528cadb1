//! Chains of comparisons of one word with constants, as `match` makes them, as switches: VMs in different arms are told apart at once, and not
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

/// What a block's exit asks of a word.
struct Asked {
    word: u32,
    value: u32,
    equal: usize,
    differs: usize,
}

/// Comparisons one after the other.
struct Chain {
    word: u32,
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
        let mut ways = HashMap::new();
        let mut way = |to: usize, passed: usize| {
            let links = self.needed(program, live(self.blocks[to].start), &chain.links[..passed]);
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
        let mut asked = self.asked(block)?;
        let (mut cases, mut links) = (Vec::<(u32, usize, usize)>::new(), Vec::new());
        loop {
            cases.push((asked.value, asked.equal, links.len()));
            let to = asked.differs;
            let is_link = self.before[to] == 1 && to != 0 && !stays(self.flow.blocks[to].start);
            let next = is_link.then(|| self.asked_alone(to)).flatten();
            match next.filter(|next| next.word == asked.word && cases.iter().all(|case| case.0 != next.value)) {
                Some(next) => {
                    links.push(to);
                    asked = next;
                }
                None => break,
            }
        }
        Some(Chain {
            word: asked.word,
            cases,
            default: asked.differs,
            links,
        })
    }

    /// What a block asks whose instructions only compute, and not the word that is asked for.
    fn asked_alone(&self, block: usize) -> Option<Asked> {
        let asked = self.asked(block)?;
        let code = || self.flow.straight(block, self.program);
        let only_computes = code()
            .all(|(ip, op, _)| op.effect() == Effect::Pure && words_of(self.program, ip).1 >> asked.word & 1 == 0);
        (only_computes && code().count() <= LONGEST).then_some(asked)
    }

    /// Which value of a word a block's exit asks for.
    fn asked(&self, block: usize) -> Option<Asked> {
        let Exit::Branch {
            word: tested,
            accept,
            reject,
        } = self.flow.blocks[block].exit
        else {
            return None;
        };
        // Without a comparison the exit asks whether the word itself is 0.
        let mut found = Some((tested, 0, false));
        let mut facts = self.known[block];
        for (ip, op, instruction) in self.flow.straight(block, self.program) {
            let [made, a, b, _] = instruction.operands;
            let (_, defs) = words_of(self.program, ip);
            let constant = |word: u32| match facts.get(word as usize) {
                Some(Fact::Constant(value)) => Some(*value),
                _ => None,
            };
            found = found.filter(|(word, ..)| defs >> word & 1 == 0);
            if op == Op::Eq && made == tested {
                found = match [a, b].map(constant) {
                    [None, Some(value)] => Some((a, value, true)),
                    [Some(value), None] => Some((b, value, true)),
                    _ => None,
                };
                found = found.filter(|(word, ..)| *word != made);
            } else if defs >> tested & 1 == 1 {
                found = Some((tested, 0, false));
            }
            step(&mut facts, self.program, self.launch, ip);
        }
        let (word, value, accepted) = found?;
        let (equal, differs) = if accepted { (accept, reject) } else { (reject, accept) };
        Some(Asked {
            word,
            value,
            equal,
            differs,
        })
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
    fn what_changes_the_word_ends_the_chain() {
        let text = CHAIN.replace("imm w2, 7", "addi w1, w1, 1\nimm w2, 7");
        assert_eq!(switched(&text, |_| false).1, []);
        let text = CHAIN.replace("imm w2, 9", "imm w2, 7");
        assert_eq!(switched(&text, |_| false).1, [0, 2, 4, 7]);
    }
}
