//! The monitor of this process, asked while launches, plans and ring kernels are under way. What it tells is the process's, so each test looks for its own.

use std::net::TcpListener;
use std::process::{Command, Output};
use std::sync::OnceLock;

use gpuvm::activity::Activity;
use gpuvm::prelude::*;
use gpuvm::ring::Restart;
use gpuvm_monitor as _;
use serde_json::Value as Json;

#[routine]
fn countdown(start: u32) -> u32 {
    let (mut n, mut x) = (start, 2u32);
    while n > 0 {
        // Nothing linear, which would be one step.
        x = x.wrapping_mul(x).wrapping_add(n);
        n -= 1;
    }
    x
}

#[routine]
fn curious(x: u32) -> u32 {
    vm::ask::<u32, u32>(x) + 1
}

#[routine]
fn talkative(x: u32) -> u32 {
    gpuvm::log!(Level::Warn, "x is {x}");
    100 / x
}

#[routine]
fn double(x: u32) -> u32 {
    x * 2
}

#[routine]
fn sum(a: u32, b: u32) -> u32 {
    a + b
}

#[routine]
fn grow(me: &mut u32) {
    *me += 1;
}

#[derive(RingMessage, Clone, Copy, Debug)]
struct Withdraw(u32);

#[ring_kernel]
fn account(balance: &mut u32, withdraw: Withdraw) -> Withdraw {
    assert!(withdraw.0 < 100, "no more than 99 at a time");
    *balance += withdraw.0;
    Withdraw(*balance)
}

/// Where the monitor of this process is.
fn monitor() -> String {
    static SERVED: OnceLock<String> = OnceLock::new();
    let served = SERVED.get_or_init(|| {
        let runtime = Runtime::builder().backend(Backend::Cpu).build().unwrap();
        runtime.monitor("127.0.0.1:0").unwrap().to_string()
    });
    served.clone()
}

fn get(path: &str) -> String {
    let mut answer = ureq::get(format!("http://{}{path}", monitor())).call().unwrap();
    answer.body_mut().read_to_string().unwrap()
}

fn activity() -> Json {
    serde_json::from_str(&get("/activity.json")).unwrap()
}

/// What is told of a name in one of the lists.
fn of(activity: &Json, list: &str, name: &str) -> Vec<Json> {
    let all = activity[list].as_array().unwrap().iter();
    all.filter(|entry| entry["name"].as_str().is_some_and(|found| found.contains(name)))
        .cloned()
        .collect()
}

/// A runtime on this CPU, or the one on the device that all tests share: drivers do not like many that come and go at the same time.
fn runtime(backend: Backend) -> Runtime {
    static SHARED: OnceLock<Runtime> = OnceLock::new();
    let open = || Runtime::builder().backend(backend).build().unwrap();
    match backend {
        Backend::Cpu => open(),
        _ => SHARED.get_or_init(open).clone(),
    }
}

/// The engines that pause and a runtime with them.
fn pausing() -> Vec<(Runtime, Engine)> {
    let (cpu, gpu) = (runtime(Backend::Cpu), runtime(Backend::Wgpu));
    vec![
        (cpu, Engine::Reference),
        (gpu.clone(), Engine::Interpreter),
        (gpu.clone(), Engine::Epoch),
        (gpu, Engine::Specialized),
    ]
}

