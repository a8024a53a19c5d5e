//! Ownership of stores of large contents: two services in one store would delete each other's objects.

use super::{App, BlobContents};
use crate::Error;
use crate::model::BlobKind;
use crate::ports::{BlobError, BlobName, BlobRows, StoreError};

/// Name of the object that marks the store of a service. It has no ids, so that the search for objects without rows leaves it
/// out.
const MARKER: &str = "inboxd/store/owner";
/// Its content. It is sealed like every object, so that it opens with the secret key of its service alone.
const CONTENT: &[u8] = b"This store belongs to the service with the secret key that opens this object.\n";
/// Objects of the rows that are looked for in a store without a mark.
const LOOKED_FOR: usize = 3;
/// Rows among which these are.
const ROWS: u32 = 100;

/// Owner of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobOwner {
    /// This service.
    Own,
    /// A service with another secret key.
    Other,
    /// None, and the store lacks the objects of the rows, such as a folder without its disk.
    Unknown,
}

impl BlobContents {
    /// Returns the owner of a store. A store without one gets the mark of this service, if it has no object in the rows or the
    /// objects of the rows.
    ///
    /// # Errors
    /// [`StoreError::ContentUnavailable`], and the errors of the rows.
    pub async fn claim(&self, kind: BlobKind, rows: &dyn BlobRows) -> Result<BlobOwner, StoreError> {
        if let Some(owner) = self.owner(kind).await? {
            return Ok(owner);
        }
        if !self.has_objects_of(kind, rows).await? {
            return Ok(BlobOwner::Unknown);
        }
        let stored = self.put(kind, &BlobName(MARKER.to_owned()), CONTENT).await;
        // Another process may have stored it first.
        match self.owner(kind).await? {
            Some(owner) => Ok(owner),
            None => stored.map(|()| BlobOwner::Own),
        }
    }

    /// Returns the owner in the mark of a store; `None` without a mark.
    ///
    /// # Errors
    /// [`StoreError::ContentUnavailable`].
    pub async fn owner(&self, kind: BlobKind) -> Result<Option<BlobOwner>, StoreError> {
        match self.of(kind)?.get(&BlobName(MARKER.to_owned()), None).await {
            Ok(_) => Ok(Some(BlobOwner::Own)),
            Err(BlobError::Missing(_)) => Ok(None),
            Err(BlobError::Damaged { .. }) => Ok(Some(BlobOwner::Other)),
            Err(error @ BlobError::Unavailable(_)) => Err(StoreError::ContentUnavailable(error.to_string())),
        }
    }

    /// Returns whether a store has an object of the first rows, or no row has its object there.
    async fn has_objects_of(&self, kind: BlobKind, rows: &dyn BlobRows) -> Result<bool, StoreError> {
        let listed = rows.blobs_after(None, ROWS).await?;
        let expected = listed.into_iter().filter(|object| object.blob.store == kind && !object.is_removed);
        let mut is_expected = false;
        for object in expected.take(LOOKED_FOR) {
            is_expected = true;
            match self.get(&object.blob).await {
                Err(StoreError::ContentLost(_)) => {}
                content => return content.map(|_| true),
            }
        }
        Ok(!is_expected)
    }
}

/// Requires that this service owns all stores, before objects are deleted.
///
/// # Errors
/// [`Error::Store`].
pub async fn require_own_stores(app: &App, rows: &dyn BlobRows) -> Result<(), Error> {
    let kinds: Vec<BlobKind> = app.blobs.kinds().collect();
    for kind in kinds {
        let cause = match app.blobs.claim(kind, rows).await? {
            BlobOwner::Own => continue,
            BlobOwner::Other => "belongs to another service; give each service a store of its own",
            BlobOwner::Unknown => "lacks the objects of this database; mount its disk, or put them back from a backup",
        };
        let text = format!("the {} store {cause}", kind.as_str());
        return Err(StoreError::ContentUnavailable(text).into());
    }
    Ok(())
}
