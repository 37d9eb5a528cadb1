//! Actors that print.

use gpuvm::prelude::*;

use super::{ENGINES, active, actors};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Knock {
    times: u8,
}

#[ring_kernel(id = "door", sends = 2)]
fn door(knocks: &mut u32, knock: Knock, ctx: &mut Ring) -> Option<Knock> {
    *knocks += 1;
    println!("knock {knocks} at {}: {knock:?}", ctx.actor());
    if knock.times > 0 {
        ctx.send((ctx.actor() + 1) % 4, Knock { times: knock.times - 1 });
        return None;
    }
    assert!(matches!(ctx.actors(), 4));
    gpuvm::log!(Level::Warn, "the last one");
    Some(knock)
}

#[test]
fn actors_print() {
    for engine in ENGINES {
        let kernel = active("door", engine, actors(4));
        for actor in [0, 2] {
            kernel.blocking_send(actor, Knock { times: 3 }).unwrap();
        }
        kernel.blocking_settle().unwrap();
        let logs = kernel.take_logs();
        let of = |actor: u32| -> Vec<&str> {
            let own = logs.iter().filter(|line| line.vm == actor);
            own.map(|line| line.text.as_str()).collect()
        };
        let knock = |number: u32, actor: u32, times: u8| format!("knock {number} at {actor}: {:?}", Knock { times });
        assert_eq!(of(0), [knock(1, 0, 3), knock(2, 0, 1)], "{engine:?}");
        assert_eq!(
            of(1),
            [knock(1, 1, 2), knock(2, 1, 0), "the last one".to_string()],
            "{engine:?}"
        );
        assert_eq!(of(3), [knock(1, 3, 2), knock(2, 3, 0), "the last one".to_string()]);
        assert_eq!((logs.len(), logs.dropped()), (10, 0));
        assert!(logs.iter().all(|line| line.file.ends_with("printing.rs")));
        assert!(kernel.take_logs().is_empty());
        kernel.blocking_terminate().unwrap();
    }
}
