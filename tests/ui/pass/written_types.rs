//! Types that are written of what is made of parts, wherever these stand.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Pair<T> {
    a: T,
    b: T,
}

#[routine]
fn f(c: u32, list: &[u32]) -> Option<(u32, [f32; 2])> {
    let chosen: Result<u32, i32> = if c % 2 == 0 { Ok(c) } else { Err(5) };
    let matched: Option<(u32, f32)> = match c {
        0 => None,
        1 => {
            let inner: (u32, f32) = { (1, 2.0) };
            Some((inner.0, inner.1))
        }
        _ => Some((c, 1.0)),
    };
    let texts: [&str; 2] = if c > 3 { ["a", "bc"] } else { ["", "d"] };
    let lists: (&[u32], Option<&[u32]>) = (&[1, 2, 3], Some(&[4]));
    let placeholder: (u32, _) = (1, list.len());
    let nested: Pair<Option<u8>> = Pair { a: Some(1), b: None };
    let Some((n, x)): Option<(u32, f32)> = matched else {
        return Some((placeholder.1 as u32, [0.0; 2]));
    };
    {
        #[derive(VmType, Clone, Copy)]
        struct Inner(u32);
        let inner: Option<Inner> = Some(Inner(3));
        if let Some(Inner(k)) = inner {
            return Some((k + texts[0].len() as u32 + lists.0[0] + nested.a.map_or(0, u32::from), [x; 2]));
        }
    }
    match chosen {
        Ok(m) => Some((m + n, [1.0, x])),
        Err(_) => None,
    }
}

fn main() {}
