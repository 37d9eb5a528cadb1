//! What linking may do.

use crate::matrix::Format;

/// What linking may do, and how far. Every optimisation can be switched off; the results do not change by a bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Constant folding and strength reduction.
    pub fold: bool,
    /// Copy propagation, and copies in place of computing the same again.
    pub copies: bool,
    /// Removal of code without effect or never reached.
    pub dead_code: bool,
    /// Jumps past conditions whose outcome is known on the way to them.
    pub threading: bool,
    /// Inlining of routines that are not recursive, up to this many instructions by which all calls of one make another grow; `None` inlines
    /// nothing.
    pub inline: Option<u32>,
    /// Computing before a loop what each turn would compute the same, and asking a loop's condition at its end.
    pub loops: bool,
    /// Keeping in words what need not live in frame memory.
    pub promote: bool,
    /// Powers of matrices in place of loops whose body is linear.
    pub raise: bool,
    /// Fusion of runs of linear instructions into one matrix.
    pub fuse: bool,
    /// Share of non-zeros from which on a matrix is stored dense.
    pub dense_threshold: f32,
    /// Stores all matrices in one format whatever their share of non-zeros.
    pub force_format: Option<Format>,
    /// Deepest recursion; past it a VM traps.
    pub recursion_limit: u32,
}

impl Settings {
    /// Linking for a debugger: nothing is optimised, so that code follows the lines of the source, and every variable is kept to the end of its scope, which it is where
    /// nothing is optimised at all. The results are the same bits.
    pub fn debug() -> Settings {
        Settings {
            fold: false,
            copies: false,
            dead_code: false,
            threading: false,
            inline: None,
            loops: false,
            promote: false,
            raise: false,
            fuse: false,
            ..Settings::default()
        }
    }
}

impl Settings {
    /// Whether anything is optimised.
    pub(crate) fn optimises(&self) -> bool {
        let Settings {
            fold,
            copies,
            dead_code,
            threading,
            inline,
            loops,
            promote,
            raise,
            fuse,
            ..
        } = self;
        let switches = [fold, copies, dead_code, threading, loops, promote, raise, fuse];
        inline.is_some() || switches.into_iter().any(|on| *on)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            fold: true,
            copies: true,
            dead_code: true,
            threading: true,
            inline: Some(1000),
            loops: true,
            promote: true,
            raise: true,
            fuse: true,
            dense_threshold: 0.15,
            force_format: None,
            recursion_limit: 256,
        }
    }
}
