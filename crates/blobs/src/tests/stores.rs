//! Behaviour that every store has, through seal and limits.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::ports::{BlobError, BlobName, BlobStore};
use prometheus_client::registry::Registry;

use super::vault::TestVault;
use crate::{BlobLimits, BlobMetrics, BoundedBlobs, RawBlobs, SealedBlobs};

/// More than two chunks of the seal.
const CONTENT_BYTES: usize = 150_000;

pub(super) fn name(text: &str) -> BlobName {
    BlobName(text.to_owned())
}

/// Returns a content without repetition.
pub(super) fn content(bytes: usize) -> Vec<u8> {
    (0_u32..).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()).take(bytes).collect()
}

/// Returns a store as the server opens it.
pub(super) fn opened(store: impl RawBlobs) -> impl BlobStore {
    let sealed = SealedBlobs::new(store, Arc::new(TestVault::new(1))).unwrap();
    let limits = BlobLimits { connections: 4, timeout: Duration::from_secs(30) };
    BoundedBlobs::new(sealed, limits, BlobMetrics::registered(&mut Registry::default()))
}

/// Runs all checks on an empty store.
pub(super) async fn assert_store(store: &impl BlobStore) {
    assert_contents(store).await;
    assert_listing(store).await;
    assert_deletion(store).await;
}

async fn assert_contents(store: &impl BlobStore) {
    let whole = content(CONTENT_BYTES);
    let object = name("one/2026-11/a");
    store.put(&object, &whole).await.unwrap();
    assert!(store.get(&object, None).await.unwrap() == whole, "the content differs");
    for range in [0_u64..1, 10..20, 65_535..65_537, 65_536..131_072, 0..150_000, 149_999..150_000, 149_990..160_000] {
        let expected =
            &whole[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap().min(whole.len())];
        assert!(store.get(&object, Some(range.clone())).await.unwrap() == expected, "{range:?} differs");
    }
    for range in [150_000_u64..150_001, 200_000..300_000, 5..5, u64::MAX - 1..u64::MAX] {
        assert!(store.get(&object, Some(range.clone())).await.unwrap().is_empty(), "{range:?} has content");
    }

    assert!(matches!(store.put(&object, b"other").await, Err(BlobError::Unavailable(_))), "the object is replaced");
    assert!(store.get(&object, None).await.unwrap() == whole, "the object has changed");

    let empty = name("one/2026-11/empty");
    store.put(&empty, b"").await.unwrap();
    assert_eq!(store.get(&empty, None).await, Ok(Vec::new()));
    assert_eq!(store.get(&empty, Some(0..10)).await, Ok(Vec::new()));

    let missing = name("one/2026-11/missing");
    assert_eq!(store.get(&missing, None).await, Err(BlobError::Missing(missing.clone())));
    assert_eq!(store.get(&missing, Some(0..1)).await, Err(BlobError::Missing(missing.clone())));
    for wrong in ["", "../one", "one//a", "one/.a", "/one"] {
        assert!(matches!(store.put(&name(wrong), b"x").await, Err(BlobError::Unavailable(_))), "{wrong:?} is stored");
        assert!(matches!(store.get(&name(wrong), None).await, Err(BlobError::Missing(_))), "{wrong:?} is read");
    }
}

async fn assert_listing(store: &impl BlobStore) {
    let names = ["six/2026-11/a", "one/2026-10/z", "one/2026-12/a", "two/2026-01/a", "two/2026-01/b"];
    for text in names {
        store.put(&name(text), b"x").await.unwrap();
    }
    let mut expected = [names.as_slice(), &["one/2026-11/a", "one/2026-11/empty"]].concat();
    expected.sort_unstable();
    let list = async |after: Option<&str>, limit| {
        let listed = store.list(after.map(name).as_ref(), limit).await.unwrap();
        listed.into_iter().map(|object| object.name.0).collect::<Vec<_>>()
    };
    assert_eq!(list(None, 100).await, expected);
    assert_eq!(list(None, 2).await, expected[..2]);
    for (index, &after) in expected.iter().enumerate() {
        assert_eq!(list(Some(after), 3).await, expected[index + 1..expected.len().min(index + 4)], "after {after}");
    }
    let listed = store.list(None, 1).await.unwrap();
    assert!(listed[0].stored_at.year() > 2000, "{listed:?}");
}

async fn assert_deletion(store: &impl BlobStore) {
    let gone = name("one/2026-11/a");
    store.delete(&[gone.clone(), name("one/2026-11/missing"), name("../one")]).await.unwrap();
    assert_eq!(store.get(&gone, None).await, Err(BlobError::Missing(gone.clone())));
    let listed = store.list(None, 100).await.unwrap();
    assert!(listed.len() == 6 && listed.iter().all(|object| object.name != gone), "{listed:?}");
    let all: Vec<_> = listed.into_iter().map(|object| object.name).collect();
    store.delete(&all).await.unwrap();
    assert_eq!(store.list(None, 100).await, Ok(Vec::new()));
    store.put(&name("one/2026-11/later"), b"x").await.unwrap();
}
