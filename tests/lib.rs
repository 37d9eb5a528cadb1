//! What the suite's test binaries share: the back end that they are for, and routines and types of another crate for the cases that call
//! across crates.

#![allow(missing_docs, reason = "only the suite reads this")]

use gpuvm::prelude::*;
use gpuvm::{Backend, Device, Settings, Spreading};
use gpuvm_engine::{Choice, Opened};
use gpuvm_pool::{Lease, Pool};

/// The engines of the suite. A software rasteriser such as lavapipe will do for the last three.
pub const ENGINES: [Engine; 5] = [
    Engine::Native,
    Engine::Reference,
    Engine::Interpreter,
    Engine::Epoch,
    Engine::Specialized,
];

/// The back end of the GPU engines that are tested: wgpu, whose devices may be software, or the one that `GPUVM_BACKEND` names.
pub fn gpu_backend() -> Backend {
    match std::env::var("GPUVM_BACKEND").as_deref() {
        Ok("cuda") => Backend::Cuda,
        _ => Backend::Wgpu,
    }
}

/// A runtime whose linker has the given settings.
///
/// # Panics
///
/// If there is no device, be it a GPU or a software rasteriser. Passing without one would say of the GPU engines what nobody has checked.
pub fn runtime_with(settings: Settings) -> Runtime {
    let builder = Runtime::builder().settings(settings);
    match std::env::var_os(DEVICES) {
        None => builder.on(vec![gpu()]).unwrap(),
        Some(_) => {
            let cpu = |threads| Opened {
                device: Device::cpu_threads(threads),
                engines: Vec::new(),
            };
            builder
                .spreading(Spreading::Always)
                .on(vec![gpu(), cpu(1), gpu(), cpu(2)])
                .unwrap()
        }
    }
}

/// With this environment variable, runtimes of the suite are on several devices, unequal ones, over which everything is spread that can be.
pub const DEVICES: &str = "GPUVM_TEST_DEVICES";

/// A GPU, which is one more each time that somebody asks.
///
/// # Panics
///
/// As [`runtime_with`].
pub fn gpu() -> Opened {
    match gpuvm_wgpu::open(gpu_backend(), Choice::Best) {
        Ok(opened) => opened,
        Err(error) => panic!(
            "the tests need a device that wgpu can open; a software one such as Mesa's lavapipe will do: {error}"
        ),
    }
}

/// The runtime of the test that asks, which those beside it have not, unless they are many. A test with several threads asks once.
///
/// # Panics
///
/// As [`runtime_with`].
pub fn runtime() -> &'static Runtime {
    static RUNTIMES: Pool<Runtime> = Pool::new();
    thread_local! {
        static LEASE: Lease<Runtime> = RUNTIMES.lease(|| runtime_with(Settings::default()));
    }
    LEASE.with(Lease::value)
}

/// A dial of `size` positions.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Dial {
    pub at: u32,
    pub size: u32,
}

#[routine]
impl Dial {
    pub fn new(size: u32) -> Dial {
        Dial {
            at: 0,
            size: size.max(1),
        }
    }

    pub fn turn(&mut self, by: u32) {
        self.at = (self.at % self.size + by % self.size) % self.size;
    }
}

#[routine]
impl std::ops::Add<u32> for Dial {
    type Output = Dial;

    fn add(mut self, by: u32) -> Dial {
        self.turn(by);
        self
    }
}

/// A routine that other crates call, and launch by its id.
#[routine]
pub fn scatter(x: u32, seed: u32) -> u32 {
    (x ^ seed.rotate_left(x & 31)).wrapping_mul(0x9e37_79b1)
}

#[routine]
pub fn pick<T: VmType, const N: usize>(values: [T; N], place: u32) -> T {
    values[place as usize % N]
}

pub mod nested {
    use gpuvm::prelude::*;

    #[routine]
    pub fn halve(x: f32) -> f32 {
        x / 2.0
    }
}

/// What draws numbers.
#[routine]
pub trait Draws {
    /// The next one.
    fn draw(&mut self) -> u32;
}

/// What all that draw have beside.
#[routine]
pub trait DrawsMore: Draws {
    /// A number below another.
    fn below(&mut self, n: u32) -> u32 {
        self.draw() % n
    }

    /// Yes or no.
    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }
}

#[routine]
impl<R: Draws + ?Sized> DrawsMore for R {}

/// A linear congruential generator.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Drawer(pub u32);

#[routine]
impl Draws for Drawer {
    fn draw(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 7
    }
}

/// What has an area.
#[routine]
pub trait Shape<T> {
    /// It.
    fn area(&self) -> T;
}

/// A rectangle of any numbers.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Rect<T> {
    pub width: T,
    pub height: T,
}

#[routine]
impl<T: Copy + std::ops::Mul<Output = T>> Shape<T> for Rect<T> {
    fn area(&self) -> T {
        self.width * self.height
    }
}
