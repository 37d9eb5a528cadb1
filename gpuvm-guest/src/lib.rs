#![doc = include_str!("../README.md")]

mod aarch64;
mod error;
#[cfg(feature = "gdb")]
mod gdb;
mod guests;
mod image;
mod linux;
mod machine;
mod program;
mod riscv;
mod routines;
mod start;
mod stop;
mod system;
mod translate;

pub use error::{Error, Result};
#[cfg(feature = "gdb")]
pub use gdb::Left;
pub use guests::{Debugger, Guests, Settings, StopReason};
pub use linux::Linux;
pub use program::{Machine, Program};
pub use start::Start;
pub use stop::{FaultKind, Stop};
pub use system::{Access, Answer, Call, Heap, Streams, System};

#[cfg(test)]
mod tests {
    use gpuvm::__private::{Registration, inventory};

    #[test]
    fn its_routines_take_no_names_of_users() {
        let own = inventory::iter::<Registration>().filter(|each| each.file.contains("gpuvm-guest"));
        let ids: Vec<&str> = own.map(|each| each.id).collect();
        assert!(!ids.is_empty());
        assert!(ids.iter().all(|id| id.starts_with("gpuvm-guest.")), "{ids:?}");
    }
}
