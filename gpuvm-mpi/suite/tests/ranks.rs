//! Programs under `mpirun` give the bits of one process, for any number of ranks, on the CPU and on a GPU that may be software.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use proptest::prelude::*;

/// The program that ranks run.
const PROGRAM: &str = env!("CARGO_BIN_EXE_gpuvm-mpi-suite");
/// The environment variable with the `mpirun` of the MPI that the program is built with.
const MPIRUN: &str = "MPIRUN";

/// The name of what starts ranks.
fn starter() -> String {
    std::env::var(MPIRUN).unwrap_or_else(|_| "mpirun".to_string())
}

/// Whether that is MPICH's, which kills the other ranks at once when one dies, and says of any of them that it was killed first, unless it is told not to.
fn is_hydra() -> bool {
    let said = Command::new(starter()).arg("--version").output();
    said.is_ok_and(|said| text(&said).contains("HYDRA"))
}

/// Ranks that end because of another one take ten seconds at most, and on a busy machine no more than this.
const ENDED: Duration = Duration::from_secs(40);

/// A command that starts so many ranks of the program on this machine, also of more than it has cores.
fn mpirun(ranks: usize, backend: &str) -> Command {
    mpirun_with(&[], ranks, backend)
}

/// The same, with options of what starts them.
fn mpirun_with(options: &[&str], ranks: usize, backend: &str) -> Command {
    // Ranks that wait for each other for good are no test that goes on for good.
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", "300", &starter()]).args(options);
    command.args(["-n", &ranks.to_string(), PROGRAM, "ranks"]);
    // Open MPI asks for these; MPICH knows none of them.
    for name in [
        "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
        "OMPI_MCA_rmaps_base_oversubscribe",
        "OMPI_MCA_mpi_yield_when_idle",
    ] {
        command.env(name, "1");
    }
    // Containers do not let processes read each other's memory.
    command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
    command.env("GPUVM_BACKEND", backend);
    command
}

fn text(output: &Output) -> String {
    let [out, error] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}{error}")
}

