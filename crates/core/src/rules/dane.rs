//! TLSA records of mail hosts (RFC 7672, section 3.1).

/// Certificate usage of a trust anchor, DANE-TA (RFC 7218, section 2.1).
const TRUST_ANCHOR_USAGE: u8 = 2;
/// Certificate usage of a server certificate, DANE-EE.
const END_ENTITY_USAGE: u8 = 3;
/// First byte of a DER sequence: each certificate and each public key is one.
const DER_SEQUENCE: u8 = 0x30;

/// TLSA record as published (RFC 6698, section 2.1).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TlsaRecord {
    /// Certificate usage.
    pub usage: u8,
    /// Selector: 0 for the certificate, 1 for its public key.
    pub selector: u8,
    /// Matching type: 0 for the whole content, 1 for its SHA-256, 2 for its SHA-512.
    pub matching: u8,
    /// Certificate association data.
    pub data: Vec<u8>,
}

impl TlsaRecord {
    /// Returns whether the record names the certificate of the server (DANE-EE).
    #[must_use]
    pub fn is_end_entity(&self) -> bool {
        self.usage == END_ENTITY_USAGE
    }

    /// Returns whether the record names an authority in the chain of the server (DANE-TA).
    #[must_use]
    pub fn is_trust_anchor(&self) -> bool {
        self.usage == TRUST_ANCHOR_USAGE
    }

    /// Returns whether SMTP clients can authenticate a server by the record. The usages of public authorities
    /// (PKIX-TA, PKIX-EE) are not usable for SMTP (RFC 7672, section 3.1.3).
    fn is_usable(&self) -> bool {
        let has_content = match self.matching {
            0 => self.data.first() == Some(&DER_SEQUENCE),
            1 => self.data.len() == 32,
            2 => self.data.len() == 64,
            _ => false,
        };
        (self.is_end_entity() || self.is_trust_anchor()) && self.selector <= 1 && has_content
    }

    /// Returns whether the other record has a stronger digest for the same usage and selector.
    fn is_superseded_by(&self, other: &Self) -> bool {
        let is_same_kind = (self.usage, self.selector) == (other.usage, other.selector);
        is_same_kind && self.matching != 0 && other.matching > self.matching
    }
}

/// Usable TLSA records of a mail host.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TlsaSet {
    /// Names of which the certificate of a trust anchor must have one. The first is the TLSA base domain, which the
    /// server name indication names (RFC 7672, sections 3.2.2 and 8.1).
    pub names: Vec<String>,
    /// The records in ascending order, so equal sets are equal.
    pub records: Vec<TlsaRecord>,
}

/// Authentication of a mail host by DANE.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DaneStatus {
    /// No validated TLSA records exist: the host is treated as without DANE.
    NotPublished,
    /// TLSA records exist, and none is usable: TLS is required, with any certificate (RFC 7672, section 2.2).
    Unusable,
    /// TLS is required, authenticated by these records.
    Usable(TlsaSet),
}

/// Evaluates the validated TLSA records at a base domain. `other_names` are further names of the host and the domain of
/// the mail.
///
/// Of several digests of the same kind only the strongest counts (RFC 7671, section 9).
#[must_use]
pub fn evaluate(base_domain: &str, other_names: &[&str], published: Vec<TlsaRecord>) -> DaneStatus {
    if published.is_empty() {
        return DaneStatus::NotPublished;
    }
    let usable: Vec<TlsaRecord> = published.into_iter().filter(TlsaRecord::is_usable).collect();
    let is_strongest = |record: &&TlsaRecord| !usable.iter().any(|other| record.is_superseded_by(other));
    let mut records: Vec<TlsaRecord> = usable.iter().filter(is_strongest).cloned().collect();
    // Resolvers rotate the records of a response.
    records.sort_unstable();
    if records.is_empty() {
        return DaneStatus::Unusable;
    }
    let mut names = vec![base_domain.to_owned()];
    // The certificate of the server itself is matched without names (RFC 7671, section 5.1).
    if records.iter().any(TlsaRecord::is_trust_anchor) {
        names.extend(other_names.iter().filter(|name| **name != base_domain).map(|name| (*name).to_owned()));
        names.dedup();
    }
    DaneStatus::Usable(TlsaSet { names, records })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(usage: u8, selector: u8, matching: u8, bytes: usize) -> TlsaRecord {
        TlsaRecord { usage, selector, matching, data: vec![DER_SEQUENCE; bytes] }
    }

    fn status(records: &[TlsaRecord]) -> DaneStatus {
        evaluate("mx.example", &["mx.example", "example", "example"], records.to_vec())
    }

    #[test]
    fn record_is_usable_by_usage_selector_matching_and_length() {
        for usage in 0..=4 {
            for selector in 0..=2 {
                for (matching, bytes) in
                    [(0, 0), (0, 300), (1, 31), (1, 32), (1, 64), (2, 32), (2, 64), (3, 32), (255, 64)]
                {
                    let is_usable = matches!(usage, 2 | 3)
                        && selector <= 1
                        && matches!((matching, bytes), (0, 300) | (1, 32) | (2, 64));
                    let found = status(&[record(usage, selector, matching, bytes)]);
                    let expected = if is_usable { "usable" } else { "unusable" };
                    let found = if matches!(found, DaneStatus::Usable(_)) { "usable" } else { "unusable" };
                    assert_eq!(found, expected, "{usage} {selector} {matching} with {bytes} bytes");
                }
            }
        }
        let text = TlsaRecord { data: b"not DER".to_vec(), ..record(3, 0, 0, 0) };
        assert_eq!(status(&[text]), DaneStatus::Unusable);
    }

    #[test]
    fn host_without_records_has_no_dane() {
        assert_eq!(status(&[]), DaneStatus::NotPublished);
        assert_eq!(status(&[record(1, 1, 1, 32), record(0, 0, 1, 32)]), DaneStatus::Unusable);
    }

    #[test]
    fn strongest_digest_of_each_kind_remains() {
        let (sha256, sha512, full) = (record(3, 1, 1, 32), record(3, 1, 2, 64), record(3, 1, 0, 90));
        let other_selector = record(3, 0, 1, 32);
        let kept = |records: &[TlsaRecord]| match status(records) {
            DaneStatus::Usable(set) => set.records,
            other => panic!("{other:?}"),
        };
        assert_eq!(kept(&[sha256.clone(), sha512.clone()]), std::slice::from_ref(&sha512));
        assert_eq!(
            kept(&[full.clone(), sha512.clone(), other_selector.clone()]),
            [other_selector, full, sha512],
            "other selectors and whole contents remain"
        );
        // An unusable digest replaces no usable one.
        assert_eq!(kept(&[sha256.clone(), record(3, 1, 2, 63)]), [sha256]);
    }

    #[test]
    fn order_of_records_does_not_matter() {
        let records = [record(3, 1, 1, 32), record(2, 0, 1, 32), record(3, 0, 2, 64)];
        let mut reversed = records.clone();
        reversed.reverse();
        assert_eq!(status(&records), status(&reversed));
    }

    #[test]
    fn names_count_for_trust_anchors_only() {
        let names = |records: &[TlsaRecord]| match status(records) {
            DaneStatus::Usable(set) => set.names,
            other => panic!("{other:?}"),
        };
        assert_eq!(names(&[record(3, 1, 1, 32)]), ["mx.example"]);
        assert_eq!(names(&[record(3, 1, 1, 32), record(2, 0, 1, 32)]), ["mx.example", "example"]);
    }
}
