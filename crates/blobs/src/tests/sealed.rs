//! Seal around a store in memory.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use inboxd_core::ports::{BlobError, BlobName, BlobStore as _, ListedBlob};
use proptest::prelude::*;
use tokio::runtime::{Builder, Runtime};

use super::stores::{content, name};
use super::vault::TestVault;
use crate::{RawBlobs, SealedBlobs};

/// Sealed bytes of a whole chunk with [`TestVault`].
const SEALED_CHUNK: usize = 65_536 + 24 + 16;

/// Objects in memory. Clones share them.
#[derive(Debug, Clone, Default)]
struct MemoryBlobs {
    objects: Arc<Mutex<BTreeMap<BlobName, Vec<u8>>>>,
    /// Bytes that were read.
    read: Arc<Mutex<usize>>,
}

impl MemoryBlobs {
    /// Replaces the bytes of an object.
    fn change(&self, name: &BlobName, change: impl FnOnce(&mut Vec<u8>)) {
        change(self.objects.lock().unwrap().get_mut(name).unwrap());
    }

    /// Returns the bytes of an object.
    fn sealed(&self, name: &BlobName) -> Vec<u8> {
        self.objects.lock().unwrap()[name].clone()
    }
}

#[async_trait]
impl RawBlobs for MemoryBlobs {
    async fn put(&self, name: &BlobName, content: Bytes) -> Result<(), BlobError> {
        self.objects.lock().unwrap().insert(name.clone(), content.to_vec());
        Ok(())
    }

    async fn get(&self, name: &BlobName, range: Option<Range<u64>>) -> Result<Bytes, BlobError> {
        let objects = self.objects.lock().unwrap();
        let object = objects.get(name).ok_or_else(|| BlobError::Missing(name.clone()))?;
        let position = |at: u64| usize::try_from(at).unwrap().min(object.len());
        let found = match range {
            Some(range) => &object[position(range.start)..position(range.end)],
            None => object,
        };
        *self.read.lock().unwrap() += found.len();
        Ok(Bytes::copy_from_slice(found))
    }

    async fn delete(&self, _: &[BlobName]) -> Result<(), BlobError> {
        Ok(())
    }

    async fn list(&self, _: Option<&BlobName>, _: usize) -> Result<Vec<ListedBlob>, BlobError> {
        Ok(Vec::new())
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

fn sealed(store: &MemoryBlobs, key: u8) -> SealedBlobs<MemoryBlobs> {
    SealedBlobs::new(store.clone(), Arc::new(TestVault::new(key))).unwrap()
}

#[track_caller]
fn assert_damaged(result: &Result<Vec<u8>, BlobError>, case: &str) {
    assert!(matches!(result, Err(BlobError::Damaged { .. })), "{case}: {result:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_range_of_any_content_is_that_of_the_content(
        // Sizes around the ends of chunks are the interesting ones.
        bytes in prop_oneof![0_usize..200, 65_530_usize..65_545, 131_060_usize..131_080, 0_usize..200_000],
        start in 0_u64..210_000,
        bytes_of_range in 0_u64..140_000,
    ) {
        let (store, object, whole) = (MemoryBlobs::default(), name("one/2026-11/a"), content(bytes));
        let blobs = sealed(&store, 1);
        let range = start..start + bytes_of_range;
        let position = |at: u64| usize::try_from(at).unwrap().min(whole.len());
        let (read, found) = runtime().block_on(async {
            blobs.put(&object, &whole).await.unwrap();
            (blobs.get(&object, None).await.unwrap(), blobs.get(&object, Some(range.clone())).await.unwrap())
        });
        prop_assert!(read == whole);
        prop_assert!(found == whole[position(range.start)..position(range.end)]);
    }

    #[test]
    fn a_changed_byte_is_detected(bytes in 0_usize..140_000, at in any::<prop::sample::Index>()) {
        let (store, object) = (MemoryBlobs::default(), name("one/2026-11/a"));
        let blobs = sealed(&store, 1);
        let result = runtime().block_on(async {
            blobs.put(&object, &content(bytes)).await.unwrap();
            store.change(&object, |sealed| {
                let at = at.index(sealed.len());
                sealed[at] ^= 1;
            });
            blobs.get(&object, None).await
        });
        let is_damaged = matches!(result, Err(BlobError::Damaged { .. }));
        prop_assert!(is_damaged);
    }
}

#[tokio::test]
async fn cut_moved_and_foreign_chunks_are_detected() {
    let (store, object, other) = (MemoryBlobs::default(), name("one/2026-11/a"), name("one/2026-11/b"));
    let blobs = sealed(&store, 1);
    blobs.put(&object, &content(200_000)).await.unwrap();
    blobs.put(&other, &content(200_000)).await.unwrap();
    let (original, foreign) = (store.sealed(&object), store.sealed(&other));
    let changed = async |bytes: &[u8], range: Option<Range<u64>>| {
        store.change(&object, |sealed| *sealed = bytes.to_vec());
        blobs.get(&object, range).await
    };
    assert_damaged(&changed(&[], None).await, "an empty object");
    for bytes in [1, SEALED_CHUNK - 1, SEALED_CHUNK, SEALED_CHUNK + 1, 3 * SEALED_CHUNK, original.len() - 1] {
        assert_damaged(&changed(&original[..bytes], None).await, &format!("the first {bytes} bytes"));
    }
    let cut = &original[..2 * SEALED_CHUNK];
    assert_damaged(&changed(cut, Some(0..190_000)).await, "a range over the cut");
    assert_damaged(&changed(cut, Some(140_000..150_000)).await, "a range behind the cut");
    let swapped = [&original[SEALED_CHUNK..2 * SEALED_CHUNK], &original[..SEALED_CHUNK], &original[2 * SEALED_CHUNK..]];
    assert_damaged(&changed(&swapped.concat(), None).await, "two exchanged chunks");
    assert_damaged(&changed(&swapped.concat(), Some(10..20)).await, "a range of an exchanged chunk");
    let mixed = [&foreign[..SEALED_CHUNK], &original[SEALED_CHUNK..]].concat();
    assert_damaged(&changed(&mixed, None).await, "a chunk of another object");
    assert_damaged(&changed(&foreign, None).await, "another object");
    let longer = [original.as_slice(), &original[3 * SEALED_CHUNK..]].concat();
    assert_damaged(&changed(&longer, None).await, "a repeated last chunk");
    assert!(changed(&original, None).await.unwrap() == content(200_000), "the original opens");
    assert_damaged(&sealed(&store, 2).get(&object, None).await, "another key");
}

#[tokio::test]
async fn range_reads_its_chunks_only() {
    let (store, object) = (MemoryBlobs::default(), name("one/2026-11/a"));
    let blobs = sealed(&store, 1);
    let whole = content(1_000_000);
    blobs.put(&object, &whole).await.unwrap();
    assert!(blobs.get(&object, Some(500_000..500_100)).await.unwrap() == whole[500_000..500_100]);
    assert_eq!(*store.read.lock().unwrap(), SEALED_CHUNK);
}
