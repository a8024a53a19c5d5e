//! DNS lookups.

use async_trait::async_trait;

/// Result of a lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup<T> {
    /// The records.
    Found(Vec<T>),
    /// No records exist.
    Absent,
    /// The lookup failed, with the reason; the records are unknown.
    Failed(String),
}

/// Mail exchanger of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MxHost {
    /// The preference; the lowest is first.
    pub preference: u16,
    /// The host name without a final dot; empty for a null MX (RFC 7505).
    pub host: String,
}

/// Queries a resolver within a bounded time. It has no cache, so a corrected record is visible at once.
#[async_trait]
pub trait Dns: Send + Sync {
    /// Returns the TXT records of a name, each with its strings concatenated (RFC 7208, section 3.3).
    async fn txt(&self, name: &str) -> Lookup<String>;

    /// Returns the MX records of a name. Wildcards are queried by their own name: `*.example.org`.
    async fn mx(&self, name: &str) -> Lookup<MxHost>;
}
