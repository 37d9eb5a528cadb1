//! Actors that send each other messages.

use gpuvm::prelude::*;
use gpuvm::ring::RingError;

use super::{ENGINES, actors, launch, ring_error};

/// What an account of the bank understands.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Order {
    /// Give another account so much.
    Transfer {
        to: u32,
        cents: u32,
    },
    /// Take so much.
    Take {
        cents: u32,
        at: u64,
    },
    /// Tell how much there is.
    Tell,
    /// Split everything among so many of the next accounts.
    Split {
        among: u32,
    },
    Close,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Purse {
    cents: u32,
    taken: u32,
    last: u64,
}

impl Default for Purse {
    fn default() -> Purse {
        Purse {
            cents: 1000,
            taken: 0,
            last: 0,
        }
    }
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Told {
    actor: u32,
    cents: u32,
    taken: u32,
}

#[ring_kernel(id = "bank", sends = 5)]
fn bank(purse: &mut Purse, order: Order, ctx: &mut Ring) -> Option<Told> {
    let now = ctx.now();
    match order {
        Order::Transfer { to, cents } => {
            if cents <= purse.cents {
                purse.cents -= cents;
                ctx.send(to, Order::Take { cents, at: now });
            }
            None
        }
        Order::Take { cents, at } => {
            assert!(now > at, "a message is handled after it was sent");
            purse.last = now;
            purse.cents += cents;
            purse.taken += 1;
            None
        }
        Order::Split { among } => {
            let share = purse.cents / (among + 1);
            for i in 0..among {
                ctx.send(
                    (ctx.actor() + 1 + i) % ctx.actors(),
                    Order::Take { cents: share, at: now },
                );
                purse.cents -= share;
            }
            None
        }
        Order::Tell => Some(Told {
            actor: ctx.actor(),
            cents: purse.cents,
            taken: purse.taken,
        }),
        Order::Close => {
            ctx.stop();
            Some(Told {
                actor: ctx.actor(),
                cents: purse.cents,
                taken: purse.taken,
            })
        }
    }
}

#[test]
fn actors_send_each_other_messages() {
    const ACTORS: u32 = 70;
    let transfer = |i: u32| {
        (
            i * 31 % ACTORS,
            Order::Transfer {
                to: i * 17 % ACTORS,
                cents: i * 7 % 90,
            },
        )
    };
    let split = |i: u32| (i * 3 % ACTORS, Order::Split { among: i % 6 });
    let orders: Vec<_> = (0..700).map(transfer).chain((0..40).map(split)).collect();
    let tells = (0..ACTORS).map(|actor| (actor, Order::Tell));
    // The orders are one batch, and what they send the next.
    let mut purses = vec![Purse::default(); ACTORS as usize];
    let mut sent = Vec::new();
    for actor in 0..ACTORS {
        for (_, order) in orders.iter().filter(|(to, _)| *to == actor) {
            let mut ctx = Ring::new(actor, ACTORS);
            assert_eq!(bank(&mut purses[actor as usize], *order, &mut ctx), None);
            sent.extend(ctx.sent::<Order>());
        }
    }
    for (to, order) in &sent {
        let Order::Take { cents, .. } = order else {
            panic!("{order:?} was sent");
        };
        purses[*to as usize].cents += cents;
        purses[*to as usize].taken += 1;
    }
    let told = |(actor, purse): (u32, &Purse)| Told {
        actor,
        cents: purse.cents,
        taken: purse.taken,
    };
    let expected: Vec<Told> = (0..).zip(&purses).map(told).collect();
    for engine in ENGINES {
        let kernel = launch("bank", engine, actors(ACTORS));
        kernel.blocking_send_all(orders.iter().copied()).unwrap();
        kernel.blocking_activate().unwrap();
        kernel.blocking_settle().unwrap();
        let metrics = kernel.blocking_metrics().unwrap();
        assert_eq!(metrics.accepted, (orders.len() + sent.len()) as u64, "{engine}");
        assert_eq!(metrics.dropped, 0, "{engine}: {:?}", kernel.dead_letter());
        kernel.blocking_send_all(tells.clone()).unwrap();
        kernel.blocking_settle().unwrap();
        let mut told: Vec<Told> = std::iter::from_fn(|| kernel.try_receive().unwrap()).collect();
        told.sort_by_key(|told| told.actor);
        assert_eq!(
            told.iter().map(|told| told.cents).sum::<u32>(),
            1000 * ACTORS,
            "{engine}"
        );
        assert_eq!(told, expected, "{engine}");
    }
}

#[test]
fn an_actor_that_sends_too_much_or_nowhere_is_told() {
    for engine in ENGINES {
        let kernel = launch("bank", engine, actors(10));
        let split = |actor: u32, among: u32| (actor, Order::Split { among });
        let nowhere = (2, Order::Transfer { to: 99, cents: 3 });
        kernel
            .blocking_send_all([split(0, 5), split(1, 6), nowhere, split(1, 1)])
            .unwrap();
        kernel.blocking_activate().unwrap();
        let settled = kernel.blocking_settle().unwrap_err().to_string();
        assert!(settled.contains("raise `#[ring_kernel(sends = …)]`"), "{settled}");
        let dead: Vec<String> = std::iter::from_fn(|| kernel.dead_letter())
            .map(|letter| letter.to_string())
            .collect();
        assert_eq!(dead.len(), 4, "{engine}: {dead:?}");
        let told = |text: &str| dead.iter().filter(|dead| dead.contains(text)).count();
        assert_eq!(
            told("an actor sent more messages for one than its ring kernel says"),
            1,
            "{dead:?}"
        );
        assert_eq!(told("bank.rs:"), 1, "{dead:?}");
        // Its own next message, and what actor 0 has sent it.
        assert_eq!(told("actor 1 of ring kernel `bank` has stopped"), 2, "{dead:?}");
        assert_eq!(
            told("10 actors, numbered from 0, and actor 99 was named"),
            1,
            "{dead:?}"
        );
        // What was sent before the trap was sent: five of each.
        assert_eq!(kernel.blocking_metrics().unwrap().accepted, 4 + 5 + 5 + 1, "{engine}");
    }
}

#[test]
fn an_actor_can_stop_itself() {
    for engine in ENGINES {
        let kernel = launch("bank", engine, actors(3));
        kernel
            .blocking_send_all([(0, Order::Tell), (0, Order::Close), (0, Order::Tell), (1, Order::Tell)])
            .unwrap();
        kernel.blocking_activate().unwrap();
        kernel.blocking_settle().unwrap();
        let told: Vec<Told> = std::iter::from_fn(|| kernel.try_receive().unwrap()).collect();
        assert_eq!(
            told.iter().map(|told| told.actor).collect::<Vec<_>>(),
            [0, 0, 1],
            "{engine}"
        );
        assert_eq!(kernel.dead_letter().unwrap().message(), Some(Order::Tell));
        let refused = ring_error(kernel.blocking_send(0, Order::Tell).unwrap_err());
        assert!(matches!(refused, RingError::ActorStopped { actor: 0, .. }), "{engine}");
        assert_eq!(kernel.blocking_status().unwrap().stopped_actors, 1);
    }
}