#[test]
fn vms_are_told_by_how_they_stand() {
    monitor();
    for (runtime, engine) in pausing() {
        let starts: Vec<u32> = (0..100).map(|vm| if vm < 30 { 1 } else { 1_000_000 }).collect();
        let launch = runtime.launch("countdown").unwrap().args((&starts,)).engine(engine);
        let mut execution = launch.start().unwrap();
        let found = of(&activity(), "under_way", "countdown");
        assert_eq!(found.len(), 1, "{engine}");
        assert_eq!(found[0]["standing"]["running"], 100, "{engine}");
        let signal = execution.advance(Budget::cycles(1000)).unwrap();
        assert_eq!(signal, Signal::Checkpoint, "{engine}");
        let found = &of(&activity(), "under_way", "countdown")[0];
        assert_eq!(found["standing"]["running"], 70, "{engine}");
        assert_eq!(found["standing"]["halted"], 30, "{engine}");
        assert_eq!(found["advances"], false, "{engine}");
        assert_eq!(found["vms"], 100);
        // The engine that runs it, which is not always the one that was asked for.
        let runs = [engine, Engine::Interpreter].map(|engine| engine.to_string());
        assert!(runs.iter().any(|engine| found["engine"] == engine.as_str()), "{found}");
        // Whatever the runtime's device is, the reference engine is on the CPU; here the runtime is too.
        assert_eq!(found["device"], runtime.device().name.as_str(), "{engine}");
        drop(execution);
        let activity = activity();
        assert!(of(&activity, "under_way", "countdown").is_empty(), "{engine}");
        let ended = of(&activity, "ended", "countdown").pop().unwrap();
        assert_eq!((&ended["ending"], &ended["well"]), (&"dropped".into(), &false.into()));
        assert_eq!(ended["standing"]["halted"], 30, "{engine}");
    }
}

#[test]
fn a_native_launch_is_told_while_it_runs() {
    monitor();
    let runtime = runtime(Backend::Cpu);
    let mut seen = Vec::new();
    let launch = runtime
        .launch("curious")
        .unwrap()
        .args((&[5u32, 6],))
        .engine(Engine::Native);
    let done = launch
        .answer(|_, x: u32| {
            seen.extend(of(&activity(), "under_way", "curious"));
            x * 10
        })
        .run()
        .unwrap();
    assert_eq!(done.output::<Vec<u32>>().unwrap(), [51, 61]);
    assert_eq!(seen.len(), 2);
    for launch in seen {
        assert_eq!(
            (&launch["engine"], &launch["advances"], &launch["vms"]),
            (&"native".into(), &true.into(), &2.into())
        );
    }
    let activity = activity();
    let ended = of(&activity, "ended", "curious").pop().unwrap();
    assert_eq!(
        (&ended["ending"], &ended["standing"]["halted"], &ended["steps_done"]),
        (&"done".into(), &2.into(), &1.into())
    );
}

#[test]
fn traps_and_lines_are_told() {
    monitor();
    for (backend, engine) in [
        (Backend::Cpu, Engine::Native),
        (Backend::Cpu, Engine::Reference),
        (Backend::Wgpu, Engine::Interpreter),
    ] {
        let launch = runtime(backend)
            .launch("talkative")
            .unwrap()
            .args((&[4u32, 0, 0],))
            .engine(engine);
        assert!(launch.run().is_err());
        let activity = activity();
        let ended = of(&activity, "ended", "talkative").pop().unwrap();
        assert_eq!(ended["ending"], "2 VMs trapped", "{engine}");
        assert_eq!(
            (&ended["standing"]["halted"], &ended["standing"]["trapped"]),
            (&1.into(), &2.into()),
            "{engine}"
        );
        let lines = activity["lines"].as_array().unwrap().iter();
        let lines: Vec<&Json> = lines.filter(|line| line["source"] == "talkative").collect();
        let last: Vec<(u64, &str)> = lines[lines.len() - 3..]
            .iter()
            .map(|line| (line["vm"].as_u64().unwrap(), line["text"].as_str().unwrap()))
            .collect();
        assert_eq!(last, [(0, "x is 4"), (1, "x is 0"), (2, "x is 0")], "{engine}");
        let line = lines[lines.len() - 1];
        assert_eq!(line["level"], "warn");
        assert!(line["place"].as_str().unwrap().contains("it.rs:"), "{line}");
    }
}

