//! Stores of large contents outside the database.

use std::sync::Arc;
use std::time::Duration;

use inboxd_blobs::{BlobLimits, BlobMetrics, BoundedBlobs, DirectoryBlobs, RawBlobs, SealedBlobs, prepare_folder};
use inboxd_core::app::{BlobContents, BlobOwner};
use inboxd_core::model::BlobKind;
use inboxd_core::ports::{BlobRows, BlobStore};
use prometheus_client::registry::Registry;
use tokio::time::timeout;

use crate::config::{BlobConfig, BlobLocation, BucketConfig, Config};
use crate::environment::SystemRandom;
use crate::failure::{ErrorContext, Failure};
use crate::secret_key::Keys;
use crate::vault::KeyVault;

/// Time for the mark of a store at a start.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(3);
/// Remedy for a store with the mark of another service.
pub(crate) const OWN_STORE: &str = "give each service a folder, a bucket or a prefix of its own, or use the INBOXD_SECRET_KEY \
     with which this store was begun";

/// Store with the kind that rows name.
pub(crate) struct OpenStore {
    /// The store, with its seal and its limits.
    pub(crate) store: Arc<dyn BlobStore>,
    /// Kind in the rows of its objects.
    pub(crate) kind: BlobKind,
}

/// Configured stores.
pub(crate) struct BlobStores {
    /// Store of new contents; `None` for the rows of the database.
    pub(crate) current: Option<OpenStore>,
    /// Store that is still read.
    pub(crate) former: Option<OpenStore>,
    /// Bytes above which contents go to the store.
    pub(crate) threshold: usize,
}

impl BlobStores {
    /// Opens the configured stores with the key of their seal. No request is sent.
    pub(crate) fn open(config: &Config, key: [u8; 32], metrics: &BlobMetrics) -> Result<Self, Failure> {
        let open = |location: &BlobLocation| {
            let store = open_store(config, location, key, metrics)?;
            Ok::<_, Failure>(OpenStore { store, kind: location.kind() })
        };
        let BlobConfig { store, former, threshold, .. } = &config.blobs;
        Ok(Self {
            current: store.as_ref().map(open).transpose()?,
            former: former.as_ref().map(open).transpose()?,
            threshold: *threshold,
        })
    }

    /// Returns the contents outside the rows, in these stores.
    pub(crate) fn contents(self, config: &Config) -> Arc<BlobContents> {
        let target = self.current.as_ref().map(|current| current.kind);
        let stores = self.current.into_iter().chain(self.former).map(|open| (open.kind, open.store)).collect();
        Arc::new(BlobContents::new(stores, target, self.threshold, config.blob_retention))
    }

    /// Logs the stores in use, and later an outage. A bucket that is away does not delay a start.
    pub(crate) fn announce(&self) {
        for OpenStore { store, kind } in self.current.iter().chain(&self.former) {
            let (store, kind) = (Arc::clone(store), kind.as_str());
            tracing::info!(kind, threshold_bytes = self.threshold, "blob store opened");
            tokio::spawn(async move {
                if let Err(error) = store.list(None, 1).await {
                    let hint = "`inboxd doctor` names the remedy; large contents wait until the store responds";
                    tracing::warn!(kind, %error, hint, "blob store unavailable");
                }
            });
        }
    }
}

/// Marks the stores of this service, and refuses those of another. A store that is away does not delay a start for long.
pub(crate) async fn claim(contents: &BlobContents, rows: &dyn BlobRows) -> Result<(), Failure> {
    let kinds: Vec<BlobKind> = contents.kinds().collect();
    for kind in kinds {
        match timeout(CLAIM_TIMEOUT, contents.claim(kind, rows)).await {
            Ok(Ok(BlobOwner::Other)) => {
                let kind = kind.as_str();
                return Err(Failure::new(format!("the {kind} store belongs to another service: {OWN_STORE}")));
            }
            Ok(Ok(BlobOwner::Unknown)) => {
                let hint = "mount its disk, or put the objects back from a backup; none is deleted meanwhile";
                tracing::error!(kind = kind.as_str(), hint, "blob store lacks the objects of this database");
            }
            // An outage is logged beside this.
            Ok(Ok(BlobOwner::Own) | Err(_)) | Err(_) => {}
        }
    }
    Ok(())
}

