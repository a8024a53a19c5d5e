//! Buckets of a real server with the S3 protocol.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::ports::{BlobError, BlobStore as _};
use inboxd_testkit::{Seaweed, SeaweedCluster};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::stores::{assert_store, content, name, opened};
use crate::{RawBlobs as _, S3Blobs, S3Bucket};

fn bucket(endpoint: &str) -> S3Bucket {
    S3Bucket {
        endpoint: Some(endpoint.to_owned()),
        region: "us-east-1".to_owned(),
        bucket: "mail".to_owned(),
        prefix: "inboxd/test".to_owned(),
        access_key_id: "key".to_owned(),
        secret_access_key: "secret".to_owned(),
        session_token: None,
        allows_http: true,
        uses_virtual_host: false,
    }
}

fn store(bucket: S3Bucket) -> S3Blobs {
    let roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    let tls = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let tls = tls.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots).with_no_client_auth();
    S3Blobs::new(bucket, tls, Duration::from_secs(2)).unwrap()
}

#[tokio::test]
async fn bucket_behaves_like_every_store() {
    let mut seaweed = Seaweed::start().await;
    let raw = store(bucket(&seaweed.endpoint()));
    // 40 MB in one request, and an outage, on the same server.
    let (large, object) = (vec![7_u8; 40_000_000], name("large"));
    raw.put(&object, large.clone().into()).await.unwrap();
    assert!(raw.get(&object, None).await.unwrap() == large, "the large content differs");
    seaweed.stop().await;
    assert!(matches!(raw.get(&object, Some(0..10)).await, Err(BlobError::Unavailable(_))));
    seaweed.restart().await;
    assert_eq!(raw.get(&object, Some(39_999_990..40_000_005)).await.unwrap().len(), 10);
    raw.delete(&[object]).await.unwrap();
    assert_store(&opened(raw)).await;
}

#[tokio::test]
async fn objects_outlive_a_node_of_a_cluster() {
    let mut cluster = SeaweedCluster::start().await;
    let store = opened(store(bucket(&cluster.endpoint())));
    let names: Vec<_> = (0..16).map(|number| name(&format!("one/2026-11/{number}"))).collect();
    for (index, object) in names.iter().enumerate() {
        if index == 8 {
            cluster.kill_volume().await;
        }
        store.put(object, &content(100_000 + index)).await.unwrap();
    }
    for (index, object) in names.iter().enumerate() {
        assert!(store.get(object, None).await.unwrap() == content(100_000 + index), "{object:?} differs");
    }
}

/// Responds to one request, and returns its head.
async fn respond_once(listener: TcpListener, response: String) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = vec![0; 65_536];
    let bytes = stream.read(&mut request).await.unwrap();
    stream.write_all(response.as_bytes()).await.unwrap();
    String::from_utf8_lossy(&request[..bytes]).into_owned()
}

#[tokio::test]
async fn redirect_to_another_host_is_not_followed() {
    let (listener, other) =
        (TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap());
    let target = format!("http://{}/", other.local_addr().unwrap());
    let store = opened(store(bucket(&format!("http://{}", listener.local_addr().unwrap()))));
    let head = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
    let server = tokio::spawn(respond_once(listener, head));
    let refused = store.get(&name("one/2026-11/a"), None).await;
    assert!(matches!(refused, Err(BlobError::Unavailable(_))), "{refused:?}");
    let request = server.await.unwrap();
    assert!(request.starts_with("GET /mail/inboxd/test/one/2026-11/a HTTP/1.1\r\n"), "{request}");
    assert!(request.to_ascii_lowercase().contains("authorization: aws4-hmac-sha256 credential=key/"), "{request}");
    assert!(!request.contains("secret"), "{request}");
    let followed = tokio::time::timeout(Duration::from_millis(300), other.accept()).await;
    assert!(followed.is_err(), "the redirect is followed");
}

#[tokio::test]
async fn endpoint_without_tls_needs_permission() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let store = opened(store(S3Bucket { allows_http: false, ..bucket(&endpoint) }));
    let refused = store.get(&name("one/2026-11/a"), None).await;
    assert!(matches!(refused, Err(BlobError::Unavailable(_))), "{refused:?}");
    let connected = tokio::time::timeout(Duration::from_millis(100), listener.accept()).await;
    assert!(connected.is_err(), "a request is sent in the clear");
}
