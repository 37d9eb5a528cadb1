//! Kernels that stay: requests in a mailbox, while they wait and while nobody is there.

use gpuvm_ptx::{Own, Part, Request, Words, mailbox};

use super::*;

/// Adds the uniform to as many words as there are, and counts workgroups.
const SOURCE: &str = "
    @group(0) @binding(0) var<storage, read_write> words: array<u32>;
    @group(0) @binding(1) var<storage, read> given: array<u32>;
    @group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
    @group(0) @binding(3) var<uniform> added: vec4<u32>;
    var<workgroup> sum: atomic<u32>;
    var<private> own: u32 = 1u;
    @compute @workgroup_size(32)
    fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) i: u32) {
        if i == 0u { atomicStore(&sum, 0u); }
        workgroupBarrier();
        own += added.x;
        let at = group.x * 32u + i;
        words[at] += own + given[at];
        atomicAdd(&sum, 1u);
        workgroupBarrier();
        if i == 0u { atomicAdd(&counts[0], atomicLoad(&sum) + 100u * groups.x); }
    }";

/// Threads of a workgroup.
const THREADS: u32 = 32;
/// Words of the buffers.
const WORDS: usize = 384;
/// Where the answer is in the mailbox, if it is not in slots.
const ANSWER: usize = mailbox::payload(THREADS) + 2048;

