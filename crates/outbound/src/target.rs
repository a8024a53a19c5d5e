//! The URLs that may be read.

use hyper::Uri;
use url::{Host, Url};

use crate::problem::Problem;

/// The longest URL, in octets; pre-signed ones of object stores reach a few thousand.
const LONGEST_URL: usize = 8_192;

/// A URL that may be read: http or https, with a host and without a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// In normal form: an address written as `0x7f000001` or `127.1` has become `127.0.0.1` here.
    url: Url,
    uri: Uri,
}

impl Target {
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        if text.len() > LONGEST_URL {
            return Err(Problem::UrlTooLong { most: LONGEST_URL });
        }
        Self::checked(Url::parse(text).map_err(|_| Problem::NoUrl)?)
    }

    /// Where a `Location` of an answer from here leads (RFC 9110 section 10.2.2).
    pub(crate) fn redirected(&self, location: &[u8]) -> Result<Self, Problem> {
        if location.len() > LONGEST_URL {
            return Err(Problem::BadRedirect);
        }
        let location = str::from_utf8(location).map_err(|_| Problem::BadRedirect)?;
        Self::checked(self.url.join(location).map_err(|_| Problem::BadRedirect)?)
    }

    /// The host, in normal form as the whole.
    pub(crate) fn host(&self) -> Option<Host<&str>> {
        self.url.host()
    }

    pub(crate) fn uri(&self) -> Uri {
        self.uri.clone()
    }

    fn checked(mut url: Url) -> Result<Self, Problem> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Problem::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Problem::Credentials);
        }
        url.set_fragment(None);
        let uri = url.as_str().parse().map_err(|_| Problem::NoUrl)?;
        Ok(Self { url, uri })
    }
}
