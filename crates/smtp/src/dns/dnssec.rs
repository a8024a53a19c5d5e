//! Resolver that validates responses by DNSSEC (RFC 4035, section 5).
//!
//! It validates itself, from the trust anchor down: the AD bit of a resolver proves nothing on an open path.

#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use hickory_resolver::caching_client::CachingClient;
use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverOpts};
use hickory_resolver::lookup::Lookup as DnsResponse;
use hickory_resolver::net::dnssec::DnssecDnsHandle;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::xfer::RetryDnsHandle;
use hickory_resolver::net::{DnsError as NetDnsError, NetError};
use hickory_resolver::proto::dnssec::{Proof, TrustAnchors};
use hickory_resolver::proto::op::{DnsRequestOptions, Query, ResponseCode};
use hickory_resolver::proto::rr::domain::usage::{INVALID, LOCALHOST, ONION};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};
use hickory_resolver::{NameServerPool, PoolContext, TlsConfig};
use inboxd_core::ports::MxHost;
use inboxd_core::rules::dane::TlsaRecord;

use super::ttl_limit::TtlLimit;
use super::validation::{MAX_ALIASES, aliases, proves_absence, validated_records};
use super::{DnsError, QUERY_TIMEOUT, absolute_name, describe_error, mx_host, servers};
use crate::dns::cache::{CACHE_CAPACITY, CACHED_ATTEMPT_TIMEOUT, MAX_CACHED_ATTEMPTS};

/// Number of cached validations of record sets. One lookup has about ten.
const VALIDATION_CACHE_CAPACITY: usize = 32_768;

/// Limit of the hash iterations of NSEC3 records; proofs with more are invalid (RFC 9276, section 3.2). They never count as
/// unsigned, because an attacker could add one of a zone of its own.
const MAX_NSEC3_ITERATIONS: u16 = 500;

/// Number of servers of the system that are queried (`MAXNS` of resolv.conf(5)).
const MAX_SERVERS: usize = 3;

/// Time limit of the probe of one server. It is shorter than that of a whole probe, so a silent server hides no other.
const SERVER_PROBE_TIMEOUT: Duration = Duration::from_secs(4);

type Validator = TtlLimit<DnssecDnsHandle<RetryDnsHandle<NameServerPool<TokioRuntimeProvider>>>>;

/// Public keys of the root zone at which validation starts.
#[derive(Clone)]
pub struct TrustAnchorSet(Arc<TrustAnchors>);

impl Default for TrustAnchorSet {
    /// Returns the keys of the public root zone.
    fn default() -> Self {
        Self(Arc::new(TrustAnchors::default()))
    }
}

impl FromStr for TrustAnchorSet {
    type Err = DnsError;

    /// Reads DNSKEY records in the form of zone files.
    ///
    /// # Errors
    /// [`DnsError`] when a line is not a DNSKEY record, or none belongs to the root zone.
    fn from_str(text: &str) -> Result<Self, DnsError> {
        let anchors = TrustAnchors::from_str(text).map_err(|error| DnsError(format!("not DNSKEY records: {error}")))?;
        if anchors.is_empty() {
            return Err(DnsError("no DNSKEY record of the root zone".to_owned()));
        }
        Ok(Self(Arc::new(anchors)))
    }
}

/// Result of a validated lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Validated<T> {
    /// Records.
    Found {
        /// The records.
        records: Vec<T>,
        /// Whether signatures prove them. Otherwise the zone is proven to be unsigned.
        is_secure: bool,
        /// Whether the queried name is an alias, and signatures prove it.
        is_alias_secure: bool,
        /// Their name at the end of all aliases, in lower case.
        owner: String,
    },
    /// Signatures prove that no records exist.
    Absent,
    /// No records, in a zone that is proven to be unsigned.
    Unsigned,
    /// The lookup or its validation failed, with the reason.
    Failed(String),
}

