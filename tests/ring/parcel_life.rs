//! Parcels, which are what actors forward to a kernel in the same memory, while they wait: for a kernel that is full, rests, is taken a
//! snapshot of, or ends.

use gpuvm::prelude::*;
use gpuvm::ring::{KernelHandle, Life, Restart, Terminate};

use super::talk::goes_round;
use super::{ENGINES, LONG, actors, runtime};

/// A card, with the number that it has among those of its dealer.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Card {
    number: u32,
    /// Who deals so many cards; 0 if it is somebody else than an actor.
    of: u32,
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
struct Hand {
    dealt: u32,
    others: u32,
    /// Cards that came before those with lower numbers.
    early: u32,
}

/// Deals its cards one after the other.
#[ring_kernel(sends = 1, forwards = 1)]
fn dealer(dealt: &mut u32, card: Card, ctx: &mut Ring<Card>) {
    *dealt += 1;
    ctx.forward(ctx.actor(), card);
    let number = card.number + 1;
    if number < card.of {
        ctx.send(ctx.actor(), Card { number, ..card });
    }
}

/// Takes cards and says nothing.
#[ring_kernel]
fn player_of_cards(hand: &mut Hand, card: Card) {
    let mut expected = hand.dealt;
    if card.of == 0 {
        expected = hand.others;
        hand.others += 1;
    } else {
        hand.dealt += 1;
    }
    hand.early += (card.number != expected) as u32;
}

/// Takes cards, and without them sends itself another turn for ever. Says when it has ten, and leaves the table at a red one.
#[ring_kernel(sends = 1)]
fn restless_player(hand: &mut Hand, card: Card, ctx: &mut Ring) -> Option<Card> {
    assert!(card.of != RED, "no red card");
    if card.of == 0 {
        hand.others += 1;
        ctx.send(ctx.actor(), card);
        return None;
    }
    hand.early += (card.number != hand.dealt) as u32;
    hand.dealt += 1;
    if hand.dealt == 10 {
        return Some(card);
    }
    None
}

/// Takes cards, and passes each on as often as its dealer has cards.
#[ring_kernel(sends = 1)]
fn generous_player(hand: &mut Hand, card: Card, ctx: &mut Ring) {
    hand.dealt += 1;
    if card.of > 0 {
        let of = card.of - 1;
        ctx.send((ctx.actor() + 1) % ctx.actors(), Card { of, ..card });
    }
}

/// Takes cards, but for one who is about to leave the table at its second, and drops it.
#[ring_kernel(sends = 1)]
fn clumsy_player(hand: &mut Hand, card: Card, ctx: &mut Ring) {
    if card.number == 1 && ctx.actor() == CLUMSY {
        ctx.stop();
        assert!(card.of == 0, "it drops its card");
    }
    hand.dealt += 1;
}

/// Who that is.
const CLUMSY: u32 = 7;
/// How many cards a dealer of red ones has.
const RED: u32 = 3;
/// Actors of each kernel.
const COUNT: u32 = 100;

/// Dealers and players on an engine, who can take so many cards.
fn table(runtime: &Runtime, engine: Engine, queue_capacity: usize) -> [KernelHandle; 2] {
    let options = RingOptions {
        engine,
        queue_capacity,
        ..actors(COUNT)
    };
    table_of(runtime, "player_of_cards", options)
}

/// The same with such players.
fn table_of(runtime: &Runtime, players: &str, options: RingOptions) -> [KernelHandle; 2] {
    let of_dealers = RingOptions {
        engine: options.engine,
        queue_capacity: 1 << 16,
        ..actors(COUNT)
    };
    let launch = |id, options| runtime.blocking_launch_ring(id, options).unwrap();
    let [dealers, players] = [launch("dealer", of_dealers), launch(players, options)];
    dealers.link(&players).unwrap();
    [dealers, players]
}

/// Has each dealer deal so many cards.
fn deal(dealers: &KernelHandle, of: u32) {
    let first = (0..COUNT).map(|actor| (actor, Card { number: 0, of }));
    dealers.blocking_send_all(first).unwrap();
    dealers.blocking_activate().unwrap();
}

fn hands(players: &KernelHandle) -> Vec<Hand> {
    players.blocking_deactivate().unwrap();
    (0..COUNT).map(|actor| players.blocking_state(actor).unwrap()).collect()
}

