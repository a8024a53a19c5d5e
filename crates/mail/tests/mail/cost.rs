//! What work costs, told so that other programs on the machine do not count.

use std::time::Duration;

/// The processor time that this thread has had.
fn had() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(told.split(' ').next().unwrap().parse().unwrap())
}

/// The processor time that the work takes on this thread, and what comes of it.
pub(crate) fn cost<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let before = had();
    let result = work();
    (had().saturating_sub(before), result)
}