/// Caching resolver that validates the responses of one server, or those of the system.
///
/// It queries each server alone: a pool would mix the responses of servers with and without DNSSEC records.
pub struct ValidatingResolver {
    servers: Vec<ValidatingServer>,
    /// Limit of a query at one server.
    time_limit: Duration,
}

/// Server with the cache of its responses.
struct ValidatingServer {
    client: CachingClient<Validator>,
    /// Whether the server is queried before those that failed.
    is_preferred: AtomicBool,
}

impl ValidatingResolver {
    /// Returns a resolver for the server at an address, or those of the system. It caches responses for at most
    /// five minutes, like the plain resolver.
    ///
    /// # Errors
    /// [`DnsError`] when the configuration is not valid. No query is sent.
    pub fn new(address: Option<SocketAddr>, anchors: &TrustAnchorSet) -> Result<Self, DnsError> {
        let (_, _, name_servers) = servers(address).into_parts();
        Self::with_servers(name_servers, anchors)
    }

    fn with_servers(name_servers: Vec<NameServerConfig>, anchors: &TrustAnchorSet) -> Result<Self, DnsError> {
        let mut options = ResolverOpts::default();
        options.timeout = CACHED_ATTEMPT_TIMEOUT;
        options.attempts = MAX_CACHED_ATTEMPTS;
        options.use_hosts_file = ResolveHosts::Never;
        options.validate = true;
        let tls = TlsConfig::new().map_err(|error| DnsError(error.to_string()))?;
        let context = Arc::new(PoolContext::new(options, tls));
        let create = |server: NameServerConfig| {
            let pool = NameServerPool::from_config([server], Arc::clone(&context), TokioRuntimeProvider::default());
            let retrying = RetryDnsHandle::new(pool, MAX_CACHED_ATTEMPTS);
            let validator = DnssecDnsHandle::with_trust_anchor(retrying, Arc::clone(&anchors.0))
                .nsec3_iteration_limits(Some(MAX_NSEC3_ITERATIONS), Some(MAX_NSEC3_ITERATIONS))
                .validation_cache_size(VALIDATION_CACHE_CAPACITY);
            let client = CachingClient::new(CACHE_CAPACITY, TtlLimit(validator), true);
            ValidatingServer { client, is_preferred: AtomicBool::new(true) }
        };
        let servers: Vec<ValidatingServer> = name_servers.into_iter().take(MAX_SERVERS).map(create).collect();
        let time_limit = if servers.len() > 1 { QUERY_TIMEOUT / 2 } else { QUERY_TIMEOUT };
        Ok(Self { servers, time_limit })
    }

    /// Checks that a server passes DNSSEC records: keys of the root zone, a delegation, and the proof that records are
    /// absent. A private root without `com` proves the absence of all of its records. Servers that pass are preferred for
    /// later queries.
    ///
    /// # Errors
    /// The reason for which validation is impossible at the first server.
    pub async fn probe(&self) -> Result<(), String> {
        let probes: Vec<_> = self.servers.iter().map(ValidatingServer::check).collect();
        let results = join_all(probes).await;
        if results.iter().any(Result::is_ok) {
            return Ok(());
        }
        Err(results.into_iter().find_map(Result::err).unwrap_or_else(|| "no server is configured".to_owned()))
    }

    /// Returns the MX records of a name.
    pub(crate) async fn mx(&self, name: &str) -> Validated<MxHost> {
        self.query_name(name, RecordType::MX, mx_host).await
    }

    /// Returns the IPv4 and IPv6 addresses of a host. They are secure when all that were found are.
    pub(crate) async fn addresses(&self, name: &str) -> Validated<IpAddr> {
        let address = |data: &RData| match data {
            RData::A(found) => Some(IpAddr::V4(found.0)),
            RData::AAAA(found) => Some(IpAddr::V6(found.0)),
            _ => None,
        };
        let four = self.query_name(name, RecordType::A, address);
        let six = self.query_name(name, RecordType::AAAA, address);
        match tokio::join!(four, six) {
            (
                Validated::Found { mut records, is_secure, is_alias_secure, owner },
                Validated::Found { records: more, is_secure: is_more_secure, .. },
            ) => {
                records.extend(more);
                Validated::Found { records, is_secure: is_secure && is_more_secure, is_alias_secure, owner }
            }
            (found @ Validated::Found { .. }, _) | (_, found @ Validated::Found { .. }) => found,
            (failed @ Validated::Failed(_), _) | (_, failed @ Validated::Failed(_)) => failed,
            (Validated::Unsigned, _) | (_, Validated::Unsigned) => Validated::Unsigned,
            (Validated::Absent, Validated::Absent) => Validated::Absent,
        }
    }

