//! Lenient parser for addresses in header fields (RFC 5322, section 3.4).

use std::borrow::Cow;
use std::fmt;

use super::mailbox::MAX_DISPLAY_NAME_CHARS;
use crate::sanitize;
use crate::wire::encoded_words;

/// Maximum length in bytes of the address part. A valid address has at most 254 bytes, so a cut address never equals
/// another valid one.
const MAX_HEADER_ADDRESS_BYTES: usize = 320;

/// An address as it appears in a header, valid or not, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HeaderAddress {
    /// Decoded display name (RFC 2047) without quotes, cut to 256 characters.
    pub name: Option<String>,
    /// The address, or the text in its position when there is none, cut to 320 bytes.
    pub address: String,
}

impl HeaderAddress {
    fn new(name: Option<String>, address: &str) -> Self {
        let name = name.map(|name| match name.char_indices().nth(MAX_DISPLAY_NAME_CHARS) {
            Some((end, _)) => sanitize::truncate(&name, end).trim_end().to_owned(),
            None => name,
        });
        Self { name, address: sanitize::truncate(address, MAX_HEADER_ADDRESS_BYTES).to_owned() }
    }

    /// Returns the length in bytes of the displayed form.
    pub(crate) fn display_len(&self) -> usize {
        self.address.len() + self.name.as_ref().map_or(0, |name| name.len() + " <>".len())
    }
}

impl fmt::Display for HeaderAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} <{}>", self.address),
            None => f.write_str(&self.address),
        }
    }
}

/// Parses an address list, flattens its groups and returns at most `limit` addresses.
pub(crate) fn parse_address_list(value: &str, limit: usize) -> Vec<HeaderAddress> {
    let mut scanner = AddressScanner { rest: value, unclosed: [false; 4] };
    let mut entry = ListEntry::default();
    let mut found = Vec::new();
    while let Some(c) = scanner.rest.chars().next() {
        if found.len() >= limit {
            return found;
        }
        match c {
            // Some programs leave commas and brackets inside an encoded word unescaped.
            '=' if let Some(word) = encoded_words::at_start(scanner.rest) => {
                word.chars().for_each(|c| entry.literal(scanner.take(c)));
            }
            '"' => match scanner.enclosed('"', 0) {
                Some(quoted) => entry.quoted(quoted),
                None => entry.literal(scanner.take(c)),
            },
            '(' => match scanner.enclosed(')', 1) {
                Some(comment) => {
                    entry.comment.push(' ');
                    entry.comment.push_str(&unescape(comment));
                }
                None => entry.literal(scanner.take(c)),
            },
            // A comment inside angle brackets may contain one of them; an unclosed comment is plain text.
            '<' => match scanner.enclosed('>', 2).or_else(|| scanner.enclosed('>', 3)) {
                Some(angle) => entry.angle = Some(angle.to_owned()),
                None => entry.literal(scanner.take(c)),
            },
            ',' | ';' => {
                scanner.take(c);
                found.extend(std::mem::take(&mut entry).finish());
            }
            ':' if entry.angle.is_none() && !entry.raw.contains('@') => {
                scanner.take(c);
                entry = ListEntry::default();
            }
            c => entry.literal(scanner.take(c)),
        }
    }
    found.extend(entry.finish());
    found.truncate(limit);
    found
}

struct AddressScanner<'a> {
    rest: &'a str,
    /// For each kind of bracket, true when no closing bracket remains. This prevents a second search.
    unclosed: [bool; 4],
}

impl<'a> AddressScanner<'a> {
    fn take(&mut self, c: char) -> char {
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
        c
    }

