//! Check of the stores of large contents.

use inboxd_blobs::BlobMetrics;
use inboxd_core::app::BlobOwner;
use inboxd_core::ports::{BlobError, BlobName, BlobStore, Random as _};
use prometheus_client::registry::Registry;
use tokio::time::Instant;

use super::Finding;
use crate::blobs::{OWN_STORE, contents, open_store};
use crate::config::{BlobLocation, Config};
use crate::environment::SystemRandom;
use crate::secret_key::{Keys, find_secret};

const CHECK: &str = "blobs";
/// Content of the probe.
const PROBE: &[u8] = b"probe of inboxd doctor";

/// Writes, reads, lists and deletes a probe in each configured store.
pub(super) async fn examine(config: &Config) -> Vec<Finding> {
    let named = [("INBOXD_BLOBS", &config.blobs.store), ("INBOXD_BLOBS_FROM", &config.blobs.former)];
    let mut findings = Vec::new();
    for (name, location) in named {
        if let Some(location) = location {
            findings.push(examine_store(config, name, location).await);
        }
    }
    findings
}

async fn examine_store(config: &Config, name: &str, location: &BlobLocation) -> Finding {
    let (place, mend) = match location {
        BlobLocation::Folder(folder) => {
            let place = folder.display().to_string();
            if !folder.exists() {
                let mend = "start inboxd serve, which creates it, or create it for the account of inboxd with mode 700";
                return Finding::warn(CHECK, format!("{name}: {place} does not exist"), mend);
            }
            (place, format!("give the folder to the account of inboxd with mode 700, or correct {name}"))
        }
        BlobLocation::Bucket(bucket) => (
            format!("s3://{}", bucket.bucket),
            format!(
                "start the server of the bucket or correct AWS_ENDPOINT_URL_S3, create the bucket, permit the access key to \
                 put, get, delete and list its objects, or correct {name}"
            ),
        ),
    };
    // A random key is enough for an object that goes at once.
    let metrics = BlobMetrics::registered(&mut Registry::default());
    let store = match open_store(config, location, SystemRandom.bytes(), &metrics) {
        Ok(store) => store,
        Err(failure) => return Finding::fail(CHECK, failure.to_string(), mend),
    };
    let start = Instant::now();
    let probed = probe(store.as_ref()).await;
    let is_of_other = probed.is_ok() && is_of_other(config, location).await;
    match probed {
        Ok(()) if is_of_other => Finding::fail(CHECK, format!("{name}: {place} belongs to another service"), OWN_STORE),
        Ok(()) => {
            let took = start.elapsed().as_millis();
            Finding::ok(CHECK, format!("{place} stores, returns, lists and deletes objects, in {took} ms"))
        }
        Err(error) => Finding::fail(CHECK, format!("{name}: {error}"), mend),
    }
}

/// Returns whether a store has the mark of another service. Without a secret key none is recognized.
async fn is_of_other(config: &Config, location: &BlobLocation) -> bool {
    let Ok(Some(secret)) = find_secret(config.secret_key.as_ref(), &config.data_dir) else { return false };
    let Ok(contents) = contents(config, &Keys::of(&secret)) else { return false };
    matches!(contents.owner(location.kind()).await, Ok(Some(BlobOwner::Other)))
}

async fn probe(store: &dyn BlobStore) -> Result<(), BlobError> {
    let mut id = [0; 16];
    SystemRandom.fill(&mut id);
    let name = BlobName(format!("doctor/probe/{}", uuid::Uuid::from_bytes(id).simple()));
    store.put(&name, PROBE).await?;
    let read = store.get(&name, None).await;
    let listed = store.list(None, 1).await;
    // The probe is deleted also after a failure.
    store.delete(std::slice::from_ref(&name)).await?;
    listed?;
    if read? == PROBE {
        return Ok(());
    }
    Err(BlobError::Damaged { name, reason: "it has another content".to_owned() })
}
