//! Limits of requests.

use std::future::pending;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::ports::{BlobError, BlobName, BlobStore, ListedBlob};
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use tokio::time::{Instant, sleep};

use super::stores::name;
use crate::{BlobLimits, BlobMetrics, BoundedBlobs};

/// Store with uploads of a second and reads that may hang. It records the most concurrent uploads and counts the reads.
#[derive(Debug, Default)]
struct SlowBlobs {
    running: AtomicUsize,
    most: AtomicUsize,
    reads: AtomicUsize,
    hangs: AtomicBool,
}

#[async_trait]
impl BlobStore for &'static SlowBlobs {
    async fn put(&self, _: &BlobName, _: &[u8]) -> Result<(), BlobError> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        sleep(Duration::from_secs(1)).await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }

    async fn get(&self, name: &BlobName, _: Option<Range<u64>>) -> Result<Vec<u8>, BlobError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        if self.hangs.load(Ordering::SeqCst) {
            pending::<()>().await;
        }
        Err(BlobError::Missing(name.clone()))
    }

    async fn delete(&self, _: &[BlobName]) -> Result<(), BlobError> {
        Ok(())
    }

    async fn list(&self, _: Option<&BlobName>, _: usize) -> Result<Vec<ListedBlob>, BlobError> {
        Ok(Vec::new())
    }
}

fn bounded(
    connections: usize,
    timeout: Duration,
    registry: &mut Registry,
) -> (&'static SlowBlobs, BoundedBlobs<&'static SlowBlobs>) {
    let slow: &'static SlowBlobs = Box::leak(Box::default());
    (slow, BoundedBlobs::new(slow, BlobLimits { connections, timeout }, BlobMetrics::registered(registry)))
}

#[tokio::test(start_paused = true)]
async fn large_request_has_more_time() {
    let (_, store) = bounded(2, Duration::from_millis(500), &mut Registry::default());
    store.put(&name("a"), &vec![0; 1_000_000]).await.unwrap();
    let refused = store.put(&name("b"), &[0; 8]).await;
    assert!(matches!(refused, Err(BlobError::Unavailable(_))), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn store_that_hangs_is_tried_by_one_request_after_a_pause() {
    let (slow, store) = bounded(8, Duration::from_secs(2), &mut Registry::default());
    let object = name("a");
    let (get, start) = (|| store.get(&object, None), Instant::now());
    let is_away = |result: Result<Vec<u8>, BlobError>| matches!(result, Err(BlobError::Unavailable(_)));
    let state = || (slow.reads.load(Ordering::SeqCst), start.elapsed().as_secs());
    slow.hangs.store(true, Ordering::SeqCst);
    assert!(is_away(get().await));
    assert_eq!(state(), (1, 2));
    assert!(is_away(get().await) && store.put(&object, &[0; 8]).await.is_err());
    assert_eq!(state(), (1, 2), "requests fail at once");
    sleep(Duration::from_secs(5)).await;
    let (trial, other) = tokio::join!(get(), get());
    assert!(is_away(trial) && is_away(other));
    assert_eq!(state(), (2, 9), "one request tries again");
    slow.hangs.store(false, Ordering::SeqCst);
    assert!(is_away(get().await));
    sleep(Duration::from_secs(5)).await;
    for reads in [3, 4] {
        assert_eq!(get().await, Err(BlobError::Missing(object.clone())));
        assert_eq!(state(), (reads, 14));
    }
}

#[tokio::test(start_paused = true)]
async fn requests_above_the_limit_wait_within_their_time_and_are_counted() {
    let mut registry = Registry::default();
    let (slow, store) = bounded(4, Duration::from_millis(1500), &mut registry);
    let (object, content) = (name("a"), [0; 8]);
    let (put, start) = (|| store.put(&object, &content), Instant::now());
    let read = async {
        let read = store.get(&object, None).await;
        (read, start.elapsed().as_secs())
    };
    let (first, second, third, fourth, fifth, read) = tokio::join!(put(), put(), put(), put(), put(), read);
    // Half of the four connections are for reads.
    assert_eq!(slow.most.load(Ordering::SeqCst), 2);
    let outcomes = [first, second, third, fourth, fifth].map(|result| result.is_ok());
    assert_eq!(outcomes, [true, true, true, true, false], "the last one would start after two seconds");
    assert_eq!(read, (Err(BlobError::Missing(object.clone())), 0), "a read waits for no upload");
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    for line in [
        "blob_requests_total{operation=\"put\",outcome=\"ok\"} 4",
        "blob_requests_total{operation=\"put\",outcome=\"unavailable\"} 1",
        "blob_requests_total{operation=\"get\",outcome=\"missing\"} 1",
        "blob_requests_total{operation=\"list\",outcome=\"ok\"} 0",
        "blob_request_seconds_count{operation=\"put\"} 5",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}
