//! A driver that plays a GPU on the host, for tests: it does what it is told when it is asked how far it is, or when a test lets it, and
//! fails when a test wants it to.
#![allow(unsafe_code)]

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpuvm_ptx::{Request, mailbox};

use super::pinned::Pinned;
use super::{About, Chain, Driver, Entered, Error, Function, Gpu, Kind, Launch, Mark, Result};

/// The driver, and its GPU.
#[derive(Debug)]
pub struct Fake {
    about: About,
    state: Mutex<State>,
    this: std::sync::Weak<Fake>,
}

#[derive(Debug, Default)]
struct State {
    /// Device memory by its addresses.
    memory: BTreeMap<u64, Vec<u8>>,
    next: u64,
    /// Host memory by its addresses.
    host: BTreeMap<u64, usize>,
    told: VecDeque<Order>,
    /// Whether nothing is done until the test says so.
    held: bool,
    launched: Vec<Launched>,
    passed: Vec<usize>,
    marks: usize,
    compiled: Vec<String>,
    loaded: HashMap<usize, String>,
    functions: usize,
    /// How many allocations will do.
    allocations: Option<usize>,
    no_words: bool,
    /// Whether no more kernels may stay.
    is_full: bool,
    lost: Option<Error>,
    clock: u64,
    /// Chains by their numbers, and how often one was launched.
    chains: HashMap<usize, Vec<Launched>>,
    chains_made: usize,
    chains_launched: usize,
}

#[derive(Debug)]
enum Order {
    Copy(u64, u64, u64),
    Clear(u64, u64),
    Word(u64, u32),
    Free(u64),
    Mark(usize),
    Launch(Launched),
}

/// A launch that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    function: usize,
    /// The kernel's entry.
    pub entry: String,
    /// Its blocks.
    pub blocks: [u32; 3],
    /// The parameters.
    pub values: Vec<Vec<u8>>,
}

