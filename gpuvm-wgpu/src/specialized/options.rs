//! What a program is specialised for.

use crate::floats::{FloatOps, Needs};

/// What a program is specialised for beside itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// What is known of the launch's parameters, by number; nothing is known of those past the end.
    pub folded: Vec<Folded>,
    /// The forms of arithmetic that the device has right, or for a relaxed program those that it likes best.
    pub floats: FloatOps,
    /// Whether the program's floats may be computed as the device likes best.
    pub relaxed: bool,
    /// Whether the device is Mesa's software rasteriser, which puts what comes after each `return` one level deeper, and breaks after 80
    /// levels. For it a VM that traps goes on to the end of its block, but stores nothing any more.
    pub software: bool,
}

/// What is known of a launch parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Folded {
    /// Words from one VM's part to the next.
    pub stride: Option<u32>,
    /// Elements that one VM sees.
    pub length: Option<u32>,
    /// The words of a value that all VMs share.
    pub value: Option<Vec<u32>>,
}

impl Options {
    /// Whether the device has 64-bit integers, and has them right.
    pub fn long(&self) -> bool {
        self.floats.needs(Needs::Long)
    }

    /// The stride of a parameter, if it is known.
    pub fn stride(&self, param: u32) -> Option<u32> {
        self.folded.get(param as usize)?.stride
    }

    /// The length of a parameter, if it is known.
    pub fn length(&self, param: u32) -> Option<u32> {
        self.folded.get(param as usize)?.length
    }

    /// A word of a parameter's value, if it is known.
    pub fn value(&self, param: u32, offset: u32) -> Option<u32> {
        let value = self.folded.get(param as usize)?.value.as_ref()?;
        value.get(offset as usize).copied()
    }
}
