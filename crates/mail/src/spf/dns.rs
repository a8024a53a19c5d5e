//! Queries and answers of an evaluation.

use std::collections::HashMap;
use std::net::IpAddr;

/// Maximum length of a domain name as text (RFC 1035, section 2.3.4).
pub(super) const MAX_NAME_BYTES: usize = 253;
/// Maximum length of a label (RFC 1035, section 2.3.4).
const MAX_LABEL_BYTES: usize = 63;

/// Record type of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpfRecordType {
    /// Texts.
    Txt,
    /// IPv4 addresses.
    A,
    /// IPv6 addresses.
    Aaaa,
    /// Mail exchangers.
    Mx,
    /// Host names of an address.
    Ptr,
}

/// A query of DNS.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SpfQuery {
    /// Name in lower case, without the final dot.
    pub name: String,
    /// Type of the records.
    pub record_type: SpfRecordType,
}

/// Answer to a query. A name that does not exist has no records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpfAnswer {
    /// TXT records, each with its strings joined.
    Texts(Vec<String>),
    /// A or AAAA records.
    Addresses(Vec<IpAddr>),
    /// Host names of MX records by preference, or of PTR records.
    Hosts(Vec<String>),
    /// No answer, or an error other than a name that does not exist.
    Failed,
}

/// Answers that are known so far.
pub type SpfAnswers = HashMap<SpfQuery, SpfAnswer>;

/// Returns a name as it is queried, or `None` if DNS cannot hold it.
pub(super) fn queried_name(name: &str) -> Option<String> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_label = |label: &str| (1..=MAX_LABEL_BYTES).contains(&label.len());
    (name.len() <= MAX_NAME_BYTES && name.split('.').all(is_label)).then(|| name.to_ascii_lowercase())
}
