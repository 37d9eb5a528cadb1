//! Kernels whose actors forward messages to those of another one: on every engine what plain Rust does, whatever is full, not there, or over.

use gpuvm::prelude::*;
use gpuvm::ring::{KernelHandle, Restart};
use proptest::prelude::*;

use super::{Deposit, ENGINES, SHORT, actors, launch, ring_error};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Page {
    word: u32,
    copies: u32,
}

/// What a reader is given.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Copied {
    word: u64,
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
struct Read {
    copies: u32,
    hash: u64,
}

/// Gives readers copies of a page and, while it has any left, the next printer the page.
#[ring_kernel(forwards = 3)]
fn printer(pages: &mut u32, page: Page, ctx: &mut Ring<Copied>) {
    *pages += 1;
    for copy in 0..page.copies {
        let word = page.word.rotate_left(copy) as u64 + *pages as u64;
        ctx.forward((page.word + copy) % 16, Copied { word });
    }
    if (page.word & 3) != 0 && page.word > 100 {
        let next = (ctx.actor() + 1) % ctx.actors();
        ctx.send(
            next,
            Page {
                word: page.word / 2,
                ..page
            },
        );
    }
}

#[ring_kernel]
fn reader(read: &mut Read, copy: Copied) -> Copied {
    read.copies += 1;
    read.hash = read.hash.wrapping_mul(31) ^ copy.word;
    Copied { word: read.hash }
}

/// What readers answer to what printers forward, in plain Rust, in the order of the rounds.
fn expected(printers: u32, mut mail: Vec<(u32, Page)>) -> Vec<(u32, Copied)> {
    let mut pages = vec![0; printers as usize];
    let mut readers = [Read::default(); 16];
    let mut answers = Vec::new();
    while !mail.is_empty() {
        mail.sort_by_key(|(actor, _)| *actor);
        let mut sent = Vec::new();
        for (actor, page) in mail {
            let mut ctx = Ring::linked(actor, printers);
            let own = &mut pages[actor as usize];
            if page.copies > 3 {
                // It traps at the fourth, and starts afresh.
                printer(own, Page { copies: 3, ..page }, &mut ctx);
                *own = 0;
            } else {
                printer(own, page, &mut ctx);
                sent.extend(ctx.sent::<Page>());
            }
            for (to, copy) in ctx.forwarded::<Copied>() {
                answers.push((to, reader(&mut readers[to as usize], copy)));
            }
        }
        mail = sent;
    }
    answers
}

/// Links printers to readers, and has them print these pages.
fn forward(printing: &KernelHandle, readers: &KernelHandle, pages: &[(u32, Page)]) {
    settle_both(printing, readers, pages).unwrap();
}

/// The same, with what who waits for the first kernel is told.
fn settle_both(printing: &KernelHandle, readers: &KernelHandle, pages: &[(u32, Page)]) -> gpuvm::Result<()> {
    printing.link(readers).unwrap();
    readers.blocking_activate().unwrap();
    printing.blocking_send_all(pages.iter().copied()).unwrap();
    printing.blocking_activate().unwrap();
    let settled = printing.blocking_settle();
    readers.blocking_settle().unwrap();
    settled
}

/// All answers of actors, each one's in order.
fn answers(kernel: &KernelHandle) -> Vec<(u32, Copied)> {
    let mut found = Vec::new();
    while let Ok(answer) = kernel.blocking_receive_from(std::time::Duration::ZERO) {
        found.push(answer);
    }
    found.sort_by_key(|(actor, _)| *actor);
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn messages_are_forwarded_alike_on_every_engine(
        printers in 1..20u32,
        pages in prop::collection::vec((any::<u32>(), 0..2000u32, 0..4u32), 1..60),
    ) {
        let page = |&(to, word, copies): &(u32, u32, u32)| (to % printers, Page { word, copies });
        let pages: Vec<_> = pages.iter().map(page).collect();
        let mut expected = expected(printers, pages.clone());
        expected.sort_by_key(|(actor, _)| *actor);
        let others = ENGINES.into_iter().zip(ENGINES.into_iter().cycle().skip(1));
        // Kernels need not be on the same engine.
        for (engine, other) in ENGINES.map(|engine| (engine, engine)).into_iter().chain(others) {
            let readers = launch("reader", other, actors(16));
            let printing = launch("printer", engine, actors(printers));
            forward(&printing, &readers, &pages);
            prop_assert_eq!(&answers(&readers), &expected, "{} to {}", engine, other);
            let metrics = readers.blocking_metrics().unwrap();
            prop_assert_eq!((metrics.accepted, metrics.dropped), (expected.len() as u64, 0), "{} to {}", engine, other);
        }
    }
}

