//! What the annotated function itself gives for one VM's inputs: its result, or the panic with its place and message.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// A panic, as rustc reports it.
#[derive(Clone, Debug, PartialEq)]
pub struct Panic {
    /// The source file.
    pub file: String,
    /// The source line.
    pub line: u32,
    /// The message.
    pub message: String,
}

/// A routine as Rust sees it: a function that can be called with one VM's inputs.
pub trait Native<Row, R> {
    /// Calls it.
    fn call(&self, row: Row) -> R;
}

macro_rules! natives {
    ($($($T:ident $arg:ident),*;)*) => {$(
        impl<Function: Fn($($T),*) -> R, R, $($T),*> Native<($($T,)*), R> for Function {
            fn call(&self, ($($arg,)*): ($($T,)*)) -> R {
                self($($arg),*)
            }
        }
    )*};
}
natives! {
    A a;
    A a, B b;
    A a, B b, C c;
    A a, B b, C c, D d;
    A a, B b, C c, D d, E e;
}

thread_local! {
    static LISTENING: Cell<bool> = const { Cell::new(false) };
    static CAUGHT: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Calls a function that gives its result as text, and keeps its panic to itself. Not generic: there are hundreds of functions.
pub fn call(function: &dyn Fn() -> String) -> Result<String, Panic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !LISTENING.get() {
                return previous(info);
            }
            let (file, line) = info.location().map_or(("", 0), |place| (place.file(), place.line()));
            let message = info.payload_as_str().unwrap_or("not a text").to_string();
            CAUGHT.set(Some(Panic {
                file: file.to_string(),
                line,
                message,
            }));
        }));
    });
    LISTENING.set(true);
    let result = catch_unwind(AssertUnwindSafe(function));
    LISTENING.set(false);
    result.map_err(|_| CAUGHT.take().expect("a panic of the function passes the hook"))
}
