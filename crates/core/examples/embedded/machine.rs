//! Stubs of the ports that receiving and reading messages does not need, a clock and randomness.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use inboxd_core::model::{AuthResult, OutgoingId};
use inboxd_core::ports::{
    Authenticator, BlockingPool, BlockingWork, ByteMeter, Clock, DestinationError, Destinations, DmarcEvidence,
    DmarcPolicy, Dns, Evidence, Fetch, FetchError, Fetched, HandedMail, KeyMaker, KeyMakerError, KeyPair, Lookup,
    MxHost, NotSigned, Random, Sequenced, SignedBy, Signer, SpfEvidence, Vault, VaultError, Wake, WorkOwner,
};
use time::{Duration, OffsetDateTime};

/// The clock of the operating system, in whole milliseconds.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the port that all time comes through")]
    fn now(&self) -> OffsetDateTime {
        let now = OffsetDateTime::now_utc();
        now - Duration::nanoseconds(i64::from(now.nanosecond() % 1_000_000))
    }
}

/// Randomness for ids only. Keys and codes need the source of the operating system.
#[derive(Default)]
pub(crate) struct HashRandom {
    state: RandomState,
    drawn: AtomicU64,
}

impl Random for HashRandom {
    fn fill(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            let drawn = self.state.hash_one(self.drawn.fetch_add(1, Ordering::Relaxed));
            chunk.copy_from_slice(&drawn.to_be_bytes()[..chunk.len()]);
        }
    }
}

/// No workers to wake.
pub(crate) struct NoWake;

impl Wake for NoWake {
    fn outgoing(&self) {}

    fn sign_ins(&self) {}

    fn webhooks(&self) {}

    fn placed(&self, _: Sequenced) {}
}

/// No vault: this example sends no codes, and only codes are sealed.
pub(crate) struct NoVault;

impl Vault for NoVault {
    fn seal(&self, _: &[u8], _: &[u8]) -> Result<Vec<u8>, VaultError> {
        Err(VaultError)
    }

    fn open(&self, _: &[u8], _: &[u8]) -> Result<Vec<u8>, VaultError> {
        Err(VaultError)
    }
}

/// No network.
pub(crate) struct NoFetch;

#[async_trait]
impl Fetch for NoFetch {
    async fn get_all(&self, urls: &[String], _: usize, _: &dyn ByteMeter) -> Vec<Result<Fetched, FetchError>> {
        let none = |_| Err(FetchError("this program reads nothing from the network".to_owned()));
        urls.iter().map(none).collect()
    }
}

/// No webhooks.
pub(crate) struct NoDestinations;

#[async_trait]
impl Destinations for NoDestinations {
    fn read(&self, _: &str) -> Result<(), DestinationError> {
        Err(DestinationError("this program sends nothing".to_owned()))
    }

    async fn check(&self, url: &str) -> Result<(), DestinationError> {
        self.read(url)
    }
}

/// No custom domains.
pub(crate) struct NoDns;

#[async_trait]
impl Dns for NoDns {
    async fn txt(&self, _: &str) -> Lookup<String> {
        Lookup::Failed("this program asks no DNS".to_owned())
    }

    async fn mx(&self, _: &str) -> Lookup<MxHost> {
        Lookup::Failed("this program asks no DNS".to_owned())
    }
}

/// No DKIM keys.
pub(crate) struct NoKeys;

#[async_trait]
impl KeyMaker for NoKeys {
    async fn rsa_2048(&self) -> Result<KeyPair, KeyMakerError> {
        Err(KeyMakerError("this program makes no keys".to_owned()))
    }
}

/// Runs computations on the current thread.
pub(crate) struct InPlace;

#[async_trait]
impl BlockingPool for InPlace {
    async fn run(&self, _: WorkOwner, work: BlockingWork) {
        work();
    }
}

/// No signatures: this example sends nothing.
pub(crate) struct NoSigner;

#[async_trait]
impl Signer for NoSigner {
    async fn sign(&self, _: SignedBy<'_>, raw: Vec<u8>) -> Result<Vec<u8>, NotSigned> {
        Err(NotSigned { raw, reason: "this program signs nothing".to_owned() })
    }

    fn missed(&self, _: OutgoingId, _: &str) {}
}

/// No authentication of senders.
pub(crate) struct NoAuthenticator;

#[async_trait]
impl Authenticator for NoAuthenticator {
    async fn authenticate(&self, _: HandedMail<'_>) -> Evidence {
        Evidence {
            spf: SpfEvidence { result: AuthResult::None, domain: String::new(), of_helo: false },
            dkim: Vec::new(),
            dmarc: DmarcEvidence {
                result: AuthResult::None,
                policy: DmarcPolicy::None,
                from_domain: None,
                aligned_domain: None,
            },
            arc: None,
        }
    }
}
