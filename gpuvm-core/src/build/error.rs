//! What is wrong with a routine that is being built.

/// A mistake in what was built, the first one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{routine}` cannot be built: {file}:{line}: {what}")]
pub struct BuildError {
    /// The routine's name.
    pub routine: String,
    /// The source file of the call that is wrong.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// What is wrong and what to write instead.
    pub what: String,
}
