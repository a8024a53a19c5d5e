//! Asking a DNS resolver.
//!
//! [`Resolver`] mostly keeps nothing: every question is asked anew, so that a record that was published a moment ago is found, as
//! far as the resolver has not kept the earlier answer itself. `caching` makes one that keeps answers as long as they
//! say, for the questions that every mail asks.

mod caching;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use async_trait::async_trait;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts};
use hickory_resolver::lookup::Lookup as Found;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError as NetDnsError, NetError, NoRecords};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use inboxd_core::ports::{Dns, Lookup, MxHost};

pub(crate) use caching::caching;

/// How long a question may take, every try and TCP included.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a resolver that keeps answers does so at most.
const KEPT: Duration = Duration::from_mins(5);
/// How long one try may take.
const TRY: Duration = Duration::from_secs(3);
/// How often one server is asked.
const TRIES: usize = 2;
/// The most records of one answer that are looked at.
const MOST_RECORDS: usize = 100;

/// A resolver that could not be made ready.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DnsError(String);

/// Asks one resolver, or those of the system.
pub struct Resolver {
    resolver: TokioResolver,
    patience: Duration,
}

impl Resolver {
    /// Asks the resolver at an address.
    ///
    /// # Errors
    /// When it cannot be made ready; nothing is asked yet.
    pub fn at(address: SocketAddr) -> Result<Self, DnsError> {
        Self::new(servers(Some(address)))
    }

    /// Asks the resolver at an address, or those of the system, and keeps what they answer for five minutes at most: mail
    /// asks for the same hosts again and again.
    ///
    /// # Errors
    /// When it cannot be made ready; nothing is asked yet.
    pub fn keeping(address: Option<SocketAddr>) -> Result<Self, DnsError> {
        Ok(Self { resolver: caching(address, KEPT)?, patience: PATIENCE })
    }

    /// Asks the resolvers of the system.
    ///
    /// # Errors
    /// When they cannot be made ready; nothing is asked yet.
    pub fn of_system() -> Result<Self, DnsError> {
        Self::new(servers(None))
    }

    /// The addresses of a host, of both kinds.
    pub async fn addresses(&self, name: &str) -> Lookup<IpAddr> {
        let address = |data: &RData| match data {
            RData::A(found) => Some(IpAddr::V4(found.0)),
            RData::AAAA(found) => Some(IpAddr::V6(found.0)),
            _ => None,
        };
        let (four, six) =
            tokio::join!(self.ask(name, RecordType::A, address), self.ask(name, RecordType::AAAA, address));
        match (four, six) {
            (Lookup::Found(four), Lookup::Found(six)) => Lookup::Found([four, six].concat()),
            (Lookup::Found(some), _) | (_, Lookup::Found(some)) => Lookup::Found(some),
            (Lookup::Failed(why), _) | (_, Lookup::Failed(why)) => Lookup::Failed(why),
            (Lookup::Absent, Lookup::Absent) => Lookup::Absent,
        }
    }

    /// The names that an address is called by (RFC 1035, section 3.5).
    pub async fn names_of(&self, address: IpAddr) -> Lookup<String> {
        self.ask(&Name::from(address).to_ascii(), RecordType::PTR, |data| match data {
            RData::PTR(name) => Some(name.0.to_ascii().trim_end_matches('.').to_owned()),
            _ => None,
        })
        .await
    }

    /// The names of the servers of a zone.
    pub async fn name_servers(&self, zone: &str) -> Lookup<String> {
        self.ask(zone, RecordType::NS, |data| match data {
            RData::NS(name) => Some(name.0.to_ascii()),
            _ => None,
        })
        .await
    }

    fn new(config: ResolverConfig) -> Result<Self, DnsError> {
        let mut options = ResolverOpts::default();
        options.cache_size = 0;
        options.timeout = TRY;
        options.attempts = TRIES;
        options.use_hosts_file = ResolveHosts::Never;
        Ok(Self { resolver: build(config, options)?, patience: PATIENCE })
    }

