//! What can go wrong on the host.

/// Why a program cannot be loaded, or guests cannot be run. What a guest does wrong is no error: it is its [`Stop`](crate::Stop).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is no ELF file, or a broken one.
    #[error("the program cannot be read: {0}")]
    Elf(#[from] object::Error),
    /// It is for another machine.
    #[error("the program is for {0}; programs for RISC-V and for AArch64 can be run")]
    Machine(String),
    /// It wants a dynamic linker.
    #[error("the program is linked dynamically, against {0}; link it with `-static`")]
    Dynamic(String),
    /// It has a segment where guests have no memory.
    #[error(
        "the program has a segment at {address:#x} to {end:#x}; guests have addresses below 4 GiB, and at least a page of heap and stack behind the program"
    )]
    Segment {
        /// Where it begins.
        address: u64,
        /// Where it ends.
        end: u64,
    },
    /// The programs of one [`Guests`](crate::Guests) are for different machines.
    #[error("program {index} is for another machine than the first; guests that run side by side have one machine")]
    Mixed {
        /// The first that is.
        index: usize,
    },
    /// There is nothing to run.
    #[error("there are no {0}; guests need at least one")]
    Nothing(&'static str),
    /// A guest is to run a program that is not there.
    #[error("guest {guest} is to run program {program}, and there are {programs}")]
    Program {
        /// The guest.
        guest: usize,
        /// The program that it names.
        program: usize,
        /// How many there are.
        programs: usize,
    },
    /// A guest that is not there.
    #[error("there is no guest {guest}; there are {guests}")]
    Guest {
        /// The guest.
        guest: usize,
        /// How many there are.
        guests: usize,
    },
    /// A guest's arguments and environment do not fit its stack.
    #[error(
        "guest {guest} has {bytes} bytes of arguments and environment, more than half of its stack; give it a larger `stack`"
    )]
    Arguments {
        /// The guest.
        guest: usize,
        /// How many bytes.
        bytes: usize,
    },
    /// A map of edges of a size that there is not.
    #[error("a map of {bits} edges; the size of `coverage` is a power of two, 32 at least")]
    Coverage {
        /// Bits.
        bits: u32,
    },
    /// Guests' memory is larger than what an engine can address.
    #[error(
        "{guests} guests of {words} words each are more than 2^32 words; run fewer at a time, or give them less memory"
    )]
    TooLarge {
        /// How many guests.
        guests: usize,
        /// Words of each.
        words: usize,
    },
    /// The connection to gdb.
    #[error("gdb: {0}")]
    Gdb(String),
    /// gpuvm's own.
    #[error(transparent)]
    Runtime(#[from] gpuvm::Error),
}

/// A result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