/// What one process without MPI finds.
fn alone(backend: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(PROGRAM);
    let output = command
        .arg("alone")
        .args(arguments)
        .env("GPUVM_BACKEND", backend)
        .output();
    let output = output.expect("the program starts");
    assert!(output.status.success(), "{}", text(&output));
    // Without what a driver says of its surroundings.
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

/// What each rank finds.
fn on_ranks(ranks: usize, backend: &str, arguments: &[&str]) -> Vec<String> {
    let output = mpirun(ranks, backend).args(arguments).output();
    let output = output.expect("`mpirun` starts; Debian has it in `mpich` and in `openmpi-bin`");
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    let of = |rank: usize| {
        let begin = format!("rank {rank} of {ranks}: ");
        let line = said.lines().find_map(|line| line.strip_prefix(&begin));
        line.unwrap_or_else(|| panic!("rank {rank} says nothing: {said}"))
            .trim()
            .to_string()
    };
    (0..ranks).map(of).collect()
}

#[test]
fn every_pattern_gives_the_bits_of_one_process() {
    for backend in ["cpu", "wgpu"] {
        let expected = alone(backend, &["patterns"]);
        assert_eq!(expected, alone("cpu", &["patterns"]));
        for ranks in [1, 2, 3, 4, 7] {
            for (rank, found) in on_ranks(ranks, backend, &["patterns"]).into_iter().enumerate() {
                assert_eq!(found, expected, "rank {rank} of {ranks}, {backend}");
            }
        }
    }
}

#[test]
fn vms_that_are_handed_out_give_the_bits_of_one_process() {
    let expected = alone("cpu", &["ensemble"]);
    for (ranks, backend) in [(1, "cpu"), (3, "cpu"), (3, "wgpu"), (7, "cpu")] {
        for (rank, found) in on_ranks(ranks, backend, &["ensemble"]).into_iter().enumerate() {
            assert_eq!(found, expected, "rank {rank} of {ranks}, {backend}");
        }
    }
}

#[test]
fn a_checkpoint_goes_on_with_other_ranks() {
    let folder = std::env::temp_dir().join(format!("gpuvm-mpi-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let run = |ranks: usize, case: &str| {
        let output = mpirun(ranks, "cpu")
            .arg(case)
            .current_dir(&folder)
            .output()
            .expect("`mpirun` starts");
        (output.status.success(), text(&output))
    };
    let (is_saved, said) = run(4, "save");
    assert!(is_saved, "{said}");
    let digest = |said: &str| {
        said.lines()
            .find_map(|line| Some(line.strip_prefix("rank 0 of ")?.split_once(": ")?.1.to_string()))
    };
    let expected = digest(&said).expect("a digest");
    for ranks in [1, 3, 5] {
        let (is_loaded, said) = run(ranks, "load");
        assert!(is_loaded, "{said}");
        assert_eq!(digest(&said).as_ref(), Some(&expected), "{said}");
    }
    // What is no checkpoint is said, and where there is none.
    std::fs::write(folder.join("slow_count.checkpoint"), b"gpuvm was here").expect("a file");
    let (is_loaded, said) = run(2, "load");
    assert!(!is_loaded && said.contains("snapshot"), "{said}");
    std::fs::remove_dir_all(&folder).expect("no folder");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (is_loaded, said) = run(2, "load");
    assert!(!is_loaded && said.contains("slow_count.checkpoint: "), "{said}");
    std::fs::remove_dir_all(&folder).expect("no folder");
}

/// What ranks say that do not come to their end, and are not left waiting.
fn failing(mut command: Command) -> String {
    let begin = Instant::now();
    let output = command.output().expect("`mpirun` starts");
    let (said, time) = (text(&output), begin.elapsed());
    assert!(!output.status.success(), "{said}");
    assert!(time < ENDED, "{time:?}: {said}");
    said
}

#[test]
fn a_rank_that_ends_early_ends_all() {
    let mut command = mpirun(3, "cpu");
    command.args(["leave", "1"]);
    let said = failing(command);
    assert!(said.contains("rank 1 has ended, and this one waits for it"), "{said}");
}

#[test]
fn errors_are_said_once() {
    let mut command = mpirun(3, "cpu");
    command.args(["fail", "1"]);
    let said = failing(command);
    assert!(
        said.contains("gpuvm: rank 1 of 3 on ") && said.contains(": this rank has no more paper"),
        "{said}"
    );
    let mut command = mpirun(3, "cpu");
    command.args(["fail_all"]);
    let said = failing(command);
    assert_eq!(said.matches("error: nobody has any paper").count(), 1, "{said}");
    assert!(!said.contains("rank 1 of 3"), "{said}");
}

#[test]
fn tokens_go_round_all_ranks() {
    for backend in ["cpu", "wgpu"] {
        let expected = on_ranks(1, backend, &["tokens"]).remove(0);
        for ranks in [2, 3, 4] {
            for (rank, found) in on_ranks(ranks, backend, &["tokens"]).into_iter().enumerate() {
                assert_eq!(found, expected, "rank {rank} of {ranks}, {backend}");
            }
        }
    }
}

#[test]
fn one_trace_has_all_ranks() {
    on_ranks(3, "cpu", &["trace"]);
}

#[test]
fn a_rank_that_panics_ends_all() {
    let mut command = mpirun(3, "cpu");
    command.args(["panic", "2"]);
    let said = failing(command);
    assert!(said.contains("this rank has had enough"), "{said}");
    assert!(said.contains("gpuvm: rank 2 of 3"), "{said}");
}

#[test]
fn a_rank_that_is_killed_ends_all() {
    let mut command = mpirun_with(if is_hydra() { &["-disable-auto-cleanup"] } else { &[] }, 3, "cpu");
    command
        .args(["hang", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = command.spawn().expect("`mpirun` starts");
    kill_rank(1);
    let begin = Instant::now();
    let output = started.wait_with_output().expect("`mpirun` ends");
    let (said, time) = (text(&output), begin.elapsed());
    assert!(!output.status.success(), "{said}");
    assert!(time < ENDED, "{time:?}: {said}");
    let names = ["gpuvm: rank 1 of 3 is gone", "process rank 1 "];
    assert!(names.iter().any(|name| said.contains(name)), "{said}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn random_plans_give_the_bits_of_one_process(len in 1..5000usize, seed: u64, ranks in 2..6usize, is_gpu: bool) {
        let (len, seed) = (len.to_string(), seed.to_string());
        let backend = if is_gpu { "wgpu" } else { "cpu" };
        let expected = alone("cpu", &["plan", &len, &seed]);
        for found in on_ranks(ranks, backend, &["plan", &len, &seed]) {
            prop_assert_eq!(&found, &expected);
        }
    }
}

/// Kills the process that is this rank of a program which hangs.
fn kill_rank(rank: usize) {
    let names = [format!("OMPI_COMM_WORLD_RANK={rank}"), format!("PMI_RANK={rank}")];
    let begin = Instant::now();
    loop {
        assert!(
            begin.elapsed() < Duration::from_secs(20),
            "rank {rank} is not among the processes"
        );
        std::thread::sleep(Duration::from_millis(200));
        let processes = std::fs::read_dir("/proc").expect("processes");
        let numbers = processes.filter_map(|process| process.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let read = |process: u32, what: &str| std::fs::read(format!("/proc/{process}/{what}")).unwrap_or_default();
        let has = |all: &[u8], wanted: &str| all.split(|byte| *byte == 0).any(|text| text == wanted.as_bytes());
        let is_it = |process: &u32| {
            let environment = read(*process, "environ");
            has(&read(*process, "cmdline"), "hang") && names.iter().any(|name| has(&environment, name))
        };
        if let Some(process) = { numbers }.find(is_it) {
            // It is at its work, or waits for the others already.
            std::thread::sleep(Duration::from_secs(1));
            let killed = Command::new("kill").args(["-9", &process.to_string()]).status();
            assert!(killed.expect("`kill` starts").success());
            return;
        }
    }
}
