//! DNS resolver.
//!
//! [`DnsResolver`] has no cache by default, so a record published a moment ago is found unless the server itself
//! caches. [`DnsResolver::caching`] caches responses for their TTL, for the queries of every message.
//! [`ValidatingResolver`] validates responses by DNSSEC, for DANE.

mod availability;
mod cache;
mod dnssec;
#[cfg(test)]
mod tests;
mod ttl_limit;
mod validation;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use async_trait::async_trait;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts};
use hickory_resolver::lookup::Lookup as DnsResponse;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError as NetDnsError, NetError, NoRecords};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use inboxd_core::ports::{Dns, Lookup, MxHost};
use rustls::crypto::aws_lc_rs::default_provider;

pub(crate) use availability::DnssecAvailability;
pub(crate) use cache::caching_resolver;
pub(crate) use dnssec::Validated;
pub use dnssec::{TrustAnchorSet, ValidatingResolver};

/// Limit of a query, including all attempts and TCP.
const QUERY_TIMEOUT: Duration = Duration::from_secs(10);
/// Limit of the cache time of a response.
const MAX_CACHE_TTL: Duration = Duration::from_mins(5);
/// Limit of one attempt.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(3);
/// Number of attempts for each server.
const MAX_ATTEMPTS: usize = 2;
/// Number of records of one response.
const MAX_RECORDS: usize = 100;

/// Reason for which a resolver cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DnsError(String);

/// Resolver that queries one server, or those of the system.
pub struct DnsResolver {
    resolver: TokioResolver,
    time_limit: Duration,
}

impl DnsResolver {
    /// Returns a resolver for the server at an address.
    ///
    /// # Errors
    /// [`DnsError`] when the configuration is not valid. No query is sent.
    pub fn at(address: SocketAddr) -> Result<Self, DnsError> {
        Self::new(servers(Some(address)))
    }

    /// Returns a resolver for the server at an address, or those of the system. It caches responses for at most five
    /// minutes, because mail repeats queries.
    ///
    /// # Errors
    /// [`DnsError`] when the configuration is not valid. No query is sent.
    pub fn caching(address: Option<SocketAddr>) -> Result<Self, DnsError> {
        Ok(Self { resolver: caching_resolver(address, MAX_CACHE_TTL)?, time_limit: QUERY_TIMEOUT })
    }

    /// Returns a resolver for the servers of the system.
    ///
    /// # Errors
    /// [`DnsError`] when the configuration is not valid. No query is sent.
    pub fn system() -> Result<Self, DnsError> {
        Self::new(servers(None))
    }

    /// Returns the IPv4 and IPv6 addresses of a host.
    pub async fn addresses(&self, name: &str) -> Lookup<IpAddr> {
        match tokio::join!(self.ipv4_addresses(name), self.ipv6_addresses(name)) {
            (Lookup::Found(four), Lookup::Found(six)) => Lookup::Found([four, six].concat()),
            (Lookup::Found(some), _) | (_, Lookup::Found(some)) => Lookup::Found(some),
            (Lookup::Failed(why), _) | (_, Lookup::Failed(why)) => Lookup::Failed(why),
            (Lookup::Absent, Lookup::Absent) => Lookup::Absent,
        }
    }

    /// Returns the A records of a name.
    pub(crate) async fn ipv4_addresses(&self, name: &str) -> Lookup<IpAddr> {
        self.query(name, RecordType::A, |data| match data {
            RData::A(found) => Some(IpAddr::V4(found.0)),
            _ => None,
        })
        .await
    }

    /// Returns the AAAA records of a name.
    pub(crate) async fn ipv6_addresses(&self, name: &str) -> Lookup<IpAddr> {
        self.query(name, RecordType::AAAA, |data| match data {
            RData::AAAA(found) => Some(IpAddr::V6(found.0)),
            _ => None,
        })
        .await
    }

    /// Returns the host names of an address (RFC 1035, section 3.5).
    pub async fn host_names(&self, address: IpAddr) -> Lookup<String> {
        self.pointers(&Name::from(address).to_ascii()).await
    }

    /// Returns the PTR records of a name.
    pub(crate) async fn pointers(&self, name: &str) -> Lookup<String> {
        self.query(name, RecordType::PTR, |data| match data {
            RData::PTR(name) => Some(name.0.to_ascii().trim_end_matches('.').to_owned()),
            _ => None,
        })
        .await
    }

    /// Returns the name servers of a zone.
    pub async fn name_servers(&self, zone: &str) -> Lookup<String> {
        self.query(zone, RecordType::NS, |data| match data {
            RData::NS(name) => Some(name.0.to_ascii()),
            _ => None,
        })
        .await
    }

    /// Returns a resolver that shares the cache and the configuration of another.
    pub(crate) fn sharing(resolver: TokioResolver) -> Self {
        Self { resolver, time_limit: QUERY_TIMEOUT }
    }

    fn new(config: ResolverConfig) -> Result<Self, DnsError> {
        let mut options = ResolverOpts::default();
        options.cache_size = 0;
        options.timeout = ATTEMPT_TIMEOUT;
        options.attempts = MAX_ATTEMPTS;
        options.use_hosts_file = ResolveHosts::Never;
        Ok(Self { resolver: build(config, options)?, time_limit: QUERY_TIMEOUT })
    }

