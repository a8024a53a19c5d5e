//! Terms of an SPF record (RFC 7208, sections 4.5, 4.6 and 12).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::check::SpfResult;
use super::target::{MacroLetters, TargetName};

/// A record that follows the grammar.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) directives: Vec<Directive>,
    pub(super) redirect: Option<TargetName>,
}

/// A mechanism with its qualifier.
#[derive(Debug)]
pub(super) struct Directive {
    /// Result when the mechanism matches.
    pub(super) result: SpfResult,
    pub(super) mechanism: Mechanism,
}

#[derive(Debug)]
pub(super) enum Mechanism {
    All,
    Include(TargetName),
    A(TargetName, PrefixLengths),
    Mx(TargetName, PrefixLengths),
    Ptr(TargetName),
    Ip(IpAddr, u8),
    Exists(TargetName),
}

/// Prefix lengths of both address families.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PrefixLengths {
    v4: u8,
    v6: u8,
}

impl PrefixLengths {
    /// Returns whether two addresses of one family share the prefix.
    pub(super) fn match_addresses(self, one: IpAddr, other: IpAddr) -> bool {
        let length = if one.is_ipv4() { self.v4 } else { self.v6 };
        shares_prefix(one, other, length)
    }
}

/// Returns whether two addresses belong to one family and share a prefix.
pub(super) fn shares_prefix(one: IpAddr, other: IpAddr, length: u8) -> bool {
    // A shift by all bits leaves nothing to compare.
    match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => {
            (one.to_bits() ^ other.to_bits()).checked_shr(32 - u32::from(length)).unwrap_or(0) == 0
        }
        (IpAddr::V6(one), IpAddr::V6(other)) => {
            (one.to_bits() ^ other.to_bits()).checked_shr(128 - u32::from(length)).unwrap_or(0) == 0
        }
        _ => false,
    }
}

/// Returns whether a TXT record is SPF: a space or the end follows the version (RFC 7208, section 4.5).
#[must_use]
pub fn is_spf_record(text: &str) -> bool {
    text.split(' ').next().is_some_and(|version| version.eq_ignore_ascii_case("v=spf1"))
}

/// Returns whether a text is an SPF record that follows the grammar.
#[must_use]
pub fn is_valid_spf_record(text: &str) -> bool {
    is_spf_record(text) && Record::parse(text).is_some()
}

impl Record {
    /// Parses a record. Returns `None` for any error of syntax (RFC 7208, section 4.6).
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut record = Self::default();
        let mut has_explanation = false;
        for term in text.split(' ').skip(1).filter(|term| !term.is_empty()) {
            let Some((name, value)) = modifier(term) else {
                record.directives.push(Directive::parse(term)?);
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                // Each may occur once (RFC 7208, section 6).
                "redirect" if record.redirect.is_none() => record.redirect = Some(TargetName::parse(value)?),
                // Explanations are not read: they are the words of the domain, and no reply of the server quotes them.
                "exp" if !has_explanation => {
                    TargetName::parse(value)?;
                    has_explanation = true;
                }
                "redirect" | "exp" => return None,
                _ => TargetName::parse_macros(value, MacroLetters::All).map(drop)?,
            }
        }
        Some(record)
    }
}

/// Splits a modifier, `name=value`, into name and value.
fn modifier(term: &str) -> Option<(&str, &str)> {
    let (name, value) = term.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.'));
    is_name.then_some((name, value))
}

impl Directive {
    fn parse(term: &str) -> Option<Self> {
        let (result, term) = match term.as_bytes().first()? {
            b'+' => (SpfResult::Pass, &term[1..]),
            b'-' => (SpfResult::Fail, &term[1..]),
            b'~' => (SpfResult::SoftFail, &term[1..]),
            b'?' => (SpfResult::Neutral, &term[1..]),
            _ => (SpfResult::Pass, term),
        };
        let end = term.find([':', '/']).unwrap_or(term.len());
        let (name, rest) = term.split_at(end);
        Some(Self { result, mechanism: Mechanism::parse(&name.to_ascii_lowercase(), rest)? })
    }
}

impl Mechanism {
    /// Parses a mechanism. `rest` is the text after its name.
    fn parse(name: &str, rest: &str) -> Option<Self> {
        let argument = rest.strip_prefix(':');
        match name {
            "all" => rest.is_empty().then_some(Self::All),
            "include" => TargetName::parse(argument?).map(Self::Include),
            "exists" => TargetName::parse(argument?).map(Self::Exists),
            "ptr" => Some(Self::Ptr(target_or_domain(rest)?)),
            "a" | "mx" => {
                let (rest, lengths) = prefix_lengths(rest)?;
                let target = target_or_domain(rest)?;
                Some(if name == "a" { Self::A(target, lengths) } else { Self::Mx(target, lengths) })
            }
            "ip4" => network::<Ipv4Addr>(argument?, 32),
            "ip6" => network::<Ipv6Addr>(argument?, 128),
            _ => None,
        }
    }
}

/// Parses the target of a mechanism; without one it is the domain of the record.
fn target_or_domain(rest: &str) -> Option<TargetName> {
    if rest.is_empty() { Some(TargetName::domain()) } else { TargetName::parse(rest.strip_prefix(':')?) }
}

fn network<A: std::str::FromStr + Into<IpAddr>>(text: &str, max: u8) -> Option<Mechanism> {
    let (address, length) = match text.split_once('/') {
        Some((address, digits)) => (address, prefix_length(digits, max)?),
        None => (text, max),
    };
    Some(Mechanism::Ip(address.parse::<A>().ok()?.into(), length))
}

/// Cuts `[ "/" length ] [ "//" length ]` off the end of a text.
fn prefix_lengths(text: &str) -> Option<(&str, PrefixLengths)> {
    let (text, v6) = match text.rsplit_once("//") {
        Some((head, digits)) if is_digits(digits) => (head, prefix_length(digits, 128)?),
        _ => (text, 128),
    };
    let (text, v4) = match text.rsplit_once('/') {
        Some((head, digits)) if is_digits(digits) => (head, prefix_length(digits, 32)?),
        _ => (text, 32),
    };
    Some((text, PrefixLengths { v4, v6 }))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

/// Parses a prefix length without leading zeros.
fn prefix_length(digits: &str, max: u8) -> Option<u8> {
    let is_canonical = is_digits(digits) && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|length| is_canonical && *length <= max)
}
