//! Request rate limits: per client address and network without a key, per key and organization with one.

use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};
use inboxd_core::model::{ApiKeyId, OrganizationId};
use inboxd_core::rules::networks::ClientNetwork;

use crate::error::{ApiError, ReachedLimit};

/// Number of calls between two purges of idle clients.
const PURGE_EVERY: usize = 16 * 1024;
/// Burst of a key, in seconds of its rate.
const BURST_SECONDS: u32 = 10;
/// Factor from the rate of one key to that of all keys of an organization.
const ORGANIZATION_RATE_FACTOR: u32 = 5;

/// Factor from the rate of one address to that of all addresses of a network.
const NETWORK_RATE_FACTOR: u32 = 10;

/// Factor from the rate of requests without a key to that of the token and revocation endpoints. Tokens are too long to
/// guess, and a hosted client calls from few addresses.
const TOKEN_RATE_FACTOR: u32 = 10;
/// Factor from the rate of requests without a key to that of requests for pages without a session. They lead to the sign-in
/// alone, and a browser with several open pages makes many after its session has ended.
const PAGE_RATE_FACTOR: u32 = 10;

/// Rate limits of the API. They may be replaced while the server runs.
#[derive(Clone)]
pub struct RequestRates {
    /// Limits of requests without a key.
    pub(crate) unauthenticated: Arc<UnauthenticatedRate>,
    /// Limits of the token and revocation endpoints, which many persons of a hosted client share.
    pub(crate) tokens: Arc<UnauthenticatedRate>,
    /// Limits of requests for pages without a valid session.
    pub(crate) pages: Arc<UnauthenticatedRate>,
    /// Limits of requests with a key.
    pub(crate) keys: Arc<KeyRates>,
}

impl RequestRates {
    /// Returns limits of sign-up and sign-in requests per client address and minute, of which token and page requests
    /// have ten times as many, and of requests per key and second, of which all keys of an organization have five times
    /// as many. 0 turns limits off.
    #[must_use]
    pub fn new(unauthenticated: u32, key: u32) -> Self {
        Self {
            unauthenticated: Arc::new(UnauthenticatedRate::new(unauthenticated)),
            tokens: Arc::new(UnauthenticatedRate::new(unauthenticated.saturating_mul(TOKEN_RATE_FACTOR))),
            pages: Arc::new(UnauthenticatedRate::new(unauthenticated.saturating_mul(PAGE_RATE_FACTOR))),
            keys: Arc::new(KeyRates::new(key)),
        }
    }

    /// Replaces the limits of requests without a key; all counts begin anew.
    pub fn set_unauthenticated(&self, per_minute: u32) {
        self.unauthenticated.set(per_minute);
        self.tokens.set(per_minute.saturating_mul(TOKEN_RATE_FACTOR));
        self.pages.set(per_minute.saturating_mul(PAGE_RATE_FACTOR));
    }

    /// Replaces the limits of requests with a key; all counts begin anew.
    pub fn set_key(&self, per_second: u32) {
        self.keys.set(per_second);
    }
}

impl std::fmt::Debug for RequestRates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestRates").finish_non_exhaustive()
    }
}

/// A keyed rate limiter; without a governor it allows every call.
struct RateLimiter<K: Hash + Eq + Clone> {
    governor: RwLock<Option<DefaultKeyedRateLimiter<K>>>,
    clock: DefaultClock,
    calls: AtomicUsize,
}

impl<K: Hash + Eq + Clone> RateLimiter<K> {
    fn new(quota: Option<Quota>) -> Self {
        Self {
            governor: RwLock::new(quota.map(DefaultKeyedRateLimiter::keyed)),
            clock: DefaultClock::default(),
            calls: AtomicUsize::new(0),
        }
    }

    /// Replaces the rate; all counts begin anew.
    fn set(&self, quota: Option<Quota>) {
        *self.governor.write().unwrap_or_else(PoisonError::into_inner) = quota.map(DefaultKeyedRateLimiter::keyed);
    }

    /// Counts a call of a client; returns the wait time when the rate is exceeded.
    fn check(&self, client: &K) -> Result<(), Duration> {
        let governor = self.governor.read().unwrap_or_else(PoisonError::into_inner);
        let Some(governor) = governor.as_ref() else { return Ok(()) };
        if self.calls.fetch_add(1, Ordering::Relaxed) % PURGE_EVERY == PURGE_EVERY - 1 {
            governor.retain_recent();
            governor.shrink_to_fit();
        }
        governor.check_key(client).map_err(|refused| refused.wait_time_from(self.clock.now()))
    }
}

/// Returns the quota of a rate per minute; 0 is no limit.
fn per_minute(rate: u32) -> Option<Quota> {
    NonZeroU32::new(rate).map(Quota::per_minute)
}

/// Returns the quota of a rate per second with its burst; 0 is no limit.
fn per_second(rate: u32) -> Option<Quota> {
    let burst = NonZeroU32::new(rate.saturating_mul(BURST_SECONDS))?;
    Some(Quota::per_second(NonZeroU32::new(rate)?).allow_burst(burst))
}

/// Rate limits of requests without a key, per client address and network.
pub(crate) struct UnauthenticatedRate {
    addresses: RateLimiter<IpAddr>,
    networks: RateLimiter<IpAddr>,
}

