//! Processor time of work, independent of other programs on the machine.

use std::time::Duration;

/// Returns the processor time of this thread so far.
fn had() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(told.split(' ').next().unwrap().parse().unwrap())
}

/// Runs the work and returns its processor time on this thread with its result.
pub(crate) fn cost<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let before = had();
    let result = work();
    (had().saturating_sub(before), result)
}

/// Returns the shortest processor time of three, since other programs cool the caches; or the first below `enough`.
pub(crate) fn best_cost(enough: Duration, mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        best = best.min(cost(&mut work).0);
        if best < enough {
            break;
        }
    }
    best
}

/// Fails if work on the whole takes much more than four times as long as on a quarter of it; a quadratic algorithm would
/// take sixteen times as long. Returns the time of the whole. Times below `noise` have no meaning on a shared machine.
pub(crate) fn assert_linear(name: &str, noise: Duration, whole: impl FnMut(), quarter: impl FnMut()) -> Duration {
    let whole = best_cost(noise, whole);
    if whole >= noise {
        let part = best_cost(Duration::ZERO, quarter);
        assert!(whole < part * 8 + noise, "{name}: a quarter takes {part:?}, the whole {whole:?}");
    }
    whole
}
