//! Blob store in memory.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::ports::{BlobError, BlobName, BlobStore, ListedBlob};

/// A store of objects in memory. Clones share their objects.
#[derive(Clone)]
pub struct MemoryBlobs(Arc<Mutex<MemoryState>>);

struct MemoryState {
    objects: BTreeMap<BlobName, (Vec<u8>, OffsetDateTime)>,
    now: OffsetDateTime,
    is_away: bool,
    max_objects: usize,
}

impl Default for MemoryBlobs {
    fn default() -> Self {
        let (objects, now) = (BTreeMap::new(), OffsetDateTime::UNIX_EPOCH);
        Self(Arc::new(Mutex::new(MemoryState { objects, now, is_away: false, max_objects: usize::MAX })))
    }
}

impl MemoryBlobs {
    /// Sets whether every request fails.
    pub fn set_away(&self, is_away: bool) {
        self.lock().is_away = is_away;
    }

    /// Sets the number of objects beyond which every upload fails.
    pub fn set_max_objects(&self, max_objects: usize) {
        self.lock().max_objects = max_objects;
    }

    /// Sets the time of later uploads.
    pub fn set_time(&self, now: OffsetDateTime) {
        self.lock().now = now;
    }

    /// Returns the names of all objects.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.lock().objects.keys().map(|name| name.0.clone()).collect()
    }

    /// Changes the content of every object.
    pub fn change_contents(&self, change: impl Fn(&mut Vec<u8>)) {
        self.lock().objects.values_mut().for_each(|(content, _)| change(content));
    }

    fn lock(&self) -> MutexGuard<'_, MemoryState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn present(&self) -> Result<MutexGuard<'_, MemoryState>, BlobError> {
        let state = self.lock();
        if state.is_away { Err(BlobError::Unavailable("away".to_owned())) } else { Ok(state) }
    }
}

#[async_trait]
impl BlobStore for MemoryBlobs {
    async fn put(&self, name: &BlobName, content: &[u8]) -> Result<(), BlobError> {
        let mut state = self.present()?;
        if state.objects.len() >= state.max_objects {
            return Err(BlobError::Unavailable("full".to_owned()));
        }
        let now = state.now;
        state.objects.insert(name.clone(), (content.to_vec(), now));
        Ok(())
    }

    async fn get(&self, name: &BlobName, range: Option<Range<u64>>) -> Result<Vec<u8>, BlobError> {
        let state = self.present()?;
        let (content, _) = state.objects.get(name).ok_or_else(|| BlobError::Missing(name.clone()))?;
        let end = content.len();
        let place = |position: u64| usize::try_from(position).unwrap_or(end).min(end);
        let range = range.map_or(0..end, |range| place(range.start)..place(range.end));
        Ok(content.get(range).unwrap_or_default().to_vec())
    }

    async fn delete(&self, names: &[BlobName]) -> Result<(), BlobError> {
        let mut state = self.present()?;
        for name in names {
            state.objects.remove(name);
        }
        Ok(())
    }

    async fn list(&self, after: Option<&BlobName>, limit: usize) -> Result<Vec<ListedBlob>, BlobError> {
        let state = self.present()?;
        let behind = state.objects.iter().filter(|(name, _)| after.is_none_or(|after| *name > after));
        let listed = behind.map(|(name, (_, stored_at))| ListedBlob { name: name.clone(), stored_at: *stored_at });
        Ok(listed.take(limit).collect())
    }
}
