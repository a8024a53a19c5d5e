//! Contents outside the rows: uploads before a unit of work, removal of objects, and moves between places.

use futures_util::future::join_all;
use sha2::{Digest, Sha256};
use time::Duration;

use super::App;
use crate::Error;
use crate::model::{BlobKind, OrganizationId, StoredBlob};
use crate::ports::{BlobName, BlobRows, ContentKey, ContentKind, PlacedContent, StoreError, WorkOwner};

/// Maximum of uploads that a caller runs at a time.
const MAX_CONCURRENT_UPLOADS: usize = 4;
/// Bytes of the contents that a caller uploads at a time, each of which is in memory; one content may have more.
const MAX_UPLOADED_BYTES: usize = 16 * 1024 * 1024;
/// Objects removed in one step.
const REMOVED_BATCH: u32 = 500;
/// Objects of a store that one step of the search compares with the rows.
const SWEPT_BATCH: usize = 1000;
/// Age of an object without a row at which it goes. Its unit of work ended long before.
const ORPHAN_AGE: Duration = Duration::hours(24);
/// Time until another process may continue a search.
const SWEEP_LEASE: Duration = Duration::minutes(10);
/// Time from the end of a search to the next one.
const SWEEP_INTERVAL: Duration = Duration::hours(24);

impl App {
    /// Stores a large content outside the rows, before the unit of work that stores its row. Returns the content with its
    /// object; `None` for content that belongs into its row.
    ///
    /// # Errors
    /// [`Error::Store`] while the store is not available.
    pub(in crate::app) async fn upload<C>(
        &self,
        organization_id: OrganizationId,
        content: C,
    ) -> Result<(C, Option<StoredBlob>), Error>
    where
        C: AsRef<[u8]> + Send + Sync + 'static,
    {
        let bytes = content.as_ref().len();
        if !self.blobs.is_external(bytes) {
            return Ok((content, None));
        }
        let hash = move || {
            let sha256: [u8; 32] = Sha256::digest(content.as_ref()).into();
            (content, sha256)
        };
        let (content, sha256) = self.compute(WorkOwner::Organization(organization_id), bytes, hash).await?;
        let blob = self.upload_hashed(organization_id, content.as_ref(), sha256).await?;
        Ok((content, blob))
    }

    /// Stores a large content as [`upload`](Self::upload) does, with its known SHA-256.
    ///
    /// # Errors
    /// [`Error::Store`] while the store is not available.
    pub(in crate::app) async fn upload_hashed(
        &self,
        organization_id: OrganizationId,
        content: &[u8],
        sha256: [u8; 32],
    ) -> Result<Option<StoredBlob>, Error> {
        if !self.blobs.is_external(content.len()) {
            return Ok(None);
        }
        let now = self.clock.now();
        let place = (organization_id, self.random.uuid_at(now), now);
        Ok(Some(self.blobs.store(place, content, sha256).await?))
    }

    /// Runs uploads of contents of at most `largest` bytes, some at a time, and returns their results in the same order: all of
    /// them or none. After a failure, the stored objects are deleted. The store may still have the object of an upload that timed
    /// out; the search for objects without rows deletes it.
    ///
    /// # Errors
    /// The failure of an upload.
    pub(in crate::app) async fn upload_all<T, Uploading>(
        &self,
        uploads: Vec<Uploading>,
        largest: usize,
    ) -> Result<Vec<(T, Option<StoredBlob>)>, Error>
    where
        Uploading: Future<Output = Result<(T, Option<StoredBlob>), Error>>,
    {
        let together = (MAX_UPLOADED_BYTES / largest.max(1)).clamp(1, MAX_CONCURRENT_UPLOADS);
        let mut stored = Vec::with_capacity(uploads.len());
        let mut uploads = uploads.into_iter();
        loop {
            let some: Vec<Uploading> = uploads.by_ref().take(together).collect();
            if some.is_empty() {
                return Ok(stored);
            }
            let mut failure = None;
            for uploaded in join_all(some).await {
                match uploaded {
                    Ok(uploaded) => stored.push(uploaded),
                    Err(error) => failure = Some(error),
                }
            }
            if let Some(error) = failure {
                let blobs: Vec<&StoredBlob> = stored.iter().filter_map(|(_, blob)| blob.as_ref()).collect();
                self.discard(&blobs).await;
                return Err(error);
            }
        }
    }

    /// Deletes the objects of new contents after a write that has certainly stored no rows that refer to them: no quota counts
    /// them. `refers` returns whether a successful one has.
    pub(in crate::app) async fn discard_unless_stored<T>(
        &self,
        blobs: &[&StoredBlob],
        written: &Result<T, Error>,
        refers: impl FnOnce(&T) -> bool,
    ) {
        let is_unused = match written {
            Ok(written) => !refers(written),
            Err(error) => !may_be_stored(error),
        };
        if is_unused {
            self.discard(blobs).await;
        }
    }

    /// Deletes objects of new contents that no row refers to, and none will. The search for objects without rows repeats a
    /// failure.
    pub(in crate::app) async fn discard(&self, blobs: &[&StoredBlob]) {
        // New contents are in one store.
        let Some(kind) = self.blobs.target() else { return };
        let names: Vec<BlobName> = blobs.iter().map(|blob| BlobName(blob.name.clone())).collect();
        let _ = self.blobs.delete(kind, &names).await;
    }
}

/// Returns whether a failed write may have stored its rows.
fn may_be_stored(error: &Error) -> bool {
    matches!(error, Error::Store(StoreError::Undecided(_)) | Error::Internal(_))
}

