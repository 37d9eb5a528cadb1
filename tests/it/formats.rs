//! The formats of values in texts: widths and precisions that are values, arguments by place and by name, and what std's traits show.

use gpuvm::prelude::*;

use crate::harness::{ENGINES, runtime};

cases! { in_panics, evaluated_once }

#[derive(VmType, Clone, Copy, Debug)]
struct Point {
    x: u32,
    y: f32,
}

#[derive(VmType, Clone, Copy, Debug)]
enum Shape {
    Dot,
    Line(u32, Point),
    Named { letter: Option<char> },
}

#[routine]
fn prints_formats(x: u32) -> u32 {
    let width = (x % 20) as usize;
    let y = x as f32 / 7.0;
    let digits = 3;
    println!(
        "{:>1$}|{:>0width$}|{:.*}|{y:width$.digits$}|{:^+10.3e}|{0:<width$}|{y:-^+0width$.1}|{:#0v$x}",
        x,
        6,
        2,
        y,
        y,
        77,
        v = width + 3
    );
    println!("{0} {0} {1} {0:?} {y}", x ^ 1, y);
    println!("{:width$?}|{:>1$?}|{:.digits$?}", [x, 2], 5, y);
    println!("{:width$?}|{:.*?}|{:#?}", &[x, 2][..], 1, &[y, 2.5][..], [x]);
    println!(
        "{:#?} {:#?} {:?} {:?}",
        Shape::Line(x, Point { x, y }),
        Some((x, 'c')),
        Shape::Named { letter: Some('\n') },
        Shape::Dot
    );
    println!(
        "{:>8}|{:<8}|{:^8.2}|{:?}|{:*^digits$.1$}",
        "abc", 2, "abcdef", "a\"b", "abc"
    );
    println!("{:5}|{:<5}|{:>5}|{:>5$}|{:-^9}", true, 'x', 'y', 7, false, 8);
    println!(
        "{:e} {:E} {:08.2} {:+} {:x} {:#X} {:#b} {:o}",
        y, 1500u32, -y, x, 255u8, 3000, 5, 9
    );
    println!("{:#010b} {:x?} {:#06X?} {:#?} {:5$}", 5, [10, 11], 12, true, 2, 4);
    println!("{{}} {:2$}-{:3$} {:.3$}", 1, 4.0, 3, 4);
    x
}

#[test]
fn formats_are_stds() {
    let mut texts = ENGINES.into_iter().map(|engine| {
        let done = runtime()
            .launch("prints_formats")
            .unwrap()
            .args((&[0u32, 5, 12, 4_000_000_019],))
            .engine(engine)
            .run()
            .unwrap();
        let lines: Vec<String> = done.logs().iter().map(|line| line.text.clone()).collect();
        (engine, lines)
    });
    let (_, native) = texts.next().unwrap();
    assert!(native[0].starts_with("     0|6|0.00|0.000|"), "{}", native[0]);
    for (engine, lines) in texts {
        assert_eq!(lines, native, "{engine}");
    }
}

#[routine]
fn in_panics(x: u32) -> u32 {
    let width = (x % 16) as usize;
    assert!(x % 8 != 1, "{x:>width$}");
    assert!(x % 8 != 2, "{:-<1$}|", x as u8, 12);
    assert!(x % 8 != 3, "{:.*}", 2, x as f32 / 3.0);
    assert!(x % 8 != 4, "{:#010x} {:?}", x, Some(x as u8));
    x
}

/// An argument that is shown twice is evaluated once, and the arguments in their order.
#[routine]
fn evaluated_once(x: u32) -> u32 {
    let mut count = x & 3;
    let mut next = || {
        count += 1;
        count
    };
    println!("{1} {0} {1}", next(), next());
    println!("{0} {0} {0}", next());
    count
}