impl Fake {
    /// A GPU of 16 MiB.
    pub fn new() -> Arc<Fake> {
        Arc::new_cyclic(|this| Fake {
            about: About {
                name: "Fake".to_string(),
                capability: [9, 0],
                memory: 1 << 24,
                multiprocessors: 4,
                integrated: false,
                bus: "0000:00:00.0".to_string(),
                version: 12_040,
                driver: Some("550.54".to_string()),
            },
            state: Mutex::new(State {
                next: 0x7000_0000_0000_0000,
                ..State::default()
            }),
            this: this.clone(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The driver has no words in order.
    pub fn without_words(&self) {
        self.state().no_words = true;
    }

    /// No more kernels may stay.
    pub fn fill(&self) {
        self.state().is_full = true;
    }

    /// From now on nothing is done.
    pub fn hold(&self) {
        self.state().held = true;
    }

    /// What was told is done, and what is told later is done at once.
    pub fn release(&self) {
        let mut state = self.state();
        state.held = false;
        state.go_on();
    }

    /// So many allocations succeed from now on.
    pub fn allocations(&self, count: usize) {
        self.state().allocations = Some(count);
    }

    /// Launches that are done.
    pub fn launched(&self) -> Vec<Launched> {
        self.state().launched.clone()
    }

    /// Texts that were compiled.
    pub fn compiled(&self) -> Vec<String> {
        self.state().compiled.clone()
    }

    /// Functions that are loaded.
    pub fn loaded(&self) -> usize {
        self.state().loaded.len()
    }

    /// Chains that were made, that are there, and how often one was launched.
    pub fn chains(&self) -> [usize; 3] {
        let state = self.state();
        [state.chains_made, state.chains.len(), state.chains_launched]
    }

    /// Blocks of host memory that are there.
    pub fn host_blocks(&self) -> usize {
        self.state().host.len()
    }

    /// Pieces of device memory that are there.
    pub fn device_blocks(&self) -> usize {
        self.state().memory.len()
    }
}

impl State {
    fn alive(&self) -> Result<()> {
        self.lost.clone().map_or(Ok(()), Err)
    }

    fn tell(&mut self, order: Order) -> Result<()> {
        self.alive()?;
        self.told.push_back(order);
        if !self.held {
            self.go_on();
        }
        Ok(())
    }

    fn go_on(&mut self) {
        while self.lost.is_none()
            && let Some(order) = self.told.pop_front()
        {
            match order {
                Order::Copy(from, to, bytes) => {
                    let bytes = self.read(from, bytes);
                    self.write(to, &bytes);
                }
                Order::Clear(at, bytes) => self.write(at, &vec![0; bytes as usize]),
                Order::Word(at, value) => self.write(at, &value.to_ne_bytes()),
                Order::Free(at) => assert!(self.memory.remove(&at).is_some(), "freed twice"),
                Order::Mark(mark) => self.passed.push(mark),
                Order::Launch(launch) => self.run(launch),
            }
        }
    }

    /// Plays the kernels of the tests by their names.
    fn run(&mut self, launch: Launched) {
        let number = |at: usize| u64::from_ne_bytes(launch.values[at][..8].try_into().unwrap());
        match launch.entry.trim_start_matches("kernel_") {
            // A buffer, and a uniform whose first word is to be added to each of its words.
            "add" => {
                let (at, bytes) = (number(0), number(1));
                let added = u32::from_ne_bytes(launch.values[2][..4].try_into().unwrap());
                let mut words = self.read(at, bytes);
                for word in words.as_chunks_mut::<4>().0 {
                    *word = u32::from_ne_bytes(*word).wrapping_add(added).to_ne_bytes();
                }
                self.write(at, &words);
            }
            // The same for a word each thread of 32, with its uniform in memory and a mailbox.
            "stay" => self.stay(32, number(0), number(2), number(3), false),
            // It counts two for each thread in the second word of the workgroup's own.
            "count" => self.stay(32, number(0), number(2), number(3), true),
            "stamp" => {
                self.clock += 1000;
                self.write(number(0), &self.clock.to_ne_bytes());
            }
            "fault" => {
                self.lost = Some(Error {
                    kind: Kind::Lost,
                    call: "cuStreamQuery",
                    code: 700,
                    text: "CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access was encountered".to_string(),
                });
            }
            _ => {}
        }
        self.launched.push(launch);
    }

    /// Plays a kernel that stays, with so many threads, for one request, if there is a new one, and then leaves.
    fn stay(&mut self, threads: u32, words: u64, uniform: u64, mailbox: u64, counts: bool) {
        let word = |state: &State, at: u64| u32::from_ne_bytes(state.read(at, 4).try_into().unwrap());
        let slots = mailbox + mailbox::SLOTS as u64;
        let ticket = word(self, slots + 4);
        if ticket != word(self, mailbox + mailbox::ANSWERED as u64) {
            let pairs = word(self, slots + 8 * 3);
            let request: Vec<u32> = (0..2 * u64::from(pairs))
                .map(|slot| {
                    assert!(slot == mailbox::FREE as u64 || word(self, slots + 8 * slot + 4) == ticket);
                    word(self, slots + 8 * slot)
                })
                .collect();
            let parts = request[4..Request::WORDS].as_chunks::<4>().0;
            let parts = parts
                .iter()
                .map(|part| (u64::from(part[0]) | u64::from(part[1]) << 32, 16 * u64::from(part[2])));
            let parts: Vec<(u64, u64)> = parts.collect();
            let mut payload = match request[1] {
                0 => request[Request::WORDS..]
                    .iter()
                    .flat_map(|word| word.to_ne_bytes())
                    .collect(),
                _ => {
                    let bytes = parts[..2].iter().map(|part| part.1).sum();
                    self.read(mailbox + mailbox::payload(threads) as u64, bytes)
                }
            };
            for &(to, bytes) in parts[..2].iter().filter(|part| part.1 > 0) {
                let rest = payload.split_off(bytes as usize);
                self.write(to, &payload);
                payload = rest;
            }
            for &(to, bytes) in parts[2..4].iter().filter(|part| part.1 > 0) {
                self.write(to, &vec![0; bytes as usize]);
            }
            let added = word(self, uniform);
            for at in (0..u64::from(request[0] * threads)).map(|number| words + 4 * number) {
                let sum = word(self, at).wrapping_add(added);
                self.write(at, &sum.to_ne_bytes());
            }
            let own = counts.then(|| [0, 2 * request[0] * threads, 0, 0].map(u32::to_ne_bytes));
            let mut answer = own.iter().flatten().copied().collect::<Vec<_>>().concat();
            for &(from, bytes) in parts[4..].iter().filter(|part| part.1 > 0) {
                answer.extend(self.read(from, bytes));
            }
            match request[2] {
                0 => {
                    let slots = answer
                        .as_chunks::<4>()
                        .0
                        .iter()
                        .flat_map(|&word| [word, ticket.to_ne_bytes()]);
                    let slots = slots.collect::<Vec<_>>().concat();
                    self.write(mailbox + mailbox::answers(threads) as u64, &slots);
                }
                at => self.write(mailbox + u64::from(at), &answer),
            }
            self.write(mailbox + mailbox::ANSWERED as u64, &ticket.to_ne_bytes());
        }
        self.write(mailbox + mailbox::LEFT as u64, &1_u32.to_ne_bytes());
    }

    fn launched(&self, launch: &Launch<'_>) -> Launched {
        let ends = launch
            .offsets
            .iter()
            .skip(1)
            .copied()
            .chain([launch.values.len() as u32]);
        let parts = launch.offsets.iter().zip(ends);
        let values = parts.map(|(&start, end)| launch.values[start as usize..end as usize].to_vec());
        Launched {
            function: launch.function.kernel,
            entry: self.loaded[&launch.function.kernel].clone(),
            blocks: launch.blocks,
            values: values.collect(),
        }
    }

    fn read(&self, at: u64, bytes: u64) -> Vec<u8> {
        if let Some((start, memory)) = self.memory.range(..=at).next_back()
            && at + bytes <= start + memory.len() as u64
        {
            let from = (at - start) as usize;
            return memory[from..from + bytes as usize].to_vec();
        }
        self.host_part(at, bytes);
        // SAFETY: the block is there and has so many bytes.
        unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(at as usize), bytes as usize) }.to_vec()
    }

    fn write(&mut self, at: u64, bytes: &[u8]) {
        if let Some((start, memory)) = self.memory.range_mut(..=at).next_back()
            && at + bytes.len() as u64 <= start + memory.len() as u64
        {
            let to = (at - start) as usize;
            memory[to..to + bytes.len()].copy_from_slice(bytes);
            return;
        }
        self.host_part(at, bytes.len() as u64);
        let to: *mut u8 = std::ptr::with_exposed_provenance_mut(at as usize);
        // SAFETY: the block is there and has so many bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }

    fn host_part(&self, at: u64, bytes: u64) {
        let within = |(start, size): (&u64, &usize)| at + bytes <= start + *size as u64;
        assert!(
            self.host.range(..=at).next_back().is_some_and(within),
            "a stray address"
        );
    }
}

impl Gpu for Fake {
    fn about(&self) -> &About {
        &self.about
    }

    fn open(&self) -> Result<Arc<dyn Driver>> {
        Ok(self.this.upgrade().unwrap())
    }
}

impl Driver for Fake {
    fn enter(&self) -> Result<Entered> {
        Ok(Entered::freely())
    }

    fn allocate(&self, bytes: u64) -> Result<u64> {
        let mut state = self.state();
        state.alive()?;
        let left = state.allocations;
        state.allocations = left.map(|left| left.saturating_sub(1));
        let most = self.about.memory;
        let lacks = |state: &State| {
            let used: u64 = state.memory.values().map(|memory| memory.len() as u64).sum();
            used.saturating_add(bytes) > most
        };
        if lacks(&state) {
            state.go_on();
        }
        if left == Some(0) || lacks(&state) {
            return Err(Error {
                kind: Kind::OutOfMemory,
                call: "cuMemAllocFromPoolAsync",
                code: 2,
                text: "out of memory".to_string(),
            });
        }
        let at = state.next;
        state.next += bytes.next_multiple_of(256) + 256;
        state.memory.insert(at, vec![0xcd; bytes as usize]);
        Ok(at)
    }

    fn free(&self, address: u64) {
        let _ = self.state().tell(Order::Free(address));
    }

    fn allocate_host(&self, bytes: usize) -> Result<NonNull<u8>> {
        let mut state = self.state();
        state.alive()?;
        let block = Box::leak(vec![0xabcd_u64; bytes.div_ceil(8)].into_boxed_slice());
        let start = NonNull::from_mut(block).cast::<u8>();
        state.host.insert(start.as_ptr().expose_provenance() as u64, bytes);
        Ok(start)
    }

    fn free_host(&self, start: NonNull<u8>) {
        let address = start.as_ptr().expose_provenance() as u64;
        let bytes = self.state().host.remove(&address);
        let words = bytes.expect("freed twice").div_ceil(8);
        // SAFETY: it was leaked in `allocate_host`, as so many words.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start.as_ptr().cast::<u64>(), words)) });
    }

    fn beside(&self, _: &Arc<Pinned>) -> Result<Option<Arc<dyn Driver>>> {
        let state = self.state();
        state.alive()?;
        // One stream plays them all: kernels that stay leave after each request.
        Ok(self
            .this
            .upgrade()
            .filter(|_| !state.is_full)
            .map(|this| this as Arc<dyn Driver>))
    }

    fn copy(&self, from: u64, to: u64, bytes: u64) -> Result<()> {
        self.state().tell(Order::Copy(from, to, bytes))
    }

    fn clear(&self, address: u64, bytes: u64) -> Result<()> {
        self.state().tell(Order::Clear(address, bytes))
    }

    fn write_word(&self, address: u64, value: u32) -> Result<()> {
        self.state().tell(Order::Word(address, value))
    }

    fn writes_words(&self) -> bool {
        !self.state().no_words
    }

    fn mark(&self) -> Result<Mark> {
        let mut state = self.state();
        state.marks += 1;
        let mark = state.marks;
        state.tell(Order::Mark(mark))?;
        Ok(Mark(mark))
    }

    fn wait_for(&self, _: Mark) -> Result<()> {
        Ok(())
    }

    fn number(&self) -> usize {
        0
    }

    fn open_to(&self, _: usize) -> Result<bool> {
        Ok(false)
    }

    fn has_passed(&self, mark: Mark) -> Result<bool> {
        let state = self.state();
        state.alive()?;
        Ok(state.passed.contains(&mark.0))
    }

    fn forget(&self, mark: Mark) {
        self.state().passed.retain(|&passed| passed != mark.0);
    }

    fn is_idle(&self) -> Result<bool> {
        let state = self.state();
        state.alive()?;
        Ok(state.told.is_empty())
    }

    fn compile(&self, ptx: &str) -> Result<Vec<u8>> {
        let mut state = self.state();
        state.alive()?;
        if ptx.contains("refuse") {
            return Err(Error {
                kind: Kind::Refused,
                call: "cuLinkAddData",
                code: 218,
                text: "CUDA_ERROR_INVALID_PTX: ptxas fatal : something is wrong".to_string(),
            });
        }
        state.compiled.push(ptx.to_string());
        Ok([b"cubin ", ptx.as_bytes()].concat())
    }

    fn load(&self, cubin: &[u8], entry: &str) -> Result<Function> {
        let mut state = self.state();
        state.alive()?;
        assert!(cubin.starts_with(b"cubin "));
        state.functions += 1;
        let kernel = state.functions;
        state.loaded.insert(kernel, entry.to_string());
        Ok(Function { module: kernel, kernel })
    }

    fn unload(&self, function: Function) {
        let mut state = self.state();
        let told = state.told.iter();
        let entry = &state.loaded[&function.kernel];
        let mut launches = told.filter_map(|order| match order {
            Order::Launch(launch) => Some(&launch.entry),
            _ => None,
        });
        assert!(!launches.any(|launched| launched == entry), "unloaded while it runs");
        state.loaded.remove(&function.kernel);
    }

    fn resident_blocks(&self, _: Function, threads: u32) -> Result<u32> {
        Ok(self.about.multiprocessors * (2048 / threads))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let mut state = self.state();
        let launched = state.launched(launch);
        state.tell(Order::Launch(launched))
    }

    fn launches_dependents(&self) -> bool {
        self.about.capability >= [9, 0]
    }

    fn chain(&self, length: usize, launch: &Launch<'_>) -> Result<Chain> {
        let mut state = self.state();
        state.alive()?;
        state.chains_made += 1;
        let number = state.chains_made;
        let launched = state.launched(launch);
        state.chains.insert(number, vec![launched; length]);
        Ok(Chain {
            graph: number,
            runnable: number,
            links: (0..length).collect(),
        })
    }

    fn set_link(&self, chain: &Chain, at: usize, launch: &Launch<'_>) -> Result<()> {
        let mut state = self.state();
        state.alive()?;
        let before = state.chains[&chain.runnable][at].function;
        assert!(state.loaded.contains_key(&before), "what a link was has been unloaded");
        let launched = state.launched(launch);
        let links = state.chains.get_mut(&chain.runnable).expect("a chain that is there");
        links[at] = launched;
        Ok(())
    }

    fn launch_chain(&self, chain: &Chain) -> Result<()> {
        let mut state = self.state();
        state.chains_launched += 1;
        let links = state.chains[&chain.runnable].clone();
        links.into_iter().try_for_each(|link| state.tell(Order::Launch(link)))
    }

    fn forget_chain(&self, chain: &Chain) {
        assert!(self.state().chains.remove(&chain.runnable).is_some(), "forgotten twice");
    }
}
