//! The proof that being killed does no harm: three processes, two results, the same bits.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use gpuvm_examples::Choice;

use crate::{Options, Result, columns, launch};

/// Kills a job half-way that takes so many seconds, has another process finish it, and a third one do it all.
pub fn run(options: &Options, seconds: f64) -> Result<()> {
    let turns = turns_within(options, seconds)?;
    let [second, third] = *options.others.as_slice() else {
        return Err("two other engines are needed".into());
    };
    let file = options.file.with_extension("proof");
    if file.exists() {
        std::fs::remove_file(&file)?;
    }
    let process = |engine: Choice| -> Result<Command> {
        let engine = engine.to_possible_value().ok_or("no such engine")?;
        println!("--- a process on the {} engine, {turns} turns", engine.get_name());
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--turns", &turns.to_string(), "--size", &options.size.to_string()]);
        command.args(["--engine", engine.get_name()]);
        command.arg("--file").arg(&file).arg("--output").arg(&options.output);
        Ok(command)
    };
    let mut first = process(options.engine)?.spawn()?;
    sleep(Duration::from_secs_f64(seconds / 2.0));
    let ended = first.try_wait()?.is_some();
    first.kill()?;
    first.wait()?;
    if ended || !file.exists() {
        return Err("the first process was done, or had saved nothing; give it more seconds".into());
    }
    println!("killed after {:.1} s", seconds / 2.0);
    let carried_on = checksum(process(second)?)?;
    let at_a_stretch = checksum(process(third)?)?;
    if carried_on != at_a_stretch {
        return Err(format!("{carried_on} and {at_a_stretch} should be the same").into());
    }
    println!("--- the same bits: {carried_on}");
    Ok(())
}

/// How many turns take the engine that long.
fn turns_within(options: &Options, seconds: f64) -> Result<u32> {
    let (runtime, columns) = (options.engine.runtime()?, columns(options.size));
    let mut options = Options {
        turns: 16,
        ..options.clone()
    };
    loop {
        let begin = Instant::now();
        launch(&runtime, &options, &columns)?.run()?;
        let took = begin.elapsed().as_secs_f64();
        if took > 0.5 {
            return Ok((f64::from(options.turns) * seconds / took).ceil() as u32);
        }
        options.turns *= 2;
    }
}

/// Runs a process to its end, and gives the checksum that it prints last.
fn checksum(mut process: Command) -> Result<String> {
    let begin = Instant::now();
    let output = process.stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8(output.stdout)?;
    println!("{text}ended after {:.1?}", begin.elapsed());
    match text.split_whitespace().last() {
        Some(sum) if output.status.success() => Ok(sum.to_string()),
        _ => Err("a process failed".into()),
    }
}
