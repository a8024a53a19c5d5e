//! Store of objects in a bucket of a server with the S3 protocol.

mod client;

use std::ops::Range;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::iter;
use inboxd_core::ports::{BlobError, BlobName, ListedBlob};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::list::{PaginatedListOptions, PaginatedListStore as _};
use object_store::path::Path;
use object_store::{
    BackoffConfig, Error, GetOptions, GetRange, ObjectMeta, ObjectStore as _, PutMode, PutOptions, RetryConfig,
};
use rustls::ClientConfig;
use time::OffsetDateTime;

use crate::names::is_valid;
use crate::raw::{RawBlobs, already_exists, invalid_name};
use client::EndpointConnector;

/// Maximum attempts of a request after the first one, within the time limit of the whole.
const MAX_RETRIES: usize = 2;
/// Delays before the repetitions of a request.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));
/// Maximum objects of a page of a listing (`ListObjectsV2`, `max-keys`).
const MAX_PAGE: usize = 1000;

/// Bucket with the key that may use it.
#[derive(Clone)]
pub struct S3Bucket {
    /// URL of the server; `None` for AWS.
    pub endpoint: Option<String>,
    /// Region, which the signature contains.
    pub region: String,
    /// Name of the bucket.
    pub bucket: String,
    /// First segments of all keys, without a final slash; empty for the whole bucket.
    pub prefix: String,
    /// Id of the access key.
    pub access_key_id: String,
    /// Secret of the access key.
    pub secret_access_key: String,
    /// Token of temporary access keys.
    pub session_token: Option<String>,
    /// Whether the endpoint may be reached without TLS.
    pub allows_http: bool,
    /// Whether the endpoint is that of the bucket, in place of a path that begins with the bucket.
    pub uses_virtual_host: bool,
}

/// Store of objects in a bucket.
///
/// Requests go to the endpoint of the bucket only: the access key is configured, so no metadata service is queried, and
/// neither redirects nor proxies of the environment are followed. A new object needs `If-None-Match: *`, so that none is
/// replaced (conditional writes: AWS S3, Ceph, `MinIO`, R2 and `SeaweedFS` have them).
#[derive(Debug)]
pub struct S3Blobs {
    store: AmazonS3,
    /// First part of all keys, with a final slash unless it is empty.
    prefix: String,
}

impl S3Blobs {
    /// Uses a bucket by this TLS configuration. A request and its repetitions begin within `timeout`.
    ///
    /// # Errors
    /// The reason why the values cannot be used.
    pub fn new(bucket: S3Bucket, tls: ClientConfig, timeout: Duration) -> Result<Self, String> {
        let (init_backoff, max_backoff) = BACKOFF;
        let backoff = BackoffConfig { init_backoff, max_backoff, base: 2.0 };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(bucket.bucket)
            .with_region(bucket.region)
            .with_access_key_id(bucket.access_key_id)
            .with_secret_access_key(bucket.secret_access_key)
            .with_allow_http(bucket.allows_http)
            .with_virtual_hosted_style_request(bucket.uses_virtual_host)
            // Not every server deletes many objects by one request.
            .with_disable_bulk_delete(true)
            .with_retry(RetryConfig { backoff, max_retries: MAX_RETRIES, retry_timeout: timeout })
            .with_http_connector(EndpointConnector::new(tls, bucket.allows_http));
        if let Some(endpoint) = bucket.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        if let Some(token) = bucket.session_token {
            builder = builder.with_token(token);
        }
        let store = builder.build().map_err(|error| error.to_string())?;
        let prefix = if bucket.prefix.is_empty() { String::new() } else { format!("{}/", bucket.prefix) };
        Ok(Self { store, prefix })
    }

    fn key(&self, name: &BlobName) -> Result<Path, BlobError> {
        let key = is_valid(&name.0).then(|| Path::parse(format!("{}{}", self.prefix, name.0)).ok());
        key.flatten().ok_or_else(|| invalid_name(name))
    }

    /// Returns the size of an object.
    async fn size(&self, key: &Path) -> object_store::Result<u64> {
        let options = GetOptions { head: true, ..GetOptions::default() };
        Ok(self.store.get_opts(key, options).await?.meta.size)
    }

    /// Returns an object of a listing; `None` for objects of others.
    fn listed(&self, object: &ObjectMeta) -> Option<ListedBlob> {
        let name = object.location.as_ref().strip_prefix(&self.prefix)?;
        let stored_at = OffsetDateTime::from_unix_timestamp(object.last_modified.timestamp()).ok()?;
        is_valid(name).then(|| ListedBlob { name: BlobName(name.to_owned()), stored_at })
    }
}

#[async_trait]
impl RawBlobs for S3Blobs {
    async fn put(&self, name: &BlobName, content: Bytes) -> Result<(), BlobError> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.store.put_opts(&self.key(name)?, content.into(), options).await {
            Ok(_) => Ok(()),
            Err(Error::AlreadyExists { .. }) => Err(already_exists(name)),
            Err(error) => Err(unavailable(&error)),
        }
    }

    async fn get(&self, name: &BlobName, range: Option<Range<u64>>) -> Result<Bytes, BlobError> {
        let Ok(key) = self.key(name) else { return Err(BlobError::Missing(name.clone())) };
        let start = range.as_ref().map(|range| range.start);
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        let content = match self.store.get_opts(&key, options).await {
            Ok(object) => object.bytes().await,
            Err(error) => Err(error),
        };
        match content {
            Ok(content) => Ok(content),
            Err(Error::NotFound { .. }) => Err(BlobError::Missing(name.clone())),
            // A range behind the end is refused (416, RFC 9110, section 15.5.17) with an error without its status.
            Err(error @ Error::Generic { .. }) => {
                if let Some(start) = start
                    && self.size(&key).await.is_ok_and(|size| start >= size)
                {
                    return Ok(Bytes::new());
                }
                Err(unavailable(&error))
            }
            Err(error) => Err(unavailable(&error)),
        }
    }

    async fn delete(&self, names: &[BlobName]) -> Result<(), BlobError> {
        let keys: Vec<_> = names.iter().filter_map(|name| self.key(name).ok()).map(Ok).collect();
        let mut deleted = self.store.delete_stream(iter(keys).boxed());
        while let Some(result) = deleted.next().await {
            match result {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(unavailable(&error)),
            }
        }
        Ok(())
    }

    async fn list(&self, after: Option<&BlobName>, limit: usize) -> Result<Vec<ListedBlob>, BlobError> {
        let prefix = (!self.prefix.is_empty()).then_some(self.prefix.as_str());
        let offset = after.map(|name| format!("{}{}", self.prefix, name.0));
        let mut found = Vec::new();
        let mut page_token = None;
        while found.len() < limit {
            let max_keys = Some((limit - found.len()).min(MAX_PAGE));
            let options = PaginatedListOptions {
                offset: offset.clone(),
                max_keys,
                page_token,
                ..PaginatedListOptions::default()
            };
            let page = self.store.list_paginated(prefix, options).await.map_err(|error| unavailable(&error))?;
            found.extend(page.result.objects.iter().filter_map(|object| self.listed(object)));
            page_token = page.page_token.filter(|token| !token.is_empty());
            if page_token.is_none() {
                break;
            }
        }
        Ok(found)
    }
}

fn unavailable(error: &Error) -> BlobError {
    BlobError::Unavailable(error.to_string())
}
