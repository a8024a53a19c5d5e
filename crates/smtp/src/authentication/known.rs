//! Answers of DNS that are at hand before the library asks.

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

/// The library's parameters with TXT records that are known.
pub(super) type WithKnown<'a, P> = Parameters<
    'a,
    P,
    Known,
    NoCache<Box<str>, RecordSet<MX>>,
    NoCache<Box<str>, RecordSet<Ipv4Addr>>,
    NoCache<Box<str>, RecordSet<Ipv6Addr>>,
    NoCache<IpAddr, RecordSet<Box<str>>>,
>;

/// TXT records of one kind, by their names.
///
/// Each kind has its own: the library keeps what it made of a record, so that one name asked for as two kinds would give
/// the second what the first made of it. Nothing is added while it works, for the same reason.
#[derive(Default)]
pub(super) struct Known(HashMap<Box<str>, Txt>);

impl Known {
    /// Adds what is known of a name.
    pub(super) fn add(&mut self, name: &str, record: Txt) {
        self.0.insert(name.to_fqdn().into_owned().into_boxed_str(), record);
    }

    /// The library's parameters with these records.
    pub(super) fn with<P>(&self, asked: P) -> WithKnown<'_, P> {
        Parameters::new(asked).with_txt_cache(self)
    }
}

impl ResolverCache<Box<str>, Txt> for Known {
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

/// What a question is answered with, an answer in time or none.
pub(super) async fn in_time<T>(
    patience: Duration,
    question: impl Future<Output = mail_auth::Result<T>>,
) -> mail_auth::Result<T> {
    let silence = || Err(Error::Dns(DnsError::Resolver("no answer in time".to_owned())));
    tokio::time::timeout(patience, question).await.unwrap_or_else(|_| silence())
}

/// The keys at these names, asked for at the same time.
pub(super) async fn keys_at(verifier: &MessageAuthenticator, names: BTreeSet<String>, patience: Duration) -> Known {
    let questions = names.iter().map(|name| {
        let unkept = None::<&NoCache<Box<str>, Txt>>;
        in_time(patience, verifier.txt_lookup::<DomainKey>(name, unkept))
    });
    let answers = join_all(questions).await;
    let mut known = Known::default();
    for (name, answer) in names.iter().zip(answers) {
        known.add(name, answer.map_or_else(Txt::Error, Txt::DomainKey));
    }
    known
}

/// The TXT records at a name.
pub(super) async fn texts(verifier: &MessageAuthenticator, name: &str) -> mail_auth::Result<Vec<String>> {
    let mut name = Name::from_str_relaxed(name)?;
    // Without this the search list of the system would be tried as well.
    name.set_fqdn(true);
    let found = verifier.0.txt_lookup(name).await?;
    let texts = found.answers().iter().filter_map(|record| match &record.data {
        RData::TXT(txt) => Some(String::from_utf8_lossy(&txt.txt_data.concat()).into_owned()),
        _ => None,
    });
    Ok(texts.collect())
}
