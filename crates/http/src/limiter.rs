//! The limit of calls without a key, a client address and minute.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};

/// How many calls pass between two moments at which idle addresses are forgotten.
const FORGET_EVERY: usize = 1024;

/// Counts calls; `None` inside counts nothing.
pub(crate) struct Limiter {
    governor: Option<DefaultKeyedRateLimiter<IpAddr>>,
    clock: DefaultClock,
    calls: AtomicUsize,
}

impl Limiter {
    pub(crate) fn new(per_minute: u32) -> Self {
        let governor = NonZeroU32::new(per_minute).map(|rate| DefaultKeyedRateLimiter::keyed(Quota::per_minute(rate)));
        Self { governor, clock: DefaultClock::default(), calls: AtomicUsize::new(0) }
    }

    /// Counts a call of an address; answers how long it has to wait where it called too often.
    pub(crate) fn check(&self, address: IpAddr) -> Result<(), Duration> {
        let Some(governor) = &self.governor else { return Ok(()) };
        if self.calls.fetch_add(1, Ordering::Relaxed) % FORGET_EVERY == FORGET_EVERY - 1 {
            governor.retain_recent();
            governor.shrink_to_fit();
        }
        governor.check_key(&network(address)).map_err(|refused| refused.wait_time_from(self.clock.now()))
    }
}

/// Who is meant by an address: of IPv6 the first 64 bits, for one client has the rest to itself (RFC 6177).
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_network_by_itself() {
        let limiter = Limiter::new(2);
        let ip = |text: &str| -> IpAddr { text.parse().unwrap_or(IpAddr::from([0, 0, 0, 0])) };
        assert_eq!(limiter.check(ip("192.0.2.1")), Ok(()));
        assert_eq!(limiter.check(ip("::ffff:192.0.2.1")), Ok(()));
        let wait = limiter.check(ip("192.0.2.1"));
        assert!(wait.is_err_and(|wait| wait > Duration::ZERO && wait <= Duration::from_secs(30)));
        assert_eq!(limiter.check(ip("192.0.2.2")), Ok(()));
        assert_eq!(limiter.check(ip("2001:db8:1:2::1")), Ok(()));
        assert_eq!(limiter.check(ip("2001:db8:1:2::2")), Ok(()));
        assert!(limiter.check(ip("2001:db8:1:2:ffff::3")).is_err());
        assert_eq!(limiter.check(ip("2001:db8:1:3::1")), Ok(()));
    }

    #[test]
    fn zero_turns_it_off() {
        let limiter = Limiter::new(0);
        for _ in 0..1000 {
            assert_eq!(limiter.check(IpAddr::from([192, 0, 2, 1])), Ok(()));
        }
    }
}