    /// Queries a record type and converts each record.
    async fn query<T>(&self, name: &str, kind: RecordType, read: impl Fn(&RData) -> Option<T>) -> Lookup<T> {
        let Some(name) = absolute_name(name) else { return Lookup::Failed(format!("{name} is not a valid name")) };
        let queried = name.clone();
        match tokio::time::timeout(self.time_limit, self.resolver.lookup(name, kind)).await {
            Err(_) => Lookup::Failed("no response in time".to_owned()),
            Ok(Ok(found)) => records(&found, read),
            Ok(Err(NetError::Dns(NetDnsError::NoRecordsFound(none)))) => self.without_records(queried, &none).await,
            Ok(Err(error)) => Lookup::Failed(describe_error(&error)),
        }
    }

    /// Interprets a response without records: the name has none (RFC 2308, section 2), or the result is unknown. The
    /// first makes mail bounce.
    async fn without_records<T>(&self, name: Name, none: &NoRecords) -> Lookup<T> {
        match none.response_code {
            ResponseCode::NXDomain => return Lookup::Absent,
            ResponseCode::NoError => {}
            code => return Lookup::Failed(format!("the resolver returned code {}", u16::from(code))),
        }
        if none.soa.is_some() {
            return Lookup::Absent;
        }
        if none.ns.is_some() {
            return Lookup::Failed("the resolver referred to other servers without querying them".to_owned());
        }
        // Without an SOA record the library reports the same for a name without records and for an alias chain that is
        // too long.
        match tokio::time::timeout(self.time_limit, self.resolver.lookup(name, RecordType::CNAME)).await {
            Err(_) => Lookup::Failed("no response in time".to_owned()),
            Ok(Ok(_)) => Lookup::Failed("the aliases of the name lead to no record".to_owned()),
            Ok(Err(error)) if error.is_no_records_found() => Lookup::Absent,
            Ok(Err(error)) => Lookup::Failed(describe_error(&error)),
        }
    }
}

#[async_trait]
impl Dns for DnsResolver {
    async fn txt(&self, name: &str) -> Lookup<String> {
        self.query(name, RecordType::TXT, |data| match data {
            RData::TXT(txt) => Some(String::from_utf8_lossy(&txt.txt_data.concat()).into_owned()),
            _ => None,
        })
        .await
    }

    async fn mx(&self, name: &str) -> Lookup<MxHost> {
        self.query(name, RecordType::MX, mx_host).await
    }
}

/// Converts an MX record.
fn mx_host(data: &RData) -> Option<MxHost> {
    let RData::MX(mx) = data else { return None };
    let host = mx.exchange.to_ascii().trim_end_matches('.').to_owned();
    Some(MxHost { preference: mx.preference, host })
}

/// Returns the name of labels between dots, which may hold any other character. The search list of the system does not
/// apply to it.
fn absolute_name(name: &str) -> Option<Name> {
    let labels = name.strip_suffix('.').unwrap_or(name);
    let labels = labels.split('.').filter(|_| !labels.is_empty()).map(str::as_bytes);
    let mut name = Name::from_labels(labels).ok()?;
    name.set_fqdn(true);
    Some(name)
}

/// Returns the configuration of the server at an address, or that of the system. If the system names none, it is the
/// local server (resolv.conf(5)).
fn servers(address: Option<SocketAddr>) -> ResolverConfig {
    let address = match address {
        Some(address) => address,
        None => match hickory_resolver::system_conf::read_system_conf() {
            Ok((config, _)) if !config.name_servers().is_empty() => return config,
            _ => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 53),
        },
    };
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = address.port();
        connection
    });
    // A negative response of the configured server is final, because there is no other server.
    let server = NameServerConfig::new(address.ip(), true, connections.to_vec());
    ResolverConfig::from_name_servers(vec![server])
}

/// Builds a resolver. Its queries use UDP and TCP, never TLS: without the empty store, each resolver would read the root
/// certificates of the system, and there would be none on a machine without them.
fn build(config: ResolverConfig, options: ResolverOpts) -> Result<TokioResolver, DnsError> {
    let unused = rustls::ClientConfig::builder_with_provider(default_provider().into())
        .with_safe_default_protocol_versions()
        .map_err(|error| DnsError(error.to_string()))?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
        .with_tls_config(unused)
        .with_options(options)
        .build()
        .map_err(|error| DnsError(error.to_string()))
}

/// Converts the records of a response, which may also hold the aliases on the path.
fn records<T>(found: &DnsResponse, read: impl Fn(&RData) -> Option<T>) -> Lookup<T> {
    let records: Vec<T> = found.answers().iter().filter_map(|record| read(&record.data)).take(MAX_RECORDS).collect();
    if records.is_empty() {
        return Lookup::Failed("the response holds no record of the requested type".to_owned());
    }
    Lookup::Found(records)
}

fn describe_error(error: &NetError) -> String {
    match error {
        NetError::Timeout => "no response in time".to_owned(),
        NetError::NoConnections => "the resolver is unreachable".to_owned(),
        NetError::Dns(NetDnsError::DnssecBogus) => "its DNSSEC signatures are missing or not valid".to_owned(),
        other => other.to_string(),
    }
}