#[test]
fn what_was_forwarded_before_a_trap_was_forwarded() {
    let page = |copies| (0, Page { word: 4, copies });
    let pages = vec![page(1), page(4), page(2)];
    let mut expected = expected(1, pages.clone());
    expected.sort_by_key(|(actor, _)| *actor);
    for engine in ENGINES {
        let options = RingOptions {
            restart: Restart::Fresh,
            ..actors(1)
        };
        let (printing, readers) = (launch("printer", engine, options), launch("reader", engine, actors(16)));
        let told = settle_both(&printing, &readers, &pages).unwrap_err().to_string();
        assert!(
            told.contains("raise `#[ring_kernel(forwards = …)]`"),
            "{engine}: {told}"
        );
        assert_eq!(answers(&readers), expected, "{engine}");
        let letter = printing.dead_letter().unwrap().to_string();
        assert!(
            letter.contains("an actor forwarded more messages for one") && letter.contains("link.rs:"),
            "{engine}: {letter}"
        );
    }
}

#[test]
fn actors_rest_while_the_linked_kernel_is_full() {
    for engine in [Engine::Native, Engine::Interpreter] {
        let full = RingOptions {
            queue_capacity: 4,
            ..actors(16)
        };
        let (printing, readers) = (launch("printer", engine, actors(2)), launch("reader", engine, full));
        printing.link(&readers).unwrap();
        printing.blocking_activate().unwrap();
        let page = Page { word: 8, copies: 2 };
        printing.blocking_send_all([(0, page), (1, page), (0, page)]).unwrap();
        while readers.blocking_metrics().unwrap().queued < 4 {
            std::thread::yield_now();
        }
        // What was forwarded is there before the batch counts as handled.
        while printing.blocking_metrics().unwrap().in_flight > 0 {
            std::thread::yield_now();
        }
        let before = printing.blocking_metrics().unwrap().processed;
        printing.blocking_send_all([(1, page); 5]).unwrap();
        std::thread::sleep(SHORT);
        let rests = printing.blocking_metrics().unwrap();
        assert_eq!((rests.processed, rests.queued), (before, 8 - before), "{engine}");
        readers.blocking_activate().unwrap();
        let mut found = Vec::new();
        while found.len() < 16 {
            readers
                .blocking_receive_many::<Copied>(&mut found, super::LONG)
                .unwrap();
        }
        printing.blocking_settle().unwrap();
        // One that ends waits for nobody's room.
        readers.blocking_deactivate().unwrap();
        printing.blocking_send_all([(0, page); 30]).unwrap();
        printing.blocking_terminate().unwrap();
        assert_eq!(readers.blocking_metrics().unwrap().queued, 60, "{engine}");
    }
}

/// Plays the ball back.
#[ring_kernel]
fn player(played: &mut u32, ball: Page, ctx: &mut Ring<Page>) {
    *played += 1;
    if ball.copies > 0 {
        let copies = ball.copies - 1;
        ctx.forward(ctx.actor(), Page { copies, ..ball });
    }
}

