//! Where a device's errors go: to the innermost scope of the thread that is for their kind, else to the handler, as wgpu's own devices have
//! it.

use std::collections::HashMap;
use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use wgpu::{Error, ErrorFilter, UncapturedErrorHandler};

/// The scopes of a device's threads.
#[derive(Default)]
pub struct Scopes(Mutex<Open>);

#[derive(Default)]
struct Open {
    scopes: HashMap<ThreadId, Vec<Scope>>,
    handler: Option<Arc<dyn UncapturedErrorHandler>>,
}

struct Scope {
    filter: ErrorFilter,
    error: Option<Error>,
}

impl Scopes {
    /// Opens a scope of this thread, and gives its number.
    pub fn push(&self, filter: ErrorFilter) -> u32 {
        let mut open = self.lock();
        let scopes = open.scopes.entry(std::thread::current().id()).or_default();
        scopes.push(Scope { filter, error: None });
        scopes.len() as u32 - 1
    }

    /// Closes the thread's innermost scope, and gives what it has caught. The guard of a scope stays on its thread, so there is one, but
    /// for guards that are dropped in another order.
    pub fn pop(&self, index: u32) -> Option<Error> {
        let (thread, mut open) = (std::thread::current().id(), self.lock());
        let scopes = open.scopes.get_mut(&thread)?;
        let found = scopes.pop();
        let in_order = scopes.len() == index as usize;
        if scopes.is_empty() {
            open.scopes.remove(&thread);
        }
        drop(open);
        assert!(
            in_order || std::thread::panicking(),
            "error scopes must be popped in reverse order"
        );
        found.and_then(|scope| scope.error)
    }

    /// Who gets the errors that no scope has caught.
    pub fn set_handler(&self, handler: Arc<dyn UncapturedErrorHandler>) {
        let before = self.lock().handler.replace(handler);
        drop(before);
    }

    /// Tells of an error. Not to be called with a lock held: whoever hears of it may ask the device something.
    ///
    /// # Panics
    ///
    /// If there is neither scope nor handler for it, which is what wgpu promises.
    pub fn report(&self, error: Error) {
        let filter = match error {
            Error::OutOfMemory { .. } => ErrorFilter::OutOfMemory,
            Error::Validation { .. } => ErrorFilter::Validation,
            Error::Internal { .. } => ErrorFilter::Internal,
        };
        let mut open = self.lock();
        let scopes = open.scopes.get_mut(&std::thread::current().id());
        let scope = scopes.and_then(|scopes| scopes.iter_mut().rev().find(|scope| scope.filter == filter));
        if let Some(scope) = scope {
            scope.error.get_or_insert(error);
            return;
        }
        let handler = open.handler.clone();
        drop(open);
        match handler {
            Some(handler) => handler(error),
            None => panic!("wgpu error: {error}"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Debug for Scopes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Scopes")
    }
}

/// An error of a kind that validation finds, with what it was about.
pub fn validation(text: impl Into<String>) -> Error {
    let description = text.into();
    Error::Validation {
        source: description.clone().into(),
        description,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_scope_of_the_kind_and_thread_has_the_first_error() {
        let scopes = Scopes::default();
        let outer = scopes.push(ErrorFilter::Validation);
        let inner = scopes.push(ErrorFilter::Validation);
        let other = scopes.push(ErrorFilter::Internal);
        scopes.report(validation("first"));
        scopes.report(validation("second"));
        assert!(scopes.pop(other).is_none());
        assert_eq!(scopes.pop(inner).unwrap().to_string(), "first");
        assert!(scopes.pop(outer).is_none());
        assert!(scopes.lock().scopes.is_empty());
    }

    #[test]
    fn what_no_scope_of_the_thread_catches_goes_to_the_handler() {
        let scopes = Scopes::default();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let to = heard.clone();
        scopes.set_handler(Arc::new(move |error: Error| to.lock().unwrap().push(error.to_string())));
        let scope = scopes.push(ErrorFilter::Validation);
        std::thread::scope(|threads| {
            threads.spawn(|| scopes.report(validation("elsewhere")));
        });
        assert!(scopes.pop(scope).is_none());
        assert_eq!(*heard.lock().unwrap(), ["elsewhere"]);
    }
}
