//! The records of a domain as a zone file (RFC 1035, section 5).

use std::fmt::Write as _;

use super::records::PREFERENCE;
use crate::model::Domain;
use crate::model::domain::{DomainRecord, RecordPurpose};

/// Time in seconds for which a resolver may cache a record.
const RECORD_TTL: u32 = 3600;
/// Maximum length in bytes of one string of a TXT record (RFC 1035, section 3.3).
const MAX_STRING_BYTES: usize = 255;

/// Returns the records of the domain in the format of BIND, without SOA and NS: in a zone above the domain, NS records
/// would delegate it.
#[must_use]
pub fn zone_file(domain: &Domain) -> String {
    let name = &domain.name;
    let mut file = format!(
        "; The records that {name} needs, for its zone or a zone above it. SOA and NS are those of the zone.\n\
         $ORIGIN {name}.\n\
         $TTL {RECORD_TTL}\n"
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
/// comment. Bytes outside of printable ASCII are escaped as `\DDD` in decimal digits (RFC 1035, section 5.1).
#[must_use]
pub fn quoted_strings(text: &str) -> String {
    quoted(text, |byte| format!("\\{byte:03}"))
}

/// As [`quoted_strings`], with octal digits, as Amazon Route 53 reads them.
#[must_use]
pub fn octal_quoted_strings(text: &str) -> String {
    quoted(text, |byte| format!("\\{byte:03o}"))
}

fn quoted(text: &str, escape: impl Fn(u8) -> String) -> String {
    let character = |byte: &u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(*byte)),
        0x20..=0x7e => char::from(*byte).to_string(),
        _ => escape(*byte),
    };
    let string = |part: &[u8]| format!("\"{}\"", part.iter().map(character).collect::<String>());
    text.as_bytes().chunks(MAX_STRING_BYTES).map(string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_outside_of_printable_ascii_are_escaped() {
        let text = "a\"b\\c;\n\u{e9}\u{7f}";
        assert_eq!(quoted_strings(text), r#""a\"b\\c;\010\195\169\127""#);
        assert_eq!(octal_quoted_strings(text), r#""a\"b\\c;\012\303\251\177""#);
    }

    #[test]
    fn strings_are_split_at_bytes() {
        let quoted = quoted_strings(&format!("{}\u{e9}", "x".repeat(254)));
        assert_eq!(quoted, format!("\"{}\\195\" \"\\169\"", "x".repeat(254)));
    }
}
