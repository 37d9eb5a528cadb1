//! Methods of atomics that are loops.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};

use gpuvm_macros::routine;

use super::generic_methods;

macro_rules! updates {
    ($($atomic:ident $word:ident $fetch_update:ident $update:ident;)*) => {$(
        #[routine(library)]
        fn $fetch_update(cell: &'static $atomic, f: impl FnMut($word) -> Option<$word>) -> Result<$word, $word> {
            let mut f = f;
            let mut old = cell.load(Ordering::Relaxed);
            loop {
                let Some(new) = f(old) else {
                    return Err(old);
                };
                match cell.compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return Ok(old),
                    Err(now) => old = now,
                }
            }
        }

        #[routine(library)]
        fn $update(cell: &'static $atomic, f: impl FnMut($word) -> $word) -> $word {
            let mut f = f;
            let mut old = cell.load(Ordering::Relaxed);
            loop {
                match cell.compare_exchange(old, f(old), Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return old,
                    Err(now) => old = now,
                }
            }
        }

        generic_methods! {
            [] $atomic, fetch_update(()) -> Result<$word, $word> = $fetch_update;
            [] $atomic, try_update(()) -> Result<$word, $word> = $fetch_update;
            [] $atomic, update(()) -> $word = $update;
        }
    )*};
}
updates! {
    AtomicU32 u32 fetch_update_u32 update_u32;
    AtomicI32 i32 fetch_update_i32 update_i32;
    AtomicU64 u64 fetch_update_u64 update_u64;
    AtomicI64 i64 fetch_update_i64 update_i64;
}
