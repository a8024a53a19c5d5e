//! Backup and restore of the contents outside the database.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use inboxd_core::app::BlobContents;
use inboxd_core::model::{BlobKind, OrganizationId, StoredBlob};
use inboxd_core::ports::{BlobName, BlobRows as _, ListedObject, QueueHolds as _, StoreError};
use inboxd_postgres::PgStore;
use uuid::Uuid;

use super::content::{OpenedBackup, write_blob, write_blobs_end, write_blobs_head};
use super::encryption::{DecryptionKeys, EncryptionKeys};
use super::output::OutputWriter;
use crate::admin::print;
use crate::config::Config;
use crate::failure::{ErrorContext, Failure};
use crate::secret_key::{self, Keys};
use crate::services::{Database, SchemaPolicy};
use crate::starting::StopSignals;

/// Rows of objects that one statement reads.
const PAGE: u32 = 500;
/// Restored objects of which one statement stores the place.
const ASSIGNED_TOGETHER: usize = 500;

/// Number and bytes of objects.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BlobCounts {
    pub(super) objects: u64,
    pub(super) bytes: u64,
    /// Objects that are missing or damaged, and not in the backup.
    pub(super) lost: u64,
}

impl BlobCounts {
    /// Refuses a backup that lacks lost objects. Call it when its file is complete.
    pub(super) fn require_whole(self) -> Result<(), Failure> {
        if self.lost == 0 {
            return Ok(());
        }
        Err(Failure::new(format!(
            "the backup is complete except for {} lost objects, which are named above: restore them from an earlier backup, or \
             delete their messages, drafts and files",
            self.lost
        )))
    }
}

/// Writes all objects that rows refer to. The backup of the database is older: objects outlive the rows in it by their
/// retention.
pub(super) async fn write(
    config: &Config,
    keys: &EncryptionKeys,
    writer: OutputWriter,
    signals: &mut StopSignals,
) -> Result<BlobCounts, Failure> {
    let database = Database::open(config, SchemaPolicy::Require).await?;
    let written = tokio::select! {
        written = write_all(config, &database, keys, writer) => written,
        () = signals.received() => Err(Failure::new("stopped by a signal")),
    };
    database.close().await?;
    written
}

async fn write_all(
    config: &Config,
    database: &Database,
    keys: &EncryptionKeys,
    writer: OutputWriter,
) -> Result<BlobCounts, Failure> {
    let (store, contents) = open(config, database).await?;
    let mut writer = keys.encrypt(writer)?;
    write_blobs_head(&mut writer)?;
    let (mut counts, mut after) = (BlobCounts::default(), None);
    loop {
        let page = store.blobs_after(after, PAGE).await.context("cannot read the rows of the objects")?;
        for ListedObject { blob, is_removed } in &page {
            let content = contents.get(blob).await;
            let content = content.and_then(|content| BlobContents::verify(blob, &content).map(|()| content));
            let content = match content {
                Ok(content) => content,
                // Its retention ended meanwhile, so no row of the backup of the database names it.
                Err(StoreError::ContentLost(_)) if *is_removed => continue,
                Err(error @ StoreError::ContentLost(_)) => {
                    // Standard output may be the backup. A closed standard error is no reason to fail.
                    let _ = writeln!(std::io::stderr(), "inboxd: {error}");
                    counts.lost += 1;
                    continue;
                }
                Err(error) => return Err(unreadable(&error)),
            };
            write_blob(&mut writer, &blob.name, &content)?;
            counts.objects += 1;
            counts.bytes += blob.bytes;
        }
        let Some(last) = page.last() else { break };
        after = Some((last.blob.organization_id, last.blob.blob_id));
    }
    write_blobs_end(&mut writer)?;
    writer.finish().and_then(OutputWriter::sync).context("cannot write the backup")?;
    Ok(counts)
}

fn unreadable(error: &StoreError) -> Failure {
    Failure::new(format!("{error}; nothing is saved, repeat the command when the store is there"))
}

/// Puts the objects of a backup into the store of new contents. Existing ones stay, so that a restore can be repeated.
pub(super) async fn restore(
    config: &Config,
    file: &Path,
    keys: &DecryptionKeys,
    signals: &mut StopSignals,
) -> Result<(), Failure> {
    let database = Database::open(config, SchemaPolicy::Migrate).await?;
    let restored = tokio::select! {
        restored = restore_all(config, &database, file, keys) => restored,
        () = signals.received() => Err(Failure::new("stopped by a signal; repeat the command with --blobs alone")),
    };
    database.close().await?;
    let BlobCounts { objects, bytes, .. } = restored?;
    print(&format!("restored {objects} objects of {bytes} bytes\n"))
}

async fn restore_all(
    config: &Config,
    database: &Database,
    file: &Path,
    keys: &DecryptionKeys,
) -> Result<BlobCounts, Failure> {
    let (store, contents) = open(config, database).await?;
    let target = contents.target().ok_or_else(|| {
        Failure::new(
            "INBOXD_BLOBS names no store for the objects of the backup: set it to one; afterwards `inboxd admin blobs move \
             --to-database` can move them",
        )
    })?;
    require_held_queue(&store).await?;
    crate::blobs::prepare(config)?;
    let mut opened = OpenedBackup::open(file, keys)?;
    opened.require_blobs()?;
    let (mut counts, mut restored) = (BlobCounts::default(), Vec::new());
    while let Some((name, content)) = opened.next_blob()? {
        restored.extend(StoredBlob::ids_in(&name));
        let stored = contents.restore(&BlobName(name), &content).await;
        stored.context("an object is not restored; repeat the command with --blobs alone")?;
        counts.objects += 1;
        counts.bytes += u64::try_from(content.len()).unwrap_or(u64::MAX);
        if restored.len() >= ASSIGNED_TOGETHER {
            assign(&store, target, &std::mem::take(&mut restored)).await?;
        }
    }
    assign(&store, target, &restored).await?;
    Ok(counts)
}

/// Stores that restored objects are in this store.
async fn assign(store: &PgStore, target: BlobKind, ids: &[(OrganizationId, Uuid)]) -> Result<(), Failure> {
    store.assign_blobs(target, ids).await.context("cannot assign the objects to the store; repeat the command")
}

/// Refuses to change the places of objects while the service works with them.
async fn require_held_queue(store: &PgStore) -> Result<(), Failure> {
    let held = store.held_mail(&[]).await.context("cannot read whether the queue is held")?;
    if held.queue_since.is_some() {
        return Ok(());
    }
    Err(Failure::new(
        "objects are restored while the queue is held, as after a restore of the database: stop inboxd, hold the queue with \
         `inboxd serve --hold`, and repeat the command",
    ))
}

/// Returns the rows and the stores of objects, which need the secret key of the database.
async fn open(config: &Config, database: &Database) -> Result<(Arc<PgStore>, Arc<BlobContents>), Failure> {
    let secret = secret_key::find_secret(config.secret_key.as_ref(), &config.data_dir)?;
    let keys = Keys::of(&secret.ok_or_else(|| {
        let file = secret_key::file(&config.data_dir);
        Failure::new(format!("objects need the secret key: neither INBOXD_SECRET_KEY nor {}", file.display()))
    })?);
    database.require_secret_key(&keys, &config.data_dir).await?;
    Ok((Arc::clone(&database.store), crate::blobs::contents(config, &keys)?))
}
