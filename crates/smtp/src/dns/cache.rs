//! Caching resolver for the queries of mail.

use std::net::SocketAddr;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ResolveHosts, ResolverOpts};

use super::{DnsError, build, servers};

/// Number of cached responses.
pub(super) const CACHE_CAPACITY: u64 = 8192;
/// Limit of the cache time of a negative response, so new records are found soon.
const MAX_NEGATIVE_TTL: Duration = Duration::from_mins(1);
/// Limit of one attempt.
pub(super) const CACHED_ATTEMPT_TIMEOUT: Duration = Duration::from_millis(1500);
/// Number of attempts for each server.
pub(super) const MAX_CACHED_ATTEMPTS: usize = 2;

/// Returns a caching resolver for the server at an address, or those of the system. `max_ttl` limits the cache time of
/// responses.
///
/// # Errors
/// [`DnsError`] when the configuration is not valid. No query is sent.
pub(crate) fn caching_resolver(address: Option<SocketAddr>, max_ttl: Duration) -> Result<TokioResolver, DnsError> {
    let mut options = ResolverOpts::default();
    options.cache_size = CACHE_CAPACITY;
    options.positive_max_ttl = Some(max_ttl);
    options.negative_max_ttl = Some(MAX_NEGATIVE_TTL.min(max_ttl));
    options.timeout = CACHED_ATTEMPT_TIMEOUT;
    options.attempts = MAX_CACHED_ATTEMPTS;
    options.use_hosts_file = ResolveHosts::Never;
    build(servers(address), options)
}
