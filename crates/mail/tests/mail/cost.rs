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
