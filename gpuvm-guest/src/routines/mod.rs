//! What runs inside of VMs, whatever machine a guest was compiled for.

pub(crate) mod coverage;
pub mod event;
pub mod layout;
pub(crate) mod memory;
pub(crate) mod quick;
pub(crate) mod service;
pub(crate) mod soft;