#[test]
fn steps_are_told_until_the_last() {
    monitor();
    for (backend, engine) in [
        (Backend::Cpu, Engine::Native),
        (Backend::Cpu, Engine::Reference),
        (Backend::Wgpu, Engine::Specialized),
    ] {
        let (before, mut column) = (Activity::now().totals, [1u32; 8]);
        let launch = runtime(backend)
            .launch("grow")
            .unwrap()
            .args((&mut column,))
            .engine(engine);
        launch.steps(5).run().unwrap();
        assert_eq!(column, [6; 8]);
        let ended = of(&activity(), "ended", "grow").pop().unwrap();
        assert_eq!(
            (&ended["steps_done"], &ended["steps"]),
            (&5.into(), &5.into()),
            "{engine}"
        );
        assert!(Activity::now().totals.vms >= before.vms + 40, "{engine}");
    }
}

#[test]
fn plans_are_told() {
    monitor();
    for (backend, engine) in [
        (Backend::Cpu, Engine::Native),
        (Backend::Cpu, Engine::Reference),
        (Backend::Wgpu, Engine::Auto),
    ] {
        let runtime = runtime(backend);
        let numbers = [1u32, 2, 3];
        let mut plan = runtime.plan();
        plan.engine(engine);
        let column = plan.input(&numbers);
        let doubled = plan.map("double", (column,)).unwrap();
        let total = plan.reduce("sum", doubled).unwrap();
        assert_eq!(plan.run().unwrap().get::<u32>(total).unwrap(), [12]);
        let ended = of(&activity(), "ended", "reduce `sum`").pop().unwrap();
        assert_eq!((&ended["kind"], &ended["ending"]), (&"plan".into(), &"done".into()));
        assert_eq!(ended["steps_done"], ended["steps"]);
        assert_ne!(ended["engine"], "auto");
        assert!(ended["launches"].as_u64().unwrap() > 0, "{ended}");
    }
}

#[test]
fn ring_kernels_are_told_with_their_dead_letters() {
    monitor();
    for (backend, engine) in [(Backend::Cpu, Engine::Native), (Backend::Wgpu, Engine::Interpreter)] {
        let options = RingOptions {
            actors: 4,
            engine,
            restart: Restart::Fresh,
            ..default()
        };
        let kernel = runtime(backend).blocking_launch_ring("account", options).unwrap();
        kernel.blocking_activate().unwrap();
        kernel
            .blocking_send_all([(0, Withdraw(1)), (1, Withdraw(100)), (2, Withdraw(3))])
            .unwrap();
        kernel.blocking_settle().unwrap();
        let now = activity();
        let told = of(&now, "kernels", "account").pop().unwrap();
        assert_eq!((&told["life"], &told["actors"]), (&"active".into(), &4.into()));
        assert_eq!(
            (&told["processed"], &told["accepted"], &told["unreceived"]),
            (&2.into(), &3.into(), &2.into()),
            "{engine}"
        );
        assert_eq!(told["dead_letters"], 1);
        let letter = told["last_dead_letters"][0].as_str().unwrap();
        assert!(
            letter.starts_with("Withdraw(100) to actor 1: ") && letter.ends_with("no more than 99 at a time"),
            "{letter}"
        );
        // Nobody has taken it by looking.
        assert!(kernel.dead_letter().is_some());
        let number = told["number"].clone();
        let metrics = get("/metrics");
        let processed = format!("gpuvm_ring_processed_total{{kernel=\"account\",number=\"{number}\"}} 2\n");
        assert!(metrics.contains(&processed), "{metrics}");
        let lines = now["lines"].as_array().unwrap().iter();
        let said: Vec<&str> = lines
            .filter(|line| line["source"] == "account")
            .filter_map(|line| line["text"].as_str())
            .collect();
        assert!(
            said.contains(&"activated") && said.iter().any(|text| text.contains("no more than 99")),
            "{said:?}"
        );
        drop(kernel);
        let left = of(&activity(), "kernels", "account");
        assert!(left.iter().all(|kernel| kernel["number"] != number));
    }
}