struct Rig {
    kernel: Kernel,
    memory: Memory,
    mailbox: u64,
    /// The buffers, and the uniform.
    buffers: [u64; 4],
    tickets: u32,
    has_own: bool,
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Rig {
    fn new() -> Rig {
        Rig::with(Own::default())
    }

    /// One whose workgroup has something in its own memory.
    fn with(own: Own) -> Rig {
        let options = Options {
            grid: Grid::Resident(own),
            ..EXACT
        };
        let mut memory = Memory::default();
        let mailbox = memory.add(&vec![0; ANSWER / 4 + WORDS + 4]);
        let stay = [3_000_u64, 10_000].map(u64::to_le_bytes).concat();
        memory.write(mailbox + mailbox::STAY as u64, &stay);
        Rig {
            kernel: assembled(SOURCE, &options),
            mailbox,
            buffers: [WORDS, WORDS, 4, 4].map(|words| memory.add(&vec![7; words])),
            memory,
            tickets: 0,
            has_own: own.answered.is_some(),
        }
    }

    fn write(&mut self, when: u64, at: usize, bytes: Vec<u8>) {
        let address = self.mailbox + at as u64;
        match when {
            0 => self.memory.write(address, &bytes),
            when => self.memory.write_later((when, address, bytes)),
        }
    }

    /// Writes words to the first slots, each with a ticket.
    fn fill_slots(&mut self, when: u64, words: &[u32], ticket: u32) {
        let slots: Vec<[u32; 2]> = words.iter().map(|&word| [word, ticket]).collect();
        let (before, after) = slots.split_at(mailbox::FREE);
        self.write(when, mailbox::SLOTS, bytes(before.as_flattened()));
        self.write(when, mailbox::HURRY + 8, bytes(after[1..].as_flattened()));
    }

    /// Asks for the work of so many workgroups, with these words given and this added, when the clock was read so often. Of the words so many
    /// are wanted back.
    fn ask(&mut self, when: u64, groups: u32, (given, added): (&[u32], u32), wanted: usize) {
        let [words, column, counts, uniform] = self.buffers;
        let part = |address, words: usize| Part {
            address,
            chunks: words.div_ceil(4) as u32,
        };
        let mut payload = given.to_vec();
        payload.resize(given.len().next_multiple_of(4), 0);
        payload.extend([added, 0, 0, 0]);
        let is_open = Request::WORDS + payload.len() > mailbox::slots(THREADS);
        let request = Request {
            groups,
            is_open,
            answer_at: (self.own() + wanted > mailbox::slots(THREADS)).then_some(ANSWER as u32),
            put: [part(column, given.len()), part(uniform, 4)],
            clear: [part(0, 0), part(counts, if self.has_own { 0 } else { 4 })],
            get: part(words, wanted),
        };
        self.tickets += 1;
        let mut first = request.words().to_vec();
        match is_open {
            true => self.write(when, mailbox::payload(THREADS), bytes(&payload)),
            false => first.extend(payload),
        }
        self.fill_slots(when, &first, self.tickets);
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
        let Kernel {
            text,
            workgroup: [threads, ..],
            lookout,
            ..
        } = &self.kernel;
        executor::run(text, [threads + lookout, 1, 1], [1, 1, 1], &given, &mut self.memory);
    }

    /// The last request that was answered, and whether the kernel has left.
    fn state(&self) -> [u32; 2] {
        let words = self.memory.words(self.mailbox);
        [mailbox::ANSWERED, mailbox::LEFT].map(|at| words[at / 4])
    }

    /// Words of an answer before those that are wanted.
    fn own(&self) -> usize {
        if self.has_own { 4 } else { 0 }
    }

    /// The answer of so many words to the last request: the count, and the words.
    fn answer(&self, wanted: usize) -> (u32, Vec<u32>) {
        let (words, all) = (self.memory.words(self.mailbox), self.own() + wanted);
        let words: Vec<u32> = if all > mailbox::slots(THREADS) {
            words[ANSWER / 4..][..all].to_vec()
        } else {
            let slots = words[mailbox::answers(THREADS) / 4..].as_chunks::<2>().0;
            let each = slots[..all].iter().map(|&[word, ticket]| {
                assert_eq!(ticket, self.tickets);
                word
            });
            each.collect()
        };
        let (own, words) = words.split_at(self.own());
        let count = own.first().copied();
        let count = count.unwrap_or_else(|| self.memory.words(self.buffers[2])[0]);
        (count, words.to_vec())
    }
}

/// What is left in words of which so many have been worked on.
fn after(before: &[u32], groups: u32, given: &[u32], added: u32) -> Vec<u32> {
    let mut words = before.to_vec();
    for (at, word) in words.iter_mut().take(groups as usize * THREADS as usize).enumerate() {
        *word += 1 + added + given.get(at).copied().unwrap_or(7);
    }
    words
}

fn words_of(binding: u32, words: usize) -> Words {
    Words {
        group: 0,
        binding,
        words: words as u32,
    }
}

/// With copies of what is only read.
fn copied() -> Own {
    Own {
        answered: None,
        copied: [Some(words_of(1, WORDS)), Some(words_of(3, 4))],
    }
}

#[test]
fn requests_are_answered_one_after_the_other() {
    check_requests(Rig::new());
}

#[test]
fn requests_are_answered_the_same_by_copies() {
    check_requests(Rig::with(copied()));
}

fn check_requests(mut rig: Rig) {
    let long: Vec<u32> = (0..301).collect();
    // Nobody is there yet, and both fit into slots; while the kernel waits, in the open; and when it has left and was launched again.
    rig.ask(0, 3, (&[1, 2, 3], 5), 60);
    rig.run();
    assert_eq!(rig.state(), [1, 1]);
    let first = after(&[7; WORDS], 3, &[1, 2, 3, 0], 5);
    assert_eq!(rig.answer(60), (3 * (32 + 300), first[..60].to_vec()));
    let before = rig.memory.clock();
    rig.ask(before + 1000, 11, (&long, 1000), WORDS);
    rig.ask(before + 1300, 0, (&[], 0), WORDS);
    rig.ask(before + 2500, 1, (&[4], 1), 4);
    rig.run();
    assert_eq!(rig.state(), [4, 1]);
    let mut column = long.clone();
    column.resize(304, 0);
    let second = after(&first, 11, &column, 1000);
    let open = rig.memory.words(rig.mailbox)[ANSWER / 4..].to_vec();
    assert_eq!(open[..WORDS], second);
    let mut column = column[4..].to_vec();
    column.splice(0..0, [4, 0, 0, 0]);
    let third = after(&second, 1, &column, 1);
    assert_eq!(rig.answer(4), (32 + 100, third[..4].to_vec()));
}

/// The counts are the first words of each answer, and in no memory of the device.
#[test]
fn a_workgroup_has_words_for_its_own() {
    let mut rig = Rig::with(Own {
        answered: Some(words_of(2, 3)),
        ..Own::default()
    });
    let bindings = |parameter: &Parameter| matches!(parameter, Parameter::Buffer { binding: 2, .. });
    assert!(!rig.kernel.parameters.iter().any(bindings));
    rig.ask(0, 3, (&[1, 2, 3], 5), 44);
    rig.run();
    let first = after(&[7; WORDS], 3, &[1, 2, 3, 0], 5);
    assert_eq!(rig.answer(44), (3 * (32 + 300), first[..44].to_vec()));
    let before = rig.memory.clock();
    // It begins at 0 again, and lies before all else in the open, too.
    rig.ask(before + 700, 2, (&[4], 1), WORDS);
    rig.run();
    let second = after(&first, 2, &[4, 0, 0, 0], 1);
    let second: Vec<u32> = second
        .iter()
        .enumerate()
        .map(|(at, word)| *word - if at == 3 { 7 } else { 0 })
        .collect();
    let (count, words) = rig.answer(WORDS);
    assert_eq!(count, 2 * (32 + 200));
    assert_eq!(words[4..], second[4..]);
    assert_eq!(rig.memory.words(rig.buffers[2])[0], 7);
}

/// What is written past the kernel is seen by the next one that is launched.
#[test]
fn copies_are_taken_when_a_kernel_is_launched() {
    let mut rig = Rig::with(copied());
    rig.ask(0, 1, (&[1, 2, 3, 4], 5), 8);
    rig.run();
    let first = after(&[7; WORDS], 1, &[1, 2, 3, 4], 5);
    assert_eq!(rig.answer(8).1, first[..8]);
    let before = rig.memory.clock();
    let column = rig.buffers[1];
    rig.memory.write_later((before + 500, column, bytes(&[90; 8])));
    rig.ask(before + 1000, 1, (&[5], 6), 8);
    rig.run();
    let second = after(&first, 1, &[5, 0, 0, 0], 6);
    assert_eq!(rig.answer(8).1, second[..8]);
    rig.ask(0, 1, (&[], 7), 8);
    rig.run();
    let third = after(&second, 1, &[5, 0, 0, 0, 90, 90, 90, 90], 7);
    assert_eq!(rig.answer(8).1, third[..8]);
}

#[test]
fn a_copy_has_the_whole_of_a_uniform() {
    let options = Options {
        grid: Grid::Resident(Own {
            copied: [Some(words_of(3, 3)), None],
            ..Own::default()
        }),
        ..EXACT
    };
    let error = translated(SOURCE, &options).unwrap_err().to_string();
    assert!(error.contains("a copy of less than a whole uniform"), "{error}");
}

#[test]
fn a_kernel_leaves_when_it_is_told_to_and_after_its_time() {
    let mut rig = Rig::new();
    // Before its time for waiting is over.
    rig.ask(0, 1, (&[1], 1), 4);
    rig.write(20 * u64::from(THREADS), mailbox::HURRY, vec![1, 0, 0, 0]);
    rig.run();
    assert_eq!(rig.state(), [1, 1]);
    let read = rig.memory.clock();
    assert!(read < 40 * u64::from(THREADS), "{read}");
    // With a request now and then it never waits for long, and leaves all the same.
    let mut rig = Rig::new();
    rig.ask(0, 1, (&[1], 1), 4);
    (1..200).for_each(|number| rig.ask(300 + number * 100, 1, (&[1], 1), 4));
    rig.run();
    let [answered, left] = rig.state();
    assert!(left == 1 && (80..=105).contains(&answered), "{answered}");
    let read = rig.memory.clock();
    assert!((10_000..10_600).contains(&read), "{read}");
}

#[test]
fn workgroups_of_more_dimensions_or_of_few_threads_do_not_stay() {
    let options = Options {
        grid: Grid::Resident(Own::default()),
        ..EXACT
    };
    for (size, reason) in [
        ("32, 2", "have more than one dimension"),
        ("8", "are that small"),
        ("48", "are no whole warps"),
    ] {
        let source = format!("@compute @workgroup_size({size}) fn main() {{}}");
        let error = translated(&source, &options).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