    /// Returns the TLSA records of a TCP port at a base domain (RFC 6698, section 3).
    pub(crate) async fn tlsa(&self, port: u16, base_domain: &str) -> Validated<TlsaRecord> {
        self.query_name(&format!("_{port}._tcp.{base_domain}"), RecordType::TLSA, |data| match data {
            RData::TLSA(tlsa) => Some(TlsaRecord {
                usage: tlsa.cert_usage.into(),
                selector: tlsa.selector.into(),
                matching: tlsa.matching.into(),
                data: tlsa.cert_data.clone(),
            }),
            _ => None,
        })
        .await
    }

    /// Returns the result of the first server that has one. A validated result is right from any server. A server that
    /// fails where another has a result is queried last until the next probe.
    async fn query_name<T>(&self, name: &str, kind: RecordType, read: impl Fn(&RData) -> Option<T>) -> Validated<T> {
        let Some(name) = absolute_name(name) else {
            return Validated::Failed(format!("{name} is not a valid name"));
        };
        let (mut reason, mut failed) = ("no server is configured".to_owned(), Vec::new());
        for server in self.ordered_servers() {
            match server.query(name.clone(), kind, &read, self.time_limit).await {
                Validated::Failed(why) => {
                    reason = why;
                    failed.push(server);
                }
                result => {
                    for server in failed {
                        server.prefer(false);
                    }
                    return result;
                }
            }
        }
        Validated::Failed(reason)
    }

    /// Returns the servers in the order of the configuration, preferred ones first.
    fn ordered_servers(&self) -> Vec<&ValidatingServer> {
        let (preferred, others): (Vec<_>, Vec<_>) =
            self.servers.iter().partition(|server| server.is_preferred.load(Ordering::Relaxed));
        [preferred, others].concat()
    }
}

impl ValidatingServer {
    fn prefer(&self, is_preferred: bool) {
        self.is_preferred.store(is_preferred, Ordering::Relaxed);
    }

    /// Probes the server and records whether it passes.
    async fn check(&self) -> Result<(), String> {
        let timed_out = |_| Err("no response in time".to_owned());
        let result = tokio::time::timeout(SERVER_PROBE_TIMEOUT, self.probe()).await.unwrap_or_else(timed_out);
        self.prefer(result.is_ok());
        result
    }

    async fn probe(&self) -> Result<(), String> {
        let Some(delegation) = absolute_name("com") else { return Ok(()) };
        for (name, kind, what) in [
            (Name::root(), RecordType::DNSKEY, "the keys of the root zone"),
            (delegation.clone(), RecordType::DS, "a delegation of the root zone"),
            (delegation, RecordType::TLSA, "the proof of absent records"),
        ] {
            // A cached response says nothing about the server, and the keys of the root zone are valid for days.
            self.client.clear_cache_query(&Query::query(name.clone(), kind));
            match self.query(name, kind, &|_: &RData| Some(()), QUERY_TIMEOUT).await {
                Validated::Found { is_secure: true, .. } | Validated::Absent => {}
                Validated::Failed(why) => return Err(format!("{what}: {why}")),
                _ => return Err(format!("{what}: the response has no signatures")),
            }
        }
        Ok(())
    }

