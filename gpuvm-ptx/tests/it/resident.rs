//! Kernels that stay: requests in a mailbox, while they wait and while nobody is there.

use gpuvm_ptx::{Part, Request, mailbox};

use super::*;

/// Adds the uniform to as many words as there are, and counts workgroups.
const SOURCE: &str = "
    @group(0) @binding(0) var<storage, read_write> words: array<u32>;
    @group(0) @binding(1) var<storage, read> given: array<u32>;
    @group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
    @group(0) @binding(3) var<uniform> added: vec4<u32>;
    var<workgroup> sum: atomic<u32>;
    var<private> own: u32 = 1u;
    @compute @workgroup_size(4)
    fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) i: u32) {
        if i == 0u { atomicStore(&sum, 0u); }
        workgroupBarrier();
        own += added.x;
        let at = group.x * 4u + i;
        words[at] += own + given[at];
        atomicAdd(&sum, 1u);
        workgroupBarrier();
        if i == 0u { atomicAdd(&counts[0], atomicLoad(&sum) + 100u * groups.x); }
    }";

/// Words of the buffers.
const WORDS: usize = 48;
/// Where the answer is in the mailbox.
const ANSWER: usize = mailbox::PAYLOAD + 512;

struct Rig {
    kernel: Kernel,
    memory: Memory,
    mailbox: u64,
    /// The buffers, and the uniform.
    buffers: [u64; 4],
    tickets: u32,
}

impl Rig {
    fn new() -> Rig {
        let options = Options {
            grid: Grid::Resident,
            ..EXACT
        };
        let mut memory = Memory::default();
        Rig {
            kernel: assembled(SOURCE, &options),
            mailbox: memory.add(&vec![0; (ANSWER + 1024) / 4]),
            buffers: [WORDS, WORDS, 4, 4].map(|words| memory.add(&vec![7; words])),
            memory,
            tickets: 0,
        }
    }

    /// Asks for the work of so many workgroups, with these words given and this added, when the clock was read so often.
    fn ask(&mut self, when: u64, groups: u32, given: &[u32], added: u32) {
        let [words, column, counts, uniform] = self.buffers;
        let part = |address, words: usize| Part {
            address,
            chunks: words.div_ceil(4) as u64,
        };
        let request = Request {
            groups,
            answer_at: ANSWER as u64,
            put: [part(column, given.len()), part(0, 0), part(uniform, 4)],
            clear: part(counts, 4),
            get: [part(counts, 4), part(words, WORDS)],
            idle: 100,
            life: 10_000,
        };
        let mut payload = given.to_vec();
        payload.resize(given.len().next_multiple_of(4), 0);
        payload.extend([added, 0, 0, 0]);
        let payload: Vec<u8> = payload.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.tickets += 1;
        let writes = [
            (mailbox::REQUEST, request.bytes().to_vec()),
            (mailbox::PAYLOAD, payload),
            (mailbox::TICKET, self.tickets.to_le_bytes().to_vec()),
        ];
        for (at, bytes) in writes {
            let address = self.mailbox + at as u64;
            match when {
                0 => self.memory.write(address, &bytes),
                when => self.memory.write_later((when, address, bytes)),
            }
        }
    }

    fn run(&mut self) {
        self.memory.write(self.mailbox + mailbox::LEFT as u64, &[0; 4]);
        let mut given = Vec::new();
        for parameter in &self.kernel.parameters {
            match *parameter {
                Parameter::Buffer { binding, .. } => {
                    let words = [WORDS, WORDS, 4][binding as usize];
                    given.push(Given::Long(self.buffers[binding as usize]));
                    given.push(Given::Long(words as u64 * 4));
                }
                Parameter::Uniform { .. } => given.push(Given::Long(self.buffers[3])),
                Parameter::Mailbox => given.push(Given::Long(self.mailbox)),
                Parameter::Grid => panic!("a grid where a kernel stays"),
            }
        }
        let Kernel { text, workgroup, .. } = &self.kernel;
        executor::run(text, *workgroup, [1, 1, 1], &given, &mut self.memory);
    }

    /// The last request that was answered, and whether the kernel has left.
    fn state(&self) -> [u32; 2] {
        let words = self.memory.words(self.mailbox);
        [mailbox::ANSWERED, mailbox::LEFT].map(|at| words[at / 4])
    }

    /// The answer: the counts, and the words.
    fn answer(&self) -> (u32, Vec<u32>) {
        let words = &self.memory.words(self.mailbox)[ANSWER / 4..];
        (words[0], words[4..4 + WORDS].to_vec())
    }
}

/// What is left in words of which so many have been worked on.
fn after(before: &[u32], groups: u32, given: &[u32], added: u32) -> Vec<u32> {
    let mut words = before.to_vec();
    for (at, word) in words.iter_mut().take(groups as usize * 4).enumerate() {
        *word += 1 + added + given.get(at).copied().unwrap_or(7);
    }
    words
}

#[test]
fn requests_are_answered_one_after_the_other() {
    let mut rig = Rig::new();
    let long: Vec<u32> = (0..41).collect();
    // Nobody is there yet; while the kernel waits; and when it has left and was launched again.
    rig.ask(0, 3, &[1, 2, 3], 5);
    rig.ask(40, 11, &long, 1000);
    rig.run();
    assert_eq!(rig.state(), [2, 1]);
    let first = after(&[7; WORDS], 3, &[1, 2, 3, 0], 5);
    let mut column = long.clone();
    column.resize(44, 0);
    let second = after(&first, 11, &column, 1000);
    assert_eq!(rig.answer(), (11 * (4 + 1100), second.clone()));
    rig.ask(0, 0, &[], 0);
    rig.run();
    assert_eq!(rig.state(), [3, 1]);
    assert_eq!(rig.answer(), (0, second));
}

#[test]
fn a_kernel_leaves_when_it_is_told_to_and_after_its_time() {
    let mut rig = Rig::new();
    // Before its time for waiting is over: it would be the 100th reading at the earliest.
    let leave = mailbox::LEAVE.to_le_bytes().to_vec();
    rig.ask(0, 1, &[1], 1);
    rig.memory
        .write_later((20, rig.mailbox + mailbox::TICKET as u64, leave));
    rig.run();
    assert_eq!(rig.state(), [1, 1]);
    let read = rig.memory.clock();
    assert!(read < 40, "{read}");
    // With a request now and then it never waits for long, and leaves all the same.
    let mut rig = Rig::new();
    rig.ask(0, 1, &[1], 1);
    (1..300).for_each(|number| rig.ask(number * 50, 1, &[1], 1));
    rig.run();
    let [answered, left] = rig.state();
    assert!(left == 1 && (150..=201).contains(&answered), "{answered}");
    let read = rig.memory.clock();
    assert!((10_000..10_100).contains(&read), "{read}");
}

#[test]
fn workgroups_of_more_dimensions_do_not_stay() {
    let options = Options {
        grid: Grid::Resident,
        ..EXACT
    };
    let source = "@compute @workgroup_size(2, 2) fn main() {}";
    let error = translated(source, &options).unwrap_err().to_string();
    assert!(error.contains("more than one dimension"), "{error}");
}
