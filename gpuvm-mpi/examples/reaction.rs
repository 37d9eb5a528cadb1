//! The reaction of gpuvm's example `reaction` on all ranks: each has its part of the cells, and what it needs of its neighbours' goes between them in each step. The first rank leaves pictures of the plane in
//! the middle, and all of them a checkpoint from which any number of ranks goes on.
//!
//! `cargo run --release --example reaction -- 128 2000 reaction`, or `mpirun -n 4 target/release/examples/reaction 128 2000 reaction`: cells a side, steps, and a folder.

#[path = "../../examples/reaction/model.rs"]
mod model;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use gpuvm_mpi::Runtime;
use model::{Medium, Reaction};

/// Pictures on the way.
const FRAMES: u32 = 10;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, otherwise: u32| {
        let given = arguments.get(place).map(|text| text.parse());
        given.unwrap_or(Ok(otherwise))
    };
    let (Ok(side), Ok(steps)) = (number(0, 128), number(1, 2000)) else {
        eprintln!("cells a side, steps, and a folder");
        return ExitCode::FAILURE;
    };
    let folder = arguments.get(2).map_or("reaction", |folder| folder);
    gpuvm_mpi::run(|runtime| simulate(runtime, side, steps, Path::new(folder)))
}

fn simulate(runtime: &Runtime, side: u32, steps: u32, folder: &Path) -> Result<(), Box<dyn Error>> {
    let checkpoint = folder.join("checkpoint");
    let mut reaction = match runtime.load_bytes(&checkpoint) {
        Ok(bytes) => Reaction::restored(runtime, &bytes)?.ok_or("the checkpoint is another program's")?,
        Err(_) => Reaction::new(runtime, Medium::cube(side))?,
    };
    if runtime.is_first() {
        std::fs::create_dir_all(folder)?;
        println!(
            "{} ranks on {}, after {} steps",
            runtime.size(),
            runtime.device(),
            reaction.steps
        );
    }
    let each = steps.div_ceil(FRAMES).max(1);
    while reaction.steps < steps {
        reaction.advance(runtime, each.min(steps - reaction.steps))?;
        let pixels = reaction.section(runtime)?;
        if runtime.is_first() {
            let path = folder.join(format!("{:06}.pgm", reaction.steps));
            std::fs::write(&path, picture(reaction.size(), &pixels))?;
            println!("wrote {}", path.display());
        }
        runtime.save_bytes(&checkpoint, &reaction.saved()?)?;
    }
    Ok(())
}

/// A picture as a portable graymap.
fn picture((width, height): (u32, u32), pixels: &[u8]) -> Vec<u8> {
    let head = format!("P5 {width} {height} 255\n");
    [head.as_bytes(), pixels].concat()
}
