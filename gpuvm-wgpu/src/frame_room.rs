//! How much of a VM's frame memory there is. A program says how much a VM can need at most, which in one that recurses is the limit of depth
//! times the largest frame; a launch begins with less.

use gpuvm_core::isa::CALL_FRAME_WORDS;
use gpuvm_core::program::Program;

/// A launch begins with room for at least so many calls in each other.
const FIRST_CALLS: u32 = 4;
/// Nor with fewer words a VM, if it can need more.
const FEW_WORDS: u32 = 256;
/// How many times as many words a VM likely comes to need, in programs that may need more.
const LIKELY: u32 = 8;

/// Room for calls in each other, and for the words of their frames. The call stack comes first, then the frames: where a VM's memory has fewer calls
/// than the program may make, its frames stand nearer to the beginning than the program's addresses say, by [`FrameRoom::gap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameRoom {
    /// Calls in each other.
    pub calls: u32,
    /// Words of the frames.
    pub words: u32,
}

impl FrameRoom {
    /// All that a VM of a program can need.
    pub fn whole(program: &Program) -> FrameRoom {
        FrameRoom {
            calls: program.call_depth,
            words: program.frame_words,
        }
    }

    /// What the entry and so many calls in each other need, whichever they are.
    pub fn for_calls(program: &Program, calls: u32) -> FrameRoom {
        let words = program.frame_words_of(calls);
        match words == program.frame_words {
            true => FrameRoom::whole(program),
            false => FrameRoom {
                calls: calls.min(program.call_depth),
                words,
            },
        }
    }

    /// What a launch begins with.
    pub fn first(program: &Program) -> FrameRoom {
        let (one, two) = (FrameRoom::for_calls(program, 1), FrameRoom::for_calls(program, 2));
        let (first, more) = (one.all_words(), two.all_words() - one.all_words());
        let few = 1 + FEW_WORDS.saturating_sub(first) / more.max(1);
        match more {
            0 => FrameRoom::whole(program),
            _ => FrameRoom::for_calls(program, few.max(FIRST_CALLS)),
        }
    }

    /// What a VM likely comes to need at most.
    pub fn likely(program: &Program) -> FrameRoom {
        FrameRoom::first(program)
            .times(LIKELY)
            .within(FrameRoom::whole(program))
    }

    /// Words of frame memory in all.
    pub fn all_words(self) -> u32 {
        self.call_words() + self.words
    }

    /// Words of frame memory, from the first on, that an address may lead to.
    pub fn addressed_words(self, program: &Program) -> u32 {
        self.call_words() + self.words.min(program.addressed_words)
    }

    /// Words of the call stack.
    pub fn call_words(self) -> u32 {
        self.calls * CALL_FRAME_WORDS as u32
    }

    /// By how many words a frame is nearer to the beginning than the program's addresses say.
    pub fn gap(self, program: &Program) -> u32 {
        FrameRoom::whole(program).call_words() - self.call_words()
    }

    /// Where frames end, in the program's addresses: nowhere if there is all that a VM can need.
    pub fn end(self, program: &Program) -> u32 {
        let whole = FrameRoom::whole(program);
        match self.words == whole.words {
            true => u32::MAX,
            false => whole.call_words() + self.words,
        }
    }

    /// Room for as much as both.
    pub fn and(self, other: FrameRoom) -> FrameRoom {
        FrameRoom {
            calls: self.calls.max(other.calls),
            words: self.words.max(other.words),
        }
    }

    /// As much of it as there is in another.
    pub fn within(self, other: FrameRoom) -> FrameRoom {
        FrameRoom {
            calls: self.calls.min(other.calls),
            words: self.words.min(other.words),
        }
    }

    /// Both, one behind the other.
    pub fn plus(self, other: FrameRoom) -> FrameRoom {
        FrameRoom {
            calls: self.calls.saturating_add(other.calls),
            words: self.words.saturating_add(other.words),
        }
    }

    /// Several times as much.
    pub fn times(self, times: u32) -> FrameRoom {
        FrameRoom {
            calls: self.calls.saturating_mul(times),
            words: self.words.saturating_mul(times),
        }
    }

    /// Whether there is more in either than in another.
    pub fn exceeds(self, other: FrameRoom) -> bool {
        self.calls > other.calls || self.words > other.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::control::sums;

    #[test]
    fn a_launch_begins_with_a_few_calls() {
        let program = sums(9);
        let whole = FrameRoom {
            calls: 401,
            words: 16_044,
        };
        assert_eq!(FrameRoom::whole(&program), whole);
        assert_eq!(FrameRoom::first(&program), FrameRoom { calls: 4, words: 200 });
        assert_eq!(FrameRoom::likely(&program), FrameRoom { calls: 32, words: 1600 });
        assert_eq!(FrameRoom::for_calls(&program, u32::MAX), whole);
        assert_eq!((whole.gap(&program), whole.end(&program)), (0, u32::MAX));
        let first = FrameRoom::first(&program);
        assert_eq!((first.gap(&program), first.end(&program)), (397 * 8, 401 * 8 + 200));
    }

    #[test]
    fn a_program_that_says_nothing_of_its_callees_has_all_from_the_start() {
        let mut program = sums(9);
        for call in program.code.iter_mut().filter(|call| call.operands[2] != 0) {
            call.operands[2] = 0;
        }
        assert_eq!(FrameRoom::first(&program), FrameRoom::whole(&program));
    }
}
