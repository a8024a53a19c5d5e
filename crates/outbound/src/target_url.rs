//! Validated target URL of an outbound request.

use hyper::Uri;
use url::{Host, Url};

use crate::request_error::RequestError;

/// Limit of a URL. Pre-signed URLs of object stores have a few thousand bytes.
const MAX_URL_BYTES: usize = 8_192;

/// Target URL: http or https, with a host and without credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TargetUrl {
    /// Normalized URL: an address written as `0x7f000001` or `127.1` is `127.0.0.1` here.
    url: Url,
    uri: Uri,
}

impl TargetUrl {
    pub(crate) fn parse(text: &str) -> Result<Self, RequestError> {
        if text.len() > MAX_URL_BYTES {
            return Err(RequestError::UrlTooLong { max: MAX_URL_BYTES });
        }
        Self::validate(Url::parse(text).map_err(|_| RequestError::InvalidUrl)?)
    }

    /// Resolves a `Location` field against this URL (RFC 9110, section 10.2.2).
    pub(crate) fn resolve_redirect(&self, location: &[u8]) -> Result<Self, RequestError> {
        if location.len() > MAX_URL_BYTES {
            return Err(RequestError::InvalidRedirect);
        }
        let location = str::from_utf8(location).map_err(|_| RequestError::InvalidRedirect)?;
        Self::validate(self.url.join(location).map_err(|_| RequestError::InvalidRedirect)?)
    }

    /// Returns the normalized host.
    pub(crate) fn host(&self) -> Option<Host<&str>> {
        self.url.host()
    }

    pub(crate) fn uri(&self) -> Uri {
        self.uri.clone()
    }

    fn validate(mut url: Url) -> Result<Self, RequestError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(RequestError::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RequestError::Credentials);
        }
        url.set_fragment(None);
        let uri = url.as_str().parse().map_err(|_| RequestError::InvalidUrl)?;
        Ok(Self { url, uri })
    }
}
