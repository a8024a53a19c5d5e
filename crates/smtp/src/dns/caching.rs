//! A resolver that keeps answers, for the questions that mail asks.

use std::net::SocketAddr;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ResolveHosts, ResolverOpts};

use super::{DnsError, build, servers};

/// How many answers are kept.
const KEPT: u64 = 8192;
/// How long it is kept at most that there is nothing: what was published is soon found.
const LONGEST_NOTHING: Duration = Duration::from_mins(1);
/// How long one try may take.
const TRY: Duration = Duration::from_millis(1500);
/// How often one server is asked.
const TRIES: usize = 2;

/// Asks the resolver at an address, or those of the system, and keeps what they answer as long as it holds, and for as long
/// as given at most.
///
/// # Errors
/// When it cannot be made ready; nothing is asked yet.
pub(crate) fn caching(address: Option<SocketAddr>, longest: Duration) -> Result<TokioResolver, DnsError> {
    let mut options = ResolverOpts::default();
    options.cache_size = KEPT;
    options.positive_max_ttl = Some(longest);
    options.negative_max_ttl = Some(LONGEST_NOTHING.min(longest));
    options.timeout = TRY;
    options.attempts = TRIES;
    options.use_hosts_file = ResolveHosts::Never;
    build(servers(address), options)
}
