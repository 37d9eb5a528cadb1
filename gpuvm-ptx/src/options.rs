//! What the host says about a translation, and what it gets.

/// How float arithmetic is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Floats {
    /// Each operation rounded as IEEE 754 says, in the order written. What IEEE 754 leaves open is as Rust has it: the smaller or larger
    /// one of a number and NaN is the number, and conversions to integers saturate, with 0 for NaN.
    #[default]
    Exact,
    /// The device's fast forms, contracted as the driver likes.
    Relaxed,
}

/// Where the number of workgroups comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Grid {
    /// The launch: a workgroup of the shader is a block.
    #[default]
    Launched,
    /// Three words of device memory: the blocks of a fixed grid loop over as many workgroups as these words tell.
    Indirect,
    /// Requests in a [mailbox](crate::mailbox): one block stays on the device and does the work of as many workgroups as each of them asks
    /// for. Buffers that the shader only reads may change between two requests. The block may have the words of buffers in its own memory.
    Resident(Own),
}

/// What a block that stays has in its own memory, where its threads find it sooner than in the device's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Own {
    /// A storage buffer that is in no other memory, and no parameter of the kernel: its words are 0 when the block begins with what a request
    /// asks for, and are the first of its answer.
    pub answered: Option<Words>,
    /// Uniforms, and storage buffers that the shader only reads, of which the block has copies: as they are when it is launched, and from then
    /// on with what requests put there. Nobody else may write to them. What is bound has no more than these words, and a multiple of 4.
    pub copied: [Option<Words>; 2],
}

/// Words of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Words {
    /// The bind group of the buffer.
    pub group: u32,
    /// The binding in it.
    pub binding: u32,
    /// How many words there are.
    pub words: u32,
}

impl Words {
    /// Whether they are those of a binding.
    pub(crate) fn are_of(&self, group: u32, binding: u32) -> bool {
        (self.group, self.binding) == (group, binding)
    }
}

impl Grid {
    /// Whether the kernel stays.
    #[must_use]
    pub const fn is_resident(&self) -> bool {
        matches!(self, Grid::Resident(_))
    }

    /// What a block that stays has in its own memory.
    pub(crate) fn own(&self) -> Own {
        match self {
            Grid::Resident(own) => *own,
            _ => Own::default(),
        }
    }
}

/// Bytes of a buffer whose words are too many for an index with a sign.
pub const NEAR: u64 = 1 << 33;

/// How a module is translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// How float arithmetic is written.
    pub floats: Floats,
    /// Where the number of workgroups comes from.
    pub grid: Grid,
    /// Bounds of buffer accesses are checked, as by naga's `Restrict`, and integer division by zero is guarded as WGSL has it. Not where
    /// the module's author vouches for it. An invocation's own arrays and those of its workgroup are never checked.
    pub checked: bool,
    /// Whether buffers may have [`NEAR`] bytes and more. Where they have not, and accesses are not checked, what is added to an index is part of
    /// the instruction: words that lie beside each other have one address.
    pub far: bool,
    /// Whether the device may launch the kernel while the one that it depends on still runs, which devices from compute capability 9.0 on can
    /// (programmatic dependent launch): it waits for that one's end before it touches memory. Kernels that depend on it are launched as
    /// its last blocks end: where it lets them come earlier, they take the room of its own blocks. Not with [`Grid::Resident`].
    pub dependent_launch: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            floats: Floats::default(),
            grid: Grid::default(),
            checked: true,
            far: true,
            dependent_launch: false,
        }
    }
}

/// A translated entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The PTX.
    pub text: String,
    /// The name of the `.entry`.
    pub entry: String,
    /// Invocations of a workgroup, in each dimension.
    pub workgroup: [u32; 3],
    /// Threads that a block has behind these, in the first dimension: the warp that looks for requests, with [`Grid::Resident`] only.
    pub lookout: u32,
    /// What the entry takes, in order. Variables that it does not use are not among it.
    pub parameters: Vec<Parameter>,
}

/// A parameter of the entry, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// A storage buffer, two parameters of the kernel: the `.u64` address, a multiple of 16, and the `.u64` length in bytes of what is
    /// bound.
    Buffer {
        /// The bind group.
        group: u32,
        /// The binding in it.
        binding: u32,
        /// Whether the shader may write to it. What is read only must not change while the kernel runs.
        writable: bool,
    },
    /// A uniform's bytes, by value; with [`Grid::Resident`] the `.u64` address of them, a multiple of 16.
    Uniform {
        /// The bind group.
        group: u32,
        /// The binding in it.
        binding: u32,
        /// How many bytes there are.
        size: u32,
    },
    /// The `.u64` address of the three words that tell the number of workgroups, with [`Grid::Indirect`] only.
    Grid,
    /// The `.u64` address of the [mailbox](crate::mailbox), with [`Grid::Resident`] only.
    Mailbox,
}
