//! The records of a domain as a zone file (RFC 1035, section 5).

use std::fmt::Write as _;

use super::records::PREFERENCE;
use crate::model::Domain;
use crate::model::domain::{DomainRecord, RecordPurpose};

/// Time in seconds for which a resolver may cache a record.
const RECORD_TTL: u32 = 3600;
/// Maximum length in bytes of one string of a TXT record (RFC 1035, section 3.3).
const MAX_STRING_BYTES: usize = 255;

/// Returns a complete zone file of the domain, in the format of BIND.
#[must_use]
pub fn zone_file(domain: &Domain, host: &str) -> String {
    let name = &domain.name;
    let mut file = format!(
        "; The records that {name} needs.\n\
         ; SOA and NS only make the file complete: a provider that imports it keeps its own in their place.\n\
         $ORIGIN {name}.\n\
         $TTL {RECORD_TTL}\n\
         @ IN SOA {host}. hostmaster.{name}. 1 7200 3600 1209600 3600\n\
         @ IN NS {host}.\n"
    );
    for record in &domain.records {
        // Writing to a string cannot fail.
        let _ = writeln!(file, "{}. IN {}", record.name, data(record));
    }
    file
}

fn data(record: &DomainRecord) -> String {
    match record.purpose {
        RecordPurpose::Mx | RecordPurpose::WildcardMx => {
            format!("MX {} {}.", record.priority.unwrap_or(PREFERENCE), record.value)
        }
        RecordPurpose::Spf
        | RecordPurpose::Dkim
        | RecordPurpose::NextDkim
        | RecordPurpose::RetiredDkim
        | RecordPurpose::Dmarc => {
            format!("TXT {}", quoted_strings(&record.value))
        }
    }
}

/// Splits the text of a TXT record into quoted strings that can be pasted into a zone: an unquoted `;` begins a
/// comment. All values of this service are ASCII.
#[must_use]
pub fn quoted_strings(text: &str) -> String {
    let quoted = |part: &[u8]| {
        let text = String::from_utf8_lossy(part).replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{text}\"")
    };
    text.as_bytes().chunks(MAX_STRING_BYTES).map(quoted).collect::<Vec<_>>().join(" ")
}
