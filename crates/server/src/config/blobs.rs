//! Settings of the stores of large contents.

use std::path::PathBuf;
use std::time::Duration;

use inboxd_core::model::BlobKind;

use super::Secret;
use super::source::{Source, refused};
use crate::failure::Failure;

/// Longest time limit of a request without content.
const MAX_TIMEOUT_SECONDS: u64 = 120;

/// Stores of large contents.
#[derive(Debug, Clone)]
pub(crate) struct BlobConfig {
    /// `INBOXD_BLOBS`: store of new contents; `None` for the rows of the database.
    pub(crate) store: Option<BlobLocation>,
    /// `INBOXD_BLOBS_FROM`: store that is still read.
    pub(crate) former: Option<BlobLocation>,
    /// `INBOXD_BLOB_THRESHOLD`: bytes above which contents go to the store.
    pub(crate) threshold: usize,
    /// `INBOXD_BLOB_CONNECTIONS`.
    pub(crate) connections: usize,
    /// `INBOXD_BLOB_TIMEOUT`.
    pub(crate) timeout: Duration,
}

/// Place of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlobLocation {
    /// `file:///folder`.
    Folder(PathBuf),
    /// `s3://bucket/prefix`.
    Bucket(BucketConfig),
}

/// Bucket with the variables of its server, which have the names that other programs use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BucketConfig {
    pub(crate) bucket: String,
    /// First segments of all keys; empty for the whole bucket.
    pub(crate) prefix: String,
    /// `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`; `None` for AWS.
    pub(crate) endpoint: Option<String>,
    /// `AWS_REGION`.
    pub(crate) region: String,
    /// `AWS_ACCESS_KEY_ID`.
    pub(crate) access_key_id: Secret,
    /// `AWS_SECRET_ACCESS_KEY`.
    pub(crate) secret_access_key: Secret,
    /// `AWS_SESSION_TOKEN`.
    pub(crate) session_token: Option<Secret>,
    /// `AWS_ALLOW_HTTP`.
    pub(crate) allows_http: bool,
    /// `AWS_VIRTUAL_HOSTED_STYLE_REQUEST`.
    pub(crate) uses_virtual_host: bool,
}

impl BlobLocation {
    /// Returns the kind of the store.
    pub(crate) fn kind(&self) -> BlobKind {
        match self {
            Self::Folder(_) => BlobKind::File,
            Self::Bucket(_) => BlobKind::S3,
        }
    }
}

/// Reads the settings.
pub(super) fn blobs(source: &Source) -> Result<BlobConfig, Failure> {
    let store = location(source, "INBOXD_BLOBS", &source.text("INBOXD_BLOBS"))?;
    let former =
        source.get("INBOXD_BLOBS_FROM").map(|text| location(source, "INBOXD_BLOBS_FROM", &text)).transpose()?;
    let former = former.flatten();
    if let (Some(store), Some(former)) = (&store, &former)
        && store.kind() == former.kind()
    {
        // A row names the kind of its store only.
        return Err(Failure::new(
            "INBOXD_BLOBS_FROM must be a store of another kind than INBOXD_BLOBS: to change the folder or the bucket, copy \
             its objects with their names while inboxd is stopped",
        ));
    }
    Ok(BlobConfig {
        store,
        former,
        threshold: source.number("INBOXD_BLOB_THRESHOLD")?,
        connections: source.number("INBOXD_BLOB_CONNECTIONS")?,
        timeout: timeout(source)?,
    })
}

/// Reads a number of seconds, with or without an `s`.
fn timeout(source: &Source) -> Result<Duration, Failure> {
    let text = source.text("INBOXD_BLOB_TIMEOUT");
    let seconds: Option<u64> = text.trim().trim_end_matches('s').parse().ok();
    let seconds = seconds.filter(|seconds| (1..=MAX_TIMEOUT_SECONDS).contains(seconds));
    seconds.map(Duration::from_secs).ok_or_else(|| refused("INBOXD_BLOB_TIMEOUT"))
}

