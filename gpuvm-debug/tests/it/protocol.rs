//! Whole sessions of an editor over a socket.

use std::sync::Arc;

use gpuvm::prelude::*;
use gpuvm::{Error, Result};
use gpuvm_debug::Server;
use serde_json::json;

use crate::client::Client;
use crate::programs::{ENGINES, line};

/// The path that an editor has for this source.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/programs.rs");

/// A server, and a runtime whose launches it gets.
fn served() -> (Arc<Server>, Runtime) {
    let server = Server::open(0, false).unwrap();
    let builder = Runtime::builder().backend(Backend::Wgpu).debugger(server.clone());
    (server, builder.build().expect("there is a Vulkan device"))
}

fn collatz(runtime: &Runtime, engine: Engine) -> Result<Vec<u32>> {
    let starts: Vec<u32> = (1..100).collect();
    runtime
        .launch("collatz")?
        .args((&starts,))
        .engine(engine)
        .run()?
        .output()
}

#[test]
fn an_editor_debugs_a_launch() {
    for engine in ENGINES {
        let (server, runtime) = served();
        std::thread::scope(|scope| {
            let mut client = Client::attach(server.port());
            let launch = scope.spawn(|| collatz(&runtime, engine));
            let at = line("n = if n % 2 == 0");
            let conditional = json!([{ "line": at, "condition": "n > 9000 && vm::id() == 26" }]);
            let capabilities = client.begin(SOURCE, conditional);
            assert_eq!(capabilities["supportsStepBack"], true);
            let placed = client.event("breakpoint");
            assert_eq!(
                (&placed["breakpoint"]["verified"], &placed["breakpoint"]["line"]),
                (&json!(true), &json!(at))
            );

            // 9,232 is the highest that the sequence of 27 comes to.
            let stop = client.event("stopped");
            assert_eq!(
                (&stop["reason"], &stop["threadId"]),
                (&json!("breakpoint"), &json!(27)),
                "{engine}"
            );
            assert_eq!(stop["hitBreakpointIds"], json!([placed["breakpoint"]["id"]]));
            let threads = client.get("threads", json!({}));
            assert!(
                threads["threads"]
                    .as_array()
                    .unwrap()
                    .contains(&json!({ "id": 27, "name": "VM 26" }))
            );
            let stack = client.get("stackTrace", json!({ "threadId": 27 }));
            let top = &stack["stackFrames"][0];
            assert_eq!(
                (&top["name"], &top["line"]),
                (&json!("collatz(start = 27)"), &json!(at))
            );
            assert_eq!(top["source"]["path"], SOURCE);
            let locals = client.locals(27);
            let wanted = [("start", "27"), ("n", "9232"), ("steps", "77")];
            assert_eq!(
                locals,
                wanted.map(|(name, value)| (name.to_string(), value.to_string())),
                "{engine}"
            );

            let evaluate = |client: &mut Client, text: &str, context: &str| {
                let frame = client.get("stackTrace", json!({ "threadId": 27 }))["stackFrames"][0]["id"].clone();
                client.ask(
                    "evaluate",
                    json!({ "expression": text, "frameId": frame, "context": context }),
                )
            };
            assert_eq!(
                evaluate(&mut client, "n / 2 + steps", "watch")["body"]["result"],
                "4693"
            );
            let error = evaluate(&mut client, "m", "watch")["message"].clone();
            assert_eq!(error, "no variable `m` is in scope; there are `start`, `n`, `steps`");
            let found = evaluate(&mut client, "find steps == 77", "repl")["body"]["result"].clone();
            assert!(found.as_str().unwrap().contains("26"), "{found}");
            assert_eq!(
                client.fail("gotoTargets", json!({})),
                "gpuvm's debugger has no `gotoTargets`"
            );
            assert_eq!(
                client.fail("variables", json!({})),
                "the arguments of `variables` are wrong: missing field `variablesReference`"
            );

            // Steps, both ways.
            client.get("next", json!({ "threadId": 27 }));
            assert_eq!(client.event("stopped")["reason"], "step");
            assert_eq!(client.locals(27)[1].1, "4616", "{engine}");
            client.get("stepBack", json!({ "threadId": 27 }));
            client.event("stopped");
            assert_eq!(client.locals(27)[1].1, "9232", "{engine}");

            // Back to where the variable became what it is.
            let info = client.get("dataBreakpointInfo", json!({ "name": "n" }));
            client.get(
                "setDataBreakpoints",
                json!({ "breakpoints": [{ "dataId": info["dataId"] }] }),
            );
            client.get("reverseContinue", json!({ "threadId": 27 }));
            assert_eq!(client.event("stopped")["reason"], "data breakpoint", "{engine}");
            client.get("stepBack", json!({ "threadId": 27, "granularity": "instruction" }));
            client.event("stopped");
            assert_eq!(client.locals(27)[1].1, "3077", "{engine}");
            client.get("continue", json!({ "threadId": 27 }));
            let stop = client.event("stopped");
            assert_eq!(
                (&stop["reason"], &stop["text"]),
                (&json!("data breakpoint"), &json!("n: 3077 → 9232")),
                "{engine}"
            );
            client.get("setDataBreakpoints", json!({ "breakpoints": [] }));

            // What is set is what the launch goes on with.
            let frame = client.get("stackTrace", json!({ "threadId": 27 }))["stackFrames"][0]["id"].clone();
            let scopes = client.get("scopes", json!({ "frameId": frame }));
            let locals = scopes["scopes"][0]["variablesReference"].clone();
            client.get("variables", json!({ "variablesReference": locals }));
            client.get(
                "setVariable",
                json!({ "variablesReference": locals, "name": "n", "value": "1" }),
            );
            client.get("disconnect", json!({}));
            let steps = launch.join().unwrap().unwrap();
            assert_eq!((steps[26], steps[25]), (77, 10), "{engine}");
        });
        // Without a client launches run as ever.
        assert_eq!(collatz(&runtime, engine).unwrap()[26], 111, "{engine}");
    }
}