    async fn query<T>(
        &self,
        name: Name,
        kind: RecordType,
        read: &impl Fn(&RData) -> Option<T>,
        time_limit: Duration,
    ) -> Validated<T> {
        let validated = async {
            match self.lookup(name.clone(), kind).await {
                Ok(found) => {
                    let answers = self.with_aliases(&name, kind, found.answers()).await;
                    validated_records(&answers, found.authorities(), (&name, kind), read)
                }
                Err(error) => self.without_records(name, error).await,
            }
        };
        let late = |_| Validated::Failed("no response in time".to_owned());
        tokio::time::timeout(time_limit, validated).await.unwrap_or_else(late)
    }

    /// Adds the aliases between a name and the records of a response. The cache returns the records of a cached target
    /// without the alias that led to it.
    async fn with_aliases(&self, name: &Name, kind: RecordType, answers: &[Record]) -> Vec<Record> {
        let mut answers = answers.to_vec();
        for _ in 0..MAX_ALIASES {
            let owner = aliases(&answers, name).1.clone();
            if answers.iter().any(|record| record.record_type() == kind && record.name == owner) {
                break;
            }
            let Ok(found) = self.lookup(owner.clone(), RecordType::CNAME).await else { break };
            let is_alias = |record: &&Record| record.record_type() == RecordType::CNAME && record.name == owner;
            let Some(alias) = found.answers().iter().find(is_alias) else { break };
            answers.push(alias.clone());
        }
        answers
    }

    async fn lookup(&self, name: Name, kind: RecordType) -> Result<DnsResponse, NetError> {
        let mut options = DnsRequestOptions::default();
        options.edns_set_dnssec_ok = true;
        self.client.lookup(Query::query(name, kind), options).await
    }

    /// Interprets a response without records. The validator accepts signed proofs, and any record of an unsigned zone. An
    /// attacker could add both from another zone: the proof must be that of the zone of the name, or of a target of its
    /// aliases.
    async fn without_records<T>(&self, name: Name, error: NetError) -> Validated<T> {
        let none = match error {
            NetError::Dns(NetDnsError::NoRecordsFound(none)) => none,
            error => return Validated::Failed(describe_error(&error)),
        };
        if !matches!(none.response_code, ResponseCode::NXDomain | ResponseCode::NoError) {
            return Validated::Failed(format!("the resolver returned code {}", u16::from(none.response_code)));
        }
        let records = none.authorities.as_deref().unwrap_or_default();
        let mut name = name;
        for _ in 0..MAX_ALIASES {
            if proves_absence(records, &name) {
                return Validated::Absent;
            }
            let is_enclosing = |record: &Record| record.proof == Proof::Insecure && record.name.zone_of(&name);
            if records.iter().any(is_enclosing) || self.is_unsigned(&name).await {
                return Validated::Unsigned;
            }
            match self.alias(&name).await {
                Some((target, true)) => name = target,
                Some((_, false)) => return Validated::Unsigned,
                None => break,
            }
        }
        Validated::Failed("the response is that of another zone".to_owned())
    }

    /// Returns whether the zone of a name is proven to be unsigned. The nearest SOA record decides.
    async fn is_unsigned(&self, name: &Name) -> bool {
        // The library answers for these names itself.
        if LOCALHOST.zone_of(name) || INVALID.zone_of(name) || ONION.zone_of(name) {
            return true;
        }
        let mut zone = name.clone();
        while !zone.is_root() {
            if let Ok(found) = self.lookup(zone.clone(), RecordType::SOA).await {
                let is_soa = |record: &&Record| record.record_type() == RecordType::SOA && record.name == zone;
                if let Some(soa) = found.answers().iter().find(is_soa) {
                    return soa.proof == Proof::Insecure;
                }
            }
            zone = zone.base_name();
        }
        false
    }

    /// Returns the target of an alias, and whether it is signed.
    async fn alias(&self, name: &Name) -> Option<(Name, bool)> {
        let found = self.lookup(name.clone(), RecordType::CNAME).await.ok()?;
        found.answers().iter().find_map(|record| match &record.data {
            RData::CNAME(target) if record.name == *name => Some((target.0.clone(), record.proof == Proof::Secure)),
            _ => None,
        })
    }
}
