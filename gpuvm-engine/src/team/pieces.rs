//! Words that are pieces of others, one after the other.

use std::ops::Range;

use crate::Source;

/// The arena of a part: pieces of the job's, ascending and not empty.
pub(super) struct Pieces(Vec<Range<usize>>);

/// The words of pieces of a source.
pub(super) struct PieceSource<'s> {
    pub all: &'s dyn Source,
    pub pieces: &'s Pieces,
}

impl Pieces {
    /// These, which are ascending, without the empty ones.
    pub fn new(mut pieces: Vec<Range<usize>>) -> Pieces {
        pieces.retain(|piece| !piece.is_empty());
        Pieces(pieces)
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.0.iter().map(ExactSizeIterator::len).sum()
    }

    /// Where a word of the job's arena is in the part's, or would be.
    pub fn after(&self, word: usize) -> usize {
        let before = self.0.iter().take_while(|piece| piece.start <= word);
        before.map(|piece| piece.end.min(word) - piece.start).sum()
    }

    /// The pieces of the job's arena that these words of the part's are.
    pub fn of(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let mut at = 0;
        let mut found = Vec::new();
        for piece in &self.0 {
            let here = at.max(range.start)..(at + piece.len()).min(range.end);
            if !here.is_empty() {
                found.push(piece.start + (here.start - at)..piece.start + (here.end - at));
            }
            at += piece.len();
        }
        found
    }
}

impl Source for PieceSource<'_> {
    fn words(&self) -> usize {
        self.pieces.words()
    }

    fn filled(&self) -> usize {
        self.pieces.after(self.all.filled())
    }

    fn write(&self, range: Range<usize>, words: &mut [u32]) {
        let mut rest = words;
        for piece in self.pieces.of(&range) {
            let (own, behind) = rest.split_at_mut(piece.len());
            // Behind what the job's arena begins with are zeros.
            let end = piece.end.min(self.all.words());
            let filled = end.saturating_sub(piece.start);
            if filled > 0 {
                self.all.write(piece.start..end, &mut own[..filled]);
            }
            own[filled..].fill(0);
            rest = behind;
        }
    }
}
