//! The asynchronous functions of a handle once more, for threads that may block; those that call are in `call.rs`, because they wait with
//! patience.

use std::time::Duration;

use futures_lite::future::block_on;
use gpuvm_core::types::{RingMessage, VmType};

use super::super::metrics::{Metrics, Status};
use super::super::options::Terminate;
use super::super::snapshot::RingSnapshot;
use super::KernelHandle;
use crate::error::Result;
use crate::profile::Profile;

/// A function that blocks for each of these, with the same name after `blocking_`.
macro_rules! blocking {
    ($($blocking:ident of $name:ident $(<$($ty:ident: $bound:ident),+>)? ($($arg:ident: $arg_ty:ty),*) -> $result:ty;)*) => {
        impl KernelHandle {$(
            #[doc = concat!("[`KernelHandle::", stringify!($name), "`], on a thread that may block.")]
            ///
            /// # Errors
            ///
            /// The same.
            pub fn $blocking $(<$($ty: $bound),+>)? (&self, $($arg: $arg_ty),*) -> Result<$result> {
                block_on(self.$name($($arg),*))
            }
        )*}
    };
}
blocking! {
    blocking_activate of activate() -> ();
    blocking_deactivate of deactivate() -> ();
    blocking_terminate of terminate() -> ();
    blocking_terminate_with of terminate_with(how: Terminate) -> ();
    blocking_send of send<M: RingMessage>(actor: u32, message: M) -> ();
    blocking_send_all of send_all<M: RingMessage>(messages: impl IntoIterator<Item = (u32, M)>) -> usize;
    blocking_send_bytes of send_bytes(actor: u32, id: u64, bytes: &[u8]) -> ();
    blocking_receive of receive<A: RingMessage>(timeout: Duration) -> A;
    blocking_receive_from of receive_from<A: RingMessage>(timeout: Duration) -> (u32, A);
    blocking_receive_many of receive_many<A: RingMessage>(answers: &mut Vec<(u32, A)>, timeout: Duration) -> usize;
    blocking_settle of settle() -> ();
    blocking_snapshot of snapshot() -> RingSnapshot;
    blocking_state of state<S: VmType>(actor: u32) -> S;
    blocking_status of status() -> Status;
    blocking_metrics of metrics() -> Metrics;
    blocking_profile of profile() -> Option<Profile>;
}
