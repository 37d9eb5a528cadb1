//! The kernels' WGSL, one concept a file, for whoever puts shaders together from it. What each is for stands at its head. What they share
//! with the host and with the core's tables is stated once, in Rust, and they begin with it as [`constants`].

mod constants;
pub mod layout;

pub use self::constants::constants;

/// Constants with the texts of files.
macro_rules! texts {
    ($($name:ident = $file:literal;)*) => {
        $(
            #[doc = concat!("`", $file, "`")]
            pub const $name: &str = include_str!($file);
        )*
    };
}

texts! {
    CLEAR = "clear.wgsl";
    INTERPRETER = "interpreter.wgsl";
    PICK = "pick.wgsl";
    PROBE = "probe.wgsl";
    ROOTS = "roots.wgsl";
    SEVERAL = "several.wgsl";
    SPECIALIZED = "specialized.wgsl";
    STEP = "step.wgsl";
    TRANSPOSE = "transpose.wgsl";
}

/// The kernels of the epoch engine.
pub mod epoch {
    texts! {
        BRANCH = "epoch/branch.wgsl";
        CLASSIFY = "epoch/classify.wgsl";
        IO = "epoch/io.wgsl";
        LINEAR = "epoch/linear.wgsl";
        ORACLE = "epoch/oracle.wgsl";
        PREPARE = "epoch/prepare.wgsl";
        QUEUE = "epoch/queue.wgsl";
        TURN = "epoch/turn.wgsl";
        WORDS = "epoch/words.wgsl";
    }
}

/// The kernels of a sort.
pub mod sort {
    texts! {
        ADD = "sort/add.wgsl";
        COUNT = "sort/count.wgsl";
        SCAN = "sort/scan.wgsl";
        SCATTER = "sort/scatter.wgsl";
        SHARED = "sort/shared.wgsl";
    }
}

/// The kernels of a selection.
pub mod select {
    texts! {
        COUNT = "select/count.wgsl";
        MARKED_PLACE = "select/marked_place.wgsl";
        MARKED_SUM = "select/marked_sum.wgsl";
        PLACE = "select/place.wgsl";
        SHARED = "select/shared.wgsl";
    }
}

/// The kernels that go through elements tile by tile.
pub mod tile {
    texts! {
        MARK = "tile/mark.wgsl";
        SCAN = "tile/scan.wgsl";
        SHARED = "tile/shared.wgsl";
    }
}

/// What several kernels have.
pub mod shared {
    texts! {
        ATOMIC_PAIRS = "shared/atomic_pairs.wgsl";
        BRANCH = "shared/branch.wgsl";
        FLOAT = "shared/float.wgsl";
        FLOAT_CONVERT = "shared/float_convert.wgsl";
        FLOAT_DOUBLE = "shared/float_double.wgsl";
        FLOAT_FMA = "shared/float_fma.wgsl";
        FLOAT_NATIVE = "shared/float_native.wgsl";
        FLOAT_ROOT = "shared/float_root.wgsl";
        FLOAT_ROUND = "shared/float_round.wgsl";
        GUARD = "shared/guard.wgsl";
        INSTRUCTION = "shared/instruction.wgsl";
        INTEGER = "shared/integer.wgsl";
        IO = "shared/io.wgsl";
        IO_NO_PAIRS = "shared/io_no_pairs.wgsl";
        IO_PAIRS = "shared/io_pairs.wgsl";
        LAUNCH = "shared/launch.wgsl";
        LINEAR = "shared/linear.wgsl";
        LONG = "shared/long.wgsl";
        LONG_JOIN = "shared/long_join.wgsl";
        LONG_NATIVE = "shared/long_native.wgsl";
        MATH = "shared/math.wgsl";
        MATRIX = "shared/matrix.wgsl";
        MEMORY = "shared/memory.wgsl";
        ORACLE = "shared/oracle.wgsl";
        ORACLE_PAIR = "shared/oracle_pair.wgsl";
        REGISTERS = "shared/registers.wgsl";
        SIGNAL = "shared/signal.wgsl";
        SUMS = "shared/sums.wgsl";
        WORDS = "shared/words.wgsl";
    }
}