#[test]
fn kernels_in_a_circle_do_not_wait_for_each_other() {
    for engine in [Engine::Native, Engine::Specialized] {
        let options = RingOptions {
            queue_capacity: 4,
            ..actors(10)
        };
        let [one, other] = [0, 1].map(|_| launch("player", engine, options.clone()));
        one.link(&other).unwrap();
        other.link(&one).unwrap();
        one.blocking_activate().unwrap();
        other.blocking_activate().unwrap();
        let balls = (0..50).map(|i| (i % 10, Page { word: i, copies: 9 }));
        one.blocking_send_all(balls).unwrap();
        let played = |kernel: &KernelHandle| kernel.blocking_metrics().unwrap().processed;
        while played(&one) + played(&other) < 500 {
            std::thread::yield_now();
        }
        assert_eq!((played(&one), played(&other)), (250, 250), "{engine}");
        // A game without end ends with its players.
        let ball = Page {
            word: 0,
            copies: u32::MAX,
        };
        one.blocking_send(3, ball).unwrap();
        one.blocking_terminate().unwrap();
        other.blocking_settle().unwrap();
        let lost = other.dead_letter().unwrap().to_string();
        assert!(lost.contains("to actor 3: `forward` needs"), "{engine}: {lost}");
        other.blocking_terminate().unwrap();
    }
}

#[test]
fn what_cannot_be_linked_or_forwarded_is_told() {
    let native = |id: &str| launch(id, Engine::Native, actors(1));
    let told = |kernel: &KernelHandle, other: &KernelHandle| ring_error(kernel.link(other).unwrap_err()).to_string();
    let (printing, readers) = (native("printer"), native("reader"));
    assert_eq!(
        told(&printing, &native("ledger")),
        "ring kernel `printer` cannot be linked to `ledger`: its actors forward `Copied`, and theirs understand `Deposit`"
    );
    assert_eq!(
        told(&readers, &printing),
        "ring kernel `reader` cannot be linked to `printer`: its actors forward nothing; give them `ctx: &mut Ring<Page>`"
    );
    printing.link(&readers).unwrap();
    assert_eq!(
        told(&printing, &readers),
        "ring kernel `printer` cannot be linked to `reader`: it is linked already"
    );
    printing.blocking_activate().unwrap();
    assert_eq!(
        told(&printing, &readers),
        "`link` needs ring kernel `printer` to be launched or deactivated, and it is active"
    );
    // The readers have one actor.
    let print = |printing: &KernelHandle| {
        printing.blocking_send(0, Page { word: 4, copies: 1 }).unwrap();
        printing.blocking_settle().unwrap();
    };
    let reason = |kernel: &KernelHandle| {
        let letter = kernel.dead_letter().unwrap();
        assert!(letter.message::<Copied>().is_some() && letter.message::<Deposit>().is_none());
        letter.to_string()
    };
    print(&printing);
    assert!(reason(&readers).ends_with("has 1 actor, numbered from 0, and actor 4 was named"));
    readers.blocking_terminate().unwrap();
    print(&printing);
    assert!(reason(&printing).ends_with("and it is terminated"));
    drop(readers);
    let alone = native("printer");
    alone.blocking_activate().unwrap();
    print(&alone);
    assert!(
        reason(&alone)
            .ends_with("ring kernel `printer` is not linked to another one; call `link` before it is activated")
    );
    assert_eq!(alone.blocking_metrics().unwrap().dropped, 1);
}

#[test]
fn a_restored_kernel_can_be_linked() {
    let page = Page { word: 8, copies: 2 };
    let printing = launch("printer", Engine::Native, actors(2));
    printing.blocking_send(1, page).unwrap();
    let kept = printing.blocking_snapshot().unwrap();
    let restored = super::runtime().blocking_restore_ring(&kept, kept.options()).unwrap();
    let readers = super::active("reader", Engine::Native, actors(16));
    restored.link(&readers).unwrap();
    restored.blocking_activate().unwrap();
    restored.blocking_settle().unwrap();
    readers.blocking_settle().unwrap();
    assert_eq!(answers(&readers).len(), 2);
}
