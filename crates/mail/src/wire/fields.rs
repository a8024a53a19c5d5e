//! Header fields (RFC 5322, section 2.2).

use super::charset;
use super::lines::line_at;
use crate::address::{HeaderAddress, parse_address_list};
use crate::sanitize;

/// Maximum number of bytes read of a field value.
pub(crate) const MAX_FIELD_VALUE_BYTES: usize = 64 * 1024;
/// Maximum number of values that [`header_values`] returns.
const MAX_VALUES: usize = 1000;

/// A header field in the raw bytes, including folds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeaderField<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) value: &'a [u8],
    /// Start in the header.
    pub(crate) start: usize,
    /// End in the header, after the line ending.
    pub(crate) end: usize,
}

impl HeaderField<'_> {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }

    /// Returns the unfolded value on one line.
    ///
    /// 8-bit bytes are decoded as UTF-8 or the detected charset; encoded words remain.
    pub(crate) fn text(&self) -> String {
        self.text_in(None)
    }

    /// Returns the value like [`text`](Self::text), with `hint` as the likely charset of 8-bit bytes, usually that of
    /// the body.
    pub(crate) fn text_in(&self, hint: Option<&str>) -> String {
        let bytes = self.value.get(..MAX_FIELD_VALUE_BYTES).unwrap_or(self.value);
        sanitize::without_controls(&charset::decode_with(None, hint, bytes), |c| c == '\t')
    }
}

/// Boundary between header and body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeaderBlock {
    /// End of the header.
    pub(crate) end: usize,
    /// Start of the body.
    pub(crate) body: usize,
}

/// Finds the end of the header at `start`: an empty line, a line that is no field, or one that `is_stop` accepts as a
/// boundary.
///
/// A line `From …` at the very top is the envelope line of an mbox file and is skipped.
pub(crate) fn block(raw: &[u8], start: usize, is_stop: impl Fn(&[u8]) -> bool) -> HeaderBlock {
    let mut at = start;
    while let Some((line, next)) = line_at(raw, at) {
        if line.is_empty() {
            return HeaderBlock { end: at, body: next };
        }
        let continues = at > start && matches!(line.first(), Some(b' ' | b'\t'));
        let envelope = at == 0 && line.strip_prefix(b">").unwrap_or(line).starts_with(b"From ");
        if is_stop(line) || !(continues || envelope || field_name(line).is_some()) {
            return HeaderBlock { end: at, body: at };
        }
        at = next;
    }
    HeaderBlock { end: raw.len(), body: raw.len() }
}

/// Returns the field name at the start of a line. A byte order mark may precede the first field.
pub(crate) fn field_name(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let colon = memchr::memchr(b':', line)?;
    let name = line.get(..colon)?.trim_ascii_end();
    let printable = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    printable.then_some(name)
}

/// Iterates over the fields of a header, in order.
pub(crate) fn fields(header: &[u8]) -> impl Iterator<Item = HeaderField<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let (line, mut next) = line_at(header, at)?;
            let start = at;
            let value_start = at + memchr::memchr(b':', line).map_or(line.len(), |colon| colon + 1);
            let name = if matches!(line.first(), Some(b' ' | b'\t')) { None } else { field_name(line) };
            while let Some((continuation, after)) = line_at(header, next) {
                if !matches!(continuation.first(), Some(b' ' | b'\t')) {
                    break;
                }
                next = after;
            }
            at = next;
            if let Some(name) = name {
                let value = header.get(value_start..next).unwrap_or_default();
                return Some(HeaderField { name, value, start, end: next });
            }
        }
    })
}

/// Returns the unfolded values of all top-level fields `name` in order, without parsing the body.
///
/// At most 1,000 values of at most 64 KiB each.
#[must_use]
pub fn header_values(raw: &[u8], name: &str) -> Vec<String> {
    let header = raw.get(..block(raw, 0, |_| false).end).unwrap_or_default();
    fields(header).filter(|field| field.is(name)).take(MAX_VALUES).map(|field| field.text()).collect()
}

/// Returns the addresses of all top-level fields `name`, one list for each field, without parsing the body.
///
/// At most 1,000 fields with at most 1,000 addresses each.
#[must_use]
pub fn header_addresses(raw: &[u8], name: &str) -> Vec<Vec<HeaderAddress>> {
    header_values(raw, name).iter().map(|value| parse_address_list(value, MAX_VALUES)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_addresses_are_grouped_by_field() {
        let raw = b"From: A <a@example.org>,\r\n b@example.org\r\nfrom: c@example.net\r\n\r\nFrom: d@example.net";
        let found = header_addresses(raw, "From");
        let found: Vec<Vec<&str>> =
            found.iter().map(|list| list.iter().map(|found| found.address.as_str()).collect()).collect();
        assert_eq!(found, [vec!["a@example.org", "b@example.org"], vec!["c@example.net"]]);
    }

    #[test]
    fn header_values_are_unfolded() {
        let raw = b"X-Trace: a\r\n\tb\r\nOther: x\nx-trace :c\r\n d\n\nX-Trace: body\n";
        assert_eq!(header_values(raw, "x-trace"), ["a b", "c d"]);
        assert_eq!(header_values(b"", "x"), Vec::<String>::new());
        assert_eq!(header_values(b"no header\nX: y", "x"), Vec::<String>::new());
        assert_eq!(header_values(b"From a@b Mon\nX: \xe9\n\n", "X"), ["é"]);
    }

    #[test]
    fn header_ends_at_first_line_without_field() {
        assert_eq!(block(b"A: b\r\n\r\nbody", 0, |_| false), HeaderBlock { end: 6, body: 8 });
        assert_eq!(block(b"A: b\nbody text\n", 0, |_| false), HeaderBlock { end: 5, body: 5 });
        assert_eq!(block(b" A: b\n", 0, |_| false), HeaderBlock { end: 0, body: 0 });
        assert_eq!(block(b"A: b\n--x\n", 0, |line| line == b"--x"), HeaderBlock { end: 5, body: 5 });
        assert_eq!(block(b"", 0, |_| false), HeaderBlock { end: 0, body: 0 });
    }
}
