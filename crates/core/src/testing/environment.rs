//! Deterministic stubs of clock, randomness, network and keys.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

use super::{Happened, Journal};
use crate::model::{AuthResult, OrganizationId, OutgoingId};
use crate::ports::{
    Authenticator, BlockingPool, BlockingWork, ByteMeter, Clock, ContentScanner, DestinationError, Destinations,
    DmarcEvidence, DmarcPolicy, Dns, Evidence, Fetch, FetchError, Fetched, HandedMail, KeyMaker, KeyMakerError,
    KeyPair, Lookup, MxHost, NotSigned, Random, Sequenced, SignedBy, Signer, SpfEvidence, SuspectMail, Vault,
    VaultError, Wake, WorkOwner,
};
use crate::rules::trust::ScannerFinding;

/// A clock that moves only by [`FixedClock::advance`]. Clones share the time.
#[derive(Debug, Clone)]
pub struct FixedClock(Arc<AtomicI64>);

impl FixedClock {
    /// Creates a clock at this time, in milliseconds.
    #[must_use]
    pub fn at(time: OffsetDateTime) -> Self {
        Self(Arc::new(AtomicI64::new(millis(time - OffsetDateTime::UNIX_EPOCH))))
    }

    /// Advances the clock.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(millis(by), Ordering::SeqCst);
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.whole_milliseconds()).unwrap_or(i64::MAX)
}

impl Clock for FixedClock {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::UNIX_EPOCH + Duration::milliseconds(self.0.load(Ordering::SeqCst))
    }
}

/// Pseudorandom bytes, equal for equal seeds: SHA-256 of the seed and a counter.
#[derive(Debug, Default)]
pub struct SeededRandom {
    seed: u64,
    blocks: AtomicU64,
}

impl SeededRandom {
    /// Creates the generator of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, blocks: AtomicU64::new(0) }
    }
}

impl Random for SeededRandom {
    fn fill(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(32) {
            let block = self.blocks.fetch_add(1, Ordering::SeqCst);
            let bytes = Sha256::digest([self.seed.to_be_bytes(), block.to_be_bytes()].concat());
            for (to, from) in chunk.iter_mut().zip(bytes) {
                *to = from;
            }
        }
    }
}

/// Records every wake-up in a journal.
#[derive(Debug, Clone, Default)]
pub struct RecordingWake(pub Journal);

impl Wake for RecordingWake {
    fn outgoing(&self) {
        self.0.note(Happened::Woken);
    }

    fn sign_ins(&self) {
        self.0.note(Happened::WokenForSignIns);
    }

    fn webhooks(&self) {
        self.0.note(Happened::WokenForWebhooks);
    }

    fn placed(&self, _: Sequenced) {
        self.0.note(Happened::Placed);
    }
}

/// A vault without encryption that opens only values sealed for the same context.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainVault;

impl Vault for PlainVault {
    fn seal(&self, context: &[u8], plain: &[u8]) -> Result<Vec<u8>, VaultError> {
        Ok([b"sealed for ", context, b": ", plain].concat())
    }

    fn open(&self, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
        let seal = [b"sealed for ", context, b": "].concat();
        sealed.strip_prefix(seal.as_slice()).map(<[u8]>::to_vec).ok_or(VaultError)
    }
}

/// A network with fixed content per URL.
#[derive(Debug, Clone, Default)]
pub struct StubFetch(BTreeMap<String, Fetched>);

impl StubFetch {
    /// Adds content at a URL.
    #[must_use]
    pub fn with(mut self, url: &str, content: &[u8], content_type: Option<&str>) -> Self {
        let content_type = content_type.map(str::to_owned);
        let fetched = Fetched { content: content.to_vec(), content_type, cache_control: None };
        self.0.insert(url.to_owned(), fetched);
        self
    }
}

#[async_trait]
impl Fetch for StubFetch {
    async fn get_all(&self, urls: &[String], limit: usize, meter: &dyn ByteMeter) -> Vec<Result<Fetched, FetchError>> {
        let read = |url: &String| match self.0.get(url) {
            Some(fetched) if fetched.content.len() <= limit => {
                meter.count(fetched.content.len())?;
                Ok(fetched.clone())
            }
            Some(_) => Err(FetchError(format!("{url} holds more than {limit} bytes"))),
            None => Err(FetchError(format!("{url} cannot be reached"))),
        };
        urls.iter().map(read).collect()
    }
}

/// Accepts all URLs except the listed ones.
#[derive(Debug, Clone, Default)]
pub struct StubDestinations(Vec<String>);