impl UnauthenticatedRate {
    /// Returns limits of `rate` calls per address and minute and a multiple per network; 0 disables them.
    pub(crate) fn new(rate: u32) -> Self {
        let networks = RateLimiter::new(per_minute(rate.saturating_mul(NETWORK_RATE_FACTOR)));
        Self { addresses: RateLimiter::new(per_minute(rate)), networks }
    }

    fn set(&self, rate: u32) {
        self.addresses.set(per_minute(rate));
        self.networks.set(per_minute(rate.saturating_mul(NETWORK_RATE_FACTOR)));
    }

    /// Counts a call of an address; returns the wait time when its rate or that of its network is exceeded.
    pub(crate) fn check(&self, address: IpAddr) -> Result<(), Duration> {
        let client = ClientNetwork::of(address);
        self.addresses.check(&client.address)?;
        self.networks.check(&client.network)
    }
}

/// Rate limits of requests with a key.
pub(crate) struct KeyRates {
    keys: RateLimiter<ApiKeyId>,
    organizations: RateLimiter<OrganizationId>,
}

impl KeyRates {
    /// Returns limits of `rate` requests per key and second and a multiple per organization; 0 disables them.
    pub(crate) fn new(rate: u32) -> Self {
        let organizations = RateLimiter::new(per_second(rate.saturating_mul(ORGANIZATION_RATE_FACTOR)));
        Self { keys: RateLimiter::new(per_second(rate)), organizations }
    }

    fn set(&self, rate: u32) {
        self.keys.set(per_second(rate));
        self.organizations.set(per_second(rate.saturating_mul(ORGANIZATION_RATE_FACTOR)));
    }

    /// Counts a request of a key and its organization.
    ///
    /// # Errors
    /// 429 when the rate of the key or of the organization is exceeded.
    pub(crate) fn check(&self, key: Option<ApiKeyId>, organization_id: OrganizationId) -> Result<(), ApiError> {
        key.map_or(Ok(()), |key| self.keys.check(&key))
            .map_err(|wait| ApiError::rate_exceeded("this key", ReachedLimit::KeyRate, wait))?;
        self.organizations.check(&organization_id).map_err(|wait| {
            ApiError::rate_exceeded("the keys of this organization", ReachedLimit::OrganizationRate, wait)
        })
    }
}

#[cfg(test)]
mod tests {
    use inboxd_core::testing::fixtures::id;

    use super::*;

    #[test]
    fn counts_each_network_by_itself() {
        let limiter = UnauthenticatedRate::new(2);
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
    fn network_of_many_addresses_has_ten_times_the_rate_of_one() {
        let limiter = UnauthenticatedRate::new(2);
        let sites = (0..1000).map(|site: u16| IpAddr::from([0x2001, 0xdb8, 1, site, 0, 0, 0, 1]));
        assert_eq!(sites.filter(|site| limiter.check(*site).is_ok()).count(), 20);
        assert_eq!(limiter.check(IpAddr::from([0x2001, 0xdb8, 2, 0, 0, 0, 0, 1])), Ok(()));
        let hosts = (0..=255).map(|host: u8| IpAddr::from([192, 0, 2, host]));
        assert_eq!(hosts.filter(|host| limiter.check(*host).is_ok()).count(), 20);
    }

    #[test]
    fn key_beyond_its_rate_is_refused_and_so_is_an_organization_with_many_keys() {
        let rates = KeyRates::new(1);
        let burst = usize::try_from(BURST_SECONDS).unwrap_or_default();
        let accepted = |key: u128, organization: u128| {
            (0..burst * 2).filter(|_| rates.check(Some(id(key)), id(organization)).is_ok()).count()
        };
        assert_eq!(accepted(1, 1), burst);
        // Refused requests of a key do not count against the organization.
        assert_eq!((2..10).map(|key| accepted(key, 1)).sum::<usize>(), burst * 4);
        assert_eq!(accepted(10, 2), burst);
        let refusal = rates.check(Some(id(1)), id(1)).err();
        assert!(refusal.is_some_and(|error| error.code.as_str() == "too_many_requests" && error.retry.is_some()));
        let off = KeyRates::new(0);
        assert!((0..1000).all(|_| off.check(Some(id(1)), id(1)).is_ok()));
    }

    #[test]
    fn replaced_rates_apply_at_once() {
        let rates = RequestRates::new(1, 0);
        let ip = IpAddr::from([192, 0, 2, 1]);
        assert_eq!(rates.unauthenticated.check(ip), Ok(()));
        assert!(rates.unauthenticated.check(ip).is_err());
        rates.clone().set_unauthenticated(2);
        assert!((0..2).all(|_| rates.unauthenticated.check(ip).is_ok()));
        assert!(rates.unauthenticated.check(ip).is_err());
        rates.set_key(1);
        assert!((0..100).any(|_| rates.keys.check(Some(id(1)), id(1)).is_err()));
        rates.set_key(0);
        assert!((0..100).all(|_| rates.keys.check(Some(id(1)), id(1)).is_ok()));
    }

    #[test]
    fn zero_turns_it_off() {
        let limiter = UnauthenticatedRate::new(0);
        for _ in 0..1000 {
            assert_eq!(limiter.check(IpAddr::from([192, 0, 2, 1])), Ok(()));
        }
    }
}
