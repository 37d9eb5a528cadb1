//! Waiting: for an event, and not for ever.

use std::time::Duration;

use event_listener::Event;
use futures_lite::future::or;
use futures_timer::Delay;

/// Waits until an attempt succeeds, which is made anew after each notice of the event.
pub async fn until<T>(event: &Event, mut attempt: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(done) = attempt() {
            return done;
        }
        let listener = event.listen();
        if let Some(done) = attempt() {
            return done;
        }
        listener.await;
    }
}

/// The end of a future, if it comes in time.
pub async fn within<T>(time: Duration, future: impl Future<Output = T>) -> Option<T> {
    let late = async {
        Delay::new(time).await;
        None
    };
    or(async { Some(future.await) }, late).await
}