#[test]
fn a_trap_stops_where_it_happens() {
    let (server, runtime) = served();
    std::thread::scope(|scope| {
        let mut client = Client::attach(server.port());
        let launch = scope.spawn(|| {
            let by: Vec<u32> = vec![100, 4, 3, 64];
            runtime.launch("quotients")?.args((2_u32, &by)).run().map(|_| ())
        });
        client.begin(SOURCE, json!([]));
        let stop = client.event("stopped");
        assert_eq!(
            (&stop["reason"], &stop["threadId"], &stop["text"]),
            (
                &json!("exception"),
                &json!(2),
                &json!("attempt to divide by zero (VM 1 and 1 more)")
            )
        );
        let info = client.get("exceptionInfo", json!({ "threadId": 2 }));
        assert_eq!(info["description"], "attempt to divide by zero");
        let stack = client.get("stackTrace", json!({ "threadId": 2 }));
        let names: Vec<&str> = stack["stackFrames"]
            .as_array()
            .unwrap()
            .iter()
            .map(|frame| frame["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "quotients(level = 0, by = 1)",
                "quotients(level = 1, by = 2)",
                "quotients(level = 2, by = 4)"
            ]
        );
        assert_eq!(stack["stackFrames"][0]["line"], line("let quotient = 100 / half;"));
        client.get("stepBack", json!({ "threadId": 2 }));
        client.event("stopped");
        let stack = client.get("stackTrace", json!({ "threadId": 2 }));
        assert_eq!(stack["stackFrames"][0]["line"], line("let quotient = 100 / half;"));
        client.get("continue", json!({ "threadId": 2 }));
        client.event("stopped");
        client.get("continue", json!({ "threadId": 2 }));
        client.event("thread");
        let Err(Error::Trap(report)) = launch.join().unwrap() else {
            panic!("it traps")
        };
        assert_eq!((report.vm, report.count, report.stack.len()), (1, 2, 3));
    });
}

#[test]
fn a_client_that_dies_or_talks_nonsense_leaves_the_launch_alone() {
    let (server, runtime) = served();
    for nonsense in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"Content-Length: 7\r\n\r\n{\"seq\":",
        b"\r\n\r\n",
        &[0; 10_000],
    ] {
        std::thread::scope(|scope| {
            // It stands when its client leaves.
            let mut client = Client::attach(server.port());
            let launch = scope.spawn(|| collatz(&runtime, Engine::Interpreter));
            client.begin(SOURCE, json!([{ "line": line("n = if n % 2 == 0") + 1 }]));
            // The first launch waits for a client; the others run on if theirs comes too late.
            if nonsense.starts_with(b"GET") {
                client.event("stopped");
            }
            client.send(nonsense);
            drop(client);
            assert_eq!(launch.join().unwrap().unwrap()[26], 111);
        });
    }
}

#[test]
fn launches_end_when_the_client_says_so() {
    let (server, runtime) = served();
    std::thread::scope(|scope| {
        let mut client = Client::attach(server.port());
        let launch = scope.spawn(|| collatz(&runtime, Engine::Interpreter));
        client.get("initialize", json!({ "adapterID": "gpuvm" }));
        client.get("attach", json!({ "stopOnEntry": true }));
        assert_eq!(
            client.fail("stackTrace", json!({ "threadId": 1 })),
            "`stackTrace` needs a launch that stands still, and none is under way"
        );
        let wrong = json!([{ "line": 3, "condition": "n >" }, { "line": 1, "hitCondition": "often" }]);
        let placed = client.get(
            "setBreakpoints",
            json!({ "source": { "path": SOURCE }, "breakpoints": wrong }),
        );
        assert_eq!(placed["breakpoints"][0]["verified"], false);
        assert!(
            placed["breakpoints"][0]["message"]
                .as_str()
                .unwrap()
                .starts_with("`n >` is no expression")
        );
        assert_eq!(placed["breakpoints"][1]["message"], "`often` is no number of hits");
        client.get("configurationDone", json!({}));
        assert_eq!(client.event("stopped")["reason"], "entry");
        client.get("terminate", json!({}));
        let error = launch.join().unwrap().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the debugger's client has ended the launch of `collatz`"
        );
    });
}
