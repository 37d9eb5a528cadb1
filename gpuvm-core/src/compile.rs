//! Link time on one screen: a routine and all it calls → verified → IR → passes → allocated → [`Program`].

use crate::library::Library;
use crate::program::Program;
use crate::routine::Routine;

/// What linking may do, and how far. Every optimisation can be switched off; the results do not change by a bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Constant folding and strength reduction.
    pub fold: bool,
    /// Copy propagation.
    pub copies: bool,
    /// Removal of code without effect or never reached.
    pub dead_code: bool,
    /// Inlining of routines that are not recursive, up to this many instructions; `None` inlines nothing.
    pub inline: Option<u32>,
    /// Keeping in words what need not live in frame memory.
    pub promote: bool,
    /// Fusion of runs of linear instructions into one matrix.
    pub fuse: bool,
    /// Share of non-zeros from which on a matrix is stored dense.
    pub dense_threshold: f32,
    /// Stores all matrices in one format whatever their share of non-zeros.
    pub force_format: Option<crate::matrix::Format>,
    /// Deepest recursion; past it a VM traps.
    pub recursion_limit: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            fold: true,
            copies: true,
            dead_code: true,
            inline: Some(2000),
            promote: true,
            fuse: true,
            dense_threshold: 0.15,
            force_format: None,
            recursion_limit: 256,
        }
    }
}

/// What linking found out about a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Instructions by class: linear, oracle, branch, io.
    pub by_class: [u32; 4],
    /// Routines that went into the program.
    pub routines: u32,
    /// Instructions before any optimisation.
    pub encoded_instructions: u32,
    /// Numbers about the matrices.
    pub matrices: crate::matrix::Statistics,
}

/// Why a routine cannot be linked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// The routine's data is damaged or hand-made wrongly.
    #[error("routine `{routine}` is not valid: {what}")]
    Invalid {
        /// The routine.
        routine: String,
        /// The first thing that is wrong.
        what: String,
    },
    /// More than the machine can address.
    #[error("routine `{routine}` needs {found} {what}, and at most {most} are possible")]
    TooLarge {
        /// The routine.
        routine: String,
        /// Of what there are too many.
        what: &'static str,
        /// How many.
        found: u64,
        /// How many are possible.
        most: u64,
    },
}

/// Links a routine and all it calls into a program.
///
/// # Errors
///
/// [`LinkError::Invalid`] if a routine's data does not hold together, [`LinkError::TooLarge`] if the program would
/// not fit the machine.
pub fn link(entry: &'static Routine, library: Library, settings: &Settings) -> Result<Program, LinkError> {
    let _ = (entry, library, settings);
    unimplemented!("helper link")
}
