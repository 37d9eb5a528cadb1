//! Launches that are awaited, by the smallest executor there is and by tokio.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use gpuvm::prelude::*;
use gpuvm::{Done, Error};
use tokio::time::{sleep, timeout};

use crate::harness::{ENGINES, pausing, runtime};

#[routine]
fn all_kinds(x: u32, me: &mut u32, out: &mut [u32], bins: &[AtomicU32]) -> u32 {
    *me += x;
    out[0] = *me;
    bins[0].fetch_add(x, std::sync::atomic::Ordering::Relaxed);
    bins[1].fetch_max(x, std::sync::atomic::Ordering::Relaxed);
    x + 1
}

#[test]
fn a_launch_can_be_awaited() {
    for engine in ENGINES {
        let (x, mut me, mut out) = (vec![1u32, 2, 3], vec![10u32; 3], [0u32; 3]);
        let (bins, mut told) = ([const { AtomicU32::new(0) }; 2], 0);
        let launch = runtime()
            .launch("all_kinds")
            .unwrap()
            .args((&x, &mut me, &mut out, &bins))
            .engine(engine);
        let done = pollster::block_on(launch.progress(|_| told += 1).run_async()).unwrap();
        assert_eq!(done.output::<Vec<u32>>().unwrap(), [2, 3, 4], "{engine}");
        assert_eq!((me.as_slice(), out), (&[11, 12, 13][..], [11, 12, 13]), "{engine}");
        assert_eq!(bins.map(AtomicU32::into_inner), [6, 3], "{engine}");
        assert!(told > 0, "{engine}");
    }
}

#[test]
fn an_awaited_launch_tells_its_errors_and_can_be_dropped() {
    let wrong = runtime().launch("churned").unwrap().args((1u32,)).run_async();
    assert!(matches!(pollster::block_on(wrong), Err(Error::ArgumentCount { .. })));
    for engine in pausing() {
        let launch = runtime()
            .launch("churned")
            .unwrap()
            .args((1u32, &[u32::MAX; 3]))
            .engine(engine);
        let mut future = Box::pin(launch.run_async());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(future.as_mut().poll(&mut context).is_pending(), "{engine}");
        drop(future);
    }
}

/// Not linear, so that no matrix power takes the loop away.
#[routine]
fn churned(start: u32, turns: u32) -> u32 {
    let mut x = start;
    for i in 0..turns {
        x = x.wrapping_mul(x).wrapping_add(i);
    }
    x
}

#[routine]
fn churn(me: &mut u32, turns: u32) {
    for i in 0..turns {
        *me = me.wrapping_mul(*me | 1).wrapping_add(i);
    }
}

/// Both of tokio's schedulers.
fn executors() -> [tokio::runtime::Runtime; 2] {
    use tokio::runtime::Builder;
    [Builder::new_current_thread(), Builder::new_multi_thread()]
        .map(|mut builder| builder.enable_time().build().unwrap())
}

/// What only ever ends by being dropped.
async fn endless(engine: Engine) -> gpuvm::Result<Done> {
    let start = [1u32, 2, 3];
    runtime()
        .launch("churned")?
        .args((&start, u32::MAX))
        .engine(engine)
        .run_async()
        .await
}

async fn short(engine: Engine, start: u32) -> Vec<u32> {
    let turns: Vec<u32> = (0..50).collect();
    let launch = runtime()
        .launch("churned")
        .unwrap()
        .args((start, &turns))
        .engine(engine);
    launch.run_async().await.unwrap().output().unwrap()
}

fn short_wanted(start: u32) -> Vec<u32> {
    (0..50).map(|turns| churned(start, turns)).collect()
}

#[test]
fn several_launches_are_awaited_at_once() {
    for executor in executors() {
        for engine in ENGINES {
            let found = executor.block_on(async {
                let spawned = tokio::spawn(short(engine, 9));
                let (a, b, c) = tokio::join!(short(engine, 7), short(Engine::Auto, 8), spawned);
                [a, b, c.unwrap()]
            });
            assert_eq!(found, [7, 8, 9].map(short_wanted), "{engine}");
        }
    }
}

#[test]
fn an_executor_has_time_for_others_meanwhile() {
    for executor in executors() {
        for engine in pausing() {
            let ticks = executor.block_on(async {
                let ticks = async {
                    for _ in 0..5 {
                        sleep(Duration::from_millis(1)).await;
                    }
                };
                tokio::select! {
                    _ = endless(engine) => panic!("{engine}: the launch comes first"),
                    () = ticks => {}
                }
                short(engine, 3).await
            });
            assert_eq!(ticks, short_wanted(3), "{engine}");
        }
    }
}

#[test]
fn a_launch_that_is_dropped_lets_go_of_its_buffers() {
    for executor in executors() {
        for engine in pausing() {
            let (kept, mut lent) = (runtime().buffer(&[1u32, 2]).unwrap(), [5u32, 6]);
            let ended = executor.block_on(async {
                let on_buffer = runtime()
                    .launch("churn")
                    .unwrap()
                    .args((&kept, u32::MAX))
                    .engine(engine);
                let on_slice = runtime()
                    .launch("churn")
                    .unwrap()
                    .args((&mut lent, u32::MAX))
                    .engine(engine);
                timeout(Duration::from_millis(50), async {
                    tokio::join!(on_buffer.run_async(), on_slice.run_async())
                })
                .await
            });
            assert!(ended.is_err(), "{engine}: {ended:?}");
            assert_eq!(lent, [5, 6], "{engine}");
            // Whoever reads it waits until the launch has ended, which would take hours if it had not heard.
            assert_eq!(kept.read().unwrap().len(), 2, "{engine}");
            assert_eq!(executor.block_on(short(engine, 4)), short_wanted(4), "{engine}");
        }
    }
}

#[test]
fn errors_come_through_an_executor() {
    for executor in executors() {
        let wrong = runtime().launch("churned").unwrap().args((1u32,)).run_async();
        assert!(matches!(executor.block_on(wrong), Err(Error::ArgumentCount { .. })));
        let bounded = runtime().launch("churned").unwrap().args((1u32, &[u32::MAX; 2]));
        let bounded = bounded.budget(Budget::cycles(100)).run_async();
        assert!(matches!(executor.block_on(bounded), Err(Error::Budget(_))));
    }
}