    /// The records of a type that an answer holds, read one by one.
    async fn ask<T>(&self, name: &str, kind: RecordType, read: impl Fn(&RData) -> Option<T>) -> Lookup<T> {
        let Ok(mut name) = Name::from_ascii(name) else { return Lookup::Failed(format!("{name} is no name")) };
        // Without this the search list of the system would be tried as well.
        name.set_fqdn(true);
        let asked = name.clone();
        match tokio::time::timeout(self.patience, self.resolver.lookup(name, kind)).await {
            Err(_) => Lookup::Failed("no answer in time".to_owned()),
            Ok(Ok(found)) => records(&found, read),
            Ok(Err(NetError::Dns(NetDnsError::NoRecordsFound(none)))) => self.without_records(asked, &none).await,
            Ok(Err(error)) => Lookup::Failed(in_words(&error)),
        }
    }

    /// What an answer without records says: that there are none (RFC 2308, section 2), or nothing at all. Mail bounces by
    /// the former.
    async fn without_records<T>(&self, name: Name, none: &NoRecords) -> Lookup<T> {
        match none.response_code {
            ResponseCode::NXDomain => return Lookup::Absent,
            ResponseCode::NoError => {}
            code => return Lookup::Failed(format!("the resolver answered with code {}", u16::from(code))),
        }
        if none.soa.is_some() {
            return Lookup::Absent;
        }
        if none.ns.is_some() {
            return Lookup::Failed("the resolver named other servers and asked none of them".to_owned());
        }
        // Without a word from the zone the library says the same of a name without records and of aliases that it
        // followed for long enough.
        match tokio::time::timeout(self.patience, self.resolver.lookup(name, RecordType::CNAME)).await {
            Err(_) => Lookup::Failed("no answer in time".to_owned()),
            Ok(Ok(_)) => Lookup::Failed("the aliases of the name lead to no answer".to_owned()),
            Ok(Err(error)) if error.is_no_records_found() => Lookup::Absent,
            Ok(Err(error)) => Lookup::Failed(in_words(&error)),
        }
    }
}

#[async_trait]
impl Dns for Resolver {
    async fn txt(&self, name: &str) -> Lookup<String> {
        self.ask(name, RecordType::TXT, |data| match data {
            RData::TXT(txt) => Some(String::from_utf8_lossy(&txt.txt_data.concat()).into_owned()),
            _ => None,
        })
        .await
    }

    async fn mx(&self, name: &str) -> Lookup<MxHost> {
        self.ask(name, RecordType::MX, |data| match data {
            RData::MX(mx) => {
                let host = mx.exchange.to_ascii().trim_end_matches('.').to_owned();
                Some(MxHost { preference: mx.preference, host })
            }
            _ => None,
        })
        .await
    }
}

/// The server at an address; without one, those of the system, and where it names none, the one on this machine, as
/// resolv.conf(5) has it.
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
    // What the configured resolver denies is denied: there is nobody else to ask.
    let server = NameServerConfig::new(address.ip(), true, connections.to_vec());
    ResolverConfig::from_name_servers(vec![server])
}

fn build(config: ResolverConfig, options: ResolverOpts) -> Result<TokioResolver, DnsError> {
    TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
        .with_options(options)
        .build()
        .map_err(|error| DnsError(error.to_string()))
}

/// An answer may also hold the aliases on the way to the records.
fn records<T>(found: &Found, read: impl Fn(&RData) -> Option<T>) -> Lookup<T> {
    let records: Vec<T> = found.answers().iter().filter_map(|record| read(&record.data)).take(MOST_RECORDS).collect();
    if records.is_empty() {
        return Lookup::Failed("the answer holds no record of the type that was asked for".to_owned());
    }
    Lookup::Found(records)
}

fn in_words(error: &NetError) -> String {
    match error {
        NetError::Timeout => "no answer in time".to_owned(),
        NetError::NoConnections => "the resolver cannot be reached".to_owned(),
        other => other.to_string(),
    }
}
