//! The server: the page, what it is drawn from, and metrics.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use gpuvm_runtime::activity::Activity;
use gpuvm_runtime::{Error, Result};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::history::{History, PERIOD};
use crate::{json, metrics};

/// The page, which refers to nothing outside of it but `activity.json`.
const PAGE: &str = concat!(
    include_str!("page/head.html"),
    "<style>\n",
    include_str!("page/page.css"),
    "</style>\n",
    include_str!("page/body.html"),
    "<script>\n",
    include_str!("page/page.js"),
    "</script>\n</html>\n"
);

/// What a browser may do with an answer: nothing that leaves this server.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:";

/// Serves a monitor on an address of this machine until the process ends. Gives the one on which it listens.
///
/// # Errors
///
/// [`Error::Monitor`] if the port is in use, or may not be used.
pub(crate) fn serve(address: SocketAddr) -> Result<SocketAddr> {
    let failed = |error: &dyn std::fmt::Display| Error::Monitor {
        reason: format!("no monitor can be served on {address}: {error}"),
    };
    let listener = TcpListener::bind(address).map_err(|error| failed(&error))?;
    let listens = listener.local_addr().map_err(|error| failed(&error))?;
    let server = Server::from_listener(listener, None).map_err(|error| failed(&error))?;
    let (history, begin) = (Arc::new(Mutex::new(History::new())), Instant::now());
    let theirs = Arc::clone(&history);
    let spawned = std::thread::Builder::new()
        .name("gpuvm-monitor".to_string())
        .spawn(move || {
            loop {
                std::thread::sleep(PERIOD);
                let activity = Activity::now();
                lock(&theirs).take(&activity);
            }
        });
    spawned.map_err(|error| failed(&error))?;
    let spawned = std::thread::Builder::new()
        .name("gpuvm-monitor-server".to_string())
        .spawn(move || {
            for request in server.incoming_requests() {
                let answer = answer(&request, &history, begin);
                // A browser that has gone is none of the program's concern.
                let _ = request.respond(answer);
            }
        });
    spawned.map_err(|error| failed(&error))?;
    Ok(listens)
}

fn lock(history: &Mutex<History>) -> MutexGuard<'_, History> {
    history.lock().unwrap_or_else(PoisonError::into_inner)
}

type Answer = Response<std::io::Cursor<Vec<u8>>>;

fn answer(request: &Request, history: &Mutex<History>, begin: Instant) -> Answer {
    let host = request.headers().iter().find(|header| header.field.equiv("Host"));
    if !host.is_some_and(|host| is_own(host.value.as_str())) {
        let text = "this monitor answers what is asked of `localhost` only";
        return plain(text).with_status_code(403);
    }
    if !matches!(request.method(), Method::Get | Method::Head) {
        return plain("there is nothing to be changed here").with_status_code(405);
    }
    let path = request.url().split('?').next().unwrap_or_default();
    match path {
        "/" => with_type(Response::from_string(PAGE), "text/html; charset=utf-8"),
        "/activity.json" => {
            let activity = Activity::now();
            let json = json::of(&activity, &lock(history), begin.elapsed());
            with_type(Response::from_string(json.to_string()), "application/json")
        }
        "/metrics" => {
            let metrics = metrics::of(&Activity::now());
            with_type(
                Response::from_string(metrics),
                "text/plain; version=0.0.4; charset=utf-8",
            )
        }
        _ => plain("there are `/`, `/activity.json` and `/metrics`").with_status_code(404),
    }
}

/// Whether a request is for this machine by its own name. A page of another's that has its name point here is not.
fn is_own(host: &str) -> bool {
    // A tunnel may begin at another port.
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

fn plain(text: &str) -> Answer {
    with_type(Response::from_string(format!("{text}\n")), "text/plain; charset=utf-8")
}

fn with_type(response: Answer, content: &str) -> Answer {
    let headers = [
        ("Content-Type", content),
        ("Cache-Control", "no-store"),
        ("Content-Security-Policy", POLICY),
        ("X-Content-Type-Options", "nosniff"),
    ];
    // These are headers.
    let headers = headers
        .iter()
        .filter_map(|(name, value)| Header::from_bytes(*name, *value).ok());
    headers.fold(response, Response::with_header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_answered() {
        for host in [
            "localhost:4712",
            "127.0.0.1:4712",
            "[::1]:4712",
            "localhost",
            "localhost:8080",
        ] {
            assert!(is_own(host), "{host}");
        }
        for host in [
            "example.org",
            "example.org:4712",
            "localhost.example.org:4712",
            "",
            "localhost:x",
            "127.0.0.2:4712",
        ] {
            assert!(!is_own(host), "{host}");
        }
    }
}