#[test]
fn others_may_deal_too_and_full_hands_hold_dealers_up() {
    for engine in ENGINES {
        let [dealers, players] = table(runtime(), engine, 250);
        players.blocking_activate().unwrap();
        deal(&dealers, 20);
        for number in 0..8 {
            let card = Card { number, of: 0 };
            players
                .blocking_send_all((0..COUNT).map(|actor| (actor, card)))
                .unwrap();
        }
        dealers.blocking_settle().unwrap();
        players.blocking_settle().unwrap();
        let metrics = players.blocking_metrics().unwrap();
        assert!(metrics.most_queued <= 250 + u64::from(COUNT), "{engine}: {metrics:?}");
        assert_eq!(
            (metrics.accepted, metrics.dropped),
            (28 * u64::from(COUNT), 0),
            "{engine}"
        );
        let hand = Hand {
            dealt: 20,
            others: 8,
            early: 0,
        };
        assert_eq!(hands(&players), [hand; COUNT as usize], "{engine}");
    }
}

#[test]
fn who_traps_while_it_stops_does_not_stop_when_it_starts_afresh() {
    for engine in ENGINES {
        let options = RingOptions {
            engine,
            restart: Restart::Fresh,
            ..actors(COUNT)
        };
        let [dealers, players] = table_of(runtime(), "clumsy_player", options);
        players.blocking_activate().unwrap();
        deal(&dealers, 9);
        dealers.blocking_settle().unwrap();
        players.blocking_settle().unwrap();
        let metrics = players.blocking_metrics().unwrap();
        assert_eq!(
            (metrics.accepted, metrics.dropped),
            (9 * u64::from(COUNT), 1),
            "{engine}"
        );
        assert_eq!(players.blocking_status().unwrap().stopped_actors, 0, "{engine}");
        for (actor, hand) in (0..).zip(hands(&players)) {
            assert_eq!(hand.dealt, if actor == CLUMSY { 7 } else { 9 }, "{engine}: {actor}");
        }
    }
}

#[test]
fn dealers_that_are_held_up_can_be_deactivated() {
    for engine in ENGINES {
        let [dealers, players] = table(runtime(), engine, 250);
        deal(&dealers, 20);
        while players.blocking_metrics().unwrap().queued < 250 {
            std::thread::yield_now();
        }
        dealers.blocking_deactivate().unwrap();
        let waiting = players.blocking_metrics().unwrap().queued;
        assert!(waiting < 250 + u64::from(COUNT), "{engine}: {waiting}");
        assert_eq!(dealers.blocking_metrics().unwrap().queued, u64::from(COUNT), "{engine}");
        players.blocking_activate().unwrap();
        dealers.blocking_activate().unwrap();
        dealers.blocking_settle().unwrap();
        players.blocking_settle().unwrap();
        let hand = Hand {
            dealt: 20,
            ..Hand::default()
        };
        assert_eq!(hands(&players), [hand; COUNT as usize], "{engine}");
    }
}

#[test]
fn a_parcel_that_waits_is_in_a_snapshot() {
    for engine in ENGINES {
        let [dealers, players] = table(runtime(), engine, 1 << 16);
        deal(&dealers, 3);
        dealers.blocking_settle().unwrap();
        let kept = players.blocking_snapshot().unwrap();
        assert_eq!(kept.waiting(), 3 * COUNT as usize, "{engine}");
        let options = RingOptions {
            engine: Engine::Native,
            ..kept.options()
        };
        let hand = Hand {
            dealt: 3,
            ..Hand::default()
        };
        for players in [players, runtime().blocking_restore_ring(&kept, options).unwrap()] {
            players.blocking_activate().unwrap();
            players.blocking_settle().unwrap();
            let metrics = players.blocking_metrics().unwrap();
            assert_eq!(
                (metrics.processed, metrics.from_linked),
                (3 * u64::from(COUNT), 0),
                "{engine}"
            );
            assert_eq!(hands(&players), [hand; COUNT as usize], "{engine}");
        }
    }
}