/// Reads the place of a store; `None` for the rows of the database.
fn location(source: &Source, name: &str, text: &str) -> Result<Option<BlobLocation>, Failure> {
    let because = |cause: &str| Failure::new(format!("{}: {cause}", refused(name)));
    let text = text.trim();
    if text == "postgres" && name == "INBOXD_BLOBS" {
        return Ok(None);
    }
    if let Some(path) = text.strip_prefix("file://") {
        return match path.trim_end_matches('/') {
            "" => Err(because("the folder is missing")),
            path if path.starts_with('/') => Ok(Some(BlobLocation::Folder(path.into()))),
            _ => Err(because("the folder must begin with a slash, the third one")),
        };
    }
    let Some(place) = text.strip_prefix("s3://") else { return Err(refused(name)) };
    if cfg!(not(feature = "s3")) {
        return Err(because("this program was built without the cargo feature s3; use a folder, or another build"));
    }
    let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
    let prefix = prefix.trim_end_matches('/');
    let is_bucket_byte = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    if !(3..=63).contains(&bucket.len()) || !bucket.bytes().all(is_bucket_byte) {
        return Err(because("a bucket has 3 to 63 lower-case letters, digits, dots and dashes"));
    }
    let is_segment_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_segment = |segment: &str| !segment.is_empty() && segment.bytes().all(is_segment_byte);
    if !prefix.is_empty() && (prefix.len() > 200 || !prefix.split('/').all(is_segment)) {
        return Err(because("a prefix has segments of letters, digits, dashes and underscores"));
    }
    bucket_config(source, name, bucket, prefix).map(|bucket| Some(BlobLocation::Bucket(bucket)))
}

/// Adds the server of a bucket and its key.
fn bucket_config(source: &Source, name: &str, bucket: &str, prefix: &str) -> Result<BucketConfig, Failure> {
    let secret = |variable: &str| source.get(variable).map(|text| access_word(variable, &text)).transpose();
    let (Some(access_key_id), Some(secret_access_key)) =
        (secret("AWS_ACCESS_KEY_ID")?, secret("AWS_SECRET_ACCESS_KEY")?)
    else {
        return Err(Failure::new(format!(
            "{name} is a bucket, which needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: set both, to a key that may read, \
             write, delete and list its objects"
        )));
    };
    let allows_http = truth(source, "AWS_ALLOW_HTTP")?;
    let endpoint = match source.get("AWS_ENDPOINT_URL_S3") {
        Some(_) => endpoint(source, "AWS_ENDPOINT_URL_S3", allows_http)?,
        None => endpoint(source, "AWS_ENDPOINT_URL", allows_http)?,
    };
    Ok(BucketConfig {
        bucket: bucket.to_owned(),
        prefix: prefix.to_owned(),
        endpoint,
        region: source.text("AWS_REGION").trim().to_owned(),
        access_key_id,
        secret_access_key,
        session_token: secret("AWS_SESSION_TOKEN")?,
        allows_http,
        uses_virtual_host: truth(source, "AWS_VIRTUAL_HOSTED_STYLE_REQUEST")?,
    })
}

/// Reads a part of an access key. Servers decide about its length.
fn access_word(name: &str, text: &str) -> Result<Secret, Failure> {
    let text = text.trim();
    let is_word = !text.is_empty() && text.len() <= 4096 && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_word { Ok(Secret::new(text.to_owned())) } else { Err(refused(name)) }
}

/// Reads the URL of a server: scheme, host and port.
fn endpoint(source: &Source, name: &str, allows_http: bool) -> Result<Option<String>, Failure> {
    let Some(text) = source.get(name) else { return Ok(None) };
    let url = text.trim().trim_end_matches('/');
    if url.starts_with("http://") && !allows_http {
        return Err(Failure::new(format!(
            "{name} begins with http://, which needs AWS_ALLOW_HTTP=true: use https://, or permit it within a network of \
             your own"
        )));
    }
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains([' ', '/', '?', '#', '@']) => Ok(Some(url.to_owned())),
        _ => Err(refused(name)),
    }
}

