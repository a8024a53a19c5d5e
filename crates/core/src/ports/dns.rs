//! Asking the Domain Name System.

use async_trait::async_trait;

/// What came back to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup<T> {
    /// These records.
    Found(Vec<T>),
    /// That there are none.
    Absent,
    /// No usable answer, and why; it says nothing about the records.
    Failed(String),
}

/// A host that takes mail for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MxHost {
    /// The lowest is asked first.
    pub preference: u16,
    /// Its name, without a final dot; empty for a null MX (RFC 7505).
    pub host: String,
}

/// Asks a resolver, within a bounded time and without a cache of its own: who has just mended a record asks again.
#[async_trait]
pub trait Dns: Send + Sync {
    /// The TXT records of a name, each with its strings put together (RFC 7208, section 3.3).
    async fn txt(&self, name: &str) -> Lookup<String>;

    /// The MX records of a name. Of a wildcard it is asked by its own name: `*.example.org`.
    async fn mx(&self, name: &str) -> Lookup<MxHost>;
}
