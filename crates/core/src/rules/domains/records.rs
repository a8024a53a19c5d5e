//! Required DNS records of a custom domain.

use crate::model::DomainName;
use crate::model::domain::{DomainRecord, RecordPurpose, RecordStatus};

/// Selector of the public key: `inboxd._domainkey.example.org` (RFC 6376, section 3.1).
pub const SELECTOR: &str = "inboxd";
/// Preference of the required MX records.
pub const PREFERENCE: u16 = 10;

/// Returns the required records of a domain, not yet checked. `host` is the name of this mail server and the domain
/// with the SPF record to include; `public_key` is a `SubjectPublicKeyInfo` in base64.
#[must_use]
pub fn wanted(domain: &DomainName, host: &str, public_key: &str, inbound: bool, subdomains: bool) -> Vec<DomainRecord> {
    let records = vec![
        record(RecordPurpose::Spf, domain.to_string(), format!("v=spf1 include:{host} ~all")),
        key_record(domain.as_str(), SELECTOR, public_key),
        // The weakest policy. Any other is accepted, because the owner of the domain chooses it.
        record(RecordPurpose::Dmarc, format!("_dmarc.{domain}"), "v=DMARC1; p=none".to_owned()),
    ];
    with_switches(records, domain, host, inbound, subdomains)
}

/// Returns the record of a key (RFC 6376, section 3.6.1).
#[must_use]
pub fn key_record(domain: &str, selector: &str, public_key: &str) -> DomainRecord {
    record(RecordPurpose::Dkim, format!("{selector}._domainkey.{domain}"), format!("v=DKIM1; k=rsa; p={public_key}"))
}

/// Returns the records with or without those that route inbound mail to this service; all others stay as they are.
#[must_use]
pub fn with_switches(
    mut records: Vec<DomainRecord>,
    domain: &DomainName,
    host: &str,
    inbound: bool,
    subdomains: bool,
) -> Vec<DomainRecord> {
    let has = |records: &[DomainRecord], purpose| records.iter().any(|record| record.purpose == purpose);
    if !inbound {
        records.retain(|record| !matches!(record.purpose, RecordPurpose::Mx | RecordPurpose::WildcardMx));
        return records;
    }
    if !has(&records, RecordPurpose::Mx) {
        records.insert(0, record(RecordPurpose::Mx, domain.to_string(), host.to_owned()));
    }
    match (has(&records, RecordPurpose::WildcardMx), subdomains) {
        (true, false) => records.retain(|record| record.purpose != RecordPurpose::WildcardMx),
        (false, true) => records.push(wildcard(domain, host)),
        _ => {}
    }
    records
}

fn wildcard(domain: &DomainName, host: &str) -> DomainRecord {
    record(RecordPurpose::WildcardMx, format!("*.{domain}"), host.to_owned())
}

fn record(purpose: RecordPurpose, name: String, value: String) -> DomainRecord {
    let priority = matches!(purpose, RecordPurpose::Mx | RecordPurpose::WildcardMx).then_some(PREFERENCE);
    DomainRecord { purpose, name, value, status: RecordStatus::Missing, priority, reason: None, found: None }
}
