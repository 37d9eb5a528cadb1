//! Structured code against the flow that it was made of, walked side by side with random choices.

use super::flow::{Block, Exit, Flow};
use super::loops::Shape;
use super::structure::{Step, structure};

/// A sequence of numbers without pattern.
struct Random(u32);

impl Random {
    /// Any word.
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0.wrapping_mul(0x9e37_79b9)
    }

    /// A number below the limit.
    fn below(&mut self, limit: u32) -> u32 {
        (self.next() >> 8) % limit
    }
}

fn structured(exits: Vec<Exit>) -> (Flow, Option<Vec<Step>>) {
    let block = |(i, exit)| Block {
        start: i as u32,
        end: i as u32 + 1,
        exit,
    };
    let flow = Flow {
        blocks: exits.into_iter().enumerate().map(block).collect(),
        calls: false,
    };
    let steps = structure(&flow);
    (flow, steps)
}

fn branch(accept: usize, reject: usize) -> Exit {
    Exit::Branch {
        word: 0,
        accept,
        reject,
    }
}

#[test]
fn plain_loops_and_choices_come_out_plain() {
    // while { if {} else {} }
    let exits = vec![
        Exit::Goto(1),
        branch(2, 5),
        branch(3, 4),
        Exit::Goto(6),
        Exit::Goto(6),
        Exit::Halt,
        Exit::Goto(1),
    ];
    let (_, steps) = structured(exits);
    let choice = Step::Branch {
        block: 2,
        accept: vec![Step::Straight(3)],
        reject: vec![Step::Straight(4)],
    };
    let body = Step::Branch {
        block: 1,
        accept: vec![Step::Straight(2), choice, Step::Straight(6)],
        reject: vec![Step::Break],
    };
    let expected = [
        Step::Straight(0),
        Step::Loop {
            header: 1,
            body: vec![Step::Straight(1), body],
        },
        Step::Straight(5),
        Step::Stop(5),
    ];
    assert_eq!(steps.unwrap(), expected);
}

/// What came of a list of steps.
enum Went {
    On,
    Broke,
    Continued,
    Stopped,
}

struct Walk<'a> {
    flow: &'a Flow,
    choices: Random,
    visited: Vec<usize>,
    left: u32,
}

impl Walk<'_> {
    fn steps(&mut self, steps: &[Step]) -> Went {
        for step in steps {
            if self.visited.len() > 200 {
                return Went::Stopped;
            }
            let went = match step {
                Step::Straight(block) => {
                    self.visited.push(*block);
                    Went::On
                }
                Step::Branch { accept, reject, .. } => {
                    let chosen = if self.choices.below(2) == 0 { accept } else { reject };
                    self.steps(chosen)
                }
                Step::Switch { cases, default, .. } => {
                    let value = self.choices.below(4);
                    let chosen = cases.iter().find(|(values, _)| values.contains(&value));
                    match self.steps(chosen.map_or(default, |(_, steps)| steps)) {
                        Went::Broke => Went::On,
                        other => other,
                    }
                }
                Step::Yield { next, .. } => self.steps(next),
                Step::Once(body) => match self.steps(body) {
                    Went::Broke => Went::On,
                    other => other,
                },
                Step::Loop { body, .. } => loop {
                    match self.steps(body) {
                        Went::Broke => break Went::On,
                        Went::Stopped => break Went::Stopped,
                        Went::On | Went::Continued => {}
                    }
                },
                Step::Break => Went::Broke,
                Step::Continue => Went::Continued,
                Step::Leave(id) => {
                    self.left = *id;
                    Went::On
                }
                Step::OnLeave { id, steps } if *id == self.left => {
                    self.left = 0;
                    self.steps(steps)
                }
                Step::OnLeave { .. } => Went::On,
                Step::Stop(_) => Went::Stopped,
            };
            if !matches!(went, Went::On) {
                return went;
            }
        }
        Went::On
    }

    fn blocks(&mut self) {
        let mut block = 0;
        while self.visited.len() <= 200 {
            self.visited.push(block);
            block = match self.flow.blocks[block].exit {
                Exit::Goto(to) => to,
                Exit::Switch { ref cases, default, .. } => {
                    let value = self.choices.below(4);
                    cases.iter().find(|case| case.0 == value).map_or(default, |case| case.1)
                }
                Exit::Branch { accept, reject, .. } => {
                    if self.choices.below(2) == 0 {
                        accept
                    } else {
                        reject
                    }
                }
                _ => return,
            };
        }
    }
}

#[test]
fn structured_code_goes_the_same_ways() {
    let mut random = Random(77);
    let mut compared = 0;
    for _ in 0..20_000 {
        let blocks = 2 + random.below(12) as usize;
        let mut exits: Vec<Exit> = (0..blocks)
            .map(|block| {
                // Mostly forward, so that many flows have a shape.
                let mut to = || {
                    let near = block as u32 + 1 + random.below(3);
                    let any = random.below(blocks as u32);
                    (if random.below(5) > 0 { near } else { any }).min(blocks as u32 - 1) as usize
                };
                let (a, b) = (to(), to());
                let cases = [(0, to()), (1, to()), (2, to())];
                match random.below(4) {
                    0 => Exit::Switch {
                        word: 1,
                        cases: cases.to_vec(),
                        default: a,
                    },
                    _ if a == b => Exit::Goto(a),
                    _ => branch(a, b),
                }
            })
            .collect();
        exits[blocks - 1] = Exit::Halt;
        let (flow, steps) = structured(exits);
        if Shape::new(&flow).is_none() {
            continue;
        }
        let steps = steps.unwrap_or_else(|| panic!("{flow:?} has a shape and no structure"));
        compared += 1;
        for seed in 1..8 {
            let walk = |flow| Walk {
                flow,
                choices: Random(seed),
                visited: Vec::new(),
                left: 0,
            };
            let (mut expected, mut found) = (walk(&flow), walk(&flow));
            expected.blocks();
            found.steps(&steps);
            assert_eq!(
                expected.visited[..],
                found.visited[..expected.visited.len().min(found.visited.len())],
                "{flow:?} {steps:?}"
            );
            assert!(found.visited.len() >= expected.visited.len().min(200));
        }
    }
    assert!(compared > 5000, "{compared}");
}