/// Opens the configured stores for a command, without metrics.
pub(crate) fn contents(config: &Config, keys: &Keys) -> Result<Arc<BlobContents>, Failure> {
    let metrics = BlobMetrics::registered(&mut Registry::default());
    Ok(BlobStores::open(config, keys.blobs, &metrics)?.contents(config))
}

/// Creates the folders of configured stores, and refuses one in which this account may not write. A bucket may be away.
pub(crate) fn prepare(config: &Config) -> Result<(), Failure> {
    let named = [("INBOXD_BLOBS", &config.blobs.store), ("INBOXD_BLOBS_FROM", &config.blobs.former)];
    for (name, location) in named {
        if let Some(BlobLocation::Folder(folder)) = location {
            prepare_folder(folder).context(format!(
                "{name}: cannot write in {}; give the folder to the account of inboxd, or name another one",
                folder.display()
            ))?;
        }
    }
    Ok(())
}

/// Opens a store with seal and limits. No request is sent.
pub(crate) fn open_store(
    config: &Config,
    location: &BlobLocation,
    key: [u8; 32],
    metrics: &BlobMetrics,
) -> Result<Arc<dyn BlobStore>, Failure> {
    match location {
        BlobLocation::Folder(folder) => seal(DirectoryBlobs::new(folder), &config.blobs, key, metrics),
        BlobLocation::Bucket(bucket) => open_bucket(config, bucket, key, metrics),
    }
}

#[cfg(feature = "s3")]
fn open_bucket(
    config: &Config,
    bucket: &BucketConfig,
    key: [u8; 32],
    metrics: &BlobMetrics,
) -> Result<Arc<dyn BlobStore>, Failure> {
    let tls = crate::services::authorities(config)?.tls_config().context("TLS cannot be set up")?;
    let bucket = inboxd_blobs::S3Bucket {
        endpoint: bucket.endpoint.clone(),
        region: bucket.region.clone(),
        bucket: bucket.bucket.clone(),
        prefix: bucket.prefix.clone(),
        access_key_id: bucket.access_key_id.reveal().to_owned(),
        secret_access_key: bucket.secret_access_key.reveal().to_owned(),
        session_token: bucket.session_token.as_ref().map(|token| token.reveal().to_owned()),
        allows_http: bucket.allows_http,
        uses_virtual_host: bucket.uses_virtual_host,
    };
    let store = inboxd_blobs::S3Blobs::new(bucket, tls, config.blobs.timeout).context("the bucket of INBOXD_BLOBS")?;
    seal(store, &config.blobs, key, metrics)
}

/// Refuses a bucket, which the configuration of this build cannot contain.
#[cfg(not(feature = "s3"))]
fn open_bucket(_: &Config, bucket: &BucketConfig, _: [u8; 32], _: &BlobMetrics) -> Result<Arc<dyn BlobStore>, Failure> {
    Err(Failure::new(format!("s3://{}: this program was built without the cargo feature s3", bucket.bucket)))
}

/// Adds the seal and the limits to a store.
fn seal(
    store: impl RawBlobs,
    config: &BlobConfig,
    key: [u8; 32],
    metrics: &BlobMetrics,
) -> Result<Arc<dyn BlobStore>, Failure> {
    let sealed = SealedBlobs::new(store, Arc::new(KeyVault::new(key, SystemRandom))).context("the seal of contents")?;
    let limits = BlobLimits { connections: config.connections, timeout: config.timeout };
    Ok(Arc::new(BoundedBlobs::new(sealed, limits, metrics.clone())))
}