#[test]
fn a_parcel_that_nobody_takes_becomes_dead_letters() {
    for engine in ENGINES {
        let [dealers, players] = table(runtime(), engine, 1 << 16);
        deal(&dealers, 2);
        dealers.blocking_settle().unwrap();
        let waiting = players.blocking_metrics().unwrap();
        assert_eq!(
            (waiting.queued, waiting.from_linked),
            (2 * u64::from(COUNT), 0),
            "{engine}"
        );
        players.blocking_terminate_with(Terminate::Now).unwrap();
        for number in 0..2 {
            for actor in 0..COUNT {
                let letter = players.dead_letter().unwrap();
                let expected = (actor, Some(Card { number, of: 2 }));
                assert_eq!((letter.actor(), letter.message()), expected, "{engine}");
            }
        }
        // What is forwarded now comes to nothing with those who forward it.
        dealers.blocking_deactivate().unwrap();
        deal(&dealers, 1);
        dealers.blocking_settle().unwrap();
        let letter = dealers.dead_letter().unwrap();
        assert_eq!(letter.message(), Some(Card { number: 0, of: 1 }), "{engine}");
        let metrics = [&dealers, &players].map(|kernel| kernel.blocking_metrics().unwrap().dropped);
        assert_eq!(metrics, [u64::from(COUNT), 2 * u64::from(COUNT)], "{engine}");
    }
}

#[test]
fn players_who_are_never_at_rest_take_cards_too() {
    for engine in ENGINES {
        let options = RingOptions {
            engine,
            ..actors(COUNT)
        };
        let [dealers, players] = table_of(runtime(), "restless_player", options);
        let turn = Card { number: 0, of: 0 };
        players
            .blocking_send_all((0..COUNT).map(|actor| (actor, turn)))
            .unwrap();
        players.blocking_activate().unwrap();
        deal(&dealers, 10);
        let mut full: Vec<(u32, Card)> = Vec::new();
        while full.len() < COUNT as usize {
            players.blocking_receive_many(&mut full, LONG).unwrap();
        }
        assert!(full.iter().all(|(_, card)| card.number == 9), "{engine}");
        assert!(hands(&players).iter().all(|hand| hand.early == 0), "{engine}");
        players.blocking_terminate_with(Terminate::Now).unwrap();
        let metrics = players.blocking_metrics().unwrap();
        assert_eq!(metrics.dropped, u64::from(COUNT), "{engine}");
    }
}

#[test]
fn columns_are_as_new_after_any_number_of_rounds() {
    for engine in ENGINES {
        let options = RingOptions {
            engine,
            ..actors(COUNT)
        };
        let [dealers, players] = table_of(runtime(), "generous_player", options);
        players.blocking_activate().unwrap();
        let mut dealt = 0;
        for of in [1, 2, 3, 1, 4, 2, 6] {
            deal(&dealers, of);
            dealers.blocking_settle().unwrap();
            dealers.blocking_deactivate().unwrap();
            players.blocking_settle().unwrap();
            dealt += of * (of + 1);
        }
        assert!(hands(&players).iter().all(|hand| hand.dealt == dealt), "{engine}");
        let metrics = players.blocking_metrics().unwrap();
        assert_eq!(metrics.processed, u64::from(COUNT * dealt), "{engine}");
    }
}

#[test]
fn a_kernel_that_fails_has_all_parcels_among_its_dead_letters() {
    for engine in ENGINES {
        let options = RingOptions {
            engine,
            restart: Restart::FailKernel,
            ..actors(COUNT)
        };
        let [dealers, players] = table_of(runtime(), "restless_player", options);
        deal(&dealers, RED);
        dealers.blocking_settle().unwrap();
        players.blocking_activate().unwrap();
        let mut letters = Vec::new();
        while letters.len() < (RED * COUNT) as usize {
            letters.extend(players.dead_letter());
        }
        assert_eq!(players.blocking_status().unwrap().life, Life::Failed, "{engine}");
        letters.sort_by_key(|letter| letter.actor());
        let cards = letters.iter().map(|letter| letter.message::<Card>().unwrap().number);
        assert!(cards.eq((0..RED * COUNT).map(|at| at % RED)), "{engine}");
    }
}

#[test]
fn the_device_has_nothing_of_parcels_afterwards() {
    let runtime = Runtime::builder().backend(gpuvm_tests::gpu_backend()).build().unwrap();
    for engine in ENGINES.into_iter().filter(|engine| goes_round(*engine)) {
        for players_first in [false, true] {
            let [dealers, players] = table(&runtime, engine, 1 << 16);
            players.blocking_activate().unwrap();
            deal(&dealers, u32::MAX);
            while players.blocking_metrics().unwrap().from_linked < 3 * u64::from(COUNT) {
                std::thread::yield_now();
            }
            let mut kernels = [dealers, players];
            if players_first {
                kernels.reverse();
            }
            for kernel in kernels {
                kernel.blocking_terminate_with(Terminate::Now).unwrap();
            }
            let left = runtime.memory();
            assert_eq!((left.data, left.work), (0, 0), "{engine}");
        }
    }
}
