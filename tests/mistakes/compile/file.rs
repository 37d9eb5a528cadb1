//! A file, which the host has.

#![allow(unused)]

use gpuvm::prelude::*;

use std::fs::File;

#[routine]
fn opened(x: u32) -> u32 {
    let file = File::open("a").unwrap();
//~ «File» `std::fs::File` cannot be used inside a #[routine] … what is the host's, as `Instant`, `Mutex` and `File` are, stays there
    x
}

#[routine]
fn opened_by_path(x: u32) -> u32 {
    let file = std::fs::File::open("a");
//~ «std» `std::fs::File` cannot be used inside a #[routine]
    x
}

#[routine]
fn created(x: u32) -> u32 {
    match File::create("a") {
//~ «File» `std::fs::File` cannot be used inside a #[routine]
        Ok(_) => 1,
        Err(_) => 0,
    }
}

mod own {
    use gpuvm::prelude::*;

    #[derive(VmType, Clone, Copy)]
    struct File(u32);

    #[routine]
    impl File {
        fn open(number: u32) -> Result<File, u8> {
            if number > 3 { Err(1) } else { Ok(File(number)) }
        }
        fn create(number: u32) -> File {
            File(number)
        }
    }

    #[routine]
    fn opened(x: u32) -> Result<u32, u8> {
        let file = File::open(x)?;
        Ok(file.0 + File::create(2).0)
    }
}

fn main() {}
