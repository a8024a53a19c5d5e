//! TXT records that are queried before verification.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use hickory_resolver::proto::rr::{Name, RData};
use mail_auth::common::cache::NoCache;
use mail_auth::common::resolver::ToFqdn;
use mail_auth::common::verify::DomainKey;
use mail_auth::{DnsError, Error, MX, MessageAuthenticator, Parameters, RecordSet, ResolverCache, Txt};

/// Parameters of the library with prefetched TXT records.
pub(super) type WithPrefetched<'a, P> = Parameters<
    'a,
    P,
    PrefetchedTxt,
    NoCache<Box<str>, RecordSet<MX>>,
    NoCache<Box<str>, RecordSet<Ipv4Addr>>,
    NoCache<Box<str>, RecordSet<Ipv6Addr>>,
    NoCache<IpAddr, RecordSet<Box<str>>>,
>;

/// TXT records of one kind, by name.
///
/// Each kind has a map of its own. The library caches parsed records, so a name that is queried for two kinds would
/// return the first kind to both. For the same reason nothing is added during verification.
#[derive(Default)]
pub(super) struct PrefetchedTxt(HashMap<Box<str>, Txt>);

impl PrefetchedTxt {
    /// Adds the record of a name.
    pub(super) fn add(&mut self, name: &str, record: Txt) {
        self.0.insert(name.to_fqdn().into_owned().into_boxed_str(), record);
    }

    /// Returns parameters of the library with these records.
    pub(super) fn with<P>(&self, parameters: P) -> WithPrefetched<'_, P> {
        Parameters::new(parameters).with_txt_cache(self)
    }
}

impl ResolverCache<Box<str>, Txt> for PrefetchedTxt {
    fn get<Q>(&self, name: &Q) -> Option<Txt>
    where
        Box<str>: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.0.get(name).cloned()
    }

    fn remove<Q>(&self, _: &Q) -> Option<Txt>
    where
        Box<str>: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        None
    }

    fn insert(&self, _: Box<str>, _: Txt, _: Instant) {}
}

/// Runs a query with a time limit.
pub(super) async fn with_time_limit<T>(
    time_limit: Duration,
    query: impl Future<Output = mail_auth::Result<T>>,
) -> mail_auth::Result<T> {
    let unanswered = || Err(Error::Dns(DnsError::Resolver("no response in time".to_owned())));
    tokio::time::timeout(time_limit, query).await.unwrap_or_else(|_| unanswered())
}

/// Queries the keys of these names concurrently.
pub(super) async fn keys_at(
    verifier: &MessageAuthenticator,
    names: BTreeSet<String>,
    time_limit: Duration,
) -> PrefetchedTxt {
    let queries = names.iter().map(|name| {
        let no_cache = None::<&NoCache<Box<str>, Txt>>;
        with_time_limit(time_limit, verifier.txt_lookup::<DomainKey>(name, no_cache))
    });
    let responses = join_all(queries).await;
    let mut prefetched = PrefetchedTxt::default();
    for (name, response) in names.iter().zip(responses) {
        prefetched.add(name, response.map_or_else(Txt::Error, Txt::DomainKey));
    }
    prefetched
}

/// Queries the TXT records of a name.
pub(super) async fn txt_records(verifier: &MessageAuthenticator, name: &str) -> mail_auth::Result<Vec<String>> {
    let mut name = Name::from_str_relaxed(name)?;
    // Without this flag, the search list of the system would apply.
    name.set_fqdn(true);
    let found = verifier.0.txt_lookup(name).await?;
    let txt_records = found.answers().iter().filter_map(|record| match &record.data {
        RData::TXT(txt) => Some(String::from_utf8_lossy(&txt.txt_data.concat()).into_owned()),
        _ => None,
    });
    Ok(txt_records.collect())
}
