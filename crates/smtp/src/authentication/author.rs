//! Whom a mail says it is from.

use std::collections::BTreeSet;

use inboxd_mail::header_addresses;
use mail_auth::AuthenticatedMessage;
use mail_auth::common::to_a_label;

/// Whom From names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Author {
    /// No domain: nobody can be asked, and nobody is pretended to be.
    Nobody,
    /// One field with one domain: in lower case, as A-labels.
    Domain(String),
    /// Several fields, or several domains.
    Several,
}

impl Author {
    /// The one domain.
    pub(super) fn domain(&self) -> Option<&str> {
        match self {
            Self::Domain(domain) => Some(domain),
            Self::Nobody | Self::Several => None,
        }
    }
}

/// The longest name of a domain, in octets: no name of DNS is longer, nor what is written for one in any script.
const LONGEST_DOMAIN: usize = 1024;

/// Reads From. Two readers look at the field, the one whose result is shown and the one that verifies: a text that they
/// understand differently names several domains, and so does one that names what is too long for a domain.
pub(super) fn author(raw: &[u8], message: &AuthenticatedMessage<'_>) -> Author {
    let fields = header_addresses(raw, "From");
    let is_from = |(name, _): &&(&[u8], &[u8])| name.trim_ascii().eq_ignore_ascii_case(b"From");
    if fields.len() > 1 || message.headers.iter().filter(is_from).count() > 1 {
        return Author::Several;
    }
    let shown = fields.iter().flatten().map(|found| found.address.as_str());
    let verified = message.from.iter().map(String::as_str);
    let named: BTreeSet<&str> = shown.chain(verified).filter_map(domain_of).collect();
    if named.iter().any(|domain| domain.len() > LONGEST_DOMAIN) {
        return Author::Several;
    }
    let mut domains: BTreeSet<String> = named.into_iter().map(|domain| to_a_label(domain).into_owned()).collect();
    match (domains.pop_first(), domains.is_empty()) {
        (None, _) => Author::Nobody,
        (Some(only), true) => Author::Domain(only),
        (Some(_), false) => Author::Several,
    }
}

fn domain_of(address: &str) -> Option<&str> {
    let (_, domain) = address.rsplit_once('@')?;
    let domain = domain.trim().trim_end_matches('.');
    (!domain.is_empty()).then_some(domain)
}
