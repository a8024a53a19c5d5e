//! Contents outside the rows: rows of objects, and reads of contents wherever they are.

mod moves;
mod removals;
pub(crate) mod rows;

use inboxd_core::app::BlobContents;
use inboxd_core::model::{Content, ContentFilter, StoredBlob};
use inboxd_core::ports::StoreError;

use crate::messages::body::run_codec;
use crate::messages::rows::read_raw;
use crate::store::PgStore;

/// Returns the condition of a query that selects contents, with their objects as the table `x`.
pub(crate) fn content_condition(filter: ContentFilter) -> &'static str {
    match filter {
        ContentFilter::All => "TRUE",
        ContentFilter::Objects => "x.blob_id IS NOT NULL",
    }
}

/// Returns the content in a row, or its object; `None` without either.
pub(crate) fn content_of_row(content: Option<Vec<u8>>, blob: Option<StoredBlob>) -> Option<Content> {
    match blob {
        Some(blob) => Some(Content::Object(blob)),
        None => content.map(Content::Bytes),
    }
}

/// Returns the raw mail in the frame of a row, or its object; `None` without either.
pub(crate) async fn raw_of_row(
    frame: Option<Vec<u8>>,
    blob: Option<StoredBlob>,
) -> Result<Option<Content>, StoreError> {
    match content_of_row(frame, blob) {
        Some(Content::Bytes(frame)) => Ok(Some(Content::Bytes(read_raw(frame).await?))),
        object => Ok(object),
    }
}

impl PgStore {
    /// Returns the bytes of a content.
    pub(crate) async fn read_content(&self, content: Content) -> Result<Vec<u8>, StoreError> {
        match content {
            Content::Bytes(bytes) => Ok(bytes),
            Content::Object(blob) => self.read_blob(&blob).await,
        }
    }

    /// Returns the content of an object, with the size and SHA-256 of its row.
    async fn read_blob(&self, blob: &StoredBlob) -> Result<Vec<u8>, StoreError> {
        let read = async {
            let content = self.blobs.get(blob).await?;
            let expected = blob.clone();
            run_codec(content.len(), move || BlobContents::verify(&expected, &content).map(|()| content)).await
        };
        read.await.inspect_err(|error| {
            let StoredBlob { organization_id, name, store, .. } = blob;
            tracing::error!(%organization_id, object = name, store = store.as_str(), %error, "stored object not read");
        })
    }
}
