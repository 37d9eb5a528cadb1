//! Exact affine maps over the machine's words: [`AffineMap`], their product and powers, and the two forms in which a program
//! stores them.

mod compose;
pub mod dense;
mod display;
pub mod instruction;
pub mod map;
pub mod pool;
pub mod sparse;
#[cfg(test)]
mod tests;

pub use instruction::{InstructionTerms, instruction_terms};
pub use map::AffineMap;
pub use pool::{Store, apply_record, read_record};

/// In which arithmetic a term is evaluated and summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Ring {
    /// Integers mod 2³²: a term is `coefficient * word`, terms are added.
    Integer = 0,
    /// Bit vectors over GF(2): a term is `word.rotate_left(rotation) & coefficient`, terms are xored.
    Bits = 1,
    /// IEEE f32: a term is `coefficient * word`; terms are added in order, starting from the first, each step rounded; a
    /// coefficient of ±1 is not multiplied (−1 flips the sign). A term that is stored counts also when its coefficient is 0,
    /// since 0 × ∞ is NaN and −0 + 0 is 0; coefficients that are not stored are skipped.
    Float = 2,
}

/// The column that is always 1: a term in it contributes its coefficient.
pub const CONSTANT: u16 = 0xffff;

/// One non-zero of a matrix, and the atom of both sparse storage and build-time matrices. Terms of a row lie together, in the
/// order of evaluation; rows that are the identity are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Term {
    /// The word that is written.
    pub row: u16,
    /// The word that is read, or [`CONSTANT`].
    pub column: u16,
    /// The arithmetic; the same for all terms of a row.
    pub ring: Ring,
    /// Left rotation of the word, for [`Ring::Bits`].
    pub rotation: u8,
    /// The coefficient: an integer, a mask, or the bits of an f32.
    pub coefficient: u32,
}

/// A [`Term`] as words: row and column, ring and rotation, the coefficient.
pub type PackedTerm = [u32; 3];

impl Term {
    /// Its words.
    pub const fn packed(self) -> PackedTerm {
        [
            self.row as u32 | (self.column as u32) << 16,
            self.ring as u32 | (self.rotation as u32) << 8,
            self.coefficient,
        ]
    }
}

/// How a matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Format {
    /// [`Term`]s, row by row.
    Sparse = 0,
    /// Every coefficient, zeros included, of the rows that are not the identity: the [`dense`] module has the layout.
    Dense = 1,
}

/// Where a matrix lies in its pool, 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct MatrixRecord {
    /// Sparse or dense.
    pub format: Format,
    /// The first entry in the pool of its format.
    pub offset: u32,
    /// Sparse: how many terms. Dense: how many entries.
    pub size: u32,
    /// Non-zero coefficients.
    pub non_zeros: u32,
}

const _: () = assert!(size_of::<MatrixRecord>() == 16);

/// The entries that [`MatrixRecord`]s point into.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pools {
    /// Entries of sparse matrices.
    pub terms: Vec<Term>,
    /// Entries of dense matrices, whose layout the `dense` module describes.
    pub dense: Vec<u32>,
}

/// Numbers about the matrices of a routine or program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Share of linear instructions among all.
    pub linear_share: f32,
    /// Matrices stored sparse.
    pub sparse: u32,
    /// Matrices stored dense.
    pub dense: u32,
    /// Bytes of all matrices as stored, records included.
    pub bytes: u64,
    /// Bytes if all were dense.
    pub bytes_all_dense: u64,
    /// Mean non-zeros of a matrix.
    pub mean_non_zeros: f32,
    /// Linear instructions that stand for a run of several.
    pub fused: u32,
}
