//! Work on many things at once. What comes out does not depend on how many hands there are.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads for one piece of work: what the machine has; `PLIMSOLL_THREADS` says otherwise.
pub(super) fn threads() -> usize {
    let asked = std::env::var("PLIMSOLL_THREADS").ok().and_then(|text| text.parse().ok()).filter(|threads| *threads > 0);
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// The same work on each of many things; the results are in the order of the things.
pub(super) fn each<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let hands = threads().min(things.len());
    if hands < 2 {
        return things.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let hand = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(at) else { return done };
            done.push((at, work(thing)));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..hands).map(|_| scope.spawn(hand)).collect();
        let mut done = hand();
        for other in others {
            match other.join() {
                Ok(theirs) => done.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_the_order_of_the_things() {
        let things: Vec<u32> = (0..1000).collect();
        let doubled: Vec<u32> = things.iter().map(|thing| thing * 2).collect();
        assert_eq!(super::each(&things, |thing| thing * 2), doubled);
        assert!(super::each(&[] as &[u32], |thing| *thing).is_empty());
    }
}