/// Deletes a batch of objects after their retention. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn remove_blobs(app: &App, rows: &dyn BlobRows) -> Result<bool, Error> {
    let kinds: Vec<BlobKind> = app.blobs.kinds().collect();
    if kinds.is_empty() {
        return Ok(false);
    }
    let before = app.clock.now() - app.blobs.retention();
    let due = rows.due_blob_removals(&kinds, before, REMOVED_BATCH).await?;
    for kind in kinds {
        let of_kind = due.iter().filter(|blob| blob.store == kind);
        let names: Vec<BlobName> = of_kind.map(|blob| BlobName(blob.name.clone())).collect();
        app.blobs.delete(kind, &names).await?;
    }
    rows.forget_blobs(&due).await?;
    Ok(due.len() >= REMOVED_BATCH as usize)
}

/// Deletes a batch of objects that are older than a day and have no row. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn sweep_blobs(app: &App, rows: &dyn BlobRows) -> Result<bool, Error> {
    let kinds: Vec<BlobKind> = app.blobs.kinds().collect();
    let mut has_more = false;
    for kind in kinds {
        has_more |= sweep(app, rows, kind).await?;
    }
    Ok(has_more)
}

async fn sweep(app: &App, rows: &dyn BlobRows, kind: BlobKind) -> Result<bool, Error> {
    let now = app.clock.now();
    let Some(claimed) = rows.claim_blob_sweep(kind, now, now + SWEEP_LEASE).await? else { return Ok(false) };
    let listed = app.blobs.list(kind, claimed.after.as_ref(), SWEPT_BATCH).await?;
    let next = (listed.len() >= SWEPT_BATCH).then(|| listed.last().map(|blob| blob.name.clone())).flatten();
    let old = listed.into_iter().filter(|blob| blob.stored_at < now - ORPHAN_AGE);
    // Objects with names of another form are not ours.
    let old: Vec<_> = old.filter_map(|blob| Some((StoredBlob::ids_in(&blob.name.0)?, blob.name))).collect();
    let ids: Vec<_> = old.iter().map(|(ids, _)| *ids).collect();
    let unknown = rows.unknown_blobs(&ids).await?;
    // The remains of an upload are no object, also if a later one stored it.
    let is_orphan = |(ids, name): &(_, BlobName)| unknown.contains(ids) || StoredBlob::is_remains(&name.0);
    let orphans: Vec<BlobName> = old.into_iter().filter(is_orphan).map(|(_, name)| name).collect();
    app.blobs.delete(kind, &orphans).await?;
    let due_at = if next.is_some() { now } else { now + SWEEP_INTERVAL };
    rows.save_blob_sweep(kind, next.as_ref(), due_at).await?;
    Ok(next.is_some())
}

/// Progress of a move of contents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MoveProgress {
    /// Moved contents.
    pub contents: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Contents with a missing or damaged object.
    pub lost: u64,
    /// Whether rows remain that were not looked at.
    pub has_more: bool,
}

/// Step of a move of contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveStep<'a> {
    /// A content was moved.
    Moved(&'a MoveProgress),
    /// A content is lost, for this reason, which has the name of its object. Its row stays.
    Lost(&'a str),
}

/// Moves up to `limit` contents to the configured place, and reports each. Contents stay readable meanwhile. An interrupted
/// move continues with the next one: each row says where its content is.
///
/// # Errors
/// [`Error::Store`]; moved contents stay moved.
pub async fn move_contents(
    app: &App,
    rows: &dyn BlobRows,
    limit: u64,
    mut report: impl FnMut(MoveStep<'_>),
) -> Result<MoveProgress, Error> {
    let mut progress = MoveProgress::default();
    for kind in ContentKind::ALL {
        let mut after = None;
        loop {
            let (target, threshold) = (app.blobs.target(), app.blobs.threshold());
            let page = rows.misplaced_contents(kind, target, threshold, after.as_ref()).await?;
            for key in page.misplaced {
                if progress.contents >= limit {
                    return Ok(MoveProgress { has_more: true, ..progress });
                }
                match move_content(app, rows, &key).await {
                    Ok(Some(bytes)) => {
                        progress.contents += 1;
                        progress.bytes += bytes;
                        report(MoveStep::Moved(&progress));
                    }
                    Ok(None) => {}
                    Err(Error::Store(StoreError::ContentLost(reason))) => {
                        progress.lost += 1;
                        report(MoveStep::Lost(&reason));
                    }
                    Err(error) => return Err(error),
                }
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
    }
    Ok(progress)
}

/// Moves one content and returns its bytes; `None` if it is gone, has changed or belongs where it is.
async fn move_content(app: &App, rows: &dyn BlobRows, key: &ContentKey) -> Result<Option<u64>, Error> {
    let Some(from) = rows.placed_content(key).await? else { return Ok(None) };
    let bytes = u64::try_from(from.content.len()).unwrap_or(u64::MAX);
    let PlacedContent { content, blob, row_sha256 } = from;
    let is_external = app.blobs.is_external(content.len());
    if !is_external && blob.is_none() {
        return Ok(None);
    }
    let (content, to) = app.upload(key.organization_id(), content).await?;
    let from = PlacedContent { content, blob, row_sha256 };
    let replaced = rows.replace_content(key, &from, to.as_ref()).await;
    // A failed commit may have succeeded; otherwise the search for objects without rows finds its object.
    if let (Ok(false), Some(blob)) = (&replaced, &to) {
        app.discard(&[blob]).await;
    }
    Ok(replaced?.then_some(bytes))
}