/// Reads `true` or `false`, the words of these variables.
fn truth(source: &Source, name: &str) -> Result<bool, Failure> {
    match source.text(name).trim() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(refused(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "AKIA-id"), ("AWS_SECRET_ACCESS_KEY", "hush/hush+hush")];

    fn with(pairs: &[(&'static str, &str)]) -> Result<BlobConfig, Failure> {
        blobs(&Source::from(pairs))
    }

    fn with_key(pairs: &[(&'static str, &str)]) -> Result<BlobConfig, Failure> {
        with(&[pairs, &KEY].concat())
    }

    #[test]
    fn contents_are_in_rows_by_default() -> Result<(), Failure> {
        let config = with(&[])?;
        assert!(config.store.is_none() && config.former.is_none());
        assert_eq!((config.threshold, config.connections, config.timeout), (65_536, 32, Duration::from_secs(10)));
        Ok(())
    }

    #[test]
    fn folder_and_bucket_are_read() -> Result<(), Failure> {
        let config = with(&[("INBOXD_BLOBS", "file:///srv/blobs/"), ("INBOXD_BLOB_TIMEOUT", "30")])?;
        assert_eq!(config.store, Some(BlobLocation::Folder("/srv/blobs".into())));
        assert_eq!(config.timeout, Duration::from_secs(30));
        let endpoint = ("AWS_ENDPOINT_URL", "https://s3.example.org/");
        let former = ("INBOXD_BLOBS_FROM", "file:///srv/blobs");
        let config = with_key(&[("INBOXD_BLOBS", "s3://mail/inboxd/a"), endpoint, former])?;
        assert_eq!(config.former.map(|former| former.kind()), Some(BlobKind::File));
        let Some(BlobLocation::Bucket(bucket)) = config.store else { panic!("no bucket") };
        assert_eq!((bucket.bucket.as_str(), bucket.prefix.as_str()), ("mail", "inboxd/a"));
        assert_eq!(bucket.endpoint.as_deref(), Some("https://s3.example.org"));
        assert_eq!((bucket.region.as_str(), bucket.access_key_id.reveal()), ("us-east-1", "AKIA-id"));
        let shown = format!("{bucket:?}");
        assert!(!shown.contains("hush") && !shown.contains("AKIA"), "{shown}");
        Ok(())
    }

    #[test]
    fn bad_value_is_named_with_its_cause_and_no_secret() {
        let store = ("INBOXD_BLOBS", "s3://mail/inboxd");
        for (pairs, name, cause) in [
            (&[("INBOXD_BLOBS", "/srv/blobs")][..], "INBOXD_BLOBS", "file:///"),
            (&[("INBOXD_BLOBS", "file://srv")], "INBOXD_BLOBS", "third one"),
            (&[("INBOXD_BLOBS", "file:///")], "INBOXD_BLOBS", "missing"),
            (&[("INBOXD_BLOBS", "s3://Mail")], "INBOXD_BLOBS", "lower-case"),
            (&[("INBOXD_BLOBS", "s3://mail/../x")], "INBOXD_BLOBS", "prefix"),
            (&[("INBOXD_BLOBS_FROM", "postgres")], "INBOXD_BLOBS_FROM", "file:///"),
            (&[store, ("INBOXD_BLOBS_FROM", "s3://other")], "INBOXD_BLOBS_FROM", "another kind"),
            (&[store, ("AWS_ENDPOINT_URL_S3", "s3.example.org")], "AWS_ENDPOINT_URL_S3", "https://"),
            (&[store, ("AWS_ENDPOINT_URL_S3", "http://10.0.0.1:8333")], "AWS_ALLOW_HTTP", "https://"),
            (&[store, ("AWS_ALLOW_HTTP", "yes")], "AWS_ALLOW_HTTP", "true or false"),
            (&[store, ("AWS_SESSION_TOKEN", "hush hush")], "AWS_SESSION_TOKEN", "spaces"),
            (&[("INBOXD_BLOB_TIMEOUT", "0")], "INBOXD_BLOB_TIMEOUT", "seconds"),
            (&[("INBOXD_BLOB_TIMEOUT", "1h")], "INBOXD_BLOB_TIMEOUT", "seconds"),
            (&[("INBOXD_BLOB_CONNECTIONS", "0")], "INBOXD_BLOB_CONNECTIONS", "whole number"),
        ] {
            let line = with_key(pairs).err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(line.contains(name) && line.contains(cause), "{pairs:?}: {line:?}");
            assert!(!line.contains("hush") && !line.contains('\n'), "{pairs:?}: {line:?}");
        }
        let line = with(&[store]).err().map(|failure| failure.to_string()).unwrap_or_default();
        assert!(line.contains("AWS_ACCESS_KEY_ID") && line.contains("set both"), "{line:?}");
    }
}
