//! Base URL of the Stripe API.

use std::str::FromStr;

use url::{Host, Url};

/// Prefix of every API URL: `https://api.stripe.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiUrl(String);

/// The text is not a URL to which a secret key may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an https URL without a query, such as https://api.stripe.com, or an http URL of this machine")]
pub struct ApiUrlError;

impl Default for ApiUrl {
    fn default() -> Self {
        Self("https://api.stripe.com".to_owned())
    }
}

impl ApiUrl {
    /// Returns the URL of a path that begins with a slash.
    pub(crate) fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

impl FromStr for ApiUrl {
    type Err = ApiUrlError;

    /// Parses a base URL. Every call carries the secret key, so plain http is accepted for loopback hosts only.
    fn from_str(text: &str) -> Result<Self, ApiUrlError> {
        let url = Url::parse(text.trim()).map_err(|_| ApiUrlError)?;
        let is_here = match url.host().ok_or(ApiUrlError)? {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_here);
        let is_plain =
            url.query().is_none() && url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
        if !is_safe || !is_plain {
            return Err(ApiUrlError);
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }
}
