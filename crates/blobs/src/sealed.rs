//! Encryption and authentication of contents, in chunks.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use inboxd_core::ports::{BlobError, BlobName, BlobStore, ListedBlob, Vault, VaultError};
use tokio::task::yield_now;

use crate::raw::RawBlobs;

/// Bytes of content in a chunk; the last one of an object may have fewer.
const CHUNK_BYTES: usize = 64 * 1024;
/// [`CHUNK_BYTES`] in the type of positions in a content.
const CHUNK: u64 = 64 * 1024;
/// Chunks that are sealed or opened before other tasks run: less than a millisecond.
const CHUNKS_PER_STEP: u64 = 4;
/// Maximum size of an object. It bounds positions, so that they cannot overflow.
const MAX_OBJECT_BYTES: u64 = 1 << 40;

/// Store that seals contents, which means encrypts and authenticates them: an object reveals its name, its size and the
/// time of its storage only.
///
/// Content is cut into chunks of 64 KiB, and each is sealed by the vault with a random nonce of its own. The associated data
/// of a chunk are the name of the object, the number of the chunk, and whether it is the last one. This is the STREAM
/// construction (Hoang, Reyhanitabar, Rogaway, Vizár: "Online Authenticated-Encryption and its Nonce-Reuse
/// Misuse-Resistance", CRYPTO 2015, section 7) with counter and flag in the associated data in place of the nonce. A range
/// thus needs its own chunks only, and a chunk that was changed, moved, dropped from the end, or that belongs to another
/// object or key does not open. An empty content is one empty chunk.
pub struct SealedBlobs<S> {
    store: S,
    vault: Arc<dyn Vault>,
    /// Bytes that the vault adds to a chunk.
    seal_bytes: usize,
}

impl<S: RawBlobs> SealedBlobs<S> {
    /// Returns a store that seals the contents of `store` with a vault, which adds the same number of bytes to each
    /// secret.
    ///
    /// # Errors
    /// [`VaultError`].
    pub fn new(store: S, vault: Arc<dyn Vault>) -> Result<Self, VaultError> {
        let seal_bytes = vault.seal(&[], &[])?.len();
        Ok(Self { store, vault, seal_bytes })
    }

    /// Returns the bytes of a whole chunk in the store.
    fn sealed_chunk_bytes(&self) -> usize {
        CHUNK_BYTES + self.seal_bytes
    }

    async fn seal(&self, name: &BlobName, content: &[u8]) -> Result<Vec<u8>, BlobError> {
        let count = content.len().div_ceil(CHUNK_BYTES).max(1);
        let mut sealed = Vec::with_capacity(content.len() + count * self.seal_bytes);
        for (start, index) in (0..count).map(|chunk| chunk * CHUNK_BYTES).zip(0_u64..) {
            let end = (start + CHUNK_BYTES).min(content.len());
            let place = context(name, index, end == content.len());
            let chunk = self.vault.seal(&place, &content[start..end]);
            sealed.extend_from_slice(&chunk.map_err(|error| BlobError::Unavailable(error.to_string()))?);
            pause(index).await;
        }
        Ok(sealed)
    }

    /// Opens consecutive chunks from the chunk `first` on. Without `may_continue` the last of them ends the object.
    async fn open(&self, name: &BlobName, sealed: &[u8], first: u64, may_continue: bool) -> Result<Vec<u8>, BlobError> {
        let damaged = |reason: String| BlobError::Damaged { name: name.clone(), reason };
        if sealed.is_empty() {
            return Err(damaged("it is empty".to_owned()));
        }
        let mut plain = Vec::with_capacity(sealed.len());
        let mut chunks = sealed.chunks(self.sealed_chunk_bytes()).zip(first..).peekable();
        while let Some((chunk, index)) = chunks.next() {
            let open = |is_last| self.vault.open(&context(name, index, is_last), chunk);
            let opened = match (chunks.peek().is_none(), may_continue) {
                (false, _) => open(false),
                (true, true) => open(false).or_else(|_| open(true)),
                (true, false) => open(true),
            };
            let opened = opened.map_err(|_| {
                damaged(format!("chunk {index} was changed or cut off, or INBOXD_SECRET_KEY is another one"))
            })?;
            plain.extend_from_slice(&opened);
            pause(index).await;
        }
        Ok(plain)
    }

    async fn get_range(&self, name: &BlobName, range: &Range<u64>) -> Result<Vec<u8>, BlobError> {
        let range = range.start..range.end.min(MAX_OBJECT_BYTES);
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let first = range.start / CHUNK;
        let end_chunk = range.end.div_ceil(CHUNK);
        let sealed_chunk = u64::try_from(self.sealed_chunk_bytes()).unwrap_or(u64::MAX);
        let wanted = (end_chunk - first) * sealed_chunk;
        let sealed = self.store.get(name, Some(first * sealed_chunk..first * sealed_chunk + wanted)).await?;
        let found = u64::try_from(sealed.len()).unwrap_or(u64::MAX);
        if found == 0 {
            // Only the whole object proves that it ends before the range.
            let whole = self.open(name, &self.store.get(name, None).await?, 0, false).await?;
            return Ok(cut(whole, &range));
        }
        if found > wanted {
            let reason = "the store returned more than the range".to_owned();
            return Err(BlobError::Damaged { name: name.clone(), reason });
        }
        // With fewer bytes than requested, the object ends here.
        let plain = self.open(name, &sealed, first, found == wanted).await?;
        let start = first * CHUNK;
        Ok(cut(plain, &(range.start - start..range.end - start)))
    }
}

/// Returns the associated data of a chunk. A name contains no zero byte.
fn context(name: &BlobName, index: u64, is_last: bool) -> Vec<u8> {
    [name.0.as_bytes(), &[0], &index.to_be_bytes(), &[u8::from(is_last)]].concat()
}

/// Lets other tasks run between the chunks of a large object.
async fn pause(index: u64) {
    if index % CHUNKS_PER_STEP == CHUNKS_PER_STEP - 1 {
        yield_now().await;
    }
}

/// Returns the existing bytes of a range.
fn cut(mut content: Vec<u8>, range: &Range<u64>) -> Vec<u8> {
    let position = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    content.truncate(position(range.end));
    content.drain(..position(range.start).min(content.len()));
    content
}

#[async_trait]
impl<S: RawBlobs> BlobStore for SealedBlobs<S> {
    async fn put(&self, name: &BlobName, content: &[u8]) -> Result<(), BlobError> {
        let sealed = self.seal(name, content).await?;
        self.store.put(name, sealed.into()).await
    }

    async fn get(&self, name: &BlobName, range: Option<Range<u64>>) -> Result<Vec<u8>, BlobError> {
        match range {
            Some(range) => self.get_range(name, &range).await,
            None => self.open(name, &self.store.get(name, None).await?, 0, false).await,
        }
    }

    async fn delete(&self, names: &[BlobName]) -> Result<(), BlobError> {
        self.store.delete(names).await
    }

    async fn list(&self, after: Option<&BlobName>, limit: usize) -> Result<Vec<ListedBlob>, BlobError> {
        self.store.list(after, limit).await
    }
}
