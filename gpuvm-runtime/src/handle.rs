//! A handle of a plan's node, which can stand where an argument does.

/// Stands for what a node of a [`Plan`](crate::Plan) gives: a column. Handles are cheap to copy, and of use in their own plan only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle {
    pub(crate) plan: u64,
    pub(crate) node: usize,
}
