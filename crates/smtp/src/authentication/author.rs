//! Author domain of a message, from its From field.

use std::collections::BTreeSet;

use inboxd_mail::header_addresses;
use mail_auth::AuthenticatedMessage;
use mail_auth::common::to_a_label;

/// Author of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MessageAuthor {
    /// From has no domain, so no policy exists and no domain is impersonated.
    Missing,
    /// One From field with one domain, in lower case as A-labels.
    Domain(String),
    /// Several From fields or domains.
    Ambiguous,
}

impl MessageAuthor {
    /// Returns the only domain.
    pub(super) fn domain(&self) -> Option<&str> {
        match self {
            Self::Domain(domain) => Some(domain),
            Self::Missing | Self::Ambiguous => None,
        }
    }
}

/// Limit of a domain name. Longer names exist neither in DNS nor in any script.
const MAX_DOMAIN_BYTES: usize = 1024;

/// Returns the author of a message.
///
/// Two parsers read the field: ours, for the displayed address, and that of the verifier. If they disagree, the author
/// is ambiguous. So is an author with an oversized domain.
pub(super) fn author(raw: &[u8], message: &AuthenticatedMessage<'_>) -> MessageAuthor {
    let fields = header_addresses(raw, "From");
    let is_from = |(name, _): &&(&[u8], &[u8])| name.trim_ascii().eq_ignore_ascii_case(b"From");
    if fields.len() > 1 || message.headers.iter().filter(is_from).count() > 1 {
        return MessageAuthor::Ambiguous;
    }
    let shown = fields.iter().flatten().map(|found| found.address.as_str());
    let verified = message.from.iter().map(String::as_str);
    let named: BTreeSet<&str> = shown.chain(verified).filter_map(domain_of).collect();
    if named.iter().any(|domain| domain.len() > MAX_DOMAIN_BYTES) {
        return MessageAuthor::Ambiguous;
    }
    let mut domains: BTreeSet<String> = named.into_iter().map(|domain| to_a_label(domain).into_owned()).collect();
    match (domains.pop_first(), domains.is_empty()) {
        (None, _) => MessageAuthor::Missing,
        (Some(only), true) => MessageAuthor::Domain(only),
        (Some(_), false) => MessageAuthor::Ambiguous,
    }
}

fn domain_of(address: &str) -> Option<&str> {
    let (_, domain) = address.rsplit_once('@')?;
    let domain = domain.trim().trim_end_matches('.');
    (!domain.is_empty()).then_some(domain)
}