impl StubDestinations {
    /// Adds a URL that leads to a forbidden address.
    #[must_use]
    pub fn without(mut self, url: &str) -> Self {
        self.0.push(url.to_owned());
        self
    }
}

#[async_trait]
impl Destinations for StubDestinations {
    fn read(&self, url: &str) -> Result<(), DestinationError> {
        if url.starts_with("https://") { Ok(()) } else { Err(DestinationError(format!("{url} is no URL"))) }
    }

    async fn check(&self, url: &str) -> Result<(), DestinationError> {
        if self.0.iter().any(|refused| refused == url) {
            return Err(DestinationError(format!("{url} leads to a private address")));
        }
        self.read(url)
    }
}

/// A DNS with fixed records; all other names are absent.
#[derive(Debug, Clone, Default)]
pub struct StubDns {
    txt: BTreeMap<String, Lookup<String>>,
    mx: BTreeMap<String, Lookup<MxHost>>,
}

impl StubDns {
    /// Sets the result of TXT lookups of a name.
    #[must_use]
    pub fn with_txt(mut self, name: &str, answer: Lookup<String>) -> Self {
        self.txt.insert(name.to_owned(), answer);
        self
    }

    /// Sets the result of MX lookups of a name.
    #[must_use]
    pub fn with_mx(mut self, name: &str, answer: Lookup<MxHost>) -> Self {
        self.mx.insert(name.to_owned(), answer);
        self
    }
}

#[async_trait]
impl Dns for StubDns {
    async fn txt(&self, name: &str) -> Lookup<String> {
        self.txt.get(name).cloned().unwrap_or(Lookup::Absent)
    }

    async fn mx(&self, name: &str) -> Lookup<MxHost> {
        self.mx.get(name).cloned().unwrap_or(Lookup::Absent)
    }
}

/// Creates the same dummy key pair every time.
#[derive(Debug, Clone, Copy, Default)]
pub struct StubKeys;

#[async_trait]
impl KeyMaker for StubKeys {
    async fn rsa_2048(&self) -> Result<KeyPair, KeyMakerError> {
        Ok(KeyPair { private: b"private".to_vec(), public: b"public".to_vec() })
    }
}

/// Signs with a field that names the key and fails for an empty key. Clones share the record of unsigned messages.
#[derive(Debug, Clone, Default)]
pub struct StubSigner(Arc<Mutex<Vec<String>>>);

impl StubSigner {
    /// Returns the reasons for unsigned messages.
    #[must_use]
    pub fn missed_for(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Signer for StubSigner {
    async fn sign(&self, by: SignedBy<'_>, raw: Vec<u8>) -> Result<Vec<u8>, NotSigned> {
        if by.private_key.is_empty() {
            return Err(NotSigned { raw, reason: "the key is none".to_owned() });
        }
        let key = String::from_utf8_lossy(by.private_key);
        let field = format!("DKIM-Signature: d={}; s={}; key={key}\r\n", by.domain, by.selector);
        Ok([field.into_bytes(), raw].concat())
    }

    fn missed(&self, _: OutgoingId, reason: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(reason.to_owned());
    }
}

/// Returns the same results for every message.
#[derive(Debug, Clone)]
pub struct StubAuthenticator(pub Evidence);

impl Default for StubAuthenticator {
    /// Returns results without SPF, DKIM, DMARC policy or ARC.
    fn default() -> Self {
        Self(Evidence {
            spf: SpfEvidence { result: AuthResult::None, domain: String::new(), of_helo: false },
            dkim: Vec::new(),
            dmarc: DmarcEvidence {
                result: AuthResult::None,
                policy: DmarcPolicy::None,
                from_domain: None,
                aligned_domain: None,
            },
            arc: None,
        })
    }
}

#[async_trait]
impl Authenticator for StubAuthenticator {
    async fn authenticate(&self, _: HandedMail<'_>) -> Evidence {
        self.0.clone()
    }
}

/// Returns the same findings for every message.
#[derive(Debug, Clone)]
pub struct StubScanner(pub Vec<ScannerFinding>);

#[async_trait]
impl ContentScanner for StubScanner {
    async fn scan(&self, _: OrganizationId, _: SuspectMail<'_>) -> Vec<ScannerFinding> {
        self.0.clone()
    }
}

/// Runs computations on the current thread and counts them. Clones share the counter.
#[derive(Debug, Clone, Default)]
pub struct InlineBlockingPool(Arc<AtomicUsize>);

impl InlineBlockingPool {
    /// Returns the number of computations.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl BlockingPool for InlineBlockingPool {
    async fn run(&self, _: WorkOwner, work: BlockingWork) {
        self.0.fetch_add(1, Ordering::SeqCst);
        work();
    }
}