#[test]
fn a_device_is_told_with_its_memory() {
    monitor();
    let runtime = runtime(Backend::Wgpu);
    let buffer = runtime.buffer(&vec![1u32; 1 << 20]).unwrap();
    runtime.launch("double").unwrap().args((&buffer,)).run().unwrap();
    let activity = activity();
    let all = activity["runtimes"].as_array().unwrap().iter();
    let own = all.filter(|told| told["device"] == runtime.device().name.as_str());
    let most = own.filter_map(|told| told["data"].as_u64()).max();
    assert!(most >= Some(4 << 20), "{most:?}");
    assert!(get("/metrics").contains("# TYPE gpuvm_device_memory_bytes gauge\n"));
}

#[test]
fn the_page_stands_alone() {
    let page = get("/");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("fetch(\"activity.json\")"));
    for elsewhere in ["src=", "@import", "url("] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
}

#[test]
fn what_is_asked_amiss_is_answered() {
    let address = monitor();
    let agent = ureq::Agent::new_with_config(ureq::Agent::config_builder().http_status_as_error(false).build());
    let asked = |path: &str, host: &str| {
        let request = agent.get(format!("http://{address}{path}")).header("Host", host);
        let mut answer = request.call().unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    };
    assert_eq!(asked("/", "localhost").0, 200);
    assert_eq!(asked("/?x", "127.0.0.1:9").0, 200);
    let (status, text) = asked("/", "example.org");
    assert_eq!(
        (status, &*text),
        (403, "this monitor answers what is asked of `localhost` only\n")
    );
    let (status, text) = asked("/index.html", "localhost");
    assert_eq!(
        (status, &*text),
        (404, "there are `/`, `/activity.json` and `/metrics`\n")
    );
    let posted = agent.post(format!("http://{address}/activity.json")).send("x").unwrap();
    assert_eq!(posted.status().as_u16(), 405);
}

#[test]
fn an_address_that_will_not_do_is_an_error() {
    let runtime = runtime(Backend::Cpu);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let error = runtime.monitor(address).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("no monitor can be served on {address}: ")),
        "{error}"
    );
    let error = runtime.monitor("0.0.0.0:4712").unwrap_err().to_string();
    let expected = "a monitor has no password, so it is served to this machine only: give it `127.0.0.1:4712`, not `0.0.0.0:4712`; from elsewhere it \
                    is seen through `ssh -L 4712:127.0.0.1:4712`";
    assert_eq!(error, expected);
    let error = runtime.monitor("4712").unwrap_err().to_string();
    assert!(
        error.starts_with("a monitor needs an address such as `127.0.0.1:4712`: "),
        "{error}"
    );
}

/// Runs the example, which cargo builds with the tests, for no time at all.
fn busy(asked: &str) -> Output {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().unwrap().parent().unwrap().join("examples").join("busy");
    let mut command = Command::new(example.with_extension(std::env::consts::EXE_EXTENSION));
    command.arg("0").env("GPUVM_MONITOR", asked).env("GPUVM_BACKEND", "cpu");
    command.output().unwrap()
}

#[test]
fn the_environment_asks_for_a_monitor() {
    let said = |output: Output| String::from_utf8(output.stderr).unwrap();
    let output = busy("0");
    assert!(output.status.success());
    let text = said(output);
    assert!(
        text.starts_with("gpuvm: http://127.0.0.1:") && text.ends_with(" shows what this process does\n"),
        "{text}"
    );
    assert_eq!(said(busy("")), "");
    assert_eq!(
        said(busy("page")),
        "Error: GPUVM_MONITOR=page: it is a port, such as `4712`\n"
    );
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let output = busy(&port.to_string());
    assert!(!output.status.success());
    let text = said(output);
    let expected = format!("Error: GPUVM_MONITOR={port}: no monitor can be served on 127.0.0.1:{port}: ");
    assert!(text.starts_with(&expected), "{text}");
}