    /// Returns the text between the current opening character and `close` with its escapes.
    ///
    /// Comments nest. Quotes inside angle brackets hide the closing bracket; comments do the same for kind 2.
    fn enclosed(&mut self, close: char, kind: usize) -> Option<&'a str> {
        if self.unclosed.get(kind).copied().unwrap_or(true) {
            return None;
        }
        let inner = self.rest.get(1..)?;
        let mut depth = 1_usize;
        let mut quoted = false;
        let mut escaped = false;
        let mut comments = 0_usize;
        for (at, c) in inner.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' if close == '>' && comments == 0 => quoted = !quoted,
                '(' if kind == 2 && !quoted => comments += 1,
                ')' if kind == 2 && !quoted => comments = comments.saturating_sub(1),
                '(' if close == ')' => depth += 1,
                c if c == close && !quoted && comments == 0 => {
                    depth -= 1;
                    if depth == 0 {
                        self.rest = inner.get(at + 1..).unwrap_or_default();
                        return inner.get(..at);
                    }
                }
                _ => {}
            }
        }
        if let Some(flag) = self.unclosed.get_mut(kind) {
            *flag = true;
        }
        None
    }
}

/// Parser state of one entry of an address list.
#[derive(Default)]
struct ListEntry {
    /// Text outside brackets, without quotes.
    phrase: String,
    /// Text outside brackets as written.
    raw: String,
    comment: String,
    angle: Option<String>,
}

impl ListEntry {
    fn literal(&mut self, c: char) {
        self.phrase.push(c);
        self.raw.push(c);
    }

    fn quoted(&mut self, inner: &str) {
        self.phrase.push_str(&unescape(inner));
        self.raw.push('"');
        self.raw.push_str(inner);
        self.raw.push('"');
    }

    fn finish(self) -> Option<HeaderAddress> {
        let comment = Some(self.comment.as_str());
        let Some(angle) = &self.angle else {
            return self.bare(comment);
        };
        let angle = without_comments(angle);
        // A source route before the address is obsolete (RFC 5322, section 4.4).
        let address = match angle.split_once(':') {
            Some((route, address)) if route.trim_start().starts_with('@') => address,
            _ => &angle,
        };
        let phrase = decoded(&self.phrase);
        Some(HeaderAddress::new(phrase.or_else(|| comment.and_then(decoded)), &without_spaces(address)))
    }

    /// Reads an entry without angle brackets: the last word with an `@` is the address, the words before it are the
    /// name.
    fn bare(&self, comment: Option<&str>) -> Option<HeaderAddress> {
        let raw = self.raw.trim();
        if raw.is_empty() {
            return None;
        }
        let last = raw.rsplit(char::is_whitespace).next().unwrap_or(raw);
        if raw != last && last.contains('@') && !raw.starts_with('"') {
            let before = raw.strip_suffix(last).unwrap_or_default();
            return Some(HeaderAddress::new(decoded(before), &without_spaces(last.trim_matches(['<', '>']))));
        }
        let address = sanitize::single_line(&encoded_words::decode(raw));
        Some(HeaderAddress::new(comment.and_then(decoded), &address))
    }
}

fn decoded(text: &str) -> Option<String> {
    let line = sanitize::single_line(&encoded_words::decode(text.trim()));
    Some(line).filter(|line| !line.is_empty())
}

/// Removes white space around the words of an address. In quotes it is a part of the address (RFC 5321, section 4.1.2).
fn without_spaces(address: &str) -> String {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let is_kept = |c: &char| {
        let is_space_of_address = *c == ' ' && is_quoted;
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
        is_space_of_address || !c.is_whitespace() && !c.is_control()
    };
    address.chars().filter(is_kept).collect()
}

/// Removes comments from an address (RFC 5322, section 3.2.2 and appendix A.5). An unclosed bracket starts no comment.
fn without_comments(address: &str) -> Cow<'_, str> {
    if !address.contains('(') {
        return Cow::Borrowed(address);
    }
    let mut bare = String::with_capacity(address.len());
    let (mut depth, mut is_quoted) = (0_usize, false);
    let mut chars = address.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if is_quoted || depth > 0 => {
                let escaped = chars.next();
                if depth == 0 {
                    bare.push(c);
                    bare.extend(escaped);
                }
            }
            '"' if depth == 0 => {
                is_quoted = !is_quoted;
                bare.push(c);
            }
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted && depth > 0 => depth -= 1,
            c if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    if depth == 0 { Cow::Owned(bare) } else { Cow::Borrowed(address) }
}

fn unescape(quoted: &str) -> String {
    let mut out = String::with_capacity(quoted.len());
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}
