//! gpuvm's benchmarks.
mod agreement; mod contest; mod host; mod peers; mod stage; mod timing; mod workloads;
fn main() -> anyhow::Result<()> {
    let stage = stage::Stage::open(stage::Size::Small, 3)?;
    println!("{}", stage.host);
    for (name, run) in workloads::ALL { match run(&stage) { Ok(o) => println!("{o:?}"), Err(e) => println!("{name}: {e:#}") } }
    Ok(())
}
