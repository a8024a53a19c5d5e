//! Guarded HTTP client for URLs of callers: attachments, webhooks, MTA-STS policies, rspamd and the external scanner.
//!
//! Callers of the API name URLs that the server fetches. Without a guard they could reach everything that the server can:
//! its loopback, its own network and the metadata service of its cloud. Therefore every connection passes one
//! [`AddressGuard`] at the moment of dialling. A name is resolved once, its addresses are checked, and exactly those are
//! dialled. DNS rebinding, unusual spellings of an address and redirects all meet the same check.
//!
//! ```
//! use inboxd_outbound::{AddressGuard, Cidr, is_public};
//!
//! let guard = AddressGuard::allowing(vec!["10.1.0.0/16".parse::<Cidr>()?]);
//! assert!(guard.permits("10.1.2.3".parse()?));
//! assert!(!guard.permits("169.254.169.254".parse()?));
//! assert!(is_public("192.0.1.1".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod authorities;
mod client;
mod connect;
mod fetch;
mod guard;
mod guarded_stream;
mod media_type;
mod request_error;
mod rspamd;
mod scanner;
mod send;
mod target_url;
#[cfg(test)]
mod tests;
mod url_policy;

pub use authorities::Authorities;
pub use client::ClientTimeouts;
pub use fetch::GuardedFetcher;
pub use guard::{AddressGuard, is_public};
pub use inboxd_core::rules::cidr::Cidr;
pub use rspamd::{RspamdClient, RspamdError, RspamdUrl, RspamdUrlError};
pub use scanner::{ScannerClient, ScannerError, ScannerUrl, ScannerUrlError};
pub use send::GuardedSender;
pub use url_policy::GuardedUrlPolicy;
