//! A turtle that draws on a grid: programs of commands with nested `repeat`s, and what they leave behind.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Heading {
    North,
    East,
    South,
    West,
}

#[routine]
impl Heading {
    const ALL: [Heading; 4] = [Heading::North, Heading::East, Heading::South, Heading::West];

    fn turned(self, quarters: i32) -> Heading {
        Self::ALL[(self as i32 + quarters).rem_euclid(4) as usize]
    }

    fn step(self) -> (i32, i32) {
        match self {
            Heading::North => (0, -1),
            Heading::East => (1, 0),
            Heading::South => (0, 1),
            Heading::West => (-1, 0),
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurtleError {
    Unknown { word: u32 },
    NoNumber,
    Unbalanced,
    TooDeep,
}

/// What a program has drawn.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture {
    pub cells: [u16; 16],
    pub x: i32,
    pub y: i32,
    pub steps: u32,
}

#[derive(VmType, Clone, Copy)]
struct Turtle {
    picture: Picture,
    heading: Heading,
    is_down: bool,
}

#[routine]
impl Turtle {
    fn new() -> Self {
        Self {
            picture: Picture {
                cells: [0; 16],
                x: 8,
                y: 8,
                steps: 0,
            },
            heading: Heading::North,
            is_down: true,
        }
    }

    fn mark(&mut self) {
        let Picture { x, y, .. } = self.picture;
        if let (true, Ok(x @ 0..16), Ok(y)) = (self.is_down, u32::try_from(x), usize::try_from(y)) {
            if let Some(row) = self.picture.cells.get_mut(y) {
                *row |= 1 << x;
            }
        }
    }

    fn forward(&mut self, count: i32) {
        let (dx, dy) = self.heading.step();
        for _ in 0..count.abs() {
            self.mark();
            self.picture.x += dx * count.signum();
            self.picture.y += dy * count.signum();
            self.picture.steps += 1;
        }
        self.mark();
    }
}

#[routine]
fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split_ascii_whitespace()
}

/// Runs a block up to its `]`, and says how many words it took.
#[routine]
fn run(turtle: &mut Turtle, program: &str, from: usize, depth: u32) -> Result<usize, TurtleError> {
    if depth > 6 {
        return Err(TurtleError::TooDeep);
    }
    let mut at = from;
    let number = |at: usize| -> Result<i32, TurtleError> {
        let word = words(program).nth(at).ok_or(TurtleError::NoNumber)?;
        word.parse().map_err(|_| TurtleError::NoNumber)
    };
    while let Some(word) = words(program).nth(at) {
        at += 1;
        match word {
            "forward" | "fd" => {
                turtle.forward(number(at)?);
                at += 1;
            }
            "back" => {
                turtle.forward(-number(at)?);
                at += 1;
            }
            "left" => turtle.heading = turtle.heading.turned(-1),
            "right" => turtle.heading = turtle.heading.turned(1),
            "up" => turtle.is_down = false,
            "down" => turtle.is_down = true,
            "repeat" => {
                let times = number(at)?;
                let mut end = at + 1;
                for _ in 0..times.max(1) {
                    end = run(turtle, program, at + 1, depth + 1)?;
                }
                at = end;
            }
            "]" if depth > 0 => return Ok(at),
            "]" => return Err(TurtleError::Unbalanced),
            _ => return Err(TurtleError::Unknown { word: at as u32 - 1 }),
        }
    }
    if depth == 0 {
        Ok(at)
    } else {
        Err(TurtleError::Unbalanced)
    }
}

#[routine]
pub fn draw(program: &[u8]) -> Result<Picture, TurtleError> {
    let program = core::str::from_utf8(program).unwrap_or_default();
    let mut turtle = Turtle::new();
    run(&mut turtle, program, 0, 0)?;
    Ok(turtle.picture)
}

pub fn known() {
    let square = draw(b"repeat 4 fd 3 right ]").unwrap();
    assert_eq!((square.x, square.y, square.steps), (8, 8, 12));
    assert_eq!(square.cells.iter().map(|row| row.count_ones()).sum::<u32>(), 12);
    let star = draw(b"repeat 4 repeat 2 fd 2 left ] up back 1 down ]").unwrap();
    assert_eq!(star.steps, 20);
    assert_eq!(draw(b"fd"), Err(TurtleError::NoNumber));
    assert_eq!(draw(b"fd 1 jump"), Err(TurtleError::Unknown { word: 2 }));
    assert_eq!(draw(b"repeat 2 fd 1"), Err(TurtleError::Unbalanced));
    assert_eq!(draw(b"]"), Err(TurtleError::Unbalanced));
}
