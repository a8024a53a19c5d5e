//! Addresses as they stood in a header, read leniently (RFC 5322 section 3.4 and what senders make of it).

use std::borrow::Cow;
use std::fmt;

use super::mailbox::MAX_DISPLAY_NAME_CHARS;
use crate::sanitize;
use crate::wire::encoded_words;

/// The most octets of what stands for an address. A valid one has at most 254, so that what is left of a longer text is
/// never somebody else's address.
const MAX_HEADER_ADDRESS_BYTES: usize = 320;

/// What stood in a header, even where it is no valid address. It holds no control characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HeaderAddress {
    /// The display name, decoded (RFC 2047), without quotes, cut to 256 characters.
    pub name: Option<String>,
    /// The address; whatever stood in its place where there is none, cut to 320 octets.
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

    /// How many octets it takes when it is shown.
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

/// The addresses of a list, groups flattened, at most `limit` of them.
pub(crate) fn parse_address_list(value: &str, limit: usize) -> Vec<HeaderAddress> {
    let mut scanner = AddressScanner { rest: value, unclosed: [false; 4] };
    let mut entry = ListEntry::default();
    let mut found = Vec::new();
    while let Some(c) = scanner.rest.chars().next() {
        if found.len() >= limit {
            return found;
        }
        match c {
            // Some programs leave the commas and brackets within a word as they are.
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
            // A comment within the brackets may hold one of them; one that does not close is none.
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
    /// Which of the brackets is known never to close in what is left, so that no search is made twice.
    unclosed: [bool; 4],
}

impl<'a> AddressScanner<'a> {
    fn take(&mut self, c: char) -> char {
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
        c
    }

    /// What stands between the opening sign at hand and `close`, escapes kept; comments nest. Inside angle brackets quotes
    /// hide their end, and for kind 2 comments as well.
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

/// One entry of a list while it is read.
#[derive(Default)]
struct ListEntry {
    /// What stands outside brackets, quotes taken off.
    phrase: String,
    /// The same as written.
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
        // A source route before the address (RFC 5322 section 4.4) says nothing today.
        let address = match angle.split_once(':') {
            Some((route, address)) if route.trim_start().starts_with('@') => address,
            _ => &angle,
        };
        let phrase = decoded(&self.phrase);
        Some(HeaderAddress::new(phrase.or_else(|| comment.and_then(decoded)), &without_spaces(address)))
    }

    /// An entry without angle brackets: the last word with an `@` is the address, what is before it the name.
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

fn without_spaces(address: &str) -> String {
    address.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect()
}

/// An address without its comments (RFC 5322 section 3.2.2 and A.5). A bracket that does not close is no comment.
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
